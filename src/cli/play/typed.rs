//! Slots, names and beginnings of ids as a player types them.

use unicode_normalization::UnicodeNormalization;

use super::{Answer, Told};
use crate::{
    blob::body::{Hex32, Name, Slot},
    game::ledger::Ledger,
    report::words,
};

pub(super) fn parse_slot(text: &str) -> Told<Slot> {
    Slot::parse(text).ok_or_else(|| {
        Answer::refused(format!("{text:?} is no slot; a slot is turn/impulse/phase/number, like 1/1/ann-first/1"))
    })
}

pub(super) fn parse_name(text: &str) -> Told<Name> {
    Name::parse(text).ok_or_else(|| {
        Answer::refused(format!(
            "{text:?} is no name; names are small letters, digits and hyphens, beginning with a letter"
        ))
    })
}

/// The one of these letters whose id begins as typed; none if there is no such letter.
///
/// # Errors
/// If there are several.
pub(super) fn one_of(ledger: &Ledger<'_>, letters: &[Hex32], typed: &str) -> Told<Option<Hex32>> {
    let mut like: Vec<&Hex32> = letters.iter().filter(|id| id.to_string().starts_with(typed)).collect();
    like.sort_unstable();
    like.dedup();
    match like.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(**one)),
        several => {
            let candidates = several.iter().map(|id| {
                let said = ledger.letter(id).map_or_else(String::new, |letter| {
                    let head = letter.head();
                    format!("  {} {}: {}", head.author, head.number, words::of(letter, Some(ledger)))
                });
                format!("\n  {}{said}", ledger.ids.short(id))
            });
            Err(Answer::refused(format!(
                "several letters have ids that begin with {typed:?}; type the command again with all the digits of the one you \
                 mean:{}",
                candidates.collect::<String>()
            )))
        }
    }
}

/// A text in which every accent that can be is one character with its letter (Unicode's form C): some keyboards and disks
/// take them apart, and names have no loose marks (event-tables 14).
pub(super) fn composed(text: &str) -> String {
    text.nfc().collect()
}
