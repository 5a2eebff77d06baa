//! Voids, claims and forfeits: what players do when dice are not to count, or when one falls silent
//! (`protocol/disputes.md`).

use std::collections::HashMap;

use super::{
    charter::Player,
    declarations::Declaration,
    ledger::Ledger,
    order::{Node, Played},
};
use crate::{
    blob::{
        Body,
        body::{Forfeit, Hex32, Step},
        disputes::{Claim, Names, Scope, Stall, Yield},
    },
    error::{Error, Result},
    resolve::{Account, Place},
    rule::Rule,
};

/// What was claimed and voided.
#[derive(Default)]
pub(super) struct Disputes<'a> {
    /// Valid stalls and disputes.
    claims: HashMap<Hex32, (Played<'a>, &'a Claim)>,
    /// Their ids, in the order of replay.
    claimed: Vec<Hex32>,
    /// The valid stalls of reveals, by the letter whose reveal is owed.
    stalled: HashMap<Hex32, Vec<Played<'a>>>,
    /// Claims taken back, by their ids.
    withdrawn: HashMap<Hex32, &'a Node>,
    /// Claims that rulings dismissed, or ruled a forfeit on.
    ruled: HashMap<Hex32, Vec<&'a Node>>,
    /// Yields and rulings of a forfeit `game`: who lost it, and by which letter.
    lost: Vec<(Player, Hex32)>,
    /// For each declaration the letters that voided some of its rolls.
    voids: HashMap<Hex32, Vec<(&'a Node, &'a Scope)>>,
}

impl<'a> Disputes<'a> {
    /// A valid stall.
    pub(super) fn stall(&self, id: &Hex32) -> Option<(Played<'a>, &'a Stall)> {
        match self.claims.get(id)? {
            (played, Claim::Stall(stall)) => Some((*played, stall)),
            _ => None,
        }
    }

    /// A ruling settles a claim.
    pub(super) fn rule(&mut self, claim: Hex32, ruling: &'a Node) {
        self.ruled.entry(claim).or_default().push(ruling);
    }

    /// A player loses the game by forfeit.
    pub(super) fn lose(&mut self, player: Player, letter: Hex32) {
        self.lost.push((player, letter));
    }

    /// An agreement or a ruling voids rolls.
    pub(super) fn void(&mut self, by: &'a Node, scope: &'a Scope) {
        for declaration in scope.declarations() {
            self.voids.entry(*declaration).or_default().push((by, scope));
        }
    }
}

impl<'a> Ledger<'a> {
    /// Whether rolls may be voided as far as the past of a letter knows (disputes 2).
    pub(super) fn check_scope(&self, rule: Rule, node: &Node, scope: &Scope) -> Result<()> {
        let breach = |text: &str| Err(Error::breach(rule, text));
        if self.terms.charter.hard_core {
            return breach("hard core knows no void: what is signed stays");
        }
        for id in scope.declarations() {
            let Some(declaration) = self.declarations.get(id).filter(|declaration| declaration.valid) else {
                return breach("a declaration of the scope is not valid");
            };
            let within = |later: &Declaration<'_>| scope.declarations().contains(&later.node.id());
            if let Some(why) = self.why_not_voided(declaration, node, within) {
                return breach(why);
            }
            if let Scope::Rolls(rolls) = scope
                && rolls.lines.last().is_some_and(|line| *line > declaration.count())
            {
                return breach("the declaration has no such roll");
            }
        }
        let fresh = |id: &Hex32| {
            let count = self.declarations.get(id).map_or(0, Declaration::count);
            (1..=count).any(|line| scope.has(line) && !self.is_void_for(id, line, node))
        };
        if !scope.declarations().iter().any(fresh) {
            return breach("every roll of the scope is void already");
        }
        match scope {
            Scope::Impulse(impulse)
                if self.declared_in(node, impulse.turn, impulse.impulse) != impulse.declarations =>
            {
                breach("these are not all declarations of the impulse")
            }
            _ => Ok(()),
        }
    }

