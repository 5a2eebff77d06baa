//! Records that a player's key and games have moved from this machine to another one. While such a record exists,
//! nothing is signed with that key on this machine. The record is stored with the machine's signing records, so
//! restoring the player's folder from a backup does not remove it.
//!
//! **Sudden deaths.** An export records the move here before its file gets its name. So once there is a file to import,
//! nothing is signed here. If the export dies in between, typing it again writes an identical file. Before an import
//! writes anything, it records here that it has begun; when everything is in place, it removes that record. If the
//! import dies midway, nothing is signed until it has been typed again.

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

/// A move, as recorded on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// True if the key is arriving on this machine and its import is incomplete; false if the key has left.
    pub arrives: bool,
    /// The time of the export, in seconds since 1970.
    pub at: u64,
    /// The file that carries the export.
    pub file: String,
    /// The id that distinguishes this export from others.
    pub id: Hex32,
}

impl Move {
    /// Returns the move of a key, if this machine has recorded one.
    ///
    /// # Errors
    /// `Unable` if this machine has no place for records, or the file cannot be read; `Refused` if it is damaged.
    pub fn of(key: &Hex32) -> Result<Option<Self>, StorageError> {
        let path = path(key)?;
        match fs::read(&path) {
            Ok(text) => json::parse(&text).and_then(|tree| json::read(&tree)).map(Some).map_err(|_| {
                StorageError::Refused(format!(
                    "{} is damaged; it records that your key has moved to another computer. Play on there or, if the \
                     key has not moved, remove that file",
                    path.display()
                ))
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StorageError::with(&path, "read", &error)),
        }
    }

    /// Records the move of a key.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn note(&self, key: &Hex32) -> Result<(), StorageError> {
        let path = path(key)?;
        let written = |error: &io::Error| StorageError::with(&path, "written", error);
        let text = json::encode(self).map_err(|error| written(&io::Error::other(error.to_string())))?;
        atomic::replace(&path, (text + "\n").as_bytes(), true).map_err(|error| written(&error))
    }

    /// Removes the record of a key's move: from then on, this machine may sign with the key.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn end(key: &Hex32) -> Result<(), StorageError> {
        let path = path(key)?;
        let removed = fs::remove_file(&path).and_then(|()| path.parent().map_or(Ok(()), atomic::flush_folder));
        removed.map_err(|error| StorageError::with(&path, "removed", &error))
    }
}

/// Locks the record of a key's move for this process alone, until the returned file is dropped.
///
/// # Errors
/// If another process holds the lock, or the system refuses.
pub fn lock_moves(key: &Hex32) -> Result<File, StorageError> {
    let path = path(key)?;
    let folder = path.parent().map_or_else(PathBuf::new, PathBuf::from);
    make_private(&folder).map_err(|error| StorageError::with(&folder, "made", &error))?;
    lock(&path.with_extension("lock"), &path)
}

fn path(key: &Hex32) -> Result<PathBuf, StorageError> {
    Ok(state()?.join("moved").join(format!("{key}.txt")))
}
