//! Two letters of one author with one number: when he may sign again, and how a referee names the branch that stands
//! (`protocol/chain.md` 8 to 10, `protocol/disputes.md`, ruling branch and 6).

use super::{Answer, Stage, Table, Told, View};
use crate::{
    blob::{Body, Hex32, Verified, disputes::Rule},
    cli::blanks::IS_WRONG,
    game::{
        charter::Author,
        order::{Fork, Node, Order, Standing},
    },
    report::text::count,
};

/// Whose fork it is, which number it has, and its letters.
fn told(table: &Table, order: &Order<'_>, fork: &Fork) -> (String, Vec<String>) {
    let role = table.terms.role_of(fork.author).map(ToString::to_string).unwrap_or_default();
    let number = table.stored.iter().find(|letter| fork.ids.contains(&letter.message.id()));
    let number = number.map_or(0, |letter| letter.message.head().number);
    let ids: Vec<String> = fork.ids.iter().map(|id| order.ids.short(id)).collect();
    let what = format!(
        "{role} has signed {} with the number {number} ({})",
        count(ids.len(), "different letter"),
        ids.join(", ")
    );
    (what, ids)
}

/// The letter of a fork that stands, if one does; of two accepts that which began this game.
fn standing(table: &Table, order: &Order<'_>, fork: &Fork) -> Option<Hex32> {
    let is_accept = |id: &Hex32| {
        table.stored.iter().any(|letter| letter.message.id() == *id && table.terms.begins_game(&letter.message))
    };
    if let Stage::Begun(game) = table.stage
        && fork.ids.iter().any(is_accept)
    {
        return Some(game);
    }
    let nodes = order.nodes.iter().filter(|node| fork.ids.contains(&node.id()));
    nodes.into_iter().find(|node| node.standing == Standing::Stands).map(Node::id)
}

/// What a player reads of letters with one number, and what he may do.
pub(super) fn tell_player(table: &Table, view: &View<'_, '_>) -> Vec<String> {
    let order = view.order;
    let referee = table.terms.charter.referee.is_some();
    let tell = |fork: &Fork| {
        let (what, ids) = told(table, order, fork);
        if fork.excused {
            return format!(
                "{what}; a stolen or lost key, or a restored folder, accounts for it, and nobody is blamed"
            );
        }
        let mend = match referee {
            true => {
                "mail them all to the referee, who says which one stands (rule branch), and settles it (rule settle)"
            }
            false => "without a referee only a rematch mends it, if nobody has gone on from one of them",
        };
        if fork.author == Author::Player(view.me) {
            return format!(
                "something is wrong: chain 8: {what}: two machines, or a restored folder, have signed side by side; nothing more is signed here. Let the others have \
                 all of them with  {}  and {mend}",
                table.typing.command("resend --everything")
            );
        }
        let ask = format!(
            "something is wrong: chain 8: {what}: two machines, a restored backup, or somebody who cheats. Ask him which it is; {} lets everybody have all of them;",
            table.typing.command("resend --everything")
        );
        match standing(table, order, fork) {
            Some(stands) => format!(
                "{ask} {} stands, for a letter goes on from it or opens it, and the other changes nothing;  {}  puts it on record",
                order.ids.short(&stands),
                table.typing.command(&format!("dispute raise {} --text \"{IS_WRONG}\"", order.ids.short(&stands)))
            ),
            None => format!(
                "{ask} nothing of his from {} on counts as long as none of them stands: {mend}",
                ids.join(" or ")
            ),
        }
    };
    let settled = |fork: &Fork| {
        let mut findings = view.ledger.findings.iter().filter(|finding| finding.letters == fork.ids);
        findings.any(|finding| finding.settled_by.is_some())
    };
    let open = |fork: &&Fork| fork.excused || !settled(fork);
    order.forks.iter().filter(open).map(tell).collect()
}

/// What a referee may do about letters with one number.
#[derive(Default)]
pub(super) struct Forked {
    pub(super) commands: Vec<String>,
    pub(super) notes: Vec<String>,
}

/// The same of the referee.
pub(super) fn tell_referee(table: &Table, order: &Order<'_>) -> Forked {
    let mut forked = Forked::default();
    let settled: Vec<Hex32> = order.nodes.iter().filter_map(settles).collect();
    for fork in order.forks.iter().filter(|fork| fork.author != Author::Referee) {
        let (what, _) = told(table, order, fork);
        // A letter that waits for others is no branch yet, and nothing can be ruled on it.
        let placed: Vec<&Node<'_>> = order.nodes.iter().filter(|node| fork.ids.contains(&node.id())).collect();
        if fork.excused || placed.len() < 2 || !stops(order, fork.author) {
            continue;
        }
        match standing(table, order, fork) {
            // A fork tells eight of its letters at most, and this one may be another.
            Some(stands) if settled.contains(&stands) => {}
            Some(stands) => {
                let settle = table.typing.command(&format!("rule settle {}", order.ids.short(&stands)));
                forked.notes.push(format!(
                    "{what}; {} stands, and its author signs nothing before you settle it",
                    order.ids.short(&stands)
                ));
                forked.commands.push(settle);
            }
            None => {
                let fell = placed.iter().filter(|node| node.standing == Standing::Falls);
                let branch =
                    fell.map(|node| table.typing.command(&format!("rule branch {}", order.ids.short(&node.id()))));
                forked.commands.extend(branch);
                forked.notes.push(format!("{what}; hear both players, and say which one stands, then settle it"));
            }
        }
    }
    forked
}

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
            "another branch stands already, for a letter of the other player goes on from it or opens it (chain 12); \
             no ruling changes that",
        )),
        _ => Err(Answer::refused(
            "this letter is on a branch that does not stand: say first which one does (`sealed-dice rule branch`), then settle \
             the letter of it that has this number",
        )),
    }
}
