//! Battles with orders that both sides seal: rounds, nights and new battles in sequence.

use serde_json::{Value, json};

use crate::Vectors;

/// A unit of infantry in good order.
pub(crate) fn unit(id: &str, at: &str, attack: u64, defense: u64, strength: u64) -> Value {
    json!({
        "at": at, "attack": attack, "defense": defense, "effectiveness": 100, "id": id, "kind": "infantry",
        "strength": strength,
    })
}

pub(crate) fn with(mut of: Value, change: Value) -> Value {
    for (key, value) in change.as_object().unwrap() {
        of[key] = value.clone();
    }
    of
}

pub(crate) fn settings(attacker: Vec<Value>, defender: Vec<Value>) -> Value {
    json!({
        "assault_cost": 2, "attacker": "ann", "chain": true, "defender": "bob", "effectiveness": "points",
        "facing": "any", "forces": { "attacker": attacker, "defender": defender }, "mixed": "off",
        "overrun": "any", "probe": "alternate", "recover_pct": 0, "scale_values": false, "season": "summer",
        "spill_absorbs": false,
    })
}

/// Builds orders in the form that is sealed, from `UNIT ORDER [AT]` and `LOCATION > LOCATION`.
pub(crate) fn orders(lines: &[&str]) -> Value {
    let (mut orders, mut excess) = (json!({}), json!({}));
    for line in lines {
        match *line.split(' ').collect::<Vec<_>>().as_slice() {
            [from, ">", to] => excess[from] = json!(to),
            [unit, order] => orders[unit] = json!({ "at": null, "order": order }),
            [unit, order, at] => orders[unit] = json!({ "at": at, "order": order }),
            _ => panic!("{line}"),
        }
    }
    json!({ "excess": excess, "orders": orders })
}

fn round(ann: &[&str], bob: &[&str], draws: &[u64]) -> Value {
    said(json!({ "ann": orders(ann), "bob": orders(bob) }), draws)
}

fn said(orders: Value, draws: &[u64]) -> Value {
    json!({ "by": "ann", "declare": {}, "orders": orders, "draws": draws })
}

fn decide(by: &str, name: &str, value: Value) -> Value {
    json!({ "by": by, "decide": { "name": name, "value": value } })
}

/// The expected result of a step: parts of what is public, and of the state.
enum Comes {
    To(Value),
    Leaves(Value, Value),
    Refused,
}
use Comes::{Leaves, Refused, To};

struct Course<'a> {
    v: &'a mut Vectors,
    rules: &'a str,
}

fn begins(settings: &Value, tables: &Value) -> Value {
    let given = json!({ "system": "cil", "settings": settings, "tables": tables, "steps": [] });
    sealed_dice::conformance::compute("course", &given)["begins"].clone()
}

impl Course<'_> {
    fn goes(&mut self, name: &str, about: &str, settings: Value, steps: &[(Value, Comes)]) {
        self.from(name, about, json!({ "settings": settings }), steps);
    }

    /// Writes a vector that begins in a state other than the first.
    fn later(&mut self, name: &str, about: &str, settings: Value, change: Value, steps: &[(Value, Comes)]) {
        let state = with(begins(&settings, &json!({})), change);
        self.from(name, about, json!({ "settings": settings, "state": state }), steps);
    }

    fn from(&mut self, name: &str, about: &str, mut given: Value, steps: &[(Value, Comes)]) {
        given["system"] = json!("cil");
        given["steps"] = steps.iter().map(|(step, _)| step.clone()).collect();
        let expect = sealed_dice::conformance::compute("course", &given);
        let got = expect["steps"].as_array().unwrap_or_else(|| panic!("{name}: {expect}"));
        for (i, (step, (_, comes))) in got.iter().zip(steps).enumerate() {
            let right = match comes {
                Refused => step == &json!({ "class": "rule" }),
                To(known) => crate::contains(&step["public"], known),
                Leaves(known, state) => {
                    crate::contains(&step["public"], known) && crate::contains(&step["state"], state)
                }
            };
            assert!(right, "{name}, step {}: {step:#}", i + 1);
        }
        self.v.put(&format!("course/cil-{name}"), &format!("cil.md {}", self.rules), about, given, expect);
    }
}

pub(crate) fn all(v: &mut Vectors) {
    rules(&mut Course { v, rules: "6 to 20" });
    refusals(&mut Course { v, rules: "5, 6, 8" });
    variants(&mut Course { v, rules: "1, 12 to 19" });
    overrun(&mut Course { v, rules: "11, 16, 17" });
    mixed(&mut Course { v, rules: "3, 14" });
    days(&mut Course { v, rules: "21 to 24" });
    states(&mut Course { v, rules: "4" });
    settings_refused(v);
    cases(v);
}

fn changed(units: Value) -> Comes {
    To(json!({ "changed": units }))
}

