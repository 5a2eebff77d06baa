//! The page of a choice: the last dice, the question, and a control for the answers that it allows.

use maud::{Markup, html};

use super::{
    super::{act::CHOICE, fields::Fields, state::Desk, texts},
    inputs::{heading, offer, people},
    news, why,
};
use crate::{
    play::{
        self,
        status::{self, Shown},
    },
    resolve::{AllowedAnswers, Names},
};

/// Shows a choice that is made in words.
pub(super) fn choice(desk: &Desk, game: Option<&str>, fields: &Fields) -> Markup {
    let question = offer(desk, |at| play::decide::question(at, game, fields.get("slot")));
    html! {
        (heading(desk, game, fields.get("slot")))
        (last_dice(desk, game))
        @match question {
            Ok(choice) => {
                (proposal(desk, game, fields))
                @if let Some(choice) = &choice { p.question { strong { (texts::asked(choice)) } } }
                (control(choice.as_ref().map(|choice| &choice.answers), fields))
            }
            Err(failure) => (why(&failure)),
        }
    }
}

/// Shows what the opponent has proposed, if the choice is an answer to that.
fn proposal(desk: &Desk, game: Option<&str>, fields: &Fields) -> Markup {
    let lines = offer(desk, |at| play::decide::proposal(at, game, fields.get("slot"))).unwrap_or_default();
    html! { @if !lines.is_empty() { ul.proposal { @for line in &lines { li { (line) } } } } }
}

fn last_dice(desk: &Desk, game: Option<&str>) -> Markup {
    let dice = match status::status(&desk.home, game) {
        Ok(Shown::One(status, _)) => status.dice,
        _ => None,
    };
    html! { @if let Some(dice) = &dice { (news::last_dice(dice, &people(desk, game))) } }
}

fn control(answers: Option<&AllowedAnswers>, fields: &Fields) -> Markup {
    match answers {
        Some(AllowedAnswers::Word(words)) => {
            let one = |(word, means): &(String, &str)| (word.clone(), texts::answer(word, means));
            boxes("radio", texts::CHOICE, &words.iter().map(one).collect::<Vec<_>>(), fields)
        }
        Some(AllowedAnswers::Names(names)) => of_names(names, fields),
        Some(AllowedAnswers::Text(_) | AllowedAnswers::Form(_)) | None => html! {
            label for=(CHOICE) { (texts::CHOICE) }
            textarea id=(CHOICE) name=(CHOICE) rows="3" required { (fields.get(CHOICE)) }
        },
    }
}

fn of_names(names: &Names, fields: &Fields) -> Markup {
    let none = names.or_none.then(|| (Names::NONE.to_owned(), texts::NONE_OF_THEM.to_owned()));
    let all: Vec<(String, String)> =
        names.left().into_iter().map(|name| (name.to_owned(), name.to_owned())).chain(none).collect();
    match names.count {
        1 => boxes("radio", texts::CHOICE, &all, fields),
        count => boxes("checkbox", &texts::choose(count), &all, fields),
    }
}

/// Returns a button or a box for each answer, with its label.
fn boxes(kind: &str, legend: &str, answers: &[(String, String)], fields: &Fields) -> Markup {
    let is_chosen = |answer: &str| fields.all(CHOICE).any(|chosen| chosen == answer);
    html! {
        fieldset {
            legend { (legend) }
            @for (answer, label) in answers {
                label.tick {
                    input type=(kind) name=(CHOICE) value=(answer) checked[is_chosen(answer)] required[kind == "radio"];
                    " " (label)
                }
            }
        }
    }
}
