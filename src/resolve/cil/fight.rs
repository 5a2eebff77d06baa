//! A Combat Phase (`protocol/cil.md` 10 to 18): who fires, hits, absorption, where the hits go.

use serde::Serialize;

use super::{
    Settings,
    orders::{Onward, Order, Orders},
    place::{Location, Places, Side, Sides},
    state::{State, Unit},
};
use crate::{
    error::{Error, Result},
    resolve::{Draws, Place},
};

/// Sides of the die of hits and absorption.
const DIE: u64 = 10;

/// Which Combat Phase of a round it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Phase {
    Combat,
    Assault,
}

/// A unit that fires, or absorbs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Series {
    pub(super) side: Side,
    /// Its place in the roster.
    pub(super) unit: usize,
    /// Its value at first.
    pub(super) value: u64,
    /// Hits, or points of absorption.
    pub(super) counted: u64,
    /// Where it fires; where it absorbs, its own location.
    pub(super) at: Location,
}

/// What became of a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Came {
    Absorbed,
    Halved,
    Casualty,
}

/// A hit that struck a unit, with the die that chose it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Struck {
    pub(super) unit: usize,
    pub(super) draw: Option<u64>,
    pub(super) came: Came,
}

/// The hits that came to a location at one time.
#[derive(Clone, Debug)]
pub(super) struct Applied {
    pub(super) side: Side,
    pub(super) at: Location,
    /// For excess, where it comes from.
    pub(super) from: Option<Location>,
    pub(super) hits: u64,
    pub(super) halved: u64,
    pub(super) lost: u64,
    pub(super) sent: u64,
    pub(super) struck: Vec<Struck>,
}

/// A hit on its way: who fired it.
#[derive(Clone, Copy, Debug)]
struct Hit {
    /// The row of the table of mixed forces.
    row: usize,
    probe: bool,
}

/// What a phase has come to.
#[derive(Debug, Default)]
pub(super) struct Fought {
    pub(super) fires: Vec<Series>,
    pub(super) absorbs: Vec<Series>,
    pub(super) applied: Vec<Applied>,
    /// Locations that became OVERRUN.
    pub(super) overrun: Vec<(Side, Location)>,
    /// Casualties of each unit.
    pub(super) lost: Each<u64>,
    /// Locations that were under fire, or that excess was applied in.
    pub(super) involved: Sides<Places<bool>>,
}

/// Something of each unit, in the order of the roster.
pub(super) type Each<T> = Sides<Vec<T>>;

