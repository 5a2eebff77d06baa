//! The fields of a form, with what they show and allow.

use toml_edit::{Item, Table};

use super::{comments::Legal, lists, whole};
use crate::{desk::fields::Fields, play::blanks::is_blank};

/// A key of a form with its field, or with the fields inside it.
#[derive(Clone, Debug)]
pub(in crate::desk) struct Node {
    pub(in crate::desk) key: String,
    /// The name of its field: the path of the key in the form.
    pub(in crate::desk) name: String,
    /// Paragraphs above it that are about more than it.
    pub(in crate::desk) notes: Vec<String>,
    /// What it is about.
    pub(in crate::desk) about: String,
    /// Whether the form leaves it out so far.
    pub(in crate::desk) is_off: bool,
    /// Whether it was left out before somebody filled it in, and can be left out again.
    pub(in crate::desk) was_off: bool,
    /// Whether a table that the form has cannot go without it, although it is left out so far.
    pub(in crate::desk) is_needed: bool,
    pub(in crate::desk) kind: Kind,
    /// The default item, used where the form has no value for this node.
    pub(super) model: Item,
}

#[derive(Clone, Debug)]
pub(in crate::desk) enum Kind {
    /// A value that nobody changes.
    AsItIs,
    Leaf(Leaf),
    Table(Vec<Node>),
    Groups(Groups),
    /// Entries under names that are still to be chosen; if the form lists the names, one of those.
    Named {
        entries: Vec<Node>,
        known: Vec<String>,
    },
}

/// A field with one control.
#[derive(Clone, Debug)]
pub(in crate::desk) struct Leaf {
    /// What the control shows before it is changed.
    pub(in crate::desk) shown: String,
    pub(in crate::desk) control: Control,
    /// Whether the form can go without it.
    pub(in crate::desk) can_go: bool,
    /// Whether it has to be filled in before anything counts: the form has a placeholder here, or nothing.
    pub(super) is_open: bool,
    pub(super) holds: Holds,
}

#[derive(Clone, Debug)]
pub(in crate::desk) enum Control {
    Line,
    Area,
    List,
    Number(Option<(i64, i64)>),
    One(Vec<String>),
    Any(Vec<String>),
    Tick,
}

/// How a changed field is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    Bool,
    Number,
    Numbers,
    /// A value that has no field of its own, in TOML.
    Other,
    Text,
    Texts,
}

/// Tables of one kind, one after the other.
#[derive(Clone, Debug)]
pub(in crate::desk) struct Groups {
    /// The tables that the form has.
    pub(in crate::desk) kept: Vec<Group>,
    /// Blank ones, by the block that they come from.
    pub(in crate::desk) spares: Vec<Spares>,
}

#[derive(Clone, Debug)]
pub(in crate::desk) struct Group {
    /// The field name of the checkbox that leaves this table out.
    pub(in crate::desk) name: String,
    pub(in crate::desk) title: String,
    pub(in crate::desk) about: String,
    pub(in crate::desk) nodes: Vec<Node>,
}

/// Blank tables that come from one block of the form.
#[derive(Clone, Debug)]
pub(in crate::desk) struct Spares {
    /// The name of the list.
    pub(in crate::desk) name: String,
    /// How far their numbers are apart.
    pub(in crate::desk) step: usize,
    pub(in crate::desk) title: String,
    pub(in crate::desk) about: String,
    pub(in crate::desk) blank: Vec<(usize, Vec<Node>)>,
    /// The block as a table of its own.
    pub(super) block: Table,
    /// The place of the block among the tables.
    pub(super) place: Option<usize>,
}

impl Leaf {
    /// Makes the field of a value that the form has, or that it has as an example only.
    pub(super) fn of(item: &Item, legal: &Legal, is_shown: bool) -> Self {
        let text = |text: &str| if is_blank(text) { String::new() } else { text.to_owned() };
        let array = item.as_array();
        let all_of = |is: fn(&toml_edit::Value) -> bool| array.is_some_and(|array| array.iter().all(is));
        let entries = || array.into_iter().flatten();
        let (holds, shown) = if let Some(value) = item.as_bool() {
            (Holds::Bool, if value { "yes".to_owned() } else { String::new() })
        } else if let Some(number) = item.as_integer() {
            (Holds::Number, number.to_string())
        } else if let Some(value) = item.as_str() {
            (Holds::Text, text(value))
        } else if all_of(toml_edit::Value::is_str) {
            let entries = entries().filter_map(toml_edit::Value::as_str).filter(|entry| !is_blank(entry));
            (Holds::Texts, lists::line(entries))
        } else if all_of(toml_edit::Value::is_integer) {
            let numbers: Vec<String> =
                entries().filter_map(toml_edit::Value::as_integer).map(|number| number.to_string()).collect();
            (Holds::Numbers, numbers.join(", "))
        } else {
            let text = item.as_value().map(|value| value.clone().decorated("", "").to_string());
            (Holds::Other, text.unwrap_or_default())
        };
        let is_open = !is_shown
            || item.as_str().is_some_and(is_blank)
            || entries().filter_map(toml_edit::Value::as_str).any(is_blank);
        let shown = if is_shown { shown } else { String::new() };
        Self { control: control(holds, legal, &shown), shown, can_go: true, is_open, holds }.in_order()
    }

