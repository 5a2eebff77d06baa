//! Fresh randomness for a letter.

use crate::{blob::Hex32, cli::answer::Told, keep::random};

/// Fresh randomness of the system.
pub(super) fn fresh() -> Told<Hex32> {
    Ok(Hex32(random::bytes()?))
}
