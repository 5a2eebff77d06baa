//! `what-if`: runs a resolver on given draws. The output is not evidence of anything, and every line says so.

use std::path::Path;

use super::{
    answer::{Answer, json_line},
    terminal::visible,
};
use crate::{
    blob::{body::Ended, json},
    error::Class,
    keep::texts::read_input,
    resolve::what_if::{Resolved, resolve},
};

const NO_EVIDENCE: &str = "what-if, not evidence: ";

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
            _ => Answer::unable(format!("this is not a case: {}", visible(&error.to_string()))),
        },
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
