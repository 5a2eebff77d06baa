//! Decisions as players type them. Every allowed decision can be typed, however its names are written.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    game::refuse,
    tables::{Does, Lines},
    turn::Turn,
};
use crate::{
    blob::json::Value,
    error::Result,
    resolve::allowed_answers::{Names, in_line},
};

/// Number of ways to read a line that are tried before the player is asked to type one name per line.
const TRIES: usize = 10_000;

/// Lists names in a line, by the numbers that they have in `all` if they can be typed by number.
pub(super) fn listed<S: AsRef<str>>(names: &[S], all: &[String]) -> String {
    in_line(names, all, has_numbers(all))
}

/// Returns whether names can be typed by number, which requires that no name is itself a number.
fn has_numbers(names: &[String]) -> bool {
    !names.iter().any(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A parser for a typed choice of names.
struct Typed<'t> {
    offer: &'t Names,
    /// The possible readings: the set of names, with their order.
    readings: BTreeMap<BTreeSet<usize>, Vec<usize>>,
    tries: usize,
}

impl<'t> Typed<'t> {
    fn new(offer: &'t Names) -> Self {
        Self { offer, readings: BTreeMap::new(), tries: 0 }
    }

    /// Returns the index for a name or a number. A number may have `)` or `.` after it, as in lists.
    fn named(&self, text: &str) -> Option<usize> {
        let (text, all) = (text.trim(), &self.offer.all);
        let named = all.iter().position(|name| name == text);
        let numbered = || {
            let digits = text.strip_suffix([')', '.']).unwrap_or(text);
            let number: usize = digits.parse().ok().filter(|number| *number <= all.len())?;
            number.checked_sub(1)
        };
        named.or_else(|| self.offer.by_number.then(numbered).flatten())
    }

    /// Returns whether a name is already chosen.
    fn is_gone(&self, place: usize) -> bool {
        self.offer.all.get(place).is_some_and(|name| self.offer.gone.contains(name))
    }

    /// Returns the index for a name that can still be chosen.
    fn place(&self, text: &str) -> Option<usize> {
        self.named(text).filter(|place| !self.is_gone(*place))
    }

    /// Explains why a text is not a name that can be chosen.
    fn unknown(&self, text: &str) -> String {
        match self.named(text) {
            Some(_) => format!("{text:?} is already picked"),
            None => format!("{text:?} does not qualify or is not a whole name"),
        }
    }

    /// Reads the rest of a line, in which names may contain commas, and collects all possible readings.
    fn read(&mut self, text: &str, taken: &mut Vec<usize>) {
        self.tries += 1;
        if self.tries > TRIES || self.readings.len() > 1 {
            return;
        }
        let commas = text.match_indices(',').map(|(at, _)| at).chain([text.len()]);
        for at in commas.collect::<Vec<_>>() {
            let (Some(item), rest) = (text.get(..at), text.get(at + 1..)) else { continue };
            let Some(place) = self.place(item).filter(|place| !taken.contains(place)) else { continue };
            taken.push(place);
            match rest {
                Some(rest) if taken.len() < self.offer.count => self.read(rest, taken),
                None if taken.len() == self.offer.count => {
                    self.readings.entry(taken.iter().copied().collect()).or_insert_with(|| taken.clone());
                }
                _ => {}
            }
            taken.pop();
        }
    }

    /// Explains why a line cannot be read.
    fn unread(&self, typed: &str) -> String {
        let known: Vec<usize> = typed.split(',').filter_map(|item| self.place(item)).collect();
        match typed.split(',').map(str::trim).find(|item| self.place(item).is_none()) {
            Some("") | None if known.len() == self.offer.count => "a name is given twice".into(),
            Some("") | None => {
                format!("too few or too many names ({} given, {} needed)", known.len(), self.offer.count)
            }
            Some(other) => self.unknown(other),
        }
    }

    fn names(mut self, typed: &str) -> Result<Vec<String>, String> {
        let lines: Vec<&str> = typed.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        if let [line] = lines.as_slice() {
            self.read(line, &mut Vec::new());
        } else {
            let places = lines.iter().map(|line| self.place(line).ok_or_else(|| self.unknown(line)));
            let places = places.collect::<Result<Vec<usize>, String>>()?;
            let different: BTreeSet<usize> = places.iter().copied().collect();
            if places.len() != self.offer.count || different.len() != self.offer.count {
                return Err(format!("there must be {} different names", self.offer.count));
            }
            self.readings.insert(different, places);
        }
        if self.readings.len() > 1 || self.tries > TRIES {
            let way = if self.offer.by_number {
                "numbers, or each name on its own line"
            } else {
                "each name on its own line"
            };
            return Err(format!("this can be read in two ways; type {way}"));
        }
        let read = self.readings.values().next().ok_or_else(|| self.unread(typed))?;
        Ok(read.iter().filter_map(|place| self.offer.all.get(*place)).cloned().collect())
    }
}

/// Returns an example of how to type lines of text.
pub(super) fn like(most: usize, parts: usize) -> &'static str {
    match (most, parts) {
        (1, 2) => ", like \"13 Ala > A43.01\"",
        (_, 2) => ", like \"13 Ala > A43.01; 26 NC > A42.02\"",
        (2.., 1) => ", like \"A43.01; A42.02\"",
        _ => "",
    }
}

