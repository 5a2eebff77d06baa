//! The public state, and how an input changes it (`protocol/ndc.md` 5 to 12).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    cells::Weather,
    check::demand,
    hexes::{Hex, Int, ascending},
    input::{
        Adds, Attack, Chemical, Combat, Comes, Contacts, Defended, Halt, Input, Intelligence, Interdiction, Moved,
        Paths, Reported, Resolved, Step, read_combat,
    },
    refused::refuse,
    settings::{Letters, Settings},
};
use crate::{
    blob::{
        body::Role,
        json::{Map, Value},
    },
    error::Result,
    limits::{NDC_INTERDICTIONS, NDC_SEGMENTS},
    resolve::{Object, object, read},
};

/// The public state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct State {
    pub(super) awaits: Awaited,
    pub(super) chemicals: BTreeMap<Role, u64>,
    pub(super) combats: Vec<Combat>,
    pub(super) contacts: BTreeMap<Role, Contacts>,
    pub(super) defended: Option<Vec<Option<Defended>>>,
    pub(super) intelligence: BTreeMap<Role, Option<Intelligence>>,
    pub(super) interdictions: Vec<Interdiction>,
    pub(super) markers: Markers,
    pub(super) paths: Paths,
    pub(super) phasing: Role,
    pub(super) segment: u64,
    pub(super) spent: BTreeMap<Role, Spent>,
    pub(super) turn: u64,
    pub(super) weather: Vec<Weather>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Awaited {
    pub(super) by: Role,
    pub(super) step: Step,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Markers {
    pub(super) breakthrough: Vec<Hex>,
    pub(super) gas: Vec<Hex>,
}

/// Points spent in a player turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Spent {
    pub(super) fire: u64,
    pub(super) support: u64,
}

/// The highest turn in the name of a slot.
const LAST_TURN: u64 = 9_999;

impl State {
    /// The first state of the course (5).
    pub(super) fn begin(settings: &Settings) -> Self {
        let [first, _] = &settings.sides;
        Self {
            awaits: Awaited { by: first.clone(), step: Step::Setup },
            chemicals: each(settings, || 0),
            combats: Vec::new(),
            contacts: each(settings, Contacts::new),
            defended: None,
            intelligence: each(settings, || None),
            interdictions: Vec::new(),
            markers: Markers::default(),
            paths: Paths::new(),
            phasing: first.clone(),
            segment: 0,
            spent: each(settings, Spent::default),
            turn: 1,
            weather: Vec::new(),
        }
    }

