//! The verbs of a lasting game: what two people who play by mail type. Each verb reads the game's folder, replays it,
//! and adds letters to it; nothing else is kept.

pub(super) mod admission;
#[cfg(feature = "office")]
pub(super) mod at_office;
mod charter_file;
mod claims;
pub(super) mod close;
pub(super) mod compared;
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
mod lost;
mod machine;
pub(super) mod mend;
pub(super) mod note;
mod notes;
mod officed;
mod post;
pub(super) mod read;
mod refereed;
pub(super) mod reply;
pub(super) mod resync;
pub(super) mod reveal;
pub(super) mod rotate;
pub(super) mod rule;
pub(super) mod seal;
mod sheet;
pub(super) mod sign;
pub(super) mod status;
mod stuck;
pub(super) mod terms;
mod typed;
pub(super) mod withdraw;

use std::{
    cell::OnceCell,
    collections::{HashMap, HashSet},
    path::PathBuf,
};

#[cfg(feature = "office")]
use at_office::news;
pub(super) use find::letters_of_game;
use locked::Locked;

use super::Answer;
use crate::{
    blob::{
        Body, Hex32, Kind, Verified,
        body::{Role, SetKind},
        new_keys::KeyChange,
    },
    cli::{tables, terminal::visible},
    error::Error,
    game::{
        charter::{Author, Player, Terms},
        hidden::Supplied,
        keys::{Members, key_behind},
        ledger::Ledger,
        order::{Order, Standing},
        tasks::Task,
    },
    keep::{
        folder::{Folder, Stored},
        home::Home,
        key_file::KeyFile,
        key_ring::KeyRing,
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
    /// The public keys of this machine.
    keys: Vec<Hex32>,
    /// The fingerprint of the present key.
    fingerprint: String,
    /// What the player has noted about it, and about those of others.
    notes: Notes,
    /// The tables of this home, for what the terms withhold.
    tables: Supplied,
    /// Whether its player goes on although the office has not heard that he was restored (keys 11).
    without_office: bool,
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
    keys: &'v [Hex32],
    terms: &'v Terms,
    order: &'v Order<'a>,
    ledger: &'v Ledger<'a>,
    me: Player,
}

impl Table {
    /// The games of a home, those that cannot be read apart.
    fn all(home: &Home) -> Told<(Vec<Self>, Vec<String>)> {
        let keys: Vec<Hex32> = KeyRing::open(home)?.publics().collect();
        let (mut tables, mut talk) = (Vec::new(), Vec::new());
        for folder in folders(home) {
            match Self::open(home, folder, &keys) {
                Ok(table) => tables.push(table),
                Err(answer) => talk.extend(answer.talk),
            }
        }
        Ok((tables, talk))
    }

    fn open(home: &Home, folder: Folder, keys: &[Hex32]) -> Told<Self> {
        let (stored, damaged) = folder.letters()?;
        let name = folder.name();
        let kind = |kind| stored.iter().filter(move |letter| letter.message.head().kind == kind);
        let charter = kind(Kind::Charter).next().ok_or_else(|| {
            Answer::unable(format!("game {name}: the charter is not in its folder; read the mail that brought it"))
        })?;
        let terms = Terms::parse(&charter.message)?;
        // Who has lost his key sits where he has asked to sit again.
        let asked = stored
            .iter()
            .map(|letter| &letter.message)
            .find(|message| matches!(message.body(), Body::Key(KeyChange::Ask(_))) && keys.contains(&message.key()));
        let me = Author::ALL.into_iter().find(|author| terms.key_of(*author).is_some_and(|key| keys.contains(&key)));
        let me = me.or_else(|| terms.author_of(&asked?.head().author));
        let me = me.ok_or_else(|| {
            Answer::unable(format!("game {name}: your key is not among its players; is this the right --home?"))
        })?;
        Self::at(home, folder, stored, damaged, terms, me, keys)
    }

    /// A game with its letters, where somebody sits.
    fn at(
        home: &Home,
        folder: Folder,
        stored: Vec<Stored>,
        damaged: Vec<PathBuf>,
        terms: Terms,
        me: Author,
        keys: &[Hex32],
    ) -> Told<Self> {
        let role = terms.role_of(me).cloned().ok_or_else(|| Answer::unable("the terms have no such party"))?;
        let name = folder.name();
        let typing = Typing::of(home, &name, is_only(home));
        let (fingerprint, notes) = (KeyFile::open(&home.key_file())?.fingerprint(), Notes::of(home));
        let tables = tables::of_home(home, &terms)?;
        let game = terms.game_of(me, stored.iter().map(|letter| &letter.message));
        let mut table = Self {
            folder,
            stored,
            beside: Vec::new(),
            damaged,
            terms,
            stage: Stage::Proposed,
            me,
            role,
            typing,
            keys: keys.to_vec(),
            fingerprint,
            notes,
            tables,
            without_office: false,
        };
        if let Some(game) = game {
            table.turn_to(game);
        }
        Ok(table)
    }

    /// The games that have begun on these terms, this one and others (charter 12).
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

    /// The letters of the game in their order, without those that this party may not follow yet.
    fn order(&self, game: Hex32) -> Order<'_> {
        let mut order = Order::of(&self.terms, game, &self.members(game));
        order.leave_out(&self.terms, self.me);
        order
    }

    /// The letters of the game, told apart by their keys.
    fn members(&self, game: Hex32) -> Members<'_> {
        let mut once = HashSet::new();
        let letters = self.stored.iter().map(|stored| &stored.message).filter(|message| {
            let head = message.head();
            let begins = message.id() == self.terms.id || message.id() == game || head.game == Some(self.terms.id);
            (begins || head.game == Some(game)) && !head.is_unnumbered() && once.insert(message.id())
        });
        let letters: Vec<&Verified> = letters.collect();
        Members::of(&self.terms, game, &letters)
    }

    /// Which of some new letters are not signed with the key in force at their places, and why (message 13). They are looked at
    /// together: what one of them does to keys holds for the others, in whatever order they come.
    fn strangers(&self, new: &[&Verified]) -> HashMap<(Hex32, Hex32), Error> {
        let game = match self.stage {
            Stage::Begun(game) => game,
            Stage::Proposed => self.terms.id,
        };
        let (apart, numbered): (Vec<&Verified>, Vec<&Verified>) =
            new.iter().copied().partition(|message| message.head().is_unnumbered());
        let mut strangers = HashMap::new();
        let (keys, grants) = (OnceCell::new(), OnceCell::new());
        for message in apart {
            let author = &message.head().author;
            // Looked up once for all that come, for each look goes through the whole game.
            let keys = keys.get_or_init(|| {
                let roles = self.terms.authors().map(|(_, role)| role);
                roles.map(|role| (role.clone(), self.key_of(role))).collect::<HashMap<Role, Option<Hex32>>>()
            });
            let in_force = || keys.get(author).copied().flatten() == Some(message.key());
            let is_granted = || grants.get_or_init(|| self.granted()).contains(&(author.clone(), message.key()));
            let refused = match message.body() {
                Body::Withdraw(_) => {
                    (!self.is_withdrawal(message)).then_some("only the author of the terms can withdraw them")
                }
                _ => (!in_force() && !is_granted() && !self.is_plea(message))
                    .then_some("it is not signed with the key that its author has in this game"),
            };
            let refused = refused.map(|why| ((message.id(), message.key()), Error::Refused(why.into())));
            strangers.extend(refused);
        }
        if !numbered.is_empty() {
            let mut letters: Vec<&Verified> = self.stored.iter().map(|stored| &stored.message).collect();
            letters.extend(&numbered);
            let new: HashSet<(Hex32, Hex32)> = numbered.iter().map(|message| (message.id(), message.key())).collect();
            let found = Members::of(&self.terms, game, &letters).strangers.into_iter();
            let found = found.map(|(stranger, error)| ((stranger.id(), stranger.key()), error));
            strangers.extend(found.filter(|(copy, _)| new.contains(copy)));
        }
        strangers
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

    /// The key that this party's next letter is signed with (keys 1).
    fn key_in_force(&self) -> Told<Hex32> {
        let key = self.key_of(&self.role).ok_or_else(|| Answer::refused("the terms name no key of yours"))?;
        if self.keys.contains(&key) {
            return Ok(key);
        }
        let mine = self.keys.iter().find(|key| self.is_granted(&self.role, key)).copied();
        mine.or_else(|| self.key_that_stands()).ok_or_else(|| {
            Answer::refused(match self.has_asked_in() {
                true => admission::NOT_ADMITTED,
                false => "the key that this game goes on with is not on this machine: it was changed on another one",
            })
        })
    }

    /// The key behind this party's last letter that stands, if it is on this machine: a thief may have signed letters with
    /// higher numbers that do not.
    fn key_that_stands(&self) -> Option<Hex32> {
        let last = self.with_order(|order| self.end(order))?;
        let last = self.stored.iter().map(|letter| &letter.message).find(|message| message.id() == last.id)?;
        Some(key_behind(last)).filter(|key| self.keys.contains(key))
    }

    /// The keys that are admitted to follow the last letters of their roles (keys 6).
    fn granted(&self) -> HashSet<(Role, Hex32)> {
        let Stage::Begun(game) = self.stage else { return HashSet::new() };
        let last = Player::BOTH.map(|player| self.last_of(self.terms.role(player)).map(Verified::id));
        let granted = self.members(game).grants.into_iter().filter(|(player, after, _)| {
            Player::BOTH.iter().zip(last).any(|(of, last)| of == player && last == Some(*after))
        });
        granted.map(|(player, _, key)| (self.terms.role(player).clone(), key)).collect()
    }

    /// Whether a key is admitted to follow a role's last letter (keys 6).
    fn is_granted(&self, role: &Role, key: &Hex32) -> bool {
        self.granted().contains(&(role.clone(), *key))
    }

    fn last_of(&self, role: &Role) -> Option<&Verified> {
        let letters = self.stored.iter().map(|letter| &letter.message);
        let numbered = letters.filter(|message| message.head().author == *role && !message.head().is_unnumbered());
        numbered.max_by_key(|message| message.head().number)
    }

    /// The same of any party.
    fn key_of(&self, role: &Role) -> Option<Hex32> {
        match self.last_of(role) {
            Some(last) => Some(key_behind(last)),
            None => self.terms.key_of(self.terms.author_of(role)?),
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
    fn look<T>(&self, look: impl FnOnce(&Order<'_>, &Ledger<'_>) -> Told<T>) -> Told<T> {
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
        let order = self.order(game);
        let mut ledger = Ledger::replay(&self.terms, game, &order);
        ledger.supply(self.tables.clone());
        look(&order, &ledger)
    }

    /// Replays the game for a player.
    fn view<T>(&self, look: impl FnOnce(&View<'_, '_>) -> Told<T>) -> Told<T> {
        let me = self.player()?;
        self.look(|order, ledger| look(&View { keys: &self.keys, terms: &self.terms, order, ledger, me }))
    }

    /// That an author may sign: no fork of theirs stops them, and this machine knows where their chain ends. What others say
    /// is missing from it stops nobody: anybody can invent a letter.
    fn check_chain(&self, order: &Order<'_>) -> Told<()> {
        if forks::stops(order, self.me) {
            return Err(Answer::refused(
                "two different letters of yours have one number: two machines or a restored folder have signed side by side; \
                 nothing more is signed here before a referee has settled it; show your opponent `sealed-dice audit`",
            ));
        }
        self.check_machine(Some(order))
    }
}

impl View<'_, '_> {
    /// What this player owes and may do with what is on this machine: what was sealed under a lost key he cannot open.
    fn tasks(&self) -> Vec<Task> {
        self.possible(self.me, |seal| self.is_lost(seal))
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
