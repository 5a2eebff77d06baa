//! Files that appear whole or not at all.

use std::{
    collections::BTreeSet,
    fs::{self, File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    thread,
    time::Duration,
};

use tempfile::{Builder, NamedTempFile};

/// The prefix of an unfinished file's name.
pub(super) const UNFINISHED: &str = ".sealed-dice-unfinished-";

/// The folders in which this process has already looked for leftovers. It looks only once in each folder.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The maximum number of tries to write a file while another process removes the unfinished file as a leftover, or has
/// the old file open.
const ATTEMPTS: u32 = 8;

/// The wait after the first try while another process has the old file open. Each later wait is longer by as much.
const PAUSE: Duration = Duration::from_millis(20);

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
/// removes the unfinished file as a leftover, or has a file open that is in the way.
///
/// # Errors
/// Errors from [`write_new`] and from `fill`.
pub fn write_new_by(path: &Path, private: bool, fill: &Fill<'_>) -> io::Result<()> {
    write(path, fill, private, &|unfinished, path| {
        unfinished.persist_noclobber(path).map(drop).map_err(|error| error.error)
    })
}

/// Writes a whole file, replacing an older one if it exists: a reader sees all of the old file or all of the new one.
/// `private` is as in [`write_new`].
///
/// # Errors
/// If the system reports an I/O error.
pub fn replace(path: &Path, bytes: &[u8], private: bool) -> io::Result<()> {
    write(path, &|file| file.write_all(bytes), private, &persist)
}

/// Gives a finished file its name, and replaces an older file of that name.
fn persist(unfinished: NamedTempFile, path: &Path) -> io::Result<()> {
    unfinished.persist(path).map(drop).map_err(|error| error.error)
}

/// A function that writes the content of a file.
type Fill<'f> = dyn Fn(&mut File) -> io::Result<()> + 'f;

/// A function that gives a finished file its name.
type Persist = dyn Fn(NamedTempFile, &Path) -> io::Result<()>;

fn write(path: &Path, fill: &Fill<'_>, private: bool, persist: &Persist) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let path = with_any_length(folder).join(path.file_name().ok_or(io::ErrorKind::InvalidInput)?);
    sweep(folder);
    for attempt in 1..=ATTEMPTS {
        match try_write(&path, fill, private, persist) {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(error) if is_held(&error) && attempt < ATTEMPTS => thread::sleep(attempt * PAUSE),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("another program keeps removing the unfinished file; stop that program, and try again"))
}

/// Tries to write once. Returns `false` if another process removed the unfinished file.
fn try_write(path: &Path, fill: &Fill<'_>, private: bool, persist: &Persist) -> io::Result<bool> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
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
    // On Windows nobody can read a locked file, so the lock ends before the file gets its name. In between, the file
    // looks like a leftover. If unlocking fails, the lock ends when the file is closed.
    if locked && cfg!(windows) {
        let _ = unfinished.as_file().unlock();
    }
    match persist(unfinished, path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        named => named?,
    }
    flush_folder(folder)?;
    Ok(true)
}

/// Whether a file cannot be replaced because another program has it open, such as a virus scanner or another command of
/// ours that reads it. Only Windows refuses that.
fn is_held(error: &io::Error) -> bool {
    const ACCESS_DENIED: i32 = 5;
    const SHARING_VIOLATION: i32 = 32;
    cfg!(windows) && matches!(error.raw_os_error(), Some(ACCESS_DENIED | SHARING_VIOLATION))
}

/// Returns a folder's path in a form in which names below it may have any length. On Windows, only paths that begin
/// with `\\?\` can have more than 260 characters. Virtual disks may have no such paths.
#[cfg(windows)]
fn with_any_length(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

#[cfg(not(windows))]
fn with_any_length(folder: &Path) -> PathBuf {
    folder.to_owned()
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

#[cfg(all(test, windows))]
mod tests {
    use std::{cell::RefCell, os::windows::fs::OpenOptionsExt};

    use super::*;

    #[test]
    fn a_file_that_a_scanner_has_open_is_replaced_later() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("signed.txt");
        write_new(&path, b"old", true).expect("a new file");
        let scanner = File::options().read(true).share_mode(0).open(&path).expect("the old file");
        let scanners = RefCell::new(vec![scanner]);
        let tries = RefCell::new(0);
        let fill = |file: &mut File| {
            *tries.borrow_mut() += 1;
            if *tries.borrow() > 1 {
                scanners.borrow_mut().clear();
            }
            file.write_all(b"new")
        };
        write(&path, &fill, true, &persist).expect("replaced");
        assert_eq!((*tries.borrow(), fs::read(&path).expect("the new file")), (2, b"new".to_vec()));
    }

    #[test]
    fn a_new_file_can_be_read_as_soon_as_it_has_its_name() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("letter.txt");
        write(&path, &|file| file.write_all(b"letter"), true, &|unfinished, path| {
            let writer = unfinished.persist_noclobber(path).map_err(|error| error.error)?;
            assert_eq!(fs::read(path)?, b"letter");
            drop(writer);
            Ok(())
        })
        .expect("written");
    }

    #[test]
    fn a_path_may_be_longer_than_260_characters() {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = dir.path().join("a".repeat(120)).join("b".repeat(120));
        fs::create_dir_all(&folder).expect("folders");
        let path = folder.join("letter.txt");
        write_new(&path, b"old", true).expect("written");
        replace(&path, b"new", true).expect("replaced");
        assert_eq!(fs::read(&path).expect("a file"), b"new");
        let taken = write_new(&path, b"newer", true).expect_err("it exists");
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
    }
}
