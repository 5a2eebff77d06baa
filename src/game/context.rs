//! Cryptography of sets: contexts, keys, commitments, seeds, the chains of a sheet, notes (`protocol/envelope.md`).

use crate::{
    blob::{
        body::{Hex32, Role, Seal, SetKind},
        deposits::Third,
    },
    error::{Error, Result},
    limits::{COLUMNS, NOTE_STEP, ROWS},
    primitive::{
        cipher,
        hash::{Tag, h, le64, pae, tag},
        secret::Secret,
    },
    resolve::Place,
    rule::Rule,
};

/// The context of a set (envelope 1), to which all its keys are bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// Id of the game.
    pub game: Hex32,
    /// Purpose of the set.
    pub purpose: String,
    /// Kind of the set, such as `coin` or `note`.
    pub kind: SetKind,
    /// The role that sealed the set.
    pub sealer: Role,
    /// The role that may declare on the set.
    pub declarer: Role,
    /// The role that opens the set, as its seal names it.
    pub revealer: Role,
    /// The role that may open the set by ruling, if any (deposits 3).
    pub fallback: Option<Role>,
    /// Number of places.
    pub n: u64,
}

impl Context {
    /// Creates the context of a seal in a game, given its referee if it has one.
    #[must_use]
    pub fn of(game: Hex32, referee: Option<&Third>, sealer: &Role, seal: &Seal) -> Self {
        let fallback = referee.filter(|referee| referee.is_fallback_of(seal.kind)).map(|referee| referee.role.clone());
        Self {
            game,
            purpose: seal.purpose.clone(),
            kind: seal.kind,
            sealer: sealer.clone(),
            declarer: seal.declarer.clone(),
            revealer: seal.revealer.clone(),
            fallback,
            n: seal.n,
        }
    }

    /// Returns `A` of the set: its context, encoded (envelope 1).
    #[must_use]
    pub fn a(&self) -> Vec<u8> {
        self.a_with(&[])
    }

    /// Returns `A` of an envelope or of a note, by its index (envelope 2).
    #[must_use]
    pub fn a_envelope(&self, index: u64) -> Vec<u8> {
        self.a_with(&[&le64(index)])
    }

    /// Returns `A` of a cell of a sheet, by its column and row (envelope 2).
    #[must_use]
    pub fn a_cell(&self, cell: Place) -> Vec<u8> {
        self.a_with(&[&le64(cell.index), &le64(cell.line)])
    }

    fn a_with(&self, place: &[&[u8]]) -> Vec<u8> {
        let n = le64(self.n);
        let set: [&[u8]; 8] = [
            &self.game.0,
            self.purpose.as_bytes(),
            self.kind.as_str().as_bytes(),
            self.sealer.as_str().as_bytes(),
            self.declarer.as_str().as_bytes(),
            self.revealer.as_str().as_bytes(),
            self.fallback.as_ref().map_or("", Role::as_str).as_bytes(),
            &n,
        ];
        pae(&[&set, place].concat())
    }

    /// Derives M, the secret of the set (envelope 3).
    #[must_use]
    pub fn master(&self, vault: &Secret, salt: &Hex32) -> Secret {
        Secret::new(h(tag::SET_MASTER, &[vault.expose(), &self.a(), &salt.0]))
    }

    /// Derives K of a place: of an envelope or note by index, of a cell by column and row (envelope 4, 5).
    #[must_use]
    pub fn key(&self, master: &Secret, place: Place) -> Secret {
        if self.kind != SetKind::Sheet {
            return key_of(master, &self.a_envelope(place.index));
        }
        let bottom = Place { index: place.index, line: ROWS as u64 };
        let key = key_of(master, &self.a_cell(bottom));
        self.climb(&key, bottom, place.line)
    }

    /// Derives K of a higher row from K of a deeper one in the same column; row 0 is the published commitment.
    #[must_use]
    pub fn climb(&self, key: &Secret, from: Place, to_row: u64) -> Secret {
        (to_row + 1..=from.line).rev().fold(key.clone(), |key, line| {
            let a = self.a_cell(Place { index: from.index, line });
            Secret::new(keyed(tag::CELL_CHAIN, &a, &key))
        })
    }

