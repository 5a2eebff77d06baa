//! The open situation that a declaration states (`protocol/event-tables.md` 14, 29).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    game::{Game, refuse},
    words::{Type, is_entry},
};
use crate::{
    blob::json::{Map, Value},
    error::Result,
    limits::EVENT_ENTRIES,
};
/// The input: facts and the roster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Situation {
    #[serde(default)]
    pub(super) facts: BTreeMap<String, Value>,
    #[serde(default)]
    pub(super) roster: BTreeMap<String, Vec<Map<String, Value>>>,
}

/// Returns the name of an entry.
pub(super) fn name_of(entry: &Map<String, Value>) -> &str {
    entry.get("name").and_then(Value::as_str).unwrap_or_default()
}

impl Situation {
    /// Returns the entry with a name.
    pub(super) fn entry(&self, kind: &str, name: &str) -> Option<&Map<String, Value>> {
        self.roster.get(kind)?.iter().find(|entry| name_of(entry) == name)
    }

    /// Fills in attributes that can be left out.
    pub(super) fn fill(&mut self, game: &Game) {
        for (name, kind) in &game.tables.kinds {
            for entry in self.roster.entry(name.clone()).or_default() {
                let bools = kind.attributes.iter().filter(|(_, of)| of.values == Type::Bool);
                for (attribute, _) in bools.filter(|(attribute, _)| *attribute != "name") {
                    entry.entry(attribute.clone()).or_insert(Value::Bool(false));
                }
            }
        }
    }

    /// Checks that all names are known and all values have the right type.
    pub(super) fn check(&self, game: &Game) -> Result<()> {
        let tables = &game.tables;
        for (name, value) in &self.facts {
            let fact =
                tables.facts.get(name).ok_or_else(|| refuse(14, format_args!("unknown fact {name:?}; remove it")))?;
            if fact.values.value(value).is_none() {
                return Err(refuse(14, format_args!("the fact {name} is wrong; allowed: {}", fact.values.tell())));
            }
        }
        if self.roster.values().map(Vec::len).sum::<usize>() > EVENT_ENTRIES {
            return Err(refuse(14, format_args!("the roster must have at most {EVENT_ENTRIES} entries")));
        }
        for (name, entries) in &self.roster {
            let kind =
                tables.kinds.get(name).ok_or_else(|| refuse(14, format_args!("unknown kind {name:?}; remove it")))?;
            let mut seen = std::collections::BTreeSet::new();
            for entry in entries {
                let called = name_of(entry);
                if !is_entry(called) {
                    let why = "1 to 64 bytes, no space at either end, no invisible character, and no accent stored \
                               apart from its letter";
                    return Err(refuse(
                        14,
                        format_args!("{name} {called:?} is not a valid name; rename it, with {why}"),
                    ));
                }
                if !seen.insert(called) {
                    return Err(refuse(14, format_args!("{name} {called:?} is listed twice; rename one of them")));
                }
                for (attribute, of) in &kind.attributes {
                    if entry.get(attribute).and_then(|value| of.values.value(value)).is_none() {
                        return Err(refuse(
                            14,
                            format_args!(
                                "{name} {called}: {attribute} is missing or wrong; allowed: {}",
                                of.values.tell()
                            ),
                        ));
                    }
                }
                let known = |field: &String| field == "name" || kind.attributes.contains_key(field);
                if let Some(other) = entry.keys().find(|field| !known(field)) {
                    return Err(refuse(14, format_args!("{name} {called}: unknown attribute {other:?}; remove it")));
                }
            }
        }
        Ok(())
    }

    /// Checks that it has exactly the facts that a side states, and all kinds.
    pub(super) fn is_whole(&self, game: &Game, side: &str) -> Result<()> {
        let mut facts = game.tables.facts.iter();
        let wrong = facts.find(|(name, fact)| {
            let stated = fact.side.as_ref().is_none_or(|of| of == side);
            stated != self.facts.contains_key(*name)
        });
        match wrong {
            Some((name, _)) if self.facts.contains_key(name) => {
                Err(refuse(14, format_args!("{side} does not state the fact {name}; remove it")))
            }
            Some((name, fact)) => {
                Err(refuse(14, format_args!("state the fact {name}; allowed: {}", fact.values.tell())))
            }
            None if game.tables.kinds.keys().all(|kind| self.roster.contains_key(kind)) => Ok(()),
            None => Err(refuse(14, "a kind is missing from the roster")),
        }
    }
}
