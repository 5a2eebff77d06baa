//! A placed letter: its links, its past, and the branch that it is on (`protocol/chain.md` 1 to 6).

use std::{cmp::Reverse, collections::HashSet, ops::Deref, sync::Arc};

use super::terms::{Author, Player, Terms};
use crate::{
    blob::{Body, Kind, Verified, body::Hex32, office::Receipt},
    error::{Class, Error},
    limits::BRANCHES,
    rule::Rule,
};

/// The branches from which a branch forks off, each with the depth of the fork.
type Off = Arc<[(usize, u32)]>;

/// A placed letter: all letters that it names are available.
#[derive(Debug)]
pub struct Node {
    /// The letter itself, verified.
    pub message: Verified,
    /// The author of the letter: a player, the referee or the office.
    pub author: Author,
    /// Whether the letter takes part in the game.
    pub standing: Standing,
    /// The first rule of links that the letter breaks: chain 2, 3 or 6.
    pub breach: Option<Error>,
    /// Whether the letter may have been valid on another author's branch that fell or that nobody knew to stand (chain
    /// 14).
    pub(super) misled: bool,
    branch: usize,
    /// Place along its branch's chain, from 1.
    depth: u32,
    /// The depth to which the letter's past reaches into each branch.
    past: Box<[u32]>,
    /// The branches from which the letter's own branch forks off through `prev`, directly or not, each with the depth
    /// of the fork.
    off: Off,
}

/// Whether a letter takes part in the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The letter takes part in the game.
    Stands,
    /// The letter's own link is broken (chain 2).
    Detached,
    /// The letter follows a letter whose own link is broken (chain 2).
    Adrift,
    /// The letter begins a branch that fell, and is not judged (chain 13).
    Falls,
    /// The letter follows a letter that begins a branch that fell, and is not judged either (chain 13).
    Fallen,
}

impl Standing {
    /// Whether letters with this standing are judged.
    #[must_use]
    pub const fn is_judged(self) -> bool {
        matches!(self, Self::Stands | Self::Detached)
    }

    /// Whether the letter, or an earlier one in its chain, does not follow a letter of its author (chain 2).
    #[must_use]
    pub const fn is_detached(self) -> bool {
        matches!(self, Self::Detached | Self::Adrift)
    }
}

impl Node {
    /// Returns the letter's id.
    #[must_use]
    pub const fn id(&self) -> Hex32 {
        self.message.id()
    }

    /// Whether another letter is in this one's past (chain 5).
    #[must_use]
    pub fn has_in_past(&self, other: &Self) -> bool {
        reaches(&self.past, other.branch, other.depth)
    }

    /// Whether a finding on the letter blames nobody, because it may have been valid where it was signed (chain 14).
    pub(super) fn excuses(&self, error: &Error) -> bool {
        // A false seal, or a kind of letter that is not the author's, is not valid on any branch.
        let is_bad_anywhere = matches!(error.rule(), Some(Rule::Close3 | Rule::Letters4));
        self.misled && error.class() == Class::Rule && !is_bad_anywhere
    }

    /// Whether the letter follows another one through `prev`, directly or not.
    #[must_use]
    pub fn follows(&self, other: &Self) -> bool {
        let is_behind = |(branch, depth): &(usize, u32)| *branch == other.branch && *depth >= other.depth;
        self.branch == other.branch && self.depth > other.depth || self.off.iter().any(is_behind)
    }

    /// Returns the sort key of an author's letters. The last letter has the greatest number or, among several with that
    /// number, the smallest id (office 24).
    pub(super) fn rank(&self) -> (u64, Reverse<Hex32>) {
        (self.message.head().number, Reverse(self.id()))
    }
}

/// A placed letter of a player.
#[derive(Clone, Copy, Debug)]
pub struct Played<'a> {
    node: &'a Node,
    /// The player who signed the letter.
    pub player: Player,
}

impl<'a> Played<'a> {
    /// Returns the letter as a player's letter, if a player signed it.
    #[must_use]
    pub fn of(node: &'a Node) -> Option<Self> {
        node.author.player().map(|player| Self { node, player })
    }

