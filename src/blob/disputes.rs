//! Bodies for conflicts between people: scopes, `claim`, `ruling` (`protocol/disputes.md`). Fields are in the order of
//! the canonical encoding.

use serde::{Deserialize, Serialize};

use super::{
    body::{ANY_KIND, Forfeit, Hex32, Kind, Kinds, Role, Step, at_most, nullable, one, text, within},
    deposits::Opening,
    json::ascending,
};
use crate::limits::{DRAWS, LIST, SCOPE_LINES};

/// The rolls that a void concerns (disputes 1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Lines of one declaration, such as one battle.
    Rolls(ScopeRolls),
    /// One whole declaration.
    Declaration(Hex32),
    /// A whole impulse, by its declarations.
    Impulse(ScopeImpulse),
}

/// Lines of a declaration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopeRolls {
    /// Id of the declaration.
    pub declaration: Hex32,
    /// Numbers of the rolls, from 1, ascending.
    #[serde(deserialize_with = "at_most::<_, _, SCOPE_LINES>")]
    pub lines: Vec<u64>,
}

/// The declarations in an impulse.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopeImpulse {
    /// Ids of the declarations, ascending.
    #[serde(deserialize_with = "at_most::<_, _, LIST>")]
    pub declarations: Vec<Hex32>,
    /// Number of the impulse in its turn, 1 to 99.
    #[serde(deserialize_with = "within::<_, 1, 99>")]
    pub impulse: u64,
    /// The turn that contains the impulse, 1 to 9,999.
    #[serde(deserialize_with = "within::<_, 1, 9_999>")]
    pub turn: u64,
}

impl Scope {
    /// Returns the declarations in the scope.
    #[must_use]
    pub fn declarations(&self) -> &[Hex32] {
        match self {
            Self::Rolls(rolls) => std::slice::from_ref(&rolls.declaration),
            Self::Declaration(id) => std::slice::from_ref(id),
            Self::Impulse(impulse) => &impulse.declarations,
        }
    }

    /// Whether the scope voids a roll of one of its declarations, given by its number from 1.
    #[must_use]
    pub fn has(&self, line: u64) -> bool {
        match self {
            Self::Rolls(rolls) => rolls.lines.binary_search(&line).is_ok(),
            Self::Declaration(_) | Self::Impulse(_) => true,
        }
    }

    /// Checks the limits that the types cannot express (class `fields`).
    pub(super) fn check(&self) -> Result<(), &'static str> {
        let fits = match self {
            Self::Rolls(rolls) => rolls.lines.first().is_some_and(|line| *line > 0) && ascending(&rolls.lines),
            Self::Declaration(_) => true,
            Self::Impulse(impulse) => !impulse.declarations.is_empty() && ascending(&impulse.declarations),
        };
        fits.then_some(()).ok_or("scope: each list must be strictly ascending, with at least one item")
    }
}

/// The body of a `claim` letter: a player's complaint, or its withdrawal, or a forfeit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Claim {
    /// The other player has not done something they owe.
    Stall(Stall),
    /// Something is wrong.
    Dispute(Dispute),
    /// The author withdraws a claim.
    Withdraw(Hex32),
    /// The author forfeits the game, or the dice that they owe.
    Yield(Yield),
    /// The author names the dice of a forfeited declaration.
    Names(Names),
}

/// A stall: the claim that the other player is silent and owes a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stall {
    /// The declaration whose reveal is owed, or the seal of the note that is due.
    #[serde(deserialize_with = "nullable")]
    pub letter: Option<Hex32>,
    /// The role that owes the step.
    pub owes: Role,
    /// The step owed: an answer, a declaration or a reveal.
    pub step: Step,
    /// The author's comments on the stall: up to 1,000 characters.
    #[serde(deserialize_with = "text::<_, 0, 1_000>")]
    pub text: String,
}

/// A dispute: the claim that something in earlier letters is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dispute {
    /// The disputed letters, ascending.
    #[serde(deserialize_with = "at_most::<_, _, 16>")]
    pub letters: Vec<Hex32>,
    /// The subject of the dispute, in words: 1 to 1,000 characters.
    #[serde(deserialize_with = "text::<_, 1, 1_000>")]
    pub text: String,
}

/// A forfeit by the player who owes a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Yield {
    /// The declaration whose dice the declarer may name.
    #[serde(deserialize_with = "nullable")]
    pub declaration: Option<Hex32>,
    /// The thing forfeited.
    #[serde(deserialize_with = "some_forfeit")]
    pub forfeit: Forfeit,
    /// The author's comments on the yield: up to 1,000 characters.
    #[serde(deserialize_with = "text::<_, 0, 1_000>")]
    pub text: String,
}

