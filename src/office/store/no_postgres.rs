//! Without PostgreSQL, an office keeps its letters in a file.

use super::{AnyStore, StoreError, Stored};

/// Why nothing is done.
const WITHOUT: &str =
    "this program is built without PostgreSQL: build it with the feature postgres, or set database to a file";

/// Makes no tables.
///
/// # Errors
/// Always.
#[expect(clippy::unused_async, reason = "with the feature it waits")]
pub async fn create(_: &str) -> Stored<()> {
    Err(StoreError::Wrong(WITHOUT.into()))
}

/// Opens no database.
///
/// # Errors
/// Always.
#[expect(clippy::unused_async, reason = "with the feature it waits")]
pub async fn open(_: &str, _: usize) -> Stored<AnyStore> {
    Err(StoreError::Wrong(WITHOUT.into()))
}
