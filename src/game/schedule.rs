//! The order of play: the next slot, and the slots after it (`protocol/charter.md` 20, `protocol/courses.md` 5).

use std::collections::BTreeSet;

use super::{
    ledger::Ledger,
    node::Past,
    rules::{
        correct,
        course::{self, Awaited},
        declare, redo,
    },
    terms::{Phase, Player, SlotKey},
};
use crate::{blob::body::Slot, resolve::Course, rule::Rule};

/// The number of declarations to seal for in advance in a place of a hidden course.
const AHEAD: u64 = 3;

/// Returns the slot whose turn it is: the first in the order of slots that either player has yet to declare (charter
/// 20).
pub(super) fn next(ledger: &Ledger<'_>) -> Option<Slot> {
    let of_courses = Player::BOTH.into_iter().flat_map(|player| awaited_turns(ledger, player));
    let others = Player::BOTH.into_iter().filter_map(|player| next_of(ledger, player));
    of_courses.chain(others).min().map(|(_, slot)| slot)
}

/// Returns the first slot outside courses that a player has yet to declare; a second list for a phase is never due.
pub(super) fn next_of(ledger: &Ledger<'_>, player: Player) -> Option<(SlotKey, Slot)> {
    let keyed = |slot: Slot| ledger.terms.slot(&slot).map(|(key, _)| (key, slot));
    let slots = coming(ledger, player, |_| true).into_iter().filter(|slot| slot.number == 1);
    slots.filter(|slot| is_open(ledger, player, slot)).find_map(keyed)
}

/// Whether a player may declare a slot outside courses, given where the courses stand.
pub(super) fn is_open(ledger: &Ledger<'_>, player: Player, slot: &Slot) -> bool {
    declare::check_between(ledger, player, slot, Past::ALL).is_ok()
}

/// Returns the slot that a player declares next, whether everything needed for it is available or not.
#[must_use]
pub fn own_next(ledger: &Ledger<'_>, player: Player) -> Option<Slot> {
    awaited_turns(ledger, player).chain(next_of(ledger, player)).min().map(|(_, slot)| slot)
}

/// Returns the earlier slots that a declaration of a slot skips: the player's own, which can then never be declared,
/// and the opponent's, whose turn it is.
#[must_use]
pub fn passed_by(ledger: &Ledger<'_>, player: Player, slot: &Slot) -> [Option<Slot>; 2] {
    let key = ledger.terms.slot(slot).map(|(key, _)| key);
    let before = |player| next_of(ledger, player).filter(|(other, _)| Some(*other) < key).map(|(_, slot)| slot);
    [before(player), before(player.other())]
}

/// Returns the last slot that the opponent has declared, if it comes after a player's second or later list in the order
/// of slots. The dice of such a list would come after the game has moved on.
#[must_use]
pub fn late_for(ledger: &Ledger<'_>, player: Player, slot: &Slot) -> Option<Slot> {
    if slot.number < 2 || ledger.terms.is_of_course(slot) {
        return None;
    }
    let (key, _) = ledger.terms.slot(slot)?;
    let theirs = ledger.declarations().filter(|declared| declared.valid && declared.node.player != player);
    let keyed = theirs.filter_map(|own| Some((ledger.terms.slot(&own.declare.slot)?.0, &own.declare.slot)));
    keyed.max_by_key(|(key, _)| *key).filter(|(last, _)| *last > key).map(|(_, slot)| slot.clone())
}

/// Returns the turns that the courses have reached.
fn turns_rolled(ledger: &Ledger<'_>) -> impl Iterator<Item = u64> {
    let last = ledger.terms.courses().filter_map(|(phase, _)| course::reached(ledger, phase, Past::ALL).last);
    last.filter_map(|id| ledger.declaration(&id)).map(|last| last.declare.slot.turn)
}

/// Returns the turn that the game has reached.
#[must_use]
pub fn turn(ledger: &Ledger<'_>) -> u64 {
    let fought = Player::BOTH.iter().filter_map(|player| ledger.last_slot(*player)).map(|key| key.0);
    fought.chain(turns_rolled(ledger)).max().unwrap_or(1)
}

/// Returns the slots that both players have yet to declare in the turn that the game has reached, in the order of
/// slots.
#[must_use]
pub fn unplayed(ledger: &Ledger<'_>) -> Vec<Slot> {
    let keyed = |slot: Slot| Some((ledger.terms.slot(&slot)?.0, slot));
    let of = |player| {
        let coming = coming(ledger, player, |_| true).into_iter().filter(|slot| slot.number == 1);
        awaited_turns(ledger, player).chain(coming.filter_map(keyed))
    };
    let turn = turn(ledger);
    let slots: BTreeSet<_> = Player::BOTH.into_iter().flat_map(of).filter(|(_, slot)| slot.turn <= turn).collect();
    slots.into_iter().map(|(_, slot)| slot).collect()
}

