//! `seal`: a set for a slot, or the next sheet or foul-up set.

use super::{
    locked::Locked,
    seals::{seal_body, size},
    sign::Signing,
    table::{Table, View},
};
use crate::cli::answer::{Answer, Told};
use crate::{blob::body::SetKind, keep::home::Home};

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
