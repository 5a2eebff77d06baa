//! The result of leaving letters at an office, and the office's limits.

use std::{
    net::IpAddr,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::{
    decision::Refused,
    rations::{Daily, Later},
    room::Share,
    store::StoreError,
};
use crate::{
    blob::body::Role,
    error::Error,
    game::{opener::Unopened, steps::Letter},
};

/// The warning to the operator of an office whose database was restored, or has forgotten letters.
pub const RESTORED: &str = "THE DATABASE WAS RESTORED, OR HAS FORGOTTEN LETTERS: the office takes letters in and signs \
    nothing. Ask the players to leave the letters that they hold (they type: sealed-dice office push). Then stop the \
    office, type  sealed-dice office epoch  and restart the office";

/// The limits of an office.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The limit on each author's share of one box.
    pub share: Share,
    /// The maximum number of bytes that the store may take on the disk; 0 for no limit.
    pub store_bytes: u64,
    /// The maximum memory for letters and the state of games, in bytes.
    pub memory_bytes: usize,
    /// The amounts that one client, or one invitation, may store in a day.
    pub daily: Daily,
    /// The maximum work from one client that may wait for a turn, as its expected duration.
    pub waiting: Duration,
}

/// A client that leaves letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// The client's IPv4 address, or the 64-bit network of its IPv6 address. Without an address, nothing is counted.
    pub address: Option<IpAddr>,
    /// The index of the invitation that the client brings.
    pub invitation: Option<usize>,
}

/// The result of leaving letters in a box.
#[derive(Debug, Default)]
pub struct Posted {
    /// The letters that were brought or are new in the box, including the office's own, with their positions.
    pub letters: Vec<(u64, Letter)>,
    /// The position of the last letter of the box.
    pub last: u64,
    /// Whether a brought letter is in the box now, which means that the client knows about the box.
    pub is_of_box: bool,
    /// The letters that were not taken.
    pub refused: Vec<Refused>,
    /// Declarations that the office does not open, and other letters that wait, each with the letters that show why.
    pub waiting: Vec<(Unopened, Vec<Letter>)>,
    /// Whether the office signs nothing because it was restored and waits for its operator (post 17).
    pub restored: bool,
    /// The limit on each author's share of the box, and the share that each author except the office has used.
    pub room: (Share, Vec<(Role, Share)>),
}

/// Why letters could not be left.
#[derive(Debug)]
pub enum PostError {
    /// The box does not exist.
    NoBox,
    /// The store has no room for the letters.
    StoreFull,
    /// The client, or its invitation, has used up its ration for now.
    Rationed(Later),
    /// This office does not accept the charter.
    Charter(Error),
    /// Too many other requests are waiting.
    Busy,
    /// The store failed or refused.
    Store(StoreError),
    /// The office failed to answer.
    Office(Error),
}

impl From<Later> for PostError {
    fn from(later: Later) -> Self {
        Self::Rationed(later)
    }
}

impl From<StoreError> for PostError {
    fn from(fault: StoreError) -> Self {
        Self::Store(fault)
    }
}

/// Returns the current time, in seconds since 1970.
#[must_use]
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
