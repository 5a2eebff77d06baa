//! The hidden course `ndc`: N1 to N11 of the digest of its rules, each rule of its page, and false inputs.

mod turns;

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use sealed_dice::resolve::{
    Hidden, Object, Place, Source, System,
    hidden::{Made, Run},
};
use serde_json::{Value, json};

use crate::{
    Vectors, events,
    kit::{object, role, text},
};

/// The limits in the vectors' charters: units, EW attacks and combats.
const N: u64 = 8;
const E: u64 = 2;
const C: u64 = 3;

/// Line numbers of a declaration's dice (4).
fn tactical(u: u64) -> u64 {
    u
}
fn search(u: u64) -> u64 {
    N + u
}
fn after(u: u64) -> u64 {
    2 * N + u
}
fn command(u: u64) -> u64 {
    3 * N + u
}
fn ammo(u: u64) -> u64 {
    4 * N + u
}
pub(crate) const WEATHER: u64 = 5 * N + 1;
fn combat(j: u64, place: u64) -> u64 {
    5 * N + 1 + (j - 1) * (2 * E + 4) + place
}
const CRT: u64 = 2 * E + 1;
const PROBE: u64 = 2 * E + 2;
const BACK: u64 = 2 * E + 3;
const BATTERY: u64 = 2 * E + 4;

/// Dice by line; a line without an entry shows only ones.
type Dice = BTreeMap<u64, Vec<u64>>;

fn dice(values: &[(u64, u64)]) -> Dice {
    let mut dice = Dice::new();
    for (line, value) in values {
        dice.entry(*line).or_default().push(*value);
    }
    dice
}

/// The dice drawn from a declaration, by line.
type Drawn = Rc<RefCell<BTreeMap<String, Vec<u64>>>>;

struct Ones(Dice, Drawn);

impl Source for Ones {
    fn draw(&mut self, place: Place, _: u64) -> sealed_dice::error::Result<u64> {
        let line = self.0.get_mut(&place.line).filter(|line| !line.is_empty());
        let value = line.map_or(1, |line| line.remove(0));
        self.1.borrow_mut().entry(place.line.to_string()).or_default().push(value);
        Ok(value)
    }
}

pub(crate) fn settings() -> Value {
    json!({
        "adjacent": "all", "ammo": false, "combats": C, "defender_to_sign": "minus",
        "doctrine": { "blue": "us", "red": "soviet" }, "ew": E, "letters": "standing", "low_columns": "even",
        "roll_count_public": false,
        "sectors": { "blue": ["0823", "0823"], "far": ["5050", "6060"], "north": ["0815", "0822"], "red": ["0824", "0824"] },
        "sheet_bytes": 16384, "sides": ["red", "blue"], "units": N,
    })
}

/// Returns the test tables, and four tables in which the die decides the row directly.
pub(crate) fn tables() -> Value {
    let mut tables = events::file("ndc-test");
    let simple = |dice: &str, rows: Value| json!({ "columns": [".."], "dice": dice, "rows": rows, "source": "test" });
    tables["ndc-intelligence"] = simple("1d6", json!({ "1": ["0"], "2": ["1"], "3": ["2"], "4": ["3"], "5-6": ["4"] }));
    tables["ndc-weather"] = simple(
        "1d6",
        json!({ "1": ["clear"], "2": ["fog"], "3": ["night"], "4": ["precipitation"],
        "5": ["night+precipitation"], "6": ["fog+night+precipitation"] }),
    );
    tables["ndc-command"] = simple("1d10", json!({ "1": ["none"], "2-4": ["P"], "5-7": ["L"], "8-10": ["C"] }));
    tables["ndc-ew"] = simple("1d6", json!({ "1-3": ["0"], "4": ["1"], "5": ["2"], "6": ["3"] }));
    tables
}

pub(crate) fn unit(name: &str, hex: &str, change: Value) -> Value {
    let plain = json!({ "attack": 10, "defense": 8, "hexes": [hex], "kind": "infantry", "mode": "march", "movement": 6, "name": name, "to": 4 });
    with(plain, change)
}

/// Returns an object with some fields changed, at any depth.
fn with(mut value: Value, change: Value) -> Value {
    match (&mut value, change) {
        (Value::Object(fields), Value::Object(change)) => {
            for (key, new) in change {
                let old = fields.remove(&key).unwrap_or(Value::Null);
                fields.insert(key, if old.is_object() { with(old, new) } else { new });
            }
            value
        }
        (_, change) => change,
    }
}

/// A game being written: sheets, dice, and inputs.
#[derive(Clone)]
struct Game {
    settings: Value,
    tables: Value,
    supplied: Value,
    steps: Vec<(String, Value, Option<Value>, Option<Dice>)>,
}

impl Game {
    fn new() -> Self {
        Self { settings: settings(), tables: tables(), supplied: json!({}), steps: Vec::new() }
    }

    /// Returns the declarations for a run, and a record of what the run draws from each.
    fn made(&self) -> (Vec<Made<'static>>, Vec<Drawn>) {
        let drawn: Vec<Drawn> = self.steps.iter().map(|_| Drawn::default()).collect();
        let made = self.steps.iter().zip(&drawn).map(|((by, input, sheet, dice), drawn)| Made {
            by: role(by),
            input: text(&object(input.clone())),
            sheet: sheet.clone().map(object),
            dice: dice.clone().map(|dice| -> Box<dyn Source> { Box::new(Ones(dice, Rc::clone(drawn))) }),
        });
        (made.collect(), drawn)
    }

    fn run<T>(&self, made: &mut [Made<'_>], run: impl FnOnce(&dyn Hidden, &mut [Made<'_>], &Object) -> T) -> T {
        let system = System::settle("ndc", &object(self.settings.clone()), &object(self.tables.clone())).unwrap();
        let hidden = system.resolver().course().and_then(|course| course.hidden()).unwrap();
        run(hidden, made, &object(self.supplied.clone()))
    }

    /// Returns the input that a player has to state.
    fn due(&self, by: &str, sheet: &Value) -> Result<Value, String> {
        let told: Result<Run, _> = self.run(&mut self.made().0, |hidden, made, supplied| {
            hidden.state(&role(by), made, &object(sheet.clone()), supplied)
        });
        let run = told.map_err(|error| error.to_string())?;
        Ok(serde_json::from_str(run.told.last().unwrap().due.as_str()).unwrap())
    }

    /// Adds an honest declaration: the input is what follows from the sheet.
    fn honest(&mut self, by: &str, sheet: Value, dice: Dice) -> &mut Self {
        let due = self.due(by, &sheet).unwrap_or_else(|why| panic!("{by}: {why}"));
        self.steps.push((by.into(), due, Some(sheet), Some(dice)));
        self
    }

    /// Adds a declaration with an honest sheet and a false input.
    fn lies(&mut self, by: &str, sheet: Value, dice: Dice, lie: Value) -> &mut Self {
        let due = self.due(by, &sheet).unwrap_or_else(|why| panic!("{by}: {why}"));
        self.steps.push((by.into(), with(due, lie), Some(sheet), Some(dice)));
        self
    }

    /// Adds a declaration whose sheet contains something that is not allowed. The input is what follows from the rest.
    fn careless(&mut self, by: &str, good: &Value, wrong: Value, dice: Dice) -> &mut Self {
        let due = self.due(by, good).unwrap_or_else(|why| panic!("{by}: {why}"));
        assert!(self.due(by, &wrong).is_err(), "{by}: {wrong} is allowed");
        self.steps.push((by.into(), due, Some(wrong), Some(dice)));
        self
    }

    fn given(&self) -> Value {
        let (mut made, known) = self.made();
        for side in ["red", "blue"] {
            // In a vector for something that is not awaited, no run is possible.
            let _ = self.run(&mut made, |hidden, made, supplied| hidden.run(&role(side), made, supplied));
        }
        let steps = self.steps.iter().zip(known).map(|((by, input, sheet, dice), known)| {
            json!({ "by": by, "dice": dice.as_ref().map(|_| known.borrow().clone()), "input": input, "sheet": sheet })
        });
        let mut given = json!({ "settings": self.settings, "steps": steps.collect::<Vec<_>>(), "system": "ndc", "tables": self.tables });
        if self.supplied != json!({}) {
            given["supplied"] = self.supplied.clone();
        }
        given
    }

    /// Writes the vector. `known` has pointers into the result, and the values that the author expects there.
    fn done(&self, v: &mut Vectors, name: &str, rules: &str, about: &str, known: &[(&str, Value)]) {
        let given = self.given();
        let expect = sealed_dice::conformance::compute("hidden", &given);
        for (pointer, value) in known {
            assert_eq!(expect.pointer(pointer), Some(value), "{name}: {pointer} in {expect:#}");
        }
        v.put(&format!("hidden/ndc-{name}"), &format!("ndc.md {rules}"), about, given, expect);
    }
}

