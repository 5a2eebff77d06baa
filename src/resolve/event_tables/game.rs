//! The tables of a game, and the settings in its charter (`protocol/event-tables.md`).

use std::{fmt, sync::Arc};

use super::{check, tables::Tables};
use crate::{
    blob::body::Role,
    error::{Error, Result},
    resolve::Object,
};

/// Name of the table in a charter.
pub(super) const TABLE: &str = "event-tables";

/// The tables, and the settings in the charter.
#[derive(Clone, Debug)]
pub(super) struct Game {
    pub(super) tables: Arc<Tables>,
    pub(super) roles: [Role; 2],
    /// The side that rolls first.
    pub(super) first: String,
    /// Values of the settings that the file defines.
    pub(super) settings: Object,
    /// First turn of each day, from the second day on.
    pub(super) days: Vec<u64>,
}

impl Game {
    /// Returns the role of a side.
    pub(super) fn role(&self, side: &str) -> Role {
        let [one, two] = &self.roles;
        let [first, _] = &self.tables.sides;
        if side == first { one.clone() } else { two.clone() }
    }

    /// Returns the day of a turn, from 1.
    pub(super) fn day(&self, turn: u64) -> u64 {
        1 + self.days.iter().filter(|day| **day <= turn).count() as u64
    }
}

pub(super) fn refuse(rule: u64, text: impl fmt::Display) -> Error {
    Error::Refused(format!("event-tables {rule}: {text}"))
}

pub(super) fn tables_of(tables: &Object) -> Result<Tables> {
    let table = tables.get(TABLE).ok_or_else(|| {
        Error::Refused(format!("the table {TABLE} is missing: name its file under [tables] in the terms"))
    })?;
    check::read(table)
}
