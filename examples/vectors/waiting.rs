//! Courses in which somebody should have waited for an answer, a redo or a note; and two courses side by side
//! (`protocol/courses.md` 3, 11, 13, declare 16, decide 4).

use sealed_dice::{
    blob::{
        Body,
        body::{Charter, Correct, Forfeit, FoulUpClass, Hex32, Proposal, SetKind, Voiding},
        disputes::{Claim, Names, Ruled, Scope, ScopeImpulse, Yield},
    },
    resolve::Object,
};
use serde_json::{Value, json};

use crate::{
    campaigns::deal,
    disputes::ruling,
    drill::with_drill,
    games::Scenario,
    kit::{Ann, Bob, Carol, Table, Who, cells, example_attacks, object, role, text},
    turns::{self, at, decide, open_note, with_initiative},
};

pub(crate) fn all(s: &mut Scenario<'_>) {
    decisions(s);
    forfeited(s);
    crossing(s);
    asked(s);
    unreadable(s);
    side_by_side(s);
}

fn void(declaration: Hex32) -> Body {
    Body::Correct(Correct::Void(Voiding {
        reason: "The map was wrong.".into(),
        scope: Scope::Declaration(declaration),
    }))
}

fn accept(proposal: Hex32) -> Body {
    Body::Correct(Correct::Accept(proposal))
}

fn markers(names: &[&str]) -> Value {
    json!({ "markers": names, "order": null, "pop": null })
}

/// Returns the last declaration.
fn declared(table: &Table) -> Hex32 {
    let declares = |body: &Body| matches!(body, Body::Declare(_));
    let last = table.letters.iter().rev().find(|letter| declares(letter.message.body()));
    last.expect("a declaration").message.id()
}

/// Ann rolls higher, keeps the initiative, and is asked for the order.
fn keeps(table: &mut Table, turn: u64) -> Hex32 {
    deal(table, Ann, &at(turn), markers(&["m1"]), None, &[6, 6, 6, 6], |dice| dice[0] + dice[1] > dice[2] + dice[3]);
    declared(table)
}

fn decisions(s: &mut Scenario<'_>) {
    let begun = |label: &str| {
        let mut table = Table::begin_with(label, |charter| with_initiative(charter, Some("ann")));
        table.seal(Bob, SetKind::FoulUp, "foul-up/1");
        let rolled = keeps(&mut table, 2);
        (table, rolled)
    };
    let (mut table, rolled) = begun("a decision beside a proposal");
    table.send(Ann, void(rolled));
    decide(&mut table, Ann, &at(2), "order", json!("first"));
    s.blames(
        "decision-beside-a-proposal",
        "decide 4",
        "Bob would let the turn stand, or not, as he likes what she decides",
        &table,
        "rule",
        "ann",
    );
    let (mut table, rolled) = begun("a decision beside another's proposal");
    table.send(Bob, void(rolled));
    decide(&mut table, Ann, &at(2), "order", json!("first"));
    s.good("decision-refuses-a-proposal", "decide 4, correct 3", "whatever she says answers Bob", &table);
    let (mut table, rolled) = begun("a decision before a redo");
    let proposal = table.propose(Bob, rolled, Some(object(markers(&["m1", "m2"]))));
    table.send(Ann, accept(proposal));
    decide(&mut table, Ann, &at(2), "order", json!("first"));
    s.blames("decision-before-a-redo", "decide 4", "the turn is to be done again first", &table, "rule", "ann");
}

