//! The one secret that a player keeps for life, and the keys derived from it (`protocol/key-file.md` 1).

use super::{StorageError, random};
use crate::primitive::{
    hash::{h, tag},
    secret::Secret,
    sign::PrivateKey,
};

/// The root secret. Anyone with a copy can act as the player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root(Secret);

impl Root {
    /// Wraps an existing secret.
    #[must_use]
    pub const fn new(secret: Secret) -> Self {
        Self(secret)
    }

    /// Generates the root secret of a new player.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub fn random() -> Result<Self, StorageError> {
        random::secret().map(Self)
    }

    /// Returns the bytes of the secret, to be encrypted or printed as a backup.
    #[must_use]
    pub const fn expose(&self) -> &[u8; 32] {
        self.0.expose()
    }

    /// Derives the seed of the signing key.
    #[must_use]
    pub fn signing_seed(&self) -> Secret {
        Secret::new(h(tag::KEY_ROOT_SIGNING, &[self.expose()]))
    }

    /// Derives the secret for all of this player's sets (envelope 3).
    #[must_use]
    pub fn vault(&self) -> Secret {
        Secret::new(h(tag::KEY_ROOT_VAULT, &[self.expose()]))
    }

    /// Derives the secret that opens the deposits held by a referee (deposits 7).
    #[must_use]
    pub fn deposit_key(&self) -> Secret {
        Secret::new(h(tag::KEY_ROOT_DEPOSIT, &[self.expose()]))
    }

    /// Derives the player's signing key, vault and deposit key.
    #[must_use]
    pub fn keys(&self) -> Keys {
        Keys { signing: PrivateKey::from_seed(&self.signing_seed()), vault: self.vault(), deposit: self.deposit_key() }
    }
}

/// A player's unlocked keys.
#[derive(Debug)]
pub struct Keys {
    signing: PrivateKey,
    vault: Secret,
    deposit: Secret,
}

impl Keys {
    /// Returns the private key that signs the player's letters.
    #[must_use]
    pub const fn signing(&self) -> &PrivateKey {
        &self.signing
    }

    /// Returns the secret from which the keys of every set that the player seals are derived.
    #[must_use]
    pub const fn vault(&self) -> &Secret {
        &self.vault
    }

    /// Returns the secret that opens deposits, for a referee or an office.
    #[must_use]
    pub const fn deposit(&self) -> &Secret {
        &self.deposit
    }
}
