//! One game with every accident that mail, machines and people have, by files alone, and its rematch. Whoever has nothing but
//! the mails finds no honest player to blame, with either checker.

use std::{fs, process::Command};

use sealed_dice::blob::{Body, body::SetKind};
use serde_json::Value;

use super::{
    Seated, audits, copy_folder,
    foul_ups::raised_total,
    out,
    roads::{FORFEIT, Refereed, offered, refereed_terms},
    talk,
};
use crate::kit::bytes;

/// A phase of Ann's whose rolls only she knows at first, before which both write orders.
const SCOUTS: &str = r#"
[[phases]]
name = "ann-scouts"
declarer = "ann"
impulses = [1]
system = "coin-envelopes"
private = true
decisions = [{ name = "orders", how = "simultaneous" }]
"#;

fn held(key: &str) -> String {
    format!("deposit = \"{key}\"\ndeposit_notes = true\n")
}

fn terms(template: String) -> String {
    let reaction =
        "\ndecisions = [{ name = \"reaction\", by = \"bob\", how = \"sealed\" }]\n\n[phases.settings]\nvalues";
    let terms = template.replace("illegal-odds = \"keep\"", "illegal-odds = \"redo\"").replacen(
        "\n[phases.settings]\nvalues",
        reaction,
        1,
    );
    terms + FORFEIT + SCOUTS
}

/// A mail reaches somebody in the end.
fn arrives(to: &Seated, mails: &[&String]) {
    for mail in mails {
        to.reads(mail);
    }
}

/// The last letter of a mail alone, as a careless copy brings it.
fn last_letter(mail: &str) -> &str {
    &mail[mail.rfind("-----BEGIN").expect("a letter")..]
}

/// A mail in which one character of its last letter was changed on the way.
fn damaged(mail: &str) -> String {
    let at = mail.rfind("-----BEGIN").expect("a letter") + 400;
    let at = at + mail[at..].find('A').expect("base64");
    format!("{}B{}", &mail[..at], &mail[at + 1..])
}

/// A letter that was made past the program arrives everywhere, with its author too.
fn by_hand(game: &Refereed, letter: &str) {
    game.table.mails.borrow_mut().push(letter.to_owned());
    for player in game.all() {
        player.reads(letter);
    }
}

/// The folder of a player goes back to an old copy, and he asks before he signs.
fn restored(game: &Refereed, player: &Seated, copy: &Seated) {
    fs::remove_dir_all(&player.home).expect("a folder");
    copy_folder(&copy.home, &player.home);
    let ask = game.table.posts(player, &["game", "resync"]);
    assert!(
        player.is_refused(&["seal", "foul-up", "--yes"]).contains("You can sign again once you have their answers")
    );
    for other in game.all().into_iter().filter(|other| other.home != player.home) {
        other.reads(&ask);
        game.mail(other, &["reply"]);
    }
}

fn copied(game: &Refereed, player: &Seated, name: &str) -> Seated {
    let copy = Seated::at(game.table.dir.join(name));
    copy_folder(&player.home, &copy.home);
    copy
}

/// The id of a player's last letter of a kind, as somebody's folder has it.
fn id_of(at: &Seated, role: &str, kind: &str) -> String {
    let letters = fs::read_dir(at.letters()).expect("letters");
    let names = letters.map(|entry| entry.expect("a file").file_name().into_string().expect("a name"));
    let mut names: Vec<String> = names.filter(|name| name.starts_with(role) && name.contains(kind)).collect();
    names.sort();
    let last = names.last().expect("such a letter");
    last.trim_end_matches(".txt").rsplit('-').next().expect("an id").to_owned()
}

/// Letters that cross, arrive twice, late, backwards, damaged, or not at all until they are asked for.
fn mails_go_astray(game: &Refereed) {
    let [ann, bob, carol] = game.all();
    let (attacks, orders) = (game.table.path("ATTACKS.csv"), game.table.path("orders.txt"));
    let posts = |from, args: &[&str]| game.table.posts(from, args);
    let from_ann = posts(ann, &["declare", "1/1/ann-first/1", &attacks, "--moves", "the 3rd crosses at F12"]);
    let from_bob = posts(bob, &["note", "1/2/ann-second/1", "reaction", &orders]);
    let broken = damaged(&from_bob);
    game.table.mails.borrow_mut().push(broken.clone());
    let told = ann.run(&["read", "-"], &broken);
    assert_eq!(told.status.code(), Some(2), "{}{}", out(&told), talk(&told));
    assert!(out(&told).contains("rejected:"), "{}", out(&told));
    arrives(ann, &[&from_bob]);
    arrives(bob, &[&from_ann]);
    assert!(bob.reads(&from_ann).contains("nothing new"));

    let lost = posts(bob, &["reply"]);
    let later = posts(bob, &["note", "2/2/ann-second/1", "reaction", &orders]);
    let told = ann.reads(last_letter(&later));
    assert!(told.contains("ask bob for letter"), "{told}");
    let mut asked = 0;
    while let Some(line) = ann.status()["missing"][0].as_str() {
        let number = line.rsplit(' ').next().expect("a number");
        let again = bob.does(&["resend", number]);
        ann.reads(&again);
        asked += 1;
        assert!(asked < 9, "{line}");
    }
    assert!(asked > 0 && ann.does(&["game", "status"]).contains("note 1/1/ann-scouts/1 orders"), "{asked}");
    for mail in [&later, &lost, &from_bob, &from_ann] {
        carol.reads(mail);
    }
    assert_eq!(carol.status()["missing"], serde_json::json!([]));
    let told = game.mail(carol, &["reply"]);
    assert!(told.contains("are held and match the sealed values"), "{told}");
}

