//! What a person sees before they sign, as a draft and with the key.

use crate::blob::Body;

/// What a person sees before they sign.
#[derive(Clone, Default)]
pub(super) struct Shown {
    /// What the letters say.
    pub(super) lines: Vec<String>,
    /// What these letters make due and nobody chooses: envelopes, keys for their holder, and notes to open.
    pub(super) follows: Vec<String>,
    /// The warnings that nobody must overlook, even if they read nothing else.
    pub(super) mind: Vec<String>,
    /// The line for what is made due by openings, whose outcome nobody knows before them; none if all is known.
    pub(super) unknown: Option<String>,
    /// Whether the letters end the game for both players.
    pub(super) ends: bool,
}

impl Shown {
    /// Adds letters with their descriptions. What comes due and asks for no choice is told apart.
    pub(super) fn add(&mut self, bodies: &[Body], told: Vec<Vec<String>>, come_due: bool) {
        for (body, lines) in bodies.iter().zip(told) {
            self.ends |= matches!(body, Body::Close(close) if close.masters.is_none());
            let follows = come_due && matches!(body, Body::Seal(_) | Body::Reveal(_));
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
        self.lines.iter().chain(&self.follows).chain(&self.unknown).cloned()
    }

    /// Whether a person who agreed to this has agreed to the letters themselves.
    pub(super) fn covers(&self, letters: &Self) -> bool {
        let follow = match &self.unknown {
            Some(_) => self.follows.iter().all(|line| letters.follows.contains(line)),
            None => self.follows == letters.follows,
        };
        follow && (&self.lines, &self.mind, self.ends) == (&letters.lines, &letters.mind, letters.ends)
    }
}
