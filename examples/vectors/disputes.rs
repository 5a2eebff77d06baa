//! Games in which something is kept secret, goes wrong between people, or a key or a folder is lost.

use sealed_dice::blob::{
    Body, Head,
    body::{
        Charter, Close, Contribution, Correct, Deadline, Decision, Forfeit, Hex32, How, Key, Redo, Reveal,
        SealedContribution, SetKind, Step, Voiding,
    },
    disputes::{Claim, Dispute, Names, Rule, RuledForfeit, Ruling, Scope, ScopeImpulse, ScopeRolls, Stall, Yield},
    new_keys::{AdmissionAsk, Admit, Answer, KeyChange, NewKey, Resync, Rotate},
};

use crate::{
    games::Scenario,
    kit::{Ann, Bob, Carol, Table, Who, attacks, bytes, cells, example_attacks, key, name, role},
};

const FIRST: &str = "1/1/ann-first/1";
const SECOND: &str = "1/2/ann-second/1";

fn reveal_of(table: &Table, who: Who, declaration: Option<Hex32>, seal: Hex32, index: u64) -> Body {
    let key = table.key_of(who, seal, index, 0);
    Body::Reveal(Reveal { declaration, keys: vec![Key(index, key)], seal, sheets: vec![] })
}

/// Ann's first phase is private, and she has sealed shares of her own.
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

/// A game whose first phase owes a choice.
fn choosing(label: &str, by: Option<&str>, how: How) -> (Table, Hex32) {
    let mut table = Table::begin_with(label, |charter| {
        charter.phases[0].decisions.push(Decision { by: by.map(role), how, name: name("orders") });
    });
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    (table, seal)
}

pub(crate) fn secrets(s: &mut Scenario<'_>) {
    let (mut table, own, seal) = private("a private roll");
    let declaration = declare_private(&mut table, seal, own, 0);
    table.reveal(Bob, declaration);
    s.good("answered", "1 to 3", "Ann knows her dice, nobody else does: no rolls yet", &table);
    let shown = reveal_of(&table, Ann, Some(declaration), own, 0);
    table.send(Ann, shown);
    s.good("shown", "4", "she opens her own envelope: the dice are there", &table);

    let (mut table, own, seal) = private("private until the close");
    let declaration = declare_private(&mut table, seal, own, 0);
    table.reveal(Bob, declaration);
    table.close_all();
    s.good("closed", "4", "the masters of the close show the rolls", &table);

    let (mut table, own, seal) = private("shown too early");
    let declaration = declare_private(&mut table, seal, own, 0);
    let shown = reveal_of(&table, Ann, Some(declaration), own, 0);
    table.send(Ann, shown);
    s.blames("shown-too-early", "4, reveal 6", "the contribution before the dice", &table, "rule", "ann");

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

    let (mut table, own, seal) = private("a picked contribution");
    declare_private(&mut table, seal, own, 1);
    s.blames("picked-contribution", "declare 8", "index 1 while 0 is left", &table, "rule", "ann");

    let (mut table, _, seal) = private("an open contribution in a private phase");
    table.declare(Ann, FIRST, example_attacks(), seal);
    s.blames("open-in-private", "1, declare 8", "a private phase takes a sealed contribution", &table, "rule", "ann");

    let (mut table, seal) = choosing("a sealed contribution in an open phase", None, How::Simultaneous);
    let own = table.seal(Ann, SetKind::Contribution, "contribution/1");
    for who in [Ann, Bob] {
        table.seal(who, SetKind::Note, "1/1/ann-first/1/orders");
    }
    open_orders(&mut table);
    declare_private(&mut table, seal, own, 0);
    s.blames("sealed-in-open", "1, declare 8", "an open phase takes an open contribution", &table, "rule", "ann");

    let (mut table, seal) = choosing("a sealed choice", Some("bob"), How::Sealed);
    let note = table.seal(Bob, SetKind::Note, "1/1/ann-first/1/orders");
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, declaration);
    s.good("choice-sealed", "6", "Bob's choice is fixed and not read yet", &table);
    let opened = reveal_of(&table, Bob, Some(declaration), note, 0);
    table.send(Bob, opened);
    s.good("choice-opened", "7", "and opened after the declaration", &table);

    let (mut table, seal) = choosing("a choice that stays closed", Some("bob"), How::Sealed);
    let note = table.seal(Bob, SetKind::Note, "1/1/ann-first/1/orders");
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, declaration);
    table.send(Ann, stall(Some(note), Step::Reveal));
    s.ends(
        "choice-stays-closed",
        "7, claim 1",
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
        "9, seal 4",
        "one note a purpose: nobody has a second one to choose from",
        &table,
        "rule",
        "bob",
    );

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

    let (mut table, seal) = choosing("no sealed choice", Some("bob"), How::Sealed);
    table.declare(Ann, FIRST, example_attacks(), seal);
    s.blames(
        "choice-missing",
        "6, declare 7",
        "Bob would know the dice before he chooses: invalid",
        &table,
        "rule",
        "ann",
    );

    let (mut table, seal) = choosing("orders at once", None, How::Simultaneous);
    for who in [Ann, Bob] {
        table.seal(who, SetKind::Note, "1/1/ann-first/1/orders");
    }
    open_orders(&mut table);
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, declaration);
    s.good("orders", "8", "both seal, both open, then the dice", &table);

    let (mut table, _) = choosing("orders opened too early", None, How::Simultaneous);
    let note = table.seal(Ann, SetKind::Note, "1/1/ann-first/1/orders");
    let opened = reveal_of(&table, Ann, None, note, 0);
    table.send(Ann, opened);
    s.blames("orders-too-early", "9, reveal 7", "Bob has not sealed his", &table, "rule", "ann");
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
        "9, reveal 5",
        "Bob's orders are on a branch that fell, which would excuse the time, but not a key that fits nothing",
        &table,
        "refuted",
        &[("chain", Some("bob")), ("rule", Some("ann"))],
    );

    let (mut table, seal) = choosing("orders not opened", None, How::Simultaneous);
    for who in [Ann, Bob] {
        table.seal(who, SetKind::Note, "1/1/ann-first/1/orders");
    }
    table.declare(Ann, FIRST, example_attacks(), seal);
    s.blames("orders-not-opened", "8, declare 7", "dice before both have opened their orders", &table, "rule", "ann");

    let (mut table, _) = choosing("no orders", None, How::Simultaneous);
    let note = table.seal(Ann, SetKind::Note, "1/1/ann-first/1/other");
    let opened = reveal_of(&table, Ann, None, note, 0);
    table.send(Ann, opened);
    s.blames("note-without-declaration", "8, reveal 2", "a note that is no order", &table, "rule", "ann");
}

