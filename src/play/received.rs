//! What became of the letters of a mail or of an office's box.

use super::state::Status;
use crate::blob::body::Role;

/// Most invitations of others that are kept without an answer: each is a game of its own, and anybody can write any
/// number.
pub const UNANSWERED: usize = 16;

/// What became of letters that came.
#[derive(Clone, Debug, Default)]
pub struct Received {
    /// The games that have new letters.
    pub games: Vec<NewIn>,
    /// How many letters were there already.
    pub known: u64,
    /// Invitations that were not kept, because too many wait already: the beginning of the id of each, and what it is.
    pub listed: Vec<(String, String)>,
    /// Sentences about what could not be taken in.
    pub refused: Vec<String>,
    /// What else there is to say.
    pub said: Vec<String>,
}

impl Received {
    /// Whether there is nothing to tell but what is said beside.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.games.is_empty() && self.known == 0 && self.listed.is_empty() && self.refused.is_empty()
    }
}

/// The new letters of a game, and how it stands with them.
#[derive(Clone, Debug)]
pub struct NewIn {
    /// What the game is called on this machine.
    pub game: String,
    /// Its new letters.
    pub letters: Vec<NewLetter>,
    /// What whoever reads them must not overlook.
    pub mind: Vec<String>,
    /// How the game stands now.
    pub status: Status,
    /// Other games of this home with its title, if it is a proposal.
    pub alike: Vec<String>,
}

/// A letter that came.
#[derive(Clone, Debug)]
pub struct NewLetter {
    /// The role of the letter's author.
    pub author: Role,
    /// Its number; none of a letter that is in no chain.
    pub number: Option<u64>,
    /// What the letter says, in words.
    pub says: String,
    /// The roster that it states, one entry a line, so that the sealer can check it before opening dice.
    pub roster: Vec<String>,
}
