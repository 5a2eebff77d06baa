//! A game's folder, with every letter of the game in a file of its own. The state of the game is replayed from the
//! letters and never stored beside them, so the folder can be rebuilt from the mails.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use super::{
    StorageError, atomic,
    home::{lock, make_private},
    threads::{cores, in_parallel},
};
use crate::{
    blob::{Hex32, Keys, Kind, Verified, armour, body::Role},
    game::steps::Letter,
};

const LETTERS: &str = "letters";
/// The number of letters that make one more thread worthwhile.
const LETTERS_A_THREAD: usize = 32;
const LOCK: &str = "lock";

/// The folder of one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder(PathBuf);

/// A letter stored in the folder.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The parsed and verified letter.
    pub message: Verified,
    /// The letter's frame, exactly as it was signed.
    pub frame: Vec<u8>,
}

impl From<Letter> for Stored {
    fn from(Letter { message, frame }: Letter) -> Self {
        Self { message, frame }
    }
}

impl Stored {
    /// Returns the text to paste into a mail.
    #[must_use]
    pub fn armour(&self) -> String {
        armour::write(&self.frame)
    }
}

/// The lock on a game's folder, which this process alone holds. Letters can be added only with this lock. It is
/// released when it is dropped, or when the process ends in any way.
#[derive(Debug)]
pub struct Lock {
    folder: Folder,
    #[expect(dead_code, reason = "the open file is the lock")]
    file: File,
}

impl Folder {
    /// Opens the folder at a path, and creates it if it is missing.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn create(path: &Path) -> Result<Self, StorageError> {
        let letters = path.join(LETTERS);
        make_private(&letters).map_err(|error| StorageError::with(&letters, "made", &error))?;
        Ok(Self(path.to_owned()))
    }

    /// Opens the folder at a path, if it belongs to a game.
    #[must_use]
    pub fn open(path: &Path) -> Option<Self> {
        path.join(LETTERS).is_dir().then(|| Self(path.to_owned()))
    }

    /// Returns the game's name on this machine, which is the folder's name.
    #[must_use]
    pub fn name(&self) -> String {
        self.0.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Whether the folder has no letters, which happens if a command died before it kept the first one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let is_letter = |entry: io::Result<fs::DirEntry>| entry.is_ok_and(|entry| is_letter(&entry.path()));
        fs::read_dir(self.letters_path()).is_ok_and(|mut entries| !entries.any(is_letter))
    }

    /// Returns the path of the folder that holds the letters.
    #[must_use]
    pub fn letters_path(&self) -> PathBuf {
        self.0.join(LETTERS)
    }

    /// Locks the game for this process alone.
    ///
    /// # Errors
    /// If another process holds the lock, or the system refuses.
    pub fn lock(&self) -> Result<Lock, StorageError> {
        let file = lock(&self.0.join(LOCK), &self.0)?;
        Ok(Lock { folder: self.clone(), file })
    }

    /// Returns every letter in the folder, in the order of the file names, and the paths of the files that hold no
    /// letter.
    ///
    /// # Errors
    /// If the folder or a file cannot be read.
    pub fn letters(&self) -> Result<(Vec<Stored>, Vec<PathBuf>), StorageError> {
        let paths = self.files()?;
        // For fewer letters a second thread costs more than it saves.
        let threads = cores().min(paths.len() / LETTERS_A_THREAD);
        let read = in_parallel(&paths, threads, |share| {
            let keys = Keys::default();
            share.iter().map(|path| read(path, &keys)).collect()
        });
        let (mut letters, mut damaged) = (Vec::new(), Vec::new());
        for (path, found) in paths.into_iter().zip(read) {
            let found = found?;
            if found.is_empty() {
                damaged.push(path);
            }
            letters.extend(found);
        }
        Ok((letters, damaged))
    }

    /// Lists the paths where a letter may be kept; each name contains the letter's whole id. There are several because
    /// letters with the same id may be signed with different keys.
    fn paths_of(&self, message: &Verified) -> impl Iterator<Item = PathBuf> + use<> {
        let (head, letters) = (message.head(), self.letters_path());
        let name = format!("{}-{:04}-{}-{}", head.author, head.number, head.kind.as_str(), message.id());
        let more = (2_u64..).map({
            let name = name.clone();
            move |n| format!("{name}-{n}")
        });
        std::iter::once(name).chain(more).map(move |name| letters.join(format!("{name}.txt")))
    }

    /// Returns the path of the file that holds a letter. A damaged file with the letter's name counts as its file.
    fn path_of(&self, message: &Verified) -> Option<PathBuf> {
        let mut paths = self.paths_of(message).take_while(|path| path.exists());
        paths.find(|path| read(path, &Keys::default()).is_ok_and(|found| found.is_empty() || holds(&found, message)))
    }

    /// Whether a letter was kept here, even if its file has been damaged since.
    #[must_use]
    pub fn has_kept(&self, message: &Verified) -> bool {
        self.path_of(message).is_some()
    }

    /// Returns the time when a letter was kept here, according to its file. In a copied folder, this may be the time of
    /// the copy.
    #[must_use]
    pub fn kept_at(&self, message: &Verified) -> Option<SystemTime> {
        fs::metadata(self.path_of(message)?).and_then(|about| about.modified()).ok()
    }

    /// Returns the ids of the charters and accepts that are kept here. They are taken from the file names; only renamed
    /// files are read.
    ///
    /// # Errors
    /// If the folder or a renamed file cannot be read.
    pub fn begun_by(&self) -> Result<Vec<Hex32>, StorageError> {
        let begins = |kind: &str| [Kind::Charter, Kind::Accept].iter().any(|begins| begins.as_str() == kind);
        let mut ids = Vec::new();
        for path in self.files()? {
            match named(&path) {
                Some((kind, id)) => ids.extend(begins(&kind).then_some(id)),
                None => {
                    let found = read(&path, &Keys::default())?.into_iter().map(|stored| stored.message);
                    let begin = found.filter(|message| begins(message.head().kind.as_str()));
                    ids.extend(begin.map(|message| message.id()));
                }
            }
        }
        Ok(ids)
    }

    /// Returns the charter that is kept here, if its file is undamaged.
    #[must_use]
    pub fn charter(&self) -> Option<Stored> {
        let is_charter = |path: &PathBuf| named(path).is_none_or(|(kind, _)| kind == Kind::Charter.as_str());
        let paths = self.files().ok()?.into_iter().filter(is_charter);
        let mut letters = paths.filter_map(|path| read(&path, &Keys::default()).ok()).flatten();
        letters.find(|letter| letter.message.head().kind == Kind::Charter)
    }

    /// Lists the files with letters, in the order of their names.
    fn files(&self) -> Result<Vec<PathBuf>, StorageError> {
        let dir = self.letters_path();
        let mut paths = Vec::new();
        for entry in fs::read_dir(&dir).map_err(|error| StorageError::with(&dir, "read", &error))? {
            let path = entry.map_err(|error| StorageError::with(&dir, "read", &error))?.path();
            if is_letter(&path) {
                paths.push(path);
            }
        }
        paths.sort();
        Ok(paths)
    }

    /// Returns the numbers and ids of an author's letters, taken from the file names.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn named(&self, author: &Role) -> Result<Vec<(u64, Hex32)>, StorageError> {
        let dir = self.letters_path();
        let entries = fs::read_dir(&dir).map_err(|error| StorageError::with(&dir, "read", &error))?;
        let named = entries.filter_map(|entry| {
            let path = entry.ok()?.path();
            let rest = path.file_stem()?.to_str()?.strip_prefix(author.as_str())?.strip_prefix('-')?.to_owned();
            let [number, _kind, id] = rest.splitn(3, '-').collect::<Vec<_>>().try_into().ok()?;
            Some((number.parse().ok()?, Hex32::parse(id.get(..64)?)?))
        });
        Ok(named.collect())
    }
}

