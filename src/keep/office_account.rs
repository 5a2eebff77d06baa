//! Where a game's letters can be left and fetched (`protocol/post.md`): kept in the game's folder. Losing it loses
//! nothing: all letters are read once more.

use std::fs;

use super::{
    StorageError, atomic,
    folder::{Folder, Lock},
};

/// The file's name.
const FILE: &str = "office.txt";

/// The office of a game, as its folder knows it.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct OfficeAccount {
    /// Where it is: the beginning of its addresses.
    pub url: String,
    /// The position up to which its box was read.
    pub position: u64,
    /// What names the office's positions: another after a restore, when they mean nothing any more.
    pub generation: String,
    /// The number of the player's last letter that was left there.
    pub left: u64,
    /// Whether the office refused a letter of the player's because their share of the box is full.
    pub full: bool,
    /// Whether the office has forgotten letters, being restored, and they were not left again yet.
    pub forgot: bool,
    /// A pass that was signed (post 6), and until when it is good. Whoever has it can read the box until then, so it is
    /// no text to show.
    pub pass: Option<(String, u64)>,
}

impl OfficeAccount {
    /// The office that a game's folder names.
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

    /// Notes it in the game's folder, for its owner's eyes.
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
