//! ICRK sheets as players know them: 40 columns of 10 cells, with the used ones ticked off.

use std::collections::{BTreeMap, HashMap};

use maud::{Markup, html};

use super::{
    book::{Book, wide, words},
    rolls::{CellState, of_cells},
};
use crate::{
    blob::{
        Body,
        body::{CellKey, Hex32, SetKind},
    },
    game::{audit::Replay, terms::Player},
    limits::{COLUMNS, ROWS},
    primitive::secret::Secret,
    resolve::{Place, icrk},
};

pub(super) fn all(book: &Book<'_>, replay: &Replay<'_>) -> Markup {
    let ledger = replay.ledger;
    let of = |sealer: Player| ledger.seals(sealer).iter().map(move |seal| (sealer, *seal));
    let sheets: Vec<(Player, Hex32)> = Player::BOTH
        .into_iter()
        .flat_map(of)
        .filter(|(_, seal)| ledger.set(seal).is_some_and(|set| set.valid && set.seal.kind == SetKind::Sheet))
        .collect();
    html! {
        @if !sheets.is_empty() {
            h3 { "Sheets" }
            p { "\u{2713} used, with its number once opened; a struck-out number was replaced or voided; \u{2026} waiting for its reveal; \u{d7} used up by a declaration in breach; \u{25cb} opened without being asked for, and lost; empty cells are free." }
            @for (sealer, seal) in sheets { (sheet(book, replay, sealer, &seal)) }
        }
    }
}

fn sheet(book: &Book<'_>, replay: &Replay<'_>, sealer: Player, seal: &Hex32) -> Markup {
    let purpose = replay.ledger.set(seal).map_or("", |set| set.seal.purpose.as_str());
    let named = replay.ledger.named_cells(seal, sealer.other());
    let opened = opened_by_reveals(replay, seal);
    let states = of_cells(replay, seal);
    let used: u64 = named.values().sum();
    let columns = 0..COLUMNS as u64;
    let head = |column: u64| icrk::label(Place { index: column, line: 1 }).trim_end_matches('1').to_owned();
    html! {
        h4 { (words(purpose, 100)) ", sealed in " (book.letter(seal)) }
        p { (book.role(sealer.other())) " has used " (used) " of " (COLUMNS * ROWS) " cells." }
        (wide("Sheet with forty columns of ten cells", &html! {
            table.sheet {
                thead { tr { th scope="col" { span.aside { "Row" } } @for column in columns.clone() { th scope="col" { (head(column)) } } } }
                tbody { @for row in 1..=ROWS as u64 {
                    tr { th scope="row" { (row) } @for column in columns.clone() { (cell(Place { index: column, line: row }, &states, &named, &opened)) } }
                } }
            }
        }))
    }
}

/// Returns the depth to which reveals opened each column. Cells opened by a close are not counted, because a close
/// opens all of them.
fn opened_by_reveals(replay: &Replay<'_>, seal: &Hex32) -> BTreeMap<u64, u64> {
    let mut opened = BTreeMap::new();
    let Some(set) = replay.ledger.set(seal) else { return opened };
    for node in &replay.order.nodes {
        let Body::Reveal(reveal) = node.message.body() else { continue };
        for CellKey(column, row, key) in reveal.sheets.iter().filter(|_| reveal.seal == *seal) {
            let place = Place { index: *column, line: *row };
            if set.context.matches(set.seal, &Secret::new(key.0), place) {
                let depth = opened.entry(*column).or_insert(0);
                *depth = (*depth).max(*row);
            }
        }
    }
    opened
}

fn cell(
    place: Place,
    states: &HashMap<Place, CellState>,
    named: &BTreeMap<u64, u64>,
    opened: &BTreeMap<u64, u64>,
) -> Markup {
    let within = |depths: &BTreeMap<u64, u64>| depths.get(&place.index).is_some_and(|depth| place.line <= *depth);
    match states.get(&place) {
        Some(CellState::Rolled(value)) => html! { td.used { (value) "\u{2713}" } },
        Some(CellState::Replaced(value)) => html! { td.used { s { (value) } "\u{2713}" } },
        Some(CellState::Awaited) => html! { td.used { "\u{2026}\u{2713}" } },
        Some(CellState::InBreach) => html! { td.used { "\u{d7}\u{2713}" } },
        None if within(named) => html! { td.used { "\u{2713}" } },
        None if within(opened) => html! { td.used { "\u{25cb}" } },
        None => html! { td {} },
    }
}
