//! A sealed set: the contents of its seal, and its opened places (`protocol/envelope.md`).

use std::collections::BTreeMap;

use super::{
    context::Context,
    node::{Node, Past, Played},
    opening::NOTE,
    purpose::Purpose,
};
use crate::{
    blob::{
        body::{Hex32, Seal, SetKind},
        json,
    },
    primitive::secret::Secret,
    resolve::{Object, Place},
};

/// Secrets that somebody can read in addition to those that letters opened: M of a set, from its sealer.
pub type Eyes<'e> = dyn Fn(&Set<'_>) -> Option<Secret> + 'e;

/// A sealed set: its seal, and the places that letters opened.
#[derive(Debug)]
pub struct Set<'a> {
    /// The letter with the seal.
    pub node: Played<'a>,
    /// The body of the seal.
    pub seal: &'a Seal,
    /// The context of the set's keys.
    pub context: Context,
    /// Whether the seal broke no rule.
    pub valid: bool,
    pub(super) openings: BTreeMap<u64, Vec<Opening<'a>>>,
    /// Valid declarations that wait for keys of the set.
    pub(super) waiting: Vec<Hex32>,
}

/// A key that matched, and the letter that carried it.
#[derive(Debug)]
pub(super) struct Opening<'a> {
    pub(super) node: &'a Node,
    pub(super) line: u64,
    key: Secret,
}

impl<'a> Set<'a> {
    /// Returns the id of the letter that sealed the set.
    #[must_use]
    pub fn id(&self) -> Hex32 {
        self.node.id()
    }

    /// Returns the purpose of the set, if it fits the set's kind.
    #[must_use]
    pub fn purpose(&self) -> Option<Purpose> {
        Purpose::parse(self.seal.kind, &self.seal.purpose)
    }

    /// Whether the set is valid and of a given kind.
    pub(super) fn is_good(&self, kind: SetKind) -> bool {
        self.valid && self.seal.kind == kind
    }

    /// Whether the set serves only one declaration, which takes all its dice from it (declare 10).
    pub(super) const fn is_used_once(&self) -> bool {
        matches!(self.seal.kind, SetKind::Coin | SetKind::Plain)
    }

    /// Whether a known letter opened a place.
    pub(super) fn is_opened(&self, place: Place, past: Past<'_>) -> bool {
        self.openings_of(place).any(|opening| past.has(opening.node))
    }

    /// Returns every opening of a place; for a cell, this includes openings of deeper cells in its column.
    pub(super) fn openings_of(&self, place: Place) -> impl Iterator<Item = &Opening<'a>> {
        let openings = self.openings.get(&place.index).into_iter().flatten();
        openings.filter(move |opening| opening.line >= place.line)
    }

    /// Returns the text of a note, once it is opened.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        self.text_by(&self.key(NOTE)?)
    }

    /// Returns the text of a note, read with its key.
    pub(super) fn text_by(&self, key: &Secret) -> Option<String> {
        self.context.open_note(key, &self.seal.notes.as_ref()?.first()?.0).ok()
    }

    /// Returns K of a place, if any available letter opens it.
    #[must_use]
    pub fn key(&self, place: Place) -> Option<Secret> {
        let opening = self.openings_of(place).next()?;
        let from = Place { index: place.index, line: opening.line };
        Some(self.context.climb(&opening.key, from, place.line))
    }

    /// Returns K of a place, if any available letter opens it or `eyes` can read the set.
    pub(super) fn key_by(&self, place: Place, eyes: &Eyes<'_>) -> Option<Secret> {
        self.key(place).or_else(|| eyes(self).map(|master| self.context.key(&master, place)))
    }

    /// Records that a letter opens a place.
    pub(super) fn open(&mut self, place: Place, key: Secret, node: &'a Node) {
        let known = self.openings.entry(place.index).or_default();
        let covers = |opening: &Opening<'_>| {
            opening.line >= place.line && (node.has_in_past(opening.node) || node.id() == opening.node.id())
        };
        if !known.iter().any(covers) {
            known.push(Opening { node, line: place.line, key });
        }
    }
}

/// Parses a note's text as an object, if it is canonical JSON.
pub(super) fn read_note(text: &str) -> Option<Object> {
    json::parse_canonical(text.as_bytes()).and_then(|tree| json::read::<Object>(&tree)).ok()
}
