//! The bodies of charters and accepts (`protocol/charter.md`). Fields are in the order of the canonical encoding.

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

/// The body of a `charter` letter: the terms of a game (charter 1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Charter {
    /// Whether the author claims to have compared the opponent's key.
    pub compared: bool,
    /// The game that this one continues, if any.
    #[serde(deserialize_with = "nullable")]
    pub continues: Option<Continues>,
    /// The agreed deadlines.
    #[serde(deserialize_with = "list::<_, _, 0>")]
    pub deadlines: Vec<Deadline>,
    /// The remedies for foul-ups.
    pub foul_up: FoulUp,
    /// Whether each player is fully accountable.
    pub hard_core: bool,
    /// Fresh randomness, so that a rematch is another game.
    pub nonce: Hex32,
    /// The office, which opens envelopes immediately, if there is one.
    #[serde(deserialize_with = "nullable")]
    pub office: Option<Third>,
    /// The two players, in the order of players.
    pub parties: [Party; 2],
    /// Penalties for mistakes, in the players' words.
    #[serde(deserialize_with = "penalties")]
    pub penalties: Vec<String>,
    /// Phases in their order within an impulse.
    #[serde(deserialize_with = "list::<_, _, 1>")]
    pub phases: Vec<Phase>,
    /// The referee, who settles disputes, if there is one.
    #[serde(deserialize_with = "nullable")]
    pub referee: Option<Third>,
    /// The sets that each player seals before play.
    pub sets_at_start: SetsAtStart,
    /// Tables in full, by name.
    #[serde(deserialize_with = "tables")]
    pub tables: Map<String, Value>,
    /// The players' title for the game.
    #[serde(deserialize_with = "text::<_, 1, 200>")]
    pub title: String,
}

/// The game that a charter continues (charter 25). Its ids do not name letters of the new game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Continues {
    /// Id of the old game.
    pub game: Hex32,
    /// Each role's last letter in the old game that still counts.
    #[serde(deserialize_with = "heads")]
    pub heads: BTreeMap<Role, Option<Hex32>>,
    /// The initial states of courses in the new game, by their systems.
    #[serde(deserialize_with = "states")]
    pub states: BTreeMap<String, Map<String, Value>>,
}

/// A player, as named in the charter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Party {
    /// Public signing key of the player.
    pub key: Hex32,
    /// Name of the person.
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
    /// The declarer; `None` if the system's state determines the declarer (courses 17).
    #[serde(deserialize_with = "nullable")]
    pub declarer: Option<Role>,
    /// The impulses that have this phase.
    #[serde(deserialize_with = "impulses")]
    pub impulses: Vec<u64>,
    /// Name of the phase; no other phase of the charter has it.
    pub name: Name,
    /// Whether only the declarer knows its rolls at first (secrets 1).
    pub private: bool,
    /// The revealer of the phase's envelopes.
    pub revealer: Revealer,
    /// All settings of the phase's system.
    #[serde(deserialize_with = "object")]
    pub settings: Map<String, Value>,
    /// The source of the phase's dice.
    pub source: Source,
    /// Name of the phase's system.
    pub system: String,
}

/// A choice that must be signed before a declaration of a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// The role that signs the decision; `None` if it is simultaneous.
    #[serde(deserialize_with = "nullable")]
    pub by: Option<Role>,
    /// The form in which the decision is signed.
    pub how: How,
    /// Name of the decision.
    pub name: Name,
}

/// The form in which a decision is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// A letter that everyone can read.
    Open,
    /// A note that is opened after the declaration.
    Sealed,
    /// A note by each player, both opened before the declaration.
    Simultaneous,
}

/// The revealer of a set's envelopes, as written in a charter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Revealer {
    /// The set's sealer, by letter.
    Sealer,
    /// The office, immediately (office 5, 6).
    Office,
}

/// The source of a phase's dice.
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

/// The remedies for foul-ups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoulUp {
    /// Envelopes in a foul-up set.
    #[serde(deserialize_with = "within::<_, 1, { ENVELOPES }>")]
    pub envelopes: u64,
    /// One remedy for each class, fixed before play.
    pub remedies: Remedies,
    /// The revealer of the foul-up sets.
    pub revealer: Revealer,
}

/// One remedy for each class of foul-up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Remedies {
    /// A unit moved against the rules.
    pub illegal_move: Remedy,
    /// The odds were computed wrongly.
    pub illegal_odds: Remedy,
    /// An attack is missing or should not be there.
    pub wrong_list: Remedy,
}

