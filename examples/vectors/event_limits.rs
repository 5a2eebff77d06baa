//! Event tables at their limits: dice of a run, runs of a turn, entries of a roster, and names that look alike. Also
//! steps that have nothing to do.

use serde_json::{Value, json};

use crate::events::{
    Comes,
    Comes::{Done, Needs, Refused, Void},
    Game, company, decide, note, river, roll,
};

pub(crate) fn all(g: &mut Game<'_>) {
    most_dice(g);
    most_steps(g);
    most_runs(g);
    most_dice_of_a_turn(g);
    most_looks(g);
    most_words(g);
    unseen(g);
    typed(g);
    roster_of_1024(g);
    passed_over(g);
}

/// Gives the scouts a single event with `steps` steps, which roll `dice` each, followed by the steps in `more`.
fn scouts_roll(tables: &mut Value, steps: usize, dice: &str, more: &[Value]) {
    tables["dice"]["many"] = json!({ "dice": dice });
    let mut all = vec![json!({ "do": "roll", "die": "many" }); steps];
    all.extend_from_slice(more);
    tables["events"]["scouts"]["steps"] = all.into();
    tables["marks"] = json!({});
    tables["tables"]["flood"].as_object_mut().unwrap().remove("modifiers");
}

/// A run draws at most 64 dice: one for the fortunes table, and 63 by the scouts.
fn most_dice(g: &mut Game<'_>) {
    let file = g.tables.clone();
    let pick = json!({ "do": "pick", "kind": "company" });
    scouts_roll(&mut g.tables, 7, "9d6", &[]);
    let draws: Vec<u64> = std::iter::once(80).chain((0..63).map(|n| n % 6 + 1)).collect();
    g.goes(
        "64-dice",
        "a run may draw 64 dice, and does",
        Value::Null,
        &[(roll("ann", &river(3, &[]), &draws), Done(json!({ "turn": 1 })))],
    );
    g.tables = file.clone();
    g.refused("load-65-dice", "a run that may draw 65 dice: a pick counts one", |t, _| {
        scouts_roll(t, 7, "9d6", std::slice::from_ref(&pick))
    });
    g.refused("load-65-dice-of-a-pool", "a pool counts one, too", |t, _| {
        let pool = json!({ "do": "pool", "ask": "watch", "enemy": 1, "owner": 1, "kind": "company" });
        scouts_roll(t, 7, "9d6", &[pool]);
    });
    g.refused("load-65-dice-of-d66", "a d66 is two dice", |t, _| {
        scouts_roll(t, 7, "9d6", &[]);
        let rows = json!({ "11-26": "nothing", "31-36": "flood", "41-46": "fog-comes", "51-56": "scouts", "61-66": "ambuscade" });
        t["tables"]["fortunes"]["modifiers"] = json!([]);
        (t["tables"]["fortunes"]["dice"], t["tables"]["fortunes"]["rows"]) = (json!("d66"), rows);
    });
    // One die for the fortunes table, then `many`, one for the flood table, and two for the event there that needs
    // most.
    let far = |t: &mut Value, many: usize| {
        t["dice"]["many"] = json!({ "dice": "d6" });
        let mut steps = vec![json!({ "do": "roll", "die": "many" }); many];
        steps.push(json!({ "do": "go", "to": "flood" }));
        t["events"]["fog-comes"]["steps"] = steps.into();
    };
    g.refused("load-65-dice-behind-a-go", "a go counts what its target does: the dearest", |t, _| far(t, 61));
    far(&mut g.tables, 60);
    g.goes(
        "64-dice-behind-a-go",
        "1 of the fortunes, 60, 1 of the flood, 2 of the dearest event there",
        Value::Null,
        &[(roll("ann", &river(3, &[]), &[1]), Void("nothing"))],
    );
    g.tables = file;
    g.refused("load-65-dice-of-two-ways", "all steps count, though only one of two ways is gone", |t, _| {
        t["dice"]["many"] = json!({ "dice": "9d6" });
        let side = json!({ "steps": vec![json!({ "do": "roll", "die": "many" }); 4] });
        (t["events"]["left"], t["events"]["right"]) = (side.clone(), side);
        let go = |to: &str, when: &str| json!({ "do": "go", "to": to, "if": when });
        t["events"]["fog-comes"]["steps"] = json!([go("left", "river < 6"), go("right", "river >= 6")]);
    });
    g.refused("load-2-to-the-64-dice", "what is counted doubles 64 times", |t, _| {
        for n in 0..64 {
            let next = if n == 63 { "flood".into() } else { format!("deep{}", n + 1) };
            let go = |when: &str| json!({ "do": "go", "to": next, "if": when });
            t["events"][format!("deep{n}")] = json!({ "steps": [go("river < 6"), go("river >= 6")] });
        }
        t["events"]["fog-comes"]["steps"] = json!([{ "do": "go", "to": "deep0" }]);
    });
}

