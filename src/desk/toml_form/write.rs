//! Writes the fields of a request into the document of a form.

use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::{
    lists,
    tree::{Groups, Holds, Kind, Leaf, Node, are_changed},
    whole,
};
use crate::desk::fields::Fields;

/// Writes fields into a form.
pub(super) struct Writer<'w> {
    pub(super) fields: &'w Fields,
}

impl Writer<'_> {
    /// Changes what the request changes, and nothing else.
    pub(super) fn write(&self, whole: &mut DocumentMut, nodes: &[Node]) {
        if are_changed(nodes, self.fields) {
            self.fill(whole.as_table_mut(), nodes, false);
            // A new table has the place of no other, and tables are written by place.
            number(whole.as_table_mut(), &mut 0);
        }
    }

    /// Fills in a table; one that is new also keeps the examples that nobody has changed.
    fn fill(&self, of: &mut dyn TableLike, nodes: &[Node], is_new: bool) {
        for node in nodes {
            match &node.kind {
                Kind::AsItIs => of.get_mut(&node.key).filter(|_| is_new).into_iter().for_each(whole::unmark_item),
                Kind::Leaf(leaf) => self.leaf(of, node, leaf, is_new),
                Kind::Table(inside) => self.table(of, node, inside, is_new),
                Kind::Groups(groups) => self.groups(of, node, groups),
                Kind::Named { entries, .. } => self.named(of, node, entries),
            }
        }
    }

    fn leaf(&self, of: &mut dyn TableLike, node: &Node, leaf: &Leaf, is_new: bool) {
        let is_list = matches!(leaf.holds, Holds::Bool | Holds::Texts | Holds::Numbers);
        match leaf.typed(&node.name, self.fields).filter(|typed| *typed != leaf.shown) {
            None if is_new && leaf.is_open => leave_out(of, &node.key),
            None if is_new => of.get_mut(&node.key).into_iter().for_each(whole::unmark_item),
            None => {}
            Some(typed) if typed.trim().is_empty() && node.was_off => put_out(of, &node.key),
            Some(typed) if typed.trim().is_empty() && !is_list && leaf.can_go => leave_out(of, &node.key),
            Some(typed) => set(of, &node.key, value(leaf.holds, typed.trim()), node.is_off),
        }
    }

    fn table(&self, of: &mut dyn TableLike, node: &Node, inside: &[Node], is_new: bool) {
        if node.is_dropped(self.fields) {
            match of.get_mut(&node.key).map(Item::as_table_mut) {
                Some(Some(table)) => whole::put_out(table),
                Some(None) => leave_out(of, &node.key),
                None => {}
            }
            return;
        }
        let is_changed = node.is_changed(self.fields);
        if !is_changed && (node.is_off || is_new && node.is_open()) {
            // What is left out stays so; a new table has no part whose placeholders nobody replaced.
            if is_new {
                leave_out(of, &node.key);
            }
            return;
        }
        if is_changed && !of.contains_key(&node.key) {
            of.insert(&node.key, node.model.clone());
        }
        let Some(item) = of.get_mut(&node.key) else { return };
        match item.as_table_mut() {
            Some(table) if node.is_off => whole::put_in(table.decor_mut()),
            _ if is_new || node.is_off => whole::unmark_item(item),
            _ => {}
        }
        if let Some(table) = item.as_table_like_mut() {
            self.fill(table, inside, is_new || node.is_off);
        }
        if let Some(table) = item.as_inline_table_mut().filter(|_| is_changed) {
            table.fmt();
            if table.is_empty() {
                leave_out(of, &node.key);
            }
        }
    }

    /// Returns the blank tables that the request fills, each with the place of the block that it comes from.
    fn filled(&self, groups: &Groups) -> Vec<(Option<usize>, Table)> {
        let all = groups.spares.iter().flat_map(|spares| spares.blank.iter().map(move |(_, nodes)| (spares, nodes)));
        let filled = all.filter(|(_, nodes)| are_changed(nodes, self.fields)).map(|(spares, nodes)| {
            let mut table = spares.block.clone();
            self.fill(&mut table, nodes, true);
            (spares.place, table)
        });
        filled.collect()
    }

    fn groups(&self, of: &mut dyn TableLike, node: &Node, groups: &Groups) {
        let filled = self.filled(groups);
        match of.get_mut(&node.key) {
            Some(Item::ArrayOfTables(tables)) => self.tables(tables, groups, filled),
            Some(Item::Value(Value::Array(array))) => self.entries(array, groups, filled),
            _ if filled.is_empty() => {}
            _ if node.model.is_array_of_tables() => {
                let tables: ArrayOfTables = filled.into_iter().map(|(_, table)| table).collect();
                of.insert(&node.key, Item::ArrayOfTables(tables));
            }
            _ => {
                let mut array = Array::new();
                self.entries(&mut array, groups, filled);
                of.insert(&node.key, Item::Value(Value::Array(array)));
            }
        }
    }

    fn tables(&self, tables: &mut ArrayOfTables, groups: &Groups, mut filled: Vec<(Option<usize>, Table)>) {
        let mut kept = groups.kept.iter();
        for (at, mut table) in std::mem::take(tables).into_iter().enumerate() {
            if whole::is_marked(table.decor()) {
                // New tables come before the block, with which more can be made.
                let (own, others) = filled.into_iter().partition(|(place, _)| *place == Some(at));
                filled = others;
                let own: Vec<(Option<usize>, Table)> = own;
                tables.extend(own.into_iter().map(|(_, table)| table));
            } else if let Some(group) = kept.next() {
                if self.fields.has(&group.name) {
                    continue;
                }
                self.fill(&mut table, &group.nodes, false);
            }
            tables.push(table);
        }
        tables.extend(filled.into_iter().map(|(_, table)| table));
    }

    fn entries(&self, array: &mut Array, groups: &Groups, filled: Vec<(Option<usize>, Table)>) {
        for (group, entry) in groups.kept.iter().zip(array.iter_mut()) {
            if let Value::InlineTable(table) = entry {
                self.fill(table, &group.nodes, false);
                if are_changed(&group.nodes, self.fields) {
                    table.fmt();
                }
            }
        }
        let dropped = groups.kept.iter().enumerate().filter(|(_, group)| self.fields.has(&group.name));
        for (at, _) in dropped.collect::<Vec<_>>().into_iter().rev() {
            array.remove(at);
        }
        let has_more = !filled.is_empty();
        for (_, table) in filled {
            let mut table: InlineTable = table.into_inline_table();
            table.fmt();
            array.push_formatted(Value::InlineTable(table).decorated("\n  ", ""));
        }
        if has_more {
            array.set_trailing_comma(true);
            if !array.trailing().as_str().is_some_and(|text| text.contains('\n')) {
                array.set_trailing("\n");
            }
        }
    }

    fn named(&self, of: &mut dyn TableLike, node: &Node, entries: &[Node]) {
        for entry in entries {
            let named = self.fields.said(&entry.name);
            if named.is_none() && !entry.is_changed(self.fields) {
                continue;
            }
            // Without a name the placeholder stays, and the game refuses it.
            let key = named.unwrap_or(&node.key);
            match &entry.kind {
                Kind::Groups(groups) => {
                    let mut tables = self.filled(groups);
                    if let (true, Some(spares)) = (tables.is_empty(), groups.spares.first()) {
                        let mut table = spares.block.clone();
                        if let Some((_, nodes)) = spares.blank.first() {
                            self.fill(&mut table, nodes, true);
                        }
                        tables.push((None, table));
                    }
                    let tables = tables.into_iter().map(|(_, table)| table);
                    match of.get_mut(key) {
                        Some(Item::ArrayOfTables(others)) => others.extend(tables),
                        _ => drop(of.insert(key, Item::ArrayOfTables(tables.collect()))),
                    }
                }
                Kind::Table(inside) => {
                    let mut item = entry.model.clone();
                    if let Some(table) = item.as_table_like_mut() {
                        self.fill(table, inside, true);
                    }
                    of.insert(key, item);
                }
                Kind::AsItIs | Kind::Leaf(_) | Kind::Named { .. } => {}
            }
        }
    }
}

