//! The store for a club that outgrows one machine: PostgreSQL, with several office processes on one database. Each step
//! is one transaction. The processes are synchronized by the row of a box.

use std::sync::Arc;

use async_trait::async_trait;
use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime, Timeouts};
use tokio::sync::{Mutex, mpsc};
use tokio_postgres::{AsyncMessage, Config, NoTls, config::TargetSessionAttrs, error::SqlState};

use super::{
    AnyStore, Append, Appended, CHECK, Known, MailboxHead, Mark, Memory, NOBODYS, New, Own, Owner, Row, Signed, Size,
    Store, StoreError, Stored, behind, sql,
};
use crate::blob::Hex32;

mod embedded {
    refinery::embed_migrations!("src/office/store/migrations/postgres");
}

/// The channel on which processes of one database announce boxes with new letters.
const CHANNEL: &str = "sealed_dice_letters";
/// Notifies the other processes, and removes the time limit from the commit. If a server is interrupted while it waits
/// for its standby, it reports a commit that the standby lacks.
const NOTIFY: &str = "SELECT pg_notify($1, $2), set_config('statement_timeout', '0', true)";
/// Counts the known letters that the database has. Parameters: the boxes, the ids.
const HAS: &str = "SELECT count(*) FROM unnest($1::bytea[], $2::bytea[]) AS known (game, id) \
    WHERE EXISTS (SELECT 1 FROM letter WHERE letter.game = known.game AND letter.id = known.id AND letter.own IS NOT NULL)";
/// The options that each connection requests from its server.
const OPTIONS: &str =
    "-c synchronous_commit=on -c statement_timeout=10s -c lock_timeout=10s -c idle_in_transaction_session_timeout=20s";
/// The longest time that a step waits for a connection.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(10);

/// The store in a database server.
pub struct Postgres {
    pool: Pool,
    heard: Mutex<mpsc::Receiver<Hex32>>,
}

fn fault(error: &tokio_postgres::Error) -> StoreError {
    let text = error.as_db_error().map_or_else(|| error.to_string(), |error| error.message().to_owned());
    match error.code() {
        // The server itself reports the error, so nothing was stored.
        Some(_) => StoreError::Busy(format!("the database refuses: {text}; its log may say more")),
        None => StoreError::Busy(format!("the database cannot be reached: {text}; check its address and its server")),
    }
}

pub(super) fn config(url: &str) -> Stored<Config> {
    // The parser's message could quote the password.
    let mut config: Config = url.parse().map_err(|_| {
        StoreError::Wrong("the address of the database is not valid: write it as postgres://USER@HOST/NAME".into())
    })?;
    // Whatever the server's defaults are, answered steps must be on its disk, and waits must end.
    let options = [config.get_options().unwrap_or_default(), OPTIONS].join(" ");
    config.options(options).connect_timeout(PATIENCE).keepalives_idle(PATIENCE).tcp_user_timeout(PATIENCE);
    // With several servers, a writable one is chosen: a standby may lag behind.
    config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    Ok(config)
}

/// Creates the tables in an empty database, or brings them up to date.
///
/// # Errors
/// If the server cannot be reached, or refuses.
pub async fn create(url: &str) -> Stored<()> {
    let (mut client, connection) = config(url)?.connect(NoTls).await.map_err(|error| fault(&error))?;
    let driver = tokio::spawn(connection);
    let done = embedded::migrations::runner().run_async(&mut client).await;
    drop(client);
    let _ = driver.await;
    done.map(|_| ())
        .map_err(|error| StoreError::Wrong(format!("the database's tables cannot be updated: {error}; {CHECK}")))
}

/// Opens a database whose tables [`create`] has made.
///
/// # Errors
/// If the server cannot be reached, or the database has no tables.
pub async fn open(url: &str, connections: usize) -> Stored<AnyStore> {
    Ok(Arc::new(Postgres::open(url, connections).await?))
}

