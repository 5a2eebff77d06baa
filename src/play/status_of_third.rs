//! The part that the statuses of a referee and an office have in common.

use super::{
    failure::PlayResult,
    last_dice::last_dice,
    machine::{allowed, is_free, taken_apart},
    notes::{if_lost, invented, keys, missing},
    state::{OpenClaim, Status},
    step::Step,
    table::Table,
};
use crate::game::{ledger::Ledger, order::Order, terms::Player};

/// The parts of a status that differ between a referee and an office.
#[derive(Default)]
pub(super) struct OfThird {
    pub(super) steps: Vec<Step>,
    pub(super) also: Vec<Step>,
    pub(super) claims: Vec<OpenClaim>,
    pub(super) notes: Vec<String>,
    pub(super) waits_for: Vec<String>,
}

/// Works out the status of a referee or an office in a game that has begun.
pub(super) fn of_third(table: &Table, order: &Order, ledger: &Ledger<'_>, third: OfThird) -> PlayResult<Status> {
    let OfThird { steps, also, claims, mut notes, waits_for } = third;
    notes.extend(invented(table, order)?);
    notes.extend(table.without_keys(ledger));
    let closed = Player::BOTH.iter().all(|player| ledger.has_published(*player));
    let blocked = if closed { None } else { table.blocked(Some(order))? };
    notes.extend(table.asked());
    let steps = allowed(table, blocked.as_ref(), steps);
    let (blocked, waits, lost) = taken_apart(blocked);
    let is_free = is_free(table, blocked.is_some());
    Ok(Status {
        also: if is_free { also } else { Vec::new() },
        begun: true,
        me: table.me,
        claims: claims
            .into_iter()
            .map(|claim| OpenClaim { may: if is_free { claim.may } else { Vec::new() }, ..claim })
            .collect(),
        standing: Vec::new(),
        steps,
        blocked,
        carries: false,
        is_blind: false,
        choice: false,
        closed,
        has_closed: false,
        has_hand: false,
        opens: false,
        described: table.described(),
        title: table.title(),
        seat: table.seat(),
        dice: last_dice(order, ledger),
        ended: None,
        game: ledger.game.to_string(),
        if_lost: lost.unwrap_or_else(|| if_lost(table)),
        keys: keys(table),
        mind: Vec::new(),
        missing: missing(table, order)?,
        move_of: Vec::new(),
        name: table.name(),
        notes,
        proposed: Vec::new(),
        results: Vec::new(),
        position: Vec::new(),
        people: table.people(),
        typing: table.typing.clone(),
        waits_for: [waits, waits_for].concat(),
        withdrawn: false,
    })
}
