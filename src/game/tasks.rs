//! What a player owes and may do next, as far as the letters at hand tell: the pure half of `game status` and `reply`.

use std::collections::BTreeSet;

use super::{
    charter::{By, Phase, Player, SlotKey},
    courses::Choice,
    ledger::Ledger,
};
use crate::{
    blob::{
        body::{Hex32, Name, Redo, SealedContribution, SetKind, Slot, Source, Step},
        disputes::Claim,
    },
    limits::{COLUMNS, ROWS},
    resolve::Place,
};

/// Cells that a sheet should still have when its sealer writes; with fewer he seals the next one.
const CELLS_TO_SPARE: u64 = 40;

/// Contributions that a player of private phases should still have when he writes.
const CONTRIBUTIONS_TO_SPARE: u64 = 4;

/// Something that a player owes or may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// The other player stopped: send the masters of all sets (close 1).
    Close,
    /// Open what a valid declaration selects (reveal 4).
    Reveal {
        /// The declaration.
        declaration: Hex32,
        /// Its slot.
        slot: Slot,
    },
    /// Open a note of one's own: a choice of a declared slot, or orders that both have sealed (secrets 8, 9).
    OpenNote {
        /// The declaration that it is for; none for orders at once.
        declaration: Option<Hex32>,
        /// The note's seal.
        seal: Hex32,
        /// Its purpose.
        purpose: String,
    },
    /// Name the dice of a declaration by forfeit (claim 4).
    NameDice {
        /// The declaration.
        declaration: Hex32,
        /// Its slot.
        slot: Slot,
        /// The yield or ruling that allows it.
        forfeit: Hex32,
    },
    /// Accept or refuse a proposal; any other letter would let it lapse (correct 4).
    Answer {
        /// The proposal.
        proposal: Hex32,
        /// The slot that it is about.
        slot: Slot,
    },
    /// Declare a slot again, before anything else (declare 2).
    Redo {
        /// The slot.
        slot: Slot,
        /// Why.
        redo: Redo,
    },
    /// Seal a set that the other player will declare on.
    Seal {
        /// What kind of set.
        kind: SetKind,
        /// Its purpose (seal 3).
        purpose: String,
    },
    /// Fix a choice before a slot can be declared (declare 7): in the open, or in a note.
    Decide {
        /// The slot.
        slot: Slot,
        /// The decision.
        name: Name,
        /// Whether it is sealed in a note.
        sealed: bool,
    },
    /// Declare a slot: what it takes is at hand.
    Declare {
        /// The slot.
        slot: Slot,
    },
}

impl Task {
    /// Whether a letter can be written for it without asking the player anything.
    #[must_use]
    pub const fn is_plain(&self) -> bool {
        matches!(self, Self::Close | Self::Reveal { .. } | Self::OpenNote { .. } | Self::Seal { .. })
    }
}

/// A player's tasks, by whether the game waits for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agenda {
    /// The player's move: what is owed, and the next slot in the order of slots, if it is the player's.
    pub due: Vec<Task>,
    /// What the rules allow beside it, out of order or not.
    pub may: Vec<Task>,
}

impl Agenda {
    /// Sorts a player's tasks, given those of the opponent. What is due to one is what the other waits for.
    #[must_use]
    pub fn of(ledger: &Ledger<'_>, mine: Vec<Task>, theirs: &[Task]) -> Self {
        // Any other letter would let a proposal lapse.
        if mine.iter().any(|task| matches!(task, Task::Answer { .. })) {
            let due = mine.into_iter().filter(|task| matches!(task, Task::Answer { .. })).collect();
            return Self { due, may: Vec::new() };
        }
        let next = next(ledger);
        let waits = awaits(ledger, theirs);
        let (due, may) = mine.into_iter().partition(|task| match task {
            Task::Declare { slot } => !waits && next.as_ref() == Some(slot),
            Task::Decide { slot, .. } => ledger.is_of_course(slot) || next.as_ref() == Some(slot),
            _ => true,
        });
        Self { due, may }
    }
}

/// Whether a player does better to wait before declaring, although it may be their turn: dice, an answer or a redo are
/// owed by the opponent, or dice by the office.
fn awaits(ledger: &Ledger<'_>, theirs: &[Task]) -> bool {
    let owed = |task: &Task| matches!(task, Task::Reveal { .. } | Task::Answer { .. } | Task::Redo { .. });
    let mut open = ledger.declarations().filter(|declared| declared.valid && !declared.is_answered());
    theirs.iter().any(owed) || open.any(|declared| ledger.office_opens(declared))
}

