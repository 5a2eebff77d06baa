//! *ruling 1 to 13* (`protocol/disputes.md`, `protocol/deposits.md`): the closed list of changes open to the referee.

use super::{claim, correct, scope, secrets};
use crate::{
    blob::{
        Body,
        body::{Forfeit, Hex32, Step},
        deposits::Opening,
        disputes::{Ruled, RuledForfeit, Ruling, Stall},
    },
    error::{Result, bail, ensure},
    game::{
        context::{Context, check_note},
        ledger::Ledger,
        node::{Node, Past},
        opening::{Brought, Target, stated},
    },
    rule::Rule,
};

/// Takes a ruling that follows the common rules.
pub(super) fn take<'a>(ledger: &mut Ledger<'a>, node: &'a Node, ruling: &'a Ruling) -> Result<()> {
    match &ruling.rule {
        Ruled::Request(claim) => request(ledger, node, *claim)?,
        Ruled::Forfeit(forfeit) => rule_forfeit(ledger, node, forfeit)?,
        Ruled::Void(voided) => {
            let takes_back = voided.declarations().iter().any(|id| ledger.course_of(id).is_some());
            scope::check(ledger, Rule::Ruling3, voided, Past::of(node))?;
            ensure!(!takes_back, Rule::Ruling10, "a ruling cannot take anything back in a course");
            scope::void(ledger, node, voided);
        }
        Ruled::Kill(seal) => {
            check_kill(ledger, node, seal)?;
            ledger.rulings.killed.insert(*seal, node);
        }
        Ruled::Settle(letter) => {
            check_settle(ledger, node, letter)?;
            ledger.rulings.settled.entry(*letter).or_default().push(node.id());
        }
        Ruled::Dismiss(id) => {
            let stands = claim::stands(ledger, id, Past::of(node));
            ensure!(stands, Rule::Ruling6, "it must name a claim that is still open");
            ledger.claims.ruled.entry(*id).or_default().push(node);
        }
        Ruled::Agree(id) => {
            let takes_back = ledger.proposal(id).is_some_and(|proposed| correct::is_about_course(ledger, proposed));
            correct::check_answer(ledger, Rule::Ruling7, node, id, correct::Answerer::Referee)?;
            ensure!(!takes_back, Rule::Ruling10, "a ruling cannot take anything back in a course");
            correct::check_still_fits(ledger, correct::Answerer::Referee, node, id)?;
            correct::agree(ledger, node, *id);
        }
        // The keys themselves are facts (letters 9).
        Ruled::Open(opening) => {
            check_open(ledger, node, opening)?;
            ledger.rulings.counted.push((node, opening.request, None));
            ledger.untold.undated.push(node);
        }
    }
    Ok(())
}

/// Takes a request (ruling 1). Days are counted from the first time after a request; requests that can no longer have
/// an effect are forgotten.
fn request<'a>(ledger: &mut Ledger<'a>, node: &'a Node, id: Hex32) -> Result<()> {
    let stands = ledger.claims.stall(&id).is_some() && claim::stands(ledger, &id, Past::of(node));
    ensure!(stands, Rule::Ruling1, "it must name a stall claim that is still open");
    ledger.rulings.requests.insert(node.id(), id);
    let mut requests = std::mem::take(&mut ledger.untold.requests);
    requests.retain(|(asked, _)| {
        ledger.requested(&asked.id()).is_some_and(|(claim, _, stall)| {
            // A note can be due again.
            let is_note = stall.letter.is_some_and(|letter| ledger.sets.contains_key(&letter));
            is_note || claim::stands(ledger, &claim, Past::ALL)
        })
    });
    requests.push((node, None));
    ledger.untold.requests = requests;
    ledger.untold.undated.push(node);
    Ok(())
}

