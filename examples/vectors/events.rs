//! The system `event-tables`: Gettysburg's events R1 to R15, an invented game, and refusals.

use serde_json::{Value, json};

use crate::Vectors;

/// Returns a table file in the form in which a charter carries it.
pub(crate) fn file(name: &str) -> Value {
    let text = std::fs::read_to_string(format!("tables/{name}.toml")).expect("the file");
    toml::from_str(&text).expect("a table")
}

pub(crate) struct Game<'a> {
    v: &'a mut Vectors,
    pub(crate) tables: Value,
    settings: Value,
    prefix: &'a str,
    spec: &'a str,
}

/// The expected result of a step.
pub(crate) enum Comes {
    /// Parts of the state, and how the last run ended: void or not.
    Done(Value),
    Void(&'static str),
    Needs(&'static str, &'static str),
    Refused,
}
use Comes::{Done, Needs, Refused, Void};

impl Game<'_> {
    pub(crate) fn goes(&mut self, name: &str, about: &str, state: Value, steps: &[(Value, Comes)]) {
        let mut given = json!({
            "settings": self.settings, "system": "event-tables", "tables": { "event-tables": self.tables },
        });
        if !state.is_null() {
            given["state"] = state;
        }
        given["steps"] = steps.iter().map(|(step, _)| step.clone()).collect();
        let expect = sealed_dice::conformance::compute("course", &given);
        let got = expect["steps"].as_array().unwrap_or_else(|| panic!("{name}: {expect}"));
        for (i, (step, (_, comes))) in got.iter().zip(steps).enumerate() {
            let void = step["public"]["log"].as_array().and_then(|log| log.last()).map(|end| end["void"].clone());
            let right = match comes {
                Refused => step == &json!({ "class": "rule" }),
                Needs(what, by) => step["needs"] == json!({ *what: by }) && step["outcome"] == "needs",
                Void(why) => void == Some(json!(why)) && step["outcome"] == "done",
                Done(known) => {
                    step["outcome"] == "done" && void == Some(Value::Null) && crate::contains(&step["state"], known)
                }
            };
            assert!(right, "{name}, step {}: {step:#}", i + 1);
        }
        self.v.put(&format!("course/{}-{name}", self.prefix), self.spec, about, given, expect);
    }

    /// Expects that the file with a change, or with other settings, is refused when it is loaded.
    pub(crate) fn refused(&mut self, name: &str, about: &str, change: impl FnOnce(&mut Value, &mut Value)) {
        let (mut tables, mut settings) = (self.tables.clone(), self.settings.clone());
        change(&mut tables, &mut settings);
        let given = json!({ "settings": settings, "steps": [], "system": "event-tables", "tables": { "event-tables": tables } });
        self.v.refused(&format!("course/{}-{name}", self.prefix), self.spec, about, given, "rule");
    }
}

pub(crate) fn decide(by: &str, name: &str, value: Value) -> Value {
    json!({ "by": by, "decide": { "name": name, "value": value } })
}

/// A step in which a standing note speaks.
pub(crate) fn note(by: &str, says: Value) -> Value {
    json!({ "by": by, "note": says })
}

/// A step in which a side rolls with this input.
pub(crate) fn roll(by: &str, input: &Value, draws: &[u64]) -> Value {
    json!({ "by": by, "declare": input, "draws": draws })
}

pub(crate) fn with(mut input: Value, change: Value) -> Value {
    for (field, value) in change.as_object().unwrap() {
        for (key, value) in value.as_object().unwrap() {
            input[field][key] = value.clone();
        }
    }
    input
}

fn union(roster: Value) -> Value {
    json!({ "facts": { "lost_ratings": 0, "wrecked": 0 }, "roster": roster })
}

fn confederate(roster: Value) -> Value {
    let facts = json!({ "longstreet_attacks": false, "longstreet_casualty": false, "longstreet_in_range": false, "wrecked": 0 });
    json!({ "facts": facts, "roster": roster })
}

fn leader(name: &str, echelon: &str, rating: u64, distance: u64) -> Value {
    json!({ "name": name, "echelon": echelon, "rating": rating, "second": 0, "distance": distance })
}

fn order(name: &str, status: &str) -> Value {
    json!({ "name": name, "status": status, "to_corps": true, "divisions": 3 })
}

/// Returns a state in which Union rolls next, in this turn.
fn to_union(turn: u64) -> Value {
    json!({ "entries": {}, "marks": {}, "pending": null, "side": "confederate", "turn": turn, "used": {} })
}

/// Returns a state in which the Confederates roll next, in this turn (not the first).
fn to_confederate(turn: u64) -> Value {
    json!({ "entries": {}, "marks": {}, "pending": null, "side": "union", "turn": turn - 1, "used": {} })
}

/// July 2 begins with turn 31, July 3 with turn 61; turn 12 is 1:30 PM of July 1.
pub(crate) fn settings() -> Value {
    json!({
        "ambush": "own_random", "ambush_limit": "side", "dt_accepts_on": 7, "entry2": "panic", "fire_dice": "elsewhere",
        "first": "confederate", "hood_regular": 33, "july_2": 31, "july_3": 61, "longstreet_from": 13,
        "longstreet_regular": 32, "mclaws_regular": 32, "sides": { "confederate": "bob", "union": "ann" },
    })
}

pub(crate) fn all(v: &mut Vectors) {
    let mut game = Game {
        v,
        tables: file("gettysburg-events"),
        settings: settings(),
        prefix: "gettysburg",
        spec: "gettysburg-events.md, event-tables.md",
    };
    orders(&mut game);
    losses(&mut game);
    panics(&mut game);
    choices(&mut game);
    longstreet(&mut game);
    limits(&mut game);
    whole_table(&mut game);
    let mut game = Game {
        v,
        tables: file("crossing-events"),
        settings: json!({ "first": "north", "fog": true, "second_day": 10, "sides": { "north": "ann", "south": "bob" } }),
        prefix: "events",
        spec: "event-tables.md",
    };
    invented(&mut game);
    super::event_limits::all(&mut game);
    contradicted(&mut game);
    refused(&mut game);
    settings_refused(&mut game);
    cases(&mut game);
}