/// The fortunes table has two modifiers and counts as three steps. The scouts' events have the rest.
fn most_steps(g: &mut Game<'_>) {
    let file = g.tables.clone();
    let tell = || json!({ "do": "tell", "say": "a shot" });
    // Three events of 64 steps, each of which goes to the next; a fourth has the remaining steps.
    let chain = |t: &mut Value, all: usize| {
        t["marks"] = json!({});
        t["tables"]["flood"].as_object_mut().unwrap().remove("modifiers");
        let names = ["scouts", "scouts-2", "scouts-3", "scouts-4"];
        for (n, name) in names.iter().enumerate() {
            let mut steps = vec![tell(); if n == 3 { all - 3 - 3 * 64 } else { 63 }];
            steps.extend(names.get(n + 1).map(|next| json!({ "do": "go", "to": next })));
            t["events"][*name] = json!({ "steps": steps });
        }
    };
    chain(&mut g.tables, 256);
    g.goes(
        "256-steps",
        "a run may take 256 steps: the fortunes with their two modifiers are three, and four events the rest",
        Value::Null,
        &[(roll("ann", &river(3, &[]), &[80]), Done(json!({ "turn": 1 })))],
    );
    g.tables = file;
    g.refused("load-257-steps", "and no more; a go counts what its target does", |t, _| chain(t, 257));
    g.refused("load-steps-of-modifiers", "each modifier of a table on the way counts", |t, _| {
        chain(t, 256);
        let modifiers = t["tables"]["fortunes"]["modifiers"].as_array_mut().unwrap();
        modifiers.push(json!("1 if day >= 3"));
    });
    g.refused("load-257-steps-of-two-ways", "all steps count, though only one of two ways is gone", |t, _| {
        chain(t, 256);
        let tells = |many: usize| vec![tell(); many];
        (t["events"]["long"], t["events"]["short"]) = (json!({ "steps": tells(57) }), json!({ "steps": tells(1) }));
        let go = |to: &str, when: &str| json!({ "do": "go", "to": to, "if": when });
        let steps = t["events"]["scouts-4"]["steps"].as_array_mut().unwrap();
        steps.truncate(2);
        steps.extend([go("short", "river < 6"), go("long", "river >= 6")]);
    });
}

/// All runs of a turn together can draw 4096 dice: 64 companies with 63 each, and 3 for the fortunes table.
fn most_dice_of_a_turn(g: &mut Game<'_>) {
    let file = g.tables.clone();
    g.tables["dice"]["many"] = json!({ "dice": "9d6" });
    let steps = vec![json!({ "do": "roll", "die": "many" }); 7];
    g.tables["events"]["alarm"] = json!({ "each": "company", "when": "day >= 2", "steps": steps });
    g.tables["each_turn"] = json!({ "north": ["alarm"] });
    let input = |many: usize| {
        let companies: Vec<Value> = (0..many).map(|n| company(&format!("{n}"), 2, "camp")).collect();
        river(3, &companies)
    };
    g.goes(
        "4096-dice-of-a-turn",
        "64 alarms of 63 dice are 4,032, and the fortunes three by their dearest way; 65 are too many, though none rings on this day",
        Value::Null,
        &[
            (roll("ann", &input(65), &[1]), Refused),
            (roll("ann", &input(64), &[1]), Void("nothing")),
            (roll("bob", &input(65), &[1]), Void("nothing")),
        ],
    );
    g.tables = file;
}

