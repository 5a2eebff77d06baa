//! Deposits: keys that a referee or an office holds, and sets not yet confirmed (`protocol/deposits.md`).

use std::collections::HashMap;

use super::{
    context::{Context, check_note},
    ledger::Ledger,
    node::Past,
    set::Set,
    terms::{Author, Player},
};
use crate::{
    blob::{
        body::{Hex32, Reveal},
        deposits::{Deposit, Deposits, Opening, Wrapped},
    },
    error::{Error, Result},
    primitive::{
        hash::{h, tag},
        secret::Secret,
        wrap,
    },
    rule::Rule,
};

/// The deposits sent to a referee or an office, by their seals.
#[derive(Debug, Default)]
pub struct Deposited(HashMap<Hex32, Vec<Deposit>>);

impl Deposited {
    /// Adds a deposit to the others for its set.
    pub fn add(&mut self, deposit: Deposit) {
        self.0.entry(deposit.seal).or_default().push(deposit);
    }

    /// Returns the deposits of a set, by its seal, in the order of arrival.
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

/// Returns the context to which a set's deposit is bound (deposits 5).
#[must_use]
pub fn info(context: &Context, seal: &Hex32) -> [u8; 32] {
    h(tag::DEPOSIT, &[&context.a(), &seal.0])
}

/// Wraps M of a set to the key of the referee or the office (deposits 4, 5). `randomness` must be fresh and used only
/// for this deposit.
///
/// # Errors
/// [`Error::Refused`] if the key in the terms is unusable.
pub fn deposit(to: &Deposits, set: &Set<'_>, master: &Secret, randomness: &Secret) -> Result<Deposit> {
    let seal = set.node.id();
    let wrapped = wrap::wrap(&to.key.0, &info(&set.context, &seal), master, randomness);
    let wrapped = wrapped.ok_or_else(|| Error::Refused("the deposit key is not valid".into()))?;
    Ok(Deposit { key: to.key, seal, wrapped: Wrapped(wrapped) })
}

/// Unwraps M of a set from its deposit, and compares it with all commitments of the seal (deposits 6).
///
/// # Errors
/// [`Error::Refused`] if the deposit is invalid; `key` is the holder's own secret.
pub fn take_in(set: &Set<'_>, deposit: &Deposit, key: &Secret) -> Result<Secret> {
    let refused = |text: &str| Error::Refused(format!("the deposit for {} {text}", set.seal.purpose));
    if wrap::public(key) != Some(deposit.key.0) {
        return Err(refused("was made for another key"));
    }
    let master = wrap::unwrap(key, &info(&set.context, &set.node.id()), &deposit.wrapped.0)
        .ok_or_else(|| refused("cannot be opened"))?;
    if set.context.commitments(&master) != set.seal.commits {
        return Err(refused("does not contain the secret that was sealed"));
    }
    for place in set.context.deepest_places() {
        check_note(Rule::Close3, &set.context, set.seal, &set.context.key(&master, place))
            .map_err(|error| refused(&format!("does not open its note: {error}")))?;
    }
    Ok(master)
}

/// Returns the valid sets of both players that the referee or the office may hold but has given no receipt for, in the
/// order of their sealers' chains.
pub fn without_receipt<'l, 'a>(ledger: &'l Ledger<'a>, holder: Author) -> impl Iterator<Item = &'l Set<'a>> {
    let seals = Player::BOTH.into_iter().flat_map(move |player| match holder {
        Author::Office => &ledger.own.of(player).unheld,
        Author::Referee | Author::Player(_) => ledger.seals(player),
    });
    seals.filter_map(|seal| ledger.sets.get(seal)).filter(move |set| match holder {
        Author::Referee => {
            let seal = set.id();
            ledger.has_fallback(&seal) && !ledger.is_held(&seal, Past::ALL) && !ledger.is_killed(&seal, Past::ALL)
        }
        Author::Office => ledger.awaits_office(set),
        Author::Player(_) => false,
    })
}

/// Returns the opening, for a ruling, that gives the same keys as a reveal.
#[must_use]
pub fn opening(request: Hex32, reveal: Reveal) -> Opening {
    Opening { keys: reveal.keys, request, sheets: reveal.sheets }
}