impl Postgres {
    /// Opens a database whose tables [`create`] has made.
    ///
    /// # Errors
    /// If the server cannot be reached, or the database has no tables.
    pub async fn open(url: &str, connections: usize) -> Stored<Self> {
        let config = config(url)?;
        let manager =
            Manager::from_config(config.clone(), NoTls, ManagerConfig { recycling_method: RecyclingMethod::Fast });
        let timeouts = Timeouts { wait: Some(PATIENCE), create: Some(PATIENCE), recycle: Some(PATIENCE) };
        let pool = Pool::builder(manager).max_size(connections).timeouts(timeouts).runtime(Runtime::Tokio1).build();
        let pool = pool.map_err(|error| {
            StoreError::Wrong(format!("cannot prepare connections to the database: {error}; set connections lower"))
        })?;
        let (told, heard) = mpsc::channel(256);
        tokio::spawn(listen(config, told));
        let store = Self { pool, heard: Mutex::new(heard) };
        store.client().await?.query_opt(sql::OWNER, &[]).await.map_err(|error| {
            match error.code() == Some(&SqlState::UNDEFINED_TABLE) {
                true => StoreError::Wrong(
                    "the database does not have its tables yet: type `sealed-dice office init`".into(),
                ),
                false => fault(&error),
            }
        })?;
        Ok(store)
    }

    async fn client(&self) -> Stored<deadpool_postgres::Client> {
        self.pool.get().await.map_err(|error| {
            StoreError::Busy(format!("the database cannot be reached: {error}; check its address and its server"))
        })
    }

    async fn execute(&self, statement: &str, values: &[&(dyn tokio_postgres::types::ToSql + Sync)]) -> Stored<()> {
        let client = self.client().await?;
        let statement = client.prepare_cached(statement).await.map_err(|error| fault(&error))?;
        client.execute(&statement, values).await.map(|_| ()).map_err(|error| fault(&error))
    }

    async fn query(
        &self,
        statement: &str,
        values: &[&(dyn tokio_postgres::types::ToSql + Sync)],
    ) -> Stored<Vec<tokio_postgres::Row>> {
        let client = self.client().await?;
        let statement = client.prepare_cached(statement).await.map_err(|error| fault(&error))?;
        client.query(&statement, values).await.map_err(|error| fault(&error))
    }

    async fn try_append(&self, append: &Append) -> Stored<Appended> {
        crate::keep::points::point("before-insert");
        let mut client = self.client().await?;
        let work = client.transaction().await.map_err(|error| fault(&error))?;
        let at = |error: tokio_postgres::Error| fault(&error);
        if let Some(known) = &append.known
            && let Some(forgot) = forgot(&work, known).await?
        {
            return Ok(forgot);
        }
        let game = append.game.0.as_slice();
        let bytes: usize = append.letters.iter().map(|letter| letter.frame.len()).sum();
        let last = number(append.behind) + number(append.letters.len() as u64);
        let statement = work.prepare_cached(sql::MOVE).await.map_err(at)?;
        let (bytes, behind) = (number(bytes as u64), number(append.behind));
        let moved = work.execute(&statement, &[&last, &bytes, &game, &behind]).await.map_err(at)?;
        if moved == 0 {
            let statement = work.prepare_cached(sql::STAND).await.map_err(at)?;
            let there = work.query_opt(&statement, &[&game]).await.map_err(at)?;
            return Ok(if there.is_some() { Appended::Moved } else { Appended::Unknown });
        }
        let statement = work.prepare_cached(sql::LETTER).await.map_err(at)?;
        for (New { id, key, own, frame, shown }, position) in append.letters.iter().zip(append.behind + 1..) {
            let (id, key, own) = (id.0.as_slice(), key.0.as_slice(), own.map(Own::bytes));
            let values: [&(dyn tokio_postgres::types::ToSql + Sync); 7] =
                [&game, &number(position), &id, &key, &own, frame, &i64::from(*shown)];
            if work.execute(&statement, &values).await.map_err(at)? == 0 {
                return Ok(Appended::Spent);
            }
        }
        let statement = work.prepare_cached(sql::MARK).await.map_err(at)?;
        for Mark { seal, index, line, letter } in &append.marks {
            let (seal, letter) = (seal.0.as_slice(), letter.0.as_slice());
            if work.execute(&statement, &[&seal, &number(*index), &number(*line), &letter]).await.map_err(at)? == 0 {
                return Ok(Appended::Spent);
            }
        }
        let statement = work.prepare_cached(sql::READER).await.map_err(at)?;
        for key in &append.readers {
            work.execute(&statement, &[&key.0.as_slice(), &game]).await.map_err(at)?;
        }
        if let Some(late) = append.late {
            work.execute(if late { sql::LATE } else { sql::CAUGHT_UP }, &[&game]).await.map_err(at)?;
        }
        if append.epoch {
            work.execute(sql::BEGUN, &[&game]).await.map_err(at)?;
        }
        crate::keep::points::point("after-insert");
        let statement = work.prepare_cached(NOTIFY).await.map_err(at)?;
        work.query_one(&statement, &[&CHANNEL, &append.game.to_string()]).await.map_err(at)?;
        crate::keep::points::point("before-commit");
        work.commit().await.map_err(|error| match error.code() {
            Some(_) => fault(&error),
            None => StoreError::Unsure(format!(
                "the connection to the database was lost while it stored letters: {error}; try again"
            )),
        })?;
        crate::keep::points::point("after-commit");
        Ok(Appended::Done)
    }
}

