//! Deposits: keys that a referee holds, his receipts, and what he opens with them (`protocol/deposits.md`).

use std::collections::HashMap;

use super::{
    charter::{Author, Player},
    declarations::{Declaration, stated},
    ledger::Ledger,
    order::Node,
    seals::{Set, check_note},
    sets::{Brought, Context},
};
use crate::{
    blob::{
        Body,
        body::{Hex32, Reveal, SetKind, Step},
        deposits::{Deposit, Deposits, Opening, Wrapped},
        disputes::{Claim, Ruled},
        office::Receipt,
    },
    error::{Error, Result},
    primitive::{
        hash::{h, tag},
        secret::Secret,
        wrap,
    },
    rule::Rule,
};

/// What receipts hold: seals, and the receipts that name them (receipt 1).
#[derive(Default)]
pub(super) struct Receipts<'a> {
    held: HashMap<Hex32, Vec<&'a Node>>,
    /// What the referee's receipts name, valid or not.
    promised: HashMap<Hex32, Vec<&'a Node>>,
}

impl<'a> Receipts<'a> {
    /// Takes note of a receipt of the referee's, on whatever branch.
    pub(super) fn promise(&mut self, node: &'a Node) {
        if let (Author::Referee, Body::Receipt(Receipt::Deposit(about))) = (node.author, node.message.body()) {
            about.seals.iter().for_each(|seal| self.promised.entry(*seal).or_default().push(node));
        }
    }
}

/// What an opening by ruling is for: the letter that the stall of its request names (deposits 12).
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
        let letter = Self::letter(opening, &at)?;
        let (declaration, seal) = match at(&letter)? {
            Body::Declare(declare) => (Some(letter), declare.seal?),
            Body::Seal(seal) if seal.kind == SetKind::Note => (None, letter),
            _ => return None,
        };
        Some(Self { declaration, seal })
    }

    /// The letter that the stall of an opening's request names.
    fn letter<'b>(opening: &Opening, at: impl Fn(&Hex32) -> Option<&'b Body>) -> Option<Hex32> {
        let Body::Ruling(request) = at(&opening.request)? else { return None };
        let Ruled::Request(id) = &request.rule else { return None };
        let Body::Claim(Claim::Stall(stall)) = at(id)? else { return None };
        stall.letter
    }
}

/// The deposits that came to a referee or an office, by their seals.
#[derive(Debug, Default)]
pub struct Deposited(HashMap<Hex32, Vec<Deposit>>);

impl Deposited {
    /// Adds one.
    pub fn add(&mut self, deposit: Deposit) {
        self.0.entry(deposit.seal).or_default().push(deposit);
    }

    /// Those of one set, as they came.
    #[must_use]
    pub fn of(&self, seal: &Hex32) -> &[Deposit] {
        self.0.get(seal).map_or(&[], Vec::as_slice)
    }
}

impl FromIterator<Deposit> for Deposited {
    fn from_iter<I: IntoIterator<Item = Deposit>>(deposits: I) -> Self {
        let mut deposited = Self::default();
        deposits.into_iter().for_each(|deposit| deposited.add(deposit));
        deposited
    }
}

/// What a deposit of a set is bound to (deposits 5).
#[must_use]
pub fn info(context: &Context, seal: &Hex32) -> [u8; 32] {
    h(tag::DEPOSIT, &[&context.a(), &seal.0])
}

/// Wraps M of a set to the key of the referee or the office (deposits 4, 5). `randomness` is fresh, and used for this deposit alone.
///
/// # Errors
/// [`Error::Refused`] if nothing can be wrapped to that key: the terms are at fault.
pub fn deposit(to: &Deposits, set: &Set<'_>, master: &Secret, randomness: &Secret) -> Result<Deposit> {
    let seal = set.node.id();
    let wrapped = wrap::wrap(&to.key.0, &info(&set.context, &seal), master, randomness);
    let wrapped = wrapped.ok_or_else(|| Error::Refused("the deposit key is none".into()))?;
    Ok(Deposit { key: to.key, seal, wrapped: Wrapped(wrapped) })
}

/// M of a set from its deposit, compared with all that the seal commits to (deposits 6).
///
/// # Errors
/// [`Error::Refused`] if it is not good; `key` is the holder's own secret.
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
        check_note(&set.context, set.seal, &set.context.key(&master, place))
            .map_err(|error| refused(&error.to_string()))?;
    }
    Ok(master)
}

