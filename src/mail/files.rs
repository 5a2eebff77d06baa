//! Finding the files below a path.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Lists the regular files below a folder, in the order of their names, without following links to folders. An
/// unreadable folder is fatal only if it is the one requested; others are reported in `talk`. In a maildir, `tmp` is
/// skipped, because its contents have not arrived yet.
///
/// # Errors
/// A message for the user, if the folder cannot be read.
pub fn files_below(folder: &Path, talk: &mut Vec<String>) -> Result<Vec<PathBuf>, String> {
    let unreadable = |error: io::Error| format!("{} cannot be read: {error}", folder.display());
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut entries = entries.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    entries.sort_by_key(fs::DirEntry::path);
    let has = |name: &str| entries.iter().any(|entry| entry.file_name() == name);
    let is_maildir = has("cur") && has("new");
    let mut files = Vec::new();
    for entry in &entries {
        let path = entry.path();
        // `file_type` does not follow links but `is_file` does: a link to a file is read, a link to a folder is not.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && is_maildir && entry.file_name() == "tmp" => {}
            Ok(kind) if kind.is_dir() => match files_below(&path, talk) {
                Ok(more) => files.extend(more),
                Err(why) => talk.push(why),
            },
            _ if path.is_file() => files.push(path),
            _ => {}
        }
    }
    Ok(files)
}
