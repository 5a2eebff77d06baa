//! What a status is made of: whose move it is, what each may do, what is missing, and what to mind.

use super::{step::Step, typing::Typing};
use crate::blob::body::Role;

/// What kind of reason keeps a machine from signing in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// The key has moved to another machine.
    Moved,
    /// The letters have more branches than a game can have (chain 15).
    Overgrown,
    /// A fork of its own party's, of which no branch stands (chain 10).
    Fork,
    /// Its last letter was not signed here: it asks first (keys 3).
    Asks,
    /// This machine has asked, and waits for answers (keys 3).
    Waits,
}

/// How a game stands for the player, referee or office of this home. A list of sentences is in the order in which
/// people should read it.
#[derive(Clone, Debug)]
pub struct Status {
    /// What this party may do beside its move.
    pub also: Vec<Step>,
    /// Whether the terms are accepted.
    pub begun: bool,
    /// Why this machine may not sign now, if so: what kind of reason, and in words.
    pub blocked: Option<(Block, String)>,
    /// Whether what is signed by any of the steps brings along a reply that is owed.
    pub carries: bool,
    /// Whether only one of the steps is to be taken.
    pub choice: bool,
    /// Whether both players have closed the game.
    pub closed: bool,
    /// Its title, who this party is, and with whom, in a line.
    pub described: String,
    /// Who has ended the game before both have closed it, and what follows.
    pub ended: Option<String>,
    /// The id of the game, 64 digits; empty before it has begun.
    pub game: String,
    /// What to do if the last mail did not arrive.
    pub if_lost: Vec<Step>,
    /// Whose key is whose, and which were compared.
    pub keys: Vec<String>,
    /// What the steps beside this party's move cost.
    pub mind: Vec<String>,
    /// Letters that are not here, and whom to ask for them.
    pub missing: Vec<String>,
    /// Whose move it is.
    pub move_of: Vec<Role>,
    /// What the game is called on this machine.
    pub name: String,
    /// All else that this party should know.
    pub notes: Vec<String>,
    /// What this party is to do now.
    pub steps: Vec<Step>,
    /// How commands for this game are typed on this machine.
    pub typing: Typing,
    /// What is awaited from others.
    pub waits_for: Vec<String>,
    /// Whether its author has taken the terms back before they were accepted.
    pub withdrawn: bool,
}
