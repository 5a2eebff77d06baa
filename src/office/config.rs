//! The operator's settings: in `office.toml`, in the environment, and in files that the environment names. One table
//! lists all settings; the example file is written from it.

use std::{fmt::Write, net::SocketAddr, path::Path, time::Duration};

use serde::Deserialize;

use super::{posted::Bounds, rations::Daily, room::Share};
use crate::keep::StorageError;

/// The name of the settings file in the office's folder.
pub const FILE: &str = "office.toml";
/// The prefix of a setting's name in the environment.
const ENVIRONMENT: &str = "SEALED_DICE_OFFICE_";

/// One of the operator's settings.
struct Setting {
    name: &'static str,
    /// The default value, as TOML.
    default: &'static str,
    /// The description of the setting, as lines of the example file.
    about: &'static [&'static str],
}

const fn setting(name: &'static str, default: &'static str, about: &'static [&'static str]) -> Setting {
    Setting { name, default, about }
}

/// The table of all settings.
const SETTINGS: [Setting; 28] = [
    setting("name", "\"office\"", &["The name of this office in the terms of games."]),
    setting(
        "listen",
        "\"127.0.0.1:8270\"",
        &["The address for players. Leave it on loopback, and put a proxy with TLS in front of it."],
    ),
    setting(
        "operations",
        "\"127.0.0.1:8271\"",
        &["The address for /healthz, /readyz and /metrics; \"\" turns them off. Keep players away from it."],
    ),
    setting(
        "database",
        "\"office.db\"",
        &[
            "A file in this folder, or postgres://USER@HOST/NAME. Put an address with a password into a file, and set",
            "SEALED_DICE_OFFICE_DATABASE_FILE to the name of that file.",
        ],
    ),
    setting(
        "witness",
        "\"office.witness\"",
        &[
            "The file that records the letters signed last. If the database has lost one, the office signs nothing.",
            "Put it where no copy or snapshot of the database restores it too. Each process needs its own file.",
        ],
    ),
    setting("connections", "8", &["The number of connections to PostgreSQL."]),
    setting("invitations", "[]", &["Words that let players open a box; with [], anybody can open one."]),
    setting(
        "behind_proxy",
        "false",
        &[
            "Whether a client's address is the last one in X-Forwarded-For.",
            "Set it to true only behind a proxy that writes this header.",
        ],
    ),
    setting("boxes_a_day", "100", &["New boxes that one address may open in a day; 0 for no limit."]),
    setting("invitation_boxes_a_day", "200", &["New boxes that one invitation may open in a day; 0 for no limit."]),
    setting("bytes_a_day", "67108864", &["Bytes of letters that one address may leave in a day; 0 for no limit."]),
    setting("requests_a_second", "20", &["Requests a second from one client in the long run; 0 for no limit."]),
    setting("burst", "200", &["Requests that one client may make at the same time."]),
    setting(
        "clients",
        "4096",
        &["The most connections that may be open. If the system allows, the limit of open files is raised to match."],
    ),
    setting("clients_an_address", "256", &["The most open connections from one address; ignored behind a proxy."]),
    setting("streams", "2048", &["The maximum number of clients that wait for letters at once."]),
    setting("streams_an_address", "64", &["The maximum number of waiting clients from one address."]),
    setting("body_bytes", "4194304", &["The maximum size of one request, in bytes."]),
    setting("body_seconds", "30", &["How many seconds a request may take to arrive."]),
    setting(
        "transit_bytes",
        "67108864",
        &[
            "The maximum size of all texts in transit at once, in bytes: incoming and outgoing each.",
            "One client may use an eighth. Long incoming texts leave an eighth free for short ones.",
        ],
    ),
    setting("letters_a_request", "512", &["The maximum number of letters in one request."]),
    setting(
        "author_bytes",
        "6291456",
        &["The maximum bytes of letters from one author in one game's box. A full share stops only its own author."],
    ),
    setting("author_letters", "8192", &["The maximum number of letters from one author in one game's box."]),
    setting(
        "store_bytes",
        "8589934592",
        &["The maximum bytes of the database on disk; beyond that, no new letters are taken. 0 for no limit."],
    ),
    setting("memory_bytes", "67108864", &["The maximum memory, in bytes, for letters and the state of games."]),
    setting(
        "waiting_milliseconds",
        "2000",
        &[
            "How much work may wait for a processor core for one client, in milliseconds of expected time.",
            "Letters that would make more work are stored, answered with `busy`, and worked on in their turn.",
        ],
    ),
    setting("drain_seconds", "10", &["How long requests may take to finish when the office stops."]),
    setting("log", "\"lines\"", &["The format of the log: \"lines\" or \"json\"."]),
];

