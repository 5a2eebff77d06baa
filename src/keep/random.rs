//! The system's randomness, asked for in this one place.

use super::StorageError;
use crate::{
    blob::Hex32,
    primitive::secret::{Secret, Wiped},
};

/// Thirty-two fresh random bytes that will be published: a nonce, a salt, a contribution.
///
/// # Errors
/// If the system gives none.
pub fn fresh() -> Result<Hex32, StorageError> {
    bytes().map(Hex32)
}

fn bytes() -> Result<[u8; 32], StorageError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| StorageError::Unable(format!("the system gives no randomness: {error}")))?;
    Ok(bytes)
}

/// Thirty-two fresh random bytes that will be kept.
///
/// # Errors
/// As [`fresh`].
pub fn secret() -> Result<Secret, StorageError> {
    Ok(Secret::new(*Wiped::new(bytes()?)))
}
