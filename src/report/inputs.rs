//! The statements of a declaration or a decision in words, for signers and opponents who do not read JSON.

use crate::{
    blob::json::{Map, Text, Value},
    report::text::{count, cut, visible},
};

/// The maximum number of items of a list that are written out; any others are only counted.
const MOST: usize = 12;

/// The maximum number of characters shown of one text.
const LONG: usize = 80;

/// Describes an input of a course, part by part, in text that is safe to show. Empty if the input states nothing.
///
/// # Examples
///
/// ```
/// use sealed_dice::{blob::json::{self, Text}, report::inputs};
///
/// let input = Text::of(&json::parse(br#"{"markers":["Flak"],"order":"first"}"#)?)?;
/// assert_eq!(inputs::stated(&input), ["markers Flak", "order first"]);
/// # Ok::<(), sealed_dice::error::Error>(())
/// ```
#[must_use]
pub fn stated(input: &Text) -> Vec<String> {
    let Ok(input) = input.read::<Map<String, Value>>() else { return Vec::new() };
    let first = ["markers", "pop", "order"];
    let known = first.iter().filter_map(|name| Some((*name, input.get(*name)?)));
    let others = input.iter().map(|(name, value)| (name.as_str(), value)).filter(|(name, _)| !first.contains(name));
    let mut parts: Vec<String> = known.chain(others).flat_map(|(name, value)| part(name, value)).collect();
    let empty = |roster: &Value| roster.as_object().is_some_and(|kinds| kinds.values().all(is_nothing));
    if !parts.is_empty() && input.get("roster").is_some_and(empty) {
        parts.push("the roster is empty".into());
    }
    parts
}

/// Writes a value for people, as text that is safe to show.
///
/// # Examples
///
/// ```
/// use sealed_dice::{blob::json::Value, report::inputs};
///
/// assert_eq!(inputs::value(&Value::from(vec!["first", "second"])), "first, second");
/// assert_eq!(inputs::value(&Value::from("a\u{202e}b")), "a<U+202E>b");
/// ```
#[must_use]
pub fn value(of: &Value) -> String {
    match of {
        Value::String(text) => {
            let (head, more) = cut(text, LONG);
            if more == 0 { visible(head) } else { format!("{}... ({})", visible(head), count(more, "more character")) }
        }
        Value::Array(lines) if !lines.is_empty() && lines.iter().all(Value::is_array) => {
            let texts = |line: &Value| line.as_array().into_iter().flatten().map(value).collect::<Vec<_>>().join(" > ");
            joined(lines.iter().map(texts).collect(), "; ")
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(named).collect();
            let between = if items.iter().any(|item| item.contains(',')) { "; " } else { ", " };
            joined(items, between)
        }
        Value::Object(fields) => joined(fields_of(fields), ", "),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.into(),
        other => other.to_string(),
    }
}

/// Describes the fields of an object with a line for each of them, and for each entry of a list.
pub(super) fn entries(fields: &Map<String, Value>) -> Vec<String> {
    fields.iter().flat_map(|(name, value)| listed(&words(name), value)).collect()
}

/// Describes a field with a line for each entry of its lists.
pub(super) fn listed(name: &str, of: &Value) -> Vec<String> {
    match of {
        Value::Object(fields) => {
            fields.iter().flat_map(|(inner, of)| listed(&format!("{name}, {}", visible(inner)), of)).collect()
        }
        Value::Array(items) => items.iter().map(|item| format!("{name}: {}", item_of(item))).collect(),
        of => vec![format!("{name}: {}", value(of))],
    }
}

/// Describes an entry of a list, its id first.
fn item_of(item: &Value) -> String {
    let Some((id, fields)) = item.get("id").zip(item.as_object()) else { return value(item) };
    let rest = fields.iter().filter(|(name, _)| *name != "id").map(|(name, of)| (name.clone(), of.clone()));
    format!("{}, {}", value(id), value(&Value::Object(rest.collect())))
}

