//! Foul-ups that no machine can see: proposed, accepted or refused (`protocol/letters.md`, correct).

use std::collections::HashMap;

use super::{charter::Player, declarations::Declaration, ledger::Ledger, order::Node};
use crate::{
    blob::body::{Correct, Hex32, Proposal, Remedy, Slot},
    error::{Error, Result},
};

/// The proposals of a game and what was agreed.
#[derive(Default)]
pub(super) struct Proposals<'a> {
    valid: HashMap<Hex32, (&'a Node<'a>, &'a Proposal)>,
    on: HashMap<Hex32, Vec<Hex32>>,
    /// Valid acceptances, by their own id.
    accepted: HashMap<Hex32, Hex32>,
    /// Acceptances of a redo, in the order of replay.
    due: Vec<&'a Node<'a>>,
}

impl<'a> Proposals<'a> {
    /// The proposal that an acceptance agreed to.
    pub(super) fn agreed(&self, acceptance: &Hex32) -> Option<&'a Proposal> {
        let proposal = self.accepted.get(acceptance)?;
        self.valid.get(proposal).map(|(_, proposal)| *proposal)
    }

    /// The declaration that an acceptance is about.
    pub(super) fn agreed_declaration(&self, acceptance: &Hex32) -> Option<Hex32> {
        self.agreed(acceptance).map(|proposal| proposal.declaration)
    }
}

impl<'a> Ledger<'a> {
    pub(super) fn take_correct(&mut self, node: &'a Node<'a>, correct: &'a Correct, common: Result<()>) -> Result<()> {
        common?;
        match correct {
            Correct::Propose(proposal) => {
                self.check_proposal(node, proposal)?;
                self.proposals.valid.insert(node.id(), (node, proposal));
                self.proposals.on.entry(proposal.declaration).or_default().push(node.id());
            }
            Correct::Accept(id) => {
                self.check_answer(node, id)?;
                self.proposals.accepted.insert(node.id(), *id);
                if self.proposals.agreed(&node.id()).is_some_and(|proposal| proposal.input.is_some()) {
                    self.proposals.due.push(node);
                }
            }
            Correct::Refuse(id) => self.check_answer(node, id)?,
        }
        Ok(())
    }

    fn check_proposal(&self, node: &Node<'_>, proposal: &Proposal) -> Result<()> {
        let breach = |text: &str| Error::breach("correct 1", text);
        let declaration = self
            .declarations
            .get(&proposal.declaration)
            .filter(|declaration| declaration.valid)
            .ok_or_else(|| breach("the declaration is not valid"))?;
        if declaration.replaced_by.iter().any(|redo| node.has_in_past(redo)) {
            return Err(breach("the declaration was done again"));
        }
        if !self.opened_for(declaration, node) {
            return Err(breach("first the reveal, then the objection: its keys are not all opened"));
        }
        if self.terms.player(&proposal.at_fault).is_none() {
            return Err(breach("at fault is no player"));
        }
        self.check_remedy(node, proposal, declaration)?;
        let mine = self.proposals.on.get(&proposal.declaration).into_iter().flatten();
        let open = mine.filter_map(|id| self.proposals.valid.get(id)).any(|(earlier, _)| {
            earlier.player == node.player && node.has_in_past(earlier) && !self.answered(node, earlier)
        });
        if open {
            return Err(Error::breach("correct 3", "an earlier proposal of the author on it waits for its answer"));
        }
        Ok(())
    }

    /// correct 2.
    fn check_remedy(&self, node: &Node<'_>, proposal: &Proposal, declaration: &Declaration<'_>) -> Result<()> {
        let Some(input) = &proposal.input else {
            return Ok(());
        };
        let breach = |text: String| Error::breach("correct 2", text);
        if self.terms.charter.foul_up.remedies.of(proposal.class) != Remedy::Redo {
            return Err(breach("the charter keeps the dice for this class of foul-up".into()));
        }
        if Player::BOTH.into_iter().any(|player| self.played_on(player, node, declaration)) {
            return Err(breach("somebody has played on after the reveal: the dice are kept".into()));
        }
        let (_, phase) =
            self.terms.slot(&declaration.declare.slot).ok_or_else(|| breach("the slot is not possible".into()))?;
        let refuse = |error: Error| breach(error.to_string());
        let rolls = phase.system.resolver().read(input, true).map_err(refuse)?;
        if rolls.canonical()? != *input {
            return Err(breach("the input is not in its canonical form".into()));
        }
        Ok(())
    }

