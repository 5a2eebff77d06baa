//! The audit: from any heap of letters to a verdict for each game (`protocol/audit.md`).

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{
    charter::{Author, Phase, Player, Terms},
    continued::{self, Continued},
    days::{Elapsed, Word},
    hidden::{Ran, Supplied},
    keys::Members,
    ledger::{Finding, Ledger},
    open,
    order::{Missing, Order},
};
use crate::{
    blob::{
        Body, Kind, Verified,
        body::{Hex32, SetKind},
        message::Refusal,
    },
    error::{Class, Error, Result},
    limits::SEEN,
    resolve::{
        Course, Draw, Object,
        hidden::{Run, Stop, Told},
        icrk,
    },
    rule::Rule,
};

/// What a blob of a transcript turned out to be, and where it was.
#[derive(Clone, Debug)]
pub struct Read {
    /// A file and line, for people.
    pub place: String,
    /// The letter, or why it was refused.
    pub letter: Result<Verified, Refusal>,
}

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
    /// What is wrong.
    pub findings: Vec<ReportedFinding>,
    /// Every draw.
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
    /// The letter.
    pub id: Hex32,
    /// Its number.
    pub number: u64,
}

/// Where a course stands (courses 10).
#[derive(Clone, Debug, Serialize)]
pub struct CourseState {
    /// The state; none while the last declaration is not settled.
    pub state: Option<Object>,
    /// How far the players' runs have come, if the course is hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<BTreeMap<String, RunReport>>,
    /// The system.
    pub system: &'static str,
}

/// How far a run has come (hidden 9).
#[derive(Clone, Debug, Serialize)]
pub struct RunReport {
    /// How many declarations of the player's were taken.
    pub declared: u64,
    /// His hand after the last one that was run.
    pub hand: Option<Object>,
    /// How many were run.
    pub run: u64,
    /// Why no more.
    pub stopped: Option<Stop>,
}

impl RunReport {
    /// Whether it goes no further without a table (hidden 9).
    fn lacks_a_table(&self) -> bool {
        matches!(self.stopped, Some(Stop::Table(_)))
    }
}

/// A letter to ask for.
#[derive(Clone, Debug, Serialize)]
pub struct MissingLetter {
    /// Its id.
    pub id: Hex32,
    /// The letters that name it.
    pub named_by: Vec<Hex32>,
    /// Whose it is, if that is known.
    pub author: Option<String>,
    /// Its number, if that is known.
    pub number: Option<u64>,
}

/// A finding as reported.
#[derive(Clone, Debug, Serialize)]
pub struct ReportedFinding {
    /// The class.
    pub code: &'static str,
    /// The role that is to blame, if signed texts prove it.
    pub culprit: Option<String>,
    /// The letters concerned.
    pub message_ids: Vec<Hex32>,
    /// The letter that settled it.
    pub settled_by: Option<Hex32>,
    /// In words.
    pub text: String,
    /// A valid redo waits for its reveal, and will settle it; not part of the JSON.
    #[serde(skip)]
    pub waits: bool,
    /// The rule that is broken; not part of the JSON, where the text begins with it.
    #[serde(skip)]
    pub rule: Option<Rule>,
}

/// Whose dice they are that one player declares for both.
const BOTH_SIDES: &str = "both sides";

/// One draw.
#[derive(Clone, Debug, Serialize)]
pub struct Roll {
    /// The cell of a sheet.
    pub cell: Option<String>,
    /// The declaration.
    pub declaration: Hex32,
    /// Index of the envelope, or column.
    pub index: u64,
    /// Row or line.
    pub line: u64,
    /// The claim that named it, by a forfeit.
    pub named_by: Option<Hex32>,
    /// The seal.
    pub seal: Hex32,
    /// Sides of the die.
    pub sides: u64,
    /// Where in the game.
    pub slot: String,
    /// Whether the declaration stands.
    pub standing: StandsOr,
    /// 1 to sides.
    pub value: u64,
    /// What for.
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

/// `true`, or the redo that replaced it, or the acceptance or ruling that voided it, or `false` where its course passed it
/// over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum StandsOr {
    /// It stands, or its course passed it over.
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
    /// Whose it is.
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
    /// In words.
    pub text: String,
    /// What it is.
    pub what: &'static str,
    /// Who is to act.
    pub who: Option<String>,
}

