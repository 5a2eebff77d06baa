//! The office in trouble: its own forks and those of others, forfeits, and redos.

use sealed_dice::{
    blob::{
        Body,
        body::{Correct, Decision, Forfeit, FoulUpClass, Hex32, How, Key, Proposal, Reveal, SetKind, Step},
        disputes::{Claim, Ruled, RuledForfeit, Yield},
        json::Text,
    },
    game::terms::Player,
};

use crate::{
    disputes::{ruling, stall},
    forks::{last_of, letter, sign, some_set},
    games::Scenario,
    kit::{Ann, Bob, Carol, Dora, Table, Who, example_attacks, name, role, text},
    office::{
        FIRST, ORDERS, declared, epoch, hands_back, held, held_with, holder, holds, note_opened, time, with_deadlines,
    },
};

/// The finding of a fork that nobody is blamed for.
const EXPLAINED: (&str, Option<&str>) = ("chain", None);

/// Returns the reveal of the envelopes with these indices.
fn opening(table: &Table, seal: Hex32, declaration: Hex32, indices: &[u64]) -> Body {
    let keys = indices.iter().map(|index| Key(*index, table.key_of(Bob, seal, *index, 0))).collect();
    Body::Reveal(Reveal { declaration: Some(declaration), keys, seal, sheets: Vec::new() })
}

pub(crate) fn all(s: &mut Scenario<'_>) {
    breaches_left_behind(s);
    orders(s);
    gone_back(s);
    forfeits(s);
    redos(s);
    early_opening(s);
    branches(s);
}

/// Breaches that the office signed and then forgot.
fn breaches_left_behind(s: &mut Scenario<'_>) {
    epoch_over_a_breach(s);
    epoch_over_an_unearned_key(s);
    epoch_over_seen_gone_back(s);
}

fn epoch_over_a_breach(s: &mut Scenario<'_>) {
    let (mut table, seal, declared_first) = declared("an epoch over a breach");
    let kept = last_of(&table, Dora);
    let body = opening(&table, seal, declared_first, &[2, 0]);
    sign(&mut table, Dora, kept, &[declared_first], body);
    sign(&mut table, Dora, kept, &[declared_first], epoch(1_800_000_000));
    s.ends(
        "epoch-over-a-breach",
        "22, 25",
        "one key too many, and then an epoch: what it signed is judged on every branch",
        &table,
        "refuted",
        &[EXPLAINED, ("rule", Some("dora"))],
    );
}

fn epoch_over_an_unearned_key(s: &mut Scenario<'_>) {
    let (mut table, seal) = held("an epoch over an unearned key");
    let breach = table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| declare.slot.turn = 2);
    let kept = last_of(&table, Dora);
    let body = opening(&table, seal, breach, &[2]);
    sign(&mut table, Dora, kept, &[breach], body);
    sign(&mut table, Dora, kept, &[breach], epoch(1_800_000_000));
    s.ends(
        "epoch-over-an-unearned-key",
        "22, 25",
        "it opened what was in breach",
        &table,
        "refuted",
        &[EXPLAINED, ("rule", Some("ann")), ("rule", Some("dora"))],
    );
}

fn epoch_over_seen_gone_back(s: &mut Scenario<'_>) {
    let (mut table, seal, declared_first) = declared("an epoch over what goes back");
    let kept = last_of(&table, Dora);
    let seen = sign(&mut table, Dora, kept, &[declared_first], time(1_700_000_000));
    let older = letter(&table, declared_first).head().prev.expect("the charter");
    let body = opening(&table, seal, declared_first, &[2]);
    sign(&mut table, Dora, seen, &[older], body);
    sign(&mut table, Dora, kept, &[declared_first], epoch(1_800_000_000));
    s.ends(
        "epoch-over-seen-gone-back",
        "22, 25",
        "a lost reveal whose seen goes back, too",
        &table,
        "refuted",
        &[EXPLAINED, ("chain", Some("dora"))],
    );
}

