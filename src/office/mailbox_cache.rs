//! A cache of boxes: the boxes that an office has in memory, and the bytes that each takes there.

use std::{sync::Arc, time::Duration};

use lru::LruCache;
use tokio::sync::Mutex as AsyncMutex;

use super::mailbox::Mailbox;
use crate::blob::Hex32;

/// The approximate memory for each byte of a letter's frame, in bytes.
pub(super) const PARSED: usize = 3;
/// The approximate additional memory for each byte of a letter's frame while the replayed state of its game is kept, in
/// bytes.
const KEPT: usize = 4;
/// The approximate memory for a box in addition to its letters, in bytes.
pub(super) const BOX: usize = 8 << 10;
/// The place of a box in memory: empty until the box is read.
pub(super) type MailboxSlot = Arc<AsyncMutex<Option<CachedMailbox>>>;

/// A box that was read into memory.
pub(super) struct CachedMailbox {
    pub(super) mailbox: Mailbox,
    pub(super) restored: bool,
    /// The processor time of the last decision. Even a few letters may take long.
    pub(super) cost: Duration,
}

/// The boxes in memory, each with its size in bytes. The box that was unused for longest is dropped first.
pub(super) struct MailboxCache {
    pub(super) boxes: LruCache<Hex32, (MailboxSlot, usize)>,
    pub(super) bytes: usize,
}

impl MailboxCache {
    pub(super) fn get(&mut self, game: &Hex32) -> Option<MailboxSlot> {
        self.boxes.get(game).map(|(slot, _)| slot.clone())
    }

    pub(super) fn get_or_make(&mut self, game: Hex32) -> MailboxSlot {
        self.boxes.get_or_insert(game, || (MailboxSlot::default(), 0)).0.clone()
    }

    /// Notes the size of a box, and drops the boxes that were unused for longest until the total is at most `most`
    /// bytes.
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

/// Estimates the memory that a box takes, in bytes.
pub(super) fn weight(mailbox: &Mailbox) -> usize {
    mailbox.bytes() * if mailbox.is_held() { PARSED + KEPT } else { PARSED } + BOX
}

/// Estimates the memory for letters with this many bytes, in kilobytes, rounded up.
pub(super) fn kilobytes(bytes: usize) -> u32 {
    u32::try_from(bytes / 1024 + 1).unwrap_or(u32::MAX)
}