    /// An agreement or a ruling voids rolls.
    pub(super) fn void(&mut self, by: &'a Node, scope: &'a Scope) {
        self.disputes.void(by, scope);
        self.courses.disturb(by);
    }

    /// Why the past of a letter has no rolls of a declaration that can be void: known, not done again, and nothing rests on
    /// them.
    fn why_not_voided(
        &self,
        declaration: &Declaration<'_>,
        node: &Node,
        within: impl Fn(&Declaration<'_>) -> bool,
    ) -> Option<&'static str> {
        let named = declaration.named_by.and_then(|id| self.nodes.get(&id)).is_some_and(|by| node.has_in_past(by));
        let known = declaration.valid && node.has_in_past(&declaration.node);
        if !known || declaration.count() == 0 {
            return Some("a declaration of the scope rolls for nothing, or is not known yet");
        }
        if declaration.replaced_by.iter().any(|redo| node.has_in_past(redo)) {
            return Some("a declaration of the scope was done again: its dice are struck already");
        }
        if !(named || self.told_for(declaration, node)) {
            return Some("wait for the reveal: a declaration can be voided once all its dice are opened");
        }
        let cut_off = self.is_cut_off(declaration, node, within);
        (!cut_off).then_some("something later was rolled in a course: that is voided first, or with it")
    }

    fn may_be_voided(
        &self,
        declaration: &Declaration<'_>,
        node: &Node,
        within: impl Fn(&Declaration<'_>) -> bool,
    ) -> bool {
        self.why_not_voided(declaration, node, within).is_none()
    }

    /// Whether a roll is void in the past of a letter.
    fn is_void_for(&self, declaration: &Hex32, line: u64, node: &Node) -> bool {
        let mut voids = self.disputes.voids.get(declaration).into_iter().flatten();
        voids.any(|(by, scope)| scope.has(line) && node.has_in_past(by))
    }

    /// Whether some roll of a declaration is void as far as letters that are known tell.
    pub(super) fn any_void(&self, declaration: &Hex32, known: impl Fn(&Node) -> bool) -> bool {
        self.disputes.voids.get(declaration).into_iter().flatten().any(|(by, _)| known(by))
    }

    /// The ids, ascending, of all declarations of an impulse that a void can be about in the past of a letter.
    fn declared_in(&self, node: &Node, turn: u64, impulse: u64) -> Vec<Hex32> {
        let within = |declaration: &Declaration<'_>| {
            let slot = &declaration.declare.slot;
            (slot.turn, slot.impulse) == (turn, impulse)
        };
        let declared = self.declared_in.get(&(turn, impulse)).into_iter().flatten();
        let stands = declared.filter_map(|id| self.declarations.get(id));
        let stands = stands.filter(|declaration| self.may_be_voided(declaration, node, within));
        let mut ids: Vec<Hex32> = stands.map(|declaration| declaration.node.id()).collect();
        ids.sort_unstable();
        ids
    }

    /// The letter that voided a roll of a declaration, by the roll's number from 1.
    #[must_use]
    pub fn voided_by(&self, declaration: &Hex32, line: u64) -> Option<Hex32> {
        let mut voids = self.disputes.voids.get(declaration).into_iter().flatten();
        voids.find(|(_, scope)| scope.has(line)).map(|(by, _)| by.id())
    }

    pub(super) fn take_claim(&mut self, node: Played<'a>, claim: &'a Claim, common: Result<()>) -> Result<()> {
        common?;
        match claim {
            Claim::Stall(stall) => self.check_stall(node, stall)?,
            Claim::Dispute(_) => {}
            Claim::Withdraw(id) => return self.withdraw(node, *id),
            Claim::Yield(given) => return self.take_yield(node, given),
            Claim::Names(names) => return self.take_names(node, names),
        }
        if let Claim::Stall(Stall { step: Step::Reveal, letter: Some(owed), .. }) = claim {
            self.disputes.stalled.entry(*owed).or_default().push(node);
        }
        if matches!(claim, Claim::Stall(_)) {
            self.untold.add(node.node());
        }
        self.disputes.claims.insert(node.id(), (node, claim));
        self.disputes.claimed.push(node.id());
        Ok(())
    }

