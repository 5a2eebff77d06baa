//! Arguments for a declaration, a correction, a dispute or a ruling, and their conversion to the types of `play`.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand, ValueEnum};

use super::answer::Answer;
use crate::{
    blob::{
        Hex32,
        body::{FileHash, Forfeit, FoulUpClass, Slot},
    },
    keep::texts::{TextFile, read_text},
    play::{self, correct::Mending, declaring::Moved, dispute::Disputing, rule::Ruling},
    primitive::hash::FileHasher,
};

/// Reads a text file, or returns the answer that it cannot be read.
pub(super) fn text_file(path: &Path) -> Result<TextFile, Answer> {
    TextFile::read(path).map_err(Answer::unable)
}

/// Reads the file of a table as text, or returns the answer that it cannot be read.
fn table(path: &Path) -> Result<TextFile, Answer> {
    play::rows::read_table(path).map_err(Answer::unable)
}

/// The arguments of a declaration.
#[derive(Clone, Debug, Args)]
pub(super) struct Declaring {
    /// The slot, as turn/impulse/phase/number [default: your next one], and a file: a combat sheet (CSV, .xlsx or .ods with hexes,odds,order, or JSON), rolls on the sheet (in the same formats, with why,cell), or a turn's statements (TOML, see --form); no file if you roll and state nothing
    #[arg(num_args = 0..=2, value_names = ["SLOT", "FILE"])]
    words: Vec<String>,
    /// The moves that these rolls belong to, in words
    #[arg(long)]
    moves: Option<String>,
    /// A text file with the moves
    #[arg(long, conflicts_with = "moves")]
    moves_file: Option<PathBuf>,
    /// Files that record the moves (a save, a log, a photo); their hashes are signed. A short file can be guessed from its hash, so keep secret moves in a sealed note (--moves-note)
    #[arg(long, num_args = 1.., conflicts_with_all = ["moves", "moves_file"])]
    files: Vec<PathBuf>,
    /// The name of the sealed note for this slot that contains the moves
    #[arg(long, conflicts_with_all = ["moves", "moves_file", "files"])]
    moves_note: Option<String>,
    /// Nothing is rolled; required if you name no sheet, because a declaration cannot be changed
    #[arg(long)]
    no_rolls: bool,
    /// Nothing moved
    #[arg(long, conflicts_with_all = ["moves", "moves_file", "files", "moves_note"])]
    no_moves: bool,
    /// Declare the slot again after a breach or an agreed foul-up, with the moves and the list that it must have
    #[arg(long, conflicts_with_all = ["moves", "moves_file", "files", "moves_note", "no_moves"])]
    again: bool,
    /// Print a form for this slot's turn, and sign nothing
    #[arg(long, conflicts_with_all = ["moves", "moves_file", "files", "moves_note", "no_moves", "no_rolls", "again"])]
    pub(super) form: bool,
    /// Declare a slot out of order: skip an earlier slot of yours, which then gets no dice and can never be declared, or declare although your opponent should go first or has already declared a later slot
    #[arg(long)]
    skip: bool,
    /// Leave the declaration at the office now, and read the letters that open its envelopes
    #[cfg(feature = "client")]
    #[arg(long, conflicts_with = "form")]
    pub(super) office: bool,
}

impl Declaring {
    /// Converts the arguments, and reads the files that they name.
    pub(super) fn read(&self) -> Result<play::declaring::Declaring, Answer> {
        let is_file =
            |word: &String| Slot::parse(word).is_none() && (!looks_like_a_slot(word) || Path::new(word).exists());
        let (slot, file) = match self.words.as_slice() {
            [] => (None, None),
            [file] if is_file(file) => (None, Some(file)),
            [slot] => (Some(slot), None),
            [slot, rest @ ..] => (Some(slot), rest.first()),
        };
        if file.is_some() && (self.no_rolls || self.again || self.form) {
            return Err(Answer::unable("--no-rolls, --again and --form take no file: nothing in it would be signed"));
        }
        let slot = slot.map(|slot| play::declaring::slot(slot)).transpose()?;
        let lists = match file {
            Some(file) => play::declaring::Lists::File(table(Path::new(file))?),
            None if self.no_rolls => play::declaring::Lists::Nothing,
            None => play::declaring::Lists::Unsaid,
        };
        let moved = if self.no_moves { Moved::Nothing } else { self.moved()? };
        Ok(play::declaring::Declaring { slot, lists, moved, again: self.again, skip: self.skip })
    }

