//! `read`: takes in letters from mails, including the party's own sent mails, and reports what is new, what is damaged
//! and what to ask for.

use std::collections::HashSet;

use super::{
    at_office,
    failure::{Failure, PlayResult},
    handed::News,
    intake::{Intake, Placed},
    received::Received,
};
use crate::{
    blob::{Hex32, Kind},
    game::ids::Ids,
    keep::{folder::Stored, home::Home, key_file::KeyFile},
    mail::{Find, Mail},
    report::text::{damage, visible},
};

/// Takes in the letters in mails. `keep` lists the beginnings of the ids of invitations to keep, no matter how many are
/// unanswered. Returns the result, and news from the offices of the games.
///
/// # Errors
/// If there is no key, a file cannot be read, or no letter is found.
pub fn read(home: &Home, mail: Mail, keep: &[String]) -> PlayResult<(Received, Vec<News>)> {
    // Anything that would prevent keeping the letters is reported before any mail is read.
    KeyFile::open(&home.key_file())?;
    let (letters, refused, said) = found(mail)?;
    let wanted = keep.iter().map(|begins| invitation(&letters, begins)).collect::<PlayResult<HashSet<Hex32>>>()?;
    let mut intake = Intake::of(refused, said, wanted);
    intake.take(home, letters)?;
    let received = intake.end(home)?;
    // The offices are asked before anything is answered by mail: they may have opened a declaration meanwhile.
    Ok((received, at_office::news(home)?))
}

/// The message when no letter was found.
pub const NO_LETTER: &str = "no letter was found; check that the mail contains the line -----BEGIN SEALED DICE \
                             MESSAGE-----";

/// Returns the only invitation among the letters whose id begins with `begins`.
fn invitation(letters: &Placed, begins: &str) -> PlayResult<Hex32> {
    let charters = letters.iter().filter(|(_, letter)| letter.message.head().kind == Kind::Charter);
    let ids: Ids = charters.map(|(_, letter)| letter.message.id()).collect();
    match ids.like(begins).as_slice() {
        [id] => Ok(*id),
        [] => Err(Failure::unable(format!(
            "these mails do not contain an invitation whose id begins with {begins:?}; copy the id from the list that \
             `sealed-dice read` prints"
        ))),
        _ => Err(Failure::unable(format!("several invitations have ids that begin with {begins:?}; type more digits"))),
    }
}

/// Finds the letters in mails, lists the damaged ones, and returns notices to show.
fn found(mail: Mail) -> PlayResult<(Placed, Vec<String>, Vec<String>)> {
    let (mut letters, mut refused) = (Vec::new(), Vec::new());
    let said = mail.finds(&mut |Find { place, frame, letter }| match letter {
        Ok(message) => letters.push((place, Stored { message, frame })),
        Err(refusal) => {
            let told = damage(refusal.error.class().as_str(), &refusal.error.to_string());
            refused.push(format!("{}: {}", visible(&place), visible(&told)));
        }
    });
    let said = said.map_err(Failure::unable)?;
    if letters.is_empty() && refused.is_empty() {
        return Err(Failure { why: [said, vec![NO_LETTER.into()]].concat(), ..Failure::unable("") });
    }
    Ok((letters, refused, said))
}
