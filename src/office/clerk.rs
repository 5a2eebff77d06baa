//! The clerk: takes what is brought to a box, decides, stores, and only then answers (`protocol/post.md` 3, 4). It knows
//! no HTTP.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use lru::LruCache;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};

use super::{
    hub::Hub,
    pile::{Decision, Mode, Pile, Refused},
    store::{AnyStore, Append, Appended, Fault, New, Row, Stand},
    turns::{Turns, are_few},
};
use crate::{
    blob::{Body, Hex32, Keys, Verified},
    error::Error,
    game::{
        keys::key_behind,
        opener::{Guards, Unopened},
        steps::Letter,
    },
    keep::key_ring::Unlocked,
};

/// How much more a letter takes in memory than its frame has bytes, roughly.
const PARSED: usize = 3;
/// What a box takes in memory beside its letters, in bytes, roughly.
const BOX: usize = 8 << 10;
/// Most bytes of letters that an answer quotes (post 5).
const QUOTED: usize = 1 << 20;
/// A box whose last decision took longer has its next one in its turn: so long that a wait for a core does not come to it.
const MOMENT: Duration = Duration::from_millis(20);
/// How often a step is tried again when somebody else came first.
const TRIES: usize = 32;
/// How much is read from the store at once, in bytes.
const PAGE: u64 = 4 << 20;

/// What an office holds to.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Most bytes of letters in one box.
    pub box_bytes: u64,
    /// Most bytes of letters that stay in memory.
    pub memory_bytes: usize,
}

/// What came of letters that were brought.
#[derive(Debug, Default)]
pub struct Posted {
    /// Those that were brought or are new in the box, the office's own included, with their positions.
    pub letters: Vec<(u64, Letter)>,
    /// The position of the last letter of the box.
    pub last: u64,
    /// Whether anything that was brought is in the box now: who brought it knows that the box is there.
    pub is_of_box: bool,
    /// What was not taken.
    pub refused: Vec<Refused>,
    /// Declarations that the office does not open, with the letters that show why.
    pub waiting: Vec<(Unopened, Vec<Letter>)>,
    /// Whether the office has something to sign and waits for an epoch.
    pub restored: bool,
}

/// Why nothing came of it.
#[derive(Debug)]
pub enum Unposted {
    /// There is no such box.
    NoBox,
    /// The box has no room for it.
    Full,
    /// The charter is none that this office accepts.
    Charter(Error),
    /// Too many came first.
    Busy,
    /// The store does not do its part.
    Store(Fault),
    /// The office does not do its part.
    Office(Error),
}

impl From<Fault> for Unposted {
    fn from(fault: Fault) -> Self {
        Self::Store(fault)
    }
}

/// A box in memory: none until it is read.
type Shelved = Arc<AsyncMutex<Option<Shelf>>>;

struct Shelf {
    pile: Pile,
    restored: bool,
    /// Whether the last decision took long: a few letters may say much.
    is_slow: bool,
}

/// The boxes in memory, each with what it takes there; the longest unused first to go.
struct Piles {
    boxes: LruCache<Hex32, (Shelved, usize)>,
    bytes: usize,
}

impl Piles {
    fn get(&mut self, game: &Hex32) -> Option<Shelved> {
        self.boxes.get(game).map(|(shelved, _)| shelved.clone())
    }

    fn get_or_make(&mut self, game: Hex32) -> Shelved {
        self.boxes.get_or_insert(game, || (Shelved::default(), 0)).0.clone()
    }

    /// Notes what a box takes, and lets go of others while all take more than they may.
    fn weigh(&mut self, game: &Hex32, bytes: usize, most: usize) {
        if let Some((_, weight)) = self.boxes.peek_mut(game) {
            self.bytes = self.bytes - *weight + bytes;
            *weight = bytes;
        }
        while self.bytes > most {
            let Some((_, (_, weight))) = self.boxes.pop_lru() else { return };
            self.bytes -= weight;
        }
    }
}

/// The clerk of an office.
pub struct Clerk {
    store: AnyStore,
    keys: Arc<Unlocked>,
    piles: Mutex<Piles>,
    known: Keys,
    turns: Turns,
    /// Room for boxes that are read in, in kilobytes: as much again as those that stay in memory.
    loading: Arc<Semaphore>,
    hub: Hub,
    bounds: Bounds,
}

/// The time, in seconds since 1970.
#[must_use]
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

