//! `vectors check`: runs test vectors (`vectors/README.md`). One function a layer computes what a vector should expect;
//! a vector passes if that is what it says.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{case::read, hidden, keys};
use crate::{
    blob::{
        Keys, Verified, armour,
        body::{Hex32, HexBytes, Role, Select, SetKind},
        deposits::Wrapped,
        json::{self as canonical, Text, Tree},
    },
    error::{Class, Error, Result},
    game::{
        audit::{self, Read},
        context::Context,
        deposits,
    },
    mail::{Find, Mail, Source, files::files_below},
    primitive::{
        cipher,
        dice::{Roots, Stream, draw_from, roll_key},
        hash::{Tag, h, pae},
        secret::Secret,
        sign::PublicKey,
        wrap,
    },
    resolve::{
        Object, Place, Settled, System,
        coin_envelopes::{Attack, CoinEnvelopes, Printed},
        what_if,
    },
};

/// One vector that was run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its file.
    pub file: PathBuf,
    /// What is wrong, if anything is.
    pub failure: Option<String>,
}

/// Runs every vector below a folder, in the order of the names.
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
        .map_err(|error| format!("this is no vector: {error}"))?;
    let computed =
        if vector.layer == "transcript" { transcript(content) } else { compute(&vector.layer, &vector.given) };
    if computed != vector.expect {
        return Err(format!("expected {}, got {computed}", vector.expect));
    }
    Ok(())
}

/// What a vector of a layer must expect, or `{"class":..}`.
#[must_use]
pub fn compute(layer: &str, given: &Value) -> Value {
    let result = match layer {
        "hash" => hash(given),
        "key" => key(given),
        "signature" => signature(given),
        "json" => json_text(given),
        "message" => message(given),
        "armour" => blobs(given),
        "mail" => letters_in_mail(given),
        "envelope" => envelope(given),
        "opening" => opening(given),
        "cipher" => decrypt(given),
        "note" => note(given),
        "master" => master(given),
        "deposit" => deposit(given),
        "dice" => dice(given),
        "stream" => stream(given),
        "worksheet" => worksheet(given),
        "icrk" => icrk(given),
        "what-if" => what_if_case(given),
        "course" => course(given),
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

fn hash(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        tag: String,
        items: Vec<HexBytes>,
    }
    let given: Given = read(given)?;
    let tag = Tag::by_name(&given.tag).ok_or_else(|| Error::Misuse("there is no such tag".into()))?;
    let items: Vec<&[u8]> = given.items.iter().map(|item| item.0.as_slice()).collect();
    let framed: Vec<&[u8]> = std::iter::once(tag.as_bytes()).chain(items.iter().copied()).collect();
    Ok(json!({ "pae": hex::encode(pae(&framed)), "hash": Hex32(h(tag, &items)) }))
}

fn key(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        key: Hex32,
    }
    let given: Given = read(given)?;
    Ok(json!({ "fingerprint": PublicKey::parse(&given.key.0)?.fingerprint() }))
}

fn signature(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        key: Hex32,
        message: HexBytes,
        signature: HexBytes,
    }
    let given: Given = read(given)?;
    let signature = given.signature.0.as_slice().try_into();
    let signature = signature.map_err(|_| Error::Misuse("a signature has 64 bytes".into()))?;
    PublicKey::parse(&given.key.0)?.verify(&given.message.0, signature)?;
    Ok(json!({ "valid": true }))
}

fn json_text(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        bytes: HexBytes,
    }
    let given: Given = read(given)?;
    Ok(json!({ "value": canonical::parse_canonical(&given.bytes.0)? }))
}

fn message(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        #[serde(default)]
        frame_lines: Option<Vec<String>>,
        #[serde(default)]
        filled: Option<usize>,
    }
    let given: Given = read(given)?;
    let frame = match (given.frame_lines, given.filled) {
        (Some(lines), None) => lines.join("\n").into_bytes(),
        (None, Some(filled)) => vec![0; filled],
        _ => return Err(Error::Misuse("give frame_lines or filled".into())),
    };
    let message = Verified::open(&frame, &Keys::default()).map_err(|refusal| refusal.error)?;
    Ok(json!({ "id": message.id(), "kind": message.head().kind.as_str() }))
}

