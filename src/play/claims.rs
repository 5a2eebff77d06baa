//! What is said to all three about a claim of a stall: whether the accused player owes what it asks for.

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

/// Why a claim that stands asks for nothing that is owed, in words; none if it is owed, or no stall.
pub(super) fn not_owed(ledger: &Ledger<'_>, by: Player, claim: &Claim) -> Option<String> {
    let accused = ledger.terms.role(by.other());
    (!tasks::is_owed(ledger, by, claim)).then(|| format!("{accused} owes nothing of the kind"))
}

/// That a claim asks for something that is owed, before a referee asks for it.
pub(super) fn check_owed(ledger: &Ledger<'_>, claim: &Hex32) -> PlayResult<()> {
    let standing = claim::standing(ledger).find(|(id, ..)| id == claim);
    let why = standing.and_then(|(_, by, claim)| not_owed(ledger, by, claim));
    why.map_or(Ok(()), |why| {
        let id = ledger.ids.short(claim);
        Err(Failure::refused(format!(
            "there is nothing to ask for: {why}. Dismiss the claim:  sealed-dice rule dismiss {id}"
        )))
    })
}

/// Checks that what a referee's request asked for is still owed, before the referee rules on it.
pub(super) fn check_requested(ledger: &Ledger<'_>, request: &Hex32) -> PlayResult<()> {
    ledger.claim_of(request).map_or(Ok(()), |claim| check_owed(ledger, &claim))
}

impl View<'_, '_> {
    /// What to say of a claim beside what it says: whether that is owed, and what ends it.
    pub(super) fn tell_owed(&self, by: Player, claim: &Claim) -> String {
        let Claim::Stall(stall) = claim else { return String::new() };
        match (not_owed(self.ledger, by, claim), by == self.me, stall.step) {
            (Some(why), true, _) if self.terms.charter.referee.is_some() => {
                format!("; {why}: the referee can only dismiss it")
            }
            (Some(why), ..) => format!("; {why}"),
            (None, true, _) => String::new(),
            (None, false, Step::Reveal) => "; opening that ends it".to_owned(),
            (None, false, Step::Answer) => "; any letter that you sign now ends it".to_owned(),
            (None, false, Step::Declare) => "; your next declaration ends it".to_owned(),
        }
    }

    /// The referee's request on a claim, in words, with the days that the terms give; empty if there is none.
    pub(super) fn tell_request(&self, id: &Hex32, claim: &Claim) -> String {
        let (Claim::Stall(stall), Some(request)) = (claim, self.ledger.request_for(id)) else { return String::new() };
        let deadline = self.terms.charter.deadlines.iter().find(|deadline| deadline.step == stall.step);
        let days = deadline.map_or_else(String::new, |deadline| {
            format!(", and the terms give {} {} from then", stall.owes, count(deadline.days, "day"))
        });
        format!("; the referee has asked for it in letter {}{days}", self.ledger.ids.short(&request))
    }

    /// Who takes away what the opponent claims without reason.
    pub(super) fn waits_for_dismissal(&self) -> Vec<String> {
        let (other, referee) = (self.terms.role(self.me.other()), self.terms.role_of(Author::Referee));
        let against = claim::standing(self.ledger).filter(|(_, by, _)| *by != self.me);
        let unowed = against.filter(|(_, by, claim)| not_owed(self.ledger, *by, claim).is_some());
        let told = unowed.map(|(id, ..)| {
            let id = self.ledger.ids.short(&id);
            let dismisses = referee.map_or_else(String::new, |referee| format!("{referee} dismisses it, or "));
            format!("{dismisses}{other} withdraws the claim {id}: you owe nothing that it asks for")
        });
        told.collect()
    }
}