/// Writes the examples in the digest of the rules, C1 to C11.
fn rules(c: &mut Course<'_>) {
    c.goes(
        "c1-series",
        "Attack 12: 5, 3 and 4 are two hits and three draws",
        settings(vec![unit("a1", "main", 12, 0, 3)], vec![unit("b1", "main", 5, 0, 9)]),
        &[(
            round(&["a1 attack main"], &[], &[5, 3, 4]),
            changed(json!([["a1", 3, 3, 100, 95], ["b1", 9, 7, 100, 100]])),
        )],
    );
    c.goes(
        "c2-series",
        "what is used up is no hit; Attack 1 dug in does not draw",
        settings(
            vec![unit("a1", "main", 10, 0, 3), unit("a2", "main", 21, 0, 3), unit("a3", "main", 1, 0, 3)],
            vec![unit("b1", "main", 1, 0, 9)],
        ),
        &[(
            round(&["a1 attack main", "a2 attack main", "a3 attack main"], &["b1 dig-in"], &[10, 10, 10, 1, 1]),
            To(json!({ "fires": [
                { "at": "main", "hits": 0, "phase": "combat", "unit": "a1", "value": 10 },
                { "at": "main", "hits": 2, "phase": "combat", "unit": "a2", "value": 21 },
                { "at": "main", "hits": 0, "phase": "combat", "unit": "a3", "value": 1 },
                { "at": "main", "hits": 0, "phase": "combat", "unit": "b1", "value": 0 },
            ] })),
        )],
    );
    let spent = with(unit("b2", "main", 1, 0, 9), json!({ "effectiveness": 50 }));
    c.goes(
        "dug-in-without-attack",
        "dug in, Attack 0 and Attack 1 scaled to 0 have the value -1, and draw nothing",
        with(
            settings(vec![unit("a1", "main", 1, 0, 1)], vec![unit("b1", "main", 0, 0, 1), spent]),
            json!({ "scale_values": true }),
        ),
        &[(
            round(&["a1 attack main"], &["b1 dig-in", "b2 dig-in"], &[1]),
            To(json!({ "fires": [
                { "at": "main", "hits": 0, "phase": "combat", "unit": "a1", "value": 1 },
                { "at": "main", "hits": 0, "phase": "combat", "unit": "b1", "value": -1 },
                { "at": "main", "hits": 0, "phase": "combat", "unit": "b2", "value": -1 },
            ] })),
        )],
    );
    c.goes(
        "c3-absorption",
        "Defense 5: 2, 2 and 3 are two points",
        settings(vec![unit("a1", "main", 0, 0, 3)], vec![unit("b1", "main", 5, 5, 9)]),
        &[(
            round(&["a1 attack main"], &[], &[2, 2, 3]),
            To(json!({ "absorbs": [{ "phase": "combat", "points": 2, "unit": "b1", "value": 5 }] })),
        )],
    );
    c.goes(
        "c4-two-attack",
        "who has a combat order is struck first; he absorbs one of three",
        settings(
            vec![unit("a1", "main", 12, 4, 3), unit("a2", "main", 8, 0, 2)],
            vec![unit("b1", "main", 9, 6, 3), unit("b2", "main", 7, 0, 2)],
        ),
        &[(
            round(&["a1 attack main", "a2 attack main"], &["b1 dig-in", "b2 hold"], &[5, 3, 4, 3, 5, 2, 7, 4, 4, 3, 2]),
            Leaves(
                json!({
                    "changed": [["a1", 3, 3, 100, 95], ["a2", 2, 1, 100, 95], ["b1", 3, 1, 100, 100]],
                    "casualties": { "attacker": { "infantry": 1 }, "defender": { "infantry": 2 } },
                }),
                json!({ "engagements": 1, "ledger": {
                    "battle": { "attacker": { "a2": 1 }, "defender": { "b1": 2 } },
                    "day": [{ "attacker": { "a2": 1 }, "defender": { "b1": 2 } }],
                } }),
            ),
        )],
    );
    c.goes(
        "c5-probe",
        "every second casualty of a probe counts, on both sides",
        settings(
            vec![unit("a1", "left", 15, 0, 4)],
            vec![unit("b1", "right", 12, 0, 4), with(unit("b2", "main", 0, 0, 4), json!({ "effectiveness": 80 }))],
        ),
        &[(
            round(&["a1 probe right"], &["b1 dig-in", "b2 hold"], &[2, 3, 4, 6, 3, 2, 6]),
            changed(json!([["a1", 4, 3, 100, 97], ["b1", 4, 3, 100, 100], ["b2", 4, 4, 80, 83]])),
        )],
    );
    c.goes(
        "c6-assault",
        "main falls, and the excess takes the reserve, where what is left over is lost",
        settings(
            vec![unit("a1", "main", 14, 0, 5), unit("a2", "main", 11, 0, 5)],
            vec![unit("b1", "main", 6, 0, 2), unit("b2", "reserve", 0, 3, 2), unit("b3", "left", 0, 0, 2)],
        ),
        &[(
            round(
                &["a1 assault main", "a2 assault main", "main > reserve"],
                &["b1 dig-in"],
                &[9, 6, 10, 1, 5, 2, 3, 10, 4, 3, 9],
            ),
            Leaves(
                json!({
                    "changed": [
                        ["a1", 5, 5, 100, 88], ["a2", 5, 5, 100, 88], ["b1", 2, 0, 100, 100], ["b2", 2, 0, 100, 100],
                    ],
                    "overrun": [
                        { "at": "main", "on": "defender", "phase": "assault" },
                        { "at": "reserve", "on": "defender", "phase": "assault" },
                    ],
                }),
                json!({ "engagements": 2, "overrun": { "attacker": [], "defender": ["main", "reserve"] } }),
            ),
        )],
    );
    c.goes(
        "c7-no-orders-left",
        "when nobody with an order is left the others are struck",
        settings(
            vec![unit("a1", "main", 14, 0, 5)],
            vec![unit("b1", "main", 6, 0, 1), unit("b2", "main", 0, 0, 2), unit("b3", "main", 0, 3, 2)],
        ),
        &[(
            round(&["a1 attack main"], &["b1 dig-in"], &[2, 3, 4, 8, 6, 2, 2, 2, 1]),
            To(json!({
                "changed": [["a1", 5, 5, 100, 95], ["b1", 1, 0, 100, 100], ["b2", 2, 1, 100, 100]],
                "overrun": [],
            })),
        )],
    );
    let e = |of: Value, n: u64| with(of, json!({ "effectiveness": n }));
    c.goes(
        "c8-effectiveness",
        "who attacks loses, who rests gains, who is attacked does not",
        settings(
            vec![
                e(unit("a1", "main", 5, 0, 3), 60),
                e(unit("a2", "reserve", 5, 0, 3), 60),
                e(unit("a3", "left", 5, 0, 3), 60),
            ],
            vec![e(unit("b1", "left", 5, 0, 3), 99), e(unit("b2", "main", 5, 0, 3), 99)],
        ),
        &[(
            round(&["a1 attack main", "a3 dig-in"], &[], &[5]),
            changed(json!([["a1", 3, 3, 60, 55], ["a2", 3, 3, 60, 63], ["b1", 3, 3, 99, 100]])),
        )],
    );
    let two = || settings(vec![unit("a1", "main", 5, 0, 3)], vec![unit("b1", "main", 5, 0, 3)]);
    let engaged = |n: u64, season: &str| json!({ "engagements": n, "season": season, "round": n, "turn": n });
    c.later(
        "c9-fifth",
        "the fifth engagement of a summer's day ends it",
        two(),
        engaged(4, "summer"),
        &[(round(&["a1 attack main"], &[], &[5]), To(json!({ "ended": "day", "engagements": 5 })))],
    );
    c.later(
        "c9-assault",
        "an assault needs two engagements",
        two(),
        engaged(4, "summer"),
        &[(
            round(&["a1 assault main"], &[], &[]),
            To(json!({
                "refused": [{ "author": "ann", "entry": "a1", "why": "engagements" }], "ended": "day", "engagements": 4,
            })),
        )],
    );
    c.later(
        "c9-winter",
        "in winter the third is the last",
        two(),
        engaged(2, "winter"),
        &[(round(&["a1 attack main"], &[], &[5]), To(json!({ "ended": "day" })))],
    );
    for season in ["spring", "fall"] {
        c.later(
            &format!("c9-{season}"),
            "the fourth is the last; an assault takes the third and the fourth",
            two(),
            engaged(2, season),
            &[(round(&["a1 assault main"], &[], &[5, 5]), To(json!({ "ended": "day", "engagements": 4 })))],
        );
    }
    moves(c);
}

