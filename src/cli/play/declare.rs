//! `declare`: the mover's final list of what is rolled for, with the moves that it belongs to.

use serde_json::json;

use super::{
    declaring::{Declaring, check_order, contribution},
    lists::{combat_sheet, is_same_list, rolls, turn},
    locked::Locked,
    sheet,
    sign::Signing,
    table::{Table, View},
    typed::parse_name,
};
use crate::cli::answer::{Answer, Told};
use crate::{
    blob::{
        Body,
        body::{Declare, FileHash, Hex32, Moves, NoteRef, Redo, SetKind, Slot, Source},
        json::{Text, Value},
    },
    cli::{blanks::WAS_WRONG, input::read_text},
    game::{
        node::Past,
        rules::{course, redo, secrets},
        schedule,
        steps::{self, Request},
        tasks::{self, Task},
        terms::Phase,
    },
    keep::home::Home,
    primitive::hash::file_hash,
    report::words,
    resolve::{Object, icrk},
};

/// `declare`.
pub(in crate::cli) fn run(home: &Home, name: Option<&str>, args: &Declaring, signing: &Signing) -> Told<Answer> {
    let (slot, args) = args.taken_apart()?;
    // Which of several games that run is meant, nobody guesses: what is declared in the wrong one cannot be taken back.
    if args.form {
        let table = Table::find(home, name, Table::is_running)?;
        let slot = slot.clone().map_or_else(|| table.view(|view| meant(view, &args)), Ok)?;
        if !table.terms.is_of_hidden(&slot) {
            return table.view(|view| form(view, &slot));
        }
    }
    let table = Locked::find(home, name, Table::is_running)?;
    #[cfg(feature = "office")]
    if args.office {
        let game = table.name();
        table.check_joined()?;
        // What the other has left there may be what it rests on.
        let (table, _) = table.after_office(home, signing)?;
        let mailed = written(table, home, slot, &args, signing)?;
        return super::at_office::at_once(home, &game, mailed, signing);
    }
    written(table, home, slot, &args, signing)
}

/// The slot that a command without one is about: the next of this player's. Typed a second time before anybody can have
/// answered, it is about the same one as before.
fn meant(view: &View<'_, '_>, args: &Declaring) -> Told<Slot> {
    if args.again {
        let redo = view.tasks().into_iter().find_map(|task| match task {
            Task::Redo { slot, .. } => Some(slot),
            _ => None,
        });
        return redo.ok_or_else(|| Answer::refused("nothing of yours is to be declared again"));
    }
    let next = schedule::own_next(view.ledger, view.me);
    let next = next.ok_or_else(|| {
        Answer::refused("there is nothing for you to declare now; `sealed-dice game status` says what is awaited")
    })?;
    let last = view.ledger.declarations().filter(|old| old.node.player == view.me).last();
    let Some(last) = last.filter(|last| !args.form && last.valid && view.is_unread(last)) else { return Ok(next) };
    let slot = last.declare.slot.clone();
    if matches!(is_declared(view, &slot, args), Ok(true)) {
        return Ok(slot);
    }
    match last.is_answered() {
        true => Ok(next),
        false => Err(Answer::refused(format!(
            "{slot} is declared, and its dice are not known yet: wait for them. If {next} is not to wait, name it:  sealed-dice declare {next} .."
        ))),
    }
}

/// Signs it, and gives the mail.
fn written(table: Locked, home: &Home, slot: Option<Slot>, args: &Declaring, signing: &Signing) -> Told<Answer> {
    let slot = &slot.map_or_else(|| table.view(|view| meant(view, args)), Ok)?;
    if table.terms.is_of_hidden(slot) && !args.again {
        return declare_hidden(table, home, slot, args, signing);
    }
    if !args.again && table.view(|view| is_declared(view, slot, args))? {
        return Ok(table.mail(signing, None)?.saying(format!(
            "{slot} is declared already, and what you say now is NOT USED: a declaration cannot be changed"
        )));
    }
    table.view(|view| view.check_running(&table))?;
    table.sign(home, signing, |view| {
        let declare = if args.again { again(view, slot)? } else { first(view, slot.clone(), args)? };
        Ok(vec![Body::Declare(Box::new(declare))])
    })
}

