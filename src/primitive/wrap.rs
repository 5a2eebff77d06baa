//! HPKE (RFC 9180) for deposits (`protocol/deposits.md` 4): encrypts a set's secret so that only the holder of the
//! deposit key can read it.

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

/// Length of a wrapped secret in bytes: the encapsulated key, the secret, and the tag.
pub const WRAPPED: usize = 32 + 32 + 16;

type Private = <X25519HkdfSha256 as Kem>::PrivateKey;
type Public = <X25519HkdfSha256 as Kem>::PublicKey;
type Encapsulated = <X25519HkdfSha256 as Kem>::EncappedKey;

/// Returns the public half of a deposit key.
///
/// [`wrap`](wrap()) has an example of a key and its public half.
#[must_use]
pub fn public(key: &Secret) -> Option<[u8; 32]> {
    let private = Private::from_bytes(key.expose()).ok()?;
    X25519HkdfSha256::sk_to_pk(&private).to_bytes().as_slice().try_into().ok()
}

/// Whether a public key can be a deposit key. For a point of small order, everybody knows the shared secret.
///
/// # Examples
///
/// ```
/// use sealed_dice::primitive::{secret::Secret, wrap};
///
/// let to = wrap::public(&Secret::new([1; 32])).ok_or("no key")?;
/// assert!(wrap::is_usable(&to));
/// assert!(!wrap::is_usable(&[0; 32]));
/// # Ok::<(), &str>(())
/// ```
#[must_use]
pub fn is_usable(key: &[u8; 32]) -> bool {
    let any = Secret::new([0; 32]);
    wrap(key, any.expose(), &any, &any).is_some()
}

/// Wraps a secret to a public deposit key. `randomness` must be fresh and used only for this call.
///
/// `None` if the key is a point of small order, so that anyone could read the secret.
///
/// # Examples
///
/// ```
/// use sealed_dice::primitive::{secret::Secret, wrap::{public, unwrap, wrap}};
///
/// let carols = Secret::new([1; 32]);
/// let to = public(&carols).ok_or("no key")?;
/// let (master, randomness) = (Secret::new([2; 32]), Secret::new([3; 32]));
/// let wrapped = wrap(&to, b"thirty-two bytes about this set.", &master, &randomness).ok_or("a weak key")?;
/// assert_eq!(unwrap(&carols, b"thirty-two bytes about this set.", &wrapped), Some(master));
/// assert_eq!(unwrap(&carols, b"thirty-two bytes about another s", &wrapped), None);
/// # Ok::<(), &str>(())
/// ```
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

/// Unwraps a secret; `None` if key, info and wrapped secret do not belong together.
///
/// [`wrap`](wrap()) has an example of both.
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
