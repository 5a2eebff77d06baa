//! The file in which a machine records the letters that its office stored last. It holds two records, of which a power
//! cut spoils at most one.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::Known;
use crate::{
    blob::{Hex32, json},
    keep::{StorageError, atomic},
    primitive::hash::file_hash,
};

/// Room for one record, in bytes.
const SLOT: usize = 32 << 10;
/// One of the two records in the file. The one with the higher turn is valid; a power cut can spoil only the other,
/// which is the one being overwritten.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    known: Known,
    turn: u64,
}

/// The file, used by one process at a time. It has its full size from the beginning, so that a full disk never prevents
/// writing it.
pub(super) struct Journal {
    pub(super) path: PathBuf,
    file: File,
    turn: u64,
}

impl Journal {
    /// Creates the journal's file and opens it.
    pub(super) fn create(path: &Path, known: Known) -> Result<(Self, Known), StorageError> {
        let unmade = |error: &io::Error| StorageError::with(path, "made", error);
        let first = record(&Record { known, turn: 0 }).map_err(|error| unmade(&error))?;
        let mut bytes = first;
        bytes.resize(2 * SLOT, b'\n');
        atomic::write_new(path, &bytes, true).map_err(|error| unmade(&error))?;
        Self::open(path)?.ok_or_else(|| unmade(&io::ErrorKind::NotFound.into()))
    }

    /// Opens and locks the file, if it exists, and reads the record that counts.
    pub(super) fn open(path: &Path) -> Result<Option<(Self, Known)>, StorageError> {
        let unread = |error: &io::Error| StorageError::with(path, "opened", error);
        let mut file = match OpenOptions::new().read(true).write(true).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unread(&error)),
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StorageError::Refused(format!(
                    "another process of this office is using {}: stop it first, or give this one a file of its own \
                     (`witness` in the settings)",
                    path.display()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(unread(&error)),
        }
        let mut bytes = Vec::new();
        Read::by_ref(&mut file).take(2 * SLOT as u64).read_to_end(&mut bytes).map_err(|error| unread(&error))?;
        match bytes.chunks(SLOT).filter_map(read).max_by_key(|record| record.turn) {
            Some(Record { known, turn }) => Ok(Some((Self { path: path.to_owned(), file, turn }, known))),
            None => Err(StorageError::Refused(format!(
                "{} is damaged: it is this machine's record of the letters that the office signed. If nothing was \
                 restored and no server was replaced, move it away and type  sealed-dice office trust",
                path.display()
            ))),
        }
    }

    /// Overwrites the older record.
    pub(super) fn write(&mut self, known: &Known) -> io::Result<()> {
        let turn = self.turn + 1;
        let bytes = record(&Record { known: known.clone(), turn })?;
        self.file.seek(SeekFrom::Start(turn % 2 * SLOT as u64))?;
        self.file.write_all(&bytes)?;
        self.file.sync_data()?;
        self.turn = turn;
        Ok(())
    }
}

/// Encodes a record for the file: a line with its content, and a line with its hash.
fn record(record: &Record) -> io::Result<Vec<u8>> {
    let line = json::encode(record).map_err(|error| io::Error::other(error.to_string()))?;
    let bytes = format!("{line}\n{}\n", Hex32(file_hash(line.as_bytes()))).into_bytes();
    if bytes.len() > SLOT { Err(io::Error::other("the record is too long: report this bug")) } else { Ok(bytes) }
}

fn read(slot: &[u8]) -> Option<Record> {
    let mut lines = slot.split(|byte| *byte == b'\n');
    let (line, hash) = (lines.next()?, lines.next()?);
    let is_whole = Hex32::parse(std::str::from_utf8(hash).ok()?)? == Hex32(file_hash(line));
    json::parse(line).and_then(|tree| json::read(&tree)).ok().filter(|_| is_whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::office::store::Signed;

    fn known(beat: u64) -> Known {
        let own = |n: u8| Signed { game: Hex32([n; 32]), id: Hex32([n; 32]) };
        let letters = (0..128).map(|n| own(u8::try_from(n).expect("few"))).collect();
        Known { beat, generation: Hex32([1; 32]), letters, restores: u64::MAX >> 11 }
    }

    #[test]
    fn a_power_cut_in_the_middle_of_a_record_leaves_the_one_before() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("witness");
        let (mut journal, first) = Journal::create(&path, known(1)).expect("a journal");
        assert_eq!(first, known(1));
        assert!(Journal::open(&path).is_err(), "one process has it");
        for beat in 2..5 {
            journal.write(&known(beat)).expect("written");
        }
        let turn = journal.turn;
        drop(journal);
        let whole = std::fs::read(&path).expect("bytes");
        assert_eq!(whole.len(), 2 * SLOT, "it never grows");
        let last = usize::try_from(turn % 2).expect("few") * SLOT;
        for cut in [0, 1, 100, 5_000] {
            let mut torn = whole.clone();
            torn.iter_mut().skip(last + cut).take(64).for_each(|byte| *byte = b'?');
            std::fs::write(&path, &torn).expect("written");
            let (_, read) = Journal::open(&path).expect("a journal").expect("there");
            assert_eq!(read, known(3), "cut at {cut}");
        }
        std::fs::write(&path, &whole).expect("written");
        assert_eq!(Journal::open(&path).expect("a journal").expect("there").1, known(4));
        std::fs::write(&path, vec![b'?'; 2 * SLOT]).expect("written");
        assert!(Journal::open(&path).is_err(), "damaged");
    }
}
