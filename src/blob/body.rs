//! What letters say: a type for each body (`protocol/charter.md`, `protocol/letters.md`), and the small types they share.
//! Fields stand in the order of the canonical encoding.

use std::{
    collections::{BTreeMap, HashSet},
    fmt,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{
    deposits::{Deposit, Referee},
    disputes::{Claim, Ruling, Scope},
    json::{Map, Text, Value, ascending},
    office::{Office, Receipt},
    resync::Resync,
};
use crate::limits::{COLUMNS, ENVELOPES, HEADS, INTEGER, KEYS, LIST, ROWS, SEEN, STATES};

/// Thirty-two bytes that letters write as 64 lower-case digits: an id, a key, a salt, a commitment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hex32(pub [u8; 32]);

impl Hex32 {
    /// Reads 64 lower-case hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        lower_hex(text.as_bytes()).map(Self)
    }
}

impl fmt::Display for Hex32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Hex32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Hex32 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hex32 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        Self::parse(text).ok_or_else(|| de::Error::custom("not 64 lower-case hexadecimal digits"))
    }
}

/// Bytes of any length, in lower-case digits: a note's ciphertext.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HexBytes(pub Vec<u8>);

impl Serialize for HexBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex::encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for HexBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        match hex::decode(text) {
            Ok(bytes) if !text.bytes().any(|digit| digit.is_ascii_uppercase()) => Ok(Self(bytes)),
            _ => Err(de::Error::custom("not lower-case hexadecimal digits in pairs")),
        }
    }
}

/// Decodes exactly N bytes from lower-case digits: `hex` would take capitals too.
pub(super) fn lower_hex<const N: usize>(digits: &[u8]) -> Option<[u8; N]> {
    let pairs: &[[u8; 2]] = digits.as_chunks().0;
    if digits.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    let mut all = 0;
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        let (high, low) = (nibble(*high), nibble(*low));
        all |= high | low;
        *byte = high << 4 | low & 0xf;
    }
    (all <= 0xf).then_some(bytes)
}

/// The value of a lower-case digit, or more than 15. Most of a letter is such digits, so that this is a table.
const fn nibble(digit: u8) -> u8 {
    const NIBBLES: [u8; 256] = {
        let mut table = [0xff; 256];
        let mut value = 0;
        while value < 16 {
            #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler, within bounds")]
            {
                table[b"0123456789abcdef"[value] as usize] = value as u8;
            }
            value += 1;
        }
        table
    };
    #[expect(clippy::indexing_slicing, reason = "a byte is below 256")]
    NIBBLES[digit as usize]
}

macro_rules! word {
    ($(#[$doc:meta])* $name:ident, $most:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        pub struct $name(String);

        impl $name {
            /// Reads a word of small letters, digits and hyphens that begins with a letter.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                let mut bytes = text.bytes();
                let begins = bytes.next().is_some_and(|byte| byte.is_ascii_lowercase());
                let goes_on = bytes.all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
                (begins && goes_on && text.len() <= $most).then(|| Self(text.to_owned()))
            }

            /// The word itself.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <&str>::deserialize(deserializer)?;
                Self::parse(text).ok_or_else(|| {
                    de::Error::custom(format!(
                        "not a word of at most {} small letters, digits and hyphens",
                        $most
                    ))
                })
            }
        }
    };
}

word! {
    /// The name by which a party signs (message 8).
    Role, 16
}
word! {
    /// Name of a phase, of a decision or of a note (charter 2).
    Name, 32
}

/// Where in the game something happens (charter 19).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slot {
    /// Impulse of the turn.
    #[serde(deserialize_with = "within::<_, 1, 99>")]
    pub impulse: u64,
    /// Running number in turn, impulse and phase.
    #[serde(deserialize_with = "within::<_, 1, 9_999>")]
    pub number: u64,
    /// Name of the phase.
    pub phase: Name,
    /// Turn.
    #[serde(deserialize_with = "within::<_, 1, 9_999>")]
    pub turn: u64,
}

impl Slot {
    /// The last turn of a game, and the last number of a phase in a turn.
    pub const LAST: u64 = 9_999;

    /// Reads `turn/impulse/phase/number`, in the one way to write it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('/');
        let slot = Self {
            turn: plain_number(parts.next()?, Self::LAST)?,
            impulse: plain_number(parts.next()?, 99)?,
            phase: Name::parse(parts.next()?)?,
            number: plain_number(parts.next()?, Self::LAST)?,
        };
        parts.next().is_none().then_some(slot)
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}/{}", self.turn, self.impulse, self.phase, self.number)
    }
}

