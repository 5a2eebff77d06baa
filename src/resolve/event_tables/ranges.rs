//! Dice, and ranges of their values (`protocol/event-tables.md` 5).

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de};

use super::words::decimal;
use crate::error::{Error, Result};

/// Dice that are thrown together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::resolve) enum Dice {
    /// One d6 for the tens, one d6 for the units.
    D66,
    /// The sum of `count` dice with `sides` sides each.
    Sum { count: u64, sides: u64 },
}

impl Dice {
    pub(in crate::resolve) fn parse(text: &str) -> Option<Self> {
        if text == "d66" {
            return Some(Self::D66);
        }
        let (count, sides) = text.split_once('d')?;
        let count = if count.is_empty() { 1 } else { decimal(count, 9)? };
        let sides = decimal(sides, 1000)?;
        (count >= 1 && sides >= 2).then_some(Self::Sum { count, sides })
    }

    /// Throws the dice, and returns each result and the value.
    ///
    /// # Errors
    /// The errors of the source of the draws.
    pub(in crate::resolve) fn throw(self, mut draw: impl FnMut(u64) -> Result<u64>) -> Result<(Vec<u64>, u64)> {
        match self {
            Self::D66 => {
                let (tens, units) = (draw(6)?, draw(6)?);
                Ok((vec![tens, units], 10 * tens + units))
            }
            Self::Sum { count, sides } => {
                let dice = (0..count).map(|_| draw(sides)).collect::<Result<Vec<u64>>>()?;
                let sum = dice.iter().sum();
                Ok((dice, sum))
            }
        }
    }

    /// Number of dice.
    pub(super) const fn count(self) -> u64 {
        match self {
            Self::D66 => 2,
            Self::Sum { count, .. } => count,
        }
    }

    /// Returns all possible values, ascending.
    pub(super) fn values(self) -> Vec<u64> {
        match self {
            Self::D66 => (1..=6).flat_map(|tens| (1..=6).map(move |units| 10 * tens + units)).collect(),
            Self::Sum { count, sides } => (count..=count * sides).collect(),
        }
    }

    /// Returns a value moved by modifiers, within the range of the dice.
    pub(super) fn moved(self, value: u64, by: i64) -> u64 {
        match self {
            Self::D66 => value,
            Self::Sum { count, sides } => value.saturating_add_signed(by).clamp(count, count * sides),
        }
    }

    /// Formats the dice as people write them, such as `d66` or `2d6`.
    pub(super) fn tell(self) -> String {
        match self {
            Self::D66 => "d66".into(),
            Self::Sum { count: 1, sides } => format!("d{sides}"),
            Self::Sum { count, sides } => format!("{count}d{sides}"),
        }
    }
}

impl<'de> Deserialize<'de> for Dice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        let wanted = "d66, or a number of dice and their sides, such as 2d6 or d100";
        Self::parse(text)
            .ok_or_else(|| de::Error::custom(format!("{text:?} is not dice; use {wanted} (event-tables 5)")))
    }
}

/// A row: its range as written, and its content.
#[derive(Clone, Debug)]
pub(in crate::resolve) struct Row<T> {
    pub(in crate::resolve) range: String,
    low: u64,
    /// `None` if the range is open-ended.
    high: Option<u64>,
    pub(in crate::resolve) has: T,
}

impl<T> Row<T> {
    /// Creates the only row of a table without dice.
    pub(in crate::resolve) const fn all(range: String, has: T) -> Self {
        Self { range, low: 0, high: None, has }
    }

    fn covers(&self, value: u64) -> bool {
        self.low <= value && self.high.is_none_or(|high| value <= high)
    }
}

/// Returns the row for a value, with its index.
pub(in crate::resolve) fn row<T>(rows: &[Row<T>], value: u64) -> Option<(usize, &Row<T>)> {
    rows.iter().enumerate().find(|(_, row)| row.covers(value))
}

/// Parses rows for dice. Each value must be in exactly one row.
///
/// # Errors
/// [`Error::Refused`] with the row or the value.
pub(in crate::resolve) fn of_dice<T>(rows: BTreeMap<String, T>, dice: Dice) -> Result<Vec<Row<T>>> {
    let values = dice.values();
    let bound = |text: &str| decimal(text, NUMBERS).filter(|value| values.binary_search(value).is_ok());
    let rows = sorted(rows, |range| {
        let Some((low, high)) = range.split_once('-') else { return bound(range).map(|one| (one, Some(one))) };
        let (low, high) = (bound(low)?, bound(high)?);
        (low < high).then_some((low, Some(high)))
    })?;
    match values.iter().find(|value| row(&rows, **value).is_none()) {
        Some(value) => Err(Error::Refused(format!("rows: no row covers {value}; add it"))),
        None => Ok(rows),
    }
}

/// Parses rows for a number. Each number from 0 must be in exactly one row, and the last row is open-ended.
///
/// # Errors
/// The errors of [`of_dice`].
pub(super) fn of_numbers<T>(rows: BTreeMap<String, T>) -> Result<Vec<Row<T>>> {
    let rows = sorted(rows, |range| {
        if let Some(low) = range.strip_suffix('+') {
            return decimal(low, NUMBERS).map(|low| (low, None));
        }
        let Some((low, high)) = range.split_once('-') else {
            return decimal(range, NUMBERS).map(|one| (one, Some(one)));
        };
        let (low, high) = (decimal(low, NUMBERS)?, decimal(high, NUMBERS)?);
        (low < high).then_some((low, Some(high)))
    })?;
    let mut next = Some(0);
    for row in &rows {
        if next != Some(row.low) {
            return Err(Error::Refused(format!("rows: no row covers {}; add it", next.unwrap_or_default())));
        }
        next = row.high.map(|high| high + 1);
    }
    match next {
        Some(next) => Err(Error::Refused(format!("rows: the last row must be open-ended, like {next}+"))),
        None => Ok(rows),
    }
}

const NUMBERS: u64 = 9_999;

fn sorted<T>(rows: BTreeMap<String, T>, read: impl Fn(&str) -> Option<(u64, Option<u64>)>) -> Result<Vec<Row<T>>> {
    let mut all: Vec<Row<T>> = Vec::new();
    for (range, has) in rows {
        let (low, high) = read(&range)
            .ok_or_else(|| Error::Refused(format!("rows: {range}: this is not a range of values (event-tables 5)")))?;
        all.push(Row { range, low, high, has });
    }
    all.sort_by_key(|row| row.low);
    let twice = all.windows(2).find_map(|pair| match pair {
        [a, b] if a.covers(b.low) => Some(format!("rows: {} and {} both cover {}", a.range, b.range, b.low)),
        _ => None,
    });
    twice.map_or(Ok(all), |why| Err(Error::Refused(why)))
}
