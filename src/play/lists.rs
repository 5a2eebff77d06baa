//! Reads the lists of attacks or rolls, and the statements for a turn, that players write in files.

use serde::Deserialize;
use serde_json::json;

use super::{
    blanks,
    failure::{Failure, PlayResult},
    named::composed,
    rows,
};
use crate::{
    blob::{
        body::Source,
        json::{self, Text, Value},
    },
    game::terms::Phase,
    keep::texts::TextFile,
};

/// Whether a declared list equals the typed one. Cells that nobody typed are not compared.
pub(super) fn is_same_list(phase: &Phase, declared: &Text, typed: &Text) -> bool {
    match phase.source {
        Source::Coin | Source::Plain => {
            let canonical = |text: &Text| phase.system.resolver().read(text, true)?.canonical();
            matches!((canonical(declared), canonical(typed)), (Ok(old), Ok(new)) if old == new)
        }
        Source::Sheet => {
            let rows = |text: &Text| text.read::<Sheet>().map(|sheet| sheet.rolls).unwrap_or_default();
            let (old, new) = (rows(declared), rows(typed));
            let same = |(old, new): (&Row, &Row)| {
                let cell = |row: &Row| row.cell.as_deref().map(str::to_ascii_uppercase);
                old.why == new.why && (new.cell.is_none() || cell(old) == cell(new))
            };
            old.len() == new.len() && old.iter().zip(&new).all(same)
        }
    }
}

/// Reads the attacks in a combat sheet, which is JSON or a table.
pub(super) fn combat_sheet(file: &TextFile) -> PlayResult<Text> {
    let attacks = rows::attacks(file.text.as_bytes())
        .map_err(|why| Failure::refused(format!("{}: {why}", file.path.display())))?;
    Ok(Text::of(&json!({ "attacks": attacks }))?)
}

/// Reads the statements for a turn of a course from a TOML file; without a file, there are none.
pub(super) fn turn(file: Option<&TextFile>) -> PlayResult<Text> {
    let Some(file) = file else { return Ok(Text::of(&json!({}))?) };
    let text = composed(&file.text);
    let refuse = |why: String| Failure::refused(format!("{}: {why}", file.path.display()));
    let value: Value = toml::from_str(&text).map_err(|error| {
        let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        refuse(match first.contains('=') || first.starts_with(['[', '#']) {
            true => error.to_string(),
            false => format!(
                "this slot takes a TOML file, not a table: fill in the one that --form prints. Your file begins with \
                 {first:?}"
            ),
        })
    })?;
    if let Some(blank) = blanks::left_in(&value) {
        return Err(refuse(format!(
            "{blank:?} is a placeholder: replace it with your own value, or put a # before the line"
        )));
    }
    Text::of(&value).map_err(|error| refuse(error.to_string()))
}

/// The rolls on a sheet as a player writes them: each with its reason and, if the player chooses it, its cell.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet {
    rolls: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(default)]
    cell: Option<String>,
    why: String,
}

fn read_rolls(file: &TextFile) -> PlayResult<Vec<Row>> {
    let bytes = file.text.as_bytes();
    let refuse = |why: String| Failure::refused(format!("{}: {why}", file.path.display()));
    let begins = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    if matches!(begins, Some(b'{')) {
        let sheet = json::parse(bytes).and_then(|tree| json::read::<Sheet>(&tree));
        return Ok(sheet.map_err(|error| refuse(error.to_string()))?.rolls);
    }
    rows::read_csv(bytes, &rows::ROLLS, Ok).map_err(refuse)
}

/// Returns the reasons for rolls, if none of them names its cell.
pub(super) fn reasons(file: &TextFile) -> Option<Vec<String>> {
    let rows = read_rolls(file).ok()?;
    let is_free = |row: &Row| row.cell.as_ref().is_none_or(String::is_empty);
    rows.iter().all(is_free).then(|| rows.into_iter().map(|row| row.why).collect())
}

/// Reads the rolls for a redo, without their cells.
pub(super) fn rolls_of_redo(file: &TextFile) -> PlayResult<Text> {
    let rolls: Vec<_> = read_rolls(file)?.into_iter().map(|row| json!({ "cell": null, "why": row.why })).collect();
    Ok(Text::of(&json!({ "rolls": rolls }))?)
}

/// Reads rolls, and gives the first cells in `free` to the rolls that name no cell.
pub(super) fn rolls(file: &TextFile, free: &[String]) -> PlayResult<Text> {
    let rows = read_rolls(file)?;
    let named: Vec<String> = rows.iter().filter_map(|row| row.cell.clone()).filter(|cell| !cell.is_empty()).collect();
    let mut free = free.iter().filter(|cell| !named.iter().any(|named| named.eq_ignore_ascii_case(cell)));
    let rolls = rows.into_iter().map(|row| {
        let cell = row.cell.filter(|cell| !cell.is_empty()).or_else(|| free.next().cloned());
        json!({ "cell": cell, "why": row.why })
    });
    let rolls: Vec<_> = rolls.collect();
    Ok(Text::of(&json!({ "rolls": rolls }))?)
}
