//! Creates, locks and checks the file of a SQLite store, and copies it while it is in use.

use std::{
    fs::{File, TryLockError},
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior, backup::Backup, params};

use super::{CHECK, StoreError, Stored, sql};
use crate::{blob::Hex32, keep::atomic::flush_folder};

mod embedded {
    refinery::embed_migrations!("src/office/store/migrations/sqlite");
}

/// The endings of the files that SQLite writes beside a database and needs to read the database.
const JOURNALS: [&str; 2] = ["-journal", "-wal"];
/// The ending of a lock file's name.
const LOCK: &str = ".lock";

pub(super) fn wrong(error: &rusqlite::Error) -> StoreError {
    StoreError::Wrong(format!("the database reports an error: {error}; {CHECK}"))
}

/// Creates a new file with empty tables.
///
/// # Errors
/// If the file exists, or cannot be created.
pub fn create(path: &Path) -> Stored<()> {
    if path.exists() {
        let text =
            format!("{} already exists, so there is an office here: type `sealed-dice office serve`", path.display());
        return Err(StoreError::Wrong(text));
    }
    private(path)?;
    let mut connection = Connection::open(path).map_err(|error| wrong(&error))?;
    connection.pragma_update(None, "journal_mode", "WAL").map_err(|error| wrong(&error))?;
    migrate(&mut connection)
}

/// Creates an empty file that only its owner can open. The files that SQLite puts beside it get the same permissions.
fn private(path: &Path) -> Stored<()> {
    let mut options = File::options();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let made = options.open(path).map(drop);
    made.map_err(|error| StoreError::Wrong(format!("{} cannot be created: {error}; check its folder", path.display())))
}

/// Updates the tables in a file to this program's version.
pub(super) fn migrate(connection: &mut Connection) -> Stored<()> {
    embedded::migrations::runner()
        .run(connection)
        .map_err(|error| StoreError::Wrong(format!("the database's tables cannot be updated: {error}; {CHECK}")))?;
    Ok(())
}

/// Connects to a database file, which must exist.
pub(super) fn connect(path: &Path, flags: OpenFlags) -> Stored<Connection> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|error| {
        StoreError::Wrong(format!(
            "{} cannot be opened: {error}. If it is lost, bring a copy back with `sealed-dice office restore`; make a \
             new office with `sealed-dice office init`",
            path.display()
        ))
    })?;
    connection.busy_timeout(Duration::from_secs(10)).map_err(|error| wrong(&error))?;
    Ok(connection)
}

/// Locks the lock file beside a database.
pub(super) fn lock(path: &Path) -> Stored<File> {
    let path = beside(path, LOCK);
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(|error| {
        StoreError::Wrong(format!("{} cannot be opened: {error}; check its folder and permissions", path.display()))
    })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::Wrong(format!(
            "another office is using this database, or a copy is being made: {} is locked; wait until it is free",
            path.display()
        ))),
        Err(TryLockError::Error(error)) => Err(StoreError::Wrong(format!(
            "{} cannot be locked: {error}; use a disk that has file locks",
            path.display()
        ))),
    }
}

/// Checks that a database can be written, even while an office is using it.
///
/// # Errors
/// If the database cannot be written.
pub fn beat(path: &Path) -> Stored<()> {
    let unwritable = |error| {
        StoreError::Wrong(format!("{} cannot be written: {error}; check its permissions and the disk", path.display()))
    };
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let work = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(unwritable)?;
    work.query_row(sql::BEAT, [], |_| Ok(())).map_err(unwritable)?;
    work.commit().map_err(unwritable)
}

