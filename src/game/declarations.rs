//! Declarations: the rules declare 1 to 13, what they spend, and the dice that they come to once they are opened
//! (`protocol/letters.md`, `protocol/dice.md`).

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use super::{
    charter::{By, Phase, Player, Terms},
    ledger::Ledger,
    order::{Node, Played},
    seals::Set,
};
use crate::{
    blob::{
        Body,
        body::{
            Contribution, Declare, Ended, Hex32, Lines, Moves, Pair, Redo, Role, SealedContribution, Select, SetKind,
            Slot, Source,
        },
        json::Text,
    },
    error::{Error, Result},
    limits::{COLUMNS, ROWS},
    primitive::{
        dice::{Roots, Stream, roll_key},
        secret::Secret,
    },
    resolve::{self, Account, Draw, Draws, Given, Listed, Object, Outcome, Place, Rolls, Violation},
    rule::Rule,
};

/// A judged declaration.
pub struct Declaration<'a> {
    /// Its letter.
    pub node: Played<'a>,
    /// What it says.
    pub declare: &'a Declare,
    /// Whether it broke no rule.
    pub valid: bool,
    /// The places whose keys its reveal must give: envelopes in the order of use, or the deepest cell of each column.
    pub asked: Vec<Place>,
    /// Valid redos that replace it.
    pub replaced_by: Vec<&'a Node>,
    /// Yields and rulings by which its dice are the declarer's to name (disputes 14).
    pub forfeits: Vec<&'a Node>,
    /// In a course, the declaration that was taken before it.
    pub(super) before: Option<Hex32>,
    /// Standing notes that it found (courses 12).
    pub standing: Vec<Hex32>,
    /// Its orders, the seal of each player's note (courses 18).
    pub orders: Vec<Hex32>,
    /// What its outcome holds against somebody (courses 19).
    pub(super) violations: Vec<Violation>,
    /// The claim that named its dice.
    pub named_by: Option<Hex32>,
    /// The rule that it broke.
    broke: Option<Rule>,
    /// Whether it is in breach, and can be done again.
    pub(super) again: bool,
    /// How it ended, once it is shown. [`Ledger::public`] has what everybody may know of it.
    pub outcome: Option<Ended>,
    /// Its draws.
    pub trail: Vec<Draw>,
    plan: Option<Planned>,
    answered: bool,
}

impl<'a> Declaration<'a> {
    /// The breach that it does again.
    pub(super) const fn mends(&self) -> Option<Hex32> {
        match self.declare.redo {
            Some(Redo::Breach(id)) => Some(id),
            _ => None,
        }
    }

    /// Whether no key of its selection is owed any more: all are opened, or it is forfeited (secrets 3, disputes 14).
    #[must_use]
    pub const fn is_answered(&self) -> bool {
        self.answered || !self.forfeits.is_empty()
    }

    /// Its contribution, if that is sealed.
    #[must_use]
    pub const fn sealed_contribution(&self) -> Option<SealedContribution> {
        match self.declare.contribution {
            Some(Contribution::Sealed(contribution)) => Some(contribution),
            _ => None,
        }
    }

    /// The number of its rolls.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.plan.as_ref().map_or(0, |plan| plan.count)
    }

    /// The number of the roll that takes its dice from a place, from 1.
    #[must_use]
    pub fn line_of(&self, place: Place) -> Option<u64> {
        let plan = self.plan.as_ref()?;
        plan.places.iter().position(|other| *other == place).map(|at| at as u64 + 1)
    }

    /// The places of its rolls, in their order.
    pub(super) fn places(&self) -> &[Place] {
        self.plan.as_ref().map_or(&[], |plan| &plan.places)
    }

    /// What its system makes of dice that are named: the dice in its order, all of them.
    pub(super) fn resolve_named(
        &self,
        terms: &Terms,
        orders: &[(Role, Object)],
        dice: &[u64],
        account: &mut Account,
    ) -> Result<Resolved> {
        let mut listed = Listed::new(dice);
        let resolved = self.resolve(terms, orders, &mut listed, account)?;
        listed.finish()?;
        Ok(resolved)
    }

    pub(super) fn resolve(
        &self,
        terms: &Terms,
        orders: &[(Role, Object)],
        source: &mut dyn resolve::Source,
        account: &mut Account,
    ) -> Result<Resolved> {
        let nothing = || Error::Refused("the declaration rolls for nothing".into());
        let plan = self.plan.as_ref().ok_or_else(nothing)?;
        let (_, phase) = terms.slot(&self.declare.slot).ok_or_else(nothing)?;
        let rolls = phase.system.resolver().read(&self.declare.input, self.declare.redo.is_some())?;
        let (state, mut draws) = (plan.state.read()?, Draws::new(source));
        let outcome = rolls.resolve(Given { state: &state, orders }, &plan.places, &mut draws, account)?;
        Ok((outcome, draws.into_trail()))
    }

    /// The state on which it is resolved.
    pub(super) fn state(&self) -> Option<Object> {
        self.plan.as_ref()?.state.read().ok()
    }

    /// Takes the dice that a forfeit's claim named.
    pub(super) fn take_named(&mut self, claim: Hex32, (outcome, trail): Resolved, is_lean: bool) {
        self.named_by = Some(claim);
        self.come_to(outcome, trail, is_lean);
    }

    fn come_to(&mut self, outcome: Outcome, trail: Vec<Draw>, is_lean: bool) {
        (self.outcome, self.trail) = (Some(outcome.ended), if is_lean { Vec::new() } else { trail });
        self.violations = outcome.violations;
    }

    /// From now on its dice are the declarer's to name.
    pub(super) fn forfeit(&mut self, node: &'a Node) {
        self.forfeits.push(node);
        if self.named_by.is_none() {
            self.outcome = None;
            self.violations.clear();
            self.trail.clear();
        }
    }
}

