//! A sheet, read item by item. An item that is not allowed is ignored (`protocol/ndc.md` 14, hidden 6).

use serde::{Deserialize, de::DeserializeOwned};

use super::{
    hand::{Commander, Order, Unit},
    hexes::{Hex, Int, Name, Plain, list},
    input::{AttackKind, Chemical, Fire, Kind, Retreats},
};
use crate::{
    blob::json::{self, Value},
    resolve::Object,
};

/// A sheet that is being read.
pub(super) struct Sheet<'s> {
    fields: &'s Object,
    taken: Vec<&'static str>,
    /// Items that are not allowed, for people.
    pub(super) wrong: Vec<String>,
}

impl<'s> Sheet<'s> {
    pub(super) const fn new(fields: &'s Object) -> Self {
        Self { fields, taken: Vec::new(), wrong: Vec::new() }
    }

    /// Records that an item is not allowed.
    pub(super) fn refuse(&mut self, item: &str, why: impl std::fmt::Display) {
        self.wrong.push(format!("in the sheet, {item}: {why}"));
    }

    fn field(&mut self, name: &'static str) -> Option<&'s Value> {
        self.taken.push(name);
        self.fields.get(name)
    }

    fn typed<T: DeserializeOwned>(&mut self, item: &str, value: &Value) -> Option<T> {
        json::read_value(value).map_err(|error| self.refuse(item, error)).ok()
    }

    /// Reads a field that is one item.
    pub(super) fn one<T: DeserializeOwned>(&mut self, name: &'static str) -> Option<T> {
        let value = self.field(name)?;
        self.typed(name, value)
    }

    /// Reads a list in which each entry is an item, with the entries' names for people.
    pub(super) fn list<T: DeserializeOwned>(&mut self, name: &'static str, most: usize) -> Vec<(String, T)> {
        let items = self.values(name, most);
        let read = items.iter().enumerate().filter_map(|(i, value)| {
            let called = ["name", "unit"].iter().find_map(|key| Name::parse(value.get(key)?.as_str()?));
            let called = called.map(|called| format!(" ({called})")).unwrap_or_default();
            let item = format!("{name} {}{called}", i + 1);
            self.typed(&item, value).map(|value| (item, value))
        });
        read.collect()
    }

    fn values(&mut self, name: &'static str, most: usize) -> &'s [Value] {
        let Some(value) = self.field(name) else { return &[] };
        let Some(items) = value.as_array() else {
            self.refuse(name, "it must be a list");
            return &[];
        };
        if items.len() > most {
            self.refuse(name, format_args!("only the first {most} of {} items count: remove the others", items.len()));
        }
        items.get(..most).unwrap_or(items)
    }

    /// Reads an object in which each entry is an item, by name.
    pub(super) fn by_name<T: DeserializeOwned>(&mut self, name: &'static str) -> Vec<(String, Name, T)> {
        let Some(value) = self.field(name) else { return Vec::new() };
        let Some(fields) = value.as_object() else {
            self.refuse(name, "it must be an object (in TOML, a table)");
            return Vec::new();
        };
        let read = fields.iter().filter_map(|(key, value)| {
            let item = format!("{name} {key:?}");
            let Some(name) = Name::parse(key) else {
                self.refuse(&item, "a name must be 1 to 32 letters, digits and . / _ -");
                return None;
            };
            self.typed(&item, value).map(|value| (item, name, value))
        });
        read.collect()
    }

    /// Reads a set of names, without those that are not allowed.
    pub(super) fn names(
        &mut self,
        name: &'static str,
        allowed: impl Fn(&Name, usize) -> Result<(), &'static str>,
    ) -> Vec<Name> {
        let mut names: Vec<Name> = Vec::new();
        for (item, one) in self.list::<Name>(name, usize::MAX) {
            let order =
                names.last().is_some_and(|last| *last >= one).then_some("names must be sorted, without repeats");
            match order.or_else(|| allowed(&one, names.len()).err()) {
                Some(why) => self.refuse(&format!("{item}, {one}"), why),
                None => names.push(one),
            }
        }
        names
    }

    /// Reads the orders by name of unit. An entry that is not an order is `None`.
    pub(super) fn orders(&mut self) -> Vec<(String, Name, Vec<Option<Order>>)> {
        let mut all = Vec::new();
        for (item, name, list) in self.by_name::<Vec<Value>>("orders") {
            let mut orders = Vec::new();
            for (i, value) in list.iter().enumerate() {
                orders.push(self.typed(&format!("{item} {}", i + 1), value));
            }
            all.push((item, name, orders));
        }
        all
    }

    /// Refuses the fields that were not taken, and returns all refusals.
    pub(super) fn finish(mut self) -> Vec<String> {
        for (name, value) in self.fields {
            match name.as_str() {
                "named" if value.is_object() => {}
                _ if self.taken.contains(&name.as_str()) => {}
                _ => self.refuse(name, misplaced(name)),
            }
        }
        self.wrong
    }
}

/// The fields of a sheet, and where a field is allowed that not every sheet may have.
const FIELDS: [(&str, Option<&str>); 17] = [
    ("allocate", BEGINNING),
    ("combats", MOVE),
    ("command", None),
    ("finished", MOVE),
    ("halt", None),
    ("interdictions", MOVE),
    ("level", BEGINNING),
    ("march", SEGMENT),
    ("modes", SEGMENT),
    ("moves", MOVE),
    ("orders", None),
    ("points", SETUP),
    ("replace", Some("only in the move that ends your player turn, which has no combats or interdictions")),
    ("sectors", BEGINNING),
    ("transfers", SEGMENT),
    ("units", SETUP),
    ("volunteer", None),
];
const BEGINNING: Option<&str> = Some("only in the move of segment 1 and in the second player's setup");
const MOVE: Option<&str> = Some("only in a move");
const SEGMENT: Option<&str> = Some("only in the move of segment 1");
const SETUP: Option<&str> = Some("only in a setup");

/// The lists of names and hexes whose order means nothing.
const SETS: [&str; 12] = [
    "any",
    "away",
    "command",
    "finished",
    "halt",
    "march",
    "out",
    "road",
    "sectors",
    "subordinates",
    "terrain",
    "volunteer",
];

/// Sorts the lists of a written sheet that must be sorted (`protocol/ndc.md` 14).
pub(super) fn in_order(sheet: Object) -> Object {
    sheet.into_iter().map(|(name, value)| (name.clone(), sorted(&name, value))).collect()
}

fn sorted(name: &str, value: Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(in_order(fields)),
        Value::Array(mut items) => {
            if SETS.contains(&name) && items.iter().all(Value::is_string) {
                items.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
            }
            Value::Array(items.into_iter().map(|item| sorted("", item)).collect())
        }
        other => other,
    }
}

/// Why a field is refused.
fn misplaced(field: &str) -> String {
    if let Some(place) = FIELDS.iter().find(|(name, _)| *name == field).and_then(|(_, place)| *place) {
        return format!("this field is allowed {place}: remove it");
    }
    let near = FIELDS.iter().map(|(name, _)| (apart(name, field), *name)).min();
    match near.filter(|(apart, _)| *apart <= 2) {
        Some((_, name)) => format!("this field does not exist; did you mean {name}?"),
        None => format!("this field does not exist; the fields are {}", list(FIELDS.iter().map(|(name, _)| *name))),
    }
}

/// The edit distance of two words, in bytes.
fn apart(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in (1..).zip(one.bytes()) {
        let mut next = vec![i];
        for (pair, b) in row.windows(2).zip(other.bytes()) {
            let [before, above] = *pair else { continue };
            let left = next.last().copied().unwrap_or_default();
            next.push((before + usize::from(a != b)).min(above + 1).min(left + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

/// A unit in the roster.
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
    /// The unit at the time that it enters the game.
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

/// An attack in its author's sheet (21).
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
    pub(super) retreats: Retreats,
    #[serde(default)]
    pub(super) subordinates: Vec<Name>,
    pub(super) target: Hex,
    #[serde(default)]
    pub(super) terrain: Vec<Name>,
    pub(super) unit: Name,
    #[serde(default)]
    pub(super) unprepared: bool,
}

/// A combat in its author's sheet, told apart by its `kind`.
pub(super) enum Fights {
    Attack(Attacks),
    CounterBattery(Fire),
}

impl Sheet<'_> {
    /// Reads the combats, item by item.
    pub(super) fn combats(&mut self, most: usize) -> Vec<(String, Fights)> {
        let mut all = Vec::new();
        for (i, value) in self.values("combats", most).iter().enumerate() {
            let item = format!("combats {}", i + 1);
            let fights = match value.get("kind").and_then(Value::as_str) {
                Some("counter-battery") => self.typed(&item, value).map(Fights::CounterBattery),
                Some("attack") => self.typed(&item, value).map(Fights::Attack),
                _ => {
                    self.refuse(&item, "its kind must be \"attack\" or \"counter-battery\"");
                    None
                }
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

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Replaces {
    #[serde(rename = "in", default)]
    pub(super) comes: Vec<Recruit>,
    #[serde(default)]
    pub(super) out: Vec<Name>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A unit may be called like a list, and the order of a path, of hexes and of retreats means something.
    #[test]
    fn only_sets_are_sorted() {
        let written = json!({
            "combats": [{ "retreats": { "any": ["0203", "0104"] }, "subordinates": ["b", "B", "1/3"] }],
            "halt": ["2/4", "1/4"],
            "moves": [{ "path": ["0203", "0104"], "unit": "halt" }],
            "orders": { "halt": [{ "retreat": ["0203", "0104"], "terrain": ["woods", "town"] }] },
        });
        let sealed = json!({
            "combats": [{ "retreats": { "any": ["0104", "0203"] }, "subordinates": ["1/3", "B", "b"] }],
            "halt": ["1/4", "2/4"],
            "moves": [{ "path": ["0203", "0104"], "unit": "halt" }],
            "orders": { "halt": [{ "retreat": ["0203", "0104"], "terrain": ["town", "woods"] }] },
        });
        let Value::Object(written) = written else { panic!("an object") };
        assert_eq!(Value::Object(in_order(written)), sealed);
    }
}
