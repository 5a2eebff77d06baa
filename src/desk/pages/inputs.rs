//! Parts of forms that several actions have.

use maud::{Markup, html};

use super::super::{act::MOST_ROWS, fields::Fields, person::AtDesk, state::Desk, texts};
use crate::play::{self, failure::PlayResult, session::Session};

/// Rows of a table of attacks or rolls that are shown at first.
const ROWS: usize = 8;

/// Returns a field that chooses one of several values, each with its label.
pub(super) fn select(name: &str, label: &str, options: &[(String, String)], chosen: &str) -> Markup {
    html! {
        label for=(name) { (label) }
        select id=(name) name=(name) {
            @for (value, label) in options { option value=(value) selected[value == chosen] { (label) } }
        }
    }
}

/// Returns a table of attacks or rolls, with blank rows at its end.
pub(super) fn table(fields: &Fields, caption: &str, columns: &[(&str, &str)]) -> Markup {
    let filled = |row: usize| columns.iter().any(|(name, _)| fields.has(&format!("{name}.{row}")));
    let last = (0..MOST_ROWS).rev().find(|row| filled(*row));
    let rows = last.map_or(ROWS, |last| (last + 4).max(ROWS));
    html! {
        table.input data-rows=(rows) {
            caption { (caption) }
            thead { tr { @for (_, label) in columns { th scope="col" { (label) } } } }
            tbody {
                @for row in 0..rows {
                    tr {
                        @for (name, label) in columns {
                            @let name = format!("{name}.{row}");
                            td { input name=(name) value=(fields.get(&name)) autocomplete="off"
                                aria-label=(texts::in_row(label, row + 1)); }
                        }
                    }
                }
            }
        }
    }
}

/// Returns what a verb that signs nothing gives.
pub(super) fn offer<T>(desk: &Desk, form: impl FnOnce(&Session<'_>) -> PlayResult<T>) -> PlayResult<T> {
    let fields = Fields::default();
    let person = AtDesk::new(&desk.sitting, &fields);
    form(&Session { home: &desk.home, person: &person })
}

/// Returns the roles and names of the players of a game; nothing before there is one.
pub(super) fn people(desk: &Desk, game: Option<&str>) -> Vec<(String, String)> {
    game.and_then(|game| play::mendable::people(&desk.home, Some(game)).ok()).unwrap_or_default()
}

/// Returns the slot of a form in words.
pub(super) fn heading(desk: &Desk, game: Option<&str>, code: &str) -> Markup {
    let people = people(desk, game);
    let words = play::declaring::slot(code).map(|slot| texts::slot(&slot, &people));
    html! { h2 { (words.unwrap_or_else(|_| code.to_owned())) } }
}