/// The number of shares of the room for texts in transit: a client may use one, and long texts leave one to short ones.
pub const TRANSIT_SHARES: usize = 8;

/// The memory that a full box takes, as a multiple of one author's share: three authors, and three bytes of memory for
/// each byte of a letter.
const FULL_BOX: u64 = 9;

/// The longest answer, in bytes: a page with a letter of the largest size, as JSON.
const LONGEST: u64 = 3 << 20;

/// The format of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Log {
    /// Log lines that people read.
    Lines,
    /// JSON records that log tools read.
    Json,
}

/// The limits on one request and on all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Whether the proxy reports the client's address.
    pub behind_proxy: bool,
    /// The number of requests per second from one client in the long run; 0 for no limit.
    pub requests_a_second: u32,
    /// The maximum number of requests that one client may make at once.
    pub burst: u32,
    /// The maximum number of open connections from all clients together.
    pub clients: usize,
    /// The maximum number of open connections from one address.
    pub clients_an_address: usize,
    /// The maximum number of open event streams to all clients together.
    pub streams: usize,
    /// The maximum number of open event streams to one address.
    pub streams_an_address: usize,
    /// The maximum number of bytes in the text of one request.
    pub body_bytes: u64,
    /// The number of seconds within which the text of a request must arrive.
    pub body_seconds: u64,
    /// The maximum number of bytes of incoming texts in transit, and also of outgoing texts.
    pub transit_bytes: usize,
    /// The maximum number of letters in the text of one request.
    pub letters_a_request: u64,
}

/// The settings in force. There is no `Debug`, because the database's address may contain a password.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the table above describes each setting")]
pub struct Config {
    pub name: String,
    pub listen: SocketAddr,
    operations: String,
    pub database: String,
    pub witness: String,
    pub connections: usize,
    pub invitations: Vec<String>,
    behind_proxy: bool,
    boxes_a_day: u32,
    invitation_boxes_a_day: u32,
    bytes_a_day: u64,
    requests_a_second: u32,
    burst: u32,
    clients: usize,
    clients_an_address: usize,
    streams: usize,
    streams_an_address: usize,
    body_bytes: u64,
    body_seconds: u64,
    transit_bytes: usize,
    letters_a_request: u64,
    author_bytes: u64,
    author_letters: u64,
    store_bytes: u64,
    memory_bytes: usize,
    waiting_milliseconds: u64,
    pub drain_seconds: u64,
    pub log: Log,
}

