//! The dice that were opened last.

use crate::{
    blob::Body,
    game::{ledger::Ledger, node::Standing, order::Order},
    report::words,
};

/// Describes the last letter that opens dice and counts; none before any dice are opened.
pub(super) fn last_dice(order: &Order, ledger: &Ledger<'_>) -> Option<String> {
    let counts = order.nodes.iter().rev().filter(|node| node.standing == Standing::Stands && node.breach.is_none());
    let mut opening = counts.filter(|node| {
        matches!(node.message.body(), Body::Reveal(_))
            && !words::described(&node.message, Some(ledger)).lines.is_empty()
    });
    opening.next().map(|node| format!("{}: {}", node.message.head().author, words::of(&node.message, Some(ledger))))
}
