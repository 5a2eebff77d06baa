//! Limits work that takes the processor: short work is done where it is asked for, longer work waits for one of as many
//! turns as there are cores. `fair_queue` says who comes next.

use std::{
    collections::HashMap,
    net::IpAddr,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use cpu_time::ThreadTime;
use tokio::{sync::oneshot, task::spawn_blocking, time::sleep};

use super::fair_queue::{self, Queue, Rules};
use crate::{blob::Hex32, keep::threads::cores};

/// Most bytes of letters that are looked through in a moment, as a rule.
const FEW: usize = 64 << 10;
/// How long a moment is, and how long a turn counts.
const MOMENT: Duration = Duration::from_millis(20);
/// How much is looked through in a microsecond, in bytes, as a rule.
const PACE: u64 = 32;
/// Most long texts that are read at once, on however many cores: meanwhile a letter may take seventy times its size.
const READINGS: usize = 4;
/// Most pieces of work that wait.
const PIECES: usize = 1024;
/// How long a request waits for a turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// Who wants work done: an address, if it is known, and a box.
pub(super) type Who = fair_queue::Who<Option<IpAddr>, Hex32>;

/// The turns to work on letters. More of them than cores would only keep the writer of the store from its own work.
#[derive(Clone)]
pub struct CpuPool(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    begun: Instant,
}

struct State {
    queue: Queue<Option<IpAddr>, Hex32>,
    /// Where each that waits hears of its turn.
    told: HashMap<u64, oneshot::Sender<()>>,
    has_ended: bool,
}

/// What there is to do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Pieces of work that wait for a turn.
    pub waiting: usize,
    /// Pieces of work that have begun.
    pub working: usize,
}

/// How long somebody waits for a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// As long as a client waits for its answer, and only behind so much work of its own.
    Answer,
    /// Until it has come: the work must be done.
    Endless,
}

/// A turn, or the hope of one: given back when it is dropped.
pub(super) struct Turn {
    pool: CpuPool,
    ticket: u64,
    cost: Duration,
}

/// What work on letters of so many bytes takes, as a rule.
pub(super) const fn expected(bytes: usize) -> Duration {
    Duration::from_micros(bytes as u64 / PACE)
}

/// Whether so many bytes of letters are read in a moment.
pub(super) const fn are_few(bytes: usize) -> bool {
    bytes <= FEW
}

/// How many long texts are read at once: a core is left for letters of boxes, where there are more.
fn readings() -> usize {
    cores().saturating_sub(1).clamp(1, READINGS)
}

impl CpuPool {
    /// As many as there are cores. Of one client work waits that takes so long, and no more.
    #[must_use]
    pub fn of(waiting: Duration) -> Self {
        let rules = Rules { turns: cores(), slice: MOMENT, readings: readings(), waiting, pieces: PIECES };
        let queue = Queue::new(rules);
        let state = Mutex::new(State { queue, told: HashMap::new(), has_ended: false });
        Self(Arc::new(Shared { state, begun: Instant::now() }))
    }

    fn state(&self) -> (MutexGuard<'_, State>, Duration) {
        (self.0.state.lock().unwrap_or_else(PoisonError::into_inner), self.0.begun.elapsed())
    }

    /// How much there is to do.
    #[must_use]
    pub fn load(&self) -> Load {
        let (waiting, working) = self.state().0.queue.counts();
        Load { waiting, working }
    }

    /// Forgets clients that have asked for nothing of late.
    pub(super) fn forget(&self) {
        let (mut state, now) = self.state();
        state.queue.forget(now);
    }

    /// The service ends: nobody waits for a turn any more.
    pub(super) fn end(&self) {
        let (mut state, _) = self.state();
        state.has_ended = true;
        state.told.clear();
    }

