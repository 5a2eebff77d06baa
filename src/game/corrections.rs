//! What both must sign because no machine can see it: foul-ups and voids, proposed, accepted or refused
//! (`protocol/letters.md`, correct).

use std::collections::HashMap;

use super::{
    charter::{Both, Player},
    declarations::Declaration,
    ledger::Ledger,
    order::{Node, Played},
};
use crate::{
    blob::{
        body::{Correct, Hex32, Proposal, Remedy, Slot, Voiding},
        disputes::Scope,
    },
    error::{Error, Result},
    rule::Rule,
};

/// What is proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proposed<'a> {
    /// A foul-up.
    FoulUp(&'a Proposal),
    /// Rolls are not to count.
    Void(&'a Voiding),
}

impl<'a> Proposed<'a> {
    /// The declarations that it concerns.
    #[must_use]
    pub fn declarations(self) -> &'a [Hex32] {
        match self {
            Self::FoulUp(proposal) => std::slice::from_ref(&proposal.declaration),
            Self::Void(voiding) => voiding.scope.declarations(),
        }
    }
}

/// Who answers a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answerer {
    /// The player who was asked.
    Player(Player),
    /// The referee in his place.
    Referee,
}

/// The proposals of a game and what was agreed.
#[derive(Default)]
pub(super) struct Proposals<'a> {
    valid: HashMap<Hex32, (Played<'a>, Proposed<'a>)>,
    on: HashMap<Hex32, Vec<Hex32>>,
    /// Each player's valid proposals to do a declaration again, and to void some, in the order of replay.
    again: Both<Vec<Hex32>>,
    voiding: Both<Vec<Hex32>>,
    /// Valid acceptances, and rulings in their place, by their own id.
    accepted: HashMap<Hex32, Hex32>,
    /// The rulings that agreed to a proposal.
    ruled: HashMap<Hex32, &'a Node>,
    /// Acceptances of a redo, in the order of replay.
    due: Vec<&'a Node>,
}

impl<'a> Proposals<'a> {
    /// The foul-up that an acceptance agreed to.
    pub(super) fn agreed(&self, acceptance: &Hex32) -> Option<&'a Proposal> {
        match self.valid.get(self.accepted.get(acceptance)?)? {
            (_, Proposed::FoulUp(proposal)) => Some(proposal),
            (_, Proposed::Void(_)) => None,
        }
    }

    /// The proposal that an acceptance is about.
    pub(super) fn accepted(&self, acceptance: &Hex32) -> Option<Hex32> {
        self.accepted.get(acceptance).copied()
    }

    /// The declaration that an acceptance is about.
    pub(super) fn agreed_declaration(&self, acceptance: &Hex32) -> Option<Hex32> {
        self.agreed(acceptance).map(|proposal| proposal.declaration)
    }
}

impl<'a> Ledger<'a> {
    pub(super) fn take_correct(&mut self, node: Played<'a>, correct: &'a Correct, common: Result<()>) -> Result<()> {
        common?;
        let proposed = match correct {
            Correct::Propose(proposal) => {
                self.check_proposal(node, proposal)?;
                Proposed::FoulUp(proposal)
            }
            Correct::Void(voiding) => {
                self.check_scope(Rule::Correct5, &node, &voiding.scope)?;
                Proposed::Void(voiding)
            }
            Correct::Accept(id) => {
                self.check_open(Rule::Correct4, &node, id, Answerer::Player(node.player))?;
                self.check_still_fits(Rule::Correct4, &node, id)?;
                self.agree(node.node(), *id);
                return Ok(());
            }
            Correct::Refuse(id) => return self.check_open(Rule::Correct4, &node, id, Answerer::Player(node.player)),
        };
        self.check_alone(node, proposed)?;
        self.proposals.valid.insert(node.id(), (node, proposed));
        match proposed {
            Proposed::FoulUp(proposal) if proposal.input.is_none() => {}
            Proposed::FoulUp(_) => self.proposals.again.of_mut(node.player).push(node.id()),
            Proposed::Void(_) => self.proposals.voiding.of_mut(node.player).push(node.id()),
        }
        for declaration in proposed.declarations() {
            self.proposals.on.entry(*declaration).or_default().push(node.id());
        }
        Ok(())
    }