/// An attack in turn 1 by blue's A on 0823 against red's D on 0824, as declarations: both setups, red's turn, the
/// attack, and red's report. Each can be changed before it is made.
struct Arena {
    game: Game,
    sheets: [Value; 5],
    dice: [Dice; 5],
}

const BY: [&str; 5] = ["red", "blue", "red", "blue", "red"];

impl Arena {
    fn new() -> Self {
        let points = json!({ "air": 2, "artillery": 10, "signal": 2 });
        let retreats = json!({ "any": ["0723", "0822", "0923"], "away": ["0822"], "road": [] });
        Self {
            game: Game::new(),
            sheets: [
                json!({ "points": points, "units": [unit("D", "0824", json!({}))] }),
                json!({ "allocate": { "signal": 1 }, "points": points, "sectors": ["red"], "units": [unit("A", "0823", json!({}))] }),
                json!({ "allocate": { "signal": 1 }, "sectors": ["blue"] }),
                json!({ "combats": [{ "assault": true, "kind": "attack", "retreats": retreats, "target": "0824", "unit": "A" }] }),
                json!({}),
            ],
            dice: Default::default(),
        }
    }

    fn sheet(mut self, at: usize, change: Value) -> Self {
        self.sheets[at] = with(self.sheets[at].take(), change);
        self
    }

    /// Changes the first unit of a side.
    fn unit(mut self, at: usize, change: Value) -> Self {
        let unit = self.sheets[at]["units"][0].take();
        self.sheets[at]["units"][0] = with(unit, change);
        self
    }

    fn joined(mut self, at: usize, unit: Value) -> Self {
        self.sheets[at]["units"].as_array_mut().unwrap().push(unit);
        self
    }

    fn attack(mut self, change: Value) -> Self {
        let attack = self.sheets[3]["combats"][0].take();
        self.sheets[3]["combats"][0] = with(attack, change);
        self
    }

    fn order(self, order: Value) -> Self {
        self.sheet(2, json!({ "orders": { "D": [order] } }))
    }

    fn setting(mut self, change: Value) -> Self {
        self.game.settings = with(self.game.settings, change);
        self
    }

    fn rolls(mut self, at: usize, values: &[(u64, u64)]) -> Self {
        for (line, values) in dice(values) {
            self.dice[at].entry(line).or_default().extend(values);
        }
        self
    }

    /// Plays the first `end` declarations.
    fn until(&self, end: usize) -> Game {
        let mut game = self.game.clone();
        for ((by, sheet), dice) in BY.iter().zip(&self.sheets).zip(&self.dice).take(end) {
            game.honest(by, sheet.clone(), dice.clone());
        }
        game
    }

    fn done(&self, v: &mut Vectors, name: &str, rules: &str, about: &str, known: &[(&str, Value)]) {
        self.until(5).done(v, name, rules, about, known);
    }
}

const RESULT: &str = "/runs/red/due/2/combats/0";

fn result(field: &str) -> String {
    format!("{RESULT}/{field}")
}

/// N1: the attacker's half is 22. The defender's half is 5 with `minus` and 11 with `plus`.
fn n1() -> Arena {
    let mut arena = Arena::new()
        .setting(json!({ "adjacent": "others" }))
        .unit(1, json!({ "attack": 12, "fatigue": 1, "leadership": 1 }))
        .joined(1, unit("sub", "0823", json!({ "commander": 2 })))
        .joined(1, unit("near", "0924", json!({})))
        .joined(1, unit("div", "0821", json!({ "commander": 5 })))
        .joined(1, unit("hq", "0821", json!({ "kind": "hq" })))
        .sheet(1, json!({ "command": ["div"] }))
        .unit(0, json!({ "defense": 9, "leadership": 1, "to": 3 }))
        .joined(0, unit("aide", "0824", json!({ "commander": 1 })))
        .order(json!({ "ew_attacks": 1, "ew_superiority": 5, "fpf": 2, "retreat": ["0825", "0826"], "subordinates": ["aide"], "terrain": ["forest"] }))
        .attack(json!({ "barrage": 5, "commander": { "unit": "div", "with": "hq" }, "ew_attacks": 1, "ew_superiority": 5,
            "subordinates": ["sub"], "terrain": ["forest"], "unprepared": true }));
    arena = arena.rolls(0, &[(WEATHER, 3), (search(1), 3)]);
    arena = arena.rolls(1, &[(search(1), 2), (command(4), 6)]);
    arena.rolls(2, &[(combat(1, 1), 5), (combat(1, E + 1), 4), (combat(1, CRT), 4)])
}

