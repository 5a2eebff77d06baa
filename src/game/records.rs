//! What letters leave behind for later ones: data without law, kept by kind of letter.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque},
    sync::Arc,
};

use super::{
    node::{Node, Past, Played},
    terms::{Both, Player, SlotKey},
};
use crate::{
    blob::{
        body::{Decide, Forfeit, Hex32, Name, Proposal, SetKind, Slot, Voiding},
        disputes::{Claim, Scope, Stall},
        json::Text,
    },
    resolve::Object,
};

/// A place that a player declares in: turn, impulse and phase.
pub(super) type InPlace = (u64, u64, Name);

/// The place of a slot.
pub(super) fn in_place(slot: &Slot) -> InPlace {
    (slot.turn, slot.impulse, slot.phase.clone())
}

/// What a player's own chain has come to.
#[derive(Debug, Default)]
pub(super) struct Own<'a> {
    /// Every seal of the player's, in order.
    pub(super) seals: Vec<Hex32>,
    /// The valid ones of a kind and purpose: one, and another for each that was killed.
    pub(super) purposes: HashMap<(SetKind, String), Vec<Hex32>>,
    /// The slots that the player declared.
    pub(super) slots: HashSet<Slot>,
    pub(super) numbers: HashMap<InPlace, Numbers>,
    /// The places of declarations beyond repair (declare 20).
    pub(super) beyond_repair: HashSet<InPlace>,
    /// The last slot that was declared outside courses, redos aside.
    pub(super) last_slot: Option<SlotKey>,
    /// Open contributions.
    pub(super) contributions: HashSet<Hex32>,
    /// Coin and plain sets that a declaration named.
    pub(super) named_sets: HashSet<Hex32>,
    /// Foul-up envelopes, and contributions, that a declaration named, by set.
    pub(super) named_indices: HashMap<Hex32, BTreeSet<u64>>,
    /// How far down the columns of a sheet are named, by set.
    pub(super) named_cells: HashMap<Hex32, BTreeMap<u64, u64>>,
    /// Proposals whose acceptances a redo named, and the first such redo.
    pub(super) acceptances: HashMap<Hex32, &'a Node>,
    /// Breaches that are to be done again.
    pub(super) pending: Vec<Hex32>,
    /// Open decisions, in breach or not.
    pub(super) decided: HashSet<(Slot, Name)>,
    /// What counts (letters 6, 7): the letters that stand and keep *chain 3*, in order.
    pub(super) counted: Vec<&'a Node>,
    /// Valid notes for choices, and orders at once, that nobody has opened, in order.
    pub(super) unread: Vec<Hex32>,
    /// Valid sets that the office may hold and has given no receipt for, in order.
    pub(super) unheld: Vec<Hex32>,
    /// Declarations and closes, in order.
    pub(super) binding: Vec<&'a Node>,
    /// Closes, in breach or not: each is a stop.
    pub(super) closes: Vec<&'a Node>,
    /// Whether a valid close has the masters.
    pub(super) masters: bool,
}

/// Numbers that are used, and the lowest that is not.
#[derive(Debug)]
pub(super) struct Numbers {
    used: HashSet<u64>,
    pub(super) next: u64,
}

impl Default for Numbers {
    fn default() -> Self {
        Self { used: HashSet::new(), next: 1 }
    }
}

impl Numbers {
    /// Marks a number as used, and moves `next` to the lowest unused one.
    pub(super) fn take(&mut self, number: u64) {
        self.used.insert(number);
        while self.used.contains(&self.next) {
            self.next += 1;
        }
    }
}

/// What is proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proposed<'a> {
    /// A foul-up in a declaration is to be recorded, or mended by a redo.
    FoulUp(&'a Proposal),
    /// Rolls are not to count.
    Void(&'a Voiding),
}

impl<'a> Proposed<'a> {
    /// The declarations that it concerns.
    #[must_use]
    pub fn declarations(self) -> &'a [Hex32] {
        match self {
            Self::FoulUp(proposal) => std::slice::from_ref(&proposal.declaration),
            Self::Void(voiding) => voiding.scope.declarations(),
        }
    }
}

