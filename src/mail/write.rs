//! Writing mail: letters in a file that a mail program can open or a mail server can accept.
//!
//! The body is one plain text that contains the letters, in ASCII wherever possible: mail systems then have no reason
//! to change it, and it can be read without any program. This module has no clock, so the mail has a date only if the
//! caller provides one.

use std::str::FromStr;

use mail_builder::headers::{
    Header,
    address::{Address, EmailAddress},
    date::Date,
    text::Text,
};

use crate::resolve::values::is_unseen;

/// The maximum length of a line, in columns (RFC 2045, section 6.7).
const COLUMNS: usize = 76;

/// A mail to be written.
#[derive(Clone, Debug, Default)]
pub struct Outgoing {
    /// Subject of the mail. Unseen characters become spaces, so that no title can add a header.
    pub subject: String,
    /// The sender. Mail programs fill this in themselves when a draft is opened.
    pub from: Option<Mailbox>,
    /// The people who receive the mail.
    pub to: Vec<Mailbox>,
    /// The date of sending, in seconds since 1970 in UTC.
    pub date: Option<i64>,
    /// Text before the letters, for the recipient.
    pub cover: String,
    /// Letters in their armour.
    pub letters: Vec<String>,
}

/// The sender or a recipient of a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mailbox {
    name: Option<String>,
    address: String,
}

impl FromStr for Mailbox {
    type Err = String;

    /// Parses `ann@example.org` or `Ann <ann@example.org>`.
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (name, address) = text.strip_suffix('>').and_then(|text| text.rsplit_once('<')).unwrap_or(("", text));
        let plain = |part: &str| {
            let fits = |c: char| c.is_ascii_graphic() && !"<>()[],;:\\\"@".contains(c);
            !part.is_empty() && part.chars().all(fits)
        };
        if !address.split_once('@').is_some_and(|(user, host)| plain(user) && plain(host)) {
            return Err(format!("{text:?} is not a mail address; write ann@example.org or \"Ann <ann@example.org>\""));
        }
        let name = one_line(name.trim().trim_matches('"'));
        Ok(Self { name: Some(name).filter(|name| !name.is_empty()), address: address.to_owned() })
    }
}

impl Mailbox {
    fn header(&self) -> Address<'_> {
        let name = self.name.as_deref().map(Into::into);
        Address::Address(EmailAddress { name, email: self.address.as_str().into() })
    }
}

/// Writes the bytes of an .eml file (RFC 5322): headers, the cover text, and the letters below it. Lines end in CRLF;
/// lines in the body have at most 76 characters, all of them ASCII.
#[must_use]
pub fn eml(mail: &Outgoing) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(date) = mail.date {
        header(&mut out, "Date", &Date::new(date));
    }
    if let Some(from) = &mail.from {
        header(&mut out, "From", &from.header());
    }
    if !mail.to.is_empty() {
        header(&mut out, "To", &Address::new_list(mail.to.iter().map(Mailbox::header).collect()));
    }
    header(&mut out, "Subject", &Text::new(one_line(&mail.subject)));
    let cover = mail.cover.trim_end();
    let texts =
        Some(cover).filter(|cover| !cover.is_empty()).into_iter().chain(mail.letters.iter().map(String::as_str));
    let texts: Vec<String> = texts.map(|text| text.lines().flat_map(|line| [line, "\r\n"]).collect()).collect();
    let body = texts.join("\r\n");
    let is_plain = |line: &str| line.len() <= COLUMNS && line.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
    let (charset, encoding, body) = if body.lines().all(is_plain) {
        ("us-ascii", "7bit", body)
    } else {
        ("utf-8", "quoted-printable", quoted_printable::encode_to_str(body))
    };
    out.extend_from_slice(
        format!(
            "MIME-Version: 1.0\r\nContent-Type: text/plain; charset={charset}\r\n\
             Content-Transfer-Encoding: {encoding}\r\n\r\n{body}"
        )
        .as_bytes(),
    );
    out
}

fn header(out: &mut Vec<u8>, name: &str, value: &impl Header) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    // Writing to memory does not fail.
    value.write_header(&mut *out, name.len() + 2).ok();
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if is_unseen(c) { ' ' } else { c }).collect()
}
