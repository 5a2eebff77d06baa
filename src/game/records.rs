//! Records that the ledger keeps of letters, by kind of letter. They contain no rules.

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

/// A place in which a player declares: turn, impulse and phase.
pub(super) type InPlace = (u64, u64, Name);

/// Returns the place of a slot.
pub(super) fn in_place(slot: &Slot) -> InPlace {
    (slot.turn, slot.impulse, slot.phase.clone())
}

/// The state of a player's own chain.
#[derive(Debug, Default)]
pub(super) struct Own<'a> {
    /// All of the player's seals, in order.
    pub(super) seals: Vec<Hex32>,
    /// The valid seals of a kind and purpose: one, plus one for each that was killed.
    pub(super) purposes: HashMap<(SetKind, String), Vec<Hex32>>,
    /// The slots that the player declared.
    pub(super) slots: HashSet<Slot>,
    pub(super) numbers: HashMap<InPlace, Numbers>,
    /// The places of declarations beyond repair (declare 20).
    pub(super) beyond_repair: HashSet<InPlace>,
    /// The last slot declared outside courses, not counting redos.
    pub(super) last_slot: Option<SlotKey>,
    /// The open contributions used so far.
    pub(super) contributions: HashSet<Hex32>,
    /// Coin and plain sets that a declaration named.
    pub(super) named_sets: HashSet<Hex32>,
    /// Foul-up envelopes and contributions that a declaration named, by set.
    pub(super) named_indices: HashMap<Hex32, BTreeSet<u64>>,
    /// The depth to which declarations name the columns of a sheet, by set.
    pub(super) named_cells: HashMap<Hex32, BTreeMap<u64, u64>>,
    /// Proposals whose acceptances a redo named, and the first such redo.
    pub(super) acceptances: HashMap<Hex32, &'a Node>,
    /// Breaches that must be done again.
    pub(super) pending: Vec<Hex32>,
    /// Open decisions, in breach or not.
    pub(super) decided: HashSet<(Slot, Name)>,
    /// The letters that count (letters 6, 7), in order: those that stand and keep *chain 3*.
    pub(super) counted: Vec<&'a Node>,
    /// Valid, unopened notes for choices and simultaneous orders, in order.
    pub(super) unread: Vec<Hex32>,
    /// Valid sets that the office may hold but has given no receipt for, in order.
    pub(super) unheld: Vec<Hex32>,
    /// Declarations and closes, in order.
    pub(super) binding: Vec<&'a Node>,
    /// Closes, in breach or not: each of them stops the player's game.
    pub(super) closes: Vec<&'a Node>,
    /// Whether a valid close contains the masters.
    pub(super) masters: bool,
}

/// The used numbers, and the lowest unused one.
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

/// The content of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proposed<'a> {
    /// A proposal to record a foul-up in a declaration, or to mend it with a redo.
    FoulUp(&'a Proposal),
    /// A proposal not to count some rolls.
    Void(&'a Voiding),
}

impl<'a> Proposed<'a> {
    /// Returns the declarations that the proposal concerns.
    #[must_use]
    pub fn declarations(self) -> &'a [Hex32] {
        match self {
            Self::FoulUp(proposal) => std::slice::from_ref(&proposal.declaration),
            Self::Void(voiding) => voiding.scope.declarations(),
        }
    }
}

/// The proposals of a game, and the agreements on them.
#[derive(Default)]
pub(super) struct Proposals<'a> {
    pub(super) valid: HashMap<Hex32, (Played<'a>, Proposed<'a>)>,
    /// The valid proposals that concern a declaration.
    pub(super) on: HashMap<Hex32, Vec<Hex32>>,
    /// Each player's valid proposals to do a declaration again, in the order of replay.
    pub(super) again: Both<Vec<Hex32>>,
    /// Each player's valid proposals to void rolls, in the order of replay.
    pub(super) voiding: Both<Vec<Hex32>>,
    /// Valid acceptances, and rulings in their place, with their proposals.
    pub(super) accepted: HashMap<Hex32, Hex32>,
    /// The rulings that agreed to a proposal.
    pub(super) ruled: HashMap<Hex32, &'a Node>,
    /// Acceptances of redos, in the order of replay.
    pub(super) due: Vec<&'a Node>,
}

