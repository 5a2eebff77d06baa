//! Names as players write them, and as a hostile one would: whatever may be signed can be typed, so no course stands still.

use std::collections::BTreeSet;

use proptest::prelude::*;
use sealed_dice::resolve::{Account, AllowedAnswers, Awaits, Course, Draws, Given, Object, Outcome, Place, System};
use serde_json::{Value, json};

use crate::{
    events::{Round, acts, file, gettysburg},
    kit::{object, text},
    ndc::Chance,
};

/// What names are made of: what separates names and texts when they are typed, what means something to a shell, to TOML or
/// to this program, look-alikes, and one letter in two spellings.
const PIECES: [&str; 34] = [
    ",",
    ", ",
    ";",
    "; ",
    ">",
    " > ",
    " ",
    "\"",
    "'",
    "`",
    "#",
    "[",
    "]",
    "{",
    "}",
    "=",
    "\\",
    "/",
    "-",
    "--yes",
    "none",
    "more",
    "1",
    "2",
    "3",
    "Hill",
    "H\u{456}ll",
    "A.P.",
    "\u{c9}well",
    "E\u{301}well",
    "\u{5b57}",
    "\u{1f3b2}",
    "\u{212b}",
    "x\u{304}",
];

/// A name of such pieces, or the longest one; often too long, with blanks at its ends or loose marks: then it is refused.
pub(crate) fn name(chance: &mut Chance) -> String {
    match chance.below(12) {
        0 => "\u{d6}".repeat(32),
        1 => ",".repeat(1 + chance.below(4) as usize),
        _ => (0..1 + chance.below(5)).map(|_| chance.pick(&PIECES)).collect(),
    }
}

fn course(system: &System) -> &dyn Course {
    system.resolver().course().expect("a course")
}

fn roll(system: &System, state: &Object, input: &Value, dice: &[u64]) -> sealed_dice::error::Result<Outcome> {
    let rolls = system.resolver().read(&text(&object(input.clone())), false)?;
    rolls.fits(state)?;
    let mut source = Round(dice, 0);
    rolls.resolve(
        Given::state(state),
        &[Place { index: 0, line: 1 }],
        &mut Draws::new(&mut source),
        &mut Account::none(),
    )
}

fn takes(system: &System, state: &Object, ask: &str, value: &Value) -> Option<Object> {
    course(system).decide(state, ask, value, &mut Account::none()).ok().map(|outcome| outcome.state)
}

fn read(system: &System, state: &Object, ask: &str, typed: &str) -> Option<Value> {
    course(system).read_choice(state, ask, typed).ok()
}

fn set(value: &Value) -> BTreeSet<String> {
    value.as_array().into_iter().flatten().map(Value::to_string).collect()
}

/// Every legal value of a decision, found by trying: each name, one, two or three of them, words, and texts; with what is
/// typed for it.
fn legal(system: &System, state: &Object, ask: &str, texts: &[String]) -> Vec<(Value, String)> {
    let roster = state["pending"]["input"]["roster"].as_object().expect("a roster");
    let entries = roster.values().flat_map(|entries| entries.as_array().expect("a list"));
    let names: Vec<&str> = entries.map(|entry| entry["name"].as_str().expect("a name")).collect();
    let is_legal = |value: &Value| takes(system, state, ask, value).is_some();
    let mut found = Vec::new();
    let alone = names.iter().chain(&["accept", "decline", "yes", "no"]);
    found.extend(alone.map(|name| (json!(name), (*name).to_owned())));
    for (i, a) in names.iter().enumerate() {
        found.push((json!([a]), (*a).to_owned()));
        for b in names.iter().skip(i + 1) {
            found.push((json!([a, b]), format!("{a}\n{b}")));
        }
    }
    found.push((json!([]), "none".into()));
    for (i, a) in texts.iter().enumerate() {
        found.push((json!([[a]]), a.clone()));
        for b in texts.iter().skip(i + 1) {
            found.push((json!([[a, b]]), format!("{a} > {b}")));
            found.push((json!([[a], [b]]), format!("{a}; {b}")));
            found.push((json!([[a, b], [b, a]]), format!("{a} > {b}; {b} > {a}")));
        }
    }
    found.retain(|(value, _)| is_legal(value));
    // Entries of two kinds may have one name.
    let mut seen = BTreeSet::new();
    found.retain(|(value, _)| seen.insert(value.to_string()));
    found
}

