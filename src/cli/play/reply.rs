//! `reply` and `resend`: what is owed, and what was sent already.

use super::{
    locked::Locked,
    sign::Signing,
    table::{Stage, Table, View},
};
use crate::cli::answer::Answer;
use crate::cli::answer::{Told, saying};
use crate::{
    game::{tasks::Task, terms::Author},
    keep::home::Home,
};

/// `reply`: all that is owed, in one mail, with whatever the other is not known to have.
pub(in crate::cli) fn reply(home: &Home, name: Option<&str>, signing: &Signing) -> Told<Answer> {
    let table = Locked::find(home, name, |table| table.owes() || table.owes_answers())?;
    let (table, news) = table.after_office(home, signing)?;
    saying(news, reply_of(table, home, signing))
}

fn reply_of(table: Locked, home: &Home, signing: &Signing) -> Told<Answer> {
    if table.stage == Stage::Proposed {
        return table.mail(signing, None);
    }
    let is_blocked = table.with_order(|order| table.blocked(order))?.is_some();
    if is_blocked && table.owes_answers() {
        return table.answer(home, signing);
    }
    if table.me.player().is_none() {
        return table.confirm(home, signing);
    }
    let answers = |task: &Task| matches!(task, Task::Answer { .. });
    let (owes, proposed) = (table.owes(), table.view(|view| Ok(view.tasks().iter().any(answers)))?);
    // Answers are in no chain: no proposal lapses by them.
    if table.owes_answers() && (proposed || !owes) {
        return table.answer(home, signing);
    }
    if !owes && !proposed {
        return table.mail(signing, None);
    }
    table.sign_with_key(home, signing, |view| view.check_page(home, signing), |_, _| Ok(Vec::new()))
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

/// Which letters to print again.
pub(in crate::cli) enum Again {
    /// One's own that the other is not known to have.
    Unknown,
    /// One's own with these numbers.
    Numbers(Vec<u64>),
    /// All of one's own.
    Own,
    /// All of the game's.
    Everything,
}

/// `resend`: stored letters again, byte for byte.
pub(in crate::cli) fn resend(home: &Home, name: Option<&str>, again: &Again, signing: &Signing) -> Told<Answer> {
    let table = Locked::find(home, name, Table::lives)?;
    let numbers = match again {
        Again::Everything => return table.mail_everything(signing),
        Again::Unknown => return table.mail(signing, None),
        Again::Own => return table.mail(signing, Some(&table.every_number())),
        Again::Numbers(numbers) => numbers,
    };
    let known = table.every_number();
    if let Some(other) = numbers.iter().find(|number| !known.contains(number)) {
        let has = match (known.iter().min(), known.iter().max()) {
            (Some(first), Some(last)) if first < last => format!("yours are {first} to {last}"),
            (Some(only), _) => format!("your only one is {only}"),
            (None, _) => "you have written none yet".into(),
        };
        return Err(Answer::refused(format!(
            "you have no letter {other} in this game: {has}; --all prints all of them"
        )));
    }
    table.mail(signing, Some(numbers))
}
