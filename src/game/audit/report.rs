//! The report on one game: the result of an audit, as data (`protocol/audit.md` 4, 11, 12).

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::{
    blob::{
        Kind, Verified,
        body::{Hex32, Role},
    },
    error::Error,
    game::{days::Elapsed, order::Missing},
    resolve::{Object, hidden::Stop},
    rule::Rule,
};

/// The verdict on a game (audit 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No finding with a culprit stands, no claim stands, and nothing is missing.
    Verified,
    /// A finding with a culprit stands, and no redo waits to settle it.
    Refuted,
    /// Something is missing, or a claim or a redo waits to be settled.
    Undecided,
}

/// The report on one game (audit 4).
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Verified, refuted or undecided.
    pub verdict: Verdict,
    /// The game; `None` for letters that belong to no available game.
    pub game: Option<Hex32>,
    /// Whether both players have closed with all their masters.
    pub complete: bool,
    /// Each role's last replayed letter that stands.
    pub heads: BTreeMap<String, Option<ChainHead>>,
    /// Letters that are named but not available.
    pub missing: Vec<MissingLetter>,
    /// The findings: forks first, then in the order of replay (audit 4).
    pub findings: Vec<ReportedFinding>,
    /// Every draw of the game, in the order of replay of the declarations.
    pub rolls: Vec<Roll>,
    /// The state of each course after the available letters.
    pub courses: Vec<CourseState>,
    /// The old game, if the charter continues one.
    pub continues: Option<Continued>,
    /// The evidence of the office's clock on rulings that rest on days.
    pub days: Vec<Elapsed>,
    /// Awaited actions, and notices for the reader.
    pub open: Vec<Open>,
    /// Declarations that runs recomputed, for people; not part of the JSON.
    #[serde(skip)]
    pub worked: Vec<Worked>,
    /// The title of the report, for people; not part of the JSON.
    #[serde(skip)]
    pub title: String,
    /// Whether charter and accept are available; not part of the JSON.
    #[serde(skip)]
    pub has_begun: bool,
}

impl Report {
    /// Returns every id in the report.
    pub fn ids(&self) -> impl Iterator<Item = Hex32> {
        let heads = self.heads.values().flatten().map(|head| head.id);
        let missing = self.missing.iter().flat_map(|missing| missing.named_by.iter().copied().chain([missing.id]));
        let findings =
            self.findings.iter().flat_map(|finding| finding.message_ids.iter().copied().chain(finding.settled_by));
        let rolls = self.rolls.iter().flat_map(|roll| {
            let standing = match roll.standing {
                StandsOr::ReplacedBy(by) | StandsOr::VoidedBy(by) => Some(by),
                StandsOr::Stands(_) => None,
            };
            roll.named_by.into_iter().chain(standing)
        });
        let continues = self.continues.iter().flat_map(Continued::ids);
        self.game.into_iter().chain(heads).chain(missing).chain(findings).chain(rolls).chain(continues)
    }

    /// Returns the roles with unsettled findings, ascending, each once.
    #[must_use]
    pub fn culprits(&self) -> Vec<String> {
        let stands = self.findings.iter().filter(|finding| finding.settled_by.is_none());
        let culprits: BTreeSet<&String> = stands.filter_map(|finding| finding.culprit.as_ref()).collect();
        culprits.into_iter().cloned().collect()
    }
}

/// The last letter of a chain.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ChainHead {
    /// Id of the last letter.
    pub id: Hex32,
    /// Number of the last letter.
    pub number: u64,
}

/// The state of a course (courses 22).
#[derive(Clone, Debug, Serialize)]
pub struct CourseState {
    /// The state; `None` while the last declaration is not settled.
    pub state: Option<Object>,
    /// The progress of the players' runs, if the course is hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<BTreeMap<String, RunReport>>,
    /// Name of the course's system.
    pub system: &'static str,
}

/// The progress of a run (hidden 9).
#[derive(Clone, Debug, Serialize)]
pub struct RunReport {
    /// The number of the player's declarations that were taken.
    pub declared: u64,
    /// The player's hand where the run stopped; `None` if none of their declarations was run.
    pub hand: Option<Object>,
    /// The number of declarations that were run.
    pub run: u64,
    /// The missing item that stopped the run; `None` if nothing stopped it.
    pub stopped: Option<Stop>,
}

impl RunReport {
    /// Whether the run stopped because a table is missing (hidden 9).
    pub(super) fn lacks_a_table(&self) -> bool {
        matches!(self.stopped, Some(Stop::Table(_)))
    }
}

/// A letter to ask for.
#[derive(Clone, Debug, Serialize)]
pub struct MissingLetter {
    /// Id of the missing letter.
    pub id: Hex32,
    /// The letters that name the missing letter.
    pub named_by: Vec<Hex32>,
    /// The author of the missing letter, if known.
    pub author: Option<String>,
    /// The number of the missing letter, if known.
    pub number: Option<u64>,
}

