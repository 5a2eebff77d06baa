//! *correct 1 to 7* (`protocol/letters.md`): changes that both players must sign because software cannot judge them.
//! Foul-ups and voids are proposed, then accepted or refused.

use super::{course, scope};
use crate::{
    blob::body::{Correct, Hex32, Proposal, Remedy, Slot},
    error::{Error, Result, bail, ensure},
    game::{
        declaration::Declaration,
        ledger::Ledger,
        node::{Node, Past, Played},
        records::Proposed,
        terms::{Phase, Player},
    },
    rule::Rule,
};

/// The role that answers a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answerer {
    /// The player who was asked.
    Player(Player),
    /// The referee in that player's place.
    Referee,
}

/// Takes a proposal or an answer that follows the common rules.
pub(super) fn take<'a>(ledger: &mut Ledger<'a>, node: Played<'a>, correct: &'a Correct) -> Result<()> {
    let proposed = match correct {
        Correct::Propose(proposal) => {
            check_proposal(ledger, node, proposal)?;
            Proposed::FoulUp(proposal)
        }
        Correct::Void(voiding) => Proposed::Void(voiding),
        Correct::Accept(id) => {
            check_answer(ledger, Rule::Correct4, &node, id, Answerer::Player(node.player))?;
            check_still_fits(ledger, Answerer::Player(node.player), &node, id)?;
            agree(ledger, node.node(), *id);
            return Ok(());
        }
        Correct::Refuse(id) => {
            return check_answer(ledger, Rule::Correct4, &node, id, Answerer::Player(node.player));
        }
    };
    check_alone(ledger, node, proposed)?;
    if let Proposed::Void(voiding) = proposed {
        scope::check(ledger, Rule::Correct5, &voiding.scope, Past::of(&node))?;
    }
    let proposals = &mut ledger.proposals;
    proposals.valid.insert(node.id(), (node, proposed));
    match proposed {
        Proposed::FoulUp(proposal) if proposal.input.is_none() => {}
        Proposed::FoulUp(_) => proposals.again.of_mut(node.player).push(node.id()),
        Proposed::Void(_) => proposals.voiding.of_mut(node.player).push(node.id()),
    }
    for declaration in proposed.declarations() {
        proposals.on.entry(*declaration).or_default().push(node.id());
    }
    Ok(())
}

/// Records the acceptance of a proposal by the player who was asked or by a ruling.
pub(super) fn agree<'a>(ledger: &mut Ledger<'a>, node: &'a Node, proposal: Hex32) {
    let proposals = &mut ledger.proposals;
    proposals.accepted.insert(node.id(), proposal);
    if node.author.player().is_none() {
        proposals.ruled.insert(proposal, node);
    }
    match proposals.valid.get(&proposal).map(|(_, proposed)| *proposed) {
        Some(Proposed::FoulUp(foul_up)) if foul_up.input.is_some() => proposals.due.push(node),
        Some(Proposed::Void(voiding)) => scope::void(ledger, node, &voiding.scope),
        _ => {}
    }
}

/// Checks correct 1, 2 and 6.
fn check_proposal(ledger: &Ledger<'_>, node: Played<'_>, proposal: &Proposal) -> Result<()> {
    let past = Past::of(&node);
    let Some(own) = ledger.declaration(&proposal.declaration).filter(|own| own.valid) else {
        bail!(Rule::Correct1, "the declaration is not valid");
    };
    ensure!(!own.is_replaced(past), Rule::Correct1, "the declaration was already declared again");
    ensure!(!ledger.any_void(&own.id(), past), Rule::Correct1, "a roll in the declaration is void");
    ensure!(
        course::is_told(ledger, own, past),
        Rule::Correct1,
        "wait for the reveal: you can object once all dice of the declaration are open"
    );
    let is_player = ledger.terms.player(&proposal.at_fault).is_some();
    ensure!(is_player, Rule::Correct1, "the party at fault must be a player");

    let Some(input) = &proposal.input else { return Ok(()) };
    let phase = ledger.terms.phase_at(&own.declare.slot);
    let Some(phase) = phase.filter(|phase| phase.hidden().is_none()) else {
        bail!(Rule::Correct2, "sheets in a hidden course cannot be changed: void the declaration instead (hidden 3)");
    };
    let is_redone = ledger.terms.charter.foul_up.remedies.of(proposal.class) == Remedy::Redo;
    ensure!(
        is_redone,
        Rule::Correct2,
        "the charter does not allow a redo for this class of foul-up: propose to keep the dice"
    );
    check_not_played_on(ledger, Rule::Correct6, own, past)?;
    let refuse = |error: Error| Error::breach(Rule::Correct2, error.to_string());
    let rolls = phase.system.resolver().read(input, true).map_err(refuse)?;
    ensure!(rolls.canonical()? == *input, Rule::Correct2, "the input is not in canonical form");
    if let Some(state) = own.state().filter(|_| phase.course().is_some()) {
        let is_last = course::is_taken_last(ledger, own, past);
        ensure!(is_last, Rule::Correct2, "the course has already moved on from this declaration");
        rolls.fits(&state).map_err(refuse)?;
    }
    Ok(())
}

