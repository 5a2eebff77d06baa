//! What a command has to say, and with which exit code.

use serde::Serialize;

use crate::{
    blob::json,
    error::Error,
    keep::StorageError,
    play::failure::Failure,
    primitive::secret::SecretText,
    report::{rules::behind, text::escaped},
};

/// What a command has to say. Exit code 0: verified or done; 1: refused or found false; 2: could not tell. 3 to
/// 5: an office does not do its part (`told`).
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// The answer itself, for stdout.
    pub(super) out: String,
    /// An answer that is a secret, printed behind the other one.
    pub(super) secret: Option<SecretText>,
    /// Talk, for stderr: lower case, no full stop.
    pub(super) talk: Vec<String>,
    /// What to do next, said behind the answer.
    pub(super) next: Option<String>,
    pub(super) code: u8,
}

impl Answer {
    pub(super) fn done(out: String) -> Self {
        Self { out, ..Self::default() }
    }

    /// With a line of talk.
    pub(super) fn saying(mut self, line: impl Into<String>) -> Self {
        self.talk.push(line.into());
        self
    }

    /// What was asked was found wrong; the rules that say so stand behind the words.
    pub(super) fn refused(why: impl Into<String>) -> Self {
        Self { talk: vec![behind(&why.into())], code: 1, ..Self::default() }
    }

    /// Changes the exit code to 2 (could not tell), for commands where code 1 says that a game is refuted.
    pub(super) fn untold(self) -> Self {
        Self { code: 2, ..self }
    }

    /// Nothing could be found out.
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

/// A line of JSON, its fields in the order of their names. It is for tools: no letter, it may be deeper than one, and
/// unseen characters are escaped.
pub(super) fn json_line(value: &impl Serialize) -> String {
    json::to_value(value).map(|value| format!("{}\n", escaped(&value.to_string()))).unwrap_or_default()
}
