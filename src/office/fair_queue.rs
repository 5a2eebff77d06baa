//! A queue in which the client that has used the least processor time lately comes first. This module is pure: the time
//! and the cost of work are passed in as values.

use std::{collections::HashMap, hash::Hash, time::Duration};

/// How many seconds it takes to forget one second of use. In the long run, a client is charged only for what it uses
/// beyond a quarter of a core.
const FORGOTTEN_IN: u32 = 4;
/// The maximum use that is remembered for a client. All of it is forgotten after a minute.
const REMEMBERED: Duration = Duration::from_secs(15);
/// A client that has used less than this lately needs no turn for short work.
const MODEST: Duration = Duration::from_millis(200);
/// The maximum number of pieces of work in progress for each turn, including pieces that have outlasted their turn.
const OVERTIME: usize = 8;

/// The client that wants work done, and the box that the work is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Who<C, B> {
    pub(super) client: C,
    /// The box that the work is for; `None` for reading a text.
    pub(super) game: Option<B>,
}

/// The rules for giving out turns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// The number of turns.
    pub(super) turns: usize,
    /// The length of a turn. Longer work goes on, but its turn is given out again.
    pub(super) slice: Duration,
    /// The maximum number of texts that are read at once, because each takes memory. Texts that have outlasted their
    /// turns count too.
    pub(super) readings: usize,
    /// The maximum work that may wait for one client, by its expected cost. One piece may always wait.
    pub(super) waiting: Duration,
    /// The maximum number of pieces of work that may wait, for all clients together.
    pub(super) pieces: usize,
}

/// The recent use by each client or box, and the time at which it was last counted.
#[derive(Debug)]
struct Used<K>(HashMap<K, (Duration, Duration)>);

impl<K: Eq + Hash> Used<K> {
    fn of(&self, key: &K, now: Duration) -> Duration {
        let (used, then) = self.0.get(key).copied().unwrap_or_default();
        used.saturating_sub(now.saturating_sub(then) / FORGOTTEN_IN)
    }

    fn add(&mut self, key: K, cost: Duration, now: Duration) {
        let used = self.of(&key, now).saturating_add(cost).min(REMEMBERED);
        self.0.insert(key, (used, now));
    }

    fn forget(&mut self, now: Duration) {
        self.0.retain(|_, (used, then)| *used > now.saturating_sub(*then) / FORGOTTEN_IN);
    }
}

/// A piece of work, waiting or begun.
#[derive(Debug)]
struct Piece<C, B> {
    ticket: u64,
    who: Who<C, B>,
    expected: Duration,
    begun: Duration,
}

/// Waiting work, and work that has a turn.
#[derive(Debug)]
pub(super) struct Queue<C, B> {
    rules: Rules,
    clients: Used<C>,
    boxes: Used<B>,
    /// The waiting pieces, in order of arrival.
    waiting: Vec<Piece<C, B>>,
    working: Vec<Piece<C, B>>,
    next: u64,
}

impl<C: Copy + Eq + Hash, B: Copy + Eq + Hash> Queue<C, B> {
    pub(super) fn new(rules: Rules) -> Self {
        let (clients, boxes) = (Used(HashMap::new()), Used(HashMap::new()));
        Self { rules, clients, boxes, waiting: Vec::new(), working: Vec::new(), next: 0 }
    }

    /// Asks for a turn, and returns a ticket for it. Returns `None` if too much work is waiting already.
    pub(super) fn ask(&mut self, who: Who<C, B>, expected: Duration, now: Duration) -> Option<u64> {
        let own = self.waiting.iter().filter(|piece| piece.who.client == who.client);
        let (count, own) =
            own.fold((0, expected), |(count, sum): (usize, Duration), piece| (count + 1, sum + piece.expected));
        // A client below its limit of pieces in progress may wait for one more turn, whatever it costs.
        let has_room =
            (count == 0 && self.held_by(&who.client) < self.most(&who.client, now)) || own <= self.rules.waiting;
        (has_room && self.waiting.len() < self.rules.pieces).then(|| self.enter(who, expected))
    }

    /// Asks for a turn for work that must be done, without checking for room.
    pub(super) fn enter(&mut self, who: Who<C, B>, expected: Duration) -> u64 {
        self.next += 1;
        self.waiting.push(Piece { ticket: self.next, who, expected, begun: Duration::ZERO });
        self.next
    }

    fn held_by(&self, client: &C) -> usize {
        self.working.iter().filter(|piece| piece.who.client == *client).count()
    }

    /// Returns how many pieces from one client may be in progress at once. A heavy user never gets all of several
    /// turns, so that others find a free one.
    fn most(&self, client: &C, now: Duration) -> usize {
        if self.is_modest(client, now) { self.rules.turns } else { self.rules.turns.saturating_sub(1).max(1) }
    }

    /// Whether a client has used so little lately that short work needs no turn.
    pub(super) fn is_modest(&self, client: &C, now: Duration) -> bool {
        self.clients.of(client, now) < MODEST
    }

