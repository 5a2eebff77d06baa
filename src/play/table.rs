//! A player's game with all its letters, and the results of replaying it.

use std::{collections::HashSet, path::PathBuf};

use super::{
    failure::{Failure, PlayResult},
    typing::Typing,
};
use crate::{
    blob::{
        Body, Hex32, Kind, Verified,
        body::{Role, SetKind},
    },
    game::{
        keys::Members,
        ledger::Ledger,
        node::Standing,
        order::Order,
        replay,
        runs::Supplied,
        tasks::{self, Task},
        terms::{Author, Player, Terms},
    },
    keep::{
        folder::{Folder, Stored},
        home::Home,
        key_file::KeyFile,
        notes::Notes,
    },
    report::text::visible,
};

/// The stage that a game has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// A charter that its author's opponent has not accepted.
    Proposed,
    /// An accepted charter, with the id of the game.
    Begun(Hex32),
}

/// A game of this player, with all its letters.
pub(super) struct Table {
    pub(super) home: Home,
    pub(super) folder: Folder,
    pub(super) stored: Vec<Stored>,
    /// Letters in other games on the same terms, if somebody has accepted these more than once.
    pub(super) beside: Vec<Stored>,
    pub(super) damaged: Vec<PathBuf>,
    pub(super) terms: Terms,
    pub(super) stage: Stage,
    pub(super) me: Author,
    pub(super) role: Role,
    pub(super) typing: Typing,
    /// The public key of this machine.
    pub(super) key: Hex32,
    /// The fingerprint of the key.
    pub(super) fingerprint: String,
    /// The player's notes about this key and others' keys.
    pub(super) notes: Notes,
    /// The tables in this home that terms may withhold.
    pub(super) tables: Supplied,
}

/// A replayed game, as seen by a player.
pub(super) struct View<'v, 'a> {
    pub(super) terms: &'v Terms,
    pub(super) order: &'v Order,
    pub(super) ledger: &'v Ledger<'a>,
    pub(super) me: Player,
}

impl Table {
    /// Reads the games in a home, and lists separately the problems of those that cannot be read.
    pub(super) fn all(home: &Home) -> PlayResult<(Vec<Self>, Vec<String>)> {
        let key = KeyFile::open(&home.key_file())?.public();
        let (mut tables, mut unread) = (Vec::new(), Vec::new());
        for folder in folders(home) {
            match Self::open(home, folder, key) {
                Ok(table) => tables.push(table),
                Err(failure) => unread.extend(failure.why),
            }
        }
        Ok((tables, unread))
    }

    pub(super) fn open(home: &Home, folder: Folder, key: Hex32) -> PlayResult<Self> {
        let name = folder.name();
        let has_key = |terms: &Terms| Author::ALL.into_iter().find(|author| terms.key_of(*author) == Some(key));
        Self::open_as(home, folder, key, |terms| {
            has_key(terms).ok_or_else(|| {
                Failure::unable(format!(
                    "game {name}: your key does not belong to any of its players; is this the right --home? If your \
                     key for that game is lost, or somebody else has it too, continue in a new game, with your role \
                     from the old one:  {} --as ROLE",
                    Typing::of(home, "", true).command(&format!("game continue {name}"))
                ))
            })
        })
    }

    /// Opens a game as the party that `choose` picks from its terms.
    pub(super) fn open_as(
        home: &Home,
        folder: Folder,
        key: Hex32,
        choose: impl FnOnce(&Terms) -> PlayResult<Author>,
    ) -> PlayResult<Self> {
        let (stored, damaged) = folder.letters()?;
        let name = folder.name();
        let kind = |kind| stored.iter().filter(move |letter| letter.message.head().kind == kind);
        let charter = kind(Kind::Charter).next().ok_or_else(|| {
            Failure::unable(format!(
                "game {name}: the terms are missing from its folder; read the mail with the terms again"
            ))
        })?;
        let terms = Terms::parse(&charter.message)?;
        let me = choose(&terms)?;
        let role = terms
            .role_of(me)
            .cloned()
            .ok_or_else(|| Failure::unable("the terms do not name this party; check --home"))?;
        let name = folder.name();
        let typing = Typing::of(home, &name, is_only(home));
        let (fingerprint, notes) = (KeyFile::open(&home.key_file())?.fingerprint(), Notes::of(home));
        let tables = super::tables::of_home(home, &terms)?;
        let game = terms.game_of(me, stored.iter().map(|letter| &letter.message));
        let mut table = Self {
            home: home.clone(),
            folder,
            stored,
            beside: Vec::new(),
            damaged,
            terms,
            stage: Stage::Proposed,
            me,
            role,
            typing,
            key,
            fingerprint,
            notes,
            tables,
        };
        if let Some(game) = game {
            table.turn_to(game);
        }
        Ok(table)
    }

    /// Returns the ids of all games that have begun on these terms (charter 24).
    pub(super) fn games(&self) -> HashSet<Hex32> {
        let letters = self.all_letters().map(|letter| &letter.message);
        letters.filter(|letter| self.terms.begins_game(letter)).map(Verified::id).collect()
    }

