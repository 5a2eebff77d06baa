//! A new game: its terms from the answers to questions, as text, or from a game that it continues.

use axum::response::Response;
use maud::{Markup, html};

use super::{
    super::{
        ask,
        commands::named,
        fields::{Fields, Upload},
        state::Desk,
        terms::{self, DROP, TABLES, TEMPLATE, Wrong},
        texts,
        toml_form::{OFFERED, text as form_text},
        verb::Verb,
    },
    confirm,
    layout::{Here, shown},
    news, tables, toml_form, why,
};
use crate::{
    limits::FRAME_BYTES,
    play::{
        acquaintances::{Acquaintance, Acquaintances, acquaintances},
        charter_file::templates::TEMPLATES,
        continuing::NextTerms,
        failure::Failure,
        questions::{GAMES, Game, Kind, Part, Question, Tables},
    },
};

/// The part of the terms with what a template makes up, such as forces.
const MADE_UP: &str = "phases";
/// The field that asks for the terms as text.
const TEXT: &str = "text";

/// Shows the kinds of games or, once one is chosen, its questions. With `text`, shows its terms as text instead.
pub(in crate::desk) fn page(desk: &Desk, fields: &Fields) -> Response {
    let template = TEMPLATES.iter().find(|(name, _)| *name == fields.get(TEMPLATE));
    match (Game::named(fields.get(TEMPLATE)), template) {
        (Some(game), Some((_, text))) if fields.has(TEXT) => {
            let mind: Vec<String> = game.made_up.map(texts::put_in).into_iter().collect();
            rest(desk, &mind, (text, true), fields, None)
        }
        (Some(game), _) => questions(desk, game, fields, &Wrong::new(), None),
        (None, _) => shown(desk, &Here::Home, texts::NEW_GAME, &games(desk)),
    }
}

/// Reads the answers. If all are right, goes on to the preview of the terms; otherwise shows the questions again.
pub(in crate::desk) fn answered(desk: &Desk, fields: &Fields) -> Response {
    let Some(game) = Game::named(fields.get(TEMPLATE)) else { return super::missing(desk) };
    match (terms::answered(&desk.home, game, fields), game.made_up) {
        (Ok(Ok(text)), Some(made_up)) => rest(desk, &[texts::put_in(made_up)], (&text.text, false), fields, None),
        (Ok(Ok(_)), None) => ask::act(desk, None, Verb::New, fields),
        (Ok(Err(wrong)), _) => questions(desk, game, fields, &wrong, None),
        (Err(failure), _) => super::failed(desk, &Here::Home, &failure),
    }
}

