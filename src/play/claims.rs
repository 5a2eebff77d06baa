//! Judges claims of a stall for all three parties: whether the accused player owes what is claimed.

use super::{
    failure::{Failure, PlayResult},
    table::View,
};
use crate::{
    blob::{Hex32, body::Step, disputes::Claim},
    game::{
        ledger::Ledger,
        rules::claim,
        tasks,
        terms::{Author, Player},
    },
    report::text::count,
};

/// Returns the reason why the accused player owes nothing that an active claim asks for; `None` if they owe it, or if
/// the claim is not a stall.
pub(super) fn not_owed(ledger: &Ledger<'_>, by: Player, claim: &Claim) -> Option<String> {
    let accused = ledger.terms.role(by.other());
    (!tasks::is_owed(ledger, by, claim)).then(|| format!("{accused} does not owe what the claim asks for"))
}

/// Checks that a player owes what a claim asks for, before a referee requests it.
pub(super) fn check_owed(ledger: &Ledger<'_>, claim: &Hex32) -> PlayResult<()> {
    let standing = claim::standing(ledger).find(|(id, ..)| id == claim);
    let why = standing.and_then(|(_, by, claim)| not_owed(ledger, by, claim));
    why.map_or(Ok(()), |why| {
        let id = ledger.ids.short(claim);
        Err(Failure::refused(format!("this claim is unfounded: {why}. Dismiss it:  sealed-dice rule dismiss {id}")))
    })
}

/// Checks that a player still owes what the referee has requested, before the referee rules on it.
pub(super) fn check_requested(ledger: &Ledger<'_>, request: &Hex32) -> PlayResult<()> {
    ledger.claim_of(request).map_or(Ok(()), |claim| check_owed(ledger, &claim))
}

impl View<'_, '_> {
    /// Returns what to add to the description of a claim: whether the claimed step is owed, and what ends the claim.
    pub(super) fn tell_owed(&self, by: Player, claim: &Claim) -> String {
        let Claim::Stall(stall) = claim else { return String::new() };
        match (not_owed(self.ledger, by, claim), by == self.me, stall.step) {
            (Some(why), true, _) if self.terms.charter.referee.is_some() => {
                format!("; {why}: the referee can only dismiss it")
            }
            (Some(why), ..) => format!("; {why}"),
            (None, true, _) => String::new(),
            (None, false, Step::Reveal) => "; the claim ends when you open what you owe".to_owned(),
            (None, false, Step::Answer) => "; any letter that you sign now ends it".to_owned(),
            (None, false, Step::Declare) => "; your next declaration ends it".to_owned(),
        }
    }

    /// Describes the referee's request on a claim, with the days that the terms give; empty if there is none.
    pub(super) fn tell_request(&self, id: &Hex32, claim: &Claim) -> String {
        let (Claim::Stall(stall), Some(request)) = (claim, self.ledger.request_for(id)) else { return String::new() };
        let deadline = self.terms.charter.deadlines.iter().find(|deadline| deadline.step == stall.step);
        let days = deadline.map_or_else(String::new, |deadline| {
            format!(", and the terms give {} {} from that letter", stall.owes, count(deadline.days, "day"))
        });
        format!("; the referee has asked for this step in letter {}{days}", self.ledger.ids.short(&request))
    }

    /// Lists who can dismiss the opponent's unfounded claims.
    pub(super) fn waits_for_dismissal(&self) -> Vec<String> {
        let (other, referee) = (self.terms.role(self.me.other()), self.terms.role_of(Author::Referee));
        let against = claim::standing(self.ledger).filter(|(_, by, _)| *by != self.me);
        let unowed = against.filter(|(_, by, claim)| not_owed(self.ledger, *by, claim).is_some());
        let told = unowed.map(|(id, ..)| {
            let id = self.ledger.ids.short(&id);
            let dismisses = referee.map_or_else(String::new, |referee| format!("{referee} dismisses or "));
            format!("{dismisses}{other} withdraws the claim {id}: you do not owe what it asks for")
        });
        told.collect()
    }
}
