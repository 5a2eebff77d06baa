//! Games in which battles are fought by letter: both sides seal orders, open them, and play the round
//! (`protocol/cil.md`).

use sealed_dice::game::{node::Past, rules::course};
use sealed_dice::{
    blob::{
        Body,
        body::{
            Charter, Correct, Deadline, Decision, Forfeit, Hex32, How, Key, Phase, Redo, Reveal, SetKind, Step, Voiding,
        },
        disputes::{Claim, Names, Ruled, Scope, Yield},
    },
    resolve::Object,
};
use serde_json::{Value, json};

use crate::{
    cil::{orders, settings, unit},
    disputes::{ruling, stall},
    games::Scenario,
    kit::{Ann, Bob, Carol, Table, Who, name, role},
    turns::{decide, phase_of, public},
};

const FIRST: &str = "1/1/battle/1";
const SECOND: &str = "2/1/battle/1";

/// Gives a charter a single phase of battles, which Ann declares.
pub(crate) fn battles(charter: &mut Charter, settings: Value) {
    charter.phases = vec![Phase {
        decisions: vec![Decision { by: None, how: How::Simultaneous, name: name("orders") }],
        declarer: Some(role("ann")),
        ..phase_of("cil", "battle", 1, settings)
    }];
    charter.deadlines = vec![Deadline { days: 30, forfeit: Forfeit::DeclarerNames, step: Step::Reveal }];
}

pub(crate) fn forces() -> Value {
    settings(
        vec![unit("a1", "main", 12, 4, 9), unit("a2", "left", 8, 0, 9)],
        vec![unit("b1", "main", 9, 6, 9), unit("b2", "reserve", 7, 0, 9)],
    )
}

fn begun(label: &str) -> Table {
    Table::begin_with(label, |charter| battles(charter, forces()))
}

fn refereed(label: &str) -> Table {
    Table::refereed(label, |charter| battles(charter, forces()))
}

fn seal_text(table: &mut Table, who: Who, at: &str, says: &str) -> Hex32 {
    let salt = table.fresh();
    let note = table.signer(who).seal(table.terms(), SetKind::Note, &format!("{at}/orders"), 1, salt, Some(says));
    table.send(who, Body::Seal(note.expect("a seal")))
}

fn seal(table: &mut Table, who: Who, at: &str, lines: &[&str]) -> Hex32 {
    seal_text(table, who, at, &orders(lines).to_string())
}

fn opening(table: &Table, who: Who, note: Hex32) -> Body {
    let keys = vec![Key(0, table.key_of(who, note, 0, 0))];
    Body::Reveal(Reveal { declaration: None, keys, seal: note, sheets: Vec::new() })
}

fn open(table: &mut Table, who: Who, note: Hex32) {
    let opening = opening(table, who, note);
    table.send(who, opening);
}

/// Both players seal orders and then open them.
fn order(table: &mut Table, at: &str, ann: &[&str], bob: &[&str]) -> [Hex32; 2] {
    let notes = [seal(table, Ann, at, ann), seal(table, Bob, at, bob)];
    open(table, Ann, notes[0]);
    open(table, Bob, notes[1]);
    notes
}

fn declare(table: &mut Table, at: &str) -> Hex32 {
    let dice = table.seal(Bob, SetKind::Plain, at);
    table.declare(Ann, at, Object::new(), dice)
}

/// Declares a round that is ordered, and opens its dice.
fn roll(table: &mut Table, at: &str) -> Hex32 {
    let declaration = declare(table, at);
    table.reveal(Bob, declaration);
    declaration
}

pub(crate) fn round(table: &mut Table, at: &str, ann: &[&str], bob: &[&str]) -> Hex32 {
    order(table, at, ann, bob);
    roll(table, at)
}

fn accept(proposal: Hex32) -> Body {
    Body::Correct(Correct::Accept(proposal))
}

fn void(declaration: Hex32) -> Body {
    Body::Correct(Correct::Void(Voiding { reason: "the wrong map".into(), scope: Scope::Declaration(declaration) }))
}

pub(crate) fn all(s: &mut Scenario<'_>) {
    rounds(s);
    refused(s);
    notes(s);
    again(s);
    charters(s);
    campaign(s);
}

const ATTACK: [&str; 1] = ["a1 attack main"];

