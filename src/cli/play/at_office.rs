//! Letters through an office (`protocol/post.md`): `office join`, `push`, `pull`, `watch`, `deposit`, and what other verbs
//! fetch from it. What an office cannot do now is said, and lost is nothing: every letter is in the game's folder.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::mpsc,
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::{
    game::CHOOSES,
    index::Index,
    intake::{Intake, UNANSWERED, described},
    locked::Locked,
    sign::Signing,
    status,
    table::{Stage, Table, folders},
};
use crate::cli::answer::Answer;
use crate::cli::answer::Told;
use crate::{
    blob::{Body, Head, Hex32, Keys, Verified, armour, body::Role},
    cli::{
        answer::{AWAY, BUSY, DECLINED},
        terminal::{self, visible},
    },
    game::{
        opener,
        terms::{Author, Terms},
    },
    keep::{
        folder::{Folder, Stored},
        home::Home,
        key_file::KeyFile,
        post_box::PostBox,
        root::Keys as OwnKeys,
    },
    office::{
        answers::{NotTaken, Page, Placed, Taken, Used, Waiting},
        client::{Away, Client},
        pass::{LONGEST, Pass},
        pile::ROOM,
    },
    primitive::sign::{PrivateKey, PublicKey},
    report::{terms::TIME_WITNESS, text::count},
};

/// Most letters that are left at once.
const AT_ONCE: usize = 100;
/// And most bytes, if they are several.
const PART_BYTES: usize = 64 << 10;
/// How long before its end a pass is signed anew, in seconds.
const MARGIN: u64 = 300;
/// Most pages of a box that are fetched at once; what lies beyond them comes with the next `office pull`.
const PAGES: usize = 64;
/// Most pages of a list of boxes that are asked for: anybody may open a box that names a player.
const LISTS: usize = 16;
/// The problem of whoever asks for a box that is not there, or not his (post 9).
const NO_BOX: &str = "no-such-box";
/// How long a watch waits before it asks again an office that went away.
const AGAIN: Duration = Duration::from_secs(5);

impl From<Away> for Answer {
    fn from(away: Away) -> Self {
        let (code, talk) = match away {
            Away::Unreached(why) => (
                AWAY,
                format!(
                    "the office is away: {}; nothing is lost, and mail works without it. Try again later, or check the address with \
                     the office's operator",
                    visible(&why)
                ),
            ),
            Away::Refused(code, words) => {
                let told = format!("({}): {}", visible(&code), visible(&words));
                match code.as_str() {
                    "busy" | "too-many" => (BUSY, format!("the office is busy {told}; try again later")),
                    "fault" => (AWAY, format!("the office has a fault {told}; go on by mail, and tell its operator")),
                    _ => (DECLINED, format!("the office refuses {told}")),
                }
            }
        };
        Self { code, ..Self::unable(talk) }
    }
}

/// An office that refuses.
fn declined(why: String) -> Answer {
    Answer { code: DECLINED, ..Answer::refused(why) }
}

