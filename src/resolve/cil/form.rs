//! Texts that people read and fill in: a state in one line, and orders or a new battle as TOML.

use std::fmt::Write;

use super::{
    course::Cil,
    forces::{Force, Kind, Season, Unit},
    orders::{Note, Orders},
    place::{Location, Side},
    settings::Settings,
    state::{Decision, State},
    told,
};
use crate::{
    blob::{
        body::Role,
        json::{self, Text, Value},
    },
    error::Result,
    limits::{CIL_STRENGTH, CIL_VALUE},
    resolve::{Forms, Object, PositionTable, forms::one_of, object},
};

/// Describes a side in a few words.
fn side(state: &State, side: Side) -> String {
    let living: Vec<&Unit> = state.units.of(side).iter().filter(|unit| unit.lives()).collect();
    let strength: u64 = living.iter().map(|unit| unit.strength).sum();
    let fell: Vec<&str> = state.overrun.of(side).iter().map(|at| at.name()).collect();
    let fell = if fell.is_empty() { String::new() } else { format!(", OVERRUN {}", fell.join(" and ")) };
    format!("{} (units: {}, strength: {strength}{fell})", state.role(side), living.len())
}

/// Describes a state in one line.
fn tell(state: &State) -> String {
    let State { battle, day, engagements, round, season, .. } = state;
    let asked = match state.pending.as_ref().map(|pending| pending.awaits) {
        None => "",
        Some(Decision::Night) => "; the day is over",
        Some(Decision::Battle | Decision::Agree) => "; the battle is over",
    };
    format!(
        "battle {battle}, day {day} ({}), rounds fought: {round}, engagements used: {engagements} of {}; \
         {} attacks {}{asked}",
        season.name(),
        season.engagements(),
        side(state, Side::Attacker),
        side(state, Side::Defender)
    )
}

/// Lists the living units of a side, by location.
fn units(state: &State, side: Side) -> PositionTable {
    let mut living: Vec<&Unit> = state.units.of(side).iter().filter(|unit| unit.lives()).collect();
    living.sort_by_key(|unit| Location::ALL.into_iter().position(|at| at == unit.at));
    let row = |unit: &&Unit| {
        let Unit { at, attack, defense, effectiveness, id, kind, strength } = unit;
        let numbers = [attack, defense, strength, effectiveness].map(u64::to_string);
        [at.to_string(), id.to_string(), kind.as_str().to_owned()].into_iter().chain(numbers).collect()
    };
    let part = match side {
        Side::Attacker => "attacks",
        Side::Defender => "defends",
    };
    PositionTable {
        title: format!("{} {part}", state.role(side)),
        columns: &["location", "unit", "kind", "attack", "defense", "strength", "Effectiveness"],
        rows: living.iter().map(row).collect(),
    }
}

/// Says what units at a location may do: in words, and as the allowed entries of their lines.
fn legal(settings: &Settings, state: &State, side: Side, at: Location) -> (String, String) {
    let fell = state.overrun.of(side.other());
    let targets = Location::ALL.into_iter().filter(|to| at.may_target(*to, settings.facing, fell));
    let targets: Vec<Location> = targets.collect();
    let fights = at != Location::Reserve && !targets.is_empty();
    // A unit can only move into or out of the reserve (6).
    let moves =
        |to: &Location| (at == Location::Reserve) != (*to == Location::Reserve) && !state.overrun.of(side).contains(to);
    let may = match (at, fights) {
        (Location::Reserve, _) => "may hold or move".into(),
        (_, false) => "has no location to attack".into(),
        (_, true) => format!("may attack {}", targets.iter().map(|to| to.name()).collect::<Vec<_>>().join(", ")),
    };
    let words = [
        ("hold", true),
        ("attack", fights),
        ("assault", fights && state.engagements_left() >= settings.assault_cost),
        ("probe", fights),
        ("move", Location::ALL.iter().any(moves)),
        ("dig-in", at != Location::Reserve),
    ];
    let to = Location::ALL.into_iter().filter(|to| fights && targets.contains(to) || moves(to));
    let entries = format!(
        "#   order: {}\n#   at: {}; the enemy location to attack, or your own location to move to; dig-in and hold need none\n",
        one_of(words.into_iter().filter(|(_, may)| *may).map(|(word, _)| word)),
        one_of(to.map(Location::name))
    );
    (may, entries)
}

