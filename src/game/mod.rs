//! A game: its terms, its sets, the order of its letters, what they come to, and the audit of it all.

pub mod asks;
pub mod audit;
mod branches;
pub mod charter;
pub mod continued;
pub mod corrections;
pub mod courses;
pub mod days;
pub mod declarations;
pub mod deposits;
mod disputes;
pub mod hidden;
pub mod ids;
pub mod keys;
pub mod ledger;
pub mod office;
mod open;
pub mod opener;
pub mod order;
pub mod repeats;
mod rulings;
pub mod seals;
pub mod secrets;
pub mod sets;
pub mod state;
pub mod steps;
pub mod tasks;
