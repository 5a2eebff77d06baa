//! What a Combat Phase has come to: who fired, absorbed, and was struck (`protocol/cil.md` 10 to 18).

use serde::Serialize;

use super::place::{Location, Places, Side, Sides};

/// Which Combat Phase of a round it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Phase {
    Combat,
    Assault,
}

/// A unit that fires, or absorbs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Series {
    pub(super) side: Side,
    /// Its place in the roster.
    pub(super) unit: usize,
    /// Its value at first; -1 where a unit without Attack is dug in.
    pub(super) value: i64,
    /// Hits, or points of absorption.
    pub(super) counted: u64,
    /// Where it fires; where it absorbs, its own location.
    pub(super) at: Location,
}

/// What became of a hit.
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

/// The hits that came to a location at one time.
#[derive(Clone, Debug)]
pub(super) struct Applied {
    pub(super) side: Side,
    pub(super) at: Location,
    /// For excess, where it comes from.
    pub(super) from: Option<Location>,
    pub(super) hits: u64,
    pub(super) halved: u64,
    pub(super) lost: u64,
    pub(super) sent: u64,
    pub(super) struck: Vec<Struck>,
}
/// What a phase has come to.
#[derive(Debug, Default)]
pub(super) struct Fought {
    pub(super) fires: Vec<Series>,
    pub(super) absorbs: Vec<Series>,
    pub(super) applied: Vec<Applied>,
    /// Locations that became OVERRUN.
    pub(super) overrun: Vec<(Side, Location)>,
    /// Casualties of each unit.
    pub(super) lost: Each<u64>,
    /// Locations that were under fire, or that excess was applied in.
    pub(super) involved: Sides<Places<bool>>,
}

/// Something of each unit, in the order of the roster.
pub(super) type Each<T> = Sides<Vec<T>>;
