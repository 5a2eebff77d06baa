//! A round: both Combat Phases, their costs, moves and the end of the day (`protocol/cil.md` 9, 18 to 21).

use std::sync::Arc;

use serde::Serialize;

use super::{
    battle::Over,
    fight::Fight,
    forces::{Casualties, Unit},
    fought::{Fought, Phase},
    orders::{Order, Orders, notes_of, of_both},
    place::{Location, Side, Sides},
    settings::Settings,
    state::{Decision, State},
};
use crate::{
    blob::{
        body::{Lines, Select},
        json::Text,
    },
    error::{Error, Result},
    resolve::{Account, Draws, Given, Object, Outcome, Place, Plan, Rolls, read_input},
};

/// The rolls of a round: the Combat Phase, the Assault Combat Phase.
const ROLLS: u64 = 2;

/// Effectiveness that an order costs in the Combat Phase, and an assault in the Assault Combat Phase (18).
const ATTACK: u64 = 5;
const PROBE: u64 = 3;
const ASSAULT: u64 = 7;
/// Effectiveness that a move costs and rest gains (20).
const MOVE: u64 = 5;
const REST: u64 = 3;

/// A declared round.
pub(super) struct Declared {
    settings: Arc<Settings>,
}

impl Declared {
    pub(super) fn read(settings: &Arc<Settings>, input: &Text) -> Result<Self> {
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Nothing {}
        let Nothing {} = read_input(input)?;
        Ok(Self { settings: Arc::clone(settings) })
    }
}

impl Rolls for Declared {
    fn canonical(&self) -> Result<Text> {
        Text::of(&Object::new())
    }

    fn for_redo(&self) -> Result<Text> {
        self.canonical()
    }

    fn fits(&self, state: &Object) -> Result<()> {
        State::read(&self.settings, state)?.between_rounds()
    }

    fn count(&self) -> u64 {
        ROLLS
    }

    fn plan(&self, _: &Object) -> Result<Plan> {
        let places = (1..=ROLLS).map(|line| Place { index: 0, line }).collect();
        Ok(Plan { places, select: Some(Select::Plain(Lines { index: 0, lines: ROLLS })) })
    }

    fn resolve(
        &self,
        given: Given<'_>,
        places: &[Place],
        draws: &mut Draws<'_>,
        account: &mut Account,
    ) -> Result<Outcome> {
        let state = State::read(&self.settings, given.state)?;
        state.between_rounds()?;
        let [combat, assault] = places else {
            return Err(Error::Refused("a round must have two places for its two rolls".into()));
        };
        let orders = of_both(&self.settings, &state, &notes_of(&state, given.orders));
        let mut round = Round::new(&self.settings, state, orders);
        round.fight([*combat, *assault], draws)?;
        round.outcome(account)
    }
}

/// A round under way.
pub(super) struct Round<'s> {
    pub(super) settings: &'s Settings,
    pub(super) state: State,
    pub(super) orders: Sides<Orders>,
    /// Strength and Effectiveness of the units before the round.
    pub(super) before: Sides<Vec<(u64, u64)>>,
    pub(super) phases: Vec<(Phase, Fought)>,
    pub(super) moves: Vec<Moved>,
}

/// A unit that changed, with strength and Effectiveness before and after.
pub(super) struct Changed {
    pub(super) side: Side,
    pub(super) unit: usize,
    pub(super) before: (u64, u64),
    pub(super) after: (u64, u64),
}

impl Changed {
    /// The public form: strength before and after, then Effectiveness before and after.
    pub(super) const fn named<'u>(&self, unit: &'u str) -> (&'u str, u64, u64, u64, u64) {
        (unit, self.before.0, self.after.0, self.before.1, self.after.1)
    }
}

/// A unit that was ordered to move.
pub(super) struct Moved {
    pub(super) side: Side,
    pub(super) unit: usize,
    pub(super) to: Location,
    pub(super) failed: Option<Failed>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Failed {
    Attacked,
    Overrun,
}

impl<'s> Round<'s> {
    fn new(settings: &'s Settings, mut state: State, orders: Sides<Orders>) -> Self {
        state.turn += 1;
        state.round += 1;
        let before = state.units.each(|force| force.iter().map(|unit| (unit.strength, unit.effectiveness)).collect());
        Self { settings, state, orders, before, phases: Vec::new(), moves: Vec::new() }
    }

