//! What seals, reveals and closes say (`protocol/letters.md`). Fields stand in the order of the canonical encoding.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::words::{Hex32, HexBytes, Role, at_most, integer, nullable, short_or_null, within};
use crate::limits::{COLUMNS, ENVELOPES, KEYS, ROWS};

/// What a set is for, and so how its places are spent.
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
    /// Its sealer's own shares of private dice.
    Contribution,
    /// A text that its sealer fixes now and opens later (envelope 6).
    Note,
}

impl SetKind {
    /// Whether its keys give dice, and no note or share of a private roll.
    #[must_use]
    pub const fn has_dice(self) -> bool {
        matches!(self, Self::Coin | Self::Sheet | Self::Plain | Self::FoulUp)
    }

    /// Whether its sealer declares on it too: notes and contributions.
    #[must_use]
    pub const fn is_own(self) -> bool {
        matches!(self, Self::Note | Self::Contribution)
    }

    /// As seals and contexts write it.
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

/// The body of a `seal` letter: what a set is for, and commitments to its keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seal {
    /// Commitments: C_i, or K_0 of a sheet's columns.
    pub commits: Vec<Hex32>,
    /// Who may declare on the set.
    pub declarer: Role,
    /// What it is for.
    pub kind: SetKind,
    /// Number of places.
    #[serde(deserialize_with = "within::<_, 1, 400>")]
    pub n: u64,
    /// Ciphertexts of a set of notes.
    #[serde(deserialize_with = "nullable")]
    pub notes: Option<Vec<HexBytes>>,
    /// What it is sealed for (seal 3).
    pub purpose: String,
    /// The role that opens the set: its sealer, or the office (seal 1).
    pub revealer: Role,
    /// Public randomness of M.
    pub salt: Hex32,
}

impl Seal {
    /// What the types do not say (class `fields`).
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        const TAG: usize = 16;
        let sheet = COLUMNS * ROWS;
        let fits = match self.kind {
            SetKind::Sheet => self.n as usize == sheet && self.commits.len() == COLUMNS,
            _ => self.n <= ENVELOPES && self.commits.len() as u64 == self.n,
        };
        if !fits {
            return Err("commits: their number does not fit n and kind");
        }
        match (&self.notes, self.kind) {
            (None, SetKind::Note)
            | (Some(_), SetKind::Coin | SetKind::Sheet | SetKind::Plain | SetKind::FoulUp | SetKind::Contribution) => {
                Err("notes: a set of notes has them, and no other set")
            }
            (Some(notes), _) if notes.len() as u64 != self.n => Err("notes: their number is not n"),
            (Some(notes), _) if notes.iter().any(|note| note.0.len() % 256 != TAG || note.0.len() == TAG) => {
                Err("notes: a ciphertext is a multiple of 256 bytes and 16 more")
            }
            _ => Ok(()),
        }
    }
}

/// The body of a `reveal` letter: the keys that open places of one set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reveal {
    /// Id of the declaration that asked; none for orders at once.
    #[serde(deserialize_with = "nullable")]
    pub declaration: Option<Hex32>,
    /// (index, K) of envelopes.
    #[serde(deserialize_with = "at_most::<_, _, KEYS>")]
    pub keys: Vec<Key>,
    /// Id of the seal.
    pub seal: Hex32,
    /// (column, row, K) of cells.
    #[serde(deserialize_with = "at_most::<_, _, COLUMNS>")]
    pub sheets: Vec<CellKey>,
}

/// An envelope's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key(#[serde(deserialize_with = "integer")] pub u64, pub Hex32);

/// A cell's key, which opens the cells above it too.
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
    /// M of every set of the author.
    #[serde(deserialize_with = "nullable")]
    pub masters: Option<Vec<Master>>,
    /// How the game ended, in words.
    #[serde(deserialize_with = "short_or_null")]
    pub result: Option<String>,
}

impl Close {
    /// What the types do not say (class `fields`).
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let mut seals = HashSet::new();
        let mut masters = self.masters.iter().flatten();
        masters.all(|master| seals.insert(master.seal)).then_some(()).ok_or("masters: a seal stands twice")
    }
}

/// A set's published secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Master {
    /// M, the secret of the set: 32 bytes (envelope 3).
    pub master: Hex32,
    /// Id of the seal.
    pub seal: Hex32,
}