/// Dice that a declarer names by forfeit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Names {
    /// Id of the declaration.
    pub declaration: Hex32,
    /// The value of each die, in the order in which the system asks for them, from 1 to its sides.
    #[serde(deserialize_with = "at_most::<_, _, DRAWS>")]
    pub dice: Vec<u64>,
    /// The yield or ruling that allows naming.
    pub forfeit: Hex32,
}

impl Claim {
    /// Checks the limits that the types cannot express (class `fields`).
    pub(super) fn check(&self) -> Result<(), &'static str> {
        match self {
            Self::Dispute(dispute) if dispute.letters.is_empty() || !ascending(&dispute.letters) => {
                Err("letters: the list must be strictly ascending, with at least one item")
            }
            Self::Names(names) if !names.dice.iter().all(|die| (1..=1 << 32).contains(die)) => {
                Err("dice: each die must be from 1 to 4,294,967,296")
            }
            _ => Ok(()),
        }
    }

    /// Returns the letters that the claim names.
    pub(super) fn names(&self) -> Vec<(Hex32, Kinds)> {
        let declaration = |id: Option<Hex32>| id.map(|id| (id, one(&Kind::Declare))).into_iter().collect();
        match self {
            Self::Stall(stall) => {
                let kinds: Kinds = &[Kind::Declare, Kind::Seal];
                stall.letter.map(|id| (id, kinds)).into_iter().collect()
            }
            Self::Dispute(dispute) => dispute.letters.iter().map(|id| (*id, ANY_KIND)).collect(),
            Self::Withdraw(id) => vec![(*id, one(&Kind::Claim))],
            Self::Yield(given) => declaration(given.declaration),
            Self::Names(names) => {
                vec![(names.declaration, one(&Kind::Declare)), (names.forfeit, &[Kind::Claim, Kind::Ruling])]
            }
        }
    }
}

/// The body of a `ruling` letter: a decision by the referee, with a comment for the players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ruling {
    /// The decision: one of the forms of [`Ruled`].
    pub rule: Ruled,
    /// The referee's comments on the ruling: up to 1,000 characters.
    #[serde(deserialize_with = "text::<_, 0, 1_000>")]
    pub text: String,
}

/// The rulings that a referee can make: a closed list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ruled {
    /// The referee asks the silent player for the step that a stall claims.
    Request(Hex32),
    /// The silent player forfeits.
    Forfeit(RuledForfeit),
    /// Some rolls do not count.
    Void(Scope),
    /// A set must not be used any more.
    Kill(Hex32),
    /// A finding is settled.
    Settle(Hex32),
    /// A claim is settled.
    Dismiss(Hex32),
    /// A proposal is accepted in place of the player who was asked.
    Agree(Hex32),
    /// Deposited keys open something that a silent player owes.
    Open(Opening),
}

/// A forfeit by ruling.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuledForfeit {
    /// The thing forfeited.
    #[serde(deserialize_with = "some_forfeit")]
    pub forfeit: Forfeit,
    /// Id of the referee's earlier request.
    pub request: Hex32,
}

impl Ruled {
    /// Checks the limits that the types cannot express (class `fields`).
    pub(super) fn check(&self) -> Result<(), &'static str> {
        match self {
            Self::Void(scope) => scope.check(),
            _ => Ok(()),
        }
    }

    /// Returns the letters that the ruling names.
    pub(super) fn names(&self) -> Vec<(Hex32, Kinds)> {
        let (id, kind) = match self {
            Self::Void(scope) => return scope.declarations().iter().map(|id| (*id, one(&Kind::Declare))).collect(),
            Self::Request(id) | Self::Dismiss(id) => (id, one(&Kind::Claim)),
            Self::Forfeit(RuledForfeit { request, .. }) | Self::Open(Opening { request, .. }) => {
                (request, one(&Kind::Ruling))
            }
            Self::Settle(id) => (id, ANY_KIND),
            Self::Kill(id) => (id, one(&Kind::Seal)),
            Self::Agree(id) => (id, one(&Kind::Correct)),
        };
        vec![(*id, kind)]
    }
}

/// Deserializes a forfeit, refusing `none`.
fn some_forfeit<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Forfeit, D::Error> {
    match Forfeit::deserialize(deserializer)? {
        Forfeit::None => Err(serde::de::Error::custom("must be declarer-names or game")),
        forfeit => Ok(forfeit),
    }
}
