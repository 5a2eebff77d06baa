//! System `ocs-initiative`: who goes first, markers on the Bar, Flux turns (`protocol/ocs-initiative.md`).

mod course;
mod form;
mod input;
mod settings;
mod state;
mod turn;

pub use course::OcsInitiative;
