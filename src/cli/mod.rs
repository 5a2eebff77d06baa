//! The command line: a thin edge around the library. Arguments are in `args`, each command in a file of its own, and
//! only `terminal` prints.

mod args;
pub mod audit;
mod demo;
mod select;
mod stats;
mod terminal;
pub mod vectors;
mod what_if;

use std::{fs, io::Read, path::Path, process::ExitCode};

use clap::Parser;
use serde::Serialize;

use self::args::{Args, Command};
use crate::blob::json;

/// What a command has to say. Exit code 0: verified or done; 1: refused or found false; 2: could not tell.
#[derive(Debug, Default)]
struct Answer {
    /// The answer itself, for stdout.
    out: String,
    /// Talk, for stderr: lower case, no full stop.
    talk: Vec<String>,
    code: u8,
}

impl Answer {
    fn done(out: String) -> Self {
        Self { out, ..Self::default() }
    }

    /// What was asked was found wrong.
    fn refused(why: impl Into<String>) -> Self {
        Self { talk: vec![why.into()], code: 1, ..Self::default() }
    }

    /// Nothing could be found out.
    fn unable(why: impl Into<String>) -> Self {
        Self { talk: vec![why.into()], code: 2, ..Self::default() }
    }
}

/// Runs the program; see `Answer` for the exit codes.
#[must_use]
pub fn main() -> ExitCode {
    let answer = match Args::parse().command {
        Command::Demo(args) => demo::run(args.dir.as_deref()),
        Command::Select(args) => select::run(&args),
        Command::Audit(args) => audit::run(&args.paths, args.json),
        Command::Stats(args) => stats::run(&args),
        Command::WhatIf(args) => what_if::run(&args.case, args.json),
        Command::Vectors(args) => {
            let args::Vectors::Check { dir } = args.command;
            vectors::run(&dir)
        }
    };
    terminal::print(&answer)
}

/// A line of JSON, its fields in the order of their names.
fn json_line(value: &impl Serialize) -> String {
    let text = json::to_value(value).and_then(|value| json::encode(&value));
    text.map(|text| text + "\n").unwrap_or_default()
}

/// Reads a file, or standard input for `-`.
fn read_input(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| ())
    } else {
        if path.is_dir() {
            return Err(format!("{} is a folder, and a file is meant", path.display()));
        }
        fs::read(path).map(|content| bytes = content)
    };
    match read {
        Ok(()) => Ok(bytes),
        Err(error) => Err(format!("{} cannot be read: {error}", path.display())),
    }
}
