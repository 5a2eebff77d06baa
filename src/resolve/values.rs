//! What a row of an envelope or a cell of a sheet means (`protocol/dice.md` 7).

use serde::{Deserialize, Serialize};

use super::{Draws, Place};
use crate::error::Result;

/// The setting `values`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Values {
    /// One d6.
    #[serde(rename = "1-6")]
    OneToSix,
    /// One d10, less 1.
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
    /// As the source of the draws.
    pub fn draw(self, place: Place, why: &str, draws: &mut Draws<'_>) -> Result<u64> {
        Ok(match self {
            Self::OneToSix => draws.draw(place, 6, why)?,
            Self::ZeroToNine => draws.draw(place, 10, why)? - 1,
            Self::TwoToTwelve => draws.draw(place, 6, why)? + draws.draw(place, 6, why)?,
        })
    }
}
