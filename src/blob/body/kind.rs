//! The kinds of letters (`protocol/message.md` 8).

use serde::{Deserialize, Serialize};

/// The kinds of letters (message 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The terms of a game.
    Charter,
    /// The opponent's agreement; its id is the game's.
    Accept,
    /// Commitments to a set.
    Seal,
    /// What is rolled for, locked.
    Declare,
    /// The keys that a declaration selects.
    Reveal,
    /// A choice that must be signed before a declaration.
    Decide,
    /// A foul-up: proposed, accepted or refused.
    Correct,
    /// A stall, a dispute, a forfeit by the one who owes.
    Claim,
    /// What the referee says.
    Ruling,
    /// What the referee or the office holds, and the office's hand-backs, epochs and time.
    Receipt,
    /// A restored folder asks, and is answered.
    Resync,
    /// A set's secret, for the referee or the office.
    Deposit,
    /// The author of terms takes them back.
    Withdraw,
    /// The end of the game for one player, with the masters of the player's sets.
    Close,
}

impl Kind {
    /// As heads write it.
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

/// The kinds of which a letter that is named must be one; none if any will do (letters 5).
pub type Kinds = &'static [Kind];

/// The list that lets a letter of any kind do (letters 5).
pub(crate) const ANY_KIND: Kinds = &[];

/// A letter of one kind.
pub(crate) const fn one(kind: &'static Kind) -> Kinds {
    std::slice::from_ref(kind)
}
