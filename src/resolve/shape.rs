//! The shape of a system: how an input is read, which places its rolls take, and what the draws come to; and of a
//! course, which goes on from turn to turn (`protocol/courses.md`).

use std::fmt;

use super::{
    account::Account,
    draws::{Draws, Place},
    forms::Forms,
    hidden::Hidden,
    object::Object,
};
use crate::{
    blob::{
        body::{self, Ended, Role, Select},
        json::{Text, Value},
    },
    error::Result,
    limits::NOTE_STEP,
};

/// Which places an input's rolls take, and how a declaration writes it down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The place of each roll, in the order of the rolls.
    pub places: Vec<Place>,
    /// The `select` of the declaration; `None` if nothing is rolled.
    pub select: Option<Select>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Done, or stopped for a decision.
    pub ended: Ended,
    /// The state after it.
    pub state: Object,
    /// What everybody may know.
    pub public: Text,
    /// What only some may know, by role.
    pub private: Object,
    /// Which decisions are needed; empty when done.
    pub needs: Object,
    /// What of the orders, or of what else letters say, broke a rule of the game (courses 19), in its order.
    pub violations: Vec<Violation>,
}

impl Outcome {
    /// An outcome that needs nothing and hides nothing.
    #[must_use]
    pub fn done(state: Object, public: Text) -> Self {
        Self { ended: Ended::Done, state, public, private: Object::new(), needs: Object::new(), violations: Vec::new() }
    }
}

/// Something signed that breaks a rule of the game, and changes nothing but itself (courses 19).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Role of the player who signed what breaks the rule.
    pub by: Role,
    /// The rule, and what broke it.
    pub text: String,
}

/// A system with its settings and tables, ready to read inputs.
pub trait Resolver {
    /// Where its dice come from.
    fn source(&self) -> body::Source;

    /// Reads an input in whatever notation. In a redo, rolls name no places of their own.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::error::Error::Refused) with what the rules do not allow.
    fn read(&self, input: &Text, redo: bool) -> Result<Box<dyn Rolls>>;

    /// Its course, if it has a state that goes on from turn to turn (`protocol/courses.md`).
    fn course(&self) -> Option<&dyn Course> {
        None
    }
}

/// A system that goes on from turn to turn: what each state awaits, and what decisions make of it
/// (`protocol/courses.md` 1 to 4).
pub trait Course: Forms {
    /// The players whom its settings name.
    fn roles(&self) -> Vec<&Role>;

    /// Whether the state says who declares (courses 17).
    fn names_declarer(&self) -> bool;

    /// Whether the dice of one declaration are thrown for both sides alike: they say nothing of its declarer's luck.
    fn rolls_for_both(&self) -> bool {
        false
    }

    /// Whether both players order at once for each declaration (courses 18).
    fn takes_orders(&self) -> bool {
        false
    }

    /// How many phases a charter has of it, each with one impulse (courses 17).
    fn phases(&self) -> usize;

    /// Where a course is declared first that begins with a state which awaits a turn: the turn, and which of its places
    /// in that turn, from 0.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::error::Error::Refused) if it is no state of this system.
    fn first_place(&self, state: &Object) -> Result<(u64, usize)>;

    /// The state with which it begins.
    ///
    /// # Errors
    /// None that settings can cause.
    fn begin(&self) -> Result<Object>;

    /// What a state awaits.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::error::Error::Refused) if it is no state of this system.
    fn awaits(&self, state: &Object) -> Result<Awaits>;

    /// What a decision makes of a state that awaits it, by whom it awaits it from, with an account of that.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::error::Error::Refused) with what the rules do not allow.
    fn decide(&self, state: &Object, name: &str, value: &Value, account: &mut Account) -> Result<Outcome>;

    /// The decision that a wish of a standing note makes, where a state awaits one (courses 14), before it is asked
    /// whether the state allows it; none if it makes none.
    fn wished(&self, state: &Object, wish: &Value) -> Option<Value> {
        let _ = state;
        Some(wish.clone())
    }

