//! Draws and their trail: every die that a resolver takes is on record with its reason.

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

/// Where draws come from: opened streams, or a list that somebody states.
pub trait Source {
    /// The next draw from the stream of a place, 1 to `sides`.
    ///
    /// # Errors
    /// The place is not opened, or the stated list does not fit.
    fn draw(&mut self, place: Place, sides: u64) -> Result<u64>;
}

/// What a draw is for, in words. Draws of one throw share it: there may be thousands.
#[derive(Debug, PartialEq, Eq)]
pub struct Why(Arc<String>);

impl Why {
    /// A reason of its own.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(Arc::new(text.to_owned()))
    }

    /// Shares the reason with another draw, without copying its text.
    #[must_use]
    pub fn shared(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

// Cloned it is a text again, which anybody may keep.
impl Deref for Why {
    type Target = String;

    fn deref(&self) -> &String {
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
    /// Who may know it: `all`, or a role.
    #[serde(rename = "for")]
    pub audience: Cow<'static, str>,
    /// Its number, from 1.
    pub n: u64,
    /// Where it was taken.
    #[serde(skip)]
    pub place: Place,
    /// Sides of the die.
    pub sides: u64,
    /// The number drawn, from 1 to `sides`.
    pub value: u64,
    /// What it is for.
    pub why: Why,
}

/// A source with the trail of what was taken from it.
pub struct Draws<'a> {
    source: &'a mut dyn Source,
    trail: Vec<Draw>,
}

impl<'a> Draws<'a> {
    /// An empty trail over a source.
    pub fn new(source: &'a mut dyn Source) -> Self {
        Self { source, trail: Vec::new() }
    }

    /// Takes one open draw.
    ///
    /// # Errors
    /// As [`Source::draw`].
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

    /// What was taken, in order.
    #[must_use]
    pub fn into_trail(self) -> Vec<Draw> {
        self.trail
    }
}

/// Draws that somebody states, for `what-if`: exactly as many as are used.
#[derive(Debug)]
pub struct Listed<'a> {
    values: &'a [u64],
    used: usize,
}

impl<'a> Listed<'a> {
    /// A source over stated values.
    #[must_use]
    pub const fn new(values: &'a [u64]) -> Self {
        Self { values, used: 0 }
    }

    /// That nothing is left over.
    ///
    /// # Errors
    /// [`Error::Refused`] with the position of the first surplus draw.
    pub fn finish(&self) -> Result<()> {
        match self.values.len() - self.used {
            0 => Ok(()),
            _ => Err(Error::Refused(format!(
                "draw {} is surplus: the case uses {} of {}",
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
            return Err(Error::Refused(format!("draw {position} is missing: a die of {sides} sides")));
        };
        if !(1..=sides).contains(value) {
            return Err(Error::Refused(format!("draw {position} is {value}, but the die has {sides} sides")));
        }
        self.used = position;
        Ok(*value)
    }
}
