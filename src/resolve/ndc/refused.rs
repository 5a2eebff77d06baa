//! Refusals of inputs, sheets and settings, with their rules (`protocol/ndc.md`).

use std::fmt;

use crate::error::Error;

pub(super) fn refuse(rule: u64, text: impl fmt::Display) -> Error {
    Error::Refused(format!("ndc {rule}: {text}"))
}
