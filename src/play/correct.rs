//! `correct`: proposes, accepts or refuses the correction of a mistake that the program cannot see.

use super::{
    failure::{Failure, PlayResult},
    handed::Handed,
    lists::{self, is_same_list},
    locked::Locked,
    named::{declaration, one_of},
    session::Session,
    table::{Table, View},
};
use crate::{
    blob::{
        Body,
        body::{Correct, FoulUpClass, Hex32, Proposal, Remedy, Role, Slot, Source, Voiding},
        disputes::{Scope, ScopeImpulse, ScopeRolls},
        json::Text,
    },
    game::{
        ledger::Ledger,
        node::Past,
        records::Proposed,
        rules::{correct, course},
        tasks::{self, Task},
    },
    keep::texts::TextFile,
};

/// A step in correcting a mistake that the program cannot see.
#[derive(Clone, Debug)]
pub enum Mending {
    /// Propose to correct a mistake in a declaration; the terms determine what follows if the other player agrees.
    Propose {
        /// The slot that was declared, or the beginning of its declaration's id.
        slot: String,
        /// The kind of mistake.
        class: FoulUpClass,
        /// The role of the player who made it.
        at_fault: String,
        /// A description of the mistake.
        reason: String,
        /// The corrected list, if the terms require a redo.
        sheet: Option<TextFile>,
        /// Whether the dice are kept, although the terms would have them rolled again.
        keep_dice: bool,
    },
    /// Propose that dice do not count.
    Void {
        /// The dice to void.
        scoping: Scoping,
        /// Why the dice are not to count.
        reason: String,
    },
    /// Agree to a proposal, by the beginning of its id.
    Accept(String),
    /// Refuse a proposal, by the beginning of its id: the dice are kept.
    Refuse(String),
}

impl Mending {
    /// Whether a game has the letter that this step is about.
    fn fits(&self, table: &Table) -> bool {
        match self {
            Self::Propose { slot, .. } => table.has_declared_at(slot),
            Self::Void { scoping, .. } => scoping.fits(table),
            Self::Accept(id) | Self::Refuse(id) => table.has_letter(id),
        }
    }
}

/// Proposes a correction, because a declaration rested on a mistake or dice should not count; or accepts or refuses
/// one.
///
/// # Errors
/// If the game does not allow it, or the player does not sign.
pub fn correct(session: &Session<'_>, name: Option<&str>, mending: &Mending) -> PlayResult<Handed> {
    let table = Locked::find(session, name, |table| mending.fits(table))?;
    let said = table.view(|view| match mending {
        Mending::Accept(id) | Mending::Refuse(id) => answered(view, id, mending),
        Mending::Propose { .. } | Mending::Void { .. } => {
            view.check_running(&table)?;
            proposed(view, &letter(view, mending)?)
        }
    })?;
    if let Some(told) = said {
        return Ok(table.mail(None)?.saying(told));
    }
    table.sign(session, |view| Ok(vec![Body::Correct(letter(view, mending)?)]))
}

/// Builds the letter for this step.
fn letter(view: &View<'_, '_>, mending: &Mending) -> PlayResult<Correct> {
    Ok(match mending {
        Mending::Propose { slot, class, at_fault, reason, sheet, keep_dice } => {
            let corrected = declaration(view.ledger, slot, |declared| {
                declared.is_answered() && view.ledger.voided_by(&declared.node.id(), 1).is_none()
            })?;
            let at_fault = Role::parse(at_fault).filter(|role| view.terms.player(role).is_some());
            let at_fault =
                at_fault.ok_or_else(|| Failure::refused("--at-fault must be the role of one of the two players"))?;
            let input = sheet.as_ref().map(|sheet| input(view, &corrected, sheet)).transpose()?;
            let remedy = view.terms.charter.foul_up.remedies.of(*class);
            if let (Remedy::Redo, None, false) = (remedy, &input, keep_dice) {
                return Err(Failure::refused(
                    "after such a mistake, the terms have the dice rolled again: add --sheet FILE with the list as it \
                     should have been, or add --keep-dice to keep the dice for good",
                ));
            }
            if input.as_ref().is_some_and(|input| says_the_same(view, &corrected, input)) {
                return Err(Failure::refused(format!(
                    "this list is the same as the one that was declared: give --sheet the list for {slot} as it should \
                     have been"
                )));
            }
            Correct::Propose(Box::new(Proposal {
                at_fault,
                class: *class,
                declaration: corrected,
                input,
                reason: reason.clone(),
            }))
        }
        Mending::Void { scoping, reason } => {
            let scope = scoping.scope(view.ledger)?;
            // A void covers only the dice that are open now; those from a later redo would count.
            if correct::redos_due(view.ledger, Past::ALL).any(|due| scope.declarations().contains(&due.declaration)) {
                return Err(Failure::refused(
                    "you have both agreed to roll this again: make that roll first (declare SLOT --again), and void \
                     the new dice once they are open",
                ));
            }
            Correct::Void(Voiding { reason: reason.clone(), scope })
        }
        Mending::Accept(id) => Correct::Accept(proposal(view, id)?),
        Mending::Refuse(id) => Correct::Refuse(proposal(view, id)?),
    })
}

