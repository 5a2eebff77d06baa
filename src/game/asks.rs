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
///
/// # Examples
///
/// Bob answers Ann, who has restored her folder:
///
/// ```
/// use sealed_dice::game::{asks::{answer, open}, audit::{Games, Read}, terms::{Author, Player}};
///
/// let read = Read::all(include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/resync/ask.txt")), "a mail");
/// let messages = read.iter().filter_map(|read| read.letter.as_ref().ok());
/// let games = Games::sort(&read);
/// let (_, body) = games.jobs()[0].run_with(|_, game| {
///     let (terms, ledger) = (game?.terms, game?.ledger);
///     let [ann, bob] = Player::BOTH.map(Author::Player);
///     let asks = open(terms, ledger.game, bob, messages.clone());
///     let ask = asks.first().filter(|ask| ask.asker == ann)?;
///     Some(answer(ask, ledger.last_letter_of(ann).map(|letter| letter.id()))) // sign it with `unnumbered`
/// });
/// assert_eq!(body.map(|body| body.kind().as_str()), Some("resync"));
/// ```
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
///
/// [`open()`] has an example of both.
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
