//! The account of an outcome: how it came about, line by line, for people. It is in no report for machines, and whoever
//! needs only the outcome does not pay for it.

/// An account that is kept, or not.
#[derive(Debug)]
pub struct Account(Option<Vec<String>>);

impl Account {
    /// One that somebody reads.
    #[must_use]
    pub const fn kept() -> Self {
        Self(Some(Vec::new()))
    }

    /// An account that nobody reads: lines added to it are never written.
    #[must_use]
    pub const fn none() -> Self {
        Self(None)
    }

    /// Adds lines, if it is kept.
    pub fn add<L: IntoIterator<Item = String>>(&mut self, lines: impl FnOnce() -> L) {
        if let Self(Some(kept)) = self {
            kept.extend(lines());
        }
    }

    /// What was written.
    #[must_use]
    pub fn into_lines(self) -> Vec<String> {
        self.0.unwrap_or_default()
    }
}