/// Returns a message if the same proposal is waiting for its answer already.
///
/// # Errors
/// `Refused` if another proposal about the same declaration is waiting.
fn proposed(view: &View<'_, '_>, new: &Correct) -> PlayResult<Option<String>> {
    let about = match new {
        Correct::Propose(new) => Proposed::FoulUp(new),
        Correct::Void(new) => Proposed::Void(new),
        Correct::Accept(_) | Correct::Refuse(_) => return Ok(None),
    };
    let touches = |old: &Proposed<'_>| old.declarations().iter().any(|id| about.declarations().contains(id));
    let mut open = correct::open_proposals(view.ledger, view.me.other());
    let Some((id, slot)) = open.find(|(id, _)| view.ledger.proposal(id).is_some_and(|old| touches(&old))) else {
        return Ok(None);
    };
    let (other, id_told) = (view.terms.role(view.me.other()), view.ledger.ids.short(&id));
    match view.ledger.proposal(&id) == Some(about) {
        true => Ok(Some(format!(
            "you have proposed this already ({id_told}), and {other} has not answered: here is the mail again"
        ))),
        false => Err(Failure::refused(format!(
            "you have already made another proposal about {slot} ({id_told}): wait until {other} has answered it"
        ))),
    }
}

/// Returns a message if a proposal was answered in this way already.
///
/// # Errors
/// `Refused` if it was answered the other way.
fn answered(view: &View<'_, '_>, typed: &str, mending: &Mending) -> PlayResult<Option<String>> {
    if view
        .tasks()
        .iter()
        .any(|task| matches!(task, Task::Answer { proposal, .. } if proposal.to_string().starts_with(typed)))
    {
        return Ok(None);
    }
    let is_about = |id: &Hex32| id.to_string().starts_with(typed);
    let old =
        view.said(|body| matches!(body, Body::Correct(Correct::Accept(id) | Correct::Refuse(id)) if is_about(id)));
    let said = match old {
        Some(Body::Correct(Correct::Accept(_))) => "accepted",
        Some(Body::Correct(Correct::Refuse(_))) => "refused",
        _ => return Ok(None),
    };
    match (said == "accepted") == matches!(mending, Mending::Accept(_)) {
        true => Ok(Some(format!("you have {said} {typed} already: here is the mail again"))),
        false => Err(Failure::refused(format!(
            "you have {said} {typed} already, and that cannot be changed; `sealed-dice resend` prints the mail again"
        ))),
    }
}

/// Whether a list equals the declared one.
fn says_the_same(view: &View<'_, '_>, declaration: &Hex32, input: &Text) -> bool {
    let declared = view.ledger.declaration(declaration).map(|declaration| declaration.declare);
    declared.is_some_and(|declare| {
        let phase = view.terms.slot(&declare.slot);
        phase.is_some_and(|(_, phase)| is_same_list(phase, &declare.input, input))
    })
}

/// The dice that are not to count.
#[derive(Clone, Debug)]
pub struct Scoping {
    /// The slot that was declared, or the beginning of its declaration's id.
    pub slot: String,
    /// Numbers of the rolls to void, from 1; empty for all.
    pub lines: Vec<u64>,
    /// Whether to void every roll in the impulse, by both players.
    pub impulse: bool,
}

