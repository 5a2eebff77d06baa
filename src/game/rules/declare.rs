//! *declare 1 to 21* (`protocol/letters.md`; in courses `protocol/courses.md`): a player declares rolls.

use std::sync::Arc;

use super::{correct, course, redo, secrets};
use crate::{
    blob::body::{Contribution, Declare, Hex32, Lines, Pair, Redo, SealedContribution, Select, SetKind, Slot},
    error::{Error, Result, bail, ensure},
    game::{
        declaration::{Declaration, Plan, Planned},
        ledger::Ledger,
        node::{Past, Played},
        opening::asked,
        purpose::{SHEET, STANDING},
        records::in_place,
        set::Set,
        terms::{By, Phase, Player},
    },
    limits::{COLUMNS, ROWS},
    resolve::{Account, Object, Place, icrk},
    rule::Rule,
};

/// Takes a declaration: it uses up everything it names, even if it is in breach.
pub(super) fn take<'a>(
    ledger: &mut Ledger<'a>,
    node: Played<'a>,
    declare: &'a Declare,
    common: Result<()>,
) -> Result<()> {
    let judged = common.and_then(|()| check(ledger, node, declare));
    spend(ledger, node, declare);
    let (plan, checked) = match judged {
        Ok(plan) => (plan, Ok(())),
        Err(error) => (Plan::default(), Err(error)),
    };
    let valid = checked.is_ok();
    let broke = checked.as_ref().err().and_then(Error::rule);
    let is_excused = checked.as_ref().is_err_and(|error| node.excuses(error));
    let again = broke.is_some_and(Rule::can_be_done_again) && !is_excused;
    let own = ledger.own.of_mut(node.player);
    if valid || again {
        own.pending.retain(|pending| !matches!(declare.redo, Some(Redo::Breach(id)) if id == *pending));
    }
    if again {
        own.pending.push(node.id());
    } else if !valid {
        own.beyond_repair.insert(in_place(&declare.slot));
    }
    let declaration = Declaration {
        node,
        declare,
        valid,
        broke,
        again,
        plan,
        replaced_by: Vec::new(),
        forfeits: Vec::new(),
        named_by: None,
        answered: false,
        outcome: None,
        violations: Vec::new(),
        trail: Vec::new(),
    };
    let contribution = declaration.sealed_contribution().map(|contribution| contribution.seal);
    ledger.declarations.insert(node.id(), Box::new(declaration));
    ledger.declared.push(node.id());
    ledger.declared_in.entry((declare.slot.turn, declare.slot.impulse)).or_default().push(node.id());
    if let Some(seal) = declare.seal {
        ledger.declared_on.entry(seal).or_default().push(node.id());
    }
    if valid {
        stand(ledger, node, declare);
        for seal in declare.seal.into_iter().chain(contribution) {
            if let Some(set) = ledger.sets.get_mut(&seal) {
                set.waiting.push(node.id());
            }
        }
        resolve(ledger, node.id());
    }
    checked
}

/// Records everything that a declaration uses up (letters, Spending).
fn spend<'a>(ledger: &mut Ledger<'a>, node: Played<'a>, declare: &'a Declare) {
    let role = ledger.terms.role(node.player);
    let set = ledger.set_of(declare).filter(|set| set.seal.declarer == *role);
    let set = set.map(|set| (set.id(), set.seal.kind, set.seal.n));
    let is_contribution = match declare.contribution {
        Some(Contribution::Sealed(sealed)) => ledger.sets.get(&sealed.seal).is_some_and(|contribution| {
            contribution.seal.kind == SetKind::Contribution && contribution.seal.declarer == *role
        }),
        _ => false,
    };
    let own = ledger.own.of_mut(node.player);
    own.binding.push(node.node());
    own.slots.insert(declare.slot.clone());
    own.numbers.entry(in_place(&declare.slot)).or_default().take(declare.slot.number);
    if let Some(Redo::Agreed(acceptance)) = declare.redo {
        let proposal = ledger.proposals.accepted.get(&acceptance).copied();
        own.acceptances.entry(proposal.unwrap_or(acceptance)).or_insert(node.node());
    }
    match declare.contribution {
        Some(Contribution::Open(contribution)) => drop(own.contributions.insert(contribution)),
        Some(Contribution::Sealed(SealedContribution { index, seal })) if is_contribution => {
            own.named_indices.entry(seal).or_default().insert(index);
        }
        Some(Contribution::Sealed(_)) | None => {}
    }
    match (set, &declare.select) {
        (Some((id, SetKind::Coin | SetKind::Plain, _)), _) => {
            own.named_sets.insert(id);
        }
        (Some((id, SetKind::FoulUp, n)), Some(Select::FoulUp(select))) if select.index < n => {
            own.named_indices.entry(id).or_default().insert(select.index);
        }
        (Some((id, SetKind::Sheet, _)), Some(Select::Cells(cells))) => {
            let is_cell = |Pair(column, row): &&Pair| *column < COLUMNS as u64 && (1..=ROWS as u64).contains(row);
            let named = own.named_cells.entry(id).or_default();
            for Pair(column, row) in cells.iter().filter(is_cell) {
                let depth = named.entry(*column).or_insert(0);
                *depth = (*depth).max(*row);
            }
        }
        _ => {}
    }
}

