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
    /// See [`Charter`].
    Charter(Box<Charter>),
    /// See [`Accept`].
    Accept(Accept),
    /// See [`Seal`].
    Seal(Seal),
    /// See [`Declare`].
    Declare(Box<Declare>),
    /// See [`Reveal`].
    Reveal(Reveal),
    /// See [`Decide`].
    Decide(Decide),
    /// See [`Correct`].
    Correct(Correct),
    /// See [`Claim`].
    Claim(Claim),
    /// See [`Ruling`].
    Ruling(Ruling),
    /// See [`Receipt`].
    Receipt(Receipt),
    /// See [`Resync`].
    Resync(Resync),
    /// See [`Deposit`].
    Deposit(Deposit),
    /// See [`Withdraw`].
    Withdraw(Withdraw),
    /// See [`Close`].
    Close(Close),
}
