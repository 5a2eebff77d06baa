//! The store in one file: SQLite, with one thread that writes. What waits for it is written together and flushed once
//! (group commit), and nobody is answered before the flush.

use std::{
    fs::{File, TryLockError},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use async_trait::async_trait;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, TransactionBehavior, backup::Backup, ffi, params};
use tokio::sync::{mpsc, oneshot};

use super::{
    Append, Appended, Fault, Known, Mark, Memory, New, Own, Owner, Row, Signed, Size, Stand, Store, Stored, behind, sql,
};
use crate::{blob::Hex32, keep::atomic::flush_folder};

mod embedded {
    refinery::embed_migrations!("src/office/store/migrations/sqlite");
}

/// How many steps wait for one flush at most.
const TOGETHER: usize = 128;
/// How many steps may wait at all; who comes then waits before he is let in.
const WAITING: usize = 1024;
/// What SQLite writes beside a file and needs to read it.
const JOURNALS: [&str; 2] = ["-journal", "-wal"];
/// How the name of a lock file ends.
const LOCK: &str = ".lock";

/// How many pages are written to the log before they go to their places: fewer trips for pages that change often.
const LOG_PAGES: u32 = 4096;
/// How many pages the writer keeps in memory.
const CACHE_PAGES: u32 = 2048;

/// One step of the writer.
enum Step {
    Open(Hex32),
    Append(Box<Append>),
    Restored(Hex32, u64),
    Declared,
    Own(Hex32, Hex32),
    Beat,
}

/// What a step came to.
enum Done {
    Plain,
    Appended(Appended),
    Beat(Owner),
}

/// A step, and where its end is told.
type Told = (Step, oneshot::Sender<Stored<Done>>);

/// The store in a file.
pub struct Sqlite {
    writer: mpsc::Sender<Told>,
    readers: Readers,
    /// Held as long as the store is: two processes on one file would each sign.
    _lock: File,
}

/// Connections that read, each used by one at a time.
#[derive(Clone)]
struct Readers {
    path: PathBuf,
    idle: Arc<Mutex<Vec<Connection>>>,
}

fn wrong(error: &rusqlite::Error) -> Fault {
    Fault::Wrong(format!("the database does not answer: {error}"))
}

/// Makes a new file with empty tables.
///
/// # Errors
/// If it is there, or cannot be made.
pub fn create(path: &Path) -> Stored<()> {
    if path.exists() {
        return Err(Fault::Wrong(format!("{} is there already", path.display())));
    }
    private(path)?;
    let mut connection = Connection::open(path).map_err(|error| wrong(&error))?;
    connection.pragma_update(None, "journal_mode", "WAL").map_err(|error| wrong(&error))?;
    migrate(&mut connection)
}

/// Makes an empty file for its owner alone; what SQLite puts beside it has the same rights.
fn private(path: &Path) -> Stored<()> {
    let mut options = File::options();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let made = options.open(path).map(drop);
    made.map_err(|error| Fault::Wrong(format!("{} cannot be made: {error}", path.display())))
}

/// Brings the tables of a file to what this program knows.
fn migrate(connection: &mut Connection) -> Stored<()> {
    embedded::migrations::runner()
        .run(connection)
        .map_err(|error| Fault::Wrong(format!("the tables cannot be brought up to date: {error}")))?;
    Ok(())
}

/// A connection to a file that must be there.
fn connect(path: &Path, flags: OpenFlags) -> Stored<Connection> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|error| {
        Fault::Wrong(format!(
            "{} cannot be opened: {error}. If it was lost, bring its copy back with `sealed-dice office restore`; a new office is \
             made with `sealed-dice office init`",
            path.display()
        ))
    })?;
    connection.busy_timeout(Duration::from_secs(10)).map_err(|error| wrong(&error))?;
    Ok(connection)
}

/// The lock file beside a database.
pub(super) fn lock(path: &Path) -> Stored<File> {
    let path = beside(path, LOCK);
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(|error| Fault::Wrong(format!("{} cannot be opened: {error}", path.display())))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Fault::Wrong(format!(
            "another office has this database, or a copy of it is being made: {} is locked; let that end first",
            path.display()
        ))),
        Err(TryLockError::Error(error)) => Err(Fault::Wrong(format!("{} cannot be locked: {error}", path.display()))),
    }
}

