//! Bodies about an office, and confirmations by the office and the referee: its terms, `receipt`
//! (`protocol/office.md`). Fields are in the order of the canonical encoding.

use serde::{Deserialize, Serialize};

use super::{
    body::{Hex32, Kind, Kinds, at_most, one, within},
    json::ascending,
};
use crate::limits::{LIST, MOMENT};

/// The body of a `receipt` letter from the office or the referee (office 33).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Receipt {
    /// The author holds the keys of these seals.
    Deposit(Seals),
    /// The office was restored: a new epoch begins.
    Epoch(Moment),
    /// These sets go back to their sealers.
    HandBack(Seals),
    /// The time on the office's clock.
    Time(Moment),
}

/// The seals that a receipt concerns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seals {
    /// Ids of the seals, ascending.
    #[serde(deserialize_with = "at_most::<_, _, LIST>")]
    pub seals: Vec<Hex32>,
}

/// The time at which a receipt was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moment {
    /// Seconds since 1970-01-01 00:00 UTC, by the office's clock.
    #[serde(deserialize_with = "within::<_, 0, MOMENT>")]
    pub at: u64,
}

impl Receipt {
    /// Returns the seals that the receipt concerns.
    #[must_use]
    pub fn seals(&self) -> &[Hex32] {
        match self {
            Self::Deposit(about) | Self::HandBack(about) => &about.seals,
            Self::Epoch(_) | Self::Time(_) => &[],
        }
    }

    /// Returns the time on the office's clock, if the receipt reports it.
    #[must_use]
    pub const fn at(&self) -> Option<u64> {
        match self {
            Self::Epoch(moment) | Self::Time(moment) => Some(moment.at),
            Self::Deposit(_) | Self::HandBack(_) => None,
        }
    }

    /// Checks the limits that the types cannot express (class `fields`).
    pub(super) fn check(&self) -> Result<(), &'static str> {
        let fits = self.at().is_some() || !self.seals().is_empty() && ascending(self.seals());
        fits.then_some(()).ok_or("seals: the list must be strictly ascending, with at least one item")
    }

    /// Returns the letters that the receipt names.
    pub(super) fn names(&self) -> Vec<(Hex32, Kinds)> {
        self.seals().iter().map(|seal| (*seal, one(&Kind::Seal))).collect()
    }
}
