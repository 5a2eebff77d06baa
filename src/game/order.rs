//! The order of a game's letters: links, pasts, forks, and the one order of replay (`protocol/chain.md`).

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet},
    ops::Deref,
};

use super::{
    branches::Family,
    charter::{Author, Player, Terms},
    ids::Ids,
    keys::{Grant, Members},
};
use crate::{
    blob::{
        Body, Kind, Verified,
        body::{Hex32, Role},
        new_keys::Resync,
        office::Receipt,
    },
    error::{Class, Error},
    limits::{BRANCHES, BRANCHES_OF_ONE, SEEN},
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
    /// Whether it is a reveal of the office's that an epoch left behind: it is judged all the same (chain 13).
    forgotten: bool,
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
    /// It follows such a letter.
    Adrift,
    /// It begins a branch that fell: it is not judged (chain 13).
    Falls,
    /// It follows such a letter.
    Fallen,
}

impl Standing {
    /// Whether such letters are judged; but see [`Node::is_judged`].
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

impl Node<'_> {
    /// The letter's id.
    #[must_use]
    pub const fn id(&self) -> Hex32 {
        self.message.id()
    }

    /// Whether the letter is judged.
    #[must_use]
    pub const fn is_judged(&self) -> bool {
        self.standing.is_judged() || self.forgotten
    }

    /// Whether it is a letter of the office's with which an epoch begins (office 10).
    pub(super) fn begins_epoch(&self) -> bool {
        self.author == Author::Office && matches!(self.message.body(), Body::Receipt(Receipt::Epoch(_)))
    }

    /// Whether it is a player's answer to the author of another letter, and its links are good (keys 10, 12).
    pub(super) fn is_answer_to(&self, other: &Self) -> bool {
        let Body::Resync(Resync::Answer(answer)) = self.message.body() else { return false };
        self.author.player().is_some()
            && self.author != other.author
            && answer.to == other.message.head().author
            && self.breach.is_none()
            && !self.standing.is_detached()
    }