/// Lists the differences between two inputs, one per line, as the old and the new value. The text is safe to show.
///
/// # Examples
///
/// ```
/// use sealed_dice::{blob::json::{self, Text}, report::inputs};
///
/// let old = Text::of(&json::parse(br#"{"rolls":[{"cell":"A1","why":"K12 2-1"}]}"#)?)?;
/// let new = Text::of(&json::parse(br#"{"rolls":[{"cell":"A1","why":"K12 1-1"}]}"#)?)?;
/// assert_eq!(inputs::changes(&old, &new), ["was K12 2-1", "now K12 1-1"]);
/// # Ok::<(), sealed_dice::error::Error>(())
/// ```
#[must_use]
pub fn changes(old: &Text, new: &Text) -> Vec<String> {
    let (old, new) = (items(old), items(new));
    let lacks = |mut from: Vec<String>, taken: &[String]| {
        for item in taken {
            if let Some(at) = from.iter().position(|other| other == item) {
                from.remove(at);
            }
        }
        from
    };
    let (gone, come) = (lacks(old.clone(), &new), lacks(new.clone(), &old));
    let lines = |head: &str, items: Vec<String>| {
        let more = items.len().saturating_sub(MOST);
        let rest = (more > 0).then(|| format!("{head} and {more} more"));
        items.into_iter().take(MOST).map(|item| format!("{head} {item}")).chain(rest).collect::<Vec<_>>()
    };
    match (gone.is_empty() && come.is_empty(), old == new) {
        (true, true) => vec!["the declaration is unchanged".into()],
        (true, false) => vec!["the same entries in a different order".into()],
        _ => [lines("was", gone), lines("now", come)].concat(),
    }
}

/// Lists every entry of a roster with all its fields that are not `false`, for a player who is about to sign it:
/// words first, then numbers. Entries of which nothing but the name would be told are left out. The text is safe to
/// show.
///
/// # Examples
///
/// ```
/// use sealed_dice::{blob::json::{self, Text}, report::inputs};
///
/// let input = br#"{"roster":{"leader":[{"longstreet":false,"name":"Buford","rating":3},{"name":"Sickles"}]}}"#;
/// let input = Text::of(&json::parse(input)?)?;
/// assert_eq!(inputs::roster(&input), ["leader Buford: rating 3"]);
/// # Ok::<(), sealed_dice::error::Error>(())
/// ```
#[must_use]
pub fn roster(input: &Text) -> Vec<String> {
    let Ok(input) = input.read::<Map<String, Value>>() else { return Vec::new() };
    let kinds = input.get("roster").and_then(Value::as_object).into_iter().flatten();
    let told = kinds.flat_map(|(kind, entries)| {
        let entries = entries.as_array().into_iter().flatten();
        entries.filter_map(|of| entry(kind, of)).collect::<Vec<_>>()
    });
    told.collect()
}

/// Lists choices or orders, one per line, without those that say nothing. The text is safe to show.
///
/// # Examples
///
/// ```
/// use sealed_dice::{blob::json::{self, Map, Value}, report::inputs};
///
/// let orders = br#"{"excess":{},"orders":{"a1":{"at":"main","order":"attack"},"a2":{"at":null,"order":"hold"}}}"#;
/// let orders: Map<String, Value> = json::read(&json::parse(orders)?)?;
/// assert_eq!(inputs::choices(&orders), ["a1: at main, order attack", "a2: order hold"]);
/// # Ok::<(), sealed_dice::error::Error>(())
/// ```
#[must_use]
pub fn choices(says: &Map<String, Value>) -> Vec<String> {
    let told = |(name, of): (&String, &Value)| match of {
        Value::Object(entries) if entries.values().all(Value::is_object) => {
            entries.iter().map(|(entry, of)| format!("{}: {}", visible(entry), said(of))).collect()
        }
        Value::Array(items) if items.iter().all(Value::is_object) => {
            items.iter().map(|item| format!("{}: {}", words(name), said(item))).collect()
        }
        of => vec![format!("{}: {}", words(name), said(of))],
    };
    says.iter().filter(|(_, of)| !is_nothing(of)).flat_map(told).collect()
}