    /// Living units with their orders.
    fn each_unit(&mut self, side: Side) -> impl Iterator<Item = (usize, &mut Unit, Order)> {
        let orders = &self.orders.of(side).of_units;
        let units = self.state.units.of_mut(side).iter_mut().enumerate();
        units.zip(orders).filter(|((_, unit), _)| unit.lives()).map(|((i, unit), order)| (i, unit, *order))
    }

    fn fight(&mut self, [combat, assault]: [Place; 2], draws: &mut Draws<'_>) -> Result<()> {
        let fights = |order: &Order| order.target().is_some();
        if Side::BOTH.into_iter().any(|side| self.orders.of(side).of_units.iter().any(fights)) {
            self.phase(Phase::Combat, combat, draws)?;
            let assaults =
                |round: &mut Self, side| round.each_unit(side).any(|(.., order)| order.assaulted().is_some());
            if Side::BOTH.into_iter().any(|side| assaults(self, side)) {
                self.phase(Phase::Assault, assault, draws)?;
            }
        }
        for side in Side::BOTH {
            self.rest(side);
        }
        Ok(())
    }

    fn phase(&mut self, phase: Phase, place: Place, draws: &mut Draws<'_>) -> Result<()> {
        let table = self.settings.table.as_ref();
        let row = |unit: &Unit| table.and_then(|table| table.index(&unit.kind)).unwrap_or_default();
        let rows = self.state.units.each(|force| force.iter().map(row).collect::<Vec<usize>>());
        let fought = Fight::new(self.settings, &mut self.state, &self.orders, &rows, phase, place, draws).run()?;
        self.state.engagements += match phase {
            Phase::Combat => 1,
            Phase::Assault => self.settings.assault_cost - 1,
        };
        let settings = self.settings;
        for side in Side::BOTH {
            for (_, unit, order) in self.each_unit(side) {
                let cost = match (phase, order) {
                    (Phase::Combat, Order::Attack(_) | Order::Assault(_)) => ATTACK,
                    (Phase::Combat, Order::Probe(_)) => PROBE,
                    (Phase::Assault, Order::Assault(_)) => ASSAULT,
                    _ => continue,
                };
                unit.effectiveness = settings.loses(unit.effectiveness, cost);
            }
        }
        let casualties = self.state.casualties(&fought.lost);
        self.state.ledger.add(casualties);
        self.phases.push((phase, fought));
        Ok(())
    }

    /// Moves and rests units after all fire (20).
    fn rest(&mut self, side: Side) {
        let involved: Vec<Location> = Location::ALL
            .into_iter()
            .filter(|at| self.phases.iter().any(|(_, fought)| *fought.involved.of(side).of(*at)))
            .collect();
        let fell = self.state.overrun.of(side).clone();
        let settings = self.settings;
        let mut moves = Vec::new();
        for (i, unit, order) in self.each_unit(side) {
            let touched = involved.contains(&unit.at);
            match order {
                Order::Hold if !touched => unit.effectiveness = settings.gains(unit.effectiveness, REST),
                Order::Move(to) => {
                    let failed = match (touched, fell.contains(&to)) {
                        (true, _) => Some(Failed::Attacked),
                        (false, true) => Some(Failed::Overrun),
                        (false, false) => None,
                    };
                    if !touched {
                        unit.effectiveness = settings.loses(unit.effectiveness, MOVE);
                    }
                    if failed.is_none() {
                        unit.at = to;
                    }
                    moves.push(Moved { side, unit: i, to, failed });
                }
                _ => {}
            }
        }
        self.moves.extend(moves);
    }

    /// Ends the day or the battle if it is over, and asks for the next decision (21, 22).
    pub(super) fn close(&mut self) -> (Option<Over>, Casualties) {
        if self.state.is_decided() {
            return (Some(Over::Battle), self.state.end_battle(self.settings));
        }
        if self.phases.is_empty() || self.state.engagements_left() == 0 {
            self.state.ask(Decision::Night, self.state.attacker.clone(), None);
            return (Some(Over::Day), Casualties::new());
        }
        (None, Casualties::new())
    }
}