impl Lock {
    /// Returns the locked folder.
    #[must_use]
    pub const fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Keeps a letter, and returns when it is on the disk. If the letter was kept already, its file stays unchanged.
    /// Files that hold other letters never change.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn keep(&self, message: &Verified, frame: &[u8]) -> Result<(), StorageError> {
        let text = armour::write(frame);
        let kept = self.folder.paths_of(message).find_map(|path| keep_at(&path, message, &text).transpose());
        kept.unwrap_or(Ok(()))
    }
}

/// Keeps a letter in a file. Returns `None` if the file holds another letter.
fn keep_at(path: &Path, message: &Verified, text: &str) -> Result<Option<()>, StorageError> {
    let unwritten = |error: io::Error| StorageError::with(path, "written", &error);
    match atomic::write_new(path, text.as_bytes(), true) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        written => return written.map(Some).map_err(unwritten),
    }
    let found = read(path, &Keys::default())?;
    match found.is_empty() {
        // The old file is damaged, so replacing it loses no letter.
        true => atomic::replace(path, text.as_bytes(), true).map(Some).map_err(unwritten),
        false => Ok(holds(&found, message).then_some(())),
    }
}

/// Reads the letters in a file.
fn read(path: &Path, keys: &Keys) -> Result<Vec<Stored>, StorageError> {
    let text = fs::read(path).map_err(|error| StorageError::with(path, "read", &error))?;
    let frames = armour::find(&text).into_iter().filter_map(|blob| blob.frame.ok());
    let letters = frames.filter_map(|frame| {
        let message = Verified::open(&frame, keys).ok()?;
        Some(Stored { message, frame })
    });
    Ok(letters.collect())
}

/// Whether a path ends in `.txt`, like every letter's file.
fn is_letter(path: &Path) -> bool {
    path.extension().is_some_and(|ext| ext == "txt")
}

/// Parses the kind and the id of a letter from its file name.
fn named(path: &Path) -> Option<(String, Hex32)> {
    let mut parts = path.file_stem()?.to_str()?.rsplit('-');
    // In the name of a second letter with the same id, a number follows the id.
    let id = parts.by_ref().take(2).find_map(Hex32::parse)?;
    Some((parts.next()?.to_owned(), id))
}

/// Whether a letter is among those in a file. A copy under another key is another letter (message 4).
fn holds(found: &[Stored], message: &Verified) -> bool {
    found.iter().any(|stored| (stored.message.id(), stored.message.key()) == (message.id(), message.key()))
}