/// Writes a value without the fields that say nothing.
fn said(of: &Value) -> String {
    match of {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(_, of)| !is_nothing(of));
            joined(fields.map(|(name, of)| field(name, of)).collect(), ", ")
        }
        of => value(of),
    }
}

/// Describes an entry of a roster; none if nothing but its name would be told.
fn entry(kind: &str, entry: &Value) -> Option<String> {
    let mut fields: Vec<(&String, &Value)> = entry.as_object()?.iter().filter(|(name, _)| *name != "name").collect();
    fields.retain(|(_, of)| **of != Value::Bool(false));
    fields.sort_by_key(|(_, of)| match of {
        Value::String(_) => 0,
        Value::Bool(_) => 2,
        _ => 1,
    });
    let told: Vec<String> = fields.into_iter().map(|(name, of)| field(name, of)).collect();
    (!told.is_empty()).then(|| format!("{} {}: {}", words(kind), named(entry), joined(told, ", ")))
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// Joins the first items of a list, and adds the number of items left out.
fn joined(items: Vec<String>, between: &str) -> String {
    let more = items.len().saturating_sub(MOST);
    let told: Vec<String> = items.into_iter().take(MOST).collect();
    match (told.is_empty(), more) {
        (true, _) => "none".into(),
        (false, 0) => told.join(between),
        (false, more) => format!("{} and {more} more", told.join(between)),
    }
}

/// Writes an item of a list, by its name if it has one.
fn named(of: &Value) -> String {
    value(of.get("name").unwrap_or(of))
}

fn fields_of(fields: &Map<String, Value>) -> Vec<String> {
    fields.iter().filter(|(_, of)| !of.is_null()).map(|(name, of)| field(name, of)).collect()
}

fn field(name: &str, of: &Value) -> String {
    match of {
        Value::Bool(true) => words(name),
        Value::Bool(false) => format!("not {}", words(name)),
        of => format!("{} {}", words(name), value(of)),
    }
}

/// Describes one part of an input.
fn part(name: &str, of: &Value) -> Vec<String> {
    match (name, of) {
        ("markers", Value::Array(markers)) if markers.is_empty() => vec!["no markers".into()],
        ("pop", Value::Object(pop)) => match (pop.get("at_most").and_then(Value::as_u64), pop.get("from")) {
            (Some(0), _) => vec!["pop nothing".into()],
            (Some(_), Some(from)) if is_nothing(from) => vec!["pop nothing".into()],
            (Some(most), Some(from)) => vec![format!("pop up to {most} of {}", value(from))],
            _ => vec![format!("pop {}", value(of))],
        },
        ("roster", Value::Object(kinds)) => {
            let kinds = kinds.iter().filter(|(_, entries)| !is_nothing(entries));
            kinds.map(|(kind, entries)| format!("{} {}", words(kind), value(entries))).collect()
        }
        (_, nothing) if is_nothing(nothing) => Vec::new(),
        ("facts", Value::Object(facts)) => vec![joined(fields_of(facts), ", ")],
        (name, of) => vec![field(name, of)],
    }
}

/// Writes the name of a field for people.
fn words(name: &str) -> String {
    visible(name).replace('_', " ")
}

/// Lists the items of an input by which two inputs are compared.
fn items(input: &Text) -> Vec<String> {
    let Ok(input) = input.read::<Map<String, Value>>() else { return Vec::new() };
    input.iter().flat_map(|(name, of)| items_of(name, of)).collect()
}

fn items_of(name: &str, of: &Value) -> Vec<String> {
    let text = |item: &Value, field: &str| item.get(field).and_then(Value::as_str).map(visible);
    match (name, of) {
        ("attacks", Value::Array(attacks)) => {
            let attack = |attack: &Value| {
                let hexes = attack.get("hexes").and_then(Value::as_array).into_iter().flatten();
                let hexes: Vec<String> = hexes.filter_map(Value::as_str).map(visible).collect();
                let order = attack.get("order").and_then(Value::as_u64).map(|order| format!("order {order}"));
                let parts = [Some(hexes.join("+")), text(attack, "odds"), order];
                parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
            };
            attacks.iter().map(attack).collect()
        }
        // Rolls in a redo do not name cells.
        ("rolls", Value::Array(rolls)) => rolls.iter().filter_map(|roll| text(roll, "why")).collect(),
        ("roster", Value::Object(kinds)) => {
            let of_kind = |(kind, entries): (&String, &Value)| -> Vec<String> {
                let told = |of| entry(kind, of).unwrap_or_else(|| format!("{} {}", words(kind), named(of)));
                entries.as_array().into_iter().flatten().map(told).collect()
            };
            kinds.iter().flat_map(of_kind).collect()
        }
        ("facts" | "orders", Value::Object(fields)) => fields_of(fields),
        (name, of) => part(name, of),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(value: &Value) -> Text {
        Text::of(value).expect("an object")
    }

    #[test]
    fn an_input_is_told_in_words() {
        let ocs = json!({
            "markers": ["r1", "r2", "r3"], "order": "first", "pop": { "at_most": 2, "from": ["r3", "r1"] },
        });
        assert_eq!(stated(&text(&ocs)), ["markers r1, r2, r3", "pop up to 2 of r3, r1", "order first"]);
        assert_eq!(stated(&text(&json!({ "markers": [], "order": null, "pop": null }))), ["no markers"]);
        let leaders: Vec<Value> = (1..=14).map(|n| json!({ "name": format!("L{n}"), "rating": n })).collect();
        let events = json!({ "facts": { "wrecked": 6 }, "orders": {}, "roster": { "leader": leaders, "unit": [] } });
        let leaders = "leader L1, L2, L3, L4, L5, L6, L7, L8, L9, L10, L11, L12 and 2 more";
        assert_eq!(stated(&text(&events)), ["wrecked 6", leaders]);
        let facts = json!({ "facts": { "attacks": false, "casualty": true } });
        assert_eq!(stated(&text(&facts)), ["not attacks, casualty"]);
        assert!(stated(&text(&json!({ "facts": {}, "orders": {}, "roster": { "unit": [] } }))).is_empty());
        assert_eq!(stated(&text(&json!({ "note": "a\u{1b}b" }))), ["note a<U+001B>b"]);
    }

    #[test]
    fn a_decision_is_told_as_it_is_typed() {
        assert_eq!(value(&json!([])), "none");
        assert_eq!(value(&json!(["r1", "r3"])), "r1, r3");
        let lines = json!([["13 Ala", "A43.01"], ["26 NC", "A42.02"]]);
        assert_eq!(value(&lines), "13 Ala > A43.01; 26 NC > A42.02");
    }

    #[test]
    fn what_differs_is_told_thing_by_thing() {
        let attacks = |odds: &str| {
            text(&json!({ "attacks": [
                { "hexes": ["F12", "F13"], "id": "a1", "odds": "3-1", "order": 1 },
                { "hexes": ["G13"], "id": "a2", "odds": odds, "order": 2 },
            ] }))
        };
        assert_eq!(changes(&attacks("5-1"), &attacks("4-1")), ["was G13 5-1 order 2", "now G13 4-1 order 2"]);
        let roster = |entries: Value| text(&json!({ "facts": {}, "orders": {}, "roster": { "unit": entries } }));
        let (a, b) = (json!({ "name": "a", "distance": 1 }), json!({ "name": "b", "distance": 2 }));
        assert_eq!(changes(&roster(json!([a, b])), &roster(json!([a]))), ["was unit b: distance 2"]);
        assert_eq!(changes(&roster(json!([a, b])), &roster(json!([b, a]))), ["the same entries in a different order"]);
        assert_eq!(changes(&roster(json!([a])), &roster(json!([a]))), ["the declaration is unchanged"]);
    }
}
