//! Asks from a restored folder, and the answers of the others: `resync`, in no chain (`protocol/keys.md` 3 to 5).
//! Fields are in the order of the canonical encoding.

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
    /// The asker's last letter, among those the answerer holds, on the branch that stands.
    #[serde(deserialize_with = "nullable")]
    pub last: Option<Hex32>,
}
