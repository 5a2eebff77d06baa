//! What an office makes of letters that are left: taken or refused, signed, and why something waits (`protocol/post.md`
//! 3 to 5).

use std::collections::HashMap;

use super::{held::Held, store::Mark};
use crate::{
    blob::{Body, Hex32, Verified},
    game::{
        opener::{self, Because, Unopened},
        steps::Letter,
    },
};

/// Letters of which nothing makes anything due, at whatever time: until others come, what is asked again needs no
/// replay.
#[derive(Clone, Debug, Default)]
pub struct Settled {
    /// Declarations, and letters that wait for others, that were asked about: why they are not opened.
    pub(super) reasons: HashMap<Hex32, Vec<Unopened>>,
    /// Whether some letters wait for others.
    pub(super) some_wait: bool,
}

/// A letter that was not taken, and why.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The id of the refused letter.
    pub id: Hex32,
    /// The class of the reason (audit 6), or [`ROOM`](super::answers::ROOM).
    pub class: &'static str,
    /// The reason, and what to do.
    pub text: String,
}

/// What comes of new letters.
#[derive(Debug, Default)]
pub struct Decision {
    /// Those that are taken, and behind them the office's own.
    pub letters: Vec<Letter>,
    /// How many of these the office signed: the last ones.
    pub signed: usize,
    /// What its reveals open.
    pub marks: Vec<Mark>,
    /// What was not taken.
    pub refused: Vec<Refused>,
    /// What was brought and waits: declarations that it does not open, and letters that name others which are not here.
    pub waiting: Vec<Unopened>,
    /// Positions of what was brought and is here already, and of the office's reveals for it.
    pub again: Vec<u64>,
    /// Whether it signs nothing, for it was restored and waits for its operator (office 25, post 17).
    pub restored: bool,
    /// Whether it begins an epoch.
    pub epoch: bool,
    /// A letter that this office has signed, and its box does not have: the store has forgotten (post 18). Nothing of
    /// this is stored before that is marked.
    pub forgot: Option<Hex32>,
    /// That it signs nothing, for it would break a rule: a mistake of this program's.
    pub broke: Option<String>,
    /// What it could not do, for the operator.
    pub talk: Vec<String>,
    /// Whether the letters wait for their turn: nothing was decided but which are taken.
    pub late: bool,
    /// That nothing is due behind all these letters.
    pub settled: Option<Settled>,
    /// What all its letters have come to, and those before them.
    pub(super) held: Option<Held>,
    /// How many letters were replayed for it, those counted again that were replayed again.
    pub replayed: usize,
    /// How many declarations, and sets without a receipt, were looked at for it, likewise.
    pub looked_at: usize,
}

/// How the office stands to a box after a restore (post 17).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The box needs no new epoch: the office signs as usual.
    Signs,
    /// The office was restored and its operator has not declared an epoch: it signs only accepts and answers.
    Waits,
    /// The operator has declared an epoch after a restore: before the office signs anything else here, it begins one.
    Begins,
}

impl Decision {
    /// Why a letter is not opened, or waits.
    pub(super) fn reasons(&self, id: &Hex32) -> Vec<Unopened> {
        self.waiting.iter().filter(|waiting| waiting.declaration == *id).cloned().collect()
    }

    /// The letters that were left are taken all the same: a box must not be closed by a mistake of this program's.
    pub(super) fn breaks(&mut self, broke: String, taken: usize, declared: &[Hex32]) {
        self.broke = Some(broke);
        self.letters.truncate(taken);
        (self.marks, self.signed, self.epoch) = (Vec::new(), 0, false);
        self.waiting = declared.iter().map(|id| opener::unable(*id, Because::Fault)).collect();
    }
}

/// The declaration that a reveal is for.
pub(super) fn declaration_of(message: &Verified) -> Option<Hex32> {
    match message.body() {
        Body::Reveal(reveal) => reveal.declaration,
        _ => None,
    }
}
