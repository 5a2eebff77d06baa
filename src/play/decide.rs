//! `decide`: makes a choice that everybody may read.

use super::{
    failure::{Failure, PlayResult},
    form::Form,
    handed::Handed,
    lists::turn,
    locked::Locked,
    named::{composed, parse_name, parse_slot},
    session::Session,
    shown::Shown,
    table::{Table, View},
};
use crate::{
    blob::{
        Body,
        body::{Decide, Name, Slot},
        json::Value,
    },
    game::{
        node::Past,
        rules::{
            course::{self, Choice},
            secrets,
        },
        steps,
        terms::{By, Phase},
    },
    keep::texts::TextFile,
    report::words,
    resolve::{Account, Course},
};

/// A choice, as a player gives it.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The choice as words, for a choice that is typed.
    pub words: String,
    /// The choice as a file, for a choice that is filled in; or the reason why there is no file.
    pub file: Result<TextFile, String>,
}

/// Lists the choices for a slot, or gives the choice as a file to fill in, without signing anything.
///
/// # Errors
/// If the slot does not await such a choice.
pub fn form(session: &Session<'_>, name: Option<&str>, slot: &str) -> PlayResult<Form> {
    let slot = parse_slot(slot)?;
    Table::find(session, name, |table| table.has_slot(&slot))?.view(|view| offer(view, &slot))
}

/// Returns the decision awaited for a slot; `None` if the slot awaits none, or a text that only the terms name.
///
/// # Errors
/// If the game cannot be found or read.
pub fn question(session: &Session<'_>, name: Option<&str>, slot: &str) -> PlayResult<Option<Choice>> {
    let slot = parse_slot(slot)?;
    Table::find(session, name, |table| table.has_slot(&slot))?.view(|view| Ok(awaited(view, &slot)))
}

/// Lists in words what the opponent has proposed, if the decision awaited for a slot answers a proposal. Otherwise the
/// list is empty.
///
/// # Errors
/// If the game cannot be found or read.
pub fn proposal(session: &Session<'_>, name: Option<&str>, slot: &str) -> PlayResult<Vec<String>> {
    let slot = parse_slot(slot)?;
    Table::find(session, name, |table| table.has_slot(&slot))?.view(|view| Ok(proposed(view, &slot, None)))
}

/// Signs a choice that the terms require before a slot is declared, for everybody to read.
///
/// # Errors
/// If the slot does not await such a choice from this player, or they do not sign.
pub fn decide(
    session: &Session<'_>,
    name: Option<&str>,
    (slot, decision): (&str, &str),
    chosen: &Chosen,
) -> PlayResult<Handed> {
    let slot = parse_slot(slot)?;
    let decision = parse_name(decision)?;
    let table = Locked::find(session, name, |table| table.has_slot(&slot))?;
    let course = table.terms.slot(&slot).and_then(|(_, phase)| phase.system.resolver().course());
    if course.is_some() {
        if let Some(told) = table.view(|view| Ok(decided(view, &slot, &decision)))? {
            return Ok(table.mail(None)?.saying(told));
        }
        table.view(|view| view.check_running(&table))?;
        table.view(|view| view.check_redo(&slot))?;
        table.view(|view| check_awaited(view, &slot, &decision))?;
        let value = match table.view(|view| choice_form(view, &slot))? {
            Some(_) => turn(Some(chosen.file.as_ref().map_err(Failure::unable)?))?.read()?,
            None => table.view(|view| read(view, &slot, &decision, &chosen.words))?,
        };
        let lines = table.view(|view| Ok(proposed(view, &slot, Some((&decision, &value)))))?;
        let lines = lines.into_iter().map(|line| format!("  {line}")).collect();
        let sign = |view: &View<'_, '_>| {
            let after = steps::after(view.ledger, &slot, None);
            Ok(vec![Body::Decide(Decide { after, name: decision, slot, value })])
        };
        return table.sign_showing(session, Shown { lines, ..Shown::default() }, sign);
    }
    let decided = table.view(|view| {
        let phase = view.terms.slot(&slot).map(|(_, phase)| phase);
        let mut listed = phase.into_iter().flat_map(|phase| &phase.decisions);
        match listed.find(|known| known.name == decision && known.by.includes(view.me)) {
            None => Err(Failure::refused(format!(
                "the terms do not give you a choice {decision} for {slot}: `sealed-dice game status` lists what you \
                 can do (decide 1)"
            ))),
            Some(known) if known.by != By::Open(view.me) => Err(Failure::refused(format!(
                "{decision} must be sealed in a note:  sealed-dice note {slot} {decision} FILE"
            ))),
            Some(known) => Ok(secrets::has_decided(view.ledger, view.me, &slot, known)),
        }
    })?;
    if decided {
        return Ok(table.mail(None)?.saying(format!(
            "you have already decided {decision} for {slot}, and your decision cannot be changed (decide 2)"
        )));
    }
    table.view(|view| view.check_running(&table))?;
    let value = Value::from(chosen.words.as_str());
    table.sign(session, |_| Ok(vec![Body::Decide(Decide { after: None, name: decision, slot, value })]))
}