fn digest(v: &mut Vectors) {
    let fought = |loss: i64, hexes: Value| json!({ "hexes": hexes, "loss": loss });
    n1().done(
        v,
        "n01-minus",
        "21, 22",
        "the attacker's half is 22, the differential 5, and the defender's T/O counts against the attack",
        &[
            ("/runs/blue/due/1/combats/0/total", json!(22)),
            (&result("attacker_loss"), json!(1)),
            (&result("defender"), fought(1, json!(["0825"]))),
            (&result("ew_level"), json!(1)),
            ("/runs/red/hand/units/0/ew", json!(2)),
        ],
    );
    n1().setting(json!({ "defender_to_sign": "plus" })).done(
        v,
        "n01-plus",
        "1, 22",
        "the same with the sign as printed: the differential is 11",
        &[(&result("defender"), fought(2, json!(["0825", "0826"])))],
    );
    let n2 = || {
        Arena::new()
            .unit(0, json!({ "defense": 10, "fatigue": 2 }))
            .unit(1, json!({ "attack": 0, "leadership": 0, "to": 4 }))
            .order(json!({ "ew_attacks": 1, "terrain": ["river"] }))
            .rolls(2, &[(combat(1, E + 1), 6), (combat(1, CRT), 2), (combat(1, BACK), 2)])
    };
    n2().done(
        v,
        "n02-abort",
        "22 c, d",
        "a differential below -9: aborted, the attacker loses 2 and goes directly away, which is one hex: no draw",
        &[
            (&result("result"), json!("abort")),
            (&result("attacker_loss"), json!(2)),
            (&result("retreat"), json!("0822")),
            (&result("defender"), Value::Null),
            ("/runs/blue/hand/units/0/to", json!(2)),
            ("/runs/blue/hand/units/0/hexes", json!(["0822"])),
        ],
    );
    n2().setting(json!({ "defender_to_sign": "plus" })).unit(1, json!({ "attack": 4, "leadership": -4 })).done(
        v,
        "n02-plus",
        "22 c",
        "with the sign as printed the same attack is no abort",
        &[(&result("result"), json!("fought")), (&result("attacker_loss"), json!(2))],
    );
    let mut n3 = Arena::new()
        .unit(1, json!({ "attack": 18, "leadership": 1 }))
        .joined(1, unit("b", "0823", json!({ "commander": 1 })))
        .joined(1, unit("div", "0823", json!({ "commander": 6 })))
        .sheet(1, json!({ "command": ["div"] }))
        .unit(0, json!({ "defense": 6, "fatigue": 3, "to": 3 }))
        .order(json!({ "control_loss": true, "retreat": ["0825", "0826"] }))
        .setting(json!({ "doctrine": { "blue": "soviet" } }))
        .attack(json!({ "barrage": 8, "chemical": "used", "commander": { "unit": "div", "with": "unit" }, "subordinates": ["b"] }));
    n3 = n3.rolls(0, &[(WEATHER, 4), (search(1), 5)]).rolls(1, &[(command(3), 9)]).rolls(2, &[(combat(1, CRT), 5)]);
    n3.done(
        v,
        "n03-overrun",
        "22 d",
        "all helps the attack: the defender is overrun, and goes along all of his retreat",
        &[
            ("/runs/blue/due/1/combats/0/total", json!(44)),
            (&result("result"), json!("overrun")),
            (&result("defender"), fought(2, json!(["0825", "0826"]))),
            ("/runs/red/hand/units/0/to", json!(1)),
            ("/runs/red/hand/units/0/hexes", json!(["0826"])),
        ],
    );
    for (name, die, comes, loss) in [("n04-no-abort", 5, "fought", 2), ("n04-abort", 1, "abort", 2)] {
        let n4 = Arena::new()
            .setting(json!({ "adjacent": "others", "doctrine": { "blue": "us", "red": "soviet" } }))
            .unit(1, json!({ "fatigue": 3, "to": 3 }))
            .unit(0, json!({ "fatigue": 1, "to": 2 }))
            .joined(0, unit("div", "0824", json!({ "commander": 6, "kind": "hq" })))
            .joined(0, unit("aide", "0824", json!({ "commander": 2 })))
            .joined(0, unit("staff", "0824", json!({ "kind": "hq" })))
            .sheet(2, json!({ "command": ["div"] }))
            .order(json!({ "chemical": "used", "commander": { "unit": "div", "with": "hq" }, "ew_attacks": 1, "fpf": 6, "subordinates": ["aide"], "terrain": ["hill"] }))
            .attack(json!({ "barrage": 1, "chemical": "persistent", "control_loss": true, "ew_attacks": 1, "terrain": ["hill"] }))
            .rolls(0, &[(WEATHER, 5), (search(1), 4)])
            .rolls(1, &[(search(1), 3)])
            .rolls(2, &[(combat(1, 1), 6), (combat(1, E + 1), 5), (command(2), 8), (combat(1, CRT), die)]);
        n4.done(
            v,
            name,
            "22",
            "chemicals, EW and Command both ways, all against the attack",
            &[
                (&result("result"), json!(comes)),
                (&result("attacker_loss"), json!(loss)),
                (&result("ew_level"), json!(2)),
                ("/states/4/markers/gas", json!(["0824"])),
                ("/states/4/chemicals", json!({ "blue": 1, "red": 1 })),
            ],
        );
    }
    n1().rolls(0, &[]).done(
        v,
        "n05-told",
        "22 e, 26",
        "what N1 tells: total, fire, EW level, the defender's loss; the differential, the die and his EW it does not",
        &[(&result("fpf"), json!(2)), (&result("ew_level"), json!(1))],
    );
    let mut hidden = n1();
    hidden.dice[0] = dice(&[(WEATHER, 3), (search(1), 1)]);
    hidden.done(
        v,
        "n05-untold",
        "22 e",
        "a defender of level 0: neither his loss nor his retreat is told",
        &[(&result("defender"), Value::Null)],
    );
    let n6 = |any: &[&str], away: &[&str], road: &[&str]| {
        n2().attack(json!({ "retreats": { "any": any, "away": away, "road": road } }))
    };
    let (two, road, none) = (
        n6(&["0723", "0822", "0923"], &["0723", "0822"], &[]),
        n6(&["0724", "0822"], &["0822"], &["0724"]),
        n6(&["0724"], &[], &[]),
    );
    let picked = json!("0822");
    two.done(
        v,
        "n06-two",
        "22",
        "two hexes directly away: a die of two picks the second",
        &[(&result("retreat"), picked)],
    );
    let away = json!("0822");
    let about = "the road comes first, but is beside the defender: then directly away";
    road.done(v, "n06-road", "22", about, &[(&result("retreat"), away)]);
    let about = "every hex is beside the defender: the attacker stays, and loses 2";
    none.done(v, "n06-none", "22", about, &[(&result("retreat"), Value::Null)]);
}

/// Blue moves past red's hidden W on 0924, and is halted or not.
fn ambush(level: u64, volunteer: bool) -> Game {
    let mut game = Game::new();
    let points = json!({ "air": 0, "artillery": 4, "signal": 2 });
    game.honest("red", json!({ "points": points, "units": [unit("W", "0925", json!({}))] }), dice(&[]));
    game.honest("blue", json!({ "allocate": { "signal": 1 }, "points": points, "sectors": ["far"], "units": [unit("M", "0823", json!({}))] }), dice(&[(search(1), level + 1)]));
    let mut sheet = json!({ "allocate": { "signal": 2 }, "halt": ["W"], "sectors": ["blue", "north"] });
    if volunteer {
        sheet["volunteer"] = json!(["W"]);
    }
    game.honest("red", sheet, dice(&[]));
    game
}

fn halts(v: &mut Vectors) {
    let attack = json!({ "moves": [{ "cost": [1, 1, 1], "path": ["0824", "0825", "0826"], "unit": "M" }],
        "combats": [{ "kind": "attack", "retreats": {}, "target": "0827", "unit": "M" }] });
    let mut seen = ambush(2, false);
    seen.honest("blue", attack.clone(), dice(&[])).honest("red", json!({}), dice(&[]));
    seen.honest("blue", json!({}), dice(&[]));
    seen.done(v, "n07-halted", "24", "a mover of level 2 comes by a unit that nobody has seen: it is halted, its attack cancelled, and the hex from which is shown", &[
        ("/runs/red/due/2/halts", json!([{ "by": "0925", "contact": "c1", "hex": "0824" }])),
        ("/runs/red/due/2/combats/0/result", json!("cancelled")),
        ("/runs/red/due/2/contacts/c1/hexes", json!(["0925"])),
        ("/runs/blue/hand/units/0/hexes", json!(["0824"])),
        ("/runs/blue/hand/units/0/spent", json!(1)),
        ("/runs/blue/hand/units/0/attacks", json!(0)),
    ]);
    let mut masked = ambush(1, false);
    masked.honest("blue", attack.clone(), dice(&[])).honest("red", json!({}), dice(&[]));
    masked.done(
        v,
        "n07-unnoticed",
        "19, 24",
        "a mover of level 1: its entries are told, and nobody halts it",
        &[
            ("/runs/blue/due/1/entries", json!(["0824", "0825", "0826"])),
            ("/runs/red/due/2/halts", json!([])),
            ("/runs/red/due/2/combats/0/result", json!("empty")),
        ],
    );
    let mut false_halt = ambush(1, false);
    false_halt.honest("blue", attack.clone(), dice(&[]));
    let halt = json!({ "halts": [{ "by": "0925", "contact": "c1", "hex": "0824" }] });
    false_halt.lies("red", json!({}), dice(&[]), halt);
    false_halt.done(
        v,
        "follow-halt-of-nobody",
        "11",
        "a contact without a path cannot be halted (declare 15)",
        &[("/states/4", json!({ "class": "rule" }))],
    );
    let mut missed = ambush(2, false);
    missed.honest("blue", attack, dice(&[]));
    missed.lies(
        "red",
        json!({}),
        dice(&[]),
        json!({ "halts": [], "combats": [{ "advance": false, "attacker_loss": 0, "breakthrough": false,
        "chemical": "none", "defender": null, "ew_level": 0, "fpf": 0, "result": "empty", "retreat": null }] }),
    );
    missed.done(
        v,
        "false-no-halt",
        "24, hidden.md 6",
        "who ordered a halt and does not state it is found when his sheet is open",
        &[("/runs/red/wrong", json!([4]))],
    );
    let mut invented = ambush(2, false);
    let walk = json!({ "moves": [{ "cost": [1, 1], "path": ["0822", "0821"], "unit": "M" }], "combats": [{ "kind": "counter-battery", "points": 2, "target": "0925" }] });
    invented.honest("blue", walk, dice(&[]));
    invented.lies("red", json!({}), dice(&[]), json!({ "halts": [{ "by": "0922", "contact": "c1", "hex": "0822" }] }));
    invented.done(v, "false-halt", "24, hidden.md 6", "a halt by nobody", &[("/runs/red/wrong", json!([4]))]);
}

