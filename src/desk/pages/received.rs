//! The letters that came in, from a mail or from an office.

use axum::response::Response;
use maud::{Markup, html};

use super::{
    super::{commands::named, fields::Fields, state::Desk, texts},
    key,
    layout::{Here, shown},
    mail_form, news, why,
};
use crate::{
    keep::key_file::KeyFile,
    mail::{Mail, Source},
    play::{
        exchanged::Came,
        failure::{Failure, PlayResult},
        handed::News,
        read,
        received::Received,
    },
};

/// Reads a mail, and shows what came in.
pub(in crate::desk) fn read(desk: &Desk, fields: &Fields) -> Response {
    if KeyFile::open(&desk.home.key_file()).is_err() {
        return key::page(desk);
    }
    match taken_in(desk, fields) {
        Ok((received, news)) => {
            let content = html! {
                (news::letters(desk, &received))
                (news::all(desk, &news))
                (mail_form::mail_form(desk))
            };
            shown(desk, &Here::Home, texts::WHAT_CAME, &content)
        }
        Err(failure) => {
            let content = html! { (why(&failure)) (mail_form::mail_form(desk)) };
            shown(desk, &Here::Home, texts::READ_A_MAIL, &content)
        }
    }
}

/// Reads the pasted text and the chosen files.
fn taken_in(desk: &Desk, fields: &Fields) -> PlayResult<(Received, Vec<News>)> {
    let files = fields.files("file").into_iter().map(|file| Source::memory(file.name, file.bytes));
    let pasted = fields.said("text").map(|text| Source::memory(texts::PASTED, text.as_bytes().to_vec()));
    let sources: Vec<Source> = files.chain(pasted).collect();
    if sources.is_empty() {
        return Err(texts::failure(texts::NOTHING_TO_READ));
    }
    let keep: Vec<String> = fields.all("keep").map(str::to_owned).collect();
    read::read(&desk.home, Mail::of(sources), &keep)
}

/// Shows what exchanges with offices brought.
pub(in crate::desk) fn exchanged(desk: &Desk, game: Option<&str>, came: Vec<Came>, heard: &[String]) -> Response {
    let here = game.map_or(Here::Home, Here::Game);
    let content = html! {
        @for line in heard { p.note { (named(line)) } }
        @for one in &came { (came_in(desk, one)) }
    };
    shown(desk, &here, texts::OFFICE, &content)
}

/// Shows letters that came from an office while a page was open, as a part of the page.
pub(in crate::desk) fn part(desk: &Desk, received: &Received) -> Markup {
    html! { h2 { (texts::WHAT_CAME) } (news::letters(desk, received)) }
}

fn came_in(desk: &Desk, came: &Came) -> Markup {
    let failed = |failure: &Failure| html! { (news::all(desk, &failure.news)) (why(failure)) };
    html! {
        @if let Some(game) = &came.game { h2 { (game) } }
        @match &came.came {
            Ok(exchanged) => {
                (news::letters(desk, &exchanged.received))
                @if let Some(status) = &exchanged.status { (news::state(desk, status)) }
                @for line in &exchanged.said { p.note { (named(line)) } }
            }
            Err(failure) => (failed(failure)),
        }
    }
}
