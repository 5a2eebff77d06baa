//! Courses: turns and decisions in sequence.

use serde_json::{Value, json};

use crate::Vectors;

fn settings(change: Value) -> Value {
    let mut settings = json!({
        "first_player": null,
        "flux_holder": "first_mover",
        "pop_then_second": false,
        "sides": ["red", "blue"],
    });
    for (key, value) in change.as_object().unwrap() {
        settings[key] = value.clone();
    }
    settings
}

/// In these scenarios red has turn 1, so red holds the initiative in turn 2.
fn red(change: Value) -> Value {
    let mut settings = settings(change);
    settings["first_player"] = json!("red");
    settings
}

fn declare(by: &str, input: Value, draws: &[u64]) -> Value {
    json!({ "by": by, "declare": input, "draws": draws })
}

fn note(by: &str, says: Value) -> Value {
    json!({ "by": by, "note": says })
}

fn decide(by: &str, name: &str, value: Value) -> Value {
    json!({ "by": by, "decide": { "name": name, "value": value } })
}

fn order(by: &str, value: &str) -> Value {
    decide(by, "order", json!(value))
}

fn markers(names: &[&str]) -> Value {
    json!({ "markers": names })
}

/// The expected result of a step: fields of the state, or of the answer if the state has no such field.
enum Comes<'a> {
    To(Value),
    Needs(&'a str, &'a str),
    Refused,
}
use Comes::{Needs, Refused, To};

/// Checks who goes first, who holds the initiative, and whether the next turn is in Flux.
fn settled(first: &str, holder: Option<&str>, bar: &[&str]) -> Comes<'static> {
    To(json!({ "first": first, "holder": holder, "flux": holder.is_none(), "bar": bar, "pending": null }))
}

struct Course<'a> {
    v: &'a mut Vectors,
    rules: &'a str,
}