/// The slot whose turn it is: of what either player has still to declare, the first in the order of slots (charter 20).
fn next(ledger: &Ledger<'_>) -> Option<Slot> {
    let of_courses = Player::BOTH.into_iter().flat_map(|player| {
        let awaited = ledger.coming_turns(player).into_iter();
        awaited.filter(move |(_, slot)| is_awaited(ledger, player, slot))
    });
    let others = Player::BOTH.into_iter().filter_map(|player| next_of(ledger, player));
    of_courses.chain(others).min().map(|(_, slot)| slot)
}

/// The first slot that a player has still to declare, outside courses: a second list for one phase is never due.
fn next_of(ledger: &Ledger<'_>, player: Player) -> Option<(SlotKey, Slot)> {
    let keyed = |slot: Slot| ledger.terms.slot(&slot).map(|(key, _)| (key, slot));
    let slots = coming(ledger, player, |_| true).into_iter().filter(|slot| slot.number == 1);
    slots.filter(|slot| ledger.is_open(player, slot)).find_map(keyed)
}

/// The slot that a player declares next, whether all that it takes is there or not.
#[must_use]
pub fn own_next(ledger: &Ledger<'_>, player: Player) -> Option<Slot> {
    let mut awaited = ledger.coming_turns(player);
    awaited.retain(|(_, slot)| is_awaited(ledger, player, slot));
    awaited.into_iter().chain(next_of(ledger, player)).min().map(|(_, slot)| slot)
}

/// The earlier slots that a declaration of a slot passes by: the player's own, which can never be declared then, and the
/// opponent's, whose turn it is.
#[must_use]
pub fn passed_by(ledger: &Ledger<'_>, player: Player, slot: &Slot) -> [Option<Slot>; 2] {
    let key = ledger.terms.slot(slot).map(|(key, _)| key);
    let before = |player| next_of(ledger, player).filter(|(other, _)| Some(*other) < key).map(|(_, slot)| slot);
    [before(player), before(player.other())]
}

/// The last slot that the opponent has declared, if it comes after a second or later list of a player's in the order of
/// slots: the dice of such a list would come when the game has gone on.
#[must_use]
pub fn late_for(ledger: &Ledger<'_>, player: Player, slot: &Slot) -> Option<Slot> {
    if slot.number < 2 || ledger.is_of_course(slot) {
        return None;
    }
    let (key, _) = ledger.terms.slot(slot)?;
    let theirs = ledger.declarations().filter(|declared| declared.valid && declared.node.player != player);
    let keyed = theirs.filter_map(|declared| Some((ledger.terms.slot(&declared.declare.slot)?.0, declared)));
    let last = keyed.max_by_key(|(key, _)| *key).filter(|(last, _)| *last > key);
    last.map(|(_, declared)| declared.declare.slot.clone())
}

/// The turn that the game has come to.
#[must_use]
pub fn turn(ledger: &Ledger<'_>) -> u64 {
    let fought = Player::BOTH.iter().filter_map(|player| ledger.last_slot(*player)).map(|key| key.0);
    fought.chain(ledger.turns_rolled()).max().unwrap_or(1)
}

/// What both players have still to declare in the turn that the game has come to, in the order of slots.
#[must_use]
pub fn unplayed(ledger: &Ledger<'_>) -> Vec<Slot> {
    let of = |player| {
        let mut awaited = ledger.coming_turns(player);
        awaited.retain(|(_, slot)| is_awaited(ledger, player, slot));
        let coming = coming(ledger, player, |_| true).into_iter().filter(|slot| slot.number == 1);
        awaited.into_iter().map(|(_, slot)| slot).chain(coming).collect::<Vec<_>>()
    };
    let slots = Player::BOTH.into_iter().flat_map(of).filter(|slot| slot.turn <= turn(ledger));
    let keyed = slots.filter_map(|slot| Some((ledger.terms.slot(&slot)?.0, slot)));
    keyed.collect::<BTreeSet<_>>().into_iter().map(|(_, slot)| slot).collect()
}

/// Whether a course awaits the declaration of a slot from a player: of the coming ones, the first.
fn is_awaited(ledger: &Ledger<'_>, player: Player, slot: &Slot) -> bool {
    let Some((_, phase)) = ledger.terms.slot(slot) else { return false };
    ledger.awaits_turn(player, slot, phase)
        && ledger.next_number(player, slot.turn, slot.impulse, &slot.phase) == slot.number
}