impl Config {
    /// Reads the settings from the folder's file, if it exists, and from the environment, which takes precedence.
    ///
    /// # Errors
    /// If a line or a variable is invalid. The error names it.
    pub fn read(folder: &Path, environment: impl Fn(&str) -> Option<String>) -> Result<Self, StorageError> {
        let path = folder.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(StorageError::with(&path, "read", &error)),
        };
        let unable =
            |error: toml::de::Error| StorageError::Unable(format!("{}{}", path.display(), told(&text, &error)));
        // The file is checked first, without the environment, so that errors can name its lines.
        let own: toml::Table = toml::from_str(&text).map_err(unable)?;
        let missing: String = SETTINGS
            .iter()
            .filter(|setting| !own.contains_key(setting.name))
            .map(|setting| format!("{} = {}\n", setting.name, setting.default))
            .collect();
        let whole = format!("{text}\n{missing}");
        let _: Self = toml::from_str(&whole).map_err(unable)?;
        let mut all: toml::Table = toml::from_str(&whole).map_err(unable)?;
        for setting in &SETTINGS {
            if let Some((variable, value)) = of_environment(setting.name, &environment)? {
                let value = parsed(setting, &value).ok_or_else(|| {
                    StorageError::Unable(format!(
                        "{variable} is not a valid value for {}; an example: {}",
                        setting.name, setting.default
                    ))
                })?;
                all.insert(setting.name.to_owned(), value);
            }
        }
        let config: Self = all.try_into().map_err(|error: toml::de::Error| {
            StorageError::Unable(format!("correct the variable {ENVIRONMENT}..: {}", without_value(error.message())))
        })?;
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<(), StorageError> {
        let unable = |text: &str| Err(StorageError::Unable(text.to_owned()));
        match self {
            _ if self.postgres().is_none() && (self.database.contains("://") || self.database.contains('@')) => {
                unable("database must be a file, or an address of the form postgres://USER@HOST/NAME")
            }
            _ if self.database.is_empty() || self.witness.is_empty() => unable("set database and witness to files"),
            _ if self.database == self.witness => unable("database and witness must be two files: give them two names"),
            _ if self.operations() == Ok(Some(self.listen)) && self.listen.port() != 0 => {
                unable("listen and operations must be two addresses: give them two ports")
            }
            _ if self.operations().is_err() => unable("operations must be an address like 127.0.0.1:8271, or \"\""),
            _ if self.body_bytes < 8192 => unable("body_bytes must be at least 8192: a letter needs that much"),
            _ if self.burst == 0 || self.clients == 0 || self.streams == 0 || self.connections == 0 => {
                unable("burst, clients, streams and connections must be at least 1")
            }
            _ if self.body_seconds == 0 || self.letters_a_request == 0 => {
                unable("body_seconds and letters_a_request must be at least 1")
            }
            _ if self.clients_an_address == 0 || self.streams_an_address == 0 => {
                unable("clients_an_address and streams_an_address must be at least 1")
            }
            _ if self.transit_bytes > 1 << 32
                || ((self.transit_bytes / TRANSIT_SHARES) as u64) < self.body_bytes.max(LONGEST) =>
            {
                unable("transit_bytes must be at least 8 x body_bytes, and from 24 MiB to 4 GiB")
            }
            _ if [self.streams, self.clients].iter().any(|most| *most > 1 << 20)
                || self.requests_a_second > 1_000_000 =>
            {
                unable("streams and clients must be at most 1048576, and requests_a_second at most 1000000")
            }
            _ if self.author_bytes < 8192 || self.author_letters < 16 => {
                unable("author_bytes must be at least 8192, and author_letters at least 16, so that a game can begin")
            }
            _ if (self.memory_bytes as u64) < self.author_bytes.saturating_mul(FULL_BOX) => {
                unable("memory_bytes must be at least 9 x author_bytes: a full box must fit into memory")
            }
            _ if self.store_bytes != 0 && self.store_bytes < self.author_bytes => {
                unable("store_bytes must be 0, or at least author_bytes: the database must have room for a game")
            }
            _ if self.bytes_a_day != 0 && self.bytes_a_day < 8192 => {
                unable("bytes_a_day must be 0, or at least 8192: a letter needs that much")
            }
            _ if self.name.is_empty() || self.name.len() > 80 => unable("name must have 1 to 80 characters"),
            _ if self.invitations.iter().any(|word| word.len() < 8) => {
                unable("each word in invitations must have at least 8 characters")
            }
            _ => Ok(()),
        }
    }

    /// Returns the address for health and metrics, if one is set.
    ///
    /// # Errors
    /// If the address is invalid, which cannot happen for settings that were read.
    pub fn operations(&self) -> Result<Option<SocketAddr>, std::net::AddrParseError> {
        if self.operations.is_empty() { Ok(None) } else { self.operations.parse().map(Some) }
    }

    /// Returns the limits on requests.
    #[must_use]
    pub const fn limits(&self) -> Limits {
        Limits {
            behind_proxy: self.behind_proxy,
            requests_a_second: self.requests_a_second,
            burst: self.burst,
            clients: self.clients,
            clients_an_address: if self.behind_proxy { usize::MAX } else { self.clients_an_address },
            transit_bytes: self.transit_bytes,
            streams: self.streams,
            streams_an_address: self.streams_an_address,
            body_bytes: self.body_bytes,
            body_seconds: self.body_seconds,
            letters_a_request: self.letters_a_request,
        }
    }

