//! Whole games, honest and dishonest.

use sealed_dice::blob::{
    Body, Head, Kind, Verified,
    body::{
        CellKey, Close, Contribution, Correct, Deadline, Decision, FileHash, Forfeit, Hex32, How, Key, Lines, Master,
        Moves, NoteRef, Pair, Redo, Remedy, Reveal, Seen, Select, SetKind, Source, Step, Voiding, Withdraw,
    },
    disputes::{Ruled, Scope, ScopeRolls},
};
use serde_json::json;

use crate::{
    Vectors,
    disputes::ruling,
    kit::{
        Ann, Bob, Carol, Dora, Table, Who, attacks, bytes, cells, change_input, example_attacks, key, name, object,
        role, slot, text,
    },
};

const FIRST: &str = "1/1/ann-first/1";
const SECOND: &str = "1/2/ann-second/1";

/// Writes the scenarios of one folder.
pub(crate) struct Scenario<'v> {
    pub(crate) v: &'v mut Vectors,
    pub(crate) folder: &'static str,
    pub(crate) page: &'static str,
}

impl Scenario<'_> {
    pub(crate) fn good(&mut self, file: &str, rule: &str, about: &str, table: &Table) {
        self.ends(file, rule, about, table, "verified", &[]);
    }

    pub(crate) fn blames(&mut self, file: &str, rule: &str, about: &str, table: &Table, code: &str, culprit: &str) {
        self.ends(file, rule, about, table, "refuted", &[(code, Some(culprit))]);
    }

    pub(crate) fn ends(
        &mut self,
        file: &str,
        rule: &str,
        about: &str,
        table: &Table,
        verdict: &str,
        findings: &[(&str, Option<&str>)],
    ) {
        self.text(file, rule, about, &table.transcript(), verdict, findings);
    }

    pub(crate) fn text(
        &mut self,
        file: &str,
        rule: &str,
        about: &str,
        transcript: &str,
        verdict: &str,
        findings: &[(&str, Option<&str>)],
    ) {
        let name = format!("{}/{file}", self.folder);
        self.v.game(&name, &format!("{} {rule}", self.page), about, transcript, verdict, findings);
    }
}

pub(crate) fn all(v: &mut Vectors) {
    let mut folder = |folder, page, scenarios: fn(&mut Scenario<'_>)| scenarios(&mut Scenario { v, folder, page });
    folder("audit", "audit.md", audits);
    folder("audit", "audit.md", super::decided::audits);
    folder("chain", "chain.md", chains);
    folder("chain", "chain.md", forks);
    folder("fork", "chain.md", super::forks::all);
    folder("fork", "chain.md", super::decided::forks);
    folder("chain", "letters.md", super::decided::all_letters);
    folder("charter", "charter.md", charters);
    folder("charter", "charter.md", super::deposits::charters);
    folder("charter", "charter.md", super::office::charters);
    folder("chain", "chain.md", super::deposits::old_keys);
    folder("seal", "letters.md", seals);
    folder("seal", "letters.md", super::decided::seals);
    folder("declare", "letters.md", declarations);
    folder("declare", "letters.md", selections);
    folder("declare", "letters.md", redos);
    folder("declare", "letters.md", super::decided::declarations);
    folder("reveal", "letters.md", reveals);
    folder("decide", "letters.md", decisions);
    folder("decide", "letters.md", super::decided::decisions);
    folder("correct", "letters.md", corrections);
    folder("correct", "letters.md", super::decided::corrections);
    folder("close", "letters.md", closes);
    folder("close", "letters.md", super::decided::closes);
    folder("secret", "secrets.md", super::disputes::secrets);
    folder("void", "disputes.md", super::disputes::voids);
    folder("claim", "disputes.md", super::disputes::claims);
    folder("ruling", "disputes.md", super::disputes::rulings);
    folder("ruling", "disputes.md", super::days::all);
    folder("resync", "keys.md", super::disputes::resyncs);
    folder("receipt", "deposits.md", super::deposits::receipts);
    folder("office", "office.md", super::office::all);
    folder("office", "office.md", super::office_trouble::all);
    folder("correct", "letters.md", super::office_trouble::beside_sealers);
    folder("turn", "courses.md", super::turns::all);
    folder("turn", "cil.md", super::battles::all);
    folder("turn", "hidden.md", super::sheets::all);
    folder("turn", "ocs-initiative.md", super::campaigns::initiative);
    folder("turn", "event-tables.md", super::campaigns::gettysburg);
    folder("turn", "event-tables.md", super::drill::all);
    folder("continued", "audit.md", super::continued::all);
    folder("opened-by-ruling", "deposits.md", super::deposits::openings);
    folder("opened-by-ruling", "deposits.md", super::decided::openings);
}

/// A game with one set of envelopes sealed for Ann's first impulse.
pub(crate) fn sealed(label: &str) -> (Table, Hex32) {
    let mut table = Table::begin(label);
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    (table, seal)
}

/// Begins a game with one set of envelopes and a foul-up set.
pub(crate) fn with_foul_up(label: &str) -> (Table, Hex32, Hex32) {
    let (mut table, seal) = sealed(label);
    let foul_up = table.seal(Bob, SetKind::FoulUp, "foul-up/1");
    (table, seal, foul_up)
}

/// Begins a game with one set of envelopes, on which Ann has declared.
fn declared(label: &str) -> (Table, Hex32, Hex32) {
    let (mut table, seal) = sealed(label);
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    (table, seal, declaration)
}

/// Begins a game with a sheet that is sealed for Ann.
fn with_sheet(label: &str) -> (Table, Hex32) {
    let mut table = Table::begin(label);
    let seal = table.seal(Bob, SetKind::Sheet, "sheet/1");
    (table, seal)
}

/// Begins a game whose charter requires a decision in Ann's first phase.
pub(crate) fn owing(label: &str, by: &str) -> (Table, Hex32) {
    let mut table = Table::begin_with(label, |charter| {
        charter.phases[0].decisions.push(Decision { by: Some(role(by)), how: How::Open, name: name("flank") });
    });
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    (table, seal)
}

fn audits(s: &mut Scenario<'_>) {
    one_roll(s);
    whole_turn_not_closed(s);
}

fn one_roll(s: &mut Scenario<'_>) {
    let (mut table, seal) = sealed("one roll");
    let declaration = table.declare(Ann, FIRST, attacks(&[("F12", "3-1")]), seal);
    table.reveal(Bob, declaration);
    s.good("one-roll", "1 to 5", "five envelopes, one attack, one die", &table);
}

fn whole_turn_not_closed(s: &mut Scenario<'_>) {
    let prefix = Table::turn("a double-impulse turn");
    s.good(
        "whole-turn-not-closed",
        "2",
        "a turn with two impulses; a prefix of a game is verified, and not complete",
        &prefix,
    );
    let mut table = Table::turn("a double-impulse turn");
    table.close_all();
    s.good("whole-turn", "2", "the same, closed by both with all masters: complete", &table);
    let mut backwards = table.letters.iter().rev().map(|letter| letter.armour());
    let backwards: Vec<String> = backwards.by_ref().collect();
    let doubled = [backwards.clone(), backwards].concat().join("\n");
    s.text("backwards-and-doubled", "4", "order and repetition mean nothing", &doubled, "verified", &[]);

    let without = |i: usize| {
        let kept = table.letters.iter().enumerate().filter(|(at, _)| *at != i);
        kept.map(|(_, letter)| letter.armour()).collect::<Vec<_>>().join("\n")
    };
    s.text(
        "reveal-missing",
        "1, 3",
        "a reveal that later letters name is not at hand: undecided, and nobody is blamed",
        &without(6),
        "undecided",
        &[],
    );
    s.text(
        "last-letter-missing",
        "2",
        "nobody can tell that a last letter is missing",
        &without(table.letters.len() - 1),
        "verified",
        &[],
    );
    s.text("accept-missing", "8", "without its accept there is no game to judge", &without(1), "undecided", &[]);
    s.text("charter-missing", "8", "nor without its charter", &without(0), "undecided", &[]);

    let mut awaited = sealed("a reveal is awaited").0;
    let seal = awaited.last();
    awaited.declare(Ann, FIRST, example_attacks(), seal);
    s.good("awaiting-a-reveal", "3", "a declaration without its reveal is an open matter", &awaited);

    let mut again = Table::begin("the same again");
    let sheet = again.seal(Bob, SetKind::Sheet, "sheet/1");
    let sets: Vec<Hex32> = (1..=3).map(|n| again.seal(Bob, SetKind::Coin, &format!("1/1/ann-first/{n}"))).collect();
    let list = |odds: &str, other: &str| attacks(&[("F12+G13", odds), (other, "1-1")]);
    let first = again.declare(Ann, FIRST, list("3-1", "I11"), sets[0]);
    // A second list that is made before any dice are known is just another list.
    let crossing = again.declare(Ann, "1/1/ann-first/2", list("3-1", "I11"), sets[1]);
    again.reveal(Bob, first);
    again.reveal(Bob, crossing);
    let third = again.declare(Ann, "1/1/ann-first/3", list("2-1", "E12"), sets[2]);
    again.reveal(Bob, third);
    for (number, cell) in [(1, "A1"), (2, "A2")] {
        let input = object(json!({ "rolls": [{ "cell": cell, "why": "the bridge" }] }));
        let declared = again.declare(Ann, &format!("1/2/ann-second/{number}"), input, sheet);
        again.reveal(Bob, declared);
    }
    s.good("rolled-again", "4", "two lists roll for what their phase had rolled for, whose dice were known: no rule forbids it, and reports point it out", &again);

    let mut proposed = Table::before("a charter alone");
    let charter = proposed.charter();
    let letter = proposed.ann.propose(charter).unwrap();
    proposed.letters.push(letter);
    s.ends("charter-alone", "4", "a charter that nobody accepted", &proposed, "undecided", &[]);

    let mut forged = Table::turn("a forged letter");
    let mut head = forged.ann.next_head(Kind::Close);
    head.number += 1;
    forged.forge(head, Body::Close(Close { masters: None, result: Some("bob wins".into()) }), &key("key of eve"));
    s.ends(
        "forged-letter",
        "1, 7",
        "a letter in Ann's name under a stranger's key blames nobody",
        &forged,
        "verified",
        &[("game", None)],
    );

    let mut forged = Table::turn("a forged letter, twice");
    let mut head = forged.ann.next_head(Kind::Close);
    head.number += 1;
    let close = Body::Close(Close { masters: None, result: Some("bob wins".into()) });
    for stranger in ["key of eve", "key of mallory"] {
        forged.forge(head.clone(), close.clone(), &key(stranger));
    }
    s.ends(
        "two-wrong-keys",
        "7",
        "one letter under two strangers' keys is listed twice",
        &forged,
        "verified",
        &[("game", None), ("game", None)],
    );

    // The report begins with the game that has the lowest id: it must be the one that is played.
    let tables = (0..).map(|i| Table::refereed(&format!("letters of the referee's accept {i}"), |_| {}));
    let mut strayed =
        { tables }.find(|table| table.letters[2].message.id() < table.letters[1].message.id()).expect("such ids");
    let mut head = strayed.ann.next_head(Kind::Close);
    head.game = Some(strayed.letters[1].message.id());
    strayed.forge(head, close, &key("key of ann"));
    s.good(
        "referees-accept-as-a-game",
        "8",
        "a letter names the referee's accept as its game: that is no game's, and counts as missing in an object of its own",
        &strayed,
    );

    let turn = Table::turn("refused beside a charter");
    let refused = |of: &sealed_dice::game::steps::Letter| {
        let mut frame = of.frame.clone();
        let last = frame.iter_mut().rev().find(|byte| byte.is_ascii_hexdigit()).expect("a digit");
        *last = if *last == b'0' { b'1' } else { b'0' };
        sealed_dice::blob::armour::write(&frame)
    };
    let (low, high) =
        (turn.letters.iter().min_by_key(|of| of.message.id()), turn.letters.iter().max_by_key(|of| of.message.id()));
    let (low, high) = (low.expect("a letter"), high.expect("a letter"));
    let broken = (0..).map(|i| {
        let mut table = Table::before(&format!("a charter in breach {i}"));
        let mut charter = table.charter();
        charter.parties[1].role = role("ann");
        table.ann.propose(charter).expect("a charter")
    });
    let is_between = |charter: &sealed_dice::game::steps::Letter| {
        low.message.id() < charter.message.id() && charter.message.id() < high.message.id()
    };
    let charter = { broken }.find(is_between).expect("such an id");
    let all = [refused(high), sealed_dice::blob::armour::write(&charter.frame), refused(low)].concat();
    s.text(
        "charter-in-breach-among-the-refused",
        "7, 10",
        "a charter in breach that nobody accepted stands among the refused blobs, by its id",
        &all,
        "refuted",
        &[("signature", None), ("rule", Some("ann")), ("signature", None)],
    );

    let copied = Table::turn("letters signed again by a stranger");
    let eve = key("key of eve");
    let copies = copied.letters.iter().map(|letter| {
        let (head, body) = (letter.message.head().clone(), letter.message.body().clone());
        sealed_dice::blob::armour::write(&sealed_dice::blob::Verified::sign(head, body, &eve).unwrap().1)
    });
    let copies: String = copies.collect();
    let nobody = vec![("game", None); copied.letters.len() - 2];
    s.text(
        "signed-again-by-a-stranger",
        "message 4",
        "copies under a stranger's key have the same ids, and hide nothing",
        &(copies + &copied.transcript()),
        "verified",
        &nobody,
    );

    let (mut one, _, declaration) = declared("two games in one mailbox, one");
    one.reveal(Bob, declaration);
    let (mut two, _, declaration) = declared("two games in one mailbox, two");
    two.reveal(Bob, declaration);
    s.text(
        "two-games",
        "4",
        "each game is judged by its own letters",
        &(one.transcript() + &two.transcript()),
        "verified",
        &[],
    );
    let cut: String = table.transcript().lines().skip(3).map(|line| format!("{line}\n")).collect();
    let all = format!("{cut}{}", table.transcript());
    s.text("damaged-copy", "7", "a damaged copy beside the good letter changes nothing", &all, "verified", &[]);
}

fn chains(s: &mut Scenario<'_>) {
    crossing(s);
    seen_own_letter(s);
    seen_third_role(s);
    seen_invented(s);
    number_skipped(s);
    prev_of_another(s);
    behind_a_detached_letter(s);
}

fn crossing(s: &mut Scenario<'_>) {
    let mut table = Table::begin("letters that cross");
    let seal = table.seal_body(Bob, SetKind::Coin, FIRST);
    let other = table.seal_body(Ann, SetKind::Coin, "1/1/bob-first/1");
    table.post(Bob, Body::Seal(seal));
    table.post(Ann, Body::Seal(other));
    table.arrive(Ann);
    table.arrive(Bob);
    let seal = table.letters[2].message.id();
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, declaration);
    s.good("crossing", "5, 7", "two seals on their way at the same time", &table);

    let (mut table, _, declaration) = declared("seen goes back");
    table.reveal(Bob, declaration);
    let mut head = table.ann.next_head(Kind::Close);
    head.seen.insert(role("bob"), Some(table.letters[1].message.id()));
    table.forge(head, Body::Close(Close { masters: None, result: None }), &key("key of ann"));
    s.blames("seen-goes-back", "3", "Ann has seen Bob's third letter, and then only his first", &table, "chain", "ann");

    let (mut table, _) = sealed("seen nothing again");
    table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let mut head = table.ann.next_head(Kind::Close);
    head.seen.insert(role("bob"), None);
    table.forge(head, Body::Close(Close { masters: None, result: None }), &key("key of ann"));
    s.blames("seen-null-again", "3", "null after a letter goes back", &table, "chain", "ann");
}

