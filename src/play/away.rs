//! Whether a player's key has moved to another machine, in which case nothing is signed here.

use std::path::Path;

use super::typing::{Typing, quoted};
use crate::{
    keep::{StorageError, home::Home, key_file::KeyFile, moved::Move},
    report::{text::visible, words::date},
};

/// Checks that a player's key belongs on this machine.
///
/// # Errors
/// `Refused` if the key has moved, or an import of it is incomplete.
pub fn check(home: &Home) -> Result<(), StorageError> {
    let key = KeyFile::open(&home.key_file())?.public();
    match Move::of(&key)? {
        Some(moved) => Err(StorageError::Refused(told(&moved, &Typing::of(home, "", true)))),
        None => Ok(()),
    }
}

/// Returns the message for a machine from which a key has moved.
pub(super) fn told(moved: &Move, typing: &Typing) -> String {
    let import = typing.command(&format!("game import {}", quoted(Path::new(&moved.file))));
    let (file, at) = (visible(&moved.file), date(moved.at));
    match moved.arrives {
        true => format!(
            "the import of {file} was interrupted, and this computer signs nothing until it is complete. Type it \
             again:  {import}"
        ),
        false => format!(
            "your key and games were exported from this computer to {file} at {at}, and it no longer signs anything: \
             play on the new computer. If that file was never imported anywhere, import it here:  {import}"
        ),
    }
}
