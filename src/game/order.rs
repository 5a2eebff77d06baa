//! The order of a game's letters: links, pasts, forks, and the one order of replay (`protocol/chain.md`).

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet},
    ops::Deref,
    sync::Arc,
};

use super::{
    branches::{self, Family},
    charter::{Author, Player, Terms},
    ids::Ids,
    keys::Members,
};
use crate::{
    blob::{
        Body, Kind, Verified,
        body::{Hex32, Role},
        office::Receipt,
    },
    error::{Class, Error},
    limits::BRANCHES,
    rule::Rule,
};

/// The branches that a branch goes off from, each with the depth at which it does.
type Off = Arc<[(usize, u32)]>;

/// A placed letter: all that it names is at hand.
#[derive(Debug)]
pub struct Node {
    /// The letter.
    pub message: Verified,
    /// Its author.
    pub author: Author,
    /// Whether it takes part in the game.
    pub standing: Standing,
    /// The first rule of links that it breaks: chain 2, 3 or 6.
    pub breach: Option<Error>,
    /// Whether it may have been good on a branch of another's that fell, or that none knew to stand (chain 14).
    pub(super) misled: bool,
    branch: usize,
    /// Place along the branch's chain, from 1.
    depth: u32,
    /// For each branch how deep into it the letter's past reaches.
    past: Box<[u32]>,
    /// The branches that its own one goes off from by `prev`, one from another, each with the depth at which it does.
    off: Off,
}

/// Whether a letter takes part in the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It does.
    Stands,
    /// Its own link is broken (chain 2).
    Detached,
    /// It follows such a letter.
    Adrift,
    /// It begins a branch that fell: it is not judged (chain 13).
    Falls,
    /// It follows such a letter.
    Fallen,
}

impl Standing {
    /// Whether such letters are judged.
    #[must_use]
    pub const fn is_judged(self) -> bool {
        matches!(self, Self::Stands | Self::Detached)
    }

    /// Whether the letter, or one before it in its chain, follows no letter of its author (chain 2).
    #[must_use]
    pub const fn is_detached(self) -> bool {
        matches!(self, Self::Detached | Self::Adrift)
    }
}

impl Node {
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

    /// Whether a finding on it names no culprit: it may have been good where it was signed (chain 14).
    pub(super) fn excuses(&self, error: &Error) -> bool {
        // A false seal is good on no branch.
        self.misled && error.class() == Class::Rule && error.rule() != Some(Rule::Close3)
    }

    /// Whether it follows another letter by `prev`, directly or not.
    #[must_use]
    pub fn follows(&self, other: &Self) -> bool {
        let is_behind = |(branch, depth): &(usize, u32)| *branch == other.branch && *depth >= other.depth;
        self.branch == other.branch && self.depth > other.depth || self.off.iter().any(is_behind)
    }

    /// The order of an author's letters: the last one is that with the greatest number, and of several the one with the
    /// smallest id (office 22).
    pub(super) fn rank(&self) -> (u64, Reverse<Hex32>) {
        (self.message.head().number, Reverse(self.id()))
    }
}

/// A placed letter of a player.
#[derive(Clone, Copy, Debug)]
pub struct Played<'a> {
    node: &'a Node,
    /// Its author.
    pub player: Player,
}

impl<'a> Played<'a> {
    /// The letter as a player's, if it is one.
    #[must_use]
    pub fn of(node: &'a Node) -> Option<Self> {
        node.author.player().map(|player| Self { node, player })
    }

    /// The letter as anybody's.
    #[must_use]
    pub const fn node(self) -> &'a Node {
        self.node
    }
}

impl<'a> Deref for Played<'a> {
    type Target = Node;

