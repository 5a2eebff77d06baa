//! Computes the layers of letters: hashes, keys, signatures, canonical JSON, frames, armour, mail.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Value, json};

use super::case::read;
use crate::{
    blob::{
        Keys, Verified, armour,
        body::{Hex32, HexBytes},
        json::{self as canonical},
    },
    error::{Error, Result},
    mail::{Mail, Source},
    primitive::{
        hash::{Tag, h, pae},
        sign::PublicKey,
    },
};

pub(super) fn hash(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        tag: String,
        items: Vec<HexBytes>,
    }
    let given: Given = read(given)?;
    let tag = Tag::by_name(&given.tag).ok_or_else(|| Error::Misuse("the tag is unknown".into()))?;
    let items: Vec<&[u8]> = given.items.iter().map(|item| item.0.as_slice()).collect();
    let framed: Vec<&[u8]> = std::iter::once(tag.as_bytes()).chain(items.iter().copied()).collect();
    Ok(json!({ "pae": hex::encode(pae(&framed)), "hash": Hex32(h(tag, &items)) }))
}

pub(super) fn key(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        key: Hex32,
    }
    let given: Given = read(given)?;
    Ok(json!({ "fingerprint": PublicKey::parse(&given.key.0)?.fingerprint() }))
}

pub(super) fn signature(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        key: Hex32,
        message: HexBytes,
        signature: HexBytes,
    }
    let given: Given = read(given)?;
    let signature = given.signature.0.as_slice().try_into();
    let signature = signature.map_err(|_| Error::Misuse("a signature must be 64 bytes long".into()))?;
    PublicKey::parse(&given.key.0)?.verify(&given.message.0, signature)?;
    Ok(json!({ "valid": true }))
}

pub(super) fn json_text(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        bytes: HexBytes,
    }
    let given: Given = read(given)?;
    Ok(json!({ "value": canonical::parse_canonical(&given.bytes.0)? }))
}

pub(super) fn message(given: &Value) -> Result<Value> {
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
        _ => return Err(Error::Misuse("give either frame_lines or filled".into())),
    };
    let message = Verified::open(&frame, &Keys::default()).map_err(|refusal| refusal.error)?;
    Ok(json!({ "id": message.id(), "kind": message.head().kind.as_str() }))
}

/// The content of a file, as lines of text or as bytes.
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

pub(super) fn blobs(given: &Value) -> Result<Value> {
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

/// Computes the layer `mail`: the ids of the letters in a file, ascending.
pub(super) fn letters_in_mail(given: &Value) -> Result<Value> {
    let mut mail = Mail::of(vec![Source::memory("mail", read::<Written>(given)?.bytes())]);
    let (mut letters, keys) = (BTreeSet::new(), Keys::default());
    while let Some(batch) = mail.batch() {
        // A warning, such as about a secret in the mail, is only for people.
        let _warning =
            batch.open(&keys, &mut |find| letters.extend(find.letter.ok().map(|letter| letter.id().to_string())));
    }
    Ok(json!({ "letters": letters }))
}
