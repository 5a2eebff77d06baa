//! The letters of a box in memory, and the office's decision on new letters: which of them it takes, which letters it
//! signs, and which declarations it does not open and why (`protocol/post.md` 3 to 5). This module is pure: the time
//! and the keys are passed in as values.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    answers::ROOM,
    decision::{Decision, Mode, Refused, Settled},
    held::Held,
    room::{Room, Share},
};
use crate::{
    blob::{Body, Hex32, Kind, Verified, body::Role, office::Receipt, resync::Resync},
    error::{Class, Error, Result},
    game::{
        ledger::Ledger,
        opener::{self, Due},
        steps::Letter,
        terms::{Author, Terms},
    },
};

/// The letters of one box, in the order of their positions.
#[derive(Debug)]
pub struct Mailbox {
    pub(super) terms: Arc<Terms>,
    pub(super) letters: Vec<Letter>,
    /// The position of each letter, by its id.
    pub(super) positions: HashMap<Hex32, u64>,
    /// The positions of the office's reveals and answers, by the declaration or the ask that they are for.
    answers: HashMap<Hex32, Vec<u64>>,
    /// The positions of the office's receipts for deposits, by the seals that they name.
    receipts: HashMap<Hex32, Vec<u64>>,
    /// The ids of the accepts that begin games.
    begun: Vec<Hex32>,
    /// The id of every letter, and the key that signed it. A copy under another key does not belong to the game.
    known: HashSet<(Hex32, Hex32)>,
    bytes: usize,
    room: Room,
    pub(super) settled: Option<Settled>,
    /// The replayed state after all letters, or after the first of them. Each decision takes it out and puts it back.
    held: Mutex<Option<Held>>,
    /// Lists what is due from the office: [`opener::due`], except in tests of a faulty list.
    pub(super) due: fn(&Ledger<'_>) -> Vec<Due>,
}

impl Mailbox {
    /// Makes a box with its charter. `most` is the limit on each author's share.
    ///
    /// # Errors
    /// Same errors as [`Terms::parse`].
    pub fn new(charter: Letter, most: Share) -> Result<Self> {
        let (terms, room) = (Arc::new(Terms::parse(&charter.message)?), Room::of(most));
        let mut mailbox = Self {
            terms,
            letters: Vec::new(),
            positions: HashMap::new(),
            answers: HashMap::new(),
            receipts: HashMap::new(),
            begun: Vec::new(),
            known: HashSet::new(),
            bytes: 0,
            room,
            settled: None,
            held: Mutex::default(),
            due: opener::due,
        };
        mailbox.push(charter);
        Ok(mailbox)
    }

