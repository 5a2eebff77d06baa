//! What a file is checked against: the tables as far as they are read (`protocol/event-tables.md` 9).

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

/// What is wrong, behind its place.
pub(super) type Checked<T> = Result<T, String>;

/// Puts a place in front of what is wrong.
pub(super) fn within<T>(place: impl Display, result: Checked<T>) -> Checked<T> {
    result.map_err(|why| format!("{place}: {why}"))
}

/// The tables as far as they are read, with what is still to be looked up.
pub(super) struct Checker {
    pub(super) tables: Tables,
    pub(super) written: BTreeMap<String, written::Table>,
    pub(super) events: BTreeMap<String, written::Event>,
    pub(super) used: RefCell<BTreeSet<String>>,
}

/// Decisions that are read off a step.
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

    /// The type of a name that something looks at.
    pub(super) fn type_of(&self, name: &str, kind: Option<&str>) -> Option<&Type> {
        self.uses(name);
        self.tables.type_of(name, kind.and_then(|kind| self.tables.kinds.get(kind)))
    }

    /// That something needs a name.
    pub(super) fn uses(&self, name: &str) {
        self.used.borrow_mut().insert(name.to_owned());
    }

    /// That a condition makes sense, in front of an entry of a kind if one is looked at.
    pub(super) fn condition(&self, condition: Option<&Condition>, kind: Option<&str>) -> Checked<()> {
        condition.map_or(Ok(()), |condition| condition.check(&|name| self.type_of(name, kind)))
    }

    /// That there is such a kind.
    pub(super) fn kind(&self, kind: &str) -> Checked<()> {
        self.uses(&format!("kind {kind}"));
        if self.tables.kinds.contains_key(kind) { Ok(()) } else { Err(format!("there is no kind {kind}")) }
    }

    /// That there is such a target.
    pub(super) fn target(&self, target: &str) -> Checked<()> {
        let there = target == NOTHING || self.written.contains_key(target) || self.events.contains_key(target);
        if there { Ok(()) } else { Err(format!("there is no table and no event {target}")) }
    }
}