fn rounds(s: &mut Scenario<'_>) {
    let mut table = begun("a round");
    round(&mut table, FIRST, &["a1 attack main", "a2 probe left"], &["b1 dig-in"]);
    s.good("battle-round", "9 to 20", "both seal, both open, Ann declares, Bob opens the dice", &table);
    let mut table = begun("a round without dice");
    round(&mut table, FIRST, &["a2 move reserve"], &[]);
    s.good("battle-quiet", "9, 21", "nobody attacks: no dice, and Ann is asked for the night", &table);
    decide(&mut table, Bob, FIRST, "night", json!("on"));
    s.blames("battle-night-of-the-other", "22, decide 4", "Ann is asked first", &table, "rule", "bob");
    let mut table = begun("a night");
    round(&mut table, FIRST, &[], &[]);
    decide(&mut table, Ann, FIRST, "night", json!("later"));
    s.blames("battle-night-neither", "22, decide 5", "on or end", &table, "rule", "ann");

    // Bob forfeits the dice, and Ann names them.
    let forfeited = |label: &str, ann: &[&str], dice: &[u64]| {
        let mut table = begun(label);
        order(&mut table, FIRST, ann, &[]);
        let declaration = declare(&mut table, FIRST);
        let given = Yield { declaration: Some(declaration), forfeit: Forfeit::DeclarerNames, text: String::new() };
        let forfeit = table.send(Bob, Body::Claim(Claim::Yield(given)));
        table.send(Ann, Body::Claim(Claim::Names(Names { declaration, dice: dice.to_vec(), forfeit })));
        table
    };
    let table = forfeited("no dice to name", &[], &[]);
    s.good("battle-no-dice-named", "9, claim 4", "a forfeit of a round without dice names none", &table);
    let table = forfeited("too few dice named", &ATTACK, &[]);
    s.blames("battle-too-few-dice-named", "9, claim 4", "a1 fires, and b1 absorbs", &table, "rule", "ann");
    let table = forfeited("dice named", &ATTACK, &[2, 10, 6]);
    s.good("battle-dice-named", "12, claim 4", "a1 hits once, and b1 does not absorb it", &table);
    let table = forfeited("dice named for an illegal order", &["a1 attack main", "a2 attack reserve"], &[2, 10, 6]);
    s.blames(
        "battle-dice-named-illegal",
        "courses 19",
        "settled by a forfeit, and found all the same",
        &table,
        "rule",
        "ann",
    );
}

fn refused(s: &mut Scenario<'_>) {
    battle_illegal_order(s);
    battle_ordered_ahead(s);
}