impl MissingLetter {
    /// Reports a missing letter as other letters describe it.
    pub(super) fn of(id: Hex32, missing: &Missing) -> Self {
        Self {
            id,
            named_by: missing.named_by.clone(),
            author: missing.author.as_ref().map(ToString::to_string),
            number: missing.number,
        }
    }
}

/// A finding as reported.
#[derive(Clone, Debug, Serialize)]
pub struct ReportedFinding {
    /// Class of the finding, such as `chain` or `rule`.
    pub code: &'static str,
    /// The role to blame, if signed texts prove it.
    pub culprit: Option<String>,
    /// The letters concerned.
    pub message_ids: Vec<Hex32>,
    /// The letter that settled the finding.
    pub settled_by: Option<Hex32>,
    /// A description of the fault.
    pub text: String,
    /// Whether a valid redo waits for its reveal and will settle the finding; not part of the JSON.
    #[serde(skip)]
    pub waits: bool,
    /// The broken rule; not part of the JSON, where the text begins with it.
    #[serde(skip)]
    pub rule: Option<Rule>,
}

/// One draw: the value of a die, its origin, and whether it stands.
#[derive(Clone, Debug, Serialize)]
pub struct Roll {
    /// The cell of a sheet.
    pub cell: Option<String>,
    /// The declaration.
    pub declaration: Hex32,
    /// Index of the envelope, or column.
    pub index: u64,
    /// Row of a coin envelope or a cell, or line of any other envelope, from 1.
    pub line: u64,
    /// The claim that named the die, after a forfeit.
    pub named_by: Option<Hex32>,
    /// Id of the seal of the die's set.
    pub seal: Hex32,
    /// Sides of the die.
    pub sides: u64,
    /// Slot of the declaration.
    pub slot: String,
    /// Whether the declaration stands.
    pub standing: StandsOr,
    /// Value of the die, from 1 to its number of sides.
    pub value: u64,
    /// The purpose of the roll, such as `a1 F12 3-1`.
    pub why: String,
    /// The role that declared the die and that alone can name it after a forfeit; not part of the JSON.
    #[serde(skip)]
    pub declarer: String,
    /// The role that declared the die, or `both sides`; not part of the JSON.
    #[serde(skip)]
    pub roller: String,
    /// The role that sealed the die's set; not part of the JSON.
    #[serde(skip)]
    pub sealer: String,
    /// The phase of the declaration's slot; not part of the JSON.
    #[serde(skip)]
    pub phase: String,
    /// The system of the phase; not part of the JSON.
    #[serde(skip)]
    pub system: String,
}

/// Whether a roll stands: `true`, the redo that replaced it, the acceptance or ruling that voided it, or `false` if its
/// course passed it over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum StandsOr {
    /// `true` if the roll stands, `false` if its course passed it over.
    Stands(bool),
    /// The redo that replaced the roll.
    ReplacedBy(Hex32),
    /// The acceptance or ruling that voided the roll.
    VoidedBy(Hex32),
}

/// A declaration of a hidden course, recomputed from its sheet and dice, for people.
#[derive(Clone, Debug)]
pub struct Worked {
    /// Slot of the declaration.
    pub slot: String,
    /// The role that made the declaration.
    pub by: String,
    /// Steps by which the declaration was recomputed.
    pub steps: Vec<String>,
    /// Faults found in the declaration.
    pub wrong: Vec<String>,
}

/// An awaited action, or a notice for the reader.
#[derive(Clone, Debug, Serialize)]
pub struct Open {
    /// The letter concerned.
    pub id: Option<Hex32>,
    /// A description of the matter.
    pub text: String,
    /// Code for the kind of matter, such as `awaits-redo`.
    pub what: &'static str,
    /// The role that must act, if any.
    pub who: Option<String>,
}

/// The old game that a game continues (audit 11, 12).
#[derive(Clone, Debug, Serialize)]
pub struct Continued {
    /// Whether the old game is available and the heads are letters in it.
    pub at_hand: bool,
    /// The old game's letters after the heads, in the order of replay.
    pub behind: Vec<Hex32>,
    /// Id of the old game, which the new one continues.
    pub game: Hex32,
    /// Declarations at the heads whose dice were not opened there.
    pub open: Vec<Hex32>,
    /// The other games that continue the old one, ascending.
    pub others: Vec<Hex32>,
    /// The roles with the same key in both charters, ascending.
    pub same_keys: Vec<String>,
    /// Whether the states of the new charter match those at the heads.
    pub same_states: bool,
    /// The old game for people, or the reason why it is not available; not part of the JSON.
    #[serde(skip)]
    pub old: Result<Old, Lack>,
}

