//! What declarations, decisions and corrections say (`protocol/letters.md`). Fields stand in the order of the canonical
//! encoding.

use serde::{Deserialize, Serialize};

use super::{
    charter::FoulUpClass,
    words::{Hex32, Name, Role, Slot, any, integer, list, nullable, text, within},
};
use crate::blob::{
    disputes::Scope,
    json::{Text, Value},
};

/// The body of a `declare` letter: what is rolled for, and all that its dice depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declare {
    /// Where its course stands: a declaration, a decision, or a claim that named dice (courses 4).
    #[serde(deserialize_with = "nullable")]
    pub after: Option<Hex32>,
    /// The declarer's fresh randomness.
    #[serde(deserialize_with = "nullable")]
    pub contribution: Option<Contribution>,
    /// What is rolled for, in its system's canonical form.
    pub input: Text,
    /// The movement that these rolls belong to.
    pub moves: Moves,
    /// Which declaration this one does again, and why it may.
    #[serde(deserialize_with = "nullable")]
    pub redo: Option<Redo>,
    /// The seal whose places are selected.
    #[serde(deserialize_with = "nullable")]
    pub seal: Option<Hex32>,
    /// The places, as the rules compute them.
    #[serde(deserialize_with = "nullable")]
    pub select: Option<Select>,
    /// Where in the game.
    pub slot: Slot,
}

/// The declarer's share of the dice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Contribution {
    /// The declarer's 32 random bytes, in the clear.
    Open(Hex32),
    /// The seed of an envelope of the declarer's own (secrets 2).
    Sealed(SealedContribution),
}

/// An envelope of the declarer's own.
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
    /// The movement in words.
    Text(String),
    /// In files, by their hashes.
    Files(#[serde(deserialize_with = "list::<_, _, 1>")] Vec<FileHash>),
    /// In a sealed note.
    Note(NoteRef),
    /// There was none.
    None(()),
}

impl Moves {
    /// The seal of the note that has them, if they are in one.
    #[must_use]
    pub const fn note(&self) -> Option<Hex32> {
        match self {
            Self::Note(note) => Some(note.seal),
            Self::Text(_) | Self::Files(_) | Self::None(()) => None,
        }
    }
}

/// A file that the movement is recorded in.
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

/// A note of a sealed set.
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
    /// Cells of a sheet, (column from 0, row from 1).
    Cells(Vec<Pair>),
    /// The next envelope of the foul-up set.
    FoulUp(Lines),
    /// The envelope of a plain set.
    Plain(Lines),
}

/// The worksheet's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Worksheet {
    /// Index of the first envelope opened: T mod N, the total modulo the number of envelopes (coin-envelopes 6).
    #[serde(deserialize_with = "integer")]
    pub index: u64,
    /// (envelope, row) of each attack in sorted order.
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
    /// How many rolls take a line of it.
    #[serde(deserialize_with = "integer")]
    pub lines: u64,
}

/// Two integers in a list: envelope and row, or column and row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair(#[serde(deserialize_with = "integer")] pub u64, #[serde(deserialize_with = "integer")] pub u64);

/// Why a slot is declared again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Redo {
    /// The declaration named is in breach.
    Breach(Hex32),
    /// The acceptance named agreed on it.
    Agreed(Hex32),
    /// The letter named opened an envelope of the slot's set unasked.
    Opened(Hex32),
}

/// The body of a `decide` letter: an open decision of a phase, or one that a course awaits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decide {
    /// Where its course stands, as in a declaration (courses 4).
    #[serde(deserialize_with = "nullable")]
    pub after: Option<Hex32>,
    /// Which decision of the phase.
    pub name: Name,
    /// For which slot.
    pub slot: Slot,
    /// What was chosen.
    #[serde(deserialize_with = "any")]
    pub value: Value,
}

/// How a resolver stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ended {
    /// All is resolved.
    Done,
    /// A decision is needed that was not locked.
    Needs,
}

/// The body of a `correct` letter: a proposal to correct dice, or the answer to one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Correct {
    /// A foul-up is proposed.
    Propose(Box<Proposal>),
    /// Rolls are not to count.
    Void(Voiding),
    /// A proposal is accepted.
    Accept(Hex32),
    /// A proposal is refused.
    Refuse(Hex32),
}

/// A void as proposed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Voiding {
    /// Why the rolls are not to count, in words: 1 to 1,000 characters.
    #[serde(deserialize_with = "text::<_, 1, 1_000>")]
    pub reason: String,
    /// The rolls that are not to count (disputes 1).
    pub scope: Scope,
}

impl Correct {
    /// What the types do not say (class `fields`).
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        match self {
            Self::Void(voiding) => voiding.scope.check(),
            _ => Ok(()),
        }
    }
}

/// A foul-up as proposed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    /// Who made the mistake.
    pub at_fault: Role,
    /// Which kind of mistake.
    pub class: FoulUpClass,
    /// Id of the declaration.
    pub declaration: Hex32,
    /// The input as it should have been, for a redo.
    #[serde(deserialize_with = "nullable")]
    pub input: Option<Text>,
    /// What went wrong, in words: up to 1,000 characters.
    #[serde(deserialize_with = "text::<_, 0, 1_000>")]
    pub reason: String,
}