/// A number from 1 to `most` without leading zeros, as purposes and slots write it.
pub(crate) fn plain_number(text: &str, most: u64) -> Option<u64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    let number = text.parse().ok().filter(|_| plain)?;
    (number <= most).then_some(number)
}

/// The kinds of letters (message 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The terms of a game.
    Charter,
    /// The opponent's agreement; its id is the game's.
    Accept,
    /// Commitments to a set.
    Seal,
    /// What is rolled for, locked.
    Declare,
    /// The keys that a declaration selects.
    Reveal,
    /// A choice that must be signed before a declaration.
    Decide,
    /// A foul-up: proposed, accepted or refused.
    Correct,
    /// A stall, a dispute, a forfeit by the one who owes.
    Claim,
    /// What the referee says.
    Ruling,
    /// What the referee or the office holds, and the office's hand-backs, epochs and time.
    Receipt,
    /// A restored folder asks, and is answered.
    Resync,
    /// A set's secret, for the referee or the office.
    Deposit,
    /// The author of terms takes them back.
    Withdraw,
    /// A player's stop, and his masters.
    Close,
}

impl Kind {
    /// As heads write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Charter => "charter",
            Self::Accept => "accept",
            Self::Seal => "seal",
            Self::Declare => "declare",
            Self::Reveal => "reveal",
            Self::Decide => "decide",
            Self::Correct => "correct",
            Self::Claim => "claim",
            Self::Ruling => "ruling",
            Self::Receipt => "receipt",
            Self::Resync => "resync",
            Self::Deposit => "deposit",
            Self::Withdraw => "withdraw",
            Self::Close => "close",
        }
    }
}

/// The kinds of which a letter that is named must be one; none if any will do (letters 5).
pub type Kinds = &'static [Kind];

/// Any letter.
pub(super) const ANY_KIND: Kinds = &[];

/// A letter of one kind.
pub(super) const fn one(kind: &'static Kind) -> Kinds {
    std::slice::from_ref(kind)
}

/// The body of a letter, by kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Body {
    /// See [`Charter`].
    Charter(Box<Charter>),
    /// See [`Accept`].
    Accept(Accept),
    /// See [`Seal`].
    Seal(Seal),
    /// See [`Declare`].
    Declare(Box<Declare>),
    /// See [`Reveal`].
    Reveal(Reveal),
    /// See [`Decide`].
    Decide(Decide),
    /// See [`Correct`].
    Correct(Correct),
    /// See [`Claim`].
    Claim(Claim),
    /// See [`Ruling`].
    Ruling(Ruling),
    /// See [`Receipt`].
    Receipt(Receipt),
    /// See [`Resync`].
    Resync(Resync),
    /// See [`Deposit`].
    Deposit(Deposit),
    /// See [`Withdraw`].
    Withdraw(Withdraw),
    /// See [`Close`].
    Close(Close),
}

/// `charter` (charter 1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Charter {
    /// The author claims to have compared the opponent's key.
    pub compared: bool,
    /// The game that this one goes on from, if it does.
    #[serde(deserialize_with = "nullable")]
    pub continues: Option<Continues>,
    /// What deadlines were agreed.
    #[serde(deserialize_with = "list::<_, _, 0>")]
    pub deadlines: Vec<Deadline>,
    /// How foul-ups are mended.
    pub foul_up: FoulUp,
    /// Each player is fully accountable.
    pub hard_core: bool,
    /// Fresh randomness: a rematch is another game.
    pub nonce: Hex32,
    /// Who opens envelopes at once, if anybody does.
    #[serde(deserialize_with = "nullable")]
    pub office: Option<Office>,
    /// The two players, in the order of players.
    pub parties: [Party; 2],
    /// What mistakes cost, in the players' words.
    #[serde(deserialize_with = "penalties")]
    pub penalties: Vec<String>,
    /// Phases in their order within an impulse.
    #[serde(deserialize_with = "list::<_, _, 1>")]
    pub phases: Vec<Phase>,
    /// Who settles disputes, if anybody does.
    #[serde(deserialize_with = "nullable")]
    pub referee: Option<Referee>,
    /// What each player seals before play.
    pub sets_at_start: SetsAtStart,
    /// Tables in full, by name.
    #[serde(deserialize_with = "tables")]
    pub tables: Map<String, Value>,
    /// What the players call the game.
    #[serde(deserialize_with = "text::<_, 1, 200>")]
    pub title: String,
}

