//! Turns to work: what takes a moment is done where it is asked for; for the rest there are as many turns as cores.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use tokio::{sync::Semaphore, task::spawn_blocking};

use crate::keep::threads::cores;

/// Letters of so many bytes are looked through in a moment, about a millisecond: a change of threads would cost as much as a
/// small answer, and leave a core idle meanwhile.
const MOMENT: usize = 64 << 10;

/// Turns to work on letters. More at once than there are cores would only keep the writer of the store from its own.
#[derive(Clone, Debug)]
pub struct Turns(Arc<Semaphore>);

impl Default for Turns {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(cores())))
    }
}

impl Turns {
    /// Does work on letters of so many bytes, if they are many in its turn and on a thread that may take its time. `None` if
    /// the work panicked, which the program's panic hook has told, or the service is at its end.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        if bytes <= MOMENT {
            return catch_unwind(AssertUnwindSafe(work)).ok();
        }
        let turn = Arc::clone(&self.0).acquire_owned().await.ok()?;
        let worked = spawn_blocking(move || {
            let _turn = turn;
            work()
        });
        worked.await.ok()
    }
}
