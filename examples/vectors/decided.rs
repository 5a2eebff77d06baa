//! Scenarios that depend on one rule: a checker without this rule would judge them differently. Each names the rule
//! that every finding cites.

use sealed_dice::{
    blob::{
        Body, Head, Kind, armour,
        body::{
            CellKey, Contribution, Correct, Decide, Hex32, How, Moves, Redo, Reveal, SealedContribution, SetKind, Step,
        },
        disputes::{Claim, Dispute, Ruled},
    },
    conformance,
    game::{deposits, terms::Author},
};
use serde_json::json;

use crate::{
    deposits::{held, receipt},
    disputes::{choosing, open_orders, ruling, stall},
    forks::{Forked, fork, forked, heads, last_of, opens, says, sign, some_set, stands},
    games::{Scenario, opened, owing, sealed, unasked, with_foul_up, worksheet},
    kit::{Ann, Bob, Carol, Table, attacks, bytes, cells, change_input, example_attacks, key, name, role, slot},
};

const FIRST: &str = "1/1/ann-first/1";
const NEXT: &str = "1/1/ann-first/2";
const SECOND: &str = "1/2/ann-second/1";
const LATER: &str = "2/1/ann-first/1";

/// Writes a game with this verdict. Each expected finding has the rule that it cites, and its culprit.
fn cites(
    s: &mut Scenario<'_>,
    file: &str,
    spec: &str,
    about: &str,
    table: &Table,
    verdict: &str,
    findings: &[(&str, Option<&str>)],
) {
    let class =
        |rule: &str| if ["chain 2", "chain 3", "chain 8", "chain 9"].contains(&rule) { "chain" } else { "rule" };
    let classes: Vec<(&str, Option<&str>)> = findings.iter().map(|(rule, culprit)| (class(rule), *culprit)).collect();
    s.ends(file, spec, about, table, verdict, &classes);
    let told = conformance::transcript(table.transcript().as_bytes());
    let cited = told["games"][0]["findings"].as_array().expect("findings").iter();
    let cited: Vec<&str> = cited.map(|finding| finding["rule"].as_str().unwrap_or_default()).collect();
    let meant: Vec<&str> = findings.iter().map(|(rule, _)| *rule).collect();
    assert_eq!(cited, meant, "{file}");
}

/// Returns a claim that binds nobody.
fn dispute(about: Hex32) -> Body {
    Body::Claim(Claim::Dispute(Dispute { letters: vec![about], text: "see for yourself".into() }))
}

pub(crate) fn audits(s: &mut Scenario<'_>) {
    let (table, _) = sealed("a payload under two bad signatures");
    let frame = table.letters[2].frame.clone();
    let signature: usize = frame.split(|byte| *byte == b'\n').take(3).map(|line| line.len() + 1).sum();
    let damaged = |at: usize| {
        let mut frame = frame.clone();
        frame[signature + at] = if frame[signature + at] == b'0' { b'1' } else { b'0' };
        armour::write(&frame)
    };
    s.text(
        "two-bad-signatures",
        "7",
        "blobs with one id and class are one entry",
        &[damaged(0), damaged(1)].join("\n"),
        "undecided",
        &[("signature", None)],
    );
    let frame = armour::write(b"hello world!");
    let body = "-----BEGIN SEALED DICE MESSAGE-----\nabc\n-----END SEALED DICE MESSAGE-----\n";
    s.text(
        "refused-twice",
        "7",
        "a blob without an id is an entry each time that it occurs",
        &[&frame, body, &frame, body].map(ToString::to_string).join("\n"),
        "undecided",
        &[("armour", None), ("armour", None), ("frame", None), ("frame", None)],
    );
}