/// The form for orders.
fn orders(settings: &Settings, state: &State, side: Side) -> String {
    let State { battle, day, round, season, engagements, .. } = state;
    let other = side.other();
    let mut out = format!(
        "# {}'s orders for round {} of battle {battle}, day {day} ({}, engagements used: {engagements} of {}).\n\
         ## order: attack, assault or probe (at = one of {}'s locations), move (at = one of yours), dig-in or hold.\n\
         # attack fires at a location. assault does, and again in an Assault Combat Phase, which can overrun it; it takes {} engagements.\n\
         # probe fires, but every other hit by it or on it has no effect. dig-in fires only back, with 1 less, and absorbs with 1 more.\n\
         # hold and move do not fire. Effectiveness: attack -5, assault -5 and -7, probe -3, move -5, hold +3 if nobody fires there.\n\
         ## A unit without a line holds.\n",
        state.role(side),
        round + 1,
        season.name(),
        season.engagements(),
        state.role(other),
        settings.assault_cost
    );
    let assaults = state.engagements_left() >= settings.assault_cost;
    if !assaults {
        out.push_str("# Assaults are not possible: too few engagements are left on this day.\n");
    }
    out.push_str(&they_have(state, other));
    out.push_str("\n[orders]\n");
    for at in Location::ALL {
        let here: Vec<&Unit> = state.units.of(side).iter().filter(|unit| unit.lives() && unit.at == at).collect();
        let (may, entries) = legal(settings, state, side, at);
        if !here.is_empty() {
            out.push_str(&entries);
        }
        for Unit { attack, defense, effectiveness, id, kind, strength, .. } in here {
            _ = writeln!(
                out,
                "{id} = {{ order = \"hold\" }}    # {}, at {at}, attack {attack}, defense {defense}, strength {strength}, Effectiveness {effectiveness}; {may}",
                kind.as_str()
            );
        }
    }
    if !assaults {
        return out;
    }
    let entries: Vec<String> = Location::ALL.into_iter().map(excess).collect();
    _ = write!(
        out,
        "\n# Where excess hits go when an assault empties one of {}'s locations. If you leave it out, they are lost.\n\
         [excess]\n{}\n",
        state.role(other),
        entries.join("\n")
    );
    out
}

/// Lists the units of the other side, by location.
fn they_have(state: &State, side: Side) -> String {
    let mut out = format!("#\n# {} has:\n", state.role(side));
    for at in Location::ALL {
        let here = state.units.of(side).iter().filter(|unit| unit.lives() && unit.at == at);
        let here: Vec<String> =
            here.map(|unit| format!("{} ({}, strength {})", unit.id, unit.kind.as_str(), unit.strength)).collect();
        if !here.is_empty() {
            _ = writeln!(out, "#   {at} - {}", here.join(", "));
        }
    }
    out
}

/// Returns the line that says where excess hits on a location go.
fn excess(at: Location) -> String {
    let to: Vec<&str> = Location::ALL.into_iter().filter(|to| to.is_adjacent(at)).map(Location::name).collect();
    let first = to.first().copied().unwrap_or("none");
    format!("# {at} = \"{first}\"    # where excess hits on {at} go, {}", one_of(to))
}

