//! Forks, in which an author signed two letters after the same one: what was signed twice, which branch counts and why,
//! and who may choose if none does (`protocol/chain.md` 8 to 14).

use std::collections::{BTreeMap, HashSet};

use super::{
    blanks::IS_WRONG,
    failure::{Failure, PlayResult},
    step::{Id, Rules, Step},
    table::{Table, View},
};
use crate::{
    blob::{
        Body, Hex32, Verified,
        body::Role,
        disputes::{Claim, Ruled, Ruling},
    },
    game::{
        findings,
        ledger::Ledger,
        node::{Node, Standing},
        order::Order,
        terms::Author,
    },
    report::{
        text::{count, cut},
        words,
    },
};

/// The maximum number of letters listed for a fork: its author can sign any number of them.
const TOLD: usize = 8;

/// The maximum number of characters quoted from one of these letters.
const LONG: usize = 160;

/// The warning beside the commands that choose a branch.
pub(super) const CHOOSES: &str = "dispute raise: of the letters that were signed side by side, the one that you name \
                                  COUNTS from then on, and the others are dropped: name the one that you want to keep";

/// A fork after a letter that counts, with at least one discarded branch.
struct Forked<'o> {
    author: Author,
    firsts: Vec<&'o Node>,
}

impl<'o> Forked<'o> {
    /// Lists all forks in a game except those of the office, whose letters are facts (office 23).
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
        // Nobody has to choose in a fork on a discarded branch.
        all.retain(|fork| fork.firsts.iter().all(|first| first.standing != Standing::Fallen));
        all
    }

    fn standing(&self) -> Option<&'o Node> {
        self.firsts.iter().find(|first| first.standing == Standing::Stands).copied()
    }

    /// Returns the first letter by another role that chooses a branch: a player's letter, or an opening, that continues
    /// the branch.
    fn behind(&self, order: &'o Order, first: &Node) -> Option<&'o Node> {
        let speaks = |node: &Node| node.author.player().is_some() || opens(node);
        let mut others = order.nodes.iter().filter(|node| node.author != self.author && !node.standing.is_detached());
        others.find(|node| speaks(node) && node.has_in_past(first))
    }

    /// Whether no letter by another role has chosen a branch.
    fn is_free(&self, order: &Order) -> bool {
        self.standing().is_none() && self.firsts.iter().all(|first| self.behind(order, first).is_none())
    }

    /// Returns the consequence when the witnesses disagree.
    fn over(&self, table: &Table) -> String {
        let (over, how) = match self.author {
            Author::Player(_) => (OVER, "from the letters before them"),
            Author::Referee | Author::Office => (WITHOUT, "with another referee, if you need one"),
        };
        format!("{over}{}", table.to_continue(how))
    }

    /// Describes the fork: its author and its letters.
    fn told(&self, table: &Table, order: &Order) -> String {
        let ids =
            self.firsts.iter().take(TOLD).map(|first| order.ids.short(&first.id())).collect::<Vec<_>>().join(", ");
        let letters = count(self.firsts.len(), "different letter");
        match table.terms.role_of(self.author) {
            Some(role) if *role == table.role => format!(
                "you have signed {letters} that follow the same letter ({ids}): two machines or a restored folder \
                 signed side by side, or somebody else has your key or a backup of it"
            ),
            role => {
                let role = role.map(ToString::to_string).unwrap_or_default();
                format!(
                    "{role}, or somebody who has {role}'s key or a backup of it, has signed {letters} that follow the \
                     same letter ({ids})"
                )
            }
        }
    }

    /// Returns the branch that counts, and the reason.
    fn why_stands(&self, order: &Order) -> Option<(String, String)> {
        let stands = self.standing()?;
        let id = order.ids.short(&stands.id());
        let why = self.behind(order, stands).map_or_else(String::new, |witness| {
            let head = witness.message.head();
            let does = if opens(witness) { "opens what it asks for" } else { "follows it" };
            format!(", because letter {} from {} {does}", head.number, head.author)
        });
        Some((id.clone(), format!("{id} is the one that counts{why}")))
    }
}

