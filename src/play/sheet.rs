//! `declare` in a hidden course: the player writes their sheet, and the program works out what they have to state and
//! seals the sheet (`protocol/hidden.md`).

use std::collections::BTreeMap;

use super::{
    declaring::{Declaring, Lists, Moved, check_order, contribution},
    draft::{Draft, Pen},
    failure::{Failure, PlayResult},
    form::Form,
    hand::{eyes, lines_of, ran},
    handed::Handed,
    lists::turn,
    locked::Locked,
    owed::owed,
    session::Session,
    shown::Shown,
    sign::{told, write},
    table::View,
};
use crate::{
    blob::{
        Body,
        body::{Moves, NoteRef, Slot},
        json::{Text, Value},
    },
    game::{
        hidden::{self, NAMED},
        node::Past,
        purpose::SHEET,
        rules::course,
        schedule,
        steps::{self, Letter, Request, Signer},
        tasks::{self, Task},
        terms::Phase,
    },
    keep::{folder::Stored, random::fresh, root::Keys},
    report::text::visible,
    resolve::{
        Account, Draw, Draws, Given, Listed, Object,
        hidden::{Run, Told as Worked},
    },
};

/// Advice on naming forfeited dice in a sheet.
pub(super) const IN_SHEET: &str = "put them under `named`, whose lines `declare --form` prints. Every number that the \
                                   sheet does not name counts as 1";

/// Declares from a sheet.
pub(super) fn declare(mut table: Locked, session: &Session<'_>, slot: &Slot, args: &Declaring) -> PlayResult<Handed> {
    let sheet = sheet(args)?;
    table.check_files()?;
    let draft = table.view(|view| {
        check_early(view, slot)?;
        if !view.tasks().iter().any(Task::is_plain) {
            check_order(view, slot, args)?;
        }
        drafted(&table, session, view, slot)
    })?;
    if let Some(draft) = &draft {
        table.ask(session, draft)?;
    }
    let kept = table.stored.len();
    let (mut letters, mut lines, keys) = table.with_owed(session)?;
    table.view(|view| check_order(view, slot, args))?;
    let (declared, told) = table.view(|view| table.declared(session, view, &keys, slot, &sheet))?;
    table.stored.extend(declared.iter().cloned().map(Stored::from));
    let (more, also) = table.view(|view| {
        let signer = table.signer(view.ledger, &keys);
        let owed = owed(view, Pen::own(&signer, &keys), &[])?;
        written(session, view, signer, &owed)
    })?;
    table.stored.truncate(kept);
    letters.extend(declared.into_iter().chain(more));
    lines.extend(told.into_iter().chain(also));
    table.hand_out(session, letters, draft.as_ref(), &Shown { lines, ..Shown::default() }, &keys)
}

/// Describes what is known without the key, for a person who has to type a passphrase. Working out the sheet needs the
/// key.
fn drafted(table: &Locked, session: &Session<'_>, view: &View<'_, '_>, slot: &Slot) -> PlayResult<Option<Shown>> {
    if !session.costs_a_passphrase()? {
        return Ok(None);
    }
    table.check_machine(Some(view.order))?;
    let owed = owed(view, Draft::of(table, view.ledger)?.pen(), &[])?;
    let mut lines = told(session, view, &owed)?.concat();
    lines.push(format!(
        "{slot} is declared from your sheet. The program needs your key to work out what the sheet declares. Before \
         anything is signed, you see the result and are asked again"
    ));
    Ok(Some(Shown { lines, ..Shown::default() }))
}

/// Writes letters with these bodies, and describes them.
fn written(
    session: &Session<'_>,
    view: &View<'_, '_>,
    signer: Signer,
    bodies: &[Body],
) -> PlayResult<(Vec<Letter>, Vec<String>)> {
    let told = told(session, view, bodies)?.concat();
    Ok((write(signer, bodies)?, told))
}

