//! A folder that came back from a backup, a second machine, two machines in turns: nobody signs a number twice, and nobody
//! is blamed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use sealed_dice::keep::signing_journal::Signed;
use serde_json::{Value, json};

use super::{Match, Seated, copy_folder, out, talk};

/// A game in which Bob's machine remembers outside of his folder.
fn begun(name: &str) -> Match {
    let mut table = Match::seated(name);
    table.bob.machine = table.dir.join("bob's machine");
    let terms = table.terms(|terms| terms);
    table.mail(&table.ann, &["game", "new", &terms]);
    table.posts(&table.bob, &["game", "accept"]);
    let accepted = table.mails.borrow().last().expect("a mail").clone();
    table.ann.reads(&accepted);
    let sealed = table.posts(&table.ann, &["reply"]);
    table.bob.reads(&sealed);
    table
}

/// A folder takes the place of another.
fn put_back(from: &Path, to: &Path) {
    fs::remove_dir_all(to).expect("a folder");
    copy_folder(from, to);
}

fn aside(table: &Match, player: &Seated, name: &str) -> PathBuf {
    let aside = table.dir.join(name);
    copy_folder(&player.home, &aside);
    aside
}

fn note(table: &Match, name: &str) -> Vec<String> {
    ["note", "1/3/bob-first/1", name, &table.path("orders.txt")].map(str::to_owned).into()
}

fn words(typed: &[String]) -> Vec<&str> {
    typed.iter().map(String::as_str).collect()
}

/// Nothing is signed, and the status names one command.
fn must_ask(table: &Match, player: &Seated) {
    let before = fs::read_dir(player.letters()).expect("letters").count();
    for verb in [
        words(&note(table, "more")),
        vec!["seal", "foul-up"],
        vec!["declare", "1/3/bob-first/1", &table.path("ATTACKS.csv"), "--no-moves", "--skip"],
        vec!["game", "close"],
        vec!["dispute", "stall"],
    ] {
        let why = player.is_refused(&[verb.as_slice(), &["--yes"]].concat());
        assert!(
            why.contains("first ask which letters the others hold") && why.contains("game resync"),
            "{verb:?}: {why}"
        );
        assert!(!why.contains("cheat"), "{why}");
    }
    assert_eq!(fs::read_dir(player.letters()).expect("letters").count(), before);
    let status = player.status();
    let commands = status["commands"].as_array().expect("a list");
    assert!(commands.len() == 1 && commands[0].as_str().expect("a line").ends_with("game resync"), "{status}");
    let says_why = |told: &str| {
        ["not signed on this machine", "older than this machine's record of the game"]
            .iter()
            .any(|why| told.contains(why))
    };
    assert!(says_why(status["blocked"].as_str().expect("a reason")), "{status}");
    assert!(says_why(player.does(&["game", "status"]).lines().nth(1).expect("a line")));
    assert!(player.does(&["game", "list"]).contains("must not sign"), "{}", player.does(&["game", "list"]));
}

/// A player who must ask does so, gets his answer, and goes on.
fn asks_and_goes_on(table: &Match, player: &Seated, signs: &[String]) {
    must_ask(table, player);
    let ask = player.signs(&["game", "resync"]);
    assert_eq!(player.signs(&["game", "resync"]), ask, "the question stays the same");
    assert!(
        player.is_refused(&["seal", "foul-up", "--yes"]).contains("You can sign again once you have their answers")
    );
    assert_eq!(player.status()["commands"], json!([]), "{}", player.status());
    assert_eq!(player.status()["waits_for"][0], json!("ann's answer"), "{}", player.status());
    table.ann.reads(&ask);
    let answer = table.posts(&table.ann, &["reply"]);
    player.reads(&answer);
    assert_eq!(player.status()["blocked"], Value::Null);
    let sent = table.posts(player, &words(signs));
    table.ann.reads(&sent);
}

fn is_clean(table: &Match) {
    for report in super::audits(&table.ann.letters()) {
        assert_eq!((report.len(), &report[0]["findings"], &report[0]["verdict"]), (1, &json!([]), &json!("verified")));
    }
}