/// Begins a game with orders at once, opened by the office or by their sealers. Bob has sealed his orders, and Ann has
/// not.
fn ordering(label: &str, by_office: bool) -> (Table, Hex32) {
    let (mut table, _) = held_with(label, true, |charter| {
        charter.phases[0].decisions.push(Decision { by: None, how: How::Simultaneous, name: name("orders") });
        holder(charter).notes = by_office;
    });
    let note = table.seal(Bob, SetKind::Note, ORDERS);
    if by_office {
        table.send(Dora, holds(&[note]));
    }
    (table, note)
}

fn note(table: &mut Table, who: Who) -> Body {
    Body::Seal(table.seal_body(who, SetKind::Note, ORDERS))
}

fn has_note(table: &Table, note: Hex32) -> bool {
    table.with_ledger(|ledger| ledger.set(&note).is_some())
}

/// Ann seals orders, Bob's are opened because of them, and then Ann seals others.
fn orders(s: &mut Scenario<'_>) {
    orders_opened_then_sealed_anew(s);
    orders_opened_by_the_other(s);
    orders_before_the_fork(s);
}

fn orders_opened_then_sealed_anew(s: &mut Scenario<'_>) {
    let (mut table, his) = ordering("orders opened, then sealed anew", true);
    let (ann, bob, dora) = (last_of(&table, Ann), last_of(&table, Bob), last_of(&table, Dora));
    let (one, two, more) = (note(&mut table, Ann), note(&mut table, Ann), some_set(&mut table, Bob, 2));
    let first = sign(&mut table, Ann, ann, &[dora, his], one);
    let opened = note_opened(&table, Bob, None, his);
    sign(&mut table, Dora, dora, &[first], opened);
    let anew = sign(&mut table, Ann, ann, &[dora, his], two);
    sign(&mut table, Bob, bob, &[anew], more);
    assert!(has_note(&table, first) && !has_note(&table, anew));
    s.blames(
        "orders-opened-then-sealed-anew",
        "chain 12",
        "Bob's were opened against her first orders: these stand, whatever he has seen",
        &table,
        "chain",
        "ann",
    );
}

fn orders_opened_by_the_other(s: &mut Scenario<'_>) {
    let (mut table, his) = ordering("orders opened by the other", false);
    let (ann, dora) = (last_of(&table, Ann), last_of(&table, Dora));
    let (one, two, more) = (note(&mut table, Ann), note(&mut table, Ann), some_set(&mut table, Bob, 2));
    let first = sign(&mut table, Ann, ann, &[dora, his], one);
    let anew = sign(&mut table, Ann, ann, &[dora, his], two);
    let shown = sign(&mut table, Dora, dora, &[first], time(1_700_000_000));
    let opened = note_opened(&table, Bob, None, his);
    let opened = sign(&mut table, Bob, his, &[shown], opened);
    sign(&mut table, Bob, opened, &[anew], more);
    assert!(has_note(&table, first) && !has_note(&table, anew));
    s.blames(
        "orders-opened-by-the-other",
        "chain 12",
        "he opened against the first, and then named the second",
        &table,
        "chain",
        "ann",
    );
}

fn orders_before_the_fork(s: &mut Scenario<'_>) {
    let (mut table, his) = ordering("orders before the fork", true);
    let hers = note(&mut table, Ann);
    table.send(Ann, hers);
    let (ann, dora) = (last_of(&table, Ann), last_of(&table, Dora));
    let (one, two, more) = (some_set(&mut table, Ann, 2), some_set(&mut table, Ann, 3), some_set(&mut table, Bob, 2));
    let shown = sign(&mut table, Ann, ann, &[], one);
    let opened = note_opened(&table, Bob, None, his);
    sign(&mut table, Dora, dora, &[shown], opened);
    let named = sign(&mut table, Ann, ann, &[], two);
    sign(&mut table, Bob, his, &[named, dora], more);
    assert!(has_note(&table, shown) && !has_note(&table, named));
    s.blames(
        "orders-before-the-fork",
        "chain 12",
        "both branches have the same orders: that stands which the office had seen when it opened",
        &table,
        "chain",
        "ann",
    );
}

