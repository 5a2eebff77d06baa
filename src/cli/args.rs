//! Arguments as typed.

use std::path::PathBuf;

use clap::{Parser, Subcommand, builder::PossibleValuesParser};

use super::{
    options::{Audit, Demo, KeyArgs, Of, Select, Signing, Stats, VectorsArgs, WhatIf},
    verbs::{CorrectVerb, Declaring, DisputeVerb, RuleVerb},
};
use crate::play::charter_file::templates::TEMPLATES;

/// The names of the templates, as `game template --help` lists them.
fn template_names() -> PossibleValuesParser {
    TEMPLATES.iter().map(|(name, _)| *name).collect::<Vec<_>>().into()
}

/// What a newcomer types first.
const BEGIN: &str = "\
To begin a game by mail, both players:  sealed-dice key new
one of them:   sealed-dice game template double-impulse > terms.toml, then edit it
               sealed-dice game new terms.toml, and mail what it prints
the other:     sealed-dice read MAIL, then sealed-dice game accept, and mail what it prints
from then on:  sealed-dice read MAIL, and sealed-dice game status, which says what to type next";

/// Dice for board wargames by mail that neither player can steer, peek at or deny.
#[derive(Debug, Parser)]
#[command(name = "sealed-dice", version, max_term_width = 100, after_help = BEGIN, disable_help_subcommand = true)]
pub(super) struct Args {
    /// Folder with your key and games [default: SEALED_DICE_HOME, else sealed-dice among your data]
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) home: Option<PathBuf>,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Print a page of the manual, or how a command is typed
    Help {
        /// A topic, or the words of a command [default: what there is]
        #[arg(value_name = "TOPIC")]
        words: Vec<String>,
    },
    /// Play the double-impulse example between two throwaway players, write their letters, audit them
    Demo(Demo),
    /// Compute only the hex worksheet: products, total, remainder, and the envelope and row of each attack
    Select(Select),
    /// Check a transcript as an outsider: files, folders, or - for standard input
    Audit(Audit),
    /// Show what the dice of a transcript did and how high each player rolled, with error bars
    Stats(Stats),
    /// Run a resolver on stated draws, which is no evidence
    WhatIf(WhatIf),
    /// Make, show, back up or restore your key
    Key(KeyArgs),
    /// Run test vectors
    Vectors(VectorsArgs),
    /// Begin a game, show how it stands, move it to another computer, and close it
    #[command(subcommand)]
    Game(Game),
    /// Take in the letters of mails: files, folders, or - for standard input
    Read {
        /// An invitation to keep although many already wait for your answer, by the digits that `read` lists it with
        #[arg(long, value_name = "ID")]
        keep: Vec<String>,
        /// Files or folders
        #[arg(required = true)]
        paths: Vec<PathBuf>,
    },
    /// Write everything that you owe in one mail
    Reply {
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Print letters again, byte for byte: those that your opponent may lack, or those with certain numbers
    Resend {
        /// Numbers of your letters
        numbers: Vec<u64>,
        /// All of them
        #[arg(long)]
        all: bool,
        /// Every letter of the game, the others' too
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
    /// Open what a declaration selects, and nothing else; or look at your own private rolls, or show them
    Reveal {
        /// The slot that was declared, or the beginning of its declaration's id
        slot: String,
        /// Only look at your own private rolls, and sign nothing
        #[arg(long)]
        look: bool,
        /// Open the note that you sealed your moves in, before the close does
        #[arg(long, conflicts_with = "look")]
        moves: bool,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Sign a choice that the terms require before a slot is declared
    Decide {
        /// The slot
        slot: String,
        /// The choice's name in the terms
        name: String,
        /// What is chosen; a file, where much is (TOML, see --form)
        #[arg(required_unless_present = "form")]
        value: Option<String>,
        /// Print what is to be stated, as a file to fill in, and sign nothing
        #[arg(long, conflicts_with = "value")]
        form: bool,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Seal a text for a slot: moves or orders that nobody can read before they are opened
    Note {
        /// The slot
        slot: String,
        /// What to call it
        name: String,
        /// A text file, or -; orders for a battle as TOML (see --form)
        #[arg(required_unless_present = "form")]
        file: Option<PathBuf>,
        /// Print the orders that are asked for, or a standing note, as a file to fill in, and sign nothing
        #[arg(long, conflicts_with = "file")]
        form: bool,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Propose, accept or refuse a correction: a declaration rested on a mistake, or dice are not to count
    Correct {
        #[command(subcommand)]
        verb: CorrectVerb,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Claim that your opponent stalls, raise a dispute, give up what you owe, or name forfeited dice
    Dispute {
        #[command(subcommand)]
        verb: DisputeVerb,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Play through an office that opens envelopes at once, or run one
    #[cfg(feature = "client")]
    #[command(subcommand)]
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
    /// Print commented terms, to be edited
    Template {
        /// Which game they are for; some have a file of tables beside
        #[arg(default_value = "double-impulse", value_parser = template_names())]
        name: String,
    },
    /// Sign terms and propose them to the opponent
    New {
        /// The edited terms
        file: PathBuf,
        /// What to call the game on this machine [default: after its title]
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        signing: Signing,
    },
    /// Accept terms, and seal what they ask for before play
    Accept {
        /// A fingerprint, as its owner reads it to you by voice: the opponent's and, once more, the referee's
        #[arg(long)]
        fingerprint: Vec<String>,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Write the terms of a new game that goes on from another one, after a lost key or when nothing else helps
    Continue {
        /// The old game, as `game list` calls it; not needed if there is only one
        game: Option<String>,
        /// Go back to before this declaration: its slot, or the beginning of its id
        #[arg(long, value_name = "DECLARATION")]
        before: Option<String>,
        /// The role that you have in the old game, if your key is another one now
        #[arg(long = "as", value_name = "ROLE")]
        role: Option<String>,
        /// The other player's public key, if it is another one now
        #[arg(long, value_name = "KEY")]
        their_key: Option<String>,
        /// Write the terms to a new file
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Take back your terms that nobody has accepted yet
    Withdraw {
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Print the terms in force, or proposed, with all settings and tables: everything that is signed
    Terms {
        #[command(flatten)]
        of: Of,
        /// Write them to a new file
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// List games and how they stand
    List,
    /// Hide a game that is over, or an invitation that you have not answered
    Forget {
        /// Its name, as `game list` tells it
        name: String,
    },
    /// Write your key, all games and what this computer remembers to a new file, to play on with another computer;
    /// this one signs nothing any more
    Export {
        /// The new file; it is as secret as your key
        file: PathBuf,
        /// Move without asking
        #[arg(long)]
        yes: bool,
    },
    /// Take over what another computer has exported, and play on here at once
    Import {
        /// The file
        file: PathBuf,
        /// Take it over without asking
        #[arg(long)]
        yes: bool,
    },
    /// Show whose move it is, and the exact next command
    Status {
        #[command(flatten)]
        of: Of,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// After a restore or on a second machine: ask what the others hold, before you sign again
    Resync {
        /// Go on without the answer of somebody who cannot give one, at your own risk: their role
        #[arg(long, value_name = "ROLE")]
        without: Vec<String>,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Stop; once both have stopped, publish the closing keys
    Close {
        /// How it ended, in words
        #[arg(long)]
        result: Option<String>,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
}