fn battle_illegal_order(s: &mut Scenario<'_>) {
    let mut table = begun("an illegal order");
    round(&mut table, FIRST, &["a1 attack reserve", "a2 attack main"], &["b1 dig-in"]);
    s.blames(
        "battle-illegal-order",
        "6, courses 19",
        "the reserve is no target: a1 holds, a2 attacks, and Ann has signed it",
        &table,
        "rule",
        "ann",
    );
    round(&mut table, SECOND, &["a1 attack main"], &["b2 dig-in", "b9 hold"]);
    s.ends(
        "battle-illegal-orders",
        "6, courses 19",
        "and in the next round Bob has: each on the seal of his orders, in the order of replay",
        &table,
        "refuted",
        &[("rule", Some("ann")), ("rule", Some("bob"))],
    );
    let mut table = begun("illegal orders of both");
    round(&mut table, FIRST, &["a1 attack reserve", "a9 hold"], &["b2 attack main"]);
    s.ends(
        "battle-illegal-orders-of-both",
        "6, courses 19",
        "one finding for each note, however much it has",
        &table,
        "refuted",
        &[("rule", Some("ann")), ("rule", Some("bob"))],
    );
    let mut table = begun("an illegal order before the dice");
    order(&mut table, FIRST, &["a1 attack reserve"], &[]);
    declare(&mut table, FIRST);
    s.good("battle-illegal-not-settled", "courses 19", "no finding before the round is settled", &table);
    let mut table = refereed("an illegal order that is settled");
    let notes = order(&mut table, FIRST, &["a1 attack reserve"], &[]);
    roll(&mut table, FIRST);
    table.send(Carol, ruling(Ruled::Settle(notes[0])));
    s.ends(
        "battle-illegal-settled-by-ruling",
        "courses 19, ruling 5",
        "the referee settles it as any other finding",
        &table,
        "verified",
        &[("rule", Some("ann"))],
    );
    let mut table = begun("notes that say nothing");
    for (who, says) in [(Ann, "a1 attacks main"), (Bob, r#"{ "orders": {}, "excess": {} }"#)] {
        let note = seal_text(&mut table, who, FIRST, says);
        if who == Bob {
            let first = table.letters.iter().find(|letter| matches!(letter.message.body(), Body::Seal(_)));
            let first = first.expect("a note").message.id();
            open(&mut table, Ann, first);
            open(&mut table, Bob, note);
        }
    }
    roll(&mut table, FIRST);
    s.good("battle-says-nothing", "5, courses 18", "a text, and JSON that is not canonical: all hold", &table);
}

/// Ann seals orders for a round before the previous round is settled.
fn battle_ordered_ahead(s: &mut Scenario<'_>) {
    let mut table = begun("orders sealed ahead");
    let ahead = seal(&mut table, Ann, SECOND, &["a2 move main"]);
    round(&mut table, FIRST, &ATTACK, &[]);
    let bobs = seal(&mut table, Bob, SECOND, &[]);
    open(&mut table, Ann, ahead);
    open(&mut table, Bob, bobs);
    roll(&mut table, SECOND);
    s.blames("battle-ordered-ahead", "courses 18, 19", "left and main: her own fault", &table, "rule", "ann");
    // Ann's orders were good in a state that a void has taken back.
    let mut table = begun("orders of another state");
    let first = round(&mut table, FIRST, &["a2 move reserve"], &[]);
    decide(&mut table, Ann, FIRST, "night", json!("on"));
    let good = seal(&mut table, Ann, SECOND, &["a2 move main"]);
    let proposal = table.send(Bob, void(first));
    table.send(Ann, accept(proposal));
    round(&mut table, "1/1/battle/2", &[], &[]);
    decide(&mut table, Ann, "1/1/battle/2", "night", json!("on"));
    let bobs = seal(&mut table, Bob, SECOND, &[]);
    open(&mut table, Ann, good);
    open(&mut table, Bob, bobs);
    roll(&mut table, SECOND);
    s.good(
        "battle-ordered-in-another-state",
        "courses 21",
        "a2 is still on the left and cannot move to main, but was in the reserve when Ann ordered it: nobody is blamed",
        &table,
    );
    let mut table = begun("an assault too late");
    round(&mut table, FIRST, &["a1 assault main"], &["b1 assault main"]);
    round(&mut table, SECOND, &["a1 assault main"], &["b1 assault main"]);
    round(&mut table, "3/1/battle/1", &["a1 assault main"], &["b1 probe main"]);
    s.blames(
        "battle-assault-too-late",
        "6, courses 19",
        "four of the five engagements are used: no assault, and its owner knew",
        &table,
        "rule",
        "ann",
    );
}

fn notes(s: &mut Scenario<'_>) {
    battle_opened_too_early(s);
    battle_number_used_up(s);
    battle_declared_without_orders(s);
    battle_note_killed(s);
}

fn battle_opened_too_early(s: &mut Scenario<'_>) {
    let mut table = begun("orders opened too early");
    let anns = seal(&mut table, Ann, FIRST, &ATTACK);
    open(&mut table, Ann, anns);
    s.blames("battle-opened-too-early", "secrets 11, reveal 7", "Bob has not ordered", &table, "rule", "ann");
    let bobs = seal(&mut table, Bob, FIRST, &["b1 dig-in"]);
    open(&mut table, Bob, bobs);
    roll(&mut table, FIRST);
    s.blames(
        "battle-opened-too-early-and-read",
        "secrets 11",
        "Bob orders after he has read hers: her mistake, and the round is fought",
        &table,
        "rule",
        "ann",
    );
    let mut table = begun("a second note");
    seal(&mut table, Ann, FIRST, &ATTACK);
    seal(&mut table, Ann, FIRST, &["a1 hold"]);
    s.blames("battle-second-note", "courses 18, seal 4", "there is one for each round", &table, "rule", "ann");
    let mut table = begun("a second note after reading");
    order(&mut table, FIRST, &ATTACK, &["b1 dig-in"]);
    seal(&mut table, Bob, FIRST, &["b1 attack main"]);
    s.blames("battle-second-note-after-reading", "seal 4", "Bob has read hers", &table, "rule", "bob");
}

fn battle_number_used_up(s: &mut Scenario<'_>) {
    let mut table = begun("a number used up after reading");
    let anns = order(&mut table, FIRST, &ATTACK, &["b1 dig-in"])[0];
    let dice = table.seal(Bob, SetKind::Plain, FIRST);
    let mut spoilt = table.declaration(Ann, FIRST, Object::new(), dice, None);
    spoilt.after = Some(anns);
    table.send(Ann, Body::Declare(Box::new(spoilt)));
    s.blames("battle-number-used-up", "letters 5, 18", "beyond repair, and her number is used", &table, "rule", "ann");
    order(&mut table, "1/1/battle/2", &["a1 hold"], &["b1 dig-in"]);
    declare(&mut table, "1/1/battle/2");
    s.ends(
        "battle-ordered-again-after-reading",
        "declare 20, secrets 12",
        "she has read his orders, and declares nothing in this place any more",
        &table,
        "refuted",
        &[("rule", Some("ann")), ("rule", Some("ann"))],
    );
}

fn battle_declared_without_orders(s: &mut Scenario<'_>) {
    let mut table = begun("dice without Bob's orders");
    table.seal(Bob, SetKind::FoulUp, "foul-up/1");
    let foul_up = table.last();
    let anns = seal(&mut table, Ann, FIRST, &ATTACK);
    let breach = declare(&mut table, FIRST);
    s.blames("battle-declared-without-orders", "declare 7", "Bob could still order as he likes", &table, "rule", "ann");
    let bobs = seal(&mut table, Bob, FIRST, &[]);
    open(&mut table, Ann, anns);
    open(&mut table, Bob, bobs);
    let again = table.redo(Ann, FIRST, Object::new(), foul_up, Redo::Breach(breach));
    table.reveal(Bob, again);
    s.ends(
        "battle-declared-again-with-orders",
        "courses 18",
        "both have ordered now: the redo settles it",
        &table,
        "verified",
        &[("rule", Some("ann"))],
    );
    let mut table = begun("orders not opened");
    seal(&mut table, Ann, FIRST, &ATTACK);
    let bobs = seal(&mut table, Bob, FIRST, &[]);
    open(&mut table, Bob, bobs);
    declare(&mut table, FIRST);
    s.blames("battle-declared-before-opening", "declare 7", "her own orders are still closed", &table, "rule", "ann");
}

fn battle_note_killed(s: &mut Scenario<'_>) {
    let mut table = refereed("orders that a ruling kills");
    let bobs = seal(&mut table, Bob, FIRST, &["b1 dig-in"]);
    let anns = seal(&mut table, Ann, FIRST, &ATTACK);
    table.send(Carol, ruling(Ruled::Kill(anns)));
    s.blames("battle-note-killed", "ruling 4", "orders at once stay as they were sealed", &table, "rule", "carol");
    // Bob's opening is on its way. Ann, who has read it, seals new orders in a letter that has not seen it.
    let opened = opening(&table, Bob, bobs);
    table.post(Bob, opened);
    let salt = table.fresh();
    let says = orders(&["a1 dig-in"]).to_string();
    let anew = table.signer(Ann).seal(table.terms(), SetKind::Note, &format!("{FIRST}/orders"), 1, salt, Some(&says));
    table.post(Ann, Body::Seal(anew.expect("a seal")));
    [Ann, Bob, Carol].into_iter().for_each(|who| table.arrive(who));
    s.ends(
        "orders-read-and-left-out",
        "seal 4, ruling 4",
        "her first orders stand, whatever she has read, and leaves out of her letter",
        &table,
        "refuted",
        &[("rule", Some("carol")), ("rule", Some("ann"))],
    );
    let owed = |note: Hex32| stall(Some(note), Step::Reveal);
    let mut table = refereed("a claim on orders before one's own");
    let bobs = seal(&mut table, Bob, FIRST, &["b1 dig-in"]);
    table.send(Ann, owed(bobs));
    s.blames(
        "battle-stall-without-orders",
        "claim 5",
        "she has sealed none, so that Bob owes her nothing",
        &table,
        "rule",
        "ann",
    );
    let mut table = refereed("a claim on orders");
    let anns = seal(&mut table, Ann, FIRST, &ATTACK);
    let bobs = seal(&mut table, Bob, FIRST, &["b1 dig-in"]);
    open(&mut table, Ann, anns);
    table.send(Ann, owed(bobs));
    s.ends("battle-stall", "claim 5", "both have sealed, and Bob does not open", &table, "undecided", &[]);
}

fn again(s: &mut Scenario<'_>) {
    let mut table = Table::begin_with("a round done again", |charter| {
        battles(charter, forces());
        charter.foul_up.remedies.wrong_list = sealed_dice::blob::body::Remedy::Redo;
    });
    table.seal(Bob, SetKind::FoulUp, "foul-up/1");
    let foul_up = table.last();
    let rolled = round(&mut table, FIRST, &["a1 attack reserve", "a2 attack main"], &["b1 attack left"]);
    let proposal = table.propose(Bob, rolled, Some(Object::new()));
    let acceptance = table.send(Ann, accept(proposal));
    let redo = table.redo(Ann, FIRST, Object::new(), foul_up, Redo::Agreed(acceptance));
    table.reveal(Bob, redo);
    s.blames(
        "battle-redo",
        "courses 18, 19",
        "other dice for the same orders, and one finding for what is illegal in them",
        &table,
        "rule",
        "ann",
    );
    let mut table = begun("a void");
    let rolled = round(&mut table, FIRST, &ATTACK, &["b1 attack main"]);
    let proposal = table.send(Bob, void(rolled));
    table.send(Ann, accept(proposal));
    s.good("battle-void", "courses 11", "the round is not fought", &table);
    round(&mut table, "1/1/battle/2", &["a1 probe main"], &[]);
    s.good("battle-void-then-again", "courses 11, 18", "both order anew, for the next number", &table);
    let mut table = begun("a void, and old orders");
    let rolled = round(&mut table, FIRST, &ATTACK, &["b1 attack main"]);
    let proposal = table.send(Bob, void(rolled));
    table.send(Ann, accept(proposal));
    declare(&mut table, "1/1/battle/2");
    s.blames("battle-void-without-new-orders", "declare 7", "the old ones are for another slot", &table, "rule", "ann");
}

fn charters(s: &mut Scenario<'_>) {
    let mut bad = |file: &str, about: &str, change: &dyn Fn(&mut Phase)| {
        let table = Table::begin_with(file, |charter| {
            battles(charter, forces());
            change(&mut charter.phases[0]);
        });
        s.blames(&format!("battle-terms-{file}"), "2, courses 17", about, &table, "rule", "ann");
    };
    bad("no-orders", "both order at once", &|phase| phase.decisions.clear());
    bad("other-name", "under this name", &|phase| phase.decisions[0].name = name("plans"));
    bad("more-orders", "and nothing else is decided", &|phase| {
        let more = Decision { by: None, how: How::Simultaneous, name: name("more") };
        phase.decisions.push(more);
    });
    bad("open-orders", "nobody alone", &|phase| {
        phase.decisions[0] = Decision { by: Some(role("ann")), how: How::Sealed, name: name("orders") };
    });
    bad("no-declarer", "the state does not say who declares", &|phase| phase.declarer = None);
    bad("two-impulses", "one round a turn", &|phase| phase.impulses = vec![1, 2]);
    bad("private", "nothing of it is private", &|phase| phase.private = true);
}

fn state(table: &Table) -> Value {
    table.with_ledger(|ledger| {
        let (phase, _) = ledger.terms.courses().next().expect("a course");
        course::reached(ledger, phase, Past::ALL).state.map_or(Value::Null, Value::Object)
    })
}

/// Returns the living units of a side with their locations.
fn living(state: &Value, side: &str) -> Vec<(String, String)> {
    let units = state["units"][side].as_array().expect("units").iter();
    let living = units.filter(|unit| unit["strength"] != 0);
    living.map(|unit| (unit["id"].as_str().unwrap().into(), unit["at"].as_str().unwrap().into())).collect()
}

/// Returns a side's orders for one round of a plan, as far as they are allowed.
fn plan(state: &Value, side: &str, plan: &str) -> Vec<String> {
    let other = if side == "attacker" { "defender" } else { "attacker" };
    let fell = state["overrun"][other].as_array().expect("flags");
    let target = ["main", "left", "right", "reserve"]
        .into_iter()
        .find(|at| !fell.contains(&json!(at)) && living(state, other).iter().any(|(_, of)| of == at))
        .unwrap_or("main");
    let reserve_only = target == "reserve" && fell.is_empty();
    let orders = living(state, side).into_iter().map(|(id, at)| match (plan, at.as_str()) {
        ("rest", _) => format!("{id} hold"),
        ("march", "reserve") => format!("{id} move main"),
        (_, "reserve") => format!("{id} hold"),
        ("march", "right") => format!("{id} move reserve"),
        ("dig-in" | "march", _) => format!("{id} dig-in"),
        _ if reserve_only => format!("{id} dig-in"),
        (order, _) => format!("{id} {order} {target}"),
    });
    let onward = [("main", "left"), ("left", "reserve"), ("right", "main"), ("reserve", "right")];
    orders.chain(onward.map(|(from, to)| format!("{from} > {to}"))).collect()
}

/// Plays three days; the orders depend on the state before each round.
fn campaign(s: &mut Scenario<'_>) {
    let forces = settings(
        vec![
            unit("a1", "main", 24, 5, 6),
            unit("a2", "main", 20, 4, 6),
            unit("a3", "left", 14, 2, 5),
            unit("a4", "right", 12, 2, 5),
            unit("a5", "reserve", 12, 2, 5),
        ],
        vec![
            unit("b1", "main", 15, 6, 5),
            unit("b2", "left", 12, 3, 8),
            unit("b3", "right", 12, 3, 8),
            unit("b4", "reserve", 14, 5, 9),
        ],
    );
    let forces = crate::cil::with(forces, json!({ "season": "winter", "recover_pct": 40 }));
    let mut table = Table::begin_with("a campaign of battles", |charter| battles(charter, forces));
    let plans = [
        ("probe", "dig-in"),
        ("assault", "attack"),
        ("march", "rest"),
        ("assault", "dig-in"),
        ("attack", "assault"),
        ("assault", "probe"),
        ("dig-in", "dig-in"),
        ("attack", "attack"),
        ("assault", "attack"),
    ];
    let mut turn = 0;
    let mut overrun = false;
    while state(&table)["pending"].is_null() || state(&table)["pending"]["awaits"] == "night" {
        let before = state(&table);
        if before["pending"]["awaits"] == "night" {
            let who = if before["pending"]["by"] == "ann" { Ann } else { Bob };
            let wants = if before["day"] == 3 { "end" } else { "on" };
            decide(&mut table, who, &format!("{turn}/1/battle/1"), "night", json!(wants));
            continue;
        }
        let (ann, bob) = plans[turn % plans.len()];
        turn += 1;
        let lines = [plan(&before, "attacker", ann), plan(&before, "defender", bob)];
        let lines = lines.each_ref().map(|lines| lines.iter().map(String::as_str).collect::<Vec<_>>());
        let fought = round(&mut table, &format!("{turn}/1/battle/1"), &lines[0], &lines[1]);
        let public = public(&table, fought);
        overrun |= public["overrun"].as_array().is_some_and(|fell| !fell.is_empty());
    }
    let ended = state(&table);
    assert!(overrun && ended["day"] == 3 && ended["pending"]["awaits"] == "battle", "{ended:#}");
    let at = format!("{turn}/1/battle/1");
    let next = json!({
        "attacker": "bob",
        "forces": { "attacker": [unit("b7", "main", 9, 1, 3)], "defender": [unit("a7", "left", 9, 1, 3)] },
        "season": "spring",
    });
    decide(&mut table, Bob, &at, "battle", next.clone());
    decide(&mut table, Ann, &at, "agree", json!(false));
    decide(&mut table, Ann, &at, "battle", next);
    decide(&mut table, Bob, &at, "agree", json!(true));
    round(&mut table, &format!("{}/1/battle/1", turn + 1), &["a7 dig-in"], &["b7 probe left"]);
    table.close_all();
    s.good(
        "campaign-battles",
        "4 to 25",
        "three days of winter, what came back, a battle refused and one agreed on, its first round; closed",
        &table,
    );
}
