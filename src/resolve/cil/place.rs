//! Sides, locations and possible targets (`protocol/cil.md` 3, 8).

use std::fmt;

use serde::{Deserialize, Serialize};

/// Which locations may be fired at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Facing {
    Any,
    Mirror,
    Same,
}

/// A side of a battle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Side {
    Attacker,
    Defender,
}

impl Side {
    pub(super) const BOTH: [Self; 2] = [Self::Attacker, Self::Defender];

    pub(super) const fn other(self) -> Self {
        match self {
            Self::Attacker => Self::Defender,
            Self::Defender => Self::Attacker,
        }
    }
}

/// A value for each side.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sides<T> {
    pub(super) attacker: T,
    pub(super) defender: T,
}

impl<T> Sides<T> {
    pub(super) const fn of(&self, side: Side) -> &T {
        match side {
            Side::Attacker => &self.attacker,
            Side::Defender => &self.defender,
        }
    }

    pub(super) const fn of_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Attacker => &mut self.attacker,
            Side::Defender => &mut self.defender,
        }
    }

    pub(super) fn each<'s, U>(&'s self, make: impl Fn(&'s T) -> U) -> Sides<U> {
        Sides { attacker: make(&self.attacker), defender: make(&self.defender) }
    }
}

/// One of a side's locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Location {
    Main,
    Left,
    Right,
    Reserve,
}

/// A value for each of a side's locations.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Places<T> {
    main: T,
    left: T,
    right: T,
    reserve: T,
}

impl<T> Places<T> {
    pub(super) const fn of(&self, at: Location) -> &T {
        match at {
            Location::Main => &self.main,
            Location::Left => &self.left,
            Location::Right => &self.right,
            Location::Reserve => &self.reserve,
        }
    }

    pub(super) const fn of_mut(&mut self, at: Location) -> &mut T {
        match at {
            Location::Main => &mut self.main,
            Location::Left => &mut self.left,
            Location::Right => &mut self.right,
            Location::Reserve => &mut self.reserve,
        }
    }
}

impl Location {
    /// All locations, in order.
    pub(super) const ALL: [Self; 4] = [Self::Main, Self::Left, Self::Right, Self::Reserve];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Left => "left",
            Self::Right => "right",
            Self::Reserve => "reserve",
        }
    }

    pub(super) fn is_adjacent(self, other: Self) -> bool {
        let central = |at: Self| matches!(at, Self::Main | Self::Reserve);
        self != other && (central(self) || central(other))
    }

    /// The location of the other side that this location faces.
    fn faces(self, facing: Facing) -> Self {
        match (facing, self) {
            (Facing::Mirror, Self::Left) => Self::Right,
            (Facing::Mirror, Self::Right) => Self::Left,
            (Facing::Any | Facing::Mirror | Facing::Same, _) => self,
        }
    }

    /// Whether units here may fire at a location of the other side, given those that are OVERRUN (8).
    pub(super) fn may_target(self, target: Self, facing: Facing, overrun: &[Self]) -> bool {
        if overrun.contains(&target) {
            return false;
        }
        let faced = self.faces(facing);
        match facing {
            Facing::Any => target != Self::Reserve || overrun.iter().any(|fell| *fell != Self::Reserve),
            Facing::Mirror | Facing::Same if overrun.contains(&faced) => target.is_adjacent(faced),
            Facing::Mirror | Facing::Same => target == faced,
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
