//! The state between turns, and which there can be (`protocol/ocs-initiative.md` 2, 4, 13).

use std::{collections::BTreeSet, fmt};

use serde::{Deserialize, Deserializer, Serialize, de};

use super::settings::{Settings, refuse};
use crate::{
    blob::body::Role,
    error::{Error, Result},
    limits::LIST,
    resolve::{Object, object, read},
};

/// The most by which one roll of two dice is below another.
const DEFICIT: u64 = 10;

/// The last turn that a slot can name.
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
                "{text:?} is no marker's name (ocs-initiative 2): 1 to 32 letters, digits and hyphens, and not \"none\""
            ))
        })
    }
}

/// Markers in their one order.
pub(super) type Markers = BTreeSet<Marker>;

/// Markers for people.
pub(super) fn list<'m>(markers: impl IntoIterator<Item = &'m Marker>) -> String {
    let names: Vec<&str> = markers.into_iter().map(|marker| marker.0.as_str()).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// What a player who controls the choice may do.
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

/// The state after a turn, or within one while a decision is awaited.
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

/// A decision that is awaited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pending {
    pub(super) awaits: Decision,
    pub(super) by: Role,
    pub(super) deficit: u64,
    /// The `order` of the input, while `pop` is awaited: it counts once that is decided.
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
    /// The state with which the course begins (5).
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

    /// Reads a state, in its one form.
    pub(super) fn read(settings: &Settings, given: &Object) -> Result<Self> {
        let no_state = |why: String| Error::Refused(format!("this is no state of ocs-initiative: {why}"));
        let state: Self = read("state", given).map_err(|error| no_state(error.to_string()))?;
        if object(&state)? != *given {
            return Err(no_state("a field is missing, or a list is not ascending".into()));
        }
        match state.malformed(settings) {
            Some(why) => Err(no_state(why.into())),
            None => Ok(state),
        }
    }

    /// What is wrong with its form (4, 13).
    fn malformed(&self, settings: &Settings) -> Option<&'static str> {
        let mut roles = self.first.iter().chain(&self.holder);
        let begins = u64::from(settings.first_player.is_some());
        let is_open = self.pending.is_some() || self.turn == 0;
        let in_play = self.bar.len() + self.markers.len();
        let may_return = in_play == 0 && self.pending.is_none();
        let checks = [
            (roles.all(|role| settings.sides.contains(role)), "who goes first or holds is none of the sides"),
            ((begins..=LAST_TURN).contains(&self.turn), "there is no such turn"),
            (self.first.is_none() == is_open, "who goes first stands there exactly where the turn is settled"),
            (self.flux == self.holder.is_none(), "the next turn is in Flux exactly where nobody holds the initiative"),
            (
                self.holder.is_some() || in_play == 0,
                "where nobody holds the initiative no markers are on the Bar or in play",
            ),
            (self.bar.is_disjoint(&self.markers), "a marker is on the Bar and in play"),
            (self.returning.is_empty() || may_return, "nothing can be on its way back"),
            (in_play <= LIST && self.returning.len() <= LIST, "more than 64 markers"),
            (
                self.pending.as_ref().is_none_or(|pending| self.fits(pending, settings)),
                "nothing of the kind can be awaited",
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
        settings.sides.contains(by) && *deficit <= DEFICIT && fits
    }

    /// Who declares the next turn (6).
    pub(super) fn declarer(&self, settings: &Settings) -> Role {
        let [first, _] = &settings.sides;
        self.holder.as_ref().unwrap_or(first).clone()
    }

    /// That a turn is awaited, and no decision.
    pub(super) fn between_turns(&self) -> Result<()> {
        match &self.pending {
            None => Ok(()),
            Some(Pending { awaits, by, .. }) => {
                Err(refuse(13, format_args!("turn {} awaits the decision {} by {by}", self.turn, awaits.name())))
            }
        }
    }
}

/// What the holder pops without being asked: from the front, as many markers as the holder is behind.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pop {
    pub(super) at_most: u64,
    pub(super) from: Vec<Marker>,
}

impl Pop {
    /// What is popped at a deficit, if anything is.
    pub(super) fn for_deficit(&self, deficit: u64) -> Option<Markers> {
        let wanted = usize::try_from(deficit).ok().filter(|_| deficit <= self.at_most)?;
        Some(self.from.get(..wanted)?.iter().cloned().collect())
    }
}
