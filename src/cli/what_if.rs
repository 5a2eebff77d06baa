//! `what-if`: a resolver on stated draws. What it prints is no evidence of anything, and every line says so.

use std::{collections::BTreeMap, path::Path};

use serde::{Deserialize, Serialize};

use super::{
    answer::Answer,
    input::{json_line, read_input},
    terminal::visible,
};
use crate::{
    blob::{
        body::{Ended, Role},
        json::{self, Text, Tree, Value},
    },
    error::{Class, Error, Result},
    resolve::{Account, Awaits, Course, Draw, Draws, Given, Listed, Object, Outcome, Resolver, System},
};

const NO_EVIDENCE: &str = "what-if, no evidence: ";

/// A case. Settings left out take their pre-fill, and those without one are refused; tables and state left out are none, and
/// the beginning.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    system: String,
    #[serde(default = "empty")]
    settings: Object,
    #[serde(default = "empty")]
    tables: Object,
    #[serde(default = "empty")]
    state: Object,
    input: Text,
    #[serde(default)]
    draws: Vec<u64>,
}

/// A step of a course: a declaration, with the orders of both; a decision; or what a standing note says that may make it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    by: Role,
    #[serde(default)]
    declare: Option<Text>,
    #[serde(default)]
    decide: Option<Decided>,
    #[serde(default)]
    note: Option<Object>,
    #[serde(default)]
    orders: BTreeMap<Role, Object>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Decided {
    name: String,
    value: Value,
}

fn empty() -> Object {
    Object::new()
}

/// The answer to a case.
#[derive(Debug, Serialize)]
pub(super) struct Resolved {
    draws_used: u64,
    needs: Object,
    outcome: Ended,
    private: Object,
    public: Text,
    state: Object,
    #[serde(skip)]
    account: Vec<String>,
    trail: Vec<Draw>,
}

pub(super) fn run(path: &Path, as_json: bool) -> Answer {
    let bytes = match read_input(path) {
        Ok(bytes) => bytes,
        Err(why) => return Answer::unable(why),
    };
    let case = json::parse(&bytes).and_then(|case| resolve(&case));
    match case {
        Ok(resolved) if as_json => Answer::done(json_line(&resolved)),
        Ok(resolved) => Answer::done(tell(&resolved)),
        Err(error) => match error.class() {
            Class::Rule => Answer::refused(format!("the case is refused: {}", visible(&error.to_string()))),
            _ => Answer::unable(format!("this is no case: {}", visible(&error.to_string()))),
        },
    }
}

/// Runs a case.
pub(super) fn resolve(case: &Tree<'_>) -> Result<Resolved> {
    let case: Case = json::read(case)?;
    let mut settings = System::prefill(&case.system, &case.tables)?;
    let stated = System::stated(&case.system, &case.tables);
    if let Some(unsaid) = stated.iter().find(|name| !case.settings.contains_key(*name)) {
        return Err(Error::Refused(format!("the setting {unsaid} is missing; it has no pre-fill, so state it")));
    }
    settings.extend(case.settings);
    let system = System::settle(&case.system, &settings, &case.tables)?;
    let resolver = system.resolver();
    let mut listed = Listed::new(&case.draws);
    let (mut draws, mut account) = (Draws::new(&mut listed), Account::kept());
    let outcome = match resolver.course() {
        None => roll(resolver, &case.input, Given::state(&case.state), &mut draws, &mut account)?,
        Some(course) => {
            let state = if case.state.is_empty() { course.begin()? } else { case.state };
            step(resolver, course, &state, case.input.read()?, &mut draws, &mut account)?
        }
    };
    let trail = draws.into_trail();
    listed.finish()?;
    Ok(Resolved {
        draws_used: trail.len() as u64,
        needs: outcome.needs,
        outcome: outcome.ended,
        private: outcome.private,
        public: outcome.public,
        state: outcome.state,
        account: account.into_lines(),
        trail,
    })
}

fn roll(
    resolver: &dyn Resolver,
    input: &Text,
    given: Given<'_>,
    draws: &mut Draws<'_>,
    account: &mut Account,
) -> Result<Outcome> {
    let rolls = resolver.read(input, false)?;
    rolls.fits(given.state)?;
    let places = rolls.plan(given.state)?.places;
    rolls.resolve(given, &places, draws, account)
}

/// A step of a course (`protocol/courses.md`): what the state awaits, by whom it awaits it from.
fn step(
    resolver: &dyn Resolver,
    course: &dyn Course,
    state: &Object,
    step: Step,
    draws: &mut Draws<'_>,
    account: &mut Account,
) -> Result<Outcome> {
    let by = step.by;
    let awaited = course.awaits(state)?;
    let refuse = |rule: &str| Err(Error::Refused(format!("{rule}: this is not for {by} now; awaited is {awaited}")));
    if step.declare.is_none() && !step.orders.is_empty() {
        return Err(Error::Refused("courses 18: orders are given to a declaration".into()));
    }
    match (step.declare, step.decide, step.note, &awaited) {
        (Some(input), None, None, Awaits::Turn(from) | Awaits::More(from))
            if from.as_ref().is_none_or(|from| *from == by) =>
        {
            if let Some(other) =
                step.orders.keys().find(|role| !course.takes_orders() || !course.roles().contains(role))
            {
                return Err(Error::Refused(format!("courses 18: orders of {other} count for nothing here")));
            }
            let orders: Vec<(Role, Object)> = step.orders.into_iter().collect();
            roll(resolver, &input, Given { state, orders: &orders }, draws, account)
        }
        (None, Some(decided), None, Awaits::Decision { name, by: from, .. })
            if *from == by && *name == decided.name =>
        {
            course.decide(state, name, &decided.value, account)
        }
        (None, None, Some(says), Awaits::Decision { name, by: from, .. }) if *from == by => {
            let value = says.get(name).and_then(|wish| course.wished(state, wish));
            let value = value.ok_or_else(|| Error::Refused(format!("courses 14: the note does not decide {name}")))?;
            course.decide(state, name, &value, account)
        }
        (Some(_), None, None, _) => refuse("declare 14"),
        (None, Some(_), None, _) => refuse("decide 4"),
        (None, None, Some(_), _) => refuse("courses 14"),
        _ => Err(Error::Refused("a step is one of declare, decide and note".into())),
    }
}

fn tell(resolved: &Resolved) -> String {
    let mut lines: Vec<String> = resolved
        .trail
        .iter()
        .map(|draw| format!("draw {}, d{}: {} for {}", draw.n, draw.sides, draw.value, visible(&draw.why)))
        .collect();
    lines.extend(resolved.account.iter().map(|step| visible(step)));
    lines.push(format!("result: {}", visible(resolved.public.as_str())));
    for (what, part) in [("state", &resolved.state), ("needs", &resolved.needs)] {
        if !part.is_empty() {
            lines.push(format!("{what}: {}", visible(&json::encode(part).unwrap_or_default())));
        }
    }
    lines.push(match resolved.outcome {
        Ended::Done => "done".into(),
        Ended::Needs => "a decision is needed".into(),
    });
    lines.iter().map(|line| format!("{NO_EVIDENCE}{line}\n")).collect()
}