/// Returns a sheet to fill in, including information that only this player has.
pub(super) fn form(mut table: Locked, session: &Session<'_>, slot: &Slot) -> PlayResult<Form> {
    table.check_files()?;
    table.view(|view| check_early(view, slot))?;
    let (_, _, keys) = table.with_owed(session)?;
    table.view(|view| filled_in(view, &table.signer(view.ledger, &keys), slot))
}

/// Makes the check that needs no key: the slot must be awaited, unless letters are owed first.
fn check_early(view: &View<'_, '_>, slot: &Slot) -> PlayResult<()> {
    match view.tasks().iter().any(Task::is_plain) {
        true => Ok(()),
        false => awaited(view, slot).map(|_| ()),
    }
}

/// Reads the sheet that the player gives.
fn sheet(args: &Declaring) -> PlayResult<Object> {
    if !matches!((&args.moved, &args.lists), (Moved::Unsaid, Lists::File(_) | Lists::Unsaid)) {
        return Err(Failure::unable(
            "in this game, the sheet states what moved, and every declaration has rolls: give only the sheet",
        ));
    }
    let file = args.lists.file();
    let file =
        file.ok_or_else(|| Failure::unable("give the sheet, which must be a TOML file; --form prints one to fill in"))?;
    Ok(turn(Some(file))?.read()?)
}

/// Returns the phase of a slot that belongs to a course, and is awaited from this player.
pub(super) fn awaited<'v>(view: &View<'v, '_>, slot: &Slot) -> PlayResult<&'v Phase> {
    let (_, phase) = view.terms.slot(slot).ok_or_else(|| {
        Failure::refused(format!("{slot} is not a slot in this game; `sealed-dice game terms` shows its phases"))
    })?;
    if schedule::is_awaited(view.ledger, view.me, slot) {
        return Ok(phase);
    }
    Err(Failure::refused(match schedule::own_next(view.ledger, view.me) {
        Some(next) => format!("you cannot declare {slot} now; declare {next} first"),
        None => format!("you cannot declare {slot} now; `sealed-dice game status` shows what to do next"),
    }))
}

/// Works out the results of a sheet from everything that its author knows.
fn worked(view: &View<'_, '_>, signer: &Signer, phase: &Phase, sheet: &Object) -> PlayResult<Run> {
    Ok(hidden::state_from(view.ledger, phase, view.me, sheet, &eyes(view, signer))?)
}

/// Describes the public part of an input, and what the course awaits next.
fn open(view: &View<'_, '_>, phase: &Phase, due: &Text) -> PlayResult<Vec<String>> {
    let resolver = phase.system.resolver();
    let Some((course, state)) = resolver.course().zip(course::reached(view.ledger, phase, Past::ALL).state) else {
        return Ok(Vec::new());
    };
    // The dice are unknown to everybody, so the public results are worked out without them (hidden 3).
    let (mut nothing, mut account) = (Listed::new(&[]), Account::kept());
    let rolls = resolver.read(due, false)?;
    let outcome = rolls.resolve(Given::state(&state), &[], &mut Draws::new(&mut nothing), &mut account)?;
    let mut lines = account.into_lines();
    lines.push(format!("after this turn: {}", course.tell(&outcome.state)?));
    Ok(lines)
}

/// Returns a sheet to fill in, below the part that only its author knows.
fn filled_in(view: &View<'_, '_>, signer: &Signer, slot: &Slot) -> PlayResult<Form> {
    let phase = awaited(view, slot)?;
    let course = phase.system.resolver().course();
    let state = course::reached(view.ledger, phase, Past::ALL).state;
    let (course, state) = course.zip(state).ok_or_else(|| {
        Failure::refused("the previous turn is not settled yet; `sealed-dice game status` shows what to do next")
    })?;
    let ran = ran(view, signer, phase)?;
    let hand = lines_of(phase, &ran);
    let worked = worked(view, signer, phase, &Object::new()).ok();
    let dice = worked.as_ref().and_then(|run| run.told.last()).map(|told| told.steps.clone()).unwrap_or_default();
    let mut out = String::new();
    for (head, lines) in
        [("Only you know this:", hand), ("What your last dice give, before anything that you enter below:", dice)]
    {
        if !lines.is_empty() {
            out.push_str(&format!("# {head}\n"));
            lines.iter().for_each(|line| out.push_str(&format!("#   {}\n", visible(line))));
            out.push('\n');
        }
    }
    out.push_str(&form_of_named(view, worked.as_ref(), slot));
    out.push_str(&match course.hidden().zip(ran.run.hand.as_ref()) {
        Some((hidden, hand)) => hidden.form(&state, hand)?,
        None => course.form(&state, None)?,
    });
    Ok(Form { text: out, is_secret: true })
}

