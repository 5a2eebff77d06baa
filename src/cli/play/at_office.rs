//! Letters through an office (`protocol/post.md`): `office join`, `push`, `pull`, `watch`, `deposit`, and what other verbs
//! fetch from it. What an office cannot do now is said, and lost is nothing: every letter is in the game's folder.

use std::{collections::HashMap, sync::mpsc, thread};

use super::{
    exchange::{AGAIN, Fetched, Left, declined, has_pass, now, percent, signed_pass, stored, told_news},
    intake::Intake,
    locked::Locked,
    sign::Signing,
    status,
    table::{Table, folders},
};
use crate::cli::answer::{Answer, Told};
use crate::{
    blob::Hex32,
    cli::terminal::{self},
    game::{opener, terms::Author},
    keep::{folder::Folder, home::Home, key_file::KeyFile, post_box::PostBox, root::Keys as OwnKeys},
    office::{answers::Used, client::Client},
    report::{terms::TIME_WITNESS, text::count},
};

/// The folders of the games whose letters go through an office.
fn joined(home: &Home) -> impl Iterator<Item = Folder> {
    folders(home).into_iter().filter(|folder| PostBox::of(folder).is_some())
}

/// The games that a command is about: the one that is named, or all whose letters go through an office.
fn games(home: &Home, name: Option<&str>) -> Told<Vec<String>> {
    if name.is_none() {
        let key = KeyFile::open(&home.key_file())?.public();
        let (mut names, mut talk) = (Vec::new(), Vec::new());
        for folder in joined(home) {
            match Table::open(home, folder, key) {
                Ok(table) => names.extend(table.posts().then(|| table.name())),
                Err(answer) => talk.extend(answer.talk),
            }
        }
        if names.len() > 1 {
            talk.iter().for_each(|line| terminal::say(line));
            return Ok(names);
        }
        if names.len() == 1 {
            return Ok(vec![Table::find(home, None, Table::posts)?.name()]);
        }
    }
    Ok(vec![Table::find(home, name, Table::is_joined)?.name()])
}

/// Signs the passes of games that have none any more, so that the passphrase is asked for once.
fn renew(home: &Home, names: &[String], signing: &Signing) -> Told<()> {
    let boxes = names.iter().filter_map(|name| PostBox::of(&Folder::open(&home.games().join(name))?));
    if boxes.filter(|post_box| !has_pass(post_box)).count() < 2 {
        return Ok(());
    }
    let keys = signing.unlock(home)?;
    for name in names {
        // What is wrong with one game is said in its turn.
        let Ok(table) = Locked::find(home, Some(name), Table::is_joined) else { continue };
        let post_box = table.post_box().filter(|post_box| !has_pass(post_box));
        drop(post_box.map(|mut post_box| table.sign_pass(&mut post_box, &keys)));
    }
    Ok(())
}

/// Works in one game, or in several, one after the other: what goes wrong in one does not stop the others.
fn in_each(home: &Home, name: Option<&str>, signing: &Signing, work: impl Fn(&Locked) -> Told<Answer>) -> Told<Answer> {
    let names = games(home, name)?;
    if let [name] = names.as_slice() {
        return work(&Locked::find(home, Some(name), Table::is_joined)?);
    }
    renew(home, &names, signing)?;
    let mut all = Answer::default();
    for name in &names {
        let answer = Locked::find(home, Some(name), Table::is_joined).and_then(|table| work(&table));
        let answer = answer.unwrap_or_else(|answer| answer);
        terminal::say(&format!("{name}:"));
        terminal::print(&answer);
        all.code = all.code.max(answer.code);
    }
    Ok(all)
}

/// `office push`.
pub(in crate::cli) fn push(home: &Home, name: Option<&str>, signing: &Signing) -> Told<Answer> {
    in_each(home, name, signing, |table| table.exchange(home, signing, table.intake()?))
}

