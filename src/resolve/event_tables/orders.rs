//! Decisions made beforehand, and what a decision may be (`protocol/event-tables.md` 16 to 18).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    Game, refuse,
    tables::{Ask, Form},
    words::{is_entry, is_loose, is_text},
    written::By,
};
use crate::{
    blob::json::Value,
    error::Result,
    resolve::{Object, read},
};

/// What was ordered, by decision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Orders(BTreeMap<String, Value>);

impl Orders {
    /// That they are orders; of the owner or the enemy, if it is said of whom (17).
    ///
    /// # Errors
    /// [`crate::error::Error::Refused`] with what an order may be.
    pub(super) fn check(&self, game: &Game, by: Option<By>) -> Result<()> {
        for (name, order) in &self.0 {
            let ask = game.tables.asks.get(name).filter(|ask| by.is_none_or(|by| by == ask.by));
            let Some(Ask { form, .. }) = ask else {
                return Err(refuse(17, format_args!("orders: {name:?} is no decision of this player")));
            };
            let fits = match form {
                Form::Names | Form::Name => names(order).is_some_and(|names| (1..=64).contains(&names.len())),
                Form::Word(words) => words.value(order).is_some(),
                Form::Lines => false,
            };
            if !fits {
                return Err(refuse(17, format_args!("orders: {name}: {}", ordered_as(form))));
            }
        }
        Ok(())
    }

    /// What a standing note orders, if it is one (17).
    ///
    /// # Errors
    /// As [`Orders::check`].
    pub(super) fn of_note(game: &Game, says: &Object) -> Result<Self> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Standing {
            orders: Orders,
        }
        let Standing { orders } = read("a standing note", says)?;
        orders.check(game, Some(By::Enemy))?;
        Ok(orders)
    }

    /// Takes more orders in.
    pub(super) fn extend(&mut self, more: Self) {
        self.0.extend(more.0);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names ordered for a decision, of which the first that are allowed count.
    pub(super) fn first(&self, ask: &str, wanted: usize, allowed: impl Fn(&str) -> bool) -> Option<Vec<String>> {
        let found: Vec<String> =
            names(self.0.get(ask)?)?.into_iter().filter(|name| allowed(name)).take(wanted).collect();
        (found.len() == wanted).then_some(found)
    }

    /// The word ordered for a decision.
    pub(super) fn word(&self, ask: &str) -> Option<&str> {
        self.0.get(ask)?.as_str()
    }
}

fn ordered_as(form: &Form) -> String {
    match form {
        Form::Names | Form::Name => "a list of 1 to 64 different names; the first that are allowed count".into(),
        Form::Word(words) => format!("one of {}", words.tell()),
        Form::Lines => "it cannot be ordered beforehand".into(),
    }
}

/// A list of different names of entries.
pub(super) fn names(value: &Value) -> Option<Vec<String>> {
    let names: Vec<String> =
        value.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<_>>()?;
    let good = |(i, name): (usize, &String)| is_entry(name) && !names.iter().take(i).any(|other| other == name);
    names.iter().enumerate().all(good).then_some(names)
}

/// Whether it is a text of a line (16).
pub(super) fn is_written(text: &Value) -> bool {
    let good = |text: &str| {
        is_text(text) && text != "none" && !text.starts_with(' ') && !text.ends_with(' ') && !text.chars().any(is_loose)
    };
    text.as_str().is_some_and(good)
}

/// Lines of texts: so many at least and at most, of so many parts, the first parts all different, and none of them with
/// what stands between texts and lines when they are typed (16).
pub(super) fn lines(value: &Value, at_least: usize, at_most: usize, parts: usize) -> Option<Vec<Vec<String>>> {
    let text = |text: &Value| is_written(text).then(|| text.as_str().map(str::to_owned)).flatten();
    let one = at_most == 1 && parts == 1;
    let line = |line: &Value| {
        let texts: Vec<String> = line.as_array()?.iter().map(text).collect::<Option<_>>()?;
        let apart = one || !texts.iter().any(|text| text.contains([';', '>'])) && !texts.last()?.contains(',');
        (texts.len() == parts && apart).then_some(texts)
    };
    let lines: Vec<Vec<String>> = value.as_array()?.iter().map(line).collect::<Option<_>>()?;
    let differs = |(i, line): (usize, &Vec<String>)| !lines.iter().take(i).any(|other| other.first() == line.first());
    ((at_least..=at_most).contains(&lines.len()) && lines.iter().enumerate().all(differs)).then_some(lines)
}
