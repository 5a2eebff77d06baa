//! The order of a game's letters: links, pasts, forks, and the one order of replay (`protocol/chain.md`).

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet},
    ops::Deref,
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
};

/// A placed letter: all that it names is at hand.
#[derive(Debug)]
pub struct Node<'a> {
    /// The letter.
    pub message: &'a Verified,
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
    span: Span,
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

impl<'a> Node<'a> {
    /// An author's last letter that stands: that with the greatest number, and of several the one with the smallest id
    /// (office 9).
    pub(super) fn last_of<'n>(nodes: impl Iterator<Item = &'n Self>, author: Author) -> Option<&'n Self>
    where
        'a: 'n,
    {
        let own = nodes.filter(|node| node.author == author && node.standing == Standing::Stands);
        own.max_by_key(|node| (node.message.head().number, Reverse(node.id())))
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

    /// Whether a finding on it names no culprit: it may have been good where it was signed (chain 14).
    pub(super) fn excuses(&self, error: &Error) -> bool {
        // A false seal is good on no branch.
        self.misled && error.class() == Class::Rule && error.rule() != Some("close 3")
    }

    /// Whether it follows another letter by `prev`, directly or not.
    #[must_use]
    pub const fn follows(&self, other: &Self) -> bool {
        other.span.first < self.span.first && self.span.first <= other.span.last
    }
}

/// A placed letter of a player.
#[derive(Clone, Copy, Debug)]
pub struct Played<'a> {
    node: &'a Node<'a>,
    /// Its author.
    pub player: Player,
}

impl<'a> Played<'a> {
    /// The letter as a player's, if it is one.
    #[must_use]
    pub fn of(node: &'a Node<'a>) -> Option<Self> {
        node.author.player().map(|player| Self { node, player })
    }

    /// The letter as anybody's.
    #[must_use]
    pub const fn node(self) -> &'a Node<'a> {
        self.node
    }
}

impl<'a> Deref for Played<'a> {
    type Target = Node<'a>;

    fn deref(&self) -> &Node<'a> {
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
    /// All, or all but one, begin epochs of the office's: nobody is blamed (office 10).
    pub explained: bool,
}

/// A game's letters in order.
#[derive(Debug)]
pub struct Order<'a> {
    /// The placed letters, in the order of replay.
    pub nodes: Vec<Node<'a>>,
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
}

impl<'a> Order<'a> {
    /// Orders the letters of a game: its charter, its accepts, and all that names the game; each once.
    #[must_use]
    pub fn of(terms: &Terms, game: Hex32, members: &Members<'a>) -> Self {
        let builder = Builder::new(terms, members);
        let missing = builder.missing();
        let placed = builder.place();
        let families = Family::all(&placed);
        let nodes = builder.nodes(&placed);
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
        }
    }
}

/// A letter whose place in the order of replay is known, and its past not yet.
pub(super) struct Placed<'a> {
    pub(super) message: &'a Verified,
    pub(super) author: Author,
    pub(super) standing: Standing,
    /// The place of the letter that is its `prev`.
    pub(super) prev: Option<usize>,
    span: Span,
}

impl Placed<'_> {
    /// Whether it is a letter of the office's with which an epoch begins (office 10).
    pub(super) fn begins_epoch(&self) -> bool {
        self.author == Author::Office && matches!(self.message.body(), Body::Receipt(Receipt::Epoch(_)))
    }
}

