//! Why a verb did not do what was asked.

use super::handed::{Handed, News};
use crate::{error::Error, keep::StorageError, report::rules::behind};

/// What kind of failure it is: programs go on by this, people by the sentences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// There is nothing to do.
    Nothing,
    /// What was asked is wrong, or is not allowed.
    Refused,
    /// What was asked could not be tried: a file is missing, or nobody answers a question.
    Unable,
    /// An office cannot be reached, or has a fault: letters are kept, and mail works.
    Away,
    /// An office asks to be asked again later.
    Busy,
    /// An office refuses, and would again.
    Declined,
}

/// Why a verb did not do what was asked: sentences that end in what to do. Nothing was signed, unless they say so.
#[derive(Debug)]
pub struct Failure {
    /// What kind it is.
    pub kind: Kind,
    /// Sentences, in lower case and without a full stop.
    pub why: Vec<String>,
    /// What came before it failed.
    pub news: Vec<News>,
}

/// What a verb comes to.
pub type PlayResult<T> = Result<T, Failure>;

impl Failure {
    /// A failure of a kind, in a sentence.
    pub(super) fn new(kind: Kind, why: impl Into<String>) -> Self {
        Self { kind, why: vec![why.into()], news: Vec::new() }
    }

    /// What was asked was found wrong; the rules that say so stand behind the words.
    pub(super) fn refused(why: impl Into<String>) -> Self {
        Self::new(Kind::Refused, behind(&why.into()))
    }

    /// Puts news that came earlier before the news of this failure.
    pub(super) fn after(mut self, news: impl IntoIterator<Item = News>) -> Self {
        self.news.splice(0..0, news);
        self
    }

    /// What came before it, and why, where it fails nothing else.
    #[cfg(feature = "client")]
    pub(super) fn into_news(self) -> Vec<News> {
        self.news.into_iter().chain(self.why.into_iter().map(News::Said)).collect()
    }

    /// A failure of the kind [`Kind::Unable`]: what was asked could not be tried.
    pub(super) fn unable(why: impl Into<String>) -> Self {
        Self::new(Kind::Unable, why)
    }
}

impl From<StorageError> for Failure {
    fn from(trouble: StorageError) -> Self {
        match trouble {
            StorageError::Refused(why) => Self::refused(why),
            StorageError::Unable(why) => Self::unable(why),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::refused(error.to_string())
    }
}

/// What a verb came to, behind what came before it.
pub(super) fn after(news: Vec<News>, done: PlayResult<Handed>) -> PlayResult<Handed> {
    match done {
        Ok(mut handed) => {
            handed.news.splice(0..0, news);
            Ok(handed)
        }
        Err(failure) => Err(failure.after(news)),
    }
}
