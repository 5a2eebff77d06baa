//! `declare`: signs a player's final list of rolls, with the moves that the rolls belong to.

use serde_json::json;

use super::{
    blanks::WAS_WRONG,
    declaring::{Declaring, Lists, Moved, check_order, contribution},
    failure::{Failure, PlayResult},
    form::Form,
    handed::Handed,
    lists::{combat_sheet, is_same_list, rolls, turn},
    locked::Locked,
    named::parse_name,
    session::Session,
    sheet,
    table::{Table, View},
};
use crate::{
    blob::{
        Body,
        body::{Declare, Hex32, Moves, NoteRef, Redo, SetKind, Slot, Source},
        json::{Text, Value},
    },
    game::{
        node::Past,
        rules::{course, redo, secrets},
        schedule,
        steps::{self, Request},
        tasks::{self, Task},
        terms::Phase,
    },
    keep::texts::TextFile,
    report::words,
    resolve::{Object, icrk},
};

/// Declares a player's final list of rolls, with the moves that the rolls belong to.
///
/// # Errors
/// If the slot cannot be declared in this way, the rolls or the moves are missing, or the player does not sign.
pub fn declare(session: &Session<'_>, name: Option<&str>, declaring: &Declaring) -> PlayResult<Handed> {
    // The program does not guess among several running games: a declaration in the wrong one cannot be taken back.
    written(Locked::find(session, name, Table::is_running)?, session, declaring)
}

/// Returns a form for a slot's turn, without signing anything. The sheet of a hidden course, which only its author may
/// see, needs their key.
///
/// # Errors
/// If the slot is not awaited, or takes no such file.
pub fn form(session: &Session<'_>, name: Option<&str>, slot: Option<Slot>) -> PlayResult<Form> {
    let table = Table::find(session, name, Table::is_running)?;
    let slot = slot.map_or_else(|| table.view(next), Ok)?;
    if !table.terms.is_of_hidden(&slot) {
        return table.view(|view| open_form(view, &slot));
    }
    let table = Locked::find(session, name, Table::is_running)?;
    table.view(|view| view.check_running(&table))?;
    sheet::form(table, session, &slot)
}

/// Returns the slot that this player declares next.
fn next(view: &View<'_, '_>) -> PlayResult<Slot> {
    schedule::own_next(view.ledger, view.me).ok_or_else(|| {
        Failure::refused(
            "you have nothing to declare now: `sealed-dice game status` shows what the game is waiting for",
        )
    })
}

/// Returns the slot for a command that names none: this player's next. A command that is repeated before anybody can
/// have answered means the same slot as the first time.
fn meant(view: &View<'_, '_>, args: &Declaring) -> PlayResult<Slot> {
    if args.again {
        let redo = view.tasks().into_iter().find_map(|task| match task {
            Task::Redo { slot, .. } => Some(slot),
            _ => None,
        });
        return redo.ok_or_else(|| {
            Failure::refused("you have nothing to declare again: `sealed-dice game status` shows what is due")
        });
    }
    let next = next(view)?;
    let last = view.ledger.declarations().filter(|old| old.node.player == view.me).last();
    let Some(last) = last.filter(|last| last.valid && view.is_unread(last)) else { return Ok(next) };
    let slot = last.declare.slot.clone();
    if matches!(is_declared(view, &slot, args), Ok(true)) {
        return Ok(slot);
    }
    match last.is_answered() {
        true => Ok(next),
        false => Err(Failure::refused(format!(
            "{slot} is declared, but its dice are not known yet: wait for them. To declare {next} without waiting, \
             name it:  sealed-dice declare {next} .."
        ))),
    }
}

