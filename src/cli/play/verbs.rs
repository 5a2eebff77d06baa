//! `seal`, `reveal`, `decide`, `note`, `reply`, `resend`: one verb a step.

use std::path::Path;

use super::{
    Answer, Stage, Table, Told, View,
    declare::turn,
    sign::{Signing, fresh},
};
use crate::{
    blob::{
        Body,
        body::{Decide, Hex32, Moves, Name, SealedContribution, SetKind, Slot},
        json::{Text, Value},
    },
    cli::{read_text, terminal::visible},
    game::{
        charter::{Author, By, Phase},
        courses::{self, Choice},
        ledger::Ledger,
        opener,
        steps::Seat,
        tasks::Task,
    },
    keep::home::Home,
    limits::{COLUMNS, ROWS},
    resolve::{Course, Object, Place},
};

/// Envelopes in a contribution set.
const CONTRIBUTIONS: u64 = 32;

/// The seal of a set, sized as the charter says.
pub(super) fn seal_body(ledger: &Ledger<'_>, seat: &Seat, kind: SetKind, purpose: &str) -> Told<Body> {
    let n = size(ledger, kind, purpose)?;
    Ok(Body::Seal(seat.seal(kind, purpose, n, fresh()?, None)?))
}

/// How many places a set has.
fn size(ledger: &Ledger<'_>, kind: SetKind, purpose: &str) -> Told<u64> {
    let refuse = || Answer::refused(format!("{} is no slot whose envelopes you seal", visible(purpose)));
    Ok(match kind {
        SetKind::Coin => {
            let slot = Slot::parse(purpose).ok_or_else(refuse)?;
            ledger.terms.slot(&slot).and_then(|(_, phase)| phase.envelopes).ok_or_else(refuse)?
        }
        SetKind::Sheet => (COLUMNS * ROWS) as u64,
        SetKind::FoulUp => ledger.terms.charter.foul_up.envelopes,
        SetKind::Contribution => CONTRIBUTIONS,
        SetKind::Note | SetKind::Plain => 1,
    })
}

/// Everything that is owed, needs no choice, and is not among the letters of this mail already.
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
            Task::Reveal { declaration, .. } => owed.push(Body::Reveal(seat.reveal(view.ledger, *declaration)?)),
            Task::OpenNote { declaration, seal, .. } => {
                if let (Some(set), Some(master)) = (view.ledger.set(seal), seat.master(view.ledger, seal)) {
                    owed.push(Body::Reveal(opener::single(set, &master, *declaration, 0)));
                }
            }
            Task::Seal { kind, purpose } if !closes => owed.push(seal_body(view.ledger, seat, *kind, purpose)?),
            Task::Close if !closes => owed.push(Body::Close(seat.close(view.ledger, None))),
            _ => {}
        }
    }
    // Nothing but keys may follow a close.
    owed.sort_by_key(|body| matches!(body, Body::Close(_)));
    Ok(owed)
}

/// `reply`: all that is owed, in one mail, with whatever the other is not known to have.
pub(in crate::cli) fn reply(home: &Home, name: Option<&str>, signing: &Signing) -> Told<Answer> {
    let table = Table::find(home, name, Table::owes)?;
    let _lock = table.folder.lock()?;
    if table.stage == Stage::Proposed {
        return table.mail(signing, None);
    }
    if table.me.player().is_none() {
        return table.confirm(home, signing);
    }
    let answers = |task: &Task| matches!(task, Task::Answer { .. });
    if !table.owes() && !table.view(|view| Ok(view.tasks().iter().any(answers)))? {
        return table.mail(signing, None);
    }
    table.sign_with_key(home, signing, |view| view.check_page(home, signing), |_, _| Ok(Vec::new()))
}

