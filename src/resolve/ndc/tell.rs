//! Descriptions for people: a state in one line, an input, a hand.

use super::{
    cells::weather_list,
    hand::{Commander, Order, With},
    hexes::list,
    input::{
        Adds, Chemical, Combat, Comes, Contact, ContactName, Halt, Input, Intelligence, Moved, Reported, Resolved, Step,
    },
    settings::Letters,
    state::State,
};
use crate::{
    blob::{
        body::Role,
        json::{self, Value},
    },
    resolve::Object,
};

/// A number with its noun, in the singular or plural.
pub(super) fn counted(n: i64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// Describes EW attacks.
pub(super) fn electronic(attacks: i64, superiority: i64) -> String {
    match attacks {
        0 => "no EW attack".into(),
        _ => format!("{} with superiority {superiority}", counted(attacks, "EW attack")),
    }
}

/// Describes a state in one line.
pub(super) fn state(state: &State) -> String {
    let State { turn, segment, phasing, awaits, weather, .. } = state;
    let weather = if weather.is_empty() { String::new() } else { format!("; {}", weather_list(weather)) };
    match awaits.step {
        Step::Setup => format!("before turn 1: {} sets up", awaits.by),
        step => {
            format!(
                "turn {turn}, {phasing}'s player turn, segment {segment}{weather}; next: {} {}",
                awaits.by,
                step.does()
            )
        }
    }
}

/// Describes an input.
pub(super) fn input(state: &State, input: &Input) -> Vec<String> {
    let by = &state.awaits.by;
    let mut lines = Vec::new();
    let shown = &input.shown;
    match state.awaits.step {
        Step::Setup => {}
        Step::Move => lines.push(format!("{by} moves (segment {})", state.segment)),
        step => lines.push(format!("{by} {}", step.does())),
    }
    if !shown.entries.is_empty() {
        lines.push(format!("{by}'s units entered {}", list(&shown.entries)));
    }
    lines.extend(shown.paths.iter().map(|(name, path)| format!("{by}'s {name} moves along {}", list(path))));
    match &input.adds {
        Adds::Setup { intelligence } => {
            lines.push(format!("{by} has set up"));
            lines.extend(intelligence.as_ref().map(|of| searches(by, of)));
        }
        Adds::Move(moved) => tell_move(state, moved, &mut lines),
        Adds::Defend { combats } => {
            let met = (1..).zip(&state.combats).zip(combats).filter_map(|(fought, met)| Some((fought, (*met)?)));
            lines.extend(met.map(|((n, combat), met)| {
                format!(
                    "combat {n} on {}: final protective fire {}{}",
                    combat.target(),
                    met.fpf.0,
                    chemicals(met.chemical)
                )
            }));
        }
        Adds::Report { combats, halts } => {
            let halted = |halt: &Halt| format!("{} is halted on {} by a unit on {}", halt.contact, halt.hex, halt.by);
            lines.extend(halts.iter().map(halted));
            let told = (1..).zip(state.combats.iter().zip(combats));
            lines.extend(
                told.map(|(n, (combat, told))| {
                    format!("combat {n} on {}: {}", combat.target(), reported(combat, told))
                }),
            );
        }
    }
    lines.extend(shown.contacts.iter().map(|(name, contact)| format!("{by}'s {}", shows(name, contact))));
    lines
}

pub(super) fn chemicals(chemical: Chemical) -> &'static str {
    match chemical {
        Chemical::None => "",
        Chemical::Persistent => " with persistent chemicals",
        Chemical::Used => " with chemicals",
    }
}

/// Describes a contact.
pub(super) fn shows(name: &ContactName, contact: &Contact) -> String {
    let Contact { designation, hexes, kind, mode, to } = contact;
    let kind = kind.map(|kind| format!(", {}", format!("{kind:?}").to_lowercase())).unwrap_or_default();
    let named = designation.as_ref().map(|name| format!(", {name}")).unwrap_or_default();
    let mode = mode.as_ref().map(|mode| format!(", mode {mode}")).unwrap_or_default();
    let to = to.map(|to| format!(", T/O {}", to.0)).unwrap_or_default();
    format!("contact {name} on {}{kind}{named}{mode}{to}", list(hexes))
}

fn searches(by: &Role, intelligence: &Intelligence) -> String {
    let (level, sectors) = (intelligence.level.0, list(&intelligence.sectors));
    format!("{by} searches {sectors} at operational level {level}")
}