    /// claim 1.
    fn check_stall(&self, node: Played<'_>, stall: &Stall) -> Result<()> {
        let breach = |text: &str| Err(Error::breach(Rule::Claim1, text));
        if self.terms.player(&stall.owes) != Some(node.player.other()) {
            return breach("a stall is the other player's");
        }
        match (stall.step, stall.letter) {
            (Step::Reveal, Some(id)) => {
                let owed = self.declarations.get(&id).is_some_and(|own| {
                    let forfeited = own.forfeits.iter().any(|forfeit| node.has_in_past(forfeit));
                    own.valid && own.node.player == node.player && !forfeited && !self.answered_for(own, &node)
                });
                if owed || self.is_note_due(node, &id) {
                    Ok(())
                } else {
                    breach("the other player has nothing to open for this letter")
                }
            }
            (Step::Declare | Step::Answer, None) => Ok(()),
            _ => breach("a letter is named exactly if a reveal is claimed"),
        }
    }

    /// claim 2.
    fn withdraw(&mut self, node: Played<'a>, id: Hex32) -> Result<()> {
        let own = self.disputes.claims.get(&id).is_some_and(|(claimed, _)| claimed.player == node.player);
        if !own || self.disputes.withdrawn.contains_key(&id) {
            return Err(Error::breach(Rule::Claim2, "it names no standing stall or dispute of the author"));
        }
        self.disputes.withdrawn.insert(id, node.node());
        Ok(())
    }

    /// claim 3.
    fn take_yield(&mut self, node: Played<'a>, given: &Yield) -> Result<()> {
        let breach = |text: &str| Err(Error::breach(Rule::Claim3, text));
        match (given.forfeit, given.declaration) {
            (Forfeit::Game, None) => {
                self.disputes.lose(node.player, node.id());
                Ok(())
            }
            (Forfeit::DeclarerNames, Some(id)) => {
                let Some(owed) = self.declarations.get(&id).filter(|owed| owed.valid) else {
                    return breach("the declaration is not valid");
                };
                let set = owed.declare.seal.and_then(|seal| self.sets.get(&seal));
                if set.is_none_or(|set| set.node.player != node.player)
                    || self.answered_for(owed, &node)
                    || owed.forfeits.iter().any(|forfeit| node.has_in_past(forfeit))
                {
                    return breach("the author owes no reveal for this declaration");
                }
                if self.is_held_for(owed) {
                    return breach("the referee holds the dice: they can be had as they were sealed");
                }
                if owed.declare.seal.is_some_and(|seal| self.is_with_office(&seal, &node)) {
                    return breach("the office holds the dice: they can be had as they were sealed");
                }
                self.forfeit(id, node.node());
                Ok(())
            }
            _ => breach("a declaration is named exactly if the declarer is to name its dice"),
        }
    }

    /// From now on a declaration's dice are the declarer's to name (disputes 14).
    pub(super) fn forfeit(&mut self, declaration: Hex32, by: &'a Node) {
        if let Some(forfeited) = self.declarations.get_mut(&declaration) {
            forfeited.forfeit(by);
            self.unanswered.retain(|open| *open != declaration);
            self.courses.disturb(by);
        }
    }

    /// claim 4.
    fn take_names(&mut self, node: Played<'a>, names: &Names) -> Result<()> {
        let breach = |text: &str| Error::breach(Rule::Claim4, text);
        let own = self.declarations.get(&names.declaration);
        let own = own
            .filter(|own| own.valid && own.node.player == node.player && !self.is_hidden(own.declare))
            .ok_or_else(|| breach("the declaration is not valid, not the author's, or of a hidden course"))?;
        if !own.forfeits.iter().any(|forfeit| forfeit.id() == names.forfeit) {
            return Err(breach("it names no forfeit of the declaration"));
        }
        if own.named_by.is_some() {
            return Err(breach("its dice are named already"));
        }
        let orders = self.say(&own.orders);
        let named = own.resolve_named(self.terms, &orders, &names.dice, &mut Account::none());
        let named = named.map_err(|error| breach(&error.to_string()))?;
        let is_lean = self.is_lean;
        if let Some(own) = self.declarations.get_mut(&names.declaration) {
            own.take_named(node.id(), named, is_lean);
        }
        Ok(())
    }

