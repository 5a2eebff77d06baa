//! Files that a player fills in.

/// A file that a player fills in, in TOML.
#[derive(Clone, Debug)]
pub struct Form {
    /// The content of the file, as TOML.
    pub text: String,
    /// Whether the form shows what only this player knows.
    pub is_secret: bool,
}

impl Form {
    /// Makes a form that shows only what both players know.
    pub(super) const fn open(text: String) -> Self {
        Self { text, is_secret: false }
    }
}
