//! One game: whose move it is, what may be done, and what to do when something goes wrong.

use axum::response::Response;
use maud::{Markup, html};

use super::{
    super::{commands::named, fields::Fields, state::Desk, texts, verb::Verb},
    layout::{Here, shown},
    news, steps, tables,
};
use crate::{
    blob::body::Slot,
    game::{purpose::STANDING, terms::Author},
    play::{
        at_office,
        state::{Status, TO_PRINT},
        status::{self, Shown},
        step::Step,
    },
};

/// Makes the page of a game.
pub(in crate::desk) fn page(desk: &Desk, game: &str) -> Response {
    let status = match status::status(&desk.home, Some(game)) {
        Ok(Shown::One(status, _)) => status,
        Ok(Shown::Several(_)) => return super::missing(desk),
        Err(failure) => return super::failed(desk, &Here::Game(game), &failure),
    };
    shown(desk, &Here::Game(game), &status.title, &content(desk, &status))
}

fn content(desk: &Desk, status: &Status) -> Markup {
    // A form is a page here: nobody prints one.
    let notes: Vec<String> = status.notes.iter().filter(|line| !line.starts_with(TO_PRINT)).cloned().collect();
    let watches = !status.closed && at_office::is_joined(&desk.home, &status.name);
    html! {
        p { (texts::seat(&status.seat)) }
        @if watches { div role="status" data-watch=(desk.path(&["game", &status.name, "watch"])) {} }
        section.move {
            (news::state(desk, status))
            @if status.has_hand { p { a href=(desk.path(&["game", &status.name, "hand"])) { (texts::SHOW_YOUR_HAND) } } }
        }
        @if status.closed { (end(desk, status)) }
        @if let Some(dice) = &status.dice { (news::last_dice(dice, &status.people)) }
        (position(status))
        (also(desk, status))
        (read_form(desk))
        (lines(status, texts::MISSING, &status.missing))
        (lines(status, texts::NOTES, &notes))
        @if !status.if_lost.is_empty() {
            section {
                h2 { (texts::IF_LOST) }
                (steps::buttons(desk, status, &status.if_lost))
            }
        }
        (trouble(desk, status))
        @if status.begun && !status.closed && !status.has_closed && matches!(status.me, Author::Player(_)) {
            section {
                h2 { (texts::TO_END) }
                (steps::to(desk, &status.name, Verb::Close, &Fields::default(), texts::label(Verb::Close)))
                p { (texts::follows(Verb::Close)) }
            }
        }
        (lines(status, texts::KEYS, &status.keys))
    }
}

/// The position, as far as everybody knows it.
fn position(status: &Status) -> Markup {
    html! {
        @if !status.position.is_empty() {
            section {
                h2 { (texts::POSITION) }
                (tables::of_position(&status.position, &status.people))
            }
        }
    }
}

/// The optional steps. A move that would be signed before the dice are seen is one of them.
fn also(desk: &Desk, status: &Status) -> Markup {
    let is_usual = |step: &&Step| !skips(step) && (!status.is_blind || **step != Step::Reply);
    let steps: Vec<Step> = status.also.iter().filter(is_usual).cloned().collect();
    html! {
        @if !steps.is_empty() || status.is_blind || !status.standing.is_empty() {
            section {
                h2 { (texts::YOU_MAY_ALSO) }
                @if status.is_blind {
                    (steps::buttons(desk, status, &status.steps))
                    p.mind { (texts::BLIND) }
                }
                (steps::buttons(desk, status, &steps))
                @if !steps.is_empty() {
                    @for line in &status.mind { p.mind { (texts::in_words(&named(line), &status.people)) } }
                }
                @for slot in &status.standing {
                    @let label = texts::choose_beforehand(&texts::slot(slot, &status.people));
                    p { (steps::to(desk, &status.name, Verb::Note, &standing(slot), &label)) " " (texts::STANDING) }
                }
            }
        }
    }
}

/// Whether a step declares out of order, which is hardly ever meant.
const fn skips(step: &Step) -> bool {
    matches!(step, Step::Declare { skip: true, .. })
}

/// The form for saying beforehand what one would choose for a slot.
fn standing(slot: &Slot) -> Fields {
    Fields::of([("slot", slot.to_string()), ("name", STANDING.to_owned()), ("gives", "form".to_owned())])
}

/// The result of a closed game, and the verdict of its audit.
fn end(desk: &Desk, status: &Status) -> Markup {
    html! {
        section {
            @for result in &status.results { p.turn { (result) } }
            @if let Ok(verdict) = super::report::verdict(desk, &status.name) { p.verdict { (verdict) } }
            p { a href=(desk.path(&["game", &status.name, "report"])) { (texts::REPORT) } }
        }
    }
}

fn read_form(desk: &Desk) -> Markup {
    html! { details { summary { (texts::READ_A_MAIL) } (super::mail_form::mail_form(desk)) } }
}

fn lines(status: &Status, title: &str, lines: &[String]) -> Markup {
    html! {
        @if !lines.is_empty() {
            section { h2 { (title) } ul.waits { @for line in lines { li { (texts::in_words(&named(line), &status.people)) } } } }
        }
    }
}

/// The actions when something went wrong, each with what will follow.
fn trouble(desk: &Desk, status: &Status) -> Markup {
    const PLAYER: &[Verb] = &[
        Verb::Propose,
        Verb::Void,
        Verb::Stall,
        Verb::Raise,
        Verb::Unclaim,
        Verb::Yield,
        Verb::Resync,
        Verb::Continue,
        Verb::Join,
        Verb::Resign,
    ];
    const REFEREE: &[Verb] = &[Verb::Rule, Verb::Resync, Verb::Join];
    let verbs = match status.me {
        _ if !status.begun || status.closed => &[],
        Author::Player(_) => PLAYER,
        Author::Referee => REFEREE,
        Author::Office => &[Verb::Resync],
    };
    html! {
        details {
            summary { (texts::TROUBLE) }
            dl.trouble {
                @for verb in verbs.iter().chain(&[Verb::ResendAll, Verb::Forget]) {
                    dt { (steps::to(desk, &status.name, *verb, &Fields::default(), texts::label(*verb))) }
                    dd { (texts::follows(*verb)) }
                }
                @for step in status.also.iter().filter(|step| skips(step)) {
                    dt { (steps::buttons(desk, status, std::slice::from_ref(step))) }
                    dd { (texts::SKIPS) }
                }
            }
        }
    }
}
