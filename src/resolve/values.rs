//! The value of an envelope row or sheet cell (`protocol/dice.md` 7), and the characters that names cannot contain.

use serde::{Deserialize, Serialize};

use super::{Draws, Place};
use crate::error::Result;

/// Returns whether a character is invisible, looks like a space, or changes how others look (`protocol/README.md`,
/// Conventions). Readers cannot tell apart two names that differ only in such characters.
///
/// # Examples
///
/// ```
/// use sealed_dice::resolve::values::is_unseen;
///
/// assert!(is_unseen('\u{200b}') && is_unseen('\u{a0}'));
/// assert!(!is_unseen(' ') && !is_unseen('é'));
/// ```
#[must_use]
pub const fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{0}'..='\u{1f}'
            | '\u{7f}'..='\u{a0}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{1680}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{2000}'..='\u{200f}'
            | '\u{2028}'..='\u{202f}'
            | '\u{205f}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3000}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// The setting `values`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Values {
    /// The value of one d6.
    #[serde(rename = "1-6")]
    OneToSix,
    /// One d10, minus 1.
    #[serde(rename = "0-9")]
    ZeroToNine,
    /// The sum of two d6.
    #[serde(rename = "2-12")]
    TwoToTwelve,
}

impl Values {
    /// Draws the value of a place.
    ///
    /// # Errors
    /// The errors of the source of the draws.
    pub fn draw(self, place: Place, why: &str, draws: &mut Draws<'_>) -> Result<u64> {
        Ok(match self {
            Self::OneToSix => draws.draw(place, 6, why)?,
            Self::ZeroToNine => draws.draw(place, 10, why)? - 1,
            Self::TwoToTwelve => draws.draw(place, 6, why)? + draws.draw(place, 6, why)?,
        })
    }
}
