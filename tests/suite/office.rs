//! The office as a service: its stores, what it opens, what it survives, and what clients it endures.

mod copies;
mod curve;
mod forgot;
mod hostile;
mod keys;
mod kills;
#[cfg(feature = "fail-points")]
mod model;
mod operator;
mod pair;
mod room;
mod service;
mod store;
mod time;
mod told;
pub(crate) mod world;
