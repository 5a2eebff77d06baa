//! Files that letters name for their moves (`protocol/letters.md`, declare: moves), and whether they were found.

use serde::Serialize;

use crate::{
    blob::{
        Body,
        body::{FileHash, Hex32, Moves},
    },
    game::audit::Replay,
};

/// The result of looking for a file that a letter names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// A file with this length and hash exists.
    Right,
    /// A file with this name exists, but its length or hash differs from the signed one.
    Different,
    /// No file with this name or this hash was found.
    Missing,
    /// A file with this name exists but cannot be read.
    Unreadable,
}

/// A file that a letter names, and the result of looking for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileCheck {
    /// Id of the declaration that names the file.
    pub declaration: Hex32,
    /// Whether the file was found, and whether it is the signed one.
    pub found: Found,
    /// Length in bytes, as stated in the letter.
    pub length: u64,
    /// Name of the file, as stated in the letter: somebody's text, which must never be opened as a path.
    pub name: String,
    /// Path of the file, relative to the folder that was searched.
    pub path: Option<String>,
    /// Plain SHA3-256, as stated in the letter.
    pub sha3_256: Hex32,
    /// The slot of the declaration.
    pub slot: String,
}

impl FileCheck {
    /// Describes the result in a sentence.
    #[must_use]
    pub fn told(&self) -> String {
        let path = self.path.as_deref().unwrap_or_default();
        match self.found {
            Found::Right if path == self.name => "found, identical to the signed file".into(),
            Found::Right => format!("found as {path}, identical to the signed file"),
            Found::Different => {
                format!("{path} differs in length or hash from the signed file: ask for the file again")
            }
            Found::Missing => "not found by name or by hash: ask for the file".into(),
            Found::Unreadable => format!("{path} cannot be read: check its permissions"),
        }
    }
}

/// Returns every file that the placed declarations of a game name, in the order of replay.
///
/// # Examples
///
/// Lists the files that a reader must look for; here the moves are in words:
///
/// ```
/// use sealed_dice::{game::audit::{Games, Read}, report::files::named};
///
/// let read = Read::all(include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/one-roll.txt")), "a mail");
/// let games = Games::sort(&read);
/// let (_, files) = games.jobs()[0].run_with(|_, game| game.map(|game| named(game).count()));
/// assert_eq!(files, Some(0));
/// ```
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