/// The letters at hand, sorted into games.
#[derive(Default)]
pub struct Games<'a> {
    charters: BTreeMap<Hex32, (&'a Verified, Result<Terms>)>,
    /// The accepts of each charter.
    accepts: BTreeMap<Hex32, BTreeSet<Hex32>>,
    /// Those that are placed, of each charter with several such (chain 9).
    rivals: BTreeMap<Hex32, BTreeSet<Hex32>>,
    /// The accepts by a referee or an office, by their charter and their own id.
    third: BTreeMap<(Hex32, Hex32), &'a Verified>,
    games: BTreeMap<Hex32, Game<'a>>,
    /// The games that have begun and continue another one, by that one (audit 11).
    continuing: BTreeMap<Hex32, BTreeSet<Hex32>>,
    stray: Stray<'a>,
    /// Tables that somebody supplies, for runs.
    supplied: Supplied,
}

impl<'a> Games<'a> {
    /// Sorts what was read. The same letter twice is one letter; under another key it is another one, and judged by itself
    /// (message 4).
    #[must_use]
    pub fn sort(read: &'a [Read]) -> Self {
        let mut games = Self::default();
        let mut once: Vec<(&Verified, &str)> = Vec::with_capacity(read.len());
        for Read { place, letter } in read {
            match letter {
                Ok(message) => once.push((message, place)),
                Err(refusal) => games.stray.refused.push((place, refusal)),
            }
        }
        // A stable sort: of the copies of a letter the first place that has it is told.
        once.sort_by_key(|(message, _)| (message.id(), message.key()));
        once.dedup_by_key(|(message, _)| (message.id(), message.key()));
        let of_kind = |kind| once.iter().filter(move |(message, _)| message.head().kind == kind);
        of_kind(Kind::Charter).for_each(|(message, place)| games.take_charter(message, place));
        of_kind(Kind::Accept).for_each(|(message, place)| games.take_accept(message, place));
        games.rivals = games.rivals();
        games.continuing = games.continuing();
        for (message, _) in &once {
            let head = message.head();
            // Unnumbered messages are in no chain (message 9).
            if let (Some(game), false) = (head.game, head.kind == Kind::Accept || head.is_unnumbered()) {
                games.games.entry(game).or_default().letters.push(message);
            }
        }
        games
    }

    /// With tables that charters withhold (hidden 8).
    #[must_use]
    pub fn supplied(mut self, tables: Supplied) -> Self {
        self.supplied = tables;
        self
    }

    fn take_charter(&mut self, message: &'a Verified, place: &'a str) {
        match Terms::parse(message) {
            Err(error) if error.class() == Class::Game => self.stray.strangers.push((message, place, error)),
            terms => drop(self.charters.insert(message.id(), (message, terms))),
        }
    }

    fn take_accept(&mut self, message: &'a Verified, place: &'a str) {
        let Some(charter) = message.head().game else { return };
        if let Some((_, Ok(terms))) = self.charters.get(&charter) {
            match check_acceptor(terms, message) {
                Err(error) => {
                    self.stray.strangers.push((message, place, error));
                    return;
                }
                Ok(Author::Referee | Author::Office) => {
                    self.third.insert((charter, message.id()), message);
                    return;
                }
                Ok(Author::Player(_)) => drop(self.accepts.entry(charter).or_default().insert(message.id())),
            }
        }
        self.games.entry(message.id()).or_default().accept = Some((message, charter));
        self.stray.accepted.insert(charter);
    }

    /// The accepts by the referee and the office that the opponent's accept names.
    fn third_parties(&self, terms: &'a Terms, accept: &'a Verified) -> impl Iterator<Item = (Author, &'a Verified)> {
        let third = terms.authors().filter(|(author, _)| author.player().is_none());
        third.filter_map(|(author, role)| {
            let named = accept.head().seen.get(role)?;
            let accept = self.third.get(&(terms.id, named)).filter(|accept| accept.head().author == *role)?;
            Some((author, *accept))
        })
    }