fn orders(g: &mut Game<'_>) {
    let two = union(json!({ "order": [order("XI Corps", "transit"), order("V Corps", "D2")] }));
    g.goes(
        "r01-immediate-acceptance",
        "R1: two orders qualify, and a d2 takes the second",
        to_union(20),
        &[(roll("ann", &two, &[3, 3, 2]), Done(json!({ "entries": { "union/order/V Corps": { "accepted": 1 } } })))],
    );
    let one = |status: &str| confederate(json!({ "order": [order("I Corps", status)] }));
    for (name, from, to) in
        [("r02-delay-dt", "D6", "Dt"), ("r02-delay-d4", "D4", "D5"), ("r02-delay-stays", "Dt", "Dt")]
    {
        g.goes(
            name,
            "R2: one order, no draw, the next step of delay",
            to_confederate(20),
            &[(
                roll("bob", &one(from), &[4, 4]),
                Done(json!({ "entries": { "confederate/order/I Corps": { "status": to } } })),
            )],
        );
    }
    let pending = |n: u64| Done(json!({ "entries": { "confederate/order/I Corps": { "pending": n } } }));
    g.goes(
        "r02-delay-transit",
        "R2: an order in transit is raised when it arrives; two delays add up; then it cannot be D1",
        to_confederate(20),
        &[
            (roll("bob", &one("transit"), &[4, 4]), pending(1)),
            (roll("ann", &union(json!({})), &[6, 5]), Void("nobody")),
            (roll("bob", &one("transit"), &[4, 4]), pending(2)),
            (roll("ann", &union(json!({})), &[6, 5]), Void("nobody")),
            (roll("bob", &one("D1"), &[6, 5]), Refused),
            (roll("bob", &one("D4"), &[6, 5]), Void("nobody")),
            (roll("ann", &union(json!({})), &[6, 5]), Void("nobody")),
            (roll("bob", &confederate(json!({})), &[6, 5]), Void("nobody")),
        ],
    );
    let corps = |names: &[&str]| -> Value {
        names.iter().map(|name| json!({ "name": name, "attacking": *name != "XII" })).collect()
    };
    g.goes(
        "r13-stoppage",
        "R13: no corps attacks; then three do, and a d3 takes the second of them",
        to_union(20),
        &[
            (roll("ann", &union(json!({ "corps": corps(&["XII"]) })), &[6, 5]), Void("nobody")),
            (roll("bob", &confederate(json!({})), &[6, 5]), Void("nobody")),
            (
                roll("ann", &union(json!({ "corps": corps(&["I", "XII", "II", "III"]) })), &[5, 6, 2]),
                Done(json!({ "entries": { "union/corps/II": { "stopped": 1 } } })),
            ),
        ],
    );
    g.goes(
        "r14-not-his-turn",
        "R14: in the other's turn, and twice in one phase",
        to_union(20),
        &[
            (roll("bob", &confederate(json!({})), &[6, 5]), Refused),
            (roll("ann", &union(json!({})), &[6, 5]), Void("nobody")),
            (roll("ann", &union(json!({})), &[6, 5]), Refused),
        ],
    );
    let three =
        |remaining: &str| confederate(json!({ "order": [order("Longstreet", remaining), order("Ewell", "transit")] }));
    let idle = |draws: &[u64]| (roll("ann", &union(json!({})), draws), Void("nobody"));
    let of = |what: Value| Done(json!({ "entries": { "confederate/order/Longstreet": what } }));
    g.goes(
        "drags-his-feet",
        "three divisions accept one by one on 4 or more; each is named once",
        to_confederate(40),
        &[
            (roll("bob", &three("D4"), &[4, 5, 1]), of(json!({ "by_division": 1, "remaining": 3 }))),
            idle(&[6, 5]),
            (roll("bob", &three("D4"), &[3, 6, 5]), Void("nobody")),
            idle(&[6, 5]),
            (roll("bob", &three("D4"), &[4, 6, 5]), Needs("division", "bob")),
            (decide("bob", "division", json!([["Hood", "McLaws"]])), Refused),
            (decide("bob", "division", json!([])), Refused),
            (decide("bob", "division", json!([["Hood"]])), of(json!({ "division": ["Hood"], "remaining": 2 }))),
            idle(&[6, 5]),
            (roll("bob", &three("D4"), &[6, 6, 5]), Needs("division", "bob")),
            (decide("bob", "division", json!([["Hood"]])), Refused),
            (
                decide("bob", "division", json!([["McLaws"]])),
                of(json!({ "division": ["Hood", "McLaws"], "remaining": 1 })),
            ),
            idle(&[6, 5]),
            (roll("bob", &three("D4"), &[5, 6, 5]), Needs("division", "bob")),
            (decide("bob", "division", json!([["Pickett"]])), of(json!({ "accepted": 1 }))),
            idle(&[6, 5]),
            (roll("bob", &three("D4"), &[6, 5]), Refused),
            (roll("bob", &confederate(json!({})), &[6, 5]), Void("nobody")),
        ],
    );
    g.goes(
        "drags-then-immediate",
        "an order that divisions accept is accepted in full",
        to_confederate(40),
        &[
            (roll("bob", &three("D4"), &[4, 5, 1]), of(json!({ "by_division": 1 }))),
            idle(&[6, 5]),
            (roll("bob", &three("D4"), &[1, 3, 3, 1]), of(json!({ "accepted": 1 }))),
        ],
    );
}

