//! The settings of CIL, and the table of mixed forces (`protocol/cil.md` 1 to 4).

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

use super::{
    forces::{Force, Kind, Season},
    place::{Facing, Sides},
};
use crate::{
    blob::body::Role,
    error::{Error, Result},
    limits::LIST,
    resolve::{Object, read},
};

/// The name of the table of mixed forces in a charter.
pub(super) const TABLE: &str = "cil-mixed";

/// The highest weight in the table.
pub(super) const WEIGHT: u64 = 100;

/// Which emptied locations become OVERRUN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Overrun {
    Any,
    Targeted,
}

/// How Effectiveness is lost and gained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Effectiveness {
    Points,
    Relative,
}

/// How probes halve casualties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Probe {
    Alternate,
    HitsFloor,
}

/// Whether kinds of units matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Mixed {
    Off,
    Table,
}

/// The settings, with the fields of the charter and the table that they need.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    pub(super) assault_cost: u64,
    pub(super) attacker: Role,
    pub(super) chain: bool,
    pub(super) defender: Role,
    pub(super) effectiveness: Effectiveness,
    pub(super) facing: Facing,
    pub(super) forces: Sides<Force>,
    pub(super) mixed: Mixed,
    pub(super) overrun: Overrun,
    pub(super) probe: Probe,
    pub(super) recover_pct: u64,
    pub(super) scale_values: bool,
    pub(super) season: Season,
    pub(super) spill_absorbs: bool,
    #[serde(skip)]
    pub(super) table: Option<Table>,
}

impl Settings {
    pub(super) fn overruns_any(&self) -> bool {
        self.overrun == Overrun::Any
    }

    pub(super) fn alternates(&self) -> bool {
        self.probe == Probe::Alternate
    }

    pub(super) fn halves_pools(&self) -> bool {
        self.probe == Probe::HitsFloor
    }

    /// Effectiveness after a loss (19).
    pub(super) fn loses(&self, has: u64, loses: u64) -> u64 {
        match self.effectiveness {
            Effectiveness::Points => has.saturating_sub(loses),
            Effectiveness::Relative => has * 100u64.saturating_sub(loses) / 100,
        }
    }

    /// Effectiveness after a gain (19).
    pub(super) fn gains(&self, has: u64, gains: u64) -> u64 {
        let gained = match self.effectiveness {
            Effectiveness::Points => has + gains,
            Effectiveness::Relative => has * (100 + gains) / 100,
        };
        gained.min(100)
    }

    pub(super) fn other(&self, role: &Role) -> Role {
        if *role == self.attacker { self.defender.clone() } else { self.attacker.clone() }
    }
}

/// Weights by kind of the firing unit and of the unit struck.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) kinds: Vec<Kind>,
    pub(super) weights: Vec<Vec<u64>>,
}

impl Table {
    pub(super) fn read(tables: &Object) -> Result<Self> {
        let missing =
            || refuse(3, format_args!("mixed is \"table\", so the terms must have the table {TABLE}: add it"));
        let table = tables.get(TABLE).ok_or_else(missing)?;
        let wrong = |why: &dyn fmt::Display| refuse(3, format_args!("the table {TABLE}: {why}"));
        let fields = table.as_object().ok_or_else(|| wrong(&"it must be an object"))?;
        let rows: BTreeMap<Kind, BTreeMap<Kind, u64>> = read("rows", fields).map_err(|error| wrong(&error))?;
        if !(1..=LIST).contains(&rows.len()) {
            return Err(wrong(&format_args!("it must have 1 to {LIST} rows, not {}", rows.len())));
        }
        for (kind, row) in &rows {
            if !row.keys().eq(rows.keys()) {
                return Err(wrong(&format_args!(
                    "{}: each row must list exactly the kinds that have rows",
                    kind.as_str()
                )));
            }
            if let Some(weight) = row.values().find(|weight| **weight > WEIGHT) {
                return Err(wrong(&format_args!("{}: a weight must be 0 to {WEIGHT}, not {weight}", kind.as_str())));
            }
        }
        let weights = rows.values().map(|row| row.values().copied().collect()).collect();
        Ok(Self { kinds: rows.into_keys().collect(), weights })
    }

    /// The index of a kind's row, and of its column.
    pub(super) fn index(&self, kind: &Kind) -> Option<usize> {
        self.kinds.binary_search(kind).ok()
    }

    pub(super) fn weight(&self, fires: usize, struck: usize) -> u64 {
        self.weights.get(fires).and_then(|row| row.get(struck)).copied().unwrap_or_default()
    }
}

pub(super) fn refuse(rule: u64, text: impl fmt::Display) -> Error {
    Error::Refused(format!("cil {rule}: {text}"))
}