fn seen_own_letter(s: &mut Scenario<'_>) {
    let (mut table, _) = sealed("seen names an own letter");
    let mut head = table.ann.next_head(Kind::Close);
    head.seen.insert(role("bob"), Some(table.letters[0].message.id()));
    table.forge(head, Body::Close(Close { masters: None, result: None }), &key("key of ann"));
    s.blames("seen-own-letter", "3", "seen names a letter of the author himself", &table, "chain", "ann");
}

fn seen_third_role(s: &mut Scenario<'_>) {
    let (mut table, _) = sealed("seen names a third role");
    let mut head = table.ann.next_head(Kind::Close);
    head.seen.insert(role("carl"), None);
    table.forge(head, Body::Close(Close { masters: None, result: None }), &key("key of ann"));
    s.blames("seen-third-role", "3", "seen has exactly the other roles of the charter", &table, "chain", "ann");
}

fn seen_invented(s: &mut Scenario<'_>) {
    let (mut table, _, declaration) = declared("an invented id");
    table.reveal(Bob, declaration);
    let mut head = table.ann.next_head(Kind::Close);
    head.seen.insert(role("bob"), Some(bytes("no such letter")));
    table.forge(head, Body::Close(Close { masters: None, result: None }), &key("key of ann"));
    s.ends(
        "seen-invented",
        "4",
        "who names an id must produce it; nobody is blamed for what is not there",
        &table,
        "undecided",
        &[],
    );
}

fn number_skipped(s: &mut Scenario<'_>) {
    let (mut table, _, declaration) = declared("a number is skipped");
    let mut head = table.bob.next_head(Kind::Reveal);
    head.number += 1;
    let reveal = table.reveal_body(Bob, declaration);
    table.forge(head, Body::Reveal(reveal), &key("key of bob"));
    s.blames("number-skipped", "2", "letter 4 calls itself 5: detached", &table, "chain", "bob");
}

fn prev_of_another(s: &mut Scenario<'_>) {
    let (mut table, _, declaration) = declared("prev is another's letter");
    let mut head = table.bob.next_head(Kind::Reveal);
    head.prev = Some(table.letters[0].message.id());
    head.number = 2;
    let reveal = table.reveal_body(Bob, declaration);
    table.forge(head, Body::Reveal(reveal), &key("key of bob"));
    s.blames(
        "prev-of-another",
        "2, 8",
        "a letter hung behind the opponent's: detached; it has the number of another, and is no fork with it",
        &table,
        "chain",
        "bob",
    );
}

fn behind_a_detached_letter(s: &mut Scenario<'_>) {
    let (mut table, _, declaration) = declared("followers of a detached letter");
    let mut head = table.bob.next_head(Kind::Reveal);
    head.number += 1;
    let reveal = table.reveal_body(Bob, declaration);
    let detached = table.forge(head, Body::Reveal(reveal), &key("key of bob"));
    let mut head = table.bob.next_head(Kind::Close);
    head.number += 2;
    head.prev = Some(detached);
    table.forge(head, Body::Close(Close { masters: None, result: None }), &key("key of bob"));
    s.blames(
        "behind-a-detached-letter",
        "2",
        "what follows a detached letter takes no effect and is not judged",
        &table,
        "chain",
        "bob",
    );

    // The contribution was made before its author had seen the seal, so the sealer could still choose the seeds.
    let mut table = Table::begin("contribution before the seal");
    let seal = table.seal_body(Bob, SetKind::Coin, FIRST);
    let seal = table.post(Bob, Body::Seal(seal));
    let declare = table.declaration(Ann, FIRST, example_attacks(), seal, None);
    table.post(Ann, Body::Declare(Box::new(declare)));
    s.blames(
        "declaration-has-not-seen-its-seal",
        "6",
        "Ann names a seal that her links do not cover",
        &table,
        "rule",
        "ann",
    );
}

/// Restores Ann to an earlier state: she signs another letter in place of the letter at position `to`.
fn rewind(table: &mut Table, to: usize, body: Body) -> Hex32 {
    let head = table.letters[to].message.head().clone();
    let kind = body.kind();
    table.forge(sealed_dice::blob::Head { kind, ..head }, body, &key("key of ann"))
}

fn forks(s: &mut Scenario<'_>) {
    rewound_author(s);
    branch_named_first_stands(s);
    fork_at_the_tip(s);
    both_branches_opened(s);
    empty_reveal_chooses_nothing(s);
}

/// The letter at position 3 of the table is Ann's declaration, her letter number 2.
fn rewound_author(s: &mut Scenario<'_>) {
    let (mut table, seal, first) = declared("a rewound author");
    table.reveal(Bob, first);
    let mut declare = table.declaration(Ann, "2/1/ann-first/1", example_attacks(), seal, None);
    declare.slot = slot(FIRST);
    let second = rewind(&mut table, 3, Body::Declare(Box::new(declare)));
    assert_ne!(first, second);
    s.blames(
        "rewound-author",
        "8, 12",
        "Ann has seen the dice and signs her declaration again with another contribution: the opened branch stands",
        &table,
        "chain",
        "ann",
    );
}

fn branch_named_first_stands(s: &mut Scenario<'_>) {
    let (mut table, seal, _) = declared("a fork named, not opened");
    table.seal(Bob, SetKind::FoulUp, "foul-up/1");
    let mut declare = table.declaration(Ann, "2/1/ann-first/1", attacks(&[("E2", "1-1")]), seal, None);
    declare.slot = slot(FIRST);
    rewind(&mut table, 3, Body::Declare(Box::new(declare)));
    s.blames(
        "branch-named-first-stands",
        "10 to 12",
        "Bob has sided with one branch, by seeing it, and opened none",
        &table,
        "chain",
        "ann",
    );
}

fn fork_at_the_tip(s: &mut Scenario<'_>) {
    let (mut table, seal) = sealed("a fork at the tip");
    let declare = table.declaration(Ann, FIRST, example_attacks(), seal, None);
    table.post(Ann, Body::Declare(Box::new(declare)));
    let mut declare = table.declaration(Ann, "2/1/ann-first/1", attacks(&[("E2", "1-1")]), seal, None);
    declare.slot = slot(FIRST);
    let last = table.letters.len() - 1;
    rewind(&mut table, last, Body::Declare(Box::new(declare)));
    s.blames(
        "fork-at-the-tip",
        "12",
        "Bob has sided with neither: both fall, and the chain ends before the fork",
        &table,
        "chain",
        "ann",
    );
}

