//! An office's decision on letters that were left with it: which of them it takes and refuses, which letters it signs,
//! and why some letters wait (`protocol/post.md` 3 to 5).

use std::collections::HashMap;

use super::{held::Held, store::Mark};
use crate::{
    blob::{Body, Hex32, Verified},
    game::{
        opener::{self, Because, Unopened},
        steps::Letter,
    },
};

/// The answers for a box in which nothing is due, and nothing becomes due as time passes. Until more letters come,
/// repeated requests need no replay.
#[derive(Clone, Debug, Default)]
pub struct Settled {
    /// The reasons why a declaration is not opened or a letter waits, for each one that was asked about.
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
    /// The letters brought that wait: declarations that the office does not open, and letters that name missing
    /// letters.
    pub waiting: Vec<Unopened>,
    /// The positions of the letters brought that are in the box already, and of the office's reveals, receipts and
    /// answers for them.
    pub again: Vec<u64>,
    /// Whether the office signs nothing because it was restored and waits for its operator (office 25, post 17).
    pub restored: bool,
    /// Whether the office begins an epoch.
    pub epoch: bool,
    /// A letter that this office has signed but that its box lacks, because the store has forgotten it (post 18).
    /// Nothing from this decision is stored before the store is marked as restored.
    pub forgot: Option<Hex32>,
    /// The rule that one of the office's own letters would break, because of a bug in this program. The office then
    /// signs nothing.
    pub broke: Option<String>,
    /// Problems to report to the operator.
    pub talk: Vec<String>,
    /// Whether the letters wait for their turn. So far, the office has only decided which of them it takes.
    pub late: bool,
    /// The settled state, if nothing is due after all these letters.
    pub settled: Option<Settled>,
    /// The replayed state after all these letters and the earlier ones.
    pub(super) held: Option<Held>,
    /// The number of letters replayed for this decision; a letter that was replayed twice counts twice.
    pub replayed: usize,
    /// The number of declarations and of sets without a receipt that were examined for this decision; repeats count
    /// again.
    pub looked_at: usize,
}

/// The effect of a restore on an office's signing in a box (post 17).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The box needs no new epoch: the office signs as usual.
    Signs,
    /// The office was restored and its operator has not declared an epoch: it signs only accepts and answers.
    Waits,
    /// The operator has declared an epoch after a restore: the office begins it in this box before it signs anything
    /// else here.
    Begins,
}

impl Decision {
    /// Returns the reasons why a letter is not opened, or waits.
    pub(super) fn reasons(&self, id: &Hex32) -> Vec<Unopened> {
        self.waiting.iter().filter(|waiting| waiting.declaration == *id).cloned().collect()
    }

    /// Discards the office's own letters, but keeps the letters that were left: a bug in this program must not close a
    /// box.
    pub(super) fn breaks(&mut self, broke: String, taken: usize, declared: &[Hex32]) {
        self.broke = Some(broke);
        self.letters.truncate(taken);
        (self.marks, self.signed, self.epoch) = (Vec::new(), 0, false);
        self.waiting = declared.iter().map(|id| opener::unable(*id, Because::Fault)).collect();
    }
}

/// Returns the declaration that a letter opens, if the letter is a reveal for one.
pub(super) fn declaration_of(message: &Verified) -> Option<Hex32> {
    match message.body() {
        Body::Reveal(reveal) => reveal.declaration,
        _ => None,
    }
}
