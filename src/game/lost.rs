//! Sets whose sealer has lost his key, and what can still be done about each (`protocol/keys.md` 6, ruling 4, deposits 8).

use super::{ledger::Ledger, seals::Set, tasks};
use crate::{
    blob::{
        Body,
        body::{Hex32, SetKind, Slot},
        new_keys::KeyChange,
    },
    resolve::Place,
};

/// What can still be done about a set that its sealer cannot open any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// The referee opens what waits for it: he holds its keys (deposits 9). The other player claims a stall first.
    Open {
        /// The declaration, or the seal of a note, that a stall names (claim 1).
        letter: Hex32,
        /// The slot, or the note's purpose.
        what: String,
    },
    /// Nobody can open what waits for it; its sealer can let the declarer name the dice (claim 3).
    Yield {
        /// The declaration's slot.
        slot: Slot,
    },
    /// What is left of it is of no use: a referee kills it, and another is sealed (ruling 4).
    Kill,
}

impl<'a> Ledger<'a> {
    /// Whether a set was sealed under a key that its sealer has lost, as an admission says: he cannot open it any more.
    #[must_use]
    pub fn is_orphaned(&self, set: &Set<'_>) -> bool {
        let lost = |admit: &crate::blob::new_keys::Admit| {
            let last = self.nodes.get(&admit.after).map(|last| last.message.head().number);
            let his = self.terms.player(&admit.player) == Some(set.node.player);
            his && last.is_some_and(|last| set.node.message.head().number <= last)
        };
        self.nodes.values().any(|node| match node.message.body() {
            Body::Key(KeyChange::Admit(admit)) => self.is_admitted(&node.id()) && lost(admit),
            _ => false,
        })
    }

    /// What can be done about a set whose sealer has lost its keys: first for what waits for it, then for the rest.
    #[must_use]
    pub fn ways(&self, set: &Set<'_>) -> Vec<Way> {
        let seal = set.node.id();
        let waiting = self.declarations().filter(|declared| declared.declare.seal == Some(seal));
        let waiting = waiting.filter(|declared| declared.valid && !declared.is_answered());
        let mut ways: Vec<Way> = waiting
            .map(|declared| {
                let slot = declared.declare.slot.clone();
                match self.is_held_for(declared) {
                    true => Way::Open { letter: declared.node.id(), what: slot.to_string() },
                    false => Way::Yield { slot },
                }
            })
            .collect();
        let mut due = self.due_notes(set.node.player).into_iter();
        if self.is_held(&seal) && due.any(|(_, note)| note.node.id() == seal) {
            ways.push(Way::Open { letter: seal, what: set.seal.purpose.clone() });
        } else if set.valid && !self.is_killed(&seal) && self.is_of_use(set) {
            ways.push(Way::Kill);
        }
        ways
    }

    /// Whether somebody may still name places of a set.
    fn is_of_use(&self, set: &Set<'_>) -> bool {
        let (seal, sealer) = (set.node.id(), set.node.player);
        match set.seal.kind {
            SetKind::Coin | SetKind::Plain => {
                let slot = Slot::parse(&set.seal.purpose).and_then(|slot| self.terms.slot(&slot));
                slot.is_some_and(|(key, _)| Some(key) > self.last_slot(sealer.other()))
            }
            SetKind::Sheet => !tasks::free_cells(self, &seal, sealer.other()).is_empty(),
            SetKind::FoulUp => self.envelopes_left(&seal, sealer.other()) > 0,
            SetKind::Contribution => self.envelopes_left(&seal, sealer) > 0,
            SetKind::Note => set.key(Place { index: 0, line: 0 }).is_none(),
        }
    }
}
