//! A tar archive that moves a player's key, games and signing records to another computer. Its first part lists all
//! other parts with their hashes, and the archive may contain no others. The whole archive is read and checked once
//! before anything is unpacked.

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
    blob::{
        body::Hex32,
        frame::{FORMAT, another_format},
    },
    limits::{EXPORT_BYTES, EXPORT_PART_BYTES, EXPORT_PARTS},
    primitive::hash::file_hash,
};

/// The name of an archive's first part.
const MANIFEST: &str = "sealed-dice-export.json";
/// The folder in an archive for the machine's signing records.
const SIGNED: &str = "signed";
/// The name of the player's key file, in their folder and in an archive.
const KEY: &str = "key.txt";
/// The maximum number of names in a part's path, including the file name.
const DEPTH: usize = 8;

/// The list at the beginning of an archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The time of the export, in seconds since 1970.
    pub at: u64,
    /// The hash of each part, by its path.
    files: BTreeMap<String, Hex32>,
    /// The id that distinguishes this export from others.
    pub id: Hex32,
    /// The player's public key.
    pub key: Hex32,
    /// The number of the archive's format.
    v: u64,
}

/// The part of a manifest that every format has.
#[derive(Deserialize)]
struct Stated {
    v: u64,
}

/// Content to be written into an archive.
enum Content {
    File(PathBuf),
    Bytes(Vec<u8>),
}

impl Content {
    /// Returns the bytes, and the time when the file was written, in seconds since 1970 (0 if there is no file).
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
                "{} is larger than {EXPORT_PART_BYTES} bytes, which is too large for an export; move it elsewhere \
                 first",
                path.display()
            )));
        }
        Ok((bytes, written.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())))
    }
}

/// The parts to be moved, before they are written.
pub struct Parts(BTreeMap<String, Content>);

impl Parts {
    /// Collects the files in a player's folder, and this machine's signing records for the player's games.
    ///
    /// # Errors
    /// `Refused` for a link, for a name that some systems do not allow, or for too many files; `Unable` if the system
    /// reports an error.
    pub fn of(home: &Home, remembered: Vec<Remembered>) -> Result<Self, StorageError> {
        let mut parts = BTreeMap::new();
        for path in [home.key_file(), home.notes(), home.games(), home.withdrawn(), home.forgotten(), home.tables()] {
            gather(home.path(), &path, &mut parts)?;
        }
        let signed = |part: Remembered| (format!("{SIGNED}/{}", part.name()), Content::Bytes(part.bytes().to_vec()));
        parts.extend(remembered.into_iter().map(signed));
        match parts.len() > EXPORT_PARTS {
            true => Err(StorageError::Refused(format!(
                "your games have more than {EXPORT_PARTS} files, which is too many for an export; move some games \
                 elsewhere first"
            ))),
            false => Ok(Self(parts)),
        }
    }

    /// Makes the manifest of the archive.
    ///
    /// # Errors
    /// If a file cannot be read, or if one file or all files together are too large.
    pub fn manifest(&self, key: Hex32, id: Hex32, at: u64) -> Result<Manifest, StorageError> {
        let (mut files, mut bytes) = (BTreeMap::new(), 0_u64);
        for (name, content) in &self.0 {
            let (content, _) = content.read()?;
            // The 2,048 bytes allow for the part's headers and for the padding of its last block.
            bytes += content.len() as u64 + 2_048;
            files.insert(name.clone(), Hex32(file_hash(&content)));
        }
        match bytes > EXPORT_BYTES / 2 {
            true => Err(StorageError::Refused(format!(
                "your games are larger than {} bytes, which is too large for an export; move some games elsewhere \
                 first",
                EXPORT_BYTES / 2
            ))),
            false => Ok(Manifest { at, files, id, key, v: FORMAT }),
        }
    }

    /// Writes a new archive that only its owner can read: either the whole file appears under its name, or no file
    /// does. `before` is called when the file is on the disk but has no name yet.
    ///
    /// # Errors
    /// If the path exists already, the system refuses, or `before` fails.
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
                return Err(io::Error::other(format!("{name} changed during the export; type the command again")));
            }
            add(name, &bytes, written)?;
        }
        archive.into_inner()?.flush()
    }
}

/// Collects a file, or everything in a folder. Locks and unfinished files are left out.
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
            "{} is a link or not a regular file, so it cannot be exported; replace it with the file itself, or remove \
             it",
            path.display()
        )));
    }
    let names = path.strip_prefix(root).ok().and_then(Path::to_str);
    let name = names.map(|name| name.replace(std::path::MAIN_SEPARATOR, "/")).filter(|name| fits(name));
    let name = name.ok_or_else(|| {
        StorageError::Refused(format!(
            "{} has a name that some computers do not allow; rename the file, or move it elsewhere",
            path.display()
        ))
    })?;
    parts.insert(name, Content::File(path.to_owned()));
    Ok(())
}

