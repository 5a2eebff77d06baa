//! The bodies of letters: a type for each (`protocol/charter.md`, `protocol/letters.md`), and the small types they
//! share.

mod any;
mod charter;
mod declare;
mod kind;
mod seen;
mod sets;
mod words;

pub use any::Body;
pub use charter::{
    Accept, Charter, Continues, Deadline, Decision, Forfeit, FoulUp, FoulUpClass, How, Party, Phase, Remedies, Remedy,
    Revealer, SetsAtStart, Source, Step, Withdraw,
};
pub use declare::{
    Contribution, Correct, Decide, Declare, Ended, FileHash, Lines, Moves, NoteRef, Pair, Proposal, Redo,
    SealedContribution, Select, Voiding, Worksheet,
};
pub(crate) use kind::{ANY_KIND, one};
pub use kind::{Kind, Kinds};
pub use seen::Seen;
pub use sets::{CellKey, Close, Key, Master, Reveal, Seal, SetKind};
pub use words::{Hex32, HexBytes, Name, Role, Slot};
pub(crate) use words::{at_most, lower_hex, nullable, plain_number, text, within};
