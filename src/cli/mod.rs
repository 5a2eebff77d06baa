//! The command line: a thin edge around the library. Arguments are in `args`, each command in a file of its own, and
//! only `terminal` prints.

mod answer;
mod args;
pub mod audit;
mod backup_page;
mod blanks;
mod demo;
mod files;
mod input;
mod key;
#[cfg(feature = "office")]
mod office;
mod options;
mod out_file;
mod play;
mod run;
pub mod secrets;
mod select;
mod stats;
mod tables;
mod terminal;
mod vectors;
mod what_if;

pub use run::main;