fn moves(c: &mut Course<'_>) {
    let forces = || {
        settings(
            vec![
                unit("a1", "left", 5, 0, 3),
                unit("a2", "left", 5, 0, 3),
                unit("a3", "reserve", 5, 0, 3),
                unit("a4", "main", 5, 0, 3),
            ],
            vec![unit("b1", "main", 5, 0, 3), unit("b2", "main", 5, 0, 3)],
        )
    };
    c.later(
        "c10-moves",
        "between the reserve and the others, not into what is OVERRUN, not when attacked",
        forces(),
        json!({ "overrun": { "attacker": ["right"], "defender": [] } }),
        &[(
            round(
                &["a1 move reserve", "a2 move main", "a3 move right", "a4 move reserve"],
                &["b1 attack main", "b2 move reserve"],
                &[5],
            ),
            To(json!({
                "refused": [
                    { "author": "ann", "entry": "a2", "why": "move" },
                    { "author": "ann", "entry": "a3", "why": "overrun" },
                ],
                "moves": [
                    { "failed": null, "to": "reserve", "unit": "a1" },
                    { "failed": "attacked", "to": "reserve", "unit": "a4" },
                    { "failed": null, "to": "reserve", "unit": "b2" },
                ],
                "changed": [["a1", 3, 3, 100, 95], ["b1", 3, 3, 100, 95], ["b2", 3, 3, 100, 95]],
            })),
        )],
    );
    c.goes(
        "c10-fallen-meanwhile",
        "the flank falls while he is on his way: he has paid, and stays",
        settings(
            vec![unit("a1", "left", 25, 0, 3)],
            vec![unit("b1", "right", 0, 0, 1), unit("b2", "reserve", 0, 0, 3)],
        ),
        &[
            (round(&["a1 assault right"], &["b2 move right"], &[1, 1, 1, 1, 1, 1, 10, 10, 10]), Refused),
            (
                round(&["a1 assault right"], &["b2 move right"], &[10, 10, 10, 10, 10, 10]),
                To(json!({
                    "moves": [{ "failed": "overrun", "to": "right", "unit": "b2" }],
                    "overrun": [{ "at": "right", "on": "defender", "phase": "assault" }],
                    "changed": [["a1", 3, 3, 100, 88], ["b1", 1, 0, 100, 100], ["b2", 3, 3, 100, 95]],
                })),
            ),
        ],
    );
    c.goes(
        "moves-alone",
        "nobody attacks: no engagement, no draw, and the day is over",
        forces(),
        &[(
            round(&["a1 move reserve", "a4 dig-in"], &["b1 dig-in"], &[]),
            Leaves(
                json!({ "ended": "day", "engagements": 0, "fires": [], "hits": [] }),
                json!({ "pending": { "awaits": "night", "by": "ann", "proposal": null } }),
            ),
        )],
    );
}

fn refusals(c: &mut Course<'_>) {
    let forces = || {
        settings(
            vec![unit("a1", "left", 5, 0, 3), unit("a2", "reserve", 5, 0, 3), unit("a3", "main", 5, 0, 3)],
            vec![unit("b1", "main", 5, 0, 3), unit("b2", "right", 5, 0, 3)],
        )
    };
    let refused = |entries: &[(&str, &str, &str)]| {
        let entries: Vec<Value> = entries
            .iter()
            .map(|(author, entry, why)| json!({ "author": author, "entry": entry, "why": why }))
            .collect();
        To(json!({ "refused": entries }))
    };
    c.later(
        "refused-all",
        "every reason, in the order in which they are listed",
        forces(),
        json!({ "overrun": { "attacker": ["right"], "defender": ["left"] } }),
        &[(
            round(
                &[
                    "a1 attack left",
                    "a2 attack main",
                    "a3 move main",
                    "b1 hold",
                    "left > right",
                    "reserve > reserve",
                    "main > none",
                ],
                &["a1 hold", "b1 dig-in main", "b2 attack", "b9 hold", "main > left"],
                &[],
            ),
            refused(&[
                ("ann", "a1", "target"),
                ("ann", "a2", "reserve"),
                ("ann", "a3", "move"),
                ("ann", "b1", "unknown"),
                ("ann", "left", "excess"),
                ("ann", "reserve", "excess"),
                ("bob", "a1", "unknown"),
                ("bob", "b1", "place"),
                ("bob", "b2", "place"),
                ("bob", "b9", "unknown"),
            ]),
        )],
    );
    for (name, order) in
        [("attack", "attack main"), ("assault", "assault main"), ("dig-in", "dig-in"), ("probe", "probe main")]
    {
        c.goes(
            &format!("c11-reserve-{name}"),
            "the reserve does not fight",
            forces(),
            &[(round(&[&format!("a2 {order}")], &[], &[]), refused(&[("ann", "a2", "reserve")]))],
        );
    }
    let mirror = || with(forces(), json!({ "facing": "mirror" }));
    c.goes(
        "c11-mirror",
        "left faces right, and nothing else",
        mirror(),
        &[(
            round(&["a1 attack main", "a3 attack right"], &[], &[]),
            refused(&[("ann", "a1", "target"), ("ann", "a3", "target")]),
        )],
    );
    c.later(
        "mirror-next-to-fallen",
        "right is OVERRUN: left may fire at main and reserve; main still faces main",
        mirror(),
        json!({ "overrun": { "attacker": [], "defender": ["right"] }, "units": {
            "attacker": forces()["forces"]["attacker"],
            "defender": [unit("b1", "main", 5, 0, 3), unit("b2", "reserve", 5, 0, 3)],
        } }),
        &[
            (round(&["a1 attack reserve", "a3 attack reserve"], &[], &[5]), refused(&[("ann", "a3", "target")])),
            (round(&["a1 attack right"], &[], &[]), refused(&[("ann", "a1", "target")])),
        ],
    );
    c.goes(
        "same",
        "left faces left",
        with(forces(), json!({ "facing": "same" })),
        &[(
            round(&["a1 attack right", "a3 attack main"], &["b2 attack right"], &[5, 5]),
            refused(&[("ann", "a1", "target")]),
        )],
    );
    c.goes(
        "any-reserve",
        "with any the reserve is no target before something is OVERRUN",
        forces(),
        &[(round(&["a1 attack reserve"], &[], &[]), refused(&[("ann", "a1", "target")]))],
    );
    c.later(
        "any-reserve-fallen",
        "and is one when a flank is",
        forces(),
        json!({ "overrun": { "attacker": [], "defender": ["left"] } }),
        &[(round(&["a1 attack reserve"], &[], &[5]), refused(&[]))],
    );
    let says_nothing = |c: &mut Course<'_>, name: &str, about: &str, note: Value| {
        let nothing = To(json!({ "ended": "day", "engagements": 0, "refused": [] }));
        c.goes(
            &format!("nothing-{name}"),
            about,
            forces(),
            &[(said(json!({ "ann": note, "bob": orders(&[]) }), &[]), nothing)],
        );
    };
    let attack = orders(&["a1 attack main"]);
    says_nothing(c, "unknown-field", "orders have two fields", with(attack.clone(), json!({ "weather": "mud" })));
    says_nothing(c, "no-excess", "and both", json!({ "orders": attack["orders"] }));
    says_nothing(
        c,
        "no-at",
        "an order has its location, or null",
        json!({ "excess": {}, "orders": { "a1": { "order": "dig-in" }, "a3": { "at": "main", "order": "attack" } } }),
    );
    says_nothing(c, "unknown-order", "there is no such order", orders(&["a1 attack main", "a3 charge main"]));
    says_nothing(c, "no-location", "there is no such location", orders(&["a1 attack centre"]));
    says_nothing(c, "no-id", "this is no unit's id", orders(&["a1 attack main", "a_3 hold"]));
    says_nothing(
        c,
        "excess-from-nowhere",
        "none is no location to come from",
        orders(&["a1 attack main", "none > main"]),
    );
    says_nothing(
        c,
        "excess-to-nothing",
        "none is a word, not null",
        with(attack, json!({ "excess": { "main": null } })),
    );
    let many: Vec<String> = (0..201).map(|i| format!("x{i} hold")).chain(["a1 attack main".into()]).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    says_nothing(c, "too-many", "more than 200 orders", orders(&many));
    c.goes(
        "no-orders",
        "nobody says anything: all hold",
        forces(),
        &[(said(json!({}), &[]), To(json!({ "ended": "day", "refused": [] })))],
    );
    c.goes(
        "orders-of-a-stranger",
        "only the two order",
        forces(),
        &[(said(json!({ "carl": orders(&[]) }), &[]), Refused)],
    );
    c.goes(
        "input",
        "a round states nothing",
        forces(),
        &[(with(round(&[], &[], &[]), json!({ "declare": { "orders": {} } })), Refused)],
    );
}

