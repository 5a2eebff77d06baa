//! The letters of a box in memory, and what the office makes of new ones: which it takes, what it signs, what it does not
//! open and why (`protocol/post.md` 3 to 5). Pure: the time and the keys come in as values.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    held::Held,
    room::{Room, Share},
    store::Mark,
};
use crate::{
    blob::{
        Body, Hex32, Kind, Verified,
        body::Role,
        office::{Office, Receipt},
        resync::Resync,
    },
    error::{Class, Error, Result},
    game::{
        asks::{self, Open},
        days,
        ledger::Ledger,
        node::Node,
        opener::{self, Because, Due, Unopened},
        order::Order,
        steps::{Letter, Seat},
        terms::{Author, Terms},
    },
    keep::root::Keys,
    limits::{LIST, MOMENT},
    primitive::{
        hash::{h, tag},
        wrap,
    },
};

/// The letters of one box, in the order of their positions.
#[derive(Debug)]
pub struct Pile {
    terms: Arc<Terms>,
    letters: Vec<Letter>,
    /// Where each letter is, by its id.
    positions: HashMap<Hex32, u64>,
    /// Where the office's reveals and answers are, by the declaration or the ask that they are for.
    answers: HashMap<Hex32, Vec<u64>>,
    /// Where its receipts for deposits are, by their seals.
    receipts: HashMap<Hex32, Vec<u64>>,
    /// The accepts with which games begin.
    begun: Vec<Hex32>,
    /// Every letter with the key that signed it: a copy under another is none of the game.
    known: HashSet<(Hex32, Hex32)>,
    bytes: usize,
    room: Room,
    settled: Option<Settled>,
    /// What the letters have come to, or the first of them: whoever decides takes it along.
    held: Mutex<Option<Held>>,
    /// What is due from the office: [`opener::due`], but in tests of what comes of a mistake in that.
    due: fn(&Ledger<'_>) -> Vec<Due>,
}

/// Letters of which nothing makes anything due, at whatever time: until others come, what is asked again needs no replay.
#[derive(Clone, Debug, Default)]
pub struct Settled {
    /// Declarations, and letters that wait for others, that were asked about: why they are not opened.
    reasons: HashMap<Hex32, Vec<Unopened>>,
    /// Whether some letters wait for others.
    some_wait: bool,
}

/// A letter that was not taken, and why.
#[derive(Clone, Debug)]
pub struct Refused {
    /// Its id.
    pub id: Hex32,
    /// The class of the reason (audit 6), or [`ROOM`].
    pub class: &'static str,
    /// The reason, and what to do.
    pub text: String,
}

/// The class of letters for which their author's share has no room (post 21).
pub const ROOM: &str = "room";

/// What comes of new letters.
#[derive(Debug, Default)]
pub struct Decision {
    /// Those that are taken, and behind them the office's own.
    pub letters: Vec<Letter>,
    /// How many of these the office signed: the last ones.
    pub signed: usize,
    /// What its reveals open.
    pub marks: Vec<Mark>,
    /// What was not taken.
    pub refused: Vec<Refused>,
    /// What was brought and waits: declarations that it does not open, and letters that name others which are not here.
    pub waiting: Vec<Unopened>,
    /// Positions of what was brought and is here already, and of the office's reveals for it.
    pub again: Vec<u64>,
    /// Whether it signs nothing, for it was restored and waits for its operator (office 25, post 17).
    pub restored: bool,
    /// Whether it begins an epoch.
    pub epoch: bool,
    /// A letter that this office has signed, and its box does not have: the store has forgotten (post 18). Nothing of this is
    /// stored before that is marked.
    pub forgot: Option<Hex32>,
    /// That it signs nothing, for it would break a rule: a mistake of this program's.
    pub broke: Option<String>,
    /// What it could not do, for the operator.
    pub talk: Vec<String>,
    /// Whether the letters wait for their turn: nothing was decided but which are taken.
    pub late: bool,
    /// That nothing is due behind all these letters.
    pub settled: Option<Settled>,
    /// What all its letters have come to, and those before them.
    pub(super) held: Option<Held>,
    /// How many letters were replayed for it, those counted again that were replayed again.
    pub replayed: usize,
    /// How many declarations, and sets without a receipt, were looked at for it, likewise.
    pub looked_at: usize,
}

/// How the office stands to a box after a restore (post 17).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// It was not restored since.
    Signs,
    /// It was, and its operator has not declared an epoch.
    Waits,
    /// He has: it begins one before it signs anything else.
    Begins,
}

