//! Inputs, which are public, in their canonical form (`protocol/ndc.md` 6 to 11).

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Deserializer, Serialize, de, de::DeserializeOwned};

use super::{
    cells::Weather,
    hexes::{Hex, Int, Name, Plain, ascending},
    refused::refuse,
    settings::Settings,
};
use crate::{
    blob::json::{self, Map, Text, Value},
    error::Result,
    resolve::{Object, read},
};

/// The name of a contact, such as `c12`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(super) struct ContactName(String);

impl ContactName {
    pub(super) fn of(number: u64) -> Self {
        Self(format!("c{number}"))
    }

    /// The number of the contact, from 1.
    pub(super) fn number(&self) -> u64 {
        self.0.get(1..).and_then(|digits| digits.parse().ok()).unwrap_or_default()
    }
}

impl fmt::Display for ContactName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ContactName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        let digits = text.strip_prefix('c').unwrap_or_default();
        let plain = (1..=5).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit());
        match plain && !digits.starts_with('0') {
            true => Ok(Self(text.into())),
            false => {
                Err(de::Error::custom(format!("{text:?} is not a contact: write c and a number, such as c12 (ndc 6)")))
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Armor,
    Hq,
    Infantry,
    Recon,
}

/// What is shown about a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Contact {
    pub(super) designation: Option<Name>,
    pub(super) hexes: Vec<Hex>,
    pub(super) kind: Option<Kind>,
    pub(super) mode: Option<Name>,
    pub(super) to: Option<Int<0, 9>>,
}

