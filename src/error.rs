//! Errors, classified by who is at fault. Each has a stable code: its class (`protocol/message.md` 11).

use std::fmt;

use crate::rule::Rule;

/// The closed list of refusal classes, in the order in which they are checked (message 11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Longer than the limit.
    Size,
    /// The blob's marks or base64 are damaged.
    Armour,
    /// The decoded bytes are not the four lines of a frame.
    Frame,
    /// The frame's key is not a canonical point of prime order.
    Key,
    /// The payload is not JSON of the accepted kind.
    Json,
    /// The payload is not in canonical encoding.
    Canonical,
    /// A field is missing, unknown, of the wrong type or out of range.
    Fields,
    /// The signature does not verify strictly.
    Signature,
    /// The key is not the charter's key for the author.
    Game,
    /// A link is broken, or two letters have the same number.
    Chain,
    /// A rule of the protocol or of a system is broken.
    Rule,
}

impl Class {
    /// Returns the name of the class in reports and vectors.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Armour => "armour",
            Self::Frame => "frame",
            Self::Key => "key",
            Self::Json => "json",
            Self::Canonical => "canonical",
            Self::Fields => "fields",
            Self::Signature => "signature",
            Self::Game => "game",
            Self::Chain => "chain",
            Self::Rule => "rule",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An error, with the party at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// Bytes that anyone could have made: refused, and nobody is blamed.
    Malformed {
        /// The first check that failed.
        class: Class,
        /// The fault, its place, and what to do.
        text: String,
    },
    /// A signed letter breaks a rule: its author is to blame.
    Violation {
        /// `Chain` or `Rule`.
        class: Class,
        /// The rule that the letter breaks.
        rule: Rule,
        /// A description of the fault.
        text: String,
    },
    /// Input that a resolver's rules do not allow. If it is in a signed letter, the author is to blame.
    Refused(String),
    /// A call that cannot be carried out: the caller is at fault.
    Misuse(String),
}

impl Error {
    /// Creates a refusal of bytes.
    pub(crate) fn malformed(class: Class, text: impl Into<String>) -> Self {
        Self::Malformed { class, text: text.into() }
    }

    /// Creates a breach of a numbered rule, with class `rule`.
    pub(crate) fn breach(rule: Rule, text: impl Into<String>) -> Self {
        Self::Violation { class: Class::Rule, rule, text: text.into() }
    }

    /// Returns the broken rule, if the error is a breach.
    pub(crate) const fn rule(&self) -> Option<Rule> {
        match self {
            Self::Violation { rule, .. } => Some(*rule),
            _ => None,
        }
    }

    /// Returns the class of this error in vectors and `--json`.
    #[must_use]
    pub const fn class(&self) -> Class {
        match self {
            Self::Malformed { class, .. } | Self::Violation { class, .. } => *class,
            Self::Refused(_) | Self::Misuse(_) => Class::Rule,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { text, .. } | Self::Refused(text) | Self::Misuse(text) => f.write_str(text),
            Self::Violation { rule, text, .. } => write!(f, "{rule}: {text}"),
        }
    }
}

impl std::error::Error for Error {}

/// A result with the crate's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Returns a breach of a rule from the enclosing function unless a condition holds. The text takes the arguments of
/// `format!`.
macro_rules! ensure {
    ($holds:expr, $rule:expr, $($words:tt)+) => {{
        let holds: bool = $holds;
        if !holds {
            return Err($crate::error::Error::breach($rule, format!($($words)+)));
        }
    }};
}

/// Returns a breach of a rule from the enclosing function.
macro_rules! bail {
    ($rule:expr, $($words:tt)+) => {
        return Err($crate::error::Error::breach($rule, format!($($words)+)))
    };
}

pub(crate) use {bail, ensure};