    fn moved(&self) -> Result<Moved, Answer> {
        if let Some(words) = &self.moves {
            return Ok(Moved::Words(words.clone()));
        }
        if let Some(path) = &self.moves_file {
            let text = read_text(path);
            return Ok(Moved::Words(
                text.map_err(|why| Answer::unable(format!("{why}, or name it with --files instead")))?,
            ));
        }
        if let Some(name) = &self.moves_note {
            return Ok(Moved::Note(name.clone()));
        }
        if self.files.is_empty() {
            return Ok(Moved::Unsaid);
        }
        Ok(Moved::Files(self.files.iter().map(|path| file_hash(path)).collect::<Result<_, _>>()?))
    }
}

/// Whether a word is probably a mistyped slot rather than a file.
fn looks_like_a_slot(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('/')
}

/// Returns the name, length and hash of a file of any size, as letters name it.
fn file_hash(path: &Path) -> Result<FileHash, Answer> {
    if !path.is_file() {
        return Err(Answer::unable(format!("{} is not a file; name a file that records the moves", path.display())));
    }
    let unreadable = |error: io::Error| Answer::unable(format!("{} cannot be read: {error}", path.display()));
    let (mut length, mut sha3_256) = (0, [0; 32]);
    hash(path, &mut length, &mut sha3_256).map_err(unreadable)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.ok_or_else(|| {
        Answer::unable(format!("{} has no file name; name a file that records the moves", path.display()))
    })?;
    Ok(FileHash { length, name, sha3_256: Hex32(sha3_256) })
}

fn hash(path: &Path, length: &mut u64, sha3_256: &mut [u8; 32]) -> io::Result<()> {
    let mut file = File::open(path)?;
    let mut hasher = FileHasher::default();
    let mut piece = vec![0; 1 << 16];
    loop {
        match file.read(&mut piece)? {
            0 => break,
            read => {
                *length += read as u64;
                hasher.update(piece.get(..read).unwrap_or_default());
            }
        }
    }
    *sha3_256 = hasher.finish();
    Ok(())
}

/// The steps in correcting a foul-up.
#[derive(Clone, Debug, Subcommand)]
pub(super) enum CorrectVerb {
    /// Propose to correct a mistake in a declaration; the terms say what follows if your opponent agrees
    Propose {
        /// The slot that was declared, or the beginning of its declaration's id
        slot: String,
        /// The kind of mistake: illegal-move, illegal-odds or wrong-list
        #[arg(long, value_parser = class)]
        class: FoulUpClass,
        /// The role of the player who made it
        #[arg(long)]
        at_fault: String,
        /// What was wrong, in words
        #[arg(long)]
        reason: String,
        /// The corrected list of attacks, if the terms say redo
        #[arg(long)]
        sheet: Option<PathBuf>,
        /// Keep the dice, although the terms would have them rolled again
        #[arg(long, conflicts_with = "sheet")]
        keep_dice: bool,
    },
    /// Propose that dice do not count: some rolls of a declaration, all of it, or its whole impulse
    Void {
        #[command(flatten)]
        scoping: Scoping,
        /// The reason
        #[arg(long)]
        reason: String,
    },
    /// Agree to a proposal
    Accept {
        /// The beginning of the proposal's id, from `game status`
        id: String,
    },
    /// Refuse a proposal, so that the dice are kept
    Refuse {
        /// The beginning of the proposal's id, from `game status`
        id: String,
    },
}

fn class(text: &str) -> Result<FoulUpClass, String> {
    [FoulUpClass::IllegalMove, FoulUpClass::IllegalOdds, FoulUpClass::WrongList]
        .into_iter()
        .find(|class| class.as_str() == text)
        .ok_or_else(|| "must be illegal-move, illegal-odds or wrong-list".to_owned())
}

impl CorrectVerb {
    /// Converts the arguments, and reads the file that they name.
    pub(super) fn read(self) -> Result<Mending, Answer> {
        Ok(match self {
            Self::Propose { slot, class, at_fault, reason, sheet, keep_dice } => {
                let sheet = sheet.as_deref().map(table).transpose()?;
                Mending::Propose { slot, class, at_fault, reason, sheet, keep_dice }
            }
            Self::Void { scoping, reason } => Mending::Void { scoping: scoping.into(), reason },
            Self::Accept { id } => Mending::Accept(id),
            Self::Refuse { id } => Mending::Refuse(id),
        })
    }
}

/// The dice that a void covers.
#[derive(Clone, Debug, Args)]
pub(super) struct Scoping {
    /// The slot that was declared, or the beginning of its declaration's id
    slot: String,
    /// Only these rolls of the declaration, numbered from 1
    #[arg(long, num_args = 1.., value_delimiter = ',')]
    lines: Vec<u64>,
    /// Every roll in its impulse, by both players
    #[arg(long, conflicts_with = "lines")]
    impulse: bool,
}

