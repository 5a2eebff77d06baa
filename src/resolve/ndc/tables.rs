//! The players' tables: reading, checking and look-ups (`protocol/ndc.md` 3).

use std::collections::BTreeMap;

use serde::{Deserialize, de::DeserializeOwned};

use super::{
    cells::{self, Cell, integer},
    hexes::Name,
    names::{
        AMMO, COMMAND, COUNTER_BATTERY, CRT, EW, INTELLIGENCE, INTERDICTION, RETREAT, SUPPORT, TACTICAL, TERRAIN,
        WEATHER,
    },
    refused::refuse,
};
use crate::{
    blob::{
        body::Hex32,
        json::{self, Value},
    },
    error::Result,
    limits::LIST,
    resolve::{
        Object,
        event_tables::ranges::{self, Row},
    },
};

/// Tables that are looked up by dice and column.
const LOOKED_UP: [&str; 11] =
    [INTELLIGENCE, TACTICAL, WEATHER, COMMAND, EW, SUPPORT, CRT, RETREAT, COUNTER_BATTERY, INTERDICTION, AMMO];

/// The tables in a charter, in full or as fingerprints.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    full: BTreeMap<String, Table>,
    withheld: BTreeMap<String, Hex32>,
    terrain: Option<BTreeMap<Name, [i64; 2]>>,
}

/// A table given in full.
#[derive(Clone, Debug)]
pub(super) struct Table {
    columns: Vec<Column>,
    dice: Option<ranges::Dice>,
    rows: Vec<Row<Vec<Cell>>>,
}

/// The range of a column, open where it has no bound.
#[derive(Clone, Debug)]
struct Column {
    low: Option<i64>,
    high: Option<i64>,
}

impl Column {
    /// Returns the range as printed tables show it.
    fn told(&self) -> String {
        match (self.low, self.high) {
            (Some(low), Some(high)) if low == high => low.to_string(),
            (Some(low), Some(high)) => format!("{low} to {high}"),
            (Some(low), None) => format!("{low} or more"),
            (None, Some(high)) => format!("{high} or less"),
            (None, None) => "of all numbers".into(),
        }
    }
}

/// The cell that a look-up found, and its description for people.
pub(super) struct Found {
    pub(super) cell: Cell,
    /// The description, such as `2 in column 1 to 3, dice 4 and 2 in row 6: A1 D1 R0`.
    pub(super) told: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    columns: Vec<String>,
    dice: String,
    rows: BTreeMap<String, Vec<Value>>,
    #[serde(rename = "source")]
    _source: Whose,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTerrain {
    rows: BTreeMap<Name, [super::hexes::Int<-99, 99>; 2]>,
    #[serde(rename = "source")]
    _source: Whose,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Whose {
    House,
    Test,
    User,
}

impl Tables {
    /// Reads the tables in a charter. A missing table stops only a run that needs it.
    pub(super) fn settle(given: &Object) -> Result<Self> {
        let mut tables = Self::default();
        for (name, table) in given.iter().filter(|(name, _)| **name == *TERRAIN || LOOKED_UP.contains(&name.as_str())) {
            match withheld(table) {
                Some(fingerprint) => {
                    tables.withheld.insert(name.clone(), fingerprint);
                }
                None => tables.take(name, table)?,
            }
        }
        Ok(tables)
    }

    fn take(&mut self, name: &str, table: &Value) -> Result<()> {
        if name == TERRAIN {
            let written: WrittenTerrain = parse(name, table)?;
            let rows = written.rows.into_iter().map(|(name, [attacker, defender])| (name, [attacker.0, defender.0]));
            self.terrain = Some(rows.collect());
        } else {
            self.full.insert(name.into(), Table::read(name, table)?);
        }
        Ok(())
    }

    /// Names of the withheld tables, with their fingerprints.
    pub(super) fn withheld(&self) -> Vec<(&str, Hex32)> {
        self.withheld.iter().map(|(name, fingerprint)| (name.as_str(), *fingerprint)).collect()
    }

    /// Names of the tables that are neither in the charter nor withheld.
    pub(super) fn lacking(&self) -> Vec<&'static str> {
        let is_here = |name: &str| match name {
            TERRAIN => self.terrain.is_some(),
            _ => self.full.contains_key(name),
        };
        let names = LOOKED_UP.into_iter().chain([TERRAIN]);
        names.filter(|name| !is_here(name) && !self.withheld.contains_key(*name)).collect()
    }

    /// These tables, with the withheld ones that are supplied. A refused table stays missing.
    pub(super) fn with(&self, supplied: &Object) -> Self {
        let mut tables = self.clone();
        for name in self.withheld.keys() {
            if let Some(table) = supplied.get(name) {
                let _ = tables.take(name, table);
            }
        }
        tables
    }

    pub(super) fn table(&self, name: &str) -> Option<&Table> {
        self.full.get(name)
    }

    /// The attacker's and defender's modifiers for each kind of terrain.
    pub(super) const fn terrain(&self) -> Option<&BTreeMap<Name, [i64; 2]>> {
        self.terrain.as_ref()
    }
}

/// The fingerprint in place of a withheld table (hidden 8).
fn withheld(table: &Value) -> Option<Hex32> {
    let fields = table.as_object().filter(|fields| fields.len() == 1)?;
    Hex32::parse(fields.get("fingerprint")?.as_str()?)
}

fn parse<T: DeserializeOwned>(name: &str, table: &Value) -> Result<T> {
    json::read_value(table).map_err(|error| refuse(3, format_args!("the table {name}: {error}")))
}

impl Table {
    fn read(name: &str, table: &Value) -> Result<Self> {
        let Written { columns, dice, rows, .. } = parse(name, table)?;
        let refused = |why: &dyn std::fmt::Display| refuse(3, format_args!("the table {name}: {why}"));
        let columns = read_columns(&columns).map_err(|why| refused(&why))?;
        let without = dice == "none";
        if without != [SUPPORT, INTERDICTION].contains(&name) {
            return Err(refused(&if without { "its dice must not be none" } else { "its dice must be none" }));
        }
        let cells = |row: Vec<Value>| -> Result<Vec<Cell>> {
            let cells: Vec<Cell> = row
                .iter()
                .map(|cell| cells::read(name, cell))
                .collect::<Result<_, String>>()
                .map_err(|why| refused(&why))?;
            match cells.len() == columns.len() {
                true => Ok(cells),
                false => Err(refused(&"each row must have one cell for each column")),
            }
        };
        let rows: BTreeMap<String, Vec<Cell>> =
            rows.into_iter().map(|(range, row)| Ok((range, cells(row)?))).collect::<Result<_>>()?;
        let (dice, rows) = if without {
            let mut all: Vec<_> = rows.into_iter().collect();
            match (all.pop(), all.is_empty()) {
                (Some((range, has)), true) if range == "all" => (None, vec![Row::all(range, has)]),
                _ => return Err(refused(&"without dice, it must have exactly one row, named all")),
            }
        } else {
            let known = ["1d6", "2d6", "1d10", "d66"].contains(&dice.as_str()).then(|| ranges::Dice::parse(&dice));
            let dice = known.flatten().ok_or_else(|| refused(&"dice must be 1d6, 2d6, 1d10, d66 or none"))?;
            (Some(dice), ranges::of_dice(rows, dice).map_err(|error| refused(&error))?)
        };
        Ok(Self { columns, dice, rows })
    }

