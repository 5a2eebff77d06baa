//! Games in which something is kept secret, something goes wrong between people, or a folder is restored.

use sealed_dice::blob::{
    Body, Head,
    body::{
        Charter, Contribution, Correct, Deadline, Decision, Forfeit, Hex32, How, Key, Redo, Reveal, SealedContribution,
        SetKind, Step, Voiding,
    },
    disputes::{Claim, Dispute, Names, Ruled, RuledForfeit, Ruling, Scope, ScopeImpulse, ScopeRolls, Stall, Yield},
    resync::{Answer, Resync},
};

use crate::{
    games::Scenario,
    kit::{Ann, Bob, Carol, Table, Who, bytes, cells, example_attacks, key, name, role},
};

const FIRST: &str = "1/1/ann-first/1";
const SECOND: &str = "1/2/ann-second/1";

fn reveal_of(table: &Table, who: Who, declaration: Option<Hex32>, seal: Hex32, index: u64) -> Body {
    let key = table.key_of(who, seal, index, 0);
    Body::Reveal(Reveal { declaration, keys: vec![Key(index, key)], seal, sheets: vec![] })
}

/// Begins a game in which Ann's first phase is private, and Ann has sealed her own contributions.
fn private(label: &str) -> (Table, Hex32, Hex32) {
    let mut table = Table::begin_with(label, |charter| charter.phases[0].private = true);
    let own = table.seal(Ann, SetKind::Contribution, "contribution/1");
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    (table, own, seal)
}

fn declare_private(table: &mut Table, seal: Hex32, own: Hex32, index: u64) -> Hex32 {
    table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| {
        declare.contribution = Some(Contribution::Sealed(SealedContribution { index, seal: own }));
    })
}

/// Begins a game whose first phase requires a decision.
pub(crate) fn choosing(label: &str, by: Option<&str>, how: How) -> (Table, Hex32) {
    let mut table = Table::begin_with(label, |charter| {
        charter.phases[0].decisions.push(Decision { by: by.map(role), how, name: name("orders") });
    });
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    (table, seal)
}

pub(crate) fn secrets(s: &mut Scenario<'_>) {
    answered(s);
    closed(s);
    shown_too_early(s);
    another_contribution(s);
    picked_contribution(s);
    open_in_private(s);
    sealed_in_open(s);
    choice_sealed(s);
    choice_killed(s);
    choice_stays_closed(s);
    closed_unshown(s);
    choice_missing(s);
    orders(s);
    orders_not_opened(s);
}

fn answered(s: &mut Scenario<'_>) {
    let (mut table, own, seal) = private("a private roll");
    let declaration = declare_private(&mut table, seal, own, 0);
    table.reveal(Bob, declaration);
    s.good("answered", "1 to 3", "Ann knows her dice, nobody else does: no rolls yet", &table);
    let shown = reveal_of(&table, Ann, Some(declaration), own, 0);
    table.send(Ann, shown);
    s.good("shown", "4", "she opens her own envelope: the dice are there", &table);
}

fn closed(s: &mut Scenario<'_>) {
    let (mut table, own, seal) = private("private until the close");
    let declaration = declare_private(&mut table, seal, own, 0);
    table.reveal(Bob, declaration);
    table.close_all();
    s.good("closed", "4", "the masters of the close show the rolls", &table);
}

fn shown_too_early(s: &mut Scenario<'_>) {
    let (mut table, own, seal) = private("shown too early");
    let declaration = declare_private(&mut table, seal, own, 0);
    let shown = reveal_of(&table, Ann, Some(declaration), own, 0);
    table.send(Ann, shown);
    s.blames("shown-too-early", "4, reveal 6", "the contribution before the dice", &table, "rule", "ann");
}

fn another_contribution(s: &mut Scenario<'_>) {
    let (mut table, own, seal) = private("another contribution");
    let declaration = declare_private(&mut table, seal, own, 0);
    table.reveal(Bob, declaration);
    let shown = reveal_of(&table, Ann, Some(declaration), own, 1);
    table.send(Ann, shown);
    s.blames(
        "another-contribution",
        "4, reveal 4",
        "Ann opens envelope 1 of her own, and declared with 0",
        &table,
        "rule",
        "ann",
    );
}

fn picked_contribution(s: &mut Scenario<'_>) {
    let (mut table, own, seal) = private("a picked contribution");
    declare_private(&mut table, seal, own, 1);
    s.blames("picked-contribution", "declare 8", "index 1 while 0 is left", &table, "rule", "ann");
}

fn open_in_private(s: &mut Scenario<'_>) {
    let (mut table, _, seal) = private("an open contribution in a private phase");
    table.declare(Ann, FIRST, example_attacks(), seal);
    s.blames("open-in-private", "1, declare 8", "a private phase takes a sealed contribution", &table, "rule", "ann");
}

