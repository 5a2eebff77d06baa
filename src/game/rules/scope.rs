//! The rolls that may be void (`protocol/disputes.md` 1 to 5, `protocol/courses.md` 11).

use super::course;
use crate::{
    blob::{body::Hex32, disputes::Scope},
    error::{Result, bail, ensure},
    game::{
        declaration::Declaration,
        ledger::Ledger,
        node::{Node, Past},
    },
    rule::Rule,
};

/// Checks that rolls may be voided, given the letters in a past (disputes 2).
pub(super) fn check(ledger: &Ledger<'_>, rule: Rule, scope: &Scope, past: Past<'_>) -> Result<()> {
    ensure!(!ledger.terms.charter.hard_core, rule, "a hard-core game does not allow voids: what is signed stays");
    for id in scope.declarations() {
        let Some(own) = ledger.declaration(id).filter(|own| own.valid) else {
            bail!(rule, "one of the declarations is not valid");
        };
        let within = |later: &Declaration<'_>| scope.declarations().contains(&later.id());
        if let Some(why) = why_not(ledger, own, past, within) {
            bail!(rule, "{why}");
        }
        if let Scope::Rolls(rolls) = scope {
            let is_beyond = rolls.lines.last().is_some_and(|line| *line > own.count());
            ensure!(!is_beyond, rule, "the declaration does not have this roll");
        }
    }
    let is_fresh = |id: &Hex32| {
        let count = ledger.declaration(id).map_or(0, Declaration::count);
        (1..=count).any(|line| scope.has(line) && !ledger.is_void(id, line, past))
    };
    ensure!(scope.declarations().iter().any(is_fresh), rule, "all of these rolls are already void");
    if let Scope::Impulse(impulse) = scope {
        let all = of_impulse(ledger, (impulse.turn, impulse.impulse), past);
        ensure!(all == impulse.declarations, rule, "the list must include every declaration in the impulse");
    }
    Ok(())
}

/// Records that an agreement or a ruling voids rolls (disputes 5).
pub(super) fn void<'a>(ledger: &mut Ledger<'a>, by: &'a Node, scope: &'a Scope) {
    for declaration in scope.declarations() {
        ledger.claims.voids.entry(*declaration).or_default().push((by, scope));
    }
    ledger.courses.disturbing.push(by);
}

/// Returns the ids, ascending, of all declarations in an impulse that a void can concern.
fn of_impulse(ledger: &Ledger<'_>, impulse: (u64, u64), past: Past<'_>) -> Vec<Hex32> {
    let within = |later: &Declaration<'_>| (later.declare.slot.turn, later.declare.slot.impulse) == impulse;
    let declared = ledger.declared_in.get(&impulse).into_iter().flatten();
    let declared = declared.filter_map(|id| ledger.declaration(id));
    let mut ids: Vec<Hex32> =
        declared.filter(|own| why_not(ledger, own, past, within).is_none()).map(Declaration::id).collect();
    ids.sort_unstable();
    ids
}

/// Returns the reason why no roll of a declaration can be void. The declaration must be known and not done again, and
/// only rolls that are voided with it may rest on it.
fn why_not(
    ledger: &Ledger<'_>,
    own: &Declaration<'_>,
    past: Past<'_>,
    within: impl Fn(&Declaration<'_>) -> bool,
) -> Option<&'static str> {
    if !(own.valid && past.has(&own.node)) || own.count() == 0 {
        return Some("one of the declarations does not have any rolls or is not known yet");
    }
    if own.is_replaced(past) {
        return Some("one of the declarations was already declared again, so its old dice do not count");
    }
    let is_named = own.named_by.and_then(|id| ledger.nodes.get(&id)).is_some_and(|by| past.has(by));
    if !(is_named || course::is_told(ledger, own, past)) {
        return Some("wait for the reveal: a declaration can be voided once all its dice are open");
    }
    let stays = !is_cut_off(ledger, own, past, within);
    stays.then_some("a later declaration in a course must be voided first, or together with this one")
}

/// Whether a declaration is outside courses, or was taken and the scope includes every later declaration that its
/// course took, as well as those of other courses after its slot (courses 11).
fn is_cut_off(
    ledger: &Ledger<'_>,
    own: &Declaration<'_>,
    past: Past<'_>,
    within: impl Fn(&Declaration<'_>) -> bool,
) -> bool {
    let terms = ledger.terms;
    let Some(phase) = terms.course_at(&own.declare.slot) else { return true };
    let mut kept = course::taken(ledger, phase, past).skip_while(|later| later.id() != own.id() && within(later));
    let mut elsewhere = terms.other_courses(phase).flat_map(|other| course::taken(ledger, other, past));
    let place = terms.place(&own.declare.slot);
    kept.next().is_some_and(|found| found.id() == own.id())
        && elsewhere.all(|other| within(other) || terms.place(&other.declare.slot) < place)
}