/// What a player owes and may do, most urgent first.
#[must_use]
pub fn of(ledger: &Ledger<'_>, player: Player) -> Vec<Task> {
    let (closed, masters) = ledger.closed(player);
    let other_closed = ledger.closed(player.other()).0;
    let mut tasks = reveals(ledger, player);
    tasks.extend(ledger.due_notes(player).into_iter().map(|(declaration, set)| Task::OpenNote {
        declaration,
        seal: set.node.id(),
        purpose: set.seal.purpose.clone(),
    }));
    tasks.extend(ledger.to_name(player).map(|(declaration, forfeit)| Task::NameDice {
        declaration: declaration.node.id(),
        slot: declaration.declare.slot.clone(),
        forfeit,
    }));
    tasks.extend(ledger.open_proposals(player).map(|(proposal, slot)| Task::Answer { proposal, slot }));
    if !masters && other_closed {
        tasks.push(Task::Close);
    }
    if closed || other_closed {
        return tasks;
    }
    let redo = redo(ledger, player);
    tasks.extend(seals(ledger, player));
    tasks.extend(decisions(ledger, player));
    match redo {
        Some(redo) => tasks.insert(0, redo),
        None => tasks.extend(declarations(ledger, player)),
    }
    tasks.retain(|task| match task {
        Task::Decide { slot, sealed: true, .. } => ledger.waits_for_redo(slot).is_none(),
        Task::Decide { slot, sealed: false, .. } => {
            ledger.waits_for_redo(slot).is_none() && !ledger.waits_for_answer(player, slot, false)
        }
        Task::Declare { slot } => ledger.waits_for_redo(slot).is_none() && !ledger.waits_for_answer(player, slot, true),
        _ => true,
    });
    tasks
}

/// Whether a player's claim that stands asks for something that is owed, or for nothing in particular.
#[must_use]
pub fn is_owed(ledger: &Ledger<'_>, by: Player, claim: &Claim) -> bool {
    let Claim::Stall(stall) = claim else { return true };
    let due = Agenda::of(ledger, of(ledger, by.other()), &of(ledger, by)).due;
    match stall.step {
        Step::Reveal => stall.letter.is_none_or(|letter| {
            let mut due = ledger.due_notes(by.other()).into_iter();
            ledger.set(&letter).is_none() || due.any(|(_, note)| note.node.id() == letter)
        }),
        Step::Answer => !due.is_empty(),
        Step::Declare => due.iter().any(|task| {
            matches!(task, Task::Declare { .. } | Task::Redo { .. } | Task::Decide { .. } | Task::NameDice { .. })
        }),
    }
}

fn reveals(ledger: &Ledger<'_>, player: Player) -> Vec<Task> {
    let owed = ledger.declarations().filter(|declaration| {
        let sealer = declaration.declare.seal.and_then(|seal| ledger.set(&seal)).map(|set| set.node.player);
        declaration.valid && !declaration.is_answered() && sealer == Some(player) && !ledger.office_opens(declaration)
    });
    owed.map(|declaration| Task::Reveal { declaration: declaration.node.id(), slot: declaration.declare.slot.clone() })
        .collect()
}

fn redo(ledger: &Ledger<'_>, player: Player) -> Option<Task> {
    let slot = |id: &Hex32| ledger.declaration(id).map(|declaration| declaration.declare.slot.clone());
    if let Some(breach) = ledger.pending_breach(player) {
        return Some(Task::Redo { slot: slot(&breach)?, redo: Redo::Breach(breach) });
    }
    let (acceptance, _) = ledger.due_redos().find(|(_, owes)| *owes == player)?;
    let declaration = ledger.agreed_declaration(&acceptance)?;
    Some(Task::Redo { slot: slot(&declaration)?, redo: Redo::Agreed(acceptance) })
}

