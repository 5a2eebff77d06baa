//! The letters that this machine has signed: for each game, the number and the id of the last letter. The journal is
//! kept outside the player's folder, so a folder that is restored from a backup or copied to another machine does not
//! include it. A player who would then sign a second letter after the same letter must ask first (`protocol/keys.md`
//! 3).
//!
//! **Sudden deaths.** A command first writes here which letters it *will* sign, then keeps them in the folder, then
//! writes here that it *has* signed them, and only then hands them out. If it dies before that, nobody has seen the
//! letters, and the folder ends with the letter before them or with one of them. Both cases are known here, so the
//! player can go on: kept letters are mailed, and the number of a letter that was not kept is free, because that letter
//! exists nowhere. Writing the letters first and this file last would lock the player out after a death in between.
//! Writing this file only once, before the letters, would not distinguish a folder that lost a letter already handed
//! out from one in which the letter was never kept.

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

/// The folder with a signing journal for each game on this machine.
const SIGNED: &str = "signed";

/// Returns the name of the journal's file for a role in a charter or a game.
fn file_name(of: Hex32, role: &Role) -> String {
    format!("{of}-{role}.txt")
}

/// A letter, as recorded on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signed {
    /// The id of the letter.
    pub id: Hex32,
    /// The letter's number in its author's chain.
    pub number: u64,
}

impl Signed {
    /// Makes the record of a letter.
    #[must_use]
    pub fn of(message: &Verified) -> Self {
        Self { id: message.id(), number: message.head().number }
    }
}

/// The content of the journal: ids and numbers, no secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    /// The id of this machine's last ask, if no letter has been signed here since.
    asked: Option<Hex32>,
    /// The last letter signed here, or signed elsewhere according to the answers to an ask.
    last: Option<Signed>,
    /// The letters after `last` that a command was about to sign when it died before recording that it had signed them.
    next: Vec<Signed>,
    /// The ids of settled asks, from this machine and from other machines.
    settled: Vec<Hex32>,
    /// The roles whose answers to the ask are not awaited.
    without: Vec<Role>,
}

