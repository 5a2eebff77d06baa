//! Where a course stands, and its state there (`protocol/courses.md` 1 to 3).

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap, VecDeque},
    rc::Rc,
};

use super::{
    charter::Phase, declarations::Declaration, disputes::names_of, ledger::Ledger, order::Node, seals::Set,
    secrets::NOTE,
};
use crate::{
    blob::{
        Body,
        body::{Decide, Hex32},
    },
    resolve::{Account, Awaits, Course, Object, Outcome},
};

/// How many states are kept at hand, the last that were asked for.
const KEPT: usize = 32;

/// What was declared and decided in the courses of a game.
#[derive(Default)]
pub(super) struct Courses<'a> {
    /// Valid declarations, by system, in the order of replay.
    declared: BTreeMap<&'static str, Vec<Hex32>>,
    /// The points at which declarations and decisions were made.
    points: HashMap<Hex32, Point>,
    /// What was made at each point of a system.
    made: HashMap<(&'static str, Point), Vec<Made<'a>>>,
    /// Letters that may take back what was made without them: redos, voids, forfeits, kills.
    disturbing: Vec<&'a Node<'a>>,
    /// States by their points, the last ones at the end.
    states: RefCell<VecDeque<(Point, Rc<Object>)>>,
}

impl<'a> Courses<'a> {
    /// A letter replaces, voids, forfeits or kills something.
    pub(super) fn disturb(&mut self, by: &'a Node<'a>) {
        self.disturbing.push(by);
    }

    /// Takes a valid declaration.
    pub(super) fn declare(&mut self, system: &'static str, id: Hex32, at: Point) {
        self.declared.entry(system).or_default().push(id);
        self.points.insert(id, at.clone());
        self.made.entry((system, at)).or_default().push(Made::Declared(id));
    }

    /// Takes a valid decision.
    pub(super) fn decide(&mut self, system: &'static str, node: &'a Node<'a>, decide: &'a Decide, at: Point) {
        self.points.insert(node.id(), at.clone());
        self.made.entry((system, at)).or_default().push(Made::Decided(node, decide));
    }

    /// The point at which a valid declaration or decision was made.
    pub(super) fn point_of(&self, id: &Hex32) -> Option<&Point> {
        self.points.get(id)
    }

    /// Valid declarations of a system, in the order of replay.
    pub(super) fn declared(&self, system: &str) -> &[Hex32] {
        self.declared.get(system).map_or(&[], Vec::as_slice)
    }

    /// The decision that was made at a point.
    pub(super) fn decided_at(&self, system: &'static str, point: &Point) -> Option<(&'a Node<'a>, &'a Decide)> {
        let made = self.made.get(&(system, point.clone()))?;
        made.iter().find_map(|made| match made {
            Made::Decided(node, decide) => Some((*node, *decide)),
            Made::Declared(_) => None,
        })
    }

    fn state(&self, point: &Point) -> Option<Rc<Object>> {
        let mut states = self.states.borrow_mut();
        let at = states.iter().rposition(|(kept, _)| kept == point)?;
        let found = states.remove(at)?;
        let state = found.1.clone();
        states.push_back(found);
        Some(state)
    }

    /// Keeps the state at a point: a course is asked for it again and again.
    pub(super) fn keep(&self, point: Point, state: Rc<Object>) {
        let mut states = self.states.borrow_mut();
        states.retain(|(kept, _)| *kept != point);
        if states.len() >= KEPT {
            states.pop_front();
        }
        states.push_back((point, state));
    }
}

/// What was made at a point.
#[derive(Clone, Copy)]
enum Made<'a> {
    Declared(Hex32),
    Decided(&'a Node<'a>, &'a Decide),
}

/// Where a course stands: what was taken, by id (courses 3).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Point {
    /// The declaration that was taken last.
    last: Option<Hex32>,
    /// The claim that named its dice.
    named: Option<Hex32>,
    /// The standing notes that speak, in the order in which they were due.
    speaking: Vec<Hex32>,
    /// The decision taken last since. It was made at one point, so those before it need not stand here.
    decided: Option<Hex32>,
}

impl Point {
    /// Behind a declaration whose dice are those of its envelope.
    pub(super) const fn behind(declaration: Hex32) -> Self {
        Self { last: Some(declaration), named: None, speaking: Vec::new(), decided: None }
    }

