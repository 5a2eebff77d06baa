//! A player's duties and options, given the available letters: the pure half of `game status` and `reply`.

use super::{
    declaration::Declaration,
    ledger::Ledger,
    node::Past,
    rules::{
        claim, correct,
        course::{self, Choice},
        redo, secrets,
    },
    schedule,
    set::Set,
    terms::{Decision, Player},
};
use crate::{
    blob::{
        body::{Hex32, Name, Redo, SealedContribution, SetKind, Slot, Source, Step},
        disputes::Claim,
    },
    limits::{COLUMNS, ROWS},
    resolve::Place,
};

/// Cells that a sheet should still have when its sealer writes; if fewer are left, they seal the next sheet.
const CELLS_TO_SPARE: u64 = 40;

/// Contributions that a player in private phases should still have when they write.
const CONTRIBUTIONS_TO_SPARE: usize = 4;

/// Something that a player owes or may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// The other player stopped: send the masters of all sets (close 1).
    Close,
    /// Open the places that a valid declaration selects (reveal 4).
    Reveal {
        /// The declaration.
        declaration: Hex32,
        /// Slot of the declaration.
        slot: Slot,
    },
    /// Open one of the player's own notes: a choice for a declared slot, or orders that both have sealed (secrets 8,
    /// 9).
    OpenNote {
        /// The declaration that the note is for; `None` for simultaneous orders.
        declaration: Option<Hex32>,
        /// The note's seal.
        seal: Hex32,
        /// Purpose of the note (seal 3).
        purpose: String,
    },
    /// Name the dice of a declaration by forfeit (claim 4).
    NameDice {
        /// The declaration.
        declaration: Hex32,
        /// Slot of the declaration.
        slot: Slot,
        /// The yield or ruling that allows naming.
        forfeit: Hex32,
    },
    /// Accept or refuse a proposal; any other letter would let it lapse (correct 4).
    Answer {
        /// Id of the proposal.
        proposal: Hex32,
        /// Slot of the declaration that the proposal is about.
        slot: Slot,
    },
    /// Declare a slot again, before anything else (declare 2).
    Redo {
        /// The slot to declare again.
        slot: Slot,
        /// The reason for the redo.
        redo: Redo,
    },
    /// Seal a set on which the other player will declare.
    Seal {
        /// Kind of the set.
        kind: SetKind,
        /// Purpose of the set (seal 3).
        purpose: String,
    },
    /// Make a choice before a slot can be declared (declare 7): in the open, or in a note.
    Decide {
        /// The slot that the choice is for.
        slot: Slot,
        /// Name of the decision.
        name: Name,
        /// Whether the choice is sealed in a note.
        sealed: bool,
    },
    /// Declare a slot, for which everything needed is available.
    Declare {
        /// The slot to declare.
        slot: Slot,
    },
}

impl Task {
    /// Whether the letter for the task can be written without asking the player for anything.
    #[must_use]
    pub const fn is_plain(&self) -> bool {
        matches!(self, Self::Close | Self::Reveal { .. } | Self::OpenNote { .. } | Self::Seal { .. })
    }
}

/// A player's tasks, split by whether the game waits for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agenda {
    /// The player's move: everything they owe, and the next slot in the order of slots if it is theirs.
    pub due: Vec<Task>,
    /// Other tasks that the rules allow, in order or not.
    pub may: Vec<Task>,
}

impl Agenda {
    /// Sorts a player's tasks, given those of the opponent. A player's task is due if the other player waits for it.
    #[must_use]
    pub fn of(ledger: &Ledger<'_>, mine: Vec<Task>, theirs: &[Task]) -> Self {
        // Any other letter would let a proposal lapse.
        if mine.iter().any(|task| matches!(task, Task::Answer { .. })) {
            let due = mine.into_iter().filter(|task| matches!(task, Task::Answer { .. })).collect();
            return Self { due, may: Vec::new() };
        }
        let next = schedule::next(ledger);
        let waits = awaits(ledger, theirs);
        let (due, may) = mine.into_iter().partition(|task| match task {
            Task::Declare { slot } => !waits && next.as_ref() == Some(slot),
            Task::Decide { slot, .. } => ledger.terms.is_of_course(slot) || next.as_ref() == Some(slot),
            _ => true,
        });
        Self { due, may }
    }
}

