//! The office: what it holds, opens alone and hands back, and what an epoch ends.

use sealed_dice::{
    blob::{
        Body, Head,
        body::{
            Charter, Correct, Deadline, Decision, Forfeit, Hex32, How, Key, Redo, Reveal, Revealer, SetKind, Source,
            Step,
        },
        deposits::Deposits,
        disputes::{Claim, Ruled, RuledForfeit, Yield},
        office::{Moment, Receipt, Seals},
    },
    game::steps::Letter,
};

use serde_json::Value;

use crate::{
    campaigns::deal_on,
    disputes::{ruling, stall},
    games::Scenario,
    kit::{Ann, Bob, Carol, Dora, Table, Who, cells, example_attacks, key, name, role},
    turns::{at, markers, roll, with_initiative},
};

pub(crate) const FIRST: &str = "1/1/ann-first/1";
pub(crate) const SECOND: &str = "1/2/ann-second/1";
pub(crate) const ORDERS: &str = "1/1/ann-first/1/orders";

fn about(seals: &[Hex32]) -> Seals {
    let mut seals = seals.to_vec();
    seals.sort_unstable();
    Seals { seals }
}

pub(crate) fn holds(seals: &[Hex32]) -> Body {
    Body::Receipt(Receipt::Deposit(about(seals)))
}

pub(crate) fn hands_back(seals: &[Hex32]) -> Body {
    Body::Receipt(Receipt::HandBack(about(seals)))
}

pub(crate) fn epoch(at: u64) -> Body {
    Body::Receipt(Receipt::Epoch(Moment { at }))
}

pub(crate) fn time(at: u64) -> Body {
    Body::Receipt(Receipt::Time(Moment { at }))
}

/// Returns the deposits of the office in these terms.
pub(crate) fn holder(charter: &mut Charter) -> &mut Deposits {
    charter.office.as_mut().and_then(|office| office.deposit.as_mut()).expect("an office that holds keys")
}

/// Adds deadlines with both forfeits of a reveal.
pub(crate) fn with_deadlines(charter: &mut Charter) {
    for forfeit in [Forfeit::DeclarerNames, Forfeit::Game] {
        charter.deadlines.push(Deadline { days: 30, forfeit, step: Step::Reveal });
    }
}

/// A game with an office that holds a set of Bob's for Ann's first impulse.
pub(crate) fn held_with(label: &str, refereed: bool, change: impl FnOnce(&mut Charter)) -> (Table, Hex32) {
    let mut table = Table::officed(label, refereed, |charter| {
        with_deadlines(charter);
        change(charter);
    });
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.send(Dora, holds(&[seal]));
    (table, seal)
}

pub(crate) fn held(label: &str) -> (Table, Hex32) {
    held_with(label, false, |_| {})
}

/// Begins a game with an office that holds a set, on which Ann has declared.
pub(crate) fn declared(label: &str) -> (Table, Hex32, Hex32) {
    let (mut table, seal) = held(label);
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    (table, seal, declaration)
}

/// Opens the dice of a declaration on a set of Bob's, in a letter signed by anybody.
pub(crate) fn opens(table: &mut Table, by: Who, declaration: Hex32) -> Hex32 {
    let reveal = table.reveal_body(Bob, declaration);
    table.send(by, Body::Reveal(reveal))
}

/// Returns the reveal that opens a note.
pub(crate) fn note_opened(table: &Table, of: Who, declaration: Option<Hex32>, note: Hex32) -> Body {
    let keys = vec![Key(0, table.key_of(of, note, 0, 0))];
    Body::Reveal(Reveal { declaration, keys, seal: note, sheets: Vec::new() })
}

/// Signs as the office after one of its older letters.
pub(crate) fn behind(table: &mut Table, prev: (u64, Hex32), body: Body) -> Hex32 {
    let head = Head { number: prev.0 + 1, prev: Some(prev.1), ..table.signer(Dora).next_head(body.kind()) };
    table.forge(head, body, &key("key of dora"))
}

/// Shows somebody one letter, without any later ones.
pub(crate) fn sees(table: &mut Table, who: Who, id: Hex32) {
    let found = table.letters.iter().find(|letter| letter.message.id() == id);
    let Letter { message, .. } = found.expect("a letter").clone();
    table.seat_mut(who).see(&message);
}

pub(crate) fn all(s: &mut Scenario<'_>) {
    opened(s);
    left(s);
    receipts(s);
    notes(s);
    epochs(s);
    restored(s);
    others(s);
    forks(s);
    time_witness(s);
}

