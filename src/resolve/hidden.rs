//! Hidden courses: each side knows only its own, and what it stated is worked out again once its sheets and dice are
//! open (`protocol/hidden.md`).

use std::fmt;

use serde::{Serialize, Serializer};

use super::{Draw, Object, Source};
use crate::{
    blob::{
        body::{Hex32, Role},
        json::Text,
    },
    error::Result,
};

/// A course in which what a player states follows from a sheet that only they can read.
pub trait Hidden {
    /// The length of a sheet's text with its padding, in bytes (hidden 1, 2).
    fn sheet_bytes(&self) -> u64;

    /// The tables that the charter withholds, by name, with their fingerprints (hidden 8).
    fn withheld(&self) -> Vec<(&str, Hex32)>;

    /// Names of tables that the rules may look up and that the charter neither has nor withholds. A run stops at them.
    fn lacking(&self) -> Vec<&'static str>;

    /// Describes a hand for its player: one line for each unit, then whatever else the player keeps.
    fn tell(&self, hand: &Object) -> Vec<String>;

    /// Runs a player through the declarations that the course has taken (hidden 5, 6). `supplied` has withheld tables
    /// by name; their fingerprints are already checked.
    ///
    /// # Errors
    /// [`crate::error::Error::Refused`] if the declarations are none that the course takes.
    fn run(&self, player: &Role, made: &mut [Made<'_>], supplied: &Object) -> Result<Run>;

    /// Works out what a player's next declaration has to say, from the sheet that they would seal with it. The run
    /// first goes through every declaration in `made`.
    ///
    /// # Errors
    /// [`crate::error::Error::Refused`] with everything that the sheet says and the rules do not allow, or what is not
    /// known yet.
    fn state(&self, player: &Role, made: &mut [Made<'_>], sheet: &Object, supplied: &Object) -> Result<Run>;
}

/// A declaration that the course has taken.
pub struct Made<'a> {
    /// Role of the author.
    pub by: Role,
    /// Its input, in canonical form.
    pub input: Text,
    /// What its sheet says, if that is open: an empty object if it says nothing.
    pub sheet: Option<Object>,
    /// Its dice, if they are known: a draw from `Place { index: 0, line }` is one of line `line`.
    pub dice: Option<Box<dyn Source + 'a>>,
}

/// What a run has come to (hidden 6, 9).
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// How many of the player's declarations were run.
    pub run: u64,
    /// The hand where the run stopped: after the declarations of both before that.
    pub hand: Option<Object>,
    /// Why it went no further.
    pub stopped: Option<Stop>,
    /// The player's own declarations that were run, in their order.
    pub told: Vec<Told>,
    /// What was drawn, in order, each with the place among `made` of the declaration whose die it is.
    pub draws: Vec<(usize, Draw)>,
}

/// What a run lacks to go further (hidden 9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The sheet of the next own declaration.
    Sheet,
    /// The dice of the last one.
    Dice,
    /// A table, by its name.
    Table(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sheet => f.write_str("sheet"),
            Self::Dice => f.write_str("dice"),
            Self::Table(name) => write!(f, "table {name}"),
        }
    }
}

impl Serialize for Stop {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What a run makes of one declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Its place among `made`; of the one that is being stated, the place that it will have.
    pub at: usize,
    /// What its input should be.
    pub due: Text,
    /// What is wrong with it, for people: empty if it is as it should be.
    pub wrong: Vec<String>,
    /// How it came about, step by step, for people.
    pub steps: Vec<String>,
}
