//! The controls of a form's fields, with their ids and explanations.

use maud::{Markup, html};

use super::super::{
    texts,
    toml_form::{Control, Kind, Leaf, Node},
};

/// The id of the sentence about lists.
pub(super) const LISTS: &str = "about-lists";

/// Returns the words of a key.
pub(super) fn words(key: &str) -> String {
    texts::abbreviated(key).map_or_else(|| key.replace(['_', '-'], " "), str::to_owned)
}

/// Returns the id of a field: its name, in which no blank may stand.
pub(super) fn id(name: &str) -> String {
    name.replace(char::is_whitespace, "_")
}

/// Returns what a field is about. A box says by itself that it stands for true or false, and the entries of a list are
/// typed without the marks that a file needs.
pub(super) fn explained(node: &Node) -> String {
    let about = &node.about;
    match &node.kind {
        Kind::Leaf(Leaf { control: Control::Tick, .. }) => {
            let rest = about.strip_prefix("true or false");
            rest.map_or(about.as_str(), |rest| rest.trim_start_matches([':', ',', ' '])).to_owned()
        }
        Kind::Leaf(Leaf { control: Control::List, .. }) => {
            about.replace("[\"", "").replace("\"]", "").replace("\", \"", ", ")
        }
        _ => about.clone(),
    }
}

/// Returns the control of a field without its label. `said` is the label for a screen reader, where none is beside it.
pub(super) fn control(name: &str, leaf: &Leaf, by: Option<&str>, said: Option<&str>) -> Markup {
    let (id, value) = (id(name), &leaf.shown);
    let is_list = matches!(leaf.control, Control::List).then_some("list");
    html! {
        @match &leaf.control {
            Control::Tick => input type="checkbox" id=(id) name=(name) value="yes" checked[!value.is_empty()]
                aria-describedby=[by] aria-label=[said];,
            Control::One(known) => select id=(id) name=(name) aria-describedby=[by] aria-label=[said] {
                @if leaf.can_go || value.is_empty() {
                    option value="" selected[value.is_empty()] {
                        @if leaf.can_go { (texts::LEFT_OUT) } @else { (texts::CHOOSE_ONE) }
                    }
                }
                @for word in known { option value=(word) selected[word == value] { (word) } }
            },
            Control::Number(range) => input id=(id) type="number" step="1" name=(name) value=(value)
                aria-describedby=[by] aria-label=[said] min=[range.map(|(low, _)| low)] max=[range.map(|(_, high)| high)];,
            Control::Area | Control::Any(_) => textarea id=(id) name=(name) rows="4" aria-describedby=[by]
                aria-label=[said] { (value) },
            Control::Line | Control::List => input id=(id) class=[is_list] name=(name) value=(value) autocomplete="off"
                aria-describedby=[by] aria-label=[said];,
        }
    }
}
