//! From what a player wants to say to letters on the disk and a text for the mail. The player sees first what he signs.

use std::{fs, path::PathBuf};

use super::{Answer, Stage, Table, Told, View, verbs::owed, words};
use crate::{
    blob::{Body, body::Hex32},
    cli::{args::Passphrase, secrets, terminal},
    game::{
        ledger::Ledger,
        steps::{Letter, Seat},
    },
    keep::{folder::Stored, home::Home, random, root::Keys},
};

/// How a verb signs and hands over.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Signing {
    /// Sign without asking
    #[arg(long)]
    pub(in crate::cli) yes: bool,
    /// Write the mail's text to a file instead of standard output
    #[arg(long)]
    pub(in crate::cli) out: Option<PathBuf>,
    #[command(flatten)]
    passphrase: Passphrase,
}

impl Signing {
    /// The player's keys.
    pub(super) fn unlock(&self, home: &Home) -> Told<Keys> {
        Ok(secrets::unlock(home, &secrets::From::choose(self.passphrase.passphrase_file.clone()))?)
    }
}

/// Fresh randomness of the system.
pub(super) fn fresh() -> Told<Hex32> {
    Ok(Hex32(random::bytes()?))
}

impl Table {
    /// Signs what `say` comes to, keeps the letters, and gives the text of a mail with them. An interrupted command has
    /// kept a letter or has not; whatever is kept is printed again by `resend`.
    pub(super) fn sign(
        mut self,
        home: &Home,
        signing: &Signing,
        say: impl FnOnce(&View<'_, '_>, &Seat) -> Told<Vec<Body>>,
    ) -> Told<Answer> {
        let keys = signing.unlock(home)?;
        let letters = self.view(|view| {
            view.check_chain()?;
            let mut seat = Seat::resume(view.ledger, view.me, keys.signing().clone(), keys.vault().clone());
            let mut bodies = say(view, &seat)?;
            // Every mail brings along what is owed, so that nobody waits for envelopes that were forgotten.
            let owed = owed(view, &seat, &bodies)?;
            bodies.extend(owed);
            let lines = bodies.iter().map(|body| words::body(body, Some(view.ledger)));
            ask(&lines.collect::<Vec<_>>(), signing)?;
            let mut letters = Vec::new();
            for body in bodies {
                letters.push(seat.write(body)?);
            }
            Ok(letters)
        })?;
        self.keep(letters)?;
        self.mail(signing, None)
    }

    /// Keeps signed letters, each whole before the next.
    pub(super) fn keep(&mut self, letters: Vec<Letter>) -> Told<()> {
        for Letter { message, frame } in letters {
            self.folder.keep(&message, &frame)?;
            self.stored.push(Stored { message, frame });
        }
        Ok(())
    }

    /// The mail with this player's letters: those of certain numbers, or all that the other is not known to have.
    pub(super) fn mail(&self, signing: &Signing, numbers: Option<&[u64]>) -> Told<Answer> {
        let known = self.known_to_other();
        let role = self.terms.role(self.me);
        let mut letters: Vec<&Stored> = self
            .stored
            .iter()
            .filter(|letter| {
                let head = letter.message.head();
                head.author == *role && numbers.map_or(head.number > known, |numbers| numbers.contains(&head.number))
            })
            .collect();
        letters.sort_by_key(|letter| letter.message.head().number);
        let other = self.terms.party(self.me.other());
        if letters.is_empty() {
            return Ok(Answer::done(String::new()).saying(format!(
                "nothing to mail: {} is known to have all your letters; `sealed-dice resend NUMBER` prints one again",
                terminal::visible(&other.name)
            )));
        }
        let text = match self.stage {
            Stage::Begun(_) => self.view(|view| Ok(self.text(&letters, Some(view.ledger))))?,
            Stage::Proposed => self.text(&letters, None),
        };
        let count = letters.len();
        let talk = format!(
            "{count} letter{} for {}; they are kept in {}",
            if count == 1 { "" } else { "s" },
            terminal::visible(&other.name),
            self.folder.letters_path().display()
        );
        match &signing.out {
            None => Ok(Answer::done(text).saying(format!("{talk}; mail the text above"))),
            Some(path) => {
                fs::write(path, text).map_err(|error| {
                    Answer::unable(format!(
                        "{} cannot be written: {error}; the letters are kept, `sealed-dice resend` prints them",
                        path.display()
                    ))
                })?;
                Ok(Answer::done(String::new()).saying(format!("{talk}; mail the text in {}", path.display())))
            }
        }
    }

    /// The last of this player's letters that the other's letters show him to have.
    fn known_to_other(&self) -> u64 {
        let role = self.terms.role(self.me);
        let other = self.terms.role(self.me.other());
        let theirs = self.stored.iter().filter(|letter| letter.message.head().author == *other);
        let seen = theirs.filter_map(|letter| letter.message.head().seen.get(role));
        let numbers = seen.filter_map(|id| {
            self.stored.iter().find(|letter| letter.message.id() == id).map(|letter| letter.message.head().number)
        });
        numbers.max().unwrap_or(0)
    }

    fn text(&self, letters: &[&Stored], ledger: Option<&Ledger<'_>>) -> String {
        let mut out = format!(
            "{} to {}, {:?}. Take this mail in with: sealed-dice read\n\n",
            terminal::visible(&self.terms.party(self.me).name),
            terminal::visible(&self.terms.party(self.me.other()).name),
            terminal::visible(&self.terms.charter.title),
        );
        for letter in letters {
            let number = letter.message.head().number;
            out.push_str(&format!("  letter {number}: {}\n", words::of(&letter.message, ledger)));
        }
        for letter in letters {
            out.push('\n');
            out.push_str(&letter.armour());
        }
        out
    }
}

/// Shows what is about to be signed, and asks.
pub(super) fn ask(lines: &[String], signing: &Signing) -> Told<()> {
    if lines.is_empty() {
        return Err(Answer::done(String::new()).saying("nothing is owed"));
    }
    if signing.yes {
        return Ok(());
    }
    let question = format!(
        "you are about to sign, and it cannot be taken back:\n{}\nsign?",
        lines.iter().map(|line| format!("  {line}\n")).collect::<String>().trim_end()
    );
    match terminal::agree(&question) {
        Some(true) => Ok(()),
        Some(false) => Err(Answer::refused("not signed; nothing has changed")),
        None => Err(Answer::unable(format!("{question} there is nobody to ask here: look at it and add --yes"))),
    }
}