/// Whether a letter opens places of a set.
fn opens(node: &Node) -> bool {
    match node.message.body() {
        Body::Reveal(_) => true,
        Body::Ruling(ruling) => matches!(ruling.rule, Ruled::Open(_)),
        _ => false,
    }
}

/// The advice when the witnesses of a player's fork disagree.
const OVER: &str = "none of them counts, because the letters that follow them disagree, and their author can sign \
                    nothing more in this game. A referee can rule a forfeit, as for any stall";
/// The advice when the witnesses of a referee's fork disagree.
const WITHOUT: &str = "none of them counts, because the letters that follow them disagree: play on without the referee";

/// Reports that the terms were accepted more than once (chain 9), by accepts whose named letters are all here.
fn accepts(table: &Table, order: &Order) -> Option<String> {
    let here: HashSet<Hex32> = table.all_letters().map(|letter| letter.message.id()).collect();
    let accepts = table.all_letters().map(|letter| &letter.message).filter(|message| table.terms.begins_game(message));
    let placed = accepts.filter(|accept| accept.names().iter().all(|id| here.contains(id)));
    let placed: BTreeMap<Hex32, &Role> = placed.map(|accept| (accept.id(), &accept.head().author)).collect();
    let (_, role) = placed.first_key_value().filter(|_| placed.len() > 1)?;
    let ids: Vec<String> = placed.keys().map(|id| order.ids.short(id)).collect();
    Some(format!(
        "something is wrong: chain 9: {role}, or somebody who has {role}'s key or a backup of it, has accepted the \
         terms more than once ({}): each acceptance begins a game of its own, and this game follows {}",
        ids.join(", "),
        order.ids.short(&table.game()?)
    ))
}

/// Reports letters that the office signed side by side, without an epoch that explains them. All of them count (office
/// 22).
fn of_office(table: &Table, order: &Order) -> Option<String> {
    let fork = order.forks.iter().find(|fork| fork.author == Author::Office && !fork.explained)?;
    let office = table.terms.role_of(Author::Office)?;
    let ids: Vec<String> = fork.ids.iter().map(|id| order.ids.short(id)).collect();
    Some(format!(
        "something is wrong: chain 8: {office}, or somebody who has {office}'s key or a backup of it, has signed {} \
         that follow the same letter ({}); everything that it opens counts{}",
        count(ids.len(), "different letter"),
        ids.join(", "),
        table.to_continue("with another office")
    ))
}

/// Returns the notes on forks for a player.
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
                    "something is wrong: chain 8: {what}. {stands}. Show the letters to everybody with  {everything};  \
                     {record}  puts this on record"
                ),
            };
        }
        match (fork.author == Author::Player(view.me), fork.is_free(order)) {
            // Another part of the status gives the reason that keeps this player from signing.
            (true, _) => format!("something is wrong: chain 8: {what}"),
            (false, true) => format!(
                "something is wrong: chain 8: {what}. None of them counts yet, because nobody else's letter follows \
                 one: ask {0} which one they mean. Nothing that {0} signed from there on counts until you choose. THE \
                 LETTER THAT YOU NAME COUNTS from then on, and the others are dropped: name the one that you want to \
                 KEEP, not one that looks wrong to you{1}",
                table.terms.role_of(fork.author).map(ToString::to_string).unwrap_or_default(),
                offered(table, view, fork)
            ),
            (false, false) => format!("something is wrong: chain 8: {what}; {}", fork.over(table)),
        }
    };
    let settled = |fork: &Forked<'_>| {
        let mut findings = findings::of(view.ledger).iter().filter(|finding| finding.settled_by.is_some());
        findings.any(|finding| fork.firsts.iter().any(|first| finding.letters.contains(&first.id())))
    };
    let forks = Forked::all(order);
    accepts(table, order)
        .into_iter()
        .chain(of_office(table, order))
        .chain(forks.iter().filter(|fork| !settled(fork)).map(tell))
        .collect()
}