    /// A proposal is accepted.
    pub(super) fn agree(&mut self, node: &'a Node, proposal: Hex32) {
        self.proposals.accepted.insert(node.id(), proposal);
        if node.author.player().is_none() {
            self.proposals.ruled.insert(proposal, node);
        }
        match self.proposals.valid.get(&proposal) {
            Some((_, Proposed::FoulUp(foul_up))) if foul_up.input.is_some() => self.proposals.due.push(node),
            Some((_, Proposed::Void(voiding))) => self.void(node, &voiding.scope),
            _ => {}
        }
    }

    fn check_proposal(&self, node: Played<'_>, proposal: &Proposal) -> Result<()> {
        let breach = |text: &str| Error::breach(Rule::Correct1, text);
        let declaration = self
            .declarations
            .get(&proposal.declaration)
            .filter(|declaration| declaration.valid)
            .ok_or_else(|| breach("the declaration is not valid"))?;
        if declaration.replaced_by.iter().any(|redo| node.has_in_past(redo)) {
            return Err(breach("the declaration was done again"));
        }
        if self.any_void(&proposal.declaration, |letter| node.has_in_past(letter)) {
            return Err(breach("a roll of the declaration is void"));
        }
        if !self.told_for(declaration, &node) {
            return Err(breach("wait for the reveal: an objection comes once all its dice are opened"));
        }
        if self.terms.player(&proposal.at_fault).is_none() {
            return Err(breach("at fault is no player"));
        }
        self.check_remedy(&node, proposal, declaration)
    }

    /// correct 3.
    fn check_alone(&self, node: Played<'_>, proposed: Proposed<'_>) -> Result<()> {
        let mut mine = proposed.declarations().iter().flat_map(|id| self.proposals.on.get(id).into_iter().flatten());
        let open = mine.any(|id| {
            let earlier = self.proposals.valid.get(id).map(|(earlier, _)| *earlier);
            earlier.is_some_and(|earlier| {
                earlier.player == node.player && node.has_in_past(&earlier) && !self.answered(&node, earlier)
            })
        });
        if open {
            return Err(Error::breach(Rule::Correct3, "an earlier proposal of the author on it waits for its answer"));
        }
        Ok(())
    }

    /// correct 2.
    fn check_remedy(&self, node: &Node, proposal: &Proposal, declaration: &Declaration<'_>) -> Result<()> {
        let Some(input) = &proposal.input else {
            return Ok(());
        };
        let breach = |text: String| Error::breach(Rule::Correct2, text);
        if self.is_hidden(declaration.declare) {
            return Err(breach("a hidden course keeps its sheets: void the declaration instead (hidden 3)".into()));
        }
        if self.terms.charter.foul_up.remedies.of(proposal.class) != Remedy::Redo {
            return Err(breach("the charter keeps the dice for this class of foul-up".into()));
        }
        if Player::BOTH.into_iter().any(|player| self.played_on(player, |letter| node.has_in_past(letter), declaration))
        {
            return Err(breach("somebody has played on after the reveal: the dice are kept".into()));
        }
        let (_, phase) =
            self.terms.slot(&declaration.declare.slot).ok_or_else(|| breach("the slot is not possible".into()))?;
        let refuse = |error: Error| breach(error.to_string());
        let rolls = phase.system.resolver().read(input, true).map_err(refuse)?;
        if rolls.canonical()? != *input {
            return Err(breach("the input is not in its canonical form".into()));
        }
        if let Some(state) = declaration.state().filter(|_| phase.system.resolver().course().is_some()) {
            if !self.is_taken_last(declaration, &|letter: &Node| node.has_in_past(letter)) {
                return Err(breach("the course has gone on from the declaration".into()));
            }
            rolls.fits(&state).map_err(refuse)?;
        }
        Ok(())
    }

