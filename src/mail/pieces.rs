//! Splitting a long text into pieces without cutting a blob in two.

use std::{
    io::{self, Cursor, Read},
    mem,
};

use super::stream::Fill;
use crate::{
    blob::armour::{Found, Scan, readable},
    limits::{ARMOUR_BYTES, MARK_BYTES},
};

/// Bytes read together: a few dozen letters, so that threads share the work evenly and use little memory.
const PIECE: usize = 1 << 17;

/// A piece of text and the blobs in it, with lines counted from the beginning of the whole text.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) found: Vec<Found>,
}

/// The state of reading a text.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    /// Text that belongs to the next piece, and the number of lines before it.
    carry: String,
    lines: usize,
    /// Bytes that were read already.
    before: Cursor<Vec<u8>>,
    /// Bytes that have been read but not yet decoded as text.
    left: Vec<u8>,
    ended: bool,
}

impl Pieces {
    /// Creates a reader that continues after bytes that were read already.
    pub(super) fn after(before: Vec<u8>) -> Self {
        Self { before: Cursor::new(before), ..Self::default() }
    }

    /// Returns the next piece, `None` at the end.
    ///
    /// # Errors
    /// The error of the source, if it cannot be read.
    pub(super) fn next(&mut self, from: &mut impl Fill) -> io::Result<Option<Piece>> {
        let mut want = PIECE;
        loop {
            let missing = want.saturating_sub(self.left.len()) as u64;
            self.before.by_ref().take(missing).read_to_end(&mut self.left)?;
            if !self.ended && self.left.len() < want {
                self.ended = from.fill(&mut self.left, want)?;
            }
            if self.left.is_empty() && self.carry.is_empty() {
                return Ok(None);
            }
            let last = self.ended && self.left.len() <= want;
            let text = self.text(if last { self.left.len() } else { cut(&self.left, want) });
            let mut scan = Scan::new(&text);
            let mut found: Vec<Found> = scan.by_ref().collect();
            let waits = scan.waits();
            let resume = match &waits {
                _ if last => text.len(),
                // An `END` mark that begins within the limit ends at most this far after the `BEGIN` mark.
                Some(begin) if text.len() - begin.end < ARMOUR_BYTES + MARK_BYTES => begin.start,
                _ => overlap(&text).max(scan.passed()),
            };
            if resume == 0 {
                // The letter is longer than the piece. The next read is twice as large, so that the letter is not
                // searched too often.
                want = want.max(text.len());
                self.carry = text;
                continue;
            }
            if waits.is_some_and(|begin| begin.start < resume) {
                found.extend(scan.finish());
            }
            found.iter_mut().for_each(|found| found.line += self.lines);
            let (done, rest) = text.split_at_checked(resume).unwrap_or((&text, ""));
            self.lines += memchr::memchr_iter(b'\n', done.as_bytes()).count();
            self.carry = rest.to_owned();
            return Ok(Some(Piece { text, found }));
        }
    }

    /// Returns the carried text, followed by the text of the next `bytes` bytes.
    fn text(&mut self, bytes: usize) -> String {
        let rest = self.left.split_off(bytes.min(self.left.len()));
        let bytes = mem::replace(&mut self.left, rest);
        let text = String::from_utf8(bytes).unwrap_or_else(|error| readable(error.as_bytes()).into_owned());
        if self.carry.is_empty() { text } else { mem::take(&mut self.carry) + &text }
    }
}

/// Finds where bytes can be cut, within a maximum, without cutting a character: after a line if there is one.
fn cut(bytes: &[u8], most: usize) -> usize {
    let bytes = bytes.get(..most).unwrap_or(bytes);
    let character = || bytes.iter().rposition(|byte| byte & 0xc0 != 0x80).filter(|at| bytes.len() - at <= 4);
    let behind = memchr::memrchr(b'\n', bytes).map(|at| at + 1).or_else(character);
    behind.filter(|at| *at > 0).unwrap_or(bytes.len())
}

/// Finds the end of a text that must be searched again with the next piece, because a mark may begin there.
fn overlap(text: &str) -> usize {
    let at = (text.len() + 1).saturating_sub(MARK_BYTES);
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}
