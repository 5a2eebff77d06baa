//! Fresh randomness for a letter.

use super::failure::Told;
use crate::{blob::Hex32, keep::random};

/// Fresh randomness of the system.
pub(super) fn fresh() -> Told<Hex32> {
    Ok(Hex32(random::bytes()?))
}
