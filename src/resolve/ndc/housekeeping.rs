//! The end of a player turn: ammunition, breakdown and recombination (`protocol/ndc.md` 25).

use super::{
    cells::Cell,
    hand::Unit,
    hexes::{Hex, Name, list},
    own::{Own, Stop},
    sheet::Replaces,
    tables,
};
use crate::limits::LIST;

impl Own<'_> {
    /// The end of a player turn (25).
    pub(super) fn end_turn(&mut self) -> Result<(), Stop> {
        let fought: Vec<(u64, Name, i64)> = (1..)
            .zip(&self.hand.units)
            .filter(|(_, unit)| self.game.settings.ammo && !unit.gone && unit.attacks > 0)
            .map(|(place, unit)| (place, unit.name.clone(), unit.attacks))
            .collect();
        for (place, name, attacks) in fought {
            let why = format!("{} {name}", tables::AMMO);
            let cell = self.look_up(tables::AMMO, attacks, 4 * self.game.settings.units + place, &why)?;
            let unit = self.hand.find(&name).and_then(|place| self.hand.units.get_mut(place));
            if let Some(unit) = unit.filter(|_| cell == Cell::Ammo(true)) {
                unit.depleted = true;
            }
        }
        for (item, replaces) in self.sheet.list::<Replaces>("replace", LIST) {
            if let Err(why) = self.replace(replaces) {
                self.sheet.refuse(&item, why);
            }
        }
        self.hand.units.iter_mut().for_each(|unit| unit.ew = 0);
        Ok(())
    }

    /// Breakdown and recombination.
    pub(super) fn replace(&mut self, Replaces { comes, out }: Replaces) -> Result<(), String> {
        let leave: Vec<usize> = out.iter().filter_map(|name| self.hand.find(name)).collect();
        let mut once = leave.clone();
        once.sort_unstable();
        once.dedup();
        if once.len() != out.len() || out.is_empty() || comes.is_empty() {
            return Err("out are units that are there, each once, and in is not empty".into());
        }
        let old: Vec<&Unit> = leave.iter().filter_map(|place| self.hand.units.get(*place)).collect();
        let hexes: Vec<Hex> = old.iter().flat_map(|unit| unit.hexes.iter().copied()).collect();
        for (i, recruit) in comes.iter().enumerate() {
            let twice = comes.iter().take(i).any(|other| other.name == recruit.name);
            if let Some(why) = self.refuses(recruit).or_else(|| twice.then_some("a name stands twice")) {
                return Err(why.into());
            }
            if !recruit.hexes.iter().all(|hex| hexes.contains(hex)) {
                return Err(format!("{} comes on hexes of those that go", recruit.name));
            }
        }
        let grown = comes.iter().map(|unit| unit.attack.0).sum::<i64>()
            > old.iter().map(|unit| unit.attack).sum::<i64>()
            || comes.iter().map(|unit| unit.defense.0).sum::<i64>() > old.iter().map(|unit| unit.defense).sum::<i64>()
            || comes.iter().map(|unit| unit.to.0).max() > old.iter().map(|unit| unit.to).max();
        if grown {
            return Err("attack, defense and the highest T/O do not grow".into());
        }
        if (self.hand.units.len() + comes.len()) as u64 > self.game.settings.units {
            return Err("that would be more units than the charter allows, those that are gone counted".into());
        }
        let level = old.iter().map(|unit| unit.level).max().unwrap_or_default();
        self.say(format!("{} go, {} come", list(&out), list(comes.iter().map(|unit| &unit.name))));
        for place in leave {
            if let Some(unit) = self.hand.units.get_mut(place) {
                unit.gone = true;
            }
        }
        self.hand.units.extend(comes.into_iter().map(|recruit| recruit.unit(level)));
        Ok(())
    }
}
