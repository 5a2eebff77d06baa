//! Parts of certain declarations: the roster, Command, the beginning of a player turn (`protocol/ndc.md` 13, 16, 17).

use super::{
    cells::{Cell, Weather},
    hand::{Allocated, Points, Unit},
    hexes::{Int, Name, hangs_together, list},
    input::{Intelligence, Step},
    names,
    own::Own,
    sheet::{Mode, Recruit},
};
use crate::resolve::hidden::Stop;

impl Own<'_> {
    /// Reads the roster (13).
    pub(super) fn roster(&mut self) {
        self.hand.points = self.sheet.one::<Points>("points").unwrap_or_default();
        let most = usize::try_from(self.game.settings.units).unwrap_or_default();
        for (item, recruit) in self.sheet.list::<Recruit>("units", most) {
            match self.refuses(&recruit) {
                Some(why) => self.sheet.refuse(&item, why),
                None => self.hand.units.push(recruit.unit(0)),
            }
        }
        if !self.hand.units.is_empty() {
            self.say(format!("units: {}", list(self.hand.units.iter().map(|unit| &unit.name))));
        }
    }

    /// Why a unit cannot enter the game, or `None` if it can.
    pub(super) fn refuses(&self, recruit: &Recruit) -> Option<&'static str> {
        let known = self.hand.units.iter().any(|unit| unit.name == recruit.name);
        match recruit {
            _ if known => Some("a unit has or had this name: choose another"),
            _ if !hangs_together(&recruit.hexes, self.game.settings.low_columns) => {
                Some("hexes must be 1 to 3 different hexes that adjoin")
            }
            _ => None,
        }
    }

    /// Grades the Command used in the last letter, and reads who uses it now (16).
    pub(super) fn command(&mut self) -> Result<(), Stop> {
        self.hand.chances.clear();
        let units: Vec<(u64, Name, i64)> = (1..)
            .zip(&self.hand.units)
            .filter(|(_, unit)| !unit.gone && self.hand.command.contains(&unit.name))
            .filter_map(|(place, unit)| Some((place, unit.name.clone(), unit.commander?)))
            .collect();
        for (place, name, rating) in units {
            let why = format!("{} {name}", names::COMMAND);
            let line = 3 * self.game.settings.units + place;
            if let Cell::Command(grade) = self.look_up(names::COMMAND, rating, line, &why)? {
                self.hand.chances.insert(name, grade);
            }
        }
        let moves = self.before.awaits.step == Step::Move;
        if moves && self.before.segment == 1 {
            self.hand.commanded = self.hand.chances.keys().cloned().collect();
        }
        let hand = &*self.hand;
        let names = self.sheet.names("command", |name, _| {
            let unit = hand.find(name).and_then(|place| hand.units.get(place));
            match unit.map(|unit| unit.commander) {
                Some(Some(_)) if moves && hand.commanded.contains(name) => {
                    Err("it has already used Command in this player turn: remove it")
                }
                Some(Some(_)) => Ok(()),
                Some(None) => Err("it does not have a commander: remove it"),
                None => Err("this unit does not exist or is gone: name one of your units"),
            }
        });
        if moves {
            self.hand.commanded.extend(names.iter().cloned());
            self.hand.commanded.sort_unstable();
        }
        self.hand.command = names;
        Ok(())
    }

    /// Begins a player turn (17).
    pub(super) fn begin_turn(&mut self) {
        self.stood = self.hand.units.iter().map(|unit| unit.hexes.clone()).collect();
        let enemies = self.enemies();
        for (item, name, mode) in self.sheet.by_name::<Mode>("modes") {
            let low = self.game.settings.low_columns;
            let met = mode.hexes.iter().any(|hex| enemies.contains(hex));
            let unit = self.hand.find(&name).and_then(|place| self.hand.units.get_mut(place));
            let stood = |unit: &Unit| mode.hexes.first().is_some_and(|first| unit.hexes.contains(first));
            match unit.filter(|unit| !met && stood(unit) && hangs_together(&mode.hexes, low)) {
                Some(unit) => {
                    unit.hexes.clone_from(&mode.hexes);
                    unit.mode = mode.mode;
                }
                None => self.sheet.refuse(
                    &item,
                    "name a unit of yours and 1 to 3 adjoining hexes: the unit must be on the first, \
                     and your opponent's contacts on none",
                ),
            }
        }
        let marching = self.living("march");
        for unit in &mut self.hand.units {
            (unit.attacks, unit.spent) = (0, 0);
            (unit.finished, unit.halted, unit.moved, unit.reset) = (false, false, false, false);
            unit.marching = marching.contains(&unit.name);
        }
        self.hand.entered.clear();
        self.hand.stays.clear();
        for (item, text) in self.sheet.list::<String>("transfers", usize::MAX) {
            if !(1..=200).contains(&text.chars().count()) {
                self.sheet.refuse(&item, "a transfer must be a text of 1 to 200 characters");
            }
        }
    }

    /// Reads a field of names of units that are not gone.
    pub(super) fn living(&mut self, field: &'static str) -> Vec<Name> {
        let hand = &*self.hand;
        let unknown = "this unit does not exist or is gone: name one of your units";
        self.sheet.names(field, |name, _| hand.find(name).map(|_| ()).ok_or(unknown))
    }

    pub(super) fn allocate(&mut self) -> Intelligence {
        let points = self.hand.points;
        let asked = self.sheet.one::<Allocated>("allocate").unwrap_or_default();
        let has_so_many = asked.air <= points.air && asked.signal <= points.signal;
        self.hand.allocated = match has_so_many {
            true => asked,
            false => {
                self.sheet.refuse(
                    "allocate",
                    format_args!(
                        "allocate no more than your {} air and {} signal points",
                        points.air.0, points.signal.0
                    ),
                );
                Allocated::default()
            }
        };
        let level = self.sheet.one::<Int<0, 9>>("level").unwrap_or_default();
        let most = 2 * (self.hand.allocated.air.0 + self.hand.allocated.signal.0);
        let most = usize::try_from(most).unwrap_or_default();
        let known = &self.game.settings.sectors;
        let mut sectors = self.sheet.names("sectors", |name, so_far| match known.get(name) {
            None => Err("this sector is not in the terms: use a sector from the terms"),
            Some(_) if has_so_many && so_far >= most => {
                Err("too many sectors: list at most two for each point allocated")
            }
            Some(_) => Ok(()),
        });
        // Nothing is allocated then, so nothing is searched; the refusal above says why.
        if !has_so_many {
            sectors.clear();
        }
        Intelligence { level, sectors }
    }

    pub(super) fn roll_weather(&mut self) -> Result<Vec<Weather>, Stop> {
        let hour = i64::try_from((self.before.turn + 2) % 3).unwrap_or_default() + 1;
        let line = 5 * self.game.settings.units + 1;
        if let Cell::Weather(weather) = self.look_up(names::WEATHER, hour, line, names::WEATHER)? {
            self.weather = weather;
        }
        Ok(self.weather.clone())
    }

    pub(super) fn volunteer(&mut self) {
        for name in self.living("volunteer") {
            if let Some(unit) = self.hand.find(&name).and_then(|place| self.hand.units.get_mut(place)) {
                unit.volunteered = true;
            }
        }
    }
}
