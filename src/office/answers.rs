//! The office's answers, as JSON (`protocol/post.md` 10 to 15).

use serde::{Deserialize, Serialize};

/// The class of a refused letter that does not fit into its author's share of the box (post 21).
pub const ROOM: &str = "room";

/// What a charter must say about the office, and the time on the office's clock.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "office", derive(utoipa::ToSchema))]
pub struct Card {
    /// The key that deposits are wrapped to, in hex.
    pub deposit: String,
    /// The office's signing key, in hex.
    pub key: String,
    /// The name that the operator has given the office.
    pub name: String,
    /// The time on the office's clock, in seconds since 1970.
    pub now: u64,
}

/// A letter in a box.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "office", derive(utoipa::ToSchema))]
pub struct Placed {
    /// The letter as text: its armour.
    pub letter: String,
    /// The letter's position in the box, from 1.
    pub position: u64,
}

/// A page of letters from a box.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "office", derive(utoipa::ToSchema))]
pub struct Page {
    /// The name of the positions in all boxes, in hex. A restore changes it.
    pub generation: String,
    /// The letters after the position that was asked for.
    pub letters: Vec<Placed>,
    /// Whether there are more letters.
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
    /// The letter's id in hex, if its payload could be read.
    pub id: Option<String>,
    /// The reason, in words.
    pub text: String,
}

/// A declaration that the office does not open, or another letter that waits for missing ones.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "office", derive(utoipa::ToSchema))]
pub struct Waiting {
    /// The reason: `missing`, `breach`, `fork`, `spent`, `elsewhere`, `lost`, `fault` or `busy`.
    pub code: String,
    /// The letter's id in hex.
    pub declaration: String,
    /// The ids of the letters that the reason rests on.
    pub letters: Vec<String>,
    /// The letters among these that are in the box, as text: signed evidence.
    pub quoted: Vec<String>,
    /// The reason in words, such as the rule that the letter breaks.
    pub text: String,
}

/// One author's share of a box: the amount used, and the limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "office", derive(utoipa::ToSchema))]
pub struct Used {
    /// The author's role in the terms.
    pub author: String,
    /// The bytes of the frames of the author's letters.
    pub bytes: u64,
    /// The number of the author's letters.
    pub letters: u64,
    /// The maximum number of bytes that the author may have in the box.
    pub most_bytes: u64,
    /// The maximum number of letters that the author may have in the box.
    pub most_letters: u64,
}

/// The result of leaving letters in a box.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "office", derive(utoipa::ToSchema))]
pub struct Taken {
    /// The letters left and the letters that the office signed, with their positions; only for readers of the box.
    pub letters: Vec<Placed>,
    /// The position of the last letter in the box; 0 for anyone who may not read the box.
    pub next: u64,
    /// The letters that were not taken.
    pub refused: Vec<NotTaken>,
    /// Whether the office was restored and waits for an epoch before it signs.
    pub restored: bool,
    /// The share of the box that each author except the office has used; empty if the request opened the box.
    pub room: Vec<Used>,
    /// Declarations that are not opened, and letters that wait for others.
    pub waiting: Vec<Waiting>,
}

/// A box that a reader may read.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "office", derive(utoipa::ToSchema))]
pub struct Owned {
    /// The id of the box's charter, in hex.
    pub game: String,
    /// The position of the last letter in the box.
    pub last: u64,
}

/// A page of the boxes that a reader may read.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "office", derive(utoipa::ToSchema))]
pub struct Boxes {
    /// The boxes, in the order of their charters' ids.
    pub games: Vec<Owned>,
    /// Whether there are more boxes after the last one.
    pub more: bool,
}
