//! Two letters of one author behind one letter: what was signed twice, which branch stands and why, and who may choose
//! one where none does (`protocol/chain.md` 8 to 14).

use std::collections::{BTreeMap, HashSet};

use super::{Answer, Table, Told, View};
use crate::{
    blob::{
        Body, Hex32, Verified,
        body::Role,
        disputes::{Claim, Rule, Ruling},
    },
    cli::blanks::IS_WRONG,
    game::{
        charter::Author,
        ledger::Ledger,
        order::{Node, Order, Standing},
    },
    report::text::count,
};

/// Most letters of a fork that are told: its author can sign any number of them.
const TOLD: usize = 8;

/// A fork behind a letter that stands, of an author one of whose branches falls.
struct Forked<'o> {
    author: Author,
    firsts: Vec<&'o Node>,
}

impl<'o> Forked<'o> {
    /// All of a game, those of the office aside: what it signs are facts (office 23).
    fn all(order: &'o Order) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        let fallen = order.nodes.iter().filter(|node| node.standing == Standing::Falls);
        for first in fallen {
            let prev = |node: &Node| node.message.head().prev;
            if all.iter().any(|fork| fork.firsts.iter().any(|known| known.id() == first.id())) {
                continue;
            }
            let is_beside =
                |node: &&Node| node.author == first.author && prev(node) == prev(first) && !node.standing.is_detached();
            let firsts = order.nodes.iter().filter(is_beside).collect();
            all.push(Self { author: first.author, firsts });
        }
        // A fork on a branch that falls is nobody's choice.
        all.retain(|fork| fork.firsts.iter().all(|first| first.standing != Standing::Fallen));
        all
    }

    fn standing(&self) -> Option<&'o Node> {
        self.firsts.iter().find(|first| first.standing == Standing::Stands).copied()
    }

    /// The first letter of another role that goes on from a branch or opens it, as witnesses do.
    fn behind(&self, order: &'o Order, first: &Node) -> Option<&'o Node> {
        let speaks = |node: &Node| node.author.player().is_some() || opens(node);
        let mut others = order.nodes.iter().filter(|node| node.author != self.author && !node.standing.is_detached());
        others.find(|node| speaks(node) && node.has_in_past(first))
    }

    /// Whether no letter of another role has chosen a branch.
    fn is_free(&self, order: &Order) -> bool {
        self.standing().is_none() && self.firsts.iter().all(|first| self.behind(order, first).is_none())
    }

    /// What follows where the witnesses disagree.
    fn over(&self, table: &Table) -> String {
        let (over, how) = match self.author {
            Author::Player(_) => (OVER, "from the letters before them"),
            Author::Referee | Author::Office => (WITHOUT, "with another one, if you need one"),
        };
        format!("{over}{}", table.to_continue(how))
    }

    /// Whose fork it is, and which letters.
    fn told(&self, table: &Table, order: &Order) -> String {
        let ids =
            self.firsts.iter().take(TOLD).map(|first| order.ids.short(&first.id())).collect::<Vec<_>>().join(", ");
        let letters = count(self.firsts.len(), "different letter");
        match table.terms.role_of(self.author) {
            Some(role) if *role == table.role => format!(
                "you have signed {letters} behind one letter ({ids}): two machines or a restored folder have signed \
                 side by side, or somebody else has your key or a backup of it"
            ),
            role => {
                let role = role.map(ToString::to_string).unwrap_or_default();
                format!(
                    "{role}, or whoever has {role}'s key or a backup of it, has signed {letters} behind one letter \
                     ({ids})"
                )
            }
        }
    }

    /// Which branch stands, and why.
    fn why_stands(&self, order: &Order) -> Option<(String, String)> {
        let stands = self.standing()?;
        let id = order.ids.short(&stands.id());
        let why = self.behind(order, stands).map_or_else(String::new, |witness| {
            let head = witness.message.head();
            let does = if opens(witness) { "opens what it asks for" } else { "goes on from it" };
            format!(", for letter {} of {} {does}", head.number, head.author)
        });
        Some((id.clone(), format!("{id} stands{why}, and the other changes nothing")))
    }
}

/// Whether a letter opens places of a set.
fn opens(node: &Node) -> bool {
    match node.message.body() {
        Body::Reveal(_) => true,
        Body::Ruling(ruling) => matches!(ruling.rule, Rule::Open(_)),
        _ => false,
    }
}

/// What there is to do where the witnesses of a player's fork disagree.
const OVER: &str = "none of them stands, for the letters that go on from them disagree, and their author can sign \
                    nothing more in this game. A referee may rule a forfeit, as on any stall";
