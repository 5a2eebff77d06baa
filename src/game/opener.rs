//! The pure decision who may open what: which keys a declaration has earned (`protocol/letters.md`, reveal).

use super::{ledger::Ledger, seals::Set};
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
