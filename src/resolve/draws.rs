//! Draws and their trail: every die that a resolver draws is recorded with its reason.

use std::{borrow::Cow, ops::Deref, sync::Arc};

use serde::{Serialize, Serializer};

use crate::error::{Error, Result};

/// The place of a roll in its set: an envelope's index and row, or a sheet's column and row (`protocol/dice.md` 1, 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Index of the envelope, or column.
    pub index: u64,
    /// Row, or line of a foul-up envelope; from 1.
    pub line: u64,
}

/// Where draws come from: opened streams, or a stated list.
pub trait Source {
    /// Returns the next draw from the stream of a place, from 1 to `sides`.
    ///
    /// # Errors
    /// If the place is not open, or the stated list does not fit.
    fn draw(&mut self, place: Place, sides: u64) -> Result<u64>;
}

/// The reason for a draw, in words. Draws in one throw share it, because there may be thousands.
#[derive(Debug, PartialEq, Eq)]
pub struct Why(Arc<str>);

impl Why {
    /// Creates a new reason.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// Shares the reason with another draw, without copying its text.
    #[must_use]
    pub fn shared(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl Deref for Why {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Serialize for Why {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

/// One draw of the trail.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Draw {
    /// Who may know the value: `all`, or a role.
    #[serde(rename = "for")]
    pub audience: Cow<'static, str>,
    /// Number of the draw, from 1.
    pub n: u64,
    /// Place from whose stream the value came.
    #[serde(skip)]
    pub place: Place,
    /// Sides of the die.
    pub sides: u64,
    /// The value drawn, from 1 to `sides`.
    pub value: u64,
    /// Reason for the draw.
    pub why: Why,
}

/// A source with a trail of the draws taken from it.
pub struct Draws<'a> {
    source: &'a mut dyn Source,
    trail: Vec<Draw>,
}

impl<'a> Draws<'a> {
    /// Creates an empty trail over a source.
    pub fn new(source: &'a mut dyn Source) -> Self {
        Self { source, trail: Vec::new() }
    }

    /// Takes one public draw.
    ///
    /// # Errors
    /// The errors of [`Source::draw`].
    pub fn draw(&mut self, place: Place, sides: u64, why: &str) -> Result<u64> {
        let value = self.source.draw(place, sides)?;
        let why = match self.trail.last() {
            Some(last) if *last.why == *why => last.why.shared(),
            _ => Why::new(why),
        };
        let n = self.trail.len() as u64 + 1;
        self.trail.push(Draw { audience: Cow::Borrowed("all"), n, place, sides, value, why });
        Ok(value)
    }

    /// Returns the draws taken, in order.
    #[must_use]
    pub fn into_trail(self) -> Vec<Draw> {
        self.trail
    }
}

/// Stated draws for `what-if`: a case must use all of them.
///
/// # Examples
///
/// ```
/// use sealed_dice::resolve::{Listed, Place, Source};
///
/// let mut dice = Listed::new(&[3, 10]);
/// let place = Place { index: 0, line: 1 };
/// assert_eq!(dice.draw(place, 6), Ok(3));
/// assert!(dice.finish().is_err()); // a value is left over
/// assert_eq!(dice.draw(place, 10), Ok(10));
/// assert_eq!(dice.finish(), Ok(()));
/// ```
#[derive(Debug)]
pub struct Listed<'a> {
    values: &'a [u64],
    used: usize,
}

impl<'a> Listed<'a> {
    /// Creates a source over stated values.
    #[must_use]
    pub const fn new(values: &'a [u64]) -> Self {
        Self { values, used: 0 }
    }

    /// Checks that no draws are left over.
    ///
    /// # Errors
    /// [`Error::Refused`] with the position of the first unused draw.
    pub fn finish(&self) -> Result<()> {
        match self.values.len() - self.used {
            0 => Ok(()),
            _ => Err(Error::Refused(format!(
                "remove draw {} and all after it: the case uses only {} of {}",
                self.used + 1,
                self.used,
                self.values.len()
            ))),
        }
    }
}

impl Source for Listed<'_> {
    fn draw(&mut self, _: Place, sides: u64) -> Result<u64> {
        let position = self.used + 1;
        let Some(value) = self.values.get(self.used) else {
            return Err(Error::Refused(format!(
                "draw {position} is missing: add the value of a die with {sides} sides"
            )));
        };
        if !(1..=sides).contains(value) {
            return Err(Error::Refused(format!("draw {position} must be 1 to {sides}, not {value}")));
        }
        self.used = position;
        Ok(*value)
    }
}