/// `office deposit`: wraps what is sealed and not confirmed yet, and leaves it.
pub(in crate::cli) fn deposit(home: &Home, name: Option<&str>, signing: &Signing) -> Told<Answer> {
    let mut table = Locked::find(home, name, Table::is_joined)?;
    table.joined()?;
    table.player()?;
    let waits = table.look(|_, ledger| Ok(table.undeposited(ledger).len()))?;
    if waits > 0 {
        let keys = signing.unlock(home)?;
        table.make_deposits(&keys)?;
    }
    let left = table.look(|_, ledger| Ok(table.unconfirmed(ledger).len()))?;
    let mut answer = table.exchange(home, signing, table.intake()?)?;
    let table = table.again(home)?;
    let open = table.look(|_, ledger| Ok(table.unconfirmed(ledger).len()))?;
    let holds = table.terms.time_witness().is_none();
    answer.talk.push(match (left, open) {
        _ if !holds => format!("the office of this game {TIME_WITNESS}: nothing is deposited with it"),
        (0, _) => "every set of yours that the office is to open is with it".to_owned(),
        (left, 0) => format!("the office holds the keys of {} more", count(left, "set")),
        (_, open) => format!("the office has not confirmed {}", count(open, "deposit")),
    });
    Ok(answer)
}

/// `office hand-back` of an office that answers by mail.
pub(in crate::cli) fn hand_back(
    home: &Home,
    name: Option<&str>,
    purposes: &[String],
    signing: &Signing,
) -> Told<Answer> {
    let table = Locked::find(home, name, |table| table.me == Author::Office)?;
    match table.me {
        Author::Office => {
            table.sign_as_third(home, signing, &[], |ledger, _| Ok(vec![opener::hand_back(ledger, purposes)?]))
        }
        Author::Player(_) | Author::Referee => Err(Answer::refused("only the office that holds a set hands it back")),
    }
}

/// `office pull`.
pub(in crate::cli) fn pull(home: &Home, name: Option<&str>, signing: &Signing) -> Told<Answer> {
    in_each(home, name, signing, |table| {
        let mut answer = table.fetch_news(home, signing)?;
        if answer.out.is_empty() {
            answer.talk.push("nothing new at the office".into());
        }
        Ok(answer)
    })
}

/// `office watch`: takes in what comes, until it is stopped; or the first that comes. For each game one thread waits, and
/// tells no more than that there may be something.
pub(in crate::cli) fn watch(home: &Home, name: Option<&str>, once: bool, signing: &Signing) -> Told<Answer> {
    let names = games(home, name)?;
    let (bell, rung) = mpsc::channel();
    names.iter().for_each(|name| drop(bell.send(name.clone())));
    let mut waits: HashMap<String, bool> = HashMap::new();
    while let Ok(name) = rung.recv() {
        renew(home, &names, signing)?;
        let fetched = Locked::find(home, Some(&name), Table::is_joined).and_then(|table| {
            let news = table.fetch_news(home, signing)?;
            Ok((news, table.terms.id, table.joined()?))
        });
        let (news, waits_for) = match fetched {
            Ok((news, game, post_box)) => (Ok(news), Some((game, post_box))),
            Err(why) => (Err(why), None),
        };
        let is_there = waits_for.is_some();
        match news {
            Ok(answer) if !answer.out.is_empty() && once => return Ok(answer),
            Ok(answer) if !answer.out.is_empty() => drop(terminal::print(&answer)),
            Ok(_) => {}
            // Away, or busy, or something is wrong with this game: the others go on, and that is said once.
            Err(answer) if waits.get(&name) != Some(&false) => {
                answer.talk.iter().for_each(|line| terminal::say(&format!("{name}: {line}")));
            }
            Err(_) => {}
        }
        if waits.insert(name.clone(), is_there) != Some(true) && is_there {
            terminal::say(&format!("waiting for letters of {name}; Ctrl-C ends it"));
        }
        let bell = bell.clone();
        thread::spawn(move || {
            if !waits_for.is_some_and(|(game, post_box)| comes(game, &post_box)) {
                thread::sleep(AGAIN);
            }
            drop(bell.send(name));
        });
    }
    Ok(Answer::default())
}

/// Waits until a letter comes; false if the office ends that.
fn comes(game: Hex32, post_box: &PostBox) -> bool {
    let Some((pass, _)) = &post_box.pass else { return false };
    let events = Client::new(&post_box.url).events(game, post_box.position, pass);
    events.is_ok_and(|mut events| events.next().is_some())
}

