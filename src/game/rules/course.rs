//! The position of a course, its state there, and the step that it awaits (`protocol/courses.md` 3 to 6, 12 to 14).

use std::sync::Arc;

use crate::{
    blob::{
        Body,
        body::{Hex32, Name, Role, Slot},
        disputes::Claim,
        json::Text,
    },
    error::{Result, bail, ensure},
    game::{
        declaration::{Declaration, Opened, Resolved},
        ledger::Ledger,
        node::{Node, Past},
        opening::NOTE,
        set::Set,
        terms::{Phase, Player},
    },
    resolve::{Account, AllowedAnswers, Awaits, Course, Listed, Object, Outcome},
    rule::Rule,
};

/// The position of a course, as far as the letters in a past show it.
pub struct Reached {
    /// The letter at which the course stands.
    pub(crate) at: Option<Hex32>,
    /// The last declaration taken.
    pub last: Option<Hex32>,
    /// The state; `None` while the last declaration taken is not settled.
    pub state: Option<Object>,
    /// The standing note that is due: its opening gives the answer that the state awaits (courses 13).
    due: Option<Hex32>,
}

/// The step that a course awaits.
pub(crate) enum Awaited {
    /// A declaration in this place, with its number left open, and its declarer if the state determines one.
    Turn(Slot, Option<Role>),
    /// Another declaration in the last declared place, and its declarer if the state determines one.
    More(Slot, Option<Role>),
    /// A decision on the last declaration taken.
    Decision(Choice),
}

/// A decision that a course awaits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The declaration that the decision is about.
    pub on: Hex32,
    /// Slot of the declaration that the decision is about.
    pub slot: Slot,
    /// Name of the decision.
    pub name: Name,
    /// What the decision is about, for people.
    pub about: Option<String>,
    /// The role that makes the decision.
    pub by: Role,
    /// The answers that the decision allows.
    pub answers: AllowedAnswers,
    /// The standing note to open instead of signing the decision (courses 13).
    pub note: Option<Hex32>,
}

/// Finds where a course stands (courses 5).
#[must_use]
pub fn reached(ledger: &Ledger<'_>, phase: &Phase, past: Past<'_>) -> Reached {
    let system = phase.system.name();
    let (mut at, mut last) = set_out(ledger, system, past);
    while let Some(taken) = ledger.courses.made_after(system, at).find(|id| counts(ledger, id, past)) {
        at = Some(taken);
        if let Some(declaration) = ledger.declaration(&taken) {
            last = at;
            let Some(settled) = settled(ledger, declaration, past) else {
                return Reached { at, last, state: None, due: None };
            };
            at = Some(settled);
        }
    }
    let (state, due) = state_at(ledger, phase, at, last, past).unzip();
    Reached { at, last, state, due: due.flatten() }
}

/// Returns where the search for the position of a course can begin: the `after` of the last declaration that was
/// certainly taken, and the declaration taken before it. A valid declaration was certainly taken if it knows every
/// letter that could have taken back an earlier one.
fn set_out(ledger: &Ledger<'_>, system: &str, past: Past<'_>) -> (Option<Hex32>, Option<Hex32>) {
    let disturbing: Vec<&Node> = ledger.courses.disturbing.iter().copied().filter(|by| past.has(by)).collect();
    let knows_all = |found: &&Declaration<'_>| {
        let knows = |by: &&Node| by.id() == found.id() || found.node.has_in_past(by);
        counts(ledger, &found.id(), past) && disturbing.iter().all(knows)
    };
    let mut declared = ledger.courses.declared(system).iter().rev().filter_map(|id| ledger.declaration(id));
    declared.find(knows_all).map(|found| (found.declare.after, found.plan.before)).unwrap_or_default()
}

/// Whether a valid declaration or decision is known, and known to be neither replaced nor void.
fn counts(ledger: &Ledger<'_>, id: &Hex32, past: Past<'_>) -> bool {
    match ledger.declaration(id) {
        Some(own) => past.has(&own.node) && !own.is_replaced(past) && !ledger.any_void(id, past),
        None => ledger.courses.decided.get(id).is_some_and(|decided| past.has(decided.node)),
    }
}

/// Returns the letter at which a course stands after a declaration, once that is settled (courses 3).
pub(crate) fn settled(ledger: &Ledger<'_>, own: &Declaration<'_>, past: Past<'_>) -> Option<Hex32> {
    let is_forfeited = own.is_forfeited(past);
    if is_forfeited && ledger.terms.hidden_at(&own.declare.slot).is_none() {
        return own.named_by.filter(|named| ledger.nodes.get(named).is_some_and(|named| past.has(named)));
    }
    (is_forfeited || ledger.is_answered(own, past)).then_some(own.id())
}