/// Enters a valid declaration in its slot and its course, in place of the declaration that it does again.
fn stand<'a>(ledger: &mut Ledger<'a>, node: Played<'a>, declare: &'a Declare) {
    ledger.unanswered.push(node.id());
    if ledger.terms.time_witness().is_some() {
        ledger.untold.undated.push(node.node());
    }
    ledger.declared_slots.entry(declare.slot.clone()).or_default().push(node.node());
    let is_redo = matches!(declare.redo, Some(Redo::Breach(_) | Redo::Agreed(_)));
    let replaced = ledger.replaced(declare.redo).map(Declaration::id);
    if let Some(old) = replaced.and_then(|old| ledger.declarations.get_mut(&old)) {
        old.replaced_by.push(node.node());
        ledger.courses.disturbing.push(node.node());
    }
    match ledger.terms.slot(&declare.slot) {
        Some((_, phase)) if phase.course().is_some() => {
            ledger.courses.declare(phase.system.name(), node.id(), declare.after);
        }
        Some((key, _)) if !is_redo => {
            let own = ledger.own.of_mut(node.player);
            own.last_slot = own.last_slot.max(Some(key));
        }
        _ => {}
    }
}

/// Resolves declarations for which the new keys of a set complete the selection.
pub(crate) fn resolve_waiting(ledger: &mut Ledger<'_>, seal: Hex32) {
    let Some(set) = ledger.sets.get_mut(&seal) else { return };
    for id in std::mem::take(&mut set.waiting) {
        resolve(ledger, id);
        let waits = ledger.declaration(&id).is_some_and(|declaration| declaration.outcome.is_none());
        if let (true, Some(set)) = (waits, ledger.sets.get_mut(&seal)) {
            set.waiting.push(id);
        }
    }
}

/// Resolves a valid declaration once everything that it asks for is opened.
fn resolve(ledger: &mut Ledger<'_>, id: Hex32) {
    let Some(own) = ledger.declaration(&id).filter(|own| ledger.is_answered(own, Past::ALL)) else { return };
    let may = own.forfeits.is_empty();
    let resolved = may.then(|| course::dice_of(ledger, own, &mut Account::none())).flatten();
    if let Some((outcome, _)) = resolved.as_ref().filter(|_| ledger.terms.is_of_course(&own.declare.slot)) {
        ledger.courses.keep(id, Arc::new(outcome.state.clone()));
    }
    ledger.unanswered.retain(|open| *open != id);
    if let Some(own) = ledger.declarations.get_mut(&id) {
        own.answered = true;
        if let Some(resolved) = resolved {
            own.come_to(resolved, ledger.is_lean);
        }
    }
}

