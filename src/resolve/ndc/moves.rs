//! The moves of a segment, and the rule against hoarding (`protocol/ndc.md` 19).

use std::collections::BTreeSet;

use super::{
    hand::{Stay, Stood, Unit},
    hexes::{Hex, list},
    input::Combat,
    own::{Memory, Own},
    sheet::Move,
};
use crate::limits::NDC_HEXES;

/// Why a formation cannot move.
const ON_ONE_HEX: &str = "only a unit on one hex can move: remove this move";

impl Own<'_> {
    /// Reads the moves and the units that have finished.
    pub(super) fn moves(&mut self) {
        self.fought();
        *self.memory = Memory::default();
        let mut steps = 0;
        let enemies = self.enemies();
        for (item, one) in self.sheet.list::<Move>("moves", usize::MAX) {
            match self.forbidden(&one, steps, &enemies) {
                Err(why) => self.sheet.refuse(&item, why),
                Ok(place) => {
                    steps += one.path.len();
                    self.make(place, one);
                }
            }
        }
        let finished = self.living("finished");
        if !finished.is_empty() {
            self.say(format!("finished moving: {}", list(&finished)));
        }
        for name in finished {
            if let Some(unit) = self.hand.find(&name).and_then(|place| self.hand.units.get_mut(place)) {
                unit.finished = true;
            }
        }
    }

    /// Tells how the last segment's attacks left the units that made them.
    fn fought(&mut self) {
        let made = (1..).zip(self.before.combats.iter().zip(&self.memory.attackers));
        let left = made.filter_map(|(j, (combat, attacker)): (u64, _)| {
            let unit = self.hand.units.get((*attacker)?)?;
            let Combat::Attack(attack) = combat else { return None };
            let now = match unit.gone {
                true => "it is gone".into(),
                false => format!("your unit now has T/O {} and is on {}", unit.to, list(&unit.hexes)),
            };
            Some(format!("combat {j}, {} against {}: {now}", unit.name, attack.target))
        });
        let left: Vec<String> = left.collect();
        left.into_iter().for_each(|line| self.say(line));
    }

    fn make(&mut self, place: usize, Move { cost, path, .. }: Move) {
        let Some(unit) = self.hand.units.get_mut(place) else { return };
        let cost: Vec<i64> = cost.iter().map(|cost| cost.0).collect();
        unit.spent += cost.iter().sum::<i64>();
        unit.hexes = path.last().copied().into_iter().collect();
        unit.moved = true;
        unit.volunteered = false;
        let told = format!(
            "{} moves along {} ({} of {} movement points spent)",
            unit.name,
            list(&path),
            unit.spent,
            unit.moves()
        );
        let level = unit.level;
        for hex in &path {
            if self.hand.entered.insert(*hex) && level == 1 {
                self.entries.push(*hex);
            }
        }
        self.memory.moves.push((place, path, cost));
        self.say(told);
    }

    /// The place of the unit that moves, or why the move is not allowed.
    fn forbidden(&self, one: &Move, steps: usize, enemies: &[Hex]) -> Result<usize, String> {
        let Move { cost, path, unit: name } = one;
        let place = self.hand.find(name).ok_or("this unit does not exist or is gone: name one of your units")?;
        let unit = self.hand.units.get(place).ok_or("this unit does not exist or is gone: name one of your units")?;
        let [start] = unit.hexes.as_slice() else { return Err(ON_ONE_HEX.into()) };
        if self.memory.moves.iter().any(|(moved, ..)| *moved == place) {
            return Err(format!("{name} already moves in this segment: remove one of its moves"));
        }
        if unit.finished || unit.halted {
            return Err(format!("{name} has finished moving: remove this move"));
        }
        if path.len() != cost.len() || !(1..=99).contains(&path.len()) || steps + path.len() > NDC_HEXES {
            return Err(
                "a move must have 1 to 99 hexes and a cost for each; all moves together, at most 999 hexes".into()
            );
        }
        let mut from = *start;
        for hex in path {
            if !self.game.settings.beside(from, *hex) {
                return Err(format!("{hex} is not next to {from}: correct the path"));
            }
            from = *hex;
        }
        let asks = cost.iter().map(|cost| cost.0).sum::<i64>();
        if unit.spent + asks > unit.moves() {
            return Err(format!(
                "{name} has {} of {} movement points left, but this move costs {asks}: shorten it",
                unit.moves() - unit.spent,
                unit.moves()
            ));
        }
        if let Some(hex) = self.barred(unit, *start, path, enemies) {
            return Err(format!(
                "{name} cannot enter {hex} or go on from it: your opponent is there or next to it; change the path"
            ));
        }
        match self.held_back(unit, *start, path, asks, enemies) {
            Some(n) => {
                Err(format!("{name} could have made this move in segment {n}, so it is too late now: remove the move"))
            }
            None => Ok(place),
        }
    }

    /// The first hex that a unit cannot enter, or cannot go on from.
    fn barred(&self, unit: &Unit, start: Hex, path: &[Hex], enemies: &[Hex]) -> Option<Hex> {
        let beside = |hex: &Hex| hex.is_beside_any(enemies, self.game.settings.low_columns);
        let entered = path.iter().find(|hex| enemies.contains(hex)).copied();
        let (_, passed) = path.split_last()?;
        let left = Some(start).filter(|start| unit.moved && beside(start));
        left.or(entered).or_else(|| passed.iter().find(|hex| beside(hex)).copied())
    }

    /// The segment, from 1, in which the same move was already possible.
    fn held_back(&self, unit: &Unit, start: Hex, path: &[Hex], asks: i64, enemies: &[Hex]) -> Option<usize> {
        let low = self.game.settings.low_columns;
        let last = path.last()?;
        let near = |hexes: &mut dyn Iterator<Item = Hex>| -> BTreeSet<Hex> {
            hexes.filter(|hex| last.is_beside(*hex, low)).collect()
        };
        let now = near(&mut enemies.iter().copied());
        let could = |Stay { contacts, units }: &Stay| {
            let known: Vec<Hex> = contacts.iter().copied().collect();
            units.get(&unit.name).is_some_and(|Stood { hex, left }| *hex == start && *left >= asks)
                && self.barred(unit, start, path, &known).is_none()
                && near(&mut known.iter().copied()) == now
        };
        self.hand.stays.iter().position(could).map(|place| place + 1)
    }

    /// Records the situation at the end of a move, for later segments.
    pub(super) fn stay(&mut self) {
        let contacts: BTreeSet<Hex> = self.enemies().into_iter().collect();
        let stood = |unit: &Unit| {
            let [hex] = unit.hexes.as_slice() else { return None };
            let could = !unit.finished && !unit.halted;
            could.then(|| (unit.name.clone(), Stood { hex: *hex, left: unit.moves() - unit.spent }))
        };
        let units = self.hand.there().filter_map(|(_, unit)| stood(unit)).collect();
        self.hand.stays.push(Stay { contacts, units });
    }
}