/// Bob opens the first branch. Ann's other branch names the same index again.
fn both_branches_opened(s: &mut Scenario<'_>) {
    let (mut table, seal, first) = declared("one index on two branches");
    let mut declare = table.declaration(Ann, "2/1/ann-first/1", example_attacks(), seal, None);
    declare.slot = slot(FIRST);
    let second = rewind(&mut table, 3, Body::Declare(Box::new(declare)));
    let mut head = table.bob.next_head(Kind::Reveal);
    head.seen.insert(role("ann"), Some(second));
    let mut reveal = table.with_ledger(|ledger| {
        let master = table.bob.master(ledger, &seal).unwrap();
        let set = ledger.set(&seal).unwrap();
        let place = sealed_dice::resolve::Place { index: 2, line: 0 };
        sealed_dice::blob::body::Reveal {
            declaration: Some(second),
            keys: vec![Key(2, Hex32(*set.context.key(&master, place).expose()))],
            seal,
            sheets: vec![],
        }
    });
    let opened = table.forge(head.clone(), Body::Reveal(reveal.clone()), &key("key of bob"));
    reveal.declaration = Some(first);
    head.number += 1;
    head.prev = Some(opened);
    table.forge(head, Body::Reveal(reveal), &key("key of bob"));
    let twice = [("chain", Some("ann")), ("rule", Some("bob"))];
    s.ends(
        "both-branches-opened",
        "11, 12",
        "Bob opens both: his second reveal is no witness, and names what its links do not cover",
        &table,
        "refuted",
        &twice,
    );
}

/// Bob has seen the first branch. A reveal without a good key does not make the second one stand.
fn empty_reveal_chooses_nothing(s: &mut Scenario<'_>) {
    let (mut table, seal, _) = declared("a branch chosen by an empty reveal");
    table.seal(Bob, SetKind::FoulUp, "foul-up/1");
    let mut declare = table.declaration(Ann, "2/1/ann-first/1", attacks(&[("E2", "1-1")]), seal, None);
    declare.slot = slot(FIRST);
    let second = rewind(&mut table, 3, Body::Declare(Box::new(declare)));
    let mut head = table.bob.next_head(Kind::Reveal);
    head.seen.insert(role("ann"), Some(second));
    let empty = sealed_dice::blob::body::Reveal {
        declaration: Some(second),
        keys: vec![Key(2, bytes("no key"))],
        seal,
        sheets: vec![],
    };
    table.forge(head, Body::Reveal(empty), &key("key of bob"));
    s.ends(
        "empty-reveal-chooses-nothing",
        "11, 14",
        "Bob has sided with the first branch before: a reveal for the other is no witness, and nothing excuses its key",
        &table,
        "refuted",
        &[("chain", Some("ann")), ("rule", Some("bob"))],
    );

    let (mut table, ..) = declared("a harmless fork after a restore");
    let close = Close { masters: None, result: Some("I have restored a backup".into()) };
    rewind(&mut table, 3, Body::Close(close));
    s.blames(
        "restored-backup",
        "8",
        "two letters behind one are evidence, whatever they say; the report speaks of a backup, too",
        &table,
        "chain",
        "ann",
    );

    let mut table = Table::begin("two accepts");
    let charter = table.letters[0].message.clone();
    let mut bob = Table::before("two accepts").bob;
    let accept = bob.accept(&charter, true, bytes("another nonce")).unwrap();
    table.letters.push(accept);
    s.blames(
        "second-accept",
        "9",
        "one charter accepted twice: two games, and a finding in both",
        &table,
        "chain",
        "bob",
    );

    let mut table = Table::begin("two accepts, one in breach");
    let accept = table.letters[1].message.clone();
    let mut head = accept.head().clone();
    head.seen.insert(role("ann"), None);
    let again = (0..).map(|i| {
        let Body::Accept(mut body) = accept.body().clone() else { panic!("an accept") };
        body.nonce = bytes(&format!("another nonce {i}"));
        Body::Accept(body)
    });
    let is_behind = |body: &Body| {
        let (again, _) = Verified::sign(head.clone(), body.clone(), &key("key of bob")).expect("a letter");
        again.id() > accept.id()
    };
    let again = { again }.find(is_behind).expect("such an id");
    table.forge(head, again, &key("key of bob"));
    s.blames(
        "second-accept-in-breach",
        "9, audit 10",
        "an accept in breach is placed, and one of two; its own object has the breach alone",
        &table,
        "chain",
        "bob",
    );

    let mut table = Table::refereed("two accepts, one of the referee's accept", |_| {});
    let (hers, accept) = (table.letters[1].message.id(), table.letters[2].message.clone());
    let Body::Accept(mut body) = accept.body().clone() else { panic!("an accept") };
    body.charter = hers;
    table.forge(accept.head().clone(), Body::Accept(body), &key("key of bob"));
    s.blames(
        "second-accept-of-an-accept",
        "9, audit 10",
        "an accept in breach that names the referee's accept in the charter's place is placed, and one of two",
        &table,
        "chain",
        "bob",
    );

    let mut table = Table::refereed("two accepts, and one settled", |_| {});
    let accept = table.letters[2].message.clone();
    table.send(Carol, ruling(Ruled::Settle(accept.id())));
    // The report begins with the game that has the lowest id: the second accept must not have it.
    let again = (0..).map(|i| {
        let Body::Accept(mut body) = accept.body().clone() else { panic!("an accept") };
        body.nonce = bytes(&format!("another nonce {i}"));
        Body::Accept(body)
    });
    let is_behind = |body: &Body| {
        let (again, _) = Verified::sign(accept.head().clone(), body.clone(), &key("key of bob")).expect("a letter");
        again.id() > accept.id()
    };
    let again = again.into_iter().find(is_behind).expect("such an id");
    table.forge(accept.head().clone(), again, &key("key of bob"));
    s.blames(
        "second-accept-settled",
        "9, ruling 5",
        "the referee settles the accept of the game that is played, and knows no other: that settles nothing",
        &table,
        "chain",
        "bob",
    );

    let mut table = Table::refereed("two accepts and no third", |_| {});
    table.letters.remove(1);
    let head = table.letters[1].message.head().clone();
    let mut body = table.letters[1].message.body().clone();
    if let Body::Accept(accept) = &mut body {
        accept.nonce = bytes("another nonce");
    }
    table.forge(head, body, &key("key of bob"));
    s.ends(
        "second-accept-not-placed",
        "9",
        "both wait for the referee's accept, which is not here: no fork yet",
        &table,
        "undecided",
        &[],
    );

    let mut table = Table::begin("many accepts");
    let charter = table.letters[0].message.clone();
    for i in 0..9 {
        let mut bob = Table::before("many accepts").bob;
        table.letters.push(bob.accept(&charter, true, bytes(&format!("nonce {i}"))).unwrap());
    }
    let head = table.bob.next_head(Kind::Close);
    for result in ["ann wins", "bob wins"] {
        let close = Close { masters: None, result: Some(result.into()) };
        table.forge(head.clone(), Body::Close(close), &key("key of bob"));
    }
    let about = "ten accepts: the finding names the first eight; a fork in one of the games is another finding there";
    s.blames("many-accepts-and-a-fork", "8, 9", about, &table, "chain", "bob");
}

/// Withdraws the charter as its author, and returns the frame.
pub(crate) fn withdrawn(table: &mut Table) -> Vec<u8> {
    let charter = table.letters[0].message.id();
    let mut seen = Seen::default();
    seen.insert(role("bob"), None);
    let head = Head { game: Some(charter), number: 0, prev: None, seen, ..table.signer(Ann).next_head(Kind::Withdraw) };
    table.forge(head, Body::Withdraw(Withdraw {}), &key("key of ann"));
    table.letters.last().expect("a letter").frame.clone()
}

fn charters(s: &mut Scenario<'_>) {
    hard_core(s);
    withdrawn_and_accepted(s);
}

fn hard_core(s: &mut Scenario<'_>) {
    let table = Table::begin_with("terms with penalties", |charter| {
        charter.hard_core = true;
        charter.foul_up.remedies.illegal_odds = Remedy::Keep;
        charter.penalties.push("illegal odds: the attack at fault does not take place".into());
        charter.penalties.push("\u{1f3b2}".repeat(1_000));
        charter.deadlines.push(Deadline { days: 14, forfeit: Forfeit::None, step: Step::Reveal });
    });
    s.good("hard-core", "1, 3", "hard core, two penalties, the longest that there are, a deadline", &table);
    let mut never = Table::begin_with("keys never compared", |charter| charter.compared = false);
    never.seal(Bob, SetKind::Coin, FIRST);
    s.good("keys-not-compared", "18", "verified all the same, and the report says so", &never);
}

fn withdrawn_and_accepted(s: &mut Scenario<'_>) {
    let mut table = Table::begin_with("terms that were withdrawn", |_| {});
    withdrawn(&mut table);
    table.seal(Bob, SetKind::Coin, FIRST);
    s.good(
        "withdrawn-and-accepted",
        "22",
        "a withdraw crossed the accept: there is a game, and the audit passes it by",
        &table,
    );

    let mut breach = |file: &str, about: &str, change: fn(&mut sealed_dice::blob::body::Charter)| {
        let table = Table::begin_with(&format!("charter in breach: {file}"), change);
        s.blames(file, "6", about, &table, "rule", "ann");
    };
    breach("one-role-twice", "roles differ", |charter| charter.parties[1].role = role("ann"));
    breach("phase-twice", "names of phases differ", |charter| charter.phases[1].name = name("ann-first"));
    breach("unknown-declarer", "roles that are named exist", |charter| charter.phases[0].declarer = Some(role("carl")));
    breach("unknown-system", "systems that are named exist", |charter| charter.phases[0].system = "dominoes".into());
    breach("setting-missing", "a charter states every setting", |charter| {
        charter.phases[0].settings.remove("envelopes");
    });
    breach("setting-wrong", "and states it well", |charter| {
        charter.phases[0].settings.insert("envelopes".into(), json!(257));
    });
    breach("source-of-another-system", "a system has its source", |charter| charter.phases[0].source = Source::Sheet);
    breach("table-missing", "tables that settings ask for are there", |charter| {
        charter.phases[0].settings.insert("chart".into(), json!("table"));
    });
    breach("hard-core-with-redo", "hard core knows no redo", |charter| charter.hard_core = true);
    breach("decision-twice", "a phase names a decision once", |charter| {
        let decision = Decision { by: Some(role("ann")), how: How::Open, name: name("flank") };
        charter.phases[0].decisions = vec![decision.clone(), decision];
    });

    // A rematch on the same terms, and a reveal from the first game pasted into the second.
    let (mut one, _, declaration) = declared("a rematch");
    one.reveal(Bob, declaration);
    let mut two = Table::begin_with("a rematch", |charter| charter.nonce = bytes("the nonce of the rematch"));
    let seal = two.seal(Bob, SetKind::Coin, FIRST);
    let declaration = two.declare(Ann, FIRST, example_attacks(), seal);
    let Body::Reveal(old) = one.letters[4].message.body().clone() else { panic!("a reveal") };
    let mut reveal = two.reveal_body(Bob, declaration);
    reveal.keys[0].1 = old.keys[0].1;
    two.send(Bob, Body::Reveal(reveal));
    s.blames(
        "key-of-another-game",
        "1",
        "a rematch on the same terms is another game: its keys are others",
        &two,
        "rule",
        "bob",
    );

    let stranger = {
        let mut table = Table::before("a charter under a stranger's key");
        let charter = table.charter();
        let head = table.ann.next_head(Kind::Charter);
        table.forge(head, Body::Charter(Box::new(charter)), &key("key of eve"));
        table
    };
    s.ends(
        "not-signed-by-its-author",
        "6",
        "a charter that names Ann, under a stranger's key, blames nobody (class game)",
        &stranger,
        "undecided",
        &[("game", None)],
    );
}