/// Judges a declaration, and returns its planned rolls.
fn check(ledger: &Ledger<'_>, node: Played<'_>, declare: &Declare) -> Result<Plan> {
    let (past, slot) = (Past::of(&node), &declare.slot);
    let phase = check_slot(ledger, node, declare)?;
    redo::check(ledger, node, declare, phase)?;
    let (before, state) = check_place(ledger, node, declare, phase)?;
    check_moves(ledger, node, declare, phase)?;

    let rolls = redo::read(declare, phase).map_err(|error| Error::breach(Rule::Declare4, error.to_string()))?;
    let is_canonical = rolls.canonical()? == declare.input;
    ensure!(is_canonical, Rule::Declare4, "the input is not in canonical form: sort and normalise it");
    let in_course = phase.course().is_some();
    if rolls.count() == 0 {
        ensure!(!in_course, Rule::Declare4, "every declaration in a course must have rolls");
        let selects = declare.seal.is_some() || declare.contribution.is_some() || declare.select.is_some();
        ensure!(!selects, Rule::Declare5, "without rolls, seal, contribution and select must be null");
        let rolls = Some(Planned::of(rolls.as_ref(), &Object::new(), Vec::new())?);
        return Ok(Plan { rolls, ..Plan::default() });
    }
    let (Some(seal), Some(contribution), Some(select)) = (declare.seal, &declare.contribution, &declare.select) else {
        bail!(Rule::Declare5, "a declaration with rolls must have seal, contribution and select");
    };

    let set = check_set(ledger, node, declare, phase, seal)?;
    let undecided = phase.decisions.iter().find(|decision| !secrets::is_ready(ledger, slot, decision, past));
    if let Some(decision) = undecided {
        bail!(Rule::Declare7, "the choice {} must be made before this declaration", decision.name);
    }
    check_contribution(ledger, node, phase, contribution)?;
    let state = match set.seal.kind {
        SetKind::Sheet if !in_course => icrk::state_of(&ledger.spent(&seal, node.player, past)),
        _ => state,
    };
    let (places, expected) = match declare.redo {
        Some(_) => next_foul_up(ledger, node.player, set, rolls.count(), past)?,
        None => {
            let plan = rolls.plan(&state).map_err(|error| Error::breach(Rule::Declare9, error.to_string()))?;
            (plan.places, plan.select)
        }
    };
    let is_expected = expected.as_ref() == Some(select);
    ensure!(is_expected, Rule::Declare9, "{}", describe(expected.as_ref(), select));
    let asked = asked(set.seal.kind, &places);
    if set.is_used_once() {
        let is_named = ledger.own.of(node.player).named_sets.contains(&seal);
        ensure!(!is_named, Rule::Declare10, "an earlier declaration already named the set");
        let is_opened = asked.iter().any(|place| set.is_opened(*place, past));
        ensure!(!is_opened, Rule::Declare10, "an envelope that it selects was already open");
    }
    rolls.fits(&state).map_err(|error| Error::breach(Rule::Declare15, error.to_string()))?;

    let (standing, orders) = match in_course {
        true => (standing_notes(ledger, slot, phase, past), orders(ledger, slot, phase, past)),
        false => (Vec::new(), Vec::new()),
    };
    let rolls = Some(Planned::of(rolls.as_ref(), &state, places)?);
    Ok(Plan { rolls, asked, before, standing, orders })
}

/// Checks declare 1, 2 and 19 to 21.
fn check_slot<'a>(ledger: &Ledger<'a>, node: Played<'_>, declare: &Declare) -> Result<&'a Phase> {
    let (slot, player, past) = (&declare.slot, node.player, Past::of(&node));
    let own = ledger.own.of(player);
    let Some((key, phase)) = ledger.terms.slot(slot).filter(|(_, phase)| phase.may_be_declared_by(player)) else {
        bail!(Rule::Declare1, "{slot} is not a slot that the author can declare");
    };
    if matches!(declare.redo, Some(Redo::Breach(_))) {
        return Ok(phase);
    }
    let is_pending = redo::pending(ledger, player, past).next().is_some();
    ensure!(
        !is_pending,
        Rule::Declare2,
        "an earlier declaration by the author broke a rule and must be declared again first"
    );
    if matches!(declare.redo, Some(Redo::Agreed(_))) {
        return Ok(phase);
    }
    let owes_redo = correct::redos_due(ledger, past).any(|due| due.player == player);
    ensure!(!owes_redo, Rule::Declare2, "the agreed redo must come first");
    let waits = correct::open_changes(ledger, player, past).any(|change| change.again);
    ensure!(
        !waits,
        Rule::Declare19,
        "the author's proposal to redo a declaration has not been answered: wait for the answer"
    );
    ensure!(!own.slots.contains(slot), Rule::Declare20, "{slot} was already declared");
    let next = ledger.next_number(player, slot);
    ensure!(slot.number == next, Rule::Declare20, "the next slot number must be {next}, not {}", slot.number);
    ensure!(
        !is_spoilt(ledger, player, slot),
        Rule::Declare20,
        "the author's broken declaration here cannot be repaired: the other player's orders may already be known"
    );
    let is_ahead = phase.course().is_some() || own.last_slot.is_none_or(|last| key > last);
    ensure!(is_ahead, Rule::Declare21, "{slot} comes too late: the author has already declared a later slot");
    Ok(phase)
}

/// Whether a player may not declare any more in the place of a slot, because both players give simultaneous orders
/// there and this player has a declaration beyond repair there (declare 20).
pub(crate) fn is_spoilt(ledger: &Ledger<'_>, player: Player, slot: &Slot) -> bool {
    ledger.terms.phase_at(slot).is_some_and(Phase::is_ordered)
        && ledger.own.of(player).beyond_repair.contains(&in_place(slot))
}

