//! The defender's half of combat: halts, combats and counter-battery (`protocol/ndc.md` 22 to 24).

use super::{
    attack::{Sum, at, worth},
    cells::{Cell, Grade},
    hand::{Commander, Order, Unit},
    hexes::{Hex, Int, list},
    input::{
        Adds, Attack, Chemical, Combat, Comes, ContactName, Defended, Fire, Halt, Reported, Resolved, Retreats, Told,
    },
    names,
    orders::meets,
    own::Own,
    settings::{Doctrine, Sign},
    tell::counted,
};
use crate::resolve::hidden::Stop;

/// Running totals over the combats of a report.
struct Fight {
    /// Points left for final protective fire.
    left: i64,
    /// How often the attacker has used chemicals so far.
    theirs: u64,
    /// How often the defender has used chemicals so far.
    ours: u64,
}

/// A combat that is fought.
struct Bout<'b> {
    attack: &'b Attack,
    /// The place of the combat in the segment, from 1.
    j: u64,
    unit: usize,
    order: Order,
    met: Defended,
    candidates: Vec<Hex>,
    /// Whether the attacker is told the defender's losses and retreat.
    told: bool,
    ew_level: i64,
}

impl Own<'_> {
    /// The report on the opponent's move.
    pub(super) fn report(&mut self) -> Result<Adds, Stop> {
        let before = self.before;
        let halts = self.halts();
        let count = |role| before.chemicals.get(role).copied().unwrap_or_default();
        let mut fight = Fight { left: self.support_left(), theirs: count(&self.other), ours: count(&self.me) };
        let mut combats = Vec::new();
        for (j, (combat, defence)) in (1..).zip(before.combats.iter().zip(self.defences())) {
            combats.push(match combat {
                Combat::CounterBattery(fire) => self.counter_battery(fire, j)?,
                Combat::Attack(attack) => {
                    let halted = halts.iter().any(|halt| Some(&halt.contact) == attack.contact.as_ref());
                    Reported::Attack(self.resolve(attack, j, defence, halted, &mut fight)?)
                }
            });
        }
        let left = counted(fight.left, "point");
        self.say(format!("{left} left in this player turn for barrage and final protective fire"));
        Ok(Adds::Report { combats, halts })
    }

    /// The contacts halted by units that were not shown (24).
    fn halts(&mut self) -> Vec<Halt> {
        let mut paths: Vec<(&ContactName, &Vec<Hex>)> = self.before.paths.iter().collect();
        paths.sort_by_key(|(contact, _)| contact.number());
        let mut halts = Vec::new();
        for (contact, path) in paths {
            let Some((hex, place, by)) = self.halted(path) else { continue };
            if let Some(unit) = self.hand.units.get_mut(place) {
                unit.volunteered = true;
                let step = format!("{} halts {contact} on {hex}, and is now shown on {by}", unit.name);
                self.say(step);
            }
            halts.push(Halt { by, contact: contact.clone(), hex });
        }
        halts
    }

    /// Where a path is halted: the hex, the place of the unit that halts it, and that unit's hex.
    fn halted(&self, path: &[Hex]) -> Option<(Hex, usize, Hex)> {
        let (_, passed) = path.split_last()?;
        let hidden = |unit: &Unit| unit.level <= 1 && !unit.volunteered && self.hand.halting.contains(&unit.name);
        let ambush: Vec<(usize, &Unit)> = self.hand.there().filter(|(_, unit)| hidden(unit)).collect();
        passed.iter().find_map(|hex| {
            ambush.iter().find_map(|(place, unit)| {
                let by = unit.hexes.iter().find(|by| self.game.settings.beside(**by, *hex))?;
                Some((*hex, *place, *by))
            })
        })
    }

    fn counter_battery(&mut self, fire: &Fire, j: u64) -> Result<Reported, Stop> {
        let Some(place) = self.hand.on(fire.target) else {
            self.say(format!("combat {j}, counter-battery: no unit on {}", fire.target));
            return Ok(Reported::CounterBattery { loss: None });
        };
        let why = format!("{} combat {j}", names::COUNTER_BATTERY);
        let line = self.line(j) + 2 * self.game.settings.ew + 4;
        let twice = (why.as_str(), ", twice the points");
        let loss = self.number_of(names::COUNTER_BATTERY, 2 * fire.points.0, line, twice)?;
        let Some(unit) = self.hand.units.get_mut(place) else { return Ok(Reported::CounterBattery { loss: None }) };
        unit.loses(loss);
        let told = unit.level == 4;
        let step = format!(
            "combat {j}, counter-battery on {}: {} loses {loss} T/O, and the opponent is {}told (level {})",
            fire.target,
            unit.name,
            if told { "" } else { "not " },
            unit.level
        );
        self.say(step);
        Ok(Reported::CounterBattery { loss: told.then_some(Int(loss)) })
    }

    /// The last line before those of a combat (4).
    const fn line(&self, j: u64) -> u64 {
        5 * self.game.settings.units + 1 + (j - 1) * (2 * self.game.settings.ew + 4)
    }

    /// Resolves an attack (22).
    fn resolve(
        &mut self,
        attack: &Attack,
        j: u64,
        defence: Option<(usize, Order)>,
        halted: bool,
        fight: &mut Fight,
    ) -> Result<Resolved, Stop> {
        if halted {
            self.say(format!("combat {j}: cancelled, because the attacker is halted"));
            return Ok(quiet(attack, Comes::Cancelled));
        }
        let there = |unit: usize| self.hand.units.get(unit).is_some_and(|unit| unit.hexes.contains(&attack.target));
        let resolved = match defence.filter(|(unit, _)| there(*unit)) {
            Some((unit, order)) => self.meet(attack, j, unit, order, fight)?,
            None => {
                self.say(format!("combat {j}: no unit defends {}", attack.target));
                quiet(attack, Comes::Empty)
            }
        };
        fight.theirs = fight.theirs.saturating_add(u64::from(attack.chemical != Chemical::None));
        fight.ours = fight.ours.saturating_add(u64::from(resolved.chemical != Chemical::None));
        Ok(resolved)
    }

    /// Resolves an attack on a hex with a defender.
    fn meet(
        &mut self,
        attack: &Attack,
        j: u64,
        unit: usize,
        order: Order,
        fight: &mut Fight,
    ) -> Result<Resolved, Stop> {
        let said = self.before.defended.as_ref().and_then(|all| all.get(usize::try_from(j).ok()? - 1).copied()?);
        let met = match said {
            Some(said) => {
                fight.left = (fight.left - said.fpf.0).max(0);
                said
            }
            None => meets(&order, &mut fight.left),
        };
        let told = self.hand.units.get(unit).is_some_and(|unit| unit.level >= 1 || unit.volunteered);
        let candidates = self.candidates(attack);
        let mut bout = Bout { attack, j, unit, order, met, candidates, told, ew_level: attack.ew_level.0 };
        self.electronic(&mut bout)?;
        let differential = self.differential(&bout, fight)?;
        let why = format!("{} combat {j}", names::CRT);
        let line = self.line(j) + 2 * self.game.settings.ew + 1;
        match self.look_up(names::CRT, differential, line, &why)? {
            Cell::Abort => {
                let retreat = self.goes_back(&bout)?;
                Ok(Resolved { attacker_loss: Int(2), retreat, ..answered(&bout, Comes::Abort) })
            }
            Cell::Overrun => {
                let defender = self.suffers(&bout, usize::MAX, 2);
                Ok(Resolved { defender, ..answered(&bout, Comes::Overrun) })
            }
            Cell::Fought { attacker, defender, retreat, breakthrough } => {
                self.fights(&bout, [attacker, defender, retreat], breakthrough)
            }
            _ => Err(Stop::Table(names::CRT.into())),
        }
    }

    /// Both players' EW attacks (22 a, b).
    fn electronic(&mut self, bout: &mut Bout<'_>) -> Result<(), Stop> {
        let (j, ew) = (bout.j, self.game.settings.ew);
        let why = format!("{} combat {j}", names::EW);
        let ours = bout.attack.ew_attacks.0.unsigned_abs();
        for n in 1..=ours {
            let why = (why.as_str(), ", by the attacker");
            let level = self.number_of(names::EW, bout.attack.ew_superiority.0, self.line(j) + n, why)?;
            if let Some(unit) = self.hand.units.get_mut(bout.unit) {
                unit.ew = unit.ew.max(level);
            }
        }
        for n in 1..=bout.order.ew_attacks.0.unsigned_abs() {
            let why = (why.as_str(), ", by the defender");
            let level = self.number_of(names::EW, bout.order.ew_superiority.0, self.line(j) + ew + n, why)?;
            bout.ew_level = bout.ew_level.max(level);
        }
        Ok(())
    }

    /// The differential: the attacker's total and the defender's modifiers (22 c).
    fn differential(&mut self, bout: &Bout<'_>, fight: &Fight) -> Result<i64, Stop> {
        let Bout { attack, j, unit: place, order, met, ew_level, .. } = bout;
        let terrain = self.terrain(&order.terrain, |[_, defender]| *defender)?.unwrap_or_default();
        let points = attack.barrage.0 - met.fpf.0;
        let shift = self.number(names::SUPPORT, points, 0, &format!("{} combat {j}", names::SUPPORT))?;
        let Some(unit) = self.hand.units.get(*place) else { return Ok(attack.total.0) };
        let doctrine = |role| self.game.settings.doctrine.get(role).copied();
        let mut sum = Sum::default();
        sum.add("the attacker's total", attack.total.0);
        sum.add("defense", -unit.defense);
        sum.add(&format!("intelligence level {}", unit.level), unit.level);
        sum.add("terrain", terrain);
        sum.add("T/O", if self.game.settings.defender_to_sign == Sign::Plus { unit.to } else { -unit.to });
        sum.add("units next to the attacker", -self.beside(attack.from, *place));
        sum.add("control loss", if order.control_loss { 4 } else { 0 });
        sum.add(&format!("fatigue F{}", unit.fatigue), unit.fatigue);
        if attack.chemical != Chemical::None {
            let worth = chemicals(doctrine(&self.other), fight.theirs, [5, 3, 1], [2, 1, 1]);
            sum.add("the attacker's chemicals", worth);
        }
        if met.chemical != Chemical::None {
            let worth = chemicals(doctrine(&self.me), fight.ours, [-3, -2, -1], [-2, -1, -1]);
            sum.add("the defender's chemicals", worth);
        }
        sum.add(&format!("the attacker's EW level {ew_level}"), at(&[0, -5, -6, -8], *ew_level));
        sum.add(&format!("the defender's EW level {}", unit.ew), at(&[0, 2, 3, 4], unit.ew));
        let commander = order.commander.as_ref().filter(|commander| self.hand.commands(commander, unit));
        if let Some(Commander { unit: name, with }) = commander {
            let grade = self.hand.chances.get(name).copied().unwrap_or(Grade::None);
            sum.add(&format!("{name}'s Command ({})", grade.as_str()), -worth(*with, grade));
        }
        let ratings = order.subordinates.iter();
        let ratings = ratings.filter_map(|name| self.hand.subordinate(name, unit, order.commander.as_ref()));
        sum.add("subordinates", -ratings.sum::<i64>());
        sum.add("leadership", -unit.leadership);
        sum.add("support", shift);
        let step = format!("combat {j}, {} defends {}: {}", unit.name, attack.target, sum.told());
        self.say(step);
        Ok(sum.total)
    }

    fn fights(&mut self, bout: &Bout<'_>, [a, d, r]: [i64; 3], breakthrough: bool) -> Result<Resolved, Stop> {
        let defender = self.suffers(bout, usize::try_from(r).unwrap_or_default(), d);
        let fought = Resolved { breakthrough, defender, ..answered(bout, Comes::Fought) };
        if bout.attack.assault {
            let advance = self.hand.on(bout.attack.target).is_none();
            return Ok(Resolved { advance, attacker_loss: Int(a), ..fought });
        }
        if a == 0 || bout.candidates.is_empty() {
            return Ok(Resolved { attacker_loss: Int(a), ..fought });
        }
        let contact = bout.attack.contact.as_ref();
        let shown = contact.and_then(|contact| self.before.contacts.get(&self.other)?.get(contact)?.to);
        let line = self.line(bout.j) + 2 * self.game.settings.ew + 2;
        let why = format!("{} combat {}", names::RETREAT, bout.j);
        let saved = self.number(names::RETREAT, shown.map_or(4, |to| to.0), line, &why)?;
        let retreat = self.goes_back(bout)?;
        Ok(Resolved { attacker_loss: Int((a - saved).max(0)), retreat, ..fought })
    }

    /// Takes `loss` T/O from the defender and moves it along up to `hexes` hexes of its ordered retreat (22 d, e).
    /// Returns what the attacker is told about it, if anything.
    fn suffers(&mut self, bout: &Bout<'_>, hexes: usize, loss: i64) -> Option<Told> {
        let enemies = self.enemies();
        let along = bout.order.retreat.iter().take(hexes).take_while(|hex| !enemies.contains(hex));
        let along: Vec<Hex> = along.copied().collect();
        let ordered = bout.order.retreat.len().min(hexes);
        let goes = match along.as_slice() {
            [] if hexes == 0 => "stays".into(),
            [] if ordered == 0 => "stays (no retreat ordered)".into(),
            [] => "stays (the opponent is on the path)".into(),
            [..] if along.len() < ordered => format!("goes along {} and stops before your opponent", list(&along)),
            [..] => format!("goes along {}", list(&along)),
        };
        let unit = self.hand.units.get_mut(bout.unit)?;
        if let Some(last) = along.last() {
            unit.hexes = vec![*last];
        }
        unit.loses(loss);
        let gone = if unit.gone { " and is gone" } else { "" };
        let told = if bout.told { "the opponent is told" } else { "the opponent is not told (level 0)" };
        let step = format!(
            "combat {} on {}: {} loses {loss} T/O, {goes}{gone}; {told}",
            bout.j, bout.attack.target, unit.name
        );
        self.say(step);
        bout.told.then_some(Told { hexes: along, loss: Int(loss) })
    }

    /// The hexes that an attacker can go back to (22). They are neither on nor next to a hex of the defending player's
    /// units, and come from the first of `road`, `away` and `any` that has such hexes.
    fn candidates(&self, attack: &Attack) -> Vec<Hex> {
        let low = self.game.settings.low_columns;
        let taken: Vec<Hex> = self.hand.there().flat_map(|(_, unit)| unit.hexes.iter().copied()).collect();
        let free = |set: &Vec<Hex>| -> Vec<Hex> {
            set.iter().filter(|hex| !taken.contains(hex) && !hex.is_beside_any(&taken, low)).copied().collect()
        };
        let Retreats { any, away, road } = &attack.retreats;
        [road, away, any].into_iter().map(free).find(|set| !set.is_empty()).unwrap_or_default()
    }

    /// Picks the candidate that the attacker goes back to (22 d).
    fn goes_back(&mut self, bout: &Bout<'_>) -> Result<Option<Hex>, Stop> {
        let candidates = &bout.candidates;
        let sides = candidates.len() as u64;
        let mut picked = 0;
        if sides > 1 {
            let line = self.line(bout.j) + 2 * self.game.settings.ew + 3;
            let n = self.draw(line, sides, &format!("retreat combat {}", bout.j))?;
            self.say(format!("the attacker goes back to one of {}: d{sides} = {n}", list(candidates)));
            picked = usize::try_from(n - 1).unwrap_or_default();
        }
        Ok(candidates.get(picked).copied())
    }
}

/// The modifier for chemicals, from how often they were used before.
fn chemicals(doctrine: Option<Doctrine>, count: u64, soviet: [i64; 3], us: [i64; 3]) -> i64 {
    let row = if doctrine == Some(Doctrine::Soviet) { soviet } else { us };
    at(&row, count.min(2).cast_signed())
}

/// The result of an attack that had no effect.
fn quiet(attack: &Attack, result: Comes) -> Resolved {
    Resolved {
        advance: false,
        attacker_loss: Int(0),
        breakthrough: false,
        chemical: Chemical::None,
        defender: None,
        ew_level: attack.ew_level,
        fpf: Int(0),
        result,
        retreat: None,
    }
}

/// The result of an attack that was defended.
fn answered(bout: &Bout<'_>, result: Comes) -> Resolved {
    let Defended { chemical, fpf } = bout.met;
    Resolved { chemical, ew_level: Int(bout.ew_level), fpf, ..quiet(bout.attack, result) }
}
