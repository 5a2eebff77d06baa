//! The exchange of letters between a game and its office (`protocol/post.md` 4 to 9): leaves letters, fetches letters,
//! and reports on both.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    time::Duration,
};

use super::{
    clock::now,
    failure::{Failure, Kind, PlayResult},
    state::Status,
    step::Step,
    table::{Stage, Table},
};
use crate::{
    blob::{Body, Head, Hex32, Keys, Verified, armour, body::Role},
    game::terms::Author,
    keep::{folder::Stored, office_account::OfficeAccount},
    office::{
        answers::{NotTaken, Placed, ROOM, Taken, Used, Waiting},
        client::{Away, Client},
        pass::{LONGEST, Pass},
    },
    primitive::sign::PrivateKey,
    report::{rules::behind, text::visible},
};

/// The maximum number of letters left in one request.
pub(super) const AT_ONCE: usize = 100;
/// The maximum number of bytes of text left in one request. A single letter may be longer.
pub(super) const PART_BYTES: usize = 64 << 10;
/// The remaining lifetime of a pass below which a new one is signed, in seconds.
pub(super) const MARGIN: u64 = 300;
/// The maximum number of pages of a box that are fetched at once; the next `office pull` fetches the rest.
pub(super) const PAGES: usize = 64;
/// The maximum number of pages requested from a list of boxes. Anybody may open boxes that name a player, so the list
/// can be long.
pub(super) const LISTS: usize = 16;
/// The code of the problem that an office reports for a box that does not exist, or that the reader may not read (post
/// 9).
pub(super) const NO_BOX: &str = "no-such-box";
/// The time that a watch waits before it tries an unreachable office again.
pub(super) const AGAIN: Duration = Duration::from_secs(5);

impl From<Away> for Failure {
    fn from(away: Away) -> Self {
        match away {
            Away::Unreached(why) => Self::new(
                Kind::Away,
                format!(
                    "the office cannot be reached: {}. Nothing is lost, and mail works without it. Try again later, or \
                     check the address with the office's operator",
                    visible(&why)
                ),
            ),
            Away::Refused(code, words) => {
                let told = format!("{} ({})", visible(&words), visible(&code));
                match code.as_str() {
                    "busy" => {
                        Self::new(Kind::Busy, "the office is busy: try again later; nothing is done twice (busy)")
                    }
                    "too-many" => Self::new(Kind::Busy, format!("the office refuses this for now: {told}")),
                    "fault" => Self::new(
                        Kind::Away,
                        format!("the office has a fault: {told}. Go on by mail, and tell the office's operator"),
                    ),
                    _ => Self::new(Kind::Declined, format!("the office refuses this: {told}")),
                }
            }
        }
    }
}

/// Makes the failure for a request that the office refuses.
pub(super) fn declined(why: &str) -> Failure {
    Failure::new(Kind::Declined, behind(why))
}

pub(super) fn signed_pass(office: Hex32, key: &PrivateKey) -> PlayResult<(String, u64)> {
    // Slightly less than the maximum, because clocks differ.
    let until = now() + LONGEST - MARGIN;
    Ok((Pass::sign(office, until, key)?, until))
}

/// Whether the account has a pass that remains valid for a while.
pub(super) fn has_pass(office_account: &OfficeAccount) -> bool {
    office_account.pass.as_ref().is_some_and(|(_, until)| *until > now() + MARGIN)
}

