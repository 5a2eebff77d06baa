//! Takes in letters from any source, and reports the news once, after the last letter.

use std::{
    collections::{BTreeMap, HashSet},
    rc::Rc,
};

use super::{
    continuing,
    failure::{Failure, Kind as Failed, PlayResult},
    game::folder_name,
    index::Index,
    received::{Received, UNANSWERED},
    table::{Stage, Table, folders},
    taken::{self, Taken},
};
use crate::{
    blob::{Body, Hex32, Kind, Verified, body::Role},
    game::terms::{Author, Terms},
    keep::{
        folder::{Folder, Lock, Stored},
        home::Home,
        key_file::KeyFile,
        points::point,
    },
    report::{rules::behind, text::visible, words},
};

/// The maximum number of withdrawals kept for terms that may still arrive: anybody can sign any number of them.
const SET_ASIDE: usize = 64;

/// An intake of letters from any source. It reports the news once, after the last letter.
#[derive(Default)]
pub(super) struct Intake {
    taken: Taken,
    /// Notices to show in addition to the news.
    pub(super) said: Vec<String>,
    /// Invitations that are kept no matter how many others are unanswered.
    pub(super) wanted: HashSet<Hex32>,
    /// The games that letters may belong to; `None` until they are first needed.
    index: Option<Index>,
    /// The games that letters have come for, by name; each is read only once.
    open: BTreeMap<String, Open>,
    /// The number of unanswered invitations, once counted.
    waiting: Option<usize>,
    /// Locks on the games that letters are added to, held from the first letter until the report.
    locks: Vec<Rc<Lock>>,
}

/// A game into which letters are taken.
struct Open {
    table: Table,
    /// The id and the key of each letter in the folder: a copy signed with another key does not belong to the game.
    copies: HashSet<(Hex32, Hex32)>,
}

impl Open {
    fn of(table: Table) -> Self {
        let copies = table.all_letters().map(|stored| copy(&stored.message)).collect();
        Self { table, copies }
    }
}

fn copy(message: &Verified) -> (Hex32, Hex32) {
    (message.id(), message.key())
}

#[cfg(feature = "client")]
impl super::locked::Locked {
    /// Starts an intake of letters for this game only.
    pub(super) fn intake(&self) -> PlayResult<Intake> {
        let index = Some(Index::of_one(&self.folder)?);
        Ok(Intake { index, locks: vec![Rc::clone(&self.lock)], ..Intake::default() })
    }
}

impl Intake {
    /// Starts an empty intake; `wanted` lists invitations that are kept no matter how many others are unanswered.
    pub(super) fn of(refused: Vec<String>, said: Vec<String>, wanted: HashSet<Hex32>) -> Self {
        Self { taken: Taken { refused, ..Taken::default() }, said, wanted, ..Self::default() }
    }

    /// Takes letters in. The cost per letter does not depend on the number of games, nor on the number of letters in
    /// its own game.
    pub(super) fn take(&mut self, home: &Home, letters: Placed) -> PlayResult<()> {
        let key = KeyFile::open(&home.key_file())?.public();
        let index = match self.index.take() {
            Some(index) => index,
            None => Index::of(home)?,
        };
        self.index = Some(index);
        // A letter may precede the charter or the accept that it belongs to, so charters and accepts are taken in
        // first.
        let (charters, letters) = of_kind(letters, Kind::Charter);
        let (accepts, others) = of_kind(letters, Kind::Accept);
        let answered: HashSet<Hex32> = accepts
            .iter()
            .filter(|(_, accept)| accept.message.key() == key)
            .filter_map(|(_, accept)| accept.message.head().game)
            .collect();
        let mut known = Placed::new();
        for (place, letter) in charters {
            let folder = self.folder_for(&letter.message);
            // Known terms are taken in again only if their game cannot be opened, as when their file is damaged.
            if folder.as_ref().is_some_and(|folder| self.open(home, key, folder).is_ok()) {
                known.push((place, letter));
                continue;
            }
            let taken = self.take_terms(home, key, &answered, folder, &place, &letter);
            self.go_on(&place, taken)?;
        }
        for letters in [known, accepts, others] {
            self.take_into_games(home, key, letters)?;
        }
        Ok(())
    }

    /// Takes in letters from an office, without counting the ones that are known already.
    #[cfg(feature = "client")]
    pub(super) fn take_placed(&mut self, home: &Home, letters: Placed) -> PlayResult<()> {
        let known = self.taken.known;
        let taken = self.take(home, letters);
        self.taken.known = known;
        taken
    }

