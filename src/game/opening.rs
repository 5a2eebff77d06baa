//! Keys and places: the keys that a letter contains, and the places that a declaration asks for (`protocol/letters.md`,
//! reveal; `protocol/deposits.md` 12).

use std::collections::BTreeMap;

use crate::{
    blob::{
        Body,
        body::{CellKey, Declare, Hex32, Key, Pair, Reveal, Select, SetKind},
        deposits::Opening,
        disputes::{Claim, Ruled},
    },
    primitive::secret::Secret,
    resolve::Place,
};

/// The one place of a note.
pub(super) const NOTE: Place = envelope(0);

/// Returns the place of an envelope.
pub(super) const fn envelope(index: u64) -> Place {
    Place { index, line: 0 }
}

/// The places of a valid set that a letter opens, with their matching keys; for a sheet's master, the deepest places.
pub(super) struct Unlocked {
    pub(super) seal: Hex32,
    pub(super) keys: Vec<(Place, Secret)>,
}

/// The keys that a letter contains, as written there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Brought<'k> {
    keys: &'k [Key],
    sheets: &'k [CellKey],
}

impl<'k> From<&'k Reveal> for Brought<'k> {
    fn from(reveal: &'k Reveal) -> Self {
        Self { keys: &reveal.keys, sheets: &reveal.sheets }
    }
}

impl<'k> From<&'k Opening> for Brought<'k> {
    fn from(opening: &'k Opening) -> Self {
        Self { keys: &opening.keys, sheets: &opening.sheets }
    }
}

impl Brought<'_> {
    /// Returns the keys with their places, if their form fits the kind of set.
    pub(super) fn of_kind(self, kind: SetKind) -> Vec<(Place, Secret)> {
        let secret = |key: &Hex32| Secret::new(key.0);
        match kind {
            SetKind::Sheet => {
                let cells = self.sheets.iter();
                cells.map(|cell| (Place { index: cell.0, line: cell.1 }, secret(&cell.2))).collect()
            }
            _ => {
                let keys = self.keys.iter();
                keys.map(|key| (Place { index: key.0, line: 0 }, secret(&key.1))).collect()
            }
        }
    }

    /// Returns the places; `None` if there are also keys that this kind of set does not have.
    pub(super) fn places(self, kind: SetKind) -> Option<Vec<Place>> {
        let stray = match kind {
            SetKind::Sheet => !self.keys.is_empty(),
            _ => !self.sheets.is_empty(),
        };
        (!stray).then(|| self.of_kind(kind).into_iter().map(|(place, _)| place).collect())
    }
}

/// The target of an opening by ruling: the letter named by the stall of its request (deposits 12).
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// The declaration; `None` if the letter is a note.
    pub(super) declaration: Option<Hex32>,
    /// The seal of the set that is to be opened.
    pub(super) seal: Hex32,
}

impl Target {
    /// Finds the target of an opening; `at` gives the body of an available letter.
    pub(super) fn of<'b>(opening: &Opening, at: impl Fn(&Hex32) -> Option<&'b Body>) -> Option<Self> {
        let letter = Self::letter(opening, &at)?;
        let (declaration, seal) = match at(&letter)? {
            Body::Declare(declare) => (Some(letter), declare.seal?),
            Body::Seal(seal) if seal.kind == SetKind::Note => (None, letter),
            _ => return None,
        };
        Some(Self { declaration, seal })
    }

    /// Returns the letter named by the stall of an opening's request.
    pub(super) fn letter<'b>(opening: &Opening, at: impl Fn(&Hex32) -> Option<&'b Body>) -> Option<Hex32> {
        let Body::Ruling(request) = at(&opening.request)? else { return None };
        let Ruled::Request(id) = &request.rule else { return None };
        let Body::Claim(Claim::Stall(stall)) = at(id)? else { return None };
        stall.letter
    }
}

/// Returns the places whose keys the declaration's own `select` lists (ruling 8).
pub(super) fn stated(declare: &Declare) -> Vec<Place> {
    let places =
        |pairs: &[Pair]| pairs.iter().map(|Pair(index, line)| Place { index: *index, line: *line }).collect::<Vec<_>>();
    match &declare.select {
        Some(Select::Worksheet(worksheet)) => asked(SetKind::Coin, &places(&worksheet.rows)),
        Some(Select::Cells(cells)) => asked(SetKind::Sheet, &places(cells)),
        Some(Select::FoulUp(select) | Select::Plain(select)) => vec![Place { index: select.index, line: 0 }],
        None => Vec::new(),
    }
}

/// Returns the places whose keys a reveal must give (reveal 4).
pub(super) fn asked(kind: SetKind, places: &[Place]) -> Vec<Place> {
    let mut asked: Vec<Place> = Vec::new();
    if kind == SetKind::Sheet {
        let mut deepest: BTreeMap<u64, u64> = BTreeMap::new();
        for place in places {
            let row = deepest.entry(place.index).or_insert(0);
            *row = place.line.max(*row);
        }
        return deepest.into_iter().map(|(index, line)| Place { index, line }).collect();
    }
    for place in places {
        let envelope = Place { index: place.index, line: 0 };
        if asked.last() != Some(&envelope) {
            asked.push(envelope);
        }
    }
    asked
}
