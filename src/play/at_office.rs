//! Letters through an office (`protocol/post.md`): `office join`, `push`, `pull`, `watch`, and what other
//! verbs fetch from it. If the office cannot do something now, that is reported, and nothing is lost: every letter is
//! in the game's folder.

use std::{collections::HashMap, sync::mpsc, thread};

use super::{
    clock::now,
    declare,
    declaring::Declaring,
    exchange::{AGAIN, Fetched, Left, declined, fetch, has_pass, percent, signed_pass, stored},
    exchanged::{Came, Exchanged, Watched},
    failure::{Failure, PlayResult},
    handed::{Handed, News},
    intake::Intake,
    locked::Locked,
    received::Received,
    session::Session,
    status,
    table::{Table, folders},
};
use crate::{
    blob::Hex32,
    game::{opener, terms::Author},
    keep::{folder::Folder, home::Home, key_file::KeyFile, office_account::OfficeAccount, root::Keys as OwnKeys},
    office::{answers::Used, client::Client},
    report::text::count,
};

/// Lists the folders of the games whose letters go through an office.
fn joined(home: &Home) -> impl Iterator<Item = Folder> {
    folders(home).into_iter().filter(|folder| OfficeAccount::of(folder).is_some())
}

/// Whether the letters of a game in this home go through an office.
#[must_use]
pub fn is_joined(home: &Home, name: &str) -> bool {
    joined(home).any(|folder| folder.name() == name)
}

/// Lists the games for a command: the named one, or all whose letters go through an office.
fn games(session: &Session<'_>, name: Option<&str>) -> PlayResult<Vec<String>> {
    if name.is_none() {
        let key = KeyFile::open(&session.home.key_file())?.public();
        let (mut names, mut unread) = (Vec::new(), Vec::new());
        for folder in joined(session.home) {
            match Table::open(session.home, folder, key) {
                Ok(table) => names.extend(table.posts().then(|| table.name())),
                Err(failure) => unread.extend(failure.why),
            }
        }
        if names.len() > 1 {
            unread.iter().for_each(|line| session.person.hears(line));
            return Ok(names);
        }
        if names.len() == 1 {
            return Ok(vec![Table::find(session, None, Table::posts)?.name()]);
        }
    }
    Ok(vec![Table::find(session, name, Table::is_joined)?.name()])
}

/// Signs passes for games without a valid one, so that the passphrase is asked for only once.
fn renew(session: &Session<'_>, names: &[String]) -> PlayResult<()> {
    let boxes = names.iter().filter_map(|name| OfficeAccount::of(&Folder::open(&session.home.games().join(name))?));
    if boxes.filter(|office_account| !has_pass(office_account)).count() < 2 {
        return Ok(());
    }
    let keys = session.unlock()?;
    for name in names {
        // Problems in one game are reported when its turn comes.
        let Ok(table) = Locked::find(session, Some(name), Table::is_joined) else { continue };
        let office_account = table.office_account().filter(|office_account| !has_pass(office_account));
        drop(office_account.map(|mut office_account| table.sign_pass(&mut office_account, &keys)));
    }
    Ok(())
}

/// Runs `work` in one game or several, one after the other: a failure in one does not stop the others.
fn in_each(
    session: &Session<'_>,
    name: Option<&str>,
    tell: &mut dyn FnMut(Came),
    work: impl Fn(&Locked) -> PlayResult<Exchanged>,
) -> PlayResult<()> {
    let names = games(session, name)?;
    if names.len() > 1 {
        renew(session, &names)?;
    }
    for name in &names {
        let came = Locked::find(session, Some(name), Table::is_joined).and_then(|table| work(&table));
        tell(Came { game: (names.len() > 1).then(|| name.clone()), came });
    }
    Ok(())
}

/// Leaves letters at the office, and takes in its answers, for all games in a home or for a named one. `tell` receives
/// the result for each game.
///
/// # Errors
/// If there is no such game, or the key is not available.
pub fn push(session: &Session<'_>, name: Option<&str>, tell: &mut dyn FnMut(Came)) -> PlayResult<()> {
    in_each(session, name, tell, |table| table.exchange(session, table.intake()?))
}

