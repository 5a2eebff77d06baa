//! What the comments of a form say about its fields (`resolve::Forms` has the conventions).

use std::collections::BTreeMap;

use crate::resolve::AS_IT_IS;

/// What is said about the keys of a table.
pub(super) type Hints = BTreeMap<String, Hint>;

/// What is said about a field.
#[derive(Clone, Debug, Default)]
pub(super) struct Hint {
    /// An explanation.
    pub(super) about: String,
    pub(super) legal: Legal,
    /// What is said about the keys inside.
    pub(super) keys: Hints,
}

impl Hint {
    /// Whether nothing is said.
    pub(super) fn is_empty(&self) -> bool {
        self.about.is_empty() && self.legal == Legal::Free && self.keys.is_empty()
    }
}

/// The values that a field allows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Legal {
    #[default]
    Free,
    /// One of these words.
    One(Vec<String>),
    /// Any of these words, in this order.
    Any(Vec<String>),
    /// A number from the first to the second.
    Range(i64, i64),
    /// The value that it has.
    AsItIs,
}

/// The comments above an entry.
#[derive(Debug, Default)]
pub(super) struct Above {
    /// Paragraphs that a blank line separates from the entry.
    pub(super) notes: Vec<String>,
    /// The lines right above the entry.
    pub(super) about: String,
    /// What those lines say about keys.
    pub(super) keys: Hints,
    /// Whether there is nothing between the entry and the one before it.
    pub(super) is_empty: bool,
}

/// Reads the comments above an entry.
pub(super) fn above(text: &str) -> Above {
    let mut above = Above { is_empty: text.trim_matches([' ', '\t']).is_empty(), ..Above::default() };
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines() {
        // What stands before the # of an entry's line is not a blank line.
        let Some(said) = line.trim().strip_prefix('#') else {
            above.notes.extend(paragraph(&lines));
            lines.clear();
            continue;
        };
        // A line that begins with ## is for people who write the file.
        if !said.starts_with('#') {
            lines.push(said.strip_prefix(' ').unwrap_or(said));
        }
    }
    let (keys, about): (Vec<_>, Vec<_>) = lines.iter().map(|line| key(line).ok_or(*line)).partition(Result::is_ok);
    above.keys = keys.into_iter().flatten().collect();
    let about: Vec<&str> = about.into_iter().filter_map(Result::err).collect();
    above.about = paragraph(&about).unwrap_or_default();
    above
}

fn paragraph(lines: &[&str]) -> Option<String> {
    let text = lines.join("\n");
    Some(text.trim_end().to_owned()).filter(|text| !text.trim().is_empty())
}

/// Reads a line such as `  kind: one of: infantry, armor`.
fn key(line: &str) -> Option<(String, Hint)> {
    let (key, said) = line.strip_prefix("  ")?.split_once(": ")?;
    let is_bare = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    is_bare.then(|| (key.to_owned(), hint(said)))
}

/// Reads what a comment says about a field.
pub(super) fn hint(said: &str) -> Hint {
    let said = said.trim();
    if said.starts_with(AS_IT_IS) {
        return Hint { legal: Legal::AsItIs, ..Hint::default() };
    }
    for (name, legal) in [("one of: ", Legal::One as fn(Vec<String>) -> Legal), ("any of: ", Legal::Any)] {
        if let Some((before, after)) = said.split_once(name) {
            let (words, about) = after.split_once(';').unwrap_or((after, ""));
            let words = words.split(',').map(|word| word.trim().to_owned()).filter(|word| !word.is_empty());
            let about = format!("{} {}", before.trim_end_matches([' ', ',', ';']), about.trim());
            return Hint { about: about.trim().to_owned(), legal: legal(words.collect()), keys: Hints::new() };
        }
    }
    let legal = range(said).map_or(Legal::Free, |(low, high)| Legal::Range(low, high));
    Hint { about: said.to_owned(), legal, keys: Hints::new() }
}

/// Reads the range at the beginning of a comment, such as `0 to 9`.
fn range(said: &str) -> Option<(i64, i64)> {
    let mut words = said.split_whitespace();
    let (low, to, high) = (words.next()?, words.next()?, words.next()?);
    let high = high.trim_end_matches([',', ':', ';', '.']);
    Some((low.parse().ok()?, high.parse().ok()?)).filter(|_| to == "to")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_name_choices_ranges_and_keys() {
        let words = |hint: Hint| (hint.legal, hint.about);
        let two = vec!["first".to_owned(), "second".to_owned()];
        assert_eq!(words(hint("one of: first, second; if you may")), (Legal::One(two.clone()), "if you may".into()));
        assert_eq!(words(hint("sectors, any of: first, second")), (Legal::Any(two), "sectors".into()));
        assert_eq!(words(hint("-9 to 9, a rating")), (Legal::Range(-9, 9), "-9 to 9, a rating".into()));
        assert_eq!(words(hint("letters to write")), (Legal::Free, "letters to write".into()));
        let above = above("# Facts.\n\n## Remove the #.\n# Units.\n#   at: one of: main, left\n#   Not a key: no\n");
        assert_eq!((above.notes, above.about), (vec!["Facts.".to_owned()], "Units.\n  Not a key: no".to_owned()));
        assert_eq!(above.keys.keys().collect::<Vec<_>>(), ["at"]);
    }
}