fn losses(g: &mut Game<'_>) {
    let three = union(json!({ "leader": [
        leader("Wadsworth", "division", 2, 3), leader("Doubleday", "division", 2, 8), leader("Robinson", "division", 3, 2),
        leader("Ames", "division", 1, 9),
    ] }));
    g.goes(
        "r03-division-loss",
        "R3: three are eligible: these are the pool, and nobody is asked",
        to_union(20),
        &[
            (
                roll("ann", &three, &[5, 2, 2, 3, 3, 4]),
                Done(json!({ "entries": { "union/leader/Robinson": { "wounded": 1 } } })),
            ),
            (roll("bob", &confederate(json!({})), &[6, 5]), Void("nobody")),
            (roll("ann", &three, &[6, 5]), Refused),
        ],
    );
    let names = ["Wadsworth", "Doubleday", "Robinson", "Barlow", "Schurz"];
    let five = union(json!({ "leader": names.map(|name| leader(name, "division", 2, 3)) }));
    let hit = || Done(json!({ "entries": { "union/leader/Robinson": { "wounded": 1 } }, "pending": null }));
    let asked = || (roll("ann", &five, &[5, 2, 2, 3]), Needs("division-loss-enemy", "bob"));
    g.goes(
        "r03-picks-asked",
        "the enemy names two, then the owner one, then more dice",
        to_union(20),
        &[
            asked(),
            (decide("ann", "division-loss-owner", json!(["Robinson"])), Refused),
            (decide("bob", "division-loss-enemy", json!(["Wadsworth"])), Refused),
            (decide("bob", "division-loss-enemy", json!(["Wadsworth", "Wadsworth"])), Refused),
            (decide("bob", "division-loss-enemy", json!(["Wadsworth", "Meade"])), Refused),
            (
                decide("bob", "division-loss-enemy", json!(["Doubleday", "Wadsworth"])),
                Needs("division-loss-owner", "ann"),
            ),
            (decide("ann", "division-loss-owner", json!(["Doubleday"])), Refused),
            (decide("ann", "division-loss-owner", json!(["Robinson"])), Needs("more", "ann")),
            (roll("ann", &five, &[3, 4]), Refused),
            (roll("bob", &json!({}), &[3, 4]), Refused),
            (roll("ann", &json!({}), &[3, 4]), hit()),
        ],
    );
    let own = || json!({ "division-loss-owner": ["Doubleday", "Ames", "Robinson", "Barlow"] });
    let theirs = json!({ "division-loss-enemy": ["Reynolds", "Wadsworth", "Doubleday", "Schurz"] });
    g.goes(
        "r03-picks-standing",
        "both have ranked lists: the first who are eligible and free count, the enemy's before the owner's",
        to_union(20),
        &[
            asked(),
            (note("ann", own()), Refused),
            (note("bob", theirs), Needs("division-loss-owner", "ann")),
            (note("ann", own()), Needs("more", "ann")),
            (roll("ann", &json!({}), &[3, 4]), hit()),
        ],
    );
    g.goes(
        "r03-picks-of-the-owner",
        "the owner's list waits for the enemy's decision",
        to_union(20),
        &[
            asked(),
            (
                decide("bob", "division-loss-enemy", json!(["Doubleday", "Wadsworth"])),
                Needs("division-loss-owner", "ann"),
            ),
            (note("ann", own()), Needs("more", "ann")),
            (roll("ann", &json!({}), &[3, 4]), hit()),
        ],
    );
    g.goes(
        "r03-short-note",
        "what is no list of names, or has one who is eligible, says nothing; whatever else the note says",
        to_union(20),
        &[
            asked(),
            (note("bob", json!({ "division-loss-enemy": ["Meade", "Barlow"] })), Refused),
            (note("bob", json!({ "division-loss-enemy": "Barlow" })), Refused),
            (note("bob", json!({ "division-loss-enemy": [] })), Refused),
            (note("bob", json!({ "division-loss-enemy": ["Barlow", "Barlow", "Schurz"] })), Refused),
            (note("bob", json!({ "division-loss-enemy": ["Barlow", "Schurz", 1] })), Refused),
            (note("bob", json!({ "orders": { "division-loss-enemy": ["Barlow", "Schurz"] } })), Refused),
            (
                note("bob", json!({ "division-loss-enemy": ["Barlow", "Schurz"], "regiments": 1 })),
                Needs("division-loss-owner", "ann"),
            ),
        ],
    );
    let many: Vec<String> = (0..63).map(|i| format!("Nobody {i}")).collect();
    let last = |many: &[String]| {
        let names = [many, &["Barlow".into(), "Schurz".into()]].concat();
        json!({ "division-loss-enemy": names })
    };
    g.goes(
        "r03-long-note",
        "a list of 65 says nothing, one of 64 does",
        to_union(20),
        &[
            asked(),
            (note("bob", last(&many)), Refused),
            (note("bob", last(&many[1..])), Needs("division-loss-owner", "ann")),
        ],
    );
    let mut ordering = five.clone();
    ordering["orders"] = json!({});
    g.goes(
        "r03-orders-refused",
        "an input orders nothing: the enemy would read it first",
        to_union(20),
        &[(roll("ann", &ordering, &[5, 2, 2, 3]), Refused), asked()],
    );
    let lee = |more: Value| confederate(json!({ "leader": more }));
    let alone = lee(json!([leader("Lee", "army", 4, 30), leader("Longstreet", "corps", 4, 10)]));
    g.goes("r04-army-commander", "R4: Lee is killed, the one corps commander takes over; later there is no Lee", to_confederate(20), &[
        (
            roll("bob", &alone, &[1, 2, 1, 1, 6]),
            Done(json!({ "entries": { "confederate/leader/Lee": { "killed": 1 }, "confederate/leader/Longstreet": { "promoted": 1 } } })),
        ),
        (roll("ann", &union(json!({})), &[6, 5]), Void("nobody")),
        (roll("bob", &alone, &[6, 5]), Refused),
        (roll("bob", &lee(json!([leader("Longstreet", "corps", 4, 10)])), &[6, 5]), Refused),
        (roll("bob", &lee(json!([with(json!({ "l": leader("Longstreet", "army", 4, 10) }), json!({ "l": { "replacement": true } }))["l"]])), &[1, 2, 1, 1]), Void("nobody")),
    ]);
    let corps =
        json!([leader("Lee", "army", 4, 30), leader("Longstreet", "corps", 4, 10), leader("Ewell", "corps", 2, 10)]);
    g.goes("r04-successor", "with two corps commanders their owner says who ranks; no die depends on it", to_confederate(20), &[
        (roll("bob", &lee(corps), &[1, 2, 1, 1, 5]), Needs("successor", "bob")),
        (decide("bob", "successor", json!("Lee")), Refused),
        (decide("bob", "successor", json!("Longstreet")), Done(json!({ "entries": { "confederate/leader/Lee": { "wounded": 1 }, "confederate/leader/Longstreet": { "promoted": 1 } } }))),
    ]);
    g.goes(
        "r04-nobody-left",
        "no corps commander: the post stays empty",
        to_confederate(20),
        &[(
            roll("bob", &lee(json!([leader("Lee", "army", 4, 30)])), &[1, 2, 1, 1, 5]),
            Done(json!({ "entries": { "confederate/leader/Lee": { "wounded": 1 } } })),
        )],
    );
    let hill =
        with(json!({ "l": leader("Hill", "corps", 3, 10) }), json!({ "l": { "replacement": true } }))["l"].clone();
    let longstreet =
        with(json!({ "l": leader("Longstreet", "corps", 4, 10) }), json!({ "l": { "longstreet": true } }))["l"].clone();
    let both = lee(json!([hill, longstreet]));
    g.goes(
        "corps-loss",
        "a replacement does not count; what the letters have established binds the facts",
        to_confederate(20),
        &[
            (
                roll("bob", &both, &[1, 2, 1, 2, 5]),
                Done(json!({ "marks": { "confederate": { "longstreet_lost": 1, "ratings_lost": 4 } } })),
            ),
            (roll("ann", &union(json!({})), &[6, 5]), Void("nobody")),
            (roll("bob", &lee(json!([hill])), &[6, 5]), Refused),
            (
                roll("bob", &with(lee(json!([hill])), json!({ "facts": { "longstreet_casualty": true } })), &[4, 1]),
                Void("when"),
            ),
        ],
    );
    g.goes(
        "r12-brigade-loss",
        "R12: one brigadier within 4 hexes: no picks, no selection draw",
        to_union(20),
        &[(
            roll(
                "ann",
                &union(json!({ "leader": [leader("Baxter", "brigade", 1, 5), leader("Paul", "brigade", 1, 4)] })),
                &[3, 4, 2, 6, 5],
            ),
            Done(json!({ "entries": { "union/leader/Paul": { "killed": 1 } } })),
        )],
    );
}

fn panics(g: &mut Game<'_>) {
    g.refused("settings-days", "July 3 is not before July 2", |_, settings| settings["july_3"] = json!(30));
    let mut lost = to_union(20);
    lost["marks"] = json!({ "union": { "ratings_lost": 4 } });
    let stated = |n: u64| with(union(json!({})), json!({ "facts": { "lost_ratings": n } }));
    g.goes(
        "ratings-lost",
        "what the letters have established is the least that is stated",
        lost.clone(),
        &[(roll("ann", &stated(3), &[6, 5]), Refused), (roll("ann", &stated(4), &[6, 5]), Void("nobody"))],
    );
    lost["marks"]["union"]["ratings_lost"] = json!(120);
    g.goes(
        "ratings-lost-off-the-track",
        "and the highest number of the fact is never too low",
        lost,
        &[(roll("ann", &stated(98), &[6, 5]), Refused), (roll("ann", &stated(99), &[6, 5]), Void("nobody"))],
    );
    let strange = with(union(json!({})), json!({ "facts": { "longstreet_attacks": true } }));
    g.goes(
        "fact-of-the-other",
        "Union states nothing of Longstreet",
        to_union(20),
        &[(roll("ann", &strange, &[6, 5]), Refused)],
    );
    let wrecked =
        |n: u64, ratings: u64| with(union(json!({})), json!({ "facts": { "wrecked": n, "lost_ratings": ratings } }));
    g.goes(
        "r05-panic-check",
        "R5: five wrecked divisions, 14: no panic; with ratings of 10 lost one row down: panic; then no more",
        to_union(20),
        &[
            (roll("ann", &wrecked(5, 9), &[6, 6, 1, 4]), Void("nothing")),
            (roll("bob", &confederate(json!({})), &[6, 5]), Void("nobody")),
            (roll("ann", &wrecked(5, 10), &[6, 6, 1, 4]), Done(json!({ "marks": { "union": { "panicked": 1 } } }))),
            (roll("bob", &confederate(json!({})), &[6, 5]), Void("nobody")),
            (roll("ann", &wrecked(5, 10), &[6, 6]), Void("when")),
        ],
    );
    g.goes(
        "r05-last-row",
        "one row down from the last is the last",
        to_union(20),
        &[(roll("ann", &wrecked(10, 10), &[6, 6, 3, 4]), Void("nothing"))],
    );
    g.goes(
        "r05-row-2",
        "R5: the missing row 2 is a panic check",
        to_union(20),
        &[(roll("ann", &wrecked(6, 0), &[1, 1, 1, 4]), Done(json!({ "marks": { "union": { "panicked": 1 } } })))],
    );
    for (value, draws, comes) in [("none", &[1, 1][..], Void("stop")), ("leader", &[1, 1, 1, 2], Void("nobody"))] {
        g.settings["entry2"] = json!(value);
        g.goes(
            &format!("r05-row-2-{value}"),
            "or what the setting says",
            to_union(20),
            &[(roll("ann", &wrecked(6, 0), draws), comes)],
        );
    }
    g.settings = settings();
}