fn sealed_in_open(s: &mut Scenario<'_>) {
    let (mut table, seal) = choosing("a sealed contribution in an open phase", None, How::Simultaneous);
    let own = table.seal(Ann, SetKind::Contribution, "contribution/1");
    for who in [Ann, Bob] {
        table.seal(who, SetKind::Note, "1/1/ann-first/1/orders");
    }
    open_orders(&mut table);
    declare_private(&mut table, seal, own, 0);
    s.blames("sealed-in-open", "1, declare 8", "an open phase takes an open contribution", &table, "rule", "ann");
}

fn choice_sealed(s: &mut Scenario<'_>) {
    let (mut table, seal) = choosing("a sealed choice", Some("bob"), How::Sealed);
    let note = table.seal(Bob, SetKind::Note, "1/1/ann-first/1/orders");
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, declaration);
    s.good("choice-sealed", "7", "Bob's choice is fixed and not read yet", &table);
    let opened = reveal_of(&table, Bob, Some(declaration), note, 0);
    table.send(Bob, opened);
    s.good("choice-opened", "8", "and opened after the declaration", &table);
}

/// The referee kills Bob's choice when the dice are known.
fn choice_killed(s: &mut Scenario<'_>) {
    let play = |label: &str| {
        let mut table = Table::refereed(label, |charter| {
            let by = Some(role("bob"));
            charter.phases[0].decisions.push(Decision { by, how: How::Sealed, name: name("orders") });
        });
        let seal = table.seal(Bob, SetKind::Coin, FIRST);
        let note = table.seal(Bob, SetKind::Note, "1/1/ann-first/1/orders");
        let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
        table.reveal(Bob, declaration);
        table.send(Carol, ruling(Ruled::Kill(note)));
        (table, note, declaration)
    };
    let (mut table, note, declaration) = play("a choice that is killed too late");
    let opened = reveal_of(&table, Bob, Some(declaration), note, 0);
    table.send(Bob, opened);
    s.good("choice-killed-and-opened", "8", "the declaration found this note, and it is still the choice", &table);

    let (mut table, _, declaration) = play("another choice");
    let other = table.seal(Bob, SetKind::Note, "1/1/ann-first/1/orders");
    let opened = reveal_of(&table, Bob, Some(declaration), other, 0);
    table.send(Bob, opened);
    s.blames(
        "choice-killed-after-the-declaration",
        "8, reveal 2",
        "Bob would choose again, now that he knows the dice",
        &table,
        "rule",
        "bob",
    );
}

fn choice_stays_closed(s: &mut Scenario<'_>) {
    let (mut table, seal) = choosing("a choice that stays closed", Some("bob"), How::Sealed);
    let note = table.seal(Bob, SetKind::Note, "1/1/ann-first/1/orders");
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, declaration);
    table.send(Ann, stall(Some(note), Step::Reveal));
    s.ends(
        "choice-stays-closed",
        "8, claim 1",
        "not opening it is silence, and silence can be claimed",
        &table,
        "undecided",
        &[],
    );

    let (mut table, _) = choosing("a second note", Some("bob"), How::Sealed);
    table.seal(Bob, SetKind::Note, "1/1/ann-first/1/orders");
    table.seal(Bob, SetKind::Note, "1/1/ann-first/1/orders");
    s.blames(
        "second-note",
        "11, seal 4",
        "one note a purpose: nobody has a second one to choose from",
        &table,
        "rule",
        "bob",
    );
}

fn closed_unshown(s: &mut Scenario<'_>) {
    let (mut table, own, seal) = private("private and never shown");
    let declaration = declare_private(&mut table, seal, own, 0);
    table.reveal(Bob, declaration);
    table.close(Ann);
    table.close(Bob);
    s.good(
        "closed-unshown",
        "4",
        "Ann has stopped and sends no masters: her rolls stay unproved, and the report says so",
        &table,
    );
}

fn choice_missing(s: &mut Scenario<'_>) {
    let (mut table, seal) = choosing("no sealed choice", Some("bob"), How::Sealed);
    table.declare(Ann, FIRST, example_attacks(), seal);
    s.blames(
        "choice-missing",
        "7, declare 7",
        "Bob would know the dice before he chooses: invalid",
        &table,
        "rule",
        "ann",
    );
}

