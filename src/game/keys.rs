//! Authorship of letters: each role signs a whole game with one key (`protocol/keys.md` 1).

use super::terms::{Author, Terms};
use crate::{
    blob::Verified,
    error::{Class, Error},
};

/// Letters that claim to belong to one game, sorted by their keys.
#[derive(Debug, Default)]
pub struct Members<'a> {
    /// Letters signed with their roles' keys, with their authors.
    pub letters: Vec<(&'a Verified, Author)>,
    /// All other letters; nobody is blamed, because a letter only claims its author (message 13).
    pub strangers: Vec<(&'a Verified, Error)>,
}

impl<'a> Members<'a> {
    /// Sorts the letters of a game: charter, accepts, and letters that name the game, each once.
    #[must_use]
    pub fn of(terms: &Terms, letters: &[&'a Verified]) -> Self {
        let mut members = Self::default();
        for message in letters {
            let author = terms.author_of(&message.head().author);
            match author.filter(|author| terms.key_of(*author) == Some(message.key())) {
                Some(author) => members.letters.push((message, author)),
                None => members.strangers.push((message, stranger(message))),
            }
        }
        members
    }
}

fn stranger(message: &Verified) -> Error {
    let author = &message.head().author;
    let text = format!("the letter claims to be from {author}, but is not signed with the key of that role");
    Error::malformed(Class::Game, text)
}