/// A phase under way.
pub(super) struct Fight<'r, 'd, 's> {
    settings: &'r Settings,
    state: &'r mut State,
    orders: &'r Sides<Orders>,
    phase: Phase,
    place: Place,
    draws: &'r mut Draws<'d>,
    fought: Fought,
    /// For each location, from which ones of the other side it is attacked.
    attacked: Sides<Places<Places<bool>>>,
    under_fire: Sides<Places<bool>>,
    /// Living units by location: with a combat order, and without.
    fighting: Sides<Places<Vec<usize>>>,
    bystanding: Sides<Places<Vec<usize>>>,
    absorption: Each<u64>,
    /// The rows of the table of mixed forces; all 0 without.
    rows: &'s Each<usize>,
    /// How many hits have counted for the halving of probes.
    probed: Sides<Places<u64>>,
    /// What became OVERRUN before anything was drawn, so that all its hits are excess.
    empty: Sides<Places<bool>>,
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

    fn order(&self, side: Side, unit: usize) -> Order {
        self.orders.of(side).of_units.get(unit).copied().unwrap_or(Order::Hold)
    }

    fn unit(&self, side: Side, unit: usize) -> Option<&Unit> {
        self.state.units.of(side).get(unit)
    }

    /// Where a unit attacks in this phase.
    fn target(&self, side: Side, unit: usize) -> Option<Location> {
        match self.phase {
            Phase::Combat => self.order(side, unit).target(),
            Phase::Assault => self.order(side, unit).assaulted(),
        }
    }

    /// Who stands where, and attacks whom.
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

    fn is_attacked(&self, side: Side, at: Location) -> bool {
        Location::ALL.iter().any(|from| *self.attacked.of(side).of(at).of(*from))
    }

    fn is_empty(&self, side: Side, at: Location) -> bool {
        self.fighting.of(side).of(at).is_empty() && self.bystanding.of(side).of(at).is_empty()
    }

    /// Fights it.
    pub(super) fn run(mut self) -> Result<Fought> {
        if self.phase == Phase::Assault {
            self.find_empty();
        }
        self.fire()?;
        self.absorb()?;
        self.apply()?;
        Ok(self.fought)
    }

    /// Attacked locations in which nobody lives (11).
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

    /// A location becomes OVERRUN, if it was not.
    fn fell(&mut self, side: Side, at: Location) -> bool {
        let flags = self.state.overrun.of_mut(side);
        if flags.contains(&at) {
            return false;
        }
        flags.push(at);
        flags.sort_unstable();
        self.fought.overrun.push((side, at));
        true
    }

    /// Everybody who fires, with where (10).
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

    /// Attack or Defense as it counts in this phase (12).
    fn scaled(&self, value: u64, unit: &Unit) -> u64 {
        if self.settings.scale_values { value * unit.effectiveness / 100 } else { value }
    }

    /// Draws until the value is used up; how often something was left of it (12).
    fn series(&mut self, value: u64, why: &str) -> Result<u64> {
        let (mut left, mut counted) = (value, 0);
        while left > 0 {
            left = left.saturating_sub(self.draws.draw(self.place, DIE, why)?);
            counted += u64::from(left > 0);
        }
        Ok(counted)
    }

    fn fire(&mut self) -> Result<()> {
        for (side, i, at) in self.firing() {
            let Some(unit) = self.unit(side, i) else { continue };
            let dug_in = u64::from(self.order(side, i) == Order::DigIn);
            let value = self.scaled(unit.attack, unit).saturating_sub(dug_in);
            let why = format!("{} fires", unit.id);
            let counted = self.series(value, &why)?;
            *self.under_fire.of_mut(side.other()).of_mut(at) = true;
            *self.fought.involved.of_mut(side.other()).of_mut(at) = true;
            self.fought.fires.push(Series { side, unit: i, value, counted, at });
        }
        Ok(())
    }

    fn absorb(&mut self) -> Result<()> {
        for side in Side::BOTH {
            for at in Location::ALL.into_iter().filter(|at| *self.under_fire.of(side).of(*at)).collect::<Vec<_>>() {
                for i in self.living(side, at) {
                    let Some(unit) = self.unit(side, i).filter(|unit| unit.defense > 0) else { continue };
                    let dug_in = u64::from(self.order(side, i) == Order::DigIn);
                    let value = self.scaled(unit.defense, unit) + dug_in;
                    let why = format!("{} absorbs", unit.id);
                    let counted = self.series(value, &why)?;
                    self.absorption.of_mut(side).iter_mut().skip(i).take(1).for_each(|points| *points = counted);
                    self.fought.absorbs.push(Series { side, unit: i, value, counted, at });
                }
            }
        }
        Ok(())
    }

    /// The living units of a location, in the order of the roster.
    fn living(&self, side: Side, at: Location) -> Vec<usize> {
        let (one, two) = (self.fighting.of(side).of(at), self.bystanding.of(side).of(at));
        let mut living: Vec<usize> = one.iter().chain(two).copied().collect();
        living.sort_unstable();
        living
    }

    /// The hits on each location, those of probes behind (13).
    fn hits(&self) -> Sides<Places<Vec<Hit>>> {
        let mut hits: Sides<Places<Vec<Hit>>> = Sides::default();
        for probe in [false, true] {
            for Series { side, unit, counted, at, .. } in &self.fought.fires {
                if self.order(*side, *unit).is_probe() == probe {
                    let row = self.rows.of(*side).get(*unit).copied().unwrap_or_default();
                    let here = hits.of_mut(side.other()).of_mut(*at);
                    here.extend((0..*counted).map(|_| Hit { row, probe }));
                }
            }
        }
        hits
    }

    fn apply(&mut self) -> Result<()> {
        let mut hits = self.hits();
        if self.settings.halves_pools() {
            for side in Side::BOTH {
                for at in Location::ALL.into_iter().filter(|at| *self.under_fire.of(side).of(*at)) {
                    let kept = self.halve(side, at, hits.of(side).of(at));
                    *hits.of_mut(side).of_mut(at) = kept;
                }
            }
        }
        let come = self.fought.fires.clone();
        for side in [Side::Defender, Side::Attacker] {
            for at in Location::ALL {
                if !*self.under_fire.of(side).of(at) {
                    continue;
                }
                let fired = come.iter().filter(|fired| fired.side != side && fired.at == at);
                let all: u64 = fired.map(|fired| fired.counted).sum();
                self.strike_location(side, at, hits.of(side).of(at), all)?;
            }
        }
        Ok(())
    }

    /// `hits_floor`: halves what probes fire, and what is fired at probes alone (15).
    fn halve(&self, side: Side, at: Location, hits: &[Hit]) -> Vec<Hit> {
        let here = self.fighting.of(side).of(at);
        let alone = !here.is_empty() && here.iter().all(|unit| self.order(side, *unit).is_probe());
        let of = |probe: bool| hits.iter().filter(move |hit| hit.probe == probe).copied();
        let kept = |probe: bool| {
            let n = of(probe).count();
            of(probe).take(if probe || alone { n / 2 } else { n })
        };
        kept(false).chain(kept(true)).collect()
    }

    /// The hits of a location, and what goes on from there (13, 16). `all` has those that were halved beforehand.
    fn strike_location(&mut self, side: Side, at: Location, hits: &[Hit], all: u64) -> Result<()> {
        let entry = self.enter(side, at, None, all, all - hits.len() as u64);
        let left = self.strike(side, at, hits, entry, false)?;
        let mut falls = *self.empty.of(side).of(at);
        if self.phase == Phase::Assault && self.is_empty(side, at) {
            let may = self.settings.overruns_any() || self.is_attacked(side, at);
            falls |= may && self.fell(side, at);
        }
        if falls {
            return self.send(side, at, left, entry);
        }
        self.lose(entry, left.len());
        Ok(())
    }

    /// Excess on its way from one location to the next (17).
    fn send(&mut self, side: Side, from: Location, mut left: &[Hit], mut entry: usize) -> Result<()> {
        let mut at = from;
        loop {
            let Some(to) = self.onward(side, at).filter(|_| !left.is_empty()) else {
                self.lose(entry, left.len());
                return Ok(());
            };
            if let Some(sender) = self.fought.applied.get_mut(entry) {
                sender.sent = left.len() as u64;
            }
            entry = self.enter(side, to, Some(at), left.len() as u64, 0);
            if self.state.overrun.of(side).contains(&to) {
                self.lose(entry, left.len());
                return Ok(());
            }
            *self.fought.involved.of_mut(side).of_mut(to) = true;
            left = self.strike(side, to, left, entry, true)?;
            if !self.is_empty(side, to) {
                return Ok(());
            }
            self.fell(side, to);
            if !self.settings.chain {
                self.lose(entry, left.len());
                return Ok(());
            }
            at = to;
        }
    }

    /// Where excess goes from a location of a side.
    fn onward(&self, side: Side, from: Location) -> Option<Location> {
        match self.orders.of(side.other()).onward.of(from) {
            Some(Onward::To(to)) => Some(*to),
            Some(Onward::Nowhere) | None => None,
        }
    }

    fn enter(&mut self, side: Side, at: Location, from: Option<Location>, hits: u64, halved: u64) -> usize {
        self.fought.applied.push(Applied { side, at, from, hits, halved, lost: 0, sent: 0, struck: Vec::new() });
        self.fought.applied.len() - 1
    }

    fn lose(&mut self, entry: usize, hits: usize) {
        if let Some(entry) = self.fought.applied.get_mut(entry) {
            entry.lost += hits as u64;
        }
    }

    /// Applies hits one by one, as long as somebody lives there; the rest is left over.
    fn strike<'h>(
        &mut self,
        side: Side,
        at: Location,
        hits: &'h [Hit],
        entry: usize,
        excess: bool,
    ) -> Result<&'h [Hit]> {
        let why = format!("hit on {} {at}", self.state.role(side));
        let mut all = if excess { self.living(side, at) } else { Vec::new() };
        for (n, hit) in hits.iter().enumerate() {
            let (fighting, bystanding) = (self.fighting.of(side).of(at), self.bystanding.of(side).of(at));
            let candidates = match (excess, fighting.is_empty()) {
                (true, _) => &all,
                (false, false) => fighting,
                (false, true) => bystanding,
            };
            if candidates.is_empty() {
                return Ok(hits.get(n..).unwrap_or_default());
            }
            let chosen = choose(self.settings, self.rows.of(side), candidates, hit, |sides| {
                self.draws.draw(self.place, sides, &why)
            })?;
            let Some((unit, draw)) = chosen else {
                self.lose(entry, 1);
                continue;
            };
            let came = self.hit(side, at, unit, hit, excess);
            if self.unit(side, unit).is_some_and(|unit| !unit.lives()) {
                for standing in
                    [&mut all, self.fighting.of_mut(side).of_mut(at), self.bystanding.of_mut(side).of_mut(at)]
                {
                    if let Ok(place) = standing.binary_search(&unit) {
                        standing.remove(place);
                    }
                }
            }
            if let Some(entry) = self.fought.applied.get_mut(entry) {
                entry.struck.push(Struck { unit, draw, came });
            }
        }
        Ok(&[])
    }

    /// What a hit does to a unit (13, 15).
    fn hit(&mut self, side: Side, at: Location, struck: usize, hit: &Hit, excess: bool) -> Came {
        let may_absorb = !excess || self.settings.spill_absorbs;
        if let Some(points) = self.absorption.of_mut(side).get_mut(struck).filter(|points| may_absorb && **points > 0) {
            *points -= 1;
            return Came::Absorbed;
        }
        if self.settings.alternates() && (hit.probe || self.order(side, struck).is_probe()) {
            let counted = self.probed.of_mut(side).of_mut(at);
            *counted += 1;
            if *counted % 2 == 1 {
                return Came::Halved;
            }
        }
        if let Some(unit) = self.state.units.of_mut(side).get_mut(struck) {
            unit.strength = unit.strength.saturating_sub(1);
        }
        self.fought.lost.of_mut(side).iter_mut().skip(struck).take(1).for_each(|lost| *lost += 1);
        Came::Casualty
    }
}

