//! The office's storage (`protocol/post.md` 16): letters as they were signed, their positions, and one mark for each
//! place that the office opened. One trait has two implementations: SQLite in a file of its own, and PostgreSQL for
//! several machines. The same test suite runs on both. The office's records about its store, kept outside it, are in
//! [`witness`].

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

/// A letter as stored in a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The letter's place in the box, counted from 1 (post 2).
    pub position: u64,
    /// The letter's frame, exactly as it was signed.
    pub frame: Vec<u8>,
    /// Whether readers can fetch the letter: all but deposits (post 3).
    pub shown: bool,
}

/// A letter to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct New {
    /// The id of the letter.
    pub id: Hex32,
    /// The key that signed the letter. The same letter may be signed with two keys.
    pub key: Hex32,
    /// The letter's place in the office's chain, if this office signs it now. Each place can be taken only once per
    /// box, whatever else goes wrong.
    pub own: Option<Own>,
    /// The letter's frame, exactly as it was signed.
    pub frame: Vec<u8>,
    /// Whether readers can fetch the letter.
    pub shown: bool,
}

/// A place in the office's chain. Terms that are accepted twice have two games in one box, each with its own chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Own {
    /// The id that the letter gives as its game: an accept or, for the office's own accept, the charter.
    pub chain: Hex32,
    /// The letter's number.
    pub number: u64,
}

impl Own {
    /// Returns the place as the bytes that are stored: the chain's id, then the number in big-endian order.
    fn bytes(self) -> Vec<u8> {
        [self.chain.0.as_slice(), &self.number.to_be_bytes()].concat()
    }
}

/// A place in a set that the office opens (post 16), which can be marked only once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mark {
    /// The id of the set's seal.
    pub seal: Hex32,
    /// The number of the envelope or column.
    pub index: u64,
    /// The cell of a sheet, else 0.
    pub line: u64,
    /// The letter that opens the place.
    pub letter: Hex32,
}

/// An addition to a box, stored as a whole or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    /// The box that receives the letters, by its charter's id.
    pub game: Hex32,
    /// The position of the last letter known to the writer.
    pub behind: u64,
    /// The letters, in their order.
    pub letters: Vec<New>,
    /// The places that the letters open.
    pub marks: Vec<Mark>,
    /// Keys that may read from now on.
    pub readers: Vec<Hex32>,
    /// Whether an epoch begins with this addition.
    pub epoch: bool,
    /// The facts that the store must still have; if it lacks any, nothing from this addition is stored.
    pub known: Option<Arc<Known>>,
    /// Whether letters in the box wait for their turn from now on (post 19); `None` leaves this unchanged.
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

/// Facts about a store, recorded outside it. A store that lacks any of them has forgotten letters: it is an older copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The minimum number of beats (test writes) that the store must have counted.
    pub beat: u64,
    /// The name of the positions in all boxes.
    pub generation: Hex32,
    /// The office's letters that were stored last.
    pub letters: Vec<Signed>,
    /// The number of times the store was restored.
    pub restores: u64,
}

/// The result of comparing a store with the facts known about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// The store's owner row shows no loss. The store may still lack letters, which must be checked.
    Same,
    /// The store's operator has restored it since, or an office has marked it as restored.
    Restored,
    /// The store has forgotten something: it is an older copy, or a different store.
    Forgot,
}

impl Known {
    /// Builds the known facts from a store's owner row, with no letters.
    #[must_use]
    pub const fn of(owner: &Owner) -> Self {
        let Owner { beat, generation, restores, .. } = *owner;
        Self { beat, generation, letters: Vec::new(), restores }
    }

    /// Compares the known facts with a store's owner row.
    #[must_use]
    pub fn compare(&self, owner: &Owner) -> Memory {
        match owner.restores.cmp(&self.restores) {
            Ordering::Greater => Memory::Restored,
            Ordering::Equal if owner.generation == self.generation && owner.beat >= self.beat => Memory::Same,
            Ordering::Equal | Ordering::Less => Memory::Forgot,
        }
    }
}

/// The result of adding to a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// Everything is on the disk for good.
    Done,
    /// Another process has added letters: read them, and decide again.
    Moved,
    /// A place is marked already, or a number in the office's chain is taken, so nothing was stored. This is a fault in
    /// the office's program.
    Spent,
    /// The box does not exist.
    Unknown,
    /// The store lacks some of the known facts, so nothing was stored.
    Forgot,
}

/// The current state of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MailboxHead {
    /// The position of the last letter, 0 in an empty box.
    pub last: u64,
    /// The total bytes of the letters.
    pub bytes: u64,
    /// Whether the box waits for an epoch (post 17).
    pub restored: bool,
}