impl Scoping {
    /// Whether a game has the dice to void.
    pub(super) fn fits(&self, table: &Table) -> bool {
        table.has_declared_at(&self.slot)
    }

    /// Converts the scope to its form in letters.
    pub(super) fn scope(&self, ledger: &Ledger<'_>) -> PlayResult<Scope> {
        scope(ledger, &self.slot, &self.lines, self.impulse)
    }
}

fn scope(ledger: &Ledger<'_>, typed: &str, lines: &[u64], impulse: bool) -> PlayResult<Scope> {
    // Any declaration in an impulse identifies it.
    let declaration =
        declaration(ledger, typed, |declared| !impulse && course::is_taken_last(ledger, declared, Past::ALL))?;
    Ok(match (impulse, lines) {
        (true, _) => {
            let slot = slot_of(ledger, &declaration)?;
            let of_impulse = ledger.declarations().filter(|other| {
                let of = &other.declare.slot;
                (of.turn, of.impulse) == (slot.turn, slot.impulse)
                    && other.valid
                    && other.count() > 0
                    && other.outcome.is_some()
                    && other.replaced_by.is_empty()
            });
            let mut declarations: Vec<Hex32> = of_impulse.map(|other| other.node.id()).collect();
            declarations.sort_unstable();
            Scope::Impulse(ScopeImpulse { declarations, impulse: slot.impulse, turn: slot.turn })
        }
        (false, []) => Scope::Declaration(declaration),
        (false, lines) => {
            let mut lines = lines.to_vec();
            lines.sort_unstable();
            lines.dedup();
            Scope::Rolls(ScopeRolls { declaration, lines })
        }
    })
}

impl View<'_, '_> {
    /// Whether this player can still accept a proposal (correct 4). They cannot once somebody has played on, nor can
    /// they accept a redo while the office's dice are unopened.
    pub(super) fn may_agree(&self, proposal: &Hex32) -> bool {
        match self.ledger.proposal(proposal) {
            Some(Proposed::FoulUp(foul_up)) if foul_up.input.is_some() => {
                correct::bars_redo(self.ledger, &foul_up.declaration, Some(proposal)).is_empty()
                    && !correct::is_played_on(self.ledger, &foul_up.declaration)
            }
            Some(Proposed::Void(voiding)) => correct::void_fits(self.ledger, voiding.scope.declarations()),
            _ => true,
        }
    }
}

/// Finds the proposal that waits for an answer, by the beginning of its id.
fn proposal(view: &View<'_, '_>, id: &str) -> PlayResult<Hex32> {
    let open = tasks::of(view.ledger, view.me).into_iter().filter_map(|task| match task {
        Task::Answer { proposal, .. } => Some(proposal),
        _ => None,
    });
    one_of(view.ledger, &open.collect::<Vec<_>>(), id)?.ok_or_else(|| {
        Failure::refused(format!(
            "no proposal {id} is waiting for your answer: `sealed-dice game status` shows those that are"
        ))
    })
}

/// Returns the slot of a declaration.
fn slot_of<'l>(ledger: &'l Ledger<'_>, declaration: &Hex32) -> PlayResult<&'l Slot> {
    let declared = ledger.declaration(declaration).map(|declared| &declared.declare.slot);
    declared.ok_or_else(|| Failure::refused(format!("{declaration} is not a declaration in this game: check the id")))
}

fn input(view: &View<'_, '_>, corrected: &Hex32, sheet: &TextFile) -> PlayResult<Text> {
    let slot = slot_of(view.ledger, corrected)?;
    let (_, phase) = view.terms.slot(slot).ok_or_else(|| {
        Failure::refused(format!("{slot} is not a slot in this game: `sealed-dice game terms` shows its phases"))
    })?;
    let written = match phase.source {
        Source::Coin => lists::combat_sheet(sheet)?,
        Source::Sheet => lists::rolls_of_redo(sheet)?,
        Source::Plain => lists::turn(Some(sheet))?,
    };
    Ok(phase.system.resolver().read(&written, true)?.canonical()?)
}