fn orders(s: &mut Scenario<'_>) {
    let (mut table, seal) = choosing("orders at once", None, How::Simultaneous);
    for who in [Ann, Bob] {
        table.seal(who, SetKind::Note, "1/1/ann-first/1/orders");
    }
    open_orders(&mut table);
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, declaration);
    s.good("orders", "9", "both seal, both open, then the dice", &table);

    let (mut table, _) = choosing("orders opened too early", None, How::Simultaneous);
    let note = table.seal(Ann, SetKind::Note, "1/1/ann-first/1/orders");
    let opened = reveal_of(&table, Ann, None, note, 0);
    table.send(Ann, opened);
    s.blames("orders-too-early", "11, reveal 7", "Bob has not sealed his", &table, "rule", "ann");
    let (mut table, _) = choosing("orders opened for a branch that fell", None, How::Simultaneous);
    let note = table.seal(Ann, SetKind::Note, "1/1/ann-first/1/orders");
    let orders = Body::Seal(table.seal_body(Bob, SetKind::Note, "1/1/ann-first/1/orders"));
    let head = head_of(&table, Bob, &orders);
    let fallen = table.forge(head, orders, &key("key of bob"));
    table.seal(Bob, SetKind::Coin, "2/1/ann-first/1");
    table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let opened =
        Body::Reveal(Reveal { declaration: None, keys: vec![Key(0, bytes("no key"))], seal: note, sheets: vec![] });
    let mut head = head_of(&table, Ann, &opened);
    head.seen.insert(role("bob"), Some(fallen));
    table.forge(head, opened, &key("key of ann"));
    s.ends(
        "orders-with-a-wrong-key",
        "11, reveal 5, chain 14",
        "Bob's orders are on a branch that fell, and Ann had sided with the other before: nothing excuses her key",
        &table,
        "refuted",
        &[("chain", Some("bob")), ("rule", Some("ann"))],
    );
}

fn orders_not_opened(s: &mut Scenario<'_>) {
    let (mut table, seal) = choosing("orders not opened", None, How::Simultaneous);
    for who in [Ann, Bob] {
        table.seal(who, SetKind::Note, "1/1/ann-first/1/orders");
    }
    table.declare(Ann, FIRST, example_attacks(), seal);
    s.blames("orders-not-opened", "9, declare 7", "dice before both have opened their orders", &table, "rule", "ann");

    let (mut table, _) = choosing("no orders", None, How::Simultaneous);
    let note = table.seal(Ann, SetKind::Note, "1/1/ann-first/1/other");
    let opened = reveal_of(&table, Ann, None, note, 0);
    table.send(Ann, opened);
    s.blames("note-without-declaration", "9, reveal 2", "a note that is no order", &table, "rule", "ann");
}

pub(crate) fn open_orders(table: &mut Table) {
    for (who, role) in [(Ann, "ann"), (Bob, "bob")] {
        let sealed = |letter: &&sealed_dice::game::steps::Letter| {
            let head = letter.message.head();
            head.author.as_str() == role
                && matches!(letter.message.body(), Body::Seal(seal) if seal.purpose.ends_with("orders"))
        };
        let note = table.letters.iter().find(sealed).expect("orders").message.id();
        let opened = reveal_of(table, who, None, note, 0);
        table.send(who, opened);
    }
}

fn void(scope: Scope) -> Body {
    Body::Correct(Correct::Void(Voiding { reason: "the bridge was down".into(), scope }))
}

pub(crate) fn ruling(rule: Ruled) -> Body {
    Body::Ruling(Ruling { rule, text: "heard both".into() })
}

/// Plays a turn of two impulses, both opened, with or without a referee.
fn turn(label: &str, refereed: bool, change: impl FnOnce(&mut Charter)) -> (Table, Hex32, Hex32) {
    let mut table = if refereed { Table::refereed(label, change) } else { Table::begin_with(label, change) };
    let sheet = table.seal(Bob, SetKind::Sheet, "sheet/1");
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let first = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, first);
    let second = table.declare(Ann, SECOND, cells(&["A1", "A2"]), sheet);
    table.reveal(Bob, second);
    (table, first, second)
}

