//! Computes what vectors of key files must expect (`protocol/key-file.md`).

use serde::Deserialize;
use serde_json::{Value, json};

use super::case::read;
use crate::{
    blob::body::Hex32,
    error::Result,
    keep::{backup, key_file::KeyFile, root::Root},
    primitive::{secret::Secret, wrap},
};

/// Computes the layer `key-root`.
pub(super) fn root(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        root: Hex32,
    }
    let root = Root::new(Secret::new(read::<Given>(given)?.root.0));
    let public = root.keys().signing().public();
    let backup = backup::write(&root);
    Ok(json!({
        "backup": backup.expose(),
        "deposit": wrap::public(&root.deposit_key()).map(Hex32),
        "fingerprint": public.fingerprint(),
        "public": Hex32(*public.as_bytes()),
        "signing": Hex32(*root.signing_seed().expose()),
        "vault": Hex32(*root.vault().expose()),
    }))
}

/// Computes the layer `key-file`.
pub(super) fn file(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        lines: Vec<String>,
        #[serde(default)]
        stretched: Option<Hex32>,
    }
    let given: Given = read(given)?;
    let file = KeyFile::parse(&given.lines.join("\n"))?;
    let Some(stretched) = given.stretched.map(|stretched| Secret::new(stretched.0)) else {
        let root = file.root(None).map_err(|trouble| crate::error::Error::Misuse(trouble.to_string()))?;
        return Ok(json!({ "public": file.public(), "root": Hex32(*root.expose()) }));
    };
    let root = file.root_by(&stretched)?;
    Ok(json!({
        "key": Hex32(*KeyFile::cipher_key(&stretched).expose()),
        "public": file.public(),
        "root": Hex32(*root.expose()),
    }))
}

/// Computes the layer `key-backup`.
pub(super) fn code(given: &Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        lines: Vec<String>,
    }
    let given: Given = read(given)?;
    Ok(json!({ "root": Hex32(*backup::read(&given.lines.join("\n"))?.expose()) }))
}
