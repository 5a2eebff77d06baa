//! A Combat Phase (`protocol/cil.md` 10 to 12): attacks, fire and absorption.

use std::ops::Range;

use super::{
    forces::Unit,
    fought::{Each, Fought, Phase, Series},
    orders::{Order, Orders},
    place::{Location, Places, Side, Sides},
    settings::Settings,
    state::State,
};
use crate::{
    error::Result,
    resolve::{Draws, Place},
};

/// Sides of the die for hits and absorption.
const DIE: u64 = 10;

/// A phase under way.
pub(super) struct Fight<'r, 'd, 's> {
    pub(super) settings: &'r Settings,
    pub(super) state: &'r mut State,
    pub(super) orders: &'r Sides<Orders>,
    pub(super) phase: Phase,
    pub(super) place: Place,
    pub(super) draws: &'r mut Draws<'d>,
    pub(super) fought: Fought,
    /// For each location, the locations of the other side that attack it.
    pub(super) attacked: Sides<Places<Places<bool>>>,
    pub(super) under_fire: Sides<Places<bool>>,
    /// Living units with a combat order, by location.
    pub(super) fighting: Sides<Places<Vec<usize>>>,
    /// Living units without a combat order, by location.
    pub(super) bystanding: Sides<Places<Vec<usize>>>,
    pub(super) absorption: Each<u64>,
    /// Each unit's row in the table of mixed forces; all 0 without a table.
    pub(super) rows: &'s Each<usize>,
    /// The number of hits counted so far for the halving of probes.
    pub(super) probed: Sides<Places<u64>>,
    /// Locations that became OVERRUN before any die was drawn, so that all hits on them are excess.
    pub(super) empty: Sides<Places<bool>>,
}

impl<'r, 'd, 's> Fight<'r, 'd, 's> {
    pub(super) fn new(
        settings: &'r Settings,
        state: &'r mut State,
        orders: &'r Sides<Orders>,
        rows: &'s Each<usize>,
        phase: Phase,
        place: Place,
        draws: &'r mut Draws<'d>,
    ) -> Self {
        let mut fight = Self {
            settings,
            orders,
            phase,
            place,
            draws,
            fought: Fought { lost: state.units.each(|force| vec![0; force.len()]), ..Fought::default() },
            attacked: Sides::default(),
            under_fire: Sides::default(),
            fighting: Sides::default(),
            bystanding: Sides::default(),
            absorption: state.units.each(|force| vec![0; force.len()]),
            rows,
            probed: Sides::default(),
            empty: Sides::default(),
            state,
        };
        fight.deploy();
        fight
    }

    pub(super) fn order(&self, side: Side, unit: usize) -> Order {
        self.orders.of(side).of_units.get(unit).copied().unwrap_or(Order::Hold)
    }

    pub(super) fn unit(&self, side: Side, unit: usize) -> Option<&Unit> {
        self.state.units.of(side).get(unit)
    }

    /// The location that a unit attacks in this phase.
    fn target(&self, side: Side, unit: usize) -> Option<Location> {
        match self.phase {
            Phase::Combat => self.order(side, unit).target(),
            Phase::Assault => self.order(side, unit).assaulted(),
        }
    }

    /// Sorts the units by location, and notes what they attack.
    fn deploy(&mut self) {
        for side in Side::BOTH {
            for i in 0..self.state.units.of(side).len() {
                let Some(unit) = self.unit(side, i).filter(|unit| unit.lives()) else { continue };
                let (at, order) = (unit.at, self.order(side, i));
                let here = if order.fights() { &mut self.fighting } else { &mut self.bystanding };
                here.of_mut(side).of_mut(at).push(i);
                if let Some(target) = self.target(side, i) {
                    *self.attacked.of_mut(side.other()).of_mut(target).of_mut(at) = true;
                }
            }
        }
    }

    pub(super) fn is_attacked(&self, side: Side, at: Location) -> bool {
        Location::ALL.iter().any(|from| *self.attacked.of(side).of(at).of(*from))
    }

    pub(super) fn is_empty(&self, side: Side, at: Location) -> bool {
        self.fighting.of(side).of(at).is_empty() && self.bystanding.of(side).of(at).is_empty()
    }

