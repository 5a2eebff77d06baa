//! `reply` and `resend`: signs the letters that are owed, and hands over earlier ones again.

use super::{
    failure::{Failure, PlayResult, after},
    handed::Handed,
    locked::Locked,
    session::Session,
    table::{Stage, Table, View},
};
use crate::game::{tasks::Task, terms::Author};

/// Signs everything that is owed, and hands it over in one mail, with all letters that the other may not have.
///
/// # Errors
/// If this machine may not sign, or the player does not sign.
pub fn reply(session: &Session<'_>, name: Option<&str>) -> PlayResult<Handed> {
    let table = Locked::find(session, name, |table| table.owes() || table.owes_answers())?;
    let (table, news) = table.after_office(session)?;
    after(news, reply_of(table, session))
}

fn reply_of(table: Locked, session: &Session<'_>) -> PlayResult<Handed> {
    if table.stage == Stage::Proposed {
        return table.mail(None);
    }
    let is_blocked = table.with_order(|order| table.blocked(order))?.is_some();
    if is_blocked && table.owes_answers() {
        return table.answer(session);
    }
    if table.me.player().is_none() {
        return table.confirm(session);
    }
    let answers = |task: &Task| matches!(task, Task::Answer { .. });
    let (owes, proposed) = (table.owes(), table.view(|view| Ok(view.tasks().iter().any(answers)))?);
    // Answers belong to no chain, so signing them does not let a proposal lapse.
    if table.owes_answers() && (proposed || !owes) {
        return table.answer(session);
    }
    if !owes && !proposed {
        return table.mail(None);
    }
    table.sign_with_key(session, |view| view.check_page(session), |_, _| Ok(Vec::new()))
}

impl Table {
    /// Whether `reply` would sign something.
    fn owes(&self) -> bool {
        let plain = |view: &View<'_, '_>| {
            Ok(!self.undeposited(view.ledger).is_empty() || view.tasks().iter().any(Task::is_plain))
        };
        let owes = match self.me {
            Author::Player(_) => self.view(plain),
            Author::Referee | Author::Office => self.look(|_, ledger| Ok(self.owes_as_holder(ledger))),
        };
        owes.unwrap_or_default()
    }
}

/// The letters to hand over again.
#[derive(Clone, Debug)]
pub enum Again {
    /// This party's letters that the other may not have.
    Unknown,
    /// This party's letters with these numbers.
    Numbers(Vec<u64>),
    /// All letters by this party.
    Own,
    /// All letters of the game.
    Everything,
}

/// Hands letters over again, byte for byte.
///
/// # Errors
/// If this party has no letter with a given number.
pub fn resend(session: &Session<'_>, name: Option<&str>, again: &Again) -> PlayResult<Handed> {
    let table = Locked::find(session, name, Table::lives)?;
    let numbers = match again {
        Again::Everything => return table.mail_everything(),
        Again::Unknown => return table.mail(None),
        Again::Own => return table.mail(Some(&table.every_number())),
        Again::Numbers(numbers) => numbers,
    };
    let known = table.every_number();
    if let Some(other) = numbers.iter().find(|number| !known.contains(number)) {
        let has = match (known.iter().min(), known.iter().max()) {
            (Some(first), Some(last)) if first < last => format!("your letters are {first} to {last}"),
            (Some(only), _) => format!("your only letter is {only}"),
            (None, _) => "you have not written any letter yet".into(),
        };
        return Err(Failure::refused(format!(
            "you have not written a letter {other} in this game: {has}; --all prints all of them"
        )));
    }
    table.mail(Some(numbers))
}