impl Remedies {
    /// Returns the remedy for a class.
    #[must_use]
    pub const fn of(&self, class: FoulUpClass) -> Remedy {
        match class {
            FoulUpClass::IllegalMove => self.illegal_move,
            FoulUpClass::IllegalOdds => self.illegal_odds,
            FoulUpClass::WrongList => self.wrong_list,
        }
    }
}

/// The classes of foul-up, which software cannot detect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FoulUpClass {
    /// A unit moved against the rules.
    IllegalMove,
    /// The odds were computed wrongly.
    IllegalOdds,
    /// An attack is missing or should not be there.
    WrongList,
}

impl FoulUpClass {
    /// Returns the word for the class in charters and proposals.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::IllegalMove => "illegal-move",
            Self::IllegalOdds => "illegal-odds",
            Self::WrongList => "wrong-list",
        }
    }
}

/// The consequence of a foul-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Remedy {
    /// The dice of the declaration count.
    Keep,
    /// A new declaration from the foul-up set.
    Redo,
}

/// A deadline (charter 3). Missing it is not in itself proof against anyone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deadline {
    /// Time for the step, in days: 1 to 3,650.
    #[serde(deserialize_with = "within::<_, 1, 3_650>")]
    pub days: u64,
    /// The agreed consequence.
    pub forfeit: Forfeit,
    /// The step due within that time.
    pub step: Step,
}

/// The possible cost of silence.
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
    /// Any answer: a letter of any kind that has the claim in its past (disputes 11).
    Answer,
    /// The next declaration.
    Declare,
    /// A reveal that the player owes.
    Reveal,
}

/// The sets that each player seals before play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetsAtStart {
    /// Number of foul-up sets that each player seals before play: 0 to 8.
    #[serde(deserialize_with = "within::<_, 0, 8>", rename = "foul-up")]
    pub foul_up: u64,
    /// Number of match-long sheets that each player seals before play: 0 to 8.
    #[serde(deserialize_with = "within::<_, 0, 8>")]
    pub sheet: u64,
}

/// The body of a `withdraw` message (charter 21). It has no fields: the head's `game` is the id of the charter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Withdraw {}

/// The body of an `accept` letter (charter 13).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accept {
    /// Id of the charter.
    pub charter: Hex32,
    /// Whether the author claims to have compared the opponent's key.
    pub compared: bool,
    /// Fresh randomness, so that nobody can foresee the accept's id, which is the id of the game.
    pub nonce: Hex32,
}

fn penalties<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<String>, D::Error> {
    let penalties: Vec<String> = list::<_, _, 0>(d)?;
    if penalties.iter().any(|text| !(1..=1_000).contains(&text.chars().count())) {
        return Err(de::Error::custom("a penalty must have 1 to 1000 characters"));
    }
    Ok(penalties)
}

fn tables<'de, D: Deserializer<'de>>(d: D) -> Result<Map<String, Value>, D::Error> {
    let tables = object(d)?;
    if tables.len() > LIST {
        return Err(de::Error::custom(format!("at most {LIST} tables are allowed")));
    }
    Ok(tables)
}

fn heads<'de, D: Deserializer<'de>>(d: D) -> Result<BTreeMap<Role, Option<Hex32>>, D::Error> {
    let heads = BTreeMap::deserialize(d)?;
    if !(1..=HEADS).contains(&heads.len()) {
        return Err(de::Error::custom(format!("must have 1 to {HEADS} heads")));
    }
    Ok(heads)
}

fn states<'de, D: Deserializer<'de>>(d: D) -> Result<BTreeMap<String, Map<String, Value>>, D::Error> {
    let states = object(d)?;
    if states.len() > STATES {
        return Err(de::Error::custom(format!("at most {STATES} states are allowed")));
    }
    let each = states.into_iter().map(|(system, state)| match state {
        Value::Object(state) => Ok((system, state)),
        _ => Err(de::Error::custom("a state must be an object")),
    });
    each.collect()
}

fn impulses<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<u64>, D::Error> {
    let items: Vec<u64> = Vec::deserialize(d)?;
    if items.is_empty() || !ascending(&items) || items.iter().any(|impulse| !(1..=99).contains(impulse)) {
        return Err(de::Error::custom("must have at least one impulse, from 1 to 99, in ascending order"));
    }
    Ok(items)
}