    /// Whether a player has played on, as far as the known letters tell: signed another declaration, or a close, knowing
    /// the dice. What players know only grows along their chain, so the last such letter decides.
    fn played_on(&self, player: Player, known: impl Fn(&Node) -> bool, declaration: &Declaration<'_>) -> bool {
        let binding = &self.own.of(player).binding;
        let known = binding.partition_point(|letter| known(letter));
        let before = binding.iter().take(known).rev();
        let mut others = before.filter(|letter| letter.id() != declaration.node.id());
        others.next().is_some_and(|letter| self.any_opened_for(declaration, letter))
    }

    /// Whether an answer to a proposal is among the letters that are known: a letter of the other that knows it, or a
    /// ruling that agrees to it (correct 3).
    fn has_answer(&self, proposal: Played<'_>, known: impl Fn(&Node) -> bool) -> bool {
        self.is_read(proposal, &known) || self.proposals.ruled.get(&proposal.id()).is_some_and(|by| known(by))
    }

    /// Whether a letter of the other player that knows a proposal is among the letters that are known.
    fn is_read(&self, proposal: Played<'_>, known: impl Fn(&Node) -> bool) -> bool {
        let answer = self.letters_knowing(proposal.player.other(), &proposal).first();
        answer.is_some_and(|answer| known(answer))
    }

    /// Whether the past of a letter has an answer to a proposal.
    fn answered(&self, node: &Node, proposal: Played<'_>) -> bool {
        self.has_answer(proposal, |letter| node.has_in_past(letter))
    }

    /// That a proposal waits for its answer in the past of a letter (correct 4, ruling 7).
    pub(super) fn check_open(&self, rule: Rule, node: &Node, proposal: &Hex32, by: Answerer) -> Result<()> {
        let breach = |text: &str| Err(Error::breach(rule, text));
        let proposed = self.proposals.valid.get(proposal).map(|(proposed, _)| *proposed);
        let asked = proposed.filter(|proposed| by != Answerer::Player(proposed.player));
        match asked {
            None => breach("it answers no valid proposal of the other player"),
            Some(proposed) if self.answered(node, proposed) => {
                breach("the proposal has lapsed: an earlier letter answered it")
            }
            Some(_) => Ok(()),
        }
    }

    /// That what a proposal asks for can still be had in the past of a letter that agrees to it (correct 4, ruling 7; in a
    /// course, courses 10 and 11).
    pub(super) fn check_still_fits(&self, rule: Rule, node: &Node, proposal: &Hex32) -> Result<()> {
        let Some((asked, proposed)) = self.proposals.valid.get(proposal) else { return Ok(()) };
        if let Proposed::FoulUp(foul_up) = proposed
            && foul_up.input.is_some()
            && let Some(declaration) = self.declarations.get(&foul_up.declaration)
        {
            let known = |letter: &Node| node.has_in_past(letter);
            if Player::BOTH.into_iter().any(|player| self.played_on(player, known, declaration)) {
                return Err(Error::breach(rule, "somebody has played on after the reveal: the dice are kept"));
            }
            let known = |letter: &Node| asked.has_in_past(letter);
            if self.crossing_rolls(declaration, &known).any(|roll| node.has_in_past(&roll.node)) {
                return Err(Error::breach(
                    rule,
                    "another roll, of a set of the office's, was not open for the proposal: whoever is asked may have seen its dice",
                ));
            }
        }
        if !self.any_of_course(proposed.declarations()) {
            return Ok(());
        }
        let known = |letter: &Node| node.has_in_past(letter);
        let declared = |id: &Hex32| self.declarations.get(id);
        match proposed {
            Proposed::Void(voiding) => self.check_scope(rule, node, &voiding.scope),
            Proposed::FoulUp(Proposal { declaration, input: Some(_), .. })
                if declared(declaration).is_some_and(|found| !self.is_taken_last(found, &known)) =>
            {
                Err(Error::breach(rule, "the course has gone on from the declaration"))
            }
            Proposed::FoulUp(_) => Ok(()),
        }
    }

