//! Both players declare under the same slots: each verb takes the declaration that it can be about, or an id.

use serde_json::json;

use super::{Match, as_toml, begun, roster};

/// The slot of both setups.
pub(super) const SETUP: &str = "1/1/ndc/1";

/// Both have set up, ann's envelope is opened, and bob's is not.
pub(super) fn set_up(name: &str) -> Match {
    let table = begun(name, "standing");
    let sheet = |first: bool| table.file("setup.toml", &as_toml(&json!({ "units": roster(first) })));
    table.mail(&table.ann, &["declare", SETUP, &sheet(true)]);
    table.mail(&table.bob, &["reply"]);
    table.mail(&table.bob, &["declare", SETUP, &sheet(false)]);
    table
}

/// The beginning of the id of a player's declaration, from an error that lists both.
fn id_in(listed: &str, of: &str) -> String {
    let line = listed.lines().find(|line| line.contains(&format!("  {of} "))).unwrap_or_else(|| panic!("{of}: {listed}"));
    line.split_whitespace().next().expect("an id").to_owned()
}

#[test]
fn a_stall_and_a_yield_are_about_the_declaration_that_waits() {
    let table = set_up("play-ndc-slots-stall");
    table.mail(&table.bob, &["dispute", "stall", SETUP]);
    assert!(table.ann.status()["notes"].to_string().contains(&format!("the reveal of {SETUP} of bob")));
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
    let refuse = bob.status()["commands"].to_string();
    assert!(refuse.contains("correct refuse"), "{refuse}");
    let id = super::super::roads::offered(bob, "correct refuse");
    table.mail(bob, &["correct", "refuse", &id]);

    // An earlier one cannot be void alone.
    let early = ann.is_refused(&["correct", "void", &id_in(&listed, "ann"), "--reason", "a mistake", "--yes"]);
    assert!(early.contains("something later was rolled"), "{early}");
    table.mail(ann, &["correct", "void", SETUP, "--reason", "a unit was left out"]);
    let told = bob.does(&["game", "status"]);
    let id = super::super::roads::offered(bob, "correct accept");
    table.mail(bob, &["correct", "accept", &id]);
    assert!(told.contains("correct accept"), "{told}");
    assert_eq!(super::state(bob).expect("a state")["awaits"]["by"], "bob", "bob sets up again");
}

#[test]
fn a_reveal_opens_the_others_and_shows_no_dice_of_ones_own_beside_it() {
    let table = set_up("play-ndc-slots-reveal");
    let ann = &table.ann;
    let opened = |who: &str| {
        ann.replay(|ledger, _| {
            let mut declared = ledger.declarations();
            let declared = declared.find(|own| ledger.terms.role(own.node.player).as_str() == who).expect("a declaration");
            let contribution = declared.sealed_contribution().and_then(|contribution| ledger.set(&contribution.seal));
            let shown = contribution.is_some_and(|set| set.key(sealed_dice::resolve::Place { index: 0, line: 0 }).is_some());
            (declared.is_answered(), shown)
        })
    };
    assert_eq!((opened("ann"), opened("bob")), ((true, false), (false, false)));
    let looked = ann.does(&["reveal", SETUP, "--look"]);
    assert!(looked.contains(&format!("the private rolls of {SETUP} of ann are shown")), "{looked}");
    let listed = ann.is_refused(&["reveal", SETUP, "--yes"]);
    table.mail(ann, &["reveal", &id_in(&listed, "bob")]);
    assert_eq!((opened("ann"), opened("bob")), ((true, false), (true, false)));
    // Nobody has any other of that name.
    let unknown = ann.is_refused(&["reveal", "fffffffff", "--yes"]);
    assert!(unknown.contains("neither a slot") && unknown.contains("game status"), "{unknown}");
}
