//! `game resync` for an office that was restored. It cannot know what it opened after the backup was made, so it begins
//! a new epoch (`protocol/office.md` 10).

use super::{
    clock::now,
    failure::{Failure, PlayResult},
    handed::Handed,
    locked::Locked,
    session::Session,
};
use crate::{
    blob::{Body, office::Receipt},
    game::opener,
    report::words,
};

impl Locked {
    /// Signs the epoch, after the last of the office's letters that anybody can show.
    pub(super) fn begin_epoch(mut self, session: &Session<'_>) -> PlayResult<Handed> {
        let restored = self.with_order(|order| self.blocked(order))?.is_some();
        let lost = self.with_order(|order| {
            order.is_some_and(|order| order.missing.values().any(|missing| missing.author.as_ref() == Some(&self.role)))
        });
        if !restored {
            return Err(Failure::refused(
                "this machine signed your last letter itself, so nothing was restored. Go on without an epoch, which \
                 would make all sealed sets useless",
            ));
        }
        self.check_files()?;
        let at = self.look(|_, ledger| Ok(opener::moment(ledger, now(), 1)))?;
        let body = Body::Receipt(Receipt::Epoch(at));
        // Missing letters are reported, but do not stop the epoch: anybody can name a letter that never existed.
        let lost = lost.then(|| {
            "note: the players name letters of yours that are missing here: first have both of them mail you all the \
             letters that they hold (they type: sealed-dice resend --everything)"
                .to_owned()
        });
        let lines: Vec<String> = std::iter::once(words::body(&body, None)).chain(lost).collect();
        session.ask_to_sign(&self.headed(&lines), Vec::new(), false)?;
        let keys = session.unlock()?;
        let letter = self.look(|_, ledger| Ok(self.signer(ledger, &keys).write(body)?))?;
        self.judge(std::slice::from_ref(&letter))?;
        self.keep_anyway(vec![letter])?;
        self.mail(None)
    }
}