/// Whether the players know the result of a declaration: it is shown or, in a hidden course, settled (hidden 3).
pub(crate) fn is_told(ledger: &Ledger<'_>, own: &Declaration<'_>, past: Past<'_>) -> bool {
    match ledger.terms.hidden_at(&own.declare.slot) {
        Some(_) => settled(ledger, own, past).is_some(),
        None => ledger.is_shown(own, past),
    }
}

/// Returns the state at the position of a course, and the standing note that is due there.
fn state_at(
    ledger: &Ledger<'_>,
    phase: &Phase,
    at: Option<Hex32>,
    last: Option<Hex32>,
    past: Past<'_>,
) -> Option<(Object, Option<Hex32>)> {
    let course = phase.course()?;
    let mut state = match at {
        None => ledger.terms.begin(phase).ok()?,
        Some(at) => Arc::unwrap_or_clone(state_behind(ledger, at)?),
    };
    let last = last.and_then(|id| ledger.declaration(&id));
    let Some(last) = last.filter(|last| !last.standing().is_empty()) else { return Some((state, None)) };
    let notes = spoken(ledger, last, past);
    while let Some((_, next)) = wished(course, &notes, &state, &mut Account::none()) {
        state = next;
    }
    let due = match course.awaits(&state).ok()? {
        Awaits::Decision { by, .. } => note_of(ledger, last, &by).filter(|note| !note.is_opened(NOTE, past)),
        Awaits::Turn(_) | Awaits::More(_) => None,
    };
    Some((state, due.map(Set::id)))
}

/// Returns the role's standing note that a declaration found.
fn note_of<'l, 'a>(ledger: &'l Ledger<'a>, own: &Declaration<'_>, by: &Role) -> Option<&'l Set<'a>> {
    let mut found = own.standing().iter().filter_map(|note| ledger.sets.get(note));
    found.find(|note| ledger.terms.role(note.node.player) == by)
}

/// Returns the contents of the opened standing notes that a declaration found, by role (courses 14).
fn spoken(ledger: &Ledger<'_>, own: &Declaration<'_>, past: Past<'_>) -> Vec<(Role, Object)> {
    let is_opened = |seal: &&Hex32| ledger.sets.get(seal).is_some_and(|note| note.is_opened(NOTE, past));
    ledger.say(&own.standing().iter().filter(is_opened).copied().collect::<Vec<_>>())
}

/// Returns the state that follows if an opened standing note makes the awaited decision, and the sealer of that note
/// (courses 14).
fn wished(
    course: &dyn Course,
    notes: &[(Role, Object)],
    state: &Object,
    account: &mut Account,
) -> Option<(Role, Object)> {
    let Awaits::Decision { name, by, .. } = course.awaits(state).ok().filter(|_| !notes.is_empty())? else {
        return None;
    };
    let (_, says) = notes.iter().find(|(role, _)| *role == by)?;
    let value = course.wished(state, says.get(&name)?)?;
    let decided = course.decide(state, &name, &value, account).ok()?;
    Some((by, decided.state))
}

/// Returns the state after a letter that was taken, not counting notes.
fn state_behind(ledger: &Ledger<'_>, letter: Hex32) -> Option<Arc<Object>> {
    if let Some(kept) = ledger.courses.kept(letter) {
        return Some(kept);
    }
    let state = match ledger.courses.decided.get(&letter) {
        Some(decided) => decided.state.read().ok()?,
        None => outcome_at(ledger, &letter, &mut Account::none())?.state,
    };
    let state = Arc::new(state);
    ledger.courses.keep(letter, Arc::clone(&state));
    Some(state)
}

/// Returns the outcome of a declaration at its own letter, or at the claim that named its dice.
fn outcome_at(ledger: &Ledger<'_>, letter: &Hex32, account: &mut Account) -> Option<Outcome> {
    let resolved = match ledger.body(letter)? {
        Body::Claim(Claim::Names(names)) => {
            let own = ledger.declaration(&names.declaration)?;
            own.resolve_named(ledger.terms, &ledger.say(own.orders()), &names.dice, account).ok()?
        }
        _ => dice_of(ledger, ledger.declaration(letter)?, account)?,
    };
    Some(resolved.0)
}