/// The looks of a turn: the most that each run can take, added up and multiplied by all entries of the roster.
fn most_looks(g: &mut Game<'_>) {
    let file = g.tables.clone();
    // For each company, fifteen alarms with one look and fifteen terms each.
    let terms = vec!["strength >= 1"; 15].join(", ");
    let names: Vec<String> = (1..=15).map(|n| format!("alarm{n:02}")).collect();
    for name in &names {
        g.tables["events"][name.as_str()] = json!({
            "each": "company", "when": "day >= 2",
            "steps": [{ "do": "need", "kind": "company", "where": terms }],
        });
    }
    g.tables["each_turn"] = json!({ "north": names });
    let input = |many: usize| {
        let companies: Vec<Value> = (0..many).map(|n| company(&format!("{n}"), 2, "camp")).collect();
        river(3, &companies)
    };
    g.goes(
        "looks",
        "fifteen alarms of sixteen looks for each of 67 companies are 16,080 of 67 entries, too many; 66 are not, the dearest of the fortunes among them",
        Value::Null,
        &[
            (roll("ann", &input(67), &[1]), Refused),
            (roll("ann", &input(66), &[1]), Void("nothing")),
            (roll("bob", &input(67), &[1]), Void("nothing")),
        ],
    );
    g.tables = file.clone();
    with_boats(&mut g.tables);
    let terms = vec!["strength >= 1"; 16].join(", ");
    let looks: Vec<Value> = (0..60).map(|_| json!({ "do": "need", "kind": "company", "where": terms })).collect();
    g.tables["events"]["fog-comes"]["steps"].as_array_mut().unwrap().splice(0..0, looks);
    let boats = |many: usize| {
        let mut input = river(3, &[company("A", 1, "camp")]);
        input["roster"]["boat"] = (1..many).map(|n| json!({ "name": n.to_string() })).collect();
        input
    };
    g.goes(
        "looks-of-one-run",
        "60 steps of 17 looks, the need of a boat and the choice of a company with its term are 1,023: 1,024 entries of whatever kind are not too many",
        Value::Null,
        &[(roll("ann", &boats(1024), &[1]), Void("nothing"))],
    );
    let one_more = json!({ "do": "need", "kind": "company", "where": "strength >= 1" });
    g.tables["events"]["fog-comes"]["steps"].as_array_mut().unwrap().insert(0, one_more);
    g.goes(
        "looks-of-one-run-too-many",
        "1,025 looks are too many for 1,024 entries",
        Value::Null,
        &[(roll("ann", &boats(1024), &[1]), Refused), (roll("ann", &boats(1023), &[1]), Void("nothing"))],
    );
    g.tables = file.clone();
}

/// A die has at most 64 words.
fn most_words(g: &mut Game<'_>) {
    let words = |t: &mut Value, many: usize| {
        let rows: Value = (1..=100)
            .map(|n| (n.to_string(), json!(format!("w{}", n.min(many)))))
            .collect::<serde_json::Map<_, _>>()
            .into();
        t["dice"]["swim"] = json!({ "dice": "d100", "rows": rows });
        for step in t["events"]["swept-away"]["steps"].as_array_mut().unwrap() {
            if let Some(when) = step.get_mut("if") {
                *when = json!("swim = w1");
            }
        }
    };
    g.refused("load-65-words", "a die of 65 words", |t, _| words(t, 65));
    let file = g.tables.clone();
    words(&mut g.tables, 64);
    g.goes(
        "64-words",
        "a die of 64 words, of which the last has 37 faces",
        Value::Null,
        &[(roll("ann", &river(3, &[]), &[1]), Void("nothing"))],
    );
    g.tables = file;
}

