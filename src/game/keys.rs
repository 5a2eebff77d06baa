//! Whose letter it is: the key in force at each place of a chain (`protocol/keys.md`).

use std::collections::{HashMap, HashSet};

use super::{
    charter::{Author, Player, Terms},
    given_up::{Letters, Rotation},
};
use crate::{
    blob::{
        Body, Verified,
        body::{Hex32, Role},
        disputes::{Rule, Ruling},
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
        members.give_up(&keys.rotations);
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

    /// What is signed with keys that were given up, and known to nobody else, does not exist (keys 2).
    fn give_up(&mut self, rotations: &[Rotation]) {
        let gone = Letters::new(&self.letters, rotations, self.admitted.keys().copied()).given_up(rotations);
        if gone.is_empty() {
            return;
        }
        let gone = self.letters.extract_if(.., |(message, _)| gone.contains(&message.id()));
        self.strangers.extend(gone.map(|(message, _)| (message, stranger(message))));
    }
}

/// How a key is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// By charter or rotation.
    Usual,
    /// It begins to be, by this admit.
    Admitted(Hex32),
}

/// The keys that a game's messages hand out, be they letters or not (keys 2, 6).
struct Keyring {
    /// Every key that a role has in this game.
    known: HashSet<(Author, Hex32)>,
    /// Admits that a ruling confirmed, by whose, after which letter, which key.
    admissions: HashMap<(Player, Hex32, Hex32), Hex32>,
    /// Every rotate with a good proof, and what comes into force by it.
    rotations: Vec<Rotation>,
    rotated: HashMap<Hex32, Hex32>,
}

impl Keyring {
    fn of(terms: &Terms, game: Hex32, messages: &[&Verified]) -> Self {
        let known = terms.authors().filter_map(|(author, _)| Some((author, terms.key_of(author)?))).collect();
        let mut keys = Self { known, admissions: HashMap::new(), rotations: Vec::new(), rotated: HashMap::new() };
        let mut admits: Vec<(&Verified, Author, &Admit)> = Vec::new();
        let mut rulings: HashMap<Hex32, Vec<&Verified>> = HashMap::new();
        for message in messages {
            let Some(author) = terms.author_of(&message.head().author) else { continue };
            // Each proof is checked once, whatever the order in which keys turn out to be known.
            match message.body() {
                Body::Key(KeyChange::Rotate(rotate)) if check_rotate(game, message, rotate).is_ok() => {
                    let (id, key) = (message.id(), rotate.key);
                    keys.rotations.push(Rotation { id, under: (author, message.key()), key, stolen: rotate.stolen });
                    keys.rotated.insert(id, key);
                }
                Body::Key(KeyChange::Admit(admit)) if check_admit(game, admit).is_ok() => {
                    admits.push((message, author, admit));
                }
                Body::Ruling(Ruling { rule: Rule::Admit(admit), .. }) if author == Author::Referee => {
                    rulings.entry(*admit).or_default().push(message);
                }
                _ => {}
            }
        }
        let by_id: HashMap<Hex32, &Verified> = messages.iter().map(|message| (message.id(), *message)).collect();
        // A key is handed out under a key that may have been handed out itself.
        let mut count = 0;
        while count < keys.known.len() {
            count = keys.known.len();
            for rotation in &keys.rotations {
                if keys.known.contains(&rotation.under) {
                    keys.known.insert((rotation.under.0, rotation.key));
                }
            }
            for (message, author, admit) in &admits {
                let confirmed = || {
                    let mut rulings = rulings.get(&message.id()).into_iter().flatten();
                    rulings.any(|ruling| {
                        keys.known.contains(&(Author::Referee, ruling.key())) && reaches(&by_id, admit, ruling)
                    })
                };
                let player = admitted_player(terms, *author, admit);
                let told = message.head().seen.get(&admit.player) == Some(admit.after);
                let Some(player) = player.filter(|_| told && keys.known.contains(&(*author, message.key()))) else {
                    continue;
                };
                if confirmed() {
                    keys.known.insert((Author::Player(player), admit.key));
                    keys.admissions.entry((player, admit.after, admit.key)).or_insert(message.id());
                }
            }
        }
        keys
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
        if self.rotated.get(&prev.id()).copied().unwrap_or(prev.key()) == key {
            return Some(Place::Usual);
        }
        let player = author.player()?;
        self.admissions.get(&(player, prev.id(), key)).copied().map(Place::Admitted)
    }
}

/// Whether the letter that an admit follows is at hand, and the referee had seen that one, an earlier one or none (keys 6).
fn reaches(by_id: &HashMap<Hex32, &Verified>, admit: &Admit, ruling: &Verified) -> bool {
    let Some((_, seen)) = ruling.head().seen.iter().find(|(role, _)| **role == admit.player) else { return false };
    let after = by_id.get(&admit.after).filter(|after| after.head().author == admit.player);
    let mut back = std::iter::successors(after.copied(), |message| by_id.get(&message.head().prev?).copied());
    match seen {
        None => after.is_some(),
        Some(seen) => back.any(|message| message.id() == seen),
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
