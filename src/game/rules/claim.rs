//! *claim 1 to 6* (`protocol/disputes.md`): stalls, disputes, yields, and dice named by forfeit.

use super::secrets;
use crate::{
    blob::{
        Body,
        body::{Forfeit, Hex32, Step},
        disputes::{Claim, Names, Stall, Yield},
    },
    error::{Error, Result, bail, ensure},
    game::{
        declaration::Declaration,
        ledger::Ledger,
        node::{Node, Past, Played},
        opening::NOTE,
        terms::Player,
    },
    resolve::Account,
    rule::Rule,
};

/// Takes a claim that follows the common rules.
pub(super) fn take<'a>(ledger: &mut Ledger<'a>, node: Played<'a>, claim: &'a Claim) -> Result<()> {
    match claim {
        Claim::Stall(stall) => {
            check_stall(ledger, node, stall)?;
            ledger.untold.undated.push(node.node());
            if let (Step::Reveal, Some(owed)) = (stall.step, stall.letter) {
                ledger.claims.stalled.entry(owed).or_default().push(node.node());
            }
        }
        Claim::Dispute(_) => {}
        Claim::Withdraw(id) => return withdraw(ledger, node, *id),
        Claim::Yield(given) => return take_yield(ledger, node, given),
        Claim::Names(names) => return take_names(ledger, node, names),
    }
    ledger.claims.valid.insert(node.id(), (node, claim));
    ledger.claims.in_order.push(node.id());
    Ok(())
}

/// Checks that a stall is about a step that the other player owes, and names a letter only for a reveal (claim 1, 5).
fn check_stall(ledger: &Ledger<'_>, node: Played<'_>, stall: &Stall) -> Result<()> {
    let past = Past::of(&node);
    let is_others = ledger.terms.player(&stall.owes) == Some(node.player.other());
    ensure!(is_others, Rule::Claim1, "owes must name the other player");
    match (stall.step, stall.letter) {
        (Step::Reveal, Some(id)) => {
            let own = ledger.declaration(&id).filter(|own| own.valid && own.node.player == node.player);
            let owes_dice = own.is_some_and(|own| !own.is_forfeited(past) && !ledger.is_answered(own, past));
            let note = ledger.sets.get(&id).filter(|note| note.node.player != node.player);
            let owes_note = || note.is_some_and(|note| secrets::is_due(ledger, note, past));
            ensure!(
                owes_dice || owes_note(),
                Rule::Claim5,
                "the other player does not owe a reveal for this letter, so there is no stall to claim"
            );
        }
        (Step::Declare | Step::Answer, None) => {}
        (Step::Reveal, None) => {
            bail!(Rule::Claim5, "a stall claim about a reveal must name the declaration or note to open")
        }
        (Step::Declare | Step::Answer, Some(_)) => {
            bail!(Rule::Claim1, "letter must be null, except in a stall claim about a reveal")
        }
    }
    Ok(())
}

/// Withdraws a stall or dispute by the author that was not withdrawn already (claim 2).
fn withdraw<'a>(ledger: &mut Ledger<'a>, node: Played<'a>, id: Hex32) -> Result<()> {
    let is_own = ledger.claims.valid.get(&id).is_some_and(|(claimed, _)| claimed.player == node.player);
    let is_back = ledger.claims.withdrawn.contains_key(&id);
    ensure!(
        is_own && !is_back,
        Rule::Claim2,
        "it must name a stall or dispute by its author that is not withdrawn yet"
    );
    ledger.claims.withdrawn.insert(id, node.node());
    Ok(())
}

/// Takes a yield: the author gives up the game, or the dice in a reveal that they owe (claim 3).
fn take_yield<'a>(ledger: &mut Ledger<'a>, node: Played<'a>, given: &Yield) -> Result<()> {
    let past = Past::of(&node);
    match (given.forfeit, given.declaration) {
        (Forfeit::Game, None) => ledger.claims.lost.push((node.player, node.node())),
        (Forfeit::DeclarerNames, Some(id)) => {
            let Some(owed) = ledger.declaration(&id).filter(|owed| owed.valid) else {
                bail!(Rule::Claim3, "the declaration is not valid");
            };
            let set = ledger.set_of(owed.declare).filter(|set| set.node.player == node.player);
            let owes = !ledger.is_answered(owed, past) && !owed.is_forfeited(past);
            let Some(set) = set.filter(|_| owes) else {
                bail!(Rule::Claim3, "the author does not owe a reveal for this declaration");
            };
            // In a course, a later turn may already rest on what the office opened.
            ensure!(
                !ledger.terms.is_offices(set.seal) || ledger.course_of(&id).is_none(),
                Rule::Claim3,
                "in a course, the dice of a set that the office opens cannot be forfeited: yield the game instead"
            );
            let is_held = ledger.was_held_for(owed);
            ensure!(
                !is_held,
                Rule::Claim3,
                "the referee holds the keys and can open these dice, so they cannot be forfeited"
            );
            let is_held = ledger.is_with_office(&set.id(), past);
            ensure!(
                !is_held,
                Rule::Claim3,
                "the office holds the keys and can open these dice, so they cannot be forfeited"
            );
            forfeit(ledger, id, node.node());
        }
        _ => bail!(Rule::Claim3, "a yield of dice must name the declaration, and a yield of the game must not"),
    }
    Ok(())
}

