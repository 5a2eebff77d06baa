//! What a vector gives, as a type.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    blob::json::{self, Tree},
    error::{Error, Result},
};

/// Reads what is given; a vector that does not fit its layer is a mistake of the vector, not a refusal.
pub(super) fn read<T: DeserializeOwned>(given: &Value) -> Result<T> {
    Tree::of(given).and_then(|given| json::read(&given)).map_err(|error| Error::Misuse(error.to_string()))
}
