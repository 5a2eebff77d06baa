//! The results of a Combat Phase: fire, absorption and hits (`protocol/cil.md` 10 to 18).

use std::ops::Range;

use serde::Serialize;

use super::place::{Location, Places, Side, Sides};

/// The Combat Phases of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Phase {
    Combat,
    Assault,
}

/// The dice of a unit that fires or absorbs.
#[derive(Clone, Debug)]
pub(super) struct Series {
    pub(super) side: Side,
    /// The unit's place in the roster.
    pub(super) unit: usize,
    /// The value before the dice; -1 for a dug-in unit with Attack 0.
    pub(super) value: i64,
    /// Hits, or points of absorption.
    pub(super) counted: u64,
    /// The range of its dice in [`Fought::dice`].
    pub(super) dice: Range<usize>,
    /// The location fired at, or the unit's own location if it absorbs.
    pub(super) at: Location,
}

/// The effect of a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Came {
    Absorbed,
    Halved,
    Casualty,
}

/// A hit that struck a unit, with the die that chose it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Struck {
    pub(super) unit: usize,
    pub(super) draw: Option<u64>,
    pub(super) came: Came,
}

/// The hits applied to a location at one time.
#[derive(Clone, Debug)]
pub(super) struct Applied {
    pub(super) side: Side,
    pub(super) at: Location,
    /// For excess, the location that it comes from.
    pub(super) from: Option<Location>,
    pub(super) hits: u64,
    pub(super) halved: u64,
    pub(super) lost: u64,
    pub(super) sent: u64,
    pub(super) struck: Vec<Struck>,
}
/// The results of a phase.
#[derive(Debug, Default)]
pub(super) struct Fought {
    pub(super) fires: Vec<Series>,
    pub(super) absorbs: Vec<Series>,
    /// The dice of all series, in one list to save allocations.
    pub(super) dice: Vec<u64>,
    pub(super) applied: Vec<Applied>,
    /// Locations that became OVERRUN.
    pub(super) overrun: Vec<(Side, Location)>,
    /// Each unit's casualties.
    pub(super) lost: Each<u64>,
    /// Locations that were under fire or took excess.
    pub(super) involved: Sides<Places<bool>>,
}

impl Fought {
    /// The dice of a series, in the order in which they were drawn.
    pub(super) fn dice_of(&self, series: &Series) -> &[u64] {
        self.dice.get(series.dice.clone()).unwrap_or_default()
    }
}

/// A value for each unit, in the order of the roster.
pub(super) type Each<T> = Sides<Vec<T>>;