/// The answers to a decision that are listed, and how the desk sends the first of them.
fn listed(system: &System, state: &Object) -> Option<(String, String)> {
    let Awaits::Decision { answers, .. } = course(system).awaits(state).expect("a state") else { return None };
    let first = match &answers {
        AllowedAnswers::Word(words) => words.first()?.0.clone(),
        AllowedAnswers::Names(names) => names.left().get(..names.count)?.join("\n"),
        AllowedAnswers::Lines(_) | AllowedAnswers::Form(_) => return None,
    };
    Some((answers.listed(), first))
}

/// What holds at a decision: something can be typed for it, and all that is legal can.
fn check(system: &System, state: &Object, ask: &str, texts: &[String], chance: &mut Chance) -> Object {
    let legal = legal(system, state, ask, texts);
    assert!(!legal.is_empty(), "{ask}: nothing is legal in {}", json!(state));
    for (value, typed) in &legal {
        assert_eq!(read(system, state, ask, typed).as_ref(), Some(value), "{ask}: {typed:?}");
        if let Some(names) = value.as_array().filter(|names| names.iter().all(Value::is_string) && names.len() > 1) {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            // On one line it is the same, or it can be read in two ways and is refused.
            let line = read(system, state, ask, &names.join(", "));
            assert!(line.is_none_or(|line| set(&line) == set(value)), "{ask}: {names:?}");
        }
    }
    if let Some((list, first)) = listed(system, state) {
        let sent = read(system, state, ask, &first);
        assert!(
            legal.iter().any(|(value, _)| sent.as_ref().is_some_and(|sent| set(sent) == set(value))),
            "{ask}: {first:?}"
        );
        let offered: Vec<&str> = list.lines().skip(1).collect();
        let one = legal.iter().filter(|(value, _)| value.is_string()).count();
        assert!(one == 0 || one == offered.len(), "{list}: {legal:?}");
        if one > 0 && list.contains("number") {
            for (i, line) in offered.iter().enumerate() {
                let value = read(system, state, ask, &(i + 1).to_string()).expect("a number");
                assert!(line.ends_with(&format!("  {}", value.as_str().expect("a name"))), "{list}");
            }
        }
    }
    let (value, _) = &legal[chance.below(legal.len() as u64) as usize];
    takes(system, state, ask, value).expect("it is legal")
}

/// A roster with other names, in the same order: those that may not be signed are refused, and left out.
fn renamed(system: &System, state: &Object, input: &Value, dice: &[u64], chance: &mut Chance) -> Value {
    let mut good = input.clone();
    good["roster"] = json!({});
    for (kind, entries) in input["roster"].as_object().expect("kinds") {
        for entry in entries.as_array().expect("entries") {
            let (mut entry, mut wish) = (entry.clone(), good.clone());
            entry["name"] = json!(name(chance));
            let list = wish["roster"].as_object_mut().expect("kinds").entry(kind.clone()).or_insert(json!([]));
            list.as_array_mut().expect("a list").push(entry);
            match roll(system, state, &wish, dice) {
                Ok(_) => good = wish,
                // The name is not allowed, or what earlier letters say about it does not fit its entry.
                Err(error) => {
                    let rules = ["event-tables 14: ", "event-tables 28: "];
                    assert!(rules.iter().any(|rule| error.to_string().starts_with(rule)), "{error}");
                }
            }
        }
    }
    good
}

/// Plays turns with hostile rosters, each to its end.
fn plays(system: &System, chance: &mut Chance, inputs: &mut dyn Iterator<Item = (Value, Vec<u64>)>, side: &str) {
    let mut state = course(system).begin().expect("a state");
    for (input, dice) in inputs {
        let Awaits::Turn(_) = course(system).awaits(&state).expect("a state") else {
            panic!("the last turn has its end")
        };
        let facts = &input[side_of(system, &state, side)];
        let input = renamed(system, &state, facts, &dice, chance);
        let Ok(outcome) = roll(system, &state, &input, &dice) else { continue };
        state = outcome.state;
        let form = course(system).form(&state, Some(&text(&object(input)))).expect("a form");
        toml::from_str::<Value>(&form).unwrap_or_else(|error| panic!("{error}: {form}"));
        let texts: Vec<String> = (0..4).map(|_| name(chance)).chain(["B1".into(), "B2".into()]).collect();
        for _ in 0..64 {
            match course(system).awaits(&state).expect("a state") {
                Awaits::Turn(_) => break,
                Awaits::More(_) => state = roll(system, &state, &json!({}), &dice).expect("more").state,
                Awaits::Decision { name, .. } => state = check(system, &state, &name, &texts, chance),
            }
        }
    }
    let Awaits::Turn(_) = course(system).awaits(&state).expect("a state") else { panic!("a turn without an end") };
}

