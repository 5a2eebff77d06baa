//! Where a course stands, and its state there (`protocol/courses.md` 4 to 6, 14).

use std::{
    cell::RefCell,
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use super::{
    charter::Phase,
    declarations::Declaration,
    ledger::Ledger,
    order::{Node, Played},
    seals::Set,
    secrets::NOTE,
};
use crate::{
    blob::{
        Body,
        body::{Decide, Hex32, Redo, Role, Slot},
        disputes::Claim,
        json::Text,
    },
    error::Result,
    resolve::{Account, Awaits, Course, Object, Outcome},
};

/// How many states are kept, the last that were asked for.
const KEPT: usize = 32;

/// What was declared and decided in the courses of a game.
#[derive(Default)]
pub(super) struct Courses<'a> {
    /// The valid declarations of each system, in the order of replay.
    declared: HashMap<&'static str, Vec<Hex32>>,
    /// The valid declarations and decisions of each system, by their `after`.
    made: HashMap<(&'static str, Option<Hex32>), Vec<Hex32>>,
    decided: HashMap<Hex32, Decided<'a>>,
    /// Letters that may take back what was made without them: redos, voids, forfeits.
    disturbing: Vec<&'a Node>,
    /// What letters came to, the last ones at the end.
    states: RefCell<VecDeque<(Hex32, Arc<Object>)>>,
}

/// A valid decision, with the state that it came to.
struct Decided<'a> {
    node: Played<'a>,
    decide: &'a Decide,
    state: Text,
}

impl<'a> Courses<'a> {
    /// A letter replaces, voids or forfeits something.
    pub(super) fn disturb(&mut self, by: &'a Node) {
        self.disturbing.push(by);
    }

    /// Takes a valid declaration.
    pub(super) fn declare(&mut self, system: &'static str, id: Hex32, after: Option<Hex32>) {
        self.declared.entry(system).or_default().push(id);
        self.made.entry((system, after)).or_default().push(id);
    }

    /// Takes a valid decision, and the state that it comes to.
    pub(super) fn decide(
        &mut self,
        system: &'static str,
        node: Played<'a>,
        decide: &'a Decide,
        state: &Object,
    ) -> Result<()> {
        let state = Text::of(state)?;
        self.made.entry((system, decide.after)).or_default().push(node.id());
        self.decided.insert(node.id(), Decided { node, decide, state });
        Ok(())
    }

    /// Whether a letter is a valid decision of a course.
    pub(super) fn is_decision(&self, id: &Hex32) -> bool {
        self.decided.contains_key(id)
    }

    /// Valid declarations of a system, in the order of replay.
    pub(super) fn declared(&self, system: &str) -> &[Hex32] {
        self.declared.get(system).map_or(&[], Vec::as_slice)
    }

    fn made_after(&self, system: &'static str, at: Option<Hex32>) -> impl Iterator<Item = Hex32> {
        self.made.get(&(system, at)).into_iter().flatten().copied()
    }

    /// Keeps what a letter came to: a course is asked for it again and again.
    pub(super) fn keep(&self, letter: Hex32, state: Arc<Object>) {
        let mut states = self.states.borrow_mut();
        states.retain(|(kept, _)| *kept != letter);
        if states.len() >= KEPT {
            states.pop_front();
        }
        states.push_back((letter, state));
    }
}

/// A course as far as some letters know.
pub struct Reached {
    /// The letter at which it stands.
    pub(super) at: Option<Hex32>,
    /// The declaration that was taken last.
    pub last: Option<Hex32>,
    /// The state; none while the declaration that was taken last is not settled.
    pub state: Option<Object>,
    /// The standing note that is due: its opening answers what the state awaits (courses 13).
    pub(super) due: Option<Hex32>,
}

impl<'a> Ledger<'a> {
    /// A course with all letters at hand.
    #[must_use]
    pub fn course(&self, phase: &Phase) -> Reached {
        self.reached(phase, &|_: &Node| true)
    }

    /// What a letter of a slot names in `after`, with all letters at hand (courses 4).
    #[must_use]
    pub fn after(&self, slot: &Slot, redo: Option<Redo>) -> Option<Hex32> {
        let (_, phase) = self.terms.slot(slot).filter(|_| self.is_of_course(slot))?;
        match self.replaced(redo).and_then(|old| self.declarations.get(&old)) {
            Some(old) => old.declare.after,
            None => self.course(phase).at,
        }
    }

