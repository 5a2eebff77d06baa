//! The context for checking a file: the tables parsed so far (`protocol/event-tables.md` 9).

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fmt::Display,
};

use super::{
    conditions::Condition,
    tables::{Ask, NOTHING, Tables},
    words::Type,
    written,
};

/// A result whose error is the place followed by the mistake.
pub(super) type Checked<T> = Result<T, String>;

/// Prefixes an error with its place.
pub(super) fn within<T>(place: impl Display, result: Checked<T>) -> Checked<T> {
    result.map_err(|why| format!("{place}: {why}"))
}

/// The tables parsed so far, with the parts that are not looked up yet.
pub(super) struct Checker {
    pub(super) tables: Tables,
    pub(super) written: BTreeMap<String, written::Table>,
    pub(super) events: BTreeMap<String, written::Event>,
    pub(super) used: RefCell<BTreeSet<String>>,
}

/// Decisions in a step.
pub(super) type Asks = Vec<(String, Ask)>;

impl Checker {
    pub(super) fn is_global(&self, name: &str) -> bool {
        let Tables { settings, facts, marks, dice, .. } = &self.tables;
        matches!(name, "turn" | "day" | "side")
            || settings.contains_key(name)
            || facts.contains_key(name)
            || marks.contains_key(name)
            || dice.contains_key(name)
    }

    /// Returns the type of a name, and records that it is used.
    pub(super) fn type_of(&self, name: &str, kind: Option<&str>) -> Option<&Type> {
        self.uses(name);
        self.tables.type_of(name, kind.and_then(|kind| self.tables.kinds.get(kind)))
    }

    /// Records that a name is used.
    pub(super) fn uses(&self, name: &str) {
        self.used.borrow_mut().insert(name.to_owned());
    }

    /// Checks a condition, which may refer to an entry of a kind.
    pub(super) fn condition(&self, condition: Option<&Condition>, kind: Option<&str>) -> Checked<()> {
        condition.map_or(Ok(()), |condition| condition.check(&|name| self.type_of(name, kind)))
    }

    /// Checks that a kind exists.
    pub(super) fn kind(&self, kind: &str) -> Checked<()> {
        self.uses(&format!("kind {kind}"));
        if self.tables.kinds.contains_key(kind) { Ok(()) } else { Err(format!("unknown kind {kind}")) }
    }

    /// Checks that a target exists.
    pub(super) fn target(&self, target: &str) -> Checked<()> {
        let there = target == NOTHING || self.written.contains_key(target) || self.events.contains_key(target);
        if there { Ok(()) } else { Err(format!("unknown table or event {target}")) }
    }
}
