//! The dice that were opened last.

use std::fmt;

use crate::{
    blob::{Body, Hex32, body::Role},
    game::{
        ledger::Ledger,
        node::{Past, Standing},
        order::Order,
        rules::correct,
    },
    report::{
        description::{Line, Told},
        words,
    },
};

/// The last letter that opens dice and counts or, in a hidden course, that states a result.
#[derive(Clone, Debug)]
pub struct LastDice {
    /// A warning if not all of the dice count any more, in one sentence.
    pub caveat: Option<String>,
    /// The role of the letter's author.
    pub author: Role,
    /// The letter's description, with its dice.
    pub told: Told,
    /// The choices that were made since, in their order: the role of each author, and the letter's description.
    pub since: Vec<(Role, Told)>,
}

impl LastDice {
    /// Whether the letter shows dice.
    #[must_use]
    pub fn has_dice(&self) -> bool {
        self.told.lines.iter().any(|line| matches!(line, Line::Die { .. }))
    }
}

impl fmt::Display for LastDice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.caveat.iter().try_for_each(|caveat| writeln!(f, "{caveat}"))?;
        write!(f, "{}: {}", self.author, self.told)?;
        self.since.iter().try_for_each(|(author, told)| write!(f, "\n{author}: {told}"))
    }
}

/// Returns the last letter that opens dice and counts, or states a result; none before there is one.
pub(super) fn last_dice(order: &Order, ledger: &Ledger<'_>) -> Option<LastDice> {
    let counts = order.nodes.iter().rev().filter(|node| node.standing == Standing::Stands && node.breach.is_none());
    let mut since = Vec::new();
    let mut opening = counts.filter_map(|node| match node.message.body() {
        Body::Decide(_) if ledger.found_on(&node.id()).is_some() => None,
        Body::Decide(_) => {
            since.push((node.message.head().author.clone(), words::without_notes(&node.message, Some(ledger))));
            None
        }
        Body::Reveal(reveal) => Some((node, reveal.declaration)),
        Body::Declare(declare) => ledger.terms.is_of_hidden(&declare.slot).then(|| (node, Some(node.id()))),
        _ => None,
    });
    let (node, declaration, told) = opening.find_map(|(node, declaration)| {
        let told = words::without_notes(&node.message, Some(ledger));
        (!told.lines.is_empty()).then_some((node, declaration, told))
    })?;
    let caveat = declaration.and_then(|id| no_longer(ledger, &id));
    since.reverse();
    Some(LastDice { caveat, author: node.message.head().author.clone(), told, since })
}

/// Says which dice of a declaration no longer count, if any.
pub(super) fn no_longer(ledger: &Ledger<'_>, id: &Hex32) -> Option<String> {
    let declaration = ledger.declaration(id)?;
    let is_due = correct::redos_due(ledger, Past::ALL).any(|due| due.declaration == *id);
    if is_due || !declaration.replaced_by.is_empty() {
        return Some("THESE DICE DO NOT COUNT: you both agreed to roll again".into());
    }
    let is_sheet = ledger.terms.is_of_hidden(&declaration.declare.slot);
    let all: Vec<u64> = match is_sheet {
        true => (1..=declaration.count()).collect(),
        false => declaration.trail.iter().map(|draw| draw.n).collect(),
    };
    let mut void: Vec<u64> = all.iter().copied().filter(|n| ledger.voided_by(id, *n).is_some()).collect();
    void.dedup();
    match void.as_slice() {
        [] => None,
        _ if is_sheet => Some("THIS DOES NOT COUNT: you both agreed to take it back, or the referee did".into()),
        _ if all.iter().all(|n| void.contains(n)) => Some("THESE DICE DO NOT COUNT: they are void".into()),
        some => Some(format!(
            "NOT ALL OF THESE DICE COUNT: these rolls are void: {}",
            some.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
        )),
    }
}
