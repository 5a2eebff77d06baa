//! What is handed over: letters under their cover, as a mail to paste or to save.

use std::path::PathBuf;

use super::{received::Received, state::Status};
use crate::mail::write::{self, Outgoing};

/// Letters that are signed and kept, and wait to be mailed.
#[derive(Clone, Debug)]
pub struct Mail {
    /// The names of those who should get it, safe to show.
    pub to: String,
    /// What the mail is about, such as the title, the role and the numbers of letters.
    pub subject: String,
    /// What stands above the letters, for whoever reads the mail.
    pub cover: String,
    /// Each letter as a block of text.
    pub letters: Vec<String>,
    /// What it is, in a sentence.
    pub about: String,
    /// Where the letters lie.
    pub kept_in: PathBuf,
    /// What the office of the game has of it; none where letters go by mail alone.
    pub office: Option<AtOffice>,
}

/// What an office has of the letters in a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AtOffice {
    /// The office has all letters of the mail's author.
    Has,
    /// Not all: this is typed to leave them.
    Lacks(String),
}

impl Mail {
    /// The mail as text.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}\n{}", self.cover, self.letters.join("\n"))
    }

    /// A file that a mail program opens as a draft: it fills in who sends it to whom, and when.
    #[must_use]
    pub fn eml(&self) -> Vec<u8> {
        let (subject, cover, letters) = (self.subject.clone(), self.cover.clone(), self.letters.clone());
        write::eml(&Outgoing { subject, cover, letters, ..Outgoing::default() })
    }

    /// What to do with it, once it is in `place`: it is mailed, or left at the office that its letters go through.
    #[must_use]
    pub fn next_step(&self, place: &str) -> String {
        match &self.office {
            None => format!("mail {place}"),
            Some(AtOffice::Lacks(push)) => format!("leave it at the office:  {push}  (or mail {place})"),
            Some(AtOffice::Has) => format!("the office has it already; mail {place} to whoever does not look there"),
        }
    }
}

/// What came of a verb that hands letters over.
#[derive(Debug, Default)]
pub struct Handed {
    /// What came from the office before.
    pub news: Vec<News>,
    /// The mail, if there is anything to mail.
    pub mail: Option<Mail>,
    /// How the game stands, where that is all that came of it.
    pub status: Option<Box<Status>>,
    /// What else there is to say, in sentences.
    pub said: Vec<String>,
}

impl Handed {
    /// With one more sentence.
    #[must_use]
    pub fn saying(mut self, line: impl Into<String>) -> Self {
        self.said.push(line.into());
        self
    }
}

/// Something that came, or was heard, on the way.
#[derive(Debug)]
pub enum News {
    /// Letters that came, and how their games stand.
    Letters(Box<Received>),
    /// A sentence that was heard on the way.
    Said(String),
}