    /// Makes the office in this box use a faulty list of what is due.
    #[cfg(feature = "fail-points")]
    #[must_use]
    pub fn mistaken(self, due: fn(&Ledger<'_>) -> Vec<Due>) -> Self {
        Self { due, ..self }
    }

    /// Adds a letter that is stored already.
    pub fn push(&mut self, letter: Letter) {
        let (message, position) = (&letter.message, self.last() + 1);
        self.known.insert((message.id(), message.key()));
        self.positions.insert(message.id(), position);
        self.bytes += letter.frame.len();
        let author = self.terms.author_of(&message.head().author);
        if let Some(author) = author {
            self.room.add(author, &letter);
        }
        if self.terms.begins_game(message) {
            self.begun.push(message.id());
        }
        match message.body() {
            _ if author != Some(Author::Office) => {}
            Body::Reveal(reveal) => {
                let declaration = reveal.declaration.into_iter();
                declaration.for_each(|id| self.answers.entry(id).or_default().push(position));
            }
            Body::Resync(Resync::Answer(answer)) => self.answers.entry(answer.ask).or_default().push(position),
            Body::Receipt(Receipt::Deposit(about)) => {
                about.seals.iter().for_each(|seal| self.receipts.entry(*seal).or_default().push(position));
            }
            _ => {}
        }
        self.letters.push(letter);
        self.settled = None;
    }

    /// Adds the letters and the state of a decision, once it is stored.
    pub fn stored(&mut self, decision: &mut Decision) {
        decision.letters.iter().for_each(|letter| self.push(letter.clone()));
        if let Some(held) = decision.held.take() {
            self.held = Mutex::new(Some(held));
        }
        if let Some(found) = decision.settled.take() {
            match &mut self.settled {
                Some(settled) => settled.reasons.extend(found.reasons),
                None => self.settled = Some(found),
            }
        }
    }

    /// Returns the terms of the game.
    #[must_use]
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Returns the number of letters, which is the position of the last letter.
    #[must_use]
    pub fn last(&self) -> u64 {
        self.letters.len() as u64
    }

    /// Returns the total bytes of all frames.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the limit on each author's share of the box, and the share that each author except the office has used.
    pub fn room(&self) -> (Share, impl Iterator<Item = (&Role, Share)>) {
        let counted = self.terms.authors().filter(|(author, _)| *author != Author::Office);
        (self.room.most(), counted.map(|(author, role)| (role, self.room.used(author))))
    }

    /// Whether the box has a letter under the key that signed it.
    #[must_use]
    pub fn has(&self, message: &Verified) -> bool {
        self.known.contains(&(message.id(), message.key()))
    }

    /// Returns a letter by its id.
    #[must_use]
    pub fn letter(&self, id: &Hex32) -> Option<&Letter> {
        self.at(*self.positions.get(id)?)
    }

    /// Returns the keys that the terms give to the parties.
    pub fn parties(&self) -> impl Iterator<Item = Hex32> {
        Author::ALL.into_iter().filter_map(|author| self.terms.key_of(author))
    }

    /// Decides which new letters are taken, and which are here already, without signing anything. Also returns the ids
    /// of all letters in `new`.
    pub(super) fn take(&self, new: Vec<Letter>, mode: Mode) -> (Decision, HashSet<Hex32>) {
        let brought: HashSet<Hex32> = new.iter().map(|letter| letter.message.id()).collect();
        let mut decision = Decision { again: self.again(&brought), ..Decision::default() };
        let mut letters: Vec<Letter> = new.into_iter().filter(|letter| !self.has(&letter.message)).collect();
        let mut once = HashSet::new();
        letters.retain(|letter| once.insert((letter.message.id(), letter.message.key())));
        // An accept may arrive after the letters of the game that it begins.
        letters.sort_by_key(|letter| match (letter.message.head().kind, letter.message.head().is_unnumbered()) {
            (Kind::Accept, _) => 0,
            (_, false) => 1,
            (_, true) => 2,
        });
        let mut room = self.room.clone();
        for letter in letters {
            let id = letter.message.id();
            match self.check(&decision.letters, &letter.message) {
                Ok(author) => match room.take(author, &letter) {
                    Ok(()) => decision.letters.push(letter),
                    Err(full) => decision.refused.push(Refused { id, class: ROOM, text: full.to_string() }),
                },
                Err(error) => {
                    let class = error.class().as_str();
                    decision.refused.push(Refused { id, class, text: error.to_string() });
                }
            }
        }
        if mode == Mode::Signs {
            decision.forgot = self.forgot(&decision.letters);
        }
        (decision, brought)
    }

    /// Returns the positions of the letters in `brought` that are here, and of the office's reveals, receipts for
    /// deposits and answers for them.
    pub(super) fn again(&self, brought: &HashSet<Hex32>) -> Vec<u64> {
        let mut positions = BTreeSet::new();
        for id in brought {
            positions.extend(self.positions.get(id));
            positions.extend(self.answers.get(id).into_iter().flatten());
            if let Some(Body::Deposit(deposit)) = self.letter(id).map(|letter| letter.message.body()) {
                positions.extend(self.receipts.get(&deposit.seal).into_iter().flatten());
            }
        }
        positions.into_iter().collect()
    }

    /// Finds a new letter that only this office can have signed, and that its store lacks. Letters on a branch that an
    /// epoch in this box has left behind do not count: they were forgotten before the epoch.
    pub(super) fn forgot(&self, new: &[Letter]) -> Option<Hex32> {
        let is_own = |letter: &&Letter| {
            let head = letter.message.head();
            let is_office = self.terms.author_of(&head.author) == Some(Author::Office);
            is_office && !head.is_unnumbered() && head.kind != Kind::Accept
        };
        let shown: HashMap<Hex32, &Letter> =
            new.iter().filter(is_own).map(|letter| (letter.message.id(), letter)).collect();
        if shown.is_empty() {
            return None;
        }
        let own: HashMap<Hex32, &Letter> =
            self.letters.iter().filter(is_own).map(|letter| (letter.message.id(), letter)).collect();
        let begins = |letter: &&&Letter| matches!(letter.message.body(), Body::Receipt(Receipt::Epoch(_)));
        let Some(epoch) = own.values().filter(begins).map(|letter| letter.message.head().number).max() else {
            return shown.into_keys().min();
        };
        // The letter counts only if its whole chain is here, back to the epoch or a letter after it.
        let follows = |letter: &Letter| {
            let mut prev = letter.message.head().prev;
            while let Some(id) = prev {
                match (own.get(&id), shown.get(&id)) {
                    (Some(here), _) => return here.message.head().number >= epoch,
                    (None, Some(letter)) => prev = letter.message.head().prev,
                    (None, None) => return false,
                }
            }
            false
        };
        shown.iter().filter(|(_, letter)| follows(letter)).map(|(id, _)| *id).min()
    }

    /// Returns the letter at a position.
    #[must_use]
    pub fn at(&self, position: u64) -> Option<&Letter> {
        self.letters.get(usize::try_from(position).ok()?.checked_sub(1)?)
    }

    pub(super) fn all<'l>(&'l self, more: &'l [Letter]) -> impl Iterator<Item = &'l Verified> + Clone {
        self.letters.iter().chain(more).map(|letter| &letter.message)
    }

    /// Returns the game in the box that the office continues (charter 24).
    pub(super) fn game(&self, more: &[Letter]) -> Option<Hex32> {
        let new = more.iter().map(|letter| &letter.message).filter(|message| self.terms.begins_game(message));
        let mut begun = self.begun.iter().copied().chain(new.map(Verified::id));
        match (begun.next(), begun.next()) {
            (_, Some(_)) => self.terms.game_of(Author::Office, self.all(more)),
            (game, None) => game,
        }
    }

    /// Returns the state after the letters in the box and `more`, and the number of letters that were replayed. The
    /// state grows from `held`, unless a letter requires a replay of the whole game.
    pub(super) fn come_to(&self, held: Option<Held>, game: Hex32, more: &[Letter]) -> (Held, usize) {
        let grown = held.filter(|held| held.game() == game).and_then(|mut held| {
            let (count, here) = (held.count(), self.letters.len());
            let behind = self.letters.get(count..).unwrap_or_default();
            let new = more.get(count.saturating_sub(here)..).unwrap_or_default();
            let taken = behind.iter().chain(new).map(|letter| held.take(&letter.message)).sum::<Option<usize>>()?;
            Some((held, taken))
        });
        grown.unwrap_or_else(|| Held::of(&self.terms, game, self.all(more)))
    }

    pub(super) fn held(&self) -> Option<Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Whether the replayed state, after all letters or after the first of them, is held in memory.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Drops the held state. The letters are replayed when the state is needed again.
    pub fn let_go(&mut self) {
        self.held = Mutex::default();
    }

    /// Estimates how many bytes of letters must be replayed to decide on new letters.
    #[must_use]
    pub fn work(&self, new: &[Letter]) -> usize {
        let bytes = new.iter().map(|letter| letter.frame.len()).sum::<usize>();
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let new = new.iter().map(|letter| &letter.message).filter(|message| !self.has(message));
        let is_kept = held.as_ref().is_some_and(|held| held.count() == self.letters.len() && held.fits(new));
        if is_kept { bytes } else { self.bytes + bytes }
    }

    /// Checks that a letter belongs to this box (post 3), and returns its author.
    pub(super) fn check(&self, before: &[Letter], message: &Verified) -> Result<Author> {
        let other_game =
            || Error::malformed(Class::Game, "the letter belongs to another game: leave it in that game's box");
        let head = message.head();
        let author = self.terms.author_of(&head.author).ok_or_else(other_game)?;
        let is_own = match message.body() {
            Body::Charter(_) => return Err(other_game()),
            Body::Accept(accept) if accept.charter != self.terms.id => return Err(other_game()),
            Body::Accept(_) => true,
            Body::Withdraw(_) if head.game == Some(self.terms.id) => author == Author::Player(self.terms.author),
            _ => {
                let begun = |game: Hex32| {
                    let here = self.letter(&game).into_iter().chain(before);
                    let mut here = here.map(|letter| &letter.message);
                    here.any(|accept| accept.id() == game && accept.head().kind == Kind::Accept)
                };
                head.game.filter(|game| begun(*game)).map(|_| true).ok_or_else(other_game)?
            }
        };
        match is_own && self.terms.key_of(author) == Some(message.key()) {
            true => Ok(author),
            false => Err(Error::malformed(
                Class::Game,
                "the letter is not signed with the key that the terms give to its author: ask its author for the \
                 letter",
            )),
        }
    }
}
