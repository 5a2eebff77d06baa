//! `game resync`: after a restore, or on a second machine, a player asks which letter of his the other holds before he
//! signs again (`protocol/keys.md`, Resync).

use std::collections::HashSet;

use super::{
    Answer, Stage, Table, Told,
    locked::Locked,
    sign::{Signing, ask, fresh},
};
use crate::{
    blob::{
        Body, Head, Hex32, Kind, Verified,
        body::{Role, Seen},
        new_keys::{Answer as AnswerTo, Resync},
    },
    game::charter::Author,
    keep::{folder::Stored, home::Home},
    report::text::count,
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
    let question =
        "which letter of mine do you hold last?  Nothing else is signed before the answer is here".to_owned();
    ask(&table.headed(&[question]), signing)?;
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

/// Most questions of one party that are answered before it has written again: who comes back asks once, and a wall of
/// questions is not worth a wall of letters.
const QUESTIONS: usize = 8;

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

    /// The answers that this player gives to questions of the others.
    pub(super) fn answers(&self) -> Vec<Body> {
        let mut answers = Vec::new();
        for (role, asks) in self.open_asks() {
            let room = QUESTIONS.saturating_sub(self.unread_answers(role));
            let answer = |ask: &Hex32| Body::Resync(Resync::Answer(AnswerTo { ask: *ask, to: role.clone() }));
            answers.extend(asks.iter().take(room).map(answer));
        }
        answers
    }

    /// What there is to say of questions that are not answered yet, because there are too many.
    pub(super) fn unanswered(&self) -> Vec<String> {
        let too_many = |(role, asks): (&Role, Vec<Hex32>)| {
            let left = asks.len().saturating_sub(QUESTIONS.saturating_sub(self.unread_answers(role)));
            (left > 0).then(|| {
                format!(
                    "{role} asks which letter of theirs you hold, more often than you can have lost it: {} wait until {role} has \
                     read an answer and written again; nothing else waits for that",
                    count(left, "question")
                )
            })
        };
        self.open_asks().into_iter().filter_map(too_many).collect()
    }

    /// The questions of others that this player has not answered, by who asks.
    fn open_asks(&self) -> Vec<(&Role, Vec<Hex32>)> {
        if self.me.player().is_none() {
            return Vec::new();
        }
        // An office begins an epoch instead (office 2).
        let may_ask = |role: &&Role| self.terms.author_of(role).is_some_and(|author| author != Author::Office);
        let asked_by = |role: &Role| {
            // A key that was given up asks in vain: an answer binds its author.
            let key = self.key_of(role);
            let asks = self
                .stored
                .iter()
                .map(|letter| &letter.message)
                .filter(|message| is_ask(message) && message.head().author == *role && Some(message.key()) == key);
            let mut asks: Vec<Hex32> = asks.map(Verified::id).collect();
            let answered: HashSet<Hex32> = self.given_answers(role).map(|(_, ask)| ask).collect();
            asks.sort_unstable();
            asks.dedup();
            asks.retain(|ask| !answered.contains(ask));
            asks
        };
        self.others().map(|(role, _)| role).filter(may_ask).map(|role| (role, asked_by(role))).collect()
    }

    /// This party's answers to a role: their numbers, and what they answer.
    fn given_answers<'t>(&'t self, to: &'t Role) -> impl Iterator<Item = (u64, Hex32)> + use<'t> {
        self.stored.iter().filter_map(move |letter| match letter.message.body() {
            Body::Resync(Resync::Answer(answer)) if answer.to == *to && letter.message.head().author == self.role => {
                Some((letter.message.head().number, answer.ask))
            }
            _ => None,
        })
    }

    /// How many of them no letter of the asker's shows to have been read.
    fn unread_answers(&self, to: &Role) -> usize {
        let known = self.known_to(to);
        self.given_answers(to).filter(|(number, _)| *number > known).count()
    }

    /// The questions that some letters answer, which go along with them: an answer alone counts for nothing.
    pub(super) fn asks_of<'t>(&'t self, letters: &[&Stored]) -> Vec<&'t Stored> {
        let asks: HashSet<Hex32> = letters
            .iter()
            .filter_map(|letter| match letter.message.body() {
                Body::Resync(Resync::Answer(answer)) => Some(answer.ask),
                _ => None,
            })
            .collect();
        self.stored.iter().filter(|letter| is_ask(&letter.message) && asks.contains(&letter.message.id())).collect()
    }
}
