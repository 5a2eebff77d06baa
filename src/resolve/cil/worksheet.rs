//! The worksheet of a round, line by line, for people.

use std::{collections::BTreeMap, fmt::Write};

use super::{
    fought::{Applied, Came, Fought, Phase},
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
        for Changed { side, unit, before: (strength, effectiveness), after: (now, then) } in changed {
            let (id, gone) = (self.id(*side, *unit), if *now == 0 { ", and is removed" } else { "" });
            steps.push(format!(
                "{id}: strength from {strength} to {now}, Effectiveness from {effectiveness} to {then}{gone}"
            ));
        }
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

/// A number of hits, in the singular or plural.
fn hits(n: u64) -> String {
    format!("{n} hit{}", if n == 1 { "" } else { "s" })
}

/// Describes a phase, line by line.
fn fought_out(state: &State, orders: &Sides<Orders>, phase: Phase, fought: &Fought, steps: &mut Vec<String>) {
    let id = |side: Side, unit: usize| state.units.of(side).get(unit).map_or("", |unit| unit.id.as_str());
    steps.push(match phase {
        Phase::Combat => "Combat Phase:".into(),
        Phase::Assault => "Assault Combat Phase:".into(),
    });
    let added = |dice: &[u64]| match dice {
        [] => "no dice".to_owned(),
        dice => dice.iter().map(u64::to_string).collect::<Vec<_>>().join(" + "),
    };
    if !fought.fires.is_empty() {
        steps.push("  (dice are added up; each after which the sum is still below the unit's value counts)".into());
    }
    for fires in &fought.fires {
        let order = orders.of(fires.side).of_units.get(fires.unit).map_or("", |order| order.name());
        let whom = state.role(fires.side.other());
        let (unit, value) = (id(fires.side, fires.unit), fires.value);
        let (at, dice) = (fires.at, added(&fires.dice));
        steps.push(format!("  {unit} ({order}, {value}) fires at {whom}'s {at}: {dice}: {}", hits(fires.counted)));
    }
    for absorbs in fought.absorbs.iter().filter(|absorbs| absorbs.counted > 0) {
        let unit = id(absorbs.side, absorbs.unit);
        let (value, dice) = (absorbs.value, added(&absorbs.dice));
        steps.push(format!("  {unit} ({value}): {dice}: can absorb {}", hits(absorbs.counted)));
    }
    for applied in &fought.applied {
        let Applied { side, at, from, hits: many, halved, lost, sent, struck } = applied;
        let mut units: BTreeMap<usize, [u64; 3]> = BTreeMap::new();
        for struck in struck {
            let [absorbed, halved, casualties] = units.entry(struck.unit).or_default();
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
        for (unit, counts) in units {
            let counts = counts.iter().zip(["absorbs", "halves", "loses"]).filter(|(n, _)| **n > 0);
            let told: Vec<String> = counts.map(|(n, what)| format!("{what} {n}")).collect();
            _ = write!(line, "; {} {}", id(*side, unit), told.join(", "));
        }
        // Only an assault has excess (16).
        let lose =
            if phase == Phase::Combat { "lost (excess goes on only in an Assault Combat Phase)" } else { "lost" };
        for (n, what) in [(halved, "removed by halving"), (lost, lose), (sent, "sent on")] {
            if *n > 0 {
                _ = write!(line, "; {n} {what}");
            }
        }
        steps.push(line);
    }
    for (side, at) in &fought.overrun {
        steps.push(format!("  {}'s {at} is OVERRUN", state.role(*side)));
    }
}
