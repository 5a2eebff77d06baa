//! Findings in a game: forks, breaches, violations shown by outcomes, and their settlement (`protocol/audit.md` 4,
//! `protocol/courses.md` 19 to 21).

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    branches::Fork,
    declaration::Declaration,
    finding::Finding,
    ledger::Ledger,
    node::{Node, Past},
    rules::{
        course::{self, Awaited},
        redo,
    },
};
use crate::{
    blob::body::{Hex32, Role},
    error::{Class, Error},
    limits::SEEN,
    rule::Rule,
};

/// Returns the findings: forks first, then in the order of replay; computed on first use.
///
/// # Examples
///
/// ```
/// use sealed_dice::{game::{audit::{Games, Read}, findings}, rule::Rule};
///
/// let read = Read::all(
///     include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/fork/reveal-of-a-fallen-declaration.txt")),
///     "a mail",
/// );
/// let games = Games::sort(&read);
/// let (_, rules) = games.jobs()[0].run_with(|_, game| {
///     Some(findings::of(game?.ledger).iter().filter_map(|finding| finding.rule).collect::<Vec<_>>())
/// });
/// assert_eq!(rules, Some(vec![Rule::Chain8, Rule::Reveal5]));
/// ```
pub fn of<'l>(ledger: &'l Ledger<'_>) -> &'l [Finding] {
    ledger.findings.get_or_init(|| {
        let forks = ledger.forks.iter().map(|fork| on_fork(ledger, fork));
        let broken = ledger.broken.iter().map(|(letter, author)| {
            let text = format!("{}: prev does not name the author's previous letter", Rule::Chain2);
            let finding = Finding::on(Class::Chain, Some(*author), vec![*letter], text);
            Finding { rule: Some(Rule::Chain2), ..finding }
        });
        let mut findings: Vec<Finding> = forks.chain(broken).collect();
        findings.extend(in_order(ledger));
        settle(ledger, &mut findings);
        findings
    })
}

fn on_fork(ledger: &Ledger<'_>, fork: &Fork) -> Finding {
    let author = ledger.terms.role_of(fork.author).map_or("the author", Role::as_str);
    let excuse = if fork.explained { "; they begin epochs, so nobody is blamed (office 25)" } else { "" };
    let text = format!(
        "{}: {author}, or someone with the key or a backup of it, signed two or more letters that follow the same \
         one{excuse}",
        Rule::Chain8
    );
    let letters = fork.ids.iter().copied().take(SEEN).collect();
    let finding = Finding::on(Class::Chain, (!fork.explained).then_some(fork.author), letters, text);
    Finding { settled_by: ruled_on(ledger, fork), rule: Some(Rule::Chain8), ..finding }
}

/// Returns the first ruling that settles a fork: it has all letters of the fork in its past (ruling 5).
fn ruled_on(ledger: &Ledger<'_>, fork: &Fork) -> Option<Hex32> {
    let rulings = fork.ids.iter().filter_map(|id| ledger.rulings.settled.get(id)).flatten();
    let rulings = rulings.filter_map(|ruling| ledger.nodes.get(ruling));
    let knows_all =
        |ruling: &&&Node| fork.ids.iter().all(|id| ledger.nodes.get(id).is_some_and(|id| ruling.has_in_past(id)));
    rulings.filter(knows_all).min_by_key(|ruling| ruling.message.head().number).map(|ruling| ruling.id())
}

/// Finds breaches by letters and violations shown by outcomes, in the order of replay; a letter's own breach comes
/// first.
fn in_order(ledger: &Ledger<'_>) -> impl Iterator<Item = Finding> {
    let mut against = violations(ledger);
    ledger.taken.iter().flat_map(move |node| {
        let own = ledger.found.get(&node.id()).cloned();
        own.into_iter().chain(against.remove(&node.id()))
    })
}

/// Finds violations shown by outcomes: at most one finding for each letter, from the first outcome.
fn violations(ledger: &Ledger<'_>) -> BTreeMap<Hex32, Finding> {
    let (mut against, mut judged) = (BTreeMap::new(), HashSet::new());
    for own in ledger.declarations() {
        for violation in &own.violations {
            let Some(letter) = letter_against(ledger, own, &violation.by) else { continue };
            if judged.insert(letter.id()) && !was_ordered_elsewhere(ledger, own, letter) {
                let error = Error::breach(Rule::Courses19, format!("{}: {}", violation.by, violation.text));
                against.insert(letter.id(), Finding::of(letter, &error));
            }
        }
    }
    against
}

/// Returns the letter to which a violation is attributed: the seal of the violator's orders, or else the declaration.
fn letter_against<'a>(ledger: &Ledger<'a>, own: &Declaration<'a>, by: &Role) -> Option<&'a Node> {
    let mut orders = own.orders().iter().filter_map(|seal| ledger.sets.get(seal));
    match orders.find(|set| ledger.terms.role(set.node.player) == by) {
        Some(set) => Some(set.node.node()),
        None => Some(own.node.node()).filter(|_| own.orders().is_empty()),
    }
}

/// Whether a course stood elsewhere for the author of orders, and awaited a turn at the same place there (courses 21).
fn was_ordered_elsewhere(ledger: &Ledger<'_>, own: &Declaration<'_>, letter: &Node) -> bool {
    let Some(phase) = ledger.terms.course_at(&own.declare.slot) else { return false };
    let reached = course::reached(ledger, phase, Past::of(letter));
    let is_same = |place| ledger.terms.place(place) == ledger.terms.place(&own.declare.slot);
    let awaited = course::awaited(ledger, phase, &reached);
    reached.at != own.declare.after && matches!(awaited, Some(Awaited::Turn(place, _)) if is_same(&place))
}

/// Marks findings as settled. A breach is settled by the redo that mended it (as are the earlier breaches in a chain of
/// redos), by the declaration by which its course went on without a redo (letters, Breach; courses 8), or by a ruling.
fn settle(ledger: &Ledger<'_>, findings: &mut [Finding]) {
    let mut settled: HashMap<Hex32, Option<Hex32>> = HashMap::new();
    let mends = |id: &Hex32| ledger.declaration(id).and_then(Declaration::mends);
    for redo in ledger.declarations().filter(|redo| redo.valid) {
        let opened = redo.is_answered().then_some(redo.id());
        for breach in std::iter::successors(redo.mends(), mends) {
            settled.insert(breach, opened);
        }
    }
    for left in ledger.declarations() {
        let Some(later) = redo::left_behind(ledger, left, Past::ALL) else { continue };
        for breach in std::iter::successors(Some(left.id()), mends) {
            settled.entry(breach).or_default().get_or_insert(later);
        }
    }
    for finding in findings.iter_mut().skip(ledger.forks.len()) {
        let Some(letter) = finding.letters.first() else { continue };
        let redo = settled.get(letter).copied();
        let ruling = || ledger.rulings.settled.get(letter).and_then(|rulings| rulings.first()).copied();
        finding.settled_by = redo.flatten().or_else(ruling);
        finding.waits = redo == Some(None) && finding.settled_by.is_none();
    }
}
