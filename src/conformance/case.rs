//! Parsing the `given` part of a test vector.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    blob::json,
    error::{Error, Result},
};

/// Parses the `given` part of a vector. If it does not fit its layer, the vector itself is wrong, so the error is not a
/// refusal.
pub(super) fn read<T: DeserializeOwned>(given: &Value) -> Result<T> {
    json::read_value(given).map_err(|error| Error::Misuse(error.to_string()))
}
