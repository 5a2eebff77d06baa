//! The hidden course `ndc`: laws over random sheets and dice of both sides, what hides a hand, and the forms that players fill in.

use std::collections::BTreeSet;

use proptest::prelude::*;
use sealed_dice::{
    blob::body::Role,
    error::Result,
    resolve::{
        Account, Course, Draws, Given, Hidden, Listed, Object, Place, Source, System,
        hidden::{Made, Run},
    },
};
use serde_json::{Value, json};

use crate::kit::{object, role, text};

/// Numbers that follow from a seed.
#[derive(Clone)]
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub(crate) fn often(&mut self) -> bool {
        self.below(3) > 0
    }

    pub(crate) fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }
}

/// The dice of a declaration, the same whenever they are drawn.
struct Dice {
    seed: u64,
    drawn: std::collections::BTreeMap<u64, u64>,
}

impl Source for Dice {
    fn draw(&mut self, place: Place, sides: u64) -> Result<u64> {
        let n = self.drawn.entry(place.line).or_default();
        *n += 1;
        Ok(Chance(self.seed ^ place.line.wrapping_mul(7_919) ^ n.wrapping_mul(104_729)).below(sides) + 1)
    }
}

fn tables() -> Object {
    let text = std::fs::read_to_string("tables/ndc-test.toml").expect("the file");
    object(toml::from_str(&text).expect("tables"))
}

fn settings(chance: &mut Chance) -> Value {
    json!({
        "adjacent": chance.pick(&["all", "others"]), "ammo": chance.often(), "combats": 3,
        "defender_to_sign": chance.pick(&["minus", "plus"]), "doctrine": { "blue": "us", "red": "soviet" }, "ew": 2,
        "letters": chance.pick(&["standing", "wait"]), "low_columns": chance.pick(&["even", "odd"]),
        "roll_count_public": chance.often(), "sectors": { "all": ["0101", "2020"], "east": ["0801", "2020"], "west": ["0101", "0720"] },
        "sheet_bytes": 16384, "sides": ["red", "blue"], "units": 12,
    })
}

struct Table {
    system: System,
    letters: Vec<(Role, Value, Object, u64)>,
    state: Object,
}

impl Table {
    fn new(settings: Value) -> Self {
        let system = System::settle("ndc", &object(settings), &tables()).expect("settings");
        let state = system.resolver().course().expect("a course").begin().expect("a state");
        Self { system, letters: Vec::new(), state }
    }

    fn course(&self) -> &dyn Course {
        self.system.resolver().course().expect("a course")
    }

    fn hidden(&self) -> &dyn Hidden {
        self.course().hidden().expect("it is hidden")
    }

    fn made(&self) -> Vec<Made<'static>> {
        let made = self.letters.iter().map(|(by, input, sheet, seed)| Made {
            by: by.clone(),
            input: text(&object(input.clone())),
            sheet: Some(sheet.clone()),
            dice: Some(Box::new(Dice { seed: *seed, drawn: Default::default() })),
        });
        made.collect()
    }

    fn by(&self) -> Role {
        role(self.state["awaits"]["by"].as_str().expect("a role"))
    }

    fn step(&self) -> &str {
        self.state["awaits"]["step"].as_str().expect("a step")
    }

    fn due(&self, sheet: &Object) -> Result<Value> {
        let run = self.hidden().state(&self.by(), &mut self.made(), sheet, &Object::new())?;
        Ok(serde_json::from_str(run.told.last().expect("it is told").due.as_str()).expect("JSON"))
    }

    /// Takes an input, by the first reading.
    fn take(&mut self, input: Value, sheet: Object, seed: u64) {
        let written = text(&object(input.clone()));
        let rolls = self.system.resolver().read(&written, false).expect("its form is right");
        assert_eq!(rolls.canonical().expect("a form"), written);
        rolls.fits(&self.state).unwrap_or_else(|error| panic!("{error}: {input}"));
        let outcome =
            rolls.resolve(Given::state(&self.state), &[], &mut Draws::new(&mut Listed::new(&[])), &mut Account::kept());
        let by = self.by();
        self.state = outcome.expect("it is resolved").state;
        self.letters.push((by, input, sheet, seed));
    }

    fn run(&self, side: &str) -> Run {
        self.hidden().run(&role(side), &mut self.made(), &Object::new()).expect("a run")
    }

    fn hand(&self, side: &str) -> Value {
        self.run(side).hand.map_or(Value::Null, Value::Object)
    }
}