/// Returns the slots in courses that a player may declare next: in each course, the awaited slot and the one after it.
/// A place in a hidden course has many declarations, so the next few in that place are included too.
pub(super) fn coming_turns(ledger: &Ledger<'_>, declarer: Player) -> BTreeSet<(SlotKey, Slot)> {
    let terms = ledger.terms;
    let mut coming = BTreeSet::new();
    for (phase, _) in terms.courses() {
        let reached = course::reached(ledger, phase, Past::ALL);
        let last = reached.last.and_then(|id| ledger.declaration(&id)).map(|last| &last.declare.slot);
        let first = match course::awaited(ledger, phase, &reached) {
            Some(Awaited::More(place, _)) => Some(place),
            _ => terms.next_place(phase, last),
        };
        let second = first.as_ref().and_then(|first| terms.next_place(phase, Some(first)));
        let many = last.filter(|_| phase.hidden().is_some());
        let places = first.iter().chain(&second).map(|place| (place, 1));
        for (place, ahead) in places.chain(many.map(|place| (place, AHEAD))) {
            let next = ledger.next_number(declarer, place);
            for number in next..next + ahead {
                let slot = Slot { number, ..place.clone() };
                let found = terms.slot(&slot).filter(|(_, phase)| phase.may_be_declared_by(declarer));
                let found = found.filter(|_| !declare::is_spoilt(ledger, declarer, &slot));
                coming.extend(found.map(|(key, _)| (key, slot)));
            }
        }
    }
    coming
}

/// Returns the slots in courses that are awaited from a player now.
pub(super) fn awaited_turns(ledger: &Ledger<'_>, player: Player) -> impl Iterator<Item = (SlotKey, Slot)> {
    coming_turns(ledger, player).into_iter().filter(move |(_, slot)| is_awaited(ledger, player, slot))
}

/// Whether a course awaits the declaration of a slot from a player, the slot is the first in its place that they have
/// not declared, and no other course comes first (declare 17).
#[must_use]
pub fn is_awaited(ledger: &Ledger<'_>, player: Player, slot: &Slot) -> bool {
    let Some(phase) = ledger.terms.phase_at(slot) else { return false };
    let awaited = course::awaited(ledger, phase, &course::reached(ledger, phase, Past::ALL));
    let mut others = ledger.terms.other_courses(phase);
    ledger.next_number(player, slot) == slot.number
        && awaited.is_some_and(|awaited| course::check_awaited(ledger, &awaited, player, slot).is_ok())
        && others.all(|other| course::check_front(ledger, Rule::Declare17, other, slot, Past::ALL).is_ok())
}

/// Returns the slots for which courses ask for orders; where a slot must be done again, that slot.
#[must_use]
pub fn slots_to_order(ledger: &Ledger<'_>) -> Vec<Slot> {
    next_slots(ledger, |course| course.takes_orders())
}

/// Returns the slots for which players may say beforehand what they would choose, in a standing note (courses 12); where
/// a slot must be done again, that slot.
#[must_use]
pub fn slots_for_standing_notes(ledger: &Ledger<'_>) -> Vec<Slot> {
    next_slots(ledger, |course| course.takes_standing_notes())
}

/// Returns the next slot of each course of some kind.
fn next_slots(ledger: &Ledger<'_>, is_wanted: impl Fn(&dyn Course) -> bool) -> Vec<Slot> {
    if correct::redos_due(ledger, Past::ALL).next().is_some() {
        return Vec::new();
    }
    let terms = ledger.terms;
    let slots = terms.courses().filter(|(_, course)| is_wanted(*course)).filter_map(|(phase, _)| {
        let (mut slot, by) = match course::awaited(ledger, phase, &course::reached(ledger, phase, Past::ALL))? {
            Awaited::Turn(place, by) | Awaited::More(place, by) => (place, by),
            Awaited::Decision(_) => return None,
        };
        let declarer = terms.phase_at(&slot)?.declarer.or_else(|| terms.player(&by?))?;
        let pending = redo::pending(ledger, declarer, Past::ALL).filter_map(|id| ledger.declaration(&id));
        let mut numbers = pending.map(|breach| &breach.declare.slot);
        let again = numbers.find(|other| terms.place(other) == terms.place(&slot)).map(|other| other.number);
        slot.number = again.unwrap_or_else(|| ledger.next_number(declarer, &slot));
        (!declare::is_spoilt(ledger, declarer, &slot)).then_some(slot)
    });
    slots.collect()
}

/// Returns the slots outside courses in this turn and the next that a player has not passed: the next number in each
/// phase and impulse. This turn is the player's own turn and, if the opponent is further on, also the opponent's.
pub(super) fn coming(ledger: &Ledger<'_>, declarer: Player, wanted: impl Fn(&Phase) -> bool) -> Vec<Slot> {
    let turn = turn(ledger);
    let last = ledger.last_slot(declarer);
    let own = last.map(|key| key.0).or(turns_rolled(ledger).max()).unwrap_or(1);
    let turns = BTreeSet::from([own, own + 1, turn, turn + 1]);
    let phases = ledger.terms.phases.iter();
    let phases = phases.filter(|phase| phase.declarer == Some(declarer) && phase.course().is_none() && wanted(phase));
    let mut slots: BTreeSet<(SlotKey, Slot)> = BTreeSet::new();
    for phase in phases {
        for (turn, impulse) in turns.iter().flat_map(|turn| phase.impulses.iter().map(move |i| (*turn, *i))) {
            let first = Slot { impulse, number: 1, phase: phase.name.clone(), turn };
            let slot = Slot { number: ledger.next_number(declarer, &first), ..first };
            let key = ledger.terms.slot(&slot).map(|(key, _)| key);
            slots.extend(key.filter(|key| Some(*key) > last).map(|key| (key, slot)));
        }
    }
    slots.into_iter().map(|(_, slot)| slot).collect()
}