    /// Reads a state in canonical form.
    pub(super) fn read(settings: &Settings, given: &Object) -> Result<Self> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Written {
            awaits: Awaited,
            chemicals: BTreeMap<Role, u64>,
            combats: Vec<Map<String, Value>>,
            contacts: BTreeMap<Role, Contacts>,
            defended: Option<Vec<Option<Defended>>>,
            intelligence: BTreeMap<Role, Option<Intelligence>>,
            interdictions: Vec<Interdiction>,
            markers: Markers,
            paths: Paths,
            phasing: Role,
            segment: u64,
            spent: BTreeMap<Role, Spent>,
            turn: u64,
            weather: Vec<Weather>,
        }
        let no_state = |why: &dyn std::fmt::Display| refuse(5, format_args!("this is not a valid ndc state: {why}"));
        let written: Written = read("state", given).map_err(|error| no_state(&error))?;
        let combats = written.combats.iter().map(read_combat).collect::<Result<_>>();
        let state = Self {
            awaits: written.awaits,
            chemicals: written.chemicals,
            combats: combats.map_err(|error| no_state(&error))?,
            contacts: written.contacts,
            defended: written.defended,
            intelligence: written.intelligence,
            interdictions: written.interdictions,
            markers: written.markers,
            paths: written.paths,
            phasing: written.phasing,
            segment: written.segment,
            spent: written.spent,
            turn: written.turn,
            weather: written.weather,
        };
        if object(&state)? != *given {
            return Err(no_state(&"a field is missing"));
        }
        match state.impossible(settings) {
            Some(why) => Err(no_state(&why)),
            None => Ok(state),
        }
    }

    /// Why the state cannot occur, if that can be seen from it.
    fn impossible(&self, settings: &Settings) -> Option<&'static str> {
        let known = |role: &Role| settings.sides.contains(role);
        let both = |mut roles: Vec<&Role>| {
            roles.sort_unstable();
            let mut sides: Vec<&Role> = settings.sides.iter().collect();
            sides.sort_unstable();
            roles == sides
        };
        let moving = self.awaits.by == self.phasing;
        let expected = match self.awaits.step {
            Step::Setup => {
                *self == Self { awaits: self.awaits.clone(), contacts: self.contacts.clone(), ..Self::begin(settings) }
            }
            Step::Move => moving && self.segment > 0 && self.defended.is_none(),
            Step::Defend => !moving && self.segment > 0 && self.defended.is_none() && settings.letters == Letters::Wait,
            Step::Report => !moving && self.segment > 0,
        };
        let defended = self
            .defended
            .as_ref()
            .is_none_or(|defended| self.awaits.step == Step::Report && defended.len() == self.combats.len());
        let checks = [
            (known(&self.awaits.by) && known(&self.phasing), "a role is not one of the two sides"),
            (both(self.chemicals.keys().collect()), "chemicals must list both sides"),
            (both(self.contacts.keys().collect()), "contacts must list both sides"),
            (both(self.intelligence.keys().collect()), "intelligence must list both sides"),
            (both(self.spent.keys().collect()), "spent must list both sides"),
            ((1..=LAST_TURN + 1).contains(&self.turn), "the turn is out of range"),
            (
                ascending(&self.markers.gas) && ascending(&self.markers.breakthrough) && ascending(&self.weather),
                "markers and weather must be sorted, without repeats",
            ),
            (defended, "defended must fit the combats, and be null outside a report"),
            (expected, "the next step does not fit the rest of the state"),
        ];
        checks.into_iter().find(|(holds, _)| !holds).map(|(_, why)| why)
    }

    /// The hexes of a side's contacts.
    pub(super) fn contacts_of(&self, role: &Role) -> impl Iterator<Item = Hex> {
        self.contacts.get(role).into_iter().flat_map(Contacts::values).flat_map(|contact| contact.hexes.iter().copied())
    }

    pub(super) fn spent_of(&self, role: &Role) -> Spent {
        self.spent.get(role).copied().unwrap_or_default()
    }

    pub(super) fn intelligence_of(&self, role: &Role) -> Option<&Intelligence> {
        self.intelligence.get(role)?.as_ref()
    }

    /// Whether the next step begins a new turn (5).
    pub(super) fn begins_turn(&self, settings: &Settings) -> bool {
        let first = settings.is_first(&self.awaits.by);
        match self.awaits.step {
            Step::Setup => first,
            Step::Move => first && self.segment == 1 && self.turn > 1,
            Step::Defend | Step::Report => false,
        }
    }

    /// Checks that an input fits the state (declare 15).
    pub(super) fn fits(&self, settings: &Settings, input: &Input) -> Result<()> {
        let Awaited { by, step } = &self.awaits;
        if input.step() != *step {
            return Err(refuse(
                6,
                format_args!(
                    "the input is a {}, but the next step is {} by {by}",
                    input.step().as_str(),
                    step.as_str()
                ),
            ));
        }
        match &input.adds {
            Adds::Setup { intelligence } => demand(
                7,
                "in a setup, the second player must state intelligence; for the first player it must be null",
                intelligence.is_some() != settings.is_first(by),
            ),
            Adds::Move(moved) => {
                let begins = self.segment == 1;
                let gathered = self.interdictions.len() + moved.interdictions.len();
                demand(8, "a player turn must have at most 64 interdictions", gathered <= NDC_INTERDICTIONS)?;
                let last =
                    self.segment >= NDC_SEGMENTS && !(moved.combats.is_empty() && moved.interdictions.is_empty());
                demand(9, "the move of segment 64 must have no combats or interdictions", !last)?;
                demand(
                    8,
                    "intelligence must be stated in segment 1, and null after it",
                    moved.intelligence.is_some() == begins,
                )?;
                let weather = begins && settings.is_first(by);
                demand(
                    8,
                    "weather must be stated in the first player's segment 1, and null elsewhere",
                    moved.weather.is_some() == weather,
                )
            }
            Adds::Defend { combats } => {
                let fits =
                    |(combat, met): (&Combat, &Option<Defended>)| matches!(combat, Combat::Attack(_)) == met.is_some();
                let all = combats.len() == self.combats.len() && self.combats.iter().zip(combats).all(fits);
                demand(10, "combats must have an entry for each combat of the move, null for counter-battery", all)
            }
            Adds::Report { combats, halts } => self.fits_report(combats, halts),
        }
    }

    fn fits_report(&self, combats: &[Reported], halts: &[Halt]) -> Result<()> {
        let on = |halt: &Halt| {
            let path = self.paths.get(&halt.contact).and_then(|path| path.split_last());
            path.is_some_and(|(_, before)| before.contains(&halt.hex))
        };
        demand(11, "a halted contact must stop on its path, before the last hex", halts.iter().all(on))?;
        demand(11, "combats must have an entry for each combat of the move", combats.len() == self.combats.len())?;
        for (i, pair) in self.combats.iter().zip(combats).enumerate() {
            match pair {
                (Combat::CounterBattery(_), Reported::CounterBattery { .. }) => {}
                (Combat::Attack(attack), Reported::Attack(resolved)) => {
                    let met = self.defended.as_ref().and_then(|all| all.get(i).copied().flatten());
                    let halted = halts.iter().any(|halt| Some(&halt.contact) == attack.contact.as_ref());
                    fits_attack(attack, resolved, met, halted)?;
                }
                _ => return Err(refuse(11, format_args!("combat {}: the entry must fit the kind of combat", i + 1))),
            }
        }
        Ok(())
    }

    /// The state after an input that fits it.
    pub(super) fn after(&self, settings: &Settings, input: &Input) -> Self {
        let by = self.awaits.by.clone();
        let other = settings.other(&by);
        let mut next = self.clone();
        next.contacts.insert(by.clone(), input.shown.contacts.clone());
        match &input.adds {
            Adds::Setup { intelligence } => {
                if let Some(intelligence) = intelligence {
                    next.intelligence.insert(by.clone(), Some(intelligence.clone()));
                }
                let first = settings.is_first(&by);
                next.segment = u64::from(!first);
                next.awaits = Awaited { by: other, step: if first { Step::Setup } else { Step::Move } };
            }
            Adds::Move(moved) => next.take_move(settings, by, other, input, moved),
            Adds::Defend { combats } => {
                next.defended = Some(combats.clone());
                next.awaits = Awaited { by, step: Step::Report };
            }
            Adds::Report { combats, .. } => {
                next.take_report(&by, &other, combats);
                next.defended = None;
                next.paths.clear();
                next.segment = self.segment.saturating_add(1);
                next.awaits = Awaited { by: other, step: Step::Move };
            }
        }
        next
    }

    fn take_move(&mut self, settings: &Settings, by: Role, other: Role, input: &Input, moved: &Moved) {
        if let Some(intelligence) = &moved.intelligence {
            self.intelligence.insert(by.clone(), Some(intelligence.clone()));
        }
        if let Some(weather) = &moved.weather {
            self.weather.clone_from(weather);
        }
        self.combats.clone_from(&moved.combats);
        if moved.ends() {
            self.paths.clear();
            self.turn += u64::from(!settings.is_first(&by));
            self.markers = Markers::default();
            self.interdictions.clear();
            self.spent = each(settings, Spent::default);
            self.segment = 1;
            self.phasing = other.clone();
            self.awaits = Awaited { by: other, step: Step::Move };
            return;
        }
        let spent = self.spent.entry(by).or_default();
        for combat in &moved.combats {
            match combat {
                Combat::Attack(attack) => spent.support = more(spent.support, attack.barrage),
                Combat::CounterBattery(fire) => spent.fire = more(spent.fire, fire.points),
            }
        }
        for one in &moved.interdictions {
            spent.fire = more(spent.fire, one.points);
        }
        self.paths.clone_from(&input.shown.paths);
        self.interdictions.extend(moved.interdictions.iter().cloned());
        let waits = settings.letters != Letters::Standing && !moved.combats.is_empty();
        self.awaits = Awaited { by: other, step: if waits { Step::Defend } else { Step::Report } };
    }

    fn take_report(&mut self, by: &Role, other: &Role, combats: &[Reported]) {
        let attacks = self.combats.iter().zip(combats).filter_map(|pair| match pair {
            (Combat::Attack(attack), Reported::Attack(resolved)) if resolved.result != Comes::Cancelled => {
                Some((attack, resolved))
            }
            _ => None,
        });
        for (attack, resolved) in attacks {
            let spent = self.spent.entry(by.clone()).or_default();
            spent.support = more(spent.support, resolved.fpf);
            for (role, chemical) in [(other, attack.chemical), (by, resolved.chemical)] {
                let count = self.chemicals.entry(role.clone()).or_default();
                *count = count.saturating_add(u64::from(chemical != Chemical::None));
            }
            let gas = [(attack.chemical, attack.target), (resolved.chemical, attack.from)];
            let gas = gas.into_iter().filter(|(chemical, _)| *chemical == Chemical::Persistent).map(|(_, hex)| hex);
            self.markers.gas.extend(gas);
            self.markers.breakthrough.extend(resolved.breakthrough.then_some(attack.target));
        }
        for set in [&mut self.markers.gas, &mut self.markers.breakthrough] {
            set.sort_unstable();
            set.dedup();
        }
    }
}

