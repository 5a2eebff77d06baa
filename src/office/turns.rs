//! Turns to work: what takes a moment is done where it is asked for; for the rest there are as many turns as cores.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use tokio::{sync::Semaphore, task::spawn_blocking};

use crate::keep::threads::cores;

/// Most bytes of letters that are looked through in a moment, as a rule.
const FEW: usize = 64 << 10;

/// Turns to work on letters. More at once than there are cores would only keep the writer of the store from its own.
#[derive(Clone, Debug)]
pub struct Turns(Arc<Semaphore>);

impl Default for Turns {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(cores())))
    }
}

/// Whether letters of so many bytes are looked through in a moment, about a millisecond, as a rule.
pub(super) const fn are_few(bytes: usize) -> bool {
    bytes <= FEW
}

impl Turns {
    /// Does work: what takes a moment where it is, for a change of threads would take as long and leave a core idle meanwhile;
    /// the rest in its turn, on a thread that may take its time. `None` if the work panicked, which the program's panic hook
    /// has told, or the service is at its end.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        takes_a_moment: bool,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        if takes_a_moment {
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