impl<'a> Ledger<'a> {
    /// The valid sets of both players that the referee or the office may hold, and has given no receipt for, in the order of
    /// their sealers' chains.
    pub fn without_receipt(&self, holder: Author) -> impl Iterator<Item = &Set<'a>> {
        let seals = Player::BOTH.into_iter().flat_map(move |player| match holder {
            Author::Office => &self.own.of(player).unheld,
            Author::Referee | Author::Player(_) => self.seals(player),
        });
        let sets = seals.filter_map(|seal| self.sets.get(seal)).filter(|set| set.valid);
        sets.filter(move |set| match holder {
            Author::Referee => {
                let seal = set.node.id();
                set.context.fallback.is_some() && !self.is_held(&seal) && !self.is_killed(&seal)
            }
            Author::Office => self.awaits_office(set),
            Author::Player(_) => false,
        })
    }

    /// Whether a receipt holds the keys of a set.
    #[must_use]
    pub fn is_held(&self, seal: &Hex32) -> bool {
        self.receipts.held.contains_key(seal)
    }

    /// Whether a set was held before a declaration on it was signed (deposits 9).
    pub(super) fn is_held_for(&self, declaration: &Declaration<'_>) -> bool {
        let seal = declaration.declare.seal.as_ref();
        let mut receipts = seal.and_then(|seal| self.receipts.held.get(seal)).into_iter().flatten();
        receipts.any(|receipt| declaration.node.has_in_past(receipt))
    }

    /// receipt 1, of the referee's.
    pub(super) fn take_receipt(&mut self, node: &'a Node, receipt: &Receipt, common: Result<()>) -> Result<()> {
        let mut checked = Ok(());
        let Receipt::Deposit(about) = receipt else { return common };
        for seal in &about.seals {
            let set = self.sets.get(seal).filter(|set| set.valid && set.context.fallback.is_some());
            if set.is_none() || self.is_held(seal) {
                checked =
                    Err(Error::breach(Rule::Receipt1, "it names no valid set that he may hold, or one that he holds"));
            } else {
                self.receipts.held.entry(*seal).or_default().push(node);
            }
        }
        common.and(checked)
    }

    /// What a valid request of the referee's lets him open: the declaration, if it is for one, and the seal of the set.
    #[must_use]
    pub fn may_open(&self, request: &Hex32) -> Option<(Option<Hex32>, Hex32)> {
        let opening = Opening { keys: Vec::new(), request: *request, sheets: Vec::new() };
        let target = self.target_of(&opening)?;
        let (.., stall) = self.requested(request)?;
        let held = |id: &Hex32| self.declarations.get(id).is_some_and(|declaration| self.is_held_for(declaration));
        let may = self.has_fallback(&target.seal) && target.declaration.as_ref().is_none_or(held);
        (stall.step == Step::Reveal && may).then_some((target.declaration, target.seal))
    }

    fn has_fallback(&self, seal: &Hex32) -> bool {
        self.sets.get(seal).is_some_and(|set| set.valid && set.context.fallback.is_some())
    }

    /// What an opening is for.
    pub(super) fn target_of(&self, opening: &Opening) -> Option<Target> {
        Target::of(opening, |id| self.nodes.get(id).map(|node| node.message.body()))
    }

    /// ruling 8 and 9.
    pub(super) fn check_ruled_open(&self, node: &Node, opening: &Opening) -> Result<()> {
        let target = self.target_of(opening);
        let letter = Target::letter(opening, |id| self.body(id)).and_then(|letter| self.body(&letter));
        match (target, letter) {
            (Some(target), _) => self.check_opened_keys(opening, target)?,
            (None, Some(Body::Declare(_))) => {
                return Err(Error::breach(Rule::Ruling8, "the declaration names no set"));
            }
            (None, _) => {}
        }
        let stall = self
            .requested(&opening.request)
            .filter(|(claim, ..)| self.claim_stands(claim, |letter| node.has_in_past(letter)))
            .filter(|(.., stall)| stall.step == Step::Reveal);
        match (stall, target) {
            (Some(_), Some(target)) if self.has_fallback(&target.seal) => Ok(()),
            (Some(_), Some(_)) => Err(Error::breach(Rule::Ruling9, "the set has no fallback")),
            _ => Err(Error::breach(Rule::Ruling9, "it names no valid request whose claim of a reveal stands")),
        }
    }

    /// ruling 8.
    fn check_opened_keys(&self, opening: &Opening, target: Target) -> Result<()> {
        let breach = |text: &str| Error::breach(Rule::Ruling8, text);
        // Of a fallen letter no set is kept, and it may be what the stall names (deposits 12).
        let node = self.nodes.get(&target.seal);
        let Some((Body::Seal(seal), head)) = node.map(|node| (node.message.body(), node.message.head())) else {
            return Err(breach("the set is not at hand"));
        };
        let context = Context::of(self.game, self.terms.charter.referee.as_ref(), &head.author, seal);
        let asked = match target.declaration.and_then(|id| self.body(&id)) {
            Some(Body::Declare(declare)) => stated(declare),
            _ => context.deepest_places().collect(),
        };
        let brought = Brought::from(opening);
        if brought.places(seal.kind).as_ref() != Some(&asked) {
            return Err(breach("the keys are not exactly those that are asked for"));
        }
        for (place, key) in brought.of_kind(seal.kind) {
            if !context.matches(seal, &key, place) {
                return Err(breach("a key does not match the seal"));
            }
            check_note(&context, seal, &key)?;
        }
        // A fact on every branch, so that no fallen one excuses a referee who looked before he chose.
        let promised =
            |declaration: &Hex32| self.nodes.get(declaration).is_some_and(|node| self.is_promised(&target.seal, node));
        if !target.declaration.as_ref().is_none_or(promised) {
            return Err(breach("no receipt for its seal is in the past of the declaration"));
        }
        Ok(())
    }

    /// Whether a receipt of the referee's in the past of a letter names a seal.
    fn is_promised(&self, seal: &Hex32, node: &Node) -> bool {
        self.receipts.promised.get(seal).into_iter().flatten().any(|receipt| node.has_in_past(receipt))
    }
}

/// The ruling that opens what a reveal would open.
#[must_use]
pub fn opening(request: Hex32, reveal: Reveal) -> Opening {
    Opening { keys: reveal.keys, request, sheets: reveal.sheets }
}
