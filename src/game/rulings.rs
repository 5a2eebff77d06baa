//! The referee's rulings: a closed list of what he may change (`protocol/disputes.md`, ruling).

use std::collections::HashMap;

use super::{
    corrections::Answerer,
    days::Counted,
    ledger::Ledger,
    order::{Node, Played},
};
use crate::{
    blob::{
        body::{Forfeit, Hex32},
        disputes::{Ruled, RuledForfeit, Ruling, Stall},
    },
    error::{Error, Result},
    rule::Rule,
};

/// What was ruled.
#[derive(Default)]
pub(super) struct Rulings<'a> {
    /// Valid requests, with the claim that each is for.
    requests: HashMap<Hex32, Hex32>,
    /// Those that rest on days, in the order of replay.
    counted: Vec<Counted<'a>>,
    /// Letters whose finding a ruling settled, with the ruling; of a sheet perhaps with the one that knew it.
    pub(super) settled: HashMap<Hex32, Vec<Hex32>>,
    killed: HashMap<Hex32, &'a Node>,
}

impl<'a> Rulings<'a> {
    /// Valid rulings that rest on days, in the order of replay (disputes 23 to 29).
    pub(super) fn counted(&self) -> &[Counted<'a>] {
        &self.counted
    }

    /// Whether a set is killed by a ruling that is known (ruling 4).
    pub(super) fn kills_if(&self, seal: &Hex32, known: impl Fn(&Node) -> bool) -> bool {
        self.killed.get(seal).is_some_and(|ruling| known(ruling))
    }
}

impl<'a> Ledger<'a> {
    /// The request that the referee made on a claim.
    #[must_use]
    pub fn request_for(&self, claim: &Hex32) -> Option<Hex32> {
        self.rulings.requests.iter().find(|(_, of)| *of == claim).map(|(request, _)| *request)
    }

    /// The claim that a valid request is about.
    #[must_use]
    pub fn claim_of(&self, request: &Hex32) -> Option<Hex32> {
        self.rulings.requests.get(request).copied()
    }

    /// Whether the referee has asked for what is to be opened for a letter.
    #[must_use]
    pub fn is_requested(&self, letter: &Hex32) -> bool {
        let mut claims = self.rulings.requests.values().filter_map(|claim| self.disputes.stall(claim));
        claims.any(|(_, stall)| stall.letter == Some(*letter))
    }

    pub(super) fn take_ruling(&mut self, node: &'a Node, ruling: &'a Ruling) -> Result<()> {
        match &ruling.rule {
            Ruled::Request(claim) => self.request(node, *claim),
            Ruled::Forfeit(forfeit) => self.rule_forfeit(node, forfeit),
            Ruled::Void(scope) if self.any_of_course(scope.declarations()) => Err(takes_back()),
            Ruled::Void(scope) => {
                self.check_scope(Rule::Ruling3, node, scope)?;
                self.void(node, scope);
                Ok(())
            }
            Ruled::Kill(seal) => {
                if self.sets.get(seal).is_none_or(|set| !set.valid) || self.rulings.killed.contains_key(seal) {
                    return Err(Error::breach(Rule::Ruling4, "the set is not valid, or killed already"));
                }
                if self.sets.get(seal).is_some_and(|set| self.is_at_once(set)) {
                    return Err(Error::breach(Rule::Ruling4, "orders at once stay as they were sealed"));
                }
                let slot = self.sets.get(seal).and_then(|set| self.note_slot(&set.seal.purpose));
                let declared = slot.and_then(|slot| self.declared_in.get(&(slot.turn, slot.impulse)));
                let mut declared = declared.into_iter().flatten().filter_map(|id| self.declarations.get(id));
                if declared.any(|found| found.standing.contains(seal) && node.has_in_past(&found.node)) {
                    return Err(Error::breach(Rule::Ruling4, "a declaration has found this note"));
                }
                self.rulings.killed.insert(*seal, node);
                Ok(())
            }
            Ruled::Settle(letter) => self.settle_finding(node, *letter),
            Ruled::Dismiss(claim) => {
                if !self.claim_stands(claim, |letter| node.has_in_past(letter)) {
                    return Err(Error::breach(Rule::Ruling6, "it names no claim that stands"));
                }
                self.disputes.rule(*claim, node);
                Ok(())
            }
            Ruled::Agree(proposal) if self.is_about_course(proposal) => Err(takes_back()),
            Ruled::Agree(proposal) => {
                self.check_open(Rule::Ruling7, node, proposal, Answerer::Referee)?;
                self.check_still_fits(Rule::Ruling7, node, proposal)?;
                self.agree(node, *proposal);
                Ok(())
            }
            // The keys themselves are facts (letters 9).
            Ruled::Open(opening) => {
                self.check_ruled_open(node, opening)?;
                self.rulings.counted.push((node, opening.request, None));
                self.untold.add(node);
                Ok(())
            }
        }
    }

