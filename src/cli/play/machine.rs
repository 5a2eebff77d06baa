//! Whether this machine may sign in a game: only where it left the chain of letters itself, or has had an answer to its
//! question (`protocol/keys.md` 11).

use super::{Answer, Stage, Table, Told, admission::NOT_ADMITTED, locked::Locked, quoted};
use crate::{
    blob::{Body, Hex32, Verified, new_keys::Resync},
    game::{
        charter::{Author, Player},
        order::{Node, Order, Standing},
    },
    keep::{
        folder::Stored,
        witness::{Signed, Witness},
    },
};

/// How this machine stands to a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Machine {
    /// It signed the last letter here, or nobody has signed any, or its question is answered.
    Signs,
    /// It must ask first.
    Asks,
    /// It has asked.
    Waits,
    /// Its question is answered, and the office has not said yet that it knows.
    Shows,
}

impl Locked {
    /// What a command that died before it handed its letters out has left: it is handed out now.
    pub(super) fn settle(&self) -> Told<()> {
        let mut witness = self.witness()?;
        if witness.is_open() {
            let end = self.with_order(|order| self.end(order));
            if witness.left_it_at(end) {
                witness.has_signed(end)?;
            }
        }
        Ok(())
    }
}

impl Table {
    /// What this machine has signed in this game.
    pub(super) fn witness(&self) -> Told<Witness> {
        let game = match self.stage {
            Stage::Begun(game) => Some(game),
            Stage::Proposed => None,
        };
        Ok(Witness::open(self.terms.id, game, &self.role)?)
    }

    /// That this machine may sign: nobody signs on from a restored folder, or from a second machine, before he knows which
    /// of his letters is the last.
    pub(super) fn check_machine(&self, order: Option<&Order<'_>>) -> Told<()> {
        match self.blocked(order)? {
            None => Ok(()),
            Some(why) => Err(Answer::refused(why)),
        }
    }

    /// Why this machine may not sign, and what to do.
    pub(super) fn blocked(&self, order: Option<&Order<'_>>) -> Told<Option<String>> {
        if self.waits_outside() {
            return Ok(Some(NOT_ADMITTED.to_owned()));
        }
        if order.is_some_and(|order| order.overgrown) {
            return Ok(Some(format!(
                "the letters have more branches than a game can have, so that nothing counts any more; this says who made them:  \
                 sealed-dice audit {}  (chain 14)",
                quoted(&self.folder.letters_path())
            )));
        }
        let resync = self.typing.command("game resync");
        let machine = self.machine(order)?;
        let elsewhere =
            "your folder came back from a backup or another machine, or another machine of yours plays this game too";
        Ok(match (machine, order) {
            (Machine::Signs, _) => None,
            (Machine::Waits, _) => Some(format!(
                "you have asked which letter of yours is known, and nobody has answered yet: read the answer first, with all \
                 letters that it names, or mail the question again with  {resync}"
            )),
            (Machine::Shows, _) => Some(format!(
                "your question is answered, and the office may have opened something for letters that you lost: mail it all \
                 with  {}  and read its reply first. If it is silent, say --without-office",
                self.typing.command("resend --everything")
            )),
            (Machine::Asks, Some(_)) if self.me == Author::Office => Some(format!(
                "your last letter in this game was not signed on this machine: {elsewhere}. What was opened since nobody can know here. Read what \
                 both players hold (they type: sealed-dice resend --everything), and then begin an epoch, after which sets that were \
                 sealed before give no new dice:  {resync}"
            )),
            (Machine::Asks, Some(order)) if let Some(older) = self.older(order)? => Some(format!(
                "{older}. Two different letters of yours with one number would spoil the game. Put the newer folder back if you have it, \
                 or read your sent mails with these letters; if they are lost, ask first which one is known:  {resync}{}",
                self.lacks_own(order)
            )),
            (Machine::Asks, Some(order)) => Some(format!(
                "the last letter of yours in this game was not signed on this machine: {elsewhere}. Two different letters of yours with \
                 one number would spoil the game, so ask first which one is known:  {resync}{}{}",
                self.suspects_thief()?,
                self.lacks_own(order)
            )),
            (Machine::Asks, None) => Some(format!(
                "this machine has signed a letter of this game that is not here: {elsewhere}. Read the mail with that letter, \
                 from your sent mails or from your opponent (he types: sealed-dice resend --all)"
            )),
        })
    }

