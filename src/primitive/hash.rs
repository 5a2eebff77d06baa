//! The only hash function: SHA3-256 over a tag and length-prefixed items (`protocol/hash.md`).

use sha3::{Digest, Sha3_256};

/// The purpose of a hash. The constants in [`tag`] are the only tags (hash 4).
///
/// # Examples
///
/// ```
/// use sealed_dice::primitive::hash::{Tag, tag};
///
/// assert_eq!(Tag::by_name("dice-root"), Some(tag::DICE_ROOT));
/// assert_eq!(tag::DICE_ROOT.as_bytes(), b"sealed-dice/v1/dice-root");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag(&'static str);

/// The tags in the table of hash 4, one constant for each row.
pub mod tag {
    use super::Tag;

    /// Id of a message, from type and payload.
    pub const MESSAGE_ID: Tag = Tag("sealed-dice/v1/message-id");
    /// Fingerprint of a public key, from the key.
    pub const KEY_FINGERPRINT: Tag = Tag("sealed-dice/v1/key-fingerprint");
    /// M, the secret of a set, from the vault, A of the set and the salt.
    pub const SET_MASTER: Tag = Tag("sealed-dice/v1/set-master");
    /// Key of an envelope or of a column's last cell, from M and A of the place.
    pub const ENVELOPE_KEY: Tag = Tag("sealed-dice/v1/envelope-key");
    /// Key of the cell above a cell, from A and K of the cell.
    pub const CELL_CHAIN: Tag = Tag("sealed-dice/v1/cell-chain");
    /// Commitment to a key, from A of the place and K.
    pub const ENVELOPE_COMMIT: Tag = Tag("sealed-dice/v1/envelope-commit");
    /// Sealed seed of a place, from A of the place and K.
    pub const ENVELOPE_SEED: Tag = Tag("sealed-dice/v1/envelope-seed");
    /// Key for encrypting a note, from A of the place and K.
    pub const NOTE_KEY: Tag = Tag("sealed-dice/v1/note-key");
    /// Root of an opened place, from seal id, declaration id, index, seed and contribution.
    pub const DICE_ROOT: Tag = Tag("sealed-dice/v1/dice-root");
    /// Key of one line's stream, from root and line.
    pub const ROLL_KEY: Tag = Tag("sealed-dice/v1/roll-key");
    /// Signing seed of a player, from the root secret.
    pub const KEY_ROOT_SIGNING: Tag = Tag("sealed-dice/v1/key-root-signing");
    /// Vault of a player, from the root secret.
    pub const KEY_ROOT_VAULT: Tag = Tag("sealed-dice/v1/key-root-vault");
    /// Key for encrypting a key file, from the stretched passphrase.
    pub const KEY_FILE: Tag = Tag("sealed-dice/v1/key-file");
    /// Checksum of a backup code, from the root secret.
    pub const KEY_BACKUP: Tag = Tag("sealed-dice/v1/key-backup");
    /// Deposit key of a referee or an office, from the root secret.
    pub const KEY_ROOT_DEPOSIT: Tag = Tag("sealed-dice/v1/key-root-deposit");
    /// Context to which a deposit is bound, from A of the set and the seal id.
    pub const DEPOSIT: Tag = Tag("sealed-dice/v1/deposit");
    /// Nonce of an office's accept, from the vault and the charter id.
    pub const ACCEPT_NONCE: Tag = Tag("sealed-dice/v1/accept-nonce");

    /// Every tag of the protocol (hash 4).
    pub const ALL: [Tag; 17] = [
        MESSAGE_ID,
        KEY_FINGERPRINT,
        SET_MASTER,
        ENVELOPE_KEY,
        CELL_CHAIN,
        ENVELOPE_COMMIT,
        ENVELOPE_SEED,
        NOTE_KEY,
        DICE_ROOT,
        ROLL_KEY,
        KEY_ROOT_SIGNING,
        KEY_ROOT_VAULT,
        KEY_FILE,
        KEY_BACKUP,
        KEY_ROOT_DEPOSIT,
        DEPOSIT,
        ACCEPT_NONCE,
    ];
}

impl Tag {
    /// Returns the tag's name as in the table of hash 4, without the common prefix.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.trim_start_matches("sealed-dice/v1/")
    }

    /// Returns the tag with a given name, if the table of hash 4 has one.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        tag::ALL.into_iter().find(|tag| tag.name() == name)
    }

    /// Returns the tag as the first item of a hash.
    #[must_use]
    pub const fn as_bytes(self) -> &'static [u8] {
        self.0.as_bytes()
    }
}

