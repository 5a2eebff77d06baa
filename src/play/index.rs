//! Maps ids to game folders, using only the names of their files: no letter is opened to find the game that it is for.

use std::collections::HashMap;

use super::{failure::PlayResult, table::folders};
use crate::{
    blob::{Body, Hex32, Verified},
    keep::{folder::Folder, home::Home},
};

/// The folders of a home by the ids with which letters name their games: charters' and accepts' ids.
#[derive(Default)]
pub(super) struct Index(HashMap<Hex32, Folder>);

impl Index {
    /// Indexes every game in a home. If two folders have the same charter, the first counts.
    pub(super) fn of(home: &Home) -> PlayResult<Self> {
        let mut index = Self::default();
        for folder in folders(home) {
            index.add(&folder)?;
        }
        Ok(index)
    }

    /// Indexes one game alone.
    #[cfg(feature = "client")]
    pub(super) fn of_one(folder: &Folder) -> PlayResult<Self> {
        let mut index = Self::default();
        index.add(folder)?;
        Ok(index)
    }

    /// Adds one more folder to the index.
    pub(super) fn add(&mut self, folder: &Folder) -> PlayResult<()> {
        for id in folder.begun_by()? {
            self.begins(id, folder);
        }
        Ok(())
    }

    /// Notes that letters may now name a folder's game by this id.
    pub(super) fn begins(&mut self, id: Hex32, folder: &Folder) {
        self.0.entry(id).or_insert_with(|| folder.clone());
    }

    /// Returns the folder of a charter or an accept.
    pub(super) fn folder(&self, id: &Hex32) -> Option<&Folder> {
        self.0.get(id)
    }

    /// Returns the folder that a letter is for.
    pub(super) fn folder_for(&self, message: &Verified) -> Option<&Folder> {
        let named = match message.body() {
            Body::Charter(_) => message.id(),
            Body::Accept(accept) => accept.charter,
            _ => message.head().game?,
        };
        self.folder(&named)
    }
}
