//! What letters say of keys that a referee holds: the terms for them, `deposit`, and the ruling that opens
//! (`protocol/deposits.md`). Fields stand in the order of the canonical encoding.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::body::{CellKey, Hex32, Key, Role, SetKind, at_most, lower_hex, nullable, text};
use crate::{
    limits::{COLUMNS, KEYS},
    primitive::wrap::WRAPPED,
};

/// A third party, as the charter names it: its referee, or its office.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Third {
    /// What it holds; none, if it holds no keys. Such an office is a time witness (office 34).
    #[serde(deserialize_with = "nullable")]
    pub deposit: Option<Deposits>,
    /// Public signing key.
    pub key: Hex32,
    /// What people call it.
    #[serde(deserialize_with = "text::<_, 1, 80>")]
    pub name: String,
    /// The name by which it signs.
    pub role: Role,
}

impl Third {
    /// Whether this third party is the fallback of sets of a kind (deposits 3).
    #[must_use]
    pub const fn is_fallback_of(&self, kind: SetKind) -> bool {
        match (&self.deposit, kind) {
            (None, _) | (Some(_), SetKind::Contribution) => false,
            (Some(_), SetKind::Coin | SetKind::Sheet | SetKind::Plain | SetKind::FoulUp) => true,
            (Some(deposits), SetKind::Note) => deposits.notes,
        }
    }
}

/// What a referee or an office holds (deposits 1, office 1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deposits {
    /// The public key that deposits are wrapped to.
    pub key: Hex32,
    /// Whether the referee or the office holds the keys of notes too.
    pub notes: bool,
}

/// M of a set under HPKE: encapsulated key and ciphertext (deposits 5).
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
        bytes.ok_or_else(|| de::Error::custom("not 160 lower-case hexadecimal digits"))
    }
}

/// `deposit` (deposits 4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deposit {
    /// The deposit key of the referee or the office.
    pub key: Hex32,
    /// Id of the seal. It names nothing: a deposit is no letter of the game.
    pub seal: Hex32,
    /// M, the secret of the set, wrapped to the deposit key (deposits 5).
    pub wrapped: Wrapped,
}

/// What a referee opens by ruling (deposits 9).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// (index, K) of envelopes.
    #[serde(deserialize_with = "at_most::<_, _, KEYS>")]
    pub keys: Vec<Key>,
    /// Id of the referee's earlier request, which the opening follows (ruling 9).
    pub request: Hex32,
    /// (column, row, K) of cells.
    #[serde(deserialize_with = "at_most::<_, _, COLUMNS>")]
    pub sheets: Vec<CellKey>,
}