/// What is new, from an office. What its box has and the game here has not is told, and is no failure of the command's: other
/// people's letters stand in a box.
fn told_news(news: Intake, home: &Home) -> Told<Answer> {
    Ok(Answer { code: 0, ..news.tell(home)? })
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn signed_pass(office: Hex32, key: &PrivateKey) -> Told<(String, u64)> {
    // A little less than the longest, for clocks differ.
    let until = now() + LONGEST - MARGIN;
    Ok((Pass::sign(office, until, key)?, until))
}

/// Whether a pass is at hand that is good for a while.
fn has_pass(post_box: &PostBox) -> bool {
    post_box.pass.as_ref().is_some_and(|(_, until)| *until > now() + MARGIN)
}

/// The letters of an answer.
fn stored(letters: &[Placed]) -> Vec<(String, Stored)> {
    let keys = Keys::default();
    let opened = letters.iter().flat_map(|placed| {
        let found = armour::find(placed.letter.as_bytes()).into_iter().filter_map(|blob| blob.frame.ok());
        found.map(move |frame| (placed.position, frame)).collect::<Vec<_>>()
    });
    let opened = opened.filter_map(|(position, frame)| {
        let message = Verified::open(&frame, &keys).ok()?;
        Some((format!("letter {position} at the office"), Stored { message, frame }))
    });
    opened.collect()
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

/// What came of leaving letters.
struct Left {
    /// Those that were left, and what the office answers.
    placed: Vec<Placed>,
    /// What there is to say.
    talk: Vec<String>,
    /// The first letter of this party's for which its share of the box has no room.
    refused_from: Option<u64>,
    /// How much of its share of the box this party's letters take.
    used: Option<Used>,
}

/// The answers to letters that are left in several requests.
#[derive(Default)]
struct Round {
    restored: bool,
    refused: Vec<NotTaken>,
    waits: Vec<Waiting>,
    room: Vec<Used>,
    taken: HashSet<Hex32>,
}

impl Round {
    fn take(&mut self, answer: Taken) {
        self.taken.extend(stored(&answer.letters).iter().map(|(_, letter)| letter.message.id()));
        self.restored |= answer.restored;
        self.refused.extend(answer.refused);
        self.waits.extend(answer.waiting);
        self.room = answer.room;
    }

    /// What still waits behind the last request: a letter may have waited for one that was left after it.
    fn waiting(&self) -> Vec<&Waiting> {
        let came = |id: &String| Hex32::parse(id).is_some_and(|id| self.taken.contains(&id));
        let has_come = |waiting: &&Waiting| waiting.code == "missing" && waiting.letters.iter().all(came);
        self.waits.iter().filter(|waiting| !has_come(waiting)).collect()
    }

    /// What the letters of a role take.
    fn used(&self, role: &str) -> Option<Used> {
        self.room.iter().find(|used| used.author == role).cloned()
    }
}

/// How much of their share an author's letters take, in percent; 100 only if it is all.
fn percent(used: &Used) -> u64 {
    let of = |part: u64, whole: u64| part.saturating_mul(100).checked_div(whole).unwrap_or(100);
    of(used.bytes, used.most_bytes).max(of(used.letters, used.most_letters))
}

/// What an office does not open, and what waits there for letters that are missing, for people: of each author's letters once.
fn all_told(waiting: &[&Waiting], table: &Table) -> Vec<String> {
    let (mut lines, mut waits) = (Vec::new(), BTreeMap::<&Role, BTreeSet<u64>>::new());
    for waiting in waiting {
        let letter = table.stored.iter().find(|letter| letter.message.id().to_string() == waiting.declaration);
        match letter.map(|letter| (letter.message.head(), letter.message.body())) {
            // It opens nothing in this game.
            Some((_, Body::Declare(_))) if waiting.code == "elsewhere" && table.terms.time_witness().is_some() => {}
            Some((_, Body::Declare(declare))) => lines.push(told(waiting, &declare.slot.to_string())),
            Some((head, _)) => drop(waits.entry(&head.author).or_default().insert(head.number)),
            None => lines.push(told(waiting, &visible(&waiting.declaration))),
        }
    }
    lines.extend(waits.into_iter().filter_map(|(author, numbers)| {
        let (first, more) = (numbers.first()?, numbers.len() - 1);
        let (wait, more) = match more {
            0 => ("waits", String::new()),
            more => ("wait", format!(" and {more} more of theirs")),
        };
        Some(format!(
            "letter {first} of {author}{more} {wait} at the office for letters that are not there: leave them too, or ask {author} \
             for them; nothing is void"
        ))
    }));
    lines
}

/// Why the office does not open a declaration, for people.
fn told(waiting: &Waiting, slot: &str) -> String {
    let why = match waiting.code.as_str() {
        "missing" => "it lacks letters that the declaration rests on: leave them too, or let the other leave theirs",
        "breach" => "the declaration breaks a rule",
        "fork" => "two letters were signed in one place, and this one does not count",
        "spent" => "an earlier letter has used the envelope, or declared the slot",
        "lost" => {
            "it cannot read what was deposited any more: the sealer leaves it again, or its operator hands the set back"
        }
        "elsewhere" => "its dice are not with the office: the other opens them by mail",
        "busy" => "it has much to do, and comes to it in its turn: `office pull` brings the answer",
        "fault" => "it has made a mistake and signs nothing in this game; tell its operator, whose log says more",
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

    /// Whether the office has a letter of this party's, as far as is known; none where letters go by mail alone. What is
    /// in no chain is left once more.
    pub(super) fn has_left(&self, head: &Head) -> Option<bool> {
        let post_box = self.post_box().filter(|post_box| !post_box.full)?;
        Some(!post_box.forgot && !head.is_unnumbered() && head.number <= post_box.left)
    }

    /// What there is to type where letters go through an office: they are left there, and declarations opened at once.
    pub(super) fn by_office(&self, closed: bool, commands: &mut Vec<String>, if_lost: &mut Vec<String>) {
        let Some(post_box) = self.post_box() else { return };
        if post_box.full {
            return;
        }
        if closed && self.last_number() <= post_box.left {
            if_lost.clear();
            return;
        }
        let push = self.typing.command("office push");
        let resend = self.typing.command("resend");
        commands.retain(|command| *command != resend);
        let declares = commands.iter_mut().filter(|command| command.contains(" declare "));
        declares.for_each(|command| command.push_str(" --office"));
        // What is in no chain is not counted: an ask that waits, and answers, are left as long as nobody shows to have
        // them.
        let asks = self.open_ask().is_ok_and(|ask| ask.is_some()) || !self.unread_answers().is_empty();
        match self.last_number() > post_box.left || post_box.forgot || asks {
            true => commands.insert(0, push),
            false => if_lost.clear(),
        }
        // Who may go on need not: he may as well see what the other has left.
        if commands.iter().all(|command| command.contains(" declare ")) {
            commands.push(self.typing.command("office pull"));
        }
    }

    /// What a party does whose share of the box is full.
    fn is_full(&self) -> String {
        format!(
            "your share of this game's box at the office is full: it takes no new letter of yours. Mail what you write ({} prints it); \
             the other players' letters and the office's own still come with  {}",
            self.typing.command("resend"),
            self.typing.command("office pull")
        )
    }

    /// The same, for the status of a party that has met with it.
    pub(super) fn full_share(&self) -> Option<String> {
        self.post_box().filter(|post_box| post_box.full).map(|_| self.is_full())
    }

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

    /// That this machine knows where the office of the game is.
    pub(super) fn check_joined(&self) -> Told<()> {
        self.joined().map(|_| ())
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
        // Its own last letter it is shown all the same: it may have forgotten it, and does not know that then (post 18).
        let last = self.stored.iter().filter(|letter| Some(&letter.message.head().author) == office);
        let last = last.max_by_key(|letter| letter.message.head().number).map(|letter| letter.message.id());
        let is_new = |letter: &&Stored| {
            let (head, id) = (letter.message.head(), letter.message.id());
            !head.is_unnumbered() && (everything || Some(id) == last || !known.contains(&id))
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
        letters.extend(self.withdrawal().filter(|_| self.stage == Stage::Proposed));
        if let Stage::Begun(_) = self.stage {
            letters.extend(self.look(|_, ledger| Ok(self.unconfirmed(ledger))).unwrap_or_default());
        }
        letters
    }

    /// Whether a letter with an id, as an office writes it, is in the folder.
    fn has_here(&self, id: &str) -> bool {
        self.stored.iter().any(|letter| letter.message.id().to_string() == id)
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
        // An office that goes round in circles is not followed.
        for _ in 0..PAGES {
            let page = client.page(self.terms.id, fetched.position, pass)?;
            let other = page.generation != fetched.generation;
            let reads_on = fetched.position > 0;
            let is_short = page.next < fetched.position;
            fetched.forgot |= other && !fetched.generation.is_empty() || is_short;
            fetched.generation = page.generation;
            // Positions of before a restore mean nothing: the box is read from its beginning.
            if (other || is_short) && reads_on {
                (fetched.position, fetched.letters) = (0, Vec::new());
                continue;
            }
            fetched.letters.extend(page.letters);
            fetched.position = page.next;
            if !page.more {
                break;
            }
        }
        Ok(fetched)
    }

    /// Leaves what the office may lack, and all if it has forgotten any or says that it was restored.
    fn leave(&self, post_box: &PostBox, pass: &str, forgot: bool) -> Result<Left, Away> {
        let client = Client::new(&post_box.url);
        let (mut placed, mut everything) = (Vec::new(), forgot);
        loop {
            let mut round = Round::default();
            for text in parts(&self.to_leave(everything)) {
                let taken = client.post(self.terms.id, &text, pass)?;
                placed.extend(taken.letters.iter().cloned());
                round.take(taken);
            }
            let waiting = round.waiting();
            // What was left before, and is missing there now, is left again.
            let lacks = waiting.iter().flat_map(|waiting| &waiting.letters).any(|id| self.has_here(id));
            if !everything && (round.restored || lacks) {
                everything = true;
                continue;
            }
            let mut talk = all_told(&waiting, self);
            let refused = round.refused.iter();
            talk.extend(
                refused.map(|refused| format!("the office does not take a letter: {}", visible(&refused.text))),
            );
            let mut once = HashSet::new();
            talk.retain(|line| once.insert(line.clone()));
            if round.restored {
                talk.push(
                    "the office was restored from a backup and signs nothing before its operator declares an epoch; it has all \
                     letters of yours now"
                        .into(),
                );
            }
            let own = round.refused.iter().filter(|refused| refused.class == ROOM);
            let own = own.filter_map(|refused| self.own_number(refused.id.as_deref()?));
            return Ok(Left { placed, talk, refused_from: own.min(), used: round.used(self.role.as_str()) });
        }
    }

    /// The number of a letter of this party's.
    fn own_number(&self, id: &str) -> Option<u64> {
        let heads = self.stored.iter().filter(|letter| letter.message.id().to_string() == id);
        heads.map(|letter| letter.message.head()).find(|head| head.author == self.role).map(|head| head.number)
    }

    /// What to do where the office has no box of this game.
    fn has_no_box(&self, away: Away, url: &str) -> Answer {
        match away {
            Away::Refused(code, _) if code == NO_BOX => declined(format!(
                "the office has no box of this game any more; open it again with  {} office join {} --game {}",
                self.typing.program,
                visible(url),
                self.name()
            )),
            away => away.into(),
        }
    }

    /// Whether the office may still have something for this game, or lack something of it. Anybody can open a box that names
    /// this party: a game in which it has signed nothing is touched only where it is named.
    fn posts(&self) -> bool {
        let is_open = |post_box: PostBox| self.lives() || self.last_number() > post_box.left;
        !self.has_signed_nothing() && self.post_box().is_some_and(is_open)
    }
}

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

/// `office join`: tells a game where its office is, opens its box, and exchanges letters; without a game that names this
/// office, fetches those that are there for this player.
pub(in crate::cli) fn join(
    home: &Home,
    name: Option<&str>,
    url: &str,
    (invitation, keep): (Option<&str>, Option<&str>),
    signing: &Signing,
) -> Told<Answer> {
    let client = Client::new(url);
    let card = client.card()?;
    let office = Hex32::parse(&card.key).ok_or_else(|| Answer::unable("the address is no office's"))?;
    let names = |table: &Table| table.office_key().is_ok_and(|key| key == office);
    let mut post_box = PostBox { url: url.to_owned(), ..PostBox::default() };
    let (tables, _) = Table::all(home)?;
    if name.is_none() && (keep.is_some() || tables.iter().filter(|table| names(table)).all(Table::is_joined)) {
        return fetch_games(home, post_box, office, keep, signing);
    }
    let table = Locked::find(home, name, |table| names(table) && !table.is_joined())?;
    if !names(&table) {
        return Err(Answer::refused(format!(
            "the terms name another office than this one, whose key is {}: letters of this game are not for it",
            visible(&card.key)
        )));
    }
    let charter = table.stored.iter().find(|letter| letter.message.id() == table.terms.id);
    let charter = charter.ok_or_else(|| Answer::unable("the charter is not in the game's folder"))?;
    let taken = client.open(&charter.armour(), invitation)?;
    // Where its box was before, and is opened again, it has nothing.
    post_box.forgot = table.is_joined();
    post_box.keep(&table.lock)?;
    let mut news = table.intake()?;
    news.take_placed(home, stored(&taken.letters))?;
    let answer = table.again(home)?.exchange(home, signing, news)?;
    let joined = format!("letters of {} go through {} as well now, and by mail as before", table.name(), visible(url));
    Ok(answer.saying(joined))
}

/// The games that an office has for this player and that are not here yet: those whose ids begin with `keep`, or the first few,
/// for anybody may open boxes that name a player.
fn fetch_games(
    home: &Home,
    mut post_box: PostBox,
    office: Hex32,
    keep: Option<&str>,
    signing: &Signing,
) -> Told<Answer> {
    let keys = signing.unlock(home)?;
    let (pass, until) = signed_pass(office, keys.signing())?;
    post_box.pass = Some((pass.clone(), until));
    let client = Client::new(&post_box.url);
    let mut games = listed(home, &client, &pass)?;
    games.retain(|game| keep.is_none_or(|keep| game.to_string().starts_with(keep)));
    let more = games.split_off(games.len().min(UNANSWERED)).len();
    if games.is_empty() {
        return Ok(Answer::done(String::new())
            .saying("the office has no game of yours that is not here; whoever proposes one opens its box"));
    }
    let mut news = Intake::default();
    news.wanted.extend(keep.iter().flat_map(|_| &games));
    let taken = games.iter().try_for_each(|game| fetch_game(home, &mut news, *game, &client.page(*game, 0, &pass)?));
    // Whatever came before the office went away is joined.
    let mut told = told_news(news, home)?;
    let here = Index::of(home)?;
    for folder in games.iter().filter_map(|game| here.folder(game)) {
        // What lies beyond the first page comes with the next pull.
        post_box.keep(&folder.lock()?)?;
    }
    if more > 0 {
        told.talk.push(format!(
            "more boxes there name your key ({more}), and anybody can open one. If you expect a game among them, ask its author for the \
             id of its terms (their `game list` shows its first digits), and type  sealed-dice office join {} --keep ID",
            visible(&post_box.url)
        ));
    }
    match taken {
        Ok(()) => Ok(told),
        Err(why) => Err(Answer { out: told.out, talk: [told.talk, why.talk].concat(), ..why }),
    }
}

/// The boxes of this player at an office whose games are not here.
fn listed(home: &Home, client: &Client, pass: &str) -> Told<Vec<Hex32>> {
    let here = Index::of(home)?;
    let (mut games, mut after) = (Vec::new(), None);
    for _ in 0..LISTS {
        let page = client.boxes(after, pass)?;
        let found: Vec<Hex32> = page.games.iter().filter_map(|own| Hex32::parse(&own.game)).collect();
        // An office that would go round in circles is not followed.
        let behind = found.last().copied().filter(|last| Some(*last) > after);
        games.extend(found.into_iter().filter(|game| here.folder(game).is_none()));
        match behind {
            Some(last) if page.more => after = Some(last),
            _ => break,
        }
    }
    Ok(games)
}

/// Takes a game in that an office has for this player, if they want it. Where nobody is there to be asked, as many are taken as
/// `read` keeps of invitations.
fn fetch_game(home: &Home, news: &mut Intake, game: Hex32, page: &Page) -> Told<()> {
    let letters = stored(&page.letters);
    let charter = letters.iter().find(|(_, letter)| letter.message.id() == game);
    let Some(terms) = charter.and_then(|(_, charter)| Terms::parse(&charter.message).ok()) else {
        return news.take_placed(home, letters);
    };
    match terminal::agree(&format!("{}: join it?", described(&terms))) {
        Some(false) => Ok(()),
        agreed => {
            news.wanted.extend(agreed.map(|_| game));
            news.take_placed(home, letters)
        }
    }
}

/// `office card`: what terms must say of an office, or of one that is a time witness in them.
pub(in crate::cli) fn card(url: &str, witness: bool) -> Told<Answer> {
    let card = Client::new(url).card()?;
    let hex = |text: &str| Hex32::parse(text).ok_or_else(|| Answer::unable("the address is no office's"));
    let name: String = visible(&card.name).chars().filter(|c| !matches!(c, '"' | '\\')).collect();
    let (says, holds) = match witness {
        true => (TIME_WITNESS.to_owned(), String::new()),
        false => {
            let says = format!("Together with the player who declares, the office {CHOOSES}");
            (says, format!("deposit = \"{}\"\ndeposit_notes = true\n", hex(&card.deposit)?))
        }
    };
    let terms =
        format!("[office]\n# {says}.\nname = \"{name}\"\nrole = \"office\"\nkey = \"{}\"\n{holds}", hex(&card.key)?);
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
    fn exchange(&self, home: &Home, signing: &Signing, mut news: Intake) -> Told<Answer> {
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
