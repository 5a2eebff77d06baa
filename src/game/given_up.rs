//! Keys that were given up, and what is signed with them (`protocol/keys.md` 2).

use std::collections::{HashMap, HashSet};

use super::charter::Author;
use crate::blob::{Verified, body::Hex32};

/// A role and a key that it has or had.
pub(super) type RoleKey = (Author, Hex32);

/// A rotate with a good proof, be it a letter or not.
pub(super) struct Rotation {
    /// The id of the message.
    pub(super) id: Hex32,
    /// Whose, and what it is signed with.
    pub(super) under: RoleKey,
    /// The new key.
    pub(super) key: Hex32,
    /// It says that the old key may be stolen.
    pub(super) stolen: bool,
}

/// The letters of a game, before anything is given up.
pub(super) struct Letters<'m, 'a> {
    letters: &'m [(&'a Verified, Author)],
    by_id: HashMap<Hex32, (&'a Verified, Author)>,
    rotations: HashMap<Hex32, &'m Rotation>,
    /// Letters by which an admitted key comes into force.
    first: HashSet<Hex32>,
}

impl<'m, 'a> Letters<'m, 'a> {
    /// `letters`: by number, ascending. `first`: those by which an admitted key comes into force.
    pub(super) fn new(
        letters: &'m [(&'a Verified, Author)],
        rotations: &'m [Rotation],
        first: impl Iterator<Item = Hex32>,
    ) -> Self {
        Self {
            letters,
            by_id: letters.iter().map(|(message, by)| (message.id(), (*message, *by))).collect(),
            rotations: rotations.iter().map(|rotation| (rotation.id, rotation)).collect(),
            first: first.collect(),
        }
    }

    /// What does not exist because its key was given up. `admitted`: keys that are.
    pub(super) fn given_up(&self, rotations: &[Rotation], admitted: &HashSet<RoleKey>) -> HashSet<Hex32> {
        let giving = self.giving();
        if giving.is_empty() {
            return HashSet::new();
        }
        let mut old = self.keys_before(&giving);
        let spared = self.spared(&giving);
        loop {
            let candidate =
                |message: &Verified, by| old.contains(&(by, message.key())) && !spared.contains(&message.id());
            let known = self.known_to_others(candidate);
            let is_gone = |message: &Verified, by| candidate(message, by) && !known.contains(&message.id());
            let gone = self.letters.iter().filter(|(message, by)| is_gone(message, *by));
            let gone: HashSet<Hex32> = gone.map(|(message, _)| message.id()).collect();
            let exists = |id: &Hex32| self.by_id.contains_key(id) && !gone.contains(id);
            let count = old.len();
            // Whoever gave up a key has not given his word for the keys that it was used to bring in.
            let named = rotations.iter().filter(|one| exists(&one.id)).map(|one| (one.under.0, one.key));
            let named: HashSet<RoleKey> = named.chain(admitted.iter().copied()).collect();
            let lives = |id: &Hex32| spared.contains(id) || known.contains(id);
            let mut brought: HashMap<RoleKey, Vec<RoleKey>> = HashMap::new();
            for one in rotations.iter().filter(|one| !lives(&one.id) && !named.contains(&(one.under.0, one.key))) {
                brought.entry(one.under).or_default().push((one.under.0, one.key));
            }
            let mut open: Vec<RoleKey> = old.iter().copied().collect();
            while let Some(under) = open.pop() {
                let new = brought.remove(&under).unwrap_or_default();
                open.extend(new.into_iter().filter(|key| old.insert(*key)));
            }
            if old.len() == count {
                return gone;
            }
        }
    }

    fn before(&self, message: &Verified) -> Option<(&'a Verified, Author)> {
        self.by_id.get(&message.head().prev?).copied()
    }

    /// The letters that give keys up.
    fn giving(&self) -> Vec<(&'a Verified, Author)> {
        let gives = |message: &Verified| {
            self.first.contains(&message.id()) || self.rotations.get(&message.id()).is_some_and(|one| one.stolen)
        };
        if !self.letters.iter().any(|(message, _)| gives(message)) {
            return Vec::new();
        }
        let unplaced = self.unplaced();
        let mut attached: HashSet<Hex32> = HashSet::new();
        for (message, by) in self.letters {
            let linked = self.before(message).is_some_and(|(before, author)| {
                author == *by && before.head().number + 1 == message.head().number && attached.contains(&before.id())
            });
            if linked || message.head().prev.is_none() {
                attached.insert(message.id());
            }
        }
        let whole = |id: Hex32| attached.contains(&id) && !unplaced.contains(&id);
        self.letters.iter().filter(|(message, _)| gives(message) && whole(message.id())).copied().collect()
    }

    /// Letters that name what is not at hand, or a letter that does (chain 4).
    fn unplaced(&self) -> HashSet<Hex32> {
        let mut named_by: HashMap<Hex32, Vec<Hex32>> = HashMap::new();
        let mut open: Vec<Hex32> = Vec::new();
        for (message, _) in self.letters {
            for name in message.names() {
                named_by.entry(name).or_default().push(message.id());
                if !self.by_id.contains_key(&name) {
                    open.push(message.id());
                }
            }
        }
        let mut unplaced: HashSet<Hex32> = HashSet::new();
        while let Some(id) = open.pop() {
            if unplaced.insert(id) {
                open.extend(named_by.get(&id).into_iter().flatten());
            }
        }
        unplaced
    }

    /// The keys that were in force before the letters that give keys up.
    fn keys_before(&self, giving: &[(&'a Verified, Author)]) -> HashSet<RoleKey> {
        let mut old: HashSet<RoleKey> = HashSet::new();
        let mut passed: HashSet<Hex32> = HashSet::new();
        for (message, by) in giving {
            // A rotate gives up its own key, even one that was just admitted.
            if self.rotations.contains_key(&message.id()) {
                old.insert((*by, message.key()));
            }
            let mut at = self.before(message);
            while let Some((before, _)) = at.filter(|(before, _)| passed.insert(before.id())) {
                old.insert((*by, before.key()));
                // A key that was in force and has signed nothing.
                old.extend(self.rotations.get(&before.id()).map(|one| (*by, one.key)));
                at = self.before(before);
            }
        }
        old
    }

    /// What exists, whatever it is signed with: the letters that give keys up, their pasts, and what follows one of them under
    /// a key that it gives up.
    fn spared(&self, giving: &[(&'a Verified, Author)]) -> HashSet<Hex32> {
        let mut spared: HashSet<Hex32> = HashSet::new();
        let mut open: Vec<Hex32> = giving.iter().map(|(message, _)| message.id()).collect();
        while let Some(id) = open.pop() {
            if spared.insert(id) {
                open.extend(self.by_id.get(&id).map(|(message, _)| message.names()).unwrap_or_default());
            }
        }
        let mut nearest: HashMap<Hex32, Option<Hex32>> =
            giving.iter().map(|(message, _)| (message.id(), Some(message.id()))).collect();
        // Whoever gives up after another gives up all that the first one did.
        let mut gives: HashMap<(Hex32, Hex32), bool> = HashMap::new();
        for (message, by) in self.letters {
            if let Some(giver) = self.nearest_above(message, *by, &mut nearest) {
                let given = gives.entry((giver, message.key())).or_insert_with(|| self.gives_up(giver, message.key()));
                spared.extend(given.then_some(message.id()));
            }
        }
        spared
    }

    /// The letter nearest above one in its role's chain that gives up keys, or itself.
    fn nearest_above(
        &self,
        message: &'a Verified,
        by: Author,
        nearest: &mut HashMap<Hex32, Option<Hex32>>,
    ) -> Option<Hex32> {
        let mut path = Vec::new();
        let mut at = Some((message, by));
        let mut found = None;
        while let Some((letter, author)) = at {
            if let Some(known) = nearest.get(&letter.id()) {
                found = *known;
                break;
            }
            path.push(letter.id());
            at = self.before(letter).filter(|(_, before)| *before == author);
        }
        nearest.extend(path.into_iter().map(|id| (id, found)));
        found
    }

    /// Whether a letter that gives up keys gives up this one: it was in force before it.
    fn gives_up(&self, giver: Hex32, key: Hex32) -> bool {
        let Some((giver, _)) = self.by_id.get(&giver) else { return false };
        let above = std::iter::successors(self.before(giver), |(message, _)| self.before(message));
        let mut before = above.flat_map(|(message, _)| {
            let named = self.rotations.get(&message.id()).map(|one| one.key);
            std::iter::once(message.key()).chain(named)
        });
        self.rotations.contains_key(&giver.id()) && giver.key() == key || before.any(|before| before == key)
    }

    /// The candidates that are in the past of a letter of another role that exists.
    fn known_to_others(&self, candidate: impl Fn(&Verified, Author) -> bool) -> HashSet<Hex32> {
        let exist = self.letters.iter().filter(|(message, by)| !candidate(message, *by));
        let mut open: Vec<(Hex32, Author)> =
            exist.flat_map(|(message, by)| message.names().into_iter().map(|name| (name, *by))).collect();
        let mut reached: HashSet<(Hex32, Author)> = HashSet::new();
        let mut known: HashSet<Hex32> = HashSet::new();
        while let Some((id, knows)) = open.pop() {
            if !reached.insert((id, knows)) {
                continue;
            }
            let Some((message, by)) = self.by_id.get(&id) else { continue };
            open.extend(message.names().into_iter().map(|name| (name, knows)));
            if *by != knows && candidate(message, *by) && known.insert(id) {
                open.extend(message.names().into_iter().map(|name| (name, *by)));
            }
        }
        known
    }
}