    /// Returns the limits that the mailbox service keeps.
    #[must_use]
    pub const fn bounds(&self) -> Bounds {
        Bounds {
            share: Share { bytes: self.author_bytes, letters: self.author_letters },
            store_bytes: self.store_bytes,
            memory_bytes: self.memory_bytes,
            daily: Daily { boxes: self.boxes_a_day, invited: self.invitation_boxes_a_day, bytes: self.bytes_a_day },
            waiting: Duration::from_millis(self.waiting_milliseconds),
        }
    }

    /// Returns the address of a PostgreSQL database, if one is set.
    #[must_use]
    pub fn postgres(&self) -> Option<&str> {
        ["postgres://", "postgresql://"]
            .iter()
            .any(|scheme| self.database.starts_with(scheme))
            .then_some(&*self.database)
    }
}

/// Returns a setting's variable and value from the environment. The value is that of `.._NAME`, or the first line of
/// the file that `.._NAME_FILE` names.
fn of_environment(
    name: &str,
    environment: &impl Fn(&str) -> Option<String>,
) -> Result<Option<(String, String)>, StorageError> {
    let variable = format!("{ENVIRONMENT}{}", name.to_uppercase());
    let file = format!("{variable}_FILE");
    match (environment(&variable), environment(&file)) {
        (Some(_), Some(_)) => {
            Err(StorageError::Unable(format!("{variable} and {file} are both set: unset one of them")))
        }
        (Some(value), None) => Ok(Some((variable, value))),
        (None, Some(path)) => {
            let text =
                std::fs::read_to_string(&path).map_err(|error| StorageError::with(Path::new(&path), "read", &error))?;
            Ok(Some((file, text.lines().next().unwrap_or_default().to_owned())))
        }
        (None, None) => Ok(None),
    }
}

/// Describes an error in a file, with its line but without quoting the text, which may contain a password.
fn told(text: &str, error: &toml::de::Error) -> String {
    let line = error.span().and_then(|span| Some(text.get(..span.start)?.matches('\n').count() + 1));
    let line = line.map_or_else(String::new, |line| format!(", line {line}"));
    format!("{line}: {}", without_value(error.message()))
}

/// Returns a parser's message without the value that it quotes.
fn without_value(message: &str) -> String {
    let parts = message.split_once('"').and_then(|(before, rest)| Some((before.trim_end(), rest.rsplit_once('"')?.1)));
    parts.map_or_else(|| message.to_owned(), |(before, after)| format!("{before}{after}"))
}

/// Parses a value from the environment. A text is taken literally; any other value is written as in the file.
fn parsed(setting: &Setting, value: &str) -> Option<toml::Value> {
    if setting.default.starts_with('"') {
        return Some(toml::Value::String(value.to_owned()));
    }
    toml::from_str::<toml::Table>(&format!("v = {value}")).ok()?.remove("v")
}

