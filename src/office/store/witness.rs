//! What this machine remembers of the office's store, in a file outside of it: the letters that the office stored last.
//! An older copy of a store (a snapshot, a standby that lagged, a file that was put back by hand) lacks one of them,
//! and an office that forgot signs a second letter where one may be. So nothing is signed in a store that lacks any of
//! them: it is marked as restored, and waits for its operator's epoch (`protocol/post.md` 17).
//!
//! **Sudden deaths.** A letter is stored, then noted here, then given out. Whoever dies in between leaves a store that
//! knows more than the file, which forgets nothing; the file never names a letter that was not stored.
//!
//! **Which letters.** Whatever a copy lacks, it lacks a last part of what was stored. So of letters that were stored
//! one after the other the last one is enough; of those that were stored side by side each is kept. What other
//! processes store is noted with the next beat: a number that each process counts up in the store every few seconds.

use std::{
    collections::BTreeMap,
    fs::OpenOptions,
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use async_trait::async_trait;
use tokio::sync::{Mutex as AsyncMutex, Semaphore, watch};

use super::journal::Journal;
use super::{
    AnyStore, Append, Appended, Known, MailboxHead, Memory, Owner, Row, Signed, Size, Store, StoreError, Stored,
};
use crate::{
    blob::Hex32,
    keep::{StorageError, random},
};

/// Most letters that are stored side by side.
const AT_ONCE: usize = 128;
/// What the operator of an office that forgot is told.
const FORGOT: &str = "THE DATABASE HAS FORGOTTEN letters that this office has signed: it is an older copy, or a server that lagged \
    behind. Nothing is signed any more. Let the players leave what they hold (they type: sealed-dice office push), then end the \
    office, type  sealed-dice office epoch  and serve again";

/// What is known, and what goes on.
struct State {
    known: Known,
    /// Counts what begins and what is noted.
    step: u64,
    /// The letters of `known`, each with the step at which it was noted.
    noted: Vec<(Signed, u64)>,
    /// Where letters of the office's are being stored: the step at which that began, the box, and the position behind
    /// which.
    storing: BTreeMap<u64, (Hex32, u64)>,
    /// Counts the changes of `known`.
    version: u64,
}

impl State {
    fn is_of(&self, known: &Known) -> bool {
        self.known.restores == known.restores && self.known.generation == known.generation
    }

    /// What was noted before the step at which this began was stored before it.
    fn note(&mut self, own: Signed, began: u64) {
        self.step += 1;
        self.noted.retain(|(_, noted)| *noted > began);
        self.noted.push((own, self.step));
        self.known.letters = self.noted.iter().map(|(own, _)| *own).collect();
        self.version += 1;
    }

    /// What a store says of itself, which is behind no letter that is known.
    fn hear(&mut self, owner: &Owner) {
        self.known.beat = self.known.beat.max(owner.beat);
        self.version += 1;
    }

    /// A store that was restored goes on from here.
    fn begin(&mut self, owner: &Owner) {
        (self.known, self.noted) = (Known::of(owner), Vec::new());
        self.version += 1;
    }
}

/// A store, and what is known of it outside.
pub struct Witnessed {
    store: AnyStore,
    state: Mutex<State>,
    journal: Arc<AsyncMutex<Journal>>,
    /// The last change that is on the disk.
    written: Arc<AtomicU64>,
    /// How often something may have been stored or not, and how many of these a beat was noted behind.
    unsure: AtomicU64,
    settled: AtomicU64,
    at_once: Semaphore,
    /// Tells that something was stored, or not.
    ended: watch::Sender<()>,
    /// Held while the store is marked.
    marking: AsyncMutex<()>,
}

/// A letter that is being stored.
struct Storing<'w> {
    of: &'w Witnessed,
    began: u64,
}

impl Drop for Storing<'_> {
    fn drop(&mut self) {
        self.of.state().storing.remove(&self.began);
        self.of.ended.send_replace(());
    }
}

/// What a machine without the file says of a database that has letters.
fn missing(path: &Path) -> StorageError {
    StorageError::Refused(format!(
        "{} is missing, in which this machine remembers what the office has signed: it cannot tell whether the database is the last one \
         or an older copy. If the office served this database last, and nothing was restored and no server replaced since, type  \
         sealed-dice office trust  once; if not,  sealed-dice office restore  (or `restore -` for PostgreSQL)",
        path.display()
    ))
}

/// Trusts a store as it is, on a machine that remembers nothing of it.
///
/// # Errors
/// If it remembers something, or cannot write that down.
pub fn trust(path: &Path, owner: &Owner) -> Result<(), StorageError> {
    match Journal::open(path)? {
        Some(_) => {
            Err(StorageError::Refused(format!("{} is there: nothing needs to be trusted unseen", path.display())))
        }
        None => Journal::create(path, Known::of(owner)).map(|_| ()),
    }
}

