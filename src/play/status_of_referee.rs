//! `game status` of a referee: the rulings they may make, and the roles they wait for.

use super::{
    claims,
    failure::PlayResult,
    forks,
    notes::{damaged, lost, rolled_again},
    state::{OpenClaim, Status},
    status_of_third::{self, OfThird},
    step::{Id, Rules, Step},
    table::Table,
};
use crate::{
    blob::{
        Body, Hex32,
        body::Forfeit,
        disputes::{Claim, Stall},
    },
    game::{
        ledger::Ledger,
        order::Order,
        rules::{claim, correct, ruling},
        terms::Player,
    },
    report::words,
};

/// Returns the ruling for a stall that the referee has asked about, and the forfeit if the ruling is one.
fn after_request(ledger: &Ledger<'_>, claim: &Hex32, stall: &Stall, request: &Hex32) -> (Rules, Option<Forfeit>) {
    let asked = Id::of(&ledger.ids, request);
    if ruling::may_open(ledger, request).is_some() {
        return (Rules::Open(asked), None);
    }
    let mut forfeits = [Forfeit::DeclarerNames, Forfeit::Game].into_iter();
    match forfeits.find(|forfeit| ruling::why_no_forfeit(ledger, request, stall, *forfeit).is_none()) {
        Some(forfeit) => (Rules::Forfeit(asked, forfeit), Some(forfeit)),
        None => (Rules::Dismiss(Id::of(&ledger.ids, claim)), None),
    }
}

/// Works out the status of a referee in a game that has begun.
pub(super) fn of_referee(table: &Table, order: &Order, ledger: &Ledger<'_>) -> PlayResult<Status> {
    let mut third = OfThird { notes: damaged(table).collect(), ..OfThird::default() };
    for (id, by, claim) in claim::standing(ledger) {
        let short = || Id::of(&ledger.ids, &id);
        let dismiss = Step::Rule(Rules::Dismiss(short()));
        let not_owed = claims::not_owed(ledger, by, claim);
        let mut may = Vec::new();
        match (claim, ledger.request_for(&id)) {
            (Claim::Stall(stall), Some(request)) if not_owed.is_none() => {
                let (rules, forfeit) = after_request(ledger, &id, stall, &request);
                let days = table.days(ledger, &request, forfeit).filter(|_| !matches!(rules, Rules::Dismiss(_)));
                let step = Step::Rule(rules);
                match days {
                    Some(days) if !days.are_over() => third.waits_for.push(format!(
                        "{}; then, if nothing has arrived:  {}",
                        days.in_words(),
                        step.typed(&table.typing)
                    )),
                    days => {
                        third.notes.extend(days.map(|days| days.in_words()));
                        may.push(step);
                    }
                }
            }
            (Claim::Stall(_), None) if not_owed.is_none() => may.push(Step::Rule(Rules::Request(short()))),
            _ => may.push(dismiss.clone()),
        }
        third.steps.extend(may.first().cloned());
        if !may.contains(&dismiss) {
            may.push(dismiss);
        }
        let says = format!(
            "letter {}: {}{}",
            ledger.ids.short(&id),
            words::body(&Body::Claim(claim.clone()), Some(ledger)),
            not_owed.map_or_else(String::new, |why| format!("; {why}"))
        );
        third.claims.push(OpenClaim { says, may });
    }
    third.notes.extend(rolled_again(ledger));
    third.notes.extend(lost(ledger));
    if table.owes_as_holder(ledger) {
        third.steps.push(Step::Reply);
    }
    for player in Player::BOTH {
        let is_about_course =
            |id: &Hex32| ledger.proposal(id).is_some_and(|proposed| correct::is_about_course(ledger, proposed));
        let open = correct::open_proposals(ledger, player).filter(|(id, _)| !is_about_course(id));
        third.steps.extend(open.map(|(id, _)| Step::Rule(Rules::Agree(Id::of(&ledger.ids, &id)))));
    }
    let (forked, may) = forks::tell_referee(table, order, ledger);
    third.notes.extend(forked);
    third.also = may;
    status_of_third::of_third(table, order, ledger, third)
}
