//! Stand-ins for a build without PostgreSQL, in which an office keeps its letters in a file.

use super::{AnyStore, StoreError, Stored};

/// The reason why the stand-ins fail.
const WITHOUT: &str =
    "this program was built without PostgreSQL: build it with the feature postgres, or set database to a file";

/// Fails instead of creating tables.
///
/// # Errors
/// Always, in a build without PostgreSQL.
#[expect(clippy::unused_async, reason = "with the feature, it waits")]
pub async fn create(_: &str) -> Stored<()> {
    Err(StoreError::Wrong(WITHOUT.into()))
}

/// Fails instead of opening a database.
///
/// # Errors
/// Always, in a build without PostgreSQL.
#[expect(clippy::unused_async, reason = "with the feature, it waits")]
pub async fn open(_: &str, _: usize) -> Stored<AnyStore> {
    Err(StoreError::Wrong(WITHOUT.into()))
}