    /// Returns the commitment that the seal publishes for the place of a key: C_i, or K_0 of the column.
    #[must_use]
    pub fn commitment(&self, key: &Secret, place: Place) -> Hex32 {
        Hex32(match self.kind {
            SetKind::Sheet => *self.climb(key, place, 0).expose(),
            _ => keyed(tag::ENVELOPE_COMMIT, &self.a_envelope(place.index), key),
        })
    }

    /// Derives the sealed seed of a place.
    #[must_use]
    pub fn seed(&self, key: &Secret, place: Place) -> Secret {
        let a = match self.kind {
            SetKind::Sheet => self.a_cell(place),
            _ => self.a_envelope(place.index),
        };
        Secret::new(keyed(tag::ENVELOPE_SEED, &a, key))
    }

    /// Returns every commitment of the set, as its seal publishes them.
    #[must_use]
    pub fn commitments(&self, master: &Secret) -> Vec<Hex32> {
        self.deepest_places().map(|place| self.commitment(&self.key(master, place), place)).collect()
    }

    /// Returns one place for each commitment: each envelope, or the last cell of each column.
    pub fn deepest_places(&self) -> impl Iterator<Item = Place> + use<> {
        let (count, line) = match self.kind {
            SetKind::Sheet => (COLUMNS as u64, ROWS as u64),
            _ => (self.n, 0),
        };
        (0..count).map(move |index| Place { index, line })
    }

    /// Whether a key matches the commitment that the seal publishes for its place.
    #[must_use]
    pub fn matches(&self, seal: &Seal, key: &Secret, place: Place) -> bool {
        let possible = match self.kind {
            SetKind::Sheet => (1..=ROWS as u64).contains(&place.line),
            _ => true,
        };
        let published = usize::try_from(place.index).ok().and_then(|index| seal.commits.get(index));
        possible && published.is_some_and(|commit| *commit == self.commitment(key, place))
    }

    /// Encrypts the text of a note, padded to `least` bytes or, if it is longer, to the next multiple of 256 (envelope
    /// 6).
    ///
    /// # Errors
    /// Only on a text longer than a letter can contain.
    pub fn seal_note(&self, key: &Secret, text: &str, least: usize) -> Result<Vec<u8>> {
        let a = self.a_envelope(0);
        let mut padded = text.as_bytes().to_vec();
        padded.push(0x80);
        padded.resize(padded.len().max(least).next_multiple_of(NOTE_STEP), 0);
        cipher::seal(&keyed(tag::NOTE_KEY, &a, key), &a, &padded)
    }

    /// Decrypts the text of a note with a matching key (envelope 7).
    ///
    /// # Errors
    /// [`Error::Refused`] if the ciphertext, the padding or the UTF-8 is invalid, which is the sealer's breach.
    pub fn open_note(&self, key: &Secret, ciphertext: &[u8]) -> Result<String> {
        let a = self.a_envelope(0);
        let refuse = |text: &str| Error::Refused(text.into());
        let padded = cipher::open(&keyed(tag::NOTE_KEY, &a, key), &a, ciphertext)
            .ok_or_else(|| refuse("the key matches, but does not decrypt the note"))?;
        let end = padded.iter().rposition(|byte| *byte != 0).unwrap_or(0);
        match padded.split_at_checked(end) {
            Some((text, [0x80, ..])) if padded.len().is_multiple_of(NOTE_STEP) => {
                String::from_utf8(text.to_vec()).map_err(|_| refuse("the note is not valid UTF-8"))
            }
            _ => Err(refuse("the note's padding is wrong")),
        }
    }
}

/// Checks that the note of a set opens with its key (reveal 5, close 3); for other sets there is nothing to check.
///
/// # Errors
/// A breach of the given rule if it does not.
pub(super) fn check_note(rule: Rule, context: &Context, seal: &Seal, key: &Secret) -> Result<()> {
    for note in seal.notes.iter().flatten() {
        context.open_note(key, &note.0).map_err(|error| Error::breach(rule, error.to_string()))?;
    }
    Ok(())
}

fn key_of(master: &Secret, a: &[u8]) -> Secret {
    Secret::new(h(tag::ENVELOPE_KEY, &[master.expose(), a]))
}

fn keyed(tag: Tag, a: &[u8], key: &Secret) -> [u8; 32] {
    h(tag, &[a, key.expose()])
}
