//! A player's answers, taken in one by one.

use super::{
    games::Game,
    question::{Given, Kind, Question},
};
use crate::blob::Hex32;

/// A player's answers to the questions of a game.
#[derive(Clone, Debug)]
pub struct Answers {
    pub(super) game: &'static Game,
    pub(super) given: Given,
}

impl Answers {
    /// Begins the answers of the player with this public key.
    #[must_use]
    pub const fn new(game: &'static Game, own: Hex32) -> Self {
        Self { game, given: Given::new(own) }
    }

    /// Whether the answers so far call for a question.
    #[must_use]
    pub fn calls_for(&self, question: &Question) -> bool {
        question.only.is_none_or(|only| only(&self.given))
    }

    /// Takes an answer as typed. An empty one means the default.
    ///
    /// # Errors
    /// The reason why the answer is wrong, and what to type.
    pub fn take(&mut self, question: &Question, typed: &str) -> Result<(), String> {
        self.given.remove(question.id);
        let typed = match typed.trim() {
            "" => question.default.ok_or_else(|| unanswered(question))?,
            typed => typed,
        };
        if let Kind::Choice(values) = question.kind
            && !values.iter().any(|(value, _)| *value == typed)
        {
            return Err(unanswered(question));
        }
        let answer = (question.check)(typed, &self.given)?;
        self.given.put(question.id, answer);
        Ok(())
    }
}

/// Returns the error for a question that was not answered.
fn unanswered(question: &Question) -> String {
    match question.kind {
        Kind::Text => "this has no usual answer: type one".into(),
        Kind::Key => "this key is needed: paste it here".into(),
        Kind::Choice(values) => {
            let values: Vec<&str> = values.iter().map(|(value, _)| *value).collect();
            format!("choose one of {}", values.join(", "))
        }
    }
}