impl Clerk {
    /// A clerk with the office's keys, keys of players that were checked before, and turns to work.
    #[must_use]
    pub fn new(store: AnyStore, keys: Arc<Unlocked>, bounds: Bounds, known: Keys, turns: Turns) -> Self {
        let piles = Mutex::new(Piles { boxes: LruCache::unbounded(), bytes: 0 });
        let loading = Arc::new(Semaphore::new(kilobytes(bounds.memory_bytes) as usize));
        Self { store, keys, piles, known, turns, loading, hub: Hub::default(), bounds }
    }

    /// Where it stores.
    #[must_use]
    pub fn store(&self) -> &AnyStore {
        &self.store
    }

    /// Who waits for letters.
    #[must_use]
    pub const fn hub(&self) -> &Hub {
        &self.hub
    }

    /// Opens a box with its charter, or finds it open: the charter and the office's accept.
    ///
    /// # Errors
    /// If the charter is none of this office's, or the store fails.
    pub async fn open(&self, charter: Letter) -> Result<Posted, Unposted> {
        let pile = Pile::new(charter.clone()).map_err(Unposted::Charter)?;
        let accept = pile.accept(&self.keys).map_err(Unposted::Charter)?;
        let game = pile.terms().id;
        self.store.open(game).await?;
        let letters: Vec<Letter> = std::iter::once(charter).chain(accept).collect();
        let append = Append {
            game,
            behind: 0,
            letters: letters.iter().enumerate().map(|(i, letter)| new(letter, (i > 0).then_some(1))).collect(),
            marks: Vec::new(),
            readers: pile.parties().collect(),
            epoch: false,
        };
        match self.store.append(append).await? {
            // A box that is open begins with the same letters: of one charter the office signs one accept.
            Appended::Done | Appended::Moved => {}
            Appended::Spent | Appended::Unknown => {
                return Err(Unposted::Office(Error::Misuse("the box does not begin with its charter".into())));
            }
        }
        let last = letters.len() as u64;
        Ok(Posted { letters: (1..).zip(letters).collect(), last, is_of_box: true, ..Posted::default() })
    }

    /// Takes letters into a box, and signs what is due.
    ///
    /// # Errors
    /// If there is no box, no room, or the store fails; nothing was taken then, or it is not known.
    pub async fn post(&self, game: Hex32, letters: Vec<Letter>) -> Result<Posted, Unposted> {
        for _ in 0..TRIES {
            let shelved = self.shelved(game).await?;
            let mut shelf = shelved.lock_owned().await;
            let _room = self.refresh(game, &mut shelf).await?;
            self.weigh(game, shelf.as_ref().map_or(0, |held| held.pile.bytes()));
            let (shelf, decided) = self.decide(shelf, letters.clone()).await?;
            let Some(held) = shelf.as_ref() else { return Err(Unposted::NoBox) };
            let decision = decided.map_err(Unposted::Office)?;
            if let Some(broke) = &decision.broke {
                tracing::error!(%game, "{broke}");
            }
            for talk in &decision.talk {
                tracing::warn!(%game, "{talk}");
            }
            let behind = held.pile.last();
            if decision.letters.is_empty() {
                return Ok(posted(&held.pile, decision, behind));
            }
            let taken: usize = decision.letters.iter().map(|letter| letter.frame.len()).sum();
            if (held.pile.bytes() + taken) as u64 > self.bounds.box_bytes {
                return Err(Unposted::Full);
            }
            match self.store.append(append(game, &held.pile, &decision)).await? {
                Appended::Done => {
                    crate::keep::points::point("before-answer");
                    return Ok(self.done(game, shelf, decision, behind));
                }
                Appended::Moved => {}
                Appended::Unknown => return Err(Unposted::NoBox),
                Appended::Spent => {
                    let text = "a place of a set, or a number of the office's, is taken already; nothing was signed";
                    tracing::error!(%game, "{text}");
                    return Err(Unposted::Office(Error::Misuse(text.into())));
                }
            }
        }
        Err(Unposted::Busy)
    }

    /// Hands sets of a game back to their sealers (office 8): the letter, once it is stored.
    ///
    /// # Errors
    /// If there is no such box, it holds no such set, or it waits for an epoch.
    pub async fn hand_back(&self, game: Hex32, purposes: &[String]) -> Result<Letter, Unposted> {
        let mut shelf = self.shelved(game).await?.lock_owned().await;
        let _room = self.refresh(game, &mut shelf).await?;
        let held = shelf.as_ref().ok_or(Unposted::NoBox)?;
        if held.restored {
            return Err(Unposted::Office(Error::Refused("the box waits for an epoch".into())));
        }
        let letter = held.pile.hand_back(purposes, &self.keys).map_err(Unposted::Office)?;
        let decision = Decision { letters: vec![letter.clone()], signed: 1, ..Decision::default() };
        match self.store.append(append(game, &held.pile, &decision)).await? {
            Appended::Done => {
                let behind = held.pile.last();
                self.done(game, shelf, decision, behind);
                Ok(letter)
            }
            Appended::Moved | Appended::Unknown | Appended::Spent => Err(Unposted::Busy),
        }
    }