    fn folder_for(&self, message: &Verified) -> Option<Folder> {
        self.index.as_ref()?.folder_for(message).cloned()
    }

    /// Turns the failure of a request that could not be tried, as when another command has locked the game, into lines
    /// of the report, so that the other letters are still taken in.
    fn go_on(&mut self, place: &str, taken: PlayResult<()>) -> PlayResult<()> {
        match taken {
            Err(failure) if failure.kind == Failed::Unable => {
                let lines = failure.why.into_iter().map(|why| format!("{}: {why}", visible(place)));
                self.taken.refused.extend(lines);
                Ok(())
            }
            taken => taken,
        }
    }

    /// Returns the game in a folder, which is read only once.
    fn open(&mut self, home: &Home, key: Hex32, folder: &Folder) -> PlayResult<&mut Open> {
        let name = folder.name();
        if !self.open.contains_key(&name) {
            let table = Table::open(home, folder.clone(), key)?;
            self.open.insert(name.clone(), Open::of(table));
        }
        self.open.get_mut(&name).ok_or_else(|| Failure::unable(format!("the game {name} cannot be read: try again")))
    }

    /// Locks a game for this process, and reads it again.
    fn lock(&mut self, home: &Home, key: Hex32, folder: &Folder) -> PlayResult<Rc<Lock>> {
        if let Some(lock) = self.locks.iter().find(|lock| lock.folder() == folder) {
            return Ok(Rc::clone(lock));
        }
        point("found");
        let lock = Rc::new(folder.lock()?);
        self.open.insert(folder.name(), Open::of(Table::open(home, folder.clone(), key)?));
        self.locks.push(Rc::clone(&lock));
        Ok(lock)
    }

    /// Whether one more invitation may be kept. If so, counts it; if too many are unanswered, lists it for the report.
    fn has_room_for(&mut self, home: &Home, key: Hex32, terms: &Terms) -> bool {
        let waiting = *self.waiting.get_or_insert_with(|| waiting(home, key));
        if waiting >= UNANSWERED && !self.wanted.contains(&terms.id) {
            self.taken.listed.insert(terms.id, described(terms));
            return false;
        }
        self.waiting = Some(waiting + 1);
        true
    }

    /// Takes in terms as a game of their own: in the folder that has their damaged file, or in a new folder.
    fn take_terms(
        &mut self,
        home: &Home,
        key: Hex32,
        answered: &HashSet<Hex32>,
        folder: Option<Folder>,
        place: &str,
        letter: &Stored,
    ) -> PlayResult<()> {
        let message = &letter.message;
        let place = visible(place);
        let terms = match Terms::parse(message) {
            Ok(terms) => terms,
            Err(error) => {
                self.taken.refused.push(format!("{place}: {}", visible(&behind(&error.to_string()))));
                return Ok(());
            }
        };
        if role_in(&terms, key).is_none() {
            let title = visible(&terms.charter.title);
            self.taken.refused.push(format!("{place}: the terms of {title:?} are between two other players"));
            return Ok(());
        }
        let is_mine = terms.key_of(Author::Player(terms.author)) == Some(key);
        let is_invitation = folder.is_none() && !is_mine && !answered.contains(&terms.id);
        if is_invitation && !self.has_room_for(home, key, &terms) {
            return Ok(());
        }
        point("found");
        let _home = home.lock()?;
        let folder = match folder {
            Some(folder) => folder,
            None => {
                continuing::look_again();
                Folder::create(&home.games().join(folder_name(home, &terms.charter.title)))?
            }
        };
        let lock = Rc::new(folder.lock()?);
        lock.keep(message, &letter.frame)?;
        point("kept");
        self.taken.note(&folder.name(), message);
        let mut open = Open::of(Table::open(home, folder.clone(), key)?);
        if let Some(aside) = Folder::open(&home.withdrawn()) {
            let (mut withdrawals, _) = aside.letters()?;
            withdrawals.retain(|letter| open.table.is_withdrawal(&letter.message));
            for letter in withdrawals {
                lock.keep(&letter.message, &letter.frame)?;
                self.taken.note(&folder.name(), &letter.message);
                open.copies.insert(copy(&letter.message));
                open.table.stored.push(letter);
            }
        }
        self.open.insert(folder.name(), open);
        if let Some(index) = &mut self.index {
            index.begins(terms.id, &folder);
        }
        self.locks.push(lock);
        Ok(())
    }

