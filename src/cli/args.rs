//! The commands and their arguments, as typed.

use std::path::PathBuf;

use clap::{Parser, Subcommand, builder::PossibleValuesParser};

use super::{
    options::{Audit, Demo, KeyArgs, Of, Select, Signing, Stats, VectorsArgs, WhatIf},
    verbs::{CorrectVerb, Declaring, DisputeVerb, RuleVerb},
    version,
};
use crate::play::charter_file::templates::TEMPLATES;

/// The names of the templates, as `game template --help` lists them.
fn template_names() -> PossibleValuesParser {
    TEMPLATES.iter().map(|(name, _)| *name).collect::<Vec<_>>().into()
}

/// The first commands for a newcomer.
const BEGIN: &str = "\
To begin a game by mail, both players:  sealed-dice key new
one of them:   sealed-dice game new, which asks about the game, and mail what it prints
the other:     sealed-dice read MAIL, then sealed-dice game accept, and mail what it prints
from then on:  sealed-dice read MAIL, and sealed-dice game status, which says what to type next";

/// Dice for board wargames by mail that neither player can steer, peek at or deny.
#[derive(Debug, Parser)]
#[command(name = "sealed-dice", version, long_version = version::LONG.as_str(), max_term_width = 100, after_help = BEGIN, disable_help_subcommand = true)]
pub(super) struct Args {
    /// Folder for your key and games [default: SEALED_DICE_HOME, or sealed-dice in your data folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) home: Option<PathBuf>,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Print a page of the manual, or the help for a command
    Help {
        /// A topic or a command [default: list the topics]
        #[arg(value_name = "TOPIC")]
        words: Vec<String>,
    },
    /// Play in your browser: pages for everything that the commands do
    #[cfg(feature = "desk")]
    Desk {
        /// Do not open a browser
        #[arg(long)]
        no_browser: bool,
    },
    /// Write manual pages and completions into a folder, for a package
    #[cfg(feature = "packaging")]
    #[command(hide = true)]
    Packaging {
        /// The folder
        dir: PathBuf,
    },
    /// Play the double-impulse example between two made-up players, and audit their letters
    Demo(Demo),
    /// Work out a hex worksheet on its own: products, total, remainder, and each attack's envelope and row
    Select(Select),
    /// Check a transcript as an outsider would: files, folders, or - for standard input
    Audit(Audit),
    /// Show statistics about a transcript's dice and how high each player rolled, with error bars
    Stats(Stats),
    /// Work out a system's result for given draws; it is not evidence
    WhatIf(WhatIf),
    /// Make, show, back up or restore your key
    Key(KeyArgs),
    /// Run test vectors
    Vectors(VectorsArgs),
    /// Begin a game, show its status, move it to another computer, or close it
    #[command(subcommand)]
    Game(Game),
    /// Read the letters in mails: files, folders, - for standard input, or the clipboard
    Read {
        /// Keep an invitation although many already wait for your answer; `read` lists its ID
        #[arg(long, value_name = "ID")]
        keep: Vec<String>,
        /// Read the mail that you have copied to the clipboard
        #[arg(long, conflicts_with = "paths")]
        clipboard: bool,
        /// Files or folders
        #[arg(required_unless_present = "clipboard")]
        paths: Vec<PathBuf>,
    },
    /// Write one mail with everything that you owe
    Reply {
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Print again, byte for byte, the letters that your opponent may not have, or the letters that you name
    Resend {
        /// Numbers of the letters of yours to print
        numbers: Vec<u64>,
        /// Print all your letters
        #[arg(long)]
        all: bool,
        /// Print every letter in the game, including the other people's
        #[arg(long, conflicts_with_all = ["numbers", "all"])]
        everything: bool,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Seal envelopes for a slot, or the next `sheet` or `foul-up` set
    Seal {
        /// A slot, `sheet` or `foul-up`
        what: String,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Declare what you roll for, and the moves that the rolls belong to
    Declare {
        #[command(flatten)]
        declaring: Declaring,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Open only the envelopes that a declaration selects; or look at your own private rolls, or show them
    Reveal {
        /// The declared slot, or the beginning of its declaration's id
        slot: String,
        /// Only look at your own private rolls; nothing is signed
        #[arg(long)]
        look: bool,
        /// Open the note with your sealed moves now, instead of at the close
        #[arg(long, conflicts_with = "look")]
        moves: bool,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Sign a choice that the terms require before a slot is declared
    Decide {
        /// The slot that the choice is for
        slot: String,
        /// The choice's name in the terms
        name: String,
        /// Your choice; a long one goes in a TOML file (see --form)
        #[arg(required_unless_present = "form")]
        value: Option<String>,
        /// Print a form to fill in, and sign nothing
        #[arg(long, conflicts_with = "value")]
        form: bool,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Seal a text for a slot: moves or orders that nobody can read until they are opened
    Note {
        /// The slot that the note is for
        slot: String,
        /// A name for the note
        name: String,
        /// A text file, or - for standard input; orders for a battle are TOML (see --form)
        #[arg(required_unless_present = "form")]
        file: Option<PathBuf>,
        /// Print a form for the required orders or for a standing note, and sign nothing
        #[arg(long, conflicts_with = "file")]
        form: bool,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Propose, accept or refuse a correction: a declaration contains a mistake, or dice should not count
    Correct {
        #[command(subcommand)]
        verb: CorrectVerb,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Claim that your opponent is stalling, raise a dispute, give up dice or the game, or name forfeited dice
    Dispute {
        #[command(subcommand)]
        verb: DisputeVerb,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Play through an office, which opens envelopes immediately, or run one
    #[cfg(feature = "client")]
    #[command(subcommand)]
    #[cfg_attr(
        not(feature = "office"),
        command(
            after_help = "This build cannot run an office: `sealed-dice help offices` says how to install one that can"
        )
    )]
    Office(super::office_args::Office),
    /// Rule on claims and disputes, as the referee named in the terms
    Rule {
        #[command(subcommand)]
        verb: RuleVerb,
        /// The reason, for both players to read
        #[arg(long, global = true, default_value = "")]
        text: String,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum Game {
    /// Print commented terms for you to edit
    Template {
        /// The kind of game; some also need a file with tables
        #[arg(default_value = "double-impulse", value_parser = template_names())]
        name: String,
    },
    /// Sign terms and propose them to your opponent
    New {
        /// The edited terms [default: you are asked about the game]
        file: Option<PathBuf>,
        /// Also write the terms that your answers make to a new file
        #[arg(long, value_name = "FILE", conflicts_with = "file")]
        save: Option<PathBuf>,
        /// A name for the game on this computer [default: made from its title]
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        signing: Signing,
    },
    /// Accept terms, and seal the sets that they require before play
    Accept {
        /// The fingerprint that your opponent has read to you by voice; give the option again for the referee's
        #[arg(long)]
        fingerprint: Vec<String>,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Write terms for a new game that continues another one, after a lost key or when nothing else helps
    Continue {
        /// The old game's name from `game list`; not needed if you have only one game
        game: Option<String>,
        /// Continue from the point before this declaration, named by its slot or the beginning of its id
        #[arg(long, value_name = "DECLARATION")]
        before: Option<String>,
        /// Your role in the old game, if you have a different key now
        #[arg(long = "as", value_name = "ROLE")]
        role: Option<String>,
        /// The other player's public key, if they have a different one now
        #[arg(long, value_name = "KEY")]
        their_key: Option<String>,
        /// Write the terms to a new file
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Withdraw your terms while nobody has accepted them
    Withdraw {
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Print the terms, accepted or proposed, with all settings and tables: everything that is signed
    Terms {
        #[command(flatten)]
        of: Of,
        /// Write the terms to a new file
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// In a game with hidden units, show what only you know: your units and everything else that you have
    Hand {
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// List your games and their status
    List,
    /// Hide a game that is over, or an invitation that you have not answered
    Forget {
        /// The game's name from `game list`
        name: String,
    },
    /// Write your key, all your games and this computer's records to a new file, to play on with another computer;
    /// after that, this computer signs nothing
    Export {
        /// The new file; it is as secret as your key
        file: PathBuf,
        /// Export without asking
        #[arg(long)]
        yes: bool,
    },
    /// Read in another computer's export, and play on here
    Import {
        /// The exported file
        file: PathBuf,
        /// Import without asking
        #[arg(long)]
        yes: bool,
    },
    /// Show whose move it is, and the exact command to type next
    Status {
        #[command(flatten)]
        of: Of,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// After a restore or on a second computer, ask which letters the others hold, before you sign again
    Resync {
        /// Go on at your own risk, without an answer from the person with this role, if they cannot answer
        #[arg(long, value_name = "ROLE")]
        without: Vec<String>,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Stop playing; once both players have stopped, publish the remaining keys
    Close {
        /// How the game ended, in words
        #[arg(long)]
        result: Option<String>,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
}