/// A text, or the bytes of a file.
#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Written {
    Lines { lines: Vec<String> },
    Filled { filled: Vec<(String, usize)> },
    Bytes { bytes: HexBytes },
}

impl Written {
    fn bytes(self) -> Vec<u8> {
        match self {
            Self::Lines { lines } => lines.join("\n").into_bytes(),
            Self::Filled { filled } => {
                filled.into_iter().map(|(text, times)| text.repeat(times)).collect::<String>().into_bytes()
            }
            Self::Bytes { bytes } => bytes.0,
        }
    }
}

fn blobs(given: &Value) -> Result<Value> {
    let text = read::<Written>(given)?.bytes();
    let keys = Keys::default();
    let open = |blob: armour::Blob| {
        let frame = blob.frame.map_err(|error| error.class());
        let message = frame.and_then(|frame| {
            let opened = Verified::open(&frame, &keys);
            opened.map_err(|refusal| refusal.error.class())
        });
        match message {
            Ok(message) => json!({ "id": message.id() }),
            Err(class) => json!({ "class": class.as_str() }),
        }
    };
    let found: Vec<Value> = armour::find(&text).into_iter().map(open).collect();
    Ok(json!({ "blobs": found }))
}

/// The ids of the letters in a file, in their order.
fn letters_in_mail(given: &Value) -> Result<Value> {
    let mut mail = Mail::of(vec![Source::memory("mail", read::<Written>(given)?.bytes())]);
    let (mut letters, keys) = (BTreeSet::new(), Keys::default());
    while let Some(batch) = mail.batch() {
        // A secret is told to people.
        let _warning =
            batch.open(&keys, &mut |find| letters.extend(find.letter.ok().map(|letter| letter.id().to_string())));
    }
    Ok(json!({ "letters": letters }))
}

#[derive(Deserialize)]
struct GivenContext {
    game: Hex32,
    purpose: String,
    kind: SetKind,
    sealer: Role,
    declarer: Role,
    revealer: Role,
    fallback: String,
    n: u64,
}

impl GivenContext {
    fn context(&self) -> Result<Context> {
        let fallback = match self.fallback.as_str() {
            "" => None,
            role => Some(Role::parse(role).ok_or_else(|| Error::Misuse("the fallback is no role".into()))?),
        };
        Ok(Context {
            game: self.game,
            purpose: self.purpose.clone(),
            kind: self.kind,
            sealer: self.sealer.clone(),
            declarer: self.declarer.clone(),
            revealer: self.revealer.clone(),
            fallback,
            n: self.n,
        })
    }
}

#[derive(Deserialize)]
struct GivenPlace {
    context: GivenContext,
    #[serde(default)]
    index: Option<u64>,
    #[serde(default)]
    column: Option<u64>,
    #[serde(default)]
    row: Option<u64>,
    #[serde(default)]
    master: Option<Hex32>,
    #[serde(default)]
    key: Option<Hex32>,
    #[serde(default)]
    commit: Option<Hex32>,
}

impl GivenPlace {
    fn place(&self) -> Result<Place> {
        match (self.index, self.column, self.row) {
            (Some(index), None, None) => Ok(Place { index, line: 0 }),
            (None, Some(index), Some(line)) => Ok(Place { index, line }),
            _ => Err(Error::Misuse("give index, or column and row".into())),
        }
    }
}

fn wanted<T>(value: Option<T>, name: &str) -> Result<T> {
    value.ok_or_else(|| Error::Misuse(format!("{name} is missing")))
}

fn envelope(given: &Value) -> Result<Value> {
    let given: GivenPlace = read(given)?;
    let place = given.place()?;
    let master = Secret::new(wanted(given.master, "master")?.0);
    let context = given.context.context()?;
    let a = match context.kind {
        SetKind::Sheet => context.a_cell(place),
        _ => context.a_envelope(place.index),
    };
    let key = context.key(&master, place);
    Ok(json!({
        "a": hex::encode(a),
        "key": Hex32(*key.expose()),
        "commit": context.commitment(&key, place),
        "seed": Hex32(*context.seed(&key, place).expose()),
    }))
}

