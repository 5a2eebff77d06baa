//! What the office stores (`protocol/post.md` 16): letters as they were signed, where they stand, and one mark for each
//! place that it opened. One trait, two stores: SQLite in a file of its own, PostgreSQL for several machines. The same
//! suite runs on both. What the office remembers of its store outside of it is the [`witness`]'s.

#[cfg(feature = "postgres")]
pub mod copy;
pub mod database_file;
mod journal;
#[cfg_attr(not(feature = "postgres"), path = "no_postgres.rs")]
pub mod postgres;
mod sql;
pub mod sqlite;
pub mod witness;

use std::{cmp::Ordering, fmt, sync::Arc};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::blob::Hex32;

/// A letter as it lies in a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its place in the box, from 1 (post 2).
    pub position: u64,
    /// Its frame, exactly as it was signed.
    pub frame: Vec<u8>,
    /// Whether it is given to readers: all but deposits (post 3).
    pub shown: bool,
}

/// A letter to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct New {
    /// The id of the letter.
    pub id: Hex32,
    /// The key that signed it: one letter may come under two.
    pub key: Hex32,
    /// Its place in the office's chain, if this office signs it now: taken once a box, whatever else goes wrong.
    pub own: Option<Own>,
    /// The letter's frame, exactly as it was signed.
    pub frame: Vec<u8>,
    /// Whether it is given to readers.
    pub shown: bool,
}

/// A place in the office's chain. Terms that are accepted twice have two games in one box, each with a chain of its
/// own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Own {
    /// What the letter names as its game: an accept, or for the office's own accept the charter.
    pub chain: Hex32,
    /// The letter's number.
    pub number: u64,
}

impl Own {
    /// As it is stored.
    fn bytes(self) -> Vec<u8> {
        [self.chain.0.as_slice(), &self.number.to_be_bytes()].concat()
    }
}

/// A place of a set that the office opens (post 16): what is marked once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mark {
    /// The id of the set's seal.
    pub seal: Hex32,
    /// Envelope or column.
    pub index: u64,
    /// Cell of a sheet, else 0.
    pub line: u64,
    /// The letter that opens it.
    pub letter: Hex32,
}

/// What is added to a box, all or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    /// The box that the letters go into, by its charter's id.
    pub game: Hex32,
    /// The position of the last letter that the writer knows of.
    pub behind: u64,
    /// The letters, in their order.
    pub letters: Vec<New>,
    /// What they open.
    pub marks: Vec<Mark>,
    /// Keys that may read from now on.
    pub readers: Vec<Hex32>,
    /// Whether an epoch begins with it.
    pub epoch: bool,
    /// What the store must not have forgotten, or nothing of this is stored.
    pub known: Option<Arc<Known>>,
    /// Whether letters of the box wait for their turn from now on (post 19); none: as before.
    pub late: Option<bool>,
}

/// A letter that this office signed and stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signed {
    /// The box that holds the letter, by its charter's id.
    pub game: Hex32,
    /// The id of the letter.
    pub id: Hex32,
}

/// What is known of a store outside of it. A store that lacks any of this has forgotten: it is an older copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// How often it was written to see whether it can be, at least.
    pub beat: u64,
    /// What names the positions of all boxes.
    pub generation: Hex32,
    /// The letters that were stored last.
    pub letters: Vec<Signed>,
    /// How often it was restored.
    pub restores: u64,
}

/// How a store stands to what is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// The store's owner row shows nothing forgotten; whether its letters are all there is still to be checked.
    Same,
    /// Its operator has restored it since, or an office has marked it.
    Restored,
    /// The store has forgotten something: it is an older copy, or a different store.
    Forgot,
}

impl Known {
    /// All that a store says of itself, and no letters.
    #[must_use]
    pub const fn of(owner: &Owner) -> Self {
        let Owner { beat, generation, restores, .. } = *owner;
        Self { beat, generation, letters: Vec::new(), restores }
    }

    /// How a store with this owner stands to it.
    #[must_use]
    pub fn compare(&self, owner: &Owner) -> Memory {
        match owner.restores.cmp(&self.restores) {
            Ordering::Greater => Memory::Restored,
            Ordering::Equal if owner.generation == self.generation && owner.beat >= self.beat => Memory::Same,
            Ordering::Equal | Ordering::Less => Memory::Forgot,
        }
    }
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// Everything is on the disk, and nothing undoes it.
    Done,
    /// Somebody else has added letters: read them, and decide anew.
    Moved,
    /// A place is marked already, or a number of the office's taken: nothing was stored. The office's program is wrong.
    Spent,
    /// There is no such box.
    Unknown,
    /// The store has forgotten what is known of it: nothing was stored.
    Forgot,
}