    /// Keeps a withdrawal of terms that have not arrived yet (charter 22).
    fn set_aside(&mut self, home: &Home, place: &str, letter: &Stored) -> PlayResult<()> {
        let _home = home.lock()?;
        let lock = Folder::create(&home.withdrawn())?.lock()?;
        let author = &letter.message.head().author;
        if lock.folder().letters()?.0.len() >= SET_ASIDE && !lock.folder().has_kept(&letter.message) {
            self.taken.refused.push(format!(
                "{}: {author} withdraws terms that you do not have: read this mail again after the mail with the terms",
                visible(place)
            ));
            return Ok(());
        }
        lock.keep(&letter.message, &letter.frame)?;
        self.said
            .push(format!("{author} withdraws terms that you do not have; if they arrive, they count as withdrawn"));
        Ok(())
    }

    /// Takes letters into their games, all letters of one game together.
    fn take_into_games(&mut self, home: &Home, key: Hex32, letters: Placed) -> PlayResult<()> {
        let mut by_game: BTreeMap<String, (Folder, Placed)> = BTreeMap::new();
        for (place, letter) in letters {
            match self.folder_for(&letter.message) {
                Some(folder) => {
                    let game = by_game.entry(folder.name()).or_insert_with(|| (folder, Placed::new()));
                    game.1.push((place, letter));
                }
                None if matches!(letter.message.body(), Body::Withdraw(_)) => {
                    self.set_aside(home, &place, &letter)?;
                }
                None if self.shows_acceptance(home, key, &letter)? => {}
                None => self.taken.refused.push(belongs_nowhere(&place, &letter.message)),
            }
        }
        for (folder, letters) in by_game.into_values() {
            let place = letters.first().map(|(place, _)| place.clone()).unwrap_or_default();
            let taken = self.take_into(home, key, &folder, letters);
            self.go_on(&place, taken)?;
        }
        Ok(())
    }

    /// Keeps a letter that follows an acceptance which is missing here, if it is the first one by the author of the
    /// terms: a player who has lost their acceptance must not accept again. Returns whether it is such a letter.
    fn shows_acceptance(&mut self, home: &Home, key: Hex32, letter: &Stored) -> PlayResult<bool> {
        let named = letter.message.head().prev.zip(self.index.as_ref());
        let Some(folder) = named.and_then(|(terms, index)| index.folder(&terms)).cloned() else { return Ok(false) };
        let lock = self.lock(home, key, &folder)?;
        let Open { table, copies } = self.open(home, key, &folder)?;
        if table.stage != Stage::Proposed || !table.is_behind_acceptance(&letter.message) {
            return Ok(false);
        }
        let name = table.name();
        if !copies.insert(copy(&letter.message)) {
            self.taken.known += 1;
            return Ok(true);
        }
        lock.keep(&letter.message, &letter.frame)?;
        table.stored.push(letter.clone());
        self.taken.note(&name, &letter.message);
        Ok(true)
    }

    fn take_into(&mut self, home: &Home, key: Hex32, folder: &Folder, letters: Placed) -> PlayResult<()> {
        let new = self.new_ones(home, key, folder, letters)?;
        if new.is_empty() {
            return Ok(());
        }
        let lock = self.lock(home, key, folder)?;
        let mut new = self.new_ones(home, key, folder, new)?;
        let Open { table, copies } = self.open(home, key, folder)?;
        new.retain(|(_, letter)| {
            let is_apart = matches!(letter.message.body(), Body::Deposit(_)) && !table.is_for_me(&letter.message);
            !is_apart && copies.insert(copy(&letter.message))
        });
        // Several games may have begun on these terms; each letter is judged within its own (charter 24).
        let games = table.games();
        let mut by_game: BTreeMap<Option<Hex32>, Placed> = BTreeMap::new();
        for (place, letter) in new {
            let game = letter.message.head().game.filter(|game| games.contains(game));
            by_game.entry(game).or_default().push((place, letter));
        }
        let (name, mut kept, mut refused, mut accepted) = (table.name(), Vec::new(), Vec::new(), Vec::new());
        for (game, new) in by_game {
            if let Some(game) = game.filter(|game| table.stage != Stage::Begun(*game)) {
                table.turn_to(game);
            }
            for (place, letter) in new {
                let message = &letter.message;
                if !table.is_signed(message) {
                    copies.remove(&copy(message));
                    refused.push(format!("{}: {}", visible(&place), not_signed(message)));
                    continue;
                }
                lock.keep(message, &letter.frame)?;
                point("kept");
                kept.push(message.clone());
                if table.terms.begins_game(message) {
                    accepted.push(message.id());
                    if table.stage == Stage::Proposed {
                        table.stage = Stage::Begun(message.id());
                    }
                }
                table.stored.push(letter);
            }
        }
        kept.iter().for_each(|message| self.taken.note(&name, message));
        self.taken.refused.extend(refused);
        if let Some(index) = &mut self.index {
            accepted.into_iter().for_each(|accept| index.begins(accept, folder));
        }
        Ok(())
    }