/// Copies a database, which may be in use, into a new file, and checks the copy. The copy is marked as restored (post
/// 17), because an office that uses it has forgotten all later letters; `generation` becomes the random id of its
/// numbering of positions.
///
/// # Errors
/// If the new file exists, or anything fails. A partial copy is then removed.
pub fn backup(path: &Path, to: &Path, generation: Hex32) -> Stored<()> {
    check_free(to)?;
    // The copy appears whole or not at all.
    let part = beside(to, ".part");
    let _lock = lock(&part)?;
    check_free(to)?;
    clear(&part);
    let copied = copy(path, &part, generation).and_then(|()| {
        crate::keep::points::point("copy-whole");
        // Copying took time, so the place is checked again.
        check_free(to)?;
        let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let named = std::fs::rename(&part, to).and_then(|()| flush_folder(folder));
        named.map_err(|error| {
            StoreError::Wrong(format!("{} cannot be created: {error}; check its folder", to.display()))
        })
    });
    crate::keep::points::point("copy-named");
    match copied {
        Ok(()) => drop(std::fs::remove_file(beside(&part, LOCK))),
        Err(_) => clear(&part),
    }
    copied
}

/// Checks that the place for a new database is free.
fn check_free(to: &Path) -> Stored<()> {
    if to.exists() {
        return Err(StoreError::Wrong(format!("{} already exists: choose another name", to.display())));
    }
    // SQLite would take another database's journal for the copy's own.
    match JOURNALS.map(|end| beside(to, end)).into_iter().find(|journal| journal.exists()) {
        None => Ok(()),
        Some(journal) => Err(StoreError::Wrong(format!(
            "{} is left from a database that is gone: move it away first",
            journal.display()
        ))),
    }
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

/// Removes the leftovers of an unfinished copy.
fn clear(part: &Path) {
    for end in ["", "-journal", "-wal", "-shm"] {
        let _ = std::fs::remove_file(beside(part, end));
    }
}

/// Returns the key of the office that owns a database file.
///
/// # Errors
/// If the file is not an office's database.
pub fn owner(path: &Path) -> Stored<Option<Hex32>> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let owner = connection.query_row(sql::OWNER, [], |row| row.get(0)).optional().map_err(|error| wrong(&error))?;
    Ok(owner.map(Hex32))
}

fn copy(path: &Path, to: &Path, generation: Hex32) -> Stored<()> {
    let from = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    private(to)?;
    crate::keep::points::point("copy-begun");
    let mut copy = Connection::open(to).map_err(|error| wrong(&error))?;
    {
        let backup = Backup::new(&from, &mut copy).map_err(|error| wrong(&error))?;
        backup.run_to_completion(1024, Duration::ZERO, None).map_err(|error| wrong(&error))?;
    }
    crate::keep::points::point("copy-filled");
    let marks = copy.transaction().map_err(|error| wrong(&error))?;
    mark_restored(&marks, generation)?;
    marks.commit().map_err(|error| wrong(&error))?;
    crate::keep::points::point("copy-marked");
    // Without a write-ahead log, the copy is a single, complete file.
    copy.pragma_update(None, "journal_mode", "DELETE").map_err(|error| wrong(&error))?;
    drop(copy);
    let file = File::open(to).and_then(|file| file.sync_all());
    file.map_err(|error| StoreError::Wrong(format!("{} cannot be flushed: {error}; check the disk", to.display())))?;
    check(to)
}

/// Marks a database as restored (post 17). `generation` becomes the random id of its numbering of positions.
pub(super) fn mark_restored(connection: &Connection, generation: Hex32) -> Stored<()> {
    connection.execute(sql::RESTORED, params![generation.0, 0]).map_err(|error| wrong(&error))?;
    Ok(())
}

/// Checks the integrity of a database file, page by page.
///
/// # Errors
/// [`StoreError::Wrong`] with a description of the damage.
pub fn check(path: &Path) -> Stored<()> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let told: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).map_err(|error| wrong(&error))?;
    match told.as_str() {
        "ok" => Ok(()),
        told => Err(StoreError::Wrong(format!(
            "{} is damaged: {told}; see `After a loss` in `sealed-dice help offices`",
            path.display()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_statement_is_one_of_sqlite() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("office.db");
        create(&path).expect("a database");
        let connection = Connection::open(&path).expect("a connection");
        for statement in sql::ALL {
            connection.prepare(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
        }
    }
}