/// Adds events that begin by themselves, but only in turns after the first day.
fn by_themselves(tables: &mut Value, many: usize) {
    let names: Vec<String> = (1..=many).map(|n| format!("alarm{n:02}")).collect();
    for name in &names {
        let filter = if name == "alarm16" { "strength >= 2" } else { "strength >= 1" };
        tables["events"][name.as_str()] = json!({
            "each": "company", "where": filter, "when": "day >= 2", "steps": [{ "do": "tell", "say": "an alarm" }],
        });
    }
    tables["each_turn"] = json!({ "north": names });
}

fn most_runs(g: &mut Game<'_>) {
    let file = g.tables.clone();
    g.refused("load-17-each-turn", "sixteen events of a side begin by themselves", |t, _| by_themselves(t, 17));
    by_themselves(&mut g.tables, 16);
    let companies = |weak: usize| -> Vec<Value> {
        (0..64).map(|n| company(&format!("{n}"), if n < weak { 1 } else { 2 }, "camp")).collect()
    };
    g.goes(
        "1024-runs",
        "16 events of 64 companies are a run too many, and 1023 are not, though none comes to anything on this day",
        Value::Null,
        &[
            (roll("ann", &river(3, &companies(0)), &[1]), Refused),
            (roll("ann", &river(3, &companies(1)), &[1]), Void("nothing")),
            (roll("bob", &river(3, &companies(0)), &[1]), Void("nothing")),
        ],
    );
    g.tables = file;
}

/// The first and last character of each range that cannot be seen in a name.
const UNSEEN: [(u32, u32); 21] = [
    (0x0, 0x1f),
    (0x7f, 0xa0),
    (0xad, 0xad),
    (0x34f, 0x34f),
    (0x61c, 0x61c),
    (0x115f, 0x1160),
    (0x1680, 0x1680),
    (0x17b4, 0x17b5),
    (0x180b, 0x180f),
    (0x2000, 0x200f),
    (0x2028, 0x202f),
    (0x205f, 0x206f),
    (0x2800, 0x2800),
    (0x3000, 0x3000),
    (0x3164, 0x3164),
    (0xfe00, 0xfe0f),
    (0xfeff, 0xfeff),
    (0xffa0, 0xffa0),
    (0xfff9, 0xfffb),
    (0x1d173, 0x1d17a),
    (0xe0000, 0xe0fff),
];

/// Loose marks (14), as ranges.
const LOOSE: [(u32, u32); 3] = [(0x300, 0x36f), (0x1100, 0x11ff), (0x3099, 0x309a)];

