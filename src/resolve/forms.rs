//! What people read and fill in of a course, apart from its rules: no verdict depends on it.

use super::Object;
use crate::{
    blob::{
        body::Role,
        json::{Text, Value},
    },
    error::{Error, Result},
};

/// What people read and fill in of a course. What they give is judged by [`Course`](super::Course) alone.
pub trait Forms {
    /// A state in one line, for people.
    ///
    /// # Errors
    /// [`Error::Refused`] if it is no state of this system.
    fn tell(&self, state: &Object) -> Result<String>;

    /// What the next declaration states, as TOML to fill in, with comments for people. `before` is what the same
    /// author stated last, if anything.
    ///
    /// # Errors
    /// [`Error::Refused`] if it is no state of this system.
    fn form(&self, state: &Object, before: Option<&Text>) -> Result<String>;

    /// A standing note (courses 12), as TOML to fill in; none if the system takes none.
    fn standing_form(&self) -> Option<String> {
        None
    }

    /// What a player orders for the turn that a state awaits, as TOML to fill in, with comments for people.
    ///
    /// # Errors
    /// [`Error::Refused`] if the system takes no orders, or it is no state of it.
    fn orders_form(&self, state: &Object, by: &Role) -> Result<String> {
        let _ = (state, by);
        Err(no_orders())
    }

    /// Orders as a player writes them, in the form in which they are sealed.
    ///
    /// # Errors
    /// [`Error::Refused`] with what a rule does not allow in that state: sealed all the same it would be a violation.
    fn read_orders(&self, state: &Object, by: &Role, written: &Object) -> Result<Object> {
        let _ = (state, by, written);
        Err(no_orders())
    }

    /// What the decision that a state awaits states, as TOML to fill in; none if it is a word that is typed.
    ///
    /// # Errors
    /// [`Error::Refused`] if it is no state of this system.
    fn choice_form(&self, state: &Object) -> Result<Option<String>> {
        let _ = state;
        Ok(None)
    }

    /// A decision that a state awaits as a player types it, as the value that is signed.
    ///
    /// # Errors
    /// [`Error::Refused`] with what may be typed, if the text can be read in no way, or in two.
    fn read_choice(&self, state: &Object, name: &str, typed: &str) -> Result<Value> {
        let _ = (state, name);
        Ok(Value::from(typed))
    }

    /// What may be typed for the decision that a state awaits, line by line; none if that is a word or a text.
    ///
    /// # Errors
    /// [`Error::Refused`] if it is no state of this system.
    fn choices(&self, state: &Object) -> Result<Option<String>> {
        let _ = state;
        Ok(None)
    }
}

fn no_orders() -> Error {
    Error::Refused("the system takes no orders (courses 18)".into())
}
