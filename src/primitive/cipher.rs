//! ChaCha20-Poly1305 for notes (`protocol/envelope.md` 6, 7) and key files (`protocol/key-file.md` 6). It hides a text;
//! it commits to nothing.

use chacha20poly1305::{
    ChaCha20Poly1305, KeyInit, Nonce,
    aead::{Aead, Payload},
};

use crate::error::{Error, Result};

/// Encrypts under a key that is used for this one text, so that the nonce can be fixed.
///
/// # Errors
/// Only for a text beyond the cipher's own limit of 256 GiB.
pub fn seal(key: &[u8; 32], associated: &[u8], text: &[u8]) -> Result<Vec<u8>> {
    ChaCha20Poly1305::new(key.into())
        .encrypt(&Nonce::default(), Payload { msg: text, aad: associated })
        .map_err(|_| Error::Misuse("the text is too long for the cipher; shorten it".into()))
}

/// Decrypts; `None` if key, associated data and ciphertext do not belong together.
#[must_use]
pub fn open(key: &[u8; 32], associated: &[u8], ciphertext: &[u8]) -> Option<Vec<u8>> {
    let payload = Payload { msg: ciphertext, aad: associated };
    ChaCha20Poly1305::new(key.into()).decrypt(&Nonce::default(), payload).ok()
}