    /// Lists every letter in the folder: those of this game, and those of other games on its terms.
    pub(super) fn all_letters(&self) -> impl Iterator<Item = &Stored> {
        self.stored.iter().chain(&self.beside)
    }

    /// Makes `game` the one that is played on the terms; letters of other games are set aside.
    pub(super) fn turn_to(&mut self, game: Hex32) {
        let games = self.games();
        let mut letters = std::mem::take(&mut self.stored);
        letters.append(&mut self.beside);
        let is_other = |letter: &Stored| letter.message.head().game.is_some_and(|of| of != game && games.contains(&of));
        (self.beside, self.stored) = letters.into_iter().partition(is_other);
        self.stage = Stage::Begun(game);
    }

    /// Returns the name of the game on this machine.
    pub(super) fn name(&self) -> String {
        self.folder.name()
    }

    /// Returns the id of the game, once it has begun.
    pub(super) const fn game(&self) -> Option<Hex32> {
        match self.stage {
            Stage::Begun(game) => Some(game),
            Stage::Proposed => None,
        }
    }

    /// Orders the letters of the game.
    pub(super) fn order(&self, game: Hex32) -> Order {
        self.order_of(game, &[], &[], |_| true)
    }

    /// Orders the stored letters that `some` accepts, together with `new` letters that are not stored yet, and with
    /// drafts, which count as this party's although they are not signed with its key.
    fn order_of(&self, game: Hex32, new: &[Stored], drafts: &[Verified], some: impl Fn(&Hex32) -> bool) -> Order {
        let mut once = HashSet::new();
        let letters = self.stored.iter().chain(new).map(|stored| &stored.message).filter(|message| {
            let head = message.head();
            let begins = message.id() == self.terms.id || message.id() == game || head.game == Some(self.terms.id);
            let is_member = (begins || head.game == Some(game)) && !head.is_unnumbered();
            is_member && some(&message.id()) && once.insert(message.id())
        });
        let letters: Vec<&Verified> = letters.collect();
        let mut members = Members::of(&self.terms, &letters);
        members.letters.extend(drafts.iter().map(|draft| (draft, self.me)));
        Order::of(&self.terms, game, &members)
    }

    /// Whether a letter is signed with its author's key, or a withdrawal with the proposer's: any other letter does not
    /// exist for the game (message 13).
    pub(super) fn is_signed(&self, message: &Verified) -> bool {
        let author = self.terms.author_of(&message.head().author);
        match message.body() {
            Body::Withdraw(_) => self.is_withdrawal(message),
            _ => author.is_some_and(|author| self.terms.key_of(author) == Some(message.key())),
        }
    }

    /// Checks that every file in the folder can be read: an unreadable one may hold this player's last letter, whose
    /// number must not be used again.
    pub(super) fn check_files(&self) -> PlayResult<()> {
        match self.damaged.first() {
            Some(path) => Err(Failure::refused(format!(
                "{} does not hold a complete letter; before you sign, read the mail with that letter again (it may be \
                 one that you sent)",
                path.display()
            ))),
            None => Ok(()),
        }
    }

    /// Returns the player whose table this is.
    pub(super) fn player(&self) -> PlayResult<Player> {
        self.me.player().ok_or_else(|| {
            Failure::refused("only players can do this; `sealed-dice game status` lists what you can do")
        })
    }

    /// Whether the folder contains no letter by this party.
    pub(super) fn has_signed_nothing(&self) -> bool {
        self.stored.iter().all(|letter| letter.message.head().author != self.role)
    }

    /// Lists the parties that this one writes to, by role and name.
    pub(super) fn others(&self) -> impl Iterator<Item = (&Role, &str)> {
        let players = self.terms.charter.parties.iter().map(|party| (&party.role, party.name.as_str()));
        let referee = self.terms.charter.referee.iter().map(|referee| (&referee.role, referee.name.as_str()));
        let office = self.terms.charter.office.iter().map(|office| (&office.role, office.name.as_str()));
        players.chain(referee).chain(office).filter(|(role, _)| **role != self.role)
    }

    /// Describes the game by its title and players, to distinguish it from other games; safe to show.
    pub(super) fn described(&self) -> String {
        format!("{:?}, {}", self.title(), self.seat())
    }

    /// Returns the title of the game, safe to show.
    pub(super) fn title(&self) -> String {
        visible(&self.terms.charter.title)
    }

    /// Names this party's role and the other parties, safe to show.
    pub(super) fn seat(&self) -> String {
        let against: Vec<String> = self.others().map(|(role, name)| format!("{} ({role})", visible(name))).collect();
        format!("you are {}, with {}", self.role, against.join(" and "))
    }

    /// Adds a first line that names the game to the lines that are about to be signed.
    pub(super) fn headed(&self, lines: &[String]) -> Vec<String> {
        let head = format!("{}: {}", self.name(), self.described());
        std::iter::once(head).chain(lines.iter().cloned()).collect()
    }

    /// Returns the names of the other parties, safe to show.
    pub(super) fn their_names(&self) -> String {
        self.others().map(|(_, name)| visible(name)).collect::<Vec<_>>().join(" and ")
    }

