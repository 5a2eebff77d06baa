//! The seals of sets, with the sizes that the terms give.

use super::failure::{Failure, PlayResult};
use crate::{
    blob::{
        Body,
        body::{SetKind, Slot},
    },
    game::{ledger::Ledger, steps::Signer},
    keep::random::fresh,
    limits::{COLUMNS, ROWS},
    report::text::visible,
};

/// The number of envelopes in a contribution set.
const CONTRIBUTIONS: u64 = 32;

/// Makes the seal of a set, with the size that the charter gives.
pub(super) fn seal_body(ledger: &Ledger<'_>, signer: &Signer, kind: SetKind, purpose: &str) -> PlayResult<Body> {
    let n = size(ledger, kind, purpose)?;
    Ok(Body::Seal(signer.seal(ledger.terms, kind, purpose, n, fresh()?, None)?))
}

/// Returns the number of places in a set.
pub(super) fn size(ledger: &Ledger<'_>, kind: SetKind, purpose: &str) -> PlayResult<u64> {
    let refuse = || {
        Failure::refused(format!(
            "you do not seal envelopes for {}; `sealed-dice game status` shows what to do next",
            visible(purpose)
        ))
    };
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