fn choices(g: &mut Game<'_>) {
    let four = union(json!({ "corps": [{ "name": "I" }, { "name": "XI" }, { "name": "III" }, { "name": "XII" }] }));
    let idle = || (roll("bob", &confederate(json!({})), &[6, 5]), Void("nobody"));
    g.goes(
        "r06-sickles",
        "R6: declined before the draw, then accepted, then no more that day",
        to_union(20),
        &[
            (roll("ann", &four, &[4, 1]), Needs("sickles", "bob")),
            (decide("bob", "sickles", json!("perhaps")), Refused),
            (decide("bob", "sickles", json!("decline")), Void("stop")),
            idle(),
            (roll("ann", &four, &[4, 1]), Needs("sickles", "bob")),
            (decide("bob", "sickles", json!("accept")), Needs("more", "ann")),
            (roll("ann", &json!({}), &[1]), Needs("loose-cannon", "bob")),
            (
                decide("bob", "loose-cannon", json!([["attack Herr Ridge"]])),
                Done(json!({ "used": { "sickles": { "union": 1 } } })),
            ),
            idle(),
            (roll("ann", &four, &[4, 1]), Void("limit")),
        ],
    );
    g.goes(
        "r06-sickles-standing",
        "a standing note accepts; without a corps nobody is asked",
        to_union(20),
        &[
            (roll("ann", &union(json!({})), &[4, 1]), Void("nobody")),
            idle(),
            (roll("ann", &four, &[4, 1]), Needs("sickles", "bob")),
            (note("bob", json!({ "sickles": "perhaps" })), Refused),
            (note("bob", json!({ "sickles": "accept" })), Needs("more", "ann")),
            (roll("ann", &json!({}), &[3]), Needs("loose-cannon", "bob")),
            (note("bob", json!({ "loose-cannon": [["attack Herr Ridge"]] })), Refused),
        ],
    );
    let one = union(json!({ "corps": [{ "name": "III" }] }));
    g.goes(
        "r06-sickles-one-corps",
        "one corps: no draw is left, and none is declared",
        to_union(20),
        &[
            (roll("ann", &one, &[4, 1]), Needs("sickles", "bob")),
            (decide("bob", "sickles", json!("accept")), Needs("loose-cannon", "bob")),
        ],
    );
    let units = union(json!({ "unit": [
        { "name": "24 Mich", "beside_own": true, "distance": 2 }, { "name": "19 Ind", "beside_own": false, "distance": 2 },
        { "name": "2 Wis", "beside_own": true, "distance": 4 }, { "name": "7 Wis", "beside_own": true, "distance": 5 },
    ] }));
    g.goes(
        "friendly-fire",
        "the enemy chooses among the units that qualify; the dice of the fire are thrown elsewhere",
        to_union(20),
        &[
            (roll("ann", &units, &[3, 4, 4, 5]), Needs("friendly-fire", "bob")),
            (decide("bob", "friendly-fire", json!("7 Wis")), Refused),
            (decide("bob", "friendly-fire", json!("2 Wis")), Done(json!({ "entries": {} }))),
        ],
    );
    g.settings["fire_dice"] = json!("sum");
    g.goes(
        "friendly-fire-dice",
        "or here, once it is known who is fired at",
        to_union(20),
        &[
            (roll("ann", &units, &[3, 4, 4, 5]), Needs("friendly-fire", "bob")),
            (decide("bob", "friendly-fire", json!("2 Wis")), Needs("more", "ann")),
            (roll("ann", &json!({}), &[4, 3]), Done(json!({ "entries": {} }))),
        ],
    );
    g.settings = settings();
    g.goes(
        "regiments",
        "owner and enemy move none, one or two different regiments",
        to_union(20),
        &[
            (roll("ann", &union(json!({})), &[3, 4, 5, 4]), Needs("regiments", "ann")),
            (decide("ann", "regiments", json!([["7 Wis", "A40.10"], ["7 Wis", "A40.11"]])), Refused),
            (decide("ann", "regiments", json!([["7 Wis"]])), Refused),
            (
                decide("ann", "regiments", json!([["7 Wis", "A40.10"], ["2 Wis", "A40.11"], ["6 Wis", "A40.12"]])),
                Refused,
            ),
            (decide("ann", "regiments", json!([["7 Wis", "A40.10"], ["2 Wis", "A40.10"]])), Done(json!({}))),
            (roll("bob", &confederate(json!({})), &[3, 4, 6, 6]), Needs("enemy-regiments", "ann")),
            (decide("ann", "enemy-regiments", json!([])), Done(json!({}))),
        ],
    );
}

fn longstreet(g: &mut Game<'_>) {
    let his = || confederate(json!({}));
    let idle = || (roll("ann", &union(json!({})), &[6, 5]), Void("nobody"));
    let armed = |n: u64| json!({ "marks": if n == 0 { json!({}) } else { json!({ "confederate": { "longstreet_armed": n } }) } });
    g.goes(
        "r07-longstreet-early",
        "R7: armed at 1:30 PM, rolled for from 2:00 PM: 9 fails, 10 enters; no second on July 1",
        to_confederate(12),
        &[
            (roll("bob", &his(), &[3, 2]), Done(armed(1))),
            idle(),
            (roll("bob", &his(), &[4, 5, 6, 5]), Void("nobody")),
            idle(),
            (roll("bob", &his(), &[6, 4, 6, 5]), Void("nobody")),
            idle(),
            (roll("bob", &his(), &[4, 1]), Void("limit")),
        ],
    );
    g.goes(
        "r07-after-two",
        "after 2:00 PM the first roll is that of the event's turn",
        to_confederate(15),
        &[
            (roll("bob", &his(), &[3, 2, 4, 5]), Done(armed(1))),
            idle(),
            (roll("bob", &his(), &[4, 5, 6, 5]), Void("nobody")),
        ],
    );
    g.settings["hood_regular"] = json!(15);
    g.settings["longstreet_regular"] = json!(14);
    g.settings["mclaws_regular"] = json!(14);
    g.goes(
        "r07-too-late",
        "all of them have come by the schedule",
        to_confederate(15),
        &[(roll("bob", &his(), &[3, 2]), Void("stop"))],
    );
    g.goes(
        "r07-overdue",
        "and nobody rolls any more once they do",
        to_confederate(12),
        &[
            (roll("bob", &his(), &[3, 2]), Done(armed(1))),
            idle(),
            (roll("bob", &his(), &[2, 2, 6, 5]), Void("nobody")),
            idle(),
            (roll("bob", &his(), &[2, 2, 6, 5]), Void("nobody")),
            idle(),
            (roll("bob", &his(), &[6, 5]), Void("nobody")),
        ],
    );
    g.settings = settings();
    let attacks = with(his(), json!({ "facts": { "longstreet_attacks": true } }));
    g.goes(
        "r08-longstreet-late",
        "R8: a free order and 24 movement points, once",
        to_confederate(40),
        &[
            (roll("bob", &his(), &[4, 1]), Needs("longstreet-order", "bob")),
            (decide("bob", "longstreet-order", json!([["attack Little Round Top"]])), Needs("longstreet-move", "bob")),
            (
                decide("bob", "longstreet-move", json!("yes")),
                Done(json!({ "used": { "longstreet-late": { "confederate": 1 } } })),
            ),
            idle(),
            (roll("bob", &his(), &[4, 1]), Void("limit")),
        ],
    );
    g.goes(
        "r08-with-attack-orders",
        "R8: with attack orders only the free order",
        to_confederate(40),
        &[
            (roll("bob", &attacks, &[4, 1]), Needs("longstreet-order", "bob")),
            (decide("bob", "longstreet-order", json!([])), Done(json!({}))),
        ],
    );
}

