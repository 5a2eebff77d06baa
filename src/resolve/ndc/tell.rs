//! What people read: a state in a line, an input in plain words, the sheet to fill in.

use super::{
    cells::weather_list,
    hexes::list,
    input::{Adds, Chemical, Combat, Comes, Contact, ContactName, Input, Moved, Reported, Resolved, Step},
    state::State,
};
use crate::{blob::json::Value, resolve::Object};

/// A state in one line.
pub(super) fn state(state: &State) -> String {
    let State { turn, segment, phasing, awaits, weather, .. } = state;
    let weather = if weather.is_empty() { String::new() } else { format!("; {}", weather_list(weather)) };
    match awaits.step {
        Step::Setup => format!("before turn 1: {} sets up", awaits.by),
        step => {
            format!("turn {turn}, segment {segment} of {phasing}{weather}; then {} by {}", step.as_str(), awaits.by)
        }
    }
}

/// An input in plain words.
pub(super) fn input(state: &State, input: &Input) -> Vec<String> {
    let by = &state.awaits.by;
    let mut lines = Vec::new();
    let shown = &input.shown;
    if !shown.entries.is_empty() {
        lines.push(format!("{by} has entered {}", list(&shown.entries)));
    }
    lines.extend(shown.paths.iter().map(|(name, path)| format!("{by}'s {name} goes {}", list(path))));
    match &input.adds {
        Adds::Setup { .. } => lines.push(format!("{by} has set up")),
        Adds::Move(moved) => tell_move(state, moved, &mut lines),
        Adds::Defend { combats } => {
            let met = combats.iter().enumerate().filter_map(|(i, met)| Some((i + 1, (*met)?)));
            lines.extend(met.map(|(n, met)| {
                format!(
                    "combat {n}: final protective fire {}{}, EW attacks {}",
                    met.fpf.0,
                    chemicals(met.chemical),
                    met.ew_attacks.0
                )
            }));
        }
        Adds::Report { combats, halts } => {
            lines.extend(halts.iter().map(|halt| format!("{} is halted on {} by {}", halt.contact, halt.hex, halt.by)));
            lines.extend(
                combats.iter().enumerate().map(|(i, combat)| format!("combat {}: {}", i + 1, reported(combat))),
            );
        }
    }
    lines.extend(shown.contacts.iter().map(|(name, contact)| format!("{by}'s {}", shows(name, contact))));
    lines
}

fn chemicals(chemical: Chemical) -> &'static str {
    match chemical {
        Chemical::None => "",
        Chemical::Persistent => " with persistent chemicals",
        Chemical::Used => " with chemicals",
    }
}

/// A contact in plain words.
pub(super) fn shows(name: &ContactName, contact: &Contact) -> String {
    let Contact { designation, hexes, kind, mode, to } = contact;
    let kind = kind.map(|kind| format!(", {}", format!("{kind:?}").to_lowercase())).unwrap_or_default();
    let named = designation.as_ref().map(|name| format!(", {name}")).unwrap_or_default();
    let mode = mode.as_ref().map(|mode| format!(", mode {mode}")).unwrap_or_default();
    let to = to.map(|to| format!(", T/O {}", to.0)).unwrap_or_default();
    format!("{name} on {}{kind}{named}{mode}{to}", list(hexes))
}

fn tell_move(state: &State, moved: &Moved, lines: &mut Vec<String>) {
    let by = &state.awaits.by;
    if let Some(weather) = &moved.weather {
        let what = if weather.is_empty() { "clear".into() } else { weather_list(weather) };
        lines.push(format!("the weather: {what}"));
    }
    if let Some(intelligence) = &moved.intelligence {
        let (level, sectors) = (intelligence.level.0, list(&intelligence.sectors));
        lines.push(format!("{by} searches {sectors} with operational level {level}"));
    }
    for (i, combat) in moved.combats.iter().enumerate() {
        lines.push(format!("combat {}: {}", i + 1, fights(combat)));
    }
    for one in &moved.interdictions {
        lines.push(format!("interdiction of {} with {} points: {} markers", one.target, one.points.0, one.markers.0));
    }
    if moved.ends() {
        lines.push(format!("nothing to fight: {by}'s turn is over"));
    }
}

