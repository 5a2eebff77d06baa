//! Room in a box: how much of it each author may fill (`protocol/post.md` 21). A full share stops its author and nobody else.

use std::collections::HashMap;

use crate::{
    error::{Error, Result},
    game::charter::Author,
};

/// Letters and their bytes: what an author has in a box, or may have there at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Bytes of frames.
    pub bytes: u64,
    /// Letters.
    pub letters: u64,
}

/// The room of one box.
#[derive(Clone, Debug)]
pub(super) struct Room {
    most: Share,
    used: HashMap<Author, Share>,
}

impl Room {
    /// An empty box in which each author may have so much.
    pub(super) fn of(most: Share) -> Self {
        Self { most, used: HashMap::new() }
    }

    /// What each author may have at most.
    pub(super) const fn most(&self) -> Share {
        self.most
    }

    /// What an author has.
    pub(super) fn used(&self, author: Author) -> Share {
        self.used.get(&author).copied().unwrap_or_default()
    }

    /// Counts a letter that is in the box.
    pub(super) fn add(&mut self, author: Author, bytes: usize) {
        let used = self.used.entry(author).or_default();
        used.bytes += bytes as u64;
        used.letters += 1;
    }

    /// Counts a letter that is to come in. The office needs no room: it signs only what letters of others make due, and these
    /// had room.
    ///
    /// # Errors
    /// If its author's share is full.
    pub(super) fn take(&mut self, author: Author, bytes: usize) -> Result<()> {
        let (used, most) = (self.used(author), self.most);
        let fits = used.bytes.saturating_add(bytes as u64) <= most.bytes && used.letters < most.letters;
        if !fits && author != Author::Office {
            return Err(Error::Refused(format!(
                "its author's share of this box is full ({} of {} bytes, {} of {} letters): letters of other authors are still \
                 taken, and everything in the box can be fetched; send this letter by mail",
                used.bytes, most.bytes, used.letters, most.letters
            )));
        }
        self.add(author, bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::charter::Player;

    #[test]
    fn a_full_share_is_its_authors_alone_and_the_office_needs_none() {
        let [one, other] = Player::BOTH.map(Author::Player);
        let mut room = Room::of(Share { bytes: 10, letters: 3 });
        assert!(room.take(one, 11).is_err());
        assert!(room.take(one, 9).is_ok());
        let told = room.take(one, 2).expect_err("full").to_string();
        assert!(told.contains("9 of 10 bytes, 1 of 3 letters") && told.contains("by mail"), "{told}");
        assert!(room.take(one, 1).is_ok(), "what was refused took nothing");
        (0..3).for_each(|_| room.take(other, 1).expect("a share of their own"));
        assert!(room.take(other, 1).is_err(), "three letters");
        (0..9).for_each(|_| room.take(Author::Office, 5).expect("never refused"));
        assert_eq!(room.used(one), Share { bytes: 10, letters: 2 });
    }
}
