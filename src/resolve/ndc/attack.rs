//! The attacker's half of combat: attacks with their totals, counter-battery and interdictions (`protocol/ndc.md` 21).

use super::{
    cells::{Grade, Weather},
    check::INTERDICTIONS,
    hand::{Commander, With},
    hexes::{Hex, Int},
    input::{Attack, AttackKind, Chemical, Combat, Interdiction, Moved},
    names,
    own::Own,
    sheet::{Attacks, Fights, Marks},
    tell,
};
use crate::resolve::hidden::Stop;

use crate::limits::{NDC_INTERDICTIONS, NDC_SEGMENTS};

/// Why the last segment cannot have combats or interdictions.
const LAST_SEGMENT: &str = "this is the last segment, so remove all combats and interdictions";

/// Modifiers by name, with their sum.
#[derive(Debug, Default)]
pub(super) struct Sum {
    parts: Vec<String>,
    pub(super) total: i64,
}

impl Sum {
    /// Adds a modifier. A modifier of 0 is not listed.
    pub(super) fn add(&mut self, what: &str, by: i64) {
        self.total = self.total.saturating_add(by);
        if by != 0 {
            self.parts.push(format!("{what} {by:+}"));
        }
    }

    /// The modifiers and their total, for people.
    pub(super) fn told(&self) -> String {
        format!("{} = {}", self.parts.join(", "), self.total)
    }
}

/// The modifier at a place in a row, or 0 outside the row.
pub(super) fn at(row: &[i64], place: i64) -> i64 {
    usize::try_from(place).ok().and_then(|place| row.get(place)).copied().unwrap_or_default()
}

/// The modifier for a commander's Command (21, 22).
pub(super) const fn worth(with: With, grade: Grade) -> i64 {
    match (with, grade) {
        (_, Grade::None) => 0,
        (With::Hq, Grade::C) => 5,
        (With::Hq, Grade::L) => 3,
        (With::Hq, Grade::P) => 1,
        (With::Unit, Grade::C) => 10,
        (With::Unit, Grade::L) => 6,
        (With::Unit, Grade::P) => 2,
    }
}