/// The game that a charter continues (charter 25). Its ids name no letters of the new game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Continues {
    /// Id of the old game.
    pub game: Hex32,
    /// For each role of the old game its last letter that still counts.
    #[serde(deserialize_with = "heads")]
    pub heads: BTreeMap<Role, Option<Hex32>>,
    /// The states with which courses of the new game begin, by their systems.
    #[serde(deserialize_with = "states")]
    pub states: BTreeMap<String, Map<String, Value>>,
}

/// A player as the charter names him.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Party {
    /// Public signing key.
    pub key: Hex32,
    /// A person's name.
    #[serde(deserialize_with = "text::<_, 1, 80>")]
    pub name: String,
    /// The name by which he signs.
    pub role: Role,
}

/// A phase (charter 2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// Choices that must be signed before a declaration.
    #[serde(deserialize_with = "list::<_, _, 0>")]
    pub decisions: Vec<Decision>,
    /// Who declares; nobody, where the system's state says who (courses 17).
    #[serde(deserialize_with = "nullable")]
    pub declarer: Option<Role>,
    /// The impulses that have this phase.
    #[serde(deserialize_with = "impulses")]
    pub impulses: Vec<u64>,
    /// Its name.
    pub name: Name,
    /// Whether only the declarer knows its rolls at first (secrets 1).
    pub private: bool,
    /// Who opens its envelopes.
    pub revealer: Revealer,
    /// All settings of its system.
    #[serde(deserialize_with = "object")]
    pub settings: Map<String, Value>,
    /// Where its dice come from.
    pub source: Source,
    /// Name of its system.
    pub system: String,
}

/// A choice that a phase owes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// Who signs it; nobody alone, if it is simultaneous.
    #[serde(deserialize_with = "nullable")]
    pub by: Option<Role>,
    /// How it is signed.
    pub how: How,
    /// What it is called.
    pub name: Name,
}

/// How a decision is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// For everybody to read.
    Open,
    /// As a note that is opened after the declaration.
    Sealed,
    /// As a note by each player, both opened before the declaration.
    Simultaneous,
}

/// Who opens a set's envelopes, as a charter says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Revealer {
    /// The set's sealer, by letter.
    Sealer,
    /// The office, at once (office 5, 6).
    Office,
}

/// Where a phase's dice come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A fresh set of coin envelopes for each slot.
    Coin,
    /// The match-long sheet.
    Sheet,
    /// One envelope for each slot (courses 15).
    Plain,
}

/// How foul-ups are mended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoulUp {
    /// Envelopes in a foul-up set.
    #[serde(deserialize_with = "within::<_, 1, { ENVELOPES }>")]
    pub envelopes: u64,
    /// One remedy for each class, fixed before play.
    pub remedies: Remedies,
    /// Who opens them.
    pub revealer: Revealer,
}

/// One remedy for each class of foul-up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Remedies {
    /// A unit moved as the rules forbid.
    pub illegal_move: Remedy,
    /// The odds were computed wrongly.
    pub illegal_odds: Remedy,
    /// An attack is missing or should not be there.
    pub wrong_list: Remedy,
}

impl Remedies {
    /// The remedy for a class.
    #[must_use]
    pub const fn of(&self, class: FoulUpClass) -> Remedy {
        match class {
            FoulUpClass::IllegalMove => self.illegal_move,
            FoulUpClass::IllegalOdds => self.illegal_odds,
            FoulUpClass::WrongList => self.wrong_list,
        }
    }
}

/// The classes of foul-up that no machine can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FoulUpClass {
    /// A unit moved as the rules forbid.
    IllegalMove,
    /// The odds were computed wrongly.
    IllegalOdds,
    /// An attack is missing or should not be there.
    WrongList,
}

impl FoulUpClass {
    /// As charters and proposals write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::IllegalMove => "illegal-move",
            Self::IllegalOdds => "illegal-odds",
            Self::WrongList => "wrong-list",
        }
    }
}

/// What a foul-up leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Remedy {
    /// The dice stand.
    Keep,
    /// A new declaration from the foul-up set.
    Redo,
}