/// A combat in plain words.
pub(super) fn fights(combat: &Combat) -> String {
    match combat {
        Combat::CounterBattery(fire) => {
            format!("counter-battery fire on {} with {} points", fire.target, fire.points.0)
        }
        Combat::Attack(attack) => format!(
            "{} on {} from {}, total {}, barrage {}{}, EW level {}, EW attacks {} with superiority {}",
            if attack.assault { "assault" } else { "Probe" },
            attack.target,
            attack.from,
            attack.total.0,
            attack.barrage.0,
            chemicals(attack.chemical),
            attack.ew_level.0,
            attack.ew_attacks.0,
            attack.ew_superiority.0
        ),
    }
}

/// What came of a combat, in plain words.
pub(super) fn reported(combat: &Reported) -> String {
    let resolved = match combat {
        Reported::CounterBattery { loss: None } => return "nothing is told".into(),
        Reported::CounterBattery { loss: Some(loss) } => return format!("a loss of {}", loss.0),
        Reported::Attack(resolved) => resolved,
    };
    let Resolved { attacker_loss, breakthrough, defender, ew_level, fpf, result, retreat, advance, chemical, .. } =
        resolved;
    let what = match result {
        Comes::Abort => "aborted",
        Comes::Cancelled => return "cancelled".into(),
        Comes::Empty => return "nobody is there".into(),
        Comes::Fought => "fought",
        Comes::Overrun => "an overrun",
    };
    let back = retreat.as_ref().map(|back| format!(", back to {} of {}", back.hex, list(&back.candidates)));
    let told =
        defender.as_ref().map(|told| format!("; the defender loses {} and goes {}", told.loss.0, list(&told.hexes)));
    format!(
        "{what}: final protective fire {}{}, the attacker's EW level {}, he loses {}{}{}{}{}",
        fpf.0,
        chemicals(*chemical),
        ew_level.0,
        attacker_loss.0,
        back.unwrap_or_default(),
        if *advance { ", and advances" } else { "" },
        if *breakthrough { ", a breakthrough" } else { "" },
        told.unwrap_or_default()
    )
}

/// A hand for its player, as reports have it: a line a unit, and his points.
pub(super) fn hand(hand: &Object) -> Vec<String> {
    let said = |value: &Value| match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("+"),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let units = hand.get("units").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
    let unit = |unit: &Object| {
        let of = |name: &str| unit.get(name).map(said).unwrap_or_default();
        let mut line = format!(
            "{} ({}) on {}: attack {}, defense {}, T/O {}, fatigue {}, mode {}, level {}, spent {} of {} MP",
            of("name"),
            of("kind"),
            of("hexes"),
            of("attack"),
            of("defense"),
            of("to"),
            of("fatigue"),
            of("mode"),
            of("level"),
            of("spent"),
            of("movement")
        );
        for flag in ["finished", "halted", "moved", "marching", "volunteered", "depleted", "gone"] {
            if unit.get(flag) == Some(&Value::Bool(true)) {
                line.push_str(", ");
                line.push_str(flag);
            }
        }
        line
    };
    let mut lines: Vec<String> = units.map(unit).collect();
    for (name, what) in [("points", "points"), ("allocated", "of these allocated to intelligence")] {
        let points = hand.get(name).and_then(Value::as_object).into_iter().flatten();
        let points: Vec<String> = points.map(|(kind, n)| format!("{kind} {n}")).collect();
        lines.push(format!("{what}: {}", points.join(", ")));
    }
    let grades = hand.get("chances").and_then(Value::as_object).into_iter().flatten();
    lines.extend(grades.map(|(name, grade)| format!("Command of {name}: {}", said(grade))));
    lines
}
