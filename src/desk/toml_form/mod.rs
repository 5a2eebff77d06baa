//! Forms of courses as pages: the TOML that a course asks for becomes fields, and the fields become TOML again.
//!
//! A form is read with its comments (`resolve::Forms` says how they are written), also the parts that are commented
//! out. A page carries the form's text beside the fields, and a request changes in that text what its fields change.
//! So the game reads the text that a person would have written, and whoever prefers that can write it: a text that
//! differs from the one that the page carries wins over the fields.

mod build;
mod comments;
mod lists;
#[cfg(test)]
pub(super) mod tests;
mod tree;
mod whole;
mod write;

use toml_edit::DocumentMut;

pub(super) use self::tree::{Control, Groups, Kind, Leaf, Node, Spares};
use super::fields::Fields;

/// The name of the field with the text of the form, and the beginning of the names of its fields.
pub(super) const OFFERED: &str = "f";

/// A form with its fields.
pub(super) struct Form {
    whole: DocumentMut,
    pub(super) nodes: Vec<Node>,
    /// Comments below the last field.
    pub(super) notes: Vec<String>,
}

impl Form {
    /// Reads a form, with the blank tables that a page shows; none if it can only be written as text.
    pub(super) fn read(text: &str) -> Option<Self> {
        Self::with(text, None)
    }

    fn with(text: &str, fields: Option<&Fields>) -> Option<Self> {
        let whole = whole::read(text)?;
        let nodes = build::Builder { fields }.root(whole.as_table(), OFFERED);
        let below = comments::above(whole.trailing().as_str().unwrap_or_default());
        let notes = below.notes.into_iter().chain(Some(below.about).filter(|about| !about.is_empty()));
        Some(Self { nodes, notes: notes.collect(), whole })
    }

    fn written(mut self, fields: &Fields) -> String {
        write::Writer { fields }.write(&mut self.whole, &self.nodes);
        whole::write(&self.whole)
    }
}

/// Returns a text in a request. Browsers send the line ends of mail.
fn lines(name: &str, fields: &Fields) -> Option<String> {
    fields.said(name).map(|text| text.replace("\r\n", "\n"))
}

/// Whether the text of a form in a request is what its fields say, because nobody changed the text.
pub(super) fn is_filled_in(name: &str, fields: &Fields) -> bool {
    fields.files(name).is_empty() && lines(name, fields).is_some_and(|text| lines(OFFERED, fields) == Some(text))
}

/// Returns the text of a form in a request: the typed one, or if nobody changed that, the one that its fields say.
pub(super) fn text(name: &str, fields: &Fields) -> Option<String> {
    let typed = lines(name, fields)?;
    if !is_filled_in(name, fields) {
        return Some(typed);
    }
    let form = Form::with(&typed, Some(fields));
    Some(form.map_or(typed, |form| form.written(fields).trim().to_owned()))
}
