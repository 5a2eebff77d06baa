//! The cells of a combat sheet: hexes and odds as players write them, and what spreadsheets make of odds.

/// The signs that may separate hexes. No hex contains one (`protocol/coin-envelopes.md` 1).
const BETWEEN: [char; 5] = ['+', '&', '/', ',', ';'];

/// The first three letters of the months in the languages of common spreadsheets.
const MONTHS: [&str; 33] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "mär", "mrz", "mai", "okt",
    "dez", "fév", "fev", "avr", "jui", "aoû", "déc", "ene", "abr", "ago", "dic", "gen", "mag", "giu", "lug", "mrt",
    "mei",
];

/// Returns the hexes in a cell. They may be separated by `+`, `&`, `/`, a comma, a semicolon, `and` or blanks. A hex
/// that itself contains blanks, such as `F 12` or `08 24`, stays whole.
///
/// # Errors
/// If a spreadsheet has turned the cell into a date.
pub(super) fn hexes(cell: &str) -> Result<Vec<String>, String> {
    if is_date(&cell.trim().to_lowercase()) {
        return Err(format!(
            "the spreadsheet turned this hex into a date ({cell}): format the column as text and type the hex again"
        ));
    }
    let mut hexes = Vec::new();
    for part in cell.split(BETWEEN) {
        let words: Vec<&str> = part.split_whitespace().collect();
        let is_and = |word: &&str| word.eq_ignore_ascii_case("and");
        // In "F12, F13, and F14", one separator follows another.
        let words = match words.as_slice() {
            [first, rest @ ..] if is_and(first) && !hexes.is_empty() => rest,
            words => words,
        };
        // A hex that is missing beside a separator becomes an empty one, which is refused later.
        hexes.extend(words.split(is_and).flat_map(grouped));
    }
    Ok(hexes)
}

/// Groups words into hexes; without words, there is one empty hex.
fn grouped(words: &[&str]) -> Vec<String> {
    let mut hexes = vec![String::new()];
    for word in words {
        match hexes.last_mut() {
            Some(hex) if hex.is_empty() => hex.push_str(word),
            Some(hex) if !begins_a_hex(hex, word) => {
                hex.push(' ');
                hex.push_str(word);
            }
            _ => hexes.push((*word).to_owned()),
        }
    }
    hexes
}

