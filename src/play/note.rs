//! `note`: seals a text, such as orders for a slot, and prints the form for one.

use std::collections::{BTreeMap, HashSet};

use super::{
    decide::{course_of, no_form},
    failure::{Failure, PlayResult},
    form::Form,
    handed::Handed,
    lists::turn,
    locked::Locked,
    named::{parse_name, parse_slot},
    session::Session,
    shown::Shown,
    table::{Table, View},
};
use crate::{
    blob::{
        Body,
        body::{Hex32, Name, Role, SetKind, Slot},
        json::{self, Text, Value},
    },
    game::{
        node::Past,
        purpose::{ORDERS, STANDING},
        rules::{
            correct,
            course::{self, Awaited},
        },
        schedule,
        steps::Signer,
        terms::{Phase, Player},
    },
    keep::{random::fresh, texts::TextFile},
    limits::NOTE_STEP,
    report::{inputs, text::visible},
    resolve::{Course, Object, Place},
};

/// Returns the state that a slot's orders are based on.
fn orders_state(view: &View<'_, '_>, slot: &Slot) -> PlayResult<Object> {
    let state = course_of(view, slot).and_then(|(phase, _)| course::reached(view.ledger, phase, Past::ALL).state);
    match state.filter(|_| schedule::slots_to_order(view.ledger).contains(slot)) {
        Some(state) => Ok(state),
        None => Err(Failure::refused(format!(
            "{slot} cannot take orders now: an earlier slot is not settled yet, or this one is already declared; \
             `sealed-dice game status` shows what to do next"
        ))),
    }
}

/// A note's text before it is sealed.
struct Written {
    text: String,
    /// The number of bytes that the text is padded to.
    bytes: usize,
    /// The text as its author sees it before they seal it.
    lines: Vec<String>,
}

/// Returns a course's note (orders or a standing note) with its canonical content. Any other note is plain text.
fn written(view: &View<'_, '_>, slot: &Slot, called: &Name, file: &TextFile) -> PlayResult<Written> {
    let free = || {
        let lines = file.text.lines().map(visible).collect();
        Ok(Written { text: file.text.clone(), bytes: NOTE_STEP, lines })
    };
    let Some((phase, course)) = course_of(view, slot) else { return free() };
    let (says, state, lines) = match called.as_str() {
        STANDING => {
            let says = turn(Some(file))?;
            let wishes = says.read()?;
            course.check_standing(&wishes)?;
            // A standing note may be sealed even when there is no state.
            let state = course::reached(view.ledger, phase, Past::ALL).state;
            let lines = in_words(&wishes);
            (says, state.map_or_else(|| view.terms.begin(phase), Ok)?, lines)
        }
        ORDERS if course.takes_orders() => {
            let state = orders_state(view, slot)?;
            let me = view.terms.role(view.me);
            let orders = course.read_orders(&state, me, &turn(Some(file))?.read()?)?;
            let lines = course.orders_in_words(&state, me, &orders)?;
            (Text::of(&orders)?, state, lines)
        }
        _ => return free(),
    };
    let (has, bytes) = (says.as_str().len(), course.note_bytes(&state)?);
    if has >= bytes {
        return Err(Failure::refused(format!(
            "the note has {has} bytes, but a note in this system has room for only {}: a longer note would reveal that \
             you have much to say. Leave something out",
            bytes - 1
        )));
    }
    Ok(Written { text: says.as_str().to_owned(), bytes, lines })
}

/// Lists the wishes of a standing note, each whole.
fn in_words(wishes: &Object) -> Vec<String> {
    let said = |value: &Value| match value.as_array() {
        Some(items) => items.iter().map(inputs::value).collect::<Vec<_>>().join(", "),
        None => inputs::value(value),
    };
    wishes.iter().map(|(name, value)| format!("{}: {}", visible(name), said(value))).collect()
}

