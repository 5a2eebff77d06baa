//! `select`: the hex worksheet alone (`protocol/coin-envelopes.md` 4 to 8).

use std::path::Path;

use serde::{Deserialize, de::DeserializeOwned};

use super::{
    answer::Answer,
    input::{json_line, read_text},
    options,
    terminal::visible,
};
use crate::{
    blob::json::{self, Value},
    error::{Error, Result},
    report::text::cut,
    resolve::coin_envelopes::{
        Attack, CoinEnvelopes, Printed, Worksheet,
        chart::Chart,
        hexes::{DoubleLetters, Grammar},
    },
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet {
    attacks: Vec<Attack>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    hexes: String,
    odds: String,
    #[serde(default)]
    order: Option<u64>,
}

pub(super) fn run(args: &options::Select) -> Answer {
    let sheet = match read_text(&args.sheet) {
        Ok(sheet) => sheet,
        Err(why) => return Answer::unable(why),
    };
    let attacks = match read_sheet(sheet.as_bytes()) {
        Ok(attacks) => attacks,
        Err(why) => return Answer::unable(format!("this is no combat sheet: {}", visible(&why))),
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

/// The grammar that fits every hex of the sheet.
fn read_off(attacks: &[Attack], letters: DoubleLetters) -> Result<Grammar> {
    let hexes = || attacks.iter().flat_map(|attack| &attack.hexes);
    let numeric = |hex: &&String| Grammar::Numeric4.parse(hex, letters).is_ok();
    let begins_with_digit = |hex: &&String| hex.trim_start().starts_with(|c: char| c.is_ascii_digit());
    match (hexes().any(|hex| begins_with_digit(&hex)), hexes().all(|hex| begins_with_digit(&hex))) {
        (false, _) => Ok(Grammar::Letters),
        (true, true) if hexes().all(|hex| numeric(&hex)) => Ok(Grammar::Numeric4),
        (true, true) => {
            Err(Error::Refused("the hexes are not all of four digits; say --grammar if the map has another".into()))
        }
        (true, false) => {
            Err(Error::Refused("the sheet mixes hexes with letters and numeric ones; one map has one grammar".into()))
        }
    }
}

pub(super) fn read_sheet(bytes: &[u8]) -> Result<Vec<Attack>, String> {
    let begins = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    if matches!(begins, Some(b'{' | b'[')) {
        let tree = json::parse(bytes).map_err(|error| error.to_string())?;
        let sheet: Sheet = json::read(&tree).map_err(|error| error.to_string())?;
        return Ok(sheet.attacks);
    }
    let rows: Vec<Row> = read_csv(bytes, &["hexes", "odds"])?;
    let attack = |row: Row| Attack {
        hexes: row.hexes.split('+').map(str::to_owned).collect(),
        id: None,
        odds: row.odds,
        order: row.order,
    };
    Ok(rows.into_iter().map(attack).collect())
}

/// Rows of CSV whose first line names the columns, some of which must be there. Spreadsheets save lines without a word in
/// them, too, wherever they stand.
pub(super) fn read_csv<T: DeserializeOwned>(bytes: &[u8], columns: &[&str]) -> Result<Vec<T>, String> {
    let is_blank =
        |line: &&[u8]| line.iter().all(|byte| matches!(byte, b',' | b';' | b'"') || byte.is_ascii_whitespace());
    let above: usize = bytes.split_inclusive(|byte| *byte == b'\n').take_while(is_blank).map(<[u8]>::len).sum();
    let table = bytes.get(above..).unwrap_or_default();
    // Some spreadsheets write semicolons where the comma is the decimal sign, and cells that are copied have tabs between them.
    let first = table.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let delimiter = [b'\t', b';'].into_iter().find(|sign| first.contains(sign)).unwrap_or(b',');
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).delimiter(delimiter).trim(csv::Trim::All).from_reader(table);
    let heads = reader.headers().map_err(|error| error.to_string())?.clone();
    let heads: csv::StringRecord =
        heads.iter().map(|head| head.trim_start_matches('\u{feff}').to_ascii_lowercase()).collect();
    if !columns.iter().all(|column| heads.iter().any(|head| head == *column)) {
        return Err(no_table(&String::from_utf8_lossy(first), &heads, columns));
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        if record.iter().all(str::is_empty) {
            continue;
        }
        let begins = record.position().and_then(|at| usize::try_from(at.byte()).ok()).unwrap_or_default();
        let line = line_at(bytes, above + begins);
        check_cells(&record, &heads, columns, char::from(delimiter)).map_err(|why| format!("{line} {why}"))?;
        rows.push(record.deserialize(Some(&heads)).map_err(|error| match error.into_kind() {
            csv::ErrorKind::Deserialize { err, .. } => {
                let head = err.field().and_then(|at| heads.get(usize::try_from(at).ok()?));
                let head = head.map_or_else(String::new, |head| format!(", {head}"));
                match err.kind() {
                    csv::DeserializeErrorKind::ParseInt(_) => format!("{line}{head}: this is no whole number"),
                    kind => format!("{line}{head}: {kind}"),
                }
            }
            _ => format!("{line} cannot be read"),
        })?);
    }
    Ok(rows)
}

/// The most characters of a line that are shown.
const SHOWN: usize = 60;

/// The line of a row that begins at a byte or behind blank lines that follow it: its number, as an editor counts, and how it
/// begins, so that nobody has to count.
fn line_at(bytes: &[u8], begins: usize) -> String {
    let rest = bytes.get(begins..).unwrap_or_default();
    let blank = rest.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
    let number = 1 + bytes.iter().take(begins + blank).filter(|byte| **byte == b'\n').count();
    let text = rest.get(blank..).unwrap_or_default().split(|byte| *byte == b'\n').next().unwrap_or_default();
    let text = String::from_utf8_lossy(text);
    let (text, more) = cut(text.trim_end(), SHOWN);
    format!("line {number} ({text}{})", if more == 0 { "" } else { ".." })
}

/// That a row has a cell for each column that must be there, and none that no column names.
fn check_cells(
    record: &csv::StringRecord,
    heads: &csv::StringRecord,
    columns: &[&str],
    sign: char,
) -> Result<(), String> {
    if columns.contains(&"hexes") && record.get(0).is_some_and(is_quoted) {
        return Err(QUOTED.into());
    }
    let named = || format!("the first line names {}: {}", heads.len(), heads.iter().collect::<Vec<_>>().join(", "));
    let has = match record.len() {
        1 => "1 cell".into(),
        cells => format!("{cells} cells"),
    };
    if record.iter().skip(heads.len()).any(|cell| !cell.is_empty()) {
        return Err(format!(
            "has {has}, and {}. If a {sign} belongs to a text, put the text in quotes: \"one{sign} two\"",
            named()
        ));
    }
    let lacks = |column: &&str| heads.iter().position(|head| head == *column).is_some_and(|at| at >= record.len());
    match columns.iter().any(lacks) {
        true => {
            let between = if sign == '\t' { "a tab".into() } else { format!("a {sign}") };
            Err(format!("has {has}, and {}. Put {between} between cells, as the first line has it", named()))
        }
        false => Ok(()),
    }
}

const QUOTED: &str = "is quoted as in a mail, with > before it: take that away, in every line";

/// Whether a line begins as mail programs quote one: `>`, or somebody's name and `>`.
fn is_quoted(line: &str) -> bool {
    let is_name = |before: &str| before.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '.' | '-' | '_'));
    line.split_once('>').is_some_and(|(before, _)| is_name(before))
}

/// Why a text is not the table that is meant, whose first line would name these columns.
fn no_table(first: &str, heads: &csv::StringRecord, columns: &[&str]) -> String {
    let (first, meant) = (first.trim(), columns.join(","));
    let has = |column: &str| heads.iter().any(|head| head == column);
    let why = if is_quoted(first) {
        "its lines are quoted as in a mail, with > before them: take that away"
    } else if has("why") {
        "it is a list of rolls for the sheet, and here the attacks are listed"
    } else if has("hexes") || has("odds") {
        "it is a list of attacks, and here each line is a reason to roll"
    } else if first.starts_with('[') || first.contains('=') {
        "it is a file in TOML, and here a table is meant"
    } else {
        "this is no such table"
    };
    format!("the first line must be {meant}, and it is {first:?}: {why}")
}

/// A chart as people write it: a TOML table `rows` with ten values for each label.
fn read_chart(path: &Path) -> Result<Chart, String> {
    let text = read_text(path)?;
    let table: Value = toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    Chart::from_table(&table).map_err(|error| format!("{}: {error}", path.display()))
}

/// The worksheet as players write it on paper.
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