pub(super) type Contacts = BTreeMap<ContactName, Contact>;
pub(super) type Paths = BTreeMap<ContactName, Vec<Hex>>;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Intelligence {
    pub(super) level: Int<0, 9>,
    pub(super) sectors: Vec<Name>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Chemical {
    #[default]
    None,
    Persistent,
    Used,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum Combat {
    Attack(Attack),
    CounterBattery(Fire),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Attack {
    pub(super) assault: bool,
    pub(super) barrage: Plain,
    pub(super) chemical: Chemical,
    pub(super) contact: Option<ContactName>,
    pub(super) ew_attacks: Plain,
    pub(super) ew_level: Int<0, 3>,
    pub(super) ew_superiority: Int<0, 9>,
    pub(super) from: Hex,
    pub(super) kind: AttackKind,
    pub(super) retreats: Retreats,
    pub(super) target: Hex,
    pub(super) total: Int<-999, 999>,
}

/// Hexes on the map that an attacker could go back to: all, those directly away, those along a road.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Retreats {
    pub(super) any: Vec<Hex>,
    pub(super) away: Vec<Hex>,
    pub(super) road: Vec<Hex>,
}

impl Retreats {
    /// Whether they are sets of neighbours of a hex, and `any` includes the others.
    pub(super) fn fit(&self, settings: &Settings, from: Hex) -> bool {
        let Self { any, away, road } = self;
        [any, away, road].into_iter().all(|set| ascending(set))
            && any.iter().all(|hex| settings.beside(from, *hex))
            && away.iter().chain(road).all(|hex| any.contains(hex))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum AttackKind {
    #[serde(rename = "attack")]
    Attack,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fire {
    pub(super) kind: FireKind,
    pub(super) points: Int<1, 999>,
    pub(super) target: Hex,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum FireKind {
    #[serde(rename = "counter-battery")]
    CounterBattery,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Interdiction {
    pub(super) markers: Int<0, 9>,
    pub(super) points: Int<1, 999>,
    pub(super) target: Hex,
}

/// What a defender spends against an attack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Defended {
    pub(super) chemical: Chemical,
    pub(super) fpf: Plain,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Halt {
    pub(super) by: Hex,
    pub(super) contact: ContactName,
    pub(super) hex: Hex,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum Reported {
    Attack(Resolved),
    CounterBattery { loss: Option<Int<0, 9>> },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Resolved {
    pub(super) advance: bool,
    pub(super) attacker_loss: Int<0, 9>,
    pub(super) breakthrough: bool,
    pub(super) chemical: Chemical,
    pub(super) defender: Option<Told>,
    pub(super) ew_level: Int<0, 3>,
    pub(super) fpf: Plain,
    pub(super) result: Comes,
    pub(super) retreat: Option<Hex>,
}

/// A defender's path of retreat and loss, as a report states them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Told {
    pub(super) hexes: Vec<Hex>,
    pub(super) loss: Int<0, 9>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Comes {
    Abort,
    Cancelled,
    Empty,
    Fought,
    Overrun,
}

/// The fields of every input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shown {
    pub(super) contacts: Contacts,
    pub(super) entries: Vec<Hex>,
    pub(super) paths: Paths,
    pub(super) rolled: Option<Plain>,
}

/// The fields of one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum Adds {
    Setup { intelligence: Option<Intelligence> },
    Move(Moved),
    Defend { combats: Vec<Option<Defended>> },
    Report { combats: Vec<Reported>, halts: Vec<Halt> },
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Moved {
    pub(super) combats: Vec<Combat>,
    pub(super) intelligence: Option<Intelligence>,
    pub(super) interdictions: Vec<Interdiction>,
    pub(super) weather: Option<Vec<Weather>>,
}

impl Moved {
    /// Whether the move ends the player turn (9).
    pub(super) fn ends(&self) -> bool {
        self.combats.is_empty() && self.interdictions.is_empty()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Step {
    Setup,
    Move,
    Defend,
    Report,
}

impl Step {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Move => "move",
            Self::Defend => "defend",
            Self::Report => "report",
        }
    }

    /// Says what the author of a declaration does in this step.
    pub(super) const fn does(self) -> &'static str {
        match self {
            Self::Setup => "sets up",
            Self::Move => "moves",
            Self::Defend => "answers the attacks",
            Self::Report => "reports what met the enemy",
        }
    }
}

/// The input of a declaration: the fields of every input, and those of its step (6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Input {
    pub(super) shown: Shown,
    pub(super) adds: Adds,
}

impl Input {
    /// The step that the input is for.
    pub(super) const fn step(&self) -> Step {
        match self.adds {
            Adds::Setup { .. } => Step::Setup,
            Adds::Move(_) => Step::Move,
            Adds::Defend { .. } => Step::Defend,
            Adds::Report { .. } => Step::Report,
        }
    }

    /// The input in canonical form.
    pub(super) fn text(&self) -> Result<Text> {
        let mut all = Object::new();
        for part in [json::to_value(&self.shown)?, json::to_value(&self.adds)?] {
            if let Value::Object(fields) = part {
                all.extend(fields);
            }
        }
        all.insert("step".into(), self.step().as_str().into());
        Text::of(&all)
    }

    /// Reads an input and runs the checks that do not depend on the state.
    pub(super) fn read(settings: &Settings, text: &Text) -> Result<Self> {
        let mut fields: Object = crate::resolve::read_input(text)?;
        let mut common = Object::new();
        for name in ["contacts", "entries", "paths", "rolled"] {
            common.extend(fields.remove_entry(name));
        }
        let shown: Shown = read("input", &common)?;
        let step = fields.remove("step").unwrap_or_default();
        let step: Step = typed("step", &step)?;
        let input = Self { shown, adds: adds(step, &fields)? };
        input.check(settings)?;
        Ok(input)
    }
}

fn typed<T: DeserializeOwned>(what: &str, value: &Value) -> Result<T> {
    json::read_value(value).map_err(|error| refuse(6, format_args!("{what}: {error}")))
}

/// Reads a combat.
pub(super) fn read_combat(fields: &Object) -> Result<Combat> {
    match fields.get("kind").and_then(Value::as_str) {
        Some("counter-battery") => read("a combat", fields).map(Combat::CounterBattery),
        _ => read("a combat", fields).map(Combat::Attack),
    }
}

/// Reads the report of a combat.
pub(super) fn read_reported(fields: &Object) -> Result<Reported> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Shot {
        loss: Option<Int<0, 9>>,
    }
    if fields.contains_key("result") {
        return read("a combat", fields).map(Reported::Attack);
    }
    read("a combat", fields).map(|Shot { loss }| Reported::CounterBattery { loss })
}

fn adds(step: Step, fields: &Object) -> Result<Adds> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Setup {
        intelligence: Option<Intelligence>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Move {
        combats: Vec<Map<String, Value>>,
        intelligence: Option<Intelligence>,
        interdictions: Vec<Interdiction>,
        weather: Option<Vec<Weather>>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Defend {
        combats: Vec<Option<Defended>>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Report {
        combats: Vec<Map<String, Value>>,
        halts: Vec<Halt>,
    }
    Ok(match step {
        Step::Setup => read("input", fields).map(|Setup { intelligence }| Adds::Setup { intelligence })?,
        Step::Move => {
            let Move { combats, intelligence, interdictions, weather } = read("input", fields)?;
            let combats = combats.iter().map(read_combat).collect::<Result<_>>()?;
            Adds::Move(Moved { combats, intelligence, interdictions, weather })
        }
        Step::Defend => read("input", fields).map(|Defend { combats }| Adds::Defend { combats })?,
        Step::Report => {
            let Report { combats, halts } = read("input", fields)?;
            Adds::Report { combats: combats.iter().map(read_reported).collect::<Result<_>>()?, halts }
        }
    })
}
