//! Cases that need more than one attack, segment or turn: points used up, zones, chemicals, contacts that stay, and the
//! last segment.

use serde_json::{Value, json};

use super::{Arena, CRT, E, Game, PROBE, RESULT, WEATHER, combat, command, dice, field, fire, result, search, unit};
use crate::Vectors;

pub(super) fn all(v: &mut Vectors) {
    fire_and_chemicals(v);
    totals(v);
    losses(v);
    known_dice(v);
    zones(v);
    contacts(v);
    segments(v);
}

/// Begins three attacks on three units, far from each other. `orders` are red's, and `barrages` are blue's.
fn three(attack: u64, barrages: Value, orders: [Value; 3]) -> Arena {
    let mut arena = Arena::new().unit(1, json!({ "attack": attack }));
    let places = [("B", "0839", "E", "0840"), ("C", "0859", "F", "0860")];
    for (blue, from, red, target) in places {
        arena = arena.joined(1, unit(blue, from, json!({ "attack": attack }))).joined(0, unit(red, target, json!({})));
        let combat = json!({ "assault": true, "kind": "attack", "retreats": {}, "target": target, "unit": blue });
        arena.sheets[3]["combats"].as_array_mut().unwrap().push(combat);
    }
    for combat in arena.sheets[3]["combats"].as_array_mut().unwrap() {
        for (field, value) in barrages.as_object().unwrap() {
            combat[field] = value.clone();
        }
    }
    let [d, e, f] = orders;
    arena.sheet(2, json!({ "orders": { "D": [d], "E": [e], "F": [f] } }))
}

fn fire_and_chemicals(v: &mut Vectors) {
    let orders =
        [json!({ "fpf": 10 }), json!({ "chemical": "used", "fpf": 5 }), json!({ "chemical": "persistent", "fpf": 5 })];
    three(10, json!({}), orders).done(
        v,
        "fire-used-up",
        "18",
        "twelve points: the first order takes ten, the second what is left, the third nothing, and so has no chemicals",
        &[
            ("/runs/red/due/2/combats/0/fpf", json!(10)),
            ("/runs/red/due/2/combats/1/fpf", json!(2)),
            ("/runs/red/due/2/combats/1/chemical", json!("used")),
            ("/runs/red/due/2/combats/2/fpf", json!(0)),
            ("/runs/red/due/2/combats/2/chemical", json!("none")),
            ("/states/4/spent/red/support", json!(12)),
            ("/states/4/chemicals", json!({ "blue": 0, "red": 1 })),
        ],
    );
    let gas = || json!({ "chemical": "used", "fpf": 1 });
    let fours = [(combat(1, CRT), 4), (combat(2, CRT), 4), (combat(3, CRT), 4)];
    three(15, json!({ "barrage": 1, "chemical": "used" }), [gas(), gas(), gas()]).rolls(2, &fours).done(
        v,
        "chemicals-wear-off",
        "22 c",
        "us 2, 1, 1 against soviet -3, -2, -1: the third attack is one better than the others, and crosses a column",
        &[
            ("/runs/red/hand/units/0/to", json!(3)),
            ("/runs/red/hand/units/1/to", json!(3)),
            ("/runs/red/hand/units/2/to", json!(2)),
            ("/states/4/chemicals", json!({ "blue": 3, "red": 3 })),
        ],
    );
}

fn totals(v: &mut Vectors) {
    let mut game = Game::new();
    let points = json!({ "artillery": 4, "signal": 1 });
    game.honest("red", json!({ "points": points, "units": [unit("A", "0823", json!({}))] }), dice(&[(WEATHER, 6)]));
    game.honest("blue", json!({ "points": points, "units": [unit("D", "0824", json!({}))] }), dice(&[]));
    let attack = json!({ "assault": true, "kind": "attack", "retreats": {}, "target": "0824", "unit": "A" });
    game.honest("red", json!({ "combats": [attack] }), dice(&[]));
    game.honest("blue", json!({}), dice(&[]));
    game.done(
        v,
        "weather-just-looked-up",
        "17, 21",
        "10, level 0: 2, T/O 4, itself beside the target: 2, and fog, night and rain that were looked up in this letter: 4",
        &[
            ("/runs/red/due/1/weather", json!(["fog", "night", "precipitation"])),
            ("/runs/red/due/1/combats/0/total", json!(22)),
        ],
    );
    Arena::new()
        .unit(1, json!({ "commander": 5 }))
        .sheet(1, json!({ "command": ["A"] }))
        .attack(json!({ "commander": { "unit": "A", "with": "unit" } }))
        .rolls(1, &[(command(1), 6)])
        .done(
            v,
            "commands-itself",
            "16, 21",
            "a unit with a rating shares its own hex: 10, 2, 4, 2 and L with the unit, 6",
            &[("/runs/blue/due/1/combats/0/total", json!(24))],
        );
}

