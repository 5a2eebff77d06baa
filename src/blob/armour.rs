//! The armour (`protocol/armour.md`): writing it, and finding blobs in any text.
//!
//! Transport is lenient: quote marks, wrapping, dashes and invisible characters are tolerated. The remaining text
//! between two marks must be strict base64.

use std::{borrow::Cow, ops::Range};

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::{
    error::{Class, Error, Result},
    limits::{ARMOUR_BYTES, FRAME_BYTES, MARK_BYTES},
};

const COLUMNS: usize = 64;
const BEGIN: &str = "BEGIN";
const END: &str = "END";
const REST: [&str; 3] = ["SEALED", "DICE", "MESSAGE"];

/// A blob in a text, or the place of a damaged one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// The line, from 1, on which it begins.
    pub line: usize,
    /// The decoded frame.
    pub frame: Result<Vec<u8>>,
}

/// Writes a frame in its armour (armour 1).
///
/// # Examples
///
/// ```
/// let text = sealed_dice::blob::armour::write(b"abc");
/// assert_eq!(text, "-----BEGIN SEALED DICE MESSAGE-----\nYWJj\n-----END SEALED DICE MESSAGE-----\n");
/// ```
#[must_use]
pub fn write(frame: &[u8]) -> String {
    let body = STANDARD.encode(frame);
    let mut out = String::from("-----BEGIN SEALED DICE MESSAGE-----\n");
    let mut rest = body.as_str();
    while !rest.is_empty() {
        let (line, tail) = rest.split_at(COLUMNS.min(rest.len()));
        out.push_str(line);
        out.push('\n');
        rest = tail;
    }
    out.push_str("-----END SEALED DICE MESSAGE-----\n");
    out
}

/// Finds every blob in a text, in order, including damaged ones.
///
/// # Examples
///
/// A quoted letter is found as it was; a letter that was cut off is reported:
///
/// ```
/// use sealed_dice::{blob::armour, error::{Class, Error}};
///
/// let mail = format!("Bob wrote:\n> {}", armour::write(b"abc").replace('\n', "\n> "));
/// let found = armour::find(mail.as_bytes());
/// assert_eq!((found[0].line, &found[0].frame), (2, &Ok(b"abc".to_vec())));
///
/// let cut_off = armour::find(b"-----BEGIN SEALED DICE MESSAGE-----\nYWJj\n");
/// assert_eq!(cut_off[0].frame.as_ref().map_err(Error::class), Err(Class::Armour));
/// ```
#[must_use]
pub fn find(text: &[u8]) -> Vec<Blob> {
    let text = readable(text);
    let mut scan = Scan::new(&text);
    let mut found: Vec<Found> = scan.by_ref().collect();
    found.extend(scan.finish());
    found.iter().map(|found| found.decode(&text)).collect()
}

/// Windows-1252 from 0x80 to 0x9f; higher codes match Latin-1.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Decodes any bytes as text: UTF-8, with every byte that does not fit it read as windows-1252 (mail 3).
///
/// # Examples
///
/// ```
/// use sealed_dice::blob::armour::readable;
///
/// assert_eq!(readable("10 €".as_bytes()), "10 €");
/// assert_eq!(readable(b"10 \x80"), "10 €");
/// ```
#[must_use]
pub fn readable(text: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        out.push_str(chunk.valid());
        let alone = |byte: &u8| {
            let special = byte.checked_sub(0x80).and_then(|place| WINDOWS_1252.get(usize::from(place)));
            special.copied().unwrap_or(char::from(*byte))
        };
        out.extend(chunk.invalid().iter().map(alone));
    }
    Cow::Owned(out)
}

/// A blob that has been found but not decoded, so that threads can share the decoding. It stores ranges instead of
/// text, so that it can be passed on together with the text.
#[derive(Clone, Debug)]
pub struct Found {
    /// The line, from 1, on which it begins.
    pub line: usize,
    /// The body, or the reason why it is missing.
    pub body: Result<Range<usize>>,
    /// The range of the text between the marks, or of the text where a mark is missing.
    pub around: Range<usize>,
}

impl Found {
    /// Cleans and decodes the body out of the text in which it was found (armour 4).
    #[must_use]
    pub fn decode(&self, text: &str) -> Blob {
        let frame = self.body.clone().and_then(|body| decode(text.get(body).unwrap_or_default(), self.line));
        Blob { line: self.line, frame }
    }
}

