//! The code on a backup page (`protocol/key-file.md` 8 to 11): the root secret in fourteen groups. Each group has its
//! own check digit, so a copying mistake can be traced to its group.

use super::root::Root;
use crate::{
    error::{Class, Error, Result},
    primitive::{
        hash::{h, tag},
        secret::{Secret, SecretText, Wiped, same},
    },
};

/// The text of the line before the code on a page, without the dashes around it.
pub const BEGIN: &str = "BEGIN SEALED DICE SECRET BACKUP";
/// The text of the line after the code on a page, without the dashes around it.
pub const END: &str = "END SEALED DICE SECRET BACKUP";
/// The number of groups in a code.
pub const GROUPS: usize = 14;

/// Crockford's base32, which omits I, L, O and U.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// The number of digits in a group, without the check digit.
const DATA: usize = 4;
const CHECK_BYTES: usize = 3;
const BYTES: usize = 32 + CHECK_BYTES;

/// Writes the groups of a root secret, separated by spaces (key-file 8).
#[must_use]
pub fn write(root: &Root) -> SecretText {
    let mut bytes = Wiped::new([0; BYTES]);
    let check = whole_check(root);
    for (byte, from) in bytes.iter_mut().zip(root.expose().iter().chain(&check)) {
        *byte = *from;
    }
    let digits = Wiped::new(digits_of(bytes.as_slice()));
    let mut text = String::with_capacity(GROUPS * (DATA + 2));
    for (i, group) in digits.chunks(DATA).enumerate() {
        if i > 0 {
            text.push(' ');
        }
        let check = group_check(i + 1, group);
        for digit in group.iter().chain([&check]) {
            text.push(DIGITS.get(usize::from(*digit)).copied().map_or(' ', char::from));
        }
    }
    SecretText::new(text)
}

/// Reads a code that was typed, or the code on a whole page. On a page, only the text between the marks counts, and on
/// each line only the part after the last colon. Lower case is read as upper case, O as 0, and I and L as 1.
///
/// # Errors
/// Class `armour` unless there are fourteen groups; class `rule` if some groups are wrong (the error names them), or if
/// the check of the whole code is wrong. No error quotes the code.
pub fn read(text: &str) -> Result<Root> {
    let words = groups_of(text);
    let wrong: Vec<String> = words
        .iter()
        .enumerate()
        .filter(|(i, word)| group(i + 1, word).is_none())
        .map(|(i, _)| (i + 1).to_string())
        .collect();
    if words.len() != GROUPS {
        let hint = wrong.first().map_or(String::new(), |first| format!(", and group {first} is the first wrong one"));
        let text = format!("the code has {} groups instead of {GROUPS}{hint}; compare it with the page", words.len());
        return Err(Error::malformed(Class::Armour, text));
    }
    let wrong_groups =
        |which: &str| Error::Refused(format!("{which} wrong; look at the page again, then restore the key again"));
    match wrong.as_slice() {
        [] => {}
        [one] => return Err(wrong_groups(&format!("group {one} is"))),
        many => return Err(wrong_groups(&format!("groups {} are", many.join(", ")))),
    }
    let digits: Wiped<Vec<u8>> =
        Wiped::new(words.iter().enumerate().filter_map(|(i, word)| group(i + 1, word)).flatten().collect());
    let bytes = Wiped::new(bytes_of(&digits));
    let (root, check) = bytes.split_at_checked(32).unwrap_or_default();
    let root = root.try_into().map(|root| Root::new(Secret::new(root)));
    match root {
        Ok(root) if same(&whole_check(&root), check) => Ok(root),
        _ => Err(Error::Refused(
            "each group is possible, but together they are wrong; compare every group with the page".into(),
        )),
    }
}

/// Whether a word is a valid group at this number, counted from 1: its check digit must be right.
#[must_use]
pub fn is_right(number: usize, word: &str) -> bool {
    group(number, word).is_some()
}

/// Returns the groups in a text. Groups without a space between them are split.
pub fn groups_of(text: &str) -> Vec<&str> {
    let behind = text.split_once(BEGIN).map_or(text, |(_, behind)| behind);
    let inner = behind.split_once(END).map_or(behind, |(inner, _)| inner);
    let unlabelled = inner.lines().map(|line| line.rsplit_once(':').map_or(line, |(_, code)| code));
    let words = unlabelled.flat_map(|line| line.split(|c: char| c.is_whitespace() || crate::blob::armour::is_dash(c)));
    words.filter(|word| !word.is_empty()).flat_map(apart).collect()
}

/// Splits a word into groups if its length is a multiple of five characters; any other word is a single, wrong group.
fn apart(word: &str) -> Vec<&str> {
    if !word.is_ascii() || !word.len().is_multiple_of(DATA + 1) {
        return vec![word];
    }
    (0..word.len()).step_by(DATA + 1).filter_map(|at| word.get(at..at + DATA + 1)).collect()
}

/// Returns the four digits of a group if its check digit is right.
fn group(number: usize, word: &str) -> Option<[u8; DATA]> {
    let mut digits = Wiped::new([0_u8; DATA + 1]);
    if word.chars().count() != DATA + 1 {
        return None;
    }
    for (digit, c) in digits.iter_mut().zip(word.chars()) {
        *digit = value(c)?;
    }
    let [a, b, c, d, check] = *digits;
    (group_check(number, &[a, b, c, d]) == check).then_some([a, b, c, d])
}

fn value(c: char) -> Option<u8> {
    let c = match c.to_ascii_uppercase() {
        'O' => '0',
        'I' | 'L' => '1',
        other => other,
    };
    DIGITS.iter().position(|digit| char::from(*digit) == c).and_then(|at| u8::try_from(at).ok())
}

/// Computes the check digit of a group (key-file 9). The group's number and digits form a polynomial over GF(32), so a
/// single wrong character, two exchanged characters or two exchanged groups are always detected.
fn group_check(number: usize, digits: &[u8]) -> u8 {
    let number = u8::try_from(number).unwrap_or_default();
    times_x(digits.iter().fold(number, |sum, digit| times_x(sum) ^ digit))
}

/// Multiplies an element of GF(32) by x, modulo x^5 + x^2 + 1.
const fn times_x(a: u8) -> u8 {
    let twice = a << 1;
    if twice & 32 == 0 { twice } else { twice ^ 0b10_0101 }
}

/// Computes the three check bytes of the whole code (key-file 8).
fn whole_check(root: &Root) -> [u8; CHECK_BYTES] {
    let [a, b, c, ..] = h(tag::KEY_BACKUP, &[root.expose()]);
    [a, b, c]
}

/// Splits bytes into digits of five bits, beginning with the highest bits.
fn digits_of(bytes: &[u8]) -> Vec<u8> {
    regroup(bytes, 8, 5)
}

fn bytes_of(digits: &[u8]) -> Vec<u8> {
    regroup(digits, 5, 8)
}

/// Regroups the bits of `from`, which has numbers of `width` bits, into numbers of `into` bits. Leftover bits at the
/// end are dropped.
fn regroup(from: &[u8], width: u32, into: u32) -> Vec<u8> {
    let mut out = Vec::with_capacity(from.len() * width as usize / into as usize + 1);
    let (mut held, mut bits) = (0_u32, 0);
    for number in from {
        held = (held << width) | u32::from(*number);
        bits += width;
        while bits >= into {
            bits -= into;
            out.push(u8::try_from((held >> bits) & ((1 << into) - 1)).unwrap_or_default());
            held &= (1 << bits) - 1;
        }
    }
    out
}