/// Whom a hit strikes, and the die that chose him; nobody, where all weigh nothing (13, 14).
fn choose(
    settings: &Settings,
    rows: &[usize],
    candidates: &[usize],
    hit: &Hit,
    mut draw: impl FnMut(u64) -> Result<u64>,
) -> Result<Option<(usize, Option<u64>)>> {
    let none = || Error::Refused("a die showed what it has not".into());
    let Some(table) = &settings.table else {
        if let [only] = candidates {
            return Ok(Some((*only, None)));
        }
        let drawn = draw(candidates.len() as u64)?;
        let unit = usize::try_from(drawn).ok().and_then(|drawn| candidates.get(drawn.checked_sub(1)?));
        return unit.map(|unit| Some((*unit, Some(drawn)))).ok_or_else(none);
    };
    let weight = |unit: &usize| table.weight(hit.row, rows.get(*unit).copied().unwrap_or_default());
    let (mut sum, mut eligible, mut last) = (0, 0, None);
    for unit in candidates {
        let weighs = weight(unit);
        if weighs > 0 {
            (sum, eligible, last) = (sum + weighs, eligible + 1, Some(*unit));
        }
    }
    if eligible < 2 {
        return Ok(last.map(|unit| (unit, None)));
    }
    let drawn = draw(sum)?;
    let mut left = drawn;
    for unit in candidates {
        let weighs = weight(unit);
        if weighs >= left {
            return Ok(Some((*unit, Some(drawn))));
        }
        left -= weighs;
    }
    Err(none())
}
