//! The bodies of seals, reveals and closes (`protocol/letters.md`). Fields are in the order of the canonical encoding.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::words::{Hex32, HexBytes, Role, at_most, integer, nullable, short_or_null, within};
use crate::limits::{COLUMNS, ENVELOPES, KEYS, ROWS};

/// The use of a set, which determines how its places are spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SetKind {
    /// Coin envelopes for the one worksheet of a slot.
    Coin,
    /// A match-long ICRK sheet.
    Sheet,
    /// The rolls of one slot of a course (courses 15).
    Plain,
    /// New declarations after a foul-up.
    FoulUp,
    /// The sealer's own contributions to private dice.
    Contribution,
    /// A text that the sealer fixes now and opens later (envelope 6).
    Note,
}

impl SetKind {
    /// Whether the set's keys give dice, rather than a note or a contribution to a private roll.
    #[must_use]
    pub const fn has_dice(self) -> bool {
        matches!(self, Self::Coin | Self::Sheet | Self::Plain | Self::FoulUp)
    }

    /// Whether the set's sealer is also its declarer, as for notes and contributions.
    #[must_use]
    pub const fn is_own(self) -> bool {
        matches!(self, Self::Note | Self::Contribution)
    }

    /// Returns the word for the kind in seals and contexts.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Coin => "coin",
            Self::Sheet => "sheet",
            Self::Plain => "plain",
            Self::FoulUp => "foul-up",
            Self::Contribution => "contribution",
            Self::Note => "note",
        }
    }
}

/// The body of a `seal` letter: the purpose of a set, and commitments to its keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seal {
    /// Commitments: C_i, or K_0 for each column of a sheet.
    pub commits: Vec<Hex32>,
    /// The role that may declare on the set.
    pub declarer: Role,
    /// Kind of the set.
    pub kind: SetKind,
    /// Number of places.
    #[serde(deserialize_with = "within::<_, 1, 400>")]
    pub n: u64,
    /// Ciphertexts in a set of notes.
    #[serde(deserialize_with = "nullable")]
    pub notes: Option<Vec<HexBytes>>,
    /// Purpose of the set (seal 3).
    pub purpose: String,
    /// The role that opens the set: its sealer, or the office (seal 1).
    pub revealer: Role,
    /// Public randomness for M.
    pub salt: Hex32,
}

impl Seal {
    /// Checks the limits that the types cannot express (class `fields`).
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        const TAG: usize = 16;
        let sheet = COLUMNS * ROWS;
        let fits = match self.kind {
            SetKind::Sheet => self.n as usize == sheet && self.commits.len() == COLUMNS,
            _ => self.n <= ENVELOPES && self.commits.len() as u64 == self.n,
        };
        if !fits {
            return Err("commits: their number does not match n and kind");
        }
        match (&self.notes, self.kind) {
            (None, SetKind::Note)
            | (Some(_), SetKind::Coin | SetKind::Sheet | SetKind::Plain | SetKind::FoulUp | SetKind::Contribution) => {
                Err("notes: a set of kind note must have them, and no other set may")
            }
            (Some(notes), _) if notes.len() as u64 != self.n => Err("notes: their number must be n"),
            (Some(notes), _) if notes.iter().any(|note| note.0.len() % 256 != TAG || note.0.len() == TAG) => {
                Err("notes: the length of a ciphertext must be a multiple of 256 bytes, plus 16")
            }
            _ => Ok(()),
        }
    }
}

/// The body of a `reveal` letter: the keys that open places of one set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reveal {
    /// Id of the declaration that asked for the keys; `None` for simultaneous orders.
    #[serde(deserialize_with = "nullable")]
    pub declaration: Option<Hex32>,
    /// Keys of envelopes: (index, K).
    #[serde(deserialize_with = "at_most::<_, _, KEYS>")]
    pub keys: Vec<Key>,
    /// Id of the seal.
    pub seal: Hex32,
    /// Keys of cells: (column, row, K).
    #[serde(deserialize_with = "at_most::<_, _, COLUMNS>")]
    pub sheets: Vec<CellKey>,
}

/// The key of an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key(#[serde(deserialize_with = "integer")] pub u64, pub Hex32);

/// The key of a cell, which also opens the cells above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellKey(
    #[serde(deserialize_with = "integer")] pub u64,
    #[serde(deserialize_with = "integer")] pub u64,
    pub Hex32,
);

/// The body of a `close` letter: a player stops, and may publish the secrets of all their sets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Close {
    /// The secret M of every set that the author sealed; `None` if the author closes without them.
    #[serde(deserialize_with = "nullable")]
    pub masters: Option<Vec<Master>>,
    /// The result of the game, in words.
    #[serde(deserialize_with = "short_or_null")]
    pub result: Option<String>,
}

impl Close {
    /// Checks the limits that the types cannot express (class `fields`).
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let mut seals = HashSet::new();
        let mut masters = self.masters.iter().flatten();
        masters.all(|master| seals.insert(master.seal)).then_some(()).ok_or("masters: a seal appears twice")
    }
}

/// The published secret of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Master {
    /// M, the secret of the set: 32 bytes (envelope 3).
    pub master: Hex32,
    /// Id of the seal.
    pub seal: Hex32,
}
