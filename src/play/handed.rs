//! Letters to hand over, under their cover, as a mail to paste or to save.

use std::path::PathBuf;

use super::{received::Received, state::Status};
use crate::{
    mail::write::{self, Outgoing},
    report::description::Told,
};

/// Letters that are signed and kept, and wait to be mailed.
#[derive(Clone, Debug)]
pub struct Mail {
    /// The names of those who should get it, safe to show.
    pub to: String,
    /// The subject of the mail, such as the title, the role and the numbers of letters.
    pub subject: String,
    /// The text above the letters, for the reader of the mail.
    pub cover: String,
    /// Each letter as a block of text.
    pub letters: Vec<String>,
    /// The dice that letters in the mail open, worded for the reader of the mail.
    pub dice: Vec<Told>,
    /// A description of the mail, in a sentence.
    pub about: String,
    /// The folder that holds the letters.
    pub kept_in: PathBuf,
    /// Whether the game's office has the letters in the mail; `None` if letters go by mail alone.
    pub office: Option<AtOffice>,
}

/// Whether an office has the letters in a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AtOffice {
    /// The office has all letters by the mail's author.
    Has,
    /// The office lacks some letters; this command leaves them there.
    Lacks(String),
}

impl Mail {
    /// Returns the mail as text.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}\n{}", self.cover, self.letters.join("\n"))
    }

    /// Returns a file that a mail program opens as a draft, with sender, recipient and date left to fill in.
    #[must_use]
    pub fn eml(&self) -> Vec<u8> {
        let (subject, cover, letters) = (self.subject.clone(), self.cover.clone(), self.letters.clone());
        write::eml(&Outgoing { subject, cover, letters, ..Outgoing::default() })
    }

    /// Explains what to do with the mail once it is in `place`: mail it, or leave it at the game's office.
    #[must_use]
    pub fn next_step(&self, place: &str) -> String {
        match &self.office {
            None => format!("mail {place}"),
            Some(AtOffice::Lacks(push)) => format!("leave it at the office:  {push}  (or mail {place})"),
            Some(AtOffice::Has) => {
                format!("the office already has it; mail {place} to anyone who does not use the office")
            }
        }
    }
}

/// The result of a verb that hands letters over.
#[derive(Debug, Default)]
pub struct Handed {
    /// News that arrived first, from the office.
    pub news: Vec<News>,
    /// The mail, if there is anything to mail.
    pub mail: Option<Mail>,
    /// The state of the game, if there is no other result.
    pub status: Option<Box<Status>>,
    /// Further notices to show, in sentences.
    pub said: Vec<String>,
}

impl Handed {
    /// Adds a sentence to the notices.
    #[must_use]
    pub fn saying(mut self, line: impl Into<String>) -> Self {
        self.said.push(line.into());
        self
    }
}

/// Letters or a notice that arrived on the way.
#[derive(Debug)]
pub enum News {
    /// Letters that arrived, and the state of their games.
    Letters(Box<Received>),
    /// A sentence to show to the user.
    Said(String),
}
