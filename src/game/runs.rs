//! The results of the runs of hidden courses, as data for readers (`protocol/hidden.md` 5 to 9).

use std::collections::BTreeMap;

use super::terms::Player;
use crate::{
    blob::body::{Hex32, Name},
    resolve::{
        Draw, Object,
        hidden::{Run, Told},
    },
};

/// Tables supplied from outside, by their fingerprints (hidden 8).
pub type Supplied = BTreeMap<Hex32, Object>;

/// A run, and the declarations that it covered.
#[derive(Debug)]
pub struct Ran {
    /// The phase of the run's course.
    pub phase: Name,
    /// The player whose declarations are run.
    pub player: Player,
    /// The declarations that the course has taken from both players, in order.
    pub made: Vec<Hex32>,
    /// The number of declarations by the player.
    pub declared: u64,
    /// The result of the run.
    pub run: Run,
}

impl Ran {
    /// Returns the draws of the run, by declaration.
    pub fn draws(&self) -> impl Iterator<Item = (Hex32, &Draw)> {
        self.run.draws.iter().filter_map(|(at, draw)| Some((*self.made.get(*at)?, draw)))
    }

    /// Returns the faults found by the run, by declaration, with the worksheets.
    pub fn told(&self) -> impl Iterator<Item = (Hex32, &Told)> {
        self.run.told.iter().filter_map(|told| Some((*self.made.get(told.at)?, told)))
    }
}
