//! `reply` and `resend`: what is owed, and what was sent already.

use super::{
    failure::{Failure, PlayResult, after},
    handed::Handed,
    locked::Locked,
    session::Session,
    table::{Stage, Table, View},
};
use crate::game::{tasks::Task, terms::Author};

/// Signs all that is owed, and hands it over in one mail, with whatever the other is not known to have.
///
/// # Errors
/// If this machine may not sign, or the player does not.
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
    // Answers are in no chain: no proposal lapses by them.
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

/// Which letters to hand over again.
#[derive(Clone, Debug)]
pub enum Again {
    /// One's own that the other is not known to have.
    Unknown,
    /// One's own with these numbers.
    Numbers(Vec<u64>),
    /// All of one's own.
    Own,
    /// All of the game's.
    Everything,
}

/// Hands letters over again, byte for byte.
///
/// # Errors
/// If this party has no letter of a number that is named.
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
            (Some(first), Some(last)) if first < last => format!("yours are {first} to {last}"),
            (Some(only), _) => format!("your only one is {only}"),
            (None, _) => "you have written none yet".into(),
        };
        return Err(Failure::refused(format!(
            "you have no letter {other} in this game: {has}; --all prints all of them"
        )));
    }
    table.mail(Some(numbers))
}