/// Resolves a valid declaration, forfeited or not, with the available keys. In a hidden course, this gives the public
/// result, which does not depend on the dice.
pub(crate) fn dice_of(ledger: &Ledger<'_>, own: &Declaration<'_>, account: &mut Account) -> Option<Resolved> {
    if ledger.terms.hidden_at(&own.declare.slot).is_some() {
        return own.resolve(ledger.terms, &[], &mut Listed::new(&[]), account).ok();
    }
    let mut source = Opened::of(own, &ledger.sets, &|_| None)?;
    own.resolve(ledger.terms, &ledger.say(own.orders()), &mut source, account).ok()
}

/// Returns what a valid declaration in a hidden course states, one line per step for people. Empty for other
/// declarations, whose results need dice.
#[must_use]
pub(crate) fn stated(ledger: &Ledger<'_>, declaration: &Hex32) -> Vec<String> {
    let is_hidden = |own: &&Declaration<'_>| own.valid && ledger.terms.hidden_at(&own.declare.slot).is_some();
    let mut account = Account::kept();
    let own = ledger.declaration(declaration).filter(is_hidden);
    own.and_then(|own| dice_of(ledger, own, &mut account)).map(|_| account.into_lines()).unwrap_or_default()
}

/// Returns the public result of a declaration that is shown. It is recomputed on every call, because it can be a
/// hundred times as long as the declaration.
#[must_use]
pub fn public(ledger: &Ledger<'_>, declaration: &Hex32) -> Option<Text> {
    let declared = ledger.declaration(declaration).filter(|declared| declared.outcome.is_some())?;
    let letter = declared.named_by.unwrap_or(*declaration);
    outcome_at(ledger, &letter, &mut Account::none()).map(|outcome| outcome.public)
}

/// Returns the steps that led to a declaration's result in a course, and then each decision on it, given all available
/// letters: the letters, each with one line per step for people. Empty while the declaration is not settled.
#[must_use]
pub fn turn(ledger: &Ledger<'_>, declaration: &Hex32) -> Vec<(Hex32, Vec<String>)> {
    turn_of(ledger, declaration).unwrap_or_default()
}

fn turn_of(ledger: &Ledger<'_>, declaration: &Hex32) -> Option<Vec<(Hex32, Vec<String>)>> {
    let own = ledger.declaration(declaration).filter(|own| own.valid)?;
    let phase = ledger.terms.phase_at(&own.declare.slot)?;
    let (course, system) = (phase.course()?, phase.system.name());
    let mut at = settled(ledger, own, Past::ALL)?;
    let mut account = Account::kept();
    let mut state = outcome_at(ledger, &at, &mut account)?.state;
    let mut turn = vec![(*declaration, account.into_lines())];
    let notes = spoken(ledger, own, Past::ALL);
    loop {
        let mut account = Account::kept();
        let letter = if let Some((by, next)) = wished(course, &notes, &state, &mut account) {
            state = next;
            note_of(ledger, own, &by)?.id()
        } else {
            account = Account::kept();
            let mut made = ledger.courses.made_after(system, Some(at));
            let Some(decided) = made.find_map(|id| ledger.courses.decided.get(&id)) else { break };
            let Ok(next) = course.decide(&state, decided.decide.name.as_str(), &decided.decide.value, &mut account)
            else {
                break;
            };
            (at, state) = (decided.node.id(), next.state);
            at
        };
        match turn.last_mut().filter(|(last, _)| *last == letter) {
            Some((_, lines)) => lines.extend(account.into_lines()),
            None => turn.push((letter, account.into_lines())),
        }
    }
    Some(turn)
}

/// Returns the steps of one letter in a course: a declaration, a decision, or the seal of a standing note.
#[must_use]
pub fn explained(ledger: &Ledger<'_>, letter: &Hex32) -> Vec<String> {
    let slot = match ledger.body(letter) {
        Some(Body::Decide(decide)) => Some(decide.slot.clone()),
        Some(Body::Seal(_)) => ledger.sets.get(letter).and_then(|set| ledger.note_slot(set)),
        Some(Body::Declare(declare)) => Some(declare.slot.clone()),
        _ => None,
    };
    let on = slot.and_then(|slot| ledger.declared_slots.get(&slot)).into_iter().flatten();
    let mut turns = on.flat_map(|node| turn(ledger, &node.id()));
    turns.find(|(id, _)| id == letter).map(|(_, steps)| steps).unwrap_or_default()
}

