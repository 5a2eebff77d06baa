//! Keys that a referee holds: what deposits open to, receipts, and the ruling that opens.

use sealed_dice::{
    blob::{
        Body, Head, Kind,
        body::{Charter, Deadline, Decision, Forfeit, Hex32, How, Key, Reveal, Seen, SetKind, Step},
        deposits::{Deposit, Deposits, Held, Opening, Receipt},
        disputes::{Rule, RuledForfeit},
    },
    game::{deposits, ledger::Ledger, opener, sets::Context},
    keep::root::Root,
    primitive::{secret::Secret, wrap},
    resolve::Place,
};
use serde_json::json;

use crate::{
    Vectors,
    disputes::{ruling, stall},
    games::Scenario,
    kit::{Ann, Bob, Carol, Table, bytes, cells, example_attacks, key, name, role},
};

const FIRST: &str = "1/1/ann-first/1";
const SECOND: &str = "1/2/ann-second/1";
const ORDERS: &str = "1/1/ann-first/1/orders";

/// The root secret of the referee.
fn root() -> Root {
    Root::new(Secret::new(bytes("root of carol").0))
}

/// A game whose referee holds deposits, of notes too if asked.
fn held(label: &str, notes: bool, change: impl FnOnce(&mut Charter)) -> Table {
    Table::refereed(label, |charter| {
        let referee = charter.referee.as_mut().expect("a referee");
        let key = wrap::public(&root().deposit_key()).expect("a key");
        referee.deposit = Some(Deposits { key: Hex32(key), notes });
        for forfeit in [Forfeit::DeclarerNames, Forfeit::Game] {
            charter.deadlines.push(Deadline { days: 30, forfeit, step: Step::Reveal });
        }
        change(charter);
    })
}

fn receipt(seals: &[Hex32]) -> Body {
    let mut seals = seals.to_vec();
    seals.sort_unstable();
    Body::Receipt(Receipt::Deposit(Held { seals }))
}