/// The same in a hidden course.
fn declare_hidden(table: Locked, home: &Home, slot: &Slot, args: &Declaring, signing: &Signing) -> Told<Answer> {
    let declared = table.view(|view| {
        let mut own = view.ledger.declarations().filter(|old| old.node.player == view.me);
        Ok(own.any(|old| old.declare.slot == *slot))
    })?;
    match declared && !args.form {
        true => {
            let mail = table.mail(signing, None)?;
            Ok(mail.saying(format!(
                "{slot} is declared already, and what you say now is NOT USED: a declaration cannot be changed"
            )))
        }
        false => {
            table.view(|view| view.check_running(&table))?;
            sheet::declare(table, home, slot, args, signing)
        }
    }
}

/// What a turn states, to be filled in.
fn form(view: &View<'_, '_>, slot: &Slot) -> Told<Answer> {
    let (_, phase) = view.terms.slot(slot).ok_or_else(|| Answer::refused(format!("{slot} is no slot of this game")))?;
    let course = phase.system.resolver().course();
    let course =
        course.ok_or_else(|| Answer::refused(format!("{slot} takes a sheet, which is a table of your own")))?;
    view.check_redo(slot)?;
    sheet::awaited(view, slot)?;
    let state = course::reached(view.ledger, phase, Past::ALL).state;
    let state = state.ok_or_else(|| Answer::refused("the turn before is not settled yet"))?;
    // What he stated the last time: one more roll of a turn states nothing.
    let of_course = |slot: &Slot| view.terms.slot(slot).is_some_and(|(_, of)| of.system.name() == phase.system.name());
    let own = view.ledger.declarations().filter(|old| old.node.player == view.me && old.declare.slot.number == 1);
    let own = own.filter(|old| old.valid && old.replaced_by.is_empty() && of_course(&old.declare.slot));
    Ok(Answer::done(course.form(&state, own.last().map(|last| &last.declare.input))?))
}

/// Whether a slot is declared already, with what was typed now.
///
/// # Errors
/// `Refused` if it is declared with something else: whoever types a corrected sheet must not take the old letter for it.
fn is_declared(view: &View<'_, '_>, slot: &Slot, args: &Declaring) -> Told<bool> {
    let own = view.ledger.declarations().filter(|old| old.node.player == view.me && old.declare.slot == *slot);
    let own: Vec<&Declare> = own.map(|old| old.declare).collect();
    let (Some(last), Some((_, phase))) = (own.last(), view.terms.slot(slot)) else { return Ok(false) };
    let input = if args.no_rolls || args.sheet.is_some() { Some(typed_input(phase, args)?) } else { None };
    let recorded = args.no_moves
        || args.moves.is_some()
        || args.moves_file.is_some()
        || args.moves_note.is_some()
        || !args.files.is_empty();
    let moved = if recorded { Some(moves(view, slot, args)?) } else { None };
    let same_input = |old: &&Declare| input.as_ref().is_none_or(|input| is_same_list(phase, &old.input, input));
    let same_moves = |old: &&Declare| moved.as_ref().is_none_or(|moved| old.moves == *moved);
    if own.iter().any(|old| same_input(old) && same_moves(old)) {
        return Ok(true);
    }
    let (what, class) = match own.iter().any(same_input) {
        true => ("with other moves", "illegal-move"),
        false => ("with another list", "wrong-list"),
    };
    Err(Answer::refused(format!(
        "{slot} is declared already, {what}, and a declaration cannot be changed. It says: {}. If it rests on a mistake, say so once \
         the dice are known:  sealed-dice correct propose {slot} --class {class} --at-fault {} --reason \"{WAS_WRONG}\"",
        words::body(&Body::Declare(Box::new((*last).clone())), Some(view.ledger)),
        view.terms.role(view.me)
    )))
}

/// What a sheet comes to, in the form in which lists of a phase are compared.
fn typed_input(phase: &Phase, args: &Declaring) -> Told<Text> {
    Ok(match (&args.sheet, phase.source) {
        (None, Source::Coin) => Text::of(&json!({ "attacks": [] }))?,
        (None, Source::Sheet) => Text::of(&json!({ "rolls": [] }))?,
        (Some(path), Source::Coin) => combat_sheet(path)?,
        (Some(path), Source::Sheet) => rolls(path, &[])?,
        (path, Source::Plain) => turn(path.as_deref())?,
    })
}