/// Plays two letters from Ann that the office has seen.
fn seen(label: &str) -> (Table, [Hex32; 4], Hex32, Hex32) {
    let (mut table, _) = held_with(label, true, |_| {});
    let [ann, bob, carol, dora] = [Ann, Bob, Carol, Dora].map(|who| last_of(&table, who));
    let (one, two) = (some_set(&mut table, Ann, 2), some_set(&mut table, Ann, 3));
    let first = sign(&mut table, Ann, ann, &[dora], one);
    let second = sign(&mut table, Ann, first, &[], two);
    let read = sign(&mut table, Dora, dora, &[second], time(1_700_000_000));
    (table, [ann, bob, carol, dora], second, read)
}

/// The office signs a letter that has seen less than its letter before.
fn gone_back(s: &mut Scenario<'_>) {
    let (mut table, [ann, ..], _, read) = seen("the office goes back");
    sign(&mut table, Dora, read, &[ann], time(1_700_000_001));
    s.blames("office-goes-back", "chain 3", "nothing lets it forget her letters", &table, "chain", "dora");
}

fn forfeited(table: &mut Table, request: Hex32) {
    let forfeit = RuledForfeit { forfeit: Forfeit::DeclarerNames, request };
    table.send(Carol, ruling(Ruled::Forfeit(forfeit)));
}

fn requested(table: &mut Table, declaration: Hex32) -> Hex32 {
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    table.send(Carol, ruling(Ruled::Request(claim)))
}

fn yields(declaration: Hex32) -> Body {
    let given = Yield { declaration: Some(declaration), forfeit: Forfeit::DeclarerNames, text: String::new() };
    Body::Claim(Claim::Yield(given))
}

/// Begins a game in which the office holds a set, and Ann has declared on it.
fn asked(label: &str) -> (Table, Hex32, Hex32) {
    let (mut table, seal) = held_with(label, true, |_| {});
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    (table, seal, declaration)
}

/// Plays a declaration that has not seen the office's receipt: either there is none, or it came too late.
fn without_receipt(label: &str, crossing: bool) -> (Table, Hex32, Hex32) {
    let mut table = Table::officed(label, true, with_deadlines);
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    if crossing {
        table.post(Dora, holds(&[seal]));
    }
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    (table, seal, declaration)
}

/// Dice can be forfeited if they were not with the office when the referee asked for them.
fn forfeits(s: &mut Scenario<'_>) {
    handed_back_and_forfeited(s);
    handed_back_after_the_request(s);
    epoch_and_forfeited(s);
    killed_and_forfeited(s);
    handed_back_and_yielded(s);
    receipt_left_out_and_forfeited(s);
    receipt_left_out_and_yielded(s);
    receipt_after_the_request(s);
}

fn handed_back_and_forfeited(s: &mut Scenario<'_>) {
    let (mut table, seal, declaration) = asked("handed back, and forfeited");
    table.send(Dora, hands_back(&[seal]));
    let request = requested(&mut table, declaration);
    forfeited(&mut table, request);
    s.good("handed-back-and-forfeited", "15, ruling 2", "the sealer had it when he was asked", &table);
}

fn handed_back_after_the_request(s: &mut Scenario<'_>) {
    let (mut table, seal, declaration) = asked("handed back after the request");
    let request = requested(&mut table, declaration);
    table.send(Dora, hands_back(&[seal]));
    forfeited(&mut table, request);
    s.blames(
        "handed-back-after-the-request",
        "15, ruling 2",
        "he had not when he was asked: Carol asks again",
        &table,
        "rule",
        "carol",
    );
}

fn epoch_and_forfeited(s: &mut Scenario<'_>) {
    let (mut table, _, declaration) = asked("an epoch, and forfeited");
    table.send(Dora, epoch(1_800_000_000));
    let request = requested(&mut table, declaration);
    forfeited(&mut table, request);
    s.good("epoch-and-forfeited", "15, 27, ruling 2", "an epoch takes sets back", &table);
}

