//! Notifies clients that wait for new letters in a box.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;

use crate::blob::Hex32;

/// The clients that wait for new letters, by the id of the box.
#[derive(Clone, Debug, Default)]
pub struct Notifier(Arc<Mutex<HashMap<Hex32, watch::Sender<u64>>>>);

impl Notifier {
    fn boxes(&self) -> MutexGuard<'_, HashMap<Hex32, watch::Sender<u64>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a receiver that learns of new letters in a box from now on. Each change increments its value.
    #[must_use]
    pub fn listen(&self, game: Hex32) -> watch::Receiver<u64> {
        self.boxes().entry(game).or_insert_with(|| watch::channel(0).0).subscribe()
    }

    /// Records that a client is about to stop waiting for a box.
    pub fn leave(&self, game: &Hex32) {
        let mut boxes = self.boxes();
        if boxes.get(game).is_some_and(|told| told.receiver_count() <= 1) {
            boxes.remove(game);
        }
    }

    /// Announces new letters in a box.
    pub fn tell(&self, game: &Hex32) {
        let mut boxes = self.boxes();
        let Some(told) = boxes.get(game) else { return };
        if told.receiver_count() == 0 {
            boxes.remove(game);
        } else {
            told.send_modify(|changes| *changes += 1);
        }
    }
}