/// Whether a word after (part of) a hex begins another one. Letters never continue a hex, and digits never continue a
/// number that is already complete.
fn begins_a_hex(hex: &str, word: &str) -> bool {
    let is_long = |text: &str, long: std::ops::RangeInclusive<usize>| is_number(text) && long.contains(&text.len());
    let before = hex.trim_end_matches(['.', ' ']);
    let is_whole = match before.split_once(['.', '-', ' ']) {
        Some((first, second)) => is_long(first, 1..=2) && is_long(second, 2..=2),
        None => is_long(before, 3..=4),
    };
    word.starts_with(char::is_alphabetic) || is_whole && word.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns the odds in a cell in a notation that the rules know (`protocol/coin-envelopes.md` 5): `3/1` becomes `3:1`.
///
/// # Errors
/// If a spreadsheet has turned the odds into a date or a time, which does not show with certainty what was typed.
pub(super) fn odds(cell: &str) -> Result<String, String> {
    let text = cell.trim().to_lowercase();
    let made = if is_date(&text) || is_short_date(&text) {
        "date"
    } else if is_time(&text) {
        "time"
    } else {
        return Ok(cell.replace('/', ":"));
    };
    Err(format!(
        "the spreadsheet turned these odds into a {made} ({cell}): format the column as text and type the odds again, \
         or write them like \"3 to 1\", which spreadsheets leave alone"
    ))
}

/// Returns the words and numbers of a text, and the signs between them other than blanks.
fn parts(text: &str) -> (Vec<&str>, Vec<char>) {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    (words.collect(), text.chars().filter(|c| !c.is_alphanumeric() && !c.is_whitespace()).collect())
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a number is written with a leading zero, as odds never are.
fn has_zero(number: &str) -> bool {
    number.len() > 1 && number.starts_with('0')
}

/// Whether a lower-case text is a date with a month's name, or with day, month and year. No hexes look like this.
fn is_date(text: &str) -> bool {
    let day = text.split_once(' ').filter(|(_, time)| time.contains(':')).map_or(text, |(day, _)| day);
    let (words, signs) = parts(day);
    let (numbers, names): (Vec<&str>, Vec<&str>) = words.iter().copied().partition(|word| is_number(word));
    if !names.is_empty() {
        // `3-Jan`, `Jan 3, 2026`, `Sat 3 Jan 2026`; but a word after two numbers is somebody's remark.
        let is_month = |name: &&str| MONTHS.iter().any(|month| name.starts_with(month));
        let ends_in_year = numbers.len() == 2 && words.last().is_some_and(|word| is_number(word));
        return names.len() <= 2 && names.iter().any(is_month) && (numbers.len() == 1 || ends_in_year);
    }
    let lengths: Vec<usize> = numbers.iter().map(|number| number.len()).collect();
    let is_shaped = matches!(lengths.as_slice(), [4, 1..=2, 1..=2] | [1..=2, 1..=2, 2 | 4]);
    is_shaped && ['-', '/', '.'].iter().any(|sign| signs.len() >= 2 && signs.iter().all(|other| other == sign))
}

/// Whether a lower-case text in the place of odds is a day and month, or the number with which a spreadsheet counts
/// days.
fn is_short_date(text: &str) -> bool {
    let (words, signs) = parts(text);
    if !words.iter().all(|word| is_number(word)) {
        return false;
    }
    match (words.as_slice(), signs.as_slice()) {
        // The numbers of days from 1982 to 2118.
        ([day], []) => day.parse().is_ok_and(|day: u32| (30_000..80_000).contains(&day)),
        ([_, _], ['.', '.']) => true,
        ([a, b], ['.' | '-' | '/']) => has_zero(a) || has_zero(b),
        _ => false,
    }
}

/// Whether a lower-case text is a time, and cannot be odds such as `3:10`.
fn is_time(text: &str) -> bool {
    let (words, signs) = parts(text);
    let (numbers, names): (Vec<&str>, Vec<&str>) = words.iter().copied().partition(|word| is_number(word));
    let is_clock = !signs.is_empty() && signs.iter().all(|sign| *sign == ':') && numbers.len() == signs.len() + 1;
    let is_odd = numbers.len() == 3 || numbers.iter().any(|number| has_zero(number));
    is_clock && (matches!(names.as_slice(), ["am" | "pm"]) || names.is_empty() && is_odd)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::coin_envelopes::hexes::{DoubleLetters, Grammar};

    #[test]
    fn hexes_may_be_joined_in_any_way() {
        for cell in [
            "F12+F13",
            "F12 + F13",
            "F12&F13",
            "F12 / F13",
            "F12/F13",
            "F12 F13",
            "F12\u{a0}F13",
            "F12, F13",
            "F12; F13",
            "F12 and F13",
            "F12 AND F13",
            "F12, and F13",
        ] {
            assert_eq!(hexes(cell).expect(cell), ["F12", "F13"], "{cell}");
        }
        assert_eq!(hexes("F 12 F-13. AA 7").expect("hexes"), ["F 12", "F-13.", "AA 7"]);
        assert_eq!(hexes("0824 825 8.26 08 27 9 28").expect("hexes"), ["0824", "825", "8.26", "08 27", "9 28"]);
        assert_eq!(hexes("0824/0825/0826").expect("hexes").len(), 3);
        assert_eq!(hexes("A43.01 A43 02 A4303").expect("hexes"), ["A43.01", "A43 02", "A4303"]);
    }

    #[test]
    fn a_missing_hex_is_not_passed_over() {
        for cell in ["", "F12+", "+F12", "F12 and", "and F12", "F12++F13", "F12 and and F13"] {
            assert!(hexes(cell).expect(cell).iter().any(String::is_empty), "{cell}");
        }
    }

    #[test]
    fn no_valid_hex_is_split() {
        let letters = DoubleLetters::Spreadsheet;
        let firsts = ["F", "AB", "f", "A43", "m07", "8", "08", "10", "824", "0824", "1013", "A4301", "F7", "F123"];
        let betweens = ["", " ", "  ", "-", ".", " . ", "- "];
        let seconds = ["", "7", "12", "123", "24", "01", "0824"];
        let mut seen = 0;
        for first in firsts {
            for (between, second) in betweens.iter().flat_map(|between| seconds.map(|second| (between, second))) {
                for end in ["", ".", " .", "  "] {
                    let hex = format!("{first}{between}{second}{end}");
                    let Some(grammar) = Grammar::of(&hex, letters) else { continue };
                    let read = hexes(&hex).expect("no date");
                    let [one] = read.as_slice() else { panic!("{hex:?} became {read:?}") };
                    assert_eq!(grammar.parse(one, letters).ok(), grammar.parse(&hex, letters).ok(), "{hex:?}");
                    seen += 1;
                }
            }
        }
        assert!(seen > 200, "{seen} hexes");
    }

    #[test]
    fn odds_are_told_from_dates() {
        let dates = [
            "03.Jan",
            "3-Jan",
            "Jan 3",
            "Jan-26",
            "3. Mrz",
            "03. März 2026",
            "3 févr.",
            "Sat, 3 Jan 2026",
            "2026-01-03",
            "2026-01-03 00:00:00",
            "1/3/2026",
            "01/03/26",
            "03.01.2026",
            "03.01.",
            "3.1.",
            "03/01",
            "03-01",
            "46025",
        ];
        for date in dates {
            let why = odds(date).expect_err(date);
            assert!(why.contains(&format!("into a date ({date})")) && why.contains("3 to 1"), "{why}");
        }
        for time in ["3:01", "03:01", "03:01:00", "3:01 AM", "1:10:00 PM"] {
            assert!(odds(time).expect_err(time).contains(&format!("into a time ({time})")), "{time}");
        }
        for (typed, read) in [("3-1", "3-1"), ("3 : 1", "3 : 1"), ("3/1", "3:1"), ("1 / 3", "1 : 3"), ("1:10", "1:10")]
        {
            assert_eq!(odds(typed).as_deref(), Ok(read));
        }
        // These are neither odds nor dates: the rules for odds say what is wrong.
        for other in ["3-1 march", "3", "", "3-1-1", "auto", "3 to 1", "10:10", "3.1", "999:999"] {
            assert_eq!(odds(other).as_deref(), Ok(other));
        }
    }

    #[test]
    fn a_hex_that_became_a_date_is_named() {
        for date in ["24-Aug", "2026-08-24", "24.08.2026"] {
            assert!(hexes(date).expect_err(date).contains("into a date"), "{date}");
        }
    }
}
