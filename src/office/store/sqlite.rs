//! The store in one file: SQLite, with one thread that writes. Waiting steps are written together and flushed once
//! (group commit), and no caller gets an answer before the flush.

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use async_trait::async_trait;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, TransactionBehavior, ffi, params};
use tokio::sync::{mpsc, oneshot};

use super::database_file::{connect, lock, migrate, wrong};
use super::{
    Append, Appended, Known, MailboxHead, Mark, Memory, New, Own, Owner, Row, Signed, Size, Store, StoreError, Stored,
    behind, sql,
};
use crate::blob::Hex32;

/// The maximum number of steps that share one flush.
const TOGETHER: usize = 128;
/// The maximum number of steps that may wait for the writer. Further callers wait until there is room.
const WAITING: usize = 1024;
/// The number of pages that are written to the log before they are moved to their places. With more pages, those that
/// change often are moved less often.
const LOG_PAGES: u32 = 4096;
/// The number of pages that the writer keeps in memory.
const CACHE_PAGES: u32 = 2048;

/// A step for the writer.
enum Step {
    Open(Hex32),
    Append(Box<Append>),
    Restored(Hex32, u64),
    Declared,
    Own(Hex32, Hex32),
    Beat,
}

/// The result of a step.
enum Done {
    Plain,
    Appended(Appended),
    Beat(Owner),
}

/// A step, and the channel for its result.
type Told = (Step, oneshot::Sender<Stored<Done>>);

/// The store in a file.
pub struct Sqlite {
    writer: mpsc::Sender<Told>,
    readers: Readers,
    /// The lock that is held as long as the store is open: two processes with one file would each sign.
    _lock: File,
}

/// Connections for reading, each used by one caller at a time.
#[derive(Clone)]
struct Readers {
    path: PathBuf,
    idle: Arc<Mutex<Vec<Connection>>>,
}

impl Sqlite {
    /// Opens a file made by [`database_file::create`](super::database_file::create), for this process alone.
    ///
    /// # Errors
    /// If the file is missing or damaged, or another process uses it.
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
        spawned.map_err(|error| {
            StoreError::Wrong(format!(
                "cannot start the thread that writes the database: {error}; allow the office more threads"
            ))
        })?;
        Ok(Self { writer, readers: Readers { path: path.to_owned(), idle: Arc::default() }, _lock: lock })
    }

    async fn step(&self, step: Step) -> Stored<Done> {
        let (told, ended) = oneshot::channel();
        let gone = || StoreError::Broken("the thread that writes the database has stopped".into());
        self.writer.send((step, told)).await.map_err(|_| gone())?;
        ended.await.map_err(|_| gone())?
    }

    /// Looks up a row on the current thread, because switching threads would take longer.
    fn look_up<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Stored<T> {
        self.readers.with(read)
    }

    /// Reads rows, of which there may be many, on a separate thread, which may block.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Stored<T> {
        let readers = self.readers.clone();
        let done = tokio::task::spawn_blocking(move || readers.with(read)).await;
        done.map_err(|error| StoreError::Wrong(format!("reading the database stopped early: {error}; try again")))?
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

/// Runs the writer: it takes the waiting steps, writes them in one transaction, and reports all results after the
/// flush.
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
            // Nothing was committed, because a commit flushes only after everything has been written.
            Err(error) if is_unwritable(&error) && connection.is_autocommit() => {
                let fault = StoreError::Busy(format!("the database cannot be written now: {error}; check its disk"));
                steps.iter().map(|_| Err(fault.clone())).collect()
            }
            Err(error) => {
                // The state of the disk is no longer known: callers that still wait see their channel close, and the
                // process ends.
                tracing::error!(%error, "cannot write to the database: check its disk");
                return;
            }
        };
        // A caller that has stopped waiting gets no result here: it finds out when it looks at the store.
        told.into_iter().zip(ended).for_each(|(told, end)| drop(told.send(end)));
    }
}

/// Whether the disk refused a write because it is full or write-protected. A failed flush is different: its data may or
/// may not be on the disk.
fn is_unwritable(error: &rusqlite::Error) -> bool {
    let rusqlite::Error::SqliteFailure(error, _) = error else { return false };
    matches!(error.code, ErrorCode::DiskFull | ErrorCode::ReadOnly)
        || matches!(error.extended_code, ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_SHMSIZE)
}

fn commit(connection: &mut Connection, together: &[Step]) -> rusqlite::Result<Vec<Stored<Done>>> {
    let outer = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut ended = Vec::with_capacity(together.len());
    for step in together {
        // Each step succeeds or fails alone.
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

/// Runs a statement without a result. The prepared statement is cached.
fn run(connection: &Connection, statement: &str) -> rusqlite::Result<usize> {
    connection.prepare_cached(statement)?.execute([])
}

/// Returns why a step must not be stored, if the database lacks known facts or was marked as restored. Otherwise
/// returns `None`.
fn forgot(connection: &Connection, known: &Known) -> rusqlite::Result<Option<Appended>> {
    let owner = connection.prepare_cached(sql::OWNER)?.query_row([], owner_of)?;
    match known.compare(&owner) {
        // Another process has marked the database as restored. Letters that were decided on before must not be stored.
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

fn stand(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<MailboxHead> {
    Ok(MailboxHead { last: row.get(first)?, bytes: row.get(first + 1)?, restored: row.get(first + 2)? })
}

fn boxed(row: &rusqlite::Row<'_>) -> rusqlite::Result<(Hex32, MailboxHead)> {
    Ok((Hex32(row.get(0)?), stand(row, 1)?))
}

#[async_trait]
impl Store for Sqlite {
    async fn open(&self, game: Hex32) -> Stored<()> {
        self.step(Step::Open(game)).await.map(|_| ())
    }

    async fn stand(&self, game: Hex32) -> Stored<Option<MailboxHead>> {
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

    async fn boxes_of(&self, key: Hex32, after: Option<Hex32>, most: u64) -> Stored<Vec<(Hex32, MailboxHead)>> {
        let after = behind(after);
        self.read(move |db| db.prepare_cached(sql::BOXES_OF)?.query_map(params![key.0, after, most], boxed)?.collect())
            .await
    }

    async fn boxes(&self, after: Option<Hex32>, most: u64) -> Stored<Vec<(Hex32, MailboxHead)>> {
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

/// Returns the error for a result that belongs to another step. The writer never sends such a result.
fn other_step() -> StoreError {
    StoreError::Wrong("the thread that writes the database answered another step: report this bug".into())
}
