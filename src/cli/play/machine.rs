//! Whether this machine may sign in a game: only where it left the chain of letters itself, or has had an answer to its
//! question (`protocol/keys.md` 11).

use super::{Answer, Stage, Table, Told, admission::NOT_ADMITTED, locked::Locked};
use crate::{
    blob::{Body, Hex32, new_keys::Resync},
    game::{
        charter::Author,
        order::{Order, Standing},
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
        Ok(Witness::open(self.terms.id, &self.role)?)
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
        let resync = self.typing.command("game resync");
        let elsewhere =
            "your folder came back from a backup or another machine, or another machine of yours plays this game too";
        Ok(match (self.machine(order)?, order) {
            (Machine::Signs, _) => None,
            (Machine::Waits, _) => Some(format!(
                "you have asked which letter of yours is known, and nobody has answered yet: read the answer first, or mail \
                 the question again with  {resync}"
            )),
            (Machine::Shows, _) => Some(format!(
                "your question is answered, and the office may have opened something for letters that you lost: mail it all with  {}  and                  read its reply first. If it is silent, say --without-office",
                self.typing.command("resend --everything")
            )),
            (Machine::Asks, Some(_)) if self.me == Author::Office => Some(format!(
                "your last letter in this game was not signed on this machine: {elsewhere}. What was opened since nobody can know here. Read what \
                 both players hold (they type: sealed-dice resend --everything), and then begin an epoch, after which sets that were \
                 sealed before give no new dice:  {resync}"
            )),
            (Machine::Asks, Some(_)) => Some(format!(
                "the last letter of yours in this game was not signed on this machine: {elsewhere}. Two different letters of yours with \
                 one number would spoil the game, so ask first which one is known:  {resync}{}",
                self.suspects_thief()?
            )),
            (Machine::Asks, None) => Some(format!(
                "this machine has signed a letter of this game that is not here: {elsewhere}. Read the mail with that letter, \
                 from your sent mails or from your opponent (he types: sealed-dice resend --all)"
            )),
        })
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
        // Whatever number this machine would take next, no letter that is named, or cannot be placed yet, may have it.
        let end = self.end(order);
        let unplaced = order.is_some_and(|order| {
            let mut beyond = self.own().filter(|own| own.message.head().number > end.map_or(0, |end| end.number));
            order.missing.values().any(|missing| missing.author.as_ref() == Some(&self.role))
                || beyond.any(|own| order.nodes.iter().all(|node| node.id() != own.message.id()))
        });
        let open = self.questions().into_iter().any(|ask| !witness.has_settled(&ask) && witness.asked() != Some(ask));
        Ok(match witness.asked() {
            Some(ask) if !self.is_answered(&ask, None) => Machine::Waits,
            Some(ask) if unplaced || !self.is_answered_last(&witness, &ask) => Machine::Asks,
            Some(ask) if !self.without_office && order.is_some_and(|order| self.awaits_office(order, &ask)) => {
                Machine::Shows
            }
            None if unplaced || open || !witness.left_it_at(end) => Machine::Asks,
            _ => Machine::Signs,
        })
    }

    /// Whether no letter of the office's, nor of this player's, knows an answer to his question yet (keys 11).
    fn awaits_office(&self, order: &Order<'_>, ask: &Hex32) -> bool {
        let answers = order
            .nodes
            .iter()
            .filter(|node| matches!(node.message.body(), Body::Resync(Resync::Answer(answer)) if answer.ask == *ask));
        let answers: Vec<_> = answers.collect();
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

    /// Every question of this party that is known of, by itself or by its answer.
    pub(super) fn questions(&self) -> Vec<Hex32> {
        let questions = self.stored.iter().filter_map(|letter| {
            let head = letter.message.head();
            match letter.message.body() {
                Body::Resync(Resync::Ask(_)) if head.author == self.role => Some(letter.message.id()),
                Body::Resync(Resync::Answer(answer)) if answer.to == self.role => Some(answer.ask),
                _ => None,
            }
        });
        let mut questions: Vec<Hex32> = questions.collect();
        questions.sort_unstable();
        questions.dedup();
        questions
    }

    /// Whether no answer to another machine's question came after the one to this machine's.
    fn is_answered_last(&self, witness: &Witness, ask: &Hex32) -> bool {
        let answers = || {
            self.stored.iter().filter_map(|letter| match letter.message.body() {
                Body::Resync(Resync::Answer(answer)) if answer.to == self.role => {
                    Some((letter.message.head(), answer.ask))
                }
                _ => None,
            })
        };
        answers().filter(|(_, of)| of != ask && !witness.has_settled(of)).all(|(other, _)| {
            answers().any(|(mine, of)| of == *ask && (mine.author != other.author || mine.number > other.number))
        })
    }

    /// This machine's question that nobody has answered yet.
    pub(super) fn open_ask(&self) -> Told<Option<&Stored>> {
        let asked = self.witness()?.asked().filter(|ask| !self.is_answered(ask, None));
        Ok(asked.and_then(|ask| self.stored.iter().find(|letter| letter.message.id() == ask)))
    }

    /// Looks at the letters in their order, if the game has begun.
    pub(super) fn with_order<T>(&self, look: impl FnOnce(Option<&Order<'_>>) -> T) -> T {
        match self.stage {
            Stage::Begun(game) => look(Some(&Order::of(&self.terms, game, &self.members(game)))),
            Stage::Proposed => look(None),
        }
    }
}
