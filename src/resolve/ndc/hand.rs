//! A player's secret hand: their units, points and orders (`protocol/ndc.md` 13).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{
    cells::Grade,
    hexes::{Hex, Name, Plain},
    input::{Chemical, Intelligence, Kind},
};

/// A hand, with the fields that reports show.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Hand {
    pub(super) allocated: Allocated,
    pub(super) ammo: Vec<Name>,
    pub(super) chances: BTreeMap<Name, Grade>,
    pub(super) command: Vec<Name>,
    pub(super) commanded: Vec<Name>,
    pub(super) entered: BTreeSet<Hex>,
    pub(super) halting: Vec<Name>,
    pub(super) next: u64,
    pub(super) orders: BTreeMap<Name, Vec<Order>>,
    pub(super) points: Points,
    pub(super) searched: Option<Intelligence>,
    pub(super) stays: Vec<Stay>,
    pub(super) units: Vec<Unit>,
}

/// Points allocated to intelligence.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Allocated {
    pub(super) air: Plain,
    pub(super) signal: Plain,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Points {
    pub(super) air: Plain,
    pub(super) artillery: Plain,
    pub(super) signal: Plain,
}

/// A standing order: what a unit does when it is attacked (18).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Order {
    pub(super) chemical: Chemical,
    pub(super) commander: Option<Commander>,
    pub(super) control_loss: bool,
    pub(super) ew_attacks: Plain,
    pub(super) ew_superiority: super::hexes::Int<0, 9>,
    pub(super) fpf: Plain,
    pub(super) retreat: Vec<Hex>,
    pub(super) subordinates: Vec<Name>,
    pub(super) terrain: Vec<Name>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Commander {
    pub(super) unit: Name,
    pub(super) with: With,
}

/// Which unit a commander shares a hex with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum With {
    Hq,
    Unit,
}

/// The situation at the end of a segment's moves (19).
#[derive(Clone, Debug, Serialize)]
pub(super) struct Stay {
    pub(super) contacts: BTreeSet<Hex>,
    pub(super) units: BTreeMap<Name, Stood>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Stood {
    pub(super) hex: Hex,
    pub(super) left: i64,
}

/// A unit in a hand (13).
#[derive(Clone, Debug, Serialize)]
pub(super) struct Unit {
    pub(super) attack: i64,
    pub(super) attacks: i64,
    pub(super) commander: Option<i64>,
    pub(super) contacts: Vec<u64>,
    pub(super) defense: i64,
    pub(super) depleted: bool,
    pub(super) ew: i64,
    pub(super) fatigue: i64,
    pub(super) finished: bool,
    pub(super) gone: bool,
    pub(super) halted: bool,
    pub(super) hexes: Vec<Hex>,
    pub(super) kind: Kind,
    pub(super) leadership: i64,
    pub(super) level: i64,
    pub(super) march: i64,
    pub(super) marching: bool,
    pub(super) mode: Name,
    pub(super) moved: bool,
    pub(super) movement: i64,
    pub(super) name: Name,
    pub(super) reset: bool,
    pub(super) spent: i64,
    pub(super) to: i64,
    pub(super) volunteered: bool,
}

impl Default for Hand {
    fn default() -> Self {
        Self {
            allocated: Allocated::default(),
            ammo: Vec::new(),
            chances: BTreeMap::new(),
            command: Vec::new(),
            commanded: Vec::new(),
            entered: BTreeSet::new(),
            halting: Vec::new(),
            next: 1,
            orders: BTreeMap::new(),
            points: Points::default(),
            searched: None,
            stays: Vec::new(),
            units: Vec::new(),
        }
    }
}

impl Hand {
    /// The place of a unit that is not gone.
    pub(super) fn find(&self, name: &Name) -> Option<usize> {
        self.units.iter().position(|unit| unit.name == *name && !unit.gone)
    }

    /// The units that are not gone, with their places.
    pub(super) fn there(&self) -> impl Iterator<Item = (usize, &Unit)> {
        self.units.iter().enumerate().filter(|(_, unit)| !unit.gone)
    }

    /// The first unit on a hex.
    pub(super) fn on(&self, hex: Hex) -> Option<usize> {
        self.there().find(|(_, unit)| unit.hexes.contains(&hex)).map(|(place, _)| place)
    }

    /// Points for fire: artillery and air points not allocated to intelligence.
    pub(super) const fn fire(&self) -> i64 {
        self.points.artillery.0 + self.points.air.0 - self.allocated.air.0
    }

    /// Whether a commander has a rating and is on a hex where it can serve a unit (21).
    pub(super) fn commands(&self, commander: &Commander, unit: &Unit) -> bool {
        let Some(leader) = self.find(&commander.unit).and_then(|place| self.units.get(place)) else { return false };
        let stands = match commander.with {
            With::Unit => unit.shares(leader),
            With::Hq => {
                let mut others = self.there().filter(|(_, other)| other.name != leader.name);
                others.any(|(_, other)| other.kind == Kind::Hq && other.shares(leader))
            }
        };
        stands && leader.commander.is_some()
    }

    /// The rating of the named unit, if it is a subordinate of `unit` (21).
    pub(super) fn subordinate(&self, name: &Name, unit: &Unit, commander: Option<&Commander>) -> Option<i64> {
        let other = self.find(name).and_then(|place| self.units.get(place))?;
        let serves = other.name != unit.name && other.shares(unit);
        let leads = commander.is_some_and(|commander| commander.unit == *name);
        other.commander.filter(|_| serves && !leads)
    }

    /// Why a unit cannot have this commander and these subordinates; `None` if it can.
    pub(super) fn misled(&self, unit: &Unit, commander: Option<&Commander>, names: &[Name]) -> Option<String> {
        if let Some(commander) = commander.filter(|commander| !self.commands(commander, unit)) {
            return Some(format!(
                "{} cannot command here: it must have a rating, and share a hex with the unit (with: unit) or \
                 with another unit of kind hq (with: hq)",
                commander.unit
            ));
        }
        if !super::hexes::ascending(names) {
            return Some("subordinates must be sorted, without repeats".into());
        }
        let other = names.iter().find(|name| self.subordinate(name, unit, commander).is_none())?;
        Some(format!(
            "{other} cannot be a subordinate: it must be another unit with a rating on a hex of {}, \
             and not its commander",
            unit.name
        ))
    }
}

impl Unit {
    /// Movement points in a turn, with the forced march.
    pub(super) const fn moves(&self) -> i64 {
        self.movement + if self.marching { self.march } else { 0 }
    }

    /// Whether the unit shares a hex with another unit.
    pub(super) fn shares(&self, other: &Self) -> bool {
        self.hexes.iter().any(|hex| other.hexes.contains(hex))
    }

    /// Whether the unit is shown to the opponent (26).
    pub(super) const fn is_shown(&self) -> bool {
        !self.gone && (self.level >= 2 || self.volunteered)
    }

    /// Lowers the unit's T/O. At 0, the unit is gone.
    pub(super) fn loses(&mut self, loss: i64) {
        self.to = (self.to - loss).max(0);
        if self.to == 0 {
            self.leaves();
        }
    }

    /// Marks the unit as gone: it keeps no hexes and no contacts (22 e).
    pub(super) fn leaves(&mut self) {
        self.gone = true;
        self.hexes.clear();
        self.contacts.clear();
    }
}
