//! The parts of a message (RFC 2045 to 2049), one at a time.
//!
//! mail-parser reads headers, charsets and transfer encodings. The tree of the parts is walked here, because it looks for
//! boundaries within lines (a boundary `B` ends a part at `-----BEGIN`), decodes every attachment at once, and goes as
//! deep as a message asks for.

use std::{borrow::Cow, sync::LazyLock};

use mail_parser::{
    ContentType, HeaderName, MessageParser, MessagePart, MimeHeaders,
    decoders::{base64::base64_decode, charsets::map::charset_decoder, quoted_printable::quoted_printable_decode},
};

use super::{html, stream::Kind};
use crate::limits::MIME_DEPTH;

/// Longest subject shown, in characters.
const SUBJECT: usize = 60;

static HEADERS: LazyLock<MessageParser> = LazyLock::new(|| {
    MessageParser::new()
        .header_content_type(HeaderName::ContentType)
        .header_content_type(HeaderName::ContentDisposition)
        .header_text(HeaderName::ContentTransferEncoding)
        .header_text(HeaderName::Subject)
        .header_date(HeaderName::Date)
        .default_header_ignore()
});

/// Text of a message as its reader sees it.
pub(super) struct Leaf<'a> {
    /// The name of the attachment that it is, if it is one.
    pub(super) attachment: Option<String>,
    pub(super) text: Cow<'a, [u8]>,
}

/// What a message calls itself: its subject, or else its date; both are claims.
pub(super) fn title(raw: &[u8]) -> Option<String> {
    let headers = HEADERS.parse_headers(split(raw).0)?;
    match headers.subject().map(str::trim) {
        Some(subject) if !subject.is_empty() => {
            let mut words = subject.split_whitespace().collect::<Vec<_>>().join(" ");
            if let Some((end, _)) = words.char_indices().nth(SUBJECT) {
                words.truncate(end);
                words.push_str("..");
            }
            Some(format!("{words:?}"))
        }
        _ => headers.date().map(|date| format!("of {}", date.to_rfc3339())),
    }
}

/// Hands on every part of a message that can hold letters, in order.
pub(super) fn leaves(raw: &[u8], take: &mut impl FnMut(Leaf<'_>)) {
    walk(raw, MIME_DEPTH, false, None, take);
}

/// Header and body.
fn split(raw: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 0;
    while let Some(line) = raw.get(at..).and_then(|rest| rest.split_inclusive(|byte| *byte == b'\n').next()) {
        at += line.len();
        if line == b"\n" || line == b"\r\n" {
            break;
        }
    }
    raw.split_at(at.min(raw.len()))
}

fn walk(raw: &[u8], depth: usize, in_digest: bool, within: Option<&str>, take: &mut impl FnMut(Leaf<'_>)) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let (head, body) = split(raw);
    let message = HEADERS.parse_headers(head);
    let headers = message.and_then(|message| message.parts.into_iter().next()).unwrap_or_default();
    let kind = headers.content_type();
    let is = |main: &str| kind.is_some_and(|kind| kind.ctype().eq_ignore_ascii_case(main));
    let subtype = |sub: &str| kind.and_then(ContentType::subtype).is_some_and(|own| own.eq_ignore_ascii_case(sub));
    if is("multipart")
        && let Some(boundary) = kind.and_then(|kind| kind.attribute("boundary"))
    {
        // Where the boundary is nowhere, this is no structure but text, and the source is read in any case.
        let parts = parts(body, boundary.trim_end().as_bytes());
        return parts.for_each(|part| walk(part, depth, subtype("digest"), within, take));
    }
    // Pictures hold no letters, and are most of what there is to decode.
    if ["image", "audio", "video", "font"].into_iter().any(is) {
        return;
    }
    let decoded = transfer_decoded(&headers, body);
    let name = headers.attachment_name().or(within);
    if is("message") && !subtype("delivery-status") || in_digest && kind.is_none() {
        return walk(&decoded, depth, false, name, take);
    }
    if name.is_some() && Kind::of(&decoded) == Kind::Message {
        walk(&decoded, depth, false, name, take);
    }
    let charset = kind.and_then(|kind| kind.attribute("charset"));
    let is_text = kind.is_none() || is("text") || charset.is_some();
    let text = in_charset(&decoded, charset, is_text);
    let named = |ending: &str| name.is_some_and(|name| name.to_ascii_lowercase().ends_with(ending));
    let text = if subtype("html") || subtype("xhtml+xml") || named(".html") || named(".htm") {
        Cow::Owned(html::lines(&String::from_utf8_lossy(&text)).into_bytes())
    } else {
        text
    };
    take(Leaf { attachment: name.map(str::to_owned), text });
}

/// The parts between the lines that are a boundary and nothing else; the last one may lack the line behind it.
fn parts<'a>(body: &'a [u8], boundary: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = to_delimiter(body, boundary).and_then(|(_, rest)| rest);
    std::iter::from_fn(move || {
        let text = rest?;
        let (part, more) = to_delimiter(text, boundary).unwrap_or((text, None));
        rest = more;
        Some(part)
    })
}

/// What is before the next boundary, and what is behind it unless it is the last one.
fn to_delimiter<'a>(text: &'a [u8], boundary: &[u8]) -> Option<(&'a [u8], Option<&'a [u8]>)> {
    let mut at = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let next = at + line.len();
        if let Some(closes) = delimits(line, boundary) {
            return Some((text.get(..at)?, text.get(next..).filter(|_| !closes)));
        }
        at = next;
    }
    None
}

