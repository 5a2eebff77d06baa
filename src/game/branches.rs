//! Which branches of a fork stand, and which forks nobody is to blame for (`protocol/chain.md` 8 to 10,
//! `protocol/keys.md` 5 to 12).

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
};

use super::{
    charter::{Author, Player, Terms},
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
        new_keys::KeyChange,
        office::Receipt,
    },
    primitive::secret::Secret,
    resolve::Place,
};

/// The smallest of some letters: number and id.
type First = Option<(u64, Hex32)>;

/// The order of the office's epochs (office 10): how many others one has in its past, its time, and its id.
type Epoch = (usize, u64, Reverse<Hex32>);

/// One of several branches from one previous letter.
struct Branch {
    /// The place of its first letter.
    first: usize,
    ids: HashSet<Hex32>,
    /// The letters that explain it (keys 5, 7, 12), by place.
    admitted: Vec<usize>,
    answered: Vec<usize>,
    rotated: Vec<usize>,
    /// Of the office's, the epoch with which it begins (office 10).
    epoch: Option<Epoch>,
    /// The players who have gone over to it, where the rule of epochs is silent (office 10).
    followed_by: Vec<Author>,
    /// The reveals that are for it, each with its letter that they open for (chain 12).
    reveals: HashMap<Hex32, Hex32>,
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
        let telling = |branch: &Branch| {
            let mut answered = branch.answered.clone();
            answered.retain(|answer| !self.knows_better(*answer, branch, &branches));
            answered
        };
        let answered: Vec<Vec<usize>> = branches.iter().map(telling).collect();
        branches.iter_mut().zip(answered).for_each(|(branch, answered)| branch.answered = answered);
        // What two branches know explains neither.
        let known = |branch: &Branch| [branch.answered.clone(), branch.admitted.clone()].concat();
        let all: Vec<usize> = branches.iter().flat_map(known).collect();
        let alone = |letter: &usize| all.iter().filter(|other| *other == letter).count() == 1;
        for branch in &mut branches {
            branch.answered.retain(alone);
            branch.admitted.retain(alone);
        }
        // Where another branch says that the key was stolen no epoch is the office's own word (office 10).
        let last = last_epoch(&branches);
        if branches.iter().any(|branch| Some(branch.first) != last && !branch.rotated.is_empty()) {
            for player in Player::BOTH.map(Author::Player) {
                let last = last_epoch(branches.iter().filter(|branch| self.is_named_by(branch, player)));
                let followed = branches.iter_mut().find(|branch| Some(branch.first) == last);
                followed.into_iter().for_each(|branch| branch.followed_by.push(player));
            }
            branches.iter_mut().for_each(|branch| branch.epoch = None);
        }
        let author = self.node(prev).map(|node| node.author);
        let others = self.nodes.iter().map(|(node, _)| node);
        for node in others.filter(|node| Some(node.author) != author && !node.standing.is_detached()) {
            let said = self.said(node, author, &branches);
            for (i, voice, letter) in said {
                let mut others = branches.iter().enumerate().filter(|(other, _)| *other != i).map(|(_, branch)| branch);
                let opened = matches!(voice, Voice::Opening | Voice::Released).then_some(letter);
                // What the office has opened is known, whatever was asked and answered meanwhile (keys 8).
                let bound = match voice {
                    Voice::Released if !others.clone().any(|branch| self.was_warned(branch, node)) => true,
                    Voice::Naming if self.has_gone_over(&branches, node) => false,
                    _ => others.all(|branch| self.binds(branch, node, opened)),
                };
                if let Some((branch, letter)) = branches.get_mut(i).zip(opened) {
                    branch.reveals.insert(node.id(), letter);
                }
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
    /// knows the answer which explains it (keys 8). A reveal names the letter, too, that it opens for.
    fn binds(&self, branch: &Branch, node: &Node<'_>, opened: Option<Hex32>) -> bool {
        let knows = |letters: &mut dyn Iterator<Item = &usize>, node: &Node<'_>| {
            letters.filter_map(|i| self.node(*i)).any(|letter| node.has_in_past(letter))
        };
        let answered = || {
            let named = node.message.names().into_iter().chain(opened);
            let elsewhere = named.filter(|id| !branch.ids.contains(id));
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

    /// Whether the office knew, when it opened for another branch, of a theft or an admission that explains this one (keys 8).
    fn was_warned(&self, branch: &Branch, node: &Node<'_>) -> bool {
        let admitted: Vec<Hex32> = branch.admitted.iter().filter_map(|i| self.node(*i)).map(Node::id).collect();
        let admits = |letter: &Node<'_>| match letter.message.body() {
            Body::Ruling(Ruling { rule: Rule::Admit(admit), .. }) => {
                letter.author == Author::Referee && admitted.contains(admit)
            }
            _ => false,
        };
        branch.rotated.iter().filter_map(|i| self.node(*i)).any(|rotate| node.has_in_past(rotate))
            || self.nodes.iter().any(|(letter, _)| admits(letter) && node.has_in_past(letter))
    }

    /// Whether the office was shown an answer that explains a branch, and kept from its author what it opened for another:
    /// what it told him knows the answer, and not the reveal (keys 8).
    fn kept_back(&self, branch: &Branch, reveal: &Node<'_>) -> bool {
        let Some(first) = self.node(branch.first) else { return false };
        let answers = branch.answered.iter().filter_map(|i| self.node(*i));
        let mut unknown = answers.filter(|answer| !reveal.has_in_past(answer));
        let told = |letter: &Node<'_>| {
            letter.author == Author::Office && !letter.standing.is_detached() && first.has_in_past(letter)
        };
        unknown.any(|answer| {
            let mut told = self.nodes.iter().map(|(letter, _)| letter).filter(|letter| told(letter));
            told.any(|letter| letter.has_in_past(answer) && !letter.has_in_past(reveal))
        })
    }

    /// Whether a player's letter has a letter of a branch as its `seen`.
    fn is_named_by(&self, branch: &Branch, player: Author) -> bool {
        let author = self.node(branch.first).map(|node| node.author);
        let role = author.and_then(|author| self.terms.role_of(author));
        let mut own = self.nodes.iter().map(|(node, _)| node);
        own.any(|node| {
            node.author == player
                && !node.standing.is_detached()
                && role.and_then(|role| node.message.head().seen.get(role)).is_some_and(|id| branch.ids.contains(&id))
        })
    }

    /// Whether the author of a letter has gone over to a branch of which the letter knows nothing (office 10).
    fn has_gone_over(&self, branches: &[Branch], node: &Node<'_>) -> bool {
        let mut followed = branches.iter().filter(|branch| branch.followed_by.contains(&node.author));
        followed.any(|branch| self.node(branch.first).is_some_and(|first| !node.has_in_past(first)))
    }

    fn branch(&self, prev: usize, first: usize) -> Branch {
        let mut branch = Branch {
            first,
            ids: HashSet::new(),
            admitted: Vec::new(),
            answered: Vec::new(),
            rotated: Vec::new(),
            epoch: None,
            followed_by: Vec::new(),
            reveals: HashMap::new(),
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
        branch.epoch = self.epoch(node);
        let admits = self.admitted.get(&node.id()).into_iter().flatten();
        let admits = admits.filter_map(|admit| self.place_of.get(admit));
        let explains = |place: &&usize| self.node(**place).is_some_and(|admit| !admit.standing.is_detached());
        branch.admitted.extend(admits.filter(explains));
        let answers = self.nodes.iter().enumerate().filter(|(_, (answer, _))| self.answers(answer, node, prev));
        branch.answered.extend(answers.map(|(i, _)| i));
        branch
    }

    /// Which epoch of the office's a letter is (office 10).
    fn epoch(&self, node: &Node<'_>) -> Option<Epoch> {
        let Body::Receipt(Receipt::Epoch(moment)) = node.message.body() else { return None };
        let earlier =
            self.nodes.iter().map(|(earlier, _)| earlier).filter(|earlier| {
                earlier.begins_epoch() && !earlier.standing.is_detached() && node.has_in_past(earlier)
            });
        node.begins_epoch().then(|| (earlier.count(), moment.at, Reverse(node.id())))
    }

    /// Whether a letter is an answer that explains a branch (keys 12).
    fn answers(&self, answer: &Node<'_>, first: &Node<'_>, prev: &Node<'_>) -> bool {
        let seen = answer.message.head().seen.get(&first.message.head().author);
        first.author != Author::Office
            && answer.is_answer_to(first)
            && first.has_in_past(answer)
            && !prev.has_in_past(answer)
            && seen.is_none_or(|seen| self.chain_to(prev).any(|own| own.id() == seen))
    }

    /// A letter, and those before it in its chain.
    fn chain_to<'s>(&'s self, last: &Node<'_>) -> impl Iterator<Item = &'s Node<'a>> + use<'s, 'n, 'a> {
        let last = self.place_of.get(&last.id()).copied();
        let chain = std::iter::successors(last, |at| self.nodes.get(*at).and_then(|(_, before)| *before));
        chain.filter_map(|at| self.node(at))
    }

    /// Whether an answer has a letter of another branch in its past than the one that it would explain, which no earlier
    /// answer of its author's kept him from following (keys 12).
    fn knows_better(&self, answer: usize, branch: &Branch, branches: &[Branch]) -> bool {
        let Some((answer, first)) = self.node(answer).zip(self.node(branch.first)) else { return false };
        let before = self.nodes.iter().map(|(before, _)| before).filter(|before| {
            before.author == answer.author && before.is_answer_to(first) && answer.has_in_past(before)
        });
        let before: Vec<&Node<'_>> = before.collect();
        let others = branches.iter().filter(|other| other.first != branch.first).flat_map(|other| &other.ids);
        let mut known = others.filter_map(|id| self.node_of(id)).filter(|letter| answer.has_in_past(letter));
        let is_barred =
            |letter: &Node<'_>| before.iter().any(|before| !before.has_in_past(letter) && !letter.has_in_past(before));
        known.any(|letter| !is_barred(letter))
    }

    /// What a letter says for which branches, and of which letter there.
    fn said(&self, node: &Node<'_>, author: Option<Author>, branches: &[Branch]) -> Vec<(usize, Voice, Hex32)> {
        let on = |id: &Hex32| branches.iter().position(|branch| branch.ids.contains(id));
        let says = |voice: Voice, id: Hex32| on(&id).map(|branch| (branch, voice, id));
        let mut said = Vec::new();
        match (node.author, author) {
            (Author::Referee, Some(Author::Player(_))) => {
                let Body::Ruling(ruling) = node.message.body() else { return said };
                match &ruling.rule {
                    Rule::Branch(id) => said.extend(says(Voice::Ruling, *id)),
                    Rule::Open(opening) => {
                        let target = Target::of(opening, |id| self.body(id));
                        let opened = target.and_then(|target| {
                            let branch = on(&target.stall)?;
                            let stands = self.stands_on(&branches.get(branch)?.ids, target);
                            (stands && self.opens(node, target.seal, opening.into())).then_some(target.stall)
                        });
                        said.extend(opened.and_then(|stall| says(Voice::RuledOpen, stall)));
                    }
                    _ => {}
                }
            }
            (Author::Office, Some(Author::Player(_))) => {
                let role = self.terms.role_of(Author::Office);
                let offices =
                    |sealed: &Node<'_>, seal: &Seal| Some(sealed.author) != author && Some(&seal.revealer) == role;
                let opened = self.opened_by(node, author, branches, offices);
                said.extend(opened.and_then(|id| says(Voice::Released, id)));
            }
            (Author::Referee | Author::Office, _) => {}
            (Author::Player(_), _) => {
                let theirs = author.and_then(|author| node.message.head().seen.get(self.terms.role_of(author)?));
                said.extend(theirs.and_then(|id| says(Voice::Naming, id)));
                let opened = self.opened_by(node, author, branches, |sealed, _| sealed.author == node.author);
                said.extend(opened.and_then(|id| says(Voice::Opening, id)));
            }
        }
        said
    }

    /// The letter for which a reveal opens a seal that is its author's to open: the declaration, or, of orders at once, what
    /// the author of the branches has sealed against it (chain 12).
    fn opened_by(
        &self,
        node: &Node<'_>,
        author: Option<Author>,
        branches: &[Branch],
        may_open: impl Fn(&Node<'_>, &Seal) -> bool,
    ) -> Option<Hex32> {
        let Body::Reveal(reveal) = node.message.body() else { return None };
        let sealed = self.node_of(&reveal.seal)?;
        let Body::Seal(seal) = sealed.message.body() else { return None };
        let opened = match reveal.declaration {
            Some(id) => Some(id).filter(|id| matches!(self.body(id), Some(Body::Declare(_)))),
            None if seal.kind == SetKind::Note => self.note_against(node, author, &seal.purpose, branches),
            None => None,
        };
        opened.filter(|_| may_open(sealed, seal) && self.opens(node, reveal.seal, reveal.into()))
    }

    /// The first note for a purpose, by the author of the branches and on one of them, that is in the past of a letter.
    fn note_against(
        &self,
        node: &Node<'_>,
        author: Option<Author>,
        purpose: &str,
        branches: &[Branch],
    ) -> Option<Hex32> {
        let letters = branches.iter().flat_map(|branch| &branch.ids).filter_map(|id| self.node_of(id));
        let notes = letters.filter(|letter| match letter.message.body() {
            Body::Seal(seal) => seal.kind == SetKind::Note && seal.purpose == purpose,
            _ => false,
        });
        let known = notes.filter(|note| Some(note.author) == author && node.has_in_past(note));
        known.map(|note| (note.message.head().number, note.id())).min().map(|(_, id)| id)
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

    /// What the openings for the branches come to (chain 12).
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

    /// The place of the first letter of the branch that stands (chain 12).
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
        // Where two openings stand against each other nothing below them chooses but an admit or a ruling.
        let chosen = opened != Opened::Several;
        last_epoch(branches)
            .or(branch)
            .or_else(|| only(|branch| &branch.admitted))
            .or_else(|| chosen.then(|| only(|branch| &branch.answered)).flatten())
            .or_else(|| chosen.then(|| first(|branch| branch.naming)).flatten())
            .or_else(|| chosen.then(|| only(|branch| &branch.rotated)).flatten())
            .or_else(|| first(|branch| branch.ruling))
    }

    /// Whether a letter of a branch has one of another in its past.
    fn knows(&self, branch: &Branch, other: &Branch) -> bool {
        let theirs: Vec<&Node<'_>> = other.ids.iter().filter_map(|id| self.node_of(id)).collect();
        let mut own = branch.ids.iter().filter_map(|id| self.node_of(id));
        own.any(|letter| theirs.iter().any(|other| letter.has_in_past(other)))
    }

    /// The reveals of the office's on branches that fall where one that begins with an epoch stands: they are judged all the
    /// same, but where its key was stolen, and nobody believed them before he knew (chain 13).
    pub(super) fn forgotten(&self) -> HashSet<Hex32> {
        let (mut forgotten, mut stolen) = (HashSet::new(), HashSet::new());
        for branches in self.forks.values() {
            let stands = self.standing(branches);
            let Some(stands) = branches.iter().find(|branch| Some(branch.first) == stands) else { continue };
            let begins_epoch = self.node(stands.first).is_some_and(Node::begins_epoch);
            let fallen = branches.iter().filter(|branch| branch.first != stands.first).flat_map(|branch| &branch.ids);
            let reveals = fallen
                .filter_map(|id| self.node_of(id))
                .filter(|letter| letter.author == Author::Office && matches!(letter.message.body(), Body::Reveal(_)));
            for reveal in reveals {
                forgotten.extend(begins_epoch.then_some(reveal.id()));
                stolen.extend(self.may_be_stolen(stands, reveal).then_some(reveal.id()));
            }
        }
        &forgotten - &stolen
    }

    /// Whether rotates explain a branch, and nobody else has named a letter without knowing of one of them (chain 13).
    fn may_be_stolen(&self, branch: &Branch, letter: &Node<'_>) -> bool {
        let rotates: Vec<&Node<'_>> = branch.rotated.iter().filter_map(|i| self.node(*i)).collect();
        let others = self.nodes.iter().map(|(node, _)| node);
        let mut believers = others
            .filter(|node| node.author != letter.author && !node.standing.is_detached() && node.has_in_past(letter));
        !rotates.is_empty() && believers.all(|node| rotates.iter().any(|rotate| node.has_in_past(rotate)))
    }

    /// The places with which branches begin that fall (chain 12).
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
        if last_epoch(branches).is_some() {
            return branches.iter().all(|begun| {
                let mut behind = branches.iter().filter(|other| other.epoch < begun.epoch);
                begun.epoch.is_none() || !behind.any(|other| self.knows(other, begun))
            });
        }
        branches.iter().any(|branch| {
            let others = || branches.iter().filter(|other| other.first != branch.first);
            let author = self.node(branch.first).map(|node| node.author);
            let others_letters = self.nodes.iter().map(|(node, _)| node).filter(|node| Some(node.author) != author);
            let mut roles =
                others_letters.filter(|node| !node.standing.is_detached() && !self.has_gone_over(branches, node));
            let bound = roles.any(|node| {
                let opened = others().find_map(|other| other.reveals.get(&node.id())).copied();
                let names = || {
                    let mut names = node.message.names().into_iter();
                    opened.is_some() || names.any(|id| others().any(|other| other.ids.contains(&id)))
                };
                // Of the office's letters only what it opened, and told (keys 8).
                let counts = match node.author {
                    Author::Office => opened.is_some() && !self.kept_back(branch, node),
                    Author::Player(_) | Author::Referee => names(),
                };
                counts && self.binds(branch, node, opened)
            });
            branch.explaining().next().is_some() && !bound
        })
    }
}

/// The branch of the office's that begins with the last epoch, by the place of its first letter (office 10).
fn last_epoch<'b>(branches: impl IntoIterator<Item = &'b Branch>) -> Option<usize> {
    let begun = branches.into_iter().filter(|branch| branch.epoch.is_some());
    begun.max_by_key(|branch| branch.epoch).map(|branch| branch.first)
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
