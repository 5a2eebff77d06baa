//! Test vectors (`vectors/README.md`): whoever implements the protocol runs them.

mod case;
mod hidden;
mod keys;
mod run;

pub use run::{Run, check, compute, transcript};
