//! What an exchange with an office comes to.

use super::{failure::Failure, received::Received, state::Status};

/// What an exchange of letters with an office came to.
#[derive(Debug, Default)]
pub struct Exchanged {
    /// The letters that came from the office.
    pub received: Received,
    /// How the game stands, where nothing came and something was left.
    pub status: Option<Box<Status>>,
    /// What else there is to say.
    pub said: Vec<String>,
}

impl Exchanged {
    /// Of letters that came.
    pub(super) const fn of(received: Received) -> Self {
        Self { received, status: None, said: Vec::new() }
    }

    /// Whether nothing came, and there is no status to tell.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.received.is_empty() && self.status.is_none()
    }

    /// With one more sentence.
    pub(super) fn saying(mut self, line: impl Into<String>) -> Self {
        self.said.push(line.into());
        self
    }
}

/// What came of one game, of several that are exchanged one after the other.
#[derive(Debug)]
pub struct Came {
    /// What the game is called, if there are several.
    pub game: Option<String>,
    /// What came of it.
    pub came: Result<Exchanged, Failure>,
}

/// What happens while somebody watches an office.
#[derive(Debug)]
pub enum Watched {
    /// Letters came from the office.
    Came(Exchanged),
    /// Something is wrong with a game; the others go on.
    Failed(String, Failure),
    /// The watch begins to wait for letters of a game: its name.
    Waits(String),
}