    /// Looks up a cell: draws the dice, then takes the row and the column. Every table that was read has a cell for
    /// each of them.
    ///
    /// # Errors
    /// The errors of `draw`.
    pub(super) fn look_up(&self, column: i64, draw: impl FnMut(u64) -> Result<u64>) -> Result<Option<Found>> {
        let (thrown, value) = match self.dice {
            Some(dice) => dice.throw(draw)?,
            None => (Vec::new(), 0),
        };
        let place = self.column(column);
        let found = place.and_then(|place| {
            let (_, row) = ranges::row(&self.rows, value)?;
            Some((self.columns.get(place)?, row, row.has.get(place)?))
        });
        Ok(found.map(|(range, row, cell)| {
            let dice: Vec<String> = thrown.iter().map(u64::to_string).collect();
            let dice = match dice.as_slice() {
                [] => String::new(),
                [one] => format!(", die {one} in row {}", row.range),
                more => format!(", dice {} in row {}", more.join(" and "), row.range),
            };
            let told = format!("{column} in column {}{dice}: {}", range.told(), cells::tell(cell));
            Found { cell: cell.clone(), told }
        }))
    }

    fn column(&self, value: i64) -> Option<usize> {
        let covers =
            |column: &Column| column.low.is_none_or(|low| low <= value) && column.high.is_none_or(|high| value <= high);
        self.columns.iter().position(covers).or_else(|| {
            let below = self.columns.first()?.low.is_some_and(|low| value < low);
            if below { Some(0) } else { self.columns.len().checked_sub(1) }
        })
    }
}

fn read_columns(written: &[String]) -> Result<Vec<Column>, String> {
    if !(1..=LIST).contains(&written.len()) {
        return Err(format!("it must have 1 to {LIST} columns, not {}", written.len()));
    }
    let mut columns: Vec<Column> = Vec::new();
    for name in written {
        let wrong = || format!("the column {name:?} must be A..B, ..B, A.. or .., with integers from -999 to 999");
        let bound = |text: &str| match text {
            "" => Some(None),
            text => integer(text).map(Some),
        };
        let (low, high) = name.split_once("..").ok_or_else(wrong)?;
        let (low, high) = (bound(low).ok_or_else(wrong)?, bound(high).ok_or_else(wrong)?);
        if low.zip(high).is_some_and(|(low, high)| low > high) {
            return Err(format!("the column {name} ends before it begins: put the lower number first"));
        }
        if columns.last().is_some_and(|last| last.high.is_none() || last.high.map(|high| high + 1) != low) {
            return Err(format!("the column {name} must begin one above the end of the column before it"));
        }
        columns.push(Column { low, high });
    }
    Ok(columns)
}
