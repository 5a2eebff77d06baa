//! Random bytes from the system. Only this module requests them.

use super::StorageError;
use crate::{
    blob::Hex32,
    primitive::secret::{Secret, Wiped},
};

/// Returns thirty-two fresh random bytes that will be published, such as a nonce, a salt or a contribution.
///
/// # Errors
/// If the system has no randomness.
pub fn fresh() -> Result<Hex32, StorageError> {
    bytes().map(Hex32)
}

fn bytes() -> Result<[u8; 32], StorageError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| StorageError::Unable(format!("the system cannot provide randomness: {error}; try again")))?;
    Ok(bytes)
}

/// Returns thirty-two fresh random bytes that will be kept secret.
///
/// # Errors
/// Same errors as [`fresh`].
pub fn secret() -> Result<Secret, StorageError> {
    Ok(Secret::new(*Wiped::new(bytes()?)))
}
