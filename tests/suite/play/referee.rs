//! What only a referee can mend: a roll that its sealer does not open, and a key that is lost.

use sealed_dice::{
    blob::{Body, Keys, Verified, armour, body::SetKind},
    game::charter::Author,
};
use serde_json::Value;

use super::{
    Seated,
    roads::{FORFEIT, Refereed},
};
use crate::kit::bytes;

const SLOT: &str = "1/1/ann-first/1";

#[test]
fn deposited_keys_finish_a_stalled_roll() {
    let held = |key: &str| format!("deposit = \"{key}\"\ndeposit_notes = true\n");
    let game = Refereed::begun_with("play-deposits", held, FORFEIT);
    let (ann, bob, carol) = (&game.table.ann, &game.table.bob, &game.carol);
    let attacks = game.table.path("ATTACKS.csv");
    let notes = ann.status()["notes"].to_string();
    assert!(notes.contains("not confirmed"), "{notes}");
    // Every mail of Bob's brings his deposits along until Carol has confirmed them.
    let again = game.mail(bob, &["resend"]);
    assert!(again.contains("for the eyes of ref alone"), "{again}");
    let told = game.mail(carol, &["reply"]);
    assert!(told.contains("are held, and fit what was sealed"), "{told}");
    assert!(!ann.status()["notes"].to_string().contains("not confirmed"), "{}", ann.status());
    assert!(!bob.signs(&["resend", "--all"]).contains("eyes alone"));
    assert_eq!(carol.status()["commands"], serde_json::json!([]));

    // Ann declares, Bob is silent.
    game.mail(ann, &["declare", SLOT, &attacks, "--moves", "the 3rd crosses"]);
    game.mail(ann, &["dispute", "stall", SLOT, "--text", "six weeks"]);
    let claim = game.offered("rule request");
    game.mail(carol, &["rule", "request", &claim]);
    let request = game.offered("rule open");
    let refused = carol.is_refused(&["rule", "forfeit", &request, "declarer-names", "--yes"]);
    assert!(refused.contains("ruling 2"), "{refused}");
    game.mail(carol, &["rule", "open", &request, "--text", "thirty days have passed"]);
    let report = game.table.report();
    let values = |report: &Value| -> Vec<u64> {
        report["rolls"].as_array().expect("rolls").iter().filter_map(|roll| roll["value"].as_u64()).collect()
    };
    let dice = values(&report);
    assert_eq!((report["verdict"].as_str(), dice.len()), (Some("verified"), 3), "{report}");
    // Bob is back: he owes nothing any more, and the game goes on to its end.
    assert_eq!(bob.does(&["reveal", SLOT, "--yes"]), "");
    game.mail(ann, &["game", "close"]);
    game.mail(bob, &["game", "close"]);
    game.mail(ann, &["reply"]);
    let report = game.table.report();
    assert_eq!((report["verdict"].as_str(), report["complete"].as_bool()), (Some("verified"), Some(true)), "{report}");
    assert_eq!(values(&report), dice);
}

/// What was deposited under a key that was changed before the referee confirmed it is wrapped again under the new one, for he
/// takes in nothing under the old one.
#[test]
fn a_changed_key_deposits_again() {
    let game = Refereed::begun_with("play-deposit-rotated", |key| format!("deposit = \"{key}\"\n"), FORFEIT);
    let (ann, bob, carol) = (&game.table.ann, &game.table.bob, &game.carol);
    game.mail(carol, &["reply"]);
    game.table.posts(ann, &["seal", "3/3/bob-first/1"]);
    let rotated = ann.run(&["key", "rotate", "--yes"], "");
    assert_eq!(rotated.status.code(), Some(0), "{}", super::talk(&rotated));
    // The letter with the new key comes before the set that was sealed under the old one.
    let mail = game.table.posts(ann, &["resend"]);
    carol.reads(&mail[mail.rfind("-----BEGIN").expect("a letter")..]);
    carol.reads(&mail);
    bob.reads(&mail);
    game.mail(ann, &["reply"]);
    game.mail(carol, &["reply"]);
    let notes = bob.status()["notes"].to_string();
    assert!(!notes.contains("not confirmed"), "{notes}");
}

/// A set that a ruling killed is nobody's any more: the referee is not said to owe a receipt for it.
#[test]
fn a_killed_set_waits_for_no_receipt() {
    let game = Refereed::begun_with("play-deposit-killed", |key| format!("deposit = \"{key}\"\n"), FORFEIT);
    let (ann, carol) = (&game.table.ann, &game.carol);
    let open = |player: &Seated| -> Vec<String> {
        player
            .replay(|ledger, _| ledger.without_receipt(Author::Referee).map(|set| set.node.id().to_string()).collect())
    };
    let seals = open(ann);
    assert!(!seals.is_empty());
    seals.iter().for_each(|seal| drop(game.mail(carol, &["rule", "kill", seal])));
    assert_eq!(open(ann), Vec::<String>::new());
    assert!(!ann.status()["notes"].to_string().contains("not confirmed"), "{}", ann.status());
    assert!(!carol.status()["commands"].to_string().contains("reply"), "{}", carol.status());
}

