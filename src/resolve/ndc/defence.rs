//! The defender's half: halts, combats, counter-battery (`protocol/ndc.md` 22 to 24).

use super::{
    attack::{Sum, at, worth},
    cells::Cell,
    hand::{Order, With},
    hexes::{Hex, Int, list},
    input::{
        Adds, Attack, Chemical, Combat, Comes, ContactName, Defended, Fire, Halt, Reported, Resolved, Retreat, Told,
    },
    orders::meets,
    own::{Own, Stop},
    settings::{Doctrine, Sign},
    sheet::Facts,
    tables,
};

/// What goes on through the combats of a report.
struct Fight {
    /// Points left for protective fire.
    left: i64,
    /// Attacks on each unit so far.
    count: Vec<usize>,
    /// Uses of chemicals so far: the attacker's, the defender's.
    chemicals: [u64; 2],
}

/// A combat that is fought.
struct Bout<'b> {
    attack: &'b Attack,
    /// Its place in the segment, from 1.
    j: u64,
    unit: usize,
    order: Order,
    met: Defended,
    facts: Facts,
    /// Whether something of the defender is told.
    told: bool,
    ew_level: i64,
}

impl Own<'_> {
    /// The report on the other's move.
    pub(super) fn report(&mut self) -> Result<Adds, Stop> {
        let before = self.before;
        let halts = self.halts();
        let mut facts = self.sheet.facts(before.combats.len()).into_iter();
        let count = |role| before.chemicals.get(role).copied().unwrap_or_default();
        let mut fight = Fight {
            left: self.support_left(),
            count: vec![0; self.hand.units.len()],
            chemicals: [count(&self.other), count(&self.me)],
        };
        let mut combats = Vec::new();
        for (i, combat) in before.combats.iter().enumerate() {
            let facts = facts.next().unwrap_or_default();
            let j = i as u64 + 1;
            combats.push(match combat {
                Combat::CounterBattery(fire) => self.counter_battery(fire, j)?,
                Combat::Attack(attack) => {
                    let halted = halts.iter().any(|halt| Some(&halt.contact) == attack.contact.as_ref());
                    Reported::Attack(self.resolve(attack, j, halted, facts, &mut fight)?)
                }
            });
        }
        Ok(Adds::Report { combats, halts })
    }

    /// Who is halted by units that were not seen (24).
    fn halts(&mut self) -> Vec<Halt> {
        let before = self.before;
        let hidden =
            |unit: &super::hand::Unit| unit.level <= 1 && !unit.volunteered && self.hand.halting.contains(&unit.name);
        let ambush: Vec<usize> = self.hand.there().filter(|(_, unit)| hidden(unit)).map(|(place, _)| place).collect();
        let mut paths: Vec<(&ContactName, &Vec<Hex>)> = before.paths.iter().collect();
        paths.sort_by_key(|(contact, _)| contact.number());
        let mut halts = Vec::new();
        for (contact, path) in paths {
            let Some((_, passed)) = path.split_last() else { continue };
            let found = passed.iter().find_map(|hex| {
                ambush.iter().find_map(|place| {
                    let unit = self.hand.units.get(*place)?;
                    let by = unit.hexes.iter().find(|by| self.game.settings.beside(**by, *hex))?;
                    Some((*hex, *place, *by))
                })
            });
            if let Some((hex, place, by)) = found {
                if let Some(unit) = self.hand.units.get_mut(place) {
                    unit.volunteered = true;
                    let step = format!("{} halts {contact} on {hex}, and shows itself on {by}", unit.name);
                    self.say(step);
                }
                halts.push(Halt { by, contact: contact.clone(), hex });
            }
        }
        halts
    }

    fn counter_battery(&mut self, fire: &Fire, j: u64) -> Result<Reported, Stop> {
        let Some(place) = self.hand.on(fire.target) else {
            self.say(format!("combat {j}: nobody is on {}", fire.target));
            return Ok(Reported::CounterBattery { loss: None });
        };
        let why = format!("{} combat {j}", tables::COUNTER_BATTERY);
        let line = self.line(j) + 2 * self.game.settings.ew + 4;
        let loss = self.number(tables::COUNTER_BATTERY, 2 * fire.points.0, line, &why)?;
        let Some(unit) = self.hand.units.get_mut(place) else { return Ok(Reported::CounterBattery { loss: None }) };
        unit.loses(loss);
        let told = unit.level == 4;
        let step = format!(
            "{} loses {loss}, which is {}told at level {}",
            unit.name,
            if told { "" } else { "not " },
            unit.level
        );
        self.say(step);
        Ok(Reported::CounterBattery { loss: told.then_some(Int(loss)) })
    }

    /// The line before those of a combat (4).
    const fn line(&self, j: u64) -> u64 {
        5 * self.game.settings.units + 1 + (j - 1) * (2 * self.game.settings.ew + 4)
    }

    /// An attack (22).
    fn resolve(
        &mut self,
        attack: &Attack,
        j: u64,
        halted: bool,
        facts: Facts,
        fight: &mut Fight,
    ) -> Result<Resolved, Stop> {
        let place = self.hand.on(attack.target);
        let order = place.map(|unit| self.answer(unit, &mut fight.count));
        if halted {
            self.say(format!("combat {j}: the attacker is halted, and it is cancelled"));
            return Ok(quiet(attack, Comes::Cancelled));
        }
        fight_chemicals(fight, attack.chemical);
        let (Some(unit), Some(order)) = (place, order) else {
            self.say(format!("combat {j}: nobody is on {}", attack.target));
            return Ok(quiet(attack, Comes::Empty));
        };
        let said = self.before.defended.as_ref().and_then(|all| all.get(usize::try_from(j).ok()? - 1).copied()?);
        let met = match said {
            Some(said) => {
                fight.left = (fight.left - said.fpf.0).max(0);
                said
            }
            None => meets(order.clone(), &mut fight.left),
        };
        let told = self.hand.units.get(unit).is_some_and(|unit| unit.level >= 1 || unit.volunteered);
        let mut bout = Bout { attack, j, unit, order, met, facts, told, ew_level: attack.ew_level.0 };
        self.electronic(&mut bout)?;
        let differential = self.differential(&bout, fight)?;
        fight.chemicals[1] += u64::from(met.chemical != Chemical::None);
        let why = format!("{} combat {j}", tables::CRT);
        let line = self.line(j) + 2 * self.game.settings.ew + 1;
        match self.look_up(tables::CRT, differential, line, &why)? {
            Cell::Abort => self.aborts(&bout),
            Cell::Overrun => Ok(self.overruns(&bout)),
            Cell::Fought { attacker, defender, retreat, breakthrough } => {
                self.fights(&bout, [attacker, defender, retreat], breakthrough)
            }
            _ => Err(Stop::Table(tables::CRT.into())),
        }
    }

    /// EW attacks of both (22 a, b).
    fn electronic(&mut self, bout: &mut Bout<'_>) -> Result<(), Stop> {
        let (j, ew) = (bout.j, self.game.settings.ew);
        let why = format!("{} combat {j}", tables::EW);
        let ours = bout.attack.ew_attacks.0.unsigned_abs();
        for n in 1..=ours {
            let level = self.number(tables::EW, bout.attack.ew_superiority.0, self.line(j) + n, &why)?;
            if let Some(unit) = self.hand.units.get_mut(bout.unit) {
                unit.ew = unit.ew.max(level);
            }
        }
        for n in 1..=bout.met.ew_attacks.0.unsigned_abs() {
            let level = self.number(tables::EW, bout.order.ew_superiority.0, self.line(j) + ew + n, &why)?;
            bout.ew_level = bout.ew_level.max(level);
        }
        Ok(())
    }

    /// The differential: the total and the defender's modifiers, one by one (22 c).
    fn differential(&mut self, bout: &Bout<'_>, fight: &Fight) -> Result<i64, Stop> {
        let Bout { attack, j, unit: place, order, met, facts, ew_level, .. } = bout;
        let terrain = match self.terrain(&facts.terrain, |[_, defender]| *defender)? {
            Ok(terrain) => terrain,
            Err(why) => {
                self.sheet.refuse(&format!("facts {j}, terrain"), why);
                0
            }
        };
        let commander = order.commander.as_ref().and_then(|one| Some((one, self.hand.commands(one, *place)?)));
        let subordinates = self.hand.subordinates(&facts.subordinates, *place, commander.map(|(one, _)| one));
        let subordinates = subordinates.unwrap_or_else(|why| {
            self.sheet.refuse(&format!("facts {j}, subordinates"), why);
            0
        });
        let points = attack.barrage.0 - met.fpf.0;
        let shift = self.number(tables::SUPPORT, points, 0, &format!("{} combat {j}", tables::SUPPORT))?;
        let Some(unit) = self.hand.units.get(*place) else { return Ok(attack.total.0) };
        let doctrine = |role| self.game.settings.doctrine.get(role).copied();
        let mut sum = Sum::default();
        sum.add("total", attack.total.0);
        sum.add("defense", -unit.defense);
        sum.add(&format!("level {}", unit.level), unit.level);
        sum.add("terrain", terrain);
        sum.add("T/O", if self.game.settings.defender_to_sign == Sign::Plus { unit.to } else { -unit.to });
        sum.add("units beside the attacker", -self.beside(attack.from, *place));
        sum.add("control loss", if facts.control_loss { 4 } else { 0 });
        sum.add(&format!("fatigue F{}", unit.fatigue), unit.fatigue);
        let [theirs, ours] = fight.chemicals;
        if attack.chemical != Chemical::None {
            // This use is counted already.
            sum.add("the attacker's chemicals", chemicals(doctrine(&self.other), theirs - 1, [5, 3, 1], [2, 1, 1]));
        }
        if met.chemical != Chemical::None {
            sum.add("the defender's chemicals", chemicals(doctrine(&self.me), ours, [-3, -2, -1], [-2, -1, -1]));
        }
        sum.add(&format!("the attacker's EW{ew_level}"), at(&[0, -5, -6, -8], *ew_level));
        sum.add(&format!("the defender's EW{}", unit.ew), at(&[0, 2, 3, 4], unit.ew));
        let command = commander.map_or(0, |(one, grade)| worth(one.with, grade));
        let with = commander.map_or(With::Unit, |(one, _)| one.with);
        sum.add(if with == With::Hq { "Command with an HQ" } else { "Command with the unit" }, -command);
        sum.add("subordinates", -subordinates);
        sum.add("leadership", -unit.leadership);
        sum.add("support", shift);
        let step = format!("combat {j}, {} defends {}: {}", unit.name, attack.target, sum.told());
        self.say(step);
        Ok(sum.total)
    }

    fn aborts(&mut self, bout: &Bout<'_>) -> Result<Resolved, Stop> {
        let candidates = self.candidates(bout);
        let retreat = self.goes_back(bout, candidates)?;
        Ok(Resolved { attacker_loss: Int(2), retreat, ..met(bout, Comes::Abort) })
    }

    fn overruns(&mut self, bout: &Bout<'_>) -> Resolved {
        let defender = self.suffers(bout, usize::MAX, 2);
        Resolved { defender, ..met(bout, Comes::Overrun) }
    }

    fn fights(&mut self, bout: &Bout<'_>, [a, d, r]: [i64; 3], breakthrough: bool) -> Result<Resolved, Stop> {
        let defender = self.suffers(bout, usize::try_from(r).unwrap_or_default(), d);
        let fought = Resolved { breakthrough, defender, ..met(bout, Comes::Fought) };
        if bout.attack.assault {
            let advance = self.hand.on(bout.attack.target).is_none();
            return Ok(Resolved { advance, attacker_loss: Int(a), ..fought });
        }
        let candidates = if a == 0 { Vec::new() } else { self.candidates(bout) };
        if candidates.is_empty() {
            return Ok(Resolved { attacker_loss: Int(a), ..fought });
        }
        let contact = bout.attack.contact.as_ref();
        let shown = contact.and_then(|contact| self.before.contacts.get(&self.other)?.get(contact)?.to);
        let line = self.line(bout.j) + 2 * self.game.settings.ew + 2;
        let why = format!("{} combat {}", tables::RETREAT, bout.j);
        let saved = self.number(tables::RETREAT, shown.map_or(4, |to| to.0), line, &why)?;
        let retreat = self.goes_back(bout, candidates)?;
        Ok(Resolved { attacker_loss: Int((a - saved).max(0)), retreat, ..fought })
    }

    /// The defender loses, and goes along so many hexes of his retreat; what is told of it.
    fn suffers(&mut self, bout: &Bout<'_>, hexes: usize, loss: i64) -> Option<Told> {
        let low = self.game.settings.low_columns;
        let unit = self.hand.units.get_mut(bout.unit)?;
        let starts = bout.order.retreat.first().is_some_and(|first| first.is_beside_any(&unit.hexes, low));
        let along: Vec<Hex> = bout.order.retreat.iter().filter(|_| starts).take(hexes).copied().collect();
        if let Some(last) = along.last() {
            unit.hexes = vec![*last];
        }
        unit.loses(loss);
        let step =
            format!("{} loses {loss}, goes {}; {}told", unit.name, list(&along), if bout.told { "" } else { "not " });
        self.say(step);
        bout.told.then_some(Told { hexes: along, loss: Int(loss) })
    }

    /// The hexes to which an attacker may go back, if what the author says of them is so.
    fn candidates(&mut self, bout: &Bout<'_>) -> Vec<Hex> {
        let mut hexes = bout.facts.candidates.clone();
        hexes.sort_unstable();
        let low = self.game.settings.low_columns;
        let occupied: Vec<Hex> = self.hand.there().flat_map(|(_, unit)| unit.hexes.iter().copied()).collect();
        let free = |hex: &Hex| {
            bout.attack.from.is_beside(*hex, low) && !occupied.contains(hex) && !hex.is_beside_any(&occupied, low)
        };
        let all = hexes.len() <= 6 && super::input::ascending(&hexes) && hexes.iter().all(free);
        if all {
            return hexes;
        }
        let why =
            format!("neighbours of {}, each once, none of which is a hex, or beside a hex, of yours", bout.attack.from);
        let item = format!("facts {}, candidates", bout.j);
        self.sheet.refuse(&item, why);
        Vec::new()
    }

    /// The attacker goes back to one of the candidates (22 d).
    fn goes_back(&mut self, bout: &Bout<'_>, candidates: Vec<Hex>) -> Result<Option<Retreat>, Stop> {
        let sides = candidates.len() as u64;
        let picked = if sides > 1 {
            let line = self.line(bout.j) + 2 * self.game.settings.ew + 3;
            let n = self.draw(line, sides, &format!("retreat combat {}", bout.j))?;
            self.say(format!("the attacker goes back to one of {}: d{sides} {n}", list(&candidates)));
            usize::try_from(n - 1).unwrap_or_default()
        } else {
            0
        };
        let hex = candidates.get(picked).copied();
        Ok(hex.map(|hex| Retreat { candidates, hex }))
    }
}

/// Counts a use of the attacker's.
fn fight_chemicals(fight: &mut Fight, chemical: Chemical) {
    let [theirs, _] = &mut fight.chemicals;
    *theirs = theirs.saturating_add(u64::from(chemical != Chemical::None));
}

/// What chemicals are worth at a count so far.
fn chemicals(doctrine: Option<Doctrine>, count: u64, soviet: [i64; 3], us: [i64; 3]) -> i64 {
    let row = if doctrine == Some(Doctrine::Soviet) { soviet } else { us };
    at(&row, count.min(2).cast_signed())
}

/// An attack of which nothing came.
fn quiet(attack: &Attack, result: Comes) -> Resolved {
    Resolved {
        advance: false,
        attacker_loss: Int(0),
        breakthrough: false,
        chemical: Chemical::None,
        defender: None,
        ew_attacks: Int(0),
        ew_level: attack.ew_level,
        fpf: Int(0),
        result,
        retreat: None,
    }
}

/// An attack that was met.
fn met(bout: &Bout<'_>, result: Comes) -> Resolved {
    let Defended { chemical, ew_attacks, fpf } = bout.met;
    Resolved { chemical, ew_attacks, ew_level: Int(bout.ew_level), fpf, ..quiet(bout.attack, result) }
}
