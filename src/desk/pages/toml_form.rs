//! The form of a course as fields, each with a label and with what the form says about it.

use maud::{Markup, html};

use super::{
    super::{
        texts,
        toml_form::{Control, Form, Groups, Kind, Leaf, Node, OFFERED, Spares},
    },
    controls::{LISTS, control, explained, id, words},
    rows,
};

/// Lines of a list above a form that are shown at once; a longer list is folded under its heading.
const LONG: usize = 16;

/// Shows a form as fields, and its text for whoever prefers to write that. A form that cannot be read is text only.
pub(super) fn shown(name: &str, text: &str) -> Markup {
    part(name, text, |_| true)
}

/// Shows a form of which most is filled in already: the parts that `is_open` does not name are folded away.
pub(super) fn part(name: &str, text: &str, is_open: impl Fn(&str) -> bool) -> Markup {
    let Some(form) = Form::read(text) else { return area(name, text) };
    let (open, folded): (Vec<&Node>, Vec<&Node>) = form.nodes.iter().partition(|node| is_open(&node.key));
    html! {
        (all(open))
        @if !folded.is_empty() { details { summary { (texts::THE_OTHER_TERMS) } (all(folded)) } }
        (notes(&form.notes))
        @if has_lists(&form.nodes) { p.about id=(LISTS) { (texts::HOW_TO_LIST) } }
        input type="hidden" name=(OFFERED) value=(text);
        details { summary { (texts::WRITE_AS_TEXT) } p.about { (texts::TEXT_WINS) } (area(name, text)) }
    }
}

/// Shows the text of a form to edit.
pub(super) fn area(name: &str, text: &str) -> Markup {
    html! {
        label for=(name) { (texts::FILL_IN) }
        textarea id=(name) name=(name) rows=(text.lines().count().clamp(8, 40)) spellcheck="false" { (text) }
    }
}

fn all<'n>(nodes: impl IntoIterator<Item = &'n Node>) -> Markup {
    html! { @for node in nodes { (notes(&node.notes)) (one(node)) } }
}

fn notes(notes: &[String]) -> Markup {
    html! {
        @for note in notes {
            @match note.split_once(":\n").filter(|(_, rest)| rest.lines().count() > LONG) {
                Some((head, rest)) => details.note { summary { (head) } p.lines { (rest) } },
                None => p.note.lines { (note) },
            }
        }
    }
}

fn one(node: &Node) -> Markup {
    let label = label(node);
    html! {
        @match &node.kind {
            Kind::AsItIs => {}
            Kind::Leaf(leaf) => div.field { (field(node, leaf, &label)) },
            Kind::Table(nodes) => fieldset {
                legend { (label) }
                (about(node))
                @if node.is_off || node.was_off { (box_of(&node.name, texts::USE_THIS, node.was_off)) }
                @match rows::of_tables(&node.name, nodes, &label) { Some(rows) => (rows), None => (all(nodes)) }
            },
            Kind::Groups(groups) => fieldset { legend { (label) } (about(node)) (listed(groups, &label, false)) },
            Kind::Named { entries, known } => (named(node, entries, known)),
        }
    }
}

fn label(node: &Node) -> String {
    // A table may have the name of a unit.
    let label = match node.kind {
        Kind::Leaf(_) => words(&node.key),
        _ => texts::part(&node.key).map_or_else(|| node.key.replace('_', " "), str::to_owned),
    };
    if (node.is_off || node.was_off) && !node.is_needed { texts::optional(&label) } else { label }
}

fn about(node: &Node) -> Markup {
    let about = explained(node);
    html! { @if !about.is_empty() { p.about.lines id={ (id(&node.name)) "-about" } { (about) } } }
}

fn box_of(name: &str, label: &str, is_ticked: bool) -> Markup {
    html! { label.tick { input type="checkbox" name=(name) value="yes" checked[is_ticked]; " " (label) } }
}

/// Returns the ids of what describes a field.
fn described(node: &Node, leaf: &Leaf) -> Option<String> {
    let about = (!explained(node).is_empty()).then(|| format!("{}-about", id(&node.name)));
    let lists = matches!(leaf.control, Control::List).then(|| LISTS.to_owned());
    let ids: Vec<String> = about.into_iter().chain(lists).collect();
    (!ids.is_empty()).then(|| ids.join(" "))
}

fn field(node: &Node, leaf: &Leaf, label: &str) -> Markup {
    let by = described(node, leaf);
    html! {
        @match &leaf.control {
            Control::Tick => label.tick { (control(&node.name, leaf, by.as_deref(), None)) " " (label) },
            Control::Any(known) => fieldset.any aria-describedby=[by] {
                legend { (label) }
                (about(node))
                @for word in known {
                    label.tick {
                        input type="checkbox" name=(node.name) value=(word) checked[leaf.has(word)];
                        " " (word)
                    }
                }
            },
            _ => {
                label for=(id(&node.name)) { (label) }
                (control(&node.name, leaf, by.as_deref(), None))
            }
        }
        @if !matches!(leaf.control, Control::Any(_)) { (about(node)) }
    }
}

