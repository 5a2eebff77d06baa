//! The hex value chart: the house chart with its formula, or the players' own chart (`protocol/coin-envelopes.md` 3).

use std::collections::BTreeMap;

use serde::Deserialize;

use super::hexes::Hex;
use crate::{
    blob::json::{self, Value},
    error::{Error, Result},
    limits::CHART_ROWS,
};

/// A hex value chart, which gives each hex its value.
///
/// # Examples
///
/// The house chart has a formula; a player's chart has rows:
///
/// ```
/// use sealed_dice::{
///     blob::json::Value,
///     resolve::coin_envelopes::{chart::Chart, hexes::{DoubleLetters, Grammar}},
/// };
///
/// let hex = Grammar::Letters.parse("F12", DoubleLetters::Doubled)?;
/// assert_eq!(Chart::House.value(&hex)?, 7);
///
/// let rows = Value::from_iter([("F", vec![10, 11, 12, 13, 14, 15, 16, 17, 18, 19])]);
/// let chart = Chart::from_table(&Value::from_iter([("rows", rows)]))?;
/// assert_eq!(chart.value(&hex)?, 12); // row F, last digit 2
/// # Ok::<(), sealed_dice::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chart {
    /// The formula in coin-envelopes 3, which a player can compute by hand.
    House,
    /// Rows of ten values, by label.
    Table(BTreeMap<String, [u64; 10]>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    rows: BTreeMap<String, [u64; 10]>,
}

impl Chart {
    /// Reads the table `hex-chart`.
    ///
    /// # Errors
    /// [`Error::Refused`] with the wrong row.
    pub fn from_table(table: &Value) -> Result<Self> {
        let table: Table =
            json::read_value(table).map_err(|error| Error::Refused(format!("the table hex-chart: {error}")))?;
        if table.rows.len() > CHART_ROWS {
            return Err(Error::Refused(format!("the table hex-chart must have at most {CHART_ROWS} rows")));
        }
        for (label, row) in &table.rows {
            if let Some(value) = row.iter().find(|value| **value > 99) {
                return Err(Error::Refused(format!(
                    "the table hex-chart, row {label}: a value must be 0 to 99, not {value}"
                )));
            }
        }
        Ok(Self::Table(table.rows))
    }

    /// Returns the value of a hex.
    ///
    /// # Errors
    /// [`Error::Refused`] if the chart has no row for it.
    pub fn value(&self, hex: &Hex) -> Result<u64> {
        match self {
            Self::House => Ok(1 + ((hex.row() + 4).pow(2) + 7 * hex.last_digit() + 2) % 10),
            Self::Table(rows) => {
                rows.get(hex.label()).and_then(|row| row.get(hex.last_digit() as usize)).copied().ok_or_else(|| {
                    Error::Refused(format!(
                        "the chart lacks row {} for {}; add it or correct the hex",
                        hex.label(),
                        hex.as_str()
                    ))
                })
            }
        }
    }
}