    /// That the folder ends before the last letter that this very machine remembers signing: an old copy was put back.
    fn older(&self, order: &Order<'_>) -> Told<Option<String>> {
        let (last, end) = (self.witness()?.last(), self.end(Some(order)));
        let end = end.map_or(0, |end| end.number);
        Ok(last.filter(|last| last.number > end).map(|last| {
            let lacks = match end + 1 == last.number {
                true => format!("your letter {end}, and this machine has signed your letter {}", last.number),
                false => format!("your letter {end}, and this machine has signed your letters {} to {}", end + 1, last.number),
            };
            format!(
                "the folder of this game is older than this machine's record of it (was a backup restored?): it ends with {lacks}"
            )
        }))
    }

    /// What to read before the question, if others name letters of this party that are not here.
    fn lacks_own(&self, order: &Order<'_>) -> String {
        let mut mine = order.missing.values().filter(|missing| missing.author.as_ref() == Some(&self.role));
        match mine.next() {
            Some(missing) => {
                let number = missing.number.map_or_else(String::new, |number| format!(" {number}"));
                format!(". And your own letter{number} is named, and is not here: read your sent mails before you ask")
            }
            None => String::new(),
        }
    }

    /// What to do if the letters that were not signed here are a thief's (keys 5).
    fn suspects_thief(&self) -> Told<String> {
        let signed_here = self.witness()?.last().is_some_and(|last| last.number > 1);
        Ok(match signed_here {
            true => format!(
                ". If no machine of yours signed it, somebody has your key: sign nothing else, and type  {}",
                self.typing.command("key rotate --stolen")
            ),
            false => String::new(),
        })
    }

    fn machine(&self, order: Option<&Order<'_>>) -> Told<Machine> {
        if self.is_admitted() {
            return Ok(Machine::Signs);
        }
        let witness = self.witness()?;
        let unplaced = order.is_some_and(|order| self.has_unplaced(order));
        let open = self.questions().into_iter().any(|ask| !witness.has_settled(&ask) && witness.asked() != Some(ask));
        Ok(match (witness.asked(), order) {
            (Some(ask), order) if order.is_none_or(|order| self.answers_to(order, ask).next().is_none()) => {
                Machine::Waits
            }
            (Some(ask), Some(order)) if unplaced || !self.is_answered_last(order, &witness, ask) => Machine::Asks,
            (Some(ask), Some(order)) if !self.without_office && self.awaits_office(order, ask) => Machine::Shows,
            (None, _) if unplaced || open || !witness.left_it_at(self.end(order)) => Machine::Asks,
            _ => Machine::Signs,
        })
    }

    /// Whether this party signed a letter behind its last one that stands, which waits for others. Nobody else can sign one,
    /// and its number must not be used again.
    fn has_unplaced(&self, order: &Order<'_>) -> bool {
        let end = self.end(Some(order)).map_or(0, |end| end.number);
        let mut beyond = self.own().filter(|own| own.message.head().number > end);
        beyond.any(|own| order.nodes.iter().all(|node| node.id() != own.message.id()))
    }

    /// Whether this machine wrote the last letter of this party's chain, so that a letter behind it which others name was
    /// never signed, unless another machine did.
    pub(super) fn wrote_the_end(&self, order: &Order<'_>) -> Told<bool> {
        Ok(self.witness()?.left_it_at(self.end(Some(order))) && !self.has_unplaced(order))
    }

