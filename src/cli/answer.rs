//! The answer of a command, with its exit code.

use serde::Serialize;

use crate::{
    blob::json,
    error::Error,
    keep::StorageError,
    play::failure::Failure,
    primitive::secret::SecretText,
    report::{rules::behind, text::escaped},
};

/// The answer of a command. Exit code 0: verified or done; 1: refused or found false; 2: could not tell; 3 to 5: an
/// office cannot be reached, is busy or refuses (`told`).
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// The answer itself, for standard output.
    pub(super) out: String,
    /// A secret that is part of the answer, printed after `out`.
    pub(super) secret: Option<SecretText>,
    /// Notices for standard error: lower case, no full stop.
    pub(super) talk: Vec<String>,
    /// The next thing to do, shown after the answer.
    pub(super) next: Option<String>,
    pub(super) code: u8,
}

impl Answer {
    pub(super) fn done(out: String) -> Self {
        Self { out, ..Self::default() }
    }

    /// Adds a notice, which goes to standard error.
    pub(super) fn saying(mut self, line: impl Into<String>) -> Self {
        self.talk.push(line.into());
        self
    }

    /// Makes the answer for a wrong request, and puts the rules that it cites at the end of the sentence.
    pub(super) fn refused(why: impl Into<String>) -> Self {
        Self { talk: vec![behind(&why.into())], code: 1, ..Self::default() }
    }

    /// Changes the exit code to 2 (could not tell), for commands where code 1 says that a game is refuted.
    pub(super) fn untold(self) -> Self {
        Self { code: 2, ..self }
    }

    /// Makes the answer for a request whose result could not be found out.
    pub(super) fn unable(why: impl Into<String>) -> Self {
        Self { talk: vec![why.into()], code: 2, ..Self::default() }
    }
}

impl From<StorageError> for Answer {
    fn from(error: StorageError) -> Self {
        Failure::from(error).into()
    }
}

impl From<Error> for Answer {
    fn from(error: Error) -> Self {
        Failure::from(error).into()
    }
}

/// Returns a line of JSON with its fields in alphabetical order. It is for tools: it may be nested deeper than a
/// letter, and invisible characters are escaped.
pub(super) fn json_line(value: &impl Serialize) -> String {
    json::to_value(value).map(|value| format!("{}\n", escaped(&value.to_string()))).unwrap_or_default()
}
