//! Conditions (`protocol/event-tables.md` 6): terms that must all hold.

use std::fmt;

use serde::{Deserialize, Deserializer, de};

use super::words::{Known, NUMBER, Type, decimal, is_name};

/// A parsed condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Condition(Vec<Term>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Term {
    /// A name, and whether it must be true.
    Is(String, bool),
    Compared {
        left: String,
        op: Op,
        right: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Equal,
    Other,
    Less,
    AtMost,
    More,
    AtLeast,
}

impl Op {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "=" => Self::Equal,
            "!=" => Self::Other,
            "<" => Self::Less,
            "<=" => Self::AtMost,
            ">" => Self::More,
            ">=" => Self::AtLeast,
            _ => return None,
        })
    }

    const fn holds(self, left: u64, right: u64) -> bool {
        match self {
            Self::Equal => left == right,
            Self::Other => left != right,
            Self::Less => left < right,
            Self::AtMost => left <= right,
            Self::More => left > right,
            Self::AtLeast => left >= right,
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "is",
            Self::Other => "is not",
            Self::Less => "is less than",
            Self::AtMost => "is at most",
            Self::More => "is more than",
            Self::AtLeast => "is at least",
        })
    }
}

impl fmt::Display for Condition {
    /// Writes a condition for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |name: &str| name.replace(['_', '-'], " ").replace('.', "'s ");
        let told = self.0.iter().map(|term| match term {
            Term::Is(name, true) => plain(name),
            Term::Is(name, false) => format!("not {}", plain(name)),
            Term::Compared { left, op, right } => format!("{} {op} {}", plain(left), plain(right)),
        });
        f.write_str(&told.collect::<Vec<_>>().join(", and "))
    }
}

/// Returns whether a text is a name, or a register, a point and a name.
fn is_path(text: &str) -> bool {
    text.split_once('.').map_or_else(|| is_name(text), |(register, name)| is_name(register) && is_name(name))
}

impl Condition {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let term = |term: &str| {
            let parts: Vec<&str> = term.split(' ').collect();
            match parts.as_slice() {
                [name] if is_path(name) => Some(Term::Is((*name).to_owned(), true)),
                ["not", name] if is_path(name) => Some(Term::Is((*name).to_owned(), false)),
                [left, op, right] if is_path(left) && !right.is_empty() => {
                    Some(Term::Compared { left: (*left).to_owned(), op: Op::parse(op)?, right: (*right).to_owned() })
                }
                _ => None,
            }
        };
        let terms = text.split(", ").map(term).collect::<Option<Vec<Term>>>()?;
        (terms.len() <= 16).then_some(Self(terms))
    }

    /// Number of terms.
    pub(super) const fn terms(&self) -> usize {
        self.0.len()
    }

    /// Returns the names in the condition, and words that may be names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .flat_map(|term| match term {
                Term::Is(name, _) => [Some(name.as_str()), None],
                Term::Compared { left, right, .. } => [Some(left.as_str()), Some(right.as_str())],
            })
            .flatten()
    }

    /// Returns whether all terms hold, given the known values of names.
    pub(super) fn holds(&self, known: &impl Fn(&str) -> Option<Known>) -> bool {
        self.0.iter().all(|term| match term {
            Term::Is(name, wanted) => known(name).is_some_and(|value| (value.number() != 0) == *wanted),
            Term::Compared { left, op, right } => match known(left) {
                Some(Known::Word { word, .. }) => (word == *right) == (*op == Op::Equal),
                Some(left) => {
                    let right = decimal(right, NUMBER).or_else(|| known(right).map(|right| right.number()));
                    right.is_some_and(|right| op.holds(left.number(), right))
                }
                None => false,
            },
        })
    }

    /// Checks the terms against the types of the names.
    pub(super) fn check<'t>(&self, type_of: &impl Fn(&str) -> Option<&'t Type>) -> Result<(), String> {
        let known = |name: &str| type_of(name).ok_or_else(|| format!("{name} is unknown here"));
        for term in &self.0 {
            match term {
                Term::Is(name, _) => {
                    if let Type::Words(words) = known(name)? {
                        return Err(format!("{name} is a word; compare it with one of {}", words.join(", ")));
                    }
                }
                Term::Compared { left, op, right } => match known(left)? {
                    Type::Bool => return Err(format!("{left} is a bool; write `{left}` or `not {left}`")),
                    Type::Words(_) if !matches!(op, Op::Equal | Op::Other) => {
                        return Err(format!("{left} is a word; compare it only with = or !="));
                    }
                    Type::Words(words) if !words.contains(right) => {
                        return Err(format!("{left} is never {right}; compare it with one of {}", words.join(", ")));
                    }
                    Type::Number { .. } if decimal(right, NUMBER).is_none() && *known(right)? == Type::Bool => {
                        return Err(format!("{right} is not a number"));
                    }
                    Type::Words(_) | Type::Number { .. } => {}
                },
            }
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        let wanted = "use terms such as `day >= 2`, `panicked` or `not panicked`, separated by a comma and a space";
        Self::parse(text)
            .ok_or_else(|| de::Error::custom(format!("{text:?} is not a condition; {wanted} (event-tables 6)")))
    }
}

/// A modifier: a number, and the condition under which it applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Modifier {
    pub(super) by: i64,
    pub(super) when: Option<Condition>,
}

impl<'de> Deserialize<'de> for Modifier {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        let refuse = || {
            de::Error::custom(format!("{text:?} is not a modifier; write it like `-1 if day >= 2` (event-tables 5)"))
        };
        let (number, when) = match text.split_once(" if ") {
            Some((number, when)) => (number, Some(Condition::parse(when).ok_or_else(refuse)?)),
            None => (text, None),
        };
        let size = |text: &str| decimal(text, 99).map(u64::cast_signed);
        let by = match number.strip_prefix('-') {
            Some(number) => size(number).filter(|number| *number > 0).map(|number| -number),
            None => size(number),
        };
        Ok(Self { by: by.ok_or_else(refuse)?, when })
    }
}