fn losses(v: &mut Vectors) {
    Arena::new()
        .unit(1, json!({ "attack": 1 }))
        .attack(json!({ "assault": false }))
        .rolls(2, &[(combat(1, CRT), 2), (combat(1, PROBE), 3)])
        .done(
            v,
            "probe-loses-less",
            "22 d",
            "a Probe that loses 2 goes back and saves 1",
            &[
                (&result("attacker_loss"), json!(1)),
                ("/runs/blue/hand/units/0/to", json!(3)),
                ("/runs/blue/hand/units/0/hexes", json!(["0822"])),
            ],
        );
    // EW against the attacker lasts until the player turn is over.
    let mut jammed = Arena::new().order(json!({ "ew_attacks": 1 })).rolls(2, &[(combat(1, E + 1), 6)]).until(5);
    let before = jammed.clone();
    before.done(
        v,
        "ew-stays",
        "22 b, 24",
        "the attacker's EW level is 3, and stays",
        &[(&format!("{RESULT}/ew_level"), json!(3)), ("/runs/blue/hand/units/0/ew", json!(3))],
    );
    jammed.honest("blue", json!({}), dice(&[]));
    jammed.done(v, "ew-ends", "25", "until his player turn is over", &[("/runs/blue/hand/units/0/ew", json!(0))]);
    let mut halted = super::ambush(2, false);
    let walk = json!({ "moves": [{ "cost": [3, 1, 1], "path": ["0824", "0825", "0826"], "unit": "M" }],
        "combats": [{ "kind": "counter-battery", "points": 1, "target": "0827" }] });
    halted.honest("blue", walk, dice(&[])).honest("red", json!({}), dice(&[]));
    halted.honest("blue", json!({}), dice(&[]));
    halted.done(
        v,
        "halted-spent",
        "24",
        "whoever is halted has spent what the part of his path up to there cost",
        &[("/runs/blue/hand/units/0/spent", json!(3)), ("/runs/blue/hand/units/0/finished", json!(true))],
    );
}