/// Begins a game in which only blue moves; red's units stand where `red` puts them.
fn field(blue: Value, red: Value) -> Game {
    let mut game = Game::new();
    let points = json!({ "air": 4, "artillery": 4, "signal": 2 });
    game.honest("red", json!({ "points": points, "units": red }), dice(&[]));
    game.honest(
        "blue",
        json!({ "allocate": { "signal": 1 }, "points": points, "sectors": ["red"], "units": blue }),
        dice(&[]),
    );
    game
}

fn fire(target: &str, points: u64) -> Value {
    json!({ "kind": "counter-battery", "points": points, "target": target })
}

/// Writes a vector with a move that is not allowed. The input is what follows without it.
fn barred(v: &mut Vectors, name: &str, about: &str, moves: Value) {
    let mut game = field(
        json!([unit("M", "0822", json!({ "march": 2 })), unit("Z", "0815", json!({ "hexes": ["0815", "0816"] }))]),
        json!([unit("W", "0825", json!({}))]),
    );
    game.honest("red", json!({ "allocate": { "signal": 1 }, "sectors": ["far"], "volunteer": ["W"] }), dice(&[]));
    let good = json!({ "combats": [fire("0825", 1)] });
    game.careless("blue", &good, with(good.clone(), json!({ "moves": moves })), dice(&[]));
    game.done(
        v,
        name,
        "19, hidden.md 6",
        about,
        &[("/runs/blue/wrong", json!([3])), ("/runs/blue/hand/units/0/hexes", json!(["0822"]))],
    );
}

fn moves(v: &mut Vectors) {
    let step = |path: &[&str], cost: &[u64]| json!([{ "cost": cost, "path": path, "unit": "M" }]);
    barred(v, "move-too-far", "more points than the unit has", step(&["0821", "0820"], &[4, 3]));
    barred(v, "move-no-neighbour", "a hex that is no neighbour of the one before", step(&["0821", "0819"], &[1, 1]));
    barred(v, "move-into-contact", "into a hex of what the other shows", step(&["0823", "0824", "0825"], &[1, 1, 1]));
    barred(
        v,
        "move-on-from-zone",
        "on from a neighbour of what the other shows",
        step(&["0823", "0824", "0924"], &[1, 1, 1]),
    );
    barred(v, "move-costs-missing", "fewer costs than hexes", step(&["0821", "0820"], &[1]));
    barred(
        v,
        "move-two-hexes",
        "a unit that stands on two hexes",
        json!([{ "cost": [1], "path": ["0814"], "unit": "Z" }]),
    );
    barred(v, "move-of-nobody", "a unit that is not there", json!([{ "cost": [1], "path": ["0814"], "unit": "Q" }]));
    barred(
        v,
        "move-other-form",
        "a move with a field that it has not",
        json!([{ "cost": [1], "path": ["0821"], "speed": 1, "unit": "M" }]),
    );
    hoarding(v);
    // A unit with level 3 finishes in a searched sector.
    let mut game = field(json!([unit("M", "0823", json!({}))]), json!([unit("W", "0801", json!({}))]));
    game.steps[1].3 = Some(dice(&[(search(1), 4)]));
    game.honest("red", json!({ "allocate": { "signal": 1 }, "sectors": ["blue", "north"] }), dice(&[]));
    game.honest("blue", json!({ "finished": ["M"], "interdictions": [{ "points": 2, "target": "0801" }], "moves": [{ "cost": [1, 1, 1, 1], "path": ["0822", "0821", "0820", "0819"], "unit": "M" }] }), dice(&[(after(1), 3)]));
    game.honest("red", json!({}), dice(&[]));
    let before = game.clone();
    game.honest("blue", json!({}), dice(&[]));
    game.honest("red", json!({}), dice(&[])).honest("blue", json!({}), dice(&[]));
    game.done(v, "n08-reset", "20", "a unit of level 3 that moved and finished in a searched sector: level 0, then one die, once in the player turn", &[
        ("/runs/blue/due/1/paths", json!({ "c1": ["0822", "0821", "0820", "0819"] })),
        ("/runs/blue/due/1/contacts/c1/kind", json!("infantry")),
        ("/runs/blue/due/2/contacts/c1/kind", Value::Null),
        ("/runs/blue/draws/1", json!([3, after(1), 6, 3, "ndc-intelligence M"])),
    ]);
    let mut skipped = before.clone();
    skipped.lies("blue", json!({}), dice(&[]), json!({ "contacts": null }));
    skipped.steps.last_mut().unwrap().1["contacts"] = json!({});
    skipped.done(
        v,
        "false-roll-skipped",
        "20, hidden.md 6",
        "the roll after the move is passed over in silence, and nothing shown",
        &[("/runs/blue/wrong", json!([5]))],
    );
    let mut again = before;
    again.lies(
        "blue",
        json!({}),
        dice(&[]),
        json!({ "contacts": { "c1": { "designation": "M", "kind": "infantry", "mode": "march", "to": 4 } } }),
    );
    again.done(
        v,
        "false-roll-repeated",
        "20, hidden.md 6",
        "as if there had been another roll",
        &[("/runs/blue/wrong", json!([5]))],
    );
}

fn hoarding(v: &mut Vectors) {
    let begin = || {
        let mut game = field(
            json!([unit("M", "0822", json!({})), unit("O", "0818", json!({}))]),
            json!([unit("W", "0825", json!({}))]),
        );
        game.honest("red", json!({ "allocate": { "signal": 1 }, "sectors": ["far"] }), dice(&[]));
        game.honest(
            "blue",
            json!({ "combats": [fire("0825", 1)], "moves": [{ "cost": [2], "path": ["0821"], "unit": "M" }] }),
            dice(&[]),
        );
        game
    };
    let on =
        json!({ "combats": [fire("0825", 1)], "moves": [{ "cost": [1, 1], "path": ["0822", "0823"], "unit": "M" }] });
    let late = json!({ "combats": [fire("0825", 1)], "moves": [{ "cost": [1], "path": ["0817"], "unit": "O" }] });
    let mut hoards = begin();
    hoards.honest("red", json!({}), dice(&[]));
    let stays = json!({ "combats": [fire("0825", 1)] });
    hoards.careless("blue", &stays, late.clone(), dice(&[]));
    hoards.done(
        v,
        "hoarding",
        "19",
        "a move in segment 2 that the unit could have made in segment 1",
        &[("/runs/blue/wrong", json!([5]))],
    );
    let mut shown = begin();
    shown.honest("red", json!({ "volunteer": ["W"] }), dice(&[]));
    let beside = json!({ "combats": [fire("0825", 1)], "moves": [{ "cost": [1, 1, 1], "path": ["0822", "0823", "0824"], "unit": "M" }] });
    shown.honest("blue", beside, dice(&[]));
    shown.done(
        v,
        "no-hoarding-known-now",
        "19",
        "in segment 2 the same hex is beside another enemy than before: it is another move",
        &[("/runs/blue/wrong", json!([]))],
    );
    let mut far = begin();
    far.honest("red", json!({}), dice(&[])).careless("blue", &stays, on, dice(&[]));
    far.done(
        v,
        "hoarding-on",
        "19",
        "who has moved and goes on later could have gone on at once",
        &[("/runs/blue/wrong", json!([5]))],
    );
}

