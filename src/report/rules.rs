//! The text of a rule, taken directly from the pages of the specification, so that a report can quote the broken rule.

use crate::resolve::System;

/// The pages whose rules a finding can cite.
const PAGES: [(&str, &str); 12] = [
    ("letters", include_str!("../../protocol/letters.md")),
    ("chain", include_str!("../../protocol/chain.md")),
    ("charter", include_str!("../../protocol/charter.md")),
    ("envelope", include_str!("../../protocol/envelope.md")),
    ("message", include_str!("../../protocol/message.md")),
    ("disputes", include_str!("../../protocol/disputes.md")),
    ("keys", include_str!("../../protocol/keys.md")),
    ("deposits", include_str!("../../protocol/deposits.md")),
    ("office", include_str!("../../protocol/office.md")),
    ("courses", include_str!("../../protocol/courses.md")),
    ("hidden", include_str!("../../protocol/hidden.md")),
    ("post", include_str!("../../protocol/post.md")),
];

/// Appends the rules cited in a refusal to its text, in brackets.
///
/// # Examples
///
/// ```
/// let refusal = "declare 9: ocs-initiative 11: the order must be first or second";
/// let told = sealed_dice::report::rules::behind(refusal);
/// assert_eq!(told, "the order must be first or second (declare 9, ocs-initiative 11)");
/// ```
#[must_use]
pub fn behind(text: &str) -> String {
    let (rules, words): (Vec<&str>, Vec<&str>) = text.split(": ").partition(|part| is_rule(part));
    match rules.is_empty() {
        true => text.to_owned(),
        false => format!("{} ({})", words.join(": "), rules.join(", ")),
    }
}

/// Returns a refusal without the rules in brackets at its end.
#[cfg(feature = "desk")]
pub(crate) fn without(text: &str) -> &str {
    let cited = text.strip_suffix(')').and_then(|text| text.rsplit_once(" ("));
    cited.filter(|(_, cited)| cited.split(", ").all(is_rule)).map_or(text, |(words, _)| words)
}

/// Whether a text is the name of a rule, such as `declare 9`.
fn is_rule(text: &str) -> bool {
    let Some((kind, number)) = text.rsplit_once(' ') else { return false };
    let numbered = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    numbered && (System::NAMES.contains(&kind) || text_of(text).is_some())
}

/// Returns the text of a rule, in one line without formatting marks, and the page that contains it.
///
/// # Examples
///
/// ```
/// use sealed_dice::report::rules::text_of;
///
/// let (text, page) = text_of("declare 10").ok_or("no such rule")?;
/// assert!(text.starts_with("No earlier declaration names the coin or plain set"));
/// assert_eq!(page, "letters");
/// assert!(text_of("declare 99").is_none());
/// # Ok::<(), &str>(())
/// ```
#[must_use]
pub fn text_of(rule: &str) -> Option<(String, &'static str)> {
    let (kind, number) = rule.split_once(' ')?;
    let numbered =
        PAGES.iter().find(|(name, _)| *name == kind).map(|(name, page)| (format!("{number}. "), *name, *page));
    let bold = || {
        let begins = format!("**{rule}** ");
        let page = PAGES.iter().find(|(_, page)| page.lines().any(|line| bare(line).starts_with(&begins)));
        page.map(|(name, page)| (begins, *name, *page))
    };
    let (begins, name, page) = numbered.or_else(bold)?;
    let says = |line: &'static str| line.strip_prefix(&begins).or_else(|| bare(line).strip_prefix(&begins));
    let mut lines = page.lines().skip_while(|line| says(line).is_none());
    let first = lines.next().and_then(says)?;
    let rest = lines.take_while(|line| line.starts_with("  "));
    let words: Vec<&str> = [first].into_iter().chain(rest).flat_map(str::split_whitespace).collect();
    Some((words.join(" ").replace(['*', '`'], ""), name))
}

/// Returns a line of a list, without its bullet or number.
fn bare(line: &str) -> &str {
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(". ");
    line.strip_prefix("- ").or(numbered).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_quoted_from_its_page() {
        let (text, page) = text_of("declare 10").unwrap();
        assert!(
            text.starts_with("No earlier declaration names the coin or plain set") && text.contains("icrk 3"),
            "{text}"
        );
        assert_eq!(page, "letters");
        let (text, page) = text_of("chain 8").unwrap();
        assert!(text.starts_with("Two or more placed letters") && text.ends_with("has no culprit.)"), "{text}");
        assert_eq!(page, "chain");
        assert!(text_of("declare 99").is_none() && text_of("nonsense").is_none());
    }

    #[test]
    fn rules_stand_behind_the_words() {
        let nested = "turn.toml: decide 5: ocs-initiative 11: the order must be first or second";
        assert_eq!(behind(nested), "turn.toml: the order must be first or second (decide 5, ocs-initiative 11)");
        let plain = "line 3: attack 1: \"F12 F13\" is no hex";
        assert_eq!(behind(plain), plain);
    }
}