/// Parses the letters in an office's answer.
pub(super) fn stored(letters: &[Placed]) -> Vec<(String, Stored)> {
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

/// Joins letters into texts, each short enough for one request.
pub(super) fn parts(letters: &[&Stored]) -> Vec<String> {
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

/// The letters read from a box.
pub(super) struct Fetched {
    pub(super) letters: Vec<Placed>,
    /// The position in the box up to which letters were read.
    pub(super) position: u64,
    /// The generation of the box: positions are comparable only within one generation.
    pub(super) generation: String,
    /// Whether the office has forgotten letters that were left there.
    pub(super) forgot: bool,
}

/// The result of leaving letters.
pub(super) struct Left {
    /// The letters that were left, with the office's answers.
    pub(super) placed: Vec<Placed>,
    /// Notices to show.
    pub(super) said: Vec<String>,
    /// The number of this party's first letter that no longer fits into its share of the box.
    pub(super) refused_from: Option<u64>,
    /// How much of this party's share of the box its letters take up.
    pub(super) used: Option<Used>,
}

/// The office's answers to letters that were left in several requests.
#[derive(Default)]
pub(super) struct Round {
    pub(super) restored: bool,
    pub(super) refused: Vec<NotTaken>,
    pub(super) waits: Vec<Waiting>,
    pub(super) room: Vec<Used>,
    pub(super) taken: HashSet<Hex32>,
}

impl Round {
    pub(super) fn take(&mut self, answer: Taken) {
        self.taken.extend(stored(&answer.letters).iter().map(|(_, letter)| letter.message.id()));
        self.restored |= answer.restored;
        self.refused.extend(answer.refused);
        self.waits.extend(answer.waiting);
        self.room = answer.room;
    }

    /// Lists the letters that still wait after the last request: a letter may have waited for another that was left
    /// after it.
    pub(super) fn waiting(&self) -> Vec<&Waiting> {
        let came = |id: &String| Hex32::parse(id).is_some_and(|id| self.taken.contains(&id));
        let has_come = |waiting: &&Waiting| waiting.code == "missing" && waiting.letters.iter().all(came);
        self.waits.iter().filter(|waiting| !has_come(waiting)).collect()
    }

    /// Returns how much room a role's letters take in the box.
    pub(super) fn used(&self, role: &str) -> Option<Used> {
        self.room.iter().find(|used| used.author == role).cloned()
    }
}

/// Returns the percentage of an author's share that is used; 100 only if all of it is.
pub(super) fn percent(used: &Used) -> u64 {
    let of = |part: u64, whole: u64| part.saturating_mul(100).checked_div(whole).unwrap_or(100);
    of(used.bytes, used.most_bytes).max(of(used.letters, used.most_letters))
}

/// Describes the declarations that an office does not open, and the letters that wait there for missing ones. Each
/// author's letters are listed once.
pub(super) fn all_told(waiting: &[&Waiting], table: &Table) -> Vec<String> {
    let (mut lines, mut waits) = (Vec::new(), BTreeMap::<&Role, BTreeSet<u64>>::new());
    for waiting in waiting {
        let letter = table.stored.iter().find(|letter| letter.message.id().to_string() == waiting.declaration);
        match letter.map(|letter| (letter.message.head(), letter.message.body())) {
            // A time witness never opens anything.
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
            more => ("wait", format!(" and {more} more")),
        };
        Some(format!(
            "letter {first} from {author}{more} {wait} at the office for letters that the office does not have: leave \
             the missing letters there too, or ask {author} for them; nothing becomes void"
        ))
    }));
    lines
}

/// Explains why the office does not open a declaration.
pub(super) fn told(waiting: &Waiting, slot: &str) -> String {
    let why = match waiting.code.as_str() {
        "missing" => {
            "it lacks letters that the declaration depends on: leave them there too, or ask the other player to leave \
             theirs"
        }
        "breach" => "the declaration breaks a rule",
        "fork" => "two letters were signed side by side, and this one does not count",
        "spent" => "an earlier letter has already used the envelope or declared the slot",
        "lost" => {
            "it can no longer read the deposit: the sealer must leave it again, or the office's operator must hand the \
             set back"
        }
        "elsewhere" => "it does not hold the set: the other player opens the dice by mail",
        "busy" => "it is busy and will open the slot later: `office pull` brings the answer",
        "fault" => "it has made a mistake and signs nothing in this game; tell its operator, whose log has the details",
        _ => "its reason is unknown to this program",
    };
    let text = if waiting.text.is_empty() { String::new() } else { format!(" ({})", visible(&waiting.text)) };
    format!("the office does not open {slot}: {why}{text}; nothing becomes void")
}

