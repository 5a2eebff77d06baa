//! Hexes, names and numbers in inputs and sheets (`protocol/ndc.md` 2).

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Which columns of the map are half a hex lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Low {
    Even,
    Odd,
}

/// A hex: column and row, 1 to 99 each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Hex {
    pub(super) column: u8,
    pub(super) row: u8,
}

impl Hex {
    fn parse(text: &str) -> Option<Self> {
        let digits = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
        let part = |part: Option<&str>| part?.parse().ok().filter(|part| *part > 0);
        let hex = Self { column: part(text.get(..2))?, row: part(text.get(2..))? };
        digits.then_some(hex)
    }

    /// Whether another hex is one of its six neighbours.
    pub(super) fn is_beside(self, other: Self, low: Low) -> bool {
        let (columns, rows) =
            (i16::from(other.column) - i16::from(self.column), i16::from(other.row) - i16::from(self.row));
        let is_low = (self.column % 2 == 1) == (low == Low::Odd);
        match columns {
            0 => rows.abs() == 1,
            -1 | 1 if is_low => (0..=1).contains(&rows),
            -1 | 1 => (-1..=0).contains(&rows),
            _ => false,
        }
    }

    /// Whether any of these hexes is its neighbour.
    pub(super) fn is_beside_any<'h>(self, others: impl IntoIterator<Item = &'h Self>, low: Low) -> bool {
        others.into_iter().any(|other| self.is_beside(*other, low))
    }
}

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}{:02}", self.column, self.row)
    }
}

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        Self::parse(text).ok_or_else(|| {
            de::Error::custom(format!("{text:?} is not a hex: write column and row, 01 to 99, such as 0824 (ndc 2)"))
        })
    }
}

/// Lists items for people.
pub(super) fn list<T: fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    if items.is_empty() { "none".into() } else { items.join(", ") }
}

/// Whether hexes are a formation: one to three different hexes, each next to another.
pub(super) fn hangs_together(hexes: &[Hex], low: Low) -> bool {
    let beside = |(i, hex): (usize, &Hex)| {
        let others = hexes.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, other)| other);
        hexes.len() == 1 || (others.clone().all(|other| other != hex) && hex.is_beside_any(others, low))
    };
    (1..=3).contains(&hexes.len()) && hexes.iter().enumerate().all(beside)
}

/// The name of a unit, sector, mode or row of terrain.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(super) struct Name(String);

impl Name {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"./_-".contains(&byte));
        ((1..=32).contains(&text.len()) && plain).then(|| Self(text.to_owned()))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        Self::parse(text).ok_or_else(|| {
            de::Error::custom(format!("{text:?} is not a name: use 1 to 32 letters, digits and . / _ - (ndc 2)"))
        })
    }
}

/// An integer within bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Int<const LOW: i64, const HIGH: i64>(pub(super) i64);

/// The default range of integers.
pub(super) type Plain = Int<0, 999>;

impl<'de, const LOW: i64, const HIGH: i64> Deserialize<'de> for Int<LOW, HIGH> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = i64::deserialize(deserializer)?;
        match (LOW..=HIGH).contains(&value) {
            true => Ok(Self(value)),
            false => Err(de::Error::custom(format!("{value} is out of range: use {LOW} to {HIGH}"))),
        }
    }
}

/// Whether a list is strictly ascending, as sets must be.
pub(super) fn ascending<T: Ord>(items: &[T]) -> bool {
    items.windows(2).all(|pair| matches!(pair, [a, b] if a < b))
}
