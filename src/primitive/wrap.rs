//! HPKE (RFC 9180) for deposits (`protocol/deposits.md` 4): a set's secret for the eyes of one referee.

use hpke::{
    Deserializable, OpModeR, OpModeS, Serializable,
    aead::ChaCha20Poly1305,
    kdf::HkdfSha256,
    kem::{Kem, X25519HkdfSha256},
    single_shot_open, single_shot_seal_with_rng,
};

use super::{
    dice,
    secret::{Secret, Wiped},
};

/// Bytes of a wrapped secret: the encapsulated key, the secret, the tag.
pub const WRAPPED: usize = 32 + 32 + 16;

type Private = <X25519HkdfSha256 as Kem>::PrivateKey;
type Public = <X25519HkdfSha256 as Kem>::PublicKey;
type Encapsulated = <X25519HkdfSha256 as Kem>::EncappedKey;

/// The public half of a deposit key.
#[must_use]
pub fn public(key: &Secret) -> Option<[u8; 32]> {
    let private = Private::from_bytes(key.expose()).ok()?;
    X25519HkdfSha256::sk_to_pk(&private).to_bytes().as_slice().try_into().ok()
}

/// Whether a key can be a deposit key: of a point of small order everybody knows the shared secret.
#[must_use]
pub fn is_usable(key: &[u8; 32]) -> bool {
    let any = Secret::new([0; 32]);
    wrap(key, any.expose(), &any, &any).is_some()
}

/// Wraps a secret to a deposit key. `randomness` is fresh, and used for this one wrapping.
///
/// `None` if the key is one that would give away what is wrapped to it.
#[must_use]
pub fn wrap(to: &[u8; 32], info: &[u8; 32], secret: &Secret, randomness: &Secret) -> Option<[u8; WRAPPED]> {
    let to = Public::from_bytes(to).ok()?;
    let (key, ciphertext) = single_shot_seal_with_rng::<ChaCha20Poly1305, HkdfSha256, X25519HkdfSha256>(
        &OpModeS::Base,
        &to,
        info,
        secret.expose(),
        b"",
        &mut dice::generator(randomness),
    )
    .ok()?;
    [key.to_bytes().as_slice(), &ciphertext].concat().try_into().ok()
}

/// Unwraps; `None` if key, info and wrapping do not belong together.
#[must_use]
pub fn unwrap(key: &Secret, info: &[u8; 32], wrapped: &[u8; WRAPPED]) -> Option<Secret> {
    let private = Private::from_bytes(key.expose()).ok()?;
    let (encapsulated, ciphertext) = wrapped.split_at_checked(32)?;
    let encapsulated = Encapsulated::from_bytes(encapsulated).ok()?;
    let opened = single_shot_open::<ChaCha20Poly1305, HkdfSha256, X25519HkdfSha256>(
        &OpModeR::Base,
        &private,
        &encapsulated,
        info,
        ciphertext,
        b"",
    );
    let opened = Wiped::new(opened.ok()?);
    let secret: [u8; 32] = opened.as_slice().try_into().ok()?;
    Some(Secret::new(secret))
}
