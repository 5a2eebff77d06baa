//! A letter in breach, and whose it is (`protocol/audit.md` 4).

use super::{node::Node, terms::Author};
use crate::{
    blob::Hex32,
    error::{Class, Error},
    rule::Rule,
};

/// A letter in breach, or a fork.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// `chain` or `rule`.
    pub class: Class,
    /// Its author; none where the letter may have been good where it was signed (chain 14), or epochs explain a fork
    /// (office 25).
    pub culprit: Option<Author>,
    /// The letter; of a fork those with which its branches begin, at most eight.
    pub letters: Vec<Hex32>,
    /// The redo, or the ruling, that settled it.
    pub settled_by: Option<Hex32>,
    /// A valid redo waits for its reveal, and will settle it.
    pub waits: bool,
    /// The rule that is broken.
    pub rule: Option<Rule>,
    /// Rule and explanation.
    pub text: String,
}

impl Finding {
    /// What a letter broke; nobody is to blame where it may have been good where it was signed (chain 14).
    pub(super) fn of(letter: &Node, error: &Error) -> Self {
        let culprit = (!letter.excuses(error)).then_some(letter.author);
        Self { rule: error.rule(), ..Self::on(error.class(), culprit, vec![letter.id()], error.to_string()) }
    }

    /// A finding that nothing settles yet.
    pub(super) const fn on(class: Class, culprit: Option<Author>, letters: Vec<Hex32>, text: String) -> Self {
        Self { class, culprit, letters, settled_by: None, waits: false, rule: None, text }
    }
}