/// Shows the questions or the text again with what was entered, and why the terms cannot be proposed.
pub(in crate::desk) fn again(desk: &Desk, fields: &Fields, failed: Option<&Failure>) -> Response {
    match terms::game(fields) {
        Some(game) => {
            let wrong = failed.map(|failure| terms::blamed(game, failure)).unwrap_or_default();
            let failed = failed.filter(|_| wrong.is_empty());
            questions(desk, game, fields, &wrong, failed)
        }
        None => {
            let text = form_text("terms", fields).unwrap_or_default();
            rest(desk, &[], (&text, !fields.has(OFFERED)), fields, failed)
        }
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

/// Shows the questions of a game, with what was typed and what is wrong with it, or why the terms cannot be proposed.
fn questions(desk: &Desk, game: &'static Game, fields: &Fields, wrong: &Wrong, failed: Option<&Failure>) -> Response {
    let questions: Vec<&Question> = game.questions().collect();
    let known = acquaintances(&desk.home).unwrap_or_default();
    let parts: Vec<&[&Question]> = questions.chunk_by(|one, next| one.part == next.part).collect();
    let content = html! {
        @if let Some(failed) = failed { (news::all(desk, &failed.news)) (why(failed)) }
        @if !wrong.is_empty() { div.problem role="alert" { p { (texts::ANSWERS_WRONG) } } }
        p { (game.text) }
        form.action method="post" enctype="multipart/form-data" action=(desk.path(&["new"])) {
            input type="hidden" name=(TEMPLATE) value=(game.template);
            @for part in parts {
                fieldset {
                    legend { (part.first().map(|question| question.part).map_or("", Part::title)) }
                    @let (first, rest) = part.split_at(if is_of_third(part) { 1 } else { part.len() });
                    @for question in first { (input(question, fields, wrong, &known)) }
                    @if !rest.is_empty() {
                        details open[is_third_open(fields, rest, wrong)] {
                            summary { (texts::ABOUT_THE_THIRD) }
                            @for question in rest { (input(question, fields, wrong, &known)) }
                        }
                    }
                }
            }
            @if let Some(tables) = game.tables { (of_game(tables, fields, wrong)) }
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

fn is_of_third(part: &[&Question]) -> bool {
    part.first().is_some_and(|question| question.part == Part::Third)
}

/// Whether the questions about a referee or an office are shown: some are answered already, or wrong.
fn is_third_open(fields: &Fields, questions: &[&Question], wrong: &Wrong) -> bool {
    let is_answered =
        |question: &&Question| fields.said(question.id).is_some_and(|said| Some(said) != question.default);
    questions.iter().any(is_answered) || questions.iter().any(|question| wrong.iter().any(|(id, _)| *id == question.id))
}

/// Shows the field for the table file of a game, and the tables that come with the program.
fn of_game(tables: Tables, fields: &Fields, wrong: &Wrong) -> Markup {
    let wrong = wrong.iter().find(|(wrong, _)| *wrong == TABLES).map(|(_, why)| why);
    html! {
        (files(texts::TABLE_FILE, texts::table_file(tables), false, fields))
        @if let Some(wrong) = wrong { p.mind id={ (TABLES) "-wrong" } { (wrong) } }
        @let text = tables.supplied().text;
        @if let Ok(file) = toml::from_str(&text) { (tables::of_file(&file)) }
        details { summary { (texts::supplied(tables)) } pre { (text) } }
    }
}

/// Shows a field for table files, and carries on those that were chosen before.
fn files(label: &str, about: &str, several: bool, fields: &Fields) -> Markup {
    // A file that is too long for the terms is not carried on.
    let chosen: Vec<Upload> =
        terms::chosen(fields).into_iter().filter(|file| file.bytes.len() <= FRAME_BYTES).collect();
    let before = if several { chosen.as_slice() } else { chosen.last().map(std::slice::from_ref).unwrap_or_default() };
    let mut kept = Fields::default();
    before.iter().for_each(|file| kept.push_file(TABLES, file));
    html! {
        label for=(TABLES) { (label) }
        input id=(TABLES) type="file" name=(TABLES) multiple[several] aria-describedby={ (TABLES) "-why" };
        p.why id={ (TABLES) "-why" } { (about) }
        (confirm::carried(&kept, &[]))
        @for file in before { p { (texts::chosen(&file.name)) } }
        @if !before.is_empty() {
            label.tick { input type="checkbox" name=(DROP) value="yes"; " " (texts::DROP_TABLES) }
        }
    }
}

/// Shows a question with its explanation and, beside it, what is wrong with its answer.
fn input(question: &Question, fields: &Fields, wrong: &Wrong, known: &Acquaintances) -> Markup {
    let id = question.id;
    let value = fields.said(id).or_else(|| own(known, id)).or(question.default).unwrap_or_default();
    let others = others(known, id);
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
                    spellcheck=[matches!(question.kind, Kind::Key).then_some("false")]
                    list=[(!others.is_empty()).then(|| format!("{id}-known"))];
                @if !others.is_empty() {
                    datalist id={ (id) "-known" } { @for (value, label) in &others { option value=(value) { (label) } } }
                }
                (explained)
            }
        }
    }
}

/// Returns what the player's earlier games say of the player.
fn own<'k>(known: &'k Acquaintances, id: &str) -> Option<&'k str> {
    let own = known.own.as_ref()?;
    match id {
        "own-name" => Some(&own.name),
        "own-role" => Some(&own.role),
        _ => None,
    }
}

/// Returns what the player's earlier games say of opponents, to choose from: each value with its label.
fn others(known: &Acquaintances, id: &str) -> Vec<(String, String)> {
    let of = |other: &Acquaintance| match id {
        "their-name" => Some((other.name.clone(), other.role.clone())),
        "their-key" => Some((other.key.to_string(), other.name.clone())),
        _ => None,
    };
    known.others.iter().filter_map(of).collect()
}

/// Shows the terms of a game that continues another, to propose.
pub(in crate::desk) fn continued(desk: &Desk, terms: &NextTerms) -> Response {
    rest(desk, &terms.mind, (&terms.text, false), &Fields::default(), None)
}

/// Shows whole terms to propose, as a form or as text, below what a player must not overlook.
fn rest(
    desk: &Desk,
    mind: &[String],
    (text, is_text): (&str, bool),
    fields: &Fields,
    failed: Option<&Failure>,
) -> Response {
    // What questions have asked is answered, or can stay as it is.
    let is_answered = Game::named(fields.get(TEMPLATE)).is_some();
    let content = html! {
        @if let Some(failed) = failed { (news::all(desk, &failed.news)) (why(failed)) }
        @for line in mind { p.mind { (named(line)) } }
        form.action method="post" enctype="multipart/form-data" action=(confirm::path(desk, None, Verb::New)) {
            input type="hidden" name=(TEMPLATE) value=(fields.get(TEMPLATE));
            @if is_text { (toml_form::area("terms", text)) } @else {
                (toml_form::part("terms", text, |part| part == MADE_UP || !is_answered))
            }
            (files(texts::OWN_TABLES, texts::OWN_TABLES_WHY, true, fields))
            div.choice { button.main type="submit" { (texts::SHOW_PREVIEW) } }
        }
    };
    shown(desk, &Here::Home, texts::NEW_GAME, &content)
}
