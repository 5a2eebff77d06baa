//! Ed25519 with strict verification, and the check of public keys (`protocol/message.md` 3, 5 to 7).

use std::fmt;

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};

use super::{
    hash::{h, tag},
    secret::Secret,
};
use crate::error::{Class, Error, Result};

/// A public key that passed the check of message 5: canonically encoded, and of prime order.
///
/// # Examples
///
/// ```
/// use sealed_dice::{error::{Class, Error}, primitive::{secret::Secret, sign::{PrivateKey, PublicKey}}};
///
/// let public = PrivateKey::from_seed(&Secret::new([1; 32])).public();
/// assert_eq!(PublicKey::parse(public.as_bytes()), Ok(public.clone()));
/// assert_eq!(public.fingerprint(), "6DQ2 EVYN 4GAA XAF4 VYZ7 I6G2");
/// // Anyone could sign for this key.
/// assert_eq!(PublicKey::parse(&[0; 32]).as_ref().map_err(Error::class), Err(Class::Key));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// Checks a public key. Signatures are only verified with keys that were checked.
    ///
    /// # Errors
    /// Class `key` if the bytes are not the canonical encoding of a point of prime order.
    pub fn parse(bytes: &[u8; 32]) -> Result<Self> {
        let refuse = |text: &str| Error::malformed(Class::Key, text);
        let key = VerifyingKey::from_bytes(bytes).map_err(|_| refuse("the key is not a point on the curve"))?;
        let point = key.to_edwards();
        if point.compress().as_bytes() != bytes {
            return Err(refuse("the key is not in its canonical encoding"));
        }
        if key.is_weak() || !point.is_torsion_free() {
            return Err(refuse("the key is not of prime order, so its signatures would prove nothing"));
        }
        Ok(Self(key))
    }

    /// Returns the canonical encoding of the key: 32 bytes (message 5).
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// Verifies a signature by the strict rule (message 6).
    ///
    /// # Errors
    /// Class `signature` if the signature does not match.
    pub fn verify(&self, message: &[u8], signature: &[u8; 64]) -> Result<()> {
        self.0.verify_strict(message, &Signature::from_bytes(signature)).map_err(|_| {
            Error::malformed(
                Class::Signature,
                "the signature does not match: the letter was altered on its way, or never signed with this key; ask \
                 for it again",
            )
        })
    }

    /// Returns the fingerprint that two people read to each other on the phone: 120 bits in six groups (message 7).
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let digest = h(tag::KEY_FINGERPRINT, &[self.as_bytes()]);
        let groups: Vec<String> = base32(digest.iter().take(15))
            .as_bytes()
            .chunks(4)
            .map(|group| String::from_utf8_lossy(group).into_owned())
            .collect();
        groups.join(" ")
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", hex::encode(self.as_bytes()))
    }
}

/// The signing key of a player, a referee or an office.
///
/// # Examples
///
/// ```
/// use sealed_dice::primitive::{secret::Secret, sign::PrivateKey};
///
/// let key = PrivateKey::from_seed(&Secret::new([1; 32])); // a real seed is random
/// let signature = key.sign(b"attack F12 at 3-1");
/// assert!(key.public().verify(b"attack F12 at 3-1", &signature).is_ok());
/// assert!(key.public().verify(b"attack F12 at 4-1", &signature).is_err());
/// ```
#[derive(Clone)]
pub struct PrivateKey(SigningKey);

impl PrivateKey {
    /// Derives the key from a 32-byte seed (RFC 8032).
    #[must_use]
    pub fn from_seed(seed: &Secret) -> Self {
        Self(SigningKey::from_bytes(seed.expose()))
    }

    /// Returns the public key, as frames and charters contain it. A key derived from a seed always passes the check of
    /// message 5.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    /// Signs bytes exactly as given.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey(..)")
    }
}

/// Returns the bytes that are signed: DSSE's pre-authentication encoding of type and payload (message 3).
///
/// # Examples
///
/// ```
/// let signed = sealed_dice::primitive::sign::signed_bytes("sealed-dice/v1", b"{}");
/// assert_eq!(signed, b"DSSEv1 14 sealed-dice/v1 2 {}");
/// ```
#[must_use]
pub fn signed_bytes(kind: &str, payload: &[u8]) -> Vec<u8> {
    let mut out = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len()).into_bytes();
    out.extend_from_slice(payload);
    out
}

/// Encodes bytes in RFC 4648 base32 without padding.
fn base32<'a>(bytes: impl Iterator<Item = &'a u8>) -> String {
    let mut out = String::new();
    let (mut bits, mut held) = (0u32, 0u32);
    for byte in bytes {
        held = (held << 8) | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            let digit = ((held >> bits) & 31) as u8;
            out.push(char::from(if digit < 26 { b'A' + digit } else { b'2' + digit - 26 }));
        }
        held &= (1 << bits) - 1;
    }
    out
}