impl Record {
    /// Reads a journal file, if it exists.
    fn read(path: &Path) -> Result<Option<Self>, StorageError> {
        match fs::read(path) {
            Ok(text) => Self::parse(&text).map(Some).ok_or_else(|| {
                StorageError::Refused(format!(
                    "{} is damaged; it records the letters that this computer has signed. Remove it, and the game will \
                     tell you to ask the others which of your letters they hold",
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

/// A machine's record of one chain, as a file that can move to another machine.
#[derive(Clone, Debug)]
pub struct Remembered {
    name: String,
    bytes: Vec<u8>,
    record: Record,
}

impl Remembered {
    /// Returns this machine's record for a role, and a charter or a game. Returns `None` if nothing was signed there.
    ///
    /// # Errors
    /// Same errors as [`SigningJournal::open`].
    pub fn of(charter_or_game: Hex32, role: &Role) -> Result<Option<Self>, StorageError> {
        let name = file_name(charter_or_game, role);
        let path = state()?.join(SIGNED).join(&name);
        let Some(record) = Record::read(&path)? else { return Ok(None) };
        let bytes = fs::read(&path).map_err(|error| StorageError::with(&path, "read", &error))?;
        Ok(Some(Self { name, bytes, record }))
    }

    /// Parses a record's file from another machine. Returns `None` if its name or its content is not valid.
    #[must_use]
    pub fn parse(name: &str, bytes: Vec<u8>) -> Option<Self> {
        let (id, role) = name.strip_suffix(".txt")?.split_once('-')?;
        let (id, role) = (Hex32::parse(id)?, Role::parse(role)?);
        let record = Record::parse(&bytes)?;
        (file_name(id, &role) == name).then(|| Self { name: name.to_owned(), bytes, record })
    }

    /// Returns the name of the file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the content of the file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether this machine has signed a letter that the machine with this record did not know of.
    ///
    /// # Errors
    /// Same errors as [`SigningJournal::open`].
    pub fn is_behind(&self) -> Result<bool, StorageError> {
        let here = Record::read(&state()?.join(SIGNED).join(&self.name))?.and_then(|here| here.last);
        let there = self.record.next.last().copied().or(self.record.last);
        Ok(here.is_some_and(|here| match there {
            Some(there) if there.number == here.number => there.id != here.id && self.record.last != Some(here),
            Some(there) => there.number < here.number,
            None => true,
        }))
    }

    /// Saves the record on this machine.
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

/// The letters that this machine has signed as one party in one game.
#[derive(Clone, Debug)]
pub struct SigningJournal {
    path: PathBuf,
    record: Record,
}

impl SigningJournal {
    /// Opens the journal of the party with a role, for a game or, before the game has begun, for its charter. A charter
    /// that is accepted twice has two games, which continue from the same letters. If nothing was ever signed, there is
    /// no file, and none is made.
    ///
    /// # Errors
    /// `Unable` if this machine has no place for journals, or the file cannot be read; `Refused` if the file is
    /// damaged.
    pub fn open(charter: Hex32, game: Option<Hex32>, role: &Role) -> Result<Self, StorageError> {
        Self::open_in(&state()?.join(SIGNED), charter, game, role)
    }

    /// Opens a journal like [`Self::open`], in a given folder instead of this machine's.
    ///
    /// # Errors
    /// Same errors as [`Self::open`].
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

    /// Whether a chain that ends with this letter (`None` for an empty chain) ends where this machine left it.
    #[must_use]
    pub fn left_it_at(&self, end: Option<Signed>) -> bool {
        self.record.last == end || end.is_some_and(|end| self.record.next.contains(&end))
    }

    /// Returns the last letter that was signed here.
    #[must_use]
    pub const fn last(&self) -> Option<Signed> {
        self.record.last
    }

    /// Returns the id of this machine's last ask, if no letter has been signed here since.
    #[must_use]
    pub const fn asked(&self) -> Option<Hex32> {
        self.record.asked
    }

    /// Whether an ask from this role is settled, so that answers to it no longer matter.
    #[must_use]
    pub fn has_settled(&self, ask: &Hex32) -> bool {
        self.record.settled.contains(ask)
    }

    /// Whether a command died before it could record that it had signed.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        !self.record.next.is_empty()
    }

    /// Returns the roles whose answers to the ask are not awaited.
    #[must_use]
    pub fn without(&self) -> &[Role] {
        &self.record.without
    }

    /// Records, before the letters in `next` are kept, that they follow `end`, and that `asks` are settled. Some of
    /// these asks may be recorded already.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn will_sign(&mut self, end: Option<Signed>, next: Vec<Signed>, asks: Vec<Hex32>) -> Result<(), StorageError> {
        let settled = self.settled_with(asks);
        self.record = Record { asked: None, last: end, next, settled, without: Vec::new() };
        self.write()
    }

    /// Records, before letters are handed out, that the chain now ends with `end`.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn has_signed(&mut self, end: Option<Signed>) -> Result<(), StorageError> {
        (self.record.last, self.record.next) = (end, Vec::new());
        self.write()
    }

    /// Records an ask before it is kept. The ask settles all earlier asks: those in `before`, and this machine's own.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn will_ask(&mut self, ask: Hex32, before: Vec<Hex32>) -> Result<(), StorageError> {
        let (settled, asked) = (self.settled_with(before), Some(ask));
        self.record = Record { asked, settled, without: Vec::new(), ..std::mem::take(&mut self.record) };
        self.write()
    }

    /// Records that answers to the ask from these roles are not awaited.
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

/// Returns the folder for this machine's records: the folder that the environment variable `SEALED_DICE_STATE` names,
/// else the system's folder for a user's data that stays on one machine. It is never inside a player's usual folder.
pub(super) fn state() -> Result<PathBuf, StorageError> {
    if let Some(dir) = env::var_os("SEALED_DICE_STATE").filter(|dir| !dir.is_empty()) {
        return Ok(PathBuf::from(dir));
    }
    let strategy = choose_native_strategy().map_err(|error| {
        StorageError::Unable(format!(
            "the folder for this computer's signing records cannot be found ({error}); name one in SEALED_DICE_STATE"
        ))
    })?;
    Ok(match strategy.state_dir() {
        Some(state) => state.join("sealed-dice"),
        // %LOCALAPPDATA%, which does not follow its user to other machines.
        None if cfg!(windows) => strategy.cache_dir().join("sealed-dice"),
        None => strategy.data_dir().join("sealed-dice-machine"),
    })
}
