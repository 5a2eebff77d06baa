//! The result of taking in letters from a mail or from an office's box.

use super::state::Status;
use crate::{blob::body::Role, report::description::Told};

/// The maximum number of unanswered invitations kept: each is a game of its own, and anybody can write any number of
/// them.
pub const UNANSWERED: usize = 16;

/// The result of taking in letters.
#[derive(Clone, Debug, Default)]
pub struct Received {
    /// The games that have new letters.
    pub games: Vec<NewIn>,
    /// The number of letters that were there already.
    pub known: u64,
    /// Invitations that were not kept, because too many are unanswered already: the beginning of each id, and a
    /// description.
    pub listed: Vec<(String, String)>,
    /// Sentences about letters that could not be taken in.
    pub refused: Vec<String>,
    /// Further notices to show.
    pub said: Vec<String>,
}

impl Received {
    /// Whether there is nothing to report except the notices.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.games.is_empty() && self.known == 0 && self.listed.is_empty() && self.refused.is_empty()
    }
}

/// The new letters in a game, and its state after them.
#[derive(Clone, Debug)]
pub struct NewIn {
    /// The name of the game on this machine.
    pub game: String,
    /// The new letters of the game.
    pub letters: Vec<NewLetter>,
    /// Warnings that a reader of the letters must not overlook.
    pub mind: Vec<String>,
    /// The state of the game now.
    pub status: Status,
    /// The names of other games in this home with the same title, if this game is a proposal.
    pub alike: Vec<String>,
}

/// A letter that was taken in.
#[derive(Clone, Debug)]
pub struct NewLetter {
    /// The role of the letter's author.
    pub author: Role,
    /// The number of the letter; none for a letter outside any chain.
    pub number: Option<u64>,
    /// The content of the letter, in words.
    pub says: Told,
    /// The roster in the letter, one entry per line, so that the sealer can check it before opening dice.
    pub roster: Vec<String>,
}
