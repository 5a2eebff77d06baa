//! Which command does what was typed.

use std::{path::PathBuf, process::ExitCode};

use clap::{CommandFactory, FromArgMatches};

#[cfg(feature = "office")]
use super::office;
use super::{
    answer::Answer,
    args::{Args, Command, Game},
    audit, blanks, demo, key, options,
    play::{self, reply::Again},
    select, stats, terminal, vectors, what_if,
};
use crate::keep::home::Home;

/// Runs the program; see `Answer` for the exit codes.
#[must_use]
pub fn main() -> ExitCode {
    #[cfg(feature = "fail-points")]
    let _scenario = fail::FailScenario::setup();
    let matches = Args::command().get_matches();
    let args = Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let filled_in = blanks::check_arguments(&Args::command(), &matches);
    let answer = filled_in.and_then(|()| run(args.home, args.command)).unwrap_or_else(|answer| answer);
    terminal::print(&answer)
}

fn run(home: Option<PathBuf>, command: Command) -> Result<Answer, Answer> {
    match command {
        Command::Key(key) => Ok(key::run(home, key.command)),
        Command::Demo(args) => Ok(demo::run(args.dir.as_deref())),
        Command::Select(args) => Ok(select::run(&args)),
        Command::Audit(args) => Ok(audit::run(&args, &args.letters.paths(home)?)),
        Command::Stats(args) => Ok(stats::run(&args, &args.letters.paths(home)?)),
        Command::WhatIf(args) => Ok(what_if::run(&args.case, args.json)),
        Command::Vectors(args) => {
            let options::Vectors::Check { dir } = args.command;
            Ok(vectors::run(&dir))
        }
        #[cfg(feature = "office")]
        Command::Office(office) => office::run(home, &office),
        Command::Game(Game::Template { name }) => Ok(play::game::template(&name)),
        command => at_home(&Home::find(home)?, command),
    }
}

/// Whether a command only looks at what is in a player's folder, or moves it.
const fn may_be_away(command: &Command) -> bool {
    use Game::{Continue, Export, Import, List, Status, Terms};
    matches!(command, Command::Resend { .. })
        || matches!(
            command,
            Command::Game(Continue { .. } | Export { .. } | Import { .. } | List | Status { .. } | Terms { .. })
        )
}

/// The verbs of a lasting game.
fn at_home(home: &Home, command: Command) -> Result<Answer, Answer> {
    if !may_be_away(&command) {
        play::moving::check(home)?;
    }
    match command {
        Command::Game(Game::Export { file, yes }) => play::moving::export(home, &file, yes),
        Command::Game(Game::Import { file, yes }) => play::moving::import(home, &file, yes),
        Command::Game(Game::New { file, name, signing }) => play::game::new(home, &file, name.as_deref(), &signing),
        Command::Game(Game::Accept { fingerprint, of, signing }) => {
            play::accept::accept(home, of.name(), &fingerprint, &signing)
        }
        Command::Game(Game::Continue { game, before, role, their_key, out }) => {
            let changed = play::continuing::Changed { before, role, their_key };
            play::continuing::run(home, game.as_deref(), &changed, out.as_deref())
        }
        Command::Game(Game::Terms { of, out }) => play::terms::run(home, of.name(), out.as_deref()),
        Command::Game(Game::Withdraw { of, signing }) => play::withdraw::run(home, of.name(), &signing),
        Command::Game(Game::List) => play::game::list(home),
        Command::Game(Game::Forget { name }) => play::forget::run(home, &name),
        Command::Game(Game::Status { of, json }) => play::status::run(home, of.name(), json),
        Command::Game(Game::Close { result, of, signing }) => play::close::close(home, of.name(), result, &signing),
        Command::Read { keep, paths } => play::read::run(home, &paths, &keep),
        Command::Reply { of, signing } => play::reply::reply(home, of.name(), &signing),
        Command::Resend { numbers, all, everything, of, signing } => {
            let again = match (everything, all) {
                (true, _) => Again::Everything,
                (false, true) => Again::Own,
                (false, false) if numbers.is_empty() => Again::Unknown,
                (false, false) => Again::Numbers(numbers),
            };
            play::reply::resend(home, of.name(), &again, &signing)
        }
        Command::Seal { what, of, signing } => play::seal::seal(home, of.name(), &what, &signing),
        Command::Declare { declaring, of, signing } => play::declare::run(home, of.name(), &declaring, &signing),
        Command::Reveal { slot, moves: true, of, signing, .. } => {
            play::reveal::reveal_moves(home, of.name(), &slot, &signing)
        }
        Command::Reveal { slot, look, of, signing, .. } => play::reveal::reveal(home, of.name(), &slot, look, &signing),
        Command::Decide { slot, name, value, of, signing, .. } => {
            play::decide::decide(home, of.name(), (&slot, &name), value.as_deref(), &signing)
        }
        Command::Note { slot, name, file, of, signing, .. } => {
            play::note::note(home, of.name(), (&slot, &name), file.as_deref(), &signing)
        }
        Command::Correct { mending, of, signing } => play::correct::run(home, of.name(), &mending, &signing),
        Command::Dispute { disputing, of, signing } => play::dispute::run(home, of.name(), &disputing, &signing),
        Command::Rule { ruled, text, of, signing } => play::rule::run(home, of.name(), &ruled, &text, &signing),
        Command::Game(Game::Resync { without, of, signing }) => play::resync::run(home, of.name(), &without, &signing),
        _ => Err(Answer::unable("this command needs no game")),
    }
}