fn opened(s: &mut Scenario<'_>) {
    opened_of_opened(s);
    opened_by_the_sealer(s);
    not_deposited(s);
    claims(s);
    opens_too_much(s);
    opens_a_breach(s);
    seal_names_its_sealer(s);
    seal_of_a_contribution(s);
}

fn opened_of_opened(s: &mut Scenario<'_>) {
    let (mut table, _, declaration) = declared("an impulse in one go");
    let sheet = table.seal(Bob, SetKind::Sheet, "sheet/1");
    table.send(Dora, holds(&[sheet]));
    opens(&mut table, Dora, declaration);
    s.good("opened", "9, 15", "the office opens for Ann while Bob is away", &table);
    let second = table.declare(Ann, SECOND, cells(&["A1", "A2"]), sheet);
    opens(&mut table, Dora, second);
    table.send(Dora, time(1_800_000_000));
    s.good("two-impulses", "9, 29", "and for her second impulse, from the sheet; then it tells the time", &table);
    table.close_all();
    s.good("closed", "9", "both close, and every set is as it was sealed", &table);
}

fn opened_by_the_sealer(s: &mut Scenario<'_>) {
    let (mut table, _, declaration) = declared("the sealer opens what is with the office");
    opens(&mut table, Bob, declaration);
    s.blames("opened-by-the-sealer", "9, reveal 1", "a key is a fact, and the letter a breach", &table, "rule", "bob");
}

