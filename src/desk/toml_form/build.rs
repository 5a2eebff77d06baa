//! Makes the fields of a form from its document.

use std::collections::BTreeSet;

use toml_edit::{Array, ArrayOfTables, InlineTable, Item, Key, RawString, Table, TableLike, Value};

use super::{
    comments::{Above, Hint, Hints, Legal, above, hint},
    tree::{Group, Groups, Kind, Leaf, Node, Spares, model},
    whole,
};
use crate::{desk::fields::Fields, play::blanks::is_blank};

/// The number of blank tables of each kind that a page shows at first.
const SPARES: usize = 3;
/// The maximum number of blank tables of each kind that a request can fill in.
const MOST: usize = 400;

/// Makes fields, for a page or for the fields of a request.
pub(super) struct Builder<'b> {
    pub(super) fields: Option<&'b Fields>,
}

/// Where a table stands.
#[derive(Clone, Copy)]
struct Place<'p> {
    /// The name of its fields up to their keys.
    name: &'p str,
    hints: &'p Hints,
    /// A block with the keys that the table could have.
    block: Option<&'p Table>,
    /// What an entry under a chosen name is like: what stands under the placeholder for names.
    like: Option<&'p Item>,
    /// Whether it is a blank table or one that is left out so far: its examples are what it begins with.
    is_blank: bool,
}

fn raw(text: Option<&RawString>) -> &str {
    text.and_then(|text| text.as_str()).unwrap_or_default()
}

/// Returns the place of the table above which the comments on a list of tables stand: the first that has any. Those
/// that somebody filled in come before the block that has the comments.
fn commented(tables: &ArrayOfTables) -> usize {
    tables.iter().position(|table| raw(table.decor().prefix()).contains('#')).unwrap_or_default()
}

/// Reads the comments above an item.
fn above_item(of: &dyn TableLike, key: &str, item: &Item) -> Above {
    above(match item {
        Item::Table(table) => raw(table.decor().prefix()),
        Item::ArrayOfTables(tables) => tables.get(commented(tables)).map_or("", |table| raw(table.decor().prefix())),
        _ => of.key(key).map_or("", |key| raw(key.leaf_decor().prefix())),
    })
}

/// Reads the comment after an item.
fn after_item(item: &Item) -> String {
    match item {
        Item::Table(table) => whole::first_comment(table.decor()),
        Item::Value(value) => whole::first_comment(value.decor()),
        Item::ArrayOfTables(tables) => {
            tables.iter().next().map(|table| whole::first_comment(table.decor())).unwrap_or_default()
        }
        Item::None => String::new(),
    }
}

/// Returns the name of a field under a path.
fn name_under(path: &str, key: &str) -> String {
    format!("{path}.{}", Key::new(key))
}

fn joined(parts: &[&str], between: &str) -> String {
    parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(between)
}

