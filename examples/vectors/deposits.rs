//! Keys that a referee holds: the contents of deposits, receipts, and rulings that open a set.

use sealed_dice::{
    blob::{
        Body, Head, Kind, Verified,
        body::{
            Charter, Correct, Deadline, Decision, Forfeit, Hex32, How, Key, Moves, NoteRef, Redo, Reveal, Seen,
            SetKind, Step,
        },
        deposits::{Deposit, Deposits, Opening},
        disputes::{Claim, Dispute, Ruled, RuledForfeit, Yield},
        office::{Receipt, Seals},
    },
    game::{context::Context, deposits, findings, ledger::Ledger, opener, steps::Letter},
    keep::root::Root,
    primitive::{secret::Secret, wrap},
    resolve::Place,
};
use serde_json::json;

use crate::{
    Vectors,
    disputes::{ruling, stall},
    games::Scenario,
    kit::{Ann, Bob, Carol, Table, attacks, bytes, cells, example_attacks, key, name, role},
};

const FIRST: &str = "1/1/ann-first/1";
const SECOND: &str = "1/2/ann-second/1";
const ORDERS: &str = "1/1/ann-first/1/orders";

/// The root secret of the referee.
fn root() -> Root {
    Root::new(Secret::new(bytes("root of carol").0))
}

