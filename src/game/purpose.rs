//! What a set is sealed for (`protocol/letters.md`, seal 3), and the names that the protocol gives to notes.

use crate::blob::body::{Name, SetKind, Slot, plain_number};

/// The name of standing notes (courses 12).
pub const STANDING: &str = "standing";

/// The name of the decision by which both players order at once (courses 17, 18).
pub const ORDERS: &str = "orders";

/// The name of sheets of hidden courses (hidden 2).
pub const SHEET: &str = "sheet";

/// The last number of a numbered set.
const LAST: u64 = 9_999;

/// What a set is sealed for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The dice of a slot: of coin and plain sets.
    Slot(Slot),
    /// A number, counted for each kind: of sheets, foul-up and contribution sets.
    Number(u64),
    /// A slot, and what the note is called there.
    Note(Slot, Name),
}

impl Purpose {
    /// Reads the purpose of a set of a kind; none if it is none of that kind. The terms say whether its slot is
    /// possible.
    #[must_use]
    pub fn parse(kind: SetKind, written: &str) -> Option<Self> {
        match kind {
            SetKind::Coin | SetKind::Plain => Slot::parse(written).map(Self::Slot),
            SetKind::Sheet | SetKind::FoulUp | SetKind::Contribution => {
                let number = written.strip_prefix(kind.as_str())?.strip_prefix('/')?;
                plain_number(number, LAST).map(Self::Number)
            }
            SetKind::Note => {
                let (slot, name) = written.rsplit_once('/')?;
                Some(Self::Note(Slot::parse(slot)?, Name::parse(name)?))
            }
        }
    }

    /// The slot that it is for.
    #[must_use]
    pub const fn slot(&self) -> Option<&Slot> {
        match self {
            Self::Slot(slot) | Self::Note(slot, _) => Some(slot),
            Self::Number(_) => None,
        }
    }

    /// The slot of a note of a name.
    #[must_use]
    pub fn note(&self, name: &str) -> Option<&Slot> {
        match self {
            Self::Note(slot, own) if own.as_str() == name => Some(slot),
            _ => None,
        }
    }
}