pub(crate) fn voids(s: &mut Scenario<'_>) {
    let scope = |declaration| Scope::Rolls(ScopeRolls { declaration, lines: vec![2] });
    let (mut table, first, _) = turn("this battle", false, |_| {});
    let proposal = table.send(Ann, void(scope(first)));
    s.good("proposed", "4", "a void waits for the other's signature", &table);
    table.send(Bob, Body::Correct(Correct::Accept(proposal)));
    s.good("battle", "1, 4", "the second battle does not count, by both", &table);
    let again = table.send(Bob, void(Scope::Declaration(first)));
    table.send(Ann, Body::Correct(Correct::Accept(again)));
    s.good(
        "battle-then-all",
        "2, 4",
        "then all of the declaration: each roll is void by the first letter that voids it",
        &table,
    );
    table.send(Ann, void(scope(first)));
    s.blames("twice", "2, correct 5", "nothing is left to void", &table, "rule", "ann");

    let (mut table, first, second) = turn("all of the impulse", false, |_| {});
    let impulse = |declarations: &[Hex32]| {
        let mut declarations = declarations.to_vec();
        declarations.sort();
        Scope::Impulse(ScopeImpulse { declarations, impulse: 1, turn: 1 })
    };
    let proposal = table.send(Bob, void(impulse(&[first])));
    table.send(Ann, Body::Correct(Correct::Accept(proposal)));
    s.good("impulse", "1, 4", "the first impulse does not count, the second stands", &table);
    let (mut table, first, _) = turn("too much of an impulse", false, |_| {});
    table.send(Bob, void(impulse(&[first, second])));
    s.ends("impulse-and-more", "2", "it names a declaration that is not at hand", &table, "undecided", &[]);
    let (mut table, first, second) = turn("a declaration of another impulse", false, |_| {});
    table.send(Bob, void(impulse(&[first, second])));
    s.blames(
        "another-impulse",
        "2, correct 5",
        "a declaration of the second impulse in the scope of the first",
        &table,
        "rule",
        "bob",
    );

    let (mut table, first, _) = turn("a void refused", false, |_| {});
    let proposal = table.send(Ann, void(Scope::Declaration(first)));
    table.send(Bob, Body::Correct(Correct::Refuse(proposal)));
    s.good("refused", "4", "the dice stand", &table);

    let (mut table, first, _) = turn("hard core", false, |charter| {
        charter.hard_core = true;
        charter.foul_up.remedies.illegal_odds = sealed_dice::blob::body::Remedy::Keep;
    });
    table.send(Ann, void(Scope::Declaration(first)));
    s.blames("hard-core", "2, correct 5", "hard core knows no void", &table, "rule", "ann");

    let (mut table, first, _) = turn("a line that is not there", false, |_| {});
    table.send(Ann, void(Scope::Rolls(ScopeRolls { declaration: first, lines: vec![4] })));
    s.blames("no-such-line", "2, correct 5", "three rolls, and the void is of a fourth", &table, "rule", "ann");

    let mut table = Table::begin("a void before the reveal");
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.send(Bob, void(Scope::Declaration(declaration)));
    s.blames(
        "before-the-reveal",
        "2, correct 5",
        "first the reveal: Bob knows the dice and Ann does not",
        &table,
        "rule",
        "bob",
    );

    let (mut table, first, _) = turn("a foul-up in void dice", false, |_| {});
    let proposal = table.send(Ann, void(scope(first)));
    table.send(Bob, Body::Correct(Correct::Accept(proposal)));
    table.propose(Bob, first, None);
    s.blames("then-a-foul-up", "4, correct 1", "dice that do not count are not to be mended", &table, "rule", "bob");

    let (mut table, _, declaration) = waiting("a void of dice by forfeit", false);
    let given = Yield { declaration: Some(declaration), forfeit: Forfeit::DeclarerNames, text: String::new() };
    let forfeit = table.send(Bob, Body::Claim(Claim::Yield(given)));
    table.send(Ann, names(declaration, forfeit, &[6, 5, 6]));
    let proposal = table.send(Bob, void(Scope::Declaration(declaration)));
    table.send(Ann, Body::Correct(Correct::Accept(proposal)));
    s.good("of-named-dice", "2", "dice that were named can be void, too, though no key is opened", &table);

    // A redo is agreed on, and then the dice are voided, so no new dice are rolled for them.
    let mut table = Table::begin("a void ends a redo");
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let foul_up = table.seal(Bob, SetKind::FoulUp, "foul-up/1");
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, declaration);
    let corrected = table.corrected_attacks();
    let proposal = table.propose(Bob, declaration, Some(corrected.clone()));
    let acceptance = table.send(Ann, Body::Correct(Correct::Accept(proposal)));
    let voided = table.send(Bob, void(Scope::Declaration(declaration)));
    table.send(Ann, Body::Correct(Correct::Accept(voided)));
    s.good("ends-a-redo", "4", "the redo is not due any more", &table);
    table.redo(Ann, FIRST, corrected, foul_up, Redo::Agreed(acceptance));
    s.blames("then-a-redo", "4, declare 12", "new dice for what is void", &table, "rule", "ann");
}

pub(crate) fn stall(letter: Option<Hex32>, step: Step) -> Body {
    Body::Claim(Claim::Stall(Stall { letter, owes: role("bob"), step, text: "three weeks".into() }))
}

fn names(declaration: Hex32, forfeit: Hex32, dice: &[u64]) -> Body {
    Body::Claim(Claim::Names(Names { declaration, dice: dice.to_vec(), forfeit }))
}

/// Plays a declaration that Bob has not opened.
fn waiting(label: &str, refereed: bool) -> (Table, Hex32, Hex32) {
    let deadline = |charter: &mut Charter| {
        for forfeit in [Forfeit::DeclarerNames, Forfeit::Game] {
            charter.deadlines.push(Deadline { days: 30, forfeit, step: Step::Reveal });
        }
    };
    let mut table = if refereed { Table::refereed(label, deadline) } else { Table::begin_with(label, deadline) };
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    (table, seal, declaration)
}