/// Shows tables, then blank ones. `opens` says whether the first blank one is open already.
fn listed(groups: &Groups, label: &str, opens: bool) -> Markup {
    if let Some(rows) = rows::of_groups(groups, label) {
        return rows;
    }
    // What is said of all of them stands above the first.
    let said = groups.spares.first().map_or("", |spares| &spares.about);
    html! {
        @if !said.is_empty() { p.about.lines { (said) } }
        @for group in &groups.kept {
            fieldset.entry {
                legend { (texts::entry(&group.title)) }
                @if !group.about.is_empty() { p.about.lines { (group.about) } }
                (all(&group.nodes))
                // The only one of its kind stays.
                @if groups.kept.len() > 1 || !groups.spares.is_empty() { (box_of(&group.name, texts::LEAVE_OUT, false)) }
            }
        }
        @for (at, spares) in groups.spares.iter().enumerate() {
            @if at > 0 && !spares.about.is_empty() { p.about.lines { (spares.about) } }
            (blank(spares, label, opens))
        }
    }
}

/// Shows blank tables. Those that nobody changes are dropped.
fn blank(spares: &Spares, label: &str, opens: bool) -> Markup {
    let what = if spares.title.is_empty() { label } else { &spares.title };
    html! {
        div data-spares={ (spares.name) "." } data-step=(spares.step) {
            @for (at, (number, nodes)) in spares.blank.iter().enumerate() {
                details.more data-number=(number) open[opens && at == 0] { summary { (texts::one_more(what)) } div.entry { (all(nodes)) } }
            }
        }
    }
}

/// Shows blank entries whose names are still to be chosen.
fn named(node: &Node, entries: &[Node], known: &[String]) -> Markup {
    let what = texts::placeholder(&node.key);
    let list = node.name.rsplit_once('.').map_or("", |(list, _)| list);
    html! {
        (about(node))
        div data-spares={ (list) ".+" } data-step="1" {
            @for (number, entry) in entries.iter().enumerate() {
                details.more data-number=(number) {
                    summary { (texts::one_more(&what)) }
                    label for=(id(&entry.name)) { (texts::name_of(&what)) }
                    @if known.is_empty() { input id=(id(&entry.name)) name=(entry.name) autocomplete="off"; } @else {
                        select id=(id(&entry.name)) name=(entry.name) {
                            option value="" selected { (texts::CHOOSE_ONE) }
                            @for name in known { option value=(name) { (name) } }
                        }
                    }
                    @match &entry.kind {
                        Kind::Table(nodes) => (all(nodes)),
                        // Several may stand under one name: they are called like the list of names.
                        Kind::Groups(groups) => {
                            (listed(groups, &words(list.rsplit('.').next().unwrap_or(list)), true))
                        },
                        Kind::AsItIs | Kind::Leaf(_) | Kind::Named { .. } => {}
                    }
                }
            }
        }
    }
}

/// Whether one of the fields is a list in a line.
fn has_lists(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match &node.kind {
        Kind::AsItIs => false,
        Kind::Leaf(leaf) => matches!(leaf.control, Control::List),
        Kind::Table(nodes) | Kind::Named { entries: nodes, .. } => has_lists(nodes),
        Kind::Groups(Groups { kept, spares }) => {
            kept.iter().any(|group| has_lists(&group.nodes))
                || spares.iter().flat_map(|spares| &spares.blank).any(|(_, nodes)| has_lists(nodes))
        }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{super::super::toml_form::tests::forms, shown};

    /// Returns the values of an attribute, in order.
    fn values<'h>(html: &'h str, name: &str) -> Vec<&'h str> {
        html.split(&format!(" {name}=\"")).skip(1).filter_map(|rest| rest.split('"').next()).collect()
    }

    #[test]
    fn every_control_has_a_label_and_every_reference_leads_somewhere() {
        for (system, forms) in forms() {
            let form = forms.iter().max_by_key(|form| form.len()).expect("a form");
            let html = shown("sheet", form).into_string();
            let (ids, labels) = (values(&html, "id"), values(&html, "for"));
            let known: BTreeSet<&str> = ids.iter().copied().collect();
            assert_eq!(known.len(), ids.len(), "{system}: two controls have one id");
            let labelled: BTreeSet<&str> = labels.into_iter().collect();
            assert!(labelled.is_subset(&known), "{system}: {:?}", labelled.difference(&known));
            let described = values(&html, "aria-describedby");
            assert!(described.iter().flat_map(|ids| ids.split(' ')).all(|id| known.contains(id)), "{system}");
            let is_control = |tag: &&str| ["input", "select", "textarea"].iter().any(|name| tag.starts_with(name));
            for tag in html.split('<').filter(is_control) {
                let is_labelled = values(tag, "id").iter().any(|id| labelled.contains(id));
                let is_in_label = tag.contains("type=\"checkbox\"") || tag.contains("aria-label=\"");
                assert!(is_labelled || is_in_label || tag.contains("type=\"hidden\""), "{system}: {tag}");
            }
        }
    }
}
