//! All keys of a player: the present one, those before it, and the next one while a rotation is under way. Old ones are
//! kept for life: what was sealed under them is opened with them.

use std::fs;

use super::{Trouble, home::Home, key_file::KeyFile, root::Keys};
use crate::{blob::body::Hex32, primitive::passphrase::Passphrase};

/// A player's key files, the present one first.
#[derive(Clone, Debug)]
pub struct KeyRing(Vec<KeyFile>);

impl KeyRing {
    /// Opens all of them.
    ///
    /// # Errors
    /// As [`KeyFile::open`].
    pub fn open(home: &Home) -> Result<Self, Trouble> {
        let mut files = vec![KeyFile::open(&home.key_file())?];
        if home.next_key_file().exists() {
            files.push(KeyFile::open(&home.next_key_file())?);
        }
        let folder = home.old_keys();
        if folder.exists() {
            let unreadable = |error| Trouble::with(&folder, "read", &error);
            let entries = fs::read_dir(&folder).map_err(unreadable)?;
            let mut paths = Vec::new();
            for entry in entries {
                paths.push(entry.map_err(unreadable)?.path());
            }
            paths.sort();
            for path in paths.iter().filter(|path| path.extension().is_some_and(|ext| ext == "txt")) {
                files.push(KeyFile::open(path)?);
            }
        }
        Ok(Self(files))
    }

    /// The public keys, the present one first.
    pub fn publics(&self) -> impl Iterator<Item = Hex32> {
        self.0.iter().map(KeyFile::public)
    }

    /// Whether a passphrase is needed.
    #[must_use]
    pub fn is_protected(&self) -> bool {
        self.0.iter().any(KeyFile::is_protected)
    }

    /// All keys, the present ones first. One passphrase is for all of them.
    ///
    /// # Errors
    /// As [`KeyFile::unlock`].
    pub fn unlock(&self, passphrase: Option<&Passphrase>) -> Result<Unlocked, Trouble> {
        let mut keys: Vec<(Hex32, Keys)> = Vec::new();
        for file in &self.0 {
            if keys.iter().all(|(public, _)| *public != file.public()) {
                keys.push((file.public(), file.unlock(passphrase)?));
            }
        }
        Ok(Unlocked(keys))
    }
}

/// A player's keys, unlocked.
#[derive(Debug)]
pub struct Unlocked(Vec<(Hex32, Keys)>);

impl Unlocked {
    /// The keys of a public key.
    ///
    /// # Errors
    /// `Refused` if they are not here.
    pub fn of(&self, public: Hex32) -> Result<&Keys, Trouble> {
        let found = self.0.iter().find(|(key, _)| *key == public).map(|(_, keys)| keys);
        found.ok_or_else(|| {
            Trouble::Refused(
                "the key that this game goes on with is not on this machine: it was changed on another one".into(),
            )
        })
    }

    /// All of them, the present ones first.
    pub fn all(&self) -> impl Iterator<Item = &Keys> {
        self.0.iter().map(|(_, keys)| keys)
    }
}