fn seals(s: &mut Scenario<'_>) {
    all_kinds(s);
    second_set_for_a_slot(s);
    copied_by_a_third(s);
    copied_commitments(s);
    well_after_a_breach(s);
}

fn all_kinds(s: &mut Scenario<'_>) {
    let mut table = Table::begin("all kinds of sets");
    table.seal(Bob, SetKind::Coin, FIRST);
    table.seal(Bob, SetKind::Coin, "7/1/ann-first/2");
    table.seal(Bob, SetKind::Sheet, "sheet/1");
    table.seal(Bob, SetKind::Sheet, "sheet/2");
    table.seal(Bob, SetKind::FoulUp, "foul-up/1");
    table.seal(Bob, SetKind::Note, "1/1/bob-first/1/moves");
    table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    table.seal(Ann, SetKind::Sheet, "sheet/1");
    s.good("all-kinds", "seal 1 to 5", "sets may be sealed for any slot, as far ahead as one likes", &table);
}

fn second_set_for_a_slot(s: &mut Scenario<'_>) {
    let (mut table, _) = sealed("a second set for a slot");
    table.seal(Bob, SetKind::Coin, FIRST);
    s.blames(
        "second-set-for-a-slot",
        "seal 4",
        "two sets for one slot: Bob could show one to Ann and one to somebody else",
        &table,
        "rule",
        "bob",
    );
}

/// A time witness signs the seal that Bob is about to sign.
fn copied_by_a_third(s: &mut Scenario<'_>) {
    let mut table = Table::witnessed("a seal copied by a third", false, |_| {});
    let seal = table.seal_body(Bob, SetKind::Coin, FIRST);
    table.send(Dora, Body::Seal(seal.clone()));
    let seal = table.send(Bob, Body::Seal(seal));
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, declaration);
    s.blames(
        "copied-by-a-third",
        "letters 4, 7, seal 5",
        "a seal by an office never counts, so Bob's seal and everything after it are valid",
        &table,
        "rule",
        "dora",
    );
}

fn copied_commitments(s: &mut Scenario<'_>) {
    let (mut table, _) = sealed("copied commitments");
    let mut seal = table.seal_body(Ann, SetKind::Coin, "1/1/bob-first/1");
    let Body::Seal(bobs) = table.letters[2].message.body().clone() else { panic!("a seal") };
    seal.commits = bobs.commits;
    table.send(Ann, Body::Seal(seal));
    s.blames("copied-commitments", "seal 5", "Ann seals Bob's commitments as her own", &table, "rule", "ann");

    let mut crossing = Table::begin("copied commitments that cross");
    let bobs = crossing.seal_body(Bob, SetKind::Coin, FIRST);
    let mut seal = crossing.seal_body(Ann, SetKind::Coin, "1/1/bob-first/1");
    seal.commits.clone_from(&bobs.commits);
    crossing.post(Bob, Body::Seal(bobs));
    crossing.post(Ann, Body::Seal(seal));
    s.good(
        "copied-commitments-not-seen",
        "seal 5",
        "neither has the other in its past: nobody is blamed now; at close the copy cannot be opened",
        &crossing,
    );

    let mut breach = |file: &str, rule: &str, about: &str, who: Who, kind: SetKind, purpose: &str| {
        let mut table = Table::begin(&format!("seal in breach: {file}"));
        table.seal(who, kind, purpose);
        s.blames(file, rule, about, &table, "rule", if who == Ann { "ann" } else { "bob" });
    };
    breach(
        "phase-without-envelopes",
        "seal 3",
        "Ann's second impulse takes its dice from the sheet",
        Bob,
        SetKind::Coin,
        SECOND,
    );
    breach(
        "impulse-of-another-phase",
        "seal 3",
        "the phase is not in this impulse",
        Bob,
        SetKind::Coin,
        "1/2/ann-first/1",
    );
    breach("own-phase", "seal 3", "Bob seals for himself", Bob, SetKind::Coin, "1/1/bob-first/1");
    breach("no-such-phase", "seal 3", "a phase that the charter does not have", Bob, SetKind::Coin, "1/1/carl-first/1");
    breach(
        "slot-with-leading-zero",
        "seal 3",
        "a slot has one way to be written",
        Bob,
        SetKind::Coin,
        "01/1/ann-first/1",
    );
    breach("sheet-without-number", "seal 3", "sheets are numbered", Bob, SetKind::Sheet, "sheet");
    breach("sheet-zero", "seal 3", "from 1", Bob, SetKind::Sheet, "sheet/0");
    breach("foul-up-as-sheet", "seal 3", "a purpose belongs to its kind", Bob, SetKind::FoulUp, "sheet/1");
    breach("note-without-name", "seal 3", "a note is for a slot and has a name", Bob, SetKind::Note, "1/1/bob-first/1");

    breach("note-of-no-slot", "seal 3", "the slot of a note is possible", Bob, SetKind::Note, "1/2/bob-first/1/moves");
    let mut table = Table::begin("four foul-up envelopes");
    let salt = table.fresh();
    let seal = table.bob.seal(table.terms(), SetKind::FoulUp, "foul-up/1", 4, salt, None).unwrap();
    table.send(Bob, Body::Seal(seal));
    s.blames("four-foul-up-envelopes", "seal 2", "the charter says three", &table, "rule", "bob");
}

fn well_after_a_breach(s: &mut Scenario<'_>) {
    let mut table = Table::begin("sealed well after a breach");
    let mut seal = table.seal_body(Bob, SetKind::Coin, FIRST);
    seal.revealer = role("ann");
    table.send(Bob, Body::Seal(seal));
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, declaration);
    s.blames(
        "well-after-a-breach",
        "seal 4",
        "a seal in breach does not block its slot; it stays a finding",
        &table,
        "rule",
        "bob",
    );

    let mut changed = |file: &str, rule: &str, about: &str, change: fn(&mut sealed_dice::blob::body::Seal)| {
        let mut table = Table::begin(&format!("seal in breach: {file}"));
        let mut seal = table.seal_body(Bob, SetKind::Coin, FIRST);
        change(&mut seal);
        table.send(Bob, Body::Seal(seal));
        s.blames(file, rule, about, &table, "rule", "bob");
    };
    changed("declarer-is-the-sealer", "seal 1", "who seals does not declare", |seal| seal.declarer = role("bob"));
    changed("revealer-is-the-declarer", "seal 1", "the sealer reveals", |seal| seal.revealer = role("ann"));
    changed("commitment-twice", "seal 5", "two envelopes with one commitment", |seal| {
        seal.commits[1] = seal.commits[0]
    });
    changed("four-envelopes", "seal 2", "the charter says five", |seal| {
        seal.commits.pop();
        seal.n = 4;
    });

    let (mut table, _) = sealed("sealed after the close");
    table.close(Bob);
    table.seal(Bob, SetKind::Coin, "2/1/ann-first/1");
    s.blames("after-the-close", "letters 3", "Bob has stopped, and seals", &table, "rule", "bob");
}

fn declarations(s: &mut Scenario<'_>) {
    let (mut table, seal) = sealed("moves in files");
    table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| {
        let file = FileHash { length: 3, name: "turn-1.vlog".into(), sha3_256: bytes("abc") };
        declare.moves = Moves::Files(vec![file]);
    });
    s.good("moves-in-files", "declare", "the hash of a log stands for the moves", &table);

    let mut table = Table::begin("moves in a note");
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let note = table.seal(Ann, SetKind::Note, "1/1/ann-first/1/moves");
    let declaration = table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| {
        declare.moves = Moves::Note(NoteRef { index: 0, seal: note });
    });
    table.reveal(Bob, declaration);
    table.close_all();
    s.good("moves-in-a-note", "declare 3", "the moves are sealed, and proved at close", &table);

    let mut table = Table::begin("moves in a note of another slot");
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let note = table.seal(Ann, SetKind::Note, "2/1/ann-first/1/moves");
    table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| {
        declare.moves = Moves::Note(NoteRef { index: 0, seal: note });
    });
    s.blames("note-of-another-slot", "declare 3", "a note is for one slot", &table, "rule", "ann");

    let (mut table, seal) = sealed("no attacks");
    table.declare(Ann, FIRST, attacks(&[]), seal);
    table.close_all();
    s.good("no-attacks", "declare 5", "the moves alone; all envelopes are returned, and proved good at close", &table);

    let (mut table, seal) = sealed("no attacks, but a seal");
    table.declare_but(Ann, FIRST, attacks(&[]), seal, |declare| declare.seal = Some(seal));
    s.blames(
        "no-attacks-but-a-seal",
        "declare 5",
        "nothing is rolled for, so nothing is selected",
        &table,
        "rule",
        "ann",
    );

    let mut breach = |file: &str, rule: &str, about: &str, change: fn(&mut sealed_dice::blob::body::Declare)| {
        let (mut table, seal) = sealed(&format!("declaration in breach: {file}"));
        table.declare_but(Ann, FIRST, example_attacks(), seal, change);
        s.blames(file, rule, about, &table, "rule", "ann");
    };
    breach("nothing-selected", "declare 5", "three attacks without a seal", |declare| declare.seal = None);
    breach("phase-of-the-opponent", "declare 1", "Ann declares in Bob's phase", |declare| {
        declare.slot = slot("1/1/bob-first/1")
    });
    breach("impulse-of-another-phase", "declare 1", "her phase is in impulse 1", |declare| {
        declare.slot = slot("1/2/ann-first/1")
    });
    breach("number-2-first", "declare 20", "numbers begin at 1", |declare| declare.slot = slot("1/1/ann-first/2"));
    breach("set-of-another-slot", "declare 6", "the set is sealed for turn 1", |declare| {
        declare.slot = slot("2/1/ann-first/1")
    });
    breach("wrong-total", "declare 9", "the total is 82, not 83", |declare| worksheet(declare).total = 83);
    breach("wrong-remainder", "declare 9", "82 mod 5 is 2, not 3", |declare| worksheet(declare).index = 3);
    breach("wrong-row", "declare 9", "attacks take rows 1, 2, 3", |declare| worksheet(declare).rows.swap(0, 1));
    breach("wrong-envelope", "declare 9", "an attack takes its row from another envelope", |declare| {
        worksheet(declare).rows[2] = Pair(3, 3)
    });
    breach("selects-cells", "declare 9", "a worksheet selects envelopes", |declare| {
        declare.select = Some(Select::Cells(vec![Pair(0, 1)]))
    });
    breach("unsorted-attacks", "declare 4", "attacks stand in the order of their hexes", |declare| {
        change_input(declare, |input| input["attacks"].as_array_mut().unwrap().swap(0, 1));
    });
    breach("hex-not-canonical", "declare 4", "I-11 is written I11", |declare| {
        change_input(declare, |input| input["attacks"][2]["hexes"][0] = json!("I-11"))
    });
    breach("odds-not-canonical", "declare 4", "3:1 is written 3-1", |declare| {
        change_input(declare, |input| input["attacks"][0]["odds"] = json!("3:1"))
    });
    breach("order-left-out", "declare 4", "a signed input has every field", |declare| {
        change_input(declare, |input| {
            input["attacks"][0].as_object_mut().unwrap().remove("order");
        });
    });
    breach("input-of-another-system", "declare 4", "rolls of a sheet in a phase of envelopes", |declare| {
        declare.input = text(&cells(&["A1"]))
    });

    let (mut table, seal, _) = declared("a second declaration");
    let mut declare = table.declaration(Ann, "2/1/ann-first/1", attacks(&[("E2", "1-1")]), seal, None);
    declare.slot = slot(FIRST);
    table.send(Ann, Body::Declare(Box::new(declare)));
    s.blames(
        "second-declaration-for-a-slot",
        "declare 20",
        "one declaration a slot; the second changes nothing",
        &table,
        "rule",
        "ann",
    );

    let mut table = Table::begin("a slot behind");
    let (first, second) = (table.seal(Bob, SetKind::Coin, FIRST), table.seal(Bob, SetKind::Coin, "2/1/ann-first/1"));
    table.declare(Ann, "2/1/ann-first/1", example_attacks(), second);
    table.declare(Ann, FIRST, example_attacks(), first);
    s.blames("slot-behind", "declare 21", "turns may be skipped, and are never gone back to", &table, "rule", "ann");

    let (mut table, _, declaration) = declared("declared after the close");
    table.reveal(Bob, declaration);
    let second = table.seal(Bob, SetKind::Coin, "2/1/ann-first/1");
    table.close(Ann);
    table.declare(Ann, "2/1/ann-first/1", example_attacks(), second);
    s.blames("after-the-close", "letters 3", "Ann has stopped, and declares", &table, "rule", "ann");

    let mut table = Table::begin("a contribution twice");
    let (first, second) = (table.seal(Bob, SetKind::Coin, FIRST), table.seal(Bob, SetKind::Coin, "2/1/ann-first/1"));
    table.declare_but(Ann, FIRST, example_attacks(), first, |declare| {
        declare.contribution = Some(Contribution::Open(bytes("my lucky number")))
    });
    table.declare_but(Ann, "2/1/ann-first/1", example_attacks(), second, |declare| {
        declare.contribution = Some(Contribution::Open(bytes("my lucky number")));
    });
    s.blames("contribution-twice", "declare 8", "a contribution is made for one declaration", &table, "rule", "ann");

    let (mut table, seal) = sealed("a name of the wrong kind");
    let accept = table.letters[1].message.id();
    table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| declare.seal = Some(accept));
    s.blames("seal-is-an-accept", "letters 5", "a letter named as a seal is one", &table, "rule", "ann");

    let mut table = Table::begin("a set of her own");
    let seal = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let bobs = table.seal(Bob, SetKind::Coin, FIRST);
    table.declare_but(Ann, FIRST, example_attacks(), bobs, |declare| declare.seal = Some(seal));
    s.blames("own-set", "declare 6", "Ann knows the seeds of the set that she sealed", &table, "rule", "ann");
}

