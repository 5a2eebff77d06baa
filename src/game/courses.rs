//! Courses: the states of systems that go on from turn to turn, and what they await (`protocol/courses.md`).

use std::collections::{BTreeMap, HashMap};

use super::{
    charter::{Phase, Player, SlotKey, Terms},
    declarations::Declaration,
    disputes::names_of,
    ledger::Ledger,
    order::{Node, Played},
    seals::Set,
    secrets::NOTE,
};
use crate::{
    blob::{
        body::{Decide, Declare, Hex32, Name, Role, SetKind, Slot},
        json,
    },
    error::{Error, Result},
    resolve::{Awaits, Course, Object, Outcome},
};

/// The name of standing notes (courses 6).
pub const STANDING: &str = "standing";

/// What was declared and decided in the courses of a game.
#[derive(Default)]
pub(super) struct Courses<'a> {
    /// Valid declarations, by system, in the order of replay.
    declared: BTreeMap<&'static str, Vec<Hex32>>,
    /// Valid decisions on a declaration, in the order of replay.
    decided: HashMap<Hex32, Vec<(&'a Node<'a>, &'a Decide)>>,
}

/// A course as far as some letters know (courses 3).
pub struct Reached {
    /// Its last declaration.
    pub last: Option<Hex32>,
    /// The state after it.
    pub state: Object,
    /// What that awaits.
    pub awaits: Awaits,
}

/// A decision that a course awaits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The slot that it is about.
    pub slot: Slot,
    /// What it is called.
    pub name: Name,
    /// Whose it is.
    pub by: Role,
    /// What may be chosen, for people.
    pub what: String,
}

impl Terms {
    /// The phases of one course, with their places in the charter.
    fn phases_of(&self, system: &str) -> impl Iterator<Item = (usize, &Phase)> {
        self.phases.iter().enumerate().filter(move |(_, phase)| phase.system.name() == system)
    }

    /// The courses of a game, each by its first phase, in the order of these (courses 9).
    pub fn courses(&self) -> impl Iterator<Item = (&Phase, &dyn Course)> {
        let first = |(i, phase): (usize, &Phase)| {
            self.phases_of(phase.system.name()).next().is_some_and(|(first, _)| first == i)
        };
        let firsts = self.phases.iter().enumerate().filter(move |(i, phase)| first((*i, phase)));
        firsts.filter_map(|(_, phase)| Some((phase, phase.system.resolver().course()?)))
    }

    /// The place of a course that comes next, after a slot or from its first turn on: the first number of it.
    #[must_use]
    pub fn next_place(&self, phase: &Phase, last: Option<&Slot>) -> Option<Slot> {
        let course = phase.system.resolver().course()?;
        let after: Option<(u64, u64, usize)> =
            last.and_then(|slot| self.slot(slot)).map(|((turn, impulse, place, _), _)| (turn, impulse, place));
        let turn = after.map_or(course.first_turn(), |(turn, ..)| turn);
        let places = [turn, turn + 1].into_iter().flat_map(|turn| {
            let phases = self.phases_of(phase.system.name());
            phases.flat_map(move |(place, phase)| phase.impulses.iter().map(move |impulse| (turn, *impulse, place)))
        });
        let next = places.filter(|place| Some(*place) > after).min()?;
        let name = self.phases.get(next.2)?.name.clone();
        Some(Slot { impulse: next.1, number: 1, phase: name, turn: next.0 })
    }
}

impl<'a> Ledger<'a> {
    /// A course with all letters at hand; `None` while its last declaration is not settled.
    #[must_use]
    pub fn course(&self, phase: &Phase) -> Option<Reached> {
        self.course_if(phase, None, &|_: &Node<'_>| true).ok()
    }

    /// A course as far as letters that are known tell, without a declaration that is to be replaced.
    ///
    /// # Errors
    /// What it waits for.
    fn course_if(
        &self,
        phase: &Phase,
        but: Option<Hex32>,
        known: &impl Fn(&Node<'_>) -> bool,
    ) -> Result<Reached, &'static str> {
        let course = phase.system.resolver().course().ok_or("the phase is of no course")?;
        let no_state = "there is no state";
        let last = self.last_declared(phase, but, known);
        let mut state = match last {
            None => course.begin().map_err(|_| no_state)?,
            Some(last) => self.settled_if(last, known).ok_or("the declaration before is not settled yet")?.state,
        };
        let decided = last.and_then(|last| self.courses.decided.get(&last.node.id())).into_iter().flatten();
        for (_, decide) in decided.filter(|(node, _)| known(node)) {
            let is_awaited =
                matches!(course.awaits(&state), Ok(Awaits::Decision { name, .. }) if name == decide.name.as_str());
            if let Some(after) = is_awaited.then(|| course.decide(&state, decide.name.as_str(), &decide.value).ok()) {
                state = after.map_or(state, |after| after.state);
            }
        }
        let awaits = course.awaits(&state).map_err(|_| no_state)?;
        Ok(Reached { last: last.map(|last| last.node.id()), state, awaits })
    }

    /// The last declaration of a course that counts, as far as letters that are known tell.
    fn last_declared(
        &self,
        phase: &Phase,
        but: Option<Hex32>,
        known: &impl Fn(&Node<'_>) -> bool,
    ) -> Option<&Declaration<'a>> {
        let declared = self.courses.declared.get(phase.system.name())?;
        let counts = |declaration: &&Declaration<'_>| {
            let id = declaration.node.id();
            known(&declaration.node)
                && Some(id) != but
                && !declaration.replaced_by.iter().any(|redo| known(redo))
                && !self.any_void(&id, known)
        };
        declared.iter().rev().filter_map(|id| self.declarations.get(id)).find(counts)
    }

