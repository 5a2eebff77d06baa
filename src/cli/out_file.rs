//! Files that an option names, such as `--out`. Such a file must be new, so that nothing is lost, least of all a letter
//! that nobody has mailed yet.

use std::{fs, io, path::Path};

use crate::keep::{StorageError, atomic};

/// Checks that a file is new, before anything is signed or computed for it.
pub(super) fn check(path: &Path) -> Result<(), StorageError> {
    if is_taken(path) {
        return Err(taken(path, "nothing was done; name another file, or remove that one"));
    }
    match path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        Some(folder) => Err(StorageError::Unable(format!(
            "the folder {} does not exist, and nothing was done; make it, or name another file",
            folder.display()
        ))),
        None => Ok(()),
    }
}

/// Writes a new file in one step. A file that already has this content is left alone, and a device or a pipe is written
/// to directly. `then` says what to do if the system refuses.
pub(super) fn write(path: &Path, content: &[u8], then: &str) -> Result<(), StorageError> {
    let written = match is_taken(path) {
        true if fs::read(path).is_ok_and(|old| old == content) => return Ok(()),
        true => Err(io::ErrorKind::AlreadyExists.into()),
        false if path.exists() => fs::write(path, content),
        false => atomic::write_new(path, content, false),
    };
    written.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => taken(path, "name another file, or remove that one"),
        _ => StorageError::Unable(format!("{} cannot be written: {error}; {then}", path.display())),
    })
}

/// Whether writing would replace something; this is false for a device or a pipe.
fn is_taken(path: &Path) -> bool {
    path.symlink_metadata().is_ok() && !fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir())
}

fn taken(path: &Path, then: &str) -> StorageError {
    StorageError::Refused(format!("{} exists already, and may contain a letter: {then}", path.display()))
}
