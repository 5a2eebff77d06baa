//! The report on one game: what an audit says, as data (`protocol/audit.md` 4, 11, 12).

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
    /// Nothing is wrong, and nothing named is missing.
    Verified,
    /// A finding with a culprit stands.
    Refuted,
    /// Something named is missing.
    Undecided,
}

/// The report on one game (audit 4).
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Verified, refuted or undecided.
    pub verdict: Verdict,
    /// The game; none for what belongs to no game at hand.
    pub game: Option<Hex32>,
    /// Both players have closed with all their masters.
    pub complete: bool,
    /// For each role its last letter that was replayed and stands.
    pub heads: BTreeMap<String, Option<ChainHead>>,
    /// What is named and not at hand.
    pub missing: Vec<MissingLetter>,
    /// What is wrong in the game: forks first, then in the order of replay (audit 4).
    pub findings: Vec<ReportedFinding>,
    /// Every draw of the game, in the order of replay of the declarations.
    pub rolls: Vec<Roll>,
    /// The state of each course at the end of the letters at hand.
    pub courses: Vec<CourseState>,
    /// What it goes on from, if its charter continues another game.
    pub continues: Option<Continued>,
    /// What the office's clock says to rulings that rest on days.
    pub days: Vec<Elapsed>,
    /// What is awaited, and what a reader should know.
    pub open: Vec<Open>,
    /// What runs have worked out again, for people; not part of the JSON.
    #[serde(skip)]
    pub worked: Vec<Worked>,
    /// What the report is told from, for people; not part of the JSON.
    #[serde(skip)]
    pub title: String,
    /// Whether charter and accept are at hand; not part of the JSON.
    #[serde(skip)]
    pub has_begun: bool,
}

impl Report {
    /// Every id that a report tells.
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

    /// The roles with findings that are not settled, ascending, each once.
    #[must_use]
    pub fn culprits(&self) -> Vec<String> {
        let stands = self.findings.iter().filter(|finding| finding.settled_by.is_none());
        let culprits: BTreeSet<&String> = stands.filter_map(|finding| finding.culprit.as_ref()).collect();
        culprits.into_iter().cloned().collect()
    }
}

/// Where a chain stands.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ChainHead {
    /// Id of the letter where the chain stands.
    pub id: Hex32,
    /// Number of the letter where the chain stands.
    pub number: u64,
}

/// Where a course stands (courses 22).
#[derive(Clone, Debug, Serialize)]
pub struct CourseState {
    /// The state; none while the last declaration is not settled.
    pub state: Option<Object>,
    /// How far the players' runs have come, if the course is hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<BTreeMap<String, RunReport>>,
    /// Name of the course's system.
    pub system: &'static str,
}

/// How far a run has come (hidden 9).
#[derive(Clone, Debug, Serialize)]
pub struct RunReport {
    /// How many declarations of the player's were taken.
    pub declared: u64,
    /// The player's hand where the run stopped; none if none of their declarations was run.
    pub hand: Option<Object>,
    /// How many were run.
    pub run: u64,
    /// What the run lacks to go further; none if nothing stopped it.
    pub stopped: Option<Stop>,
}

impl RunReport {
    /// Whether it goes no further without a table (hidden 9).
    pub(super) fn lacks_a_table(&self) -> bool {
        matches!(self.stopped, Some(Stop::Table(_)))
    }
}

/// A letter to ask for.
#[derive(Clone, Debug, Serialize)]
pub struct MissingLetter {
    /// Id of the missing letter.
    pub id: Hex32,
    /// The letters that name it.
    pub named_by: Vec<Hex32>,
    /// Whose it is, if that is known.
    pub author: Option<String>,
    /// Its number, if that is known.
    pub number: Option<u64>,
}

impl MissingLetter {
    /// What letters say of one that is missing.
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
    /// The role that is to blame, if signed texts prove it.
    pub culprit: Option<String>,
    /// The letters concerned.
    pub message_ids: Vec<Hex32>,
    /// The letter that settled it.
    pub settled_by: Option<Hex32>,
    /// What is wrong, in words.
    pub text: String,
    /// A valid redo waits for its reveal, and will settle it; not part of the JSON.
    #[serde(skip)]
    pub waits: bool,
    /// The rule that is broken; not part of the JSON, where the text begins with it.
    #[serde(skip)]
    pub rule: Option<Rule>,
}

/// One draw: what a die shows, where it comes from, and whether it stands.
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
    /// The claim that named it, by a forfeit.
    pub named_by: Option<Hex32>,
    /// Id of the seal of the set that the die comes from.
    pub seal: Hex32,
    /// Sides of the die.
    pub sides: u64,
    /// Where in the game.
    pub slot: String,
    /// Whether the declaration stands.
    pub standing: StandsOr,
    /// What the die shows: 1 to its number of sides.
    pub value: u64,
    /// What the die is rolled for, such as `a1 F12 3-1`.
    pub why: String,
    /// The role that declared it, and alone can name it after a forfeit; not part of the JSON.
    #[serde(skip)]
    pub declarer: String,
    /// The role that declared it, or `both sides`; not part of the JSON.
    #[serde(skip)]
    pub roller: String,
    /// The role that sealed its set; not part of the JSON.
    #[serde(skip)]
    pub sealer: String,
    /// The phase of its slot; not part of the JSON.
    #[serde(skip)]
    pub phase: String,
    /// The system of that phase; not part of the JSON.
    #[serde(skip)]
    pub system: String,
}

