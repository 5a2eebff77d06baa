//! The account of an outcome: a step-by-step explanation for people. Machine-readable reports leave it out, and
//! callers that need only the outcome do not pay for it.

/// An account that is either kept or discarded.
///
/// # Examples
///
/// ```
/// use sealed_dice::resolve::Account;
///
/// let mut account = Account::kept();
/// account.add(|| ["red rolls 4 + 5 = 9".to_owned()]);
/// assert_eq!(account.into_lines(), ["red rolls 4 + 5 = 9"]);
/// ```
#[derive(Debug)]
pub struct Account(Option<Vec<String>>);

impl Account {
    /// Creates an account that keeps its lines.
    #[must_use]
    pub const fn kept() -> Self {
        Self(Some(Vec::new()))
    }

    /// Creates an account that discards its lines without computing them.
    #[must_use]
    pub const fn none() -> Self {
        Self(None)
    }

    /// Adds lines if the account is kept.
    pub fn add<L: IntoIterator<Item = String>>(&mut self, lines: impl FnOnce() -> L) {
        if let Self(Some(kept)) = self {
            kept.extend(lines());
        }
    }

    /// Returns the lines.
    #[must_use]
    pub fn into_lines(self) -> Vec<String> {
        self.0.unwrap_or_default()
    }
}
