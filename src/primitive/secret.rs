//! Secrets: they are wiped when dropped, never shown, and compared in constant time.

use std::fmt;

use subtle::ConstantTimeEq;
use zeroize::Zeroize;

/// A buffer that is wiped when dropped. Its `Debug` shows the content, so it is only for local variables, never for
/// fields.
pub use zeroize::Zeroizing as Wiped;

/// Thirty-two secret bytes: a root secret, a vault, a set's master, an unopened key, a signing seed.
///
/// # Examples
///
/// ```
/// use sealed_dice::primitive::secret::Secret;
///
/// let vault = Secret::new([7; 32]);
/// assert_eq!(format!("{vault:?}"), "Secret(..)");
/// assert_eq!(vault.expose()[0], 7);
/// ```
#[derive(Clone)]
pub struct Secret([u8; 32]);

impl Secret {
    /// Creates a secret from its bytes.
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes, to hash them or to publish a secret that is due.
    #[must_use]
    pub const fn expose(&self) -> &[u8; 32] {
        &self.0
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        same(&self.0, &other.0)
    }
}

impl Eq for Secret {}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// A secret text: a passphrase, the content of a key file, a page with a backup.
#[derive(Clone)]
pub struct SecretText(String);

impl SecretText {
    /// Creates a secret from its text.
    #[must_use]
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// Returns the text itself.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText(..)")
    }
}

impl Drop for SecretText {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// Whether two byte strings are equal. The time taken reveals only whether their lengths are equal.
///
/// # Examples
///
/// ```
/// use sealed_dice::primitive::secret::same;
///
/// assert!(same(b"correct horse", b"correct horse"));
/// assert!(!same(b"correct horse", b"correct house"));
/// ```
#[must_use]
pub fn same(a: &[u8], b: &[u8]) -> bool {
    a.ct_eq(b).into()
}
