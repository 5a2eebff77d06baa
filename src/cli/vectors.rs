//! `vectors check`: runs test vectors (`vectors/README.md`).

use std::path::Path;

use super::answer::Answer;
use crate::conformance::check;

pub(super) fn run(dir: &Path) -> Answer {
    let runs = match check(dir) {
        Ok(runs) if runs.is_empty() => {
            return Answer::unable(format!(
                "{} does not contain any test vectors; name the folder that does",
                dir.display()
            ));
        }
        Ok(runs) => runs,
        Err(why) => return Answer::unable(why),
    };
    let failures = runs.iter().filter_map(|run| {
        let failure = run.failure.as_ref()?;
        Some(format!("{}: {failure}\n", run.file.display()))
    });
    let failures: Vec<String> = failures.collect();
    let closing = format!("{} passed, {} failed\n", runs.len() - failures.len(), failures.len());
    Answer { code: u8::from(!failures.is_empty()), out: failures.concat() + &closing, ..Answer::default() }
}