    /// The accepts that are placed, of each charter with several: found once, for each of them begins a game.
    fn rivals(&self) -> BTreeMap<Hex32, BTreeSet<Hex32>> {
        let several = self.accepts.iter().filter(|(_, rivals)| rivals.len() > 1);
        let placed = several.filter_map(|(charter, rivals)| {
            let Some((_, Ok(terms))) = self.charters.get(charter) else { return None };
            let accepts = rivals.iter().filter_map(|id| self.games.get(id)?.accept);
            let placed = accepts.filter(|(accept, _)| self.is_placed(terms, accept)).map(|(accept, _)| accept.id());
            Some((*charter, placed.collect::<BTreeSet<_>>()))
        });
        placed.filter(|(_, placed)| placed.len() > 1).collect()
    }

    /// Whether all that an accept names is at hand (chain 4).
    fn is_placed(&self, terms: &Terms, accept: &Verified) -> bool {
        // Their accepts are placed in their turn.
        let third = self.third_parties(terms, accept).map(|(_, third)| third);
        let third = third.filter(|third| third.names().iter().all(|id| *id == terms.id)).map(Verified::id);
        let placed: Vec<Hex32> = third.chain([terms.id]).collect();
        accept.names().into_iter().all(|id| placed.contains(&id))
    }

    /// The games that have begun and continue another one, by that one.
    fn continuing(&self) -> BTreeMap<Hex32, BTreeSet<Hex32>> {
        let mut continuing: BTreeMap<Hex32, BTreeSet<Hex32>> = BTreeMap::new();
        for (id, game) in &self.games {
            if let Some(continues) = game.begun(self, *id).ok().and_then(|begun| begun.terms.charter.continues.as_ref())
            {
                continuing.entry(continues.game).or_default().insert(*id);
            }
        }
        continuing
    }

    /// The games that continue one, ascending.
    pub(super) fn that_continue(&self, game: &Hex32) -> impl Iterator<Item = Hex32> {
        self.continuing.get(game).into_iter().flatten().copied()
    }

    /// A game that has begun.
    pub(super) fn begun(&self, id: &Hex32) -> Option<Begun<'_, 'a>> {
        self.games.get(id).and_then(|game| game.begun(self, *id).ok())
    }

    /// One job a game, so that games can be audited side by side, and one for what belongs to none.
    #[must_use]
    pub fn jobs(&self) -> Vec<Job<'_>> {
        let mut jobs: Vec<Job<'_>> = self.games.iter().map(|(id, game)| Job::Game(self, *id, game)).collect();
        if !self.stray.is_empty() || self.unaccepted().next().is_some() {
            jobs.push(Job::Stray(self));
        }
        jobs
    }

    /// The charters that nobody accepted.
    fn unaccepted(&self) -> impl Iterator<Item = &(&'a Verified, Result<Terms>)> {
        let charters = self.charters.iter().filter(|(id, _)| !self.stray.accepted.contains(id));
        charters.map(|(_, charter)| charter)
    }
}

/// That an accept is signed by the other party of its charter, by its referee or its office (message 13).
fn check_acceptor(terms: &Terms, accept: &Verified) -> Result<Author> {
    let author = terms.author_of(&accept.head().author);
    match author.filter(|author| terms.key_of(*author) == Some(accept.key())) {
        Some(author) if author != Author::Player(terms.author) => Ok(author),
        _ => Err(Error::malformed(
            Class::Game,
            "the accept is not signed by the other party of the charter, its referee or its office",
        )),
    }
}

/// A piece of work that depends on no other.
pub enum Job<'a> {
    /// One game, by its id.
    Game(&'a Games<'a>, Hex32, &'a Game<'a>),
    /// What belongs to no game at hand.
    Stray(&'a Games<'a>),
}

