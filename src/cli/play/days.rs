//! The days that the terms give to a silent player once the referee has asked him. No letter proves a date; what there is
//! to go by is when this machine kept the request.

use std::time::SystemTime;

use super::Table;
use crate::{
    blob::{
        Hex32,
        body::{Forfeit, Role},
        disputes::Claim,
    },
    game::ledger::Ledger,
    report::text::count,
};

const SECONDS_A_DAY: u64 = 86_400;

/// The days that follow a request.
pub(super) struct Days {
    /// Who was asked.
    owes: Role,
    given: u64,
    passed: u64,
}

impl Days {
    /// Whether they have passed, as far as this machine can tell.
    pub(super) const fn are_over(&self) -> bool {
        self.passed >= self.given
    }

    pub(super) fn in_words(&self) -> String {
        format!(
            "the terms give {} {} from your request, and this machine has had it for {}",
            self.owes,
            count(self.given, "day"),
            count(self.passed, "day")
        )
    }
}

impl Table {
    /// The days that follow a request of the referee's before he opens or, with a forfeit, before he rules that.
    pub(super) fn days(&self, ledger: &Ledger<'_>, request: &Hex32, forfeit: Option<Forfeit>) -> Option<Days> {
        let mut claims = ledger.standing_claims().filter(|(claim, ..)| ledger.request_for(claim) == Some(*request));
        let (_, _, Claim::Stall(stall)) = claims.next()? else { return None };
        let given = ledger.days_for(stall, forfeit)?;
        let asked = self.stored.iter().find(|letter| letter.message.id() == *request);
        let kept = asked.and_then(|asked| self.folder.kept_at(&asked.message));
        let since = kept.and_then(|kept| SystemTime::now().duration_since(kept).ok());
        Some(Days { owes: stall.owes.clone(), given, passed: since.map_or(0, |since| since.as_secs() / SECONDS_A_DAY) })
    }
}
