//! Names, words, texts and types in a table file (`protocol/event-tables.md` 1).

use serde::{Deserialize, Deserializer, de};

use crate::{blob::json::Value, resolve::values::is_unseen};

/// Largest number for a type, a mark or a decimal in a condition.
pub(super) const NUMBER: u64 = 9_999;

fn is_word(text: &str, first: impl Fn(u8) -> bool) -> bool {
    let mut bytes = text.bytes();
    let begins = bytes.next().is_some_and(first);
    begins && text.len() <= 32 && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Returns whether a text is a name.
pub(super) fn is_name(text: &str) -> bool {
    is_word(text, |byte| byte.is_ascii_lowercase()) && !text.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Returns whether a text has 1 to 500 characters, all visible.
pub(super) fn is_text(text: &str) -> bool {
    (1..=500).contains(&text.chars().count()) && !text.chars().any(is_unseen)
}

/// Returns whether a character is a loose mark (14): an accent, a Korean letter or a Japanese voicing mark that names
/// must write as one character with its base. Therefore a name has one spelling in every version of Unicode.
pub(super) const fn is_loose(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1100}'..='\u{11ff}' | '\u{3099}'..='\u{309a}')
}

/// Returns whether a text can be the name of an entry in the roster (14).
pub(super) fn is_entry(text: &str) -> bool {
    let blank = text.starts_with(' ') || text.ends_with(' ');
    (1..=64).contains(&text.len()) && !blank && !text.chars().any(|c| is_unseen(c) || is_loose(c))
}

/// Parses a decimal without leading zeros, up to a maximum.
pub(super) fn decimal(text: &str, most: u64) -> Option<u64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|number| plain && *number <= most)
}

/// The values that a setting, a fact or an attribute can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Bool,
    Number { low: u64, high: u64 },
    Words(Vec<String>),
}

/// Type of `turn`, `day`, marks, and dice without words.
pub(super) static NUMBERS: Type = Type::Number { low: 0, high: NUMBER };

impl Type {
    fn parse(text: &str) -> Option<Self> {
        if text == "bool" {
            return Some(Self::Bool);
        }
        if let Some((low, high)) = text.split_once("..") {
            let (low, high) = (decimal(low, NUMBER)?, decimal(high, NUMBER)?);
            return (low <= high).then_some(Self::Number { low, high });
        }
        Self::words(text)
    }

    /// Parses two to 64 different words.
    pub(super) fn words(text: &str) -> Option<Self> {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        let good = |(i, word): (usize, &String)| {
            is_word(word, |byte| byte.is_ascii_alphabetic())
                && word != "bool"
                && !words.iter().take(i).any(|w| w == word)
        };
        ((2..=64).contains(&words.len()) && words.iter().enumerate().all(good)).then_some(Self::Words(words))
    }

    /// Converts a JSON value to a value of this type; `None` if it does not fit.
    pub(super) fn value(&self, value: &Value) -> Option<Known> {
        match (self, value) {
            (Self::Bool, Value::Bool(value)) => Some(Known::Bool(*value)),
            (Self::Number { low, high }, Value::Number(number)) => {
                let number = number.as_u64().filter(|number| (*low..=*high).contains(number))?;
                Some(Known::Number(number))
            }
            (Self::Words(words), Value::String(word)) => Known::word(words, word),
            _ => None,
        }
    }

    /// Returns an example for a setting without a default: `false`, the largest number, or the first word.
    pub(super) fn fallback(&self) -> Value {
        match self {
            Self::Bool => false.into(),
            Self::Number { high, .. } => (*high).into(),
            Self::Words(words) => words.first().cloned().into(),
        }
    }

    /// Returns the highest value as a number.
    pub(super) fn highest(&self) -> u64 {
        match self {
            Self::Bool => 1,
            Self::Number { high, .. } => *high,
            Self::Words(words) => words.len().saturating_sub(1) as u64,
        }
    }

    /// Describes the values of the type for people.
    pub(super) fn tell(&self) -> String {
        match self {
            Self::Bool => "true or false".into(),
            Self::Number { low, high } => format!("{low} to {high}"),
            Self::Words(words) => words.join(", "),
        }
    }
}

impl<'de> Deserialize<'de> for Type {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        Self::parse(text).ok_or_else(|| {
            let wanted = "bool, LOW..HIGH within 0..9999, or two or more different words";
            de::Error::custom(format!("{text:?} is not a type; use {wanted} (event-tables 1)"))
        })
    }
}

/// A value that a condition can look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Bool(bool),
    Number(u64),
    Word { word: String, place: u64 },
}

impl Known {
    /// Returns a word with its index.
    pub(super) fn word(words: &[String], word: &str) -> Option<Self> {
        let place = words.iter().position(|other| other == word)? as u64;
        Some(Self::Word { word: word.to_owned(), place })
    }

    /// Returns the value as a number: 1 or 0 for a bool, the index for a word.
    pub(super) const fn number(&self) -> u64 {
        match self {
            Self::Bool(value) => *value as u64,
            Self::Number(number) => *number,
            Self::Word { place, .. } => *place,
        }
    }
}
