//! A finding: a letter in breach or a fork, and its culprit (`protocol/audit.md` 4).

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
    /// The author; `None` if the letter may have been valid where it was signed (chain 14), or if epochs explain a fork
    /// (office 25).
    pub culprit: Option<Author>,
    /// The letter; for a fork, the letters that begin its branches, at most eight.
    pub letters: Vec<Hex32>,
    /// The redo or ruling that settled the finding.
    pub settled_by: Option<Hex32>,
    /// Whether a valid redo waits for its reveal and will settle the finding.
    pub waits: bool,
    /// The broken rule.
    pub rule: Option<Rule>,
    /// The rule and an explanation.
    pub text: String,
}

impl Finding {
    /// Creates the finding for a letter's breach; nobody is to blame if it may have been valid where it was signed
    /// (chain 14).
    pub(super) fn of(letter: &Node, error: &Error) -> Self {
        let culprit = (!letter.excuses(error)).then_some(letter.author);
        Self { rule: error.rule(), ..Self::on(error.class(), culprit, vec![letter.id()], error.to_string()) }
    }

    /// Creates a finding that is not settled yet.
    pub(super) const fn on(class: Class, culprit: Option<Author>, letters: Vec<Hex32>, text: String) -> Self {
        Self { class, culprit, letters, settled_by: None, waits: false, rule: None, text }
    }
}
