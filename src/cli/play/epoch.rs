//! `game resync` of an office: it was restored, cannot know what it has opened since, and begins a new epoch
//! (`protocol/office.md` 9).

use super::{
    Answer, Table, Told,
    sign::{Signing, ask},
};
use crate::{
    blob::{
        Body,
        office::{Moment, Receipt},
    },
    game::{
        charter::Author,
        order::{Order, Standing},
    },
    keep::home::Home,
    limits::MOMENT,
    report::words,
};

impl Table {
    /// Signs the epoch, behind the last of its letters that anybody can show.
    pub(super) fn begin_epoch(mut self, home: &Home, signing: &Signing) -> Told<Answer> {
        let restored = self.with_order(|order| self.blocked(order))?.is_some();
        let lost = self.with_order(|order| {
            order.is_some_and(|order| order.missing.values().any(|missing| missing.author.as_ref() == Some(&self.role)))
        });
        if lost {
            return Err(Answer::refused(
                "the players name letters of yours that are not here: let both mail you what they hold (they type: sealed-dice \
                 resend --everything), and read that first",
            ));
        }
        if !restored {
            return Err(Answer::refused(
                "this machine has signed your last letter itself: nothing was restored, and an epoch would end the use of all \
                 sets that are sealed",
            ));
        }
        self.check_files()?;
        signing.check_out()?;
        let at = self.look(|order, _| Ok(moment(order, 1)))?;
        let body = Body::Receipt(Receipt::Epoch(at));
        ask(&[words::body(&body, None)], signing)?;
        let keys = signing.unlock(home)?;
        let letter = self.look(|_, ledger| Ok(self.seat(ledger, &keys)?.write(body)?))?;
        self.keep_anyway(vec![letter])?;
        self.mail(signing, None)
    }
}

/// What the office's clock shows, and so much later than what it told last on the branch that stands, if it can be
/// (receipt 3, office 9).
pub(super) fn moment(order: &Order<'_>, later: u64) -> Moment {
    let own = order.nodes.iter().filter(|node| node.author == Author::Office && node.standing == Standing::Stands);
    let told = own.filter_map(|node| match node.message.body() {
        Body::Receipt(receipt) => receipt.at(),
        _ => None,
    });
    let now = u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or_default();
    Moment { at: told.max().map_or(now, |last| now.max(last + later)).min(MOMENT) }
}
