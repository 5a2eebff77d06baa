//! `docs/schema/`: what `--json` prints has the form that its schema says, for every transcript and case among the vectors.

use std::{fs, process::Command, sync::OnceLock};

use jsonschema::Validator;
use serde_json::Value;

fn schema(name: &str) -> Validator {
    let text = fs::read_to_string(format!("docs/schema/{name}.json")).expect("a schema");
    let schema: Value = serde_json::from_str(&text).expect("JSON");
    jsonschema::options().should_validate_formats(true).build(&schema).expect("a schema")
}

/// Each line that a command prints, checked.
fn lines(schema: &Validator, args: &[&str]) -> usize {
    let output = Command::new(env!("CARGO_BIN_EXE_sealed-dice")).args(args).output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    for line in text.lines() {
        let value: Value = serde_json::from_str(line).expect("JSON");
        let wrong: Vec<String> =
            schema.iter_errors(&value).map(|error| format!("{} {error}", error.instance_path())).collect();
        assert!(wrong.is_empty(), "{args:?}: {wrong:?}");
    }
    text.lines().count()
}

/// That a status has its form: every test that plays looks at many.
pub(crate) fn check_status(status: &Value) {
    static SCHEMA: OnceLock<Validator> = OnceLock::new();
    let schema = SCHEMA.get_or_init(|| schema("status"));
    let wrong: Vec<String> = schema.iter_errors(status).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:?}: {status}");
}

fn folders(below: &str) -> Vec<String> {
    let entries = fs::read_dir(below).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut folders: Vec<String> =
        entries.filter(|path| path.is_dir()).map(|path| path.display().to_string()).collect();
    folders.sort();
    folders
}

#[test]
fn audits_and_figures_have_the_form_of_their_schemas() {
    let (audit, stats) = (schema("audit"), schema("stats"));
    let (mut audits, mut figures) = (0, 0);
    for folder in folders("vectors") {
        audits += lines(&audit, &["audit", "--json", &folder]);
        figures += lines(&stats, &["stats", "--json", &folder]);
    }
    audits += lines(&audit, &["audit", "--json", "--files", "vectors/declare", "vectors/declare/moves-in-files.txt"]);
    assert!(audits > 300 && figures > 300, "{audits} reports, {figures} figures");
}

#[test]
fn worksheets_cases_and_keys_have_the_form_of_their_schemas() {
    let dir = crate::folder("outputs");
    let select = schema("select");
    assert_eq!(lines(&select, &["select", "--json", "examples/sheets/double-impulse.csv"]), 1);
    let (what_if, mut cases) = (schema("what-if"), 0);
    for entry in fs::read_dir("vectors/what-if").expect("vectors") {
        let text = fs::read_to_string(entry.expect("a vector").path()).expect("a vector");
        let vector: Value = serde_json::from_str(&text).expect("JSON");
        let path = dir.join("case.json");
        fs::write(&path, vector["given"]["case"].to_string()).expect("a case");
        cases += lines(&what_if, &["what-if", "--json", path.to_str().expect("a path")]);
    }
    assert!(cases > 10, "{cases} cases are answered");
    let (key, home) = (schema("key"), dir.join("home"));
    let home = home.to_str().expect("a path");
    let new = ["--home", home, "key", "new", "--no-passphrase"];
    let made = Command::new(env!("CARGO_BIN_EXE_sealed-dice")).args(new).output().expect("it runs");
    assert!(made.status.success(), "{made:?}");
    assert_eq!(lines(&key, &["--home", home, "key", "show", "--json"]), 1);
    assert_eq!(lines(&key, &["--home", home, "key", "show", "--json", "--deposit"]), 1);
}
