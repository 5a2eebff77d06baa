//! The replay and report of one game, without the game it continues (`protocol/audit.md` 3 to 6).

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{
    games::{Begun, Games},
    open,
    report::{ChainHead, CourseState, MissingLetter, Report, ReportedFinding, Roll, RunReport, StandsOr, Worked},
};
use crate::{
    blob::{
        Verified,
        body::{Hex32, SetKind},
    },
    error::{Class, Error},
    game::{
        days::{self, Word},
        declaration::Declaration,
        finding::Finding,
        findings, hidden,
        keys::Members,
        ledger::Ledger,
        node::Past,
        order::Order,
        replay,
        rules::{claim, course},
        runs::Ran,
        terms::{Author, Phase, Player, Terms},
    },
    limits::SEEN,
    resolve::{
        Course, Draw,
        hidden::{Run, Told},
        icrk,
    },
    rule::Rule,
};

/// A game as replayed for its report.
pub struct Replay<'r> {
    /// The terms of the game.
    pub terms: &'r Terms,
    /// The charter, the accept and all letters signed with their roles' keys, placed or not.
    pub letters: &'r [(&'r Verified, Author)],
    /// The placed letters, in the order of replay.
    pub order: &'r Order,
    /// The state of the game after these letters.
    pub ledger: &'r Ledger<'r>,
}

/// Replays a game and passes its report, without the part on a continued game, and the replay to `look`.
pub(super) fn replay<'a, T>(
    begun: &Begun<'_, 'a>,
    games: &Games<'a>,
    look: impl FnOnce(Report, &Replay<'_>) -> T,
) -> T {
    let Begun { terms, charter, accept, letters: own } = *begun;
    let mut letters = vec![charter, accept];
    letters.extend(games.third_parties(terms, accept).map(|(_, third)| third));
    letters.extend(own);
    let members = Members::of(terms, &letters);
    let order = Order::of(terms, accept.id(), &members);
    let mut ledger = replay::replay(terms, accept.id(), &order);
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
    report.findings.extend(findings::of(&ledger).iter().map(name));
    if let Some(rivals) = games.rivals.get(&terms.id).filter(|rivals| rivals.contains(&accept.id())) {
        let acceptor = Author::Player(terms.author.other());
        let at = order.forks.iter().filter(|fork| fork.author < acceptor).count();
        report.findings.insert(at, accepted_twice(terms, rivals));
    }
    report.has_begun = true;
    report.complete = Player::BOTH.iter().all(|player| ledger.has_published(*player));
    report.heads = terms.authors().map(|(author, role)| (role.to_string(), head(&order, author))).collect();
    report.missing = order.missing.iter().map(|(id, missing)| MissingLetter::of(*id, missing)).collect();
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
    report.days = days::elapsed(&ledger);
    let contradicted = report.days.iter().any(|days| days.word == Word::Contradicted);
    let disputed = contradicted || claim::standing(&ledger).next().is_some();
    let open = order.overgrown || unsupplied || !report.complete && disputed;
    let report = report.decided(open);
    look(report, &Replay { terms, letters: &members.letters, order: &order, ledger: &ledger })
}

/// Returns the state of a course, and the progress of its runs.
fn course_state(ledger: &Ledger<'_>, phase: &Phase) -> CourseState {
    let report = |ran: &Ran| {
        let Run { hand, run, stopped, .. } = &ran.run;
        let told = RunReport { declared: ran.declared, hand: hand.clone(), run: *run, stopped: stopped.clone() };
        (ledger.terms.role(ran.player).to_string(), told)
    };
    CourseState {
        state: course::reached(ledger, phase, Past::ALL).state,
        runs: phase
            .hidden()
            .map(|_| hidden::runs(ledger).iter().filter(|ran| ran.phase == phase.name).map(report).collect()),
        system: phase.system.name(),
    }
}

/// Returns the findings of runs (hidden 6), in the order of the declarations.
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
    for ran in hidden::runs(ledger) {
        let findings = ran.told().filter_map(|told| Some((told.1.at, wrong(told, ran.player)?)));
        found.extend(findings);
    }
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, finding)| finding).collect()
}

