//! Whose letter it is: the key in force at each place of a chain (`protocol/keys.md`).

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{
    charter::{Author, Player, Terms},
    given_up::{Letters, RoleKey, Rotation},
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
    /// Letters by which an admitted key comes into force, with all admits of it.
    pub admitted: HashMap<Hex32, BTreeSet<Hex32>>,
    /// Keys that are admitted, of whom and after which letter, used or not (keys 6).
    pub grants: HashSet<Grant>,
}

/// A player's key that is admitted after a letter: whose, after which, and the key.
pub(super) type Grant = (Player, Hex32, Hex32);

/// The key with which the letter after a letter is signed.
#[must_use]
pub fn key_behind(letter: &Verified) -> Hex32 {
    match letter.body() {
        Body::Key(KeyChange::Rotate(rotate)) => rotate.key,
        _ => letter.key(),
    }
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
        let mut copies = keys.letters(terms, letters);
        loop {
            members.letters.clear();
            members.admitted.clear();
            let mut doubled = HashSet::new();
            for (Chosen { message, author, grant }, others) in copies.iter().filter_map(|copies| copies.split_first()) {
                members.letters.push((message, *author));
                let admits = grant.and_then(|grant| keys.admissions.get(&grant));
                members.admitted.extend(admits.map(|admits| (message.id(), admits.clone())));
                doubled.extend((!others.is_empty()).then_some(message.id()));
            }
            let first = members.admitted.keys().copied();
            let gone = Letters::new(&members.letters, &keys.rotations, first, doubled)
                .given_up(&keys.rotations, &keys.admitted);
            if gone.is_empty() {
                break;
            }
            // What has ceased to exist stays so, but the next copy takes its place (keys 2).
            for copies in &mut copies {
                if copies.first().is_some_and(|copy| gone.contains(&copy.message.id())) {
                    copies.remove(0);
                }
            }
            copies.retain(|copies| !copies.is_empty());
        }
        let there: HashSet<(Hex32, Hex32)> =
            members.letters.iter().map(|(message, _)| (message.id(), message.key())).collect();
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

/// A copy that may be a letter.
#[derive(Clone, Copy)]
struct Chosen<'a> {
    message: &'a Verified,
    author: Author,
    /// The admission by which its key comes into force.
    grant: Option<Grant>,
}

/// The keys that a game's messages hand out, be they letters or not (keys 2, 6).
struct Keyring {
    /// Every key that a role has in this game.
    known: HashSet<(Author, Hex32)>,
    /// Admits that a ruling confirmed, by what they admit.
    admissions: HashMap<Grant, BTreeSet<Hex32>>,
    /// Keys that are admitted, wherever.
    admitted: HashSet<(Author, Hex32)>,
    /// Every rotate with a good proof, and what comes into force by it.
    rotations: Vec<Rotation>,
    rotated: HashMap<Hex32, Hex32>,
}

impl Keyring {
    fn of(terms: &Terms, game: Hex32, messages: &[&Verified]) -> Self {
        let known = terms.authors().filter_map(|(author, _)| Some((author, terms.key_of(author)?))).collect();
        let mut keys = Self {
            known,
            admissions: HashMap::new(),
            admitted: HashSet::new(),
            rotations: Vec::new(),
            rotated: HashMap::new(),
        };
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
        let mut brought: HashMap<RoleKey, Vec<RoleKey>> = HashMap::new();
        for rotation in &keys.rotations {
            brought.entry(rotation.under).or_default().push((rotation.under.0, rotation.key));
        }
        // A key is handed out under a key that may have been handed out itself.
        let mut count = 0;
        while count < keys.known.len() {
            let mut open: Vec<RoleKey> = keys.known.iter().copied().collect();
            while let Some(under) = open.pop() {
                let new = brought.remove(&under).unwrap_or_default();
                open.extend(new.into_iter().filter(|key| keys.known.insert(*key)));
            }
            count = keys.known.len();
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
                    keys.admitted.insert((Author::Player(player), admit.key));
                    keys.admissions.entry((player, admit.after, admit.key)).or_default().insert(message.id());
                }
            }
        }
        keys
    }

    /// The messages whose keys are in force at their places, by number; each with the other copies that would do, in their
    /// order (keys 1, 2).
    fn letters<'a>(&self, terms: &Terms, messages: &[&'a Verified]) -> Vec<Vec<Chosen<'a>>> {
        let mut copies: HashMap<Hex32, Vec<&'a Verified>> = HashMap::new();
        messages.iter().for_each(|message| copies.entry(message.id()).or_default().push(message));
        // Each after the letter that is its `prev`.
        let mut found: HashMap<Hex32, Vec<Chosen<'a>>> = HashMap::new();
        for message in messages {
            let mut open = vec![message.id()];
            while let Some(id) = open.last().copied() {
                let prev = copies.get(&id).and_then(|copies| copies.first()?.head().prev);
                match prev.filter(|prev| copies.contains_key(prev) && !found.contains_key(prev)) {
                    Some(prev) => open.push(prev),
                    None => {
                        open.pop();
                        let before = prev.and_then(|prev| found.get(&prev)?.first()).map(|before| before.message);
                        let copies = copies.get(&id).map(Vec::as_slice).unwrap_or_default();
                        found.entry(id).or_insert_with(|| self.rank_copies(terms, copies, before));
                    }
                }
            }
        }
        let mut letters: Vec<_> = found.into_values().filter(|copies| !copies.is_empty()).collect();
        letters.sort_by_key(|copies| copies.first().map(|copy| (copy.message.head().number, copy.message.id())));
        letters
    }

    /// Which of several copies would do, in their order: the first is the letter.
    fn rank_copies<'a>(&self, terms: &Terms, copies: &[&'a Verified], before: Option<&Verified>) -> Vec<Chosen<'a>> {
        let Some(head) = copies.first().map(|copy| copy.head()) else { return Vec::new() };
        let Some(author) = terms.author_of(&head.author) else { return Vec::new() };
        let before = before.filter(|before| before.head().author == head.author);
        let in_force = before.map(|before| self.rotated.get(&before.id()).copied().unwrap_or(before.key()));
        let grant = |key| {
            let grant = (author.player()?, before?.id(), key);
            self.admissions.contains_key(&grant).then_some(grant)
        };
        let will_do = |copy: &&&Verified| match (head.prev, in_force) {
            (None, _) => terms.key_of(author) == Some(copy.key()),
            (Some(_), Some(in_force)) => in_force == copy.key() || grant(copy.key()).is_some(),
            (Some(_), None) => self.known.contains(&(author, copy.key())),
        };
        let chosen = |message: &&'a Verified| Chosen { message, author, grant: grant(message.key()) };
        let mut ranked: Vec<Chosen<'a>> = copies.iter().filter(will_do).map(chosen).collect();
        ranked.sort_by_key(|copy| {
            let key = copy.message.key();
            (copy.grant.is_none(), !self.admitted.contains(&(author, key)), key)
        });
        ranked
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
