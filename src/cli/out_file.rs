//! A file that an option names, such as `--out`: it is a new one, so that nothing is lost, a letter that nobody has
//! mailed yet least of all.

use std::{fs, io, path::Path};

use crate::keep::{StorageError, atomic};

/// That the file is a new one, before anything is signed or computed for it.
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

/// Writes a new file, whole. One that holds just this is as good; a device or a pipe takes it as it comes. `then` says
/// what to do if the system refuses.
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

/// Whether something would be written over: a device or a pipe is none.
fn is_taken(path: &Path) -> bool {
    path.symlink_metadata().is_ok() && !fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir())
}

fn taken(path: &Path, then: &str) -> StorageError {
    StorageError::Refused(format!("{} exists already, and may contain a letter: {then}", path.display()))
}