    /// Where a course stands as far as letters that are known tell (courses 5).
    pub(super) fn reached(&self, phase: &Phase, known: &impl Fn(&Node) -> bool) -> Reached {
        let system = phase.system.name();
        let (mut at, mut last) = self.set_out(system, known);
        while let Some(taken) = self.courses.made_after(system, at).find(|id| self.counts(id, known)) {
            at = Some(taken);
            if let Some(declaration) = self.declarations.get(&taken) {
                last = at;
                let Some(settled) = self.settled_if(declaration, known) else {
                    return Reached { at, last, state: None, due: None };
                };
                at = Some(settled);
            }
        }
        let (state, due) = self.state_at(phase, at, last, known).unzip();
        Reached { at, last, state, due: due.flatten() }
    }

    /// A place on the way to where a course stands, and the declaration before it: a declaration that knows every letter
    /// that might have taken back something on its own way was taken there.
    fn set_out(&self, system: &str, known: &impl Fn(&Node) -> bool) -> (Option<Hex32>, Option<Hex32>) {
        let disturbing: Vec<&Node> = self.courses.disturbing.iter().copied().filter(|by| known(by)).collect();
        let knows_all = |found: &&Declaration<'_>| {
            let knows = |by: &&Node| by.id() == found.node.id() || found.node.has_in_past(by);
            self.counts(&found.node.id(), known) && disturbing.iter().all(knows)
        };
        let declared = self.courses.declared(system).iter().rev().filter_map(|id| self.declarations.get(id));
        declared.into_iter().find(knows_all).map(|found| (found.declare.after, found.before)).unwrap_or_default()
    }

    /// Whether a valid declaration or decision is known, and known to be neither replaced nor void.
    fn counts(&self, id: &Hex32, known: &impl Fn(&Node) -> bool) -> bool {
        match (self.declarations.get(id), self.courses.decided.get(id)) {
            (Some(declaration), _) => {
                known(&declaration.node)
                    && !declaration.replaced_by.iter().any(|redo| known(redo))
                    && !self.any_void(id, known)
            }
            (None, Some(decided)) => known(&decided.node),
            (None, None) => false,
        }
    }

    /// The letter at which a course stands behind a declaration, once that is settled as far as letters that are known tell
    /// (courses 3).
    pub(super) fn settled_if(&self, declaration: &Declaration<'_>, known: &impl Fn(&Node) -> bool) -> Option<Hex32> {
        let id = declaration.node.id();
        let forfeited = declaration.forfeits.iter().any(|forfeit| known(forfeit));
        if forfeited && !self.is_hidden(declaration.declare) {
            return declaration.named_by.filter(|named| self.nodes.get(named).is_some_and(|named| known(named)));
        }
        (forfeited || self.answered_if(declaration, known)).then_some(id)
    }

    /// The state where a course stands, and the standing note that is due there.
    fn state_at(
        &self,
        phase: &Phase,
        at: Option<Hex32>,
        last: Option<Hex32>,
        known: &impl Fn(&Node) -> bool,
    ) -> Option<(Object, Option<Hex32>)> {
        let course = phase.system.resolver().course()?;
        let mut state = match at {
            None => self.terms.begin(phase).ok()?,
            Some(at) => Arc::unwrap_or_clone(self.state_behind(at)?),
        };
        let Some(last) = last.and_then(|id| self.declarations.get(&id)).filter(|last| !last.standing.is_empty()) else {
            return Some((state, None));
        };
        let notes = self.spoken(last, known);
        while let Some((_, next)) = wished(course, &notes, &state, &mut Account::none()) {
            state = next;
        }
        let due = match course.awaits(&state).ok()? {
            Awaits::Decision { by, .. } => self.note_of(last, &by).filter(|note| !note.opened_if(NOTE, known)),
            Awaits::Turn(_) | Awaits::More(_) => None,
        };
        Some((state, due.map(|note| note.node.id())))
    }

    /// The standing note of a role that a declaration found.
    fn note_of(&self, declaration: &Declaration<'_>, by: &Role) -> Option<&Set<'a>> {
        let mut found = declaration.standing.iter().filter_map(|note| self.sets.get(note));
        found.find(|note| self.terms.role(note.node.player) == by)
    }

    /// What the standing notes say that a declaration found and letters that are known opened, by role (courses 14).
    fn spoken(&self, declaration: &Declaration<'_>, known: &impl Fn(&Node) -> bool) -> Vec<(Role, Object)> {
        let opened = |seal: &&Hex32| self.sets.get(seal).is_some_and(|note| note.opened_if(NOTE, known));
        self.say(&declaration.standing.iter().filter(opened).copied().collect::<Vec<_>>())
    }

    /// What a letter that was taken came to; notes aside.
    fn state_behind(&self, letter: Hex32) -> Option<Arc<Object>> {
        let kept = self.courses.states.borrow().iter().rev().find(|(kept, _)| *kept == letter).map(|(_, s)| s.clone());
        let state = match (kept, self.courses.decided.get(&letter)) {
            (Some(state), _) => return Some(state),
            (None, Some(decided)) => decided.state.read().ok()?,
            (None, None) => self.outcome_at(&letter, &mut Account::none())?.state,
        };
        let state = Arc::new(state);
        self.courses.keep(letter, state.clone());
        Some(state)
    }

    /// What everybody may know of a declaration that is shown, worked out again: it can be a hundred times as long as the
    /// declaration.
    #[must_use]
    pub fn public(&self, declaration: &Hex32) -> Option<Text> {
        let declared = self.declarations.get(declaration).filter(|declared| declared.outcome.is_some())?;
        let letter = declared.named_by.unwrap_or(*declaration);
        self.outcome_at(&letter, &mut Account::none()).map(|outcome| outcome.public)
    }

    /// What a declaration came to, by its own letter or by the claim that named its dice.
    fn outcome_at(&self, letter: &Hex32, account: &mut Account) -> Option<Outcome> {
        let resolved = match self.body(letter)? {
            Body::Claim(Claim::Names(names)) => {
                let declaration = self.declarations.get(&names.declaration)?;
                declaration.resolve_named(self.terms, &self.say(&declaration.orders), &names.dice, account).ok()?
            }
            _ => self.dice_of(self.declarations.get(letter)?, account)?,
        };
        Some(resolved.0)
    }

    /// How a declaration of a course came to what it came to, and then each decision on it, with all letters at hand: the
    /// letters, each with a line a step for people. Nothing while it is not settled.
    #[must_use]
    pub fn turn(&self, declaration: &Hex32) -> Vec<(Hex32, Vec<String>)> {
        self.turn_of(declaration).unwrap_or_default()
    }

    fn turn_of(&self, declaration: &Hex32) -> Option<Vec<(Hex32, Vec<String>)>> {
        let all = |_: &Node| true;
        let declared = self.declarations.get(declaration).filter(|declared| declared.valid)?;
        let (_, phase) = self.terms.slot(&declared.declare.slot)?;
        let (course, system) = (phase.system.resolver().course()?, phase.system.name());
        let mut at = self.settled_if(declared, &all)?;
        let mut account = Account::kept();
        let mut state = self.outcome_at(&at, &mut account)?.state;
        let mut turn = vec![(*declaration, account.into_lines())];
        let notes = self.spoken(declared, &all);
        loop {
            let mut account = Account::kept();
            let letter = if let Some((by, next)) = wished(course, &notes, &state, &mut account) {
                state = next;
                self.note_of(declared, &by)?.node.id()
            } else {
                account = Account::kept();
                let mut made = self.courses.made_after(system, Some(at));
                let Some((id, decided)) = made.find_map(|id| Some((id, self.courses.decided.get(&id)?))) else { break };
                let Decide { name, value, .. } = decided.decide;
                let Ok(decided) = course.decide(&state, name.as_str(), value, &mut account) else { break };
                (at, state) = (id, decided.state);
                id
            };
            match turn.last_mut().filter(|(last, _)| *last == letter) {
                Some((_, lines)) => lines.extend(account.into_lines()),
                None => turn.push((letter, account.into_lines())),
            }
        }
        Some(turn)
    }

    /// The steps of one letter: of a declaration, a decision, or the seal of a standing note, of a course.
    #[must_use]
    pub fn explained(&self, letter: &Hex32) -> Vec<String> {
        let slot = match self.body(letter) {
            Some(Body::Decide(decide)) => Some(decide.slot.clone()),
            Some(Body::Seal(seal)) => self.note_slot(&seal.purpose),
            Some(Body::Declare(declare)) => Some(declare.slot.clone()),
            _ => None,
        };
        let on = slot.and_then(|slot| self.declared_slots.get(&slot)).into_iter().flatten();
        let mut turns = on.flat_map(|node| self.turn(&node.id()));
        turns.find(|(id, _)| id == letter).map(|(_, steps)| steps).unwrap_or_default()
    }
}

/// What a state becomes if the decision that it awaits is made by a note that speaks, and whose note that is (courses 14).
fn wished(
    course: &dyn Course,
    notes: &[(Role, Object)],
    state: &Object,
    account: &mut Account,
) -> Option<(Role, Object)> {
    let (name, by) = match course.awaits(state).ok().filter(|_| !notes.is_empty())? {
        Awaits::Decision { name, by, .. } => (name, by),
        Awaits::Turn(_) | Awaits::More(_) => return None,
    };
    let (_, says) = notes.iter().find(|(role, _)| *role == by)?;
    let value = course.wished(state, says.get(&name)?)?;
    let decided = course.decide(state, &name, &value, account).ok()?;
    Some((by, decided.state))
}
