//! What is stated openly: inputs in their one form (`protocol/ndc.md` 6 to 11).

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Deserializer, Serialize, de, de::DeserializeOwned};

use super::{
    hexes::{Hex, Int, Name, Plain},
    refuse,
    settings::Settings,
    tables::Weather,
};
use crate::{
    blob::json::{self, Map, Text, Value},
    error::Result,
    limits::NDC_HEXES,
    resolve::{Object, read},
};

/// Whether a list is strictly ascending, so a set.
pub(super) fn ascending<T: Ord>(items: &[T]) -> bool {
    items.windows(2).all(|pair| matches!(pair, [a, b] if a < b))
}

/// The name of a contact, as `c12`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(super) struct ContactName(String);

impl ContactName {
    pub(super) fn of(number: u64) -> Self {
        Self(format!("c{number}"))
    }

    /// Its number, from 1.
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
        let plain = (1..=9).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit());
        match plain && !digits.starts_with('0') {
            true => Ok(Self(text.into())),
            false => Err(de::Error::custom(format!("{text:?} is no contact (ndc 6): c and a number, as c12"))),
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

/// What is shown of a unit.
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
    pub(super) target: Hex,
    pub(super) total: Int<-999, 999>,
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

/// How an attack is met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Defended {
    pub(super) chemical: Chemical,
    pub(super) ew_attacks: Plain,
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
    pub(super) ew_attacks: Plain,
    pub(super) ew_level: Int<0, 3>,
    pub(super) fpf: Plain,
    pub(super) result: Comes,
    pub(super) retreat: Option<Retreat>,
}

/// What is told of a defender.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Told {
    pub(super) hexes: Vec<Hex>,
    pub(super) loss: Int<0, 9>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Retreat {
    pub(super) candidates: Vec<Hex>,
    pub(super) hex: Hex,
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

/// What every input shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shown {
    pub(super) contacts: Contacts,
    pub(super) entries: Vec<Hex>,
    pub(super) paths: Paths,
    pub(super) rolled: Option<Plain>,
}

/// What one step adds.
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
    /// Whether it ends the player turn (9).
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
}

/// An input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Input {
    pub(super) shown: Shown,
    pub(super) adds: Adds,
}

impl Input {
    /// Its step.
    pub(super) const fn step(&self) -> Step {
        match self.adds {
            Adds::Setup { .. } => Step::Setup,
            Adds::Move(_) => Step::Move,
            Adds::Defend { .. } => Step::Defend,
            Adds::Report { .. } => Step::Report,
        }
    }

    /// Its one form.
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

    /// Reads an input and holds it to what is asked of it in every state.
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

    fn check(&self, settings: &Settings) -> Result<()> {
        let Self { shown: Shown { contacts, entries, paths, rolled }, adds } = self;
        let steps: usize = paths.values().map(Vec::len).sum();
        let along = |(contact, path): (&ContactName, &Vec<Hex>)| {
            let joined = path.windows(2).all(|pair| matches!(pair, [a, b] if settings.beside(*a, *b)));
            let stands = contacts.get(contact).zip(path.last()).is_some_and(|(shown, last)| shown.hexes.contains(last));
            joined && stands && (1..=99).contains(&path.len())
        };
        let moves = matches!(adds, Adds::Move(_));
        demand(
            6,
            "1 to 3 hexes in each contact",
            contacts.values().all(|contact| (1..=3).contains(&contact.hexes.len())),
        )?;
        demand(6, "at most three contacts a unit", contacts.len() as u64 <= 3 * settings.units)?;
        demand(6, "entries and paths are those of a move", moves || entries.is_empty() && paths.is_empty())?;
        demand(6, "at most 999 entries, and as many hexes of paths", entries.len() <= NDC_HEXES && steps <= NDC_HEXES)?;
        demand(6, "a path is of a contact here, hex by hex, and ends on it", paths.iter().all(along))?;
        demand(
            6,
            "rolled is an integer or null, as the charter has it",
            rolled.is_some() == settings.roll_count_public,
        )?;
        match adds {
            Adds::Setup { intelligence } => sectors(settings, intelligence.as_ref()),
            Adds::Move(moved) => self.check_move(settings, moved),
            Adds::Defend { combats } => combats.iter().flatten().try_for_each(|one| met(settings, one)),
            Adds::Report { combats, halts } => report(settings, combats, halts),
        }
    }

