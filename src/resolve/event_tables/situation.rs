//! What a declaration states of what lies open (`protocol/event-tables.md` 10 to 12).

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
/// The input: facts and roster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Situation {
    #[serde(default)]
    pub(super) facts: BTreeMap<String, Value>,
    #[serde(default)]
    pub(super) roster: BTreeMap<String, Vec<Map<String, Value>>>,
}

/// The name of an entry.
pub(super) fn name_of(entry: &Map<String, Value>) -> &str {
    entry.get("name").and_then(Value::as_str).unwrap_or_default()
}

impl Situation {
    /// The entry of a name.
    pub(super) fn entry(&self, kind: &str, name: &str) -> Option<&Map<String, Value>> {
        self.roster.get(kind)?.iter().find(|entry| name_of(entry) == name)
    }

    /// Fills in what need not be written.
    pub(super) fn fill(&mut self, game: &Game) {
        for (name, kind) in &game.tables.kinds {
            for entry in self.roster.entry(name.clone()).or_default() {
                let bools = kind.attributes.iter().filter(|(_, of)| **of == Type::Bool);
                for (attribute, _) in bools.filter(|(attribute, _)| *attribute != "name") {
                    entry.entry(attribute.clone()).or_insert(Value::Bool(false));
                }
            }
        }
    }

    /// That everything in it is of its type.
    pub(super) fn check(&self, game: &Game) -> Result<()> {
        let tables = &game.tables;
        for (name, value) in &self.facts {
            let fact = tables.facts.get(name).ok_or_else(|| refuse(14, format_args!("there is no fact {name:?}")))?;
            if fact.values.value(value).is_none() {
                return Err(refuse(14, format_args!("the fact {name} is {}", fact.values.tell())));
            }
        }
        if self.roster.values().map(Vec::len).sum::<usize>() > EVENT_ENTRIES {
            return Err(refuse(14, format_args!("the roster has more than {EVENT_ENTRIES} entries")));
        }
        for (name, entries) in &self.roster {
            let kind = tables.kinds.get(name).ok_or_else(|| refuse(14, format_args!("there is no kind {name:?}")))?;
            let mut seen = std::collections::BTreeSet::new();
            for entry in entries {
                let called = name_of(entry);
                if !is_entry(called) {
                    let why = "has more than 64 bytes, a blank at an end, an invisible character, or an accent that is not \
                               one character with its letter";
                    return Err(refuse(
                        14,
                        format_args!("{name} {called:?} is no name: it is empty, or {why}; write it in another way"),
                    ));
                }
                if !seen.insert(called) {
                    return Err(refuse(
                        14,
                        format_args!("{name} {called:?} stands twice; give one of them another name"),
                    ));
                }
                for (attribute, of) in &kind.attributes {
                    if entry.get(attribute).and_then(|value| of.value(value)).is_none() {
                        return Err(refuse(14, format_args!("{name} {called}: {attribute} is {}", of.tell())));
                    }
                }
                let known = |field: &String| field == "name" || kind.attributes.contains_key(field);
                if let Some(other) = entry.keys().find(|field| !known(field)) {
                    return Err(refuse(14, format_args!("{name} {called}: there is no {other:?}")));
                }
            }
        }
        Ok(())
    }

    /// That it has all facts of a side, and no others, and all kinds.
    pub(super) fn is_whole(&self, game: &Game, side: &str) -> Result<()> {
        let mut facts = game.tables.facts.iter();
        let wrong = facts.find(|(name, fact)| {
            let stated = fact.side.as_ref().is_none_or(|of| of == side);
            stated != self.facts.contains_key(*name)
        });
        match wrong {
            Some((name, _)) if self.facts.contains_key(name) => {
                Err(refuse(14, format_args!("{side} states no fact {name}")))
            }
            Some((name, fact)) => Err(refuse(14, format_args!("state the fact {name}: {}", fact.values.tell()))),
            None if game.tables.kinds.keys().all(|kind| self.roster.contains_key(kind)) => Ok(()),
            None => Err(refuse(14, "the roster lacks a kind")),
        }
    }
}