/// Seals Bob's standing note for turn 2.
fn noted(table: &mut Table) -> Hex32 {
    turns::noted(table, Bob, &at(2), r#"{"order":"second"}"#)
}

/// Seals Bob's standing note for turn 2, and lets Ann declare the turn.
fn with_note(label: &str) -> (Table, Hex32, Hex32) {
    let mut table = Table::begin_with(label, |charter| with_initiative(charter, Some("ann")));
    let note = noted(&mut table);
    let seal = table.seal(Bob, SetKind::Plain, &at(2));
    let rolled = table.declare(Ann, &at(2), object(markers(&[])), seal);
    (table, note, rolled)
}

fn names(declaration: Hex32, forfeit: Hex32) -> Body {
    Body::Claim(Claim::Names(Names { declaration, dice: vec![1, 1, 6, 6], forfeit }))
}

/// A player who gives the dice away still has to open their note.
fn forfeited(s: &mut Scenario<'_>) {
    let given_away = |label: &str| {
        let (mut table, note, rolled) = with_note(label);
        let given = Yield { declaration: Some(rolled), forfeit: Forfeit::DeclarerNames, text: "Lost my keys.".into() };
        let forfeit = table.send(Bob, Body::Claim(Claim::Yield(given)));
        (table, note, rolled, forfeit)
    };
    let (mut table, note, rolled, forfeit) = given_away("names before a note");
    table.send(Ann, names(rolled, forfeit));
    s.good("named-before-the-note", "13, claim 4", "Ann names dice by which Bob controls: now his note is due", &table);
    open_note(&mut table, Bob, note, rolled);
    deal(&mut table, Ann, &at(3), markers(&[]), None, &[6, 6, 6, 6], |_| true);
    s.good("named-then-the-note", "14, claim 4", "he goes second, as it says, and she holds the initiative", &table);
    let (mut table, note, rolled, _) = given_away("a note before the names");
    open_note(&mut table, Bob, note, rolled);
    s.blames("note-before-the-names", "13, reveal 6", "no dice are known yet", &table, "rule", "bob");
}

/// A player who is asked to agree to a redo must not have seen later dice.
fn crossing(s: &mut Scenario<'_>) {
    let begun = |label: &str| {
        let mut table = Table::begin(label);
        table.seal(Bob, SetKind::FoulUp, "foul-up/1");
        let seal = table.seal(Bob, SetKind::Coin, "1/1/ann-first/1");
        let rolled = table.declare(Ann, "1/1/ann-first/1", example_attacks(), seal);
        table.reveal(Bob, rolled);
        (table, rolled)
    };
    let (mut table, rolled) = begun("a redo that crosses an impulse");
    let sheet = table.seal(Bob, SetKind::Sheet, "sheet/1");
    let second = table.declaration(Ann, "1/2/ann-second/1", cells(&["A1"]), sheet, None);
    let second = table.post(Ann, Body::Declare(Box::new(second)));
    let asked = redo(rolled, &table.corrected_attacks());
    let asked = table.post(Bob, asked);
    table.arrive(Ann);
    table.arrive(Bob);
    table.reveal(Bob, second);
    table.send(Ann, accept(asked));
    s.blames(
        "redo-accepted-too-late",
        "letters.md correct 4",
        "she has read the dice of the second impulse, and likes the first again or not",
        &table,
        "rule",
        "ann",
    );
}

/// A player who has asked for a redo may not roll before they are answered.
fn asked(s: &mut Scenario<'_>) {
    let begun = |label: &str| {
        let mut table = Table::refereed(label, |_| {});
        table.seal(Bob, SetKind::FoulUp, "foul-up/1");
        let seal = table.seal(Bob, SetKind::Coin, "1/1/ann-first/1");
        let rolled = table.declare(Ann, "1/1/ann-first/1", example_attacks(), seal);
        table.reveal(Bob, rolled);
        let seal = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
        let input = table.corrected_attacks();
        (table, rolled, seal, input)
    };
    let (mut table, rolled, seal, input) = begun("an impulse beside a proposal");
    table.propose(Bob, rolled, Some(input));
    table.declare(Bob, "1/1/bob-first/1", example_attacks(), seal);
    s.blames(
        "rolled-beside-a-proposal",
        "letters.md declare 2",
        "Ann has sealed these dice, and knows them before she agrees or not",
        &table,
        "rule",
        "bob",
    );
    // Bob plays on while Ann asks. The referee has seen both letters.
    let (mut table, rolled, seal, input) = begun("a ruling on a redo that crosses an impulse");
    let next = table.declaration(Bob, "1/1/bob-first/1", example_attacks(), seal, None);
    table.post(Bob, Body::Declare(Box::new(next)));
    let asked = table.post(Ann, redo(rolled, &input));
    [Ann, Bob, Carol].into_iter().for_each(|who| table.arrive(who));
    table.send(Carol, ruling(Ruled::Agree(asked)));
    s.blames(
        "redo-ruled-too-late",
        "disputes.md ruling 7",
        "Bob has declared, knowing the dice",
        &table,
        "rule",
        "carol",
    );
}

fn redo(declaration: Hex32, input: &Object) -> Body {
    Body::Correct(Correct::Propose(Box::new(Proposal {
        at_fault: role("ann"),
        class: FoulUpClass::IllegalOdds,
        declaration,
        input: Some(text(input)),
        reason: "F12 was 2-1".into(),
    })))
}

/// A note with a good key and a text that nobody can read.
fn unreadable(s: &mut Scenario<'_>) {
    let mut table = Table::begin_with("a note that nobody can read", |charter| with_initiative(charter, Some("ann")));
    let salt = table.fresh();
    let says = Some(r#"{"order":"second"}"#);
    let note = table.signer(Bob).seal(table.terms(), SetKind::Note, &format!("{}/standing", at(2)), 1, salt, says);
    let mut note = note.expect("a seal");
    if let Some(ciphertext) = note.notes.as_mut().and_then(|notes| notes.first_mut()) {
        ciphertext.0[0] ^= 1;
    }
    let note = table.send(Bob, Body::Seal(note));
    let less = |dice: &[u64]| dice[0] + dice[1] < dice[2] + dice[3];
    deal(&mut table, Ann, &at(2), markers(&[]), None, &[6, 6, 6, 6], less);
    let rolled = declared(&table);
    open_note(&mut table, Bob, note, rolled);
    decide(&mut table, Bob, &at(2), "order", json!("first"));
    s.blames(
        "note-that-does-not-open",
        "14, reveal 5",
        "its key is open, and it says nothing: Bob is asked",
        &table,
        "rule",
        "bob",
    );
}

const NORTH: &str = "1/1/north-events/1";
const SOUTH: &str = "1/2/south-events/1";
const THEN: &str = "2/1/north-events/1";

fn with_both(charter: &mut Charter) {
    with_drill(charter);
    with_initiative(charter, Some("ann"));
}

/// Rolls for events without any result.
fn quiet(table: &mut Table, who: Who, slot: &str) -> Hex32 {
    let input = json!({ "facts": {}, "roster": { "gun": [] } });
    deal(table, who, slot, input, None, &[6], |dice| dice[0] < 4);
    declared(table)
}

fn side_by_side(s: &mut Scenario<'_>) {
    // The events of turn 1, and then the initiative of turn 2.
    let begun = |label: &str| {
        let mut table = Table::begin_with(label, with_both);
        quiet(&mut table, Ann, NORTH);
        quiet(&mut table, Bob, SOUTH);
        let rolled = keeps(&mut table, 2);
        decide(&mut table, Ann, &at(2), "order", json!("first"));
        (table, rolled)
    };
    let (mut table, rolled) = begun("events beside a proposal");
    let seal = table.seal(Bob, SetKind::Plain, THEN);
    table.send(Ann, void(rolled));
    let input = object(json!({ "facts": {}, "roster": { "gun": [] } }));
    table.declare(Ann, THEN, input, seal);
    s.blames(
        "turn-beside-a-proposal-elsewhere",
        "declare 16",
        "Bob would know what the events come to when he says whether the initiative stands",
        &table,
        "rule",
        "ann",
    );
    let (mut table, rolled) = begun("an initiative before events");
    quiet(&mut table, Ann, THEN);
    table.send(Bob, void(rolled));
    s.blames(
        "void-before-another-course",
        "11, correct 5",
        "the events of turn 2 are rolled, and would be known when the initiative is rolled again",
        &table,
        "rule",
        "bob",
    );
    let (mut table, rolled) = begun("events and the initiative before them");
    let events = quiet(&mut table, Ann, THEN);
    for declaration in [events, rolled] {
        let proposal = table.send(Bob, void(declaration));
        table.send(Ann, accept(proposal));
    }
    deal(&mut table, Ann, "2/1/initiative/2", markers(&[]), None, &[6, 6, 6, 6], |_| true);
    s.good("void-of-both-courses", "11", "what was rolled later is voided first", &table);
    let (mut table, rolled) = begun("an impulse of both courses");
    let events = quiet(&mut table, Ann, THEN);
    let mut declarations = vec![events, rolled];
    declarations.sort_unstable();
    let scope = Scope::Impulse(ScopeImpulse { declarations, impulse: 1, turn: 2 });
    let asked = Body::Correct(Correct::Void(Voiding { reason: "The map was wrong.".into(), scope }));
    let proposal = table.send(Bob, asked);
    table.send(Ann, accept(proposal));
    s.good("void-of-an-impulse-of-both", "11", "or with it", &table);
    // The events of turn 1 are rolled, but the initiative of turn 2 is not, so the events can be voided.
    let mut table = Table::begin_with("events before an initiative", with_both);
    quiet(&mut table, Ann, NORTH);
    let south = quiet(&mut table, Bob, SOUTH);
    let proposal = table.send(Ann, void(south));
    table.send(Bob, accept(proposal));
    s.good("void-of-the-last-events", "11", "nothing of another course lies behind them", &table);
}