/// Checks that nobody has played on after the dice of a declaration (correct 6).
fn check_not_played_on(ledger: &Ledger<'_>, rule: Rule, own: &Declaration<'_>, past: Past<'_>) -> Result<()> {
    let is_played_on = Player::BOTH.into_iter().any(|player| has_played_on(ledger, player, own, past));
    ensure!(!is_played_on, rule, "a player has already played on after the reveal, so the dice stay");
    Ok(())
}

/// Whether a player has signed another declaration, or a close, knowing the dice of a declaration. A player's knowledge
/// only grows along their chain, so the last such letter decides.
fn has_played_on(ledger: &Ledger<'_>, player: Player, own: &Declaration<'_>, past: Past<'_>) -> bool {
    let binding = &ledger.own.of(player).binding;
    let known = binding.partition_point(|letter| past.has(letter));
    let mut others = binding.iter().take(known).rev().filter(|letter| letter.id() != own.id());
    let set = ledger.set_of(own.declare);
    let knows = |letter: &Node| {
        let past = Past::of(letter);
        set.is_some_and(|set| own.selected().iter().any(|place| set.is_opened(*place, past)))
    };
    others.next().is_some_and(|letter| knows(letter))
}

/// Whether somebody has played on after the dice of a declaration, given all available letters, so that the dice are
/// final.
#[must_use]
pub fn is_played_on(ledger: &Ledger<'_>, declaration: &Hex32) -> bool {
    let own = ledger.declaration(declaration);
    own.is_some_and(|own| check_not_played_on(ledger, Rule::Correct6, own, Past::ALL).is_err())
}

/// Checks that the author's earlier proposals about the same declarations have all been answered (correct 3).
fn check_alone(ledger: &Ledger<'_>, node: Played<'_>, proposed: Proposed<'_>) -> Result<()> {
    let past = Past::of(&node);
    let on = proposed.declarations().iter().flat_map(|id| ledger.proposals.on.get(id).into_iter().flatten());
    let mut earlier = on.filter_map(|id| ledger.proposals.valid.get(id)).map(|(earlier, _)| *earlier);
    let waits = earlier
        .any(|earlier| earlier.player == node.player && past.has(&earlier) && !has_answer(ledger, earlier, past));
    ensure!(
        !waits,
        Rule::Correct3,
        "the author's earlier proposal about this declaration has not been answered: wait for the answer"
    );
    Ok(())
}

/// Whether a proposal has an answer: a letter from the other player that knows it, or a ruling that agrees to it
/// (correct 3).
fn has_answer(ledger: &Ledger<'_>, proposal: Played<'_>, past: Past<'_>) -> bool {
    is_read(ledger, proposal, past) || ledger.proposals.ruled.get(&proposal.id()).is_some_and(|by| past.has(by))
}

/// Whether a letter from the other player knows a proposal.
fn is_read(ledger: &Ledger<'_>, proposal: Played<'_>, past: Past<'_>) -> bool {
    ledger.letters_knowing(proposal.player.other(), &proposal).first().is_some_and(|answer| past.has(answer))
}

/// Checks that a letter answers a proposal that waits for it (correct 4, ruling 7).
pub(super) fn check_answer(ledger: &Ledger<'_>, rule: Rule, node: &Node, proposal: &Hex32, by: Answerer) -> Result<()> {
    let proposed = ledger.proposals.valid.get(proposal).map(|(proposed, _)| *proposed);
    let Some(asked) = proposed.filter(|asked| by != Answerer::Player(asked.player)) else {
        bail!(rule, "it must answer a valid proposal from the other player");
    };
    let has_lapsed = has_answer(ledger, asked, Past::of(node));
    ensure!(!has_lapsed, rule, "the proposal has lapsed: an earlier letter answered it");
    Ok(())
}

