//! Lists in a line of text: entries with commas between them. An entry that has a comma itself stands in quotes.

use serde_json::Value;
use toml_edit::Array;

/// Writes entries in a line, so that [`entries`] reads the same again.
pub(super) fn line<'e>(entries: impl IntoIterator<Item = &'e str>) -> String {
    let is_plain = |entry: &str| !entry.is_empty() && entry.trim() == entry && !entry.contains([',', '\n']);
    let entry = |entry: &str| match is_plain(entry) && !entry.starts_with('"') {
        true => entry.to_owned(),
        false => Value::from(entry).to_string(),
    };
    entries.into_iter().map(entry).collect::<Vec<_>>().join(", ")
}

/// Reads the entries in a line.
pub(super) fn entries(line: &str) -> Vec<String> {
    let (mut parts, mut part) = (Vec::new(), String::new());
    let (mut is_quoted, mut is_escaped) = (false, false);
    for c in line.chars() {
        if c == ',' && !is_quoted {
            parts.push(std::mem::take(&mut part));
            continue;
        }
        if c == '"' && !is_escaped && (is_quoted || part.trim().is_empty()) {
            is_quoted = !is_quoted;
        }
        is_escaped = is_quoted && c == '\\' && !is_escaped;
        part.push(c);
    }
    parts.push(part);
    let parts = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty());
    parts
        .map(|part| serde_json::from_str(part).ok().filter(|_| part.starts_with('"')).unwrap_or_else(|| part.into()))
        .collect()
}

/// Makes an array of texts.
pub(super) fn texts(line: &str) -> Array {
    entries(line).into_iter().collect()
}

/// Makes an array of numbers, or of texts if one is not a number: the game then says which.
pub(super) fn numbers(line: &str) -> Array {
    let parts = || line.split([',', ' ']).filter(|part| !part.is_empty());
    parts().map(|part| part.parse::<i64>().ok()).collect::<Option<Array>>().unwrap_or_else(|| texts(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_back_as_the_same_entries() {
        let cases: [&[&str]; 7] = [
            &[],
            &["0823", "0824"],
            &["a, b", "c", "d\ne"],
            &["\"q\"", "\\", "5\" gun", "\\\", x"],
            &[""],
            &[" x", "\u{e9}", "1", "2"],
            &["Hill, A.P.", "\u{7f},"],
        ];
        for case in cases {
            assert_eq!(entries(&line(case.iter().copied())), case, "{}", line(case.iter().copied()));
        }
        assert_eq!(line(["A 1", "B/2"]), "A 1, B/2");
        assert_eq!(entries(" 1010 ,1011,"), ["1010", "1011"]);
        assert_eq!(entries("a1, \"Hill, A.P.\", \"open"), ["a1", "Hill, A.P.", "\"open"]);
    }
}
