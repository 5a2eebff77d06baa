//! `read`: takes letters in from mails, one's own sent ones too, and says what is new, what is damaged and what to ask for.

use std::{collections::HashSet, path::PathBuf};

use super::{
    at_office,
    intake::{Intake, Placed},
};
use crate::{
    blob::{Hex32, Kind},
    cli::{
        answer::{Answer, Told},
        audit::NO_LETTER,
        terminal::visible,
    },
    game::ids::Ids,
    keep::{folder::Stored, home::Home, key_file::KeyFile},
    mail::{self, Find},
    report::text::damage,
};

/// `read`; `keep`: the beginnings of ids of invitations that are wanted, however many wait.
pub(in crate::cli) fn run(home: &Home, paths: &[PathBuf], keep: &[String]) -> Told<Answer> {
    // What would keep the letters from being kept is said before any mail is read.
    KeyFile::open(&home.key_file())?;
    let (letters, refused, talk) = found(paths)?;
    let wanted = keep.iter().map(|begins| invitation(&letters, begins)).collect::<Told<HashSet<Hex32>>>()?;
    let mut intake = Intake::of(refused, talk, wanted);
    intake.take(home, letters)?;
    let mut answer = intake.tell(home)?;
    // What an office has opened meanwhile, nobody answers by mail.
    answer.talk.extend(at_office::news(home)?);
    Ok(answer)
}

/// The only invitation among letters whose id begins so.
fn invitation(letters: &Placed, begins: &str) -> Told<Hex32> {
    let charters = letters.iter().filter(|(_, letter)| letter.message.head().kind == Kind::Charter);
    let ids: Ids = charters.map(|(_, letter)| letter.message.id()).collect();
    match ids.like(begins).as_slice() {
        [id] => Ok(*id),
        [] => Err(Answer::unable(format!("no invitation in these mails has an id that begins with {begins:?}"))),
        _ => Err(Answer::unable(format!("several invitations have ids that begin with {begins:?}; type more digits"))),
    }
}

/// The letters of mails, what is damaged among them, and what there is to say.
fn found(paths: &[PathBuf]) -> Told<(Placed, Vec<String>, Vec<String>)> {
    let (mut letters, mut refused) = (Vec::new(), Vec::new());
    let talk = mail::finds(paths, &mut |Find { place, frame, letter }| match letter {
        Ok(message) => letters.push((place, Stored { message, frame })),
        Err(refusal) => {
            let told = damage(refusal.error.class().as_str(), &refusal.error.to_string());
            refused.push(format!("{}: {}", visible(&place), visible(&told)));
        }
    });
    let talk = talk.map_err(Answer::unable)?;
    if letters.is_empty() && refused.is_empty() {
        return Err(Answer { talk: [talk, vec![NO_LETTER.into()]].concat(), code: 2, ..Answer::default() });
    }
    Ok((letters, refused, talk))
}
