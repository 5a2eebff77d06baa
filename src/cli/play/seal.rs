//! `seal`: a set for a slot, or the next sheet or foul-up set.

use super::{
    Answer, Table, Told, View,
    locked::Locked,
    sign::{Signing, fresh},
};
use crate::{
    blob::{
        Body,
        body::{SetKind, Slot},
    },
    cli::terminal::visible,
    game::{ledger::Ledger, steps::Seat},
    keep::home::Home,
    limits::{COLUMNS, ROWS},
};

/// Envelopes in a contribution set.
const CONTRIBUTIONS: u64 = 32;

/// The seal of a set, sized as the charter says.
pub(super) fn seal_body(ledger: &Ledger<'_>, seat: &Seat, kind: SetKind, purpose: &str) -> Told<Body> {
    let n = size(ledger, kind, purpose)?;
    Ok(Body::Seal(seat.seal(ledger.terms, kind, purpose, n, fresh()?, None)?))
}

/// How many places a set has.
fn size(ledger: &Ledger<'_>, kind: SetKind, purpose: &str) -> Told<u64> {
    let refuse = || Answer::refused(format!("{} is no slot whose envelopes you seal", visible(purpose)));
    Ok(match kind {
        SetKind::Coin => {
            let slot = Slot::parse(purpose).ok_or_else(refuse)?;
            ledger.terms.slot(&slot).and_then(|(_, phase)| phase.envelopes).ok_or_else(refuse)?
        }
        SetKind::Sheet => (COLUMNS * ROWS) as u64,
        SetKind::FoulUp => ledger.terms.charter.foul_up.envelopes,
        SetKind::Contribution => CONTRIBUTIONS,
        SetKind::Note | SetKind::Plain => 1,
    })
}

impl View<'_, '_> {
    /// The purpose of this player's next set of a kind whose sets are numbered.
    pub(super) fn next_set(&self, kind: SetKind, label: &str) -> Told<String> {
        let mut purposes = (1..).map(|k| format!("{label}/{k}"));
        let next = purposes.find(|purpose| !self.sealed(kind, purpose));
        next.ok_or_else(|| Answer::refused("there is no number left for it"))
    }
}

/// `seal`: a set for a slot, or the next sheet or foul-up set.
pub(in crate::cli) fn seal(home: &Home, name: Option<&str>, what: &str, signing: &Signing) -> Told<Answer> {
    let table = Locked::find(home, name, Table::is_played)?;
    let (kind, purpose) = table.view(|view| {
        Ok(match what {
            "sheet" => (SetKind::Sheet, view.next_set(SetKind::Sheet, what)?),
            "foul-up" => (SetKind::FoulUp, view.next_set(SetKind::FoulUp, what)?),
            slot => (SetKind::Coin, slot.to_owned()),
        })
    })?;
    if table.view(|view| Ok(view.sealed(kind, &purpose)))? {
        return Ok(table.mail(signing, None)?.saying(format!("{purpose} is sealed already")));
    }
    table.view(|view| view.check_running(&table))?;
    let plan = |view: &View<'_, '_>| {
        size(view.ledger, kind, &purpose)?;
        signing.check_page(home)
    };
    table.sign_with_key(home, signing, plan, |view, seat| Ok(vec![seal_body(view.ledger, seat, kind, &purpose)?]))
}
