//! Both players' orders, and which of them are refused (`protocol/cil.md` 5 to 8).

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

use super::{
    forces::{Id, Unit},
    place::{Location, Places, Side, Sides},
    settings::{Settings, refuse},
    state::State,
};
use crate::{
    blob::{body::Role, json::Value},
    error::Result,
    limits::CIL_UNITS,
    resolve::{Object, read},
};

/// The word for an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    Assault,
    Attack,
    DigIn,
    Hold,
    Move,
    Probe,
}

impl Word {
    const fn name(self) -> &'static str {
        match self {
            Self::Assault => "assault",
            Self::Attack => "attack",
            Self::DigIn => "dig-in",
            Self::Hold => "hold",
            Self::Move => "move",
            Self::Probe => "probe",
        }
    }
}

/// An order as a player writes it. `at` may be left out instead of null.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    at: Option<Location>,
    order: Word,
}

/// Where excess hits go from a location, as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Written {
    Main,
    Left,
    Right,
    Reserve,
    None,
}

impl Written {
    const fn location(self) -> Option<Location> {
        match self {
            Self::Main => Some(Location::Main),
            Self::Left => Some(Location::Left),
            Self::Right => Some(Location::Right),
            Self::Reserve => Some(Location::Reserve),
            Self::None => None,
        }
    }
}

/// A player's orders.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Note {
    excess: BTreeMap<Location, Written>,
    orders: BTreeMap<Id, Entry>,
}

impl Note {
    /// Reads a sealed note, in its only valid form (5).
    pub(super) fn sealed(says: &Object) -> Option<Self> {
        let whole = |entry: &Value| entry.get("at").is_some();
        let entries = says.get("orders").filter(|_| says.contains_key("excess"))?.as_object()?;
        if !entries.values().all(whole) {
            return None;
        }
        Self::written(says).ok()
    }

    /// The orders to a force that take up the most bytes.
    pub(super) fn longest(force: &[Unit]) -> Self {
        let entry = |unit: &Unit| (unit.id.clone(), Entry { at: Some(Location::Reserve), order: Word::Assault });
        let excess = Location::ALL.map(|from| (from, Written::Reserve));
        Self { excess: excess.into(), orders: force.iter().map(entry).collect() }
    }

    /// Whether the note has an order for a unit.
    pub(super) fn is_about(&self, unit: &Id) -> bool {
        self.orders.contains_key(unit)
    }

    /// Lists the orders as they are written, unit by unit, and where excess hits go.
    pub(super) fn in_words(&self) -> Vec<String> {
        let orders = self.orders.iter().map(|(id, Entry { at, order })| match (order, at) {
            (Word::Move, Some(to)) => format!("{id}: move to {to}"),
            (order, Some(at)) => format!("{id}: {} {at}", order.name()),
            (order, None) => format!("{id}: {}", order.name()),
        });
        let excess = self.excess.iter().map(|(from, to)| match to.location() {
            Some(to) => format!("excess hits on {from}: to {to}"),
            None => format!("excess hits on {from}: lost"),
        });
        orders.chain(excess).collect()
    }

    /// Reads a note as a player writes it: `excess`, `orders` and `at` may be left out (5).
    pub(super) fn written(says: &Object) -> Result<Self> {
        let note: Self = read("orders", says)?;
        match note.orders.len() {
            0..=CIL_UNITS => Ok(note),
            _ => Err(refuse(5, format_args!("there are more than {CIL_UNITS} orders: remove some"))),
        }
    }
}

/// A unit's order in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Attack(Location),
    Assault(Location),
    Probe(Location),
    DigIn,
    Move(Location),
    Hold,
}

impl Order {
    /// Whether it is a combat order (7).
    pub(super) const fn fights(self) -> bool {
        matches!(self, Self::Attack(_) | Self::Assault(_) | Self::Probe(_) | Self::DigIn)
    }

    /// The location that a unit with this order attacks in the Combat Phase (10).
    pub(super) const fn target(self) -> Option<Location> {
        match self {
            Self::Attack(at) | Self::Assault(at) | Self::Probe(at) => Some(at),
            Self::DigIn | Self::Move(_) | Self::Hold => None,
        }
    }

    /// The location that a unit with this order attacks in the Assault Combat Phase (10).
    pub(super) const fn assaulted(self) -> Option<Location> {
        match self {
            Self::Assault(at) => Some(at),
            _ => None,
        }
    }

    pub(super) const fn is_probe(self) -> bool {
        matches!(self, Self::Probe(_))
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Attack(_) => "attack",
            Self::Assault(_) => "assault",
            Self::Probe(_) => "probe",
            Self::DigIn => "dig-in",
            Self::Move(_) => "move",
            Self::Hold => "hold",
        }
    }
}

/// Where a side's orders send the excess hits from a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Onward {
    To(Location),
    Nowhere,
}

/// Why an order is refused (6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Why {
    Unknown,
    Place,
    Reserve,
    Target,
    Engagements,
    Move,
    Overrun,
    Excess,
}

