//! `game status` of a referee: what they may rule on, and whom they wait for.

use super::{
    claims, forks,
    notes::{damaged, lost, rolled_again},
    printed::{Printed, is_free},
    table::Table,
};
use crate::cli::answer::Told;
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

/// What there is to type about a stall that they have asked about: its verb, and the forfeit if it is one.
fn after_request(ledger: &Ledger<'_>, claim: &Hex32, stall: &Stall, request: &Hex32) -> (String, Option<Forfeit>) {
    let forfeits = [(Forfeit::DeclarerNames, "declarer-names"), (Forfeit::Game, "game")];
    if ruling::may_open(ledger, request).is_some() {
        return (format!("rule open {}", ledger.ids.short(request)), None);
    }
    match forfeits.into_iter().find(|(forfeit, _)| ruling::why_no_forfeit(ledger, request, stall, *forfeit).is_none()) {
        Some((forfeit, what)) => (format!("rule forfeit {} {what}", ledger.ids.short(request)), Some(forfeit)),
        None => (format!("rule dismiss {}", ledger.ids.short(claim)), None),
    }
}

/// All of it.
pub(super) fn refereed(table: &Table, order: &Order, ledger: &Ledger<'_>) -> Told<Printed> {
    let typed = |verb: &str| table.typing.command(verb);
    let (mut commands, mut waits_for, mut notes) = (Vec::new(), Vec::new(), damaged(table).collect::<Vec<String>>());
    for (id, by, claim) in claim::standing(ledger) {
        let not_owed = claims::not_owed(ledger, by, claim);
        match (claim, ledger.request_for(&id)) {
            _ if not_owed.is_some() => commands.push(typed(&format!("rule dismiss {}", ledger.ids.short(&id)))),
            (Claim::Stall(stall), Some(request)) => {
                let (verb, forfeit) = after_request(ledger, &id, stall, &request);
                match table.days(ledger, &request, forfeit).filter(|_| !verb.starts_with("rule dismiss")) {
                    Some(days) if !days.are_over() => {
                        waits_for.push(format!("{}; then, if nothing has come:  {}", days.in_words(), typed(&verb)));
                    }
                    days => {
                        notes.extend(days.map(|days| days.in_words()));
                        commands.push(typed(&verb));
                    }
                }
            }
            (Claim::Stall(_), None) => commands.push(typed(&format!("rule request {}", ledger.ids.short(&id)))),
            _ => commands.push(typed(&format!("rule dismiss {}", ledger.ids.short(&id)))),
        }
        notes.push(format!(
            "letter {}: {}{}",
            ledger.ids.short(&id),
            words::body(&Body::Claim(claim.clone()), Some(ledger)),
            not_owed.map_or_else(String::new, |why| format!("; {why}"))
        ));
    }
    notes.extend(rolled_again(ledger));
    notes.extend(lost(ledger));
    if table.owes_as_holder(ledger) {
        commands.push(typed("reply"));
    }
    for player in Player::BOTH {
        let is_about_course =
            |id: &Hex32| ledger.proposal(id).is_some_and(|proposed| correct::is_about_course(ledger, proposed));
        let open = correct::open_proposals(ledger, player).filter(|(id, _)| !is_about_course(id));
        commands.extend(open.map(|(id, _)| typed(&format!("rule agree {}", ledger.ids.short(&id)))));
    }
    let (forked, may) = forks::tell_referee(table, order, ledger);
    notes.extend(forked);
    let mut printed = Printed::of_third(table, order, ledger, (commands, false), notes, waits_for)?;
    if is_free(table, printed.blocked.as_ref()) {
        printed.also = may;
    }
    Ok(printed)
}