impl Job<'_> {
    /// Does it.
    #[must_use]
    pub fn run(&self) -> Report {
        self.run_with(|_, _| ()).0
    }

    /// Does it, and lets somebody look at the game that the report is told from, while it is at hand. A game that did not
    /// begin, and what belongs to none, has no replay.
    pub fn run_with<T>(&self, look: impl FnOnce(&Report, Option<&Replay<'_>>) -> T) -> (Report, T) {
        match self {
            Self::Game(games, id, game) => game.report(games, *id, look),
            Self::Stray(games) => looked_at(stray_report(games), look),
        }
    }
}

/// A game as it was replayed for its report.
pub struct Replay<'r> {
    /// Its terms.
    pub terms: &'r Terms,
    /// Its charter, its accept and all letters under their keys, placed or not.
    pub letters: &'r [(&'r Verified, Author)],
    /// Those that are placed, in the order of replay.
    pub order: &'r Order,
    /// What they came to.
    pub ledger: &'r Ledger<'r>,
}

fn looked_at<T>(report: Report, look: impl FnOnce(&Report, Option<&Replay<'_>>) -> T) -> (Report, T) {
    let seen = look(&report, None);
    (report, seen)
}

/// Audits everything at hand, one game after the other.
#[must_use]
pub fn audit(read: &[Read]) -> Vec<Report> {
    Games::sort(read).jobs().iter().map(Job::run).collect()
}

/// The letters of one game, with its accept if that is at hand, and the id of the charter.
#[derive(Default)]
pub struct Game<'a> {
    accept: Option<(&'a Verified, Hex32)>,
    letters: Vec<&'a Verified>,
}

impl<'a> Game<'a> {
    fn report<T>(
        &self,
        games: &Games<'a>,
        id: Hex32,
        look: impl FnOnce(&Report, Option<&Replay<'_>>) -> T,
    ) -> (Report, T) {
        match self.begun(games, id) {
            Err(report) => looked_at(*report, look),
            Ok(begun) => begun.replay(games, |mut report, replay| {
                report.continues = continued::of(games, begun.terms, id);
                let seen = look(&report, Some(replay));
                (report, seen)
            }),
        }
    }

    /// What the game begins with; or the report on one that did not begin.
    fn begun<'g>(&'g self, games: &'g Games<'a>, id: Hex32) -> Result<Begun<'g, 'a>, Box<Report>> {
        let letters = self.letters.as_slice();
        let Some((accept, charter)) = self.accept else {
            return Err(Box::new(Report::without(id, id, letters.iter().copied())));
        };
        match games.charters.get(&charter) {
            None => Err(Box::new(Report::without(id, charter, [accept].into_iter()))),
            Some((letter, Err(error))) => Err(Box::new(Report::in_breach(id, String::new(), breach_of(letter, error)))),
            Some((letter, Ok(terms))) => match check_accepts(terms, accept, games.third_parties(terms, accept)) {
                Err((accept, error)) => {
                    let title = terms.charter.title.clone();
                    Err(Box::new(Report::in_breach(id, title, breach_of(accept, &error))))
                }
                Ok(()) => Ok(Begun { terms, charter: letter, accept, letters }),
            },
        }
    }
}

/// A game whose charter and accepts are at hand, and in breach of nothing.
pub(super) struct Begun<'g, 'a> {
    terms: &'g Terms,
    charter: &'a Verified,
    accept: &'a Verified,
    letters: &'g [&'a Verified],
}

