//! The worksheet of a declaration while it is filled in.

use axum::response::{Html, IntoResponse, Response};
use maud::{Markup, html};

use super::{
    super::{act, fields::Fields, state::Desk, texts},
    why,
};
use crate::{
    play::{self, failure::PlayResult},
    resolve::coin_envelopes::Worksheet,
};

/// Shows the worksheet alone, for a page that puts it into its form.
pub(in crate::desk) fn part(desk: &Desk, game: &str, fields: &Fields) -> Response {
    Html(of(desk, Some(game), fields).into_string()).into_response()
}

/// Shows the worksheet of the attacks in a form, or why there is none.
pub(super) fn of(desk: &Desk, game: Option<&str>, fields: &Fields) -> Markup {
    match worked_out(desk, game, fields) {
        Ok(None) => html! {},
        Ok(Some(worksheet)) => table(&worksheet),
        Err(failure) => why(&failure),
    }
}

fn worked_out(desk: &Desk, game: Option<&str>, fields: &Fields) -> PlayResult<Option<Worksheet>> {
    let slot = play::declaring::slot(fields.get("slot"))?;
    let Some(list) = act::lists(fields)? else { return Ok(None) };
    play::worksheet::worksheet(&desk.home, game, &slot, &list).map(Some)
}

fn table(worksheet: &Worksheet) -> Markup {
    html! {
        div.wide {
            table.worksheet {
                caption { (texts::WORKSHEET) }
                thead {
                    tr { @for head in texts::WORKSHEET_HEADS { th scope="col" { (head) } } }
                }
                tbody {
                    @for line in &worksheet.lines {
                        tr {
                            td { (line.hexes.join("+")) }
                            td { (line.odds) }
                            td.number { (line.value) }
                            td.number { (line.multiplier) }
                            td.number { (line.product) }
                            td { (texts::place(line.place.index, line.place.line)) }
                            td.number { (line.rank) }
                        }
                    }
                }
            }
        }
        @if let Some(index) = worksheet.index {
            p { strong { (texts::envelope(worksheet.total, index, worksheet.opened.len() + worksheet.returned.len())) } }
        }
    }
}
