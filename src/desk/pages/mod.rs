//! The pages of the desk, in HTML that works without a script.

mod choice;
pub(super) mod confirm;
mod controls;
mod correction;
pub(super) mod form;
pub(super) mod game;
pub(super) mod games;
pub(super) mod hand;
pub(super) mod help;
mod inputs;
pub(super) mod journal;
pub(super) mod key;
mod layout;
pub(super) mod mail;
mod mail_form;
pub(super) mod new_game;
mod news;
pub(super) mod received;
pub(super) mod report;
mod rows;
mod sheet;
mod steps;
mod tables;
pub(super) mod terms;
mod toml_form;
pub(super) mod worksheet;

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use maud::{DOCTYPE, Markup, html};

use self::layout::{Here, shown};
use super::{commands::named, state::Desk, texts};
use crate::play::failure::Failure;

/// Makes the file that leads the browser to the first page.
pub(super) fn entrance(address: &str) -> Markup {
    html! {
        (DOCTYPE)
        html lang=(texts::LANGUAGE) {
            head {
                meta charset="utf-8";
                meta http-equiv="refresh" content={ "0; url=" (address) };
                title { (texts::DESK) }
            }
            body { p { a href=(address) { (texts::OPEN_THE_DESK) } } }
        }
    }
}

/// Makes the page for an address that leads nowhere.
pub(super) fn missing(desk: &Desk) -> Response {
    (StatusCode::NOT_FOUND, shown(desk, &Here::Home, texts::NOT_FOUND, &html! { p { (texts::NOT_FOUND_WHY) } }))
        .into_response()
}

/// Makes a page with one sentence.
pub(super) fn said(desk: &Desk, said: &str) -> Response {
    shown(desk, &Here::Home, texts::DONE, &html! { p.note { (said) } })
}

/// Makes the page for a failure that has no form.
pub(super) fn failed(desk: &Desk, here: &Here<'_>, failure: &Failure) -> Response {
    shown(desk, here, texts::NOT_DONE, &why(failure))
}

/// Writes why an action failed.
fn why(failure: &Failure) -> Markup {
    html! {
        div.problem role="alert" {
            h2 { (texts::NOT_DONE) }
            @for line in &failure.why { p.as-is[texts::begins_with_a_name(line)] { (named(line)) } }
        }
    }
}