const HEXES: [&str; 16] = [
    "0608", "0609", "0610", "0611", "0707", "0708", "0709", "0710", "0711", "0808", "0809", "0810", "0811", "0908",
    "0909", "0910",
];

fn roster(chance: &mut Chance, side: &str) -> Value {
    let count = 2 + chance.below(5);
    let units = (0..count).map(|n| {
        let hex = chance.pick(&HEXES);
        let kind = chance.pick(&["armor", "hq", "infantry", "recon"]);
        let mut unit = json!({
            "attack": chance.below(30), "defense": chance.below(20), "fatigue": chance.below(4), "hexes": [hex], "kind": kind,
            "leadership": chance.below(5), "march": 2, "mode": "m", "movement": 6, "name": format!("{side}{n}"), "to": 1 + chance.below(5),
        });
        if chance.below(2) == 0 {
            unit["commander"] = json!(chance.below(10));
        }
        unit
    });
    units.collect()
}

fn some<'o>(own: &'o [String], chance: &mut Chance) -> Vec<&'o String> {
    own.iter().filter(|_| chance.often()).collect()
}

/// What somebody may say in the step that is awaited: some of it is allowed, some is not.
fn sheet(table: &Table, chance: &mut Chance) -> Object {
    let side = table.by().as_str().to_owned();
    let own: Vec<String> = table.hand(&side)["units"].as_array().map_or_else(Vec::new, |units| {
        units
            .iter()
            .filter(|unit| unit["gone"] == false)
            .map(|unit| unit["name"].as_str().unwrap().to_owned())
            .collect()
    });
    let mut says = json!({});
    if table.step() == "setup" {
        says["units"] = roster(chance, &side);
        says["points"] = json!({ "air": 5, "artillery": 9, "signal": 3 });
        return object(says);
    }
    let names = |chance: &mut Chance| -> Value {
        let mut some: Vec<&String> = own.iter().filter(|_| chance.below(2) == 0).collect();
        some.sort();
        json!(some)
    };
    for field in ["command", "halt", "volunteer"] {
        if chance.below(2) == 0 {
            says[field] = names(chance);
        }
    }
    let mut orders = json!({});
    for name in some(&own, chance) {
        let retreat = if chance.often() { json!([]) } else { json!([chance.pick(&HEXES)]) };
        orders[name] = json!([{ "chemical": chance.pick(&["none", "none", "used", "persistent"]), "control_loss": chance.often(),
            "ew_attacks": chance.below(3), "ew_superiority": chance.below(10), "fpf": chance.below(5), "retreat": retreat }]);
    }
    says["orders"] = orders;
    if table.step() == "move" {
        begin(&mut says, table, chance);
        let last = chance.below(4) == 0;
        let movers = some(&own, chance);
        let moves = movers.into_iter().map(|name| {
            let path: Vec<&str> = (0..=chance.below(2)).map(|_| chance.pick(&HEXES)).collect();
            json!({ "cost": vec![chance.below(3); path.len()], "path": path, "unit": name })
        });
        says["moves"] = moves.collect();
        let combats = own.iter().filter(|_| !last).take(3).map(|name| match chance.below(4) {
            0 => json!({ "kind": "counter-battery", "points": 1 + chance.below(4), "target": chance.pick(&HEXES) }),
            _ => json!({ "assault": chance.often(), "barrage": chance.below(3), "chemical": chance.pick(&["none", "used"]),
                "control_loss": chance.often(), "ew_attacks": chance.below(3), "ew_superiority": chance.below(10), "kind": "attack",
                "retreats": {}, "target": chance.pick(&HEXES), "unit": name, "unprepared": chance.often() }),
        });
        says["combats"] = combats.collect();
        says["finished"] = names(chance);
    }
    object(says)
}

fn begin(says: &mut Value, table: &Table, chance: &mut Chance) {
    if table.state["segment"] == 1 {
        says["allocate"] = json!({ "air": chance.below(3), "signal": chance.below(4) });
        says["level"] = json!(chance.below(10));
        says["sectors"] = json!([chance.pick(&["all", "east", "west"])]);
        says["march"] = json!([]);
    }
}

