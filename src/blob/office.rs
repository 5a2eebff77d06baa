//! What letters say of an office, and what it and a referee confirm: its terms, `receipt` (`protocol/office.md`).
//! Fields stand in the order of the canonical encoding.

use serde::{Deserialize, Serialize};

use super::{
    body::{Hex32, Kind, Kinds, at_most, one, within},
    json::ascending,
};
use crate::limits::{LIST, MOMENT};

/// `receipt` (office 33).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Receipt {
    /// The keys of these seals are held.
    Deposit(Seals),
    /// The office was restored: a new epoch begins.
    Epoch(Moment),
    /// These sets go back to their sealers.
    HandBack(Seals),
    /// What the office's clock shows.
    Time(Moment),
}

/// Seals that a receipt is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seals {
    /// Their ids, ascending.
    #[serde(deserialize_with = "at_most::<_, _, LIST>")]
    pub seals: Vec<Hex32>,
}

/// When a receipt was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moment {
    /// Seconds since 1970-01-01 00:00 UTC, by the office's clock.
    #[serde(deserialize_with = "within::<_, 0, MOMENT>")]
    pub at: u64,
}

impl Receipt {
    /// The seals that it is about.
    #[must_use]
    pub fn seals(&self) -> &[Hex32] {
        match self {
            Self::Deposit(about) | Self::HandBack(about) => &about.seals,
            Self::Epoch(_) | Self::Time(_) => &[],
        }
    }

    /// What the office's clock showed, if it says that.
    #[must_use]
    pub const fn at(&self) -> Option<u64> {
        match self {
            Self::Epoch(moment) | Self::Time(moment) => Some(moment.at),
            Self::Deposit(_) | Self::HandBack(_) => None,
        }
    }

    /// What the types do not say (class `fields`).
    pub(super) fn check(&self) -> Result<(), &'static str> {
        let fits = self.at().is_some() || !self.seals().is_empty() && ascending(self.seals());
        fits.then_some(()).ok_or("seals: the list is empty, or not strictly ascending")
    }

    /// The letters that it names.
    pub(super) fn names(&self) -> Vec<(Hex32, Kinds)> {
        self.seals().iter().map(|seal| (*seal, one(&Kind::Seal))).collect()
    }
}