/// The side that rolls next: `first`, or `second` of the two.
fn side_of(system: &System, state: &Object, first: &str) -> &'static str {
    match course(system).awaits(state).expect("a state") {
        Awaits::Turn(Some(by)) if by.as_str() == first => "first",
        _ => "second",
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Gettysburg with rosters of such names: each turn comes to its end, at each decision something can be typed, and
    /// every legal choice can.
    #[test]
    fn no_roster_brings_a_course_to_a_standstill(seed: u64, acts in acts()) {
        let chance = &mut Chance(seed);
        let tables = object(json!({ "event-tables": file("gettysburg-events") }));
        let system = System::settle("event-tables", &object(gettysburg()), &tables).expect("settings");
        // The leader table is a 7 of two dice; its rows are named by two more.
        let dice = |rest: &[u64]| [&[0, 2, 3], rest].concat();
        let inputs = acts.iter().take(8).map(|act| {
            (json!({ "first": act.input("confederate"), "second": act.input("union") }), dice(&act.dice))
        });
        plays(&system, chance, &mut inputs.collect::<Vec<_>>().into_iter(), "bob");
        let settings = json!({ "first": "north", "fog": true, "second_day": 3, "sides": { "north": "ann", "south": "bob" } });
        let tables = object(json!({ "event-tables": file("crossing-events") }));
        let system = System::settle("event-tables", &object(settings), &tables).expect("settings");
        let inputs: Vec<(Value, Vec<u64>)> = (0..8)
            .map(|_| {
                let company = |_| json!({ "name": "", "post": "bank", "strength": 5 });
                let companies: Value = (0..chance.below(8)).map(company).collect();
                let input = json!({ "facts": { "river": 5 }, "roster": { "company": companies } });
                // Fog, scouts and the ambuscade ask for something.
                (json!({ "first": input, "second": input }), vec![65 + chance.below(35), 64 + chance.below(30)])
            })
            .collect();
        plays(&system, chance, &mut inputs.into_iter(), "ann");
    }
}

/// A table on which each roll is the same event.
fn always(event: &Value) -> Value {
    json!({
        "events": { "it": event },
        "kinds": { "leader": {} },
        "main": { "north": "fate", "south": "fate" },
        "sides": ["north", "south"],
        "source": "test",
        "tables": { "fate": { "dice": "d2", "rows": { "1-2": "it" } } },
        "title": "One event",
    })
}

fn asked(step: Value, names: &[&str]) -> (System, Object) {
    let settings = json!({ "first": "north", "sides": { "north": "ann", "south": "bob" } });
    let table = always(&json!({ "steps": [{ "do": "need", "kind": "leader" }, step] }));
    let system =
        System::settle("event-tables", &object(settings), &object(json!({ "event-tables": table }))).expect("a file");
    let begin = course(&system).begin().expect("a state");
    let roster: Value = names.iter().map(|name| json!({ "name": name })).collect();
    let state = roll(&system, &begin, &json!({ "roster": { "leader": roster } }), &[1]).expect("a turn").state;
    (system, state)
}

