//! Where a player's key and games are.

use std::{
    env,
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use etcetera::base_strategy::{BaseStrategy, choose_native_strategy};

use super::StorageError;

/// The folder of one player: `key.txt` is their key file, `games/NAME/` their games. Two players on one machine have
/// two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home(PathBuf);

impl Home {
    /// The folder that was asked for, else the one that the environment names (`SEALED_DICE_HOME`), else
    /// `sealed-dice` where this system keeps a user's data. Nothing is made or read.
    ///
    /// # Errors
    /// If the system does not know where the user's data are.
    pub fn find(asked: Option<PathBuf>) -> Result<Self, StorageError> {
        let named = || env::var_os("SEALED_DICE_HOME").filter(|dir| !dir.is_empty()).map(PathBuf::from);
        match asked.or_else(named) {
            Some(dir) => Ok(Self(dir)),
            None => usual().map(Self),
        }
    }

    /// The folder itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the path of the key file.
    #[must_use]
    pub fn key_file(&self) -> PathBuf {
        self.0.join("key.txt")
    }

    /// The file with what the player has noted about keys.
    #[must_use]
    pub fn notes(&self) -> PathBuf {
        self.0.join("notes.txt")
    }

    /// The folder with a folder for each game.
    #[must_use]
    pub fn games(&self) -> PathBuf {
        self.0.join("games")
    }

    /// The folder of withdrawals of terms that are not here.
    #[must_use]
    pub fn withdrawn(&self) -> PathBuf {
        self.0.join("withdrawn")
    }

    /// The folder of games that were taken out of view.
    #[must_use]
    pub fn forgotten(&self) -> PathBuf {
        self.0.join("forgotten")
    }

    /// The folder of tables that charters withhold.
    #[must_use]
    pub fn tables(&self) -> PathBuf {
        self.0.join("tables")
    }

    /// Takes what is beside the games for this process alone: the key, and which games there are.
    ///
    /// # Errors
    /// If another process has it, or the system refuses.
    pub fn lock(&self) -> Result<HomeLock, StorageError> {
        lock(&self.0.join("lock"), &self.0).map(HomeLock)
    }

    /// Makes the folder if it is not there. On unix a new one is for its owner alone; on Windows it is as private as
    /// the user's profile.
    ///
    /// # Errors
    /// What the system says.
    pub fn make(&self) -> Result<(), StorageError> {
        make_private(&self.0).map_err(|error| StorageError::with(&self.0, "made", &error))
    }
}

/// Held while a game or a key is added to a player's folder, so that no two commands begin one game or change one key;
/// let go when dropped.
#[derive(Debug)]
pub struct HomeLock(#[expect(dead_code, reason = "the open file is the lock")] File);

/// Locks a file for this process, and makes it if it is not there; `whose` completes "WHOSE is in use".
///
/// # Errors
/// If another process has it, or the system refuses.
pub(super) fn lock(path: &Path, whose: &Path) -> Result<File, StorageError> {
    let file = File::options().create(true).truncate(false).write(true).open(path);
    let file = file.map_err(|error| StorageError::with(path, "opened", &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StorageError::Unable(format!(
            "{} is in use by another sealed-dice; wait until that has ended",
            whose.display()
        ))),
        Err(TryLockError::Error(error)) => Err(StorageError::with(path, "locked", &error)),
    }
}

fn usual() -> Result<PathBuf, StorageError> {
    let strategy = choose_native_strategy().map_err(|error| {
        StorageError::Unable(format!("where your data are is not known ({error}); say it with --home DIR"))
    })?;
    Ok(strategy.data_dir().join("sealed-dice"))
}

/// Makes a folder, and those above it, for its owner alone. One that is there stays as it is.
///
/// # Errors
/// What the system says.
pub fn make_private(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// Refuses a file that others can read or change (unix); on Windows the profile's own protection is relied on.
///
/// # Errors
/// `Refused`, with the command that mends it; `Unable` if the file is missing, or is none.
pub fn check_private(path: &Path) -> Result<(), StorageError> {
    let about = fs::metadata(path).map_err(|error| StorageError::with(path, "read", &error))?;
    if !about.is_file() {
        return Err(StorageError::Unable(format!("{} is no file", path.display())));
    }
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o077 != 0 {
        return Err(StorageError::Refused(format!(
            "{0} is open to other users of this machine; close it with:  chmod 600 '{0}'",
            path.display()
        )));
    }
    Ok(())
}