/// Each name has only one spelling, and every name and text can be typed.
fn typed(g: &mut Game<'_>) {
    let called = |name: &str| roll("ann", &river(3, &[company(name, 1, "camp")]), &[1]);
    let marked = |code: u32| called(&format!("e{}", char::from_u32(code).unwrap()));
    let mut steps: Vec<(Value, Comes)> =
        LOOSE.iter().flat_map(|(first, last)| [(marked(*first), Refused), (marked(*last), Refused)]).collect();
    steps.push((called("E\u{301}well"), Refused));
    let beside = [0x2ff, 0x370, 0x10ff, 0x1200, 0x3098, 0x309b];
    let names = beside.map(|code| format!("e{}", char::from_u32(code).unwrap()));
    let others = ["\u{c9}well", "Hill, A.P. brigade", "a > b; c", "none", "1"];
    let all: Vec<Value> = names.iter().map(String::as_str).chain(others).map(|name| company(name, 1, "camp")).collect();
    steps.push((roll("ann", &river(3, &all), &[1]), Void("nothing")));
    g.goes("input-loose-marks", "a letter and its accent are one character; commas are no matter", Value::Null, &steps);
    let mut input = river(3, &[company("A", 5, "bridge")]);
    input["orders"] = json!({ "ambuscade-owner": ["e\u{301}"] });
    g.goes("orders-loose-marks", "nor are there any in orders", Value::Null, &[(roll("ann", &input, &[1]), Refused)]);
    let question = |lines: Value| decide("ann", "question", lines);
    let mut steps: Vec<(Value, Comes)> = vec![(roll("ann", &river(3, &[]), &[80]), Needs("question", "ann"))];
    let texts = ["A1, A2", "A1; A2", "A1 > A2", "none", "e\u{301}"];
    steps.extend(texts.map(|text| (question(json!([["B1"], [text]])), Refused)));
    steps.push((question(json!([["A1. none"]])), Done(json!({ "marks": { "north": { "scouted": 1 } } }))));
    g.goes("lines-typed", "what stands between texts when they are typed is in none of them", Value::Null, &steps);
}

fn unseen(g: &mut Game<'_>) {
    let with = |code: u32| format!("A{}B", char::from_u32(code).unwrap());
    let named = |names: &[String]| -> Value {
        river(3, &names.iter().map(|name| company(name, 1, "camp")).collect::<Vec<Value>>())
    };
    let mut steps: Vec<(Value, Comes)> = Vec::new();
    let mut ends: Vec<u32> = UNSEEN.iter().flat_map(|(first, last)| [*first, *last]).collect();
    ends.dedup();
    steps.extend(ends.iter().map(|code| (roll("ann", &named(&[with(*code)]), &[1]), Refused)));
    let hidden = |code: &u32| UNSEEN.iter().any(|(first, last)| (*first..=*last).contains(code));
    let loose = |code: &u32| LOOSE.iter().any(|(first, last)| (*first..=*last).contains(code));
    let beside = UNSEEN.iter().flat_map(|(first, last)| [first.saturating_sub(1), last + 1]);
    let mut seen: Vec<u32> = beside.filter(|code| !hidden(code) && !loose(code)).collect();
    seen.sort_unstable();
    seen.dedup();
    let names: Vec<String> = seen.into_iter().map(with).collect();
    steps.push((roll("ann", &named(&names), &[1]), Void("nothing")));
    g.goes(
        "input-unseen",
        "names differ to the eye: the ends of each stretch of unseen characters, and then what stands beside them",
        Value::Null,
        &steps,
    );
    g.goes(
        "lines-unseen",
        "nor in the texts that players write",
        Value::Null,
        &[
            (roll("ann", &river(3, &[]), &[80]), Needs("question", "ann")),
            (decide("ann", "question", json!([["04\u{a0}12"]])), Refused),
            (decide("ann", "question", json!([["0412\u{200d}"]])), Refused),
            (decide("ann", "question", json!([["0412 "]])), Refused),
            (decide("ann", "question", json!([[" 0412"]])), Refused),
            (decide("ann", "question", json!([["04 12"]])), Done(json!({ "marks": { "north": { "scouted": 1 } } }))),
        ],
    );
    g.refused("load-unseen", "nor in those of the file", |t, _| t["title"] = json!("The\u{202e} crossing"));
}

/// Adds boats, which have only a name.
fn with_boats(tables: &mut Value) {
    tables["kinds"]["boat"] = json!({});
    let steps = tables["events"]["fog-comes"]["steps"].as_array_mut().unwrap();
    steps.insert(0, json!({ "do": "need", "kind": "boat", "if": "not fog" }));
}

