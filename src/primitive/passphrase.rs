//! Argon2id (RFC 9106), which makes guessing passphrases slow (`protocol/key-file.md` 5).

use argon2::{Algorithm, Argon2, Params, Version};

use super::secret::{Secret, SecretText};
use crate::{
    error::{Class, Error, Result},
    limits::{PASSPHRASE_LANES, PASSPHRASE_MEMORY_KIB, PASSPHRASE_PASSES},
};

/// A passphrase that unlocks a key file: any text, used as the UTF-8 bytes that were typed.
#[derive(Clone, Debug)]
pub struct Passphrase(SecretText);

impl Passphrase {
    /// Creates a passphrase from a text.
    #[must_use]
    pub const fn new(text: SecretText) -> Self {
        Self(text)
    }

    /// Returns the number of characters.
    #[must_use]
    pub fn length(&self) -> usize {
        self.0.expose().chars().count()
    }

    /// Whether two passphrases are equal, such as when one is typed twice.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        super::secret::same(self.0.expose().as_bytes(), other.0.expose().as_bytes())
    }
}

/// The cost of one guess. Each key file states its own, so that new files can cost more as computers get faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Memory that one guess fills, in KiB.
    pub memory: u32,
    /// Number of passes over the memory.
    pub passes: u32,
    /// Number of lanes that can be filled in parallel.
    pub lanes: u32,
}

impl Cost {
    /// The cost for new key files: more than OWASP recommends (46 MiB in one pass, or 19 MiB in two).
    pub const NEW: Self = Self { memory: 64 << 10, passes: 3, lanes: 1 };

    /// Checks the cost that a file states, before any work is done.
    ///
    /// # Errors
    /// Class `fields` if the cost is above the limits, or below the minimum of Argon2.
    pub fn check(self) -> Result<Self> {
        let most =
            self.memory <= PASSPHRASE_MEMORY_KIB && self.passes <= PASSPHRASE_PASSES && self.lanes <= PASSPHRASE_LANES;
        match self.params() {
            Ok(_) if most => Ok(self),
            _ => Err(Error::malformed(Class::Fields, "the cost of its passphrase is not within the limits")),
        }
    }

    fn params(self) -> Result<Params, argon2::Error> {
        Params::new(self.memory, self.passes, self.lanes, Some(32))
    }
}

/// Stretches a passphrase to 32 bytes: Argon2id version 19, without secret or associated data.
///
/// # Errors
/// The errors of [`Cost::check`]; [`Error::Misuse`] if there is not enough memory.
pub fn stretch(passphrase: &Passphrase, salt: &[u8; 32], cost: Cost) -> Result<Secret> {
    let failed = |error: argon2::Error| {
        Error::Misuse(format!("the passphrase cannot be processed: {error}; free some memory, and try again"))
    };
    let params = cost.check()?.params().map_err(failed)?;
    let mut out = super::secret::Wiped::new([0; 32]);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(passphrase.0.expose().as_bytes(), salt, out.as_mut())
        .map_err(failed)?;
    Ok(Secret::new(*out))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected value was computed with the reference implementation (`argon2-cffi`).
    #[test]
    fn it_is_argon2id() {
        let passphrase = Passphrase::new(SecretText::new("correct horse".into()));
        let cost = Cost { memory: 64, passes: 3, lanes: 2 };
        let stretched = stretch(&passphrase, &[7; 32], cost).unwrap();
        assert_eq!(hex::encode(stretched.expose()), "41f946a7e01357ea88bf4764de3e808e4250384aca1adac030f73e5927c4d1eb");
    }
}
