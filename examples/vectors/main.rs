//! Writes `vectors/`, and the examples on the pages of `protocol/`; with `--check` it compares instead.
//!
//! Each scenario is a few lines: what happens, and the expected result. The library fills in everything that is computed
//! on the way. A scenario fails here if the library does not give the result that the author expects.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a generator stops at the first mistake"
)]

mod battles;
mod campaigns;
mod cil;
mod continued;
mod courses;
mod days;
mod decided;
mod deposits;
mod disputes;
mod drill;
mod event_limits;
mod events;
mod forks;
mod games;
mod keys;
#[path = "../../tests/suite/kit.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod kit;
mod letters;
mod mail;
mod ndc;
mod office;
mod office_trouble;
mod primitives;
mod sets;
mod sheets;
mod systems;
mod turns;
mod waiting;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use sealed_dice::conformance;
use serde_json::{Value, json};

/// The vectors, by file name.
#[derive(Default)]
struct Vectors(BTreeMap<String, String>);

impl Vectors {
    /// Writes a vector with a computed result, which must contain what the vector's author knows from elsewhere.
    fn gives(&mut self, name: &str, spec: &str, about: &str, given: Value, known: Value) {
        let expect = conformance::compute(layer(name), &given);
        assert!(contains(&expect, &known), "{name}: {expect} lacks {known}");
        self.put(name, spec, about, given, expect);
    }

    /// Writes a vector that is refused with a class.
    fn refused(&mut self, name: &str, spec: &str, about: &str, given: Value, class: &str) {
        let expect = conformance::compute(layer(name), &given);
        assert_eq!(expect, json!({ "class": class }), "{name}");
        self.put(name, spec, about, given, expect);
    }

    fn put(&mut self, name: &str, spec: &str, about: &str, given: Value, expect: Value) {
        let vector = json!({ "about": about, "layer": layer(name), "spec": spec, "given": given, "expect": expect });
        self.insert(format!("{name}.json"), pretty(&vector));
    }

    /// Writes a transcript with the expected verdict of its first game, and the class and culprit of each finding.
    fn game(
        &mut self,
        name: &str,
        spec: &str,
        about: &str,
        transcript: &str,
        verdict: &str,
        findings: &[(&str, Option<&str>)],
    ) {
        let expect = conformance::transcript(transcript.as_bytes());
        let game = &expect["games"][0];
        let found: Vec<(&str, Option<&str>)> = game["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| (finding["code"].as_str().unwrap(), finding["culprit"].as_str()))
            .collect();
        assert_eq!((game["verdict"].as_str(), found.as_slice()), (Some(verdict), findings), "{name}: {expect}");
        let header = json!({ "about": about, "layer": "transcript", "spec": spec, "expect": expect });
        self.insert(format!("{name}.txt"), format!("{}\n{transcript}", pretty(&header)));
    }

    fn insert(&mut self, file: String, content: String) {
        assert!(self.0.insert(file.clone(), content).is_none(), "{file} stands twice");
    }
}

/// Returns the layer, which is the folder.
fn layer(name: &str) -> &str {
    name.split('/').next().unwrap_or_default()
}

/// Returns indented JSON. A value that fits on one line is written on one line.
fn pretty(value: &Value) -> String {
    let mut out = String::new();
    write(value, 0, &mut out);
    out.push('\n');
    out
}

fn write(value: &Value, indent: usize, out: &mut String) {
    let flat = value.to_string();
    let fits = indent + flat.len() <= 110;
    let pad = " ".repeat(indent + 2);
    let open = match value {
        Value::Array(items) if !fits && !items.is_empty() => {
            out.push_str("[\n");
            for (i, item) in items.iter().enumerate() {
                out.push_str(&pad);
                write(item, indent + 2, out);
                out.push_str(if i + 1 < items.len() { ",\n" } else { "\n" });
            }
            ']'
        }
        Value::Object(fields) if indent == 0 || (!fits && !fields.is_empty()) => {
            out.push_str("{\n");
            for (i, (key, item)) in fields.iter().enumerate() {
                out.push_str(&format!("{pad}{}: ", Value::from(key.as_str())));
                write(item, indent + 2, out);
                out.push_str(if i + 1 < fields.len() { ",\n" } else { "\n" });
            }
            '}'
        }
        _ => {
            out.push_str(&flat);
            return;
        }
    };
    out.push_str(&" ".repeat(indent));
    out.push(open);
}

fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(key, part)| whole.get(key).is_some_and(|whole| contains(whole, part)))
        }
        _ => whole == part,
    }
}

/// Returns a page with its examples taken from the vectors: each block after a `<!-- vector: FILE -->`.
fn with_examples(page: &str, vectors: &Vectors) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("<!-- vector: ") {
        let (file, after) = after.split_once(" -->\n```json\n").expect("a block behind the mark");
        let (_, after) = after.split_once("```\n").expect("the end of the block");
        let vector = vectors.0.get(file).unwrap_or_else(|| panic!("no vector {file}"));
        let header = vector.split("\n\n").next().unwrap_or_default().trim_end();
        out.push_str(&format!("{before}<!-- vector: {file} -->\n```json\n{header}\n```\n"));
        rest = after;
    }
    out + rest
}

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let check = std::env::args().any(|arg| arg == "--check");
    let mut vectors = Vectors::default();
    primitives::all(&mut vectors);
    letters::all(&mut vectors);
    mail::all(&mut vectors);
    sets::all(&mut vectors);
    keys::all(&mut vectors);
    deposits::wrapped(&mut vectors);
    systems::all(&mut vectors);
    courses::all(&mut vectors);
    cil::all(&mut vectors);
    events::all(&mut vectors);
    ndc::all(&mut vectors);
    games::all(&mut vectors);

    let mut wanted: BTreeMap<PathBuf, String> = BTreeMap::new();
    for (file, content) in &vectors.0 {
        wanted.insert(root.join("vectors").join(file), content.clone());
    }
    for entry in fs::read_dir(root.join("protocol")).expect("the spec") {
        let path = entry.expect("a page").path();
        if path.extension().is_some_and(|ext| ext == "md") {
            let page = fs::read_to_string(&path).expect("a page");
            wanted.insert(path, with_examples(&page, &vectors));
        }
    }
    let mut differ = Vec::new();
    for (path, content) in &wanted {
        if fs::read_to_string(path).ok().as_ref() != Some(content) {
            differ.push(path.clone());
        }
    }
    let stale = existing(&root.join("vectors")).into_iter().filter(|path| !wanted.contains_key(path));
    differ.extend(stale);
    for path in &differ {
        println!("{}", path.display());
        match wanted.get(path) {
            _ if check => {}
            Some(content) => {
                fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
                fs::write(path, content).expect("a vector");
            }
            None => fs::remove_file(path).expect("a stale vector"),
        }
    }
    let done = if check { "differ from what is generated" } else { "written" };
    println!("{} of {} files {done}", differ.len(), wanted.len());
    ExitCode::from(u8::from(check && !differ.is_empty()))
}

/// Returns the vectors that exist in a folder.
fn existing(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let files = paths.flat_map(|path| if path.is_dir() { existing(&path) } else { vec![path] });
    files.filter(|path| path.extension().is_some_and(|ext| ext == "json" || ext == "txt")).collect()
}
