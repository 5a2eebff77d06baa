//! *decide 1 to 5* (`protocol/letters.md`; in courses `protocol/courses.md`): a player makes a choice in the open.

use super::{
    correct,
    course::{self, Awaited},
};
use crate::{
    blob::{body::Decide, json::Text},
    error::{Error, Result, bail, ensure},
    game::{
        ledger::Ledger,
        node::{Past, Played},
        records::Decided,
        terms::{By, Phase},
    },
    resolve::{Account, Object},
    rule::Rule,
};

/// Takes a decision: outside courses it uses up its name, even if it is in breach.
pub(super) fn take<'a>(
    ledger: &mut Ledger<'a>,
    node: Played<'a>,
    decide: &'a Decide,
    common: Result<()>,
) -> Result<()> {
    if let Some(phase) = ledger.terms.course_at(&decide.slot) {
        common?;
        let state = Text::of(&decided(ledger, node, decide, phase)?)?;
        ledger.courses.decide(phase.system.name(), Decided { node: node.node(), decide, state });
        return Ok(());
    }
    let checked = common.and_then(|()| check(ledger, node, decide));
    let key = (decide.slot.clone(), decide.name.clone());
    if checked.is_ok() {
        ledger.decisions.entry(key.clone()).or_default().push(node.node());
    }
    ledger.own.of_mut(node.player).decided.insert(key);
    checked
}

/// Checks an open decision outside courses (decide 1 to 3).
fn check(ledger: &Ledger<'_>, node: Played<'_>, decide: &Decide) -> Result<()> {
    let decision = ledger.terms.phase_at(&decide.slot).and_then(|phase| phase.decision(&decide.name));
    ensure!(
        decision.is_some_and(|decision| decision.by == By::Open(node.player)) && decide.after.is_none(),
        Rule::Decide1,
        "the charter does not list this open decision by the author for this slot, or after is not null"
    );
    let is_decided = ledger.own.of(node.player).decided.contains(&(decide.slot.clone(), decide.name.clone()));
    ensure!(!is_decided, Rule::Decide2, "the author has already made this decision");
    let declared = ledger.declared_slots.get(&decide.slot);
    let is_declared = declared.is_some_and(|declared| Past::of(&node).has_any(declared));
    ensure!(!is_declared, Rule::Decide3, "the choice comes too late: the slot was already declared");
    Ok(())
}

/// Checks decide 4 and 5, and returns the resulting state.
fn decided(ledger: &Ledger<'_>, node: Played<'_>, decide: &Decide, phase: &Phase) -> Result<Object> {
    let past = Past::of(&node);
    let reached = course::reached(ledger, phase, past);
    let choice = match course::awaited(ledger, phase, &reached) {
        None => bail!(Rule::Decide4, "the previous declaration is not settled yet: wait until its dice are open"),
        Some(Awaited::Decision(choice)) => choice,
        Some(Awaited::Turn(..) | Awaited::More(..)) => bail!(Rule::Decide4, "the course is not waiting for a decision"),
    };
    ensure!(choice.slot == decide.slot, Rule::Decide4, "{} is not the current slot", decide.slot);
    ensure!(
        choice.name == decide.name && choice.by == *ledger.terms.role(node.player),
        Rule::Decide4,
        "the course is waiting for {} to decide {}",
        choice.by,
        choice.name
    );
    let is_noted = choice.note.is_some();
    ensure!(!is_noted, Rule::Decide4, "the author's standing note is due and must be opened instead");
    ensure!(decide.after == reached.at, Rule::Decide4, "after must name the letter that the course has reached");
    if let Some(why) = correct::why_wait(ledger, node.player, phase, true, past) {
        bail!(Rule::Decide4, "{why}");
    }
    let Some((course, state)) = phase.course().zip(reached.state.as_ref()) else {
        bail!(Rule::Decide4, "the phase does not belong to a course");
    };
    let decided = course.decide(state, decide.name.as_str(), &decide.value, &mut Account::none());
    decided.map(|decided| decided.state).map_err(|error| Error::breach(Rule::Decide5, error.to_string()))
}
