//! Which folder is which game's, as the names of its files say: no letter is opened to find the game that it is for.

use std::collections::HashMap;

use super::{failure::PlayResult, table::folders};
use crate::{
    blob::{Body, Hex32, Verified},
    keep::{folder::Folder, home::Home},
};

/// The folders of a home by the ids with which letters name their games: those of charters and accepts.
#[derive(Default)]
pub(super) struct Index(HashMap<Hex32, Folder>);

impl Index {
    /// Every game of a home. Of two folders with one charter the first counts.
    pub(super) fn of(home: &Home) -> PlayResult<Self> {
        let mut index = Self::default();
        for folder in folders(home) {
            index.add(&folder)?;
        }
        Ok(index)
    }

    /// One game alone.
    #[cfg(feature = "client")]
    pub(super) fn of_one(folder: &Folder) -> PlayResult<Self> {
        let mut index = Self::default();
        index.add(folder)?;
        Ok(index)
    }

    /// Takes one more folder in.
    pub(super) fn add(&mut self, folder: &Folder) -> PlayResult<()> {
        for id in folder.begun_by()? {
            self.begins(id, folder);
        }
        Ok(())
    }

    /// From now on letters may name a folder's game by this id.
    pub(super) fn begins(&mut self, id: Hex32, folder: &Folder) {
        self.0.entry(id).or_insert_with(|| folder.clone());
    }

    /// The folder of a charter or an accept.
    pub(super) fn folder(&self, id: &Hex32) -> Option<&Folder> {
        self.0.get(id)
    }

    /// The folder that a letter is for.
    pub(super) fn folder_for(&self, message: &Verified) -> Option<&Folder> {
        let named = match message.body() {
            Body::Charter(_) => message.id(),
            Body::Accept(accept) => accept.charter,
            _ => message.head().game?,
        };
        self.folder(&named)
    }
}