impl Why {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Place => "place",
            Self::Reserve => "reserve",
            Self::Target => "target",
            Self::Engagements => "engagements",
            Self::Move => "move",
            Self::Overrun => "overrun",
            Self::Excess => "excess",
        }
    }

    /// Why an order is refused, for people (6).
    const fn tell(self) -> &'static str {
        match self {
            Self::Unknown => "this is not a living unit of yours: check its id",
            Self::Place => "attack, assault, probe and move need a location (at); dig-in and hold must not have one",
            Self::Reserve => "units in the reserve cannot fight: order hold or move",
            Self::Target => "it cannot attack that location from its own: choose another target",
            Self::Engagements => "too few engagements are left on this day for an assault: choose another order",
            Self::Move => "units can only move into or out of the reserve: choose another location",
            Self::Overrun => "units cannot move to a location that is OVERRUN: choose another",
            Self::Excess => "hits can only pass on to an adjacent location: choose one, or none",
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A side's orders that take effect, and the refused ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Orders {
    /// The orders of units, by place in the roster.
    pub(super) of_units: Vec<Order>,
    /// Where excess goes, by location of the other side.
    pub(super) onward: Places<Option<Onward>>,
    /// The refused units and locations in `excess`, each with the reason.
    pub(super) refused: Vec<(String, Why)>,
}

impl Orders {
    /// Judges a side's note in a state (6).
    pub(super) fn of(settings: &Settings, state: &State, side: Side, note: Option<&Note>) -> Self {
        let force = state.units.of(side);
        let mut orders = Self { of_units: vec![Order::Hold; force.len()], ..Self::default() };
        let Some(note) = note else { return orders };
        let roster: BTreeMap<&Id, usize> = force.iter().enumerate().map(|(i, unit)| (&unit.id, i)).collect();
        for (id, entry) in &note.orders {
            let found = roster.get(id).and_then(|place| Some((*place, force.get(*place)?)));
            let judged = match found.filter(|(_, unit)| unit.lives()) {
                None => Err(Why::Unknown),
                Some((place, unit)) => judge(settings, state, side, unit, entry).map(|order| (place, order)),
            };
            match judged {
                Ok((place, order)) => orders.of_units.iter_mut().skip(place).take(1).for_each(|own| *own = order),
                Err(why) => orders.refused.push((id.to_string(), why)),
            }
        }
        let mut entries: Vec<(&Location, &Written)> = note.excess.iter().collect();
        entries.sort_by_key(|(from, _)| from.name());
        for (from, to) in entries {
            *orders.onward.of_mut(*from) = Some(match to.location() {
                None => Onward::Nowhere,
                Some(to) if to.is_adjacent(*from) => Onward::To(to),
                Some(_) => {
                    orders.refused.push((from.to_string(), Why::Excess));
                    Onward::Nowhere
                }
            });
        }
        orders
    }

    /// The refusals as an error, for a player who has not sealed this note yet.
    pub(super) fn check(&self, note: &Note) -> Result<()> {
        let gives_place = |unit: &str| note.orders.iter().any(|(id, entry)| id.as_str() == unit && entry.at.is_some());
        let told = self.refused.iter().map(|(entry, why)| match why {
            Why::Place if gives_place(entry) => format!("{entry}: dig-in and hold must not have a location (at)"),
            Why::Place => format!("{entry}: this order needs a location (at)"),
            _ => format!("{entry}: {}", why.tell()),
        });
        let told: Vec<String> = told.collect();
        if told.is_empty() { Ok(()) } else { Err(refuse(6, told.join("; "))) }
    }
}

fn judge(settings: &Settings, state: &State, side: Side, unit: &Unit, entry: &Entry) -> Result<Order, Why> {
    let order = match (entry.order, entry.at) {
        (Word::Attack, Some(at)) => Order::Attack(at),
        (Word::Assault, Some(at)) => Order::Assault(at),
        (Word::Probe, Some(at)) => Order::Probe(at),
        (Word::Move, Some(at)) => Order::Move(at),
        (Word::DigIn, None) => Order::DigIn,
        (Word::Hold, None) => Order::Hold,
        _ => return Err(Why::Place),
    };
    if order.fights() && unit.at == Location::Reserve {
        return Err(Why::Reserve);
    }
    let fell = state.overrun.of(side.other());
    if order.target().is_some_and(|target| !unit.at.may_target(target, settings.facing, fell)) {
        return Err(Why::Target);
    }
    if order.assaulted().is_some() && state.engagements_left() < settings.assault_cost {
        return Err(Why::Engagements);
    }
    if let Order::Move(to) = order {
        if (unit.at == Location::Reserve) == (to == Location::Reserve) {
            return Err(Why::Move);
        }
        if state.overrun.of(side).contains(&to) {
            return Err(Why::Overrun);
        }
    }
    Ok(order)
}

/// Both sides' orders, from their notes.
pub(super) fn of_both(settings: &Settings, state: &State, notes: &Sides<Option<Note>>) -> Sides<Orders> {
    let of = |side: Side| Orders::of(settings, state, side, notes.of(side).as_ref());
    Sides { attacker: of(Side::Attacker), defender: of(Side::Defender) }
}

/// Both sides' notes, from the orders by role (5).
pub(super) fn notes_of(state: &State, orders: &[(Role, Object)]) -> Sides<Option<Note>> {
    let of = |side: Side| {
        let said = orders.iter().find(|(role, _)| role == state.role(side));
        said.and_then(|(_, says)| Note::sealed(says))
    };
    Sides { attacker: of(Side::Attacker), defender: of(Side::Defender) }
}