/// Checks that a proposal can still take effect through a letter that agrees to it (correct 6 and 7, ruling 13; in a
/// course, courses 10 and 11).
pub(super) fn check_still_fits(ledger: &Ledger<'_>, by: Answerer, node: &Node, proposal: &Hex32) -> Result<()> {
    let past = Past::of(node);
    let (in_course, played_on, crossed) = match by {
        Answerer::Player(_) => (Rule::Correct4, Rule::Correct6, Rule::Correct7),
        Answerer::Referee => (Rule::Ruling10, Rule::Ruling13, Rule::Ruling13),
    };
    let Some((asked, proposed)) = ledger.proposals.valid.get(proposal) else { return Ok(()) };
    match *proposed {
        Proposed::Void(voiding) if is_about_course(ledger, *proposed) => {
            scope::check(ledger, in_course, &voiding.scope, past)?;
        }
        Proposed::FoulUp(Proposal { declaration, input: Some(_), .. }) => {
            let Some(own) = ledger.declaration(declaration) else { return Ok(()) };
            let is_last = course::is_taken_last(ledger, own, past);
            ensure!(is_last, in_course, "the course has already moved on from this declaration");
            check_not_played_on(ledger, played_on, own, past)?;
            let may_be_seen = crossing(ledger, own, Past::of(asked)).any(|roll| past.has(&roll.node));
            ensure!(
                !may_be_seen,
                crossed,
                "another roll from the office's sets was not open yet when this was proposed, so the player asked may \
                 have seen its dice"
            );
        }
        Proposed::Void(_) | Proposed::FoulUp(_) => {}
    }
    Ok(())
}

/// Whether a proposal is about a declaration in a course, so that no ruling can agree to it (ruling 10).
#[must_use]
pub fn is_about_course(ledger: &Ledger<'_>, proposed: Proposed<'_>) -> bool {
    proposed.declarations().iter().any(|id| ledger.course_of(id).is_some())
}

/// Returns the valid declarations on the office's sets, other than the proposal's own, that were neither answered nor
/// forfeited from the proposal's point of view. The player who is asked may have had them opened before answering
/// (correct 7).
fn crossing<'l, 'a>(
    ledger: &'l Ledger<'a>,
    own: &Declaration<'_>,
    past: Past<'_>,
) -> impl Iterator<Item = &'l Declaration<'a>> {
    let others = ledger.declarations().filter(|other| other.valid && other.id() != own.id());
    let offices =
        others.filter(|other| ledger.set_of(other.declare).is_some_and(|set| ledger.terms.is_offices(set.seal)));
    offices.filter(move |other| !other.is_forfeited(past) && !ledger.is_answered(other, past))
}

/// Returns the slots of the rolls that prevent agreement to a redo of a declaration: rolls on the office's sets that
/// were not open when `proposal` was signed or, if it is `None`, are not open now (correct 7, ruling 13).
#[must_use]
pub fn bars_redo<'a>(ledger: &Ledger<'a>, declaration: &Hex32, proposal: Option<&Hex32>) -> Vec<&'a Slot> {
    let Some(own) = ledger.declaration(declaration) else { return Vec::new() };
    let proposed = proposal.and_then(|id| ledger.proposals.valid.get(id));
    let past = proposed.map_or(Past::ALL, |(proposed, _)| Past::of(proposed));
    crossing(ledger, own, past).map(|roll| &roll.declare.slot).collect()
}

/// A declaration that a player has proposed to void or to do again.
pub(super) struct Change {
    declaration: Hex32,
    /// Whether the declaration is to be done again.
    pub(super) again: bool,
}

/// Returns the declarations that a player has proposed to void or to do again, and whose proposals are unanswered.
pub(super) fn open_changes(ledger: &Ledger<'_>, player: Player, past: Past<'_>) -> impl Iterator<Item = Change> {
    let proposals = &ledger.proposals;
    let again = open_of(ledger, proposals.again.of(player), past).map(|change| (change, true));
    let voiding = open_of(ledger, proposals.voiding.of(player), past).map(|change| (change, false));
    again.chain(voiding).flat_map(|(change, again)| {
        change.declarations().iter().map(move |declaration| Change { declaration: *declaration, again })
    })
}

/// Returns a player's proposals that have no answer. The search goes backwards from the last one, because a letter that
/// knows one proposal knows all earlier ones.
fn open_of<'l, 'a>(
    ledger: &'l Ledger<'a>,
    proposals: &'l [Hex32],
    past: Past<'_>,
) -> impl Iterator<Item = Proposed<'a>> {
    let last = proposals.iter().rev().filter_map(|id| ledger.proposals.valid.get(id));
    let open = last.map_while(move |(proposed, change)| match is_read(ledger, *proposed, past) {
        true => None,
        false => Some((!has_answer(ledger, *proposed, past)).then_some(*change)),
    });
    open.flatten()
}

