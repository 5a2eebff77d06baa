//! Writes answers into the text of a template, whose comments stay.

use std::path::Path;

use toml_edit::{Array, DocumentMut, Item, Table, Value};

use super::{
    answers::Answers,
    question::{Given, Part},
    settings::{OPPONENT, YOU},
    usual::{NOBODY, OFFICE, REFEREE, SHEET, SLIPS},
};
use crate::{
    keep::texts::TextFile,
    play::{
        charter_file::templates::TEMPLATES,
        failure::{Failure, PlayResult},
    },
};

/// Writes the terms that answers describe. `path` is the place of the text for messages; without one they name no lines. Questions without an answer take their defaults.
///
/// # Errors
/// If a question that has no default is not answered.
pub fn terms(answers: &Answers, path: &Path) -> PlayResult<TextFile> {
    let mut answers = answers.clone();
    for question in answers.game.questions() {
        if !answers.calls_for(question) {
            answers.given.remove(question.id);
        } else if !answers.given.has(question.id) {
            answers.take(question, "").map_err(|why| Failure::refused(format!("{}: {why}", question.text)))?;
        }
    }
    let Answers { game, given } = &answers;
    let (_, template) = TEMPLATES.iter().find(|(name, _)| *name == game.template).ok_or_else(fault)?;
    let mut text = with_roles(template, given.get("own-role"), given.get("their-role"));
    if !given.has("hexes") {
        text = without(&text, "hexes = ");
    }
    let third = given.get("third");
    if third != NOBODY {
        let deposit = if given.get("third-deposit").is_empty() { "" } else { "deposit" };
        text = uncommented(&text, &format!("[{third}]"), &["role", "name", "key", "fingerprint", deposit]);
    }
    if given.has("reveal-days") {
        text = uncommented(&text, "[[deadlines]]", &["step", "days", "forfeit"]);
    }
    let mut doc: DocumentMut = text.parse().map_err(|_| fault())?;
    parties(&mut doc, given)?;
    for slip in SLIPS.iter().filter(|slip| given.has(slip.id)) {
        put(table(&mut doc, "foul_up")?, slip.id, given.get(slip.id));
    }
    settings(&mut doc, &answers)?;
    match game.template {
        "double-impulse" => impulses(&mut doc, given)?,
        "cil" => {
            let defender = if given.get("attacker") == YOU { OPPONENT } else { YOU };
            put(first_settings(&mut doc)?, "defender", player(defender, given));
        }
        "event-tables" => sides(&mut doc, given, given.get("their-side"))?,
        "gettysburg-events" => {
            let theirs = if given.get("own-side") == "union" { "confederate" } else { "union" };
            sides(&mut doc, given, theirs)?;
        }
        "ndc" => division(&mut doc, given)?,
        _ => {}
    }
    Ok(TextFile { path: path.to_owned(), text: doc.to_string() })
}

/// Returns the failure for a template that the questions do not fit; a test makes sure that there is none.
fn fault() -> Failure {
    Failure::unable("the questions do not fit this template: write the terms as text with `sealed-dice game template`")
}

/// Puts the players' roles in place of the template's, also at the beginning of the names of phases.
fn with_roles(template: &str, own: &str, their: &str) -> String {
    // One player may have the role that the template gives to the other.
    let marked = template.replace("\"ann", "\"\u{1}").replace("\"bob", "\"\u{2}");
    let marked = marked.replace("\nann = ", "\n\u{1} = ").replace("\nbob = ", "\n\u{2} = ");
    marked.replace('\u{1}', own).replace('\u{2}', their)
}

/// Removes the paragraphs with a line that begins with `begins`.
fn without(text: &str, begins: &str) -> String {
    let has = |paragraph: &&str| paragraph.lines().any(|line| line.starts_with(begins));
    text.split("\n\n").filter(|paragraph| !has(paragraph)).collect::<Vec<_>>().join("\n\n")
}

/// Uncomments the head of a section in a template, and those of its settings that `names` lists.
fn uncommented(text: &str, head: &str, names: &[&str]) -> String {
    let mut is_inside = false;
    let lines = text.lines().map(|line| {
        let bare = line.strip_prefix("# ").unwrap_or(line);
        let is_head = bare == head;
        is_inside = is_head || is_inside && !line.is_empty();
        let is_named = bare.split_once(" = ").is_some_and(|(name, _)| names.contains(&name));
        format!("{}\n", if is_head || is_inside && is_named { bare } else { line })
    });
    lines.collect()
}

/// Sets a value in a table, in place of the old one or after the others. The comments around it stay.
fn put(table: &mut Table, name: &str, value: impl Into<Value>) {
    let mut value = value.into();
    match table.get_mut(name).and_then(Item::as_value_mut) {
        Some(old) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => drop(table.insert(name, Item::Value(value))),
    }
}

fn table<'d>(doc: &'d mut DocumentMut, name: &str) -> PlayResult<&'d mut Table> {
    doc.get_mut(name).and_then(Item::as_table_mut).ok_or_else(fault)
}

