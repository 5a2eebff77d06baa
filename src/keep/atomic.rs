//! Files that appear whole or not at all.

use std::{
    collections::BTreeSet,
    fs::{self, File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use tempfile::{Builder, NamedTempFile, PersistError};

/// The prefix of an unfinished file's name.
pub(super) const UNFINISHED: &str = ".sealed-dice-unfinished-";

/// The folders in which this process has already looked for leftovers. It looks only once in each folder.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The maximum number of tries to write a file while another process removes the unfinished file as a leftover.
const ATTEMPTS: usize = 8;

/// Writes a new file. The bytes first go into a temporary file in the same folder, which is flushed to the disk and
/// then renamed. A reader sees the whole file or none, even if the program or the machine dies midway. Before this
/// process writes its first file in the folder, it removes the leftovers of killed runs there; no reader knows their
/// names. On Unix, only its owner can read a `private` file; on Windows the folder's permissions decide.
///
/// # Errors
/// `AlreadyExists` if the path exists (the existing file is left unchanged); any other error as the system reports it.
pub fn write_new(path: &Path, bytes: &[u8], private: bool) -> io::Result<()> {
    write_new_by(path, private, &|file| file.write_all(bytes))
}

/// Writes a new file like [`write_new`], with the content that `fill` writes. `fill` is called again if another process
/// removes the unfinished file as a leftover.
///
/// # Errors
/// Errors from [`write_new`] and from `fill`.
pub fn write_new_by(path: &Path, private: bool, fill: &Fill<'_>) -> io::Result<()> {
    write(path, fill, private, |unfinished| unfinished.persist_noclobber(path))
}

/// Writes a whole file, replacing an older one if it exists: a reader sees all of the old file or all of the new one.
/// `private` is as in [`write_new`].
///
/// # Errors
/// If the system reports an I/O error.
pub fn replace(path: &Path, bytes: &[u8], private: bool) -> io::Result<()> {
    write(path, &|file| file.write_all(bytes), private, |unfinished| unfinished.persist(path))
}

/// A function that writes the content of a file.
type Fill<'f> = dyn Fn(&mut File) -> io::Result<()> + 'f;

/// A function that gives a finished file its name.
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
    Err(io::Error::other("another program keeps removing the unfinished file; stop that program, and try again"))
}

/// Tries to write once. Returns `false` if another process removed the unfinished file before it was locked.
fn try_write(folder: &Path, fill: &Fill<'_>, private: bool, persist: &Persist<'_>) -> io::Result<bool> {
    let mut builder = Builder::new();
    builder.prefix(UNFINISHED);
    allow_others(&mut builder, private);
    let mut unfinished = builder.tempfile_in(folder)?;
    // The lock shows other processes that the writer is alive. On systems without locks no leftovers are removed.
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

/// Removes the leftovers of killed runs when this process first writes in the folder. Failures are ignored.
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

/// Whether the writer of a file is dead: a lock ends with its process, so a file that can be locked has no writer.
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
        builder.permissions(fs::Permissions::from_mode(0o666)); // the user's umask takes away some of these
    }
}

#[cfg(not(unix))]
fn allow_others(_: &mut Builder<'_, '_>, _: bool) {}

/// Flushes a folder to the disk, so that new names in it survive a crash. Windows has no such call, and needs none.
#[cfg(unix)]
pub(crate) fn flush_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
pub(crate) fn flush_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