/// What a first declaration rolls for, from the sheet that is typed or from none.
fn listed(view: &View<'_, '_>, slot: &Slot, (source, set): (Source, Option<Hex32>), args: &Declaring) -> Told<Text> {
    let input = match (&args.sheet, source) {
        (None, Source::Coin) => Text::of(&json!({ "attacks": [] }))?,
        (None, Source::Sheet) => Text::of(&json!({ "rolls": [] }))?,
        (Some(path), Source::Coin) => combat_sheet(path)?,
        (Some(path), Source::Sheet) => {
            let free = set.map(|seal| tasks::free_cells(view.ledger, &seal, view.me)).unwrap_or_default();
            let cells: Vec<String> = free.into_iter().map(icrk::label).collect();
            rolls(path, &cells)?
        }
        (path, Source::Plain) => turn(path.as_deref())?,
    };
    // A turn of a course may have nothing to say.
    if args.sheet.is_none() && source != Source::Plain && !args.no_rolls {
        return Err(Answer::unable(format!(
            "name the sheet with what {slot} rolls for, or say --no-rolls: a declaration cannot be changed"
        )));
    }
    if let (Some(path), Source::Coin | Source::Sheet) = (&args.sheet, source)
        && is_empty(&input)
    {
        return Err(Answer::refused(format!(
            "{} lists nothing to roll for. If {slot} is to have no rolls, say --no-rolls in place of the file; nothing is signed",
            path.display()
        )));
    }
    Ok(input)
}

/// Why there is nothing to declare on.
fn unsealed(view: &View<'_, '_>, slot: &Slot, source: Source) -> Answer {
    let other = view.terms.role(view.me.other());
    Answer::refused(match source {
        Source::Coin | Source::Plain => {
            format!("{other} has not sealed envelopes for {slot}: ask for `sealed-dice seal {slot}`")
        }
        Source::Sheet => format!("{other} has sealed no sheet with cells left: ask for `sealed-dice seal sheet`"),
    })
}

fn first(view: &View<'_, '_>, slot: Slot, args: &Declaring) -> Told<Declare> {
    let (_, phase) = view
        .terms
        .slot(&slot)
        .filter(|(_, phase)| phase.may_be_declared_by(view.me))
        .ok_or_else(|| Answer::refused(format!("{slot} is no slot that you declare; {}", own_slots(view))))?;
    if tasks::of(view.ledger, view.me).iter().any(|task| matches!(task, Task::Redo { .. })) {
        return Err(Answer::refused("another slot is to be declared again first; `sealed-dice game status` shows how"));
    }
    view.check_redo(&slot)?;
    check_order(view, &slot, args)?;
    if let Some(decision) = secrets::undecided(view.ledger, &slot, phase) {
        return Err(Answer::refused(format!(
            "{slot} waits for the choice {}: it must be signed and, where both choose at once, opened (declare 7)",
            decision.name
        )));
    }
    let set = tasks::set_for(view.ledger, view.me, &slot);
    let none = args.sheet.is_none() && phase.source != Source::Plain;
    let input = listed(view, &slot, (phase.source, set), args)?;
    let seal = match set {
        Some(seal) => seal,
        None if none => Hex32([0; 32]),
        None => return Err(unsealed(view, &slot, phase.source)),
    };
    let mut request = Request {
        moves: moves(view, &slot, args)?,
        slot,
        input,
        seal,
        contribution: contribution(view, phase)?,
        redo: None,
    };
    if !none && phase.source != Source::Sheet {
        let plan = phase.system.resolver().read(&request.input, false)?.plan(&Object::new())?;
        // The sealer opened what the worksheet lands on before it was asked for: the dice come from the foul-up set.
        if let Some(opener) = redo::opened_by(view.ledger, &seal, &plan.places) {
            request.redo = Some(Redo::Opened(opener));
            request.seal = foul_up_set(view)?;
        }
    }
    Ok(steps::declaration(view.ledger, view.me, request)?)
}