impl Sqlite {
    /// Opens a file that [`create`] has made, for this process alone.
    ///
    /// # Errors
    /// If it is not there, another process has it, or it is damaged.
    pub fn open(path: &Path) -> Stored<Self> {
        let lock = lock(path)?;
        let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.pragma_update(None, "journal_mode", "WAL").map_err(|error| wrong(&error))?;
        connection.pragma_update(None, "synchronous", "FULL").map_err(|error| wrong(&error))?;
        connection.pragma_update(None, "foreign_keys", true).map_err(|error| wrong(&error))?;
        connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES).map_err(|error| wrong(&error))?;
        connection.pragma_update(None, "cache_size", CACHE_PAGES).map_err(|error| wrong(&error))?;
        migrate(&mut connection)?;
        let (writer, steps) = mpsc::channel(WAITING);
        let spawned = thread::Builder::new().name("writer".into()).spawn(move || write(&mut connection, steps));
        spawned.map_err(|error| Fault::Wrong(format!("no thread to write with: {error}")))?;
        Ok(Self { writer, readers: Readers { path: path.to_owned(), idle: Arc::default() }, _lock: lock })
    }

    async fn step(&self, step: Step) -> Stored<Done> {
        let (told, ended) = oneshot::channel();
        let gone = || Fault::Broken("the writer of the database has stopped".into());
        self.writer.send((step, told)).await.map_err(|_| gone())?;
        ended.await.map_err(|_| gone())?
    }

    /// Looks a row up, where it is asked for: a change of threads would take longer.
    fn look_up<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Stored<T> {
        self.readers.with(read)
    }

    /// Reads what may be much, on a thread that may take its time.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Stored<T> {
        let readers = self.readers.clone();
        let done = tokio::task::spawn_blocking(move || readers.with(read)).await;
        done.map_err(|error| Fault::Wrong(format!("a read of the database ended early: {error}")))?
    }
}

impl Readers {
    fn with<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Stored<T> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let connection = match taken {
            Some(connection) => connection,
            None => connect(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY)?,
        };
        let found = read(&connection).map_err(|error| wrong(&error));
        idle().push(connection);
        found
    }
}

/// The writer: takes what waits, writes it in one transaction, and tells everybody after the flush.
fn write(connection: &mut Connection, mut steps: mpsc::Receiver<Told>) {
    while let Some(first) = steps.blocking_recv() {
        let mut together = vec![first];
        while together.len() < TOGETHER
            && let Ok(next) = steps.try_recv()
        {
            together.push(next);
        }
        let (steps, told): (Vec<Step>, Vec<_>) = together.into_iter().unzip();
        let ended = match commit(connection, &steps) {
            Ok(ended) => ended,
            // Nothing was committed, for that takes all of it to be written, and then a flush.
            Err(error) if is_unwritable(&error) && connection.is_autocommit() => {
                let fault = Fault::Busy(format!("the database cannot be written now: {error}"));
                steps.iter().map(|_| Err(fault.clone())).collect()
            }
            Err(error) => {
                // What is on the disk is not known any more: who still waits is told by the channel's end, and the process ends.
                tracing::error!(%error, "the database cannot be written");
                return;
            }
        };
        // Whoever does not wait any more finds it when he looks.
        told.into_iter().zip(ended).for_each(|(told, end)| drop(told.send(end)));
    }
}

/// Whether the disk did not take what was to be written, being full or write-protected. A flush that fails is another thing:
/// what it should have brought to the disk may be there or not.
fn is_unwritable(error: &rusqlite::Error) -> bool {
    let rusqlite::Error::SqliteFailure(error, _) = error else { return false };
    matches!(error.code, ErrorCode::DiskFull | ErrorCode::ReadOnly)
        || matches!(error.extended_code, ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_SHMSIZE)
}