/// Whether a player should wait before declaring, even if it may be their turn: the opponent owes dice, an answer or a
/// redo, or the office owes dice.
fn awaits(ledger: &Ledger<'_>, theirs: &[Task]) -> bool {
    let owed = |task: &Task| matches!(task, Task::Reveal { .. } | Task::Answer { .. } | Task::Redo { .. });
    theirs.iter().any(owed) || ledger.unanswered().any(|own| ledger.is_up_to_office(&own.node, Past::ALL))
}

/// Returns a player's duties and options, most urgent first.
///
/// # Examples
///
/// ```
/// use sealed_dice::game::{audit::{Games, Read}, tasks::{self, Agenda, Task}, terms::Player};
///
/// let read = Read::all(
///     include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/awaiting-a-reveal.txt")),
///     "a mail",
/// );
/// let games = Games::sort(&read);
/// let (_, agenda) = games.jobs()[0].run_with(|_, game| {
///     let [anns, bobs] = Player::BOTH.map(|player| game.map(|game| tasks::of(game.ledger, player)));
///     Some(Agenda::of(game?.ledger, bobs?, &anns?))
/// });
/// let due = agenda.unwrap_or_default().due;
/// assert!(matches!(&due[0], Task::Reveal { slot, .. } if slot.to_string() == "1/1/ann-first/1"));
/// ```
#[must_use]
pub fn of(ledger: &Ledger<'_>, player: Player) -> Vec<Task> {
    let other_closed = ledger.has_closed(player.other());
    let mut tasks = reveals(ledger, player);
    tasks.extend(secrets::due_notes(ledger, player).into_iter().map(|(declaration, set)| Task::OpenNote {
        declaration,
        seal: set.id(),
        purpose: set.seal.purpose.clone(),
    }));
    tasks.extend(claim::to_name(ledger, player).map(|(own, forfeit)| Task::NameDice {
        declaration: own.id(),
        slot: own.declare.slot.clone(),
        forfeit,
    }));
    tasks.extend(correct::open_proposals(ledger, player).map(|(proposal, slot)| Task::Answer { proposal, slot }));
    if !ledger.has_published(player) && other_closed {
        tasks.push(Task::Close);
    }
    if ledger.has_closed(player) || other_closed {
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
        Task::Decide { slot, sealed, .. } => {
            let waits = !sealed && correct::waits_for_answer(ledger, player, slot, false);
            correct::waits_for_redo(ledger, slot).is_none() && !waits
        }
        Task::Declare { slot } => {
            correct::waits_for_redo(ledger, slot).is_none() && !correct::waits_for_answer(ledger, player, slot, true)
        }
        _ => true,
    });
    tasks
}

/// Whether a player's standing claim asks for something that is owed, or for nothing in particular.
#[must_use]
pub fn is_owed(ledger: &Ledger<'_>, by: Player, claim: &Claim) -> bool {
    let Claim::Stall(stall) = claim else { return true };
    let due = Agenda::of(ledger, of(ledger, by.other()), &of(ledger, by)).due;
    match stall.step {
        Step::Reveal => stall.letter.is_none_or(|letter| {
            let mut due = secrets::due_notes(ledger, by.other()).into_iter();
            ledger.set(&letter).is_none() || due.any(|(_, note)| note.id() == letter)
        }),
        Step::Answer => !due.is_empty(),
        Step::Declare => due.iter().any(|task| {
            matches!(task, Task::Declare { .. } | Task::Redo { .. } | Task::Decide { .. } | Task::NameDice { .. })
        }),
    }
}

fn reveals(ledger: &Ledger<'_>, player: Player) -> Vec<Task> {
    let is_owed = |own: &&Declaration<'_>| {
        let sealer = ledger.set_of(own.declare).map(|set| set.node.player);
        sealer == Some(player) && !ledger.is_up_to_office(&own.node, Past::ALL)
    };
    let reveal = |own: &Declaration<'_>| Task::Reveal { declaration: own.id(), slot: own.declare.slot.clone() };
    ledger.unanswered().filter(is_owed).map(reveal).collect()
}

