//! New letters in words, and the state of their games.

use maud::{Markup, html};

use super::{
    super::{commands::named, state::Desk, texts},
    steps,
};
use crate::{
    play::{
        handed::News,
        last_dice::LastDice,
        received::{NewIn, Received},
        state::Status,
        step::Step,
    },
    report::{
        description::{Line, Told},
        dice_svg::die,
    },
};

/// Dice in a row that a page shows at once; more are folded away.
const MOST_DICE: usize = 30;

/// Shows news that arrived on the way to something else.
pub(super) fn all(desk: &Desk, news: &[News]) -> Markup {
    html! {
        @for one in news {
            @match one {
                News::Letters(received) => (letters(desk, received)),
                News::Said(line) => { p.note { (named(line)) } }
            }
        }
    }
}

/// Shows the letters that were taken in, and those that were not.
pub(super) fn letters(desk: &Desk, received: &Received) -> Markup {
    html! {
        @for new in &received.games { (game(desk, new)) }
        @if received.known > 0 { p { (texts::known(received.known)) } }
        @if !received.listed.is_empty() {
            h2 { (texts::NOT_KEPT) }
            ul { @for (id, told) in &received.listed { li { code { (id) } " " (told) } } }
        }
        @if !received.refused.is_empty() {
            div.problem {
                h2 { (texts::NOT_TAKEN_IN) }
                ul { @for line in &received.refused { li { (named(line)) } } }
            }
        }
        @for line in &received.said { p.note { (named(line)) } }
    }
}

fn game(desk: &Desk, new: &NewIn) -> Markup {
    html! {
        section {
            h2 { (texts::NEW_IN) " " a href=(desk.path(&["game", &new.game])) { (new.status.title) } }
            ul.letters-in {
                @for letter in &new.letters {
                    li {
                        strong { (letter.author) @if let Some(number) = letter.number { " " (number) } }
                        ": " (told(&letter.says, &new.status.people))
                        @if !letter.roster.is_empty() { ul { @for entry in &letter.roster { li { (entry) } } } }
                    }
                }
            }
            @for line in &new.mind { p.mind { (named(line)) } }
            @if !new.alike.is_empty() { p.mind { (texts::alike(&new.alike)) } }
            (state(desk, &new.status))
        }
    }
}

/// Shows what a letter says, with its dice drawn as dice.
pub(super) fn told(told: &Told, people: &[(String, String)]) -> Markup {
    html! {
        (texts::in_words(&told.says, people))
        @for run in told.lines.chunk_by(|one, next| is_die(one) == is_die(next)) {
            @if run.len() > MOST_DICE && run.iter().all(is_die) {
                details { summary { (texts::dice(run.len())) } (rolled(run, people)) }
            } @else {
                (rolled(run, people))
            }
        }
    }
}

const fn is_die(line: &Line) -> bool {
    matches!(line, Line::Die { .. })
}

fn rolled(lines: &[Line], people: &[(String, String)]) -> Markup {
    html! {
        ul.rolled {
            @for line in lines {
                @match line {
                    Line::Words(words) => {
                        li.under[words.starts_with("  ")] { (texts::in_words(words, people)) }
                    }
                    Line::Die { sides, value, why } => { li { (die(*sides, *value)) " " (why) } }
                }
            }
        }
    }
}

/// Shows the dice that were opened last.
pub(super) fn last_dice(dice: &LastDice, people: &[(String, String)]) -> Markup {
    html! {
        section.opened {
            h2 { @if dice.has_dice() { (texts::LAST_DICE) } @else { (texts::TOLD_LAST) } }
            @if let Some(caveat) = &dice.caveat { p.mind { strong { (caveat) } } }
            (texts::in_words(dice.author.as_str(), people)) ": " (told(&dice.told, people))
            @for (author, since) in &dice.since {
                p { (texts::in_words(author.as_str(), people)) ": " (told(since, people)) }
            }
        }
    }
}

/// Shows the open claims to a referee, each with the rulings that they may make on it.
fn claims(desk: &Desk, status: &Status) -> Markup {
    html! {
        @if !status.claims.is_empty() {
            h3 { (texts::CLAIMS) }
            @for claim in &status.claims {
                p.note { (named(&claim.says)) }
                (steps::buttons(desk, status, &claim.may))
            }
        }
    }
}

/// Shows whose move it is in a game, with the steps as buttons.
pub(super) fn state(desk: &Desk, status: &Status) -> Markup {
    // Rulings on a claim stand beside the claim.
    let on_claims = |step: &&Step| status.claims.iter().any(|claim| claim.may.contains(step));
    let steps: Vec<Step> = status.steps.iter().filter(|step| !on_claims(step)).cloned().collect();
    html! {
        @for why in status.blocked.iter().map(|(_, why)| why).chain(&status.ended) { p.mind { (named(why)) } }
        p.turn { strong { (texts::whose_move(status)) } }
        @for (_, words) in &status.proposed { p.note.lines { (words) } }
        // Nobody is to commit to a move before they see the dice that their reply opens.
        @if status.is_blind { (steps::buttons(desk, status, &[Step::Reply])) }
        @else { (steps::buttons(desk, status, &steps)) }
        (claims(desk, status))
        @if !status.waits_for.is_empty() {
            p { (texts::WAITING_FOR) }
            ul.waits { @for line in &status.waits_for { li { (texts::in_words(&named(line), &status.people)) } } }
        }
    }
}
