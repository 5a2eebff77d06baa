//! The worksheet of a round, line by line, for people.

use std::{collections::BTreeMap, fmt::Write};

use super::{
    fought::{Applied, Came, Fought, Phase, Series},
    orders::{Order, Orders},
    outcome::Refused,
    place::{Side, Sides},
    round::{Changed, Failed, Moved, Round},
    state::State,
};

impl Round<'_> {
    /// The whole worksheet of the round, line by line.
    pub(super) fn worksheet(&self, changed: &[Changed]) -> Vec<String> {
        let State { battle, day, round, season, .. } = &self.state;
        let mut steps = vec![format!("battle {battle}, day {day} ({}), round {round}", season.name())];
        for Refused { author, entry, why } in self.refused() {
            steps.push(format!("{author}: {entry}: refused ({why})"));
        }
        steps.extend(Side::BOTH.map(|side| self.ordered(side)));
        if self.phases.is_empty() {
            steps.push("no unit attacks, so there is no Combat Phase".into());
        }
        for (phase, fought) in &self.phases {
            fought_out(&self.state, &self.orders, *phase, fought, &mut steps);
        }
        for Moved { side, unit, to, failed } in &self.moves {
            let id = self.id(*side, *unit);
            steps.push(match failed {
                None => format!("{id} moves to {to}"),
                Some(Failed::Attacked) => format!("{id} cannot move to {to}: it is involved in combat"),
                Some(Failed::Overrun) => format!("{id} cannot move to {to}: it is now OVERRUN"),
            });
        }
        steps.extend(changed.iter().map(|changed| self.change(changed)));
        let of = self.state.season.engagements();
        steps.push(format!("engagements used on this day: {} of {of}", self.state.engagements));
        steps
    }
}

impl Round<'_> {
    /// Describes the orders that a side gave: also those of units that the round removed.
    fn ordered(&self, side: Side) -> String {
        let units = self.state.units.of(side).iter().zip(self.before.of(side)).zip(&self.orders.of(side).of_units);
        let had_strength = |((_, before), _): &((_, &(u64, u64)), _)| before.0 > 0;
        let orders = units.filter(had_strength).map(|((unit, _), order)| match order {
            Order::Attack(at) | Order::Assault(at) | Order::Probe(at) | Order::Move(at) => {
                format!("{} {} {at}", unit.id, order.name())
            }
            Order::DigIn | Order::Hold => format!("{} {}", unit.id, order.name()),
        });
        format!("{}'s orders: {}", self.state.role(side), orders.collect::<Vec<_>>().join(", "))
    }
}

impl Round<'_> {
    /// Describes how a unit changed, and for what its Effectiveness did.
    fn change(&self, changed: &Changed) -> String {
        let Changed { side, unit, before: (strength, effectiveness), after: (now, then) } = changed;
        let mut parts = Vec::new();
        if strength != now {
            let gone = if *now == 0 { ", so it is removed" } else { "" };
            parts.push(format!("strength from {strength} to {now}{gone}"));
        }
        if effectiveness != then {
            let why = match self.orders.of(*side).of_units.get(*unit) {
                Some(Order::Hold) => ", because it rested",
                Some(Order::Move(_)) => ", for its move",
                Some(Order::Attack(_)) => ", for its attack",
                Some(Order::Assault(_)) => ", for its assault",
                Some(Order::Probe(_)) => ", for its probe",
                Some(Order::DigIn) | None => "",
            };
            parts.push(format!("Effectiveness from {effectiveness} to {then}{why}"));
        }
        format!("{}: {}", self.id(*side, *unit), parts.join("; "))
    }
}

/// A number of hits, in the singular or plural.
fn hits(n: u64) -> String {
    format!("{n} hit{}", if n == 1 { "" } else { "s" })
}

/// Lists the dice that were added up.
fn added(dice: &[u64]) -> String {
    let dice: Vec<String> = dice.iter().map(u64::to_string).collect();
    if dice.is_empty() { "no dice".to_owned() } else { dice.join(" + ") }
}