/// What a player types becomes what is signed, or is refused with what is in its way.
#[test]
fn typed_choices() {
    let pool = json!({ "do": "pool", "ask": "loss", "enemy": 2, "owner": 1, "kind": "leader" });
    let hills = ["Hill, A.P. brigade", "Hill, D.H. brigade", "Jones, J.M. brigade", "Hill", "D.H. brigade"];
    let (system, state) = asked(pool.clone(), &hills);
    let good = |typed: &str, names: [&str; 2]| {
        assert_eq!(read(&system, &state, "loss-enemy", typed), Some(json!(names)), "{typed}");
    };
    good("Hill, A.P. brigade, Jones, J.M. brigade", ["Hill, A.P. brigade", "Jones, J.M. brigade"]);
    good("1, 3", ["Hill, A.P. brigade", "Jones, J.M. brigade"]);
    good("Hill, 5", ["Hill", "D.H. brigade"]);
    good("Hill\n\n Hill, D.H. brigade \n", ["Hill", "Hill, D.H. brigade"]);
    let refused = |typed: &str| {
        let error = course(&system).read_choice(&state, "loss-enemy", typed).expect_err(typed).to_string();
        assert!(error.contains("type 2 of these, separated by commas: 1 Hill, A.P. brigade; 2 Hill, D.H."), "{error}");
        error
    };
    assert!(refused("Hill, Hill, 6").contains("\"6\" does not qualify"));
    assert!(refused("Hill, Hill").contains("a name is given twice"));
    assert!(refused("4").contains("too few or too many names (1 given, 2 needed)"));
    assert!(refused("Hill, Hill\nHill").contains("\"Hill, Hill\" does not qualify"));
    assert!(refused("Hill\nHill").contains("there must be 2 different names"));
    // Two leaders whose names are made of those of others.
    let (system, state) = asked(pool, &["A", "B", "A, B", "B, A", "7"]);
    let error = course(&system).read_choice(&state, "loss-enemy", "A, B, A").expect_err("two ways").to_string();
    assert!(error.contains("can be read in two ways; type each name on its own line"), "{error}");
    assert_eq!(read(&system, &state, "loss-enemy", "A, B\nA"), Some(json!(["A, B", "A"])));
    assert_eq!(read(&system, &state, "loss-enemy", "A, 7"), Some(json!(["A", "7"])), "a name before a number");
    assert_eq!(read(&system, &state, "loss-enemy", "1, 2"), None, "where a leader is called 7 there are no numbers");

    let (system, state) = asked(json!({ "do": "choose", "ask": "one", "by": "owner", "kind": "leader" }), &hills);
    assert_eq!(read(&system, &state, "one", " Hill, A.P. brigade "), Some(json!("Hill, A.P. brigade")));
    assert_eq!(read(&system, &state, "one", "2"), Some(json!("Hill, D.H. brigade")));
    assert_eq!(read(&system, &state, "one", "Hill, A.P."), None);
    let (system, state) =
        asked(json!({ "do": "choose", "ask": "word", "by": "owner", "of": "accept decline" }), &hills);
    assert_eq!(read(&system, &state, "word", " accept "), Some(json!("accept")));

    let (system, state) = asked(
        json!({ "do": "write", "ask": "regiments", "by": "owner", "parts": "regiment hex", "at_most": 2 }),
        &hills,
    );
    let reads = |typed: &str| read(&system, &state, "regiments", typed);
    let two = json!([["7 Wis, Meredith", "A40.10"], ["2 Wis", "A40.11"]]);
    assert_eq!(reads("7 Wis, Meredith > A40.10; 2 Wis > A40.11"), Some(two.clone()));
    assert_eq!(reads("7 Wis, Meredith > A40.10\n2 Wis>A40.11\n"), Some(two));
    assert_eq!(reads("none"), Some(json!([])));
    for (typed, why) in [
        ("13 Ala > A43.01, 26 NC > A42.02", "the hex \"A43.01, 26 NC > A42.02\" contains '"),
        ("13 Ala > A43.01, A42.02", "the hex \"A43.01, A42.02\" contains ','"),
        ("13 Ala", "\"13 Ala\" must have the form regiment > hex, like"),
    ] {
        let error = course(&system).read_choice(&state, "regiments", typed).expect_err(typed).to_string();
        assert!(error.contains(why), "{error}");
    }
    let signed = json!([["13 Ala", "A43.01, 26 NC > A42.02"]]);
    assert_eq!(takes(&system, &state, "regiments", &signed), None, "it is no choice however it is signed");
    let (system, state) =
        asked(json!({ "do": "write", "ask": "order", "by": "owner", "parts": "order", "at_most": 1 }), &hills);
    let order = read(&system, &state, "order", "attack Herr Ridge; at once, > all");
    assert_eq!(order, Some(json!([["attack Herr Ridge; at once, > all"]])));
}
