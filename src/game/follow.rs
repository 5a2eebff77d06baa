//! Which letters of another a player may follow: none beyond the player's own answer that does not know it
//! (`protocol/keys.md` 10).

use std::collections::{HashMap, HashSet};

use super::{
    charter::{Author, Player, Terms},
    ledger::Ledger,
    order::{Node, Order, Standing, goes_on},
};
use crate::blob::{Body, body::Hex32, new_keys::Resync};

/// What a party may follow of another's letters.
struct Following<'n, 'a> {
    /// The party's answers to the other that count, each with the other's last letter that it had seen.
    answers: Vec<(&'n Node<'a>, Option<&'n Node<'a>>)>,
    /// The last of the other's letters that stand and may be followed.
    last: Option<&'n Node<'a>>,
}

impl<'n, 'a> Following<'n, 'a> {
    fn of(nodes: &HashMap<Hex32, &'n Node<'a>>, terms: &Terms, me: Author, other: Author) -> Self {
        let stands = |by: Author| {
            let letters = nodes.values().copied();
            letters.filter(move |node| node.author == by && node.standing == Standing::Stands)
        };
        let role = terms.role_of(other);
        let answers = stands(me).filter(|node| {
            let answers =
                matches!(node.message.body(), Body::Resync(Resync::Answer(answer)) if Some(&answer.to) == role);
            answers && me.player().is_some() && node.breach.is_none()
        });
        let told = |answer: &Node<'_>| nodes.get(&answer.message.head().seen.get(role?)?).copied();
        let mut following = Self { answers: answers.map(|answer| (answer, told(answer))).collect(), last: None };
        let good = stands(other).filter(|node| !following.passes_by(node));
        following.last = good.max_by_key(|node| node.message.head().number);
        following
    }

    /// Whether a letter is beyond what one of the answers had seen, and does not know the answer.
    fn passes_by(&self, node: &Node<'_>) -> bool {
        let had_seen = |told: &Option<&Node<'_>>| told.is_some_and(|told| reaches(told, node));
        self.answers.iter().any(|(answer, told)| !had_seen(told) && !node.has_in_past(answer))
    }

    /// Whether a letter may be followed: itself, or by one behind it.
    fn may(&self, node: &Node<'_>) -> bool {
        !self.passes_by(node) || self.last.is_some_and(|last| reaches(last, node))
    }
}

fn reaches(last: &Node<'_>, node: &Node<'_>) -> bool {
    last.id() == node.id() || last.has_in_past(node)
}

impl Order<'_> {
    /// Leaves out what a player may not follow yet, with all that rests on it, and notes whose letters these are. What is
    /// reached through a letter of a third stays: the player's next letter knows it.
    pub fn leave_out(&mut self, terms: &Terms, me: Author) {
        if me.player().is_none() {
            return;
        }
        let nodes: HashMap<Hex32, &Node<'_>> = self.nodes.iter().map(|node| (node.id(), node)).collect();
        let others = terms.authors().map(|(author, _)| author).filter(|author| *author != me);
        let following: HashMap<Author, Following<'_, '_>> =
            others.map(|other| (other, Following::of(&nodes, terms, me, other))).collect();
        let is_beyond = |node: &&Node<'_>| {
            let may = following.get(&node.author).is_none_or(|following| following.may(node));
            node.standing == Standing::Stands && !may
        };
        let beyond: Vec<&Node<'_>> = self.nodes.iter().filter(is_beyond).collect();
        if beyond.is_empty() {
            return;
        }
        let mut unfollowed: Vec<(Author, u64)> =
            beyond.iter().map(|node| (node.author, node.message.head().number)).collect();
        unfollowed.sort_unstable();
        unfollowed.dedup_by_key(|(author, _)| *author);
        let own = self.nodes.iter().filter(|own| own.author == me && own.standing == Standing::Stands);
        let known: Vec<&Node<'_>> = following.values().filter_map(|following| following.last).chain(own).collect();
        let is_out = |node: &&Node<'_>| {
            let rests_on_it = beyond.iter().any(|beyond| reaches(node, beyond));
            rests_on_it && node.author != me && !known.iter().any(|known| reaches(known, node))
        };
        let out: HashSet<Hex32> = self.nodes.iter().filter(is_out).map(Node::id).collect();
        let left_out = self.nodes.iter().filter(|node| out.contains(&node.id())).map(|node| node.message);
        self.left_out = left_out.collect();
        self.nodes.retain(|node| !out.contains(&node.id()));
        self.unfollowed = unfollowed;
    }
}

impl<'a> Ledger<'a> {
    /// The last letter of an author that another may follow: none beyond the other's own answer that does not know it
    /// (keys 10).
    #[must_use]
    pub fn last_to_follow(&self, me: Author, other: Author) -> Option<&'a Node<'a>> {
        Following::of(&self.nodes, self.terms, me, other).last
    }

    /// The letter of another that a party's next letter has as `seen`: the last one to follow. Where a branch fell of which the
    /// party had seen more, it stays the one of the party's last letter, for a `seen` never goes back (chain 3).
    #[must_use]
    pub fn next_seen(&self, me: Author, other: Author) -> Option<Hex32> {
        let last = self.last_to_follow(me, other);
        let own = self.last_letter_of(me).map(|own| &own.message.head().seen);
        let before = own.zip(self.terms.role_of(other)).and_then(|(seen, role)| seen.get(role));
        let before = before.and_then(|id| self.nodes.get(&id).copied());
        let number = |node: Option<&Node<'_>>| node.map_or(0, |node| node.message.head().number);
        let at = |id: &Hex32| self.nodes.get(id).copied();
        let begins_anew = |node: &Node<'_>| node.begins_epoch() || me == Author::Office && self.begins_anew(node);
        let stays = number(last) < number(before) && !goes_on(last, before, at, begins_anew);
        if stays { before } else { last }.map(Node::id)
    }

    /// Whether a player goes on with a letter after a restore or under an admitted key (chain 3).
    fn begins_anew(&self, node: &Node<'_>) -> bool {
        let head = node.message.head();
        let Some(prev) = head.prev.and_then(|prev| self.nodes.get(&prev)) else { return false };
        let mut answers = self.nodes.values().filter(|answer| answer.breach.is_none() && answer.is_answer_to(node));
        node.author.player().is_some_and(|player| {
            self.grants.contains(&(player, prev.id(), node.message.key()))
                || answers.any(|answer| node.has_in_past(answer) && !prev.has_in_past(answer))
        })
    }

    /// Whether a party may follow a letter (keys 10).
    #[must_use]
    pub fn may_follow(&self, me: Author, letter: &Hex32) -> bool {
        let Some(node) = self.nodes.get(letter) else { return false };
        node.author == me || Following::of(&self.nodes, self.terms, me, node.author).may(node)
    }

    /// Whether the other player has answered this one's question, and may not follow this one's last letter, which does not
    /// know the answer.
    #[must_use]
    pub fn must_sign_again(&self, player: Player) -> bool {
        let last = self.last_letter(player);
        last.is_some_and(|last| !self.may_follow(Author::Player(player.other()), &last.id()))
    }

    /// Whether the other player has stopped, by a letter that this one may follow: then this one's close has the masters
    /// (close 1).
    #[must_use]
    pub fn answers_stop(&self, player: Player) -> bool {
        self.stops(player.other()).any(|stop| self.may_follow(Author::Player(player), &stop.id()))
    }
}
