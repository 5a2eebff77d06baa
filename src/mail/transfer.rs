//! Decoding the bytes of a part to text (`protocol/mail.md`): transfer encodings and UTF-16.
//!
//! A wrong character must not damage more than its own letter. Therefore these decoders are lenient and do not come
//! from a library: any malformed input is read in the one way that the page defines.

use std::borrow::Cow;

/// The transfer encoding of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Base64,
    QuotedPrintable,
    /// No encoding, or one that nobody uses.
    Plain,
}

impl Encoding {
    pub(super) fn named(name: &str) -> Self {
        match name {
            "base64" => Self::Base64,
            "quoted-printable" => Self::QuotedPrintable,
            _ => Self::Plain,
        }
    }
}

/// Removes the transfer encoding from a body.
pub(super) fn decoded(encoding: Encoding, body: &[u8]) -> Cow<'_, [u8]> {
    match encoding {
        Encoding::Base64 => Cow::Owned(from_base64(body)),
        Encoding::QuotedPrintable => Cow::Owned(from_quoted_printable(body)),
        Encoding::Plain => Cow::Borrowed(body),
    }
}

/// Decodes line by line if most lines are whole groups, so that an extra or missing character affects only its line;
/// otherwise decodes all lines together (mail 16, 17).
fn from_base64(body: &[u8]) -> Vec<u8> {
    let is_digit = |byte: &u8| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let lines = || body.split(|byte| *byte == b'\n').map(|line| line.iter().copied().filter(is_digit));
    let (whole, all) = lines()
        .map(Iterator::count)
        .filter(|digits| *digits > 0)
        .fold((0, 0), |(whole, all), digits| (whole + usize::from(digits.is_multiple_of(4)), all + 1));
    let mut out = Vec::with_capacity(body.len() / 4 * 3);
    if whole * 2 > all {
        lines().for_each(|line| groups(line, &mut out));
    } else {
        groups(body.iter().copied().filter(is_digit), &mut out);
    }
    out
}

/// Decodes groups of four digits to three bytes. Any other character counts as the digit 0, and an incomplete group
/// gives only its complete bytes.
fn groups(digits: impl Iterator<Item = u8> + Clone, out: &mut Vec<u8>) {
    let last = digits.clone().enumerate().filter(|(_, byte)| *byte != b'=').last();
    let mut digits = digits.take(last.map_or(0, |(at, _)| at + 1)).map(digit).peekable();
    while digits.peek().is_some() {
        let group: [Option<u32>; 4] = std::array::from_fn(|_| digits.next());
        let bits = group.iter().fold(0, |bits, digit| bits << 6 | digit.unwrap_or(0));
        let [_, bytes @ ..] = bits.to_be_bytes();
        out.extend(bytes.iter().take(group.iter().flatten().count() - 1));
    }
}

fn digit(byte: u8) -> u32 {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => 0,
    };
    u32::from(value)
}

/// Decodes `=` and two hexadecimal digits as a byte, joins lines at a final `=`, and keeps any other `=` unchanged
/// (mail 18).
fn from_quoted_printable(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = memchr::memchr(b'=', rest) {
        let (before, from) = rest.split_at(at);
        out.extend(before);
        let behind = from.get(1..).unwrap_or_default();
        rest = if let Some((byte, behind)) = hexadecimal(behind) {
            out.push(byte);
            behind
        } else if let Some(behind) = end_of_line(behind) {
            behind
        } else {
            out.push(b'=');
            behind
        };
    }
    out.extend(rest);
    out
}

fn hexadecimal(text: &[u8]) -> Option<(u8, &[u8])> {
    let (digits, behind) = text.split_at_checked(2)?;
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    match digits {
        [high, low] => Some((value(*high)? << 4 | value(*low)?, behind)),
        _ => None,
    }
}

fn end_of_line(text: &[u8]) -> Option<&[u8]> {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let rest = text.get(blanks..)?;
    rest.strip_prefix(b"\n").or_else(|| rest.strip_prefix(b"\r\n"))
}

/// Whether bytes begin like UTF-16, and if so whether the high byte comes first: a byte order mark, or two characters
/// of ASCII or Latin-1 (mail 3).
pub(super) const fn wide(bytes: &[u8]) -> Option<bool> {
    match bytes {
        [0xff, 0xfe, ..] => Some(false),
        [0xfe, 0xff, ..] => Some(true),
        [a, 0, b, 0, ..] if *a != 0 && *b != 0 => Some(false),
        [0, a, 0, b, ..] if *a != 0 && *b != 0 => Some(true),
        _ => None,
    }
}

/// Converts UTF-16 to UTF-8, and keeps all other bytes unchanged.
pub(super) fn narrow(bytes: &[u8]) -> Cow<'_, [u8]> {
    wide(bytes).map_or(Cow::Borrowed(bytes), |big| Cow::Owned(from_utf16(bytes, big).into_bytes()))
}

/// Decodes UTF-16 as text; half a character becomes U+FFFD.
pub(super) fn from_utf16(bytes: &[u8], big: bool) -> String {
    let (pairs, _) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| if big { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) });
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}