fn variants(c: &mut Course<'_>) {
    let e = |of: Value, n: u64| with(of, json!({ "effectiveness": n }));
    let worn = |change: Value| {
        let forces = settings(
            vec![
                e(unit("a1", "main", 9, 0, 3), 55),
                e(unit("a2", "reserve", 5, 0, 3), 33),
                e(unit("a3", "left", 1, 0, 3), 50),
            ],
            vec![e(unit("b1", "main", 9, 1, 9), 55), e(unit("b2", "right", 0, 0, 3), 98)],
        );
        with(forces, change)
    };
    c.goes(
        "relative",
        "Effectiveness is lost and gained in hundredths of itself, rounding down",
        worn(json!({ "effectiveness": "relative" })),
        &[(
            round(&["a1 assault main", "a3 probe main"], &[], &[9, 1, 1, 9, 1]),
            changed(json!([["a1", 3, 3, 55, 48], ["a3", 3, 3, 50, 48], ["b2", 3, 3, 98, 100],])),
        )],
    );
    c.goes(
        "scaled",
        "Attack 9 at 55 is 4, Defense 1 is 0, dug in 1, Attack 1 at 50 is 0",
        worn(json!({ "scale_values": true })),
        &[(
            round(&["a1 assault main", "a3 attack main"], &["b1 dig-in"], &[1, 1, 10, 10, 3, 4, 4, 1]),
            To(json!({
                "fires": [
                    { "at": "main", "hits": 2, "phase": "combat", "unit": "a1", "value": 4 },
                    { "at": "main", "hits": 0, "phase": "combat", "unit": "a3", "value": 0 },
                    { "at": "main", "hits": 0, "phase": "combat", "unit": "b1", "value": 3 },
                    { "at": "main", "hits": 0, "phase": "assault", "unit": "a1", "value": 4 },
                    { "at": "main", "hits": 0, "phase": "assault", "unit": "b1", "value": 3 },
                ],
                "absorbs": [
                    { "phase": "combat", "points": 0, "unit": "b1", "value": 1 },
                    { "phase": "assault", "points": 0, "unit": "b1", "value": 1 },
                ],
            })),
        )],
    );
    let scouts = |change: Value| {
        let forces = settings(
            vec![unit("a1", "main", 9, 0, 9), unit("a2", "main", 9, 0, 9)],
            vec![unit("b1", "main", 9, 0, 9), unit("b2", "left", 9, 0, 9)],
        );
        with(forces, change)
    };
    c.goes(
        "probe-and-attack",
        "hits of the attack come first, and are not halved; those on the prober count for halving",
        scouts(json!({})),
        &[(
            round(&["a1 probe main", "a2 attack main"], &["b1 attack main"], &[1, 1, 1, 9, 2, 9, 1, 1, 9, 1, 1]),
            To(json!({ "hits": [
                {
                    "at": "main", "from": null, "halved": 0, "hits": 4, "lost": 0, "on": "defender", "phase": "combat",
                    "sent": 0,
                    "struck": [["b1", null, "casualty"], ["b1", null, "halved"], ["b1", null, "casualty"], ["b1", null, "halved"]],
                },
                {
                    "at": "main", "from": null, "halved": 0, "hits": 2, "lost": 0, "on": "attacker", "phase": "combat",
                    "sent": 0, "struck": [["a1", 1, "halved"], ["a1", 1, "casualty"]],
                },
            ] })),
        )],
    );
    c.goes(
        "hits-floor",
        "three hits of a probe are one; on the probe alone three are one as well",
        scouts(json!({ "probe": "hits_floor" })),
        &[(
            round(&["a1 probe main"], &["b1 attack main"], &[1, 1, 1, 9, 1, 1, 1, 9]),
            changed(json!([["a1", 9, 8, 100, 97], ["b1", 9, 8, 100, 95]])),
        )],
    );
    c.goes(
        "hits-floor-beside-another",
        "where another fights beside the prober nothing that strikes is halved",
        scouts(json!({ "probe": "hits_floor" })),
        &[(
            round(&["a1 probe main", "a2 dig-in"], &["b1 attack main"], &[1, 1, 1, 9, 9, 1, 1, 1, 9, 1, 1, 2]),
            To(json!({ "hits": [
                {
                    "at": "main", "from": null, "halved": 2, "hits": 3, "lost": 0, "on": "defender", "phase": "combat",
                    "sent": 0, "struck": [["b1", null, "casualty"]],
                },
                {
                    "at": "main", "from": null, "halved": 0, "hits": 3, "lost": 0, "on": "attacker", "phase": "combat",
                    "sent": 0, "struck": [["a1", 1, "casualty"], ["a1", 1, "casualty"], ["a2", 2, "casualty"]],
                },
            ] })),
        )],
    );
    let behind =
        settings(vec![unit("a1", "main", 9, 0, 9)], vec![unit("b1", "main", 9, 0, 1), unit("b2", "left", 9, 0, 9)]);
    c.goes(
        "hits-floor-excess",
        "three hits go on to where a prober stands alone, and are not halved there",
        with(behind, json!({ "probe": "hits_floor" })),
        &[(
            round(&["a1 assault main", "main > left"], &["b2 probe main"], &[1, 1, 1, 9, 10, 1, 1, 1, 9]),
            changed(json!([["a1", 9, 9, 100, 88], ["b1", 1, 0, 100, 100], ["b2", 9, 6, 100, 97]])),
        )],
    );
    c.goes(
        "assault-cost-1",
        "an assault takes the one engagement that its Combat Phase takes",
        scouts(json!({ "assault_cost": 1 })),
        &[(round(&["a1 assault left"], &[], &[9, 9]), To(json!({ "engagements": 1, "refused": [] })))],
    );
    c.goes(
        "answers-once",
        "main answers the first location that attacks it, left the one that does; in the assault an attacker answers too",
        settings(
            vec![unit("a1", "main", 9, 0, 9), unit("a2", "left", 9, 0, 9)],
            vec![unit("b1", "main", 9, 0, 9), unit("b2", "main", 9, 0, 9)],
        ),
        &[(
            round(&["a2 assault main", "a1 attack main"], &["b1 dig-in", "b2 attack left"], &[9, 9, 8, 9, 9, 8, 9]),
            To(json!({ "fires": [
                { "at": "main", "hits": 0, "phase": "combat", "unit": "a1", "value": 9 },
                { "at": "main", "hits": 0, "phase": "combat", "unit": "a2", "value": 9 },
                { "at": "main", "hits": 0, "phase": "combat", "unit": "b1", "value": 8 },
                { "at": "left", "hits": 0, "phase": "combat", "unit": "b2", "value": 9 },
                { "at": "main", "hits": 0, "phase": "assault", "unit": "a2", "value": 9 },
                { "at": "left", "hits": 0, "phase": "assault", "unit": "b1", "value": 8 },
                { "at": "left", "hits": 0, "phase": "assault", "unit": "b2", "value": 9 },
            ] })),
        )],
    );
    c.goes(
        "assault-without-assaulter",
        "he falls in the Combat Phase: no Assault Combat Phase, one engagement; who is removed loses nothing",
        settings(
            vec![unit("a1", "main", 9, 0, 1), unit("a2", "left", 9, 0, 9)],
            vec![unit("b1", "main", 9, 0, 9), unit("b2", "left", 9, 0, 9)],
        ),
        &[(
            round(&["a1 assault main"], &["b1 attack main"], &[9, 1, 8]),
            To(json!({
                "engagements": 1,
                "changed": [["a1", 1, 0, 100, 100], ["b1", 9, 9, 100, 95]],
            })),
        )],
    );
    c.goes(
        "draws-of-another-number",
        "as many as are asked for, within their die",
        scouts(json!({})),
        &[
            (round(&["a1 attack main"], &[], &[]), Refused),
            (round(&["a1 attack main"], &[], &[11]), Refused),
            (round(&["a1 attack main"], &[], &[9, 1]), Refused),
            (round(&["a1 attack main"], &["b2 attack main"], &[9, 1, 9, 3]), Refused),
        ],
    );
}

