//! The one file in which a player's key, games and what their machine remembers go to another computer: a tar
//! archive. Its first part lists all others with their hashes. Nothing else may be in it, and nothing of it is
//! written before all of it was read once.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::{self, BufReader, BufWriter, Read, Write},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};
use tar::{Archive, Builder, EntryType, Header};

use super::{
    StorageError,
    atomic::{self, UNFINISHED},
    home::{Home, make_private},
    key_file::KeyFile,
    signing_journal::Remembered,
};
use crate::{
    blob::body::Hex32,
    limits::{EXPORT_BYTES, EXPORT_PART_BYTES, EXPORT_PARTS},
    primitive::hash::file_hash,
};

/// The first part of an archive.
const MANIFEST: &str = "sealed-dice-export.json";
/// The folder, in an archive, of what a machine remembers.
const SIGNED: &str = "signed";
/// The player's key file, in their folder and in an archive.
const KEY: &str = "key.txt";
/// How deep folders go in a player's own.
const DEPTH: usize = 8;

/// What an archive says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// When it was exported, in seconds since 1970.
    pub at: u64,
    /// The hash of each part, by its path.
    files: BTreeMap<String, Hex32>,
    /// What tells it from other exports.
    pub id: Hex32,
    /// The player's public key.
    pub key: Hex32,
    /// The version of the archive format: 1.
    v: u64,
}

/// Something to be written into an archive.
enum Content {
    File(PathBuf),
    Bytes(Vec<u8>),
}

impl Content {
    /// The bytes, and when they were written, in seconds since 1970.
    fn read(&self) -> Result<(Vec<u8>, u64), StorageError> {
        let Self::File(path) = self else {
            return Ok((if let Self::Bytes(bytes) = self { bytes.clone() } else { Vec::new() }, 0));
        };
        let unread = |error: io::Error| StorageError::with(path, "read", &error);
        let file = File::open(path).map_err(unread)?;
        let written = file.metadata().and_then(|about| about.modified()).map_err(unread)?;
        let mut bytes = Vec::new();
        file.take(EXPORT_PART_BYTES + 1).read_to_end(&mut bytes).map_err(unread)?;
        if bytes.len() as u64 > EXPORT_PART_BYTES {
            return Err(StorageError::Refused(format!(
                "{} is larger than {EXPORT_PART_BYTES} bytes, and does not fit into an export; move it elsewhere first",
                path.display()
            )));
        }
        Ok((bytes, written.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())))
    }
}

/// All that moves, before it is written.
pub struct Parts(BTreeMap<String, Content>);

impl Parts {
    /// What is in a player's folder, with what this machine remembers of its games.
    ///
    /// # Errors
    /// `Refused` for links, and for names that not every system has; and what the system says.
    pub fn of(home: &Home, remembered: Vec<Remembered>) -> Result<Self, StorageError> {
        let mut parts = BTreeMap::new();
        for path in [home.key_file(), home.notes(), home.games(), home.withdrawn(), home.forgotten(), home.tables()] {
            gather(home.path(), &path, &mut parts)?;
        }
        let signed = |part: Remembered| (format!("{SIGNED}/{}", part.name()), Content::Bytes(part.bytes().to_vec()));
        parts.extend(remembered.into_iter().map(signed));
        match parts.len() > EXPORT_PARTS {
            true => Err(StorageError::Refused(format!("more than {EXPORT_PARTS} files do not fit into an export"))),
            false => Ok(Self(parts)),
        }
    }

    /// What the archive will say of itself.
    ///
    /// # Errors
    /// If a file cannot be read or is too large, or all of them together are.
    pub fn manifest(&self, key: Hex32, id: Hex32, at: u64) -> Result<Manifest, StorageError> {
        let (mut files, mut bytes) = (BTreeMap::new(), 0_u64);
        for (name, content) in &self.0 {
            let (content, _) = content.read()?;
            // The headers of a part, and what fills its last block.
            bytes += content.len() as u64 + 2_048;
            files.insert(name.clone(), Hex32(file_hash(&content)));
        }
        match bytes > EXPORT_BYTES / 2 {
            true => Err(StorageError::Refused(format!(
                "your games are larger than the {} bytes that fit into an export",
                EXPORT_BYTES / 2
            ))),
            false => Ok(Manifest { at, files, id, key, v: 1 }),
        }
    }

