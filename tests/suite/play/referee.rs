//! What only a referee can mend: a roll that its sealer does not open, and a fork as far as it costs the verdict.

use sealed_dice::{
    blob::{Body, Keys, Verified, armour, body::SetKind},
    game::{deposits, terms::Author},
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
    assert!(again.contains("which only ref can read"), "{again}");
    let told = game.mail(carol, &["reply"]);
    assert!(told.contains("are held and match the sealed values"), "{told}");
    assert!(!ann.status()["notes"].to_string().contains("not confirmed"), "{}", ann.status());
    assert!(!bob.signs(&["resend", "--all"]).contains("can read"));
    assert_eq!(carol.status()["commands"], serde_json::json!([]));

    // Ann declares, Bob is silent.
    game.mail(ann, &["declare", SLOT, &attacks, "--moves", "the 3rd crosses"]);
    game.mail(ann, &["dispute", "stall", SLOT, "--text", "six weeks"]);
    let claim = game.offered("rule request");
    game.mail(carol, &["rule", "request", &claim]);
    let request = game.offered("rule open");
    let refused = carol.is_refused(&["rule", "forfeit", &request, "declarer-names", "--yes"]);
    assert!(refused.contains("ruling 11"), "{refused}");
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

/// A set that a ruling killed is nobody's any more: the referee is not said to owe a receipt for it.
#[test]
fn a_killed_set_waits_for_no_receipt() {
    let game = Refereed::begun_with("play-deposit-killed", |key| format!("deposit = \"{key}\"\n"), FORFEIT);
    let (ann, carol) = (&game.table.ann, &game.carol);
    let open = |player: &Seated| -> Vec<String> {
        player.replay(|ledger, _| {
            deposits::without_receipt(ledger, Author::Referee).map(|set| set.node.id().to_string()).collect()
        })
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

/// A copy of Bob's folder has signed beside him. Ann goes on from one of the two; with the referee's settlement the game is
/// verified.
#[test]
fn a_fork_is_settled_and_the_game_goes_on() {
    let game = Refereed::begun("play-fork-settled", FORFEIT);
    let (ann, bob, carol) = (&game.table.ann, &game.table.bob, &game.carol);
    let orders = game.table.path("orders.txt");
    let beside = Seated::at(game.table.dir.join("beside"));
    super::copy_folder(&bob.home, &beside.home);
    let written = beside.forges(|ledger, _, signer| {
        let seal = signer.seal(ledger.terms, SetKind::Note, "2/3/bob-first/1/march", 1, bytes("beside"), Some("back"));
        Body::Seal(seal.expect("a note"))
    });
    let own = game.mail(bob, &["note", "1/3/bob-first/1", "march", &orders]);
    game.table.mails.borrow_mut().push(written.clone());
    game.all().into_iter().for_each(|player| drop(player.reads(&written)));
    let stopped = || bob.is_refused(&["seal", "foul-up", "--yes"]);
    assert!(stopped().contains("you have signed 2 different letters that follow the same letter"), "{}", stopped());

    let id = |mail: &str| {
        let frame = armour::find(mail.as_bytes()).pop().and_then(|blob| blob.frame.ok()).expect("a letter");
        Verified::open(&frame, &Keys::default()).expect("a letter").id().to_string()
    };
    let stands = id(&own);
    game.mail(ann, &["dispute", "raise", &stands, "--text", "the copy was not to sign"]);
    assert_eq!(bob.status()["blocked"], Value::Null, "{}", bob.status());
    let told = ann.status()["notes"].to_string();
    assert!(told.contains(&format!("{} is the one that counts, because letter ", &stands[..8])), "{told}");
    game.mail(carol, &["rule", "settle", &game.offered("rule settle")]);
    assert!(!ann.status()["notes"].to_string().contains("different letters"), "{}", ann.status());
    game.mail(carol, &["rule", "dismiss", &game.offered("rule dismiss")]);
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

/// Ann takes her dispute back in one of two letters, and nobody has chosen yet. The referee, who has seen that one, does not
/// dismiss the dispute: the ruling would break a rule as soon as Bob chooses it.
#[test]
fn a_ruling_is_judged_by_its_past_alone_too() {
    let game = Refereed::begun("play-fork-ruled", FORFEIT);
    let (ann, bob, carol) = (&game.table.ann, &game.table.bob, &game.carol);
    let killed = bob.replay(|ledger, me| ledger.sealed(me, SetKind::FoulUp, "foul-up/1").expect("a set").to_string());
    let accept = ann.replay(|ledger, _| ledger.game.to_string());
    game.mail(ann, &["dispute", "raise", &accept, "--text", "is this the right scenario?"]);
    let beside = Seated::at(game.table.dir.join("beside"));
    super::copy_folder(&ann.home, &beside.home);
    let dispute = game.offered("rule dismiss");
    let taken_back = game.mail(ann, &["dispute", "withdraw", &dispute]);
    game.mail(carol, &["rule", "kill", &killed]);
    let written = beside.forges(|ledger, _, signer| {
        let seal = signer.seal(ledger.terms, SetKind::Note, "2/3/ann-first/1/march", 1, bytes("beside"), Some("back"));
        Body::Seal(seal.expect("a note"))
    });
    carol.reads(&written);
    let refused = carol.is_refused(&["rule", "dismiss", &dispute, "--yes"]);
    assert!(refused.contains("a player's next letter chooses one of them"), "{refused}");
    // Bob knows the one that takes it back, and with that nothing is left to rule.
    bob.reads(&taken_back);
    bob.reads(&written);
    carol.reads(&bob.signs(&["seal", "foul-up"]));
    let refused = carol.is_refused(&["rule", "dismiss", &dispute, "--yes"]);
    assert!(refused.contains("ruling 6"), "{refused}");
}