fn limits(g: &mut Game<'_>) {
    let idle = || (roll("bob", &confederate(json!({})), &[6, 5]), Void("nobody"));
    let brigadiers = union(json!({ "leader": [
        leader("A", "brigade", 0, 50), leader("B", "brigade", 1, 50), leader("C", "brigade", 0, 50),
        with(json!({ "l": leader("D", "brigade", 0, 50) }), json!({ "l": { "second": 1, "replacement": true } }))["l"],
        with(json!({ "l": leader("E", "brigade", 0, 50) }), json!({ "l": { "second": 2 } }))["l"],
        leader("F", "brigade", 0, 50), leader("G", "corps", 1, 50), leader("H", "division", 0, 50),
    ] }));
    let without = |names: &[&str]| {
        let mut input = brigadiers.clone();
        input["roster"]["leader"]
            .as_array_mut()
            .unwrap()
            .retain(|leader| !names.contains(&leader["name"].as_str().unwrap()));
        input
    };
    g.goes(
        "r09-arrest",
        "R9: four qualify, the third is arrested; nobody at the rolled echelon does not count; two a game",
        to_union(20),
        &[
            (
                roll("ann", &brigadiers, &[3, 4, 4, 2, 2, 3]),
                Done(
                    json!({ "entries": { "union/leader/D": { "arrested": 1 } }, "used": { "arrest": { "union": 1 } } }),
                ),
            ),
            idle(),
            (roll("ann", &without(&["D"]), &[3, 4, 4, 2, 6]), Void("nobody")),
            idle(),
            (roll("ann", &without(&["D"]), &[3, 4, 4, 2, 5]), Done(json!({ "used": { "arrest": { "union": 2 } } }))),
            idle(),
            (roll("ann", &without(&["D", "H"]), &[3, 4, 4, 2]), Void("limit")),
        ],
    );
    g.goes(
        "r09-arrest-confederate",
        "the Confederates roll no echelon",
        to_confederate(20),
        &[(
            roll(
                "bob",
                &confederate(json!({ "leader": [leader("Iverson", "brigade", 0, 1), leader("X", "corps", 0, 1)] })),
                &[3, 4, 4, 2],
            ),
            Done(json!({ "entries": { "confederate/leader/Iverson": { "arrested": 1 } } })),
        )],
    );
    let roll_nine = || roll("ann", &union(json!({})), &[4, 5]);
    for (name, turn, comes) in [
        ("r10-buford-july-1", 20, Void("when")),
        ("r10-buford", 40, Done(json!({ "used": { "buford": { "union": 1 } } }))),
    ] {
        g.goes(name, "R10: not on July 1", to_union(turn), &[(roll_nine(), comes)]);
    }
    let mut withdrawn = to_union(62);
    withdrawn["used"] = json!({ "buford": { "union": 1 } });
    g.goes("r10-buford-july-3", "R10: he is withdrawn already", withdrawn, &[(roll_nine(), Void("limit"))]);
    let brigades = |names: &[&str]| -> Value {
        names.iter().map(|name| json!({ "name": name, "enemy": *name == "his" })).collect()
    };
    let (ours, theirs) = (
        union(json!({ "brigade": brigades(&["Paul", "Baxter"]) })),
        confederate(json!({ "brigade": brigades(&["Iverson", "his"]) })),
    );
    let mut evening = to_union(59);
    evening["used"] = json!({});
    g.goes(
        "r11-ambush",
        "R11: once a day for each side; the mark lasts until the next roll",
        evening,
        &[
            (roll("ann", &ours, &[5, 5, 1]), Done(json!({ "entries": { "union/brigade/Paul": { "ambushed": 1 } } }))),
            (
                roll("bob", &theirs, &[5, 5]),
                Done(json!({ "entries": { "confederate/brigade/Iverson": { "ambushed": 1 } } })),
            ),
            (roll("ann", &ours, &[5, 5]), Void("limit")),
            (roll("bob", &theirs, &[5, 5]), Done(json!({ "used": { "ambush": { "confederate": 1 } } }))),
        ],
    );
    g.settings["ambush_limit"] = json!("both");
    g.settings["ambush"] = json!("any_random");
    g.goes(
        "ambush-both",
        "or once a day for both; any brigade of either side",
        to_union(50),
        &[
            (roll("ann", &ours, &[5, 5, 2]), Done(json!({ "entries": { "union/brigade/Baxter": { "ambushed": 1 } } }))),
            (roll("bob", &theirs, &[5, 5]), Void("limit")),
        ],
    );
    g.settings["ambush"] = json!("enemy_choice");
    g.goes(
        "ambush-enemy",
        "or the enemy chooses, with no die behind it",
        to_union(50),
        &[
            (roll("ann", &ours, &[5, 5]), Needs("ambushed-brigade", "bob")),
            (
                decide("bob", "ambushed-brigade", json!("Paul")),
                Done(json!({ "entries": { "union/brigade/Paul": { "ambushed": 1 } } })),
            ),
        ],
    );
    g.settings = settings();
}

/// R15: every value of the leader table, written in one row.
fn whole_table(g: &mut Game<'_>) {
    let mut steps = Vec::new();
    for n in 0..36_u64 {
        let (tens, units) = (n / 6 + 1, n % 6 + 1);
        let draws = [3, 4, tens, units];
        let union_rolls = n % 2 == 0;
        let (by, input) = if union_rolls { ("ann", union(json!({}))) } else { ("bob", confederate(json!({}))) };
        let other = if union_rolls { "bob" } else { "ann" };
        let value = 10 * tens + units;
        match value {
            42..=44 if union_rolls => steps.push((roll(by, &input, &[3, 4, tens, units, 1]), Void("nobody"))),
            54..=63 => {
                steps.push((roll(by, &input, &draws), Needs("regiments", if union_rolls { "ann" } else { "bob" })));
                steps.push((decide(by, "regiments", json!([])), Done(json!({}))));
            }
            64..=66 => {
                steps.push((
                    roll(by, &input, &draws),
                    Needs("enemy-regiments", if union_rolls { "bob" } else { "ann" }),
                ));
                steps.push((decide(other, "enemy-regiments", json!([])), Done(json!({}))));
            }
            _ => steps.push((roll(by, &input, &draws), Void("nobody"))),
        }
    }
    g.goes("r15-leader-table", "R15: all 36 values of the leader table", to_union(20), &steps);
    for (name, rows) in [
        ("r15-gap", json!({ "12-16": "corps-commander" })),
        ("r15-overlap", json!({ "11": "army-commander", "11-16": "corps-commander" })),
    ] {
        g.refused(name, "R15: a value without a row, or with two", |tables, _| {
            let all = tables["tables"]["leader-table"]["rows"].as_object_mut().unwrap();
            all.remove("11");
            all.remove("12-16");
            all.extend(rows.as_object().unwrap().clone());
        });
    }
}

pub(crate) fn company(name: &str, strength: u64, post: &str) -> Value {
    json!({ "name": name, "post": post, "strength": strength })
}

pub(crate) fn river(height: u64, companies: &[Value]) -> Value {
    json!({ "facts": { "river": height }, "roster": { "company": companies } })
}

