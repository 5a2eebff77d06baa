//! Text that others wrote, made safe to show.

/// Somebody's text, safe to show: what would move the cursor or turn the direction of writing is written out.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let hidden = matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
        if c.is_control() || hidden {
            out.push_str(&format!("<U+{:04X}>", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// Why a letter cannot be read, for somebody who does not know what it is made of: mail damages letters, and whoever wrote it
/// sends it again. The class says what was wrong first.
#[must_use]
pub fn damage(class: &str, text: &str) -> String {
    match class {
        "frame" | "key" | "json" | "canonical" | "fields" | "signature" => {
            format!("the letter was damaged on its way, or is of a newer version: ask for it again ({text})")
        }
        _ => text.to_owned(),
    }
}

/// The first characters of a text, and how many more there are.
#[must_use]
pub fn cut(text: &str, most: usize) -> (&str, usize) {
    match text.char_indices().nth(most) {
        Some((end, _)) => text.split_at_checked(end).map_or((text, 0), |(head, rest)| (head, rest.chars().count())),
        None => (text, 0),
    }
}

/// A number of things: the word has an `s` unless there is one of them.
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
}