/// Returns why a step must not be stored, if the database lacks known facts or was marked as restored. Otherwise
/// returns `None`.
async fn forgot(work: &deadpool_postgres::Transaction<'_>, known: &Known) -> Stored<Option<Appended>> {
    let statement = work.prepare_cached(sql::OWNER).await.map_err(|error| fault(&error))?;
    let row = work.query_one(&statement, &[]).await.map_err(|error| fault(&error))?;
    match known.compare(&owner(&row)?) {
        // Another process has marked the database as restored. Letters that were decided on before must not be stored.
        Memory::Restored => return Ok(Some(Appended::Moved)),
        Memory::Forgot => return Ok(Some(Appended::Forgot)),
        Memory::Same => {}
    }
    let (games, ids) = columns(&known.letters);
    let statement = work.prepare_cached(HAS).await.map_err(|error| fault(&error))?;
    let row = work.query_one(&statement, &[&games, &ids]).await.map_err(|error| fault(&error))?;
    Ok((counted(&row, 0)? != known.letters.len() as u64).then_some(Appended::Forgot))
}

/// Converts letters to the columns for [`HAS`].
fn columns(letters: &[Signed]) -> (Vec<&[u8]>, Vec<&[u8]>) {
    letters.iter().map(|Signed { game, id }| (game.0.as_slice(), id.0.as_slice())).unzip()
}

fn owner(row: &tokio_postgres::Row) -> Stored<Owner> {
    Ok(Owner {
        key: id(row, 0)?,
        restored: counted(row, 1)? != 0,
        restores: counted(row, 2)?,
        beat: counted(row, 3)?,
        generation: id(row, 4)?,
    })
}

/// Converts a number to the type in the database. All numbers there are far below 2^63.
const fn number(n: u64) -> i64 {
    if n > i64::MAX as u64 { i64::MAX } else { n as i64 }
}

fn counted(row: &tokio_postgres::Row, column: usize) -> Stored<u64> {
    let n: i64 = row.try_get(column).map_err(|error| fault(&error))?;
    u64::try_from(n).map_err(|_| StoreError::Wrong(format!("a number in the database is negative; {CHECK}")))
}

fn id(row: &tokio_postgres::Row, column: usize) -> Stored<Hex32> {
    let bytes: &[u8] = row.try_get(column).map_err(|error| fault(&error))?;
    let id = bytes
        .try_into()
        .map_err(|_| StoreError::Wrong(format!("an id in the database does not have 32 bytes; {CHECK}")))?;
    Ok(Hex32(id))
}

fn stand(row: &tokio_postgres::Row, first: usize) -> Stored<MailboxHead> {
    Ok(MailboxHead {
        last: counted(row, first)?,
        bytes: counted(row, first + 1)?,
        restored: counted(row, first + 2)? != 0,
    })
}

fn boxed(row: &tokio_postgres::Row) -> Stored<(Hex32, MailboxHead)> {
    Ok((id(row, 0)?, stand(row, 1)?))
}

/// Listens for boxes to which other processes have added letters, and passes them on until the receiver is dropped.
async fn listen(config: Config, told: mpsc::Sender<Hex32>) {
    while !told.is_closed() {
        if let Ok((client, mut connection)) = config.connect(NoTls).await {
            let words = format!("LISTEN {CHANNEL}");
            let asked = client.batch_execute(&words);
            let hears = async {
                while let Some(Ok(message)) = std::future::poll_fn(|cx| connection.poll_message(cx)).await {
                    if let AsyncMessage::Notification(note) = message
                        && let Some(game) = Hex32::parse(note.payload())
                        && told.send(game).await.is_err()
                    {
                        return;
                    }
                }
            };
            let _ = tokio::join!(asked, hears);
        }
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    }
}

