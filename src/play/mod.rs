//! The actions that a player, a referee or an office that answers by mail can take in a stored game, as functions from
//! values to values. Each verb reads the game's folder, replays the letters in it and adds letters to it; no other
//! state is kept. The user is a [`Person`](session::Person), who answers questions, unlocks the key and receives
//! progress lines. This module never prints, parses arguments or ends the program. Its sentences are plain text, safe
//! to show.

pub mod accept;
pub mod acquaintances;
#[cfg_attr(not(feature = "client"), path = "no_office.rs")]
pub mod at_office;
mod attack_cells;
pub mod away;
pub mod blanks;
pub mod cells;
pub mod charter_file;
mod claims;
mod clock;
pub mod close;
pub mod compared;
pub mod continuing;
pub mod correct;
mod days;
pub mod decide;
pub mod declare;
pub mod declaring;
mod deposits;
pub mod dispute;
mod draft;
#[cfg(feature = "client")]
mod exchange;
#[cfg(feature = "client")]
pub mod exchanged;
pub mod failure;
pub mod find;
pub mod forget;
mod forks;
pub mod form;
pub mod game;
pub mod hand;
pub mod handed;
mod index;
mod intake;
#[cfg(feature = "client")]
pub mod joining;
pub mod journal;
pub mod last_dice;
pub mod listing;
mod lists;
mod locked;
mod machine;
pub mod mendable;
pub mod moving;
mod named;
pub mod note;
mod notes;
mod office_epoch;
mod owed;
mod position;
mod post;
pub mod questions;
pub mod read;
pub mod received;
pub mod reply;
pub mod resync;
pub mod reveal;
pub mod rows;
pub mod rule;
pub mod seal;
mod seals;
pub mod session;
mod sheet;
mod shown;
mod sign;
pub mod state;
pub mod status;
mod status_of_office;
mod status_of_referee;
mod status_of_third;
pub mod step;
mod table;
pub mod tables;
mod taken;
pub mod terms;
mod toml_terms;
pub mod typing;
pub mod withdraw;
mod workbook;
pub mod worksheet;