fn results(v: &mut Vectors) {
    let strong = || Arena::new().unit(1, json!({ "attack": 20 })).order(json!({ "retreat": ["0825"] }));
    strong().rolls(2, &[(combat(1, CRT), 6)]).done(
        v,
        "assault-advances",
        "22 d",
        "a breakthrough: the defender goes back, the assault advances",
        &[
            (&result("advance"), json!(true)),
            (&result("breakthrough"), json!(true)),
            ("/states/4/markers/breakthrough", json!(["0824"])),
            ("/runs/blue/hand/units/0/hexes", json!(["0824"])),
        ],
    );
    strong().joined(0, unit("rear", "0824", json!({}))).rolls(2, &[(combat(1, CRT), 6)]).done(
        v,
        "assault-stays",
        "22 d",
        "another unit holds the target: no advance",
        &[(&result("advance"), json!(false))],
    );
    for (name, change, dies, loss, back) in [
        ("probe-goes-back", json!({ "assault": false }), 4, 0, json!("0822")),
        (
            "probe-stays",
            json!({ "assault": false, "retreats": { "any": ["0724"], "away": [], "road": [] } }),
            4,
            1,
            Value::Null,
        ),
    ] {
        strong().attack(change).rolls(2, &[(combat(1, CRT), dies), (combat(1, PROBE), 1)]).done(
            v,
            name,
            "22 d",
            "a Probe with a loss goes back if it can, and loses less",
            &[(&result("attacker_loss"), json!(loss)), (&result("retreat"), back), (&result("advance"), json!(false))],
        );
    }
    strong()
        .attack(json!({ "assault": false }))
        .rolls(1, &[(search(1), 5)])
        .unit(1, json!({ "to": 2 }))
        .rolls(2, &[(combat(1, CRT), 1)])
        .done(
            v,
            "probe-known-to",
            "22 d",
            "the T/O that its contact shows is the column of what a Probe saves",
            &[(&result("attacker_loss"), json!(1))],
        );
    Arena::new()
        .unit(1, json!({ "attack": 60 }))
        .unit(0, json!({ "to": 2 }))
        .rolls(0, &[(search(1), 3)])
        .rolls(2, &[(combat(1, CRT), 4)])
        .done(
            v,
            "eliminated",
            "22 e",
            "T/O comes to 0: the unit is gone, and stands nowhere",
            &[
                ("/runs/red/hand/units/0/gone", json!(true)),
                ("/runs/red/hand/units/0/hexes", json!([])),
                ("/states/4/contacts/red", json!({})),
            ],
        );
    Arena::new().attack(json!({ "target": "0822" })).done(
        v,
        "empty",
        "22",
        "nobody is on the target",
        &[(&result("result"), json!("empty"))],
    );
    // Two attacks on one hex: the second finds nobody there.
    let twice = |letters: &str| {
        let mut arena = Arena::new()
            .setting(json!({ "letters": letters }))
            .unit(1, json!({ "attack": 60 }))
            .joined(1, unit("B", "0924", json!({ "attack": 60 })))
            .sheet(
                2,
                json!({ "orders": { "D": [{ "fpf": 4, "retreat": ["0825"] }, { "chemical": "used", "fpf": 20 }] } }),
            );
        let mut second = arena.sheets[3]["combats"][0].clone();
        second = with(
            second,
            json!({ "unit": "B", "chemical": "persistent", "barrage": 3, "retreats": { "any": [], "away": [] } }),
        );
        arena.sheets[3]["combats"].as_array_mut().unwrap().push(second);
        arena
    };
    twice("standing").done(
        v,
        "second-is-empty",
        "18, 22",
        "the first of two attacks drives the defender off: the second is empty, and its fire not spent",
        &[
            ("/runs/red/due/2/combats/1/result", json!("empty")),
            ("/states/4/spent/red/support", json!(4)),
            ("/states/4/chemicals", json!({ "blue": 1, "red": 0 })),
        ],
    );
    let mut wait = twice("wait");
    wait.sheets[4] =
        json!({ "orders": { "D": [{ "fpf": 4, "retreat": ["0825"] }, { "chemical": "used", "fpf": 20 }] } });
    let mut game = wait.until(5);
    game.honest("red", json!({}), dice(&[]));
    game.done(
        v,
        "wait",
        "9, 10, 18",
        "with wait the defender promises his fire first, as much as is left, and rolls then",
        &[
            ("/states/4/defended", json!([{ "chemical": "none", "fpf": 4 }, { "chemical": "used", "fpf": 8 }])),
            ("/runs/red/due/3/combats/1/result", json!("empty")),
            ("/states/5/spent/red/support", json!(4)),
        ],
    );
    let mut broken = wait.until(5);
    broken.lies("red", json!({}), dice(&[]), json!({ "rolled": null }));
    broken.steps.last_mut().unwrap().1["combats"][0]["fpf"] = json!(5);
    broken.done(
        v,
        "follow-not-as-promised",
        "10, 11",
        "a report with other fire than the defend said (declare 15)",
        &[("/states/5", json!({ "class": "rule" }))],
    );
    let mut batteries = field(
        json!([unit("M", "0822", json!({}))]),
        json!([unit("W", "0824", json!({})), unit("X", "0825", json!({ "to": 1 }))]),
    );
    batteries.steps[0].3 = Some(dice(&[(search(1), 5)]));
    batteries.honest(
        "red",
        json!({ "allocate": { "signal": 1 }, "sectors": ["far"] }),
        dice(&[(combat(1, BATTERY), 6), (combat(2, BATTERY), 6)]),
    );
    batteries.honest("blue", json!({ "combats": [fire("0824", 3), fire("0825", 3), fire("0826", 1)], "interdictions": [{ "points": 1, "target": "0830" }] }), dice(&[]));
    batteries.honest("red", json!({}), dice(&[]));
    batteries.done(
        v,
        "n09-counter-battery",
        "21, 23",
        "points count twice; a loss is told at level 4 alone",
        &[
            ("/runs/red/due/2/combats", json!([{ "loss": 1 }, { "loss": null }, { "loss": null }])),
            ("/runs/red/hand/units/1/gone", json!(true)),
            ("/states/3/spent/blue", json!({ "fire": 8, "support": 0 })),
            ("/runs/blue/due/1/interdictions/0/markers", json!(0)),
        ],
    );
}

fn points(v: &mut Vectors) {
    let begin = || {
        let mut game = field(
            json!([unit("A", "0823", json!({})), unit("B", "0823", json!({}))]),
            json!([unit("D", "0824", json!({}))]),
        );
        game.honest("red", json!({ "allocate": { "signal": 1 }, "sectors": ["far"] }), dice(&[]));
        game
    };
    let attack = |barrage: u64| json!({ "assault": true, "barrage": barrage, "kind": "attack", "retreats": {}, "target": "0824", "unit": "A" });
    let mut both = begin();
    both.honest("blue", json!({ "combats": [fire("0824", 8), attack(8)] }), dice(&[])).honest(
        "red",
        json!({}),
        dice(&[]),
    );
    both.done(
        v,
        "n09-barrage-too",
        "18",
        "the same points serve for counter-battery and for barrage",
        &[("/states/3/spent/blue", json!({ "fire": 8, "support": 8 }))],
    );
    let good = json!({ "combats": [fire("0824", 5)] });
    let mut twice = begin();
    twice.careless(
        "blue",
        &good,
        with(good.clone(), json!({ "interdictions": [{ "points": 4, "target": "0830" }] })),
        dice(&[]),
    );
    twice.done(
        v,
        "n09-interdiction-too",
        "18",
        "points of counter-battery do not serve for interdiction",
        &[("/runs/blue/wrong", json!([3]))],
    );
    let mut barrage = begin();
    barrage.careless("blue", &good, json!({ "combats": [fire("0824", 5), attack(9)] }), dice(&[]));
    barrage.done(v, "barrage-above", "18, 21", "more barrage than points", &[("/runs/blue/wrong", json!([3]))]);
    for (name, about, change) in [
        ("attack-twice", "a unit attacks once in a segment", json!([attack(0), attack(0)])),
        (
            "attack-from-afar",
            "a unit that is on no neighbour of the target",
            json!([attack(0), with(attack(0), json!({ "unit": "B", "target": "0830" }))]),
        ),
        (
            "attack-chemical-alone",
            "chemicals without a barrage",
            json!([attack(0), with(attack(0), json!({ "unit": "B", "chemical": "used" }))]),
        ),
        (
            "attack-no-command",
            "a commander who has used no Command",
            json!([attack(0), with(attack(0), json!({ "unit": "B", "commander": { "unit": "A", "with": "unit" } }))]),
        ),
        (
            "attack-no-such-terrain",
            "a name that the terrain table has not",
            json!([attack(0), with(attack(0), json!({ "unit": "B", "terrain": ["swamp"] }))]),
        ),
        (
            "attack-too-much-ew",
            "more EW attacks than the charter allows",
            json!([attack(0), with(attack(0), json!({ "unit": "B", "ew_attacks": 3 }))]),
        ),
        (
            "attack-wrong-retreats",
            "a hex to go back to that is no neighbour",
            json!([attack(0), with(attack(0), json!({ "unit": "B", "retreats": { "any": ["0830"] } }))]),
        ),
        ("attack-other-form", "an attack that is none", json!([attack(0), "attack"])),
    ] {
        let mut game = begin();
        game.careless("blue", &json!({ "combats": [attack(0)] }), json!({ "combats": change }), dice(&[]));
        game.done(v, name, "21, hidden.md 6", about, &[("/runs/blue/wrong", json!([3]))]);
    }
}