/// A deadline (charter 3). It convicts nobody by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deadline {
    /// Days.
    #[serde(deserialize_with = "within::<_, 1, 3_650>")]
    pub days: u64,
    /// What was agreed to follow.
    pub forfeit: Forfeit,
    /// What is to be done in that time.
    pub step: Step,
}

/// What silence may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Forfeit {
    /// Nothing.
    None,
    /// The declarer names every die.
    DeclarerNames,
    /// The game.
    Game,
}

/// The steps that have deadlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// Any answer.
    Answer,
    /// The next declaration.
    Declare,
    /// A reveal that is owed.
    Reveal,
}

/// What each player seals before play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetsAtStart {
    /// Foul-up sets.
    #[serde(deserialize_with = "within::<_, 0, 8>", rename = "foul-up")]
    pub foul_up: u64,
    /// Sheets.
    #[serde(deserialize_with = "within::<_, 0, 8>")]
    pub sheet: u64,
}

/// `withdraw` (charter 21). It says nothing but its head, whose game is the id of the charter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Withdraw {}

/// `accept` (charter 13).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accept {
    /// Id of the charter.
    pub charter: Hex32,
    /// The author claims to have compared the opponent's key.
    pub compared: bool,
    /// Fresh randomness: the accept's id, and so the game's, cannot be foreseen.
    pub nonce: Hex32,
}

/// What a set is for, and so how its places are spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SetKind {
    /// One worksheet.
    Coin,
    /// A match-long ICRK sheet.
    Sheet,
    /// The rolls of one slot of a course (courses 15).
    Plain,
    /// New declarations after a foul-up.
    FoulUp,
    /// Its sealer's own shares of private dice.
    Contribution,
    /// A text.
    Note,
}

impl SetKind {
    /// Whether its keys give dice, and no note or share of a private roll.
    #[must_use]
    pub const fn has_dice(self) -> bool {
        matches!(self, Self::Coin | Self::Sheet | Self::Plain | Self::FoulUp)
    }

    /// Whether its sealer declares on it too: notes and contributions.
    #[must_use]
    pub const fn is_own(self) -> bool {
        matches!(self, Self::Note | Self::Contribution)
    }

    /// As seals and contexts write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Coin => "coin",
            Self::Sheet => "sheet",
            Self::Plain => "plain",
            Self::FoulUp => "foul-up",
            Self::Contribution => "contribution",
            Self::Note => "note",
        }
    }
}

/// `seal`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seal {
    /// Commitments: C_i, or K_0 of a sheet's columns.
    pub commits: Vec<Hex32>,
    /// Who may declare on the set.
    pub declarer: Role,
    /// What it is for.
    pub kind: SetKind,
    /// Number of places.
    #[serde(deserialize_with = "within::<_, 1, 400>")]
    pub n: u64,
    /// Ciphertexts of a set of notes.
    #[serde(deserialize_with = "nullable")]
    pub notes: Option<Vec<HexBytes>>,
    /// What it is sealed for (seal 3).
    pub purpose: String,
    /// Who opens it.
    pub revealer: Role,
    /// Public randomness of M.
    pub salt: Hex32,
}

impl Seal {
    /// What the types do not say (class `fields`).
    pub(super) fn check(&self) -> Result<(), &'static str> {
        const TAG: usize = 16;
        let sheet = COLUMNS * ROWS;
        let fits = match self.kind {
            SetKind::Sheet => self.n as usize == sheet && self.commits.len() == COLUMNS,
            _ => self.n <= ENVELOPES && self.commits.len() as u64 == self.n,
        };
        if !fits {
            return Err("commits: their number does not fit n and kind");
        }
        match (&self.notes, self.kind) {
            (None, SetKind::Note)
            | (Some(_), SetKind::Coin | SetKind::Sheet | SetKind::Plain | SetKind::FoulUp | SetKind::Contribution) => {
                Err("notes: a set of notes has them, and no other set")
            }
            (Some(notes), _) if notes.len() as u64 != self.n => Err("notes: their number is not n"),
            (Some(notes), _) if notes.iter().any(|note| note.0.len() % 256 != TAG || note.0.len() == TAG) => {
                Err("notes: a ciphertext is a multiple of 256 bytes and 16 more")
            }
            _ => Ok(()),
        }
    }
}

