//! Courses: the states of systems that go on from turn to turn, and what they await (`protocol/courses.md`), and what
//! may be declared and decided there.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    charter::{Phase, Player, SlotKey, Terms},
    declarations::Declaration,
    ledger::{Finding, Ledger},
    order::{Node, Played},
    seals::Set,
    state::Reached,
};
use crate::{
    blob::{
        body::{Decide, Declare, Hex32, Name, Role, SetKind, Slot},
        json,
    },
    error::{Error, Result},
    resolve::{Account, Awaits, Course, Object},
    rule::Rule,
};

/// How many declarations of a place of a hidden course are sealed for ahead.
const AHEAD: u64 = 3;

/// The name of standing notes (courses 12).
pub const STANDING: &str = "standing";

/// The name of the decision by which both order at once (courses 17, 18).
pub const ORDERS: &str = "orders";

/// What a course waits for.
enum Awaited {
    /// A declaration of this place, its number left open; by whom, if the state says that.
    Turn(Slot, Option<Role>),
    /// One more of the place that was declared last; likewise.
    More(Slot, Option<Role>),
    /// A decision on the declaration that was taken last.
    Decision(Choice),
}

/// A decision that a course awaits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The declaration that it is about.
    pub on: Hex32,
    /// Its slot.
    pub slot: Slot,
    /// What it is called.
    pub name: Name,
    /// Whose it is.
    pub by: Role,
    /// What may be chosen, for people.
    pub what: String,
    /// The standing note that is to be opened instead (courses 13).
    pub note: Option<Hex32>,
}

impl Phase {
    /// Whether its declarations find standing notes (courses 12, 18, hidden 1).
    pub(super) fn finds_notes(&self) -> bool {
        let course = self.system.resolver().course();
        course.is_some_and(|course| course.hidden().is_none() && !course.takes_orders())
    }
}

impl Terms {
    /// The phases of one course, with their places in the charter.
    fn phases_of(&self, system: &str) -> impl Iterator<Item = (usize, &Phase)> {
        self.phases.iter().enumerate().filter(move |(_, phase)| phase.system.name() == system)
    }

    /// The courses of a game, each by its first phase, in the order of these (courses 22).
    pub fn courses(&self) -> impl Iterator<Item = (&Phase, &dyn Course)> {
        let first = |(i, phase): (usize, &Phase)| {
            self.phases_of(phase.system.name()).next().is_some_and(|(first, _)| first == i)
        };
        let firsts = self.phases.iter().enumerate().filter(move |(i, phase)| first((*i, phase)));
        firsts.filter_map(|(_, phase)| Some((phase, phase.system.resolver().course()?)))
    }

    /// The state with which the course of a phase begins (courses 1).
    ///
    /// # Errors
    /// [`Error::Refused`] if the phase is of no course.
    pub fn begin(&self, phase: &Phase) -> Result<Object> {
        let system = phase.system.name();
        match self.charter.continues.as_ref().and_then(|continues| continues.states.get(system)) {
            Some(state) => Ok(state.clone()),
            None => match phase.system.resolver().course() {
                Some(course) => course.begin(),
                None => Err(Error::Refused(format!("{system} has no course"))),
            },
        }
    }

    /// The place of a course that comes next, after a slot or from where it begins: the first number of it.
    #[must_use]
    pub fn next_place(&self, phase: &Phase, last: Option<&Slot>) -> Option<Slot> {
        let after: Option<(u64, u64, usize)> =
            last.and_then(|slot| self.slot(slot)).map(|((turn, impulse, place, _), _)| (turn, impulse, place));
        let (turn, passed) = match after {
            Some((turn, ..)) => (turn, 0),
            None => phase.system.resolver().course()?.first_place(&self.begin(phase).ok()?).ok()?,
        };
        let places = [turn, turn + 1].into_iter().flat_map(|turn| {
            let phases = self.phases_of(phase.system.name());
            phases.flat_map(move |(place, phase)| phase.impulses.iter().map(move |impulse| (turn, *impulse, place)))
        });
        let mut next: Vec<_> = places.filter(|place| Some(*place) > after && place.0 <= Slot::LAST).collect();
        next.sort_unstable();
        let next = next.into_iter().nth(passed)?;
        let name = self.phases.get(next.2)?.name.clone();
        Some(Slot { impulse: next.1, number: 1, phase: name, turn: next.0 })
    }
}

