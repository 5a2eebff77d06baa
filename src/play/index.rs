//! Maps ids to the folders of games. It uses only the names of files, so no stored letter is opened to find the game of
//! a new one.

use std::collections::HashMap;

use super::{failure::PlayResult, table::folders};
use crate::{
    blob::{Body, Hex32, Verified},
    keep::{folder::Folder, home::Home},
};

/// The game folders of a home, by the ids of the charters and accepts with which letters name their games.
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

    /// Indexes a single game.
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

    /// Records that letters may name the game in a folder by this id.
    pub(super) fn begins(&mut self, id: Hex32, folder: &Folder) {
        self.0.entry(id).or_insert_with(|| folder.clone());
    }

    /// Returns the folder that has the charter or the accept with this id.
    pub(super) fn folder(&self, id: &Hex32) -> Option<&Folder> {
        self.0.get(id)
    }

    /// Returns the folder of the game that a letter belongs to.
    pub(super) fn folder_for(&self, message: &Verified) -> Option<&Folder> {
        let named = match message.body() {
            Body::Charter(_) => message.id(),
            Body::Accept(accept) => accept.charter,
            _ => message.head().game?,
        };
        self.folder(&named)
    }
}
