//! Tables of attacks and rolls in players' formats: JSON, CSV of any kind, or the workbook of a spreadsheet.

use std::path::Path;

use serde::{Deserialize, de::DeserializeOwned};

use super::{
    attack_cells,
    workbook::{self, WORKBOOK_BYTES},
};
use crate::{
    blob::json,
    keep::texts::{TextFile, read_up_to},
    report::text::cut,
    resolve::coin_envelopes::Attack,
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

/// The columns of a table.
pub(super) struct Columns {
    /// Columns that the first line must name.
    required: &'static [&'static str],
    /// Columns that it may name.
    optional: &'static [&'static str],
}

/// The columns of a combat sheet.
const ATTACKS: Columns = Columns { required: &["hexes", "odds"], optional: &["order"] };
/// The columns of a list of rolls.
pub(super) const ROLLS: Columns = Columns { required: &["why"], optional: &["cell"] };

/// Reads the file of a table, or standard input for `-`, as [`table_text`] does.
///
/// # Errors
/// If the file cannot be read, or is neither text nor a workbook. The error explains what to do.
pub fn read_table(path: &Path) -> Result<TextFile, String> {
    table_text(path, read_up_to(path, WORKBOOK_BYTES)?)
}

/// Returns the content of a table's file as text. A workbook becomes CSV with a line for each row of its first sheet.
///
/// # Errors
/// If the content is neither text nor a workbook, or is too long. The error names the file and explains what to do.
pub fn table_text(path: &Path, bytes: Vec<u8>) -> Result<TextFile, String> {
    if workbook::is_workbook(&bytes) {
        let text = workbook::as_csv(&bytes).map_err(|why| format!("{}: {why}", path.display()))?;
        return Ok(TextFile { path: path.to_owned(), text });
    }
    let file = TextFile::of(path, bytes)?;
    // Old programs on the Mac end lines with a carriage return.
    let is_old = !file.text.contains('\n') && file.text.contains('\r');
    Ok(if is_old { TextFile { text: file.text.replace('\r', "\n"), ..file } } else { file })
}

/// Reads the attacks in a combat sheet: JSON, or a table with the columns hexes, odds and order.
///
/// # Errors
/// If the file is not such a sheet. The error names the line, and says what to do.
pub fn attacks(bytes: &[u8]) -> Result<Vec<Attack>, String> {
    let begins = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    if matches!(begins, Some(b'{' | b'[')) {
        let tree = json::parse(bytes).map_err(|error| error.to_string())?;
        let sheet: Sheet = json::read(&tree).map_err(|error| error.to_string())?;
        let read = |(n, attack): (usize, Attack)| {
            let odds = attack_cells::odds(&attack.odds).map_err(|why| format!("attack {}: {why}", n + 1))?;
            Ok(Attack { odds, ..attack })
        };
        return sheet.attacks.into_iter().enumerate().map(read).collect();
    }
    read_csv(bytes, &ATTACKS, |row: Row| {
        Ok(Attack {
            hexes: attack_cells::hexes(&row.hexes)?,
            id: None,
            odds: attack_cells::odds(&row.odds)?,
            order: row.order,
        })
    })
}

/// Reads CSV rows whose first line names the columns, and passes each row to `take`; the line is added to its errors.
/// Empty lines, which spreadsheets may save anywhere, are skipped, and so are empty columns without a name.
pub(super) fn read_csv<R: DeserializeOwned, T>(
    bytes: &[u8],
    columns: &Columns,
    take: impl Fn(R) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let (above, told) = begins(bytes);
    let table = bytes.get(above..).unwrap_or_default();
    let delimiter = delimiter(table, told, columns);
    let mut reader = reader(table, delimiter);
    let heads = heads(&mut reader).map_err(|_| "its first line cannot be read; correct it".to_owned())?;
    check_heads(first_line(table), &heads, columns)?;
    let named: Vec<usize> = (0..heads.len()).filter(|at| heads.get(*at).is_some_and(|head| !head.is_empty())).collect();
    let pick = |record: &csv::StringRecord| named.iter().filter_map(|at| record.get(*at)).collect();
    let names: csv::StringRecord = pick(&heads);
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|_| "a line of it cannot be read; save it as UTF-8 text again".to_owned())?;
        if record.iter().all(str::is_empty) {
            continue;
        }
        let begins = record.position().and_then(|at| usize::try_from(at.byte()).ok()).unwrap_or_default();
        // The line is counted only for an error: counting it for each row would cost the square of the rows.
        let line = || line_at(bytes, above + begins);
        check_cells(&record, &heads, columns, char::from(delimiter)).map_err(|why| format!("{} {why}", line()))?;
        let row = pick(&record).deserialize(Some(&names)).map_err(|error| misread(&line(), error, &names))?;
        rows.push(take(row).map_err(|why| format!("{}: {why}", line()))?);
    }
    Ok(rows)
}

/// Explains why a row could not be read.
fn misread(line: &str, error: csv::Error, names: &csv::StringRecord) -> String {
    let csv::ErrorKind::Deserialize { err, .. } = error.into_kind() else {
        return format!("{line} cannot be read; correct it");
    };
    let head = err.field().and_then(|at| names.get(usize::try_from(at).ok()?));
    let head = head.map_or_else(String::new, |head| format!(", {head}"));
    match err.kind() {
        csv::DeserializeErrorKind::ParseInt(_) => format!("{line}{head}: this must be a whole number"),
        kind => format!("{line}{head}: {kind}"),
    }
}

/// The delimiters of tables, the usual one first: some spreadsheets write semicolons if the comma is the decimal sign,
/// and copied cells have tabs between them.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