fn open_orders(table: &mut Table) {
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

pub(crate) fn ruling(rule: Rule) -> Body {
    Body::Ruling(Ruling { rule, text: "heard both".into() })
}

/// A turn of two impulses, both opened, with or without a referee.
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
    s.good("proposed", "3", "a void waits for the other's signature", &table);
    table.send(Bob, Body::Correct(Correct::Accept(proposal)));
    s.good("battle", "1, 3", "the second battle does not count, by both", &table);
    let again = table.send(Bob, void(Scope::Declaration(first)));
    table.send(Ann, Body::Correct(Correct::Accept(again)));
    s.good(
        "battle-then-all",
        "2, 3",
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
    s.good("impulse", "1, 3", "the first impulse does not count, the second stands", &table);
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
    s.good("refused", "3", "the dice stand", &table);

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
    s.blames("then-a-foul-up", "3, correct 1", "dice that do not count are not to be mended", &table, "rule", "bob");

    let (mut table, _, declaration) = waiting("a void of dice by forfeit", false);
    let given = Yield { declaration: Some(declaration), forfeit: Forfeit::DeclarerNames, text: String::new() };
    let forfeit = table.send(Bob, Body::Claim(Claim::Yield(given)));
    table.send(Ann, names(declaration, forfeit, &[6, 5, 6]));
    let proposal = table.send(Bob, void(Scope::Declaration(declaration)));
    table.send(Ann, Body::Correct(Correct::Accept(proposal)));
    s.good("of-named-dice", "2", "dice that were named can be void, too, though no key is opened", &table);

    // A redo is agreed on, and then the dice are voided: no new dice for them.
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
    s.good("ends-a-redo", "3", "the redo is not due any more", &table);
    table.redo(Ann, FIRST, corrected, foul_up, Redo::Agreed(acceptance));
    s.blames("then-a-redo", "3, declare 12", "new dice for what is void", &table, "rule", "ann");
}

pub(crate) fn stall(letter: Option<Hex32>, step: Step) -> Body {
    Body::Claim(Claim::Stall(Stall { letter, owes: role("bob"), step, text: "three weeks".into() }))
}

fn names(declaration: Hex32, forfeit: Hex32, dice: &[u64]) -> Body {
    Body::Claim(Claim::Names(Names { declaration, dice: dice.to_vec(), forfeit }))
}

/// A declaration that Bob has not opened.
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
    s.good("stall-ended", "4", "the reveal is there", &table);
    let (mut withdrawn, _, declaration) = waiting("a stall withdrawn", false);
    let other = withdrawn.send(Ann, stall(Some(declaration), Step::Reveal));
    withdrawn.send(Ann, Body::Claim(Claim::Withdraw(other)));
    s.good("stall-withdrawn", "claim 2", "the claim is taken back", &withdrawn);
    withdrawn.send(Ann, Body::Claim(Claim::Withdraw(other)));
    s.blames("withdrawn-twice", "claim 2", "there is nothing left to withdraw", &withdrawn, "rule", "ann");
    table.send(Bob, Body::Claim(Claim::Withdraw(claim)));
    s.blames("withdrawn-by-the-other", "claim 2", "a claim is its author's", &table, "rule", "bob");

    let (mut table, _, declaration) = waiting("a stall after the reveal", false);
    table.reveal(Bob, declaration);
    table.send(Ann, stall(Some(declaration), Step::Reveal));
    s.blames("stall-after-the-reveal", "claim 1", "nothing is owed", &table, "rule", "ann");

    let (mut table, _, _) = waiting("a stall for an answer", false);
    table.send(Ann, stall(None, Step::Answer));
    let close = table.with_ledger(|ledger| table.seat(Bob).close(ledger, None));
    table.send(Bob, Body::Close(close));
    s.good("stall-answered", "4", "any letter that knows the claim is an answer", &table);

    let (mut table, _) = choosing("a stall for orders", None, How::Simultaneous);
    let mine = table.seal(Ann, SetKind::Note, "1/1/ann-first/1/orders");
    let his = table.seal(Bob, SetKind::Note, "1/1/ann-first/1/orders");
    let opened = reveal_of(&table, Ann, None, mine, 0);
    table.send(Ann, opened);
    table.send(Ann, stall(Some(his), Step::Reveal));
    s.ends(
        "stall-for-orders",
        "claim 1",
        "Bob has read Ann's orders and keeps his own closed",
        &table,
        "undecided",
        &[],
    );

    let (mut table, _, declaration) = waiting("a yield", false);
    let given = Yield { declaration: Some(declaration), forfeit: Forfeit::DeclarerNames, text: "lost my disk".into() };
    let forfeit = table.send(Bob, Body::Claim(Claim::Yield(given)));
    s.good("yielded", "claim 3, 5", "Ann may name her dice", &table);
    table.send(Ann, names(declaration, forfeit, &[6, 5, 6]));
    s.good("named", "claim 4", "and does", &table);
    table.reveal(Bob, declaration);
    s.good("named-then-revealed", "5", "a key that comes later decides nothing", &table);

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
    s.blames("named-by-an-accept", "letters 3", "neither a claim nor a ruling", &table, "rule", "ann");

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
    s.ends("dispute", "4", "a dispute stands until it is withdrawn or dismissed", &table, "undecided", &[]);
    table.close_all();
    s.good("dispute-complete", "4", "once the game is complete it is a matter of record", &table);

    let mut table = Table::refereed("a stall that a breach does not end", |_| {});
    let seal = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let claim = table.send(Ann, stall(None, Step::Declare));
    let declare = table.declaration(Bob, "1/1/bob-first/1", example_attacks(), seal, None);
    let mut head = head_of(&table, Bob, &Body::Declare(Box::new(declare.clone())));
    head.seen.insert(role("carol"), None);
    table.forge(head, Body::Declare(Box::new(declare)), &key("key of bob"));
    let message = table.letters.last().expect("a letter").message.clone();
    table.carol.as_mut().expect("a referee").see(&message);
    table.post(Carol, ruling(Rule::Request(claim)));
    s.blames(
        "stall-not-ended",
        "4, letters 4",
        "Bob's declaration goes back in what he has seen: it does not count, and the stall stands",
        &table,
        "chain",
        "bob",
    );
}

