//! *declare 11 to 13* and Breach (`protocol/letters.md`; in courses `protocol/courses.md` 7 to 9): declarations done
//! again, and those that must be done again first.

use super::{
    correct,
    course::{self, Awaited},
};
use crate::{
    blob::{
        body::{Declare, Hex32, Redo, SetKind},
        json::Text,
    },
    error::{Result, bail, ensure},
    game::{
        declaration::Declaration,
        ledger::Ledger,
        node::{Past, Played},
        opening::asked,
        terms::{Phase, Player},
    },
    resolve::{Object, Place, Rolls},
    rule::Rule,
};

/// Returns the breaches that a player must do again first (letters, Breach; courses 7, 9).
pub(crate) fn pending(ledger: &Ledger<'_>, player: Player, past: Past<'_>) -> impl Iterator<Item = Hex32> {
    ledger.own.of(player).pending.iter().copied().filter(move |id| {
        let Some(breach) = ledger.declaration(id) else { return false };
        let Some(phase) = ledger.terms.course_at(&breach.declare.slot) else { return true };
        let reached = course::reached(ledger, phase, past);
        if let Some(old) = ledger.replaced(breach.declare.redo) {
            return reached.last == Some(old.id());
        }
        let awaited = course::awaited(ledger, phase, &reached);
        let is_awaited =
            |awaited: &Awaited| course::check_awaited(ledger, awaited, player, &breach.declare.slot).is_ok();
        awaited.as_ref().is_some_and(is_awaited)
            && left_behind(ledger, breach, past).is_none()
            && !correct::is_redo_due(ledger, phase, past)
    })
}

/// Returns the declaration that a player must do again before declaring anything else, given all available letters.
#[must_use]
pub fn pending_breach(ledger: &Ledger<'_>, player: Player) -> Option<Hex32> {
    pending(ledger, player, Past::ALL).next()
}

/// Returns the declaration by which a course continued from a breach that was to be done again (courses 8).
pub(crate) fn left_behind(ledger: &Ledger<'_>, breach: &Declaration<'_>, past: Past<'_>) -> Option<Hex32> {
    let phase = ledger.terms.course_at(&breach.declare.slot).filter(|_| breach.again)?;
    if ledger.replaced(breach.declare.redo).is_some() {
        return None;
    }
    let declared = ledger.courses.declared(phase.system.name()).iter().filter_map(|id| ledger.declaration(id));
    let mut later = declared.filter(|later| later.node.has_in_past(&breach.node) && past.has(&later.node));
    later.find(|later| later.declare.after != breach.declare.after).map(Declaration::id)
}

/// Checks declare 11 to 13, except for the parts that need a plan.
pub(super) fn check(ledger: &Ledger<'_>, node: Played<'_>, declare: &Declare, phase: &Phase) -> Result<()> {
    match declare.redo {
        None => Ok(()),
        Some(Redo::Breach(id)) => check_redo_of_breach(ledger, node, declare, id),
        Some(Redo::Agreed(id)) => check_agreed_redo(ledger, node, declare, &id),
        Some(Redo::Opened(id)) => check_opened(ledger, node, declare, phase, id),
    }
}

/// Checks a redo of a breach: the breach is pending and in this slot, and moves and input do not change (declare 11).
fn check_redo_of_breach(ledger: &Ledger<'_>, node: Played<'_>, declare: &Declare, id: Hex32) -> Result<()> {
    let is_pending = pending(ledger, node.player, Past::of(&node)).any(|pending| pending == id);
    let old = ledger.declaration(&id).filter(|old| is_pending && old.declare.slot == declare.slot);
    let Some(old) = old else {
        bail!(
            Rule::Declare11,
            "redo must name the author's latest declaration for this slot that must be declared again"
        );
    };
    let keeps_moves = old.declare.moves == declare.moves || old.broke == Some(Rule::Declare3);
    ensure!(keeps_moves, Rule::Declare11, "a redo must keep the moves");
    let has_moved = ledger.terms.is_of_course(&declare.slot)
        && ledger.replaced(declare.redo).is_none()
        && old.declare.after != declare.after;
    let is_free = old.broke == Some(Rule::Declare15) || has_moved;
    let keeps_input = is_free || for_redo(ledger, old.declare).is_none_or(|input| input == declare.input);
    ensure!(keeps_input, Rule::Declare11, "a redo must keep the input");
    Ok(())
}