    /// Makes the field of a key that the form only tells of.
    pub(super) fn told(legal: &Legal) -> Self {
        let holds = match legal {
            Legal::Range(..) => Holds::Number,
            Legal::Any(_) => Holds::Texts,
            Legal::Free | Legal::One(_) | Legal::AsItIs => Holds::Text,
        };
        Self { shown: String::new(), control: control(holds, legal, ""), can_go: true, is_open: true, holds }
    }

    /// Shows the chosen entries in the order of their boxes, as a browser sends them.
    fn in_order(mut self) -> Self {
        if let Control::Any(words) = &mut self.control {
            let chosen = lists::entries(&self.shown);
            words.extend(chosen.iter().filter(|chosen| !words.contains(chosen)).cloned().collect::<Vec<_>>());
            self.shown = lists::line(words.iter().filter(|word| chosen.contains(word)).map(String::as_str));
        }
        self
    }

    /// Whether the list that is shown contains `entry`.
    pub(in crate::desk) fn has(&self, entry: &str) -> bool {
        lists::entries(&self.shown).iter().any(|shown| shown == entry)
    }

    /// Returns what a request says about the field; `None` if it does not have the field.
    pub(super) fn typed(&self, name: &str, fields: &Fields) -> Option<String> {
        match &self.control {
            Control::Tick => Some(if fields.has(name) { "yes".to_owned() } else { String::new() }),
            Control::Any(words) => {
                let chosen: Vec<&str> = fields.all(name).collect();
                Some(lists::line(words.iter().map(String::as_str).filter(|word| chosen.contains(word))))
            }
            _ => fields.all(name).next().map(|typed| typed.replace("\r\n", "\n")),
        }
    }
}

fn control(holds: Holds, legal: &Legal, shown: &str) -> Control {
    match (holds, legal) {
        (Holds::Bool, _) => Control::Tick,
        (Holds::Number, Legal::Range(low, high)) => Control::Number(Some((*low, *high))),
        (Holds::Number, _) => Control::Number(None),
        (Holds::Text, Legal::One(words)) => {
            let own = (!shown.is_empty() && !words.iter().any(|word| word == shown)).then(|| shown.to_owned());
            Control::One(words.iter().cloned().chain(own).collect())
        }
        (Holds::Texts, Legal::Any(words)) => Control::Any(words.clone()),
        (Holds::Texts | Holds::Numbers, _) => Control::List,
        (Holds::Text | Holds::Other, _) if shown.contains('\n') => Control::Area,
        (Holds::Text | Holds::Other, _) => Control::Line,
    }
}

impl Node {
    /// Whether a request changes something in the field or inside it.
    pub(super) fn is_changed(&self, fields: &Fields) -> bool {
        match &self.kind {
            Kind::AsItIs => false,
            Kind::Leaf(leaf) => leaf.typed(&self.name, fields).is_some_and(|typed| typed != leaf.shown),
            Kind::Table(nodes) => {
                self.is_off && fields.has(&self.name) || self.is_dropped(fields) || are_changed(nodes, fields)
            }
            Kind::Groups(Groups { kept, spares }) => {
                kept.iter().any(|group| fields.has(&group.name) || are_changed(&group.nodes, fields))
                    || spares.iter().flat_map(|spares| &spares.blank).any(|(_, nodes)| are_changed(nodes, fields))
            }
            Kind::Named { entries, .. } => {
                entries.iter().any(|entry| fields.has(&entry.name) || entry.is_changed(fields))
            }
        }
    }

    /// Whether a request leaves a table out again that was left out at first.
    pub(super) fn is_dropped(&self, fields: &Fields) -> bool {
        self.was_off && !fields.has(&self.name)
    }

    /// Whether the form has a placeholder in the field or inside it.
    pub(super) fn is_open(&self) -> bool {
        match &self.kind {
            Kind::AsItIs | Kind::Groups(_) | Kind::Named { .. } => false,
            Kind::Leaf(leaf) => leaf.is_open,
            Kind::Table(nodes) => nodes.iter().any(Self::is_open),
        }
    }
}

/// Whether a request changes something in one of the fields.
pub(super) fn are_changed(nodes: &[Node], fields: &Fields) -> bool {
    nodes.iter().any(|node| node.is_changed(fields))
}

/// Makes an item that stands for itself from one of the form.
pub(super) fn model(item: &Item) -> Item {
    let mut item = item.clone();
    whole::clean_item(&mut item);
    item
}
