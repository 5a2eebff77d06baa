//! Small changes of words.

/// Adds who declared something to its name.
pub(in crate::desk) fn by(what: &str, who: &str) -> String {
    format!("{what}, by {who}")
}

/// Returns words with a capital at the beginning.
pub(in crate::desk) fn begun(words: &str) -> String {
    let mut letters = words.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    first + letters.as_str()
}

/// Whether a line begins with a name of somebody's own, such as a unit's, which keeps its small letter.
pub(in crate::desk) fn begins_with_a_name(line: &str) -> bool {
    line.split(' ').next().is_some_and(|word| word.ends_with(':') || word.bytes().any(|byte| byte.is_ascii_digit()))
}