/// Writes the example file: every setting with its default, commented out.
#[must_use]
pub fn example() -> String {
    let mut out = String::from(
        "# The settings of this office, with their defaults. To change one, remove the # before it.\n\
         # The environment takes precedence: SEALED_DICE_OFFICE_NAME sets name,\n\
         # SEALED_DICE_OFFICE_NAME_FILE names a file with its value, and so on.\n\
         # The passphrase of the key is read from the file that SEALED_DICE_PASSPHRASE_FILE names.\n",
    );
    for setting in &SETTINGS {
        out.push('\n');
        setting.about.iter().for_each(|line| {
            let _ = writeln!(out, "# {line}");
        });
        let _ = writeln!(out, "#{} = {}", setting.name, setting.default);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, environment: &[(&str, &str)]) -> Result<Config, StorageError> {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::write(dir.path().join(FILE), text).expect("a file");
        Config::read(dir.path(), |name| {
            environment.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value).to_owned())
        })
    }

    fn error(text: &str, environment: &[(&str, &str)]) -> String {
        of(text, environment).err().expect("refused").to_string()
    }

    #[test]
    fn the_example_says_what_is_so_without_it() {
        let dir = tempfile::tempdir().expect("a folder");
        let without = Config::read(dir.path(), |_| None).expect("defaults");
        assert!(of(&example(), &[]).expect("the example") == without);
        let set: String = example()
            .lines()
            .map(|line| line.strip_prefix('#').filter(|line| !line.starts_with(' ')).unwrap_or(line))
            .map(|line| format!("{line}\n"))
            .collect();
        assert!(of(&set, &[]).expect("the example, every line set") == without);
    }

    #[test]
    fn the_environment_goes_before_the_file_and_files_hold_secrets() {
        let dir = tempfile::tempdir().expect("a folder");
        let secret = dir.path().join("secret");
        std::fs::write(&secret, "postgres://a:b@c/d\nmore").expect("a file");
        let secret = secret.display().to_string();
        let config = of(
            "name = \"one\"\nburst = 3",
            &[
                ("SEALED_DICE_OFFICE_NAME", "two"),
                ("SEALED_DICE_OFFICE_DATABASE_FILE", &secret),
                ("SEALED_DICE_OFFICE_STREAMS", "9"),
            ],
        );
        let config = config.expect("good");
        assert_eq!((config.name.as_str(), config.limits().burst, config.limits().streams), ("two", 3, 9));
        assert_eq!(config.postgres(), Some("postgres://a:b@c/d"));
    }

    #[test]
    fn what_cannot_be_is_named() {
        assert!(error("nmae = \"x\"", &[]).contains("nmae"));
        assert!(error("\n\nburst = \"x\"", &[]).contains("line 3"));
        assert!(error("", &[("SEALED_DICE_OFFICE_BURST", "many")]).contains("SEALED_DICE_OFFICE_BURST"));
        assert!(error("", &[("SEALED_DICE_OFFICE_LISTEN", "here")]).contains("SEALED_DICE_OFFICE_"));
        assert!(error("operations = \"here\"", &[]).contains("operations"));
        assert!(error("burst = 0", &[]).contains("burst"));
        for (settings, named) in [
            ("database = \"x\"\nwitness = \"x\"", "two files"),
            ("witness = \"\"", "witness"),
            ("operations = \"127.0.0.1:8270\"", "two ports"),
            ("author_bytes = 0", "author_bytes"),
            ("author_letters = 0", "author_letters"),
            ("author_bytes = 67108864", "memory_bytes"),
            ("memory_bytes = 0", "memory_bytes"),
            ("store_bytes = 1", "store_bytes"),
            ("bytes_a_day = 1", "bytes_a_day"),
            ("body_bytes = 0", "body_bytes"),
            ("body_bytes = 33554432", "transit_bytes"),
            ("listen = \"127.0.0.1\"", "line 1"),
        ] {
            let told = error(settings, &[]);
            assert!(told.contains(named), "{settings}: {told}");
        }
        let both = [("SEALED_DICE_OFFICE_NAME", "x"), ("SEALED_DICE_OFFICE_NAME_FILE", "y")];
        assert!(error("", &both).contains("both"));
    }

    #[test]
    fn no_password_is_shown() {
        let url = "postgres://office:hunter2@db/dice";
        for settings in [
            format!("database = \"{url}"),
            format!("burst = \"{url}\""),
            format!("listen = \"{url}\""),
            format!("database = [\"{url}\"]"),
            "invitations = \"hunter2 at the mill\"".to_owned(),
            "database = \"mysql://office:hunter2@db/dice\"".to_owned(),
            "database = \"office:hunter2@db/dice\"".to_owned(),
        ] {
            let told = error(&settings, &[]);
            assert!(!told.contains("hunter2") && !told.is_empty(), "{told}");
        }
        for variable in ["LISTEN", "BURST", "INVITATIONS", "OPERATIONS"] {
            let told = error("", &[(&format!("SEALED_DICE_OFFICE_{variable}"), url)]);
            assert!(told.contains("SEALED_DICE_OFFICE_") || told.contains("operations"), "{told}");
            assert!(!told.contains("hunter2"), "{told}");
        }
    }
}