fn killed_and_forfeited(s: &mut Scenario<'_>) {
    let (mut table, seal, declaration) = asked("killed, and forfeited");
    table.send(Carol, ruling(Ruled::Kill(seal)));
    let request = requested(&mut table, declaration);
    forfeited(&mut table, request);
    s.good("killed-and-forfeited", "15, 20, ruling 2", "a ruling does, where the office stays silent", &table);
}

fn handed_back_and_yielded(s: &mut Scenario<'_>) {
    let (mut table, seal, declaration) = asked("handed back, and given away");
    table.send(Dora, hands_back(&[seal]));
    table.send(Bob, yields(declaration));
    s.good("handed-back-and-yielded", "15, claim 3", "the sealer may let Ann name the dice", &table);
}

fn receipt_left_out_and_forfeited(s: &mut Scenario<'_>) {
    let (mut table, _, declaration) = without_receipt("a receipt left out, and forfeited", true);
    let request = requested(&mut table, declaration);
    forfeited(&mut table, request);
    s.blames(
        "receipt-left-out-and-forfeited",
        "15, ruling 2",
        "the office has the keys, whatever Ann's letter knew",
        &table,
        "rule",
        "carol",
    );
}

fn receipt_left_out_and_yielded(s: &mut Scenario<'_>) {
    let (mut table, _, declaration) = without_receipt("a receipt left out, and given away", true);
    table.send(Bob, yields(declaration));
    s.blames("receipt-left-out-and-yielded", "15, claim 3", "nor does Bob give them away", &table, "rule", "bob");
}

fn receipt_after_the_request(s: &mut Scenario<'_>) {
    let (mut table, seal, declaration) = without_receipt("a receipt after the request", false);
    let request = requested(&mut table, declaration);
    table.send(Dora, holds(&[seal]));
    forfeited(&mut table, request);
    s.good("receipt-after-the-request", "15, ruling 2", "what comes then comes too late", &table);
}

/// What the proposal of a redo of the first declaration has seen of the second one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Beside {
    /// The proposal has not seen it.
    Unknown,
    /// The proposal has seen it, and it is opened later.
    Opened,
    /// The proposal has seen its dice.
    Answered,
    /// The proposal has seen that Ann may name its dice.
    Forfeited,
}

/// Ann has declared twice without knowing the dice of the first declaration. Bob proposes a redo of that one. Returns
/// Ann's last letter and the proposal.
fn proposed(table: &mut Table, beside: Beside) -> (Hex32, Hex32) {
    const LATER: &str = "2/1/ann-first/1";
    let first_set = table.with_ledger(|ledger| ledger.sealed(Player::Second, SetKind::Coin, FIRST)).expect("a set");
    let second_set = table.seal(Bob, SetKind::Coin, LATER);
    let officed = table.dora.is_some();
    if officed {
        table.send(Dora, holds(&[second_set]));
    }
    let first = table.declare(Ann, FIRST, example_attacks(), first_set);
    let bob = last_of(table, Bob);
    let second = table.declaration(Ann, LATER, example_attacks(), second_set, None);
    let second = sign(table, Ann, first, &[], Body::Declare(Box::new(second)));
    let opened = opening(table, first_set, first, &[2]);
    let corrected = text(&table.corrected_attacks());
    let again = proposal(first, corrected);
    if !officed {
        let opened = sign(table, Bob, bob, &[first], opened);
        return (second, sign(table, Bob, opened, &[], again));
    }
    let dora = last_of(table, Dora);
    let opened = sign(table, Dora, dora, &[first], opened);
    let late = opening(table, second_set, second, &[2]);
    let proposal = match beside {
        Beside::Unknown | Beside::Opened => {
            let knows = if beside == Beside::Opened { second } else { first };
            let proposal = sign(table, Bob, bob, &[knows, opened], again);
            sign(table, Dora, opened, &[second], late);
            proposal
        }
        Beside::Answered => {
            let late = sign(table, Dora, opened, &[second], late);
            sign(table, Bob, bob, &[second, late], again)
        }
        Beside::Forfeited => {
            let back = sign(table, Dora, opened, &[second], hands_back(&[second_set]));
            let given = sign(table, Bob, bob, &[second, back], yields(second));
            sign(table, Bob, given, &[], again)
        }
    };
    (second, proposal)
}

