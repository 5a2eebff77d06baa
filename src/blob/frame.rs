//! The frame (`protocol/message.md` 1): four readable lines, padded so that their base64 never needs `=`.

use super::body::is_lower_hex;
use crate::{
    error::{Class, Error, Result},
    limits::FRAME_BYTES,
};

/// The one type of message in this version.
pub const TYPE: &str = "sealed-dice/v1";

/// A frame taken apart; nothing in it is checked but its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The canonical JSON, as received.
    pub payload: &'a [u8],
    /// The key that is said to have signed.
    pub key: [u8; 32],
    /// The signature.
    pub signature: [u8; 64],
}

impl<'a> Frame<'a> {
    /// Takes the bytes apart.
    ///
    /// # Errors
    /// Class `size` or `frame`.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        if bytes.len() > FRAME_BYTES {
            return Err(Error::malformed(
                Class::Size,
                format!("{} bytes; a letter has at most {FRAME_BYTES}", bytes.len()),
            ));
        }
        Self::lines(bytes).ok_or_else(|| {
            Error::malformed(
                Class::Frame,
                "not the four lines of a frame: type, payload, key, signature; or a newer version's",
            )
        })
    }

    fn lines(bytes: &'a [u8]) -> Option<Self> {
        let mut lines = bytes.splitn(5, |byte| *byte == b'\n');
        let kind = lines.next()?;
        let payload = lines.next()?;
        let frame = Self { payload, key: digits(lines.next()?)?, signature: digits(lines.next()?)? };
        let padding = lines.next()?;
        let fits = kind == TYPE.as_bytes()
            && padding.len() < 3
            && padding.iter().all(|byte| *byte == b'\n')
            && bytes.len().is_multiple_of(3);
        fits.then_some(frame)
    }

    /// Puts the lines together.
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

fn digits<const N: usize>(line: &[u8]) -> Option<[u8; N]> {
    let text = std::str::from_utf8(line).ok()?;
    let mut bytes = [0; N];
    (is_lower_hex(text) && hex::decode_to_slice(text, &mut bytes).is_ok()).then_some(bytes)
}
