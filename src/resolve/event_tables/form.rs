//! Forms to fill in: the input of a turn, and a standing note (`protocol/event-tables.md` 14, 17).

use super::{
    course::EventTables,
    game::Game,
    input::Declared,
    situation::{Situation, name_of},
    state::State,
    tables::{Ask, Form, Kind},
    words::Type,
    written::{Attribute, By, Fact},
};
use crate::{
    blob::{
        body::Role,
        json::{Map, Text, Value},
    },
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
    let mut form = format!("# What you state about your side, {side}, before you roll.\n[facts]\n");
    for (name, fact) in tables.facts.iter().filter(|(_, fact)| fact.side.as_ref().is_none_or(|of| *of == side)) {
        let value = fact_before(&state, &side, fact, before.facts.get(name));
        form.push_str(&format!("{name} = {value}    # {}\n", legal(&fact.values, fact.about.as_ref())));
    }
    form.push_str("\n## What you have in play, in the order of your roster.\n");
    let known = |kind: &String| before.roster.get(kind).filter(|entries| !entries.is_empty());
    if tables.kinds.keys().any(|kind| known(kind).is_some()) {
        form.push_str("# Your last roster, with the changes from letters since then: correct it.\n[roster]\n");
    }
    for (name, kind) in &tables.kinds {
        if let Some(entries) = known(name) {
            let keys = ordered(kind).into_iter().map(|(attribute, of)| format!("#   {attribute}: {}\n", told(of)));
            form.push_str(&format!("{}{}{name} = [\n", about(name, kind), keys.collect::<String>()));
            entries.iter().for_each(|entry| form.push_str(&line(&state, &side, name, kind, entry)));
            form.push_str("]\n\n");
        }
    }
    for (name, kind) in tables.kinds.iter().filter(|(name, _)| known(name).is_none()) {
        let about = about(name, kind);
        form.push_str(&format!("## One block for each:\n{about}# [[roster.{name}]]\n# name = \"{WHO}\"\n"));
        for (attribute, of) in ordered(kind) {
            form.push_str(&format!("# {attribute} = {}    # {}\n", example(&of.values), told(of)));
        }
        form.push('\n');
    }
    form
}

/// Returns what is said about an attribute.
fn told(of: &Attribute) -> String {
    legal(&of.values, of.about.as_ref())
}

/// Returns the comment on a kind. Behind its name no text is a part that could be filled in.
fn about(name: &str, kind: &Kind) -> String {
    kind.about.as_ref().map(|about| format!("# {name}: {about}\n")).unwrap_or_default()
}

/// Returns the attributes of a kind as people think of them: words first, then numbers, then what is true or false.
fn ordered(kind: &Kind) -> Vec<(&String, &Attribute)> {
    let mut all: Vec<(&String, &Attribute)> = kind.attributes.iter().collect();
    all.sort_by_key(|(_, of)| match of.values {
        Type::Words(_) => 0,
        Type::Number { .. } => 1,
        Type::Bool => 2,
    });
    all
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
    let fields = ordered(of).into_iter().filter_map(|(attribute, _)| {
        let value = established.and_then(|of| of.get(attribute)).or_else(|| entry.get(attribute))?;
        Some(format!(", {attribute} = {value}"))
    });
    let implied = marks().filter(|mark| matches!(of.implies.get(*mark), Some(Some(_))));
    let implied: Vec<&str> = implied.map(String::as_str).collect();
    let mind = if implied.is_empty() { String::new() } else { format!("    # {name} is {}", implied.join(", ")) };
    format!("  {{ name = {}{} }},{mind}\n", Value::from(name), fields.collect::<String>())
}

/// Returns the form for a standing note of a side: the decisions that it may face in a turn of the side that rolls, or
/// of either side if that is not known.
fn standing(game: &Game, side: &str, rolls: Option<&str>) -> Option<String> {
    let mut form = "# Your choices, a line for each decision. In a list, the first names that are allowed count.\n\
                    # You are asked for the rest. The note stays sealed until you are asked, and then binds you.\n\
                    ## Remove the # from what you fill in.\n"
        .to_owned();
    let mut is_empty = true;
    for (by, when) in [(By::Enemy, "your opponent rolls"), (By::Owner, "you roll")] {
        let of = if by == By::Owner { side } else { game.tables.other(side) };
        let reached = game.tables.reached_by(of);
        let is_asked = |ask: &Ask| rolls.is_none_or(|rolls| rolls == of) && reached.contains(ask.event.as_str());
        let asks = game.tables.asks.iter().filter(|(_, ask)| ask.by == by && is_asked(ask));
        let lines: String = asks.filter_map(|(name, ask)| wish(name, ask)).collect();
        if !lines.is_empty() {
            is_empty = false;
            form.push_str(&format!("\n# While {when}:\n\n{lines}"));
        }
    }
    (!is_empty).then_some(form)
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

/// Writes an established value for people: without quotation marks and brackets.
fn in_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(in_words).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

impl Forms for EventTables {
    fn about(&self, setting: &str) -> Option<String> {
        match setting {
            "first" => Some("the side whose player turn comes first".into()),
            "sides" => Some("who plays which side".into()),
            other => self.game.tables.settings.get(other)?.about.clone(),
        }
    }

    fn tell(&self, state: &Object) -> Result<String> {
        let state = State::read(&self.game, state)?;
        let Some(side) = &state.side else {
            let [one, two] = &self.game.tables.sides;
            let (by_one, by_two) = (self.game.role(one), self.game.role(two));
            let title = &self.game.tables.title;
            return Ok(format!("{title}: {by_one} plays {one} and {by_two} plays {two}; nothing has happened yet"));
        };
        let open = if state.pending.is_some() { ", not settled yet" } else { "" };
        let words = |name: &str| name.replace(['_', '-'], " ");
        let own = |side: &String| {
            let marks = state.marks.get(side).into_iter().flatten().map(|(mark, n)| format!("{} {n}", words(mark)));
            let used =
                state.used.iter().filter_map(|(event, counts)| Some(format!("{} {}", words(event), counts.get(side)?)));
            let all: Vec<String> = marks.chain(used).collect();
            if all.is_empty() { String::new() } else { format!("; {side}: {}", all.join(", ")) }
        };
        let sides: String = self.game.tables.sides.iter().map(own).collect();
        let entries = state.entries.iter().map(|(entry, fields)| {
            let fields: Vec<String> =
                fields.iter().map(|(name, value)| format!("{} {}", words(name), in_words(value))).collect();
            format!("; {}: {}", entry.split('/').skip(1).collect::<Vec<_>>().join(" "), fields.join(", "))
        });
        let by = self.game.role(side);
        Ok(format!("turn {} of {side} ({by}){open}{sides}{}", state.turn, entries.collect::<String>()))
    }

    fn form(&self, state: &Object, before: Option<&Text>) -> Result<String> {
        let before = before.and_then(|input| Declared::read(&self.game, input).ok());
        let state = State::read(&self.game, state)?;
        Ok(of(&self.game, &state, before.map(|before| before.situation)))
    }

    fn takes_standing_notes(&self) -> bool {
        true
    }

    fn standing_form(&self, by: &Role, declarer: Option<&Role>) -> Option<String> {
        let side = |of: &Role| self.game.tables.sides.iter().find(|side| self.game.role(side) == *of);
        standing(&self.game, side(by)?, declarer.and_then(side).map(String::as_str))
    }

    fn read_choice(&self, state: &Object, name: &str, typed: &str) -> Result<Value> {
        self.waits(state)?.map_or_else(|| Ok(typed.into()), |turn| turn.typed(name, typed))
    }
}