/// How often the office looks again at what its own letters have made due.
const ROUNDS: usize = 8;

impl Pile {
    /// A box with its charter, in which each author may have `most`.
    ///
    /// # Errors
    /// As [`Terms::parse`].
    pub fn new(charter: Letter, most: Share) -> Result<Self> {
        let (terms, room) = (Arc::new(Terms::parse(&charter.message)?), Room::of(most));
        let mut pile = Self {
            terms,
            letters: Vec::new(),
            positions: HashMap::new(),
            answers: HashMap::new(),
            receipts: HashMap::new(),
            begun: Vec::new(),
            known: HashSet::new(),
            bytes: 0,
            room,
            settled: None,
            held: Mutex::default(),
            due: opener::due,
        };
        pile.push(charter);
        Ok(pile)
    }

    /// A box whose office is mistaken about what is due from it.
    #[cfg(feature = "fail-points")]
    #[must_use]
    pub fn mistaken(self, due: fn(&Ledger<'_>) -> Vec<Due>) -> Self {
        Self { due, ..self }
    }

    /// Adds a letter that is stored.
    pub fn push(&mut self, letter: Letter) {
        let (message, position) = (&letter.message, self.last() + 1);
        self.known.insert((message.id(), message.key()));
        self.positions.insert(message.id(), position);
        self.bytes += letter.frame.len();
        let author = self.terms.author_of(&message.head().author);
        if let Some(author) = author {
            self.room.add(author, &letter);
        }
        if self.terms.begins_game(message) {
            self.begun.push(message.id());
        }
        match message.body() {
            _ if author != Some(Author::Office) => {}
            Body::Reveal(reveal) => {
                let declaration = reveal.declaration.into_iter();
                declaration.for_each(|id| self.answers.entry(id).or_default().push(position));
            }
            Body::Resync(Resync::Answer(answer)) => self.answers.entry(answer.ask).or_default().push(position),
            Body::Receipt(Receipt::Deposit(about)) => {
                about.seals.iter().for_each(|seal| self.receipts.entry(*seal).or_default().push(position));
            }
            _ => {}
        }
        self.letters.push(letter);
        self.settled = None;
    }

    /// Takes over what was decided, once it is stored.
    pub fn stored(&mut self, decision: &mut Decision) {
        decision.letters.iter().for_each(|letter| self.push(letter.clone()));
        if let Some(held) = decision.held.take() {
            self.held = Mutex::new(Some(held));
        }
        if let Some(found) = decision.settled.take() {
            match &mut self.settled {
                Some(settled) => settled.reasons.extend(found.reasons),
                None => self.settled = Some(found),
            }
        }
    }

    /// The terms of the game.
    #[must_use]
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// How many letters there are: the position of the last.
    #[must_use]
    pub fn last(&self) -> u64 {
        self.letters.len() as u64
    }

    /// The bytes of all frames.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// What each author may have in the box at most, and what those have who are counted.
    pub fn room(&self) -> (Share, impl Iterator<Item = (&Role, Share)>) {
        let counted = self.terms.authors().filter(|(author, _)| *author != Author::Office);
        (self.room.most(), counted.map(|(author, role)| (role, self.room.used(author))))
    }

    /// Whether a letter is here.
    #[must_use]
    pub fn has(&self, message: &Verified) -> bool {
        self.known.contains(&(message.id(), message.key()))
    }

    /// A letter by its id.
    #[must_use]
    pub fn letter(&self, id: &Hex32) -> Option<&Letter> {
        self.at(*self.positions.get(id)?)
    }

    /// The keys that the terms give to the parties.
    pub fn parties(&self) -> impl Iterator<Item = Hex32> {
        Author::ALL.into_iter().filter_map(|author| self.terms.key_of(author))
    }

    /// What comes of new letters: which are taken, and what the office says then, as the box's `mode` allows. `now` is
    /// in seconds since 1970.
    ///
    /// # Errors
    /// If the office would sign what breaks a rule, or cannot sign: nothing is to be stored then.
    pub fn decide(&self, new: Vec<Letter>, keys: &Keys, now: u64, mode: Mode) -> Result<Decision> {
        let (mut decision, brought) = self.take(new, mode);
        // What is of no game of this box makes nothing due, nor an epoch begin.
        let is_of_no_game = decision.letters.is_empty() && decision.again.is_empty();
        if is_of_no_game || decision.forgot.is_some() {
            return Ok(decision);
        }
        self.answer(&mut decision, &brought, keys, (now, mode))?;
        Ok(decision)
    }

    /// What the office signs now for letters that it took before, and had no time for, in a box that waits for no epoch.
    ///
    /// # Errors
    /// As [`Self::decide`].
    pub fn catch_up(&self, keys: &Keys, now: u64) -> Result<Decision> {
        let mut decision = Decision::default();
        if self.settled.is_none() {
            self.answer(&mut decision, &HashSet::new(), keys, (now, Mode::Signs))?;
        }
        Ok(decision)
    }

    /// Which new letters are taken where there is no time to answer them. None for deposits and asks, which cannot wait
    /// (post 19).
    #[must_use]
    pub fn keep(&self, new: Vec<Letter>, mode: Mode) -> Option<Decision> {
        let is_hard = |letter: &Letter| {
            let waits_for_one = matches!(letter.message.body(), Body::Deposit(_) | Body::Resync(Resync::Ask(_)));
            waits_for_one && !self.has(&letter.message)
        };
        if new.iter().any(is_hard) {
            return None;
        }
        let (mut decision, brought) = self.take(new, mode);
        let again = decision.again.iter().filter_map(|position| self.at(*position));
        let opened: HashSet<Hex32> = again.filter_map(|letter| declaration_of(&letter.message)).collect();
        let declared = self.all(&decision.letters).filter(|message| message.head().kind == Kind::Declare);
        let declared = declared.map(Verified::id).filter(|id| brought.contains(id) && !opened.contains(id));
        decision.waiting = declared.map(|id| opener::unable(id, Because::Busy)).collect();
        decision.late = !decision.letters.is_empty() || !decision.waiting.is_empty();
        decision.restored = mode == Mode::Waits;
        Some(decision)
    }

    /// The answer to letters that are all here and make nothing due: what a replay would come to.
    #[must_use]
    pub fn told(&self, letters: &[Letter]) -> Option<Decision> {
        let settled = self.settled.as_ref()?;
        let is_known = |letter: &Letter| {
            let may_wait = letter.message.head().kind == Kind::Declare || settled.some_wait;
            let needs_none = letter.message.head().is_unnumbered() || !may_wait;
            self.has(&letter.message) && (needs_none || settled.reasons.contains_key(&letter.message.id()))
        };
        if !letters.iter().all(is_known) {
            return None;
        }
        let brought: HashSet<Hex32> = letters.iter().map(|letter| letter.message.id()).collect();
        let again = self.again(&brought);
        let told = again.iter().filter_map(|position| self.at(*position)?.message.id().into());
        let mut once = HashSet::new();
        let told = told.filter(|id: &Hex32| once.insert(*id) && brought.contains(id));
        let waiting = told.filter_map(|id| settled.reasons.get(&id)).flatten().cloned().collect();
        Some(Decision { again, waiting, ..Decision::default() })
    }

    /// Which new letters are taken, and which are here; nothing is signed yet. With the ids of all of them.
    fn take(&self, new: Vec<Letter>, mode: Mode) -> (Decision, HashSet<Hex32>) {
        let brought: HashSet<Hex32> = new.iter().map(|letter| letter.message.id()).collect();
        let mut decision = Decision { again: self.again(&brought), ..Decision::default() };
        let mut letters: Vec<Letter> = new.into_iter().filter(|letter| !self.has(&letter.message)).collect();
        let mut once = HashSet::new();
        letters.retain(|letter| once.insert((letter.message.id(), letter.message.key())));
        // An accept may come behind what it begins.
        letters.sort_by_key(|letter| match (letter.message.head().kind, letter.message.head().is_unnumbered()) {
            (Kind::Accept, _) => 0,
            (_, false) => 1,
            (_, true) => 2,
        });
        let mut room = self.room.clone();
        for letter in letters {
            let id = letter.message.id();
            match self.check(&decision.letters, &letter.message) {
                Ok(author) => match room.take(author, &letter) {
                    Ok(()) => decision.letters.push(letter),
                    Err(full) => decision.refused.push(Refused { id, class: ROOM, text: full.to_string() }),
                },
                Err(error) => {
                    let class = error.class().as_str();
                    decision.refused.push(Refused { id, class, text: error.to_string() });
                }
            }
        }
        if mode == Mode::Signs {
            decision.forgot = self.forgot(&decision.letters);
        }
        (decision, brought)
    }

    /// The positions of letters that are here, and of what the office has signed for them: reveals, receipts for
    /// deposits, and answers.
    fn again(&self, brought: &HashSet<Hex32>) -> Vec<u64> {
        let mut positions = BTreeSet::new();
        for id in brought {
            positions.extend(self.positions.get(id));
            positions.extend(self.answers.get(id).into_iter().flatten());
            if let Some(Body::Deposit(deposit)) = self.letter(id).map(|letter| letter.message.body()) {
                positions.extend(self.receipts.get(&deposit.seal).into_iter().flatten());
            }
        }
        positions.into_iter().collect()
    }

    /// A letter among new ones that only this office can have signed, and has not: not in this store. Letters of a branch that
    /// an epoch of this box has left behind were forgotten before it, and no news.
    fn forgot(&self, new: &[Letter]) -> Option<Hex32> {
        let is_own = |letter: &&Letter| {
            let head = letter.message.head();
            let is_office = self.terms.author_of(&head.author) == Some(Author::Office);
            is_office && !head.is_unnumbered() && head.kind != Kind::Accept
        };
        let shown: HashMap<Hex32, &Letter> =
            new.iter().filter(is_own).map(|letter| (letter.message.id(), letter)).collect();
        if shown.is_empty() {
            return None;
        }
        let own: HashMap<Hex32, &Letter> =
            self.letters.iter().filter(is_own).map(|letter| (letter.message.id(), letter)).collect();
        let begins = |letter: &&&Letter| matches!(letter.message.body(), Body::Receipt(Receipt::Epoch(_)));
        let Some(epoch) = own.values().filter(begins).map(|letter| letter.message.head().number).max() else {
            return shown.into_keys().min();
        };
        // It counts only if all its chain back to a letter of after the epoch is here.
        let follows = |letter: &Letter| {
            let mut prev = letter.message.head().prev;
            while let Some(id) = prev {
                match (own.get(&id), shown.get(&id)) {
                    (Some(here), _) => return here.message.head().number >= epoch,
                    (None, Some(letter)) => prev = letter.message.head().prev,
                    (None, None) => return false,
                }
            }
            false
        };
        shown.iter().filter(|(_, letter)| follows(letter)).map(|(id, _)| *id).min()
    }

    /// The letter at a position.
    #[must_use]
    pub fn at(&self, position: u64) -> Option<&Letter> {
        self.letters.get(usize::try_from(position).ok()?.checked_sub(1)?)
    }

    fn all<'l>(&'l self, more: &'l [Letter]) -> impl Iterator<Item = &'l Verified> + Clone {
        self.letters.iter().chain(more).map(|letter| &letter.message)
    }

    /// The game of the box that the office goes on with (charter 24).
    fn game(&self, more: &[Letter]) -> Option<Hex32> {
        let new = more.iter().map(|letter| &letter.message).filter(|message| self.terms.begins_game(message));
        let mut begun = self.begun.iter().copied().chain(new.map(Verified::id));
        match (begun.next(), begun.next()) {
            (_, Some(_)) => self.terms.game_of(Author::Office, self.all(more)),
            (game, None) => game,
        }
    }

    /// What the letters of the box have come to, and more behind them, and how many were replayed for it: from what is held,
    /// unless some letter changes more than it says itself.
    fn come_to(&self, held: Option<Held>, game: Hex32, more: &[Letter]) -> (Held, usize) {
        let grown = held.filter(|held| held.game() == game).and_then(|mut held| {
            let (count, here) = (held.count(), self.letters.len());
            let behind = self.letters.get(count..).unwrap_or_default();
            let new = more.get(count.saturating_sub(here)..).unwrap_or_default();
            let taken = behind.iter().chain(new).map(|letter| held.take(&letter.message)).sum::<Option<usize>>()?;
            Some((held, taken))
        });
        grown.unwrap_or_else(|| Held::of(&self.terms, game, self.all(more)))
    }

    fn held(&self) -> Option<Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Whether it is held what the letters, or the first of them, have come to.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Lets go of what the letters have come to: they are replayed when it is asked for.
    pub fn let_go(&mut self) {
        self.held = Mutex::default();
    }

    /// How many bytes of letters are replayed to decide on new ones, as a rule.
    #[must_use]
    pub fn work(&self, new: &[Letter]) -> usize {
        let bytes = new.iter().map(|letter| letter.frame.len()).sum::<usize>();
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let new = new.iter().map(|letter| &letter.message).filter(|message| !self.has(message));
        let is_kept = held.as_ref().is_some_and(|held| held.count() == self.letters.len() && held.fits(new));
        if is_kept { bytes } else { self.bytes + bytes }
    }

    /// Whether a letter is one of this box (post 3), and whose.
    fn check(&self, before: &[Letter], message: &Verified) -> Result<Author> {
        let other_game = || Error::malformed(Class::Game, "the letter is of another game");
        let head = message.head();
        let author = self.terms.author_of(&head.author).ok_or_else(other_game)?;
        let is_own = match message.body() {
            Body::Charter(_) => return Err(other_game()),
            Body::Accept(accept) if accept.charter != self.terms.id => return Err(other_game()),
            Body::Accept(_) => true,
            Body::Withdraw(_) if head.game == Some(self.terms.id) => author == Author::Player(self.terms.author),
            _ => {
                let begun = |game: Hex32| {
                    let here = self.letter(&game).into_iter().chain(before);
                    let mut here = here.map(|letter| &letter.message);
                    here.any(|accept| accept.id() == game && accept.head().kind == Kind::Accept)
                };
                head.game.filter(|game| begun(*game)).map(|_| true).ok_or_else(other_game)?
            }
        };
        match is_own && self.terms.key_of(author) == Some(message.key()) {
            true => Ok(author),
            false => Err(Error::malformed(
                Class::Game,
                "the letter is not signed with the key that the terms give its author",
            )),
        }
    }

    /// What the office signs, until nothing is due any more.
    fn answer(
        &self,
        decision: &mut Decision,
        brought: &HashSet<Hex32>,
        keys: &Keys,
        (now, mode): (u64, Mode),
    ) -> Result<()> {
        let Some(office) = self.terms.charter.office.as_ref() else { return Ok(()) };
        let Some(game) = self.game(&decision.letters) else { return Ok(()) };
        if !fits(office, keys) {
            let text = "the secret of the deposit key that the terms name is not on this machine";
            return Err(Error::Misuse(text.into()));
        }
        let taken = decision.letters.len();
        // Of another game on these terms nothing waits here.
        let is_told = |message: &&Verified| {
            let head = message.head();
            !head.is_unnumbered() && [Some(self.terms.id), Some(game)].contains(&head.game)
        };
        let here: BTreeSet<u64> = brought.iter().filter_map(|id| self.positions.get(id)).copied().collect();
        let here = here.into_iter().filter_map(|position| self.at(position)).chain(&decision.letters);
        let told = here.map(|letter| &letter.message).filter(is_told);
        let told: Vec<&Verified> = told.filter(|message| brought.contains(&message.id())).collect();
        let declared = told.iter().filter(|message| message.head().kind == Kind::Declare);
        let declared: Vec<Hex32> = declared.map(|message| message.id()).collect();
        let told: Vec<Hex32> = told.into_iter().map(Verified::id).collect();
        let (mut held, mut dated) = (self.held(), false);
        for _ in 0..ROUNDS {
            let (come_to, replayed) = self.come_to(held.take(), game, &decision.letters);
            decision.replayed += replayed;
            let asks = come_to.asks();
            let round = Round { pile: self, held: &come_to, asks, keys, taken, told: &told, declared: &declared };
            match round.answer(decision, &mut dated, (now, mode))? {
                Next::Rest => {
                    decision.held = Some(come_to);
                    return Ok(());
                }
                Next::Broken(broke) => {
                    decision.breaks(broke, taken, &declared);
                    return Ok(());
                }
                Next::Signed(letters) => {
                    decision.marks.extend(letters.iter().flat_map(marks));
                    decision.signed += letters.len();
                    decision.letters.extend(letters);
                    held = Some(come_to);
                }
            }
        }
        decision.breaks("the office does not come to an end with what it has to sign".into(), taken, &declared);
        Ok(())
    }

    /// Where the office goes on.
    fn seat(ledger: &Ledger<'_>, keys: &Keys) -> Seat {
        Seat::resume_as(ledger, Author::Office, keys.signing().clone(), keys.vault().clone())
    }

    /// The letter by which the office hands sets back (office 20).
    ///
    /// # Errors
    /// As [`opener::hand_back`]; or if the game has not begun.
    pub fn hand_back(&self, purposes: &[String], keys: &Keys) -> Result<Letter> {
        let refused = |text: &str| Error::Refused(text.into());
        let game = self.game(&[]).ok_or_else(|| refused("the game has not begun"))?;
        let (held, _) = self.come_to(self.held(), game, &[]);
        let letter = held.look(|_, ledger| Self::seat(ledger, keys).write(opener::hand_back(ledger, purposes)?))?;
        let (held, _) = self.come_to(Some(held), game, std::slice::from_ref(&letter));
        let broke = held.look(|order, ledger| broken(order, ledger, std::slice::from_ref(&letter)));
        broke.map_or(Ok(letter), |broke| Err(Error::Refused(broke)))
    }

    /// The letter with which the office accepts the terms (office 2), if they name one of these keys and it has not.
    ///
    /// # Errors
    /// If the terms name no key, or no deposit key, that is here.
    pub fn accept(&self, keys: &Keys) -> Result<Option<Letter>> {
        let refused = |text: &str| Error::Refused(text.into());
        let office = self.terms.charter.office.as_ref().ok_or_else(|| refused("the terms name no office"))?;
        if office.key.0 != *keys.signing().public().as_bytes() {
            return Err(refused("the terms name another office"));
        }
        if !fits(office, keys) {
            return Err(refused("the terms name a deposit key that is not this office's"));
        }
        let accepts =
            |letter: &Letter| letter.message.head().kind == Kind::Accept && letter.message.head().author == office.role;
        if self.letters.iter().any(accepts) {
            return Ok(None);
        }
        let charter = self.letter(&self.terms.id).ok_or_else(|| refused("the box has no charter"))?;
        let author = self.terms.role(self.terms.author).clone();
        let mut seat = Seat::new(office.role.clone(), keys.signing().clone(), keys.vault().clone(), author);
        self.terms.seen_by(Author::Office).for_each(|role| seat.with_other(role.clone()));
        // Of one charter always the same letter: an office that forgets it, being restored, does not sign two.
        let nonce = Hex32(h(tag::ACCEPT_NONCE, &[keys.vault().expose(), &self.terms.id.0]));
        seat.accept(&charter.message, false, nonce).map(Some)
    }
}

/// Whether the terms let the office hold what it can open: a time witness holds nothing (office 1, 34).
fn fits(office: &Office, keys: &Keys) -> bool {
    office.deposit.as_ref().is_none_or(|deposits| wrap::public(keys.deposit()) == Some(deposits.key.0))
}

/// One look at what the letters of a box have come to, and what the office signs then.
struct Round<'r> {
    pile: &'r Pile,
    held: &'r Held,
    /// The asks that wait.
    asks: Vec<Open>,
    keys: &'r Keys,
    /// How many of the decision's letters are not the office's.
    taken: usize,
    /// The letters that were brought, and those of them that are declarations.
    told: &'r [Hex32],
    declared: &'r [Hex32],
}

