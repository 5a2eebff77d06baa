//! State that the office keeps in memory for a box, so that it need not go through the letters again: the state of the
//! game, the deposits by set, and the asks that wait.

use std::{collections::HashSet, sync::Arc};

use crate::{
    blob::{Body, Hex32, Verified, resync::Resync},
    game::{
        asks::{self, Open},
        deposits::Deposited,
        kept::Kept,
        keys::Members,
        ledger::Ledger,
        order::Order,
        terms::{Author, Terms},
    },
};

/// The state of a box's game after the letters that have been taken in so far.
#[derive(Debug)]
pub(super) struct Held {
    kept: Kept,
    terms: Arc<Terms>,
    game: Hex32,
    deposits: Deposited,
    /// The asks that the office has not answered.
    asks: Vec<Verified>,
    answered: HashSet<Hex32>,
    /// The number of letters that have been taken in.
    count: usize,
    /// The number of numbered letters that have been taken in.
    numbered: usize,
}

/// Whether a letter belongs to a game, or is one of the letters that begin or end games on its terms.
fn belongs(terms: &Terms, game: Hex32, message: &Verified) -> bool {
    message.head().game == Some(game) || message.id() == game || concerns_beginnings(terms, message)
}

fn concerns_beginnings(terms: &Terms, message: &Verified) -> bool {
    message.id() == terms.id || message.head().game == Some(terms.id)
}

impl Held {
    /// Replays all letters of a box, for the game that the office continues. Returns the state and the number of
    /// letters replayed.
    pub(super) fn of<'l>(
        terms: &Arc<Terms>,
        game: Hex32,
        letters: impl Iterator<Item = &'l Verified> + Clone,
    ) -> (Self, usize) {
        let numbered = letters.clone().filter(|message| !message.head().is_unnumbered());
        let mut once = HashSet::new();
        let own: Vec<&Verified> = numbered
            .filter(|message| belongs(terms, game, message) && once.insert((message.id(), message.key())))
            .collect();
        let members = Members::of(terms, &own);
        let mut held = Self {
            kept: Kept::replay(Arc::clone(terms), game, &members),
            terms: Arc::clone(terms),
            game,
            deposits: Deposited::default(),
            asks: Vec::new(),
            answered: HashSet::new(),
            count: 0,
            numbered: 0,
        };
        letters.for_each(|message| held.note(message));
        (held, members.letters.len())
    }

    /// Takes in the next letter of the box. Returns the number of letters that were added to the game, or `None` if the
    /// letter requires a replay of the game.
    pub(super) fn take(&mut self, message: &Verified) -> Option<usize> {
        let taken = match self.author(message) {
            _ if message.head().is_unnumbered() => 0,
            _ if concerns_beginnings(&self.terms, message) => return None,
            Some(author) => self.kept.take(message, author).then_some(1)?,
            None => 0,
        };
        self.note(message);
        Some(taken)
    }

    /// Returns the author of a letter if it belongs to the game.
    fn author(&self, message: &Verified) -> Option<Author> {
        let author = self.terms.author_of(&message.head().author)?;
        let is_own = message.head().game == Some(self.game) && self.terms.key_of(author) == Some(message.key());
        is_own.then_some(author)
    }

    /// Whether new letters can be added to the game in this order, judging only by their links.
    pub(super) fn fits<'l>(&self, new: impl Iterator<Item = &'l Verified>) -> bool {
        let numbered = new.filter(|message| !message.head().is_unnumbered());
        let own: Option<Vec<(&Verified, Author)>> =
            numbered.map(|message| self.author(message).map(|author| (message, author))).collect();
        own.is_some_and(|own| self.kept.fits(&own))
    }

    fn note(&mut self, message: &Verified) {
        self.count += 1;
        self.numbered += usize::from(!message.head().is_unnumbered());
        match message.body() {
            Body::Deposit(deposit) => self.deposits.add(deposit.clone()),
            Body::Resync(Resync::Answer(answer)) if self.author(message) == Some(Author::Office) => {
                self.answered.insert(answer.ask);
                self.asks.retain(|ask| ask.id() != answer.ask);
            }
            Body::Resync(Resync::Ask(_)) if !self.answered.contains(&message.id()) => self.asks.push(message.clone()),
            _ => {}
        }
    }

    /// Returns the id of the game that this box holds.
    pub(super) const fn game(&self) -> Hex32 {
        self.game
    }

    /// Returns the number of letters from the box that have been taken in.
    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// Whether some letters wait for others, or belong to another game.
    pub(super) fn some_wait(&self) -> bool {
        self.look(|_, ledger| self.numbered > ledger.count())
    }

    /// Returns the deposits that have arrived.
    pub(super) const fn deposits(&self) -> &Deposited {
        &self.deposits
    }

    /// Returns the asks that wait for an answer.
    pub(super) fn asks(&self) -> Vec<Open> {
        asks::open(&self.terms, self.game, Author::Office, self.asks.iter())
    }

    /// Passes the order and the ledger to `look`, and returns its result.
    pub(super) fn look<T>(&self, look: impl FnOnce(&Order, &Ledger<'_>) -> T) -> T {
        self.kept.look(look)
    }
}
