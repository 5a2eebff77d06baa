//! Reading sources in batches, in bounded memory, so that threads can share the opening of letters
//! (`protocol/mail.md`).

use std::{
    collections::VecDeque,
    fs::{self, File},
    io::{self, Cursor, Read},
    path::PathBuf,
};

use super::{
    files,
    find::Find,
    message, mime,
    pieces::{Piece, Pieces},
    stream::{Fill, Kind, Stream},
};
use crate::{
    blob::{Keys, Verified},
    keep::looks_secret,
    limits::MESSAGE_BYTES,
};

/// A larger message is opened while no other thread reads on, so that only one such message is in memory.
const LARGE: usize = 1 << 20;

/// A source to read.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    from: From,
    /// Whether the source was requested by name, rather than found in a folder.
    asked: bool,
}

#[derive(Clone, Debug)]
enum From {
    File(PathBuf),
    Input,
    Memory(Vec<u8>),
}

impl Source {
    /// Creates a source from content in memory and a name for it.
    #[must_use]
    pub fn memory(name: impl Into<String>, content: Vec<u8>) -> Self {
        Self { name: name.into(), from: From::Memory(content), asked: true }
    }

    fn file(path: PathBuf, asked: bool) -> Self {
        let from = if path.as_os_str() == "-" { From::Input } else { From::File(path.clone()) };
        Self { name: path.display().to_string(), from, asked }
    }

    /// Returns the number of bytes, if known before reading.
    fn size(&self) -> Option<u64> {
        match &self.from {
            From::File(path) => fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|data| data.len()),
            From::Input => None,
            From::Memory(content) => Some(content.len() as u64),
        }
    }

    fn open(self) -> io::Result<(Stream, Kind)> {
        let source: Box<dyn Read + Send> = match self.from {
            From::File(path) => Box::new(File::open(path)?),
            From::Input => Box::new(io::stdin()),
            From::Memory(content) => Box::new(Cursor::new(content)),
        };
        Stream::open(source)
    }
}

/// Mail that is being read.
pub struct Mail {
    sources: VecDeque<Source>,
    current: Option<Current>,
    size: Option<u64>,
    passed: u64,
    talk: Vec<String>,
    failed: Option<String>,
}

struct Current {
    name: String,
    asked: bool,
    stream: Stream,
    kind: Kind,
    /// Number of messages begun.
    messages: usize,
    /// Text that is read in pieces, and its name.
    text: Option<(String, Pieces)>,
}

/// A piece of mail that can be opened on its own.
#[derive(Debug)]
pub struct Batch(Content);

#[derive(Debug)]
enum Content {
    Text { name: String, place: String, piece: Piece },
    Message { place: String, raw: Vec<u8> },
}

impl Mail {
    /// Creates a reader of sources in memory.
    #[must_use]
    pub fn of(sources: Vec<Source>) -> Self {
        let size = sources.iter().map(Source::size).sum();
        Self { sources: sources.into(), current: None, size, passed: 0, talk: Vec::new(), failed: None }
    }

    /// Opens files, the files in folders, and `-` for standard input.
    ///
    /// # Errors
    /// A message for the user, if a folder named on the command line cannot be read.
    pub fn at(paths: &[PathBuf]) -> Result<Self, String> {
        let (mut sources, mut talk) = (Vec::new(), Vec::new());
        for path in paths {
            if path.is_dir() {
                let files = files::files_below(path, &mut talk)?;
                sources.extend(files.into_iter().map(|path| Source::file(path, false)));
            } else {
                sources.push(Source::file(path.clone(), true));
            }
        }
        Ok(Self { talk, ..Self::of(sources) })
    }

    /// Returns the total number of bytes to read, if known.
    #[must_use]
    pub const fn size(&self) -> Option<u64> {
        self.size
    }

    /// Returns the number of bytes read so far.
    #[must_use]
    pub fn passed(&self) -> u64 {
        self.passed + self.current.as_ref().map_or(0, |current| current.stream.passed)
    }

    /// Stores a warning from a batch, once for each place.
    pub fn warn(&mut self, warning: Option<String>) {
        self.talk.extend(warning.filter(|warning| !self.talk.contains(warning)));
    }

    /// Reads everything in one thread, and passes each find to `take`, in order. Returns the unreadable items in
    /// folders that were skipped, and a warning for each secret key.
    ///
    /// # Errors
    /// A message for the user, if a file named on the command line cannot be read; earlier finds have already been
    /// passed on.
    pub fn finds(mut self, take: &mut dyn FnMut(Find)) -> Result<Vec<String>, String> {
        let keys = Keys::default();
        while let Some(batch) = self.batch() {
            let warning = batch.open(&keys, take);
            self.warn(warning);
        }
        self.end()
    }