    /// The valid declarations on sets of the office's, other than a proposal's own, that are neither answered nor forfeited as
    /// far as the letters tell that the proposal knows: whoever is asked may have had them opened before he answers (correct 4).
    fn crossing_rolls(
        &self,
        declaration: &Declaration<'_>,
        known: &impl Fn(&Node) -> bool,
    ) -> impl Iterator<Item = &Declaration<'a>> {
        let others = self.declarations.values().filter(|other| other.node.id() != declaration.node.id());
        let offices = others.filter(|other| {
            let set = other.declare.seal.and_then(|seal| self.sets.get(&seal));
            other.valid && set.is_some_and(|set| self.is_offices(set.seal))
        });
        offices.filter(move |other| {
            !other.forfeits.iter().any(|forfeit| known(forfeit)) && !self.answered_if(other, known)
        })
    }

    /// The declarations that a player has proposed to void or to do again, which of these it is (`true`: to do again), without an
    /// answer among the letters that are known.
    pub(super) fn open_changes<'s>(
        &'s self,
        player: Player,
        known: impl Fn(&Node) -> bool + Clone + 's,
    ) -> impl Iterator<Item = (Hex32, bool)> + 's {
        let proposals = &self.proposals;
        let again = self.open_of(proposals.again.of(player), known.clone()).map(|change| (change, true));
        let voiding = self.open_of(proposals.voiding.of(player), known).map(|change| (change, false));
        let open = again.chain(voiding);
        open.flat_map(|(change, again)| change.declarations().iter().map(move |id| (*id, again)))
    }

    /// Those of a player's proposals that have no answer among the letters that are known. They are looked through from the last
    /// one back: a letter that knows one knows all before it.
    fn open_of<'s>(
        &'s self,
        proposals: &'s [Hex32],
        known: impl Fn(&Node) -> bool + 's,
    ) -> impl Iterator<Item = Proposed<'a>> + 's {
        let last = proposals.iter().rev().filter_map(|id| self.proposals.valid.get(id));
        let open = last.map_while(move |(proposed, change)| match self.is_read(*proposed, &known) {
            true => None,
            false => Some((!self.has_answer(*proposed, &known)).then_some(*change)),
        });
        open.flatten()
    }

    /// Whether a proposal of a player's waits for its answer with all letters at hand, so that he signs nothing of this slot
    /// before (declare 2, 16, decide 4): one to do a declaration again, or in a course to void one of a course.
    #[must_use]
    pub fn waits_for_answer(&self, player: Player, slot: &Slot, rolls: bool) -> bool {
        let here = |id: &Hex32| self.is_of_course(slot) && self.course_of(id).is_some();
        self.open_changes(player, |_| true).any(|(id, again)| again && rolls || here(&id))
    }

    /// The redos that are due, as far as letters that are known tell (letters, Foul-up; courses 10).
    pub(super) fn redos_due_if(&self, known: &impl Fn(&Node) -> bool) -> impl Iterator<Item = Due> {
        self.proposals.due.iter().filter(|acceptance| known(acceptance)).filter_map(move |acceptance| {
            let acceptance = acceptance.id();
            let proposal = self.proposals.accepted.get(&acceptance)?;
            let declaration = self.proposals.agreed_declaration(&acceptance)?;
            let old = self.declarations.get(&declaration)?;
            let player = old.node.player;
            // In a course it is due until it is validly done.
            let named = self.own.of(player).acceptances.get(proposal);
            let named = named.filter(|_| !self.is_of_course(&old.declare.slot));
            let off = named.is_some_and(|named| known(named))
                || old.replaced_by.iter().any(|redo| known(redo))
                || self.any_void(&declaration, known)
                || !self.is_taken_last(old, known);
            (!off).then_some(Due { acceptance, declaration, player })
        })
    }

    /// The declaration that an acceptance is about.
    pub(super) fn agreed_declaration(&self, acceptance: &Hex32) -> Option<Hex32> {
        self.proposals.agreed_declaration(acceptance)
    }

    /// The valid proposals of the other player that no letter of this one knows yet, with the slot that each is about.
    pub fn open_proposals(&self, player: Player) -> impl Iterator<Item = (Hex32, Slot)> {
        let last = self.last_letter(player);
        let open = self.proposals.valid.values().filter(move |(proposed, _)| {
            let known = last.is_some_and(|last| last.has_in_past(proposed));
            proposed.player != player && !known && !self.proposals.ruled.contains_key(&proposed.id())
        });
        let mut open: Vec<_> = open.collect();
        open.sort_by_key(|(proposed, _)| proposed.message.head().number);
        open.into_iter().filter_map(|(proposed, proposal)| {
            let declaration = self.declarations.get(proposal.declarations().first()?)?;
            Some((proposed.id(), declaration.declare.slot.clone()))
        })
    }

    /// The slots of rolls that keep everybody from agreeing to a redo of a declaration, if it is proposed, or was in a certain
    /// letter: of sets of the office's, and not open for that (correct 4, ruling 7).
    #[must_use]
    pub fn bars_redo(&self, declaration: &Hex32, proposal: Option<&Hex32>) -> Vec<&'a Slot> {
        let Some(declaration) = self.declarations.get(declaration) else { return Vec::new() };
        let proposed = proposal.and_then(|id| self.proposals.valid.get(id)).map(|(proposed, _)| proposed.node());
        let known = |letter: &Node| proposed.is_none_or(|proposed| proposed.has_in_past(letter));
        self.crossing_rolls(declaration, &known).map(|roll| &roll.declare.slot).collect()
    }

    /// A valid proposal.
    #[must_use]
    pub fn proposal(&self, id: &Hex32) -> Option<Proposed<'a>> {
        self.proposals.valid.get(id).map(|(_, proposal)| *proposal)
    }

    /// The acceptances whose redo has not been made, and whose it is to make (letters, Foul-up).
    pub fn due_redos(&self) -> impl Iterator<Item = (Hex32, Player)> {
        self.redos_due_if(&|_: &Node| true).map(|due| (due.acceptance, due.player))
    }

    /// Whether an agreed redo of a declaration is still to be made.
    #[must_use]
    pub fn is_to_be_redone(&self, declaration: &Hex32) -> bool {
        self.redos_due_if(&|_: &Node| true).any(|due| due.declaration == *declaration)
    }

    /// Whether a player has played on after the dice of a declaration, so that the dice stay (correct 2).
    #[must_use]
    pub fn is_played_on(&self, declaration: &Hex32) -> bool {
        let all = |_: &Node| true;
        let declaration = self.declarations.get(declaration);
        declaration.is_some_and(|found| Player::BOTH.into_iter().any(|player| self.played_on(player, all, found)))
    }

    /// Whether a void includes the latest declaration of each course that it is about (disputes 2).
    #[must_use]
    pub fn void_fits(&self, scope: &Scope) -> bool {
        let within = scope.declarations();
        let mut courses = within.iter().filter_map(|id| self.course_of(id));
        courses.all(|phase| self.course(phase).last.is_none_or(|last| within.contains(&last)))
    }

    /// In a course the redo that comes before anything else about a slot, if one was agreed on and is due: its slot, and
    /// whose it is (courses 10). What is decided before it is decided on dice that are struck, and no declaration is taken.
    #[must_use]
    pub fn waits_for_redo(&self, slot: &Slot) -> Option<(&'a Slot, Player)> {
        let system = |slot: &Slot| self.terms.slot(slot).map(|(_, phase)| phase.system.name());
        let course = system(slot).filter(|_| self.is_of_course(slot))?;
        self.redos_due_if(&|_: &Node| true).find_map(|due| {
            let old = &self.declarations.get(&due.declaration)?.declare.slot;
            (system(old) == Some(course)).then_some((old, due.player))
        })
    }

    /// Whether a redo is due from the author of a letter, as far as its past knows.
    pub(super) fn redo_is_due(&self, node: Played<'_>) -> bool {
        self.redos_due_if(&|letter: &Node| node.has_in_past(letter)).any(|due| due.player == node.player)
    }
}

/// A redo that was agreed on, and has not been made.
pub(super) struct Due {
    acceptance: Hex32,
    /// The declaration that is to be done again.
    pub(super) declaration: Hex32,
    /// Whose it is.
    player: Player,
}
