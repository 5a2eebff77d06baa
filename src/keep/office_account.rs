//! The record of a game's office, where letters are left and fetched (`protocol/post.md`). It is a file in the game's
//! folder; if the file is lost, all letters are read again.

use std::fs;

use super::{
    StorageError, atomic,
    folder::{Folder, Lock},
};

/// The name of the record's file.
const FILE: &str = "office.txt";

/// The office of a game, as recorded in the game's folder.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct OfficeAccount {
    /// The part of the office's addresses before `/v1`.
    pub url: String,
    /// The position up to which the box has been read.
    pub position: u64,
    /// The office's name for its current positions (post 14). A restore changes the name, and then old positions are
    /// meaningless.
    pub generation: String,
    /// The number of the player's last letter that was left at the office.
    pub left: u64,
    /// Whether the office refused a letter from the player because their share of the box is full.
    pub full: bool,
    /// Whether the office was restored and has forgotten letters that have not been left again yet.
    pub forgot: bool,
    /// A signed pass (post 6), and the time when it expires, in seconds since 1970. Until then anyone who has the pass
    /// can read the box, so it must not be shown.
    pub pass: Option<(String, u64)>,
}

impl OfficeAccount {
    /// Returns the office recorded in a game's folder.
    #[must_use]
    pub fn of(folder: &Folder) -> Option<Self> {
        let text = fs::read_to_string(folder.path().join(FILE)).ok()?;
        let mut found = Self::default();
        for line in text.lines() {
            match line.split_once(' ') {
                Some(("url", url)) => found.url = url.to_owned(),
                Some(("position", position)) => found.position = position.parse().unwrap_or_default(),
                Some(("generation", generation)) => found.generation = generation.to_owned(),
                Some(("forgot", forgot)) => found.forgot = forgot == "yes",
                Some(("full", full)) => found.full = full == "yes",
                Some(("left", left)) => found.left = left.parse().unwrap_or_default(),
                Some(("pass", pass)) => {
                    found.pass =
                        pass.split_once(' ').and_then(|(until, pass)| Some((pass.to_owned(), until.parse().ok()?)));
                }
                _ => {}
            }
        }
        (!found.url.is_empty()).then_some(found)
    }

    /// Writes the record into the game's folder, readable by its owner alone.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn keep(&self, lock: &Lock) -> Result<(), StorageError> {
        let pass = self.pass.iter().map(|(pass, until)| format!("pass {until} {pass}\n")).collect::<String>();
        let forgot = if self.forgot { "forgot yes\n" } else { "" };
        let full = if self.full { "full yes\n" } else { "" };
        let text = format!(
            "url {}\nposition {}\ngeneration {}\nleft {}\n{forgot}{full}{pass}",
            self.url, self.position, self.generation, self.left
        );
        let path = lock.folder().path().join(FILE);
        atomic::replace(&path, text.as_bytes(), true).map_err(|error| StorageError::with(&path, "written", &error))
    }
}
