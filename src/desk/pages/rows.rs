//! Entries of one kind as the rows of a table, where each of their fields fits into a cell.

use maud::{Markup, html};

use super::{
    super::{
        texts,
        toml_form::{Control, Groups, Kind, Leaf, Node},
    },
    controls::{LISTS, control, explained, id, words},
};

/// The maximum number of columns; an entry with more is easier to fill in as a block.
const MOST: usize = 13;
/// Keys whose values name an entry.
const NAMES: [&str; 3] = ["name", "id", "unit"];

/// An entry of a form.
struct Row<'r> {
    title: &'r str,
    about: &'r str,
    nodes: &'r [Node],
    /// The name of the box that leaves it out, if it can be left out.
    leave_out: Option<&'r str>,
}

/// A table of entries.
struct Rows<'r> {
    /// The beginning of the ids of what its columns are about.
    id: String,
    columns: Vec<&'r Node>,
    /// Whether the title of an entry is one of its fields.
    is_named: bool,
}

/// Shows the tables of a list; none if they do not fit into one table.
pub(super) fn of_groups(groups: &Groups, label: &str) -> Option<Markup> {
    let spares = match groups.spares.as_slice() {
        [] => None,
        [spares] => Some(spares),
        _ => return None,
    };
    let kept: Vec<Row<'_>> = groups
        .kept
        .iter()
        .map(|group| Row {
            title: &group.title,
            about: &group.about,
            nodes: &group.nodes,
            leave_out: Some(&group.name),
        })
        .collect();
    let blank = spares.map(|spares| spares.blank.as_slice()).unwrap_or_default();
    let name = kept.first().and_then(|row| row.leave_out).or_else(|| spares.map(|spares| spares.name.as_str()))?;
    let rows = Rows::of(name, blank.iter().map(|(_, nodes)| nodes.as_slice()), &kept)?;
    Some(html! {
        @if let Some(spares) = spares.filter(|spares| !spares.about.is_empty()) { p.about.lines { (spares.about) } }
        div.rows {
            table aria-label=(label) {
                (rows.head(!kept.is_empty(), !kept.is_empty()))
                @if !kept.is_empty() { tbody { @for row in &kept { (rows.row(row)) } } }
                @if let Some(spares) = spares {
                    tbody data-spares={ (spares.name) "." } data-step=(spares.step) {
                        @for (number, nodes) in blank {
                            tr data-number=(number) {
                                @if !rows.is_named && !kept.is_empty() { td {} }
                                (rows.cells(nodes, |column| texts::in_row(column, number + 1)))
                            }
                        }
                    }
                }
            }
        }
    })
}

/// Shows tables that stand under their names in another one, such as the orders of units; none if they do not fit into
/// one table.
pub(super) fn of_tables(name: &str, nodes: &[Node], label: &str) -> Option<Markup> {
    let entries: Option<Vec<Row<'_>>> = nodes.iter().map(entry).collect();
    let entries = entries?;
    let rows = Rows::of(name, [], &entries).map(|rows| Rows { is_named: false, ..rows })?;
    Some(html! {
        div.rows { table aria-label=(label) { (rows.head(true, false)) tbody { @for row in &entries { (rows.row(row)) } } } }
    })
}

/// Returns a table as an entry; none if it is left out so far, or is no table.
fn entry(node: &Node) -> Option<Row<'_>> {
    match &node.kind {
        Kind::Table(nodes) if !node.is_off && !node.was_off && node.notes.is_empty() => {
            Some(Row { title: &node.key, about: &node.about, nodes, leave_out: None })
        }
        _ => None,
    }
}

impl<'r> Rows<'r> {
    /// Makes the columns of entries; none if a field does not fit into a cell, or if a table would be no shorter.
    fn of(name: &str, blank: impl IntoIterator<Item = &'r [Node]>, kept: &[Row<'r>]) -> Option<Self> {
        let all: Vec<&[Node]> = blank.into_iter().chain(kept.iter().map(|row| row.nodes)).collect();
        let mut columns: Vec<&Node> = Vec::new();
        for node in all.iter().copied().flatten() {
            match &node.kind {
                Kind::AsItIs => {}
                Kind::Leaf(Leaf { control: Control::Area | Control::Any(_), .. }) => return None,
                Kind::Leaf(_) if node.notes.is_empty() => {
                    if !columns.iter().any(|column| column.key == node.key) {
                        columns.push(node);
                    }
                    if columns.len() > MOST {
                        return None;
                    }
                }
                Kind::Leaf(_) | Kind::Table(_) | Kind::Groups(_) | Kind::Named { .. } => return None,
            }
        }
        let is_named = columns.iter().any(|column| NAMES.contains(&column.key.as_str()));
        let fits = columns.len() > 1 && all.len() > 1;
        fits.then(|| Self { id: id(name), columns, is_named })
    }

    /// Returns the id of what a column is about.
    fn about_id(&self, column: &Node) -> String {
        format!("{}-{}-about", self.id, id(&column.key))
    }

    /// Returns the headings. `has_titles` tells whether there are entries that have a title.
    fn head(&self, has_titles: bool, can_leave_out: bool) -> Markup {
        html! {
            thead { tr {
                @if !self.is_named && has_titles { td {} }
                @for column in &self.columns {
                    th scope="col" {
                        (words(&column.key))
                        @let about = explained(column);
                        @if !about.is_empty() { p.about.lines id=(self.about_id(column)) { (about) } }
                    }
                }
                @if can_leave_out { th scope="col" { (texts::LEAVE_OUT) } }
            } }
        }
    }

    fn row(&self, row: &Row<'_>) -> Markup {
        let about = html! { @if !row.about.is_empty() { p.about.lines { (row.about) } } };
        html! {
            tr {
                @if !self.is_named { th scope="row" { (row.title) (about) } }
                (self.cells(row.nodes, |column| texts::of_entry(column, row.title)))
                @if let Some(name) = row.leave_out {
                    td {
                        input type="checkbox" name=(name) value="yes"
                            aria-label=(texts::of_entry(texts::LEAVE_OUT, row.title));
                        @if self.is_named { (about) }
                    }
                }
            }
        }
    }

    /// Returns the cells of an entry. What is said of a field in this entry alone stands in its cell.
    fn cells(&self, nodes: &[Node], said: impl Fn(&str) -> String) -> Markup {
        let cell = |column: &Node| {
            let node = nodes.iter().find(|node| node.key == column.key)?;
            let Kind::Leaf(leaf) = &node.kind else { return None };
            let about = explained(node);
            let is_own = about != explained(column) && !about.is_empty();
            let own = format!("{}-about", id(&node.name));
            let by = (!about.is_empty()).then(|| if is_own { own.clone() } else { self.about_id(column) });
            let lists = matches!(leaf.control, Control::List).then(|| LISTS.to_owned());
            let by: Vec<String> = by.into_iter().chain(lists).collect();
            let by = (!by.is_empty()).then(|| by.join(" "));
            Some(html! {
                (control(&node.name, leaf, by.as_deref(), Some(&said(&words(&node.key)))))
                @if is_own { p.about.lines id=(own) { (about) } }
            })
        };
        html! { @for column in &self.columns { td { @if let Some(cell) = cell(column) { (cell) } } } }
    }
}
