//! The state between turns, and its validity (`protocol/ocs-initiative.md` 2, 4, 13).

use std::{collections::BTreeSet, fmt};

use serde::{Deserialize, Deserializer, Serialize, de};

use super::settings::{Settings, refuse};
use crate::{
    blob::body::Role,
    error::{Error, Result},
    limits::LIST,
    resolve::{Object, object, read},
};

/// Largest difference between two rolls of two dice.
const DEFICIT: u64 = 10;

/// Last turn that a slot can name.
const LAST_TURN: u64 = 9_999;

/// The name of a reserve marker.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Marker(String);

impl Marker {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        ((1..=32).contains(&text.len()) && plain && text != "none").then(|| Self(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for Marker {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        Self::parse(text).ok_or_else(|| {
            de::Error::custom(format!(
                "{text:?} is not a marker name; use 1 to 32 letters, digits and hyphens, but not \"none\" \
                 (ocs-initiative 2)"
            ))
        })
    }
}

/// Markers in canonical order.
pub(super) type Markers = BTreeSet<Marker>;

/// Lists markers for people.
pub(super) fn list<'m>(markers: impl IntoIterator<Item = &'m Marker>) -> String {
    let names: Vec<&str> = markers.into_iter().map(|marker| marker.0.as_str()).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// The choice of the player who controls it: to go first or second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Order {
    First,
    Second,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "first",
            Self::Second => "second",
        })
    }
}

/// The state after a turn, or within a turn that awaits a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State {
    pub(super) bar: Markers,
    pub(super) first: Option<Role>,
    pub(super) flux: bool,
    pub(super) holder: Option<Role>,
    pub(super) markers: Markers,
    pub(super) pending: Option<Pending>,
    pub(super) returning: Markers,
    pub(super) turn: u64,
}

/// An awaited decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pending {
    pub(super) awaits: Decision,
    pub(super) by: Role,
    pub(super) deficit: u64,
    /// The `order` in the input while `pop` is awaited. It applies once `pop` is decided.
    pub(super) order: Option<Order>,
    pub(super) popped: Markers,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Decision {
    Order,
    Pop,
}

impl Decision {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Order => "order",
            Self::Pop => "pop",
        }
    }
}

impl State {
    /// Returns the initial state of the course (5).
    pub(super) fn begin(settings: &Settings) -> Self {
        let first = settings.first_player.clone();
        Self {
            bar: Markers::new(),
            flux: first.is_none(),
            holder: first.clone(),
            markers: Markers::new(),
            pending: None,
            returning: Markers::new(),
            turn: u64::from(first.is_some()),
            first,
        }
    }

    /// Parses a state in canonical form.
    pub(super) fn read(settings: &Settings, given: &Object) -> Result<Self> {
        let no_state = |why: String| Error::Refused(format!("not a valid ocs-initiative state: {why}"));
        let state: Self = read("state", given).map_err(|error| no_state(error.to_string()))?;
        if object(&state)? != *given {
            return Err(no_state("a field is missing, or a list is not in ascending order".into()));
        }
        match state.malformed(settings) {
            Some(why) => Err(no_state(why.into())),
            None => Ok(state),
        }
    }

    /// Returns the first mistake in the state, if any (4, 13).
    fn malformed(&self, settings: &Settings) -> Option<&'static str> {
        let mut roles = self.first.iter().chain(&self.holder);
        let begins = u64::from(settings.first_player.is_some());
        let is_open = self.pending.is_some() || self.turn == 0;
        let in_play = self.bar.len() + self.markers.len();
        let may_return = in_play == 0 && self.pending.is_none();
        let checks = [
            (roles.all(|role| settings.sides.contains(role)), "first and holder must be sides"),
            ((begins..=LAST_TURN).contains(&self.turn), "the turn is out of range"),
            (self.first.is_none() == is_open, "first must be set if the turn is settled, and null if not"),
            (self.flux == self.holder.is_none(), "flux must be true if nobody holds the initiative, and false if not"),
            (
                self.holder.is_some() || in_play == 0,
                "markers cannot be on the Bar or in play while nobody holds the initiative",
            ),
            (self.bar.is_disjoint(&self.markers), "a marker cannot be both on the Bar and in play"),
            (self.returning.is_empty() || may_return, "no marker can be returning in this state"),
            (in_play <= LIST && self.returning.len() <= LIST, "there can be at most 64 markers"),
            (
                self.pending.as_ref().is_none_or(|pending| self.fits(pending, settings)),
                "the pending decision does not fit the state",
            ),
        ];
        checks.into_iter().find(|(holds, _)| !holds).map(|(_, why)| why)
    }

    fn fits(&self, pending: &Pending, settings: &Settings) -> bool {
        let Pending { awaits, by, deficit, order, popped } = pending;
        let fits = match awaits {
            Decision::Pop => {
                let enough = (1..=self.markers.len() as u64).contains(deficit);
                self.holder.as_ref() == Some(by) && enough && popped.is_empty()
            }
            Decision::Order => order.is_none() && popped.is_subset(&self.bar),
        };
        // A decision is about a turn that was declared.
        self.turn > 0 && settings.sides.contains(by) && *deficit <= DEFICIT && fits
    }

    /// Returns the role that declares the next turn (6).
    pub(super) fn declarer(&self, settings: &Settings) -> Role {
        let [first, _] = &settings.sides;
        self.holder.as_ref().unwrap_or(first).clone()
    }

    /// Checks that the state awaits a turn and not a decision.
    pub(super) fn between_turns(&self) -> Result<()> {
        match &self.pending {
            None => Ok(()),
            Some(Pending { awaits, by, .. }) => {
                Err(refuse(13, format_args!("turn {} is waiting for {by}'s decision {}", self.turn, awaits.name())))
            }
        }
    }
}

/// Markers that the holder pops without being asked: as many as needed, from the front.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pop {
    pub(super) at_most: u64,
    pub(super) from: Vec<Marker>,
}

impl Pop {
    /// Returns the markers popped at a deficit, if any.
    pub(super) fn for_deficit(&self, deficit: u64) -> Option<Markers> {
        let wanted = usize::try_from(deficit).ok().filter(|_| deficit <= self.at_most)?;
        Some(self.from.get(..wanted)?.iter().cloned().collect())
    }
}
