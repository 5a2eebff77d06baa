//! Sealed choices and simultaneous orders: missing decisions of a slot, and notes that are due (`protocol/secrets.md` 7
//! to 10).

use super::course;
use crate::{
    blob::body::{Hex32, SetKind, Slot},
    game::{
        ledger::Ledger,
        node::{Node, Past},
        opening::NOTE,
        set::Set,
        terms::{By, Decision, Phase, Player},
    },
};

/// Whether everything that a declaration needs for a decision is available (declare 7).
pub(super) fn is_ready(ledger: &Ledger<'_>, slot: &Slot, decision: &Decision, past: Past<'_>) -> bool {
    let note = |player| {
        let mut notes = ledger.notes_for(player, slot, &decision.name);
        notes.find(|set| past.has(&set.node) && !ledger.is_killed(&set.id(), past))
    };
    match decision.by {
        By::Open(_) => is_decided(ledger, slot, decision, past),
        By::Sealed(player) => note(player).is_some(),
        By::Both => Player::BOTH.into_iter().all(|player| note(player).is_some_and(|set| set.is_opened(NOTE, past))),
    }
}

/// Whether an open decision for a slot is signed.
fn is_decided(ledger: &Ledger<'_>, slot: &Slot, decision: &Decision, past: Past<'_>) -> bool {
    let decided = ledger.decisions.get(&(slot.clone(), decision.name.clone()));
    decided.is_some_and(|decided| past.has_any(decided))
}

/// Returns the first missing decision of a slot, given all available letters.
#[must_use]
pub fn undecided<'p>(ledger: &Ledger<'_>, slot: &Slot, phase: &'p Phase) -> Option<&'p Decision> {
    phase.decisions.iter().find(|decision| !is_ready(ledger, slot, decision, Past::ALL))
}

/// Whether a player has done their part of a decision, given all available letters; the opening of simultaneous orders
/// is separate.
#[must_use]
pub fn has_decided(ledger: &Ledger<'_>, player: Player, slot: &Slot, decision: &Decision) -> bool {
    match decision.by {
        By::Open(_) => is_decided(ledger, slot, decision, Past::ALL),
        By::Sealed(_) | By::Both => choice(ledger, player, slot, decision).is_some(),
    }
}

/// Returns a player's valid note for a choice, given all available letters.
fn choice(ledger: &Ledger<'_>, player: Player, slot: &Slot, decision: &Decision) -> Option<Hex32> {
    let mut notes = ledger.notes_for(player, slot, &decision.name).map(Set::id);
    notes.find(|seal| !ledger.is_killed(seal, Past::ALL))
}

/// Whether a declaration found a note for a sealed choice of its slot: the note is in its past, and not killed there. A
/// note that is killed later still counts (secrets 8).
pub(super) fn is_found(ledger: &Ledger<'_>, note: &Set<'_>, declared: &Node) -> bool {
    declared.has_in_past(&note.node) && !ledger.is_killed(&note.id(), Past::of(declared))
}

/// Returns a player's notes that are due, given all available letters, each with its declaration: choices for declared
/// slots, standing notes, and orders that both players have sealed (secrets 8, 9, courses 13).
#[must_use]
pub fn due_notes<'l, 'a>(ledger: &'l Ledger<'a>, player: Player) -> Vec<(Option<Hex32>, &'l Set<'a>)> {
    let unread = || ledger.own.of(player).unread.iter().filter_map(|seal| ledger.sets.get(seal));
    let mut due = Vec::new();
    for set in unread() {
        let Some((slot, decision)) = ledger.decision_of(set) else { continue };
        if decision.by == By::Sealed(player) && set.valid {
            let declared = ledger.declared_slots.get(&slot).into_iter().flatten();
            let found = declared.filter(|declared| is_found(ledger, set, declared));
            due.extend(found.map(|declared| (Some(declared.id()), set)));
        }
    }
    let standing = course::choices(ledger, Past::ALL).into_iter();
    let standing = standing.filter_map(|choice| Some((Some(choice.on), ledger.sets.get(&choice.note?)?)));
    due.extend(standing.filter(|(_, set)| set.node.player == player));
    for set in unread().filter(|set| is_at_once(ledger, set)) {
        if ledger.sealed(player.other(), SetKind::Note, &set.seal.purpose).is_some() {
            due.push((None, set));
        }
    }
    due
}

/// Whether a player's valid note is due and not opened (claim 6).
pub(super) fn is_due(ledger: &Ledger<'_>, note: &Set<'_>, past: Past<'_>) -> bool {
    let other = note.node.player.other();
    if !note.valid || note.is_opened(NOTE, past) {
        return false;
    }
    match ledger.decision_of(note) {
        None => course::is_standing_due(ledger, &note.id(), past),
        Some((_, Decision { by: By::Open(_), .. })) => false,
        Some((slot, Decision { by: By::Sealed(player), .. })) => {
            let mut declared = ledger.declared_slots.get(&slot).into_iter().flatten();
            let is_found = |declared: &&Node| past.has(declared) && is_found(ledger, note, declared);
            *player == note.node.player && declared.any(is_found)
        }
        Some((slot, Decision { by: By::Both, name })) => {
            ledger.notes_for(other, &slot, name).any(|own| past.has(&own.node))
        }
    }
}

/// Whether a note contains simultaneous orders (secrets 9, 10).
pub(super) fn is_at_once(ledger: &Ledger<'_>, set: &Set<'_>) -> bool {
    ledger.decision_of(set).is_some_and(|(_, decision)| decision.by == By::Both)
}