fn fits_attack(attack: &Attack, resolved: &Resolved, met: Option<Defended>, halted: bool) -> Result<()> {
    let Resolved { chemical, ew_level, fpf, result, retreat, .. } = resolved;
    let idle = matches!(result, Comes::Cancelled | Comes::Empty);
    let says = Defended { chemical: *chemical, fpf: *fpf };
    let goes_there = retreat.is_none_or(|hex| attack.retreats.any.contains(&hex));
    let goes = retreat.is_none() || *result == Comes::Abort || !attack.assault;
    demand(
        11,
        "the result must be cancelled if the attacker is halted, and only then",
        (*result == Comes::Cancelled) == halted,
    )?;
    demand(11, "fpf and chemical must be the same as in the step `defend`", idle || met.is_none_or(|met| met == says))?;
    demand(
        11,
        "ew_level must not be below the declared one, and must equal it in a cancelled or empty attack",
        if idle { *ew_level == attack.ew_level } else { *ew_level >= attack.ew_level },
    )?;
    demand(11, "only an assault can advance", !resolved.advance || attack.assault)?;
    demand(11, "retreat must be null or, after an abort or a Probe, one of the attack's retreats", goes && goes_there)
}

fn each<T>(settings: &Settings, make: impl Fn() -> T) -> BTreeMap<Role, T> {
    settings.sides.iter().map(|side| (side.clone(), make())).collect()
}

const fn more<const LOW: i64>(sum: u64, points: Int<LOW, 999>) -> u64 {
    sum.saturating_add(points.0.unsigned_abs())
}
