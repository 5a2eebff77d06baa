//! The location of a player's key and games.

use std::{
    env,
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use etcetera::base_strategy::{BaseStrategy, choose_native_strategy};

use super::StorageError;
use crate::{
    blob::frame::{FORMAT, another_format},
    report::text::{cut, visible},
};

/// The folder of one player, with their key file `key.txt` and their games in `games/NAME/`. Two players on one machine
/// have two folders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home(PathBuf);

impl Home {
    /// Finds the folder: `asked` if it is given, else the folder that the environment variable `SEALED_DICE_HOME`
    /// names, else `sealed-dice` in the system's folder for the user's data. The folder is not created.
    ///
    /// # Errors
    /// If the system does not know the location of the user's data, or the folder is in another format than
    /// [`FORMAT`]. A file `format` in it holds the number of its format; without the file, the number is 1.
    pub fn find(asked: Option<PathBuf>) -> Result<Self, StorageError> {
        let named = || env::var_os("SEALED_DICE_HOME").filter(|dir| !dir.is_empty()).map(PathBuf::from);
        let home = asked.or_else(named).map_or_else(usual, Ok).map(Self)?;
        let path = home.0.join("format");
        let format = match fs::read_to_string(&path) {
            Err(error) if [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&error.kind()) => {
                FORMAT.to_string()
            }
            read => read.map_err(|error| StorageError::with(&path, "read", &error))?,
        };
        match format.trim() == FORMAT.to_string() {
            true => Ok(home),
            false => {
                let whose = format!("the folder {}", home.0.display());
                Err(StorageError::Refused(another_format(&whose, visible(cut(format.trim(), 20).0))))
            }
        }
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the path of the key file.
    #[must_use]
    pub fn key_file(&self) -> PathBuf {
        self.0.join("key.txt")
    }

    /// Returns the path of the file with the player's notes about keys.
    #[must_use]
    pub fn notes(&self) -> PathBuf {
        self.0.join("notes.txt")
    }

    /// Returns the path of the folder that holds a folder for each game.
    #[must_use]
    pub fn games(&self) -> PathBuf {
        self.0.join("games")
    }

    /// Returns the folder for withdrawals whose terms are missing here.
    #[must_use]
    pub fn withdrawn(&self) -> PathBuf {
        self.0.join("withdrawn")
    }

    /// Returns the folder for games that were taken out of view.
    #[must_use]
    pub fn forgotten(&self) -> PathBuf {
        self.0.join("forgotten")
    }

    /// Returns the folder for tables that charters withhold.
    #[must_use]
    pub fn tables(&self) -> PathBuf {
        self.0.join("tables")
    }

    /// Locks the shared parts of the folder for this process alone: the key, and the set of games.
    ///
    /// # Errors
    /// If another process holds the lock, or the system refuses.
    pub fn lock(&self) -> Result<HomeLock, StorageError> {
        lock(&self.0.join("lock"), &self.0).map(HomeLock)
    }

    /// Creates the folder if it is missing. On Unix, only its owner can open a new folder; on Windows, a new folder is
    /// as private as the user's profile.
    ///
    /// # Errors
    /// If the system reports an I/O error.
    pub fn make(&self) -> Result<(), StorageError> {
        make_private(&self.0).map_err(|error| StorageError::with(&self.0, "made", &error))
    }
}

/// A lock that is held while a game or a key is added to a player's folder, so that no two commands begin the same game
/// or change the same key. It is released when dropped.
#[derive(Debug)]
pub struct HomeLock(#[expect(dead_code, reason = "the open file is the lock")] File);

/// Locks a file for this process, and creates it if it is missing. `whose` is the path in the message "PATH is in use".
///
/// # Errors
/// If another process holds the lock, or the system refuses.
pub(super) fn lock(path: &Path, whose: &Path) -> Result<File, StorageError> {
    let file = File::options().create(true).truncate(false).write(true).open(path);
    let file = file.map_err(|error| StorageError::with(path, "opened", &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StorageError::Unable(format!(
            "{} is in use by another sealed-dice command; wait until it has finished",
            whose.display()
        ))),
        Err(TryLockError::Error(error)) => Err(StorageError::with(path, "locked", &error)),
    }
}

fn usual() -> Result<PathBuf, StorageError> {
    let strategy = choose_native_strategy().map_err(|error| {
        StorageError::Unable(format!("your data folder cannot be found ({error}); name a folder with --home DIR"))
    })?;
    Ok(strategy.data_dir().join("sealed-dice"))
}

/// Creates a folder and its missing parents; on Unix, only their owner can open them. Existing folders are left
/// unchanged.
///
/// # Errors
/// If the system reports an I/O error.
pub fn make_private(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// Checks that other users can neither read nor change a file. On Windows, the user's profile protects the file, so its
/// permissions are not checked.
///
/// # Errors
/// `Refused`, with the command that fixes the permissions; `Unable` if the path is missing, or is not a file.
pub fn check_private(path: &Path) -> Result<(), StorageError> {
    let about = fs::metadata(path).map_err(|error| StorageError::with(path, "read", &error))?;
    if !about.is_file() {
        return Err(StorageError::Unable(format!(
            "{} is not a file; move it away, and put your key file there",
            path.display()
        )));
    }
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o077 != 0 {
        return Err(StorageError::Refused(format!(
            "other users of this computer can open {0}; prevent that with:  chmod 600 '{0}'",
            path.display()
        )));
    }
    Ok(())
}