fn invented(g: &mut Game<'_>) {
    let two = river(8, &[company("A", 5, "bridge"), company("B", 3, "bridge"), company("C", 2, "camp")]);
    g.goes(
        "first-example",
        "50 is a flood; at height 8 a 7 sweeps one of two away; he drowns",
        Value::Null,
        &[(roll("ann", &two, &[50, 7, 2, 1]), Done(json!({ "entries": { "north/company/B": { "lost": 1 } } })))],
    );
    g.goes("modifiers", "5 less for south: 61 is a flood; two scoutings move the flood a row down; 10 more from day 2 on, but no more than 100", Value::Null, &[
        (roll("ann", &river(3, &[]), &[80]), Needs("question", "ann")),
        (decide("ann", "question", json!([["0412"], ["0413"]])), Done(json!({ "marks": { "north": { "scouted": 1 } } }))),
        (roll("bob", &two, &[61, 4]), Void("nothing")),
        (roll("ann", &river(3, &[]), &[80]), Needs("question", "ann")),
        (decide("ann", "question", json!([])), Done(json!({ "marks": { "north": { "scouted": 2 } } }))),
        (roll("bob", &two, &[45]), Void("nothing")),
        (roll("ann", &river(3, &[company("A", 5, "bridge")]), &[60, 8, 3]), Done(json!({ "entries": { "north/company/A": { "tired": 1 } } }))),
    ]);
    let mut late = json!({ "entries": {}, "marks": {}, "pending": null, "side": "south", "turn": 11, "used": {} });
    let single = river(8, &[company("A", 5, "bridge")]);
    g.goes(
        "fog",
        "one company qualifies, and nobody is asked; the limit is of the day and of both",
        late.clone(),
        &[
            (roll("ann", &single, &[55]), Done(json!({ "used": { "fog-comes": { "north": 1 } } }))),
            (roll("bob", &single, &[60]), Void("limit")),
        ],
    );
    late["used"] = json!({ "fog-comes": { "south": 1 } });
    late["turn"] = json!(9);
    g.goes(
        "new-day",
        "a new day, a new count",
        late,
        &[
            (roll("bob", &two, &[1]), Refused),
            (roll("ann", &two, &[55]), Needs("fogbound", "bob")),
            (decide("bob", "fogbound", json!("C")), Refused),
            (note("bob", json!({ "fogbound": "A" })), Refused),
            (note("bob", json!({ "fogbound": ["C"] })), Refused),
            (decide("bob", "fogbound", json!("A")), Done(json!({ "used": { "fog-comes": { "north": 1 } } }))),
        ],
    );
}

fn contradicted(g: &mut Game<'_>) {
    let one = |strength: u64| river(8, &[company("A", strength, "bridge")]);
    let mut bad = |name: &str, about: &str, input: Value| {
        g.goes(name, about, Value::Null, &[(roll("ann", &input, &[1]), Refused)]);
    };
    bad("input-fact-missing", "every fact is stated", json!({ "roster": {} }));
    bad("input-fact-beyond", "within its type", json!({ "facts": { "river": 13 } }));
    bad("input-fact-unknown", "and no other", json!({ "facts": { "river": 3, "wind": 3 } }));
    bad("input-kind-unknown", "a kind of the file", json!({ "facts": { "river": 3 }, "roster": { "boat": [] } }));
    bad("input-attribute-missing", "every attribute is stated", river(3, &[json!({ "name": "A", "post": "camp" })]));
    bad(
        "input-attribute-unknown",
        "and no other",
        river(3, &[json!({ "name": "A", "post": "camp", "strength": 1, "luck": 1 })]),
    );
    bad("input-word-unknown", "a word of the list", river(3, &[company("A", 1, "river")]));
    bad("input-twice", "a name stands once", river(3, &[company("A", 1, "camp"), company("A", 2, "camp")]));
    bad("input-blank", "a name has no blank at its end", river(3, &[company("A ", 1, "camp")]));
    bad("input-name-of-65", "and at most 64 bytes", river(3, &[company(&"\u{e4}".repeat(33), 1, "camp")]));
    g.goes(
        "lost-is-gone",
        "who is lost stands in no roster",
        Value::Null,
        &[
            (roll("ann", &one(5), &[50, 7, 1]), Done(json!({ "entries": { "north/company/A": { "lost": 1 } } }))),
            (roll("bob", &one(5), &[1]), Void("nothing")),
            (roll("ann", &one(5), &[1]), Refused),
            (roll("ann", &river(8, &[]), &[1]), Void("nothing")),
        ],
    );
    let begun = json!({ "entries": {}, "marks": {}, "pending": null, "side": "north", "turn": 3, "used": {} });
    let mut bad = |name: &str, about: &str, change: Value| {
        let mut state = begun.clone();
        for (key, value) in change.as_object().unwrap() {
            state[key] = value.clone();
        }
        g.goes(&format!("state-{name}"), about, state, &[(roll("bob", &river(3, &[]), &[1]), Refused)]);
    };
    bad("of-a-stranger", "no such side", json!({ "side": "west" }));
    bad("mark-of-0", "a mark that is 0 does not stand there", json!({ "marks": { "north": { "scouted": 0 } } }));
    bad("no-such-mark", "nor one that there is not", json!({ "marks": { "north": { "seen": 1 } } }));
    bad("no-such-entry", "nor an entry of no kind", json!({ "entries": { "north/boat/A": { "lost": 1 } } }));
    bad("empty-entry", "nor one of which nothing is known", json!({ "entries": { "north/company/A": {} } }));
    bad("used-without-limit", "only limits are counted", json!({ "used": { "scouts": { "north": 1 } } }));
    bad(
        "pending-without-runs",
        "nobody is awaited",
        json!({ "pending": { "input": { "facts": { "river": 1 }, "roster": { "company": [] } }, "late": [], "runs": [] } }),
    );
    bad("unknown-field", "a state has these fields", json!({ "weather": "fog" }));
    bad("side-in-turn-0", "nobody has declared in turn 0", json!({ "turn": 0 }));
    let of_a = |entry: Value| json!({ "entries": { "north/company/A": entry } });
    bad("number-raised", "only words are raised", of_a(json!({ "strength": 3 })));
    bad("mark-of-text", "a mark is a number", of_a(json!({ "lost": "yes" })));
    bad("mark-beyond", "up to 9999", of_a(json!({ "lost": 10000 })));
    let pending = |input: Value, change: Value| {
        let mut run =
            json!({ "bound": {}, "event": "scouts", "path": ["scouts"], "picks": [], "step": 1, "values": {} });
        run.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let mut state = begun.clone();
        state["pending"] = json!({ "input": input, "late": [run], "runs": [] });
        state
    };
    let input = || json!({ "facts": { "river": 3 }, "roster": { "company": [company("A", 1, "bridge")] } });
    let answer = || decide("ann", "question", json!([]));
    g.goes(
        "state-pending",
        "a late run that waits for lines",
        pending(input(), json!({})),
        &[(answer(), Done(json!({ "pending": null })))],
    );
    let mut bad = |name: &str, about: &str, state: Value, step: Value| {
        g.goes(&format!("state-pending-{name}"), about, state, &[(step, Refused)]);
    };
    let without = json!({ "facts": { "river": 3 }, "roster": {} });
    bad("without-kind", "the input has every kind", pending(without, json!({})), answer());
    let values = |values: Value| pending(input(), json!({ "values": values }));
    bad("value-of-nothing", "values are of dice and choices", values(json!({ "luck": 1 })), answer());
    bad("value-of-a-fact", "and of nothing else", values(json!({ "river": 1 })), answer());
    let bound = pending(input(), json!({ "bound": { "company": "B" } }));
    bad("bound", "who is in a register is in the roster", bound, answer());
    let dice = pending(input(), json!({ "event": "swept-away", "path": ["swept-away"], "step": 0 }));
    bad("late-of-dice", "who waits late waits for a decision", dice, roll("ann", &json!({}), &[1]));
    let first = json!({ "entries": {}, "marks": { "north": { "scouted": 1 } }, "pending": null, "side": null, "turn": 0, "used": {} });
    g.goes(
        "state-begun-with-marks",
        "nothing is established in turn 0",
        first,
        &[(roll("ann", &river(3, &[]), &[1]), Refused)],
    );
    let mut short = begun.clone();
    short.as_object_mut().unwrap().remove("pending");
    g.goes("state-field-missing", "null is written", short, &[(roll("bob", &river(3, &[]), &[1]), Refused)]);
}

