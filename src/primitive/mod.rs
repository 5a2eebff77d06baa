//! The cryptographic primitives. Each cryptographic crate is used in only one of these files, and nowhere else.

pub mod cipher;
pub mod dice;
pub mod hash;
#[cfg(feature = "keep")]
pub mod passphrase;
pub mod secret;
pub mod sign;
pub mod wrap;