#[test]
fn a_restored_folder_asks_before_it_signs() {
    let table = begun("machines-restored");
    let backup = aside(&table, &table.bob, "backup");
    let sent = table.posts(&table.bob, &words(&note(&table, "first")));
    table.ann.reads(&sent);
    put_back(&backup, &table.bob.home);
    asks_and_goes_on(&table, &table.bob, &note(&table, "second"));
    is_clean(&table);
    // An old question that is in a backup is not asked again, and its old answer counts for nothing.
    let later = aside(&table, &table.bob, "later backup");
    table.ann.reads(&table.posts(&table.bob, &words(&note(&table, "third"))));
    put_back(&later, &table.bob.home);
    asks_and_goes_on(&table, &table.bob, &note(&table, "fourth"));
    is_clean(&table);
    let report = table.closes();
    assert_eq!((&report["verdict"], &report["complete"]), (&json!("verified"), &json!(true)), "{report}");
}

/// What was never mailed and is lost with the folder is not asked for by anybody: the number is used again, and the answer
/// says that nobody had it.
#[test]
fn a_letter_that_nobody_has_seen_is_signed_anew() {
    let table = begun("machines-unseen");
    let backup = aside(&table, &table.bob, "backup");
    let unseen = table.bob.signs(&words(&note(&table, "first")));
    put_back(&backup, &table.bob.home);
    asks_and_goes_on(&table, &table.bob, &note(&table, "second"));
    is_clean(&table);
    // It surfaces after all: that is a fork of Bob's, and which branch stands Ann says by what she signs.
    let news = table.posts(&table.ann, &["note", "1/1/ann-first/1", "news", &table.path("orders.txt")]);
    table.bob.reads(&news);
    table.ann.reads(&unseen);
    for report in super::audits(&table.ann.letters()) {
        let findings = report[0]["findings"].as_array().expect("a list");
        assert!(matches!(&findings[..], [fork] if fork["code"] == "chain" && fork["culprit"] == "bob"), "{report:?}");
    }
    let sent = table.posts(&table.bob, &words(&note(&table, "third")));
    table.ann.reads(&sent);
}

#[test]
fn a_folder_that_is_read_back_whole_needs_no_question() {
    let table = begun("machines-read-back");
    let sent = table.posts(&table.bob, &words(&note(&table, "first")));
    table.ann.reads(&sent);
    fs::remove_dir_all(table.bob.home.join("games")).expect("the games");
    // With the invitation alone the machine knows that it has accepted.
    table.bob.reads(&table.mails.borrow()[0]);
    let why = table.bob.is_refused(&["game", "accept", "--yes"]);
    assert!(why.contains("that is missing here") && why.contains("resend --all"), "{why}");
    assert_eq!(table.bob.status()["commands"], json!([]));
    table.bob.reads(&table.mails.borrow().concat());
    assert_eq!(table.bob.status()["blocked"], Value::Null);
    table.look();
    let sent = table.posts(&table.bob, &words(&note(&table, "second")));
    table.ann.reads(&sent);
    is_clean(&table);
}

#[test]
fn two_machines_in_turns() {
    let table = begun("machines-two");
    let second =
        Seated { machine: table.dir.join("second machine"), ..Seated::at(table.dir.join("home on the second")) };
    copy_folder(&table.bob.home, &second.home);
    asks_and_goes_on(&table, &second, &note(&table, "first"));
    // The first machine hears of it by mail: from Ann, and then from the sent mails.
    table.ann.reads(&table.posts(&second, &words(&note(&table, "second"))));
    let news = table.posts(&table.ann, &["note", "1/1/ann-first/1", "news", &table.path("orders.txt")]);
    table.bob.reads(&news);
    let notes = table.bob.status()["notes"].to_string();
    assert!(notes.contains("ann names 1 letter of yours") && notes.contains("game resync"), "{notes}");
    table.bob.reads(&table.mails.borrow().concat());
    asks_and_goes_on(&table, &table.bob, &note(&table, "third"));
    // And back again.
    second.reads(&table.mails.borrow().concat());
    asks_and_goes_on(&table, &second, &note(&table, "fourth"));
    is_clean(&table);
    // A letter that is shown to the first machine before it has asked is not signed over.
    table.bob.reads(&table.mails.borrow().concat());
    asks_and_goes_on(&table, &table.bob, &note(&table, "fifth"));
    is_clean(&table);
}

