//! What letters say of keys that change hands, and of folders that were restored: `key` and `resync`
//! (`protocol/keys.md`). Fields stand in the order of the canonical encoding.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::body::{ANY_KIND, Hex32, Kinds, Role, lower_hex};
use crate::{
    error::{Error, Result},
    primitive::sign::{PrivateKey, PublicKey, signed_bytes},
};

/// The type under which a new key signs that it exists (keys 3); no letter has it.
const PROOF_TYPE: &str = "sealed-dice/v1/new-key";

/// A signature in digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hex64(pub [u8; 64]);

impl Serialize for Hex64 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex::encode(self.0))
    }
}

impl<'de> Deserialize<'de> for Hex64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        let bytes = lower_hex(text.as_bytes()).map(Self);
        bytes.ok_or_else(|| de::Error::custom("not 128 lower-case hexadecimal digits"))
    }
}

/// `key`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyChange {
    /// The author goes on with another key.
    Rotate(Rotate),
    /// The author grants that the other player has lost his key, and has this one now.
    Admit(Admit),
    /// The author has lost his key, and asks the other player to grant that; signed with the new one (keys 13).
    Ask(AdmissionAsk),
}

/// A rotation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rotate {
    /// The new key.
    pub key: Hex32,
    /// Its signature (keys 3).
    pub proof: Hex64,
    /// Somebody else may have signed with the old one.
    pub stolen: bool,
}

/// An admission, as far as a player can grant it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Admit {
    /// The other's last letter that counts.
    pub after: Hex32,
    /// The new key.
    pub key: Hex32,
    /// Whose it is.
    pub player: Role,
    /// Its signature (keys 3).
    pub proof: Hex64,
}

/// What somebody says who has lost his key. It is in no chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdmissionAsk {
    /// His last letter that he knows the others to have.
    pub after: Hex32,
    /// The new key's signature (keys 3).
    pub proof: Hex64,
}

impl KeyChange {
    /// The letters that it names.
    pub(super) fn names(&self) -> Vec<(Hex32, Kinds)> {
        match self {
            Self::Rotate(_) | Self::Ask(_) => Vec::new(),
            Self::Admit(admit) => vec![(admit.after, ANY_KIND)],
        }
    }
}

/// `resync`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Resync {
    /// Which letter of mine do you hold last? In no chain; fresh randomness.
    Ask(Hex32),
    /// See `seen`.
    Answer(Answer),
}

/// An answer to an ask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The message id of the ask.
    pub ask: Hex32,
    /// Whose it was.
    pub to: Role,
}

/// What a new key is good for, and directly after which letter.
#[derive(Clone, Copy, Debug)]
pub struct NewKey<'k> {
    /// Id of the game.
    pub game: Hex32,
    /// Whose key it is to be.
    pub role: &'k Role,
    /// The letter of that role before.
    pub after: Hex32,
    /// The new key.
    pub key: Hex32,
}

impl NewKey<'_> {
    fn bytes(&self) -> Vec<u8> {
        let payload = format!("{}\n{}\n{}\n{}", self.game, self.role, self.after, self.key);
        signed_bytes(PROOF_TYPE, payload.as_bytes())
    }

    /// The proof of possession, by the new key itself.
    #[must_use]
    pub fn prove(&self, key: &PrivateKey) -> Hex64 {
        Hex64(key.sign(&self.bytes()))
    }

    /// Checks a proof (key 1).
    ///
    /// # Errors
    /// If the key is not acceptable, or the proof not its own.
    pub fn check(&self, proof: &Hex64) -> Result<(), Error> {
        PublicKey::parse(&self.key.0)?.verify(&self.bytes(), &proof.0)
    }
}
