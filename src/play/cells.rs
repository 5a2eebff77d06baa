//! The sheets that a player rolls on, with the cells that are still free.

use std::collections::BTreeSet;

use super::{failure::PlayResult, table::Table};
use crate::{blob::body::SetKind, game::tasks, keep::home::Home, report::text::visible};

/// A sheet of 40 columns of ten cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cells {
    /// The purpose that the sheet was sealed for, such as `sheet/1`; safe to show.
    pub purpose: String,
    /// The free cells, by column from 0 and row from 1.
    pub free: BTreeSet<(u64, u64)>,
}

/// Lists the sheets that this player may roll on, in the order in which they were sealed.
///
/// # Errors
/// If there is no such game, or it has not begun.
pub fn cells(home: &Home, name: Option<&str>) -> PlayResult<Vec<Cells>> {
    Table::find_quietly(home, name, Table::is_played)?.view(|view| {
        let sheets = view.ledger.seals(view.me.other()).iter().filter_map(|seal| {
            let set = view.ledger.set(seal).filter(|set| set.valid && set.seal.kind == SetKind::Sheet)?;
            let free =
                tasks::free_cells(view.ledger, seal, view.me).iter().map(|cell| (cell.index, cell.line)).collect();
            Some(Cells { purpose: visible(&set.seal.purpose), free })
        });
        Ok(sheets.collect())
    })
}
