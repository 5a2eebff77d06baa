//! What is typed of an office, by players and by who runs one.

#[cfg(feature = "office")]
use std::path::PathBuf;

use clap::Subcommand;

#[cfg(feature = "office")]
use super::options::{NewLock, Passphrase};
use super::options::{Of, Signing};

#[derive(Debug, Subcommand)]
pub(super) enum Office {
    /// Tell a game where its office is, and exchange letters; without a game, fetch the games that are there for you
    Join {
        /// Where it is, such as https://dice.example.org
        url: String,
        /// The word that its operator has given you, if it asks for one
        #[arg(long)]
        invitation: Option<String>,
        /// Fetch the game whose terms have this id, or one that begins so, however many boxes name your key
        #[arg(long, value_name = "ID", conflicts_with_all = ["invitation", "game"])]
        keep: Option<String>,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Print what the terms of a game must say of an office
    Card {
        /// Where it is
        url: String,
        /// As a time witness: it keeps the time, holds no keys, and can look at nothing
        #[arg(long)]
        witness: bool,
    },
    /// Give the office the keys of the sets that it is to open, and take in what it confirms
    Deposit {
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Leave letters at the office, and take in its answers: of all your games, or of one that you name
    Push {
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Take in what is new at the office: of all your games, or of one that you name
    Pull {
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Take in letters as they come: of all your games, or of one that you name
    Watch {
        /// End after the first
        #[arg(long)]
        once: bool,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Run an office: make its key, its database and an example of its settings
    #[cfg(feature = "office")]
    Init {
        #[command(flatten)]
        lock: NewLock,
    },
    /// Run an office: start the service
    #[cfg(feature = "office")]
    Serve {
        /// Only look whether the settings can be
        #[arg(long)]
        check_config: bool,
        #[command(flatten)]
        passphrase: Passphrase,
    },
    /// Run an office: copy the database while it serves
    #[cfg(feature = "office")]
    Backup {
        /// A new file
        to: PathBuf,
    },
    /// Run an office: bring a copy back; nothing is signed then until `office epoch`
    #[cfg(feature = "office")]
    Restore {
        /// The copy
        from: PathBuf,
    },
    /// Run an office: after a restore, declare a new epoch, once the players have left what they hold
    #[cfg(feature = "office")]
    Epoch,
    /// Run an office: trust the database as it is, on a machine with no record of what the office signed
    #[cfg(feature = "office")]
    Trust,
    /// Run an office: check its database
    #[cfg(feature = "office")]
    Check,
    /// Run an office: hand sets back to their sealers, who open from then on themselves
    #[cfg(feature = "office")]
    HandBack {
        /// What they were sealed for, such as 2/1/ann-first/1 or sheet/1
        #[arg(required = true)]
        purposes: Vec<String>,
        /// The id of the game's charter, of an office that serves; it must have ended [default: an office by mail]
        #[arg(long)]
        charter: Option<String>,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Run an office: copy everything into an empty PostgreSQL database
    #[cfg(feature = "postgres")]
    Migrate {
        /// File whose first line is its address, postgres://USER@HOST/NAME
        #[arg(long, value_name = "FILE")]
        to_file: PathBuf,
    },
    /// Run an office: print the settings, with their defaults
    #[cfg(feature = "office")]
    Settings,
    /// Print the OpenAPI document of the service
    #[cfg(feature = "office")]
    Openapi,
}
