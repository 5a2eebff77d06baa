//! System `ocs-initiative`: the first player, markers on the Bar, and Flux turns (`protocol/ocs-initiative.md`).

mod course;
mod form;
mod input;
mod settings;
mod state;
mod turn;

pub use course::OcsInitiative;