    /// Whether somebody's decision on so many bytes of letters, which took so long before, needs no turn: it takes a
    /// moment, and the client has used little of late.
    pub(super) fn is_a_moment(&self, who: Who, bytes: usize, before: Duration) -> bool {
        let (state, now) = self.state();
        are_few(bytes) && before < MOMENT && state.queue.is_modest(&who.client, now)
    }

    /// Does what takes a moment where it is: a change of threads would take as long and leave a core idle meanwhile.
    /// What it has cost comes along. `None` if the work panicked, which the program's panic hook has told.
    pub(super) fn at_once<T>(&self, who: Who, work: impl FnOnce() -> T) -> Option<(T, Duration)> {
        let begun = ThreadTime::now();
        let done = catch_unwind(AssertUnwindSafe(work)).ok();
        let cost = begun.elapsed();
        let (mut state, now) = self.state();
        state.queue.charge(who, cost, now);
        done.map(|done| (done, cost))
    }

    /// Waits for a turn. None if it does not come soon enough, or more waits already than may; or the service ends.
    pub(super) async fn turn(&self, who: Who, expected: Duration, patience: Patience) -> Option<Turn> {
        let (turn, mut hears) = {
            let (mut state, now) = self.state();
            if state.has_ended {
                return None;
            }
            let ticket = match patience {
                Patience::Answer => state.queue.ask(who, expected, now)?,
                Patience::Endless => state.queue.enter(who, expected),
            };
            let (tells, hears) = oneshot::channel();
            state.told.insert(ticket, tells);
            (Turn { pool: self.clone(), ticket, cost: Duration::ZERO }, hears)
        };
        self.give_out();
        let comes = async {
            loop {
                tokio::select! {
                    told = &mut hears => return told.is_ok(),
                    // A turn that has lasted long is given out again.
                    () = sleep(MOMENT) => self.give_out(),
                }
            }
        };
        let has_come = match patience {
            Patience::Answer => tokio::time::timeout(PATIENCE, comes).await.unwrap_or(false),
            Patience::Endless => comes.await,
        };
        has_come.then_some(turn)
    }

    fn give_out(&self) {
        let (mut state, now) = self.state();
        while let Some(ticket) = state.queue.begin(now) {
            let told = state.told.remove(&ticket);
            if told.is_none_or(|told| told.send(()).is_err()) {
                state.queue.end(ticket, Duration::ZERO, now);
            }
        }
    }
}

impl Turn {
    /// Does work on a thread that may take its time, and tells what it has cost. `None` if it panicked, or the service
    /// is at its end.
    pub(super) async fn work<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<(T, Duration)> {
        let worked = spawn_blocking(move || {
            let mut turn = self;
            let begun = ThreadTime::now();
            let done = work();
            turn.cost = begun.elapsed();
            (done, turn.cost)
        });
        worked.await.ok()
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let (mut state, now) = self.pool.state();
        state.told.remove(&self.ticket);
        state.queue.end(self.ticket, self.cost, now);
        drop(state);
        self.pool.give_out();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn of(client: u8, game: Option<Hex32>) -> Who {
        Who { client: Some([127, 0, 0, client].into()), game }
    }

    #[tokio::test]
    async fn a_short_text_and_a_box_do_not_wait_for_long_texts() {
        let pool = CpuPool::of(Duration::from_secs(2));
        let reads = |client| pool.turn(of(client, None), Duration::from_secs(1), Patience::Answer);
        let mut held = Vec::new();
        for client in (1..).take(readings()) {
            held.push(reads(client).await.expect("a turn to read"));
        }
        assert!(pool.at_once(of(100, None), || ()).is_some(), "a short text is read beside them");
        let decides = pool.turn(of(100, Some(Hex32([1; 32]))), Duration::from_secs(1), Patience::Answer);
        drop(decides.await.expect("a turn for a box"));
        assert!(reads(101).now_or_never().is_none(), "no more are read at once");
        assert_eq!(pool.load(), Load { waiting: 0, working: readings() }, "who hangs up does not wait");
        held.pop();
        assert!(reads(101).await.is_some());
    }
}