/// Returns the step that a course awaits at its position; `None` while there is no state.
pub(crate) fn awaited(ledger: &Ledger<'_>, phase: &Phase, reached: &Reached) -> Option<Awaited> {
    let declared = reached.last.and_then(|id| ledger.declaration(&id)).map(|last| &last.declare.slot);
    match phase.course()?.awaits(reached.state.as_ref()?).ok()? {
        Awaits::Turn(by) => Some(Awaited::Turn(ledger.terms.next_place(phase, declared)?, by)),
        Awaits::More(by) => Some(Awaited::More(declared?.clone(), by)),
        Awaits::Decision { name, about, by, answers } => {
            let (on, slot, name) = (reached.last?, declared?.clone(), Name::parse(&name)?);
            Some(Awaited::Decision(Choice { on, slot, name, about, by, answers, note: reached.due }))
        }
    }
}

/// Checks that a course awaits a declaration of a slot from a player (declare 14).
pub(crate) fn check_awaited(ledger: &Ledger<'_>, awaited: &Awaited, player: Player, slot: &Slot) -> Result<()> {
    let terms = ledger.terms;
    let (place, by) = match awaited {
        Awaited::Turn(place, by) | Awaited::More(place, by) => (place, by),
        Awaited::Decision(Choice { name, by, .. }) => {
            bail!(Rule::Declare14, "the course is waiting for {by} to decide {name}")
        }
    };
    let is_next = terms.place(place) == terms.place(slot);
    ensure!(is_next, Rule::Declare14, "{slot} is not next in the course");
    let declarer = terms.phase_at(place).and_then(|phase| phase.declarer);
    let is_named = declarer.is_some() || by.as_ref() == Some(terms.role(player));
    ensure!(is_named, Rule::Declare14, "the course's state names another declarer");
    Ok(())
}

/// Checks that a slot comes before the front of a course: the place that it awaits, or the last declared one (declare
/// 17, 18).
pub(crate) fn check_front(ledger: &Ledger<'_>, rule: Rule, course: &Phase, slot: &Slot, past: Past<'_>) -> Result<()> {
    let reached = reached(ledger, course, past);
    let front = match awaited(ledger, course, &reached) {
        Some(Awaited::Turn(place, _)) => Some(place),
        _ => reached.last.and_then(|id| ledger.declaration(&id)).map(|last| last.declare.slot.clone()),
    };
    if let Some(Slot { turn, impulse, phase, .. }) =
        front.filter(|front| ledger.terms.place(slot) >= ledger.terms.place(front))
    {
        bail!(rule, "{turn}/{impulse}/{phase} comes before {slot} and is still open: play it first");
    }
    Ok(())
}

/// Returns the declarations that a course has taken, last one first (courses 6).
pub(crate) fn taken<'l, 'a>(
    ledger: &'l Ledger<'a>,
    phase: &Phase,
    past: Past<'_>,
) -> impl Iterator<Item = &'l Declaration<'a>> + use<'l, 'a> {
    let last = reached(ledger, phase, past).last.and_then(|id| ledger.declaration(&id));
    std::iter::successors(last, |own| ledger.declaration(&own.plan.before?))
}

/// Whether a declaration belongs to a course that has passed it over, given all available letters (courses 6).
#[must_use]
pub fn is_passed_over(ledger: &Ledger<'_>, own: &Declaration<'_>) -> bool {
    let phase = ledger.terms.course_at(&own.declare.slot);
    phase.is_some_and(|phase| taken(ledger, phase, Past::ALL).all(|taken| taken.id() != own.id()))
}

/// Whether a declaration is outside courses or is the last one taken (courses 10).
#[must_use]
pub fn is_taken_last(ledger: &Ledger<'_>, own: &Declaration<'_>, past: Past<'_>) -> bool {
    let phase = ledger.terms.course_at(&own.declare.slot);
    phase.is_none_or(|phase| reached(ledger, phase, past).last == Some(own.id()))
}

/// Returns the decisions that the courses await.
#[must_use]
pub fn choices(ledger: &Ledger<'_>, past: Past<'_>) -> Vec<Choice> {
    let awaited = ledger.terms.courses().filter_map(|(phase, _)| awaited(ledger, phase, &reached(ledger, phase, past)));
    let choices = awaited.filter_map(|awaited| match awaited {
        Awaited::Decision(choice) => Some(choice),
        Awaited::Turn(..) | Awaited::More(..) => None,
    });
    choices.collect()
}

/// Returns the decisions that the courses await as open letters, given all available letters.
#[must_use]
pub fn awaited_choices(ledger: &Ledger<'_>) -> Vec<Choice> {
    choices(ledger, Past::ALL).into_iter().filter(|choice| choice.note.is_none()).collect()
}

/// Whether a standing note is due (courses 13).
pub(crate) fn is_standing_due(ledger: &Ledger<'_>, seal: &Hex32, past: Past<'_>) -> bool {
    choices(ledger, past).iter().any(|choice| choice.note.as_ref() == Some(seal))
}