impl<'a> Ledger<'a> {
    /// What notes say, by role (courses 14, 18).
    pub(super) fn say(&self, speaking: &[Hex32]) -> Vec<(Role, Object)> {
        let says = |seal: &Hex32| {
            let set = self.sets.get(seal)?;
            let text = set.note()?;
            let says = json::parse_canonical(text.as_bytes()).and_then(|tree| json::read::<Object>(&tree)).ok()?;
            Some((self.terms.role(set.node.player).clone(), says))
        };
        speaking.iter().filter_map(says).collect()
    }

    /// The standing notes that a declaration finds (courses 12).
    pub(super) fn standing_for(&self, node: Played<'_>, slot: &Slot) -> Vec<Hex32> {
        let purpose = format!("{slot}/{STANDING}");
        let notes = Player::BOTH.into_iter().flat_map(|player| self.sets_for(player, SetKind::Note, &purpose));
        notes.filter(|note| self.finds(&node, slot, note)).map(|note| note.node.id()).collect()
    }

    /// Whether a declaration, judged or not, finds a note (courses 12).
    pub(super) fn finds(&self, declaration: &Node, slot: &Slot, note: &Set<'_>) -> bool {
        self.terms.slot(slot).is_some_and(|(_, phase)| phase.finds_notes())
            && note.valid
            && note.seal.kind == SetKind::Note
            && note.seal.purpose == format!("{slot}/{STANDING}")
            && declaration.has_in_past(&note.node)
            && !self.kills(&note.node.id(), declaration)
    }

    /// Whether a slot is one of a course that takes orders (courses 18).
    #[must_use]
    pub fn takes_orders(&self, slot: &Slot) -> bool {
        let course = self.terms.slot(slot).and_then(|(_, phase)| phase.system.resolver().course());
        course.is_some_and(Course::takes_orders)
    }

    /// Whether a slot is one of a course.
    #[must_use]
    pub fn is_of_course(&self, slot: &Slot) -> bool {
        self.terms.slot(slot).is_some_and(|(_, phase)| phase.system.resolver().course().is_some())
    }

