//! What a turn states, as a file to fill in (`protocol/event-tables.md` 14).

use super::{Game, words::Type};

/// A value of a type, to be changed.
fn example(values: &Type) -> String {
    match values {
        Type::Bool => "false".into(),
        Type::Number { low, .. } => low.to_string(),
        Type::Words(words) => format!("{:?}", words.first().map_or("", String::as_str)),
    }
}

/// The file for a side.
pub(super) fn of(game: &Game, side: &str) -> String {
    let tables = &game.tables;
    let mut form = format!("# What {side} states before it rolls.\n[facts]\n");
    for (name, fact) in tables.facts.iter().filter(|(_, fact)| fact.side.as_deref().is_none_or(|of| of == side)) {
        let about = fact.about.as_ref().map(|about| format!(": {about}")).unwrap_or_default();
        form.push_str(&format!("{name} = {}    # {}{about}\n", example(&fact.values), fact.values.tell()));
    }
    form.push_str("\n# What you have in play, a block for each, in the order of your roster.\n");
    for (name, kind) in &tables.kinds {
        form.push_str(&format!("# [[roster.{name}]]\n# name = \"WHO\"\n"));
        for (attribute, values) in &kind.attributes {
            form.push_str(&format!("# {attribute} = {}    # {}\n", example(values), values.tell()));
        }
        form.push('\n');
    }
    form.push_str("# Wishes for choices that may be yours, the first that is allowed counts; left out, you are asked.\n# [orders]\n");
    form.push_str("# CHOICE = [\"WHO\", \"WHO\"]\n");
    form
}