    /// Gives out the next turn, if one is free and work is waiting.
    pub(super) fn begin(&mut self, now: Duration) -> Option<u64> {
        let fresh = |piece: &&Piece<C, B>| now.saturating_sub(piece.begun) < self.rules.slice;
        let held = self.working.iter().filter(fresh).count();
        if held >= self.rules.turns || self.working.len() >= self.rules.turns * OVERTIME {
            return None;
        }
        let is_reading = |piece: &Piece<C, B>| piece.who.game.is_none();
        let readings = self.working.iter().filter(|piece| is_reading(piece)).count();
        let rank = |(place, piece): (usize, &Piece<C, B>)| {
            if is_reading(piece) && readings >= self.rules.readings {
                return None;
            }
            let held = self.held_by(&piece.who.client);
            let client = self.clients.of(&piece.who.client, now);
            let game = piece.who.game.map_or(Duration::ZERO, |game| self.boxes.of(&game, now));
            (held < self.most(&piece.who.client, now)).then_some((held, client.max(game), game, place))
        };
        let (.., place) = self.waiting.iter().enumerate().filter_map(rank).min()?;
        let piece = self.waiting.remove(place);
        let ticket = piece.ticket;
        self.working.push(Piece { begun: now, ..piece });
        Some(ticket)
    }

    /// Ends a piece of work and charges its cost, or drops a waiting piece that nobody wants any more.
    pub(super) fn end(&mut self, ticket: u64, cost: Duration, now: Duration) {
        self.waiting.retain(|piece| piece.ticket != ticket);
        if let Some(place) = self.working.iter().position(|piece| piece.ticket == ticket) {
            let piece = self.working.swap_remove(place);
            self.charge(piece.who, cost, now);
        }
    }

    /// Charges the cost of work to its client and its box.
    pub(super) fn charge(&mut self, who: Who<C, B>, cost: Duration, now: Duration) {
        self.clients.add(who.client, cost, now);
        if let Some(game) = who.game {
            self.boxes.add(game, cost, now);
        }
    }

    /// Forgets clients and boxes without remembered use.
    pub(super) fn forget(&mut self, now: Duration) {
        self.clients.forget(now);
        self.boxes.forget(now);
    }

