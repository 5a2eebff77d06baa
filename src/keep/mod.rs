//! Storage on a player's disk. Game state is never stored here: it is replayed from the letters.

pub mod archive;
pub mod atomic;
pub mod backup;
#[cfg(feature = "cli")]
pub mod backup_page;
pub mod folder;
pub mod home;
pub mod key_file;
pub mod moved;
pub mod notes;
#[cfg(feature = "client")]
pub mod office_account;
pub mod points;
pub mod random;
pub mod root;
pub mod signing_journal;
pub mod texts;
pub mod threads;

use std::{fmt, io, path::Path};

use crate::blob::armour;

/// Why stored data could not be read or written. The text says what happened, then what to do. It never contains a
/// secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorageError {
    /// Something is wrong: a wrong passphrase, a damaged file, a file that would have been overwritten. Exit code 1.
    Refused(String),
    /// The operation could not be tried: a file is missing or unreadable, or no passphrase was given. Exit code 2.
    Unable(String),
}

impl StorageError {
    /// Makes the error for a file or folder that the system refuses to open, read or write. `what` completes the
    /// message "PATH cannot be ..".
    pub(crate) fn with(path: &Path, what: &str, error: &io::Error) -> Self {
        let then = if is_full(error) { NO_ROOM } else { "" };
        Self::Unable(format!("{} cannot be {what}: {error}{then}", path.display()))
    }
}

/// The advice for a full disk. A command that is typed again finds everything that it has kept already.
pub(crate) const NO_ROOM: &str = "; make room on that disk and type the command again: nothing is signed twice";

/// Whether an error means that the disk, or this user's quota on it, is full.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(text) | Self::Unable(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for StorageError {}

/// Whether a text contains a key file or a backup page, or a piece of one with one of its marks (key-file 3). Callers
/// that read mails use this to warn loudly.
#[must_use]
pub fn looks_secret(text: &str) -> bool {
    armour::holds_words(text, "SEALED", &["DICE", "SECRET"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_says_what_was_not_written_and_what_to_do() {
        let said = |kind: io::ErrorKind| {
            StorageError::with(Path::new("letters/ann-0007.txt"), "written", &kind.into()).to_string()
        };
        let full = said(io::ErrorKind::StorageFull);
        assert!(full.starts_with("letters/ann-0007.txt cannot be written: ") && full.contains("make room"), "{full}");
        assert!(!said(io::ErrorKind::PermissionDenied).contains("make room"));
    }
}