pub(crate) fn worksheet(declare: &mut sealed_dice::blob::body::Declare) -> &mut sealed_dice::blob::body::Worksheet {
    match declare.select.as_mut() {
        Some(Select::Worksheet(worksheet)) => worksheet,
        _ => panic!("a worksheet"),
    }
}

fn selections(s: &mut Scenario<'_>) {
    cells_of_selections(s);
    breach_spends_cells(s);
    eleven_attacks(s);
    set_reused(s);
}

fn cells_of_selections(s: &mut Scenario<'_>) {
    let (mut table, sheet) = with_sheet("cells over two turns");
    let one = table.declare(Ann, SECOND, cells(&["A1", "A2", "C1"]), sheet);
    table.reveal(Bob, one);
    let two = table.declare(Ann, "2/2/ann-second/1", cells(&["A3", "NN1"]), sheet);
    table.reveal(Bob, two);
    s.good("cells", "icrk 3", "a sheet goes on where it was left", &table);

    let mut cell = |file: &str, about: &str, pairs: &'static [Pair], labels: &'static [&'static str]| {
        let (mut table, sheet) = with_sheet(&format!("cells in breach: {file}"));
        let one = table.declare(Ann, SECOND, cells(&["A1", "A2"]), sheet);
        table.reveal(Bob, one);
        table.declare_but(Ann, "2/2/ann-second/1", cells(&["B1"]), sheet, |declare| {
            declare.input = text(&cells(labels));
            declare.select = Some(Select::Cells(pairs.to_vec()));
        });
        s.blames(file, "icrk 3", about, &table, "rule", "ann");
    };
    cell("cell-used-before", "A2 is spent", &[Pair(0, 2)], &["A2"]);
    cell("cell-skipped", "A3 is next, not A4: its key would open A3 too", &[Pair(0, 4)], &["A4"]);
    cell("cells-other-than-selected", "the rolls name A3, select says B1", &[Pair(1, 1)], &["A3"]);
}

/// A cell that is named in breach is spent, with those above it. The next declaration continues below.
fn breach_spends_cells(s: &mut Scenario<'_>) {
    let (mut table, sheet) = with_sheet("a breach spends cells");
    let foul_up = table.seal(Bob, SetKind::FoulUp, "foul-up/1");
    let broken = table.declare_but(Ann, SECOND, cells(&["A1"]), sheet, |declare| {
        declare.input = text(&cells(&["A4"]));
        declare.select = Some(Select::Cells(vec![Pair(0, 4)]));
    });
    let mut again = cells(&["A4"]);
    again["rolls"][0]["cell"] = json!(null);
    let redo = table.redo(Ann, SECOND, again, foul_up, Redo::Breach(broken));
    table.reveal(Bob, redo);
    let next = table.declare(Ann, "2/2/ann-second/1", cells(&["A5"]), sheet);
    table.reveal(Bob, next);
    s.ends(
        "breach-spends-cells",
        "declare, Spending",
        "A4 was named in breach, and is done again without cells; the next cell of column A is A5",
        &table,
        "verified",
        &[("rule", Some("ann"))],
    );
}

fn eleven_attacks(s: &mut Scenario<'_>) {
    let eleven: Vec<String> = (1..=11).map(|i| format!("B{i}")).collect();
    let eleven: Vec<(&str, &str)> =
        eleven.iter().map(|hex| (hex.as_str(), if hex == "B11" { "4-1" } else { "2-1" })).collect();
    let (mut table, seal) = sealed("eleven attacks");
    let declaration = table.declare(Ann, FIRST, attacks(&eleven), seal);
    table.reveal(Bob, declaration);
    table.close_all();
    s.good(
        "eleven-attacks",
        "coin-envelopes 7",
        "the eleventh attack takes envelope 0 behind envelope 4: two keys are owed, in this order",
        &table,
    );

    let mut table = Table::begin_with("values 2-12", |charter| {
        charter.phases[0].settings.insert("values".into(), json!("2-12"));
        charter.phases[1].settings.insert("values".into(), json!("0-9"));
    });
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let sheet = table.seal(Bob, SetKind::Sheet, "sheet/1");
    let one = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, one);
    let two = table.declare(Ann, SECOND, cells(&["A1"]), sheet);
    table.reveal(Bob, two);
    s.good("other-values", "dice 7", "two d6 a row, and a d10 a cell", &table);
}

fn set_reused(s: &mut Scenario<'_>) {
    let (mut table, seal) = sealed("the same set for a later slot");
    table.declare(Ann, FIRST, example_attacks(), seal);
    table.declare_but(Ann, "1/1/ann-first/2", example_attacks(), seal, |_| {});
    s.blames("set-reused", "declare 6", "a coin set answers one worksheet", &table, "rule", "ann");
}

fn redos(s: &mut Scenario<'_>) {
    breach_settled(s);
    redo_with_other_moves(s);
    redo_of_a_good_declaration(s);
    foul_up_set_without_redo(s);
    foul_up_envelope_skipped(s);
    opened_envelope_used(s);
    opened_elsewhere(s);
}

fn breach_settled(s: &mut Scenario<'_>) {
    let (mut table, seal, foul_up) = with_foul_up("a breach done again");
    let broken = table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| worksheet(declare).index = 3);
    let redo = table.redo(Ann, FIRST, example_attacks(), foul_up, Redo::Breach(broken));
    table.reveal(Bob, redo);
    table.close_all();
    s.ends(
        "breach-settled",
        "declare 11",
        "a wrong remainder, declared again from the foul-up set: settled",
        &table,
        "verified",
        &[("rule", Some("ann"))],
    );

    let (mut table, seal, foul_up) = with_foul_up("a breach done again, not opened yet");
    let broken = table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| worksheet(declare).index = 3);
    table.redo(Ann, FIRST, example_attacks(), foul_up, Redo::Breach(broken));
    s.ends(
        "breach-not-settled-yet",
        "audit 1",
        "the redo is valid and not opened yet: Ann is not refuted by Bob's silence",
        &table,
        "undecided",
        &[("rule", Some("ann"))],
    );

    let (mut table, seal, foul_up) = with_foul_up("a breach done again twice");
    let broken = table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| worksheet(declare).index = 3);
    let redo = table.redo(Ann, FIRST, example_attacks(), foul_up, Redo::Breach(broken));
    table.reveal(Bob, redo);
    table.redo(Ann, FIRST, example_attacks(), foul_up, Redo::Breach(broken));
    s.ends(
        "second-redo-of-a-breach",
        "declare 11",
        "the second redo is a breach of its own",
        &table,
        "refuted",
        &[("rule", Some("ann")), ("rule", Some("ann"))],
    );
}

fn redo_with_other_moves(s: &mut Scenario<'_>) {
    let (mut table, seal, foul_up) = with_foul_up("a redo with other moves");
    let broken = table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| worksheet(declare).index = 3);
    let mut redo = table.declaration(Ann, FIRST, example_attacks(), foul_up, Some(Redo::Breach(broken)));
    redo.moves = Moves::Text("Guards to Z99.".into());
    table.send(Ann, Body::Declare(Box::new(redo)));
    s.ends(
        "redo-with-other-moves",
        "declare 11",
        "a breach is no occasion to move differently",
        &table,
        "refuted",
        &[("rule", Some("ann")), ("rule", Some("ann"))],
    );
}

fn redo_of_a_good_declaration(s: &mut Scenario<'_>) {
    let (mut table, seal, foul_up) = with_foul_up("a redo of a good declaration");
    let good = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, good);
    let mut redo = table.declaration(Ann, FIRST, example_attacks(), foul_up, Some(Redo::Breach(good)));
    redo.slot = slot(FIRST);
    table.send(Ann, Body::Declare(Box::new(redo)));
    s.blames("redo-of-a-good-declaration", "declare 11", "Ann does not like her dice", &table, "rule", "ann");
}

fn foul_up_set_without_redo(s: &mut Scenario<'_>) {
    let (mut table, seal, foul_up) = with_foul_up("the foul-up set used without cause");
    table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| declare.seal = Some(foul_up));
    s.blames("foul-up-set-without-redo", "declare 6", "the foul-up set is for redos", &table, "rule", "ann");
}

