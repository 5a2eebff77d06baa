//! The page of a choice: the last dice, the question, and a control for the answers that it allows.

use maud::{Markup, html};

use super::{
    super::{
        act::{CHOICE, PARTS, part_name},
        fields::Fields,
        state::Desk,
        texts,
    },
    controls::words,
    inputs::{heading, offer, people},
    news, why,
};
use crate::{
    play::{
        self,
        status::{self, Shown},
    },
    resolve::{AllowedAnswers, Lines, Names},
};

/// Shows a choice that is made in words.
pub(super) fn choice(desk: &Desk, game: Option<&str>, fields: &Fields) -> Markup {
    let question = offer(desk, |at| play::decide::question(at, game, fields.get("slot")));
    let proposal = proposal(desk, game, fields);
    html! {
        (heading(desk, game, fields.get("slot")))
        // What is proposed says all that the answer is about.
        @if proposal.is_none() { (last_dice(desk, game)) }
        @match question {
            Ok(choice) => {
                @if let Some(proposal) = proposal { (proposal) }
                @if let Some(choice) = &choice { p.question { strong { (texts::asked(choice)) } } }
                (control(choice.as_ref().map(|choice| &choice.answers), fields))
            }
            Err(failure) => (why(&failure)),
        }
    }
}

/// Shows what the opponent has proposed, if the choice is an answer to that.
fn proposal(desk: &Desk, game: Option<&str>, fields: &Fields) -> Option<Markup> {
    let lines = offer(desk, |at| play::decide::proposal(at, game, fields.get("slot"))).unwrap_or_default();
    let people = people(desk, game);
    (!lines.is_empty())
        .then(|| html! { ul.proposal { @for line in &lines { li { (texts::in_words(line, &people)) } } } })
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
        Some(AllowedAnswers::Lines(lines)) if lines.at_most > 1 || lines.parts.len() > 1 => table(lines, fields),
        Some(AllowedAnswers::Lines(_) | AllowedAnswers::Form(_)) | None => html! {
            label for=(CHOICE) { (texts::CHOICE) }
            textarea id=(CHOICE) name=(CHOICE) rows="3" required { (fields.get(CHOICE)) }
        },
    }
}

/// Returns a row for each line, with a field for each of its texts.
fn table(lines: &Lines, fields: &Fields) -> Markup {
    html! {
        input type="hidden" name=(PARTS) value=(lines.parts.len());
        table.input {
            thead { tr { @for part in &lines.parts { th scope="col" { (words(part)) } } } }
            tbody {
                @for row in 0..lines.at_most {
                    tr {
                        @for (column, part) in lines.parts.iter().enumerate() {
                            @let name = part_name(row, column);
                            td { input name=(name) value=(fields.get(&name)) autocomplete="off"
                                aria-label=(texts::in_row(&words(part), row + 1)); }
                        }
                    }
                }
            }
        }
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

#[cfg(test)]
mod tests {
    use super::{super::super::act::written, *};

    /// Lines are typed into rows, and come back from the preview as they were.
    #[test]
    fn lines_are_rows() {
        let lines = Lines {
            parts: vec!["regiment".into(), "hex".into()],
            at_least: 0,
            at_most: 2,
            entry: None,
            hint: String::new(),
        };
        let answers = AllowedAnswers::Lines(Box::new(lines));
        let typed = [(PARTS, "2"), ("part.0.0", " 13 Ala "), ("part.0.1", "A43.01"), ("part.1.0", "26 NC")];
        let fields = Fields::of(typed.map(|(name, value)| (name, value.to_owned())));
        let html = control(Some(&answers), &fields).into_string();
        assert_eq!(html.matches("<input name=\"part.").count(), 4, "{html}");
        assert!(
            html.contains("name=\"part.1.0\" value=\"26 NC\"") && html.contains("aria-label=\"hex, row 2\""),
            "{html}"
        );
        assert_eq!(written(&fields).as_deref(), Some("13 Ala > A43.01\n26 NC > "));
        assert_eq!(written(&Fields::of([(PARTS, "2".to_owned())])).as_deref(), Some("none"));
        assert_eq!(written(&Fields::of([(CHOICE, "Hold the ridge".to_owned())])), None);
    }
}
