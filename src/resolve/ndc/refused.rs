//! Why an input, a sheet or a setting is refused, with the rule (`protocol/ndc.md`).

use std::fmt;

use crate::error::Error;

pub(super) fn refuse(rule: u64, text: impl fmt::Display) -> Error {
    Error::Refused(format!("ndc {rule}: {text}"))
}