/// Declares, leaves the declaration at the office at once, and returns the mail and the office's answer.
///
/// # Errors
/// Same as [`declare::declare`]; also if this machine does not know the game's office.
pub fn declare(
    session: &Session<'_>,
    name: Option<&str>,
    declaring: &Declaring,
) -> PlayResult<(Handed, PlayResult<Exchanged>)> {
    let table = Locked::find(session, name, Table::is_running)?;
    let game = table.name();
    table.check_joined()?;
    // The declaration may rest on letters that the other player has left at the office.
    let (table, _) = table.after_office(session)?;
    let handed = declare::written(table, session, declaring)?;
    let table = Locked::find(session, Some(&game), Table::is_joined);
    let pushed = table.and_then(|table| table.exchange(session, table.intake()?));
    Ok((handed, pushed))
}

/// Hands sets back to their sealers, as an office that answers by mail. `purposes` lists what the sets were sealed for.
///
/// # Errors
/// If this party is not an office, it holds no such set, or its operator does not sign.
pub fn hand_back(session: &Session<'_>, name: Option<&str>, purposes: &[String]) -> PlayResult<Handed> {
    let table = Locked::find(session, name, |table| table.me == Author::Office)?;
    match table.me {
        Author::Office => {
            table.sign_as_third(session, None, |ledger, _| Ok(vec![opener::hand_back(ledger, purposes)?]))
        }
        Author::Player(_) | Author::Referee => {
            Err(Failure::refused("only the office that holds a set can hand it back: ask its operator"))
        }
    }
}

/// Takes in new letters from the office, for all games in a home or for a named one. `tell` receives the result for
/// each game.
///
/// # Errors
/// If there is no such game, or the key is not available.
pub fn pull(session: &Session<'_>, name: Option<&str>, tell: &mut dyn FnMut(Came)) -> PlayResult<()> {
    in_each(session, name, tell, |table| {
        let news = table.fetch_news(session)?;
        Ok(if news.is_empty() { news.saying("nothing new at the office") } else { news })
    })
}

/// Takes in the new letters that a game's office has, without the key: there are none without a pass that is still valid.
/// The game is locked only after the office has answered, however long that takes.
///
/// # Errors
/// If the office cannot be asked, or another command is using the game.
pub fn look(home: &Home, name: &str) -> PlayResult<Received> {
    let none = || Ok(Received::default());
    let Some(folder) = joined(home).find(|folder| folder.name() == name) else { return none() };
    let office_account = OfficeAccount::of(&folder).filter(has_pass);
    let (Some(office_account), Some(terms)) = (office_account, folder.charter()) else { return none() };
    let Some((pass, _)) = &office_account.pass else { return none() };
    let fetched = fetch(terms.message.id(), &office_account, pass)?;
    if fetched.letters.is_empty() {
        return none();
    }
    let table = Locked::open(home, folder)?;
    if table.joined()? != office_account {
        // Another command has exchanged letters meanwhile. The next look sees what is left.
        return none();
    }
    let mut news = table.intake()?;
    table.take_fetched(fetched, &mut news)?;
    news.end(home)
}

/// Takes in letters as they arrive, until it is stopped; with `once`, ends after the first ones. A thread waits for
/// each game, and only signals that letters may have arrived. `tell` receives each event.
///
/// # Errors
/// If there is no such game, or the key is not available.
pub fn watch(session: &Session<'_>, name: Option<&str>, once: bool, tell: &mut dyn FnMut(Watched)) -> PlayResult<()> {
    let names = games(session, name)?;
    let (bell, rung) = mpsc::channel();
    names.iter().for_each(|name| drop(bell.send(name.clone())));
    let mut waits: HashMap<String, bool> = HashMap::new();
    while let Ok(name) = rung.recv() {
        renew(session, &names)?;
        let fetched = Locked::find(session, Some(&name), Table::is_joined).and_then(|table| {
            let news = table.fetch_news(session)?;
            Ok((news, table.terms.id, table.joined()?))
        });
        let (news, waits_for) = match fetched {
            Ok((news, game, office_account)) => (Ok(news), Some((game, office_account))),
            Err(why) => (Err(why), None),
        };
        let is_there = waits_for.is_some();
        match news {
            Ok(news) if !news.is_empty() => {
                tell(Watched::Came(news));
                if once {
                    return Ok(());
                }
            }
            Ok(_) => {}
            // The office is away or busy, or this game has a problem: the others go on, and the failure is reported
            // once.
            Err(failure) if waits.get(&name) != Some(&false) => tell(Watched::Failed(name.clone(), failure)),
            Err(_) => {}
        }
        if waits.insert(name.clone(), is_there) != Some(true) && is_there {
            tell(Watched::Waits(name.clone()));
        }
        let bell = bell.clone();
        thread::spawn(move || {
            if !waits_for.is_some_and(|(game, office_account)| comes(game, &office_account)) {
                thread::sleep(AGAIN);
            }
            drop(bell.send(name));
        });
    }
    Ok(())
}

