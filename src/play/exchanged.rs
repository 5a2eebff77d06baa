//! The result of an exchange with an office.

use super::{failure::Failure, received::Received, state::Status};

/// The result of exchanging letters with an office.
#[derive(Debug, Default)]
pub struct Exchanged {
    /// The letters that came from the office.
    pub received: Received,
    /// The state of the game, if nothing arrived but something was left.
    pub status: Option<Box<Status>>,
    /// Further notices to show.
    pub said: Vec<String>,
}

impl Exchanged {
    /// Makes the result for received letters.
    pub(super) const fn of(received: Received) -> Self {
        Self { received, status: None, said: Vec::new() }
    }

    /// Whether nothing arrived, and there is no status to show.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.received.is_empty() && self.status.is_none()
    }

    /// Adds a sentence to the notices.
    pub(super) fn saying(mut self, line: impl Into<String>) -> Self {
        self.said.push(line.into());
        self
    }
}

/// The result for one game when several games are exchanged in turn.
#[derive(Debug)]
pub struct Came {
    /// The name of the game, if there are several.
    pub game: Option<String>,
    /// The result of its exchange.
    pub came: Result<Exchanged, Failure>,
}

/// An event while an office is being watched.
#[derive(Debug)]
pub enum Watched {
    /// Letters came from the office.
    Came(Exchanged),
    /// The named game has a problem; the watch goes on with the other games.
    Failed(String, Failure),
    /// The watch begins to wait for letters in the named game.
    Waits(String),
}
