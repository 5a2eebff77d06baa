//! Converts spreadsheet workbooks (.xlsx, .ods) to CSV, so that one reader serves every table.

use std::{
    collections::BTreeMap,
    fmt::Display,
    io::{self, Cursor, Read},
};

use calamine::{Data, Ods, OdsError, Reader, Sheet, SheetType, SheetVisible, Xlsx, XlsxError};
use zip::ZipArchive;

use crate::{limits::FRAME_BYTES, report::text::cut};

/// The size of the largest workbook that is read, in bytes.
pub(super) const WORKBOOK_BYTES: usize = 1 << 24;
/// The maximum size of a workbook's parts when unpacked, in bytes: a small file can unpack to gigabytes.
const UNPACKED_BYTES: u64 = 1 << 25;
/// The maximum number of rows in a table; no rules allow as many.
const ROWS: u32 = 10_000;
/// The maximum number of columns in a table.
const COLUMNS: u32 = 100;

/// The advice for a workbook that contains more than one table.
const OWN: &str = "Copy the table into a workbook of its own";

/// The first bytes of every zip file, and so of every workbook.
const ZIP: &[u8] = b"PK\x03\x04";
/// The first bytes of workbooks from old versions of Excel, and of encrypted ones.
const OLD: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// The filled cells of a sheet, by row and column from 0.
type Cells = BTreeMap<(u32, u32), String>;

/// Whether a file is a workbook rather than text.
pub(super) fn is_workbook(bytes: &[u8]) -> bool {
    bytes.starts_with(ZIP) || bytes.starts_with(OLD)
}

/// Returns the first sheet of a workbook that is visible and not empty, as CSV with one line for each of its rows.
///
/// # Errors
/// If it is not a workbook, cannot be read or is too large. The error explains what to do.
pub(super) fn as_csv(bytes: &[u8]) -> Result<String, String> {
    if bytes.len() > WORKBOOK_BYTES {
        return Err(format!("it has more than {WORKBOOK_BYTES} bytes. {OWN}"));
    }
    if bytes.starts_with(OLD) {
        return Err(
            "this workbook has a password or comes from an old version of Excel. Save it as .xlsx, or as CSV".into()
        );
    }
    check_unpacked(bytes)?;
    // These errors mean that the workbook is not .ods, so it is read as .xlsx.
    let cells = match Ods::new(Cursor::new(bytes)) {
        Ok(mut book) => of_ods(&mut book),
        Err(OdsError::InvalidMime(_) | OdsError::FileNotFound(_)) => {
            Xlsx::new(Cursor::new(bytes)).map_err(unreadable).and_then(|mut book| of_xlsx(&mut book))
        }
        Err(OdsError::Password) => {
            return Err("this workbook has a password. Save it without one, or as CSV".into());
        }
        Err(error) => Err(unreadable(error)),
    };
    let text = csv_of(&cells?).map_err(unreadable)?;
    if text.len() > FRAME_BYTES {
        return Err(format!("its first sheet has more than {FRAME_BYTES} bytes of text. {OWN}"));
    }
    String::from_utf8(text).map_err(unreadable)
}

/// Checks the sizes of a workbook's parts by unpacking them, because the sizes that a zip file states can be false.
fn check_unpacked(bytes: &[u8]) -> Result<(), String> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(unreadable)?;
    let mut left = UNPACKED_BYTES;
    for at in 0..archive.len() {
        // An encrypted part is skipped here; the reader of the workbook reports it.
        let Ok(part) = archive.by_index(at) else { continue };
        left -= io::copy(&mut part.take(left), &mut io::sink()).map_err(unreadable)?;
        if left == 0 {
            return Err(format!("it unpacks to more than {} MB. {OWN}", UNPACKED_BYTES >> 20));
        }
    }
    Ok(())
}

fn unreadable(error: impl Display) -> String {
    format!("this is not a workbook that can be read ({error}). Save the table as .xlsx, .ods or CSV")
}

/// Returns the names of the sheets that may hold a table, in the order of their tabs.
fn names(sheets: &[Sheet]) -> Vec<String> {
    let shown = sheets.iter().filter(|sheet| sheet.visible == SheetVisible::Visible);
    shown.filter(|sheet| sheet.typ == SheetType::WorkSheet).map(|sheet| sheet.name.clone()).collect()
}

fn of_ods(book: &mut Ods<Cursor<&[u8]>>) -> Result<Cells, String> {
    for name in names(book.sheets_metadata()) {
        let range = book.worksheet_range(&name).map_err(unreadable)?;
        let (row, column) = range.start().unwrap_or_default();
        let mut cells = Cells::new();
        for (below, right, value) in range.used_cells() {
            let at = |first: u32, further: usize| first.saturating_add(u32::try_from(further).unwrap_or(u32::MAX));
            put(&mut cells, (at(row, below), at(column, right)), value)?;
        }
        if !cells.is_empty() {
            return Ok(cells);
        }
    }
    Ok(Cells::new())
}