    /// Whether the past of a letter has another declaration, or a close, of a player that was signed knowing the dice.
    /// What a player knows only grows along his chain, so his last such letter tells.
    fn played_on(&self, player: Player, node: &Node<'_>, declaration: &Declaration<'_>) -> bool {
        let binding = &self.own.of(player).binding;
        let known = binding.partition_point(|letter| node.has_in_past(letter));
        let before = binding.iter().take(known).rev();
        let mut others = before.filter(|letter| letter.id() != declaration.node.id());
        others.next().is_some_and(|letter| self.any_opened_for(declaration, letter))
    }

    /// Whether the past of a letter has an answer to an earlier proposal: a letter of the other that knows it (correct 3).
    fn answered(&self, node: &Node<'_>, proposal: &Node<'_>) -> bool {
        let mut seen = node.message.head().seen.letters().filter_map(|id| self.nodes.get(&id));
        seen.any(|letter| letter.has_in_past(proposal))
    }

    /// The declaration that an acceptance is about.
    pub(super) fn agreed_declaration(&self, acceptance: &Hex32) -> Option<Hex32> {
        self.proposals.agreed_declaration(acceptance)
    }

    /// The valid proposals of the other player that no letter of this one knows yet, with the slot that each is about.
    pub fn open_proposals(&self, player: Player) -> impl Iterator<Item = (Hex32, Slot)> {
        let last = self.last_letter(player);
        let open = self.proposals.valid.values().filter(move |(proposed, _)| {
            proposed.player != player && !last.is_some_and(|last| last.has_in_past(proposed))
        });
        let mut open: Vec<_> = open.collect();
        open.sort_by_key(|(proposed, _)| proposed.message.head().number);
        open.into_iter().filter_map(|(proposed, proposal)| {
            let declaration = self.declarations.get(&proposal.declaration)?;
            Some((proposed.id(), declaration.declare.slot.clone()))
        })
    }

    /// A valid proposal.
    #[must_use]
    pub fn proposal(&self, id: &Hex32) -> Option<&'a Proposal> {
        self.proposals.valid.get(id).map(|(_, proposal)| *proposal)
    }

    /// The acceptances whose redo has not been made, and whose it is to make (letters, Foul-up).
    pub fn due_redos(&self) -> impl Iterator<Item = (Hex32, Player)> {
        self.proposals.due.iter().filter_map(|acceptance| {
            let declaration = self.proposals.agreed_declaration(&acceptance.id())?;
            let old = self.declarations.get(&declaration).filter(|old| old.replaced_by.is_empty())?;
            let named = self.own.of(old.node.player).acceptances.contains(&acceptance.id());
            (!named).then_some((acceptance.id(), old.node.player))
        })
    }

    /// Whether a redo is due from the author of a letter, as far as its past knows.
    pub(super) fn redo_is_due(&self, node: &Node<'_>) -> bool {
        let due = self.due_redos().filter(|(_, player)| *player == node.player);
        let mut due = due.filter_map(|(acceptance, _)| self.nodes.get(&acceptance));
        due.any(|acceptance| node.has_in_past(acceptance))
    }

    /// correct 4.
    fn check_answer(&self, node: &Node<'_>, proposal: &Hex32) -> Result<()> {
        let breach = |text: &str| Error::breach("correct 4", text);
        let (proposed, _) = self
            .proposals
            .valid
            .get(proposal)
            .filter(|(proposed, _)| proposed.player != node.player)
            .ok_or_else(|| breach("it answers no valid proposal of the other player"))?;
        let before = node.message.head().prev.and_then(|id| self.nodes.get(&id));
        if before.is_some_and(|before| before.has_in_past(proposed)) {
            return Err(breach("the proposal has lapsed: an earlier letter of the author knew it"));
        }
        Ok(())
    }
}
