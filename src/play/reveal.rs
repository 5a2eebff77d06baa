//! `reveal`: opens envelopes, the player's own private rolls, and the moves in a note.

use super::{
    draft::Pen,
    failure::{Failure, PlayResult, after},
    handed::{Handed, News},
    locked::Locked,
    named::declaration,
    session::Session,
    table::View,
};
use crate::{
    blob::{
        Body,
        body::{Hex32, Moves, SealedContribution, Slot},
    },
    game::{declaration::Declaration, node::Past, tasks::Task, terms::Author},
    resolve::Place,
};

/// Opens only the envelopes that a declaration selects, or shows the player's own private rolls. `typed` is the
/// declaration's slot or the beginning of its id, never an index.
///
/// # Errors
/// If nothing in the declaration is for this player to open, or they do not sign.
pub fn reveal(session: &Session<'_>, name: Option<&str>, typed: &str) -> PlayResult<Handed> {
    let table = Locked::find(session, name, |table| table.has_declared_at(typed))?;
    let (table, news) = table.after_office(session)?;
    after(news, reveal_of(table, session, typed))
}

/// Returns the player's own private rolls in a declaration, as lines that only they may see, with news from the office.
/// Signs nothing.
///
/// # Errors
/// If the declaration has no private rolls that the other player has opened.
pub fn look(session: &Session<'_>, name: Option<&str>, typed: &str) -> PlayResult<(Vec<News>, Vec<String>)> {
    let table = Locked::find(session, name, |table| table.has_declared_at(typed))?;
    let (table, news) = table.after_office(session)?;
    match look_at(table, session, typed) {
        Ok(dice) => Ok((news, dice)),
        Err(failure) => Err(failure.after(news)),
    }
}

fn look_at(table: Locked, session: &Session<'_>, typed: &str) -> PlayResult<Vec<String>> {
    let own = table.view(|view| {
        let own = declaration(view.ledger, typed, |declared| declared.node.player == view.me)?;
        let hides = view.ledger.declaration(&own).is_some_and(|own| is_hidden(view, own));
        let in_form = view.ledger.declaration(&own).is_some_and(|own| view.terms.is_of_hidden(&own.declare.slot));
        hides.then_some(own).ok_or_else(|| {
            Failure::refused(match in_form {
                true => "your next sheet shows the results of your dice: `sealed-dice declare --form` prints it".into(),
                false => format!(
                    "{typed} does not have private rolls of yours that your opponent has opened; `sealed-dice game \
                     status` shows what to do next"
                ),
            })
        })
    })?;
    table.peek(session, |view, pen| Ok(shown(view, pen, &own).into_iter().collect()))
}

fn reveal_of(table: Locked, session: &Session<'_>, typed: &str) -> PlayResult<Handed> {
    let meant = table.view(|view| {
        declaration(view.ledger, typed, |declared| {
            is_hidden(view, declared) || declared.node.player != view.me && !declared.is_answered()
        })
    })?;
    let is_meant = |task: &Task| matches!(task, Task::Reveal { declaration, .. } if *declaration == meant);
    let (owed, opened, by_office) = table.view(|view| {
        view.check_whole(&meant)?;
        let declared = view.ledger.declaration(&meant);
        let hides = declared.is_some_and(|declared| is_hidden(view, declared));
        let opened = declared.is_some_and(|declared| declared.is_answered() && declared.forfeits.is_empty());
        let by_office = declared.is_some_and(|declared| view.ledger.is_up_to_office(&declared.node, Past::ALL));
        Ok((hides || view.tasks().iter().any(is_meant), opened, by_office))
    })?;
    match owed {
        true => {
            let asked = |view: &View<'_, '_>, pen: Pen<'_>| match view.tasks().iter().any(is_meant) {
                true => Ok(vec![pen.reveal(view.ledger, meant)?]),
                false => Ok(shown(view, pen, &meant).into_iter().collect()),
            };
            table.sign_with_key(session, |view| view.check_page(session), asked)
        }
        false if opened => Ok(table.mail(None)?.saying(format!("{typed} is already opened"))),
        false if by_office => Err(Failure::refused(format!(
            "the office opens {typed}; you can open it only after the player who declared it gives up on the office: \
             they type `sealed-dice dispute stall {typed}`"
        ))),
        false => Err(Failure::refused(format!(
            "{typed} is not waiting for your envelopes; `sealed-dice game status` shows what to do next"
        ))),
    }
}

