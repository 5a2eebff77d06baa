//! The preview: the questions of an action, above the one button that agrees to them.

use axum::response::Response;
use maud::{Markup, html};

use super::{
    super::{
        commands::named,
        fields::Fields,
        person::{AGREED, CHANGE, PREVIEW, TYPED, digest},
        state::Desk,
        texts,
        verb::Verb,
    },
    inputs::people,
    layout::{Here, list, shown},
    news, steps, terms,
};
use crate::{
    keep::StorageError,
    play::{
        handed::News,
        session::{CLOSE, Question},
    },
};

/// The field with a passphrase.
pub(in crate::desk) const PASSPHRASE: &str = "passphrase";
/// The field with the path of the action that waits for the key.
pub(in crate::desk) const THEN: &str = "then";

/// Shows the open questions of an action, and a button that runs it again with the answer yes.
pub(in crate::desk) fn page(
    desk: &Desk,
    game: Option<&str>,
    verb: Verb,
    fields: &Fields,
    asked: &[Question],
    arrived: &[News],
) -> Response {
    let signs = asked.iter().any(|question| matches!(question, Question::Sign { .. }));
    let people = people(desk, game);
    let lacks_page = asked.iter().any(|question| matches!(question, Question::WithoutPage(_)));
    let content = html! {
        (news::all(desk, arrived))
        form.confirm method="post" enctype="multipart/form-data" action=(path(desk, game, verb)) data-signs[signs]
            data-lost=(texts::DESK_GONE) {
            p #lost role="alert" {}
            @for question in asked { (told(question, &people)) }
            @if verb == Verb::Accept { (terms::in_full(desk, game)) }
            (carried(fields, &[TYPED, PREVIEW]))
            input type="hidden" name=(PREVIEW) value=(desk.results.preview());
            @for question in asked { input type="hidden" name=(AGREED) value=(digest(question)); }
            div.choice {
                @if lacks_page { a.button.main href=(desk.path(&["key"])) target="_blank" { (texts::MAKE_PAGE) } }
                button.main[!lacks_page] type="submit" { (if signs { texts::SIGN_AND_COPY } else { texts::GO_ON }) }
                @if steps::has_form(verb) { (change(None)) }
                a href=(back(desk, game)) { (texts::DO_NOT) }
            }
        }
    };
    shown(desk, &here(game), if signs { texts::LOOK_BEFORE_SIGNING } else { texts::BEFORE_GOING_ON }, &content)
}

/// Whether a line stands above the list already, because nobody must overlook it.
fn is_told(mind: &[String], line: &str) -> bool {
    mind.iter().any(|told| told.trim() == line.trim())
}

/// Shows a question with everything that a person should see before the answer.
fn told(question: &Question, people: &[(String, String)]) -> Markup {
    match question {
        Question::Sign { lines, mind, ends } => html! {
            @for line in mind { p.mind { (texts::in_words(&named(line), people)) } }
            @if let Some((game, lines)) = lines.split_first() {
                // The name of the game's folder says nothing to a person.
                @let game = game.split_once(": ").filter(|(name, _)| !name.contains(' ')).map_or(game.as_str(), |(_, told)| told);
                p { (texts::in_words(game, people)) }
                @let lines = lines.iter().filter(|line| !is_told(mind, line)).map(|line| texts::in_words(line, people));
                (list("signed", &lines.collect::<Vec<_>>()))
            }
            p.warning { (texts::CANNOT_BE_TAKEN_BACK) }
            @if *ends {
                label for=(TYPED) { (texts::type_to_end(CLOSE)) }
                input id=(TYPED) name=(TYPED) required pattern={ "\\s*(" (CLOSE) "|Close|CLOSE)\\s*" } autocomplete="off";
            }
        },
        Question::Move { what, lines, .. } => html! {
            p { (what) }
            (list("plain", lines))
        },
        Question::Setting(line) => html! { p.mind { (named(line)) } p { (texts::AGREE_TO_THIS) } },
        Question::WithoutPage(_) => html! {
            p.mind { (texts::WITHOUT_PAGE) }
            p { (texts::WITHOUT_PAGE_THEN) }
        },
        Question::Without(risk) | Question::Join(risk) => html! { p.mind { (named(risk)) } },
    }
}

/// Asks for the passphrase of a locked key, and carries the action on.
pub(in crate::desk) fn unlock(
    desk: &Desk,
    game: Option<&str>,
    verb: Verb,
    fields: &Fields,
    failed: Option<&StorageError>,
) -> Response {
    let content = html! {
        @if let Some(failed) = failed { div.problem role="alert" { p { (failed) } } }
        p { (texts::UNLOCK_WHY) }
        form method="post" enctype="multipart/form-data" action=(desk.path(&["key", "unlock"]))
            data-signs[fields.has(AGREED)] data-lost=(texts::DESK_GONE) {
            p #lost role="alert" {}
            (carried(fields, &[PASSPHRASE, THEN]))
            input type="hidden" name=(THEN) value=(verb.name());
            @if let Some(game) = game { input type="hidden" name=(GAME) value=(game); }
            (passphrase_field())
            div.choice {
                button.main type="submit" { (texts::UNLOCK) }
                @if steps::has_form(verb) { (change(Some(&path(desk, game, verb)))) }
                a href=(back(desk, game)) { (texts::DO_NOT) }
            }
        }
    };
    shown(desk, &here(game), texts::UNLOCK_TITLE, &content)
}

/// Returns the button that goes back to the form with what was entered, at the path of the action if it is another one.
fn change(path: Option<&str>) -> Markup {
    html! {
        button type="submit" name=(CHANGE) value="yes" formaction=[path] formnovalidate { (texts::CHANGE_IT) }
    }
}

/// The field with the name of the game whose action waits for the key.
pub(in crate::desk) const GAME: &str = "then-game";

/// Returns the field in which a passphrase is typed.
pub(super) fn passphrase_field() -> Markup {
    html! {
        label for=(PASSPHRASE) { (texts::PASSPHRASE) }
        input id=(PASSPHRASE) type="password" name=(PASSPHRASE) autocomplete="current-password" required autofocus;
    }
}

/// Carries the fields of an action on to the next request.
pub(super) fn carried(fields: &Fields, except: &[&str]) -> Markup {
    html! { @for (name, value) in fields.without(except) { input type="hidden" name=(name) value=(value); } }
}

/// Returns the path of an action.
pub(super) fn path(desk: &Desk, game: Option<&str>, verb: Verb) -> String {
    match game {
        Some(game) => desk.path(&["game", game, verb.name()]),
        None => desk.path(&["do", verb.name()]),
    }
}

fn back(desk: &Desk, game: Option<&str>) -> String {
    game.map_or_else(|| desk.path(&[""]), |game| desk.path(&["game", game]))
}

fn here(game: Option<&str>) -> Here<'_> {
    game.map_or(Here::Home, Here::Game)
}