/// Whether a decision of a course is awaited from this player.
fn is_awaited(view: &View<'_, '_>, slot: &Slot, decision: &Name) -> bool {
    let mut awaited = course::awaited_choices(view.ledger).into_iter().filter(|choice| choice.slot == *slot);
    awaited.any(|choice| choice.name == *decision && choice.by == *view.terms.role(view.me))
}

/// Returns this player's earlier decision, unless the decision is due again.
fn decided(view: &View<'_, '_>, slot: &Slot, decision: &Name) -> Option<String> {
    let is_same =
        |body: &Body| matches!(body, Body::Decide(decide) if decide.slot == *slot && decide.name == *decision);
    let old = view.said(is_same).filter(|_| !is_awaited(view, slot, decision))?;
    let told = words::body(old, Some(view.ledger));
    Some(format!(
        "you have already decided, and your decision cannot be changed: {told}. Here is the mail again (decide 4)"
    ))
}

/// Checks that a decision of a course is awaited from this player.
fn check_awaited(view: &View<'_, '_>, slot: &Slot, decision: &Name) -> PlayResult<()> {
    if is_awaited(view, slot, decision) {
        return Ok(());
    }
    let notes = secrets::due_notes(view.ledger, view.me);
    let is_noted = notes.iter().any(|(_, note)| note.seal.purpose.starts_with(&format!("{slot}/")));
    Err(Failure::refused(match course::awaited_choices(view.ledger).iter().find(|choice| choice.slot == *slot) {
        Some(Choice { name, by, answers, .. }) => {
            format!("{slot} is waiting for {by} to decide {name}: {answers} (decide 4)")
        }
        None if is_noted => {
            format!("your standing note for {slot} decides this: type `sealed-dice reply` to open it (decide 4)")
        }
        None => format!("{slot} is not waiting for a decision: `sealed-dice game status` shows what is due (decide 4)"),
    }))
}

/// Reads a typed decision of a course, first with its accents composed, then exactly as typed.
fn read(view: &View<'_, '_>, slot: &Slot, decision: &Name, typed: &str) -> PlayResult<Value> {
    let Some((phase, course)) = course_of(view, slot) else { return Ok(typed.into()) };
    let Some(state) = course::reached(view.ledger, phase, Past::ALL).state else { return Ok(typed.into()) };
    let read = |typed: &str| course.read_choice(&state, decision.as_str(), typed);
    Ok(read(&composed(typed)).or_else(|_| read(typed))?)
}

/// Returns the choices for an awaited decision, or a form for it.
fn offer(view: &View<'_, '_>, slot: &Slot) -> PlayResult<Form> {
    if let Some(form) = choice_form(view, slot)? {
        return Ok(form);
    }
    awaited(view, slot).map(|choice| Form::open(listed(&choice))).ok_or_else(no_form)
}

/// Lists in words the proposal that awaits an answer for a slot, or otherwise the one that `choice` would make.
fn proposed(view: &View<'_, '_>, slot: &Slot, choice: Option<(&Name, &Value)>) -> Vec<String> {
    let lines = || -> Option<Vec<String>> {
        let (phase, course) = course_of(view, slot)?;
        let state = course::reached(view.ledger, phase, Past::ALL).state?;
        let open = course.proposal(&state).ok()?;
        let Some((name, value)) = choice.filter(|_| open.is_empty()) else { return Some(open) };
        let next = course.decide(&state, name.as_str(), value, &mut Account::none()).ok()?;
        course.proposal(&next.state).ok()
    };
    lines().unwrap_or_default()
}

/// Lists what may be typed, below what the decision is about.
fn listed(choice: &Choice) -> String {
    let about = choice.about.as_ref().map(|about| format!("{}: {about}.\n", choice.name)).unwrap_or_default();
    about + &choice.answers.listed()
}

/// Returns the decision that a course awaits for a slot.
fn awaited(view: &View<'_, '_>, slot: &Slot) -> Option<Choice> {
    course::awaited_choices(view.ledger).into_iter().find(|choice| choice.slot == *slot)
}

/// Returns the form for an awaited decision; none if it is typed instead.
fn choice_form(view: &View<'_, '_>, slot: &Slot) -> PlayResult<Option<Form>> {
    let Some((phase, course)) = course_of(view, slot) else { return Ok(None) };
    let state = course::reached(view.ledger, phase, Past::ALL).state;
    let form = state.map(|state| course.choice_form(&state)).transpose()?.flatten();
    Ok(form.map(Form::open))
}

pub(super) fn no_form() -> Failure {
    Failure::refused("this choice has no form to fill in: type it in the command")
}

pub(super) fn course_of<'v>(view: &View<'v, '_>, slot: &Slot) -> Option<(&'v Phase, &'v dyn Course)> {
    let (_, phase) = view.terms.slot(slot)?;
    Some((phase, phase.system.resolver().course()?))
}