/// Returns the input of a declaration, adapted for a redo, if its system can read it.
fn for_redo(ledger: &Ledger<'_>, old: &Declare) -> Option<Text> {
    read(old, ledger.terms.phase_at(&old.slot)?).ok()?.for_redo().ok()
}

/// Returns the declaration that a redo does again, and the required input; `None` if the system cannot read the old
/// input.
#[must_use]
pub fn to_redo<'a>(ledger: &Ledger<'a>, redo: Redo) -> Option<(&'a Declare, Text)> {
    match redo {
        Redo::Breach(id) => {
            let old = ledger.declaration(&id)?.declare;
            Some((old, for_redo(ledger, old)?))
        }
        Redo::Agreed(acceptance) => {
            let proposal = ledger.proposals.agreed(&acceptance)?;
            Some((ledger.declaration(&proposal.declaration)?.declare, proposal.input.clone()?))
        }
        Redo::Opened(_) => None,
    }
}

/// Checks an agreed redo: it has the input of the proposal and the moves of the old declaration (declare 12).
fn check_agreed_redo(ledger: &Ledger<'_>, node: Played<'_>, declare: &Declare, acceptance: &Hex32) -> Result<()> {
    let Some(proposal) = ledger.proposals.agreed(acceptance) else {
        bail!(Rule::Declare12, "redo must name a valid acceptance");
    };
    let named = ledger.proposals.accepted.get(acceptance).unwrap_or(acceptance);
    let is_used = ledger.own.of(node.player).acceptances.contains_key(named);
    ensure!(!is_used, Rule::Declare12, "an earlier declaration already named an acceptance of this proposal");
    let is_void = ledger.any_void(&proposal.declaration, Past::of(&node));
    ensure!(!is_void, Rule::Declare12, "a roll in the declaration to redo is void");
    let Some(input) = &proposal.input else { bail!(Rule::Declare12, "the players agreed to keep the dice") };
    let old = ledger.declaration(&proposal.declaration);
    let old = old.filter(|old| old.node.player == node.player && old.declare.slot == declare.slot);
    let Some(old) = old.filter(|old| old.replaced_by.is_empty()) else {
        bail!(
            Rule::Declare12,
            "the declaration to redo must be by the author, for this slot, and not declared again yet"
        );
    };
    let is_agreed = *input == declare.input && old.declare.moves == declare.moves;
    ensure!(is_agreed, Rule::Declare12, "a redo must have the agreed input and the old moves");
    Ok(())
}

/// Checks a redo of `opened`: the named letter opened an envelope that this input selects (declare 13).
fn check_opened(ledger: &Ledger<'_>, node: Played<'_>, declare: &Declare, phase: &Phase, opener: Hex32) -> Result<()> {
    let past = Past::of(&node);
    let opened = || {
        let kind = Some(phase.set_kind()).filter(|kind| *kind != SetKind::Sheet)?;
        let mut sets = ledger.sets_for(node.player.other(), kind, &declare.slot.to_string());
        let set = sets.find(|set| !ledger.is_killed(&set.id(), past))?;
        let places = read(declare, phase).ok()?.plan(&Object::new()).ok()?.places;
        let mut openings = asked(kind, &places).into_iter().flat_map(|place| set.openings_of(place));
        openings.find(|opening| opening.node.id() == opener && past.has(opening.node)).map(drop)
    };
    ensure!(
        opened().is_some(),
        Rule::Declare13,
        "redo must name a letter that opened an envelope of this worksheet unasked"
    );
    Ok(())
}

/// Returns the letter that opened one of the envelopes at these places, if any: they can no longer be used (declare
/// 13).
#[must_use]
pub fn opened_by(ledger: &Ledger<'_>, seal: &Hex32, places: &[Place]) -> Option<Hex32> {
    let set = ledger.sets.get(seal).filter(|set| set.is_used_once())?;
    let mut openings = asked(set.seal.kind, places).into_iter().flat_map(|place| set.openings_of(place));
    openings.next().map(|opening| opening.node.id())
}

/// Parses the rolls of a declaration in a phase.
pub(super) fn read(declare: &Declare, phase: &Phase) -> Result<Box<dyn Rolls>> {
    phase.system.resolver().read(&declare.input, declare.redo.is_some())
}
