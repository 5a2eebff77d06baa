//! Hits: halving, striking units, absorption and excess (`protocol/cil.md` 13 to 17).

use super::{
    fight::Fight,
    fought::{Applied, Came, Phase, Series, Struck},
    orders::Onward,
    place::{Location, Places, Side, Sides},
    settings::Settings,
};
use crate::error::{Error, Result};

/// A hit, with the facts that matter about the unit that fired it.
#[derive(Clone, Copy, Debug)]
struct Hit {
    /// The firing unit's row in the table of mixed forces.
    row: usize,
    probe: bool,
}
impl Fight<'_, '_, '_> {
    /// The hits on each location, those from probes last (13).
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

    pub(super) fn apply(&mut self) -> Result<()> {
        let mut hits = self.hits();
        if self.settings.halves_pools() {
            for side in Side::BOTH {
                for at in Location::ALL.into_iter().filter(|at| *self.under_fire.of(side).of(*at)) {
                    let kept = self.halve(side, at, hits.of(side).of(at));
                    *hits.of_mut(side).of_mut(at) = kept;
                }
            }
        }
        for side in [Side::Defender, Side::Attacker] {
            for at in Location::ALL {
                if !*self.under_fire.of(side).of(at) {
                    continue;
                }
                let fired = self.fought.fires.iter().filter(|fired| fired.side != side && fired.at == at);
                let all: u64 = fired.map(|fired| fired.counted).sum();
                self.strike_location(side, at, hits.of(side).of(at), all)?;
            }
        }
        Ok(())
    }

    /// Halves hits from probes, and hits on locations with probes only, for the setting `hits_floor` (15).
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

    /// Applies the hits on a location, and sends on its excess (13, 16). `all` counts the hits before halving.
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

    /// Sends excess from one location to the next (17).
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

    /// The location that excess goes to from a side's location.
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

    /// Applies hits one by one to a side's units at a location until none is left alive. Returns the hits left over.
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

    /// Applies a hit to a unit (13, 15).
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

/// Picks the unit that a hit strikes, with the die drawn for it, if any. `None` if every candidate weighs 0 (13, 14).
fn choose(
    settings: &Settings,
    rows: &[usize],
    candidates: &[usize],
    hit: &Hit,
    mut draw: impl FnMut(u64) -> Result<u64>,
) -> Result<Option<(usize, Option<u64>)>> {
    let none = || Error::Refused("a die showed a number that it does not have".into());
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