/// Fetches new letters from the box of the game with these terms.
pub(super) fn fetch(terms: Hex32, office_account: &OfficeAccount, pass: &str) -> Result<Fetched, Away> {
    let client = Client::new(&office_account.url);
    let mut fetched = Fetched {
        letters: Vec::new(),
        position: office_account.position,
        generation: office_account.generation.clone(),
        forgot: office_account.forgot,
    };
    // The limit on pages stops an office whose pages never end.
    for _ in 0..PAGES {
        let page = client.page(terms, fetched.position, pass)?;
        let other = page.generation != fetched.generation;
        let reads_on = fetched.position > 0;
        let is_short = page.next < fetched.position;
        fetched.forgot |= other && !fetched.generation.is_empty() || is_short;
        fetched.generation = page.generation;
        // Positions from before a restore are meaningless, so the box is read from its beginning.
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

impl Table {
    /// Returns the office of this game, as recorded in its folder.
    pub(super) fn office_account(&self) -> Option<OfficeAccount> {
        OfficeAccount::of(&self.folder)
    }

    pub(super) fn office_key(&self) -> PlayResult<Hex32> {
        let key = self.terms.charter.office.as_ref().map(|office| office.key);
        key.ok_or_else(|| Failure::refused("the terms of this game do not name an office: send its letters by mail"))
    }

    pub(super) fn joined(&self) -> PlayResult<OfficeAccount> {
        self.office_key()?;
        self.office_account().ok_or_else(|| {
            Failure::unable(format!(
                "this machine does not know the address of this game's office: set it with  {} URL",
                self.typing.command("office join")
            ))
        })
    }

    /// Returns the number of this party's last letter.
    pub(super) fn last_number(&self) -> u64 {
        self.every_number().into_iter().max().unwrap_or_default()
    }

    /// Whether the office has a letter from this party, as far as is known; `None` if letters go by mail alone. A
    /// letter outside any chain counts as missing, so that it is left again.
    pub(super) fn has_left(&self, head: &Head) -> Option<bool> {
        let office_account = self.office_account().filter(|office_account| !office_account.full)?;
        Some(!office_account.forgot && !head.is_unnumbered() && head.number <= office_account.left)
    }

    /// Adapts a status to a game whose letters go through an office: they are left there, and declarations are opened
    /// at once.
    pub(super) fn by_office(&self, status: &mut Status) {
        let Some(office_account) = self.office_account() else { return };
        if office_account.full {
            return;
        }
        if status.closed && self.last_number() <= office_account.left {
            status.if_lost.clear();
            return;
        }
        status.steps.retain(|step| *step != Step::Resend);
        for step in &mut status.steps {
            if let Step::Declare { office, .. } | Step::DeclareAgain { office, .. } = step {
                *office = true;
            }
        }
        // `left` does not count letters outside any chain: an ask or an answer is left until a letter shows that it was
        // received.
        let asks = self.open_ask().is_ok_and(|ask| ask.is_some()) || !self.unread_answers().is_empty();
        match self.last_number() > office_account.left || office_account.forgot || asks {
            true => status.steps.insert(0, Step::Push),
            false => status.if_lost.clear(),
        }
        // A player who may declare need not do so: they can also check for new letters at the office.
        if status.steps.iter().all(Step::declares) {
            status.steps.push(Step::Pull);
        }
    }

    /// Returns the advice for a party whose share of the box is full.
    pub(super) fn is_full(&self) -> String {
        format!(
            "your share of this game's box at the office is full, and the office takes no new letters from you. Mail \
             what you write ({} prints it). Letters from the others and from the office still come with  {}",
            self.typing.command("resend"),
            self.typing.command("office pull")
        )
    }

    /// Returns that advice for the status, if this party's share of the office's box is known to be full.
    pub(super) fn full_share(&self) -> Option<String> {
        self.office_account().filter(|office_account| office_account.full).map(|_| self.is_full())
    }

    /// Returns the advice to join the game's office, for a player who has not joined it on this machine.
    pub(super) fn where_to_join(&self) -> Option<String> {
        let unknown = self.me.player().is_some() && self.office_key().is_ok() && !self.is_joined();
        unknown.then(|| {
            format!(
                "the terms name an office. If it has an address, set it once, and your letters go there:  {} URL. If \
                 not, mail the office everything that you write",
                self.typing.command("office join")
            )
        })
    }

    /// Checks that this machine knows the address of the game's office.
    pub(super) fn check_joined(&self) -> PlayResult<()> {
        self.joined().map(|_| ())
    }

    /// Lists the letters to leave at the office: those that its own letters do not show it to have, and this player's
    /// unconfirmed deposits; or all letters, if `everything` is set.
    pub(super) fn to_leave(&self, everything: bool) -> Vec<&Stored> {
        let office = self.terms.role_of(Author::Office);
        let by_id: HashMap<Hex32, &Stored> = self.stored.iter().map(|letter| (letter.message.id(), letter)).collect();
        // The office has every letter in the past of one of its own.
        let theirs = self.stored.iter().filter(|letter| Some(&letter.message.head().author) == office);
        let mut open: Vec<&Stored> = theirs.collect();
        let mut known: HashSet<Hex32> = HashSet::new();
        while let Some(letter) = open.pop() {
            if known.insert(letter.message.id()) {
                open.extend(letter.message.names().iter().filter_map(|id| by_id.get(id).copied()));
            }
        }
        // The office also gets its own last letter, because it may have forgotten that one without knowing (post 18).
        let last = self.stored.iter().filter(|letter| Some(&letter.message.head().author) == office);
        let last = last.max_by_key(|letter| letter.message.head().number).map(|letter| letter.message.id());
        let is_new = |letter: &&Stored| {
            let (head, id) = (letter.message.head(), letter.message.id());
            !head.is_unnumbered() && (everything || Some(id) == last || !known.contains(&id))
        };
        let mut letters: Vec<&Stored> = self.stored.iter().filter(is_new).collect();
        letters.sort_by_key(|letter| letter.message.head().number);
        // If there is nothing else to leave, the charter is left: the office may have been restored and forgotten
        // everything.
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

    /// Whether the folder has the letter with this id, written as the office writes it.
    pub(super) fn has_here(&self, id: &str) -> bool {
        self.stored.iter().any(|letter| letter.message.id().to_string() == id)
    }

    /// Leaves the letters that the office may lack, or all of them if it has forgotten any or reports a restore.
    pub(super) fn leave(&self, office_account: &OfficeAccount, pass: &str, forgot: bool) -> Result<Left, Away> {
        let client = Client::new(&office_account.url);
        let (mut placed, mut everything) = (Vec::new(), forgot);
        loop {
            let mut round = Round::default();
            for text in parts(&self.to_leave(everything)) {
                let taken = client.post(self.terms.id, &text, pass)?;
                placed.extend(taken.letters.iter().cloned());
                round.take(taken);
            }
            let waiting = round.waiting();
            // If the office lacks letters that are here, it has lost letters that were left earlier, so all are left
            // again.
            let lacks = waiting.iter().flat_map(|waiting| &waiting.letters).any(|id| self.has_here(id));
            if !everything && (round.restored || lacks) {
                everything = true;
                continue;
            }
            let mut said = all_told(&waiting, self);
            let refused = round.refused.iter();
            said.extend(refused.map(|refused| format!("the office did not take a letter: {}", visible(&refused.text))));
            let mut once = HashSet::new();
            said.retain(|line| once.insert(line.clone()));
            if round.restored {
                said.push(
                    "the office was restored from a backup and signs nothing until its operator declares an epoch; it \
                     has all your letters now"
                        .into(),
                );
            }
            let own = round.refused.iter().filter(|refused| refused.class == ROOM);
            let own = own.filter_map(|refused| self.own_number(refused.id.as_deref()?));
            return Ok(Left { placed, said, refused_from: own.min(), used: round.used(self.role.as_str()) });
        }
    }

    /// Returns the number of the letter with this id, if this party wrote it.
    pub(super) fn own_number(&self, id: &str) -> Option<u64> {
        let heads = self.stored.iter().filter(|letter| letter.message.id().to_string() == id);
        heads.map(|letter| letter.message.head()).find(|head| head.author == self.role).map(|head| head.number)
    }

    /// Turns an office's problem into a failure. If the office has no box for this game, the failure explains what to
    /// do.
    pub(super) fn has_no_box(&self, away: Away, url: &str) -> Failure {
        match away {
            Away::Refused(code, _) if code == NO_BOX => declined(&format!(
                "the office no longer has a box for this game: open it again with  {} office join {} --game {}",
                self.typing.program,
                visible(url),
                self.name()
            )),
            away => away.into(),
        }
    }

    /// Whether there may be letters to exchange with the office in this game. Anybody can open a box that names this
    /// party, so a game in which it has signed nothing is exchanged only if the command names it.
    pub(super) fn posts(&self) -> bool {
        let is_open = |office_account: OfficeAccount| self.lives() || self.last_number() > office_account.left;
        !self.has_signed_nothing() && self.office_account().is_some_and(is_open)
    }
}