    /// The claim of a valid request: its id, whose it is, and what it says.
    pub(super) fn requested(&self, request: &Hex32) -> Option<(Hex32, Played<'a>, &'a Stall)> {
        let claim = *self.rulings.requests.get(request)?;
        self.disputes.stall(&claim).map(|(played, stall)| (claim, played, stall))
    }

    /// ruling 1.
    fn request(&mut self, node: &'a Node, claim: Hex32) -> Result<()> {
        let stands = self.claim_stands(&claim, |letter| node.has_in_past(letter));
        if self.disputes.stall(&claim).is_none() || !stands {
            return Err(Error::breach(Rule::Ruling1, "it names no stall that stands"));
        }
        self.rulings.requests.insert(node.id(), claim);
        self.count_days(node);
        Ok(())
    }

    /// ruling 2.
    fn rule_forfeit(&mut self, node: &'a Node, ruled: &RuledForfeit) -> Result<()> {
        let breach = |text: &str| Error::breach(Rule::Ruling2, text);
        let requested = self.requested(&ruled.request);
        let (claim, claimed, stall) = requested.ok_or_else(|| breach("it names no valid request"))?;
        if !self.claim_stands(&claim, |letter| node.has_in_past(letter)) {
            return Err(breach("the claim does not stand any more"));
        }
        if let Some(why) = self.why_no_forfeit(&ruled.request, stall, ruled.forfeit) {
            return Err(breach(why));
        }
        match (ruled.forfeit, stall.letter) {
            (Forfeit::DeclarerNames, Some(declaration)) => self.forfeit(declaration, node),
            _ => self.disputes.lose(claimed.player.other(), node.id()),
        }
        self.disputes.rule(claim, node);
        self.rulings.counted.push((node, ruled.request, Some(ruled.forfeit)));
        self.untold.add(node);
        Ok(())
    }

    /// Why no ruling of a forfeit can follow a request on a stall, if so (ruling 2).
    #[must_use]
    pub fn why_no_forfeit(&self, request: &Hex32, stall: &Stall, forfeit: Forfeit) -> Option<&'static str> {
        let mut deadlines = self.terms.charter.deadlines.iter();
        let agreed = deadlines.any(|deadline| deadline.step == stall.step && deadline.forfeit == forfeit);
        let declared = stall.letter.and_then(|id| self.declarations.get(&id));
        let names = forfeit == Forfeit::DeclarerNames;
        if !agreed || names && declared.is_none() {
            return Some("the charter has no deadline with this forfeit for this step");
        }
        let declared = declared.filter(|_| names)?;
        if self.is_of_course(&declared.declare.slot) {
            return Some("in a course a ruling takes nothing back (ruling 10)");
        }
        if self.is_held_for(declared) {
            return Some("the referee holds the keys of the set, and opens it instead");
        }
        let with_office = declared.declare.seal.zip(self.nodes.get(request));
        with_office
            .is_some_and(|(seal, request)| self.is_with_office(&seal, request))
            .then_some("the office holds the dice: they can be had as they were sealed")
    }

    /// Whether a proposal is about a declaration of a course: no ruling agrees to it (ruling 10).
    #[must_use]
    pub fn is_about_course(&self, proposal: &Hex32) -> bool {
        self.proposal(proposal).is_some_and(|proposed| self.any_of_course(proposed.declarations()))
    }

    /// ruling 5.
    fn settle_finding(&mut self, node: &Node, letter: Hex32) -> Result<()> {
        let player = self.nodes.get(&letter).is_some_and(|letter| letter.author.player().is_some());
        // One that knew the sheet may come behind one that did not (hidden 6).
        let again = self.knows_sheet(node, &letter) && self.settled_knowingly(&letter).is_none();
        if !player || (self.rulings.settled.contains_key(&letter) && !again) {
            return Err(Error::breach(Rule::Ruling5, "it names no letter of a player, or it is settled already"));
        }
        self.rulings.settled.entry(letter).or_default().push(node.id());
        Ok(())
    }
}

fn takes_back() -> Error {
    Error::breach(Rule::Ruling10, "in a course a ruling takes nothing back")
}