    /// Finishes reading, and returns the warnings and the unreadable items in folders that were skipped.
    ///
    /// # Errors
    /// A message for the user, if reading stopped at an unreadable file named on the command line.
    pub fn end(self) -> Result<Vec<String>, String> {
        match self.failed {
            Some(why) => Err(why),
            None => Ok(self.talk),
        }
    }

    /// Returns the next piece of mail, `None` at the end or after a failure.
    pub fn batch(&mut self) -> Option<Batch> {
        while self.failed.is_none() {
            let Some(current) = &mut self.current else {
                let source = self.sources.pop_front()?;
                let (name, asked) = (source.name.clone(), source.asked);
                match source.open() {
                    Ok((stream, kind)) => {
                        self.current = Some(Current { name, asked, stream, kind, messages: 0, text: None });
                    }
                    Err(error) => self.unreadable(&name, asked, &error),
                }
                continue;
            };
            match current.batch() {
                Ok(Some(content)) => return Some(Batch(content)),
                Ok(None) => {
                    self.passed = self.passed();
                    self.current = None;
                }
                Err(error) => {
                    let (name, asked) = (current.name.clone(), current.asked);
                    self.passed = self.passed();
                    self.current = None;
                    self.unreadable(&name, asked, &error);
                }
            }
        }
        None
    }

    fn unreadable(&mut self, name: &str, asked: bool, error: &io::Error) {
        let why = format!("{name} cannot be read: {error}");
        if asked {
            self.failed = Some(why);
        } else {
            self.talk.push(why);
        }
    }
}

impl Current {
    fn batch(&mut self) -> io::Result<Option<Content>> {
        loop {
            if let Some((place, pieces)) = &mut self.text {
                if let Some(piece) = pieces.next(&mut self.stream)? {
                    return Ok(Some(Content::Text { name: self.name.clone(), place: place.clone(), piece }));
                }
                self.text = None;
            }
            if self.stream.at_end {
                return Ok(None);
            }
            if self.kind == Kind::Text {
                self.text = Some((format!("{}, line", self.name), Pieces::default()));
                continue;
            }
            let mut raw = Vec::new();
            let whole = self.stream.fill(&mut raw, MESSAGE_BYTES + 1)?;
            self.messages += 1;
            let place = self.place(&raw);
            if whole {
                return Ok(Some(Content::Message { place, raw }));
            }
            self.text = Some((format!("{place}, source line"), Pieces::after(raw)));
        }
    }

    /// Returns the place of the batch: the file, the number of the message if there can be several, and the message's
    /// title.
    fn place(&self, raw: &[u8]) -> String {
        let number = if self.kind == Kind::Mbox { format!(", message {}", self.messages) } else { String::new() };
        let title = mime::title(raw).map_or(String::new(), |title| format!(" ({title})"));
        format!("{}{number}{title}", self.name)
    }
}

impl Batch {
    /// Whether the batch is so long that it should be opened before the next one is requested.
    #[must_use]
    pub fn is_large(&self) -> bool {
        matches!(&self.0, Content::Message { raw, .. } if raw.len() > LARGE)
    }

    /// Decodes and verifies the letters in the batch, and passes them to `take`. Returns a warning if the batch also
    /// contains somebody's secret key.
    #[must_use]
    pub fn open(&self, keys: &Keys, take: &mut dyn FnMut(Find)) -> Option<String> {
        match &self.0 {
            Content::Message { place, raw } => message::finds(raw, place, keys, take).then(|| secret_in(place)),
            Content::Text { name, place, piece } => {
                for found in &piece.found {
                    let blob = found.decode(&piece.text);
                    let place = format!("{place} {}", blob.line);
                    let (frame, letter) = match blob.frame {
                        Ok(frame) => {
                            let letter = Verified::open(&frame, keys);
                            (frame, letter)
                        }
                        Err(error) => (Vec::new(), Err(error.into())),
                    };
                    take(Find { place, frame, letter });
                }
                looks_secret(&piece.text).then(|| secret_in(name))
            }
        }
    }
}

/// Returns the warning about a place that contains somebody's key.
fn secret_in(place: &str) -> String {
    format!(
        "SECRET KEY in {place}: this looks like a key file or its backup, which must never be mailed. Anyone who has \
         read it can sign as its owner and know their dice in advance. Its owner should tell the others, and play on \
         in new games with a new key"
    )
}

/// Passes every find below some paths to `take`, in order; `-` is standard input. Returns what [`Mail::finds`] does.
///
/// # Errors
/// A message for the user, if a folder or file named on the command line cannot be read; earlier finds have already
/// been passed on.
pub fn finds(paths: &[PathBuf], take: &mut dyn FnMut(Find)) -> Result<Vec<String>, String> {
    Mail::at(paths)?.finds(take)
}
