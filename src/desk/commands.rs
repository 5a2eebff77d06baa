//! Commands in sentences, named as the pages and buttons of the desk that do the same: a player at the desk has nowhere
//! to type a command.

use super::{texts, verb::Verb};
use crate::report::rules::without;

/// The name of the program, with which every command begins.
const PROGRAM: &str = "sealed-dice";

/// The beginnings of commands, longer ones first, with the texts that name what does the same at the desk.
const KNOWN: [(&str, &str); 34] = [
    ("correct accept", texts::label(Verb::Agree)),
    ("correct propose", texts::label(Verb::Propose)),
    ("correct refuse", texts::label(Verb::Refuse)),
    ("correct void", texts::label(Verb::Void)),
    ("declare", texts::label(Verb::Declare)),
    ("decide", texts::label(Verb::Decide)),
    ("dispute name", texts::label(Verb::NameDice)),
    ("dispute raise", texts::label(Verb::Raise)),
    ("dispute stall", texts::label(Verb::Stall)),
    ("dispute withdraw", texts::label(Verb::Unclaim)),
    ("dispute yield", texts::label(Verb::Yield)),
    ("game accept", texts::label(Verb::Accept)),
    ("game close", texts::label(Verb::Close)),
    ("game continue", texts::label(Verb::Continue)),
    ("game hand", texts::YOUR_HAND),
    ("game list", texts::GAMES),
    ("game new", texts::NEW_GAME),
    ("game resync", texts::label(Verb::Resync)),
    ("game status", texts::THE_GAMES_PAGE),
    ("game template", texts::NEW_GAME),
    ("game terms", texts::TERMS),
    ("game withdraw", texts::label(Verb::Withdraw)),
    ("key", texts::YOUR_KEY),
    ("note", texts::label(Verb::Note)),
    ("office join", texts::label(Verb::Join)),
    ("office pull", texts::label(Verb::Pull)),
    ("office push", texts::label(Verb::Push)),
    ("read", texts::READ_A_MAIL),
    ("resend --all", texts::label(Verb::ResendAll)),
    ("resend --everything", texts::label(Verb::ResendAll)),
    ("resend", texts::label(Verb::Resend)),
    ("reply", texts::label(Verb::Reply)),
    ("rule", texts::label(Verb::Rule)),
    ("seal", texts::label(Verb::Seal)),
];

/// Returns a sentence without the rules that it cites at its end, and with each known command replaced by the name of
/// the page or button that does the same. Commands that the desk does not have stay as they are.
pub(super) fn named(line: &str) -> String {
    // Phrases about options first: a form has fields instead.
    let line = without(line).to_owned();
    let phrased = texts::OPTIONS.iter().fold(line, |line, (phrase, told)| line.replace(phrase, told));
    let mut told = String::new();
    let mut rest = phrased.as_str();
    while let Some((before, after)) = rest.split_once(PROGRAM) {
        match known(after) {
            Some((label, after)) => {
                told.push_str(&chosen(before.strip_suffix('`').unwrap_or(before)));
                told.push_str(&texts::quoted(label));
                rest = after.strip_prefix('`').unwrap_or(after);
            }
            None => {
                told.push_str(before);
                told.push_str(PROGRAM);
                rest = after;
            }
        }
    }
    told.push_str(rest);
    told
}

/// Returns the text before a command as a page says it: a button is chosen, not typed.
fn chosen(before: &str) -> String {
    let text = before.trim_end();
    let end = if text.ends_with(':') { ":" } else { "" };
    match text.strip_suffix(end).and_then(|text| text.strip_suffix("type")) {
        Some(text) if text.is_empty() || text.ends_with([' ', '(']) => format!("{text}choose{end} "),
        _ => before.to_owned(),
    }
}