impl<'a> Begun<'_, 'a> {
    /// Replays it, and lets somebody look at its report, without what it goes on from, and at the replay.
    pub(super) fn replay<T>(&self, games: &Games<'a>, look: impl FnOnce(Report, &Replay<'_>) -> T) -> T {
        let Self { terms, charter, accept, letters: own } = *self;
        let mut letters = vec![charter, accept];
        letters.extend(games.third_parties(terms, accept).map(|(_, third)| third));
        letters.extend(own);
        let members = Members::of(terms, &letters);
        let order = Order::of(terms, accept.id(), &members);
        let mut ledger = Ledger::replay(terms, accept.id(), &order);
        ledger.supply(games.supplied.clone());
        let mut report = Report::empty(Some(accept.id()), terms.charter.title.clone());
        let name = |finding: &Finding| ReportedFinding {
            code: finding.class.as_str(),
            culprit: finding.culprit.and_then(|author| terms.role_of(author)).map(ToString::to_string),
            message_ids: finding.letters.clone(),
            settled_by: finding.settled_by,
            text: finding.text.clone(),
            waits: finding.waits,
            rule: finding.rule,
        };
        report.findings.extend(ledger.findings().iter().map(name));
        if let Some(rivals) = games.rivals.get(&terms.id).filter(|rivals| rivals.contains(&accept.id())) {
            let acceptor = Author::Player(terms.author.other());
            let at = order.forks.iter().filter(|fork| fork.author < acceptor).count();
            report.findings.insert(at, accepted_twice(terms, rivals));
        }
        report.has_begun = true;
        report.complete = Player::BOTH.iter().all(|player| ledger.closed(*player).1);
        report.heads = terms.authors().map(|(author, role)| (role.to_string(), head(&order, author))).collect();
        report.missing = order.missing.iter().map(|(id, missing)| missing_letter(*id, missing)).collect();
        if !order.overgrown {
            report.rolls = rolls(&ledger);
            report.courses = terms.courses().map(|(phase, _)| course_state(&ledger, phase)).collect();
            report.findings.extend(found(&ledger));
            report.worked = worked(&ledger);
        }
        let mut strangers: Vec<&(&Verified, Error)> = members.strangers.iter().collect();
        strangers.sort_by_key(|(letter, _)| (letter.id(), letter.key()));
        report
            .findings
            .extend(strangers.into_iter().map(|(letter, error)| ReportedFinding::of_nobody(Some(letter.id()), error)));
        report.open = open::matters(&ledger, accept, &order);
        let unsupplied = report
            .courses
            .iter()
            .filter_map(|course| course.runs.as_ref())
            .flat_map(BTreeMap::values)
            .any(RunReport::lacks_a_table);
        report.days = ledger.elapsed();
        let contradicted = report.days.iter().any(|days| days.word == Word::Contradicted);
        let disputed = contradicted || ledger.standing_claims().next().is_some();
        let open = order.overgrown || unsupplied || !report.complete && disputed;
        let report = report.decided(open);
        look(report, &Replay { terms, letters: &members.letters, order: &order, ledger: &ledger })
    }
}

/// Where a course stands, and how far its runs have come.
fn course_state(ledger: &Ledger<'_>, phase: &Phase) -> CourseState {
    let report = |ran: &Ran| {
        let Run { hand, run, stopped, .. } = &ran.run;
        let told =
            RunReport { declared: ran.declared(ledger), hand: hand.clone(), run: *run, stopped: stopped.clone() };
        (ledger.terms.role(ran.player).to_string(), told)
    };
    CourseState {
        state: ledger.course(phase).state,
        runs: phase.hidden().map(|_| ledger.runs().iter().filter(|ran| ran.phase == phase.name).map(report).collect()),
        system: phase.system.name(),
    }
}

/// What runs have found (hidden 6), in the order of the declarations.
fn found(ledger: &Ledger<'_>) -> Vec<ReportedFinding> {
    let wrong = |(id, told): (Hex32, &Told), player| {
        (!told.wrong.is_empty()).then(|| ReportedFinding {
            code: Class::Rule.as_str(),
            culprit: Some(ledger.terms.role(player).to_string()),
            message_ids: vec![id],
            settled_by: ledger.settled_knowingly(&id),
            text: format!("{}: {}", Rule::Hidden6, told.wrong.join("; ")),
            waits: false,
            rule: Some(Rule::Hidden6),
        })
    };
    let mut found: Vec<(usize, ReportedFinding)> = Vec::new();
    for ran in ledger.runs() {
        let findings = ran.told().filter_map(|told| Some((told.1.at, wrong(told, ran.player)?)));
        found.extend(findings);
    }
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, finding)| finding).collect()
}