/// Whoever writes the terms could name a deposit key of his own: the referee's tool does not sign that.
#[test]
fn a_deposit_key_that_is_not_the_referees_is_refused() {
    let table = super::Match::seated("play-deposit-key");
    let carol = Seated::at(table.dir.join("carol"));
    carol.does(&["key", "new", "--no-passphrase"]);
    let key = carol.public()["public"].as_str().expect("a key").to_owned();
    let shown = table.ann.does(&["key", "show", "--deposit", "--json"]);
    let own: Value = serde_json::from_str(&shown).expect("JSON");
    let own = own["deposit"].as_str().expect("a key");
    let referee =
        format!("[referee]\nrole = \"ref\"\nname = \"Carol\"\nkey = \"{key}\"\ndeposit = \"{own}\"\n\n[opponent]");
    let terms = table.terms(|text| text.replacen("[opponent]", &referee, 1) + FORFEIT);
    carol.reads(&table.ann.signs(&["game", "new", &terms]));
    let refused = carol.is_refused(&["game", "accept", "--yes"]);
    assert!(refused.contains("the deposit key in the terms is not yours"), "{refused}");
}

/// A copy of Bob's folder has signed beside him. Nobody has gone on from either letter, so that the referee says which one
/// stands, and settles it: then Bob may sign again.
#[test]
fn a_fork_is_settled_and_the_game_goes_on() {
    let game = Refereed::begun("play-fork-settled", FORFEIT);
    let (ann, bob, carol) = (&game.table.ann, &game.table.bob, &game.carol);
    let orders = game.table.path("orders.txt");
    let beside = Seated::at(game.table.dir.join("beside"));
    super::copy_folder(&bob.home, &beside.home);
    let written = beside.forges(|ledger, _, seat| {
        let seal = seat.seal(ledger.terms, SetKind::Note, "2/3/bob-first/1/march", 1, bytes("beside"), Some("back"));
        Body::Seal(seal.expect("a note"))
    });
    let own = game.mail(bob, &["note", "1/3/bob-first/1", "march", &orders]);
    game.table.mails.borrow_mut().push(written.clone());
    game.all().into_iter().for_each(|player| drop(player.reads(&written)));
    let told = ann.status()["notes"].to_string();
    assert!(
        told.contains("bob has signed 2 different letters with the number") && told.contains("resend --everything"),
        "{told}"
    );
    assert!(told.contains("as long as none of them stands") && told.contains("rule branch"), "{told}");
    let told = bob.status()["notes"].to_string();
    assert!(told.contains("nothing more is signed here"), "{told}");
    let asked = carol.does(&["game", "status"]);
    assert!(asked.contains("your move, one of:") && asked.matches("rule branch ").count() == 2, "{asked}");
    let stopped = || bob.is_refused(&["seal", "foul-up", "--yes"]);
    assert!(stopped().contains("two different letters of yours have one number"), "{}", stopped());

    let id = |mail: &str| {
        let frame = armour::find(mail.as_bytes()).pop().and_then(|blob| blob.frame.ok()).expect("a letter");
        Verified::open(&frame, &Keys::default()).expect("a letter").id().to_string()
    };
    let (stands, falls) = (id(&own), id(&written));
    let early = carol.is_refused(&["rule", "settle", &stands, "--yes"]);
    assert!(early.contains("say first which one does"), "{early}");
    game.mail(carol, &["rule", "branch", &stands, "--text", "the copy was not to sign"]);
    let twice = carol.is_refused(&["rule", "branch", &falls, "--yes"]);
    assert!(twice.contains("another branch stands already"), "{twice}");
    assert!(stopped().contains("one number"), "a branch stands, and yet nobody has settled it: {}", stopped());
    let told = ann.status()["notes"].to_string();
    assert!(told.contains("stands, for a letter goes on from it") && told.contains("dispute raise"), "{told}");
    game.table.try_out(carol, carol.status()["commands"][0].as_str().expect("rule settle"));
    game.mail(carol, &["rule", "settle", &stands]);
    assert!(!ann.status()["notes"].to_string().contains("different letters"), "{}", ann.status());
    game.mail(bob, &["seal", "foul-up"]);
    game.mail(ann, &["declare", "1/1/ann-first/1", &game.table.path("ATTACKS.csv"), "--no-moves"]);
    game.mail(bob, &["reply"]);
    game.mail(ann, &["game", "close"]);
    game.mail(bob, &["game", "close"]);
    game.mail(ann, &["reply"]);
    let report = game.table.report();
    assert_eq!((report["verdict"].as_str(), report["complete"].as_bool()), (Some("verified"), Some(true)), "{report}");
    assert_eq!(report["findings"][0]["culprit"], "bob", "{report}");
    assert!(report["findings"][0]["settled_by"].is_string(), "{report}");
}