/// The proposals of a game and what was agreed.
#[derive(Default)]
pub(super) struct Proposals<'a> {
    pub(super) valid: HashMap<Hex32, (Played<'a>, Proposed<'a>)>,
    /// The valid ones that concern a declaration.
    pub(super) on: HashMap<Hex32, Vec<Hex32>>,
    /// Each player's valid proposals to do a declaration again, in the order of replay.
    pub(super) again: Both<Vec<Hex32>>,
    /// Each player's valid proposals to void some, in the order of replay.
    pub(super) voiding: Both<Vec<Hex32>>,
    /// Valid acceptances, and rulings in their place, each with its proposal.
    pub(super) accepted: HashMap<Hex32, Hex32>,
    /// The rulings that agreed to a proposal.
    pub(super) ruled: HashMap<Hex32, &'a Node>,
    /// Acceptances of a redo, in the order of replay.
    pub(super) due: Vec<&'a Node>,
}

impl<'a> Proposals<'a> {
    /// The foul-up that an acceptance agreed to.
    pub(super) fn agreed(&self, acceptance: &Hex32) -> Option<&'a Proposal> {
        match self.valid.get(self.accepted.get(acceptance)?)? {
            (_, Proposed::FoulUp(proposal)) => Some(proposal),
            (_, Proposed::Void(_)) => None,
        }
    }
}

/// What was claimed and voided.
#[derive(Default)]
pub(super) struct Claims<'a> {
    /// Valid stalls and disputes.
    pub(super) valid: HashMap<Hex32, (Played<'a>, &'a Claim)>,
    /// Their ids, in the order of replay.
    pub(super) in_order: Vec<Hex32>,
    /// The valid stalls of reveals, by the letter whose reveal is owed.
    pub(super) stalled: HashMap<Hex32, Vec<&'a Node>>,
    /// Claims taken back.
    pub(super) withdrawn: HashMap<Hex32, &'a Node>,
    /// Claims that rulings dismissed, or ruled a forfeit on.
    pub(super) ruled: HashMap<Hex32, Vec<&'a Node>>,
    /// Yields and rulings of a forfeit `game`: who lost it, and by which letter.
    pub(super) lost: Vec<(Player, &'a Node)>,
    /// For each declaration the letters that voided some of its rolls.
    pub(super) voids: HashMap<Hex32, Vec<(&'a Node, &'a Scope)>>,
}

impl<'a> Claims<'a> {
    /// The valid stall of this id, with its player's letter, if there is one.
    pub(super) fn stall(&self, id: &Hex32) -> Option<(Played<'a>, &'a Stall)> {
        match self.valid.get(id)? {
            (played, Claim::Stall(stall)) => Some((*played, stall)),
            _ => None,
        }
    }
}

/// What was ruled.
#[derive(Default)]
pub(super) struct Rulings<'a> {
    /// Valid requests, with the claim that each is for.
    pub(super) requests: HashMap<Hex32, Hex32>,
    /// Valid rulings that rest on days, in the order of replay: with the request, and the forfeit if it is one.
    pub(super) counted: Vec<(&'a Node, Hex32, Option<Forfeit>)>,
    /// Letters whose finding a ruling settled, with the ruling; of a sheet perhaps with the one that knew it.
    pub(super) settled: HashMap<Hex32, Vec<Hex32>>,
    pub(super) killed: HashMap<Hex32, &'a Node>,
}

/// What the referee's receipts say, by the seals that they name.
#[derive(Default)]
pub(super) struct Receipts<'a> {
    /// What they hold (receipt 1).
    pub(super) held: HashMap<Hex32, Vec<&'a Node>>,
    /// What they name, valid or not, on whatever branch.
    pub(super) promised: HashMap<Hex32, Vec<&'a Node>>,
}