    /// What a declaration of a course has come to, once it is settled as far as letters that are known tell (courses 2).
    fn settled_if(&self, declaration: &Declaration<'_>, known: &impl Fn(&Node<'_>) -> bool) -> Option<Outcome> {
        let standing = self.standing_if(declaration, known)?;
        if declaration.forfeits.iter().any(|forfeit| known(forfeit)) {
            let named = declaration.named_by.and_then(|id| self.nodes.get(&id)).filter(|named| known(named))?;
            return declaration.resolve_named(self.terms, &standing, names_of(named)?).ok().map(|(outcome, _)| outcome);
        }
        let answered = self.answered_if(declaration, known);
        answered.then(|| self.dice_of(declaration, &standing)).flatten().map(|(outcome, _)| outcome)
    }

    /// What the standing notes say that a declaration found, once all of them are opened (courses 6).
    pub(super) fn standing_if(
        &self,
        declaration: &Declaration<'_>,
        known: &impl Fn(&Node<'_>) -> bool,
    ) -> Option<Vec<(Role, Object)>> {
        let mut standing = Vec::new();
        for seal in &declaration.standing {
            let set = self.sets.get(seal).filter(|set| set.opened_if(NOTE, known))?;
            let text = set.note()?;
            let says = json::parse_canonical(text.as_bytes()).and_then(|tree| json::read::<Object>(&tree));
            standing.extend(says.ok().map(|says| (self.terms.role(set.node.player).clone(), says)));
        }
        Some(standing)
    }

    /// The standing notes that a declaration finds (courses 6).
    pub(super) fn standing_for(&self, node: Played<'_>, slot: &Slot) -> Vec<Hex32> {
        let purpose = format!("{slot}/{STANDING}");
        let notes = self.sets_for(node.player.other(), SetKind::Note, &purpose);
        let found =
            notes.filter(|set| set.valid && node.has_in_past(&set.node) && !self.rulings.kills(&set.node.id(), &node));
        found.map(|set| set.node.id()).collect()
    }

    /// Whether a note is a standing one for a slot of a course.
    pub(super) fn is_standing_note(&self, note: &Set<'_>, slot: &Slot) -> bool {
        let purpose = format!("{slot}/{STANDING}");
        note.seal.kind == SetKind::Note && note.seal.purpose == purpose && self.is_of_course(slot)
    }

    /// Whether a slot is one of a course.
    pub(super) fn is_of_course(&self, slot: &Slot) -> bool {
        self.terms.slot(slot).is_some_and(|(_, phase)| phase.system.resolver().course().is_some())
    }

    /// declare 14; gives the state.
    pub(super) fn check_course(&self, node: Played<'_>, declare: &Declare, phase: &Phase) -> Result<Object> {
        let breach = |text: String| Error::breach("declare 14", text);
        let known = |letter: &Node<'_>| node.has_in_past(letter);
        let replaced = self.replaced(declare);
        let reached = self.course_if(phase, replaced, &known).map_err(|why| breach(why.into()))?;
        let last = reached.last.and_then(|id| self.declarations.get(&id)).map(|last| &last.declare.slot);
        let (place, by) = match &reached.awaits {
            Awaits::Turn(by) => (self.terms.next_place(phase, last), by),
            Awaits::More(by) => (last.cloned(), by),
            Awaits::Decision { name, by, .. } => {
                return Err(breach(format!("the state awaits the decision {name} of {by}")));
            }
        };
        let slot = &declare.slot;
        let awaited =
            place.filter(|place| (place.turn, place.impulse, &place.phase) == (slot.turn, slot.impulse, &slot.phase));
        if awaited.is_none() {
            return Err(breach(format!("the state awaits no declaration of {slot}")));
        }
        if phase.declarer.is_none() && by.as_ref() != Some(self.terms.role(node.player)) {
            return Err(breach("the state names another declarer".into()));
        }
        Ok(reached.state)
    }

    /// Takes a valid declaration of a course.
    pub(super) fn take_turn(&mut self, phase: &'a Phase, id: Hex32) {
        if phase.system.resolver().course().is_some() {
            self.courses.declared.entry(phase.system.name()).or_default().push(id);
        }
    }

    /// decide 4 and 5.
    pub(super) fn take_choice(&mut self, node: Played<'a>, decide: &'a Decide, phase: &Phase) -> Result<()> {
        let breach = |text: String| Error::breach("decide 4", text);
        let known = |letter: &Node<'_>| node.has_in_past(letter);
        let reached = self.course_if(phase, None, &known).map_err(|why| breach(why.into()))?;
        let course = phase.system.resolver().course().ok_or_else(|| breach("the phase is of no course".into()))?;
        let last =
            reached.last.and_then(|id| self.declarations.get(&id)).filter(|last| last.declare.slot == decide.slot);
        let last = last.ok_or_else(|| breach(format!("{} is not the slot under way", decide.slot)))?.node.id();
        match &reached.awaits {
            Awaits::Decision { name, by, .. } if name == decide.name.as_str() && by == self.terms.role(node.player) => {
            }
            Awaits::Decision { name, by, .. } => {
                return Err(breach(format!("the state awaits the decision {name} of {by}")));
            }
            Awaits::Turn(_) | Awaits::More(_) => return Err(breach("the state awaits no decision".into())),
        }
        course
            .decide(&reached.state, decide.name.as_str(), &decide.value)
            .map_err(|error| Error::breach("decide 5", error.to_string()))?;
        self.courses.decided.entry(last).or_default().push((node.node(), decide));
        Ok(())
    }

    /// Whether a later declaration of its course rests on a declaration, as far as a letter knows (courses 5).
    pub(super) fn is_built_upon(&self, declaration: &Declaration<'_>, node: &Node<'_>) -> bool {
        let Some((_, phase)) = self.terms.slot(&declaration.declare.slot) else { return false };
        let declared = self.courses.declared.get(phase.system.name()).into_iter().flatten();
        let mut later = declared.skip_while(|id| **id != declaration.node.id()).skip(1);
        later.any(|id| self.nodes.get(id).is_some_and(|later| node.has_in_past(later)))
    }

    /// The slots of its courses that a player may declare next, with all letters at hand: each the awaited one, and the one
    /// after it.
    #[must_use]
    pub fn coming_turns(&self, declarer: Player) -> Vec<(SlotKey, Slot)> {
        let mut coming = Vec::new();
        for (phase, _) in self.terms.courses() {
            let known = |_: &Node<'_>| true;
            let last = self.last_declared(phase, None, &known).map(|last| &last.declare.slot);
            let more = matches!(self.course(phase), Some(Reached { awaits: Awaits::More(_), .. }));
            let first = if more { last.cloned() } else { self.terms.next_place(phase, last) };
            let second = first.as_ref().and_then(|first| self.terms.next_place(phase, Some(first)));
            for mut slot in [first, second].into_iter().flatten() {
                slot.number = self.next_number(declarer, slot.turn, slot.impulse, &slot.phase);
                let found = self.terms.slot(&slot).filter(|(_, phase)| phase.may_be_declared_by(declarer));
                coming.extend(found.map(|(key, _)| (key, slot)));
            }
        }
        coming
    }

    /// The declaration that stands in a slot.
    pub(super) fn declaration_of(&self, slot: &Slot) -> Option<&Declaration<'a>> {
        let declared = self.declared_slots.get(slot)?.iter().rev();
        let mut declared = declared.filter_map(|node| self.declarations.get(&node.id()));
        declared.find(|declaration| declaration.replaced_by.is_empty())
    }

    /// Whether a course awaits the declaration of a slot from a player, with all letters at hand.
    #[must_use]
    pub fn awaits_turn(&self, player: Player, slot: &Slot, phase: &Phase) -> bool {
        let Some(reached) = self.course(phase) else { return false };
        let last = reached.last.and_then(|id| self.declarations.get(&id)).map(|last| &last.declare.slot);
        let (place, by) = match reached.awaits {
            Awaits::Turn(by) => (self.terms.next_place(phase, last), by),
            Awaits::More(by) => (last.cloned(), by),
            Awaits::Decision { .. } => return false,
        };
        let place = place
            .is_some_and(|place| (place.turn, place.impulse, &place.phase) == (slot.turn, slot.impulse, &slot.phase));
        place && (phase.declarer == Some(player) || by.as_ref() == Some(self.terms.role(player)))
    }

    /// The decisions that the courses await with all letters at hand.
    #[must_use]
    pub fn awaited_choices(&self) -> Vec<Choice> {
        let choices = self.terms.courses().filter_map(|(phase, _)| {
            let reached = self.course(phase)?;
            let slot = self.declarations.get(&reached.last?)?.declare.slot.clone();
            match reached.awaits {
                Awaits::Decision { name, by, what } => Some(Choice { slot, name: Name::parse(&name)?, by, what }),
                Awaits::Turn(_) | Awaits::More(_) => None,
            }
        });
        choices.collect()
    }
}