    /// Writes a new archive, for its owner's eyes: all of it under its name, or nothing. `before` is called when it
    /// lies on the disk, and has no name yet.
    ///
    /// # Errors
    /// If there is something under the name, or the system or `before` refuses.
    pub fn write(
        &self,
        path: &Path,
        manifest: &Manifest,
        before: &dyn Fn() -> Result<(), StorageError>,
    ) -> Result<(), StorageError> {
        let written = atomic::write_new_by(path, true, &|file| {
            self.write_to(file, manifest)?;
            file.sync_all()?;
            before().map_err(|trouble| io::Error::other(trouble.to_string()))
        });
        written.map_err(|error| StorageError::with(path, "written", &error))
    }

    fn write_to(&self, file: &mut File, manifest: &Manifest) -> io::Result<()> {
        let mut archive = Builder::new(BufWriter::new(file));
        let mut add = |name: &str, bytes: &[u8], written: u64| {
            let mut header = Header::new_gnu();
            header.set_entry_type(EntryType::Regular);
            header.set_mode(0o600);
            header.set_mtime(written);
            header.set_size(bytes.len() as u64);
            archive.append_data(&mut header, name, bytes)
        };
        add(MANIFEST, &serde_json::to_vec(manifest)?, manifest.at)?;
        for (name, content) in &self.0 {
            let (bytes, written) = content.read().map_err(|trouble| io::Error::other(trouble.to_string()))?;
            if manifest.files.get(name) != Some(&Hex32(file_hash(&bytes))) {
                return Err(io::Error::other(format!("{name} has changed meanwhile")));
            }
            add(name, &bytes, written)?;
        }
        archive.into_inner()?.flush()
    }
}

/// Takes in a file, or what is below a folder. Locks and files that were never finished are left out.
fn gather(root: &Path, path: &Path, parts: &mut BTreeMap<String, Content>) -> Result<(), StorageError> {
    let about = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        about => about.map_err(|error| StorageError::with(path, "read", &error))?,
    };
    let file_name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if about.is_dir() {
        let entries = fs::read_dir(path).map_err(|error| StorageError::with(path, "read", &error))?;
        for entry in entries {
            gather(root, &entry.map_err(|error| StorageError::with(path, "read", &error))?.path(), parts)?;
        }
        return Ok(());
    }
    if file_name == "lock" || file_name.starts_with(UNFINISHED) {
        return Ok(());
    }
    if !about.is_file() {
        return Err(StorageError::Refused(format!(
            "{} is a link, or no plain file, and does not move; put the file itself there, or take it away",
            path.display()
        )));
    }
    let names = path.strip_prefix(root).ok().and_then(Path::to_str);
    let name = names.map(|name| name.replace(std::path::MAIN_SEPARATOR, "/")).filter(|name| fits(name));
    let name = name.ok_or_else(|| {
        StorageError::Refused(format!(
            "{} has a name that not every computer can have; give the file another one, or move it elsewhere",
            path.display()
        ))
    })?;
    parts.insert(name, Content::File(path.to_owned()));
    Ok(())
}