/// Begins a game with a referee in which Ann has forked.
fn refereed(label: &str) -> (Forked, Hex32) {
    let mut table = Table::refereed(label, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let f = fork(table, seal);
    let carol = last_of(&f.table, Carol);
    (f, carol)
}

/// The referee signs two rulings that follow one letter.
fn referee_forks(table: &mut Table, seal: Hex32) -> [Hex32; 2] {
    let carol = last_of(table, Carol);
    let accept = table.with_ledger(|ledger| ledger.game);
    [seal, accept].map(|letter| sign(table, Carol, carol, &[seal], ruling(Ruled::Settle(letter))))
}

pub(crate) fn forks(s: &mut Scenario<'_>) {
    sides(s);
    strength(s);
    excuses(s);

    // The referee has a key of Bob's set, but is not its sealer, revealer or fallback.
    let (mut f, carol) = refereed("a key from somebody who may not open");
    let body = opens(&f.table, f.seal, f.one);
    sign(&mut f.table, Carol, carol, &[f.one], body);
    assert!(stands(&f.table, f.ann));
    let body = says("other", f.other);
    sign(&mut f.table, Bob, f.bob, &[f.other], body);
    assert!(stands(&f.table, f.other));
    cites(
        s,
        "key-from-who-may-not-open",
        "11, letters 10",
        "the referee carries a key of a set without a fallback: that makes no opening, and is no witness",
        &f.table,
        "refuted",
        &[("chain 8", Some("ann")), ("letters 4", Some("carol"))],
    );
}

/// Which branch a letter sides with if it does not name one itself.
fn sides(s: &mut Scenario<'_>) {
    for both in [false, true] {
        let (mut f, carol) = refereed(if both { "a past with both branches" } else { "a past with one branch" });
        let mut knows = sign(&mut f.table, Carol, carol, &[f.one, f.seal], ruling(Ruled::Settle(f.seal)));
        if both {
            let accept = f.table.with_ledger(|ledger| ledger.game);
            knows = sign(&mut f.table, Carol, knows, &[f.other], ruling(Ruled::Settle(accept)));
        }
        sign(&mut f.table, Bob, f.bob, &[knows], dispute(f.seal));
        assert!(stands(&f.table, if both { f.ann } else { f.one }));
        let (file, about) = if both {
            ("sides-with-none", "the referee has seen both branches, and Bob only the referee's letters: both fall")
        } else {
            ("sides-by-its-past", "Bob has not seen a branch, but a ruling that knows one: he sides with that one")
        };
        cites(s, file, "10", about, &f.table, "refuted", &[("chain 8", Some("ann"))]);
    }
}

/// Which witness counts more.
fn strength(s: &mut Scenario<'_>) {
    let mut f = forked("a declaration is a strong witness");
    let declared = f.table.declaration(Bob, "1/1/bob-first/1", attacks(&[]), f.seal, None);
    let body = says("one", f.one);
    sign(&mut f.table, Bob, f.bob, &[f.one], body);
    sign(&mut f.table, Bob, f.bob, &[f.other], Body::Declare(Box::new(declared)));
    assert!(stands(&f.table, f.other));
    cites(
        s,
        "declare-is-strong",
        "11, 12",
        "Bob forks too: he disputes behind one branch and declares behind the other, which stands",
        &f.table,
        "refuted",
        &[("chain 8", Some("ann")), ("chain 8", Some("bob"))],
    );

    let mut table = Table::refereed("no word is strong at a referee's fork", |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let (ann, bob, carol) = (last_of(&table, Ann), last_of(&table, Bob), last_of(&table, Carol));
    let [one, other] = referee_forks(&mut table, seal);
    let declared = table.declaration(Bob, "1/1/bob-first/1", attacks(&[]), seal, None);
    sign(&mut table, Ann, ann, &[seal, one], dispute(seal));
    sign(&mut table, Bob, bob, &[other], Body::Declare(Box::new(declared)));
    assert!(heads(&table, Author::Referee, carol));
    cites(
        s,
        "referee-fork-none-is-strong",
        "12",
        "Ann disputes behind one ruling, Bob declares behind the other: they disagree, and both fall",
        &table,
        "refuted",
        &[("chain 8", Some("carol"))],
    );
}

/// Who is excused by a fork.
fn excuses(s: &mut Scenario<'_>) {
    let mut f = forked("a fork that the letter does not know");
    sign(&mut f.table, Bob, f.bob, &[], Body::Correct(Correct::Accept(f.bob)));
    cites(
        s,
        "no-excuse-without-a-branch",
        "14",
        "Bob's letter has no letter of Ann's branches in its past: her fork does not excuse it",
        &f.table,
        "refuted",
        &[("chain 8", Some("ann")), ("letters 5", Some("bob"))],
    );

    let mut table = Table::refereed("an excused breach is not pending", |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let second = table.seal(Bob, SetKind::Coin, NEXT);
    let (ann, bob) = (last_of(&table, Ann), last_of(&table, Bob));
    let [one, other] = referee_forks(&mut table, seal);
    let mut breach = table.declaration(Ann, FIRST, example_attacks(), seal, None);
    worksheet(&mut breach).index = 3;
    let next = table.declaration(Ann, NEXT, example_attacks(), second, None);
    let breach = sign(&mut table, Ann, ann, &[second, one], Body::Declare(Box::new(breach)));
    let body = some_set(&mut table, Bob, 3);
    let crossing = sign(&mut table, Bob, bob, &[other], body);
    let next = sign(&mut table, Ann, breach, &[], Body::Declare(Box::new(next)));
    let reveal = table.reveal_body(Bob, next);
    sign(&mut table, Bob, crossing, &[next], Body::Reveal(reveal));
    cites(
        s,
        "excused-breach-not-pending",
        "14, letters 18",
        "the referee's fork excuses Ann's breach: it is never done again, and she declares the next number",
        &table,
        "refuted",
        &[("chain 8", Some("carol")), ("declare 9", None)],
    );
}

/// What may be signed after a close, and what still counts in breach of chain 3.
pub(crate) fn all_letters(s: &mut Scenario<'_>) {
    let (mut table, seal) = sealed("letters behind a close");
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.close(Bob);
    table.reveal(Bob, declaration);
    let proposal = table.propose(Ann, declaration, None);
    table.send(Bob, Body::Correct(Correct::Refuse(proposal)));
    let claim = table.send(Bob, dispute(declaration));
    table.send(Bob, Body::Claim(Claim::Withdraw(claim)));
    cites(
        s,
        "behind-a-close",
        "3",
        "Bob has stopped: he still reveals, answers, claims and withdraws",
        &table,
        "verified",
        &[],
    );
    table.propose(Bob, declaration, None);
    cites(
        s,
        "proposed-behind-a-close",
        "3",
        "but he proposes nothing more",
        &table,
        "refuted",
        &[("letters 3", Some("bob"))],
    );

    let (mut table, seal) = sealed("a declaration that goes back");
    let accept = table.letters[1].message.id();
    table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let bob = last_of(&table, Bob);
    let [back, again] = [0, 1].map(|_| table.declaration(Ann, FIRST, example_attacks(), seal, None));
    let mut head = table.ann.next_head(Kind::Declare);
    head.seen.insert(role("bob"), Some(accept));
    let back = table.forge(head, Body::Declare(Box::new(back)), &key("key of ann"));
    let again = sign(&mut table, Ann, back, &[seal], Body::Declare(Box::new(again)));
    let reveal = table.reveal_body(Bob, again);
    sign(&mut table, Bob, bob, &[again], Body::Reveal(reveal));
    cites(
        s,
        "declaration-that-goes-back",
        "7, chain 3",
        "a declaration whose seen goes back uses up neither slot nor set: Ann declares again, and her dice count",
        &table,
        "refuted",
        &[("chain 3", Some("ann"))],
    );

    let (mut table, seal) = sealed("a key beside another declaration");
    let second = table.seal(Bob, SetKind::Coin, NEXT);
    let one = table.declare(Ann, FIRST, example_attacks(), seal);
    let other = table.declare(Ann, NEXT, example_attacks(), second);
    let mut reveal = table.reveal_body(Bob, one);
    reveal.declaration = Some(other);
    table.send(Bob, Body::Reveal(reveal));
    cites(
        s,
        "key-beside-another-declaration",
        "9",
        "the reveal names the wrong declaration, but its key is a fact: the dice of the first are there",
        &table,
        "refuted",
        &[("reveal 2", Some("bob"))],
    );
}

pub(crate) fn seals(s: &mut Scenario<'_>) {
    let mut table = Table::begin("a commitment of a seal in breach");
    let mut seal = table.seal_body(Bob, SetKind::Coin, FIRST);
    seal.revealer = role("ann");
    table.send(Bob, Body::Seal(seal.clone()));
    let mut again = table.seal_body(Bob, SetKind::Coin, FIRST);
    again.commits = seal.commits;
    table.send(Bob, Body::Seal(again));
    let twice = [("seal 1", Some("bob")), ("seal 5", Some("bob"))];
    cites(s, "commitments-of-a-breach", "seal 5", "a seal in breach counts", &table, "refuted", &twice);

    for (file, purpose, rule) in
        [("four-for-oneself", "1/1/bob-first/1", "seal 2"), ("four-for-no-phase", "1/1/carl-first/1", "seal 3")]
    {
        let mut table = Table::begin(file);
        let mut seal = table.seal_body(Bob, SetKind::Coin, purpose);
        seal.commits.pop();
        seal.n = 4;
        table.send(Bob, Body::Seal(seal));
        let about = "the phase that the purpose names says how many; then comes whether Bob may seal for it";
        cites(s, file, "seal 2, 3", about, &table, "refuted", &[(rule, Some("bob"))]);
    }
}

pub(crate) fn declarations(s: &mut Scenario<'_>) {
    contributions(s);
    agreed(s);
    other_slots(s);

    let (mut table, seal, foul_up) = with_foul_up("an id that is null");
    let breach = table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| {
        change_input(declare, |input| input["attacks"][0]["id"] = json!(null));
    });
    let redo = table.redo(Ann, FIRST, attacks(&[("A1", "9-1")]), foul_up, Redo::Breach(breach));
    table.reveal(Bob, redo);
    let about = "an id of null cannot be read, so the redo may have any input";
    let one = [("declare 4", Some("ann"))];
    cites(s, "id-null", "declare 11, coin-envelopes 4", about, &table, "verified", &one);

    let redo_of = |list: &[&str]| {
        let mut input = cells(list);
        input["rolls"].as_array_mut().expect("rolls").iter_mut().for_each(|roll| roll["cell"] = json!(null));
        input
    };
    let mut table = Table::begin("a redo without the field cell");
    let sheet = table.seal(Bob, SetKind::Sheet, "sheet/1");
    let foul_up = table.seal(Bob, SetKind::FoulUp, "foul-up/1");
    let breach = table.declare_but(Ann, SECOND, cells(&["A1"]), sheet, |declare| {
        change_input(declare, |input| input["rolls"][0]["cell"] = json!("A99"));
    });
    let worse = table.redo_but(SECOND, redo_of(&["A1"]), foul_up, Redo::Breach(breach), |declare| {
        change_input(declare, |input| drop(input["rolls"][0].as_object_mut().expect("a roll").remove("cell")));
    });
    let redo = table.redo(Ann, SECOND, redo_of(&["A1", "A2"]), foul_up, Redo::Breach(worse));
    table.reveal(Bob, redo);
    let about = "a roll without the field cell cannot be read, in a redo either: the next redo may have any input";
    cites(s, "cell-missing", "declare 11, icrk 2", about, &table, "verified", &[one[0]; 2]);
}

/// The declarer's own contributions.
fn contributions(s: &mut Scenario<'_>) {
    let (mut table, seal, foul_up) = with_foul_up("a foul-up set as a contribution");
    let breach = table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| {
        declare.contribution = Some(Contribution::Sealed(SealedContribution { index: 0, seal: foul_up }));
    });
    let redo = table.redo(Ann, FIRST, example_attacks(), foul_up, Redo::Breach(breach));
    table.reveal(Bob, redo);
    cites(
        s,
        "foul-up-set-as-contribution",
        "declare 8, letters 13",
        "a contribution names places of contribution sets alone: the redo takes foul-up envelope 0",
        &table,
        "verified",
        &[("declare 8", Some("ann"))],
    );

    let (mut table, seal, foul_up) = with_foul_up("the contribution of a breach again");
    let lucky = Some(Contribution::Open(bytes("my lucky number")));
    let breach = table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| {
        worksheet(declare).index = 3;
        declare.contribution = lucky.clone();
    });
    table.redo_but(FIRST, example_attacks(), foul_up, Redo::Breach(breach), |redo| redo.contribution = lucky);
    cites(
        s,
        "contribution-of-a-breach-again",
        "declare 8",
        "a declaration in breach has used its contribution",
        &table,
        "refuted",
        &[("declare 9", Some("ann")), ("declare 8", Some("ann"))],
    );

    let mut table = Table::begin_with("a contribution set in breach", |charter| charter.phases[0].private = true);
    let mut own = table.seal_body(Ann, SetKind::Contribution, "contribution/1");
    own.revealer = role("bob");
    let own = table.send(Ann, Body::Seal(own));
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| {
        declare.contribution = Some(Contribution::Sealed(SealedContribution { index: 0, seal: own }));
    });
    cites(
        s,
        "contribution-set-in-breach",
        "declare 8",
        "a contribution is from a valid set",
        &table,
        "refuted",
        &[("seal 1", Some("ann")), ("declare 8", Some("ann"))],
    );
}