/// Whether a line is a boundary, and if so whether it is the last one.
fn delimits(line: &[u8], boundary: &[u8]) -> Option<bool> {
    let behind = line.strip_prefix(b"--")?.strip_prefix(boundary)?.trim_ascii_end();
    match behind {
        b"" => Some(false),
        b"--" => Some(true),
        _ => None,
    }
}

/// A body without its transfer encoding. What is not in order is taken as it is.
fn transfer_decoded<'a>(headers: &MessagePart<'_>, body: &'a [u8]) -> Cow<'a, [u8]> {
    let encoding = headers.content_transfer_encoding().unwrap_or_default().trim();
    if encoding.eq_ignore_ascii_case("base64") {
        // Mailing lists write their footer in plain text below it.
        let digits = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=\r\n\t ".contains(byte);
        let end = body.iter().position(|byte| !digits(byte)).unwrap_or(body.len());
        let footer = |text: &[u8]| text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let end = if end < body.len() { footer(body.get(..end).unwrap_or_default()) } else { end };
        return base64_decode(body.get(..end).unwrap_or_default()).map_or(Cow::Borrowed(body), Cow::Owned);
    }
    if encoding.eq_ignore_ascii_case("quoted-printable") {
        let line = |line: &'a [u8]| quoted_printable_decode(line).map_or(Cow::Borrowed(line), Cow::Owned);
        let by_lines = || body.split_inclusive(|byte| *byte == b'\n').map(line).collect::<Vec<_>>().concat();
        return Cow::Owned(quoted_printable_decode(body).unwrap_or_else(by_lines));
    }
    Cow::Borrowed(body)
}

/// Bytes in a charset as UTF-8. Most charsets agree in ASCII, which is all that a letter has.
fn in_charset<'a>(bytes: &'a [u8], charset: Option<&str>, is_text: bool) -> Cow<'a, [u8]> {
    let wide = matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
    let charset = if wide { "utf-16" } else { charset.unwrap_or("us-ascii") };
    let shifts = ["utf-7", "utf-16", "utf-32"]
        .iter()
        .any(|wide| charset.get(..wide.len()).is_some_and(|start| start.eq_ignore_ascii_case(wide)));
    if !shifts && (!is_text || std::str::from_utf8(bytes).is_ok()) {
        return Cow::Borrowed(bytes);
    }
    // Unnamed bytes are most often those of Windows, whose long dashes stand where a letter begins.
    match charset_decoder(charset.as_bytes()).or_else(|| charset_decoder(b"windows-1252")) {
        Some(decode) => Cow::Owned(decode(bytes).into_bytes()),
        None => Cow::Borrowed(bytes),
    }
}
