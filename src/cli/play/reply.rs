//! `reply` and `resend`: what is owed, and what was sent already.

use super::{Answer, Stage, Table, Told, View, locked::Locked, saying, seal::seal_body, sign::Signing};
use crate::{
    blob::{Body, body::Correct},
    game::{opener, steps::Seat, tasks::Task, terms::Author},
    keep::home::Home,
};

/// Everything that is owed, needs no choice, and is not among the letters of this mail already. One's own close, which is
/// owed once the other has closed, comes along with a reply and with the answer to a proposal; of both the status says so.
/// Nothing else ends a game unawares.
pub(super) fn owed(view: &View<'_, '_>, seat: &Seat, bodies: &[Body]) -> Told<Vec<Body>> {
    let closes = bodies.iter().any(|body| matches!(body, Body::Close(_)));
    let said = |task: &Task| {
        bodies.iter().any(|body| match (body, task) {
            (Body::Reveal(reveal), Task::Reveal { declaration, .. }) => reveal.declaration == Some(*declaration),
            (Body::Seal(seal), Task::Seal { kind, purpose }) => seal.kind == *kind && seal.purpose == *purpose,
            _ => false,
        })
    };
    let mut owed = Vec::new();
    for task in view.tasks().iter().filter(|task| !said(task)) {
        match task {
            Task::Reveal { declaration, .. } if view.check_whole(declaration).is_ok() => {
                owed.push(Body::Reveal(seat.reveal(view.ledger, *declaration)?));
            }
            Task::OpenNote { declaration, seal, .. } => {
                if let (Some(set), Some(master)) = (view.ledger.set(seal), seat.master(view.ledger, seal)) {
                    owed.push(Body::Reveal(opener::single(set, &master, *declaration, 0)));
                }
            }
            Task::Seal { kind, purpose } if !closes => owed.push(seal_body(view.ledger, seat, *kind, purpose)?),
            Task::Close if !closes && bodies.iter().all(is_answer) => {
                owed.push(Body::Close(seat.close(view.ledger, None)))
            }
            _ => {}
        }
    }
    // Nothing but keys may follow a close.
    owed.sort_by_key(|body| matches!(body, Body::Close(_)));
    Ok(owed)
}

/// Whether it answers a proposal.
pub(super) const fn is_answer(body: &Body) -> bool {
    matches!(body, Body::Correct(Correct::Accept(_) | Correct::Refuse(_)))
}

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

/// `resend`: stored letters again, byte for byte.
pub(in crate::cli) fn resend(
    home: &Home,
    name: Option<&str>,
    numbers: &[u64],
    (all, everything): (bool, bool),
    signing: &Signing,
) -> Told<Answer> {
    let table = Locked::find(home, name, Table::lives)?;
    if everything {
        return table.mail_everything(signing);
    }
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
    match (all, numbers) {
        (true, _) => table.mail(signing, Some(&table.every_number())),
        (false, []) => table.mail(signing, None),
        (false, numbers) => table.mail(signing, Some(numbers)),
    }
}
