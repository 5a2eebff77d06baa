//! Computes what vectors of hidden courses must expect (`protocol/hidden.md`): states, and both players' runs.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::case::read;
use crate::{
    blob::{
        body::Role,
        json::{self, Text},
    },
    error::{Class, Error, Result},
    resolve::{
        Account, Course, Draws, Given, Hidden, Listed, Object, Place, Source, System,
        hidden::{Made, Run},
    },
};

/// The `given` part of a vector.
#[derive(Deserialize)]
struct GivenCourse {
    system: String,
    settings: Object,
    #[serde(default)]
    tables: Object,
    #[serde(default)]
    supplied: Object,
    steps: Vec<Step>,
}

/// A declaration: `sheet` is `null` until the sheet is opened, and `dice` until the dice are known.
#[derive(Deserialize)]
struct Step {
    by: Role,
    input: Value,
    #[serde(default)]
    sheet: Option<Object>,
    #[serde(default)]
    dice: Option<BTreeMap<String, Vec<u64>>>,
}

/// The dice values of each line, as far as the vector gives them.
struct Lines(BTreeMap<String, Vec<u64>>);

impl Source for Lines {
    fn draw(&mut self, place: Place, _: u64) -> Result<u64> {
        let line = self.0.get_mut(&place.line.to_string()).filter(|line| !line.is_empty());
        line.map(|line| line.remove(0))
            .ok_or_else(|| Error::Refused(format!("line {} does not have a value", place.line)))
    }
}

/// Computes the layer `hidden`.
pub(super) fn hidden(given: &Value) -> Result<Value> {
    let given: GivenCourse = read(given)?;
    let system = System::settle(&given.system, &given.settings, &given.tables)?;
    let course = system.resolver().course().ok_or_else(|| Error::Misuse("the system has no course".into()))?;
    let hidden = course.hidden().ok_or_else(|| Error::Misuse("the course is not hidden".into()))?;
    let mut state = course.begin()?;
    let (mut states, mut taken) = (Vec::new(), Vec::new());
    for step in given.steps {
        match after(&system, course, &state, &step) {
            Ok(next) => {
                states.push(json!(next));
                state = next;
                taken.push(step);
            }
            Err(Error::Misuse(why)) => return Err(Error::Misuse(why)),
            Err(_) => states.push(json!({ "class": Class::Rule.as_str() })),
        }
    }
    let mut runs = serde_json::Map::new();
    for role in course.roles() {
        runs.insert(role.as_str().into(), run(hidden, role, &taken, &given.supplied)?);
    }
    Ok(json!({ "runs": runs, "states": states }))
}

/// Returns the state after a declaration, or an error if the declaration is not valid.
fn after(system: &System, course: &dyn Course, state: &Object, step: &Step) -> Result<Object> {
    let input: Text = Text::of(&step.input)?;
    let rolls = system.resolver().read(&input, false)?;
    if rolls.canonical()? != input {
        return Err(Error::Refused("the input is not in canonical form".into()));
    }
    rolls.fits(state)?;
    match course.awaits(state)? {
        crate::resolve::Awaits::Turn(Some(by)) | crate::resolve::Awaits::More(Some(by)) if by == step.by => {}
        other => return Err(Error::Refused(format!("the course is waiting for {other}"))),
    }
    let mut none = Listed::new(&[]);
    Ok(rolls.resolve(Given::state(state), &[], &mut Draws::new(&mut none), &mut Account::none())?.state)
}

fn run(hidden: &dyn Hidden, role: &Role, steps: &[Step], supplied: &Object) -> Result<Value> {
    let mut made: Vec<Made<'_>> = Vec::new();
    for step in steps {
        made.push(Made {
            by: step.by.clone(),
            input: Text::of(&step.input)?,
            sheet: step.sheet.clone(),
            dice: step.dice.clone().map(|dice| -> Box<dyn Source> { Box::new(Lines(dice)) }),
        });
    }
    let Run { run, hand, stopped, told, draws } = hidden.run(role, &mut made, supplied)?;
    let wrong: Vec<usize> = told.iter().filter(|told| !told.wrong.is_empty()).map(|told| told.at).collect();
    let due: Vec<Value> = told.iter().map(|told| json::to_value(&told.due)).collect::<Result<_>>()?;
    let draws = draws.iter().map(|(at, draw)| json!([at, draw.place.line, draw.sides, draw.value, draw.why]));
    Ok(json!({
        "declared": steps.iter().filter(|step| step.by == *role).count(),
        "draws": draws.collect::<Vec<_>>(),
        "due": due,
        "hand": hand,
        "run": run,
        "stopped": stopped,
        "wrong": wrong,
    }))
}