/// Waits until a letter comes; returns false if the office ends the wait.
fn comes(game: Hex32, office_account: &OfficeAccount) -> bool {
    let Some((pass, _)) = &office_account.pass else { return false };
    let events = Client::new(&office_account.url).events(game, office_account.position, pass);
    events.is_ok_and(|mut events| events.next().is_some())
}

impl Table {
    /// Whether this machine knows the address of the game's office.
    pub(super) fn is_joined(&self) -> bool {
        self.office_account().is_some()
    }
}

impl Locked {
    /// Returns a pass that remains valid for a while; signing a new one needs the key.
    fn pass(&self, office_account: &mut OfficeAccount, session: &Session<'_>) -> PlayResult<String> {
        match &office_account.pass {
            Some((pass, _)) if has_pass(office_account) => Ok(pass.clone()),
            _ => self.sign_pass(office_account, &session.unlock()?),
        }
    }

    fn sign_pass(&self, office_account: &mut OfficeAccount, keys: &OwnKeys) -> PlayResult<String> {
        let signed = signed_pass(self.office_key()?, keys.signing())?;
        office_account.pass = Some(signed.clone());
        office_account.keep(&self.lock)?;
        Ok(signed.0)
    }

    /// Takes in fetched letters, and only then records that they were fetched.
    fn take_fetched(&self, fetched: Fetched, news: &mut Intake) -> PlayResult<()> {
        news.take_placed(&self.home, stored(&fetched.letters))?;
        // The account is read again, because another command may have changed it meanwhile.
        let mut office_account = self.joined()?;
        office_account.position = fetched.position;
        office_account.generation = fetched.generation;
        office_account.forgot = fetched.forgot;
        Ok(office_account.keep(&self.lock)?)
    }

    /// Fetches, leaves, and fetches again. The news is reported once at the end with the state of the game, even if the
    /// office goes away halfway.
    pub(super) fn exchange(&self, session: &Session<'_>, mut news: Intake) -> PlayResult<Exchanged> {
        let left = self.fetch_and_leave(session, &mut news);
        let received = news.end(&self.home)?;
        let (left, used) = match left {
            Ok(left) => left,
            Err(failure) => return Err(failure.after([News::Letters(Box::new(received))])),
        };
        let mut exchanged = Exchanged::of(received);
        if exchanged.is_empty() && left > 0 {
            exchanged.status = Some(Box::new(status::of(&*self.again()?)?));
        }
        let used =
            used.map_or_else(String::new, |used| format!(" ({}% of your share of its box is used)", percent(&used)));
        let is_empty = exchanged.is_empty();
        Ok(exchanged.saying(match (left, is_empty) {
            (0, true) => "nothing new at the office".to_owned(),
            (0, false) => format!("the office has all your letters{used}"),
            (left, _) => format!("left {} at the office{used}", count(left, "letter")),
        }))
    }

    /// Exchanges letters, and returns how many of this party's letters were left for the first time, and how much room
    /// its letters take at the office.
    fn fetch_and_leave(&self, session: &Session<'_>, news: &mut Intake) -> PlayResult<(usize, Option<Used>)> {
        let mut office_account = self.joined()?;
        let pass = self.pass(&mut office_account, session)?;
        let fetched =
            fetch(self.terms.id, &office_account, &pass).map_err(|away| self.has_no_box(away, &office_account.url))?;
        self.take_fetched(fetched, news)?;
        let mut office_account = self.joined()?;
        let before = office_account.left;
        let gone = |away| self.has_no_box(away, &office_account.url);
        let Left { placed, said, refused_from, used } =
            self.leave(&office_account, &pass, office_account.forgot).map_err(gone)?;
        news.said.extend(said);
        // Letters that came from the office, as after restoring a folder, need not be left.
        let last = self.again()?.last_number();
        office_account.left = refused_from.map_or(last, |number| number.saturating_sub(1));
        (office_account.forgot, office_account.full) = (false, refused_from.is_some());
        office_account.keep(&self.lock)?;
        news.take_placed(&self.home, stored(&placed))?;
        let office_account = self.joined()?;
        let fetched =
            fetch(self.terms.id, &office_account, &pass).map_err(|away| self.has_no_box(away, &office_account.url))?;
        self.take_fetched(fetched, news)?;
        if refused_from.is_some() {
            return Err(declined(&self.is_full()));
        }
        Ok((self.every_number().into_iter().filter(|number| *number > before).count(), used))
    }

