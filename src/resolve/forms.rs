//! The forms and descriptions of a course that people read and fill in. No verdict depends on them.
//!
//! A form is TOML with comments. People fill it in as a file, and the desk shows it as a page: both read the same
//! comments, so they follow these conventions.
//! - A comment above a line, or after it, explains it. A line that begins with `## ` is about writing the file.
//! - A line such as `# key = value`, `# [table]` or `# [[tables]]` is a part that may be filled in.
//! - `one of: a, b` and, for a list, `any of: a, b` name the allowed values, up to a semicolon or the end of the line.
//! - A comment after a number may begin with its range, such as `0 to 9`.
//! - A comment that begins with [`AS_IT_IS`] is after a value that its block needs.
//! - A line `#   key: text` above a table or a list of tables is about that key in it, and in those right below it.

use super::Object;
use crate::{
    blob::{
        body::Role,
        json::{Text, Value},
    },
    error::{Error, Result},
};

/// Marks a value in a form that nobody changes.
pub const AS_IT_IS: &str = "leave this line as it is";

/// Lists the allowed values of an entry in a form.
pub(super) fn one_of<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    format!("one of: {}", words.into_iter().collect::<Vec<_>>().join(", "))
}

/// A part of a position that everybody knows, as a table for people. Each row has a cell for each column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionTable {
    /// What the table shows, in a few words.
    pub title: String,
    /// The heads of the columns.
    pub columns: &'static [&'static str],
    /// The cells of each row.
    pub rows: Vec<Vec<String>>,
}

/// The forms and descriptions of a course. Only [`Course`](super::Course) judges what people fill in.
pub trait Forms {
    /// Says what a setting is about.
    fn about(&self, setting: &str) -> Option<String>;

    /// Describes a state in one line, for people.
    ///
    /// # Errors
    /// [`Error::Refused`] if `state` is not a state of this system.
    fn tell(&self, state: &Object) -> Result<String>;

    /// Returns the position as tables, if one line does not describe it.
    ///
    /// # Errors
    /// [`Error::Refused`] if `state` is not a state of this system.
    fn position(&self, state: &Object) -> Result<Vec<PositionTable>> {
        let _ = state;
        Ok(Vec::new())
    }

    /// Returns the form for the next declaration: TOML to fill in, with comments. `before` is the author's previous
    /// input, if any.
    ///
    /// # Errors
    /// [`Error::Refused`] if `state` is not a state of this system.
    fn form(&self, state: &Object, before: Option<&Text>) -> Result<String>;

    /// Returns the form for a declaration with what was declared, for somebody who corrects it. `state` is the state
    /// on which it was declared.
    ///
    /// # Errors
    /// [`Error::Refused`] if `state` is not a state of this system.
    fn form_again(&self, state: &Object, declared: &Text) -> Result<String> {
        self.form(state, Some(declared))
    }

    /// Whether the system takes standing notes (courses 12).
    fn takes_standing_notes(&self) -> bool {
        false
    }

    /// Returns the form for a player's standing note (courses 12) as TOML. `declarer` rolls in that turn, if the state
    /// determines who does. It is `None` if the turn cannot ask the player anything that a note answers.
    fn standing_form(&self, by: &Role, declarer: Option<&Role>) -> Option<String> {
        let _ = (by, declarer);
        None
    }

    /// Returns the form for a player's orders in the turn that a state awaits: TOML with comments.
    ///
    /// # Errors
    /// [`Error::Refused`] if the system does not take orders, or the state is not one of its states.
    fn orders_form(&self, state: &Object, by: &Role) -> Result<String> {
        let _ = (state, by);
        Err(no_orders())
    }

    /// Converts orders as a player writes them into the form in which they are sealed.
    ///
    /// # Errors
    /// [`Error::Refused`] if a rule does not allow the orders in that state. Sealed anyway, they would be a violation.
    fn read_orders(&self, state: &Object, by: &Role, written: &Object) -> Result<Object> {
        let _ = (state, by, written);
        Err(no_orders())
    }

    /// Lists orders in words, for the player who is about to seal them. `orders` are in the form in which they are
    /// sealed. It names the units that have no order.
    ///
    /// # Errors
    /// [`Error::Refused`] if the system does not take orders, or cannot read these.
    fn orders_in_words(&self, state: &Object, by: &Role, orders: &Object) -> Result<Vec<String>> {
        let _ = (state, by, orders);
        Err(no_orders())
    }

    /// Lists opened orders in words; `None` if the system has no words of its own for them.
    fn opened_orders(&self, orders: &Object) -> Option<Vec<String>> {
        let _ = orders;
        None
    }

    /// Lists in words what a player has proposed, if the state awaits an answer to a proposal. Otherwise the list is
    /// empty.
    ///
    /// # Errors
    /// [`Error::Refused`] if `state` is not a state of this system.
    fn proposal(&self, state: &Object) -> Result<Vec<String>> {
        let _ = state;
        Ok(Vec::new())
    }

    /// Lists in words a decision that has several parts; `None` if the system has no words of its own for it.
    fn decision_in_words(&self, name: &str, value: &Value) -> Option<Vec<String>> {
        let _ = (name, value);
        None
    }

    /// Returns the form for the decision that a state awaits, as TOML, or `None` if the decision is a single word to
    /// type.
    ///
    /// # Errors
    /// [`Error::Refused`] if `state` is not a state of this system.
    fn choice_form(&self, state: &Object) -> Result<Option<String>> {
        let _ = state;
        Ok(None)
    }

    /// Converts a decision as a player types it into the value that is signed.
    ///
    /// # Errors
    /// [`Error::Refused`] with the allowed choices, if the text is unreadable or ambiguous.
    fn read_choice(&self, state: &Object, name: &str, typed: &str) -> Result<Value> {
        let _ = (state, name);
        Ok(Value::from(typed))
    }
}

fn no_orders() -> Error {
    Error::Refused("this system does not use orders; leave them out (courses 18)".into())
}
