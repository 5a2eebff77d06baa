//! Work that is shared among the machine's cores, with results that do not depend on the number of cores.

use std::{num::NonZero, panic, thread};

/// Returns the number of threads worth starting: one for each core.
#[must_use]
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Splits a list into one share per thread, and joins the results in order.
pub fn in_parallel<'a, T: Sync, R: Send>(
    items: &'a [T],
    threads: usize,
    work: impl Fn(&'a [T]) -> Vec<R> + Sync,
) -> Vec<R> {
    let share = items.len().div_ceil(threads.max(1)).max(1);
    let mut shares = items.chunks(share);
    // The first share is processed on this thread.
    let first = shares.next().unwrap_or_default();
    let work = &work;
    thread::scope(|scope| {
        let threads: Vec<_> = shares.map(|share| scope.spawn(move || work(share))).collect();
        let mut done = work(first);
        for thread in threads {
            done.extend(thread.join().unwrap_or_else(|panic| panic::resume_unwind(panic)));
        }
        done
    })
}
