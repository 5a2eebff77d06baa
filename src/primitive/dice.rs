//! Dice rolls from an opened seed (`protocol/dice.md`). The cipher is used only as a keystream: this module, and never
//! a library's sampler, turns its words into faces.

use rand_chacha::{
    ChaCha20Rng,
    rand_core::{Rng, SeedableRng},
};

use super::{
    hash::{h, le64, tag},
    secret::Secret,
};
use crate::{
    error::{Error, Result},
    limits::REJECTIONS,
};

/// Returns a random number generator for library calls that need one. Its whole output follows from `seed`.
#[must_use]
pub(super) fn generator(seed: &Secret) -> ChaCha20Rng {
    ChaCha20Rng::from_seed(*seed.expose())
}

/// The stream of one line (dice 3): the RFC 8439 keystream with nonce 0 and counter 0, as little-endian words.
pub struct Stream(ChaCha20Rng);

impl Stream {
    /// Creates the stream for a roll key.
    #[must_use]
    pub fn new(key: [u8; 32]) -> Self {
        Self(ChaCha20Rng::from_seed(key))
    }

    /// Returns the next word. Reading in any other width would skip parts of words.
    #[inline]
    pub fn word(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// Draws one die, from 1 to `sides` (dice 4).
    ///
    /// # Errors
    /// The errors of [`draw_from`].
    #[inline]
    pub fn draw(&mut self, sides: u64) -> Result<u64> {
        draw_from(sides, || self.word())
    }
}

/// Draws a number from 1 to `sides` from any source of words, without bias: the rejection rule of dice 4.
///
/// # Errors
/// [`Error::Refused`] if `sides` is 0 or more than 2^32, or if 65,536 words in a row are rejected, which happens in no
/// real stream.
///
/// # Examples
///
/// A word so high that some faces would be more likely is passed over:
///
/// ```
/// use sealed_dice::primitive::dice::draw_from;
///
/// let mut words = [u32::MAX, 7].into_iter();
/// assert_eq!(draw_from(6, || words.next().unwrap_or_default())?, 1 + 7 % 6);
/// # Ok::<(), sealed_dice::error::Error>(())
/// ```
#[inline]
pub fn draw_from(sides: u64, mut next: impl FnMut() -> u32) -> Result<u64> {
    const WORDS: u64 = 1 << 32;
    if sides == 0 || sides > WORDS {
        return Err(Error::Refused(format!("a die cannot have {sides} sides; it must have 1 to 2^32")));
    }
    let bound = WORDS - WORDS % sides;
    for _ in 0..REJECTIONS {
        let word = u64::from(next());
        if word < bound {
            return Ok(1 + word % sides);
        }
    }
    Err(Error::Refused("65,536 words in a row were refused: this is not a ChaCha20 stream".into()))
}

/// The inputs to a root (dice 1). They include no signature, no date, and nothing that either party can still choose.
#[derive(Clone, Copy, Debug)]
pub struct Roots<'a> {
    /// Id of the seal.
    pub seal: &'a [u8; 32],
    /// Id of the declaration.
    pub declaration: &'a [u8; 32],
    /// The declarer's contribution.
    pub contribution: &'a [u8; 32],
}

impl Roots<'_> {
    /// Returns the root of an opened place. `index` is the envelope's index or the cell's column.
    #[must_use]
    pub fn root(&self, index: u64, seed: &[u8; 32]) -> [u8; 32] {
        h(tag::DICE_ROOT, &[self.seal, self.declaration, &le64(index), seed, self.contribution])
    }
}

/// Returns the key of one line's stream (dice 2).
///
/// # Examples
///
/// Each row of an envelope has dice of its own:
///
/// ```
/// use sealed_dice::primitive::dice::{Stream, roll_key};
///
/// let root = [5; 32];
/// let first_die = |row| Stream::new(roll_key(&root, row)).draw(6);
/// assert_eq!([first_die(1)?, first_die(2)?, first_die(3)?], [1, 3, 2]);
/// # Ok::<(), sealed_dice::error::Error>(())
/// ```
#[must_use]
pub fn roll_key(root: &[u8; 32], line: u64) -> [u8; 32] {
    h(tag::ROLL_KEY, &[root, &le64(line)])
}
