//! A game: its terms, its sets, the order of its letters, what they come to, and the audit of it all.

pub mod audit;
pub mod charter;
mod corrections;
pub mod declarations;
pub mod ledger;
pub mod opener;
pub mod order;
pub mod sets;
pub mod steps;
pub mod tasks;
