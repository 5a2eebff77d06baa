//! The folder of `audit --files`: looks for the files that letters name, and compares lengths and hashes.
//!
//! Other people wrote the names in letters, so no name is ever opened as a path. The folder is listed first, without
//! following links, and the names are compared with that list. So nothing outside the folder can be read.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use crate::{
    blob::body::{FileHash, Hex32},
    game::audit::Replay,
    primitive::hash::FileHasher,
    report::files::{FileCheck, Found, named},
};

/// A file in the folder.
struct Entry {
    path: PathBuf,
    /// The file's path below the folder, with `/` between the parts.
    below: String,
    length: u64,
}

/// A folder whose files were listed.
pub(super) struct Folder {
    files: Vec<Entry>,
    /// The positions of files in `files`, by their name and by their path below the folder.
    by_name: HashMap<String, Vec<usize>>,
    by_length: HashMap<u64, Vec<usize>>,
    /// The hashes computed so far, by the positions of the files; `None` for a file that cannot be read.
    hashes: Mutex<HashMap<usize, Option<Hex32>>>,
}

impl Folder {
    /// Lists the regular files below a folder. Links in it are skipped. Folders in it that cannot be listed are skipped
    /// too, and reported in `talk`.
    pub(super) fn list(folder: &Path, talk: &mut Vec<String>) -> Result<Self, String> {
        let mut files = Vec::new();
        list(folder, "", &mut files, talk)?;
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        let mut by_length: HashMap<u64, Vec<usize>> = HashMap::new();
        for (i, entry) in files.iter().enumerate() {
            by_name.entry(entry.below.clone()).or_default().push(i);
            if let Some((_, name)) = entry.below.rsplit_once('/') {
                by_name.entry(name.to_owned()).or_default().push(i);
            }
            by_length.entry(entry.length).or_default().push(i);
        }
        Ok(Self { files, by_name, by_length, hashes: Mutex::default() })
    }

    /// Looks for every file that a game's declarations name.
    pub(super) fn check_all(&self, replay: &Replay<'_>) -> Vec<FileCheck> {
        named(replay).map(|(declaration, slot, file)| self.check(declaration, slot, file)).collect()
    }

    fn check(&self, declaration: Hex32, slot: String, file: &FileHash) -> FileCheck {
        let (found, at) = self.find(file);
        let path = at.and_then(|i| self.files.get(i)).map(|entry| entry.below.clone());
        let FileHash { length, name, sha3_256 } = file.clone();
        FileCheck { declaration, found, length, name, path, sha3_256, slot }
    }

    /// Looks for a file with this name and then, because it may have been renamed, for any other file of this length.
    fn find(&self, file: &FileHash) -> (Found, Option<usize>) {
        let named = self.by_name.get(&file.name).map_or([].as_slice(), Vec::as_slice);
        let of_length = self.by_length.get(&file.length).map_or([].as_slice(), Vec::as_slice);
        let mut unreadable = None;
        for i in named.iter().filter(|i| of_length.contains(i)).chain(of_length) {
            match self.hash(*i) {
                Some(hash) if hash == file.sha3_256 => return (Found::Right, Some(*i)),
                None if named.contains(i) => unreadable = Some(*i),
                _ => {}
            }
        }
        match (unreadable, named.first()) {
            (Some(i), _) => (Found::Unreadable, Some(i)),
            (None, Some(i)) => (Found::Different, Some(*i)),
            (None, None) => (Found::Missing, None),
        }
    }

    fn hash(&self, i: usize) -> Option<Hex32> {
        let mut hashes = self.hashes.lock().unwrap_or_else(PoisonError::into_inner);
        *hashes.entry(i).or_insert_with(|| self.files.get(i).and_then(|entry| hash(&entry.path).ok()))
    }
}

fn list(folder: &Path, below: &str, files: &mut Vec<Entry>, talk: &mut Vec<String>) -> Result<(), String> {
    let unreadable = |error: io::Error| format!("{} cannot be listed: {error}", folder.display());
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut entries = entries.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let below = format!("{below}{}", entry.file_name().to_string_lossy());
        // Neither `file_type` nor `metadata` of an entry follows links.
        match (entry.file_type(), entry.metadata()) {
            (Ok(kind), _) if kind.is_dir() => {
                if let Err(why) = list(&path, &format!("{below}/"), files, talk) {
                    talk.push(why);
                }
            }
            (Ok(kind), Ok(meta)) if kind.is_file() => files.push(Entry { path, below, length: meta.len() }),
            _ => {}
        }
    }
    Ok(())
}

/// Hashes a file of any size, piece by piece.
fn hash(path: &Path) -> io::Result<Hex32> {
    let mut file = File::open(path)?;
    let mut hasher = FileHasher::default();
    let mut piece = vec![0; 1 << 16];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(Hex32(hasher.finish())),
            Ok(length) => hasher.update(piece.get(..length).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
