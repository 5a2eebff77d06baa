//! A table file as written (`protocol/event-tables.md` 1 to 8), before its names are looked up.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    conditions::{Condition, Modifier},
    ranges::Dice,
    words::Type,
};
use crate::blob::json::Value;

/// Where the data comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Source {
    User,
    House,
    Test,
}

impl Source {
    /// Returns the suffix for a table's name, so that every report shows whose table it is.
    pub(super) const fn mark(self) -> &'static str {
        match self {
            Self::User => "",
            Self::House => " (house)",
            Self::Test => " (test)",
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    #[serde(default)]
    pub(super) about: Option<String>,
    #[serde(default)]
    pub(super) days: Vec<String>,
    #[serde(default)]
    pub(super) dice: BTreeMap<String, Die>,
    #[serde(default)]
    pub(super) each_turn: BTreeMap<String, Vec<String>>,
    pub(super) events: BTreeMap<String, Event>,
    #[serde(default)]
    pub(super) facts: BTreeMap<String, Fact>,
    #[serde(default)]
    pub(super) kinds: BTreeMap<String, Kind>,
    pub(super) main: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) marks: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) settings: BTreeMap<String, Setting>,
    pub(super) sides: [String; 2],
    pub(super) source: Source,
    pub(super) tables: BTreeMap<String, Table>,
    pub(super) title: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Setting {
    #[serde(default)]
    pub(super) about: Option<String>,
    #[serde(default)]
    pub(super) prefill: Option<Value>,
    pub(super) values: Type,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fact {
    #[serde(default)]
    pub(super) about: Option<String>,
    #[serde(default)]
    pub(super) at_least: Option<String>,
    #[serde(default)]
    pub(super) side: Option<String>,
    pub(super) values: Type,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kind {
    #[serde(default)]
    pub(super) about: Option<String>,
    #[serde(default)]
    pub(super) attributes: BTreeMap<String, Attribute>,
    #[serde(default)]
    pub(super) implies: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) lasts: Lasts,
    #[serde(default)]
    pub(super) marks: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Attribute {
    #[serde(default)]
    pub(super) about: Option<String>,
    pub(super) values: Type,
}

/// How long the established values of an entry last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Lasts {
    #[default]
    Game,
    Roster,
    Turn,
}

impl Lasts {
    /// Returns whether entries of a kind are forgotten.
    pub(super) const fn passes(self) -> bool {
        !matches!(self, Self::Game)
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Die {
    #[serde(default)]
    pub(super) about: Option<String>,
    pub(super) dice: Dice,
    #[serde(default)]
    pub(super) rows: Option<BTreeMap<String, String>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    #[serde(default)]
    pub(super) about: Option<String>,
    #[serde(default)]
    pub(super) by: Option<String>,
    pub(super) dice: Dice,
    #[serde(default)]
    pub(super) modifiers: Vec<Modifier>,
    pub(super) rows: BTreeMap<String, Value>,
    #[serde(default)]
    pub(super) source: Option<Source>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Event {
    #[serde(default)]
    pub(super) about: Option<String>,
    #[serde(default)]
    pub(super) each: Option<String>,
    #[serde(default)]
    pub(super) limit: Option<u64>,
    #[serde(default)]
    pub(super) of: Option<String>,
    #[serde(default)]
    pub(super) per: Option<Per>,
    pub(super) steps: Vec<Step>,
    #[serde(default)]
    pub(super) when: Option<Condition>,
    #[serde(rename = "where", default)]
    pub(super) filter: Option<Condition>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Per {
    Day,
    #[default]
    Game,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Do {
    Choose,
    Go,
    Mark,
    Need,
    Pick,
    Pool,
    Raise,
    Roll,
    Stop,
    Tell,
    Write,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum By {
    Enemy,
    Owner,
}

/// A step with the fields of all kinds of step.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    #[serde(default)]
    pub(super) about: Option<String>,
    #[serde(default)]
    pub(super) add: Option<Value>,
    #[serde(rename = "as", default)]
    pub(super) register: Option<String>,
    #[serde(default)]
    pub(super) ask: Option<String>,
    #[serde(default)]
    pub(super) at_least: Option<usize>,
    #[serde(default)]
    pub(super) at_most: Option<usize>,
    #[serde(default)]
    pub(super) attribute: Option<String>,
    #[serde(default)]
    pub(super) by: Option<By>,
    #[serde(default)]
    pub(super) die: Option<String>,
    #[serde(rename = "do")]
    pub(super) kind_of: Do,
    #[serde(default)]
    pub(super) enemy: Option<usize>,
    #[serde(rename = "if", default)]
    pub(super) when: Option<Condition>,
    #[serde(default)]
    pub(super) kind: Option<String>,
    #[serde(default)]
    pub(super) mark: Option<String>,
    #[serde(default)]
    pub(super) of: Option<String>,
    #[serde(default)]
    pub(super) on: Option<String>,
    #[serde(default)]
    pub(super) once: Option<String>,
    #[serde(default)]
    pub(super) optional: Option<bool>,
    #[serde(default)]
    pub(super) owner: Option<usize>,
    #[serde(default)]
    pub(super) parts: Option<String>,
    #[serde(default)]
    pub(super) say: Option<String>,
    #[serde(default)]
    pub(super) set: Option<Value>,
    #[serde(default)]
    pub(super) to: Option<String>,
    #[serde(rename = "where", default)]
    pub(super) filter: Option<Condition>,
}

impl Step {
    /// Returns the names of the fields present, except those that every step may have.
    pub(super) fn fields(&self) -> Vec<&'static str> {
        let all = [
            ("add", self.add.is_some()),
            ("as", self.register.is_some()),
            ("ask", self.ask.is_some()),
            ("at_least", self.at_least.is_some()),
            ("at_most", self.at_most.is_some()),
            ("attribute", self.attribute.is_some()),
            ("by", self.by.is_some()),
            ("die", self.die.is_some()),
            ("enemy", self.enemy.is_some()),
            ("kind", self.kind.is_some()),
            ("mark", self.mark.is_some()),
            ("of", self.of.is_some()),
            ("on", self.on.is_some()),
            ("once", self.once.is_some()),
            ("optional", self.optional.is_some()),
            ("owner", self.owner.is_some()),
            ("parts", self.parts.is_some()),
            ("set", self.set.is_some()),
            ("to", self.to.is_some()),
            ("where", self.filter.is_some()),
        ];
        all.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
    }
}
