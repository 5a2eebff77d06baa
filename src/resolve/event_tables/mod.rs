//! System `event-tables`: random events from a file that the charter carries (`protocol/event-tables.md`).

mod act;
mod check;
mod checker;
mod conditions;
mod course;
mod dice;
mod form;
mod game;
mod input;
mod orders;
mod playing;
pub(super) mod ranges;
mod situation;
mod state;
mod steps;
mod tables;
mod turn;
mod typed;
mod whole;
mod words;
mod written;

pub use course::EventTables;
pub use form::WHO;