/// What comes of it.
enum Next {
    /// Nothing is due any more.
    Rest,
    /// It signs these.
    Signed(Vec<Letter>),
    /// It would break a rule.
    Broken(String),
}

impl Round<'_> {
    fn answer(self, decision: &mut Decision, dated: &mut bool, (now, mode): (u64, Mode)) -> Result<Next> {
        self.held.look(|order, ledger| {
            if let Some(broke) = broken(order, ledger, decision.letters.get(self.taken..).unwrap_or_default()) {
                return Ok(Next::Broken(broke));
            }
            let is_placed = |id: &Hex32| ledger.letter(id).is_some();
            let told = self.told.iter().filter(|id| self.declared.contains(id) || !is_placed(id));
            let unopened = told.clone().filter_map(|id| opener::unopened(order, ledger, *id));
            let waiting = unopened.map(|unopened| self.lacking(unopened, order, ledger, &decision.letters)).collect();
            decision.waiting = waiting;
            let (deposits, time) = (self.held.deposits(), opener::moment(ledger, now, 0));
            let mut owed =
                opener::owed(ledger, Author::Office, deposits, self.keys.deposit(), time, &(self.pile.due)(ledger))?;
            decision.looked_at += owed.looked_at;
            // One line, whoever floods it.
            let first =
                owed.refused.first().map(|error| format!("{} not done; the first: {error}", owed.refused.len()));
            decision.talk = first.into_iter().collect();
            // The time is told once a request, whoever waits for it.
            let is_at_rest = owed.bodies.is_empty()
                && self.asks.is_empty()
                && mode == Mode::Signs
                && !days::office_owes_the_time(ledger, MOMENT);
            owed.bodies.retain(|body| !is_time(body) || !std::mem::replace(dated, true));
            owed.lost.dedup();
            let lost_deposits = owed.lost.iter().filter(|id| self.declared.contains(*id));
            decision.waiting.extend(lost_deposits.map(|id| opener::unable(*id, Because::Lost)));
            // Its operator says that it was restored, and nobody else: anybody can name a letter of its that never was.
            decision.restored = mode == Mode::Waits;
            let begins = mode == Mode::Begins && !decision.epoch;
            // Restored, it signs nothing but answers (post 17).
            if decision.restored {
                owed.bodies.clear();
            }
            if owed.bodies.is_empty() && self.asks.is_empty() && !begins {
                let (asked, some_wait) = (told.map(|id| (*id, decision.reasons(id))), self.held.some_wait());
                decision.settled = is_at_rest.then(|| Settled { reasons: asked.collect(), some_wait });
                return Ok(Next::Rest);
            }
            if begins {
                decision.epoch = true;
                // What is due is another thing then.
                owed.bodies = vec![Body::Receipt(Receipt::Epoch(opener::moment(ledger, now, 1)))];
            }
            let mut seat = Pile::seat(ledger, self.keys);
            let letters = owed.bodies.into_iter().map(|body| seat.write(body));
            // Behind an epoch they are signed in the next round.
            let open = self.asks.iter().filter(|_| !begins);
            let letters = letters.chain(open.map(|ask| self.answered(ledger, ask)));
            Ok(Next::Signed(letters.collect::<Result<Vec<Letter>>>()?))
        })
    }

    /// The answer to an ask (keys 4), in no chain.
    fn answered(&self, ledger: &Ledger<'_>, ask: &Open) -> Result<Letter> {
        let body = asks::answer(ask, ledger.last_letter_of(ask.asker).map(Node::id));
        asks::unnumbered(ledger.terms, Author::Office, ledger.game, body, self.keys.signing())
    }

    /// Of letters that are missing, those alone that a letter rests on, among letters that are here, placed or not.
    fn lacking(&self, unopened: Unopened, order: &Order, ledger: &Ledger<'_>, new: &[Letter]) -> Unopened {
        if unopened.because != Because::Missing {
            return unopened;
        }
        let new: HashMap<Hex32, &Letter> = new.iter().map(|letter| (letter.message.id(), letter)).collect();
        let (mut open, mut reached, mut letters) = (vec![unopened.declaration], HashSet::new(), Vec::new());
        while let Some(id) = open.pop() {
            // Nothing is missing behind a letter that is placed.
            if ledger.letter(&id).is_some() || !reached.insert(id) {
                continue;
            }
            match self.pile.letter(&id).or_else(|| new.get(&id).copied()) {
                Some(letter) => open.extend(letter.message.names()),
                None => letters.extend(order.missing.contains_key(&id).then_some(id)),
            }
        }
        letters.sort_unstable();
        letters.truncate(LIST);
        Unopened { letters, ..unopened }
    }
}

