//! Work that an office does while no client waits: it signs what is due for letters that were left over, and hands sets
//! back for its operator.

use std::{net::IpAddr, sync::Arc, time::Duration};

use super::{
    cpu_pool::{Patience, Who, expected},
    decision::Decision,
    posted::{PostError, now},
    rows::append,
    store::{Append, Appended},
};
use crate::{blob::Hex32, error::Error, game::steps::Letter};

use super::mailbox_service::{MailboxService, broken_off, tell_operator, took};

/// The delay after the start before the office does work that an earlier run has left.
const SOON: Duration = Duration::from_secs(1);
/// The delay before failed work is tried again.
const AGAIN: Duration = Duration::from_secs(5);

impl MailboxService {
    /// Works on letters that were taken without a turn, as long as the service runs. Letters that an earlier run has
    /// left come first (post 19).
    pub async fn work_off(self: Arc<Self>) {
        // Clients that waited for the office to start come first.
        tokio::time::sleep(SOON).await;
        let left = loop {
            match self.store.late().await {
                Ok(left) => break left,
                Err(fault) => {
                    tracing::error!(%fault, "cannot look up letters that wait for their turn; trying again");
                }
            }
            tokio::time::sleep(AGAIN).await;
        };
        left.into_iter().for_each(|game| self.late.add(game, None));
        loop {
            let (game, address) = self.late.next().await;
            let mailboxes = Arc::clone(&self);
            tokio::spawn(async move {
                while let Err(unposted) = mailboxes.catch_up(game, address).await {
                    match unposted {
                        PostError::Store(_) | PostError::Busy => tokio::time::sleep(AGAIN).await,
                        // The box stays marked as late, so that a later run tries again.
                        unposted => {
                            tracing::error!(%game, ?unposted, "cannot work on stored letters; restart the office");
                            break;
                        }
                    }
                }
                mailboxes.late.done(game);
            });
        }
    }

    /// Signs what is due for letters in a box that were taken without a turn.
    async fn catch_up(&self, game: Hex32, address: Option<IpAddr>) -> Result<(), PostError> {
        let who = Who { client: address, game: Some(game) };
        loop {
            let slot = self.slot(game).await?;
            let mut cached = Arc::clone(&slot).lock_owned().await;
            let _room = self.refresh(who, &mut cached).await?;
            let cost = cached.as_ref().map_or(Duration::ZERO, |held| held.cost.max(expected(held.mailbox.bytes())));
            // The box is not locked while this waits for its turn.
            drop(cached);
            let Some(turn) = self.pool.turn(who, cost, Patience::Endless).await else { return Err(PostError::Busy) };
            let Ok(mut cached) = Arc::clone(&slot).try_lock_owned() else {
                drop(turn);
                drop(slot.lock().await);
                continue;
            };
            // If the box waits for an epoch, everything due is signed after the epoch, which begins with the next
            // letter that is left in the box (post 17). The store may have been marked as restored while this waited
            // for its turn.
            if self.store.stand(game).await?.is_none_or(|stand| stand.restored) {
                return Ok(());
            }
            let keys = Arc::clone(&self.keys);
            let work = turn.work(move || {
                let decided = cached.as_mut().map(|held| {
                    let decided = held.mailbox.catch_up(&keys, now());
                    crate::keep::points::point("caught-up");
                    decided
                });
                (cached, decided)
            });
            let ((mut cached, decided), cost) = work.await.ok_or_else(broken_off)?;
            let (Some(held), Some(decided)) = (cached.as_mut(), decided) else { continue };
            held.cost = cost;
            took(cost);
            let decision = decided.map_err(PostError::Office)?;
            tell_operator(game, &decision);
            let behind = held.mailbox.last();
            let append = Append { late: Some(false), ..append(game, &held.mailbox, &decision) };
            if self.add(append).await? {
                self.done(game, cached, decision, behind);
                return Ok(());
            }
        }
    }

    /// Hands sets of a game back to their sealers (office 20), and returns the letter once it is stored.
    ///
    /// # Errors
    /// If the box does not exist or waits for an epoch, or if the office holds no such set in it.
    pub async fn hand_back(&self, game: Hex32, purposes: &[String]) -> Result<Letter, PostError> {
        let mut cached = self.slot(game).await?.lock_owned().await;
        let _room = self.refresh(Who { client: None, game: Some(game) }, &mut cached).await?;
        let held = cached.as_ref().ok_or(PostError::NoBox)?;
        if held.restored {
            let text = "the box waits for an epoch: type `sealed-dice office epoch`, and let a player leave a letter";
            return Err(PostError::Office(Error::Refused(text.into())));
        }
        let letter = held.mailbox.hand_back(purposes, &self.keys).map_err(PostError::Office)?;
        let decision = Decision { letters: vec![letter.clone()], signed: 1, ..Decision::default() };
        match self.store.append(append(game, &held.mailbox, &decision)).await? {
            Appended::Done => {
                let behind = held.mailbox.last();
                self.done(game, cached, decision, behind);
                Ok(letter)
            }
            Appended::Moved | Appended::Forgot | Appended::Unknown | Appended::Spent => Err(PostError::Busy),
        }
    }
}
