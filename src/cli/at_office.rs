//! Commands with which players use an office. Results are printed as they arrive.

use std::path::PathBuf;

use super::{
    answer::Answer, office_args::Office, options::Signing, person::AtTerminal, session::unlocks, terminal, told,
};
use crate::{
    keep::home::Home,
    play::{
        at_office as exchange,
        exchanged::{Came, Watched},
        failure::Failure,
        joining::{self, Joining},
        session::Session,
    },
};

/// Runs a command of `office`.
pub(super) fn run(home: Option<PathBuf>, command: &Office) -> Result<Answer, Answer> {
    match command {
        Office::Card { url, witness } => card(url, *witness),
        Office::Join { url, invitation, keep, of, signing } => {
            let joining = Joining { url: url.clone(), invitation: invitation.clone(), keep: keep.clone() };
            unlocks(&Home::find(home)?, signing, |at| joining::join(at, of.name(), &joining)).map(told::exchanged)
        }
        Office::Push { of, signing } => {
            each(&Home::find(home)?, signing, |at, tell| exchange::push(at, of.name(), tell))
        }
        Office::Pull { of, signing } => {
            each(&Home::find(home)?, signing, |at, tell| exchange::pull(at, of.name(), tell))
        }
        Office::Watch { once, of, signing } => watch(&Home::find(home)?, of.name(), *once, signing),
        #[cfg(feature = "office")]
        of_operator => super::office::run(home, of_operator),
    }
}

/// Returns the lines about an office for a file of terms.
fn card(url: &str, witness: bool) -> Result<Answer, Answer> {
    let card = joining::card(url, witness)?;
    Ok(Answer::done(card.lines).saying(format!("the office's fingerprint: {}", card.fingerprint)).saying(
        "put these lines into the terms in place of their [office] section; compare the fingerprint with the office's \
         operator by voice",
    ))
}

/// Works in one game or in several, and prints the result for each as it arrives.
fn each(
    home: &Home,
    signing: &Signing,
    work: impl FnOnce(&Session<'_>, &mut dyn FnMut(Came)) -> Result<(), Failure>,
) -> Result<Answer, Answer> {
    let person = AtTerminal::from(signing);
    let mut all = Answer::default();
    work(&Session { home, person: &person }, &mut |came| {
        let answer = came.came.map_or_else(Answer::from, told::exchanged);
        if let Some(game) = came.game {
            terminal::say(&format!("{game}:"));
        }
        all.code = all.code.max(answer.code);
        terminal::print(&answer);
    })?;
    Ok(all)
}

/// Takes in letters from the office, and prints the news as it arrives.
fn watch(home: &Home, name: Option<&str>, once: bool, signing: &Signing) -> Result<Answer, Answer> {
    let person = AtTerminal::from(signing);
    exchange::watch(&Session { home, person: &person }, name, once, &mut |watched| match watched {
        Watched::Came(exchanged) => drop(terminal::print(&told::exchanged(exchanged))),
        Watched::Failed(game, failure) => {
            failure.why.iter().for_each(|line| terminal::say(&format!("{game}: {line}")));
        }
        Watched::Waits(game) => terminal::say(&format!("waiting for letters in {game}; press Ctrl-C to stop")),
    })?;
    Ok(Answer::default())
}
