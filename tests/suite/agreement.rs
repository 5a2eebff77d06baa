//! Random courses, answered by us and then by the checkers that share no code with us: all say the same.

use std::{fs, path::Path};

use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use sealed_dice::{
    conformance,
    error::Result,
    resolve::{Account, Awaits, Course, Draws, Given, Object, Place, Source, System},
};
use serde_json::{Value, json};

use crate::{
    kit::{object, role, text},
    ndc::Chance,
    second_checker::python,
};

/// A source of values for strategies, which follow from a seed.
pub(crate) fn runner(chance: &mut Chance) -> TestRunner {
    let seed: Vec<u8> = (0..4).flat_map(|_| chance.next().to_le_bytes()).collect();
    TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &seed))
}

/// A value of a strategy.
pub(crate) fn of<S: Strategy>(strategy: S, runner: &mut TestRunner) -> S::Value {
    strategy.new_tree(runner).expect("a value").current()
}

struct Dice<'c>(&'c mut Chance);

impl Source for Dice<'_> {
    fn draw(&mut self, _: Place, sides: u64) -> Result<u64> {
        Ok(1 + self.0.below(sides))
    }
}

/// A course under way, and the case that it makes: what a vector of the layer `course` gives.
pub(crate) struct Game {
    system: System,
    pub(crate) state: Object,
    pub(crate) case: Value,
}

impl Game {
    pub(crate) fn of(name: &str, settings: Value, tables: Value) -> Self {
        let system = System::settle(name, &object(settings.clone()), &object(tables.clone())).expect("settings");
        let state = system.resolver().course().expect("a course").begin().expect("a state");
        Self { system, state, case: json!({ "settings": settings, "steps": [], "system": name, "tables": tables }) }
    }

    fn course(&self) -> &dyn Course {
        self.system.resolver().course().expect("a course")
    }

    fn awaits(&self) -> Awaits {
        self.course().awaits(&self.state).expect("what comes about is a state")
    }

    /// Who declares next.
    pub(crate) fn by(&self) -> String {
        match self.awaits() {
            Awaits::Turn(by) | Awaits::More(by) => by.expect("the state says who declares").as_str().to_owned(),
            Awaits::Decision { by, .. } => by.as_str().to_owned(),
        }
    }

    /// The decision that is awaited, and of whom.
    pub(crate) fn asks(&self) -> Option<(String, String)> {
        match self.awaits() {
            Awaits::Decision { name, by, .. } => Some((name, by.as_str().to_owned())),
            Awaits::Turn(_) | Awaits::More(_) => None,
        }
    }

    /// Takes a step, legal or not, with dice of its own; now and then a changed one stands before it. Whether it was taken.
    pub(crate) fn takes(&mut self, mut step: Value, chance: &mut Chance) -> bool {
        let after = self.after(&step, chance);
        if let Ok((draws, _)) = &after {
            step["draws"] = json!(draws);
        }
        // Where a changed step is legal the game goes on from there.
        let beside = chance.below(4) == 0 && self.tries(changed(&step, chance));
        match after {
            Ok((_, state)) if !beside => {
                self.state = state;
                self.push(step);
                true
            }
            _ => self.tries(step),
        }
    }

    /// Makes each decision with the first choice that is taken, and rolls on.
    pub(crate) fn goes_on(&mut self, choices: &[Value], chance: &mut Chance) {
        for _ in 0..8 {
            let step = match self.awaits() {
                Awaits::Turn(_) => return,
                Awaits::More(by) => json!({ "by": by, "declare": {} }),
                Awaits::Decision { name, by, .. } => {
                    let good = |choice: &&Value| {
                        self.course().decide(&self.state, &name, choice, &mut Account::none()).is_ok()
                    };
                    let word = ["accept", "decline", "yes", "no"].map(|word| json!(word));
                    let Some(value) = choices.iter().chain(&word).find(good) else { return };
                    json!({ "by": by, "decide": { "name": name, "value": value } })
                }
            };
            self.takes(step, chance);
        }
    }

    fn push(&mut self, step: Value) {
        self.case["steps"].as_array_mut().expect("steps").push(step);
    }

    /// Puts a step into the case that may be refused; whether it was taken.
    fn tries(&mut self, step: Value) -> bool {
        let mut one = self.case.clone();
        one["state"] = json!(self.state);
        one["steps"] = json!([step]);
        let answer = conformance::compute("course", &one);
        // What is not even a step is no case.
        if answer.get("steps").is_none() {
            return false;
        }
        self.push(step);
        let after = answer["steps"][0]["state"].as_object();
        if let Some(state) = after {
            self.state = state.clone();
        }
        after.is_some()
    }

