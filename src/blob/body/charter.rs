//! What charters and accepts say (`protocol/charter.md`). Fields stand in the order of the canonical encoding.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, de};

use super::words::{Hex32, Name, Role, list, nullable, object, text, within};
use crate::{
    blob::{
        deposits::Third,
        json::{Map, Value, ascending},
    },
    limits::{ENVELOPES, HEADS, LIST, STATES},
};

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
    pub office: Option<Third>,
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
    pub referee: Option<Third>,
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

/// A player, as named in the charter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Party {
    /// Public signing key.
    pub key: Hex32,
    /// A person's name.
    #[serde(deserialize_with = "text::<_, 1, 80>")]
    pub name: String,
    /// The role under which the player signs.
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
    /// Name of the phase; no other phase of the charter has it.
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
    /// Time for the step, in days: 1 to 3,650.
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
    /// No forfeit: silence costs nothing.
    None,
    /// The declarer names every die.
    DeclarerNames,
    /// The silent player forfeits the game.
    Game,
}

/// The steps that have deadlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// Any answer: a letter of whatever kind that has the claim in its past (disputes 11).
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
    /// How many foul-up sets each player seals before play: 0 to 8.
    #[serde(deserialize_with = "within::<_, 0, 8>", rename = "foul-up")]
    pub foul_up: u64,
    /// How many match-long sheets each player seals before play: 0 to 8.
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