/// Redos that both players agreed on.
fn agreed(s: &mut Scenario<'_>) {
    let accepted = |label: &str| {
        let (mut table, declaration, foul_up) = opened(label);
        let corrected = table.corrected_attacks();
        let proposal = table.propose(Bob, declaration, Some(corrected.clone()));
        let acceptance = table.send(Ann, Body::Correct(Correct::Accept(proposal)));
        (table, corrected, foul_up, Redo::Agreed(acceptance))
    };
    let one = [("declare 12", Some("ann"))];
    let (mut table, corrected, foul_up, redo) = accepted("an agreed redo with other moves");
    table.redo_but(FIRST, corrected, foul_up, redo, |redo| redo.moves = Moves::Text("Guards to Z99.".into()));
    let about = "an agreed redo has the moves of its declaration";
    cites(s, "agreed-redo-with-other-moves", "declare 12", about, &table, "refuted", &one);

    let (mut table, corrected, foul_up, redo) = accepted("an agreed redo in another slot");
    table.redo_but(FIRST, corrected, foul_up, redo, |redo| redo.slot = slot(NEXT));
    let about = "an agreed redo has the slot of its declaration";
    cites(s, "agreed-redo-in-another-slot", "declare 12", about, &table, "refuted", &one);

    let (mut table, _, foul_up, redo) = accepted("an agreed redo that failed");
    table.redo(Ann, FIRST, example_attacks(), foul_up, redo);
    let next = table.seal(Bob, SetKind::Coin, LATER);
    let declaration = table.declare(Ann, LATER, example_attacks(), next);
    table.reveal(Bob, declaration);
    let about = "a redo that names the acceptance ends what was due, valid or not: Ann plays on";
    cites(s, "agreed-redo-that-failed", "letters 22", about, &table, "refuted", &one);
}