impl Table {
    /// Whether this machine knows where the office of the game is.
    pub(super) fn is_joined(&self) -> bool {
        self.post_box().is_some()
    }
}

impl Locked {
    /// A pass that is good for a while; a new one needs the key.
    fn pass(&self, post_box: &mut PostBox, home: &Home, signing: &Signing) -> Told<String> {
        match &post_box.pass {
            Some((pass, _)) if has_pass(post_box) => Ok(pass.clone()),
            _ => self.sign_pass(post_box, &signing.unlock(home)?),
        }
    }

    fn sign_pass(&self, post_box: &mut PostBox, keys: &OwnKeys) -> Told<String> {
        let signed = signed_pass(self.office_key()?, keys.signing())?;
        post_box.pass = Some(signed.clone());
        post_box.keep(&self.lock)?;
        Ok(signed.0)
    }

    /// Takes in what was fetched, and only then remembers that it was.
    fn take_fetched(&self, home: &Home, fetched: Fetched, news: &mut Intake) -> Told<()> {
        news.take_placed(home, stored(&fetched.letters))?;
        // Another command may have written it meanwhile.
        let mut post_box = self.joined()?;
        post_box.position = fetched.position;
        post_box.generation = fetched.generation;
        post_box.forgot = fetched.forgot;
        Ok(post_box.keep(&self.lock)?)
    }

    /// Fetches, leaves, and fetches again. What was new is told once, as the game stands then; also if the office goes away in
    /// the middle of it.
    pub(super) fn exchange(&self, home: &Home, signing: &Signing, mut news: Intake) -> Told<Answer> {
        let left = self.fetch_and_leave(home, signing, &mut news);
        let mut answer = told_news(news, home)?;
        match left {
            Ok((left, used)) => {
                if answer.out.is_empty() && left > 0 {
                    answer.out = status::of(&*self.again(home)?)?;
                }
                let used = used.map_or_else(String::new, |used| {
                    format!(" ({} % of your share of its box is used)", percent(&used))
                });
                answer.talk.push(match (left, answer.out.is_empty()) {
                    (0, true) => "nothing new at the office".to_owned(),
                    (0, false) => format!("the office has all your letters{used}"),
                    (left, _) => format!("left {} at the office{used}", count(left, "letter")),
                });
                Ok(answer)
            }
            Err(why) => Err(Answer { out: answer.out, talk: [answer.talk, why.talk].concat(), ..why }),
        }
    }

    /// The exchange; how many letters of this party's were left that were not left before, and what its letters take there.
    fn fetch_and_leave(&self, home: &Home, signing: &Signing, news: &mut Intake) -> Told<(usize, Option<Used>)> {
        let mut post_box = self.joined()?;
        let pass = self.pass(&mut post_box, home, signing)?;
        let fetched = self.fetch(&post_box, &pass).map_err(|away| self.has_no_box(away, &post_box.url))?;
        self.take_fetched(home, fetched, news)?;
        let mut post_box = self.joined()?;
        let before = post_box.left;
        let gone = |away| self.has_no_box(away, &post_box.url);
        let Left { placed, talk, refused_from, used } = self.leave(&post_box, &pass, post_box.forgot).map_err(gone)?;
        news.talk.extend(talk);
        // What came from there, with a restored folder, need not be left.
        let last = self.again(home)?.last_number();
        post_box.left = refused_from.map_or(last, |number| number.saturating_sub(1));
        (post_box.forgot, post_box.full) = (false, refused_from.is_some());
        post_box.keep(&self.lock)?;
        news.take_placed(home, stored(&placed))?;
        let post_box = self.joined()?;
        let fetched = self.fetch(&post_box, &pass).map_err(|away| self.has_no_box(away, &post_box.url))?;
        self.take_fetched(home, fetched, news)?;
        if refused_from.is_some() {
            return Err(declined(self.is_full()));
        }
        Ok((self.every_number().into_iter().filter(|number| *number > before).count(), used))
    }

