//! *receipt 1 to 5* (`protocol/deposits.md`, `protocol/office.md`): sets held by the referee and the office, and the
//! time on the office's clock.

use crate::{
    blob::{Body, Hex32, office::Receipt},
    error::{Result, ensure},
    game::{
        ledger::Ledger,
        node::{Node, Past},
        terms::{Author, Player},
    },
    rule::Rule,
};

/// Takes a receipt from the referee: even in breach, it holds the sets that it may hold (receipt 1).
pub(super) fn take_referees<'a>(
    ledger: &mut Ledger<'a>,
    node: &'a Node,
    receipt: &Receipt,
    common: Result<()>,
) -> Result<()> {
    let Receipt::Deposit(about) = receipt else { return common };
    let are_new = about.seals.iter().all(|seal| is_valid(ledger, seal) && !ledger.receipts.held.contains_key(seal));
    let have_fallback = about.seals.iter().all(|seal| ledger.has_fallback(seal));
    for seal in &about.seals {
        if ledger.has_fallback(seal) && !ledger.receipts.held.contains_key(seal) {
            ledger.receipts.held.entry(*seal).or_default().push(node);
        }
    }
    common?;
    ensure!(are_new, Rule::Receipt1, "it names a set that is not valid or that the referee already holds");
    ensure!(
        have_fallback,
        Rule::Receipt4,
        "it names a set that the referee may not open: its seal does not have a fallback"
    );
    Ok(())
}

/// Records the effects of a letter from the office, whichever rule it breaks (office 23).
pub(crate) fn take_fact<'a>(ledger: &mut Ledger<'a>, node: &'a Node) {
    if node.author != Author::Office || node.standing.is_detached() {
        return;
    }
    go_on_from(ledger, node);
    let before = told_before(ledger, node);
    ledger.escrow.clock.insert(node.id(), before);
    let Body::Receipt(receipt) = node.message.body() else { return };
    if let Some(at) = receipt.at() {
        ledger.escrow.times.push((node, at));
        ledger.untold.tell(node, at);
        ledger.escrow.clock.insert(node.id(), before.max(at));
    }
    match receipt {
        Receipt::Deposit(about) => {
            for seal in about.seals.iter().filter(|seal| ledger.may_be_held(seal)).copied().collect::<Vec<Hex32>>() {
                ledger.escrow.held.entry(seal).or_default().push(node);
                Player::BOTH.iter().for_each(|player| ledger.own.of_mut(*player).unheld.retain(|open| *open != seal));
            }
        }
        Receipt::HandBack(about) => {
            about.seals.iter().for_each(|seal| ledger.escrow.back.entry(*seal).or_default().push(node));
        }
        Receipt::Epoch(_) => ledger.escrow.epochs.push(node),
        Receipt::Time(_) => {}
    }
}

/// Makes a letter from the office the one that the next letters follow, if it qualifies: the last letter after the
/// latest epoch, on any of the office's branches, none of which falls. After that epoch, sets are sealed again (office
/// 27).
fn go_on_from<'a>(ledger: &mut Ledger<'a>, node: &'a Node) {
    let escrow = &mut ledger.escrow;
    if let Body::Receipt(Receipt::Epoch(moment)) = node.message.body() {
        let rank = |at: u64, node: &Node| (at, node.message.head().number, node.id());
        if escrow.latest.is_none_or(|(at, epoch)| rank(moment.at, node) > rank(at, epoch)) {
            (escrow.latest, escrow.to_follow) = (Some((moment.at, node)), Some(node));
            return;
        }
    }
    let is_behind = escrow.latest.is_none_or(|(_, epoch)| node.follows(epoch));
    if is_behind && escrow.to_follow.is_none_or(|last| node.rank() > last.rank()) {
        escrow.to_follow = Some(node);
    }
}

/// Returns the latest time that the office reported earlier in the chain of a letter.
fn told_before(ledger: &Ledger<'_>, node: &Node) -> u64 {
    let prev = node.message.head().prev;
    prev.and_then(|prev| ledger.escrow.clock.get(&prev)).copied().unwrap_or_default()
}

/// Checks receipt 1 to 3 and 5, for a receipt from the office.
pub(super) fn check_offices(ledger: &Ledger<'_>, node: &Node, receipt: &Receipt) -> Result<()> {
    match receipt {
        Receipt::Deposit(about) => {
            let is_new = |seal: &Hex32| {
                let was_held = ledger.escrow.held.get(seal).is_some_and(|held| held.iter().any(|by| node.follows(by)));
                is_valid(ledger, seal) && !was_held
            };
            let are_new = about.seals.iter().all(is_new);
            ensure!(are_new, Rule::Receipt1, "it names a set that is not valid or that the office has already held");
            let are_offices = about.seals.iter().all(|seal| ledger.may_be_held(seal));
            ensure!(are_offices, Rule::Receipt5, "it names a set that the office may not open");
            let is_before = about.seals.iter().any(|seal| is_before_epoch(ledger, node, seal));
            ensure!(
                !is_before,
                Rule::Receipt5,
                "it names a set that was sealed before its author knew of the office's epoch"
            );
        }
        Receipt::HandBack(about) => {
            let past = Past::of(node);
            let are_held = about.seals.iter().all(|seal| ledger.is_with_office(seal, past));
            ensure!(are_held, Rule::Receipt2, "it names a set that the office does not hold");
        }
        Receipt::Epoch(moment) | Receipt::Time(moment) => {
            let is_later = moment.at >= told_before(ledger, node);
            ensure!(is_later, Rule::Receipt3, "the office has already reported a later time");
        }
    }
    Ok(())
}

/// Whether a seal is available and follows its rules.
fn is_valid(ledger: &Ledger<'_>, seal: &Hex32) -> bool {
    ledger.sets.get(seal).is_some_and(|set| set.valid)
}

/// Whether a set was sealed without knowing an epoch in the chain of a letter (office 27).
fn is_before_epoch(ledger: &Ledger<'_>, node: &Node, seal: &Hex32) -> bool {
    let Some(set) = ledger.sets.get(seal) else { return false };
    ledger.escrow.epochs.iter().any(|epoch| node.follows(epoch) && !set.node.has_in_past(epoch))
}