    /// Returns the letters that belong to a game's folder and are missing there. Counts the known ones, and rejects
    /// those that do not belong to the game.
    fn new_ones(&mut self, home: &Home, key: Hex32, folder: &Folder, letters: Placed) -> PlayResult<Placed> {
        let Open { table, copies } = self.open(home, key, folder)?;
        let (known, new): (Placed, Placed) =
            letters.into_iter().partition(|(_, letter)| copies.contains(&copy(&letter.message)));
        let games = table.games();
        let (own, others): (Placed, Placed) =
            new.into_iter().partition(|(_, letter)| table.owns(&letter.message, &games));
        self.taken.known += known.len() as u64;
        let nowhere = others.iter().map(|(place, letter)| belongs_nowhere(place, &letter.message));
        self.taken.refused.extend(nowhere);
        Ok(own)
    }

    /// Ends the intake, and returns the news and the status of the games.
    pub(super) fn end(self, home: &Home) -> PlayResult<Received> {
        let key = KeyFile::open(&home.key_file())?.public();
        taken::received(home, key, self.taken, self.said)
    }
}

/// Letters, each with the place where it was found.
pub(super) type Placed = Vec<(String, Stored)>;

/// Splits letters into those of one kind and the others.
fn of_kind(letters: Placed, kind: Kind) -> (Placed, Placed) {
    letters.into_iter().partition(|(_, letter)| letter.message.head().kind == kind)
}

fn belongs_nowhere(place: &str, message: &Verified) -> String {
    format!(
        "{}: letter {} from {} does not belong to any game on this computer: read the mails with its terms and their \
         acceptance first, or ask for `resend --everything`",
        visible(place),
        message.head().number,
        message.head().author
    )
}

/// Returns the message for a letter that is not signed with the key that the terms give its author.
fn not_signed(message: &Verified) -> String {
    let head = message.head();
    match message.body() {
        Body::Withdraw(_) => "only the author of the terms can withdraw them".to_owned(),
        _ => format!(
            "it claims to be from {}, but it is not signed with {0}'s key in the terms: anybody could have made it",
            head.author
        ),
    }
}

/// Returns the role that the terms give to the owner of a key.
fn role_in(terms: &Terms, key: Hex32) -> Option<&Role> {
    let is_own = |author: Author| terms.key_of(author) == Some(key);
    terms.authors().find(|(author, _)| is_own(*author)).map(|(_, role)| role)
}

/// Counts the unanswered invitations from others: games in which the owner of a key has not signed a letter.
fn waiting(home: &Home, key: Hex32) -> usize {
    let is_unanswered = |folder: &Folder| {
        let terms = folder.charter().and_then(|charter| Terms::parse(&charter.message).ok());
        let role = terms.as_ref().and_then(|terms| role_in(terms, key));
        role.is_some_and(|role| folder.named(role).is_ok_and(|own| own.is_empty()))
    };
    folders(home).iter().filter(|folder| is_unanswered(folder)).count()
}

/// Describes terms in one line: their title, and who proposes them.
pub(super) fn described(terms: &Terms) -> String {
    let author = terms.party(terms.author);
    format!(
        "{:?}, from {} (key {})",
        visible(&terms.charter.title),
        visible(&author.name),
        words::fingerprint(&author.key)
    )
}

impl Table {
    /// Whether a deposit is kept here: a referee or an office keeps those of others, and a player keeps their own.
    fn is_for_me(&self, message: &Verified) -> bool {
        self.me.player().is_none() || message.head().author == self.role
    }

    /// Whether a letter belongs to these terms, or to one of the games that have begun on them.
    fn owns(&self, message: &Verified, games: &HashSet<Hex32>) -> bool {
        match message.body() {
            Body::Charter(_) => message.id() == self.terms.id,
            Body::Accept(body) => body.charter == self.terms.id,
            Body::Withdraw(_) => message.head().game == Some(self.terms.id),
            _ => message.head().game.is_some_and(|game| games.contains(&game)),
        }
    }
}
