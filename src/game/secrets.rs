//! What one player may know before the other: private rolls, sealed choices, orders at once (`protocol/secrets.md`).

use std::collections::HashMap;

use super::{
    charter::{By, Decision, Phase, Player},
    declarations::Declaration,
    hidden::Eyes,
    ledger::Ledger,
    order::{Node, Played, Standing},
    seals::Set,
    sets::Brought,
};
use crate::{
    blob::body::{Contribution, Hex32, Moves, Reveal, SealedContribution, SetKind, Slot},
    error::{Error, Result},
    primitive::secret::Secret,
    resolve::Place,
    rule::Rule,
};

/// The one place of a note.
pub(super) const NOTE: Place = Place { index: 0, line: 0 };

impl Declaration<'_> {
    /// What its declarer gave to its dice, if that is open or opened, or somebody's own (secrets 2).
    pub(super) fn contribution_seed(&self, sets: &HashMap<Hex32, Set<'_>>, eyes: &Eyes<'_>) -> Option<Secret> {
        match self.declare.contribution {
            Some(Contribution::Open(contribution)) => Some(Secret::new(contribution.0)),
            Some(Contribution::Sealed(SealedContribution { index, seal })) => {
                let place = Place { index, line: 0 };
                let set = sets.get(&seal)?;
                Some(set.context.seed(&set.key_by(place, eyes)?, place))
            }
            // Nothing is rolled for.
            None => Some(Secret::new([0; 32])),
        }
    }
}

impl<'a> Ledger<'a> {
    /// Whether every key of a declaration's selection is opened by letters that are known (secrets 3).
    pub(super) fn answered_if(&self, declaration: &Declaration<'_>, known: impl Fn(&Node) -> bool) -> bool {
        let set = declaration.declare.seal.and_then(|seal| self.sets.get(&seal));
        let opened = |place: &Place| set.is_some_and(|set| set.opened_if(*place, &known));
        declaration.asked.iter().all(opened)
    }

    /// Whether it is, in the past of a letter.
    pub(super) fn answered_for(&self, declaration: &Declaration<'_>, node: &Node) -> bool {
        self.answered_if(declaration, |letter| node.has_in_past(letter))
    }

    /// Whether all that its dice follow from is opened in the past of a letter (secrets 3).
    pub(super) fn shown_for(&self, declaration: &Declaration<'_>, node: &Node) -> bool {
        let contributed = declaration.sealed_contribution().is_none_or(|SealedContribution { index, seal }| {
            self.sets.get(&seal).is_some_and(|set| set.opened_for(Place { index, line: 0 }, node))
        });
        contributed && self.answered_for(declaration, node)
    }

    /// Whether its players know what to make of it in the past of a letter: it is shown there, or, in a hidden course,
    /// settled (hidden 3).
    pub(super) fn told_for(&self, declaration: &Declaration<'_>, node: &Node) -> bool {
        match self.is_hidden(declaration.declare) {
            true => self.settled_if(declaration, &|letter: &Node| node.has_in_past(letter)).is_some(),
            false => self.shown_for(declaration, node),
        }
    }

    /// declare 8.
    pub(super) fn check_contribution(
        &self,
        node: Played<'_>,
        phase: &Phase,
        contribution: &Contribution,
    ) -> Result<()> {
        let breach = |text: &str| Err(Error::breach(Rule::Declare8, text));
        match contribution {
            Contribution::Open(_) if phase.private => breach("in a private phase the contribution is sealed"),
            Contribution::Sealed(_) if !phase.private => breach("the contribution is open: the phase is not private"),
            Contribution::Open(open) if self.own.of(node.player).contributions.contains(open) => {
                breach("the contribution was used before")
            }
            Contribution::Open(_) => Ok(()),
            Contribution::Sealed(SealedContribution { index, seal }) => {
                let set = self.sets.get(seal).filter(|set| {
                    set.valid
                        && set.seal.kind == SetKind::Contribution
                        && set.node.player == node.player
                        && !self.kills(seal, &node)
                });
                let Some(set) = set else { return breach("it names no contribution set of the author") };
                let opened = |index| set.opened_for(Place { index, line: 0 }, &node);
                match self.next_index(node.player, set, opened) {
                    Some(next) if next == *index => Ok(()),
                    _ => breach("it is not the next envelope of the author's contribution set"),
                }
            }
        }
    }

    /// declare 7.
    pub(super) fn check_decisions(&self, node: &Node, slot: &Slot, phase: &Phase) -> Result<()> {
        let known = |letter: &Node| node.has_in_past(letter);
        match phase.decisions.iter().find(|decision| !self.is_ready(slot, decision, known)) {
            None => Ok(()),
            Some(decision) => {
                Err(Error::breach(Rule::Declare7, format!("the choice {} was not fixed before", decision.name)))
            }
        }
    }

