//! Forks, and which of their branches stand (`protocol/chain.md` 8 to 13).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{
    charter::{Author, Terms},
    deposits::Target,
    order::{Fork, Node, Placed, Standing},
    sets::{Brought, Context},
};
use crate::{
    blob::{
        Body,
        body::Hex32,
        disputes::{Claim, Rule, Ruling},
    },
    limits::SEEN,
    primitive::secret::Secret,
    resolve::Place,
};

/// Placed letters with one `prev`, by their places: a branch begins with each (chain 8).
pub(super) struct Family {
    author: Author,
    firsts: Vec<usize>,
}

impl Family {
    pub(super) fn all(placed: &[Placed<'_>]) -> Vec<Self> {
        let mut siblings: BTreeMap<usize, Self> = BTreeMap::new();
        for (place, letter) in placed.iter().enumerate().filter(|(_, letter)| !letter.standing.is_detached()) {
            if let Some(prev) = letter.prev {
                let new = || Self { author: letter.author, firsts: Vec::new() };
                siblings.entry(prev).or_insert_with(new).firsts.push(place);
            }
        }
        siblings.into_values().filter(|family| family.firsts.len() > 1).collect()
    }
}

/// The findings: of each author the fork with the lowest number; of the office's one that an epoch explains, and one that
/// none does (chain 8, office 10).
pub(super) fn forks(families: &[Family], placed: &[Placed<'_>]) -> Vec<Fork> {
    let mut found: BTreeMap<(Author, bool), (u64, Vec<Hex32>)> = BTreeMap::new();
    for family in families {
        let letters: Vec<&Placed<'_>> = family.firsts.iter().filter_map(|place| placed.get(*place)).collect();
        let explained = letters.iter().any(|letter| letter.begins_epoch());
        let number = letters.first().map_or(0, |letter| letter.message.head().number);
        let mut ids: Vec<Hex32> = letters.iter().map(|letter| letter.message.id()).collect();
        ids.sort_unstable();
        ids.truncate(SEEN);
        let fork = (number, ids);
        found
            .entry((family.author, explained))
            .and_modify(|known| *known = fork.clone().min(known.clone()))
            .or_insert(fork);
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by(|((one, _), a), ((other, _), b)| (one, a).cmp(&(other, b)));
    found.into_iter().map(|((author, explained), (_, ids))| Fork { author, ids, explained }).collect()
}

/// Marks the letters of branches that do not stand, and those of others that name such a branch (chain 10 to 13).
pub(super) fn settle(nodes: &mut [Node<'_>], families: &[Family], terms: &Terms, game: Hex32) {
    // None of the office's branches falls (office 9).
    let families: Vec<&Family> = families.iter().filter(|family| family.author != Author::Office).collect();
    // Nearly every game has no fork, and needs none of this.
    if families.is_empty() || nodes.is_empty() {
        return;
    }
    let choice = Choice::of(nodes, terms, game);
    let (mut fallen, mut misled) = (BTreeSet::new(), BTreeSet::new());
    for family in families {
        let named = choice.named(family);
        let stands = choice.standing(family, &named);
        fallen.extend(family.firsts.iter().copied().filter(|first| Some(*first) != stands));
        misled.extend(named.into_iter().filter(|(_, branch)| Some(*branch) != stands).map(|(place, _)| place));
    }
    let firsts: Vec<&Node<'_>> = fallen.iter().filter_map(|first| nodes.get(*first)).collect();
    let behind = |node: &Node<'_>| !node.standing.is_detached() && firsts.iter().any(|first| node.follows(first));
    let behind: Vec<bool> = nodes.iter().map(behind).collect();
    for (place, (node, behind)) in nodes.iter_mut().zip(behind).enumerate() {
        node.names_fallen = misled.contains(&place);
        match (behind, fallen.contains(&place)) {
            (true, _) => node.standing = Standing::Fallen,
            (false, true) => node.standing = Standing::Falls,
            (false, false) => {}
        }
    }
}

/// What chooses among branches.
struct Choice<'n, 'a> {
    nodes: &'n [Node<'a>],
    terms: &'n Terms,
    place_of: HashMap<Hex32, usize>,
    /// For each letter, whether it opens a place that nothing in its past opens, and that is its author's to open
    /// (chain 11).
    opens: Vec<bool>,
}

impl<'n, 'a> Choice<'n, 'a> {
    fn of(nodes: &'n [Node<'a>], terms: &'n Terms, game: Hex32) -> Self {
        let place_of = nodes.iter().enumerate().map(|(place, node)| (node.id(), place)).collect();
        let mut choice = Self { nodes, terms, place_of, opens: Vec::new() };
        // Who opened each envelope or column anew, and down to which line.
        let mut openers: HashMap<(Hex32, u64), Vec<(u64, &Node<'_>)>> = HashMap::new();
        for node in nodes {
            let mut opens = false;
            for (seal, place, is_theirs) in choice.opened_by(node, game) {
                let openers = openers.entry((seal, place.index)).or_default();
                if !openers.iter().any(|(line, opener)| *line >= place.line && node.has_in_past(opener)) {
                    openers.push((place.line, node));
                    opens |= is_theirs;
                }
            }
            choice.opens.push(opens);
        }
        choice
    }

    fn node(&self, id: &Hex32) -> Option<&'n Node<'a>> {
        self.nodes.get(*self.place_of.get(id)?)
    }

    /// The places that a letter opens, each with its seal and whether it is the author's to open (letters 5).
    fn opened_by(&self, node: &Node<'_>, game: Hex32) -> Vec<(Hex32, Place, bool)> {
        let body = |id: &Hex32| self.node(id).map(|node| node.message.body());
        let matching = |seal: Hex32, keys: &dyn Fn(&Context) -> Vec<(Place, Secret)>| {
            let sealed = self.node(&seal).map(|sealed| (sealed.message.body(), &sealed.message.head().author));
            let Some((Body::Seal(body), sealer)) = sealed else { return Vec::new() };
            let context = Context::of(game, self.terms.charter.referee.as_ref(), sealer, body);
            let may_open = [Some(&context.sealer), Some(&context.revealer), context.fallback.as_ref()];
            let is_theirs = may_open.contains(&Some(&node.message.head().author));
            let keys = keys(&context).into_iter().filter(|(place, key)| context.matches(body, key, *place));
            keys.map(|(place, _)| (seal, place, is_theirs)).collect()
        };
        let brought = |seal: Hex32, brought: Brought<'_>| matching(seal, &|context| brought.of_kind(context.kind));
        match node.message.body() {
            Body::Reveal(reveal) => brought(reveal.seal, reveal.into()),
            Body::Ruling(Ruling { rule: Rule::Open(opening), .. }) => {
                Target::of(opening, body).map_or_else(Vec::new, |target| brought(target.seal, opening.into()))
            }
            Body::Close(close) => {
                let masters = close.masters.iter().flatten().map(|master| {
                    let secret = Secret::new(master.master.0);
                    let keys = move |context: &Context| {
                        context.deepest_places().map(|place| (place, context.key(&secret, place))).collect()
                    };
                    matching(master.seal, &keys)
                });
                masters.flatten().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The letters of others that name a branch, each by its place, with the place of that branch's first (chain 10).
    fn named(&self, family: &Family) -> Vec<(usize, usize)> {
        let role = self.terms.role_of(family.author);
        let firsts = || family.firsts.iter().filter_map(|first| Some((*first, self.nodes.get(*first)?)));
        let named = |node: &Node<'a>| {
            let seen = role.and_then(|role| node.message.head().seen.get(role)).and_then(|seen| self.node(&seen));
            let seen = seen.filter(|seen| !seen.standing.is_detached());
            let on = |(_, first): &(usize, &Node<'a>)| {
                seen.is_some_and(|seen| seen.id() == first.id() || seen.follows(first))
            };
            let mut held = firsts().filter(|(_, first)| node.has_in_past(first));
            let only = || held.next().filter(|_| held.next().is_none());
            firsts().find(on).or_else(only).map(|(branch, _)| branch)
        };
        let others = self.nodes.iter().enumerate().filter(|(_, node)| node.author != family.author);
        others.filter_map(|(place, node)| Some((place, named(node)?))).collect()
    }

    /// The branch that stands, by the place of its first letter (chain 11, 12).
    fn standing(&self, family: &Family, named: &[(usize, usize)]) -> Option<usize> {
        // Witnesses that have none in their past, and the branches of all, and of the strong ones.
        let mut earliest: Vec<(usize, &Node<'_>)> = Vec::new();
        let (mut all, mut strong) = (BTreeSet::new(), BTreeSet::new());
        for (place, branch) in named {
            let Some(node) = self.nodes.get(*place).filter(|node| !node.standing.is_detached()) else { continue };
            let opens = self.opens.get(*place) == Some(&true);
            let mut known = earliest.iter().filter(|(_, witness)| node.has_in_past(witness));
            if !(opens || node.author.player().is_some()) || known.any(|(other, _)| other != branch) {
                continue;
            }
            if !earliest.iter().any(|(_, witness)| node.has_in_past(witness)) {
                earliest.push((*branch, node));
            }
            all.insert(*branch);
            let is_strong = match node.message.body() {
                Body::Declare(_) | Body::Claim(Claim::Names(_)) => true,
                Body::Close(close) => close.masters.is_some(),
                _ => opens,
            };
            strong.extend(is_strong.then_some(*branch));
        }
        let count = if family.author.player().is_some() && !strong.is_empty() { strong } else { all };
        count.first().copied().filter(|_| count.len() == 1)
    }
}
