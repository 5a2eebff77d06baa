//! Copies everything from a database file into PostgreSQL, row by row, in one transaction: for a club that outgrows its
//! machine.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, TransactionBehavior, types::Value};
use tokio_postgres::{NoTls, types::ToSql};

use super::{CHECK, StoreError, Stored};
use crate::blob::Hex32;

/// The tables and their columns, in the order of their references. The owner comes last, so that half a copy is never
/// served.
const TABLES: [(&str, &[&str]); 6] = [
    ("box", &["game", "last", "bytes", "begun"]),
    ("letter", &["game", "position", "id", "signer", "own", "frame", "shown"]),
    ("mark", &["seal", "place", "line", "letter"]),
    ("reader", &["signer", "game"]),
    ("late", &["game"]),
    ("owner", &["only_one", "signer", "restored", "restores", "beat", "generation"]),
];

/// Copies a database file, which no process may be using, into an empty PostgreSQL database. Returns the number of
/// boxes and the number of letters. `told` is called for each letter, with the number of letters so far. Then the file
/// is marked as restored, because it will lack the letters that the office signs in the other store; `generation`
/// becomes the random id of its numbering of positions.
///
/// # Errors
/// If anything fails. Either nothing was copied then, or the error states that the copy is complete.
pub async fn to_postgres(from: &Path, url: &str, generation: Hex32, told: impl Fn(u64)) -> Stored<(u64, u64)> {
    let wrong = |error: rusqlite::Error| StoreError::Wrong(format!("the database cannot be read: {error}; {CHECK}"));
    let refused = |error: tokio_postgres::Error| {
        StoreError::Wrong(format!("the copy cannot be written: {error}; try again with an empty database"))
    };
    let _lock = super::database_file::lock(from)?;
    let mut file = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(wrong)?;
    let from = file.transaction_with_behavior(TransactionBehavior::Immediate).map_err(wrong)?;
    super::postgres::create(url).await?;
    let (mut client, connection) = super::postgres::config(url)?.connect(NoTls).await.map_err(refused)?;
    let driver = tokio::spawn(connection);
    let work = client.transaction().await.map_err(refused)?;
    let (mut boxes, mut letters) = (0, 0);
    for (table, columns) in TABLES {
        let places: Vec<String> = (1..=columns.len()).map(|place| format!("${place}")).collect();
        let columns = columns.join(", ");
        let insert = format!("INSERT INTO {table} ({columns}) VALUES ({})", places.join(", "));
        let insert = work.prepare(&insert).await.map_err(refused)?;
        let mut select = from.prepare(&format!("SELECT {columns} FROM {table}")).map_err(wrong)?;
        let count = select.column_count();
        let mut rows = select.query([]).map_err(wrong)?;
        while let Some(row) = rows.next().map_err(wrong)? {
            let values = (0..count).map(|column| row.get(column)).collect::<rusqlite::Result<Vec<Value>>>();
            let values = values.map_err(wrong)?.into_iter().map(value).collect::<Stored<Vec<_>>>()?;
            let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect();
            work.execute(&insert, &values).await.map_err(refused)?;
            boxes += u64::from(table == "box");
            if table == "letter" {
                letters += 1;
                told(letters);
            }
        }
    }
    work.commit().await.map_err(refused)?;
    let marked = super::database_file::mark_restored(&from, generation);
    marked.and_then(|()| from.commit().map_err(wrong)).map_err(|fault| {
        StoreError::Wrong(format!(
            "everything is copied, but the old file cannot be marked: {fault}. Move it away, so that no office uses it \
             again"
        ))
    })?;
    drop(client);
    let _ = driver.await;
    Ok((boxes, letters))
}

fn value(value: Value) -> Stored<Box<dyn ToSql + Sync + Send>> {
    match value {
        Value::Null => Ok(Box::new(None::<Vec<u8>>)),
        Value::Integer(n) => Ok(Box::new(n)),
        Value::Blob(bytes) => Ok(Box::new(bytes)),
        Value::Real(_) | Value::Text(_) => Err(StoreError::Wrong(
            "the database is damaged: it holds a value of a wrong type. Restore the database from a copy".into(),
        )),
    }
}