/// What the office's receipts say, on whatever branch.
#[derive(Default)]
pub(super) struct Escrow<'a> {
    /// Its receipts for each seal.
    pub(super) held: HashMap<Hex32, Vec<&'a Node>>,
    /// Its letters by which sets went back to their sealers.
    pub(super) back: HashMap<Hex32, Vec<&'a Node>>,
    /// The letters with which its epochs began.
    pub(super) epochs: Vec<&'a Node>,
    /// The latest of these, with what its clock showed.
    pub(super) latest: Option<(u64, &'a Node)>,
    /// The last of its letters that is the latest epoch, or follows it.
    pub(super) to_follow: Option<&'a Node>,
    /// What its clock showed, in seconds since 1970.
    pub(super) times: Vec<(&'a Node, u64)>,
    /// For each letter of the office the latest time that it had told in that chain.
    pub(super) clock: HashMap<Hex32, u64>,
}

/// What the office may have to tell the time of (office 29).
#[derive(Default)]
pub(super) struct Untold<'a> {
    /// Valid stalls, requests, rulings that rest on days and, for a time witness, declarations, that no time is behind
    /// yet.
    pub(super) undated: Vec<&'a Node>,
    /// Valid requests whose claim may still stand, each with the first time behind it.
    pub(super) requests: Vec<(&'a Node, Option<u64>)>,
    /// The latest time that the office told, on whatever branch.
    pub(super) told: Option<u64>,
}

impl Untold<'_> {
    /// The office tells a time.
    pub(super) fn tell(&mut self, time: &Node, at: u64) {
        self.undated.retain(|letter| !time.has_in_past(letter));
        let behind = self.requests.iter_mut().filter(|(asked, _)| time.has_in_past(asked));
        behind.for_each(|(_, first)| *first = Some(first.map_or(at, |first| first.min(at))));
        self.told = self.told.max(Some(at));
    }
}

/// How many states are kept, the last that were asked for.
const KEPT: usize = 32;

/// What was declared and decided in the courses of a game.
#[derive(Default)]
pub(super) struct Courses<'a> {
    /// The valid declarations of each system, in the order of replay.
    declared: HashMap<&'static str, Vec<Hex32>>,
    /// The valid declarations and decisions of each system, by their `after`.
    made: HashMap<(&'static str, Option<Hex32>), Vec<Hex32>>,
    /// Valid decisions.
    pub(super) decided: HashMap<Hex32, Decided<'a>>,
    /// Letters that may take back what was made without them: redos, voids, forfeits.
    pub(super) disturbing: Vec<&'a Node>,
    /// What letters came to, the last ones at the end.
    states: RefCell<VecDeque<(Hex32, Arc<Object>)>>,
}

/// A valid decision, with the state that it came to.
pub(super) struct Decided<'a> {
    pub(super) node: &'a Node,
    pub(super) decide: &'a Decide,
    pub(super) state: Text,
}

impl<'a> Courses<'a> {
    /// Takes a valid declaration.
    pub(super) fn declare(&mut self, system: &'static str, id: Hex32, after: Option<Hex32>) {
        self.declared.entry(system).or_default().push(id);
        self.made.entry((system, after)).or_default().push(id);
    }

    /// Takes a valid decision, and the state that it comes to.
    pub(super) fn decide(&mut self, system: &'static str, decided: Decided<'a>) {
        self.made.entry((system, decided.decide.after)).or_default().push(decided.node.id());
        self.decided.insert(decided.node.id(), decided);
    }

    /// The valid declarations of a system, in the order of replay.
    pub(super) fn declared(&self, system: &str) -> &[Hex32] {
        self.declared.get(system).map_or(&[], Vec::as_slice)
    }

    /// What was declared and decided behind a letter, or at the beginning.
    pub(super) fn made_after(&self, system: &'static str, at: Option<Hex32>) -> impl Iterator<Item = Hex32> {
        self.made.get(&(system, at)).into_iter().flatten().copied()
    }

    /// What a letter came to, if that is kept.
    pub(super) fn kept(&self, letter: Hex32) -> Option<Arc<Object>> {
        self.states.borrow().iter().rev().find(|(kept, _)| *kept == letter).map(|(_, state)| Arc::clone(state))
    }

    /// Keeps what a letter came to: a course is asked for it again and again.
    pub(super) fn keep(&self, letter: Hex32, state: Arc<Object>) {
        let mut states = self.states.borrow_mut();
        states.retain(|(kept, _)| *kept != letter);
        if states.len() >= KEPT {
            states.pop_front();
        }
        states.push_back((letter, state));
    }
}

/// Whether one of the letters that are kept for an id may be known.
pub(super) fn any_known(letters: &HashMap<Hex32, Vec<&Node>>, id: &Hex32, past: Past<'_>) -> bool {
    letters.get(id).is_some_and(|letters| past.has_any(letters))
}
