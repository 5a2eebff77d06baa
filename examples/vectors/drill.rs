//! Event tables played by letter, with a file made for this: a pool at the end of an event, late runs, lines that are
//! written once, and a note for more dice (`protocol/event-tables.md` 17, 18, 34 to 36).

use sealed_dice::{
    blob::{
        Body,
        body::{Charter, Correct, Redo, SetKind, Voiding},
        disputes::Scope,
    },
    game::rules::course,
};
use serde_json::{Value, json};

use crate::{
    campaigns::{deal, state},
    games::Scenario,
    kit::{Ann, Bob, Table, object},
    turns::{decide, noted, open_note, phase_of},
};

/// Guns on the hill swear oaths. All guns are mustered, and one of two named guns is hit. Then there may be a duel.
fn file() -> Value {
    json!({
        "dice": { "shot": { "dice": "d6", "rows": { "1-3": "misses", "4-6": "hits" } } },
        "each_turn": { "north": ["oaths", "muster"] },
        "events": {
            "duel": { "steps": [
                { "ask": "target", "by": "enemy", "do": "choose", "kind": "gun" },
                { "die": "shot", "do": "roll" },
                { "add": 1, "do": "mark", "if": "shot = hits", "mark": "hit", "on": "gun" },
            ] },
            "muster": { "steps": [
                { "ask": "muster", "do": "pool", "enemy": 1, "kind": "gun", "owner": 1 },
                { "add": 1, "do": "mark", "mark": "hit", "on": "gun" },
            ] },
            "oaths": { "each": "gun", "steps": [
                { "ask": "oath", "at_most": 2, "by": "owner", "do": "write", "once": "gun", "parts": "word witness" },
            ], "where": "post = hill" },
        },
        "kinds": { "gun": { "attributes": { "post": { "values": "park hill" } }, "marks": ["hit"] } },
        "main": { "north": "drill", "south": "drill" },
        "sides": ["north", "south"],
        "source": "test",
        "tables": { "drill": { "dice": "d6", "rows": { "1-3": "nothing", "4-6": "duel" } } },
        "title": "The drill",
    })
}

pub(crate) fn with_drill(charter: &mut Charter) {
    let settings = json!({ "first": "north", "sides": { "north": "ann", "south": "bob" } });
    let phase = |phase: &str, impulse: u64| phase_of("event-tables", phase, impulse, settings.clone());
    charter.tables.insert("event-tables".into(), file());
    charter.phases = vec![phase("north-events", 1), phase("south-events", 2)];
}

pub(crate) const FIRST: &str = "1/1/north-events/1";
const MORE: &str = "1/1/north-events/2";
const LAST: &str = "1/1/north-events/3";
pub(crate) const THEIRS: &str = "1/2/south-events/1";
const LATER: &str = "2/1/north-events/1";

fn guns(guns: &[(&str, &str)]) -> Value {
    let guns: Value = guns.iter().map(|(name, post)| json!({ "name": name, "post": post })).collect();
    json!({ "facts": {}, "roster": { "gun": guns } })
}

/// Returns the empty input of a `more`.
pub(crate) fn nothing() -> Value {
    guns(&[])
}

fn awaits(table: &Table, wanted: Option<&str>) {
    let choice = table.with_ledger(|ledger| course::awaited_choices(ledger).into_iter().next());
    let choice = choice.map(|choice| format!("{} of {}", choice.name, choice.by));
    assert_eq!(choice.as_deref(), wanted, "{:#}", state(table));
}

/// Begins a game with two guns on the hill and one in the park.
pub(crate) fn mustered(label: &str) -> Table {
    let mut table = Table::begin_with(label, with_drill);
    let input = guns(&[("A", "hill"), ("B", "hill"), ("C", "park")]);
    let public = deal(&mut table, Ann, FIRST, input, None, &[], |_| true);
    assert_eq!(public["log"], json!([]), "no die is rolled before the pool is known");
    awaits(&table, Some("muster-enemy of bob"));
    table
}