impl<'a> Proposals<'a> {
    /// Returns the foul-up on which an acceptance agreed.
    pub(super) fn agreed(&self, acceptance: &Hex32) -> Option<&'a Proposal> {
        match self.valid.get(self.accepted.get(acceptance)?)? {
            (_, Proposed::FoulUp(proposal)) => Some(proposal),
            (_, Proposed::Void(_)) => None,
        }
    }
}

/// The claims and voids of a game.
#[derive(Default)]
pub(super) struct Claims<'a> {
    /// Valid stalls and disputes.
    pub(super) valid: HashMap<Hex32, (Played<'a>, &'a Claim)>,
    /// Ids of the claims, in the order of replay.
    pub(super) in_order: Vec<Hex32>,
    /// The valid stalls of reveals, by the letter whose reveal is owed.
    pub(super) stalled: HashMap<Hex32, Vec<&'a Node>>,
    /// Claims that were withdrawn.
    pub(super) withdrawn: HashMap<Hex32, &'a Node>,
    /// Claims that rulings dismissed or on which they ruled a forfeit.
    pub(super) ruled: HashMap<Hex32, Vec<&'a Node>>,
    /// The players who lost the game, each with the yield or the ruling that forfeited the game.
    pub(super) lost: Vec<(Player, &'a Node)>,
    /// The letters that voided some rolls of each declaration.
    pub(super) voids: HashMap<Hex32, Vec<(&'a Node, &'a Scope)>>,
}

impl<'a> Claims<'a> {
    /// Returns the valid stall with this id, and its player's letter, if it exists.
    pub(super) fn stall(&self, id: &Hex32) -> Option<(Played<'a>, &'a Stall)> {
        match self.valid.get(id)? {
            (played, Claim::Stall(stall)) => Some((*played, stall)),
            _ => None,
        }
    }
}

/// The rulings of a game.
#[derive(Default)]
pub(super) struct Rulings<'a> {
    /// Valid requests, with their claims.
    pub(super) requests: HashMap<Hex32, Hex32>,
    /// Valid rulings that rest on days, in the order of replay, with the request and, if they rule one, the forfeit.
    pub(super) counted: Vec<(&'a Node, Hex32, Option<Forfeit>)>,
    /// Letters whose finding a ruling settled, with the ruling. If the finding follows from a sheet, there may be a
    /// second ruling that had the sheet in its past (hidden 6).
    pub(super) settled: HashMap<Hex32, Vec<Hex32>>,
    pub(super) killed: HashMap<Hex32, &'a Node>,
}

/// The referee's receipts, by the seals that they name.
#[derive(Default)]
pub(super) struct Receipts<'a> {
    /// The referee's receipts for each seal whose keys they hold (receipt 1).
    pub(super) held: HashMap<Hex32, Vec<&'a Node>>,
}