fn commit(connection: &mut Connection, together: &[Step]) -> rusqlite::Result<Vec<Stored<Done>>> {
    let outer = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut ended = Vec::with_capacity(together.len());
    for step in together {
        // Each step stands or falls by itself.
        run(&outer, "SAVEPOINT step")?;
        let end = match take(&outer, step) {
            Err(error) if is_unwritable(&error) => return Err(error),
            end => end.map_err(|error| wrong(&error)),
        };
        if !matches!(&end, Ok(Done::Plain | Done::Beat(_) | Done::Appended(Appended::Done))) {
            run(&outer, "ROLLBACK TO step")?;
        }
        run(&outer, "RELEASE step")?;
        ended.push(end);
    }
    crate::keep::points::point("before-commit");
    outer.commit()?;
    crate::keep::points::point("after-commit");
    Ok(ended)
}

fn take(connection: &Connection, step: &Step) -> rusqlite::Result<Done> {
    let plain = |_| Done::Plain;
    match step {
        Step::Open(game) => connection.execute(sql::OPEN, params![game.0]).map(plain),
        Step::Append(append) => self::append(connection, append).map(Done::Appended),
        Step::Restored(generation, known) => connection.execute(sql::RESTORED, params![generation.0, known]).map(plain),
        Step::Declared => connection.execute(sql::DECLARED, []).map(plain),
        Step::Own(key, generation) => connection.execute(sql::OWN, params![key.0, generation.0]).map(plain),
        Step::Beat => connection.prepare_cached(sql::BEAT)?.query_row([], owner_of).map(Done::Beat),
    }
}

/// A statement without an answer, prepared once.
fn run(connection: &Connection, statement: &str) -> rusqlite::Result<usize> {
    connection.prepare_cached(statement)?.execute([])
}

/// Whether a database has forgotten what is known of it; nothing to be said of one that has not.
fn forgot(connection: &Connection, known: &Known) -> rusqlite::Result<Option<Appended>> {
    let owner = connection.prepare_cached(sql::OWNER)?.query_row([], owner_of)?;
    match known.compare(&owner) {
        // Somebody has marked it meanwhile: what was decided before that is not to be signed.
        Memory::Restored => Ok(Some(Appended::Moved)),
        Memory::Same if has(connection, &known.letters)? => Ok(None),
        Memory::Same | Memory::Forgot => Ok(Some(Appended::Forgot)),
    }
}

