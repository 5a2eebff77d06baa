//! Takes the letters that are left in a box, decides on them, stores the result, and only then answers
//! (`protocol/post.md` 3, 4). This module does not depend on HTTP.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use lru::LruCache;
use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};

use super::{
    cpu_pool::{CpuPool, Patience, Who, are_few, expected},
    decision::{Decision, Mode},
    late::Late,
    mailbox::Mailbox,
    mailbox_cache::{BOX, CachedMailbox, MailboxCache, MailboxSlot, PARSED, kilobytes, weight},
    notifier::Notifier,
    posted::{Bounds, Client, PostError, Posted, RESTORED, now},
    rations::Rations,
    rows::{append, new, posted, verified},
    store::{AnyStore, Append, Appended, MailboxHead, Row, Size, StoreError},
};
use crate::{
    blob::{Hex32, Keys},
    error::Error,
    game::steps::Letter,
    keep::{random, root::Keys as OwnKeys},
};

/// The operator's log line for a store that has lost letters.
const FORGOTTEN: &str =
    "the database has forgotten letters: if it was restored, stop and type `sealed-dice office restore`";

/// The maximum size of a box in which letters can be taken without a turn, in bytes of letters. For a larger box there
/// is no time.
const LOOKED_UP: usize = 4 << 20;
/// The maximum number of tries for a step if other processes keep coming first.
const TRIES: usize = 32;
/// The size of one read from the store, in bytes.
const PAGE: u64 = 1 << 20;

/// The boxes of an office: takes letters, decides, stores, and only then answers.
pub struct MailboxService {
    pub(super) store: AnyStore,
    pub(super) keys: Arc<OwnKeys>,
    cache: Mutex<MailboxCache>,
    known: Keys,
    pub(super) pool: CpuPool,
    /// Room for boxes that are being read in, in kilobytes: as much as for the boxes that stay in memory.
    loading: Arc<Semaphore>,
    notifier: Notifier,
    pub(super) late: Late,
    rations: Rations,
    /// The size of the store on the disk when it was last looked up, plus the bytes added since; 0 before it is first
    /// looked up.
    size: AtomicU64,
    /// The number of boxes in the store when it was last looked up.
    boxes: AtomicU64,
    bounds: Bounds,
}

impl MailboxService {
    /// Makes the service for boxes in a store, signing with an office's keys. `known` holds players' keys that were
    /// checked earlier.
    #[must_use]
    pub fn new(store: AnyStore, keys: Arc<OwnKeys>, bounds: Bounds, known: Keys) -> Self {
        let cache = Mutex::new(MailboxCache { boxes: LruCache::unbounded(), bytes: 0 });
        let loading = Arc::new(Semaphore::new(kilobytes(bounds.memory_bytes) as usize));
        let (pool, rations) = (CpuPool::of(bounds.waiting), Rations::of(bounds.daily));
        let (notifier, late, size, boxes) =
            (Notifier::default(), Late::default(), AtomicU64::new(0), AtomicU64::new(0));
        Self { store, keys, cache, known, pool, loading, notifier, late, rations, size, boxes, bounds }
    }

    /// Returns the queue in which work on letters waits for a processor core.
    #[must_use]
    pub const fn pool(&self) -> &CpuPool {
        &self.pool
    }

    /// Returns the number of boxes with letters that wait for their turn.
    #[must_use]
    pub fn late(&self) -> usize {
        self.late.count()
    }

