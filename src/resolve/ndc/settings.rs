//! The settings in the charter (`protocol/ndc.md` 1).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    hexes::{Hex, Low, Name},
    refused::refuse,
};
use crate::{
    blob::body::Role,
    error::Result,
    limits::{LIST, NDC_COMBATS, NDC_EW, NDC_UNITS, SHEET_BYTES},
    resolve::{Object, object, read},
};

/// The settings, with the fields of the charter.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    pub(super) adjacent: Adjacent,
    pub(super) ammo: bool,
    pub(super) combats: u64,
    pub(super) defender_to_sign: Sign,
    pub(super) doctrine: BTreeMap<Role, Doctrine>,
    pub(super) ew: u64,
    pub(super) letters: Letters,
    pub(super) low_columns: Low,
    pub(super) roll_count_public: bool,
    pub(super) sectors: BTreeMap<Name, [Hex; 2]>,
    pub(super) sheet_bytes: u64,
    pub(super) sides: [Role; 2],
    pub(super) units: u64,
}

/// Which units next to a combat count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Adjacent {
    All,
    Others,
}

/// The sign of a defender's T/O in the differential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Sign {
    Minus,
    Plus,
}

/// Which modifiers a side's chemicals have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Doctrine {
    Soviet,
    Us,
}

/// How a segment's combats are answered by mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Letters {
    Standing,
    Wait,
}

impl Settings {
    /// The settings in a template. Settings without a pre-fill get an example.
    pub(super) fn prefill() -> Result<Object> {
        let roles = [Role::parse("red"), Role::parse("blue")];
        let [Some(red), Some(blue)] = roles else { return Ok(Object::new()) };
        object(&Self {
            adjacent: Adjacent::All,
            ammo: true,
            combats: 8,
            defender_to_sign: Sign::Plus,
            doctrine: [(red.clone(), Doctrine::Soviet), (blue.clone(), Doctrine::Us)].into(),
            ew: 3,
            letters: Letters::Standing,
            low_columns: Low::Even,
            roll_count_public: false,
            sectors: [Name::parse("map")].into_iter().flatten().map(|name| (name, WHOLE)).collect(),
            sheet_bytes: 16_384,
            sides: [red, blue],
            units: 32,
        })
    }

    /// Reads and checks the settings.
    pub(super) fn settle(given: &Object) -> Result<Self> {
        let settings: Self = read("settings", given)?;
        let within = |name: &str, value: u64, low: u64, high: u64| match (low..=high).contains(&value) {
            true => Ok(()),
            false => Err(refuse(1, format_args!("{name} must be from {low} to {high}, not {value}"))),
        };
        let [one, two] = &settings.sides;
        if one == two {
            return Err(refuse(1, format_args!("sides must be two different roles, not {one} twice")));
        }
        if settings.doctrine.len() != 2 || !settings.sides.iter().all(|side| settings.doctrine.contains_key(side)) {
            return Err(refuse(1, format_args!("doctrine must list only {one} and {two}, each as soviet or us")));
        }
        within("combats", settings.combats, 1, NDC_COMBATS)?;
        within("ew", settings.ew, 0, NDC_EW)?;
        within("units", settings.units, 1, NDC_UNITS)?;
        within("sheet_bytes", settings.sheet_bytes, 1_024, SHEET_BYTES)?;
        within("the number of sectors", settings.sectors.len() as u64, 1, LIST as u64)?;
        if !settings.sheet_bytes.is_multiple_of(256) {
            return Err(refuse(1, format_args!("sheet_bytes must be a multiple of 256, not {}", settings.sheet_bytes)));
        }
        let turned = |[a, b]: &[Hex; 2]| a.column > b.column || a.row > b.row;
        if let Some((name, _)) = settings.sectors.iter().find(|(_, corners)| turned(corners)) {
            return Err(refuse(1, format_args!("sector {name}: the first corner must have the lower column and row")));
        }
        Ok(settings)
    }

    /// The opponent of a role.
    pub(super) fn other(&self, role: &Role) -> Role {
        let [one, two] = &self.sides;
        if role == one { two.clone() } else { one.clone() }
    }

    /// Whether a role is the first player.
    pub(super) fn is_first(&self, role: &Role) -> bool {
        let [first, _] = &self.sides;
        role == first
    }

    pub(super) fn beside(&self, a: Hex, b: Hex) -> bool {
        a.is_beside(b, self.low_columns)
    }

    /// Whether a hex lies in any of these sectors.
    pub(super) fn lies_in(&self, hex: Hex, sectors: &[Name]) -> bool {
        let within =
            |[a, b]: &[Hex; 2]| (a.column..=b.column).contains(&hex.column) && (a.row..=b.row).contains(&hex.row);
        sectors.iter().filter_map(|name| self.sectors.get(name)).any(within)
    }

    /// The number of rolls in every declaration (4).
    pub(super) const fn rolls(&self) -> u64 {
        5 * self.units + 1 + self.combats * (2 * self.ew + 4)
    }
}

/// The corners of the largest sector.
const WHOLE: [Hex; 2] = [Hex { column: 1, row: 1 }, Hex { column: 99, row: 99 }];