impl Table {
    /// Whether `reply` would sign something.
    fn owes(&self) -> bool {
        let plain = |view: &View<'_, '_>| {
            let undeposited = self.undeposited(view.ledger).next().is_some();
            Ok(undeposited || view.tasks().iter().any(Task::is_plain))
        };
        let owes = match self.me {
            Author::Player(_) => self.view(plain),
            Author::Referee => self.look(|_, ledger| Ok(self.has_unconfirmed(ledger))),
        };
        owes.unwrap_or_default() || matches!(self.stage, Stage::Begun(_)) && !self.answers().is_empty()
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
    let table = Table::find(home, name, Table::goes_on)?;
    if everything {
        return table.mail_everything(signing);
    }
    match (all, numbers) {
        (true, _) => table.mail(signing, Some(&table.every_number())),
        (false, []) => table.mail(signing, None),
        (false, numbers) => table.mail(signing, Some(numbers)),
    }
}

/// `seal`: a set for a slot, or the next sheet or foul-up set.
pub(in crate::cli) fn seal(home: &Home, name: Option<&str>, what: &str, signing: &Signing) -> Told<Answer> {
    let table = Table::find(home, name, Table::is_played)?;
    let _lock = table.folder.lock()?;
    let (kind, purpose) = table.view(|view| {
        let next = |kind, label: &str| {
            let purposes = (1..).map(|k| format!("{label}/{k}"));
            purposes.into_iter().find(|purpose| !view.sealed(kind, purpose)).map(|purpose| (kind, purpose))
        };
        match what {
            "sheet" => next(SetKind::Sheet, "sheet"),
            "foul-up" => next(SetKind::FoulUp, "foul-up"),
            slot => Some((SetKind::Coin, slot.to_owned())),
        }
        .ok_or_else(|| Answer::refused("there is no number left for it"))
    })?;
    if table.view(|view| Ok(view.sealed(kind, &purpose)))? {
        return Ok(table.mail(signing, None)?.saying(format!("{purpose} is sealed already")));
    }
    let plan = |view: &View<'_, '_>| {
        size(view.ledger, kind, &purpose)?;
        signing.check_page(home)
    };
    table.sign_with_key(home, signing, plan, |view, seat| Ok(vec![seal_body(view.ledger, seat, kind, &purpose)?]))
}

/// `reveal`: what a declaration selects, and nothing else; or one's own private rolls. It takes a slot, never an index.
pub(in crate::cli) fn reveal(
    home: &Home,
    name: Option<&str>,
    slot: &str,
    only_look: bool,
    signing: &Signing,
) -> Told<Answer> {
    let slot = parse_slot(slot)?;
    let table = Table::find(home, name, |table| table.has_declared(&slot))?;
    let _lock = table.folder.lock()?;
    let asked = |view: &View<'_, '_>, seat: &Seat| {
        let mut bodies = Vec::new();
        for task in view.tasks() {
            if let Task::Reveal { declaration, slot: of } = task
                && of == slot
            {
                bodies.push(Body::Reveal(seat.reveal(view.ledger, declaration)?));
            }
        }
        bodies.extend(shown(view, seat, &slot));
        Ok(bodies)
    };
    let owed = table.view(|view| {
        view.check_openable(&slot)?;
        let mut tasks = view.tasks().into_iter();
        let owed = tasks.any(|task| matches!(task, Task::Reveal { slot: of, .. } if of == slot));
        Ok(owed || hidden(view, &slot).next().is_some())
    })?;
    if only_look {
        let hides = table.view(|view| Ok(hidden(view, &slot).next().is_some()))?;
        if !hides {
            return Err(Answer::refused(format!("{slot} has no private rolls of yours that the other has opened")));
        }
        return table.peek(home, signing, |view, seat| Ok(shown(view, seat, &slot)));
    }
    let opened = table.view(|view| {
        let mine = |seal| view.ledger.set(seal).is_some_and(|set| set.node.player == view.me);
        Ok(view.ledger.declarations().any(|declaration| {
            declaration.declare.slot == slot
                && declaration.outcome.is_some()
                && declaration.declare.seal.as_ref().is_some_and(mine)
        }))
    })?;
    if !owed && opened {
        return Ok(table.mail(signing, None)?.saying(format!("{slot} is opened already")));
    }
    if !owed {
        return Err(Answer::refused(format!(
            "{slot} has no declaration that waits for your envelopes; `sealed-dice game status` shows what is owed"
        )));
    }
    table.sign_with_key(home, signing, |view| view.check_page(home, signing), asked)
}

/// `reveal --moves`: the note with the moves of one's own declaration of a slot.
pub(in crate::cli) fn reveal_moves(home: &Home, name: Option<&str>, slot: &str, signing: &Signing) -> Told<Answer> {
    let slot = parse_slot(slot)?;
    let table = Table::find(home, name, |table| table.has_declared(&slot))?;
    let _lock = table.folder.lock()?;
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

/// `decide`: a choice that the charter asks for before a slot is declared.
pub(in crate::cli) fn decide(
    home: &Home,
    name: Option<&str>,
    (slot, decision): (&str, &str),
    value: Option<&str>,
    signing: &Signing,
) -> Told<Answer> {
    let slot = parse_slot(slot)?;
    let decision = parse_name(decision)?;
    let table = Table::find(home, name, |table| table.has_slot(&slot))?;
    let Some(value) = value else { return table.view(|view| choice_form(view, &slot)?.ok_or_else(no_form)) };
    let _lock = table.folder.lock()?;
    let course = table.terms.slot(&slot).and_then(|(_, phase)| phase.system.resolver().course());
    if let Some(course) = course {
        table.view(|view| view.check_redo(&slot))?;
        table.view(|view| match view.ledger.awaited_choices().iter().find(|choice| choice.slot == slot) {
            Some(choice) if choice.name == decision && choice.by == *view.terms.role(view.me) => Ok(()),
            Some(choice) => {
                let Choice { name, by, what, .. } = choice;
                Err(Answer::refused(format!("{slot} awaits the decision {name} of {by}: {what} (decide 4)")))
            }
            None => Err(Answer::refused(format!("{slot} awaits no decision (decide 4)"))),
        })?;
        let value = match table.view(|view| choice_form(view, &slot))? {
            Some(_) => turn(Some(Path::new(value)))?.read()?,
            None => course.read_choice(decision.as_str(), value),
        };
        return table.sign(home, signing, |_| Ok(vec![Body::Decide(Decide { name: decision, slot, value })]));
    }
    let decided = table.view(|view| {
        let phase = view.terms.slot(&slot).map(|(_, phase)| phase);
        let mut listed = phase.into_iter().flat_map(|phase| &phase.decisions);
        match listed.find(|known| known.name == decision && known.by.includes(view.me)) {
            None => Err(Answer::refused(format!("the terms list no choice {decision} by you for {slot} (decide 1)"))),
            Some(known) if known.by != By::Open(view.me) => {
                Err(Answer::refused(format!("{decision} is sealed: sealed-dice note {slot} {decision} FILE")))
            }
            Some(known) => Ok(view.ledger.has_decided(view.me, &slot, known)),
        }
    })?;
    if decided {
        return Ok(table
            .mail(signing, None)?
            .saying(format!("{decision} is decided for {slot} already, and cannot be changed (decide 2)")));
    }
    let value = Value::from(value);
    table.sign(home, signing, |_| Ok(vec![Body::Decide(Decide { name: decision, slot, value })]))
}

/// What a decision that is awaited states, to be filled in; none, if it is a word.
fn choice_form(view: &View<'_, '_>, slot: &Slot) -> Told<Option<Answer>> {
    let Some((phase, course)) = course_of(view, slot) else { return Ok(None) };
    let state = view.ledger.course(phase).state;
    let form = state.map(|state| course.choice_form(&state)).transpose()?.flatten();
    Ok(form.map(Answer::done))
}

fn no_form() -> Answer {
    Answer::refused("there is nothing to fill in: type what you choose")
}

fn course_of<'v>(view: &View<'v, '_>, slot: &Slot) -> Option<(&'v Phase, &'v dyn Course)> {
    let (_, phase) = view.terms.slot(slot)?;
    Some((phase, phase.system.resolver().course()?))
}

/// The state for which orders are asked for, for a slot.
fn orders_state(view: &View<'_, '_>, slot: &Slot) -> Told<Object> {
    let state = course_of(view, slot).and_then(|(phase, _)| view.ledger.course(phase).state);
    match state.filter(|_| view.ledger.slots_to_order().contains(slot)) {
        Some(state) => Ok(state),
        None => Err(Answer::refused(format!(
            "{slot} does not ask for orders now: what comes before it is not settled, or it is declared; `sealed-dice game status` shows what is owed"
        ))),
    }
}

/// What a note of a course says, in its one form: orders, or a standing note. Any other note is a text.
fn says(view: &View<'_, '_>, slot: &Slot, called: &Name, file: &Path) -> Told<String> {
    let Some((_, course)) = course_of(view, slot) else { return read_text(file).map_err(Answer::unable) };
    match called.as_str() {
        courses::STANDING => {
            let says = turn(Some(file))?;
            course.check_standing(&says.read()?)?;
            Ok(says.as_str().to_owned())
        }
        courses::ORDERS if course.takes_orders() => {
            let orders =
                course.read_orders(&orders_state(view, slot)?, view.terms.role(view.me), &turn(Some(file))?.read()?)?;
            Ok(Text::of(&orders)?.as_str().to_owned())
        }
        _ => read_text(file).map_err(Answer::unable),
    }
}

/// That a note of a course which is meant to be obeyed will be (courses 7).
fn check_obeyed(view: &View<'_, '_>, slot: &Slot, called: &Name) -> Told<()> {
    if course_of(view, slot).is_none_or(|(_, course)| course.standing_form().is_none()) {
        return Ok(());
    }
    let (name, standing) = (called.as_str(), courses::STANDING);
    if name != standing && (name.starts_with("stan") || name.contains("tanding")) {
        return Err(Answer::refused(format!(
            "a note called {name} does nothing: only a note called {standing} is obeyed:  sealed-dice note {slot} {standing} FILE"
        )));
    }
    // A redo that is due obeys what is sealed before it.
    let again = view.ledger.waits_for_redo(slot).is_some_and(|(again, _)| again == slot);
    let mut declared = view.ledger.declarations();
    if name == standing && !again && declared.any(|declared| declared.valid && declared.declare.slot == *slot) {
        return Err(Answer::refused(format!(
            "{slot} is declared, and a standing note is too late for this turn: it does nothing. If something is asked of you, \
             `sealed-dice game status` shows it"
        )));
    }
    Ok(())
}

/// Orders, or a standing note, to be filled in.
fn note_form(view: &View<'_, '_>, slot: &Slot, called: &Name) -> Told<Answer> {
    check_obeyed(view, slot, called)?;
    let standing = course_of(view, slot).filter(|_| called.as_str() == courses::STANDING);
    if let Some(form) = standing.and_then(|(_, course)| course.standing_form()) {
        return Ok(Answer::done(form));
    }
    let takes = |(_, course): &(&Phase, &dyn Course)| course.takes_orders() && called.as_str() == courses::ORDERS;
    let (_, course) = course_of(view, slot).filter(takes).ok_or_else(no_form)?;
    Ok(Answer::done(course.orders_form(&orders_state(view, slot)?, view.terms.role(view.me))?))
}

/// `note`: a sealed text for a slot, such as orders or recorded moves; nobody can read it before it is opened.
pub(in crate::cli) fn note(
    home: &Home,
    name: Option<&str>,
    (slot, called): (&str, &str),
    file: Option<&Path>,
    signing: &Signing,
) -> Told<Answer> {
    let (slot, called) = (parse_slot(slot)?, parse_name(called)?);
    let purpose = format!("{slot}/{called}");
    let table = Table::find(home, name, |table| table.has_slot(&slot))?;
    let Some(file) = file else { return table.view(|view| note_form(view, &slot, &called)) };
    let _lock = table.folder.lock()?;
    if table.view(|view| Ok(view.sealed(SetKind::Note, &purpose)))? {
        return Ok(table
            .mail(signing, None)?
            .saying(format!("a note {purpose} is sealed already, and cannot be changed")));
    }
    if table.terms.slot(&slot).is_none() {
        return Err(Answer::refused(format!("{slot} is no slot of this game")));
    }
    table.view(|view| check_obeyed(view, &slot, &called))?;
    let text = table.view(|view| says(view, &slot, &called, file))?;
    table.sign_with_key(
        home,
        signing,
        |_| signing.check_page(home),
        |_, seat| Ok(vec![Body::Seal(seat.seal(SetKind::Note, &purpose, 1, fresh()?, Some(&text))?)]),
    )
}

pub(super) fn parse_slot(text: &str) -> Told<Slot> {
    Slot::parse(text).ok_or_else(|| {
        Answer::refused(format!("{text:?} is no slot; a slot is turn/impulse/phase/number, like 1/1/ann-first/1"))
    })
}

pub(super) fn parse_name(text: &str) -> Told<Name> {
    Name::parse(text).ok_or_else(|| {
        Answer::refused(format!(
            "{text:?} is no name; names are small letters, digits and hyphens, beginning with a letter"
        ))
    })
}
