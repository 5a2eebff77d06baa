//! Forces, and the state between rounds (`protocol/cil.md` 3, 4).

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{
    forces::{Casualties, Force, Id, Season, Unit},
    place::{Location, Side, Sides},
    settings::{Settings, Table, refuse},
};
use crate::{
    blob::body::Role,
    error::{Error, Result},
    limits::{CIL_STRENGTH, CIL_UNITS, CIL_VALUE},
    resolve::{Object, read},
};

/// The highest turn in the name of a slot.
const LAST_TURN: u64 = 9_999;

/// The maximum number of phases in a day: two for each engagement, if assaults cost no extra engagements.
const PHASES_A_DAY: usize = 10;

/// The casualties of a battle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ledger {
    pub(super) battle: Sides<Casualties>,
    /// The casualties of each Combat Phase of the day.
    pub(super) day: Vec<Sides<Casualties>>,
}

/// The decision that is due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pending {
    pub(super) awaits: Decision,
    pub(super) by: Role,
    pub(super) proposal: Option<Proposal>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Decision {
    Night,
    Battle,
    Agree,
}

impl Decision {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Night => "night",
            Self::Battle => "battle",
            Self::Agree => "agree",
        }
    }
}

/// A proposed battle: its attacker, both forces and the season (23).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Proposal {
    pub(super) attacker: Role,
    pub(super) forces: Sides<Force>,
    pub(super) season: Season,
}

/// The state of a `cil` course (4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State {
    pub(super) attacker: Role,
    pub(super) battle: u64,
    pub(super) day: u64,
    pub(super) defender: Role,
    pub(super) engagements: u64,
    pub(super) ledger: Ledger,
    pub(super) overrun: Sides<Vec<Location>>,
    pub(super) pending: Option<Pending>,
    pub(super) round: u64,
    pub(super) season: Season,
    pub(super) turn: u64,
    pub(super) units: Sides<Force>,
}

/// Checks that forces can fight a battle (3). `least` is the lowest strength of a unit.
pub(super) fn check_forces(forces: &Sides<Force>, table: Option<&Table>, least: u64) -> Result<()> {
    let mut ids = HashSet::new();
    for side in Side::BOTH {
        let force = forces.of(side);
        if !(1..=CIL_UNITS).contains(&force.len()) {
            return Err(refuse(3, format_args!("a force must have 1 to {CIL_UNITS} units, not {}", force.len())));
        }
        for Unit { attack, defense, effectiveness, id, kind, strength, .. } in force {
            let out = |what: &str, low: u64, high: u64| refuse(3, format_args!("{id}: {what} must be {low} to {high}"));
            if *attack > CIL_VALUE {
                return Err(out("attack", 0, CIL_VALUE));
            }
            if *defense > CIL_VALUE {
                return Err(out("defense", 0, CIL_VALUE));
            }
            if *effectiveness > 100 {
                return Err(out("effectiveness", 0, 100));
            }
            if !(least..=CIL_STRENGTH).contains(strength) {
                return Err(out("strength", least, CIL_STRENGTH));
            }
            if table.is_some_and(|table| table.index(kind).is_none()) {
                let kind = kind.as_str();
                return Err(refuse(
                    3,
                    format_args!("{id}: the table cil-mixed must have a row and a column for {kind}"),
                ));
            }
            if !ids.insert(id) {
                return Err(refuse(3, format_args!("two units have the id {id}: rename one of them")));
            }
        }
    }
    Ok(())
}

impl State {
    /// The first state of the course (4).
    pub(super) fn begin(settings: &Settings) -> Self {
        let (attacker, defender) = (settings.attacker.clone(), settings.defender.clone());
        Self::of_battle(1, 0, attacker, defender, settings.season, settings.forces.clone())
    }

    /// The state at the beginning of a battle.
    pub(super) fn of_battle(
        battle: u64,
        turn: u64,
        attacker: Role,
        defender: Role,
        season: Season,
        units: Sides<Force>,
    ) -> Self {
        Self {
            attacker,
            battle,
            day: 1,
            defender,
            engagements: 0,
            ledger: Ledger::default(),
            overrun: Sides::default(),
            pending: None,
            round: 0,
            season,
            turn,
            units,
        }
    }

