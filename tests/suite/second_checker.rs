//! The checker in Python, which shares no code with ours: it runs every vector, and says the same of every transcript.

use std::{path::Path, process::Command};

use serde_json::Value;

pub(crate) fn python() -> Command {
    let name = if cfg!(windows) { "python" } else { "python3" };
    let mut command = Command::new(name);
    command.arg("verify/sealed_dice.py");
    command
}

#[test]
fn it_runs_all_vectors() {
    let output = python().args(["vectors", "vectors"]).output().expect("Python 3 is needed to run the tests");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    let closing = told.lines().last().unwrap_or_default();
    // It reads texts and no mails.
    let ours = sealed_dice::conformance::check(Path::new("vectors")).expect("the vectors can be read");
    let ours = ours.iter().filter(|run| !run.file.starts_with("vectors/mail")).count();
    assert_eq!(closing, format!("{ours} passed, 0 failed"));
}

/// What both must agree on to the letter; texts, places and what is open are each one's own.
pub(crate) fn essence(report: &str) -> Vec<Value> {
    let reports = report.lines().map(|line| serde_json::from_str::<Value>(line).expect("a report is JSON"));
    let essence = reports.map(|mut report| {
        let fields = report.as_object_mut().expect("a report is an object");
        fields.remove("open");
        for finding in fields["findings"].as_array_mut().expect("findings are a list") {
            finding.as_object_mut().expect("a finding is an object").remove("text");
        }
        report
    });
    essence.collect()
}

#[test]
fn it_reports_the_same_as_we_do() {
    let dir = crate::folder("second-checker");
    let demo = Command::new(env!("CARGO_BIN_EXE_sealed-dice"))
        .args(["demo", "--dir"])
        .arg(&dir)
        .output()
        .expect("the demo runs");
    assert!(demo.status.success());
    for path in [dir.as_path(), Path::new("vectors/audit"), Path::new("vectors/chain"), Path::new("vectors/declare")] {
        let ours = Command::new(env!("CARGO_BIN_EXE_sealed-dice"))
            .args(["audit", "--json"])
            .arg(path)
            .output()
            .expect("our audit runs");
        let theirs = python().args(["audit", "--json"]).arg(path).output().expect("their audit runs");
        let (ours_told, theirs_told) = (String::from_utf8_lossy(&ours.stdout), String::from_utf8_lossy(&theirs.stdout));
        assert_eq!(essence(&ours_told), essence(&theirs_told), "{}", path.display());
        assert_eq!(ours.status.code(), theirs.status.code(), "{}", path.display());
        assert!(!ours_told.is_empty());
    }
}