/// A search for blobs in a text. If the text is only a piece of a longer one, the search can continue in the next
/// piece.
///
/// # Examples
///
/// ```
/// use sealed_dice::blob::armour::{Scan, write};
///
/// let piece = write(b"abc") + "-----BEGIN SEALED DICE MESSAGE-----\nYWJj";
/// let mut scan = Scan::new(&piece);
/// let whole = scan.next().ok_or("no letter")?;
/// assert_eq!(whole.decode(&piece).frame, Ok(b"abc".to_vec()));
/// assert!(scan.next().is_none());
/// let begins = scan.waits().ok_or("no letter waits for its end")?;
/// assert_eq!(&piece[begins], "BEGIN SEALED DICE MESSAGE");
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug)]
pub struct Scan<'a> {
    marks: Marks<'a>,
    /// The position up to which lines were counted, and the line there.
    counted: (usize, usize),
    begun: Option<Mark>,
    /// A mark found after a blob that is too long.
    held: Option<Mark>,
    /// End of the last mark.
    passed: usize,
}

impl<'a> Scan<'a> {
    /// Creates a search from the beginning of a text.
    #[must_use]
    pub const fn new(text: &'a str) -> Self {
        Self { marks: Marks { text, at: 0 }, counted: (0, 1), begun: None, held: None, passed: 0 }
    }

    fn line_of(&mut self, at: usize) -> usize {
        let passed = self.marks.text.as_bytes().get(self.counted.0..at).unwrap_or_default();
        let newlines = memchr::memchr_iter(b'\n', passed).count();
        self.counted = (at, self.counted.1 + newlines);
        self.counted.1
    }

    /// Returns the place of a `BEGIN` mark that waits for its `END`, once the search is finished.
    #[must_use]
    pub fn waits(&self) -> Option<Range<usize>> {
        self.begun.map(|mark| mark.start..mark.end)
    }

    /// Returns the end of the last mark, or 0, once the search is finished.
    #[must_use]
    pub const fn passed(&self) -> usize {
        self.passed
    }

    /// Refuses the waiting `BEGIN`, because the text ends here (armour 5) or because it has waited too long (armour 9).
    pub fn finish(&mut self) -> Option<Found> {
        let mark = self.begun.take()?;
        let why = "the END line is missing: the letter was cut off; ask for it again";
        Some(self.refused(mark, mark.end..self.marks.text.len(), why))
    }

    fn refused(&mut self, mark: Mark, around: Range<usize>, why: &'static str) -> Found {
        let error = if around.len() > ARMOUR_BYTES {
            Error::malformed(Class::Size, "the letter does not have an END line within 8 MiB; ask for it again")
        } else {
            Error::malformed(Class::Armour, why)
        };
        Found { line: self.line_of(mark.start), body: Err(error), around }
    }
}

/// Iterates over every blob that ends in this text, in order.
impl Iterator for Scan<'_> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            let mark = self.held.take().or_else(|| self.marks.next())?;
            let Some(first) = self.begun.take() else {
                let around = std::mem::replace(&mut self.passed, mark.end)..mark.start;
                if mark.begins {
                    self.begun = Some(mark);
                    continue;
                }
                let why = "the BEGIN line is missing: the letter was cut off; ask for it again";
                let error = Error::malformed(Class::Armour, why);
                return Some(Found { line: self.line_of(mark.start), body: Err(error), around });
            };
            let around = first.end..mark.start;
            if around.len() > ARMOUR_BYTES {
                self.held = Some(mark);
                return Some(self.refused(first, around, ""));
            }
            self.passed = mark.end;
            if mark.begins {
                self.begun = Some(mark);
                let why = "another letter begins before this one ends; ask for it again";
                return Some(self.refused(first, around, why));
            }
            return Some(Found { line: self.line_of(first.start), body: Ok(around.clone()), around });
        }
    }
}

/// A mark: the range of its words in the text.
#[derive(Clone, Copy, Debug)]
struct Mark {
    begins: bool,
    start: usize,
    end: usize,
}

#[derive(Debug)]
struct Marks<'a> {
    text: &'a str,
    at: usize,
}

