//! The terms with all settings and tables, as text: everything that a player signs by accepting, in the notation in
//! which terms are written.

use crate::{
    blob::{
        body::{Charter, Continues, Hex32, Role},
        json::{self, Map, Value},
    },
    error::Result,
    game::terms::Terms,
    limits::NOTE_STEP,
    report::text::visible,
};

/// Writes the terms in full, as text that is safe to show.
///
/// # Errors
/// Only on an internal serialization failure.
///
/// # Examples
///
/// ```
/// use sealed_dice::{blob::Body, game::audit::Read, report::terms::written};
///
/// let read = Read::all(
///     include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/charter-alone.txt")),
///     "a mail",
/// );
/// let letter = read[0].letter.clone().map_err(|refusal| refusal.error)?;
/// let Body::Charter(charter) = letter.body() else { return Err("no charter".into()) };
/// let text = written(charter)?;
/// assert!(text.contains("system = \"coin-envelopes\""), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn written(charter: &Charter) -> Result<String> {
    let mut out = String::new();
    if let Value::Object(fields) = json::to_value(charter)? {
        block(&mut out, "", &fields);
    }
    Ok(out)
}

/// Description of a time witness (office 34).
pub const TIME_WITNESS: &str = "keeps the time, holds no keys, and cannot open anything";

/// Describes in a sentence the office of the terms, if it is a time witness.
#[must_use]
pub fn time_witness(terms: &Terms) -> Option<String> {
    terms.time_witness().map(|office| format!("the office, {}, {TIME_WITNESS}", office.role))
}

/// Describes which game the terms continue, and from where, one sentence per line; empty if there is none (charter 25).
#[must_use]
pub fn continues(terms: &Terms) -> Vec<String> {
    let Some(Continues { game, heads, states }) = &terms.charter.continues else { return Vec::new() };
    let head = |(role, head): (&Role, &Option<Hex32>)| match head {
        Some(head) => format!("it continues from letter {head} by {role}"),
        None => format!("it does not continue from any letter by {role}"),
    };
    let state = |(system, state): (&String, &Map<String, Value>)| {
        let course = terms.courses().find(|(phase, _)| phase.system.name() == system);
        let told = course.and_then(|(_, course)| course.tell(state).ok()).unwrap_or_default();
        format!("{} begins with a new state: {}", visible(system), visible(&told))
    };
    let first = format!("this game continues game {game}; declarations made there get no dice here");
    [first].into_iter().chain(heads.iter().map(head)).chain(states.iter().map(state)).collect()
}

/// Explains what the lengths of sealed notes reveal, one sentence per line.
#[must_use]
pub fn lengths(terms: &Terms) -> Vec<String> {
    let fixed = terms.courses().filter_map(|(phase, course)| {
        let bytes = terms.begin(phase).and_then(|state| course.note_bytes(&state)).ok()?;
        let (what, note) = match (course.hidden(), course.takes_orders()) {
            (Some(_), _) => ("sheet", ""),
            (None, true) => ("note with orders", " as long as the forces are those in these terms"),
            (None, false) => ("standing note", ""),
        };
        Some(format!("every {what} for {} takes {bytes} bytes{note}: its length reveals nothing", phase.system.name()))
    });
    let other = format!("any other sealed note reveals the length of its text, to within {NOTE_STEP} bytes");
    fixed.chain([other]).collect()
}

/// Whether a value is written as headed blocks of its own.
fn is_headed(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(items) => !items.is_empty() && items.iter().all(Value::is_object),
        _ => false,
    }
}

/// Writes the fields of an object: first those on one line, then those with headings.
fn block(out: &mut String, path: &str, fields: &Map<String, Value>) {
    for (name, value) in fields.iter().filter(|(_, value)| !is_headed(value)) {
        match value {
            // TOML has no null.
            Value::Null => out.push_str(&format!("# {}: none\n", key(name))),
            value => out.push_str(&format!("{} = {}\n", key(name), in_line(value))),
        }
    }
    for (name, value) in fields.iter().filter(|(_, value)| is_headed(value)) {
        let path = if path.is_empty() { key(name) } else { format!("{path}.{}", key(name)) };
        match value {
            Value::Object(fields) => {
                out.push_str(&format!("\n[{path}]\n"));
                block(out, &path, fields);
            }
            value => value.as_array().into_iter().flatten().filter_map(Value::as_object).for_each(|fields| {
                out.push_str(&format!("\n[[{path}]]\n"));
                block(out, &path, fields);
            }),
        }
    }
}

fn in_line(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("[{}]", items.iter().map(in_line).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| format!("{} = {}", key(name), in_line(value)));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        Value::Null => "none".into(),
        other => other.to_string(),
    }
}

fn key(name: &str) -> String {
    let is_bare = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if is_bare { name.into() } else { quoted(name) }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", visible(text).replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_and_tables_stand_in_blocks() {
        let of = json!({
            "title": "a \"war\"\u{1b}", "referee": null, "phases": [{ "impulses": [1, 2], "settings": { "first": null } }],
            "tables": { "event-tables": { "rows": { "2-3": "no event" }, "steps": [[{ "pick": "unit" }]] } },
        });
        let mut out = String::new();
        block(&mut out, "", of.as_object().expect("an object"));
        assert_eq!(
            out,
            "# referee: none\ntitle = \"a \\\"war\\\"<U+001B>\"\n\n[[phases]]\nimpulses = [1, 2]\n\n[phases.settings]\n# first: none\n\
             \n[tables]\n\n[tables.event-tables]\nsteps = [[{ pick = \"unit\" }]]\n\n[tables.event-tables.rows]\n2-3 = \"no event\"\n"
        );
    }
}
