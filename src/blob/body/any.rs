//! The body of any letter.

use serde::Serialize;

use super::{
    charter::{Accept, Charter, Withdraw},
    declare::{Correct, Decide, Declare},
    sets::{Close, Reveal, Seal},
};
use crate::blob::{
    deposits::Deposit,
    disputes::{Claim, Ruling},
    office::Receipt,
    resync::Resync,
};

/// The body of a letter, by kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Body {
    /// A `charter` letter: the terms of one game. See [`Charter`].
    Charter(Box<Charter>),
    /// An `accept` letter: it accepts a charter. See [`Accept`].
    Accept(Accept),
    /// A `seal` letter: commitments to the keys of a set. See [`Seal`].
    Seal(Seal),
    /// A `declare` letter: the rolls for a slot. See [`Declare`].
    Declare(Box<Declare>),
    /// A `reveal` letter: the keys of selected places. See [`Reveal`].
    Reveal(Reveal),
    /// A `decide` letter: an open decision. See [`Decide`].
    Decide(Decide),
    /// A `correct` letter: a proposal to correct dice, or its answer. See [`Correct`].
    Correct(Correct),
    /// A `claim` letter: a stall, a dispute or a forfeit between players. See [`Claim`].
    Claim(Claim),
    /// A `ruling` letter: a decision by the referee. See [`Ruling`].
    Ruling(Ruling),
    /// A `receipt` letter by the office or the referee. See [`Receipt`].
    Receipt(Receipt),
    /// A `resync` message, in no chain: an ask or its answer. See [`Resync`].
    Resync(Resync),
    /// A `deposit` message, in no chain: the wrapped secret of a set. See [`Deposit`].
    Deposit(Deposit),
    /// A `withdraw` message, in no chain: it takes a charter back. See [`Withdraw`].
    Withdraw(Withdraw),
    /// A `close` letter: a player stops. See [`Close`].
    Close(Close),
}
