//! Chooses the game for a command. Without `--game`, this is the only game that the command fits, or fitted earlier: a
//! repeated command never goes to another game.

use std::path::PathBuf;

use super::{
    failure::{Failure, PlayResult},
    session::{Person, Session},
    table::{Stage, Table, folder_of, folders},
};
use crate::{
    blob::{Hex32, body::Slot},
    game::{
        ids::Ids,
        ledger::Ledger,
        terms::{Author, Player},
    },
    keep::{folder::Folder, home::Home, key_file::KeyFile},
};

/// Returns the path of a game's letters, for callers that only read them.
///
/// # Errors
/// If there is no such game.
pub fn letters_of_game(home: &Home, name: &str) -> PlayResult<PathBuf> {
    folder_of(home, name).map(|folder| folder.letters_path()).ok_or_else(|| unknown(name))
}

/// The folder of the game that a command is about.
pub(super) struct Found {
    pub(super) folder: Folder,
    /// Whether no other game is active.
    pub(super) is_the_only: bool,
    /// The notice to show, if the game was chosen from among several.
    heard: Option<String>,
}

impl Found {
    const fn of(folder: Folder) -> Self {
        Self { folder, is_the_only: false, heard: None }
    }

    /// Shows a person which game was chosen.
    pub(super) fn heard_by(mut self, person: &dyn Person) -> Self {
        if let Some(heard) = self.heard.take() {
            person.hears(&heard);
        }
        self
    }
}

fn unknown(name: &str) -> Failure {
    Failure::unable(format!("you do not have a game {name:?}: `sealed-dice game list` shows your games"))
}

impl Table {
    /// Finds the game with this name or, without a name, the only active game or the only one that `fits`.
    pub(super) fn find(session: &Session<'_>, name: Option<&str>, fits: impl Fn(&Self) -> bool) -> PlayResult<Self> {
        Self::found(session.home, Self::folder(session.home, name, fits)?.heard_by(session.person))
    }

    /// Finds a game as [`Self::find`] does, without telling the person which one it is.
    pub(super) fn find_quietly(home: &Home, name: Option<&str>, fits: impl Fn(&Self) -> bool) -> PlayResult<Self> {
        Self::found(home, Self::folder(home, name, fits)?)
    }

    fn found(home: &Home, found: Found) -> PlayResult<Self> {
        let key = KeyFile::open(&home.key_file())?.public();
        let mut table = Self::open(home, found.folder, key)?;
        if found.is_the_only {
            table.typing.is_the_only();
        }
        Ok(table)
    }

    /// Finds the folder of the game that a command is about.
    pub(super) fn folder(home: &Home, name: Option<&str>, fits: impl Fn(&Self) -> bool) -> PlayResult<Found> {
        if let Some(name) = name {
            return folder_of(home, name).map(Found::of).ok_or_else(|| unknown(name));
        }
        let mut folders = folders(home);
        match (folders.len(), folders.pop()) {
            (_, None) => Err(Failure::unable(
                "you do not have a game yet: begin one with `sealed-dice game new`, or read an invitation with \
                 `sealed-dice read MAIL`",
            )),
            (1, Some(folder)) => Ok(Found::of(folder)),
            (_, Some(folder)) => {
                folders.push(folder);
                Self::only(home, folders, fits)
            }
        }
    }

    /// Lists the games that a command without `--game` may be about: the active games that this party has proposed or
    /// accepted. If there are none, lists the proposals from others (anybody can mail one) and, if there are none of
    /// these either, all games. Fails if a game cannot be read, because the command may be about that one.
    pub(super) fn living(home: &Home) -> PlayResult<Vec<Self>> {
        let key = KeyFile::open(&home.key_file())?.public();
        Self::living_of(home, folders(home), key)
    }

    fn living_of(home: &Home, folders: Vec<Folder>, key: Hex32) -> PlayResult<Vec<Self>> {
        let tables =
            folders.into_iter().map(|folder| Self::open(home, folder, key)).collect::<PlayResult<Vec<Self>>>()?;
        let (living, ended): (Vec<Self>, Vec<Self>) = tables.into_iter().partition(Self::lives);
        let (proposed, own): (Vec<Self>, Vec<Self>) = living.into_iter().partition(Self::is_offered);
        let mut living = if own.is_empty() { proposed } else { own };
        if let [only] = living.as_mut_slice() {
            only.typing.is_the_only();
        }
        Ok(if living.is_empty() { ended } else { living })
    }

    /// Whether this home has more than one game, of whatever kind.
    pub(super) fn has_several(home: &Home) -> bool {
        folders(home).len() > 1
    }

