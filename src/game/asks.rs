//! Asks from a restored folder, and their answers (`protocol/keys.md` 3 to 5): messages that are in no chain.

use std::collections::HashSet;

use super::{
    steps::Letter,
    terms::{Author, Terms},
};
use crate::{
    blob::{
        Body, Head, Hex32, Verified,
        body::Seen,
        resync::{Answer, Resync},
    },
    error::{Error, Result},
    primitive::sign::PrivateKey,
};

/// An ask that has not been answered yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// The author of the ask, who waits for an answer.
    pub asker: Author,
    /// The message id of the ask.
    pub ask: Hex32,
}

/// Returns the asks from others in a game that a role has not answered, by id. An office never asks (office 4).
#[must_use]
pub fn open<'m>(
    terms: &Terms,
    game: Hex32,
    me: Author,
    messages: impl Iterator<Item = &'m Verified> + Clone,
) -> Vec<Open> {
    let signed = messages.filter_map(|message| {
        let Body::Resync(resync) = message.body() else { return None };
        let author = terms.author_of(&message.head().author)?;
        let is_own = message.head().game == Some(game) && terms.key_of(author) == Some(message.key());
        is_own.then_some((author, message.id(), resync))
    });
    let answered = signed.clone().filter_map(|(author, _, resync)| match resync {
        Resync::Answer(answer) if author == me => Some(answer.ask),
        _ => None,
    });
    let answered: HashSet<Hex32> = answered.collect();
    let mut open: Vec<Open> = signed
        .filter(|(author, id, resync)| {
            matches!(resync, Resync::Ask(_)) && ![me, Author::Office].contains(author) && !answered.contains(id)
        })
        .map(|(asker, ask, _)| Open { asker, ask })
        .collect();
    open.sort_unstable_by_key(|open| open.ask);
    open.dedup();
    open
}

/// Returns the answer to an ask: the last letter of the ask's author on the branch that stands (keys 4).
#[must_use]
pub const fn answer(open: &Open, last: Option<Hex32>) -> Body {
    Body::Resync(Resync::Answer(Answer { ask: open.ask, last }))
}

/// Signs a message that is in no chain (message 9).
///
/// # Errors
/// Only on an encoding failure, which a role of the terms cannot cause.
pub fn unnumbered(terms: &Terms, me: Author, game: Hex32, body: Body, key: &PrivateKey) -> Result<Letter> {
    let mut seen = Seen::default();
    terms.authors().filter(|(author, _)| *author != me).for_each(|(_, role)| seen.insert(role.clone(), None));
    let author = terms.role_of(me).cloned();
    let author = author.ok_or_else(|| Error::Misuse("the terms do not list this party".into()))?;
    let head = Head { author, game: Some(game), kind: body.kind(), number: 0, prev: None, seen, v: 1 };
    let (message, frame) = Verified::sign(head, body, key)?;
    Ok(Letter { message, frame })
}
