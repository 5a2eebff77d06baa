//! A player's home and the person who uses it. `play` asks questions and reports progress only through [`Person`].

use std::fmt;

use super::{
    away,
    failure::{Failure, PlayResult},
    typing::Typing,
};
use crate::keep::{
    StorageError,
    home::Home,
    key_file::KeyFile,
    notes::{self, Note, Notes},
    root::Keys,
};

/// A yes-or-no question, with everything that a person should see before answering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether to sign letters.
    Sign {
        /// The letters' contents in lines; the first one names the game, if it has begun.
        lines: Vec<String>,
        /// The lines that a person must not overlook, even if they read nothing else.
        mind: Vec<String>,
        /// Whether the letters end the game for both players, which nobody should agree to unawares.
        ends: bool,
    },
    /// Whether a person agrees to a setting of proposed terms that changes how a game is played.
    Setting(String),
    /// Whether to seal without a backup page to restore the key from. The text names the risk, and says how to make a
    /// page.
    WithoutPage(String),
    /// Whether to go on without the answers of roles that cannot give one. The text names the risk.
    Without(String),
    /// Whether a player moves to another computer, or back.
    Move {
        /// The move that is about to happen.
        what: &'static str,
        /// The consequences, in lines.
        lines: Vec<String>,
        /// The question, such as `export?`.
        ask: &'static str,
    },
    /// Whether to take in a game that the person is invited to. The text is its title and author.
    Join(String),
}

/// An answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Yes: the verb goes on.
    Yes,
    /// No: nothing is done.
    No,
    /// There is nobody to ask.
    Nobody,
}

/// A person at a terminal, a web page or a script. A preview is a run in which every answer is no.
pub trait Person {
    /// Checks that there is a place for the letters that are signed next. It is called before a passphrase and before
    /// each question, so that no letter is signed that cannot be handed over.
    ///
    /// # Errors
    /// If there is no such place; the error names the obstacle.
    fn ready(&self) -> Result<(), StorageError> {
        Ok(())
    }

    /// Unlocks a key file, with its passphrase if it has one, and returns the keys.
    ///
    /// # Errors
    /// Same as [`KeyFile::unlock`]; also `Unable` if nobody gives the passphrase.
    fn unlock(&self, file: &KeyFile) -> Result<Keys, StorageError>;

    /// Whether the person has to type a passphrase before this key file is unlocked. If so, they are asked twice about
    /// content that only the key can show: before the passphrase, and once the content is known.
    fn types_a_passphrase(&self, file: &KeyFile) -> bool {
        file.is_protected()
    }

    /// Answers a question.
    fn answers(&self, question: &Question) -> Reply;

    /// Returns the fingerprint that the person with this name reads aloud; none if the user has not compared it.
    fn hears_fingerprint(&self, name: &str) -> Option<String>;

    /// Receives a sentence about the progress of the work.
    fn hears(&self, line: &str);
}

/// A player's home, and the person at it.
#[derive(Clone, Copy)]
pub struct Session<'s> {
    /// The folder with the player's key and games.
    pub home: &'s Home,
    /// The person who answers questions.
    pub person: &'s dyn Person,
}

impl fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("home", &self.home).finish_non_exhaustive()
    }
}

impl Session<'_> {
    /// Whether the next unlocking makes the person type a passphrase.
    pub(super) fn costs_a_passphrase(&self) -> PlayResult<bool> {
        Ok(self.person.types_a_passphrase(&KeyFile::open(&self.home.key_file())?))
    }

    /// Unlocks the party's keys. Callers make every check that needs no keys first, because a passphrase takes time.
    /// Before they sign anything, they also show it and ask.
    pub(super) fn unlock(&self) -> PlayResult<Keys> {
        self.person.ready()?;
        away::check(self.home)?;
        Ok(self.person.unlock(&KeyFile::open(&self.home.key_file())?)?)
    }

    /// Checks that the key can be restored if this machine is lost, before anything is sealed with it.
    pub(super) fn check_page(&self) -> PlayResult<()> {
        let fingerprint = KeyFile::open(&self.home.key_file())?.fingerprint();
        if Notes::of(self.home).settle_page(&fingerprint) {
            return Ok(());
        }
        let why = format!(
            "your key has no printed page yet: if this machine is lost, nothing that you seal can ever be opened. Make \
             one first:  {}",
            Typing::of(self.home, "", true).command("key backup --out page.html")
        );
        match self.person.answers(&Question::WithoutPage(why.clone())) {
            Reply::Yes => Ok(notes::add(self.home, Note::NoPage, &fingerprint)?),
            Reply::No | Reply::Nobody => {
                Err(Failure::refused(format!("{why}\nor add --no-backup once if you do not want a page")))
            }
        }
    }

    /// Shows letters that are about to be signed, and asks for consent.
    ///
    /// # Errors
    /// If the person says no, or no person is there; `Nothing` if there is nothing to sign.
    pub(super) fn ask_to_sign(&self, lines: &[String], mind: Vec<String>, ends: bool) -> PlayResult<()> {
        if lines.is_empty() {
            return Err(Failure::new(
                super::failure::Kind::Nothing,
                "there is nothing to sign; `sealed-dice game status` shows whose move it is",
            ));
        }
        self.person.ready()?;
        let question = Question::Sign { lines: lines.to_vec(), mind, ends };
        self.ask(&question, "not signed; nothing has changed")
    }

    /// Asks a question and fails unless the answer is yes.
    ///
    /// # Errors
    /// `Refused` with `said_no`; `Unable` if no person is there.
    pub(super) fn ask(&self, question: &Question, said_no: &str) -> PlayResult<()> {
        match self.person.answers(question) {
            Reply::Yes => Ok(()),
            Reply::No => Err(Failure::refused(said_no)),
            Reply::Nobody => Err(Failure::unable(format!(
                "{question} nobody is here to answer: check the question, then add --yes to agree"
            ))),
        }
    }
}

/// Writes the question as a person reads it, with everything that they should see first.
impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let block =
            |lines: &[String]| lines.iter().map(|line| format!("  {line}\n")).collect::<String>().trim_end().to_owned();
        match self {
            Self::Sign { lines, ends, .. } => write!(
                f,
                "you are about to sign this, and you cannot take it back:\n{}\n{}",
                block(lines),
                if *ends { format!("type the word {CLOSE} to sign it:") } else { "sign?".to_owned() }
            ),
            Self::Setting(line) => write!(f, "{line}\ndo you agree to this?"),
            Self::WithoutPage(why) => f.write_str(why),
            Self::Without(risk) => write!(f, "{risk}. Go on without their answers?"),
            Self::Move { what, lines, ask } => write!(f, "{what}:\n{}\n{ask}", block(lines)),
            Self::Join(what) => write!(f, "{what}: join it?"),
        }
    }
}

/// The word that a player types to end a game.
pub const CLOSE: &str = "close";
