//! `select`: works out a hex worksheet alone (`protocol/coin-envelopes.md` 4 to 8).

use std::path::Path;

use super::{
    answer::{Answer, json_line},
    options,
    terminal::visible,
};
use crate::{
    blob::json::Value,
    error::{Error, Result},
    keep::texts::read_text,
    play::rows,
    resolve::coin_envelopes::{
        Attack, CoinEnvelopes, Printed, Worksheet,
        chart::Chart,
        hexes::{DoubleLetters, Grammar},
    },
};

pub(super) fn run(args: &options::Select) -> Answer {
    let sheet = match rows::read_table(&args.sheet) {
        Ok(sheet) => sheet,
        Err(why) => return Answer::unable(why),
    };
    let attacks = match rows::attacks(sheet.text.as_bytes()) {
        Ok(attacks) => attacks,
        Err(why) => return Answer::unable(format!("this is not a combat sheet: {}", visible(&why))),
    };
    let chart = match args.chart.as_deref().map(read_chart).transpose() {
        Ok(chart) => chart.unwrap_or(Chart::House),
        Err(why) => return Answer::unable(visible(&why)),
    };
    let letters = DoubleLetters::from(args.double_letters);
    match worksheet(&attacks, args, letters, chart) {
        Ok(worksheet) if args.json => Answer::done(json_line(&Printed::of(args.envelopes, &worksheet))),
        Ok(worksheet) => Answer::done(table(args.envelopes, &worksheet)),
        Err(error) => Answer::refused(format!("the sheet is refused: {}", visible(&error.to_string()))),
    }
}

fn worksheet(attacks: &[Attack], args: &options::Select, letters: DoubleLetters, chart: Chart) -> Result<Worksheet> {
    let grammar = match args.grammar {
        Some(grammar) => grammar.into(),
        None => read_off(attacks, letters)?,
    };
    CoinEnvelopes::for_select(args.envelopes, grammar, letters, chart)?.worksheet(attacks)
}

/// Returns the grammar that fits every hex in the sheet.
fn read_off(attacks: &[Attack], letters: DoubleLetters) -> Result<Grammar> {
    let hexes = || attacks.iter().flat_map(|attack| &attack.hexes);
    let numeric = |hex: &&String| Grammar::Numeric4.parse(hex, letters).is_ok();
    let begins_with_digit = |hex: &&String| hex.trim_start().starts_with(|c: char| c.is_ascii_digit());
    match (hexes().any(|hex| begins_with_digit(&hex)), hexes().all(|hex| begins_with_digit(&hex))) {
        (false, _) => Ok(Grammar::Letters),
        (true, true) if hexes().all(|hex| numeric(&hex)) => Ok(Grammar::Numeric4),
        (true, true) => Err(Error::Refused(
            "not all hexes have four digits; use --grammar if the map names them in another way".into(),
        )),
        (true, false) => Err(Error::Refused(
            "some hexes begin with a letter and some with a digit; write them all as the map does".into(),
        )),
    }
}

/// Reads a chart as people write it: a TOML table `rows` with ten values for each label.
fn read_chart(path: &Path) -> Result<Chart, String> {
    let text = read_text(path)?;
    let table: Value = toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    Chart::from_table(&table).map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes the worksheet as players write it on paper.
pub(super) fn table(envelopes: u64, worksheet: &Worksheet) -> String {
    let Some(index) = worksheet.index else {
        return format!("no attacks: nothing is opened, all {envelopes} envelopes are returned\n");
    };
    let rows: Vec<[String; 8]> = worksheet
        .lines
        .iter()
        .map(|line| {
            [
                visible(&line.id),
                line.hexes.join("+"),
                line.odds.clone(),
                line.value.to_string(),
                line.multiplier.to_string(),
                line.product.to_string(),
                format!("{}, row {}", line.place.index, line.place.line),
                line.rank.to_string(),
            ]
        })
        .collect();
    let heads = ["attack", "hexes", "odds", "value", "times", "product", "envelope", "order"].map(str::to_owned);
    let width = |column: usize| {
        let cells = rows.iter().chain([&heads]).filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let mut out = String::new();
    for row in [&heads].into_iter().chain(&rows) {
        let cells: Vec<String> = row.iter().enumerate().map(|(i, cell)| format!("{cell:<w$}", w = width(i))).collect();
        out.push_str(cells.join("  ").trim_end());
        out.push('\n');
    }
    out.push_str(&format!(
        "total {}; {} mod {envelopes} = {index}: open envelope {}\n",
        worksheet.total,
        worksheet.total,
        list(&worksheet.opened)
    ));
    if !worksheet.returned.is_empty() {
        out.push_str(&format!("return unopened: {}\n", list(&worksheet.returned)));
    }
    out
}

fn list(envelopes: &[u64]) -> String {
    let envelopes: Vec<String> = envelopes.iter().map(u64::to_string).collect();
    envelopes.join(", ")
}