/// Takes a forfeit ruled on a request whose claim still stands (ruling 2, 10 and 11).
fn rule_forfeit<'a>(ledger: &mut Ledger<'a>, node: &'a Node, ruled: &RuledForfeit) -> Result<()> {
    let Some((id, claimed, stall)) = ledger.requested(&ruled.request) else {
        bail!(Rule::Ruling2, "it must name a valid request");
    };
    let stands = claim::stands(ledger, &id, Past::of(node));
    ensure!(stands, Rule::Ruling2, "the claim is no longer open");
    if let Some((rule, why)) = why_no_forfeit(ledger, &ruled.request, stall, ruled.forfeit) {
        bail!(rule, "{why}");
    }
    match (ruled.forfeit, stall.letter) {
        (Forfeit::DeclarerNames, Some(declaration)) => claim::forfeit(ledger, declaration, node),
        _ => ledger.claims.lost.push((claimed.player.other(), node)),
    }
    ledger.claims.ruled.entry(id).or_default().push(node);
    ledger.rulings.counted.push((node, ruled.request, Some(ruled.forfeit)));
    ledger.untold.undated.push(node);
    Ok(())
}

/// Returns the reason, and the rule, that prevent a ruling of forfeit on a request about a stall; `None` if nothing
/// does (ruling 2, 10 and 11).
#[must_use]
pub fn why_no_forfeit(
    ledger: &Ledger<'_>,
    request: &Hex32,
    stall: &Stall,
    forfeit: Forfeit,
) -> Option<(Rule, &'static str)> {
    let mut deadlines = ledger.terms.charter.deadlines.iter();
    let is_agreed = deadlines.any(|deadline| deadline.step == stall.step && deadline.forfeit == forfeit);
    let own = stall.letter.and_then(|id| ledger.declaration(&id));
    let names = forfeit == Forfeit::DeclarerNames;
    if !is_agreed {
        return Some((Rule::Ruling2, "the charter does not set a deadline with this forfeit for this step"));
    }
    if !names {
        return None;
    }
    let Some(own) = own else {
        return Some((Rule::Ruling11, "the claim is not about a declaration, so nobody can name its dice"));
    };
    if ledger.terms.is_of_course(&own.declare.slot) {
        return Some((Rule::Ruling10, "a ruling cannot take anything back in a course"));
    }
    if ledger.was_held_for(own) {
        return Some((Rule::Ruling11, "the referee holds the set's keys and must open it instead"));
    }
    let (seal, request) = own.declare.seal.zip(ledger.nodes.get(request))?;
    let is_held = ledger.is_with_office(&seal, Past::of(request));
    is_held
        .then_some((Rule::Ruling11, "the office holds the keys and can open these dice, so they cannot be forfeited"))
}

/// Checks that a set can be killed: it is valid and not killed yet, it holds no simultaneous orders, and no declaration
/// found it (ruling 4).
fn check_kill(ledger: &Ledger<'_>, node: &Node, seal: &Hex32) -> Result<()> {
    let set = ledger.sets.get(seal).filter(|set| set.valid && !ledger.rulings.killed.contains_key(seal));
    let Some(set) = set else { bail!(Rule::Ruling4, "the set is not valid or was already killed") };
    let is_at_once = secrets::is_at_once(ledger, set);
    ensure!(!is_at_once, Rule::Ruling4, "simultaneous orders cannot be killed");
    let slot = ledger.note_slot(set);
    let declared = slot.and_then(|slot| ledger.declared_in.get(&(slot.turn, slot.impulse)));
    let mut declared = declared.into_iter().flatten().filter_map(|id| ledger.declaration(id));
    let is_found = declared.any(|own| own.standing().contains(seal) && node.has_in_past(&own.node));
    ensure!(!is_found, Rule::Ruling4, "a declaration already relies on this note");
    Ok(())
}

