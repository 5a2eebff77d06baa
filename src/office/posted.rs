//! What comes of letters that are left at an office, and what the office holds to.

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

/// What the operator of an office reads whose database was restored, or has forgotten.
pub const RESTORED: &str = "THE DATABASE WAS RESTORED OR HAS FORGOTTEN: letters are taken in and nothing is signed. Let the players \
    leave what they hold (they type: sealed-dice office push), then stop this, type  sealed-dice office epoch  and serve again";

/// What an office holds to.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// What each author may have in one box at most.
    pub share: Share,
    /// Most bytes that the store takes on the disk; 0 for as many as there are.
    pub store_bytes: u64,
    /// Most bytes of letters that stay in memory.
    pub memory_bytes: usize,
    /// What one client, or one invitation, may have stored in a day.
    pub daily: Daily,
    /// Most work of one client that waits for a turn, as it is expected to cost.
    pub waiting: Duration,
}

/// Whoever leaves letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// Its address, or what its household has of them; none is counted to nobody.
    pub address: Option<IpAddr>,
    /// The invitation that it brings, by its place among them.
    pub invitation: Option<usize>,
}

/// What came of letters that were brought.
#[derive(Debug, Default)]
pub struct Posted {
    /// Those that were brought or are new in the box, the office's own included, with their positions.
    pub letters: Vec<(u64, Letter)>,
    /// The position of the last letter of the box.
    pub last: u64,
    /// Whether anything that was brought is in the box now: who brought it knows that the box is there.
    pub is_of_box: bool,
    /// What was not taken.
    pub refused: Vec<Refused>,
    /// Declarations that the office does not open, with the letters that show why.
    pub waiting: Vec<(Unopened, Vec<Letter>)>,
    /// Whether the office has something to sign and waits for an epoch.
    pub restored: bool,
    /// What each author may have in the box at most, and what each has.
    pub room: (Share, Vec<(Role, Share)>),
}

/// Why nothing came of it.
#[derive(Debug)]
pub enum PostError {
    /// There is no such box.
    NoBox,
    /// The store has no room for it.
    StoreFull,
    /// The client, or its invitation, has had its ration for now.
    Rationed(Later),
    /// The charter is none that this office accepts.
    Charter(Error),
    /// Too many came first.
    Busy,
    /// The store does not do its part.
    Store(StoreError),
    /// The office does not do its part.
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

/// The time, in seconds since 1970.
#[must_use]
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
