//! The command line: a thin layer over the library. Arguments are in `args`, each command has a file of its own, and
//! only `terminal` prints.

mod answer;
mod args;
#[cfg(feature = "client")]
mod at_office;
pub mod audit;
mod blanks;
mod clipboard;
mod demo;
#[cfg(feature = "desk")]
mod desk;
mod files;
mod help;
mod home;
mod key;
#[cfg(feature = "office")]
mod office;
#[cfg(feature = "client")]
mod office_args;
mod options;
mod out_file;
#[cfg(feature = "packaging")]
mod packaging;
mod person;
mod questions;
mod run;
pub mod secrets;
mod select;
mod session;
mod stats;
mod terminal;
mod told;
mod vectors;
mod verbs;
mod version;
mod what_if;

pub use run::main;