/// The sets that the other player needs from this one, now and in the coming turn.
fn seals(ledger: &Ledger<'_>, sealer: Player) -> Vec<Task> {
    let charter = &ledger.terms.charter;
    let declarer = sealer.other();
    let mut wanted = Vec::new();
    let numbered = |kind: SetKind, label: &str, count: u64, wanted: &mut Vec<Task>| {
        let missing =
            (1..).map(|k| format!("{label}/{k}")).filter(|purpose| ledger.sealed(sealer, kind, purpose).is_none());
        wanted.extend(missing.take(count as usize).map(|purpose| Task::Seal { kind, purpose }));
    };
    let sheet_phase =
        ledger.terms.phases.iter().any(|phase| phase.declarer == Some(declarer) && phase.source == Source::Sheet);
    let sheets = valid_sets(ledger, sealer, SetKind::Sheet);
    let spare: u64 = sheets.iter().map(|seal| cells_left(ledger, seal, declarer)).sum();
    let for_start = charter.sets_at_start.sheet.saturating_sub(sheets.len() as u64);
    numbered(SetKind::Sheet, "sheet", for_start.max(u64::from(sheet_phase && spare < CELLS_TO_SPARE)), &mut wanted);
    let foul_ups = valid_sets(ledger, sealer, SetKind::FoulUp);
    let left: u64 = foul_ups.iter().map(|seal| ledger.envelopes_left(seal, declarer)).sum();
    let for_start = charter.sets_at_start.foul_up.saturating_sub(foul_ups.len() as u64);
    let needed = left == 0 && (redo(ledger, declarer).is_some() || !foul_ups.is_empty());
    numbered(SetKind::FoulUp, "foul-up", for_start.max(u64::from(needed)), &mut wanted);
    // His own shares of private dice.
    let contributions = valid_sets(ledger, sealer, SetKind::Contribution);
    let left: u64 = contributions.iter().map(|seal| ledger.envelopes_left(seal, sealer)).sum();
    let private = ledger.terms.phases.iter().any(|phase| phase.private && phase.may_be_declared_by(sealer));
    numbered(SetKind::Contribution, "contribution", u64::from(private && left < CONTRIBUTIONS_TO_SPARE), &mut wanted);
    for slot in coming(ledger, declarer, |phase| phase.source == Source::Coin) {
        let purpose = slot.to_string();
        if slot.number == 1 && ledger.sealed(sealer, SetKind::Coin, &purpose).is_none() {
            wanted.push(Task::Seal { kind: SetKind::Coin, purpose });
        }
    }
    for (_, slot) in ledger.coming_turns(declarer) {
        let purpose = slot.to_string();
        if ledger.sealed(sealer, SetKind::Plain, &purpose).is_none() {
            wanted.push(Task::Seal { kind: SetKind::Plain, purpose });
        }
    }
    wanted
}

fn valid_sets(ledger: &Ledger<'_>, sealer: Player, kind: SetKind) -> Vec<Hex32> {
    let seals = ledger.seals(sealer).iter();
    let valid = seals.filter(|seal| {
        ledger.set(seal).is_some_and(|set| set.valid && set.seal.kind == kind) && !ledger.is_killed(seal)
    });
    valid.copied().collect()
}

/// How many cells of a sheet its declarer has not spent.
fn cells_left(ledger: &Ledger<'_>, seal: &Hex32, declarer: Player) -> u64 {
    (COLUMNS * ROWS) as u64 - ledger.spent(seal, declarer).values().sum::<u64>()
}

fn decisions(ledger: &Ledger<'_>, player: Player) -> Vec<Task> {
    let mut tasks = Vec::new();
    for declarer in Player::BOTH {
        for slot in coming(ledger, declarer, |phase| !phase.decisions.is_empty()) {
            let Some((_, phase)) = ledger.terms.slot(&slot) else { continue };
            let owed = phase
                .decisions
                .iter()
                .filter(|decision| decision.by.includes(player) && !ledger.has_decided(player, &slot, decision));
            tasks.extend(owed.map(|decision| Task::Decide {
                slot: slot.clone(),
                name: decision.name.clone(),
                sealed: !matches!(decision.by, By::Open(_)),
            }));
        }
    }
    for slot in ledger.slots_to_order() {
        let phase = ledger.terms.slot(&slot).map(|(_, phase)| phase);
        let decisions = phase.into_iter().flat_map(|phase| &phase.decisions);
        let owed = decisions.filter(|decision| !ledger.has_decided(player, &slot, decision));
        tasks.extend(owed.map(|decision| Task::Decide {
            slot: slot.clone(),
            name: decision.name.clone(),
            sealed: true,
        }));
    }
    let awaited = ledger.awaited_choices().into_iter().filter(|choice| choice.by == *ledger.terms.role(player));
    tasks.extend(awaited.map(|Choice { slot, name, .. }| Task::Decide { slot, name, sealed: false }));
    tasks
}

