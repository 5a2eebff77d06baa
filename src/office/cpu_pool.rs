//! Limits the work that takes processor time. Short work is done immediately; longer work waits for a turn, and there
//! are as many turns as cores. `fair_queue` decides which work comes next.

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

/// The maximum number of bytes of letters that can usually be processed in a moment ([`MOMENT`]).
const FEW: usize = 64 << 10;
/// The length of a moment, and the time after which a turn is given out again.
const MOMENT: Duration = Duration::from_millis(20);
/// The number of bytes usually processed in a microsecond.
const PACE: u64 = 32;
/// The maximum number of long texts that are read at once, on any number of cores. While it is read, a letter may take
/// seventy times its size in memory.
const READINGS: usize = 4;
/// The maximum number of pieces of work that may wait.
const PIECES: usize = 1024;
/// The longest wait of a request for a turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// The client that wants work done, by its address if known, and the box that the work is for.
pub(super) type Who = fair_queue::Who<Option<IpAddr>, Hex32>;

/// The turns for work on letters. More turns than cores would only slow down the thread that writes the store.
#[derive(Clone)]
pub struct CpuPool(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    begun: Instant,
}

struct State {
    queue: Queue<Option<IpAddr>, Hex32>,
    /// The channel on which each waiting piece of work receives its turn.
    told: HashMap<u64, oneshot::Sender<()>>,
    has_ended: bool,
}

/// The current load of the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Pieces of work that wait for a turn.
    pub waiting: usize,
    /// Pieces of work that have begun.
    pub working: usize,
}

/// How long work waits for a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// At most as long as a client waits for its answer, and only behind a limited amount of that client's work.
    Answer,
    /// Until the turn comes: the work must be done.
    Endless,
}

/// A turn, or the request for a turn. Dropping it gives the turn back, or withdraws the request.
pub(super) struct Turn {
    pool: CpuPool,
    ticket: u64,
    cost: Duration,
}

/// Estimates the time for work on letters with this many bytes.
pub(super) const fn expected(bytes: usize) -> Duration {
    Duration::from_micros(bytes as u64 / PACE)
}

/// Whether letters with this many bytes can be read in a moment.
pub(super) const fn are_few(bytes: usize) -> bool {
    bytes <= FEW
}

/// Returns how many long texts may be read at once. On machines with several cores, one core is left for letters in
/// boxes.
fn readings() -> usize {
    cores().saturating_sub(1).clamp(1, READINGS)
}

impl CpuPool {
    /// Makes as many turns as there are cores. `waiting` limits the total duration of one client's waiting work.
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

    /// Returns the current load.
    #[must_use]
    pub fn load(&self) -> Load {
        let (waiting, working) = self.state().0.queue.counts();
        Load { waiting, working }
    }

    /// Forgets clients without recent requests.
    pub(super) fn forget(&self) {
        let (mut state, now) = self.state();
        state.queue.forget(now);
    }

    /// Ends the pool: from now on, no work waits for a turn.
    pub(super) fn end(&self) {
        let (mut state, _) = self.state();
        state.has_ended = true;
        state.told.clear();
    }

    /// Whether a decision on letters can skip the queue: the letters have few bytes, the last decision was quick (it
    /// took `before`), and the client has used little processor time lately.
    pub(super) fn is_a_moment(&self, who: Who, bytes: usize, before: Duration) -> bool {
        let (state, now) = self.state();
        are_few(bytes) && before < MOMENT && state.queue.is_modest(&who.client, now)
    }

    /// Does short work on the current thread, because switching threads would take as long and leave a core idle
    /// meanwhile. Returns the result and its processor time, or `None` if the work panicked, which the program's panic
    /// hook has reported.
    pub(super) fn at_once<T>(&self, who: Who, work: impl FnOnce() -> T) -> Option<(T, Duration)> {
        let begun = ThreadTime::now();
        let done = catch_unwind(AssertUnwindSafe(work)).ok();
        let cost = begun.elapsed();
        let (mut state, now) = self.state();
        state.queue.charge(who, cost, now);
        done.map(|done| (done, cost))
    }

    /// Waits for a turn. Returns `None` if the turn does not come soon enough, if too much work is waiting already, or
    /// if the service ends.
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
    /// Does long work on a separate thread. Returns the result and its processor time, or `None` if the work panicked
    /// or the service is ending.
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