fn overrun(c: &mut Course<'_>) {
    let forces = |change: Value| {
        let forces = settings(
            vec![unit("a1", "main", 30, 0, 9)],
            vec![
                unit("b1", "main", 0, 0, 1),
                unit("b2", "left", 0, 9, 1),
                unit("b3", "right", 0, 0, 9),
                unit("b4", "reserve", 0, 0, 2),
            ],
        );
        with(forces, change)
    };
    let fell = |at: &[&str]| {
        let fell: Vec<Value> = at.iter().map(|at| json!({ "at": at, "on": "defender", "phase": "assault" })).collect();
        json!(fell)
    };
    c.goes(
        "excess-on-and-on",
        "with chain the same excess goes from main to left, to the reserve, and to right",
        forces(json!({})),
        &[(
            round(
                &["a1 assault main", "main > left", "left > reserve", "reserve > right"],
                &[],
                &[10, 10, 10, 5, 5, 5, 5, 5, 5],
            ),
            To(json!({
                "overrun": fell(&["main", "left", "reserve"]),
                "changed": [
                    ["a1", 9, 9, 100, 88], ["b1", 1, 0, 100, 100], ["b2", 1, 0, 100, 100], ["b3", 9, 7, 100, 100],
                    ["b4", 2, 0, 100, 100],
                ],
            })),
        )],
    );
    c.goes(
        "excess-once",
        "without chain what is left over in the second location is lost",
        forces(json!({ "chain": false })),
        &[(
            round(&["a1 assault main", "main > left", "left > reserve"], &[], &[10, 10, 10, 5, 5, 5, 5, 5, 5]),
            To(json!({ "overrun": fell(&["main", "left"]) })),
        )],
    );
    c.goes(
        "excess-none",
        "whoever says none sends nothing on; nor does who says nothing",
        forces(json!({})),
        &[
            (
                round(&["a1 assault main", "main > none"], &[], &[10, 10, 10, 8, 8, 8, 6]),
                To(json!({ "overrun": fell(&["main"]) })),
            ),
            (round(&["a1 attack right"], &[], &[10, 10, 10]), To(json!({ "overrun": [] }))),
        ],
    );
    c.goes(
        "excess-refused",
        "left is not next to right: the entry says none",
        forces(json!({})),
        &[(
            round(&["a1 assault left", "left > right"], &[], &[10, 10, 10, 9, 8, 8, 8, 6]),
            To(json!({ "refused": [{ "author": "ann", "entry": "left", "why": "excess" }] })),
        )],
    );
    c.goes(
        "excess-is-not-absorbed",
        "b2 is attacked itself and could absorb, but not excess",
        settings(
            vec![unit("a1", "main", 30, 0, 9), unit("a2", "left", 2, 0, 9)],
            vec![unit("b1", "main", 0, 0, 1), unit("b2", "left", 0, 19, 3)],
        ),
        &[(
            round(
                &["a1 assault main", "a2 assault left", "main > left"],
                &[],
                &[10, 10, 10, 2, 9, 10, 10, 8, 8, 4, 2, 9, 9, 1],
            ),
            To(json!({ "changed": [["a1", 9, 9, 100, 88], ["a2", 9, 9, 100, 88], ["b1", 1, 0, 100, 100], ["b2", 3, 0, 100, 100]] })),
        )],
    );
    c.goes(
        "excess-absorbed",
        "with spill_absorbs he does, as far as he has points left",
        with(
            settings(
                vec![unit("a1", "main", 30, 0, 9), unit("a2", "left", 2, 0, 9)],
                vec![unit("b1", "main", 0, 0, 1), unit("b2", "left", 0, 19, 3)],
            ),
            json!({ "spill_absorbs": true }),
        ),
        &[(
            round(
                &["a1 assault main", "a2 assault left", "main > left"],
                &[],
                &[10, 10, 10, 2, 9, 10, 10, 8, 8, 4, 2, 9, 9, 1],
            ),
            To(json!({ "changed": [["a1", 9, 9, 100, 88], ["a2", 9, 9, 100, 88], ["b1", 1, 0, 100, 100], ["b2", 3, 2, 100, 100]] })),
        )],
    );
    c.goes(
        "excess-to-nobody",
        "an empty location falls to excess, which goes on from there",
        settings(vec![unit("a1", "main", 30, 0, 9)], vec![unit("b1", "main", 0, 0, 1), unit("b2", "reserve", 0, 0, 9)]),
        &[(
            round(&["a1 assault main", "main > left", "left > reserve"], &[], &[10, 10, 10, 8, 8, 8, 6]),
            To(json!({
                "overrun": fell(&["main", "left"]),
                "changed": [["a1", 9, 9, 100, 88], ["b1", 1, 0, 100, 100], ["b2", 9, 6, 100, 100]],
            })),
        )],
    );
    c.goes(
        "excess-to-the-fallen",
        "the second pool sends its excess to what the first has taken: it is lost there",
        settings(
            vec![unit("a1", "main", 20, 0, 9), unit("a2", "left", 20, 0, 9)],
            vec![unit("b1", "main", 0, 0, 1), unit("b2", "left", 0, 0, 1), unit("b3", "right", 0, 0, 9)],
        ),
        &[(
            round(
                &["a1 assault main", "a2 assault left", "main > none", "left > main"],
                &[],
                &[10, 10, 10, 10, 10, 10, 10, 10],
            ),
            To(json!({ "overrun": fell(&["main", "left"]), "hits": [
                {
                    "at": "main", "from": null, "halved": 0, "hits": 1, "lost": 0, "on": "defender", "phase": "combat",
                    "sent": 0, "struck": [["b1", null, "casualty"]],
                },
                {
                    "at": "left", "from": null, "halved": 0, "hits": 1, "lost": 0, "on": "defender", "phase": "combat",
                    "sent": 0, "struck": [["b2", null, "casualty"]],
                },
                {
                    "at": "main", "from": null, "halved": 0, "hits": 1, "lost": 1, "on": "defender", "phase": "assault",
                    "sent": 0, "struck": [],
                },
                {
                    "at": "left", "from": null, "halved": 0, "hits": 1, "lost": 0, "on": "defender", "phase": "assault",
                    "sent": 1, "struck": [],
                },
                {
                    "at": "main", "from": "left", "halved": 0, "hits": 1, "lost": 1, "on": "defender",
                    "phase": "assault", "sent": 0, "struck": [],
                },
            ] })),
        )],
    );
    c.goes(
        "excess-before-own-hits",
        "excess of main empties left before the hits on left are applied: these are lost",
        settings(
            vec![unit("a1", "main", 30, 0, 9), unit("a2", "left", 20, 0, 9)],
            vec![unit("b1", "main", 0, 0, 1), unit("b2", "left", 0, 0, 2), unit("b3", "right", 0, 0, 9)],
        ),
        &[(
            round(
                &["a1 assault main", "a2 assault left", "main > left", "left > main"],
                &[],
                &[10, 10, 10, 10, 10, 8, 8, 8, 6, 10, 10],
            ),
            To(json!({ "overrun": fell(&["main", "left"]), "changed": [
                ["a1", 9, 9, 100, 88], ["a2", 9, 9, 100, 88], ["b1", 1, 0, 100, 100], ["b2", 2, 0, 100, 100],
            ] })),
        )],
    );
    let answered = |change: Value| {
        let forces = settings(
            vec![unit("a1", "main", 5, 0, 1), unit("a2", "reserve", 5, 0, 9)],
            vec![unit("b1", "main", 15, 0, 9)],
        );
        with(forces, change)
    };
    let attackers = json!([{ "at": "main", "on": "attacker", "phase": "assault" }]);
    c.goes(
        "answer-overruns",
        "the answer empties main in the Assault Combat Phase: it is OVERRUN too, and its excess goes on",
        with(
            answered(json!({})),
            json!({ "forces": {
            "attacker": [unit("a1", "main", 5, 0, 2), unit("a2", "reserve", 5, 0, 9)],
            "defender": [unit("b1", "main", 15, 0, 9)],
        } }),
        ),
        &[(
            round(&["a1 assault main"], &["b1 dig-in", "main > reserve"], &[5, 10, 4, 5, 2, 2, 10]),
            To(json!({ "overrun": attackers, "changed": [["a1", 2, 0, 100, 95], ["a2", 9, 8, 100, 100]] })),
        )],
    );
    c.goes(
        "answer-targeted",
        "with targeted what is not attacked does not fall; what is left over is lost",
        with(
            answered(json!({})),
            json!({ "overrun": "targeted", "forces": {
            "attacker": [unit("a1", "main", 5, 0, 2), unit("a2", "reserve", 5, 0, 9)],
            "defender": [unit("b1", "main", 15, 0, 9)],
        } }),
        ),
        &[(
            round(&["a1 assault main"], &["b1 dig-in", "main > reserve"], &[5, 10, 4, 5, 2, 2, 10]),
            To(json!({ "overrun": [], "changed": [["a1", 2, 0, 100, 95]] })),
        )],
    );
    c.goes(
        "attack-on-nobody",
        "an attack on an empty location: all hits are lost, nothing falls",
        settings(vec![unit("a1", "main", 9, 0, 1)], vec![unit("b1", "main", 1, 0, 9)]),
        &[(
            round(&["a1 attack left"], &[], &[1, 8]),
            To(json!({ "overrun": [], "hits": [{
                "at": "left", "from": null, "halved": 0, "hits": 1, "lost": 1, "on": "defender", "phase": "combat",
                "sent": 0, "struck": [],
            }] })),
        )],
    );
    c.goes(
        "assault-on-nobody",
        "an assault on an empty location: it falls, and all hits go on",
        settings(vec![unit("a1", "main", 9, 0, 1)], vec![unit("b1", "main", 1, 0, 9)]),
        &[(
            round(&["a1 assault left", "left > main"], &[], &[9, 1, 8]),
            To(json!({ "overrun": fell(&["left"]), "changed": [["a1", 1, 1, 100, 88], ["b1", 9, 8, 100, 100]] })),
        )],
    );
}

