//! `game withdraw`: takes back terms that nobody has accepted (`protocol/charter.md` 21 to 23).

use super::{
    failure::{Failure, PlayResult},
    handed::Handed,
    locked::Locked,
    session::Session,
    table::{Stage, Table},
};
use crate::{
    blob::{
        Body, Verified,
        body::{Role, Withdraw},
    },
    game::{asks::unnumbered, steps::Letter, terms::Author},
    keep::folder::Stored,
    report::text::visible,
};

/// Takes back terms that nobody has accepted.
///
/// # Errors
/// If the terms are not this player's, somebody has accepted them, or the player does not sign.
pub fn withdraw(session: &Session<'_>, name: Option<&str>) -> PlayResult<Handed> {
    let mut table = Locked::find(session, name, |table| table.stage == Stage::Proposed && table.is_mine())?;
    if let Stage::Begun(_) = table.stage {
        return Err(Failure::refused(format!(
            "these terms are already accepted and cannot be withdrawn: end the game with  {}",
            table.typing.command("game close")
        )));
    }
    if !table.is_mine() {
        return Err(Failure::refused(
            "these terms are not yours: leave them unaccepted, or ask their author to withdraw them",
        ));
    }
    table.check_files()?;
    if table.is_withdrawn() {
        return Ok(table.mail(None)?.saying("these terms are already withdrawn"));
    }
    let title = visible(&table.terms.charter.title);
    let crossed = format!("if {} accepts them before this arrives, the game begins anyway", table.their_names());
    let withdrawn = format!("the terms for {title:?} are withdrawn: nobody should accept them any more");
    let wait = table.terms.charter.continues.is_some().then(|| {
        format!(
            "WARNING: play on in the old game only after {} has told you that this has arrived; if they accept the \
             terms before that, all dice rolled there in the meantime are lost",
            table.their_names()
        )
    });
    session.ask_to_sign(
        &table.headed(&[withdrawn, crossed].into_iter().chain(wait).collect::<Vec<_>>()),
        Vec::new(),
        false,
    )?;
    let keys = session.unlock()?;
    let body = Body::Withdraw(Withdraw {});
    let Letter { message, frame } = unnumbered(&table.terms, table.me, table.terms.id, body, keys.signing())?;
    table.lock.keep(&message, &frame)?;
    table.stored.push(Stored { message, frame });
    table.mail(None)
}

impl Table {
    /// Whether a letter withdraws these terms: it is by their author, and signed with the key that they name.
    pub(super) fn is_withdrawal(&self, message: &Verified) -> bool {
        let author = Author::Player(self.terms.author);
        matches!(message.body(), Body::Withdraw(_))
            && message.head().game == Some(self.terms.id)
            && message.head().author == *self.terms.role(self.terms.author)
            && self.terms.key_of(author) == Some(message.key())
    }

    /// Lists the letters that withdraw these terms.
    pub(super) fn withdrawal(&self) -> impl Iterator<Item = &Stored> {
        self.stored.iter().filter(|letter| self.is_withdrawal(&letter.message)).take(1)
    }

    /// Whether these terms were withdrawn before anybody accepted them: even then, an accept begins a game (charter
    /// 23).
    pub(super) fn is_withdrawn(&self) -> bool {
        self.stage == Stage::Proposed && self.withdrawal().next().is_some()
    }

    /// Reports that withdrawn terms were accepted all the same (charter 23), until their author plays on.
    pub(super) fn withdrawn_too_late(&self) -> Option<String> {
        let (author, acceptor) = (self.terms.role(self.terms.author), self.terms.role(self.terms.author.other()));
        let mut heads = self.stored.iter().map(|letter| letter.message.head());
        let has_played = heads.any(|head| head.author == *author && head.number > 1);
        let Stage::Begun(_) = self.stage else { return None };
        self.withdrawal().next().filter(|_| !has_played)?;
        let (withdrew, accepted) = match (self.is_mine(), *acceptor == self.role) {
            (true, _) => ("you have".to_owned(), format!("{acceptor} has")),
            (false, true) => (format!("{author} has"), "you have".to_owned()),
            (false, false) => (format!("{author} has"), format!("{acceptor} has")),
        };
        Some(format!(
            "{withdrew} withdrawn these terms, but too late: {accepted} accepted them, so the game has begun (charter \
             22). If you do not want to play it, close it:  {}",
            self.typing.command("game close")
        ))
    }

    /// Returns the referee or the office, if its accept is missing here: the opponent can accept only after it.
    pub(super) fn missing_third(&self) -> Option<&Role> {
        let mut third = self.terms.authors().filter(|(author, _)| author.player().is_none());
        third.find(|(author, _)| self.accept_of(*author).is_none()).map(|(_, role)| role)
    }

    /// Returns the name of a party, safe to show.
    pub(super) fn name_of(&self, role: &Role) -> String {
        let name = self.others().find(|(other, _)| *other == role).map(|(_, name)| visible(name));
        name.unwrap_or_else(|| role.to_string())
    }
}