fn table_in<'t>(table: &'t mut Table, name: &str) -> PlayResult<&'t mut Table> {
    table.get_mut(name).and_then(Item::as_table_mut).ok_or_else(fault)
}

/// Returns the settings of the first phase, which count for all phases of a course.
fn first_settings(doc: &mut DocumentMut) -> PlayResult<&mut Table> {
    let phases = doc.get_mut("phases").and_then(Item::as_array_of_tables_mut).ok_or_else(fault)?;
    table_in(phases.get_mut(0).ok_or_else(fault)?, "settings")
}

/// Writes the title, the players and the referee or the office.
fn parties(doc: &mut DocumentMut, given: &Given) -> PlayResult<()> {
    put(doc.as_table_mut(), "title", given.get("title"));
    put(table(doc, "you")?, "name", given.get("own-name"));
    for (name, id) in [("name", "their-name"), ("key", "their-key"), ("fingerprint", "their-fingerprint")] {
        put(table(doc, "opponent")?, name, given.get(id));
    }
    let third = given.get("third");
    if third != NOBODY {
        let third = table(doc, third)?;
        for (name, id) in [("name", "third-name"), ("key", "third-key"), ("fingerprint", "third-fingerprint")] {
            put(third, name, given.get(id));
        }
        if !given.get("third-deposit").is_empty() {
            put(third, "deposit", given.get("third-deposit"));
        }
    }
    // An office that opens dice opens notes too, as the lines of `office card` say.
    if third == OFFICE && !given.get("third-deposit").is_empty() {
        put(table(doc, OFFICE)?, "deposit_notes", true);
    }
    if third == REFEREE && given.has("reveal-days") {
        let deadlines = doc.get_mut("deadlines").and_then(Item::as_array_of_tables_mut).ok_or_else(fault)?;
        put(deadlines.get_mut(0).ok_or_else(fault)?, "days", number_or_text(given.get("reveal-days")));
    }
    Ok(())
}

/// Returns the role of a player who was chosen; an empty text for nobody.
fn player<'g>(chosen: &'g str, given: &'g Given) -> &'g str {
    match chosen {
        YOU => given.get("own-role"),
        OPPONENT => given.get("their-role"),
        NOBODY => "",
        other => other,
    }
}

fn number_or_text(answer: &str) -> Value {
    answer.parse::<i64>().map_or_else(|_| answer.into(), Value::from)
}

/// Writes the answers whose questions have the name of a setting of the first phase.
fn settings(doc: &mut DocumentMut, answers: &Answers) -> PlayResult<()> {
    for question in answers.game.questions().filter(|question| question.part == Part::Game) {
        let (settings, name) = (first_settings(doc)?, question.id.replace('-', "_"));
        if settings.contains_key(&name) {
            put(settings, &name, number_or_text(player(answers.given.get(question.id), &answers.given)));
        }
    }
    Ok(())
}

/// Writes the dice of the phases of a game with double impulses, and how its map writes hexes.
fn impulses(doc: &mut DocumentMut, given: &Given) -> PlayResult<()> {
    let dice = [given.get("first-dice"), given.get("second-dice")];
    let values = given.get("values");
    let phases = doc.get_mut("phases").and_then(Item::as_array_of_tables_mut).ok_or_else(fault)?;
    for (phase, system) in phases.iter_mut().zip(dice.into_iter().cycle()) {
        put(phase, "system", system);
        let settings = phase.entry("settings").or_insert_with(|| Item::Table(Table::new()));
        let settings = settings.as_table_mut().ok_or_else(fault)?;
        if system == SHEET {
            settings.retain(|name, _| name == "values");
        }
        put(settings, "values", values);
    }
    if !dice.contains(&SHEET) {
        put(table(doc, "sets_at_start")?, "sheet", 0);
    }
    for (name, id) in [("hexes", "hexes"), ("double_letters", "double-letters")] {
        if given.has(id) {
            put(doc.as_table_mut(), name, given.get(id));
        }
    }
    Ok(())
}

/// Writes which player has which side of a table of events.
fn sides(doc: &mut DocumentMut, given: &Given, theirs: &str) -> PlayResult<()> {
    let sides = table_in(first_settings(doc)?, "sides")?;
    sides.retain(|side, _| [given.get("own-side"), theirs].contains(&side));
    put(sides, given.get("own-side"), given.get("own-role"));
    put(sides, theirs, given.get("their-role"));
    Ok(())
}

/// Writes the players' order, their chemicals and the sector of a game of NATO Division Commander.
fn division(doc: &mut DocumentMut, given: &Given) -> PlayResult<()> {
    let (own, their) = (given.get("own-role"), given.get("their-role"));
    let order = if given.get("first-player") == YOU { [own, their] } else { [their, own] };
    let settings = first_settings(doc)?;
    put(settings, "sides", Array::from_iter(order));
    let doctrine = table_in(settings, "doctrine")?;
    put(doctrine, own, given.get("own-doctrine"));
    put(doctrine, their, given.get("their-doctrine"));
    let corners = given.get("sector").split_whitespace();
    put(table_in(settings, "sectors")?, "map", Array::from_iter(corners));
    Ok(())
}
