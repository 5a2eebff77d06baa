//! A game kept in memory: its letters in order, and its state. A letter that directly follows the others is taken
//! immediately, judged by the ledger that judges a whole replay; any other letter causes a new replay.

use std::{
    collections::{HashMap, HashSet},
    fmt::{self, Debug, Formatter},
    sync::Arc,
};

use elsa::FrozenVec;
use self_cell::self_cell;

use super::{
    keys::Members,
    ledger::Ledger,
    node::{Branches, Node, Standing},
    order::Order,
    replay::{replay_lean, take},
    terms::{Author, Terms},
};
use crate::blob::{Hex32, Verified};

/// The letters that a ledger points to: those in order, and those that followed later. They never move in memory.
struct Letters {
    terms: Arc<Terms>,
    order: Order,
    followed: FrozenVec<Box<Node>>,
}

self_cell!(
    /// Letters, and the state of the game after them.
    struct Replayed {
        owner: Letters,
        #[not_covariant]
        dependent: Ledger,
    }
);

/// The available letters of a game and its state after them, without draws.
///
/// # Examples
///
/// A program that serves a game takes each new letter without replaying the others:
///
/// ```
/// use std::sync::Arc;
/// use sealed_dice::game::{audit::{Games, Read}, keys::Members, kept::Kept, terms::Terms};
///
/// let read = Read::all(include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/one-roll.txt")), "a mail");
/// let games = Games::sort(&read);
/// let (_, unopened) = games.jobs()[0].run_with(|_, game| {
///     let (game, reveal) = (game?, game?.order.nodes.last()?);
///     let before = game.letters.iter().filter(|(letter, _)| letter.id() != reveal.id()).copied();
///     let members = Members { letters: before.collect(), ..Members::default() };
///     let mut kept = Kept::replay(Arc::new(game.terms.clone()), game.ledger.game, &members);
///     let before = kept.look(|_, ledger| ledger.unanswered().count());
///     assert!(kept.take(&reveal.message, reveal.author));
///     Some((before, kept.look(|_, ledger| ledger.unanswered().count())))
/// });
/// assert_eq!(unopened, Some((1, 0)));
/// ```
pub struct Kept {
    replayed: Replayed,
    branches: Branches,
}

impl Debug for Kept {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Kept").finish_non_exhaustive()
    }
}

impl Kept {
    /// Replays a game.
    #[must_use]
    pub fn replay(terms: Arc<Terms>, game: Hex32, members: &Members<'_>) -> Self {
        let mut order = Order::of(&terms, game, members);
        let branches = std::mem::take(&mut order.branches);
        let letters = Letters { terms, order, followed: FrozenVec::new() };
        let replayed = Replayed::new(letters, |letters| replay_lean(&letters.terms, game, &letters.order));
        Self { replayed, branches }
    }

    /// Takes a letter of the game if it directly follows the others, and returns whether it did. The cost does not grow
    /// with the length of the game.
    pub fn take(&mut self, message: &Verified, author: Author) -> bool {
        let Self { replayed, branches } = self;
        replayed.with_dependent_mut(|letters, ledger| {
            let Letters { terms, order, followed } = letters;
            let at = |id: &Hex32| ledger.nodes.get(id).copied();
            if message.head().game != Some(ledger.game) || !order.is_next(message, author, branches, at) {
                return false;
            }
            let Some(node) = Node::of(terms, message, (author, Standing::Stands), branches, at) else { return false };
            take(ledger, followed.push_get(Box::new(node)));
            true
        })
    }

    /// Whether letters would be taken in this order, judging only by their links.
    #[must_use]
    pub fn fits(&self, letters: &[(&Verified, Author)]) -> bool {
        self.look(|order, ledger| {
            let at = |id: &Hex32| ledger.nodes.get(id).copied();
            let (mut before, mut last_of) = (HashSet::new(), HashMap::new());
            let mut fits = |(message, author): &(&Verified, Author)| {
                let head = message.head();
                let is_known = |id: &Hex32| before.contains(id) || at(id).is_some();
                let follows = match last_of.insert(*author, (message.id(), head.number)) {
                    None => order.is_next(message, *author, &self.branches, at),
                    Some((last, number)) => {
                        let is_behind = head.prev == Some(last) && number.checked_add(1) == Some(head.number);
                        is_behind && !order.missing.contains_key(&message.id()) && message.names().iter().all(is_known)
                    }
                };
                before.insert(message.id());
                follows
            };
            // Later letters from the office are taken too.
            order.is_settled() && letters.iter().all(&mut fits)
        })
    }

    /// Passes the letters as of the last whole replay, and the current state, to `look`.
    pub fn look<T>(&self, look: impl FnOnce(&Order, &Ledger<'_>) -> T) -> T {
        self.replayed.with_dependent(|letters, ledger| look(&letters.order, ledger))
    }
}
