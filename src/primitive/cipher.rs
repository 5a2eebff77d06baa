//! ChaCha20-Poly1305 for notes (`protocol/envelope.md` 6, 7) and key files (`protocol/key-file.md` 6). It keeps a text
//! secret, but does not commit to it.

use chacha20poly1305::{
    ChaCha20Poly1305, KeyInit, Nonce,
    aead::{Aead, Payload},
};

use crate::error::{Error, Result};

/// Encrypts a text under a key. The key must never be used for another text, because the nonce is fixed.
///
/// # Errors
/// Only for a text longer than the cipher's limit of 256 GiB.
///
/// # Examples
///
/// ```
/// use sealed_dice::primitive::cipher::{open, seal};
///
/// let note = seal(&[1; 32], b"1/1/combat/1", b"all go west")?;
/// assert_eq!(open(&[1; 32], b"1/1/combat/1", &note).as_deref(), Some(&b"all go west"[..]));
/// assert!(open(&[1; 32], b"2/1/combat/1", &note).is_none());
/// # Ok::<(), sealed_dice::error::Error>(())
/// ```
pub fn seal(key: &[u8; 32], associated: &[u8], text: &[u8]) -> Result<Vec<u8>> {
    ChaCha20Poly1305::new(key.into())
        .encrypt(&Nonce::default(), Payload { msg: text, aad: associated })
        .map_err(|_| Error::Misuse("the text is too long for the cipher; shorten it".into()))
}

/// Decrypts a ciphertext; `None` if key, associated data and ciphertext do not belong together.
///
/// [`seal`] has an example of both.
#[must_use]
pub fn open(key: &[u8; 32], associated: &[u8], ciphertext: &[u8]) -> Option<Vec<u8>> {
    let payload = Payload { msg: ciphertext, aad: associated };
    ChaCha20Poly1305::new(key.into()).decrypt(&Nonce::default(), payload).ok()
}
