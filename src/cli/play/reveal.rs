//! `reveal`: envelopes, one's own private rolls, and the moves of a note.

use super::{Answer, Told, View, locked::Locked, saying, sign::Signing, typed::parse_slot};
use crate::{
    blob::{
        Body,
        body::{Hex32, Moves, SealedContribution, Slot},
    },
    game::{charter::Author, opener, steps::Seat, tasks::Task},
    keep::home::Home,
    resolve::Place,
};

/// `reveal`: what a declaration selects, and nothing else; or one's own private rolls. It takes a slot, never an index.
pub(in crate::cli) fn reveal(
    home: &Home,
    name: Option<&str>,
    slot: &str,
    only_look: bool,
    signing: &Signing,
) -> Told<Answer> {
    let slot = parse_slot(slot)?;
    let table = Locked::find(home, name, |table| table.has_declared(&slot))?;
    let (table, news) = table.after_office(home, signing)?;
    let answer = reveal_of(table, home, &slot, only_look, signing);
    saying(news, answer)
}

fn reveal_of(table: Locked, home: &Home, slot: &Slot, only_look: bool, signing: &Signing) -> Told<Answer> {
    let asked = |view: &View<'_, '_>, seat: &Seat| {
        let mut bodies = Vec::new();
        for task in view.tasks() {
            if let Task::Reveal { declaration, slot: of } = task
                && of == *slot
            {
                bodies.push(Body::Reveal(seat.reveal(view.ledger, declaration)?));
            }
        }
        bodies.extend(shown(view, seat, slot));
        Ok(bodies)
    };
    let owed = table.view(|view| {
        view.check_openable(slot)?;
        let mut declared = view.ledger.declarations().filter(|declared| declared.declare.slot == *slot);
        declared.try_for_each(|declared| view.check_whole(&declared.node.id()))?;
        let mut tasks = view.tasks().into_iter();
        let owed = tasks.any(|task| matches!(task, Task::Reveal { slot: of, .. } if of == *slot));
        Ok(owed || hidden(view, slot).next().is_some())
    })?;
    if only_look {
        let hides = table.view(|view| Ok(hidden(view, slot).next().is_some()))?;
        if !hides {
            return Err(Answer::refused(format!("{slot} has no private rolls of yours that the other has opened")));
        }
        return table.peek(home, signing, |view, seat| Ok(shown(view, seat, slot)));
    }
    let opened = table.view(|view| {
        let mine = |seal| view.ledger.set(seal).is_some_and(|set| set.node.player == view.me);
        Ok(view.ledger.declarations().any(|declaration| {
            declaration.declare.slot == *slot
                && declaration.outcome.is_some()
                && declaration.declare.seal.as_ref().is_some_and(mine)
        }))
    })?;
    if !owed && opened {
        return Ok(table.mail(signing, None)?.saying(format!("{slot} is opened already")));
    }
    let by_office = table.view(|view| {
        let mut declared = view.ledger.declarations().filter(|declared| declared.declare.slot == *slot);
        Ok(declared.any(|declared| view.ledger.office_opens(declared)))
    })?;
    if by_office {
        return Err(Answer::refused(format!(
            "the office opens {slot}, and you only if whoever declared it gives the office up: `sealed-dice dispute stall {slot}` on his machine"
        )));
    }
    if !owed {
        return Err(Answer::refused(format!(
            "{slot} has no declaration that waits for your envelopes; `sealed-dice game status` shows what is owed"
        )));
    }
    table.sign_with_key(home, signing, |view| view.check_page(home, signing), asked)
}

impl View<'_, '_> {
    /// That every letter of the other's that an office names is here: it may have opened for one of them, and forgotten it
    /// (office 6). What the other himself keeps back must not keep this player from opening, for he could be forfeited; nor
    /// what the office invents, once the referee has asked for the reveal.
    pub(super) fn check_whole(&self, declaration: &Hex32) -> Told<()> {
        let other = self.terms.role(self.me.other());
        let Some(office) = self.terms.role_of(Author::Office) else { return Ok(()) };
        let mut missing = self.order.missing.values().filter(|missing| missing.author.as_ref() == Some(other));
        let waits = missing.any(|missing| missing.namers.contains(office));
        match waits && !self.ledger.is_requested(declaration) {
            false => Ok(()),
            true => Err(Answer::refused(format!(
                "a letter of {other} is not here, and {office} may have opened for it: ask both for it before you open anything \
                 (they type: sealed-dice resend --everything)"
            ))),
        }
    }
}

