//! What a person sees before they sign, as a draft and with the key.

use crate::blob::Body;

/// The line for envelopes that come due by an opening, whose outcome nobody knows before it.
const MADE_DUE: &str = "sealed envelopes for later slots, if these openings make any due";

/// What a person sees before they sign.
#[derive(Clone, Default)]
pub(super) struct Shown {
    /// What the letters say.
    pub(super) lines: Vec<String>,
    /// The envelopes that these letters make due, and the keys for their holder, which go along.
    pub(super) follows: Vec<String>,
    /// The warnings that nobody must overlook, even if they read nothing else.
    pub(super) mind: Vec<String>,
    /// Whether the letters open envelopes, so that only the key shows which further ones they make due.
    pub(super) is_open_ended: bool,
    /// Whether the letters end the game for both players.
    pub(super) ends: bool,
}

impl Shown {
    /// Adds letters with their descriptions. Envelopes that come due are told apart, because they ask for no choice.
    pub(super) fn add(&mut self, bodies: &[Body], told: Vec<Vec<String>>, come_due: bool) {
        for (body, lines) in bodies.iter().zip(told) {
            self.ends |= matches!(body, Body::Close(close) if close.masters.is_none());
            let follows = come_due && matches!(body, Body::Seal(_));
            if follows { &mut self.follows } else { &mut self.lines }.extend(lines);
        }
    }

    /// Puts this below what the letters say, with its warnings.
    pub(super) fn join(self, shown: &mut Self) {
        shown.lines.extend(self.lines);
        shown.mind.extend(self.mind);
    }

    /// Lists all lines for the question.
    pub(super) fn all(&self) -> impl Iterator<Item = String> {
        let made_due = self.is_open_ended.then_some(MADE_DUE).map(str::to_owned);
        self.lines.iter().chain(&self.follows).cloned().chain(made_due)
    }

    /// Whether a person who agreed to this has agreed to the letters themselves.
    pub(super) fn covers(&self, letters: &Self) -> bool {
        let follow = match self.is_open_ended {
            true => self.follows.iter().all(|line| letters.follows.contains(line)),
            false => self.follows == letters.follows,
        };
        follow && (&self.lines, &self.mind, self.ends) == (&letters.lines, &letters.mind, letters.ends)
    }
}