fn refused(g: &mut Game<'_>) {
    let step = |tables: &mut Value, event: &str, at: usize, step: Value| tables["events"][event]["steps"][at] = step;
    g.refused("load-add-of-a-setting", "only a register's bool counts as a number", |t, _| {
        t["events"]["scouts"]["steps"][0]["add"] = json!("fog");
    });
    g.refused("load-gap", "a value without a row", |t, _| {
        t["tables"]["fortunes"]["rows"].as_object_mut().unwrap().remove("41-60");
    });
    g.refused("load-overlap", "a value in two rows", |t, _| t["tables"]["fortunes"]["rows"]["40"] = json!("scouts"));
    g.refused("load-beyond", "a value that the dice do not have", |t, _| {
        let rows = t["tables"]["fortunes"]["rows"].as_object_mut().unwrap();
        rows.remove("91-100");
        rows.insert("91-101".into(), json!("ambuscade"));
    });
    g.refused("load-zeros", "a range has one form", |t, _| {
        let rows = t["tables"]["fortunes"]["rows"].as_object_mut().unwrap();
        rows.remove("1-40");
        rows.insert("01-40".into(), json!("nothing"));
    });
    g.refused("load-dice", "dice that do not exist", |t, _| t["tables"]["fortunes"]["dice"] = json!("2d1"));
    g.refused("load-no-end", "the last row has no end", |t, _| {
        let rows = t["tables"]["flood"]["rows"].as_object_mut().unwrap();
        let row = rows.remove("8+").unwrap();
        rows.insert("8-12".into(), row);
    });
    g.refused("load-row-between", "rows without a number between", |t, _| {
        t["tables"]["flood"]["rows"].as_object_mut().unwrap().remove("4-7");
    });
    g.refused("load-inner-gap", "a value without a row in one of the rows", |t, _| {
        t["tables"]["flood"]["rows"]["4-7"] = json!({ "1-9": "nothing" })
    });
    g.refused("load-target", "a target that there is not", |t, _| {
        t["tables"]["fortunes"]["rows"]["1-40"] = json!("calm")
    });
    g.refused("load-unreachable", "an event to which nothing leads", |t, _| {
        t["events"]["calm"] = json!({ "steps": [{ "do": "tell", "say": "calm" }] })
    });
    g.refused("load-loop", "a way back to itself", |t, _| {
        step(t, "scouts", 0, json!({ "do": "go", "to": "fortunes" }))
    });
    g.refused("load-void-after-change", "what may be void stands in front of what changes", |t, _| {
        step(t, "scouts", 1, json!({ "do": "stop" }))
    });
    g.refused("load-kind-of-step", "a step of no kind", |t, _| step(t, "scouts", 1, json!({ "do": "jump" })));
    g.refused("load-field-missing", "a step lacks a field", |t, _| {
        step(t, "scouts", 0, json!({ "do": "mark", "mark": "scouted" }))
    });
    g.refused("load-field-of-another", "a step has a field of another", |t, _| {
        step(t, "swept-away", 1, json!({ "do": "roll", "die": "swim", "kind": "company" }))
    });
    g.refused("load-die", "a die that there is not", |t, _| {
        step(t, "swept-away", 1, json!({ "do": "roll", "die": "dive" }))
    });
    g.refused("load-mark", "a mark that there is not", |t, _| {
        step(t, "scouts", 0, json!({ "do": "mark", "mark": "seen", "add": 1 }))
    });
    g.refused("load-register", "a register that nothing fills", |t, _| {
        step(t, "swept-away", 3, json!({ "do": "mark", "on": "boat", "mark": "tired", "add": 1 }))
    });
    g.refused("load-condition", "a condition is terms", |t, _| {
        t["events"]["scouts"]["when"] = json!("day >= 2 and fog")
    });
    g.refused("load-condition-name", "a name that there is not", |t, _| t["events"]["scouts"]["when"] = json!("night"));
    g.refused("load-condition-word", "a word that is none of the list", |t, _| {
        t["events"]["swept-away"]["steps"][0]["where"] = json!("post = river")
    });
    g.refused("load-condition-order", "words have no order in front of an operator", |t, _| {
        t["events"]["swept-away"]["steps"][0]["where"] = json!("post < camp")
    });
    g.refused("load-condition-bool", "a bool is not compared", |t, _| {
        t["events"]["fog-comes"]["when"] = json!("fog = 1")
    });
    g.refused("load-ask-twice", "a decision has one name", |t, _| {
        t["events"]["fog-comes"]["steps"][0]["ask"] = json!("question")
    });
    g.refused("load-name-taken", "names of settings, facts, marks and dice differ", |t, _| {
        t["marks"]["river"] = json!("twice")
    });
    g.refused("load-attribute-taken", "attributes are no global names", |t, _| {
        t["kinds"]["company"]["attributes"]["fog"] = json!({ "values": "bool" })
    });
    g.refused("load-idle-mark", "a mark that nothing needs", |t, _| t["marks"]["seen"] = json!("by nobody"));
    g.refused("load-idle-fact", "a fact that nothing needs", |t, _| t["facts"]["wind"] = json!({ "values": "0..9" }));
    g.refused("load-type", "a type is one of three", |t, _| t["facts"]["river"]["values"] = json!("9..0"));
    g.refused("load-prefill", "a pre-fill is one of the values", |t, _| t["settings"]["fog"]["prefill"] = json!("yes"));
    g.refused("load-sides", "sides are two", |t, _| t["sides"] = json!(["north", "north"]));
    g.refused("load-main", "each side has a main table", |t, _| {
        t["main"].as_object_mut().unwrap().remove("south");
    });
    g.refused("load-limit-without", "per and of are for a limit", |t, _| {
        t["events"]["fog-comes"].as_object_mut().unwrap().remove("limit");
    });
    g.refused("load-unknown-field", "the file has these fields", |t, _| t["weather"] = json!({}));
    g.refused("load-source", "a source is user, house or test", |t, _| t["source"] = json!("me"));
    g.refused("load-control", "a text can be shown", |t, _| t["title"] = json!("a\u{7}b"));
    g.refused("load-days", "a day is a setting that is a number", |t, _| t["days"] = json!(["fog"]));
    g.refused("load-implies", "a mark of the kind", |t, _| t["kinds"]["company"]["implies"]["dead"] = json!("gone"));
    g.refused("load-raise", "only words are raised", |t, _| {
        step(t, "swept-away", 3, json!({ "do": "raise", "on": "company", "attribute": "strength" }))
    });
    g.refused("load-each", "each is for events of each turn", |t, _| t["events"]["scouts"]["each"] = json!("company"));
    g.refused("load-modifier", "a modifier has one form", |t, _| {
        t["tables"]["fortunes"]["modifiers"] = json!(["+10 if day >= 2"])
    });
    more_refused(g);
    g.refused("load-ask-of-pick", "only a choice is asked for", |t, _| {
        t["events"]["swept-away"]["steps"][0]["ask"] = json!("who")
    });
    g.refused("load-condition-ask", "a choice among entries has no word", |t, _| {
        t["events"]["scouts"]["when"] = json!("fogbound = A")
    });
    g.refused("load-main-side", "a side that there is not", |t, _| t["main"]["west"] = json!("fortunes"));
    g.refused("load-each-turn-side", "nor in each turn", |t, _| t["each_turn"] = json!({ "west": [] }));
    g.refused("load-by", "rows are by a number", |t, _| t["tables"]["flood"]["by"] = json!("fog"));
    g.refused("load-by-register", "and by one of the side", |t, _| {
        t["tables"]["flood"]["by"] = json!("company.strength")
    });
    g.refused("load-add-nothing", "a mark is added a number", |t, _| {
        step(t, "scouts", 0, json!({ "add": null, "do": "mark", "mark": "scouted" }))
    });
    g.refused("load-add-list", "and one number", |t, _| {
        step(t, "scouts", 0, json!({ "add": [1], "do": "mark", "mark": "scouted" }))
    });
    g.refused("load-no-table", "the charter carries the file", |t, _| *t = Value::Null);
}

