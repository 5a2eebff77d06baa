//! Names, words, texts and types of a table file (`protocol/event-tables.md` 1).

use serde::{Deserialize, Deserializer, de};

use crate::{blob::json::Value, resolve::values::is_unseen};

/// The largest number that a type, a mark or a decimal in a condition has.
pub(super) const NUMBER: u64 = 9_999;

fn is_word(text: &str, first: impl Fn(u8) -> bool) -> bool {
    let mut bytes = text.bytes();
    let begins = bytes.next().is_some_and(first);
    begins && text.len() <= 32 && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Whether a text is a name.
pub(super) fn is_name(text: &str) -> bool {
    is_word(text, |byte| byte.is_ascii_lowercase()) && !text.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Whether a text is one of 1 to 500 characters that can be shown.
pub(super) fn is_text(text: &str) -> bool {
    (1..=500).contains(&text.chars().count()) && !text.chars().any(is_unseen)
}

/// Whether a character is a loose mark (14): an accent, a Korean letter or a Japanese voicing mark that is written as
/// one character with what it belongs to. So a name has one spelling, whichever version of Unicode a checker knows.
pub(super) const fn is_loose(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1100}'..='\u{11ff}' | '\u{3099}'..='\u{309a}')
}

/// Whether a text can be the name of an entry of the roster (14).
pub(super) fn is_entry(text: &str) -> bool {
    let blank = text.starts_with(' ') || text.ends_with(' ');
    (1..=64).contains(&text.len()) && !blank && !text.chars().any(|c| is_unseen(c) || is_loose(c))
}

/// A decimal without zeros in front, up to a largest one.
pub(super) fn decimal(text: &str, most: u64) -> Option<u64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|number| plain && *number <= most)
}

/// What values a setting, a fact or an attribute has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Bool,
    Number { low: u64, high: u64 },
    Words(Vec<String>),
}

/// Of `turn`, `day`, marks, and dice without words.
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

    /// Two to 64 different words.
    pub(super) fn words(text: &str) -> Option<Self> {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        let good = |(i, word): (usize, &String)| {
            is_word(word, |byte| byte.is_ascii_alphabetic())
                && word != "bool"
                && !words.iter().take(i).any(|w| w == word)
        };
        ((2..=64).contains(&words.len()) && words.iter().enumerate().all(good)).then_some(Self::Words(words))
    }

    /// A value of the type, if it is one.
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

    /// An example of a value, for a setting without a pre-fill: no, the largest number, the first word.
    pub(super) fn fallback(&self) -> Value {
        match self {
            Self::Bool => false.into(),
            Self::Number { high, .. } => (*high).into(),
            Self::Words(words) => words.first().cloned().into(),
        }
    }

    /// The highest number of a value.
    pub(super) fn highest(&self) -> u64 {
        match self {
            Self::Bool => 1,
            Self::Number { high, .. } => *high,
            Self::Words(words) => words.len().saturating_sub(1) as u64,
        }
    }

    /// The values of the type, in words for people.
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
            de::Error::custom(format!("{text:?} is no type (event-tables 1): {wanted}"))
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
    /// A word with its place.
    pub(super) fn word(words: &[String], word: &str) -> Option<Self> {
        let place = words.iter().position(|other| other == word)? as u64;
        Some(Self::Word { word: word.to_owned(), place })
    }

    /// As a number: a bool counts 1 or 0, a word its place.
    pub(super) const fn number(&self) -> u64 {
        match self {
            Self::Bool(value) => *value as u64,
            Self::Number(number) => *number,
            Self::Word { place, .. } => *place,
        }
    }
}