impl View<'_, '_> {
    /// Why envelopes that are owed are not opened yet, if so.
    pub(super) fn waits_for_letter(&self, task: &Task) -> Option<String> {
        let Task::Reveal { declaration, slot } = task else { return None };
        let other = self.terms.role(self.me.other());
        let why = format!("{other} or the office mails the letter that is missing, before you open {slot}");
        self.check_whole(declaration).is_err().then_some(why)
    }
}

/// `reveal --moves`: the note with the moves of one's own declaration of a slot.
pub(in crate::cli) fn reveal_moves(home: &Home, name: Option<&str>, slot: &str, signing: &Signing) -> Told<Answer> {
    let slot = parse_slot(slot)?;
    let table = Locked::find(home, name, |table| table.has_declared(&slot))?;
    let notes = table.view(|view| {
        let own = view.ledger.declarations().filter(|own| own.node.player == view.me && own.declare.slot == slot);
        let notes = own.filter(|own| own.valid).filter_map(|own| match &own.declare.moves {
            Moves::Note(note) => Some((own.node.id(), note.seal)),
            _ => None,
        });
        Ok(notes.collect::<Vec<(Hex32, Hex32)>>())
    })?;
    if notes.is_empty() {
        return Err(Answer::refused(format!("you have declared {slot} without a note of its moves")));
    }
    let closed = |view: &View<'_, '_>, seal: &Hex32| {
        view.ledger.set(seal).is_some_and(|set| set.key(Place { index: 0, line: 0 }).is_none())
    };
    if !table.view(|view| Ok(notes.iter().any(|(_, seal)| closed(view, seal))))? {
        return Ok(table.mail(signing, None)?.saying(format!("the moves of {slot} are opened already")));
    }
    table.sign_with_key(
        home,
        signing,
        |view| view.check_page(home, signing),
        |view, seat| {
            let open = notes.iter().filter(|(_, seal)| closed(view, seal)).filter_map(|(declaration, seal)| {
                let (set, master) = (view.ledger.set(seal)?, seat.master(view.ledger, seal)?);
                Some(Body::Reveal(opener::single(set, &master, Some(*declaration), 0)))
            });
            Ok(open.collect())
        },
    )
}

/// This player's private declarations of a slot that the other has opened, and he himself has not shown.
fn hidden<'v>(view: &'v View<'_, '_>, slot: &'v Slot) -> impl Iterator<Item = (Hex32, SealedContribution)> + use<'v> {
    let own = view.ledger.declarations().filter(move |own| own.node.player == view.me && own.declare.slot == *slot);
    own.filter(|own| own.valid && own.is_answered() && own.outcome.is_none())
        .filter_map(|own| Some((own.node.id(), own.sealed_contribution()?)))
}

/// The slots of this player's private rolls that he has not shown.
pub(super) fn hidden_slots(view: &View<'_, '_>) -> Vec<Slot> {
    let own =
        view.ledger.declarations().filter(|own| own.node.player == view.me && own.sealed_contribution().is_some());
    let hidden = own.filter(|own| own.valid && own.is_answered() && own.outcome.is_none());
    hidden.map(|own| own.declare.slot.clone()).collect()
}

/// The reveals that show them.
fn shown(view: &View<'_, '_>, seat: &Seat, slot: &Slot) -> Vec<Body> {
    let reveal = |(declaration, SealedContribution { index, seal })| {
        let (set, master) = (view.ledger.set(&seal)?, seat.master(view.ledger, &seal)?);
        Some(Body::Reveal(opener::single(set, &master, Some(declaration), index)))
    };
    hidden(view, slot).filter_map(reveal).collect()
}
