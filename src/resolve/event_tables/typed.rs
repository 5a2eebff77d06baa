//! Decisions as a player types them. Whatever may be decided can be typed, however its names are written.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    game::refuse,
    tables::{Does, Lines},
    turn::Turn,
};
use crate::{blob::json::Value, error::Result};

/// How many ways to read one line are tried before a player is asked to type a line for each name.
const TRIES: usize = 10_000;

/// Names for people; where a comma in one of `all` would run into those between them, with their numbers among these.
pub(super) fn listed<S: AsRef<str>>(names: &[S], all: &[String]) -> String {
    let names = names.iter().map(AsRef::as_ref);
    if !all.iter().any(|name| name.contains(',')) {
        return names.collect::<Vec<&str>>().join(", ");
    }
    let numbered = |name: &str| match all.iter().position(|other| other == name).filter(|_| has_numbers(all)) {
        Some(at) => format!("{} {name}", at + 1),
        None => name.to_owned(),
    };
    names.map(numbered).collect::<Vec<String>>().join("; ")
}

/// Whether names can be typed by their numbers: none of them is a number itself.
fn has_numbers(names: &[String]) -> bool {
    !names.iter().any(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whom a decision may name.
pub(super) struct Offer<'t> {
    /// How many names the decision takes.
    wanted: usize,
    /// Everybody who qualified when the first of them was named: each keeps the number of their place.
    all: Vec<String>,
    /// Who is named already.
    gone: &'t [String],
}

impl Offer<'_> {
    /// Who may still be named.
    fn left(&self) -> Vec<&str> {
        self.all.iter().map(String::as_str).filter(|name| !self.gone.iter().any(|gone| gone == name)).collect()
    }

    /// The names of who may still be named, with their numbers where a comma in one would confuse people.
    fn listed(&self) -> String {
        listed(&self.left(), &self.all)
    }

    /// How many may be named, and the names of those who may.
    pub(super) fn told(&self) -> (usize, String) {
        (self.wanted, self.listed())
    }
}

/// So many names of those that are offered.
struct Typed<'t> {
    offer: &'t Offer<'t>,
    numbers: bool,
    /// The ways to read it: who is named, and in which order.
    readings: BTreeMap<BTreeSet<usize>, Vec<usize>>,
    tries: usize,
}

impl<'t> Typed<'t> {
    fn new(offer: &'t Offer<'t>) -> Self {
        Self { offer, numbers: has_numbers(&offer.all), readings: BTreeMap::new(), tries: 0 }
    }

    /// The place of a name, or of its number, which may have the mark behind it that lists have.
    fn named(&self, text: &str) -> Option<usize> {
        let (text, all) = (text.trim(), &self.offer.all);
        let named = all.iter().position(|name| name == text);
        let numbered = || {
            let digits = text.strip_suffix([')', '.']).unwrap_or(text);
            let number: usize = digits.parse().ok().filter(|number| *number <= all.len())?;
            number.checked_sub(1)
        };
        named.or_else(|| self.numbers.then(numbered).flatten())
    }

    /// Whether somebody is named already.
    fn is_gone(&self, place: usize) -> bool {
        self.offer.all.get(place).is_some_and(|name| self.offer.gone.contains(name))
    }

    /// The place of somebody who may still be named.
    fn place(&self, text: &str) -> Option<usize> {
        self.named(text).filter(|place| !self.is_gone(*place))
    }

    /// Why a text names nobody who may be named.
    fn unknown(&self, text: &str) -> String {
        match self.named(text) {
            Some(_) => format!("{text:?} is picked already"),
            None => format!("{text:?} does not qualify, or is not all of a name"),
        }
    }

    /// Reads a line on, names with commas in them too: all ways in which it is so many different names.
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
                Some(rest) if taken.len() < self.offer.wanted => self.read(rest, taken),
                None if taken.len() == self.offer.wanted => {
                    self.readings.entry(taken.iter().copied().collect()).or_insert_with(|| taken.clone());
                }
                _ => {}
            }
            taken.pop();
        }
    }

    /// Why a line is not so many names.
    fn unread(&self, typed: &str) -> String {
        let known: Vec<usize> = typed.split(',').filter_map(|item| self.place(item)).collect();
        match typed.split(',').map(str::trim).find(|item| self.place(item).is_none()) {
            Some("") | None if known.len() == self.offer.wanted => "one of these is named twice".into(),
            Some("") | None => format!("{} named, not {}", known.len(), self.offer.wanted),
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
            if places.len() != self.offer.wanted || different.len() != self.offer.wanted {
                return Err(format!("these are not {} different names", self.offer.wanted));
            }
            self.readings.insert(different, places);
        }
        if self.readings.len() > 1 || self.tries > TRIES {
            let way = if self.numbers {
                "numbers, or each name on a line of its own"
            } else {
                "each name on a line of its own"
            };
            return Err(format!("this can be read in two ways; type {way}"));
        }
        let read = self.readings.values().next().ok_or_else(|| self.unread(typed))?;
        Ok(read.iter().filter_map(|place| self.offer.all.get(*place)).cloned().collect())
    }
}

