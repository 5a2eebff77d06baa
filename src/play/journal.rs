//! The journal of a game: what was declared, rolled and chosen, turn by turn.

use std::collections::{BTreeMap, BTreeSet};

use super::{failure::PlayResult, last_dice, table::Table};
use crate::{
    blob::{
        Body,
        body::{Hex32, Reveal, Role, Select, SetKind},
        office::Receipt,
    },
    game::{
        declaration::Declaration,
        hidden,
        ledger::Ledger,
        node::{Node, Standing},
        order::Order,
        purpose::{Purpose, SHEET},
        runs::Ran,
    },
    keep::home::Home,
    report::{
        description::{Line, Told},
        opened_note,
        text::visible,
        words,
    },
    resolve::hidden::Told as Worked,
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

/// Returns the journal of a game. It leaves out letters that only seal, confirm or ask for something, but for
/// notes that the close opens.
///
/// # Errors
/// If there is no such game, or it has not begun.
pub fn journal(home: &Home, name: Option<&str>) -> PlayResult<Vec<Turn>> {
    Table::find_quietly(home, name, |_| true)?.look(|order, ledger| Ok(turns(order, ledger)))
}

fn turns(order: &Order, ledger: &Ledger<'_>) -> Vec<Turn> {
    let mut turns: BTreeMap<u64, Vec<Entry>> = BTreeMap::new();
    let mut latest = 0;
    let stands = |node: &&Node| node.standing == Standing::Stands && node.breach.is_none();
    let worked: BTreeMap<Hex32, &Worked> = hidden::runs(ledger).iter().flat_map(Ran::told).collect();
    let opened: BTreeSet<Hex32> = order.nodes.iter().filter_map(|node| opens(node.message.body())).collect();
    for node in order.nodes.iter().filter(stands) {
        let body = node.message.body();
        let unused = unused(ledger, node).filter(|_| !opened.contains(&node.id()));
        if !is_told(body) && unused.is_none() {
            continue;
        }
        let turn = turn(ledger, body).unwrap_or(latest);
        latest = latest.max(turn);
        let (author, mut told) = (node.message.head().author.clone(), words::of(&node.message, Some(ledger)));
        told.lines.extend(unused.into_iter().flatten());
        if is_rolled(ledger, node, body) {
            told.lines.clear();
        }
        if matches!(body, Body::Declare(declare) if ledger.terms.is_of_hidden(&declare.slot)) {
            told = led_by_its_step(told);
        }
        // Once a sheet and its dice are open, the journal tells what they came to.
        let steps = worked.get(&node.id()).into_iter().flat_map(|worked| &worked.steps);
        told.lines.extend(steps.map(|step| Line::Words(visible(step))));
        let caveat = match body {
            Body::Declare(declare) => match ledger.declaration(&node.id()) {
                Some(own) if !own.valid => {
                    Some("THIS DECLARATION GIVES NO DICE: it breaks a rule. The report says which.".to_owned())
                }
                Some(_) if ledger.terms.is_of_hidden(&declare.slot) => last_dice::no_longer(ledger, &node.id()),
                _ => None,
            },
            Body::Reveal(reveal) => reveal.declaration.and_then(|id| last_dice::no_longer(ledger, &id)),
            _ => None,
        };
        // What opens the dice of a sealed sheet tells nothing: they are private.
        let is_plain = caveat.is_none() && told.lines.is_empty();
        if is_plain && matches!(body, Body::Reveal(reveal) if is_of_sheet(ledger, reveal)) {
            continue;
        }
        turns.entry(turn).or_default().push(Entry { author, told, caveat });
    }
    turns.into_iter().map(|(turn, entries)| Turn { turn, entries }).collect()
}

/// Returns the note that a letter opens.
const fn opens(body: &Body) -> Option<Hex32> {
    match body {
        Body::Reveal(reveal) => Some(reveal.seal),
        _ => None,
    }
}

/// Returns the content of a sealed note whose key is known, as it is from the close on. A sheet is told where its
/// declaration is.
fn unused(ledger: &Ledger<'_>, node: &Node) -> Option<Vec<Line>> {
    let set = ledger.set(&node.id()).filter(|set| set.seal.kind == SetKind::Note)?;
    let is_sheet =
        Purpose::parse(SetKind::Note, &set.seal.purpose).is_some_and(|purpose| purpose.note(SHEET).is_some());
    opened_note::lines(set, ledger).filter(|_| !is_sheet)
}

/// Whether a letter declares attacks or rolls whose dice are opened: the journal lists them with their dice.
fn is_rolled(ledger: &Ledger<'_>, node: &Node, body: &Body) -> bool {
    let lists = matches!(body, Body::Declare(declare) if matches!(declare.select, Some(Select::Worksheet(_) | Select::Cells(_))));
    lists && ledger.declaration(&node.id()).is_some_and(Declaration::is_answered)
}

/// Describes the declaration of a sealed sheet by what the game says first of it, such as who moves in which segment.
fn led_by_its_step(mut told: Told) -> Told {
    if let Some(Line::Words(_)) = told.lines.first()
        && let Line::Words(step) = told.lines.remove(0)
    {
        told.says = step;
    }
    told
}

/// Whether a letter opens envelopes for a declaration of a sealed sheet.
fn is_of_sheet(ledger: &Ledger<'_>, reveal: &Reveal) -> bool {
    let declaration = reveal.declaration.and_then(|id| ledger.declaration(&id));
    declaration.is_some_and(|declaration| ledger.terms.is_of_hidden(&declaration.declare.slot))
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
        Body::Seal(seal) => Some(Purpose::parse(seal.kind, &seal.purpose)?.slot()?.turn),
        Body::Reveal(reveal) => match reveal.declaration {
            Some(declaration) => Some(ledger.declaration(&declaration)?.declare.slot.turn),
            None => ledger.set(&reveal.seal)?.purpose()?.slot().map(|slot| slot.turn),
        },
        _ => None,
    }
}
