//! Canonical JSON (`protocol/json.md`): each value has exactly one encoding.

mod fields;
mod tree;
mod typed;

pub use serde_json::{Map, Value};
pub use tree::{Tree, encode, parse, parse_canonical, to_value};
pub use typed::{Text, read, read_object};

pub(crate) use tree::ascending;
pub(crate) use typed::read_value;