impl From<Scoping> for play::correct::Scoping {
    fn from(Scoping { slot, lines, impulse }: Scoping) -> Self {
        Self { slot, lines, impulse }
    }
}

/// The steps in a dispute.
#[derive(Clone, Debug, Subcommand)]
pub(super) enum DisputeVerb {
    /// Claim that your opponent owes a step, such as opening a slot, or does not answer at all
    Stall {
        /// The slot whose reveal your opponent owes, the beginning of its declaration's id, or the unopened note (its slot and name)
        what: Option<String>,
        /// Your opponent owes their next declaration
        #[arg(long, conflicts_with = "what")]
        declaration: bool,
        /// Your comments, in words
        #[arg(long, default_value = "")]
        text: String,
    },
    /// Say that something is wrong with letters; of two letters with the same number, the one that you name counts
    Raise {
        /// The beginnings of the letters' ids
        #[arg(required = true)]
        letters: Vec<String>,
        /// What is wrong, in words
        #[arg(long)]
        text: String,
    },
    /// Withdraw a stall or a dispute
    Withdraw {
        /// The beginning of the claim's id
        id: String,
    },
    /// Let your opponent name the dice of a slot that you can no longer open
    Yield {
        /// The slot, or the beginning of its declaration's id
        slot: String,
        /// The reason
        #[arg(long, default_value = "")]
        text: String,
    },
    /// Give up the game
    Resign {
        /// Your comments, in words
        #[arg(long, default_value = "")]
        text: String,
    },
    /// Name the dice for a slot of yours that were forfeited to you
    Name {
        /// The slot, or the beginning of its declaration's id
        slot: String,
        /// The dice, in the order of the worksheet
        #[arg(required = true)]
        dice: Vec<u64>,
    },
}

impl From<DisputeVerb> for Disputing {
    fn from(verb: DisputeVerb) -> Self {
        match verb {
            DisputeVerb::Stall { what, declaration, text } => Self::Stall { what, declaration, text },
            DisputeVerb::Raise { letters, text } => Self::Raise { letters, text },
            DisputeVerb::Withdraw { id } => Self::Withdraw(id),
            DisputeVerb::Yield { slot, text } => Self::Yield { slot, text },
            DisputeVerb::Resign { text } => Self::Resign(text),
            DisputeVerb::Name { slot, dice } => Self::Name { slot, dice },
        }
    }
}

/// A ruling. Letters are named by the beginnings of their ids, as `game status` and `audit` show them.
#[derive(Clone, Debug, Subcommand)]
pub(super) enum RuleVerb {
    /// Ask the silent player for the step that a stall claims; a forfeit may follow
    Request {
        /// The claim
        claim: String,
    },
    /// Rule that the silent player forfeits, after your request and the days that the terms give them
    Forfeit {
        /// Your request
        request: String,
        /// The forfeit
        what: Forfeited,
    },
    /// Open the envelopes that the silent player owes, with the keys that they deposited, after your request and the days that the terms give them
    Open {
        /// Your request
        request: String,
    },
    /// Rule that dice do not count: some rolls of a declaration, all of it, or its whole impulse
    Void(Scoping),
    /// Rule that a sealed set must not be used any more
    Kill {
        /// The set's seal
        seal: String,
    },
    /// Settle a problem with a letter
    Settle {
        /// The letter
        letter: String,
    },
    /// Settle a stall or a dispute
    Dismiss {
        /// The claim
        claim: String,
    },
    /// Agree to a proposal in place of the player who was asked
    Agree {
        /// The proposal
        proposal: String,
    },
}

/// The possible forfeits of a silent player.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Forfeited {
    /// The declarer names every die
    DeclarerNames,
    /// The game
    Game,
}

impl From<RuleVerb> for Ruling {
    fn from(verb: RuleVerb) -> Self {
        match verb {
            RuleVerb::Request { claim } => Self::Request(claim),
            RuleVerb::Forfeit { request, what } => Self::Forfeit(
                request,
                match what {
                    Forfeited::DeclarerNames => Forfeit::DeclarerNames,
                    Forfeited::Game => Forfeit::Game,
                },
            ),
            RuleVerb::Open { request } => Self::Open(request),
            RuleVerb::Void(scoping) => Self::Void(scoping.into()),
            RuleVerb::Kill { seal } => Self::Kill(seal),
            RuleVerb::Settle { letter } => Self::Settle(letter),
            RuleVerb::Dismiss { claim } => Self::Dismiss(claim),
            RuleVerb::Agree { proposal } => Self::Agree(proposal),
        }
    }
}
