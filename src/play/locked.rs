//! A game that this process alone may write to: what signs, keeps and mails letters asks for one. It is read behind its
//! lock, so that no letter which came before is overlooked.

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

/// A game, read behind its lock.
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
    /// Takes a folder for this process, and reads it then.
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

    /// A game that is not among those of the home yet, in its folder.
    pub(super) fn new(table: Table, lock: Lock) -> Self {
        Self { table, lock: Rc::new(lock) }
    }

    /// The game that [`Table::find`] finds.
    pub(super) fn find(session: &Session<'_>, name: Option<&str>, fits: impl Fn(&Table) -> bool) -> PlayResult<Self> {
        let Found { folder, is_the_only, .. } = Table::folder(session.home, name, fits)?.heard_by(session.person);
        let mut found = Self::open(session.home, folder)?;
        if is_the_only {
            found.table.typing.is_the_only();
        }
        Ok(found)
    }

    /// The game as its folder has it now.
    pub(super) fn again(&self) -> PlayResult<Self> {
        let mut again = Self::behind(&self.table.home, Rc::clone(&self.lock))?;
        again.table.typing = self.table.typing.clone();
        Ok(again)
    }

    /// That the folder holds no letter with a number that is signed now, but those that were read: whatever puts files
    /// there without the lock, such as a program that copies folders, must not bring two letters with one number.
    pub(super) fn check_numbers(&self, letters: &[Letter]) -> PlayResult<()> {
        let role: &Role = &self.role;
        let known = |id: &Hex32| self.all_letters().any(|stored| stored.message.id() == *id);
        let new = |number: u64| letters.iter().any(|letter| letter.message.head().number == number && number > 0);
        let named = self.folder.named(role)?;
        match named.into_iter().find(|(number, id)| new(*number) && !known(id)) {
            Some((number, _)) => Err(Failure::refused(format!(
                "your letter {number} came into the game's folder while this command ran; nothing was signed: type it again"
            ))),
            None => Ok(()),
        }
    }
}
