//! The end of a player turn: ammunition, breakdown and recombination (`protocol/ndc.md` 25).

use super::{
    cells::Cell,
    hand::Unit,
    hexes::{Hex, Name, ascending, list},
    names,
    own::Own,
    sheet::{Recruit, Replaces},
};
use crate::resolve::hidden::Stop;

/// The refusal of two new units with the same name.
const TWICE: &str = "two new units have the same name: rename one";

impl Own<'_> {
    /// Ammunition of the units that attacked in the last player turn, with dice unknown at its end (25).
    pub(super) fn ammunition(&mut self) -> Result<(), Stop> {
        let names = std::mem::take(&mut self.hand.ammo);
        let fired: Vec<(u64, Name, i64)> = (1..)
            .zip(&self.hand.units)
            .filter(|(_, unit)| !unit.gone && names.contains(&unit.name))
            .map(|(place, unit)| (place, unit.name.clone(), unit.attacks))
            .collect();
        for (place, name, attacks) in fired {
            let why = format!("{} {name}", names::AMMO);
            let cell = self.look_up(names::AMMO, attacks, 4 * self.game.settings.units + place, &why)?;
            let unit = self.hand.find(&name).and_then(|place| self.hand.units.get_mut(place));
            if let Some(unit) = unit.filter(|_| cell == Cell::Ammo(true)) {
                unit.depleted = true;
            }
        }
        Ok(())
    }

    /// Ends a player turn (25).
    pub(super) fn end_turn(&mut self) {
        for (item, replaces) in self.sheet.list::<Replaces>("replace", usize::MAX) {
            if let Err(why) = self.replace(replaces) {
                self.sheet.refuse(&item, why);
            }
        }
        if self.game.settings.ammo {
            let fired = self.hand.there().filter(|(_, unit)| unit.attacks > 0);
            self.hand.ammo = fired.map(|(_, unit)| unit.name.clone()).collect();
        }
        self.hand.units.iter_mut().for_each(|unit| unit.ew = 0);
    }

    /// Breaks down or recombines units.
    pub(super) fn replace(&mut self, Replaces { comes, out }: Replaces) -> Result<(), String> {
        let leave: Vec<usize> = out.iter().filter_map(|name| self.hand.find(name)).collect();
        if leave.len() != out.len() || out.is_empty() || !ascending(&out) {
            return Err("`out` must name one or more of your units, sorted and without repeats".into());
        }
        let old: Vec<&Unit> = leave.iter().filter_map(|place| self.hand.units.get(*place)).collect();
        let hexes: Vec<Hex> = old.iter().flat_map(|unit| unit.hexes.iter().copied()).collect();
        for (i, recruit) in comes.iter().enumerate() {
            let twice = comes.iter().take(i).any(|other| other.name == recruit.name);
            if let Some(why) = self.refuses(recruit).or_else(|| twice.then_some(TWICE)) {
                return Err(why.into());
            }
            if !recruit.hexes.iter().all(|hex| hexes.contains(hex)) {
                return Err(format!("{} must be placed on hexes of the units that it replaces", recruit.name));
            }
        }
        gains(&comes, &old)?;
        if (self.hand.units.len() + comes.len()) as u64 > self.game.settings.units {
            return Err("more units than the terms allow, counting those that are gone: add fewer".into());
        }
        let any = |is: fn(&Unit) -> bool| old.iter().copied().any(is);
        let level = old.iter().map(|unit| unit.level).max().unwrap_or_default();
        let attacks = old.iter().map(|unit| unit.attacks).max().unwrap_or_default();
        let come = comes.into_iter().map(|recruit| Unit {
            attacks,
            depleted: any(|unit| unit.depleted),
            finished: any(|unit| unit.finished),
            halted: any(|unit| unit.halted),
            moved: any(|unit| unit.moved),
            reset: any(|unit| unit.reset),
            volunteered: any(|unit| unit.volunteered),
            ..recruit.unit(level)
        });
        let come: Vec<Unit> = come.collect();
        self.say(format!("units removed: {}; units added: {}", list(&out), list(come.iter().map(|unit| &unit.name))));
        for place in leave {
            if let Some(unit) = self.hand.units.get_mut(place) {
                unit.leaves();
            }
        }
        self.hand.units.extend(come);
        Ok(())
    }
}

/// Checks that new units have no more than the old ones.
fn gains(comes: &[Recruit], old: &[&Unit]) -> Result<(), String> {
    let sum = |new: fn(&Recruit) -> i64, before: fn(&Unit) -> i64| {
        comes.iter().map(new).sum::<i64>() > old.iter().copied().map(before).sum()
    };
    let above = |new: fn(&Recruit) -> Option<i64>, before: fn(&Unit) -> Option<i64>| {
        comes.iter().map(new).max().flatten() > old.iter().copied().map(before).max().flatten()
    };
    let rested = comes.iter().map(|new| new.fatigue.0).min().zip(old.iter().map(|unit| unit.fatigue).min());
    if sum(|new| new.attack.0, |unit| unit.attack)
        || sum(|new| new.defense.0, |unit| unit.defense)
        || sum(|new| new.to.0, |unit| unit.to)
        || sum(|new| new.commander.map_or(0, |rating| rating.0), |unit| unit.commander.unwrap_or_default())
        || sum(|new| new.leadership.0, |unit| unit.leadership)
    {
        return Err(
            "the new units must not have more attack, defense, T/O, commanders' ratings or leadership in total \
                    than the old ones"
                .into(),
        );
    }
    if above(|new| new.commander.map(|rating| rating.0), |unit| unit.commander)
        || above(|new| Some(new.leadership.0), |unit| Some(unit.leadership))
        || above(|new| Some(new.movement.0), |unit| Some(unit.movement))
        || above(|new| Some(new.march.0), |unit| Some(unit.march))
        || rested.is_some_and(|(new, before)| new < before)
    {
        return Err("the new units' commander, leadership, movement and march must not exceed the highest of the old \
                    ones, and their fatigue must not be below the lowest"
            .into());
    }
    Ok(())
}