/// Both machines ask at once, and show each other what they have sent: only the one that asked last signs.
#[test]
fn two_machines_ask_at_once() {
    let table = begun("machines-at-once");
    let second =
        Seated { machine: table.dir.join("second machine"), ..Seated::at(table.dir.join("home on the second")) };
    copy_folder(&table.bob.home, &second.home);
    for player in [&second, &table.bob] {
        table.ann.reads(&table.posts(player, &["game", "resync"]));
        let answer = table.posts(&table.ann, &["reply"]);
        player.reads(&answer);
    }
    second.reads(&table.mails.borrow().concat());
    must_ask(&table, &second);
    table.ann.reads(&table.posts(&table.bob, &words(&note(&table, "first"))));
    is_clean(&table);
}

#[test]
fn sudden_deaths_lock_nobody_out_and_use_no_number_twice() {
    let table = begun("machines-deaths");
    let (bob, before) = (&table.bob, aside(&table, &table.bob, "before"));
    let sent = bob.signs(&words(&note(&table, "first")));
    let signed = |player: &Seated| {
        player.replay(|ledger, me| ledger.last_letter(me).map(|node| Signed::of(&node.message)).expect("a letter"))
    };
    let new = signed(bob);
    let after = aside(&table, bob, "after");
    let dies = |folder: &Path| {
        put_back(folder, &bob.home);
        let end = signed(&Seated::at(before.clone()));
        bob.replay(|ledger, me| bob.journal(ledger, me).will_sign(Some(end), vec![new], Vec::new())).expect("a file");
    };
    // Before the letter was kept: it exists nowhere, and its number is free.
    dies(&before);
    assert_eq!(bob.status()["blocked"], Value::Null);
    assert_ne!(bob.signs(&words(&note(&table, "first"))), sent);
    // After it: it is mailed, and from then on a folder without it is an old one.
    dies(&after);
    assert_eq!(bob.status()["blocked"], Value::Null);
    assert_eq!(bob.does(&["resend"]), sent);
    put_back(&before, &bob.home);
    must_ask(&table, bob);
    dies(&after);
    let next = bob.signs(&words(&note(&table, "second")));
    assert!(next.contains(&sent[sent.find("-----BEGIN").expect("a letter")..]), "both are mailed");
    put_back(&before, &bob.home);
    must_ask(&table, bob);
}

#[test]
fn what_a_machine_remembers_is_private_and_can_be_damaged() {
    let table = begun("machines-file");
    let folder = table.bob.machine.join("signed");
    let game = table.bob.status()["game"].as_str().expect("a game").to_owned();
    let file = &folder.join(format!("{game}-bob.txt"));
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 2, "one for the terms, one for their game");
    let text = fs::read_to_string(file).expect("a file");
    let record: Value = serde_json::from_str(&text).expect("JSON");
    let fields: Vec<&String> = record.as_object().expect("an object").keys().collect();
    assert_eq!(fields, ["asked", "last", "next", "settled", "without"], "ids and numbers: {text}");
    #[cfg(unix)]
    for (path, mode) in [(file.as_path(), 0o600), (&folder, 0o700)] {
        let about = fs::metadata(path).expect("it is there");
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o777, mode);
    }
    fs::write(file, &text[..text.len() / 2]).expect("a file");
    let damaged = table.bob.run(&["seal", "foul-up", "--yes"], "");
    assert_eq!((damaged.status.code(), out(&damaged)), (Some(1), String::new()));
    assert!(talk(&damaged).contains("is damaged") && talk(&damaged).contains("Remove it"), "{}", talk(&damaged));
    fs::remove_file(file).expect("a file");
    asks_and_goes_on(&table, &table.bob, &note(&table, "first"));
}

/// Without SEALED_DICE_STATE the system's own place is taken, never the player's folder.
#[cfg(target_os = "linux")]
#[test]
fn the_usual_place_is_the_systems() {
    let table = Match::seated("machines-usual");
    let terms = table.terms(|terms| terms);
    let mut command = super::program(&table.ann.home, Path::new(""));
    let state = table.dir.join("state");
    let done = command.env_remove("SEALED_DICE_STATE").env("XDG_STATE_HOME", &state).args(["game", "new", &terms]);
    assert_eq!(done.arg("--yes").output().expect("it runs").status.code(), Some(0));
    assert_eq!(fs::read_dir(state.join("sealed-dice/signed")).expect("a folder").count(), 1);
}
