//! The sheets of numbers as players know them: 40 columns of ten cells, with the used ones ticked.

use maud::{Markup, html};

use super::super::{state::Desk, texts};
use crate::{
    limits::{COLUMNS, ROWS},
    play::cells::{self, Cells},
    resolve::{Place, icrk},
};

/// Shows the sheets that a player may roll on; nothing if there are none.
pub(super) fn all(desk: &Desk, game: Option<&str>) -> Markup {
    let sheets = cells::cells(&desk.home, game).unwrap_or_default();
    html! { @for sheet in &sheets { (grid(sheet)) } }
}

fn grid(sheet: &Cells) -> Markup {
    let columns = || 0..COLUMNS as u64;
    let head = |column: u64| icrk::label(Place { index: column, line: 1 }).trim_end_matches('1').to_owned();
    html! {
        details open {
            summary { (texts::cells_left(&sheet.purpose, sheet.free.len())) }
            div.wide tabindex="0" role="region" aria-label=(sheet.purpose) {
                table.sheet {
                    thead {
                        tr { th scope="col" { span.aside { (texts::ROW) } } @for column in columns() { th scope="col" { (head(column)) } } }
                    }
                    tbody {
                        @for row in 1..=ROWS as u64 {
                            tr {
                                th scope="row" { (row) }
                                @for column in columns() { (cell(sheet.free.contains(&(column, row)))) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn cell(is_free: bool) -> Markup {
    html! {
        @if is_free { td {} } @else { td.used { "\u{2713}" span.aside { (texts::USED) } } }
    }
}