/// Describes the lines of text that a player is asked for.
pub(super) fn asked_for(lines: &Lines) -> String {
    let Lines { parts, at_least, at_most, .. } = lines;
    let what = parts.join(" > ");
    match (at_least, at_most, parts.len()) {
        (1, 1, 1) => format!("{what}, in your own words"),
        (0, 1, 1) => format!("{what}, in your own words, or none"),
        _ => {
            let many = if at_least == at_most { at_least.to_string() } else { format!("{at_least} to {at_most}") };
            let none = if *at_least == 0 { ", or none" } else { "" };
            format!("{many} of: {what} (each on its own line, or separated by ;{}){none}", like(*at_most, parts.len()))
        }
    }
}

/// Parses lines of text, with `;` or a newline between lines and `>` between texts.
fn lines(of: &Lines, typed: &str) -> Result<Value, String> {
    let Lines { parts, at_most, .. } = of;
    if matches!(typed.trim(), "" | "none") {
        return Ok(Value::Array(Vec::new()));
    }
    if (*at_most, parts.len()) == (1, 1) {
        return Ok(Value::Array(vec![Value::Array(vec![typed.trim().into()])]));
    }
    let line = |line: &str| -> Result<Value, String> {
        let texts: Vec<&str> = line.splitn(parts.len(), '>').map(str::trim).collect();
        let example = like(*at_most, parts.len());
        let (Some(last), Some(text)) = (parts.last(), texts.last()) else {
            return Err("nothing can be written here".into());
        };
        if texts.len() < parts.len() {
            return Err(format!("{line:?} must have the form {}{example}", parts.join(" > ")));
        }
        // After a comma or a second `>`, players usually mean the next line.
        match text.chars().find(|c| matches!(c, '>' | ',')) {
            Some(c) => Err(format!("the {last} {text:?} contains {c:?}; separate lines with ;{example}")),
            None => Ok(texts.into_iter().map(Value::from).collect()),
        }
    };
    typed.split([';', '\n']).map(str::trim).filter(|text| !text.is_empty()).map(line).collect()
}

/// Makes the list of names that can be chosen.
fn offer(count: usize, all: Vec<String>, gone: Vec<String>) -> Names {
    Names { count, or_none: false, by_number: has_numbers(&all), all, gone }
}

impl Turn<'_> {
    /// Returns the choices for the awaited decision, if it is typed by name.
    pub(super) fn offers(&self) -> Option<Names> {
        let run = self.waits()?;
        match run.waits_at(self.game)? {
            Does::Pool { from, enemy, owner, .. } => {
                let all = self.candidates(run, from);
                if all.len() <= enemy + owner || run.picks.len() >= enemy + owner {
                    return None;
                }
                let wanted = if run.picks.is_empty() { *enemy } else { *owner };
                Some(offer(wanted, all, run.picks.clone()))
            }
            Does::Choose { from, .. } => Some(offer(1, self.candidates(run, from), Vec::new())),
            _ => None,
        }
    }

    /// Converts a typed decision into the value that is signed.
    ///
    /// # Errors
    /// [`crate::error::Error::Refused`] with the allowed choices.
    pub(super) fn typed(&self, ask: &str, typed: &str) -> Result<Value> {
        let does = self.waits().and_then(|run| run.waits_at(self.game));
        match (does, self.offers()) {
            (Some(Does::Write(of)), _) => lines(of, typed).map_err(|why| refuse(34, format_args!("{ask}: {why}"))),
            (Some(does), Some(offer)) => {
                let names = Typed::new(&offer).names(typed).map_err(|why| {
                    let many = match offer.count {
                        1 => "one of these".to_owned(),
                        count => format!("{count} of these, separated by commas"),
                    };
                    refuse(18, format_args!("{ask}: {why}; type {many}: {}", listed(&offer.left(), &offer.all)))
                })?;
                Ok(match does {
                    Does::Pool { .. } => names.into(),
                    _ => names.into_iter().next().into(),
                })
            }
            _ => Ok(typed.trim().into()),
        }
    }
}