    /// Whether another letter is in this one's past (chain 5).
    #[must_use]
    pub fn has_in_past(&self, other: &Self) -> bool {
        reaches(&self.past, other.branch, other.depth)
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

/// Two or more letters of one author with one number (chain 8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fork {
    /// Whose.
    pub author: Author,
    /// Their ids, ascending.
    pub ids: Vec<Hex32>,
    /// A theft, a loss or a restored folder accounts for it: nobody is blamed (keys 5, 7, 12).
    pub excused: bool,
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
    /// Whose letters the party that it is kept for may not follow yet, from which number on; none unless something was left
    /// out (keys 10).
    pub unfollowed: Vec<(Author, u64)>,
    /// The letters that were left out, for that.
    pub left_out: Vec<&'a Verified>,
    /// Evidence.
    pub forks: Vec<Fork>,
    /// Keys that are admitted (keys 6).
    pub(super) grants: HashSet<Grant>,
    /// There are more branches than a game can have: nothing is replayed (chain 14).
    pub overgrown: bool,
    /// In such a game, letters whose links are broken, and whose.
    pub broken: Vec<(Hex32, Author)>,
}

impl<'a> Order<'a> {
    /// Orders the letters of a game: its charter, its accept, and all that names the game; each once.
    #[must_use]
    pub fn of(terms: &Terms, game: Hex32, members: &Members<'a>) -> Self {
        let mut builder = Builder::new(terms, members);
        let missing = builder.missing();
        let placed = builder.place();
        let overgrown = placed.is_none();
        let mut nodes = placed.unwrap_or_default();
        let family = Family::of(&nodes, terms, game, members);
        let mut forks = forks(&family, &members.letters);
        let (fallen, forgotten) = (family.fallen(), family.forgotten());
        let mut broken = Vec::new();
        if overgrown {
            let branches = builder.branches();
            let grew = |fork: &Fork| branches.get(&fork.author).is_some_and(|count| *count > BRANCHES_OF_ONE);
            forks.iter_mut().for_each(|fork| fork.excused = !grew(fork));
            broken = builder.broken();
        }
        stand(&mut nodes, &fallen, &forgotten);
        let nodes = nodes.into_iter().map(|(node, _)| node).collect();
        let letters = members.letters.iter().map(|(message, _)| message.id());
        let ids = letters.chain(missing.keys().copied()).chain([terms.id, game]).collect();
        Self {
            nodes,
            missing,
            ids,
            unfollowed: Vec::new(),
            left_out: Vec::new(),
            forks,
            grants: members.grants.clone(),
            overgrown,
            broken,
        }
    }
}

/// For each author the lowest number that two of his letters have and, if nobody is to blame for that, the lowest for which
/// somebody is (chain 8).
fn forks(family: &Family<'_, '_>, letters: &[(&Verified, Author)]) -> Vec<Fork> {
    let mut by_number: BTreeMap<(Author, u64), Vec<Hex32>> = BTreeMap::new();
    for (message, author) in letters {
        by_number.entry((*author, message.head().number)).or_default().push(message.id());
    }
    let mut forks: Vec<Fork> = Vec::new();
    // The last number of an author whose fork is explained: what follows its branches is so, too (keys 8).
    let mut explained: Option<(Author, u64)> = None;
    for ((author, number), mut ids) in by_number.into_iter().filter(|(_, ids)| ids.len() > 1) {
        let below = explained.is_some_and(|(by, below)| by == author && below + 1 == number);
        let excused = family.excuses(&ids, below);
        if excused {
            explained = Some((author, number));
        }
        let mut before = forks.iter().filter(|fork| fork.author == author);
        let told = if excused { before.next().is_some() } else { before.any(|fork| !fork.excused) };
        if !told {
            ids.sort();
            ids.truncate(SEEN);
            forks.push(Fork { author, ids, excused });
        }
    }
    forks
}

/// Marks the letters of branches that fell, and those of the office's that are judged there (chain 13).
fn stand(nodes: &mut [Placed<'_>], fallen: &HashSet<usize>, forgotten: &HashSet<Hex32>) {
    nodes.iter_mut().for_each(|(node, _)| node.forgotten = forgotten.contains(&node.id()));
    for i in 0..nodes.len() {
        let Some((_, prev)) = nodes.get(i) else { continue };
        let before = prev.and_then(|prev| nodes.get(prev)).map(|(node, _)| node.standing);
        let standing = match (before, fallen.contains(&i)) {
            (Some(Standing::Falls | Standing::Fallen), _) => Standing::Fallen,
            (_, true) => Standing::Falls,
            _ => continue,
        };
        if let Some((node, _)) = nodes.get_mut(i) {
            node.standing = standing;
        }
    }
}

/// A node under construction, with the place of its author's letter before.
pub(super) type Placed<'a> = (Node<'a>, Option<usize>);

struct Builder<'a, 'b> {
    terms: &'b Terms,
    letters: &'b [(&'a Verified, Author)],
    /// The letters that each letter names, at hand or not.
    names: Vec<Vec<Hex32>>,
    by_id: HashMap<Hex32, usize>,
    /// Answers to restored folders, by author and place.
    answers: Vec<(Author, usize)>,
    /// Letters with which an admitted key comes into force.
    admitted: &'b HashMap<Hex32, BTreeSet<Hex32>>,
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
            answers: Vec::new(),
            admitted: &members.admitted,
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

    /// How many branches the chain of each author has: placed letters that no placed letter follows (chain 14).
    fn branches(&self) -> BTreeMap<Author, usize> {
        let (mut waits_for, followers) = self.waiting();
        let mut ready: Vec<usize> = (0..self.letters.len()).filter(|i| waits_for.get(*i) == Some(&0)).collect();
        let mut placed = Vec::with_capacity(self.letters.len());
        while let Some(i) = ready.pop() {
            placed.push(i);
            for follower in followers.get(i).into_iter().flatten() {
                if let Some(waits) = waits_for.get_mut(*follower) {
                    *waits -= 1;
                    ready.extend((*waits == 0).then_some(*follower));
                }
            }
        }
        let placed: Vec<&(&Verified, Author)> = placed.into_iter().filter_map(|i| self.letters.get(i)).collect();
        let followed: HashSet<Hex32> = placed
            .iter()
            .filter(|letter| !self.is_broken(letter))
            .filter_map(|(message, _)| message.head().prev)
            .collect();
        let mut branches = BTreeMap::new();
        for (_, author) in placed.into_iter().filter(|(message, _)| !followed.contains(&message.id())) {
            *branches.entry(*author).or_default() += 1;
        }
        branches
    }

    /// Places letters in the order of replay (chain 4, 7); `None` if there are too many branches.
    fn place(&mut self) -> Option<Vec<Placed<'a>>> {
        let (mut waits_for, mut followers) = self.waiting();
        let rank = |i: usize| {
            let (message, author) = self.letters.get(i)?;
            Some(Reverse((*author, message.head().number, message.id(), i)))
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
            // An answer is a player's (keys 10).
            if matches!(node.0.message.body(), Body::Resync(_))
                && node.0.author.player().is_some()
                && node.0.breach.is_none()
                && !node.0.standing.is_detached()
            {
                self.answers.push((node.0.author, nodes.len()));
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
        let (message, author) = *self.letters.get(i)?;
        let head = message.head();
        let place = |id: &Hex32| place_of.get(*self.by_id.get(id)?).copied().flatten();
        let at = |id: &Hex32| nodes.get(place(id)?).map(|(node, _)| node);
        let prev = head.prev.as_ref().and_then(at);
        let attached = prev.is_none_or(|prev| prev.author == author && prev.message.head().number + 1 == head.number);
        let mut breach = (!attached).then(|| chain_breach("chain 2", "prev is not the author's letter before"));

        let linked = head.seen.letters().chain(head.prev).filter_map(|id| at(&id));
        let mut past = Past::default();
        linked.for_each(|node| past.join(node));
        let named: Vec<&Node<'_>> = message.body().names().iter().filter_map(|(id, _)| at(id)).collect();
        let is_covered = named.iter().all(|node| reaches(&past.0, node.branch, node.depth));
        named.into_iter().for_each(|node| past.join(node));
        breach = breach.or_else(|| self.seen_breach(message, author, prev, nodes, &at));
        breach = breach.or_else(|| self.passes_by(message, author, &past, nodes, &at));
        // The accept's charter is its `seen`, which charter 6 looks after.
        if message.head().kind != Kind::Accept && !is_covered {
            breach = breach.or_else(|| Some(Error::breach("chain 6", "it names a letter that its links do not cover")));
        }

        let prev_place = head.prev.as_ref().and_then(place).filter(|_| attached);
        let (branch, depth) = branches.grow(prev_place, prev.filter(|_| attached))?;
        let node = Node {
            message,
            author,
            standing: match prev.filter(|_| attached) {
                _ if !attached => Standing::Detached,
                Some(prev) if prev.standing.is_detached() => Standing::Adrift,
                _ => Standing::Stands,
            },
            breach,
            forgotten: false,
            branch,
            depth,
            past: past.0.into_boxed_slice(),
        };
        Some((node, prev_place))
    }

    /// Letters whose `prev` is at hand and is not their author's letter before (chain 2, 11).
    fn broken(&self) -> Vec<(Hex32, Author)> {
        let mut broken: Vec<_> = self.letters.iter().filter(|letter| self.is_broken(letter)).collect();
        broken.sort_by_key(|(message, author)| (*author, message.head().number, message.id()));
        broken.into_iter().map(|(message, author)| (message.id(), *author)).collect()
    }

    fn is_broken(&self, (message, author): &(&Verified, Author)) -> bool {
        let prev = message.head().prev.and_then(|prev| self.letters.get(*self.by_id.get(&prev)?));
        prev.is_some_and(|(prev, by)| by != author || prev.head().number + 1 != message.head().number)
    }

    /// What is wrong with `seen` (chain 3).
    fn seen_breach<'n>(
        &self,
        message: &Verified,
        author: Author,
        prev: Option<&Node<'_>>,
        nodes: &[Placed<'a>],
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
        let number = |node: Option<&Node<'_>>| node.map_or(0, |node| node.message.head().number);
        for (role, seen) in head.seen.iter() {
            let seen = seen.as_ref().and_then(at);
            if seen.is_some_and(|node| node.message.head().author != *role) {
                return Some(chain_breach("chain 3", "seen names a letter of another author"));
            }
            let before = prev.and_then(|prev| prev.message.head().seen.get(role));
            let before = before.as_ref().and_then(at);
            let begins_anew = |node: &Node<'_>| {
                let prev = node.message.head().prev.as_ref().and_then(at);
                node.begins_epoch() || author == Author::Office && self.begins_anew(node, prev, nodes)
            };
            if number(seen) < number(before) && !goes_on(seen, before, at, begins_anew) {
                return Some(chain_breach("chain 3", "seen goes back behind the author's letter before"));
            }
        }
        None
    }
}

