//! Files that appear whole or not at all.

use std::{
    collections::BTreeSet,
    fs::{self, File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use tempfile::{Builder, NamedTempFile, PersistError};

/// How the name of a file begins that is not finished yet.
pub(super) const UNFINISHED: &str = ".sealed-dice-unfinished-";

/// The folders that this process has looked through for leftovers: once each, however many files it writes there.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// How often another process may take an unfinished file for a leftover before its writer gives up.
const ATTEMPTS: usize = 8;

/// Writes a new file: into a temporary one in the same folder, flushed to the disk, then renamed. A reader sees all of
/// it or nothing, also when the program or the machine dies on the way. What a killed run left behind in that folder is
/// removed before the first file of this process; it has never had a name that anybody reads. `private` files are for
/// their owner alone on unix; on Windows the folder's permissions decide.
///
/// # Errors
/// `AlreadyExists` if there is anything at the path, which is then left as it is; and what the system says.
pub fn write_new(path: &Path, bytes: &[u8], private: bool) -> io::Result<()> {
    write_new_by(path, private, &|file| file.write_all(bytes))
}

/// As [`write_new`], with the bytes that `fill` writes. It is called once more where another process takes the
/// unfinished file for a leftover.
///
/// # Errors
/// As [`write_new`], and what `fill` says.
pub fn write_new_by(path: &Path, private: bool, fill: &Fill<'_>) -> io::Result<()> {
    write(path, fill, private, |unfinished| unfinished.persist_noclobber(path))
}

/// Writes a whole file, in place of an older one if there is one: a reader sees all of one or all of the other.
/// `private` is as in [`write_new`].
///
/// # Errors
/// What the system says.
pub fn replace(path: &Path, bytes: &[u8], private: bool) -> io::Result<()> {
    write(path, &|file| file.write_all(bytes), private, |unfinished| unfinished.persist(path))
}

/// Writes what a file is to hold.
type Fill<'f> = dyn Fn(&mut File) -> io::Result<()> + 'f;

/// Gives a finished file its name.
type Persist<'p> = dyn Fn(NamedTempFile) -> Result<File, PersistError> + 'p;

fn write(
    path: &Path,
    fill: &Fill<'_>,
    private: bool,
    persist: impl Fn(NamedTempFile) -> Result<File, PersistError>,
) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    sweep(folder);
    for _ in 0..ATTEMPTS {
        if try_write(folder, fill, private, &persist)? {
            return Ok(());
        }
    }
    Err(io::Error::other("another program removes what is being written"))
}

/// `false`: a sweeper was quicker than the lock.
fn try_write(folder: &Path, fill: &Fill<'_>, private: bool, persist: &Persist<'_>) -> io::Result<bool> {
    let mut builder = Builder::new();
    builder.prefix(UNFINISHED);
    allow_others(&mut builder, private);
    let mut unfinished = builder.tempfile_in(folder)?;
    // The lock tells a sweeper that the writer is alive. Where there are no locks nothing is swept.
    let locked = unfinished.as_file().lock().is_ok();
    if locked && !unfinished.path().exists() {
        return Ok(false);
    }
    fill(unfinished.as_file_mut())?;
    unfinished.as_file().sync_all()?;
    persist(unfinished).map_err(|error| error.error)?;
    flush_folder(folder)?;
    Ok(true)
}

/// Removes what killed runs left behind, the first time that this process writes there. That this succeeds is nobody's
/// business.
fn sweep(folder: &Path) {
    if !SWEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned()) {
        return;
    }
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(UNFINISHED)) {
            let path = entry.path();
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            if is_file && File::open(&path).is_ok_and(|file| is_abandoned(&file)) {
                let _ = fs::remove_file(&path);
            }
        }
    }
}

/// A lock dies with its process, so whose file can be locked is dead.
fn is_abandoned(file: &File) -> bool {
    match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
    }
}

#[cfg(unix)]
fn allow_others(builder: &mut Builder<'_, '_>, private: bool) {
    use std::os::unix::fs::PermissionsExt;
    if !private {
        builder.permissions(fs::Permissions::from_mode(0o666)); // what the user's umask leaves of it
    }
}

#[cfg(not(unix))]
fn allow_others(_: &mut Builder<'_, '_>, _: bool) {}

/// Makes the new name last. Windows has no such call, and needs none.
#[cfg(unix)]
pub(crate) fn flush_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
pub(crate) fn flush_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
