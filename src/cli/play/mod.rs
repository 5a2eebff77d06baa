//! The verbs of a lasting game: what two people who play by mail type. Each verb reads the game's folder, replays it,
//! and adds letters to it; nothing else is kept.

#[cfg(feature = "office")]
pub(super) mod at_office;
mod charter_file;
mod claims;
pub(super) mod close;
pub(super) mod compared;
pub(super) mod continuing;
mod days;
pub(super) mod decide;
pub(super) mod declare;
mod deposits;
pub(super) mod dispute;
mod epoch;
mod find;
pub(super) mod forget;
mod forks;
pub(super) mod game;
mod index;
mod locked;
mod machine;
pub(super) mod mend;
pub(super) mod moving;
pub(super) mod note;
mod notes;
mod officed;
mod post;
pub(super) mod read;
mod refereed;
pub(super) mod reply;
pub(super) mod resync;
pub(super) mod reveal;
pub(super) mod rule;
pub(super) mod seal;
mod sheet;
pub(super) mod sign;
pub(super) mod status;
pub(super) mod terms;
mod toml_terms;
mod typed;
pub(super) mod withdraw;

use std::{collections::HashSet, path::PathBuf};

#[cfg(feature = "office")]
use at_office::news;
pub(super) use find::letters_of_game;
use locked::Locked;

use super::Answer;
use crate::{
    blob::{
        Body, Hex32, Kind, Verified,
        body::{Role, SetKind},
    },
    cli::{tables, terminal::visible},
    error::Error,
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
};

/// What a verb comes to, or the answer that ends it.
type Told<T> = Result<T, Answer>;

impl From<Error> for Answer {
    fn from(error: Error) -> Self {
        Self::refused(error.to_string())
    }
}

/// How far a game has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// A charter that its author's opponent has not accepted.
    Proposed,
    /// Accepted: it has an id.
    Begun(Hex32),
}

/// A game of this player, with all its letters.
struct Table {
    home: Home,
    folder: Folder,
    stored: Vec<Stored>,
    /// Letters of other games on the same terms, which somebody has accepted more than once.
    beside: Vec<Stored>,
    damaged: Vec<PathBuf>,
    terms: Terms,
    stage: Stage,
    me: Author,
    role: Role,
    typing: Typing,
    /// The public key of this machine.
    key: Hex32,
    /// Its fingerprint.
    fingerprint: String,
    /// What the player has noted about it, and about those of others.
    notes: Notes,
    /// The tables of this home, for what the terms withhold.
    tables: Supplied,
}

/// How a command for a game is typed on this machine, so that what is shown can be copied as it stands.
#[derive(Clone, Debug)]
struct Typing {
    program: String,
    game: String,
}

impl Typing {
    fn of(home: &Home, game: &str, is_only: bool) -> Self {
        let usual = Home::find(None).is_ok_and(|usual| usual == *home);
        Self {
            program: if usual { "sealed-dice".into() } else { format!("sealed-dice --home {}", quoted(home.path())) },
            game: if is_only { String::new() } else { format!(" --game {game}") },
        }
    }

    /// The game needs no name: no other lives.
    fn is_the_only(&mut self) {
        self.game.clear();
    }

    /// How a command is typed that is about no game.
    fn of_home(&self) -> Self {
        Self { program: self.program.clone(), game: String::new() }
    }

    /// A command with its arguments.
    fn command(&self, verb: &str) -> String {
        format!("{} {verb}{}", self.program, self.game)
    }
}

/// A path as a shell takes it for one word, and a command for a path.
fn quoted(path: &std::path::Path) -> String {
    let looks_like_option = path.as_os_str().as_encoded_bytes().starts_with(b"-");
    let path = if looks_like_option { std::path::Path::new(".").join(path) } else { path.to_owned() };
    let path = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/\\:._-+@,".contains(c);
    match (path.chars().all(plain) && (cfg!(windows) || !path.contains('\\')), cfg!(windows)) {
        (true, _) => path,
        (false, true) => format!("\"{path}\""),
        (false, false) => format!("'{}'", path.replace('\'', "'\\''")),
    }
}