/// Sets and numbers that belong to other slots.
fn other_slots(s: &mut Scenario<'_>) {
    let (mut table, _, foul_up) = with_foul_up("an envelope of another slot's set");
    let second = table.seal(Bob, SetKind::Coin, NEXT);
    let opening = unasked(&mut table, second, 2);
    let mut redo = table.declaration(Ann, FIRST, example_attacks(), foul_up, Some(Redo::Opened(opening)));
    redo.slot = slot(FIRST);
    table.send(Ann, Body::Declare(Box::new(redo)));
    cites(
        s,
        "opened-for-another-slot",
        "declare 13",
        "the opened envelope is in the set of another slot: no cause for a redo of this one",
        &table,
        "refuted",
        &[("reveal 2", Some("bob")), ("declare 13", Some("ann"))],
    );

    let (mut table, seal) = choosing("a number behind orders", None, How::Simultaneous);
    for who in [Ann, Bob] {
        table.seal(who, SetKind::Note, "1/1/ann-first/1/orders");
    }
    open_orders(&mut table);
    table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| declare.slot = slot(NEXT));
    table.declare(Ann, FIRST, example_attacks(), seal);
    cites(
        s,
        "orders-and-a-breach-beyond-repair",
        "declare 20",
        "where both order at once, a breach beyond repair ends the place for its author",
        &table,
        "refuted",
        &[("declare 20", Some("ann")); 2],
    );
}

