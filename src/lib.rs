//! Dice for board wargames by mail that neither player can steer, peek at or deny.
//!
//! The protocol is in `protocol/`; each item here names the rule that it carries out. Modules depend downward only:
//! [`cli`] on [`play`], that on `office`, [`mail`], [`keep`] and [`report`], those on [`game`], that on [`resolve`] and [`blob`], those on
//! [`primitive`]. Nothing below `keep` does input or output, reads a clock or asks the system for randomness: these come in
//! as values.

pub mod blob;
pub mod cli;
#[doc(hidden)]
pub mod conformance;
pub mod error;
pub mod game;
pub mod keep;
pub mod limits;
pub mod mail;
#[cfg(feature = "office")]
pub mod office;
pub mod play;
pub mod primitive;
pub mod report;
pub mod resolve;
pub mod rule;