/// Signs the declaration, and returns the mail.
pub(super) fn written(table: Locked, session: &Session<'_>, args: &Declaring) -> PlayResult<Handed> {
    let slot = &args.slot.clone().map_or_else(|| table.view(|view| meant(view, args)), Ok)?;
    let is_hidden = table.terms.is_of_hidden(slot) && !args.again;
    let is_declared = !args.again
        && table.view(|view| match is_hidden {
            true => Ok(own_of(view, slot).next().is_some()),
            false => is_declared(view, slot, args),
        })?;
    if is_declared {
        return Ok(table.mail(None)?.saying(format!(
            "{slot} is declared already, and what you typed now is NOT USED: a declaration cannot be changed"
        )));
    }
    table.view(|view| view.check_running(&table))?;
    if is_hidden {
        return sheet::declare(table, session, slot, args);
    }
    table.sign(session, |view| {
        let declare = if args.again { again(view, slot)? } else { first(view, slot.clone(), args)? };
        Ok(vec![Body::Declare(Box::new(declare))])
    })
}

/// Lists this player's declarations for a slot, the latest last.
fn own_of<'v>(view: &'v View<'_, '_>, slot: &'v Slot) -> impl Iterator<Item = &'v Declare> {
    let own = view.ledger.declarations().filter(|old| old.node.player == view.me && old.declare.slot == *slot);
    own.map(|old| old.declare)
}

/// Returns the form for a turn.
fn open_form(view: &View<'_, '_>, slot: &Slot) -> PlayResult<Form> {
    let (_, phase) = view.terms.slot(slot).ok_or_else(|| {
        Failure::refused(format!("{slot} is not a slot in this game: `sealed-dice game terms` shows its phases"))
    })?;
    let course = phase.system.resolver().course();
    let course = course.ok_or_else(|| {
        Failure::refused(format!("{slot} has no form to fill in: write the list of attacks or rolls yourself"))
    })?;
    view.check_redo(slot)?;
    sheet::awaited(view, slot)?;
    let state = course::reached(view.ledger, phase, Past::ALL).state;
    let state = state.ok_or_else(|| {
        Failure::refused("the previous turn is not settled yet: `sealed-dice game status` shows what is missing")
    })?;
    // The form begins with the last turn's statements; another roll in the same turn states nothing.
    let of_course = |slot: &Slot| view.terms.slot(slot).is_some_and(|(_, of)| of.system.name() == phase.system.name());
    let own = view.ledger.declarations().filter(|old| old.node.player == view.me && old.declare.slot.number == 1);
    let own = own.filter(|old| old.valid && old.replaced_by.is_empty() && of_course(&old.declare.slot));
    Ok(Form::open(course.form(&state, own.last().map(|last| &last.declare.input))?))
}

/// Whether a slot is declared already, with the same content as typed now.
///
/// # Errors
/// `Refused` if it was declared with different content: a player who types a corrected sheet must not mistake the old
/// letter for it.
fn is_declared(view: &View<'_, '_>, slot: &Slot, args: &Declaring) -> PlayResult<bool> {
    let own: Vec<&Declare> = own_of(view, slot).collect();
    let (Some(last), Some((_, phase))) = (own.last(), view.terms.slot(slot)) else { return Ok(false) };
    let input = match &args.lists {
        Lists::Unsaid => None,
        lists => Some(read_list(phase, lists.file(), &[])?),
    };
    let moved = match &args.moved {
        Moved::Unsaid => None,
        moved => Some(moves(view, slot, moved)?),
    };
    let same_input = |old: &&Declare| input.as_ref().is_none_or(|input| is_same_list(phase, &old.input, input));
    let same_moves = |old: &&Declare| moved.as_ref().is_none_or(|moved| old.moves == *moved);
    if own.iter().any(|old| same_input(old) && same_moves(old)) {
        return Ok(true);
    }
    let (what, class) = match own.iter().any(same_input) {
        true => ("with other moves", "illegal-move"),
        false => ("with another list", "wrong-list"),
    };
    Err(Failure::refused(format!(
        "{slot} is declared already, {what}, and a declaration cannot be changed. It says: {}. If it was a mistake, \
         propose a correction once the dice are known:  sealed-dice correct propose {slot} --class {class} --at-fault \
         {} --reason \"{WAS_WRONG}\"",
        words::body(&Body::Declare(Box::new((*last).clone())), Some(view.ledger)),
        view.terms.role(view.me)
    )))
}

