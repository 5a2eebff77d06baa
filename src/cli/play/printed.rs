//! The state of a game as it is printed, for people and for tools.

use serde::Serialize;

use super::{
    machine::Blocked,
    notes::{if_lost, invented, keys, missing},
    table::Table,
};
use crate::{
    cli::answer::Told,
    game::{ledger::Ledger, order::Order, terms::Player},
};

/// What a tool may want to know.
#[derive(Serialize)]
pub(super) struct Printed {
    /// What this party may type beside its move.
    pub(super) also: Vec<String>,
    pub(super) begun: bool,
    /// Why this machine may not sign now, if so.
    pub(super) blocked: Option<String>,
    /// Whether only one of the commands is to be typed.
    #[serde(skip)]
    pub(super) choice: bool,
    /// Whether what is signed by any of the commands brings along a reply that is owed.
    #[serde(skip)]
    pub(super) carries: bool,
    pub(super) closed: bool,
    pub(super) commands: Vec<String>,
    /// Who has ended the game before both have closed it, and what follows.
    pub(super) ended: Option<String>,
    pub(super) game: String,
    pub(super) if_lost: Vec<String>,
    pub(super) keys: Vec<String>,
    /// What the commands beside this party's move cost.
    pub(super) mind: Vec<String>,
    pub(super) missing: Vec<String>,
    pub(super) move_of: Vec<String>,
    pub(super) name: String,
    pub(super) notes: Vec<String>,
    pub(super) waits_for: Vec<String>,
    /// Whether its author has taken the terms back before they were accepted.
    pub(super) withdrawn: bool,
}

impl Printed {
    /// What there is for a referee or an office to type, `choice` whether it is only one of that, and what it should know.
    pub(super) fn of_third(
        table: &Table,
        order: &Order,
        ledger: &Ledger<'_>,
        (commands, choice): (Vec<String>, bool),
        mut notes: Vec<String>,
        waits_for: Vec<String>,
    ) -> Told<Self> {
        notes.extend(invented(table, order)?);
        let closed = Player::BOTH.iter().all(|player| ledger.has_published(*player));
        let blocked = if closed { None } else { table.blocked(Some(order))? };
        notes.extend(table.asked());
        let commands = allowed(table, blocked.as_ref(), commands);
        let (blocked, waits, lost) = told(blocked);
        Ok(Self {
            also: Vec::new(),
            begun: true,
            commands,
            blocked,
            carries: false,
            choice,
            closed,
            ended: None,
            game: ledger.game.to_string(),
            if_lost: lost.unwrap_or_else(|| if_lost(table)),
            keys: keys(table),
            mind: Vec::new(),
            missing: missing(table, order)?,
            move_of: Vec::new(),
            name: table.name(),
            notes,
            waits_for: [waits, waits_for].concat(),
            withdrawn: false,
        })
    }
}

/// What there is to type: nothing while files are damaged, and what lifts the block from a machine that may not sign;
/// answers to the asks of others go first, for whoever asks signs nothing before.
pub(super) fn allowed(table: &Table, blocked: Option<&Blocked>, commands: Vec<String>) -> Vec<String> {
    if table.check_files().is_err() {
        return Vec::new();
    }
    let mut allowed = blocked.map_or(commands, |blocked| blocked.commands.clone());
    let reply = table.typing.command("reply");
    if table.owes_answers() && !allowed.contains(&reply) {
        allowed.insert(0, reply);
    }
    allowed
}

/// What is said of a block: why, what it waits for, and what to type if the last mail did not arrive.
pub(super) fn told(blocked: Option<Blocked>) -> (Option<String>, Vec<String>, Option<Vec<String>>) {
    match blocked {
        Some(Blocked { why, waits_for, if_lost, .. }) => (Some(why), waits_for, Some(if_lost)),
        None => (None, Vec::new(), None),
    }
}

/// Whether this party may sign what it pleases.
pub(super) fn is_free(table: &Table, blocked: Option<&String>) -> bool {
    blocked.is_none() && table.check_files().is_ok()
}
