//! The order of a game's letters: links, pasts, forks, and the one order of replay (`protocol/chain.md`).

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap, HashMap, HashSet},
};

use super::{
    charter::{Player, Terms},
    sets::{Context, keys_of},
};
use crate::{
    blob::{
        Body, Kind, Verified,
        body::{Hex32, Reveal},
    },
    error::{Class, Error},
    limits::{BRANCHES, SEEN},
};

/// A placed letter: all that it names is at hand.
#[derive(Debug)]
pub struct Node<'a> {
    /// The letter.
    pub message: &'a Verified,
    /// Its author.
    pub player: Player,
    /// Whether it takes part in the game.
    pub standing: Standing,
    /// The first rule of links that it breaks: chain 2, 3 or 6.
    pub breach: Option<Error>,
    branch: usize,
    /// Place along the branch's chain, from 1.
    depth: u32,
    /// For each branch how deep into it the letter's past reaches.
    past: Box<[u32]>,
}

/// Whether a letter takes part in the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It does.
    Stands,
    /// Its own link is broken (chain 2).
    Detached,
    /// It begins a branch that fell: it is not judged (chain 10).
    Falls,
    /// It follows such a letter, or a detached one.
    Fallen,
}

impl Standing {
    /// Whether the letter is judged.
    #[must_use]
    pub const fn is_judged(self) -> bool {
        matches!(self, Self::Stands | Self::Detached)
    }
}

impl Node<'_> {
    /// The letter's id.
    #[must_use]
    pub const fn id(&self) -> Hex32 {
        self.message.id()
    }

    /// Whether another letter is in this one's past (chain 5).
    #[must_use]
    pub fn has_in_past(&self, other: &Self) -> bool {
        reaches(&self.past, other.branch, other.depth)
    }
}

fn reaches(past: &[u32], branch: usize, depth: u32) -> bool {
    past.get(branch).is_some_and(|reached| *reached >= depth)
}

/// An id that is named and not at hand (audit 4).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// The letters that name it, ascending.
    pub named_by: Vec<Hex32>,
    /// Whose letter it is, as far as a link tells.
    pub author: Option<Player>,
    /// Its number, if it is somebody's previous letter.
    pub number: Option<u64>,
}

/// Two or more letters of one author with one number (chain 8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fork {
    /// Whose.
    pub player: Player,
    /// Their ids, ascending.
    pub ids: Vec<Hex32>,
}

/// A game's letters in order.
#[derive(Debug)]
pub struct Order<'a> {
    /// The placed letters, in the order of replay.
    pub nodes: Vec<Node<'a>>,
    /// What is named and not at hand.
    pub missing: BTreeMap<Hex32, Missing>,
    /// Evidence.
    pub forks: Vec<Fork>,
    /// There are more branches than a game can have: nothing is replayed (chain 11).
    pub overgrown: bool,
}

impl<'a> Order<'a> {
    /// Orders the letters of a game: its charter, its accept, and all that names the game; each once, each with its
    /// author.
    #[must_use]
    pub fn of(terms: &Terms, game: Hex32, letters: &[(&'a Verified, Player)]) -> Self {
        let mut builder = Builder::new(terms, letters);
        let missing = builder.missing();
        let placed = builder.place();
        let overgrown = placed.is_none();
        let mut nodes = placed.unwrap_or_default();
        stand(&mut nodes, game);
        Self { nodes: nodes.into_iter().map(|(node, _)| node).collect(), missing, forks: forks(letters), overgrown }
    }
}

/// One finding for each author: the lowest number that two of his letters have (chain 8).
fn forks(letters: &[(&Verified, Player)]) -> Vec<Fork> {
    let mut by_number: BTreeMap<(Player, u64), Vec<Hex32>> = BTreeMap::new();
    for (message, player) in letters {
        by_number.entry((*player, message.head().number)).or_default().push(message.id());
    }
    let mut forks: Vec<Fork> = Vec::new();
    for ((player, _), mut ids) in by_number {
        if ids.len() > 1 && forks.iter().all(|fork| fork.player != player) {
            ids.sort();
            ids.truncate(SEEN);
            forks.push(Fork { player, ids });
        }
    }
    forks
}

/// A node under construction, with the place of its author's letter before.
type Placed<'a> = (Node<'a>, Option<usize>);

struct Builder<'a, 'b> {
    terms: &'b Terms,
    letters: &'b [(&'a Verified, Player)],
    /// The letters that each letter names, at hand or not.
    names: Vec<Vec<Hex32>>,
    by_id: HashMap<Hex32, usize>,
}