/// Checks that a course will obey a note that is meant for it (courses 14).
fn check_obeyed(view: &View<'_, '_>, slot: &Slot, called: &Name) -> PlayResult<()> {
    if course_of(view, slot).is_none_or(|(_, course)| !course.takes_standing_notes()) {
        return Ok(());
    }
    let (name, standing) = (called.as_str(), STANDING);
    if name != standing && (name.starts_with("stan") || name.contains("tanding")) {
        return Err(Failure::refused(format!(
            "a note called {name} has no effect, because only a note called {standing} is obeyed:  sealed-dice note \
             {slot} {standing} FILE"
        )));
    }
    // A redo that is due obeys notes that are sealed before it.
    let again = correct::waits_for_redo(view.ledger, slot).is_some_and(|(again, _)| again == slot);
    let mut declared = view.ledger.declarations();
    if name == standing && !again && declared.any(|declared| declared.valid && declared.declare.slot == *slot) {
        return Err(Failure::refused(format!(
            "{slot} is already declared, so a standing note is too late for this turn and would have no effect. \
             `sealed-dice game status` shows any decision that you must make"
        )));
    }
    Ok(())
}

/// Returns the form for a standing note; none if the slot asks this player nothing that a note answers.
fn standing_form(view: &View<'_, '_>, slot: &Slot) -> Option<String> {
    let (phase, course) = course_of(view, slot)?;
    let declarer = match course::awaited(view.ledger, phase, &course::reached(view.ledger, phase, Past::ALL)) {
        Some(Awaited::Turn(place, by) | Awaited::More(place, by)) => {
            by.filter(|_| view.terms.place(&place) == view.terms.place(slot))
        }
        _ => None,
    };
    course.standing_form(view.terms.role(view.me), declarer.as_ref())
}

/// Returns a form for orders, or for a standing note.
fn note_form(view: &View<'_, '_>, slot: &Slot, called: &Name) -> PlayResult<Form> {
    check_obeyed(view, slot, called)?;
    let takes_standing = |(_, course): &(&Phase, &dyn Course)| course.takes_standing_notes();
    if called.as_str() == STANDING && course_of(view, slot).as_ref().is_some_and(takes_standing) {
        let form = standing_form(view, slot).ok_or_else(|| {
            Failure::refused(format!("{slot} asks you nothing that a standing note answers: leave it out"))
        })?;
        let names = course_of(view, slot).map(|(phase, _)| names_so_far(view, phase)).unwrap_or_default();
        return Ok(Form::open(names + &form));
    }
    let takes = |(_, course): &(&Phase, &dyn Course)| course.takes_orders() && called.as_str() == ORDERS;
    let (_, course) = course_of(view, slot).filter(takes).ok_or_else(no_form)?;
    Ok(Form::open(course.orders_form(&orders_state(view, slot)?, view.terms.role(view.me))?))
}

/// Returns a form for a slot's orders, or standing note, without signing anything.
///
/// # Errors
/// If the slot does not ask for such a note.
pub fn form(session: &Session<'_>, name: Option<&str>, (slot, called): (&str, &str)) -> PlayResult<Form> {
    let (slot, called) = (parse_slot(slot)?, parse_name(called)?);
    Table::find(session, name, |table| table.has_slot(&slot))?.view(|view| note_form(view, &slot, &called))
}

/// Returns the slots for which the player may say beforehand what they would choose, and has not done so yet.
pub(super) fn standing_slots(view: &View<'_, '_>) -> Vec<Slot> {
    let is_open = |slot: &Slot| {
        view.ledger.sealed(view.me, SetKind::Note, &format!("{slot}/{STANDING}")).is_none()
            && Name::parse(STANDING).is_some_and(|called| check_obeyed(view, slot, &called).is_ok())
            && standing_form(view, slot).is_some()
    };
    schedule::slots_for_standing_notes(view.ledger).into_iter().filter(is_open).collect()
}