/// Whether a part may have this path: below a player's folder or among what a machine remembers, and nowhere else, on
/// any system.
fn fits(path: &str) -> bool {
    let is_plain = |name: &str| {
        !name.is_empty()
            && !name.starts_with(UNFINISHED)
            && !name.ends_with(['.', ' '])
            && name.chars().all(|c| !c.is_control() && !r#"\:*?"<>|"#.contains(c))
    };
    let names: Vec<&str> = path.split('/').collect();
    names.len() <= DEPTH
        && names.iter().all(|name| is_plain(name))
        && match names.as_slice() {
            [file] => [KEY, "notes.txt"].contains(file),
            [folder, ..] => [SIGNED, "games", "forgotten", "tables", "withdrawn"].contains(folder),
            [] => false,
        }
}

/// An archive that was read once from its beginning to its end, and is whole.
pub struct Export {
    path: PathBuf,
    /// What it says of itself.
    pub manifest: Manifest,
    /// What the other machine remembered.
    pub remembered: Vec<Remembered>,
    /// Whether a passphrase is needed for the key.
    pub is_locked: bool,
    /// The key's fingerprint.
    pub fingerprint: String,
}

impl Export {
    /// Reads all of an archive, and writes nothing.
    ///
    /// # Errors
    /// `Refused` with what is wrong with it; `Unable` if it cannot be read.
    pub fn open(path: &Path) -> Result<Self, StorageError> {
        let (mut remembered, mut key) = (Vec::new(), None);
        let manifest = walk(path, |name, bytes, _| {
            if let Some(name) = name.strip_prefix(&format!("{SIGNED}/")) {
                let part = Remembered::parse(name, bytes).ok_or_else(|| wrong(path, &format!("{name} is damaged")))?;
                remembered.push(part);
            } else if name == KEY {
                key = String::from_utf8(bytes).ok().and_then(|text| KeyFile::parse(&text).ok());
            }
            Ok(())
        })?;
        let key = key.filter(|key| key.public() == manifest.key);
        let key = key.ok_or_else(|| wrong(path, "its key is missing or damaged"))?;
        let (is_locked, fingerprint) = (key.is_protected(), key.fingerprint());
        Ok(Self { path: path.to_owned(), manifest, remembered, is_locked, fingerprint })
    }

    /// The names of the games in it.
    #[must_use]
    pub fn games(&self) -> Vec<&str> {
        let names = self.manifest.files.keys().filter_map(|path| path.strip_prefix("games/")?.split('/').next());
        names.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Makes a player's folder of it: all of it under its name, or nothing.
    ///
    /// # Errors
    /// If there is something in the folder already, or the system refuses.
    pub fn unpack(&self, home: &Home) -> Result<(), StorageError> {
        let home = home.path();
        let made = |error: io::Error| StorageError::with(home, "made", &error);
        let name = home.file_name().ok_or_else(|| made(io::ErrorKind::InvalidInput.into()))?;
        let above = home.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
        make_private(above).map_err(made)?;
        // What an import that died has left is known by its name.
        let unfinished = above.join(format!("{UNFINISHED}{}-{}", name.to_string_lossy(), self.manifest.id));
        let clear = || match fs::remove_dir_all(&unfinished) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(StorageError::with(&unfinished, "removed", &error))
            }
            _ => Ok(()),
        };
        clear()?;
        let unpacked = self.unpack_into(&unfinished).and_then(|()| {
            // Windows gives no folder the name of another one, an empty one neither.
            #[cfg(windows)]
            let _ = fs::remove_dir(home);
            fs::rename(&unfinished, home).and_then(|()| atomic::flush_folder(above)).map_err(made)
        });
        if unpacked.is_err() {
            clear()?;
        }
        unpacked
    }

    fn unpack_into(&self, folder: &Path) -> Result<(), StorageError> {
        let mut folders = BTreeSet::from([folder.to_owned()]);
        make_private(folder).map_err(|error| StorageError::with(folder, "made", &error))?;
        let manifest = walk(&self.path, |name, bytes, written| {
            if name.starts_with(&format!("{SIGNED}/")) {
                return Ok(());
            }
            let path = folder.join(name);
            let within = path.parent().unwrap_or(folder).to_owned();
            make_private(&within).map_err(|error| StorageError::with(&within, "made", &error))?;
            folders.extend(within.ancestors().take_while(|above| *above != folder).map(Path::to_owned));
            write_part(&path, &bytes, written).map_err(|error| StorageError::with(&path, "written", &error))
        })?;
        if manifest != self.manifest {
            return Err(wrong(&self.path, "it has changed meanwhile"));
        }
        folders.iter().try_for_each(|path| {
            atomic::flush_folder(path).map_err(|error| StorageError::with(path, "written", &error))
        })
    }
}

