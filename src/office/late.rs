//! Boxes with letters that were taken but still wait for their turn.

use std::{
    collections::{HashMap, VecDeque},
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

use crate::blob::Hex32;

/// The boxes that wait. Each is listed once, with the address that the work is charged to.
#[derive(Debug, Default)]
pub(super) struct Late {
    boxes: Mutex<Boxes>,
    added: Notify,
}

#[derive(Debug, Default)]
struct Boxes {
    /// The address whose letters wait, for each box. For a box that is being worked on, it is the address of letters
    /// that arrived meanwhile.
    waiting: HashMap<Hex32, Option<IpAddr>>,
    next: VecDeque<Hex32>,
    working: HashMap<Hex32, Option<IpAddr>>,
}

impl Late {
    fn boxes(&self) -> MutexGuard<'_, Boxes> {
        self.boxes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that letters in a box wait.
    pub(super) fn add(&self, game: Hex32, address: Option<IpAddr>) {
        let mut boxes = self.boxes();
        let is_new = boxes.waiting.insert(game, address).is_none();
        if is_new && !boxes.working.contains_key(&game) {
            boxes.next.push_back(game);
            self.added.notify_one();
        }
    }

    /// Waits for the next box to work on. Returns the box, and the address that the work is charged to.
    pub(super) async fn next(&self) -> (Hex32, Option<IpAddr>) {
        loop {
            let found = {
                let mut boxes = self.boxes();
                let game = boxes.next.pop_front();
                game.and_then(|game| {
                    let address = boxes.waiting.remove(&game)?;
                    boxes.working.insert(game, address);
                    Some((game, address))
                })
            };
            match found {
                Some(found) => return found,
                None => self.added.notified().await,
            }
        }
    }

    /// Records that work on a box is done. If letters arrived meanwhile, the box waits again.
    pub(super) fn done(&self, game: Hex32) {
        let mut boxes = self.boxes();
        boxes.working.remove(&game);
        if boxes.waiting.contains_key(&game) {
            boxes.next.push_back(game);
            self.added.notify_one();
        }
    }

    /// Returns the number of boxes that wait or are worked on.
    pub(super) fn count(&self) -> usize {
        let boxes = self.boxes();
        boxes.next.len() + boxes.working.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_box_is_worked_on_once_at_a_time_and_again_for_what_came_meanwhile() {
        let (late, one, other) = (Late::default(), Hex32([1; 32]), Hex32([2; 32]));
        for game in [one, other, one] {
            late.add(game, None);
        }
        assert_eq!((late.next().await.0, late.next().await.0, late.count()), (one, other, 2));
        late.add(one, None);
        assert!(late.boxes().next.is_empty(), "it is being worked on");
        late.done(one);
        assert_eq!(late.next().await.0, one);
        late.done(one);
        late.done(other);
        assert_eq!(late.count(), 0);
    }
}
