//! Converts decisions to rows of the store and to answers, and rows of the store to letters.

use std::collections::HashSet;

use super::{
    decision::Decision,
    mailbox::Mailbox,
    posted::Posted,
    store::{Append, New, Own, Row, StoreError},
};
use crate::{
    blob::{Body, Hex32, Keys, Verified},
    game::{opener::Unopened, steps::Letter},
};

/// The maximum number of bytes of letters that an answer quotes (post 5).
const QUOTED: usize = 1 << 20;
/// Converts a decision to the answer for the client that left the letters. `behind` is the position before the new
/// letters.
pub(super) fn posted(mailbox: &Mailbox, decision: Decision, behind: u64) -> Posted {
    let (mut once, mut room) = (HashSet::new(), QUOTED);
    let mut quoted = |unopened: Unopened| {
        let letters = unopened.letters.iter().filter(|id| once.insert(**id)).filter_map(|id| mailbox.letter(id));
        let letters = letters.filter(|letter| match room.checked_sub(letter.frame.len()) {
            Some(left) => {
                room = left;
                true
            }
            None => false,
        });
        (unopened.clone(), letters.cloned().collect())
    };
    let again = decision.again.iter().filter_map(|position| Some((*position, mailbox.at(*position)?.clone())));
    let last = behind + decision.letters.len() as u64;
    let is_of_box = !decision.again.is_empty() || decision.letters.len() > decision.signed;
    let letters = again.chain((behind + 1..).zip(decision.letters));
    let (most, used) = mailbox.room();
    Posted {
        last,
        is_of_box,
        letters: letters.filter(|(_, letter)| is_shown(&letter.message)).collect(),
        waiting: decision.waiting.into_iter().map(&mut quoted).collect(),
        refused: decision.refused,
        restored: decision.restored,
        room: (most, used.map(|(role, share)| (role.clone(), share)).collect()),
    }
}

/// Converts a decision to an addition to a box in the store.
pub(super) fn append(game: Hex32, mailbox: &Mailbox, decision: &Decision) -> Append {
    let signed = decision.letters.len() - decision.signed;
    let letters = decision.letters.iter().enumerate();
    Append {
        game,
        behind: mailbox.last(),
        letters: letters.map(|(i, letter)| new(letter, i >= signed)).collect(),
        marks: decision.marks.clone(),
        readers: Vec::new(),
        epoch: decision.epoch,
        known: None,
        late: None,
    }
}

/// Whether readers can fetch a letter (post 3).
fn is_shown(message: &Verified) -> bool {
    !matches!(message.body(), Body::Deposit(_))
}

pub(super) fn new(letter: &Letter, signed_here: bool) -> New {
    let head = letter.message.head();
    let own =
        head.game.filter(|_| signed_here && !head.is_unnumbered()).map(|chain| Own { chain, number: head.number });
    New {
        id: letter.message.id(),
        key: letter.message.key(),
        own,
        frame: letter.frame.clone(),
        shown: is_shown(&letter.message),
    }
}

/// Parses the letters of a box from the store's rows.
///
/// # Errors
/// If a letter is damaged.
pub(super) fn verified(rows: Vec<Row>, known: &Keys) -> Result<Vec<Letter>, StoreError> {
    let read = |row: Row| match Verified::open(&row.frame, known) {
        Ok(message) => Ok(Letter { message, frame: row.frame }),
        Err(refusal) => {
            let (position, error) = (row.position, refusal.error);
            Err(StoreError::Wrong(format!(
                "letter {position} in a box is damaged: {error}; check the database with `sealed-dice office check`"
            )))
        }
    };
    rows.into_iter().map(read).collect()
}
