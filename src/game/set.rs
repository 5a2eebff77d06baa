//! A sealed set: what its seal says, and which of its places are opened (`protocol/envelope.md`).

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

/// Whose secrets somebody may read besides those that letters opened: M of a set, from whoever sealed it.
pub type Eyes<'e> = dyn Fn(&Set<'_>) -> Option<Secret> + 'e;

/// A sealed set: its seal, and the places that letters opened.
#[derive(Debug)]
pub struct Set<'a> {
    /// Its seal's letter.
    pub node: Played<'a>,
    /// What the seal says.
    pub seal: &'a Seal,
    /// What its keys are good for.
    pub context: Context,
    /// Whether the seal broke no rule.
    pub valid: bool,
    pub(super) openings: BTreeMap<u64, Vec<Opening<'a>>>,
    /// Valid declarations that wait for keys of it.
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
    /// Id of the letter that sealed it.
    #[must_use]
    pub fn id(&self) -> Hex32 {
        self.node.id()
    }

    /// What it is sealed for, if that is a purpose of its kind.
    #[must_use]
    pub fn purpose(&self) -> Option<Purpose> {
        Purpose::parse(self.seal.kind, &self.seal.purpose)
    }

    /// Whether it is a valid set of a kind.
    pub(super) fn is_good(&self, kind: SetKind) -> bool {
        self.valid && self.seal.kind == kind
    }

    /// Whether each declaration takes all its dice from a set of its own (declare 10).
    pub(super) const fn is_used_once(&self) -> bool {
        matches!(self.seal.kind, SetKind::Coin | SetKind::Plain)
    }

    /// Whether a place is opened by a letter that may be known.
    pub(super) fn is_opened(&self, place: Place, past: Past<'_>) -> bool {
        self.openings_of(place).any(|opening| past.has(opening.node))
    }

    /// Every opening of a place: of a cell, those of deeper ones of its column too.
    pub(super) fn openings_of(&self, place: Place) -> impl Iterator<Item = &Opening<'a>> {
        let openings = self.openings.get(&place.index).into_iter().flatten();
        openings.filter(move |opening| opening.line >= place.line)
    }

    /// What a note says, once it is opened.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        self.text_by(&self.key(NOTE)?)
    }

    /// What a note says to somebody who has its key.
    pub(super) fn text_by(&self, key: &Secret) -> Option<String> {
        self.context.open_note(key, &self.seal.notes.as_ref()?.first()?.0).ok()
    }

    /// K of a place, if any letter at hand opens it.
    #[must_use]
    pub fn key(&self, place: Place) -> Option<Secret> {
        let opening = self.openings_of(place).next()?;
        let from = Place { index: place.index, line: opening.line };
        Some(self.context.climb(&opening.key, from, place.line))
    }

    /// K of a place, if any letter at hand opens it or somebody may read the set.
    pub(super) fn key_by(&self, place: Place, eyes: &Eyes<'_>) -> Option<Secret> {
        self.key(place).or_else(|| eyes(self).map(|master| self.context.key(&master, place)))
    }

    /// A letter opens a place.
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

/// The object that a note's text is, if it is canonical JSON.
pub(super) fn read_note(text: &str) -> Option<Object> {
    json::parse_canonical(text.as_bytes()).and_then(|tree| json::read::<Object>(&tree)).ok()
}