/// The size of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The space that the store takes on the disk, in bytes.
    pub bytes: u64,
    /// The number of boxes in the store.
    pub boxes: u64,
}

/// The owner row of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The signing key that the store was made for.
    pub key: Hex32,
    /// Whether the store was restored, and no epoch has been declared since.
    pub restored: bool,
    /// The number of times the store was restored. A box begins an epoch after each restore (post 17).
    pub restores: u64,
    /// The number of test writes, which check whether the store can be written.
    pub beat: u64,
    /// The name of the positions in all boxes, which changes with a restore (post 14).
    pub generation: Hex32,
}

/// The advice for a database that may be damaged.
const CHECK: &str = "check it with `sealed-dice office check`";

/// The error for a database without an owner.
pub(super) const NOBODYS: &str = "the database does not belong to an office yet: type `sealed-dice office init`";

/// Why an operation on the store failed.
#[derive(Clone, Debug)]
pub enum StoreError {
    /// Nothing was changed, and a later try may work.
    Busy(String),
    /// The step may or may not have been stored. Repeating the step shows whether it was.
    Unsure(String),
    /// The state of the disk is unknown: the process must end, and look again when it starts.
    Broken(String),
    /// The store cannot be used as it is: for example, it is missing or damaged, or belongs to no office.
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

/// The result of an operation on the store.
pub type Stored<T> = Result<T, StoreError>;

/// Storage for letters that outlives the process.
#[async_trait]
pub trait Store: Send + Sync {
    /// Creates a box, or finds that it exists.
    async fn open(&self, game: Hex32) -> Stored<()>;

    /// Returns the state of a box, if it exists.
    async fn stand(&self, game: Hex32) -> Stored<Option<MailboxHead>>;

    /// Adds letters to a box in one step. Returns [`Appended::Done`] only once they are on the disk.
    async fn append(&self, append: Append) -> Stored<Appended>;

    /// Returns letters from a box after a position, in order: as many as fit in `bytes`, but at least one if there is
    /// one.
    async fn letters(&self, game: Hex32, after: u64, bytes: u64) -> Stored<Vec<Row>>;

    /// Whether a key may read a box (post 7).
    async fn may_read(&self, game: Hex32, key: Hex32) -> Stored<bool>;

    /// Lists the boxes that a key may read, with their states, in the order of their ids: at most `most` boxes after
    /// the id `after`.
    async fn boxes_of(&self, key: Hex32, after: Option<Hex32>, most: u64) -> Stored<Vec<(Hex32, MailboxHead)>>;

    /// Lists all boxes, with their states, in the order of their ids: at most `most` boxes after the id `after`.
    async fn boxes(&self, after: Option<Hex32>, most: u64) -> Stored<Vec<(Hex32, MailboxHead)>>;

    /// Lists the boxes whose letters wait for their turn.
    async fn late(&self) -> Stored<Vec<Hex32>>;

    /// Returns the size of the store.
    async fn size(&self) -> Stored<Size>;

    /// Records that the store was restored. The new count of restores is one more than the store's own count or
    /// `known`, whichever is larger. Every box then waits for an epoch. `generation` becomes the new random id of the
    /// store's numbering of positions. This changes one row, however many boxes there are.
    async fn restored(&self, generation: Hex32, known: u64) -> Stored<()>;

    /// Records that the operator has declared an epoch, if the store was restored.
    async fn declared(&self) -> Stored<()>;

    /// Returns the owner row, if the store was made for an owner.
    async fn owner(&self) -> Stored<Option<Owner>>;

    /// Makes a key the owner of the store. `generation` is a random id for the store's numbering of positions. An
    /// existing owner stays.
    async fn own(&self, key: Hex32, generation: Hex32) -> Stored<()>;

    /// Increments [`Owner::beat`], and returns the owner row. The number is written like every other step, to check
    /// that the store can be written.
    async fn beat(&self) -> Stored<Owner>;

    /// Whether the store has all the letters that this office is known to have stored.
    async fn has(&self, letters: &[Signed]) -> Stored<bool>;

    /// Waits until a box may have new letters from another process, and returns its id. If only one process can use the
    /// store, this never returns.
    async fn heard(&self) -> Hex32;
}

/// Returns the bytes after which a list of ids continues. Without an id, there are none, and every id comes after them.
fn behind(after: Option<Hex32>) -> Vec<u8> {
    after.map_or_else(Vec::new, |after| after.0.to_vec())
}

/// A store of either kind, shared between threads.
pub type AnyStore = Arc<dyn Store>;
