//! Units, forces and seasons (`protocol/cil.md` 3).

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Deserializer, Serialize, de};

use super::place::Location;

/// The name of a unit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(super) struct Id(String);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        match (1..=32).contains(&text.len()) && plain {
            true => Ok(Self(text.to_owned())),
            false => Err(de::Error::custom(format!(
                "{text:?} is not a unit's id: use 1 to 32 letters, digits and hyphens (cil 3)"
            ))),
        }
    }
}

impl Id {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The kind of a unit, for the table of mixed forces.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(super) struct Kind(String);

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        let begins = text.starts_with(|c: char| c.is_ascii_lowercase());
        let plain = text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        match text.len() <= 32 && begins && plain {
            true => Ok(Self(text.to_owned())),
            false => Err(de::Error::custom(format!(
                "{text:?} is not a kind of unit: use up to 32 lowercase letters, digits and hyphens, \
                 and begin with a letter (cil 3)"
            ))),
        }
    }
}

impl Kind {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// A unit in a force (3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Unit {
    pub(super) at: Location,
    pub(super) attack: u64,
    pub(super) defense: u64,
    pub(super) effectiveness: u64,
    pub(super) id: Id,
    pub(super) kind: Kind,
    /// The strength left. A unit with strength 0 is removed.
    pub(super) strength: u64,
}

impl Unit {
    pub(super) const fn lives(&self) -> bool {
        self.strength > 0
    }
}

/// A side's units, in the order of its roster.
pub(super) type Force = Vec<Unit>;

/// Casualties by unit, each above 0.
pub(super) type Casualties = BTreeMap<Id, u64>;

/// The season of a battle, which sets the length of its days.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Season {
    Spring,
    Summer,
    Fall,
    Winter,
}

impl Season {
    /// All seasons, in the order of the year.
    pub(super) const ALL: [Self; 4] = [Self::Spring, Self::Summer, Self::Fall, Self::Winter];

    /// The number of engagements in a day.
    pub(super) const fn engagements(self) -> u64 {
        match self {
            Self::Summer => 5,
            Self::Spring | Self::Fall => 4,
            Self::Winter => 3,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Spring => "spring",
            Self::Summer => "summer",
            Self::Fall => "fall",
            Self::Winter => "winter",
        }
    }
}