/// Returns the step that chooses a letter.
fn choice(order: &Order, first: &Node) -> Step {
    Step::Choose(Id::of(&order.ids, &first.id()))
}

fn choices(order: &Order, fork: &Forked<'_>) -> Vec<Step> {
    fork.firsts.iter().take(TOLD).map(|first| choice(order, first)).collect()
}

/// Lists the commands that choose a branch, each with the letter that it keeps: two lines per letter.
fn offered(table: &Table, view: &View<'_, '_>, fork: &Forked<'_>) -> String {
    let line = |first: &&Node| {
        format!("\n      {}\n        keeps {}", choice(view.order, first).typed(&table.typing), in_words(view, first))
    };
    fork.firsts.iter().take(TOLD).map(line).collect()
}

/// Describes a letter in a short line: its id, number, kind and content.
fn in_words(view: &View<'_, '_>, first: &Node) -> String {
    let head = first.message.head();
    let said = words::of(&first.message, Some(view.ledger)).to_string();
    let said = said.lines().map(str::trim).collect::<Vec<_>>().join("; ");
    let (said, more) = cut(&said, LONG);
    let dots = if more == 0 { "" } else { "..." };
    format!("{}, letter {}, {}: {said}{dots}", view.order.ids.short(&first.id()), head.number, head.kind.as_str())
}

/// Returns a player's steps to choose a branch when none counts.
pub(super) fn to_choose(order: &Order, me: Author) -> Vec<Step> {
    let forks = Forked::all(order);
    let free = forks.iter().filter(|fork| fork.author != me && fork.is_free(order));
    free.flat_map(|fork| choices(order, fork)).collect()
}

/// Returns the notes on forks for a referee, and the rulings they may make besides those that are due.
pub(super) fn tell_referee(table: &Table, order: &Order, ledger: &Ledger<'_>) -> (Vec<String>, Vec<Step>) {
    let (mut notes, mut may) = (Vec::new(), Vec::new());
    notes.extend(accepts(table, order));
    notes.extend(of_office(table, order));
    for fork in Forked::all(order).iter().filter(|fork| fork.author != Author::Referee) {
        let what = fork.told(table, order);
        let is_settled = |first: &&Node| {
            let findings = findings::of(ledger).iter().filter(|finding| finding.letters.contains(&first.id()));
            findings.into_iter().any(|finding| finding.settled_by.is_some())
        };
        match fork.why_stands(order) {
            Some(_) if fork.firsts.iter().any(is_settled) => {}
            Some((_, stands)) => {
                may.extend(fork.standing().map(|stands| Step::Rule(Rules::Settle(Id::of(&order.ids, &stands.id())))));
                notes.push(format!("{what}. {stands}; hear both players before you settle it"));
            }
            None if fork.is_free(order) => notes.push(format!(
                "{what}. None of them counts yet, because nobody else's letter follows one: the other player can \
                 choose one (dispute raise)"
            )),
            None => notes.push(format!("{what}; {}", fork.over(table))),
        }
    }
    (notes, may)
}

/// Returns the reason why a fork by this party keeps it from signing, and the role that it waits for: none of its
/// branches counts, so there is no letter to continue from.
pub(super) fn stops(table: &Table, order: &Order) -> Option<(String, Option<String>)> {
    let forks = Forked::all(order);
    let fork = forks.iter().find(|fork| fork.author == table.me && fork.standing().is_none())?;
    let everything = table.typing.command("resend --everything");
    let (then, waits_for) = match fork.is_free(order) {
        true => (undecided(&everything), Some("the other player chooses one of your letters".to_owned())),
        false => (format!("{}. Send everybody all the letters with  {everything}", fork.over(table)), None),
    };
    Some((format!("{}; {then}", fork.told(table, order)), waits_for))
}

