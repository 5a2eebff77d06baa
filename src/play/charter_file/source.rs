//! A file of terms with its text, so that errors can name the line of a mistake.

use std::{ops::Range, path::Path};

use toml::Spanned;

use crate::{
    blob::json::{self, Value},
    play::failure::{Failure, PlayResult},
};

/// A file with its text, so that errors can point to the place of a mistake.
pub(super) struct Source<'s> {
    pub(super) path: &'s Path,
    pub(super) text: &'s str,
}

impl Source<'_> {
    pub(super) fn mistake(&self, at: Range<usize>, why: impl std::fmt::Display) -> Failure {
        let before = self.text.get(..at.start).unwrap_or_default();
        Failure::refused(format!("{}{why}", self.place(Some(before.matches('\n').count() + 1))))
    }

    /// Returns the beginning of a message: the file and the line, or nothing for a text that no person has written.
    pub(super) fn place(&self, line: Option<usize>) -> String {
        match line {
            _ if self.path.as_os_str().is_empty() => String::new(),
            Some(line) => format!("{}, line {line}: ", self.path.display()),
            None => format!("{}: ", self.path.display()),
        }
    }

    pub(super) fn word<T>(&self, word: &Spanned<String>, read: impl Fn(&str) -> Option<T>) -> PlayResult<T> {
        read(word.get_ref()).ok_or_else(|| {
            let why = format!(
                "{:?} cannot be a name here: use small letters, digits and hyphens, beginning with a letter",
                word.get_ref()
            );
            self.mistake(word.span(), why)
        })
    }

    /// Converts a value to a type of the charter.
    pub(super) fn typed<T: serde::de::DeserializeOwned>(&self, value: &Spanned<Value>) -> PlayResult<T> {
        json::read_value(value.get_ref()).map_err(|error| self.mistake(value.span(), error))
    }
}