/// The slots that a player can declare at once, for nothing that they need is missing: in each course the awaited one, else the
/// next one and second lists of phases behind it. Second lists are there for those who seal them.
fn declarations(ledger: &Ledger<'_>, player: Player) -> Vec<Task> {
    let ready = |slot: &Slot| {
        let Some((_, phase)) = ledger.terms.slot(slot) else { return false };
        let contributes = !phase.private || contribution_for(ledger, player).is_some();
        ledger.undecided(slot, phase).is_none() && contributes && set_for(ledger, player, slot).is_some()
    };
    let mut slots: Vec<Slot> = ledger.coming_turns(player).into_iter().map(|(_, slot)| slot).collect();
    slots.retain(|slot| is_awaited(ledger, player, slot));
    let coming = coming(ledger, player, |_| true).into_iter().filter(|slot| ledger.is_open(player, slot));
    let next = next_of(ledger, player).map(|(_, slot)| slot);
    let passes = |slot: &Slot| {
        let [own, _] = passed_by(ledger, player, slot);
        own.is_some()
    };
    slots.extend(coming.filter(|slot| slot.number > 1 && !passes(slot) || next.as_ref() == Some(slot)));
    slots.into_iter().filter(ready).map(|slot| Task::Declare { slot }).collect()
}

/// The set that a declarer takes the dice of a slot from: the slot's coin set, or a sheet with cells left.
#[must_use]
pub fn set_for(ledger: &Ledger<'_>, declarer: Player, slot: &Slot) -> Option<Hex32> {
    let (_, phase) = ledger.terms.slot(slot)?;
    let sealer = declarer.other();
    match phase.source {
        Source::Coin => ledger.sealed(sealer, SetKind::Coin, &slot.to_string()),
        Source::Plain => ledger.sealed(sealer, SetKind::Plain, &slot.to_string()),
        Source::Sheet => {
            let sheets = valid_sets(ledger, sealer, SetKind::Sheet).into_iter();
            sheets.into_iter().find(|seal| cells_left(ledger, seal, declarer) > 0)
        }
    }
}

/// The next envelope of a player's own for a private declaration.
#[must_use]
pub fn contribution_for(ledger: &Ledger<'_>, player: Player) -> Option<SealedContribution> {
    valid_sets(ledger, player, SetKind::Contribution).into_iter().find_map(|seal| {
        let set = ledger.set(&seal)?;
        let opened = |index| set.key(Place { index, line: 0 }).is_some();
        ledger.next_index(player, set, opened).map(|index| SealedContribution { index, seal })
    })
}

/// The foul-up set that a redo takes its dice from.
#[must_use]
pub fn foul_up_set(ledger: &Ledger<'_>, declarer: Player) -> Option<Hex32> {
    let sets = valid_sets(ledger, declarer.other(), SetKind::FoulUp).into_iter();
    sets.into_iter().find(|seal| ledger.envelopes_left(seal, declarer) > 0)
}

/// The first cell of a sheet that a declarer has not spent, by column.
#[must_use]
pub fn free_cells(ledger: &Ledger<'_>, seal: &Hex32, declarer: Player) -> Vec<Place> {
    let spent = ledger.spent(seal, declarer);
    let cells = (0..COLUMNS as u64).flat_map(|index| {
        let depth = spent.get(&index).copied().unwrap_or(0);
        (depth + 1..=ROWS as u64).map(move |line| Place { index, line })
    });
    cells.collect()
}

/// The slots of this turn and the next that a player has not passed: of each phase and impulse the next number. This turn is
/// the player's own and, if the opponent is further on, theirs too.
fn coming(ledger: &Ledger<'_>, declarer: Player, wanted: impl Fn(&Phase) -> bool) -> Vec<Slot> {
    let turn = turn(ledger);
    let last = ledger.last_slot(declarer);
    let own = last.map(|key| key.0).or(ledger.turns_rolled().max()).unwrap_or(1);
    let turns = BTreeSet::from([own, own + 1, turn, turn + 1]);
    let in_course = |phase: &Phase| phase.system.resolver().course().is_some();
    let phases = ledger.terms.phases.iter();
    let phases = phases.filter(|phase| phase.declarer == Some(declarer) && !in_course(phase) && wanted(phase));
    let mut slots: BTreeSet<(SlotKey, Slot)> = BTreeSet::new();
    for phase in phases {
        for (turn, impulse) in turns.iter().flat_map(|turn| phase.impulses.iter().map(move |i| (*turn, *i))) {
            let number = ledger.next_number(declarer, turn, impulse, &phase.name);
            let slot = Slot { impulse, number, phase: phase.name.clone(), turn };
            let key = ledger.terms.slot(&slot).map(|(key, _)| key);
            slots.extend(key.filter(|key| Some(*key) > last).map(|key| (key, slot)));
        }
    }
    slots.into_iter().map(|(_, slot)| slot).collect()
}
