//! The replay: letters are taken in order, and each is judged only by its past (`protocol/letters.md` 1 to 10).

use std::cell::OnceCell;

use super::{
    finding::Finding,
    ledger::Ledger,
    node::{Node, Standing},
    order::Order,
    rules,
    terms::Terms,
};
use crate::{blob::Hex32, error::Class};

/// Replays a game.
#[must_use]
pub fn replay<'a>(terms: &'a Terms, game: Hex32, order: &'a Order) -> Ledger<'a> {
    replayed(terms, game, order, false)
}

/// Replays a game without draws, for an office, which keeps many games and does not show dice.
#[must_use]
pub fn replay_lean<'a>(terms: &'a Terms, game: Hex32, order: &'a Order) -> Ledger<'a> {
    replayed(terms, game, order, true)
}

fn replayed<'a>(terms: &'a Terms, game: Hex32, order: &'a Order, is_lean: bool) -> Ledger<'a> {
    let mut ledger = Ledger::new(terms, game, order, is_lean);
    order.nodes.iter().for_each(|node| take(&mut ledger, node));
    ledger
}

/// Takes the next letter, after all letters that it names.
pub(super) fn take<'a>(ledger: &mut Ledger<'a>, node: &'a Node) {
    ledger.nodes.insert(node.id(), node);
    ledger.taken.push(node);
    ledger.ids.add(node.id());
    if node.standing == Standing::Stands {
        let head = ledger.heads.entry(node.author).or_insert(node);
        if node.rank() > head.rank() {
            *head = node;
        }
    }
    (ledger.ran, ledger.findings) = (OnceCell::new(), OnceCell::new());
    let unlocked = rules::unlocked_by(ledger, node);
    let judged = match &node.breach {
        _ if !node.standing.is_judged() => Ok(()),
        Some(error) if error.class() == Class::Chain => Err(error.clone()),
        _ => {
            if let Some(player) = node.author.player() {
                ledger.own.of_mut(player).counted.push(node);
            }
            rules::take(ledger, node, &unlocked)
        }
    };
    // Keys are facts on every branch (letters 9), as are the office's confirmations (office 22).
    rules::open(ledger, node, unlocked);
    rules::take_fact(ledger, node);
    if let Err(error) = judged {
        ledger.found.insert(node.id(), Finding::of(node, &error));
    }
}