fn mixed(c: &mut Course<'_>) {
    let kind = |of: Value, kind: &str| with(of, json!({ "kind": kind }));
    let forces = || {
        with(
            settings(
                vec![kind(unit("a1", "main", 12, 0, 5), "armour"), unit("a2", "main", 12, 0, 5)],
                vec![
                    kind(unit("b1", "main", 1, 0, 5), "guns"),
                    kind(unit("b2", "main", 1, 0, 5), "armour"),
                    unit("b3", "main", 1, 0, 5),
                ],
            ),
            json!({ "mixed": "table" }),
        )
    };
    let table = |armour: [u64; 3], infantry: [u64; 3]| {
        let row = |[a, g, i]: [u64; 3]| json!({ "armour": a, "guns": g, "infantry": i });
        json!({ "cil-mixed": { "armour": row(armour), "guns": row([1, 1, 1]), "infantry": row(infantry) } })
    };
    c.from(
        "mixed",
        "armour strikes guns with 5 of 17, armour with 2, infantry with 10; infantry cannot strike armour",
        json!({ "settings": forces(), "tables": table([2, 5, 10], [0, 1, 3]) }),
        &[(
            round(&["a1 attack main", "a2 attack main"], &[], &[1, 1, 1, 9, 2, 10, 5, 6, 8, 1]),
            To(json!({ "hits": [{
                "at": "main", "from": null, "halved": 0, "hits": 4, "lost": 0, "on": "defender", "phase": "combat",
                "sent": 0,
                "struck": [["b1", 5, "casualty"], ["b2", 6, "casualty"], ["b3", 8, "casualty"], ["b1", 1, "casualty"]],
            }] })),
        )],
    );
    c.from(
        "mixed-one-eligible",
        "who alone weighs something is struck without a draw; where nobody does the hit is lost",
        json!({ "settings": forces(), "tables": table([0, 0, 7], [0, 0, 0]) }),
        &[
            (round(&["a1 attack main", "a2 attack main"], &[], &[1, 10, 1, 10]), Refused),
            (
                round(&["a1 attack main", "a2 attack main"], &[], &[2, 10, 2, 10]),
                To(json!({ "hits": [{
                "at": "main", "from": null, "halved": 0, "hits": 2, "lost": 1, "on": "defender", "phase": "combat",
                "sent": 0, "struck": [["b3", null, "casualty"]],
            }] })),
            ),
        ],
    );
    c.from(
        "mixed-ordered-first",
        "who has a combat order shields the others, even if he cannot be struck",
        json!({ "settings": forces(), "tables": table([0, 7, 7], [1, 1, 1]) }),
        &[(
            round(&["a1 attack main"], &["b2 dig-in"], &[2, 10]),
            To(json!({ "hits": [
                {
                    "at": "main", "from": null, "halved": 0, "hits": 1, "lost": 1, "on": "defender", "phase": "combat",
                    "sent": 0, "struck": [],
                },
                {
                    "at": "main", "from": null, "halved": 0, "hits": 0, "lost": 0, "on": "attacker", "phase": "combat",
                    "sent": 0, "struck": [],
                },
            ] })),
        )],
    );
    let mut bad = |name: &str, about: &str, settings: Value, tables: Value| {
        let given = json!({ "system": "cil", "settings": settings, "tables": tables, "steps": [] });
        c.v.refused(&format!("course/cil-table-{name}"), "cil.md 3", about, given, "rule");
    };
    bad("missing", "mixed is table, so there is one", forces(), json!({}));
    let whole = || table([1, 1, 1], [1, 1, 1]);
    let mut short = whole();
    short["cil-mixed"].as_object_mut().unwrap().remove("guns");
    bad("row-missing", "each kind has a row", forces(), short);
    let mut short = whole();
    short["cil-mixed"]["guns"].as_object_mut().unwrap().remove("guns");
    bad("column-missing", "and a column", forces(), short);
    bad("weight", "a weight is 0 to 100", forces(), table([101, 1, 1], [1, 1, 1]));
    bad("no-object", "a table is an object", forces(), json!({ "cil-mixed": [] }));
    bad("empty", "of one kind at least", forces(), json!({ "cil-mixed": {} }));
    let mut stranger = forces();
    stranger["forces"]["defender"][0]["kind"] = json!("ships");
    bad("stranger", "every kind of a force stands in it", stranger, whole());
}