impl Own<'_> {
    /// Reads the combats of a segment from the sheet.
    pub(super) fn attacks(&mut self, moved: &mut Moved) -> Result<(), Stop> {
        let mut support = self.support_left();
        let mut fire = self.fire_left();
        let most = usize::try_from(self.game.settings.combats).unwrap_or_default();
        for (item, fights) in self.sheet.combats(most) {
            if self.before.segment >= NDC_SEGMENTS {
                self.sheet.refuse(&item, LAST_SEGMENT);
                continue;
            }
            match fights {
                Fights::CounterBattery(shot) if shot.points.0 <= fire => {
                    fire -= shot.points.0;
                    let points = tell::counted(shot.points.0, "point");
                    self.say(format!("counter-battery fire on {} with {points}", shot.target));
                    moved.combats.push(Combat::CounterBattery(shot));
                    self.memory.attackers.push(None);
                }
                Fights::CounterBattery(_) => {
                    let points = tell::counted(fire, "point");
                    let why = format!("only {points} left for counter-battery and interdiction: use fewer");
                    self.sheet.refuse(&item, why);
                }
                Fights::Attack(attacks) => match self.attack(&attacks, support)? {
                    Ok((place, attack)) => {
                        support -= attack.barrage.0;
                        moved.combats.push(Combat::Attack(attack));
                        self.memory.attackers.push(Some(place));
                    }
                    Err(why) => self.sheet.refuse(&item, why),
                },
            }
        }
        for place in self.memory.attackers.iter().flatten() {
            if let Some(unit) = self.hand.units.get_mut(*place) {
                unit.attacks += 1;
            }
        }
        Ok(())
    }

    fn attack(&mut self, attacks: &Attacks, support: i64) -> Result<Result<(usize, Attack), String>, Stop> {
        let place = match self.attacker(attacks, support) {
            Ok(place) => place,
            Err(why) => return Ok(Err(why)),
        };
        let terrain = match self.terrain(&attacks.terrain, |[attacker, _]| *attacker)? {
            Ok(terrain) => terrain,
            Err(why) => return Ok(Err(why)),
        };
        let found = self.starts(attacks, place).and_then(|from| Ok((from, self.total(attacks, place, terrain)?)));
        let (from, sum) = match found {
            Ok(found) => found,
            Err(why) => return Ok(Err(why)),
        };
        let Attacks { assault, barrage, chemical, ew_attacks, ew_superiority, target, unit, .. } = attacks;
        let ew = self.hand.units.get(place).map_or(0, |unit| unit.ew);
        self.say(format!(
            "{unit} attacks {target} from {from} ({}): {}; barrage {}{}, {}",
            if *assault { "assault" } else { "Probe" },
            sum.told(),
            barrage.0,
            tell::chemicals(*chemical),
            tell::electronic(ew_attacks.0, ew_superiority.0)
        ));
        let attack = Attack {
            assault: *assault,
            barrage: *barrage,
            chemical: *chemical,
            contact: None,
            ew_attacks: *ew_attacks,
            ew_level: Int(ew),
            ew_superiority: *ew_superiority,
            from,
            kind: AttackKind::Attack,
            retreats: attacks.retreats.clone(),
            target: *target,
            total: Int(sum.total),
        };
        Ok(Ok((place, attack)))
    }

    /// The place of the attacking unit, or why it cannot attack.
    fn attacker(&self, attacks: &Attacks, support: i64) -> Result<usize, String> {
        let Attacks { barrage, chemical, commander, ew_attacks, subordinates, unit: name, .. } = attacks;
        let place = self.hand.find(name).ok_or("this unit does not exist or is gone: name one of your units")?;
        let unit = self.hand.units.get(place).ok_or("this unit does not exist or is gone: name one of your units")?;
        let graded = |commander: &Commander| self.hand.chances.contains_key(&commander.unit);
        if ew_attacks.0 as u64 > self.game.settings.ew {
            return Err(format!(
                "ew_attacks is {}, but the terms allow {}: lower it",
                ew_attacks.0, self.game.settings.ew
            ));
        }
        if unit.halted {
            return Err(format!("{name} is halted and cannot attack: remove this attack"));
        }
        if let Some(own) = self.hand.on(attacks.target).and_then(|place| self.hand.units.get(place)) {
            return Err(format!("your own unit {} is on the target: attack another hex", own.name));
        }
        if self.memory.attackers.contains(&Some(place)) {
            return Err(format!("{name} already attacks in this segment: remove one of its attacks"));
        }
        if *chemical != Chemical::None && barrage.0 == 0 {
            return Err("chemicals need a barrage: set barrage above 0, or chemical to \"none\"".into());
        }
        if barrage.0 > support {
            let points = tell::counted(support, "point");
            return Err(format!("only {points} left for barrage and final protective fire: lower barrage"));
        }
        if let Some(commander) = commander.as_ref().filter(|commander| !graded(commander)) {
            let name = &commander.unit;
            return Err(format!("{name} did not use Command in your last letter: choose another commander, or none"));
        }
        self.hand.misled(unit, commander.as_ref(), subordinates).map_or(Ok(place), Err)
    }

    /// The hex that a unit attacks from.
    fn starts(&self, attacks: &Attacks, place: usize) -> Result<Hex, String> {
        let Attacks { retreats, target, unit: name, .. } = attacks;
        let mut hexes = self.hand.units.get(place).into_iter().flat_map(|unit| &unit.hexes);
        let from = hexes.find(|hex| self.game.settings.beside(**hex, *target)).copied();
        let from = from.ok_or_else(|| format!("{name} is not next to {target}: choose a target next to the unit"))?;
        match retreats.fit(&self.game.settings, from) {
            true => Ok(from),
            false => Err(format!(
                "retreats must list hexes next to {from}, sorted, without repeats; `any` must include `away` and `road`"
            )),
        }
    }

    /// The modifiers of an attack, with their total.
    fn total(&self, attacks: &Attacks, place: usize, terrain: i64) -> Result<Sum, String> {
        let unit = self.hand.units.get(place).ok_or("this unit does not exist or is gone: name one of your units")?;
        let mut sum = Sum::default();
        sum.add("attack", unit.attack);
        sum.add(&format!("intelligence level {}", unit.level), at(&[2, 1, 0, -2, -3], unit.level));
        sum.add("terrain", terrain);
        sum.add("T/O", unit.to);
        sum.add("units next to the target", 2 * self.beside(attacks.target, place));
        sum.add("control loss", if attacks.control_loss { -8 } else { 0 });
        sum.add("unprepared", if attacks.unprepared { -2 } else { 0 });
        sum.add(&format!("fatigue F{}", unit.fatigue), at(&[0, -2, -5, -8], unit.fatigue));
        for weather in &self.weather {
            sum.add(weather.as_str(), if *weather == Weather::Precipitation { 2 } else { 1 });
        }
        if let Some(Commander { unit: name, with }) = &attacks.commander {
            let grade = self.hand.chances.get(name).copied().unwrap_or(Grade::None);
            sum.add(&format!("{name}'s Command ({})", grade.as_str()), worth(*with, grade));
        }
        let ratings = attacks.subordinates.iter();
        let ratings = ratings.filter_map(|name| self.hand.subordinate(name, unit, attacks.commander.as_ref()));
        sum.add("subordinates", ratings.sum());
        sum.add("leadership", unit.leadership);
        match sum.total.abs() <= 999 {
            true => Ok(sum),
            false => Err(format!("the total is {}, but must be from -999 to 999: change the attack", sum.total)),
        }
    }

    /// Reads the interdictions. They follow the combats and use the same points as counter-battery.
    pub(super) fn interdictions(&mut self, moved: &mut Moved) -> Result<(), Stop> {
        let fired = moved.combats.iter().map(|combat| match combat {
            Combat::CounterBattery(shot) => shot.points.0,
            Combat::Attack(_) => 0,
        });
        let mut left = self.fire_left() - fired.sum::<i64>();
        for (item, Marks { points, target }) in self.sheet.list::<Marks>("interdictions", INTERDICTIONS) {
            if self.before.segment >= NDC_SEGMENTS {
                self.sheet.refuse(&item, LAST_SEGMENT);
                continue;
            }
            if self.before.interdictions.len() + moved.interdictions.len() >= NDC_INTERDICTIONS {
                let most = format!("a player turn can have at most {NDC_INTERDICTIONS}: remove this one");
                self.sheet.refuse(&item, most);
                continue;
            }
            if points.0 > left {
                let points = tell::counted(left, "point");
                let why = format!("only {points} left for counter-battery and interdiction: use fewer");
                self.sheet.refuse(&item, why);
                continue;
            }
            left -= points.0;
            let why = format!("{} of {target}", names::INTERDICTION);
            let twice = (why.as_str(), ", twice the points");
            let markers = Int(self.number_of(names::INTERDICTION, 2 * points.0, 0, twice)?);
            let (spent, gained) = (tell::counted(points.0, "point"), tell::counted(markers.0, "marker"));
            self.say(format!("interdiction of {target} with {spent}: {gained}"));
            moved.interdictions.push(Interdiction { markers, points, target });
        }
        let barrages = moved.combats.iter().map(|combat| match combat {
            Combat::Attack(attack) => attack.barrage.0,
            Combat::CounterBattery(_) => 0,
        });
        let support = tell::counted(self.support_left() - barrages.sum::<i64>(), "point");
        self.say(format!(
            "left in this player turn: {support} for barrage and final protective fire, \
             {left} for counter-battery and interdiction"
        ));
        if moved.ends() {
            self.say("this move has no combats or interdictions: it ends the player turn");
        }
        Ok(())
    }
}