pub(crate) fn claims(s: &mut Scenario<'_>) {
    stall_of_claims(s);
    stall_after_the_reveal(s);
    stall_answered(s);
    stall_for_anothers_choice(s);
    stall_for_orders(s);
    yielded(s);
}

fn stall_of_claims(s: &mut Scenario<'_>) {
    let (mut table, _, declaration) = waiting("a stall", false);
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    s.ends(
        "stall",
        "claim 1, 4",
        "a claim rests on silence: undecided, and nobody is blamed",
        &table,
        "undecided",
        &[],
    );
    table.reveal(Bob, declaration);
    s.good("stall-ended", "8", "the reveal is there", &table);
    let (mut withdrawn, _, declaration) = waiting("a stall withdrawn", false);
    let other = withdrawn.send(Ann, stall(Some(declaration), Step::Reveal));
    withdrawn.send(Ann, Body::Claim(Claim::Withdraw(other)));
    s.good("stall-withdrawn", "claim 2", "the claim is taken back", &withdrawn);
    withdrawn.send(Ann, Body::Claim(Claim::Withdraw(other)));
    s.blames("withdrawn-twice", "claim 2", "there is nothing left to withdraw", &withdrawn, "rule", "ann");
    table.send(Bob, Body::Claim(Claim::Withdraw(claim)));
    s.blames("withdrawn-by-the-other", "claim 2", "a claim is its author's", &table, "rule", "bob");
}

fn stall_after_the_reveal(s: &mut Scenario<'_>) {
    let (mut table, _, declaration) = waiting("a stall after the reveal", false);
    table.reveal(Bob, declaration);
    table.send(Ann, stall(Some(declaration), Step::Reveal));
    s.blames("stall-after-the-reveal", "claim 5", "nothing is owed", &table, "rule", "ann");
}

fn stall_answered(s: &mut Scenario<'_>) {
    let (mut table, _, _) = waiting("a stall for an answer", false);
    table.send(Ann, stall(None, Step::Answer));
    let close = table.with_ledger(|ledger| table.signer(Bob).close(ledger, None));
    table.send(Bob, Body::Close(close));
    s.good("stall-answered", "8", "any letter that knows the claim is an answer", &table);
}

/// Ann has sealed a note with the name of a choice that is Bob's.
fn stall_for_anothers_choice(s: &mut Scenario<'_>) {
    let (mut table, seal) = choosing("a stall for another's choice", Some("bob"), How::Sealed);
    table.seal(Bob, SetKind::Note, "1/1/ann-first/1/orders");
    let hers = table.seal(Ann, SetKind::Note, "1/1/ann-first/1/orders");
    table.declare(Ann, FIRST, example_attacks(), seal);
    let claim = Stall { letter: Some(hers), owes: role("ann"), step: Step::Reveal, text: "Open it.".into() };
    table.send(Bob, Body::Claim(Claim::Stall(claim)));
    s.blames("stall-for-anothers-choice", "claim 6", "the choice is Bob's: Ann owes nothing", &table, "rule", "bob");
}

fn stall_for_orders(s: &mut Scenario<'_>) {
    let (mut table, _) = choosing("a stall for orders", None, How::Simultaneous);
    let mine = table.seal(Ann, SetKind::Note, "1/1/ann-first/1/orders");
    let his = table.seal(Bob, SetKind::Note, "1/1/ann-first/1/orders");
    let opened = reveal_of(&table, Ann, None, mine, 0);
    table.send(Ann, opened);
    table.send(Ann, stall(Some(his), Step::Reveal));
    s.ends(
        "stall-for-orders",
        "claim 6",
        "Bob has read Ann's orders and keeps his own closed",
        &table,
        "undecided",
        &[],
    );
}

