//! Which branches of a fork stand, and which forks nobody is to blame for (`protocol/chain.md` 8 to 10,
//! `protocol/keys.md` 5 to 12).

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    charter::{Author, Terms},
    deposits::Target,
    keys::{Members, check_rotate},
    order::{Node, Placed, Standing},
    sets::{Brought, Context},
};
use crate::blob::{
    Body,
    body::Hex32,
    disputes::Rule,
    new_keys::{KeyChange, Resync},
};

/// The smallest of some letters: number and id.
type First = Option<(u64, Hex32)>;

/// One of several branches from one previous letter.
struct Branch {
    /// The place of its first letter.
    first: usize,
    ids: HashSet<Hex32>,
    /// The letters that explain it (keys 5, 7, 12), by place.
    admitted: Vec<usize>,
    answered: Vec<usize>,
    rotated: Vec<usize>,
    /// The referee's first ruling that opens a declaration on it.
    ruled_open: First,
    /// The other player's first reveal that opens a declaration on it.
    opening: First,
    /// The other player's first letter that has a letter of it as its `seen`.
    naming: First,
    /// The referee's first ruling for it.
    ruling: First,
}

impl Branch {
    fn explaining(&self) -> impl Iterator<Item = &usize> {
        self.admitted.iter().chain(&self.answered).chain(&self.rotated)
    }
}

/// The letters of a game and their forks.
pub(super) struct Family<'n, 'a> {
    nodes: &'n [Placed<'a>],
    terms: &'n Terms,
    game: Hex32,
    place_of: HashMap<Hex32, usize>,
    /// Letters under an admitted key, with the admit.
    admitted: &'n HashMap<Hex32, Hex32>,
    forks: BTreeMap<usize, Vec<Branch>>,
    /// The letters of branches that fell where an explained one stands.
    given_up: HashSet<Hex32>,
}

