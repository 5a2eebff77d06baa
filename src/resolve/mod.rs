//! Resolvers: pure functions from settings, tables, state, input and draws to an outcome. They take draws from a source
//! and know nothing about keys, seals or letters, so anyone can run them again.

pub mod account;
mod answers;
pub mod cil;
pub mod coin_envelopes;
pub mod draws;
pub mod event_tables;
mod forms;
pub mod hidden;
pub mod icrk;
pub mod ndc;
mod object;
pub mod ocs_initiative;
pub mod registry;
mod shape;
pub mod values;
pub mod what_if;

pub use account::Account;
pub use answers::{Answers, NONE, Names};
pub use draws::{Draw, Draws, Listed, Place, Source};
pub use forms::{AS_IT_IS, Forms};
pub use hidden::Hidden;
pub use object::Object;
pub(crate) use object::{object, read, read_input};
pub use registry::System;
pub use shape::{Awaits, Course, Given, Outcome, Plan, Resolver, Rolls, Settled, Violation};