pub(crate) fn decisions(s: &mut Scenario<'_>) {
    let (mut table, seal) = owing("a decision after one in breach", "bob");
    let claim = table.send(Ann, dispute(seal));
    let decide = Decide { after: Some(claim), name: name("flank"), slot: slot(FIRST), value: json!("the left flank") };
    table.send(Bob, Body::Decide(decide));
    table.decide(Bob, FIRST, "flank");
    cites(
        s,
        "again-after-a-breach",
        "decide 2",
        "a decision in breach is used up",
        &table,
        "refuted",
        &[("decide 1", Some("bob")), ("decide 2", Some("bob"))],
    );
}

pub(crate) fn corrections(s: &mut Scenario<'_>) {
    let (mut table, declaration, _) = opened("an acceptance behind a declaration");
    let next = table.seal(Bob, SetKind::Coin, LATER);
    let declared = table.declaration(Ann, LATER, example_attacks(), next, None);
    table.post(Ann, Body::Declare(Box::new(declared)));
    let corrected = table.corrected_attacks();
    let proposal = table.propose(Bob, declaration, Some(corrected));
    table.send(Ann, Body::Correct(Correct::Accept(proposal)));
    cites(
        s,
        "accepted-after-playing-on",
        "correct 6",
        "Ann had declared, knowing the dice, when the proposal came",
        &table,
        "refuted",
        &[("correct 6", Some("ann"))],
    );

    let mut table = Table::begin("one cell of two is known");
    let sheet = table.seal(Bob, SetKind::Sheet, "sheet/1");
    let coin = table.seal(Bob, SetKind::Coin, LATER);
    let declaration = table.declare(Ann, SECOND, cells(&["A1", "A2"]), sheet);
    let sheets = vec![CellKey(0, 1, table.key_of(Bob, sheet, 0, 1))];
    let reveal = Reveal { declaration: Some(declaration), keys: Vec::new(), seal: sheet, sheets };
    table.send(Bob, Body::Reveal(reveal));
    table.declare(Ann, LATER, example_attacks(), coin);
    table.reveal(Bob, declaration);
    let mut input = cells(&["A1"]);
    input["rolls"][0]["cell"] = json!(null);
    table.propose(Bob, declaration, Some(input));
    cites(
        s,
        "one-cell-of-two-is-known",
        "correct 6",
        "Ann declared when she knew A1 and not yet A2: each cell of the selection counts",
        &table,
        "refuted",
        &[("reveal 4", Some("bob")), ("correct 6", Some("bob"))],
    );
}

