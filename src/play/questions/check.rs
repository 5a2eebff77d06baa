//! Checks of answers: each returns the answer as it is kept, or why it is wrong and what to type.

use super::question::Given;
use crate::{
    blob::{Hex32, body::Role},
    play::{
        charter_file::{
            parties::{OTHER_FINGERPRINT, deposit_key, public_key},
            says_nothing,
        },
        compared,
    },
};

type Checked = Result<String, String>;

/// The roles of the referee and the office in every template.
pub(super) const THIRDS: [&str; 2] = ["ref", "office"];

/// Accepts any answer.
pub(super) fn any(typed: &str, _: &Given) -> Checked {
    Ok(typed.to_owned())
}

/// Checks a title.
pub(super) fn title(typed: &str, _: &Given) -> Checked {
    visible(typed, 200)
}

/// Checks the name of a person or an office.
pub(super) fn name(typed: &str, _: &Given) -> Checked {
    visible(typed, 80)
}

fn visible(typed: &str, most: usize) -> Checked {
    match says_nothing(typed) || typed.chars().count() > most {
        true => Err(format!("type 1 to {most} visible characters")),
        false => Ok(typed.to_owned()),
    }
}

/// Checks the player's own role; an empty one is made from their name.
pub(super) fn own_role(typed: &str, given: &Given) -> Checked {
    role(typed, given.get("own-name"))
}

/// Checks the opponent's role; an empty one is made from their name.
pub(super) fn their_role(typed: &str, given: &Given) -> Checked {
    let role = role(typed, given.get("their-name"))?;
    match role == given.get("own-role") {
        true => Err(format!("{role} is your own role: type another one for your opponent")),
        false => Ok(role),
    }
}

fn role(typed: &str, name: &str) -> Checked {
    let made: String = name.to_lowercase().chars().filter(|c| c.is_ascii_lowercase()).take(16).collect();
    let role = if typed.is_empty() { made.as_str() } else { typed };
    if THIRDS.contains(&role) {
        return Err(format!("{role} is kept for a referee or an office: type another role"));
    }
    Role::parse(role).map(|role| role.to_string()).ok_or_else(|| match typed {
        "" => "no role can be made from this name: type a role in small letters".into(),
        _ => {
            "a role has at most 16 small letters, digits and hyphens, and begins with a letter: type another one".into()
        }
    })
}

/// Checks the public key of a referee or an office.
pub(super) fn third_key(typed: &str, given: &Given) -> Checked {
    let key = key(typed, given)?;
    match key == given.get("their-key") {
        true => Err("this is your opponent's public key: ask the referee or the office for theirs".into()),
        false => Ok(key),
    }
}

/// Checks another person's public key.
pub(super) fn key(typed: &str, given: &Given) -> Checked {
    let key = Hex32(*public_key(typed)?.as_bytes());
    match key == given.own {
        true => Err("this is your own public key: ask the other person for theirs".into()),
        false => Ok(key.to_string()),
    }
}

/// Checks the opponent's fingerprint against their key.
pub(super) fn their_fingerprint(typed: &str, given: &Given) -> Checked {
    fingerprint(typed, given, given.get("their-key"))
}

/// Checks the fingerprint of a referee or an office against their key.
pub(super) fn third_fingerprint(typed: &str, given: &Given) -> Checked {
    fingerprint(typed, given, given.get("third-key"))
}

fn fingerprint(typed: &str, given: &Given, key: &str) -> Checked {
    compared::check_not_own(given.own, typed).map_err(|failure| failure.why.join("; "))?;
    // If the key itself is wrong, that was reported already.
    let is_another = |key| !compared::same_fingerprint(&key, typed);
    match !typed.is_empty() && public_key(key).is_ok_and(is_another) {
        true => Err(OTHER_FINGERPRINT.into()),
        false => Ok(typed.to_owned()),
    }
}

/// Checks a deposit key; an empty answer means that there is none.
pub(super) fn deposit(typed: &str, _: &Given) -> Checked {
    match typed {
        "" => Ok(String::new()),
        typed => Ok(deposit_key(typed)?.to_string()),
    }
}

/// Checks a number of days.
pub(super) fn days(typed: &str, _: &Given) -> Checked {
    number(typed, 1, 3_650)
}

/// Checks the number of a turn.
pub(super) fn turn(typed: &str, _: &Given) -> Checked {
    number(typed, 1, 9_999)
}

/// Checks the number of a turn that is not the first.
pub(super) fn later_turn(typed: &str, _: &Given) -> Checked {
    number(typed, 2, 9_999)
}

/// Checks a number from 1 to 6, or 7 for never.
pub(super) fn die_or_never(typed: &str, _: &Given) -> Checked {
    number(typed, 1, 7)
}

fn number(typed: &str, least: u64, most: u64) -> Checked {
    let number = typed.parse().ok().filter(|number: &u64| (least..=most).contains(number));
    number.map(|number| number.to_string()).ok_or_else(|| format!("type a number from {least} to {most}"))
}

/// Whether neither the column nor the row of a hex is higher than that of another one.
fn is_below(first: &str, last: &str) -> bool {
    first.get(..2) <= last.get(..2) && first.get(2..) <= last.get(2..)
}

/// Checks the corners of a sector: two hexes of four digits, the lower numbers first.
pub(super) fn corners(typed: &str, _: &Given) -> Checked {
    let hexes: Vec<&str> = typed.split_whitespace().collect();
    let is_hex = |hex: &&str| hex.len() == 4 && hex.bytes().all(|byte| byte.is_ascii_digit());
    match hexes.as_slice() {
        [first, last] if [first, last].into_iter().all(is_hex) && is_below(first, last) => {
            Ok(format!("{first} {last}"))
        }
        [first, last] if [first, last].into_iter().all(is_hex) => {
            Err("the first hex must have the lower numbers, such as 0101 2030".into())
        }
        _ => Err("type two hexes of four digits with a space between them, such as 0101 2030".into()),
    }
}

/// Checks the name of a side in a table of events.
pub(super) fn side(typed: &str, _: &Given) -> Checked {
    visible(typed, 32)
}

/// Checks the name of the other side.
pub(super) fn other_side(typed: &str, given: &Given) -> Checked {
    match typed == given.get("own-side") {
        true => Err("this is your own side: type the other one".into()),
        false => visible(typed, 32),
    }
}

/// Checks the side that rolls first: one of the two.
pub(super) fn first_side(typed: &str, given: &Given) -> Checked {
    let sides = [given.get("own-side"), given.get("their-side")];
    match sides.contains(&typed) {
        true => Ok(typed.to_owned()),
        false => Err(format!("type one of the two sides: {}", sides.join(" or "))),
    }
}
