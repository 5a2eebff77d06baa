//! `game status` for an office: the seals that it has to confirm, the slots that it has to open, and the deposits that
//! it holds; or its role as a time witness.

use super::{
    failure::PlayResult,
    notes::damaged,
    state::Status,
    status_of_third::{self, OfThird},
    step::Step,
    table::Table,
};
use crate::{
    game::{ledger::Ledger, node::Past, opener, order::Order, terms::Player},
    report::{
        terms::TIME_WITNESS,
        text::{count, visible},
    },
};

/// Works out the status of an office in a game that has begun.
pub(super) fn of_office(table: &Table, order: &Order, ledger: &Ledger<'_>) -> PlayResult<Status> {
    let steps = if table.owes_as_holder(ledger) { vec![Step::Reply] } else { Vec::new() };
    let mut notes: Vec<String> = damaged(table).collect();
    notes.extend(
        opener::due(ledger)
            .iter()
            .filter_map(|due| ledger.set(&due.seal))
            .map(|set| format!("{} must be opened", visible(&set.seal.purpose))),
    );
    notes.push(match table.terms.time_witness() {
        Some(_) => format!("you are a time witness, which {TIME_WITNESS}"),
        None => {
            let seals = Player::BOTH.into_iter().flat_map(|player| ledger.seals(player));
            let held = seals.filter(|seal| ledger.is_with_office(seal, Past::ALL)).count();
            format!("you hold the keys for {}", count(held, "set"))
        }
    });
    status_of_third::of_third(table, order, ledger, OfThird { steps, notes, ..OfThird::default() })
}