/// Seals a text for a slot, such as orders or recorded moves; nobody can read it before it is opened.
///
/// # Errors
/// If the note would have no effect, another text is sealed there already, or the player does not sign.
pub fn note(
    session: &Session<'_>,
    name: Option<&str>,
    (slot, called): (&str, &str),
    file: &TextFile,
) -> PlayResult<Handed> {
    let (slot, called) = (parse_slot(slot)?, parse_name(called)?);
    let purpose = format!("{slot}/{called}");
    let table = Locked::find(session, name, |table| table.has_slot(&slot))?;
    if let Some(sealed) = table.view(|view| Ok(view.ledger.sealed(view.me, SetKind::Note, &purpose)))? {
        let keys = session.unlock()?;
        let is_same = table.view(|view| {
            let old = sealed_text(view, &table.signer(view.ledger, &keys), &sealed);
            let now = written(view, &slot, &called, file).ok().map(|written| written.text);
            Ok(old.is_some() && old == now)
        })?;
        return match is_same {
            true => Ok(table.mail(None)?.saying(format!("the note {purpose} is already sealed and cannot be changed"))),
            false => Err(Failure::refused(format!(
                "the note {purpose} is already sealed with another text and cannot be changed: the new text is NOT \
                 USED; `sealed-dice resend` prints the mail with the sealed note again"
            ))),
        };
    }
    if table.terms.slot(&slot).is_none() {
        return Err(Failure::refused(format!(
            "{slot} is not a slot in this game; `sealed-dice game terms` shows its phases"
        )));
    }
    table.view(|view| view.check_running(&table))?;
    table.view(|view| check_obeyed(view, &slot, &called))?;
    let Written { text, bytes, lines: read } = table.view(|view| written(view, &slot, &called, file))?;
    let use_of = table.view(|view| {
        let wishes = wishes(view, &slot, &called, &text);
        Ok(use_of(view, &slot, &called).into_iter().chain(wishes).collect::<Vec<String>>())
    })?;
    let mut lines = vec!["only you can read this for now:".to_owned()];
    lines.extend(read.iter().map(|line| format!("  {line}")));
    lines.extend(use_of.iter().cloned());
    table.sign_with_key_showing(
        session,
        Shown { lines, mind: use_of, ..Shown::default() },
        |_| session.check_page(),
        |view, pen| Ok(vec![Body::Seal(pen.signer().seal_note(view.terms, &purpose, fresh()?, &text, bytes)?)]),
    )
}

/// Returns the text of a sealed note by this player, if their key opens it.
fn sealed_text(view: &View<'_, '_>, signer: &Signer, sealed: &Hex32) -> Option<String> {
    let (set, master) = (view.ledger.set(sealed)?, signer.master(view.ledger, sealed)?);
    let key = set.context.key(&master, Place { index: 0, line: 0 });
    let note = set.seal.notes.as_ref().and_then(|notes| notes.first())?;
    set.context.open_note(&key, &note.0).ok()
}

/// Warns a player about a standing note that may have less effect than they expect: an empty form, or names that nobody
/// has stated so far, which are mistyped or come later.
fn wishes(view: &View<'_, '_>, slot: &Slot, called: &Name, text: &str) -> Vec<String> {
    let is_standing = |(_, course): &(&Phase, &dyn Course)| course.takes_standing_notes();
    let course = course_of(view, slot).filter(|course| called.as_str() == STANDING && is_standing(course));
    let Some((phase, _)) = course else { return Vec::new() };
    let wishes = json::parse(text.as_bytes()).and_then(|tree| json::read::<Object>(&tree)).unwrap_or_default();
    if wishes.is_empty() {
        return vec![
            "WARNING: this note is empty, so you will be asked for every decision. In the form that --form prints, \
             remove the # from the lines that you fill in"
                .into(),
        ];
    }
    let known = stated_names(view, phase);
    let wished = wishes.values().filter_map(Value::as_array).flatten().filter_map(Value::as_str);
    let unknown: Vec<String> = wished.filter(|name| !known.contains(*name)).map(visible).collect();
    match known.is_empty() || unknown.is_empty() {
        true => Vec::new(),
        false => vec![format!(
            "WARNING: these names are not in any roster so far: {}. Check the spelling: a misspelled name never counts",
            unknown.join(", ")
        )],
    }
}

