//! Resolvers: pure functions from settings, tables, state, input and draws to an outcome. They take draws from a source
//! and know nothing about keys, seals or letters, so anyone can run them again.
//!
//! Read [`what_if`] first, which runs any system on dice that you state. Then read what a system is: [`Resolver`]
//! reads inputs, [`Rolls`] places and resolves them, and [`draws`] supplies the dice. [`System`] is the list of all
//! systems, of which [`icrk`] is the shortest and [`coin_envelopes`] the one with arithmetic. The others are a
//! [`Course`], whose state goes on from turn to turn; some are also [`Hidden`].
//!
//! ```
//! use sealed_dice::{
//!     blob::json::{self, Map, Text},
//!     resolve::{Account, Draws, Given, Listed, System},
//! };
//!
//! let icrk = System::settle("icrk", &System::prefill("icrk", &Map::new())?, &Map::new())?;
//! let input = Text::of(&json::parse(br#"{"rolls":[{"cell":"A1","why":"K12 2-1"}]}"#)?)?;
//! let rolls = icrk.resolver().read(&input, false)?;
//! let places = rolls.plan(&Map::new())?.places;
//! let mut dice = Listed::new(&[4]); // in a game, the dice come from opened envelopes
//! let outcome = rolls.resolve(Given::state(&Map::new()), &places, &mut Draws::new(&mut dice), &mut Account::none())?;
//! assert_eq!(outcome.public.as_str(), r#"{"rolls":[{"cell":"A1","value":4,"why":"K12 2-1"}]}"#);
//! assert_eq!(outcome.state["spent"]["A"], 1);
//! # Ok::<(), sealed_dice::error::Error>(())
//! ```

pub mod account;
mod allowed_answers;
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
pub use allowed_answers::{AllowedAnswers, Lines, Names};
pub use draws::{Draw, Draws, Listed, Place, Source};
pub use forms::{AS_IT_IS, Forms, PositionTable};
pub use hidden::Hidden;
pub use object::Object;
pub(crate) use object::{object, read, read_input};
pub use registry::System;
pub use shape::{Awaits, Course, Given, Outcome, Plan, Resolver, Rolls, Settled, Violation};
