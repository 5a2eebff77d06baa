//! Which branches of a fork stand, and which forks nobody is to blame for (`protocol/chain.md` 8 to 10,
//! `protocol/keys.md` 5 to 12).

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
};

use super::{
    charter::{Author, Terms},
    deposits::Target,
    keys::{Members, check_rotate},
    order::{Node, Placed},
    sets::{Brought, Context},
};
use crate::{
    blob::{
        Body,
        body::{Hex32, Seal, SetKind, Slot},
        disputes::{Rule, Ruling},
        new_keys::{KeyChange, Resync},
        office::Receipt,
    },
    primitive::secret::Secret,
    resolve::Place,
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
    /// Of the office's, when the epoch began with which it begins (office 10).
    epoch: Option<u64>,
    /// The referee's first ruling that opens a declaration on it.
    ruled_open: First,
    /// The office's first reveal that opens a declaration on it.
    released: First,
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

    fn is_explained(&self) -> bool {
        self.explaining().next().is_some() || self.epoch.is_some()
    }
}

/// The letters of a game and their forks.
pub(super) struct Family<'n, 'a> {
    nodes: &'n [Placed<'a>],
    terms: &'n Terms,
    game: Hex32,
    place_of: HashMap<Hex32, usize>,
    /// Letters under an admitted key, with the admit.
    admitted: &'n HashMap<Hex32, BTreeSet<Hex32>>,
    forks: BTreeMap<usize, Vec<Branch>>,
    /// The letters of branches that fell where an explained one stands.
    given_up: HashSet<Hex32>,
}

impl<'n, 'a> Family<'n, 'a> {
    pub(super) fn of(nodes: &'n [Placed<'a>], terms: &'n Terms, game: Hex32, members: &'n Members<'_>) -> Self {
        let mut siblings: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (i, (node, prev)) in nodes.iter().enumerate() {
            if let Some(prev) = prev.filter(|_| !node.standing.is_detached()) {
                siblings.entry(prev).or_default().push(i);
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
        let stands = self.standing(branches);
        let is_explained = |branch: &&Branch| branch.is_explained();
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
        // Where another branch says that the key was stolen no epoch is the office's own word (office 10).
        let last = self.last_epoch(&branches);
        if branches.iter().any(|branch| Some(branch.first) != last && !branch.rotated.is_empty()) {
            branches.iter_mut().for_each(|branch| branch.epoch = None);
        }
        let author = self.node(prev).map(|node| node.author);
        let others = self.nodes.iter().map(|(node, _)| node);
        for node in others.filter(|node| Some(node.author) != author && !node.standing.is_detached()) {
            let said = self.said(node, author, &branches);
            for (i, voice) in said {
                // What the office has opened is known, whatever was asked and answered meanwhile (keys 8).
                let bound = matches!(voice, Voice::Released)
                    || branches.iter().enumerate().all(|(other, branch)| other == i || self.binds(branch, node));
                if let Some(branch) = branches.get_mut(i).filter(|_| bound) {
                    let first = match voice {
                        Voice::RuledOpen => &mut branch.ruled_open,
                        Voice::Released => &mut branch.released,
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
        let answered = || {
            let elsewhere = node.message.names().into_iter().filter(|id| !branch.ids.contains(id));
            let mut elsewhere = elsewhere.filter_map(|id| self.node(*self.place_of.get(&id)?));
            elsewhere.any(|named| self.follows_fork(branch, named) && knows(&mut branch.answered.iter(), named))
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
            epoch: None,
            ruled_open: None,
            released: None,
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
        branch.epoch = match node.message.body() {
            Body::Receipt(Receipt::Epoch(moment)) if node.author == Author::Office => Some(moment.at),
            _ => None,
        };
        let admits = self.admitted.get(&node.id()).into_iter().flatten();
        let admits = admits.filter_map(|admit| self.place_of.get(admit));
        let explains = |place: &&usize| self.node(**place).is_some_and(|admit| !admit.standing.is_detached());
        branch.admitted.extend(admits.filter(explains));
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
            && first.author != Author::Office
            && answer.author != first.author
            && answer.author.player().is_some()
            && seen < head.number
            && answer.breach.is_none()
            && !answer.standing.is_detached()
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
                        let opened = target.and_then(|target| {
                            let branch = on(&target.stall)?;
                            let stands = self.stands_on(&branches.get(branch)?.ids, target);
                            (stands && self.opens(node, target.seal, opening.into())).then_some(branch)
                        });
                        said.extend(opened.map(|branch| (branch, Voice::RuledOpen)));
                    }
                    _ => {}
                }
            }
            (Author::Office, Some(Author::Player(_))) => {
                let role = self.terms.role_of(Author::Office);
                let opened =
                    self.opened_by(node, |sealed, seal| Some(sealed.author) != author && Some(&seal.revealer) == role);
                said.extend(opened.and_then(|id| on(&id)).map(|branch| (branch, Voice::Released)));
            }
            (Author::Referee | Author::Office, _) => {}
            (Author::Player(_), _) => {
                let theirs = author.and_then(|author| node.message.head().seen.get(self.terms.role_of(author)?));
                said.extend(theirs.and_then(|id| on(&id)).map(|branch| (branch, Voice::Naming)));
                let opened = self.opened_by(node, |sealed, _| sealed.author == node.author);
                said.extend(opened.and_then(|id| on(&id)).map(|branch| (branch, Voice::Opening)));
            }
        }
        said
    }

    /// The declaration for which a reveal opens a seal that is its author's to open.
    fn opened_by(&self, node: &Node<'_>, may_open: impl Fn(&Node<'_>, &Seal) -> bool) -> Option<Hex32> {
        let Body::Reveal(reveal) = node.message.body() else { return None };
        let sealed = self.node_of(&reveal.seal)?;
        let Body::Seal(seal) = sealed.message.body() else { return None };
        let declared = reveal.declaration.filter(|id| matches!(self.body(id), Some(Body::Declare(_))));
        declared.filter(|_| may_open(sealed, seal) && self.opens(node, reveal.seal, reveal.into()))
    }

    fn body(&self, id: &Hex32) -> Option<&'n Body> {
        Some(self.node(*self.place_of.get(id)?)?.message.body())
    }