    /// Lists the proposals from others that a command without `--game` passes over, because this party has active games
    /// of its own.
    pub(super) fn offers_beside(home: &Home) -> PlayResult<Vec<Self>> {
        let (tables, _) = Self::all(home)?;
        let (offered, own): (Vec<Self>, Vec<Self>) = tables.into_iter().filter(Self::lives).partition(Self::is_offered);
        Ok(if own.is_empty() { Vec::new() } else { offered })
    }

    /// Whether somebody else proposed the game, and this party has not agreed to it.
    pub(super) fn is_offered(&self) -> bool {
        self.stage == Stage::Proposed && !self.is_mine() && !self.has_accepted()
    }

    /// Returns the only active game or, if there are several, the only one of them that fits.
    fn only(home: &Home, folders: Vec<Folder>, fits: impl Fn(&Self) -> bool) -> PlayResult<Found> {
        let key = KeyFile::open(&home.key_file())?.public();
        let ask = |names: Vec<String>| {
            let names: String = names.into_iter().map(|name| format!("\n  --game {name}")).collect();
            Failure::unable(format!("you have several games; say which one you mean:{names}"))
        };
        let names: Vec<String> = folders.iter().map(Folder::name).collect();
        let mut living = Self::living_of(home, folders, key).map_err(|_| ask(names))?;
        let ids: Ids = living.iter().map(Self::id).collect();
        let tell = |table: &Self| format!("{}: {}, id {}", table.name(), table.described(), ids.short(&table.id()));
        let names: Vec<String> = living.iter().map(tell).collect();
        if living.len() == 1
            && let Some(table) = living.pop()
        {
            return Ok(Found { is_the_only: true, ..Found::of(table.folder) });
        }
        let mut fitting: Vec<Self> = living.into_iter().filter(fits).collect();
        match (fitting.pop(), fitting.is_empty()) {
            (Some(table), true) => {
                let heard = format!("{}: the only one of your games that this command fits", table.name());
                Ok(Found { heard: Some(heard), ..Found::of(table.folder) })
            }
            (None, _) => Err(ask(names)),
            (Some(last), false) => Err(ask(fitting.iter().chain([&last]).map(tell).collect())),
        }
    }

    /// Whether the game has begun.
    pub(super) fn begins(&self) -> bool {
        matches!(self.stage, Stage::Begun(_))
    }

    /// Whether the game is active: neither withdrawn nor closed by both players. Commands without `--game` prefer
    /// active games.
    pub(super) fn lives(&self) -> bool {
        !self.is_withdrawn() && !self.asks(|ledger| Player::BOTH.iter().all(|player| ledger.has_published(*player)))
    }

    /// Whether this party is one of the game's players.
    pub(super) fn is_played(&self) -> bool {
        self.begins() && self.me.player().is_some()
    }

    /// Whether this party is the referee, and the game satisfies `has`.
    pub(super) fn is_ruled(&self, has: impl FnOnce(&Self) -> bool) -> bool {
        self.me == Author::Referee && has(self)
    }

    /// Whether this party plays the game, and its terms have `slot`.
    pub(super) fn has_slot(&self, slot: &Slot) -> bool {
        self.is_played() && self.terms.slot(slot).is_some()
    }

    /// Whether this party plays the game, and neither player has ended it.
    pub(super) fn is_running(&self) -> bool {
        self.is_played() && self.asks(|ledger| !Player::BOTH.iter().any(|player| ledger.has_closed(*player)))
    }

    /// Returns the id by which both players know a game: of the letter that began it or, before that, of its terms.
    fn id(&self) -> Hex32 {
        match self.stage {
            Stage::Begun(game) => game,
            Stage::Proposed => self.terms.id,
        }
    }

    /// Whether `typed` is a slot that was declared, or the beginning of a letter's id.
    pub(super) fn has_declared_at(&self, typed: &str) -> bool {
        match Slot::parse(typed) {
            Some(slot) => self.asks(|ledger| ledger.declarations().any(|declared| declared.declare.slot == slot)),
            None => self.has_letter(typed),
        }
    }

    /// Whether a letter's id begins with `id`.
    pub(super) fn has_letter(&self, id: &str) -> bool {
        self.asks(|ledger| !ledger.letters_like(id).is_empty())
    }

    /// Asks a question about the ledger; returns false if the game has not begun.
    fn asks(&self, ask: impl FnOnce(&Ledger<'_>) -> bool) -> bool {
        self.look(|_, ledger| Ok(ask(ledger))).unwrap_or_default()
    }
}