/// Writes a file that is not there yet, for its owner alone, with the time that it had.
fn write_part(path: &Path, bytes: &[u8], written: u64) -> io::Result<()> {
    let mut options = File::options();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    if let Some(written) = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(written)) {
        // A time that this system does not have is none to keep.
        let _ = file.set_modified(written);
    }
    file.sync_all()
}

/// Reads an archive from its beginning to its end, and shows each part behind the first with its path, its bytes, and
/// when they were written.
fn walk(
    path: &Path,
    mut look: impl FnMut(&str, Vec<u8>, u64) -> Result<(), StorageError>,
) -> Result<Manifest, StorageError> {
    let unread = |error: io::Error| match error.raw_os_error() {
        Some(_) => StorageError::with(path, "read", &error),
        None => wrong(path, &error.to_string()),
    };
    let file = File::open(path).map_err(unread)?;
    let about = file.metadata().map_err(unread)?;
    if !about.is_file() {
        return Err(StorageError::Unable(format!("{} is no file", path.display())));
    }
    if about.len() > EXPORT_BYTES {
        return Err(wrong(path, &format!("it is larger than {EXPORT_BYTES} bytes")));
    }
    let mut archive = Archive::new(BufReader::new(file.take(EXPORT_BYTES)));
    let mut manifest: Option<Manifest> = None;
    let mut seen = BTreeSet::new();
    for entry in archive.entries().map_err(unread)? {
        let mut entry = entry.map_err(unread)?;
        let name = std::str::from_utf8(&entry.path_bytes()).map(str::to_owned);
        let name = name.map_err(|_| wrong(path, "a name in it is not UTF-8"))?;
        let shown = name.escape_debug();
        if entry.header().entry_type() != EntryType::Regular {
            return Err(wrong(path, &format!("{shown} in it is no plain file")));
        }
        if entry.size() > EXPORT_PART_BYTES {
            return Err(wrong(path, &format!("{shown} in it is larger than {EXPORT_PART_BYTES} bytes")));
        }
        let written = entry.header().mtime().unwrap_or_default();
        let mut bytes = Vec::new();
        (&mut entry).take(EXPORT_PART_BYTES + 1).read_to_end(&mut bytes).map_err(unread)?;
        if bytes.len() as u64 != entry.size() {
            return Err(wrong(path, &format!("{shown} in it is cut off")));
        }
        let Some(manifest) = &manifest else {
            manifest = Some(read_manifest(path, &name, &bytes)?);
            continue;
        };
        if manifest.files.get(&name) != Some(&Hex32(file_hash(&bytes))) {
            return Err(wrong(path, &format!("{shown} in it is not what its list says")));
        }
        if !seen.insert(name.clone()) {
            return Err(wrong(path, &format!("{shown} is in it twice")));
        }
        look(&name, bytes, written)?;
    }
    let manifest = manifest.ok_or_else(|| wrong(path, "it is empty"))?;
    match manifest.files.keys().find(|name| !seen.contains(*name)) {
        Some(lacks) => Err(wrong(path, &format!("{} is missing in it", lacks.escape_debug()))),
        None => Ok(manifest),
    }
}

/// The list that an archive begins with.
fn read_manifest(path: &Path, name: &str, bytes: &[u8]) -> Result<Manifest, StorageError> {
    let manifest: Option<Manifest> = serde_json::from_slice(bytes).ok();
    let manifest = manifest.filter(|manifest| name == MANIFEST && manifest.v == 1);
    let manifest = manifest.ok_or_else(|| wrong(path, "it does not begin as one"))?;
    if manifest.files.len() > EXPORT_PARTS {
        return Err(wrong(path, &format!("it lists more than {EXPORT_PARTS} files")));
    }
    match manifest.files.keys().find(|name| !fits(name)) {
        Some(outside) => {
            Err(wrong(path, &format!("it lists a file that belongs elsewhere: {}", outside.escape_debug())))
        }
        None => Ok(manifest),
    }
}

fn wrong(path: &Path, why: &str) -> StorageError {
    StorageError::Refused(format!(
        "{} is no whole file of `game export`, and nothing was taken over: {why}. Copy it again from the old computer",
        path.display()
    ))
}
