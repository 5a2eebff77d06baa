//! Arguments of `office`, for players and for the operator of an office.

#[cfg(feature = "office")]
use std::path::PathBuf;

use clap::Subcommand;

#[cfg(feature = "office")]
use super::options::{NewLock, Passphrase};
use super::options::{Of, Signing};

#[derive(Debug, Subcommand)]
pub(super) enum Office {
    /// Tell a game where its office is, and exchange letters; without a game, fetch the games that wait for you there
    Join {
        /// The office's address, such as https://dice.example.org
        url: String,
        /// The invitation word from the office's operator, if the office asks for one
        #[arg(long)]
        invitation: Option<String>,
        /// Fetch the game whose terms have this id, or an id that begins with it, however many games name your key
        #[arg(long, value_name = "ID", conflicts_with_all = ["invitation", "game"])]
        keep: Option<String>,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Print the lines that a game's terms need for an office
    Card {
        /// The office's address
        url: String,
        /// Print the lines for a time witness, which only keeps the time: it holds no keys and cannot look at dice
        #[arg(long)]
        witness: bool,
    },
    /// Leave letters at the office, and read its answers: for all your games, or for one that you name
    Push {
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Fetch new letters from the office: for all your games, or for one that you name
    Pull {
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Fetch letters as they arrive: for all your games, or for one that you name
    Watch {
        /// Stop after the first letters
        #[arg(long)]
        once: bool,
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        signing: Signing,
    },
    /// Run an office: make its key, its database and an example settings file
    #[cfg(feature = "office")]
    Init {
        #[command(flatten)]
        lock: NewLock,
    },
    /// Run an office: start the service
    #[cfg(feature = "office")]
    Serve {
        /// Only check the settings, the key and the database
        #[arg(long)]
        check_config: bool,
        #[command(flatten)]
        passphrase: Passphrase,
    },
    /// Run an office: copy the database, even while the office is running
    #[cfg(feature = "office")]
    Backup {
        /// The new file for the copy
        to: PathBuf,
    },
    /// Run an office: restore a copy; nothing is signed after that until `office epoch`
    #[cfg(feature = "office")]
    Restore {
        /// The copy, or - for a PostgreSQL database that pg_restore has restored
        from: PathBuf,
    },
    /// Run an office: after a restore, begin a new epoch; first let the players send every letter that they hold
    #[cfg(feature = "office")]
    Epoch,
    /// Run an office: trust the database as it is, on a machine with no record of what the office signed
    #[cfg(feature = "office")]
    Trust,
    /// Run an office: check its database
    #[cfg(feature = "office")]
    Check,
    /// Run an office: hand sets back to their sealers, who open them themselves from then on
    #[cfg(feature = "office")]
    HandBack {
        /// The purposes of the sets, such as 2/1/ann-first/1 or sheet/1
        #[arg(required = true)]
        purposes: Vec<String>,
        /// The id of the game's charter, if the office is a service; stop the service first [default: the office answers by mail]
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
        /// File whose first line is the database's address, postgres://USER@HOST/NAME
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
