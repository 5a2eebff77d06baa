//! What the office's clock says about the days of a ruling (`protocol/disputes.md` 9).

use sealed_dice::blob::{
    Body,
    body::{Charter, Deadline, Forfeit, Hex32, SetKind, Step},
    disputes::{Ruled, RuledForfeit},
};

use crate::{
    disputes::{ruling, stall},
    games::Scenario,
    kit::{Ann, Bob, Carol, Dora, Table, example_attacks},
    office::{FIRST, behind, epoch, sees, time, with_deadlines},
};

const DAYS: u64 = 30 * 86_400;
const NOON: u64 = 1_800_000_000;

/// Bob does not open what he owes, and Carol asks him to. The office may have signed the time before that.
fn asked(label: &str, before: Option<u64>) -> (Table, Hex32) {
    asked_with(label, before, with_deadlines)
}

fn asked_with(label: &str, before: Option<u64>, terms: impl FnOnce(&mut Charter)) -> (Table, Hex32) {
    let mut table = Table::officed(label, true, terms);
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    if let Some(at) = before {
        table.send(Dora, time(at));
    }
    let request = table.send(Carol, ruling(Ruled::Request(claim)));
    (table, request)
}

/// Returns the number and the id of the office's last letter.
fn last(table: &Table) -> (u64, Hex32) {
    let next = table.signer(Dora).next_head(time(0).kind());
    (next.number - 1, next.prev.expect("a letter"))
}

fn forfeits(request: Hex32, forfeit: Forfeit) -> Body {
    ruling(Ruled::Forfeit(RuledForfeit { forfeit, request }))
}

fn rules(table: &mut Table, request: Hex32) {
    table.send(Carol, forfeits(request, Forfeit::DeclarerNames));
}

pub(crate) fn all(s: &mut Scenario<'_>) {
    shown(s);
    contradicted(s);
    of_which_deadline(s);
}

fn shown(s: &mut Scenario<'_>) {
    days_shown(s);
    days_less_a_second(s);
    days_not_seen(s);
    days_by_an_epoch(s);
    days_before_the_request(s);
    days_without_a_time(s);
}

fn days_shown(s: &mut Scenario<'_>) {
    let (mut table, request) = asked("thirty days", None);
    table.send(Dora, time(NOON));
    table.send(Dora, time(NOON + DAYS));
    rules(&mut table, request);
    s.good("days-shown", "23", "a time behind the request, and another the days later", &table);
    table.send(Dora, time(NOON + 1));
    s.blames("days-stay-shown", "23", "a clock that goes back takes nothing back", &table, "rule", "dora");
}

fn days_less_a_second(s: &mut Scenario<'_>) {
    let (mut table, request) = asked("thirty days less a second", Some(NOON - 5));
    table.send(Dora, time(NOON));
    table.send(Dora, time(NOON + DAYS - 1));
    rules(&mut table, request);
    s.good("days-less-a-second", "23", "a second less is the referee's word", &table);
}

fn days_not_seen(s: &mut Scenario<'_>) {
    let (mut table, request) = asked("a time that he has not seen", None);
    table.send(Dora, time(NOON));
    table.post(Dora, time(NOON + DAYS));
    rules(&mut table, request);
    s.good("days-not-seen", "23", "what is not in the past of the ruling shows nothing for it", &table);
}

fn days_by_an_epoch(s: &mut Scenario<'_>) {
    let (mut table, request) = asked("a time that the other has", None);
    let kept = last(&table);
    table.send(Dora, time(NOON));
    table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let began = behind(&mut table, kept, epoch(NOON + DAYS));
    sees(&mut table, Carol, began);
    rules(&mut table, request);
    s.ends(
        "days-by-an-epoch",
        "9, office 22",
        "the office forgets what it told, and Ann has not; its epoch ends the days: a time is a fact on each branch",
        &table,
        "verified",
        &[("chain", None)],
    );
}

fn days_before_the_request(s: &mut Scenario<'_>) {
    let (mut table, request) = asked("a clock that was set back", Some(NOON + DAYS));
    let accepted = table.letters.iter().find(|letter| letter.message.head().author == *table.signer(Dora).role());
    let accepted = accepted.expect("its accept").message.id();
    rules(&mut table, request);
    behind(&mut table, (1, accepted), epoch(NOON));
    s.ends(
        "days-before-the-request",
        "23",
        "a time of before the request ends no days, and a clock that was set back shows none",
        &table,
        "undecided",
        &[("chain", None)],
    );
}

fn days_without_a_time(s: &mut Scenario<'_>) {
    let (mut table, request) = asked("no later time", None);
    rules(&mut table, request);
    table.send(Dora, time(NOON));
    s.good("days-without-a-time", "23", "nothing says how long it was", &table);
}

fn contradicted(s: &mut Scenario<'_>) {
    let (mut table, request) = asked("too early", Some(NOON));
    rules(&mut table, request);
    table.send(Dora, time(NOON + DAYS - 1));
    s.ends("days-contradicted", "23", "it was a second less at most: nobody is blamed", &table, "undecided", &[]);
    table.close_all();
    s.good("days-contradicted-and-closed", "23", "both have closed the game, and that is the end of it", &table);

    let (mut table, request) = asked("perhaps in time", Some(NOON));
    rules(&mut table, request);
    table.send(Dora, time(NOON + DAYS));
    s.good("days-at-most", "23", "it may have been the days", &table);

    let (mut table, request) = asked("a clock that goes back", Some(NOON));
    rules(&mut table, request);
    table.send(Dora, time(NOON - 1));
    s.blames(
        "days-of-a-bad-clock",
        "23",
        "less than nothing is nothing: a clock that goes back contradicts",
        &table,
        "rule",
        "dora",
    );
}

fn of_which_deadline(s: &mut Scenario<'_>) {
    let deadlines = |charter: &mut Charter| {
        let deadline = |days, forfeit, step| Deadline { days, forfeit, step };
        charter.deadlines = vec![
            deadline(20, Forfeit::Game, Step::Reveal),
            deadline(50, Forfeit::Game, Step::Reveal),
            deadline(10, Forfeit::DeclarerNames, Step::Reveal),
            deadline(3, Forfeit::Game, Step::Answer),
        ];
    };
    let (mut table, request) = asked_with("many deadlines", None, deadlines);
    table.send(Dora, time(NOON));
    table.send(Dora, time(NOON + 20 * 86_400));
    table.send(Carol, forfeits(request, Forfeit::Game));
    s.good("days-of-the-shortest", "23", "the shortest deadline with this forfeit for this step", &table);
    table.send(Carol, forfeits(request, Forfeit::DeclarerNames));
    s.blames("days-of-a-breach", "23", "a ruling in breach has no days", &table, "rule", "carol");
}
