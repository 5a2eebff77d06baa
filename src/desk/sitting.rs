//! The unlocked key of one sitting: held in memory, and forgotten after some idle time or at a click.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use crate::{
    keep::{StorageError, key_file::KeyFile, root::Root},
    primitive::passphrase::Passphrase,
};

/// Time without any request after which the key is forgotten.
pub(super) const IDLE: Duration = Duration::from_mins(20);

/// Holds the key between requests.
#[derive(Default)]
pub(super) struct Sitting {
    held: Mutex<Option<Held>>,
    /// Held while a passphrase is stretched, which takes 64 MiB: one attempt at a time.
    stretching: Mutex<()>,
}

struct Held {
    root: Root,
    /// The time of the last use, on the clock that goes on while the machine sleeps.
    used: SystemTime,
}

impl Sitting {
    fn held(&self) -> MutexGuard<'_, Option<Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Unlocks the key file and holds its secret.
    ///
    /// # Errors
    /// Same errors as [`KeyFile::root`].
    pub(super) fn unlock(&self, file: &KeyFile, passphrase: Option<&Passphrase>) -> Result<(), StorageError> {
        let turn = self.stretching.lock().unwrap_or_else(PoisonError::into_inner);
        let root = file.root(passphrase)?;
        drop(turn);
        *self.held() = Some(Held { root, used: SystemTime::now() });
        Ok(())
    }

    /// Forgets the key.
    pub(super) fn lock(&self) {
        *self.held() = None;
    }

    /// Returns the secret if it is unlocked, and restarts the idle time.
    pub(super) fn root(&self) -> Option<Root> {
        let mut held = self.held();
        forget_idle(&mut held);
        let held = held.as_mut()?;
        held.used = SystemTime::now();
        Some(held.root.clone())
    }

    /// Whether the key is unlocked.
    pub(super) fn is_open(&self) -> bool {
        let mut held = self.held();
        forget_idle(&mut held);
        held.is_some()
    }
}

fn forget_idle(held: &mut Option<Held>) {
    // If the clock was set back, nobody knows how long the key was idle.
    if held.as_ref().is_some_and(|held| held.used.elapsed().map_or(true, |idle| idle >= IDLE)) {
        *held = None;
    }
}