    /// The answers to a question of this party: a player's letters that stand, with all that they name at hand (keys 10).
    fn answers_to<'o, 'a>(&self, order: &'o Order<'a>, ask: Hex32) -> impl Iterator<Item = &'o Node<'a>> + use<'o, 'a> {
        let (me, role) = (self.me, self.role.clone());
        order.nodes.iter().filter(move |node| {
            let fits = matches!(node.message.body(), Body::Resync(Resync::Answer(answer)) if answer.ask == ask && answer.to == role);
            let is_others = node.author != me && node.author.player().is_some();
            fits && is_others && node.breach.is_none() && node.standing == Standing::Stands
        })
    }

    /// Whether no letter of the office's, nor of this player's, knows an answer to his question yet (keys 11).
    fn awaits_office(&self, order: &Order<'_>, ask: Hex32) -> bool {
        let answers: Vec<_> = self.answers_to(order, ask).collect();
        let mut knowing = order.nodes.iter().filter(|node| node.author == Author::Office || node.author == self.me);
        self.terms.role_of(Author::Office).is_some()
            && !knowing.any(|node| answers.iter().any(|answer| node.has_in_past(answer)))
    }

    /// The last of this party's letters that stands, as far as they are in the folder.
    pub(super) fn end(&self, order: Option<&Order<'_>>) -> Option<Signed> {
        let number = |signed: &Signed| signed.number;
        let Some(order) = order else {
            return self.own().map(|own| Signed::of(&own.message)).max_by_key(number);
        };
        let stands = order.nodes.iter().filter(|node| node.author == self.me && node.standing == Standing::Stands);
        stands.map(|node| Signed::of(node.message)).max_by_key(number)
    }

    /// This party's numbered letters.
    fn own(&self) -> impl Iterator<Item = &Stored> {
        self.stored.iter().filter(|letter| {
            let head = letter.message.head();
            head.author == self.role && !head.is_unnumbered()
        })
    }

    /// Every question of this party that is here, signed with a key of its own. An answer without its question counts for
    /// nothing: anybody can invent one.
    pub(super) fn questions(&self) -> Vec<Hex32> {
        let questions = self.stored.iter().map(|letter| &letter.message).filter(|message| {
            matches!(message.body(), Body::Resync(Resync::Ask(_))) && message.head().author == self.role
        });
        let mut questions: Vec<Hex32> = questions.map(Verified::id).collect();
        questions.sort_unstable();
        questions.dedup();
        questions
    }

    /// Whether no answer to another machine's question came after the one to this machine's. Of several answers of one
    /// player to one question the first counts.
    fn is_answered_last(&self, order: &Order<'_>, witness: &Witness, ask: Hex32) -> bool {
        let others = self.questions().into_iter().filter(|of| *of != ask && !witness.has_settled(of));
        let number = |node: &Node<'_>| node.message.head().number;
        let answered =
            |of: Hex32, by: Author| self.answers_to(order, of).filter(move |node| node.author == by).map(number);
        others
            .flat_map(|of| Player::BOTH.map(|by| (of, Author::Player(by))))
            .all(|(of, by)| answered(of, by).min().is_none_or(|other| answered(ask, by).any(|mine| mine > other)))
    }

    /// This machine's question that nobody has answered yet.
    pub(super) fn open_ask(&self) -> Told<Option<&Stored>> {
        let is_open = |ask: &Hex32| {
            self.with_order(|order| order.is_none_or(|order| self.answers_to(order, *ask).next().is_none()))
        };
        let asked = self.witness()?.asked().filter(is_open);
        Ok(asked.and_then(|ask| self.stored.iter().find(|letter| letter.message.id() == ask)))
    }

    /// Looks at the letters in their order, if the game has begun.
    pub(super) fn with_order<T>(&self, look: impl FnOnce(Option<&Order<'_>>) -> T) -> T {
        match self.stage {
            Stage::Begun(game) => look(Some(&self.order(game))),
            Stage::Proposed => look(None),
        }
    }
}