/// What runs have worked out, in the order of the declarations.
fn worked(ledger: &Ledger<'_>) -> Vec<Worked> {
    let told = ledger.runs().iter().flat_map(|ran| ran.told().map(move |told| (ran, told)));
    let mut told: Vec<(&Ran, (Hex32, &Told))> = told.collect();
    told.sort_by(|(one, (_, a)), (other, (_, b))| (&one.phase, a.at).cmp(&(&other.phase, b.at)));
    let worked = told.into_iter().filter_map(|(ran, (id, told))| {
        let slot = ledger.declaration(&id)?.declare.slot.to_string();
        let by = ledger.terms.role(ran.player).to_string();
        Some(Worked { slot, by, steps: told.steps.clone(), wrong: told.wrong.clone() })
    });
    worked.collect()
}

/// Two accepts are a fork of their author's, with the lowest number (chain 9, audit 9). No ruling knows both.
fn accepted_twice(terms: &Terms, rivals: &BTreeSet<Hex32>) -> ReportedFinding {
    let role = terms.role(terms.author.other());
    ReportedFinding {
        code: Class::Chain.as_str(),
        culprit: Some(role.to_string()),
        message_ids: rivals.iter().take(SEEN).copied().collect(),
        settled_by: None,
        text: format!(
            "chain 9: one charter was accepted more than once; {role}, or whoever has the key or a backup of it, signed"
        ),
        waits: false,
        rule: Some(Rule::Chain9),
    }
}

/// An author's last letter that was replayed and stands.
fn head(order: &Order, author: Author) -> Option<ChainHead> {
    let last = order.last_of(author)?;
    Some(ChainHead { id: last.id(), number: last.message.head().number })
}

/// charter 12 and 16, of the referee's accept and the office's too, if these are at hand.
fn check_accepts<'v>(
    terms: &Terms,
    accept: &'v Verified,
    third: impl Iterator<Item = (Author, &'v Verified)>,
) -> Result<(), (&'v Verified, Error)> {
    for (author, by) in third {
        let expected = terms.seen_by(author).map(|role| {
            let charter = role == terms.role(terms.author);
            (role, charter.then_some(terms.id))
        });
        let named = matches!(by.body(), Body::Accept(body) if body.charter == terms.id);
        if !named || by.head().seen.iter().ne(expected) {
            let text = format!("the accept of {} does not name the charter that it accepts", by.head().author);
            return Err((by, Error::breach(Rule::Charter16, text)));
        }
    }
    terms.check_accept(accept).map_err(|error| (accept, error))
}

fn breach_of(letter: &Verified, error: &Error) -> ReportedFinding {
    let culprit = Some(letter.head().author.to_string());
    ReportedFinding { culprit, ..ReportedFinding::of_nobody(Some(letter.id()), error) }
}

fn missing_letter(id: Hex32, missing: &Missing) -> MissingLetter {
    MissingLetter {
        id,
        named_by: missing.named_by.clone(),
        author: missing.author.as_ref().map(ToString::to_string),
        number: missing.number,
    }
}

impl ReportedFinding {
    /// What is wrong with a letter, or with bytes that may be none, without anybody to blame.
    fn of_nobody(letter: Option<Hex32>, error: &Error) -> Self {
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

    /// The same with the place where it was read.
    fn at(self, place: &str) -> Self {
        Self { text: format!("{place}: {}", self.text), ..self }
    }
}

impl Report {
    fn empty(game: Option<Hex32>, title: String) -> Self {
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
    fn without<'v>(game: Hex32, id: Hex32, named_by: impl Iterator<Item = &'v Verified>) -> Self {
        let mut report = Self::empty(Some(game), String::new());
        let naming: BTreeMap<Hex32, &Verified> = named_by.map(|letter| (letter.id(), letter)).collect();
        let mut missing = Missing::default();
        naming.into_values().for_each(|letter| missing.note(id, letter));
        report.missing.push(missing_letter(id, &missing));
        report
    }

    /// The report on a game that did not begin (charter 16, audit 10).
    fn in_breach(game: Hex32, title: String, finding: ReportedFinding) -> Self {
        let mut report = Self::empty(Some(game), title);
        report.findings.push(finding);
        report.has_begun = true;
        report.decided(false)
    }

