//! The players' tables: read, checked, looked up (`protocol/ndc.md` 3).

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
        json::{self, Tree, Value},
    },
    error::Result,
    limits::LIST,
    resolve::{
        Object,
        event_tables::ranges::{self, Row},
    },
};

/// The tables that are looked up by dice and column.
const LOOKED_UP: [&str; 11] =
    [INTELLIGENCE, TACTICAL, WEATHER, COMMAND, EW, SUPPORT, CRT, RETREAT, COUNTER_BATTERY, INTERDICTION, AMMO];

/// The tables of a charter: in full, or their fingerprints.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    full: BTreeMap<String, Table>,
    withheld: BTreeMap<String, Hex32>,
    terrain: Option<BTreeMap<Name, [i64; 2]>>,
}

/// A table in full.
#[derive(Clone, Debug)]
pub(super) struct Table {
    columns: Vec<Column>,
    dice: Option<ranges::Dice>,
    rows: Vec<Row<Vec<Cell>>>,
}

/// A range of columns; without a bound it has no end there.
#[derive(Clone, Debug)]
struct Column {
    name: String,
    low: Option<i64>,
    high: Option<i64>,
}

/// What was found, for people too.
pub(super) struct Found {
    pub(super) cell: Cell,
    /// `table, column 1..3, dice 4 + 2 = 6: A1 D1 R0`
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
    /// Reads the tables of a charter. One that is missing is missed when a run comes to it.
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

    /// The names of those that are withheld, with their fingerprints.
    pub(super) fn withheld(&self) -> Vec<(&str, Hex32)> {
        self.withheld.iter().map(|(name, fingerprint)| (name.as_str(), *fingerprint)).collect()
    }

    /// The names of tables that are neither in the charter nor withheld.
    pub(super) fn lacking(&self) -> Vec<&'static str> {
        let is_here = |name: &str| match name {
            TERRAIN => self.terrain.is_some(),
            _ => self.full.contains_key(name),
        };
        let names = LOOKED_UP.into_iter().chain([TERRAIN]);
        names.filter(|name| !is_here(name) && !self.withheld.contains_key(*name)).collect()
    }

    /// These with the withheld ones that are supplied. One that is refused stays missing.
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

    /// Attacker's and defender's modifier of each kind of terrain.
    pub(super) const fn terrain(&self) -> Option<&BTreeMap<Name, [i64; 2]>> {
        self.terrain.as_ref()
    }
}

/// The fingerprint that stands for a table, if one does (hidden 8).
fn withheld(table: &Value) -> Option<Hex32> {
    let fields = table.as_object().filter(|fields| fields.len() == 1)?;
    Hex32::parse(fields.get("fingerprint")?.as_str()?)
}

fn parse<T: DeserializeOwned>(name: &str, table: &Value) -> Result<T> {
    let read = Tree::of(table).and_then(|tree| json::read(&tree));
    read.map_err(|error| refuse(3, format_args!("the table {name}: {error}")))
}

impl Table {
    fn read(name: &str, table: &Value) -> Result<Self> {
        let Written { columns, dice, rows, .. } = parse(name, table)?;
        let refused = |why: &dyn std::fmt::Display| refuse(3, format_args!("the table {name}: {why}"));
        let columns = read_columns(&columns).map_err(|why| refused(&why))?;
        let without = dice == "none";
        if without != [SUPPORT, INTERDICTION].contains(&name) {
            return Err(refused(&if without { "it has dice" } else { "its dice are none" }));
        }
        let cells = |row: Vec<Value>| -> Result<Vec<Cell>> {
            let cells: Vec<Cell> = row
                .iter()
                .map(|cell| cells::read(name, cell))
                .collect::<Result<_, String>>()
                .map_err(|why| refused(&why))?;
            match cells.len() == columns.len() {
                true => Ok(cells),
                false => Err(refused(&"a row has another number of cells than there are columns")),
            }
        };
        let rows: BTreeMap<String, Vec<Cell>> =
            rows.into_iter().map(|(range, row)| Ok((range, cells(row)?))).collect::<Result<_>>()?;
        let (dice, rows) = if without {
            let mut all: Vec<_> = rows.into_iter().collect();
            match (all.pop(), all.is_empty()) {
                (Some((range, has)), true) if range == "all" => (None, vec![Row::all(range, has)]),
                _ => return Err(refused(&"without dice it has the one row all")),
            }
        } else {
            let known = ["1d6", "2d6", "1d10", "d66"].contains(&dice.as_str()).then(|| ranges::Dice::parse(&dice));
            let dice = known.flatten().ok_or_else(|| refused(&"dice: 1d6, 2d6, 1d10, d66 or none"))?;
            (Some(dice), ranges::of_dice(rows, dice).map_err(|error| refused(&error))?)
        };
        Ok(Self { columns, dice, rows })
    }

    /// Looks a cell up: draws its dice, then takes row and column. Every table that was read has a cell for all of
    /// them.
    ///
    /// # Errors
    /// As the source of the draws.
    pub(super) fn look_up(
        &self,
        name: &str,
        column: i64,
        draw: impl FnMut(u64) -> Result<u64>,
    ) -> Result<Option<Found>> {
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
            let dice = match thrown.as_slice() {
                [] => String::new(),
                [one] => format!(", die {one}"),
                more => format!(", dice {}", super::hexes::list(more)),
            };
            let row = if self.dice.is_some() { format!(", row {}", row.range) } else { String::new() };
            Found {
                cell: cell.clone(),
                told: format!("{name}, column {} ({column}){dice}{row}: {}", range.name, cells::tell(cell)),
            }
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
        return Err(format!("{} columns; there are 1 to {LIST}", written.len()));
    }
    let mut columns: Vec<Column> = Vec::new();
    for name in written {
        let wrong = || format!("the column {name:?} is none of A..B, ..B, A.. and .., of integers from -999 to 999");
        let bound = |text: &str| match text {
            "" => Some(None),
            text => integer(text).map(Some),
        };
        let (low, high) = name.split_once("..").ok_or_else(wrong)?;
        let (low, high) = (bound(low).ok_or_else(wrong)?, bound(high).ok_or_else(wrong)?);
        if low.zip(high).is_some_and(|(low, high)| low > high) {
            return Err(format!("the column {name} ends before it begins"));
        }
        if columns.last().is_some_and(|last| last.high.is_none() || last.high.map(|high| high + 1) != low) {
            return Err(format!("the column {name} does not begin where the one in front of it ends"));
        }
        columns.push(Column { name: name.clone(), low, high });
    }
    Ok(columns)
}
