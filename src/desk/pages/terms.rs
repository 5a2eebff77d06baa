//! The terms of a game, in words and in full.

use axum::response::Response;
use maud::{Markup, html};

use super::{
    super::{state::Desk, texts},
    inputs::offer,
    layout::{Here, list, shown},
    tables, why,
};
use crate::play;

/// Shows the terms that both have signed, or that are proposed.
pub(in crate::desk) fn page(desk: &Desk, game: &str) -> Response {
    let content = html! { (in_words(desk, Some(game))) (in_full(desk, Some(game))) };
    shown(desk, &Here::Game(game), texts::TERMS, &content)
}

/// Shows the terms of a game in words.
pub(super) fn in_words(desk: &Desk, game: Option<&str>) -> Markup {
    match offer(desk, |at| play::terms::in_words(at, game)) {
        Ok(lines) => html! {
            (list("signed", &lines))
            (offer(desk, |at| play::terms::tables(at, game)).map(|tables| tables::shown(&tables)).unwrap_or_default())
        },
        Err(failure) => why(&failure),
    }
}

/// Shows the terms of a game in full, with everything that is signed.
pub(super) fn in_full(desk: &Desk, game: Option<&str>) -> Markup {
    let written = offer(desk, |at| play::terms::terms(at, game));
    html! {
        details {
            summary { (texts::THE_TERMS) }
            @match written {
                Ok(text) => { pre.wide { (text) } }
                Err(failure) => (why(&failure)),
            }
        }
    }
}