    /// Returns the number of waiting pieces of work, and of those in progress.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.waiting.len(), self.working.len())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RULES: Rules = Rules {
        turns: 2,
        slice: Duration::from_millis(20),
        readings: usize::MAX,
        waiting: Duration::from_secs(2),
        pieces: usize::MAX,
    };
    const NOW: Duration = Duration::ZERO;

    fn of(client: u8) -> Who<u8, u8> {
        Who { client, game: None }
    }

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    /// An event in a simulated run: a client asks for a turn, or the work of a turn ends.
    #[derive(Clone, Copy, Debug)]
    enum Event {
        Asks(u8, u64),
        Ends(usize),
    }

    fn event() -> impl Strategy<Value = Event> {
        prop_oneof![
            (0..5_u8, 1..70_u64).prop_map(|(client, cost)| Event::Asks(client, cost)),
            any::<prop::sample::Index>().prop_map(|which| Event::Ends(which.index(8))),
        ]
    }

    proptest! {
        /// While a client's only piece of work waits, no other client begins more work than its lead (how much less it
        /// had used) plus one piece.
        #[test]
        fn nobody_waits_for_more_of_others_work_than_one_piece_each(
            events in prop::collection::vec(event(), 1..200), turns in 1..4_usize, readings in 1..4_usize,
            before in prop::array::uniform5(0..1_000_u64)
        ) {
            let mut queue: Queue<u8, u8> = Queue::new(Rules { turns, readings, ..RULES });
            (0..5).zip(before).for_each(|(client, used)| queue.charge(of(client), ms(used), NOW));
            let used = |queue: &Queue<u8, u8>, client| queue.clients.of(&client, NOW);
            // The client and the cost of each ticket. For each ticket that is its client's only one: the work that each
            // other client may begin before it, and the work that it has begun.
            let mut all: HashMap<u64, (u8, u64)> = HashMap::new();
            let mut waits: HashMap<u64, HashMap<u8, (Duration, Duration)>> = HashMap::new();
            let mut working: Vec<u64> = Vec::new();
            for event in events {
                match event {
                    Event::Asks(client, cost) => {
                        let is_alone = queue.waiting.iter().chain(&queue.working).all(|piece| piece.who.client != client);
                        let ticket = queue.enter(of(client), ms(cost));
                        all.insert(ticket, (client, cost));
                        let lead = |other| used(&queue, client).saturating_sub(used(&queue, other)) + ms(70);
                        let others = (0..5).filter(|other| *other != client).map(|other| (other, (lead(other), NOW)));
                        waits.extend(is_alone.then(|| (ticket, others.collect())));
                    }
                    Event::Ends(which) if !working.is_empty() => {
                        let ticket = working.remove(which % working.len());
                        queue.end(ticket, ms(all[&ticket].1), NOW);
                    }
                    Event::Ends(_) => {}
                }
                while let Some(ticket) = queue.begin(NOW) {
                    let (client, cost) = all[&ticket];
                    working.push(ticket);
                    waits.remove(&ticket);
                    for (most, begun) in waits.values_mut().filter_map(|others| others.get_mut(&client)) {
                        *begun += ms(cost);
                        prop_assert!(*begun <= *most, "{begun:?} of {client} is more than {most:?}");
                    }
                    let own = working.iter().filter(|ticket| all[ticket].0 == client).count();
                    prop_assert!(own <= queue.most(&client, NOW) && working.len() <= turns.min(readings));
                }
                // No turn stays unused if a waiting client could take it.
                let free = |piece: &Piece<u8, u8>| queue.held_by(&piece.who.client) < queue.most(&piece.who.client, NOW);
                prop_assert!(working.len() == turns.min(readings) || !queue.waiting.iter().any(free));
            }
        }
    }

    #[test]
    fn work_that_outlasts_its_turn_keeps_nobody_waiting() {
        let mut queue: Queue<u8, u8> = Queue::new(RULES);
        let tickets: Vec<u64> = (0..3).map(|client| queue.enter(of(client), ms(1))).collect();
        assert_eq!([queue.begin(NOW), queue.begin(NOW), queue.begin(NOW)], [Some(tickets[0]), Some(tickets[1]), None]);
        assert_eq!(queue.begin(ms(19)), None);
        assert_eq!(queue.begin(ms(20)), Some(tickets[2]));
        // The number of pieces in progress is limited.
        let more = (3..90).map(|client| queue.enter(of(client), ms(1))).collect::<Vec<_>>();
        let begun =
            (2..90).flat_map(|round| queue.begin(ms(20 * round)).into_iter().chain(queue.begin(ms(20 * round))));
        assert_eq!(begun.count(), 2 * OVERTIME - 3, "{more:?}");
    }

    #[test]
    fn few_texts_are_read_at_once_however_long_they_take_and_boxes_have_their_turns_beside_them() {
        let mut queue: Queue<u8, u8> = Queue::new(Rules { turns: 4, readings: 2, ..RULES });
        let texts: Vec<u64> = (0..5).map(|client| queue.enter(of(client), ms(900))).collect();
        assert_eq!([queue.begin(NOW), queue.begin(NOW), queue.begin(NOW)], [Some(texts[0]), Some(texts[1]), None]);
        assert_eq!(queue.begin(ms(60_000)), None, "a text that outlasts its turn is still being read");
        // Work on a box begins beside them, even for a client that has used much.
        queue.charge(of(9), ms(15_000), ms(60_000));
        let game = queue.enter(Who { client: 9, game: Some(1) }, ms(900));
        assert_eq!([queue.begin(ms(60_000)), queue.begin(ms(60_000))], [Some(game), None]);
        // A text that ends makes room for one more. A text whose client hangs up before its turn makes no room.
        queue.end(texts[0], ms(900), ms(60_000));
        queue.end(texts[2], Duration::ZERO, ms(60_000));
        assert_eq!([queue.begin(ms(60_000)), queue.begin(ms(90_000))], [Some(texts[3]), None]);
        assert_eq!(queue.counts(), (1, 3));
    }

    #[test]
    fn of_one_clients_boxes_the_cheap_come_first_and_a_dear_box_is_dear_for_all() {
        let mut queue: Queue<u8, u8> = Queue::new(Rules { turns: 1, ..RULES });
        let at = |client, game| Who { client, game: Some(game) };
        queue.charge(at(1, 1), ms(500), NOW);
        let dear = queue.enter(at(1, 1), ms(500));
        let cheap = queue.enter(at(1, 2), ms(1));
        let same = queue.enter(at(2, 1), ms(500));
        let other = queue.enter(at(3, 3), ms(1));
        let order: Vec<u64> = std::iter::from_fn(|| {
            let ticket = queue.begin(NOW)?;
            queue.end(ticket, Duration::ZERO, NOW);
            Some(ticket)
        })
        .collect();
        assert_eq!(order, [other, cheap, dear, same]);
        // A minute later all of it is forgotten.
        queue.charge(at(1, 1), ms(100_000), NOW);
        queue.forget(ms(59_999));
        assert!(!queue.clients.0.is_empty());
        queue.forget(ms(60_000));
        assert!(queue.clients.0.is_empty() && queue.boxes.0.is_empty());
    }

    #[test]
    fn what_waits_is_bounded_for_each_and_for_all() {
        let mut queue: Queue<u8, u8> = Queue::new(Rules { pieces: 4, ..RULES });
        assert!(queue.ask(of(1), ms(60_000), NOW).is_some(), "one piece may always wait");
        assert!(queue.ask(of(1), ms(1), NOW).is_none());
        assert!(queue.ask(of(2), ms(1_500), NOW).is_some() && queue.ask(of(2), ms(501), NOW).is_none());
        let last = queue.ask(of(2), ms(500), NOW);
        assert!(queue.ask(of(3), ms(1), NOW).is_some());
        assert!(queue.ask(of(4), ms(1), NOW).is_none(), "four wait");
        // A client that no longer waits makes room.
        queue.end(last.expect("a ticket"), Duration::ZERO, NOW);
        assert!(queue.ask(of(4), ms(1), NOW).is_some());
        assert_eq!(queue.counts(), (4, 0));
    }
}