    /// A page of a box: letters behind a position that are given to readers, where to go on, and whether there are more.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn page(&self, game: Hex32, after: u64, bytes: u64) -> Result<(Vec<Row>, u64, bool), Fault> {
        let rows = self.store.letters(game, after, bytes).await?;
        let last = self.store.stand(game).await?.map_or(0, |stand| stand.last);
        let next = rows.last().map_or(after.min(last), |row| row.position);
        Ok((rows.into_iter().filter(|row| row.shown).collect(), next, next < last))
    }

    /// The box's place in memory; none is made for a box that is not there, for it would take another's.
    async fn shelved(&self, game: Hex32) -> Result<Shelved, Unposted> {
        let piles = || self.piles.lock().unwrap_or_else(PoisonError::into_inner);
        let there = piles().get(&game);
        if let Some(shelved) = there {
            return Ok(shelved);
        }
        self.store.stand(game).await?.ok_or(Unposted::NoBox)?;
        Ok(piles().get_or_make(game))
    }

    /// Notes how much a box takes in memory, and lets go of those that nobody has used for longest.
    fn weigh(&self, game: Hex32, bytes: usize) {
        let mut piles = self.piles.lock().unwrap_or_else(PoisonError::into_inner);
        piles.weigh(&game, bytes * PARSED + BOX, self.bounds.memory_bytes);
    }

    /// Brings memory to what the store has of a box: others may have added letters, or, at worst, a server may have lost some.
    /// What is read in takes its room beside all that is being read in, until it is used.
    async fn refresh(
        &self,
        game: Hex32,
        shelf: &mut OwnedMutexGuard<Option<Shelf>>,
    ) -> Result<Option<OwnedSemaphorePermit>, Unposted> {
        let Stand { last, bytes, restored } = self.store.stand(game).await?.ok_or(Unposted::NoBox)?;
        if shelf.as_ref().is_some_and(|held| held.pile.last() > last) {
            tracing::error!(%game, "the store has forgotten letters: if it was restored, stop, and type `sealed-dice office restore`");
            **shelf = None;
        }
        let mut room = None;
        if shelf.is_none() {
            let wanted = usize::try_from(bytes)
                .map_or(u32::MAX, |bytes| kilobytes(bytes.saturating_mul(PARSED)))
                .min(kilobytes(self.bounds.memory_bytes));
            room = Some(Arc::clone(&self.loading).acquire_many_owned(wanted).await.map_err(|_| Unposted::Busy)?);
        }
        while shelf.as_ref().map_or(0, |held| held.pile.last()) < last {
            // The last one that is known is read again: what follows must follow it.
            let after = shelf.as_ref().map_or(0, |held| held.pile.last().saturating_sub(1));
            let mut rows = self.store.letters(game, after, PAGE).await?;
            if let Some(held) = shelf.as_ref() {
                if rows.first().map(|row| &row.frame) != held.pile.at(held.pile.last()).map(|letter| &letter.frame) {
                    **shelf = None;
                    continue;
                }
                rows.remove(0);
            }
            if rows.is_empty() {
                return Err(Unposted::Store(Fault::Wrong("a box has fewer letters than it says".into())));
            }
            let (known, size) = (self.known.clone(), rows.iter().map(|row| row.frame.len()).sum());
            let letters =
                self.turns.work(are_few(size), move || verified(rows, &known)).await.ok_or_else(broken_off)??;
            for letter in letters {
                match shelf.as_mut() {
                    Some(held) => held.pile.push(letter),
                    None => {
                        **shelf =
                            Some(Shelf { pile: Pile::new(letter).map_err(Unposted::Office)?, restored, is_slow: false })
                    }
                }
            }
        }
        match shelf.as_mut() {
            Some(held) => held.restored = restored,
            None => return Err(Unposted::NoBox),
        }
        Ok(room)
    }

    /// Decides, in its turn.
    async fn decide(
        &self,
        mut shelf: OwnedMutexGuard<Option<Shelf>>,
        letters: Vec<Letter>,
    ) -> Result<(OwnedMutexGuard<Option<Shelf>>, Result<Decision, Error>), Unposted> {
        let mode = match shelf.as_ref().is_some_and(|held| held.restored) {
            false => Mode::Signs,
            true if self.store.owner().await?.is_none_or(|owner| owner.restored) => Mode::Waits,
            true => Mode::Begins,
        };
        let keys = Arc::clone(&self.keys);
        let new: usize = letters.iter().map(|letter| letter.frame.len()).sum();
        let takes_a_moment = shelf.as_ref().is_some_and(|held| !held.is_slow && are_few(new + held.pile.bytes()));
        let decided = self.turns.work(takes_a_moment, move || {
            let Some(held) = shelf.as_mut() else { return (shelf, Ok(Decision::default())) };
            let begun = Instant::now();
            let decision = held.pile.decide(letters, &keys, now(), mode, Guards::ALL);
            held.is_slow = begun.elapsed() > MOMENT;
            (shelf, decision)
        });
        decided.await.ok_or_else(broken_off)
    }

    /// What is on the disk now is in memory, too, and whoever waits is told.
    fn done(&self, game: Hex32, mut shelf: OwnedMutexGuard<Option<Shelf>>, decision: Decision, behind: u64) -> Posted {
        let Some(held) = shelf.as_mut() else { return Posted::default() };
        decision.letters.iter().for_each(|letter| held.pile.push(letter.clone()));
        held.restored &= !decision.epoch;
        let (bytes, told) = (held.pile.bytes(), posted(&held.pile, decision, behind));
        drop(shelf);
        self.weigh(game, bytes);
        self.hub.tell(&game);
        metrics::counter!("sealed_dice_letters_total").increment(told.letters.len() as u64);
        told
    }
}

