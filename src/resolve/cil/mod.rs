//! System `cil`: battles by simultaneous orders from both sides (`protocol/cil.md`).

mod battle;
mod course;
mod fight;
mod forces;
mod form;
mod fought;
mod hits;
mod orders;
mod outcome;
mod place;
mod round;
mod settings;
mod state;
mod told;
mod worksheet;

pub use course::Cil;
