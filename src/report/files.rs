//! Files that letters name for their moves (`protocol/letters.md`, declare: moves), and what was found of them.

use serde::Serialize;

use crate::{
    blob::{
        Body,
        body::{FileHash, Hex32, Moves},
    },
    game::audit::Replay,
};

/// What was found of a file that a letter names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// A file of this length and hash is there.
    Right,
    /// A file of this name is there, of another length or hash: it is not the one that was signed.
    Different,
    /// Neither this name nor this hash is there.
    Missing,
    /// A file of this name is there and cannot be read.
    Unreadable,
}

/// A file that a letter names, and what was found of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileCheck {
    /// Id of the declaration that names the file.
    pub declaration: Hex32,
    /// What was found.
    pub found: Found,
    /// Bytes, as the letter says.
    pub length: u64,
    /// Its name, as the letter says: somebody's text, and never a path to be opened.
    pub name: String,
    /// Where it was found, below the folder that was searched.
    pub path: Option<String>,
    /// Plain SHA3-256, as the letter says.
    pub sha3_256: Hex32,
    /// The slot of the declaration.
    pub slot: String,
}

impl FileCheck {
    /// What was found, in a sentence.
    #[must_use]
    pub fn told(&self) -> String {
        let path = self.path.as_deref().unwrap_or_default();
        match self.found {
            Found::Right if path == self.name => "found, and it is the one that was signed".into(),
            Found::Right => format!("found as {path}, and it is the one that was signed"),
            Found::Different => {
                format!(
                    "not there; {path} has another length or hash and is not what was signed: ask for the file again"
                )
            }
            Found::Missing => "not there, neither by name nor by hash: ask for the file".into(),
            Found::Unreadable => format!("{path} cannot be read"),
        }
    }
}

/// Every file that the placed declarations of a game name, in the order of replay.
pub fn named<'r>(replay: &Replay<'r>) -> impl Iterator<Item = (Hex32, String, &'r FileHash)> {
    replay.order.nodes.iter().flat_map(|node| {
        let (slot, files) = match node.message.body() {
            Body::Declare(declare) => match &declare.moves {
                Moves::Files(files) => (declare.slot.to_string(), files.as_slice()),
                _ => (String::new(), [].as_slice()),
            },
            _ => (String::new(), [].as_slice()),
        };
        files.iter().map(move |file| (node.id(), slot.clone(), file))
    })
}
