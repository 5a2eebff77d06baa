//! The person at this terminal, as `play` asks them.

use std::{cell::OnceCell, path::PathBuf};

use super::{
    options::Signing,
    out_file,
    secrets::{self, From},
    terminal,
};
use crate::{
    keep::{
        StorageError,
        key_file::KeyFile,
        root::{Keys, Root},
    },
    play::session::{CLOSE, Person, Question, Reply},
};

/// The person at this terminal, with the options of the command that they typed.
pub(super) struct AtTerminal {
    /// Whether the command was typed with `--yes`, which answers yes to the program's questions.
    yes: bool,
    no_backup: bool,
    passphrase: From,
    /// The secret, once this command has unlocked it, so that nobody has to type a passphrase twice.
    root: OnceCell<Root>,
    /// The new file for the mail, if the command names one.
    out: Option<PathBuf>,
}

impl AtTerminal {
    /// Makes a person for a command that does not sign letters; `yes` answers its questions.
    pub(super) fn who_says(yes: bool) -> Self {
        Self { yes, no_backup: false, passphrase: From::choose(None), root: OnceCell::new(), out: None }
    }
}

impl std::convert::From<&Signing> for AtTerminal {
    fn from(signing: &Signing) -> Self {
        Self {
            yes: signing.yes,
            no_backup: signing.no_backup,
            passphrase: From::choose(signing.passphrase.passphrase_file.clone()),
            root: OnceCell::new(),
            out: signing.out.clone(),
        }
    }
}

/// The notice for a person who asks for no backup page.
const NO_PAGE: &str = "NO BACKUP, as you asked: if you lose this computer, you lose your key and every game that you \
                       play with it; `sealed-dice key backup` makes a page at any time";

fn asked(question: &Question) -> Reply {
    let answer = match question {
        Question::Sign { ends: true, .. } => terminal::ask_line(&question.to_string()).map(|typed| typed == CLOSE),
        _ => terminal::agree(&question.to_string()),
    };
    match answer {
        Some(true) => Reply::Yes,
        Some(false) => Reply::No,
        None => Reply::Nobody,
    }
}

impl Person for AtTerminal {
    fn ready(&self) -> Result<(), StorageError> {
        self.out.as_deref().map_or(Ok(()), out_file::check)
    }

    fn unlock(&self, file: &KeyFile) -> Result<Keys, StorageError> {
        let root = match self.root.get() {
            Some(root) => root,
            None => {
                let root = secrets::root(file, &self.passphrase)?;
                self.root.get_or_init(|| root)
            }
        };
        Ok(root.keys())
    }

    fn types_a_passphrase(&self, file: &KeyFile) -> bool {
        file.is_protected() && self.passphrase == From::Terminal && self.root.get().is_none()
    }

    fn answers(&self, question: &Question) -> Reply {
        match question {
            Question::WithoutPage(_) if self.no_backup => {
                terminal::say(NO_PAGE);
                Reply::Yes
            }
            Question::WithoutPage(_) => Reply::No,
            // `--yes` does not cover a game that somebody else invites the person to.
            Question::Join(_) => asked(question),
            Question::Sign { mind, .. } if self.yes => {
                mind.iter().for_each(|line| terminal::say(line));
                Reply::Yes
            }
            _ if self.yes => Reply::Yes,
            _ => asked(question),
        }
    }

    fn hears_fingerprint(&self, name: &str) -> Option<String> {
        let question = format!(
            "type the fingerprint that {name} reads to you by voice, or press Enter if you have not compared it:"
        );
        if self.yes { None } else { terminal::ask_line(&question) }
    }

    fn hears(&self, line: &str) {
        terminal::say(line);
    }
}