impl<'a> Builder<'a, '_> {
    /// Whether a player goes on with a letter from where the office's letters may go back to: it is the first under an
    /// admitted key, or has an answer to him in its past, which the letter before does not have there (chain 3).
    fn begins_anew(&self, node: &Node<'_>, prev: Option<&Node<'_>>, nodes: &[Placed<'a>]) -> bool {
        let mut answers = self.answers.iter().filter_map(|(_, place)| nodes.get(*place)).map(|(answer, _)| answer);
        node.author.player().is_some()
            && (self.admitted.contains_key(&node.id())
                || answers.any(|answer| {
                    answer.is_answer_to(node)
                        && node.has_in_past(answer)
                        && !prev.is_some_and(|prev| prev.has_in_past(answer))
                }))
    }

    /// Whether a letter follows somebody beyond the author's answer to him, on a branch that does not know it (keys 10).
    fn passes_by<'n>(
        &self,
        message: &Verified,
        author: Author,
        past: &Past,
        nodes: &[Placed<'a>],
        at: &impl Fn(&Hex32) -> Option<&'n Node<'a>>,
    ) -> Option<Error>
    where
        'a: 'n,
    {
        let answers = self.answers.iter().filter(|(by, _)| *by == author).filter_map(|(_, place)| nodes.get(*place));
        for (answer, _) in answers.filter(|(answer, _)| reaches(&past.0, answer.branch, answer.depth)) {
            let Body::Resync(Resync::Answer(body)) = answer.message.body() else { continue };
            // To the office there is none.
            if self.terms.author_of(&body.to) == Some(Author::Office) {
                continue;
            }
            let told = answer.message.head().seen.get(&body.to);
            let seen = message.head().seen.get(&body.to);
            let seen = seen.as_ref().and_then(at);
            let told = told.as_ref().and_then(at);
            let beyond = |seen: &Node<'_>| {
                !told.is_some_and(|told| told.id() == seen.id() || told.has_in_past(seen)) && !seen.has_in_past(answer)
            };
            if seen.is_some_and(beyond) {
                return Some(chain_breach(
                    "chain 3",
                    "it passes its author's own answer by: that letter does not know it",
                ));
            }
        }
        None
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

/// Whether a letter, or one before it in its chain, begins anew, and an earlier letter neither is that one nor knows it: its
/// author was restored in between, and counts on from there (chain 3).
pub(super) fn goes_on<'n, 'a: 'n>(
    letter: Option<&'n Node<'a>>,
    before: Option<&Node<'_>>,
    at: impl Fn(&Hex32) -> Option<&'n Node<'a>>,
    begins_anew: impl Fn(&Node<'_>) -> bool,
) -> bool {
    let chain = std::iter::successors(letter, |node| node.message.head().prev.as_ref().and_then(&at));
    let mut own = chain.take_while(|node| letter.is_some_and(|letter| letter.author == node.author));
    own.any(|node| {
        begins_anew(node) && before.is_none_or(|before| before.id() != node.id() && !before.has_in_past(node))
    })
}