/// Leaves an entry out. One that is commented out stays as it is.
fn leave_out(of: &mut dyn TableLike, key: &str) {
    if of.get(key).is_some_and(|item| !whole::is_off(item)) {
        of.remove(key);
    }
}

/// Leaves a value out again that was commented out at first.
fn put_out(of: &mut dyn TableLike, key: &str) {
    match of.get_mut(key).and_then(Item::as_value_mut) {
        // A comment is a single line.
        Some(value) if !value.to_string().contains('\n') => whole::mark(value.decor_mut()),
        _ => leave_out(of, key),
    }
}

/// Sets a value, with the comment that its line has. `is_off` says whether the form leaves it out so far.
fn set(of: &mut dyn TableLike, key: &str, mut value: Value, is_off: bool) {
    match of.get_mut(key) {
        Some(item) => {
            if let Some(old) = item.as_value() {
                *value.decor_mut() = old.decor().clone();
            }
            if is_off && whole::is_marked(value.decor()) {
                whole::put_in(value.decor_mut());
            }
            *item = Item::Value(value);
            whole::unmark_item(item);
        }
        None => drop(of.insert(key, Item::Value(value))),
    }
}

/// Returns the value of a changed field. What has the wrong type is written as a text: the game says what is wrong.
fn value(holds: Holds, typed: &str) -> Value {
    match holds {
        Holds::Bool => Value::from(!typed.is_empty()),
        Holds::Number => typed.parse::<i64>().map_or_else(|_| typed.into(), Value::from),
        Holds::Numbers => Value::Array(lists::numbers(typed)),
        Holds::Other => typed.parse().unwrap_or_else(|_| typed.into()),
        Holds::Text => typed.into(),
        Holds::Texts => Value::Array(lists::texts(typed)),
    }
}

/// Numbers the tables in the order in which they are written.
fn number(table: &mut Table, next: &mut isize) {
    if !table.is_implicit() && !table.is_dotted() {
        table.set_position(Some(*next));
        *next += 1;
    }
    for (_, item) in table.iter_mut() {
        match item {
            Item::Table(inner) => number(inner, next),
            Item::ArrayOfTables(tables) => tables.iter_mut().for_each(|table| number(table, next)),
            Item::Value(_) | Item::None => {}
        }
    }
}