/// A game replayed.
struct View<'v, 'a> {
    terms: &'v Terms,
    order: &'v Order,
    ledger: &'v Ledger<'a>,
    me: Player,
}

impl Table {
    /// The games of a home, those that cannot be read apart.
    fn all(home: &Home) -> Told<(Vec<Self>, Vec<String>)> {
        let key = KeyFile::open(&home.key_file())?.public();
        let (mut tables, mut talk) = (Vec::new(), Vec::new());
        for folder in folders(home) {
            match Self::open(home, folder, key) {
                Ok(table) => tables.push(table),
                Err(answer) => talk.extend(answer.talk),
            }
        }
        Ok((tables, talk))
    }

    fn open(home: &Home, folder: Folder, key: Hex32) -> Told<Self> {
        let name = folder.name();
        let has_key = |terms: &Terms| Author::ALL.into_iter().find(|author| terms.key_of(*author) == Some(key));
        Self::open_as(home, folder, key, |terms| {
            has_key(terms).ok_or_else(|| {
                Answer::unable(format!(
                    "game {name}: your key is not among its players; is this the right --home? If your key of that \
                     game is lost, or no longer yours alone, go on in a new one, with the role that you had there:  \
                     {} --as ROLE",
                    Typing::of(home, "", true).command(&format!("game continue {name}"))
                ))
            })
        })
    }