/// Returns the declarations that runs recomputed, in the order of the declarations.
fn worked(ledger: &Ledger<'_>) -> Vec<Worked> {
    let told = hidden::runs(ledger).iter().flat_map(|ran| ran.told().map(move |told| (ran, told)));
    let mut told: Vec<(&Ran, (Hex32, &Told))> = told.collect();
    told.sort_by(|(one, (_, a)), (other, (_, b))| (&one.phase, a.at).cmp(&(&other.phase, b.at)));
    let worked = told.into_iter().filter_map(|(ran, (id, told))| {
        let slot = ledger.declaration(&id)?.declare.slot.to_string();
        let by = ledger.terms.role(ran.player).to_string();
        Some(Worked { slot, by, steps: told.steps.clone(), wrong: told.wrong.clone() })
    });
    worked.collect()
}

/// Returns the finding for two accepts: a fork by their author, with the lowest number (chain 9, audit 9). No ruling
/// can settle it, because no ruling has both accepts in its past.
fn accepted_twice(terms: &Terms, rivals: &BTreeSet<Hex32>) -> ReportedFinding {
    let role = terms.role(terms.author.other());
    ReportedFinding {
        code: Class::Chain.as_str(),
        culprit: Some(role.to_string()),
        message_ids: rivals.iter().take(SEEN).copied().collect(),
        settled_by: None,
        text: format!(
            "chain 9: {role}, or someone with the key or a backup of it, accepted one charter more than once"
        ),
        waits: false,
        rule: Some(Rule::Chain9),
    }
}

/// Returns an author's last letter that was replayed and stands.
fn head(order: &Order, author: Author) -> Option<ChainHead> {
    let last = order.last_of(author)?;
    Some(ChainHead { id: last.id(), number: last.message.head().number })
}

/// The roller of dice that one player declares for both players.
const BOTH_SIDES: &str = "both sides";

fn rolls(ledger: &Ledger<'_>) -> Vec<Roll> {
    let mut rolls = Vec::with_capacity(ledger.declarations().map(|own| own.trail.len()).sum());
    let courses = ledger.terms.courses();
    let taken = courses.flat_map(|(phase, _)| course::taken(ledger, phase, Past::ALL)).map(Declaration::id);
    let taken: HashSet<Hex32> = taken.collect();
    let mut drawn: BTreeMap<Hex32, Vec<&Draw>> = BTreeMap::new();
    for (id, draw) in hidden::runs(ledger).iter().flat_map(Ran::draws) {
        drawn.entry(id).or_default().push(draw);
    }
    for declaration in ledger.declarations() {
        let passed_over = ledger.terms.is_of_course(&declaration.declare.slot) && !taken.contains(&declaration.id());
        let Some(seal) = declaration.declare.seal else { continue };
        let sheet = ledger.set(&seal).is_some_and(|set| set.seal.kind == SetKind::Sheet);
        let standing = |place| {
            let voided = || ledger.voided_by(&declaration.id(), declaration.line_of(place)?);
            match (declaration.replaced_by.first(), voided()) {
                (Some(redo), _) => StandsOr::ReplacedBy(redo.id()),
                (None, Some(by)) => StandsOr::VoidedBy(by),
                (None, None) => StandsOr::Stands(!passed_over),
            }
        };
        let (terms, player) = (ledger.terms, declaration.node.player);
        let phase = &declaration.declare.slot.phase;
        let system = terms.charter.phases.iter().find(|known| known.name == *phase);
        let course = terms.phase_at(&declaration.declare.slot).and_then(Phase::course);
        let both = course.is_some_and(Course::rolls_for_both);
        let run = drawn.get(&declaration.id()).into_iter().flatten();
        let named = declaration.forfeits.first().and_then(|_| {
            let ran = hidden::runs(ledger).iter().find(|ran| ran.made.contains(&declaration.id()))?;
            hidden::named_in(ledger, &ran.made, declaration)
        });
        rolls.extend(declaration.trail.iter().chain(run.copied()).map(|draw| Roll {
            cell: sheet.then(|| icrk::label(draw.place)),
            declaration: declaration.id(),
            index: draw.place.index,
            line: draw.place.line,
            named_by: declaration.named_by.or(named),
            seal,
            sides: draw.sides,
            slot: declaration.declare.slot.to_string(),
            standing: standing(draw.place),
            value: draw.value,
            why: draw.why.to_string(),
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
