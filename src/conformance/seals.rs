//! Computes the layers of seals: envelopes and cells, notes, masters, deposits, and the dice from them.

use serde::Deserialize;
use serde_json::{Value, json};

use super::case::read;
use crate::{
    blob::{
        body::{Hex32, HexBytes, Role, SetKind},
        deposits::Wrapped,
    },
    error::{Error, Result},
    game::{context::Context, deposits},
    primitive::{
        cipher,
        dice::{Roots, Stream, draw_from, roll_key},
        secret::Secret,
        wrap,
    },
    resolve::Place,
};

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
            role => {
                Some(Role::parse(role).ok_or_else(|| Error::Misuse("the fallback is not a valid role name".into()))?)
            }
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
            _ => Err(Error::Misuse("give either index, or column and row".into())),
        }
    }
}

fn wanted<T>(value: Option<T>, name: &str) -> Result<T> {
    value.ok_or_else(|| Error::Misuse(format!("{name} is missing")))
}

pub(super) fn envelope(given: &Value) -> Result<Value> {
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

/// Returns the key of an opening, if it matches the commitment.
fn opened(given: &GivenPlace, context: &Context) -> Result<Secret> {
    let (place, key) = (given.place()?, Secret::new(wanted(given.key, "key")?.0));
    if context.commitment(&key, place) != wanted(given.commit, "commit")? {
        return Err(Error::Refused("the key does not match the commitment".into()));
    }
    Ok(key)
}

pub(super) fn opening(given: &Value) -> Result<Value> {
    let given: GivenPlace = read(given)?;
    let context = given.context.context()?;
    let key = opened(&given, &context)?;
    Ok(json!({ "seed": Hex32(*context.seed(&key, given.place()?).expose()) }))
}

pub(super) fn decrypt(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        key: Hex32,
        associated: HexBytes,
        ciphertext: HexBytes,
    }
    let given: Given = read(given)?;
    let plain = cipher::open(&given.key.0, &given.associated.0, &given.ciphertext.0);
    let plain = plain.ok_or_else(|| Error::Refused("the key does not decrypt the ciphertext".into()))?;
    Ok(json!({ "plain": hex::encode(plain) }))
}

pub(super) fn note(given: &Value) -> Result<Value> {
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
        return Err(Error::Refused("the key does not match the commitment".into()));
    }
    Ok(json!({ "text": context.open_note(&key, &given.ciphertext.0)? }))
}

pub(super) fn deposit(given: &Value) -> Result<Value> {
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
        .ok_or_else(|| Error::Refused("the key does not open the deposit".into()))?;
    Ok(json!({ "info": Hex32(info), "master": Hex32(*master.expose()), "public": wrap::public(&key).map(Hex32) }))
}

pub(super) fn master(given: &Value) -> Result<Value> {
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

pub(super) fn dice(given: &Value) -> Result<Value> {
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

pub(super) fn stream(given: &Value) -> Result<Value> {
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
