//! A sheet, read item by item: what is not allowed counts as not said (`protocol/ndc.md` 14, hidden 6).

use serde::{Deserialize, de::DeserializeOwned};

use super::{
    hand::{Commander, Unit},
    hexes::{Hex, Int, Name, Plain},
    input::{AttackKind, Chemical, Fire, Kind},
};
use crate::{
    blob::json::{self, Tree, Value},
    resolve::Object,
};

/// A sheet that is being read.
pub(super) struct Sheet<'s> {
    fields: &'s Object,
    taken: Vec<&'static str>,
    /// What is not allowed, for people.
    pub(super) wrong: Vec<String>,
}

impl<'s> Sheet<'s> {
    pub(super) const fn new(fields: &'s Object) -> Self {
        Self { fields, taken: Vec::new(), wrong: Vec::new() }
    }

    /// Says that an item is not allowed.
    pub(super) fn refuse(&mut self, item: &str, why: impl std::fmt::Display) {
        self.wrong.push(format!("the sheet, {item}: {why}"));
    }

    fn field(&mut self, name: &'static str) -> Option<&'s Value> {
        self.taken.push(name);
        self.fields.get(name)
    }

    fn typed<T: DeserializeOwned>(&mut self, item: &str, value: &Value) -> Option<T> {
        let read = Tree::of(value).and_then(|tree| json::read(&tree));
        read.map_err(|error| self.refuse(item, error)).ok()
    }

    /// A field that is one item.
    pub(super) fn one<T: DeserializeOwned>(&mut self, name: &'static str) -> Option<T> {
        let value = self.field(name)?;
        self.typed(name, value)
    }

    /// A list of which each entry is an item, with what it is called.
    pub(super) fn list<T: DeserializeOwned>(&mut self, name: &'static str, most: usize) -> Vec<(String, T)> {
        let items = self.values(name, most);
        let read = items.iter().enumerate().filter_map(|(i, value)| {
            let item = format!("{name} {}", i + 1);
            self.typed(&item, value).map(|value| (item, value))
        });
        read.collect()
    }

    fn values(&mut self, name: &'static str, most: usize) -> &'s [Value] {
        let Some(value) = self.field(name) else { return &[] };
        let Some(items) = value.as_array() else {
            self.refuse(name, "it is no list");
            return &[];
        };
        if items.len() > most {
            self.refuse(name, format_args!("it has {} entries; those beyond {most} say nothing", items.len()));
        }
        items.get(..most).unwrap_or(items)
    }

    /// An object by names of which each entry is an item.
    pub(super) fn by_name<T: DeserializeOwned>(&mut self, name: &'static str) -> Vec<(String, Name, T)> {
        let Some(value) = self.field(name) else { return Vec::new() };
        let Some(fields) = value.as_object() else {
            self.refuse(name, "it is no object");
            return Vec::new();
        };
        let read = fields.iter().filter_map(|(key, value)| {
            let item = format!("{name} {key:?}");
            let Some(name) = Name::parse(key) else {
                self.refuse(&item, "this is no name");
                return None;
            };
            self.typed(&item, value).map(|value| (item, name, value))
        });
        read.collect()
    }

    /// Names of units, each once, of such as are allowed.
    pub(super) fn names(
        &mut self,
        name: &'static str,
        allowed: impl Fn(&Name) -> Result<(), &'static str>,
    ) -> Vec<Name> {
        let mut names: Vec<Name> = Vec::new();
        for (item, one) in self.list::<Name>(name, usize::MAX) {
            let twice = names.contains(&one).then_some("it stands twice");
            match twice.or_else(|| allowed(&one).err()) {
                Some(why) => self.refuse(&format!("{item}, {one}"), why),
                None => names.push(one),
            }
        }
        names
    }

    /// What its author says of each combat.
    pub(super) fn facts(&mut self, combats: usize) -> Vec<Facts> {
        let mut all = Vec::new();
        for (i, value) in self.values("facts", combats).iter().enumerate() {
            let mut facts = Facts::default();
            let item = format!("facts {}", i + 1);
            match value.as_object() {
                Some(fields) => fields.iter().for_each(|(key, value)| self.fact(&item, key, value, &mut facts)),
                None => self.refuse(&item, "it is no object"),
            }
            all.push(facts);
        }
        all
    }

    fn fact(&mut self, item: &str, key: &str, value: &Value, facts: &mut Facts) {
        let item = format!("{item}, {key}");
        match key {
            "candidates" => facts.candidates = self.typed(&item, value).unwrap_or_default(),
            "control_loss" => facts.control_loss = self.typed(&item, value).unwrap_or_default(),
            "subordinates" => facts.subordinates = self.typed(&item, value).unwrap_or_default(),
            "terrain" => facts.terrain = self.typed(&item, value).unwrap_or_default(),
            _ => self.refuse(&item, "there is no such fact"),
        }
    }

    /// Says of what is left that it does not belong here.
    pub(super) fn finish(mut self) -> Vec<String> {
        for (name, value) in self.fields {
            match name.as_str() {
                "named" if value.is_object() => {}
                "pad" if value.is_string() => {}
                _ if self.taken.contains(&name.as_str()) => {}
                _ => self.refuse(name, "it does not belong here"),
            }
        }
        self.wrong
    }
}

/// A unit as the roster has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Recruit {
    #[serde(default)]
    pub(super) attack: Int<0, 99>,
    pub(super) commander: Option<Int<0, 9>>,
    #[serde(default)]
    pub(super) defense: Int<0, 99>,
    #[serde(default)]
    pub(super) fatigue: Int<0, 3>,
    pub(super) hexes: Vec<Hex>,
    pub(super) kind: Kind,
    #[serde(default)]
    pub(super) leadership: Int<-9, 9>,
    #[serde(default)]
    pub(super) march: Int<0, 99>,
    pub(super) mode: Name,
    #[serde(default)]
    pub(super) movement: Int<0, 99>,
    pub(super) name: Name,
    pub(super) to: Int<1, 9>,
}

impl Recruit {
    /// The unit, as it comes.
    pub(super) fn unit(self, level: i64) -> Unit {
        Unit {
            attack: self.attack.0,
            attacks: 0,
            commander: self.commander.map(|rating| rating.0),
            contacts: Vec::new(),
            defense: self.defense.0,
            depleted: false,
            ew: 0,
            fatigue: self.fatigue.0,
            finished: false,
            gone: false,
            halted: false,
            hexes: self.hexes,
            kind: self.kind,
            leadership: self.leadership.0,
            level,
            march: self.march.0,
            marching: false,
            mode: self.mode,
            moved: false,
            movement: self.movement.0,
            name: self.name,
            reset: false,
            spent: 0,
            to: self.to.0,
            volunteered: false,
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mode {
    pub(super) hexes: Vec<Hex>,
    pub(super) mode: Name,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Move {
    #[serde(default)]
    pub(super) cost: Vec<Plain>,
    #[serde(default)]
    pub(super) path: Vec<Hex>,
    pub(super) unit: Name,
}

/// An attack as its author has it (21).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Attacks {
    #[serde(default)]
    pub(super) assault: bool,
    #[serde(default)]
    pub(super) barrage: Plain,
    #[serde(default)]
    pub(super) chemical: Chemical,
    pub(super) commander: Option<Commander>,
    #[serde(default)]
    pub(super) control_loss: bool,
    #[serde(default)]
    pub(super) ew_attacks: Plain,
    #[serde(default)]
    pub(super) ew_superiority: Int<0, 9>,
    #[serde(rename = "kind")]
    pub(super) _kind: AttackKind,
    #[serde(default)]
    pub(super) subordinates: Vec<Name>,
    pub(super) target: Hex,
    #[serde(default)]
    pub(super) terrain: Vec<Name>,
    pub(super) unit: Name,
    #[serde(default)]
    pub(super) unprepared: bool,
}

/// A combat as its author has it: what it is shows by its kind.
pub(super) enum Fights {
    Attack(Attacks),
    CounterBattery(Fire),
}

impl Sheet<'_> {
    /// The combats, item by item.
    pub(super) fn combats(&mut self, most: usize) -> Vec<(String, Fights)> {
        let mut all = Vec::new();
        for (i, value) in self.values("combats", most).iter().enumerate() {
            let item = format!("combats {}", i + 1);
            let fights = match value.get("kind").and_then(Value::as_str) {
                Some("counter-battery") => self.typed(&item, value).map(Fights::CounterBattery),
                _ => self.typed(&item, value).map(Fights::Attack),
            };
            all.extend(fights.map(|fights| (item, fights)));
        }
        all
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Marks {
    pub(super) points: Int<1, 999>,
    pub(super) target: Hex,
}

/// What the author of a report says of a combat (22).
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    pub(super) candidates: Vec<Hex>,
    pub(super) control_loss: bool,
    pub(super) subordinates: Vec<Name>,
    pub(super) terrain: Vec<Name>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Replaces {
    #[serde(rename = "in")]
    pub(super) comes: Vec<Recruit>,
    pub(super) out: Vec<Name>,
}