/// Lists the dice in a declaration that are forfeited to this player, as far as a run draws them, each with the value
/// that the sheet names for it.
fn named<'r>(view: &View<'_, '_>, run: &'r Run, sheet: &Object) -> Vec<(&'r Draw, Option<u64>)> {
    let Some((place, _)) = hidden::named_next(view.ledger, view.me) else { return Vec::new() };
    let says = sheet.get(NAMED).and_then(Value::as_object);
    let mut drawn: BTreeMap<u64, usize> = BTreeMap::new();
    let dice = run.draws.iter().filter(|(at, _)| *at == place).map(|(_, draw)| {
        let nth = drawn.entry(draw.place.line).or_default();
        let list = says.and_then(|says| says.get(&draw.place.line.to_string())).and_then(Value::as_array);
        let number = list.and_then(|list| list.get(*nth)).and_then(Value::as_u64);
        *nth += 1;
        (draw, number)
    });
    dice.collect()
}

/// Describes a die for its line in `named`.
fn die(draw: &Draw) -> String {
    format!("line {}, 1 to {}: {}", draw.place.line, draw.sides, visible(&draw.why))
}

/// Returns the block for naming forfeited dice in a sheet to fill in.
fn form_of_named(view: &View<'_, '_>, run: Option<&Run>, next: &Slot) -> String {
    let Some((_, forfeited)) = hidden::named_next(view.ledger, view.me) else { return String::new() };
    let dice = run.map(|run| named(view, run, &Object::new())).unwrap_or_default();
    let mut lines: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    dice.iter().for_each(|(draw, _)| lines.entry(draw.place.line).or_default().push("1"));
    let lines: Vec<String> = lines.iter().map(|(line, ones)| format!("\"{line}\" = [{}]", ones.join(", "))).collect();
    let listed: String = dice.iter().map(|(draw, _)| format!("#   {}\n", die(draw))).collect();
    format!(
        "# THE DICE FOR {} ARE FORFEITED TO YOU: NAME THEM IN THIS SHEET.\n\
         # Every number that you do not name counts as 1. For each line, give its numbers in the order of the draws.\n\
         # If you fill in nothing below, these dice are drawn. Your entries may need other dice.\n\
         # Before you sign {next}, you see which dice are not named.\n\
         {listed}# {NAMED} = {{ {} }}\n\n",
        forfeited.declare.slot,
        lines.join(", ")
    )
}

/// Warns a player who is about to sign a sheet that does not name all the dice forfeited to them.
fn unnamed(view: &View<'_, '_>, run: &Run, sheet: &Object) -> Vec<String> {
    let dice = named(view, run, sheet);
    let left: Vec<String> = dice.iter().filter(|(_, number)| number.is_none()).map(|(draw, _)| die(draw)).collect();
    let Some((_, forfeited)) = hidden::named_next(view.ledger, view.me).filter(|_| !left.is_empty()) else {
        return Vec::new();
    };
    let slot = &forfeited.declare.slot;
    let mind = format!(
        "WARNING: the dice for {slot} are forfeited to you. This sheet does not name the following dice, so each \
         counts as 1:"
    );
    std::iter::once(mind).chain(left.into_iter().map(|die| format!("  {die}"))).collect()
}