    /// Whether the declarer has claimed the reveal of a declaration, by a letter that is known.
    pub(super) fn is_stalled_if(&self, declaration: &Hex32, known: impl Fn(&Node) -> bool) -> bool {
        self.disputes.stalled.get(declaration).into_iter().flatten().any(|claimed| known(claimed))
    }

    /// Whether a claim stands as far as letters that are known tell (disputes 8).
    pub(super) fn claim_stands(&self, id: &Hex32, known: impl Fn(&Node) -> bool) -> bool {
        let Some((claimed, claim)) = self.disputes.claims.get(id) else { return false };
        let withdrawn = self.disputes.withdrawn.get(id).is_some_and(|letter| known(letter));
        let mut ruled = self.disputes.ruled.get(id).into_iter().flatten();
        if withdrawn || ruled.any(|ruling| known(ruling)) {
            return false;
        }
        let Claim::Stall(stall) = claim else { return true };
        let lost = |(player, by): &(Player, Hex32)| {
            *player == claimed.player.other() && self.nodes.get(by).is_some_and(|by| known(by))
        };
        if self.disputes.lost.iter().any(lost) {
            return false;
        }
        if let Some(declaration) = stall.letter.and_then(|id| self.declarations.get(&id)) {
            let forfeited = declaration.forfeits.iter().any(|forfeit| known(forfeit));
            return !forfeited && !self.answered_if(declaration, known);
        }
        if let Some(note) = stall.letter.and_then(|id| self.sets.get(&id)) {
            return !note.opened_if(Place { index: 0, line: 0 }, &known);
        }
        let mut answers =
            self.letters_knowing(claimed.player.other(), claimed).iter().filter(|letter| match stall.step {
                Step::Declare => match letter.message.body() {
                    Body::Declare(_) => true,
                    Body::Decide(_) => self.courses.is_decision(&letter.id()),
                    Body::Claim(Claim::Names(names)) => {
                        let named = self.declarations.get(&names.declaration).and_then(|named| named.named_by);
                        named == Some(letter.id())
                    }
                    _ => false,
                },
                Step::Answer | Step::Reveal => true,
            });
        // Whoever knows a later one knows the first.
        !answers.next().is_some_and(|letter| known(letter))
    }

    /// A valid stall.
    pub(super) fn stall(&self, id: &Hex32) -> Option<&'a Stall> {
        self.disputes.stall(id).map(|(_, stall)| stall)
    }

    /// The claims that stand with all letters at hand: id and author.
    pub fn standing_claims(&self) -> impl Iterator<Item = (Hex32, Player, &'a Claim)> {
        let standing = self.disputes.claimed.iter().filter(|id| self.claim_stands(id, |_| true));
        standing.filter_map(|id| self.disputes.claims.get(id).map(|(played, claim)| (*id, played.player, *claim)))
    }

    /// Who lost the game by forfeit, and by which letter.
    #[must_use]
    pub fn lost(&self) -> &[(Player, Hex32)] {
        &self.disputes.lost
    }

    /// The declarations whose dice a player may name by forfeit, with the letter that allows it.
    pub fn to_name(&self, player: Player) -> impl Iterator<Item = (&Declaration<'a>, Hex32)> {
        let own = self.declarations().filter(move |own| own.node.player == player && own.named_by.is_none());
        let own = own.filter(|own| !self.is_hidden(own.declare));
        own.filter_map(|own| own.forfeits.first().map(|forfeit| (own, forfeit.id())))
    }
}