/// The key of an opening, if it matches.
fn opened(given: &GivenPlace, context: &Context) -> Result<Secret> {
    let (place, key) = (given.place()?, Secret::new(wanted(given.key, "key")?.0));
    if context.commitment(&key, place) != wanted(given.commit, "commit")? {
        return Err(Error::Refused("the key does not match".into()));
    }
    Ok(key)
}

fn opening(given: &Value) -> Result<Value> {
    let given: GivenPlace = read(given)?;
    let context = given.context.context()?;
    let key = opened(&given, &context)?;
    Ok(json!({ "seed": Hex32(*context.seed(&key, given.place()?).expose()) }))
}

fn decrypt(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        key: Hex32,
        associated: HexBytes,
        ciphertext: HexBytes,
    }
    let given: Given = read(given)?;
    let plain = cipher::open(&given.key.0, &given.associated.0, &given.ciphertext.0);
    let plain = plain.ok_or_else(|| Error::Refused("the cipher refuses".into()))?;
    Ok(json!({ "plain": hex::encode(plain) }))
}

fn note(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        context: GivenContext,
        key: Hex32,
        commit: Hex32,
        ciphertext: HexBytes,
    }
    let given: Given = read(given)?;
    let (context, key) = (given.context.context()?, Secret::new(given.key.0));
    if context.commitment(&key, Place { index: 0, line: 0 }) != given.commit {
        return Err(Error::Refused("the key does not match".into()));
    }
    Ok(json!({ "text": context.open_note(&key, &given.ciphertext.0)? }))
}

fn deposit(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        context: GivenContext,
        key: Hex32,
        seal: Hex32,
        wrapped: Wrapped,
    }
    let given: Given = read(given)?;
    let info = deposits::info(&given.context.context()?, &given.seal);
    let key = Secret::new(given.key.0);
    let master = wrap::unwrap(&key, &info, &given.wrapped.0)
        .ok_or_else(|| Error::Refused("the deposit does not open".into()))?;
    Ok(json!({ "info": Hex32(info), "master": Hex32(*master.expose()), "public": wrap::public(&key).map(Hex32) }))
}

fn master(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        context: GivenContext,
        vault: Hex32,
        salt: Hex32,
    }
    let given: Given = read(given)?;
    let context = given.context.context()?;
    let master = context.master(&Secret::new(given.vault.0), &given.salt);
    Ok(json!({ "a": hex::encode(context.a()), "master": Hex32(*master.expose()) }))
}

fn dice(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        seal: Hex32,
        declaration: Hex32,
        index: u64,
        seed: Hex32,
        contribution: Hex32,
        line: u64,
        sides: Vec<u64>,
    }
    let given: Given = read(given)?;
    let roots = Roots { seal: &given.seal.0, declaration: &given.declaration.0, contribution: &given.contribution.0 };
    let root = roots.root(given.index, &given.seed.0);
    let key = roll_key(&root, given.line);
    let mut stream = Stream::new(key);
    let values: Vec<u64> = given.sides.iter().map(|sides| stream.draw(*sides)).collect::<Result<_>>()?;
    Ok(json!({ "root": Hex32(root), "key": Hex32(key), "values": values }))
}

fn stream(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        key: Hex32,
        sides: Vec<u64>,
    }
    let given: Given = read(given)?;
    let mut stream = Stream::new(given.key.0);
    let mut words = Vec::new();
    let mut draw = |sides: &u64| {
        draw_from(*sides, || {
            let word = stream.word();
            words.push(format!("{word:08x}"));
            word
        })
    };
    let values: Vec<u64> = given.sides.iter().map(&mut draw).collect::<Result<_>>()?;
    Ok(json!({ "words": words, "values": values }))
}

fn worksheet(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        settings: Object,
        tables: Object,
        attacks: Vec<Attack>,
    }
    let given: Given = read(given)?;
    let system = CoinEnvelopes::settle(&given.settings, &given.tables)?;
    let worksheet = system.worksheet(&given.attacks)?;
    let mut printed = canonical::to_value(&Printed::of(system.envelopes(), &worksheet))?;
    if let Value::Object(fields) = &mut printed {
        fields.remove("envelopes");
    }
    Ok(printed)
}