/// Returns where the first line with content begins, and the delimiter that a line `sep=;` above it names.
fn begins(bytes: &[u8]) -> (usize, Option<u8>) {
    let is_blank =
        |line: &&[u8]| line.iter().all(|byte| DELIMITERS.contains(byte) || *byte == b'"' || byte.is_ascii_whitespace());
    let blank = |bytes: &[u8]| -> usize {
        bytes.split_inclusive(|byte| *byte == b'\n').take_while(is_blank).map(<[u8]>::len).sum()
    };
    let above = blank(bytes);
    let rest = bytes.get(above..).unwrap_or_default();
    let line = rest.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    match line.trim_ascii_end().to_ascii_lowercase().as_slice() {
        // Excel writes and reads such a line.
        [b's', b'e', b'p', b'=', sign] => {
            let below = above + line.len();
            (below + blank(bytes.get(below..).unwrap_or_default()), Some(*sign))
        }
        _ => (above, None),
    }
}

fn first_line(table: &[u8]) -> &[u8] {
    table.split(|byte| *byte == b'\n').next().unwrap_or_default()
}

fn reader(table: &[u8], delimiter: u8) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new().flexible(true).delimiter(delimiter).trim(csv::Trim::All).from_reader(table)
}

/// Returns the names of the columns in lower case.
fn heads(reader: &mut csv::Reader<&[u8]>) -> csv::Result<csv::StringRecord> {
    let heads = reader.headers()?;
    let heads = heads.iter().map(|head| match head.trim_start_matches('\u{feff}').to_ascii_lowercase() {
        head if head == "hex" => "hexes".into(),
        head if head == "order of attack" => "order".into(),
        head if head == "reason" => "why".into(),
        head => head,
    });
    Ok(heads.collect())
}

/// Returns the delimiter with which the first line names the required columns, or else the likely one, for a message.
fn delimiter(table: &[u8], told: Option<u8>, columns: &Columns) -> u8 {
    let fits = |delimiter: &u8| heads(&mut reader(table, *delimiter)).is_ok_and(|heads| columns.are_in(&heads));
    let likely = || [b'\t', b';'].into_iter().find(|sign| first_line(table).contains(sign)).unwrap_or(b',');
    told.or_else(|| DELIMITERS.into_iter().find(fits)).unwrap_or_else(likely)
}

impl Columns {
    /// Whether a first line names every column that is required.
    fn are_in(&self, heads: &csv::StringRecord) -> bool {
        self.required.iter().all(|column| heads.iter().any(|head| head == *column))
    }
}

/// Checks that the first line names the required columns, and no unknown ones.
fn check_heads(first: &[u8], heads: &csv::StringRecord, columns: &Columns) -> Result<(), String> {
    if !columns.are_in(heads) {
        return Err(no_table(&String::from_utf8_lossy(first), heads, columns));
    }
    let known = || columns.required.iter().chain(columns.optional);
    match heads.iter().find(|head| !head.is_empty() && !known().any(|column| column == head)) {
        None => Ok(()),
        Some(head) => Err(format!(
            "the first line names a column {head:?} that is not known: remove that column. The columns are {}",
            known().copied().collect::<Vec<_>>().join(", ")
        )),
    }
}

/// The maximum number of characters shown from a line.
const SHOWN: usize = 60;

/// Describes the line of a row that begins at byte `begins` or after the blank lines there: its number, as in an
/// editor, and its first words, so that nobody has to count.
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
    columns: &Columns,
    sign: char,
) -> Result<(), String> {
    if columns.required.contains(&"hexes") && record.get(0).is_some_and(is_quoted) {
        return Err(QUOTED.into());
    }
    let names: Vec<&str> = heads.iter().filter(|head| !head.is_empty()).collect();
    let named = || format!("the first line names {}: {}", names.len(), names.join(", "));
    let has = match record.len() {
        1 => "1 cell".into(),
        cells => format!("{cells} cells"),
    };
    let is_nameless = |(at, cell): (usize, &str)| !cell.is_empty() && heads.get(at).is_none_or(str::is_empty);
    if record.iter().enumerate().any(is_nameless) {
        return Err(format!(
            "has {has}, but {}. If a {sign} is part of a text, put the text in quotes: \"one{sign} two\"",
            named()
        ));
    }
    let lacks = |column: &&str| heads.iter().position(|head| head == *column).is_some_and(|at| at >= record.len());
    match columns.required.iter().any(lacks) {
        true => {
            let between = if sign == '\t' { "a tab".into() } else { format!("a {sign}") };
            Err(format!("has {has}, but {}. Put {between} between cells, as in the first line", named()))
        }
        false => Ok(()),
    }
}

const QUOTED: &str = "is quoted as in a mail, with > before it: remove the > from every line";

/// Whether a line begins like a quotation in a mail: with `>`, or somebody's name and `>`.
fn is_quoted(line: &str) -> bool {
    let is_name = |before: &str| before.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '.' | '-' | '_'));
    line.split_once('>').is_some_and(|(before, _)| is_name(before))
}

/// Explains why a text is not a table whose first line names these columns.
fn no_table(first: &str, heads: &csv::StringRecord, columns: &Columns) -> String {
    let ((first, _), meant) = (cut(first.trim(), SHOWN), columns.required.join(","));
    let has = |column: &str| heads.iter().any(|head| head == column);
    let why = if is_quoted(first) {
        "its lines are quoted as in a mail, with > before them: remove the > from every line"
    } else if has("why") {
        "this is a list of rolls for the sheet, but a list of attacks is needed"
    } else if has("hexes") || has("odds") {
        "this is a list of attacks, but each line must give a reason to roll"
    } else if first.starts_with('[') || first.contains('=') {
        "this is a TOML file, but a table of attacks or rolls is needed"
    } else {
        "this is not a table with these columns"
    };
    format!("the first line must be {meant}, but it is {first:?}: {why}")
}