impl Builder<'_> {
    /// Makes the fields of a whole form.
    pub(super) fn root(&self, table: &Table, name: &str) -> Vec<Node> {
        self.children(table, Place { name, hints: &Hints::new(), block: None, like: None, is_blank: false })
    }

    fn children(&self, of: &dyn TableLike, place: Place<'_>) -> Vec<Node> {
        // What a comment says about keys also holds for the tables right below, if they are written alike.
        let (mut nodes, mut run) = (Vec::new(), ("", Hints::new()));
        let known = place.block.map(hints_of).unwrap_or_default();
        let like = of.iter().find(|(key, _)| is_blank(key)).map(|(_, item)| item);
        for (key, item) in of.iter() {
            let mut above = above_item(of, key, item);
            if !above.is_empty || run.0 != item.type_name() {
                run = (item.type_name(), std::mem::take(&mut above.keys));
            }
            let own = hint(&after_item(item));
            let inherited = known.get(key).filter(|hint| !hint.is_empty()).or_else(|| place.hints.get(key));
            let inherited = inherited.cloned().unwrap_or_default();
            let hint = Hint {
                about: joined(&[&above.about, if own.about.is_empty() { &inherited.about } else { &own.about }], "\n"),
                legal: if own.legal == Legal::Free { inherited.legal } else { own.legal },
                keys: if run.1.is_empty() { inherited.keys } else { run.1.clone() },
            };
            let like = like.filter(|like| !is_blank(key) && like.type_name() == item.type_name());
            let at = Place { hints: &hint.keys, like, ..place };
            let mut node = Node { notes: above.notes, ..self.node(key, item, &hint, at, Stands::of(item)) };
            if let Kind::Leaf(leaf) = &mut node.kind {
                leaf.can_go |= place.hints.contains_key(key);
            }
            nodes.push(node);
        }
        let missing = place.block.into_iter().flat_map(Table::iter).filter(|(key, _)| !of.contains_key(key));
        for (key, item) in missing {
            let told = place.hints.get(key).cloned().unwrap_or_default();
            let hint = known.get(key).filter(|hint| !hint.is_empty()).cloned().unwrap_or(told);
            let at = Place { hints: &hint.keys, block: None, like: None, ..place };
            nodes.push(self.node(key, item, &hint, at, Stands::Missing));
        }
        let has = |key: &str| of.contains_key(key) || place.block.is_some_and(|block| block.contains_key(key));
        for (key, hint) in place.hints.iter().filter(|(key, _)| !has(key)) {
            nodes.push(Node {
                key: key.clone(),
                name: name_under(place.name, key),
                notes: Vec::new(),
                about: hint.about.clone(),
                is_off: true,
                was_off: false,
                is_needed: false,
                kind: Kind::Leaf(Leaf::told(&hint.legal)),
                model: Item::None,
            });
        }
        // A table has the order of its block, whatever was filled in first. Entries that have a name come before those
        // that may get one.
        let place_of = |key: &str| place.block.and_then(|block| block.iter().position(|(known, _)| known == key));
        nodes.sort_by_key(|node| (matches!(node.kind, Kind::Named { .. }), place_of(&node.key).unwrap_or(usize::MAX)));
        nodes
    }

    fn node(&self, key: &str, item: &Item, hint: &Hint, at: Place<'_>, stands: Stands) -> Node {
        let name = name_under(at.name, key);
        let is_off = stands != Stands::Filled && !at.is_blank;
        let example = at.block.and_then(|block| block.get(key)).or(at.like);
        let place = Place { name: &name, block: None, like: None, ..at };
        let in_line = example.and_then(Item::as_inline_table).map(|table| table.clone().into_table());
        let kind = match item {
            _ if is_blank(key) && item.as_value().is_none_or(Value::is_inline_table) => self.named(item, hint, at),
            _ if hint.legal == Legal::AsItIs => Kind::AsItIs,
            Item::ArrayOfTables(tables) => self.groups(tables, hint, place, (stands, example)),
            Item::Value(Value::Array(array)) if is_list_of_tables(array, hint) => self.inline(array, hint, place),
            _ => match item.as_table_like() {
                Some(table) => {
                    let block = example.and_then(Item::as_table).or(in_line.as_ref());
                    Kind::Table(self.children(table, Place { block, is_blank: at.is_blank || is_off, ..place }))
                }
                // Without a block, a field that is emptied would be gone for good.
                None => {
                    let can_go = stands != Stands::Filled
                        || at.is_blank
                        || at.block.is_some()
                        || whole::decor(item).is_some_and(whole::was_off);
                    Kind::Leaf(Leaf { can_go, ..Leaf::of(item, &hint.legal, !is_off) })
                }
            },
        };
        // The comments above a list of tables stand with its tables.
        let about = if item.is_array_of_tables() { String::new() } else { hint.about.clone() };
        // A block has an optional part with placeholders, such as a commander.
        let is_optional = example
            .and_then(Item::as_inline_table)
            .is_some_and(|table| table.iter().any(|(_, value)| value.as_str().is_some_and(is_blank)));
        let was_off = stands == Stands::Filled
            && (whole::decor(item).is_some_and(whole::was_off) || is_optional && item.is_inline_table());
        // What only the block has is optional, but for what it has a placeholder for.
        let is_needed = stands == Stands::Missing && item.as_str().is_some_and(is_blank);
        Node {
            key: key.to_owned(),
            name,
            notes: Vec::new(),
            about,
            is_off,
            was_off,
            is_needed,
            kind,
            model: model(item),
        }
    }

    /// Makes blank entries for a placeholder of a name.
    fn named(&self, item: &Item, hint: &Hint, at: Place<'_>) -> Kind {
        let list = format!("{}.+", at.name);
        let inside = Hint { keys: hint.keys.clone(), ..Hint::default() };
        let nodes = self.numbers(&list, at.is_blank, (0, 1, 0)).into_iter().map(|number| {
            let name = format!("{list}{number}");
            let place = Place { name: &name, is_blank: true, block: None, like: None, ..at };
            let kind = match item {
                Item::ArrayOfTables(tables) => self.groups(tables, &inside, place, (Stands::Missing, None)),
                _ => Kind::Table(item.as_table_like().map(|table| self.children(table, place)).unwrap_or_default()),
            };
            let (key, model) = (String::new(), model(item));
            Node {
                key,
                name,
                notes: Vec::new(),
                about: hint.about.clone(),
                is_off: false,
                was_off: false,
                is_needed: false,
                kind,
                model,
            }
        });
        let known = if let Legal::One(words) = &hint.legal { words.clone() } else { Vec::new() };
        Kind::Named { entries: nodes.collect(), known }
    }

    /// Makes the groups of `[[tables]]`.
    fn groups(
        &self,
        tables: &ArrayOfTables,
        hint: &Hint,
        place: Place<'_>,
        (stands, example): (Stands, Option<&Item>),
    ) -> Kind {
        let is_block = |table: &Table| stands == Stands::Missing || whole::is_marked(table.decor());
        let own = tables.iter().enumerate().filter(|(_, table)| is_block(table));
        let own: Vec<(Option<usize>, &Table)> = own.map(|(at, table)| (Some(at), table)).collect();
        // A table that the form has may hold tables for which only its block has an example.
        let others = example.and_then(Item::as_array_of_tables).filter(|_| own.is_empty());
        let others = others.into_iter().flat_map(ArrayOfTables::iter).map(|table| (None, table));
        let blocks: Vec<(Option<usize>, &Table)> = own.iter().copied().chain(others).collect();
        let kept = tables.iter().filter(|table| !is_block(table)).enumerate().map(|(number, table)| {
            let name = format!("{}.{number}", place.name);
            let block = blocks.iter().map(|(_, block)| *block).find(|block| is_of(table, block));
            let nodes =
                self.children(table, Place { name: &name, block, like: None, hints: &hint.keys, is_blank: false });
            let title = titled(table)
                .unwrap_or_else(|| joined(&[&block.map(fixed).unwrap_or_default(), &(number + 1).to_string()], " "));
            Group { title, name, about: above(raw(table.decor().prefix())).about, nodes }
        });
        let kept: Vec<Group> = kept.collect();
        let (first, step) = (kept.len(), blocks.len());
        let spares = blocks.into_iter().enumerate().map(|(variant, (at, block))| {
            let above = above(raw(block.decor().prefix()));
            // The notes on the list are shown above it.
            let notes = if at == Some(commented(tables)) { String::new() } else { above.notes.join("\n\n") };
            let mut own = block.clone();
            whole::clean(&mut own);
            Spares {
                name: place.name.into(),
                step,
                title: fixed(block),
                about: joined(&[&notes, &above.about], "\n\n"),
                blank: self.blank(
                    block,
                    Place { hints: &hint.keys, block: None, ..place },
                    (first, step, variant),
                    at.is_none(),
                ),
                block: own,
                place: at,
            }
        });
        Kind::Groups(Groups { spares: spares.collect(), kept })
    }

    /// Makes blank tables like `of`. They begin with what it has, or with nothing if only the block has the keys.
    fn blank(
        &self,
        of: &Table,
        at: Place<'_>,
        numbers: (usize, usize, usize),
        is_inside: bool,
    ) -> Vec<(usize, Vec<Node>)> {
        let list = format!("{}.", at.name);
        let blank = self.numbers(&list, at.is_blank || is_inside, numbers).into_iter().map(|number| {
            let name = format!("{list}{number}");
            (number, self.children(of, Place { name: &name, is_blank: at.block.is_none(), ..at }))
        });
        blank.collect()
    }

    /// Makes the groups of a list of tables that stand in its lines.
    fn inline(&self, array: &Array, hint: &Hint, place: Place<'_>) -> Kind {
        let mut block = Table::new();
        for (key, value) in array.iter().filter_map(Value::as_inline_table).flat_map(InlineTable::iter) {
            block.entry(key).or_insert(Item::Value(value.clone()));
        }
        let place = Place { hints: &hint.keys, block: Some(&block), is_blank: false, ..place };
        let kept = array.iter().filter_map(Value::as_inline_table).enumerate().map(|(number, table)| {
            let name = format!("{}.{number}", place.name);
            // The comment after an entry stands before the next one.
            let next = array.get(number + 1).map_or(Some(array.trailing()), |next| next.decor().prefix());
            let after = raw(next).split('\n').next().unwrap_or_default().trim();
            let about = after.trim_start_matches('#').trim().to_owned();
            let nodes = self.children(table, Place { name: &name, ..place });
            Group { title: titled(table).unwrap_or_else(|| (number + 1).to_string()), about, nodes, name }
        });
        let kept: Vec<Group> = kept.collect();
        let own = begun(array, &block, &hint.keys);
        let spares = Spares {
            name: place.name.into(),
            step: 1,
            title: String::new(),
            about: String::new(),
            blank: self.blank(&own, place, (kept.len(), 1, 0), false),
            block: own,
            place: None,
        };
        Kind::Groups(Groups { kept, spares: vec![spares] })
    }

    /// Returns the numbers of blank tables: a few, and those that a request has.
    fn numbers(&self, list: &str, is_inside: bool, (first, step, variant): (usize, usize, usize)) -> Vec<usize> {
        let shown = if is_inside { 1 } else { SPARES };
        let mut numbers: BTreeSet<usize> = (0..shown).map(|n| first + n * step + variant).collect();
        for (name, _) in self.fields.iter().flat_map(|fields| fields.without(&[])) {
            let number = name.strip_prefix(list).and_then(|rest| rest.split('.').next()?.parse::<usize>().ok());
            let is_own = |number: &usize| number.checked_sub(first).is_some_and(|n| n % step == variant);
            numbers.extend(number.filter(is_own));
        }
        numbers.into_iter().take(MOST).collect()
    }
}