/// The pool is A and C, and C is hit. Bob's note for the second roll makes B the target, and B is hit too.
fn shot(label: &str) -> Table {
    let mut table = mustered(label);
    decide(&mut table, Bob, FIRST, "muster-enemy", json!(["A"]));
    awaits(&table, Some("muster-owner of ann"));
    decide(&mut table, Ann, FIRST, "muster-owner", json!(["C"]));
    awaits(&table, None);
    let note = Some(r#"{"target":["D","B"]}"#);
    deal(&mut table, Ann, MORE, nothing(), note, &[2, 6], |dice| dice[0] == 2 && dice[1] > 3);
    deal(&mut table, Ann, LAST, nothing(), None, &[6], |dice| dice[0] > 3);
    let entries = json!({ "north/gun/B": { "hit": 1 }, "north/gun/C": { "hit": 1 } });
    assert_eq!(state(&table)["entries"], entries);
    awaits(&table, Some("oath of ann"));
    table
}

/// Plays on until both oaths are sworn.
pub(crate) fn sworn(label: &str) -> Table {
    let mut table = shot(label);
    decide(&mut table, Ann, LAST, "oath", json!([["liberty", "Bob"]]));
    awaits(&table, Some("oath of ann"));
    decide(&mut table, Ann, LAST, "oath", json!([["liberty", "Carol"], ["honour", "Bob"]]));
    awaits(&table, None);
    let entries = json!({
        "north/gun/A": { "oath": ["liberty"] }, "north/gun/B": { "hit": 1, "oath": ["liberty", "honour"] },
        "north/gun/C": { "hit": 1 },
    });
    assert_eq!(state(&table)["entries"], entries);
    table
}

/// Writes games with a pool for which both players have sealed a note.
fn both(s: &mut Scenario<'_>) {
    let begun = || {
        let mut table = Table::begin_with("notes of both", with_drill);
        let enemys = noted(&mut table, Bob, FIRST, r#"{"muster-enemy":["A"]}"#);
        let owners = noted(&mut table, Ann, FIRST, r#"{"muster-owner":["A","C"],"oath":[["liberty","Bob"]]}"#);
        let seal = table.seal(Bob, SetKind::Plain, FIRST);
        let input = object(guns(&[("A", "hill"), ("B", "hill"), ("C", "park")]));
        let rolled = table.declare(Ann, FIRST, input, seal);
        table.reveal(Bob, rolled);
        (table, rolled, enemys, owners)
    };
    let (mut table, rolled, _, owners) = begun();
    s.good("notes-of-both", "16, 17, courses 13", "the enemy names first, and Bob's note is due", &table);
    open_note(&mut table, Ann, owners, rolled);
    s.blames(
        "owners-note-before-the-enemys",
        "17, reveal 6",
        "Bob would see whom Ann names, and he is asked first",
        &table,
        "rule",
        "ann",
    );
    let (mut table, rolled, enemys, owners) = begun();
    open_note(&mut table, Bob, enemys, rolled);
    s.good("enemys-note-opened", "16, 17, courses 13", "now Ann's is due", &table);
    open_note(&mut table, Ann, owners, rolled);
    awaits(&table, None);
    deal(&mut table, Ann, MORE, nothing(), None, &[2, 6], |dice| dice[0] == 1 && dice[1] < 4);
    awaits(&table, Some("oath of ann"));
    s.good(
        "notes-of-both-opened",
        "16 to 18, courses 14",
        "Bob names A, and so Ann names C; an oath is sworn by no note",
        &table,
    );
}

pub(crate) fn all(s: &mut Scenario<'_>) {
    pool_at_the_end(s);
    both(s);
    note_for_more(s);
    redo_elsewhere(s);
    late_runs(s);
}

fn pool_at_the_end(s: &mut Scenario<'_>) {
    let mut table = mustered("a pool at the end");
    s.good(
        "pool-at-the-end",
        "18",
        "no die follows the pool, and yet all wait for it, two late runs before it too",
        &table,
    );
    decide(&mut table, Ann, FIRST, "oath", json!([]));
    s.blames("late-before-its-time", "18, decide 4", "the pool is awaited first", &table, "rule", "ann");
}

fn note_for_more(s: &mut Scenario<'_>) {
    let mut table = shot("a note for more");
    s.good("note-for-more", "17, 18", "a standing note of the second roll says who is the target", &table);
    decide(&mut table, Ann, LAST, "oath", json!([["liberty", "Bob"], ["liberty", "Carol"]]));
    s.blames("written-twice", "16, decide 5", "the first texts of lines differ", &table, "rule", "ann");
    let mut table = shot("an oath without a witness");
    decide(&mut table, Ann, LAST, "oath", json!([["liberty"]]));
    s.blames("part-missing", "16, decide 5", "a line has a text for each part", &table, "rule", "ann");
    let mut table = mustered("more that states something");
    decide(&mut table, Bob, FIRST, "muster-enemy", json!(["A"]));
    decide(&mut table, Ann, FIRST, "muster-owner", json!(["C"]));
    let seal = table.seal(Bob, SetKind::Plain, MORE);
    table.declare(Ann, MORE, object(guns(&[("A", "hill")])), seal);
    s.blames("more-with-a-roster", "14, 18, declare 15", "the roster is declared already", &table, "rule", "ann");

    let mut table = Table::begin_with("a turn in breach", with_drill);
    let foul_up = table.seal(Bob, SetKind::FoulUp, "foul-up/1");
    let seal = table.seal(Bob, SetKind::Plain, FIRST);
    let input = object(guns(&[("A", "park")]));
    let breach = table.declare_but(Ann, FIRST, input.clone(), seal, |declare| declare.contribution = None);
    let again = table.redo(Ann, FIRST, input, foul_up, Redo::Breach(breach));
    table.reveal(Bob, again);
    s.ends(
        "events-done-again",
        "14, declare 5, 11",
        "the same input from a foul-up set",
        &table,
        "verified",
        &[("rule", Some("ann"))],
    );
}

/// The second roll breaks a rule. After the first roll is voided, the redo of the second takes its place.
fn redo_elsewhere(s: &mut Scenario<'_>) {
    let mut table = Table::begin_with("done again elsewhere", with_drill);
    let foul_up = table.seal(Bob, SetKind::FoulUp, "foul-up/1");
    let input = || object(guns(&[("A", "hill"), ("B", "hill"), ("C", "park")]));
    let seal = table.seal(Bob, SetKind::Plain, FIRST);
    let first = table.declare(Ann, FIRST, input(), seal);
    table.reveal(Bob, first);
    decide(&mut table, Bob, FIRST, "muster-enemy", json!(["A"]));
    decide(&mut table, Ann, FIRST, "muster-owner", json!(["C"]));
    let seal = table.seal(Bob, SetKind::Plain, MORE);
    let breach = table.declare_but(Ann, MORE, object(nothing()), seal, |declare| declare.contribution = None);
    let voiding = Voiding { reason: "the wrong guns".into(), scope: Scope::Declaration(first) };
    let proposal = table.send(Bob, Body::Correct(Correct::Void(voiding)));
    table.send(Ann, Body::Correct(Correct::Accept(proposal)));
    table.redo(Ann, MORE, input(), foul_up, Redo::Breach(breach));
    s.ends(
        "done-again-elsewhere",
        "courses 7, 8",
        "the redo has another `after`, so it settles the breach before anybody opens it",
        &table,
        "verified",
        &[("rule", Some("ann"))],
    );
}

fn late_runs(s: &mut Scenario<'_>) {
    let mut table = sworn("late runs");
    s.good("late-runs", "16, 18", "two oaths, one after the other, when all dice are rolled", &table);
    deal(&mut table, Bob, THEIRS, nothing(), None, &[6], |dice| dice[0] < 4);
    deal(&mut table, Ann, LATER, guns(&[("A", "hill"), ("B", "park")]), None, &[2, 6], |dice| dice[1] < 4);
    awaits(&table, Some("oath of ann"));
    decide(&mut table, Ann, LATER, "oath", json!([["liberty", "Dora"]]));
    s.blames(
        "written-before",
        "16, decide 5",
        "A has sworn by liberty, whoever was the witness",
        &table,
        "rule",
        "ann",
    );
    let mut table = sworn("late runs, and then another oath");
    deal(&mut table, Bob, THEIRS, nothing(), None, &[6], |dice| dice[0] < 4);
    deal(&mut table, Ann, LATER, guns(&[("A", "hill"), ("B", "park")]), None, &[2, 6], |dice| dice[1] < 4);
    decide(&mut table, Ann, LATER, "oath", json!([["honour", "Bob"]]));
    assert_eq!(state(&table)["entries"]["north/gun/A"]["oath"], json!(["liberty", "honour"]));
    table.close_all();
    s.good("written-once", "16, 12", "another word, which B has sworn by; closed", &table);
}
