//! The days that the terms give to a silent player after the referee's request, counted by the office's clock (disputes
//! 23) and by this machine since it kept the request.

use std::time::SystemTime;

use super::table::Table;
use crate::{
    blob::{
        Hex32,
        body::{Forfeit, Role},
        disputes::Claim,
    },
    game::{
        days::{self, DAY},
        ledger::Ledger,
        rules::claim,
    },
    report::text::count,
};

/// The days that must pass after a referee's request.
pub(super) struct Days {
    /// The role that owes what the referee has requested.
    owes: Role,
    given: u64,
    /// The days that have passed according to this machine.
    passed: u64,
    /// The days that have passed according to the office's receipts, if there is an office.
    shown: Option<u64>,
}

impl Days {
    /// Whether the days have passed, according to this machine.
    pub(super) const fn are_over(&self) -> bool {
        self.passed >= self.given || self.are_shown()
    }

    /// Whether the office's receipts show that the days have passed.
    const fn are_shown(&self) -> bool {
        matches!(self.shown, Some(shown) if shown >= self.given)
    }

    /// Returns a warning for a referee who rules that the days have passed.
    pub(super) fn mind(&self) -> Option<String> {
        match (self.are_over(), self.shown) {
            (false, _) => Some(format!("this seems TOO EARLY: {}", self.in_words())),
            (true, Some(_)) if !self.are_shown() => Some(format!(
                "{}. For the days that the clock does not show, there is only your word, and every audit says so. The \
                 office confirms the time once the days have passed and it has your request with all the letters \
                 before the request",
                self.in_words()
            )),
            (true, _) => None,
        }
    }

    pub(super) fn in_words(&self) -> String {
        let shown = match self.shown {
            Some(shown) => format!(", and the office's clock shows {}", count(shown, "day")),
            None => String::new(),
        };
        format!(
            "the terms give {} {} from your request; this machine has had it for {}{shown}",
            self.owes,
            count(self.given, "day"),
            count(self.passed, "day")
        )
    }
}

impl Table {
    /// Counts the days that must pass after a referee's request before an opening or, if `forfeit` is given, before
    /// that ruling.
    pub(super) fn days(&self, ledger: &Ledger<'_>, request: &Hex32, forfeit: Option<Forfeit>) -> Option<Days> {
        let mut claims = claim::standing(ledger).filter(|(claim, ..)| ledger.request_for(claim) == Some(*request));
        let (_, _, Claim::Stall(stall)) = claims.next()? else { return None };
        let given = days::days_for(ledger, stall, forfeit)?;
        let asked = self.stored.iter().find(|letter| letter.message.id() == *request);
        let kept = asked.and_then(|asked| self.folder.kept_at(&asked.message));
        let since = kept.and_then(|kept| SystemTime::now().duration_since(kept).ok());
        let shown = self.terms.charter.office.is_some();
        Some(Days {
            owes: stall.owes.clone(),
            given,
            passed: since.map_or(0, |since| since.as_secs() / DAY),
            shown: shown.then(|| days::shown_since(ledger, request).map_or(0, |shown| shown / DAY)),
        })
    }
}