/// How so many lines of so many texts are typed, by an example.
pub(super) fn like(most: usize, parts: usize) -> &'static str {
    match (most, parts) {
        (1, 2) => ", like \"13 Ala > A43.01\"",
        (_, 2) => ", like \"13 Ala > A43.01; 26 NC > A42.02\"",
        (2.., 1) => ", like \"A43.01; A42.02\"",
        _ => "",
    }
}

/// Lines of texts, with `;` or a new line between lines and `>` between texts.
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
            return Err("there is nothing to write".into());
        };
        if texts.len() < parts.len() {
            return Err(format!("{line:?} is not {}{example}", parts.join(" > ")));
        }
        // What follows a comma or a second `>` is the next line, as a rule, and no part of this one.
        match text.chars().find(|c| matches!(c, '>' | ',')) {
            Some(c) => Err(format!("the {last} {text:?} has a {c:?} in it; put ; between lines{example}")),
            None => Ok(texts.into_iter().map(Value::from).collect()),
        }
    };
    typed.split([';', '\n']).map(str::trim).filter(|text| !text.is_empty()).map(line).collect()
}

impl Turn<'_> {
    /// What the decision that is awaited is made of, if it is typed by name: how many of whom.
    pub(super) fn offers(&self) -> Option<Offer<'_>> {
        let run = self.waits()?;
        match run.waits_at(self.game)? {
            Does::Pool { from, enemy, owner, .. } => {
                let all = self.candidates(run, from);
                if all.len() <= enemy + owner || run.picks.len() >= enemy + owner {
                    return None;
                }
                let wanted = if run.picks.is_empty() { *enemy } else { *owner };
                Some(Offer { wanted, all, gone: &run.picks })
            }
            Does::Choose { from, .. } => Some(Offer { wanted: 1, all: self.candidates(run, from), gone: &[] }),
            _ => None,
        }
    }

    /// A decision as it is typed, as the value that is signed.
    ///
    /// # Errors
    /// [`crate::error::Error::Refused`] with what may be typed.
    pub(super) fn typed(&self, ask: &str, typed: &str) -> Result<Value> {
        let does = self.waits().and_then(|run| run.waits_at(self.game));
        match (does, self.offers()) {
            (Some(Does::Write(of)), _) => lines(of, typed).map_err(|why| refuse(18, format_args!("{ask}: {why}"))),
            (Some(does), Some(offer)) => {
                let names = Typed::new(&offer).names(typed).map_err(|why| {
                    let (wanted, listed) = offer.told();
                    let many = if wanted == 1 { "one" } else { &format!("{wanted}, with commas between,") };
                    refuse(18, format_args!("{ask}: {why}; type {many} of these: {listed}"))
                })?;
                Ok(match does {
                    Does::Pool { .. } => names.into(),
                    _ => names.into_iter().next().into(),
                })
            }
            _ => Ok(typed.trim().into()),
        }
    }

    /// What may be typed, a line each, for names.
    pub(super) fn choices(&self) -> Option<String> {
        let offer = self.offers()?;
        let numbers = has_numbers(&offer.all);
        let by = if numbers { "name or number" } else { "name" };
        let mut text = match offer.wanted {
            1 => format!("Type the {by} of one of these:\n"),
            wanted => {
                format!("Type {wanted} of these, each by its {by}, with commas between or each on a line of its own:\n")
            }
        };
        if !offer.gone.is_empty() {
            let stays = if numbers { "; the others keep their numbers" } else { "" };
            text.push_str(&format!("Picked already: {}{stays}.\n", offer.gone.join(" and ")));
        }
        for (i, name) in offer.all.iter().enumerate().filter(|(_, name)| !offer.gone.contains(name)) {
            text.push_str(&if numbers { format!("{:>4}  {name}\n", i + 1) } else { format!("{name}\n") });
        }
        Some(text)
    }
}