pub(crate) fn closes(s: &mut Scenario<'_>) {
    let mut table = Table::begin("a bad envelope in a seal in breach");
    let mut seal = table.seal_body(Bob, SetKind::Coin, FIRST);
    seal.revealer = role("ann");
    seal.commits[4] = bytes("no commitment");
    table.send(Bob, Body::Seal(seal));
    table.close_all();
    cites(
        s,
        "bad-envelope-of-a-breach",
        "close 3",
        "the close proves valid seals alone: a seal in breach is one finding, not two",
        &table,
        "refuted",
        &[("seal 1", Some("bob"))],
    );

    let mut table = Table::begin("a bad last column");
    let mut seal = table.seal_body(Bob, SetKind::Sheet, "sheet/1");
    seal.commits[39] = bytes("no commitment");
    table.send(Bob, Body::Seal(seal));
    table.close_all();
    let about = "every column of a sheet is proved, the last one too";
    cites(s, "bad-last-column", "close 3", about, &table, "refuted", &[("close 3", Some("bob"))]);
}

/// A receipt in breach of chain 3 names a set but does not hold it.
pub(crate) fn openings(s: &mut Scenario<'_>) {
    let mut table = held("a receipt that goes back", false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let accept = table.with_ledger(|ledger| ledger.game);
    let carol = table.send(Carol, ruling(Ruled::Settle(seal)));
    let ann = last_of(&table, Ann);
    let declared = table.declaration(Ann, FIRST, example_attacks(), seal, None);
    let body = receipt(&[seal]);
    let mut head: Head = table.signer(Carol).next_head(Kind::Receipt);
    head.seen.insert(role("bob"), Some(accept));
    assert_eq!(head.prev, Some(carol));
    let receipt = table.forge(head, body, &key("key of carol"));
    let declaration = sign(&mut table, Ann, ann, &[seal, receipt], Body::Declare(Box::new(declared)));
    let claim = sign(&mut table, Ann, declaration, &[], stall(Some(declaration), Step::Reveal));
    let request = sign(&mut table, Carol, receipt, &[claim, seal], ruling(Ruled::Request(claim)));
    let opening = deposits::opening(request, table.reveal_body(Bob, declaration));
    sign(&mut table, Carol, request, &[], ruling(Ruled::Open(opening)));
    cites(
        s,
        "receipt-that-goes-back",
        "8, 10, ruling 9",
        "the receipt names the set but does not hold it: a forfeit is possible, so the ruling may not open",
        &table,
        "refuted",
        &[("chain 3", Some("carol")), ("ruling 9", Some("carol"))],
    );
}