    /// Behind one more decision.
    pub(super) fn decided(&self, decision: Hex32) -> Self {
        Self { decided: Some(decision), ..self.clone() }
    }

    /// Where one more note speaks.
    pub(super) fn heard(&self, note: Hex32) -> Self {
        let speaking = self.speaking.iter().copied().chain([note]).collect();
        Self { speaking, ..self.clone() }
    }

    /// The declaration that was taken last.
    pub(super) const fn last(&self) -> Option<Hex32> {
        self.last
    }
}

/// A course as far as some letters know.
pub struct Reached {
    pub(super) point: Point,
    /// The state; none while the declaration that was taken last is not settled.
    pub state: Option<Object>,
    /// The standing note that is due: its opening answers what the state awaits (courses 7).
    pub(super) due: Option<Hex32>,
}

impl Reached {
    /// The declaration that was taken last.
    #[must_use]
    pub const fn last(&self) -> Option<Hex32> {
        self.point.last()
    }
}

impl<'a> Ledger<'a> {
    /// A course with all letters at hand.
    #[must_use]
    pub fn course(&self, phase: &Phase) -> Reached {
        self.reached(phase, &|_: &Node<'_>| true)
    }

    /// Where a course stands as far as letters that are known tell (courses 3).
    pub(super) fn reached(&self, phase: &Phase, known: &impl Fn(&Node<'_>) -> bool) -> Reached {
        let system = phase.system.name();
        let mut point = self.set_out(phase, known);
        let due = loop {
            let made = self.courses.made.get(&(system, point.clone())).into_iter().flatten();
            let taken = made.copied().find(|made| match made {
                Made::Declared(id) => self.declarations.get(id).is_some_and(|found| self.counts(found, known)),
                Made::Decided(node, _) => known(node),
            });
            point = match taken {
                None => match self.note_on(phase, &point) {
                    Some(note) if self.is_silenced(&note.node.id(), known) => break None,
                    Some(note) if note.opened_if(NOTE, known) => point.heard(note.node.id()),
                    note => break note.map(|note| note.node.id()),
                },
                Some(Made::Decided(node, _)) => point.decided(node.id()),
                Some(Made::Declared(id)) => {
                    match self.declarations.get(&id).and_then(|taken| self.settled_if(taken, known)) {
                        Some(settled) => settled,
                        None => {
                            let point = Point { last: Some(id), ..Point::default() };
                            return Reached { point, state: None, due: None };
                        }
                    }
                }
            };
        };
        let state = self.state_at(phase, &point).map(Rc::unwrap_or_clone);
        Reached { point, state, due }
    }

    /// The standing note that the declaration taken last found, of the player whose decision the state at a point awaits,
    /// if it does not speak there (courses 7).
    pub(super) fn note_on(&self, phase: &Phase, point: &Point) -> Option<&Set<'a>> {
        let declaration = self.declarations.get(&point.last?)?;
        let mut silent = declaration.standing.iter().filter(|note| !point.speaking.contains(note)).peekable();
        silent.peek()?;
        match phase.system.resolver().course()?.awaits(&*self.state_at(phase, point)?).ok()? {
            Awaits::Decision { by, .. } => {
                silent.filter_map(|note| self.sets.get(note)).find(|note| *self.terms.role(note.node.player) == by)
            }
            Awaits::Turn(_) | Awaits::More(_) => None,
        }
    }

    /// A point on the way to where a course stands, as near to that as can be had cheaply: a declaration that knows
    /// every letter that might have taken back something on its own way was made at such a point.
    fn set_out(&self, phase: &Phase, known: &impl Fn(&Node<'_>) -> bool) -> Point {
        let disturbing: Vec<&Node<'_>> = self.courses.disturbing.iter().copied().filter(|by| known(by)).collect();
        let declared = self.courses.declared(phase.system.name()).iter().rev();
        let mut declared = declared.filter_map(|id| self.declarations.get(id));
        let knows_all = |found: &&Declaration<'_>| {
            let knows = |by: &&Node<'_>| by.id() == found.node.id() || found.node.has_in_past(by);
            self.counts(found, known) && disturbing.iter().all(knows)
        };
        let from = declared.find(knows_all).and_then(|found| self.courses.point_of(&found.node.id()));
        from.cloned().unwrap_or_default()
    }

    /// The state at a point to which the letters have come.
    fn state_at(&self, phase: &Phase, point: &Point) -> Option<Rc<Object>> {
        let course = phase.system.resolver().course()?;
        let mut ahead = Vec::new();
        let mut at = point;
        let mut state = loop {
            if at.last.is_none() {
                break Rc::new(self.terms.begin(phase).ok()?);
            }
            if let Some(state) = self.courses.state(at) {
                break state;
            }
            match &at.decided {
                None => {
                    let state = self.outcome_at(at, &mut Account::none())?.state;
                    break Rc::new(self.after_notes(course, at, state, &mut Account::none()));
                }
                Some(decision) => {
                    ahead.push((decision, at));
                    at = self.courses.point_of(decision)?;
                }
            }
        };
        for (decision, at) in ahead.into_iter().rev() {
            let Body::Decide(decide) = self.body(decision)? else { return None };
            let decided = course.decide(&state, decide.name.as_str(), &decide.value, &mut Account::none()).ok()?;
            state = Rc::new(self.after_notes(course, at, decided.state, &mut Account::none()));
        }
        if point.last.is_some() {
            self.courses.keep(point.clone(), state.clone());
        }
        Some(state)
    }

    /// What the notes that speak at a point make of a state: each decision that they answer is made (courses 7).
    pub(super) fn after_notes(
        &self,
        course: &dyn Course,
        point: &Point,
        mut state: Object,
        account: &mut Account,
    ) -> Object {
        if point.speaking.is_empty() {
            return state;
        }
        let notes = self.say(&point.speaking);
        while let Ok(Awaits::Decision { name, by, .. }) = course.awaits(&state) {
            let wish = notes.iter().find(|(role, _)| *role == by).and_then(|(_, says)| says.get(&name));
            let value = wish.and_then(|wish| course.wished(&state, wish));
            let Some(decided) = value.and_then(|value| course.decide(&state, &name, &value, account).ok()) else {
                break;
            };
            state = decided.state;
        }
        state
    }

    /// What the declaration that was taken last at a point has come to; decisions aside.
    pub(super) fn outcome_at(&self, point: &Point, account: &mut Account) -> Option<Outcome> {
        let declaration = self.declarations.get(&point.last?)?;
        if self.is_hidden(declaration.declare) {
            return self.unseen(declaration, account).map(|(outcome, _)| outcome);
        }
        let resolved = match point.named.and_then(|id| self.nodes.get(&id)) {
            None => self.dice_of(declaration, account)?,
            Some(named) => {
                let orders = self.say(&declaration.orders);
                declaration.resolve_named(self.terms, &orders, names_of(named)?, account).ok()?
            }
        };
        Some(resolved.0)
    }

    /// Whether a declaration is there, not replaced, and has no void roll, as far as letters that are known tell.
    fn counts(&self, declaration: &Declaration<'_>, known: &impl Fn(&Node<'_>) -> bool) -> bool {
        known(&declaration.node)
            && !declaration.replaced_by.iter().any(|redo| known(redo))
            && !self.any_void(&declaration.node.id(), known)
    }