fn days(c: &mut Course<'_>) {
    let forces = |change: Value| {
        with(
            settings(
                vec![unit("a1", "main", 14, 0, 3)],
                vec![unit("b1", "main", 0, 0, 5), unit("b2", "left", 9, 0, 1)],
            ),
            change,
        )
    };
    let quiet = || round(&[], &[], &[]);
    let night = |by: &str| json!({ "pending": { "awaits": "night", "by": by, "proposal": null } });
    c.goes(
        "night-on",
        "the attacker goes on: the second day",
        forces(json!({})),
        &[
            (
                round(&["a1 attack main"], &[], &[2, 2, 10]),
                Leaves(json!({ "ended": null }), json!({ "engagements": 1 })),
            ),
            (quiet(), Leaves(json!({ "ended": "day", "engagements": 1 }), night("ann"))),
            (quiet(), Refused),
            (decide("bob", "night", json!("on")), Refused),
            (decide("ann", "battle", json!("on")), Refused),
            (decide("ann", "night", json!("off")), Refused),
            (decide("ann", "night", json!(true)), Refused),
            (
                decide("ann", "night", json!("on")),
                Leaves(
                    json!({ "ended": null }),
                    json!({ "day": 2, "engagements": 0, "pending": null, "ledger": {
                        "battle": { "attacker": {}, "defender": { "b1": 2 } }, "day": [],
                    } }),
                ),
            ),
            (quiet(), Leaves(json!({ "day": 2, "round": 3 }), night("ann"))),
        ],
    );
    c.goes(
        "night-defender",
        "the attacker would end it, the defender goes on",
        forces(json!({})),
        &[
            (quiet(), To(json!({}))),
            (decide("ann", "night", json!("end")), Leaves(json!({ "ended": null }), night("bob"))),
            (decide("bob", "night", json!("on")), Leaves(json!({}), json!({ "day": 2, "pending": null }))),
        ],
    );
    let next = json!({
        "attacker": "bob",
        "forces": { "attacker": [unit("b7", "main", 1, 1, 9)], "defender": [unit("a7", "left", 1, 1, 9)] },
        "season": "winter",
    });
    c.goes(
        "battles",
        "both end it, half comes back, one is refused, and the next one agreed on",
        forces(json!({ "recover_pct": 50 })),
        &[
            (round(&["a1 attack main"], &["b2 attack main"], &[2, 2, 2, 10, 2, 10]), To(json!({}))),
            (quiet(), To(json!({ "ended": "day" }))),
            (decide("ann", "night", json!("end")), Leaves(json!({}), night("bob"))),
            (
                decide("bob", "night", json!("end")),
                Leaves(
                    json!({ "ended": "battle", "recovered": { "b1": 1 } }),
                    json!({ "pending": { "awaits": "battle", "by": "bob", "proposal": null } }),
                ),
            ),
            (decide("ann", "battle", next.clone()), Refused),
            (decide("bob", "battle", with(next.clone(), json!({ "attacker": "carl" }))), Refused),
            (decide("bob", "battle", with(next.clone(), json!({ "season": "monsoon" }))), Refused),
            (decide("bob", "battle", with(next.clone(), json!({ "day": 1 }))), Refused),
            (
                decide(
                    "bob",
                    "battle",
                    with(
                        next.clone(),
                        json!({ "forces": { "attacker": [], "defender": [unit("a7", "left", 1, 1, 9)] } }),
                    ),
                ),
                Refused,
            ),
            (
                decide(
                    "bob",
                    "battle",
                    with(
                        next.clone(),
                        json!({ "forces": {
                    "attacker": [unit("x", "left", 1, 1, 9)], "defender": [unit("x", "left", 1, 1, 9)],
                } }),
                    ),
                ),
                Refused,
            ),
            (
                decide(
                    "bob",
                    "battle",
                    with(
                        next.clone(),
                        json!({ "forces": {
                    "attacker": [unit("x", "left", 1, 1, 0)], "defender": [unit("y", "left", 1, 1, 9)],
                } }),
                    ),
                ),
                Refused,
            ),
            (
                decide("bob", "battle", next.clone()),
                Leaves(json!({}), json!({ "pending": { "awaits": "agree", "by": "ann", "proposal": next } })),
            ),
            (decide("ann", "agree", json!("true")), Refused),
            (decide("bob", "agree", json!(true)), Refused),
            (
                decide("ann", "agree", json!(false)),
                Leaves(json!({}), json!({ "pending": { "awaits": "battle", "by": "ann", "proposal": null } })),
            ),
            (
                decide("ann", "battle", next.clone()),
                Leaves(json!({}), json!({ "pending": { "awaits": "agree", "by": "bob", "proposal": next } })),
            ),
            (
                decide("bob", "agree", json!(true)),
                Leaves(
                    json!({ "by": "bob", "name": "agree" }),
                    json!({
                        "attacker": "bob", "battle": 2, "day": 1, "defender": "ann", "engagements": 0, "pending": null,
                        "round": 0, "season": "winter", "turn": 2, "units": next["forces"],
                        "ledger": { "battle": { "attacker": {}, "defender": {} }, "day": [] },
                    }),
                ),
            ),
            (
                said(json!({ "ann": orders(&["a7 attack main"]), "bob": orders(&["b7 attack left"]) }), &[1, 1, 1, 1]),
                To(json!({ "battle": 2, "round": 1, "engagements": 1 })),
            ),
        ],
    );
    c.goes(
        "last-unit",
        "a side has nobody left: the battle is over at once; 60 of 100 of its casualties come back, removed or not",
        with(
            settings(vec![unit("a1", "main", 20, 0, 3)], vec![unit("b1", "main", 0, 0, 2)]),
            json!({ "recover_pct": 60 }),
        ),
        &[
            (round(&["a1 assault main"], &[], &[2, 2, 2, 10, 10]), Refused),
            (
                round(&["a1 assault main"], &[], &[2, 2, 10, 10, 10, 10]),
                Leaves(
                    json!({
                        "ended": "battle", "recovered": { "b1": 1 },
                        "changed": [["a1", 3, 3, 100, 88], ["b1", 2, 0, 100, 100]],
                    }),
                    json!({
                        "overrun": { "attacker": [], "defender": [] },
                        "pending": { "awaits": "battle", "by": "bob", "proposal": null },
                    }),
                ),
            ),
        ],
    );
}

