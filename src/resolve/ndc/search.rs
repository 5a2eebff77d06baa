//! Intelligence: the Search Phase, and the roll after a move (`protocol/ndc.md` 17, 20).

use super::{
    hexes::{Hex, Name},
    names,
    own::Own,
};
use crate::resolve::hidden::Stop;

impl Own<'_> {
    /// The Search Phase: looks up each unit next to a contact of the opponent or in a sector that they search.
    /// Each unit counts where it was before it changed its mode (17).
    pub(super) fn search(&mut self) -> Result<(), Stop> {
        let enemies = self.enemies();
        let searched = self.before.intelligence_of(&self.other).cloned();
        for place in 0..self.hand.units.len() {
            let Some((name, _, level)) = self.looked_for(place) else { continue };
            let hexes = self.stood.get(place).cloned().unwrap_or_default();
            let line = place as u64 + 1;
            if self.is_beside(&hexes, &enemies) {
                self.raise(place, names::TACTICAL, level, line, &name)?;
            }
            let Some(searched) = searched.as_ref().filter(|searched| self.within(&hexes, &searched.sectors)) else {
                continue;
            };
            self.raise(place, names::INTELLIGENCE, searched.level.0, self.game.settings.units + line, &name)?;
        }
        Ok(())
    }

    /// Resets units that have finished, and searches for them where they are (20).
    pub(super) fn finished(&mut self) -> Result<(), Stop> {
        let searched = self.hand.searched.clone();
        for place in 0..self.hand.units.len() {
            let Some((name, hexes, _)) = self.looked_for(place) else { continue };
            match self.hand.units.get_mut(place) {
                Some(unit) if unit.finished && unit.moved && !unit.reset => {
                    unit.reset = true;
                    unit.level = 0;
                }
                _ => continue,
            }
            let searched = searched.as_ref().filter(|searched| self.within(&hexes, &searched.sectors));
            match searched {
                Some(searched) => {
                    let line = 2 * self.game.settings.units + place as u64 + 1;
                    self.raise(place, names::INTELLIGENCE, searched.level.0, line, &name)?;
                }
                None => self.say(format!("{name} has moved and is outside the searched sectors: level 0")),
            }
        }
        Ok(())
    }

    fn looked_for(&self, place: usize) -> Option<(Name, Vec<Hex>, i64)> {
        let unit = self.hand.units.get(place).filter(|unit| !unit.gone)?;
        Some((unit.name.clone(), unit.hexes.clone(), unit.level))
    }

    fn within(&self, hexes: &[Hex], sectors: &[Name]) -> bool {
        hexes.iter().any(|hex| self.game.settings.lies_in(*hex, sectors))
    }

    fn raise(&mut self, place: usize, table: &'static str, column: i64, line: u64, name: &Name) -> Result<(), Stop> {
        let found = self.number(table, column, line, &format!("{table} {name}"))?;
        self.rolled += 1;
        if let Some(unit) = self.hand.units.get_mut(place) {
            unit.level = unit.level.max(found);
            let level = unit.level;
            self.say(format!("{name} has level {level}"));
        }
        Ok(())
    }
}