/// What the office's new letters would break: they are judged before they are stored.
fn broken(order: &Order, ledger: &Ledger<'_>, own: &[Letter]) -> Option<String> {
    let is_forked = |id: &Hex32| order.forks.iter().any(|fork| fork.ids.contains(id));
    let text = own.iter().map(|letter| letter.message.id()).find_map(|id| match ledger.found_on(&id) {
        Some(finding) => Some(finding.text.clone()),
        None => is_forked(&id).then(|| "chain 8: another letter follows the same one".into()),
    })?;
    Some(format!("the office would break a rule, and signs nothing: {text}"))
}

impl Decision {
    /// Why a letter is not opened, or waits.
    fn reasons(&self, id: &Hex32) -> Vec<Unopened> {
        self.waiting.iter().filter(|waiting| waiting.declaration == *id).cloned().collect()
    }

    /// The letters that were left are taken all the same: a box must not be closed by a mistake of this program's.
    fn breaks(&mut self, broke: String, taken: usize, declared: &[Hex32]) {
        self.broke = Some(broke);
        self.letters.truncate(taken);
        (self.marks, self.signed, self.epoch) = (Vec::new(), 0, false);
        self.waiting = declared.iter().map(|id| opener::unable(*id, Because::Fault)).collect();
    }
}

/// The declaration that a reveal is for.
fn declaration_of(message: &Verified) -> Option<Hex32> {
    match message.body() {
        Body::Reveal(reveal) => reveal.declaration,
        _ => None,
    }
}

fn is_time(body: &Body) -> bool {
    matches!(body, Body::Receipt(Receipt::Time(_)))
}

/// The places that a reveal opens.
fn marks(letter: &Letter) -> Vec<Mark> {
    let Body::Reveal(reveal) = letter.message.body() else { return Vec::new() };
    let mark = |index, line| Mark { seal: reveal.seal, index, line, letter: letter.message.id() };
    let envelopes = reveal.keys.iter().map(|key| mark(key.0, 0));
    envelopes.chain(reveal.sheets.iter().map(|cell| mark(cell.0, cell.1))).collect()
}