/// `declare`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declare {
    /// Where its course stands: a declaration, a decision, or a claim that named dice (courses 4).
    #[serde(deserialize_with = "nullable")]
    pub after: Option<Hex32>,
    /// The declarer's fresh randomness.
    #[serde(deserialize_with = "nullable")]
    pub contribution: Option<Contribution>,
    /// What is rolled for, in its system's canonical form.
    pub input: Text,
    /// The movement that these rolls belong to.
    pub moves: Moves,
    /// Which declaration this one does again, and why it may.
    #[serde(deserialize_with = "nullable")]
    pub redo: Option<Redo>,
    /// The seal whose places are selected.
    #[serde(deserialize_with = "nullable")]
    pub seal: Option<Hex32>,
    /// The places, as the rules compute them.
    #[serde(deserialize_with = "nullable")]
    pub select: Option<Select>,
    /// Where in the game.
    pub slot: Slot,
}

/// The declarer's share of the dice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Contribution {
    /// In the clear.
    Open(Hex32),
    /// The seed of an envelope of the declarer's own (secrets 2).
    Sealed(SealedContribution),
}

/// An envelope of the declarer's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SealedContribution {
    /// Its index.
    #[serde(deserialize_with = "integer")]
    pub index: u64,
    /// Id of the seal.
    pub seal: Hex32,
}

/// The recorded movement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Moves {
    /// In words.
    Text(String),
    /// In files, by their hashes.
    Files(#[serde(deserialize_with = "list::<_, _, 1>")] Vec<FileHash>),
    /// In a sealed note.
    Note(NoteRef),
    /// There was none.
    None(()),
}

impl Moves {
    /// The seal of the note that has them, if they are in one.
    #[must_use]
    pub const fn note(&self) -> Option<Hex32> {
        match self {
            Self::Note(note) => Some(note.seal),
            Self::Text(_) | Self::Files(_) | Self::None(()) => None,
        }
    }
}

/// A file that the movement is recorded in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileHash {
    /// Bytes.
    #[serde(deserialize_with = "integer")]
    pub length: u64,
    /// Its name.
    #[serde(deserialize_with = "text::<_, 1, 255>")]
    pub name: String,
    /// Plain SHA3-256 of its content.
    pub sha3_256: Hex32,
}

/// A note of a sealed set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoteRef {
    /// Its index: 0.
    #[serde(deserialize_with = "within::<_, 0, 0>")]
    pub index: u64,
    /// Id of the seal.
    pub seal: Hex32,
}

/// The places that a declaration selects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Select {
    /// Envelopes and rows of a coin set.
    Worksheet(Worksheet),
    /// Cells of a sheet, (column from 0, row from 1).
    Cells(Vec<Pair>),
    /// The next envelope of the foul-up set.
    FoulUp(Lines),
    /// The envelope of a plain set.
    Plain(Lines),
}

/// The worksheet's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Worksheet {
    /// T mod N.
    #[serde(deserialize_with = "integer")]
    pub index: u64,
    /// (envelope, row) of each attack in sorted order.
    pub rows: Vec<Pair>,
    /// T.
    #[serde(deserialize_with = "integer")]
    pub total: u64,
}

/// An envelope whose lines are taken one after another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lines {
    /// Its index.
    #[serde(deserialize_with = "integer")]
    pub index: u64,
    /// How many rolls take a line of it.
    #[serde(deserialize_with = "integer")]
    pub lines: u64,
}

/// Two integers in a list: envelope and row, or column and row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair(#[serde(deserialize_with = "integer")] pub u64, #[serde(deserialize_with = "integer")] pub u64);

/// Why a slot is declared again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Redo {
    /// The declaration named is in breach.
    Breach(Hex32),
    /// The acceptance named agreed on it.
    Agreed(Hex32),
    /// The letter named opened an envelope of the slot's set unasked.
    Opened(Hex32),
}

/// `reveal`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reveal {
    /// Id of the declaration that asked; none for orders at once.
    #[serde(deserialize_with = "nullable")]
    pub declaration: Option<Hex32>,
    /// (index, K) of envelopes.
    #[serde(deserialize_with = "at_most::<_, _, KEYS>")]
    pub keys: Vec<Key>,
    /// Id of the seal.
    pub seal: Hex32,
    /// (column, row, K) of cells.
    #[serde(deserialize_with = "at_most::<_, _, COLUMNS>")]
    pub sheets: Vec<CellKey>,
}

/// An envelope's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key(#[serde(deserialize_with = "integer")] pub u64, pub Hex32);

/// A cell's key, which opens the cells above it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellKey(
    #[serde(deserialize_with = "integer")] pub u64,
    #[serde(deserialize_with = "integer")] pub u64,
    pub Hex32,
);