fn sheets(v: &mut Vectors) {
    let good = json!({ "points": { "artillery": 4, "signal": 1 }, "units": [unit("D", "0824", json!({})), unit("L", "0810", json!({ "commander": 3 }))] });
    for (name, about, change) in [
        (
            "roster-kind",
            "a unit without a kind is none",
            json!({ "units": [good["units"][0], good["units"][1], { "hexes": ["0101"], "mode": "m", "name": "X", "to": 1 }] }),
        ),
        (
            "roster-twice",
            "two units of one name",
            json!({ "units": [good["units"][0], good["units"][1], good["units"][0]] }),
        ),
        (
            "roster-apart",
            "a unit whose hexes do not hang together",
            json!({ "units": [good["units"][0], good["units"][1], unit("X", "0101", json!({ "hexes": ["0101", "0103"] }))] }),
        ),
        ("sheet-unknown-field", "a field that no sheet has", json!({ "wish": 1 })),
        ("sheet-elsewhere", "a field that belongs to a move", json!({ "moves": [] })),
        (
            "sheet-allocate-in-setup",
            "the first player states no intelligence in his setup",
            json!({ "allocate": { "signal": 1 } }),
        ),
        ("sheet-pad", "a field for its length: the note is padded, and not the sheet", json!({ "pad": "" })),
        ("command-without-rating", "a unit without a rating uses no Command", json!({ "command": ["D"] })),
        ("names-descend", "names are a set", json!({ "volunteer": ["L", "D"] })),
        ("orders-of-nobody", "orders for a unit that is not there", json!({ "orders": { "Q": [] } })),
        (
            "orders-chemical",
            "an order with chemicals and no fire stands as none",
            json!({ "orders": { "D": [{ "fpf": 1 }, { "chemical": "used" }] } }),
        ),
        (
            "orders-commander",
            "a commander who is not under command",
            json!({ "orders": { "D": [{ "commander": { "unit": "L", "with": "unit" } }] } }),
        ),
        (
            "orders-retreat",
            "a retreat that does not begin beside the unit",
            json!({ "orders": { "D": [{ "retreat": ["0830"] }] } }),
        ),
        ("orders-ew", "more EW attacks than the charter allows", json!({ "orders": { "D": [{ "ew_attacks": 3 }] } })),
        ("halt-nobody", "a name that is nobody's", json!({ "halt": ["Q"] })),
        ("units-no-list", "a list that is none", json!({ "volunteer": "D" })),
    ] {
        let mut game = Game::new();
        let mut right = good.clone();
        match name {
            "names-descend" => right["volunteer"] = json!(["L"]),
            "orders-chemical" => right["orders"] = json!({ "D": [{ "fpf": 1 }] }),
            _ => {}
        }
        game.careless("red", &right, with(good.clone(), change), dice(&[]));
        game.done(v, name, "14, hidden.md 6", about, &[("/runs/red/wrong", json!([0]))]);
    }
    for (name, about, change) in [
        (
            "allocate-above",
            "more points than there are: none is allocated",
            json!({ "allocate": { "air": 9 }, "sectors": [] }),
        ),
        (
            "allocate-above-searches",
            "more points than there are: none is allocated, so nothing is searched",
            json!({ "allocate": { "air": 9 }, "sectors": ["blue"] }),
        ),
        ("sectors-above", "more sectors than twice the points", json!({ "sectors": ["blue", "far", "north"] })),
        ("sectors-unknown", "a sector that the charter has not", json!({ "sectors": ["blue", "zone"] })),
        (
            "modes-elsewhere",
            "a unit changes its mode where it stands",
            json!({ "modes": { "D": { "hexes": ["0830"], "mode": "x" } } }),
        ),
        ("transfer-empty", "a transfer that says nothing", json!({ "transfers": [""] })),
        (
            "replace-grows",
            "what comes is more than what goes",
            json!({ "replace": [{ "in": [unit("E", "0824", json!({ "attack": 99 }))], "out": ["D"] }] }),
        ),
        (
            "replace-elsewhere",
            "what comes stands elsewhere",
            json!({ "replace": [{ "in": [unit("E", "0825", json!({}))], "out": ["D"] }] }),
        ),
        (
            "replace-better",
            "what comes is faster than what goes",
            json!({ "replace": [{ "in": [unit("E", "0824", json!({ "movement": 7 }))], "out": ["D"] }] }),
        ),
    ] {
        let arena = Arena::new();
        let mut game = arena.until(2);
        let mut right = arena.sheets[2].clone();
        match name {
            "allocate-above" | "allocate-above-searches" => right = json!({}),
            "sectors-above" => right["sectors"] = json!(["blue", "far"]),
            _ => {}
        }
        game.careless("red", &right, with(arena.sheets[2].clone(), change), dice(&[]));
        game.done(v, name, "14, 17, 25, hidden.md 6", about, &[("/runs/red/wrong", json!([2]))]);
    }
    let mut turn = Arena::new()
        .setting(json!({ "ammo": true, "roll_count_public": true }))
        .unit(0, json!({ "hexes": ["0824", "0825"], "march": 3 }));
    turn = turn.sheet(2, json!({ "march": ["D"], "modes": { "D": { "hexes": ["0825", "0824", "0925"], "mode": "triple" } }, "transfers": ["a gun to the corps"], "volunteer": ["D"] }));
    let mut game = turn.until(5);
    game.honest("blue", json!({ "replace": [{ "in": [unit("A1", "0823", json!({ "attack": 5, "defense": 4, "to": 1 })), unit("A2", "0823", json!({ "attack": 5, "defense": 4, "to": 2 }))], "out": ["A"] }] }), dice(&[(ammo(2), 6), (ammo(2), 6)]));
    game.honest("red", json!({}), dice(&[])).honest("blue", json!({}), dice(&[]));
    game.done(v, "turn", "13, 17, 25, 26", "a triple zone in three contacts, a transfer, a forced march, the end of a player turn with ammunition and a breakdown", &[
        ("/runs/red/due/1/rolled", json!(1)),
        ("/runs/red/due/1/contacts/c3/hexes", json!(["0925"])),
        ("/runs/blue/hand/units/1/depleted", json!(true)),
        ("/runs/blue/hand/units/0/gone", json!(true)),
        ("/runs/blue/hand/units/2/depleted", json!(false)),
        ("/runs/blue/hand/ammo", json!([])),
        ("/states/5/awaits", json!({ "by": "red", "step": "move" })),
        ("/states/5/turn", json!(2)),
    ]);
    let four = Arena::new().unit(0, json!({ "hexes": ["0824", "0825"] })).rolls(0, &[(search(1), 5)]);
    four.done(v, "level-4", "26", "at level 4 one contact with all hexes, designation, mode and T/O", &[
        ("/runs/red/due/1/contacts", json!({ "c1": { "designation": "D", "hexes": ["0824", "0825"], "kind": "infantry", "mode": "march", "to": 4 } })),
    ]);
    let near = Arena::new().rolls(0, &[(search(1), 3)]).rolls(1, &[(tactical(1), 6)]);
    near.done(
        v,
        "tactical",
        "17",
        "a unit beside a contact is looked for by tactical intelligence",
        &[("/runs/blue/draws/0", json!([1, tactical(1), 6, 6, "ndc-tactical A"]))],
    );
}