/// The sheet without what is not allowed: item by item, then field by field.
fn allowed(table: &Table, mut sheet: Object) -> Object {
    let fields: Vec<String> = sheet.keys().cloned().collect();
    for field in fields {
        if table.due(&sheet).is_ok() {
            break;
        }
        let Some(said) = sheet.remove(&field) else { continue };
        if table.step() == "setup" {
            sheet.insert(field, said);
            continue;
        }
        let items = match said {
            Value::Array(items) => items,
            other => {
                let mut tried = sheet.clone();
                tried.insert(field, other);
                if table.due(&only(&tried, &sheet)).is_ok() {
                    sheet = tried;
                }
                continue;
            }
        };
        let mut kept: Vec<Value> = Vec::new();
        for item in items {
            let mut tried = kept.clone();
            tried.push(item);
            let alone = Object::from_iter([(field.clone(), json!(tried))]);
            if table.due(&alone).is_ok() {
                kept = tried;
            }
        }
        sheet.insert(field, json!(kept));
    }
    if table.due(&sheet).is_ok() { sheet } else { Object::new() }
}

/// What one sheet has and another has not.
fn only(sheet: &Object, without: &Object) -> Object {
    sheet
        .iter()
        .filter(|(name, _)| !without.contains_key(*name))
        .map(|(name, said)| (name.clone(), said.clone()))
        .collect()
}

/// What must hold of every hand.
fn check_hand(hand: &Value) {
    let mut names = BTreeSet::new();
    let mut contacts = BTreeSet::new();
    for unit in hand["units"].as_array().expect("units") {
        let number = |field: &str| unit[field].as_i64().expect("a number");
        assert!(names.insert(unit["name"].as_str()), "{hand}: a unit twice");
        assert!(
            (0..=9).contains(&number("to")) && (0..=4).contains(&number("level")) && (0..=3).contains(&number("ew")),
            "{unit}"
        );
        assert!(
            number("attacks") >= 0 && number("spent") >= 0 && number("spent") <= number("movement") + number("march"),
            "{unit}"
        );
        assert_eq!(unit["gone"] == true, unit["hexes"] == json!([]), "{unit}: who is gone stands nowhere");
        for contact in unit["contacts"].as_array().expect("contacts") {
            assert!(contacts.insert(contact.as_u64()), "{hand}: a contact of two units");
        }
    }
}

