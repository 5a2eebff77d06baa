//! Event tables in words: what a step of an event does, and how often an event can come.

use serde_json::{Map, Value};

use crate::{
    report::text::visible,
    resolve::ndc::{AboutTable, about_table},
};

/// The heading of the tables of a game.
pub(in crate::desk) const TABLES: &str = "The tables of this game";
/// The heading of the events of a game.
pub(in crate::desk) const EVENTS: &str = "What the events do";
/// What an empty cell shows.
pub(in crate::desk) const NOTHING: &str = "–";
/// The heads of the columns of a table.
pub(in crate::desk) const DICE: &str = "Dice";
const RESULT: &str = "Result";

/// Returns a name of a file, or a text with such names, as words. A minus in front of a number stays.
pub(in crate::desk) fn words(name: &str) -> String {
    let mut before = ' ';
    let blank = |c: char| {
        let is_within = c == '_' || c == '-' && before.is_alphanumeric();
        before = c;
        if is_within { ' ' } else { c }
    };
    visible(name).chars().map(blank).collect()
}

/// Returns a range of numbers as it stands in printed tables.
pub(in crate::desk) fn range(of: &str) -> String {
    let of = visible(of).replace('-', "\u{2212}");
    match of.split_once("..") {
        Some(("", "")) => "any".into(),
        Some(("", high)) => format!("{high} or less"),
        Some((low, "")) => format!("{low} or more"),
        Some((low, high)) if low == high => low.to_owned(),
        Some((low, high)) => format!("{low} to {high}"),
        // A range of dice, such as 1-70, is written with a dash.
        None => of.replace('\u{2212}', "\u{2013}"),
    }
}

/// Returns the caption of a table: what it is called, its dice, whose numbers it has, and what its columns and cells are.
pub(in crate::desk) fn caption(name: &str, table: &Map<String, Value>) -> String {
    let dice = text(table, "dice").filter(|dice| *dice != "none");
    let dice = dice.map(|dice| format!(", {}", visible(dice))).unwrap_or_default();
    let source = match text(table, "source") {
        Some("house") => " (made up for this file)",
        Some("test") => " (made up for tests)",
        _ => "",
    };
    let modifiers: Vec<String> = list(table, "modifiers").map(words).collect();
    let modifiers =
        if modifiers.is_empty() { String::new() } else { format!("; added to the dice: {}", modifiers.join(", ")) };
    let (called, means) = match about_table(name) {
        Some(AboutTable { called, columns, cells }) if table.contains_key("columns") => {
            (called.to_owned(), format!(". Columns: {columns}. Cells: {cells}"))
        }
        Some(AboutTable { called, cells, .. }) => (called.to_owned(), format!(". Cells: {cells}")),
        None => (words(name), String::new()),
    };
    format!("{called}{dice}{source}{modifiers}{means}")
}

/// Returns the heads of the columns of a table without ranges.
pub(in crate::desk) fn heads(name: &str) -> Vec<String> {
    let columns = about_table(name).map_or(RESULT, |about| about.columns);
    columns.split("; ").map(str::to_owned).collect()
}

/// Says for what an event comes, how often it can, and under which condition.
pub(in crate::desk) fn limits(event: &Map<String, Value>) -> Vec<String> {
    let each = text(event, "each").map(|kind| with_condition(&format!("for each {}", words(kind)), event));
    let condition = text(event, "when").map(|when| format!("only if: {}", words(when)));
    let limit = event.get("limit").and_then(Value::as_u64).map(|limit| {
        let per = if text(event, "per") == Some("day") { "a day" } else { "a game" };
        let of = match text(event, "of") {
            Some("both") => ", for both sides together".to_owned(),
            Some("side") | None => " for each side".to_owned(),
            Some(setting) => format!(", as the setting {} says", words(setting)),
        };
        format!("at most {limit} {per}{of}")
    });
    each.into_iter().chain(condition).chain(limit).collect()
}

