//! Two letters of one author with one number: when he may sign again, and how a referee names the branch that stands
//! (`protocol/chain.md` 8 to 10, `protocol/disputes.md`, ruling 3 and 6).

use super::{Answer, Told};
use crate::{
    blob::{Body, Hex32, Verified, disputes::Rule},
    game::{
        charter::Author,
        order::{Node, Order, Standing},
    },
};

/// Whether an author's fork, for which he is to blame, still keeps him from signing. Where the referee has settled it and
/// one branch stands, he goes on there.
pub(super) fn stops(order: &Order<'_>, author: Author) -> bool {
    let settled: Vec<Hex32> = order.nodes.iter().filter_map(settles).collect();
    let mut forks = order.forks.iter().filter(|fork| fork.author == author && !fork.excused).peekable();
    if forks.peek().is_none() {
        return false;
    }
    let own = || order.nodes.iter().filter(|node| node.author == author);
    // The list of forks names the lowest number alone; a later one stops him as well.
    let mut fell = own().filter(|node| node.standing == Standing::Falls);
    let mended = |fell: &Node<'_>| {
        let beside = || own().filter(|node| node.message.head().prev == fell.message.head().prev);
        beside().any(|node| node.standing == Standing::Stands) && beside().any(|node| settled.contains(&node.id()))
    };
    !(forks.all(|fork| fork.ids.iter().any(|id| settled.contains(id))) && fell.all(mended))
}

fn settles(node: &Node<'_>) -> Option<Hex32> {
    match node.message.body() {
        Body::Ruling(ruling) if node.author == Author::Referee => match ruling.rule {
            Rule::Settle(letter) => Some(letter),
            _ => None,
        },
        _ => None,
    }
}

/// The letter of a branch that a ruling is to name, which the referee's own letter must have seen (chain 6): as long as no
/// branch stands, he follows none by himself.
///
/// # Errors
/// If another branch of that fork stands already, or a finding is to be settled before any does.
pub(super) fn named_by<'a>(order: &Order<'a>, body: &Body) -> Told<Option<&'a Verified>> {
    let Body::Ruling(ruling) = body else { return Ok(None) };
    let (Rule::Branch(letter) | Rule::Settle(letter)) = ruling.rule else { return Ok(None) };
    let Some(named) = order.nodes.iter().find(|node| node.id() == letter && !node.standing.is_judged()) else {
        return Ok(None);
    };
    let number = named.message.head().number;
    let mut beside = order.nodes.iter().filter(|node| node.author == named.author);
    let stands = beside.any(|node| node.message.head().number == number && node.standing == Standing::Stands);
    match (&ruling.rule, stands) {
        (Rule::Branch(_), false) => Ok(Some(named.message)),
        (Rule::Branch(_), true) => Err(Answer::refused(
            "another branch stands already, for a letter of the other player goes on from it or opens it (chain 9); \
             no ruling changes that",
        )),
        _ => Err(Answer::refused(
            "this letter is on a branch that does not stand: say first which one does (`sealed-dice rule branch`), then settle \
             the letter of it that has this number",
        )),
    }
}
