//! The order of a game's letters: missing letters, forks, and the order of replay (`protocol/chain.md` 4, 7, 15).

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap},
};

use super::{
    branches::{self, Family, Fork},
    ids::Ids,
    keys::Members,
    node::{Branches, Node, Placed, Standing},
    terms::{Author, Terms},
};
use crate::blob::{
    Verified,
    body::{Hex32, Role},
};

/// An id that is named but not available (audit 4).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// The letters that name it, ascending.
    pub named_by: Vec<Hex32>,
    /// The authors of these letters.
    pub namers: BTreeSet<Role>,
    /// The author of the missing letter, as far as links show; the role may be unknown in the game.
    pub author: Option<Role>,
    /// The missing letter's number, if it is an author's previous letter.
    pub number: Option<u64>,
}

impl Missing {
    /// Records a letter that names the missing one, as its game or by a link; letters are passed in the order of their
    /// ids.
    pub(super) fn note(&mut self, id: Hex32, message: &Verified) {
        let head = message.head();
        self.named_by.push(message.id());
        self.namers.insert(head.author.clone());
        // Letters may give one id different roles: the first role counts, and `prev` takes precedence over `seen`
        // (audit 4).
        if head.prev == Some(id) && self.number.is_none() {
            (self.author, self.number) = (Some(head.author.clone()), Some(head.number.saturating_sub(1)));
        } else if let Some((role, _)) = head.seen.iter().find(|(_, seen)| *seen == Some(id)) {
            self.author.get_or_insert_with(|| role.clone());
        }
    }
}

/// The letters of a game, in order.
#[derive(Debug)]
pub struct Order {
    /// The placed letters, in the order of replay.
    pub nodes: Vec<Node>,
    /// Letters that are named but not available.
    pub missing: BTreeMap<Hex32, Missing>,
    /// Ids of all available letters, placed or not, and of the letters they name.
    pub ids: Ids,
    /// The forks, which are evidence against their authors, in the order of author, number and id.
    pub forks: Vec<Fork>,
    /// Whether there are more branches than a game can have, so that the game is not replayed (chain 15).
    pub overgrown: bool,
    /// In an overgrown game, the letters with broken links, and their authors.
    pub broken: Vec<(Hex32, Author)>,
    /// The branches, for letters that follow.
    pub(super) branches: Branches,
}

impl Order {
    /// Orders the letters of a game: its charter, its accepts, and all letters that name the game, each once.
    #[must_use]
    pub fn of(terms: &Terms, game: Hex32, members: &Members<'_>) -> Self {
        let builder = Builder::new(terms, members);
        let missing = builder.missing();
        let placed = builder.place();
        let families = Family::all(&placed);
        let mut branches = Branches::default();
        let nodes = builder.nodes(&placed, &mut branches);
        let overgrown = nodes.is_none();
        let mut forks: Vec<(u64, Fork)> = families.iter().map(|family| family.fork(&placed)).collect();
        forks.sort_by(|(one, a), (other, b)| (a.author, one, &a.ids).cmp(&(b.author, other, &b.ids)));
        // A game that is not replayed has no facts from the office either (chain 15).
        forks.iter_mut().for_each(|(_, fork)| fork.explained &= !overgrown);
        let mut nodes = nodes.unwrap_or_default();
        branches::settle(&mut nodes, &families, terms, game);
        let letters = members.letters.iter().map(|(message, _)| message.id());
        let ids = letters.chain(missing.keys().copied()).chain([terms.id, game]).collect();
        Self {
            nodes,
            missing,
            ids,
            forks: forks.into_iter().map(|(_, fork)| fork).collect(),
            overgrown,
            broken: if overgrown { builder.broken() } else { Vec::new() },
            branches,
        }
    }

    /// Returns an author's last letter that stands.
    #[must_use]
    pub fn last_of(&self, author: Author) -> Option<&Node> {
        let own = self.nodes.iter().filter(|node| node.author == author && node.standing == Standing::Stands);
        own.max_by_key(|node| node.rank())
    }

    /// Whether letters may follow one by one, because the contents of a letter cannot make a branch fall or stand.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        !self.overgrown && self.forks.iter().all(|fork| fork.author == Author::Office)
    }

    /// Whether a letter changes the game only by its own contents: it directly follows its author's last letter, no
    /// letter waits for it, and all letters that it names are placed. `at` looks up placed letters.
    pub(super) fn is_next<'n>(
        &self,
        message: &Verified,
        author: Author,
        branches: &Branches,
        at: impl Fn(&Hex32) -> Option<&'n Node>,
    ) -> bool {
        let head = message.head();
        let prev = head.prev.and_then(|prev| at(&prev)).filter(|prev| {
            prev.author == author
                && prev.standing == Standing::Stands
                && prev.message.head().number.checked_add(1) == Some(head.number)
                && branches.is_open(prev)
        });
        let is_known = |id: &Hex32| at(id).is_some();
        self.is_settled()
            && prev.is_some()
            && !is_known(&message.id())
            && !self.missing.contains_key(&message.id())
            && message.names().iter().all(is_known)
    }
}

