//! The steps of a status as buttons: a link to a form, or a form that shows a preview.

use maud::{Markup, html};

use super::super::{
    fields::Fields,
    state::{Desk, encoded},
    texts,
    verb::Verb,
};
use crate::{
    blob::body::Forfeit,
    play::{
        state::Status,
        step::{Gives, Rules, Step, Takes},
    },
};

/// Returns the buttons of steps in a game.
pub(super) fn buttons(desk: &Desk, status: &Status, steps: &[Step]) -> Markup {
    html! {
        @if !steps.is_empty() {
            ul.steps { @for step in steps { li { (button(desk, status, step)) } } }
        }
    }
}

fn button(desk: &Desk, status: &Status, step: &Step) -> Markup {
    let (verb, fields) = action(step);
    to(desk, &status.name, verb, &fields, &label(status, step))
}

fn label(status: &Status, step: &Step) -> String {
    match step {
        Step::Reply => texts::reply(status).to_owned(),
        step => texts::step(step, &status.people),
    }
}

/// Returns a link to the form of an action or, if it needs no form, a button that shows its preview.
pub(super) fn to(desk: &Desk, game: &str, verb: Verb, fields: &Fields, label: &str) -> Markup {
    let path = desk.path(&["game", game, verb.name()]);
    html! {
        @if has_form(verb) && !fields.has("again") {
            a.button href={ (path) (query(fields)) } { (label) }
        } @else {
            form method="post" enctype="multipart/form-data" action=(path) {
                @for (name, value) in fields.without(&[]) { input type="hidden" name=(name) value=(value); }
                button type="submit" { (label) }
            }
        }
    }
}

/// Whether an action needs input beyond what a step gives.
pub(super) const fn has_form(verb: Verb) -> bool {
    !matches!(
        verb,
        Verb::Agree
            | Verb::Pull
            | Verb::Push
            | Verb::Refuse
            | Verb::Reply
            | Verb::Resend
            | Verb::ResendAll
            | Verb::Resync
            | Verb::Withdraw
    )
}

fn query(fields: &Fields) -> String {
    let escaped = |text: &str| text.bytes().map(encoded).collect::<String>();
    let pairs = fields.without(&[]).map(|(name, value)| format!("{}={}", escaped(name), escaped(value)));
    let pairs = pairs.collect::<Vec<_>>().join("&");
    if pairs.is_empty() { pairs } else { format!("?{pairs}") }
}

/// Returns the action of a step, with the fields that the step knows.
fn action(step: &Step) -> (Verb, Fields) {
    let none = Fields::default;
    let id = |id: &crate::play::step::Id| Fields::of([("id", id.as_str().to_owned())]);
    match step {
        Step::Reply => (Verb::Reply, none()),
        Step::Resend => (Verb::Resend, none()),
        Step::ResendEverything => (Verb::ResendAll, none()),
        Step::AcceptTerms => (Verb::Accept, none()),
        Step::Withdraw => (Verb::Withdraw, none()),
        Step::Resync => (Verb::Resync, none()),
        Step::Agree(proposal) => (Verb::Agree, id(proposal)),
        Step::Refuse(proposal) => (Verb::Refuse, id(proposal)),
        Step::Declare { slot, takes, skip, office } => {
            let mut fields = Fields::of([("slot", slot.to_string()), ("takes", taken(*takes).to_owned())]);
            if *skip {
                fields.push("skip", "yes");
            }
            if *office {
                fields.push("office", "yes");
            }
            (Verb::Declare, fields)
        }
        Step::DeclareAgain { slot, office } => {
            let mut fields = Fields::of([("slot", slot.to_string()), ("again", "yes".to_owned())]);
            if *office {
                fields.push("office", "yes");
            }
            (Verb::Declare, fields)
        }
        Step::Decide { slot, name, gives } => {
            let fields = Fields::of([("slot", slot.to_string()), ("name", name.to_string())]);
            match gives {
                Gives::Words => (Verb::Decide, with(fields, "gives", "words")),
                Gives::Form => (Verb::Decide, with(fields, "gives", "form")),
                Gives::Text => (Verb::Note, with(fields, "gives", "text")),
                Gives::Orders => (Verb::Note, with(fields, "gives", "form")),
            }
        }
        Step::NameDice(slot) => (Verb::NameDice, Fields::of([("slot", slot.to_string())])),
        Step::Choose(letter) => (Verb::Choose, id(letter)),
        Step::Rule(rules) => ruling(rules),
        Step::Push => (Verb::Push, none()),
        Step::Pull => (Verb::Pull, none()),
    }
}

fn ruling(rules: &Rules) -> (Verb, Fields) {
    let (ruling, id) = match rules {
        Rules::Request(id) => ("request", id),
        Rules::Open(id) => ("open", id),
        Rules::Forfeit(id, Forfeit::DeclarerNames) => ("forfeit-dice", id),
        Rules::Forfeit(id, Forfeit::Game | Forfeit::None) => ("forfeit-game", id),
        Rules::Dismiss(id) => ("dismiss", id),
        Rules::Settle(id) => ("settle", id),
        Rules::Agree(id) => ("agree", id),
    };
    (Verb::Rule, Fields::of([("ruling", ruling.to_owned()), ("id", id.as_str().to_owned())]))
}

fn with(mut fields: Fields, name: &str, value: &str) -> Fields {
    fields.push(name, value);
    fields
}

const fn taken(takes: Takes) -> &'static str {
    match takes {
        Takes::Attacks => "attacks",
        Takes::Rolls => "rolls",
        Takes::Turn => "turn",
        Takes::Sheet(_) => "sheet",
        Takes::Nothing => "nothing",
    }
}