/// What it has come to, and the draws.
pub(super) type Resolved = (Outcome, Vec<Draw>);

/// What a valid declaration rolls for: its input is read anew when that is asked for, for letters are many.
struct Planned {
    count: u64,
    places: Vec<Place>,
    state: Text,
}

impl Planned {
    fn of(rolls: &dyn Rolls, state: &Object, places: Vec<Place>) -> Result<Self> {
        Ok(Self { count: rolls.count(), places, state: Text::of(state)? })
    }
}

/// What the rules make of a declaration that broke none.
#[derive(Default)]
struct Judged {
    plan: Option<Planned>,
    asked: Vec<Place>,
    standing: Vec<Hex32>,
    orders: Vec<Hex32>,
    before: Option<Hex32>,
}

impl<'a> Ledger<'a> {
    pub(super) fn take_declaration(
        &mut self,
        node: Played<'a>,
        declare: &'a Declare,
        common: Result<()>,
    ) -> Result<()> {
        let judged = common.and_then(|()| self.judge_declaration(node, declare));
        self.spend(node, declare);
        let (Judged { plan, asked, standing, orders, before }, checked) = match judged {
            Ok(judged) => (judged, Ok(())),
            Err(error) => (Judged::default(), Err(error)),
        };
        let valid = checked.is_ok();
        let broke = checked.as_ref().err().and_then(Error::rule);
        let excused = matches!(&checked, Err(error) if node.excuses(error));
        let own = self.own.of_mut(node.player);
        let again = broke.is_some_and(Rule::can_be_done_again) && !excused;
        if valid || again {
            own.pending.retain(|pending| !matches!(declare.redo, Some(Redo::Breach(id)) if id == *pending));
        }
        if again {
            own.pending.push(node.id());
        } else if !valid {
            own.beyond_repair.insert((declare.slot.turn, declare.slot.impulse, declare.slot.phase.clone()));
        }
        if valid {
            self.stand_in_slot(node, declare);
        }
        let declaration = Declaration {
            node,
            declare,
            valid,
            asked,
            replaced_by: Vec::new(),
            forfeits: Vec::new(),
            before,
            standing,
            orders,
            violations: Vec::new(),
            named_by: None,
            broke,
            again,
            outcome: None,
            trail: Vec::new(),
            plan,
            answered: false,
        };
        let contribution = declaration.sealed_contribution().map(|contribution| contribution.seal);
        self.declarations.insert(node.id(), declaration);
        self.declared.push(node.id());
        if valid {
            self.unanswered.push(node.id());
            if self.terms.time_witness().is_some() {
                self.untold.add(node.node());
            }
        }
        self.declared_in.entry((declare.slot.turn, declare.slot.impulse)).or_default().push(node.id());
        if let Some(seal) = declare.seal {
            self.declared_on.entry(seal).or_default().push(node.id());
        }
        if let Some(phase) = self.course_of(&node.id()).filter(|_| valid) {
            self.courses.declare(phase.system.name(), node.id(), declare.after);
        }
        for seal in declare.seal.into_iter().chain(contribution).filter(|_| valid) {
            if let Some(set) = self.sets.get_mut(&seal) {
                set.waiting.push(node.id());
            }
        }
        self.resolve(node.id());
        checked
    }