/// A declaration on a set that the referee holds, which Bob does not open.
fn stalled(label: &str) -> (Table, Hex32, Hex32, Hex32) {
    let mut table = held(label, false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.send(Carol, receipt(&[seal]));
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    let request = table.send(Carol, ruling(Rule::Request(claim)));
    (table, seal, declaration, request)
}

/// What the referee opens, by the sealer's secret.
fn opened(table: &Table, request: Hex32, declaration: Hex32) -> Opening {
    deposits::opening(request, table.reveal_body(Bob, declaration))
}

fn open(table: &mut Table, opening: Opening) -> Hex32 {
    table.send(Carol, ruling(Rule::Open(opening)))
}

/// M of a set, wrapped to the referee's key.
fn deposited(ledger: &Ledger<'_>, seal: Hex32, master: &Secret) -> Deposit {
    let to = ledger.terms.charter.referee.as_ref().and_then(|referee| referee.deposit.clone()).expect("a key");
    let set = ledger.set(&seal).expect("a set");
    deposits::deposit(&to, set, master, &Secret::new(bytes("randomness of a deposit").0)).expect("a deposit")
}

/// Layer `deposit`.
pub(crate) fn wrapped(v: &mut Vectors) {
    let mut table = held("a deposit", false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let master = table.master(Bob, seal);
    let deposit = table.with_ledger(|ledger| deposited(ledger, seal, &master));
    let game = table.with_ledger(|ledger| ledger.game);
    let context = |sealer: &str, fallback: &str| {
        json!({
            "declarer": "ann", "fallback": fallback, "game": game, "kind": "coin", "n": 5, "purpose": FIRST,
            "revealer": sealer, "sealer": sealer,
        })
    };
    let given = json!({
        "context": context("bob", "carol"), "key": Hex32(*root().deposit_key().expose()), "seal": seal,
        "wrapped": deposit.wrapped,
    });
    let known = json!({ "master": Hex32(*master.expose()), "public": deposit.key });
    v.gives("deposit/good", "deposits.md 4", "M of a set, wrapped to the referee's key", given.clone(), known);
    let mut refused = |name: &str, about: &str, field: &str, value: serde_json::Value| {
        let mut given = given.clone();
        given[field] = value;
        v.refused(&format!("deposit/{name}"), "deposits.md 4", about, given, "rule");
    };
    refused("another-key", "somebody else's key", "key", json!(bytes("another key")));
    refused("another-seal", "a deposit is good for one seal", "seal", json!(bytes("another seal")));
    refused("no-fallback", "the context says who may hold it", "context", context("bob", ""));
    refused("another-sealer", "and whose it is", "context", context("ann", "carol"));
    let text = serde_json::to_value(deposit.wrapped).expect("digits");
    let text = text.as_str().expect("digits");
    for (name, at, about) in [
        ("altered-key", 0, "one digit of the encapsulated key"),
        ("altered-text", 64, "one digit of the ciphertext"),
        ("altered-tag", 159, "one digit of the tag"),
    ] {
        let other = if text.as_bytes()[at] == b'0' { "1" } else { "0" };
        let altered = format!("{}{other}{}", &text[..at], &text[at + 1..]);
        refused(name, about, "wrapped", json!(altered));
    }
    refused("small-order", "an encapsulated key of small order", "wrapped", json!("00".repeat(80)));
}

pub(crate) fn receipts(s: &mut Scenario<'_>) {
    let mut table = held("a receipt", true, |_| {});
    let coin = table.seal(Bob, SetKind::Coin, FIRST);
    let sheet = table.seal(Ann, SetKind::Sheet, "sheet/1");
    let note = table.seal(Ann, SetKind::Note, "1/1/ann-first/1/moves");
    table.send(Carol, receipt(&[coin, sheet, note]));
    s.good("held", "receipt 1", "the referee holds envelopes, a sheet and a note", &table);
    let deposit = table.with_ledger(|ledger| deposited(ledger, coin, &table.master(Bob, coin)));
    let seen = table.seat(Bob).next_head(Kind::Deposit).seen;
    let mut head = Head { number: 0, prev: None, seen: Seen::default(), ..table.seat(Bob).next_head(Kind::Deposit) };
    seen.iter().for_each(|(role, _)| head.seen.insert(role.clone(), None));
    table.forge(head, Body::Deposit(deposit), &key("key of bob"));
    s.good("passed-by", "3", "a deposit among the letters is none of them", &table);
    table.letters.pop();
    let declaration = table.declare(Ann, FIRST, example_attacks(), coin);
    table.reveal(Bob, declaration);
    s.good("and-revealed", "2", "the fallback is in every key's context, and the sealer opens as ever", &table);
    table.send(Carol, receipt(&[coin]));
    s.blames("twice", "receipt 1", "a second receipt for one seal", &table, "rule", "carol");

    let mut table = held("a receipt for a contribution", true, |_| {});
    let own = table.seal(Ann, SetKind::Contribution, "contribution/1");
    table.send(Carol, receipt(&[own]));
    s.blames("contribution", "2, receipt 1", "a contribution has no fallback", &table, "rule", "carol");

    let mut table = held("a receipt for a note", false, |_| {});
    let note = table.seal(Ann, SetKind::Note, "1/1/ann-first/1/moves");
    table.send(Carol, receipt(&[note]));
    s.blames("note", "2, receipt 1", "these terms leave notes to their owners", &table, "rule", "carol");

    let mut table = Table::refereed("a receipt without deposits", |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.send(Carol, receipt(&[seal]));
    s.blames("without-deposits", "1, receipt 1", "this referee holds nothing", &table, "rule", "carol");

    let mut table = held("a player's receipt", false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.send(Ann, receipt(&[seal]));
    s.blames("by-a-player", "letters 2", "receipts are the referee's", &table, "rule", "ann");

    let mut table = held("a receipt of a seal in breach", false, |_| {});
    let mut seal = table.seal_body(Bob, SetKind::Coin, FIRST);
    seal.purpose = "1/1/nowhere/1".into();
    let seal = table.send(Bob, Body::Seal(seal));
    table.send(Carol, receipt(&[seal]));
    s.ends(
        "seal-in-breach",
        "receipt 1",
        "what is not valid is not held",
        &table,
        "refuted",
        &[("rule", Some("bob")), ("rule", Some("carol"))],
    );

    // A set is sealed as if there were no fallback.
    let mut table = held("a seal without its fallback", false, |_| {});
    let mut body = table.seal_body(Bob, SetKind::Coin, FIRST);
    let context = Context::of(table.with_ledger(|ledger| ledger.game), None, &role("bob"), &body);
    let master = table.seat(Bob).master_of(&context, &body.salt);
    body.commits = context.commitments(&master);
    let seal = table.send(Bob, Body::Seal(body));
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    let key = Hex32(*context.key(&master, Place { index: 2, line: 0 }).expose());
    let reveal = Reveal { declaration: Some(declaration), keys: vec![Key(2, key)], seal, sheets: Vec::new() };
    table.send(Bob, Body::Reveal(reveal));
    s.blames("sealed-without-fallback", "2, envelope 1", "no key of the right context matches", &table, "rule", "bob");
}

pub(crate) fn openings(s: &mut Scenario<'_>) {
    let (mut table, _, declaration, request) = stalled("an opening");
    let opening = opened(&table, request, declaration);
    open(&mut table, opening.clone());
    s.good("opened", "8, 9", "the referee opens what Bob owes, and the claim stands no more", &table);
    table.reveal(Bob, declaration);
    s.good("opened-then-revealed", "9", "Bob's own reveal says the same", &table);
    open(&mut table, opening.clone());
    s.blames("opened-twice", "ruling 10", "the claim does not stand any more", &table, "rule", "carol");

    let (mut table, .., request) = stalled("a forfeit of held dice");
    let forfeit = Rule::Forfeit(RuledForfeit { forfeit: Forfeit::DeclarerNames, request });
    table.send(Carol, ruling(forfeit));
    s.blames("held-and-forfeited", "7, ruling 2", "the dice can be had as they were sealed", &table, "rule", "carol");
    let (mut table, .., request) = stalled("a forfeited game");
    table.send(Carol, ruling(Rule::Forfeit(RuledForfeit { forfeit: Forfeit::Game, request })));
    s.good("game-forfeited", "ruling 2", "the game can be forfeited still", &table);

    let mut table = held("an opening without a receipt", false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    let request = table.send(Carol, ruling(Rule::Request(claim)));
    let opening = opened(&table, request, declaration);
    open(&mut table, opening);
    s.good("without-receipt", "7", "a receipt is a promise, and the key is a fact", &table);

    let mut table = held("an opening unasked", false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    let opening = opened(&table, claim, declaration);
    open(&mut table, opening);
    s.blames("no-request", "ruling 10", "it names a claim, no request: and opens nothing", &table, "rule", "carol");

    let (mut table, seal, declaration, request) = stalled("too much opened");
    let mut opening = opened(&table, request, declaration);
    let other = table.key_of(Bob, seal, 3, 0);
    opening.keys.push(Key(3, other));
    open(&mut table, opening);
    s.blames("too-much", "ruling 10", "one envelope more than the worksheet selects", &table, "rule", "carol");

    let (mut table, _, declaration, request) = stalled("a wrong key");
    let mut opening = opened(&table, request, declaration);
    opening.keys[0].1 = bytes("no key of Bob's");
    open(&mut table, opening);
    s.blames("wrong-key", "ruling 10", "a key that does not match", &table, "rule", "carol");

    let (mut table, _, declaration, request) = stalled("a late opening");
    let opening = opened(&table, request, declaration);
    table.reveal(Bob, declaration);
    open(&mut table, opening);
    s.blames("after-the-reveal", "ruling 10", "Bob has opened it himself", &table, "rule", "carol");

    let mut table = held("an opening without a deadline", false, |charter| charter.deadlines.clear());
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    let request = table.send(Carol, ruling(Rule::Request(claim)));
    let opening = opened(&table, request, declaration);
    open(&mut table, opening);
    s.blames("no-deadline", "ruling 10", "the terms give no time after which he may", &table, "rule", "carol");

    let mut table = held("cells opened", false, |_| {});
    let sheet = table.seal(Bob, SetKind::Sheet, "sheet/1");
    let declaration = table.declare(Ann, SECOND, cells(&["A1", "A2", "C1"]), sheet);
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    let request = table.send(Carol, ruling(Rule::Request(claim)));
    let opening = opened(&table, request, declaration);
    open(&mut table, opening);
    s.good("cells", "8", "cells of a sheet: the deepest of each column", &table);

    for notes in [true, false] {
        let mut table = held(if notes { "orders opened" } else { "orders that stay closed" }, notes, |charter| {
            let decision = Decision { by: Some(role("bob")), how: How::Sealed, name: name("orders") };
            charter.phases[0].decisions.push(decision);
        });
        let note = table.seal(Bob, SetKind::Note, ORDERS);
        let seal = table.seal(Bob, SetKind::Coin, FIRST);
        let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
        table.reveal(Bob, declaration);
        let claim = table.send(Ann, stall(Some(note), Step::Reveal));
        let request = table.send(Carol, ruling(Rule::Request(claim)));
        let master = table.master(Bob, note);
        let reveal = table.with_ledger(|ledger| opener::single(ledger.set(&note).expect("a note"), &master, None, 0));
        open(&mut table, deposits::opening(request, reveal));
        if notes {
            s.good("note", "8", "a choice that is due, and that its owner does not open", &table);
        } else {
            s.ends(
                "note-not-held",
                "2, ruling 10",
                "these terms leave notes to their owners: the key is a fact, and the ruling a breach",
                &table,
                "refuted",
                &[("rule", Some("carol"))],
            );
        }
    }

    fork(s);
}

/// Ann has two declarations with one number; the referee opens for one of them.
fn fork(s: &mut Scenario<'_>) {
    let mut table = held("a fork that the referee has opened", false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let second = table.declaration(Ann, FIRST, example_attacks(), seal, None);
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    let beside = table.letters.last().expect("a declaration").message.head().clone();
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    let request = table.send(Carol, ruling(Rule::Request(claim)));
    let opening = opened(&table, request, declaration);
    let keys = opening.keys.clone();
    open(&mut table, opening);
    let other = table.forge(beside, Body::Declare(Box::new(second)), &key("key of ann"));
    let message = table.letters.last().expect("a declaration").message.clone();
    table.seat_mut(Bob).see(&message);
    let reveal = Reveal { declaration: Some(other), keys, seal, sheets: Vec::new() };
    table.post(Bob, Body::Reveal(reveal));
    s.ends(
        "fork",
        "10, chain 9",
        "what the referee has opened stands, though Bob opens for the other branch later; the fork is Ann's",
        &table,
        "refuted",
        &[("chain", Some("ann"))],
    );
}
