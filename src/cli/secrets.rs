//! The only file that reads passphrases: typed unseen, or from a named file, never from an argument.

use std::{
    env,
    fs::File,
    io::{BufRead, BufReader, Read},
    path::PathBuf,
};

use super::terminal;
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

/// The number of times that a passphrase may be typed before the command gives up.
const TRIES: usize = 3;

/// The length of the longest passphrase that is read, in bytes.
const LONGEST: u64 = 4096;

/// The source of a passphrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum From {
    /// The first line of a file.
    File(PathBuf),
    /// The passphrase is typed at the terminal.
    Terminal,
}

impl From {
    /// Chooses the file that was asked for, or else the one that `SEALED_DICE_PASSPHRASE_FILE` names, or else the
    /// terminal.
    #[must_use]
    pub fn choose(asked: Option<PathBuf>) -> Self {
        let named = || env::var_os("SEALED_DICE_PASSPHRASE_FILE").filter(|file| !file.is_empty()).map(PathBuf::from);
        asked.or_else(named).map_or(Self::Terminal, Self::File)
    }
}

/// Returns the player's keys for signing; asks for the passphrase if there is one.
///
/// # Errors
/// Same as [`KeyFile::open`] and [`KeyFile::unlock`]; also `Unable` if the passphrase is not available; `Refused` if
/// the key has moved to another machine.
pub fn unlock(home: &Home, from: &From) -> Result<Keys, StorageError> {
    away::check(home)?;
    Ok(root(&KeyFile::open(&home.key_file())?, from)?.keys())
}

/// Returns the root secret of a key file. Somebody who types the passphrase has several tries.
///
/// # Errors
/// Same as [`unlock`].
pub(super) fn root(file: &KeyFile, from: &From) -> Result<Root, StorageError> {
    let ask = || get(from, "passphrase for your key: ");
    match from {
        _ if !file.is_protected() => file.root(None),
        From::File(_) => file.root(Some(&ask()?)),
        From::Terminal => tried(file, ask, terminal::say),
    }
}

/// Asks for the passphrase until it opens the key, at most [`TRIES`] times. `say` receives how many tries are left.
fn tried(
    file: &KeyFile,
    ask: impl Fn() -> Result<Passphrase, StorageError>,
    say: impl Fn(&str),
) -> Result<Root, StorageError> {
    for left in (0..TRIES).rev() {
        match file.root(Some(&ask()?)) {
            Err(StorageError::Refused(_)) if left > 0 => {
                let left = if left == 1 { "1 try".to_owned() } else { format!("{left} tries") };
                say(&format!("this passphrase does not open your key (is Caps Lock on?); you have {left} left"));
            }
            Err(StorageError::Refused(_)) => break,
            opened => return opened,
        }
    }
    Err(StorageError::Refused(format!(
        "none of these {TRIES} passphrases opens your key, and nothing has changed: find the right one, then type the \
         command again. If you have forgotten it, `sealed-dice help trouble` says what to do"
    )))
}

/// Returns a passphrase for a new key file; at a terminal it is typed twice.
///
/// # Errors
/// `Refused` if it is too short or the two differ; `Unable` if it is not available.
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

/// Returns the first line of a file, without its end.
fn first_line(path: &PathBuf) -> Result<SecretText, StorageError> {
    let unreadable = |error| StorageError::with(path, "read", &error);
    let file = File::open(path).map_err(unreadable)?;
    // Both buffers are as long as the longest text that is read, so that neither leaves a copy behind by growing.
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

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::*;
    use crate::primitive::{passphrase::Cost, secret::Secret};

    #[test]
    fn a_mistyped_passphrase_may_be_typed_again() {
        let dir = tempfile::tempdir().expect("a folder");
        let typed = |text: &str| Passphrase::new(SecretText::new(text.into()));
        let quick = Cost { memory: 8, passes: 1, lanes: 1 };
        let root = Root::new(Secret::new([7; 32]));
        let path = dir.path().join("key.txt");
        let file = KeyFile::create_at_cost(&path, root, Some(&typed("four words or more")), quick).expect("a key");
        let tries = |right: usize| {
            let (asked, said) = (Cell::new(0), RefCell::new(Vec::new()));
            let ask = || {
                asked.set(asked.get() + 1);
                Ok(typed(if asked.get() == right { "four words or more" } else { "y" }))
            };
            let root = tried(&file, ask, |line| said.borrow_mut().push(line.to_owned()));
            (root.map(|root| root.keys().signing().public()), asked.get(), said.into_inner())
        };
        let lefts = ["you have 2 tries left", "you have 1 try left"];
        for right in 1..=3 {
            let (opened, asked, said) = tries(right);
            assert!(opened.is_ok() && asked == right && said.len() == right - 1, "{right}: {said:?}");
            assert!(said.iter().zip(lefts).all(|(line, left)| line.ends_with(left)), "{said:?}");
        }
        let (refused, asked, said) = tries(4);
        assert_eq!((asked, said.len()), (3, 2));
        let why = refused.expect_err("three are enough").to_string();
        assert!(why.contains("type the command again") && why.contains("help trouble"), "{why}");
    }
}
