//! The purpose of a set (`protocol/letters.md`, seal 3), and the names that the protocol gives to notes.

use crate::blob::body::{Name, SetKind, Slot, plain_number};

/// The name of standing notes (courses 12).
pub const STANDING: &str = "standing";

/// The name of the decision by which both players give simultaneous orders (courses 17, 18).
pub const ORDERS: &str = "orders";

/// The name of the sheets of hidden courses (hidden 2).
pub const SHEET: &str = "sheet";

/// The last number of a numbered set.
const LAST: u64 = 9_999;

/// The purpose of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The dice of a slot, for coin and plain sets.
    Slot(Slot),
    /// A number, counted separately for each kind: for sheets, foul-up and contribution sets.
    Number(u64),
    /// A slot, and the note's name there.
    Note(Slot, Name),
}

impl Purpose {
    /// Parses the purpose of a set of a kind; `None` if it does not fit that kind. Whether its slot is possible depends
    /// on the terms.
    ///
    /// # Examples
    ///
    /// ```
    /// use sealed_dice::{blob::body::SetKind, game::purpose::Purpose};
    ///
    /// assert_eq!(Purpose::parse(SetKind::Sheet, "sheet/2"), Some(Purpose::Number(2)));
    /// assert_eq!(Purpose::parse(SetKind::Coin, "sheet/2"), None);
    /// let purpose = Purpose::parse(SetKind::Note, "3/1/combat/1/orders").ok_or("no purpose")?;
    /// assert_eq!(purpose.note("orders").map(ToString::to_string), Some("3/1/combat/1".into()));
    /// # Ok::<(), &str>(())
    /// ```
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

    /// Returns the slot in the purpose, if it has one.
    #[must_use]
    pub const fn slot(&self) -> Option<&Slot> {
        match self {
            Self::Slot(slot) | Self::Note(slot, _) => Some(slot),
            Self::Number(_) => None,
        }
    }

    /// Returns the slot of a note, if the note has the given name.
    #[must_use]
    pub fn note(&self, name: &str) -> Option<&Slot> {
        match self {
            Self::Note(slot, own) if own.as_str() == name => Some(slot),
            _ => None,
        }
    }
}