/// The same of a referee's.
const WITHOUT: &str = "none of them stands, for the letters that go on from them disagree: play on without the referee";

/// That the author of terms was answered more than once (chain 9), by accepts all of whose letters are here.
fn accepts(table: &Table, order: &Order) -> Option<String> {
    let here: HashSet<Hex32> = table.all_letters().map(|letter| letter.message.id()).collect();
    let accepts = table.all_letters().map(|letter| &letter.message).filter(|message| table.terms.begins_game(message));
    let placed = accepts.filter(|accept| accept.names().iter().all(|id| here.contains(id)));
    let placed: BTreeMap<Hex32, &Role> = placed.map(|accept| (accept.id(), &accept.head().author)).collect();
    let (_, role) = placed.first_key_value().filter(|_| placed.len() > 1)?;
    let ids: Vec<String> = placed.keys().map(|id| order.ids.short(id)).collect();
    Some(format!(
        "something is wrong: chain 9: {role}, or whoever has {role}'s key or a backup of it, has accepted the terms more than once \
         ({}): each is a game of its own, and this one goes on from {}",
        ids.join(", "),
        order.ids.short(&table.game()?)
    ))
}

/// What the office has signed twice, with no epoch that accounts for it; all of it counts (office 22).
fn of_office(table: &Table, order: &Order) -> Option<String> {
    let fork = order.forks.iter().find(|fork| fork.author == Author::Office && !fork.explained)?;
    let office = table.terms.role_of(Author::Office)?;
    let ids: Vec<String> = fork.ids.iter().map(|id| order.ids.short(id)).collect();
    Some(format!(
        "something is wrong: chain 8: {office}, or whoever has {office}'s key or a backup of it, has signed {} behind \
         one letter ({}); all that it opens counts{}",
        count(ids.len(), "different letter"),
        ids.join(", "),
        table.to_continue("with another office")
    ))
}

/// What a player reads of forks.
pub(super) fn tell_player(table: &Table, view: &View<'_, '_>) -> Vec<String> {
    let order = view.order;
    let everything = table.typing.command("resend --everything");
    let tell = |fork: &Forked<'_>| {
        let what = fork.told(table, order);
        if let Some((id, stands)) = fork.why_stands(order) {
            let record = table.typing.command(&format!("dispute raise {id} --text \"{IS_WRONG}\""));
            return match fork.author == Author::Player(view.me) {
                true => format!("something is wrong: chain 8: {what}. {stands}"),
                false => format!(
                    "something is wrong: chain 8: {what}. {stands}. Show it to all with  {everything};  {record}  puts \
                     it on record"
                ),
            };
        }
        match (fork.author == Author::Player(view.me), fork.is_free(order)) {
            // What keeps them from signing stands above.
            (true, _) => format!("something is wrong: chain 8: {what}"),
            (false, true) => format!(
                "something is wrong: chain 8: {what}. None of them stands, and nobody has gone on from one: hear which \
                 one {0} means, and choose it by a letter of yours behind it ({1}); nothing of {0}'s from there on \
                 counts before",
                table.terms.role_of(fork.author).map(ToString::to_string).unwrap_or_default(),
                choices(table, order, fork).join("  or  ")
            ),
            (false, false) => format!("something is wrong: chain 8: {what}; {}", fork.over(table)),
        }
    };
    let settled = |fork: &Forked<'_>| {
        let mut findings = view.ledger.findings().iter().filter(|finding| finding.settled_by.is_some());
        findings.any(|finding| fork.firsts.iter().any(|first| finding.letters.contains(&first.id())))
    };
    let forks = Forked::all(order);
    accepts(table, order)
        .into_iter()
        .chain(of_office(table, order))
        .chain(forks.iter().filter(|fork| !settled(fork)).map(tell))
        .collect()
}

fn choices(table: &Table, order: &Order, fork: &Forked<'_>) -> Vec<String> {
    let typed = |first: &&Node| {
        table.typing.command(&format!("dispute raise {} --text \"{IS_WRONG}\"", order.ids.short(&first.id())))
    };
    fork.firsts.iter().take(TOLD).map(typed).collect()
}

/// What a player may type to choose a branch where none stands.
pub(super) fn to_choose(table: &Table, order: &Order) -> Vec<String> {
    let forks = Forked::all(order);
    let free = forks.iter().filter(|fork| fork.author != table.me && fork.is_free(order));
    free.flat_map(|fork| choices(table, order, fork)).collect()
}

