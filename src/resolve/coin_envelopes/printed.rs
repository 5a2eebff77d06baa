//! The machine-readable form of a worksheet.

use serde::Serialize;

use super::worksheet::{Line, Worksheet};

/// A worksheet as `select --json` prints it.
#[derive(Serialize)]
pub struct Printed<'a> {
    envelopes: u64,
    total: u64,
    index: Option<u64>,
    attacks: Vec<PrintedLine<'a>>,
    opened: &'a [u64],
    returned: &'a [u64],
}

#[derive(Serialize)]
struct PrintedLine<'a> {
    id: &'a str,
    hexes: &'a [String],
    value: u64,
    odds: &'a str,
    multiplier: u64,
    product: u64,
    envelope: u64,
    row: u64,
    rank: u64,
}

impl<'a> Printed<'a> {
    /// Creates the printed form of a worksheet for a set of `envelopes` envelopes.
    ///
    /// # Examples
    ///
    /// ```
    /// use sealed_dice::{blob::json, resolve::coin_envelopes::{CoinEnvelopes, Printed, chart::Chart, hexes}};
    ///
    /// let (grammar, letters) = (hexes::Grammar::Letters, hexes::DoubleLetters::Doubled);
    /// let empty = CoinEnvelopes::for_select(2, grammar, letters, Chart::House)?.worksheet(&[])?;
    /// let printed = json::to_value(&Printed::of(2, &empty))?;
    /// assert_eq!(printed["returned"].to_string(), "[0,1]");
    /// # Ok::<(), sealed_dice::error::Error>(())
    /// ```
    #[must_use]
    pub fn of(envelopes: u64, worksheet: &'a Worksheet) -> Self {
        let line = |line: &'a Line| PrintedLine {
            id: &line.id,
            hexes: &line.hexes,
            value: line.value,
            odds: &line.odds,
            multiplier: line.multiplier,
            product: line.product,
            envelope: line.place.index,
            row: line.place.line,
            rank: line.rank,
        };
        Self {
            envelopes,
            total: worksheet.total,
            index: worksheet.index,
            attacks: worksheet.lines.iter().map(line).collect(),
            opened: &worksheet.opened,
            returned: &worksheet.returned,
        }
    }
}
