//! What a command has to say, and with which exit code.

use crate::{error::Error, keep::Trouble, primitive::secret::SecretText, report::rules::behind};

/// What a command has to say. Exit code 0: verified or done; 1: refused or found false; 2: could not tell. Of what an office
/// answers: [`AWAY`], [`BUSY`] and [`DECLINED`].
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

/// The exit code where an office cannot be reached, or does not do its part: the letters are kept, and mail works.
#[cfg(feature = "office")]
pub(super) const AWAY: u8 = 3;
/// The exit code where an office asks to be asked again later.
#[cfg(feature = "office")]
pub(super) const BUSY: u8 = 4;
/// The exit code where an office refuses, and would again.
#[cfg(feature = "office")]
pub(super) const DECLINED: u8 = 5;

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

    /// The same where a code 1 would say that a game is refuted.
    pub(super) fn untold(self) -> Self {
        Self { code: 2, ..self }
    }

    /// Nothing could be found out.
    pub(super) fn unable(why: impl Into<String>) -> Self {
        Self { talk: vec![why.into()], code: 2, ..Self::default() }
    }
}

impl From<Trouble> for Answer {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Refused(why) => Self::refused(why),
            Trouble::Unable(why) => Self::unable(why),
        }
    }
}

/// What a verb comes to, or the answer that ends it.
pub(super) type Told<T> = Result<T, Answer>;

impl From<Error> for Answer {
    fn from(error: Error) -> Self {
        Self::refused(error.to_string())
    }
}

/// An answer, whatever it is, with talk before its own.
pub(super) fn saying(talk: Vec<String>, answer: Told<Answer>) -> Told<Answer> {
    let before = |mut answer: Answer| {
        answer.talk.splice(0..0, talk.iter().cloned());
        answer
    };
    answer.map(before).map_err(before)
}
