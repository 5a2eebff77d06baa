//! Detecting the type of a text source from its first bytes, and reading on.

use std::{
    io::{self, BufRead, BufReader, Cursor, Read},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::transfer::{from_utf16, wide};

/// Number of bytes that are examined to detect the type of a source.
const HEAD: usize = 1 << 16;
/// The maximum number of bytes read together if a line has no end.
const LINE: u64 = 1 << 16;

/// A source that can supply more bytes on request.
pub(super) trait Fill {
    /// Reads on until `out` has at least `want` bytes, or one more line; returns whether the source has ended.
    fn fill(&mut self, out: &mut Vec<u8>, want: usize) -> io::Result<bool>;
}

/// The format of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text of any sort, which is read as a whole.
    Text,
    /// One message (RFC 5322).
    Message,
    /// Several messages, each preceded by a `From ` line.
    Mbox,
    /// A page as saved by a browser.
    Html,
}

/// Removes the byte order mark and the white space before the first character.
pub(super) fn unpadded(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start()
}

impl Kind {
    /// Detects the format from the first lines. The file name is not used, because people save mails under any name.
    pub(super) fn of(head: &[u8]) -> Self {
        if wide(head).is_some() {
            return Self::Text;
        }
        let head = unpadded(head.get(..HEAD).unwrap_or(head));
        let begins = |text: &str| head.get(..text.len()).is_some_and(|own| own.eq_ignore_ascii_case(text.as_bytes()));
        if begins("<!doctype html") || begins("<html") {
            return Self::Html;
        }
        let mut lines = head.split(|byte| *byte == b'\n').peekable();
        if head.starts_with(b"From ") {
            lines.next();
            return if lines.next().is_some_and(is_field) { Self::Mbox } else { Self::Text };
        }
        let mut points = 0;
        for (i, line) in lines.enumerate() {
            let line = line.trim_ascii_end();
            if line.is_empty() {
                break;
            }
            let folded = i > 0 && line.first().is_some_and(u8::is_ascii_whitespace);
            if !folded && !is_field(line) {
                return Self::Text;
            }
            points += if folded { 0 } else { worth(line) };
        }
        if points >= 2 { Self::Message } else { Self::Text }
    }
}

/// Returns the text after a first line that is a number, as in an .emlx file.
fn behind_count(head: &[u8]) -> Option<&[u8]> {
    let (line, rest) = head.split_at(head.iter().position(|byte| *byte == b'\n')? + 1);
    let digits = line.trim_ascii();
    (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit)).then_some(rest)
}

/// Whether a line is a header field, or a line that an older program quoted in the header.
fn is_field(line: &[u8]) -> bool {
    let name = line.iter().position(|byte| *byte == b':').and_then(|colon| line.get(..colon));
    line.starts_with(b">From ")
        || name.is_some_and(|name| {
            !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte))
        })
}

/// Returns how strongly a field suggests a message: people write `From:` and `Subject:` too, but only programs write
/// the others.
fn worth(line: &[u8]) -> u32 {
    const PEOPLE: [&str; 8] = ["from", "to", "cc", "subject", "date", "reply-to", "sender", "bcc"];
    const PROGRAMS: [&str; 8] = [
        "content-type",
        "content-transfer-encoding",
        "mime-version",
        "message-id",
        "received",
        "return-path",
        "delivered-to",
        "references",
    ];
    let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
    let is = |known: &&str| name.eq_ignore_ascii_case(known.as_bytes());
    if PROGRAMS.iter().any(is) { 2 } else { u32::from(PEOPLE.iter().any(is)) }
}

/// A source that is being read.
pub(super) struct Stream {
    input: Box<dyn BufRead + Send>,
    splits: bool,
    /// The first line of the next message, which was read already.
    ahead: Vec<u8>,
    /// Whether the previous line was empty, so that a message may end here.
    after_blank: bool,
    at_line_start: bool,
    /// Bytes read so far.
    pub(super) passed: u64,
    /// Bytes of the source read so far, if its text is decoded from UTF-16.
    wide: Option<Arc<AtomicU64>>,
    /// Whether the source has ended.
    pub(super) at_end: bool,
}

