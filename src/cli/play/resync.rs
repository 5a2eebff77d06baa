//! `game resync`: after a restore, or on a second machine, a player asks which letter of his the other holds before he
//! signs again (`protocol/keys.md`, Resync).

use super::{
    Answer, Stage, Table, Told,
    locked::Locked,
    sign::{Signing, ask, fresh},
};
use crate::{
    blob::{
        Body, Head, Hex32, Kind, Verified,
        body::Seen,
        new_keys::{Answer as AnswerTo, Resync},
    },
    game::charter::Author,
    keep::{folder::Stored, home::Home},
};

/// `game resync`.
pub(in crate::cli) fn run(home: &Home, name: Option<&str>, signing: &Signing) -> Told<Answer> {
    let blocked = |table: &Table| table.with_order(|order| table.blocked(order)).is_ok_and(|why| why.is_some());
    let table = Locked::find(home, name, blocked)?;
    let Stage::Begun(game) = table.stage else {
        return Err(Answer::refused("the game has not begun: nothing that could be lost is signed yet"));
    };
    if table.me == Author::Office {
        return table.begin_epoch(home, signing);
    }
    if let Some(open) = table.open_ask()? {
        return table.question(open, signing, "you have asked already; this is the same question");
    }
    let key = table.key_in_force()?;
    signing.check_out()?;
    ask(&["which letter of mine do you hold last?  Nothing else is signed before the answer is here".into()], signing)?;
    let keys = signing.unlock(home)?;
    let mut seen = Seen::default();
    table.others().for_each(|(role, _)| seen.insert(role.clone(), None));
    let head =
        Head { author: table.role.clone(), game: Some(game), kind: Kind::Resync, number: 0, prev: None, seen, v: 1 };
    let (message, frame) = Verified::sign(head, Body::Resync(Resync::Ask(fresh()?)), keys.of(key)?.signing())?;
    // A question that is in the folder and not remembered would be taken for another machine's.
    table.witness()?.will_ask(message.id())?;
    table.lock.keep(&message, &frame)?;
    table.question(&Stored { message, frame }, signing, "mail the question, and read the answer")
}

fn is_ask(message: &Verified) -> bool {
    matches!(message.body(), Body::Resync(Resync::Ask(_)))
}

impl Table {
    fn question(&self, ask: &Stored, signing: &Signing, talk: &str) -> Told<Answer> {
        let cover = format!(
            "{} to {}: my folder was restored, or I play from another machine. Which letter of mine do you hold last? Take this mail in with: sealed-dice read, \
             and answer with: sealed-dice reply\n",
            self.role,
            self.their_names()
        );
        self.write_out(signing, &[ask], cover, talk)
    }

    /// The answers that this player owes to questions of the others.
    pub(super) fn answers(&self) -> Vec<Body> {
        if self.me.player().is_none() {
            return Vec::new();
        }
        let asks = self.stored.iter().map(|letter| &letter.message).filter(|message| {
            let head = message.head();
            // A key that was given up asks in vain: an answer binds its author.
            // And an office begins an epoch instead (office 2).
            let may_ask = self.terms.author_of(&head.author).is_some_and(|author| author != Author::Office);
            is_ask(message) && may_ask && head.author != self.role && self.key_of(&head.author) == Some(message.key())
        });
        let open = asks.filter(|ask| !self.is_answered(&ask.id(), Some(&self.role)));
        open.map(|ask| Body::Resync(Resync::Answer(AnswerTo { ask: ask.id(), to: ask.head().author.clone() })))
            .collect()
    }

    /// Whether a question is answered, by a certain role if one is given.
    pub(super) fn is_answered(&self, ask: &Hex32, by: Option<&crate::blob::body::Role>) -> bool {
        self.stored.iter().any(|letter| {
            let answers = matches!(letter.message.body(), Body::Resync(Resync::Answer(answer)) if answer.ask == *ask);
            answers && by.is_none_or(|by| letter.message.head().author == *by)
        })
    }
}
