//! Allowed wishes in standing notes, and allowed decisions (`protocol/event-tables.md` 17, 18, 34).

use super::{
    game::{Game, refuse},
    tables::{Ask, Form},
    words::{is_entry, is_loose, is_text},
};
use crate::{blob::json::Value, error::Result, resolve::Object};

/// Checks that each wish in a standing note can make the decision that it names (17).
///
/// # Errors
/// [`crate::error::Error::Refused`] with the allowed form of a wish.
pub(super) fn check(game: &Game, says: &Object) -> Result<()> {
    for (name, wish) in says {
        let Some(Ask { form, .. }) = game.tables.asks.get(name) else {
            return Err(refuse(17, format_args!("unknown decision {name:?}")));
        };
        let fits = match form {
            Form::Names | Form::Name => wished(wish).is_some(),
            Form::Word(words) => words.value(wish).is_some(),
            Form::Lines => false,
        };
        if !fits {
            return Err(refuse(17, format_args!("{name}: {}", wished_as(form))));
        }
    }
    Ok(())
}

fn wished_as(form: &Form) -> String {
    match form {
        Form::Names | Form::Name => "write a list of 1 to 64 different names; the first that are allowed count".into(),
        Form::Word(words) => format!("write one of {}", words.tell()),
        Form::Lines => "a standing note cannot make this decision; remove it".into(),
    }
}

/// Returns the names in a wish (17).
pub(super) fn wished(wish: &Value) -> Option<Vec<String>> {
    names(Some(wish).filter(|wish| wish.as_array().is_some_and(|names| (1..=64).contains(&names.len())))?)
}

/// Parses a list of different entry names.
pub(super) fn names(value: &Value) -> Option<Vec<String>> {
    let names: Vec<String> =
        value.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<_>>()?;
    let good = |(i, name): (usize, &String)| is_entry(name) && !names.iter().take(i).any(|other| other == name);
    names.iter().enumerate().all(good).then_some(names)
}

/// Returns whether a value is a valid text in a line (34).
pub(super) fn is_written(text: &Value) -> bool {
    let good = |text: &str| {
        is_text(text) && text != "none" && !text.starts_with(' ') && !text.ends_with(' ') && !text.chars().any(is_loose)
    };
    text.as_str().is_some_and(good)
}

/// Parses lines of text: `at_least` to `at_most` lines of `parts` texts each, whose first texts all differ. Texts
/// cannot contain the separators used for typing (34).
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