/// How a box stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MailboxHead {
    /// The position of its last letter, 0 in an empty one.
    pub last: u64,
    /// The bytes of its letters.
    pub bytes: u64,
    /// Whether it waits for an epoch (post 17).
    pub restored: bool,
}

/// How large a store is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// What it takes on the disk, in bytes.
    pub bytes: u64,
    /// How many boxes it has.
    pub boxes: u64,
}

/// Whose store it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The signing key that it was made for.
    pub key: Hex32,
    /// Whether it was restored, and no epoch declared since.
    pub restored: bool,
    /// How often it was restored: a box begins an epoch after each (post 17).
    pub restores: u64,
    /// How often it was written to see whether it can be.
    pub beat: u64,
    /// What names the positions of all boxes: another after a restore (post 14).
    pub generation: Hex32,
}

/// Why the store could not do what it was asked to.
#[derive(Clone, Debug)]
pub enum StoreError {
    /// Nothing was changed, and it may work later.
    Busy(String),
    /// The step may or may not have been stored: asking for the same again finds out.
    Unsure(String),
    /// Nobody knows what is on the disk: the process must end, and look again when it starts.
    Broken(String),
    /// What is stored is not what this program stores.
    Wrong(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy(text) | Self::Unsure(text) | Self::Broken(text) | Self::Wrong(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for StoreError {}

/// What the store may answer.
pub type Stored<T> = Result<T, StoreError>;

/// A place for letters that survives whatever the process does not.
#[async_trait]
pub trait Store: Send + Sync {
    /// Makes a box, or finds it made.
    async fn open(&self, game: Hex32) -> Stored<()>;

    /// How a box stands, if there is one.
    async fn stand(&self, game: Hex32) -> Stored<Option<MailboxHead>>;

    /// Adds letters to a box in one step. [`Appended::Done`] only once they are on the disk.
    async fn append(&self, append: Append) -> Stored<Appended>;

    /// Letters of a box behind a position, in their order, as many as fit `bytes`, at least one if there is one.
    async fn letters(&self, game: Hex32, after: u64, bytes: u64) -> Stored<Vec<Row>>;

    /// Whether a key may read a box (post 7).
    async fn may_read(&self, game: Hex32, key: Hex32) -> Stored<bool>;

    /// The boxes that a key may read, by id, behind one, and how they stand.
    async fn boxes_of(&self, key: Hex32, after: Option<Hex32>, most: u64) -> Stored<Vec<(Hex32, MailboxHead)>>;

    /// All boxes, by id, behind one, and how they stand; `most` of them at most.
    async fn boxes(&self, after: Option<Hex32>, most: u64) -> Stored<Vec<(Hex32, MailboxHead)>>;

    /// The boxes whose letters wait for their turn.
    async fn late(&self) -> Stored<Vec<Hex32>>;

    /// How large it is.
    async fn size(&self) -> Stored<Size>;

    /// That it was restored, once more than it says itself or `known` says, whichever is more: every box waits for an
    /// epoch, and positions have a new name, which is random. It changes one row, however many boxes there are.
    async fn restored(&self, generation: Hex32, known: u64) -> Stored<()>;

    /// That the operator has declared an epoch, if it was restored.
    async fn declared(&self) -> Stored<()>;

    /// Whose it is, if it was made for anybody.
    async fn owner(&self) -> Stored<Option<Owner>>;

    /// Makes the store for a key, with a random name of its positions. An owner stays.
    async fn own(&self, key: Hex32, generation: Hex32) -> Stored<()>;

    /// Counts [`Owner::beat`] up, the way that every step is written: whether the store can be written, and whose it
    /// is.
    async fn beat(&self) -> Stored<Owner>;

    /// Whether all letters are there that this office is known to have stored.
    async fn has(&self, letters: &[Signed]) -> Stored<bool>;

    /// Waits until some box may have new letters that another process has added: its id. A store that one process has
    /// alone never tells.
    async fn heard(&self) -> Hex32;
}

/// Where a list of ids goes on: no id is behind nothing.
fn behind(after: Option<Hex32>) -> Vec<u8> {
    after.map_or_else(Vec::new, |after| after.0.to_vec())
}

/// A store, whichever it is.
pub type AnyStore = Arc<dyn Store>;
