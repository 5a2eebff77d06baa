//! Hex grammars: how hexes are written, ordered, and looked up in a chart (`protocol/coin-envelopes.md` 1, 2).

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// How a map names its hexes.
///
/// # Examples
///
/// ```
/// use sealed_dice::resolve::coin_envelopes::hexes::{DoubleLetters, Grammar};
///
/// let hex = Grammar::Letters.parse("i-11.", DoubleLetters::Doubled)?;
/// assert_eq!((hex.as_str(), hex.row(), hex.number()), ("I11", 9, 11));
/// assert_eq!(Grammar::of("A43.01", DoubleLetters::Doubled), Some(Grammar::MapNumeric));
/// # Ok::<(), sealed_dice::error::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grammar {
    /// `F12`: the letters are the row.
    Letters,
    /// `0824`: two pairs of digits.
    Numeric4,
    /// `A43.01`: a map's letter and two pairs of digits.
    MapNumeric,
}

/// What two letters mean as a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DoubleLetters {
    /// AA follows Z, then BB: the same letter twice.
    Doubled,
    /// AA follows Z, then AB.
    Spreadsheet,
}

/// A hex. Hexes sort as on the worksheet: numbers compare as numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hex {
    map: Option<char>,
    row: u64,
    number: u64,
    label: String,
    text: String,
}

impl Hex {
    /// Row in the chart: the rank of the letters, or the first two digits.
    #[must_use]
    pub const fn row(&self) -> u64 {
        self.row
    }

    /// The number within the row.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// Column in the chart: the last digit of the number.
    #[must_use]
    pub const fn last_digit(&self) -> u64 {
        self.number % 10
    }

    /// Label of the hex's row in a user's chart: letters, or two digits.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The canonical text of the hex.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl Grammar {
    /// Every grammar, in order.
    pub const ALL: [Self; 3] = [Self::Letters, Self::Numeric4, Self::MapNumeric];

    /// Name of the grammar in the terms.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Letters => "letters",
            Self::Numeric4 => "numeric4",
            Self::MapNumeric => "mapnumeric",
        }
    }

    /// An example of a hex.
    #[must_use]
    pub const fn example(self) -> &'static str {
        match self {
            Self::Letters => "F12",
            Self::Numeric4 => "0824",
            Self::MapNumeric => "A43.01",
        }
    }

    /// A second example, next to the first hex.
    #[must_use]
    pub const fn second(self) -> &'static str {
        match self {
            Self::Letters => "F13",
            Self::Numeric4 => "0825",
            Self::MapNumeric => "A43.02",
        }
    }

    /// Returns the only grammar in which this text is a hex.
    #[must_use]
    pub fn of(hex: &str, letters: DoubleLetters) -> Option<Self> {
        Self::ALL.into_iter().find(|grammar| grammar.parse(hex, letters).is_ok())
    }

    /// Parses a hex as people write it.
    ///
    /// # Errors
    /// [`Error::Refused`] with the form that the grammar expects.
    pub fn parse(self, written: &str, letters: DoubleLetters) -> Result<Hex> {
        let text = written.trim_matches(' ').trim_end_matches(['.', ' ']).to_ascii_uppercase();
        let hex = match self {
            Self::Letters => lettered(&text, letters),
            Self::Numeric4 => numeric(&text),
            Self::MapNumeric => mapped(&text),
        };
        hex.ok_or_else(|| {
            let form = match (self, letters) {
                (Self::Letters, DoubleLetters::Doubled) => {
                    "one letter, or the same letter twice, followed by a number, like F12 or AA7"
                }
                (Self::Letters, DoubleLetters::Spreadsheet) => {
                    "one or two letters followed by a number, like F12 or AB7"
                }
                (Self::Numeric4, _) => "four digits, like 0824",
                (Self::MapNumeric, _) => "the map's letter and two pairs of digits, like A43.01",
            };
            Error::Refused(format!(
                "{written:?} is not a hex on this map. A hex must be {form} (grammar {}); join several hexes of an \
                 attack with +",
                self.name()
            ))
        })
    }
}

fn lettered(text: &str, letters: DoubleLetters) -> Option<Hex> {
    let label: String = text.chars().take_while(char::is_ascii_uppercase).collect();
    let rest = text.get(label.len()..)?;
    let digits = rest.strip_prefix('-').unwrap_or_else(|| rest.trim_start_matches(' '));
    let row = match (label.as_bytes(), letters) {
        ([a], _) => rank(*a),
        ([a, b], DoubleLetters::Doubled) if a == b => 26 + rank(*a),
        ([a, b], DoubleLetters::Spreadsheet) => 26 * rank(*a) + rank(*b),
        _ => return None,
    };
    let number = digits_of(digits, 1..=3)?;
    Some(Hex { map: None, row, number, text: format!("{label}{number}"), label })
}

fn numeric(text: &str) -> Option<Hex> {
    let (first, second) = match text.split_once(['.', '-', ' ']) {
        Some((first, second)) => (digits_of(first, 1..=2)?, digits_of(second, 2..=2)?),
        None => {
            let all = digits_of(text, 3..=4)?;
            (all / 100, all % 100)
        }
    };
    Some(Hex {
        map: None,
        row: first,
        number: second,
        label: format!("{first:02}"),
        text: format!("{first:02}{second:02}"),
    })
}

fn mapped(text: &str) -> Option<Hex> {
    let map = text.chars().next().filter(char::is_ascii_uppercase)?;
    let (first, rest) = (text.get(1..3)?, text.get(3..)?);
    let (first, second) =
        (digits_of(first, 2..=2)?, digits_of(rest.strip_prefix(['.', '-', ' ']).unwrap_or(rest), 2..=2)?);
    Some(Hex {
        map: Some(map),
        row: first,
        number: second,
        label: format!("{first:02}"),
        text: format!("{map}{first:02}.{second:02}"),
    })
}

fn rank(letter: u8) -> u64 {
    u64::from(letter - b'A') + 1
}

fn digits_of(text: &str, length: std::ops::RangeInclusive<usize>) -> Option<u64> {
    let digits = length.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}