/// Reads the list for a phase from a file; without a file, the list is empty. Rolls that name no cell get the first
/// `free` ones.
fn read_list(phase: &Phase, file: Option<&TextFile>, free: &[String]) -> PlayResult<Text> {
    Ok(match (file, phase.source) {
        (None, Source::Coin) => Text::of(&json!({ "attacks": [] }))?,
        (None, Source::Sheet) => Text::of(&json!({ "rolls": [] }))?,
        (Some(file), Source::Coin) => combat_sheet(file)?,
        (Some(file), Source::Sheet) => rolls(file, free)?,
        (file, Source::Plain) => turn(file)?,
    })
}

/// Returns the list of rolls for a first declaration.
fn listed(view: &View<'_, '_>, slot: &Slot, phase: &Phase, set: Option<Hex32>, lists: &Lists) -> PlayResult<Text> {
    let free = set.map(|seal| tasks::free_cells(view.ledger, &seal, view.me)).unwrap_or_default();
    let free: Vec<String> = free.into_iter().map(icrk::label).collect();
    let input = read_list(phase, lists.file(), &free)?;
    match (lists, phase.source) {
        // A turn of a course may be empty.
        (Lists::Unsaid, Source::Coin | Source::Sheet) => Err(Failure::unable(format!(
            "name the file with the attacks or rolls for {slot}, or add --no-rolls: a declaration cannot be changed"
        ))),
        (Lists::File(file), Source::Coin | Source::Sheet) if is_empty(&input) => Err(Failure::refused(format!(
            "{} lists nothing to roll for. If {slot} has no rolls, type --no-rolls instead of the file. Nothing was \
             signed",
            file.path.display()
        ))),
        _ => Ok(input),
    }
}

/// Explains why there is no set to declare on.
fn unsealed(view: &View<'_, '_>, slot: &Slot, source: Source) -> Failure {
    let other = view.terms.role(view.me.other());
    Failure::refused(match source {
        Source::Coin | Source::Plain => {
            format!("{other} has not sealed envelopes for {slot}: ask them to type `sealed-dice seal {slot}`")
        }
        Source::Sheet => {
            format!("{other} does not have a sealed sheet with free cells: ask them to type `sealed-dice seal sheet`")
        }
    })
}

fn first(view: &View<'_, '_>, slot: Slot, args: &Declaring) -> PlayResult<Declare> {
    let (_, phase) = view
        .terms
        .slot(&slot)
        .filter(|(_, phase)| phase.may_be_declared_by(view.me))
        .ok_or_else(|| Failure::refused(format!("you do not declare {slot}: {}", own_slots(view))))?;
    if tasks::of(view.ledger, view.me).iter().any(|task| matches!(task, Task::Redo { .. })) {
        return Err(Failure::refused("you must first declare another slot again: `sealed-dice game status` shows how"));
    }
    view.check_redo(&slot)?;
    check_order(view, &slot, args)?;
    if let Some(decision) = secrets::undecided(view.ledger, &slot, phase) {
        return Err(Failure::refused(format!(
            "{slot} waits for the choice {}: it must be signed first and, if both of you choose simultaneously, opened \
             too (declare 7)",
            decision.name
        )));
    }
    let set = tasks::set_for(view.ledger, view.me, &slot);
    let none = args.lists.file().is_none() && phase.source != Source::Plain;
    let input = listed(view, &slot, phase, set, &args.lists)?;
    let seal = match set {
        Some(seal) => seal,
        None if none => Hex32([0; 32]),
        None => return Err(unsealed(view, &slot, phase.source)),
    };
    let mut request = Request {
        moves: moves(view, &slot, &args.moved)?,
        slot,
        input,
        seal,
        contribution: contribution(view, phase)?,
        redo: None,
    };
    if !none && phase.source != Source::Sheet {
        let plan = phase.system.resolver().read(&request.input, false)?.plan(&Object::new())?;
        // The sealer opened places in the worksheet before they were asked for, so the dice come from the foul-up set.
        if let Some(opener) = redo::opened_by(view.ledger, &seal, &plan.places) {
            request.redo = Some(Redo::Opened(opener));
            request.seal = foul_up_set(view)?;
        }
    }
    Ok(steps::declaration(view.ledger, view.me, request)?)
}