/// Adds to words the condition on the entries that they are about.
fn with_condition(what: &str, of: &Map<String, Value>) -> String {
    text(of, "where").map_or_else(|| what.to_owned(), |filter| format!("{what}, with: {}", words(filter)))
}

/// Says what a step of an event does: first what its fields say, and then what its author says of it.
pub(in crate::desk) fn step(step: &Map<String, Value>) -> String {
    let get = |name: &str| text(step, name).map(words).unwrap_or_default();
    let number = |name: &str| step.get(name).map(|of| of.as_str().map_or_else(|| of.to_string(), words));
    let many = |name: &str| number(name).unwrap_or_default();
    let by = if text(step, "by") == Some("enemy") { "the opponent" } else { "the player who rolls" };
    let optional = if step.get("optional") == Some(&Value::Bool(true)) { ", if there is one" } else { "" };
    let does = match text(step, "do").unwrap_or_default() {
        "pick" => with_condition(&format!("one {} at random{optional}", get("kind")), step),
        "pool" => {
            let (enemy, owner) = (many("enemy"), many("owner"));
            let what = format!(
                "one {} at random, of {enemy} that the opponent names and {owner} that the player who rolls names",
                get("kind")
            );
            with_condition(&what, step)
        }
        "choose" if step.contains_key("of") => format!("{by} chooses one of: {}", get("of")),
        "choose" => with_condition(&format!("{by} chooses one {}{optional}", get("kind")), step),
        "write" => format!("{by} writes up to {} of: {}", many("at_most"), get("parts")),
        "roll" => format!("a roll of {}", get("die")),
        "go" => format!("go on at {}", get("to")),
        "need" => with_condition(&format!("nothing happens without a {}", get("kind")), step),
        "mark" => {
            let mark = text(step, "on").map_or_else(|| get("mark"), |on| format!("{} of {}", get("mark"), words(on)));
            match (number("set"), number("add")) {
                (Some(set), _) => format!("{mark} becomes {set}"),
                (None, add) => format!("{mark} changes by {}", add.unwrap_or_default()),
            }
        }
        "raise" => format!("{} of {} becomes the next word of its list", get("attribute"), get("on")),
        "stop" => "the event does not count".into(),
        _ => String::new(),
    };
    let condition = text(step, "if").map(|condition| format!("if {}", words(condition)));
    let said = |name: &str| text(step, name).map(|said| format!("“{}”", visible(said)));
    let parts = condition.into_iter().chain(Some(does)).chain(said("about")).chain(said("say"));
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
}

fn text<'o>(object: &'o Map<String, Value>, name: &str) -> Option<&'o str> {
    object.get(name).and_then(Value::as_str)
}

fn list<'o>(object: &'o Map<String, Value>, name: &str) -> impl Iterator<Item = &'o str> {
    object.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{caption, step};

    /// What a step says of itself stands in quotation marks, beside what it does.
    #[test]
    fn what_a_step_says_hides_nothing_that_it_does() {
        let told = |of: Value| step(of.as_object().expect("a step"));
        let pick = json!({ "about": "anybody", "do": "pick", "kind": "leader", "where": "side_of = union" });
        assert_eq!(told(pick), "one leader at random, with: side of = union: “anybody”");
        let mark =
            json!({ "add": -1, "do": "mark", "if": "fog", "mark": "men_left", "on": "order", "say": "one fewer" });
        assert_eq!(told(mark), "if fog: men left of order changes by -1: “one fewer”");
        assert_eq!(told(json!({ "do": "mark", "mark": "armed", "set": 0 })), "armed becomes 0");
        let table = json!({ "dice": "d100", "modifiers": ["-5 if side = south", "1 if army-loss"], "source": "house" });
        let said = "my table, d100 (made up for this file); added to the dice: -5 if side = south, 1 if army loss";
        assert_eq!(caption("my-table", table.as_object().expect("a table")), said);
        assert_eq!(told(json!({ "do": "tell", "say": "a\u{202e}b" })), "“a<U+202E>b”");
    }
}
