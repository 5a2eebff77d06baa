//! Tables of attacks and rolls in players' formats: JSON, or CSV as saved by a spreadsheet.

use serde::{Deserialize, de::DeserializeOwned};

use crate::{blob::json, report::text::cut, resolve::coin_envelopes::Attack};

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

/// Reads the attacks in a combat sheet: JSON, or CSV with the columns hexes, odds and order.
///
/// # Errors
/// If the file is not such a sheet: the line, and what to do.
pub fn attacks(bytes: &[u8]) -> Result<Vec<Attack>, String> {
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

/// Reads CSV rows whose first line names the columns, some of which are required. Empty lines, which spreadsheets may
/// save anywhere, are skipped.
pub(super) fn read_csv<T: DeserializeOwned>(bytes: &[u8], columns: &[&str]) -> Result<Vec<T>, String> {
    let is_blank =
        |line: &&[u8]| line.iter().all(|byte| matches!(byte, b',' | b';' | b'"') || byte.is_ascii_whitespace());
    let above: usize = bytes.split_inclusive(|byte| *byte == b'\n').take_while(is_blank).map(<[u8]>::len).sum();
    let table = bytes.get(above..).unwrap_or_default();
    // Some spreadsheets write semicolons if the comma is the decimal sign, and copied cells have tabs between them.
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

/// Describes the line of a row that begins at a byte or after the blank lines there: its number, as in an editor, and
/// its first words, so that nobody has to count.
fn line_at(bytes: &[u8], begins: usize) -> String {
    let rest = bytes.get(begins..).unwrap_or_default();
    let blank = rest.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
    let number = 1 + bytes.iter().take(begins + blank).filter(|byte| **byte == b'\n').count();
    let text = rest.get(blank..).unwrap_or_default().split(|byte| *byte == b'\n').next().unwrap_or_default();
    let text = String::from_utf8_lossy(text);
    let (text, more) = cut(text.trim_end(), SHOWN);
    format!("line {number} ({text}{})", if more == 0 { "" } else { ".." })
}

/// Checks that a row has a cell for each required column, and none without a column.
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

/// Whether a line begins like a quotation in a mail: with `>`, or somebody's name and `>`.
fn is_quoted(line: &str) -> bool {
    let is_name = |before: &str| before.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '.' | '-' | '_'));
    line.split_once('>').is_some_and(|(before, _)| is_name(before))
}

/// Explains why a text is not a table whose first line names these columns.
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