fn falsehoods(v: &mut Vectors) {
    let told = |at: usize,
                name: &str,
                rules: &str,
                about: &str,
                arena: Arena,
                v: &mut Vectors,
                change: &dyn Fn(&mut Value)| {
        let mut game = arena.until(at + 1);
        change(&mut game.steps[at].1);
        game.done(v, name, rules, about, &[(&format!("/runs/{}/wrong", BY[at]), json!([at]))]);
    };
    told(
        3,
        "n10-false-total",
        "21, hidden.md 6",
        "21 for a declared 22: found in the run, the result stays",
        n1(),
        v,
        &|input| input["combats"][0]["total"] = json!(21),
    );
    told(2, "false-contact-hidden", "26, hidden.md 6", "a unit of level 2 that is not shown", n1(), v, &|input| {
        input["contacts"] = json!({})
    });
    told(2, "false-weather", "17, hidden.md 6", "another weather than the die's", n1(), v, &|input| {
        input["weather"] = json!([])
    });
    told(4, "false-result", "22, hidden.md 6", "an abort that was none", n1(), v, &|input| {
        let entry = &mut input["combats"][0];
        entry["result"] = json!("abort");
        entry["attacker_loss"] = json!(2);
        entry["defender"] = Value::Null;
    });
    told(4, "false-row", "22, hidden.md 6", "the loss of another row", n1(), v, &|input| {
        input["combats"][0]["attacker_loss"] = json!(3)
    });
    told(4, "false-ew", "22, hidden.md 6", "another EW level than the dice made", n1(), v, &|input| {
        input["combats"][0]["ew_level"] = json!(3)
    });
    told(4, "false-fire", "18, hidden.md 6", "more protective fire than was ordered", n1(), v, &|input| {
        input["combats"][0]["fpf"] = json!(4)
    });
    told(1, "false-intelligence", "17, hidden.md 6", "another operational level than the sheet's", n1(), v, &|input| {
        input["intelligence"]["level"] = json!(9)
    });
    let mut roster = n1().until(5);
    roster.steps[0].2 = Some(with(
        n1().sheets[0].clone(),
        json!({ "units": [unit("D", "0824", json!({ "defense": 20, "leadership": 1, "to": 3 })), unit("aide", "0824", json!({ "commander": 1 }))] }),
    ));
    roster.done(
        v,
        "false-roster",
        "22, hidden.md 6",
        "the roster that is opened is a stronger one: the report does not follow from it",
        &[("/runs/red/wrong", json!([4]))],
    );
}

fn stops(v: &mut Vectors) {
    let mut closed = n1().until(5);
    closed.steps[2].2 = None;
    closed.done(
        v,
        "sheet-not-open",
        "hidden.md 5",
        "the run stops before the first own declaration whose sheet is not open",
        &[("/runs/red/stopped", json!("sheet")), ("/runs/red/run", json!(1)), ("/runs/blue/stopped", Value::Null)],
    );
    let mut unknown = n1().until(5);
    unknown.steps[2].3 = None;
    unknown.done(
        v,
        "dice-not-known",
        "hidden.md 5",
        "the run stops before the declaration that calls for the die",
        &[("/runs/red/stopped", json!("dice")), ("/runs/red/run", json!(2))],
    );
    let mut missing = n1().until(5);
    missing.tables.as_object_mut().unwrap().remove("ndc-crt");
    missing.done(
        v,
        "table-missing",
        "hidden.md 5, 8",
        "no table of results: the run stops before the report",
        &[("/runs/red/stopped", json!("table ndc-crt"))],
    );
    let mut withheld = n1().until(5);
    let crt = withheld.tables["ndc-crt"].clone();
    let canonical = sealed_dice::blob::json::encode(&crt).unwrap();
    withheld.tables["ndc-crt"] =
        json!({ "fingerprint": hex::encode(sealed_dice::primitive::hash::file_hash(canonical.as_bytes())) });
    withheld.done(
        v,
        "table-withheld",
        "hidden.md 8",
        "the charter has only the table's fingerprint, and nobody supplies it",
        &[("/runs/red/stopped", json!("table ndc-crt"))],
    );
    withheld.supplied = json!({ "ndc-crt": crt });
    withheld.done(
        v,
        "table-supplied",
        "hidden.md 8",
        "the file is supplied",
        &[("/runs/red/stopped", Value::Null), (&result("attacker_loss"), json!(1))],
    );
    withheld.supplied = json!({ "ndc-crt": { "rows": {} } });
    withheld.done(
        v,
        "table-supplied-wrong",
        "hidden.md 8",
        "what is supplied is no table: it is missing",
        &[("/runs/red/stopped", json!("table ndc-crt"))],
    );
    let mut column = n1().until(5);
    column.tables["ndc-crt"]["columns"] = json!(["..-10", "-9..-1", "0..1", "2..3", "4..4"]);
    column.done(
        v,
        "table-nearest-column",
        "3",
        "the differential is beyond the columns: the nearest one has it",
        &[("/runs/red/stopped", Value::Null), (&result("result"), json!("overrun"))],
    );
    // N11: each edge of the columns. The attack of 10 against the defence of 8 has a differential of 5.
    let edges = [
        (-10, "..-10", 2),
        (-9, "-9..-1", 2),
        (-1, "-9..-1", 2),
        (0, "0..9", 1),
        (9, "0..9", 1),
        (10, "10..19", 1),
        (19, "10..19", 1),
        (20, "20..", 0),
    ];
    for (differential, column, loss) in edges {
        let more = differential - 5;
        let arena =
            Arena::new().unit(0, json!({ "defense": 8 - more.min(0) })).unit(1, json!({ "attack": 10 + more.max(0) }));
        let name = format!("n11-{}{}", if differential < 0 { "minus-" } else { "" }, i64::abs(differential));
        let comes = if differential < -9 { "abort" } else { "fought" };
        let about = format!("a differential of {differential} is looked up in column {column}");
        let known = [(&*result("result"), json!(comes)), (&result("attacker_loss"), json!(loss))];
        arena.rolls(2, &[(combat(1, CRT), 2)]).done(v, &name, "3, 22 d", &about, &known);
    }
}

/// Changes a report: the attack was aborted, and the attacker retreats.
fn goes_back(report: &mut Value, retreat: Value) {
    let combat = &mut report["combats"][0];
    for (field, value) in [
        ("advance", json!(false)),
        ("attacker_loss", json!(2)),
        ("breakthrough", json!(false)),
        ("defender", Value::Null),
        ("result", json!("abort")),
        ("retreat", retreat),
    ] {
        combat[field] = value;
    }
}

