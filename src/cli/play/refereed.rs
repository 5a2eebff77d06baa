//! `game status` of a referee: what he may rule on, and whom he waits for.

use super::{
    Table, Told, claims, forks, lost,
    notes::{damaged, rolled_again},
    status::Printed,
};
use crate::{
    blob::{
        Body, Hex32,
        body::Forfeit,
        disputes::{Claim, Stall},
        new_keys::KeyChange,
    },
    game::{charter::Player, ledger::Ledger, order::Order},
    report::words,
};

/// What there is to type about a stall that he has asked about: its verb, and the forfeit if it is one.
fn after_request(ledger: &Ledger<'_>, claim: &Hex32, stall: &Stall, request: &Hex32) -> (String, Option<Forfeit>) {
    let forfeits = [(Forfeit::DeclarerNames, "declarer-names"), (Forfeit::Game, "game")];
    if ledger.may_open(request).is_some() {
        return (format!("rule open {}", ledger.ids.short(request)), None);
    }
    match forfeits.into_iter().find(|(forfeit, _)| ledger.why_no_forfeit(request, stall, *forfeit).is_none()) {
        Some((forfeit, what)) => (format!("rule forfeit {} {what}", ledger.ids.short(request)), Some(forfeit)),
        None => (format!("rule dismiss {}", ledger.ids.short(claim)), None),
    }
}

/// All of it.
pub(super) fn refereed(table: &Table, order: &Order<'_>, ledger: &Ledger<'_>) -> Told<Printed> {
    let typed = |verb: &str| table.typing.command(verb);
    let (mut commands, mut waits_for, mut notes) = (Vec::new(), Vec::new(), damaged(table).collect::<Vec<String>>());
    for (id, by, claim) in ledger.standing_claims() {
        let not_owed = claims::not_owed(ledger, &id, by, claim);
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
    if table.owes_as_holder(ledger) {
        commands.push(typed("reply"));
    }
    for player in Player::BOTH {
        let open = ledger.open_proposals(player);
        commands.extend(open.map(|(id, _)| typed(&format!("rule agree {}", ledger.ids.short(&id)))));
    }
    let admits = order.nodes.iter().filter_map(|node| match node.message.body() {
        // One that breaks a rule admits nobody.
        Body::Key(KeyChange::Admit(admit))
            if !ledger.is_admitted(&node.id())
                && node.is_judged()
                && ledger.findings.iter().all(|finding| !finding.letters.contains(&node.id())) =>
        {
            Some((node.id(), admit))
        }
        _ => None,
    });
    for (id, admit) in admits {
        commands.push(typed(&format!("rule admit {}", ledger.ids.short(&id))));
        notes.push(format!(
            "letter {}: {} is to go on with {}; let him read that to you by voice",
            ledger.ids.short(&id),
            admit.player,
            words::fingerprint(&admit.key)
        ));
    }
    let lost = lost::tell_referee(table, ledger);
    commands.extend(lost.commands);
    waits_for.extend(lost.waits_for);
    notes.extend(lost.notes);
    let forked = forks::tell_referee(table, order);
    let choice = commands.is_empty() && forked.commands.len() > 1;
    commands.extend(forked.commands);
    notes.extend(forked.notes);
    Printed::of_third(table, order, ledger, (commands, choice), notes, waits_for)
}
