//! The law of letters (`protocol/letters.md`): one file for each kind, in the order of that page. Each `take` judges a
//! letter only by its past, and records the letter's effects in the ledger.

pub mod claim;
mod close;
pub mod correct;
pub mod course;
mod decide;
pub mod declare;
mod receipt;
pub mod redo;
mod reveal;
pub mod ruling;
mod scope;
mod seal;
pub mod secrets;

use super::{
    ledger::Ledger,
    node::{Node, Played},
    opening::Unlocked,
    terms::Author,
};
use crate::{
    blob::{Body, body::Correct, office::Receipt},
    error::{Result, bail, ensure},
    rule::Rule,
};

pub(super) use receipt::take_fact;
pub(super) use reveal::{open, unlocked_by};

/// Judges a letter, and records its effects. `unlocked` holds the matching keys in the letter.
pub(super) fn take<'a>(ledger: &mut Ledger<'a>, node: &'a Node, unlocked: &[Unlocked]) -> Result<()> {
    let common = check_common(ledger, node);
    let Some(played) = Played::of(node) else {
        return match node.message.body() {
            Body::Receipt(receipt) if node.author == Author::Referee => {
                receipt::take_referees(ledger, node, receipt, common)
            }
            Body::Receipt(receipt) => common.and_then(|()| receipt::check_offices(ledger, node, receipt)),
            Body::Ruling(ruling) => common.and_then(|()| ruling::take(ledger, node, ruling)),
            Body::Reveal(reveal) => common.and_then(|()| reveal::check(ledger, node, reveal, unlocked)),
            _ => common,
        };
    };
    match node.message.body() {
        // Even in breach, they use up the sets and slots they name.
        Body::Seal(seal) => seal::take(ledger, played, seal, common),
        Body::Declare(declare) => declare::take(ledger, played, declare, common),
        Body::Decide(decide) => decide::take(ledger, played, decide, common),
        Body::Close(close) => close::take(ledger, played, close, unlocked, common),
        Body::Reveal(reveal) => common.and_then(|()| reveal::check(ledger, node, reveal, unlocked)),
        Body::Correct(correct) => common.and_then(|()| correct::take(ledger, played, correct)),
        Body::Claim(claim) => common.and_then(|()| claim::take(ledger, played, claim)),
        // The charter was parsed and the accept checked before the game began.
        Body::Charter(_) | Body::Accept(_) => Ok(()),
        // In no chain, or not for a player to sign.
        Body::Ruling(_) | Body::Receipt(_) | Body::Resync(_) | Body::Deposit(_) | Body::Withdraw(_) => common,
    }
}

/// Checks the rules for every kind: chain 6, letters 3 to 5.
fn check_common(ledger: &Ledger<'_>, node: &Node) -> Result<()> {
    if let Some(error) = &node.breach {
        return Err(error.clone());
    }
    let body = node.message.body();
    let ends_something = matches!(
        body,
        Body::Reveal(_) | Body::Close(_) | Body::Claim(_) | Body::Correct(Correct::Accept(_) | Correct::Refuse(_))
    );
    let has_closed = node.author.player().is_some_and(|player| ledger.has_closed(player));
    ensure!(!has_closed || ends_something, Rule::Letters3, "the author has already closed the game");
    let may_sign = match node.author {
        Author::Referee => matches!(body, Body::Accept(_) | Body::Ruling(_) | Body::Receipt(Receipt::Deposit(_))),
        Author::Office => matches!(body, Body::Accept(_) | Body::Reveal(_) | Body::Receipt(_)),
        Author::Player(_) => !matches!(body, Body::Ruling(_) | Body::Receipt(_)),
    };
    ensure!(may_sign, Rule::Letters4, "the author may not sign this kind of letter");
    for (id, kinds) in body.names() {
        let named = ledger.letter(&id).map(|named| named.head().kind);
        if let Some(named) = named.filter(|named| !kinds.is_empty() && !kinds.contains(named)) {
            let meant: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
            let meant = meant.join(" or ");
            bail!(
                Rule::Letters5,
                "it names a letter of the kind {}, but must name one of the kind {meant}",
                named.as_str()
            );
        }
    }
    Ok(())
}