impl Marks<'_> {
    fn next(&mut self) -> Option<Mark> {
        loop {
            let rest = self.text.as_bytes().get(self.at..)?;
            let start = self.at + memchr::memchr2(b'B', b'E', rest)?;
            self.at = start + 1;
            let found = self.text.get(start..)?;
            // Most `B`s and `E`s occur in base64, where the next letter shows immediately that no mark begins.
            let word = match found.as_bytes() {
                [b'B', b'E', ..] => BEGIN,
                [b'E', b'N', ..] => END,
                [_, next, ..] if is_digit(*next) => continue,
                [b'B', ..] => BEGIN,
                _ => END,
            };
            if let Some(length) = mark_length(found, word) {
                self.at = start + length;
                return Some(Mark { begins: word == BEGIN, start, end: self.at });
            }
        }
    }
}

/// Whether these words appear in a text in sequence, matched as leniently as the words of a mark (armour 2).
///
/// # Examples
///
/// Tells a key file from a letter, even in a quoted mail:
///
/// ```
/// use sealed_dice::blob::armour::holds_words;
///
/// let mail = "> -----BEGIN SEALED\n> DICE SECRET-----";
/// assert!(holds_words(mail, "SEALED", &["DICE", "SECRET"]));
/// assert!(!holds_words(mail, "SEALED", &["DICE", "MESSAGE"]));
/// ```
#[must_use]
pub fn holds_words(text: &str, first: &str, others: &[&str]) -> bool {
    let mut letters = first.bytes();
    let Some(initial) = letters.next() else { return false };
    let second = letters.next();
    // In base64, where most of a text is, the next letter shows at once that the words do not begin.
    let may_begin = |at: &usize| {
        let next = text.as_bytes().get(at + 1).copied();
        second.is_none() || next == second || next.is_some_and(|next| !is_digit(next))
    };
    let mut places = memchr::memchr_iter(initial, text.as_bytes()).filter(may_begin);
    places.any(|at| text.get(at..).is_some_and(|found| words_length(found, first, others).is_some()))
}

/// Returns the length of the mark that begins a text with this first word, if there is one (armour 2).
fn mark_length(text: &str, first: &str) -> Option<usize> {
    words_length(text, first, &REST)
}

/// Returns the length of these words, with ignorable characters between them, if the text begins with them.
fn words_length(text: &str, first: &str, others: &[&str]) -> Option<usize> {
    let mut rest = after_word(text, first)?;
    for word in others {
        let next = rest.get(skip_ignorable(rest)..)?;
        if next.len() == rest.len() {
            return None;
        }
        rest = after_word(next, word)?;
    }
    Some(text.len() - rest.len()).filter(|length| *length <= MARK_BYTES)
}

/// Returns the text after a word whose letters may have ignorable characters between them.
fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let mut rest = text;
    for (i, letter) in word.chars().enumerate() {
        if i > 0 {
            rest = rest.get(skip_ignorable(rest)..)?;
        }
        rest = rest.strip_prefix(letter)?;
    }
    Some(rest)
}

/// Counts the bytes of ignorable characters at the start of a text.
fn skip_ignorable(text: &str) -> usize {
    let mut at = 0;
    while let Some(length) = text.get(at..).and_then(ignorable) {
        at += length;
    }
    at
}

/// Returns the length of the ignorable character at the start of a text, if there is one (armour 2).
pub(crate) fn ignorable(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    match first {
        '\t'..='\r'
        | ' '
        | '>'
        | '|'
        | '\u{85}'
        | '\u{a0}'
        | '\u{ad}'
        | '\u{1680}'
        | '\u{2000}'..='\u{200f}'
        | '\u{2028}'..='\u{202f}'
        | '\u{205f}'..='\u{2064}'
        | '\u{3000}'
        | '\u{feff}' => Some(first.len_utf8()),
        '=' if text.starts_with("=\n") || text.starts_with("=\r\n") => Some(1),
        _ => None,
    }
}

pub(crate) fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}')
}

/// Returns the length of a dash or of quoted-printable remains at the start of a text.
fn dash_or_remain(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    if is_dash(first) {
        return Some(first.len_utf8());
    }
    let remain = text.as_bytes().get(..3)?;
    matches!(remain, [b'=', a, b] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit()).then_some(3)
}

