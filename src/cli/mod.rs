//! The command line: a thin edge around the library. Arguments are in `args`, each command in a file of its own, and
//! only `terminal` prints.

mod args;
pub mod audit;
mod backup_page;
mod blanks;
mod demo;
mod files;
mod hidden_vectors;
mod key;
mod key_vectors;
#[cfg(feature = "office")]
mod office;
mod out_file;
mod play;
pub mod secrets;
mod select;
mod stats;
mod tables;
mod terminal;
pub mod vectors;
mod what_if;

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{CommandFactory, FromArgMatches};
use serde::Serialize;

use self::args::{Args, Command, Game};
use crate::{
    blob::json,
    keep::{Trouble, home::Home},
    limits::FRAME_BYTES,
    primitive::secret::SecretText,
    report::{rules::behind, text::escaped},
};

/// What a command has to say. Exit code 0: verified or done; 1: refused or found false; 2: could not tell. Of what an office
/// answers: [`AWAY`], [`BUSY`] and [`DECLINED`].
#[derive(Debug, Default)]
struct Answer {
    /// The answer itself, for stdout.
    out: String,
    /// An answer that is a secret, printed behind the other one.
    secret: Option<SecretText>,
    /// Talk, for stderr: lower case, no full stop.
    talk: Vec<String>,
    /// What to do next, said behind the answer.
    next: Option<String>,
    code: u8,
}

/// The exit code where an office cannot be reached, or does not do its part: the letters are kept, and mail works.
#[cfg(feature = "office")]
const AWAY: u8 = 3;
/// The exit code where an office asks to be asked again later.
#[cfg(feature = "office")]
const BUSY: u8 = 4;
/// The exit code where an office refuses, and would again.
#[cfg(feature = "office")]
const DECLINED: u8 = 5;

impl Answer {
    fn done(out: String) -> Self {
        Self { out, ..Self::default() }
    }

    /// With a line of talk.
    fn saying(mut self, line: impl Into<String>) -> Self {
        self.talk.push(line.into());
        self
    }

    /// What was asked was found wrong; the rules that say so stand behind the words.
    fn refused(why: impl Into<String>) -> Self {
        Self { talk: vec![behind(&why.into())], code: 1, ..Self::default() }
    }

    /// The same where a code 1 would say that a game is refuted.
    fn untold(self) -> Self {
        Self { code: 2, ..self }
    }

    /// Nothing could be found out.
    fn unable(why: impl Into<String>) -> Self {
        Self { talk: vec![why.into()], code: 2, ..Self::default() }
    }
}

impl From<Trouble> for Answer {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Refused(why) => Self::refused(why),
            Trouble::Unable(why) => Self::unable(why),
        }
    }
}

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
            let args::Vectors::Check { dir } = args.command;
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
            play::game::accept(home, of.name(), &fingerprint, &signing)
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
            play::reply::resend(home, of.name(), &numbers, (all, everything), &signing)
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
        Command::Correct { mending, of, signing } => play::mend::run(home, of.name(), &mending, &signing),
        Command::Dispute { disputing, of, signing } => play::dispute::run(home, of.name(), &disputing, &signing),
        Command::Rule { ruled, text, of, signing } => play::rule::run(home, of.name(), &ruled, &text, &signing),
        Command::Game(Game::Resync { without, of, signing }) => play::resync::run(home, of.name(), &without, &signing),
        _ => Err(Answer::unable("this command needs no game")),
    }
}

/// A line of JSON, its fields in the order of their names. It is for tools: no letter, it may be deeper than one, and unseen
/// characters are escaped.
fn json_line(value: &impl Serialize) -> String {
    json::to_value(value).map(|value| format!("{}\n", escaped(&value.to_string()))).unwrap_or_default()
}

/// Reads a text, from a file or, for `-`, from standard input. A byte order mark at its beginning is no part of it.
fn read_text(path: &Path) -> Result<String, String> {
    let bytes = read_input(path)?;
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(format!(
            "{} is UTF-16 text, as `>` in the old PowerShell writes it; save it as UTF-8: in Notepad with \"Save as\" and the \
             encoding UTF-8, or type the command again in cmd",
            path.display()
        ));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| format!("{} is not UTF-8 text; save it as UTF-8 in your editor", path.display()))?;
    match text.strip_prefix('\u{feff}') {
        Some(rest) => Ok(rest.to_owned()),
        None => Ok(text),
    }
}

/// Reads a file that somebody wrote, or standard input for `-`: no more of it than a letter has room for.
fn read_input(path: &Path) -> Result<Vec<u8>, String> {
    let most = FRAME_BYTES as u64;
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().lock().take(most + 1).read_to_end(&mut bytes)
    } else {
        if path.is_dir() {
            return Err(format!("{} is a folder, and a file is meant", path.display()));
        }
        fs::File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes))
    };
    match read {
        Ok(_) if bytes.len() as u64 > most => {
            Err(format!("{} has more than {most} bytes: no letter has room for that", path.display()))
        }
        Ok(_) => Ok(bytes),
        Err(error) => Err(format!("{} cannot be read: {error}", path.display())),
    }
}