/// The form for a new battle.
fn battle(settings: &Settings, state: &State) -> String {
    let kinds = settings.table.as_ref().map(|table| table.kinds.iter().map(Kind::as_str));
    let mut out = format!(
        "# The next battle. Your opponent must agree to it.\n\
         attacker = \"{}\"    # {}\nseason = \"{}\"    # {}\n\n# The units of both sides. If the sides change places, exchange the two lists.\n\
         # The order of the units counts.\n[forces]\n\
         #   kind: {}\n#   attack: 0 to {CIL_VALUE}\n#   defense: 0 to {CIL_VALUE}\n#   strength: 1 to {CIL_STRENGTH}\n\
         #   effectiveness: 0 to 100\n#   at: {}\n",
        state.attacker,
        one_of([state.attacker.as_str(), state.defender.as_str()]),
        state.season.name(),
        one_of(Season::ALL.map(Season::name)),
        kinds.map_or_else(|| "a word in lowercase".into(), one_of),
        one_of(Location::ALL.map(Location::name))
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

impl Forms for Cil {
    fn about(&self, setting: &str) -> Option<String> {
        let about = match setting {
            "assault_cost" => "how many engagements an assault takes",
            "attacker" => "who attacks in the first battle",
            "chain" => "whether, if the next location falls too, the remaining hits carry over once more",
            "defender" => "who defends in the first battle",
            "effectiveness" => "losses of Effectiveness are in points, or relative: in percent of what is left",
            "facing" => "which locations may be fired at: any, the mirrored one, or the same one",
            "mixed" => "whether kinds of units decide which of them are struck: off, or by the table",
            "overrun" => "which emptied locations an assault makes OVERRUN: any, or only the targeted ones",
            "probe" => {
                "how losses from probes are halved: every second hit does nothing (alternate), or half of the hits do not count"
            }
            "recover_pct" => "percent of the casualties that return when a battle ends",
            "scale_values" => "whether Attack and Defense are multiplied by Effectiveness",
            "season" => "the season of the first battle",
            "spill_absorbs" => "whether hits that carry over to other units may be absorbed by them",
            _ => return None,
        };
        Some(about.into())
    }

    fn tell(&self, state: &Object) -> Result<String> {
        Ok(tell(&State::read(&self.settings, state)?))
    }

    fn position(&self, state: &Object) -> Result<Vec<PositionTable>> {
        let state = State::read(&self.settings, state)?;
        Ok(Side::BOTH.map(|side| units(&state, side)).into())
    }

    fn form(&self, _: &Object, _: Option<&Text>) -> Result<String> {
        Ok("# A round has nothing to fill in: it follows from the orders of both players.\n".into())
    }

    fn orders_form(&self, state: &Object, by: &Role) -> Result<String> {
        let state = State::read(&self.settings, state)?;
        let side = state.side(by)?;
        Ok(orders(&self.settings, &state, side))
    }

    fn orders_in_words(&self, state: &Object, by: &Role, orders: &Object) -> Result<Vec<String>> {
        let state = State::read(&self.settings, state)?;
        let side = state.side(by)?;
        Ok(told::orders(&self.settings, &state, side, &Note::written(orders)?))
    }

    fn opened_orders(&self, orders: &Object) -> Option<Vec<String>> {
        Note::sealed(orders).map(|note| note.in_words())
    }

    fn proposal(&self, state: &Object) -> Result<Vec<String>> {
        Ok(told::proposal(&State::read(&self.settings, state)?))
    }

    fn decision_in_words(&self, name: &str, value: &Value) -> Option<Vec<String>> {
        if name != Decision::Battle.name() {
            return None;
        }
        Some(told::decided(&json::read_value(value).ok()?))
    }

    fn choice_form(&self, state: &Object) -> Result<Option<String>> {
        let state = State::read(&self.settings, state)?;
        let is_over = state.pending.as_ref().is_some_and(|pending| pending.awaits == Decision::Battle);
        Ok(is_over.then(|| battle(&self.settings, &state)))
    }

    fn read_choice(&self, _: &Object, name: &str, typed: &str) -> Result<Value> {
        Ok(match (name, typed.trim()) {
            ("agree", "true" | "yes") => Value::Bool(true),
            ("agree", "false" | "no") => Value::Bool(false),
            (_, typed) => typed.into(),
        })
    }

    fn read_orders(&self, state: &Object, by: &Role, written: &Object) -> Result<Object> {
        let state = State::read(&self.settings, state)?;
        state.between_rounds()?;
        let side = state.side(by)?;
        let note = Note::written(written)?;
        Orders::of(&self.settings, &state, side, Some(&note)).check(&note)?;
        object(&note)
    }
}
