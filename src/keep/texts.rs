//! Texts that a person provides, in files or on standard input.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use crate::limits::FRAME_BYTES;

/// A text, and the path of its file, which messages name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFile {
    /// The path of the file; other files that the text names are looked up relative to it.
    pub path: PathBuf,
    /// The content of the file.
    pub text: String,
}

impl TextFile {
    /// Reads a file or, for `-`, standard input.
    ///
    /// # Errors
    /// Same errors as [`read_text`].
    pub fn read(path: &Path) -> Result<Self, String> {
        Self::of(path, read_input(path)?)
    }

    /// Decodes the content of a file, which must be UTF-8 or, with a byte order mark, UTF-16. The mark is dropped.
    ///
    /// # Errors
    /// If the content is not text, or is longer than a letter allows. The error explains what to do.
    pub fn of(path: &Path, bytes: Vec<u8>) -> Result<Self, String> {
        if bytes.len() > FRAME_BYTES {
            return Err(too_long(path, FRAME_BYTES));
        }
        let text = match bytes.as_slice() {
            // Spreadsheets and the old PowerShell write UTF-16.
            [0xff, 0xfe, wide @ ..] => utf16(wide, u16::from_le_bytes),
            [0xfe, 0xff, wide @ ..] => utf16(wide, u16::from_be_bytes),
            _ => String::from_utf8(bytes).ok(),
        };
        let text = text.ok_or_else(|| {
            format!("{} is not UTF-8 text; save it as UTF-8 in the program it is from", path.display())
        })?;
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        Ok(Self { path: path.to_owned(), text })
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (units, rest) = bytes.as_chunks();
    let units: Vec<u16> = units.iter().map(|bytes| unit(*bytes)).collect();
    String::from_utf16(&units).ok().filter(|_| rest.is_empty())
}

/// Reads a text, from a file or, for `-`, from standard input.
///
/// # Errors
/// If the file cannot be read, is not text, or is larger than a letter allows. The error explains what to do.
pub fn read_text(path: &Path) -> Result<String, String> {
    TextFile::read(path).map(|file| file.text)
}

/// Reads a file or, for `-`, standard input, of at most `FRAME_BYTES` bytes.
pub(crate) fn read_input(path: &Path) -> Result<Vec<u8>, String> {
    read_up_to(path, FRAME_BYTES)
}

fn too_long(path: &Path, most: usize) -> String {
    format!("{} has more than {most} bytes, which is too long for a letter; shorten it", path.display())
}

/// Reads a file or, for `-`, standard input, of at most `longest` bytes.
///
/// # Errors
/// If the input is longer, or cannot be read. The error explains what to do.
pub(crate) fn read_up_to(path: &Path, longest: usize) -> Result<Vec<u8>, String> {
    let most = longest as u64;
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().lock().take(most + 1).read_to_end(&mut bytes)
    } else {
        if path.is_dir() {
            return Err(format!("{} is a folder; name a file", path.display()));
        }
        fs::File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes))
    };
    match read {
        Ok(_) if bytes.len() > longest => Err(too_long(path, longest)),
        Ok(_) => Ok(bytes),
        Err(error) => Err(format!("{} cannot be read: {error}", path.display())),
    }
}