/// Writes cases in which a player may not choose something once the dice that it affects are known.
fn known_dice(v: &mut Vectors) {
    // Command is used once in a player turn.
    let mut again = Arena::new().unit(1, json!({ "commander": 5 })).sheet(3, json!({ "command": ["A"] })).until(5);
    let good = json!({ "combats": [fire("0824", 1)] });
    again.careless("blue", &good, json!({ "combats": [fire("0824", 1)], "command": ["A"] }), dice(&[]));
    again.done(
        v,
        "command-again",
        "16",
        "who has used Command in a move of this player turn does not in another",
        &[("/runs/blue/wrong", json!([5])), ("/runs/blue/hand/commanded", json!(["A"]))],
    );
    let mut later = Arena::new().unit(1, json!({ "commander": 5 })).sheet(3, json!({ "command": ["A"] })).until(5);
    later.honest("blue", json!({}), dice(&[])).honest("red", json!({}), dice(&[]));
    later.honest("blue", json!({ "command": ["A"] }), dice(&[]));
    later.done(
        v,
        "command-in-the-next-turn",
        "16",
        "in his next player turn he does",
        &[("/runs/blue/wrong", json!([])), ("/runs/blue/hand/command", json!(["A"]))],
    );
    let mut known = Arena::new().unit(1, json!({ "commander": 5 })).sheet(1, json!({ "command": ["A"] })).until(3);
    known.careless("blue", &good, json!({ "combats": [fire("0824", 1)], "command": ["A"] }), dice(&[]));
    known.done(
        v,
        "command-known",
        "16",
        "his setup used Command, and the grade is known when he moves: he does not try again",
        &[("/runs/blue/wrong", json!([3])), ("/runs/blue/hand/chances", json!({ "A": "none" }))],
    );
    // A unit on three hexes goes into column, but is searched for on all three.
    let mut wide = Game::new();
    let spread = unit("D", "0824", json!({ "hexes": ["0824", "0823", "0822"] }));
    let points = json!({ "air": 2, "signal": 2 });
    wide.honest("red", json!({ "points": points, "units": [spread] }), dice(&[(search(1), 3)]));
    let seeks = json!({ "allocate": { "signal": 1 }, "level": 3, "points": points, "sectors": ["north"], "units": [unit("A", "0810", json!({}))] });
    wide.honest("blue", seeks, dice(&[]));
    wide.honest("red", json!({ "modes": { "D": { "hexes": ["0824"], "mode": "column" } } }), dice(&[]));
    wide.done(
        v,
        "searched-before-modes",
        "17",
        "0822 lies in the sector that blue searches, and the dice for that are known: level 2 on the hex where it stands now",
        &[
            ("/runs/red/due/1/contacts/c1/hexes", json!(["0824"])),
            ("/runs/red/hand/units/0/level", json!(2)),
        ],
    );
    let onto = |hexes: &[&str]| json!({ "modes": { "W": { "hexes": hexes, "mode": "column" } } });
    let mut met = Game::new();
    met.honest("red", json!({ "units": [unit("W", "0824", json!({}))] }), dice(&[]));
    met.honest("blue", json!({ "units": [unit("M", "0825", json!({}))] }), dice(&[]));
    met.honest("red", json!({}), dice(&[])).honest("blue", json!({ "volunteer": ["M"] }), dice(&[]));
    met.careless("red", &json!({}), onto(&["0824", "0825"]), dice(&[]));
    met.done(
        v,
        "modes-onto-a-contact",
        "17",
        "the other stands there, as he has shown",
        &[("/runs/red/wrong", json!([4]))],
    );
    // An attack on the player's own unit, which would be empty and would open another segment.
    let mut own = Arena::new().joined(1, unit("B", "0822", json!({}))).until(3);
    let attack =
        |target: &str| json!({ "combats": [{ "kind": "attack", "retreats": {}, "target": target, "unit": "A" }] });
    own.careless("blue", &json!({}), attack("0822"), dice(&[]));
    own.done(
        v,
        "attack-on-oneself",
        "21",
        "a unit of his own stands on the target",
        &[("/runs/blue/wrong", json!([3]))],
    );
    // A retreating unit stops before anything that the opponent shows.
    Arena::new()
        .unit(1, json!({ "attack": 60 }))
        .joined(1, unit("N", "0825", json!({})))
        .sheet(1, json!({ "volunteer": ["N"] }))
        .order(json!({ "retreat": ["0724", "0725", "0825"] }))
        .rolls(2, &[(combat(1, CRT), 4)])
        .done(
            v,
            "retreat-before-a-contact",
            "22 d",
            "an overrun along three hexes, on the third of which N is shown",
            &[("/runs/red/hand/units/0/hexes", json!(["0725"]))],
        );
    // The units that replace a unit.
    let swap = |name: &str, about: &str, comes: Value, v: &mut Vectors| {
        let whole = json!({ "attack": 12, "commander": 4, "defense": 12, "leadership": 2 });
        let mut game = Arena::new().unit(1, whole).until(3);
        game.careless("blue", &json!({}), json!({ "replace": [{ "in": comes, "out": ["A"] }] }), dice(&[]));
        game.done(v, name, "25", about, &[("/runs/blue/wrong", json!([3]))]);
    };
    let half = |name: &str, change: Value| {
        unit(name, "0823", super::with(json!({ "attack": 6, "defense": 6, "to": 2 }), change))
    };
    let rated = json!({ "commander": 4 });
    swap("replace-commanders", "ratings do not grow", json!([half("A1", rated.clone()), half("A2", rated)]), v);
    let led = json!({ "leadership": 2 });
    swap("replace-leadership", "nor does leadership", json!([half("A1", led.clone()), half("A2", led)]), v);
}