    fn deref(&self) -> &Node {
        self.node
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
    /// Who signed these.
    pub namers: BTreeSet<Role>,
    /// Whose letter it is, as far as a link tells; the role may be none of the game.
    pub author: Option<Role>,
    /// Its number, if it is somebody's previous letter.
    pub number: Option<u64>,
}

impl Missing {
    /// Notes a letter that names it, as its game or by a link; letters come by their ids.
    pub(super) fn note(&mut self, id: Hex32, message: &Verified) {
        let head = message.head();
        self.named_by.push(message.id());
        self.namers.insert(head.author.clone());
        // Letters may name one id as the letter of different roles: the first one counts, and `prev` before `seen` (audit 4).
        if head.prev == Some(id) && self.number.is_none() {
            (self.author, self.number) = (Some(head.author.clone()), Some(head.number.saturating_sub(1)));
        } else if let Some((role, _)) = head.seen.iter().find(|(_, seen)| *seen == Some(id)) {
            self.author.get_or_insert_with(|| role.clone());
        }
    }
}

/// Letters of one author behind one letter (chain 8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fork {
    /// Whose.
    pub author: Author,
    /// Their ids, ascending.
    pub ids: Vec<Hex32>,
    /// All, or all but one, begin epochs of the office's: nobody is blamed (office 26).
    pub explained: bool,
}

/// A game's letters in order.
#[derive(Debug)]
pub struct Order {
    /// The placed letters, in the order of replay.
    pub nodes: Vec<Node>,
    /// What is named and not at hand.
    pub missing: BTreeMap<Hex32, Missing>,
    /// All letters at hand, placed or not, and those that are named.
    pub ids: Ids,
    /// Evidence, by (author, number, id).
    pub forks: Vec<Fork>,
    /// There are more branches than a game can have: nothing is replayed (chain 15).
    pub overgrown: bool,
    /// In such a game, letters whose links are broken, and whose.
    pub broken: Vec<(Hex32, Author)>,
    /// The branches, for letters that follow.
    pub(super) branches: Branches,
}

impl Order {
    /// Orders the letters of a game: its charter, its accepts, and all that names the game; each once.
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
        // Where nothing is replayed there are no facts of the office's either (chain 15).
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

    /// The last letter of an author that stands.
    #[must_use]
    pub fn last_of(&self, author: Author) -> Option<&Node> {
        let own = self.nodes.iter().filter(|node| node.author == author && node.standing == Standing::Stands);
        own.max_by_key(|node| node.rank())
    }

    /// Whether letters may follow these one by one: no branch falls or stands by what a letter says.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        !self.overgrown && self.forks.iter().all(|fork| fork.author == Author::Office)
    }

    /// Whether nothing changes by a letter but what it says itself: it is the first behind its author's last one, nothing waits
    /// for it, and all that it names is placed. `at` gives the placed letters.
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

impl Node {
    /// A letter with its past; `None` if there are more branches than a game can have (chain 15). `at` gives the letters that
    /// are placed before it.
    pub(super) fn of<'n>(
        terms: &Terms,
        message: &Verified,
        (author, standing): (Author, Standing),
        branches: &mut Branches,
        at: impl Fn(&Hex32) -> Option<&'n Self>,
    ) -> Option<Self> {
        let head = message.head();
        let prev = head.prev.and_then(|prev| at(&prev));
        let mut breach = (standing == Standing::Detached)
            .then(|| chain_breach(Rule::Chain2, "prev is not the author's letter before"))
            .or_else(|| seen_breach(terms, message, author, prev, &at));
        let mut past = Past::default();
        let linked = head.seen.letters().chain(head.prev).filter_map(|id| at(&id));
        linked.for_each(|node| past.join(node));
        let named: Vec<&Self> = message.body().names().iter().filter_map(|(id, _)| at(id)).collect();
        let is_covered = named.iter().all(|node| reaches(&past.0, node.branch, node.depth));
        named.into_iter().for_each(|node| past.join(node));
        // The accept's charter is its `seen`, which charter 16 looks after.
        if head.kind != Kind::Accept && !is_covered {
            breach =
                breach.or_else(|| Some(Error::breach(Rule::Chain6, "it names a letter that its links do not cover")));
        }
        let (branch, depth, off) = branches.grow(prev, standing == Standing::Detached)?;
        Some(Self {
            message: message.clone(),
            author,
            standing,
            breach,
            misled: false,
            branch,
            depth,
            past: past.0.into_boxed_slice(),
            off,
        })
    }
}

