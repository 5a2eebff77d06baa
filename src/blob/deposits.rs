//! Bodies about keys that a referee holds: the terms for them, `deposit`, and the ruling that opens
//! (`protocol/deposits.md`). Fields are in the order of the canonical encoding.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::body::{CellKey, Hex32, Key, Role, SetKind, at_most, lower_hex, nullable, text};
use crate::{
    limits::{COLUMNS, KEYS},
    primitive::wrap::WRAPPED,
};

/// A third party, as named in the charter: the referee or the office.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Third {
    /// Terms for the keys that the third party holds; `None` for an office without keys, which is a time witness
    /// (office 34).
    #[serde(deserialize_with = "nullable")]
    pub deposit: Option<Deposits>,
    /// Public signing key.
    pub key: Hex32,
    /// Name of the third party for people.
    #[serde(deserialize_with = "text::<_, 1, 80>")]
    pub name: String,
    /// The role under which the third party signs.
    pub role: Role,
}

impl Third {
    /// Whether this third party is the fallback for sets of a kind (deposits 3).
    #[must_use]
    pub const fn is_fallback_of(&self, kind: SetKind) -> bool {
        match (&self.deposit, kind) {
            (None, _) | (Some(_), SetKind::Contribution) => false,
            (Some(_), SetKind::Coin | SetKind::Sheet | SetKind::Plain | SetKind::FoulUp) => true,
            (Some(deposits), SetKind::Note) => deposits.notes,
        }
    }
}

/// Terms for the keys that a referee or an office holds (deposits 1, office 1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deposits {
    /// The public key to which deposits are wrapped.
    pub key: Hex32,
    /// Whether the referee or the office also holds the keys of notes.
    pub notes: bool,
}

/// M, the secret of a set, encrypted with HPKE: encapsulated key and ciphertext (deposits 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrapped(pub [u8; WRAPPED]);

impl Serialize for Wrapped {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex::encode(self.0))
    }
}

impl<'de> Deserialize<'de> for Wrapped {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        let bytes = lower_hex(text.as_bytes()).map(Self);
        bytes.ok_or_else(|| de::Error::custom("must be 160 lower-case hexadecimal digits"))
    }
}

/// The body of a `deposit` message: the wrapped secret of a set (deposits 4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deposit {
    /// The deposit key of the referee or the office.
    pub key: Hex32,
    /// Id of the seal. It is not a link: a deposit is not a letter of the game.
    pub seal: Hex32,
    /// M, the secret of the set, wrapped to the deposit key (deposits 5).
    pub wrapped: Wrapped,
}

/// An opening by the referee's ruling (deposits 9).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// Keys of envelopes: (index, K).
    #[serde(deserialize_with = "at_most::<_, _, KEYS>")]
    pub keys: Vec<Key>,
    /// Id of the referee's earlier request, which the opening follows (ruling 9).
    pub request: Hex32,
    /// Keys of cells: (column, row, K).
    #[serde(deserialize_with = "at_most::<_, _, COLUMNS>")]
    pub sheets: Vec<CellKey>,
}