/// Whether the form has an item, has it commented out, or has it only in an example.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stands {
    Filled,
    Off,
    Missing,
}

impl Stands {
    fn of(item: &Item) -> Self {
        if whole::is_off(item) { Self::Off } else { Self::Filled }
    }
}

/// Returns what a block says about its keys.
fn hints_of(block: &Table) -> Hints {
    let hints = block.iter().map(|(key, item)| {
        let above = above_item(block, key, item);
        let own = hint(&after_item(item));
        let about = joined(&[&above.about, &own.about], "\n");
        (key.to_owned(), Hint { about, legal: own.legal, keys: above.keys })
    });
    hints.collect()
}

/// Makes what a new entry of a list begins with: the keys that every entry has, each with its first legal value. Numbers
/// stay empty: a forgotten one is refused, where any other would count.
fn begun(array: &Array, block: &Table, hints: &Hints) -> Table {
    let entries = || array.iter().filter_map(Value::as_inline_table);
    let mut begun = Table::new();
    for (key, item) in block.iter().filter(|(key, _)| entries().all(|entry| entry.contains_key(key))) {
        let legal = hints.get(key).map_or(&Legal::Free, |hint| &hint.legal);
        let first: Option<Value> = match (item.as_value(), legal) {
            (Some(Value::String(_)), Legal::One(words)) => words.first().map(Value::from),
            (Some(Value::String(_)), _) => Some("".into()),
            (Some(Value::Boolean(_)), _) => Some(false.into()),
            (Some(Value::Array(_)), _) => Some(Array::new().into()),
            _ => None,
        };
        if let Some(first) = first {
            begun.insert(key, Item::Value(first));
        }
    }
    begun
}

