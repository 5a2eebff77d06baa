//! Hidden courses: each side knows only its own situation. Its statements are recomputed once its sheets and dice are
//! open (`protocol/hidden.md`).

use std::fmt;

use serde::{Serialize, Serializer};

use super::{Draw, Object, PositionTable, Source};
use crate::{
    blob::{
        body::{Hex32, Role},
        json::Text,
    },
    error::Result,
};

/// A course in which a player's statements follow from a sheet that only that player can read.
pub trait Hidden {
    /// Length of a sheet's text with padding, in bytes (hidden 1, 2).
    fn sheet_bytes(&self) -> u64;

    /// Names and fingerprints of the tables that the charter withholds (hidden 8).
    fn withheld(&self) -> Vec<(&str, Hex32)>;

    /// Names of tables that the rules may look up, but that the charter does not contain or withhold. A run stops at
    /// them.
    fn lacking(&self) -> Vec<&'static str>;

    /// Says what the author of the next declaration does in it, such as `Move your units`.
    ///
    /// # Errors
    /// [`crate::error::Error::Refused`] if `state` is not a state of this system.
    fn next(&self, state: &Object) -> Result<&'static str>;

    /// Returns the form for a player's next sheet, with what the player's `hand` adds: the names of their units where
    /// the form asks for one, and entries for the units under attack.
    ///
    /// # Errors
    /// [`crate::error::Error::Refused`] if `state` is not a state of this system.
    fn form(&self, state: &Object, hand: &Object) -> Result<String>;

    /// Returns a sheet as it is sealed: what a player wrote, with the lists in order whose order means nothing.
    fn in_order(&self, sheet: Object) -> Object;

    /// Describes a hand for its player: one line for each unit, then everything else in the hand.
    fn tell(&self, hand: &Object) -> Vec<String>;

    /// Lists the units in a hand: those that the first lines of [`Hidden::tell`] are about.
    fn roster(&self, hand: &Object) -> PositionTable;

    /// Replays a player's side of the declarations in the course (hidden 5, 6). `supplied` contains withheld tables by
    /// name, with fingerprints already checked.
    ///
    /// # Errors
    /// [`crate::error::Error::Refused`] if the course does not accept the declarations.
    fn run(&self, player: &Role, made: &mut [Made<'_>], supplied: &Object) -> Result<Run>;

    /// Computes a player's next declaration from the sheet that they would seal with it. The run first goes through
    /// every declaration in `made`.
    ///
    /// # Errors
    /// [`crate::error::Error::Refused`] with everything in the sheet that breaks a rule, or with the missing
    /// information.
    fn state(&self, player: &Role, made: &mut [Made<'_>], sheet: &Object, supplied: &Object) -> Result<Run>;
}

/// A declaration in the course.
pub struct Made<'a> {
    /// Role of the author.
    pub by: Role,
    /// Input of the declaration, in canonical form.
    pub input: Text,
    /// Contents of the declaration's sheet if that is open; an empty object for an empty sheet.
    pub sheet: Option<Object>,
    /// Dice of the declaration, if known. A draw from `Place { index: 0, line }` belongs to line `line`.
    pub dice: Option<Box<dyn Source + 'a>>,
}

/// Result of a run (hidden 6, 9).
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Number of the player's declarations that were run.
    pub run: u64,
    /// The player's hand where the run stopped, after all earlier declarations of both players.
    pub hand: Option<Object>,
    /// Why the run stopped early, if it did.
    pub stopped: Option<Stop>,
    /// The player's own declarations that were run, in order.
    pub told: Vec<Told>,
    /// The draws in order, each with the index in `made` of the declaration that its die belongs to.
    pub draws: Vec<(usize, Draw)>,
}

/// What a run needs to continue (hidden 9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The sheet for the player's next declaration.
    Sheet,
    /// The dice for the player's last declaration.
    Dice,
    /// The table with this name.
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

/// Result of a run for one declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Index in `made`; for the declaration being computed, the index that it will have.
    pub at: usize,
    /// The correct input.
    pub due: Text,
    /// Differences from the correct input, for people; empty if there are none.
    pub wrong: Vec<String>,
    /// Steps that led to the input, for people.
    pub steps: Vec<String>,
}