fn yielded(s: &mut Scenario<'_>) {
    let (mut table, _, declaration) = waiting("a yield", false);
    let given = Yield { declaration: Some(declaration), forfeit: Forfeit::DeclarerNames, text: "lost my disk".into() };
    let forfeit = table.send(Bob, Body::Claim(Claim::Yield(given)));
    s.good("yielded", "claim 3, 5", "Ann may name her dice", &table);
    table.send(Ann, names(declaration, forfeit, &[6, 5, 6]));
    s.good("named", "claim 4", "and does", &table);
    table.reveal(Bob, declaration);
    s.good("named-then-revealed", "14", "a key that comes later decides nothing", &table);

    let (mut table, _, declaration) = waiting("dice that do not fit", false);
    let given = Yield { declaration: Some(declaration), forfeit: Forfeit::DeclarerNames, text: String::new() };
    let forfeit = table.send(Bob, Body::Claim(Claim::Yield(given)));
    table.send(Ann, names(declaration, forfeit, &[6, 7, 6]));
    s.blames("seven", "claim 4", "a die of six sides shows no seven", &table, "rule", "ann");
    table.send(Ann, names(declaration, forfeit, &[6, 6]));
    s.ends(
        "two-dice",
        "claim 4",
        "two dice for three attacks",
        &table,
        "refuted",
        &[("rule", Some("ann")), ("rule", Some("ann"))],
    );

    let (mut table, _, declaration) = waiting("dice named twice", false);
    let given = Yield { declaration: Some(declaration), forfeit: Forfeit::DeclarerNames, text: String::new() };
    let forfeit = table.send(Bob, Body::Claim(Claim::Yield(given)));
    table.send(Ann, names(declaration, forfeit, &[6, 5, 6]));
    table.send(Ann, names(declaration, forfeit, &[6, 6, 6]));
    s.blames("named-twice", "claim 4", "the first dice stand, the second are a breach", &table, "rule", "ann");

    let (mut table, _, declaration) = waiting("dice named by an accept", false);
    let accept = table.letters[1].message.id();
    table.send(Ann, names(declaration, accept, &[6, 6, 6]));
    s.blames("named-by-an-accept", "letters 5", "neither a claim nor a ruling", &table, "rule", "ann");

    let (mut table, _, declaration) = waiting("dice named without a forfeit", false);
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    table.send(Ann, names(declaration, claim, &[6, 6, 6]));
    s.blames("named-without-forfeit", "claim 4", "a stall is no forfeit", &table, "rule", "ann");

    let (mut table, _, declaration) = waiting("a yield after the reveal", false);
    table.reveal(Bob, declaration);
    let given = Yield { declaration: Some(declaration), forfeit: Forfeit::DeclarerNames, text: String::new() };
    table.send(Bob, Body::Claim(Claim::Yield(given)));
    s.blames("yield-after-the-reveal", "claim 3", "nothing is owed", &table, "rule", "bob");

    let (mut table, ..) = waiting("the game given up", false);
    let given = Yield { declaration: None, forfeit: Forfeit::Game, text: "well played".into() };
    table.send(Bob, Body::Claim(Claim::Yield(given)));
    s.good("game-yielded", "claim 3, 6", "Bob gives up: said in the report, and nothing else", &table);

    let (mut table, first, _) = turn("a dispute", false, |_| {});
    table.send(Bob, Body::Claim(Claim::Dispute(Dispute { letters: vec![first], text: "ZOC".into() })));
    s.ends("dispute", "8", "a dispute stands until it is withdrawn or dismissed", &table, "undecided", &[]);
    table.close_all();
    s.good("dispute-complete", "8", "once the game is complete it is a matter of record", &table);

    let mut table = Table::refereed("a stall that a breach does not end", |_| {});
    let seal = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let claim = table.send(Ann, stall(None, Step::Declare));
    let declare = table.declaration(Bob, "1/1/bob-first/1", example_attacks(), seal, None);
    let mut head = head_of(&table, Bob, &Body::Declare(Box::new(declare.clone())));
    head.seen.insert(role("carol"), None);
    table.forge(head, Body::Declare(Box::new(declare)), &key("key of bob"));
    let message = table.letters.last().expect("a letter").message.clone();
    table.carol.as_mut().expect("a referee").see(&message);
    table.post(Carol, ruling(Ruled::Request(claim)));
    s.blames(
        "stall-not-ended",
        "4, letters 6",
        "Bob's declaration goes back in what he has seen: it does not count, and the stall stands",
        &table,
        "chain",
        "bob",
    );
}

pub(crate) fn rulings(s: &mut Scenario<'_>) {
    refereed_of_rulings(s);
    stall_after_the_game(s);
    request(s);
    by_a_player(s);
}

fn refereed_of_rulings(s: &mut Scenario<'_>) {
    let (table, ..) = turn("a game with a referee", true, |_| {});
    s.good("refereed", "17, 18", "a turn with a referee at the table", &table);
    let mut without = Table::refereed("the referee's accept is not here", |_| {});
    without.letters.remove(1);
    s.ends(
        "accept-missing",
        "17",
        "the opponent's accept names the referee's, which is not at hand",
        &without,
        "undecided",
        &[],
    );
}

fn stall_after_the_game(s: &mut Scenario<'_>) {
    let (mut table, _, declaration) = waiting("a stall after a forfeit of the game", true);
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    let request = table.send(Carol, ruling(Ruled::Request(claim)));
    table.send(Carol, ruling(Ruled::Forfeit(RuledForfeit { forfeit: Forfeit::Game, request })));
    table.send(Ann, stall(None, Step::Answer));
    s.good("stall-after-the-game", "8", "Bob has lost the game: nothing more is claimed from him", &table);
}