/// That the file is there, if the store needs one, and can be read; one that another process has is good.
///
/// # Errors
/// If it is missing or damaged.
pub fn check(path: &Path, needs_one: bool) -> Result<(), StorageError> {
    match path.try_exists() {
        Ok(true) => OpenOptions::new().write(true).open(path).map(drop),
        Ok(false) if needs_one => return Err(missing(path)),
        Ok(false) => Ok(()),
        Err(error) => Err(error),
    }
    .map_err(|error| StorageError::with(path, "opened", &error))
}

impl Witnessed {
    /// A store of an office's own, looked at before anything is signed in it. One that has forgotten is marked as
    /// restored.
    ///
    /// # Errors
    /// If the file is missing beside a store with letters, or damaged; if a store has forgotten and cannot be marked.
    pub async fn open(store: AnyStore, path: &Path) -> Result<Self, StorageError> {
        let owner = store.owner().await?.ok_or_else(|| StorageError::Refused("the database is nobody's yet".into()))?;
        let (journal, known) = match Journal::open(path)? {
            Some(found) => found,
            None if owner.restored || store.boxes(None, 1).await?.is_empty() => {
                Journal::create(path, Known::of(&owner))?
            }
            None => return Err(missing(path)),
        };
        let noted = known.letters.iter().map(|own| (*own, 0)).collect();
        let state = State { known, step: 0, noted, storing: BTreeMap::new(), version: 0 };
        let witnessed = Self {
            store,
            state: Mutex::new(state),
            journal: Arc::new(AsyncMutex::new(journal)),
            written: Arc::default(),
            unsure: AtomicU64::new(0),
            settled: AtomicU64::new(0),
            at_once: Semaphore::new(AT_ONCE),
            ended: watch::Sender::new(()),
            marking: AsyncMutex::new(()),
        };
        let remembers = witnessed.remembers(&owner).await?;
        match witnessed.beat().await {
            // It cannot be written now: what is there can be read, if it is all there.
            Err(StoreError::Busy(why)) if remembers => {
                tracing::error!("{why}; letters are given out and none are taken in");
            }
            beat => drop(beat?),
        }
        Ok(witnessed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a store has forgotten nothing that is known.
    async fn remembers(&self, owner: &Owner) -> Stored<bool> {
        let known = self.state().known.clone();
        match known.compare(owner) {
            Memory::Restored => Ok(true),
            Memory::Same => self.store.has(&known.letters).await,
            Memory::Forgot => Ok(false),
        }
    }

    /// Marks a store that lacks what was known of it: all processes that have it see that.
    async fn forgot(&self, known: &Known) -> Stored<()> {
        let _alone = self.marking.lock().await;
        let owner = self.store.owner().await?;
        if owner.is_some_and(|owner| known.compare(&owner) == Memory::Restored) {
            return Ok(());
        }
        tracing::error!("{FORGOT}");
        let generation = random::fresh().map_err(|trouble| StoreError::Busy(trouble.to_string()))?;
        self.store.restored(generation, known.restores).await
    }

    /// Writes down what is known, once for all who wait for that.
    async fn write_down(&self) -> Stored<()> {
        let wanted = self.state().version;
        if self.written.load(Ordering::Acquire) >= wanted {
            return Ok(());
        }
        let mut journal = Arc::clone(&self.journal).lock_owned().await;
        if self.written.load(Ordering::Acquire) >= wanted {
            return Ok(());
        }
        let (known, version) = {
            let state = self.state();
            (state.known.clone(), state.version)
        };
        let written = Arc::clone(&self.written);
        let done = tokio::task::spawn_blocking(move || {
            journal.write(&known).map_err(|error| format!("{} cannot be written: {error}", journal.path.display()))?;
            written.store(version, Ordering::Release);
            Ok(())
        });
        let done = done.await.unwrap_or_else(|error| Err(format!("the witness was not written: {error}")));
        done.map_err(|why| StoreError::Busy(format!("{why}; nothing that was signed is given out before")))
    }

    /// Before letters of a box are given out, up to a position: what this process has stored of them is written down.
    async fn settle(&self, game: Hex32, last: u64) -> Stored<()> {
        let mut ended = self.ended.subscribe();
        while self.state().storing.values().any(|(storing, behind)| *storing == game && *behind < last) {
            // The sender lives as long as this does.
            let _ = ended.changed().await;
        }
        if self.settled.load(Ordering::Acquire) < self.unsure.load(Ordering::Acquire) {
            self.beat().await?;
        }
        self.write_down().await
    }

    /// Stores letters of which one at least is the office's own.
    async fn append_own(&self, mut append: Append, own: Signed) -> Stored<Appended> {
        let _place = self.at_once.acquire().await;
        let (known, storing) = {
            let mut state = self.state();
            state.step += 1;
            let began = state.step;
            state.storing.insert(began, (append.game, append.behind));
            (Arc::new(state.known.clone()), Storing { of: self, began })
        };
        append.known = Some(Arc::clone(&known));
        let appended = self.store.append(append).await.inspect_err(|fault| {
            if matches!(fault, StoreError::Unsure(_)) {
                self.unsure.fetch_add(1, Ordering::AcqRel);
            }
        })?;
        match appended {
            Appended::Done => {
                {
                    let mut state = self.state();
                    if state.is_of(&known) {
                        state.note(own, storing.began);
                    }
                }
                drop(storing);
                self.write_down().await?;
                Ok(Appended::Done)
            }
            Appended::Forgot => {
                self.forgot(&known).await?;
                Ok(Appended::Moved)
            }
            Appended::Moved => {
                drop(storing);
                let owner = self.store.owner().await?;
                // Its operator has declared an epoch: what is known begins anew.
                if owner.is_some_and(|owner| !owner.restored && known.compare(&owner) == Memory::Restored) {
                    self.beat().await?;
                }
                Ok(Appended::Moved)
            }
            other @ (Appended::Spent | Appended::Unknown) => Ok(other),
        }
    }
}

#[async_trait]
impl Store for Witnessed {
    async fn open(&self, game: Hex32) -> Stored<()> {
        self.store.open(game).await
    }

    async fn stand(&self, game: Hex32) -> Stored<Option<MailboxHead>> {
        self.store.stand(game).await
    }

    async fn append(&self, append: Append) -> Stored<Appended> {
        let own = append.letters.iter().rev().find(|letter| letter.own.is_some());
        let own = own.map(|letter| Signed { game: append.game, id: letter.id });
        match own {
            // Of one charter always the same accept is signed, whatever was forgotten (post 17).
            Some(own) if append.behind > 0 => self.append_own(append, own).await,
            _ => self.store.append(append).await,
        }
    }

    async fn letters(&self, game: Hex32, after: u64, bytes: u64) -> Stored<Vec<Row>> {
        let rows = self.store.letters(game, after, bytes).await?;
        self.settle(game, rows.last().map_or(after, |row| row.position)).await?;
        Ok(rows)
    }

    async fn may_read(&self, game: Hex32, key: Hex32) -> Stored<bool> {
        self.store.may_read(game, key).await
    }

    async fn boxes_of(&self, key: Hex32, after: Option<Hex32>, most: u64) -> Stored<Vec<(Hex32, MailboxHead)>> {
        self.store.boxes_of(key, after, most).await
    }

    async fn boxes(&self, after: Option<Hex32>, most: u64) -> Stored<Vec<(Hex32, MailboxHead)>> {
        self.store.boxes(after, most).await
    }

    async fn late(&self) -> Stored<Vec<Hex32>> {
        self.store.late().await
    }

    async fn size(&self) -> Stored<Size> {
        self.store.size().await
    }

    async fn restored(&self, generation: Hex32, known: u64) -> Stored<()> {
        self.store.restored(generation, known).await
    }

    async fn declared(&self) -> Stored<()> {
        self.store.declared().await
    }

    async fn owner(&self) -> Stored<Option<Owner>> {
        self.store.owner().await
    }

    async fn own(&self, key: Hex32, generation: Hex32) -> Stored<()> {
        self.store.own(key, generation).await
    }

    async fn beat(&self) -> Stored<Owner> {
        // What is known before it is there when it is done.
        let (known, unsure) = (self.state().known.clone(), self.unsure.load(Ordering::Acquire));
        let owner = self.store.beat().await?;
        let memory = known.compare(&owner);
        if memory == Memory::Forgot || memory == Memory::Same && !self.store.has(&known.letters).await? {
            self.forgot(&known).await?;
            return self.store.beat().await;
        }
        {
            let mut state = self.state();
            match memory {
                Memory::Restored if !owner.restored && state.is_of(&known) => state.begin(&owner),
                Memory::Same if state.is_of(&known) => state.hear(&owner),
                _ => {}
            }
        }
        self.write_down().await?;
        self.settled.fetch_max(unsure, Ordering::AcqRel);
        Ok(owner)
    }

    async fn has(&self, letters: &[Signed]) -> Stored<bool> {
        self.store.has(letters).await
    }

    async fn heard(&self) -> Hex32 {
        self.store.heard().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three are stored side by side, and noted in another order: each counts until one is stored that began after it
    /// was noted.
    #[test]
    fn of_letters_that_are_stored_side_by_side_none_is_dropped() {
        let own = |n: u8| Signed { game: Hex32([n; 32]), id: Hex32([n; 32]) };
        let known = Known { beat: 1, generation: Hex32([1; 32]), letters: Vec::new(), restores: 0 };
        let mut state = State { known, step: 3, noted: Vec::new(), storing: BTreeMap::new(), version: 0 };
        state.note(own(3), 3);
        state.note(own(1), 1);
        assert_eq!(state.known.letters, [own(3), own(1)]);
        state.step += 1;
        let began = state.step;
        state.note(own(2), 2);
        assert_eq!(state.known.letters, [own(3), own(1), own(2)]);
        state.note(own(4), began);
        assert_eq!(state.known.letters, [own(2), own(4)]);
    }
}