    /// Fights the phase: units fire and absorb, then the hits are applied (10 to 17).
    pub(super) fn run(mut self) -> Result<Fought> {
        if self.phase == Phase::Assault {
            self.find_empty();
        }
        self.fire()?;
        self.absorb()?;
        self.apply()?;
        Ok(self.fought)
    }

    /// Finds attacked locations without living units (11).
    fn find_empty(&mut self) {
        for side in Side::BOTH {
            for at in Location::ALL {
                let fell = self.is_attacked(side, at) && self.is_empty(side, at);
                if fell && self.fell(side, at) {
                    *self.empty.of_mut(side).of_mut(at) = true;
                }
            }
        }
    }

    /// Makes a location OVERRUN. Returns `false` if it was OVERRUN already.
    pub(super) fn fell(&mut self, side: Side, at: Location) -> bool {
        let flags = self.state.overrun.of_mut(side);
        if flags.contains(&at) {
            return false;
        }
        flags.push(at);
        flags.sort_unstable();
        self.fought.overrun.push((side, at));
        true
    }

    /// All units that fire, with their targets (10).
    fn firing(&self) -> Vec<(Side, usize, Location)> {
        let mut firing = Vec::new();
        for side in Side::BOTH {
            for at in Location::ALL {
                let from = Location::ALL.into_iter().find(|from| *self.attacked.of(side).of(at).of(*from));
                let here = self.fighting.of(side).of(at).iter();
                firing.extend(here.filter_map(|unit| Some((side, *unit, self.target(side, *unit).or(from)?))));
            }
        }
        firing
    }

    /// Attack or Defense, scaled by Effectiveness if the settings say so (12).
    fn scaled(&self, value: u64, unit: &Unit) -> i64 {
        let value = if self.settings.scale_values { value * unit.effectiveness / 100 } else { value };
        value.cast_signed()
    }

    /// Draws dice, and subtracts each from the value until nothing is left. Returns the number of dice after which some
    /// of the value was left, and their range in the dice of the phase (12).
    fn series(&mut self, value: i64, why: &str) -> Result<(u64, Range<usize>)> {
        let (mut left, mut counted, first) = (value, 0, self.fought.dice.len());
        while left > 0 {
            let die = self.draws.draw(self.place, DIE, why)?;
            left = left.saturating_sub_unsigned(die);
            counted += u64::from(left > 0);
            self.fought.dice.push(die);
        }
        Ok((counted, first..self.fought.dice.len()))
    }

    fn fire(&mut self) -> Result<()> {
        for (side, i, at) in self.firing() {
            let Some(unit) = self.unit(side, i) else { continue };
            let dug_in = i64::from(self.order(side, i) == Order::DigIn);
            let value = self.scaled(unit.attack, unit) - dug_in;
            let why = format!("{} fires", unit.id);
            let (counted, dice) = self.series(value, &why)?;
            *self.under_fire.of_mut(side.other()).of_mut(at) = true;
            *self.fought.involved.of_mut(side.other()).of_mut(at) = true;
            self.fought.fires.push(Series { side, unit: i, value, counted, dice, at });
        }
        Ok(())
    }

    fn absorb(&mut self) -> Result<()> {
        for side in Side::BOTH {
            for at in Location::ALL.into_iter().filter(|at| *self.under_fire.of(side).of(*at)).collect::<Vec<_>>() {
                for i in self.living(side, at) {
                    let Some(unit) = self.unit(side, i).filter(|unit| unit.defense > 0) else { continue };
                    let dug_in = i64::from(self.order(side, i) == Order::DigIn);
                    let value = self.scaled(unit.defense, unit) + dug_in;
                    let why = format!("{} absorbs", unit.id);
                    let (counted, dice) = self.series(value, &why)?;
                    self.absorption.of_mut(side).iter_mut().skip(i).take(1).for_each(|points| *points = counted);
                    self.fought.absorbs.push(Series { side, unit: i, value, counted, dice, at });
                }
            }
        }
        Ok(())
    }

    /// The living units at a location, in the order of the roster.
    pub(super) fn living(&self, side: Side, at: Location) -> Vec<usize> {
        let (one, two) = (self.fighting.of(side).of(at), self.bystanding.of(side).of(at));
        let mut living: Vec<usize> = one.iter().chain(two).copied().collect();
        living.sort_unstable();
        living
    }
}
