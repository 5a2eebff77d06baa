//! Days: what the office's clock says to the referee's word that a deadline has passed, and when the office tells the
//! time (`protocol/disputes.md` 9, `protocol/office.md` 12).

use serde::Serialize;

use super::{ledger::Ledger, order::Node};
use crate::blob::{
    body::{Forfeit, Hex32},
    disputes::Stall,
};

/// A day of a deadline, in seconds.
pub const DAY: u64 = 86_400;

/// What the days of a ruling rest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    /// The office's clock shows that they have passed.
    Shown,
    /// It shows that they had not.
    Contradicted,
    /// Nothing shows it: the referee says so.
    Referee,
}

/// What the office's clock says to a ruling for which days must have passed since its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Elapsed {
    /// How long it was at least, in seconds.
    pub at_least: Option<u64>,
    /// How long it was at most, in seconds.
    pub at_most: Option<u64>,
    /// The days of the deadline.
    pub days: u64,
    /// The ruling.
    pub ruling: Hex32,
    /// What they rest on.
    pub word: Word,
}

/// What the office may have to tell the time of (office 29).
#[derive(Default)]
pub(super) struct Untold<'a> {
    /// Valid stalls, requests, rulings that rest on days and, for a time witness, declarations, that no time is behind yet.
    undated: Vec<&'a Node>,
    /// Valid requests whose claim may still stand, each with the first time behind it.
    requests: Vec<(&'a Node, Option<u64>)>,
    /// The latest time that the office told, on whatever branch.
    told: Option<u64>,
}

impl<'a> Untold<'a> {
    /// A letter that a time is to be behind.
    pub(super) fn add(&mut self, node: &'a Node) {
        self.undated.push(node);
    }

    /// The office tells a time.
    pub(super) fn tell(&mut self, time: &Node, at: u64) {
        self.undated.retain(|letter| !time.has_in_past(letter));
        let behind = self.requests.iter_mut().filter(|(asked, _)| time.has_in_past(asked));
        behind.for_each(|(_, first)| *first = Some(first.map_or(at, |first| first.min(at))));
        self.told = self.told.max(Some(at));
    }
}

/// A valid ruling that rests on days: itself, its request, and the forfeit if it is one.
pub(super) type Counted<'a> = (&'a Node, Hex32, Option<Forfeit>);

impl Elapsed {
    /// The same in words.
    #[must_use]
    pub fn told(&self) -> String {
        let least = self.at_least.map_or_else(String::new, |least| format!(", at least {}", days(least / DAY)));
        let most = self.at_most.map_or_else(String::new, |most| format!(", at most {}", days(most.div_ceil(DAY))));
        let given = days(self.days);
        match self.word {
            Word::Shown => format!("the {given} of the deadline had passed, as the office's clock shows{least}"),
            Word::Contradicted => format!(
                "the {given} of the deadline had not passed by the office's clock{most}: the referee was too early, or that \
                 clock is wrong"
            ),
            Word::Referee if least.is_empty() && most.is_empty() => {
                format!("that the {given} of the deadline had passed is the referee's word")
            }
            Word::Referee => format!(
                "that the {given} of the deadline had passed is the referee's word; by the office's clock{least}{most}"
            ),
        }
    }
}

fn days(n: u64) -> String {
    format!("{n} {}", if n == 1 { "day" } else { "days" })
}

impl Ledger<'_> {
    /// The days of the terms for what a stall claims, before the referee opens it or, with a forfeit, before he rules that;
    /// the least, if there are several.
    #[must_use]
    pub fn days_for(&self, stall: &Stall, forfeit: Option<Forfeit>) -> Option<u64> {
        let deadlines = self.terms.charter.deadlines.iter().filter(|deadline| deadline.step == stall.step);
        let agreed = deadlines.filter(|deadline| forfeit.is_none_or(|forfeit| deadline.forfeit == forfeit));
        agreed.map(|deadline| deadline.days).min()
    }

    /// What the office's clock says to each ruling that rests on days, in the order of replay (disputes 23 to 29).
    #[must_use]
    pub fn elapsed(&self) -> Vec<Elapsed> {
        let told = |(node, request, forfeit): &Counted<'_>| {
            let (.., stall) = self.requested(request)?;
            let days = self.days_for(stall, *forfeit)?;
            let asked = self.nodes.get(request)?;
            let at_least = self.told_since(asked, |time| node.has_in_past(time));
            let last_before = self.escrow.times().filter(|(time, _)| asked.has_in_past(time)).map(|(_, at)| at).max();
            let first_behind = self.escrow.times().filter(|(time, _)| time.has_in_past(node)).map(|(_, at)| at).min();
            let at_most = first_behind.zip(last_before).map(|(behind, before)| behind.saturating_sub(before));
            let word = match (at_least, at_most) {
                (Some(least), _) if least >= days * DAY => Word::Shown,
                (_, Some(most)) if most < days * DAY => Word::Contradicted,
                _ => Word::Referee,
            };
            Some(Elapsed { at_least, at_most, days, ruling: node.id(), word })
        };
        self.rulings.counted().iter().filter_map(told).collect()
    }

    /// How long the office's clock shows a request to have stood, with all letters at hand, in seconds.
    #[must_use]
    pub fn shown_since(&self, request: &Hex32) -> Option<u64> {
        self.told_since(self.nodes.get(request)?, |_| true)
    }

    /// What passed on the office's clock between the first and the last time, of those that are known, behind a letter.
    fn told_since(&self, letter: &Node, known: impl Fn(&Node) -> bool) -> Option<u64> {
        let behind = self.escrow.times().filter(|(time, _)| time.has_in_past(letter) && known(time));
        let at: Vec<u64> = behind.map(|(_, at)| at).collect();
        at.iter().max()?.checked_sub(*at.iter().min()?)
    }

    /// Whether the office is to tell the time, now that its clock shows `now` (office 30 to 32).
    #[must_use]
    pub fn office_owes_the_time(&self, now: u64) -> bool {
        if self.terms.charter.office.is_none() {
            return false;
        }
        // A claim of silence that does not stand needs no time.
        let needs_one =
            |letter: &&Node| self.stall(&letter.id()).is_none() || self.claim_stands(&letter.id(), |_: &Node| true);
        if self.untold.undated.iter().any(needs_one) {
            return true;
        }
        let told = self.untold.told.unwrap_or_default();
        self.untold.requests.iter().any(|(asked, first)| {
            let Some((claim, _, stall)) = self.requested(&asked.id()) else { return false };
            let deadlines = self.terms.charter.deadlines.iter().filter(|deadline| deadline.step == stall.step);
            let mut over = deadlines.filter_map(|deadline| Some((*first)? + deadline.days * DAY));
            self.claim_stands(&claim, |_| true) && over.any(|over| told < over && over <= now)
        })
    }

    /// The latest time that the office told, on whatever branch.
    #[must_use]
    pub const fn told(&self) -> Option<u64> {
        self.untold.told
    }
}

impl<'a> Ledger<'a> {
    /// A valid request: days are counted from the first time behind it. Those of which nothing comes any more are forgotten.
    pub(super) fn count_days(&mut self, request: &'a Node) {
        let mut requests = std::mem::take(&mut self.untold.requests);
        requests.retain(|(asked, _)| {
            let requested = self.requested(&asked.id());
            // A note can be due again.
            requested.is_some_and(|(claim, _, stall)| {
                stall.letter.is_some_and(|letter| self.sets.contains_key(&letter))
                    || self.claim_stands(&claim, |_| true)
            })
        });
        requests.push((request, None));
        self.untold.requests = requests;
        self.untold.add(request);
    }
}
