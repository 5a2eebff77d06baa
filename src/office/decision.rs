//! An office's decision on the letters left with it: taken or refused, signed, and why something waits
//! (`protocol/post.md` 3 to 5).

use std::collections::HashMap;

use super::{held::Held, store::Mark};
use crate::{
    blob::{Body, Hex32, Verified},
    game::{
        opener::{self, Because, Unopened},
        steps::Letter,
    },
};

/// Letters that never make anything due, at any time: until more letters come, repeated questions need no replay.
#[derive(Clone, Debug, Default)]
pub struct Settled {
    /// For each declaration or waiting letter that was asked about: why it is not opened.
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

/// The office's decision on new letters.
#[derive(Debug, Default)]
pub struct Decision {
    /// The letters that are taken, followed by the office's own.
    pub letters: Vec<Letter>,
    /// The number of letters that the office signed, which are always the last ones.
    pub signed: usize,
    /// The places that the office's reveals open.
    pub marks: Vec<Mark>,
    /// The letters that were not taken.
    pub refused: Vec<Refused>,
    /// Letters that were brought and wait: declarations that the office does not open, and letters that name missing
    /// ones.
    pub waiting: Vec<Unopened>,
    /// Positions of brought letters that are here already, and of the office's reveals for them.
    pub again: Vec<u64>,
    /// Whether the office signs nothing because it was restored and waits for its operator (office 25, post 17).
    pub restored: bool,
    /// Whether the office begins an epoch.
    pub epoch: bool,
    /// A letter that this office has signed but its box lacks: the store has forgotten it (post 18). Nothing from this
    /// decision is stored before the box is marked.
    pub forgot: Option<Hex32>,
    /// Why the office signs nothing: a letter of its own would break a rule, through a mistake in this program.
    pub broke: Option<String>,
    /// Problems to report to the operator.
    pub talk: Vec<String>,
    /// Whether the letters wait for their turn: so far it is only decided which ones are taken.
    pub late: bool,
    /// The settled state, if nothing is due after all these letters.
    pub settled: Option<Settled>,
    /// The replayed state after all these letters and the earlier ones.
    pub(super) held: Option<Held>,
    /// The number of letters replayed for this decision; a letter that was replayed again counts again.
    pub replayed: usize,
    /// How many declarations, and sets without a receipt, were examined for this decision; repeats count again.
    pub looked_at: usize,
}

/// The effect of a restore on an office's signing in a box (post 17).
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
    /// Returns the reasons why a letter is not opened, or waits.
    pub(super) fn reasons(&self, id: &Hex32) -> Vec<Unopened> {
        self.waiting.iter().filter(|waiting| waiting.declaration == *id).cloned().collect()
    }

    /// Discards the office's own letters but keeps those that were left: a mistake in this program must not close a
    /// box.
    pub(super) fn breaks(&mut self, broke: String, taken: usize, declared: &[Hex32]) {
        self.broke = Some(broke);
        self.letters.truncate(taken);
        (self.marks, self.signed, self.epoch) = (Vec::new(), 0, false);
        self.waiting = declared.iter().map(|id| opener::unable(*id, Because::Fault)).collect();
    }
}

/// Returns the declaration that a reveal is for.
pub(super) fn declaration_of(message: &Verified) -> Option<Hex32> {
    match message.body() {
        Body::Reveal(reveal) => reveal.declaration,
        _ => None,
    }
}
