//! What a player has noted about keys, by their fingerprints: whether a page brings their own key back, and whose keys
//! they have compared by voice. No game depends on a note, and a lost one is made again.

use std::fs;

use super::{StorageError, atomic, home::Home};

/// One thing that is noted about a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// A page that brings it back was made, or it came back from one.
    Page,
    /// Its owner wants no page.
    NoPage,
    /// Its owner has read this fingerprint to the player by voice.
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

/// All that a player has noted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes(String);

impl Notes {
    /// The notes in a player's folder. Those that cannot be read are not there.
    #[must_use]
    pub fn of(home: &Home) -> Self {
        Self(fs::read_to_string(home.notes()).unwrap_or_default())
    }

    /// Whether something is noted about the key with a fingerprint.
    #[must_use]
    pub fn say(&self, note: Note, fingerprint: &str) -> bool {
        let line = note.line(fingerprint);
        self.0.lines().any(|noted| noted == line)
    }

    /// Whether it is settled what happens if the key is lost: there is a page, or none is wanted.
    #[must_use]
    pub fn settle_page(&self, fingerprint: &str) -> bool {
        self.say(Note::Page, fingerprint) || self.say(Note::NoPage, fingerprint)
    }
}

/// Notes something about the key with a fingerprint, beside what is noted already.
///
/// # Errors
/// If the system refuses.
pub fn add(home: &Home, note: Note, fingerprint: &str) -> Result<(), StorageError> {
    let Notes(mut notes) = Notes::of(home);
    notes.push_str(&(note.line(fingerprint) + "\n"));
    let path = home.notes();
    atomic::replace(&path, notes.as_bytes(), true).map_err(|error| StorageError::with(&path, "written", &error))
}
