//! Runs the verbs of `play` for the person at this terminal.

use super::{answer::Answer, options::Signing, person::AtTerminal, told};
use crate::{
    keep::home::Home,
    play::{failure::Failure, handed::Handed, session::Session},
};

/// Runs a verb that signs, and hands over the letters that it signed.
pub(super) fn signs(
    home: &Home,
    signing: &Signing,
    verb: impl FnOnce(&Session<'_>) -> Result<Handed, Failure>,
) -> Result<Answer, Answer> {
    let person = AtTerminal::from(signing);
    let handed = verb(&Session { home, person: &person })?;
    told::handed(handed, signing.out.as_deref())
}

/// Runs a verb that signs nothing.
pub(super) fn asks<T>(home: &Home, verb: impl FnOnce(&Session<'_>) -> Result<T, Failure>) -> Result<T, Answer> {
    let person = AtTerminal::who_says(false);
    Ok(verb(&Session { home, person: &person })?)
}

/// Runs a verb that may need the key, and returns its result.
pub(super) fn unlocks<T>(
    home: &Home,
    signing: &Signing,
    verb: impl FnOnce(&Session<'_>) -> Result<T, Failure>,
) -> Result<T, Answer> {
    let person = AtTerminal::from(signing);
    Ok(verb(&Session { home, person: &person })?)
}