/// Whether an array is a list of tables, or is empty and would be one.
fn is_list_of_tables(array: &Array, hint: &Hint) -> bool {
    array.iter().all(Value::is_inline_table) && !(array.is_empty() && hint.keys.is_empty())
}

/// Whether a table could come from a block: it has the same fixed values.
fn is_of(table: &Table, block: &Table) -> bool {
    let fixed = hints_of(block).into_iter().filter(|(_, hint)| hint.legal == Legal::AsItIs);
    let text = |table: &Table, key: &str| table.get(key).and_then(Item::as_str).map(str::to_owned);
    fixed.into_iter().all(|(key, _)| text(table, &key) == text(block, &key))
}

/// Returns the fixed text of a block, which tells it from others.
fn fixed(block: &Table) -> String {
    let hints = hints_of(block);
    let is_fixed = |key: &str| hints.get(key).is_some_and(|hint| hint.legal == Legal::AsItIs);
    let mut texts = block.iter().filter(|(key, _)| is_fixed(key)).filter_map(|(_, item)| item.as_str());
    texts.next().unwrap_or_default().to_owned()
}

/// Returns the name of a table, if it has one.
fn titled(table: &dyn TableLike) -> Option<String> {
    ["name", "id", "unit"].into_iter().find_map(|key| table.get(key)?.as_str()).map(str::to_owned)
}
