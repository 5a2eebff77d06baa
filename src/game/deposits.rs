//! Deposits: keys that a referee holds, his receipts, and what he opens with them (`protocol/deposits.md`).

use std::collections::HashMap;

use super::{
    ledger::Ledger,
    order::Node,
    seals::{Set, check_note},
    sets::{Brought, Context},
};
use crate::{
    blob::{
        Body,
        body::{Hex32, Reveal, Step},
        deposits::{Deposit, Deposits, Opening, Receipt, Wrapped},
        disputes::{Claim, Rule},
    },
    error::{Error, Result},
    primitive::{
        hash::{h, tag},
        secret::Secret,
        wrap,
    },
};

/// Valid receipts, by the seals that they name.
#[derive(Default)]
pub(super) struct Receipts<'a>(HashMap<Hex32, Vec<&'a Node<'a>>>);

/// What an opening by ruling is for: the letter that the stall of its request names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// The declaration; none if it is a note.
    pub(super) declaration: Option<Hex32>,
    /// The seal of the set that is to be opened.
    pub(super) seal: Hex32,
}

impl Target {
    /// Follows an opening to what it is for; `at` gives the body of a letter at hand.
    pub(super) fn of<'b>(opening: &Opening, at: impl Fn(&Hex32) -> Option<&'b Body>) -> Option<Self> {
        let Body::Ruling(request) = at(&opening.request)? else { return None };
        let Rule::Request(claim) = &request.rule else { return None };
        let Body::Claim(Claim::Stall(stall)) = at(claim)? else { return None };
        let letter = stall.letter?;
        match at(&letter)? {
            Body::Declare(declare) => Some(Self { declaration: Some(letter), seal: declare.seal? }),
            Body::Seal(_) => Some(Self { declaration: None, seal: letter }),
            _ => None,
        }
    }
}

/// What a deposit of a set is bound to (deposits 4).
#[must_use]
pub fn info(context: &Context, seal: &Hex32) -> [u8; 32] {
    h(tag::DEPOSIT, &[&context.a(), &seal.0])
}

/// Wraps M of a set to the referee's key (deposits 3, 4). `randomness` is fresh, and used for this deposit alone.
///
/// # Errors
/// [`Error::Refused`] if nothing can be wrapped to that key: the terms are at fault.
pub fn deposit(to: &Deposits, set: &Set<'_>, master: &Secret, randomness: &Secret) -> Result<Deposit> {
    let seal = set.node.id();
    let wrapped = wrap::wrap(&to.key.0, &info(&set.context, &seal), master, randomness);
    let wrapped = wrapped.ok_or_else(|| Error::Refused("the referee's deposit key is none".into()))?;
    Ok(Deposit { key: to.key, seal, wrapped: Wrapped(wrapped) })
}

/// M of a set from its deposit, compared with all that the seal commits to (deposits 5).
///
/// # Errors
/// [`Error::Refused`] if it is not good; `key` is the referee's own secret.
pub fn take_in(set: &Set<'_>, deposit: &Deposit, key: &Secret) -> Result<Secret> {
    let refused = |text: &str| Error::Refused(format!("the deposit for {} {text}", set.seal.purpose));
    if wrap::public(key) != Some(deposit.key.0) {
        return Err(refused("is wrapped to another key"));
    }
    let master = wrap::unwrap(key, &info(&set.context, &set.node.id()), &deposit.wrapped.0)
        .ok_or_else(|| refused("does not open"))?;
    if set.context.commitments(&master) != set.seal.commits {
        return Err(refused("is not the secret that was sealed"));
    }
    for place in set.context.deepest_places() {
        check_note(set, &set.context.key(&master, place)).map_err(|error| refused(&error.to_string()))?;
    }
    Ok(master)
}

