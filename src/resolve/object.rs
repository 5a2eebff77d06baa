//! Objects of canonical JSON, and how a system reads what is its own.

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    blob::json::{self, Map, Text, Value},
    error::{Error, Result},
};

/// An object of canonical JSON: settings, tables, a state, an input.
pub type Object = Map<String, Value>;

/// Reads a part of a case into its type; whatever is wrong with it is its author's mistake.
pub(crate) fn read<T: DeserializeOwned>(what: &str, value: &Object) -> Result<T> {
    json::read_object(value).map_err(|error| Error::Refused(format!("{what}: {error}")))
}

/// Reads an input into its type; whatever is wrong with it is its author's mistake.
pub(crate) fn read_input<T: DeserializeOwned>(input: &Text) -> Result<T> {
    input.read().map_err(|error| Error::Refused(format!("input: {error}")))
}

/// An object of anything serializable that is one.
pub(crate) fn object(value: &impl Serialize) -> Result<Object> {
    match json::to_value(value)? {
        Value::Object(fields) => Ok(fields),
        _ => Err(Error::Misuse("this is no object".into())),
    }
}
