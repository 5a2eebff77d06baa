//! Options that several commands share, and those of commands without a file of verbs.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::answer::Answer;
use crate::{
    keep::home::Home,
    play::find::letters_of_game,
    report::stats::Good,
    resolve::coin_envelopes::hexes::{DoubleLetters, Grammar},
};

/// The game that a command is about.
#[derive(Debug, ClapArgs)]
pub(super) struct Of {
    /// The game's name from `game list`; not needed if you have only one game
    #[arg(long, global = true)]
    pub(super) game: Option<String>,
}

impl Of {
    pub(super) fn name(&self) -> Option<&str> {
        self.game.as_deref()
    }
}

/// The options of a verb that signs letters and hands them over.
#[derive(Debug, ClapArgs)]
pub(super) struct Signing {
    /// Sign without asking
    #[arg(long, global = true)]
    pub(super) yes: bool,
    /// Write the mail's text to a new file instead of standard output; a name that ends in .eml gives a mail
    /// with a subject
    #[arg(long, global = true)]
    pub(super) out: Option<PathBuf>,
    /// Seal without a backup page for your key; given once, this is remembered for the key
    #[arg(long, global = true)]
    pub(super) no_backup: bool,
    #[command(flatten)]
    pub(super) passphrase: Passphrase,
}

#[derive(Debug, ClapArgs)]
pub(super) struct KeyArgs {
    #[command(subcommand)]
    pub(super) command: Key,
}

#[derive(Debug, Subcommand)]
pub(super) enum Key {
    /// Make a key; you sign a whole game with the key that you began it with
    New {
        /// Also write a page to print that restores the key, like `key backup`; a name that ends in .html adds a QR
        /// code
        #[arg(long, value_name = "FILE")]
        backup: Option<PathBuf>,
        #[command(flatten)]
        lock: NewLock,
    },
    /// Show the public key and its fingerprint; needs no passphrase
    Show {
        /// Also show your deposit key, which players need if you are their referee; this needs the passphrase
        #[arg(long)]
        deposit: bool,
        #[command(flatten)]
        passphrase: Passphrase,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write a page to print that restores your key; it is as secret as the key itself
    Backup {
        /// New file for the page; a name that ends in .html adds a QR code [default: text on standard output]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        #[command(flatten)]
        passphrase: Passphrase,
    },
    /// Record that somebody in a game of yours has read you their fingerprint by voice after the game began
    Compared {
        /// The fingerprint, as they read it
        #[arg(required = true)]
        fingerprint: Vec<String>,
    },
    /// Restore a key from its page
    Restore {
        /// File with the page or its code, or - for standard input [default: you type the code]
        page: Option<PathBuf>,
        #[command(flatten)]
        lock: NewLock,
    },
}

/// The source of a passphrase; never an argument, which every user of the machine could read.
#[derive(Debug, ClapArgs)]
pub(super) struct Passphrase {
    /// File whose first line is the passphrase [default: SEALED_DICE_PASSPHRASE_FILE, or you type it]
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) passphrase_file: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct NewLock {
    #[command(flatten)]
    pub(super) passphrase: Passphrase,
    /// Leave the key file unlocked: anyone who can read it has the key
    #[arg(long, conflicts_with = "passphrase_file")]
    pub(super) no_passphrase: bool,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Demo {
    /// New or empty folder for the letters [default: they are not kept]
    #[arg(long)]
    pub(super) dir: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Select {
    /// Combat sheet: CSV, .xlsx or .ods (columns hexes,odds,order; hexes joined by +), JSON, or -
    pub(super) sheet: PathBuf,
    /// Number of envelopes
    #[arg(long, default_value_t = 5)]
    pub(super) envelopes: u64,
    /// The players' hex value chart, as TOML [default: the house chart]
    #[arg(long)]
    pub(super) chart: Option<PathBuf>,
    /// How the map names its hexes [default: letters or numeric4, as the sheet shows]
    #[arg(long)]
    pub(super) grammar: Option<GrammarArg>,
    /// How columns go on after Z
    #[arg(long, default_value = "doubled")]
    pub(super) double_letters: DoubleLettersArg,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum GrammarArg {
    /// F12
    Letters,
    /// 0824
    Numeric4,
    /// A43.01
    Mapnumeric,
}

impl From<GrammarArg> for Grammar {
    fn from(arg: GrammarArg) -> Self {
        match arg {
            GrammarArg::Letters => Self::Letters,
            GrammarArg::Numeric4 => Self::Numeric4,
            GrammarArg::Mapnumeric => Self::MapNumeric,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum DoubleLettersArg {
    /// AA follows Z, then BB
    Doubled,
    /// AA follows Z, then AB
    Spreadsheet,
}

impl From<DoubleLettersArg> for DoubleLetters {
    fn from(arg: DoubleLettersArg) -> Self {
        match arg {
            DoubleLettersArg::Doubled => Self::Doubled,
            DoubleLettersArg::Spreadsheet => Self::Spreadsheet,
        }
    }
}

/// The places of the letters in a transcript.
#[derive(Debug, ClapArgs)]
pub(super) struct Letters {
    /// Files or folders with letters, or - for standard input
    #[arg(required_unless_present = "game")]
    pub(super) paths: Vec<PathBuf>,
    /// A game of yours, named as in `game list`, whose letters are also read
    #[arg(long)]
    pub(super) game: Option<String>,
}

impl Letters {
    /// Returns the named paths, with that of the game.
    pub(super) fn paths(&self, home: Option<PathBuf>) -> Result<Vec<PathBuf>, Answer> {
        let game = self.game.as_deref().map(|game| letters_of_game(&Home::find(home)?, game)).transpose()?;
        Ok(self.paths.iter().cloned().chain(game).collect())
    }
}

#[derive(Debug, ClapArgs)]
pub(super) struct Audit {
    #[command(flatten)]
    pub(super) letters: Letters,
    /// Print one JSON object for each game
    #[arg(long)]
    pub(super) json: bool,
    /// Also write the audit to a new file, as one HTML page to read or print
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
    /// Folder with tables that the terms withhold (.toml, .json); their fingerprints identify them
    #[arg(long, value_name = "DIR")]
    pub(super) tables: Option<PathBuf>,
    /// Look in this folder for the files that letters name as records of moves, and compare lengths and hashes
    #[arg(long, value_name = "DIR")]
    pub(super) files: Option<PathBuf>,
    /// Audit nothing now; write to a new file the page that audits in any browser
    #[arg(long, value_name = "FILE", exclusive = true)]
    pub(super) page: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Stats {
    #[command(flatten)]
    pub(super) letters: Letters,
    /// Call high or low totals lucky [default: neither, because games differ]
    #[arg(long)]
    pub(super) good: Option<GoodArg>,
    /// Print one JSON object for each game
    #[arg(long)]
    pub(super) json: bool,
    /// Write a picture to a new file
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum GoodArg {
    /// High is lucky
    High,
    /// Low is lucky
    Low,
}

impl From<GoodArg> for Good {
    fn from(arg: GoodArg) -> Self {
        match arg {
            GoodArg::High => Self::High,
            GoodArg::Low => Self::Low,
        }
    }
}

#[derive(Debug, ClapArgs)]
pub(super) struct WhatIf {
    /// The case, as JSON, or - for standard input
    pub(super) case: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(super) struct VectorsArgs {
    #[command(subcommand)]
    pub(super) command: Vectors,
}

#[derive(Debug, Subcommand)]
pub(super) enum Vectors {
    /// Check every test vector in a folder and its subfolders
    Check {
        /// The folder
        dir: PathBuf,
    },
}