    /// The dice of a step, and the state after it.
    fn after(&self, step: &Value, chance: &mut Chance) -> Result<(Vec<u64>, Object)> {
        if let Some(decide) = step.get("decide") {
            let name = decide["name"].as_str().expect("a name");
            let outcome = self.course().decide(&self.state, name, &decide["value"], &mut Account::none())?;
            return Ok((Vec::new(), outcome.state));
        }
        if let Some((name, wish)) = step.get("note").and_then(Value::as_object).and_then(|note| note.iter().next()) {
            let value = self.course().wished(&self.state, wish).unwrap_or_default();
            let outcome = self.course().decide(&self.state, name, &value, &mut Account::none())?;
            return Ok((Vec::new(), outcome.state));
        }
        let notes = |field: &str| -> Vec<_> {
            let notes = step.get(field).and_then(Value::as_object).into_iter().flatten();
            notes.map(|(who, says)| (role(who), object(says.clone()))).collect()
        };
        let rolls = self.system.resolver().read(&text(&object(step["declare"].clone())), false)?;
        rolls.fits(&self.state)?;
        let places = rolls.plan(&self.state)?.places;
        let orders = notes("orders");
        let given = Given { state: &self.state, orders: &orders };
        let mut dice = Dice(chance);
        let mut draws = Draws::new(&mut dice);
        let outcome = rolls.resolve(given, &places, &mut draws, &mut Account::none())?;
        Ok((draws.into_trail().into_iter().map(|draw| draw.value).collect(), outcome.state))
    }
}

/// A step with something else somewhere in it.
pub(crate) fn changed(step: &Value, chance: &mut Chance) -> Value {
    fn walk(value: &Value, path: String, out: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                fields.iter().for_each(|(key, value)| {
                    walk(value, format!("{path}/{}", key.replace('~', "~0").replace('/', "~1")), out)
                });
            }
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(i, value)| walk(value, format!("{path}/{i}"), out))
            }
            _ => {}
        }
        out.push(path);
    }
    let mut paths = Vec::new();
    walk(step, String::new(), &mut paths);
    let mut changed = step.clone();
    let path = &paths[chance.below(paths.len() as u64 - 1) as usize];
    let others = [
        json!(null),
        json!(0),
        json!(1),
        json!(-1),
        json!(11),
        json!(9_999),
        json!(true),
        json!(""),
        json!("none"),
        json!("main"),
        json!("reserve"),
        json!("attack"),
        json!("dig-in"),
        json!("ann"),
        json!("red"),
        json!("first"),
        json!("m1"),
        json!("e\u{301}"),
        json!("a,b"),
        json!([]),
        json!({}),
        json!([1]),
        json!(["m1", "m1"]),
        json!([["none"]]),
    ];
    let at = changed.pointer_mut(path).expect("it is there");
    match (at, chance.below(4)) {
        (Value::Array(items), 0) => drop(items.pop()),
        (Value::Array(items), 1) => items.push(others[chance.below(others.len() as u64) as usize].clone()),
        (Value::Object(fields), 0) => drop(fields.insert("another".into(), json!(1))),
        (at, _) => *at = others[chance.below(others.len() as u64) as usize].clone(),
    }
    changed
}

/// As many cases of each system as `SEALED_DICE_COURSES` says, from the seed `SEALED_DICE_SEED` on: files as vectors are,
/// which `cargo test` gives to the checker in Python, and `.ci/run` and `scripts/soak` to the one in TypeScript.
#[test]
fn random_courses() {
    let number = |name: &str, or: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(or);
    let (cases, first) = (number("SEALED_DICE_COURSES", 200), number("SEALED_DICE_SEED", 1));
    let dir = crate::folder("random-courses");
    type Make = fn(u64) -> Value;
    let systems: [(&str, &str, Make); 4] = [
        ("cil", "course", |seed| crate::cil::case(&mut Chance(seed))),
        ("event-tables", "course", |seed| crate::events::case(&mut Chance(seed))),
        ("ndc", "hidden", crate::ndc::case),
        ("ocs-initiative", "course", |seed| crate::ocs::case(&mut Chance(seed))),
    ];
    for (name, layer, make) in systems {
        let (mut steps, mut refused) = (0, 0);
        fs::create_dir(dir.join(name)).expect("a folder");
        for seed in first..first + cases {
            let given = make(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let expect = conformance::compute(layer, &given);
            let answers = expect["steps"].as_array().or(expect["states"].as_array()).expect("an answer for each step");
            steps += answers.len();
            refused += answers.iter().filter(|answer| answer.get("class").is_some()).count();
            let vector = json!({
                "about": format!("random course {seed}"), "expect": expect, "given": given, "layer": layer,
                "spec": format!("{name}.md"),
            });
            let file = dir.join(name).join(format!("{seed}.json"));
            fs::write(file, vector.to_string()).expect("a file");
        }
        // A fifth at least of both sorts: neither a game nor a refusal is rare.
        assert!(refused * 20 > steps && refused * 4 < steps * 3, "{name}: {refused} of {steps} are refused");
    }
    agree(&dir, cases * 4);
}

fn agree(dir: &Path, all: u64) {
    let output = python().arg("vectors").arg(dir).output().expect("Python 3 is needed to run the tests");
    let told = String::from_utf8_lossy(&output.stdout);
    let closing = told.lines().last().unwrap_or_default();
    let differs: String = told.lines().next().unwrap_or_default().chars().take(4_000).collect();
    assert_eq!(closing, format!("{all} passed, 0 failed"), "{differs}{}", String::from_utf8_lossy(&output.stderr));
}
