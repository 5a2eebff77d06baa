//! Shared data for every part of the page: the letters by id, links to them, and other people's text made safe.

use std::collections::{HashMap, HashSet};

use maud::{Markup, html};

use crate::{
    blob::{Body, Verified, body::Hex32, message::Refusal},
    game::{
        audit::{Read, Replay, Report, ReportedFinding, Verdict},
        ids::Ids,
        terms::Player,
    },
    report::{
        rules,
        text::{count, cut, visible},
    },
    rule::Rule,
};

/// All available letters, by id, with the place where each was first found.
#[derive(Debug)]
pub struct Letters<'a> {
    by_id: HashMap<Hex32, (&'a Verified, &'a str)>,
    ids: Ids,
    read: &'a [Read],
}

impl<'a> Letters<'a> {
    /// Creates an index of the letters that were read.
    #[must_use]
    pub fn of(read: &'a [Read]) -> Self {
        let mut by_id = HashMap::new();
        for Read { place, letter } in read {
            if let Ok(letter) = letter {
                by_id.entry(letter.id()).or_insert((letter, place.as_str()));
            }
        }
        Self { ids: by_id.keys().copied().collect(), by_id, read }
    }

    pub(super) fn get(&self, id: &Hex32) -> Option<&'a Verified> {
        self.by_id.get(id).map(|(letter, _)| *letter)
    }

    pub(super) fn place(&self, id: &Hex32) -> Option<&'a str> {
        self.by_id.get(id).map(|(_, place)| *place)
    }

    /// Returns the refused blobs, with their places.
    pub(super) fn unread(&self) -> impl Iterator<Item = (&'a str, &'a Refusal)> {
        self.read.iter().filter_map(|read| read.letter.as_ref().err().map(|refusal| (read.place.as_str(), refusal)))
    }
}

/// Shared data for the page's section on one game.
pub(super) struct Book<'b> {
    pub(super) letters: &'b Letters<'b>,
    pub(super) replay: Option<&'b Replay<'b>>,
    /// The letters that this section lists and can therefore link to.
    listed: HashSet<Hex32>,
    /// The finding of each letter in breach, with its number on the page.
    breaches: HashMap<Hex32, (usize, &'b ReportedFinding)>,
    game: Option<Hex32>,
}

impl<'b> Book<'b> {
    pub(super) fn new(letters: &'b Letters<'b>, report: &'b Report, replay: Option<&'b Replay<'b>>) -> Self {
        let listed = replay.into_iter().flat_map(|replay| replay.letters).map(|(letter, _)| letter.id()).collect();
        let mut breaches = HashMap::new();
        for (i, finding) in report.findings.iter().enumerate() {
            if let ([letter], "rule" | "chain") = (finding.message_ids.as_slice(), finding.code) {
                breaches.entry(*letter).or_insert((i + 1, finding));
            }
        }
        Self { letters, replay, listed, breaches, game: report.game }
    }

    /// Returns the anchor at the start of this game's section, which is also the prefix of all its other anchors.
    pub(super) fn anchor(&self) -> String {
        self.game.map_or_else(|| "stray".to_owned(), |game| format!("g{game}"))
    }

    /// Returns the anchor of an item about a letter.
    pub(super) fn anchor_of(&self, what: &str, id: &Hex32) -> String {
        format!("{}-{what}-{id}", self.anchor())
    }

    /// Writes a letter as people quote it, such as `ann 2 (f283cf84)`, with a link to its contents; with its full id if
    /// the letter is missing.
    pub(super) fn letter(&self, id: &Hex32) -> Markup {
        let Some(letter) = self.letters.get(id) else {
            return html! { code.id { (id) } };
        };
        let head = letter.head();
        let name = html! { (head.author) " " (head.number) " (" code { (self.short(id)) } ")" };
        if self.listed.contains(id) {
            return html! { a href={ "#" (self.anchor_of("says", id)) } { (name) } };
        }
        html! { (name) }
    }

    /// Returns the first digits of a letter's id, as many as distinguish it from all others on the page.
    pub(super) fn short(&self, id: &Hex32) -> String {
        self.letters.ids.short(id)
    }

    /// Returns the finding on a letter in breach, and the anchor of that finding.
    pub(super) fn breach(&self, id: &Hex32) -> Option<(&'b ReportedFinding, String)> {
        let (number, finding) = self.breaches.get(id)?;
        Some((finding, self.finding_anchor(*number)))
    }

    /// Returns the anchor of a finding, by its number.
    pub(super) fn finding_anchor(&self, number: usize) -> String {
        format!("{}-finding-{number}", self.anchor())
    }

    /// Returns the body of an available letter.
    pub(super) fn body(&self, id: &Hex32) -> Option<&'b Body> {
        self.letters.get(id).map(Verified::body)
    }

    /// Returns a player's role.
    pub(super) fn role(&self, player: Player) -> &'b str {
        self.replay.map_or("", |replay| replay.terms.role(player).as_str())
    }
}

/// Writes other people's text within a line, with at most `most` characters, and isolates its writing direction.
pub(super) fn words(text: &str, most: usize) -> Markup {
    let (head, more) = cut(text, most);
    html! { bdi { (visible(head)) (rest(more)) } }
}

/// Writes other people's text, with its line breaks, in a box.
pub(super) fn quotation(text: &str, most: usize) -> Markup {
    let (head, more) = cut(text, most);
    let mut lines = head.lines();
    let first = lines.next().unwrap_or_default();
    html! {
        blockquote dir="auto" { (visible(first)) @for line in lines { br; (visible(line)) } (rest(more)) }
    }
}

fn rest(more: usize) -> Markup {
    html! { @if more > 0 { em.rest { " \u{2026} and " (count(more, "more character")) " in the letter" } } }
}

/// Wraps a table that may be wider than the page, so that it scrolls within itself, including by keyboard.
pub(super) fn wide(label: &str, table: &Markup) -> Markup {
    html! { div.wide tabindex="0" role="region" aria-label=(label) { (table) } }
}

/// Writes numbers in a row.
pub(super) fn list(numbers: &[u64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
    numbers.join(", ")
}

/// Quotes a rule from the specification, in a box of its own.
pub(super) fn rule(cited: Option<Rule>) -> Markup {
    html! {
        @if let Some((cited, (rule, page))) = cited.and_then(|cited| Some((cited, rules::text_of(cited.as_str())?))) {
            dt { "The rule" }
            dd { em { (cited.as_str()) } " (" code { "protocol/" (page) ".md" } "): " (rule) }
        }
    }
}

/// Returns the name of a verdict on the page.
pub(super) const fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Verified => "Verified",
        Verdict::Refuted => "Refuted",
        Verdict::Undecided => "Undecided",
    }
}