/// Returns the letter in another party's fork that a dispute chooses. The disputer's letter must have seen it, because
/// only then is that party a witness (chain 10, 11).
///
/// # Errors
/// If the dispute names letters on several branches.
pub(super) fn chosen<'a>(order: &'a Order, me: Author, body: &Body) -> PlayResult<Option<&'a Verified>> {
    let Body::Claim(Claim::Dispute(dispute)) = body else { return Ok(None) };
    let forks = Forked::all(order);
    let free = forks.iter().filter(|fork| fork.author != me && fork.is_free(order));
    let firsts: Vec<&&Node> = free.flat_map(|fork| &fork.firsts).collect();
    let is_on = |node: &Node| firsts.iter().any(|first| first.id() == node.id() || node.follows(first));
    let mut named = order.nodes.iter().filter(|node| dispute.letters.contains(&node.id()) && is_on(node));
    match (named.next(), named.next()) {
        (Some(named), None) => Ok(Some(&named.message)),
        (None, _) => Ok(None),
        (Some(_), Some(_)) => Err(Failure::refused(
            "your letter decides which branch counts: name only one letter, from the branch that you want to keep",
        )),
    }
}

/// Warns a player who is about to sign a dispute that chooses: the named letter will count.
pub(super) fn kept(view: &View<'_, '_>, body: &Body) -> Vec<String> {
    let (me, order) = (Author::Player(view.me), view.order);
    let Ok(Some(named)) = chosen(order, me, body) else { return Vec::new() };
    let Some(named) = order.nodes.iter().find(|node| node.id() == named.id()) else { return Vec::new() };
    let is_on = |first: &Node| named.id() == first.id() || named.follows(first);
    let forks = Forked::all(order);
    let mut free = forks.iter().filter(|fork| fork.author != me && fork.is_free(order));
    let Some(fork) = free.find(|fork| fork.firsts.iter().any(|first| is_on(first))) else { return Vec::new() };
    let (keeps, drops): (Vec<&Node>, Vec<&Node>) = fork.firsts.iter().copied().partition(|first| is_on(first));
    let ids =
        |of: &[&Node]| of.iter().take(TOLD).map(|first| order.ids.short(&first.id())).collect::<Vec<_>>().join(", ");
    let letters = if drops.len() == 1 { "letter" } else { "letters" };
    let mind = format!(
        "  WARNING: this makes {} count, and drops the other {letters} {}: name the one that you want to keep",
        ids(&keeps),
        ids(&drops)
    );
    let lines = |does: &'static str, of: Vec<&Node>| {
        of.into_iter().take(TOLD).map(|first| format!("      {does} {}", in_words(view, first))).collect::<Vec<_>>()
    };
    std::iter::once(mind).chain(lines("keeps", keeps)).chain(lines("drops", drops)).collect()
}

/// Returns the notice for a party whose own new letters make a fork: its meaning, and what to type.
pub(super) fn signed_twice(table: &Table, order: &Order, new: &HashSet<Hex32>) -> Vec<String> {
    let forks = Forked::all(order);
    let is_new = |fork: &&Forked<'_>| fork.firsts.iter().any(|first| new.contains(&first.id()));
    let everything = table.typing.command("resend --everything");
    let tell = |fork: &Forked<'_>| {
        let then = match (fork.why_stands(order), fork.is_free(order)) {
            (Some((_, stands)), _) => {
                format!("{stands}. Send everybody all the letters with  {everything}")
            }
            (None, true) => undecided(&everything),
            (None, false) => format!("{}. Send everybody all the letters with  {everything}", fork.over(table)),
        };
        format!("WARNING: {}; {then}", fork.told(table, order))
    };
    forks.iter().filter(|fork| fork.author == table.me).filter(is_new).map(tell).collect()
}

/// Returns the advice for the author of a fork in which nobody has chosen.
fn undecided(everything: &str) -> String {
    format!(
        "nothing more is signed here until one of them counts. Send everybody all the letters with  {everything}  and \
         say which one you mean: the other player chooses it (dispute raise)"
    )
}

