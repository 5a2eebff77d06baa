//! What a letter says, in pieces that each renderer shows in its own way.

use std::fmt;

use crate::{blob::body::Hex32, report::text::quoted};

/// A piece of the description of a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Words written by the program, safe to show.
    Words(String),
    /// A named letter, by its id.
    Letter(Hex32),
    /// A named declaration: its id, and its name for people.
    Declaration(Hex32, String),
    /// Words by the letter's author, as written.
    Quote(String),
}

/// The description of a letter: a sentence in pieces, and lines below it. The text is safe to show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// The description as one sentence in pieces.
    pub says: Vec<Piece>,
    /// Rolls, dice, and the steps that led to the result of a turn in a course.
    pub lines: Vec<Line>,
}

/// A line below the description of a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Words, safe to show.
    Words(String),
    /// An opened die, and what it was rolled for, in text that is safe to show.
    Die {
        /// The number of its sides.
        sides: u64,
        /// The side that it shows, from 1.
        value: u64,
        /// What it was rolled for.
        why: String,
    },
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) => f.write_str(words),
            Self::Die { sides, value, why } => write!(f, "d{sides} = {value}  {why}"),
        }
    }
}

/// The description of a letter with the names of letters written out. The text is safe to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The content of the letter in one sentence.
    pub says: String,
    /// The rolls and dice, one per line.
    pub lines: Vec<Line>,
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.says)?;
        self.lines.iter().try_for_each(|line| write!(f, "\n      {line}"))
    }
}

impl Description {
    /// Begins a description with words.
    pub(super) fn say(words: impl Into<String>) -> Self {
        Self { says: vec![Piece::Words(words.into())], lines: Vec::new() }
    }

    pub(super) fn and(mut self, words: impl Into<String>) -> Self {
        self.says.push(Piece::Words(words.into()));
        self
    }

    pub(super) fn piece(mut self, piece: Piece) -> Self {
        self.says.push(piece);
        self
    }

    pub(super) fn quote(self, text: &str) -> Self {
        self.piece(Piece::Quote(text.to_owned()))
    }

    /// Adds the reason, if one was given.
    pub(super) fn reason(self, text: &str) -> Self {
        if text.is_empty() { self } else { self.and("; ").quote(text) }
    }

    pub(super) fn with(mut self, lines: impl IntoIterator<Item = Line>) -> Self {
        self.lines.extend(lines);
        self
    }

    /// Appends another description.
    pub(super) fn then(mut self, other: Self) -> Self {
        self.says.extend(other.says);
        self.lines.extend(other.lines);
        self
    }

    /// Writes out the names of letters with `short`.
    #[must_use]
    pub fn told(self, short: impl Fn(&Hex32) -> String) -> Told {
        let says = self.says.into_iter().map(|piece| match piece {
            Piece::Words(words) | Piece::Declaration(_, words) => words,
            Piece::Letter(id) => short(&id),
            Piece::Quote(text) => quoted(&text),
        });
        Told { says: says.collect(), lines: self.lines }
    }
}
