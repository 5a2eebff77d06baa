//! A form as one document: with the parts that are commented out, each marked.

use toml_edit::{Decor, DocumentMut, Item, Table};

/// Stands behind the # of a line that was commented out and has a comment of its own.
const MARK: char = '\u{e000}';
/// Stands, with a # of its own, at the end of a line that was commented out and has no comment.
const BARE: &str = "#\u{e001}";

/// Reads a form with the parts that are commented out; none if its fields cannot be told apart from its comments.
pub(super) fn read(text: &str) -> Option<DocumentMut> {
    if text.contains(MARK) || text.contains(BARE) {
        return None;
    }
    let lines = text.lines().map(|line| uncommented(line).unwrap_or_else(|| line.to_owned()) + "\n");
    let whole: DocumentMut = lines.collect::<String>().parse().ok()?;
    // A line below a commented table belongs to the table before it: then the marks would be wrong.
    let mut filled = whole.clone();
    strip(filled.as_table_mut());
    let means = |text: &str| toml::from_str::<toml::Table>(text).ok();
    (means(text)? == means(&filled.to_string())?).then_some(whole)
}

/// Writes a document as a form again.
pub(super) fn write(whole: &DocumentMut) -> String {
    let line = |line: &str| match (line.strip_suffix(BARE), line.contains(MARK)) {
        (Some(line), _) => format!("# {line}\n"),
        (None, true) => format!("# {}\n", line.replace(MARK, "")),
        (None, false) => format!("{line}\n"),
    };
    whole.to_string().lines().map(line).collect()
}

/// Returns a line that is commented out, marked.
fn uncommented(line: &str) -> Option<String> {
    let rest = line.strip_prefix('#')?;
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    if rest.starts_with(['#', ' ', '\t']) || !(rest.contains('=') || rest.starts_with('[')) {
        return None;
    }
    let parsed: DocumentMut = rest.parse().ok()?;
    let (_, item) = parsed.iter().next()?;
    let suffix = decor(innermost(item)).and_then(|decor| decor.suffix()?.as_str()).unwrap_or_default();
    let head = rest.strip_suffix(suffix)?;
    Some(match suffix.split_once('#') {
        Some((blanks, said)) => format!("{head}{blanks}#{MARK}{said}"),
        None => format!("{head}{suffix}{BARE}"),
    })
}

/// Returns the item that a line of one header or one entry is about: `[a.b]` and `a.b = 1` have it inside others.
fn innermost(item: &Item) -> &Item {
    let inner = match item {
        Item::Table(table) if table.is_implicit() || table.is_dotted() => table.iter().next().map(|(_, item)| item),
        _ => None,
    };
    inner.map_or(item, innermost)
}

/// Returns the decoration of an item, in whose end a mark stands; that of the last table for a list of tables.
pub(super) fn decor(item: &Item) -> Option<&Decor> {
    match item {
        Item::None => None,
        Item::Value(value) => Some(value.decor()),
        Item::Table(table) => Some(table.decor()),
        Item::ArrayOfTables(tables) => tables.iter().last().map(Table::decor),
    }
}

/// Whether the mark of a part that is commented out stands at the end of a decoration.
pub(super) fn is_marked(decor: &Decor) -> bool {
    decor.suffix().and_then(|suffix| suffix.as_str()).is_some_and(|text| text.contains(MARK) || text.ends_with(BARE))
}

/// Whether an item is commented out. A list of tables has marked tables instead.
pub(super) fn is_off(item: &Item) -> bool {
    !item.is_array_of_tables() && decor(item).is_some_and(is_marked)
}

/// Removes the mark from a decoration.
pub(super) fn unmark(decor: &mut Decor) {
    let suffix = decor.suffix().and_then(|suffix| suffix.as_str()).unwrap_or_default();
    let kept = suffix.replace(MARK, "");
    decor.set_suffix(kept.strip_suffix(BARE).unwrap_or(&kept).to_owned());
}

/// Removes the mark from an item.
pub(super) fn unmark_item(item: &mut Item) {
    match item {
        Item::Value(value) => unmark(value.decor_mut()),
        Item::Table(table) => unmark(table.decor_mut()),
        Item::ArrayOfTables(_) | Item::None => {}
    }
}

/// Begins the comment of a part that was commented out before somebody filled it in.
const WAS_OFF: &str = "optional: ";

/// Whether a part was commented out before somebody filled it in.
pub(super) fn was_off(decor: &Decor) -> bool {
    comment(decor).starts_with(WAS_OFF.trim_end())
}

/// Returns the comment of such a part as it was at first; of another part as it is.
pub(super) fn first_comment(decor: &Decor) -> String {
    let said = comment(decor);
    said.strip_prefix(WAS_OFF.trim_end()).map(|said| said.trim_start().to_owned()).unwrap_or(said)
}

/// Removes the mark from a part, and notes that it can be left out again.
pub(super) fn put_in(decor: &mut Decor) {
    let said = comment(decor);
    decor.set_suffix(format!("    # {WAS_OFF}{said}").trim_end());
}

/// Comments a table out again, with its entries. One that has more than single lines stays.
pub(super) fn put_out(table: &mut Table) {
    let is_plain = |item: &Item| item.as_value().is_some_and(|value| !value.to_string().contains('\n'));
    if !table.iter().all(|(_, item)| is_plain(item)) {
        return;
    }
    mark(table.decor_mut());
    for (_, item) in table.iter_mut() {
        if let Some(value) = item.as_value_mut().filter(|value| !is_marked(value.decor())) {
            mark(value.decor_mut());
        }
    }
}

/// Comments a part out again.
pub(super) fn mark(decor: &mut Decor) {
    let said = first_comment(decor);
    decor.set_suffix(if said.is_empty() { BARE.to_owned() } else { format!("    #{MARK} {said}") });
}

/// Returns the comment at the end of a decoration, without its mark.
pub(super) fn comment(decor: &Decor) -> String {
    let suffix = decor.suffix().and_then(|suffix| suffix.as_str()).unwrap_or_default();
    let said = suffix.strip_suffix(BARE).unwrap_or(suffix).trim_start();
    said.trim_start_matches('#').trim_start_matches(MARK).trim().to_owned()
}

/// Removes everything that is commented out.
pub(super) fn strip(table: &mut Table) {
    table.retain(|_, item| !is_off(item));
    for (_, item) in table.iter_mut() {
        match item {
            Item::Table(inner) => strip(inner),
            Item::ArrayOfTables(tables) => {
                tables.retain(|table| !is_marked(table.decor()));
                tables.iter_mut().for_each(strip);
            }
            Item::Value(_) | Item::None => {}
        }
    }
}

/// Makes a block that was commented out into one that stands for itself, without comments and without blocks inside.
pub(super) fn clean(table: &mut Table) {
    table.retain(|_, item| !matches!(item, Item::ArrayOfTables(_)));
    *table.decor_mut() = Decor::new("\n", "");
    for (mut key, item) in table.iter_mut() {
        *key.leaf_decor_mut() = Decor::new("", " ");
        clean_item(item);
    }
}

/// Makes an entry that was commented out into one that stands for itself.
pub(super) fn clean_item(item: &mut Item) {
    match item {
        Item::Value(value) => *value.decor_mut() = Decor::new(" ", ""),
        Item::Table(table) => clean(table),
        Item::ArrayOfTables(tables) => tables.clear(),
        Item::None => {}
    }
}