/// Begins a game whose referee holds deposits, including notes if `notes` is set.
pub(crate) fn held(label: &str, notes: bool, change: impl FnOnce(&mut Charter)) -> Table {
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

pub(crate) fn receipt(seals: &[Hex32]) -> Body {
    let mut seals = seals.to_vec();
    seals.sort_unstable();
    Body::Receipt(Receipt::Deposit(Seals { seals }))
}

/// Plays a declaration on a set that the referee holds. Bob does not open it.
fn stalled(label: &str) -> (Table, Hex32, Hex32, Hex32) {
    let mut table = held(label, false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.send(Carol, receipt(&[seal]));
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    let request = table.send(Carol, ruling(Ruled::Request(claim)));
    (table, seal, declaration, request)
}

/// Returns the referee's opening, computed from the sealer's secret.
fn opened(table: &Table, request: Hex32, declaration: Hex32) -> Opening {
    deposits::opening(request, table.reveal_body(Bob, declaration))
}

fn open(table: &mut Table, opening: Opening) -> Hex32 {
    table.send(Carol, ruling(Ruled::Open(opening)))
}

/// Wraps M of a set to the referee's key.
fn deposited(ledger: &Ledger<'_>, seal: Hex32, master: &Secret) -> Deposit {
    let to = ledger.terms.charter.referee.as_ref().and_then(|referee| referee.deposit.clone()).expect("a key");
    let set = ledger.set(&seal).expect("a set");
    deposits::deposit(&to, set, master, &Secret::new(bytes("randomness of a deposit").0)).expect("a deposit")
}

/// Writes the layer `deposit`.
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
    v.gives("deposit/good", "deposits.md 5", "M of a set, wrapped to the referee's key", given.clone(), known);
    let mut refused = |name: &str, about: &str, field: &str, value: serde_json::Value| {
        let mut given = given.clone();
        given[field] = value;
        v.refused(&format!("deposit/{name}"), "deposits.md 5", about, given, "rule");
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
    held_of_receipts(s);
    contribution(s);
    note(s);
    without_deposits(s);
    seal_missing(s);
    seal_in_breach(s);
    sealed_without_fallback(s);
}

fn held_of_receipts(s: &mut Scenario<'_>) {
    let mut table = held("a receipt", true, |_| {});
    let coin = table.seal(Bob, SetKind::Coin, FIRST);
    let sheet = table.seal(Ann, SetKind::Sheet, "sheet/1");
    let note = table.seal(Ann, SetKind::Note, "1/1/ann-first/1/moves");
    table.send(Carol, receipt(&[coin, sheet, note]));
    s.good("held", "receipt 1", "the referee holds envelopes, a sheet and a note", &table);
    let deposit = table.with_ledger(|ledger| deposited(ledger, coin, &table.master(Bob, coin)));
    let seen = table.signer(Bob).next_head(Kind::Deposit).seen;
    let mut head = Head { number: 0, prev: None, seen: Seen::default(), ..table.signer(Bob).next_head(Kind::Deposit) };
    seen.iter().for_each(|(role, _)| head.seen.insert(role.clone(), None));
    table.forge(head, Body::Deposit(deposit), &key("key of bob"));
    s.good("passed-by", "4", "a deposit among the letters is none of them", &table);
    table.letters.pop();
    let declaration = table.declare(Ann, FIRST, example_attacks(), coin);
    table.reveal(Bob, declaration);
    s.good("and-revealed", "3", "the fallback is in every key's context, and the sealer opens as ever", &table);
    table.send(Carol, receipt(&[coin]));
    s.blames("twice", "receipt 1", "a second receipt for one seal", &table, "rule", "carol");
}

fn contribution(s: &mut Scenario<'_>) {
    let mut table = held("a receipt for a contribution", true, |_| {});
    let own = table.seal(Ann, SetKind::Contribution, "contribution/1");
    table.send(Carol, receipt(&[own]));
    s.blames("contribution", "3, receipt 1", "a contribution has no fallback", &table, "rule", "carol");
}

fn note(s: &mut Scenario<'_>) {
    let mut table = held("a receipt for a note", false, |_| {});
    let note = table.seal(Ann, SetKind::Note, "1/1/ann-first/1/moves");
    table.send(Carol, receipt(&[note]));
    s.blames("note", "3, receipt 1", "these terms leave notes to their owners", &table, "rule", "carol");
}

fn without_deposits(s: &mut Scenario<'_>) {
    let mut table = Table::refereed("a receipt without deposits", |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.send(Carol, receipt(&[seal]));
    s.blames("without-deposits", "1, receipt 1", "this referee holds nothing", &table, "rule", "carol");

    let mut table = held("a player's receipt", false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.send(Ann, receipt(&[seal]));
    s.blames("by-a-player", "letters 4", "receipts are the referee's", &table, "rule", "ann");

    let mut table = held("a receipt with one seal too many", false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let own = table.seal(Ann, SetKind::Contribution, "contribution/1");
    table.send(Carol, receipt(&[seal, own]));
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    let request = requested(&mut table, declaration);
    let opening = opened(&table, request, declaration);
    open(&mut table, opening);
    s.blames("one-too-many", "receipt 1", "the good seal is held all the same", &table, "rule", "carol");

    let mut table = held("a receipt that the sealer signs", false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.send(Bob, receipt(&[seal]));
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    let request = requested(&mut table, declaration);
    table.send(Carol, forfeit(request, Forfeit::DeclarerNames));
    s.blames(
        "by-the-sealer",
        "receipt 1, ruling 2",
        "it holds nothing, and the forfeit is good",
        &table,
        "rule",
        "bob",
    );

    let mut table = held("a receipt with a declaration among its seals", false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let second = table.seal(Bob, SetKind::Coin, "1/1/ann-first/2");
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.send(Carol, receipt(&[second, declaration]));
    let declaration = table.declare(Ann, "1/1/ann-first/2", example_attacks(), second);
    let request = requested(&mut table, declaration);
    let opening = opened(&table, request, declaration);
    open(&mut table, opening);
    s.blames(
        "with-a-declaration",
        "receipt 1, letters 5",
        "the good seal is held all the same",
        &table,
        "rule",
        "carol",
    );

    let mut table = held("a receipt of a declaration", false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.send(Carol, receipt(&[declaration]));
    s.blames(
        "of-a-declaration",
        "7, letters 5",
        "it names a declaration where a seal is meant",
        &table,
        "rule",
        "carol",
    );
}

fn seal_missing(s: &mut Scenario<'_>) {
    let mut table = held("a receipt of a seal that is not at hand", false, |_| {});
    table.send(Carol, receipt(&[bytes("a seal that nobody has")]));
    s.ends("seal-missing", "8, chain 4", "it waits for the seal that it names", &table, "undecided", &[]);
}

fn seal_in_breach(s: &mut Scenario<'_>) {
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
}

/// A set is sealed as if there were no fallback.
fn sealed_without_fallback(s: &mut Scenario<'_>) {
    let mut table = held("a seal without its fallback", false, |_| {});
    let mut body = table.seal_body(Bob, SetKind::Coin, FIRST);
    let context = Context::of(table.with_ledger(|ledger| ledger.game), None, &role("bob"), &body);
    let master = master_of("a seal without its fallback", &context, &body.salt);
    body.commits = context.commitments(&master);
    let seal = table.send(Bob, Body::Seal(body));
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    let key = Hex32(*context.key(&master, Place { index: 2, line: 0 }).expose());
    let reveal = Reveal { declaration: Some(declaration), keys: vec![Key(2, key)], seal, sheets: Vec::new() };
    table.send(Bob, Body::Reveal(reveal));
    s.blames("sealed-without-fallback", "3, envelope 1", "no key of the right context matches", &table, "rule", "bob");
}

pub(crate) fn openings(s: &mut Scenario<'_>) {
    let (mut table, _, declaration, request) = stalled("an opening");
    let opening = opened(&table, request, declaration);
    open(&mut table, opening.clone());
    s.good("opened", "12, 13", "the referee opens what Bob owes, and the claim stands no more", &table);
    table.reveal(Bob, declaration);
    s.good("opened-then-revealed", "13", "Bob's own reveal says the same", &table);
    open(&mut table, opening);
    s.blames("opened-twice", "ruling 9", "the claim does not stand any more", &table, "rule", "carol");

    let (mut table, .., request) = stalled("a forfeit of held dice");
    table.send(Carol, forfeit(request, Forfeit::DeclarerNames));
    s.blames("held-and-forfeited", "9, ruling 2", "the dice can be had as they were sealed", &table, "rule", "carol");
    let (mut table, .., request) = stalled("a forfeited game");
    table.send(Carol, forfeit(request, Forfeit::Game));
    s.good("game-forfeited", "ruling 2", "the game can be forfeited still", &table);
    let (mut table, _, declaration, _) = stalled("a yield of held dice");
    let given =
        Yield { declaration: Some(declaration), forfeit: Forfeit::DeclarerNames, text: "name what you like".into() };
    table.send(Bob, Body::Claim(Claim::Yield(given)));
    s.blames("held-and-yielded", "9, claim 3", "nor may Bob give them away", &table, "rule", "bob");

    // Carol looks at the dice first and then wants to choose between the dice and a forfeit. The rules prevent it.
    let unheld = |label: &str, late: bool| {
        let mut table = held(label, false, |_| {});
        let seal = table.seal(Bob, SetKind::Coin, FIRST);
        let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
        if late {
            table.send(Carol, receipt(&[seal]));
        }
        let request = requested(&mut table, declaration);
        let opening = opened(&table, request, declaration);
        (table, request, opening)
    };
    for (late, name, about) in [
        (false, "without-receipt", "no receipt: the key is a fact, and the ruling a breach"),
        (true, "late-receipt", "a receipt that the declaration does not know is none for it"),
    ] {
        let (mut table, _, opening) = unheld(name, late);
        open(&mut table, opening);
        s.blames(name, "9, ruling 9", about, &table, "rule", "carol");
        let (mut table, request, _) = unheld(name, late);
        table.send(Carol, forfeit(request, Forfeit::DeclarerNames));
        s.good(&format!("{name}-forfeited"), "8, ruling 2", "what was not held in time is forfeited", &table);
    }

    let (mut table, _, declaration, _) = stalled("an opening unasked");
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    let opening = opened(&table, claim, declaration);
    open(&mut table, opening);
    s.ends(
        "no-request",
        "9, letters 5",
        "it names a claim, no request: and opens nothing",
        &table,
        "refuted",
        &[("rule", Some("carol"))],
    );

    let (mut table, seal, declaration, request) = stalled("too much opened");
    let mut opening = opened(&table, request, declaration);
    let other = table.key_of(Bob, seal, 3, 0);
    opening.keys.push(Key(3, other));
    open(&mut table, opening);
    s.blames("too-much", "ruling 8", "one envelope more than the worksheet selects", &table, "rule", "carol");

    let (mut table, _, declaration, request) = stalled("a wrong key");
    let mut opening = opened(&table, request, declaration);
    opening.keys[0].1 = bytes("no key of Bob's");
    open(&mut table, opening);
    s.blames("wrong-key", "ruling 8", "a key that does not match", &table, "rule", "carol");

    let mut table = held("keys in another order", false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.send(Carol, receipt(&[seal]));
    let eleven: Vec<(String, &str)> = (1..=11).map(|i| (format!("F{i:02}"), "1-1")).collect();
    let eleven: Vec<(&str, &str)> = eleven.iter().map(|(hex, odds)| (hex.as_str(), *odds)).collect();
    let declaration = table.declare(Ann, FIRST, attacks(&eleven), seal);
    let request = requested(&mut table, declaration);
    let mut opening = opened(&table, request, declaration);
    assert_eq!(opening.keys.len(), 2, "eleven attacks take two envelopes");
    opening.keys.reverse();
    open(&mut table, opening);
    s.blames("another-order", "ruling 8", "two envelopes, not in the order of use", &table, "rule", "carol");

    let (mut table, _, declaration, request) = stalled("a late opening");
    let opening = opened(&table, request, declaration);
    table.reveal(Bob, declaration);
    open(&mut table, opening);
    s.blames("after-the-reveal", "ruling 9", "Bob has opened it himself", &table, "rule", "carol");

    let (mut table, _, declaration, _) = stalled("a request in breach");
    let dispute = Dispute { letters: vec![declaration], text: "six weeks".into() };
    let dispute = table.send(Ann, Body::Claim(Claim::Dispute(dispute)));
    let request = table.send(Carol, ruling(Ruled::Request(dispute)));
    let opening = opened(&table, request, declaration);
    open(&mut table, opening);
    s.ends(
        "request-in-breach",
        "12, ruling 9",
        "a request for a dispute asks for nothing, and an opening behind it opens nothing",
        &table,
        "refuted",
        &[("rule", Some("carol")), ("rule", Some("carol"))],
    );

    let mut table = held("a stall for an answer", false, |_| {});
    let claim = table.send(Ann, stall(None, Step::Answer));
    let request = table.send(Carol, ruling(Ruled::Request(claim)));
    open(&mut table, Opening { keys: vec![], request, sheets: vec![] });
    s.blames("nothing-to-open", "12, ruling 9", "an answer is owed, and no key", &table, "rule", "carol");

    let mut table = held("cells opened", false, |_| {});
    let sheet = table.seal(Bob, SetKind::Sheet, "sheet/1");
    table.send(Carol, receipt(&[sheet]));
    let declaration = table.declare(Ann, SECOND, cells(&["A1", "A2", "C1"]), sheet);
    let request = requested(&mut table, declaration);
    let opening = opened(&table, request, declaration);
    open(&mut table, opening);
    s.good("cells", "12", "cells of a sheet: the deepest of each column", &table);

    let mut table = held("a foul-up envelope opened", false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let foul_up = table.seal(Bob, SetKind::FoulUp, "foul-up/1");
    table.send(Carol, receipt(&[foul_up]));
    let breach = table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| declare.contribution = None);
    let redo = table.redo(Ann, FIRST, example_attacks(), foul_up, Redo::Breach(breach));
    let request = requested(&mut table, redo);
    let opening = opened(&table, request, redo);
    open(&mut table, opening);
    s.ends(
        "foul-up",
        "3, 13",
        "an envelope of the foul-up set: the breach is settled",
        &table,
        "verified",
        &[("rule", Some("ann"))],
    );

    notes(s);
    forks(s);
    killed_moves(s);
    looked_first(s);
    orders_of_a_fork(s);
}

fn forfeit(request: Hex32, forfeit: Forfeit) -> Body {
    ruling(Ruled::Forfeit(RuledForfeit { forfeit, request }))
}

/// Signs a claim about a letter, and the referee's request.
fn requested(table: &mut Table, letter: Hex32) -> Hex32 {
    let claim = table.send(Ann, stall(Some(letter), Step::Reveal));
    table.send(Carol, ruling(Ruled::Request(claim)))
}

/// Opens a note of Bob's by a ruling.
fn open_note(table: &mut Table, note: Hex32) {
    let request = requested(table, note);
    let master = table.master(Bob, note);
    let reveal = table.with_ledger(|ledger| opener::single(ledger.set(&note).expect("a note"), &master, None, 0));
    open(table, deposits::opening(request, reveal));
}

fn notes(s: &mut Scenario<'_>) {
    for notes in [true, false] {
        let mut table = held(if notes { "orders opened" } else { "orders that stay closed" }, notes, |charter| {
            let decision = Decision { by: Some(role("bob")), how: How::Sealed, name: name("orders") };
            charter.phases[0].decisions.push(decision);
        });
        let note = table.seal(Bob, SetKind::Note, ORDERS);
        let seal = table.seal(Bob, SetKind::Coin, FIRST);
        let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
        table.reveal(Bob, declaration);
        open_note(&mut table, note);
        if notes {
            s.good("note", "12", "a choice that is due, and that its owner does not open", &table);
        } else {
            s.blames(
                "note-not-held",
                "3, ruling 9",
                "these terms leave notes to their owners: the key is a fact, and the ruling a breach",
                &table,
                "rule",
                "carol",
            );
        }
    }
    let mut table = held("orders at once opened", true, |charter| {
        let decision = Decision { by: None, how: How::Simultaneous, name: name("orders") };
        charter.phases[0].decisions.push(decision);
    });
    table.seal(Ann, SetKind::Note, ORDERS);
    let his = table.seal(Bob, SetKind::Note, ORDERS);
    open_note(&mut table, his);
    s.good("orders-at-once", "12", "Bob has sealed his orders, and keeps them closed", &table);
    note_of_a_fallen_branch(s);
}

/// Ann shows Bob a claim, and shows the referee a note with the same number. Bob has read about the note somewhere, and
/// claims that Ann does not open it.
fn note_of_a_fallen_branch(s: &mut Scenario<'_>) {
    let mut table = held("a note of a fallen branch", true, |_| {});
    let beside = table.signer(Ann).next_head(Kind::Seal);
    let seal = table.seal_body(Ann, SetKind::Note, "1/1/ann-first/1/moves");
    let note = table.forge(beside.clone(), Body::Seal(seal), &key("key of ann"));
    let master = table.master(Ann, note);
    let reveal = table.with_ledger(|ledger| opener::single(ledger.set(&note).expect("a note"), &master, None, 0));
    let sealed = table.letters.pop().expect("the note");
    table.forge(Head { kind: Kind::Claim, ..beside }, stall(None, Step::Answer), &key("key of ann"));
    table.arrive(Bob);
    table.seat_mut(Carol).see(&sealed.message);
    table.letters.push(sealed);
    let claim = table.post(Bob, stall(Some(note), Step::Reveal));
    table.arrive(Carol);
    let request = table.post(Carol, ruling(Ruled::Request(claim)));
    table.post(Carol, ruling(Ruled::Open(deposits::opening(request, reveal))));
    s.ends(
        "note-of-a-fallen-branch",
        "12, ruling 8, chain 14",
        "the keys are those of the note, whatever becomes of it; and the referee knew with which branch Bob sides",
        &table,
        "refuted",
        &[("chain", Some("ann")), ("rule", Some("bob")), ("rule", Some("carol")), ("rule", Some("carol"))],
    );
}

/// A game in which Ann signed two declarations with one number on a set that the referee holds, and has claimed a stall
/// for the first.
struct Forked {
    table: Table,
    seal: Hex32,
    other: Letter,
    /// The referee's opening for the first.
    opening: Opening,
}

fn forked(label: &str) -> Forked {
    let mut table = held(label, false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.send(Carol, receipt(&[seal]));
    let second = table.declaration(Ann, FIRST, example_attacks(), seal, None);
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    let beside = table.letters.last().expect("a declaration").message.head().clone();
    let request = requested(&mut table, declaration);
    let opening = opened(&table, request, declaration);
    table.forge(beside, Body::Declare(Box::new(second)), &key("key of ann"));
    let other = table.letters.pop().expect("the other declaration");
    Forked { table, seal, other, opening }
}

impl Forked {
    /// Bob takes the other declaration for Ann's, and opens for it.
    fn reveal_other(&mut self) -> Hex32 {
        self.table.letters.push(self.other.clone());
        self.table.seat_mut(Bob).see(&self.other.message);
        let declaration = Some(self.other.message.id());
        let keys = self.opening.keys.clone();
        self.table.post(Bob, Body::Reveal(Reveal { declaration, keys, seal: self.seal, sheets: Vec::new() }))
    }

    fn open(&mut self) {
        self.table.post(Carol, ruling(Ruled::Open(self.opening.clone())));
    }

    fn last(&self) -> Verified {
        self.table.letters.last().expect("a letter").message.clone()
    }
}

fn forks(s: &mut Scenario<'_>) {
    fork_opened_first(s);
    fork_revealed_first(s);
    fork_neither(s);
}

fn fork_opened_first(s: &mut Scenario<'_>) {
    let mut fork = forked("opened, and then revealed for another branch");
    fork.open();
    let ruling_letter = fork.last();
    fork.table.seat_mut(Bob).see(&ruling_letter);
    fork.reveal_other();
    s.ends(
        "fork-opened-first",
        "12, chain 12",
        "Bob knew what the referee had opened, and that branch stands; the fork is Ann's",
        &fork.table,
        "refuted",
        &[("chain", Some("ann"))],
    );
}

fn fork_revealed_first(s: &mut Scenario<'_>) {
    let mut fork = forked("revealed, and then opened for another branch");
    fork.reveal_other();
    let reveal = fork.last();
    fork.table.seat_mut(Carol).see(&reveal);
    fork.open();
    s.ends(
        "fork-revealed-first",
        "12, chain 12",
        "the referee knew Bob's reveal, which chooses, when she opened; when she asked she did not",
        &fork.table,
        "refuted",
        &[("chain", Some("ann")), ("rule", None), ("rule", Some("carol"))],
    );
}

fn fork_neither(s: &mut Scenario<'_>) {
    let mut fork = forked("opened and revealed at once");
    fork.open();
    fork.reveal_other();
    s.ends(
        "fork-neither",
        "12, chain 12",
        "two openings for two branches, and neither knew of the other: no branch stands",
        &fork.table,
        "refuted",
        &[("chain", Some("ann")), ("rule", None), ("rule", None)],
    );
}

fn killed_moves(s: &mut Scenario<'_>) {
    let declare = |table: &mut Table, note: Hex32, seal: Hex32| {
        table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| {
            declare.moves = Moves::Note(NoteRef { index: 0, seal: note });
        })
    };
    let begun = |label: &str| {
        let mut table = held(label, false, |_| {});
        let note = table.seal(Ann, SetKind::Note, "1/1/ann-first/1/moves");
        let seal = table.seal(Bob, SetKind::Coin, FIRST);
        (table, note, seal)
    };
    let (mut table, note, seal) = begun("moves in a dead note");
    table.send(Carol, ruling(Ruled::Kill(note)));
    declare(&mut table, note, seal);
    s.blames("killed-moves", "ruling 4, declare 3", "a dead note holds no moves", &table, "rule", "ann");

    let (mut table, note, seal) = begun("a redo of moves in a dead note");
    let foul_up = table.seal(Bob, SetKind::FoulUp, "foul-up/1");
    let declaration = declare(&mut table, note, seal);
    table.reveal(Bob, declaration);
    let corrected = table.corrected_attacks();
    let proposal = table.propose(Bob, declaration, Some(corrected.clone()));
    let acceptance = table.send(Ann, Body::Correct(Correct::Accept(proposal)));
    table.send(Carol, ruling(Ruled::Kill(note)));
    table.redo_but(FIRST, corrected, foul_up, Redo::Agreed(acceptance), |declare| {
        declare.moves = Moves::Note(NoteRef { index: 0, seal: note });
    });
    let (mut again, note, seal) = begun("a dead note, and again");
    let foul_ups = again.seal(Bob, SetKind::FoulUp, "foul-up/1");
    again.send(Carol, ruling(Ruled::Kill(note)));
    let breach = declare(&mut again, note, seal);
    again.redo_but(FIRST, example_attacks(), foul_ups, Redo::Breach(breach), |declare| {
        declare.moves = Moves::Note(NoteRef { index: 0, seal: note });
    });
    s.ends(
        "killed-moves-again",
        "declare 3, 11",
        "a redo does not revive the note that its breach was about",
        &again,
        "refuted",
        &[("rule", Some("ann")), ("rule", Some("ann"))],
    );
    s.good("killed-moves-redo", "declare 3, 12", "a redo repeats the moves, whatever became of the note", &table);
}

/// Begins a game in which a letter from Ann falls. Only the referee has seen it, and Bob continues after another one.
fn behind_a_fork(label: &str) -> Table {
    let mut table = held(label, false, |_| {});
    table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let lost = Body::Seal(table.seal_body(Ann, SetKind::Coin, "2/1/bob-first/1"));
    let head = table.signer(Ann).next_head(Kind::Seal);
    table.forge(head, lost, &key("key of ann"));
    let lost = table.letters.pop().expect("a letter");
    table.letters.push(lost.clone());
    table.seat_mut(Carol).see(&lost.message);
    table.post(Carol, ruling(Ruled::Settle(lost.message.id())));
    table.letters.retain(|letter| letter.message.id() != lost.message.id());
    table.arrive(Ann);
    table.seal(Ann, SetKind::Coin, "3/1/bob-first/1");
    table.letters.insert(0, lost);
    table
}

/// The referee knows a branch that fell, and looks at the dice before choosing. That gives no excuse.
fn looked_first(s: &mut Scenario<'_>) {
    let mut table = behind_a_fork("a referee who has seen a fork");
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    let request = requested(&mut table, declaration);
    let opening = opened(&table, request, declaration);
    open(&mut table, opening);
    s.ends(
        "looked-first",
        "9, ruling 9, chain 14",
        "no receipt is in the declaration's past, whatever branch has fallen: that is a fact, and Carol could know it",
        &table,
        "refuted",
        &[("chain", Some("ann")), ("rule", Some("carol"))],
    );

    let mut table = behind_a_fork("nothing to open, behind a fork");
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let declaration = table.declare(Ann, FIRST, attacks(&[]), seal);
    let request = requested(&mut table, declaration);
    let opening = open(&mut table, Opening { keys: Vec::new(), request, sheets: Vec::new() });
    let told = |ledger: &Ledger<'_>| {
        let found = findings::of(ledger).iter().find(|finding| finding.letters == [opening]);
        found.is_some_and(|finding| finding.text.starts_with("ruling 8: "))
    };
    assert!(table.with_ledger(told), "a declaration that names no set");
    s.ends(
        "nothing-to-open-behind-a-fork",
        "12, ruling 8, chain 14",
        "the declaration names no set: an opening for it breaks ruling 8, whatever branch has fallen",
        &table,
        "refuted",
        &[("chain", Some("ann")), ("rule", Some("ann")), ("rule", Some("carol")), ("rule", Some("carol"))],
    );
}

/// Orders at once: a player for whom the other's orders were opened is bound by their own.
fn orders_of_a_fork(s: &mut Scenario<'_>) {
    let mut table = held("orders of a fork", true, |charter| {
        let decision = Decision { by: None, how: How::Simultaneous, name: name("orders") };
        charter.phases[0].decisions.push(decision);
    });
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.send(Carol, receipt(&[seal]));
    let his = table.seal(Bob, SetKind::Note, ORDERS);
    let head = table.signer(Bob).next_head(Kind::Seal);
    let other = Body::Seal(table.seal_body(Ann, SetKind::Note, ORDERS));
    let hers = table.seal(Ann, SetKind::Note, ORDERS);
    let beside = table.letters.last().expect("a note").message.head().clone();
    open_note(&mut table, his);
    let shown =
        Reveal { declaration: None, keys: vec![Key(0, table.key_of(Ann, hers, 0, 0))], seal: hers, sheets: vec![] };
    table.send(Ann, Body::Reveal(shown));
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    let request = requested(&mut table, declaration);
    let opening = opened(&table, request, declaration);
    open(&mut table, opening);
    // Bob does not know about it. He has received other orders from Ann, and names those.
    let better = table.forge(beside, other, &key("key of ann"));
    let mut head = head;
    head.seen.insert(role("ann"), Some(better));
    let next = Body::Seal(table.seal_body(Bob, SetKind::Coin, "2/1/ann-first/1"));
    table.forge(head, next, &key("key of bob"));
    s.ends(
        "orders-of-a-fork",
        "12, chain 12",
        "the orders against which Bob's were opened stand, and the dice with them",
        &table,
        "refuted",
        &[("chain", Some("ann"))],
    );
}

/// A player who has sided with one branch cannot choose another, whatever key they carry.
pub(crate) fn old_keys(s: &mut Scenario<'_>) {
    let mut table = Table::begin("an old key");
    let old = table.seal(Bob, SetKind::Coin, FIRST);
    let seal = table.seal(Bob, SetKind::Coin, "2/1/ann-first/1");
    let first = table.declare(Ann, FIRST, example_attacks(), old);
    table.reveal(Bob, first);
    let other = table.declaration(Ann, "2/1/ann-first/1", example_attacks(), seal, None);
    let declaration = table.declare(Ann, "2/1/ann-first/1", example_attacks(), seal);
    let beside = table.letters.last().expect("a declaration").message.head().clone();
    let reveal = table.reveal_body(Bob, declaration);
    let known = table.reveal_body(Bob, first).keys;
    // Bob has seen the first declaration and named it. Then he is shown the other.
    table.seal(Bob, SetKind::Coin, "3/1/ann-first/1");
    let other = table.forge(beside, Body::Declare(Box::new(other)), &key("key of ann"));
    let message = table.letters.last().expect("a declaration").message.clone();
    table.bob.see(&message);
    table.post(Bob, Body::Reveal(Reveal { declaration: Some(other), keys: known, seal: old, sheets: vec![] }));
    table.post(Bob, Body::Reveal(reveal));
    s.ends(
        "old-key-chooses-nothing",
        "11, 14",
        "a key of another set, known for a turn, when Bob has sided with one branch: that stands",
        &table,
        "refuted",
        &[("chain", Some("ann")), ("rule", Some("bob"))],
    );
}

/// What a charter says about deposits.
pub(crate) fn charters(s: &mut Scenario<'_>) {
    let table = held("deposits without a deadline", false, |charter| charter.deadlines.clear());
    s.blames("deposits-without-deadline", "6", "a referee who could never open", &table, "rule", "ann");
    let table = held("a deposit key of small order", false, |charter| {
        let deposit = charter.referee.as_mut().and_then(|referee| referee.deposit.as_mut()).expect("deposits");
        deposit.key = Hex32([0; 32]);
    });
    s.blames("deposit-key-of-small-order", "6", "everybody could open what is wrapped to it", &table, "rule", "ann");
}

/// Derives M, the master of a set, from the sealer's vault in the game with this label.
pub(super) fn master_of(label: &str, context: &Context, salt: &Hex32) -> Secret {
    let vault = Secret::new(bytes(&format!("{label}: vault of {}", context.sealer)).0);
    context.master(&vault, salt)
}
