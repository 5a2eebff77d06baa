//! Nights, the end of a battle, and the next one (`protocol/cil.md` 21 to 24).

use serde::Serialize;

use super::{
    forces::{Casualties, Unit},
    place::{Side, Sides},
    settings::{Settings, refuse},
    state::{Decision, Ledger, Pending, Proposal, State, check_forces},
};
use crate::{
    blob::{
        body::{Ended, Role},
        json::{self, Text, Value},
    },
    error::Result,
    resolve::{Account, Object, Outcome, object},
};

/// What a round or a decision ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Over {
    Battle,
    Day,
}

/// The public outcome of a decision (25).
#[derive(Debug, Serialize)]
struct Public {
    by: Role,
    ended: Option<Over>,
    name: &'static str,
    recovered: Casualties,
}

impl State {
    pub(super) fn ask(&mut self, awaits: Decision, by: Role, proposal: Option<Proposal>) {
        self.pending = Some(Pending { awaits, by, proposal });
    }

    /// Casualties by id of unit.
    pub(super) fn casualties(&self, lost: &Sides<Vec<u64>>) -> Sides<Casualties> {
        let of = |side: Side| {
            let units = self.units.of(side).iter().zip(lost.of(side)).filter(|(_, lost)| **lost > 0);
            units.map(|(unit, lost)| (unit.id.clone(), *lost)).collect()
        };
        Sides { attacker: of(Side::Attacker), defender: of(Side::Defender) }
    }

    /// Ends the battle. Returns the casualties that come back to the units, by unit (24).
    pub(super) fn end_battle(&mut self, settings: &Settings) -> Casualties {
        let mut recovered = Casualties::new();
        for side in Side::BOTH {
            let lost = self.ledger.battle.of(side);
            for unit in self.units.of_mut(side) {
                let back = lost.get(&unit.id).map_or(0, |lost| lost * settings.recover_pct / 100);
                if back > 0 {
                    unit.strength += back;
                    recovered.insert(unit.id.clone(), back);
                }
            }
        }
        self.overrun = Sides::default();
        self.ask(Decision::Battle, self.defender.clone(), None);
        recovered
    }

    /// Whether a side has no living units left.
    pub(super) fn is_decided(&self) -> bool {
        Side::BOTH.into_iter().any(|side| !self.units.of(side).iter().any(Unit::lives))
    }

    /// The outcome, with the decision that it needs next.
    pub(super) fn outcome(&self, public: Text) -> Result<Outcome> {
        let mut needs = Object::new();
        if let Some(Pending { awaits, by, .. }) = &self.pending {
            needs.insert(awaits.name().into(), by.as_str().into());
        }
        let ended = if needs.is_empty() { Ended::Done } else { Ended::Needs };
        Ok(Outcome { ended, needs, ..Outcome::done(object(self)?, public) })
    }
}

/// Applies a decision to a state.
pub(super) fn decide(
    settings: &Settings,
    mut state: State,
    name: &str,
    value: &Value,
    account: &mut Account,
) -> Result<Outcome> {
    let Some(Pending { awaits, by, proposal }) = state.pending.take().filter(|pending| pending.awaits.name() == name)
    else {
        return Err(refuse(22, format_args!("the decision {name:?} is not due now: see `game status`")));
    };
    let mut public = Public { by: by.clone(), ended: None, name: awaits.name(), recovered: Casualties::new() };
    let step = match awaits {
        Decision::Night => match value.as_str() {
            Some("on") => {
                (state.day, state.engagements) = (state.day + 1, 0);
                state.ledger.day.clear();
                format!("{by} continues: day {} of battle {} begins", state.day, state.battle)
            }
            Some("end") if by == state.attacker => {
                state.ask(Decision::Night, state.defender.clone(), None);
                format!("{by} proposes to end battle {}; {} decides next", state.battle, state.defender)
            }
            Some("end") => {
                public.recovered = state.end_battle(settings);
                public.ended = Some(Over::Battle);
                format!("both players end battle {}{}", state.battle, told(&public.recovered))
            }
            _ => return Err(refuse(22, "night must be on or end")),
        },
        Decision::Battle => {
            let proposal = proposed(settings, value)?;
            let Proposal { attacker, forces, season } = &proposal;
            let other = settings.other(&by);
            let step = format!(
                "{by} proposes a battle in {} with {attacker} as attacker (units: {} against {}); {other} decides next",
                season.name(),
                forces.attacker.len(),
                forces.defender.len()
            );
            state.ask(Decision::Agree, other, Some(proposal));
            step
        }
        Decision::Agree => match (value.as_bool(), proposal) {
            (Some(true), Some(Proposal { attacker, forces, season })) => {
                let (battle, defender) = (state.battle + 1, settings.other(&attacker));
                state = State::of_battle(battle, state.turn, attacker, defender, season, forces);
                format!("{by} agrees: battle {battle} begins")
            }
            (Some(false), _) => {
                state.ask(Decision::Battle, by.clone(), None);
                format!("{by} refuses and proposes a battle next")
            }
            _ => return Err(refuse(23, "agree must be yes or no")),
        },
    };
    account.add(|| [step]);
    state.outcome(Text::of(&public)?)
}

/// Describes the casualties that come back to the units.
pub(super) fn told(recovered: &Casualties) -> String {
    let back: Vec<String> = recovered.iter().map(|(id, n)| format!("{n} to {id}")).collect();
    if back.is_empty() { String::new() } else { format!("; casualties that return: {}", back.join(", ")) }
}

/// Reads and checks a proposed battle (23).
fn proposed(settings: &Settings, value: &Value) -> Result<Proposal> {
    let refused = |why: &dyn std::fmt::Display| refuse(23, format_args!("battle: {why}"));
    let proposal: Proposal = json::read_value(value).map_err(|error| refused(&error))?;
    if proposal.attacker != settings.attacker && proposal.attacker != settings.defender {
        return Err(refused(&format_args!("the attacker {} must be one of the two players", proposal.attacker)));
    }
    check_forces(&proposal.forces, settings.table.as_ref(), 1).map_err(|error| refused(&error))?;
    Ok(proposal)
}

impl Ledger {
    /// Adds a phase's casualties.
    pub(super) fn add(&mut self, casualties: Sides<Casualties>) {
        for side in Side::BOTH {
            for (id, n) in casualties.of(side) {
                *self.battle.of_mut(side).entry(id.clone()).or_default() += n;
            }
        }
        self.day.push(casualties);
    }
}