fn request(s: &mut Scenario<'_>) {
    let (mut table, _, declaration) = waiting("a forfeit by ruling", true);
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    let request = table.send(Carol, ruling(Ruled::Request(claim)));
    s.ends("request", "ruling 1", "the referee asks Bob, by number", &table, "undecided", &[]);
    let forfeit = Ruled::Forfeit(RuledForfeit { forfeit: Forfeit::DeclarerNames, request });
    let forfeit = table.send(Carol, ruling(forfeit));
    s.good("forfeit-ends-the-stall", "8, ruling 2", "the claim does not stand any more, named or not", &table);
    table.send(Ann, names(declaration, forfeit, &[6, 6, 6]));
    s.good("forfeit", "ruling 2", "Bob has not answered: Ann names her dice", &table);
    table.reveal(Bob, declaration);
    s.good("forfeit-then-revealed", "14", "the reveal comes too late", &table);
    table.send(Carol, ruling(Ruled::Void(Scope::Declaration(declaration))));
    s.good("named-and-void", "14, ruling 3", "the referee can void dice that were named", &table);

    let (mut table, _, declaration) = waiting("no request before", true);
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    let forfeit = Ruled::Forfeit(RuledForfeit { forfeit: Forfeit::DeclarerNames, request: claim });
    table.send(Carol, ruling(forfeit));
    s.blames("no-request", "ruling 2", "a forfeit without the referee's own request", &table, "rule", "carol");

    let (mut table, _, declaration) = waiting("answered in time", true);
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    let request = table.send(Carol, ruling(Ruled::Request(claim)));
    table.reveal(Bob, declaration);
    let forfeit = Ruled::Forfeit(RuledForfeit { forfeit: Forfeit::DeclarerNames, request });
    table.send(Carol, ruling(forfeit));
    s.blames("answered-in-time", "ruling 2", "Bob has revealed, and the referee has seen it", &table, "rule", "carol");
}

