//! Objects of canonical JSON, and how a system parses its parts of them.

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    blob::json::{self, Map, Text, Value},
    error::{Error, Result},
};

/// An object of canonical JSON: settings, tables, a state, an input.
pub type Object = Map<String, Value>;

/// Parses a part of a case into its type. Errors are the author's mistake.
pub(crate) fn read<T: DeserializeOwned>(what: &str, value: &Object) -> Result<T> {
    json::read_object(value).map_err(|error| Error::Refused(format!("{what}: {error}")))
}

/// Parses an input into its type. Errors are the author's mistake.
pub(crate) fn read_input<T: DeserializeOwned>(input: &Text) -> Result<T> {
    input.read().map_err(|error| Error::Refused(format!("input: {error}")))
}

/// Converts a value that serializes to an object.
pub(crate) fn object(value: &impl Serialize) -> Result<Object> {
    match json::to_value(value)? {
        Value::Object(fields) => Ok(fields),
        _ => Err(Error::Misuse("the value must be an object".into())),
    }
}