/// Returns the desk's name for the command that a text begins with, and the rest of the text. `after` is the text that
/// follows the program's name. `None` if the desk does not have the command.
fn known(after: &str) -> Option<(&'static str, &str)> {
    let after = after.strip_prefix(" --home ").and_then(argument).unwrap_or(after).strip_prefix(' ')?;
    let (begins, label) = KNOWN.iter().find(|(begins, _)| after.starts_with(begins))?;
    let mut rest = after.get(begins.len()..)?;
    // Some arguments look like words of a sentence: the game to continue, and the name after a slot.
    for _ in 0..if *begins == "game continue" { 1 } else { 2 * usize::from(matches!(*begins, "note" | "decide")) } {
        rest = rest.strip_prefix(' ').filter(|next| !next.starts_with(' ')).and_then(argument).unwrap_or(rest);
    }
    while let Some(next) = rest.strip_prefix(' ').filter(|next| is_argument(next)).and_then(|next| {
        // The name of a game may look like any word.
        argument(next.strip_prefix("--game ").or_else(|| next.strip_prefix("--out ")).unwrap_or(next))
    }) {
        rest = next;
    }
    // What a command writes into a file, a page shows.
    let rest = rest.strip_prefix(" > ").and_then(argument).unwrap_or(rest);
    Some((label, rest))
}

/// Returns the text after an argument, which may be in quotes.
fn argument(text: &str) -> Option<&str> {
    if let Some(quote) = text.chars().next().filter(|sign| matches!(sign, '"' | '\'')) {
        let (_, after) = text.get(1..)?.split_once(quote)?;
        return Some(after);
    }
    let ends = |sign: char| sign.is_whitespace() || matches!(sign, '`' | ';' | ',' | ')');
    text.get(text.find(ends).unwrap_or(text.len())..)
}

/// Whether a text begins with an argument of a command: an option, a word in capitals or in quotes, a second word of a
/// verb about the key or of a ruling, or anything with a digit, such as a slot or an id.
fn is_argument(text: &str) -> bool {
    let word: &str = text
        .split(|sign: char| sign.is_whitespace() || matches!(sign, '`' | ';' | ',' | ')'))
        .next()
        .unwrap_or_default();
    let is_upper = word.len() > 1 && word.chars().all(|sign| sign.is_ascii_uppercase() || matches!(sign, '-' | '.'));
    let is_quoted = word.starts_with(['"', '\'']);
    let is_of_key = matches!(word, "show" | "new" | "backup" | "compared" | "restore" | "page.html");
    let is_of_rule = matches!(
        word,
        "agree" | "declarer-names" | "dismiss" | "forfeit" | "game" | "open" | "request" | "settle" | "void"
    );
    word.starts_with("--")
        || is_upper
        || is_quoted
        || is_of_key
        || is_of_rule
        || word.contains(|sign: char| sign.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_become_names() {
        for (line, told) in [
            ("nothing is owed; `sealed-dice game status` shows more", "nothing is owed; “The game's page” shows more"),
            ("make one:  sealed-dice --home /tmp/a key backup --out page.html", "make one:  “Your key”"),
            ("record it with sealed-dice --home '/tmp/a b' key compared FINGERPRINT", "record it with “Your key”"),
            (
                "type  sealed-dice resend --everything --game war; or wait",
                "choose “Show a mail with every letter of the game”; or wait",
            ),
            (
                "every letter (they type: sealed-dice resend --all)",
                "every letter (they choose: “Show a mail with every letter of the game”)",
            ),
            ("to print a sheet: sealed-dice declare 1/1/a/1 --form > sheet.toml", "to print a sheet: “Declare”"),
            ("go on:  sealed-dice game continue war --out new-terms.toml; or", "go on:  “Continue in a new game”; or"),
            ("then:  sealed-dice rule forfeit 3f9a game --game war", "then:  “Make a ruling”"),
            ("--at-fault must be the role of one of the two players", "choose which player made the mistake"),
            ("`sealed-dice audit` shows it", "`sealed-dice audit` shows it"),
            ("sealed-dice is free", "sealed-dice is free"),
        ] {
            assert_eq!(named(line), told);
        }
    }
}