    /// Whether the declaration that an opening is for, or one of its note's slot, stands among the letters of a branch
    /// (deposits 12).
    fn stands_on(&self, ids: &HashSet<Hex32>, target: Target) -> bool {
        if let Some(declaration) = target.declaration {
            return ids.contains(&declaration);
        }
        let Some(Body::Seal(note)) = self.body(&target.seal) else { return false };
        let slot = note.purpose.rsplit_once('/').and_then(|(slot, _)| Slot::parse(slot));
        ids.iter().any(|id| match self.body(id) {
            Some(Body::Declare(declare)) => Some(&declare.slot) == slot.as_ref(),
            // Orders at once: what the player of the branch has sealed against it.
            Some(Body::Seal(seal)) => seal.kind == SetKind::Note && seal.purpose == note.purpose,
            _ => false,
        })
    }

    fn node_of(&self, id: &Hex32) -> Option<&'n Node<'a>> {
        self.node(*self.place_of.get(id)?)
    }

    /// Whether a key that a letter brings matches a seal, at a place that nothing in its past opens: who repeats a key that
    /// is known has given up nothing.
    fn opens(&self, node: &Node<'_>, seal: Hex32, brought: Brought<'_>) -> bool {
        let Some(sealed) = self.node_of(&seal).map(|node| node.message) else { return false };
        let Body::Seal(body) = sealed.body() else { return false };
        let context = Context::of(self.game, self.terms.charter.referee.as_ref(), &sealed.head().author, body);
        let matching = |brought: Brought<'_>| {
            let keys = brought.of_kind(body.kind).into_iter();
            keys.filter(|(place, key)| context.matches(body, key, *place)).map(|(place, _)| place).collect::<Vec<_>>()
        };
        let mut known = Vec::new();
        for (other, _) in self.nodes.iter().filter(|(other, _)| node.has_in_past(other)) {
            match other.message.body() {
                Body::Reveal(reveal) if reveal.seal == seal => known.extend(matching(reveal.into())),
                Body::Ruling(Ruling { rule: Rule::Open(opening), .. }) => {
                    let target = Target::of(opening, |id| self.body(id)).filter(|target| target.seal == seal);
                    known.extend(target.map(|_| matching(opening.into())).into_iter().flatten());
                }
                Body::Close(close) => {
                    let masters = close.masters.iter().flatten().filter(|master| master.seal == seal);
                    known.extend(masters.flat_map(|master| {
                        let secret = Secret::new(master.master.0);
                        let places = context.deepest_places();
                        places
                            .filter(|place| context.matches(body, &context.key(&secret, *place), *place))
                            .collect::<Vec<_>>()
                    }));
                }
                _ => {}
            }
        }
        let is_known =
            |place: &Place| known.iter().any(|known: &Place| known.index == place.index && known.line >= place.line);
        matching(brought).iter().any(|place| !is_known(place))
    }

    /// What the openings for the branches come to (chain 9).
    fn opened(&self, branches: &[Branch]) -> Opened {
        let first = |of: fn(&Branch) -> First| {
            branches.iter().filter_map(|branch| of(branch).map(|first| (first, branch.first))).min()
        };
        let firsts =
            [first(|branch| branch.opening), first(|branch| branch.released), first(|branch| branch.ruled_open)];
        let node = |id: &Hex32| self.place_of.get(id).and_then(|place| self.node(*place));
        let firsts = firsts.into_iter().flatten().filter_map(|((_, id), branch)| Some((node(&id)?, branch)));
        let firsts: Vec<(&Node<'_>, usize)> = firsts.collect();
        let comes_first = |(opening, branch): &&(&Node<'_>, usize)| {
            firsts.iter().all(|(other, elsewhere)| elsewhere == branch || other.has_in_past(opening))
        };
        match (firsts.is_empty(), firsts.iter().find(comes_first)) {
            (true, _) => Opened::Nothing,
            (false, Some((_, branch))) => Opened::Branch(*branch),
            (false, None) => Opened::Several,
        }
    }

    /// The place of the first letter of the branch that stands (chain 9).
    fn standing(&self, branches: &[Branch]) -> Option<usize> {
        let first = |of: fn(&Branch) -> First| {
            branches.iter().filter_map(|branch| of(branch).map(|first| (first, branch.first))).min().map(|(_, i)| i)
        };
        let only = |of: fn(&Branch) -> &Vec<usize>| {
            let mut explained = branches.iter().filter(|branch| !of(branch).is_empty());
            explained.next().filter(|_| explained.next().is_none()).map(|branch| branch.first)
        };
        let opened = self.opened(branches);
        let branch = match opened {
            Opened::Branch(branch) => Some(branch),
            Opened::Several | Opened::Nothing => None,
        };
        // Where two openings stand against each other nothing below them chooses but a ruling.
        let chosen = opened != Opened::Several;
        self.last_epoch(branches)
            .or_else(|| only(|branch| &branch.admitted))
            .or(branch)
            .or_else(|| chosen.then(|| only(|branch| &branch.answered)).flatten())
            .or_else(|| chosen.then(|| first(|branch| branch.naming)).flatten())
            .or_else(|| chosen.then(|| only(|branch| &branch.rotated)).flatten())
            .or_else(|| first(|branch| branch.ruling))
    }

    /// The branch of the office's that begins with the last epoch, by the place of its first letter (office 10).
    fn last_epoch(&self, branches: &[Branch]) -> Option<usize> {
        let begun = branches.iter().filter(|branch| branch.epoch.is_some());
        begun.max_by_key(|branch| self.epoch_of(branch)).map(|branch| branch.first)
    }

    /// Where a branch stands among those that begin with epochs: behind them all, if it does not.
    fn epoch_of(&self, branch: &Branch) -> Option<(u64, Reverse<Hex32>)> {
        Some((branch.epoch?, Reverse(self.node(branch.first)?.id())))
    }

    /// Whether a letter of a branch has one of another in its past.
    fn knows(&self, branch: &Branch, other: &Branch) -> bool {
        let theirs: Vec<&Node<'_>> = other.ids.iter().filter_map(|id| self.node_of(id)).collect();
        let mut own = branch.ids.iter().filter_map(|id| self.node_of(id));
        own.any(|letter| theirs.iter().any(|other| letter.has_in_past(other)))
    }

    /// The places with which branches begin that fall (chain 9).
    pub(super) fn fallen(&self) -> HashSet<usize> {
        let falls = self.forks.values().flat_map(|branches| {
            let stands = self.standing(branches);
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
        if placed().any(|(node, _)| node.standing.is_detached()) {
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

    /// Whether letters explain one of the branches, and no letter of another role binds to the others; or an epoch does, and
    /// nothing was signed on the others after it.
    fn explained(&self, branches: &[Branch]) -> bool {
        if self.last_epoch(branches).is_some() {
            return branches.iter().all(|begun| {
                let mut behind = branches.iter().filter(|other| self.epoch_of(other) < self.epoch_of(begun));
                begun.epoch.is_none() || !behind.any(|other| self.knows(other, begun))
            });
        }
        branches.iter().any(|branch| {
            let others = || branches.iter().filter(|other| other.first != branch.first);
            let author = self.node(branch.first).map(|node| node.author);
            let others_letters = self.nodes.iter().map(|(node, _)| node).filter(|node| Some(node.author) != author);
            let mut roles = others_letters.filter(|node| !node.standing.is_detached());
            let bound = roles.any(|node| {
                node.message.names().into_iter().any(|id| others().any(|other| other.ids.contains(&id)))
                    && self.binds(branch, node)
            });
            branch.explaining().next().is_some() && !bound
        })
    }
}

/// What the openings of a player, of the office and of the referee come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opened {
    /// There are none.
    Nothing,
    /// They choose this branch, by the place of its first letter.
    Branch(usize),
    /// They are for several, and none of them was known to the others.
    Several,
}

/// How a letter speaks for a branch.
#[derive(Clone, Copy, Debug)]
enum Voice {
    RuledOpen,
    Released,
    Opening,
    Naming,
    Ruling,
}