    /// What a declaration uses up, in breach or not (letters, Spending).
    fn spend(&mut self, node: Played<'a>, declare: &'a Declare) {
        let role = self.terms.role(node.player);
        let set = declare.seal.and_then(|id| self.sets.get(&id)).filter(|set| set.seal.declarer == *role);
        let set = set.map(|set| (set.node.id(), set.seal.kind, set.seal.n));
        let proposal = match declare.redo {
            Some(Redo::Agreed(acceptance)) => self.proposals.accepted(&acceptance),
            _ => None,
        };
        let own = self.own.of_mut(node.player);
        own.binding.push(node.node());
        own.slots.insert(declare.slot.clone(), node.id());
        if let Some(Redo::Agreed(acceptance)) = declare.redo {
            own.acceptances.entry(proposal.unwrap_or(acceptance)).or_insert(node.node());
        }
        let slot = &declare.slot;
        own.numbers.entry((slot.turn, slot.impulse, slot.phase.clone())).or_default().take(slot.number);
        match declare.contribution {
            Some(Contribution::Open(contribution)) => drop(own.contributions.insert(contribution)),
            Some(Contribution::Sealed(SealedContribution { index, seal })) => {
                own.named_indices.entry(seal).or_default().insert(index);
            }
            None => {}
        }
        match (set, &declare.select) {
            (Some((id, SetKind::Coin | SetKind::Plain, _)), _) => {
                own.named_sets.insert(id);
            }
            (Some((id, SetKind::FoulUp, n)), Some(Select::FoulUp(select))) if select.index < n => {
                own.named_indices.entry(id).or_default().insert(select.index);
            }
            (Some((id, SetKind::Sheet, _)), Some(Select::Cells(cells))) => {
                let named = own.named_cells.entry(id).or_default();
                for Pair(column, row) in cells {
                    if *column < COLUMNS as u64 && (1..=ROWS as u64).contains(row) {
                        let depth = named.entry(*column).or_insert(0);
                        *depth = (*depth).max(*row);
                    }
                }
            }
            _ => {}
        }
    }

    /// A valid declaration stands in its slot, and replaces the one that it does again.
    fn stand_in_slot(&mut self, node: Played<'a>, declare: &'a Declare) {
        self.declared_slots.entry(declare.slot.clone()).or_default().push(node.node());
        match declare.redo {
            Some(Redo::Breach(_) | Redo::Agreed(_)) => {
                let replaced = self.replaced(declare.redo).and_then(|id| self.declarations.get_mut(&id));
                if let Some(old) = replaced {
                    old.replaced_by.push(node.node());
                    self.courses.disturb(node.node());
                }
            }
            Some(Redo::Opened(_)) | None => {
                let key = self.terms.slot(&declare.slot).map(|(key, _)| key);
                if !self.is_of_course(&declare.slot) {
                    let own = self.own.of_mut(node.player);
                    own.last_slot = own.last_slot.max(key);
                }
            }
        }
    }

    /// The declaration that an agreed redo replaces, or the redo of a breach of such a redo.
    pub(super) fn replaced(&self, mut redo: Option<Redo>) -> Option<Hex32> {
        loop {
            match redo? {
                Redo::Agreed(acceptance) => return self.proposals.agreed_declaration(&acceptance),
                Redo::Breach(id) => redo = self.declarations.get(&id)?.declare.redo,
                Redo::Opened(_) => return None,
            }
        }
    }

