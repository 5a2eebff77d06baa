//! What people read and fill in: a state in a line, orders and a new battle as TOML.

use std::fmt::Write;

use super::{
    course::Cil,
    forces::{Force, Unit},
    orders::{Note, Orders},
    place::{Location, Side},
    settings::{Settings, refuse},
    state::{Decision, State},
};
use crate::{
    blob::{
        body::Role,
        json::{Text, Value},
    },
    error::Result,
    resolve::{Forms, Object, object},
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
fn tell(state: &State) -> String {
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

/// Orders to fill in.
fn orders(settings: &Settings, state: &State, side: Side) -> String {
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
fn battle(state: &State) -> String {
    let mut out = format!(
        "# The next battle: the other player is asked to agree.\nattacker = \"{}\"\nseason = \"{}\"    # spring, summer, fall or winter\n\
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

impl Forms for Cil {
    fn tell(&self, state: &Object) -> Result<String> {
        Ok(tell(&State::read(&self.settings, state)?))
    }

    fn form(&self, _: &Object, _: Option<&Text>) -> Result<String> {
        Ok("# A round states nothing; what counts are the orders of both.\n".into())
    }

    fn orders_form(&self, state: &Object, by: &Role) -> Result<String> {
        let state = State::read(&self.settings, state)?;
        let side = state.side(by).ok_or_else(|| refuse(5, format_args!("{by} has no side")))?;
        Ok(orders(&self.settings, &state, side))
    }

    fn choice_form(&self, state: &Object) -> Result<Option<String>> {
        let state = State::read(&self.settings, state)?;
        let is_over = state.pending.as_ref().is_some_and(|pending| pending.awaits == Decision::Battle);
        Ok(is_over.then(|| battle(&state)))
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
        let side = state.side(by).ok_or_else(|| refuse(5, format_args!("{by} has no side")))?;
        let note = Note::written(written)?;
        Orders::of(&self.settings, &state, side, Some(&note)).check()?;
        object(&note)
    }
}
