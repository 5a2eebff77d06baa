//! Letters through an office (`protocol/post.md`): `office join`, `push`, `pull`, `watch`, `deposit`, and what other verbs
//! fetch from it. What an office cannot do now is said, and lost is nothing: every letter is in the game's folder.

use std::{
    collections::{HashMap, HashSet},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::{Answer, Stage, Table, Told, folders, read, sign::Signing};
use crate::{
    blob::{Body, Head, Hex32, Keys, Verified, armour},
    cli::terminal::{self, visible},
    game::{charter::Author, opener},
    keep::{folder::Stored, home::Home, key_ring::KeyRing, post_box::PostBox},
    office::{
        answers::{Placed, Taken, Waiting},
        client::{Away, Client},
        pass::{LONGEST, Pass},
    },
    primitive::sign::{PrivateKey, PublicKey},
    report::text::count,
};

/// Most letters that are left at once.
const AT_ONCE: usize = 100;
/// And most bytes, if they are several.
const PART_BYTES: usize = 64 << 10;
/// How long before its end a pass is signed anew, in seconds.
const MARGIN: u64 = 300;
/// How long a watch waits before it asks again an office that went away.
const AGAIN: Duration = Duration::from_secs(5);

impl From<Away> for Answer {
    fn from(away: Away) -> Self {
        match away {
            Away::Unreached(why) => Self::unable(format!(
                "the office is away: {}; nothing is lost, and mail works without it",
                visible(&why)
            )),
            Away::Refused(code, words) => {
                Self::refused(format!("the office refuses ({}): {}", visible(&code), visible(&words)))
            }
        }
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn signed_pass(office: Hex32, key: &PrivateKey) -> Told<(String, u64)> {
    // A little less than the longest, for clocks differ.
    let until = now() + LONGEST - MARGIN;
    Ok((Pass::sign(office, until, key)?, until))
}

/// The letters of an answer.
fn stored(letters: &[Placed]) -> Vec<(String, Stored)> {
    let mut keys = Keys::default();
    let opened = letters.iter().flat_map(|placed| {
        let found = armour::find(placed.letter.as_bytes()).into_iter().filter_map(|blob| blob.frame.ok());
        found.map(move |frame| (placed.position, frame)).collect::<Vec<_>>()
    });
    let opened = opened.filter_map(|(position, frame)| {
        let message = Verified::open(&frame, &mut keys).ok()?;
        Some((format!("letter {position} at the office"), Stored { message, frame }))
    });
    opened.collect()
}

/// Takes in what is not here yet; an answer without text if that is nothing.
fn news(home: &Home, letters: &[Placed], talk: Vec<String>) -> Told<Answer> {
    let (tables, _) = Table::all(home)?;
    let here: HashSet<(Hex32, Hex32)> = tables
        .iter()
        .flat_map(|table| &table.stored)
        .map(|letter| (letter.message.id(), letter.message.key()))
        .collect();
    let mut letters = stored(letters);
    let mut once = HashSet::new();
    letters.retain(|(_, letter)| {
        let copy = (letter.message.id(), letter.message.key());
        !here.contains(&copy) && once.insert(copy)
    });
    match letters.is_empty() {
        true => Ok(Answer { talk, ..Answer::default() }),
        false => read::take_in(home, letters, Vec::new(), talk),
    }
}

/// Letters as texts that are short enough for one request each.
fn parts(letters: &[&Stored]) -> Vec<String> {
    let mut parts: Vec<(String, usize)> = Vec::new();
    for letter in letters {
        let armour = letter.armour() + "\n";
        match parts.last_mut() {
            Some((part, count)) if *count < AT_ONCE && part.len() + armour.len() <= PART_BYTES => {
                part.push_str(&armour);
                *count += 1;
            }
            _ => parts.push((armour, 1)),
        }
    }
    parts.into_iter().map(|(part, _)| part).collect()
}

/// What was read of a box.
struct Fetched {
    letters: Vec<Placed>,
    /// Up to where.
    position: u64,
    /// What names the positions.
    generation: String,
    /// Whether the office has forgotten letters since they were left.
    forgot: bool,
}

/// What an office does not open, for people.
fn told(waiting: &Waiting, table: &Table) -> String {
    let slot = table.stored.iter().find_map(|letter| match letter.message.body() {
        Body::Declare(declare) if letter.message.id().to_string() == waiting.declaration => {
            Some(declare.slot.to_string())
        }
        _ => None,
    });
    let slot = slot.unwrap_or_else(|| visible(&waiting.declaration));
    let why = match waiting.code.as_str() {
        "missing" => "it lacks letters that the declaration rests on: leave them too, or let the other leave his",
        "breach" => "the declaration breaks a rule",
        "fork" => "you have signed two letters with one number, and the other one stands",
        "spent" => "an earlier letter has used the envelope, or declared the slot",
        "withheld" => "it waits until you have signed more",
        "elsewhere" => "its dice are not with the office: the other opens them by mail",
        _ => "a reason that this program does not know",
    };
    let text = if waiting.text.is_empty() { String::new() } else { format!(" ({})", visible(&waiting.text)) };
    format!("the office does not open {slot}: {why}{text}; nothing is void")
}

impl Table {
    /// The office of this game, as its folder knows it.
    fn post_box(&self) -> Option<PostBox> {
        PostBox::of(&self.folder)
    }

    fn office_key(&self) -> Told<Hex32> {
        let key = self.terms.charter.office.as_ref().map(|office| office.key);
        key.ok_or_else(|| Answer::refused("the terms of this game name no office: its letters go by mail"))
    }

    fn joined(&self) -> Told<PostBox> {
        self.office_key()?;
        self.post_box().ok_or_else(|| {
            Answer::unable(format!(
                "this machine does not know where the office of this game is; tell it with  {} URL",
                self.typing.command("office join")
            ))
        })
    }

    /// This party's last letter, by its number.
    fn last_number(&self) -> u64 {
        self.every_number().into_iter().max().unwrap_or_default()
    }

    /// What there is to type where letters go through an office: they are left there, and declarations opened at once.
    pub(super) fn by_office(&self, closed: bool, commands: &mut Vec<String>, if_lost: &mut Vec<String>) {
        let Some(post_box) = self.post_box() else { return };
        if closed && self.last_number() <= post_box.left {
            if_lost.clear();
            return;
        }
        let push = self.typing.command("office push");
        let resend = self.typing.command("resend");
        commands.retain(|command| *command != resend);
        let declares = commands.iter_mut().filter(|command| command.contains(" declare "));
        declares.for_each(|command| command.push_str(" --office"));
        match self.last_number() > post_box.left || post_box.forgot {
            true => commands.insert(0, push),
    /// Whether the office has a letter of this party's, as far as is known; none where letters go by mail alone. What is
    /// in no chain is left once more.
    pub(super) fn has_left(&self, head: &Head) -> Option<bool> {
        let post_box = self.post_box()?;
        Some(!post_box.forgot && !head.is_unnumbered() && head.number <= post_box.left)
    }

            false => if_lost.clear(),
        }
        // Who may go on need not: he may as well see what the other has left.
        if commands.iter().all(|command| command.contains(" declare ")) {
            commands.push(self.typing.command("office pull"));
        }
    }

    /// That this machine knows where the office of the game is.
    pub(super) fn check_joined(&self) -> Told<()> {
        self.joined().map(|_| ())
    }

    /// A pass that is good for a while; a new one needs the key.
    fn pass(&self, post_box: &mut PostBox, home: &Home, signing: &Signing) -> Told<String> {
        match &post_box.pass {
            Some((pass, until)) if *until > now() + MARGIN => Ok(pass.clone()),
            _ => {
                let keys = signing.unlock(home)?;
                let signed = signed_pass(self.office_key()?, keys.of(self.key_in_force()?)?.signing())?;
                post_box.pass = Some(signed.clone());
                post_box.keep(&self.folder)?;
    /// What a player does before a game begins whose office serves.
    pub(super) fn where_to_join(&self) -> Option<String> {
        let unknown = self.me.player().is_some() && self.office_key().is_ok() && !self.is_joined();
        unknown.then(|| {
            format!(
                "the terms name an office: if it serves at an address, tell it once, and letters go there:  {} URL; if not, mail it \
                 all that you write",
                self.typing.command("office join")
            )
        })
    }

                Ok(signed.0)
            }
        }
    }

    /// The letters that the office's own do not show it to have, with this player's deposits that it has not confirmed;
    /// or all of them.
    fn to_leave(&self, everything: bool) -> Vec<&Stored> {
        let office = self.terms.role_of(Author::Office);
        let by_id: HashMap<Hex32, &Stored> = self.stored.iter().map(|letter| (letter.message.id(), letter)).collect();
        // Whatever a letter of the office's reaches it has.
        let theirs = self.stored.iter().filter(|letter| Some(&letter.message.head().author) == office);
        let mut open: Vec<&Stored> = theirs.collect();
        let mut known: HashSet<Hex32> = HashSet::new();
        while let Some(letter) = open.pop() {
            if known.insert(letter.message.id()) {
                open.extend(letter.message.names().iter().filter_map(|id| by_id.get(id).copied()));
            }
        }
        let is_new = |letter: &&Stored| {
            let head = letter.message.head();
            !head.is_unnumbered() && (everything || !known.contains(&letter.message.id()))
        };
        let mut letters: Vec<&Stored> = self.stored.iter().filter(is_new).collect();
        letters.sort_by_key(|letter| letter.message.head().number);
        // Even where there is nothing to leave it is asked, for it may have been restored and forgotten everything.
        let charter = self.stored.iter().filter(|letter| letters.is_empty() && letter.message.id() == self.terms.id);
        letters.extend(charter.collect::<Vec<_>>());
        let asks = self
            .stored
            .iter()
            .filter(|letter| matches!(letter.message.body(), Body::Resync(_)) && letter.message.head().is_unnumbered());
        letters.extend(asks);
        if let Stage::Begun(_) = self.stage {
            letters.extend(self.look(|_, ledger| Ok(self.unconfirmed(ledger))).unwrap_or_default());
        }
        letters
    }

    /// What is new in the box.
    fn fetch(&self, post_box: &PostBox, pass: &str) -> Result<Fetched, Away> {
        let client = Client::new(&post_box.url);
        let mut fetched = Fetched {
            letters: Vec::new(),
            position: post_box.position,
            generation: post_box.generation.clone(),
            forgot: post_box.forgot,
        };
        loop {
            let page = client.page(self.terms.id, fetched.position, pass)?;
            let other = page.generation != fetched.generation;
            let reads_on = fetched.position > 0;
            fetched.forgot |= other && !fetched.generation.is_empty();
            fetched.generation = page.generation;
            // Positions of before a restore mean nothing: the box is read from its beginning.
            if other && reads_on {
                (fetched.position, fetched.letters) = (0, Vec::new());
                continue;
            }
            fetched.letters.extend(page.letters);
            fetched.position = page.next;
            if !page.more {
                return Ok(fetched);
            }
        }
    }

    /// Takes in what was fetched, and only then remembers that it was.
    fn take_fetched(&self, home: &Home, fetched: Fetched, talk: Vec<String>) -> Told<Answer> {
        let answer = news(home, &fetched.letters, talk)?;
        // Another command may have written it meanwhile.
        let mut post_box = self.joined()?;
        post_box.position = fetched.position;
        post_box.generation = fetched.generation;
        post_box.forgot = fetched.forgot;
        post_box.keep(&self.folder)?;
        Ok(answer)
    }

    /// Leaves what the office may lack, and all if it has forgotten any or says that it was restored.
    fn leave(&self, post_box: &PostBox, pass: &str, forgot: bool) -> Told<(Vec<Placed>, Vec<String>)> {
        let client = Client::new(&post_box.url);
        let (mut letters, mut talk) = (Vec::new(), Vec::new());
        let mut everything = forgot;
        loop {
            let mut restored = false;
            for text in parts(&self.to_leave(everything)) {
                let Taken { letters: taken, refused, restored: waits, waiting, .. } =
                    client.post(self.terms.id, &text, pass)?;
                letters.extend(taken);
                talk.extend(waiting.iter().map(|waiting| told(waiting, self)));
                talk.extend(
                    refused
                        .iter()
                        .map(|refused| format!("the office does not take a letter: {}", visible(&refused.text))),
                );
                restored |= waits;
            }
            match (restored, everything) {
                (true, false) => everything = true,
                (true, true) => {
                    talk.push(
                        "the office was restored from a backup and signs nothing before its operator declares an epoch; it has all \
                         letters of yours now"
                            .into(),
                    );
                    return Ok((letters, talk));
                }
                (false, _) => return Ok((letters, talk)),
            }
        }
    }

    /// Fetches, leaves, and fetches again; what came of it is taken in.
    fn exchange(&self, home: &Home, signing: &Signing) -> Told<Answer> {
        let mut post_box = self.joined()?;
        let pass = self.pass(&mut post_box, home, signing)?;
        let mut first = Answer::default();
        match self.fetch(&post_box, &pass) {
            Ok(fetched) => first = self.take_fetched(home, fetched, Vec::new())?,
            // A key that the office has not heard of yet: the letter that hands it over is left without a pass.
            Err(Away::Refused(code, _)) if code == "no-such-box" => {}
            Err(away) => return Err(away.into()),
        }
        let mut post_box = self.joined()?;
        let before = post_box.left;
        let (answered, talk) = self.leave(&post_box, &pass, post_box.forgot)?;
        (post_box.left, post_box.forgot) = (self.last_number(), false);
        post_box.keep(&self.folder)?;
        let answered = news(home, &answered, talk)?;
        let last = self.take_fetched(home, self.fetch(&self.joined()?, &pass)?, Vec::new())?;
        let mut answer = Answer::default();
        for part in [first, answered, last] {
            answer.talk.extend(part.talk);
            answer.code = answer.code.max(part.code);
            // Each tells what was new, and how the game stands then.
            if !part.out.is_empty() {
                answer.out = match (answer.out.is_empty(), part.out.split_once("\n\n")) {
                    (false, Some(_)) => format!("{}\n\n{}", only_news(&answer.out), part.out),
                    _ => part.out,
                };
            }
        }
        let left = self.every_number().into_iter().filter(|number| *number > before).count();
        answer.talk.push(match (left, answer.out.is_empty()) {
            (0, true) => "nothing new at the office".to_owned(),
            (0, false) => "the office has all your letters".to_owned(),
            (left, _) => format!("left {} at the office", count(left, "letter")),
        });
        Ok(answer)
    }
}

/// What was new, without how the game stood then.
fn only_news(told: &str) -> &str {
    told.split_once("\n\n").map_or(told, |(news, _)| news)
}

/// `office push`.
pub(in crate::cli) fn push(home: &Home, name: Option<&str>, signing: &Signing) -> Told<Answer> {
    let table = Table::find(home, name, Table::is_joined)?;
    let _lock = table.folder.lock()?;
    table.exchange(home, signing)
}

/// `office deposit`: wraps what is sealed and not confirmed yet, and leaves it.
pub(in crate::cli) fn deposit(home: &Home, name: Option<&str>, signing: &Signing) -> Told<Answer> {
    let mut table = Table::find(home, name, Table::is_joined)?;
    let _lock = table.folder.lock()?;
    table.joined()?;
    table.player()?;
    let waits = table.look(|_, ledger| Ok(table.undeposited(ledger).len()))?;
    if waits > 0 {
        let keys = signing.unlock(home)?;
        table.make_deposits(&keys)?;
    }
    let left = table.look(|_, ledger| Ok(table.unconfirmed(ledger).len()))?;
    let mut answer = table.exchange(home, signing)?;
    let keys: Vec<Hex32> = KeyRing::open(home)?.publics().collect();
    let table = Table::open(home, table.folder.clone(), &keys)?;
    let open = table.look(|_, ledger| Ok(table.unconfirmed(ledger).len()))?;
    answer.talk.push(match (left, open) {
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
    let table = Table::find(home, name, |table| table.me == Author::Office)?;
    let _lock = table.folder.lock()?;
    match table.me {
        Author::Office => {
            table.sign_as_third(home, signing, &[], |ledger, _| Ok(vec![opener::hand_back(ledger, purposes)?]))
        }
        Author::Player(_) | Author::Referee => Err(Answer::refused("only the office that holds a set hands it back")),
    }
}

/// `office pull`.
pub(in crate::cli) fn pull(home: &Home, name: Option<&str>, signing: &Signing) -> Told<Answer> {
    let table = Table::find(home, name, Table::is_joined)?;
    let mut post_box = table.joined()?;
    let pass = table.pass(&mut post_box, home, signing)?;
    let fetched = table.fetch(&post_box, &pass)?;
    let forgot = fetched.forgot;
    let mut answer = table.take_fetched(home, fetched, Vec::new())?;
    if forgot {
        answer.talk.push(format!(
            "the office was restored from a backup and has forgotten letters; leave them again with  {}",
            table.typing.command("office push")
        ));
    }
    if answer.out.is_empty() {
        answer.talk.push("nothing new at the office".into());
    }
    Ok(answer)
}

/// `office watch`: takes in what comes, until it is stopped; or the first that comes.
pub(in crate::cli) fn watch(home: &Home, name: Option<&str>, once: bool, signing: &Signing) -> Told<Answer> {
    loop {
        let table = Table::find(home, name, Table::is_joined)?;
        let mut post_box = table.joined()?;
        let pass = table.pass(&mut post_box, home, signing)?;
        let client = Client::new(&post_box.url);
        // What is there already comes first; a box that was restored is read from its beginning.
        let fetched = table.fetch(&post_box, &pass).map_err(Answer::from);
        let there = fetched.and_then(|fetched| table.take_fetched(home, fetched, Vec::new()));
        match there {
            Ok(answer) if !answer.out.is_empty() && once => return Ok(answer),
            Ok(answer) if !answer.out.is_empty() => drop(terminal::print(&answer)),
            Ok(_) => {}
            Err(answer) => {
                // Away, or busy: it may come back.
                answer.talk.iter().for_each(|line| terminal::say(line));
                std::thread::sleep(AGAIN);
                continue;
            }
        }
        let position = table.joined()?.position;
        if let Ok(events) = client.events(table.terms.id, position, &pass) {
            terminal::say(&format!("waiting for letters of {}; Ctrl-C ends it", table.name()));
            for placed in events {
                let answer = news(home, std::slice::from_ref(&placed), Vec::new())?;
                let mut post_box = table.joined()?;
                post_box.position = placed.position;
                post_box.keep(&table.folder)?;
                let is_new = !answer.out.is_empty();
                if once && is_new {
                    return Ok(answer);
                }
                terminal::print(&answer);
            }
        }
        std::thread::sleep(AGAIN);
    }
}

/// `office join`: tells a game where its office is, opens its box, and exchanges letters; without a game that names this
/// office, fetches those that are there for this player.
pub(in crate::cli) fn join(
    home: &Home,
    name: Option<&str>,
    url: &str,
    invitation: Option<&str>,
    signing: &Signing,
) -> Told<Answer> {
    let client = Client::new(url);
    let card = client.card()?;
    let office = Hex32::parse(&card.key).ok_or_else(|| Answer::unable("the address is no office's"))?;
    let names = |table: &Table| table.office_key().is_ok_and(|key| key == office);
    let post_box = PostBox { url: url.to_owned(), ..PostBox::default() };
    let (tables, _) = Table::all(home)?;
    if name.is_none() && tables.iter().filter(|table| names(table)).all(Table::is_joined) {
        return fetch_games(home, post_box, office, signing);
    }
    let table = Table::find(home, name, |table| names(table) && !table.is_joined())?;
    if !names(&table) {
        return Err(Answer::refused(format!(
            "the terms name another office than this one, whose key is {}: letters of this game are not for it",
            visible(&card.key)
        )));
    }
    let _lock = table.folder.lock()?;
    let charter = table.stored.iter().find(|letter| letter.message.id() == table.terms.id);
    let charter = charter.ok_or_else(|| Answer::unable("the charter is not in the game's folder"))?;
    let taken = client.open(&charter.armour(), invitation)?;
    post_box.keep(&table.folder)?;
    let first = news(home, &taken.letters, Vec::new())?;
    let keys: Vec<Hex32> = KeyRing::open(home)?.publics().collect();
    let table = Table::open(home, table.folder.clone(), &keys)?;
    let second = table.exchange(home, signing)?;
    let out = if second.out.is_empty() { first.out } else { second.out };
    let joined = format!("letters of {} go through {} as well now, and by mail as before", table.name(), visible(url));
    Ok(Answer { out, ..second }.saying(joined))
}

/// The games that an office has for this player and that are not here yet.
fn fetch_games(home: &Home, mut post_box: PostBox, office: Hex32, signing: &Signing) -> Told<Answer> {
    let keys = signing.unlock(home)?;
    let public = KeyRing::open(home)?.publics().next().ok_or_else(|| Answer::unable("there is no key"))?;
    let (pass, until) = signed_pass(office, keys.of(public)?.signing())?;
    post_box.pass = Some((pass.clone(), until));
    let client = Client::new(&post_box.url);
    let mut letters = Vec::new();
    let (here, _) = Table::all(home)?;
    let here: HashSet<Hex32> = here.iter().map(|table| table.terms.id).collect();
    let games = client.boxes(&pass)?.games;
    let games: HashSet<Hex32> = games.iter().filter_map(|own| Hex32::parse(&own.game)).collect();
    let games: HashSet<Hex32> = games.difference(&here).copied().collect();
    for game in &games {
        letters.extend(client.page(*game, 0, &pass)?.letters);
    }
    if letters.is_empty() {
        return Ok(Answer::done(String::new())
            .saying("the office has no game of yours that is not here; whoever proposes one opens its box"));
    }
    let answer = news(home, &letters, Vec::new())?;
    let publics: Vec<Hex32> = KeyRing::open(home)?.publics().collect();
    for folder in folders(home)? {
        // What lies beyond the first page comes with the next pull.
        if Table::open(home, folder.clone(), &publics).is_ok_and(|table| games.contains(&table.terms.id)) {
            post_box.keep(&folder)?;
        }
    }
    Ok(answer)
}

/// `office card`: what terms must say of an office.
pub(in crate::cli) fn card(url: &str) -> Told<Answer> {
    let card = Client::new(url).card()?;
    let hex = |text: &str| Hex32::parse(text).ok_or_else(|| Answer::unable("the address is no office's"));
    let name: String = visible(&card.name).chars().filter(|c| !matches!(c, '"' | '\\')).collect();
    let terms = format!(
        "[office]\nname = \"{name}\"\nrole = \"office\"\nkey = \"{}\"\ndeposit = \"{}\"\ndeposit_notes = true\n",
        hex(&card.key)?,
        hex(&card.deposit)?
    );
    let key = PublicKey::parse(&hex(&card.key)?.0)?;
    Ok(Answer::done(terms).saying(format!("the fingerprint of its key: {}", key.fingerprint())).saying(
        "these lines go into the terms, in place of their [office]; compare the fingerprint of its key with its operator by voice",
    ))
}

impl Table {
    /// Whether this machine knows where the office of the game is.
    pub(super) fn is_joined(&self) -> bool {
        self.post_box().is_some()
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
        let fetched = pass.and_then(|pass| self.take_fetched(home, self.fetch(&post_box, &pass)?, Vec::new()));
        match fetched {
            Ok(answer) if answer.out.is_empty() => Vec::new(),
            Ok(answer) => std::iter::once(answer.out.trim_end().to_owned()).chain(answer.talk).collect(),
            Err(answer) => answer.talk,
        }
    }
}

impl Table {
    /// Leaves a request of the referee's at the office again, which tells the time then if days have passed (office 11).
    /// Says what there is to say.
    pub(super) fn ask_the_time(&self, home: &Home, signing: &Signing, request: &Hex32) -> Vec<String> {
        let Some(mut post_box) = self.post_box() else { return Vec::new() };
        let told = self.pass(&mut post_box, home, signing).and_then(|pass| {
            let letters = self.stored.iter().filter(|letter| letter.message.id() == *request);
            for text in parts(&letters.collect::<Vec<_>>()) {
                Client::new(&post_box.url).post(self.terms.id, &text, &pass)?;
            }
            self.take_fetched(home, self.fetch(&self.joined()?, &pass)?, Vec::new())
        });
        told.map_or_else(|answer| answer.talk, |answer| answer.talk)
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