/// A letter whose place in the order of replay is known, and its past not yet.
pub(super) struct Placed<'a> {
    pub(super) message: &'a Verified,
    pub(super) author: Author,
    pub(super) standing: Standing,
    /// The place of the letter that is its `prev`.
    pub(super) prev: Option<usize>,
}

impl Placed<'_> {
    /// Whether it is a letter of the office's with which an epoch begins (office 25).
    pub(super) fn begins_epoch(&self) -> bool {
        self.author == Author::Office && matches!(self.message.body(), Body::Receipt(Receipt::Epoch(_)))
    }
}

struct Builder<'a, 'b> {
    terms: &'b Terms,
    letters: &'b [(&'a Verified, Author)],
    /// The letters that each letter names, at hand or not.
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

    /// For how many letters each one waits, and which wait for it.
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

    /// The placed letters with their pasts; `None` if there are more branches than a game can have (chain 15).
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

    /// Letters, placed or not, whose `prev` is at hand and is not their author's letter before (chain 2, 15).
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

/// What is wrong with `seen` (chain 3).
fn seen_breach<'n>(
    terms: &Terms,
    message: &Verified,
    author: Author,
    prev: Option<&Node>,
    at: &impl Fn(&Hex32) -> Option<&'n Node>,
) -> Option<Error> {
    let head = message.head();
    if matches!(head.kind, Kind::Charter | Kind::Accept) {
        return None;
    }
    if head.seen.iter().map(|(role, _)| role).ne(terms.seen_by(author)) {
        return Some(chain_breach(Rule::Chain3, "seen must name exactly the other roles"));
    }
    for (role, seen) in head.seen.iter() {
        let seen = seen.as_ref().and_then(at);
        if seen.is_some_and(|node| node.message.head().author != *role) {
            return Some(chain_breach(Rule::Chain3, "seen names a letter of another author"));
        }
        let before = prev.and_then(|prev| prev.message.head().seen.get(role));
        let before = before.as_ref().and_then(at);
        if before.is_some_and(|before| seen.is_none_or(|seen| before.follows(seen))) {
            return Some(chain_breach(Rule::Chain3, "seen goes back behind the author's letter before"));
        }
    }
    None
}

fn chain_breach(rule: Rule, text: &str) -> Error {
    Error::Violation { class: Class::Chain, rule, text: text.into() }
}

/// How deep a past reaches into each branch.
#[derive(Default)]
struct Past(Vec<u32>);

impl Past {
    fn join(&mut self, node: &Node) {
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
#[derive(Debug, Default)]
pub(super) struct Branches {
    count: usize,
    continued: HashSet<Hex32>,
}

impl Branches {
    /// Whether no letter goes on from this one.
    fn is_open(&self, node: &Node) -> bool {
        !self.continued.contains(&node.id())
    }

    /// Branch and depth of the next letter, and what its branch goes off from.
    fn grow(&mut self, prev: Option<&Node>, detached: bool) -> Option<(usize, u32, Off)> {
        let Some(prev) = prev else { return Some((self.new_branch()?, 1, Arc::default())) };
        let off = || prev.off.iter().copied().chain([(prev.branch, prev.depth)]).collect();
        if detached {
            return Some((self.new_branch()?, 1, off()));
        }
        match self.continued.insert(prev.id()) {
            true => Some((prev.branch, prev.depth + 1, Arc::clone(&prev.off))),
            false => Some((self.new_branch()?, prev.depth + 1, off())),
        }
    }

    fn new_branch(&mut self) -> Option<usize> {
        self.count += 1;
        (self.count <= BRANCHES).then(|| self.count - 1)
    }
}
