//! Forks: the branches that stand, and the authors whom a fallen branch excuses (`protocol/chain.md` 8 to 14).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{
    context::Context,
    node::{Node, Placed, Standing},
    opening::{Brought, Target},
    terms::{Author, Terms},
};
use crate::blob::{
    Body,
    body::Hex32,
    disputes::{Claim, Ruled, Ruling},
};

/// Letters by one author that follow the same letter (chain 8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fork {
    /// The author of all letters of the fork.
    pub author: Author,
    /// Ids of the fork's letters, ascending.
    pub ids: Vec<Hex32>,
    /// Whether all of the letters, or all but one, begin epochs of the office, so that nobody is blamed (office 26).
    pub explained: bool,
}

/// Placed letters with the same `prev`, by their places; each begins a branch (chain 8).
pub(super) struct Family {
    author: Author,
    prev: usize,
    firsts: Vec<usize>,
}

impl Family {
    pub(super) fn all(placed: &[Placed<'_>]) -> Vec<Self> {
        let mut siblings: BTreeMap<usize, Self> = BTreeMap::new();
        for (place, letter) in placed.iter().enumerate().filter(|(_, letter)| !letter.standing.is_detached()) {
            if let Some(prev) = letter.prev {
                let new = || Self { author: letter.author, prev, firsts: Vec::new() };
                siblings.entry(prev).or_insert_with(new).firsts.push(place);
            }
        }
        siblings.into_values().filter(|family| family.firsts.len() > 1).collect()
    }

    /// Returns the fork, with its number (chain 8, office 26).
    pub(super) fn fork(&self, placed: &[Placed<'_>]) -> (u64, Fork) {
        let letters = || self.firsts.iter().filter_map(|place| placed.get(*place));
        let explained = letters().filter(|letter| !letter.begins_epoch()).count() < 2;
        let number = letters().next().map_or(0, |letter| letter.message.head().number);
        let mut ids: Vec<Hex32> = letters().map(|letter| letter.message.id()).collect();
        ids.sort_unstable();
        (number, Fork { author: self.author, ids, explained })
    }
}

/// A branch, by the place of its first letter.
type Branch = usize;

/// Marks letters on branches that fall, and letters by others that may have been valid where they were signed (chain 10
/// to 14).
pub(super) fn settle(nodes: &mut [Node], families: &[Family], terms: &Terms, game: Hex32) {
    // The office's branches never fall (office 22).
    let families: Vec<&Family> = families.iter().filter(|family| family.author != Author::Office).collect();
    // Nearly every game has no fork and can skip this.
    if families.is_empty() || nodes.is_empty() {
        return;
    }
    let choice = Choice::of(nodes, terms, game);
    let chosen: Vec<Chosen<'_>> = families.into_iter().map(|family| choice.of_family(family)).collect();
    let fell = |chosen: &Chosen<'_>| {
        let stands = chosen.stands;
        chosen.family.firsts.iter().copied().filter(move |first| Some(*first) != stands).collect::<Vec<_>>()
    };
    let fallen: BTreeSet<Branch> = chosen.iter().flat_map(fell).collect();
    let firsts: Vec<&Node> = fallen.iter().filter_map(|first| nodes.get(*first)).collect();
    let behind = |node: &Node| !node.standing.is_detached() && firsts.iter().any(|first| node.follows(first));
    let standing: Vec<Standing> = (nodes.iter().enumerate())
        .map(|(place, node)| match (behind(node), fallen.contains(&place)) {
            (true, _) => Standing::Fallen,
            (false, true) => Standing::Falls,
            (false, false) => node.standing,
        })
        .collect();
    // A fork on a branch that fell excuses nobody.
    let is_up = |chosen: &&Chosen<'_>| standing.get(chosen.family.prev).is_none_or(|prev| prev.is_judged());
    let up: Vec<&Chosen<'_>> = chosen.iter().filter(is_up).collect();
    let misled: Vec<bool> = nodes.iter().map(|node| up.iter().any(|chosen| choice.is_misled(chosen, node))).collect();
    for (node, (standing, misled)) in nodes.iter_mut().zip(standing.into_iter().zip(misled)) {
        (node.standing, node.misled) = (standing, misled);
    }
}

/// The result of a fork.
struct Chosen<'n> {
    family: &'n Family,
    /// All witnesses without another witness in their past (chain 11).
    witnesses: Vec<(Branch, &'n Node)>,
    /// Letters that count, each with its branch; none of them has another of them in its past (chain 12).
    counting: Vec<(Branch, &'n Node)>,
    /// The branch that stands.
    stands: Option<Branch>,
}

/// The data needed to choose among branches.
struct Choice<'n> {
    nodes: &'n [Node],
    terms: &'n Terms,
    place_of: HashMap<Hex32, usize>,
    /// Whether each letter makes an opening (letters 10).
    opens: Vec<bool>,
}

impl<'n> Choice<'n> {
    fn of(nodes: &'n [Node], terms: &'n Terms, game: Hex32) -> Self {
        let place_of = nodes.iter().enumerate().map(|(place, node)| (node.id(), place)).collect();
        let mut choice = Self { nodes, terms, place_of, opens: Vec::new() };
        choice.opens = nodes.iter().map(|node| choice.opens(node, game)).collect();
        choice
    }

