//! What people read and fill in: the worksheet of a phase, a state in a line, orders and a new battle as TOML.

use std::{collections::BTreeMap, fmt::Write};

use super::{
    Settings,
    fight::{Applied, Came, Fought, Phase},
    orders::Orders,
    place::{Location, Side, Sides},
    state::{Decision, Force, State, Unit},
};

/// A side in a few words.
fn side(state: &State, side: Side) -> String {
    let living: Vec<&Unit> = state.units.of(side).iter().filter(|unit| unit.lives()).collect();
    let strength: u64 = living.iter().map(|unit| unit.strength).sum();
    let fell: Vec<&str> = state.overrun.of(side).iter().map(|at| at.name()).collect();
    let fell = if fell.is_empty() { String::new() } else { format!(", OVERRUN {}", fell.join(" and ")) };
    format!("{} with {} units of strength {strength}{fell}", state.role(side), living.len())
}

/// A state in one line.
pub(super) fn tell(state: &State) -> String {
    let State { battle, day, engagements, round, season, .. } = state;
    let asked = match state.pending.as_ref().map(|pending| pending.awaits) {
        None => "",
        Some(Decision::Night) => "; the day is over",
        Some(Decision::Battle | Decision::Agree) => "; the battle is over",
    };
    format!(
        "battle {battle}, day {day} ({}), {round} rounds fought, {engagements} of {} engagements of the day used: {} attacks {}{asked}",
        season.name(),
        season.engagements(),
        side(state, Side::Attacker),
        side(state, Side::Defender)
    )
}

/// How a phase went, line by line.
pub(super) fn worksheet(state: &State, orders: &Sides<Orders>, phase: Phase, fought: &Fought, steps: &mut Vec<String>) {
    let id = |side: Side, unit: usize| state.units.of(side).get(unit).map_or("", |unit| unit.id.as_str());
    steps.push(match phase {
        Phase::Combat => "Combat Phase:".into(),
        Phase::Assault => "Assault Combat Phase:".into(),
    });
    for fires in &fought.fires {
        let order = orders.of(fires.side).of_units.get(fires.unit).map_or("", |order| order.name());
        let whom = state.role(fires.side.other());
        let (unit, value) = (id(fires.side, fires.unit), fires.value);
        steps.push(format!("  {unit} ({order}, {value}) fires at {whom} {}: {} hits", fires.at, fires.counted));
    }
    for absorbs in fought.absorbs.iter().filter(|absorbs| absorbs.counted > 0) {
        let unit = id(absorbs.side, absorbs.unit);
        steps.push(format!("  {unit} ({}) can absorb {}", absorbs.value, absorbs.counted));
    }
    for applied in &fought.applied {
        let Applied { side, at, from, hits, halved, lost, sent, struck } = applied;
        let mut units: BTreeMap<usize, [u64; 3]> = BTreeMap::new();
        for struck in struck {
            let [absorbed, halved, casualties] = units.entry(struck.unit).or_default();
            *match struck.came {
                Came::Absorbed => absorbed,
                Came::Halved => halved,
                Came::Casualty => casualties,
            } += 1;
        }
        let mut line = format!("  {hits} hits on {} {at}", state.role(*side));
        if let Some(from) = from {
            _ = write!(line, ", excess from {from}");
        }
        for (unit, counts) in units {
            _ = write!(line, "; {}", id(*side, unit));
            for (n, what) in counts.iter().zip(["absorbs", "halves", "loses"]).filter(|(n, _)| **n > 0) {
                _ = write!(line, " {what} {n}");
            }
        }
        for (n, what) in [(halved, "are halved beforehand"), (lost, "are lost"), (sent, "go on")] {
            if *n > 0 {
                _ = write!(line, "; {n} {what}");
            }
        }
        steps.push(line);
    }
    for (side, at) in &fought.overrun {
        steps.push(format!("  {} {at} is OVERRUN", state.role(*side)));
    }
}

/// Orders to fill in.
pub(super) fn orders(settings: &Settings, state: &State, side: Side) -> String {
    let State { battle, day, round, season, engagements, .. } = state;
    let other = side.other();
    let mut out = format!(
        "# Orders of {} for round {} of battle {battle}, day {day} ({}, {engagements} of {} engagements used).\n\
         # order: attack, assault or probe (at = a location of {}), dig-in, move (at = your own), hold. Who has no line holds.\n",
        state.role(side),
        round + 1,
        season.name(),
        season.engagements(),
        state.role(other)
    );
    if state.engagements_left() < settings.assault_cost {
        out.push_str("# No assault: the day has not enough engagements left.\n");
    }
    let fell = state.overrun.of(other);
    out.push_str("\n[orders]\n");
    for at in Location::ALL {
        let targets = Location::ALL.into_iter().filter(|to| at.may_target(*to, settings.facing, fell));
        let targets: Vec<&str> = targets.map(Location::name).collect();
        let may = match (at, targets.is_empty()) {
            (Location::Reserve, _) => "may hold, or move".into(),
            (_, true) => "has nobody to attack".into(),
            (_, false) => format!("may attack {}", targets.join(", ")),
        };
        let here: Vec<&Unit> = state.units.of(side).iter().filter(|unit| unit.lives() && unit.at == at).collect();
        if !here.is_empty() {
            _ = writeln!(out, "# {at}: {may}");
        }
        for Unit { attack, defense, effectiveness, id, kind, strength, .. } in here {
            _ = writeln!(
                out,
                "{id} = {{ order = \"hold\" }}    # {}, attack {attack}, defense {defense}, strength {strength}, Effectiveness {effectiveness}",
                kind.as_str()
            );
        }
    }
    let where_to = |at: &Location| {
        let to = Location::ALL.into_iter().filter(|to| to.is_adjacent(*at)).map(Location::name);
        format!("# {at} = \"none\"    # or {}", to.collect::<Vec<_>>().join(", "))
    };
    let entries: Vec<String> = Location::ALL.iter().map(where_to).collect();
    _ = write!(
        out,
        "\n# Where hits go on when an assault empties a location of {}. Left out: they are lost.\n[excess]\n{}\n",
        state.role(other),
        entries.join("\n")
    );
    out
}

/// A new battle to fill in.
pub(super) fn battle(state: &State) -> String {
    let mut out = format!(
        "# The next battle: the other player is asked whether he agrees.\nattacker = \"{}\"\nseason = \"{}\"    # spring, summer, fall or winter\n\
         # Roster order counts. at: main, left, right or reserve.\n\n[forces]\n",
        state.attacker,
        state.season.name()
    );
    let force = |out: &mut String, name: &str, force: &Force| {
        _ = writeln!(out, "{name} = [");
        for Unit { at, attack, defense, effectiveness, id, kind, strength } in force.iter().filter(|unit| unit.lives())
        {
            _ = writeln!(
                out,
                "  {{ id = \"{id}\", kind = \"{}\", attack = {attack}, defense = {defense}, strength = {strength}, effectiveness = {effectiveness}, at = \"{at}\" }},",
                kind.as_str()
            );
        }
        out.push_str("]\n");
    };
    force(&mut out, "attacker", &state.units.attacker);
    force(&mut out, "defender", &state.units.defender);
    out
}
