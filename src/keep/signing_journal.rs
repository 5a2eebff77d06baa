//! What this machine has signed: for each game the number and the id of the last letter, kept outside the player's
//! folder. A folder that comes back from a backup, or is copied to another machine, does not bring this along; so
//! whoever would sign a second letter behind one letter is told to ask first (`protocol/keys.md` 3).
//!
//! **Sudden deaths.** A command first writes here which letters it *will* sign, then keeps them in the folder, then
//! writes here that it *has* signed them, and only then hands them out. Wherever it dies before that, nobody has seen
//! them, and the folder ends with the letter before them or with one of them: both are known here, so the player goes
//! on. What was kept is mailed; a number whose letter was not kept is free, for that letter exists nowhere. Letters
//! first and this file last would lock the player out after a death in between; this file alone, before the letters,
//! would take a folder that lacks a letter which was handed out for one in which it was never kept.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

use etcetera::base_strategy::{BaseStrategy, choose_native_strategy};
use serde::{Deserialize, Serialize};

use super::{StorageError, atomic, home::make_private};
use crate::blob::{
    Verified,
    body::{Hex32, Role},
    json,
};

/// The folder with a file for each game, where the machine remembers.
const SIGNED: &str = "signed";

/// The file for a charter or a game, and a role.
fn file_name(of: Hex32, role: &Role) -> String {
    format!("{of}-{role}.txt")
}

/// A letter, as this machine remembers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signed {
    /// The id of the letter.
    pub id: Hex32,
    /// Its number in the chain of its author.
    pub number: u64,
}

impl Signed {
    /// What is remembered of a letter.
    #[must_use]
    pub fn of(message: &Verified) -> Self {
        Self { id: message.id(), number: message.head().number }
    }
}

/// What is written down. Ids and numbers, nothing that is secret.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    /// This machine's ask, until it has signed again.
    asked: Option<Hex32>,
    /// The last letter that was signed here, or had been signed elsewhere when an ask was answered.
    last: Option<Signed>,
    /// Letters after it that a command was about to sign, and did not come to say that it has.
    next: Vec<Signed>,
    /// Asks that have been dealt with, of this machine and of others.
    settled: Vec<Hex32>,
    /// Roles whose answers to the ask are not waited for.
    without: Vec<Role>,
}

impl Record {
    /// What a file says, if it is there.
    fn read(path: &Path) -> Result<Option<Self>, StorageError> {
        match fs::read(path) {
            Ok(text) => Self::parse(&text).map(Some).ok_or_else(|| {
                StorageError::Refused(format!(
                    "{} is damaged, in which this machine remembers what it has signed; remove it, and the game will \
                     tell you to ask the others which letters of yours they hold",
                    path.display()
                ))
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StorageError::with(path, "read", &error)),
        }
    }

    fn parse(text: &[u8]) -> Option<Self> {
        json::parse(text).and_then(|tree| json::read(&tree)).ok()
    }
}

/// What this machine remembers of one chain, as a file that goes to another machine or comes from one.
#[derive(Clone, Debug)]
pub struct Remembered {
    name: String,
    bytes: Vec<u8>,
    record: Record,
}

impl Remembered {
    /// What this machine remembers of a charter, or of a game, and a role: nothing if it has signed nothing there.
    ///
    /// # Errors
    /// As [`SigningJournal::open`].
    pub fn of(charter_or_game: Hex32, role: &Role) -> Result<Option<Self>, StorageError> {
        let name = file_name(charter_or_game, role);
        let path = state()?.join(SIGNED).join(&name);
        let Some(record) = Record::read(&path)? else { return Ok(None) };
        let bytes = fs::read(&path).map_err(|error| StorageError::with(&path, "read", &error))?;
        Ok(Some(Self { name, bytes, record }))
    }

    /// What another machine has written under a name, if it is such a file.
    #[must_use]
    pub fn parse(name: &str, bytes: Vec<u8>) -> Option<Self> {
        let (id, role) = name.strip_suffix(".txt")?.split_once('-')?;
        let (id, role) = (Hex32::parse(id)?, Role::parse(role)?);
        let record = Record::parse(&bytes)?;
        (file_name(id, &role) == name).then(|| Self { name: name.to_owned(), bytes, record })
    }

    /// The file's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file's content.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether this machine has signed a letter that the other one did not know.
    ///
    /// # Errors
    /// As [`SigningJournal::open`].
    pub fn is_behind(&self) -> Result<bool, StorageError> {
        let here = Record::read(&state()?.join(SIGNED).join(&self.name))?.and_then(|here| here.last);
        let there = self.record.next.last().copied().or(self.record.last);
        Ok(here.is_some_and(|here| match there {
            Some(there) if there.number == here.number => there.id != here.id && self.record.last != Some(here),
            Some(there) => there.number < here.number,
            None => true,
        }))
    }

    /// Makes this machine remember it.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn take_over(&self) -> Result<(), StorageError> {
        let folder = state()?.join(SIGNED);
        make_private(&folder).map_err(|error| StorageError::with(&folder, "made", &error))?;
        let path = folder.join(&self.name);
        atomic::replace(&path, &self.bytes, true).map_err(|error| StorageError::with(&path, "written", &error))
    }
}

