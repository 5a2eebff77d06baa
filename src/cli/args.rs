//! Arguments as typed.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use crate::{
    report::stats::Good,
    resolve::coin_envelopes::hexes::{DoubleLetters, Grammar},
};

/// Dice for board wargames by mail that neither player can steer, peek at or deny.
#[derive(Debug, Parser)]
#[command(name = "sealed-dice", version, max_term_width = 100)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Play the double-impulse example between two throwaway players, write their letters, audit them
    Demo(Demo),
    /// Compute the hex worksheet alone: products, total, remainder, envelope and row of each attack
    Select(Select),
    /// Check a transcript as an outsider: files, folders, or - for standard input
    Audit(Audit),
    /// Tell what the dice of a transcript did and how high each player rolled, with error bars
    Stats(Stats),
    /// Run a resolver on stated draws, which is no evidence
    WhatIf(WhatIf),
    /// Run test vectors
    Vectors(VectorsArgs),
}

#[derive(Debug, ClapArgs)]
pub(super) struct Demo {
    /// Folder to write the letters to; it must be empty or new [default: a new folder among the temporary files]
    #[arg(long)]
    pub(super) dir: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Select {
    /// Combat sheet, JSON or CSV (columns hexes,odds,order; hexes joined by +), or -
    pub(super) sheet: PathBuf,
    /// Number of envelopes
    #[arg(long, default_value_t = 5)]
    pub(super) envelopes: u64,
    /// The players' hex value chart, TOML [default: the house chart]
    #[arg(long)]
    pub(super) chart: Option<PathBuf>,
    /// How the map names its hexes [default: letters or numeric4, read off the sheet]
    #[arg(long)]
    pub(super) grammar: Option<GrammarArg>,
    /// What two letters mean
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

#[derive(Debug, ClapArgs)]
pub(super) struct Audit {
    /// Files or folders with letters, or - for standard input
    #[arg(required = true)]
    pub(super) paths: Vec<PathBuf>,
    /// Print one JSON object a game
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Stats {
    /// Files or folders with letters, or - for standard input
    #[arg(required = true)]
    pub(super) paths: Vec<PathBuf>,
    /// Call high or low totals lucky [default: neither; rules differ in what is good]
    #[arg(long)]
    pub(super) good: Option<GoodArg>,
    /// Print one JSON object a game
    #[arg(long)]
    pub(super) json: bool,
    /// Draw a picture to this file, which is replaced
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
    /// Case, JSON, or -
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
    /// Check every vector below a folder
    Check {
        /// Folder
        dir: PathBuf,
    },
}
