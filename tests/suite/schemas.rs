//! `protocol/schema/`: what the library takes for a letter of good form, the schema of its kind takes too, and what it
//! refuses as `fields`, that schema refuses. So whoever builds on the schemas agrees with whoever builds on the library.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use jsonschema::{Registry, Validator};
use sealed_dice::{
    blob::{Keys, Kind, Verified, armour, frame::Frame, json},
    error::Class,
};
use serde_json::Value;

const FOLDER: &str = "protocol/schema";
const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";
const BASE: &str = "https://sealed-dice.invalid/schema/";
/// What several schemas refer to; the only file that is no kind's.
const COMMON: &str = "common";
const KINDS: [Kind; 14] = [
    Kind::Charter,
    Kind::Accept,
    Kind::Seal,
    Kind::Declare,
    Kind::Reveal,
    Kind::Decide,
    Kind::Correct,
    Kind::Claim,
    Kind::Ruling,
    Kind::Receipt,
    Kind::Resync,
    Kind::Deposit,
    Kind::Withdraw,
    Kind::Close,
];
/// Vectors of class `fields` that a schema must let pass, and why.
const BEYOND_SCHEMAS: [(&str, &str); 3] = [
    ("fields-charter-impulses-descending", "a schema cannot compare the items of a list with each other"),
    ("fields-void-lines-descending", "the same"),
    ("fields-close-master-twice", "nor one field of the items of a list"),
];

/// A payload of the vectors, and what the library says of its fields.
struct Payload {
    file: PathBuf,
    value: Value,
    good: bool,
}

impl Payload {
    fn kind(&self) -> &str {
        self.value["head"]["kind"].as_str().expect("a kind")
    }

    fn is_beyond_schemas(&self) -> bool {
        BEYOND_SCHEMAS.iter().any(|(name, _)| self.file.file_stem().is_some_and(|stem| stem == *name))
    }
}

/// The files of a folder and of the folders in it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn read_json(path: &Path) -> Value {
    let text = fs::read(path).expect("the file can be read");
    serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every schema by the name of its file.
fn documents() -> BTreeMap<String, Value> {
    let name = |path: &Path| path.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
    files(Path::new(FOLDER)).iter().map(|path| (name(path), read_json(path))).collect()
}

/// The schema of each kind, ready for use. What it refers to must be in the folder: nothing is fetched.
fn validators() -> BTreeMap<String, Validator> {
    let mut documents = documents();
    let common = documents.remove(COMMON).expect("the common definitions");
    let registry = Registry::new().add(format!("{BASE}{COMMON}.json"), common).expect("an address");
    let registry = registry.prepare().expect("the common definitions refer to nothing else");
    let build = |(name, schema): (String, Value)| {
        let validator = jsonschema::options().with_registry(&registry).build(&schema);
        let validator = validator.unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, validator)
    };
    documents.into_iter().map(build).collect()
}

/// The frames in a vector: those of a transcript in their armour, that of a message in lines.
fn frames(path: &Path) -> Vec<Vec<u8>> {
    if path.extension().is_some_and(|extension| extension == "txt") {
        let blobs = armour::find(&fs::read(path).expect("the file can be read"));
        return blobs.into_iter().filter_map(|blob| blob.frame.ok()).collect();
    }
    if !path.starts_with("vectors/message") {
        return Vec::new();
    }
    let vector = read_json(path);
    let lines = vector["given"]["frame_lines"].as_array().map(|lines| lines.iter().filter_map(Value::as_str));
    lines.map(|lines| lines.collect::<Vec<_>>().join("\n").into_bytes()).into_iter().collect()
}

/// Every payload of the vectors whose fields the library comes to look at (message 11): those that it refuses earlier
/// are no business of a schema, and a bad signature is found after the fields.
fn payloads() -> Vec<Payload> {
    let keys = Keys::default();
    let mut out = Vec::new();
    for file in files(Path::new("vectors")) {
        for frame in frames(&file) {
            let class = Verified::open(&frame, &keys).err().map(|refusal| refusal.error.class());
            if !matches!(class, None | Some(Class::Fields | Class::Signature)) {
                continue;
            }
            let payload = Frame::parse(&frame).expect("a frame").payload;
            json::parse_canonical(payload).expect("canonical JSON");
            let value = serde_json::from_slice(payload).expect("JSON");
            out.push(Payload { file: file.clone(), value, good: class != Some(Class::Fields) });
        }
    }
    out
}

#[test]
fn every_kind_has_a_schema_of_the_draft() {
    let documents = documents();
    let mut names: Vec<&str> = KINDS.iter().map(|kind| kind.as_str()).chain([COMMON]).collect();
    names.sort_unstable();
    assert!(documents.keys().eq(&names), "{:?} are not {names:?}", documents.keys());
    for (name, schema) in &documents {
        assert_eq!(schema["$schema"], DRAFT, "{name}");
        assert_eq!(schema["$id"], format!("{BASE}{name}.json"));
        jsonschema::draft202012::meta::validate(schema).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn letters_of_good_form_fit_their_schema() {
    let (validators, mut checked) = (validators(), BTreeMap::new());
    for payload in payloads().iter().filter(|payload| payload.good) {
        let fit = validators[payload.kind()].validate(&payload.value);
        fit.unwrap_or_else(|error| panic!("{}: {}: {error}", payload.file.display(), error.instance_path()));
        *checked.entry(payload.kind().to_owned()).or_insert(0) += 1;
    }
    assert!(checked.keys().eq(validators.keys()), "no letter of some kind was checked: {checked:?}");
    assert!(checked.values().sum::<i32>() > 500, "too few letters were checked: {checked:?}");
}

#[test]
fn letters_with_wrong_fields_fit_no_schema() {
    let (validators, payloads) = (validators(), payloads());
    let wrong: Vec<&Payload> = payloads.iter().filter(|payload| !payload.good).collect();
    for payload in &wrong {
        // A kind that nobody knows has no schema, which is a refusal too.
        let fits = validators.get(payload.kind()).is_some_and(|schema| schema.is_valid(&payload.value));
        assert_eq!(fits, payload.is_beyond_schemas(), "{}", payload.file.display());
    }
    let named = wrong.iter().filter(|payload| payload.file.to_string_lossy().contains("fields-")).count();
    assert!(named >= 40, "only {named} of the vectors made for this were checked");
}
