//! `game terms`: everything that the terms of a game say.

use std::path::Path;

use super::table::Table;
use crate::cli::answer::{Answer, Told};
use crate::{cli::out_file, keep::home::Home, report::terms};

/// `game terms`: the terms in force, or proposed, with all their settings and tables.
pub(in crate::cli) fn run(home: &Home, name: Option<&str>, out: Option<&Path>) -> Told<Answer> {
    let table = Table::find(home, name, Table::lives)?;
    let stage = if table.begins() { "in force" } else { "proposed, and not accepted yet" };
    let written = terms::written(&table.terms.charter)?;
    let said = terms::continues(&table.terms).into_iter();
    let said = said.chain(terms::time_witness(&table.terms)).chain(terms::lengths(&table.terms));
    let said: String = said.map(|line| format!("# {line}\n")).collect();
    let written =
        format!("# The terms {stage}, letter {}: all that is signed with them.\n{written}\n{said}", table.terms.id);
    match out {
        None => Ok(Answer::done(written)),
        Some(path) => {
            out_file::check(path)?;
            out_file::write(path, written.as_bytes(), "nothing is lost; type it again")?;
            Ok(Answer::done(String::new()).saying(format!("the terms are in {}", path.display())))
        }
    }
}
