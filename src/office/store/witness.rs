//! This machine's record of the office's store, in a file outside it: the letters that the office stored last. An older
//! copy of a store (a snapshot, a standby that lagged, a file that was put back by hand) lacks one of them, and an
//! office that has forgotten a letter may sign a second one in its place. For this reason, nothing is signed in a store
//! that lacks any of these letters. The store is marked as restored, and waits for its operator's epoch
//! (`protocol/post.md` 17).
//!
//! **Sudden deaths.** A letter is stored, then recorded here, then given out. If the process dies in between, the store
//! has a letter that the file lacks, which is harmless; the file never names a letter that was not stored.
//!
//! **Which letters.** An older copy always lacks the letters that were stored last. If letters are stored one after the
//! other, recording the last one is therefore enough; if letters are stored concurrently, all of them are recorded.
//! Letters stored by other processes are recorded with the next beat: a number that each process increments in the
//! store every few seconds.

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
    AnyStore, Append, Appended, Known, MailboxHead, Memory, NOBODYS, Owner, Row, Signed, Size, Store, StoreError,
    Stored,
};
use crate::{
    blob::Hex32,
    keep::{StorageError, random},
};

/// The maximum number of the office's letters that are stored concurrently.
const AT_ONCE: usize = 128;
/// The warning to the operator of an office whose database has forgotten letters.
const FORGOT: &str = "THE DATABASE HAS FORGOTTEN letters that this office has signed: it is an older copy, or a server \
    that lagged behind. The office signs nothing more. Ask the players to leave the letters that they hold (they type: \
    sealed-dice office push). Then stop the office, type  sealed-dice office epoch  and restart the office";

/// The known facts, and the operations in progress.
struct State {
    known: Known,
    /// The number of operations begun, plus the number of letters noted.
    step: u64,
    /// The letters in `known`, each with the step at which it was noted.
    noted: Vec<(Signed, u64)>,
    /// The office's letters that are being stored. The key is the step at which storing began; the value is the box,
    /// and the position after which the letter is stored.
    storing: BTreeMap<u64, (Hex32, u64)>,
    /// The number of changes to `known`.
    version: u64,
}

impl State {
    fn is_of(&self, known: &Known) -> bool {
        self.known.restores == known.restores && self.known.generation == known.generation
    }

    /// Notes a letter whose storing began at step `began`. Letters that were noted before this step were stored before
    /// this letter, so they are dropped.
    fn note(&mut self, own: Signed, began: u64) {
        self.step += 1;
        self.noted.retain(|(_, noted)| *noted > began);
        self.noted.push((own, self.step));
        self.known.letters = self.noted.iter().map(|(own, _)| *own).collect();
        self.version += 1;
    }

    /// Updates the number of beats from a store's owner row.
    fn hear(&mut self, owner: &Owner) {
        self.known.beat = self.known.beat.max(owner.beat);
        self.version += 1;
    }

    /// Replaces all facts with those in the owner row of a store that was restored.
    fn begin(&mut self, owner: &Owner) {
        (self.known, self.noted) = (Known::of(owner), Vec::new());
        self.version += 1;
    }
}

/// A store, and the facts about it that are known outside it.
pub struct Witnessed {
    store: AnyStore,
    state: Mutex<State>,
    journal: Arc<AsyncMutex<Journal>>,
    /// The version of the last change that is on the disk.
    written: Arc<AtomicU64>,
    /// The number of steps with an unknown outcome.
    unsure: AtomicU64,
    /// The number of steps in `unsure` that a later beat has settled.
    settled: AtomicU64,
    at_once: Semaphore,
    /// Signals that storing a letter has ended, with or without success.
    ended: watch::Sender<()>,
    /// A lock that is held while the store is marked as restored.
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

/// Returns the error for a database with letters on a machine that has no record of them.
fn missing(path: &Path) -> StorageError {
    StorageError::Refused(format!(
        "{} is missing. It is this machine's record of the letters that the office signed; without it, the database \
         may be an older copy. If this is the database that the office served last, and since then nothing was \
         restored and no server was replaced, type  sealed-dice office trust  once; otherwise, type  sealed-dice \
         office restore  (`restore -` for PostgreSQL)",
        path.display()
    ))
}

/// Trusts a store as it is, on a machine without a record of it.
///
/// # Errors
/// If a record exists, or cannot be written.
pub fn trust(path: &Path, owner: &Owner) -> Result<(), StorageError> {
    match Journal::open(path)? {
        Some(_) => Err(StorageError::Refused(format!(
            "{} exists, so there is nothing to trust: start the office as usual",
            path.display()
        ))),
        None => Journal::create(path, Known::of(owner)).map(|_| ()),
    }
}

/// Checks that the file exists, if the store needs one, and that it can be opened. Another process may be using it.
///
/// # Errors
/// If the file is missing or cannot be opened.
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
    /// Opens an office's own store, and checks it before anything is signed in it. A store that has forgotten letters
    /// is marked as restored.
    ///
    /// # Errors
    /// If the file is missing for a store with letters, or is damaged; or if a store has forgotten letters and cannot
    /// be marked.
    pub async fn open(store: AnyStore, path: &Path) -> Result<Self, StorageError> {
        let owner = store.owner().await?.ok_or_else(|| StorageError::Refused(NOBODYS.into()))?;
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
            // The store cannot be written now. It can still be read, because it has forgotten nothing.
            Err(StoreError::Busy(why)) if remembers => {
                tracing::error!("{why}; players can fetch letters, but the office takes no new ones");
            }
            beat => drop(beat?),
        }
        Ok(witnessed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a store still has everything that is known about it.
    async fn remembers(&self, owner: &Owner) -> Stored<bool> {
        let known = self.state().known.clone();
        match known.compare(owner) {
            Memory::Restored => Ok(true),
            Memory::Same => self.store.has(&known.letters).await,
            Memory::Forgot => Ok(false),
        }
    }

    /// Marks a store that lacks some known facts as restored, so that all processes that use it see the mark.
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

    /// Writes the known facts to the disk, once for all callers that wait for this.
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
            journal.write(&known).map_err(|error| {
                format!("{} cannot be written: {error}; check its disk and permissions", journal.path.display())
            })?;
            written.store(version, Ordering::Release);
            Ok(())
        });
        let done =
            done.await.unwrap_or_else(|error| Err(format!("the witness file was not written: {error}; try again")));
        done.map_err(|why| {
            StoreError::Busy(format!(
                "{why}; until it is written, the office does not send out any letter that it signs"
            ))
        })
    }

    /// Records what this process has stored in a box up to a position, before these letters are given out.
    async fn settle(&self, game: Hex32, last: u64) -> Stored<()> {
        let mut ended = self.ended.subscribe();
        while self.state().storing.values().any(|(storing, behind)| *storing == game && *behind < last) {
            // This never fails, because the sender lives as long as this store.
            let _ = ended.changed().await;
        }
        if self.settled.load(Ordering::Acquire) < self.unsure.load(Ordering::Acquire) {
            self.beat().await?;
        }
        self.write_down().await
    }

    /// Stores letters that include at least one by the office.
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
                // The operator has declared an epoch, so a new record begins.
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
            // An accept, which begins a box, is not recorded: it is always the same for one charter, whatever was
            // forgotten (post 17).
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
        // Everything known before the beat must be in the store when the beat is done.
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

    /// Three letters are stored concurrently, and noted in another order. Each of them counts until a letter is noted
    /// whose storing began after that.
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
