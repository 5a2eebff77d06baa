//! What a turn of a course costs compared with drawing its dice only.

use std::{collections::BTreeMap, fs, hint::black_box};

use sealed_dice::{
    blob::body::Role,
    error::Result,
    primitive::dice::Stream,
    resolve::{
        self, Account, Draws, Given, Object, Place, System,
        hidden::{Made, Run},
    },
};
use serde_json::{Value, json};

use super::{
    kit::{object, role, text},
    ratio, report,
};

pub(crate) fn all() {
    one_turn("ocs-popped");
    one_turn("gettysburg-r03-division-loss");
    for (attack, defense) in [(12, 6), (40, 40)] {
        full_round(attack, defense);
    }
    full_report();
}

/// Dice from a stream, with a count.
struct Counted {
    stream: Stream,
    drawn: u64,
}

impl resolve::Source for Counted {
    fn draw(&mut self, _: Place, sides: u64) -> Result<u64> {
        self.drawn += 1;
        self.stream.draw(sides)
    }
}

/// Measures the first turn of a vector, read, checked and resolved on dice from many keys.
fn one_turn(vector: &str) {
    const TURNS: u8 = 200;
    let vector_text = fs::read_to_string(format!("vectors/course/{vector}.json")).expect("a vector");
    let given: Value = serde_json::from_str::<Value>(&vector_text).expect("JSON")["given"].take();
    let part = |name: &str| given[name].as_object().cloned().unwrap_or_default();
    let name = given["system"].as_str().expect("a system");
    let system = System::settle(name, &part("settings"), &part("tables")).expect("settings");
    let course = system.resolver().course().expect("a course");
    let state = if given["state"].is_object() { part("state") } else { course.begin().expect("a state") };
    let input = text(given["steps"][0]["declare"].as_object().expect("a declaration"));
    let canonical = system.resolver().read(&input, false).and_then(|rolls| rolls.canonical()).expect("an input");
    let resolved = |key: u8| {
        let rolls = system.resolver().read(&canonical, false).expect("an input");
        rolls.fits(&state).expect("it fits");
        let mut source = Counted { stream: Stream::new([key; 32]), drawn: 0 };
        let places = rolls.plan(&Object::new()).expect("a plan").places;
        let outcome = rolls
            .resolve(Given::state(&state), &places, &mut Draws::new(&mut source), &mut Account::none())
            .expect("an outcome");
        black_box(outcome);
        source.drawn
    };
    let drawn: Vec<u64> = (0..TURNS).map(resolved).collect();
    let bare = || {
        for (key, drawn) in (0..TURNS).zip(&drawn) {
            let mut stream = Stream::new([key; 32]);
            black_box((0..*drawn).map(|_| stream.draw(black_box(6)).unwrap()).sum::<u64>());
        }
    };
    let work = || drop(black_box((0..TURNS).map(resolved).collect::<Vec<_>>()));
    let mean = drawn.iter().sum::<u64>() as f64 / f64::from(TURNS);
    report(
        &format!(
            "a turn of {vector} over its bare draws: {mean:.1} dice each, input of {} bytes",
            canonical.as_str().len()
        ),
        &ratio(41, work, bare),
        "none",
    );
}

/// Measures both Combat Phases of a round between two sides of 200 units that all assault.
fn full_round(attack: u64, defense: u64) {
    const ROUNDS: u8 = 10;
    let force = |side: &str| {
        let unit = |i: usize| {
            json!({
                "at": (["main", "left", "right"][i % 3]), "attack": attack, "defense": defense, "effectiveness": 100,
                "id": format!("{side}{i}"), "kind": "infantry", "strength": 20,
            })
        };
        (0..200).map(unit).collect::<Vec<_>>()
    };
    let orders = |who: &str, side: &str| {
        let orders = (0..200).map(|i| {
            let at = ["main", "left", "right"][i % 3];
            (format!("{side}{i}"), json!({ "at": at, "order": "assault" }))
        });
        let says = json!({ "excess": {}, "orders": orders.collect::<Object>() });
        (Role::parse(who).expect("a role"), says.as_object().cloned().expect("orders"))
    };
    let mut settings = System::prefill("cil", &Object::new()).expect("a system");
    settings.insert("forces".into(), json!({ "attacker": force("a"), "defender": force("b") }));
    let system = System::settle("cil", &settings, &Object::new()).expect("settings");
    let state = system.resolver().course().expect("a course").begin().expect("a state");
    let orders = [orders("red", "a"), orders("blue", "b")];
    let rolls = system.resolver().read(&text(&Object::new()), false).expect("an input");
    let places = rolls.plan(&Object::new()).expect("a plan").places;
    let resolved = |key: u8| {
        let mut source = Counted { stream: Stream::new([key; 32]), drawn: 0 };
        let given = Given { state: &state, orders: &orders };
        let outcome =
            rolls.resolve(given, &places, &mut Draws::new(&mut source), &mut Account::none()).expect("an outcome");
        black_box(outcome);
        source.drawn
    };
    let drawn: Vec<u64> = (0..ROUNDS).map(resolved).collect();
    let bare = || {
        for (key, drawn) in (0..ROUNDS).zip(&drawn) {
            let mut stream = Stream::new([key; 32]);
            black_box((0..*drawn).map(|_| stream.draw(black_box(10)).unwrap()).sum::<u64>());
        }
    };
    let work = || drop(black_box((0..ROUNDS).map(resolved).collect::<Vec<_>>()));
    let mean = drawn.iter().sum::<u64>() as f64 / f64::from(ROUNDS);
    report(
        &format!(
            "a battle's round of 200 units a side, values {attack} and {defense}, over its bare draws: {mean:.0} dice"
        ),
        &ratio(21, work, bare),
        "at most 50",
    );
}

