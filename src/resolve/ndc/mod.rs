//! System `ndc`: NATO Division Commander by mail (`protocol/ndc.md`), a hidden course.

mod attack;
mod cells;
mod check;
mod course;
mod defence;
mod form;
mod game;
mod hand;
mod hexes;
mod housekeeping;
mod input;
mod mover;
mod moves;
mod names;
mod orders;
mod own;
mod position;
mod refused;
mod run;
mod search;
mod settings;
mod sheet;
mod shown;
mod state;
mod tables;
mod tell;
mod turn;

pub use course::Ndc;
pub use names::{AboutTable, about_table};