impl Course<'_> {
    fn goes(&mut self, name: &str, about: &str, settings: Value, steps: &[(Value, Comes<'_>)]) {
        self.from(name, about, json!({ "settings": settings }), steps);
    }

    fn from(&mut self, name: &str, about: &str, mut given: Value, steps: &[(Value, Comes<'_>)]) {
        given["system"] = json!("ocs-initiative");
        given["steps"] = steps.iter().map(|(step, _)| step.clone()).collect();
        let expect = sealed_dice::conformance::compute("course", &given);
        let got = expect["steps"].as_array().unwrap_or_else(|| panic!("{name}: {expect}"));
        for (i, (step, (_, comes))) in got.iter().zip(steps).enumerate() {
            let right = match comes {
                Refused => step == &json!({ "class": "rule" }),
                Needs(what, by) => step["needs"] == json!({ *what: by }) && step["outcome"] == "needs",
                To(known) => step["outcome"] == "done" && crate::contains(&step["state"], known),
            };
            assert!(right, "{name}, step {}: {step}", i + 1);
        }
        self.v.put(&format!("course/ocs-{name}"), &format!("ocs-initiative.md {}", self.rules), about, given, expect);
    }
}

pub(crate) fn all(v: &mut Vectors) {
    rules(&mut Course { v, rules: "5 to 13" });
    standing(&mut Course { v, rules: "7, 9 to 11, courses.md 14" });
    variants(&mut Course { v, rules: "1, 12, 13" });
    inputs(&mut Course { v, rules: "2, 6, 7" });
    decisions(&mut Course { v, rules: "10, 11, courses.md decide 4, 5" });
    states(&mut Course { v, rules: "4, 13" });
    settings_refused(v);
    cases(v);
}

const THREE: [&str; 3] = ["m1", "m2", "m3"];
const FIVE: [&str; 5] = ["a1", "a2", "a3", "a4", "a5"];

/// Red rolls 4 against 6, is 2 behind, and pops m1 and m2.
fn popped() -> [(Value, Comes<'static>); 2] {
    [
        (declare("red", markers(&THREE), &[2, 2, 3, 3]), Needs("pop", "red")),
        (decide("red", "pop", json!(["m1", "m2"])), settled("red", Some("red"), &["m1", "m2"])),
    ]
}

/// Writes the examples in the digest of the variant's rules, I1 to I11.
fn rules(c: &mut Course<'_>) {
    c.goes("popped", "red is 2 behind, and pops two of his three markers", red(json!({})), &popped());
    c.goes("first-player", "the scenario says who has turn 1: nothing is rolled", red(json!({})), &[]);
    c.goes("no-first-player", "turn 1 is a Flux turn, which the first of the sides declares", settings(json!({})), &[]);
    c.goes(
        "tie",
        "the holder wins a tie, and goes first",
        red(json!({})),
        &[
            (declare("red", json!({}), &[3, 4, 5, 2]), Needs("order", "red")),
            (order("red", "first"), settled("red", Some("red"), &[])),
        ],
    );
    let mut steps = Vec::from(popped());
    steps.push((declare("red", markers(&["m3"]), &[1, 2, 6, 5]), Needs("order", "blue")));
    steps.push((order("blue", "first"), settled("blue", None, &[])));
    c.goes(
        "transfer",
        "8 behind with one marker: blue takes the initiative, the Bar goes back",
        red(json!({})),
        &steps,
    );
    c.goes(
        "flux-tie",
        "in Flux a tie is rolled again",
        settings(json!({})),
        &[
            (declare("red", json!({}), &[4, 4, 5, 3, 2, 6, 1, 6]), Needs("order", "red")),
            (order("red", "first"), settled("red", Some("red"), &[])),
        ],
    );
    let mut steps = Vec::from(popped());
    steps.push((declare("red", markers(&FIVE), &[2, 3, 3, 3]), Needs("pop", "red")));
    steps.push((decide("red", "pop", json!([])), Needs("order", "blue")));
    steps.push((order("blue", "second"), settled("red", Some("red"), &[])));
    c.goes("left-to-the-holder", "blue controls and goes second: red goes on holding", red(json!({})), &steps);
    let mut steps = Vec::from(popped());
    steps.push((declare("red", markers(&["m3"]), &[6, 4, 2, 2]), Needs("order", "red")));
    steps.push((order("red", "second"), settled("blue", Some("blue"), &[])));
    steps.push((declare("red", json!({}), &[1, 1, 1, 1]), Refused));
    steps.push((declare("blue", json!({ "order": "first" }), &[6, 6, 1, 1]), settled("blue", Some("blue"), &[])));
    c.goes("given-up", "red goes second of his own will: blue holds, and no Flux turn follows", red(json!({})), &steps);
    let [(roll, asks), (pop, comes)] = popped();
    c.goes(
        "over-popping",
        "neither one nor three of three at 2 behind, and the decision stays open",
        red(json!({})),
        &[
            (roll, asks),
            (decide("red", "pop", json!(["m1"])), Refused),
            (decide("red", "pop", json!(["m1", "m2", "m3"])), Refused),
            (pop, comes),
        ],
    );
    c.goes(
        "pop-in-flux",
        "nobody has markers in a Flux turn",
        settings(json!({})),
        &[
            (decide("red", "pop", json!([])), Refused),
            (declare("red", markers(&["m1"]), &[2, 2, 3, 3]), Refused),
            (declare("red", json!({ "pop": { "at_most": 0, "from": [] } }), &[2, 2, 3, 3]), Refused),
            (declare("red", json!({}), &[2, 2, 3, 3]), Needs("order", "blue")),
            (decide("blue", "pop", json!([])), Refused),
        ],
    );
    for (name, winner, holder) in [("flux-second", "first_mover", "red"), ("flux-second-winner", "winner", "blue")] {
        c.goes(
            name,
            "the winner of a Flux turn goes second",
            settings(json!({ "flux_holder": winner })),
            &[
                (declare("red", json!({}), &[2, 1, 6, 6]), Needs("order", "blue")),
                (order("blue", "second"), settled("red", Some(holder), &[])),
                (declare(if holder == "red" { "blue" } else { "red" }, json!({}), &[]), Refused),
                (declare(holder, json!({ "order": "first" }), &[6, 6, 1, 1]), settled(holder, Some(holder), &[])),
            ],
        );
    }
    let mut steps = Vec::from(popped());
    steps.push((order("red", "second"), Refused));
    c.goes("pop-then-second-refused", "who has popped goes first", red(json!({})), &steps);
    let mut steps = Vec::from(popped());
    steps.push((declare("red", markers(&["m3"]), &[1, 2, 6, 5]), Needs("order", "blue")));
    steps.push((order("blue", "first"), settled("blue", None, &[])));
    steps.push((declare("blue", json!({}), &[6, 6, 1, 1]), Refused));
    steps.push((declare("red", json!({ "order": "first" }), &[6, 6, 1, 1]), settled("red", Some("red"), &[])));
    c.goes("flux-after-transfer", "after a transfer anybody may win, the last holder too", red(json!({})), &steps);
}

fn standing(c: &mut Course<'_>) {
    c.goes(
        "orders-of-the-holder",
        "what the holder ordered in his input is not asked",
        red(json!({})),
        &[(declare("red", json!({ "order": "second" }), &[6, 6, 1, 1]), settled("blue", Some("blue"), &[]))],
    );
    c.goes(
        "standing-note",
        "a note decides as its author would; that of another, or before it is asked for, does not",
        red(json!({})),
        &[
            (note("blue", json!({ "order": "second" })), Refused),
            (declare("red", json!({ "order": "first" }), &[1, 1, 6, 6]), Needs("order", "blue")),
            (note("red", json!({ "order": "second" })), Refused),
            (note("blue", json!({ "order": "second" })), settled("red", Some("red"), &[])),
        ],
    );
    c.goes(
        "standing-note-of-nothing",
        "a note decides what it names, in the words of a decision",
        red(json!({})),
        &[
            (declare("red", json!({}), &[1, 1, 6, 6]), Needs("order", "blue")),
            (note("blue", json!({ "orders": "second" })), Refused),
            (note("blue", json!({ "order": "third" })), Refused),
            (note("blue", json!({ "order": null })), Refused),
            (note("blue", json!({ "order": "first", "weather": "mud" })), settled("blue", None, &[])),
        ],
    );
    c.goes(
        "standing-note-in-flux",
        "in Flux the first of the sides declares, and the other's note counts",
        settings(json!({})),
        &[
            (declare("red", json!({}), &[1, 1, 6, 6]), Needs("order", "blue")),
            (note("blue", json!({ "order": "second" })), settled("red", Some("red"), &[])),
        ],
    );
    let from = json!({ "markers": FIVE, "pop": { "at_most": 3, "from": ["a4", "a2", "a5"] } });
    c.goes(
        "standing-pop",
        "2 behind: the first two of those that he would give up",
        red(json!({})),
        &[(declare("red", from.clone(), &[2, 2, 3, 3]), settled("red", Some("red"), &["a2", "a4"]))],
    );
    c.goes(
        "standing-pop-above",
        "4 behind: more than he would give up, so that blue controls",
        red(json!({})),
        &[(declare("red", from, &[1, 1, 3, 3]), Needs("order", "blue"))],
    );
    c.goes(
        "standing-pop-of-few",
        "3 behind, and only two are named",
        red(json!({})),
        &[(
            declare("red", json!({ "markers": FIVE, "pop": { "at_most": 9, "from": ["a1", "a2"] } }), &[1, 1, 2, 3]),
            Needs("order", "blue"),
        )],
    );
    c.goes(
        "standing-note-waits-for-the-pop",
        "red is asked whether they pop, and blue's note is for what comes after",
        red(json!({})),
        &[
            (declare("red", markers(&THREE), &[2, 2, 3, 3]), Needs("pop", "red")),
            (note("blue", json!({ "order": "second" })), Refused),
            (decide("red", "pop", json!([])), Needs("order", "blue")),
            (note("blue", json!({ "order": "second" })), settled("red", Some("red"), &[])),
        ],
    );
    c.goes(
        "standing-note-of-the-declarer",
        "the declarer's note decides likewise",
        red(json!({})),
        &[
            (declare("red", json!({}), &[1, 1, 1, 1]), Needs("order", "red")),
            (note("red", json!({ "order": "first" })), settled("red", Some("red"), &[])),
        ],
    );
    c.goes(
        "order-beside-the-pop",
        "the order of the input stands in the state while the pop is asked, with and without the variant",
        red(json!({})),
        &[
            (declare("red", json!({ "markers": THREE, "order": "first" }), &[2, 2, 3, 3]), Needs("pop", "red")),
            (decide("red", "pop", json!([])), Needs("order", "blue")),
        ],
    );
}

fn variants(c: &mut Course<'_>) {
    let then_second = || red(json!({ "pop_then_second": true }));
    c.goes(
        "pop-then-second",
        "red pops and goes second: the older markers go back at once, the new ones a turn later",
        then_second(),
        &[
            (declare("red", markers(&["m0"]), &[2, 2, 2, 3]), Needs("pop", "red")),
            (decide("red", "pop", json!(["m0"])), Needs("order", "red")),
            (order("red", "first"), settled("red", Some("red"), &["m0"])),
            (declare("red", markers(&THREE), &[2, 2, 3, 3]), Needs("pop", "red")),
            (decide("red", "pop", json!(["m1", "m3"])), Needs("order", "red")),
            (
                order("red", "second"),
                To(json!({ "first": "blue", "holder": "blue", "bar": [], "returning": ["m1", "m3"], "markers": [] })),
            ),
            (
                declare("blue", json!({ "order": "first" }), &[6, 6, 1, 1]),
                To(json!({ "first": "blue", "holder": "blue", "bar": [], "returning": [] })),
            ),
        ],
    );
    c.goes(
        "pop-then-second-ordered",
        "the same, all of it in the input",
        then_second(),
        &[(
            declare(
                "red",
                json!({ "markers": THREE, "order": "second", "pop": { "at_most": 2, "from": ["m3", "m1"] } }),
                &[2, 2, 3, 3],
            ),
            To(json!({ "first": "blue", "holder": "blue", "flux": false, "returning": ["m1", "m3"] })),
        )],
    );
    c.goes(
        "pop-then-second-asked-with-order",
        "the order of the input waits for the decision",
        then_second(),
        &[
            (declare("red", json!({ "markers": THREE, "order": "second" }), &[2, 2, 3, 3]), Needs("pop", "red")),
            (decide("red", "pop", json!(["m1", "m2"])), To(json!({ "holder": "blue", "returning": ["m1", "m2"] }))),
        ],
    );
    c.goes(
        "pop-goes-first",
        "without the variant a pop goes first, whatever the input orders",
        red(json!({})),
        &[(
            declare(
                "red",
                json!({ "markers": THREE, "order": "second", "pop": { "at_most": 2, "from": ["m3", "m1"] } }),
                &[2, 2, 3, 3],
            ),
            settled("red", Some("red"), &["m1", "m3"]),
        )],
    );
    c.goes(
        "bar-grows",
        "what stands on the Bar stays there while red keeps the initiative by himself",
        red(json!({})),
        &[
            (
                declare("red", json!({ "markers": THREE, "pop": { "at_most": 9, "from": THREE } }), &[2, 2, 2, 3]),
                settled("red", Some("red"), &["m1"]),
            ),
            (
                declare(
                    "red",
                    json!({ "markers": ["m2", "m3"], "pop": { "at_most": 9, "from": ["m3"] } }),
                    &[2, 2, 2, 3],
                ),
                settled("red", Some("red"), &["m1", "m3"]),
            ),
            (declare("red", json!({ "order": "first" }), &[2, 2, 2, 2]), settled("red", Some("red"), &["m1", "m3"])),
        ],
    );
}

fn inputs(c: &mut Course<'_>) {
    let bad = |c: &mut Course<'_>, name: &str, about: &str, input: Value| {
        c.goes(name, about, red(json!({})), &[(declare("red", input, &[6, 6, 1, 1]), Refused)]);
    };
    bad(c, "marker-none", "to type none pops nobody", markers(&["none"]));
    bad(c, "marker-twice", "a marker stands once", markers(&["m1", "m1"]));
    bad(c, "marker-without-name", "a name has a character", markers(&[""]));
    bad(c, "marker-of-33-letters", "and at most 32", markers(&["m23456789012345678901234567890123"]));
    bad(c, "marker-with-a-blank", "letters, digits and hyphens", markers(&["2nd Army"]));
    let names: Vec<String> = (0..65).map(|i| format!("m{i:02}")).collect();
    bad(c, "65-markers", "a player has at most 64", json!({ "markers": names }));
    bad(c, "order-third", "first or second", json!({ "order": "third" }));
    bad(c, "input-unknown", "nothing else is asked for", json!({ "reserves": 3 }));
    bad(
        c,
        "pop-of-another",
        "he pops what he declares",
        json!({ "markers": ["m1"], "pop": { "at_most": 1, "from": ["m2"] } }),
    );
    bad(
        c,
        "pop-twice-of-one",
        "each once",
        json!({ "markers": ["m1"], "pop": { "at_most": 2, "from": ["m1", "m1"] } }),
    );
    bad(c, "pop-65", "at most 64", json!({ "markers": [], "pop": { "at_most": 65, "from": [] } }));
    bad(c, "pop-without-number", "how many is said", json!({ "markers": ["m1"], "pop": { "from": ["m1"] } }));
    let mut steps = Vec::from(popped());
    steps.push((declare("red", markers(&["m1", "m3"]), &[6, 6, 1, 1]), Refused));
    c.goes("marker-on-the-bar", "m1 was popped, and is not in play", red(json!({})), &steps);
    let most: Vec<&str> = names[..62].iter().map(String::as_str).collect();
    let more: Vec<&str> = names[..63].iter().map(String::as_str).collect();
    let mut steps = Vec::from(popped());
    steps.push((declare("red", markers(&more), &[6, 6, 1, 1]), Refused));
    steps.push((declare("red", markers(&most), &[6, 6, 1, 1]), Needs("order", "red")));
    c.goes("64-with-the-bar", "64 in play and on the Bar together", red(json!({})), &steps);
    c.goes(
        "markers-in-any-order",
        "the input's one form is sorted; the order of giving up is kept",
        red(json!({})),
        &[(
            declare("red", json!({ "order": null, "markers": ["m3", "M3", "m10", "2"], "pop": { "from": ["m3", "2"], "at_most": 1 } }), &[2, 2, 2, 3]),
            To(json!({ "bar": ["m3"], "markers": ["2", "M3", "m10"] })),
        )],
    );
    c.goes(
        "another-declarer",
        "red holds, so that blue declares nothing",
        red(json!({})),
        &[(declare("blue", json!({}), &[6, 6, 1, 1]), Refused)],
    );
    c.goes(
        "draws-of-another-number",
        "a round takes four dice, no less and no more",
        red(json!({})),
        &[
            (declare("red", json!({}), &[6, 6, 1]), Refused),
            (declare("red", json!({}), &[6, 6, 1, 1, 1]), Refused),
            (declare("red", json!({}), &[6, 6, 1, 7]), Refused),
        ],
    );
    c.goes(
        "flux-tie-without-end",
        "a tie in Flux asks for four more",
        settings(json!({})),
        &[(declare("red", json!({}), &[6, 6, 6, 6]), Refused)],
    );
}

fn decisions(c: &mut Course<'_>) {
    let [(roll, asks), _] = popped();
    c.goes(
        "decisions-refused",
        "only what is asked, of whom it is asked, from among what is his",
        red(json!({})),
        &[
            (roll, asks),
            (decide("blue", "pop", json!(["m1", "m2"])), Refused),
            (order("red", "first"), Refused),
            (decide("red", "pop", json!(["m1", "m1"])), Refused),
            (decide("red", "pop", json!(["m1", "m4"])), Refused),
            (decide("red", "pop", json!("m1")), Refused),
            (decide("red", "pop", json!(2)), Refused),
            (json!({ "by": "red", "decide": { "name": "pop", "value": [] }, "note": { "pop": [] } }), Refused),
            (declare("red", json!({}), &[6, 6, 1, 1]), Refused),
            (decide("red", "pop", json!(["m3", "m1"])), settled("red", Some("red"), &["m1", "m3"])),
            (decide("red", "pop", json!(["m2"])), Refused),
        ],
    );
    c.goes(
        "order-unknown",
        "an order is first or second",
        red(json!({})),
        &[
            (declare("red", json!({}), &[6, 6, 1, 1]), Needs("order", "red")),
            (order("red", "third"), Refused),
            (decide("red", "order", json!(null)), Refused),
            (decide("red", "order", json!(["first"])), Refused),
            (order("blue", "first"), Refused),
            (order("red", "first"), settled("red", Some("red"), &[])),
            (order("red", "second"), Refused),
        ],
    );
}

fn states(c: &mut Course<'_>) {
    let between = json!({
        "bar": ["b1"], "first": "red", "flux": false, "holder": "red", "markers": ["m1"], "pending": null,
        "returning": [], "turn": 7,
    });
    let given = |settings: Value, change: Value| {
        let mut state = between.clone();
        for (key, value) in change.as_object().unwrap() {
            state[key] = value.clone();
        }
        json!({ "settings": settings, "state": state })
    };
    let roll = || declare("red", json!({ "order": "first" }), &[6, 6, 1, 1]);
    c.from(
        "state",
        "a course that is taken up at turn 8",
        given(red(json!({})), json!({})),
        &[(roll(), settled("red", Some("red"), &["b1"]))],
    );
    c.from(
        "state-returning",
        "what has the form is a state: no course without the variant comes to this one",
        given(red(json!({})), json!({ "bar": [], "markers": [], "returning": ["m1"] })),
        &[(roll(), settled("red", Some("red"), &[]))],
    );
    let awaits = |awaits: &str, deficit: u64, order: Value, popped: &[&str]| {
        let pending = json!({ "awaits": awaits, "by": "red", "deficit": deficit, "order": order, "popped": popped });
        json!({ "first": null, "pending": pending })
    };
    c.from(
        "state-popped-without-variant",
        "so is one in which who popped is asked for the order without the variant",
        given(red(json!({})), awaits("order", 1, Value::Null, &["b1"])),
        &[(roll(), Refused), (order("red", "first"), settled("red", Some("red"), &["b1"]))],
    );
    let mut bad = |name: &str, about: &str, settings: Value, change: Value| {
        c.from(&format!("state-{name}"), about, given(settings, change), &[(roll(), Refused)]);
    };
    bad("of-a-stranger", "carl is none of the sides", red(json!({})), json!({ "first": "carl", "holder": "carl" }));
    bad("flux-with-holder", "who holds is no Flux", red(json!({})), json!({ "flux": true }));
    bad(
        "bar-of-nobody",
        "the Bar is the holder's",
        red(json!({})),
        json!({ "flux": true, "holder": null, "markers": [] }),
    );
    bad("unsorted", "a list has one form", red(json!({})), json!({ "bar": ["b2", "b1"] }));
    bad("twice", "a marker is in one place", red(json!({})), json!({ "markers": ["b1"] }));
    bad("unknown-field", "a state has these fields", red(json!({})), json!({ "weather": "mud" }));
    bad("before-it-begins", "with a first player it begins behind turn 1", red(json!({})), json!({ "turn": 0 }));
    bad("on-its-way-back", "what goes back leaves nothing in play", red(json!({})), json!({ "returning": ["m2"] }));
    bad("nobody-first", "a settled turn says who goes first", red(json!({})), json!({ "first": null }));
    bad("turn-10000", "there is no such turn", red(json!({})), json!({ "turn": 10_000 }));
    let pops = |deficit: u64, popped: &[&str]| awaits("pop", deficit, Value::Null, popped);
    bad("pop-of-two", "he is asked for markers that he has", red(json!({})), pops(2, &[]));
    bad("pop-of-none", "he is asked for one at least", red(json!({})), pops(0, &[]));
    bad("popped-before", "he has not popped yet", red(json!({})), pops(1, &["b1"]));
    bad("ordered", "who is asked has not ordered", red(json!({})), awaits("order", 0, json!("first"), &[]));
    bad("popped-elsewhere", "what was popped is on the Bar", red(json!({})), awaits("order", 1, Value::Null, &["m1"]));
}

fn settings_refused(v: &mut Vectors) {
    let mut bad = |name: &str, about: &str, settings: Value| {
        let given = json!({ "system": "ocs-initiative", "settings": settings, "steps": [] });
        v.refused(&format!("course/ocs-settings-{name}"), "ocs-initiative.md 1", about, given, "rule");
    };
    bad("one-side", "the sides are two", settings(json!({ "sides": ["red"] })));
    bad("same-sides", "and differ", settings(json!({ "sides": ["red", "red"] })));
    bad("stranger-first", "the first player is one of them", settings(json!({ "first_player": "carl" })));
    bad("flux-holder", "first_mover or winner", settings(json!({ "flux_holder": "loser" })));
    bad("unknown", "a setting that the system does not have", settings(json!({ "bar_on_relinquish": "return" })));
    let mut missing = settings(json!({}));
    missing.as_object_mut().unwrap().remove("first_player");
    bad("missing", "each is stated", missing);
}

/// Writes cases of `what-if`, where settings and state may be left out.
fn cases(v: &mut Vectors) {
    let case = |input: Value, draws: Value| json!({ "case": { "system": "ocs-initiative", "settings": { "first_player": "red", "sides": ["red", "blue"] }, "input": input, "draws": draws } });
    v.gives(
        "what-if/ocs-turn",
        "ocs-initiative.md 8, 14",
        "the beginning, where the state is left out",
        case(json!({ "by": "red", "declare": { "markers": ["m1"] } }), json!([3, 4, 5, 2])),
        json!({}),
    );
    let mut bad = |name: &str, about: &str, input: Value| {
        v.refused(&format!("what-if/ocs-{name}"), "vectors/README.md", about, case(input, json!([3, 4, 5, 2])), "rule");
    };
    bad("both", "one step at a time", json!({ "by": "red", "declare": {}, "decide": { "name": "pop", "value": [] } }));
    bad("neither", "a step is something", json!({ "by": "red" }));
    bad("by-a-stranger", "carl is none of the sides", json!({ "by": "carl", "declare": {} }));
    bad(
        "decide-with-draws",
        "a decision rolls nothing",
        json!({ "by": "red", "decide": { "name": "order", "value": "first" } }),
    );
    let stated = json!({ "first_player": "red", "sides": ["red", "blue"] });
    for unsaid in ["first_player", "sides"] {
        let mut given = case(json!({ "by": "red", "declare": {} }), json!([3, 4, 5, 2]));
        given["case"]["settings"] = stated.clone();
        given["case"]["settings"].as_object_mut().unwrap().remove(unsaid);
        let about = format!("{unsaid} has no pre-fill, and is stated");
        v.refused(
            &format!("what-if/ocs-without-{}", unsaid.replace('_', "-")),
            "vectors/README.md",
            &about,
            given,
            "rule",
        );
    }
}