/// `true`, or the redo that replaced it, or the acceptance or ruling that voided it, or `false` where its course passed
/// it over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum StandsOr {
    /// `true` if the roll stands, `false` if its course passed it over.
    Stands(bool),
    /// A redo replaced it.
    ReplacedBy(Hex32),
    /// An acceptance or a ruling voided it.
    VoidedBy(Hex32),
}

/// A declaration of a hidden course, worked out again from its sheet and dice, for people.
#[derive(Clone, Debug)]
pub struct Worked {
    /// Where in the game.
    pub slot: String,
    /// The role that made the declaration.
    pub by: String,
    /// How it came about, step by step.
    pub steps: Vec<String>,
    /// What is wrong with it.
    pub wrong: Vec<String>,
}

/// Something that is awaited, or that a reader should know.
#[derive(Clone, Debug, Serialize)]
pub struct Open {
    /// The letter concerned.
    pub id: Option<Hex32>,
    /// What is awaited or should be known, in words.
    pub text: String,
    /// Code for the kind of matter, such as `awaits-redo`.
    pub what: &'static str,
    /// The role that is to act, if any is.
    pub who: Option<String>,
}

/// What a game goes on from (audit 11, 12).
#[derive(Clone, Debug, Serialize)]
pub struct Continued {
    /// The old game is at hand, and the heads are letters of it.
    pub at_hand: bool,
    /// The old game's letters behind the heads, in the order of replay.
    pub behind: Vec<Hex32>,
    /// Id of the old game, which the new one continues.
    pub game: Hex32,
    /// What was declared at the heads and is not opened there.
    pub open: Vec<Hex32>,
    /// The other games that continue the old one, ascending.
    pub others: Vec<Hex32>,
    /// The roles with one key in both charters, ascending.
    pub same_keys: Vec<String>,
    /// The states of the new charter are those at the heads.
    pub same_states: bool,
    /// The old game for people; not part of the JSON. Or why it is not at hand.
    #[serde(skip)]
    pub old: Result<Old, Lack>,
}

impl Continued {
    /// Every id that it tells.
    pub fn ids(&self) -> impl Iterator<Item = Hex32> {
        let lists = [&self.behind, &self.open, &self.others];
        lists.into_iter().flatten().copied().chain([self.game])
    }
}

/// What people are told of the old game.
#[derive(Clone, Debug)]
pub struct Old {
    /// What its players call it.
    pub title: String,
    /// What it came to, with all its letters.
    pub verdict: Verdict,
    /// Who is to blame for findings that are not settled, ascending.
    pub culprits: Vec<String>,
    /// Its letters behind the heads, in the order of replay.
    pub behind: Vec<Letter>,
    /// What was declared at the heads and is not opened there, in the order of replay.
    pub open: Vec<Letter>,
    /// How many courses of the new game begin with a state.
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
    /// What it declares, if it is a declaration.
    pub slot: Option<String>,
    /// The dice of that, as far as all letters of the old game show them.
    pub rolls: Vec<Roll>,
}

/// Why the old game is not at hand (audit 11).
#[derive(Clone, Debug)]
pub enum Lack {
    /// Its charter or its accepts are not here, or start no game.
    Game,
    /// The old game has too many branches, and is not replayed (chain 15).
    Replay,
    /// More games on hand continue it than are compared with it.
    Sequels,
    /// The heads are not those of its roles.
    Roles,
    /// The head of a role is no letter of that role's that is placed.
    Head(Role, Hex32),
}

impl ReportedFinding {
    /// What is wrong with a letter, which its author is to blame for.
    pub(super) fn of_author(letter: &Verified, error: &Error) -> Self {
        let culprit = Some(letter.head().author.to_string());
        Self { culprit, ..Self::of_nobody(Some(letter.id()), error) }
    }

    /// What is wrong with a letter, or with bytes that may be none, without anybody to blame.
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

    /// It, with the place where it was read.
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

    /// The report on a game of which a letter is missing that it begins with (audit 8).
    pub(super) fn without<'v>(game: Hex32, id: Hex32, named_by: impl Iterator<Item = &'v Verified>) -> Self {
        let mut report = Self::empty(Some(game), String::new());
        let naming: BTreeMap<Hex32, &Verified> = named_by.map(|letter| (letter.id(), letter)).collect();
        let mut missing = Missing::default();
        naming.into_values().for_each(|letter| missing.note(id, letter));
        report.missing.push(MissingLetter::of(id, &missing));
        report
    }

    /// The report on a game that did not begin (charter 16, audit 10).
    pub(super) fn in_breach(game: Hex32, title: String, finding: ReportedFinding) -> Self {
        let mut report = Self::empty(Some(game), title);
        report.findings.push(finding);
        report.has_begun = true;
        report.decided(false)
    }

    /// With its verdict (audit 1); `claimed`: a claim stands, a run lacks a table, or nothing was replayed.
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