/// Returns the range of a body without the parts at both ends that armour 3 and 4 skip.
fn core(body: &str) -> Range<usize> {
    let mut start = 0;
    while let Some(length) = body.get(start..).and_then(|rest| ignorable(rest).or_else(|| dash_or_remain(rest))) {
        start += length;
    }
    let mut end = body.len();
    while end > start {
        let Some(last) = body.get(start..end).and_then(|rest| rest.chars().next_back()) else {
            break;
        };
        let at = end - last.len_utf8();
        let remain = end.saturating_sub(3);
        if is_dash(last) || body.get(at..).and_then(ignorable).is_some() {
            end = at;
        } else if remain >= start && body.get(remain..end).and_then(dash_or_remain) == Some(3) {
            end = remain;
        } else {
            break;
        }
    }
    start..end
}

fn decode(body: &str, first_line: usize) -> Result<Vec<u8>> {
    const MOST: usize = FRAME_BYTES.div_ceil(3) * 4;
    let Range { start, end } = core(body);
    let mut digits = String::with_capacity((end - start).min(MOST));
    let (mut at, mut line_begins) = (start, false);
    while at < end {
        let rest = body.get(at..).unwrap_or_default();
        let bytes = rest.as_bytes().get(..end - at).unwrap_or_default();
        let run = digits_at(bytes);
        if run > 0 {
            digits.push_str(rest.get(..run).unwrap_or_default());
            (at, line_begins) = (at + run, false);
        } else if let Some(length) = ignorable(rest) {
            line_begins |= rest.starts_with('\n');
            at += length;
        } else {
            let c = rest.chars().next().unwrap_or_default();
            at += c.len_utf8();
            let escape = line_begins && is_dash(c) && body.get(at..).is_some_and(|tail| tail.starts_with(' '));
            if !escape {
                digits.push(c);
            }
            line_begins = false;
        }
        if digits.len() > MOST {
            return Err(Error::malformed(Class::Size, "the text is too long for a letter; ask for the letter again"));
        }
    }
    let refuse = |text: String| Error::malformed(Class::Armour, text);
    if digits.is_empty() {
        return Err(refuse("the letter is empty between BEGIN and END; ask for it again".into()));
    }
    let damaged = || refuse(damage(body.get(..end).unwrap_or_default(), first_line));
    // The decoder would accept padding, which armour never has (armour 4).
    if digits.ends_with('=') {
        return Err(damaged());
    }
    STANDARD.decode(&digits).map_err(|_| damaged())
}

/// Counts the base64 digits at the start. For speed, whole blocks are tested at once: every byte of a transcript is
/// tested.
fn digits_at(bytes: &[u8]) -> usize {
    let (blocks, _) = bytes.as_chunks::<32>();
    let full = |block: &&[u8; 32]| block.iter().fold(true, |all, byte| all & is_digit(*byte));
    let known = 32 * blocks.iter().take_while(full).count();
    let rest = bytes.get(known..).unwrap_or_default();
    known + rest.iter().position(|byte| !is_digit(*byte)).unwrap_or(rest.len())
}

/// Whether a byte is a base64 digit.
pub(crate) const fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() | (byte == b'+') | (byte == b'/')
}

/// Describes which line of a body is damaged (armour 7), as far as its length or its characters show it.
fn damage(body: &str, first_line: usize) -> String {
    let mut named = body.lines().skip(1).map(|line| line.split_once('>').map(|(name, _)| name.trim()));
    if let Some(Some(name)) = named.next()
        && !name.is_empty()
        && named.next().is_none_or(|next| next == Some(name))
    {
        return format!("each line begins with a name ({name:?}>): remove it, or ask for the letter again");
    }
    let mut lines = body.split('\n').enumerate().skip(1).peekable();
    while let Some((i, line)) = lines.next() {
        let number = first_line + i;
        let digits = line.bytes().filter(|byte| is_digit(*byte)).count();
        let stray = line
            .char_indices()
            .find(|(at, c)| !c.is_ascii() || !is_digit(*c as u8) && line.get(*at..).and_then(ignorable).is_none());
        if let Some((_, c)) = stray {
            return format!(
                "line {number}: {c:?} does not belong in a letter. If a mail program put a name before each line, \
                 remove it; otherwise ask for the letter again"
            );
        }
        if lines.peek().is_some() && digits != COLUMNS && digits > 0 {
            return format!("line {number} has {digits} characters instead of {COLUMNS}; ask for the letter again");
        }
    }
    "the letter is cut short or has extra characters; ask for it again".into()
}