fn roster_of_1024(g: &mut Game<'_>) {
    let file = g.tables.clone();
    with_boats(&mut g.tables);
    let boats = |many: usize| {
        let mut input = river(3, &[company("A", 1, "camp")]);
        input["roster"]["boat"] = (1..many).map(|n| json!({ "name": n.to_string() })).collect();
        input
    };
    g.goes(
        "input-1025-entries",
        "1024 entries of all kinds together, and no more",
        Value::Null,
        &[(roll("ann", &boats(1025), &[1]), Refused), (roll("ann", &boats(1024), &[1]), Void("nothing"))],
    );
    g.tables = file;
}

/// Steps whose register or name has no value, conditions on numbers, and a decision that no die follows.
fn passed_over(g: &mut Game<'_>) {
    let file = g.tables.clone();
    with_boats(&mut g.tables);
    g.tables["kinds"]["boat"] = json!({ "attributes": { "hull": { "values": "sound leaking" } }, "marks": ["hit"] });
    g.tables["dice"]["luck"] = json!({ "dice": "d6" });
    g.tables["events"]["fog-comes"]["steps"] = json!([
        { "do": "pick", "kind": "boat", "optional": true },
        { "do": "roll", "die": "luck", "if": "river > 3" },
        { "do": "mark", "mark": "scouted", "set": "luck" },
        { "do": "mark", "mark": "hit", "on": "boat", "add": 1 },
        { "do": "raise", "attribute": "hull", "on": "boat" },
        { "do": "write", "ask": "name", "at_most": 1, "by": "owner", "once": "boat", "parts": "name" },
        { "do": "mark", "mark": "scouted", "add": 2, "if": "river != 3" },
    ]);
    let fog = |height: u64, boats: Value| json!({ "facts": { "river": height }, "roster": { "boat": boats } });
    g.goes(
        "passed-over",
        "without a boat and without luck nothing is marked, raised or written; then with both",
        Value::Null,
        &[
            (roll("ann", &fog(3, json!([])), &[70]), Done(json!({ "entries": {}, "marks": {} }))),
            (roll("bob", &fog(3, json!([])), &[1]), Void("nothing")),
            (roll("ann", &fog(4, json!([])), &[1]), Void("nothing")),
            (roll("bob", &fog(4, json!([])), &[1]), Void("nothing")),
        ],
    );
    let both = fog(4, json!([{ "name": "Argo", "hull": "sound" }]));
    g.goes(
        "not-passed-over",
        "the same with both",
        Value::Null,
        &[
            (roll("ann", &both, &[70, 5]), Needs("name", "ann")),
            (
                decide("ann", "name", json!([["Argo"]])),
                Done(json!({ "entries": { "north/boat/Argo": { "hit": 1, "hull": "leaking", "name": ["Argo"] } }, "marks": { "north": { "scouted": 7 } } })),
            ),
        ],
    );
    g.tables["each_turn"] = json!({ "north": ["omen"] });
    g.tables["events"]["omen"] = json!({ "steps": [
        { "ask": "heed", "by": "owner", "do": "choose", "of": "yes no" },
        { "die": "luck", "do": "roll", "if": "heed = yes" },
    ] });
    g.goes(
        "more-for-the-next-run",
        "the run that decided needs no die, and the next one has none",
        Value::Null,
        &[
            (roll("ann", &river(3, &[]), &[]), Needs("heed", "ann")),
            (decide("ann", "heed", json!("maybe")), Refused),
            (decide("ann", "heed", json!("no")), Needs("more", "ann")),
            (roll("ann", &json!({}), &[1]), Void("nothing")),
            (roll("bob", &river(3, &[]), &[1]), Void("nothing")),
            (roll("ann", &river(3, &[]), &[]), Needs("heed", "ann")),
            (note("ann", json!({ "heed": "perhaps" })), Refused),
            (note("ann", json!({ "heed": "yes" })), Needs("more", "ann")),
            (roll("ann", &json!({}), &[6, 1]), Void("nothing")),
        ],
    );
    g.tables = file;
}