    /// Fetches new letters from the office.
    fn fetch_news(&self, session: &Session<'_>) -> PlayResult<Exchanged> {
        let mut office_account = self.joined()?;
        let pass = self.pass(&mut office_account, session)?;
        let fetched =
            fetch(self.terms.id, &office_account, &pass).map_err(|away| self.has_no_box(away, &office_account.url))?;
        let (forgot, mut news) = (fetched.forgot, self.intake()?);
        self.take_fetched(fetched, &mut news)?;
        let exchanged = Exchanged::of(news.end(&self.home)?);
        Ok(match forgot {
            true => exchanged.saying(format!(
                "the office was restored from a backup and has lost letters: leave them again with  {}",
                self.typing.command("office push")
            )),
            false => exchanged,
        })
    }

    /// Asks the office for news, reads the game again, and returns both.
    pub(super) fn after_office(self, session: &Session<'_>) -> PlayResult<(Self, Vec<News>)> {
        if !self.is_joined() {
            return Ok((self, Vec::new()));
        }
        let news = self.ask_office(Some(session));
        Ok((self.again()?, news))
    }

    /// Asks the office for news before anything is answered by mail, so that nobody opens what the office has opened
    /// already. Without a session, uses only a pass that is still valid.
    pub(super) fn ask_office(&self, session: Option<&Session<'_>>) -> Vec<News> {
        let Some(mut office_account) = self.office_account() else { return Vec::new() };
        let pass = match (&office_account.pass, session) {
            (Some((pass, until)), _) if *until > now() => Ok(pass.clone()),
            (_, Some(session)) => self.pass(&mut office_account, session),
            (_, None) => Err(Failure::unable(format!(
                "the office was not asked for letters, because that needs your key. To ask it, type  {}",
                self.typing.command("office pull")
            ))),
        };
        let asked = self.intake().and_then(|mut news| {
            self.take_fetched(fetch(self.terms.id, &office_account, &pass?)?, &mut news)?;
            news.end(&self.home)
        });
        match asked {
            Ok(received) if received.is_empty() => Vec::new(),
            Ok(received) => vec![News::Letters(Box::new(received))],
            Err(failure) => failure.into_news(),
        }
    }

    /// Leaves the letters that the office lacks before a referee rules that days have passed, so that the office states
    /// the time if they have (office 29). Without a valid pass this would need the referee's key, so the referee is
    /// told to do it. Returns news and advice.
    pub(super) fn ask_the_time(&self, session: &Session<'_>) -> Vec<News> {
        let Some(office_account) = self.office_account() else { return Vec::new() };
        if !has_pass(&office_account) {
            let push = self.typing.command("office push");
            let why = format!(
                "the office was not asked for the time, because that needs your key. To ask it, type this first:  \
                 {push}"
            );
            return vec![News::Said(why)];
        }
        let mut news = match self.intake() {
            Ok(news) => news,
            Err(failure) => return failure.into_news(),
        };
        let left = self.fetch_and_leave(session, &mut news).err();
        let said = match news.end(&self.home) {
            Ok(received) => received.said.into_iter().map(News::Said).collect(),
            Err(failure) => failure.into_news(),
        };
        said.into_iter().chain(left.into_iter().flat_map(Failure::into_news)).collect()
    }
}

/// Fetches news from the offices of all games, as far as this is possible without the key.
pub(super) fn news(home: &Home) -> PlayResult<Vec<News>> {
    let news = joined(home).map(|folder| match Locked::open(home, folder) {
        Ok(table) if table.has_signed_nothing() => Vec::new(),
        Ok(table) => table.ask_office(None),
        Err(failure) => failure.into_news(),
    });
    Ok(news.flatten().collect())
}
