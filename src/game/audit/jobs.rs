//! The audit: from any collection of letters to a verdict for each game (`protocol/audit.md` 1).

use std::collections::BTreeSet;

use super::{
    continued,
    games::{Game, Games, Read},
    one_game::{Replay, replay},
    report::{Open, Report, ReportedFinding},
};
use crate::blob::Hex32;

impl<'a> Games<'a> {
    /// Returns one job for each game, so that games can be audited in parallel, and one for everything else.
    #[must_use]
    pub fn jobs(&self) -> Vec<Job<'_>> {
        let mut jobs: Vec<Job<'_>> = self.games.iter().map(|(id, game)| Job::Game(self, *id, game)).collect();
        if !self.stray.is_empty() || self.unaccepted().next().is_some() {
            jobs.push(Job::Stray(self));
        }
        jobs
    }
}

/// A piece of work that depends on no other.
pub enum Job<'a> {
    /// One game, by its id.
    Game(&'a Games<'a>, Hex32, &'a Game<'a>),
    /// Everything that belongs to no available game.
    Stray(&'a Games<'a>),
}

impl Job<'_> {
    /// Runs the audit of this job and returns its report.
    #[must_use]
    pub fn run(&self) -> Report {
        self.run_with(|_, _| ()).0
    }

    /// Runs the audit and passes the report and the replayed game to `look` before dropping the game. There is no
    /// replay for a game that never began, or for letters outside any game.
    ///
    /// # Examples
    ///
    /// The replayed game answers questions that no report answers:
    ///
    /// ```
    /// use sealed_dice::{blob::body::SetKind, game::{audit::{Games, Read}, terms::Player}};
    ///
    /// let read = Read::all(
    ///     include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/one-roll.txt")),
    ///     "a mail",
    /// );
    /// let games = Games::sort(&read);
    /// let (report, sealed) = games.jobs()[0].run_with(|_, replay| {
    ///     replay.and_then(|game| game.ledger.sealed(Player::Second, SetKind::Coin, "1/1/ann-first/1"))
    /// });
    /// assert_eq!(sealed, Some(report.rolls[0].seal));
    /// ```
    pub fn run_with<T>(&self, look: impl FnOnce(&Report, Option<&Replay<'_>>) -> T) -> (Report, T) {
        match self {
            Self::Game(games, id, game) => match game.begun(games, *id) {
                Err(report) => looked_at(*report, look),
                Ok(begun) => replay(&begun, games, |mut report, replay| {
                    report.continues = continued::of(games, begun.terms, *id);
                    let seen = look(&report, Some(replay));
                    (report, seen)
                }),
            },
            Self::Stray(games) => looked_at(stray_report(games), look),
        }
    }
}

fn looked_at<T>(report: Report, look: impl FnOnce(&Report, Option<&Replay<'_>>) -> T) -> (Report, T) {
    let seen = look(&report, None);
    (report, seen)
}

/// Audits everything available, one game after the other.
///
/// # Examples
///
/// Letters from several mails are judged together:
///
/// ```
/// use sealed_dice::game::audit::{Read, Verdict, audit};
///
/// let mail = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/audit/one-roll.txt"));
/// let (first, second) = mail.split_at(mail.rfind("-----BEGIN").ok_or("no letter")?);
/// let mut read = Read::all(first.as_bytes(), "first mail");
/// assert!(audit(&read)[0].rolls.is_empty());
/// read.extend(Read::all(second.as_bytes(), "second mail"));
/// let report = &audit(&read)[0];
/// assert_eq!((report.verdict, report.rolls[0].value), (Verdict::Verified, 2));
/// # Ok::<(), &str>(())
/// ```
#[must_use]
pub fn audit(read: &[Read]) -> Vec<Report> {
    Games::sort(read).jobs().iter().map(Job::run).collect()
}

fn stray_report(games: &Games<'_>) -> Report {
    let mut report = Report::empty(None, String::new());
    for (charter, terms) in games.unaccepted() {
        match terms {
            Err(error) => report.findings.push(ReportedFinding::of_author(charter, error)),
            Ok(_) => report.open.push(Open {
                id: Some(charter.id()),
                text: "this charter has not been accepted".into(),
                what: "awaits-accept",
                who: None,
            }),
        }
    }
    for (letter, place, error) in &games.stray.strangers {
        report.findings.push(ReportedFinding::of_nobody(Some(letter.id()), error).at(place));
    }
    // A finding is reported once, even if its letter appears twice (audit 7).
    let mut told = BTreeSet::new();
    let refused = games.stray.refused.iter();
    let refused = refused.filter(|(_, refusal)| refusal.id.is_none_or(|id| told.insert((id, refusal.error.class()))));
    let refused = refused.map(|(place, refusal)| ReportedFinding::of_nobody(refusal.id, &refusal.error).at(place));
    report.findings.extend(refused);
    report.findings.sort_by(|a, b| (&a.message_ids, a.code).cmp(&(&b.message_ids, b.code)));
    report.decided(false)
}