fn tell_move(state: &State, moved: &Moved, lines: &mut Vec<String>) {
    let by = &state.awaits.by;
    if let Some(weather) = &moved.weather {
        let what = if weather.is_empty() { "clear".into() } else { weather_list(weather) };
        lines.push(format!("weather: {what}"));
    }
    if let Some(intelligence) = &moved.intelligence {
        lines.push(searches(by, intelligence));
    }
    for (i, combat) in moved.combats.iter().enumerate() {
        lines.push(format!("combat {}: {}", i + 1, fights(combat)));
    }
    for one in &moved.interdictions {
        let (points, markers) = (counted(one.points.0, "point"), counted(one.markers.0, "marker"));
        lines.push(format!("interdiction of {} with {points}: {markers}", one.target));
    }
    if moved.ends() {
        lines.push(format!("no combats or interdictions: {by}'s player turn is over"));
    }
}

/// Describes a combat.
pub(super) fn fights(combat: &Combat) -> String {
    match combat {
        Combat::CounterBattery(fire) => {
            format!("counter-battery fire on {} with {}", fire.target, counted(fire.points.0, "point"))
        }
        Combat::Attack(attack) => format!(
            "{} on {} from {}{}, total {}, barrage {}{}, EW level {}, {}",
            if attack.assault { "assault" } else { "Probe" },
            attack.target,
            attack.from,
            attack.contact.as_ref().map(|contact| format!(" by {contact}")).unwrap_or_default(),
            attack.total.0,
            attack.barrage.0,
            chemicals(attack.chemical),
            attack.ew_level.0,
            electronic(attack.ew_attacks.0, attack.ew_superiority.0)
        ),
    }
}

/// Describes the result of a combat.
fn reported(combat: &Combat, told: &Reported) -> String {
    let resolved = match told {
        Reported::CounterBattery { loss: None } => return "the result of the counter-battery fire stays secret".into(),
        Reported::CounterBattery { loss: Some(loss) } => {
            return format!("the counter-battery fire costs the target {}", counted(loss.0, "T/O level"));
        }
        Reported::Attack(resolved) => resolved,
    };
    let who = match combat {
        Combat::Attack(attack) => {
            let contact = attack.contact.as_ref().map(|contact| format!("{contact}, ")).unwrap_or_default();
            format!(" ({contact}from {})", attack.from)
        }
        Combat::CounterBattery(_) => String::new(),
    };
    let Resolved { attacker_loss, breakthrough, defender, ew_level, fpf, result, retreat, advance, chemical, .. } =
        resolved;
    let what = match result {
        Comes::Abort => "aborted",
        Comes::Cancelled => return "cancelled".into(),
        Comes::Empty => return "no unit is there".into(),
        Comes::Fought => "fought",
        Comes::Overrun => "an overrun",
    };
    let back = retreat.map(|hex| format!(" and goes back to {hex}"));
    let told = defender.as_ref().map(|told| {
        let goes = if told.hexes.is_empty() { "stays".into() } else { format!("goes along {}", list(&told.hexes)) };
        format!("; the defender loses {} T/O and {goes}", told.loss.0)
    });
    format!(
        "{what}: final protective fire {}{}; the attacker{who} has EW level {}, loses {} T/O{}{}{}{}",
        fpf.0,
        chemicals(*chemical),
        ew_level.0,
        attacker_loss.0,
        back.unwrap_or_default(),
        if *advance { " and advances" } else { "" },
        if *breakthrough { " (a breakthrough)" } else { "" },
        told.unwrap_or_default()
    )
}

/// Returns what is true of a unit in a hand.
pub(super) fn flags(unit: &Object) -> impl Iterator<Item = &'static str> {
    let all = ["finished", "halted", "moved", "marching", "volunteered", "depleted", "gone"];
    all.into_iter().filter(|flag| unit.get(*flag) == Some(&Value::Bool(true)))
}

