//! Texts that a person provides, in files or on standard input.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use crate::limits::FRAME_BYTES;

/// A text with the file that it came from, which messages name.
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
        Ok(Self { path: path.to_owned(), text: read_text(path)? })
    }
}

/// Reads a text, from a file or, for `-`, from standard input. A leading byte order mark is dropped.
///
/// # Errors
/// If the file cannot be read, is not UTF-8 text, or is larger than a letter allows. The error explains what to do.
pub fn read_text(path: &Path) -> Result<String, String> {
    let bytes = read_input(path)?;
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(format!(
            "{} is UTF-16 text, as `>` in the old PowerShell writes it; save it as UTF-8: in Notepad with \"Save as\" and the \
             encoding UTF-8, or type the command again in cmd",
            path.display()
        ));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| format!("{} is not UTF-8 text; save it as UTF-8 in your editor", path.display()))?;
    match text.strip_prefix('\u{feff}') {
        Some(rest) => Ok(rest.to_owned()),
        None => Ok(text),
    }
}

/// Reads a file that somebody wrote, or standard input for `-`, up to slightly more than a letter allows.
pub(crate) fn read_input(path: &Path) -> Result<Vec<u8>, String> {
    let most = FRAME_BYTES as u64;
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().lock().take(most + 1).read_to_end(&mut bytes)
    } else {
        if path.is_dir() {
            return Err(format!("{} is a folder, and a file is meant", path.display()));
        }
        fs::File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes))
    };
    match read {
        Ok(_) if bytes.len() as u64 > most => {
            Err(format!("{} has more than {most} bytes: no letter has room for that", path.display()))
        }
        Ok(_) => Ok(bytes),
        Err(error) => Err(format!("{} cannot be read: {error}", path.display())),
    }
}