/// Where a letter stands in the tree of `prev`, taken in depth: its own place there, and the last one of what follows it.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    first: usize,
    last: usize,
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
            placed.push(Placed { message, author, standing, prev, span: Span::default() });
            for follower in followers.get_mut(i).map(std::mem::take).unwrap_or_default() {
                if let Some(waits) = waits_for.get_mut(follower) {
                    *waits -= 1;
                    if *waits == 0 {
                        ready.extend(rank(follower));
                    }
                }
            }
        }
        span(&mut placed);
        placed
    }

    /// The placed letters with their pasts; `None` if there are more branches than a game can have (chain 15).
    fn nodes(&self, placed: &[Placed<'a>]) -> Option<Vec<Node<'a>>> {
        let place_of: HashMap<Hex32, usize> =
            placed.iter().enumerate().map(|(place, letter)| (letter.message.id(), place)).collect();
        let mut nodes: Vec<Node<'a>> = Vec::with_capacity(placed.len());
        let mut branches = Branches::default();
        for letter in placed {
            let node = self.node(letter, &nodes, &place_of, &mut branches)?;
            nodes.push(node);
        }
        Some(nodes)
    }

    fn node(
        &self,
        letter: &Placed<'a>,
        nodes: &[Node<'a>],
        place_of: &HashMap<Hex32, usize>,
        branches: &mut Branches,
    ) -> Option<Node<'a>> {
        let Placed { message, author, standing, .. } = *letter;
        let head = message.head();
        let at = |id: &Hex32| nodes.get(*place_of.get(id)?);
        let prev = letter.prev.and_then(|prev| nodes.get(prev));
        let mut breach = (standing == Standing::Detached)
            .then(|| chain_breach("chain 2", "prev is not the author's letter before"))
            .or_else(|| self.seen_breach(message, author, prev, &at));
        let mut past = Past::default();
        let linked = head.seen.letters().chain(head.prev).filter_map(|id| at(&id));
        linked.for_each(|node| past.join(node));
        let named: Vec<&Node<'_>> = message.body().names().iter().filter_map(|(id, _)| at(id)).collect();
        let is_covered = named.iter().all(|node| reaches(&past.0, node.branch, node.depth));
        named.into_iter().for_each(|node| past.join(node));
        // The accept's charter is its `seen`, which charter 6 looks after.
        if head.kind != Kind::Accept && !is_covered {
            breach = breach.or_else(|| Some(Error::breach("chain 6", "it names a letter that its links do not cover")));
        }
        let (branch, depth) = branches.grow(letter.prev.zip(prev).filter(|_| standing != Standing::Detached))?;
        Some(Node {
            message,
            author,
            standing,
            breach,
            misled: false,
            branch,
            depth,
            past: past.0.into_boxed_slice(),
            span: letter.span,
        })
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

    /// What is wrong with `seen` (chain 3).
    fn seen_breach<'n>(
        &self,
        message: &Verified,
        author: Author,
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
        if head.seen.iter().map(|(role, _)| role).ne(self.terms.seen_by(author)) {
            return Some(chain_breach("chain 3", "seen must name exactly the other roles"));
        }
        for (role, seen) in head.seen.iter() {
            let seen = seen.as_ref().and_then(at);
            if seen.is_some_and(|node| node.message.head().author != *role) {
                return Some(chain_breach("chain 3", "seen names a letter of another author"));
            }
            let before = prev.and_then(|prev| prev.message.head().seen.get(role));
            let before = before.as_ref().and_then(at);
            if before.is_some_and(|before| seen.is_none_or(|seen| before.follows(seen))) {
                return Some(chain_breach("chain 3", "seen goes back behind the author's letter before"));
            }
        }
        None
    }
}

/// Tells each letter its place in the tree of `prev`: a letter comes before what follows it.
fn span(placed: &mut [Placed<'_>]) {
    let mut sizes = vec![1; placed.len()];
    for (place, letter) in placed.iter().enumerate().rev() {
        let size = sizes.get(place).copied().unwrap_or_default();
        if let Some(before) = letter.prev.and_then(|prev| sizes.get_mut(prev)) {
            *before += size;
        }
    }
    // The next free place below each letter, and at the top.
    let (mut free, mut top) = (vec![0; placed.len()], 0);
    for (place, (letter, size)) in placed.iter_mut().zip(sizes).enumerate() {
        let next = letter.prev.and_then(|prev| free.get_mut(prev)).unwrap_or(&mut top);
        letter.span = Span { first: *next, last: *next + size - 1 };
        *next += size;
        if let Some(free) = free.get_mut(place) {
            *free = letter.span.first + 1;
        }
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
    fn grow(&mut self, prev: Option<(usize, &Node<'_>)>) -> Option<(usize, u32)> {
        match prev {
            Some((place, prev)) if self.continued.insert(place) => Some((prev.branch, prev.depth + 1)),
            Some((_, prev)) => Some((self.new_branch()?, prev.depth + 1)),
            None => Some((self.new_branch()?, 1)),
        }
    }

    fn new_branch(&mut self) -> Option<usize> {
        self.count += 1;
        (self.count <= BRANCHES).then(|| self.count - 1)
    }
}
