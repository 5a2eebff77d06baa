//! What a turn states, and what a standing note wishes for, as files to fill in (`protocol/event-tables.md` 14, 17).

use super::{
    course::EventTables,
    game::Game,
    input::Declared,
    situation::{Situation, name_of},
    state::State,
    tables::{Form, Kind},
    words::Type,
    written::{By, Fact},
};
use crate::{
    blob::json::{Map, Text, Value},
    error::Result,
    resolve::{Forms, Object},
};

/// What stands in a form for the name of somebody.
pub const WHO: &str = "WHO";

/// A value of a type, to be changed.
fn example(values: &Type) -> String {
    match values {
        Type::Bool => "false".into(),
        Type::Number { low, .. } => low.to_string(),
        Type::Words(words) => format!("{:?}", words.first().map_or("", String::as_str)),
    }
}

/// The file for the side that rolls next; where it has rolled before, with what it stated then, as far as the letters
/// have not changed it.
fn of(game: &Game, state: &State, before: Option<Situation>) -> String {
    if state.pending.is_some() {
        return "# One more roll for what is declared already: it states nothing. Declare it with --no-moves, and without a file.\n"
            .into();
    }
    let side = state.next(game).0.to_owned();
    let before = before.unwrap_or_default();
    let mut state = state.clone();
    state.go_on(game, &before);
    let tables = &game.tables;
    let mut form = format!("# What {side} states before it rolls.\n[facts]\n");
    for (name, fact) in tables.facts.iter().filter(|(_, fact)| fact.side.as_ref().is_none_or(|of| *of == side)) {
        let about = fact.about.as_ref().map(|about| format!(": {about}")).unwrap_or_default();
        let value = fact_before(&state, &side, fact, before.facts.get(name));
        form.push_str(&format!("{name} = {value}    # {}{about}\n", fact.values.tell()));
    }
    form.push_str("\n# What you have in play, in the order of your roster.\n");
    let known = |kind: &String| before.roster.get(kind).filter(|entries| !entries.is_empty());
    if tables.kinds.keys().any(|kind| known(kind).is_some()) {
        form.push_str("# As you stated it last, and as the letters have changed it since: correct it.\n[roster]\n");
    }
    for (name, kind) in &tables.kinds {
        if let Some(entries) = known(name) {
            let about =
                kind.attributes.iter().map(|(attribute, values)| format!("#   {attribute}: {}\n", values.tell()));
            form.push_str(&format!("{}{name} = [\n", about.collect::<String>()));
            entries.iter().for_each(|entry| form.push_str(&line(&state, &side, name, kind, entry)));
            form.push_str("]\n\n");
        }
    }
    for (name, kind) in tables.kinds.iter().filter(|(name, _)| known(name).is_none()) {
        form.push_str(&format!("# A block for each:\n# [[roster.{name}]]\n# name = \"{WHO}\"\n"));
        for (attribute, values) in &kind.attributes {
            form.push_str(&format!("# {attribute} = {}    # {}\n", example(values), values.tell()));
        }
        form.push('\n');
    }
    form
}

/// What a side stated of a fact, or what the letters have established since.
fn fact_before(state: &State, side: &str, fact: &Fact, before: Option<&Value>) -> String {
    let least = fact.at_least.as_ref().map(|mark| state.mark(side, mark).min(fact.values.highest()));
    match (before, least) {
        (Some(Value::Number(number)), Some(least)) => number.as_u64().unwrap_or_default().max(least).to_string(),
        (Some(value), _) => value.to_string(),
        (None, Some(least)) if least > 0 => least.to_string(),
        (None, _) => example(&fact.values),
    }
}