    fn judge_declaration(&self, node: Played<'a>, declare: &Declare) -> Result<Judged> {
        let phase = self.check_slot(node, declare)?;
        self.check_redo(node, declare)?;
        let course = self.check_place(node, declare, phase)?;
        self.check_moves(node, declare, phase)?;
        let redo = declare.redo.is_some();
        let refuse = |error: Error| Error::breach(Rule::Declare4, error.to_string());
        let rolls = phase.system.resolver().read(&declare.input, redo).map_err(refuse)?;
        if rolls.canonical()? != declare.input {
            return Err(Error::breach(Rule::Declare4, "the input is not in its canonical form: sorted and normalised"));
        }
        let rolled = (declare.seal, &declare.contribution, &declare.select);
        if rolls.count() == 0 {
            if course.is_some() {
                return Err(Error::breach(Rule::Declare4, "in a course every declaration rolls"));
            }
            return match rolled {
                (None, None, None) => {
                    let plan = Some(Planned::of(rolls.as_ref(), &Object::new(), Vec::new())?);
                    Ok(Judged { plan, ..Judged::default() })
                }
                _ => Err(Error::breach(Rule::Declare5, "nothing is rolled for, so nothing is selected")),
            };
        }
        let (Some(seal), Some(contribution), Some(select)) = rolled else {
            return Err(Error::breach(Rule::Declare5, "seal, contribution and select are needed for rolls"));
        };
        let set = self.check_set(node, declare, phase, seal)?;
        self.check_decisions(&node, &declare.slot, phase)?;
        self.check_contribution(node, phase, contribution)?;
        let in_course = course.is_some();
        let (before, state) = match (course, set.seal.kind) {
            (Some(course), _) => course,
            (None, SetKind::Sheet) => (None, self.spent_for(&seal, node)),
            (None, _) => (None, Object::new()),
        };
        let (places, expected) = if redo {
            self.plan_redo(node, set, rolls.count())?
        } else {
            let plan = rolls.plan(&state).map_err(|error| Error::breach(Rule::Declare9, error.to_string()))?;
            (plan.places, plan.select)
        };
        if expected.as_ref() != Some(select) {
            return Err(Error::breach(Rule::Declare9, describe(expected.as_ref(), select)));
        }
        let asked = asked(set.seal.kind, &places);
        if matches!(set.seal.kind, SetKind::Coin | SetKind::Plain) {
            if self.own.of(node.player).named_sets.contains(&seal) {
                return Err(Error::breach(Rule::Declare10, "the set was named by a declaration before"));
            }
            if asked.iter().any(|place| set.opened_for(*place, &node)) {
                return Err(Error::breach(Rule::Declare10, "an envelope that it selects was opened before"));
            }
        }
        rolls.fits(&state).map_err(|error| Error::breach(Rule::Declare15, error.to_string()))?;
        let standing = if in_course { self.standing_for(node, &declare.slot) } else { Vec::new() };
        let orders = if in_course { self.orders_for(&node, &declare.slot, phase) } else { Vec::new() };
        let plan = Some(Planned::of(rolls.as_ref(), &state, places)?);
        Ok(Judged { plan, asked, standing, orders, before })
    }

    /// Whether a player may declare nothing more in the place of a slot: both players order there at once, and this player
    /// has a declaration beyond repair there (declare 20).
    pub(super) fn is_spoilt(&self, player: Player, slot: &Slot) -> bool {
        let phase = self.terms.slot(slot).map(|(_, phase)| phase);
        let ordered = phase.is_some_and(|phase| phase.decisions.iter().any(|decision| decision.by == By::Both));
        ordered && self.own.of(player).beyond_repair.contains(&(slot.turn, slot.impulse, slot.phase.clone()))
    }

    /// declare 14 and 16 to 18; in a course it gives the declaration that was taken before, and the state.
    fn check_place(
        &self,
        node: Played<'_>,
        declare: &Declare,
        phase: &Phase,
    ) -> Result<Option<(Option<Hex32>, Object)>> {
        if phase.system.resolver().course().is_some() {
            return self.check_course(node, declare, phase).map(Some);
        }
        if declare.after.is_some() {
            return Err(Error::breach(Rule::Declare14, "after is null outside courses"));
        }
        if matches!(declare.redo, None | Some(Redo::Opened(_))) {
            self.check_between(node.player, &declare.slot, &|letter: &Node| node.has_in_past(letter))?;
        }
        Ok(None)
    }

