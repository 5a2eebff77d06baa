//! The position of a game as tables: what everybody knows of it.

use super::table::View;
use crate::{
    game::{node::Past, rules::course},
    report::text::visible,
    resolve::PositionTable,
};

/// Returns the position of each course as tables, safe to show.
pub(super) fn position(view: &View<'_, '_>) -> Vec<PositionTable> {
    let reached = view.terms.courses().filter_map(|(phase, course)| {
        let state = course::reached(view.ledger, phase, Past::ALL).state?;
        course.position(&state).ok()
    });
    reached.flatten().map(safe).collect()
}

/// Makes a table safe to show: players chose its names.
pub(super) fn safe(PositionTable { title, columns, rows }: PositionTable) -> PositionTable {
    let rows = rows.iter().map(|row| row.iter().map(|cell| visible(cell)).collect()).collect();
    PositionTable { title: visible(&title), columns, rows }
}