fn more_refused(g: &mut Game<'_>) {
    let step = |tables: &mut Value, event: &str, at: usize, step: Value| tables["events"][event]["steps"][at] = step;
    g.refused("load-fact-side", "a fact is stated by a side that there is", |t, _| {
        t["facts"]["river"]["side"] = json!("west")
    });
    g.refused("load-fact-mark", "at_least is a mark", |t, _| t["facts"]["river"]["at_least"] = json!("seen"));
    g.refused("load-fact-words", "words are not at least anything", |t, _| {
        t["facts"]["wind"] = json!({ "at_least": "scouted", "values": "calm storm" });
        t["events"]["scouts"]["when"] = json!("wind = calm");
    });
    g.refused("load-register-of-two", "a register has entries of one kind", |t, _| {
        t["kinds"]["boat"] = json!({});
        step(t, "ambuscade", 1, json!({ "as": "company", "do": "pick", "kind": "boat" }));
    });
    g.refused("load-attribute-name", "an entry has its name anyhow", |t, _| {
        t["kinds"]["company"]["attributes"]["name"] = json!({ "values": "bool" })
    });
    g.refused("load-attribute-bare", "an attribute is an object", |t, _| {
        t["kinds"]["company"]["attributes"]["post"] = json!("bank bridge camp")
    });
    g.refused("load-attribute-about", "what is said about an attribute can be shown", |t, _| {
        t["kinds"]["company"]["attributes"]["post"]["about"] = json!("where it\u{7} stands")
    });
    g.refused("load-step-about", "what is said about a step is a text", |t, _| {
        t["events"]["scouts"]["steps"][1]["about"] = json!("")
    });
    g.refused("load-mark-twice", "a mark of a kind stands once", |t, _| {
        t["kinds"]["company"]["marks"] = json!(["lost", "tired", "tired"])
    });
    g.refused("load-ask-name", "a decision is typed in small letters", |t, _| {
        t["events"]["scouts"]["steps"][1]["ask"] = json!("Question_1")
    });
    g.refused("load-name-form", "a name has small letters", |t, _| {
        t["marks"]["Seen"] = json!("by somebody");
        step(t, "scouts", 0, json!({ "add": 1, "do": "mark", "mark": "Seen" }));
    });
    g.refused("load-d66-modifier", "nothing is added to a d66", |t, _| {
        let rows = json!({ "11-26": "nothing", "31-36": "flood", "41-46": "fog-comes", "51-56": "scouts", "61-66": "ambuscade" });
        (t["tables"]["fortunes"]["dice"], t["tables"]["fortunes"]["rows"]) = (json!("d66"), rows);
    });
    g.refused("load-no-steps", "an event does something", |t, _| t["events"]["fog-comes"]["steps"] = json!([]));
    g.refused("load-of-setting", "of is a setting with the words side and both", |t, _| {
        t["events"]["fog-comes"]["of"] = json!("fog")
    });
    g.refused("load-each-turn-twice", "an event of each turn stands once", |t, _| {
        t["tables"]["fortunes"]["rows"]["76-90"] = json!("nothing");
        t["each_turn"] = json!({ "north": ["scouts", "scouts"] });
    });
    g.refused("load-each-turn-target", "an event of each turn is no target", |t, _| {
        t["each_turn"] = json!({ "north": ["scouts"] })
    });
    g.refused("load-die-word", "the row of a die is a word", |t, _| {
        t["dice"]["swim"]["rows"]["1-2"] = json!("1drowned")
    });
    g.refused("load-tell-nothing", "tell says something", |t, _| step(t, "fog-comes", 1, json!({ "do": "tell" })));
    g.refused("load-choose-one-word", "a choice has two words", |t, _| {
        step(t, "scouts", 1, json!({ "ask": "question", "by": "owner", "do": "choose", "of": "accept" }))
    });
    g.refused("load-pool-of-ten", "a player picks nine at most", |t, _| {
        t["events"]["ambuscade"]["steps"][0]["enemy"] = json!(10)
    });
    g.refused("load-set-and-add", "a mark is set or raised", |t, _| {
        step(t, "scouts", 0, json!({ "add": 1, "do": "mark", "mark": "scouted", "set": 1 }))
    });
    g.refused("load-five-parts", "a line has four parts at most", |t, _| {
        t["events"]["scouts"]["steps"][1]["parts"] = json!("a b c d e")
    });
    g.refused("load-ten-lines", "and nine lines are written", |t, _| {
        t["events"]["scouts"]["steps"][1]["at_most"] = json!(10)
    });
    g.refused("load-condition-words-alone", "words are compared", |t, _| t["events"]["scouts"]["when"] = json!("side"));
    g.refused("load-condition-right", "a number is compared with a number", |t, _| {
        t["events"]["scouts"]["when"] = json!("river < fog")
    });
    g.refused("load-condition-sign", "a term has one of six signs", |t, _| {
        t["events"]["scouts"]["when"] = json!("river => 3")
    });
}

fn settings_refused(g: &mut Game<'_>) {
    let mut bad = |name: &str, about: &str, change: Value| {
        g.refused(&format!("settings-{name}"), about, |_, settings| {
            for (key, value) in change.as_object().unwrap() {
                settings[key] = value.clone();
            }
        });
    };
    bad("unknown", "a setting that the file does not have", json!({ "rain": true }));
    bad("beyond", "a value of its type", json!({ "second_day": 1 }));
    bad("first", "first is a side", json!({ "first": "ann" }));
    bad("same-roles", "two roles", json!({ "sides": { "north": "ann", "south": "ann" } }));
    bad("one-side", "of both sides", json!({ "sides": { "north": "ann" } }));
    bad("missing", "each is stated", json!({ "fog": null }));
    let given = json!({ "settings": g.settings, "steps": [], "system": "event-tables", "tables": {} });
    g.v.refused("course/events-load-other-table", g.spec, "the charter carries the file, by its name", given, "rule");
}

/// Writes cases of `what-if`, where only settings with a pre-fill may be left out.
fn cases(g: &mut Game<'_>) {
    let mut stated = g.settings.clone();
    stated.as_object_mut().unwrap().remove("fog");
    let case = |settings: &Value| {
        let input = json!({ "by": "ann", "declare": river(8, &[company("A", 5, "bridge")]) });
        let tables = json!({ "event-tables": g.tables });
        json!({ "case": { "system": "event-tables", "settings": settings, "tables": tables, "input": input, "draws": [55] } })
    };
    g.v.gives(
        "what-if/events-prefilled",
        "event-tables.md 3, 10",
        "what has a pre-fill may be left out",
        case(&stated),
        json!({}),
    );
    for unsaid in ["first", "second_day", "sides"] {
        let mut settings = stated.clone();
        settings.as_object_mut().unwrap().remove(unsaid);
        let about = format!("{unsaid} has no pre-fill, and is stated");
        let name = format!("what-if/events-without-{}", unsaid.replace('_', "-"));
        g.v.refused(&name, "vectors/README.md", &about, case(&settings), "rule");
    }
}
