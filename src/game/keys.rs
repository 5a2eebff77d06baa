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
        let keys = Keyring::of(terms, game, letters);
        let mut members = Self { grants: keys.admissions.keys().copied().collect(), ..Self::default() };
        let mut left = letters.to_vec();
        // What has ceased to exist stays so (keys 2).
        loop {
            let count = left.len();
            members.letters.clear();
            members.admitted.clear();
            for (message, author, admit) in keys.letters(terms, &left) {
                members.letters.push((message, author));
                members.admitted.extend(admit.map(|admit| (message.id(), admit)));
            }
            let first = members.admitted.keys().copied();
            let admitted = keys.admissions.keys().map(|(player, _, key)| (Author::Player(*player), *key)).collect();
            let gone = Letters::new(&members.letters, &keys.rotations, first).given_up(&keys.rotations, &admitted);
            members.letters.retain(|(message, _)| !gone.contains(&message.id()));
            left = members.letters.iter().map(|(message, _)| *message).collect();
            if left.len() == count {
                break;
            }
        }
        let there: HashSet<(Hex32, Hex32)> = left.iter().map(|message| (message.id(), message.key())).collect();
        let strangers = letters.iter().filter(|message| !there.contains(&(message.id(), message.key())));
        members.strangers = strangers.map(|message| (*message, stranger(message))).collect();
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
}

/// A letter with its author, and the admit where an admitted key comes into force by it.
type Chosen<'a> = (&'a Verified, Author, Option<Hex32>);

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

    /// The messages whose keys are in force at their places, by number; of several copies one (keys 1, 2). With the admit
    /// where an admitted key comes into force.
    fn letters<'a>(&self, terms: &Terms, messages: &[&'a Verified]) -> Vec<Chosen<'a>> {
        let mut copies: HashMap<Hex32, Vec<&'a Verified>> = HashMap::new();
        messages.iter().for_each(|message| copies.entry(message.id()).or_default().push(message));
        copies.values_mut().for_each(|copies| copies.sort_by_key(|copy| copy.key()));
        // Each after the letter that is its `prev`.
        let mut found: HashMap<Hex32, Option<Chosen<'a>>> = HashMap::new();
        for message in messages {
            let mut open = vec![message.id()];
            while let Some(id) = open.last().copied() {
                let prev = copies.get(&id).and_then(|copies| copies.first()?.head().prev);
                match prev.filter(|prev| copies.contains_key(prev) && !found.contains_key(prev)) {
                    Some(prev) => open.push(prev),
                    None => {
                        open.pop();
                        let before = prev.and_then(|prev| found.get(&prev).copied().flatten());
                        let copies = copies.get(&id).map(Vec::as_slice).unwrap_or_default();
                        found
                            .entry(id)
                            .or_insert_with(|| self.pick_copy(terms, copies, before.map(|(before, ..)| before)));
                    }
                }
            }
        }
        let mut letters: Vec<_> = found.into_values().flatten().collect();
        letters.sort_by_key(|(message, ..)| (message.head().number, message.id()));
        letters
    }

    /// Which of several copies is the letter, if one is.
    fn pick_copy<'a>(&self, terms: &Terms, copies: &[&'a Verified], before: Option<&Verified>) -> Option<Chosen<'a>> {
        let head = copies.first()?.head();
        let author = terms.author_of(&head.author)?;
        let letter = |will_do: &dyn Fn(Hex32) -> bool| copies.iter().find(|copy| will_do(copy.key())).copied();
        if head.prev.is_none() {
            return letter(&|key| terms.key_of(author) == Some(key)).map(|copy| (copy, author, None));
        }
        let Some(before) = before.filter(|before| before.head().author == head.author) else {
            return letter(&|key| self.known.contains(&(author, key))).map(|copy| (copy, author, None));
        };
        let in_force = self.rotated.get(&before.id()).copied().unwrap_or(before.key());
        let admit =
            |key| self.admissions.get(&(author.player()?, before.id(), key)).copied().filter(|_| key != in_force);
        let admitted = copies.iter().find_map(|copy| Some((*copy, author, Some(admit(copy.key())?))));
        admitted.or_else(|| letter(&|key| key == in_force).map(|copy| (copy, author, None)))
    }
}

/// Whether the letter that an admit follows is at hand, and the referee had seen that one, an earlier one or none (keys 6).
fn reaches(by_id: &HashMap<Hex32, &Verified>, admit: &Admit, ruling: &Verified) -> bool {
    let Some((_, seen)) = ruling.head().seen.iter().find(|(role, _)| **role == admit.player) else { return false };
    let Some(after) = by_id.get(&admit.after).filter(|after| after.head().author == admit.player) else { return false };
    // By ids: the last one that is reached may not be at hand.
    let mut back = std::iter::successors(Some(after.id()), |id| by_id.get(id)?.head().prev);
    seen.is_none_or(|seen| back.any(|id| id == seen))
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
