//! Slots and names as a player types them.

use unicode_normalization::UnicodeNormalization;

use super::{Answer, Told};
use crate::blob::body::{Name, Slot};

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

/// A text in which every accent that can be is one character with its letter (Unicode's form C): some keyboards and disks
/// take them apart, and names have no loose marks (event-tables 14).
pub(super) fn composed(text: &str) -> String {
    text.nfc().collect()
}
