//! The file that `--out` names: it is a new one, so that no letter is lost that nobody has mailed yet.

use std::{fs, io, path::Path};

use super::{Answer, Told};
use crate::keep::atomic;

/// That the file for a mail is a new one, before anything is signed.
pub(super) fn check(path: &Path) -> Told<()> {
    if is_taken(path) {
        return Err(taken(path, "nothing is signed; name another file, or remove that one"));
    }
    match path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        Some(folder) => Err(Answer::unable(format!("there is no folder {}; nothing is signed", folder.display()))),
        None => Ok(()),
    }
}

/// Writes a mail to a new file, whole. One that holds this very mail is as good; a device or a pipe takes it as it comes.
pub(super) fn write(path: &Path, content: &[u8]) -> Told<()> {
    let written = match is_taken(path) {
        true if fs::read(path).is_ok_and(|old| old == content) => return Ok(()),
        true => Err(io::ErrorKind::AlreadyExists.into()),
        false if path.exists() => fs::write(path, content),
        false => atomic::write_new(path, content, false),
    };
    written.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => taken(path, "name another file, or remove that one"),
        _ => Answer::unable(format!(
            "{} cannot be written: {error}; the letters are kept, `sealed-dice resend` prints them",
            path.display()
        )),
    })
}

/// Whether a mail would be written over something: a device or a pipe is none.
fn is_taken(path: &Path) -> bool {
    path.symlink_metadata().is_ok() && !fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir())
}

fn taken(path: &Path, then: &str) -> Answer {
    Answer::refused(format!("{} is there already, and may hold a letter: {then}", path.display()))
}