/// Computes `H(tag, items..)`: 32 bytes (hash 2).
///
/// # Examples
///
/// Items do not run together, and the purpose is part of the hash:
///
/// ```
/// use sealed_dice::primitive::hash::{h, tag};
///
/// assert_ne!(h(tag::ROLL_KEY, &[b"ab", b"c"]), h(tag::ROLL_KEY, &[b"a", b"bc"]));
/// assert_ne!(h(tag::ROLL_KEY, &[b"abc"]), h(tag::DICE_ROOT, &[b"abc"]));
/// ```
#[must_use]
pub fn h(tag: Tag, items: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha3_256::new();
    hasher.update(le64(items.len() as u64 + 1));
    for item in std::iter::once(&tag.as_bytes()).chain(items) {
        hasher.update(le64(item.len() as u64));
        hasher.update(item);
    }
    hasher.finalize().into()
}

/// Encodes `PAE(items..)` (hash 1). The number of items and the length of each are 64-bit little-endian prefixes, so
/// that different lists always have different encodings.
///
/// # Examples
///
/// ```
/// use sealed_dice::primitive::hash::{le64, pae};
///
/// assert_eq!(pae(&[b"ab"]), [&le64(1)[..], &le64(2), b"ab"].concat());
/// ```
#[must_use]
pub fn pae(items: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::with_capacity(8 + items.iter().map(|item| 8 + item.len()).sum::<usize>());
    out.extend(le64(items.len() as u64));
    for item in items {
        out.extend(le64(item.len() as u64));
        out.extend_from_slice(item);
    }
    out
}

/// Encodes an integer as an item: 64 bits, little-endian (hash 3).
///
/// # Examples
///
/// ```
/// assert_eq!(sealed_dice::primitive::hash::le64(258), [2, 1, 0, 0, 0, 0, 0, 0]);
/// ```
#[must_use]
pub const fn le64(n: u64) -> [u8; 8] {
    n.to_le_bytes()
}

/// Computes the plain SHA3-256 of a file, which anyone can check with `openssl dgst -sha3-256` (letters, declare:
/// moves).
///
/// # Examples
///
/// ```
/// use sealed_dice::{blob::Hex32, primitive::hash::file_hash};
///
/// let hash = Hex32(file_hash(b"abc")).to_string();
/// assert_eq!(hash, "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532");
/// ```
#[must_use]
pub fn file_hash(bytes: &[u8]) -> [u8; 32] {
    Sha3_256::digest(bytes).into()
}

/// Computes [`file_hash`] of a file that is read in pieces.
///
/// # Examples
///
/// ```
/// use sealed_dice::primitive::hash::{FileHasher, file_hash};
///
/// let mut hasher = FileHasher::default();
/// hasher.update(b"moves of ");
/// hasher.update(b"turn 3");
/// assert_eq!(hasher.finish(), file_hash(b"moves of turn 3"));
/// ```
#[derive(Clone, Default)]
pub struct FileHasher(Sha3_256);

impl FileHasher {
    /// Adds the next piece.
    pub fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// Returns the hash of all pieces.
    #[must_use]
    pub fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_differ_and_share_the_prefix() {
        for (i, a) in tag::ALL.iter().enumerate() {
            assert!(a.0.starts_with("sealed-dice/v1/"));
            assert!(tag::ALL.iter().skip(i + 1).all(|b| a != b), "{a:?} stands twice");
        }
    }

    #[test]
    fn it_is_sha3_and_not_keccak() {
        let expected = "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532";
        assert_eq!(hex::encode(file_hash(b"abc")), expected);
    }

    #[test]
    fn pieces_hash_like_the_whole() {
        let mut hasher = FileHasher::default();
        hasher.update(b"a");
        hasher.update(b"bc");
        assert_eq!(hasher.finish(), file_hash(b"abc"));
    }

    #[test]
    fn h_hashes_the_pae() {
        let items: [&[u8]; 2] = [b"one", b""];
        let framed = pae(&[tag::ROLL_KEY.as_bytes(), items[0], items[1]]);
        assert_eq!(h(tag::ROLL_KEY, &items), file_hash(&framed));
    }
}
