//! The bodies of declarations, decisions and corrections (`protocol/letters.md`). Fields are in the order of the
//! canonical encoding.

use serde::{Deserialize, Serialize};

use super::{
    charter::FoulUpClass,
    words::{Hex32, Name, Role, Slot, any, integer, list, nullable, text, within},
};
use crate::blob::{
    disputes::Scope,
    json::{Text, Value},
};

/// The body of a `declare` letter: the rolls, and everything that determines their dice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declare {
    /// The letter at which the declaration's course stands: a declaration, a decision, or a claim that named dice
    /// (courses 4).
    #[serde(deserialize_with = "nullable")]
    pub after: Option<Hex32>,
    /// The declarer's fresh randomness.
    #[serde(deserialize_with = "nullable")]
    pub contribution: Option<Contribution>,
    /// The rolls, in their system's canonical form.
    pub input: Text,
    /// The movement that these rolls belong to.
    pub moves: Moves,
    /// The declaration that this one does again, and the reason.
    #[serde(deserialize_with = "nullable")]
    pub redo: Option<Redo>,
    /// The seal whose places are selected.
    #[serde(deserialize_with = "nullable")]
    pub seal: Option<Hex32>,
    /// The selected places, as computed by the rules.
    #[serde(deserialize_with = "nullable")]
    pub select: Option<Select>,
    /// The slot of the declaration.
    pub slot: Slot,
}

/// The declarer's share of the dice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Contribution {
    /// The declarer's 32 random bytes, in the clear.
    Open(Hex32),
    /// The seed of an envelope in the declarer's own set (secrets 2).
    Sealed(SealedContribution),
}

/// An envelope in the declarer's own set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SealedContribution {
    /// Index of the envelope in its contribution set, from 0.
    #[serde(deserialize_with = "integer")]
    pub index: u64,
    /// Id of the seal.
    pub seal: Hex32,
}

/// The recorded movement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Moves {
    /// The movement, in words.
    Text(String),
    /// Files that record the movement, by their hashes.
    Files(#[serde(deserialize_with = "list::<_, _, 1>")] Vec<FileHash>),
    /// A sealed note that contains the movement.
    Note(NoteRef),
    /// There was no movement.
    None(()),
}

impl Moves {
    /// Returns the seal of the note that contains the moves, if there is one.
    #[must_use]
    pub const fn note(&self) -> Option<Hex32> {
        match self {
            Self::Note(note) => Some(note.seal),
            Self::Text(_) | Self::Files(_) | Self::None(()) => None,
        }
    }
}

/// A file that records the movement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileHash {
    /// Length of the file, in bytes.
    #[serde(deserialize_with = "integer")]
    pub length: u64,
    /// Name of the file: 1 to 255 characters.
    #[serde(deserialize_with = "text::<_, 1, 255>")]
    pub name: String,
    /// Plain SHA3-256 of its content.
    pub sha3_256: Hex32,
}

/// A note in a sealed set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoteRef {
    /// Index of the note in its set: always 0.
    #[serde(deserialize_with = "within::<_, 0, 0>")]
    pub index: u64,
    /// Id of the seal.
    pub seal: Hex32,
}

/// The places that a declaration selects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Select {
    /// Envelopes and rows of a coin set.
    Worksheet(Worksheet),
    /// Cells of a sheet: column from 0, row from 1.
    Cells(Vec<Pair>),
    /// The next envelope of the foul-up set.
    FoulUp(Lines),
    /// The envelope of a plain set.
    Plain(Lines),
}

/// The result of the worksheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Worksheet {
    /// Index of the first envelope opened: T mod N, the total modulo the number of envelopes (coin-envelopes 6).
    #[serde(deserialize_with = "integer")]
    pub index: u64,
    /// (envelope, row) of each attack, in sorted order.
    pub rows: Vec<Pair>,
    /// Total T of the worksheet: the sum of the products of all attacks (coin-envelopes 6).
    #[serde(deserialize_with = "integer")]
    pub total: u64,
}

/// An envelope whose lines are taken one after another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lines {
    /// Index of the envelope in its set, from 0.
    #[serde(deserialize_with = "integer")]
    pub index: u64,
    /// The number of rolls that take a line of the envelope.
    #[serde(deserialize_with = "integer")]
    pub lines: u64,
}

/// A pair of integers: envelope and row, or column and row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair(#[serde(deserialize_with = "integer")] pub u64, #[serde(deserialize_with = "integer")] pub u64);

/// The reason why a slot is declared again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Redo {
    /// The named declaration is in breach.
    Breach(Hex32),
    /// The named acceptance agreed to the redo.
    Agreed(Hex32),
    /// The named letter opened an envelope of the slot's set unasked.
    Opened(Hex32),
}

/// The body of a `decide` letter: an open decision of a phase, or one that a course awaits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decide {
    /// The letter at which the decision's course stands, as in a declaration (courses 4).
    #[serde(deserialize_with = "nullable")]
    pub after: Option<Hex32>,
    /// Name of the decision in its phase.
    pub name: Name,
    /// The slot that the decision is for.
    pub slot: Slot,
    /// The value chosen.
    #[serde(deserialize_with = "any")]
    pub value: Value,
}

/// The way in which a resolver stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ended {
    /// Everything is resolved.
    Done,
    /// A decision is needed that was not made in advance.
    Needs,
}

/// The body of a `correct` letter: a proposal to correct dice, or the answer to one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Correct {
    /// A foul-up is proposed.
    Propose(Box<Proposal>),
    /// A proposal not to count some rolls.
    Void(Voiding),
    /// A proposal is accepted.
    Accept(Hex32),
    /// A proposal is refused.
    Refuse(Hex32),
}

/// A proposed void.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Voiding {
    /// The reason not to count the rolls, in words: 1 to 1,000 characters.
    #[serde(deserialize_with = "text::<_, 1, 1_000>")]
    pub reason: String,
    /// The rolls that should not count (disputes 1).
    pub scope: Scope,
}

impl Correct {
    /// Checks the limits that the types cannot express (class `fields`).
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        match self {
            Self::Void(voiding) => voiding.scope.check(),
            _ => Ok(()),
        }
    }
}

/// A proposed foul-up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    /// The role that made the mistake.
    pub at_fault: Role,
    /// The kind of mistake.
    pub class: FoulUpClass,
    /// Id of the declaration.
    pub declaration: Hex32,
    /// The corrected input, for a redo.
    #[serde(deserialize_with = "nullable")]
    pub input: Option<Text>,
    /// A description of the mistake, in words: up to 1,000 characters.
    #[serde(deserialize_with = "text::<_, 0, 1_000>")]
    pub reason: String,
}