impl Stream {
    /// Opens a source, and examines its beginning.
    ///
    /// # Errors
    /// The error of the source, if it cannot be read.
    pub(super) fn open(mut source: Box<dyn Read + Send>) -> io::Result<(Self, Kind)> {
        let mut head = Vec::new();
        source.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
        if let [b'P', b'K', 3, 4, ..] | [0x1f, 0x8b, ..] = head.as_slice() {
            let why = "it is compressed (.zip or .gz); unpack it, and read the unpacked files";
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        if let Some(big) = wide(&head) {
            let source = Cursor::new(head).chain(source);
            let read = Arc::new(AtomicU64::new(0));
            let text = Utf16 { source, big, ready: Cursor::default(), read: Arc::clone(&read) };
            let mut stream = Self::new(Box::new(BufReader::new(text)), false);
            stream.wide = Some(read);
            return Ok((stream, Kind::Text));
        }
        let counted = behind_count(&head).filter(|mail| Kind::of(mail) == Kind::Message);
        let kind = counted.map_or_else(|| Kind::of(&head), |_| Kind::Message);
        let counted = counted.map_or(0, |mail| (head.len() - mail.len()) as u64);
        let ends = head.len() < HEAD;
        let mut head = Cursor::new(head);
        head.set_position(counted);
        let input: Box<dyn BufRead + Send> =
            if ends { Box::new(head) } else { Box::new(head.chain(BufReader::with_capacity(LINE as usize, source))) };
        let mut stream = Self::new(input, kind == Kind::Mbox);
        stream.passed = counted;
        if stream.splits {
            stream.skip_to_first_message()?;
        }
        Ok((stream, kind))
    }

    fn new(input: Box<dyn BufRead + Send>, splits: bool) -> Self {
        Self {
            input,
            splits,
            ahead: Vec::new(),
            after_blank: false,
            at_line_start: true,
            passed: 0,
            wide: None,
            at_end: false,
        }
    }

    fn skip_to_first_message(&mut self) -> io::Result<()> {
        let mut line = Vec::new();
        while !line.starts_with(b"From ") && !line.starts_with(b"\xef\xbb\xbfFrom ") && !self.at_end {
            line.clear();
            self.line(&mut line)?;
        }
        Ok(())
    }

    /// Reads a line, or a part of an endless one, and appends it.
    fn line(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        let count = self.input.by_ref().take(LINE).read_until(b'\n', out)?;
        self.passed += count as u64;
        self.at_end = count == 0;
        Ok(())
    }

    /// Reads on in a mailbox, up to the end of a message.
    fn fill_message(&mut self, out: &mut Vec<u8>, want: usize) -> io::Result<bool> {
        out.append(&mut self.ahead);
        while out.len() < want {
            let start = out.len();
            self.line(out)?;
            if self.at_end {
                return Ok(true);
            }
            let line = out.get(start..).unwrap_or_default();
            let separates = self.at_line_start && line.starts_with(b"From ") && (self.after_blank || has_time(line));
            self.after_blank = self.at_line_start && line.trim_ascii().is_empty();
            self.at_line_start = line.ends_with(b"\n");
            if !separates {
                continue;
            }
            let mut next = Vec::new();
            self.line(&mut next)?;
            self.at_line_start = next.is_empty() || next.ends_with(b"\n");
            if self.at_end || !is_field(&next) {
                self.after_blank = next.trim_ascii().is_empty();
                out.append(&mut next);
                continue;
            }
            out.truncate(start);
            self.ahead = next;
            self.after_blank = false;
            return Ok(true);
        }
        Ok(false)
    }
}

impl Fill for Stream {
    fn fill(&mut self, out: &mut Vec<u8>, want: usize) -> io::Result<bool> {
        if self.splits {
            return self.fill_message(out, want);
        }
        let missing = want.saturating_sub(out.len()) as u64;
        let count = self.input.by_ref().take(missing).read_to_end(out)? as u64;
        self.passed = self.wide.as_ref().map_or(self.passed + count, |read| read.load(Ordering::Relaxed));
        self.at_end = count < missing;
        Ok(self.at_end)
    }
}

/// A text in memory can be read like any other source.
impl Fill for &[u8] {
    fn fill(&mut self, out: &mut Vec<u8>, want: usize) -> io::Result<bool> {
        let (now, later) = self.split_at(want.saturating_sub(out.len()).min(self.len()));
        out.extend_from_slice(now);
        *self = later;
        Ok(later.is_empty())
    }
}

/// Whether a `From ` line has a time of day, as lines between messages do: some programs omit the empty line before
/// them.
fn has_time(line: &[u8]) -> bool {
    line.windows(6).any(|window| match window {
        [b' ', a, b, b':', c, d] => [a, b, c, d].iter().all(|byte| byte.is_ascii_digit()),
        _ => false,
    })
}

/// A file in UTF-16, as some Windows programs save text, read as UTF-8.
struct Utf16<R> {
    source: R,
    big: bool,
    ready: Cursor<Vec<u8>>,
    /// Bytes of the source read so far.
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.ready.position() >= self.ready.get_ref().len() as u64 {
            let mut bytes = Vec::new();
            let count = self.source.by_ref().take(LINE).read_to_end(&mut bytes)?;
            self.read.fetch_add(count as u64, Ordering::Relaxed);
            // A character cut in two at the end of a block cannot belong to a letter, because letters are ASCII.
            let text = from_utf16(&bytes, self.big);
            self.ready = Cursor::new(text.into_bytes());
        }
        self.ready.read(out)
    }
}