/// Lets the declarer name the dice of a declaration from now on (disputes 14).
pub(super) fn forfeit<'a>(ledger: &mut Ledger<'a>, declaration: Hex32, by: &'a Node) {
    if let Some(forfeited) = ledger.declarations.get_mut(&declaration) {
        forfeited.forfeit(by);
        ledger.unanswered.retain(|open| *open != declaration);
        ledger.courses.disturbing.push(by);
    }
}

/// Takes the dice that the author names for their own forfeited declaration (claim 4).
fn take_names(ledger: &mut Ledger<'_>, node: Played<'_>, names: &Names) -> Result<()> {
    let own = ledger.declaration(&names.declaration).filter(|own| own.valid && own.node.player == node.player);
    let Some(own) = own.filter(|own| ledger.terms.hidden_at(&own.declare.slot).is_none()) else {
        bail!(Rule::Claim4, "the declaration must be valid, by the same author and outside hidden courses");
    };
    let is_forfeited = own.forfeits.iter().any(|forfeit| forfeit.id() == names.forfeit);
    ensure!(is_forfeited, Rule::Claim4, "forfeit must name a letter that forfeits the dice of this declaration");
    ensure!(own.named_by.is_none(), Rule::Claim4, "the dice of this declaration were already named");
    let orders = ledger.say(own.orders());
    let named = own.resolve_named(ledger.terms, &orders, &names.dice, &mut Account::none());
    let named = named.map_err(|error| Error::breach(Rule::Claim4, error.to_string()))?;
    if let Some(own) = ledger.declarations.get_mut(&names.declaration) {
        own.named_by = Some(node.id());
        own.come_to(named, ledger.is_lean);
    }
    Ok(())
}

/// Whether a claim stands (disputes 8).
pub(crate) fn stands(ledger: &Ledger<'_>, id: &Hex32, past: Past<'_>) -> bool {
    let claims = &ledger.claims;
    let Some((claimed, claim)) = claims.valid.get(id) else { return false };
    let is_withdrawn = claims.withdrawn.get(id).is_some_and(|letter| past.has(letter));
    if is_withdrawn || claims.ruled.get(id).is_some_and(|rulings| past.has_any(rulings)) {
        return false;
    }
    let Claim::Stall(stall) = claim else { return true };
    let other = claimed.player.other();
    if claims.lost.iter().any(|(player, by)| *player == other && past.has(by)) {
        return false;
    }
    if let Some(own) = stall.letter.and_then(|id| ledger.declaration(&id)) {
        return !own.is_forfeited(past) && !ledger.is_answered(own, past);
    }
    if let Some(note) = stall.letter.and_then(|id| ledger.sets.get(&id)) {
        return !note.is_opened(NOTE, past);
    }
    let mut answers = ledger.letters_knowing(other, claimed).iter();
    // Any letter that knows a later answer also knows the first.
    !answers.find(|letter| ends_stall(ledger, stall.step, letter)).is_some_and(|letter| past.has(letter))
}

/// Whether a letter from the other player, which knows a stall, ends it.
fn ends_stall(ledger: &Ledger<'_>, step: Step, letter: &Node) -> bool {
    if step != Step::Declare {
        return true;
    }
    match letter.message.body() {
        Body::Declare(_) => true,
        Body::Decide(_) => ledger.courses.decided.contains_key(&letter.id()),
        Body::Claim(Claim::Names(names)) => {
            let named = ledger.declaration(&names.declaration).and_then(|named| named.named_by);
            named == Some(letter.id())
        }
        _ => false,
    }
}

/// Returns the claims that stand given all available letters: id, author and body.
pub fn standing<'l, 'a>(ledger: &'l Ledger<'a>) -> impl Iterator<Item = (Hex32, Player, &'a Claim)> + use<'l, 'a> {
    let standing = ledger.claims.in_order.iter().filter(|id| stands(ledger, id, Past::ALL));
    standing.filter_map(|id| ledger.claims.valid.get(id).map(|(played, claim)| (*id, played.player, *claim)))
}

/// Returns the declarations whose dice a player may name by forfeit, each with the letter that allows it.
pub fn to_name<'l, 'a>(
    ledger: &'l Ledger<'a>,
    player: Player,
) -> impl Iterator<Item = (&'l Declaration<'a>, Hex32)> + use<'l, 'a> {
    let own = ledger.declarations().filter(move |own| own.node.player == player && own.named_by.is_none());
    let own = own.filter(|own| ledger.terms.hidden_at(&own.declare.slot).is_none());
    own.filter_map(|own| own.forfeits.first().map(|forfeit| (own, forfeit.id())))
}

/// Returns the players who lost the game by forfeit, each with the letter that decided it.
pub fn lost(ledger: &Ledger<'_>) -> impl Iterator<Item = (Player, Hex32)> {
    ledger.claims.lost.iter().map(|(player, by)| (*player, by.id()))
}
