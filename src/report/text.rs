//! Text by other people, made safe to show.

use crate::resolve::values::is_unseen;

/// Makes other people's text safe to show: every unseen character (`protocol/README.md`, Conventions) is spelled out,
/// such as `<U+202E>`.
///
/// # Examples
///
/// A file name that would be shown backwards, and a text that would clear the screen:
///
/// ```
/// use sealed_dice::report::text::visible;
///
/// assert_eq!(visible("turn\u{202e}gpj.exe"), "turn<U+202E>gpj.exe");
/// assert_eq!(visible("\u{1b}[2J"), "<U+001B>[2J");
/// ```
#[must_use]
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match is_unseen(c) {
            true => out.push_str(&format!("<U+{:04X}>", u32::from(c))),
            false => out.push(c),
        }
    }
    out
}

/// Makes other people's text safe to show within a line. In addition to [`visible`], it collapses runs of blanks, which
/// could push the rest of the text to the start of a new line on the screen.
///
/// # Examples
///
/// ```
/// assert_eq!(sealed_dice::report::text::in_line("the odds of a1;      your move"), "the odds of a1; your move");
/// ```
#[must_use]
pub fn in_line(text: &str) -> String {
    visible(text).split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// Writes other people's text on one line in quotation marks, safe to show. A line break becomes a slash, and quotation
/// marks of the same kind inside the text become straight ones.
///
/// # Examples
///
/// ```
/// use sealed_dice::report::text::quoted;
///
/// assert_eq!(quoted("a typo;\nyour move"), "\u{201c}a typo; / your move\u{201d}");
/// assert_eq!(quoted("a typo\u{201d}; the dice count"), "\u{201c}a typo\"; the dice count\u{201d}");
/// ```
#[must_use]
pub fn quoted(text: &str) -> String {
    let line = text.trim_end().lines().map(in_line).collect::<Vec<_>>().join(" / ");
    format!("\u{201c}{}\u{201d}", line.replace(['\u{201c}', '\u{201d}'], "\""))
}

/// Escapes every unseen character in the strings of a JSON text, such as `\u202e`, so that it is safe to print and
/// keeps its value. There must be no unseen characters outside the strings.
///
/// # Examples
///
/// ```
/// assert_eq!(sealed_dice::report::text::escaped("[\"a\u{202e}b\"]"), r#"["a\u202eb"]"#);
/// ```
#[must_use]
pub fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match is_unseen(c) {
            true => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
            false => out.push(c),
        }
    }
    out
}

/// Explains why a letter cannot be read, to somebody who does not know the format: mail damages letters, and the author
/// can send the letter again. The class is the first check that failed.
///
/// # Examples
///
/// ```
/// use sealed_dice::report::text::damage;
///
/// let told = damage("signature", "the signature does not match");
/// assert!(told.ends_with("ask for it again (the signature does not match)"));
/// assert_eq!(damage("armour", "the END line is missing"), "the END line is missing");
/// ```
#[must_use]
pub fn damage(class: &str, text: &str) -> String {
    match class {
        "frame" | "key" | "json" | "canonical" | "fields" | "signature" => {
            format!("the letter was damaged in transit or is from a newer version: ask for it again ({text})")
        }
        _ => text.to_owned(),
    }
}

/// Returns the first characters of a text, and the number of remaining ones.
///
/// # Examples
///
/// ```
/// assert_eq!(sealed_dice::report::text::cut("Jäger advance", 5), ("Jäger", 8));
/// ```
#[must_use]
pub fn cut(text: &str, most: usize) -> (&str, usize) {
    match text.char_indices().nth(most) {
        Some((end, _)) => text.split_at_checked(end).map_or((text, 0), |(head, rest)| (head, rest.chars().count())),
        None => (text, 0),
    }
}

/// Writes a number of things: the word gets an `s` unless the number is one.
///
/// # Examples
///
/// ```
/// use sealed_dice::report::text::count;
///
/// assert_eq!([count(1_u64, "roll"), count(2_usize, "roll")], ["1 roll", "2 rolls"]);
/// ```
#[must_use]
pub fn count(n: impl TryInto<u64>, thing: &str) -> String {
    let n = n.try_into().unwrap_or(u64::MAX);
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_counts_what_it_leaves_out() {
        assert_eq!(cut("añb", 3), ("añb", 0));
        assert_eq!(cut("añbc", 2), ("añ", 2));
        assert_eq!(cut("", 0), ("", 0));
    }

    #[test]
    fn one_thing_is_no_plural() {
        assert_eq!([count(0_u64, "day"), count(1_u64, "day"), count(2_usize, "day")], ["0 days", "1 day", "2 days"]);
    }

    #[test]
    fn nothing_moves_the_cursor() {
        assert_eq!(visible("a\u{202e}b\u{1b}[2J\n"), "a<U+202E>b<U+001B>[2J<U+000A>");
    }

    #[test]
    fn every_unseen_character_is_spelled_out() {
        for c in ('\0'..=char::MAX).filter(|c| is_unseen(*c)) {
            assert_eq!(visible(&format!("a{c}b")), format!("a<U+{:04X}>b", u32::from(c)));
        }
    }

    #[test]
    fn escaped_json_has_the_same_value() {
        let text: String = ('\0'..=char::MAX).filter(|c| is_unseen(*c)).chain("é漢🎲\"\\ ".chars()).collect();
        let json = escaped(&serde_json::json!({ text.as_str(): [text] }).to_string());
        assert!(!json.chars().any(is_unseen), "{json}");
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&json).ok(),
            Some(serde_json::json!({ text.as_str(): [text] }))
        );
    }
}
