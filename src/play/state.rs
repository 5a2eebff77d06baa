//! The parts of a status: whose move it is, what each party may do, what is missing, and warnings.

use super::{
    last_dice::LastDice,
    step::{Id, Step},
    typing::Typing,
};
use crate::{
    blob::body::{Role, Slot},
    game::terms::Author,
    resolve::PositionTable,
};

/// The beginning of a note that says how to print a form. Nobody else's words stand before it.
pub const TO_PRINT: &str = "to print a form to fill in";

/// The kind of reason why a machine may not sign in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// The key has moved to another machine.
    Moved,
    /// The letters have more branches than a game can have (chain 15).
    Overgrown,
    /// This party has a fork in which no branch counts (chain 10).
    Fork,
    /// The party's last letter was not signed on this machine, so it has to ask first (keys 3).
    Asks,
    /// This machine has asked, and waits for answers (keys 3).
    Waits,
}

/// An open claim, as the referee of a game sees it.
#[derive(Clone, Debug)]
pub struct OpenClaim {
    /// The claim in words, and why it is unfounded if it is.
    pub says: String,
    /// The rulings on it that the referee may make now, the first one as a rule.
    pub may: Vec<Step>,
}

/// The state of a game for the player, referee or office of this home. Each list of sentences is in reading order.
#[derive(Clone, Debug)]
pub struct Status {
    /// The steps that this party may take besides its move.
    pub also: Vec<Step>,
    /// Whether the terms are accepted.
    pub begun: bool,
    /// The kind of reason why this machine may not sign now, and the reason in words.
    pub blocked: Option<(Block, String)>,
    /// Whether signing any of the steps also sends a reply that is owed.
    pub carries: bool,
    /// Whether signing a step also opens the opponent's dice, so that the player has not seen them when they sign.
    pub is_blind: bool,
    /// Whether this party has to choose one of the steps.
    pub choice: bool,
    /// The open claims, for a referee to rule on; empty for others.
    pub claims: Vec<OpenClaim>,
    /// Whether both players have closed the game.
    pub closed: bool,
    /// The title of the game, this party's role, and the other parties, in a line.
    pub described: String,
    /// The title of the game, safe to show.
    pub title: String,
    /// This party's role and the other parties, in a sentence without its end.
    pub seat: String,
    /// The dice that were opened last.
    pub dice: Option<LastDice>,
    /// A notice that a player has ended the game, until both have closed it.
    pub ended: Option<String>,
    /// Whether this player has ended the game.
    pub has_closed: bool,
    /// Whether this player knows something alone, which `game hand` shows, and the game is not closed.
    pub has_hand: bool,
    /// Whether a reply alone opens the opponent's dice.
    pub opens: bool,
    /// The id of the game, 64 digits; empty before it has begun.
    pub game: String,
    /// The steps to take if the last mail did not arrive.
    pub if_lost: Vec<Step>,
    /// The parties' keys, and which of them were compared.
    pub keys: Vec<String>,
    /// The costs of the optional steps.
    pub mind: Vec<String>,
    /// Missing letters, and whom to ask for them.
    pub missing: Vec<String>,
    /// The roles whose move it is.
    pub move_of: Vec<Role>,
    /// The part that this party has in the game.
    pub me: Author,
    /// The name of the game on this machine.
    pub name: String,
    /// Everything else that this party should know.
    pub notes: Vec<String>,
    /// The position of each course that everybody knows, as tables; safe to show.
    pub position: Vec<PositionTable>,
    /// The roles and names of the players, safe to show.
    pub people: Vec<(String, String)>,
    /// The proposals that wait for this player's answer, each with the beginning of its id and in words.
    pub proposed: Vec<(Id, String)>,
    /// The results of a closed game, in the words of the players who closed it; safe to show.
    pub results: Vec<String>,
    /// The slots for which this player may seal beforehand what they would choose.
    pub standing: Vec<Slot>,
    /// The steps that this party should take now.
    pub steps: Vec<Step>,
    /// The form of commands for this game on this machine.
    pub typing: Typing,
    /// The letters awaited from others.
    pub waits_for: Vec<String>,
    /// Whether the author took the terms back before they were accepted.
    pub withdrawn: bool,
}
