//! Letters that are signed, as a mail to copy or to save.

use axum::{
    http::header::{CONTENT_DISPOSITION, CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use maud::{Markup, html};

use super::{
    super::{commands::named, fields::Fields, state::Desk, texts, verb::Verb},
    inputs::people,
    layout::{Here, shown},
    news, steps,
};
use crate::play::{
    handed::{AtOffice, Handed, Mail},
    status::{self, Shown},
};

/// The field with a mail that is saved as a file, in the form of an upload.
const MAIL: &str = "mail";

/// Shows what an action handed over: the mail, the dice in it, and what comes next.
pub(in crate::desk) fn page(desk: &Desk, game: Option<&str>, handed: &Handed, heard: &[String]) -> Response {
    let title = if handed.mail.is_some() { texts::MAIL_THIS } else { texts::DONE };
    let content = html! {
        @for line in heard { p.note { (named(line)) } }
        (news::all(desk, &handed.news))
        @for line in &handed.said { p.note { (named(line)) } }
        @if let Some(mail) = &handed.mail { (letters(desk, game, mail)) }
        @if let Some(status) = &handed.status { (news::state(desk, status)) }
        @if handed.mail.is_some() { (still_to_move(desk, game)) }
        @match game {
            Some(game) => { p { a.button href=(desk.path(&["game", game])) { (texts::BACK_TO_GAME) } } }
            None => { p { a.button href=(desk.path(&[""])) { (texts::GAMES) } } }
        }
    };
    shown(desk, &game.map_or(Here::Home, Here::Game), title, &content)
}

/// Shows the player's next move, if it is their move again: the mail with that move brings these letters too.
fn still_to_move(desk: &Desk, game: Option<&str>) -> Markup {
    let status = match status::status(&desk.home, game) {
        Ok(Shown::One(status, _)) if game.is_some() && !status.steps.is_empty() && !status.closed => status,
        _ => return html! {},
    };
    html! {
        section.move {
            p.turn { strong { (texts::STILL_YOUR_MOVE) } }
            (steps::buttons(desk, &status, &status.steps))
        }
    }
}

fn letters(desk: &Desk, game: Option<&str>, mail: &Mail) -> Markup {
    let people = people(desk, game);
    let mut saved = Fields::default();
    saved.push_file(MAIL, &super::super::fields::Upload { name: file_name(game), bytes: mail.eml() });
    html! {
        @if !mail.dice.is_empty() {
            div.opened { h2 { (texts::DICE) } @for told in &mail.dice { (news::told(told, &people)) } }
        }
        p { (texts::mail_to(&mail.to)) }
        @match (&mail.office, game) {
            (Some(AtOffice::Has), _) => { p.note { (texts::OFFICE_HAS_IT) } }
            (Some(AtOffice::Lacks(_)), Some(game)) => {
                (steps::to(desk, game, Verb::Push, &Fields::default(), texts::LEAVE_AT_OFFICE))
            }
            _ => {}
        }
        label for="mail" { (texts::subject(&mail.subject)) }
        textarea #mail rows="14" readonly spellcheck="false" data-copied=(texts::COPIED) { (mail.text()) }
        div.choice {
            button.main.scripted type="button" data-copy="mail" { (texts::COPY) }
            form method="post" enctype="multipart/form-data" action=(desk.path(&["save"])) {
                @for (name, value) in saved.without(&[]) { input type="hidden" name=(name) value=(value); }
                button type="submit" { (texts::SAVE_MAIL) }
            }
        }
        p role="status" #copied {}
    }
}

fn file_name(game: Option<&str>) -> String {
    let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    format!("{}.eml", game.unwrap_or("sealed-dice").chars().filter(plain).collect::<String>())
}

/// Sends a mail back as a file that a mail program opens as a draft.
pub(in crate::desk) fn save(fields: &Fields) -> Response {
    let Some(file) = fields.files(MAIL).into_iter().next() else { return texts::UNREADABLE_FORM.into_response() };
    let name: String =
        file.name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')).collect();
    let headers = [
        (CONTENT_TYPE, "message/rfc822".to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    (headers, file.bytes).into_response()
}
