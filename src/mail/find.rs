//! What is found in a mail.

use crate::blob::{Verified, message::Refusal};

/// A letter that was found, or the place where one is damaged.
#[derive(Clone, Debug)]
pub struct Find {
    /// Where, for people: the file, the message by number and subject, the line.
    pub place: String,
    /// The frame as it came, from which the letter can be written again; empty if its armour is damaged.
    pub frame: Vec<u8>,
    /// The letter, or why it was refused.
    pub letter: Result<Verified, Refusal>,
}