/// The names in a roster, by kind.
type Names = BTreeMap<String, Vec<String>>;

/// Returns the rosters that the players have stated in a course, in the order of the replay.
fn rosters(view: &View<'_, '_>, phase: &Phase) -> Vec<(Player, Names)> {
    let is_of_course = |slot: &Slot| {
        let of = view.terms.slot(slot).map(|(_, of)| of.system.name());
        of == Some(phase.system.name())
    };
    let declared = view.ledger.declarations().filter(|declared| declared.valid && is_of_course(&declared.declare.slot));
    let roster = declared.filter_map(|declared| {
        let input = declared.declare.input.read::<Object>().ok()?;
        let kinds = input.get("roster")?.as_object()?.iter().map(|(kind, entries)| {
            let entries = entries.as_array().into_iter().flatten();
            (kind.clone(), entries.filter_map(|entry| Some(entry.get("name")?.as_str()?.to_owned())).collect())
        });
        Some((declared.node.player, kinds.collect()))
    });
    roster.collect()
}

/// Returns all names that the players have stated in a course.
fn stated_names(view: &View<'_, '_>, phase: &Phase) -> HashSet<String> {
    rosters(view, phase).into_iter().flat_map(|(_, kinds)| kinds.into_values().flatten()).collect()
}

/// Lists the names in both players' last rosters, as comments above a form; nothing before there is a roster.
fn names_so_far(view: &View<'_, '_>, phase: &Phase) -> String {
    let last: BTreeMap<&Role, Names> =
        rosters(view, phase).into_iter().map(|(player, kinds)| (view.terms.role(player), kinds)).collect();
    let mut text = String::new();
    for (role, kinds) in last {
        for (kind, names) in kinds.into_iter().filter(|(_, names)| !names.is_empty()) {
            text.push_str(&format!("# {role}'s {}: {}\n", visible(&kind), visible(&names.join("; "))));
        }
    }
    if text.is_empty() { text } else { format!("# The names in the last rosters:\n{text}\n") }
}

/// Warns a player about a note that the game itself does not ask for: it counts only together with a declaration, or
/// not at all.
fn use_of(view: &View<'_, '_>, slot: &Slot, called: &Name) -> Option<String> {
    let (key, phase) = view.terms.slot(slot)?;
    let mut decisions = phase.decisions.iter().filter(|own| own.by.is_sealed() && own.by.includes(view.me));
    let is_standing = |(_, course): (&Phase, &dyn Course)| called.as_str() == STANDING && course.takes_standing_notes();
    if course_of(view, slot).is_some_and(is_standing) {
        return None;
    }
    let is_next = |player: Player| {
        let next = view.ledger.next_number(player, slot);
        next == slot.number && (view.terms.is_of_course(slot) || view.ledger.last_slot(player) < Some(key))
    };
    let is_coming = phase.declarer.is_none_or(is_next);
    if is_coming && decisions.clone().any(|decision| decision.name == *called) {
        return None;
    }
    let names: Vec<&str> = decisions.by_ref().map(|decision| decision.name.as_str()).collect();
    let listed = match names.as_slice() {
        [] => String::new(),
        names => format!("; the choices that you seal for this slot are called {}", names.join(", ")),
    };
    Some(match is_coming && phase.may_be_declared_by(view.me) && phase.hidden().is_none() {
        true => format!("note: this counts only if you declare {slot} with --moves-note {called}{listed}"),
        false => format!(
            "WARNING: the game never uses a note called {called} from you for {slot}: it stays sealed until the \
             close{listed}"
        ),
    })
}
