//! `seal`: seals a set for a slot, or the next sheet or foul-up set.

use super::{
    failure::{Failure, PlayResult},
    handed::Handed,
    locked::Locked,
    seals::{seal_body, size},
    session::Session,
    table::{Table, View},
};
use crate::blob::body::SetKind;

impl View<'_, '_> {
    /// Returns the purpose of this player's next set of a kind whose sets are numbered.
    pub(super) fn next_set(&self, kind: SetKind, label: &str) -> PlayResult<String> {
        let mut purposes = (1..).map(|k| format!("{label}/{k}"));
        let next = purposes.find(|purpose| !self.sealed(kind, purpose));
        next.ok_or_else(|| Failure::refused("every number for such a set is already used; use the sets that you have"))
    }
}

/// Seals a set for a slot, or the next `sheet` or `foul-up` set.
///
/// # Errors
/// If this player has no such set to seal, or does not sign.
pub fn seal(session: &Session<'_>, name: Option<&str>, what: &str) -> PlayResult<Handed> {
    let table = Locked::find(session, name, Table::is_played)?;
    let (kind, purpose) = table.view(|view| {
        Ok(match what {
            "sheet" => (SetKind::Sheet, view.next_set(SetKind::Sheet, what)?),
            "foul-up" => (SetKind::FoulUp, view.next_set(SetKind::FoulUp, what)?),
            slot => (SetKind::Coin, slot.to_owned()),
        })
    })?;
    if table.view(|view| Ok(view.sealed(kind, &purpose)))? {
        return Ok(table.mail(None)?.saying(format!("{purpose} is already sealed")));
    }
    table.view(|view| view.check_running(&table))?;
    let plan = |view: &View<'_, '_>| {
        size(view.ledger, kind, &purpose)?;
        session.check_page()
    };
    table.sign_with_key(session, plan, |view, pen| Ok(vec![seal_body(view.ledger, pen.signer(), kind, &purpose)?]))
}