/// Whether a part may have this path. The path must be valid on every system, and lie in a player's folder or in the
/// signing records.
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

/// An archive that was read once from beginning to end and found complete.
pub struct Export {
    path: PathBuf,
    /// The manifest of the archive.
    pub manifest: Manifest,
    /// The signing records of the other machine.
    pub remembered: Vec<Remembered>,
    /// Whether the key needs a passphrase.
    pub is_locked: bool,
    /// The key's fingerprint.
    pub fingerprint: String,
}

impl Export {
    /// Reads a whole archive, without writing anything.
    ///
    /// # Errors
    /// `Refused` with the fault, if the archive has one; `Unable` if it cannot be read.
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

    /// Returns the names of the games in the archive.
    #[must_use]
    pub fn games(&self) -> Vec<&str> {
        let names = self.manifest.files.keys().filter_map(|path| path.strip_prefix("games/")?.split('/').next());
        names.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Unpacks the archive as a player's folder: either the whole folder appears under its name, or nothing does.
    ///
    /// # Errors
    /// If the folder is not empty, or the system refuses.
    pub fn unpack(&self, home: &Home) -> Result<(), StorageError> {
        let home = home.path();
        let made = |error: io::Error| StorageError::with(home, "made", &error);
        let name = home.file_name().ok_or_else(|| made(io::ErrorKind::InvalidInput.into()))?;
        let above = home.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
        make_private(above).map_err(made)?;
        // Every try uses this name, so the leftovers of an import that died are found and removed.
        let unfinished = above.join(format!("{UNFINISHED}{}-{}", name.to_string_lossy(), self.manifest.id));
        let clear = || match fs::remove_dir_all(&unfinished) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(StorageError::with(&unfinished, "removed", &error))
            }
            _ => Ok(()),
        };
        clear()?;
        let unpacked = self.unpack_into(&unfinished).and_then(|()| {
            // Windows cannot rename a folder onto an existing one, even an empty one.
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
            return Err(wrong(&self.path, "it changed while it was read"));
        }
        folders.iter().try_for_each(|path| {
            atomic::flush_folder(path).map_err(|error| StorageError::with(path, "written", &error))
        })
    }
}

/// Writes a new file that only its owner can read. Its modification time becomes `written`, in seconds since 1970.
fn write_part(path: &Path, bytes: &[u8], written: u64) -> io::Result<()> {
    let mut options = File::options();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    if let Some(written) = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(written)) {
        // A time that this system cannot represent is ignored.
        let _ = file.set_modified(written);
    }
    file.sync_all()
}

/// Reads an archive from beginning to end, and calls `look` for each part after the first, with its path, its bytes,
/// and the time when it was written, in seconds since 1970.
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
        return Err(StorageError::Unable(format!("{} is not a file; name a file from `game export`", path.display())));
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
            return Err(wrong(path, &format!("{shown} in it is not a regular file")));
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
            return Err(wrong(path, &format!("{shown} in it does not match its list")));
        }
        if !seen.insert(name.clone()) {
            return Err(wrong(path, &format!("{shown} is in it twice")));
        }
        look(&name, bytes, written)?;
    }
    let manifest = manifest.ok_or_else(|| wrong(path, "it is empty"))?;
    match manifest.files.keys().find(|name| !seen.contains(*name)) {
        Some(lacks) => Err(wrong(path, &format!("{} is missing from it", lacks.escape_debug()))),
        None => Ok(manifest),
    }
}

/// Reads the manifest at the beginning of an archive.
fn read_manifest(path: &Path, name: &str, bytes: &[u8]) -> Result<Manifest, StorageError> {
    let stated: Option<Stated> = serde_json::from_slice(bytes).ok();
    if let Some(Stated { v }) = stated.filter(|stated| name == MANIFEST && stated.v != FORMAT) {
        return Err(StorageError::Refused(another_format(&path.display().to_string(), v)));
    }
    let manifest: Option<Manifest> = serde_json::from_slice(bytes).ok();
    let manifest = manifest.filter(|_| name == MANIFEST);
    let manifest = manifest.ok_or_else(|| wrong(path, "it does not begin with a list of its files"))?;
    if manifest.files.len() > EXPORT_PARTS {
        return Err(wrong(path, &format!("it lists more than {EXPORT_PARTS} files")));
    }
    match manifest.files.keys().find(|name| !fits(name)) {
        Some(outside) => {
            Err(wrong(path, &format!("it lists a file that does not belong in it: {}", outside.escape_debug())))
        }
        None => Ok(manifest),
    }
}

fn wrong(path: &Path, why: &str) -> StorageError {
    StorageError::Refused(format!(
        "{} is not a complete file from `game export`, and nothing was imported: {why}. Copy it again from the old \
         computer",
        path.display()
    ))
}
