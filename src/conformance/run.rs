//! `vectors check`: runs test vectors (`vectors/README.md`). One function for each layer computes the result that
//! a vector should expect; the vector passes if it expects that result.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{hidden, keys, letters, seals, systems};
use crate::{
    blob::Keys,
    error::{Error, Result},
    game::audit::{self, Read},
    mail::{Find, Mail, Source, files::files_below},
    rule::Rule,
};

/// The result of running one vector.
#[derive(Clone, Debug)]
pub struct Run {
    /// The file of the vector.
    pub file: PathBuf,
    /// A description of the failure, if the vector failed.
    pub failure: Option<String>,
}

/// Runs every vector in a folder and its subfolders, in the order of their names.
///
/// # Errors
/// If a folder or file cannot be read.
pub fn check(dir: &Path) -> Result<Vec<Run>, String> {
    let mut talk = Vec::new();
    let mut runs = Vec::new();
    for path in files_below(dir, &mut talk)? {
        if path.extension().is_some_and(|ext| ext == "json" || ext == "txt") {
            let content = fs::read(&path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
            runs.push(Run { failure: check_one(&content).err(), file: path });
        }
    }
    talk.pop().map_or(Ok(runs), Err)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    #[serde(rename = "about")]
    _about: String,
    layer: String,
    #[serde(rename = "spec")]
    _spec: String,
    #[serde(default)]
    given: Value,
    expect: Value,
}

fn check_one(content: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(content);
    let header = text.split("\n\n").next().unwrap_or_default();
    let vector: Vector = serde_json::from_str(&text)
        .or_else(|_| serde_json::from_str(header))
        .map_err(|error| format!("this is not a test vector: {error}"))?;
    let computed =
        if vector.layer == "transcript" { transcript(content) } else { compute(&vector.layer, &vector.given) };
    if computed != vector.expect {
        return Err(format!("expected {}, got {computed}", vector.expect));
    }
    Ok(())
}

/// Returns what a vector of a layer must expect, which may be `{"class":..}`.
#[must_use]
pub fn compute(layer: &str, given: &Value) -> Value {
    let result = match layer {
        "hash" => letters::hash(given),
        "key" => letters::key(given),
        "signature" => letters::signature(given),
        "json" => letters::json_text(given),
        "message" => letters::message(given),
        "armour" => letters::blobs(given),
        "mail" => letters::letters_in_mail(given),
        "envelope" => seals::envelope(given),
        "opening" => seals::opening(given),
        "cipher" => seals::decrypt(given),
        "note" => seals::note(given),
        "master" => seals::master(given),
        "deposit" => seals::deposit(given),
        "dice" => seals::dice(given),
        "stream" => seals::stream(given),
        "worksheet" => systems::worksheet(given),
        "icrk" => systems::icrk(given),
        "what-if" => systems::what_if_case(given),
        "course" => systems::course(given),
        "hidden" => hidden::hidden(given),
        "key-root" => keys::root(given),
        "key-file" => keys::file(given),
        "key-backup" => keys::code(given),
        _ => return json!({ "unknown layer": layer }),
    };
    result.unwrap_or_else(|error| match error {
        Error::Misuse(text) => json!({ "misuse": text }),
        error => json!({ "class": error.class().as_str() }),
    })
}

/// Returns what a transcript vector must expect.
#[must_use]
pub fn transcript(content: &[u8]) -> Value {
    let mut mail = Mail::of(vec![Source::memory("transcript", content.to_vec())]);
    let (keys, mut read) = (Keys::default(), Vec::new());
    while let Some(batch) = mail.batch() {
        // Warnings from the mail reader are not part of the expected result.
        drop(batch.open(&keys, &mut |Find { place, letter, .. }| read.push(Read { place, letter })));
    }
    let games = audit::audit(&read).into_iter().map(|report| {
        let finding = |finding: &audit::ReportedFinding| {
            json!({
                "code": finding.code,
                "culprit": finding.culprit,
                "message_ids": finding.message_ids,
                "rule": finding.rule.map(Rule::as_str),
                "settled_by": finding.settled_by,
            })
        };
        let findings: Vec<Value> = report.findings.iter().map(finding).collect();
        let mut told = json!({
            "verdict": report.verdict,
            "game": report.game,
            "complete": report.complete,
            "heads": report.heads,
            "missing": report.missing,
            "findings": findings,
            "rolls": report.rolls,
        });
        if let Some(told) = told.as_object_mut().filter(|_| !report.courses.is_empty()) {
            told.insert("courses".into(), json!(report.courses));
        }
        if let Some((told, continues)) = told.as_object_mut().zip(report.continues.as_ref()) {
            told.insert("continues".into(), json!(continues));
        }
        if let Some(told) = told.as_object_mut().filter(|_| !report.days.is_empty()) {
            told.insert("days".into(), json!(report.days));
        }
        told
    });
    json!({ "games": games.collect::<Vec<_>>() })
}