fn of_xlsx(book: &mut Xlsx<Cursor<&[u8]>>) -> Result<Cells, String> {
    for name in names(book.sheets_metadata()) {
        // The cells are read one by one, because a range would allocate every cell up to the last, however far out that
        // is.
        let mut reader = book.worksheet_cells_reader(&name).map_err(unreadable)?;
        let mut cells = Cells::new();
        while let Some(cell) = reader.next_cell().map_err(|error: XlsxError| unreadable(error))? {
            put(&mut cells, cell.get_position(), &Data::from(cell.get_value().clone()))?;
        }
        if !cells.is_empty() {
            return Ok(cells);
        }
    }
    Ok(Cells::new())
}

/// Adds a cell, unless it is empty.
fn put(cells: &mut Cells, (row, column): (u32, u32), value: &Data) -> Result<(), String> {
    let text = text_of(value);
    if text.is_empty() {
        return Ok(());
    }
    if row >= ROWS || column >= COLUMNS {
        return Err(format!(
            "the first sheet has a cell in row {}, column {}, far from any table ({}). {OWN}",
            row.saturating_add(1),
            column.saturating_add(1),
            cut(&text, 60).0
        ));
    }
    cells.insert((row, column), text);
    Ok(())
}

/// Returns the text of a cell in one line. Dates and times are written so that nobody takes them for odds.
fn text_of(value: &Data) -> String {
    match value {
        Data::DateTime(moment) => {
            let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
            let time = format!("{hour:02}:{minute:02}:{second:02}");
            match (moment.as_f64() < 1.0, time.as_str()) {
                (true, time) => time.to_owned(),
                (false, "00:00:00") => format!("{year:04}-{month:02}-{day:02}"),
                (false, time) => format!("{year:04}-{month:02}-{day:02} {time}"),
            }
        }
        Data::DateTimeIso(moment) => moment.replace('T', " "),
        // `PT03H01M00S`
        Data::DurationIso(time) => time.replace(['P', 'T', 'S'], "").replace(['H', 'M'], ":"),
        Data::Float(number) => number.to_string(),
        other => other.to_string().split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

fn csv_of(cells: &Cells) -> Result<Vec<u8>, String> {
    let rows = cells.keys().map(|(row, _)| row + 1).max().unwrap_or_default();
    let columns = cells.keys().map(|(_, column)| column + 1).max().unwrap_or_default();
    let mut table = csv::Writer::from_writer(Vec::new());
    for row in 0..rows {
        let cells = (0..columns).map(|column| cells.get(&(row, column)).map_or("", String::as_str));
        table.write_record(cells).map_err(|error| error.to_string())?;
    }
    table.into_inner().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use calamine::{ExcelDateTime, ExcelDateTimeType};

    use super::*;

    #[test]
    fn cells_are_written_as_people_see_them() {
        let moment = |value: f64| Data::DateTime(ExcelDateTime::new(value, ExcelDateTimeType::DateTime, false));
        for (value, text) in [
            (Data::Float(824.0), "824"),
            (Data::Float(8.24), "8.24"),
            (Data::String(" F12\n+ F13 ".into()), "F12 + F13"),
            (moment(46025.0), "2026-01-03"),
            (moment(46025.5), "2026-01-03 12:00:00"),
            (moment(181.0 / 1440.0), "03:01:00"),
            (Data::DateTimeIso("2026-01-03T00:00:00".into()), "2026-01-03 00:00:00"),
            (Data::DurationIso("PT03H01M00S".into()), "03:01:00"),
        ] {
            assert_eq!(text_of(&value), text);
        }
    }

    #[test]
    fn a_cell_far_out_takes_no_room() {
        let mut cells = Cells::new();
        put(&mut cells, (u32::MAX, u32::MAX), &Data::Empty).expect("nothing is there");
        let why = put(&mut cells, (u32::MAX, 3), &Data::Bool(true)).expect_err("it is far out");
        assert!(why.contains("a workbook of its own"), "{why}");
    }

    #[test]
    fn a_small_file_that_unpacks_to_much_is_refused() {
        let mut book = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default();
        for part in ["mimetype", "content.xml", "xl/sharedStrings.xml"] {
            book.start_file(part, options).expect("a part");
            io::copy(&mut io::repeat(b' ').take(UNPACKED_BYTES / 2), &mut book).expect("blanks");
        }
        let bytes = book.finish().expect("a file").into_inner();
        assert!(bytes.len() < WORKBOOK_BYTES / 100, "{} bytes", bytes.len());
        let why = as_csv(&bytes).expect_err("too much");
        assert!(why.contains("unpacks to more than 32 MB"), "{why}");
    }

    #[test]
    fn other_files_are_refused_with_a_way_out() {
        for bytes in [b"PK\x03\x04 and nothing more".as_slice(), OLD] {
            assert!(is_workbook(bytes));
            let why = as_csv(bytes).expect_err("it is no workbook");
            assert!(why.contains("as CSV") || why.contains("or CSV"), "{why}");
        }
        assert!(!is_workbook(b"hexes,odds\n"));
    }
}
