//! Runs a resolver on stated draws. The result is not evidence of anything.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    account::Account,
    draws::{Draw, Draws, Listed},
    object::Object,
    registry::System,
    shape::{Awaits, Course, Given, Outcome, Resolver},
};
use crate::{
    blob::{
        body::{Ended, Role},
        json::{self, Text, Tree, Value},
    },
    error::{Error, Result},
};

/// A case. A missing setting takes its default, and is refused if it has none. By default there are no tables, and the
/// state is the initial one.
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

/// A step of a course: a declaration with both players' orders, a decision, or the contents of a standing note that
/// decides.
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
pub struct Resolved {
    /// Number of draws used.
    pub draws_used: u64,
    /// Awaited decisions, each with the role that decides.
    pub needs: Object,
    /// How the case ended: resolved, or waiting for a decision.
    pub outcome: Ended,
    /// Results that only the declarer may know.
    pub private: Object,
    /// Results that everybody may know.
    pub public: Text,
    /// The state that follows.
    pub state: Object,
    /// Explanation for people, one line for each step.
    #[serde(skip)]
    pub account: Vec<String>,
    /// The draws with their reasons.
    pub trail: Vec<Draw>,
}

/// Runs a case.
///
/// # Errors
/// Class `fields` if it is not a case; [`Error::Refused`] if its system refuses it, or if draws are left over or
/// missing.
///
/// # Examples
///
/// The first turn of OCS, in which both sides roll two dice:
///
/// ```
/// use sealed_dice::{blob::json, resolve::what_if};
///
/// let case = json::parse(br#"{
///     "system": "ocs-initiative",
///     "settings": { "first_player": "red", "sides": ["red", "blue"] },
///     "input": { "by": "red", "declare": {} },
///     "draws": [4, 5, 1, 3]
/// }"#)?;
/// let resolved = what_if::resolve(&case)?;
/// assert!(resolved.account.contains(&"red rolls 4 + 5 = 9".into()));
/// assert_eq!(resolved.needs["order"], "red");
/// # Ok::<(), sealed_dice::error::Error>(())
/// ```
pub fn resolve(case: &Tree<'_>) -> Result<Resolved> {
    let case: Case = json::read(case)?;
    let mut settings = System::prefill(&case.system, &case.tables)?;
    let stated = System::stated(&case.system, &case.tables);
    if let Some(unsaid) = stated.iter().find(|name| !case.settings.contains_key(*name)) {
        return Err(Error::Refused(format!("set {unsaid} in the settings: it has no default")));
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

/// Runs a step of a course (`protocol/courses.md`). It must be the awaited step, by the right player.
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
    let refuse =
        |rule: &str| Err(Error::Refused(format!("{rule}: {by} cannot do this now; the case is waiting for {awaited}")));
    if step.declare.is_none() && !step.orders.is_empty() {
        return Err(Error::Refused("courses 18: only a declaration can have orders; leave them out".into()));
    }
    match (step.declare, step.decide, step.note, &awaited) {
        (Some(input), None, None, Awaits::Turn(from) | Awaits::More(from))
            if from.as_ref().is_none_or(|from| *from == by) =>
        {
            if let Some(other) =
                step.orders.keys().find(|role| !course.takes_orders() || !course.roles().contains(role))
            {
                return Err(Error::Refused(format!("courses 18: {other} cannot give orders here; leave them out")));
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
            let value = value.ok_or_else(|| {
                Error::Refused(format!("courses 14: the note does not decide {name}; add it to the note"))
            })?;
            course.decide(state, name, &value, account)
        }
        (Some(_), None, None, _) => refuse("declare 14"),
        (None, Some(_), None, _) => refuse("decide 4"),
        (None, None, Some(_), _) => refuse("courses 14"),
        _ => Err(Error::Refused("a step must have exactly one of declare, decide and note".into())),
    }
}