fn has(connection: &Connection, letters: &[Signed]) -> rusqlite::Result<bool> {
    let mut has = connection.prepare_cached(sql::HAS)?;
    for Signed { game, id } in letters {
        if !has.exists(params![game.0, id.0])? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn append(connection: &Connection, append: &Append) -> rusqlite::Result<Appended> {
    if let Some(known) = &append.known
        && let Some(forgot) = forgot(connection, known)?
    {
        return Ok(forgot);
    }
    crate::keep::points::point("before-insert");
    let game = append.game.0;
    let bytes: usize = append.letters.iter().map(|letter| letter.frame.len()).sum();
    let last = append.behind + append.letters.len() as u64;
    let moved = connection.prepare_cached(sql::MOVE)?.execute(params![last, bytes as u64, game, append.behind])?;
    if moved == 0 {
        let there = connection.prepare_cached(sql::STAND)?.exists(params![game])?;
        return Ok(if there { Appended::Moved } else { Appended::Unknown });
    }
    let mut insert = connection.prepare_cached(sql::LETTER)?;
    for (New { id, key, own, frame, shown }, position) in append.letters.iter().zip(append.behind + 1..) {
        if insert.execute(params![game, position, id.0, key.0, own.map(Own::bytes), frame, shown])? == 0 {
            return Ok(Appended::Spent);
        }
    }
    let mut insert = connection.prepare_cached(sql::MARK)?;
    for Mark { seal, index, line, letter } in &append.marks {
        if insert.execute(params![seal.0, index, line, letter.0])? == 0 {
            return Ok(Appended::Spent);
        }
    }
    let mut insert = connection.prepare_cached(sql::READER)?;
    for key in &append.readers {
        insert.execute(params![key.0, game])?;
    }
    if let Some(late) = append.late {
        connection.prepare_cached(if late { sql::LATE } else { sql::CAUGHT_UP })?.execute(params![game])?;
    }
    if append.epoch {
        connection.execute(sql::BEGUN, params![game])?;
    }
    crate::keep::points::point("after-insert");
    Ok(Appended::Done)
}

fn owner_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Owner> {
    Ok(Owner {
        key: Hex32(row.get(0)?),
        restored: row.get(1)?,
        restores: row.get(2)?,
        beat: row.get(3)?,
        generation: Hex32(row.get(4)?),
    })
}

fn stand(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<Stand> {
    Ok(Stand { last: row.get(first)?, bytes: row.get(first + 1)?, restored: row.get(first + 2)? })
}

fn boxed(row: &rusqlite::Row<'_>) -> rusqlite::Result<(Hex32, Stand)> {
    Ok((Hex32(row.get(0)?), stand(row, 1)?))
}

#[async_trait]
impl Store for Sqlite {
    async fn open(&self, game: Hex32) -> Stored<()> {
        self.step(Step::Open(game)).await.map(|_| ())
    }

    async fn stand(&self, game: Hex32) -> Stored<Option<Stand>> {
        self.look_up(|db| db.prepare_cached(sql::STAND)?.query_row(params![game.0], |row| stand(row, 0)).optional())
    }

    async fn append(&self, append: Append) -> Stored<Appended> {
        match self.step(Step::Append(Box::new(append))).await? {
            Done::Appended(appended) => Ok(appended),
            Done::Plain | Done::Beat(_) => Err(other_step()),
        }
    }

    async fn letters(&self, game: Hex32, after: u64, bytes: u64) -> Stored<Vec<Row>> {
        self.read(move |db| {
            let mut letters = db.prepare_cached(sql::LETTERS)?;
            let mut rows = letters.query(params![game.0, after])?;
            let (mut found, mut size): (Vec<Row>, u64) = (Vec::new(), 0);
            while let Some(row) = rows.next()? {
                let row = Row { position: row.get(0)?, frame: row.get(1)?, shown: row.get(2)? };
                size += row.frame.len() as u64;
                if size > bytes && !found.is_empty() {
                    break;
                }
                found.push(row);
            }
            Ok(found)
        })
        .await
    }

    async fn may_read(&self, game: Hex32, key: Hex32) -> Stored<bool> {
        self.look_up(|db| db.prepare_cached(sql::MAY_READ)?.exists(params![key.0, game.0]))
    }

    async fn boxes_of(&self, key: Hex32, after: Option<Hex32>, most: u64) -> Stored<Vec<(Hex32, Stand)>> {
        let after = behind(after);
        self.read(move |db| db.prepare_cached(sql::BOXES_OF)?.query_map(params![key.0, after, most], boxed)?.collect())
            .await
    }

    async fn boxes(&self, after: Option<Hex32>, most: u64) -> Stored<Vec<(Hex32, Stand)>> {
        let after = behind(after);
        self.read(move |db| db.prepare_cached(sql::BOXES)?.query_map(params![after, most], boxed)?.collect()).await
    }

    async fn late(&self) -> Stored<Vec<Hex32>> {
        let game = |row: &rusqlite::Row<'_>| row.get(0).map(Hex32);
        self.read(move |db| db.prepare_cached(sql::ALL_LATE)?.query_map([], game)?.collect()).await
    }

    async fn size(&self) -> Stored<Size> {
        self.read(|db| {
            let counted = |what: &str| db.query_row(what, [], |row| row.get::<_, u64>(0));
            let pages = counted("PRAGMA page_count")?.saturating_sub(counted("PRAGMA freelist_count")?);
            let boxes = counted("SELECT count(*) FROM box")?;
            Ok(Size { bytes: pages.saturating_mul(counted("PRAGMA page_size")?), boxes })
        })
        .await
    }

    async fn restored(&self, generation: Hex32, known: u64) -> Stored<()> {
        self.step(Step::Restored(generation, known)).await.map(|_| ())
    }

    async fn declared(&self) -> Stored<()> {
        self.step(Step::Declared).await.map(|_| ())
    }

    async fn owner(&self) -> Stored<Option<Owner>> {
        self.look_up(|db| db.query_row(sql::OWNER, [], owner_of).optional())
    }

    async fn own(&self, key: Hex32, generation: Hex32) -> Stored<()> {
        self.step(Step::Own(key, generation)).await.map(|_| ())
    }

    async fn beat(&self) -> Stored<Owner> {
        match self.step(Step::Beat).await? {
            Done::Beat(owner) => Ok(owner),
            Done::Plain | Done::Appended(_) => Err(other_step()),
        }
    }

    async fn has(&self, letters: &[Signed]) -> Stored<bool> {
        self.look_up(|db| has(db, letters))
    }

    async fn heard(&self) -> Hex32 {
        std::future::pending().await
    }
}

/// The writer does not mix steps up.
fn other_step() -> Fault {
    Fault::Wrong("the writer of the database answers another step".into())
}

/// Whether a database can be written, beside an office that may be using it.
///
/// # Errors
/// If it cannot.
pub fn beat(path: &Path) -> Stored<()> {
    let unwritable = |error| Fault::Wrong(format!("{} cannot be written: {error}", path.display()));
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let work = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(unwritable)?;
    work.query_row(sql::BEAT, [], |_| Ok(())).map_err(unwritable)?;
    work.commit().map_err(unwritable)
}

/// Copies a database into a new file while it is used, and looks the copy over. The copy is marked as restored (post 17),
/// with a random name of its positions: whoever uses it has forgotten what came after it.
///
/// # Errors
/// If the file is there, or anything fails; what was written of it then is removed.
pub fn backup(path: &Path, to: &Path, generation: Hex32) -> Stored<()> {
    check_free(to)?;
    // It appears whole or not at all.
    let part = beside(to, ".part");
    let _lock = lock(&part)?;
    check_free(to)?;
    clear(&part);
    let copied = copy(path, &part, generation).and_then(|()| {
        crate::keep::points::point("copy-whole");
        // It took its time.
        check_free(to)?;
        let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let named = std::fs::rename(&part, to).and_then(|()| flush_folder(folder));
        named.map_err(|error| Fault::Wrong(format!("{} cannot be made: {error}", to.display())))
    });
    crate::keep::points::point("copy-named");
    match copied {
        Ok(()) => drop(std::fs::remove_file(beside(&part, LOCK))),
        Err(_) => clear(&part),
    }
    copied
}

/// That nothing is in the way of a new database.
fn check_free(to: &Path) -> Stored<()> {
    if to.exists() {
        return Err(Fault::Wrong(format!("{} is there already", to.display())));
    }
    // SQLite would take the journal of another database for that of the copy.
    match JOURNALS.map(|end| beside(to, end)).into_iter().find(|journal| journal.exists()) {
        None => Ok(()),
        Some(journal) => Err(Fault::Wrong(format!(
            "{} is there: it belongs to a database that is gone; move it away first",
            journal.display()
        ))),
    }
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

/// Removes what a copy that was not finished has left.
fn clear(part: &Path) {
    for end in ["", "-journal", "-wal", "-shm"] {
        let _ = std::fs::remove_file(beside(part, end));
    }
}

/// Whose database a file is.
///
/// # Errors
/// If it is none.
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
    // The copy is one file, whole by itself.
    copy.pragma_update(None, "journal_mode", "DELETE").map_err(|error| wrong(&error))?;
    drop(copy);
    let file = File::open(to).and_then(|file| file.sync_all());
    file.map_err(|error| Fault::Wrong(format!("{} cannot be flushed: {error}", to.display())))?;
    check(to)
}

/// Marks a database as restored (post 17), with a random name of its positions.
pub(super) fn mark_restored(connection: &Connection, generation: Hex32) -> Stored<()> {
    connection.execute(sql::RESTORED, params![generation.0, 0]).map_err(|error| wrong(&error))?;
    Ok(())
}

/// Looks a database over, page by page.
///
/// # Errors
/// [`Fault::Wrong`] with what is damaged.
pub fn check(path: &Path) -> Stored<()> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let told: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).map_err(|error| wrong(&error))?;
    match told.as_str() {
        "ok" => Ok(()),
        told => Err(Fault::Wrong(format!("{} is damaged: {told}", path.display()))),
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