fn follow(v: &mut Vectors) {
    let refused = |name: &str,
                   rules: &str,
                   about: &str,
                   at: usize,
                   arena: Arena,
                   v: &mut Vectors,
                   change: &dyn Fn(&mut Value)| {
        let mut game = arena.until(at + 1);
        change(&mut game.steps[at].1);
        game.done(
            v,
            &format!("follow-{name}"),
            rules,
            about,
            &[(&format!("/states/{at}"), json!({ "class": "rule" }))],
        );
    };
    type Change<'c> = (&'c str, usize, &'c str, &'c dyn Fn(&mut Value));
    let forms: [Change<'_>; 27] = [
        ("step-unknown", 0, "a step that is none (declare 4)", &|x| x["step"] = json!("pass")),
        ("step-other", 0, "another step than the one that is awaited (declare 15)", &|x| {
            x["step"] = json!("report");
            x["combats"] = json!([]);
            x["halts"] = json!([]);
            x.as_object_mut().unwrap().remove("intelligence");
        }),
        ("setup-intelligence", 0, "the first player's setup with intelligence (declare 15)", &|x| {
            x["intelligence"] = json!({ "level": 1, "sectors": [] })
        }),
        ("setup-no-intelligence", 1, "the second player's setup without (declare 15)", &|x| {
            x["intelligence"] = Value::Null
        }),
        ("sector-unknown", 1, "a sector that the charter has not (declare 4)", &|x| {
            x["intelligence"]["sectors"] = json!(["zone"])
        }),
        ("sectors-descend", 1, "a set that descends (declare 4)", &|x| {
            x["intelligence"]["sectors"] = json!(["red", "blue"])
        }),
        ("rolled", 1, "a number of rolls where the charter keeps it secret (declare 4)", &|x| x["rolled"] = json!(0)),
        ("entries-in-setup", 1, "entries in a setup (declare 4)", &|x| x["entries"] = json!(["0101"])),
        ("contact-name", 1, "a contact with a zero in front (declare 4)", &|x| {
            x["contacts"] =
                json!({ "c01": { "designation": null, "hexes": ["0101"], "kind": null, "mode": null, "to": null } })
        }),
        (
            "contact-hexes",
            1,
            "a contact on one hex twice (declare 4)",
            &|x| x["contacts"] = json!({ "c1": { "designation": null, "hexes": ["0101", "0101"], "kind": null, "mode": null, "to": null } }),
        ),
        ("hex", 1, "a hex that is none (declare 4)", &|x| {
            x["contacts"] =
                json!({ "c1": { "designation": null, "hexes": ["0100"], "kind": null, "mode": null, "to": null } })
        }),
        ("weather-missing", 2, "the first player's segment 1 without weather (declare 15)", &|x| {
            x["weather"] = Value::Null
        }),
        ("weather-of-second", 3, "weather of the second player (declare 15)", &|x| x["weather"] = json!([])),
        ("intelligence-missing", 3, "a segment 1 without intelligence (declare 15)", &|x| {
            x["intelligence"] = Value::Null
        }),
        ("attack-from", 3, "an attack from a hex that is no neighbour (declare 4)", &|x| {
            x["combats"][0]["from"] = json!("0820")
        }),
        ("attack-contact", 3, "an attack by a contact that is not shown (declare 4)", &|x| {
            x["combats"][0]["contact"] = json!("c9")
        }),
        ("attack-chemical", 3, "chemicals without barrage (declare 4)", &|x| {
            x["combats"][0]["chemical"] = json!("used");
            x["combats"][0]["barrage"] = json!(0);
        }),
        ("attack-retreats", 3, "a road that is not among all hexes (declare 4)", &|x| {
            x["combats"][0]["retreats"]["road"] = json!(["0824"])
        }),
        ("path-of-nobody", 3, "a path of a contact that is not shown (declare 4)", &|x| {
            x["paths"] = json!({ "c7": ["0822"] })
        }),
        ("report-count", 4, "a report with an entry too few (declare 15)", &|x| x["combats"] = json!([])),
        ("report-kind", 4, "an entry of the other kind (declare 15)", &|x| x["combats"] = json!([{ "loss": 1 }])),
        (
            "report-cancelled",
            4,
            "cancelled, but nobody is halted (declare 15)",
            &|x| x["combats"] = json!([{ "advance": false, "attacker_loss": 0, "breakthrough": false, "chemical": "none", "defender": null, "ew_level": 0, "fpf": 0, "result": "cancelled", "retreat": null }]),
        ),
        ("report-abort", 4, "an abort with another loss than 2 (declare 4)", &|x| {
            x["combats"][0]["result"] = json!("abort");
            x["combats"][0]["defender"] = Value::Null;
            x["combats"][0]["attacker_loss"] = json!(1);
        }),
        ("report-retreat", 4, "an assault that was fought and goes back (declare 15)", &|x| {
            x["combats"][0]["retreat"] = json!("0822")
        }),
        ("report-retreat-elsewhere", 4, "a hex to which the attacker could not go back (declare 15)", &|x| {
            goes_back(x, json!("0824"))
        }),
        (
            "report-retreat-candidates",
            4,
            "the hexes that were free are told: they show where units are (declare 4)",
            &|x| goes_back(x, json!({ "candidates": ["0822"], "hex": "0822" })),
        ),
        ("report-ew-attacks", 4, "how many EW attacks the defender makes is told (declare 4)", &|x| {
            x["combats"][0]["ew_attacks"] = json!(1)
        }),
    ];
    for (name, at, about, change) in forms {
        refused(name, "6 to 12", about, at, n1(), v, change);
    }
    let mut stranger = n1().until(1);
    stranger.steps[0].0 = "blue".into();
    stranger.done(v, "follow-not-awaited", "7", "a setup by the other", &[("/states/0", json!({ "class": "rule" }))]);
    for (name, about, change) in [
        ("office", "an office is named by the revealer of the phase, not here", json!({ "letters": "office" })),
        ("sides", "one side twice", json!({ "sides": ["red", "red"] })),
        ("doctrine", "a doctrine of somebody else", json!({ "doctrine": { "carol": "us" } })),
        ("combats", "no combats", json!({ "combats": 0 })),
        ("ew", "more EW attacks than there are lines for", json!({ "ew": 7 })),
        ("units", "too many units", json!({ "units": 65 })),
        ("sheet-bytes", "a length of sheets that is no multiple of 256", json!({ "sheet_bytes": 16385 })),
        ("sheet-short", "sheets that are too short", json!({ "sheet_bytes": 768 })),
        ("sectors", "no sectors", json!({ "sectors": null })),
        (
            "sector-turned",
            "a sector whose first corner is the higher one",
            json!({ "sectors": { "far": ["6060", "5050"] } }),
        ),
        ("unknown", "a setting that it has not", json!({ "fog": true })),
    ] {
        let mut settings = with(settings(), change);
        if name == "sectors" {
            settings["sectors"] = json!({});
        }
        let given = json!({ "settings": settings, "steps": [], "system": "ndc", "tables": tables() });
        v.refused(&format!("hidden/ndc-settings-{name}"), "ndc.md 1", about, given, "rule");
    }
    type Table<'c> = (&'c str, &'c str, &'c str, &'c dyn Fn(&mut Value));
    let wrong: [Table<'_>; 13] = [
        ("cell", "ndc-crt", "a cell that is no result", &|x| x["rows"]["1"][0] = json!("A1 D1")),
        ("cell-integer", "ndc-ew", "a cell that is no text", &|x| x["rows"]["4"][0] = json!(1)),
        ("level", "ndc-tactical", "a level above 4", &|x| x["rows"]["6"][0] = json!("5")),
        ("weather", "ndc-weather", "weather that descends", &|x| x["rows"]["6"][0] = json!("night+fog")),
        ("cells", "ndc-crt", "a row with a cell too few", &|x| drop(x["rows"]["1"].as_array_mut().unwrap().pop())),
        ("rows", "ndc-crt", "a value of the dice in no row", &|x| drop(x["rows"].as_object_mut().unwrap().remove("6"))),
        ("dice", "ndc-crt", "dice that it cannot have", &|x| x["dice"] = json!("1d20")),
        ("no-dice", "ndc-crt", "a table that has dice without any", &|x| {
            x["dice"] = json!("none");
            x["rows"] = json!({ "all": x["rows"]["1"] });
        }),
        ("support-dice", "ndc-support", "a table with dice that has none", &|x| {
            x["dice"] = json!("1d6");
            x["rows"] = json!({ "1-6": x["rows"]["all"] });
        }),
        ("columns-hole", "ndc-crt", "a hole between columns", &|x| x["columns"][1] = json!("-8..-1")),
        ("columns-form", "ndc-crt", "a column with a zero in front", &|x| x["columns"][2] = json!("00..9")),
        ("columns-turned", "ndc-crt", "a column that ends before it begins", &|x| x["columns"][1] = json!("-9..-20")),
        ("terrain", "ndc-terrain", "terrain with one number", &|x| x["rows"]["hill"] = json!([1])),
    ];
    for (name, table, about, change) in wrong {
        let mut tables = tables();
        change(&mut tables[table]);
        let given = json!({ "settings": settings(), "steps": [], "system": "ndc", "tables": tables });
        v.refused(&format!("hidden/ndc-table-{name}"), "ndc.md 3", about, given, "rule");
    }
}

pub(crate) fn all(v: &mut Vectors) {
    for group in [digest, halts, moves, results, points, sheets, falsehoods, stops, follow, turns::all] {
        group(v);
    }
}
