//! A player's notes about keys, by fingerprint: whether a page can restore their own key, and whose keys they have
//! compared by voice. Games do not depend on the notes, and a lost note can be made again.

use std::fs;

use super::{StorageError, atomic, home::Home};

/// A single fact noted about a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// A page that restores the key was made, or the key was restored from one.
    Page,
    /// The owner does not want a page that restores the key.
    NoPage,
    /// The key's owner has read this fingerprint to the player by voice.
    Compared,
}

impl Note {
    fn line(self, fingerprint: &str) -> String {
        let word = match self {
            Self::Page => "page",
            Self::NoPage => "no-page",
            Self::Compared => "compared",
        };
        format!("{word} {}", fingerprint.replace(' ', ""))
    }
}

/// The set of a player's notes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes(String);

impl Notes {
    /// Reads the notes in a player's folder. Unreadable notes are treated as absent.
    #[must_use]
    pub fn of(home: &Home) -> Self {
        Self(fs::read_to_string(home.notes()).unwrap_or_default())
    }

    /// Whether the player has made this note about the key with this fingerprint.
    #[must_use]
    pub fn say(&self, note: Note, fingerprint: &str) -> bool {
        let line = note.line(fingerprint);
        self.0.lines().any(|noted| noted == line)
    }

    /// Whether the player has settled how to restore the key: a page exists, or the player does not want one.
    #[must_use]
    pub fn settle_page(&self, fingerprint: &str) -> bool {
        self.say(Note::Page, fingerprint) || self.say(Note::NoPage, fingerprint)
    }
}

/// Adds a note about the key with this fingerprint, and keeps earlier notes.
///
/// # Errors
/// If the system refuses.
pub fn add(home: &Home, note: Note, fingerprint: &str) -> Result<(), StorageError> {
    let Notes(mut notes) = Notes::of(home);
    notes.push_str(&(note.line(fingerprint) + "\n"));
    let path = home.notes();
    atomic::replace(&path, notes.as_bytes(), true).map_err(|error| StorageError::with(&path, "written", &error))
}