/// `decide`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decide {
    /// Where its course stands, as in a declaration (courses 4).
    #[serde(deserialize_with = "nullable")]
    pub after: Option<Hex32>,
    /// Which decision of the phase.
    pub name: Name,
    /// For which slot.
    pub slot: Slot,
    /// What was chosen.
    #[serde(deserialize_with = "any")]
    pub value: Value,
}

/// How a resolver stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ended {
    /// All is resolved.
    Done,
    /// A decision is needed that was not locked.
    Needs,
}

/// `correct`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Correct {
    /// A foul-up is proposed.
    Propose(Box<Proposal>),
    /// Rolls are not to count.
    Void(Voiding),
    /// A proposal is accepted.
    Accept(Hex32),
    /// A proposal is refused.
    Refuse(Hex32),
}

/// A void as proposed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Voiding {
    /// In words.
    #[serde(deserialize_with = "text::<_, 1, 1_000>")]
    pub reason: String,
    /// Which rolls.
    pub scope: Scope,
}

impl Correct {
    /// What the types do not say (class `fields`).
    pub(super) fn check(&self) -> Result<(), &'static str> {
        match self {
            Self::Void(voiding) => voiding.scope.check(),
            _ => Ok(()),
        }
    }
}

/// A foul-up as proposed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    /// Who made the mistake.
    pub at_fault: Role,
    /// Which kind of mistake.
    pub class: FoulUpClass,
    /// Id of the declaration.
    pub declaration: Hex32,
    /// The input as it should have been, for a redo.
    #[serde(deserialize_with = "nullable")]
    pub input: Option<Text>,
    /// In words.
    #[serde(deserialize_with = "text::<_, 0, 1_000>")]
    pub reason: String,
}

/// `close`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Close {
    /// M of every set of the author.
    #[serde(deserialize_with = "nullable")]
    pub masters: Option<Vec<Master>>,
    /// How the game ended, in words.
    #[serde(deserialize_with = "short_or_null")]
    pub result: Option<String>,
}

impl Close {
    /// What the types do not say (class `fields`).
    pub(super) fn check(&self) -> Result<(), &'static str> {
        let mut seals = HashSet::new();
        let mut masters = self.masters.iter().flatten();
        masters.all(|master| seals.insert(master.seal)).then_some(()).ok_or("masters: a seal stands twice")
    }
}

/// A set's published secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Master {
    /// M.
    pub master: Hex32,
    /// Id of the seal.
    pub seal: Hex32,
}

/// For each other role the last letter seen. A short list: a game has two or three, and a map would cost a head ten times
/// its size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen(Vec<(Role, Option<Hex32>)>);

impl Seen {
    /// One role, and the last letter seen of it.
    #[must_use]
    pub fn of(role: Role, letter: Option<Hex32>) -> Self {
        Self(vec![(role, letter)])
    }

    /// Notes the last letter of a role.
    pub fn insert(&mut self, role: Role, letter: Option<Hex32>) {
        match self.0.binary_search_by(|(known, _)| known.cmp(&role)) {
            Ok(at) => self.0.iter_mut().skip(at).take(1).for_each(|entry| entry.1 = letter),
            Err(at) => self.0.insert(at, (role, letter)),
        }
    }

    /// The last letter seen of a role.
    #[must_use]
    pub fn get(&self, role: &Role) -> Option<Hex32> {
        self.iter().find(|(known, _)| *known == role).and_then(|(_, letter)| letter)
    }

    /// Roles and letters, in the order of the roles.
    pub fn iter(&self) -> impl Iterator<Item = (&Role, Option<Hex32>)> {
        self.0.iter().map(|(role, letter)| (role, *letter))
    }

    /// The letters.
    pub fn letters(&self) -> impl Iterator<Item = Hex32> + '_ {
        self.0.iter().filter_map(|(_, letter)| *letter)
    }
}

impl Serialize for Seen {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

struct SeenVisitor;

impl<'de> de::Visitor<'de> for SeenVisitor {
    type Value = Seen;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of roles")
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut entries: A) -> Result<Seen, A::Error> {
        let mut seen = Seen::default();
        while let Some((role, letter)) = entries.next_entry()? {
            if seen.0.len() == SEEN {
                return Err(de::Error::custom(format!("seen has at most {SEEN} roles")));
            }
            seen.insert(role, letter);
        }
        Ok(seen)
    }
}

