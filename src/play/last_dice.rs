//! The dice that were opened last.

use crate::{
    blob::{Body, Hex32},
    game::{
        ledger::Ledger,
        node::{Past, Standing},
        order::Order,
        rules::correct,
    },
    report::words,
};

/// Describes the last letter that opens dice and counts; `None` before any dice are opened.
pub(super) fn last_dice(order: &Order, ledger: &Ledger<'_>) -> Option<String> {
    let counts = order.nodes.iter().rev().filter(|node| node.standing == Standing::Stands && node.breach.is_none());
    let mut opening = counts.filter(|node| {
        matches!(node.message.body(), Body::Reveal(_))
            && !words::described(&node.message, Some(ledger)).lines.is_empty()
    });
    let node = opening.next()?;
    let told = format!("{}: {}", node.message.head().author, words::of(&node.message, Some(ledger)));
    let of = match node.message.body() {
        Body::Reveal(reveal) => reveal.declaration.and_then(|id| no_longer(ledger, &id)),
        _ => None,
    };
    Some(of.map_or_else(|| told.clone(), |of| format!("{of}\n{told}")))
}

/// Says which dice of a declaration no longer count, if any.
fn no_longer(ledger: &Ledger<'_>, id: &Hex32) -> Option<String> {
    let declaration = ledger.declaration(id)?;
    let is_due = correct::redos_due(ledger, Past::ALL).any(|due| due.declaration == *id);
    if is_due || !declaration.replaced_by.is_empty() {
        return Some("THESE DICE DO NOT COUNT: you both agreed to roll again".into());
    }
    let all: Vec<u64> = declaration.trail.iter().map(|draw| draw.n).collect();
    let mut void: Vec<u64> = all.iter().copied().filter(|n| ledger.voided_by(id, *n).is_some()).collect();
    void.dedup();
    match void.as_slice() {
        [] => None,
        _ if all.iter().all(|n| void.contains(n)) => Some("THESE DICE DO NOT COUNT: they are void".into()),
        some => Some(format!(
            "NOT ALL OF THESE DICE COUNT: void by number: {}",
            some.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
        )),
    }
}
