//! The traits of a system, which reads inputs, places rolls and resolves draws, and of a course, whose state continues
//! from turn to turn (`protocol/courses.md`).

use std::fmt;

use super::{
    account::Account,
    allowed_answers::AllowedAnswers,
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

/// The places of an input's rolls, and how a declaration records them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The place of each roll, in the order of the rolls.
    pub places: Vec<Place>,
    /// The `select` of the declaration; `None` without rolls.
    pub select: Option<Select>,
}

/// Result of a declaration or a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whether everything is resolved, or a decision is needed.
    pub ended: Ended,
    /// The resulting state.
    pub state: Object,
    /// Results that everybody may know.
    pub public: Text,
    /// Results that only some may know, by role.
    pub private: Object,
    /// Decisions needed; empty when done.
    pub needs: Object,
    /// Game-rule violations in orders and other letters (courses 19), in order of occurrence.
    pub violations: Vec<Violation>,
}

impl Outcome {
    /// Creates an outcome without needed decisions or private results.
    #[must_use]
    pub fn done(state: Object, public: Text) -> Self {
        Self { ended: Ended::Done, state, public, private: Object::new(), needs: Object::new(), violations: Vec::new() }
    }
}

/// A signed statement that breaks a rule of the game and has no further effect (courses 19).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Role of the player who signed it.
    pub by: Role,
    /// The rule and the violation.
    pub text: String,
}

/// A system with its settings and tables, ready to read inputs.
///
/// # Examples
///
/// A resolver corrects the notation of an input, and tells where its rolls belong:
///
/// ```
/// use sealed_dice::{blob::json::{self, Map, Text}, resolve::{Place, System}};
///
/// let system = System::settle("icrk", &System::prefill("icrk", &Map::new())?, &Map::new())?;
/// let input = Text::of(&json::parse(br#"{"rolls":[{"cell":" b-1","why":"supply"}]}"#)?)?;
/// let rolls = system.resolver().read(&input, false)?;
/// assert_eq!(rolls.canonical()?.as_str(), r#"{"rolls":[{"cell":"B1","why":"supply"}]}"#);
/// assert_eq!(rolls.plan(&Map::new())?.places, [Place { index: 1, line: 1 }]);
/// # Ok::<(), sealed_dice::error::Error>(())
/// ```
pub trait Resolver {
    /// Where the dice come from.
    fn source(&self) -> body::Source;

    /// Parses an input in any accepted notation. In a redo, rolls do not name places.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::error::Error::Refused) with what the rules do not allow.
    fn read(&self, input: &Text, redo: bool) -> Result<Box<dyn Rolls>>;

    /// The course, if the system has a state that continues from turn to turn (`protocol/courses.md`).
    fn course(&self) -> Option<&dyn Course> {
        None
    }
}

/// A system whose state continues from turn to turn (`protocol/courses.md` 1 to 4).
///
/// # Examples
///
/// ```
/// use sealed_dice::{blob::json::{Map, Value}, resolve::System};
///
/// let mut settings = System::prefill("ocs-initiative", &Map::new())?;
/// settings.insert("sides".into(), Value::from(vec!["red", "blue"]));
/// settings.insert("first_player".into(), Value::from("red"));
/// let system = System::settle("ocs-initiative", &settings, &Map::new())?;
/// let course = system.resolver().course().ok_or("no course")?;
/// assert_eq!(course.awaits(&course.begin()?)?.to_string(), "the next turn, declared by red");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Course: Forms {
    /// Roles of the players named in the settings.
    fn roles(&self) -> Vec<&Role>;

    /// Whether the state determines who declares (courses 17).
    fn names_declarer(&self) -> bool;

    /// Whether the dice of a declaration are for both sides, so that they say nothing about the declarer's luck.
    fn rolls_for_both(&self) -> bool {
        false
    }

    /// Whether both players give simultaneous orders for each declaration (courses 18).
    fn takes_orders(&self) -> bool {
        false
    }

    /// Number of phases of this course in a charter, each with one impulse (courses 17).
    fn phases(&self) -> usize;

    /// First place of a course that begins with a state awaiting a turn: the turn, and the place within that turn, from
    /// 0.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::error::Error::Refused) if `state` is not a state of this system.
    fn first_place(&self, state: &Object) -> Result<(u64, usize)>;

    /// The initial state.
    ///
    /// # Errors
    /// Only on an internal serialization failure.
    fn begin(&self) -> Result<Object>;

    /// Returns the step that a state awaits.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::error::Error::Refused) if `state` is not a state of this system.
    fn awaits(&self, state: &Object) -> Result<Awaits>;

    /// Applies a decision to a state that awaits it, and adds to the account.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::error::Error::Refused) with what the rules do not allow.
    fn decide(&self, state: &Object, name: &str, value: &Value, account: &mut Account) -> Result<Outcome>;

    /// Returns the decision that a wish in a standing note makes in a state (courses 14), or `None`. Whether the state
    /// allows it is checked later.
    fn wished(&self, state: &Object, wish: &Value) -> Option<Value> {
        let _ = state;
        Some(wish.clone())
    }

    /// Padded length of standing notes and orders in a state, in bytes, so that the length reveals nothing: a multiple
    /// of 256.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::error::Error::Refused) if `state` is not a state of this system.
    fn note_bytes(&self, state: &Object) -> Result<usize> {
        let _ = state;
        Ok(NOTE_STEP)
    }

    /// The hidden part of the course, if each side knows only its own situation (`protocol/hidden.md`).
    fn hidden(&self) -> Option<&dyn Hidden> {
        None
    }

    /// Checks a standing note before it is sealed (courses 14).
    ///
    /// # Errors
    /// [`Error::Refused`](crate::error::Error::Refused) with the allowed contents.
    fn check_standing(&self, says: &Object) -> Result<()>;
}