/// Describes a phase, line by line.
fn fought_out(state: &State, orders: &Sides<Orders>, phase: Phase, fought: &Fought, steps: &mut Vec<String>) {
    steps.push(match phase {
        Phase::Combat => "Combat Phase:".into(),
        Phase::Assault => "Assault Combat Phase:".into(),
    });
    if !fought.fires.is_empty() {
        steps.push("  (dice are added up; each after which the sum is still below the unit's value counts)".into());
    }
    steps.extend(fought.fires.iter().map(|fires| fire(state, orders, fires, fought.dice_of(fires))));
    for absorbs in &fought.absorbs {
        let (Series { side, unit, value, counted, .. }, dice) = (absorbs, fought.dice_of(absorbs));
        let can = if *counted == 0 { "no hit".into() } else { hits(*counted) };
        steps.push(format!("  {} (absorbs with {value}): {}: can absorb {can}", id(state, *side, *unit), added(dice)));
    }
    if fought.applied.iter().any(|applied| applied.struck.iter().any(|struck| struck.draw.is_some())) {
        let combat = "the units with a combat order, or all if none has one";
        steps.push(format!("  (a die chooses which unit a hit strikes: {combat}, in the order of the list)"));
    }
    steps.extend(fought.applied.iter().map(|applied| struck(state, phase, applied)));
    steps.extend(fought.overrun.iter().map(|(side, at)| format!("  {}'s {at} is OVERRUN", state.role(*side))));
}

fn id(state: &State, side: Side, unit: usize) -> &str {
    state.units.of(side).get(unit).map_or("", |unit| unit.id.as_str())
}

/// Describes the fire of a unit.
fn fire(state: &State, orders: &Sides<Orders>, fires: &Series, dice: &[u64]) -> String {
    let Series { side, unit, value, counted, at, .. } = fires;
    let order = orders.of(*side).of_units.get(*unit).map_or("", |order| order.name());
    let attack = state.units.of(*side).get(*unit).map_or(0, |unit| unit.attack);
    let value = match i64::try_from(attack) == Ok(*value) {
        true => value.to_string(),
        false => format!("attack {attack}, here {value}"),
    };
    let (unit, whom) = (id(state, *side, *unit), state.role(side.other()));
    format!("  {unit} ({order}, {value}) fires at {whom}'s {at}: {}: {}", added(dice), hits(*counted))
}

/// Describes the hits on a location, and the units that they struck.
fn struck(state: &State, phase: Phase, applied: &Applied) -> String {
    let Applied { side, at, from, hits: many, halved, lost, sent, struck } = applied;
    let mut units: BTreeMap<usize, ([u64; 3], Vec<u64>)> = BTreeMap::new();
    for struck in struck {
        let ([absorbed, halved, casualties], dice) = units.entry(struck.unit).or_default();
        dice.extend(struck.draw);
        *match struck.came {
            Came::Absorbed => absorbed,
            Came::Halved => halved,
            Came::Casualty => casualties,
        } += 1;
    }
    let mut line = format!("  {} on {}'s {at}", hits(*many), state.role(*side));
    if let Some(from) = from {
        _ = write!(line, " (excess from {from})");
    }
    for (unit, ([absorbed, halved, casualties], dice)) in units {
        let chosen: Vec<String> = dice.iter().map(u64::to_string).collect();
        let chosen = if chosen.is_empty() { String::new() } else { format!(" (die: {})", chosen.join(", ")) };
        let told = [
            (absorbed, format!("absorbs {absorbed}")),
            (halved, format!("{halved} without effect (a probe's, halved)")),
            (casualties, format!("loses {casualties}")),
        ];
        let told: Vec<String> = told.into_iter().filter(|(n, _)| *n > 0).map(|(_, told)| told).collect();
        _ = write!(line, "; {}{chosen} {}", id(state, *side, unit), told.join(", "));
    }
    // Only an assault has excess (16).
    let lose = if phase == Phase::Combat { "lost (excess goes on only in an Assault Combat Phase)" } else { "lost" };
    for (n, what) in [(halved, "removed by halving"), (lost, lose), (sent, "sent on")] {
        if *n > 0 {
            _ = write!(line, "; {n} {what}");
        }
    }
    line
}