/// Writes a field of a hand.
pub(super) fn said(value: &Value) -> String {
    match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("+"),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Describes a hand to its player: a line for each unit, then points, Command, units in wait and orders.
pub(super) fn hand(hand: &Object, letters: Letters) -> Vec<String> {
    let units = hand.get("units").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
    let unit = |unit: &Object| {
        let of = |name: &str| unit.get(name).map(said).unwrap_or_default();
        let mut line = format!(
            "{} ({}) on {}: attack {}, defense {}, T/O {}, fatigue {}, leadership {}, mode {}, level {}, spent {} of {} MP",
            of("name"),
            of("kind"),
            of("hexes"),
            of("attack"),
            of("defense"),
            of("to"),
            of("fatigue"),
            of("leadership"),
            of("mode"),
            of("level"),
            of("spent"),
            of("movement")
        );
        if unit.get("march").and_then(Value::as_u64).is_some_and(|march| march > 0) {
            line.push_str(&format!(" (forced march: {} more)", of("march")));
        }
        if unit.get("commander").is_some_and(Value::is_number) {
            line.push_str(&format!(", commander with rating {}", of("commander")));
        }
        for flag in flags(unit) {
            line.push_str(", ");
            line.push_str(flag);
        }
        line
    };
    let mut lines: Vec<String> = units.map(unit).collect();
    for (name, what) in [("points", "points in each player turn"), ("allocated", "of these, allocated to intelligence")]
    {
        let points = hand.get(name).and_then(Value::as_object).into_iter().flatten();
        let points: Vec<String> = points.map(|(kind, n)| format!("{kind} {n}")).collect();
        lines.push(format!("{what}: {}", points.join(", ")));
    }
    let grades = hand.get("chances").and_then(Value::as_object).into_iter().flatten();
    lines.extend(grades.map(|(name, grade)| format!("{name}'s Command: {}", said(grade))));
    for (name, what) in [("command", "use Command, for your next sheet"), ("halting", "lie in wait, to halt a contact")]
    {
        let units = hand.get(name).map(said).filter(|units| !units.is_empty());
        lines.extend(units.map(|units| format!("{what}: {}", units.replace('+', ", "))));
    }
    lines.extend(standing(hand, letters));
    lines
}

/// Describes orders: a line for each attack that an order answers, then the units without orders. With `wait`, the only
/// orders that count are those that answer attacks.
fn standing(hand: &Object, letters: Letters) -> Vec<String> {
    let orders = hand.get("orders").and_then(Value::as_object);
    let mut lines = Vec::new();
    for (name, all) in orders.into_iter().flatten() {
        let all = (1..).zip(all.as_array().into_iter().flatten());
        let read = all.filter_map(|(n, value)| Some((n, json::read_value::<Order>(value).ok()?)));
        lines.extend(
            read.map(|(n, order): (u64, Order)| format!("orders for attack {n} on {name}: {}", ordered(&order))),
        );
    }
    let units = hand.get("units").and_then(Value::as_array).into_iter().flatten();
    let there = units.filter(|unit| unit.get("gone") == Some(&Value::Bool(false)));
    let names = there.filter_map(|unit| unit.get("name")?.as_str());
    let without: Vec<&str> = names.filter(|name| orders.is_none_or(|orders| !orders.contains_key(*name))).collect();
    if !without.is_empty() && (letters == Letters::Standing || !lines.is_empty()) {
        lines.push(format!("units without orders (no fire, no EW attacks, no retreat): {}", without.join(", ")));
    }
    lines
}

/// Describes an order.
fn ordered(order: &Order) -> String {
    let Order { chemical, commander, control_loss, ew_attacks, ew_superiority, fpf, retreat, subordinates, terrain } =
        order;
    let mut line = format!(
        "final protective fire {}{}, {}, ",
        fpf.0,
        chemicals(*chemical),
        electronic(ew_attacks.0, ew_superiority.0)
    );
    match retreat.is_empty() {
        true => line.push_str("stays (no retreat ordered)"),
        false => line.push_str(&format!("goes back along {}", list(retreat))),
    }
    if let Some(Commander { unit, with }) = commander {
        let with = if *with == With::Hq { "an hq" } else { "the unit" };
        line.push_str(&format!(", {unit}'s Command with {with}"));
    }
    for (what, names) in [("subordinates", subordinates), ("terrain", terrain)] {
        if !names.is_empty() {
            line.push_str(&format!(", {what} {}", list(names)));
        }
    }
    if *control_loss {
        line.push_str(", control loss");
    }
    line
}

impl Combat {
    /// The target of the combat.
    const fn target(&self) -> super::hexes::Hex {
        match self {
            Self::Attack(attack) => attack.target,
            Self::CounterBattery(fire) => fire.target,
        }
    }
}