impl<'a> Ledger<'a> {
    /// The valid sets of both players that the referee may open by ruling, and holds no receipt for, in the order of their
    /// sealers' chains.
    pub fn without_receipt(&self) -> impl Iterator<Item = &Set<'a>> {
        let seals = super::charter::Player::BOTH.into_iter().flat_map(|player| self.seals(player));
        let sets = seals.filter_map(|seal| self.sets.get(seal));
        sets.filter(|set| set.valid && set.context.fallback.is_some() && !self.is_held(&set.node.id()))
    }

    /// Whether a valid receipt says that the referee holds the keys of a set.
    #[must_use]
    pub fn is_held(&self, seal: &Hex32) -> bool {
        self.receipts.0.contains_key(seal)
    }

    /// Whether one does, in the past of a letter (ruling 2).
    pub(super) fn is_held_for(&self, seal: &Hex32, node: &Node<'_>) -> bool {
        self.receipts.0.get(seal).into_iter().flatten().any(|receipt| node.has_in_past(receipt))
    }

    /// receipt 1.
    pub(super) fn take_receipt(&mut self, node: &'a Node<'a>, receipt: &Receipt) -> Result<()> {
        for seal in receipt.seals() {
            let set = self.sets.get(seal).filter(|set| set.valid && set.context.fallback.is_some());
            if set.is_none() || self.is_held(seal) {
                return Err(Error::breach("receipt 1", "it names no valid set that he may hold, or one that he holds"));
            }
        }
        for seal in receipt.seals() {
            self.receipts.0.entry(*seal).or_default().push(node);
        }
        Ok(())
    }

    /// What a valid request of the referee's lets him open: the declaration, if it is for one, and the seal of the set.
    #[must_use]
    pub fn may_open(&self, request: &Hex32) -> Option<(Option<Hex32>, Hex32)> {
        let (.., stall) = self.requested(request)?;
        let opening = Opening { keys: Vec::new(), request: *request, sheets: Vec::new() };
        let target = self.target_of(&opening)?;
        let set = self.sets.get(&target.seal)?;
        let deadline = self.terms.charter.deadlines.iter().any(|deadline| deadline.step == Step::Reveal);
        let may = stall.step == Step::Reveal && deadline && set.context.fallback.is_some();
        may.then_some((target.declaration, target.seal))
    }

    /// What an opening is for.
    pub(super) fn target_of(&self, opening: &Opening) -> Option<Target> {
        Target::of(opening, |id| self.nodes.get(id).map(|node| node.message.body()))
    }

    /// ruling 10.
    pub(super) fn check_ruled_open(&self, node: &Node<'_>, opening: &Opening) -> Result<()> {
        let breach = |text: &str| Error::breach("ruling 10", text);
        let (player, stall) = self
            .requested(&opening.request)
            .filter(|(claim, ..)| self.claim_stands(claim, |letter| node.has_in_past(letter)))
            .map(|(_, played, stall)| (played.player, stall))
            .ok_or_else(|| breach("it names no valid request whose claim stands"))?;
        let deadline = self.terms.charter.deadlines.iter().any(|deadline| deadline.step == Step::Reveal);
        if stall.step != Step::Reveal || !deadline {
            return Err(breach("no reveal is claimed, or the charter has no deadline for one"));
        }
        let target = self.target_of(opening).ok_or_else(|| breach("the claim names nothing that can be opened"))?;
        let set = self.sets.get(&target.seal).filter(|set| set.valid && set.node.player == player.other());
        let set = set.filter(|set| set.context.fallback.is_some()).ok_or_else(|| breach("the set has no fallback"))?;
        let asked = match target.declaration {
            Some(declaration) => self.declarations.get(&declaration).map(|declared| declared.asked.clone()),
            None => Some(set.context.deepest_places().collect()),
        };
        let brought = Brought::from(opening);
        if asked.is_none() || brought.places(set.seal.kind) != asked {
            return Err(breach("the keys are not exactly those that are asked for"));
        }
        for (place, key) in brought.of_kind(set.seal.kind) {
            if !set.context.matches(set.seal, &key, place) {
                return Err(breach("a key does not match the seal"));
            }
            check_note(set, &key)?;
        }
        Ok(())
    }
}

/// The ruling that opens what a reveal would open.
#[must_use]
pub fn opening(request: Hex32, reveal: Reveal) -> Opening {
    Opening { keys: reveal.keys, request, sheets: reveal.sheets }
}
