//! What the charter settles (`protocol/ndc.md` 1).

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

/// The settings as the charter writes them.
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

/// Whose units count beside a combat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Adjacent {
    All,
    Others,
}

/// How a defender's T/O counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Sign {
    Minus,
    Plus,
}

/// What chemicals are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Doctrine {
    Soviet,
    Us,
}

/// How a segment's combats travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Letters {
    Standing,
    Wait,
}

impl Settings {
    /// What a template writes; settings without a pre-fill have an example of their form.
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

    /// Reads and checks all of them.
    pub(super) fn settle(given: &Object) -> Result<Self> {
        let settings: Self = read("settings", given)?;
        let within = |name: &str, value: u64, low: u64, high: u64| match (low..=high).contains(&value) {
            true => Ok(()),
            false => Err(refuse(1, format_args!("{name} is {value}; it is {low} to {high}"))),
        };
        let [one, two] = &settings.sides;
        if one == two {
            return Err(refuse(1, format_args!("the sides are {one} twice; they are two roles")));
        }
        if settings.doctrine.len() != 2 || !settings.sides.iter().all(|side| settings.doctrine.contains_key(side)) {
            return Err(refuse(1, format_args!("doctrine: soviet or us for {one} and for {two}, and for nobody else")));
        }
        within("combats", settings.combats, 1, NDC_COMBATS)?;
        within("ew", settings.ew, 0, NDC_EW)?;
        within("units", settings.units, 1, NDC_UNITS)?;
        within("sheet_bytes", settings.sheet_bytes, 1_024, SHEET_BYTES)?;
        within("the number of sectors", settings.sectors.len() as u64, 1, LIST as u64)?;
        if !settings.sheet_bytes.is_multiple_of(256) {
            return Err(refuse(1, format_args!("sheet_bytes is {}; it is a multiple of 256", settings.sheet_bytes)));
        }
        let turned = |[a, b]: &[Hex; 2]| a.column > b.column || a.row > b.row;
        if let Some((name, _)) = settings.sectors.iter().find(|(_, corners)| turned(corners)) {
            return Err(refuse(1, format_args!("sector {name}: the first corner has the lower column and row")));
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

    /// Whether a hex lies in one of some sectors.
    pub(super) fn lies_in(&self, hex: Hex, sectors: &[Name]) -> bool {
        let within =
            |[a, b]: &[Hex; 2]| (a.column..=b.column).contains(&hex.column) && (a.row..=b.row).contains(&hex.row);
        sectors.iter().filter_map(|name| self.sectors.get(name)).any(within)
    }

    /// How many rolls every declaration has (4).
    pub(super) const fn rolls(&self) -> u64 {
        5 * self.units + 1 + self.combats * (2 * self.ew + 4)
    }
}

/// The corners of the largest sector.
const WHOLE: [Hex; 2] = [Hex { column: 1, row: 1 }, Hex { column: 99, row: 99 }];