/// Points of a player turn are never spent twice.
fn check_points(table: &Table, side: &str, hand: &Value) {
    let spent = &table.state["spent"][side];
    let points = &hand["points"];
    let most = points["artillery"].as_u64().unwrap() + points["air"].as_u64().unwrap();
    assert!(
        spent["support"].as_u64().unwrap() <= most && spent["fire"].as_u64().unwrap() <= most,
        "{spent} of {points}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3))]

    /// Whatever is tried: what an honest player states is taken, and no run finds anything.
    #[test]
    fn honest_games(seed: u64) {
        let mut chance = Chance(seed);
        let mut table = Table::new(settings(&mut chance));
        for _ in 0..10 {
            let sheet = sheet(&table, &mut chance);
            let good = allowed(&table, sheet.clone());
            let due = table.due(&good).expect("it is allowed");
            if good != sheet {
                let mut made = table.made();
                made.push(Made { by: table.by(), input: text(&object(due.clone())), sheet: Some(sheet), dice: None });
                let run = table.hidden().run(&table.by(), &mut made, &Object::new()).expect("a run");
                let told = run.told.last().expect("it is told");
                prop_assert!(!told.wrong.is_empty(), "what is refused beforehand is found afterwards");
            }
            table.take(due, good, chance.next());
            for side in ["red", "blue"] {
                let run = table.run(side);
                prop_assert_eq!(&run.stopped, &None);
                for told in &run.told {
                    prop_assert!(told.wrong.is_empty(), "{:?}", told.wrong);
                }
                let hand = run.hand.map_or(Value::Null, Value::Object);
                if !hand.is_null() {
                    check_hand(&hand);
                    check_points(&table, side, &hand);
                    prop_assert!(!table.hidden().tell(&object(hand)).is_empty());
                }
            }
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Nothing that is read makes it panic.
    #[test]
    fn nothing_makes_it_panic(a in crate::laws::values(), b in crate::laws::values(), name in ".*") {
        let as_object = |value: &Value| value.as_object().cloned().unwrap_or_default();
        let _ = System::settle("ndc", &as_object(&a), &as_object(&b));
        let table = Table::new(settings(&mut Chance(1)));
        prop_assert!(table.course().awaits(&as_object(&a)).is_err());
        prop_assert!(table.course().decide(&table.state, &name, &b, &mut Account::kept()).is_err());
        prop_assert!(table.course().check_standing(&as_object(&b)).is_err());
        let _ = table.system.resolver().read(&text(&as_object(&a)), false);
        let _ = table.due(&as_object(&a));
        let _ = table.hidden().tell(&as_object(&a));
        for field in ["units", "points", "orders", "halt", "command", "volunteer"] {
            let _ = table.due(&object(json!({ field: a })));
            let _ = table.due(&object(json!({ field: [b] })));
        }
    }

    /// What is not shown does not show: the inputs of two different hands are the same.
    #[test]
    fn a_hand_is_hidden(one: u64, other: u64) {
        let state = |seed: u64| {
            let mut chance = Chance(seed);
            let mut table = Table::new(settings(&mut Chance(1)));
            for side in ["red", "blue"] {
                let units = if side == "red" { roster(&mut chance, side) } else { json!([]) };
                let sheet = object(json!({ "points": { "artillery": 2, "signal": 1 }, "units": units }));
                let due = table.due(&sheet).expect("a setup");
                table.take(due, sheet, 1);
            }
            let sheet = object(json!({ "combats": [{ "kind": "counter-battery", "points": 1, "target": "0101" }] }));
            let sheet = if table.due(&sheet).is_ok() { sheet } else { Object::new() };
            let due = table.due(&sheet).expect("a move");
            table.take(due, sheet, 1);
            (table.state, table.letters.into_iter().map(|(_, input, ..)| input).collect::<Vec<_>>())
        };
        prop_assert_eq!(state(one), state(other));
    }
}

/// A random course as a vector gives it: honest sheets of both sides, and now and then a step that is changed.
pub(crate) fn case(seed: u64) -> Value {
    let mut chance = Chance(seed);
    let settings = settings(&mut chance);
    let mut table = Table::new(settings.clone());
    let (mut steps, mut taken): (Vec<Value>, Vec<usize>) = (Vec::new(), Vec::new());
    let case = |steps: &[Value]| json!({ "settings": settings, "steps": steps, "supplied": {}, "system": "ndc", "tables": tables() });
    let is_case = |steps: &[Value]| sealed_dice::conformance::compute("hidden", &case(steps)).get("states").is_some();
    for _ in 0..4 + chance.below(3) {
        let wish = sheet(&table, &mut chance);
        let good = allowed(&table, wish);
        let due = table.due(&good).expect("it is allowed");
        let step = json!({ "by": table.by(), "dice": {}, "input": due, "sheet": good });
        if chance.below(4) == 0 {
            steps.push(crate::agreement::changed(&step, &mut chance));
            // What is not even a step is no case.
            if !is_case(&steps) {
                steps.pop();
            }
        }
        taken.push(steps.len());
        steps.push(step);
        table.take(due, good, chance.next());
    }
    for side in ["red", "blue"] {
        for (at, draw) in table.run(side).draws {
            let line = &mut steps[taken[at]]["dice"][draw.place.line.to_string()];
            let values = line.as_array().cloned().unwrap_or_default();
            *line = values.into_iter().chain([json!(draw.value)]).collect();
        }
    }
    case(&steps)
}

/// The form of every step is a sheet as it stands.
#[test]
fn forms_are_sheets() {
    let mut chance = Chance(5);
    let mut table = Table::new(settings(&mut chance));
    let mut seen = BTreeSet::new();
    for _ in 0..8 {
        let form = table.course().form(&table.state, None).expect("a form");
        let blank: Object = toml::from_str(&form).unwrap_or_else(|error| panic!("{error}: {form}"));
        let due = table.due(&blank);
        assert!(due.is_ok(), "{form}: {:?}", due.err());
        for said in offered(&form) {
            let sheet: Object = toml::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"));
            let refused = table.due(&sheet).expect_err(&said).to_string();
            assert!(refused.contains("HERE") || refused.contains("1 to 200 characters"), "{said}: {refused}");
        }
        assert!(!table.course().tell(&table.state).expect("a line").is_empty());
        seen.insert(table.step().to_owned());
        let sheet = sheet(&table, &mut chance);
        let good = allowed(&table, sheet);
        let due = table.due(&good).expect("it is allowed");
        table.take(due, good, chance.next());
    }
    assert!(seen.contains("setup") && seen.contains("move") && seen.contains("report"), "{seen:?}");
}

/// Runs of nobody, of letters that no course takes, and of what is not known yet.
#[test]
fn runs_that_cannot_be() {
    let mut chance = Chance(7);
    let mut table = Table::new(settings(&mut chance));
    let nothing = Object::new();
    let refused = |run: Result<Run>| run.expect_err("it is refused").to_string();
    assert!(refused(table.hidden().run(&role("green"), &mut [], &nothing)).contains("green is not one of the two"));
    let early = refused(table.hidden().state(&role("blue"), &mut [], &nothing, &nothing));
    assert!(early.contains("red declares next (setup), not blue"), "{early}");
    for _ in 0..2 {
        let said = sheet(&table, &mut chance);
        let said = allowed(&table, said);
        let due = table.due(&said).expect("it is allowed");
        let written = text(&object(due.clone()));
        let rolls = table.system.resolver().read(&written, true).expect("its form is right");
        assert_eq!(rolls.for_redo().expect("a form"), written);
        table.take(due, said, chance.next());
    }
    let mut made = table.made();
    made[0].by = role("blue");
    let other = refused(table.hidden().run(&role("red"), &mut made, &nothing));
    assert!(other.contains("red declares next, not blue"), "{other}");
    let mut made = table.made();
    made[0].sheet = None;
    let unknown = refused(table.hidden().state(&role("red"), &mut made, &nothing, &nothing));
    assert!(unknown.contains("worked out yet (missing: sheet)"), "{unknown}");
}

/// What a form offers in comments, each line and each block by itself, as if it were left as it is.
fn offered(form: &str) -> Vec<String> {
    let mut offered = Vec::new();
    let mut block: Option<String> = None;
    // Lines like `#   with: one of: ..` explain the next line.
    for line in form.lines().filter(|line| !line.starts_with("#  ")).chain([""]) {
        let said = line.strip_prefix("# ");
        let opens = said.is_some_and(|said| said.starts_with('['));
        match (&mut block, said) {
            (Some(block), Some(said)) => *block += &format!("{said}\n"),
            (Some(_), None) => offered.extend(block.take()),
            (None, Some(said)) if opens => block = Some(format!("{said}\n")),
            (None, Some(said)) => {
                let name = said.split(" = ").next().filter(|name| *name != said && !name.contains(' '));
                offered.extend(name.map(|_| said.to_owned()));
            }
            (None, None) => {}
        }
    }
    offered
}

/// A field that is not taken is told where it stands, or what was meant; a kind of combat, that there are two.
#[test]
fn mistakes_are_named() {
    let mut table = Table::new(settings(&mut Chance(1)));
    let refused = |table: &Table, sheet: Value| table.due(&object(sheet)).expect_err("it is refused").to_string();
    for (sheet, words) in [
        (json!({ "moves": [] }), "only in a move"),
        (json!({ "march": [] }), "only in the move of segment 1"),
        (json!({ "volunter": [] }), "did you mean volunteer?"),
        (json!({ "nothing at all": 1 }), "the fields are allocate, combats"),
    ] {
        let told = refused(&table, sheet);
        assert!(told.contains(words), "{words}: {told}");
    }
    for _ in 0..2 {
        let sheet = object(json!({ "points": { "artillery": 2 } }));
        let due = table.due(&sheet).expect("a setup");
        table.take(due, sheet, 1);
    }
    assert!(refused(&table, json!({ "units": [] })).contains("only in a setup"));
    let fires = json!([{ "kind": "counter-battery", "points": 1, "target": "0101" }]);
    assert!(refused(&table, json!({ "combats": fires, "replace": [] })).contains("which has no combats"));
    let both = refused(&table, json!({ "combats": [{ "kind": "atack", "target": "0101", "unit": "x" }] }));
    assert!(both.contains("attack") && both.contains("counter-battery"), "{both}");
}
