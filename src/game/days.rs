//! Days: what the office's clock shows about the referee's statement that a deadline has passed, and when the office
//! reports the time (`protocol/disputes.md` 23 to 29, `protocol/office.md` 29 to 32).

use serde::Serialize;

use super::{
    ledger::Ledger,
    node::{Node, Past},
    rules::claim,
};
use crate::blob::{
    body::{Forfeit, Hex32},
    disputes::Stall,
};

/// One day of a deadline, in seconds.
pub const DAY: u64 = 86_400;

/// The evidence for the days of a ruling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    /// The office's clock shows that the days have passed.
    Shown,
    /// The office's clock shows that the days had not passed.
    Contradicted,
    /// The clock is inconclusive: only the referee says that the days have passed.
    Referee,
}

/// The evidence of the office's clock on a ruling for which days must have passed since its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Elapsed {
    /// The minimum time elapsed, in seconds, if known.
    pub at_least: Option<u64>,
    /// The maximum time elapsed, in seconds, if known.
    pub at_most: Option<u64>,
    /// The days of the deadline.
    pub days: u64,
    /// Id of the ruling that rests on the days.
    pub ruling: Hex32,
    /// The evidence for these days.
    pub word: Word,
}

impl Elapsed {
    /// Describes the evidence in words.
    #[must_use]
    pub fn told(&self) -> String {
        let least = self.at_least.map(|least| format!("at least {}", days(least / DAY)));
        let most = self.at_most.map(|most| format!("at most {}", days(most.div_ceil(DAY))));
        let given = days(self.days);
        match self.word {
            Word::Shown => {
                let least = least.unwrap_or_default();
                format!("the office's clock shows that the deadline of {given} had passed: {least} went by")
            }
            Word::Contradicted => {
                let most = most.unwrap_or_default();
                format!(
                    "the office's clock shows that the deadline of {given} had not passed: {most} went by; the referee \
                     was too early, or the clock is wrong"
                )
            }
            Word::Referee => {
                let bounds = least.into_iter().chain(most).collect::<Vec<String>>().join(" and ");
                let clock = match bounds.is_empty() {
                    true => String::new(),
                    false => format!("; by the office's clock, {bounds} went by"),
                };
                format!("only the referee says that the deadline of {given} had passed{clock}")
            }
        }
    }
}

fn days(n: u64) -> String {
    format!("{n} {}", if n == 1 { "day" } else { "days" })
}

/// Returns the number of days that must pass, by the terms, before the referee may open the dice that a stall claims
/// or, given `forfeit`, may rule that forfeit; the smallest number, if several deadlines apply.
///
/// # Examples
///
/// A claim that Bob stalls, with a deadline of 30 days in the terms. Two times on the office's clock show that they
/// passed:
///
/// ```
/// use sealed_dice::{
///     blob::{Body, disputes::Claim},
///     game::{audit::{Games, Read}, days::{DAY, days_for, shown_since}},
/// };
///
/// let read = Read::all(
///     include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/ruling/days-shown.txt")),
///     "a mail",
/// );
/// let games = Games::sort(&read);
/// let (_, days) = games.jobs()[0].run_with(|_, game| {
///     let (ledger, mut letters) = (game?.ledger, game?.letters.iter());
///     letters.find_map(|(letter, _)| match letter.body() {
///         Body::Claim(Claim::Stall(stall)) => {
///             let request = ledger.request_for(&letter.id())?;
///             Some((days_for(ledger, stall, None)?, shown_since(ledger, &request)?))
///         }
///         _ => None,
///     })
/// });
/// assert_eq!(days, Some((30, 30 * DAY)));
/// ```
#[must_use]
pub fn days_for(ledger: &Ledger<'_>, stall: &Stall, forfeit: Option<Forfeit>) -> Option<u64> {
    let deadlines = ledger.terms.charter.deadlines.iter().filter(|deadline| deadline.step == stall.step);
    let agreed = deadlines.filter(|deadline| forfeit.is_none_or(|forfeit| deadline.forfeit == forfeit));
    agreed.map(|deadline| deadline.days).min()
}