/// Explains why a player must wait before a step in a course (declare 16): their proposal about a declaration in a
/// course is unanswered, or a redo in this course is due. A redo must wait only for a proposal to void.
pub(super) fn why_wait(
    ledger: &Ledger<'_>,
    player: Player,
    phase: &Phase,
    redos_too: bool,
    past: Past<'_>,
) -> Option<&'static str> {
    let is_open = |change: Change| (redos_too || !change.again) && ledger.course_of(&change.declaration).is_some();
    if open_changes(ledger, player, past).any(is_open) {
        return Some("the author's proposal about a course has not been answered: wait for the answer");
    }
    let is_due = redos_too && is_redo_due(ledger, phase, past);
    is_due.then_some("a redo was agreed on in this course and must come first")
}

/// Whether one of a player's proposals waits for its answer, given all available letters, so that the player must not
/// sign anything for this slot yet (declare 16, 19, decide 4): a proposal to do a declaration again or, in a course, to
/// void a declaration in a course.
#[must_use]
pub fn waits_for_answer(ledger: &Ledger<'_>, player: Player, slot: &Slot, rolls: bool) -> bool {
    let is_here = |id: &Hex32| ledger.terms.is_of_course(slot) && ledger.course_of(id).is_some();
    open_changes(ledger, player, Past::ALL).any(|change| change.again && rolls || is_here(&change.declaration))
}

/// An agreed redo that has not been made.
pub struct Due {
    /// The acceptance.
    pub acceptance: Hex32,
    /// The declaration that must be done again.
    pub declaration: Hex32,
    /// The player who owes the redo.
    pub player: Player,
}

/// Returns the redos that are due (letters, Foul-up; courses 10).
pub fn redos_due<'l>(ledger: &'l Ledger<'_>, past: Past<'l>) -> impl Iterator<Item = Due> + 'l {
    ledger.proposals.due.iter().filter(move |acceptance| past.has(acceptance)).filter_map(move |acceptance| {
        let acceptance = acceptance.id();
        let proposal = ledger.proposals.accepted.get(&acceptance)?;
        let own = ledger.declaration(&ledger.proposals.agreed(&acceptance)?.declaration)?;
        let (declaration, player) = (own.id(), own.node.player);
        // In a course, the redo is due until it is validly done.
        let named = ledger.own.of(player).acceptances.get(proposal);
        let named = named.filter(|_| !ledger.terms.is_of_course(&own.declare.slot));
        let is_off = named.is_some_and(|named| past.has(named))
            || own.is_replaced(past)
            || ledger.any_void(&declaration, past)
            || !course::is_taken_last(ledger, own, past);
        (!is_off).then_some(Due { acceptance, declaration, player })
    })
}

/// Whether either player owes a redo of a declaration in a course.
pub(super) fn is_redo_due(ledger: &Ledger<'_>, phase: &Phase, past: Past<'_>) -> bool {
    let mut due = redos_due(ledger, past).filter_map(|due| ledger.course_of(&due.declaration));
    due.any(|of| of.system.name() == phase.system.name())
}

/// Returns the redo in a course that was agreed on, is due, and must precede anything else for a slot: its slot and its
/// player (courses 10). A decision made before the redo would rest on dice that do not count, and a declaration would
/// not be taken.
#[must_use]
pub fn waits_for_redo<'a>(ledger: &Ledger<'a>, slot: &Slot) -> Option<(&'a Slot, Player)> {
    let course = ledger.terms.course_at(slot)?.system.name();
    redos_due(ledger, Past::ALL).find_map(|due| {
        let old = &ledger.declaration(&due.declaration)?.declare.slot;
        let of = ledger.terms.phase_at(old)?;
        (of.system.name() == course).then_some((old, due.player))
    })
}

/// Returns the valid proposals from the other player that this player's letters do not know yet, each with its slot.
pub fn open_proposals(ledger: &Ledger<'_>, player: Player) -> impl Iterator<Item = (Hex32, Slot)> {
    let last = ledger.last_letter(player);
    let mut open: Vec<_> = ledger.proposals.valid.values().collect();
    open.retain(|(proposed, _)| {
        let is_read = last.is_some_and(|last| last.has_in_past(proposed));
        proposed.player != player && !is_read && !ledger.proposals.ruled.contains_key(&proposed.id())
    });
    open.sort_by_key(|(proposed, _)| proposed.message.head().number);
    open.into_iter().filter_map(|(proposed, proposal)| {
        let own = ledger.declaration(proposal.declarations().first()?)?;
        Some((proposed.id(), own.declare.slot.clone()))
    })
}

/// Whether a void includes the latest declaration of each course that it concerns, given all available letters
/// (disputes 2).
#[must_use]
pub fn void_fits(ledger: &Ledger<'_>, within: &[Hex32]) -> bool {
    let mut courses = within.iter().filter_map(|id| ledger.course_of(id));
    courses.all(|phase| course::reached(ledger, phase, Past::ALL).last.is_none_or(|last| within.contains(&last)))
}
