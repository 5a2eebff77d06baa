//! Blanks: words in capitals that printed commands and files contain for the player to replace. A blank that is left
//! unchanged is refused, and never signed.

use crate::{blob::json::Value, resolve::event_tables::WHO};

/// Defines a constant for each blank, for the messages that print it, and a list of all blanks, for the check.
macro_rules! blanks {
    ($($name:ident = $text:literal;)+) => {
        $(pub(super) const $name: &str = $text;)+
        const ALL: &[&str] = &[$($text),+];
    };
}

blanks! {
    ATTACKS = "ATTACKS.csv";
    CHOICE = "YOUR CHOICE";
    IS_MEANT = "WHY THIS ONE COUNTS";
    IS_WRONG = "WHAT IS WRONG";
    MOVED = "WHAT MOVED";
    ORDERS = "ORDERS.toml";
    ROLLS = "ROLLS.csv";
    SHEET = "SHEET.toml";
    TEXT_FILE = "TEXT-FILE";
    TURN = "TURN.toml";
    WAS_WRONG = "WHAT WAS WRONG";
}

/// Whether a text is a blank of a printed command, or one of a form or a template, such as `PUT A HEX HERE`.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    ALL.contains(&text) || text == WHO || text.starts_with("PUT ") && text.ends_with(" HERE")
}

/// Returns the first blank left in the values of a file.
pub(super) fn left_in(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text.as_str()).filter(|text| is_blank(text)),
        Value::Array(items) => items.iter().find_map(left_in),
        Value::Object(fields) => fields
            .iter()
            .find_map(|(key, value)| Some(key.as_str()).filter(|key| is_blank(key)).or_else(|| left_in(value))),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}
