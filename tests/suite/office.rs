//! The office as a service: its stores, what it opens, what it survives, and what clients it endures.

mod kills;
mod service;
mod store;
pub(crate) mod world;