#[async_trait]
impl Store for Postgres {
    async fn open(&self, game: Hex32) -> Stored<()> {
        self.execute(sql::OPEN, &[&game.0.as_slice()]).await
    }

    async fn stand(&self, game: Hex32) -> Stored<Option<MailboxHead>> {
        let rows = self.query(sql::STAND, &[&game.0.as_slice()]).await?;
        rows.first().map(|row| stand(row, 0)).transpose()
    }

    async fn append(&self, append: Append) -> Stored<Appended> {
        self.try_append(&append).await
    }

    async fn letters(&self, game: Hex32, after: u64, bytes: u64) -> Stored<Vec<Row>> {
        let rows = self.query(sql::LETTERS, &[&game.0.as_slice(), &number(after)]).await?;
        let (mut found, mut size): (Vec<Row>, u64) = (Vec::new(), 0);
        for row in &rows {
            let frame: Vec<u8> = row.try_get(1).map_err(|error| fault(&error))?;
            size += frame.len() as u64;
            if size > bytes && !found.is_empty() {
                break;
            }
            found.push(Row { position: counted(row, 0)?, frame, shown: counted(row, 2)? != 0 });
        }
        Ok(found)
    }

    async fn may_read(&self, game: Hex32, key: Hex32) -> Stored<bool> {
        Ok(!self.query(sql::MAY_READ, &[&key.0.as_slice(), &game.0.as_slice()]).await?.is_empty())
    }

    async fn boxes_of(&self, key: Hex32, after: Option<Hex32>, most: u64) -> Stored<Vec<(Hex32, MailboxHead)>> {
        let rows = self.query(sql::BOXES_OF, &[&key.0.as_slice(), &behind(after), &number(most)]).await?;
        rows.iter().map(boxed).collect()
    }

    async fn boxes(&self, after: Option<Hex32>, most: u64) -> Stored<Vec<(Hex32, MailboxHead)>> {
        self.query(sql::BOXES, &[&behind(after), &number(most)]).await?.iter().map(boxed).collect()
    }

    async fn late(&self) -> Stored<Vec<Hex32>> {
        self.query(sql::ALL_LATE, &[]).await?.iter().map(|row| id(row, 0)).collect()
    }

    async fn size(&self) -> Stored<Size> {
        let rows = self.query("SELECT pg_database_size(current_database()), count(*) FROM box", &[]).await?;
        let size = |row| Ok(Size { bytes: counted(row, 0)?, boxes: counted(row, 1)? });
        rows.first().map_or(Ok(Size { bytes: 0, boxes: 0 }), size)
    }

    async fn restored(&self, generation: Hex32, known: u64) -> Stored<()> {
        self.execute(sql::RESTORED, &[&generation.0.as_slice(), &number(known)]).await
    }

    async fn declared(&self) -> Stored<()> {
        self.execute(sql::DECLARED, &[]).await
    }

    async fn owner(&self) -> Stored<Option<Owner>> {
        self.query(sql::OWNER, &[]).await?.first().map(owner).transpose()
    }

    async fn own(&self, key: Hex32, generation: Hex32) -> Stored<()> {
        self.execute(sql::OWN, &[&key.0.as_slice(), &generation.0.as_slice()]).await
    }

    async fn beat(&self) -> Stored<Owner> {
        let rows = self.query(sql::BEAT, &[]).await?;
        rows.first().map(owner).transpose()?.ok_or_else(|| StoreError::Wrong(NOBODYS.into()))
    }

    async fn has(&self, letters: &[Signed]) -> Stored<bool> {
        let (games, ids) = columns(letters);
        let rows = self.query(HAS, &[&games, &ids]).await?;
        Ok(rows.first().map(|row| counted(row, 0)).transpose()? == Some(letters.len() as u64))
    }

    async fn heard(&self) -> Hex32 {
        match self.heard.lock().await.recv().await {
            Some(game) => game,
            None => std::future::pending().await,
        }
    }
}