/// Odds that were wrong: proposed, agreed to, rolled again.
fn a_foul_up(game: &Refereed) {
    let [ann, bob, _] = game.all();
    let right = game.table.file("right.csv", "hexes,odds,order\nF12+F13,2-1,1\n");
    let propose = ["correct", "propose", "1/1/ann-first/1", "--class", "illegal-odds", "--at-fault", "ann"];
    game.mail(bob, &[&propose[..], &["--reason", "out of supply", "--sheet", &right]].concat());
    game.mail(ann, &["correct", "accept", &offered(ann, "correct accept")]);
    game.mail(ann, &["declare", "1/1/ann-first/1", "--again"]);
    game.mail(bob, &["reply"]);
}

/// Orders that both write before either reads, and rolls that only Ann knows until she shows them.
fn private_rolls(game: &Refereed) {
    let [ann, bob, _] = game.all();
    let (attacks, orders) = (game.table.path("ATTACKS.csv"), game.table.path("orders.txt"));
    let slot = "1/1/ann-scouts/1";
    assert!(
        ann.is_refused(&["declare", slot, &attacks, "--no-moves", "--yes"]).contains("waits for the choice orders")
    );
    game.mail(ann, &["note", slot, "orders", &orders]);
    game.mail(bob, &["note", slot, "orders", &game.table.file("attack.txt", "everything forward\n")]);
    game.mail(ann, &["reply"]);
    game.mail(bob, &["reply"]);
    game.mail(ann, &["declare", slot, &attacks, "--no-moves"]);
    game.mail(bob, &["reply"]);
    assert!(bob.is_refused(&["reveal", slot, "--look"]).contains("does not have private rolls of yours"));
    assert_eq!(ann.does(&["reveal", slot, "--look"]).matches("d6 = ").count(), 3);
    game.mail(ann, &["reveal", slot]);
}

/// The second impulse, on the sheet, with a choice that was sealed before; one battle of it is void.
fn the_sheet(game: &Refereed) {
    let [ann, bob, _] = game.all();
    let rolls = game.table.path("ROLLS.csv");
    game.mail(ann, &["declare", "1/2/ann-second/1", &rolls, "--no-moves"]);
    game.mail(bob, &["reply"]);
    game.mail(ann, &["correct", "void", "1/2/ann-second/1", "--lines", "2", "--reason", "the bridge was down"]);
    game.mail(bob, &["correct", "accept", &offered(bob, "correct accept")]);
}

/// Bob adds up past the program, and wrongly; he declares again. Later the referee voids the whole impulse.
fn a_breach_and_a_void(game: &Refereed) {
    let [ann, bob, carol] = game.all();
    let rolls = game.table.path("ROLLS.csv");
    by_hand(game, &raised_total(bob, "1/3/bob-first/1"));
    assert!(ann.is_refused(&["reveal", "1/3/bob-first/1", "--yes"]).contains("has not been validly declared"));
    game.mail(bob, &["declare", "1/3/bob-first/1", "--again"]);
    game.mail(ann, &["reply"]);
    game.mail(bob, &["declare", "1/4/bob-second/1", &rolls, "--no-moves"]);
    game.mail(ann, &["reply"]);
    game.mail(carol, &["rule", "void", "1/4/bob-second/1", "--impulse", "--text", "both moved after nightfall"]);
}

/// A stall that ends by itself, one that the referee ends with the keys that she holds, and a dispute that she dismisses.
fn stalls(game: &Refereed) {
    let [ann, bob, carol] = game.all();
    let attacks = game.table.path("ATTACKS.csv");
    game.mail(ann, &["declare", "2/1/ann-first/1", &attacks, "--no-moves", "--skip"]);
    game.mail(ann, &["dispute", "stall", "2/1/ann-first/1", "--text", "two weeks"]);
    offered(carol, "rule request");
    game.mail(bob, &["reply"]);
    assert!(!carol.status()["commands"].to_string().contains("rule request"), "{}", carol.status());

    game.mail(carol, &["reply"]);
    game.mail(bob, &["declare", "2/3/bob-first/1", &attacks, "--no-moves", "--skip"]);
    game.mail(bob, &["dispute", "stall", "2/3/bob-first/1", "--text", "six weeks"]);
    game.mail(carol, &["rule", "request", &offered(carol, "rule request")]);
    game.mail(carol, &["rule", "open", &offered(carol, "rule open"), "--text", "thirty days have passed"]);
    assert_eq!(ann.does(&["reveal", "2/3/bob-first/1", "--yes"]), "", "nothing is owed any more");

    game.mail(bob, &["dispute", "raise", &id_of(bob, "ref", "-ruling-"), "--text", "it was forty days"]);
    game.mail(carol, &["rule", "dismiss", &offered(carol, "rule dismiss"), "--text", "I can count"]);
}

