//! The codes of slots and sets in words.

use crate::{blob::body::Slot, play::declaring};

/// Returns a slot in words: its turn, its impulse, and its phase with the name of the player in it.
pub(in crate::desk) fn slot(slot: &Slot, people: &[(String, String)]) -> String {
    format!("turn {}, impulse {}: {}", slot.turn, slot.impulse, phase(slot, people))
}

/// Returns the phase of a slot with the name of the player in it.
fn phase(slot: &Slot, people: &[(String, String)]) -> String {
    let phase = slot.phase.as_str();
    let own =
        people.iter().find_map(|(role, name)| Some((name, phase.strip_prefix(role.as_str())?.strip_prefix('-')?)));
    let phase =
        own.map_or_else(|| phase.replace('-', " "), |(name, rest)| format!("{name}'s {}", rest.replace('-', " ")));
    let number = if slot.number > 1 { format!(", number {}", slot.number) } else { String::new() };
    format!("{phase}{number}")
}

/// Returns sentences with each slot and each numbered set in it in words, and with the names of players whose roles are
/// their names in small letters.
pub(in crate::desk) fn in_words(text: &str, people: &[(String, String)]) -> String {
    text.split('\n').map(|line| line_in_words(line, people)).collect::<Vec<_>>().join("\n")
}

fn line_in_words(line: &str, people: &[(String, String)]) -> String {
    let told = |word: &str| {
        let code = word.trim_end_matches([',', ';', '.', ':', ')']).trim_start_matches('(');
        let (begin, rest) = word.split_once(code).filter(|_| !code.is_empty())?;
        let (slot, note) = match declaring::slot(code) {
            Ok(slot) => (slot, None),
            Err(_) => code.rsplit_once('/').and_then(|(slot, name)| Some((declaring::slot(slot).ok()?, Some(name))))?,
        };
        let note = note.map(|name| format!("{} for ", noted(name))).unwrap_or_default();
        let when = format!("turn {}, impulse {}", slot.turn, slot.impulse);
        let when = if begin.is_empty() { format!(" ({when})") } else { format!(", {when}") };
        Some(format!("{begin}{note}{}{when}{rest}", phase(&slot, people)))
    };
    let line = decisions(line);
    let words =
        line.split(' ').filter_map(|word| match told(word).or_else(|| set(word)).or_else(|| player(word, people)) {
            Some(told) => Some(told).filter(|told| !told.is_empty()),
            None => Some(word.to_owned()),
        });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the name of a player for a role that differs from it in capitals only, with what follows in the same word.
fn player(word: &str, people: &[(String, String)]) -> Option<String> {
    people.iter().filter(|(role, name)| name.to_lowercase() == *role).find_map(|(role, name)| {
        let rest = word.strip_prefix(role.as_str())?;
        let ends = !rest.starts_with(|sign: char| sign.is_alphanumeric() || "-_/".contains(sign));
        ends.then(|| format!("{name}{rest}"))
    })
}

/// Returns what a sealed note with a name contains.
fn noted(name: &str) -> &str {
    match name {
        "orders" => "with orders",
        "sheet" => "with the sheet",
        "standing" => "with choices beforehand",
        other => other,
    }
}

/// Returns the purpose of a numbered set in words. In brackets it stands behind such words already, and is left out.
fn set(word: &str) -> Option<String> {
    let code = word.trim_end_matches([',', ';', '.', ':']);
    let (is_bracketed, bare) = match code.strip_prefix('(').and_then(|code| code.strip_suffix(')')) {
        Some(bare) => (true, bare),
        None => (false, code),
    };
    let (kind, number) = bare.split_once('/')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let words = match kind {
        "contribution" => "shares of private dice",
        "foul-up" => "a spare set for mistakes",
        "sheet" => "a sheet of cells",
        _ => return None,
    };
    let end = word.strip_prefix(code).unwrap_or_default();
    is_number.then(|| if is_bracketed { end.to_owned() } else { format!("{words}{end}") })
}

/// Returns the words for a key that is an abbreviation.
pub(in crate::desk) fn abbreviated(key: &str) -> Option<&'static str> {
    Some(match key {
        "ew" => "EW attacks",
        "ew_attacks" => "EW attacks",
        "ew_superiority" => "EW superiority",
        "fpf" => "final protective fire",
        "to" => "T/O level",
        _ => return None,
    })
}

