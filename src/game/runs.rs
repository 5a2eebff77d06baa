//! What the runs of hidden courses come to: data for whoever reads them (`protocol/hidden.md` 5 to 9).

use std::collections::BTreeMap;

use super::terms::Player;
use crate::{
    blob::body::{Hex32, Name},
    resolve::{
        Draw, Object,
        hidden::{Run, Told},
    },
};

/// Tables that somebody supplies, by their fingerprints (hidden 8).
pub type Supplied = BTreeMap<Hex32, Object>;

/// A run, and the declarations that it went through.
#[derive(Debug)]
pub struct Ran {
    /// The phase of its course.
    pub phase: Name,
    /// Whose run it is.
    pub player: Player,
    /// The declarations that the course has taken, in order, both players'.
    pub made: Vec<Hex32>,
    /// How many of these are the player's own.
    pub declared: u64,
    /// What it came to.
    pub run: Run,
}

impl Ran {
    /// What it drew, by declaration.
    pub fn draws(&self) -> impl Iterator<Item = (Hex32, &Draw)> {
        self.run.draws.iter().filter_map(|(at, draw)| Some((*self.made.get(*at)?, draw)))
    }

    /// What it found wrong, by declaration, and the worksheets.
    pub fn told(&self) -> impl Iterator<Item = (Hex32, &Told)> {
        self.run.told.iter().filter_map(|told| Some((*self.made.get(told.at)?, told)))
    }
}
