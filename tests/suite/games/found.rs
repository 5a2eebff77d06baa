//! What random games have found, one test each.

use sealed_dice::blob::{
    Body, Head, Kind,
    body::{Correct, SetKind},
    disputes::{Ruled, Ruling, Scope},
};
use serde_json::{Value, json};

use crate::kit::{Ann, Bob, Carol, Table, Who, bytes, example_attacks, key, role};

/// Letters as an auditor gets them, in the words of both checkers.
fn agreed_findings(table: &Table, folder: &str) -> Vec<Value> {
    let path = crate::folder(folder).join("letters.txt");
    std::fs::write(&path, table.transcript()).expect("a file");
    let [ours, theirs] = crate::play::audits(&path);
    assert_eq!(ours, theirs);
    ours[0]["findings"].as_array().expect("a list").clone()
}

/// A second letter of Carol's with a head of hers, which one player reads, and nothing else that is new.
fn reads_a_rival(table: &mut Table, who: Who, head: Head, body: Body) {
    table.forge(head, body, &key("key of carol"));
    let rival = table.letters.last().expect("it").message.clone();
    table.seat_mut(who).see(&rival);
}

/// A referee signs one thing for each player, and who has read which disagrees: none of it stands. Whoever followed the
/// ruling is not to blame for a note that they sealed anew, after it was killed.
#[test]
fn a_note_sealed_after_a_ruling_that_falls_blames_nobody() {
    let mut table = Table::refereed("a killed note", |_| {});
    let purpose = "1/1/bob-first/1/march";
    let seal = table.seal(Bob, SetKind::Note, purpose);
    let head = table.signer(Carol).next_head(Kind::Ruling);
    let ruling = |rule| Body::Ruling(Ruling { rule, text: String::new() });
    table.post(Carol, ruling(Ruled::Kill(seal)));
    table.arrive(Bob);
    let anew = table.seal_body(Bob, SetKind::Note, purpose);
    table.post(Bob, Body::Seal(anew));
    reads_a_rival(&mut table, Ann, head, ruling(Ruled::Settle(seal)));
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
    let first = table.seal(Bob, SetKind::Coin, "1/1/ann-first/1");
    let second = table.seal(Bob, SetKind::Coin, "2/1/ann-first/1");
    let declared = table.declare(Ann, "1/1/ann-first/1", example_attacks(), first);
    table.reveal(Bob, declared);
    let corrected = table.corrected_attacks();
    let proposal = table.propose(Bob, declared, Some(corrected));
    table.send(Ann, Body::Correct(Correct::Accept(proposal)));
    let head = table.signer(Carol).next_head(Kind::Ruling);
    let ruling = |rule| Body::Ruling(Ruling { rule, text: String::new() });
    table.post(Carol, ruling(Ruled::Void(Scope::Declaration(declared))));
    table.arrive(Ann);
    let next = table.declaration(Ann, "2/1/ann-first/1", example_attacks(), second, None);
    table.post(Ann, Body::Declare(Box::new(next)));
    reads_a_rival(&mut table, Bob, head, ruling(Ruled::Settle(declared)));
    let next = table.seal_body(Bob, SetKind::Coin, "3/1/ann-first/1");
    table.post(Bob, Body::Seal(next));
    let findings = agreed_findings(&table, "a-void-that-falls");
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert_eq!((&findings[0]["culprit"], &findings[1]["culprit"]), (&json!("carol"), &json!(null)), "{findings:?}");
}

/// An id that nobody's letter has, named as a letter of Bob's and as one of Carol's, is the first namer's word for both
/// checkers, whatever other letters there are.
#[test]
fn a_letter_that_is_not_there_has_one_author() {
    let mut table = Table::refereed("whose letter is it", |_| {});
    for i in 0..8 {
        for other in ["bob", "carol"] {
            let mut seen = table.signer(Ann).next_head(Kind::Seal).seen;
            seen.insert(role(other), Some(bytes(&format!("invented {i}"))));
            let seal = table.seal_body(Ann, SetKind::Coin, &format!("{}/1/bob-first/1", i + 1));
            let head = table.signer(Ann).next_head(Kind::Seal);
            let number = head.number + 2 * i + u64::from(other == "carol");
            table.forge(Head { number, seen, ..head }, Body::Seal(seal), &key("key of ann"));
        }
    }
    agreed_findings(&table, "invented-letters");
}