/// Returns, for each discarded branch of another role's fork, the last letter that opens keys, unless it is already in
/// the past of this player's letters. Looks only at forks where this player was a witness for the branch that counts.
/// Such keys count (letters 9), but the next letter has them in its past only if its `seen` names that letter once
/// (chain 3).
pub(super) fn openings_aside(order: &Order, me: Author) -> Vec<&Verified> {
    let Some(last) = order.last_of(me) else { return Vec::new() };
    let mut aside = Vec::new();
    for fork in Forked::all(order).into_iter().filter(|fork| fork.author != me) {
        let Some(stands) = fork.standing() else { continue };
        let known = |own: &&Node| fork.firsts.iter().any(|first| own.has_in_past(first));
        let mut own = order.nodes.iter().filter(|node| node.author == me);
        let chose = own
            .find(known)
            .is_some_and(|own| fork.firsts.iter().all(|first| own.has_in_past(first) == (first.id() == stands.id())));
        for first in fork.firsts.iter().filter(|first| chose && first.id() != stands.id()) {
            let openings = order.nodes.iter().filter(|node| {
                (node.id() == first.id() || node.follows(first)) && brings_keys(node) && !last.has_in_past(node)
            });
            aside.extend(openings.max_by_key(|node| node.message.head().number).map(|node| &node.message));
        }
    }
    aside
}

/// Returns the last letter of each of the office's branches, unless this player's letters already have it in their
/// past.
pub(super) fn office_aside(order: &Order, me: Author) -> Vec<&Verified> {
    let Some(last) = order.last_of(me) else { return Vec::new() };
    let office = |node: &&Node| node.author == Author::Office && !node.standing.is_detached();
    let all: Vec<&Node> = order.nodes.iter().filter(office).collect();
    let followed: HashSet<Hex32> = all.iter().filter_map(|node| node.message.head().prev).collect();
    let tips: Vec<&Node> = all.into_iter().filter(|node| !followed.contains(&node.id())).collect();
    if tips.len() < 2 {
        return Vec::new();
    }
    tips.into_iter().filter(|tip| !last.has_in_past(tip)).map(|tip| &tip.message).collect()
}

/// Whether a letter contains keys (letters 9).
fn brings_keys(node: &Node) -> bool {
    opens(node) || matches!(node.message.body(), Body::Close(close) if close.masters.is_some())
}

/// Returns the rulings that settle a fork. A finding is settled only by a ruling that has all its letters in its past
/// (ruling 5), so a ruling on each discarded branch comes first. Any other rule is returned unchanged.
pub(super) fn settling(order: &Order, rule: Ruled) -> Vec<Ruled> {
    let Ruled::Settle(letter) = rule else { return vec![rule] };
    let forks = Forked::all(order);
    let fork = forks.iter().find(|fork| fork.standing().is_some_and(|stands| stands.id() == letter));
    let fell = fork.into_iter().flat_map(|fork| &fork.firsts).filter(|first| first.standing == Standing::Falls);
    let unseen =
        fell.filter(|first| !order.nodes.iter().any(|node| node.author == Author::Referee && node.has_in_past(first)));
    unseen.map(|first| first.id()).chain([letter]).map(Ruled::Settle).collect()
}

/// Returns the letter that a ruling which settles a fork must have seen: the letter that it names or, if that one
/// counts, the last one after it.
pub(super) fn settled<'a>(order: &'a Order, body: &Body) -> Option<&'a Verified> {
    let Body::Ruling(Ruling { rule: Ruled::Settle(letter), .. }) = body else { return None };
    let forks = Forked::all(order);
    let fork = forks.iter().find(|fork| fork.firsts.iter().any(|first| first.id() == *letter))?;
    let first = fork.firsts.iter().find(|first| first.id() == *letter)?;
    match first.standing {
        Standing::Stands => order.last_of(fork.author).map(|node| &node.message),
        _ => Some(&first.message),
    }
}