fn redo(ledger: &Ledger<'_>, player: Player) -> Option<Task> {
    let slot = |id: &Hex32| ledger.declaration(id).map(|own| own.declare.slot.clone());
    if let Some(breach) = redo::pending_breach(ledger, player) {
        return Some(Task::Redo { slot: slot(&breach)?, redo: Redo::Breach(breach) });
    }
    // Both a player and the referee may have agreed; which acceptance is named must not depend on the order in which
    // letters arrived.
    let due = correct::redos_due(ledger, Past::ALL).filter(|due| due.player == player);
    let due = due.min_by_key(|due| (slot(&due.declaration), due.acceptance))?;
    Some(Task::Redo { slot: slot(&due.declaration)?, redo: Redo::Agreed(due.acceptance) })
}

/// Returns the sets that the other player needs from this one, now and in the coming turn.
fn seals(ledger: &Ledger<'_>, sealer: Player) -> Vec<Task> {
    let charter = &ledger.terms.charter;
    let declarer = sealer.other();
    let is_missing = |kind: SetKind, purpose: &String| ledger.sealed(sealer, kind, purpose).is_none();
    let numbered = |kind: SetKind, count: u64| {
        let purposes = (1..).map(move |k| format!("{}/{k}", kind.as_str()));
        let missing = purposes.filter(move |purpose| is_missing(kind, purpose)).take(count as usize);
        missing.map(move |purpose| Task::Seal { kind, purpose })
    };
    let left = |kind: SetKind, declarer: Player| {
        valid_sets(ledger, sealer, kind).map(|set| ledger.free(set, declarer, Past::ALL).count()).sum::<usize>()
    };
    let for_start =
        |kind: SetKind, promised: u64| promised.saturating_sub(valid_sets(ledger, sealer, kind).count() as u64);
    let mut phases = ledger.terms.phases.iter();
    let uses_sheets = phases.any(|phase| phase.declarer == Some(declarer) && phase.source == Source::Sheet);
    let spare: u64 = valid_sets(ledger, sealer, SetKind::Sheet).map(|set| cells_left(ledger, set, declarer)).sum();
    let sheets = u64::from(uses_sheets && spare < CELLS_TO_SPARE);
    let has_foul_ups = valid_sets(ledger, sealer, SetKind::FoulUp).next().is_some();
    let foul_ups = left(SetKind::FoulUp, declarer) == 0 && (has_foul_ups || redo(ledger, declarer).is_some());
    // The sealer's own contributions to private dice.
    let is_private = ledger.terms.phases.iter().any(|phase| phase.private && phase.may_be_declared_by(sealer));
    let contributions = is_private && left(SetKind::Contribution, sealer) < CONTRIBUTIONS_TO_SPARE;
    let mut wanted = Vec::new();
    wanted.extend(numbered(SetKind::Sheet, for_start(SetKind::Sheet, charter.sets_at_start.sheet).max(sheets)));
    let at_start = for_start(SetKind::FoulUp, charter.sets_at_start.foul_up);
    wanted.extend(numbered(SetKind::FoulUp, at_start.max(u64::from(foul_ups))));
    wanted.extend(numbered(SetKind::Contribution, u64::from(contributions)));
    let coin = schedule::coming(ledger, declarer, |phase| phase.source == Source::Coin).into_iter();
    let coin = coin.filter(|slot| slot.number == 1).map(|slot| (SetKind::Coin, slot.to_string()));
    let plain =
        schedule::coming_turns(ledger, declarer).into_iter().map(|(_, slot)| (SetKind::Plain, slot.to_string()));
    let missing = coin.chain(plain).filter(|(kind, purpose)| is_missing(*kind, purpose));
    wanted.extend(missing.map(|(kind, purpose)| Task::Seal { kind, purpose }));
    wanted
}

/// Returns a player's valid sets of a kind that have not been killed.
fn valid_sets<'l, 'a>(ledger: &'l Ledger<'a>, sealer: Player, kind: SetKind) -> impl Iterator<Item = &'l Set<'a>> {
    let sets = ledger.seals(sealer).iter().filter_map(|seal| ledger.set(seal));
    sets.filter(move |set| set.is_good(kind) && !ledger.is_killed(&set.id(), Past::ALL))
}

/// Returns the number of cells in a sheet that its declarer has not spent.
fn cells_left(ledger: &Ledger<'_>, set: &Set<'_>, declarer: Player) -> u64 {
    (COLUMNS * ROWS) as u64 - ledger.spent(&set.id(), declarer, Past::ALL).values().sum::<u64>()
}