/// What a referee reads of forks, and what they may rule beside what is due.
pub(super) fn tell_referee(table: &Table, order: &Order, ledger: &Ledger<'_>) -> (Vec<String>, Vec<String>) {
    let (mut notes, mut may) = (Vec::new(), Vec::new());
    notes.extend(accepts(table, order));
    notes.extend(of_office(table, order));
    for fork in Forked::all(order).iter().filter(|fork| fork.author != Author::Referee) {
        let what = fork.told(table, order);
        let is_settled = |first: &&Node| {
            let findings = ledger.findings().iter().filter(|finding| finding.letters.contains(&first.id()));
            findings.into_iter().any(|finding| finding.settled_by.is_some())
        };
        match fork.why_stands(order) {
            Some(_) if fork.firsts.iter().any(is_settled) => {}
            Some((id, stands)) => {
                may.push(table.typing.command(&format!("rule settle {id}")));
                notes.push(format!("{what}. {stands}; hear both players before you settle it"));
            }
            None if fork.is_free(order) => notes.push(format!(
                "{what}. None of them stands, and nobody has gone on from one: the other player may choose one \
                 (dispute raise)"
            )),
            None => notes.push(format!("{what}; {}", fork.over(table))),
        }
    }
    (notes, may)
}

/// Why a fork of their own keeps somebody from signing, and whom that waits for: no branch of theirs stands, so there
/// is nothing to go on from.
pub(super) fn stops(table: &Table, order: &Order) -> Option<(String, Option<String>)> {
    let forks = Forked::all(order);
    let fork = forks.iter().find(|fork| fork.author == table.me && fork.standing().is_none())?;
    let everything = table.typing.command("resend --everything");
    let (then, waits_for) = match fork.is_free(order) {
        true => (
            format!(
                "Nothing more is signed here before one of them stands. Let the others have all of them with  \
                 {everything}  and say which one you mean: the other player chooses it (dispute raise)"
            ),
            Some("the other player chooses one of your letters".to_owned()),
        ),
        false => (format!("{}. Let the others have all letters with  {everything}", fork.over(table)), None),
    };
    Some((format!("{}. {then}", fork.told(table, order)), waits_for))
}

/// The letter of another's fork that a dispute chooses: the disputer's letter must have seen it, for this is what makes
/// them a witness (chain 10, 11).
///
/// # Errors
/// If it names letters of several branches.
pub(super) fn chosen<'a>(order: &'a Order, me: Author, body: &Body) -> Told<Option<&'a Verified>> {
    let Body::Claim(Claim::Dispute(dispute)) = body else { return Ok(None) };
    let forks = Forked::all(order);
    let free = forks.iter().filter(|fork| fork.author != me && fork.is_free(order));
    let firsts: Vec<&&Node> = free.flat_map(|fork| &fork.firsts).collect();
    let is_on = |node: &Node| firsts.iter().any(|first| first.id() == node.id() || node.follows(first));
    let mut named = order.nodes.iter().filter(|node| dispute.letters.contains(&node.id()) && is_on(node));
    match (named.next(), named.next()) {
        (Some(named), None) => Ok(Some(&named.message)),
        (None, _) => Ok(None),
        (Some(_), Some(_)) => Err(Answer::refused(
            "your letter makes the branch stand that it goes on from: name one letter of it, and no other of this fork",
        )),
    }
}

/// The rulings that settle a fork: the finding is settled by one that has all its letters in its past (ruling 5), so
/// each branch that fell is named first, by one that has seen it. Any other rule stays as it is.
pub(super) fn settling(order: &Order, rule: Rule) -> Vec<Rule> {
    let Rule::Settle(letter) = rule else { return vec![rule] };
    let forks = Forked::all(order);
    let fork = forks.iter().find(|fork| fork.standing().is_some_and(|stands| stands.id() == letter));
    let fell = fork.into_iter().flat_map(|fork| &fork.firsts).filter(|first| first.standing == Standing::Falls);
    let unseen =
        fell.filter(|first| !order.nodes.iter().any(|node| node.author == Author::Referee && node.has_in_past(first)));
    unseen.map(|first| first.id()).chain([letter]).map(Rule::Settle).collect()
}

/// What a settlement must have seen: of a fork the letter that it names or, where that stands, the last one behind it.
pub(super) fn settled<'a>(order: &'a Order, body: &Body) -> Option<&'a Verified> {
    let Body::Ruling(Ruling { rule: Rule::Settle(letter), .. }) = body else { return None };
    let forks = Forked::all(order);
    let fork = forks.iter().find(|fork| fork.firsts.iter().any(|first| first.id() == *letter))?;
    let first = fork.firsts.iter().find(|first| first.id() == *letter)?;
    match first.standing {
        Standing::Stands => order.last_of(fork.author).map(|node| &node.message),
        _ => Some(&first.message),
    }
}