impl Continued {
    /// Returns every id in this part of the report.
    pub fn ids(&self) -> impl Iterator<Item = Hex32> {
        let lists = [&self.behind, &self.open, &self.others];
        lists.into_iter().flatten().copied().chain([self.game])
    }
}

/// The old game, for people.
#[derive(Clone, Debug)]
pub struct Old {
    /// Title of the old game.
    pub title: String,
    /// Verdict on the old game, with all its letters.
    pub verdict: Verdict,
    /// The roles to blame for unsettled findings, ascending.
    pub culprits: Vec<String>,
    /// The old game's letters after the heads, in the order of replay.
    pub behind: Vec<Letter>,
    /// Declarations at the heads whose dice were not opened there, in the order of replay.
    pub open: Vec<Letter>,
    /// The number of courses of the new game that begin with a state.
    pub states: usize,
}

/// A letter of the old game.
#[derive(Clone, Debug)]
pub struct Letter {
    /// Id of the letter.
    pub id: Hex32,
    /// The role that signed the letter.
    pub author: String,
    /// Number of the letter in its author's chain.
    pub number: u64,
    /// Kind of the letter, such as `declare`.
    pub kind: Kind,
    /// Slot of the letter, if it is a declaration.
    pub slot: Option<String>,
    /// Dice of the declaration, as far as all letters of the old game show them.
    pub rolls: Vec<Roll>,
}

/// The reason why the old game is not available (audit 11).
#[derive(Clone, Debug)]
pub enum Lack {
    /// The old game's charter or accepts are missing, or start no game.
    Game,
    /// The old game has too many branches to be replayed (chain 15).
    Replay,
    /// More available games continue the old game than are compared with it.
    Sequels,
    /// The heads do not list exactly the old game's roles.
    Roles,
    /// The head of a role is not a placed letter by that role.
    Head(Role, Hex32),
}

impl ReportedFinding {
    /// Reports a fault in a letter for which its author is to blame.
    pub(super) fn of_author(letter: &Verified, error: &Error) -> Self {
        let culprit = Some(letter.head().author.to_string());
        Self { culprit, ..Self::of_nobody(Some(letter.id()), error) }
    }

    /// Reports a fault in a letter, or in bytes that may not be a letter, without blaming anyone.
    pub(super) fn of_nobody(letter: Option<Hex32>, error: &Error) -> Self {
        Self {
            code: error.class().as_str(),
            culprit: None,
            message_ids: letter.into_iter().collect(),
            settled_by: None,
            text: error.to_string(),
            waits: false,
            rule: error.rule(),
        }
    }

    /// Adds the place where the letter was read.
    pub(super) fn at(self, place: &str) -> Self {
        Self { text: format!("{place}: {}", self.text), ..self }
    }
}

impl Report {
    pub(super) fn empty(game: Option<Hex32>, title: String) -> Self {
        Self {
            verdict: Verdict::Undecided,
            game,
            complete: false,
            heads: BTreeMap::new(),
            missing: Vec::new(),
            findings: Vec::new(),
            rolls: Vec::new(),
            courses: Vec::new(),
            continues: None,
            days: Vec::new(),
            open: Vec::new(),
            worked: Vec::new(),
            title,
            has_begun: false,
        }
    }

    /// Reports that a letter needed to begin a game is missing (audit 8).
    pub(super) fn without<'v>(game: Hex32, id: Hex32, named_by: impl Iterator<Item = &'v Verified>) -> Self {
        let mut report = Self::empty(Some(game), String::new());
        let naming: BTreeMap<Hex32, &Verified> = named_by.map(|letter| (letter.id(), letter)).collect();
        let mut missing = Missing::default();
        naming.into_values().for_each(|letter| missing.note(id, letter));
        report.missing.push(MissingLetter::of(id, &missing));
        report
    }

    /// Reports a game that did not begin (charter 16, audit 10).
    pub(super) fn in_breach(game: Hex32, title: String, finding: ReportedFinding) -> Self {
        let mut report = Self::empty(Some(game), title);
        report.findings.push(finding);
        report.has_begun = true;
        report.decided(false)
    }

    /// Sets the verdict (audit 1); `claimed` means that a claim stands, a run lacks a table, or nothing was replayed.
    pub(super) fn decided(mut self, claimed: bool) -> Self {
        let unsettled = |finding: &&ReportedFinding| finding.culprit.is_some() && finding.settled_by.is_none();
        let mut unsettled = self.findings.iter().filter(unsettled).map(|finding| finding.waits);
        self.verdict = match (unsettled.clone().all(|waits| waits), unsettled.next().is_some()) {
            (false, _) => Verdict::Refuted,
            (true, true) => Verdict::Undecided,
            (true, false) if claimed || !self.missing.is_empty() || self.game.is_none() => Verdict::Undecided,
            (true, false) => Verdict::Verified,
        };
        self
    }
}