/// What this machine has signed as one party of one game.
#[derive(Clone, Debug)]
pub struct SigningJournal {
    path: PathBuf,
    record: Record,
}

impl SigningJournal {
    /// What the party with a role has signed of a charter and, once it has begun, of a game on it: a charter that is
    /// accepted twice has two games, which go on from the same letters. Where nothing was ever signed there is no file,
    /// and none is made.
    ///
    /// # Errors
    /// `Unable` if this machine has no place for it, or the file cannot be read; `Refused` if the file is damaged.
    pub fn open(charter: Hex32, game: Option<Hex32>, role: &Role) -> Result<Self, StorageError> {
        Self::open_in(&state()?.join(SIGNED), charter, game, role)
    }

    /// As [`Self::open`], in another folder than this machine's.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_in(folder: &Path, charter: Hex32, game: Option<Hex32>, role: &Role) -> Result<Self, StorageError> {
        let path = |of: Hex32| folder.join(file_name(of, role));
        let before = path(charter);
        let path = game.map_or_else(|| before.clone(), path);
        let record = match Record::read(&path)? {
            Some(record) => Some(record),
            None => Record::read(&before)?,
        };
        Ok(Self { path, record: record.unwrap_or_default() })
    }

    /// Whether a chain that ends with this letter (`None`: has none) ends where this machine left it.
    #[must_use]
    pub fn left_it_at(&self, end: Option<Signed>) -> bool {
        self.record.last == end || end.is_some_and(|end| self.record.next.contains(&end))
    }

    /// The last letter that was signed here.
    #[must_use]
    pub const fn last(&self) -> Option<Signed> {
        self.record.last
    }

    /// This machine's ask, until it has signed again.
    #[must_use]
    pub const fn asked(&self) -> Option<Hex32> {
        self.record.asked
    }

    /// Whether nothing hangs on the answers to an ask of this role any more.
    #[must_use]
    pub fn has_settled(&self, ask: &Hex32) -> bool {
        self.record.settled.contains(ask)
    }

    /// Whether a command died before it could say that it has signed.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        !self.record.next.is_empty()
    }

    /// The roles whose answers to the ask are not waited for.
    #[must_use]
    pub fn without(&self) -> &[Role] {
        &self.record.without
    }

    /// Before letters are kept: they follow `end`, and these asks, which may be known already, are settled.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn will_sign(&mut self, end: Option<Signed>, next: Vec<Signed>, asks: Vec<Hex32>) -> Result<(), StorageError> {
        let settled = self.settled_with(asks);
        self.record = Record { asked: None, last: end, next, settled, without: Vec::new() };
        self.write()
    }

    /// Before letters are handed out: the chain ends with this one now.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn has_signed(&mut self, end: Option<Signed>) -> Result<(), StorageError> {
        (self.record.last, self.record.next) = (end, Vec::new());
        self.write()
    }

    /// Before an ask is kept: what was asked before, on this machine and on others, is settled with it.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn will_ask(&mut self, ask: Hex32, before: Vec<Hex32>) -> Result<(), StorageError> {
        let (settled, asked) = (self.settled_with(before), Some(ask));
        self.record = Record { asked, settled, without: Vec::new(), ..std::mem::take(&mut self.record) };
        self.write()
    }

    /// That the answers of some roles to the ask are not waited for.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn goes_without(&mut self, roles: &[Role]) -> Result<(), StorageError> {
        self.record.without.extend_from_slice(roles);
        self.record.without.sort_unstable();
        self.record.without.dedup();
        self.write()
    }

    fn settled_with(&self, asks: Vec<Hex32>) -> Vec<Hex32> {
        let mut settled = [self.record.settled.as_slice(), &asks].concat();
        settled.extend(self.record.asked);
        settled.sort_unstable();
        settled.dedup();
        settled
    }

    fn write(&self) -> Result<(), StorageError> {
        let unwritten = |error: &io::Error| StorageError::with(&self.path, "written", error);
        let text = json::encode(&self.record).map_err(|error| unwritten(&io::Error::other(error.to_string())))?;
        let folder = self.path.parent().unwrap_or(Path::new("."));
        make_private(folder).map_err(|error| StorageError::with(folder, "made", &error))?;
        atomic::replace(&self.path, (text + "\n").as_bytes(), true).map_err(|error| unwritten(&error))
    }
}

/// Where this machine remembers: in the folder that the environment names (`SEALED_DICE_STATE`), else where this system
/// keeps what belongs to a user on one machine alone. It is never in a player's usual folder.
pub(super) fn state() -> Result<PathBuf, StorageError> {
    if let Some(dir) = env::var_os("SEALED_DICE_STATE").filter(|dir| !dir.is_empty()) {
        return Ok(PathBuf::from(dir));
    }
    let strategy = choose_native_strategy().map_err(|error| {
        StorageError::Unable(format!(
            "where this machine may remember what it has signed is not known ({error}); name a folder in SEALED_DICE_STATE"
        ))
    })?;
    Ok(match strategy.state_dir() {
        Some(state) => state.join("sealed-dice"),
        // %LOCALAPPDATA%, which does not follow its user to other machines.
        None if cfg!(windows) => strategy.cache_dir().join("sealed-dice"),
        None => strategy.data_dir().join("sealed-dice-machine"),
    })
}