/// Returns the evidence of the office's clock on each ruling that rests on days, in the order of replay (disputes 23 to
/// 29).
///
/// # Examples
///
/// The referee ruled too early, by a second:
///
/// ```
/// use sealed_dice::game::{audit::{Games, Read}, days::{DAY, Word, elapsed}};
///
/// let read = Read::all(
///     include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/ruling/days-contradicted.txt")),
///     "a mail",
/// );
/// let games = Games::sort(&read);
/// let (_, days) = games.jobs()[0].run_with(|_, game| game.map(|game| elapsed(game.ledger)));
/// let days = days.unwrap_or_default();
/// assert_eq!((days[0].word, days[0].at_most), (Word::Contradicted, Some(30 * DAY - 1)));
/// ```
#[must_use]
pub fn elapsed(ledger: &Ledger<'_>) -> Vec<Elapsed> {
    let elapsed = ledger.rulings.counted.iter().filter_map(|(node, request, forfeit)| {
        let (.., stall) = ledger.requested(request)?;
        let days = days_for(ledger, stall, *forfeit)?;
        let asked = ledger.nodes.get(request)?;
        let at_least = told_since(ledger, asked, Past::of(node));
        let times = || ledger.escrow.times.iter();
        let last_before = times().filter(|(time, _)| asked.has_in_past(time)).map(|(_, at)| at).max();
        let first_behind = times().filter(|(time, _)| time.has_in_past(node)).map(|(_, at)| at).min();
        let at_most = first_behind.zip(last_before).map(|(behind, before)| behind.saturating_sub(*before));
        let word = match (at_least, at_most) {
            (Some(least), _) if least >= days * DAY => Word::Shown,
            (_, Some(most)) if most < days * DAY => Word::Contradicted,
            _ => Word::Referee,
        };
        Some(Elapsed { at_least, at_most, days, ruling: node.id(), word })
    });
    elapsed.collect()
}

/// Returns the time for which a request has stood by the office's clock, with all available letters, in seconds.
///
/// [`days_for`] has an example of both.
#[must_use]
pub fn shown_since(ledger: &Ledger<'_>, request: &Hex32) -> Option<u64> {
    told_since(ledger, ledger.nodes.get(request)?, Past::ALL)
}

/// Returns the time on the office's clock between the first and the last time reported after a letter.
fn told_since(ledger: &Ledger<'_>, letter: &Node, past: Past<'_>) -> Option<u64> {
    let behind = ledger.escrow.times.iter().filter(|(time, _)| time.has_in_past(letter) && past.has(time));
    let at: Vec<u64> = behind.map(|(_, at)| *at).collect();
    at.iter().max()?.checked_sub(*at.iter().min()?)
}

/// Whether the office must report the time, now that its clock shows `now` (office 30 to 32).
#[must_use]
pub fn office_owes_the_time(ledger: &Ledger<'_>, now: u64) -> bool {
    if ledger.terms.charter.office.is_none() {
        return false;
    }
    let stands = |id: &Hex32| claim::stands(ledger, id, Past::ALL);
    // A claim of silence that does not stand needs no time.
    let needs_one = |letter: &&Node| ledger.claims.stall(&letter.id()).is_none() || stands(&letter.id());
    if ledger.untold.undated.iter().any(needs_one) {
        return true;
    }
    let told = ledger.untold.told.unwrap_or_default();
    ledger.untold.requests.iter().any(|(asked, first)| {
        let Some((claim, _, stall)) = ledger.requested(&asked.id()) else { return false };
        let deadlines = ledger.terms.charter.deadlines.iter().filter(|deadline| deadline.step == stall.step);
        let mut over = deadlines.filter_map(|deadline| Some((*first)? + deadline.days * DAY));
        stands(&claim) && over.any(|over| told < over && over <= now)
    })
}