/// Whether a list of attacks or rolls has none.
fn is_empty(input: &Text) -> bool {
    let lists = input.read::<Value>().unwrap_or_default();
    ["attacks", "rolls"].iter().filter_map(|name| lists.get(name)?.as_array()).all(Vec::is_empty)
}

/// What a player declares by the terms, and where he may go on.
fn own_slots(view: &View<'_, '_>) -> String {
    let phases = view.terms.phases.iter().filter(|phase| phase.may_be_declared_by(view.me));
    let slots =
        phases.flat_map(|phase| phase.impulses.iter().map(move |impulse| format!("TURN/{impulse}/{}/1", phase.name)));
    let slots: Vec<String> = slots.collect();
    let next =
        schedule::own_next(view.ledger, view.me).map_or_else(String::new, |slot| format!("; the next one is {slot}"));
    match slots.is_empty() {
        true => "the terms give you none".into(),
        false => format!("yours are {}{next}", slots.join(", ")),
    }
}

/// A redo: what it must say is known, for it follows from the declaration that it does again.
fn again(view: &View<'_, '_>, slot: &Slot) -> Told<Declare> {
    let redo = tasks::of(view.ledger, view.me).into_iter().find_map(|task| match task {
        Task::Redo { slot: of, redo } if of == *slot => Some(redo),
        _ => None,
    });
    let redo = redo.ok_or_else(|| Answer::refused(format!("{slot} is not to be declared again")))?;
    let seal = foul_up_set(view)?;
    let (old, input) = redo::to_redo(view.ledger, redo).ok_or_else(|| {
        Answer::refused(format!("the old list of {slot} cannot be read; it is for `correct` to settle"))
    })?;
    let (_, phase) = view.terms.slot(slot).ok_or_else(|| Answer::refused(format!("{slot} is no slot of this game")))?;
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

fn foul_up_set(view: &View<'_, '_>) -> Told<Hex32> {
    tasks::foul_up_set(view.ledger, view.me).ok_or_else(|| {
        let other = view.terms.role(view.me.other());
        Answer::refused(format!("{other} has no sealed foul-up envelope left: ask for `sealed-dice seal foul-up`"))
    })
}

fn moves(view: &View<'_, '_>, slot: &Slot, args: &Declaring) -> Told<Moves> {
    if args.no_moves {
        return Ok(Moves::None(()));
    }
    // A blank text says nothing: it is as if none was given.
    let says = |text: &String| !text.trim().is_empty();
    if let Some(text) = args.moves.as_ref().filter(|text| says(text)) {
        return Ok(Moves::Text(text.clone()));
    }
    if let Some(path) = &args.moves_file {
        let text = read_text(path).map_err(|why| Answer::unable(format!("{why}, or name it with --files instead")))?;
        if says(&text) {
            return Ok(Moves::Text(text));
        }
    }
    if let Some(name) = &args.moves_note {
        let purpose = format!("{slot}/{}", parse_name(name)?);
        let seal = view.ledger.sealed(view.me, SetKind::Note, &purpose);
        let seal =
            seal.ok_or_else(|| Answer::refused(format!("you have sealed no note {purpose}; `sealed-dice note` does")))?;
        return Ok(Moves::Note(NoteRef { index: 0, seal }));
    }
    if args.files.is_empty() {
        return Err(Answer::unable(
            "say what moved: --moves TEXT, --moves-file F, --files F.., --moves-note NAME or --no-moves; it is signed with the rolls, \
             so that nobody moves after seeing the dice",
        ));
    }
    let files = args.files.iter().map(|path| {
        if !path.is_file() {
            return Err(Answer::unable(format!("{} is no file", path.display())));
        }
        let unreadable = |error| Answer::unable(format!("{} cannot be read: {error}", path.display()));
        let bytes = std::fs::read(path).map_err(unreadable)?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(FileHash {
            length: bytes.len() as u64,
            name: name.ok_or_else(|| Answer::unable(format!("{} has no name", path.display())))?,
            sha3_256: Hex32(file_hash(&bytes)),
        })
    });
    Ok(Moves::Files(files.collect::<Told<_>>()?))
}