fn states(c: &mut Course<'_>) {
    let forces =
        || settings(vec![unit("a1", "main", 5, 0, 3)], vec![unit("b1", "main", 5, 0, 3), unit("b2", "left", 5, 0, 3)]);
    let roll = || round(&["a1 attack main"], &[], &[5]);
    let removed = || json!([unit("b1", "main", 5, 0, 3), unit("b2", "left", 5, 0, 0)]);
    let units =
        |defender: Value| json!({ "units": { "attacker": [unit("a1", "main", 5, 0, 3)], "defender": defender } });
    c.later(
        "state",
        "a course that is taken up at round 8, with a unit removed and its location OVERRUN",
        forces(),
        with(
            units(removed()),
            json!({ "round": 7, "turn": 7, "day": 3, "overrun": { "attacker": [], "defender": ["left"] } }),
        ),
        &[(roll(), To(json!({ "round": 8, "day": 3 })))],
    );
    let mut bad = |name: &str, about: &str, change: Value| {
        c.later(&format!("state-{name}"), about, forces(), change, &[(roll(), Refused)]);
    };
    bad("stranger", "carl is none of the sides", json!({ "attacker": "carl" }));
    bad("one-side", "the sides are two", json!({ "attacker": "bob" }));
    bad("field", "a state has these fields", json!({ "weather": "mud" }));
    bad("day-0", "days begin at 1", json!({ "day": 0 }));
    bad("day-over", "with its last engagement a day is over", json!({ "engagements": 5 }));
    bad("overrun-lived-in", "a living unit is there", json!({ "overrun": { "attacker": ["main"], "defender": [] } }));
    bad(
        "overrun-unsorted",
        "a list has one form",
        json!({ "overrun": { "attacker": ["right", "left"], "defender": [] } }),
    );
    bad("nobody-lives", "the battle would be over", units(json!([unit("b1", "main", 5, 0, 0)])));
    bad(
        "effectiveness",
        "at most 100",
        units(json!([with(unit("b1", "main", 5, 0, 3), json!({ "effectiveness": 101 }))])),
    );
    bad(
        "ledger-stranger",
        "nobody of that name",
        json!({ "ledger": { "battle": { "attacker": { "x": 1 }, "defender": {} }, "day": [] } }),
    );
    bad(
        "ledger-zero",
        "nothing is 0",
        json!({ "ledger": { "battle": { "attacker": { "a1": 0 }, "defender": {} }, "day": [] } }),
    );
    bad("proposal-missing", "what is null is there", json!({ "pending": { "awaits": "night", "by": "ann" } }));
    bad(
        "proposal",
        "only an agreement has a proposal",
        json!({ "pending": { "awaits": "agree", "by": "ann", "proposal": null } }),
    );
}

fn settings_refused(v: &mut Vectors) {
    let whole = || settings(vec![unit("a1", "main", 5, 0, 3)], vec![unit("b1", "main", 5, 0, 3)]);
    let mut bad = |name: &str, about: &str, settings: Value| {
        let given = json!({ "system": "cil", "settings": settings, "steps": [] });
        v.refused(&format!("course/cil-settings-{name}"), "cil.md 1, 3", about, given, "rule");
    };
    let mut change = |name: &str, about: &str, change: Value| bad(name, about, with(whole(), change));
    change("same-sides", "the sides differ", json!({ "attacker": "bob" }));
    change("assault-cost", "1 or 2", json!({ "assault_cost": 3 }));
    change("recover", "0 to 100", json!({ "recover_pct": 101 }));
    change("season", "one of four", json!({ "season": "autumn" }));
    change("facing", "one of three", json!({ "facing": "front" }));
    change("unknown", "a setting that the system does not have", json!({ "weather": true }));
    let force = |units: Value| json!({ "forces": { "attacker": units, "defender": [unit("b1", "main", 5, 0, 3)] } });
    let of = |of: Value| force(json!([with(unit("a1", "main", 5, 0, 3), of)]));
    change("no-unit", "a force has one at least", force(json!([])));
    change("many-units", "and 200 at most", force((0..201).map(|i| unit(&format!("a{i}"), "main", 5, 0, 3)).collect()));
    change("id-twice", "over both forces", force(json!([unit("b1", "main", 5, 0, 3)])));
    change("attack", "at most 40", of(json!({ "attack": 41 })));
    change("defense", "at most 40", of(json!({ "defense": 41 })));
    change("effectiveness", "at most 100", of(json!({ "effectiveness": 101 })));
    change("strength-0", "who is removed stands in no order of battle", of(json!({ "strength": 0 })));
    change("strength", "at most 9,999", of(json!({ "strength": 10_000 })));
    change("location", "one of four", of(json!({ "at": "centre" })));
    change("id", "letters, digits and hyphens", of(json!({ "id": "a 1" })));
    change("kind", "small letters, digits and hyphens, a letter first", of(json!({ "kind": "1st" })));
    let mut missing = whole();
    missing.as_object_mut().unwrap().remove("chain");
    bad("missing", "each is stated", missing);
}

/// Writes cases of `what-if`, where settings and state may be left out.
fn cases(v: &mut Vectors) {
    let stated = json!({
        "attacker": "red", "defender": "blue", "season": "summer",
        "forces": { "attacker": [unit("a1", "main", 10, 4, 3)], "defender": [unit("b1", "main", 10, 4, 3)] },
    });
    let case = |input: Value, draws: Value| json!({ "case": { "system": "cil", "settings": stated, "input": input, "draws": draws } });
    let step = |change: Value| with(json!({ "by": "red", "declare": {} }), change);
    v.gives(
        "what-if/cil-round",
        "cil.md 9 to 13, 25",
        "the trail of a round: who draws for what",
        json!({ "case": {
            "system": "cil",
            "settings": settings(
                vec![unit("a1", "main", 12, 4, 3), unit("a2", "main", 8, 0, 2)],
                vec![unit("b1", "main", 9, 6, 3), unit("b2", "main", 7, 0, 2)],
            ),
            "input": { "by": "bob", "declare": {}, "orders": {
                "ann": orders(&["a1 attack main", "a2 attack main"]), "bob": orders(&["b1 dig-in"]),
            } },
            "draws": [5, 3, 4, 3, 5, 2, 7, 4, 4, 3, 2],
        } }),
        json!({}),
    );
    v.gives(
        "what-if/cil-prefilled",
        "cil.md 1",
        "what has a pre-fill may be left out",
        case(step(json!({ "orders": { "red": orders(&["a1 attack main"]) } })), json!([9, 1, 4])),
        json!({}),
    );
    let mut bad = |name: &str, about: &str, input: Value, draws: Value| {
        v.refused(&format!("what-if/cil-{name}"), "vectors/README.md", about, case(input, draws), "rule");
    };
    bad("stranger", "carl orders nothing here", step(json!({ "orders": { "carl": orders(&[]) } })), json!([]));
    bad(
        "decide-with-orders",
        "orders go with a declaration",
        json!({ "by": "red", "decide": { "name": "night", "value": "on" }, "orders": { "red": orders(&[]) } }),
        json!([]),
    );
    bad("surplus", "as many draws as are asked for", step(json!({})), json!([1]));
    for unsaid in ["attacker", "defender", "forces", "season"] {
        let orders = json!({ "orders": { "red": orders(&["a1 attack main"]) } });
        let mut given = case(step(orders), json!([9, 1, 4]));
        given["case"]["settings"].as_object_mut().unwrap().remove(unsaid);
        let about = format!("{unsaid} has no pre-fill, and is stated");
        v.refused(&format!("what-if/cil-without-{unsaid}"), "vectors/README.md", &about, given, "rule");
    }
}