/// Checks ruling 5 and 12. A ruling that knew the sheet may follow one that did not (hidden 6).
fn check_settle(ledger: &Ledger<'_>, node: &Node, letter: &Hex32) -> Result<()> {
    let is_players = ledger.nodes.get(letter).is_some_and(|letter| letter.author.player().is_some());
    let again = ledger.is_sheet_known(letter, Past::of(node)) && ledger.settled_knowingly(letter).is_none();
    let is_new = !ledger.rulings.settled.contains_key(letter) || again;
    ensure!(is_players && is_new, Rule::Ruling5, "it must name a player's letter that is not settled yet");
    Ok(())
}

/// Checks ruling 8 and 9.
fn check_open(ledger: &Ledger<'_>, node: &Node, opening: &Opening) -> Result<()> {
    let target = Target::of(opening, |id| ledger.body(id));
    match target {
        Some(target) => check_opened_keys(ledger, opening, target)?,
        None => {
            let letter = Target::letter(opening, |id| ledger.body(id)).and_then(|letter| ledger.body(&letter));
            let is_declaration = matches!(letter, Some(Body::Declare(_)));
            ensure!(!is_declaration, Rule::Ruling8, "the declaration does not name a set");
        }
    }
    let request = ledger.requested(&opening.request).filter(|(.., stall)| stall.step == Step::Reveal);
    let request = request.filter(|(id, ..)| claim::stands(ledger, id, Past::of(node)));
    let Some(target) = target.filter(|_| request.is_some()) else {
        bail!(Rule::Ruling9, "it must name a valid request whose claim to a reveal is still open");
    };
    ensure!(
        ledger.has_fallback(&target.seal),
        Rule::Ruling9,
        "the referee may not open this set: its seal does not have a fallback"
    );
    let own = target.declaration.and_then(|id| ledger.declaration(&id));
    ensure!(
        own.is_none_or(|own| ledger.was_held_for(own)),
        Rule::Ruling9,
        "the referee does not hold this set for the declaration: no receipt that counts came before it"
    );
    Ok(())
}

/// Checks that the keys of an `open` are exactly those asked for, and match the seal (ruling 8).
fn check_opened_keys(ledger: &Ledger<'_>, opening: &Opening, target: Target) -> Result<()> {
    // The set of a fallen letter is not kept, but the stall may name that letter (deposits 12).
    let letter = ledger.letter(&target.seal);
    let Some((Body::Seal(seal), head)) = letter.map(|letter| (letter.body(), letter.head())) else {
        bail!(Rule::Ruling8, "the seal of the set is missing");
    };
    let context = Context::of(ledger.game, ledger.terms.charter.referee.as_ref(), &head.author, seal);
    let asked = match target.declaration.and_then(|id| ledger.body(&id)) {
        Some(Body::Declare(declare)) => stated(declare),
        _ => context.deepest_places().collect(),
    };
    let brought = Brought::from(opening);
    let is_exact = brought.places(seal.kind).as_ref() == Some(&asked);
    ensure!(is_exact, Rule::Ruling8, "the keys must be exactly those that are asked for");
    for (place, key) in brought.of_kind(seal.kind) {
        ensure!(context.matches(seal, &key, place), Rule::Ruling8, "a key does not match the seal");
        check_note(Rule::Ruling8, &context, seal, &key)?;
    }
    Ok(())
}

/// Returns the opening that a valid request allows the referee: the declaration, if there is one, and the seal of the
/// set.
#[must_use]
pub fn may_open(ledger: &Ledger<'_>, request: &Hex32) -> Option<(Option<Hex32>, Hex32)> {
    let opening = Opening { keys: Vec::new(), request: *request, sheets: Vec::new() };
    let Target { declaration, seal } = Target::of(&opening, |id| ledger.body(id))?;
    let (.., stall) = ledger.requested(request)?;
    let was_held = |id: Hex32| ledger.declaration(&id).is_some_and(|own| ledger.was_held_for(own));
    let may = stall.step == Step::Reveal && ledger.has_fallback(&seal) && declaration.is_none_or(was_held);
    may.then_some((declaration, seal))
}