    /// Replays the game and passes order and ledger to `look`.
    pub(super) fn look<T>(&self, look: impl FnOnce(&Order, &Ledger<'_>) -> PlayResult<T>) -> PlayResult<T> {
        self.look_at(&[], |_| true, look)
    }

    /// Replays the game as though drafts were letters of this party, and passes order and ledger to `look`.
    pub(super) fn look_ahead<T>(
        &self,
        drafts: &[Verified],
        look: impl FnOnce(&Order, &Ledger<'_>) -> PlayResult<T>,
    ) -> PlayResult<T> {
        self.replayed(&[], drafts, |_| true, look)
    }

    /// Replays the stored letters that `some` accepts, together with `new` letters that are not stored yet, and passes
    /// order and ledger to `look`.
    pub(super) fn look_at<T>(
        &self,
        new: &[Stored],
        some: impl Fn(&Hex32) -> bool,
        look: impl FnOnce(&Order, &Ledger<'_>) -> PlayResult<T>,
    ) -> PlayResult<T> {
        self.replayed(new, &[], some, look)
    }

    fn replayed<T>(
        &self,
        new: &[Stored],
        drafts: &[Verified],
        some: impl Fn(&Hex32) -> bool,
        look: impl FnOnce(&Order, &Ledger<'_>) -> PlayResult<T>,
    ) -> PlayResult<T> {
        let Stage::Begun(game) = self.stage else {
            if self.is_withdrawn() {
                return Err(Failure::refused(format!(
                    "{} has withdrawn these terms, so this game cannot begin: `sealed-dice game list` shows your other \
                     games",
                    self.terms.role(self.terms.author)
                )));
            }
            return Err(Failure::refused(
                match self.terms.author_of(&self.role) == Some(Author::Player(self.terms.author)) {
                    true => format!(
                        "{} has not accepted the terms yet; to print them again: {}",
                        self.terms.role(self.terms.author.other()),
                        self.typing.command("resend")
                    ),
                    false => format!("first accept the terms: {}", self.typing.command("game accept")),
                },
            ));
        };
        let order = self.order_of(game, new, drafts, some);
        let mut ledger = replay::replay(&self.terms, game, &order);
        ledger.supply(self.tables.clone());
        look(&order, &ledger)
    }

    /// Replays the game for a player and passes the view to `look`.
    pub(super) fn view<T>(&self, look: impl FnOnce(&View<'_, '_>) -> PlayResult<T>) -> PlayResult<T> {
        self.view_ahead(&[], look)
    }

    /// Replays the game for a player as though drafts were letters of theirs, and passes the view to `look`.
    pub(super) fn view_ahead<T>(
        &self,
        drafts: &[Verified],
        look: impl FnOnce(&View<'_, '_>) -> PlayResult<T>,
    ) -> PlayResult<T> {
        let me = self.player()?;
        self.look_ahead(drafts, |order, ledger| look(&View { terms: &self.terms, order, ledger, me }))
    }
}

impl View<'_, '_> {
    /// Returns the tasks that this player owes or may do.
    pub(super) fn tasks(&self) -> Vec<Task> {
        tasks::of(self.ledger, self.me)
    }

    /// Returns the tasks that the other player owes or may do.
    pub(super) fn their_tasks(&self) -> Vec<Task> {
        tasks::of(self.ledger, self.me.other())
    }

    /// Returns the content of this player's last valid letter whose body fits.
    pub(super) fn said(&self, fits: impl Fn(&Body) -> bool) -> Option<&Body> {
        let own = self.order.nodes.iter().filter(|node| {
            node.author == Author::Player(self.me) && node.standing == Standing::Stands && node.breach.is_none()
        });
        let own = own.filter(|node| fits(node.message.body()));
        own.max_by_key(|node| node.message.head().number).map(|node| node.message.body())
    }

    /// Whether this player sealed a valid set of a kind and purpose.
    pub(super) fn sealed(&self, kind: SetKind, purpose: &str) -> bool {
        self.ledger.sealed(self.me, kind, purpose).is_some()
    }
}

/// Lists the folders of a home's games, in the order on the disk.
pub(super) fn listed(home: &Home) -> impl Iterator<Item = Folder> {
    let entries = std::fs::read_dir(home.games()).into_iter().flatten();
    entries.filter_map(|entry| Folder::open(&entry.ok()?.path())).filter(|folder| !folder.is_empty())
}

pub(super) fn folders(home: &Home) -> Vec<Folder> {
    let mut folders: Vec<Folder> = listed(home).collect();
    folders.sort_by_key(Folder::name);
    folders
}

/// Whether the home has at most one game.
pub(super) fn is_only(home: &Home) -> bool {
    listed(home).nth(1).is_none()
}

/// Returns the folder of the game with a name.
pub(super) fn folder_of(home: &Home, name: &str) -> Option<Folder> {
    let path = home.games().join(name);
    let is_below = path.parent() == Some(&home.games()) && path.file_name().is_some_and(|file| file == name);
    Folder::open(&path).filter(|folder| is_below && !folder.is_empty())
}
