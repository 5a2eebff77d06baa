//! The verbs of a lasting game: what two people who play by mail type. Each verb reads the game's folder, replays it,
//! and adds letters to it; nothing else is kept.

mod charter_file;
pub(super) mod declare;
pub(super) mod game;
pub(super) mod mend;
pub(super) mod read;
pub(super) mod sign;
pub(super) mod status;
pub(super) mod verbs;
mod words;

use std::path::PathBuf;

use super::Answer;
use crate::{
    blob::{Body, Hex32, Kind, Verified, body::SetKind},
    error::Error,
    game::{
        charter::{Player, Terms},
        ledger::Ledger,
        order::Order,
    },
    keep::{
        folder::{Folder, Stored},
        home::Home,
        key_file::KeyFile,
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
    damaged: Vec<PathBuf>,
    terms: Terms,
    stage: Stage,
    me: Player,
    typing: Typing,
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
            program: if usual { "sealed-dice".into() } else { format!("sealed-dice --home {}", home.path().display()) },
            game: if is_only { String::new() } else { format!(" --game {game}") },
        }
    }

    /// A command with its arguments.
    fn command(&self, verb: &str) -> String {
        format!("{} {verb}{}", self.program, self.game)
    }
}

/// A game replayed.
struct View<'v, 'a> {
    terms: &'v Terms,
    order: &'v Order<'a>,
    ledger: &'v Ledger<'a>,
    me: Player,
}

impl Table {
    /// The games of a home, those that cannot be read apart.
    fn all(home: &Home) -> Told<(Vec<Self>, Vec<String>)> {
        let key = KeyFile::open(&home.key_file())?.public();
        let (mut tables, mut talk) = (Vec::new(), Vec::new());
        for folder in folders(home)? {
            match Self::open(home, folder, key) {
                Ok(table) => tables.push(table),
                Err(answer) => talk.extend(answer.talk),
            }
        }
        Ok((tables, talk))
    }

    /// The game of a name; without a name the only one.
    fn find(home: &Home, name: Option<&str>) -> Told<Self> {
        let key = KeyFile::open(&home.key_file())?.public();
        let mut folders = folders(home)?;
        if let Some(name) = name {
            folders.retain(|folder| folder.name() == name);
        }
        let names: Vec<String> = folders.iter().map(Folder::name).collect();
        match (folders.pop(), folders.is_empty(), name) {
            (Some(folder), true, _) => Self::open(home, folder, key),
            (Some(_), false, _) => {
                Err(Answer::unable(format!("there are several games; say which one with --game: {}", names.join(", "))))
            }
            (None, _, Some(name)) => {
                Err(Answer::unable(format!("there is no game {name:?}; `sealed-dice game list` shows those there are")))
            }
            (None, _, None) => Err(Answer::unable(
                "there is no game yet; `sealed-dice game template` begins one, `sealed-dice read MAIL` takes an invitation in",
            )),
        }
    }

    fn open(home: &Home, folder: Folder, key: Hex32) -> Told<Self> {
        let (stored, damaged) = folder.letters()?;
        let name = folder.name();
        let kind = |kind| stored.iter().filter(move |letter| letter.message.head().kind == kind);
        let charter = kind(Kind::Charter).next().ok_or_else(|| {
            Answer::unable(format!("game {name}: the charter is not in its folder; read the mail that brought it"))
        })?;
        let terms = Terms::parse(&charter.message)?;
        let me = Player::BOTH.into_iter().find(|player| terms.party(*player).key == key).ok_or_else(|| {
            Answer::unable(format!("game {name}: your key is not among its players; is this the right --home?"))
        })?;
        let accepts = kind(Kind::Accept).filter(|accept| {
            let named = matches!(accept.message.body(), Body::Accept(body) if body.charter == terms.id);
            named && terms.check_key(&accept.message) == Ok(terms.author.other())
        });
        // Of two accepts of one charter the smaller id is this player's game; the audit finds the fork.
        let stage = accepts.map(|accept| accept.message.id()).min().map_or(Stage::Proposed, Stage::Begun);
        let typing = Typing::of(home, &name, folders(home)?.len() < 2);
        Ok(Self { folder, stored, damaged, terms, stage, me, typing })
    }

    /// The game's name on this machine.
    fn name(&self) -> String {
        self.folder.name()
    }

    /// Replays the game.
    fn view<T>(&self, look: impl FnOnce(&View<'_, '_>) -> Told<T>) -> Told<T> {
        let Stage::Begun(game) = self.stage else {
            return Err(Answer::refused(match self.terms.author == self.me {
                true => format!(
                    "{} has not accepted the terms yet; this prints them again: {}",
                    self.terms.role(self.me.other()),
                    self.typing.command("resend")
                ),
                false => format!("first accept the terms: {}", self.typing.command("game accept")),
            }));
        };
        let mut letters: Vec<(&Verified, Player)> = Vec::new();
        for Stored { message, .. } in &self.stored {
            let belongs = message.id() == self.terms.id || message.id() == game || message.head().game == Some(game);
            let known = letters.iter().any(|(known, _)| known.id() == message.id());
            if let (true, false, Ok(player)) = (belongs, known, self.terms.check_key(message)) {
                letters.push((message, player));
            }
        }
        let order = Order::of(&self.terms, game, &letters);
        let ledger = Ledger::replay(&self.terms, game, &order);
        look(&View { terms: &self.terms, order: &order, ledger: &ledger, me: self.me })
    }
}

impl View<'_, '_> {
    /// That this player may sign: his own chain is whole.
    fn check_chain(&self) -> Told<()> {
        if let Some((_, missing)) = self.order.missing.iter().find(|(_, missing)| missing.author == Some(self.me)) {
            let number = missing.number.map_or_else(|| "a letter".into(), |number| format!("your own letter {number}"));
            return Err(Answer::refused(format!(
                "{number} is not in the game's folder; read it from your sent mail first, or you would sign a second one with its number"
            )));
        }
        if self.order.forks.iter().any(|fork| fork.player == self.me) {
            return Err(Answer::refused(
                "two different letters of yours have one number: two machines or a restored folder have signed side by side; \
                 nothing more is signed here, show your opponent `sealed-dice audit`",
            ));
        }
        Ok(())
    }

    /// The valid set of a kind and purpose that this player sealed.
    fn sealed(&self, kind: SetKind, purpose: &str) -> bool {
        self.ledger.sealed(self.me, kind, purpose).is_some()
    }
}

fn folders(home: &Home) -> Told<Vec<Folder>> {
    let path = home.games();
    let Ok(entries) = std::fs::read_dir(&path) else { return Ok(Vec::new()) };
    let mut folders: Vec<Folder> = entries.filter_map(|entry| Folder::open(&entry.ok()?.path())).collect();
    folders.sort_by_key(Folder::name);
    Ok(folders)
}