    /// Returns the letter, without its player.
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

/// The knowledge available to a judgement: the letters in the past of one letter, or all available letters.
#[derive(Clone, Copy, Debug)]
pub struct Past<'a>(Option<&'a Node>);

impl<'a> Past<'a> {
    /// All available letters.
    pub const ALL: Past<'static> = Past(None);

    /// Returns the letters in the past of a letter (chain 5).
    #[must_use]
    pub const fn of(letter: &'a Node) -> Self {
        Self(Some(letter))
    }

    /// Whether a letter is known.
    #[must_use]
    pub fn has(self, letter: &Node) -> bool {
        self.0.is_none_or(|knower| knower.has_in_past(letter))
    }

    /// Whether any of the given letters is known.
    pub fn has_any<'n>(self, letters: impl IntoIterator<Item = &'n &'n Node>) -> bool {
        letters.into_iter().any(|letter| self.has(letter))
    }
}

/// A letter whose place in the order of replay is known but whose past is not computed yet.
pub(super) struct Placed<'a> {
    pub(super) message: &'a Verified,
    pub(super) author: Author,
    pub(super) standing: Standing,
    /// The place of the letter's `prev`.
    pub(super) prev: Option<usize>,
}

impl Placed<'_> {
    /// Whether the office begins an epoch with this letter (office 25).
    pub(super) fn begins_epoch(&self) -> bool {
        self.author == Author::Office && matches!(self.message.body(), Body::Receipt(Receipt::Epoch(_)))
    }
}

impl Node {
    /// Creates the node of a letter with its past; `None` if there are more branches than a game can have (chain 15).
    /// `at` looks up letters placed earlier.
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
            .then(|| chain_breach(Rule::Chain2, "prev does not name the author's previous letter"))
            .or_else(|| seen_breach(terms, message, author, prev, &at));
        let mut past = Reach::default();
        let linked = head.seen.letters().chain(head.prev).filter_map(|id| at(&id));
        linked.for_each(|node| past.join(node));
        let named: Vec<&Self> = message.body().names().iter().filter_map(|(id, _)| at(id)).collect();
        let is_covered = named.iter().all(|node| reaches(&past.0, node.branch, node.depth));
        named.into_iter().for_each(|node| past.join(node));
        // The accept's charter is its `seen`, which charter 16 checks.
        if head.kind != Kind::Accept && !is_covered {
            breach = breach.or_else(|| {
                Some(Error::breach(Rule::Chain6, "it names a letter that its prev and seen links do not lead to"))
            });
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

/// Checks `seen`, and returns its first fault (chain 3).
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
        return Some(chain_breach(Rule::Chain3, "seen must list exactly the other roles"));
    }
    for (role, seen) in head.seen.iter() {
        let seen = seen.as_ref().and_then(at);
        if seen.is_some_and(|node| node.message.head().author != *role) {
            return Some(chain_breach(Rule::Chain3, "seen lists a letter under a role that did not sign it"));
        }
        let before = prev.and_then(|prev| prev.message.head().seen.get(role));
        let before = before.as_ref().and_then(at);
        if before.is_some_and(|before| seen.is_none_or(|seen| before.follows(seen))) {
            return Some(chain_breach(
                Rule::Chain3,
                "seen must not go back to an older letter than in the author's previous letter",
            ));
        }
    }
    None
}

fn chain_breach(rule: Rule, text: &str) -> Error {
    Error::Violation { class: Class::Chain, rule, text: text.into() }
}

/// The depth to which a past reaches into each branch.
#[derive(Default)]
struct Reach(Vec<u32>);

impl Reach {
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

/// Assigns branches: the first letter to follow another one stays on the branch of that letter.
#[derive(Debug, Default)]
pub(super) struct Branches {
    count: usize,
    continued: HashSet<Hex32>,
}

impl Branches {
    /// Whether a letter has no successor yet.
    pub(super) fn is_open(&self, node: &Node) -> bool {
        !self.continued.contains(&node.id())
    }

    /// Returns the branch and depth of the next letter, and the branches from which its branch forks off.
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
