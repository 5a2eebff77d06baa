//! The frame (`protocol/message.md` 1): four readable lines, padded so that their base64 never needs `=`.

use std::fmt;

use super::body::lower_hex;
use crate::{
    error::{Class, Error, Result},
    limits::FRAME_BYTES,
};

/// The only type of message in this version.
pub const TYPE: &str = "sealed-dice/v1";

/// The number of the format of letters, files and folders that this program reads and writes. A change that an older
/// program cannot read gets the next number.
pub const FORMAT: u64 = 1;

/// Says that something is in another format than this program's, and what to do.
#[must_use]
pub fn another_format(what: &str, format: impl fmt::Display) -> String {
    format!(
        "{what} is in format {format}, but this sealed-dice reads format {FORMAT}: get a version for that format from where you got this one"
    )
}

/// Returns the number of the format that a letter's first line names.
fn format_of(bytes: &[u8]) -> Option<u64> {
    let line = bytes.split(|byte| *byte == b'\n').next()?.strip_prefix(b"sealed-dice/v")?;
    std::str::from_utf8(line).ok()?.parse().ok()
}

/// A parsed frame; only its form has been checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The canonical JSON, as received.
    pub payload: &'a [u8],
    /// The key that claims to have signed.
    pub key: [u8; 32],
    /// The Ed25519 signature over type and payload (message 3).
    pub signature: [u8; 64],
}

impl<'a> Frame<'a> {
    /// Splits the bytes into their parts.
    ///
    /// # Errors
    /// Class `size` or `frame`.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        if bytes.len() > FRAME_BYTES {
            return Err(Error::malformed(
                Class::Size,
                format!(
                    "the letter has {} bytes, but at most {FRAME_BYTES} are allowed; ask for a shorter one",
                    bytes.len()
                ),
            ));
        }
        Self::lines(bytes).ok_or_else(|| {
            Error::malformed(
                Class::Frame,
                match format_of(bytes).filter(|format| *format != FORMAT) {
                    Some(format) => another_format("the letter", format),
                    None => "the letter does not consist of the four lines type, payload, key and signature; ask for \
                             it again"
                        .to_owned(),
                },
            )
        })
    }

    /// Splits the lines from the end, because key and signature have a fixed length.
    fn lines(bytes: &'a [u8]) -> Option<Self> {
        const TAIL: usize = 1 + 64 + 1 + 128 + 1;
        let padding = bytes.iter().rev().take(4).take_while(|byte| **byte == b'\n').count().checked_sub(1)?;
        let text = bytes.get(..bytes.len() - padding)?;
        let rest = text.strip_prefix(TYPE.as_bytes())?.strip_prefix(b"\n")?;
        let (payload, tail) = rest.split_at_checked(rest.len().checked_sub(TAIL)?)?;
        let (key, signature) = tail.strip_prefix(b"\n")?.strip_suffix(b"\n")?.split_at_checked(64)?;
        let frame = Self { payload, key: lower_hex(key)?, signature: lower_hex(signature.strip_prefix(b"\n")?)? };
        (padding < 3 && bytes.len().is_multiple_of(3) && !payload.contains(&b'\n')).then_some(frame)
    }

    /// Joins the lines into a frame.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = format!("{TYPE}\n").into_bytes();
        out.extend_from_slice(self.payload);
        out.extend(format!("\n{}\n{}\n", hex::encode(self.key), hex::encode(self.signature)).into_bytes());
        while !out.len().is_multiple_of(3) {
            out.push(b'\n');
        }
        out
    }
}
