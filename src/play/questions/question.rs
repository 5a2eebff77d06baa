//! A question about the terms, and the answers given so far.

use std::collections::BTreeMap;

use crate::blob::Hex32;

/// A question about the terms of a game.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// The name of the question, for a field of a form.
    pub id: &'static str,
    /// The heading that the question belongs under.
    pub part: Part,
    /// The question as a label.
    pub text: &'static str,
    /// The meaning of the answer and of its default.
    pub why: &'static str,
    /// The form of the answer.
    pub kind: Kind,
    /// The answer that counts if a person types nothing; `None` if they must answer.
    pub default: Option<&'static str>,
    /// Whether earlier answers call for this question; none if it is always asked.
    pub(super) only: Option<fn(&Given) -> bool>,
    /// Checks an answer and returns it as it is kept, or the reason why it is wrong.
    pub(super) check: Check,
}

/// A check of an answer, given the earlier answers. Returns the answer as it is kept, or the reason why it is wrong.
pub(super) type Check = fn(&str, &Given) -> Result<String, String>;

impl Question {
    /// Whether the question needs an answer in every case.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.default.is_none() && self.only.is_none()
    }
}

/// The form of an answer.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A line of text.
    Text,
    /// One of several values, each with its label.
    Choice(&'static [(&'static str, &'static str)]),
    /// A key, or the fingerprint of one.
    Key,
}

/// A heading over questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The title and the players.
    Players,
    /// The opponent's key.
    Key,
    /// The settings of one game.
    Game,
    /// The dice of the phases.
    Dice,
    /// The notation of hexes on the map.
    Map,
    /// Mistakes and their remedies.
    Slips,
    /// A referee or an office.
    Third,
}

impl Part {
    /// Returns the heading as a question.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Players => "Who is playing?",
            Self::Key => "What is your opponent's key?",
            Self::Game => "How will you play this game?",
            Self::Dice => "Which dice will you use?",
            Self::Map => "How does your map write its hexes?",
            Self::Slips => "What does a mistake cost?",
            Self::Third => "Will a referee or an office take part?",
        }
    }
}

/// Answers by the names of their questions, and the player's own key.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) own: Hex32,
    answers: BTreeMap<&'static str, String>,
}

impl Given {
    pub(super) const fn new(own: Hex32) -> Self {
        Self { own, answers: BTreeMap::new() }
    }

    /// Returns an answer; empty if there is none.
    pub(super) fn get(&self, id: &str) -> &str {
        self.answers.get(id).map(String::as_str).unwrap_or_default()
    }

    pub(super) fn has(&self, id: &str) -> bool {
        self.answers.contains_key(id)
    }

    pub(super) fn put(&mut self, id: &'static str, answer: String) {
        self.answers.insert(id, answer);
    }

    pub(super) fn remove(&mut self, id: &str) {
        self.answers.remove(id);
    }
}