fn icrk(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        settings: Object,
        state: Object,
        rolls: Value,
    }
    let given: Given = read(given)?;
    let system = System::settle("icrk", &given.settings, &Object::new())?;
    let input = Text::of(&json!({ "rolls": given.rolls }))?;
    let rolls = system.resolver().read(&input, false)?;
    let plan = rolls.plan(&given.state)?;
    let cells = match &plan.select {
        Some(Select::Cells(cells)) => cells.as_slice(),
        _ => &[],
    };
    let mut ones = Ones;
    let mut draws = crate::resolve::Draws::new(&mut ones);
    let outcome = rolls.resolve(
        crate::resolve::Given::state(&given.state),
        &plan.places,
        &mut draws,
        &mut crate::resolve::Account::none(),
    )?;
    Ok(json!({ "cells": cells, "state": outcome.state }))
}

/// Draws of which only the number matters.
struct Ones;

impl crate::resolve::Source for Ones {
    fn draw(&mut self, _: Place, _: u64) -> Result<u64> {
        Ok(1)
    }
}

fn what_if_case(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        case: Value,
    }
    let given: Given = read(given)?;
    Ok(json!({ "answer": what_if_answer(&given.case)? }))
}

fn what_if_answer(case: &Value) -> Result<Value> {
    let resolved = Tree::of(case).and_then(|case| what_if::resolve(&case)).map_err(|error| match error.class() {
        Class::Rule => error,
        _ => Error::Misuse(error.to_string()),
    })?;
    canonical::to_value(&resolved)
}

/// A course is what-if cases, one a step; a refused one changes nothing.
fn course(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        system: String,
        settings: Object,
        #[serde(default)]
        state: Option<Object>,
        steps: Vec<Object>,
        #[serde(default)]
        tables: Object,
    }
    let given: Given = read(given)?;
    let system = System::settle(&given.system, &given.settings, &given.tables)?;
    let course = system.resolver().course().ok_or_else(|| Error::Misuse("the system has no course".into()))?;
    let begins = course.begin()?;
    let mut state = canonical::to_value(given.state.as_ref().unwrap_or(&begins))?;
    let mut steps = Vec::new();
    for mut step in given.steps {
        let draws = step.remove("draws").unwrap_or_else(|| json!([]));
        let case = json!({
            "system": given.system, "settings": given.settings, "tables": given.tables, "state": state,
            "input": step, "draws": draws,
        });
        steps.push(match what_if_answer(&case) {
            Ok(Value::Object(mut answer)) => {
                answer.retain(|field, _| matches!(field.as_str(), "needs" | "outcome" | "public" | "state"));
                state = answer.get("state").cloned().unwrap_or_default();
                Value::Object(answer)
            }
            Err(Error::Refused(_)) => json!({ "class": Class::Rule.as_str() }),
            Ok(other) => return Err(Error::Misuse(format!("this is no answer: {other}"))),
            Err(error) => return Err(Error::Misuse(error.to_string())),
        });
    }
    Ok(json!({ "begins": begins, "first_turn": course.first_place(&begins)?.0, "steps": steps }))
}

/// What a transcript vector must expect.
#[must_use]
pub fn transcript(content: &[u8]) -> Value {
    let mut mail = Mail::of(vec![Source::memory("transcript", content.to_vec())]);
    let (keys, mut read) = (Keys::default(), Vec::new());
    while let Some(batch) = mail.batch() {
        // A warning of the mail is no part of what a transcript comes to.
        drop(batch.open(&keys, &mut |Find { place, letter, .. }| read.push(Read { place, letter })));
    }
    let games = audit::audit(&read).into_iter().map(|report| {
        let missing: Vec<Hex32> = report.missing.iter().map(|missing| missing.id).collect();
        let finding = |finding: &audit::ReportedFinding| {
            json!({
                "code": finding.code,
                "culprit": finding.culprit,
                "message_ids": finding.message_ids,
                "settled": finding.settled_by.is_some(),
            })
        };
        let findings: Vec<Value> = report.findings.iter().map(finding).collect();
        let mut told = json!({
            "verdict": report.verdict,
            "game": report.game,
            "complete": report.complete,
            "missing": missing,
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