/// The dice of a declaration, with one stream for each line.
struct Lines(u8, BTreeMap<u64, Stream>);

impl resolve::Source for Lines {
    fn draw(&mut self, place: Place, sides: u64) -> Result<u64> {
        let key = [self.0 ^ place.line as u8; 32];
        self.1.entry(place.line).or_insert_with(|| Stream::new(key)).draw(sides)
    }
}

/// Measures a report on eight combats with 32 units a side, stated from a sheet. This includes the run through the
/// three declarations before it.
fn full_report() {
    const REPORTS: u8 = 10;
    let settings = json!({
        "adjacent": "all", "ammo": true, "combats": 8, "defender_to_sign": "minus", "doctrine": { "blue": "us", "red": "soviet" },
        "ew": 2, "letters": "standing", "low_columns": "odd", "roll_count_public": false, "sectors": { "all": ["0101", "4040"] },
        "sheet_bytes": 16384, "sides": ["red", "blue"], "units": 32,
    });
    let tables: Value = toml::from_str(&fs::read_to_string("tables/ndc-test.toml").expect("the tables")).expect("TOML");
    let system = System::settle("ndc", &object(settings), &object(tables)).expect("settings");
    let hidden = system.resolver().course().and_then(|course| course.hidden()).expect("a hidden course");
    // Four units in each hex, and eight adjacent hexes for each side.
    let hex = |column: u64, i: u64| format!("{column:02}{:02}", 2 + 4 * (i % 8));
    let force = |side: &str, column: u64| {
        let unit = |i: u64| {
            json!({
                "attack": 12, "defense": 6, "hexes": [hex(column, i)], "kind": "infantry", "mode": "normal", "movement": 8,
                "name": format!("{side}{i:02}"), "to": 6,
            })
        };
        (0..32).map(unit).collect::<Value>()
    };
    let points = json!({ "air": 6, "artillery": 20, "signal": 4 });
    let attack = |i: u64| {
        json!({
            "assault": false, "barrage": 1, "chemical": "none", "control_loss": false, "ew_attacks": 1, "ew_superiority": 1,
            "kind": "attack", "retreats": { "any": [], "away": [], "road": [] }, "target": hex(9, i), "unit": format!("r{i:02}"),
        })
    };
    let order = |i: u64| (format!("b{i:02}"), json!([{ "fpf": 1, "ew_attacks": 1 }]));
    let orders: Object = (0..8).map(order).collect();
    let sheets = [
        ("red", json!({ "points": points, "units": force("r", 8) })),
        ("blue", json!({ "orders": orders, "points": points, "units": force("b", 9) })),
        ("red", json!({ "combats": (0..8).map(attack).collect::<Value>() })),
        ("blue", json!({})),
    ];
    let sheets = sheets.map(|(by, sheet)| (role(by), object(sheet)));
    let mut due = Vec::new();
    let stated = |key: u8, due: &[resolve::Object]| -> Run {
        let made = due.iter().zip(&sheets).enumerate().map(|(at, (input, (by, sheet)))| Made {
            by: by.clone(),
            input: text(input),
            sheet: Some(sheet.clone()),
            dice: Some(Box::new(Lines(key.wrapping_add(at as u8), BTreeMap::new()))),
        });
        let (by, sheet) = &sheets[due.len()];
        hidden.state(by, &mut made.collect::<Vec<_>>(), sheet, &Object::new()).expect("it is allowed")
    };
    for _ in 0..3 {
        let told = stated(0, &due).told.pop().expect("what is due");
        due.push(told.due.read().expect("an object"));
    }
    let drawn: Vec<usize> = (0..REPORTS).map(|key| stated(key, &due).draws.len()).collect();
    let bare = || {
        for (key, drawn) in (0..REPORTS).zip(&drawn) {
            let mut stream = Stream::new([key; 32]);
            black_box((0..*drawn).map(|_| stream.draw(black_box(10)).unwrap()).sum::<u64>());
        }
    };
    let work = || drop(black_box((0..REPORTS).map(|key| stated(key, &due)).collect::<Vec<_>>()));
    let combats =
        stated(0, &due).told.pop().expect("what is due").due.read::<Object>().expect("an object")["combats"].clone();
    assert_eq!(combats.as_array().map(Vec::len), Some(8));
    let mean = drawn.iter().sum::<usize>() as f64 / f64::from(REPORTS);
    let spent = super::time(work).0.as_secs_f64() * 1e6 / f64::from(REPORTS);
    report(
        &format!(
            "a report of NDC on 8 combats, 32 units a side, over its bare draws: {mean:.0} dice, some {spent:.0} microseconds"
        ),
        &ratio(41, work, bare),
        "none",
    );
}
