//! The lines and warnings that a person sees before they sign, from a draft and then with the key.

use crate::blob::Body;

/// The lines and warnings that a person sees before they sign.
#[derive(Clone, Default)]
pub(super) struct Shown {
    /// The contents of the letters.
    pub(super) lines: Vec<String>,
    /// Further letters that these make due and that need no choice: envelopes, keys for their holder, and notes to
    /// open.
    pub(super) follows: Vec<String>,
    /// The warnings that nobody must overlook, even if they read nothing else.
    pub(super) mind: Vec<String>,
    /// A line for further letters that depend on dice which are not open yet; `None` if there can be none.
    pub(super) unknown: Option<String>,
    /// Whether the letters end the game for both players.
    pub(super) ends: bool,
}

impl Shown {
    /// Adds letters with their descriptions. If `come_due` is set, seals and reveals are listed apart, because they
    /// follow without a choice.
    pub(super) fn add(&mut self, bodies: &[Body], told: Vec<Vec<String>>, come_due: bool) {
        for (body, lines) in bodies.iter().zip(told) {
            self.ends |= matches!(body, Body::Close(close) if close.masters.is_none());
            let follows = come_due && matches!(body, Body::Seal(_) | Body::Reveal(_));
            if follows { &mut self.follows } else { &mut self.lines }.extend(lines);
        }
    }

    /// Adds these lines and warnings to `shown`, below its own.
    pub(super) fn join(self, shown: &mut Self) {
        shown.lines.extend(self.lines);
        shown.mind.extend(self.mind);
    }

    /// Lists all lines for the question.
    pub(super) fn all(&self) -> impl Iterator<Item = String> {
        self.lines.iter().chain(&self.follows).chain(&self.unknown).cloned()
    }

    /// Whether a person who agreed to this draft has thereby agreed to `letters`.
    pub(super) fn covers(&self, letters: &Self) -> bool {
        let follow = match &self.unknown {
            Some(_) => self.follows.iter().all(|line| letters.follows.contains(line)),
            None => self.follows == letters.follows,
        };
        follow && (&self.lines, &self.mind, self.ends) == (&letters.lines, &letters.mind, letters.ends)
    }
}
