//! Runs the command that was typed.

use std::{path::PathBuf, process::ExitCode};

use clap::{CommandFactory, FromArgMatches};

#[cfg(feature = "client")]
use super::at_office;
#[cfg(feature = "desk")]
use super::desk;
#[cfg(feature = "packaging")]
use super::packaging;
use super::{
    answer::Answer,
    args::{Args, Command, Game},
    audit, blanks, demo, help, home, key,
    options::{self, Audit},
    select, stats, terminal, vectors, what_if,
};
use crate::{keep::home::Home, play::charter_file::templates::TEMPLATES};

/// Runs the program, and returns its exit code (see `Answer`).
#[must_use]
pub fn main() -> ExitCode {
    #[cfg(feature = "fail-points")]
    let _scenario = fail::FailScenario::setup();
    let mut known = Args::command();
    let matches = known.try_get_matches_from_mut(std::env::args_os()).unwrap_or_else(|error| error.exit());
    let args = Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let filled_in = blanks::check_arguments(&known, &matches);
    let answer = filled_in.and_then(|()| run(args.home, args.command)).unwrap_or_else(|answer| answer);
    terminal::print(&answer)
}

fn run(home: Option<PathBuf>, command: Command) -> Result<Answer, Answer> {
    match command {
        Command::Help { words } => help::run(&words),
        Command::Key(key) => Ok(key::run(home, key.command)),
        #[cfg(feature = "desk")]
        Command::Desk { no_browser } => Ok(desk::run(Home::find(home)?, !no_browser)?),
        #[cfg(feature = "packaging")]
        Command::Packaging { dir } => Ok(packaging::run(&dir)),
        Command::Demo(args) => Ok(demo::run(args.dir.as_deref())),
        Command::Select(args) => Ok(select::run(&args)),
        Command::Audit(Audit { page: Some(file), .. }) => Ok(audit::write_page(&file)),
        Command::Audit(args) => Ok(audit::run(&args, &args.letters.paths(home)?)),
        Command::Stats(args) => Ok(stats::run(&args, &args.letters.paths(home)?)),
        Command::WhatIf(args) => Ok(what_if::run(&args.case, args.json)),
        Command::Vectors(args) => {
            let options::Vectors::Check { dir } = args.command;
            Ok(vectors::run(&dir))
        }
        #[cfg(feature = "client")]
        Command::Office(office) => at_office::run(home, &office),
        Command::Game(Game::Template { name }) => template(&name),
        command => home::run(&Home::find(home)?, command),
    }
}

/// `game template`: prints commented terms.
fn template(name: &str) -> Result<Answer, Answer> {
    let known = TEMPLATES.iter().find(|(known, _)| *known == name);
    let (_, text) = known.ok_or_else(|| {
        Answer::unable(format!("{name:?} is not a template; `sealed-dice game template --help` lists them"))
    })?;
    Ok(Answer::done((*text).to_owned()))
}
