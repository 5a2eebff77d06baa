//! The first page: a mail to read, the games of this home, and a new game.

use axum::response::Response;
use maud::{Markup, html};

use super::{
    super::{state::Desk, texts},
    key,
    layout::{Here, shown},
    mail_form,
};
use crate::{
    keep::key_file::KeyFile,
    play::listing::{self, Listing},
};

/// Makes the page; without a key it asks for one first.
pub(in crate::desk) fn page(desk: &Desk) -> Response {
    if KeyFile::open(&desk.home.key_file()).is_err() {
        return key::page(desk);
    }
    let (games, unread) = match listing::games(&desk.home) {
        Ok(listed) => listed,
        Err(failure) => return super::failed(desk, &Here::Home, &failure),
    };
    let content = html! {
        @for line in &unread { p.problem { (line) } }
        (mail_form::mail_form(desk))
        h2 { (texts::GAMES) }
        @if games.is_empty() { p { (texts::NO_GAMES) } }
        ul.games { @for game in &games { (entry(desk, game)) } }
        p { a.button href=(desk.path(&["new"])) { (texts::NEW_GAME) } }
    };
    shown(desk, &Here::Home, texts::DESK, &content)
}

fn entry(desk: &Desk, game: &Listing) -> Markup {
    html! {
        li {
            a href=(desk.path(&["game", &game.name])) { (game.title) (game.apart) }
            p { (game.stands) }
        }
    }
}
