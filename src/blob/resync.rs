//! Asks from a restored folder, and the others' answers: `resync` messages, which are in no chain (`protocol/keys.md` 3
//! to 5). Fields are in the order of the canonical encoding.

use serde::{Deserialize, Serialize};

use super::body::{Hex32, nullable};

/// The body of a `resync` message: an ask, or the answer to one (keys 4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Resync {
    /// Asks which of the author's letters the others hold. Contains fresh randomness.
    Ask(Hex32),
    /// The answer to an ask. See [`Answer`].
    Answer(Answer),
}

/// An answer to an ask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The message id of the ask.
    pub ask: Hex32,
    /// The asker's last letter on the branch that stands, among the letters that the answerer holds.
    #[serde(deserialize_with = "nullable")]
    pub last: Option<Hex32>,
}