    /// Reads a state in canonical form.
    pub(super) fn read(settings: &Settings, given: &Object) -> Result<Self> {
        let no_state = |why: String| Error::Refused(format!("this is not a valid cil state: {why}"));
        let pending = given.get("pending");
        let whole = pending.is_some_and(|pending| pending.is_null() || pending.get("proposal").is_some());
        if !whole {
            return Err(no_state("pending or its proposal is missing".into()));
        }
        let state: Self = read("state", given).map_err(|error| no_state(error.to_string()))?;
        check_forces(&state.units, settings.table.as_ref(), 0).map_err(|error| no_state(error.to_string()))?;
        if let Some(Proposal { forces, .. }) = state.pending.as_ref().and_then(|pending| pending.proposal.as_ref()) {
            check_forces(forces, settings.table.as_ref(), 1).map_err(|error| no_state(error.to_string()))?;
        }
        match state.impossible(settings) {
            Some(why) => Err(no_state(why.into())),
            None => Ok(state),
        }
    }

    /// Why the state cannot occur, if that can be seen from it.
    fn impossible(&self, settings: &Settings) -> Option<&'static str> {
        let known = |role: &Role| *role == settings.attacker || *role == settings.defender;
        let counted = |side: Side, casualties: &Sides<Casualties>| {
            let ids: HashSet<&Id> = self.units.of(side).iter().map(|unit| &unit.id).collect();
            casualties.of(side).iter().all(|(id, n)| ids.contains(id) && (1..=CIL_STRENGTH).contains(n))
        };
        let counts = |casualties: &Sides<Casualties>| Side::BOTH.into_iter().all(|side| counted(side, casualties));
        let empty =
            |side: Side, fell: &Location| !self.units.of(side).iter().any(|unit| unit.lives() && unit.at == *fell);
        let flagged = |side: Side| {
            let fell = self.overrun.of(side);
            fell.is_sorted_by(|a, b| a < b) && fell.iter().all(|fell| empty(side, fell))
        };
        let lives = |side: Side| self.units.of(side).iter().any(Unit::lives);
        let numbers = 1..=LAST_TURN + 1;
        let checks: [(&dyn Fn() -> bool, &'static str); 6] = [
            (
                &|| known(&self.attacker) && known(&self.defender) && self.attacker != self.defender,
                "the sides must be those in the terms",
            ),
            (
                &|| {
                    let counted = numbers.contains(&self.battle) && numbers.contains(&self.day);
                    counted && self.round <= LAST_TURN && self.turn <= LAST_TURN
                },
                "the turn, round, day or battle is out of range",
            ),
            (&|| self.engagements <= self.season.engagements(), "the day has more engagements than its season allows"),
            (
                &|| {
                    let day = &self.ledger.day;
                    day.len() <= PHASES_A_DAY && counts(&self.ledger.battle) && day.iter().all(counts)
                },
                "the ledger has casualties for unknown units, or too many",
            ),
            (
                &|| Side::BOTH.into_iter().all(flagged),
                "overrun must be sorted, and list no location with a living unit",
            ),
            (
                &|| match &self.pending {
                    None => {
                        let left = self.engagements < self.season.engagements();
                        left && Side::BOTH.into_iter().all(lives)
                    }
                    Some(Pending { awaits, by, proposal }) => {
                        let fits = proposal.as_ref().is_none_or(|proposal| known(&proposal.attacker));
                        known(by) && fits && proposal.is_some() == (*awaits == Decision::Agree)
                    }
                },
                "pending does not fit the rest of the state",
            ),
        ];
        checks.into_iter().find(|(holds, _)| !holds()).map(|(_, why)| why)
    }

    /// The role of a side.
    pub(super) const fn role(&self, side: Side) -> &Role {
        match side {
            Side::Attacker => &self.attacker,
            Side::Defender => &self.defender,
        }
    }

    /// The side of a role.
    pub(super) fn side(&self, role: &Role) -> Result<Side> {
        let mut sides = Side::BOTH.into_iter();
        sides
            .find(|side| self.role(*side) == role)
            .ok_or_else(|| refuse(5, format_args!("{role} is not one of the two sides")))
    }

    /// Engagements left on this day.
    pub(super) const fn engagements_left(&self) -> u64 {
        self.season.engagements().saturating_sub(self.engagements)
    }

    /// Checks that a turn is due, not a decision.
    pub(super) fn between_rounds(&self) -> Result<()> {
        match &self.pending {
            None => Ok(()),
            Some(Pending { awaits, by, .. }) => {
                Err(refuse(22, format_args!("{by} must make the decision {} first", awaits.name())))
            }
        }
    }
}
