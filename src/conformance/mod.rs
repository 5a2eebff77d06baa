//! Test vectors (`vectors/README.md`): whoever implements the protocol runs them.

mod case;
mod hidden;
mod keys;
mod letters;
mod run;
mod seals;
mod systems;

pub use run::{Run, check, compute, transcript};
