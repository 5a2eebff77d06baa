//! Room in a box: how much of it each author may fill (`protocol/post.md` 21). A full share stops only its own author.

use std::collections::HashMap;

use crate::{
    blob::{Body, resync::Resync},
    error::{Error, Result},
    game::{steps::Letter, terms::Author},
};

/// An author's share of a box: the number of letters and their bytes, as a limit or as the amount used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// The bytes of the frames.
    pub bytes: u64,
    /// The number of letters.
    pub letters: u64,
}

/// The maximum number of asks from one author in a box. Each ask is answered with a letter, and nobody loses a folder
/// that often.
const ASKS: u64 = 64;

/// The room in one box: the limit on each share, and what each author has used.
#[derive(Clone, Debug)]
pub(super) struct Room {
    most: Share,
    used: HashMap<Author, Share>,
    asks: HashMap<Author, u64>,
}

impl Room {
    /// Makes the room in an empty box. `most` is the limit on each author's share.
    pub(super) fn of(most: Share) -> Self {
        Self { most, used: HashMap::new(), asks: HashMap::new() }
    }

    /// Returns the limit on each author's share.
    pub(super) const fn most(&self) -> Share {
        self.most
    }

    /// Returns the share that an author has used.
    pub(super) fn used(&self, author: Author) -> Share {
        self.used.get(&author).copied().unwrap_or_default()
    }

    /// Counts a letter that is in the box.
    pub(super) fn add(&mut self, author: Author, letter: &Letter) {
        let used = self.used.entry(author).or_default();
        used.bytes += letter.frame.len() as u64;
        used.letters += 1;
        *self.asks.entry(author).or_default() += u64::from(is_ask(letter));
    }

    /// Counts a letter that is about to be added. The office needs no room: it signs only what is due because of
    /// others' letters, for which there was room.
    ///
    /// # Errors
    /// If the author's share is full, or the author has already asked as often as allowed.
    pub(super) fn take(&mut self, author: Author, letter: &Letter) -> Result<()> {
        let (used, most, bytes) = (self.used(author), self.most, letter.frame.len() as u64);
        if is_ask(letter) && self.asks.get(&author).is_some_and(|asks| *asks >= ASKS) {
            return Err(Error::Refused(format!(
                "its author has asked {ASKS} times in this box, and the office takes no more asks: fetch the letters \
                 in the box, or send this one by mail"
            )));
        }
        let fits = used.bytes.saturating_add(bytes) <= most.bytes && used.letters < most.letters;
        if !fits && author != Author::Office {
            return Err(Error::Refused(format!(
                "its author's share of this box is full ({} of {} bytes, {} of {} letters): send this letter by mail. \
                 The office still takes other authors' letters, and everything in the box can be fetched",
                used.bytes, most.bytes, used.letters, most.letters
            )));
        }
        self.add(author, letter);
        Ok(())
    }
}

fn is_ask(letter: &Letter) -> bool {
    matches!(letter.message.body(), Body::Resync(Resync::Ask(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        blob::{
            Head, Hex32, Verified,
            body::{Role, Seen},
            resync::Answer,
        },
        game::terms::Player,
        primitive::{secret::Secret, sign::PrivateKey},
    };

    fn letter(bytes: usize, body: Body) -> Letter {
        let author = Role::parse("ann").expect("a role");
        let head = Head {
            author,
            game: Some(Hex32([8; 32])),
            kind: body.kind(),
            number: 0,
            prev: None,
            seen: Seen::default(),
            v: 1,
        };
        let key = PrivateKey::from_seed(&Secret::new([1; 32]));
        let (message, _) = Verified::sign(head, body, &key).expect("a letter");
        Letter { message, frame: vec![0; bytes] }
    }

    fn plain(bytes: usize) -> Letter {
        letter(bytes, Body::Resync(Resync::Answer(Answer { ask: Hex32([9; 32]), last: None })))
    }

    #[test]
    fn a_full_share_is_its_authors_alone_and_the_office_needs_none() {
        let [one, other] = Player::BOTH.map(Author::Player);
        let mut room = Room::of(Share { bytes: 10, letters: 3 });
        assert!(room.take(one, &plain(11)).is_err());
        assert!(room.take(one, &plain(9)).is_ok());
        let told = room.take(one, &plain(2)).expect_err("full").to_string();
        assert!(told.contains("9 of 10 bytes, 1 of 3 letters") && told.contains("by mail"), "{told}");
        assert!(room.take(one, &plain(1)).is_ok(), "what was refused took nothing");
        (0..3).for_each(|_| room.take(other, &plain(1)).expect("a share of their own"));
        assert!(room.take(other, &plain(1)).is_err(), "three letters");
        (0..9).for_each(|_| room.take(Author::Office, &plain(5)).expect("never refused"));
        assert_eq!(room.used(one), Share { bytes: 10, letters: 2 });
    }

    #[test]
    fn an_author_asks_so_often_and_the_other_all_the_same() {
        let [one, other] = Player::BOTH.map(Author::Player);
        let mut room = Room::of(Share { bytes: 1 << 20, letters: 1 << 20 });
        let ask = letter(1, Body::Resync(Resync::Ask(Hex32([7; 32]))));
        (0..ASKS).for_each(|_| room.take(one, &ask).expect("room"));
        let told = room.take(one, &ask).expect_err("too many").to_string();
        assert!(told.contains("asked 64 times") && told.contains("by mail"), "{told}");
        assert!(room.take(one, &plain(1)).is_ok() && room.take(other, &ask).is_ok());
    }
}
