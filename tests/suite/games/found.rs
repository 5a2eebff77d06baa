//! What random games have found, one test each.

use sealed_dice::blob::{
    Body, Head, Hex32, Kind,
    body::{Correct, SetKind},
    disputes::{Rule, Ruling, Scope},
    new_keys::{KeyChange, NewKey, Rotate},
};
use serde_json::{Value, json};

use crate::kit::{Ann, Bob, Carol, Table, bytes, example_attacks, key, role};

/// Letters as an auditor gets them, in the words of both checkers.
fn agreed_findings(table: &Table, folder: &str) -> Vec<Value> {
    let path = crate::folder(folder).join("letters.txt");
    std::fs::write(&path, table.transcript()).expect("a file");
    let [ours, theirs] = crate::play::audits(&path);
    assert_eq!(ours, theirs);
    ours[0]["findings"].as_array().expect("a list").clone()
}

/// A referee signs one thing for each player. Whoever followed a ruling that falls for what the other has read is not to
/// blame for a note that he sealed anew, after it was killed.
#[test]
fn a_note_sealed_after_a_ruling_that_falls_blames_nobody() {
    let mut table = Table::refereed("a killed note", |_| {});
    let purpose = "1/1/bob-first/1/march";
    let seal = table.seal(Bob, SetKind::Note, purpose);
    let head = table.seat(Carol).next_head(Kind::Ruling);
    let ruling = |rule| Body::Ruling(Ruling { rule, text: String::new() });
    table.post(Carol, ruling(Rule::Kill(seal)));
    table.arrive(Bob);
    let anew = table.seal_body(Bob, SetKind::Note, purpose);
    table.post(Bob, Body::Seal(anew));
    table.forge(head, ruling(Rule::Settle(seal)), &key("key of carol"));
    table.arrive(Ann);
    let next = table.seal_body(Ann, SetKind::Coin, "1/1/bob-first/1");
    table.post(Ann, Body::Seal(next));
    let findings = agreed_findings(&table, "a-kill-that-falls");
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert_eq!((&findings[0]["culprit"], &findings[1]["culprit"]), (&json!("carol"), &json!(null)), "{findings:?}");
}

/// The same of a redo that was not due any more, for the referee had voided the roll.
#[test]
fn a_slot_declared_after_a_void_that_falls_blames_nobody() {
    let mut table = Table::refereed("a void that falls", |_| {});
    // The lower number of two that name a branch counts, and Bob's is to be that.
    for turn in 1..=5 {
        table.seal(Ann, SetKind::Coin, &format!("{turn}/1/bob-first/1"));
    }
    let first = table.seal(Bob, SetKind::Coin, "1/1/ann-first/1");
    let second = table.seal(Bob, SetKind::Coin, "2/1/ann-first/1");
    let declared = table.declare(Ann, "1/1/ann-first/1", example_attacks(), first);
    table.reveal(Bob, declared);
    let corrected = table.corrected_attacks();
    let proposal = table.propose(Bob, declared, Some(corrected));
    table.send(Ann, Body::Correct(Correct::Accept(proposal)));
    let head = table.seat(Carol).next_head(Kind::Ruling);
    let ruling = |rule| Body::Ruling(Ruling { rule, text: String::new() });
    table.post(Carol, ruling(Rule::Void(Scope::Declaration(declared))));
    table.arrive(Ann);
    let next = table.declaration(Ann, "2/1/ann-first/1", example_attacks(), second, None);
    table.post(Ann, Body::Declare(Box::new(next)));
    table.forge(head, ruling(Rule::Settle(declared)), &key("key of carol"));
    table.arrive(Bob);
    let next = table.seal_body(Bob, SetKind::Coin, "3/1/ann-first/1");
    table.post(Bob, Body::Seal(next));
    let findings = agreed_findings(&table, "a-void-that-falls");
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert_eq!((&findings[0]["culprit"], &findings[1]["culprit"]), (&json!("carol"), &json!(null)), "{findings:?}");
}

/// An id that nobody's letter has, named as a letter of Bob's and as one of Carol's, is the first namer's word for both checkers,
/// whatever other letters there are.
#[test]
fn a_letter_that_is_not_there_has_one_author() {
    let mut table = Table::refereed("whose letter is it", |_| {});
    let (new, head) = (key("bob's next key"), table.seat(Bob).next_head(Kind::Key));
    let (game, public) = (head.game.expect("a game"), Hex32(*new.public().as_bytes()));
    let proof = NewKey { game, role: &role("bob"), after: head.prev.expect("a letter"), key: public }.prove(&new);
    table.send(Bob, Body::Key(KeyChange::Rotate(Rotate { key: public, proof, stolen: false })));
    for i in 0..8 {
        for other in ["bob", "carol"] {
            let mut seen = table.seat(Ann).next_head(Kind::Seal).seen;
            seen.insert(role(other), Some(bytes(&format!("invented {i}"))));
            let seal = table.seal_body(Ann, SetKind::Coin, &format!("{}/1/bob-first/1", i + 1));
            let head = table.seat(Ann).next_head(Kind::Seal);
            let number = head.number + 2 * i + u64::from(other == "carol");
            table.forge(Head { number, seen, ..head }, Body::Seal(seal), &key("key of ann"));
        }
    }
    agreed_findings(&table, "invented-letters");
}
