//! What a player keeps on his disk. State is never kept here: it is replayed from the letters.

pub mod atomic;
pub mod backup;
pub mod folder;
pub mod home;
pub mod key_file;
pub mod key_ring;
pub mod notes;
pub mod points;
#[cfg(feature = "office")]
pub mod post_box;
pub mod random;
pub mod root;
pub mod threads;
pub mod witness;

use std::{fmt, io, path::Path};

use crate::blob::armour;

/// Why something kept could not be had, or was not put down: what happened, then what to do. Nothing secret is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Found wrong: a wrong passphrase, a damaged file, a file that would have been overwritten. Exit code 1.
    Refused(String),
    /// Could not be tried: a file that is missing or unreadable, a passphrase that nobody gave. Exit code 2.
    Unable(String),
}

impl Trouble {
    /// A file or folder that the system does not let us use; `what` completes "PATH cannot be ..".
    pub(crate) fn with(path: &Path, what: &str, error: &io::Error) -> Self {
        Self::Unable(format!("{} cannot be {what}: {error}", path.display()))
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(text) | Self::Unable(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Trouble {}

/// Whether a text holds a key file or a backup page, or a piece with one of their marks (key-file 3). Whoever reads
/// mails asks this, and shouts.
#[must_use]
pub fn looks_secret(text: &str) -> bool {
    armour::holds_words(text, "SEALED", &["DICE", "SECRET"])
}
