//! `game terms`: prints the terms of a game in full.

use super::{failure::PlayResult, session::Session, table::Table};
use crate::{
    blob::json::{Map, Value},
    report::{summary, terms as report},
};

/// Returns the terms in force, or proposed, with all their settings and tables: everything that is signed, as text.
///
/// # Errors
/// If there is no such game.
pub fn terms(session: &Session<'_>, name: Option<&str>) -> PlayResult<String> {
    let table = Table::find(session, name, Table::lives)?;
    let stage = if table.begins() { "in force" } else { "proposed, but not accepted yet" };
    let written = report::written(&table.terms.charter)?;
    let said = report::continues(&table.terms).into_iter();
    let said = said.chain(report::time_witness(&table.terms)).chain(report::lengths(&table.terms));
    let said: String = said.map(|line| format!("# {line}\n")).collect();
    Ok(format!("# The terms {stage}, letter {}, with everything that is signed.\n{written}\n{said}", table.terms.id))
}

/// Returns the tables in the terms in force, or proposed, by name; those that are withheld are fingerprints.
///
/// # Errors
/// If there is no such game.
pub fn tables(session: &Session<'_>, name: Option<&str>) -> PlayResult<Map<String, Value>> {
    Ok(Table::find(session, name, Table::lives)?.terms.charter.tables.clone())
}

/// Returns the terms in force, or proposed, in words, one item per line: everything that a signer must not overlook.
///
/// # Errors
/// If there is no such game.
pub fn in_words(session: &Session<'_>, name: Option<&str>) -> PlayResult<Vec<String>> {
    Ok(summary::summary(&Table::find(session, name, Table::lives)?.terms))
}