    /// A game as the party that `choose` takes out of its terms.
    fn open_as(home: &Home, folder: Folder, key: Hex32, choose: impl FnOnce(&Terms) -> Told<Author>) -> Told<Self> {
        let (stored, damaged) = folder.letters()?;
        let name = folder.name();
        let kind = |kind| stored.iter().filter(move |letter| letter.message.head().kind == kind);
        let charter = kind(Kind::Charter).next().ok_or_else(|| {
            Answer::unable(format!("game {name}: the charter is not in its folder; read the mail that brought it"))
        })?;
        let terms = Terms::parse(&charter.message)?;
        let me = choose(&terms)?;
        let role = terms.role_of(me).cloned().ok_or_else(|| Answer::unable("the terms have no such party"))?;
        let name = folder.name();
        let typing = Typing::of(home, &name, is_only(home));
        let (fingerprint, notes) = (KeyFile::open(&home.key_file())?.fingerprint(), Notes::of(home));
        let tables = tables::of_home(home, &terms)?;
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

    /// The games that have begun on these terms, this one and others (charter 24).
    fn games(&self) -> HashSet<Hex32> {
        let letters = self.all_letters().map(|letter| &letter.message);
        letters.filter(|letter| self.terms.begins_game(letter)).map(Verified::id).collect()
    }

    /// Every letter of the folder: those of this game, and those of other games on its terms.
    fn all_letters(&self) -> impl Iterator<Item = &Stored> {
        self.stored.iter().chain(&self.beside)
    }

    /// Takes this game on the terms for the one that is played; letters of others lie beside it.
    fn turn_to(&mut self, game: Hex32) {
        let games = self.games();
        let mut letters = std::mem::take(&mut self.stored);
        letters.append(&mut self.beside);
        let is_other = |letter: &Stored| letter.message.head().game.is_some_and(|of| of != game && games.contains(&of));
        (self.beside, self.stored) = letters.into_iter().partition(is_other);
        self.stage = Stage::Begun(game);
    }

    /// The game's name on this machine.
    fn name(&self) -> String {
        self.folder.name()
    }

    /// The id of the game, once it has begun.
    const fn game(&self) -> Option<Hex32> {
        match self.stage {
            Stage::Begun(game) => Some(game),
            Stage::Proposed => None,
        }
    }

    /// The letters of the game in their order.
    fn order(&self, game: Hex32) -> Order {
        self.order_of(game, &[], |_| true)
    }

    /// Orders the stored letters that `some` accepts, together with `new` letters that are not stored yet.
    fn order_of(&self, game: Hex32, new: &[Stored], some: impl Fn(&Hex32) -> bool) -> Order {
        let mut once = HashSet::new();
        let letters = self.stored.iter().chain(new).map(|stored| &stored.message).filter(|message| {
            let head = message.head();
            let begins = message.id() == self.terms.id || message.id() == game || head.game == Some(self.terms.id);
            let is_member = (begins || head.game == Some(game)) && !head.is_unnumbered();
            is_member && some(&message.id()) && once.insert(message.id())
        });
        let letters: Vec<&Verified> = letters.collect();
        Order::of(&self.terms, game, &Members::of(&self.terms, &letters))
    }

    /// Whether a letter is signed with its author's key, or a withdrawal with that of who proposed the terms: whatever
    /// else comes does not exist for the game (message 13).
    fn is_signed(&self, message: &Verified) -> bool {
        let author = self.terms.author_of(&message.head().author);
        match message.body() {
            Body::Withdraw(_) => self.is_withdrawal(message),
            _ => author.is_some_and(|author| self.terms.key_of(author) == Some(message.key())),
        }
    }

    /// That every file of the folder can be read: behind one that cannot there may be this player's last letter, whose
    /// number must not be used again.
    fn check_files(&self) -> Told<()> {
        match self.damaged.first() {
            Some(path) => Err(Answer::refused(format!(
                "{} holds no whole letter; read the mail that brought it again, your sent mail too, before you sign",
                path.display()
            ))),
            None => Ok(()),
        }
    }

    /// The player whose table this is.
    fn player(&self) -> Told<Player> {
        self.me.player().ok_or_else(|| {
            Answer::refused(
                "who is no player does not play; `sealed-dice game status` shows what there is for you to do",
            )
        })
    }

    /// Whether no letter of this party is here.
    fn has_signed_nothing(&self) -> bool {
        self.stored.iter().all(|letter| letter.message.head().author != self.role)
    }

    /// The parties that this one writes to: role and name.
    fn others(&self) -> impl Iterator<Item = (&Role, &str)> {
        let players = self.terms.charter.parties.iter().map(|party| (&party.role, party.name.as_str()));
        let referee = self.terms.charter.referee.iter().map(|referee| (&referee.role, referee.name.as_str()));
        let office = self.terms.charter.office.iter().map(|office| (&office.role, office.name.as_str()));
        players.chain(referee).chain(office).filter(|(role, _)| **role != self.role)
    }

    /// Its title, and who plays it with whom, safe to show: what tells it from other games.
    fn described(&self) -> String {
        let against: Vec<String> = self.others().map(|(role, name)| format!("{} ({role})", visible(name))).collect();
        format!("{:?}, you are {}, with {}", visible(&self.terms.charter.title), self.role, against.join(" and "))
    }

    /// The game in the first line of what is about to be signed in it.
    fn headed(&self, lines: &[String]) -> Vec<String> {
        let head = format!("{}: {}", self.name(), self.described());
        std::iter::once(head).chain(lines.iter().cloned()).collect()
    }

    /// Their names, safe to show.
    fn their_names(&self) -> String {
        self.others().map(|(_, name)| visible(name)).collect::<Vec<_>>().join(" and ")
    }

    /// Replays the game.
    fn look<T>(&self, look: impl FnOnce(&Order, &Ledger<'_>) -> Told<T>) -> Told<T> {
        self.look_at(&[], |_| true, look)
    }

    /// Replays the stored letters that `some` accepts, together with `new` letters that are not stored yet, and passes
    /// order and ledger to `look`.
    fn look_at<T>(
        &self,
        new: &[Stored],
        some: impl Fn(&Hex32) -> bool,
        look: impl FnOnce(&Order, &Ledger<'_>) -> Told<T>,
    ) -> Told<T> {
        let Stage::Begun(game) = self.stage else {
            if self.is_withdrawn() {
                return Err(Answer::refused(format!(
                    "{} has withdrawn these terms, and there is no game: `sealed-dice game list` shows your others",
                    self.terms.role(self.terms.author)
                )));
            }
            return Err(Answer::refused(
                match self.terms.author_of(&self.role) == Some(Author::Player(self.terms.author)) {
                    true => format!(
                        "{} has not accepted the terms yet; this prints them again: {}",
                        self.terms.role(self.terms.author.other()),
                        self.typing.command("resend")
                    ),
                    false => format!("first accept the terms: {}", self.typing.command("game accept")),
                },
            ));
        };
        let order = self.order_of(game, new, some);
        let mut ledger = replay::replay(&self.terms, game, &order);
        ledger.supply(self.tables.clone());
        look(&order, &ledger)
    }

    /// Replays the game for a player.
    fn view<T>(&self, look: impl FnOnce(&View<'_, '_>) -> Told<T>) -> Told<T> {
        let me = self.player()?;
        self.look(|order, ledger| look(&View { terms: &self.terms, order, ledger, me }))
    }
}

impl View<'_, '_> {
    /// What this player owes and may do.
    fn tasks(&self) -> Vec<Task> {
        tasks::of(self.ledger, self.me)
    }

    /// What the other player owes and may do.
    fn their_tasks(&self) -> Vec<Task> {
        tasks::of(self.ledger, self.me.other())
    }

    /// The last letter of this player's that stands and says something.
    fn said(&self, fits: impl Fn(&Body) -> bool) -> Option<&Body> {
        let own = self.order.nodes.iter().filter(|node| {
            node.author == Author::Player(self.me) && node.standing == Standing::Stands && node.breach.is_none()
        });
        let own = own.filter(|node| fits(node.message.body()));
        own.max_by_key(|node| node.message.head().number).map(|node| node.message.body())
    }

    /// The valid set of a kind and purpose that this player sealed.
    fn sealed(&self, kind: SetKind, purpose: &str) -> bool {
        self.ledger.sealed(self.me, kind, purpose).is_some()
    }
}

/// The folders of a home's games, as its disk lists them.
fn listed(home: &Home) -> impl Iterator<Item = Folder> {
    let entries = std::fs::read_dir(home.games()).into_iter().flatten();
    entries.filter_map(|entry| Folder::open(&entry.ok()?.path())).filter(|folder| !folder.is_empty())
}

fn folders(home: &Home) -> Vec<Folder> {
    let mut folders: Vec<Folder> = listed(home).collect();
    folders.sort_by_key(Folder::name);
    folders
}

/// Whether there is no second game.
fn is_only(home: &Home) -> bool {
    listed(home).nth(1).is_none()
}

/// The game of a name.
fn folder_of(home: &Home, name: &str) -> Option<Folder> {
    let path = home.games().join(name);
    let is_below = path.parent() == Some(&home.games()) && path.file_name().is_some_and(|file| file == name);
    Folder::open(&path).filter(|folder| is_below && !folder.is_empty())
}

/// An answer, whatever it is, with talk before its own.
fn saying(talk: Vec<String>, answer: Told<Answer>) -> Told<Answer> {
    let before = |mut answer: Answer| {
        answer.talk.splice(0..0, talk.iter().cloned());
        answer
    };
    answer.map(before).map_err(before)
}

impl Locked {
    /// The game once its office was asked what is new there, read again, and what that is.
    fn after_office(self, home: &Home, signing: &sign::Signing) -> Told<(Self, Vec<String>)> {
        if !self.is_joined() {
            return Ok((self, Vec::new()));
        }
        let news = self.ask_office(home, Some(signing));
        Ok((self.again(home)?, news))
    }
}

/// Without the office, nobody is asked, and nothing left.
#[cfg(not(feature = "office"))]
fn news(_: &Home) -> Told<Vec<String>> {
    Ok(Vec::new())
}

#[cfg(not(feature = "office"))]
impl Table {
    fn by_office(&self, _: bool, _: &mut Vec<String>, _: &mut Vec<String>) {}

    fn where_to_join(&self) -> Option<String> {
        None
    }

    fn full_share(&self) -> Option<String> {
        None
    }

    fn has_left(&self, _: &crate::blob::Head) -> Option<bool> {
        None
    }

    fn is_joined(&self) -> bool {
        false
    }
}

#[cfg(not(feature = "office"))]
impl Locked {
    fn ask_office(&self, _: &Home, _: Option<&sign::Signing>) -> Vec<String> {
        Vec::new()
    }

    fn ask_the_time(&self, _: &Home, _: &sign::Signing) -> Vec<String> {
        Vec::new()
    }
}
