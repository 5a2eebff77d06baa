//! The kinds of letters (`protocol/message.md` 8).

use serde::{Deserialize, Serialize};

/// The kinds of letters (message 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The terms of a game.
    Charter,
    /// The opponent's agreement; its id is the id of the game.
    Accept,
    /// Commitments to the keys of a set.
    Seal,
    /// The rolls of a slot, fixed.
    Declare,
    /// The keys that a declaration selects.
    Reveal,
    /// A choice that must be signed before a declaration.
    Decide,
    /// A foul-up or a void: proposed, accepted or refused.
    Correct,
    /// A stall, a dispute, or a forfeit by the player who owes a step.
    Claim,
    /// A decision by the referee.
    Ruling,
    /// Sets held by the referee or the office, and the office's hand-backs, epochs and time.
    Receipt,
    /// An ask from a restored folder, or its answer.
    Resync,
    /// The secret of a set, for the referee or the office.
    Deposit,
    /// The author of terms takes them back.
    Withdraw,
    /// The end of the game for one player, with the masters of their sets.
    Close,
}

impl Kind {
    /// Returns the word for the kind in heads.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Charter => "charter",
            Self::Accept => "accept",
            Self::Seal => "seal",
            Self::Declare => "declare",
            Self::Reveal => "reveal",
            Self::Decide => "decide",
            Self::Correct => "correct",
            Self::Claim => "claim",
            Self::Ruling => "ruling",
            Self::Receipt => "receipt",
            Self::Resync => "resync",
            Self::Deposit => "deposit",
            Self::Withdraw => "withdraw",
            Self::Close => "close",
        }
    }
}

/// The permitted kinds of a named letter; empty if any kind is permitted (letters 5).
pub type Kinds = &'static [Kind];

/// The list that permits letters of any kind (letters 5).
pub(crate) const ANY_KIND: Kinds = &[];

/// Returns the list that permits only one kind.
pub(crate) const fn one(kind: &'static Kind) -> Kinds {
    std::slice::from_ref(kind)
}
