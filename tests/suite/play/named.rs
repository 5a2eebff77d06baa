//! Names as players write them, by letter: what one side stated, the other can type.

use serde_json::json;

use super::{Match, Seated, talk};
const AT: &str = "1/1/first-events/1";

/// A leader as some keyboards and disks write him: the accent apart from its letter.
const EWELL: &str = "E\u{301}well, R.S.";

const TABLES: &str = r#"
title = "One event"
source = "test"
sides = ["north", "south"]
main = { north = "fate", south = "fate" }
kinds = { leader = {} }
tables.fate = { dice = "d2", rows = { "1-2" = "it" } }
[[events.it.steps]]
do = "pool"
ask = "loss"
enemy = 2
owner = 1
kind = "leader"
[[events.it.steps]]
do = "write"
ask = "regiments"
by = "enemy"
parts = "regiment hex"
at_most = 2
"#;

fn sends(table: &Match, from: &Seated, args: &[&str]) {
    let mail = table.posts(from, args);
    table.other(from).reads(&mail);
}

fn shown(player: &Seated, args: &[&str]) -> String {
    let output = player.run(&[&["decide", AT][..], args].concat(), "");
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}", talk(&output));
    talk(&output)
}

/// A game in which each roll costs one of the leaders, and then moves regiments.
#[test]
fn names_with_commas_and_accents_are_typed() {
    let table = Match::seated("play-named");
    table.file("my-tables.toml", TABLES);
    let terms = table.terms_of("event-tables", |terms| terms.replace("second_day = 10\n", ""));
    table.posts(&table.ann, &["game", "new", &terms]);
    let mail = table.mails.borrow().last().expect("a mail").clone();
    table.bob.reads(&mail);
    let fingerprint = table.ann.public()["fingerprint"].as_str().expect("a fingerprint").to_owned();
    let (ann, bob) = (&table.ann, &table.bob);
    sends(&table, bob, &["game", "accept", "--fingerprint", &fingerprint]);
    sends(&table, ann, &["reply"]);
    let names = ["Hill, A.P. brigade", "Hill, D.H. brigade", "Jones, J.M. brigade", "Stuart > 1; 2", EWELL];
    let roster: String = names.iter().map(|name| format!("[[roster.leader]]\nname = {}\n", json!(name))).collect();
    // What cannot be composed is refused when it is stated.
    let bad = table.file("bad.toml", &format!("{roster}[[roster.leader]]\nname = \"x\u{304}\"\n"));
    let why = ann.is_refused(&["declare", AT, &bad, "--no-moves", "--yes"]);
    assert!(why.contains("no accent stored apart from its letter"), "{why}");
    let turn = table.file("turn.toml", &roster);
    sends(&table, ann, &["declare", AT, &turn, "--no-moves"]);
    sends(&table, bob, &["reply"]);

    let form = bob.does(&["decide", AT, "loss-enemy", "--form"]);
    assert!(form.contains("\n   1  Hill, A.P. brigade\n") && form.contains("\n   5  \u{c9}well, R.S.\n"), "{form}");
    let wanted = "Hill, A.P. brigade, \u{c9}well, R.S.";
    for typed in ["Hill, A.P. brigade, E\u{301}well, R.S.", "1, 5", "Hill, A.P. brigade\n\u{c9}well, R.S."] {
        let told = shown(bob, &["loss-enemy", typed]);
        assert!(told.contains("Hill, A.P. brigade") && told.contains("\u{c9}well, R.S."), "{typed}: {told}");
    }
    sends(&table, bob, &["decide", AT, "loss-enemy", wanted]);
    // Who is left keeps the number of the first question, and is told with it wherever it is asked for.
    let form = ann.does(&["decide", AT, "loss-owner", "--form"]);
    let told = "Already picked: Hill, A.P. brigade and \u{c9}well, R.S.; the others keep their numbers.\n   2  Hill, D.H. brigade\n";
    assert!(form.contains(told) && !form.contains("   1  "), "{form}");
    let notes = ann.status()["notes"].to_string();
    assert!(notes.contains("one of 2 Hill, D.H. brigade; 3 Jones, J.M. brigade; 4 Stuart"), "{notes}");
    let why = ann.is_refused(&["decide", AT, "loss-owner", "1", "--yes"]);
    assert!(why.contains("\"1\" is already picked") && why.contains("2 Hill, D.H. brigade"), "{why}");
    // A number may be typed as lists have it. Typed again, a decision is the same letter.
    let mail = table.posts(ann, &["decide", AT, "loss-owner", "4)"]);
    assert!(mail.contains("Stuart > 1; 2"), "{mail}");
    bob.reads(&mail);
    for typed in ["4)", "2"] {
        let again = ann.run(&["decide", AT, "loss-owner", typed, "--yes"], "");
        assert!(
            talk(&again).contains("you have already decided, and your decision cannot be changed"),
            "{}",
            talk(&again)
        );
        assert_eq!((again.status.code(), super::out(&again)), (Some(0), mail.clone()));
    }
    // One more roll picks among these.
    let at = "1/1/first-events/2";
    sends(&table, bob, &["reply"]);
    sends(&table, ann, &["declare", at, "--no-moves"]);
    sends(&table, bob, &["reply"]);
    let why = bob.is_refused(&["decide", at, "regiments", "13 Ala > A43.01, 26 NC > A42.02", "--yes"]);
    assert!(why.contains("the hex \"A43.01, 26 NC > A42.02\""), "{why}");
    sends(&table, bob, &["decide", at, "regiments", "13 Ala, E\u{301}well > A43.01; 26 NC > A42.02"]);
    let signed = bob.does(&["resend"]);
    assert!(signed.contains("13 Ala, \u{c9}well"), "{signed}");
    assert!(!ann.status()["commands"].to_string().contains("decide"), "{}", ann.status());
}
