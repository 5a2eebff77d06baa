//! The one place that gets a passphrase: typed unseen, or from a file that is named. Never from an argument.

use std::{
    env,
    fs::File,
    io::{BufRead, BufReader, Read},
    path::PathBuf,
};

use crate::{
    keep::{
        StorageError,
        home::Home,
        key_file::{KeyFile, check_new},
        root::{Keys, Root},
    },
    play::away,
    primitive::{passphrase::Passphrase, secret::SecretText},
};

/// Longest passphrase that is read, in bytes.
const LONGEST: u64 = 4096;

/// Where a passphrase comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum From {
    /// The first line of a file.
    File(PathBuf),
    /// The passphrase is typed at the terminal.
    Terminal,
}

impl From {
    /// The file that was asked for, else the one that `SEALED_DICE_PASSPHRASE_FILE` names, else the terminal.
    #[must_use]
    pub fn choose(asked: Option<PathBuf>) -> Self {
        let named = || env::var_os("SEALED_DICE_PASSPHRASE_FILE").filter(|file| !file.is_empty()).map(PathBuf::from);
        asked.or_else(named).map_or(Self::Terminal, Self::File)
    }
}

/// The player's keys, to sign with; asks for the passphrase if there is one.
///
/// # Errors
/// As [`KeyFile::open`] and [`KeyFile::unlock`]; `Unable` if the passphrase cannot be had; `Refused` if the key has
/// moved to another machine.
pub fn unlock(home: &Home, from: &From) -> Result<Keys, StorageError> {
    away::check(home)?;
    Ok(root(&KeyFile::open(&home.key_file())?, from)?.keys())
}

/// The root secret of a key file.
///
/// # Errors
/// As [`unlock`].
pub(super) fn root(file: &KeyFile, from: &From) -> Result<Root, StorageError> {
    let passphrase = if file.is_protected() { Some(get(from, "passphrase for your key: ")?) } else { None };
    file.root(passphrase.as_ref())
}

/// A passphrase for a new key file; one that is typed is typed twice.
///
/// # Errors
/// `Refused` if it is too short or the two differ; `Unable` if it cannot be had.
pub(super) fn new_passphrase(from: &From) -> Result<Passphrase, StorageError> {
    let passphrase = get(from, "new passphrase for your key, four words or more: ")?;
    check_new(&passphrase)?;
    if *from == From::Terminal && !get(from, "type it again: ")?.same(&passphrase) {
        return Err(StorageError::Refused("the two passphrases differ, and nothing was written; try again".into()));
    }
    Ok(passphrase)
}

fn get(from: &From, question: &str) -> Result<Passphrase, StorageError> {
    match from {
        From::File(path) => first_line(path).map(Passphrase::new),
        From::Terminal => {
            let typed = rpassword::prompt_password(question).map_err(|error| {
                StorageError::Unable(format!(
                    "a passphrase can only be typed at a terminal ({error}); name a file with --passphrase-file"
                ))
            })?;
            Ok(Passphrase::new(SecretText::new(typed)))
        }
    }
}

/// The first line of a file, without its end.
fn first_line(path: &PathBuf) -> Result<SecretText, StorageError> {
    let unreadable = |error| StorageError::with(path, "read", &error);
    let file = File::open(path).map_err(unreadable)?;
    // Both buffers are as long as what may be read, so that neither leaves a copy behind by growing.
    let mut line = String::with_capacity(LONGEST as usize + 1);
    let read = BufReader::new(file.take(LONGEST + 1)).read_line(&mut line);
    let line = SecretText::new(line);
    let length = read.map_err(unreadable)?;
    if length as u64 > LONGEST {
        return Err(StorageError::Refused(format!(
            "the first line of {} is too long for a passphrase; name the file that contains yours",
            path.display()
        )));
    }
    Ok(SecretText::new(line.expose().trim_end_matches(['\r', '\n']).to_owned()))
}