#[test]
fn a_lost_key_is_admitted() {
    let game = Refereed::begun("play-lost-key", FORFEIT);
    let (ann, carol) = (&game.table.ann, &game.carol);
    let attacks = game.table.path("ATTACKS.csv");
    game.mail(ann, &["declare", SLOT, &attacks, "--no-moves"]);
    game.mail(&game.table.bob, &["reply"]);
    let everything = ann.signs(&["resend", "--everything"]);

    // Bob's house burns down: no key, no backup, no folder. Ann mails him all there is.
    let bob = Seated::at(game.table.dir.join("bob-again"));
    bob.does(&["key", "new", "--no-passphrase"]);
    bob.does(&["key", "backup"]);
    let fingerprint = bob.public()["fingerprint"].as_str().expect("a fingerprint").to_owned();
    let mails = game.table.file("everything.txt", &everything);
    let plea = bob.signs(&["game", "rejoin", &mails, "--role", "bob"]);
    let early = bob.is_refused(&["seal", "3/1/ann-first/1", "--yes"]);
    assert!(early.contains("not admitted yet"), "{early}");
    for other in [ann, carol] {
        other.reads(&plea);
    }
    let notes = ann.status()["notes"].to_string();
    assert!(notes.contains(&fingerprint), "{notes}");
    let wrong = ann.is_refused(&["key", "admit", "AAAA BBBB CCCC DDDD EEEE FFFF", "--yes"]);
    assert!(wrong.contains("nobody has asked"), "{wrong}");
    let granted = ann.signs(&["key", "admit", &fingerprint]);
    for other in [&bob, carol] {
        other.reads(&granted);
    }
    let admit = game.offered("rule admit");
    let admitted = carol.signs(&["rule", "admit", &admit, "--text", "I have heard him, too"]);
    for other in [ann, &bob] {
        other.reads(&admitted);
    }

    // What he sealed under the lost key is dead; he seals anew, and the game goes on.
    let notes = bob.status()["notes"].to_string();
    let kills: Vec<String> = notes.split("rule kill ").skip(1).map(|rest| rest.chars().take(8).collect()).collect();
    assert!(!kills.is_empty(), "{notes}");
    for id in &kills {
        let killed = carol.signs(&["rule", "kill", id]);
        for other in [ann, &bob] {
            other.reads(&killed);
        }
    }
    let exchange = |from: &Seated, args: &[&str]| {
        let mail = from.signs(args);
        for other in [ann, &bob, carol] {
            if other.home != from.home {
                other.reads(&mail);
            }
        }
        mail
    };
    exchange(&bob, &["reply"]);
    exchange(ann, &["declare", "2/1/ann-first/1", &attacks, "--no-moves", "--skip"]);
    exchange(&bob, &["reply"]);
    exchange(ann, &["game", "close"]);
    exchange(&bob, &["game", "close"]);
    let report = ann.does(&["audit", ann.letters().to_str().expect("a path"), "--json"]);
    let report: Value = serde_json::from_str(report.lines().next().expect("a game")).expect("JSON");
    assert_eq!(report["verdict"], "verified", "{report}");
    assert_eq!(report["rolls"].as_array().map(Vec::len), Some(6), "{report}");
    assert_eq!(report["complete"], false, "the masters of the lost key are never published");
    let open = report["open"].to_string();
    assert!(open.contains("admitted") || open.contains("key"), "{open}");
}

/// Somebody asks for Bob's seat with a key of their own, and Ann grants it: Bob is told aloud, the referee is shown what to compare
/// and is not asked to do it, and once Bob has signed on nobody offers it any more.
#[test]
fn a_key_that_is_not_lost_is_admitted_by_nobody_unawares() {
    let game = Refereed::begun("play-not-lost", FORFEIT);
    let (ann, bob, carol) = (&game.table.ann, &game.table.bob, &game.carol);
    let stranger = Seated::at(game.table.dir.join("stranger"));
    stranger.does(&["key", "new", "--no-passphrase"]);
    stranger.does(&["key", "backup"]);
    let fingerprint = stranger.public()["fingerprint"].as_str().expect("a fingerprint").to_owned();
    let mails = game.table.file("everything.txt", &ann.signs(&["resend", "--everything"]));
    let plea = stranger.signs(&["game", "rejoin", &mails, "--role", "bob"]);
    game.all().into_iter().for_each(|other| drop(other.reads(&plea)));
    let says = |player: &Seated, field: &str, words: &str| player.status()[field].to_string().contains(words);
    let asked = "SOMEBODY ASKS TO PLAY ON AS bob WITH ANOTHER KEY";
    assert!(says(bob, "notes", asked) && says(bob, "notes", &fingerprint), "{}", bob.status());
    assert!(!says(ann, "notes", asked), "{}", ann.status());

    game.mail(ann, &["key", "admit", &fingerprint]);
    assert!(!says(carol, "commands", "rule admit") && says(carol, "also", "rule admit"), "{}", carol.status());
    assert!(says(carol, "mind", &fingerprint) && says(carol, "mind", "whose voice you know"), "{}", carol.status());
    game.mail(bob, &["seal", "foul-up"]);
    assert!(!says(carol, "also", "rule admit") && !says(carol, "mind", &fingerprint), "{}", carol.status());
}
