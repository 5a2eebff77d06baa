//! Parses slots, names and beginnings of ids as a player types them.

use unicode_normalization::UnicodeNormalization;

use super::failure::{Failure, PlayResult};
use crate::{
    blob::body::{Hex32, Name, Slot},
    game::{declaration::Declaration, ledger::Ledger},
    report::words,
};

pub(super) fn parse_slot(text: &str) -> PlayResult<Slot> {
    Slot::parse(text).ok_or_else(|| {
        Failure::refused(format!(
            "{text:?} is not a slot; write a slot as turn/impulse/phase/number, such as 1/1/ann-first/1"
        ))
    })
}

pub(super) fn parse_name(text: &str) -> PlayResult<Name> {
    Name::parse(text).ok_or_else(|| {
        Failure::refused(format!(
            "{text:?} is not a name; use lowercase letters, digits and hyphens, and begin with a letter"
        ))
    })
}

/// Returns the letter among `letters` whose id begins with `typed`; `None` if there is no such letter.
///
/// # Errors
/// If several letters match.
pub(super) fn one_of(ledger: &Ledger<'_>, letters: &[Hex32], typed: &str) -> PlayResult<Option<Hex32>> {
    let mut like: Vec<&Hex32> = letters.iter().filter(|id| id.to_string().starts_with(typed)).collect();
    like.sort_unstable();
    like.dedup();
    match like.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(**one)),
        several => Err(Failure::refused(format!(
            "several letters have ids that begin with {typed:?}; type the command again with all the digits listed for \
             the one you mean:{}",
            listed(ledger, several.iter().copied())
        ))),
    }
}

/// Lists letters to choose from, each in a line: id, author, number and content.
fn listed<'l>(ledger: &Ledger<'_>, letters: impl Iterator<Item = &'l Hex32>) -> String {
    let line = |id: &Hex32| {
        let said = ledger.letter(id).map_or_else(String::new, |letter| {
            let head = letter.head();
            format!("  {} {}: {}", head.author, head.number, words::of(letter, Some(ledger)))
        });
        format!("\n  {}{said}", ledger.ids.short(id))
    };
    letters.map(line).collect()
}

/// Finds the declaration whose slot or beginning of an id was typed. In some courses, both players declare under the
/// same slot: then finds the only declaration that `fits` the action. If none fits, returns the last one, so that the
/// rule that forbids the action explains why.
///
/// # Errors
/// If there is no such declaration, or if several fit: the error lists these with their ids.
pub(super) fn declaration(
    ledger: &Ledger<'_>,
    typed: &str,
    fits: impl Fn(&Declaration<'_>) -> bool,
) -> PlayResult<Hex32> {
    let Some(slot) = Slot::parse(typed) else {
        let declared: Vec<Hex32> = ledger.declarations().map(|declared| declared.node.id()).collect();
        return one_of(ledger, &declared, typed)?.ok_or_else(|| {
            Failure::refused(format!(
                "{typed:?} must be a slot (turn/impulse/phase/number, such as 1/1/ann-first/1) or the beginning of a \
                 declaration's id; `sealed-dice game status` shows the slots"
            ))
        });
    };
    let standing: Vec<&Declaration<'_>> = ledger.standing_at(&slot).collect();
    let fitting: Vec<Hex32> = standing.iter().filter(|own| fits(own)).map(|own| own.node.id()).collect();
    match (fitting.as_slice(), standing.last()) {
        ([one], _) => Ok(*one),
        ([], Some(last)) => Ok(last.node.id()),
        ([], None) => Err(Failure::refused(format!(
            "{slot} has not been validly declared; `sealed-dice game status` shows what to do next"
        ))),
        (several, _) => Err(Failure::refused(format!(
            "both players declared {slot}; type the command again with the id of the declaration you mean instead of \
             the slot:{}",
            listed(ledger, several.iter())
        ))),
    }
}

/// Composes a text so that every accent forms one character with its letter, if possible (Unicode's form C): some
/// keyboards and disks separate the two, and names may not have loose marks (event-tables 14).
pub(super) fn composed(text: &str) -> String {
    text.nfc().collect()
}