fn foul_up_envelope_skipped(s: &mut Scenario<'_>) {
    let (mut table, seal, foul_up) = with_foul_up("a redo that skips a foul-up envelope");
    let broken = table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| worksheet(declare).index = 3);
    let mut redo = table.declaration(Ann, FIRST, example_attacks(), foul_up, Some(Redo::Breach(broken)));
    if let Some(Select::FoulUp(select)) = redo.select.as_mut() {
        select.index = 1;
    }
    table.send(Ann, Body::Declare(Box::new(redo)));
    s.ends(
        "foul-up-envelope-skipped",
        "declare 9",
        "the next foul-up envelope is 0",
        &table,
        "refuted",
        &[("rule", Some("ann")), ("rule", Some("ann"))],
    );

    again_and_again(s);
    // Bob opens envelope 2 in advance, and Ann's worksheet selects it.
    let (mut table, seal, foul_up) = with_foul_up("an envelope opened unasked");
    let opening = unasked(&mut table, seal, 2);
    let redo = table.redo(Ann, FIRST, example_attacks(), foul_up, Redo::Opened(opening));
    table.reveal(Bob, redo);
    s.blames(
        "opened-unasked",
        "declare 13",
        "the worksheet lands on an envelope that Bob opened before: the foul-up set answers, Bob is at fault",
        &table,
        "rule",
        "bob",
    );
}

fn opened_envelope_used(s: &mut Scenario<'_>) {
    let (mut table, seal, _) = with_foul_up("an opened envelope used");
    unasked(&mut table, seal, 2);
    table.declare(Ann, FIRST, example_attacks(), seal);
    s.ends(
        "opened-envelope-used",
        "declare 10",
        "Ann knows the seed when she declares",
        &table,
        "refuted",
        &[("rule", Some("bob")), ("rule", Some("ann"))],
    );
}

fn opened_elsewhere(s: &mut Scenario<'_>) {
    let (mut table, seal, foul_up) = with_foul_up("another envelope opened unasked");
    let opening = unasked(&mut table, seal, 3);
    let mut redo = table.declaration(Ann, FIRST, example_attacks(), foul_up, Some(Redo::Opened(opening)));
    redo.slot = slot(FIRST);
    table.send(Ann, Body::Declare(Box::new(redo)));
    s.ends(
        "opened-elsewhere",
        "declare 13",
        "envelope 3 was opened, the worksheet asks for 2: no cause for a redo",
        &table,
        "refuted",
        &[("rule", Some("bob")), ("rule", Some("ann"))],
    );
}

/// Two findings against Ann.
const TWICE: [(&str, Option<&str>); 2] = [("rule", Some("ann")), ("rule", Some("ann"))];

/// What Ann might try with her own breaches.
fn again_and_again(s: &mut Scenario<'_>) {
    second_declaration_done_again(s);
    number_skipped_of_again_and_again(s);
}

fn second_declaration_done_again(s: &mut Scenario<'_>) {
    let broken = |label: &str| {
        let (mut table, seal, foul_up) = with_foul_up(label);
        let broken = table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| worksheet(declare).index = 3);
        (table, broken, foul_up)
    };

    let (mut table, seal, foul_up) = with_foul_up("a second declaration, and a redo of it");
    let good = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, good);
    let mut second = table.declaration(Ann, "2/1/ann-first/1", example_attacks(), seal, None);
    second.slot = slot(FIRST);
    let second = table.send(Ann, Body::Declare(Box::new(second)));
    table.redo(Ann, FIRST, example_attacks(), foul_up, Redo::Breach(second));
    s.ends(
        "second-declaration-done-again",
        "declare 11",
        "a used slot is never done again: it would be a second roll",
        &table,
        "refuted",
        &TWICE,
    );

    // Each of these hides the used slot behind another breach, but cannot be done again all the same.
    type Change = fn(&mut sealed_dice::blob::body::Declare, Hex32);
    let hidden: [(&str, &str, Change); 3] = [
        ("behind-letters-3", "letters 5", |declare, good| declare.seal = Some(good)),
        ("behind-declare-11", "declare 11", |declare, good| declare.redo = Some(Redo::Breach(good))),
        ("behind-declare-13", "declare 20", |declare, good| declare.redo = Some(Redo::Opened(good))),
    ];
    for (file, rule, change) in hidden {
        let (mut table, seal, foul_up) = with_foul_up(&format!("a second roll {file}"));
        let good = table.declare(Ann, FIRST, example_attacks(), seal);
        table.reveal(Bob, good);
        let mut second = table.declaration(Ann, "2/1/ann-first/1", example_attacks(), seal, None);
        second.slot = slot(FIRST);
        change(&mut second, good);
        let second = table.send(Ann, Body::Declare(Box::new(second)));
        table.redo(Ann, FIRST, example_attacks(), foul_up, Redo::Breach(second));
        s.ends(
            &format!("second-roll-{file}"),
            rule,
            "only breaches of declare 3 to 10 can be done again",
            &table,
            "refuted",
            &TWICE,
        );
    }

    let (mut table, seal, foul_up) = with_foul_up("another input behind a notation");
    let breach = table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| {
        change_input(declare, |input| input["attacks"][0]["odds"] = json!("3:1"));
    });
    table.redo(Ann, FIRST, attacks(&[("A1", "9-1")]), foul_up, Redo::Breach(breach));
    s.ends(
        "redo-of-a-notation-with-another-input",
        "declare 11",
        "3:1 can be read: the redo has 3-1, and nothing else",
        &table,
        "refuted",
        &TWICE,
    );

    let (mut table, _, _) = broken("a breach is parked");
    let next = table.seal(Bob, SetKind::Coin, "2/1/ann-first/1");
    table.declare(Ann, "2/1/ann-first/1", example_attacks(), next);
    s.ends(
        "breach-parked",
        "declare 2",
        "Ann leaves her breach and declares something else first",
        &table,
        "refuted",
        &TWICE,
    );

    let (mut table, breach, foul_up) = broken("a redo with another input");
    table.redo(Ann, FIRST, attacks(&[("A1", "9-1")]), foul_up, Redo::Breach(breach));
    s.ends(
        "breach-redo-with-another-input",
        "declare 11",
        "a breach is no occasion to attack elsewhere",
        &table,
        "refuted",
        &TWICE,
    );

    let (mut table, seal, foul_up) = with_foul_up("an unreadable input is done again");
    let breach = table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| {
        change_input(declare, |input| input["attacks"][0]["odds"] = json!("0-1"));
    });
    let redo = table.redo(Ann, FIRST, example_attacks(), foul_up, Redo::Breach(breach));
    table.reveal(Bob, redo);
    s.ends(
        "redo-of-a-bad-input",
        "declare 11",
        "where the input was what was wrong it is another one",
        &table,
        "verified",
        &[("rule", Some("ann"))],
    );

    let mut table = Table::begin("moves that were wrong");
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let foul_up = table.seal(Bob, SetKind::FoulUp, "foul-up/1");
    let note = table.seal(Ann, SetKind::Note, "2/1/ann-first/1/moves");
    let breach = table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| {
        declare.moves = Moves::Note(NoteRef { index: 0, seal: note });
    });
    let redo = table.redo(Ann, FIRST, example_attacks(), foul_up, Redo::Breach(breach));
    table.reveal(Bob, redo);
    s.ends(
        "redo-of-bad-moves",
        "declare 11",
        "where the moves were what was wrong they are others",
        &table,
        "verified",
        &[("rule", Some("ann"))],
    );

    let (mut table, breach, foul_up) = broken("a redo in breach is done again");
    let worse = table.redo_but(FIRST, example_attacks(), foul_up, Redo::Breach(breach), |redo| {
        redo.select = Some(Select::FoulUp(Lines { index: 2, lines: 3 }));
    });
    let redo = table.redo(Ann, FIRST, example_attacks(), foul_up, Redo::Breach(worse));
    table.reveal(Bob, redo);
    s.ends(
        "redo-of-a-redo",
        "declare, Breach",
        "the last redo settles the one before, and what that one was to mend",
        &table,
        "verified",
        &TWICE,
    );

    let (mut table, breach, foul_up) = broken("the first breach again");
    let worse = table.redo_but(FIRST, example_attacks(), foul_up, Redo::Breach(breach), |redo| {
        redo.select = Some(Select::FoulUp(Lines { index: 2, lines: 3 }));
    });
    assert_ne!(worse, breach);
    table.redo(Ann, FIRST, example_attacks(), foul_up, Redo::Breach(breach));
    s.ends(
        "redo-of-the-first-breach",
        "declare 11",
        "the last declaration is what is to be done again",
        &table,
        "refuted",
        &[TWICE[0]; 3],
    );

    let (mut table, breach, foul_up) = broken("the same slot again without a redo");
    let mut second = table.declaration(Ann, "2/1/ann-first/1", example_attacks(), foul_up, Some(Redo::Breach(breach)));
    second.slot = slot(FIRST);
    second.redo = None;
    table.send(Ann, Body::Declare(Box::new(second)));
    s.ends("breach-declared-again-plainly", "declare 2", "a breach uses up its slot", &table, "refuted", &TWICE);

    // Bob opens foul-up envelope 0 unasked, so the redo takes the next one.
    let (mut table, breach, foul_up) = broken("a foul-up envelope opened unasked");
    unasked(&mut table, foul_up, 0);
    let redo = table.redo(Ann, FIRST, example_attacks(), foul_up, Redo::Breach(breach));
    table.reveal(Bob, redo);
    let findings = [("rule", Some("ann")), ("rule", Some("bob"))];
    s.ends(
        "foul-up-envelope-opened",
        "declare 9",
        "an opened foul-up envelope is lost; the next one answers",
        &table,
        "refuted",
        &findings,
    );
}

fn number_skipped_of_again_and_again(s: &mut Scenario<'_>) {
    let (mut table, seal) = sealed("a number is skipped");
    let second = table.seal(Bob, SetKind::Coin, "1/1/ann-first/2");
    table.declare(Ann, FIRST, example_attacks(), seal);
    let third = table.declare_but(Ann, "1/1/ann-first/2", example_attacks(), second, |declare| {
        declare.slot = slot("1/1/ann-first/3")
    });
    assert_ne!(third, second);
    s.blames("number-skipped", "declare 20", "behind number 1 comes number 2", &table, "rule", "ann");
}

/// Bob opens an envelope that no declaration asked for, in a reveal for an earlier, rightful declaration.
pub(crate) fn unasked(table: &mut Table, seal: Hex32, index: u64) -> Hex32 {
    let key = table.key_of(Bob, seal, index, 0);
    let own = table.declare(Bob, "1/1/bob-first/1", attacks(&[]), seal);
    let reveal =
        sealed_dice::blob::body::Reveal { declaration: Some(own), keys: vec![Key(index, key)], seal, sheets: vec![] };
    table.send(Bob, Body::Reveal(reveal))
}

