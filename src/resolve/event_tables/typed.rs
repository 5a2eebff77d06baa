//! Decisions as players type them. Every allowed decision can be typed, however its names are written.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    game::refuse,
    tables::{Does, Lines},
    turn::Turn,
};
use crate::{blob::json::Value, error::Result};

/// Number of ways to read a line that are tried before the player is asked to type one name per line.
const TRIES: usize = 10_000;

/// Lists names for people. If a name in `all` contains a comma, each name gets its number.
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

/// Returns whether names can be typed by number, which requires that no name is itself a number.
fn has_numbers(names: &[String]) -> bool {
    !names.iter().any(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The names that a decision may choose from.
pub(super) struct Offer<'t> {
    /// Number of names to choose.
    wanted: usize,
    /// All names that qualified at first, so that each keeps its number.
    all: Vec<String>,
    /// Names already chosen.
    gone: &'t [String],
}

impl Offer<'_> {
    /// Returns the names that can still be chosen.
    fn left(&self) -> Vec<&str> {
        self.all.iter().map(String::as_str).filter(|name| !self.gone.iter().any(|gone| gone == name)).collect()
    }

    /// Lists the names that can still be chosen, with numbers if names contain commas.
    fn listed(&self) -> String {
        listed(&self.left(), &self.all)
    }

    /// Returns the number of names to choose, and the list of choices.
    pub(super) fn told(&self) -> (usize, String) {
        (self.wanted, self.listed())
    }
}

/// A parser for a typed choice of names.
struct Typed<'t> {
    offer: &'t Offer<'t>,
    numbers: bool,
    /// The possible readings: the set of names, with their order.
    readings: BTreeMap<BTreeSet<usize>, Vec<usize>>,
    tries: usize,
}

impl<'t> Typed<'t> {
    fn new(offer: &'t Offer<'t>) -> Self {
        Self { offer, numbers: has_numbers(&offer.all), readings: BTreeMap::new(), tries: 0 }
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
        named.or_else(|| self.numbers.then(numbered).flatten())
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
                Some(rest) if taken.len() < self.offer.wanted => self.read(rest, taken),
                None if taken.len() == self.offer.wanted => {
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
            Some("") | None if known.len() == self.offer.wanted => "a name is given twice".into(),
            Some("") | None => {
                format!("too few or too many names ({} given, {} needed)", known.len(), self.offer.wanted)
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
            if places.len() != self.offer.wanted || different.len() != self.offer.wanted {
                return Err(format!("there must be {} different names", self.offer.wanted));
            }
            self.readings.insert(different, places);
        }
        if self.readings.len() > 1 || self.tries > TRIES {
            let way = if self.numbers { "numbers, or each name on its own line" } else { "each name on its own line" };
            return Err(format!("this can be read in two ways; type {way}"));
        }
        let read = self.readings.values().next().ok_or_else(|| self.unread(typed))?;
        Ok(read.iter().filter_map(|place| self.offer.all.get(*place)).cloned().collect())
    }
}

/// Returns an example of how to type lines of texts.
pub(super) fn like(most: usize, parts: usize) -> &'static str {
    match (most, parts) {
        (1, 2) => ", like \"13 Ala > A43.01\"",
        (_, 2) => ", like \"13 Ala > A43.01; 26 NC > A42.02\"",
        (2.., 1) => ", like \"A43.01; A42.02\"",
        _ => "",
    }
}

/// Parses lines of texts, with `;` or a newline between lines and `>` between texts.
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

impl Turn<'_> {
    /// Returns the choices for the awaited decision, if it is typed by name.
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

    /// Converts a typed decision into the value that is signed.
    ///
    /// # Errors
    /// [`crate::error::Error::Refused`] with the allowed choices.
    pub(super) fn typed(&self, ask: &str, typed: &str) -> Result<Value> {
        let does = self.waits().and_then(|run| run.waits_at(self.game));
        match (does, self.offers()) {
            (Some(Does::Write(of)), _) => lines(of, typed).map_err(|why| refuse(18, format_args!("{ask}: {why}"))),
            (Some(does), Some(offer)) => {
                let names = Typed::new(&offer).names(typed).map_err(|why| {
                    let (wanted, listed) = offer.told();
                    let many =
                        if wanted == 1 { "one of these" } else { &format!("{wanted} of these, separated by commas") };
                    refuse(18, format_args!("{ask}: {why}; type {many}: {listed}"))
                })?;
                Ok(match does {
                    Does::Pool { .. } => names.into(),
                    _ => names.into_iter().next().into(),
                })
            }
            _ => Ok(typed.trim().into()),
        }
    }

    /// Lists the names that may be typed, one per line.
    pub(super) fn choices(&self) -> Option<String> {
        let offer = self.offers()?;
        let numbers = has_numbers(&offer.all);
        let by = if numbers { "name or number" } else { "name" };
        let mut text = match offer.wanted {
            1 => format!("Type the {by} of one of these:\n"),
            wanted => {
                format!("Choose {wanted} of these. Type each {by}, separated by commas or on its own line:\n")
            }
        };
        if !offer.gone.is_empty() {
            let stays = if numbers { "; the others keep their numbers" } else { "" };
            text.push_str(&format!("Already picked: {}{stays}.\n", offer.gone.join(" and ")));
        }
        for (i, name) in offer.all.iter().enumerate().filter(|(_, name)| !offer.gone.contains(name)) {
            text.push_str(&if numbers { format!("{:>4}  {name}\n", i + 1) } else { format!("{name}\n") });
        }
        Some(text)
    }
}