impl<'de> Deserialize<'de> for Seen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SeenVisitor)
    }
}

/// A field that may be `null` but not missing.
pub(super) fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(d: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(d)
}

fn integer<'de, D: Deserializer<'de>>(d: D) -> Result<u64, D::Error> {
    within::<D, 0, { INTEGER as u64 }>(d)
}

pub(super) fn within<'de, D: Deserializer<'de>, const LEAST: u64, const MOST: u64>(d: D) -> Result<u64, D::Error> {
    let value = u64::deserialize(d)?;
    if !(LEAST..=MOST).contains(&value) {
        return Err(de::Error::custom(format!("{value} is not within {LEAST} to {MOST}")));
    }
    Ok(value)
}

pub(super) fn text<'de, D: Deserializer<'de>, const LEAST: usize, const MOST: usize>(d: D) -> Result<String, D::Error> {
    let value = String::deserialize(d)?;
    if !(LEAST..=MOST).contains(&value.chars().count()) {
        return Err(de::Error::custom(format!("a text of {LEAST} to {MOST} characters is meant")));
    }
    Ok(value)
}

fn short_or_null<'de, D: Deserializer<'de>>(d: D) -> Result<Option<String>, D::Error> {
    let value: Option<String> = Option::deserialize(d)?;
    if value.as_ref().is_some_and(|text| text.chars().count() > 1_000) {
        return Err(de::Error::custom("a text of up to 1000 characters is meant"));
    }
    Ok(value)
}

fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>, const LEAST: usize>(d: D) -> Result<Vec<T>, D::Error> {
    let items = Vec::deserialize(d)?;
    if !(LEAST..=LIST).contains(&items.len()) {
        return Err(de::Error::custom(format!("a list of {LEAST} to {LIST} is meant")));
    }
    Ok(items)
}

pub(super) fn at_most<'de, D: Deserializer<'de>, T: Deserialize<'de>, const MOST: usize>(
    d: D,
) -> Result<Vec<T>, D::Error> {
    let items = Vec::deserialize(d)?;
    if items.len() > MOST {
        return Err(de::Error::custom(format!("a list of at most {MOST} is meant")));
    }
    Ok(items)
}

fn penalties<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<String>, D::Error> {
    let penalties: Vec<String> = list::<_, _, 0>(d)?;
    if penalties.iter().any(|text| !(1..=1_000).contains(&text.chars().count())) {
        return Err(de::Error::custom("a penalty is a text of 1 to 1000 characters"));
    }
    Ok(penalties)
}

fn tables<'de, D: Deserializer<'de>>(d: D) -> Result<Map<String, Value>, D::Error> {
    let tables = object(d)?;
    if tables.len() > LIST {
        return Err(de::Error::custom(format!("at most {LIST} tables are meant")));
    }
    Ok(tables)
}

fn heads<'de, D: Deserializer<'de>>(d: D) -> Result<BTreeMap<Role, Option<Hex32>>, D::Error> {
    let heads = BTreeMap::deserialize(d)?;
    if !(1..=HEADS).contains(&heads.len()) {
        return Err(de::Error::custom(format!("1 to {HEADS} heads are meant")));
    }
    Ok(heads)
}

fn states<'de, D: Deserializer<'de>>(d: D) -> Result<BTreeMap<String, Map<String, Value>>, D::Error> {
    let states = object(d)?;
    if states.len() > STATES {
        return Err(de::Error::custom(format!("at most {STATES} states are meant")));
    }
    let each = states.into_iter().map(|(system, state)| match state {
        Value::Object(state) => Ok((system, state)),
        _ => Err(de::Error::custom("a state is an object")),
    });
    each.collect()
}

fn impulses<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<u64>, D::Error> {
    let items: Vec<u64> = Vec::deserialize(d)?;
    if items.is_empty() || !ascending(&items) || items.iter().any(|impulse| !(1..=99).contains(impulse)) {
        return Err(de::Error::custom("impulses are 1 to 99, ascending, and at least one"));
    }
    Ok(items)
}

fn object<'de, D: Deserializer<'de>>(d: D) -> Result<Map<String, Value>, D::Error> {
    match any(d)? {
        Value::Object(fields) => Ok(fields),
        _ => Err(de::Error::custom("not an object")),
    }
}

fn any<'de, D: Deserializer<'de>>(d: D) -> Result<Value, D::Error> {
    Value::deserialize(d)
}