/// Whether a list of attacks or rolls is empty.
fn is_empty(input: &Text) -> bool {
    let lists = input.read::<Value>().unwrap_or_default();
    ["attacks", "rolls"].iter().filter_map(|name| lists.get(name)?.as_array()).all(Vec::is_empty)
}

/// Lists the slots that the terms let a player declare, and the one that comes next.
fn own_slots(view: &View<'_, '_>) -> String {
    let phases = view.terms.phases.iter().filter(|phase| phase.may_be_declared_by(view.me));
    let slots =
        phases.flat_map(|phase| phase.impulses.iter().map(move |impulse| format!("TURN/{impulse}/{}/1", phase.name)));
    let slots: Vec<String> = slots.collect();
    let next =
        schedule::own_next(view.ledger, view.me).map_or_else(String::new, |slot| format!("; the next one is {slot}"));
    match slots.is_empty() {
        true => "the terms do not give you any slots".into(),
        false => format!("your slots are {}{next}", slots.join(", ")),
    }
}

/// Builds a redo, whose content follows from the declaration that it repeats.
fn again(view: &View<'_, '_>, slot: &Slot) -> PlayResult<Declare> {
    let redo = tasks::of(view.ledger, view.me).into_iter().find_map(|task| match task {
        Task::Redo { slot: of, redo } if of == *slot => Some(redo),
        _ => None,
    });
    let redo = redo.ok_or_else(|| {
        Failure::refused(format!(
            "{slot} does not have to be declared again: `sealed-dice game status` shows what is due"
        ))
    })?;
    let seal = foul_up_set(view)?;
    let (old, input) = redo::to_redo(view.ledger, redo).ok_or_else(|| {
        Failure::refused(format!(
            "the old list for {slot} cannot be read: propose a correction with `sealed-dice correct propose`"
        ))
    })?;
    let (_, phase) = view.terms.slot(slot).ok_or_else(|| {
        Failure::refused(format!("{slot} is not a slot in this game: `sealed-dice game terms` shows its phases"))
    })?;
    let request = Request {
        slot: slot.clone(),
        moves: old.moves.clone(),
        input,
        seal,
        contribution: contribution(view, phase)?,
        redo: Some(redo),
    };
    Ok(steps::declaration(view.ledger, view.me, request)?)
}

fn foul_up_set(view: &View<'_, '_>) -> PlayResult<Hex32> {
    tasks::foul_up_set(view.ledger, view.me).ok_or_else(|| {
        let other = view.terms.role(view.me.other());
        Failure::refused(format!(
            "{other} has no sealed foul-up envelope left: ask them to type `sealed-dice seal foul-up`"
        ))
    })
}

/// Converts the moves to their form in a declaration.
fn moves(view: &View<'_, '_>, slot: &Slot, moved: &Moved) -> PlayResult<Moves> {
    match moved {
        Moved::Nothing => Ok(Moves::None(())),
        Moved::Files(files) if !files.is_empty() => Ok(Moves::Files(files.clone())),
        Moved::Note(name) => {
            let purpose = format!("{slot}/{}", parse_name(name)?);
            let seal = view.ledger.sealed(view.me, SetKind::Note, &purpose).ok_or_else(|| {
                Failure::refused(format!("you have not sealed a note {purpose}: seal it first with `sealed-dice note`"))
            })?;
            Ok(Moves::Note(NoteRef { index: 0, seal }))
        }
        // A blank text counts as none.
        Moved::Words(text) if !text.trim().is_empty() => Ok(Moves::Text(text.clone())),
        // The turn of a course is seldom a move: its rolls follow from what it states, or from sealed orders.
        // A player who chose to name moves and left them blank is still asked for them.
        Moved::Unsaid if view.terms.is_of_course(slot) => Ok(Moves::None(())),
        Moved::Words(_) | Moved::Files(_) | Moved::Unsaid => Err(Failure::unable(
            "say what moved: --moves TEXT, --moves-file F, --files F.., --moves-note NAME or --no-moves. The moves are \
             signed with the rolls, so that nobody can move after seeing the dice",
        )),
    }
}