    fn node(&self, id: &Hex32) -> Option<&'n Node> {
        self.nodes.get(*self.place_of.get(id)?)
    }

    /// Whether a letter makes an opening (letters 10).
    fn opens(&self, node: &Node, game: Hex32) -> bool {
        let (seal, brought) = match node.message.body() {
            Body::Reveal(reveal) => (Some(reveal.seal), Brought::from(reveal)),
            Body::Ruling(Ruling { rule: Ruled::Open(opening), .. }) => {
                let body = |id: &Hex32| self.node(id).map(|node| node.message.body());
                (Target::of(opening, body).map(|target| target.seal), Brought::from(opening))
            }
            _ => return false,
        };
        // A time witness does not open anything (office 36).
        if node.author == Author::Office && self.terms.time_witness().is_some() {
            return false;
        }
        let Some(sealed) = seal.and_then(|seal| self.node(&seal)).map(|sealed| &sealed.message) else { return false };
        let Body::Seal(seal) = sealed.body() else { return false };
        let context = Context::of(game, self.terms.charter.referee.as_ref(), &sealed.head().author, seal);
        let by_player = self.terms.author_of(&context.sealer).and_then(Author::player).is_some();
        let may_open = [Some(&context.sealer), Some(&context.revealer), context.fallback.as_ref()];
        let mut keys = brought.of_kind(seal.kind).into_iter();
        by_player
            && may_open.contains(&Some(&node.message.head().author))
            && keys.any(|(place, key)| context.matches(seal, &key, place))
    }

    /// Returns the branch with which another role's letter sides (chain 10).
    fn side(&self, family: &Family, node: &Node) -> Option<Branch> {
        let seen = self.terms.role_of(family.author).and_then(|role| node.message.head().seen.get(role));
        let seen = seen.and_then(|seen| self.node(&seen)).filter(|seen| !seen.standing.is_detached());
        let on = |first: &Node| seen.is_some_and(|seen| seen.id() == first.id() || seen.follows(first));
        let mut held = self.firsts(family).filter(|(_, first)| node.has_in_past(first)).map(|(branch, _)| branch);
        let only = || held.next().filter(|_| held.next().is_none());
        self.firsts(family).find(|(_, first)| on(first)).map(|(branch, _)| branch).or_else(only)
    }

    fn firsts(&self, family: &Family) -> impl Iterator<Item = (Branch, &'n Node)> {
        family.firsts.iter().filter_map(|first| Some((*first, self.nodes.get(*first)?)))
    }

    /// Finds which branch of a fork stands (chain 10 to 12).
    fn of_family(&self, family: &'n Family) -> Chosen<'n> {
        let others = self.nodes.iter().zip(&self.opens).filter(|(node, _)| node.author != family.author);
        // The witnesses that have no other witness in their past: among all of them, and among the strong ones.
        let (mut all, mut strong) = (Vec::new(), Vec::new());
        for (node, opens) in others.filter(|(node, _)| !node.standing.is_detached()) {
            let may = *opens || node.author.player().is_some();
            let Some(branch) = self.side(family, node).filter(|_| may) else { continue };
            if knows_another(node, &all, Some(branch)) {
                continue;
            }
            let is_strong = match node.message.body() {
                Body::Declare(_) | Body::Claim(Claim::Names(_)) => true,
                Body::Close(close) => close.masters.is_some(),
                _ => *opens,
            };
            let is_strong = is_strong && family.author.player().is_some();
            for list in [Some(&mut all), is_strong.then_some(&mut strong)].into_iter().flatten() {
                if !knows_another(node, list, None) {
                    list.push((branch, node));
                }
            }
        }
        let counting = if strong.is_empty() { all.clone() } else { strong };
        let first = counting.first().map(|(branch, _)| *branch);
        let stands = first.filter(|first| counting.iter().all(|(branch, _)| branch == first));
        Chosen { family, witnesses: all, counting, stands }
    }

    /// Whether a letter may have been valid on a branch of a fork (chain 14).
    fn is_misled(&self, chosen: &Chosen<'_>, node: &Node) -> bool {
        let Chosen { family, witnesses, counting, stands } = chosen;
        if node.author == family.author || !self.firsts(family).any(|(_, first)| node.has_in_past(first)) {
            return false;
        }
        let side = self.side(family, node);
        // Without a witness in its past, a ruling's author could not know which branch would stand.
        let is_blind = matches!(node.message.body(), Body::Ruling(ruling) if !matches!(ruling.rule, Ruled::Open(_)));
        let is_chosen = !is_blind || witnesses.iter().any(|(_, first)| node.has_in_past(first));
        (stands.is_none() || side != *stands || !is_chosen) && !knows_another(node, counting, side)
    }
}

/// Whether a letter's past includes one of `letters` that sides with a branch other than `side`.
fn knows_another(node: &Node, letters: &[(Branch, &Node)], side: Option<Branch>) -> bool {
    letters.iter().any(|(branch, letter)| Some(*branch) != side && node.has_in_past(letter))
}
