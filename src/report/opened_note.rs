//! What a sealed note says once it is opened, line by line.

use super::{
    description::Line,
    inputs,
    text::{count, in_line},
};
use crate::{
    blob::{
        body::{SetKind, Slot},
        json::{self, Map, Value},
    },
    game::{ledger::Ledger, purpose::ORDERS, set::Set},
};

/// The maximum number of lines of a text by somebody else that are shown.
const MOST: usize = 60;

/// Describes an opened note: orders as their system tells them, a line for each choice, or a text as it was written.
/// The mark before each line keeps its author from writing lines that look like dice. Nothing if the set is no note, or
/// is not opened.
pub(crate) fn lines(set: &Set<'_>, ledger: &Ledger<'_>) -> Option<Vec<Line>> {
    let text = set.note().filter(|_| set.seal.kind == SetKind::Note)?;
    let lines = orders(set, ledger, &text).unwrap_or_else(|| said(&text));
    Some(bounded(lines.iter().map(|line| format!("> {}", in_line(line))).collect()))
}

/// Returns a note's orders in words; nothing if it is not about orders, or their system has no words for it.
fn orders(set: &Set<'_>, ledger: &Ledger<'_>, text: &str) -> Option<Vec<String>> {
    let (slot, _) = set.seal.purpose.rsplit_once('/').filter(|(_, name)| *name == ORDERS)?;
    let course = ledger.terms.phase_at(&Slot::parse(slot)?)?.course()?;
    course.opened_orders(&json::parse(text.as_bytes()).and_then(|tree| json::read(&tree)).ok()?)
}

fn said(text: &str) -> Vec<String> {
    let choices = json::parse(text.as_bytes()).and_then(|tree| json::read::<Map<String, Value>>(&tree)).ok();
    choices.map_or_else(|| text.lines().map(str::to_owned).collect(), |choices| inputs::choices(&choices))
}

/// Returns the first lines of a text that somebody else wrote, and says how many more there are.
pub(super) fn bounded(mut lines: Vec<String>) -> Vec<Line> {
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    lines.extend((more > 0).then(|| format!("and {}", count(more, "more line"))));
    lines.into_iter().map(Line::Words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_note_is_cut() {
        let told = bounded(said(&"hold\n".repeat(MOST + 2)));
        assert_eq!(told.len(), MOST + 1);
        assert_eq!(told.last().map(ToString::to_string).as_deref(), Some("and 2 more lines"));
        assert_eq!(said(r#"{"d6 = 6  a1 F12":"3-1"}"#), ["d6 = 6  a1 F12: 3-1"]);
    }
}