fn by_a_player(s: &mut Scenario<'_>) {
    let (mut table, first, _) = turn("a ruling by a player", true, |_| {});
    table.send(Ann, ruling(Ruled::Void(Scope::Declaration(first))));
    s.blames("by-a-player", "8, letters 3", "only the referee rules", &table, "rule", "ann");
    let seal = table.letters.iter().find_map(|letter| match letter.message.body() {
        Body::Seal(seal) => Some(seal.clone()),
        _ => None,
    });
    let (mut table, ..) = turn("a seal by the referee", true, |_| {});
    table.send(Carol, Body::Seal(seal.expect("a seal")));
    s.blames("referee-seals", "8, letters 3", "the referee signs nothing of the game", &table, "rule", "carol");

    let (mut table, first, _) = turn("a ruled void", true, |_| {});
    table.send(Carol, ruling(Ruled::Void(Scope::Declaration(first))));
    s.good("void", "ruling 3", "the referee voids the first impulse", &table);

    let mut table = Table::refereed("a killed set", |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.send(Carol, ruling(Ruled::Kill(seal)));
    let new = table.seal(Bob, SetKind::Coin, FIRST);
    let declaration = table.declare(Ann, FIRST, example_attacks(), new);
    table.reveal(Bob, declaration);
    s.good("killed-and-sealed-anew", "ruling 4, seal 4", "a dead set makes room for another", &table);
    let mut table = Table::refereed("a killed set used", |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.send(Carol, ruling(Ruled::Kill(seal)));
    table.declare(Ann, FIRST, example_attacks(), seal);
    s.blames("killed-and-used", "ruling 4, declare 6", "Ann declares on a dead set", &table, "rule", "ann");

    let mut table = Table::refereed("a killed choice", |charter| {
        let decision = Decision { by: Some(role("bob")), how: How::Sealed, name: name("orders") };
        charter.phases[0].decisions.push(decision);
    });
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let note = table.seal(Bob, SetKind::Note, "1/1/ann-first/1/orders");
    table.send(Carol, ruling(Ruled::Kill(note)));
    table.declare(Ann, FIRST, example_attacks(), seal);
    s.blames("killed-choice", "ruling 4, declare 7", "a dead note fixes no choice", &table, "rule", "ann");

    let (mut table, first, second) = turn("a fork of the referee", true, |_| {});
    let head = table.signer(Carol).next_head(sealed_dice::blob::Kind::Ruling);
    for id in [first, second] {
        table.forge(head.clone(), ruling(Ruled::Void(Scope::Declaration(id))), &key("key of carol"));
    }
    s.blames(
        "referee-forks",
        "chain 8, 12",
        "two rulings behind one letter, and nobody sides with either: neither takes effect",
        &table,
        "chain",
        "carol",
    );

    let mut table = Table::refereed("a settled breach", |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let breach = table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| declare.slot.turn = 2);
    table.send(Carol, ruling(Ruled::Settle(breach)));
    s.ends("settled", "ruling 5", "a slip that the referee forgives", &table, "verified", &[("rule", Some("ann"))]);

    let (mut table, first, _) = turn("a dispute dismissed", true, |_| {});
    let claim = table.send(Bob, Body::Claim(Claim::Dispute(Dispute { letters: vec![first], text: "ZOC".into() })));
    table.send(Carol, ruling(Ruled::Dismiss(claim)));
    s.good("dismissed", "ruling 6", "the claim stands no more", &table);
    table.send(Carol, ruling(Ruled::Dismiss(claim)));
    s.blames("dismissed-twice", "ruling 6", "nothing stands", &table, "rule", "carol");

    let (mut table, first, _) = turn("an answer that came through the referee", true, |_| {});
    table.propose(Ann, first, None);
    let body = Body::Seal(table.seal_body(Bob, SetKind::Coin, "2/1/ann-first/1"));
    let answer = table.post(Bob, body);
    table.arrive(Carol);
    let body = ruling(Ruled::Settle(answer));
    table.post(Carol, body);
    let message = table.letters.last().expect("a letter").message.clone();
    table.ann.see(&message);
    table.propose(Ann, first, None);
    s.good("answered-through-the-referee", "correct 3", "Bob's answer is in the past of what Ann has seen", &table);
    let (mut table, first, _) = turn("an answer by ruling", true, |_| {});
    let proposal = table.propose(Ann, first, None);
    table.post(Carol, ruling(Ruled::Agree(proposal)));
    let message = table.letters.last().expect("a letter").message.clone();
    table.ann.see(&message);
    table.propose(Ann, first, None);
    s.good("answered-by-ruling", "correct 3, ruling 7", "the referee agreed: Ann may propose again", &table);

    let mut table = Table::refereed("an agreement by ruling", |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let foul_up = table.seal(Bob, SetKind::FoulUp, "foul-up/1");
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, declaration);
    let corrected = table.corrected_attacks();
    let proposal = table.propose(Bob, declaration, Some(corrected.clone()));
    table.arrive(Carol);
    let agreed = table.send(Carol, ruling(Ruled::Agree(proposal)));
    let redo = table.redo(Ann, FIRST, corrected, foul_up, Redo::Agreed(agreed));
    table.reveal(Bob, redo);
    s.good("agreed", "ruling 7", "the referee agrees in Ann's place, and she rolls again", &table);
}

pub(crate) fn head_of(table: &Table, who: Who, body: &Body) -> Head {
    table.signer(who).next_head(body.kind())
}

/// Signs a message that is not in any chain.
fn unnumbered(table: &mut Table, who: Who, body: Body, label: &str) -> Hex32 {
    let mut head = Head { number: 0, prev: None, ..head_of(table, who, &body) };
    let others: Vec<_> = head.seen.iter().map(|(role, _)| role.clone()).collect();
    others.into_iter().for_each(|other| head.seen.insert(other, None));
    table.forge(head, body, &key(label))
}

fn answer(ask: Hex32, last: Option<Hex32>) -> Body {
    Body::Resync(Resync::Answer(Answer { ask, last }))
}

pub(crate) fn resyncs(s: &mut Scenario<'_>) {
    let ask = |label: &str| Body::Resync(Resync::Ask(bytes(label)));
    let mut table = Table::begin("an ask");
    let last = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let asked = unnumbered(&mut table, Ann, ask("fresh"), "key of ann");
    s.good("ask", "4", "an ask is in no chain", &table);
    unnumbered(&mut table, Bob, answer(asked, Some(last)), "key of bob");
    s.good("answered", "4", "and so is its answer", &table);
    table.seal(Ann, SetKind::Coin, "2/1/bob-first/1");
    s.good("goes-on", "3", "Ann goes on behind her last letter", &table);
    unnumbered(&mut table, Ann, ask("afresh"), "key of eve");
    s.good("ask-by-a-stranger", "4, message 9", "nothing in a game depends on who asks", &table);

    let mut table = Table::begin("an answer with nothing to tell");
    let asked = unnumbered(&mut table, Bob, ask("fresh"), "key of bob");
    unnumbered(&mut table, Ann, answer(asked, None), "key of ann");
    unnumbered(&mut table, Ann, answer(bytes("no ask"), Some(bytes("no letter"))), "key of ann");
    s.good("answered-null", "4", "null, and ids of what nobody has: an answer names nothing", &table);

    let mut table = Table::begin("an ask after the close");
    table.close_all();
    unnumbered(&mut table, Ann, ask("fresh"), "key of ann");
    s.good("after-the-close", "4, letters 3", "it is no letter of the game", &table);
}
