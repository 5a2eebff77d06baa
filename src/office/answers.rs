//! The office's answers, as JSON (`protocol/post.md` 10 to 15).

use serde::{Deserialize, Serialize};

/// The class of a refused letter that does not fit into its author's share of the box (post 21).
pub const ROOM: &str = "room";

/// What a charter must say of the office, and its clock.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "office", derive(utoipa::ToSchema))]
pub struct Card {
    /// The key that deposits are wrapped to, in hex.
    pub deposit: String,
    /// Its signing key, in hex.
    pub key: String,
    /// What its operator calls it.
    pub name: String,
    /// Its clock, in seconds since 1970.
    pub now: u64,
}

/// A letter of a box.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "office", derive(utoipa::ToSchema))]
pub struct Placed {
    /// The letter as text: its armour.
    pub letter: String,
    /// Its place in the box, from 1.
    pub position: u64,
}

/// Letters of a box.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "office", derive(utoipa::ToSchema))]
pub struct Page {
    /// What names the positions of all boxes, in hex: another after a restore.
    pub generation: String,
    /// Those behind the position that was asked for.
    pub letters: Vec<Placed>,
    /// Whether there are more.
    pub more: bool,
    /// The position to go on from.
    pub next: u64,
}

/// A letter that was not taken.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "office", derive(utoipa::ToSchema))]
pub struct NotTaken {
    /// The class of the reason (audit 6), or `room`: the author's share of the box is full.
    pub class: String,
    /// Its id in hex, where its payload could be read.
    pub id: Option<String>,
    /// The reason.
    pub text: String,
}

/// A declaration that the office does not open, or another letter that waits for missing ones.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "office", derive(utoipa::ToSchema))]
pub struct Waiting {
    /// Why: `missing`, `breach`, `fork`, `spent`, `elsewhere`, `lost`, `fault` or `busy`.
    pub code: String,
    /// The letter's id in hex.
    pub declaration: String,
    /// Ids of the letters that the reason rests on.
    pub letters: Vec<String>,
    /// Those of them that are here, as text: signed evidence.
    pub quoted: Vec<String>,
    /// The rule that it breaks, in words.
    pub text: String,
}

/// How much of a box the letters of one author take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "office", derive(utoipa::ToSchema))]
pub struct Used {
    /// The author's role in the terms.
    pub author: String,
    /// Bytes of frames.
    pub bytes: u64,
    /// Letters.
    pub letters: u64,
    /// Most bytes that the author may have here.
    pub most_bytes: u64,
    /// Most letters that the author may have here.
    pub most_letters: u64,
}

/// What came of letters that were left.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "office", derive(utoipa::ToSchema))]
pub struct Taken {
    /// Those that were left, and what the office signed, with their positions; only for readers of the box.
    pub letters: Vec<Placed>,
    /// The position of the last letter of the box; 0 for others than its readers.
    pub next: u64,
    /// What was not taken.
    pub refused: Vec<NotTaken>,
    /// Whether the office was restored and waits for an epoch before it signs.
    pub restored: bool,
    /// How much of the box each author but the office has filled; empty where a box is opened.
    pub room: Vec<Used>,
    /// Declarations that are not opened, and letters that wait for others.
    pub waiting: Vec<Waiting>,
}

/// A box that a reader has.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "office", derive(utoipa::ToSchema))]
pub struct Owned {
    /// The id of its charter, in hex.
    pub game: String,
    /// The position of its last letter.
    pub last: u64,
}

/// The boxes of a reader.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "office", derive(utoipa::ToSchema))]
pub struct Boxes {
    /// By the ids of their charters.
    pub games: Vec<Owned>,
    /// Whether there are more behind the last one.
    pub more: bool,
}
