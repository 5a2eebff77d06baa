//! Drafts: work out what letters will say without the party's key, so that people see it before they type a passphrase.
//! A draft is made with throwaway keys, opens nothing and never leaves memory: nothing that is kept or mailed can be
//! made from it.

use super::{failure::PlayResult, table::Table};
use crate::{
    blob::{
        Body, Hex32, Verified,
        body::{Close, Master},
    },
    game::{ledger::Ledger, opener, steps::Signer},
    keep::root::{Keys, Root},
    primitive::secret::Secret,
};

/// Fills in letters, with the party's own keys or for a draft. It lends its signer, but cannot write letters with it.
#[derive(Clone, Copy)]
pub(super) struct Pen<'s> {
    signer: &'s Signer,
    /// The secret of the party's deposit key; `None` in a draft.
    deposit: Option<&'s Secret>,
}

impl<'s> Pen<'s> {
    /// Fills in letters with the party's own keys.
    pub(super) const fn own(signer: &'s Signer, keys: &'s Keys) -> Self {
        Self { signer, deposit: Some(keys.deposit()) }
    }

    /// Returns the signer, which seals sets. In a draft, it cannot open any of the party's sets.
    pub(super) const fn signer(self) -> &'s Signer {
        self.signer
    }

    /// Returns the secret of the party's deposit key; `None` in a draft.
    pub(super) const fn deposit(self) -> Option<&'s Secret> {
        self.deposit
    }

    const fn is_draft(self) -> bool {
        self.deposit.is_none()
    }

    /// Returns the reveal that answers a declaration.
    pub(super) fn reveal(self, ledger: &Ledger<'_>, declaration: Hex32) -> PlayResult<Body> {
        let seal = ledger.declaration(&declaration).and_then(|declared| declared.declare.seal);
        Ok(Body::Reveal(match seal.filter(|_| self.is_draft()) {
            Some(seal) => opener::keyless(Some(declaration), seal),
            None => self.signer.reveal(ledger, declaration)?,
        }))
    }

    /// Returns the reveal of one envelope in one of the party's own sets; `None` if another vault sealed the set.
    pub(super) fn single(
        self,
        ledger: &Ledger<'_>,
        seal: &Hex32,
        declaration: Option<Hex32>,
        index: u64,
    ) -> Option<Body> {
        let set = ledger.set(seal)?;
        if self.is_draft() {
            return Some(Body::Reveal(opener::keyless(declaration, *seal)));
        }
        Some(Body::Reveal(opener::single(set, &self.signer.master(ledger, seal)?, declaration, index)))
    }

    /// Returns the party's close.
    pub(super) fn close(self, ledger: &Ledger<'_>, result: Option<String>) -> Body {
        let close = self.signer.close(ledger, result);
        let player = ledger.terms.player(self.signer.role());
        let closing = player.filter(|player| self.is_draft() && ledger.has_closed(player.other()));
        let masters = closing.map(|player| {
            ledger.seals(player).iter().map(|seal| Master { master: Hex32([0; 32]), seal: *seal }).collect()
        });
        Body::Close(Close { masters: masters.or(close.masters), ..close })
    }
}

/// A draft of a party's next letters.
pub(super) struct Draft(Signer);

impl Draft {
    /// Begins a draft after the party's last letter.
    pub(super) fn of(table: &Table, ledger: &Ledger<'_>) -> PlayResult<Self> {
        let keys = Root::random()?.keys();
        Ok(Self(Signer::resume_as(ledger, table.me, keys.signing().clone(), keys.vault().clone())))
    }

    /// Returns the pen that fills in the draft.
    pub(super) const fn pen(&self) -> Pen<'_> {
        Pen { signer: &self.0, deposit: None }
    }

    /// Records another party's letter as seen.
    pub(super) fn see(&mut self, message: &Verified) {
        self.0.see(message);
    }

    /// Ends the draft, and returns its letters to look ahead with. Letters that contain keys are left out.
    pub(super) fn ahead(mut self, bodies: &[Body]) -> PlayResult<Ahead> {
        let (keyed, free): (Vec<&Body>, Vec<&Body>) = bodies.iter().partition(|body| has_keys(body));
        let letters = free.into_iter().map(|body| Ok(self.0.write(body.clone())?.message));
        Ok(Ahead { letters: letters.collect::<PlayResult<_>>()?, is_whole: keyed.is_empty() })
    }
}

/// Whether a letter contains keys.
const fn has_keys(body: &Body) -> bool {
    use crate::blob::disputes::{Ruled, Ruling};
    match body {
        Body::Reveal(_) | Body::Ruling(Ruling { rule: Ruled::Open(_), .. }) => true,
        Body::Close(close) => close.masters.is_some(),
        _ => false,
    }
}

/// Drafted letters, with which a table looks ahead. They have no frames, so they cannot be kept or mailed.
pub(super) struct Ahead {
    letters: Vec<Verified>,
    /// Whether no letter of the draft was left out.
    is_whole: bool,
}

impl Ahead {
    /// Returns the drafted letters.
    pub(super) fn letters(&self) -> &[Verified] {
        &self.letters
    }

    /// Whether no letter of the draft was left out, so that its consequences are known without a key.
    pub(super) const fn is_whole(&self) -> bool {
        self.is_whole
    }
}