/// An entry as it was stated, and as the letters have changed it since; a comment if they have taken it away.
fn line(state: &State, side: &str, kind: &str, of: &Kind, entry: &Map<String, Value>) -> String {
    let name = name_of(entry);
    let established = state.entry(side, kind, name);
    let marks = || established.into_iter().flat_map(Map::keys);
    if let Some(gone) = marks().find(|mark| matches!(of.implies.get(*mark), Some(None))) {
        return format!("  # {name} is {gone}\n");
    }
    let fields = of.attributes.keys().filter(|attribute| *attribute != "name").filter_map(|attribute| {
        let value = established.and_then(|of| of.get(attribute)).or_else(|| entry.get(attribute))?;
        Some(format!(", {attribute} = {value}"))
    });
    let implied = marks().filter(|mark| matches!(of.implies.get(*mark), Some(Some(_))));
    let implied: Vec<&str> = implied.map(String::as_str).collect();
    let mind = if implied.is_empty() { String::new() } else { format!("    # {name} is {}", implied.join(", ")) };
    format!("  {{ name = {}{} }},{mind}\n", Value::from(name), fields.collect::<String>())
}

/// A standing note to fill in: what may be asked of a player while they roll themselves, and while the other one does.
fn standing(game: &Game) -> String {
    let mut form = "# What you wish for, by decision: of a list the first that are allowed count. Take the # off what you fill in; \
                    for all else you are asked.\n# The note stays sealed until you are asked, and binds you then.\n"
        .to_owned();
    for (by, when) in [(By::Enemy, "the other one rolls"), (By::Owner, "you roll")] {
        let asks = game.tables.asks.iter().filter(|(_, ask)| ask.by == by);
        let lines: String = asks.filter_map(|(name, ask)| wish(name, &ask.form)).collect();
        if !lines.is_empty() {
            form.push_str(&format!("\n# While {when}:\n{lines}"));
        }
    }
    form
}

/// A wish, commented out; none if a note cannot make the decision.
fn wish(name: &str, form: &Form) -> Option<String> {
    Some(match form {
        Form::Name | Form::Names => format!("# {name} = [\"{WHO}\", \"{WHO}\"]\n"),
        Form::Word(values) => {
            let Type::Words(words) = values else { return None };
            format!("# {name} = {}    # {}\n", example(values), words.join(" or "))
        }
        Form::Lines => return None,
    })
}

impl Forms for EventTables {
    fn tell(&self, state: &Object) -> Result<String> {
        let state = State::read(&self.game, state)?;
        let Some(side) = &state.side else {
            return Ok(format!("{}: nothing has happened yet", self.game.tables.title));
        };
        let open = if state.pending.is_some() { ", not settled yet" } else { "" };
        let own = |side: &String| {
            let marks = state.marks.get(side).into_iter().flatten().map(|(mark, n)| format!("{mark} {n}"));
            let used = state.used.iter().filter_map(|(event, counts)| Some(format!("{event} {}", counts.get(side)?)));
            let all: Vec<String> = marks.chain(used).collect();
            if all.is_empty() { String::new() } else { format!("; {side}: {}", all.join(", ")) }
        };
        let sides: String = self.game.tables.sides.iter().map(own).collect();
        let entries = state.entries.iter().map(|(entry, fields)| {
            let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name} {value}")).collect();
            format!("; {entry}: {}", fields.join(", "))
        });
        Ok(format!("turn {} of {side}{open}{sides}{}", state.turn, entries.collect::<String>()))
    }

    fn form(&self, state: &Object, before: Option<&Text>) -> Result<String> {
        let before = before.and_then(|input| Declared::read(&self.game, input).ok());
        let state = State::read(&self.game, state)?;
        Ok(of(&self.game, &state, before.map(|before| before.situation)))
    }

    fn standing_form(&self) -> Option<String> {
        Some(standing(&self.game))
    }

    fn read_choice(&self, state: &Object, name: &str, typed: &str) -> Result<Value> {
        self.waits(state)?.map_or_else(|| Ok(typed.into()), |turn| turn.typed(name, typed))
    }

    fn choices(&self, state: &Object) -> Result<Option<String>> {
        Ok(self.waits(state)?.and_then(|turn| turn.choices()))
    }
}