    /// Returns the size of the store on the disk, in bytes, as far as it is known.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size.load(Ordering::Relaxed)
    }

    /// Returns the number of boxes, as far as it is known.
    #[must_use]
    pub fn boxes(&self) -> u64 {
        self.boxes.load(Ordering::Relaxed)
    }

    /// Looks up the size of the store on the disk, and forgets clients without recent requests.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn look_around(&self) -> Result<(), StoreError> {
        self.pool.forget();
        self.rations.forget();
        let Size { bytes, boxes } = self.store.size().await?;
        self.size.store(bytes, Ordering::Relaxed);
        self.boxes.store(boxes, Ordering::Relaxed);
        Ok(())
    }

    /// Checks that the store has room for a client's addition, and charges the addition to the client's ration.
    async fn check_room(&self, client: Client, bytes: usize) -> Result<(), PostError> {
        let most = self.bounds.store_bytes;
        if most > 0 && self.size() == 0 {
            self.size.store(self.store.size().await?.bytes, Ordering::Relaxed);
        }
        if most > 0 && self.size().saturating_add(bytes as u64) > most {
            return Err(PostError::StoreFull);
        }
        Ok(self.rations.bytes(client.address, bytes)?)
    }

    /// Adds bytes to the size of the store, if the size is known.
    fn grew(&self, bytes: usize) {
        let grown = |size| (size > 0).then(|| size + bytes as u64);
        let _ = self.size.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown);
    }

    /// Returns the store that the service uses.
    #[must_use]
    pub fn store(&self) -> &AnyStore {
        &self.store
    }

    /// Returns the notifier for clients that wait for letters.
    #[must_use]
    pub const fn notifier(&self) -> &Notifier {
        &self.notifier
    }

    /// Opens a box with its charter, or finds it open, and returns the charter and the office's accept.
    ///
    /// # Errors
    /// If the charter does not name this office, there is no room, or the store fails.
    pub async fn open(&self, client: Client, charter: Letter) -> Result<Posted, PostError> {
        let mailbox = Mailbox::new(charter.clone(), self.bounds.share).map_err(PostError::Charter)?;
        let accept = mailbox.accept(&self.keys).map_err(PostError::Charter)?;
        let game = mailbox.terms().id;
        let letters: Vec<Letter> = std::iter::once(charter).chain(accept).collect();
        if self.store.stand(game).await?.is_none() {
            let bytes = letters.iter().map(|letter| letter.frame.len()).sum();
            self.check_room(client, bytes).await?;
            self.rations.new_box(client.address, client.invitation)?;
            self.grew(bytes);
        }
        self.store.open(game).await?;
        let append = Append {
            game,
            behind: 0,
            letters: letters.iter().enumerate().map(|(i, letter)| new(letter, i > 0)).collect(),
            marks: Vec::new(),
            readers: mailbox.parties().collect(),
            epoch: false,
            known: None,
            late: None,
        };
        match self.store.append(append).await? {
            // An existing box begins with the same letters, because the office signs only one accept for a charter.
            Appended::Done | Appended::Moved => {}
            Appended::Spent | Appended::Unknown | Appended::Forgot => {
                return Err(PostError::Office(Error::Misuse(
                    "the stored box does not begin with its charter: check the database with `sealed-dice office \
                     check`"
                        .into(),
                )));
            }
        }
        let last = letters.len() as u64;
        Ok(Posted { letters: (1..).zip(letters).collect(), last, is_of_box: true, ..Posted::default() })
    }

    /// Takes letters into a box, and signs what is due.
    ///
    /// # Errors
    /// If there is no box or no room, or the store fails. In that case nothing was taken, or the outcome is unknown.
    pub async fn post(&self, client: Client, game: Hex32, letters: Vec<Letter>) -> Result<Posted, PostError> {
        let who = Who { client: client.address, game: Some(game) };
        let mut is_rationed = false;
        for _ in 0..TRIES {
            let slot = self.slot(game).await?;
            let mut cached = slot.lock_owned().await;
            let _room = self.refresh(who, &mut cached).await?;
            self.weigh(game, cached.as_ref().map_or(BOX, |held| weight(&held.mailbox)));
            let told = cached.as_ref().filter(|held| !held.restored).and_then(|held| held.mailbox.told(&letters));
            if let Some((held, decision)) = cached.as_ref().zip(told) {
                return Ok(posted(&held.mailbox, decision, held.mailbox.last()));
            }
            let (mut cached, decided) = self.decide(who, cached, letters.clone()).await?;
            let Some(held) = cached.as_mut() else { return Err(PostError::NoBox) };
            let mut decision = decided.map_err(PostError::Office)?;
            if let Some(letter) = decision.forgot {
                self.has_forgotten(game, letter).await?;
                continue;
            }
            tell_operator(game, &decision);
            let behind = held.mailbox.last();
            if decision.letters.is_empty() && !decision.late {
                held.mailbox.stored(&mut decision);
                return Ok(posted(&held.mailbox, decision, behind));
            }
            let theirs = decision.letters.len() - decision.signed;
            let taken: usize = decision.letters.iter().take(theirs).map(|letter| letter.frame.len()).sum();
            // A repeated try has been charged already, and the office's own letters always have room.
            if taken > 0 && !std::mem::replace(&mut is_rationed, true) {
                self.check_room(client, taken).await?;
            }
            let late = decision.late.then_some(true);
            let append = Append { late, ..append(game, &held.mailbox, &decision) };
            if self.add(append).await? {
                crate::keep::points::point("before-answer");
                let told = self.done(game, cached, decision, behind);
                if late.is_some() {
                    self.late.add(game, client.address);
                }
                return Ok(told);
            }
        }
        Err(PostError::Busy)
    }

    /// Marks the store as restored, because a player has left a letter from this office that the store lacks. All boxes
    /// then wait for an epoch.
    async fn has_forgotten(&self, game: Hex32, letter: Hex32) -> Result<(), PostError> {
        tracing::error!(%game, %letter, "a player has left a letter from this office that the database does not have");
        tracing::error!("{RESTORED}");
        let generation = random::fresh().map_err(|trouble| StoreError::Busy(trouble.to_string()))?;
        Ok(self.store.restored(generation, 0).await?)
    }

    /// Stores an addition to a box. Returns `false` if the office must decide again, because another process came first
    /// or the store has forgotten letters.
    pub(super) async fn add(&self, append: Append) -> Result<bool, PostError> {
        let game = append.game;
        match self.store.append(append).await? {
            Appended::Done => Ok(true),
            Appended::Moved | Appended::Forgot => Ok(false),
            Appended::Unknown => Err(PostError::NoBox),
            Appended::Spent => {
                let text = "nothing was signed: the place in the set, or the office's number, is already taken; report \
                    this bug";
                tracing::error!(%game, "{text}");
                Err(PostError::Office(Error::Misuse(text.into())))
            }
        }
    }

    /// Returns a page of a box: letters after a position that readers may fetch, the position to continue from, and
    /// whether there are more.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn page(&self, game: Hex32, after: u64, bytes: u64) -> Result<(Vec<Row>, u64, bool), StoreError> {
        let rows = self.store.letters(game, after, bytes).await?;
        let last = self.store.stand(game).await?.map_or(0, |stand| stand.last);
        let next = rows.last().map_or(after.min(last), |row| row.position);
        Ok((rows.into_iter().filter(|row| row.shown).collect(), next, next < last))
    }

    /// Returns the box's place in memory. A missing box gets no place, because it would displace another box.
    pub(super) async fn slot(&self, game: Hex32) -> Result<MailboxSlot, PostError> {
        let cache = || self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let there = cache().get(&game);
        if let Some(slot) = there {
            return Ok(slot);
        }
        self.store.stand(game).await?.ok_or(PostError::NoBox)?;
        Ok(cache().get_or_make(game))
    }

    /// Notes how much memory a box takes, and drops the boxes that were unused for longest if memory is full.
    fn weigh(&self, game: Hex32, bytes: usize) {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.weigh(&game, bytes, self.bounds.memory_bytes);
    }

    /// Brings a box in memory up to date with the store: others may have added letters or, at worst, a server may have
    /// lost some. If the box is read in, the returned permit counts its memory apart from that of the cached boxes.
    pub(super) async fn refresh(
        &self,
        who: Who,
        cached: &mut OwnedMutexGuard<Option<CachedMailbox>>,
    ) -> Result<Option<OwnedSemaphorePermit>, PostError> {
        let game = who.game.ok_or(PostError::NoBox)?;
        let MailboxHead { last, bytes, restored } = self.store.stand(game).await?.ok_or(PostError::NoBox)?;
        if cached.as_ref().is_some_and(|held| held.mailbox.last() > last) {
            tracing::error!(%game, "{FORGOTTEN}");
            **cached = None;
        }
        let mut room = None;
        if cached.is_none() {
            let wanted = usize::try_from(bytes)
                .map_or(u32::MAX, |bytes| kilobytes(bytes.saturating_mul(PARSED)))
                .min(kilobytes(self.bounds.memory_bytes));
            room = Some(Arc::clone(&self.loading).acquire_many_owned(wanted).await.map_err(|_| PostError::Busy)?);
        }
        while cached.as_ref().map_or(0, |held| held.mailbox.last()) < last {
            // The last known letter is read again, to check that the next letters follow it.
            let after = cached.as_ref().map_or(0, |held| held.mailbox.last().saturating_sub(1));
            let mut rows = self.store.letters(game, after, PAGE).await?;
            if let Some(held) = cached.as_ref() {
                if rows.first().map(|row| &row.frame)
                    != held.mailbox.at(held.mailbox.last()).map(|letter| &letter.frame)
                {
                    **cached = None;
                    continue;
                }
                rows.remove(0);
            }
            if rows.is_empty() {
                return Err(PostError::Store(StoreError::Wrong(
                    "a box has fewer letters than the database counts: check it with `sealed-dice office check`".into(),
                )));
            }
            let (known, size) = (self.known.clone(), rows.iter().map(|row| row.frame.len()).sum());
            let work = move || verified(rows, &known);
            let letters = if are_few(size) {
                self.pool.at_once(who, work)
            } else {
                let turn = self.pool.turn(who, expected(size), Patience::Answer).await.ok_or(PostError::Busy)?;
                turn.work(work).await
            };
            for letter in letters.ok_or_else(broken_off)?.0? {
                match cached.as_mut() {
                    Some(held) => held.mailbox.push(letter),
                    None => {
                        let mailbox = Mailbox::new(letter, self.bounds.share).map_err(PostError::Office)?;
                        **cached = Some(CachedMailbox { mailbox, restored, cost: Duration::ZERO });
                    }
                }
            }
        }
        match cached.as_mut() {
            Some(held) => held.restored = restored,
            None => return Err(PostError::NoBox),
        }
        Ok(room)
    }

    /// Decides on letters in their turn. If the turn does not come soon enough, decides only which letters are taken.
    async fn decide(
        &self,
        who: Who,
        mut cached: OwnedMutexGuard<Option<CachedMailbox>>,
        letters: Vec<Letter>,
    ) -> Result<(OwnedMutexGuard<Option<CachedMailbox>>, Result<Decision, Error>), PostError> {
        let mode = match cached.as_ref().is_some_and(|held| held.restored) {
            false => Mode::Signs,
            true if self.store.owner().await?.is_none_or(|owner| owner.restored) => Mode::Waits,
            true => Mode::Begins,
        };
        let (bytes, before) =
            cached.as_ref().map_or_else(Default::default, |held| (held.mailbox.work(&letters), held.cost));
        let turn = match self.pool.is_a_moment(who, bytes, before) {
            true => None,
            false => match self.pool.turn(who, before.max(expected(bytes)), Patience::Answer).await {
                Some(turn) => Some(turn),
                None => {
                    let kept = self.keep(who, &cached, letters, mode)?;
                    return Ok((cached, Ok(kept)));
                }
            },
        };
        let keys = Arc::clone(&self.keys);
        let work = move || {
            crate::keep::points::point("deciding");
            let decided = cached.as_mut().map(|held| held.mailbox.decide(letters, &keys, now(), mode));
            (cached, decided.unwrap_or_else(|| Ok(Decision::default())))
        };
        let worked = match turn {
            Some(turn) => turn.work(work).await,
            None => self.pool.at_once(who, work),
        };
        let ((mut cached, decided), cost) = worked.ok_or_else(broken_off)?;
        took(cost);
        if let Some(held) = cached.as_mut() {
            held.cost = cost;
        }
        Ok((cached, decided))
    }

    /// Decides only which letters are taken. Whatever they make due waits for its turn.
    fn keep(
        &self,
        who: Who,
        cached: &Option<CachedMailbox>,
        letters: Vec<Letter>,
        mode: Mode,
    ) -> Result<Decision, PostError> {
        // If an epoch begins with the letter that is taken, everything due after it must be signed at once.
        let can_wait = |held: &&CachedMailbox| held.mailbox.bytes() <= LOOKED_UP && mode != Mode::Begins;
        let held = cached.as_ref().filter(can_wait).ok_or(PostError::Busy)?;
        let (kept, _) = self.pool.at_once(who, || held.mailbox.keep(letters, mode)).ok_or_else(broken_off)?;
        let kept = kept.ok_or(PostError::Busy)?;
        metrics::counter!("sealed_dice_busy_total").increment(1);
        Ok(kept)
    }

    /// Updates memory with a decision that is now on the disk, and notifies waiting clients.
    pub(super) fn done(
        &self,
        game: Hex32,
        mut cached: OwnedMutexGuard<Option<CachedMailbox>>,
        mut decision: Decision,
        behind: u64,
    ) -> Posted {
        let Some(held) = cached.as_mut() else { return Posted::default() };
        let added: usize = decision.letters.iter().map(|letter| letter.frame.len()).sum();
        self.grew(added);
        held.mailbox.stored(&mut decision);
        held.restored &= !decision.epoch;
        // If a box with its state would fill all the memory, the state is not kept, but replayed for each letter.
        if weight(&held.mailbox) > self.bounds.memory_bytes {
            held.mailbox.let_go();
        }
        let (bytes, told) = (weight(&held.mailbox), posted(&held.mailbox, decision, behind));
        drop(cached);
        self.weigh(game, bytes);
        self.notifier.tell(&game);
        metrics::counter!("sealed_dice_letters_total").increment(told.letters.len() as u64);
        told
    }
}

/// Logs a decision's messages for the operator.
pub(super) fn tell_operator(game: Hex32, decision: &Decision) {
    if let Some(broke) = &decision.broke {
        tracing::error!(%game, "{broke}");
    }
    for talk in &decision.talk {
        tracing::warn!(%game, "{talk}");
    }
}

/// Records the cost of a decision in the operator's metrics.
pub(super) fn took(cost: Duration) {
    metrics::histogram!("sealed_dice_decide_seconds").record(cost.as_secs_f64());
}

pub(super) fn broken_off() -> PostError {
    PostError::Office(Error::Misuse("the office's work on these letters stopped early: leave them again".into()))
}
