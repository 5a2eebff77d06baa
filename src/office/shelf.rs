//! The boxes that an office has in memory, and what they take there.

use std::{sync::Arc, time::Duration};

use lru::LruCache;
use tokio::sync::Mutex as AsyncMutex;

use super::pile::Pile;
use crate::blob::Hex32;

/// How much more a letter takes in memory than its frame has bytes, roughly.
pub(super) const PARSED: usize = 3;
/// Further bytes of memory for each byte of a letter's frame, roughly, while the replay of its game is kept.
const KEPT: usize = 4;
/// What a box takes in memory beside its letters, in bytes, roughly.
pub(super) const BOX: usize = 8 << 10;
/// A box in memory: none until it is read.
pub(super) type Shelved = Arc<AsyncMutex<Option<Shelf>>>;

pub(super) struct Shelf {
    pub(super) pile: Pile,
    pub(super) restored: bool,
    /// What the last decision has cost: a few letters may say much.
    pub(super) cost: Duration,
}

/// The boxes in memory, each with what it takes there; the longest unused first to go.
pub(super) struct Piles {
    pub(super) boxes: LruCache<Hex32, (Shelved, usize)>,
    pub(super) bytes: usize,
}

impl Piles {
    pub(super) fn get(&mut self, game: &Hex32) -> Option<Shelved> {
        self.boxes.get(game).map(|(shelved, _)| shelved.clone())
    }

    pub(super) fn get_or_make(&mut self, game: Hex32) -> Shelved {
        self.boxes.get_or_insert(game, || (Shelved::default(), 0)).0.clone()
    }

    /// Notes what a box takes, and lets go of others while all take more than they may.
    pub(super) fn weigh(&mut self, game: &Hex32, bytes: usize, most: usize) {
        if let Some((_, weight)) = self.boxes.peek_mut(game) {
            self.bytes = self.bytes - *weight + bytes;
            *weight = bytes;
        }
        while self.bytes > most {
            let Some((_, (_, weight))) = self.boxes.pop_lru() else { return };
            self.bytes -= weight;
        }
    }
}

/// What a box takes in memory, in bytes, roughly.
pub(super) fn weight(pile: &Pile) -> usize {
    pile.bytes() * if pile.is_held() { PARSED + KEPT } else { PARSED } + BOX
}

/// What letters with so many bytes take in memory, in kilobytes, and a little more.
pub(super) fn kilobytes(bytes: usize) -> u32 {
    u32::try_from(bytes / 1024 + 1).unwrap_or(u32::MAX)
}