fn broken_off() -> Unposted {
    Unposted::Office(Error::Misuse("the office's work on these letters broke off".into()))
}

fn posted(pile: &Pile, decision: Decision, behind: u64) -> Posted {
    let (mut once, mut room) = (HashSet::new(), QUOTED);
    let mut quoted = |unopened: Unopened| {
        let letters = unopened.letters.iter().filter(|id| once.insert(**id)).filter_map(|id| pile.letter(id));
        let letters = letters.filter(|letter| match room.checked_sub(letter.frame.len()) {
            Some(left) => {
                room = left;
                true
            }
            None => false,
        });
        (unopened.clone(), letters.cloned().collect())
    };
    let again = decision.again.iter().filter_map(|position| Some((*position, pile.at(*position)?.clone())));
    let last = behind + decision.letters.len() as u64;
    let is_of_box = !decision.again.is_empty() || decision.letters.len() > decision.signed;
    let letters = again.chain((behind + 1..).zip(decision.letters));
    Posted {
        last,
        is_of_box,
        letters: letters.filter(|(_, letter)| is_shown(&letter.message)).collect(),
        waiting: decision.waiting.into_iter().map(&mut quoted).collect(),
        refused: decision.refused,
        restored: decision.restored,
    }
}

fn append(game: Hex32, pile: &Pile, decision: &Decision) -> Append {
    let signed = decision.letters.len() - decision.signed;
    let letters = decision.letters.iter().enumerate();
    let parties: HashSet<Hex32> = pile.parties().collect();
    let numbered = decision.letters.iter().filter(|letter| !letter.message.head().is_unnumbered());
    // A key that a letter hands over is in force at once (keys 1).
    let keys = numbered.flat_map(|letter| [letter.message.key(), key_behind(&letter.message)]);
    let keys: HashSet<Hex32> = keys.collect();
    Append {
        game,
        behind: pile.last(),
        letters: letters
            .map(|(i, letter)| new(letter, (i >= signed).then_some(letter.message.head().number)))
            .collect(),
        marks: decision.marks.clone(),
        readers: keys.difference(&parties).copied().collect(),
        epoch: decision.epoch,
    }
}

/// Whether a letter is given to readers (post 3).
fn is_shown(message: &Verified) -> bool {
    !matches!(message.body(), Body::Deposit(_))
}

fn new(letter: &Letter, own: Option<u64>) -> New {
    New {
        id: letter.message.id(),
        key: letter.message.key(),
        own,
        frame: letter.frame.clone(),
        shown: is_shown(&letter.message),
    }
}

/// What letters with so many bytes take in memory, in kilobytes, and a little more.
fn kilobytes(bytes: usize) -> u32 {
    u32::try_from(bytes / 1024 + 1).unwrap_or(u32::MAX)
}

fn verified(rows: Vec<Row>, known: &Keys) -> Result<Vec<Letter>, Fault> {
    let read = |row: Row| match Verified::open(&row.frame, known) {
        Ok(message) => Ok(Letter { message, frame: row.frame }),
        Err(refusal) => Err(Fault::Wrong(format!("letter {} of a box is damaged: {}", row.position, refusal.error))),
    };
    rows.into_iter().map(read).collect()
}
