//! Forms to fill in: the input of a turn, and a standing note (`protocol/event-tables.md` 14, 17).

use super::{
    course::EventTables,
    game::Game,
    input::Declared,
    situation::{Situation, name_of},
    state::State,
    tables::{Ask, Form, Kind},
    words::Type,
    written::{By, Fact},
};
use crate::{
    blob::json::{Map, Text, Value},
    error::Result,
    resolve::{Forms, Object, forms::one_of},
};

/// Placeholder for a name in a form.
pub const WHO: &str = "WHO";

/// Returns an example value of a type, to be changed.
fn example(values: &Type) -> String {
    match values {
        Type::Bool => "false".into(),
        Type::Number { low, .. } => low.to_string(),
        Type::Words(words) => format!("{:?}", words.first().map_or("", String::as_str)),
    }
}

/// Says which values of a type are allowed, and what they are about.
fn legal(values: &Type, about: Option<&String>) -> String {
    match (values, about) {
        (Type::Words(words), None) => one_of(words.iter().map(String::as_str)),
        (Type::Words(words), Some(about)) => format!("{}; {about}", one_of(words.iter().map(String::as_str))),
        (_, None) => values.tell(),
        (_, Some(about)) => format!("{}: {about}", values.tell()),
    }
}

/// Returns the form for the side that rolls next. If that side has rolled before, the form has its last statements,
/// updated by later letters.
fn of(game: &Game, state: &State, before: Option<Situation>) -> String {
    if state.pending.is_some() {
        return "# One more roll for your last declaration: it states nothing. Declare it with --no-moves \
                and without a file.\n"
            .into();
    }
    let side = state.next(game).0.to_owned();
    let before = before.unwrap_or_default();
    let mut state = state.clone();
    state.go_on(game, &before);
    let tables = &game.tables;
    let mut form = format!("# What {side} states before it rolls.\n[facts]\n");
    for (name, fact) in tables.facts.iter().filter(|(_, fact)| fact.side.as_ref().is_none_or(|of| *of == side)) {
        let value = fact_before(&state, &side, fact, before.facts.get(name));
        form.push_str(&format!("{name} = {value}    # {}\n", legal(&fact.values, fact.about.as_ref())));
    }
    form.push_str("\n# What you have in play, in the order of your roster.\n");
    let known = |kind: &String| before.roster.get(kind).filter(|entries| !entries.is_empty());
    if tables.kinds.keys().any(|kind| known(kind).is_some()) {
        form.push_str("# Your last roster, with the changes from letters since then: correct it.\n[roster]\n");
    }
    for (name, kind) in &tables.kinds {
        if let Some(entries) = known(name) {
            let about =
                kind.attributes.iter().map(|(attribute, of)| format!("#   {attribute}: {}\n", legal(&of.values, of.about.as_ref())));
            form.push_str(&format!("{}{name} = [\n", about.collect::<String>()));
            entries.iter().for_each(|entry| form.push_str(&line(&state, &side, name, kind, entry)));
            form.push_str("]\n\n");
        }
    }
    for (name, kind) in tables.kinds.iter().filter(|(name, _)| known(name).is_none()) {
        form.push_str(&format!("## One block for each:\n# [[roster.{name}]]\n# name = \"{WHO}\"\n"));
        for (attribute, of) in &kind.attributes {
            let legal = legal(&of.values, of.about.as_ref());
            form.push_str(&format!("# {attribute} = {}    # {legal}\n", example(&of.values)));
        }
        form.push('\n');
    }
    form
}

/// Returns the value of a fact that a side last stated, or that letters have established since.
fn fact_before(state: &State, side: &str, fact: &Fact, before: Option<&Value>) -> String {
    let least = fact.at_least.as_ref().map(|mark| state.mark(side, mark).min(fact.values.highest()));
    match (before, least) {
        (Some(Value::Number(number)), Some(least)) => number.as_u64().unwrap_or_default().max(least).to_string(),
        (Some(value), _) => value.to_string(),
        (None, Some(least)) if least > 0 => least.to_string(),
        (None, _) => example(&fact.values),
    }
}

/// Returns an entry as stated, updated by later letters; a comment if it is gone.
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

/// Returns the form for a standing note: decisions that a player may face in either player's turn.
fn standing(game: &Game) -> String {
    let mut form = "# Your choices, a line for each decision. In a list, the first names that are allowed count.\n\
                    # You are asked for the rest. The note stays sealed until you are asked, and then binds you.\n\
                    ## Remove the # from what you fill in.\n"
        .to_owned();
    for (by, when) in [(By::Enemy, "your opponent rolls"), (By::Owner, "you roll")] {
        let asks = game.tables.asks.iter().filter(|(_, ask)| ask.by == by);
        let lines: String = asks.filter_map(|(name, ask)| wish(name, ask)).collect();
        if !lines.is_empty() {
            form.push_str(&format!("\n# While {when}:\n{lines}"));
        }
    }
    form
}

/// Returns a wish, commented out, or `None` if a note cannot make the decision.
fn wish(name: &str, ask: &Ask) -> Option<String> {
    let about = ask.about.as_ref();
    Some(match &ask.form {
        Form::Name | Form::Names => {
            let about = about.map(|about| format!("    # {about}")).unwrap_or_default();
            format!("# {name} = [\"{WHO}\", \"{WHO}\"]{about}\n")
        }
        Form::Word(values) => format!("# {name} = {}    # {}\n", example(values), legal(values, about)),
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
}
