//! The verbs of a lasting game: what two people who play by mail type. Each verb reads the game's folder, replays it,
//! and adds letters to it; nothing else is kept.

pub(super) mod accept;
#[cfg_attr(not(feature = "office"), path = "no_office.rs")]
pub(super) mod at_office;
mod charter_file;
mod claims;
mod clock;
pub(super) mod close;
pub(super) mod compared;
pub(super) mod continuing;
pub(super) mod correct;
mod days;
pub(super) mod decide;
pub(super) mod declare;
pub(super) mod declaring;
mod deposits;
pub(super) mod dispute;
mod epoch;
#[cfg(feature = "office")]
mod exchange;
mod find;
pub(super) mod forget;
mod forks;
mod fresh;
pub(super) mod game;
mod index;
mod intake;
#[cfg(feature = "office")]
pub(super) mod joining;
mod lists;
mod locked;
mod machine;
pub(super) mod moving;
pub(super) mod note;
mod notes;
mod officed;
mod owed;
mod post;
mod printed;
pub(super) mod read;
mod refereed;
pub(super) mod reply;
pub(super) mod resync;
pub(super) mod reveal;
pub(super) mod rule;
pub(super) mod seal;
mod seals;
mod sheet;
pub(super) mod sign;
pub(super) mod status;
mod table;
mod taken;
pub(super) mod terms;
mod toml_terms;
mod typed;
mod typing;
pub(super) mod withdraw;

pub(super) use find::letters_of_game;
