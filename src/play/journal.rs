//! The journal of a game: what was declared, rolled and chosen, turn by turn.

use std::collections::BTreeMap;

use super::{failure::PlayResult, last_dice, table::Table};
use crate::{
    blob::{
        Body,
        body::{Role, Select},
        office::Receipt,
    },
    game::{
        declaration::Declaration,
        hidden,
        ledger::Ledger,
        node::{Node, Standing},
        order::Order,
    },
    keep::home::Home,
    report::{
        description::{Line, Told},
        text::visible,
        words,
    },
};

/// A turn of the journal.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The number of the turn; 0 for what happened before the first declaration.
    pub turn: u64,
    /// What happened, in the order of the replay.
    pub entries: Vec<Entry>,
}

/// A letter in the journal.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The role of the letter's author.
    pub author: Role,
    /// The letter's description, with its dice.
    pub told: Told,
    /// Why the letter has no effect, or not all of its dice count, in one sentence.
    pub caveat: Option<String>,
}

/// Returns the journal of a game. It leaves out letters that only seal, confirm or ask for something.
///
/// # Errors
/// If there is no such game, or it has not begun.
pub fn journal(home: &Home, name: Option<&str>) -> PlayResult<Vec<Turn>> {
    Table::find_quietly(home, name, |_| true)?.look(|order, ledger| Ok(turns(order, ledger)))
}

fn turns(order: &Order, ledger: &Ledger<'_>) -> Vec<Turn> {
    let mut turns: BTreeMap<u64, Vec<Entry>> = BTreeMap::new();
    let mut latest = 0;
    let counts = order.nodes.iter().filter(|node| node.standing == Standing::Stands && node.breach.is_none());
    for node in counts.filter(|node| is_told(node.message.body())) {
        let body = node.message.body();
        let turn = turn(ledger, body).unwrap_or(latest);
        latest = latest.max(turn);
        let (author, mut told) = (node.message.head().author.clone(), words::of(&node.message, Some(ledger)));
        if is_rolled(ledger, node, body) {
            told.lines.clear();
        }
        // Once a sheet and its dice are open, the journal tells what they came to.
        let worked = matches!(body, Body::Declare(_)).then(|| hidden::worked_out(ledger, &node.id())).flatten();
        told.lines.extend(worked.into_iter().flat_map(|worked| &worked.steps).map(|step| Line::Words(visible(step))));
        let caveat = match body {
            Body::Declare(_) => ledger
                .declaration(&node.id())
                .filter(|declaration| !declaration.valid)
                .map(|_| "THIS DECLARATION GIVES NO DICE: it breaks a rule. The report says which.".to_owned()),
            Body::Reveal(reveal) => reveal.declaration.and_then(|id| last_dice::no_longer(ledger, &id)),
            _ => None,
        };
        turns.entry(turn).or_default().push(Entry { author, told, caveat });
    }
    turns.into_iter().map(|(turn, entries)| Turn { turn, entries }).collect()
}

/// Whether a letter declares attacks or rolls whose dice are opened: the journal lists them with their dice.
fn is_rolled(ledger: &Ledger<'_>, node: &Node, body: &Body) -> bool {
    let lists = matches!(body, Body::Declare(declare) if matches!(declare.select, Some(Select::Worksheet(_) | Select::Cells(_))));
    lists && ledger.declaration(&node.id()).is_some_and(Declaration::is_answered)
}

/// Whether a letter belongs into the journal.
const fn is_told(body: &Body) -> bool {
    match body {
        Body::Declare(_) | Body::Reveal(_) | Body::Decide(_) | Body::Correct(_) => true,
        Body::Claim(_) | Body::Ruling(_) | Body::Close(_) | Body::Receipt(Receipt::Epoch(_)) => true,
        Body::Charter(_) | Body::Accept(_) | Body::Seal(_) | Body::Deposit(_) => false,
        Body::Receipt(_) | Body::Resync(_) | Body::Withdraw(_) => false,
    }
}

/// Returns the turn that a letter is about, if it is about one.
fn turn(ledger: &Ledger<'_>, body: &Body) -> Option<u64> {
    match body {
        Body::Declare(declare) => Some(declare.slot.turn),
        Body::Decide(decide) => Some(decide.slot.turn),
        Body::Reveal(reveal) => Some(ledger.declaration(&reveal.declaration?)?.declare.slot.turn),
        _ => None,
    }
}
