//! The office: what it holds, what it alone opens, and how sets leave it (`protocol/office.md`).

use std::collections::HashMap;

use super::{
    charter::{Author, Phase, Player, Terms},
    courses::STANDING,
    declarations::Declaration,
    ledger::Ledger,
    order::Node,
    seals::Set,
};
use crate::{
    blob::{
        Body,
        body::{Hex32, Reveal, Revealer, Role, Seal, SetKind, Slot, Source},
        office::Receipt,
    },
    error::{Error, Result},
    rule::Rule,
};

/// What the office's receipts say.
#[derive(Default)]
pub(super) struct Escrow<'a> {
    /// Its receipts for each seal, on whatever branch, as what follows.
    held: HashMap<Hex32, Vec<&'a Node>>,
    /// Its letters by which sets went back to their sealers.
    back: HashMap<Hex32, Vec<&'a Node>>,
    /// The letters with which its epochs began.
    epochs: Vec<&'a Node>,
    /// The latest of these, with what its clock showed.
    latest: Option<(u64, &'a Node)>,
    /// The last of its letters that is the latest epoch, or follows it.
    to_follow: Option<&'a Node>,
    /// What its clock showed, on whatever branch, in seconds since 1970.
    times: Vec<(&'a Node, u64)>,
    /// For each letter of its the latest time that it had told in that chain.
    clock: HashMap<Hex32, u64>,
}

impl<'a> Escrow<'a> {
    /// What the office's clock showed, and by which letter.
    pub(super) fn times(&self) -> impl Iterator<Item = (&'a Node, u64)> {
        self.times.iter().copied()
    }
}

impl Terms {
    /// Who is to open a set of a player's (office 5, 6).
    #[must_use]
    pub fn revealer(&self, sealer: Player, kind: SetKind, purpose: &str) -> &Role {
        let of_slot = |purpose: &str| {
            let slot = Slot::parse(purpose)?;
            self.phase(&slot.phase).map(|(_, phase)| phase)
        };
        let by_office = match kind {
            SetKind::Coin | SetKind::Plain => of_slot(purpose).map(|phase| phase.revealer),
            SetKind::Sheet => {
                self.phases.iter().find(|phase| phase.source == Source::Sheet).map(|phase| phase.revealer)
            }
            SetKind::FoulUp => Some(self.charter.foul_up.revealer),
            SetKind::Contribution => None,
            SetKind::Note => {
                let named = purpose.rsplit_once('/').and_then(|(slot, name)| Some((of_slot(slot)?, name)));
                let holds = self.charter.office.as_ref().and_then(|office| office.deposit.as_ref());
                let opens = holds.is_some_and(|deposits| deposits.notes);
                named.filter(|(phase, name)| opens && is_due_at_a_time(phase, name)).map(|_| Revealer::Office)
            }
        };
        match self.charter.office.as_ref().filter(|_| by_office == Some(Revealer::Office)) {
            Some(office) => &office.role,
            None => self.role(sealer),
        }
    }
}

impl<'a> Ledger<'a> {
    /// Whether the office is the revealer of what a seal commits to.
    pub(super) fn is_offices(&self, seal: &Seal) -> bool {
        self.terms.charter.office.as_ref().is_some_and(|office| office.role == seal.revealer)
    }

    /// Whether a letter that is known takes a set back (office 20).
    fn taken_back_if(&self, seal: &Hex32, known: impl Fn(&Node) -> bool) -> bool {
        let mut back = self.escrow.back.get(seal).into_iter().flatten();
        back.any(|by| known(by)) || self.is_before_epoch(seal, &known) || self.rulings.kills_if(seal, known)
    }

    /// The office's letter that the next ones follow: of its branches, none of which falls, the last one behind its latest
    /// epoch, for sets are sealed anew behind that (office 27).
    pub(super) const fn office_to_follow(&self) -> Option<&'a Node> {
        self.escrow.to_follow
    }

    /// Takes a letter of the office's as the one that the next ones follow, if it is.
    fn go_on_from(&mut self, node: &'a Node) {
        let Escrow { latest, to_follow, .. } = &mut self.escrow;
        if let Body::Receipt(Receipt::Epoch(moment)) = node.message.body() {
            let rank = |at: u64, node: &Node| (at, node.message.head().number, node.id());
            if latest.is_none_or(|(at, epoch)| rank(moment.at, node) > rank(at, epoch)) {
                (*latest, *to_follow) = (Some((moment.at, node)), Some(node));
                return;
            }
        }
        let is_behind = latest.is_none_or(|(_, epoch)| node.follows(epoch));
        if is_behind && to_follow.is_none_or(|last| node.rank() > last.rank()) {
            *to_follow = Some(node);
        }
    }

    /// Whether an epoch that is known began after a set of the office's was sealed.
    fn is_before_epoch(&self, seal: &Hex32, known: impl Fn(&Node) -> bool) -> bool {
        let Some(set) = self.sets.get(seal).filter(|set| self.is_offices(set.seal)) else { return false };
        self.escrow.epochs.iter().any(|epoch| known(epoch) && !set.node.has_in_past(epoch))
    }

    /// Whether letters that are known kill a set: a ruling, or, of dice, an epoch (ruling 4, office 27).
    pub(super) fn kills_if(&self, seal: &Hex32, known: impl Fn(&Node) -> bool) -> bool {
        let has_dice = self.sets.get(seal).is_some_and(|set| set.seal.kind.has_dice());
        has_dice && self.is_before_epoch(seal, &known) || self.rulings.kills_if(seal, known)
    }

    /// Whether a set is killed in the past of a letter.
    pub(super) fn kills(&self, seal: &Hex32, node: &Node) -> bool {
        self.kills_if(seal, |by| node.has_in_past(by))
    }

    /// Whether a set is killed, with all letters at hand.
    #[must_use]
    pub fn is_killed(&self, seal: &Hex32) -> bool {
        self.kills_if(seal, |_| true)
    }

    /// Whether a set is with the office for a letter (office 8).
    pub(super) fn is_with_office(&self, seal: &Hex32, node: &Node) -> bool {
        let mut held = self.escrow.held.get(seal).into_iter().flatten();
        held.any(|receipt| node.has_in_past(receipt)) && !self.taken_back_if(seal, |letter| node.has_in_past(letter))
    }

    /// Whether the dice of a declaration were with the office for it, and so are not their sealer's to open (office 10).
    #[must_use]
    pub fn was_with_office(&self, declaration: &Declaration<'_>) -> bool {
        declaration.declare.seal.is_some_and(|seal| self.is_with_office(&seal, &declaration.node))
    }

    /// Whether the office opens the dice of a declaration, with all letters at hand (office 15).
    #[must_use]
    pub fn office_may_open(&self, declaration: &Declaration<'_>) -> bool {
        declaration.declare.seal.is_some_and(|seal| self.is_in_office(&seal))
    }

    /// Whether the dice of a declaration are the office's to open, and not their sealer's, with all letters at hand
    /// (office 9).
    #[must_use]
    pub fn office_opens(&self, declaration: &Declaration<'_>) -> bool {
        let given_up =
            |seal: &Hex32| self.taken_back_if(seal, |_| true) || self.is_stalled_if(&declaration.node.id(), |_| true);
        self.was_with_office(declaration) && declaration.declare.seal.is_some_and(|seal| !given_up(&seal))
    }

    /// Whether the office has the keys of a set, with all letters at hand.
    #[must_use]
    pub fn is_in_office(&self, seal: &Hex32) -> bool {
        self.escrow.held.contains_key(seal) && !self.taken_back_if(seal, |_| true)
    }

    /// Whether a valid set may be held by the office, and was not yet.
    pub(super) fn awaits_office(&self, set: &Set<'_>) -> bool {
        let seal = set.node.id();
        self.may_be_held(set) && !self.escrow.held.contains_key(&seal) && !self.taken_back_if(&seal, |_| true)
    }

    pub(super) fn may_be_held(&self, set: &Set<'_>) -> bool {
        set.valid && self.is_offices(set.seal)
    }

    /// reveal 1.
    pub(super) fn check_revealer(&self, node: &Node, reveal: &Reveal) -> Result<&Set<'a>> {
        let breach = |text: &str| Error::breach(Rule::Reveal1, text);
        let known = |letter: &Node| node.has_in_past(letter);
        let set = self.sets.get(&reveal.seal).filter(|set| set.valid).ok_or_else(|| breach("the seal is not valid"))?;
        let dice_of = reveal
            .declaration
            .and_then(|id| self.nodes.get(&id).copied())
            .filter(|node| matches!(node.message.body(), Body::Declare(declare) if declare.seal == Some(reveal.seal)));
        let by_office = dice_of.map(|declaration| self.is_with_office(&reveal.seal, declaration));
        let given_up = || {
            let claimed = reveal.declaration.is_some_and(|declaration| self.is_stalled_if(&declaration, known));
            claimed || self.taken_back_if(&reveal.seal, known)
        };
        match node.author {
            Author::Player(player) if set.node.player != player => Err(breach("the seal is not the author's to open")),
            Author::Player(_) if by_office == Some(true) && !given_up() => {
                Err(breach("the dice are the office's to open"))
            }
            Author::Office => match self.is_with_office(&reveal.seal, node) {
                true => Ok(set),
                false => Err(breach("the set is not with the office")),
            },
            Author::Player(_) | Author::Referee => Ok(set),
        }
    }

    /// What a receipt of the office's does, whatever rule it breaks (office 23).
    pub(super) fn take_fact(&mut self, node: &'a Node) {
        if node.author != Author::Office || node.standing.is_detached() {
            return;
        }
        self.go_on_from(node);
        let before = self.told_before(node);
        self.escrow.clock.insert(node.id(), before);
        let Body::Receipt(receipt) = node.message.body() else { return };
        if let Some(at) = receipt.at() {
            self.escrow.times.push((node, at));
            self.untold.tell(node, at);
            self.escrow.clock.insert(node.id(), before.max(at));
        }
        match receipt {
            Receipt::Deposit(about) => {
                let sets =
                    about.seals.iter().filter(|seal| self.sets.get(seal).is_some_and(|set| self.may_be_held(set)));
                let held: Vec<Hex32> = sets.copied().collect();
                for seal in held {
                    self.escrow.held.entry(seal).or_default().push(node);
                    Player::BOTH.iter().for_each(|player| self.own.of_mut(*player).unheld.retain(|open| *open != seal));
                }
            }
            Receipt::HandBack(about) => {
                about.seals.iter().for_each(|seal| self.escrow.back.entry(*seal).or_default().push(node));
            }
            Receipt::Epoch(_) => self.escrow.epochs.push(node),
            Receipt::Time(_) => {}
        }
    }

    /// The latest time that the office told earlier in the chain of a letter of its.
    fn told_before(&self, node: &Node) -> u64 {
        let prev = node.message.head().prev;
        prev.and_then(|prev| self.escrow.clock.get(&prev)).copied().unwrap_or_default()
    }

    /// receipt 1 to 3, of the office's.
    pub(super) fn check_office_receipt(&self, node: &Node, receipt: &Receipt) -> Result<()> {
        match receipt {
            Receipt::Deposit(about) => {
                let fits = |seal: &Hex32| {
                    let may = self.sets.get(seal).is_some_and(|set| self.may_be_held(set));
                    let mut held = self.escrow.held.get(seal).into_iter().flatten();
                    may && !held.any(|by| node.follows(by)) && !self.is_before_epoch(seal, |epoch| node.follows(epoch))
                };
                match about.seals.iter().all(fits) {
                    true => Ok(()),
                    false => Err(Error::breach(
                        Rule::Receipt1,
                        "it names no valid set of the office's, or one that it has held",
                    )),
                }
            }
            Receipt::HandBack(about) => match about.seals.iter().all(|seal| self.is_with_office(seal, node)) {
                true => Ok(()),
                false => Err(Error::breach(Rule::Receipt2, "it names a set that is not with the office")),
            },
            Receipt::Epoch(moment) | Receipt::Time(moment) => match moment.at < self.told_before(node) {
                true => Err(Error::breach(Rule::Receipt3, "the office told a later time before")),
                false => Ok(()),
            },
        }
    }
}

/// Whether a note of a phase, by the name in its purpose, is due at a time that the rules fix: a choice, or a standing note
/// (office 5, 6).
fn is_due_at_a_time(phase: &Phase, name: &str) -> bool {
    let chosen = phase.decisions.iter().any(|decision| decision.name.as_str() == name && decision.by.is_sealed());
    chosen || name == STANDING && phase.finds_notes()
}