/// Checks declare 14 and 16 to 18. In a course, returns the declaration taken before, and the state.
fn check_place(
    ledger: &Ledger<'_>,
    node: Played<'_>,
    declare: &Declare,
    phase: &Phase,
) -> Result<(Option<Hex32>, Object)> {
    let past = Past::of(&node);
    if phase.course().is_none() {
        ensure!(declare.after.is_none(), Rule::Declare14, "after must be null outside courses");
        if matches!(declare.redo, None | Some(Redo::Opened(_))) {
            check_between(ledger, node.player, &declare.slot, past)?;
        }
        return Ok((None, Object::new()));
    }
    let reached = course::reached(ledger, phase, past);
    let replaced = ledger.replaced(declare.redo);
    ensure!(
        replaced.is_none_or(|old| reached.last == Some(old.id())),
        Rule::Declare14,
        "the course has already moved on from the declaration that this one replaces"
    );
    let after = replaced.map_or(reached.at, |old| old.declare.after);
    ensure!(declare.after == after, Rule::Declare14, "after must name the letter that the course has reached");
    if replaced.is_none() {
        let Some(awaited) = course::awaited(ledger, phase, &reached) else {
            bail!(Rule::Declare14, "the previous declaration is not settled yet: wait until its dice are open");
        };
        course::check_awaited(ledger, &awaited, node.player, &declare.slot)?;
    }
    if let Some(why) = correct::why_wait(ledger, node.player, phase, replaced.is_none(), past) {
        bail!(Rule::Declare16, "{why}");
    }
    if replaced.is_none() {
        for other in ledger.terms.other_courses(phase) {
            course::check_front(ledger, Rule::Declare17, other, &declare.slot, past)?;
        }
    }
    let (before, state) = match replaced {
        Some(old) => (old.plan.before, old.state()),
        None => (reached.last, reached.state),
    };
    let Some(state) = state else { bail!(Rule::Declare14, "the course's state is not known yet") };
    Ok((before, state))
}

/// Checks declare 18: a slot outside courses comes before the front of each course, and after every declaration by its
/// author that a course has taken.
pub(crate) fn check_between(ledger: &Ledger<'_>, player: Player, slot: &Slot, past: Past<'_>) -> Result<()> {
    let terms = ledger.terms;
    for (phase, _) in terms.courses() {
        course::check_front(ledger, Rule::Declare18, phase, slot, past)?;
        let own = course::taken(ledger, phase, past).find(|own| own.node.player == player);
        if let Some(own) = own.filter(|own| terms.place(slot) <= terms.place(&own.declare.slot)) {
            bail!(Rule::Declare18, "{slot} comes before {}, which has already been rolled", own.declare.slot);
        }
    }
    Ok(())
}

/// Checks the note of the moves: the author sealed it for this slot; in a hidden course it is the sheet (declare 3).
fn check_moves(ledger: &Ledger<'_>, node: Played<'_>, declare: &Declare, phase: &Phase) -> Result<()> {
    let sealed = declare.moves.note();
    let set = sealed.and_then(|seal| ledger.sets.get(&seal));
    if let Some(seal) = sealed {
        let is_own = |set: &&Set<'_>| set.is_good(SetKind::Note) && set.node.player == node.player;
        // A redo keeps the moves of its declaration, unless these broke declare 3.
        let stays = match declare.redo {
            Some(Redo::Agreed(_)) => true,
            Some(Redo::Breach(id)) => ledger.declaration(&id).is_some_and(|old| old.broke != Some(Rule::Declare3)),
            Some(Redo::Opened(_)) | None => false,
        };
        let set = set.filter(is_own).filter(|_| stays || !ledger.is_killed(&seal, Past::of(&node)));
        ensure!(
            set.and_then(|set| ledger.note_slot(set)).as_ref() == Some(&declare.slot),
            Rule::Declare3,
            "the moves must be in a note that the author sealed for this slot"
        );
    }
    let is_sheet = || set.is_some_and(|set| set.purpose().is_some_and(|is| is.note(SHEET) == Some(&declare.slot)));
    ensure!(
        phase.hidden().is_none() || is_sheet(),
        Rule::Declare3,
        "in a hidden course the moves must be the slot's sheet (hidden 2)"
    );
    Ok(())
}