fn reveals(s: &mut Scenario<'_>) {
    // Ann's declaration has seen less than her letter before. It is in breach of chain 3, and nobody opens it.
    let (mut table, seal) = sealed("a declaration that un-sees");
    table.seal(Bob, SetKind::Coin, "2/1/ann-first/1");
    table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let declare = table.declaration(Ann, FIRST, example_attacks(), seal, None);
    let mut head = table.signer(Ann).next_head(Kind::Declare);
    head.seen.insert(role("bob"), Some(seal));
    let declaration = table.forge(head, Body::Declare(Box::new(declare)), &key("key of ann"));
    let message = table.letters.last().expect("a declaration").message.clone();
    table.bob.see(&message);
    let key = table.key_of(Bob, seal, 2, 0);
    table.post(
        Bob,
        Body::Reveal(Reveal { declaration: Some(declaration), keys: vec![Key(2, key)], seal, sheets: vec![] }),
    );
    s.ends(
        "of-a-breach-of-chain",
        "reveal 3, chain 3",
        "what is in breach of chain 3 is not valid, and must not be opened",
        &table,
        "refuted",
        &[("chain", Some("ann")), ("rule", Some("bob"))],
    );

    let mut changed = |file: &str, rule: &str, about: &str, change: fn(&mut sealed_dice::blob::body::Reveal)| {
        let (mut table, _, declaration) = declared(&format!("reveal in breach: {file}"));
        let mut reveal = table.reveal_body(Bob, declaration);
        change(&mut reveal);
        table.send(Bob, Body::Reveal(reveal));
        s.blames(file, rule, about, &table, "rule", "bob");
    };
    changed("wrong-key", "reveal 5", "the key does not match: no seed but the sealed one can be shown", |reveal| {
        reveal.keys[0].1 = bytes("a better seed")
    });
    changed("another-index", "reveal 4", "envelope 3 instead of 2", |reveal| reveal.keys[0].0 = 3);
    changed("nothing-opened", "reveal 4", "no key at all", |reveal| reveal.keys.clear());
    changed("index-beyond", "reveal 4", "there is no envelope 7", |reveal| reveal.keys[0].0 = 7);
    changed("cell-of-a-coin-set", "reveal 4", "a coin set has no cells", |reveal| {
        reveal.sheets.push(CellKey(0, 1, bytes("x")))
    });
    changed("key-twice", "reveal 4", "the key stands twice", |reveal| reveal.keys.push(reveal.keys[0]));

    let (mut table, seal, declaration) = declared("one key too many");
    let mut reveal = table.reveal_body(Bob, declaration);
    let key = table.key_of(Bob, seal, 3, 0);
    reveal.keys.push(Key(3, key));
    table.send(Bob, Body::Reveal(reveal));
    s.blames(
        "one-key-too-many",
        "reveal 4",
        "the dice stand, for the key is good; the other envelope is lost for Bob",
        &table,
        "rule",
        "bob",
    );

    let (mut table, _, declaration) = declared("revealed in two letters");
    let mut reveal = table.reveal_body(Bob, declaration);
    let key = reveal.keys[0];
    reveal.keys[0].1 = bytes("a better seed");
    table.send(Bob, Body::Reveal(reveal.clone()));
    reveal.keys[0] = key;
    table.send(Bob, Body::Reveal(reveal));
    s.blames("wrong-then-right", "reveal 5", "the rest is still owed, and comes", &table, "rule", "bob");

    let (mut table, _, declaration) = declared("revealed by the declarer");
    let reveal = table.reveal_body(Bob, declaration);
    table.send(Ann, Body::Reveal(reveal));
    s.blames(
        "by-the-declarer",
        "reveal 1",
        "a key that matches is a fact, whoever sends it; the letter is not Ann's to send",
        &table,
        "rule",
        "ann",
    );

    let (mut table, seal) = sealed("a reveal of a breach");
    let broken = table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| worksheet(declare).index = 3);
    let key = table.key_of(Bob, seal, 3, 0);
    let reveal =
        sealed_dice::blob::body::Reveal { declaration: Some(broken), keys: vec![Key(3, key)], seal, sheets: vec![] };
    table.send(Bob, Body::Reveal(reveal));
    s.ends(
        "of-a-breach",
        "reveal 3",
        "a declaration in breach is not opened; no dice come of it",
        &table,
        "refuted",
        &[("rule", Some("ann")), ("rule", Some("bob"))],
    );

    let (mut table, sheet) = with_sheet("a deeper cell revealed");
    let declaration = table.declare(Ann, SECOND, cells(&["A1", "A2"]), sheet);
    let deeper = table.key_of(Bob, sheet, 0, 3);
    let mut reveal = table.reveal_body(Bob, declaration);
    reveal.sheets[0] = CellKey(0, 3, deeper);
    table.send(Bob, Body::Reveal(reveal));
    let next = table.declare(Ann, "2/2/ann-second/1", cells(&["A4"]), sheet);
    table.reveal(Bob, next);
    s.blames(
        "deeper-cell",
        "reveal 4",
        "Bob opens A3 too: A1 and A2 have their dice, A3 is lost, the column goes on at A4",
        &table,
        "rule",
        "bob",
    );

    let (mut table, sheet) = with_sheet("a cell too few");
    let declaration = table.declare(Ann, SECOND, cells(&["A1", "A2"]), sheet);
    let mut reveal = table.reveal_body(Bob, declaration);
    let first = table.key_of(Bob, sheet, 0, 1);
    reveal.sheets[0] = CellKey(0, 1, first);
    table.send(Bob, Body::Reveal(reveal));
    s.blames("cell-too-few", "reveal 4", "Bob opens A1 and keeps A2", &table, "rule", "bob");

    let mut table = Table::begin("a note revealed");
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let note = table.seal(Ann, SetKind::Note, "1/1/ann-first/1/moves");
    let declaration = table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| {
        declare.moves = Moves::Note(NoteRef { index: 0, seal: note });
    });
    table.reveal(Bob, declaration);
    let key = table.key_of(Ann, note, 0, 0);
    let reveal = sealed_dice::blob::body::Reveal {
        declaration: Some(declaration),
        keys: vec![Key(0, key)],
        seal: note,
        sheets: vec![],
    };
    table.send(Ann, Body::Reveal(reveal.clone()));
    s.good("note", "reveal 2", "Ann opens the note with her moves", &table);

    let mut other = Table::begin("a note that does not open");
    let seal = other.seal(Bob, SetKind::Coin, FIRST);
    let mut body = other.seal_body(Ann, SetKind::Note, "1/1/ann-first/1/moves");
    body.notes.as_mut().unwrap()[0].0[5] ^= 1;
    let note = other.send(Ann, Body::Seal(body));
    let declaration = other.declare_but(Ann, FIRST, example_attacks(), seal, |declare| {
        declare.moves = Moves::Note(NoteRef { index: 0, seal: note });
    });
    let key = other.key_of(Ann, note, 0, 0);
    let reveal = sealed_dice::blob::body::Reveal {
        declaration: Some(declaration),
        keys: vec![Key(0, key)],
        seal: note,
        sheets: vec![],
    };
    other.send(Ann, Body::Reveal(reveal));
    s.blames(
        "note-that-does-not-open",
        "reveal 5",
        "the key matches, and opens nothing: its sealer's breach",
        &other,
        "rule",
        "ann",
    );
}

fn decisions(s: &mut Scenario<'_>) {
    let (mut table, seal) = owing("a decision in time", "bob");
    table.decide(Bob, FIRST, "flank");
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, declaration);
    s.good("in-time", "decide, declare 7", "Bob's choice is signed before Ann declares", &table);

    let (mut table, seal) = owing("a decision owed by the sealer", "bob");
    table.declare(Ann, FIRST, example_attacks(), seal);
    s.blames(
        "owed-by-the-sealer",
        "declare 7",
        "Bob, who knows the seeds, still owes a choice: he would know the dice first",
        &table,
        "rule",
        "ann",
    );

    let (mut table, seal) = owing("a decision back-dated", "bob");
    let declare = table.declaration(Ann, FIRST, example_attacks(), seal, None);
    table.post(Ann, Body::Declare(Box::new(declare)));
    table.decide(Bob, FIRST, "flank");
    s.blames(
        "crossing",
        "declare 7",
        "validity lies in the declaration's own past: a choice that crosses it does not help",
        &table,
        "rule",
        "ann",
    );

    let (mut table, seal) = owing("a pick after the stream is open", "ann");
    table.decide(Ann, FIRST, "flank");
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, declaration);
    table.decide(Ann, FIRST, "flank");
    s.blames("twice", "decide 2", "Ann picks again once she has seen the dice", &table, "rule", "ann");

    let mut table = Table::begin_with("a pick after the dice", |charter| {
        charter.phases[0].decisions.push(Decision { by: Some(role("bob")), how: How::Open, name: name("flank") });
    });
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.decide(Bob, FIRST, "flank");
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, declaration);
    table.decide(Bob, FIRST, "reserve");
    s.blames("not-listed", "decide 1", "the charter lists no such decision", &table, "rule", "bob");

    let (mut table, seal) = owing("a pick signed after its stream was open", "bob");
    table.decide(Bob, FIRST, "flank");
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, declaration);
    table.decide(Bob, FIRST, "flank");
    s.blames("after-the-stream-was-open", "decide 2", "Bob picks again after the reveal", &table, "rule", "bob");

    let (mut table, _) = owing("a pick for a declared slot", "bob");
    let seal = table.last();
    table.declare(Ann, FIRST, attacks(&[]), seal);
    table.decide(Bob, FIRST, "flank");
    s.blames("too-late", "decide 3", "the slot is declared, without attacks", &table, "rule", "bob");

    let (mut table, seal) = owing("a redo after the missing decision", "bob");
    let foul_up = table.seal(Bob, SetKind::FoulUp, "foul-up/1");
    let broken = table.declare(Ann, FIRST, example_attacks(), seal);
    table.decide(Bob, FIRST, "flank");
    let redo = table.redo(Ann, FIRST, example_attacks(), foul_up, Redo::Breach(broken));
    table.reveal(Bob, redo);
    s.ends(
        "then-redo",
        "declare 11",
        "the declaration came too early; Bob decides, Ann declares again",
        &table,
        "verified",
        &[("rule", Some("ann"))],
    );
}

/// Plays the source text's attacks and opens them, with a foul-up set available.
pub(crate) fn opened(label: &str) -> (Table, Hex32, Hex32) {
    let (mut table, seal, foul_up) = with_foul_up(label);
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, declaration);
    (table, declaration, foul_up)
}

fn corrections(s: &mut Scenario<'_>) {
    after_a_close(s);
    redo_of_a_breach_far_ahead(s);
}

fn after_a_close(s: &mut Scenario<'_>) {
    let (mut table, _, _) = with_foul_up("a foul-up after a close");
    let seal = table.seal(Bob, SetKind::Coin, "2/1/ann-first/1");
    let declaration = table.declare(Ann, "2/1/ann-first/1", example_attacks(), seal);
    table.reveal(Bob, declaration);
    table.close(Bob);
    let corrected = table.corrected_attacks();
    table.propose(Ann, declaration, Some(corrected));
    s.blames(
        "after-a-close",
        "correct 6",
        "Bob has stopped, knowing the dice: nothing is done again",
        &table,
        "rule",
        "ann",
    );
}