fn proposal(declaration: Hex32, input: Text) -> Body {
    Body::Correct(Correct::Propose(Box::new(Proposal {
        at_fault: role("ann"),
        class: FoulUpClass::IllegalOdds,
        declaration,
        input: Some(input),
        reason: "F12 was 2-1".into(),
    })))
}

/// The player who is asked for a redo may have had another roll opened by the office.
fn redos(s: &mut Scenario<'_>) {
    for (file, beside, about) in [
        ("redo-accepted-beside-a-roll", Beside::Unknown, "Ann may have read what the office opened meanwhile"),
        ("redo-accepted-when-opened-since", Beside::Opened, "Bob knew of the roll, and not of its dice"),
        ("redo-accepted-behind-a-roll", Beside::Answered, "both had those dice when Bob proposed"),
        ("redo-accepted-behind-a-forfeit", Beside::Forfeited, "they were hers to name when Bob proposed"),
    ] {
        let (mut table, _) = held_with(file, true, |_| {});
        let (last, proposal) = proposed(&mut table, beside);
        sign(&mut table, Ann, last, &[proposal], Body::Correct(Correct::Accept(proposal)));
        match beside {
            Beside::Unknown | Beside::Opened => s.blames(file, "letters, correct 7", about, &table, "rule", "ann"),
            Beside::Answered | Beside::Forfeited => s.good(file, "letters, correct 7", about, &table),
        }
    }

    let (mut table, _) = held_with("a redo that a ruling agrees to beside a roll", true, |_| {});
    let (last, proposal) = proposed(&mut table, Beside::Unknown);
    let carol = last_of(&table, Carol);
    sign(&mut table, Carol, carol, &[last, proposal], ruling(Ruled::Agree(proposal)));
    s.blames("redo-agreed-beside-a-roll", "ruling 13", "nor does Carol for her", &table, "rule", "carol");
}

/// Without an office, the player who is asked has no later dice (`letters.md`).
pub(crate) fn beside_sealers(s: &mut Scenario<'_>) {
    let mut table = Table::begin("a redo accepted beside a roll of the sealer's");
    table.seal(Bob, SetKind::Coin, FIRST);
    let (last, proposal) = proposed(&mut table, Beside::Unknown);
    sign(&mut table, Ann, last, &[proposal], Body::Correct(Correct::Accept(proposal)));
    s.good("accepted-beside-a-roll-of-the-sealers", "correct 7", "Bob has not opened the other roll", &table);
}

/// The office opens orders before both players have sealed theirs.
fn early_opening(s: &mut Scenario<'_>) {
    let (mut table, _) = held_with("orders behind an early opening", true, |charter| {
        charter.phases[0].decisions.push(Decision { by: None, how: How::Simultaneous, name: name("orders") });
    });
    let hers = note(&mut table, Ann);
    let hers = table.send(Ann, hers);
    table.send(Dora, holds(&[hers]));
    let opened = note_opened(&table, Ann, None, hers);
    table.send(Dora, opened);
    let his = note(&mut table, Bob);
    table.send(Bob, his);
    s.blames(
        "orders-first-behind-an-early-opening",
        "secrets 11, reveal 7",
        "the office opened too early; Bob seals after it, and breaks no rule",
        &table,
        "rule",
        "dora",
    );
}

/// A game with more branches than are allowed.
fn branches(s: &mut Scenario<'_>) {
    let (mut table, _) = held("more epochs than a game can have");
    let dora = last_of(&table, Dora);
    for second in 0..257 {
        sign(&mut table, Dora, dora, &[], epoch(1_800_000_000 + second));
    }
    s.ends(
        "too-many-epochs",
        "25, chain 15",
        "nothing is replayed, and no epoch explains that",
        &table,
        "refuted",
        &[("chain", Some("dora"))],
    );
}