/// The office's receipts on any branch.
#[derive(Default)]
pub(super) struct Escrow<'a> {
    /// The office's receipts for each seal.
    pub(super) held: HashMap<Hex32, Vec<&'a Node>>,
    /// The letters with which sets went back to their sealers.
    pub(super) back: HashMap<Hex32, Vec<&'a Node>>,
    /// The letters with which epochs began.
    pub(super) epochs: Vec<&'a Node>,
    /// The letter of the latest epoch, with the time shown on the clock.
    pub(super) latest: Option<(u64, &'a Node)>,
    /// The office's last letter that begins the latest epoch or follows it.
    pub(super) to_follow: Option<&'a Node>,
    /// The times shown on the office's clock, in seconds since 1970.
    pub(super) times: Vec<(&'a Node, u64)>,
    /// For each letter of the office, the latest time reported earlier in its chain.
    pub(super) clock: HashMap<Hex32, u64>,
}

/// The letters for which the office may have to report the time (office 29).
#[derive(Default)]
pub(super) struct Untold<'a> {
    /// Letters after which no time has been reported yet: valid stalls, requests, rulings that rest on days and, for a
    /// time witness, declarations.
    pub(super) undated: Vec<&'a Node>,
    /// Valid requests whose claim may still stand, each with the first time reported after it.
    pub(super) requests: Vec<(&'a Node, Option<u64>)>,
    /// The latest time that the office reported on any branch.
    pub(super) told: Option<u64>,
}

impl Untold<'_> {
    /// Records a time reported by the office.
    pub(super) fn tell(&mut self, time: &Node, at: u64) {
        self.undated.retain(|letter| !time.has_in_past(letter));
        let behind = self.requests.iter_mut().filter(|(asked, _)| time.has_in_past(asked));
        behind.for_each(|(_, first)| *first = Some(first.map_or(at, |first| first.min(at))));
        self.told = self.told.max(Some(at));
    }
}

/// Number of states kept: the most recently stored ones.
const KEPT: usize = 32;

/// The declarations and decisions in the courses of a game.
#[derive(Default)]
pub(super) struct Courses<'a> {
    /// The valid declarations of each system, in the order of replay.
    declared: HashMap<&'static str, Vec<Hex32>>,
    /// The valid declarations and decisions of each system, by their `after`.
    made: HashMap<(&'static str, Option<Hex32>), Vec<Hex32>>,
    /// Valid decisions.
    pub(super) decided: HashMap<Hex32, Decided<'a>>,
    /// Letters that may take back declarations or decisions made without knowing them: redos, voids, forfeits.
    pub(super) disturbing: Vec<&'a Node>,
    /// The states after letters, most recently stored at the end.
    states: RefCell<VecDeque<(Hex32, Arc<Object>)>>,
}

/// A valid decision, with the resulting state.
pub(super) struct Decided<'a> {
    pub(super) node: &'a Node,
    pub(super) decide: &'a Decide,
    pub(super) state: Text,
}

impl<'a> Courses<'a> {
    /// Records a valid declaration.
    pub(super) fn declare(&mut self, system: &'static str, id: Hex32, after: Option<Hex32>) {
        self.declared.entry(system).or_default().push(id);
        self.made.entry((system, after)).or_default().push(id);
    }

    /// Records a valid decision and the resulting state.
    pub(super) fn decide(&mut self, system: &'static str, decided: Decided<'a>) {
        self.made.entry((system, decided.decide.after)).or_default().push(decided.node.id());
        self.decided.insert(decided.node.id(), decided);
    }

    /// Returns the valid declarations of a system, in the order of replay.
    pub(super) fn declared(&self, system: &str) -> &[Hex32] {
        self.declared.get(system).map_or(&[], Vec::as_slice)
    }

    /// Returns the declarations and decisions that directly follow a letter, or the beginning.
    pub(super) fn made_after(&self, system: &'static str, at: Option<Hex32>) -> impl Iterator<Item = Hex32> {
        self.made.get(&(system, at)).into_iter().flatten().copied()
    }

    /// Returns the state after a letter, if it is kept.
    pub(super) fn kept(&self, letter: Hex32) -> Option<Arc<Object>> {
        self.states.borrow().iter().rev().find(|(kept, _)| *kept == letter).map(|(_, state)| Arc::clone(state))
    }

    /// Keeps the state after a letter, because a course needs it repeatedly.
    pub(super) fn keep(&self, letter: Hex32, state: Arc<Object>) {
        let mut states = self.states.borrow_mut();
        states.retain(|(kept, _)| *kept != letter);
        if states.len() >= KEPT {
            states.pop_front();
        }
        states.push_back((letter, state));
    }
}

/// Whether any letter stored for an id is known.
pub(super) fn any_known(letters: &HashMap<Hex32, Vec<&Node>>, id: &Hex32, past: Past<'_>) -> bool {
    letters.get(id).is_some_and(|letters| past.has_any(letters))
}
