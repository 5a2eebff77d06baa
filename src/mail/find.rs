//! The letters found in a mail.

use crate::blob::{Verified, message::Refusal};

/// A letter that was found, or the place of a damaged one.
#[derive(Clone, Debug)]
pub struct Find {
    /// The place, for people: the file, the message by number and subject, the line.
    pub place: String,
    /// The frame as received, from which the letter can be written again; empty if its armour is damaged.
    pub frame: Vec<u8>,
    /// The letter, or the reason for its refusal.
    pub letter: Result<Verified, Refusal>,
}
