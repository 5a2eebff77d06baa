//! Failures of verbs, with their reasons.

use super::handed::{Handed, News};
use crate::{error::Error, keep::StorageError, report::rules::behind};

/// The kind of a failure. Programs act on the kind; people read the sentences in [`Failure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// There is nothing to do.
    Nothing,
    /// The request is wrong, or is not allowed.
    Refused,
    /// The request could not be tried: a file is missing, or nobody answers a question.
    Unable,
    /// An office cannot be reached or reports a fault: the letters are kept, and can go by mail.
    Away,
    /// An office is busy, and asks the client to try again later.
    Busy,
    /// An office refuses the request, and would refuse it again.
    Declined,
}

/// The reason why a verb failed, and what to do. Nothing was signed, unless the sentences say otherwise.
#[derive(Debug)]
pub struct Failure {
    /// The kind of the failure.
    pub kind: Kind,
    /// What went wrong and what to do, as sentences in lower case without a full stop.
    pub why: Vec<String>,
    /// News that arrived before the failure.
    pub news: Vec<News>,
}

/// The result of a verb.
pub type PlayResult<T> = Result<T, Failure>;

impl Failure {
    /// Makes a failure of a kind, with one sentence.
    pub(super) fn new(kind: Kind, why: impl Into<String>) -> Self {
        Self { kind, why: vec![why.into()], news: Vec::new() }
    }

    /// Makes a failure for a wrong request, and puts the rules that it cites at the end of the sentence.
    pub(super) fn refused(why: impl Into<String>) -> Self {
        Self::new(Kind::Refused, behind(&why.into()))
    }

    /// Puts news that came earlier before the news of this failure.
    pub(super) fn after(mut self, news: impl IntoIterator<Item = News>) -> Self {
        self.news.splice(0..0, news);
        self
    }

    /// Returns the earlier news followed by the reason, for a caller that goes on in spite of the failure.
    #[cfg(feature = "client")]
    pub(super) fn into_news(self) -> Vec<News> {
        self.news.into_iter().chain(self.why.into_iter().map(News::Said)).collect()
    }

    /// Makes a failure of the kind [`Kind::Unable`]: the request could not be tried.
    pub(super) fn unable(why: impl Into<String>) -> Self {
        Self::new(Kind::Unable, why)
    }
}

impl From<StorageError> for Failure {
    fn from(error: StorageError) -> Self {
        match error {
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

/// Puts earlier news before the result of a verb.
pub(super) fn after(news: Vec<News>, done: PlayResult<Handed>) -> PlayResult<Handed> {
    match done {
        Ok(mut handed) => {
            handed.news.splice(0..0, news);
            Ok(handed)
        }
        Err(failure) => Err(failure.after(news)),
    }
}