impl<'a, 'b> Builder<'a, 'b> {
    fn new(terms: &'b Terms, letters: &'b [(&'a Verified, Player)]) -> Self {
        let names = |message: &Verified| {
            let head = message.head();
            let linked = head.prev.into_iter().chain(head.seen.letters());
            let mut names: Vec<Hex32> = linked.chain(message.body().names().into_iter().map(|(id, _)| id)).collect();
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
        for ((message, player), names) in self.letters.iter().zip(&self.names) {
            let head = message.head();
            for id in names.iter().filter(|id| !self.by_id.contains_key(id)) {
                let entry = missing.entry(*id).or_default();
                entry.named_by.push(message.id());
                if head.prev == Some(*id) {
                    (entry.author, entry.number) = (Some(*player), Some(head.number - 1));
                } else if let Some((role, _)) = head.seen.iter().find(|(_, seen)| *seen == Some(*id)) {
                    entry.author = entry.author.or_else(|| self.terms.player(role));
                }
            }
        }
        for entry in missing.values_mut() {
            entry.named_by.sort_unstable();
        }
        missing
    }

    /// Places letters in the order of replay (chain 4, 7); `None` if there are too many branches.
    fn place(&mut self) -> Option<Vec<Placed<'a>>> {
        let mut waits_for = Vec::with_capacity(self.letters.len());
        let mut followers: Vec<Vec<usize>> = vec![Vec::new(); self.letters.len()];
        for (i, names) in self.names.iter().enumerate() {
            waits_for.push(names.len());
            for named in names.iter().filter_map(|id| self.by_id.get(id)) {
                if let Some(list) = followers.get_mut(*named) {
                    list.push(i);
                }
            }
        }
        let rank = |i: usize| {
            let (message, player) = self.letters.get(i)?;
            Some(Reverse((*player, message.head().number, message.id(), i)))
        };
        let ready = waits_for.iter().enumerate().filter(|(_, waits)| **waits == 0);
        let mut ready: BinaryHeap<_> = ready.filter_map(|(i, _)| rank(i)).collect();
        let mut nodes: Vec<Placed<'a>> = Vec::with_capacity(self.letters.len());
        let mut place_of: Vec<Option<usize>> = vec![None; self.letters.len()];
        let mut branches = Branches::default();
        while let Some(Reverse((.., i))) = ready.pop() {
            let node = self.node(i, &nodes, &place_of, &mut branches)?;
            if let Some(place) = place_of.get_mut(i) {
                *place = Some(nodes.len());
            }
            nodes.push(node);
            for follower in followers.get_mut(i).map(std::mem::take).unwrap_or_default() {
                if let Some(waits) = waits_for.get_mut(follower) {
                    *waits -= 1;
                    if *waits == 0 {
                        ready.extend(rank(follower));
                    }
                }
            }
        }
        Some(nodes)
    }

    fn node(
        &self,
        i: usize,
        nodes: &[Placed<'a>],
        place_of: &[Option<usize>],
        branches: &mut Branches,
    ) -> Option<Placed<'a>> {
        let (message, player) = *self.letters.get(i)?;
        let head = message.head();
        let place = |id: &Hex32| place_of.get(*self.by_id.get(id)?).copied().flatten();
        let at = |id: &Hex32| nodes.get(place(id)?).map(|(node, _)| node);
        let prev = head.prev.as_ref().and_then(at);
        let attached = prev.is_none_or(|prev| prev.player == player && prev.message.head().number + 1 == head.number);
        let mut breach = (!attached).then(|| chain_breach("chain 2", "prev is not the author's letter before"));

        let linked = head.seen.letters().chain(head.prev).filter_map(|id| at(&id));
        let mut past = Past::default();
        linked.for_each(|node| past.join(node));
        breach = breach.or_else(|| self.seen_breach(message, prev, &at));
        let named: Vec<&Node<'_>> = message.body().names().iter().filter_map(|(id, _)| at(id)).collect();
        // The accept's charter is its `seen`, which charter 6 looks after.
        if message.head().kind != Kind::Accept && named.iter().any(|node| !reaches(&past.0, node.branch, node.depth)) {
            breach = breach.or_else(|| Some(Error::breach("chain 6", "it names a letter that its links do not cover")));
        }
        named.into_iter().for_each(|node| past.join(node));

        let prev_place = head.prev.as_ref().and_then(place).filter(|_| attached);
        let (branch, depth) = branches.grow(prev_place, prev.filter(|_| attached))?;
        let node = Node {
            message,
            player,
            standing: if attached { Standing::Stands } else { Standing::Detached },
            breach,
            branch,
            depth,
            past: past.0.into_boxed_slice(),
        };
        Some((node, prev_place))
    }

    /// What is wrong with `seen` (chain 3).
    fn seen_breach<'n>(
        &self,
        message: &Verified,
        prev: Option<&Node<'_>>,
        at: &impl Fn(&Hex32) -> Option<&'n Node<'a>>,
    ) -> Option<Error>
    where
        'a: 'n,
    {
        let head = message.head();
        if matches!(head.kind, Kind::Charter | Kind::Accept) {
            return None;
        }
        let other = self.terms.player(&head.author)?.other();
        let role = self.terms.role(other);
        if head.seen.iter().map(|(role, _)| role).ne([role]) {
            return Some(chain_breach("chain 3", "seen must name exactly the other role"));
        }
        let seen = head.seen.get(role);
        let seen = seen.as_ref().and_then(at);
        if seen.is_some_and(|node| node.player != other) {
            return Some(chain_breach("chain 3", "seen names a letter of another author"));
        }
        let number = |node: Option<&Node<'_>>| node.map_or(0, |node| node.message.head().number);
        let before = prev.and_then(|prev| prev.message.head().seen.get(role));
        (number(seen) < number(before.as_ref().and_then(at)))
            .then(|| chain_breach("chain 3", "seen goes back behind the author's letter before"))
    }
}

fn chain_breach(rule: &'static str, text: &str) -> Error {
    Error::Violation { class: Class::Chain, rule, text: text.into() }
}

/// How deep a past reaches into each branch.
#[derive(Default)]
struct Past(Vec<u32>);

impl Past {
    fn join(&mut self, node: &Node<'_>) {
        let length = self.0.len().max(node.past.len()).max(node.branch + 1);
        self.0.resize(length, 0);
        let own = std::iter::once((node.branch, node.depth));
        for (branch, depth) in node.past.iter().copied().enumerate().chain(own) {
            if let Some(reached) = self.0.get_mut(branch) {
                *reached = depth.max(*reached);
            }
        }
    }
}

/// Hands out branches: a letter goes on with its previous letter's branch if it is the first to do so.
#[derive(Default)]
struct Branches {
    count: usize,
    continued: HashSet<usize>,
}

impl Branches {
    fn grow(&mut self, prev_place: Option<usize>, prev: Option<&Node<'_>>) -> Option<(usize, u32)> {
        if let (Some(place), Some(prev)) = (prev_place, prev) {
            let depth = prev.depth + 1;
            if self.continued.insert(place) {
                return Some((prev.branch, depth));
            }
            return Some((self.new_branch()?, depth));
        }
        Some((self.new_branch()?, 1))
    }

