//! Both players declare under the same slots: each verb takes the declaration that it can be about, or an id.

use serde_json::json;

use super::{Match, as_toml, begun, roster};

/// The slot of both setups.
pub(super) const SETUP: &str = "1/1/ndc/1";

/// Both have set up, ann's envelope is opened, and bob's is not.
pub(super) fn set_up(name: &str) -> Match {
    let table = begun(name, "standing");
    let sheet = |first: bool| {
        let command = if first { ["a6", "a7"] } else { ["b6", "b7"] };
        table.file("setup.toml", &as_toml(&json!({ "command": command, "units": roster(first) })))
    };
    table.mail(&table.ann, &["declare", SETUP, &sheet(true)]);
    table.mail(&table.bob, &["reply"]);
    table.mail(&table.bob, &["declare", SETUP, &sheet(false)]);
    // What statuses offer from here on is tried out with a sheet that says nothing.
    table.file("SHEET.toml", "");
    table
}

/// The beginning of the id of a player's declaration, from an error that lists both.
fn id_in(listed: &str, of: &str) -> String {
    let (before, _) = listed.split_once(&format!("  {of} ")).unwrap_or_else(|| panic!("{of}: {listed}"));
    before.split_whitespace().last().expect("an id").to_owned()
}

#[test]
fn a_stall_and_a_yield_are_about_the_declaration_that_waits() {
    let table = set_up("play-ndc-slots-stall");
    table.mail(&table.bob, &["dispute", "stall", SETUP]);
    assert!(table.ann.status()["notes"].to_string().contains(&format!("the reveal of {SETUP}")));
    table.mail(&table.ann, &["dispute", "yield", SETUP]);
    table.bob.replay(|ledger, me| {
        let forfeited = ledger.declarations().filter(|declared| !declared.forfeits.is_empty());
        assert_eq!(forfeited.map(|declared| declared.node.player).collect::<Vec<_>>(), [me]);
    });
}

#[test]
fn a_void_is_about_the_last_declaration_and_a_foul_up_about_one_of_both() {
    let table = set_up("play-ndc-slots-void");
    let (ann, bob) = (&table.ann, &table.bob);
    table.mail(ann, &["reply"]);
    let foul_up = |what: &str| -> Vec<String> {
        let words = ["correct", "propose", what, "--class", "illegal-move", "--at-fault", "ann", "--keep-dice"];
        words.into_iter().chain(["--reason", "two units on one hex"]).map(str::to_owned).collect()
    };
    let words = foul_up(SETUP);
    let listed = ann.is_refused(&words.iter().map(String::as_str).chain(["--yes"]).collect::<Vec<_>>());
    assert!(listed.contains("both players") && listed.contains("with the id"), "{listed}");
    let words = foul_up(&id_in(&listed, "ann"));
    table.mail(ann, &words.iter().map(String::as_str).collect::<Vec<_>>());
    table.mail(bob, &["correct", "refuse", &super::super::roads::offered(bob, "correct refuse")]);

    // An earlier one cannot be void alone.
    let early = ann.is_refused(&["correct", "void", &id_in(&listed, "ann"), "--reason", "a mistake", "--yes"]);
    assert!(early.contains("a later declaration in a course must be voided first"), "{early}");
    table.mail(ann, &["correct", "void", SETUP, "--reason", "a unit was left out"]);
    table.file("SHEET.toml", &as_toml(&json!({ "units": roster(false) })));
    table.mail(bob, &["correct", "accept", &super::super::roads::offered(bob, "correct accept")]);
    assert_eq!(super::state(bob).expect("a state")["awaits"]["by"], "bob", "bob sets up again");
}

#[test]
fn a_reveal_opens_the_declaration_that_waits_for_it() {
    let table = set_up("play-ndc-slots-reveal");
    let ann = &table.ann;
    let looked = ann.is_refused(&["reveal", SETUP, "--look"]);
    assert!(looked.contains("declare --form"), "{looked}");
    let unknown = ann.is_refused(&["reveal", "fffffffff", "--yes"]);
    assert!(unknown.contains("must be a slot") && unknown.contains("game status"), "{unknown}");
    table.mail(ann, &["reveal", SETUP]);
    ann.replay(|ledger, _| assert!(ledger.declarations().all(|declared| declared.is_answered())));
    let again = ann.run(&["reveal", SETUP, "--yes"], "");
    assert!(super::super::talk(&again).contains("is already opened"), "{}", super::super::talk(&again));
}