    /// declare 1 and 2.
    fn check_slot(&self, node: Played<'_>, declare: &Declare) -> Result<&'a Phase> {
        let slot = &declare.slot;
        let (key, phase) = self
            .terms
            .slot(slot)
            .filter(|(_, phase)| phase.may_be_declared_by(node.player))
            .ok_or_else(|| Error::breach(Rule::Declare1, format!("{slot} is no slot that the author declares")))?;
        if matches!(declare.redo, Some(Redo::Breach(_))) {
            return Ok(phase);
        }
        let own = self.own.of(node.player);
        if self.pending_if(node.player, &|letter: &Node| node.has_in_past(letter)).next().is_some() {
            return Err(Error::breach(
                Rule::Declare2,
                "a declaration of the author is in breach and is to be done again first",
            ));
        }
        if matches!(declare.redo, Some(Redo::Agreed(_))) {
            return Ok(phase);
        }
        if self.redo_is_due(node) {
            return Err(Error::breach(Rule::Declare2, "a redo was agreed on and comes first"));
        }
        if self.open_changes(node.player, |letter| node.has_in_past(letter)).any(|(_, again)| again) {
            return Err(Error::breach(
                Rule::Declare2,
                "a proposal of the author's to do a declaration again waits for its answer",
            ));
        }
        if own.slots.contains_key(slot) {
            return Err(Error::breach(Rule::Declare2, format!("{slot} was declared before")));
        }
        let next = self.next_number(node.player, slot.turn, slot.impulse, &slot.phase);
        if slot.number != next {
            return Err(Error::breach(Rule::Declare2, format!("the next number is {next}, not {}", slot.number)));
        }
        if self.is_spoilt(node.player, slot) {
            return Err(Error::breach(
                Rule::Declare2,
                "the author has a declaration beyond repair in this place, and nobody orders again after reading the other's orders",
            ));
        }
        let in_course = phase.system.resolver().course().is_some();
        if !in_course && own.last_slot.is_some_and(|last| key <= last) {
            return Err(Error::breach(
                Rule::Declare2,
                format!("{slot} lies behind: the author has declared a later slot"),
            ));
        }
        Ok(phase)
    }

    /// declare 11, 12 and 13 as far as they need no plan.
    fn check_redo(&self, node: Played<'_>, declare: &Declare) -> Result<()> {
        match declare.redo {
            None => Ok(()),
            Some(Redo::Breach(id)) => self.check_redo_of_breach(node, declare, id),
            Some(Redo::Agreed(id)) => {
                let breach = |text: &str| Err(Error::breach(Rule::Declare12, text));
                let Some(proposal) = self.proposals.agreed(&id) else {
                    return breach("it names no valid acceptance");
                };
                let named = self.proposals.accepted(&id).unwrap_or(id);
                if self.own.of(node.player).acceptances.contains_key(&named) {
                    return breach("a declaration named an acceptance of this proposal before");
                }
                if self.any_void(&proposal.declaration, |letter| node.has_in_past(letter)) {
                    return breach("a roll of the declaration agreed on is void");
                }
                let Some(input) = &proposal.input else {
                    return breach("the agreement keeps the dice");
                };
                let old = self
                    .declarations
                    .get(&proposal.declaration)
                    .filter(|old| old.node.player == node.player && old.declare.slot == declare.slot);
                let Some(old) = old.filter(|old| old.replaced_by.is_empty()) else {
                    return breach(
                        "the declaration agreed on is not the author's, not of this slot, or done again already",
                    );
                };
                if *input != declare.input || old.declare.moves != declare.moves {
                    return breach("a redo has the agreed input and the old moves");
                }
                Ok(())
            }
            Some(Redo::Opened(id)) => self.check_opened(node, declare, id),
        }
    }

    /// declare 11.
    fn check_redo_of_breach(&self, node: Played<'_>, declare: &Declare, id: Hex32) -> Result<()> {
        let breach = |text: &str| Err(Error::breach(Rule::Declare11, text));
        let known = |letter: &Node| node.has_in_past(letter);
        let pending = self.pending_if(node.player, &known).find(|pending| *pending == id);
        let old = pending.and_then(|id| self.declarations.get(&id)).filter(|old| old.declare.slot == declare.slot);
        let Some(old) = old else {
            return breach("it does not name the author's last declaration, of this slot, that is to be done again");
        };
        if old.declare.moves != declare.moves && old.broke != Some(Rule::Declare3) {
            return breach("a redo keeps the moves");
        }
        let moved = self.is_of_course(&declare.slot)
            && self.replaced(declare.redo).is_none()
            && old.declare.after != declare.after;
        let any = old.broke == Some(Rule::Declare15) || moved;
        if !any && self.for_redo(old.declare).is_some_and(|input| input != declare.input) {
            return breach("a redo keeps the input");
        }
        Ok(())
    }

    /// The input of a declaration in the form for a redo, if its system can read it.
    fn for_redo(&self, old: &Declare) -> Option<Text> {
        let (_, phase) = self.terms.slot(&old.slot)?;
        let rolls = phase.system.resolver().read(&old.input, old.redo.is_some()).ok()?;
        rolls.for_redo().ok()
    }

    /// The declaration that a redo does again, and the input that it must have; none if its system cannot read the old one.
    #[must_use]
    pub fn to_redo(&self, redo: Redo) -> Option<(&'a Declare, Text)> {
        match redo {
            Redo::Breach(id) => {
                let old = self.declarations.get(&id)?.declare;
                Some((old, self.for_redo(old)?))
            }
            Redo::Agreed(acceptance) => {
                let proposal = self.proposals.agreed(&acceptance)?;
                Some((self.declarations.get(&proposal.declaration)?.declare, proposal.input.clone()?))
            }
            Redo::Opened(_) => None,
        }
    }

    /// The letter that opened one of the envelopes of these places, if one did: they cannot be used any more (declare 13).
    #[must_use]
    pub fn opened_by(&self, seal: &Hex32, places: &[Place]) -> Option<Hex32> {
        let set = self.sets.get(seal).filter(|set| matches!(set.seal.kind, SetKind::Coin | SetKind::Plain))?;
        let mut openings = asked(set.seal.kind, places).into_iter().flat_map(|place| set.openings_of(place));
        openings.next().map(|opening| opening.node.id())
    }

    /// declare 13.
    fn check_opened(&self, node: Played<'_>, declare: &Declare, opener: Hex32) -> Result<()> {
        let breach =
            || Error::breach(Rule::Declare13, "it names no letter that opened an envelope of this worksheet unasked");
        let purpose = declare.slot.to_string();
        let (_, phase) = self.terms.slot(&declare.slot).ok_or_else(breach)?;
        let kind = match phase.source {
            Source::Coin => SetKind::Coin,
            Source::Plain => SetKind::Plain,
            Source::Sheet => return Err(breach()),
        };
        let mut sets = self.sets_for(node.player.other(), kind, &purpose);
        let set = sets.find(|set| !self.kills(&set.node.id(), &node)).ok_or_else(breach)?;
        let rolls = phase.system.resolver().read(&declare.input, true).map_err(|_| breach())?;
        let plan = rolls.plan(&Object::new()).map_err(|_| breach())?;
        let opened = asked(kind, &plan.places).into_iter().any(|place| {
            set.openings_of(place).any(|opening| opening.node.id() == opener && node.has_in_past(opening.node))
        });
        if opened { Ok(()) } else { Err(breach()) }
    }

    /// Whether a redo has the moves of a declaration that kept declare 3.
    fn repeats_moves(&self, declare: &Declare) -> bool {
        match declare.redo {
            Some(Redo::Agreed(_)) => true,
            Some(Redo::Breach(id)) => self.declarations.get(&id).is_some_and(|old| old.broke != Some(Rule::Declare3)),
            Some(Redo::Opened(_)) | None => false,
        }
    }

    /// declare 3.
    fn check_moves(&self, node: Played<'_>, declare: &Declare, phase: &Phase) -> Result<()> {
        let Moves::Note(note) = &declare.moves else {
            return self.check_sheet(declare, phase);
        };
        let set = self
            .sets
            .get(&note.seal)
            .filter(|set| set.valid && set.seal.kind == SetKind::Note && set.node.player == node.player)
            .filter(|_| self.repeats_moves(declare) || !self.kills(&note.seal, &node));
        let slot = set.and_then(|set| self.note_slot(&set.seal.purpose));
        if slot.as_ref() != Some(&declare.slot) {
            return Err(Error::breach(
                Rule::Declare3,
                "the moves are not in a note that the author sealed for this slot",
            ));
        }
        self.check_sheet(declare, phase)
    }

    /// declare 6.
    fn check_set(&self, node: Played<'_>, declare: &Declare, phase: &Phase, seal: Hex32) -> Result<&Set<'a>> {
        let breach = |text: &str| Error::breach(Rule::Declare6, text);
        let role = self.terms.role(node.player);
        let set = self
            .sets
            .get(&seal)
            .filter(|set| set.valid && set.seal.declarer == *role)
            .ok_or_else(|| breach("the set is not valid, or not sealed for the author"))?;
        if self.kills(&seal, &node) {
            return Err(breach("a ruling has killed the set"));
        }
        let wanted = match (&declare.redo, phase.source) {
            (Some(_), _) => SetKind::FoulUp,
            (None, Source::Coin) => SetKind::Coin,
            (None, Source::Sheet) => SetKind::Sheet,
            (None, Source::Plain) => SetKind::Plain,
        };
        if set.seal.kind != wanted {
            return Err(breach("the set is not of the kind that this declaration takes its dice from"));
        }
        if matches!(wanted, SetKind::Coin | SetKind::Plain) && set.seal.purpose != declare.slot.to_string() {
            return Err(breach("the set is sealed for another slot"));
        }
        Ok(set)
    }

    /// The lines of the next foul-up envelope (declare 9).
    fn plan_redo(&self, node: Played<'_>, set: &Set<'_>, lines: u64) -> Result<(Vec<Place>, Option<Select>)> {
        let opened = |index| set.opened_for(Place { index, line: 0 }, &node);
        self.next_foul_up(node.player, set, lines, opened)
    }

    /// The lines of the lowest envelope of a foul-up set that is neither named nor, as far as is known, opened.
    pub(super) fn next_foul_up(
        &self,
        player: Player,
        set: &Set<'_>,
        lines: u64,
        opened: impl Fn(u64) -> bool,
    ) -> Result<(Vec<Place>, Option<Select>)> {
        let index = self
            .next_index(player, set, opened)
            .ok_or_else(|| Error::breach(Rule::Declare9, "no envelope of the foul-up set is left"))?;
        let places = (1..=lines).map(|line| Place { index, line }).collect();
        Ok((places, Some(Select::FoulUp(Lines { index, lines }))))
    }

    /// The lowest envelope of a set that its declarer has not named and that, as far as is known, is not opened.
    pub(super) fn next_index(&self, player: Player, set: &Set<'_>, opened: impl Fn(u64) -> bool) -> Option<u64> {
        let named = self.own.of(player).named_indices.get(&set.node.id());
        (0..set.seal.n).find(|index| !named.is_some_and(|named| named.contains(index)) && !opened(*index))
    }

    /// Whether any key of a declaration's selection is opened in the past of a letter.
    pub(super) fn any_opened_for(&self, declaration: &Declaration<'_>, node: &Node) -> bool {
        let set = declaration.declare.seal.and_then(|seal| self.sets.get(&seal));
        set.is_some_and(|set| declaration.asked.iter().any(|place| set.opened_for(*place, node)))
    }

    /// Resolves whatever a new key of a set completes.
    pub(super) fn resolve_waiting(&mut self, seal: Hex32) {
        let Some(set) = self.sets.get_mut(&seal) else { return };
        for id in std::mem::take(&mut set.waiting) {
            self.resolve(id);
            let waits = self.declarations.get(&id).is_some_and(|declaration| declaration.outcome.is_none());
            if let (true, Some(set)) = (waits, self.sets.get_mut(&seal)) {
                set.waiting.push(id);
            }
        }
    }

    /// What the keys at hand make of a valid declaration, whether it is forfeited or not.
    pub(super) fn dice_of(&self, declaration: &Declaration<'_>, account: &mut Account) -> Option<Resolved> {
        if self.is_hidden(declaration.declare) {
            return self.unseen(declaration, account);
        }
        let contribution = declaration.contribution_seed(&self.sets, &|_| None)?;
        let mut source = Opened::of(declaration, contribution, &self.sets);
        declaration.resolve(self.terms, &self.say(&declaration.orders), &mut source, account).ok()
    }

    fn resolve(&mut self, id: Hex32) {
        let Some(declaration) = self.declarations.get(&id) else { return };
        let answered = declaration.valid && self.answered_if(declaration, |_| true);
        let may = answered && declaration.forfeits.is_empty();
        let resolved = may.then(|| self.dice_of(declaration, &mut Account::none())).flatten();
        if let Some((outcome, _)) = resolved.as_ref().filter(|_| self.is_of_course(&declaration.declare.slot)) {
            self.courses.keep(id, Arc::new(outcome.state.clone()));
        }
        if let Some(declaration) = self.declarations.get_mut(&id) {
            declaration.answered |= answered;
            if answered {
                self.unanswered.retain(|open| *open != id);
            }
            if let Some((outcome, trail)) = resolved {
                declaration.come_to(outcome, trail, self.is_lean);
            }
        }
    }

    /// A judged declaration.
    #[must_use]
    pub fn declaration(&self, id: &Hex32) -> Option<&Declaration<'a>> {
        self.declarations.get(id)
    }

    /// The judged declarations, in the order of replay.
    pub fn declarations(&self) -> impl Iterator<Item = &Declaration<'a>> {
        self.declared.iter().filter_map(|id| self.declarations.get(id))
    }

