//! A long text in pieces, cut so that no blob is cut in two.

use std::{
    io::{self, Cursor, Read},
    mem,
};

use super::stream::Fill;
use crate::{
    blob::armour::{Found, Scan, readable},
    limits::{ARMOUR_BYTES, MARK_BYTES},
};

/// Bytes read at once: some dozens of letters, so that threads share the work evenly and hold little.
const PIECE: usize = 1 << 17;

/// A piece of text and the blobs in it, their lines counted from the beginning of the whole.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) found: Vec<Found>,
}

/// Where the reading of a text stands.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    /// Text that belongs to the next piece, and how many lines were before it.
    carry: String,
    lines: usize,
    /// Bytes that were read before this began.
    before: Cursor<Vec<u8>>,
    /// Bytes that are read and not yet text.
    left: Vec<u8>,
    ended: bool,
}

impl Pieces {
    /// Goes on after bytes that were read already.
    pub(super) fn after(before: Vec<u8>) -> Self {
        Self { before: Cursor::new(before), ..Self::default() }
    }

    /// The next piece, `None` at the end.
    ///
    /// # Errors
    /// If the source cannot be read.
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
                // A mark that begins within the bound ends so far behind it.
                Some(begin) if text.len() - begin.end < ARMOUR_BYTES + MARK_BYTES => begin.start,
                _ => overlap(&text).max(scan.passed()),
            };
            if resume == 0 {
                // The letter is longer than the piece. Twice as much next time, so that it is not looked through often.
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

    /// What is carried and so many bytes more.
    fn text(&mut self, bytes: usize) -> String {
        let rest = self.left.split_off(bytes.min(self.left.len()));
        let bytes = mem::replace(&mut self.left, rest);
        let text = String::from_utf8(bytes).unwrap_or_else(|error| readable(error.as_bytes()).into_owned());
        if self.carry.is_empty() { text } else { mem::take(&mut self.carry) + &text }
    }
}

/// Where bytes can be cut without cutting a character, at most so many from their beginning: behind a line if there is
/// one.
fn cut(bytes: &[u8], most: usize) -> usize {
    let bytes = bytes.get(..most).unwrap_or(bytes);
    let character = || bytes.iter().rposition(|byte| byte & 0xc0 != 0x80).filter(|at| bytes.len() - at <= 4);
    let behind = memchr::memrchr(b'\n', bytes).map(|at| at + 1).or_else(character);
    behind.filter(|at| *at > 0).unwrap_or(bytes.len())
}

/// Where the end of a text begins that is looked at again with the next piece, because a mark may begin there.
fn overlap(text: &str) -> usize {
    let at = (text.len() + 1).saturating_sub(MARK_BYTES);
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}
