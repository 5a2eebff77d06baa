//! A game that only this process may write to, as needed for signing, keeping and mailing letters. It is read after it
//! is locked, so that no earlier letter is overlooked.

use std::{
    ops::{Deref, DerefMut},
    rc::Rc,
};

use super::{
    failure::{Failure, PlayResult},
    find::Found,
    session::Session,
    table::Table,
};
use crate::{
    blob::{Hex32, body::Role},
    game::steps::Letter,
    keep::{
        folder::{Folder, Lock},
        home::Home,
        key_file::KeyFile,
        points::point,
    },
};

/// A game that was read after it was locked.
pub(super) struct Locked {
    table: Table,
    pub(super) lock: Rc<Lock>,
}

impl Deref for Locked {
    type Target = Table;

    fn deref(&self) -> &Table {
        &self.table
    }
}

impl DerefMut for Locked {
    fn deref_mut(&mut self) -> &mut Table {
        &mut self.table
    }
}

impl Locked {
    /// Locks a folder for this process, and then reads it.
    pub(super) fn open(home: &Home, folder: Folder) -> PlayResult<Self> {
        point("found");
        Self::behind(home, Rc::new(folder.lock()?))
    }

    fn behind(home: &Home, lock: Rc<Lock>) -> PlayResult<Self> {
        let key = KeyFile::open(&home.key_file())?.public();
        let table = Table::open(home, lock.folder().clone(), key)?;
        point("locked");
        Ok(Self { table, lock })
    }

    /// Wraps a new game in a locked folder that is not yet in the home's list.
    pub(super) fn new(table: Table, lock: Lock) -> Self {
        Self { table, lock: Rc::new(lock) }
    }

    /// Locks the game that [`Table::find`] finds.
    pub(super) fn find(session: &Session<'_>, name: Option<&str>, fits: impl Fn(&Table) -> bool) -> PlayResult<Self> {
        let Found { folder, is_the_only, .. } = Table::folder(session.home, name, fits)?.heard_by(session.person);
        let mut found = Self::open(session.home, folder)?;
        if is_the_only {
            found.table.typing.is_the_only();
        }
        Ok(found)
    }

    /// Reads the game again from its folder.
    pub(super) fn again(&self) -> PlayResult<Self> {
        let mut again = Self::behind(&self.table.home, Rc::clone(&self.lock))?;
        again.table.typing = self.table.typing.clone();
        Ok(again)
    }

    /// Checks that the folder holds no letter with a number that is about to be signed, except those that were read.
    /// Programs that put files there without the lock, such as one that copies folders, must not cause two letters with
    /// one number.
    pub(super) fn check_numbers(&self, letters: &[Letter]) -> PlayResult<()> {
        let role: &Role = &self.role;
        let known = |id: &Hex32| self.all_letters().any(|stored| stored.message.id() == *id);
        let new = |number: u64| letters.iter().any(|letter| letter.message.head().number == number && number > 0);
        let named = self.folder.named(role)?;
        match named.into_iter().find(|(number, id)| new(*number) && !known(id)) {
            Some((number, _)) => Err(Failure::refused(format!(
                "your letter {number} arrived in the game's folder while this command was running. Nothing was signed: \
                 type the command again"
            ))),
            None => Ok(()),
        }
    }
}
