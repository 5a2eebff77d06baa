//! Test vectors for implementations of the protocol (`vectors/README.md`).

mod case;
mod hidden;
mod keys;
mod letters;
mod run;
mod seals;
mod systems;

pub use run::{Run, check, compute, transcript};