fn not_deposited(s: &mut Scenario<'_>) {
    let mut table = Table::officed("no deposit", false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    opens(&mut table, Bob, declaration);
    s.good("not-deposited", "9", "what the office does not hold, the sealer opens", &table);

    let mut table = Table::officed("a set that it does not hold", false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    opens(&mut table, Dora, declaration);
    s.blames("opened-without-receipt", "8, reveal 1", "it has confirmed nothing", &table, "rule", "dora");

    let crossing = |label: &str| {
        let mut table = Table::officed(label, false, |_| {});
        let seal = table.seal(Bob, SetKind::Coin, FIRST);
        let receipt = table.post(Dora, holds(&[seal]));
        let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
        [Bob, Dora].into_iter().for_each(|who| table.arrive(who));
        sees(&mut table, Ann, receipt);
        (table, declaration)
    };
    let (mut table, declaration) = crossing("a receipt that crosses a declaration");
    opens(&mut table, Bob, declaration);
    s.good("receipt-crosses", "8, 9", "Ann did not know that the office holds it: the sealer opens", &table);
    let (mut table, declaration) = crossing("the office opens what its receipt crosses");
    opens(&mut table, Dora, declaration);
    s.good("receipt-crosses-and-opens", "9, reveal 1", "it is with the office for its reveal", &table);
    opens(&mut table, Bob, declaration);
    s.good("receipt-crosses-and-both", "9, reveal 1", "and its sealer says the same", &table);
}

fn claims(s: &mut Scenario<'_>) {
    let (mut table, _, _) = declared("a letter too many");
    table.send(Dora, Body::Claim(Claim::Withdraw(table.last())));
    s.blames("claims", "2, letters 3", "the office claims nothing", &table, "rule", "dora");
}

fn opens_too_much(s: &mut Scenario<'_>) {
    let (mut table, seal) = held("more than was asked for");
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    let mut reveal = table.reveal_body(Bob, declaration);
    reveal.keys.push(Key(0, table.key_of(Bob, seal, 0, 0)));
    table.send(Dora, Body::Reveal(reveal));
    s.blames("opens-too-much", "9, reveal 4", "an envelope that nobody has earned", &table, "rule", "dora");
}

fn opens_a_breach(s: &mut Scenario<'_>) {
    let (mut table, seal) = held("a breach that is opened");
    let declaration = table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| declare.slot.turn = 2);
    let keys = vec![Key(2, table.key_of(Bob, seal, 2, 0))];
    table.send(Dora, Body::Reveal(Reveal { declaration: Some(declaration), keys, seal, sheets: Vec::new() }));
    s.ends(
        "opens-a-breach",
        "15, reveal 3",
        "what is in breach is opened by nobody",
        &table,
        "refuted",
        &[("rule", Some("ann")), ("rule", Some("dora"))],
    );
}

fn seal_names_its_sealer(s: &mut Scenario<'_>) {
    let mut table = Table::officed("a seal that names its sealer", false, |_| {});
    let mut seal = table.seal_body(Bob, SetKind::Coin, FIRST);
    seal.revealer = role("bob");
    table.send(Bob, Body::Seal(seal));
    s.blames("seal-names-its-sealer", "5, seal 1", "the terms say that the office reveals", &table, "rule", "bob");
}

fn seal_of_a_contribution(s: &mut Scenario<'_>) {
    let mut table = Table::officed("a contribution that names the office", false, |_| {});
    let mut seal = table.seal_body(Ann, SetKind::Contribution, "contribution/1");
    seal.revealer = role("dora");
    table.send(Ann, Body::Seal(seal));
    s.blames("seal-of-a-contribution", "5, seal 1", "a contribution is its owner's own", &table, "rule", "ann");
}

fn left(s: &mut Scenario<'_>) {
    handed_back(s);
    handed_back_before(s);
    handed_back_and_opened(s);
    stalled(s);
    forfeit_of_held_dice(s);
    yield_of_held_dice(s);
    killed_by_ruling(s);
}

fn handed_back(s: &mut Scenario<'_>) {
    let (mut table, seal, declaration) = declared("handed back after the declaration");
    table.send(Dora, hands_back(&[seal]));
    opens(&mut table, Bob, declaration);
    s.good("handed-back", "20", "the sealer opens what was declared while the office held it", &table);
}

fn handed_back_before(s: &mut Scenario<'_>) {
    let (mut table, seal) = held("handed back before the declaration");
    table.send(Dora, hands_back(&[seal]));
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    opens(&mut table, Bob, declaration);
    s.good("handed-back-before", "20", "the set lives on, with its sealer", &table);
    table.send(Dora, holds(&[seal]));
    s.blames("held-again", "33, receipt 1", "nobody deposits a set twice", &table, "rule", "dora");
}

fn handed_back_and_opened(s: &mut Scenario<'_>) {
    let (mut table, seal, declaration) = declared("opened after it was handed back");
    table.send(Dora, hands_back(&[seal]));
    opens(&mut table, Dora, declaration);
    s.blames("handed-back-and-opened", "20, reveal 1", "the office kept a key", &table, "rule", "dora");
}

fn stalled(s: &mut Scenario<'_>) {
    let (mut table, _, declaration) = declared("the declarer gives the office up");
    table.send(Ann, stall(Some(declaration), Step::Reveal));
    s.ends("stalled", "9, claim 1", "Ann asks the sealer: a claim stands", &table, "undecided", &[]);
    opens(&mut table, Bob, declaration);
    s.good("stalled-and-opened", "9", "and the sealer opens", &table);
    opens(&mut table, Dora, declaration);
    s.good("stalled-and-both", "9", "the office, late, says the same", &table);
}

fn forfeit_of_held_dice(s: &mut Scenario<'_>) {
    let (mut table, seal) = held_with("no forfeit of what is held", true, |_| {});
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    let request = table.send(Carol, ruling(Ruled::Request(claim)));
    table.send(Carol, ruling(Ruled::Forfeit(RuledForfeit { forfeit: Forfeit::DeclarerNames, request })));
    s.ends(
        "forfeit-of-held-dice",
        "15, ruling 2",
        "they can be had as they were sealed",
        &table,
        "refuted",
        &[("rule", Some("carol"))],
    );
}

fn yield_of_held_dice(s: &mut Scenario<'_>) {
    let (mut table, _, declaration) = declared("a yield of what is held");
    let given = Yield { declaration: Some(declaration), forfeit: Forfeit::DeclarerNames, text: String::new() };
    table.send(Bob, Body::Claim(Claim::Yield(given)));
    s.blames("yield-of-held-dice", "15, claim 3", "nor does the sealer give them away", &table, "rule", "bob");
}

fn killed_by_ruling(s: &mut Scenario<'_>) {
    let (mut table, seal) = held_with("a set killed by ruling", true, |_| {});
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.send(Carol, ruling(Ruled::Kill(seal)));
    opens(&mut table, Bob, declaration);
    s.good("killed-by-ruling", "20, ruling 4", "a ruling takes it back, and the sealer opens", &table);
}

fn receipts(s: &mut Scenario<'_>) {
    let (mut table, seal) = held("held twice");
    table.send(Dora, holds(&[seal]));
    s.blames("held-twice", "33, receipt 1", "a second receipt for one seal", &table, "rule", "dora");

    let mut table = Table::officed("a contribution held", false, |_| {});
    let own = table.seal(Ann, SetKind::Contribution, "contribution/1");
    table.send(Dora, holds(&[own]));
    s.blames("holds-a-contribution", "33, receipt 1", "its revealer is its owner", &table, "rule", "dora");

    let mut table = Table::officed("one too many", false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let own = table.seal(Ann, SetKind::Contribution, "contribution/1");
    table.send(Dora, holds(&[seal, own]));
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    opens(&mut table, Dora, declaration);
    s.blames("one-too-many", "22, receipt 1", "the good seal is held all the same", &table, "rule", "dora");

    let mut table = Table::officed("nothing to hand back", false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.send(Dora, hands_back(&[seal]));
    s.blames("hands-back-nothing", "33, receipt 2", "it does not hold the set", &table, "rule", "dora");

    let mut table = Table::officed("time that goes back", false, |_| {});
    table.send(Dora, time(1_800_000_000));
    table.send(Dora, time(1_800_000_000));
    s.good("time-stands", "29, receipt 3", "twice in one second", &table);
    table.send(Dora, time(1_799_999_999));
    s.blames("time-goes-back", "29, receipt 3", "a clock does not go back", &table, "rule", "dora");

    for (file, who, body) in [
        ("epoch-by-a-player", Ann, epoch(1)),
        ("time-by-a-player", Bob, time(1)),
        ("epoch-by-the-referee", Carol, epoch(1)),
    ] {
        let (mut table, seal) = held_with(file, true, |_| {});
        table.send(who, body);
        let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
        opens(&mut table, Dora, declaration);
        let culprit = table.signer(who).role().to_string();
        s.blames(file, "13, letters 3", "it is nobody's but the office's, and does nothing", &table, "rule", &culprit);
    }
}

/// Which notes the office opens, and which it must not.
fn notes(s: &mut Scenario<'_>) {
    let choosing = |label: &str, by: Option<&str>, how: How, notes: bool| {
        held_with(label, false, |charter| {
            let by = by.map(role);
            charter.phases[0].decisions.push(Decision { by, how, name: name("orders") });
            holder(charter).notes = notes;
        })
    };
    let (mut table, seal) = choosing("a sealed choice", Some("bob"), How::Sealed, true);
    let note = table.seal(Bob, SetKind::Note, ORDERS);
    table.send(Dora, holds(&[note]));
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    opens(&mut table, Dora, declaration);
    let opened = note_opened(&table, Bob, Some(declaration), note);
    table.send(Dora, opened.clone());
    s.good("opens-a-choice", "5, 15", "dice and sealed choice, without Bob", &table);
    table.send(Bob, opened);
    s.good("choice-opened-by-both", "9", "his own reveal says the same", &table);

    let (mut table, _) = choosing("a choice that stays with its sealer", Some("bob"), How::Sealed, false);
    let note = table.seal(Bob, SetKind::Note, ORDERS);
    table.send(Dora, holds(&[note]));
    s.blames("notes-are-not-held", "5, receipt 1", "these terms leave notes to their sealers", &table, "rule", "dora");

    let (mut table, seal) = choosing("orders at once", None, How::Simultaneous, true);
    let notes = [Ann, Bob].map(|who| (who, table.seal(who, SetKind::Note, ORDERS)));
    table.send(Dora, holds(&notes.map(|(_, note)| note)));
    for (who, note) in notes {
        let opened = note_opened(&table, who, None, note);
        table.send(Dora, opened);
    }
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    opens(&mut table, Dora, declaration);
    s.good("opens-orders", "3, 7, secrets 9", "both orders at once, as soon as both are sealed", &table);

    let (mut table, _) = choosing("orders too early", None, How::Simultaneous, true);
    let note = table.seal(Ann, SetKind::Note, ORDERS);
    table.send(Dora, holds(&[note]));
    let opened = note_opened(&table, Ann, None, note);
    table.send(Dora, opened);
    s.blames("opens-orders-too-early", "15, reveal 7", "Bob has not sealed his", &table, "rule", "dora");

    let mut table = Table::officed("a standing note", false, |charter| {
        with_initiative(charter, Some("ann"));
        charter.phases[0].revealer = Revealer::Office;
    });
    roll(&mut table, Ann, &at(2), markers(&[]));
    s.good("course-without-deposit", "9", "a turn whose envelope Bob has opened by letter", &table);

    let mut table = Table::officed("a standing note that the office opens", false, |charter| {
        with_initiative(charter, Some("ann"));
        charter.phases[0].revealer = Revealer::Office;
    });
    let salt = table.fresh();
    let purpose = format!("{}/standing", at(2));
    let says = r#"{"order":"second"}"#;
    let note = table.bob.seal(table.terms(), SetKind::Note, &purpose, 1, salt, Some(says)).expect("a seal");
    let note = table.send(Bob, Body::Seal(note));
    let plain = table.seal(Bob, SetKind::Plain, &at(2));
    table.send(Dora, holds(&[note, plain]));
    let less = |dice: &[u64]| dice[0] + dice[1] < dice[2] + dice[3];
    let declaration = deal_on(&mut table, Ann, &at(2), Value::Object(markers(&[])), plain, &[6; 4], less);
    opens(&mut table, Dora, declaration);
    let opened = note_opened(&table, Bob, Some(declaration), note);
    table.send(Dora, opened);
    s.good("opens-a-standing-note", "5, 15, courses 13", "the turn is settled while Bob is away", &table);
}

fn epochs(s: &mut Scenario<'_>) {
    epoch_of_epochs(s);
    epoch_and_opened(s);
    epoch_then_declared(s);
    epoch_crosses(s);
}

fn epoch_of_epochs(s: &mut Scenario<'_>) {
    let (mut table, _, declaration) = declared("an epoch after a declaration");
    table.send(Dora, epoch(1_800_000_000));
    opens(&mut table, Bob, declaration);
    s.good("epoch", "27", "what was declared before keeps its dice; the sealer opens them", &table);
}

fn epoch_and_opened(s: &mut Scenario<'_>) {
    let (mut table, _, declaration) = declared("the office opens after its epoch");
    table.send(Dora, epoch(1_800_000_000));
    opens(&mut table, Dora, declaration);
    s.blames(
        "epoch-and-opened",
        "20, 27, reveal 1",
        "what was held before is not opened any more",
        &table,
        "rule",
        "dora",
    );
}

fn epoch_then_declared(s: &mut Scenario<'_>) {
    let (mut table, seal) = held("a declaration after an epoch");
    table.send(Dora, epoch(1_800_000_000));
    table.declare(Ann, FIRST, example_attacks(), seal);
    s.blames("epoch-then-declared", "27, declare 6", "the set is dead for her", &table, "rule", "ann");
}

fn epoch_crosses(s: &mut Scenario<'_>) {
    let (mut table, seal) = held("a declaration that crosses an epoch");
    table.post(Dora, epoch(1_800_000_000));
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    [Ann, Bob, Dora].into_iter().for_each(|who| table.arrive(who));
    opens(&mut table, Bob, declaration);
    s.good("epoch-crosses", "27", "she had not heard of it", &table);

    let (mut table, _) = held("sealed anew after an epoch");
    table.send(Dora, epoch(1_800_000_000));
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.send(Dora, holds(&[seal]));
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    opens(&mut table, Dora, declaration);
    s.good("epoch-then-sealed-anew", "27, seal 4", "another set for the same purpose, and all goes on", &table);

    let mut table = Table::officed("an old set deposited after an epoch", false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.send(Dora, epoch(1_800_000_000));
    table.send(Dora, holds(&[seal]));
    s.blames("epoch-then-deposited", "33, receipt 1", "it may have been held before", &table, "rule", "dora");

    let (mut table, _) = held("a note outlives an epoch");
    let note = table.seal(Bob, SetKind::Note, "1/1/ann-first/1/moves");
    table.send(Dora, epoch(1_800_000_000));
    assert_ne!(table.seal(Bob, SetKind::Note, "1/1/ann-first/1/moves"), note);
    s.blames("epoch-spares-notes", "27, seal 4", "a second note for one purpose", &table, "rule", "bob");
}

/// The office after its accept, its receipt, and one or two letters that a restore loses. Parties who saw these letters
/// go on from them.
fn restored(s: &mut Scenario<'_>) {
    let lost = |label: &str, letters: u64| {
        let (mut table, seal, declaration) = declared(label);
        let kept = table.signer(Dora).next_head(epoch(0).kind());
        let kept = (kept.number - 1, kept.prev.expect("its receipt"));
        let reveal = table.reveal_body(Bob, declaration);
        table.post(Dora, Body::Reveal(reveal));
        for _ in 1..letters {
            table.post(Dora, time(1_700_000_000));
        }
        (table, seal, kept)
    };
    let explained: &[(&str, Option<&str>)] = &[("chain", None)];

    let (mut table, _, kept) = lost("a restored office", 1);
    let began = behind(&mut table, kept, epoch(1_800_000_000));
    for who in [Ann, Bob] {
        sees(&mut table, who, began);
        table.arrive(who);
        sees(&mut table, who, began);
    }
    table.seal(Bob, SetKind::Coin, "2/1/ann-first/1");
    s.ends(
        "restored",
        "22, 25",
        "it had opened, and lost that letter: nobody is blamed",
        &table,
        "verified",
        explained,
    );

    let (mut table, _, kept) = lost("a restored office, and players ahead of it", 3);
    [Ann, Bob].into_iter().for_each(|who| table.arrive(who));
    table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let began = behind(&mut table, kept, epoch(1_800_000_000));
    for who in [Ann, Bob] {
        sees(&mut table, who, began);
        let purpose = if who == Ann { "2/1/bob-first/1" } else { "2/1/ann-first/1" };
        let seal = table.seal_body(who, SetKind::Coin, purpose);
        table.post(who, Body::Seal(seal));
    }
    s.ends(
        "restored-behind",
        "25, chain 3",
        "whoever had seen its letter 5 goes on from its epoch, letter 3",
        &table,
        "verified",
        explained,
    );

    let (mut table, _, kept) = lost("restored without a word", 1);
    behind(&mut table, kept, time(1_800_000_000));
    s.blames("restored-without-epoch", "25, chain 8", "a fork like any other", &table, "chain", "dora");

    let (mut table, _, kept) = lost("restored twice", 1);
    behind(&mut table, kept, epoch(1_800_000_000));
    behind(&mut table, kept, epoch(1_800_000_001));
    s.ends("restored-twice", "25", "two epochs and one letter more: all act", &table, "verified", explained);

    // An epoch that is kept secret takes back nothing that was done before it was shown.
    let (mut table, seal) = held("an epoch from a drawer");
    let kept = table.signer(Dora).next_head(epoch(0).kind());
    let kept = (kept.number - 1, kept.prev.expect("its receipt"));
    table.send(Dora, hands_back(&[seal]));
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    opens(&mut table, Bob, declaration);
    behind(&mut table, kept, epoch(1_800_000_000));
    s.ends(
        "epoch-from-a-drawer",
        "22, 25",
        "a hand-back on another branch has done what it did",
        &table,
        "verified",
        explained,
    );
}

/// More sets that the office opens, and receipts that it lost.
fn others(s: &mut Scenario<'_>) {
    stall_withdrawn(s);
    foul_up(s);
}

fn stall_withdrawn(s: &mut Scenario<'_>) {
    let (mut table, _, declaration) = declared("a stall that is withdrawn");
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    table.send(Ann, Body::Claim(Claim::Withdraw(claim)));
    opens(&mut table, Bob, declaration);
    s.good("stall-withdrawn", "9", "she has given the office up once, and that is enough", &table);
}

fn foul_up(s: &mut Scenario<'_>) {
    let (mut table, seal) = held_with("a foul-up set with the office", false, |charter| {
        charter.foul_up.revealer = Revealer::Office;
    });
    let foul_up = table.seal(Bob, SetKind::FoulUp, "foul-up/1");
    table.send(Dora, holds(&[foul_up]));
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    opens(&mut table, Dora, declaration);
    let corrected = table.corrected_attacks();
    let proposal = table.propose(Bob, declaration, Some(corrected.clone()));
    let acceptance = table.send(Ann, Body::Correct(Correct::Accept(proposal)));
    let redo = table.redo(Ann, FIRST, corrected, foul_up, Redo::Agreed(acceptance));
    opens(&mut table, Dora, redo);
    s.good("foul-up", "5, 15", "a redo from a foul-up set is opened at once, too", &table);

    let (mut table, _) = held("a sheet that an epoch kills");
    let sheet = table.seal(Bob, SetKind::Sheet, "sheet/1");
    table.send(Dora, holds(&[sheet]));
    let old = table.declare(Ann, SECOND, cells(&["A1"]), sheet);
    table.send(Dora, epoch(1_800_000_000));
    opens(&mut table, Bob, old);
    let anew = table.seal(Bob, SetKind::Sheet, "sheet/1");
    table.send(Dora, holds(&[anew]));
    let after = table.declare(Ann, "2/2/ann-second/1", cells(&["A1"]), anew);
    opens(&mut table, Dora, after);
    s.good("epoch-kills-a-sheet", "27, seal 4", "the old one ends where it was, and another takes its name", &table);
    table.declare(Ann, "3/2/ann-second/1", cells(&["A2"]), sheet);
    s.blames("epoch-then-an-old-cell", "27, declare 6", "a cell of the dead sheet", &table, "rule", "ann");

    // The office lost a receipt that is in the past of Ann's declaration.
    for (file, opener, culprit) in [("receipt-lost", Bob, None), ("receipt-lost-and-opened", Dora, Some("dora"))] {
        let mut table = Table::officed(file, false, |_| {});
        let seal = table.seal(Bob, SetKind::Coin, FIRST);
        let kept = table.signer(Dora).next_head(epoch(0).kind());
        let kept = (kept.number - 1, kept.prev.expect("its accept"));
        table.send(Dora, holds(&[seal]));
        let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
        let began = behind(&mut table, kept, epoch(1_800_000_000));
        sees(&mut table, Bob, began);
        let reveal = Body::Reveal(table.reveal_body(Bob, declaration));
        if opener == Bob {
            table.post(Bob, reveal);
        } else {
            let head = Head { number: kept.0 + 2, prev: Some(began), ..table.signer(Dora).next_head(reveal.kind()) };
            table.forge(head, reveal, &key("key of dora"));
        }
        let mut findings: Vec<(&str, Option<&str>)> = vec![("chain", None)];
        findings.extend(culprit.map(|culprit| ("rule", Some(culprit))));
        let verdict = if culprit.is_some() { "refuted" } else { "verified" };
        s.ends(file, "9, 11", "what a lost receipt did is a fact, and so is the epoch", &table, verdict, &findings);
    }
}

/// Ann signs two declarations for one slot: she shows one to the office and one to Bob.
fn forks(s: &mut Scenario<'_>) {
    let two = |label: &str| {
        let (mut table, seal) = held(label);
        let first = table.declaration(Ann, FIRST, example_attacks(), seal, None);
        let second = table.declaration(Ann, FIRST, example_attacks(), seal, None);
        let head = table.signer(Ann).next_head(Body::Declare(Box::new(first.clone())).kind());
        let first = table.forge(head.clone(), Body::Declare(Box::new(first)), &key("key of ann"));
        let second = table.forge(head, Body::Declare(Box::new(second)), &key("key of ann"));
        (table, seal, first, second)
    };
    let fork: &[(&str, Option<&str>)] = &[("chain", Some("ann"))];
    let opening = |table: &Table, seal: Hex32, declaration: Hex32| {
        let keys = vec![Key(2, table.key_of(Bob, seal, 2, 0))];
        Body::Reveal(Reveal { declaration: Some(declaration), keys, seal, sheets: Vec::new() })
    };

    let (mut table, seal, first, second) = two("the office chooses a branch");
    sees(&mut table, Dora, first);
    let reveal = opening(&table, seal, first);
    table.post(Dora, reveal);
    sees(&mut table, Bob, second);
    table.post(Bob, stall_nothing());
    s.ends(
        "chooses-a-branch",
        "chain 12",
        "the dice that the office opened stand, whatever Bob has seen",
        &table,
        "refuted",
        fork,
    );

    let (mut table, seal, first, second) = two("office and sealer open two");
    sees(&mut table, Dora, first);
    let reveal = opening(&table, seal, first);
    table.post(Dora, reveal);
    sees(&mut table, Bob, second);
    let reveal = opening(&table, seal, second);
    table.post(Bob, reveal);
    let opened_for_both: &[(&str, Option<&str>)] = &[("chain", Some("ann")), ("rule", None)];
    s.ends(
        "two-branches-opened",
        "chain 12, 14",
        "neither knew of the other: nothing stands, and Bob opened in good faith",
        &table,
        "refuted",
        opened_for_both,
    );

    let (mut table, seal, first, second) = two("the sealer knows what the office opened");
    sees(&mut table, Dora, first);
    let reveal = opening(&table, seal, first);
    table.post(Dora, reveal);
    table.arrive(Bob);
    sees(&mut table, Bob, second);
    let reveal = opening(&table, seal, second);
    table.post(Bob, reveal);
    s.ends(
        "second-opening-knows-the-first",
        "chain 11, 14",
        "the first opening stands; Bob should have asked for what it names",
        &table,
        "refuted",
        &[("chain", Some("ann")), ("rule", Some("bob"))],
    );
}

/// An office that holds no keys: what it may sign, and what it must not.
fn time_witness(s: &mut Scenario<'_>) {
    const NOON: u64 = 1_800_000_000;
    let mut table = Table::witnessed("a time witness tells the time", true, with_deadlines);
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let sheet = table.seal(Bob, SetKind::Sheet, "sheet/1");
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.send(Dora, time(NOON));
    opens(&mut table, Bob, declaration);
    let second = table.declare(Ann, SECOND, cells(&["A1", "A2"]), sheet);
    table.send(Dora, time(NOON + 60));
    let claim = table.send(Ann, stall(Some(second), Step::Reveal));
    table.send(Dora, time(NOON + 120));
    let request = table.send(Carol, ruling(Ruled::Request(claim)));
    table.send(Dora, time(NOON + 180));
    table.send(Dora, time(NOON + 180 + 30 * 86_400));
    table.send(Carol, ruling(Ruled::Forfeit(RuledForfeit { forfeit: Forfeit::DeclarerNames, request })));
    s.good(
        "time-witness-stamps",
        "29, 34",
        "a time for each declaration, the stall, the request and its days; dice are opened, or forfeited, by their sealer",
        &table,
    );

    let sealed = |label: &str| {
        let mut table = Table::witnessed(label, false, |_| {});
        let seal = table.seal(Bob, SetKind::Coin, FIRST);
        (table, seal)
    };
    let (mut table, seal) = sealed("a time witness confirms a deposit");
    table.send(Dora, holds(&[seal]));
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    opens(&mut table, Bob, declaration);
    s.blames("time-witness-deposit", "34, receipt 1", "it has no key to hold any with", &table, "rule", "dora");

    let (mut table, seal) = sealed("a time witness hands a set back");
    table.send(Dora, hands_back(&[seal]));
    s.blames("time-witness-hand-back", "34, receipt 2", "no set is ever with it", &table, "rule", "dora");

    let (mut table, seal) = sealed("a time witness opens");
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    opens(&mut table, Dora, declaration);
    s.blames(
        "time-witness-reveal",
        "34, reveal 1",
        "whoever gave it the key: it opens nothing",
        &table,
        "rule",
        "dora",
    );

    let (mut table, seal) = sealed("a time witness begins an epoch");
    table.send(Dora, epoch(NOON));
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    opens(&mut table, Bob, declaration);
    s.good("time-witness-epoch", "27, 34", "its epoch kills no set: it could have opened none", &table);

    let (mut table, _) = sealed("a note that names a time witness");
    let mut note = table.seal_body(Bob, SetKind::Note, "1/1/ann-first/1/moves");
    note.revealer = role("dora");
    table.send(Bob, Body::Seal(note));
    s.blames("time-witness-in-a-seal", "5, 34, seal 1", "a sealer opens their own sets", &table, "rule", "bob");
}

/// Returns a letter from Bob that asks for nothing.
fn stall_nothing() -> Body {
    Body::Claim(Claim::Stall(sealed_dice::blob::disputes::Stall {
        letter: None,
        owes: role("ann"),
        step: Step::Answer,
        text: "well?".into(),
    }))
}

/// Returns a receipt from the office that tells the time.
pub(crate) fn told() -> Letter {
    let mut table = Table::officed("what time it is", false, |_| {});
    table.send(Dora, time(1_800_000_000));
    table.letters.pop().expect("a letter")
}

/// What a charter says about an office.
pub(crate) fn charters(s: &mut Scenario<'_>) {
    let table = Table::officed("an office", true, |_| {});
    s.good("office", "1, 12, office 1", "a referee and an office, which accept before Bob", &table);

    let table = Table::officed("an office with a key of small order", false, |charter| {
        holder(charter).key = Hex32([0; 32]);
    });
    s.blames("office-key-of-small-order", "6", "everybody could open what is wrapped to it", &table, "rule", "ann");

    let table = Table::begin_with("an office that is not there", |charter| charter.foul_up.revealer = Revealer::Office);
    s.blames("no-office-to-reveal", "6", "there is none", &table, "rule", "ann");

    let table = Table::witnessed("a time witness", true, |_| {});
    s.good("time-witness", "1, office 34", "an office that holds no keys", &table);

    let table = Table::witnessed("a time witness as revealer", false, |charter| {
        charter.phases[0].revealer = Revealer::Office;
    });
    s.blames("time-witness-as-revealer", "6", "it has nothing to open with", &table, "rule", "ann");

    let table = Table::witnessed("a time witness for foul-ups", false, |charter| {
        charter.foul_up.revealer = Revealer::Office;
    });
    s.blames("time-witness-for-foul-ups", "6", "it has nothing to open with", &table, "rule", "ann");

    let table = Table::officed("sheets of two revealers", false, |charter| {
        let sheets = charter.phases.iter_mut().find(|phase| phase.source == Source::Sheet);
        sheets.expect("a phase with a sheet").revealer = Revealer::Sealer;
    });
    s.blames("sheets-of-two-revealers", "6", "one sheet, one revealer", &table, "rule", "ann");

    let table = Table::officed("an office with the referee's key", true, |charter| {
        let of_referee = charter.referee.as_ref().expect("a referee").key;
        charter.office.as_mut().expect("an office").key = of_referee;
    });
    s.blames("office-with-the-referees-key", "6", "keys differ", &table, "rule", "ann");
}