struct Builder<'a, 'b> {
    terms: &'b Terms,
    letters: &'b [(&'a Verified, Author)],
    /// The ids that each letter names, available or not.
    names: Vec<Vec<Hex32>>,
    by_id: HashMap<Hex32, usize>,
}

impl<'a, 'b> Builder<'a, 'b> {
    fn new(terms: &'b Terms, members: &'b Members<'a>) -> Self {
        let letters = members.letters.as_slice();
        let names = |message: &Verified| {
            let mut names = message.names();
            names.sort_unstable();
            names.dedup();
            names
        };
        Self {
            terms,
            letters,
            names: letters.iter().map(|(message, _)| names(message)).collect(),
            by_id: letters.iter().enumerate().map(|(i, (message, _))| (message.id(), i)).collect(),
        }
    }

    fn missing(&self) -> BTreeMap<Hex32, Missing> {
        let mut missing: BTreeMap<Hex32, Missing> = BTreeMap::new();
        let mut naming: Vec<_> = self.letters.iter().zip(&self.names).collect();
        naming.sort_by_key(|((message, _), _)| message.id());
        for ((message, _), names) in naming {
            for id in names.iter().filter(|id| !self.by_id.contains_key(id)) {
                missing.entry(*id).or_default().note(*id, message);
            }
        }
        missing
    }

    /// Returns the number of letters for which each letter waits, and the letters that wait for it.
    fn waiting(&self) -> (Vec<usize>, Vec<Vec<usize>>) {
        let mut followers: Vec<Vec<usize>> = vec![Vec::new(); self.letters.len()];
        for (i, names) in self.names.iter().enumerate() {
            for named in names.iter().filter_map(|id| self.by_id.get(id)) {
                if let Some(list) = followers.get_mut(*named) {
                    list.push(i);
                }
            }
        }
        (self.names.iter().map(Vec::len).collect(), followers)
    }

    /// Places letters in the order of replay (chain 4, 7).
    fn place(&self) -> Vec<Placed<'a>> {
        let (mut waits_for, mut followers) = self.waiting();
        let rank = |i: usize| {
            let (message, author) = self.letters.get(i)?;
            Some(Reverse((*author, message.head().number, message.id(), i)))
        };
        let ready = waits_for.iter().enumerate().filter(|(_, waits)| **waits == 0);
        let mut ready: BinaryHeap<_> = ready.filter_map(|(i, _)| rank(i)).collect();
        let mut placed: Vec<Placed<'a>> = Vec::with_capacity(self.letters.len());
        let mut place_of: HashMap<Hex32, usize> = HashMap::with_capacity(self.letters.len());
        while let Some(Reverse((author, .., i))) = ready.pop() {
            let Some((message, _)) = self.letters.get(i) else { continue };
            let prev = message.head().prev.and_then(|prev| place_of.get(&prev)).copied();
            let before = prev.and_then(|prev| placed.get(prev)).map(|before| before.standing);
            let standing = match before {
                _ if self.is_broken(message, author) => Standing::Detached,
                Some(before) if before.is_detached() => Standing::Adrift,
                _ => Standing::Stands,
            };
            place_of.insert(message.id(), placed.len());
            placed.push(Placed { message, author, standing, prev });
            for follower in followers.get_mut(i).map(std::mem::take).unwrap_or_default() {
                if let Some(waits) = waits_for.get_mut(follower) {
                    *waits -= 1;
                    if *waits == 0 {
                        ready.extend(rank(follower));
                    }
                }
            }
        }
        placed
    }

    /// Returns the placed letters with their pasts; `None` if there are more branches than a game can have (chain 15).
    fn nodes(&self, placed: &[Placed<'a>], branches: &mut Branches) -> Option<Vec<Node>> {
        let mut place_of: HashMap<Hex32, usize> = HashMap::with_capacity(placed.len());
        let mut nodes: Vec<Node> = Vec::with_capacity(placed.len());
        for Placed { message, author, standing, .. } in placed {
            let at = |id: &Hex32| nodes.get(*place_of.get(id)?);
            let node = Node::of(self.terms, message, (*author, *standing), branches, at)?;
            place_of.insert(message.id(), nodes.len());
            nodes.push(node);
        }
        Some(nodes)
    }

    /// Finds letters, placed or not, whose `prev` is available but is not their author's previous letter (chain 2, 15).
    fn broken(&self) -> Vec<(Hex32, Author)> {
        let broken = self.letters.iter().filter(|(message, author)| self.is_broken(message, *author));
        let mut broken: Vec<_> = broken.collect();
        broken.sort_by_key(|(message, author)| (*author, message.head().number, message.id()));
        broken.into_iter().map(|(message, author)| (message.id(), *author)).collect()
    }

    fn is_broken(&self, message: &Verified, author: Author) -> bool {
        let prev = message.head().prev.and_then(|prev| self.letters.get(*self.by_id.get(&prev)?));
        prev.is_some_and(|(prev, by)| *by != author || prev.head().number.checked_add(1) != Some(message.head().number))
    }
}
