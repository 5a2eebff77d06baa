//! Whose letter it is: the key in force at each place of a chain (`protocol/keys.md`).

use std::collections::{HashMap, HashSet};

use super::charter::{Author, Player, Terms};
use crate::{
    blob::{
        Body, Verified,
        body::{Hex32, Role},
        disputes::Rule,
        new_keys::{AdmissionAsk, Admit, KeyChange, NewKey, Rotate},
    },
    error::{Class, Error, Result},
};

/// Letters that say that they are of one game, told apart by their keys.
#[derive(Debug, Default)]
pub struct Members<'a> {
    /// Those signed with the key in force, with their authors.
    pub letters: Vec<(&'a Verified, Author)>,
    /// The others: nobody is blamed, for a letter only names its author (message 13).
    pub strangers: Vec<(&'a Verified, Error)>,
    /// Letters by which an admitted key comes into force, with the admit.
    pub admitted: HashMap<Hex32, Hex32>,
    /// Keys that are admitted, of whom and after which letter, used or not (keys 6).
    pub grants: HashSet<(Player, Hex32, Hex32)>,
}

impl<'a> Members<'a> {
    /// Tells the letters of a game apart: charter, accepts, and whatever names the game; each once.
    #[must_use]
    pub fn of(terms: &Terms, game: Hex32, letters: &[&'a Verified]) -> Self {
        if !letters.iter().any(|message| matches!(message.body(), Body::Key(_))) {
            return Self::under_charter(terms, letters);
        }
        let mut letters = letters.to_vec();
        letters.sort_by_key(|message| message.head().number);
        let keys = Keyring::of(terms, game, &letters);
        let mut members = Self { grants: keys.admissions.keys().copied().collect(), ..Self::default() };
        let mut by_id: HashMap<Hex32, &Verified> = HashMap::new();
        for message in letters {
            let author = terms.author_of(&message.head().author);
            match author.and_then(|author| Some((author, keys.check(terms, author, message, &by_id)?))) {
                // Of two copies, under the old key and the admitted one, the latter is the letter (keys 2).
                Some((_, Place::Usual)) if by_id.contains_key(&message.id()) => {
                    members.strangers.push((message, stranger(message)));
                }
                Some((author, place)) => {
                    if by_id.insert(message.id(), message).is_some() {
                        let copy = |(other, _): &(&Verified, Author)| other.id() == message.id();
                        let copies = members.letters.extract_if(.., |letter| copy(letter));
                        members.strangers.extend(copies.map(|(copy, _)| (copy, stranger(copy))));
                    }
                    members.letters.push((message, author));
                    if let Place::Admitted(admit) = place {
                        members.admitted.insert(message.id(), admit);
                    }
                }
                None => members.strangers.push((message, stranger(message))),
            }
        }
        members.give_up(game);
        members
    }

    /// In nearly every game no key changes hands: each role has the charter's.
    fn under_charter(terms: &Terms, letters: &[&'a Verified]) -> Self {
        let mut members = Self::default();
        let keys: Vec<(Author, &Role, Option<Hex32>)> =
            terms.authors().map(|(author, role)| (author, role, terms.key_of(author))).collect();
        for message in letters {
            let mut own = keys.iter().filter(|(_, role, _)| **role == message.head().author);
            match own.next().filter(|(.., key)| *key == Some(message.key())) {
                Some((author, ..)) => members.letters.push((message, *author)),
                None => members.strangers.push((message, stranger(message))),
            }
        }
        members
    }

    /// Letters under a key that was given up, which nobody else names, do not exist (keys 2).
    fn give_up(&mut self, game: Hex32) {
        let by_id: HashMap<Hex32, &Verified> =
            self.letters.iter().map(|(message, _)| (message.id(), *message)).collect();
        let gives = |message: &Verified| match message.body() {
            Body::Key(KeyChange::Rotate(rotate)) if rotate.stolen => {
                is_whole(message, &by_id) && check_rotate(game, message, rotate).is_ok()
            }
            _ => self.admitted.contains_key(&message.id()),
        };
        let givings: Vec<(&Verified, Author)> =
            self.letters.iter().filter(|(message, _)| gives(message)).copied().collect();
        let mut gone: HashSet<Hex32> = HashSet::new();
        for author in Author::ALL {
            let mut old: HashSet<Hex32> = HashSet::new();
            let mut kept: HashSet<Hex32> = HashSet::new();
            for (giving, _) in givings.iter().filter(|(_, by)| *by == author) {
                // What leads up to it; its own key, if that is the new one, is not older.
                let up = std::iter::successors(Some(*giving), |message| by_id.get(&message.head().prev?).copied());
                let up: Vec<&Verified> = up.collect();
                let admitted = self.admitted.contains_key(&giving.id());
                old.extend(up.iter().skip(usize::from(admitted)).map(|message| message.key()));
                kept.extend(up.into_iter().map(Verified::id));
                // Letters stand by number, so that what follows comes behind.
                let mut down: HashSet<Hex32> = HashSet::from([giving.id()]);
                for (message, _) in &self.letters {
                    if message.head().prev.is_some_and(|prev| down.contains(&prev)) {
                        down.insert(message.id());
                    }
                }
                kept.extend(down);
            }
            if old.is_empty() {
                continue;
            }
            kept.extend(known_to_others(&self.letters, &by_id, author));
            let own = self.letters.iter().filter(|(message, by)| *by == author && old.contains(&message.key()));
            gone.extend(own.map(|(message, _)| message.id()).filter(|id| !kept.contains(id)));
        }
        let letters = std::mem::take(&mut self.letters);
        for (message, author) in letters {
            if gone.contains(&message.id()) {
                self.strangers.push((message, stranger(message)));
            } else {
                self.letters.push((message, author));
            }
        }
    }
}

/// Every id that a letter names.
fn names_of(message: &Verified) -> Vec<Hex32> {
    let body = message.body().names().into_iter().map(|(id, _)| id);
    message.head().seen.letters().chain(message.head().prev).chain(body).collect()
}

/// Whether a letter's link is good, and all that it names at hand.
fn is_whole(message: &Verified, by_id: &HashMap<Hex32, &Verified>) -> bool {
    let head = message.head();
    let prev = head.prev.and_then(|prev| by_id.get(&prev)).map(|prev| prev.head());
    prev.is_some_and(|prev| prev.author == head.author && prev.number + 1 == head.number)
        && names_of(message).iter().all(|id| by_id.contains_key(id))
}

/// All that is in the past of letters of other roles than an author's.
fn known_to_others(
    letters: &[(&Verified, Author)],
    by_id: &HashMap<Hex32, &Verified>,
    author: Author,
) -> HashSet<Hex32> {
    let others = letters.iter().filter(|(_, by)| *by != author);
    let mut open: Vec<Hex32> = others.flat_map(|(message, _)| names_of(message)).collect();
    let mut reached: HashSet<Hex32> = HashSet::new();
    while let Some(id) = open.pop() {
        if reached.insert(id) {
            open.extend(by_id.get(&id).map(|message| names_of(message)).unwrap_or_default());
        }
    }
    reached
}

/// How a key is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// By charter or rotation.
    Usual,
    /// It begins to be, by this admit.
    Admitted(Hex32),
}

/// The keys that a game's letters hand out.
struct Keyring {
    game: Hex32,
    /// Every key that a role has in this game.
    known: HashSet<(Author, Hex32)>,
    /// Admits that a ruling confirmed, by whose, after which letter, which key.
    admissions: HashMap<(Player, Hex32, Hex32), Hex32>,
}

impl Keyring {
    fn of(terms: &Terms, game: Hex32, letters: &[&Verified]) -> Self {
        let known = terms.authors().filter_map(|(author, _)| Some((author, terms.key_of(author)?))).collect();
        let mut keys = Self { game, known, admissions: HashMap::new() };
        // Each proof is checked once, whatever the order in which keys turn out to be known.
        let hands = |message: &&&Verified| match message.body() {
            Body::Key(KeyChange::Rotate(rotate)) => check_rotate(game, message, rotate).is_ok(),
            Body::Key(KeyChange::Admit(admit)) => check_admit(game, admit).is_ok(),
            Body::Ruling(_) => true,
            _ => false,
        };
        let handing: Vec<&&Verified> = letters.iter().filter(hands).collect();
        let numbers: HashMap<Hex32, u64> =
            letters.iter().map(|message| (message.id(), message.head().number)).collect();
        // A key is handed out under a key that may have been handed out itself.
        let mut count = 0;
        while count < keys.known.len() + keys.admissions.len() {
            count = keys.known.len() + keys.admissions.len();
            for message in &handing {
                keys.hand_out(terms, message, &handing, &numbers);
            }
        }
        keys
    }

    /// Takes what a letter hands out, if its signer may; its proof is good.
    fn hand_out(&mut self, terms: &Terms, message: &Verified, handing: &[&&Verified], numbers: &HashMap<Hex32, u64>) {
        let Some(author) = terms.author_of(&message.head().author) else { return };
        if !self.known.contains(&(author, message.key())) {
            return;
        }
        match message.body() {
            Body::Key(KeyChange::Rotate(rotate)) => {
                self.known.insert((author, rotate.key));
            }
            Body::Key(KeyChange::Admit(admit)) => {
                let Some(player) = admitted_player(terms, author, admit) else { return };
                let last = |message: &Verified| message.head().seen.get(&admit.player);
                let confirmed = handing.iter().any(|ruling| {
                    let rules =
                        matches!(ruling.body(), Body::Ruling(ruling) if ruling.rule == Rule::Admit(message.id()));
                    // The referee may know fewer letters of the player, and none beyond.
                    let behind = last(ruling).is_none_or(|id| numbers.get(&id) <= numbers.get(&admit.after));
                    let referee = terms.author_of(&ruling.head().author) == Some(Author::Referee);
                    rules && behind && referee && self.known.contains(&(Author::Referee, ruling.key()))
                });
                if confirmed && last(message) == Some(admit.after) {
                    self.known.insert((Author::Player(player), admit.key));
                    self.admissions.entry((player, admit.after, admit.key)).or_insert(message.id());
                }
            }
            _ => {}
        }
    }

    /// Whether a letter's key is in force at its place, and how (keys 1, 2).
    fn check(
        &self,
        terms: &Terms,
        author: Author,
        message: &Verified,
        before: &HashMap<Hex32, &Verified>,
    ) -> Option<Place> {
        let key = message.key();
        let Some(prev) = message.head().prev else {
            return (terms.key_of(author) == Some(key)).then_some(Place::Usual);
        };
        let Some(prev) = before.get(&prev).filter(|prev| prev.head().author == message.head().author) else {
            return self.known.contains(&(author, key)).then_some(Place::Usual);
        };
        let in_force = match prev.body() {
            Body::Key(KeyChange::Rotate(rotate)) if check_rotate(self.game, prev, rotate).is_ok() => rotate.key,
            _ => prev.key(),
        };
        if in_force == key {
            return Some(Place::Usual);
        }
        let player = author.player()?;
        self.admissions.get(&(player, prev.id(), key)).copied().map(Place::Admitted)
    }
}

fn stranger(message: &Verified) -> Error {
    Error::malformed(
        Class::Game,
        format!(
            "the letter says that it is by {}, but is not signed with the key in force for that role",
            message.head().author
        ),
    )
}

/// That the new key of a rotation signed that it exists (key 1).
///
/// # Errors
/// If it did not.
pub fn check_rotate(game: Hex32, message: &Verified, rotate: &Rotate) -> Result<()> {
    let head = message.head();
    let after = head.prev.ok_or_else(|| Error::Refused("a rotation follows a letter".into()))?;
    NewKey { game, role: &head.author, after, key: rotate.key }.check(&rotate.proof)
}

/// The same of an admission (key 2).
///
/// # Errors
/// If it did not.
pub fn check_admit(game: Hex32, admit: &Admit) -> Result<()> {
    NewKey { game, role: &admit.player, after: admit.after, key: admit.key }.check(&admit.proof)
}

/// The same of what somebody asks who has lost his key: he signs it with the new one (keys 13).
///
/// # Errors
/// If it did not.
pub fn check_ask(game: Hex32, message: &Verified, ask: &AdmissionAsk) -> Result<()> {
    NewKey { game, role: &message.head().author, after: ask.after, key: message.key() }.check(&ask.proof)
}

/// Whose key an admission by an author is about: the other player's.
pub(super) fn admitted_player(terms: &Terms, author: Author, admit: &Admit) -> Option<Player> {
    let other = author.player()?.other();
    (*terms.role(other) == admit.player).then_some(other)
}
