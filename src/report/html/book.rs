//! What every part of the page needs: the letters by id, links to them, and other people's words made safe.

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
        text::{cut, visible},
    },
    rule::Rule,
};

/// All letters at hand, by id, with the place where each was found first.
#[derive(Debug)]
pub struct Letters<'a> {
    by_id: HashMap<Hex32, (&'a Verified, &'a str)>,
    ids: Ids,
    read: &'a [Read],
}

impl<'a> Letters<'a> {
    /// An index over what was read.
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

    /// What was refused, and where it stood.
    pub(super) fn unread(&self) -> impl Iterator<Item = (&'a str, &'a Refusal)> {
        self.read.iter().filter_map(|read| read.letter.as_ref().err().map(|refusal| (read.place.as_str(), refusal)))
    }
}

/// One game, for all that tell of it.
pub(super) struct Book<'b> {
    pub(super) letters: &'b Letters<'b>,
    pub(super) replay: Option<&'b Replay<'b>>,
    /// The letters that this game's part of the page lists, and so can link to.
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

    /// Where this game begins on the page; all its other anchors begin so too.
    pub(super) fn anchor(&self) -> String {
        self.game.map_or_else(|| "stray".to_owned(), |game| format!("g{game}"))
    }

    /// The anchor of something about a letter.
    pub(super) fn anchor_of(&self, what: &str, id: &Hex32) -> String {
        format!("{}-{what}-{id}", self.anchor())
    }

    /// A letter as people quote it, such as `ann 2 (f283cf84)`, with a link to what it says; in full if it is not at
    /// hand.
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

    /// The first digits of a letter's id, as many as tell it from all others of the page.
    pub(super) fn short(&self, id: &Hex32) -> String {
        self.letters.ids.short(id)
    }

    /// What a letter in breach did, and the anchor of its finding.
    pub(super) fn breach(&self, id: &Hex32) -> Option<(&'b ReportedFinding, String)> {
        let (number, finding) = self.breaches.get(id)?;
        Some((finding, self.finding_anchor(*number)))
    }

    /// The anchor of a finding by its number.
    pub(super) fn finding_anchor(&self, number: usize) -> String {
        format!("{}-finding-{number}", self.anchor())
    }

    /// The body of a letter at hand.
    pub(super) fn body(&self, id: &Hex32) -> Option<&'b Body> {
        self.letters.get(id).map(Verified::body)
    }

    /// A player's role.
    pub(super) fn role(&self, player: Player) -> &'b str {
        self.replay.map_or("", |replay| replay.terms.role(player).as_str())
    }
}

/// Somebody's words within a line, at most so many characters; the direction of their writing ends with them.
pub(super) fn words(text: &str, most: usize) -> Markup {
    let (head, more) = cut(text, most);
    html! { bdi { (visible(head)) (rest(more)) } }
}

/// Somebody's words with lines of their own, in a box.
pub(super) fn quotation(text: &str, most: usize) -> Markup {
    let (head, more) = cut(text, most);
    let mut lines = head.lines();
    let first = lines.next().unwrap_or_default();
    html! {
        blockquote dir="auto" { (visible(first)) @for line in lines { br; (visible(line)) } (rest(more)) }
    }
}

fn rest(more: usize) -> Markup {
    html! { @if more > 0 { em.rest { " \u{2026} and " (more) " more characters, which the letter has" } } }
}

/// A table that may be wider than the page: it scrolls within itself, also by keyboard.
pub(super) fn wide(label: &str, table: &Markup) -> Markup {
    html! { div.wide tabindex="0" role="region" aria-label=(label) { (table) } }
}

/// Numbers in a row.
pub(super) fn list(numbers: &[u64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
    numbers.join(", ")
}

/// A rule as the pages have it, in a box of its own.
pub(super) fn rule(cited: Option<Rule>) -> Markup {
    html! {
        @if let Some((cited, (rule, page))) = cited.and_then(|cited| Some((cited, rules::text_of(cited.as_str())?))) {
            dt { "The rule" }
            dd { em { (cited.as_str()) } " (" code { "protocol/" (page) ".md" } "): " (rule) }
        }
    }
}

/// A verdict, as the page says it.
pub(super) const fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Verified => "Verified",
        Verdict::Refuted => "Refuted",
        Verdict::Undecided => "Undecided",
    }
}