impl Locked {
    /// Writes the letters that are owed and adds them to the game, because the course does not move on without them.
    /// Returns the letters, their content in words, and this player's keys.
    fn with_owed(&mut self, session: &Session<'_>) -> PlayResult<(Vec<Letter>, Vec<String>, Keys)> {
        let (letters, lines, keys) = self.view(|view| {
            self.check_machine(Some(view.order))?;
            let keys = session.unlock()?;
            let signer = self.signer(view.ledger, &keys);
            let owed = owed(view, Pen::own(&signer, &keys), &[])?;
            let (letters, lines) = written(session, view, signer, &owed)?;
            Ok((letters, lines, keys))
        })?;
        self.stored.extend(letters.iter().cloned().map(Stored::from));
        Ok((letters, lines, keys))
    }

    /// Returns the letters for a declaration from a sheet, and their content in words.
    fn declared(
        &self,
        session: &Session<'_>,
        view: &View<'_, '_>,
        keys: &Keys,
        slot: &Slot,
        sheet: &Object,
    ) -> PlayResult<(Vec<Letter>, Vec<String>)> {
        let phase = awaited(view, slot)?;
        let hidden = phase.hidden().ok_or_else(|| {
            Failure::refused(format!("{slot} does not belong to a hidden course; declare it without a sheet"))
        })?;
        let set = tasks::set_for(view.ledger, view.me, slot).ok_or_else(|| {
            let other = view.terms.role(view.me.other());
            Failure::refused(format!(
                "{other} has not sealed envelopes for {slot}: ask them to type `sealed-dice seal {slot}`"
            ))
        })?;
        let sheet = &hidden.in_order(sheet.clone());
        let signer = self.signer(view.ledger, keys);
        let mut run = worked(view, &signer, phase, sheet)?;
        let hand = run.hand.as_ref().map(|hand| hidden.tell(hand)).unwrap_or_default();
        let Worked { due, steps, .. } = run
            .told
            .pop()
            .ok_or_else(|| Failure::refused("the sheet does not state anything to declare; check its entries"))?;
        let unnamed = unnamed(view, &run, sheet);
        let read = open(view, phase, &due)?;
        let purpose = format!("{slot}/{SHEET}");
        let (text, bytes) = (Text::of(sheet)?, usize::try_from(hidden.sheet_bytes()).unwrap_or(usize::MAX));
        check_length(text.as_str().len(), bytes)?;
        let note = Body::Seal(signer.seal_note(view.terms, &purpose, fresh()?, text.as_str(), bytes)?);
        // The note's id is the id of its letter, which is the next one.
        let (sealed, _) = written(session, view, self.signer(view.ledger, keys), std::slice::from_ref(&note))?;
        let unsealed = || Failure::refused("the sheet was not sealed; type the command again");
        let sealed = sealed.first().ok_or_else(unsealed)?.message.id();
        let request = Request {
            slot: slot.clone(),
            input: due,
            moves: Moves::Note(NoteRef { index: 0, seal: sealed }),
            seal: set,
            contribution: contribution(view, phase)?,
            redo: None,
        };
        let declare = Body::Declare(Box::new(steps::declaration(view.ledger, view.me, request)?));
        let (letters, mut lines) = written(session, view, signer, &[note, declare])?;
        let other = view.terms.role(view.me.other());
        let parts = [
            (format!("{other} will read:"), read),
            ("only you know this until the close:".into(), steps),
            ("your hand after this turn:".into(), hand),
        ];
        for (head, part) in parts.into_iter().filter(|(_, part)| !part.is_empty()) {
            lines.push(head);
            lines.extend(part.iter().map(|line| format!("  {}", visible(line))));
        }
        lines.extend(unnamed);
        Ok((letters, lines))
    }
}

/// Checks that a sheet is shorter than the length to which it is padded, in bytes.
fn check_length(has: usize, padded: usize) -> PlayResult<()> {
    match has < padded {
        true => Ok(()),
        false => Err(Failure::refused(format!(
            "the sheet has {has} bytes, but the terms allow only {} (sheet_bytes): shorten it",
            padded.saturating_sub(1)
        ))),
    }
}