    fn new_branch(&mut self) -> Option<usize> {
        self.count += 1;
        (self.count <= BRANCHES).then(|| self.count - 1)
    }
}

/// The first letter of the other player that names a letter, or opens a declaration: number and id.
type First = Option<(u64, Hex32)>;

/// Decides which branches stand (chain 9, 10).
fn stand(nodes: &mut [Placed<'_>], game: Hex32) {
    let mut children: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (i, (_, prev)) in nodes.iter().enumerate() {
        if let Some(prev) = prev {
            children.entry(*prev).or_default().push(i);
        }
    }
    children.retain(|_, list| list.len() > 1);
    let mut fallen = vec![false; nodes.len()];
    if !children.is_empty() {
        let first_named = first_named(nodes, game);
        for list in children.values() {
            let first = |i: &usize| first_named.get(*i).copied().unwrap_or_default();
            let by_opening = list.iter().filter_map(|i| first(i).1.map(|first| (first, *i))).min();
            let by_naming = list.iter().filter_map(|i| first(i).0.map(|first| (first, *i))).min();
            let stands = by_opening.or(by_naming).map(|(_, i)| i);
            for i in list.iter().filter(|i| Some(**i) != stands) {
                if let Some(falls) = fallen.get_mut(*i) {
                    *falls = true;
                }
            }
        }
    }
    for i in 0..nodes.len() {
        let Some((_, prev)) = nodes.get(i) else { continue };
        let before = prev.and_then(|prev| nodes.get(prev)).map(|(node, _)| node.standing);
        let standing = match (before, fallen.get(i)) {
            (Some(before), _) if before != Standing::Stands => Standing::Fallen,
            (_, Some(true)) => Standing::Falls,
            _ => continue,
        };
        if let Some((node, _)) = nodes.get_mut(i) {
            node.standing = standing;
        }
    }
}

/// For each letter, over the branch that begins with it: the other player's first naming, and his first opening.
fn first_named(nodes: &[Placed<'_>], game: Hex32) -> Vec<(First, First)> {
    let place_of: HashMap<Hex32, usize> = nodes.iter().enumerate().map(|(i, (node, _))| (node.id(), i)).collect();
    let mut first: Vec<(First, First)> = vec![(None, None); nodes.len()];
    let earlier = |a: First, b: First| a.into_iter().chain(b).min();
    for (node, _) in nodes.iter().filter(|(node, _)| node.standing != Standing::Detached) {
        let head = node.message.head();
        let this = Some((head.number, node.id()));
        let at = |id: &Hex32| place_of.get(id).and_then(|i| Some((*i, &nodes.get(*i)?.0)));
        for (i, _) in head.seen.letters().filter_map(|id| at(&id)).filter(|(_, other)| other.player != node.player) {
            if let Some((naming, _)) = first.get_mut(i) {
                *naming = earlier(*naming, this);
            }
        }
        let Body::Reveal(reveal) = node.message.body() else { continue };
        let declared = at(&reveal.declaration)
            .filter(|(_, other)| other.player != node.player && matches!(other.message.body(), Body::Declare(_)));
        let seal = at(&reveal.seal).map(|(_, seal)| seal.message);
        let opens = seal.is_some_and(|seal| opens(game, seal, reveal));
        if let (Some((i, _)), true) = (declared, opens)
            && let Some((_, opening)) = first.get_mut(i)
        {
            *opening = earlier(*opening, this);
        }
    }
    // Letters are in the order of replay, so followers come behind: carry what names them to the letters before.
    for i in (0..nodes.len()).rev() {
        let Some((naming, opening)) = first.get(i).copied() else { continue };
        let prev = nodes.get(i).and_then(|(_, prev)| *prev);
        if let Some(before) = prev.and_then(|prev| first.get_mut(prev)) {
            *before = (earlier(before.0, naming), earlier(before.1, opening));
        }
    }
    first
}

/// Whether a reveal has a key that matches the seal that it names.
fn opens(game: Hex32, seal: &Verified, reveal: &Reveal) -> bool {
    let Body::Seal(body) = seal.body() else { return false };
    let context = Context::of(game, &seal.head().author, body);
    keys_of(body.kind, reveal).into_iter().any(|(place, key)| context.matches(body, &key, place))
}