/// A redo of a breach does not count in the order of slots.
fn redo_of_a_breach_far_ahead(s: &mut Scenario<'_>) {
    let (mut table, seal, foul_up) = with_foul_up("a breach far ahead");
    let later = table.seal(Bob, SetKind::Coin, "2/1/ann-first/1");
    let breach =
        table.declare_but(Ann, "2/1/ann-first/1", example_attacks(), later, |declare| declare.contribution = None);
    let redo = table.redo(Ann, "2/1/ann-first/1", example_attacks(), foul_up, Redo::Breach(breach));
    table.reveal(Bob, redo);
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, declaration);
    s.ends(
        "redo-of-a-breach-far-ahead",
        "declare 21",
        "the slots before it can still be declared",
        &table,
        "verified",
        &[("rule", Some("ann"))],
    );

    let (mut table, declaration, foul_up) = opened("an agreed redo");
    let corrected = table.corrected_attacks();
    let proposal = table.propose(Bob, declaration, Some(corrected.clone()));
    let acceptance = table.send(Ann, Body::Correct(Correct::Accept(proposal)));
    let redo = table.redo(Ann, FIRST, corrected.clone(), foul_up, Redo::Agreed(acceptance));
    table.reveal(Bob, redo);
    table.close_all();
    s.good("agreed-redo", "correct, declare 12", "F12 was 2-1: all dice of the impulse come from foul-up envelope 0, rows by sorted place; the old dice are shown as replaced", &table);

    let (mut table, declaration, _) = opened("an agreed keep");
    let proposal = table.propose(Bob, declaration, None);
    table.send(Ann, Body::Correct(Correct::Accept(proposal)));
    s.good("agreed-keep", "correct 2", "the mistake is on record, the dice are kept", &table);

    let (mut table, declaration, _) = opened("a refused proposal");
    let proposal = table.propose(Bob, declaration, Some(corrected.clone()));
    table.send(Ann, Body::Correct(Correct::Refuse(proposal)));
    s.good("refused", "correct 4", "without agreement the dice stand", &table);

    let (mut table, _, declaration) = declared("an objection before the reveal");
    table.propose(Bob, declaration, Some(corrected.clone()));
    s.blames(
        "before-the-reveal",
        "correct 1",
        "Bob knows the dice and objects instead of revealing",
        &table,
        "rule",
        "bob",
    );

    let (mut table, declaration, _) = opened("an objection after playing on");
    let next = table.seal(Bob, SetKind::Coin, "2/1/ann-first/1");
    table.declare(Ann, "2/1/ann-first/1", example_attacks(), next);
    table.propose(Bob, declaration, Some(corrected.clone()));
    s.blames(
        "after-playing-on",
        "correct 6",
        "Ann has declared again since the reveal: now the dice are kept",
        &table,
        "rule",
        "bob",
    );

    let (mut table, declaration, _) = opened("a record after playing on");
    let next = table.seal(Bob, SetKind::Coin, "2/1/ann-first/1");
    table.declare(Ann, "2/1/ann-first/1", example_attacks(), next);
    table.propose(Bob, declaration, None);
    s.good("record-after-playing-on", "correct 6", "a record that keeps the dice can come at any time", &table);

    let (mut table, declaration, _) = opened("a class whose dice are kept");
    let proposal = sealed_dice::blob::body::Proposal {
        at_fault: role("ann"),
        class: sealed_dice::blob::body::FoulUpClass::IllegalMove,
        declaration,
        input: Some(text(&corrected)),
        reason: "the Guards cannot have reached F12".into(),
    };
    table.send(Bob, Body::Correct(Correct::Propose(Box::new(proposal))));
    s.blames("class-that-keeps", "correct 2", "the charter keeps the dice for illegal moves", &table, "rule", "bob");

    let (mut table, declaration, _) = opened("a lapsed proposal");
    let proposal = table.propose(Bob, declaration, Some(corrected.clone()));
    table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    table.send(Ann, Body::Correct(Correct::Accept(proposal)));
    s.blames(
        "lapsed",
        "correct 4",
        "Ann's first letter that knew the proposal did not accept it",
        &table,
        "rule",
        "ann",
    );

    let (mut table, declaration, _) = opened("an own proposal accepted");
    let proposal = table.propose(Bob, declaration, Some(corrected.clone()));
    table.send(Bob, Body::Correct(Correct::Accept(proposal)));
    s.blames("own-proposal-accepted", "correct 4", "Bob agrees with himself", &table, "rule", "bob");

    let (mut table, declaration, _) = opened("two open proposals");
    table.propose(Bob, declaration, Some(corrected.clone()));
    table.propose(Bob, declaration, None);
    s.blames("second-open-proposal", "correct 3", "one open proposal a declaration", &table, "rule", "bob");

    let (mut table, declaration, _) = opened("a second proposal that does not fit");
    table.propose(Bob, declaration, Some(corrected.clone()));
    let scope = Scope::Rolls(ScopeRolls { declaration, lines: vec![99] });
    table.send(Bob, Body::Correct(Correct::Void(Voiding { reason: "the bridge was blown".into(), scope })));
    s.blames(
        "second-proposal-that-does-not-fit",
        "letters 2, correct 3",
        "the rules are checked in their order",
        &table,
        "rule",
        "bob",
    );

    let (mut table, declaration, foul_up) = opened("a redo with another input");
    let proposal = table.propose(Bob, declaration, Some(corrected.clone()));
    let acceptance = table.send(Ann, Body::Correct(Correct::Accept(proposal)));
    table.redo(Ann, FIRST, example_attacks(), foul_up, Redo::Agreed(acceptance));
    s.blames("redo-with-another-input", "declare 12", "a redo has the agreed input", &table, "rule", "ann");

    let (mut table, declaration, foul_up) = opened("an agreed redo twice");
    let proposal = table.propose(Bob, declaration, Some(corrected.clone()));
    let acceptance = table.send(Ann, Body::Correct(Correct::Accept(proposal)));
    let redo = table.redo(Ann, FIRST, corrected.clone(), foul_up, Redo::Agreed(acceptance));
    table.reveal(Bob, redo);
    table.redo(Ann, FIRST, corrected.clone(), foul_up, Redo::Agreed(acceptance));
    s.blames("redo-twice", "declare 12", "an agreement is used once", &table, "rule", "ann");

    let (mut table, declaration, foul_up) = opened("an objection to what was done again");
    let proposal = table.propose(Bob, declaration, Some(corrected.clone()));
    let acceptance = table.send(Ann, Body::Correct(Correct::Accept(proposal)));
    let redo = table.redo(Ann, FIRST, corrected.clone(), foul_up, Redo::Agreed(acceptance));
    table.reveal(Bob, redo);
    table.propose(Bob, declaration, None);
    s.blames(
        "of-what-was-replaced",
        "correct 1",
        "the declaration was done again and no longer counts",
        &table,
        "rule",
        "bob",
    );

    let (mut table, declaration, _) = opened("an agreed redo put off");
    let proposal = table.propose(Bob, declaration, Some(corrected.clone()));
    table.send(Ann, Body::Correct(Correct::Accept(proposal)));
    let next = table.seal(Bob, SetKind::Coin, "2/1/ann-first/1");
    table.declare(Ann, "2/1/ann-first/1", example_attacks(), next);
    s.blames(
        "agreed-redo-put-off",
        "declare 2",
        "Ann agreed to a redo and declares something else first",
        &table,
        "rule",
        "ann",
    );

    let (mut table, declaration, foul_up) = opened("an agreed redo in breach");
    let proposal = table.propose(Bob, declaration, Some(corrected.clone()));
    let acceptance = table.send(Ann, Body::Correct(Correct::Accept(proposal)));
    let worse = table.redo_but(FIRST, corrected.clone(), foul_up, Redo::Agreed(acceptance), |redo| {
        redo.select = Some(Select::FoulUp(Lines { index: 2, lines: 3 }));
    });
    let redo = table.redo(Ann, FIRST, corrected.clone(), foul_up, Redo::Breach(worse));
    table.reveal(Bob, redo);
    s.ends(
        "agreed-redo-done-again",
        "declare, Foul-up",
        "the agreed redo was in breach; its own redo replaces the old dice",
        &table,
        "verified",
        &[("rule", Some("ann"))],
    );

    let (mut table, declaration, _) = opened("a stranger at fault");
    let proposal = sealed_dice::blob::body::Proposal {
        at_fault: role("carl"),
        class: sealed_dice::blob::body::FoulUpClass::IllegalMove,
        declaration,
        input: None,
        reason: String::new(),
    };
    table.send(Bob, Body::Correct(Correct::Propose(Box::new(proposal))));
    s.blames("stranger-at-fault", "correct 1", "who is at fault is a player", &table, "rule", "bob");

    let (mut table, declaration, foul_up) = opened("a redo without agreement");
    let proposal = table.propose(Bob, declaration, Some(corrected.clone()));
    table.redo(Ann, FIRST, corrected, foul_up, Redo::Agreed(proposal));
    s.blames("redo-of-a-proposal", "declare 12", "a proposal is no acceptance", &table, "rule", "ann");
}

fn closes(s: &mut Scenario<'_>) {
    masters_are_the_reveal(s);
    masters_first(s);
    unused_envelope_bad(s);
}

fn masters_are_the_reveal(s: &mut Scenario<'_>) {
    let (mut table, _, declaration) = declared("the masters as the reveal");
    table.close(Ann);
    table.close(Bob);
    table.close(Ann);
    assert_ne!(declaration, table.last());
    s.good("masters-are-the-reveal", "close", "Bob owed a reveal; his masters give it", &table);
}

fn masters_first(s: &mut Scenario<'_>) {
    let (mut table, seal, declaration) = declared("masters first");
    table.reveal(Bob, declaration);
    let master = Hex32(*table.master(Bob, seal).expose());
    let close = Close { masters: Some(vec![Master { master, seal }]), result: None };
    table.send(Bob, Body::Close(close));
    s.blames("masters-first", "close 1", "masters before the other's stop", &table, "rule", "bob");

    let mut closing = |file: &str, rule: &str, about: &str, change: fn(&mut Vec<Master>)| {
        let mut table = Table::turn(&format!("close in breach: {file}"));
        table.close(Ann);
        let mut close = table.with_ledger(|ledger| table.bob.close(ledger, None));
        change(close.masters.as_mut().unwrap());
        table.send(Bob, Body::Close(close));
        s.blames(file, rule, about, &table, "rule", "bob");
    };
    closing("master-missing", "close 2", "one set is left out", |masters| {
        masters.pop();
    });
    closing("masters-out-of-order", "close 2", "masters stand in the order of the chain", |masters| masters.swap(0, 1));
    closing("master-wrong", "close 3", "a master that gives other commitments", |masters| {
        masters[2].master = bytes("another master")
    });
}

/// One unused commitment of the sealer's is made up. That is found at the close, although it was never opened.
fn unused_envelope_bad(s: &mut Scenario<'_>) {
    let mut table = Table::begin("an unused envelope that follows from nothing");
    let mut seal = table.seal_body(Bob, SetKind::Coin, FIRST);
    seal.commits[4] = bytes("no commitment");
    let seal = table.send(Bob, Body::Seal(seal));
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    table.reveal(Bob, declaration);
    table.close_all();
    let blame = [("rule", Some("bob"))];
    s.ends(
        "unused-envelope-bad",
        "close 3",
        "returned envelopes are proved good; this one is not",
        &table,
        "refuted",
        &blame,
    );

    let mut table = Table::begin("a note that does not open at close");
    let mut seal = table.seal_body(Bob, SetKind::Note, "1/1/bob-first/1/moves");
    seal.notes.as_mut().unwrap()[0].0[0] ^= 1;
    table.send(Bob, Body::Seal(seal));
    table.close_all();
    s.ends(
        "note-bad",
        "close 3",
        "the master gives the commitment, and the note does not open",
        &table,
        "refuted",
        &blame,
    );
}