    /// The judged declarations of the slot's impulse, or on the set, of a declaration.
    pub(super) fn declared_like(&self, declare: &Declare) -> impl Iterator<Item = &Declaration<'a>> {
        let slot = self.declared_in.get(&(declare.slot.turn, declare.slot.impulse)).into_iter().flatten();
        let set = declare.seal.and_then(|seal| self.declared_on.get(&seal)).into_iter().flatten();
        slot.chain(set).filter_map(|id| self.declarations.get(id))
    }

    /// The valid ones of which somebody owes keys, in the order of replay.
    pub fn unanswered(&self) -> impl Iterator<Item = &Declaration<'a>> {
        self.unanswered.iter().filter_map(|id| self.declarations.get(id))
    }

    /// The valid declarations of a slot that no redo replaces, in the order of replay. In a course whose state says who declares,
    /// each player may have one there.
    pub fn standing_at(&self, slot: &Slot) -> impl Iterator<Item = &Declaration<'a>> {
        let declared = self.declared_slots.get(slot).into_iter().flatten();
        let declared = declared.filter_map(|node| self.declarations.get(&node.id()));
        declared.filter(|declared| declared.replaced_by.is_empty())
    }

    /// Whether both players have declarations under the slot of this one, so that the slot alone does not say which is meant.
    #[must_use]
    pub fn shares_slot(&self, declaration: &Declaration<'_>) -> bool {
        let mut declared = self.declared_slots.get(&declaration.declare.slot).into_iter().flatten();
        declared.any(|node| node.author != declaration.node.author)
    }

    /// What the letter of an id says, if it is placed in this game.
    #[must_use]
    pub fn body(&self, id: &Hex32) -> Option<&'a Body> {
        self.nodes.get(id).map(|node| node.message.body())
    }
}