    /// Whether letters that are known hold all that a declaration needs of a decision (declare 7).
    pub(super) fn is_ready(&self, slot: &Slot, decision: &Decision, known: impl Fn(&Node) -> bool) -> bool {
        let note = |player| {
            let mut notes = self.notes_for(player, slot, decision);
            notes.find(|set| known(&set.node) && !self.kills_if(&set.node.id(), &known))
        };
        match decision.by {
            By::Open(_) => self.decided_if(slot, &decision.name, known),
            By::Sealed(player) => note(player).is_some(),
            By::Both => {
                Player::BOTH.into_iter().all(|player| note(player).is_some_and(|set| set.opened_if(NOTE, &known)))
            }
        }
    }

    /// Whether a player has done his part of a decision, as far as all letters at hand tell; orders at once are opened
    /// apart.
    #[must_use]
    pub fn has_decided(&self, player: Player, slot: &Slot, decision: &Decision) -> bool {
        match decision.by {
            By::Open(_) => self.decided_if(slot, &decision.name, |_| true),
            By::Sealed(_) | By::Both => self.choice(player, slot, decision).is_some(),
        }
    }

    /// The first decision that a slot lacks, as far as all letters at hand tell.
    #[must_use]
    pub fn undecided<'p>(&self, slot: &Slot, phase: &'p Phase) -> Option<&'p Decision> {
        phase.decisions.iter().find(|decision| !self.is_ready(slot, decision, |_| true))
    }

    /// The valid note of a player for a choice.
    #[must_use]
    pub fn choice(&self, player: Player, slot: &Slot, decision: &Decision) -> Option<&Set<'a>> {
        self.notes_for(player, slot, decision).find(|set| !self.is_killed(&set.node.id()))
    }

    fn notes_for(&self, player: Player, slot: &Slot, decision: &Decision) -> impl Iterator<Item = &Set<'a>> {
        self.sets_for(player, SetKind::Note, &format!("{slot}/{}", decision.name))
    }

    /// The orders of a valid declaration: the notes of both that its past holds (courses 18).
    pub(super) fn orders_for(&self, node: &Node, slot: &Slot, phase: &Phase) -> Vec<Hex32> {
        let both = phase.decisions.iter().filter(|decision| decision.by == By::Both);
        let notes = both.flat_map(|decision| {
            Player::BOTH.into_iter().filter_map(|player| {
                let mut notes = self.notes_for(player, slot, decision);
                notes.find(|set| node.has_in_past(&set.node))
            })
        });
        notes.map(|set| set.node.id()).collect()
    }

    /// The seals of a player's notes that are due: choices of declared slots, and orders that both have sealed
    /// (secrets 8, 9). With the declaration that each is for.
    #[must_use]
    pub fn due_notes(&self, player: Player) -> Vec<(Option<Hex32>, &Set<'a>)> {
        let unread = || self.own.of(player).unread.iter().filter_map(|seal| self.sets.get(seal));
        let mut due = Vec::new();
        for set in unread() {
            let Some((slot, decision)) = self.decision_of(set) else { continue };
            let is_choice = |choice: &Set<'_>| choice.node.id() == set.node.id();
            if decision.by == By::Sealed(player) && self.choice(player, &slot, decision).is_some_and(is_choice) {
                let declared = self.declared_slots.get(&slot).into_iter().flatten();
                due.extend(declared.map(|declared| (Some(declared.id()), set)));
            }
        }
        let standing = self.due_standing(&|_: &Node| true).into_iter();
        let standing = standing.filter_map(|(on, seal)| Some((Some(on), self.sets.get(&seal)?)));
        due.extend(standing.filter(|(_, set)| set.node.player == player));
        for set in unread() {
            let other = || self.sealed(player.other(), SetKind::Note, &set.seal.purpose).is_some();
            if self.is_at_once(set) && other() {
                due.push((None, set));
            }
        }
        due
    }

    /// Whether a note of the other player is due in the past of a letter, and not opened there (claim 1).
    pub(super) fn is_note_due(&self, node: Played<'_>, seal: &Hex32) -> bool {
        let note = self.sets.get(seal).filter(|set| set.valid && set.node.player == node.player.other());
        let Some(note) = note.filter(|note| !note.opened_for(NOTE, &node)) else { return false };
        let Some((slot, decision)) = self.decision_of(note) else {
            return self.is_standing_due(seal, &|letter: &Node| node.has_in_past(letter));
        };
        match decision.by {
            By::Open(_) => false,
            By::Sealed(_) => {
                let mut declared = self.declared_slots.get(&slot).into_iter().flatten();
                declared.any(|declared| node.has_in_past(declared))
            }
            By::Both => self.notes_for(node.player, &slot, decision).any(|own| node.has_in_past(&own.node)),
        }
    }

    /// Whether a standing note is due, as far as letters that are known tell (courses 13).
    fn is_standing_due(&self, seal: &Hex32, known: &impl Fn(&Node) -> bool) -> bool {
        self.due_standing(known).iter().any(|(_, due)| due == seal)
    }

    /// Whether a note is one of orders at once (secrets 9, 10).
    pub(super) fn is_at_once(&self, set: &Set<'_>) -> bool {
        self.decision_of(set).is_some_and(|(_, decision)| decision.by == By::Both)
    }

    /// The decision that a note is for, and its slot.
    pub(super) fn decision_of(&self, set: &Set<'_>) -> Option<(Slot, &'a Decision)> {
        self.decision_named(&set.seal.purpose).filter(|_| set.seal.kind == SetKind::Note)
    }

    /// The decision in the purpose of a note, and its slot.
    fn decision_named(&self, purpose: &str) -> Option<(Slot, &'a Decision)> {
        let (slot, name) = purpose.rsplit_once('/')?;
        let slot = Slot::parse(slot)?;
        let (_, phase) = self.terms.slot(&slot)?;
        let decision = phase.decisions.iter().find(|decision| decision.name.as_str() == name)?;
        Some((slot, decision))
    }

    /// reveal 2 to 4: that the places of a reveal are asked for.
    pub(super) fn check_asked(&self, reveal: &Reveal, set: &Set<'a>) -> Result<()> {
        let Some(id) = reveal.declaration else {
            if !self.is_at_once(set) {
                return Err(Error::breach(Rule::Reveal2, "without a declaration only orders at once are opened"));
            }
            return check_places(reveal, set, &[NOTE]);
        };
        let Some(declare) = self.nodes.get(&id).and_then(|node| match node.message.body() {
            crate::blob::Body::Declare(declare) => Some(declare),
            _ => None,
        }) else {
            return Err(Error::breach(Rule::Reveal2, "it names no declaration"));
        };
        let contribution = match declare.contribution {
            Some(Contribution::Sealed(contribution)) if contribution.seal == reveal.seal => Some(contribution.index),
            _ => None,
        };
        let moves = matches!(&declare.moves, Moves::Note(note) if note.seal == reveal.seal);
        let choice = self
            .decision_of(set)
            .is_some_and(|(slot, decision)| slot == declare.slot && decision.by == By::Sealed(set.node.player));
        let choice = choice || self.nodes.get(&id).is_some_and(|node| self.finds(node, &declare.slot, set));
        if declare.seal != Some(reveal.seal) && contribution.is_none() && !moves && !choice {
            return Err(Error::breach(Rule::Reveal2, "the declaration asks for nothing of this set"));
        }
        let fell = self.nodes.get(&id).is_some_and(|node| matches!(node.standing, Standing::Falls | Standing::Fallen));
        let Some(declaration) = self.declarations.get(&id).filter(|declaration| declaration.valid) else {
            return match fell {
                true => Ok(()),
                false => Err(Error::breach(Rule::Reveal3, "the declaration is in breach and must not be opened")),
            };
        };
        let asked = match contribution {
            Some(index) => vec![Place { index, line: 0 }],
            None if moves || choice => vec![NOTE],
            None => declaration.asked.clone(),
        };
        check_places(reveal, set, &asked)
    }

    /// reveal 6 and 7: that it is time for them.
    pub(super) fn check_time(&self, node: &Node, reveal: &Reveal, set: &Set<'a>) -> Result<()> {
        let Some(id) = reveal.declaration else {
            let mut others = self.sets_for(set.node.player.other(), SetKind::Note, &set.seal.purpose);
            return match others.any(|other| node.has_in_past(&other.node)) {
                true => Ok(()),
                false => Err(Error::breach(Rule::Reveal7, "the other player's orders were not sealed before")),
            };
        };
        let known = |letter: &Node| node.has_in_past(letter);
        let standing = self.declarations.get(&id).is_some_and(|found| found.standing.contains(&reveal.seal));
        if standing && !set.opened_for(NOTE, node) && !self.is_standing_due(&reveal.seal, &known) {
            return Err(Error::breach(
                Rule::Reveal6,
                "no decision that the standing note may answer is awaited of its author",
            ));
        }
        let early = self.declarations.get(&id).is_some_and(|declaration| {
            let contribution = declaration.sealed_contribution().map(|contribution| contribution.seal);
            declaration.valid && contribution == Some(reveal.seal) && !self.answered_for(declaration, node)
        });
        match early {
            true => Err(Error::breach(Rule::Reveal6, "the dice are opened first, and the contribution after them")),
            false => Ok(()),
        }
    }
}

/// reveal 4.
fn check_places(reveal: &Reveal, set: &Set<'_>, asked: &[Place]) -> Result<()> {
    match Brought::from(reveal).places(set.seal.kind) {
        Some(given) if given == asked => Ok(()),
        _ => Err(Error::breach(Rule::Reveal4, "the keys are not exactly those that are asked for")),
    }
}
