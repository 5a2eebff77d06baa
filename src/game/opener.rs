//! The pure decision who may open what: which keys a declaration has earned (`protocol/letters.md`, reveal).

use super::{charter::Player, ledger::Ledger, seals::Set};
use crate::{
    blob::body::{CellKey, Hex32, Key, Reveal, SetKind},
    error::{Error, Result},
    primitive::secret::Secret,
    resolve::Place,
};

/// The reveal of one envelope of a player's own: a note, or a contribution (secrets 4, 7, 8).
#[must_use]
pub fn single(set: &Set<'_>, master: &Secret, declaration: Option<Hex32>, index: u64) -> Reveal {
    let key = set.context.key(master, Place { index, line: 0 });
    Reveal { declaration, keys: vec![Key(index, Hex32(*key.expose()))], seal: set.node.id(), sheets: Vec::new() }
}

/// Something that the office is to open: a set, for a declaration or, of orders at once, for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// The declaration that has earned it.
    pub declaration: Option<Hex32>,
    /// The seal of the set.
    pub seal: Hex32,
}

/// What is due from the office, with all letters at hand (office 7): dice first, in the order of replay.
#[must_use]
pub fn due(ledger: &Ledger<'_>) -> Vec<Due> {
    waiting(ledger).into_iter().filter(|due| why_withheld(ledger, *due).is_none()).collect()
}

/// What the office does not open, and why not.
#[must_use]
pub fn withheld(ledger: &Ledger<'_>) -> Vec<(Due, &'static str)> {
    waiting(ledger).into_iter().filter_map(|due| Some((due, why_withheld(ledger, due)?))).collect()
}

/// Why something is not opened for the declaration, or, of orders at once, for the other's, that it would be opened for.
fn why_withheld(ledger: &Ledger<'_>, due: Due) -> Option<&'static str> {
    let against = || {
        let set = ledger.set(&due.seal)?;
        ledger.sealed(set.node.player.other(), set.seal.kind, &set.seal.purpose)
    };
    ledger.why_withheld(&due.declaration.or_else(against)?)
}

/// What the office may open.
fn waiting(ledger: &Ledger<'_>) -> Vec<Due> {
    let declared = ledger.declarations().filter(|declared| declared.valid && !declared.is_answered());
    let dice = declared
        .filter(|declared| ledger.office_may_open(declared))
        .filter_map(|declared| Some(Due { declaration: Some(declared.node.id()), seal: declared.declare.seal? }));
    let notes = Player::BOTH.into_iter().flat_map(|player| ledger.due_notes(player));
    let notes = notes.map(|(declaration, set)| Due { declaration, seal: set.node.id() });
    dice.chain(notes.filter(|due| ledger.is_in_office(&due.seal))).collect()
}

/// The reveal of something that is due, from the master of its set.
///
/// # Errors
/// As [`reveal`].
pub fn release(ledger: &Ledger<'_>, due: Due, master: &Secret) -> Result<Reveal> {
    let note = ledger.set(&due.seal).filter(|set| set.seal.kind == SetKind::Note);
    match (note, due.declaration) {
        (Some(note), declaration) => Ok(single(note, master, declaration, 0)),
        (None, Some(declaration)) => reveal(ledger, declaration, master),
        (None, None) => Err(Error::Misuse("dice are opened for a declaration".into())),
    }
}

/// The reveal that a declaration is owed, from the master of its set.
///
/// # Errors
/// [`Error::Misuse`], with what to do, if the declaration is not at hand, is in breach, or asks for nothing; or if the
/// master is not the set's.
pub fn reveal(ledger: &Ledger<'_>, declaration: Hex32, master: &Secret) -> Result<Reveal> {
    let misuse = |text: &str| Error::Misuse(text.into());
    let declared = ledger.declaration(&declaration).ok_or_else(|| {
        misuse("the declaration is not at hand, or stands on a fallen branch: ask for the letters before it")
    })?;
    if !declared.valid {
        return Err(misuse("the declaration is in breach and must not be opened: it is to be declared again"));
    }
    let set = declared
        .declare
        .seal
        .and_then(|seal| ledger.set(&seal))
        .ok_or_else(|| misuse("the declaration rolls for nothing, so there is nothing to open"))?;
    let mut reveal =
        Reveal { declaration: Some(declaration), keys: Vec::new(), seal: set.node.id(), sheets: Vec::new() };
    for place in &declared.asked {
        let key = set.context.key(master, *place);
        if !set.context.matches(set.seal, &key, *place) {
            return Err(misuse("this is not the master of the set that the declaration names"));
        }
        let key = Hex32(*key.expose());
        match set.seal.kind {
            SetKind::Sheet => reveal.sheets.push(CellKey(place.index, place.line, key)),
            SetKind::Coin | SetKind::Plain | SetKind::FoulUp | SetKind::Contribution | SetKind::Note => {
                reveal.keys.push(Key(place.index, key))
            }
        }
    }
    Ok(reveal)
}
