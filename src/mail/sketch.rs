//! Recognizing a damaged letter whose undamaged copy is available.

use crate::blob::armour::{ignorable, is_digit};

/// Number of digits compared together.
const GRAM: usize = 16;
/// With fewer samples than this, a letter is compared as a whole.
const FEW: usize = 4;
/// The maximum number of samples kept.
const MOST: usize = 4_096;
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// A sample of the base64 in a text. It hardly changes when a few characters of the text change, and two letters share
/// little of it: the beginning that is common to all letters, and ids that both contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sketch(Vec<u64>);

impl Sketch {
    /// Samples the text between two marks.
    pub(super) fn of(text: &str) -> Self {
        let mut grams = Grams { window: [0; GRAM], filled: 0, whole: 0, samples: Vec::new() };
        let mut at = 0;
        while let Some(first) = text.as_bytes().get(at) {
            if is_digit(*first) {
                grams.push(*first);
                at += 1;
            } else if let Some(length) = text.get(at..).and_then(ignorable) {
                at += length;
            } else {
                grams.filled = 0;
                at += text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
            }
        }
        let mut samples = grams.samples;
        samples.sort_unstable();
        samples.dedup();
        if samples.len() < FEW {
            samples = vec![mixed(grams.whole)];
        }
        samples.truncate(MOST);
        Self(samples)
    }

    pub(super) fn samples(&self) -> &[u64] {
        &self.0
    }

    /// Whether two texts with this many samples in common are the same letter: these must be more than half of the
    /// shorter text's samples.
    pub(super) fn is_same(&self, other: &Self, common: usize) -> bool {
        common * 2 > self.0.len().min(other.0.len())
    }

    /// Returns the number of samples that two texts have in common.
    pub(super) fn common(&self, other: &Self) -> usize {
        self.0.iter().filter(|sample| other.0.binary_search(sample).is_ok()).count()
    }
}

struct Grams {
    window: [u8; GRAM],
    filled: usize,
    whole: u64,
    samples: Vec<u64>,
}

impl Grams {
    fn push(&mut self, digit: u8) {
        self.whole = self.whole.wrapping_add(u64::from(digit)).wrapping_mul(FACTOR);
        self.window.rotate_left(1);
        if let Some(last) = self.window.last_mut() {
            *last = digit;
        }
        self.filled += 1;
        if self.filled >= GRAM {
            let bits = u128::from_le_bytes(self.window);
            let hash = mixed((bits as u64).wrapping_mul(FACTOR) ^ (bits >> 64) as u64);
            if hash >> 61 == 0 {
                self.samples.push(hash);
            }
        }
    }
}

const fn mixed(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 32)).wrapping_mul(FACTOR);
    (bits ^ (bits >> 29)).wrapping_mul(FACTOR)
}