/// The places whose keys the declaration's own `select` states (ruling 8).
pub(super) fn stated(declare: &Declare) -> Vec<Place> {
    let places =
        |pairs: &[Pair]| pairs.iter().map(|Pair(index, line)| Place { index: *index, line: *line }).collect::<Vec<_>>();
    match &declare.select {
        Some(Select::Worksheet(worksheet)) => asked(SetKind::Coin, &places(&worksheet.rows)),
        Some(Select::Cells(cells)) => asked(SetKind::Sheet, &places(cells)),
        Some(Select::FoulUp(select) | Select::Plain(select)) => vec![Place { index: select.index, line: 0 }],
        None => Vec::new(),
    }
}

/// The places whose keys a reveal must give (reveal 4).
fn asked(kind: SetKind, places: &[Place]) -> Vec<Place> {
    let mut asked: Vec<Place> = Vec::new();
    if kind == SetKind::Sheet {
        let mut deepest: BTreeMap<u64, u64> = BTreeMap::new();
        for place in places {
            let row = deepest.entry(place.index).or_insert(0);
            *row = place.line.max(*row);
        }
        return deepest.into_iter().map(|(index, line)| Place { index, line }).collect();
    }
    for place in places {
        let envelope = Place { index: place.index, line: 0 };
        if asked.last() != Some(&envelope) {
            asked.push(envelope);
        }
    }
    asked
}

