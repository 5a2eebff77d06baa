//! `what-if`: a resolver on stated draws. What it prints is no evidence of anything, and every line says so.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Answer, json_line, read_input, terminal::visible};
use crate::{
    blob::{
        body::Ended,
        json::{self, Text, Tree},
    },
    error::{Class, Result},
    resolve::{Draw, Draws, Given, Listed, Object, System},
};

const NO_EVIDENCE: &str = "what-if, no evidence: ";

/// A case: settings, tables and state left out are the template's, none, and the beginning.
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
    draws: Vec<u64>,
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
    let mut settings = System::prefill(&case.system)?;
    settings.extend(case.settings);
    let system = System::settle(&case.system, &settings, &case.tables)?;
    let rolls = system.resolver().read(&case.input, false)?;
    let places = rolls.plan(&case.state)?.places;
    let mut listed = Listed::new(&case.draws);
    let mut draws = Draws::new(&mut listed);
    let outcome = rolls.resolve(Given::state(&case.state), &places, &mut draws)?;
    let trail = draws.into_trail();
    listed.finish()?;
    Ok(Resolved {
        draws_used: trail.len() as u64,
        needs: outcome.needs,
        outcome: outcome.ended,
        private: outcome.private,
        public: outcome.public,
        state: outcome.state,
        trail,
    })
}

fn tell(resolved: &Resolved) -> String {
    let mut lines: Vec<String> = resolved
        .trail
        .iter()
        .map(|draw| format!("draw {}, d{}: {} for {}", draw.n, draw.sides, draw.value, visible(&draw.why)))
        .collect();
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