/// Checks the set that provides the dice, and returns it: valid, for the author and the slot, not killed (declare 6).
fn check_set<'l, 'a>(
    ledger: &'l Ledger<'a>,
    node: Played<'_>,
    declare: &Declare,
    phase: &Phase,
    seal: Hex32,
) -> Result<&'l Set<'a>> {
    let role = ledger.terms.role(node.player);
    let Some(set) = ledger.sets.get(&seal).filter(|set| set.valid && set.seal.declarer == *role) else {
        bail!(Rule::Declare6, "the set must be valid and sealed for the author");
    };
    let is_killed = ledger.is_killed(&seal, Past::of(&node));
    ensure!(!is_killed, Rule::Declare6, "the referee has killed the set: use another");
    let wanted = declare.redo.map_or(phase.set_kind(), |_| SetKind::FoulUp);
    ensure!(set.seal.kind == wanted, Rule::Declare6, "this declaration needs dice from another kind of set");
    let is_of_slot = !set.is_used_once() || set.seal.purpose == declare.slot.to_string();
    ensure!(is_of_slot, Rule::Declare6, "the set was sealed for another slot");
    Ok(set)
}

/// Checks that a contribution is open or sealed as the phase requires, and not used already (declare 8).
fn check_contribution(ledger: &Ledger<'_>, node: Played<'_>, phase: &Phase, contribution: &Contribution) -> Result<()> {
    let past = Past::of(&node);
    match contribution {
        Contribution::Open(open) => {
            ensure!(!phase.private, Rule::Declare8, "in a private phase the contribution must be sealed");
            let is_used = ledger.own.of(node.player).contributions.contains(open);
            ensure!(!is_used, Rule::Declare8, "the contribution was already used");
        }
        Contribution::Sealed(SealedContribution { index, seal }) => {
            ensure!(phase.private, Rule::Declare8, "the contribution must be open, because the phase is not private");
            let set = ledger.sets.get(seal).filter(|set| set.is_good(SetKind::Contribution));
            let set = set.filter(|set| set.node.player == node.player && !ledger.is_killed(seal, past));
            let Some(set) = set else {
                bail!(Rule::Declare8, "the contribution must come from a contribution set sealed by the author")
            };
            ensure!(
                ledger.free(set, node.player, past).next() == Some(*index),
                Rule::Declare8,
                "the contribution must be the next envelope in the author's contribution set"
            );
        }
    }
    Ok(())
}

/// Returns the lines of the lowest free envelope of a foul-up set (declare 9).
///
/// # Errors
/// A breach of declare 9 if no envelope is left.
pub(crate) fn next_foul_up(
    ledger: &Ledger<'_>,
    player: Player,
    set: &Set<'_>,
    lines: u64,
    past: Past<'_>,
) -> Result<(Vec<Place>, Option<Select>)> {
    let Some(index) = ledger.free(set, player, past).next() else {
        bail!(Rule::Declare9, "the foul-up set does not have any envelopes left");
    };
    let places = (1..=lines).map(|line| Place { index, line }).collect();
    Ok((places, Some(Select::FoulUp(Lines { index, lines }))))
}

/// Describes how a selection differs from the one that the rules compute.
fn describe(expected: Option<&Select>, select: &Select) -> String {
    match (expected, select) {
        (Some(Select::Worksheet(expected)), Select::Worksheet(select)) if expected.total != select.total => {
            format!("the total must be {}, not {}", expected.total, select.total)
        }
        (Some(Select::Worksheet(expected)), Select::Worksheet(select)) if expected.index != select.index => {
            format!("the index must be {}, not {}", expected.index, select.index)
        }
        (Some(Select::Worksheet(_)), Select::Worksheet(_)) => "an attack must take another row".into(),
        (Some(Select::FoulUp(expected)), Select::FoulUp(_)) => {
            format!("select must name foul-up envelope {}, with lines {}", expected.index, expected.lines)
        }
        _ => "select differs from the selection that the rules require".into(),
    }
}

/// Returns the standing notes that a declaration of a slot finds (courses 12).
fn standing_notes(ledger: &Ledger<'_>, slot: &Slot, phase: &Phase, past: Past<'_>) -> Vec<Hex32> {
    if !phase.finds_notes() {
        return Vec::new();
    }
    let purpose = format!("{slot}/{STANDING}");
    let notes = Player::BOTH.into_iter().flat_map(|player| ledger.sets_for(player, SetKind::Note, &purpose));
    notes.filter(|note| past.has(&note.node) && !ledger.is_killed(&note.id(), past)).map(Set::id).collect()
}

/// Returns the orders for a valid declaration: the notes of both players in its past (courses 18).
fn orders(ledger: &Ledger<'_>, slot: &Slot, phase: &Phase, past: Past<'_>) -> Vec<Hex32> {
    let ordered = phase.decisions.iter().filter(|decision| decision.by == By::Both);
    let notes = ordered.flat_map(|decision| {
        let note = |player| ledger.notes_for(player, slot, &decision.name).find(|set| past.has(&set.node));
        Player::BOTH.into_iter().filter_map(note)
    });
    notes.map(Set::id).collect()
}
