//! The cryptographic primitives. Each crypto crate is named in exactly one of these files, and nowhere else.

pub mod cipher;
pub mod dice;
pub mod hash;
#[cfg(feature = "keep")]
pub mod passphrase;
pub mod secret;
pub mod sign;
pub mod wrap;
