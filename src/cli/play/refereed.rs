//! `game status` of a referee: what he may rule on, and whom he waits for.

use super::{
    Table, Told, claims, forks, lost,
    notes::{damaged, rolled_again},
    status::{Printed, is_free},
};
use crate::{
    blob::{
        Body, Hex32,
        body::Forfeit,
        disputes::{Claim, Stall},
        new_keys::{Admit, KeyChange},
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
    let lost = lost::tell_referee(table, ledger);
    commands.extend(lost.commands);
    waits_for.extend(lost.waits_for);
    notes.extend(lost.notes);
    let forked = forks::tell_referee(table, order);
    let choice = commands.is_empty() && forked.commands.len() > 1;
    commands.extend(forked.commands);
    notes.extend(forked.notes);
    let mut printed = Printed::of_third(table, order, ledger, (commands, choice), notes, waits_for)?;
    if is_free(table, order, printed.blocked.as_ref()) {
        (printed.also, printed.mind) = admits(table, order, ledger);
    }
    Ok(printed)
}

/// The lost keys that may be given up for new ones, and what the referee compares first. Nothing is said of a player who has
/// signed on past the letter that the new key is to follow: that key is not lost.
fn admits(table: &Table, order: &Order<'_>, ledger: &Ledger<'_>) -> (Vec<String>, Vec<String>) {
    let is_sound = |id: &Hex32| ledger.findings.iter().all(|finding| !finding.letters.contains(id));
    let goes_on = |admit: &Admit| {
        let player = ledger.terms.player(&admit.player);
        let last = player.and_then(|player| ledger.last_letter(player));
        last.is_some_and(|last| last.id() == admit.after)
    };
    let admits = order.nodes.iter().filter_map(|node| match node.message.body() {
        Body::Key(KeyChange::Admit(admit)) if node.is_judged() && is_sound(&node.id()) && goes_on(admit) => {
            Some((node.id(), admit)).filter(|(id, _)| !ledger.is_admitted(id))
        }
        _ => None,
    });
    let told = admits.map(|(id, admit)| {
        let (id, player) = (ledger.ids.short(&id), &admit.player);
        let mind = format!(
            "rule admit {id}: another key takes the place of {player}'s, for good: {}. Do it only if {player}, whose voice you know, \
             has lost the old key and reads you this fingerprint",
            words::fingerprint(&admit.key)
        );
        (table.typing.command(&format!("rule admit {id}")), mind)
    });
    told.unzip()
}