impl<'n, 'a> Family<'n, 'a> {
    pub(super) fn of(nodes: &'n [Placed<'a>], terms: &'n Terms, game: Hex32, members: &'n Members<'_>) -> Self {
        let mut siblings: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (i, (_, prev)) in nodes.iter().enumerate() {
            if let Some(prev) = prev {
                siblings.entry(*prev).or_default().push(i);
            }
        }
        siblings.retain(|_, list| list.len() > 1);
        let admitted = &members.admitted;
        let mut family = Self {
            nodes,
            terms,
            game,
            place_of: HashMap::new(),
            admitted,
            forks: BTreeMap::new(),
            given_up: HashSet::new(),
        };
        // Nearly every game has no fork, and needs none of this.
        if !siblings.is_empty() {
            family.place_of = nodes.iter().enumerate().map(|(i, (node, _))| (node.id(), i)).collect();
            for (prev, list) in siblings {
                let branches = family.branches(prev, &list);
                family.forks.insert(prev, branches);
            }
            family.given_up = family.forks.values().flat_map(|branches| family.given_up(branches)).collect();
        }
        family
    }

    /// The letters behind the first ones of branches that fall where an explained one stands: the first ones are the fork
    /// itself, which is judged on its own.
    fn given_up(&self, branches: &[Branch]) -> HashSet<Hex32> {
        let stands = standing(branches);
        let is_explained = |branch: &&Branch| branch.explaining().next().is_some();
        let explained = match stands {
            Some(_) => branches.iter().filter(is_explained).any(|branch| Some(branch.first) == stands),
            None => branches.iter().filter(is_explained).count() > 1,
        };
        let fell = branches.iter().filter(|branch| explained && Some(branch.first) != stands);
        let behind = fell.flat_map(|branch| {
            let first = self.node(branch.first).map(Node::id);
            branch.ids.iter().copied().filter(move |id| Some(*id) != first)
        });
        behind.collect()
    }

    fn node(&self, place: usize) -> Option<&'n Node<'a>> {
        self.nodes.get(place).map(|(node, _)| node)
    }

    /// The branches from a letter, with all that speaks for each.
    fn branches(&self, prev: usize, list: &[usize]) -> Vec<Branch> {
        let mut branches: Vec<Branch> = list.iter().map(|first| self.branch(prev, *first)).collect();
        // What two branches know explains neither.
        let known = |branch: &Branch| [branch.answered.clone(), branch.admitted.clone()].concat();
        let all: Vec<usize> = branches.iter().flat_map(known).collect();
        let alone = |letter: &usize| all.iter().filter(|other| *other == letter).count() == 1;
        for branch in &mut branches {
            branch.answered.retain(alone);
            branch.admitted.retain(alone);
        }
        let author = self.node(prev).map(|node| node.author);
        let others = self.nodes.iter().map(|(node, _)| node);
        for node in others.filter(|node| Some(node.author) != author && node.standing != Standing::Detached) {
            let said = self.said(node, author, &branches);
            for (i, voice) in said {
                let bound = branches.iter().enumerate().all(|(other, branch)| other == i || self.binds(branch, node));
                if let Some(branch) = branches.get_mut(i).filter(|_| bound) {
                    let first = match voice {
                        Voice::RuledOpen => &mut branch.ruled_open,
                        Voice::Opening => &mut branch.opening,
                        Voice::Naming => &mut branch.naming,
                        Voice::Ruling => &mut branch.ruling,
                    };
                    *first = (*first).into_iter().chain([(node.message.head().number, node.id())]).min();
                }
            }
        }
        branches
    }

    /// Whether a letter that names one of another branch does so without knowing what explains this one, or names one that
    /// knows the answer which explains it (keys 8).
    fn binds(&self, branch: &Branch, node: &Node<'_>) -> bool {
        let knows = |letters: &mut dyn Iterator<Item = &usize>, node: &Node<'_>| {
            letters.filter_map(|i| self.node(*i)).any(|letter| node.has_in_past(letter))
        };
        let body = node.message.body().names().into_iter().map(|(id, _)| id);
        let mut named = node.message.head().seen.letters().chain(body);
        let mut answered = || {
            let elsewhere = named.by_ref().filter(|id| !branch.ids.contains(id));
            let elsewhere = elsewhere.filter_map(|id| self.node(*self.place_of.get(&id)?));
            elsewhere
                .filter(|named| self.follows_fork(branch, named))
                .any(|named| knows(&mut branch.answered.iter(), named))
        };
        !knows(&mut branch.explaining(), node) || answered()
    }

    /// Whether a letter is of the author of a branch, and so on another one, if not on this.
    fn follows_fork(&self, branch: &Branch, letter: &Node<'_>) -> bool {
        self.node(branch.first).is_some_and(|first| {
            first.author == letter.author && letter.message.head().number >= first.message.head().number
        })
    }

    fn branch(&self, prev: usize, first: usize) -> Branch {
        let mut branch = Branch {
            first,
            ids: HashSet::new(),
            admitted: Vec::new(),
            answered: Vec::new(),
            rotated: Vec::new(),
            ruled_open: None,
            opening: None,
            naming: None,
            ruling: None,
        };
        for (i, (node, before)) in self.nodes.iter().enumerate() {
            let follows =
                before.and_then(|before| self.node(before)).is_some_and(|node| branch.ids.contains(&node.id()));
            if i != first && !follows {
                continue;
            }
            branch.ids.insert(node.id());
            if let Body::Key(KeyChange::Rotate(rotate)) = node.message.body()
                && rotate.stolen
                && check_rotate(self.game, node.message, rotate).is_ok()
            {
                branch.rotated.push(i);
            }
        }
        let Some((node, prev)) = self.node(first).zip(self.node(prev)) else { return branch };
        branch.admitted.extend(self.admitted.get(&node.id()).and_then(|admit| self.place_of.get(admit)));
        let answers = self.nodes.iter().enumerate().filter(|(_, (answer, _))| self.answers(answer, node, prev));
        branch.answered.extend(answers.map(|(i, _)| i));
        branch
    }

    /// Whether a letter is an answer that explains a branch (keys 12).
    fn answers(&self, answer: &Node<'_>, first: &Node<'_>, prev: &Node<'_>) -> bool {
        let head = first.message.head();
        let Body::Resync(Resync::Answer(body)) = answer.message.body() else { return false };
        let seen = answer.message.head().seen.get(&head.author);
        let seen = seen.and_then(|id| self.node(*self.place_of.get(&id)?)).map_or(0, |node| node.message.head().number);
        body.to == head.author
            && answer.author != first.author
            && seen < head.number
            && answer.breach.is_none()
            && first.has_in_past(answer)
            && !prev.has_in_past(answer)
    }

    /// What a letter says for which branches.
    fn said(&self, node: &Node<'_>, author: Option<Author>, branches: &[Branch]) -> Vec<(usize, Voice)> {
        let on = |id: &Hex32| branches.iter().position(|branch| branch.ids.contains(id));
        let mut said = Vec::new();
        match (node.author, author) {
            (Author::Referee, Some(Author::Player(_))) => {
                let Body::Ruling(ruling) = node.message.body() else { return said };
                match &ruling.rule {
                    Rule::Branch(id) => said.extend(on(id).map(|branch| (branch, Voice::Ruling))),
                    Rule::Open(opening) => {
                        let target = Target::of(opening, |id| self.body(id));
                        let opened =
                            target.and_then(|target| self.opened(target.declaration?, target.seal, opening.into()));
                        said.extend(opened.and_then(|id| on(&id)).map(|branch| (branch, Voice::RuledOpen)));
                    }
                    _ => {}
                }
            }
            (Author::Referee, _) => {}
            (Author::Player(_), _) => {
                said.extend(node.message.head().seen.letters().filter_map(|id| on(&id)).map(|i| (i, Voice::Naming)));
                if let Body::Reveal(reveal) = node.message.body() {
                    let opened = reveal.declaration.and_then(|id| self.opened(id, reveal.seal, reveal.into()));
                    said.extend(opened.and_then(|id| on(&id)).map(|branch| (branch, Voice::Opening)));
                }
            }
        }
        said
    }

    fn body(&self, id: &Hex32) -> Option<&'n Body> {
        Some(self.node(*self.place_of.get(id)?)?.message.body())
    }

    /// The declaration, if it is one and a key that is brought for it matches the seal.
    fn opened(&self, declaration: Hex32, seal: Hex32, brought: Brought<'_>) -> Option<Hex32> {
        let declares = matches!(self.body(&declaration)?, Body::Declare(_));
        let sealed = self.node(*self.place_of.get(&seal)?)?.message;
        let Body::Seal(body) = sealed.body() else { return None };
        let context = Context::of(self.game, self.terms.charter.referee.as_ref(), &sealed.head().author, body);
        let mut keys = brought.of_kind(body.kind).into_iter();
        (declares && keys.any(|(place, key)| context.matches(body, &key, place))).then_some(declaration)
    }

    /// The places with which branches begin that fall (chain 9).
    pub(super) fn fallen(&self) -> HashSet<usize> {
        let falls = self.forks.values().flat_map(|branches| {
            let stands = standing(branches);
            branches.iter().map(|branch| branch.first).filter(move |first| Some(*first) != stands)
        });
        falls.collect()
    }

    /// Whether nobody is to blame for the letters of one number: they are not two yet, or explained (chain 8, keys 8).
    /// `below`: the fork of the number below is.
    pub(super) fn excuses(&self, ids: &[Hex32], below: bool) -> bool {
        let mut by_prev: BTreeMap<Option<usize>, usize> = BTreeMap::new();
        let placed = || self.nodes.iter().filter(|(node, _)| ids.contains(&node.id()));
        if placed().count() < 2 {
            return true;
        }
        // What hangs nowhere (chain 2) follows from nothing that could explain it.
        if placed().any(|(_, prev)| prev.is_none()) {
            return false;
        }
        let counted = placed().filter(|(node, _)| !self.given_up.contains(&node.id()));
        counted.for_each(|(_, prev)| *by_prev.entry(*prev).or_default() += 1);
        if by_prev.values().sum::<usize>() < 2 {
            return true;
        }
        let explained = |prev: &Option<usize>| {
            let branches = prev.and_then(|prev| self.forks.get(&prev));
            branches.is_some_and(|branches| self.explained(branches))
        };
        let mut shared = by_prev.iter().filter(|(_, count)| **count > 1);
        (by_prev.len() == 1 || below) && shared.all(|(prev, _)| explained(prev))
    }

    /// Whether letters explain one of the branches, and no letter of another role binds to the others.
    fn explained(&self, branches: &[Branch]) -> bool {
        branches.iter().any(|branch| {
            let others = || branches.iter().filter(|other| other.first != branch.first);
            let author = self.node(branch.first).map(|node| node.author);
            let mut roles = self.nodes.iter().map(|(node, _)| node).filter(|node| Some(node.author) != author);
            let bound = roles.any(|node| {
                let body = node.message.body().names().into_iter().map(|(id, _)| id);
                let mut named = node.message.head().seen.letters().chain(body);
                named.any(|id| others().any(|other| other.ids.contains(&id))) && self.binds(branch, node)
            });
            branch.explaining().next().is_some() && !bound
        })
    }
}

/// How a letter speaks for a branch.
#[derive(Clone, Copy, Debug)]
enum Voice {
    RuledOpen,
    Opening,
    Naming,
    Ruling,
}

/// The place of the first letter of the branch that stands (chain 9).
fn standing(branches: &[Branch]) -> Option<usize> {
    let first = |of: fn(&Branch) -> First| {
        branches.iter().filter_map(|branch| of(branch).map(|first| (first, branch.first))).min().map(|(_, i)| i)
    };
    let only = |of: fn(&Branch) -> &Vec<usize>| {
        let mut explained = branches.iter().filter(|branch| !of(branch).is_empty());
        explained.next().filter(|_| explained.next().is_none()).map(|branch| branch.first)
    };
    only(|branch| &branch.admitted)
        .or_else(|| first(|branch| branch.ruled_open))
        .or_else(|| first(|branch| branch.opening))
        .or_else(|| only(|branch| &branch.answered))
        .or_else(|| first(|branch| branch.naming))
        .or_else(|| only(|branch| &branch.rotated))
        .or_else(|| first(|branch| branch.ruling))
}