    /// How many bytes every standing note, or orders, are padded to in a state, so that their length tells nothing: a
    /// multiple of 256.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::error::Error::Refused) if it is no state of this system.
    fn note_bytes(&self, state: &Object) -> Result<usize> {
        let _ = state;
        Ok(NOTE_STEP)
    }

    /// Its second reading, if each side knows only its own (`protocol/hidden.md`).
    fn hidden(&self) -> Option<&dyn Hidden> {
        None
    }

    /// That a standing note says something (courses 14), before it is sealed.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::error::Error::Refused) with what it may say.
    fn check_standing(&self, says: &Object) -> Result<()>;
}

/// What a state awaits (courses 2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Awaits {
    /// A declaration of the next place; by whom, if the state says that.
    Turn(Option<Role>),
    /// One more declaration of the same place; likewise.
    More(Option<Role>),
    /// A decision by one player (courses 2).
    Decision {
        /// What it is called.
        name: String,
        /// Role of the player who decides.
        by: Role,
        /// What may be chosen, for people.
        what: String,
    },
}

impl fmt::Display for Awaits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turn(Some(by)) => write!(f, "the next turn, declared by {by}"),
            Self::Turn(None) => f.write_str("the next turn"),
            Self::More(Some(by)) => write!(f, "another roll of the turn, declared by {by}"),
            Self::More(None) => f.write_str("another roll of the turn"),
            Self::Decision { name, by, what } => write!(f, "the decision {name} by {by}: {what}"),
        }
    }
}

/// What dice are resolved on, besides the input.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// The state before.
    pub state: &'a Object,
    /// What orders say, by role (courses 18).
    pub orders: &'a [(Role, Object)],
}

impl<'a> Given<'a> {
    /// A state, and no orders.
    #[must_use]
    pub const fn state(state: &'a Object) -> Self {
        Self { state, orders: &[] }
    }
}

/// An input that was read: what is rolled for.
pub trait Rolls {
    /// The input in its one canonical form (declare 4).
    ///
    /// # Errors
    /// None that an input can cause.
    fn canonical(&self) -> Result<Text>;

    /// The input in the form for a redo, in which rolls name no places of their own (declare 11).
    ///
    /// # Errors
    /// None that an input can cause.
    fn for_redo(&self) -> Result<Text>;

    /// That a course takes this input in a state (declare 15), in a redo too.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::error::Error::Refused) with what the rules do not allow.
    fn fits(&self, state: &Object) -> Result<()> {
        let _ = state;
        Ok(())
    }

    /// How many rolls it asks for.
    fn count(&self) -> u64;

    /// The places of the rolls (declare 9), where `state` is what a sheet has spent; not for a redo.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::error::Error::Refused) with what the rules do not allow in this state.
    fn plan(&self, state: &Object) -> Result<Plan>;

    /// Resolves on drawn values. `places` has one place a roll: those of the plan, or in a redo the lines of the
    /// foul-up envelope. The account stays empty where the draws say it all.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::error::Error::Refused) if a draw cannot be had, or `places` do not fit the input.
    fn resolve(
        &self,
        given: Given<'_>,
        places: &[Place],
        draws: &mut Draws<'_>,
        account: &mut Account,
    ) -> Result<Outcome>;
}

/// What a system's folder provides beside its [`Resolver`].
pub trait Settled: Resolver + Sized {
    /// All settings, with the values that a template writes; tables may say which there are. Those of [`Self::stated`]
    /// have no pre-fill: their values here are an example of their form, and nobody plays or computes with them.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::error::Error::Refused) if tables that say it are missing or wrong.
    fn prefill(tables: &Object) -> Result<Object>;

    /// The settings without a pre-fill: every charter and every `what-if` case states them.
    #[must_use]
    fn stated(tables: &Object) -> Vec<String> {
        let _ = tables;
        Vec::new()
    }

    /// Parses all settings, and the tables that they call for.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::error::Error::Refused) with the setting or the table that is missing, unknown or
    /// wrong.
    fn settle(settings: &Object, tables: &Object) -> Result<Self>;
}