/// What a state awaits (courses 2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Awaits {
    /// A declaration of the next place, by this role if the state determines it.
    Turn(Option<Role>),
    /// Another declaration of the same place, by this role if the state determines it.
    More(Option<Role>),
    /// A decision by one player (courses 2).
    Decision {
        /// Name of the decision.
        name: String,
        /// What the decision is about, for people.
        about: Option<String>,
        /// Role of the player who decides.
        by: Role,
        /// The answers that the decision allows.
        answers: AllowedAnswers,
    },
}

impl fmt::Display for Awaits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turn(Some(by)) => write!(f, "the next turn, declared by {by}"),
            Self::Turn(None) => f.write_str("the next turn"),
            Self::More(Some(by)) => write!(f, "another roll in the same turn, declared by {by}"),
            Self::More(None) => f.write_str("another roll in the same turn"),
            Self::Decision { name, about, by, answers } => {
                let about = about.as_ref().map(|about| format!(" ({about})")).unwrap_or_default();
                write!(f, "{by}'s decision {name}{about}: {answers}")
            }
        }
    }
}

/// Context for resolving dice, besides the input.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// The previous state.
    pub state: &'a Object,
    /// Orders by role (courses 18).
    pub orders: &'a [(Role, Object)],
}

impl<'a> Given<'a> {
    /// Creates a context with a state and without orders.
    #[must_use]
    pub const fn state(state: &'a Object) -> Self {
        Self { state, orders: &[] }
    }
}

/// A parsed input.
pub trait Rolls {
    /// Returns the input in canonical form (declare 4).
    ///
    /// # Errors
    /// Only on an internal serialization failure.
    fn canonical(&self) -> Result<Text>;

    /// Returns the input in the form for a redo, in which rolls do not name places (declare 11).
    ///
    /// # Errors
    /// Only on an internal serialization failure.
    fn for_redo(&self) -> Result<Text>;

    /// Checks that a course accepts this input in a state (declare 15), also in a redo.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::error::Error::Refused) with what the rules do not allow.
    fn fits(&self, state: &Object) -> Result<()> {
        let _ = state;
        Ok(())
    }

    /// Number of rolls.
    fn count(&self) -> u64;

    /// Returns the places of the rolls (declare 9), given the spent cells of a sheet in `state`. Not for a redo.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::error::Error::Refused) with what the rules do not allow in this state.
    fn plan(&self, state: &Object) -> Result<Plan>;

    /// Resolves the input with draws. `places` has one place for each roll: from the plan, or in a redo the lines of
    /// the foul-up envelope. The account stays empty if the draws explain everything.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::error::Error::Refused) if a draw is unavailable, or `places` does not fit the input.
    fn resolve(
        &self,
        given: Given<'_>,
        places: &[Place],
        draws: &mut Draws<'_>,
        account: &mut Account,
    ) -> Result<Outcome>;
}

/// What a system's folder provides besides its [`Resolver`].
pub trait Settled: Resolver + Sized {
    /// Returns all settings with the values that a template writes. Tables may define settings. Those in
    /// [`Self::stated`] have no default: their values here only show the form.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::error::Error::Refused) if tables that define settings are missing or wrong.
    fn prefill(tables: &Object) -> Result<Object>;

    /// Names of the settings without a default: every charter and every `what-if` case must state them.
    #[must_use]
    fn stated(tables: &Object) -> Vec<String> {
        let _ = tables;
        Vec::new()
    }

    /// Parses all settings and the tables that they require.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::error::Error::Refused) with the setting or the table that is missing, unknown or
    /// wrong.
    fn settle(settings: &Object, tables: &Object) -> Result<Self>;
}