impl View<'_, '_> {
    /// Checks that the folder has every letter by the other player that the office names: the office may have opened
    /// envelopes for a missing one, and forgotten that (office 12). A letter that only the other player names does not
    /// block the reveal. Once the referee has requested the reveal, no letter blocks it (office 13): nobody may forfeit
    /// because the other player holds back a letter or the office invents one.
    pub(super) fn check_whole(&self, declaration: &Hex32) -> PlayResult<()> {
        let other = self.terms.role(self.me.other());
        // A time witness never opens anything (office 36).
        let office = self.terms.role_of(Author::Office).filter(|_| self.terms.time_witness().is_none());
        let Some(office) = office else { return Ok(()) };
        let mut missing = self.order.missing.values().filter(|missing| missing.author.as_ref() == Some(other));
        let waits = missing.any(|missing| missing.namers.contains(office));
        match waits && !self.ledger.is_requested(declaration) {
            false => Ok(()),
            true => Err(Failure::refused(format!(
                "a letter from {other} is missing here, and {office} may have opened dice for it: ask both of them for \
                 the letter before you open anything (they type: sealed-dice resend --everything)"
            ))),
        }
    }
}

impl View<'_, '_> {
    /// Returns the reason why an owed reveal must wait for a missing letter, if it must.
    pub(super) fn waits_for_letter(&self, task: &Task) -> Option<String> {
        let Task::Reveal { declaration, slot } = task else { return None };
        let other = self.terms.role(self.me.other());
        let why = format!("{other} or the office must mail the missing letter before you can open {slot}");
        self.check_whole(declaration).is_err().then_some(why)
    }
}

/// Opens the note with the moves of the player's own declaration, which would otherwise stay closed until the game's
/// close.
///
/// # Errors
/// If the declaration has no such note, or the player does not sign.
pub fn reveal_moves(session: &Session<'_>, name: Option<&str>, typed: &str) -> PlayResult<Handed> {
    let table = Locked::find(session, name, |table| table.has_declared_at(typed))?;
    let (own, note) = table.view(|view| {
        let own = declaration(view.ledger, typed, |declared| declared.node.player == view.me)?;
        let declared =
            view.ledger.declaration(&own).filter(|declared| declared.valid && declared.node.player == view.me);
        match declared.map(|declared| &declared.declare.moves) {
            Some(Moves::Note(note)) => Ok((own, note.seal)),
            _ => Err(Failure::refused(format!(
                "you have not declared {typed} with a moves note, so there is nothing to open; `sealed-dice game \
                 status` shows what to do next"
            ))),
        }
    })?;
    let is_open = table
        .view(|view| Ok(view.ledger.set(&note).is_some_and(|set| set.key(Place { index: 0, line: 0 }).is_some())))?;
    if is_open {
        return Ok(table.mail(None)?.saying(format!("the moves for {typed} are already opened")));
    }
    table.sign_with_key(
        session,
        |view| view.check_page(session),
        |view, pen| Ok(pen.single(view.ledger, &note, Some(own), 0).into_iter().collect()),
    )
}

/// Whether a declaration has private rolls by this player that the other player has opened and this one has not shown.
fn is_hidden(view: &View<'_, '_>, own: &Declaration<'_>) -> bool {
    let is_own = own.node.player == view.me && own.sealed_contribution().is_some();
    is_own && own.valid && own.is_answered() && own.forfeits.is_empty() && own.outcome.is_none()
}

/// Lists the slots of this player's private rolls that they have not shown yet.
pub(super) fn hidden_slots(view: &View<'_, '_>) -> Vec<Slot> {
    let hidden = view.ledger.declarations().filter(|own| is_hidden(view, own));
    hidden.map(|own| own.declare.slot.clone()).collect()
}

/// Makes the reveal that shows the private rolls in a declaration.
fn shown(view: &View<'_, '_>, pen: Pen<'_>, declaration: &Hex32) -> Option<Body> {
    let own = view.ledger.declaration(declaration)?;
    let SealedContribution { index, seal } = own.sealed_contribution()?;
    pen.single(view.ledger, &seal, Some(*declaration), index)
}