/// Bob's folder is lost and comes back from yesterday; then a copy of it signs beside, and the referee settles that.
fn machines(game: &Refereed) {
    let [ann, bob, carol] = game.all();
    let orders = game.table.path("orders.txt");
    let yesterday = copied(game, bob, "yesterday");
    game.mail(bob, &["note", "3/2/ann-second/1", "reaction", &orders]);
    restored(game, bob, &yesterday);
    game.mail(bob, &["note", "3/3/bob-first/1", "march", &orders]);

    let beside = copied(game, bob, "the laptop");
    let written = beside.forges(|ledger, _, signer| {
        let seal = signer.seal(
            ledger.terms,
            SetKind::Note,
            "4/3/bob-first/1/march",
            1,
            bytes("beside"),
            Some("back to the river"),
        );
        Body::Seal(seal.expect("a note"))
    });
    game.mail(bob, &["note", "4/3/bob-first/1", "march", &orders]);
    let stands = id_of(ann, "bob", "-seal-");
    by_hand(game, &written);
    let why = bob.is_refused(&["seal", "foul-up", "--yes"]);
    assert!(why.contains("you have signed 2 different letters that follow the same letter"), "{why}");
    assert!(ann.status()["notes"].to_string().contains("chain 8"), "{}", ann.status());
    game.mail(ann, &["dispute", "raise", &stands, "--text", "the laptop was not to sign"]);
    game.mail(carol, &["rule", "settle", &stands, "--text", "an accident"]);
    game.mail(carol, &["rule", "dismiss", &offered(carol, "rule dismiss"), "--text", "so be it"]);
}

fn stop_and_close(game: &Refereed) {
    let [ann, bob, _] = game.all();
    game.mail(ann, &["dispute", "resign", "--text", "well played"]);
    game.mail(ann, &["game", "close", "--result", "bob wins"]);
    game.mail(bob, &["game", "close"]);
    game.mail(ann, &["reply"]);
}

/// The same three play again.
fn a_rematch(game: &Refereed) {
    let [ann, bob, carol] = game.all();
    let again = |from: &Seated, args: &[&str]| game.mail(from, &[args, &["--game", "our-campaign-2"]].concat());
    let terms = refereed_terms(&game.table, carol, "double-impulse", held, terms);
    game.mail(ann, &["game", "new", &terms]);
    again(carol, &["game", "accept"]);
    again(bob, &["game", "accept"]);
    again(ann, &["declare", "1/1/ann-first/1", &game.table.path("ATTACKS.csv"), "--no-moves"]);
    again(bob, &["reply"]);
    again(bob, &["game", "close"]);
    again(ann, &["game", "close"]);
    again(bob, &["reply"]);
}

#[test]
fn one_game_with_every_accident() {
    let game = Refereed::begun_on("play-accidents", held, terms);
    mails_go_astray(&game);
    a_foul_up(&game);
    private_rolls(&game);
    the_sheet(&game);
    a_breach_and_a_void(&game);
    stalls(&game);
    machines(&game);
    stop_and_close(&game);
    a_rematch(&game);

    // An auditor has the mails, the last one first, and neither folder.
    let post = game.table.dir.join("mails");
    fs::create_dir(&post).expect("a folder");
    for (i, mail) in game.table.mails.borrow().iter().rev().enumerate() {
        fs::write(post.join(format!("{i:03}.txt")), mail).expect("a mail");
    }
    let [ours, theirs] = audits(&post);
    assert_eq!(ours, theirs);
    let games: Vec<&Value> = ours.iter().filter(|report| !report["game"].is_null()).collect();
    assert_eq!(games.len(), 2, "{ours:?}");
    for report in &games {
        assert_eq!(report["verdict"], "verified", "{report}");
        for finding in report["findings"].as_array().expect("a list") {
            assert!(finding["culprit"].is_null() || finding["settled_by"].is_string(), "{finding}");
            assert!(finding["culprit"].is_null() || finding["culprit"] == "bob", "{finding}");
        }
    }
    assert!(games.iter().all(|report| report["complete"] == true), "{games:?}");
    let stray: Vec<&Value> = ours.iter().filter(|report| report["game"].is_null()).collect();
    assert!(stray.iter().all(|report| report["verdict"] == "undecided"), "a damaged copy blames nobody: {stray:?}");

    let page = game.table.path("audit.html");
    let audit = Command::new(env!("CARGO_BIN_EXE_sealed-dice")).args(["audit", "--html", &page]).arg(&post).output();
    assert_eq!(audit.expect("an audit runs").status.code(), Some(0), "both games are verified, whatever was damaged");
    let page = fs::read_to_string(page).expect("a page");
    assert!(page.contains("Our campaign") && page.contains("verified"), "the page tells the game");
}