fn decisions(ledger: &Ledger<'_>, player: Player) -> Vec<Task> {
    let mut tasks = Vec::new();
    let is_owed = |slot: &Slot, decision: &Decision| {
        decision.by.includes(player) && !secrets::has_decided(ledger, player, slot, decision)
    };
    let slots = Player::BOTH
        .into_iter()
        .flat_map(|declarer| schedule::coming(ledger, declarer, |phase| !phase.decisions.is_empty()));
    for slot in slots.chain(schedule::slots_to_order(ledger)) {
        let decisions = ledger.terms.phase_at(&slot).into_iter().flat_map(|phase| &phase.decisions);
        let owed = decisions.filter(|decision| is_owed(&slot, decision));
        tasks.extend(owed.map(|Decision { name, by }| Task::Decide {
            slot: slot.clone(),
            name: name.clone(),
            sealed: by.is_sealed(),
        }));
    }
    let awaited = course::awaited_choices(ledger).into_iter();
    let awaited = awaited.filter(|choice| choice.by == *ledger.terms.role(player));
    tasks.extend(awaited.map(|Choice { slot, name, .. }| Task::Decide { slot, name, sealed: false }));
    tasks
}

/// Returns the slots that a player can declare immediately because nothing is missing: in each course the awaited slot,
/// and otherwise the next slot and second lists of earlier phases. Second lists are included because sets may have been
/// sealed for them.
fn declarations(ledger: &Ledger<'_>, player: Player) -> Vec<Task> {
    let is_ready = |slot: &Slot| {
        let Some(phase) = ledger.terms.phase_at(slot) else { return false };
        let contributes = !phase.private || contribution_for(ledger, player).is_some();
        let is_decided = secrets::undecided(ledger, slot, phase).is_none();
        is_decided && contributes && set_for(ledger, player, slot).is_some()
    };
    let next = schedule::next_of(ledger, player).map(|(_, slot)| slot);
    let passes = |slot: &Slot| schedule::passed_by(ledger, player, slot).first().is_some_and(Option::is_some);
    let mut coming = schedule::coming(ledger, player, |_| true);
    coming.retain(|slot| schedule::is_open(ledger, player, slot));
    coming.retain(|slot| slot.number > 1 && !passes(slot) || next.as_ref() == Some(slot));
    let slots = schedule::awaited_turns(ledger, player).map(|(_, slot)| slot).chain(coming);
    slots.filter(is_ready).map(|slot| Task::Declare { slot }).collect()
}

/// Returns the set from which a declarer takes the dice of a slot: the slot's coin set, or a sheet with cells left.
#[must_use]
pub fn set_for(ledger: &Ledger<'_>, declarer: Player, slot: &Slot) -> Option<Hex32> {
    let sealer = declarer.other();
    match ledger.terms.phase_at(slot)?.source {
        Source::Coin => ledger.sealed(sealer, SetKind::Coin, &slot.to_string()),
        Source::Plain => ledger.sealed(sealer, SetKind::Plain, &slot.to_string()),
        Source::Sheet => {
            let mut sheets = valid_sets(ledger, sealer, SetKind::Sheet);
            sheets.find(|set| cells_left(ledger, set, declarer) > 0).map(Set::id)
        }
    }
}

/// Returns the next envelope from a player's own contributions, for a private declaration.
#[must_use]
pub fn contribution_for(ledger: &Ledger<'_>, player: Player) -> Option<SealedContribution> {
    valid_sets(ledger, player, SetKind::Contribution).find_map(|set| {
        let index = ledger.free(set, player, Past::ALL).next()?;
        Some(SealedContribution { index, seal: set.id() })
    })
}

/// Returns the foul-up set from which a redo takes its dice.
#[must_use]
pub fn foul_up_set(ledger: &Ledger<'_>, declarer: Player) -> Option<Hex32> {
    let mut sets = valid_sets(ledger, declarer.other(), SetKind::FoulUp);
    sets.find(|set| ledger.free(set, declarer, Past::ALL).next().is_some()).map(Set::id)
}

/// Returns the cells of a sheet that a declarer has not spent, by column.
#[must_use]
pub fn free_cells(ledger: &Ledger<'_>, seal: &Hex32, declarer: Player) -> Vec<Place> {
    let spent = ledger.spent(seal, declarer, Past::ALL);
    let cells = (0..COLUMNS as u64).flat_map(|index| {
        let depth = spent.get(&index).copied().unwrap_or(0);
        (depth + 1..=ROWS as u64).map(move |line| Place { index, line })
    });
    cells.collect()
}