pub(crate) fn rulings(s: &mut Scenario<'_>) {
    let (table, ..) = turn("a game with a referee", true, |_| {});
    s.good("refereed", "7, 8", "a turn with a referee at the table", &table);
    let mut without = Table::refereed("the referee's accept is not here", |_| {});
    without.letters.remove(1);
    s.ends(
        "accept-missing",
        "7",
        "the opponent's accept names the referee's, which is not at hand",
        &without,
        "undecided",
        &[],
    );

    let (mut table, _, declaration) = waiting("a stall after a forfeit of the game", true);
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    let request = table.send(Carol, ruling(Rule::Request(claim)));
    table.send(Carol, ruling(Rule::Forfeit(RuledForfeit { forfeit: Forfeit::Game, request })));
    table.send(Ann, stall(None, Step::Answer));
    s.good("stall-after-the-game", "4", "Bob has lost the game: nothing more is claimed from him", &table);

    let (mut table, _, declaration) = waiting("a forfeit by ruling", true);
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    let request = table.send(Carol, ruling(Rule::Request(claim)));
    s.ends("request", "ruling 1", "the referee asks Bob, by number", &table, "undecided", &[]);
    let forfeit = Rule::Forfeit(RuledForfeit { forfeit: Forfeit::DeclarerNames, request });
    let forfeit = table.send(Carol, ruling(forfeit));
    s.good("forfeit-ends-the-stall", "4, ruling 2", "the claim does not stand any more, named or not", &table);
    table.send(Ann, names(declaration, forfeit, &[6, 6, 6]));
    s.good("forfeit", "ruling 2", "Bob has not answered: Ann names her dice", &table);
    table.reveal(Bob, declaration);
    s.good("forfeit-then-revealed", "5", "the reveal comes too late", &table);
    table.send(Carol, ruling(Rule::Void(Scope::Declaration(declaration))));
    s.good("named-and-void", "5, ruling 3", "the referee can void dice that were named", &table);

    let (mut table, _, declaration) = waiting("no request before", true);
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    let forfeit = Rule::Forfeit(RuledForfeit { forfeit: Forfeit::DeclarerNames, request: claim });
    table.send(Carol, ruling(forfeit));
    s.blames("no-request", "ruling 2", "a forfeit without the referee's own request", &table, "rule", "carol");

    let (mut table, _, declaration) = waiting("answered in time", true);
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    let request = table.send(Carol, ruling(Rule::Request(claim)));
    table.reveal(Bob, declaration);
    let forfeit = Rule::Forfeit(RuledForfeit { forfeit: Forfeit::DeclarerNames, request });
    table.send(Carol, ruling(forfeit));
    s.blames("answered-in-time", "ruling 2", "Bob has revealed, and the referee has seen it", &table, "rule", "carol");

    let (mut table, first, _) = turn("a ruling by a player", true, |_| {});
    table.send(Ann, ruling(Rule::Void(Scope::Declaration(first))));
    s.blames("by-a-player", "8, letters 2", "only the referee rules", &table, "rule", "ann");
    let seal = table.letters.iter().find_map(|letter| match letter.message.body() {
        Body::Seal(seal) => Some(seal.clone()),
        _ => None,
    });
    let (mut table, ..) = turn("a seal by the referee", true, |_| {});
    table.send(Carol, Body::Seal(seal.expect("a seal")));
    s.blames("referee-seals", "8, letters 2", "the referee signs nothing of the game", &table, "rule", "carol");

    let (mut table, first, _) = turn("a ruled void", true, |_| {});
    table.send(Carol, ruling(Rule::Void(Scope::Declaration(first))));
    s.good("void", "ruling 3", "the referee voids the first impulse", &table);

    let mut table = Table::refereed("a killed set", |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.send(Carol, ruling(Rule::Kill(seal)));
    let new = table.seal(Bob, SetKind::Coin, FIRST);
    let declaration = table.declare(Ann, FIRST, example_attacks(), new);
    table.reveal(Bob, declaration);
    s.good("killed-and-sealed-anew", "ruling 4, seal 4", "a dead set makes room for another", &table);
    let mut table = Table::refereed("a killed set used", |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.send(Carol, ruling(Rule::Kill(seal)));
    table.declare(Ann, FIRST, example_attacks(), seal);
    s.blames("killed-and-used", "ruling 4, declare 6", "Ann declares on a dead set", &table, "rule", "ann");

    let mut table = Table::refereed("a killed choice", |charter| {
        let decision = Decision { by: Some(role("bob")), how: How::Sealed, name: name("orders") };
        charter.phases[0].decisions.push(decision);
    });
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let note = table.seal(Bob, SetKind::Note, "1/1/ann-first/1/orders");
    table.send(Carol, ruling(Rule::Kill(note)));
    table.declare(Ann, FIRST, example_attacks(), seal);
    s.blames("killed-choice", "ruling 4, declare 7", "a dead note fixes no choice", &table, "rule", "ann");

    let (mut table, first, second) = turn("a fork of the referee", true, |_| {});
    let head = table.seat(Carol).next_head(sealed_dice::blob::Kind::Ruling);
    for id in [first, second] {
        table.forge(head.clone(), ruling(Rule::Void(Scope::Declaration(id))), &key("key of carol"));
    }
    s.blames(
        "referee-forks",
        "chain 8, 9",
        "two rulings with one number, and nobody names either: neither takes effect",
        &table,
        "chain",
        "carol",
    );

    let mut table = Table::refereed("a settled breach", |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let breach = table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| declare.slot.turn = 2);
    table.send(Carol, ruling(Rule::Settle(breach)));
    s.ends("settled", "ruling 5", "a slip that the referee forgives", &table, "verified", &[("rule", Some("ann"))]);

    let (mut table, first, _) = turn("a dispute dismissed", true, |_| {});
    let claim = table.send(Bob, Body::Claim(Claim::Dispute(Dispute { letters: vec![first], text: "ZOC".into() })));
    table.send(Carol, ruling(Rule::Dismiss(claim)));
    s.good("dismissed", "ruling 6", "the claim stands no more", &table);
    table.send(Carol, ruling(Rule::Dismiss(claim)));
    s.blames("dismissed-twice", "ruling 6", "nothing stands", &table, "rule", "carol");

    let (mut table, first, _) = turn("an answer that came through the referee", true, |_| {});
    table.propose(Ann, first, None);
    let body = Body::Seal(table.seal_body(Bob, SetKind::Coin, "2/1/ann-first/1"));
    let answer = table.post(Bob, body);
    table.arrive(Carol);
    let body = ruling(Rule::Settle(answer));
    table.post(Carol, body);
    let message = table.letters.last().expect("a letter").message.clone();
    table.ann.see(&message);
    table.propose(Ann, first, None);
    s.good("answered-through-the-referee", "correct 3", "Bob's answer is in the past of what Ann has seen", &table);
    let (mut table, first, _) = turn("an answer by ruling", true, |_| {});
    let proposal = table.propose(Ann, first, None);
    table.post(Carol, ruling(Rule::Agree(proposal)));
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
    let agreed = table.send(Carol, ruling(Rule::Agree(proposal)));
    let redo = table.redo(Ann, FIRST, corrected, foul_up, Redo::Agreed(agreed));
    table.reveal(Bob, redo);
    s.good("agreed", "ruling 7", "the referee agrees in Ann's place, and she rolls again", &table);

    // A fork that nobody has named: the referee says which branch stands.
    let mut table = Table::refereed("a branch by ruling", |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let declare = table.declaration(Ann, FIRST, example_attacks(), seal, None);
    let head = table.seat(Ann).next_head(sealed_dice::blob::Kind::Declare);
    let one = table.forge(head.clone(), Body::Declare(Box::new(declare)), &key("key of ann"));
    let other = table.declaration(Ann, FIRST, attacks(&[("F12", "3-1")]), seal, None);
    table.forge(head, Body::Declare(Box::new(other)), &key("key of ann"));
    s.blames(
        "fork-unnamed",
        "ruling branch",
        "two declarations with one number, and nobody names either",
        &table,
        "chain",
        "ann",
    );
    let message = table.letters.iter().find(|letter| letter.message.id() == one).expect("it").message.clone();
    table.seat_mut(Carol).see(&message);
    table.post(Carol, ruling(Rule::Branch(one)));
    let last = table.letters.last().expect("a ruling").message.clone();
    table.seat_mut(Bob).see(&message);
    table.seat_mut(Bob).see(&last);
    table.reveal(Bob, one);
    s.blames(
        "branch",
        "ruling branch, chain 12",
        "the referee names the branch that stands, and Bob opens it; the fork stays on record",
        &table,
        "chain",
        "ann",
    );
}

/// A proof of possession for a key that follows a letter.
pub(crate) fn new_key(
    table: &Table,
    who: &str,
    after: Hex32,
    label: &str,
) -> (Hex32, sealed_dice::blob::new_keys::Hex64) {
    let fresh = key(label);
    let public = Hex32(*fresh.public().as_bytes());
    let game = table.with_ledger(|ledger| ledger.game);
    let role = role(who);
    (public, NewKey { game, role: &role, after, key: public }.prove(&fresh))
}

pub(crate) fn head_of(table: &Table, who: Who, body: &Body) -> Head {
    table.seat(who).next_head(body.kind())
}

pub(crate) fn rotate(table: &mut Table, stolen: bool) -> Hex32 {
    let after = head_of(table, Ann, &Body::Resync(Resync::Ask(bytes("any")))).prev.expect("a letter before");
    let (new, proof) = new_key(table, "ann", after, "ann's new key");
    table.send(Ann, Body::Key(KeyChange::Rotate(Rotate { key: new, proof, stolen })))
}

/// Signs a letter in Ann's chain with another key than her seat has.
pub(crate) fn sign_with(table: &mut Table, label: &str, prev: (u64, Hex32), body: Body) -> Hex32 {
    let head = Head { number: prev.0 + 1, prev: Some(prev.1), ..head_of(table, Ann, &body) };
    let id = table.forge(head, body, &key(label));
    let message = table.letters.last().expect("a letter").message.clone();
    table.bob.see(&message);
    id
}

pub(crate) fn note(table: &mut Table, slot: &str) -> Body {
    Body::Seal(table.seal_body(Ann, SetKind::Coin, slot))
}

pub(crate) fn keys(s: &mut Scenario<'_>) {
    let mut table = Table::begin("a new key");
    table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let rotated = rotate(&mut table, false);
    let body = note(&mut table, "2/1/bob-first/1");
    let sealed = sign_with(&mut table, "ann's new key", (3, rotated), body);
    s.good("rotated", "1, key 1", "Ann goes on with a new key", &table);
    let body = note(&mut table, "3/1/bob-first/1");
    let head = Head { number: 5, prev: Some(sealed), ..head_of(&table, Ann, &body) };
    table.forge(head, body, &key("key of ann"));
    s.ends(
        "old-key-after-rotation",
        "2",
        "somebody still signs with the old key: that letter does not exist",
        &table,
        "verified",
        &[("game", None)],
    );

    let mut table = Table::begin("an ask to be admitted");
    let after = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let (_, proof) = new_key(&table, "ann", after, "ann's second key");
    let plea = Body::Key(KeyChange::Ask(AdmissionAsk { after, proof }));
    let mut head = Head { number: 0, prev: None, ..head_of(&table, Ann, &plea) };
    head.seen.insert(role("bob"), None);
    table.forge(head.clone(), plea.clone(), &key("ann's second key"));
    table.forge(head, plea, &key("a stranger"));
    s.good("asked", "13", "a question is in no chain, whoever signs it", &table);

    let mut table = Table::begin("a new key after the close");
    table.close(Ann);
    rotate(&mut table, false);
    table.send(Bob, Body::Resync(Resync::Answer(Answer { ask: bytes("an ask"), to: role("ann") })));
    table.close(Bob);
    table.send(Bob, Body::Resync(Resync::Answer(Answer { ask: bytes("another ask"), to: role("ann") })));
    s.good("after-the-close", "letters 2", "keys change and questions are answered after a close, too", &table);

    let mut table = Table::begin("a proof that is not");
    let after = table.letters[0].message.id();
    let (new, _) = new_key(&table, "ann", after, "ann's new key");
    let (_, proof) = new_key(&table, "bob", after, "ann's new key");
    table.send(Ann, Body::Key(KeyChange::Rotate(Rotate { key: new, proof, stolen: false })));
    s.blames("bad-proof", "key 1", "the proof is for another role", &table, "rule", "ann");

    // A thief signs letter 3 with Ann's old key; she rotates.
    let mut table = Table::begin("a stolen key");
    let before = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let body = note(&mut table, "9/1/bob-first/1");
    let head = Head { number: 3, prev: Some(before), ..head_of(&table, Ann, &body) };
    table.forge(head, body, &key("key of ann"));
    let rotated = rotate(&mut table, true);
    let body = note(&mut table, "2/1/bob-first/1");
    sign_with(&mut table, "ann's new key", (3, rotated), body);
    s.ends(
        "stolen",
        "2, 5",
        "what the thief signed and nobody named does not exist",
        &table,
        "verified",
        &[("game", None)],
    );

    // Bob had named the thief's letter before he knew: it binds.
    let mut table = Table::begin("a stolen key believed");
    let before = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let body = note(&mut table, "9/1/bob-first/1");
    let head = Head { number: 3, prev: Some(before), ..head_of(&table, Ann, &body) };
    table.forge(head, body, &key("key of ann"));
    let thief = table.letters.last().expect("a letter").message.clone();
    table.bob.see(&thief);
    table.post(Bob, Body::Claim(Claim::Dispute(Dispute { letters: vec![thief.id()], text: "turn 9?".into() })));
    rotate(&mut table, true);
    s.ends(
        "stolen-believed",
        "5, 8",
        "Bob named it before he could know: the fork is Ann's",
        &table,
        "refuted",
        &[("chain", Some("ann"))],
    );

    // The thief rotates too.
    let mut table = Table::begin("two rotations");
    let before = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let (new, proof) = new_key(&table, "ann", before, "the thief's key");
    let body = Body::Key(KeyChange::Rotate(Rotate { key: new, proof, stolen: true }));
    let head = head_of(&table, Ann, &body);
    table.forge(head, body, &key("key of ann"));
    rotate(&mut table, true);
    s.ends(
        "rotated-twice",
        "5",
        "two rotations, and nobody has named one: nobody is blamed, and none stands",
        &table,
        "verified",
        &[("chain", None)],
    );

    // A key that was in force and has signed nothing before another was admitted.
    let mut table = Table::refereed("a key that was never used", |_| {});
    let rotated = rotate(&mut table, false);
    let (new, proof) = new_key(&table, "ann", rotated, "ann's second key");
    let admit = Admit { after: rotated, key: new, player: role("ann"), proof };
    let admit = table.send(Bob, Body::Key(KeyChange::Admit(admit)));
    table.send(Carol, ruling(Rule::Admit(admit)));
    let body = note(&mut table, "2/1/bob-first/1");
    let number = table.letters.iter().find(|letter| letter.message.id() == rotated).expect("it").message.head().number;
    sign_with(&mut table, "ann's second key", (number, rotated), body);
    let body = note(&mut table, "9/1/bob-first/1");
    let head = Head { number: 9, prev: Some(rotated), ..head_of(&table, Ann, &body) };
    table.forge(head, body, &key("ann's new key"));
    s.ends(
        "given-up-unused",
        "2",
        "a thief's detached letter under a key that was in force, and was given up",
        &table,
        "verified",
        &[("game", None)],
    );

    // Ann has lost her key: Bob and the referee admit a new one.
    let mut table = Table::refereed("a lost key", |_| {});
    let last = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let (new, proof) = new_key(&table, "ann", last, "ann's second key");
    let admit = Admit { after: last, key: new, player: role("ann"), proof };
    let admit = table.send(Bob, Body::Key(KeyChange::Admit(admit)));
    s.good("admit-alone", "key 2", "the opponent alone admits nothing", &table);
    table.send(Carol, ruling(Rule::Admit(admit)));
    let body = note(&mut table, "2/1/bob-first/1");
    sign_with(&mut table, "ann's second key", (2, last), body);
    s.good("admitted", "6, ruling admit", "with the referee's ruling Ann goes on", &table);
    table.send(Carol, ruling(Rule::Admit(admit)));
    s.blames("admitted-twice", "ruling admit", "once is enough", &table, "rule", "carol");

    let mut table = Table::refereed("known dice rolled back", |_| {});
    let last = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    table.seal(Ann, SetKind::Coin, "2/1/bob-first/1");
    let (new, proof) = new_key(&table, "ann", last, "ann's second key");
    let admit = Admit { after: last, key: new, player: role("ann"), proof };
    table.send(Bob, Body::Key(KeyChange::Admit(admit)));
    s.blames("after-an-older-letter", "key 2", "Bob has seen a later letter of hers", &table, "rule", "bob");

    let mut table = Table::begin("one's own admission");
    let last = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let (new, proof) = new_key(&table, "ann", last, "ann's second key");
    let admit = Admit { after: last, key: new, player: role("ann"), proof };
    table.send(Ann, Body::Key(KeyChange::Admit(admit)));
    s.blames("own-admission", "key 2", "only the other player admits", &table, "rule", "ann");
}

/// Ann's folder was restored to the state after her letter 2; her letter 3 is with nobody, or with Bob.
fn restored(label: &str) -> (Table, Hex32, Hex32) {
    let mut table = Table::begin(label);
    let before = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let body = note(&mut table, "2/1/bob-first/1");
    let head = Head { number: 3, prev: Some(before), ..head_of(&table, Ann, &body) };
    table.forge(head, body, &key("key of ann"));
    let lost = table.last();
    (table, before, lost)
}

fn answer(table: &mut Table) -> Hex32 {
    table.send(Bob, Body::Resync(Resync::Answer(Answer { ask: bytes("an ask"), to: role("ann") })))
}

pub(crate) fn resyncs(s: &mut Scenario<'_>) {
    let mut table = Table::begin("an ask");
    let mut head = head_of(&table, Ann, &Body::Resync(Resync::Ask(bytes("fresh"))));
    (head.number, head.prev) = (0, None);
    head.seen.insert(role("bob"), None);
    table.forge(head, Body::Resync(Resync::Ask(bytes("fresh"))), &key("key of ann"));
    s.good("ask", "9", "an ask is in no chain", &table);

    let (mut table, _, _) = restored("a restored folder");
    answer(&mut table);
    table.seal(Ann, SetKind::Coin, "3/1/bob-first/1");
    s.ends(
        "restored",
        "12",
        "Ann goes on with the answer; her lost letter surfaces and blames nobody",
        &table,
        "verified",
        &[("chain", None)],
    );

    let (mut table, _, _) = restored("a restored folder without an answer");
    table.seal(Ann, SetKind::Coin, "3/1/bob-first/1");
    s.blames("without-an-answer", "11", "she did not ask: a fork like any other", &table, "chain", "ann");

    // Bob has named the lost letter before he answers: his `seen` says so, and there is nothing to explain.
    let (mut table, _, lost) = restored("an answer that knows better");
    let message = table.letters.iter().find(|letter| letter.message.id() == lost).expect("it").message.clone();
    table.bob.see(&message);
    table.post(Bob, Body::Resync(Resync::Answer(Answer { ask: bytes("an ask"), to: role("ann") })));
    table.arrive(Ann);
    table.seal(Ann, SetKind::Coin, "3/1/bob-first/1");
    s.blames("answer-not-heeded", "12", "the answer names letter 3, and Ann signs another", &table, "chain", "ann");

    // The answerer goes back on his answer.
    let (mut table, _, lost) = restored("an answer passed by");
    answer(&mut table);
    let message = table.letters.iter().find(|letter| letter.message.id() == lost).expect("it").message.clone();
    table.bob.see(&message);
    table.post(Bob, Body::Claim(Claim::Dispute(Dispute { letters: vec![lost], text: "here it is".into() })));
    table.seal(Ann, SetKind::Coin, "3/1/bob-first/1");
    s.ends(
        "answer-passed-by",
        "10, chain 3",
        "Bob answers that he holds letter 2, and then uses letter 3",
        &table,
        "refuted",
        &[("chain", None), ("chain", Some("bob"))],
    );

    // Both branches go on for a while.
    let (mut table, before, lost) = restored("two letters lost");
    let body = note(&mut table, "6/1/bob-first/1");
    let head = Head { number: 4, prev: Some(lost), ..head_of(&table, Ann, &body) };
    table.forge(head, body, &key("key of ann"));
    assert_eq!(head_of(&table, Ann, &Body::Resync(Resync::Ask(before))).prev, Some(before));
    answer(&mut table);
    table.seal(Ann, SetKind::Coin, "3/1/bob-first/1");
    table.seal(Ann, SetKind::Coin, "4/1/bob-first/1");
    s.ends(
        "restored-two-letters",
        "8, 12",
        "both branches have a second letter: the fork above an explained one is explained",
        &table,
        "verified",
        &[("chain", None)],
    );

    // She loses what she signed after the first answer, too.
    let (mut table, before, _) = restored("lost twice");
    let first = answer(&mut table);
    let body = note(&mut table, "6/1/bob-first/1");
    let mut head = Head { number: 3, prev: Some(before), ..head_of(&table, Ann, &body) };
    head.seen.insert(role("bob"), Some(first));
    table.forge(head, body, &key("key of ann"));
    answer(&mut table);
    table.seal(Ann, SetKind::Coin, "3/1/bob-first/1");
    s.ends(
        "restored-twice",
        "12",
        "the branch that alone knows the second answer stands",
        &table,
        "verified",
        &[("chain", None)],
    );

    // A second roll through one's own answer: Bob follows a branch that came to know it, and Ann drops it.
    let mut table = Table::begin("a second roll through an answer");
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let next = table.seal(Bob, SetKind::Coin, "2/1/ann-first/1");
    let declare = table.declaration(Ann, FIRST, example_attacks(), seal, None);
    let at_first = head_of(&table, Ann, &Body::Declare(Box::new(declare.clone())));
    let known = answer(&mut table);
    let first = table.forge(at_first.clone(), Body::Declare(Box::new(declare)), &key("key of ann"));
    let body = note(&mut table, "6/1/bob-first/1");
    let mut head = Head { number: 3, prev: Some(first), ..head_of(&table, Ann, &body) };
    head.seen.insert(role("bob"), Some(known));
    table.forge(head, body, &key("key of ann"));
    let later = table.letters.last().expect("a letter").message.clone();
    table.bob.see(&later);
    let reveal = reveal_of(&table, Bob, Some(first), seal, 2);
    table.post(Bob, reveal);
    let other = table.declaration(Ann, "2/1/ann-first/1", attacks(&[("F12", "3-1")]), next, None);
    let mut head = Head { kind: sealed_dice::blob::Kind::Declare, ..at_first };
    head.seen.insert(role("bob"), Some(known));
    table.forge(head, Body::Declare(Box::new(other)), &key("key of ann"));
    s.blames(
        "second-roll-through-an-answer",
        "8",
        "Bob opened a branch that knew his answer: it binds, and Ann's other branch is a fork",
        &table,
        "chain",
        "ann",
    );

    // A lying answer: Bob holds Ann's declaration, says that he does not, and she, honestly, declares anew.
    let mut table = Table::begin("a lying answer");
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let declare = table.declaration(Ann, FIRST, example_attacks(), seal, None);
    let head = head_of(&table, Ann, &Body::Declare(Box::new(declare.clone())));
    table.forge(head, Body::Declare(Box::new(declare)), &key("key of ann"));
    answer(&mut table);
    let again = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, again);
    s.ends(
        "lying-answer",
        "10, 12",
        "nobody can prove the lie: the dice are those of the second declaration",
        &table,
        "verified",
        &[("chain", None)],
    );

    // Bob has named another letter of Ann's than the one that his answer says he had seen: it tells nothing of what follows that.
    let mut table = Table::begin("an answer that was told of another branch");
    let seal = Body::Seal(table.seal_body(Bob, SetKind::Coin, FIRST));
    let mut beside = head_of(&table, Bob, &seal);
    table.seal(Bob, SetKind::Coin, "2/1/ann-first/1");
    let body = note(&mut table, "3/1/bob-first/1");
    let head = head_of(&table, Ann, &body);
    table.forge(head.clone(), body, &key("key of ann"));
    table.arrive(Bob);
    let told = table.post(Bob, Body::Resync(Resync::Answer(Answer { ask: bytes("an ask"), to: role("ann") })));
    let body = note(&mut table, "4/1/bob-first/1");
    let other = table.forge(head.clone(), body, &key("key of ann"));
    beside.seen.insert(role("ann"), Some(other));
    table.forge(beside, seal, &key("key of bob"));
    let mut behind = Head { number: head.number + 1, prev: Some(other), ..head };
    let body = note(&mut table, "5/1/bob-first/1");
    table.forge(behind.clone(), body, &key("key of ann"));
    behind.seen.insert(role("bob"), Some(told));
    let breach = stall(Some(other), Step::Reveal);
    table.forge(Head { kind: breach.kind(), ..behind }, breach, &key("key of ann"));
    s.ends(
        "answer-told-of-another-branch",
        "12",
        "of two letters behind the one that Bob named first the answer explains neither: the breach in the one does not stand",
        &table,
        "refuted",
        &[("chain", Some("ann")), ("chain", Some("bob"))],
    );

    // An answer explains one branch, not every later one.
    let (mut table, _, _) = restored("an old answer");
    answer(&mut table);
    table.seal(Ann, SetKind::Coin, "3/1/bob-first/1");
    let body = note(&mut table, "4/1/bob-first/1");
    let head = head_of(&table, Ann, &body);
    table.forge(head.clone(), body, &key("key of ann"));
    let body = note(&mut table, "5/1/bob-first/1");
    table.forge(head, body, &key("key of ann"));
    s.ends(
        "old-answer",
        "12",
        "a second fork after the answer is not explained by it",
        &table,
        "refuted",
        &[("chain", None), ("chain", Some("ann"))],
    );

    // Nobody can hide a fork behind many others.
    let mut table = Table::begin("more branches than a game can have");
    for result in 0..257 {
        let body = Body::Close(Close { masters: None, result: Some(format!("draw {result}")) });
        let head = head_of(&table, Ann, &body);
        table.forge(head, body, &key("key of ann"));
    }
    s.blames(
        "too-many-branches",
        "chain 14",
        "257 letters with one number: nothing is replayed, and the fork is Ann's",
        &table,
        "chain",
        "ann",
    );

    let (mut table, ..) = restored("an answer and nothing after it");
    answer(&mut table);
    s.good("answered", "10", "an answer alone changes nothing: the letter that it does not know has no rival", &table);
}