    /// Fetches what is new.
    fn fetch_news(&self, home: &Home, signing: &Signing) -> Told<Answer> {
        let mut post_box = self.joined()?;
        let pass = self.pass(&mut post_box, home, signing)?;
        let fetched = self.fetch(&post_box, &pass).map_err(|away| self.has_no_box(away, &post_box.url))?;
        let (forgot, mut news) = (fetched.forgot, self.intake()?);
        self.take_fetched(home, fetched, &mut news)?;
        let mut answer = told_news(news, home)?;
        if forgot {
            answer.talk.push(format!(
                "the office was restored from a backup and has forgotten letters; leave them again with  {}",
                self.typing.command("office push")
            ));
        }
        Ok(answer)
    }

    /// The game once its office was asked what is new there, read again, and what that is.
    pub(super) fn after_office(self, home: &Home, signing: &Signing) -> Told<(Self, Vec<String>)> {
        if !self.is_joined() {
            return Ok((self, Vec::new()));
        }
        let news = self.ask_office(home, Some(signing));
        Ok((self.again(home)?, news))
    }

    /// Asks the office for what is new before something is answered by mail: what it has opened, nobody opens again. With
    /// no key at hand only a pass that is still good is used. Says what there is to say.
    pub(super) fn ask_office(&self, home: &Home, signing: Option<&Signing>) -> Vec<String> {
        let Some(mut post_box) = self.post_box() else { return Vec::new() };
        let pass = match (&post_box.pass, signing) {
            (Some((pass, until)), _) if *until > now() => Ok(pass.clone()),
            (_, Some(signing)) => self.pass(&mut post_box, home, signing),
            (_, None) => Err(Answer::unable(format!(
                "the office was not asked for letters, for that takes your key:  {}",
                self.typing.command("office pull")
            ))),
        };
        let mut news = match self.intake() {
            Ok(news) => news,
            Err(answer) => return answer.talk,
        };
        let fetched = pass.and_then(|pass| self.take_fetched(home, self.fetch(&post_box, &pass)?, &mut news));
        match fetched.and_then(|()| told_news(news, home)) {
            Ok(answer) if answer.out.is_empty() => Vec::new(),
            Ok(answer) => std::iter::once(answer.out.trim_end().to_owned()).chain(answer.talk).collect(),
            Err(answer) => answer.talk,
        }
    }

    /// Leaves what the office lacks, before a referee rules that days have passed: it tells the time then, if they have
    /// (office 29). With no pass at hand that takes his key, and is left to him. Says what there is to say.
    pub(super) fn ask_the_time(&self, home: &Home, signing: &Signing) -> Vec<String> {
        let Some(post_box) = self.post_box() else { return Vec::new() };
        if !has_pass(&post_box) {
            let push = self.typing.command("office push");
            return vec![format!("the office was not asked for the time, for that takes your key; first  {push}")];
        }
        let mut news = match self.intake() {
            Ok(news) => news,
            Err(answer) => return answer.talk,
        };
        let left = self.fetch_and_leave(home, signing, &mut news).err();
        let told = news.tell(home).map_or_else(|answer| answer.talk, |answer| answer.talk);
        told.into_iter().chain(left.into_iter().flat_map(|answer| answer.talk)).collect()
    }
}

/// After a declaration: leaves it at the office, and says what came of it; the mail that would do the same where the office
/// does not answer.
pub(super) fn at_once(home: &Home, game: &str, mailed: Answer, signing: &Signing) -> Told<Answer> {
    push(home, Some(game), signing).or_else(|why| {
        let news = Some(why.out.trim_end().to_owned()).filter(|news| !news.is_empty());
        let kept = "the declaration is signed and kept";
        Ok(news.into_iter().chain(why.talk).fold(mailed, Answer::saying).saying(kept))
    })
}

/// What the offices of all games have that is new, as far as it can be fetched without a key.
pub(super) fn news(home: &Home) -> Told<Vec<String>> {
    let news = joined(home).map(|folder| match Locked::open(home, folder) {
        Ok(table) if table.has_signed_nothing() => Vec::new(),
        Ok(table) => table.ask_office(home, None),
        Err(answer) => answer.talk,
    });
    Ok(news.flatten().collect())
}