    /// The point behind a declaration of a course, once it is settled as far as letters that are known tell (courses 2).
    pub(super) fn settled_if(
        &self,
        declaration: &Declaration<'_>,
        known: &impl Fn(&Node<'_>) -> bool,
    ) -> Option<Point> {
        let id = declaration.node.id();
        let forfeited = declaration.forfeits.iter().any(|forfeit| known(forfeit));
        let settled = forfeited || self.answered_if(declaration, known);
        if !settled || !forfeited || self.is_hidden(declaration.declare) {
            return settled.then(|| Point::behind(id));
        }
        let named = declaration.named_by.and_then(|id| self.nodes.get(&id)).filter(|named| known(named))?;
        Some(Point { named: Some(named.id()), ..Point::behind(id) })
    }

    /// Whether a declaration is settled in the past of a letter.
    pub(super) fn is_settled(&self, declaration: &Declaration<'_>, node: &Node<'_>) -> bool {
        self.settled_if(declaration, &|letter: &Node<'_>| node.has_in_past(letter)).is_some()
    }

    /// Whether a ruling killed a note before anybody knew that it is opened (courses 7).
    pub(super) fn is_silenced(&self, seal: &Hex32, known: &impl Fn(&Node<'_>) -> bool) -> bool {
        let open = |by: &Node<'_>| self.sets.get(seal).is_some_and(|set| set.opened_for(NOTE, by));
        self.rulings.kills_if(seal, |by| known(by) && !open(by))
    }
}