    fn check_move(&self, settings: &Settings, moved: &Moved) -> Result<()> {
        let Moved { combats, intelligence, interdictions, weather } = moved;
        sectors(settings, intelligence.as_ref())?;
        demand(8, "weather is a set", weather.as_deref().is_none_or(ascending))?;
        demand(8, "more combats than the charter allows", combats.len() as u64 <= settings.combats)?;
        demand(8, "more than 16 interdictions", interdictions.len() <= INTERDICTIONS)?;
        for combat in combats {
            let Combat::Attack(attack) = combat else { continue };
            let known = attack.contact.as_ref().is_none_or(|contact| self.shown.contacts.contains_key(contact));
            demand(8, "more EW attacks than the charter allows", attack.ew_attacks.0 as u64 <= settings.ew)?;
            demand(8, "an attack comes from a neighbour of its target", settings.beside(attack.from, attack.target))?;
            demand(8, "the contact of an attack is shown here", known)?;
            demand(8, "chemicals are of a barrage", attack.chemical == Chemical::None || attack.barrage.0 > 0)?;
        }
        Ok(())
    }
}

/// Most interdictions of a segment.
pub(super) const INTERDICTIONS: usize = 16;

/// Refuses where something does not hold.
pub(super) fn demand(rule: u64, what: &str, holds: bool) -> Result<()> {
    if holds { Ok(()) } else { Err(refuse(rule, format_args!("it must hold: {what}"))) }
}

fn sectors(settings: &Settings, intelligence: Option<&Intelligence>) -> Result<()> {
    let Some(Intelligence { sectors, .. }) = intelligence else { return Ok(()) };
    let known = sectors.iter().all(|sector| settings.sectors.contains_key(sector));
    demand(7, "sectors is a set of names of sectors of the charter", ascending(sectors) && known)
}

fn met(settings: &Settings, Defended { chemical, ew_attacks, fpf }: &Defended) -> Result<()> {
    demand(10, "at most as many EW attacks as the charter allows", ew_attacks.0 as u64 <= settings.ew)?;
    demand(10, "chemicals are of protective fire", *chemical == Chemical::None || fpf.0 > 0)
}

fn report(settings: &Settings, combats: &[Reported], halts: &[Halt]) -> Result<()> {
    let mut names: Vec<&ContactName> = halts.iter().map(|halt| &halt.contact).collect();
    names.sort_unstable();
    demand(11, "a contact is halted once", ascending(&names))?;
    demand(11, "who halts stands beside the hex", halts.iter().all(|halt| settings.beside(halt.by, halt.hex)))?;
    for combat in combats {
        let Reported::Attack(attack) = combat else { continue };
        let Resolved { chemical, ew_attacks, fpf, result, retreat, defender, .. } = attack;
        met(settings, &Defended { chemical: *chemical, ew_attacks: *ew_attacks, fpf: *fpf })?;
        let none = *chemical == Chemical::None && ew_attacks.0 == 0 && fpf.0 == 0;
        let loss = attack.attacker_loss.0;
        let (quiet, lost, told) = match result {
            Comes::Abort => (true, loss == 2, defender.is_none()),
            Comes::Cancelled | Comes::Empty => (none, loss == 0, defender.is_none()),
            Comes::Overrun => (true, loss == 0, true),
            Comes::Fought => (true, true, true),
        };
        let fought = *result == Comes::Fought;
        let back = |Retreat { candidates, hex }: &Retreat| {
            (1..=6).contains(&candidates.len()) && ascending(candidates) && candidates.contains(hex)
        };
        let goes = retreat.is_none() || matches!(result, Comes::Abort | Comes::Fought);
        demand(11, "nothing is spent on an attack that is cancelled or empty", quiet)?;
        demand(11, "the attacker's loss goes with the result", lost)?;
        demand(11, "of the defender is told where there was a fight", told)?;
        demand(
            11,
            "advance and breakthrough are of what was fought",
            fought || !(attack.advance || attack.breakthrough),
        )?;
        demand(11, "a retreat has one of its 1 to 6 candidates, a set", goes && retreat.as_ref().is_none_or(back))?;
        let hexes = defender.as_ref().map_or(0, |defender| defender.hexes.len());
        demand(11, "a defender goes along at most 9 hexes", hexes <= 9)?;
    }
    Ok(())
}

fn typed<T: DeserializeOwned>(what: &str, value: &Value) -> Result<T> {
    let read = json::Tree::of(value).and_then(|tree| json::read(&tree));
    read.map_err(|error| refuse(6, format_args!("{what}: {error}")))
}

/// Combats as they are written.
pub(super) fn read_combat(fields: &Object) -> Result<Combat> {
    match fields.get("kind").and_then(Value::as_str) {
        Some("counter-battery") => read("a combat", fields).map(Combat::CounterBattery),
        _ => read("a combat", fields).map(Combat::Attack),
    }
}

/// Reports of combats as they are written.
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
