//! Event tables in words: what a step of an event does, and how often an event can come.

use serde_json::{Map, Value};

use crate::report::text::visible;

/// The heading of the tables of a game.
pub(in crate::desk) const TABLES: &str = "The tables of this game";
/// The heading of the events of a game.
pub(in crate::desk) const EVENTS: &str = "What the events do";
/// What an empty cell shows.
pub(in crate::desk) const NOTHING: &str = "–";
/// The heads of the columns of a table.
pub(in crate::desk) const DICE: &str = "Dice";
pub(in crate::desk) const RESULT: &str = "Result";

/// Returns a name of a file as words.
pub(in crate::desk) fn words(name: &str) -> String {
    visible(name).replace(['_', '-'], " ")
}

/// Returns a range of numbers as it stands in printed tables.
pub(in crate::desk) fn range(of: &str) -> String {
    visible(of).replace("..", "–").replace('-', "–")
}

/// Returns the caption of a table: its name, its dice and whose numbers it has.
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
    format!("{}{dice}{source}{modifiers}", words(name))
}

/// Says how often an event can come, and under which condition.
pub(in crate::desk) fn limits(event: &Map<String, Value>) -> Vec<String> {
    let condition = text(event, "when").map(|when| format!("only if: {}", words(when)));
    let limit = event.get("limit").and_then(Value::as_u64).map(|limit| {
        let per = if text(event, "per") == Some("day") { "a day" } else { "a game" };
        let of = match text(event, "of") {
            Some("both") => ", for both sides together",
            Some("side") | None => " for each side",
            Some(_) => ", as the settings say",
        };
        format!("at most {limit} {per}{of}")
    });
    condition.into_iter().chain(limit).collect()
}

/// Says what a step of an event does.
pub(in crate::desk) fn step(step: &Map<String, Value>) -> String {
    let get = |name: &str| text(step, name).map(words).unwrap_or_default();
    let about = text(step, "about").map(visible);
    let of = |what: String| match (&about, text(step, "where")) {
        (Some(about), _) => format!("{what}: {about}"),
        (None, Some(filter)) => format!("{what}, with: {}", words(filter)),
        (None, None) => what,
    };
    let by = if text(step, "by") == Some("enemy") { "the opponent" } else { "the player who rolls" };
    let does = match text(step, "do").unwrap_or_default() {
        "pick" => of(format!("one {} at random", get("kind"))),
        "pool" => of(format!("one {} at random, of those that both players name", get("kind"))),
        "choose" | "write" => {
            let what = if step.contains_key("of") { words(text(step, "of").unwrap_or_default()) } else { get("kind") };
            let what = if what.is_empty() { get("parts") } else { what };
            of(format!("{by} chooses: {what}").trim_end_matches([':', ' ']).to_owned())
        }
        "roll" => format!("a roll of {}", get("die")),
        "go" => format!("go on at {}", get("to")),
        "need" => of(format!("nothing happens without a {}", get("kind"))),
        "mark" => match text(step, "on") {
            Some(on) => format!("{} is {}", words(on), get("mark")),
            None => format!("{} is noted", get("mark")),
        },
        "raise" => format!("{} of {} rises by one", get("attribute"), get("on")),
        "stop" => "the event does not count".into(),
        _ => String::new(),
    };
    let said = text(step, "say").map(visible).unwrap_or_default();
    let does =
        [does.as_str(), said.as_str()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ");
    text(step, "if").map_or(does.clone(), |condition| format!("if {}: {does}", words(condition)))
}

fn text<'o>(object: &'o Map<String, Value>, name: &str) -> Option<&'o str> {
    object.get(name).and_then(Value::as_str)
}

fn list<'o>(object: &'o Map<String, Value>, name: &str) -> impl Iterator<Item = &'o str> {
    object.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}
