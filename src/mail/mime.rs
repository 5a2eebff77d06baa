//! The parts of a message (`protocol/mail.md`), one at a time.
//!
//! mail-parser reads the fields shown to people: subjects, dates, names of attachments. The structure that determines
//! which letters are found is parsed here, by the few rules on that page, so that every reader finds the same letters
//! in a damaged mail.

use std::{borrow::Cow, sync::LazyLock};

use mail_parser::{HeaderName, MessageParser, MimeHeaders};

use super::{
    html,
    stream::{Kind, unpadded},
    transfer::{self, Encoding},
};
use crate::{
    blob::armour::readable,
    limits::{MIME_DEPTH, MIME_PARTS},
};

/// Longest subject shown, in characters.
const SUBJECT: usize = 60;

static HEADERS: LazyLock<MessageParser> = LazyLock::new(|| {
    MessageParser::new()
        .header_content_type(HeaderName::ContentType)
        .header_content_type(HeaderName::ContentDisposition)
        .header_text(HeaderName::Subject)
        .header_date(HeaderName::Date)
        .default_header_ignore()
});

/// Text of a message as its reader sees it.
pub(super) struct Leaf<'a> {
    /// Name of the attachment, if the text is one.
    pub(super) attachment: Option<String>,
    pub(super) text: Cow<'a, [u8]>,
}

/// Returns the title that a message claims: its subject, or else its date.
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

/// Passes to `take`, in order, every part of a message or an HTML file that can contain letters.
pub(super) fn leaves(raw: &[u8], take: &mut impl FnMut(Leaf<'_>)) {
    let mut walk = Walk { parts: 0, take };
    match Kind::of(raw) {
        Kind::Html => walk.leaf(raw, None, true),
        _ => walk.part(unpadded(raw), MIME_DEPTH, false, None),
    }
}

/// Splits a message into header and body.
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

struct Walk<'t, F> {
    /// Number of parts begun, at all depths.
    parts: usize,
    take: &'t mut F,
}

impl<F: FnMut(Leaf<'_>)> Walk<'_, F> {
    fn part(&mut self, raw: &[u8], depth: usize, in_digest: bool, within: Option<&str>) {
        let Some(depth) = depth.checked_sub(1).filter(|_| self.parts < MIME_PARTS) else { return };
        self.parts += 1;
        let (head, body) = split(raw);
        let content = field(head, "content-type");
        let kind = word(&content);
        let boundary = parameter(&content, "boundary");
        if kind.starts_with("multipart/") && !boundary.is_empty() {
            for part in parts(body, boundary) {
                self.part(part, depth, kind == "multipart/digest", within);
            }
            return;
        }
        // Pictures contain no letters but make up most of the data to decode.
        if ["image/", "audio/", "video/", "font/"].iter().any(|kind_of| kind.starts_with(kind_of)) {
            return;
        }
        let decoded = transfer::decoded(Encoding::named(&word(&field(head, "content-transfer-encoding"))), body);
        let message = HEADERS.parse_headers(head);
        let headers = message.and_then(|message| message.parts.into_iter().next()).unwrap_or_default();
        let name = headers.attachment_name().or(within);
        if ["message/rfc822", "message/global"].contains(&&*kind) || in_digest && kind.is_empty() {
            return self.part(&decoded, depth, false, name);
        }
        if Kind::of(&decoded) == Kind::Message {
            self.part(unpadded(&decoded), depth, false, name);
        }
        self.leaf(&decoded, name, ["text/html", "application/xhtml+xml"].contains(&&*kind));
    }

    fn leaf(&mut self, bytes: &[u8], name: Option<&str>, is_html: bool) {
        let is_html = is_html || Kind::of(bytes) == Kind::Html;
        let text = transfer::narrow(bytes);
        let text = if is_html { Cow::Owned(html::lines(&readable(&text)).into_bytes()) } else { text };
        (self.take)(Leaf { attachment: name.map(str::to_owned), text });
    }
}

/// Returns the value of the first field with a name, with its lines joined, or empty.
fn field(head: &[u8], name: &str) -> Vec<u8> {
    let mut lines = head.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let first = lines.by_ref().find_map(|line| {
        let (own, rest) = line.split_at_checked(name.len())?;
        own.eq_ignore_ascii_case(name.as_bytes()).then(|| after_blanks(rest).strip_prefix(b":"))?
    });
    let Some(first) = first else { return Vec::new() };
    let folded = lines.take_while(|line| matches!(line.first(), Some(b' ' | b'\t')));
    std::iter::once(first).chain(folded).collect::<Vec<_>>().concat()
}

fn after_blanks(bytes: &[u8]) -> &[u8] {
    let blanks = bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    bytes.get(blanks..).unwrap_or_default()
}

/// Returns the first word of a field, in lower case.
fn word(value: &[u8]) -> String {
    let is_token = |byte: &&u8| byte.is_ascii_alphanumeric() || b"!#$&^_.+/-".contains(byte);
    after_blanks(value).iter().take_while(is_token).map(|byte| char::from(byte.to_ascii_lowercase())).collect()
}

/// Returns the value of a named parameter in a field, in quotation marks or up to a blank or semicolon, or empty.
fn parameter<'a>(value: &'a [u8], name: &str) -> &'a [u8] {
    let named = memchr::memchr_iter(b';', value).find_map(|at| {
        let (own, rest) = after_blanks(value.get(at + 1..)?).split_at_checked(name.len())?;
        let rest = own.eq_ignore_ascii_case(name.as_bytes()).then(|| after_blanks(rest).strip_prefix(b"="))??;
        Some(after_blanks(rest))
    });
    let text = match named {
        Some([b'"', quoted @ ..]) => quoted.split(|byte| *byte == b'"').next(),
        Some(plain) => plain.split(|byte| matches!(byte, b' ' | b'\t' | b';')).next(),
        None => None,
    };
    let text = text.unwrap_or_default();
    let end = text.iter().rposition(|byte| !matches!(byte, b' ' | b'\t')).map_or(0, |last| last + 1);
    text.get(..end).unwrap_or_default()
}

/// Returns the parts between lines that consist only of a boundary; the last part may lack its closing line.
fn parts<'a>(body: &'a [u8], boundary: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = to_delimiter(body, boundary).and_then(|(_, rest)| rest);
    std::iter::from_fn(move || {
        let text = rest?;
        let (part, more) = to_delimiter(text, boundary).unwrap_or((text, None));
        rest = more;
        Some(part)
    })
}

/// Returns the text before the next boundary, and the text after it unless that boundary is the last one.
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