/// Returns what a part of a form is called, if its key alone says too little.
pub(in crate::desk) fn part(key: &str) -> Option<&'static str> {
    Some(match key {
        "allocate" => "points for intelligence",
        "combats" => "attacks and counter-battery fire",
        "modes" => "changes of mode",
        "replace" => "units that break down or recombine",
        _ => return None,
    })
}

/// Returns the kinds of mistakes, with their words. A turn of a game states things; other declarations list attacks or
/// rolls.
pub(in crate::desk) const fn classes(is_turn: bool) -> [(&'static str, &'static str); 3] {
    let list = match is_turn {
        true => "Something that was stated was wrong, or was left out",
        false => "The list was wrong: a wrong hex, or an attack that is missing or should not be there",
    };
    [
        ("wrong-list", list),
        ("illegal-odds", "The odds were worked out wrongly"),
        ("illegal-move", "A unit moved against the rules"),
    ]
}

/// Returns what a player does who makes a decision of a known game. Names that a table gives say it themselves.
pub(in crate::desk) fn decision(name: &str) -> Option<&'static str> {
    Some(match name {
        "agree" => "Choose whether you agree to the next battle",
        "battle" => "Choose the next battle",
        "night" => "Choose another day, or the end of the battle",
        "order" => "Choose who goes first",
        "pop" => "Choose whether to pop markers",
        _ => return None,
    })
}

/// Returns a sentence in which each decision of a known game that is chosen, or to be chosen, is called by its subject.
fn decisions(line: &str) -> String {
    let subjects = [
        ("agree", "whether to agree to the next battle"),
        ("battle", "the next battle"),
        ("night", "another day or the end of the battle"),
        ("order", "who goes first"),
        ("pop", "whether to pop markers"),
    ];
    subjects.iter().fold(line.to_owned(), |line, (name, subject)| {
        line.replace(&format!("the choice {name} for "), &format!("the choice of {subject}, "))
            .replace(&format!(" chooses {name} for "), &format!(" chooses {subject}, "))
            .replace(&format!(" must decide {name} for "), &format!(" must choose {subject}, "))
    })
}

/// Returns the heading of an entry of a form: its name, or its number.
pub(in crate::desk) fn entry(title: &str) -> String {
    if title.bytes().all(|byte| byte.is_ascii_digit()) { format!("Number {title}") } else { title.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn codes_are_told_in_words() {
        let people = [("ann".to_owned(), "Ann".to_owned())];
        let told = |line: &str| in_words(line, &people);
        assert_eq!(told("  3 sealed envelopes for foul-ups (foul-up/1)"), "  3 sealed envelopes for foul-ups");
        assert_eq!(told("Ann seals contribution/12, and more"), "Ann seals shares of private dice, and more");
        assert_eq!(told("mails/1 and foul-up/x stay"), "mails/1 and foul-up/x stay");
        assert_eq!(told("ann's dice (ann), of annie"), "Ann's dice (ann), of annie");
        assert_eq!(
            told("a sealed note (1/2/ann-b/1/orders)"),
            "a sealed note (with orders for Ann's b, turn 1, impulse 2)"
        );
        assert!(
            told("the note 1/1/c/1/standing, too")
                .starts_with("the note with choices beforehand for c (turn 1, impulse 1),")
        );
        assert_eq!(
            told("ann chooses night for 2/1/battle/1"),
            "Ann chooses another day or the end of the battle, battle (turn 2, impulse 1)"
        );
        assert!(told("2/1/events/1 is due").starts_with("events"), "{}", told("2/1/events/1 is due"));
    }
}