/// Says how a selection differs from what the rules compute.
fn describe(expected: Option<&Select>, select: &Select) -> String {
    match (expected, select) {
        (Some(Select::Worksheet(expected)), Select::Worksheet(select)) if expected.total != select.total => {
            format!("the total is {}, not {}", expected.total, select.total)
        }
        (Some(Select::Worksheet(expected)), Select::Worksheet(select)) if expected.index != select.index => {
            format!("the index is {}, not {}", expected.index, select.index)
        }
        (Some(Select::Worksheet(_)), Select::Worksheet(_)) => "an attack takes another row".into(),
        (Some(Select::FoulUp(expected)), Select::FoulUp(_)) => {
            format!("the next foul-up envelope is {} with {} lines", expected.index, expected.lines)
        }
        _ => "this is not the selection that the rules compute".into(),
    }
}

/// The streams of a declaration's opened places.
pub(super) struct Opened<'s, 'a> {
    declaration: Hex32,
    contribution: Secret,
    set: Option<&'s Set<'a>>,
    roots: BTreeMap<Place, [u8; 32]>,
    streams: BTreeMap<Place, Stream>,
}

impl<'s, 'a> Opened<'s, 'a> {
    /// Of a declaration whose contribution is known.
    pub(super) fn of(declaration: &Declaration<'_>, contribution: Secret, sets: &'s HashMap<Hex32, Set<'a>>) -> Self {
        Self {
            declaration: declaration.node.id(),
            contribution,
            set: declaration.declare.seal.and_then(|seal| sets.get(&seal)),
            roots: BTreeMap::new(),
            streams: BTreeMap::new(),
        }
    }

    fn stream(&mut self, place: Place) -> Option<Stream> {
        let set = self.set?;
        // An envelope has one root for all its rows; a cell has its own.
        let keyed = match set.seal.kind {
            SetKind::Sheet => place,
            _ => Place { index: place.index, line: 0 },
        };
        if !self.roots.contains_key(&keyed) {
            let key: Secret = set.key(keyed)?;
            let seed = set.context.seed(&key, keyed);
            let seal = set.node.id();
            let roots =
                Roots { seal: &seal.0, declaration: &self.declaration.0, contribution: self.contribution.expose() };
            self.roots.insert(keyed, roots.root(place.index, seed.expose()));
        }
        self.roots.get(&keyed).map(|root| Stream::new(roll_key(root, place.line)))
    }
}

impl resolve::Source for Opened<'_, '_> {
    fn draw(&mut self, place: Place, sides: u64) -> Result<u64> {
        if !self.streams.contains_key(&place) {
            let stream =
                self.stream(place).ok_or_else(|| Error::Refused(format!("envelope {} is not opened", place.index)))?;
            self.streams.insert(place, stream);
        }
        match self.streams.get_mut(&place) {
            Some(stream) => stream.draw(sides),
            None => Err(Error::Refused(format!("envelope {} is not opened", place.index))),
        }
    }
}