    /// With its verdict (audit 1); `claimed`: a claim stands, a run lacks a table, or nothing was replayed.
    fn decided(mut self, claimed: bool) -> Self {
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

fn rolls(ledger: &Ledger<'_>) -> Vec<Roll> {
    let mut rolls = Vec::new();
    let taken = ledger.taken();
    let mut drawn: BTreeMap<Hex32, Vec<&Draw>> = BTreeMap::new();
    for (id, draw) in ledger.runs().iter().flat_map(Ran::draws) {
        drawn.entry(id).or_default().push(draw);
    }
    for declaration in ledger.declarations() {
        let passed_over = ledger.is_of_course(&declaration.declare.slot) && !taken.contains(&declaration.node.id());
        let Some(seal) = declaration.declare.seal else { continue };
        let sheet = ledger.set(&seal).is_some_and(|set| set.seal.kind == SetKind::Sheet);
        let standing = |place| {
            let voided = || ledger.voided_by(&declaration.node.id(), declaration.line_of(place)?);
            match (declaration.replaced_by.first(), voided()) {
                (Some(redo), _) => StandsOr::ReplacedBy(redo.id()),
                (None, Some(by)) => StandsOr::VoidedBy(by),
                (None, None) => StandsOr::Stands(!passed_over),
            }
        };
        let (terms, player) = (ledger.terms, declaration.node.player);
        let phase = &declaration.declare.slot.phase;
        let system = terms.charter.phases.iter().find(|known| known.name == *phase);
        let course =
            ledger.terms.slot(&declaration.declare.slot).and_then(|(_, phase)| phase.system.resolver().course());
        let both = course.is_some_and(Course::rolls_for_both);
        let run = drawn.get(&declaration.node.id()).into_iter().flatten();
        let named = declaration.forfeits.first().and_then(|_| {
            let ran = ledger.runs().iter().find(|ran| ran.made.contains(&declaration.node.id()))?;
            ledger.named_in(&ran.made, declaration)
        });
        rolls.extend(declaration.trail.iter().chain(run.copied()).map(|draw| Roll {
            cell: sheet.then(|| icrk::label(draw.place)),
            declaration: declaration.node.id(),
            index: draw.place.index,
            line: draw.place.line,
            named_by: declaration.named_by.or(named),
            seal,
            sides: draw.sides,
            slot: declaration.declare.slot.to_string(),
            standing: standing(draw.place),
            value: draw.value,
            why: draw.why.clone(),
            declarer: terms.role(player).to_string(),
            roller: match both {
                true => BOTH_SIDES.to_owned(),
                false => terms.role(player).to_string(),
            },
            sealer: terms.role(player.other()).to_string(),
            phase: phase.to_string(),
            system: system.map(|phase| phase.system.clone()).unwrap_or_default(),
        }));
    }
    rolls
}

/// What belongs to no game at hand, and the charters that do.
#[derive(Default)]
struct Stray<'a> {
    refused: Vec<(&'a str, &'a Refusal)>,
    strangers: Vec<(&'a Verified, &'a str, Error)>,
    accepted: BTreeSet<Hex32>,
}

impl Stray<'_> {
    fn is_empty(&self) -> bool {
        self.refused.is_empty() && self.strangers.is_empty()
    }
}

fn stray_report(games: &Games<'_>) -> Report {
    let mut report = Report::empty(None, String::new());
    for (charter, terms) in games.unaccepted() {
        match terms {
            Err(error) => report.findings.push(breach_of(charter, error)),
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
    // What is there twice is told once (audit 7).
    let mut told = BTreeSet::new();
    let refused = games.stray.refused.iter();
    let refused = refused.filter(|(_, refusal)| refusal.id.is_none_or(|id| told.insert((id, refusal.error.class()))));
    let refused = refused.map(|(place, refusal)| ReportedFinding::of_nobody(refusal.id, &refusal.error).at(place));
    report.findings.extend(refused);
    report.findings.sort_by(|a, b| (&a.message_ids, a.code).cmp(&(&b.message_ids, b.code)));
    report.decided(false)
}