    /// The phase of a declaration, if that is one of a course.
    pub(super) fn course_of(&self, declaration: &Hex32) -> Option<&'a Phase> {
        let slot = &self.declarations.get(declaration)?.declare.slot;
        self.terms.slot(slot).map(|(_, phase)| phase).filter(|phase| phase.system.resolver().course().is_some())
    }

    /// Whether one of these declarations is of a course.
    pub(super) fn any_of_course(&self, declarations: &[Hex32]) -> bool {
        declarations.iter().any(|id| self.course_of(id).is_some())
    }

    /// What a course awaits; `None` while there is no state.
    fn awaited(&self, phase: &Phase, reached: &Reached) -> Option<Awaited> {
        let declared = reached.last.and_then(|id| self.declarations.get(&id)).map(|last| &last.declare.slot);
        match phase.system.resolver().course()?.awaits(reached.state.as_ref()?).ok()? {
            Awaits::Turn(by) => Some(Awaited::Turn(self.terms.next_place(phase, declared)?, by)),
            Awaits::More(by) => Some(Awaited::More(declared?.clone(), by)),
            Awaits::Decision { name, by, what } => {
                let (on, slot, name) = (reached.last?, declared?.clone(), Name::parse(&name)?);
                Some(Awaited::Decision(Choice { on, slot, name, by, what, note: reached.due }))
            }
        }
    }

    /// Whether a course awaits a declaration of a place from a player, as it stands (declare 14).
    fn is_awaited(&self, awaited: &Awaited, player: Player, slot: &Slot) -> Result<()> {
        let breach = |text: String| Err(Error::breach(Rule::Declare14, text));
        let (place, by) = match awaited {
            Awaited::Turn(place, by) | Awaited::More(place, by) => (place, by),
            Awaited::Decision(Choice { name, by, .. }) => {
                return breach(format!("the state awaits the decision {name} of {by}"));
            }
        };
        if self.place(place) != self.place(slot) {
            return breach(format!("{slot} is not the next place of the course"));
        }
        let declarer = self.terms.slot(place).and_then(|(_, phase)| phase.declarer);
        if declarer.is_none() && by.as_ref() != Some(self.terms.role(player)) {
            return breach("the state names another declarer".into());
        }
        Ok(())
    }

    /// declare 14, 16 and 17 in a course; gives the declaration that was taken before, and the state.
    pub(super) fn check_course(
        &self,
        node: Played<'_>,
        declare: &Declare,
        phase: &Phase,
    ) -> Result<(Option<Hex32>, Object)> {
        let breach = |text: &str| Error::breach(Rule::Declare14, text);
        let known = |letter: &Node| node.has_in_past(letter);
        let reached = self.reached(phase, &known);
        let replaced = self.replaced(declare.redo).and_then(|id| self.declarations.get(&id));
        if replaced.is_some_and(|old| reached.last != Some(old.node.id())) {
            return Err(breach("the course has gone on from the declaration that it replaces"));
        }
        if declare.after != replaced.map_or(reached.at, |old| old.declare.after) {
            return Err(breach("after is not where the course stands"));
        }
        let (before, state) = match replaced {
            Some(old) => (old.before, old.state()),
            None => {
                let awaited = self.awaited(phase, &reached);
                let awaited = awaited.ok_or_else(|| breach("the declaration before is not settled yet"))?;
                self.is_awaited(&awaited, node.player, &declare.slot)?;
                (reached.last, reached.state)
            }
        };
        self.check_changes(node, phase, replaced.is_none()).map_err(|text| Error::breach(Rule::Declare16, text))?;
        let others = self.terms.courses().filter(|(other, _)| other.system.name() != phase.system.name());
        for (other, _) in others.filter(|_| replaced.is_none()) {
            self.check_front(Rule::Declare17, other, &declare.slot, &known)?;
        }
        Ok((before, state.ok_or_else(|| breach("there is no state"))?))
    }

    /// A slot's turn, impulse and phase, in the order of slots.
    fn place(&self, slot: &Slot) -> Option<(u64, u64, usize)> {
        self.terms.slot(slot).map(|((turn, impulse, phase, _), _)| (turn, impulse, phase))
    }

    /// That a slot comes before the front of a course, as far as letters that are known tell (declare 17, 18).
    fn check_front(&self, rule: Rule, course: &Phase, slot: &Slot, known: &impl Fn(&Node) -> bool) -> Result<()> {
        let reached = self.reached(course, known);
        let last = reached.last.and_then(|id| self.declarations.get(&id)).map(|last| last.declare.slot.clone());
        let front = match self.awaited(course, &reached) {
            Some(Awaited::Turn(place, _)) => Some(place),
            _ => last,
        };
        match front.filter(|front| self.place(slot) >= self.place(front)) {
            None => Ok(()),
            Some(Slot { turn, impulse, phase, .. }) => {
                let why = format!("{turn}/{impulse}/{phase} comes before {slot}, and is open");
                Err(Error::breach(rule, why))
            }
        }
    }

    /// declare 18: the slot comes before the front of each course, and after what its author has rolled in one, as
    /// far as letters that are known tell.
    pub(super) fn check_between(&self, player: Player, slot: &Slot, known: &impl Fn(&Node) -> bool) -> Result<()> {
        for (phase, _) in self.terms.courses() {
            self.check_front(Rule::Declare18, phase, slot, known)?;
            let taken = self.taken_if(phase, known).filter_map(|id| self.declarations.get(&id));
            let mut own = taken.filter(|taken| taken.node.player == player);
            if let Some(own) = own.next().filter(|own| self.place(slot) <= self.place(&own.declare.slot)) {
                let rolled = &own.declare.slot;
                return Err(Error::breach(Rule::Declare18, format!("{slot} lies behind {rolled}, which is rolled")));
            }
        }
        Ok(())
    }

    /// The turns that the courses have come to, with all letters at hand.
    pub fn turns_rolled(&self) -> impl Iterator<Item = u64> {
        let last = self.terms.courses().filter_map(|(phase, _)| self.course(phase).last);
        last.filter_map(|id| self.declarations.get(&id)).map(|last| last.declare.slot.turn)
    }

    /// Whether a slot of no course may be declared by a player as his courses stand, with all letters at hand.
    #[must_use]
    pub fn is_open(&self, player: Player, slot: &Slot) -> bool {
        self.check_between(player, slot, &|_: &Node| true).is_ok()
    }

    /// decide 4 and 5.
    pub(super) fn take_choice(&mut self, node: Played<'a>, decide: &'a Decide, phase: &Phase) -> Result<()> {
        let breach = |text: String| Error::breach(Rule::Decide4, text);
        let reached = self.reached(phase, &|letter: &Node| node.has_in_past(letter));
        let choice = match self.awaited(phase, &reached) {
            None => return Err(breach("the declaration before is not settled yet".into())),
            Some(Awaited::Decision(choice)) => choice,
            Some(Awaited::Turn(..) | Awaited::More(..)) => {
                return Err(breach("the state awaits no decision".into()));
            }
        };
        if choice.slot != decide.slot {
            return Err(breach(format!("{} is not the slot under way", decide.slot)));
        }
        if choice.name != decide.name || choice.by != *self.terms.role(node.player) {
            return Err(breach(format!("the state awaits the decision {} of {}", choice.name, choice.by)));
        }
        if choice.note.is_some() {
            return Err(breach("a standing note of the author's is due, and is to be opened instead".into()));
        }
        if decide.after != reached.at {
            return Err(breach("after is not where the course stands".into()));
        }
        self.check_changes(node, phase, true).map_err(|why| breach(why.into()))?;
        let course = phase.system.resolver().course().zip(reached.state.as_ref());
        let (course, state) = course.ok_or_else(|| breach("the phase is of no course".into()))?;
        let decided = course
            .decide(state, decide.name.as_str(), &decide.value, &mut Account::none())
            .map_err(|error| Error::breach(Rule::Decide5, error.to_string()))?;
        self.courses.decide(phase.system.name(), node, decide, &decided.state)
    }

    /// The declarations of a course that are taken as far as letters that are known tell, the last first.
    pub(super) fn taken_if(&self, phase: &Phase, known: &impl Fn(&Node) -> bool) -> impl Iterator<Item = Hex32> {
        let last = self.reached(phase, known).last;
        std::iter::successors(last, |id| self.declarations.get(id)?.before)
    }

    /// The declarations that their courses have not passed over, with all letters at hand (courses 6).
    #[must_use]
    pub fn taken(&self) -> HashSet<Hex32> {
        self.terms.courses().flat_map(|(phase, _)| self.taken_if(phase, &|_: &Node| true)).collect()
    }

    /// declare 16: no proposal of the author's on a declaration of a course waits for its answer, and no redo of a declaration
    /// of this course is due; of a redo, only that no such proposal is to void.
    fn check_changes(&self, node: Played<'_>, phase: &Phase, redos_too: bool) -> Result<(), &'static str> {
        let known = |letter: &Node| node.has_in_past(letter);
        let mut open = self.open_changes(node.player, known);
        if open.any(|(id, again)| (redos_too || !again) && self.course_of(&id).is_some()) {
            return Err("a proposal of the author's about a course waits for its answer");
        }
        match redos_too && self.is_redo_due(phase, &known) {
            true => Err("a redo in the course was agreed on, and comes first"),
            false => Ok(()),
        }
    }

    /// Whether a redo of a declaration of a course is due, from either player, as far as letters that are known tell.
    fn is_redo_due(&self, phase: &Phase, known: &impl Fn(&Node) -> bool) -> bool {
        let mut due = self.redos_due_if(known).filter_map(|due| self.course_of(&due.declaration));
        due.any(|of| of.system.name() == phase.system.name())
    }

    /// Whether a declaration is of no course, or was taken in the past of a letter, and a scope has every later one of the
    /// course that was, and those of other courses behind its slot (courses 11).
    pub(super) fn is_cut_off(
        &self,
        declaration: &Declaration<'_>,
        node: &Node,
        within: impl Fn(&Declaration<'_>) -> bool,
    ) -> bool {
        let Some(phase) = self.course_of(&declaration.node.id()) else { return true };
        let known = |letter: &Node| node.has_in_past(letter);
        let taken = self.taken_if(phase, &known).filter_map(|id| self.declarations.get(&id));
        let mut first_without = taken.skip_while(|later| later.node.id() != declaration.node.id() && within(later));
        let others = self.terms.courses().filter(|(other, _)| other.system.name() != phase.system.name());
        let (place, mut elsewhere) = (
            self.place(&declaration.declare.slot),
            others.flat_map(|(other, _)| self.taken_if(other, &known)).filter_map(|id| self.declarations.get(&id)),
        );
        first_without.next().is_some_and(|found| found.node.id() == declaration.node.id())
            && elsewhere.all(|other| within(other) || self.place(&other.declare.slot) < place)
    }

    /// Whether a declaration is of no course, or the one that was taken last with all letters at hand: only then it can be
    /// void alone (courses 11).
    #[must_use]
    pub fn is_last_taken(&self, declaration: &Declaration<'_>) -> bool {
        self.is_taken_last(declaration, &|_: &Node| true)
    }

    /// Whether a declaration is of no course, or the one that was taken last as far as letters that are known tell
    /// (courses 10).
    pub(super) fn is_taken_last(&self, declaration: &Declaration<'_>, known: &impl Fn(&Node) -> bool) -> bool {
        let id = declaration.node.id();
        self.course_of(&id).is_none_or(|phase| self.reached(phase, known).last == Some(id))
    }

    /// The breaches that a player is to do again first, as far as letters that are known tell (letters, Breach; courses 7, 9).
    pub(super) fn pending_if(&self, player: Player, known: &impl Fn(&Node) -> bool) -> impl Iterator<Item = Hex32> {
        self.own.of(player).pending.iter().copied().filter(move |id| {
            let Some(breach) = self.declarations.get(id) else { return false };
            let Some(phase) = self.course_of(id) else { return true };
            let reached = self.reached(phase, known);
            if let Some(old) = self.replaced(breach.declare.redo) {
                return reached.last == Some(old);
            }
            let awaited = self.awaited(phase, &reached);
            awaited.is_some_and(|awaited| self.is_awaited(&awaited, player, &breach.declare.slot).is_ok())
                && self.left_behind(breach, known).is_none()
                && !self.is_redo_due(phase, known)
        })
    }

    /// The declaration by which a course went on from a breach that was to be done again (courses 8).
    pub(super) fn left_behind(&self, breach: &Declaration<'_>, known: &impl Fn(&Node) -> bool) -> Option<Hex32> {
        let phase = self.course_of(&breach.node.id()).filter(|_| breach.again)?;
        if self.replaced(breach.declare.redo).is_some() {
            return None;
        }
        let declared = self.courses.declared(phase.system.name()).iter().filter_map(|id| self.declarations.get(id));
        let mut later = declared.filter(|later| later.node.has_in_past(&breach.node) && known(&later.node));
        later.find(|later| later.declare.after != breach.declare.after).map(|later| later.node.id())
    }

    /// Findings with those that outcomes bring along, each at the place of its letter (courses 19 to 21), behind those that have
    /// no place.
    pub(super) fn with_violations(&self, unplaced: Vec<Finding>, mut findings: Vec<Finding>) -> Vec<Finding> {
        let is_needed = self.declarations.values().any(|declared| !declared.violations.is_empty());
        let taken = self.taken.iter().enumerate().filter(|_| is_needed);
        let places: HashMap<Hex32, usize> = taken.map(|(place, node)| (node.id(), place)).collect();
        let (mut found, mut judged) = (BTreeMap::new(), HashSet::new());
        for declaration in self.declared.iter().filter_map(|id| self.declarations.get(id)) {
            for violation in &declaration.violations {
                let letter = self.letter_against(declaration, &violation.by);
                let Some((letter, place)) = letter.and_then(|node| Some((node, *places.get(&node.id())?))) else {
                    continue;
                };
                if !judged.insert(place) || self.was_ordered_elsewhere(declaration, letter) {
                    continue;
                }
                let error = Error::breach(Rule::Courses19, format!("{}: {}", violation.by, violation.text));
                found.insert(place, Finding::of(letter, &error));
            }
        }
        for (place, finding) in found {
            let later = |other: &Finding| other.letters.iter().any(|id| places.get(id).is_some_and(|at| *at > place));
            let at = findings.iter().position(later);
            findings.insert(at.unwrap_or(findings.len()), finding);
        }
        unplaced.into_iter().chain(findings).collect()
    }

    /// The letter that a violation is found on: the seal of his orders, or else the declaration.
    fn letter_against(&self, declaration: &Declaration<'a>, by: &Role) -> Option<&'a Node> {
        let mut orders = declaration.orders.iter().filter_map(|seal| self.sets.get(seal));
        let own = orders.find(|set| self.terms.role(set.node.player) == by);
        match own {
            Some(set) => Some(set.node.node()),
            None => Some(declaration.node.node()).filter(|_| declaration.orders.is_empty()),
        }
    }

    /// Whether a course stood elsewhere for the author of orders, and awaited a turn at the same place there (courses 21).
    fn was_ordered_elsewhere(&self, declaration: &Declaration<'_>, letter: &Node) -> bool {
        let Some(phase) = self.course_of(&declaration.node.id()) else { return false };
        let reached = self.reached(phase, &|known: &Node| letter.has_in_past(known));
        let awaited = self.awaited(phase, &reached);
        let same = |place| self.place(place) == self.place(&declaration.declare.slot);
        reached.at != declaration.declare.after && matches!(awaited, Some(Awaited::Turn(place, _)) if same(&place))
    }

    /// The slots of its courses that a player may declare next, with all letters at hand: each the awaited one, and the one
    /// after it. In a hidden course a place has many declarations: there the next few of it, too.
    #[must_use]
    pub fn coming_turns(&self, declarer: Player) -> Vec<(SlotKey, Slot)> {
        let mut coming = BTreeMap::new();
        for (phase, _) in self.terms.courses() {
            let reached = self.course(phase);
            let last = reached.last.and_then(|id| self.declarations.get(&id)).map(|last| &last.declare.slot);
            let first = match self.awaited(phase, &reached) {
                Some(Awaited::More(place, _)) => Some(place),
                _ => self.terms.next_place(phase, last),
            };
            let second = first.as_ref().and_then(|first| self.terms.next_place(phase, Some(first)));
            let many = last.filter(|_| phase.hidden().is_some());
            let places = [first.as_ref(), second.as_ref()].into_iter().flatten().map(|place| (place, 1));
            for (place, ahead) in places.chain(many.map(|place| (place, AHEAD))) {
                let next = self.next_number(declarer, place.turn, place.impulse, &place.phase);
                for number in next..next + ahead {
                    let slot = Slot { number, ..place.clone() };
                    let found = self.terms.slot(&slot).filter(|(_, phase)| phase.may_be_declared_by(declarer));
                    let found = found.filter(|_| !self.is_spoilt(declarer, &slot));
                    coming.extend(found.map(|(key, _)| (key, slot)));
                }
            }
        }
        coming.into_iter().collect()
    }

    /// The slots for which courses ask for orders, with all letters at hand: where one is to be done again, that.
    #[must_use]
    pub fn slots_to_order(&self) -> Vec<Slot> {
        let all = |_: &Node| true;
        let taking = self.terms.courses().filter(|(_, course)| course.takes_orders());
        let slots = taking.filter_map(|(phase, _)| match self.awaited(phase, &self.course(phase))? {
            Awaited::Turn(place, by) | Awaited::More(place, by) => Some((place, by)),
            Awaited::Decision(_) => None,
        });
        let numbered = slots.filter(|_| self.redos_due_if(&all).next().is_none()).filter_map(|(mut slot, by)| {
            let declarer = self.terms.slot(&slot)?.1.declarer;
            let declarer = declarer.or_else(|| self.terms.player(&by?))?;
            let pending = self.pending_if(declarer, &all).filter_map(|id| self.declarations.get(&id));
            let mut pending =
                pending.map(|breach| &breach.declare.slot).filter(|other| self.place(other) == self.place(&slot));
            slot.number = match pending.next() {
                Some(other) => other.number,
                None => self.next_number(declarer, slot.turn, slot.impulse, &slot.phase),
            };
            (!self.is_spoilt(declarer, &slot)).then_some(slot)
        });
        numbered.collect()
    }

    /// Whether a course awaits the declaration of a slot from a player, and no other course stands before it (declare 17),
    /// with all letters at hand.
    #[must_use]
    pub fn awaits_turn(&self, player: Player, slot: &Slot, phase: &Phase) -> bool {
        let mut others = self.terms.courses().filter(|(other, _)| other.system.name() != phase.system.name());
        let awaited = self.awaited(phase, &self.course(phase));
        awaited.is_some_and(|awaited| self.is_awaited(&awaited, player, slot).is_ok())
            && others.all(|(other, _)| self.check_front(Rule::Declare17, other, slot, &|_: &Node| true).is_ok())
    }

    /// The decisions that the courses await of somebody's own word, with all letters at hand.
    #[must_use]
    pub fn awaited_choices(&self) -> Vec<Choice> {
        self.choices_if(&|_: &Node| true).into_iter().filter(|choice| choice.note.is_none()).collect()
    }

    /// The standing notes that are due as far as letters that are known tell, with the declaration of each (courses 13).
    pub(super) fn due_standing(&self, known: &impl Fn(&Node) -> bool) -> Vec<(Hex32, Hex32)> {
        self.choices_if(known).into_iter().filter_map(|choice| Some((choice.on, choice.note?))).collect()
    }

    fn choices_if(&self, known: &impl Fn(&Node) -> bool) -> Vec<Choice> {
        let awaited = self.terms.courses().filter_map(|(phase, _)| self.awaited(phase, &self.reached(phase, known)));
        let choices = awaited.filter_map(|awaited| match awaited {
            Awaited::Decision(choice) => Some(choice),
            Awaited::Turn(..) | Awaited::More(..) => None,
        });
        choices.collect()
    }
}
