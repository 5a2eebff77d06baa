//! That a player's key and games have moved from this machine to another one. As long as it says so here, nothing is
//! signed with that key on this machine. It lies beside what the machine remembers of what it signed, so that a
//! folder which comes back from a backup does not take it away.
//!
//! **Sudden deaths.** An export says here that all has moved before its file gets its name: until then nobody has a
//! file to import, and from then on nothing is signed here. Where it dies in between, the export is typed again, and
//! writes what is the same export. An import says here that it has begun before it writes anything, and takes that
//! back when all is in its place: where it dies, nothing is signed before it has been typed again.

use std::{
    fs::{self, File},
    io,
    path::PathBuf,
};

use serde::{Deserialize, Serialize};

use super::{
    StorageError, atomic,
    home::{lock, make_private},
    signing_journal::state,
};
use crate::blob::{body::Hex32, json};

/// A move, as this machine notes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// Whether it comes to this machine and is not whole yet; else it has left it.
    pub arrives: bool,
    /// When it was exported, in seconds since 1970.
    pub at: u64,
    /// The file that it goes by.
    pub file: String,
    /// What tells it from other exports.
    pub id: Hex32,
}

impl Move {
    /// The move of a key that is noted on this machine.
    ///
    /// # Errors
    /// `Unable` if this machine has no place for it, or the file cannot be read; `Refused` if it is damaged.
    pub fn of(key: &Hex32) -> Result<Option<Self>, StorageError> {
        let path = path(key)?;
        match fs::read(&path) {
            Ok(text) => json::parse(&text).and_then(|tree| json::read(&tree)).map(Some).map_err(|_| {
                StorageError::Refused(format!(
                    "{} is damaged, in which this machine remembers that your key has moved to another computer: play \
                     on there. If it has not moved, remove that file",
                    path.display()
                ))
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StorageError::with(&path, "read", &error)),
        }
    }

    /// Notes it for a key.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn note(&self, key: &Hex32) -> Result<(), StorageError> {
        let path = path(key)?;
        let written = |error: &io::Error| StorageError::with(&path, "written", error);
        let text = json::encode(self).map_err(|error| written(&io::Error::other(error.to_string())))?;
        atomic::replace(&path, (text + "\n").as_bytes(), true).map_err(|error| written(&error))
    }

    /// Takes back what is noted for a key: it is at home on this machine.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn end(key: &Hex32) -> Result<(), StorageError> {
        let path = path(key)?;
        let removed = fs::remove_file(&path).and_then(|()| path.parent().map_or(Ok(()), atomic::flush_folder));
        removed.map_err(|error| StorageError::with(&path, "removed", &error))
    }
}

/// Takes the moves of a key for this process alone, until it is dropped.
///
/// # Errors
/// If another process has them, or the system refuses.
pub fn lock_moves(key: &Hex32) -> Result<File, StorageError> {
    let path = path(key)?;
    let folder = path.parent().map_or_else(PathBuf::new, PathBuf::from);
    make_private(&folder).map_err(|error| StorageError::with(&folder, "made", &error))?;
    lock(&path.with_extension("lock"), &path)
}

fn path(key: &Hex32) -> Result<PathBuf, StorageError> {
    Ok(state()?.join("moved").join(format!("{key}.txt")))
}