fn zones(v: &mut Vectors) {
    let seen = |hex: &str| {
        let mut game = field(json!([unit("M", hex, json!({}))]), json!([unit("W", "0824", json!({}))]));
        game.honest("red", json!({ "allocate": { "signal": 1 }, "sectors": ["far"], "volunteer": ["W"] }), dice(&[]));
        game
    };
    let go = |path: &[&str], cost: &[u64]| json!({ "combats": [fire("0824", 1)], "moves": [{ "cost": cost, "path": path, "unit": "M" }] });
    let stays = json!({ "combats": [fire("0824", 1)] });
    let mut into = seen("0821");
    into.honest("blue", go(&["0822", "0823"], &[1, 1]), dice(&[])).honest("red", json!({}), dice(&[]));
    into.careless("blue", &stays, go(&["0822"], &[1]), dice(&[]));
    into.done(
        v,
        "on-from-zone-later",
        "19",
        "who has moved beside what the other shows goes on in no later segment",
        &[("/runs/blue/wrong", json!([5]))],
    );
    let mut begins = seen("0823");
    begins.honest("blue", go(&["0822", "0821"], &[3, 3]), dice(&[]));
    begins.done(
        v,
        "out-of-zone",
        "19",
        "who began there goes where he likes, with all the points that he has",
        &[("/runs/blue/wrong", json!([])), ("/runs/blue/hand/units/0/spent", json!(6))],
    );
    let mut hoards = seen("0815");
    hoards.honest("blue", go(&["0814"], &[2]), dice(&[])).honest("red", json!({}), dice(&[]));
    hoards.careless("blue", &stays, go(&["0813", "0812"], &[1, 3]), dice(&[]));
    hoards.done(
        v,
        "hoarding-all-that-is-left",
        "19",
        "it had just as many points as this costs",
        &[("/runs/blue/wrong", json!([5]))],
    );
}

/// Writes cases of contacts that a unit keeps, and of new ones.
fn contacts(v: &mut Vectors) {
    let mut game = Game::new();
    let wide = unit("W", "0824", json!({ "hexes": ["0824", "0825", "0826"] }));
    game.honest("red", json!({ "units": [wide] }), dice(&[]));
    game.honest("blue", json!({ "units": [unit("M", "0801", json!({}))] }), dice(&[]));
    game.honest("red", json!({ "volunteer": ["W"] }), dice(&[]));
    let mode = |hexes: &[&str]| json!({ "modes": { "W": { "hexes": hexes, "mode": "column" } } });
    game.honest("blue", json!({}), dice(&[])).honest("red", mode(&["0825"]), dice(&[]));
    game.honest("blue", json!({}), dice(&[])).honest("red", mode(&["0825", "0824"]), dice(&[]));
    game.done(
        v,
        "contacts-stay",
        "17, 26",
        "three hexes are three contacts; on one hex the first of them stays, and the next hex is a fourth",
        &[
            ("/runs/red/due/1/contacts/c3/hexes", json!(["0826"])),
            (
                "/states/4/contacts/red",
                json!({ "c1": { "designation": null, "hexes": ["0825"], "kind": null, "mode": null, "to": null } }),
            ),
            ("/runs/red/due/3/contacts/c1/hexes", json!(["0825"])),
            ("/runs/red/due/3/contacts/c4/hexes", json!(["0824"])),
            ("/runs/red/hand/next", json!(5)),
        ],
    );
}

/// Writes cases of a player turn's 64 segments, which the inputs alone show.
fn segments(v: &mut Vectors) {
    let mut game = Game::new();
    game.honest("red", json!({ "points": { "artillery": 100 } }), dice(&[]));
    game.honest("blue", json!({}), dice(&[]));
    for _ in 1..64 {
        game.honest("red", json!({ "combats": [fire("0824", 1)] }), dice(&[])).honest("blue", json!({}), dice(&[]));
    }
    let more = json!({ "combats": [fire("0824", 1)] });
    let mut careless = game.clone();
    careless.careless("red", &json!({}), more.clone(), dice(&[]));
    // Two runs through 64 segments agree on all declarations but the last.
    careless.done(
        v,
        "segment-64",
        "9, 19",
        "the move of segment 64 has no combat: what the sheet says of one is not said",
        &[("/runs/red/wrong", json!([128])), ("/states/128/phasing", json!("blue"))],
    );
    let stated = json!({ "combats": [fire("0824", 1)] });
    game.lies("red", json!({}), dice(&[]), stated);
    game.done(
        v,
        "follow-segment-64",
        "9",
        "and none is taken (declare 15)",
        &[("/states/128", json!({ "class": "rule" }))],
    );
}
