//! The tables of a game, as printed tables show them.

use maud::{Markup, html};
use serde_json::{Map, Value};

use super::super::texts::{begun, in_words, tables as texts};
use crate::resolve::PositionTable;

/// Shows a position.
pub(super) fn of_position(position: &[PositionTable], people: &[(String, String)]) -> Markup {
    html! {
        div.tables {
            @for table in position {
                table {
                    caption { (in_words(&table.title, people)) }
                    thead { tr { @for head in table.columns { th scope="col" { (begun(head)) } } } }
                    tbody { @for row in &table.rows { tr { @for cell in row { td { (in_words(cell, people)) } } } } }
                }
            }
        }
    }
}

/// Shows the tables of a file that terms can name: a file of event tables, or several tables by name.
pub(super) fn of_file(file: &Map<String, Value>) -> Markup {
    if !file.contains_key("events") {
        return shown(file);
    }
    shown(&std::iter::once((String::new(), Value::Object(file.clone()))).collect())
}

/// Shows the tables of a game under a fold; nothing if it has none that have rows.
pub(super) fn shown(tables: &Map<String, Value>) -> Markup {
    let all: Vec<(&String, &Map<String, Value>)> = tables.iter().flat_map(|(name, of)| tables_of(name, of)).collect();
    let events = tables.values().filter_map(|of| of.get("events")?.as_object()).flatten();
    let events: Vec<(&String, &Map<String, Value>)> =
        events.filter_map(|(name, event)| Some((name, event.as_object()?))).collect();
    html! {
        @if !all.is_empty() {
            details {
                summary { (texts::TABLES) }
                div.tables { @for (name, table) in &all { (one(name, table)) } }
                @if !events.is_empty() {
                    h3 { (texts::EVENTS) }
                    dl.events { @for (name, event) in &events { (told(name, event)) } }
                }
            }
        }
    }
}

/// Returns the tables in an entry of the terms: itself, or those of a file of event tables.
fn tables_of<'t>(name: &'t String, of: &'t Value) -> Vec<(&'t String, &'t Map<String, Value>)> {
    let Some(of) = of.as_object() else { return Vec::new() };
    if has_rows(of) {
        return vec![(name, of)];
    }
    let inner = ["tables", "dice"].into_iter().filter_map(|part| of.get(part)?.as_object()).flatten();
    let inner = inner.filter_map(|(name, table)| Some((name, table.as_object()?)));
    inner.filter(|(_, table)| has_rows(table)).collect()
}

fn has_rows(of: &Map<String, Value>) -> bool {
    of.get("rows").is_some_and(Value::is_object)
}

/// Returns the rows of a table in the order of their numbers.
fn rows(of: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let low = |range: &str| {
        let digits = range.split(|sign: char| !sign.is_ascii_digit()).next().unwrap_or_default();
        digits.parse::<u64>().unwrap_or_default()
    };
    let mut rows: Vec<(&String, &Value)> = of.iter().collect();
    rows.sort_by_key(|(range, _)| low(range));
    rows
}

fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => texts::words(text),
        Value::Null => texts::NOTHING.into(),
        other => other.to_string(),
    }
}

fn one(name: &str, table: &Map<String, Value>) -> Markup {
    let all = table.get("rows").and_then(Value::as_object).map(rows).unwrap_or_default();
    let columns: Vec<String> = match table.get("columns").and_then(Value::as_array) {
        Some(columns) => columns.iter().filter_map(Value::as_str).map(texts::range).collect(),
        None => texts::heads(name),
    };
    let by = table.get("by").and_then(Value::as_str);
    let has_dice = table.get("dice").and_then(Value::as_str).is_some_and(|dice| dice != "none");
    html! {
        div.rows {
            table {
                caption { (texts::caption(name, table)) }
                thead { tr {
                    @if let Some(by) = by { th scope="col" { (texts::words(by)) } }
                    th scope="col" { @if has_dice { (texts::DICE) } }
                    @for column in &columns { th scope="col" { (column) } }
                } }
                tbody { @for (range, value) in all { (row(range, value)) } }
            }
        }
    }
}

/// Shows a row; one that holds rows itself, once for each of these.
fn row(range: &str, value: &Value) -> Markup {
    let range = texts::range(range);
    html! {
        @match value {
            Value::Object(inner) => {
                @for (dice, value) in rows(inner) {
                    tr { th scope="row" { (range) } td { (texts::range(dice)) } td { (cell(value)) } }
                }
            }
            Value::Array(cells) => tr { th scope="row" { (range) } @for one in cells { td { (cell(one)) } } },
            other => tr { th scope="row" { (range) } td { (cell(other)) } },
        }
    }
}

fn told(name: &str, event: &Map<String, Value>) -> Markup {
    let steps = event.get("steps").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
    html! {
        dt { (texts::words(name)) }
        dd { ul {
            @for line in texts::limits(event) { li { (line) } }
            @for step in steps { li { (texts::step(step)) } }
        } }
    }
}
