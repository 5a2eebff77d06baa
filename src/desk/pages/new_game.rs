//! A new game: its terms from the answers to questions, as text, or from a game that it continues.

use std::path::{Path, PathBuf};

use axum::response::Response;
use maud::{Markup, html};

use super::{
    super::{ask, commands::named, fields::Fields, state::Desk, texts, verb::Verb},
    confirm, form,
    layout::{Here, shown},
};
use crate::{
    keep::key_file::KeyFile,
    play::{
        charter_file::templates::TEMPLATES,
        continuing::NextTerms,
        failure::PlayResult,
        questions::{self, Answers, GAMES, Game, Kind, Part, Question},
    },
};

/// The field with the name of the template.
const TEMPLATE: &str = "template";
/// The field that asks for the terms as text.
const TEXT: &str = "text";

/// Shows the kinds of games or, once one is chosen, its questions. With `text`, shows its terms as text instead.
pub(in crate::desk) fn page(desk: &Desk, fields: &Fields) -> Response {
    let template = TEMPLATES.iter().find(|(name, _)| *name == fields.get(TEMPLATE));
    match (Game::named(fields.get(TEMPLATE)), template) {
        (Some(game), Some((_, text))) if fields.has(TEXT) => {
            as_text(desk, &game.made_up.map(texts::put_in).into_iter().collect::<Vec<_>>(), text)
        }
        (Some(game), _) => asked(desk, game, fields, &[]),
        (None, _) => shown(desk, &Here::Home, texts::NEW_GAME, &games(desk)),
    }
}

/// Reads the answers. If all are right, goes on to the preview of the terms; otherwise shows the questions again.
pub(in crate::desk) fn answered(desk: &Desk, fields: &Fields) -> Response {
    let Some(game) = Game::named(fields.get(TEMPLATE)) else { return super::missing(desk) };
    let terms = match taken(desk, game, fields) {
        Ok(Ok(terms)) => terms,
        Ok(Err(wrong)) => return asked(desk, game, fields, &wrong),
        Err(failure) => return super::failed(desk, &Here::Home, &failure),
    };
    match game.made_up {
        Some(made_up) => as_text(desk, &[texts::put_in(made_up)], &terms),
        None => ask::act(desk, None, Verb::New, &Fields::of([("terms", terms)])),
    }
}

/// The names of questions whose answers are wrong, with the reasons.
type Wrong = Vec<(&'static str, String)>;

/// Takes every answer, and writes the terms if all are right.
fn taken(desk: &Desk, game: &'static Game, fields: &Fields) -> PlayResult<Result<String, Wrong>> {
    let mut answers = Answers::new(game, KeyFile::open(&desk.home.key_file())?.public());
    let mut wrong = Wrong::new();
    for question in game.questions() {
        if answers.calls_for(question)
            && let Err(why) = answers.take(question, fields.get(question.id))
        {
            wrong.push((question.id, why));
        }
    }
    match wrong.is_empty() {
        true => Ok(Ok(questions::terms(&answers, Path::new(texts::THE_FORM))?.text)),
        false => Ok(Err(wrong)),
    }
}

fn games(desk: &Desk) -> Markup {
    html! {
        p { (texts::NEW_GAME_WHY) }
        ul.games {
            @for game in &GAMES {
                li {
                    a href={ (desk.path(&["new"])) "?" (TEMPLATE) "=" (game.template) } { (game.text) }
                }
            }
        }
    }
}

/// Shows the questions of a game, with what was typed and what is wrong with it.
fn asked(desk: &Desk, game: &'static Game, fields: &Fields, wrong: &[(&'static str, String)]) -> Response {
    let questions: Vec<&Question> = game.questions().collect();
    let parts: Vec<&[&Question]> = questions.chunk_by(|one, next| one.part == next.part).collect();
    let content = html! {
        @if !wrong.is_empty() { div.problem role="alert" { p { (texts::ANSWERS_WRONG) } } }
        p { (game.text) }
        @if let Some((file, template)) = game.tables { p.mind { (texts::needs_tables(&beside(file), template)) } }
        form.action method="post" enctype="multipart/form-data" action=(desk.path(&["new"])) {
            input type="hidden" name=(TEMPLATE) value=(game.template);
            @for part in parts {
                fieldset {
                    legend { (part.first().map(|question| question.part).map_or("", Part::title)) }
                    @for question in part { (input(question, fields, wrong)) }
                }
            }
            div.choice {
                button.main type="submit" {
                    (if game.made_up.is_some() { texts::FILL_IN_THE_REST } else { texts::SHOW_PREVIEW })
                 }
                a href={ (desk.path(&["new"])) "?" (TEMPLATE) "=" (game.template) "&" (TEXT) "=yes" } {
                    (texts::AS_TEXT)
                }
            }
        }
    };
    shown(desk, &Here::Home, texts::NEW_GAME, &content)
}

/// Returns the path where a table file of typed terms is looked up.
fn beside(file: &str) -> PathBuf {
    std::env::current_dir().unwrap_or_default().join(file)
}

/// Shows a question with its explanation and, beside it, what is wrong with its answer.
fn input(question: &Question, fields: &Fields, wrong: &[(&'static str, String)]) -> Markup {
    let id = question.id;
    let value = fields.said(id).or(question.default).unwrap_or_default();
    let wrong = wrong.iter().find(|(wrong, _)| *wrong == id).map(|(_, why)| named(why));
    let about = if wrong.is_some() { format!("{id}-why {id}-wrong") } else { format!("{id}-why") };
    let explained = html! {
        p.why id={ (id) "-why" } { (named(question.why)) }
        @if let Some(wrong) = &wrong { p.mind id={ (id) "-wrong" } { (wrong) } }
    };
    html! {
        @match question.kind {
            Kind::Choice(values) => {
                fieldset.question aria-describedby=(about) {
                    legend { (question.text) }
                    (explained)
                    @for (known, label) in values {
                        label.tick {
                            input type="radio" name=(id) value=(known) checked[*known == value]
                                required[question.is_required()];
                            " " (label)
                        }
                    }
                }
            }
            Kind::Text | Kind::Key => {
                label for=(id) { (question.text) }
                input id=(id) name=(id) value=(value) autocomplete="off" aria-describedby=(about)
                    aria-invalid=[wrong.as_ref().map(|_| "true")] required[question.is_required()]
                    spellcheck=[matches!(question.kind, Kind::Key).then_some("false")];
                (explained)
            }
        }
    }
}

/// Shows the terms of a game that continues another, to propose.
pub(in crate::desk) fn continued(desk: &Desk, terms: &NextTerms) -> Response {
    as_text(desk, &terms.mind, &terms.text)
}

/// Shows terms as text to propose, below what a player must not overlook.
fn as_text(desk: &Desk, mind: &[String], text: &str) -> Response {
    let content = html! {
        @for line in mind { p.mind { (named(line)) } }
        form.action method="post" enctype="multipart/form-data" action=(confirm::path(desk, None, Verb::New)) {
            (form::terms(text))
            div.choice { button.main type="submit" { (texts::SHOW_PREVIEW) } }
        }
    };
    shown(desk, &Here::Home, texts::NEW_GAME, &content)
}
