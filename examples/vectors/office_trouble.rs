//! The office in trouble: forks of its own and of others', thefts, losses, answers, and what is forfeited or done again.

use sealed_dice::{
    blob::{
        Body, Head, Kind, Verified,
        body::{Correct, Decision, Forfeit, FoulUpClass, Hex32, How, Key, Proposal, Reveal, SetKind, Step},
        deposits::Deposits,
        disputes::{Claim, Rule, RuledForfeit, Stall, Yield},
        json::Text,
        new_keys::{Admit, Answer, KeyChange, Resync, Rotate},
    },
    game::{
        charter::{Author, Player},
        deposits,
    },
    primitive::{secret::Secret, wrap},
};

use crate::{
    disputes::{new_key, ruling, stall},
    games::Scenario,
    kit::{Ann, Bob, Carol, Dora, Table, Who, bytes, example_attacks, key, name, role, text},
    office::{FIRST, ORDERS, declared, epoch, hands_back, held, held_with, holds, note_opened, time, with_deadlines},
};

/// Nobody is to blame for a fork.
const EXPLAINED: (&str, Option<&str>) = ("chain", None);

fn letter(table: &Table, id: Hex32) -> Verified {
    let mut letters = table.letters.iter();
    letters.find(|letter| letter.message.id() == id).expect("a letter").message.clone()
}

/// The last letter of somebody's in his own order.
fn last_of(table: &Table, who: Who) -> Hex32 {
    table.seat(who).next_head(Kind::Seal).prev.expect("a letter before")
}

/// Signs behind any letter of somebody's, with what he knows besides what that one does.
fn sign_as(table: &mut Table, who: Who, label: &str, prev: Hex32, knows: &[Hex32], body: Body) -> Hex32 {
    let before = letter(table, prev).head().clone();
    let mut head = Head { prev: Some(prev), number: before.number + 1, ..table.seat(who).next_head(body.kind()) };
    let roles: Vec<_> = head.seen.iter().map(|(role, _)| role.clone()).collect();
    for other in roles {
        let mut letters = table.letters.iter().map(|letter| &letter.message);
        let first = letters.find(|message| message.head().author == other).map(Verified::id);
        let begins = matches!(before.kind, Kind::Charter | Kind::Accept);
        head.seen.insert(other.clone(), if begins { first } else { before.seen.get(&other) });
    }
    for known in knows.iter().map(|id| letter(table, *id)) {
        head.seen.insert(known.head().author.clone(), Some(known.id()));
    }
    table.forge(head, body, &key(label))
}

fn sign(table: &mut Table, who: Who, prev: Hex32, knows: &[Hex32], body: Body) -> Hex32 {
    let label = format!("key of {}", table.seat(who).role());
    sign_as(table, who, &label, prev, knows, body)
}

/// A set that nobody asks for.
fn some_set(table: &mut Table, who: Who, turn: u64) -> Body {
    let phase = if who == Ann { "bob-first" } else { "ann-first" };
    Body::Seal(table.seal_body(who, SetKind::Coin, &format!("{turn}/1/{phase}/1")))
}

/// The envelope that the example's attacks select, and others too if asked.
fn opening(table: &Table, seal: Hex32, declaration: Hex32, indices: &[u64]) -> Body {
    let keys = indices.iter().map(|index| Key(*index, table.key_of(Bob, seal, *index, 0))).collect();
    Body::Reveal(Reveal { declaration: Some(declaration), keys, seal, sheets: Vec::new() })
}

fn declaration(table: &mut Table, seal: Hex32) -> Body {
    Body::Declare(Box::new(table.declaration(Ann, FIRST, example_attacks(), seal, None)))
}

fn answer_to(who: &str) -> Body {
    Body::Resync(Resync::Answer(Answer { ask: bytes("an ask"), to: role(who) }))
}

fn stolen(table: &Table, who: &str, after: Hex32) -> Body {
    let (key, proof) = new_key(table, who, after, &format!("{who}'s new key"));
    Body::Key(KeyChange::Rotate(Rotate { key, proof, stolen: true }))
}

fn is_judged(table: &Table, declaration: Hex32) -> bool {
    table.with_ledger(|ledger| ledger.declaration(&declaration).is_some())
}

fn is_answered(table: &Table, declaration: Hex32) -> bool {
    table.with_ledger(|ledger| ledger.declaration(&declaration).is_some_and(|declared| declared.is_answered()))
}

fn head_of(table: &Table, author: Author) -> Hex32 {
    table.with_ledger(|ledger| ledger.last_letter_of(author).expect("a letter").id())
}

pub(crate) fn all(s: &mut Scenario<'_>) {
    breaches_left_behind(s);
    thefts_and_epochs(s);
    epochs_in_order(s);
    orders(s);
    admissions(s);
    thefts(s);
    opened_for_a_thief(s);
    restored_players(s);
    gone_back(s);
    forfeits(s);
    redos(s);
    orders_anew(s);
    branches(s);
}

/// What the office opened against the rules, and then forgot.
fn breaches_left_behind(s: &mut Scenario<'_>) {
    let (mut table, seal, declared_first) = declared("an epoch over a breach");
    let kept = last_of(&table, Dora);
    let body = opening(&table, seal, declared_first, &[2, 0]);
    sign(&mut table, Dora, kept, &[declared_first], body);
    sign(&mut table, Dora, kept, &[declared_first], epoch(1_800_000_000));
    s.ends(
        "epoch-over-a-breach",
        "10, chain 13",
        "one key too many, and then an epoch: what it has forgotten it has done",
        &table,
        "refuted",
        &[EXPLAINED, ("rule", Some("dora"))],
    );

    let (mut table, seal) = held("an epoch over an unearned key");
    let breach = table.declare_but(Ann, FIRST, example_attacks(), seal, |declare| declare.slot.turn = 2);
    let kept = last_of(&table, Dora);
    let body = opening(&table, seal, breach, &[2]);
    sign(&mut table, Dora, kept, &[breach], body);
    sign(&mut table, Dora, kept, &[breach], epoch(1_800_000_000));
    s.ends(
        "epoch-over-an-unearned-key",
        "10, chain 13",
        "it opened what was in breach",
        &table,
        "refuted",
        &[EXPLAINED, ("rule", Some("ann")), ("rule", Some("dora"))],
    );

    let (mut table, seal, declared_first) = declared("an epoch over what goes back");
    let kept = last_of(&table, Dora);
    let seen = sign(&mut table, Dora, kept, &[declared_first], time(1_700_000_000));
    let older = letter(&table, declared_first).head().prev.expect("the charter");
    let body = opening(&table, seal, declared_first, &[2]);
    sign(&mut table, Dora, seen, &[older], body);
    sign(&mut table, Dora, kept, &[declared_first], epoch(1_800_000_000));
    s.ends(
        "epoch-over-seen-gone-back",
        "10, chain 13",
        "a lost reveal whose seen goes back, too",
        &table,
        "refuted",
        &[EXPLAINED, ("chain", Some("dora"))],
    );
}

/// The key of the office was stolen, as it says, when it opened too much.
fn thefts_and_epochs(s: &mut Scenario<'_>) {
    for (file, believed) in [("epoch-over-a-breach-and-rotated", false), ("epoch-over-a-breach-believed", true)] {
        let (mut table, seal, declared_first) = declared(file);
        let (kept, ann, bob) = (last_of(&table, Dora), last_of(&table, Ann), last_of(&table, Bob));
        let body = opening(&table, seal, declared_first, &[2, 0]);
        let reveal = sign(&mut table, Dora, kept, &[declared_first], body);
        let (first, second) = (some_set(&mut table, Bob, 2), some_set(&mut table, Ann, 2));
        let before = if believed { sign(&mut table, Bob, bob, &[reveal], first.clone()) } else { bob };
        let began = sign(&mut table, Dora, kept, &[declared_first], epoch(1_800_000_000));
        let body = stolen(&table, "dora", began);
        let rotated = sign(&mut table, Dora, began, &[], body);
        let next = if believed { some_set(&mut table, Bob, 3) } else { first };
        let knowing = sign(&mut table, Bob, before, &[rotated], next);
        sign(&mut table, Ann, ann, &[knowing, reveal], second);
        let blamed: &[_] = if believed { &[EXPLAINED, ("rule", Some("dora"))] } else { &[EXPLAINED] };
        let (about, verdict) = match believed {
            true => ("Bob had named it before he could know of the theft", "refuted"),
            false => ("a thief may have signed it: Ann names it when she knows of the theft", "verified"),
        };
        s.ends(file, "10, chain 13", about, &table, verdict, blamed);
    }

    // A thief opens too much, and signs an epoch beside it; the office takes its key back behind what he had followed.
    let (mut table, seal, declared_first) = declared("a theft with an epoch of its own");
    let (kept, ann, bob) = (last_of(&table, Dora), last_of(&table, Ann), last_of(&table, Bob));
    let thiefs = sign(&mut table, Dora, kept, &[declared_first], time(1_700_000_000));
    let body = opening(&table, seal, declared_first, &[2, 0]);
    let reveal = sign(&mut table, Dora, thiefs, &[], body);
    let began = sign(&mut table, Dora, thiefs, &[], epoch(1_800_000_000));
    let body = stolen(&table, "dora", kept);
    let rotated = sign(&mut table, Dora, kept, &[declared_first], body);
    let (first, second, third) =
        (some_set(&mut table, Bob, 2), some_set(&mut table, Bob, 3), some_set(&mut table, Ann, 2));
    let knowing = sign(&mut table, Bob, bob, &[rotated], first);
    sign(&mut table, Bob, knowing, &[began], second);
    sign(&mut table, Ann, ann, &[knowing, reveal], third);
    s.ends(
        "theft-with-an-epoch-of-its-own",
        "chain 13",
        "the epoch that stands where the reveal falls is the thief's, too",
        &table,
        "verified",
        &[EXPLAINED],
    );

    // Where a rotate silences office 10 a naming lets an epoch stand.
    for (file, keys, names_epoch) in [
        ("restored-then-stolen-naming", &[2][..], true),
        ("restored-then-stolen-over-a-breach", &[2, 0], true),
        ("restored-then-stolen-never-named-it", &[2], false),
    ] {
        let (mut table, seal, declared_first) = declared(file);
        let (kept, ann, bob) = (last_of(&table, Dora), last_of(&table, Ann), last_of(&table, Bob));
        let body = opening(&table, seal, declared_first, keys);
        let reveal = sign(&mut table, Dora, kept, &[declared_first], body);
        let bodies = [some_set(&mut table, Bob, 2), some_set(&mut table, Bob, 3), some_set(&mut table, Bob, 4)];
        let [first, second, third] = bodies;
        let mut last = sign(&mut table, Bob, bob, &[reveal], first);
        let began = sign(&mut table, Dora, kept, &[declared_first], epoch(1_800_000_000));
        if names_epoch {
            last = sign(&mut table, Bob, last, &[began], second);
        }
        let thiefs = sign(&mut table, Dora, kept, &[declared_first], epoch(1_800_000_001));
        let body = stolen(&table, "dora", began);
        let rotated = sign(&mut table, Dora, began, &[], body);
        let hers = some_set(&mut table, Ann, 2);
        let knowing = match names_epoch {
            true => sign(&mut table, Bob, last, &[rotated], third),
            // Only through Ann, and he goes on with what he has named.
            false => sign(&mut table, Ann, ann, &[rotated], hers.clone()),
        };
        match names_epoch {
            true => sign(&mut table, Ann, ann, &[knowing, thiefs], hers),
            false => {
                let again = some_set(&mut table, Ann, 3);
                sign(&mut table, Ann, knowing, &[thiefs], again)
            }
        };
        let (about, findings): (_, &[_]) = match (keys.len(), names_epoch) {
            (1, true) => ("Bob has gone over from what was lost to the epoch: that stands", &[EXPLAINED]),
            (1, false) => ("he has named nothing but what was lost: that stands", &[("chain", Some("dora"))]),
            _ => ("and what it opened too much is judged there as well", &[EXPLAINED, ("rule", Some("dora"))]),
        };
        let verdict = if findings == [EXPLAINED] { "verified" } else { "refuted" };
        let head = if names_epoch { rotated } else { reveal };
        assert_eq!(head_of(&table, Author::Office), head, "{file}");
        s.ends(file, "10, chain 13", about, &table, verdict, findings);
    }
}

/// The one that knows the other comes after it, whatever its clock says.
fn epochs_in_order(s: &mut Scenario<'_>) {
    for (file, known) in [("epoch-of-the-last-second", true), ("epoch-of-the-last-second-unknown", false)] {
        let (mut table, _, declared_first) = declared(file);
        let (kept, ann) = (last_of(&table, Dora), last_of(&table, Ann));
        let drawer = sign(&mut table, Dora, kept, &[], epoch(253_402_300_799));
        let body = some_set(&mut table, Ann, 2);
        let hers = sign(&mut table, Ann, ann, &[drawer], body);
        let knows = if known { hers } else { declared_first };
        let next = sign(&mut table, Dora, kept, &[knows], epoch(1_800_000_000));
        assert_eq!(head_of(&table, Author::Office), if known { next } else { drawer });
        let about = match known {
            true => "an epoch that knows it follows an epoch at the end of all clocks",
            false => "of two that do not know each other the later one stands",
        };
        s.ends(file, "10", about, &table, "verified", &[EXPLAINED]);
    }
}

/// A game with orders at once, which the office opens, or their sealers; Bob has sealed his, and Ann is at her last letter.
fn ordering(label: &str, by_office: bool) -> (Table, Hex32) {
    let (mut table, _) = held_with(label, true, |charter| {
        charter.phases[0].decisions.push(Decision { by: None, how: How::Simultaneous, name: name("orders") });
        charter.office.as_mut().expect("an office").deposit.notes = by_office;
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

/// Ann seals orders against which Bob's are opened, and then others.
fn orders(s: &mut Scenario<'_>) {
    for (file, answered) in [("orders-opened-then-sealed-anew", false), ("orders-anew-through-an-answer", true)] {
        let (mut table, his) = ordering(file, true);
        let (ann, bob, dora) = (last_of(&table, Ann), last_of(&table, Bob), last_of(&table, Dora));
        let answer = answered.then(|| sign(&mut table, Bob, bob, &[dora], answer_to("ann")));
        let (one, two, more) = (note(&mut table, Ann), note(&mut table, Ann), some_set(&mut table, Bob, 2));
        let first = sign(&mut table, Ann, ann, &[dora, his], one);
        let opened = note_opened(&table, Bob, None, his);
        sign(&mut table, Dora, dora, &[first], opened);
        let anew = sign(&mut table, Ann, ann, &[dora, answer.unwrap_or(his)], two);
        sign(&mut table, Bob, answer.unwrap_or(bob), &[anew], more);
        assert!(has_note(&table, first) && !has_note(&table, anew), "{file}");
        let about = match answered {
            true => "an answer does not undo it either",
            false => "Bob's were opened against her first orders: these stand, whatever he has seen",
        };
        s.blames(file, "chain 12, keys 8", about, &table, "chain", "ann");
    }

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
    assert!(!has_note(&table, shown) && has_note(&table, named));
    s.blames(
        "orders-before-the-fork",
        "chain 12",
        "both branches have the same orders: the opening is for none, and a naming chooses",
        &table,
        "chain",
        "ann",
    );

    let (mut table, his) = ordering("orders killed, and sealed again on two branches", true);
    let old = note(&mut table, Ann);
    let old = table.send(Ann, old);
    table.send(Carol, ruling(Rule::Kill(old)));
    let (ann, carol, dora) = (last_of(&table, Ann), last_of(&table, Carol), last_of(&table, Dora));
    let (one, two, more) = (note(&mut table, Ann), note(&mut table, Ann), some_set(&mut table, Bob, 2));
    let first = sign(&mut table, Ann, ann, &[dora, carol], one);
    let opened = note_opened(&table, Bob, None, his);
    sign(&mut table, Dora, dora, &[first], opened);
    let anew = sign(&mut table, Ann, ann, &[dora, carol], two);
    sign(&mut table, Bob, his, &[anew, dora], more);
    assert!(has_note(&table, first) && !has_note(&table, anew));
    s.blames(
        "orders-killed-and-sealed-again-forked",
        "chain 12",
        "the killed note is on no branch: the one that the reveal knows counts",
        &table,
        "chain",
        "ann",
    );
}

/// Ann says that her key is lost: how much of that the office knows when it opens what the old key has declared.
fn admissions(s: &mut Scenario<'_>) {
    for (file, admit_known, ruling_known) in [
        ("admitted-behind-an-opening", false, false),
        ("opened-knowing-the-admit-alone", true, false),
        ("opened-knowing-the-ruling", true, true),
    ] {
        let (mut table, seal) = held_with(file, true, |_| {});
        let (ann, bob, carol, dora) =
            (last_of(&table, Ann), last_of(&table, Bob), last_of(&table, Carol), last_of(&table, Dora));
        let body = declaration(&mut table, seal);
        let rolled = sign(&mut table, Ann, ann, &[dora, seal], body);
        let (new, proof) = new_key(&table, "ann", ann, "ann's second key");
        let admit = Body::Key(KeyChange::Admit(Admit { after: ann, key: new, player: role("ann"), proof }));
        let admit = sign(&mut table, Bob, bob, &[dora], admit);
        let ruled = sign(&mut table, Carol, carol, &[admit, dora], ruling(Rule::Admit(admit)));
        let mut knows = vec![rolled];
        knows.extend(admit_known.then_some(admit));
        knows.extend(ruling_known.then_some(ruled));
        let body = opening(&table, seal, rolled, &[2]);
        sign(&mut table, Dora, dora, &knows, body);
        let body = some_set(&mut table, Ann, 2);
        let anew = sign_as(&mut table, Ann, "ann's second key", ann, &[admit, ruled, dora], body);
        assert_eq!(is_judged(&table, rolled), !ruling_known, "{file}");
        assert_eq!(has_note(&table, anew), ruling_known, "{file}");
        let (about, culprit) = match (admit_known, ruling_known) {
            (false, _) => ("dice that were opened before anybody could know of the loss stand", Some("ann")),
            (true, false) => ("an admit without its ruling keeps the office from nothing", None),
            (true, true) => ("what it should not have opened chooses nothing", None),
        };
        let verdict = if culprit.is_some() { "refuted" } else { "verified" };
        s.ends(file, "keys 7, 8, chain 12", about, &table, verdict, &[("chain", culprit)]);
    }
}

/// A thief declares with Ann's key, and the office opens.
fn thefts(s: &mut Scenario<'_>) {
    for (file, known) in [("opened-knowing-the-rotation", true), ("opened-before-the-rotation", false)] {
        let (mut table, seal) = held(file);
        let (ann, bob, dora) = (last_of(&table, Ann), last_of(&table, Bob), last_of(&table, Dora));
        let body = declaration(&mut table, seal);
        let rolled = sign(&mut table, Ann, ann, &[dora, seal], body);
        let body = stolen(&table, "ann", ann);
        let rotated = sign(&mut table, Ann, ann, &[dora, seal], body);
        let more = some_set(&mut table, Bob, 2);
        let named = sign(&mut table, Bob, bob, &[rotated], more);
        let knows = if known { vec![rolled, named] } else { vec![rolled] };
        let body = opening(&table, seal, rolled, &[2]);
        sign(&mut table, Dora, dora, &knows, body);
        assert_eq!(is_judged(&table, rolled), !known, "{file}");
        match known {
            true => s.ends(
                file,
                "keys 8",
                "the office knew of the theft: its reveal chooses nothing, and blames nobody",
                &table,
                "verified",
                &[EXPLAINED],
            ),
            false => s.blames(file, "keys 8", "it could not know: the thief's dice stand", &table, "chain", "ann"),
        }
    }
}

/// A thief seals orders with Ann's key; Bob knows them from the office, and opens his, or brings a key that is none.
fn opened_for_a_thief(s: &mut Scenario<'_>) {
    for (file, matches) in [("reveal-for-a-thief", true), ("reveal-without-a-key-names-nothing", false)] {
        let (mut table, his) = ordering(file, false);
        let (ann, dora) = (last_of(&table, Ann), last_of(&table, Dora));
        let orders = note(&mut table, Ann);
        let thiefs = sign(&mut table, Ann, ann, &[dora, his], orders);
        let shown = sign(&mut table, Dora, dora, &[thiefs], time(1_700_000_000));
        let key = if matches { table.key_of(Bob, his, 0, 0) } else { bytes("no key of Bob's") };
        let opened = Reveal { declaration: None, keys: vec![Key(0, key)], seal: his, sheets: Vec::new() };
        sign(&mut table, Bob, his, &[shown], Body::Reveal(opened));
        let body = stolen(&table, "ann", ann);
        let rotated = sign(&mut table, Ann, ann, &[dora, his], body);
        assert_eq!(has_note(&table, thiefs), matches, "{file}");
        assert_eq!(head_of(&table, Author::Player(Player::First)), if matches { thiefs } else { rotated });
        match matches {
            true => s.blames(
                file,
                "keys 8, chain 12",
                "Bob's reveal names none of Ann's letters, and is for the thief's note all the same",
                &table,
                "chain",
                "ann",
            ),
            false => s.ends(
                file,
                "keys 8, chain 12",
                "what opens nothing is for no branch",
                &table,
                "refuted",
                &[EXPLAINED, ("rule", Some("bob"))],
            ),
        }
    }
}

/// When the office is told of the answer, behind or beside its reveal; whether it says so to Ann.
#[derive(Clone, Copy, PartialEq)]
enum Told {
    Never,
    Beside,
    InAnEpoch,
    Behind,
}

/// Ann was restored, and has an answer of Bob's; the office had read what she lost.
fn restored_players(s: &mut Scenario<'_>) {
    let (mut table, _) = held("a receipt has seen what she lost");
    let (ann, bob, dora) = (last_of(&table, Ann), last_of(&table, Bob), last_of(&table, Dora));
    let (one, two) = (some_set(&mut table, Ann, 2), some_set(&mut table, Ann, 2));
    let lost = sign(&mut table, Ann, ann, &[dora], one);
    let seen = sign(&mut table, Dora, dora, &[lost], time(1_700_000_000));
    let answer = sign(&mut table, Bob, bob, &[dora], answer_to("ann"));
    let anew = sign(&mut table, Ann, ann, &[dora, answer], two);
    sign(&mut table, Dora, seen, &[anew, answer], time(1_700_000_001));
    s.ends(
        "restored-player-seen-by-a-receipt",
        "keys 8",
        "only what the office opens binds, and not what it reads",
        &table,
        "verified",
        &[EXPLAINED],
    );

    for (file, told) in [
        ("restored-player-and-opened", Told::Never),
        ("restored-player-not-told", Told::Beside),
        ("restored-player-and-office", Told::InAnEpoch),
        ("restored-player-told", Told::Behind),
    ] {
        let (mut table, seal) = held(file);
        let (ann, bob, dora) = (last_of(&table, Ann), last_of(&table, Bob), last_of(&table, Dora));
        let body = declaration(&mut table, seal);
        let rolled = sign(&mut table, Ann, ann, &[dora, seal], body);
        let body = opening(&table, seal, rolled, &[2]);
        let reveal = sign(&mut table, Dora, dora, &[rolled], body);
        let answer = sign(&mut table, Bob, bob, &[dora], answer_to("ann"));
        let (prev, body) = match told {
            Told::Behind => (reveal, time(1_800_000_000)),
            Told::InAnEpoch => (dora, epoch(1_800_000_000)),
            Told::Beside | Told::Never => (dora, time(1_800_000_000)),
        };
        let told_her = (told != Told::Never).then(|| sign(&mut table, Dora, prev, &[answer], body));
        let body = some_set(&mut table, Ann, 2);
        sign(&mut table, Ann, ann, &[answer, told_her.unwrap_or(dora)], body);
        assert!(is_answered(&table, rolled), "{file}");
        let (about, findings): (_, &[_]) = match told {
            Told::Never => ("she signs another letter, and the dice are open: they stand", &[("chain", Some("ann"))]),
            Told::Beside => (
                "the office knew that she was restored, and kept the dice from her",
                &[EXPLAINED, ("chain", Some("dora"))],
            ),
            Told::InAnEpoch => ("it was restored itself: nobody is to blame", &[EXPLAINED, EXPLAINED]),
            Told::Behind => ("it had told her of the dice when she signed", &[("chain", Some("ann"))]),
        };
        let verdict = if findings == [EXPLAINED, EXPLAINED] { "verified" } else { "refuted" };
        s.ends(file, "keys 8, 11", about, &table, verdict, findings);
    }

    let (mut table, seal) = held("shown the answer, and rolled on it");
    let (ann, bob, dora) = (last_of(&table, Ann), last_of(&table, Bob), last_of(&table, Dora));
    let (one, two) = (some_set(&mut table, Ann, 2), some_set(&mut table, Ann, 2));
    let answer = sign(&mut table, Bob, bob, &[dora], answer_to("ann"));
    let first = sign(&mut table, Ann, ann, &[dora, seal], one);
    let body = declaration(&mut table, seal);
    let rolled = sign(&mut table, Ann, first, &[answer], body);
    let body = opening(&table, seal, rolled, &[2]);
    sign(&mut table, Dora, dora, &[rolled], body);
    sign(&mut table, Ann, ann, &[answer, dora], two);
    assert!(is_answered(&table, rolled));
    s.blames(
        "shown-the-answer-then-rolled-on-it",
        "keys 8",
        "what the office opened knows the answer: the other branch cannot be its consequence",
        &table,
        "chain",
        "ann",
    );
}

/// Two letters of Ann's that the office has seen.
fn seen(label: &str) -> (Table, [Hex32; 4], Hex32, Hex32) {
    let (mut table, _) = held_with(label, true, |_| {});
    let [ann, bob, carol, dora] = [Ann, Bob, Carol, Dora].map(|who| last_of(&table, who));
    let (one, two) = (some_set(&mut table, Ann, 2), some_set(&mut table, Ann, 3));
    let first = sign(&mut table, Ann, ann, &[dora], one);
    let second = sign(&mut table, Ann, first, &[], two);
    let read = sign(&mut table, Dora, dora, &[second], time(1_700_000_000));
    (table, [ann, bob, carol, dora], second, read)
}

/// The office has seen a later letter than it can follow from now on.
fn gone_back(s: &mut Scenario<'_>) {
    let (mut table, [ann, bob, _, dora], _, read) = seen("the office goes back behind an answer");
    let answer = sign(&mut table, Bob, bob, &[dora], answer_to("ann"));
    let body = some_set(&mut table, Ann, 4);
    let anew = sign(&mut table, Ann, ann, &[answer, dora], body);
    sign(&mut table, Dora, read, &[anew, answer], time(1_700_000_001));
    s.ends(
        "office-goes-back-behind-an-answer",
        "chain 3",
        "an answer begins her branch again, and the office follows",
        &table,
        "verified",
        &[EXPLAINED],
    );

    let (mut table, [ann, bob, carol, dora], _, read) = seen("the office goes back behind an admission");
    let (new, proof) = new_key(&table, "ann", ann, "ann's second key");
    let admit = Body::Key(KeyChange::Admit(Admit { after: ann, key: new, player: role("ann"), proof }));
    let admit = sign(&mut table, Bob, bob, &[dora], admit);
    let ruled = sign(&mut table, Carol, carol, &[admit, dora], ruling(Rule::Admit(admit)));
    let body = some_set(&mut table, Ann, 4);
    let anew = sign_as(&mut table, Ann, "ann's second key", ann, &[admit, ruled, dora], body);
    sign(&mut table, Dora, read, &[anew, admit, ruled], time(1_700_000_001));
    s.ends(
        "office-goes-back-behind-an-admission",
        "chain 3",
        "an admitted key begins it again",
        &table,
        "verified",
        &[EXPLAINED],
    );

    let (mut table, [ann, ..], _, read) = seen("the office goes back");
    sign(&mut table, Dora, read, &[ann], time(1_700_000_001));
    s.blames("office-goes-back", "chain 3", "nothing lets it forget her letters", &table, "chain", "dora");

    let (mut table, [ann, bob, _, dora], second, _) = seen("a player goes back behind an answer");
    let answer = sign(&mut table, Bob, bob, &[dora], answer_to("ann"));
    let body = some_set(&mut table, Ann, 4);
    let anew = sign(&mut table, Ann, ann, &[answer, dora], body);
    let (one, two) = (some_set(&mut table, Bob, 2), some_set(&mut table, Bob, 3));
    let passed = sign(&mut table, Bob, answer, &[second], one);
    sign(&mut table, Bob, passed, &[anew], two);
    s.ends(
        "answer-goes-back-by-a-player",
        "chain 3",
        "Bob passes his own answer by, and goes back: only the office may",
        &table,
        "refuted",
        &[EXPLAINED, ("chain", Some("bob")), ("chain", Some("bob"))],
    );
}

/// Answers that say less than their author knows (`keys.md`).
pub(crate) fn answers(s: &mut Scenario<'_>) {
    let (mut table, _) = held("an answer that has what was lost in its past");
    let (ann, bob, dora) = (last_of(&table, Ann), last_of(&table, Bob), last_of(&table, Dora));
    let (one, two) = (some_set(&mut table, Ann, 2), some_set(&mut table, Ann, 2));
    let lost = sign(&mut table, Ann, ann, &[dora], one);
    let read = sign(&mut table, Dora, dora, &[lost], time(1_700_000_000));
    let answer = sign(&mut table, Bob, bob, &[read], answer_to("ann"));
    sign(&mut table, Ann, ann, &[dora, answer], two);
    s.blames(
        "answer-that-knows-better",
        "12",
        "Bob has what was lost from the office, and Ann has it in his answer",
        &table,
        "chain",
        "ann",
    );

    // She loses one letter that the office has, then one that nobody has, and goes on with a second answer.
    for (file, bars) in [("answer-that-may-not-follow", true), ("answer-in-breach-bars-nothing", false)] {
        let (mut table, _) = held(file);
        let (ann, bob, dora) = (last_of(&table, Ann), last_of(&table, Bob), last_of(&table, Dora));
        let bodies = [2, 3, 4].map(|turn| some_set(&mut table, Ann, turn));
        let [one, two, three] = bodies;
        let lost = sign(&mut table, Ann, ann, &[dora], one);
        let prev = match bars {
            true => bob,
            // What he has seen goes back in his first answer, and so it binds nobody.
            false => {
                let body = some_set(&mut table, Bob, 2);
                sign(&mut table, Bob, bob, &[dora], body)
            }
        };
        let knows = if bars { vec![dora] } else { vec![letter(&table, dora).head().prev.expect("its accept")] };
        let first = sign(&mut table, Bob, prev, &knows, answer_to("ann"));
        sign(&mut table, Ann, ann, &[dora, first], two);
        let read = sign(&mut table, Dora, dora, &[lost], time(1_700_000_000));
        let second = sign(&mut table, Bob, first, &[read], answer_to("ann"));
        sign(&mut table, Ann, ann, &[dora, second], three);
        match bars {
            true => s.ends(
                file,
                "10, 12",
                "Bob has it in his second answer, but his first keeps him from following it",
                &table,
                "verified",
                &[EXPLAINED],
            ),
            false => s.ends(
                file,
                "12, chain 3",
                "an answer whose seen goes back is none",
                &table,
                "refuted",
                &[("chain", Some("ann")), ("chain", Some("bob"))],
            ),
        }
    }
}

fn forfeited(table: &mut Table, request: Hex32) {
    let forfeit = RuledForfeit { forfeit: Forfeit::DeclarerNames, request };
    table.send(Carol, ruling(Rule::Forfeit(forfeit)));
}

fn requested(table: &mut Table, declaration: Hex32) -> Hex32 {
    let claim = table.send(Ann, stall(Some(declaration), Step::Reveal));
    table.send(Carol, ruling(Rule::Request(claim)))
}

fn yields(declaration: Hex32) -> Body {
    let given = Yield { declaration: Some(declaration), forfeit: Forfeit::DeclarerNames, text: String::new() };
    Body::Claim(Claim::Yield(given))
}

/// A set that the office holds, and Ann's declaration on it.
fn asked(label: &str) -> (Table, Hex32, Hex32) {
    let (mut table, seal) = held_with(label, true, |_| {});
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    (table, seal, declaration)
}

/// A declaration that leaves out the office's receipt, and one that it came too late for.
fn without_receipt(label: &str, crossing: bool) -> (Table, Hex32, Hex32) {
    let mut table = Table::officed(label, true, with_deadlines);
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    if crossing {
        table.post(Dora, holds(&[seal]));
    }
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    (table, seal, declaration)
}

/// Dice are forfeited if they were not with the office when they were asked for.
fn forfeits(s: &mut Scenario<'_>) {
    let (mut table, seal, declaration) = asked("handed back, and forfeited");
    table.send(Dora, hands_back(&[seal]));
    let request = requested(&mut table, declaration);
    forfeited(&mut table, request);
    s.good("handed-back-and-forfeited", "7, ruling 2", "the sealer had it when he was asked", &table);

    let (mut table, seal, declaration) = asked("handed back after the request");
    let request = requested(&mut table, declaration);
    table.send(Dora, hands_back(&[seal]));
    forfeited(&mut table, request);
    s.blames(
        "handed-back-after-the-request",
        "7, ruling 2",
        "he had not when he was asked: Carol asks again",
        &table,
        "rule",
        "carol",
    );

    let (mut table, _, declaration) = asked("an epoch, and forfeited");
    table.send(Dora, epoch(1_800_000_000));
    let request = requested(&mut table, declaration);
    forfeited(&mut table, request);
    s.good("epoch-and-forfeited", "7, 9, ruling 2", "an epoch takes sets back", &table);

    let (mut table, seal, declaration) = asked("killed, and forfeited");
    table.send(Carol, ruling(Rule::Kill(seal)));
    let request = requested(&mut table, declaration);
    forfeited(&mut table, request);
    s.good("killed-and-forfeited", "7, 8, ruling 2", "a ruling does, where the office stays silent", &table);

    let (mut table, seal, declaration) = asked("handed back, and given away");
    table.send(Dora, hands_back(&[seal]));
    table.send(Bob, yields(declaration));
    s.good("handed-back-and-yielded", "7, claim 3", "the sealer may let Ann name the dice", &table);

    let (mut table, _, declaration) = without_receipt("a receipt left out, and forfeited", true);
    let request = requested(&mut table, declaration);
    forfeited(&mut table, request);
    s.blames(
        "receipt-left-out-and-forfeited",
        "7, ruling 2",
        "the office has the keys, whatever Ann's letter knew",
        &table,
        "rule",
        "carol",
    );

    let (mut table, _, declaration) = without_receipt("a receipt left out, and given away", true);
    table.send(Bob, yields(declaration));
    s.blames("receipt-left-out-and-yielded", "7, claim 3", "nor does Bob give them away", &table, "rule", "bob");

    let (mut table, seal, declaration) = without_receipt("a receipt after the request", false);
    let request = requested(&mut table, declaration);
    table.send(Dora, holds(&[seal]));
    forfeited(&mut table, request);
    s.good("receipt-after-the-request", "7, ruling 2", "what comes then comes too late", &table);
}

/// How another declaration stands to the proposal to do the first again.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Beside {
    /// The proposal does not know it.
    Unknown,
    /// The proposal knows it, and it is opened later.
    Opened,
    /// The proposal knows its dice.
    Answered,
    /// The proposal knows that its dice are Ann's to name.
    Forfeited,
}

/// Ann has declared twice, without knowing the dice of the first; Bob proposes to do that again. Ann's last letter, and it.
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

/// Whoever is asked for a redo may have had another roll opened by the office.
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
            Beside::Unknown | Beside::Opened => s.blames(file, "letters, correct 4", about, &table, "rule", "ann"),
            Beside::Answered | Beside::Forfeited => s.good(file, "letters, correct 4", about, &table),
        }
    }

    let (mut table, _) = held_with("a redo that a ruling agrees to beside a roll", true, |_| {});
    let (last, proposal) = proposed(&mut table, Beside::Unknown);
    let carol = last_of(&table, Carol);
    sign(&mut table, Carol, carol, &[last, proposal], ruling(Rule::Agree(proposal)));
    s.blames("redo-agreed-beside-a-roll", "ruling 7", "nor does Carol for her", &table, "rule", "carol");
}

/// Without an office whoever is asked has no later dice (`letters.md`).
pub(crate) fn beside_sealers(s: &mut Scenario<'_>) {
    let mut table = Table::begin("a redo accepted beside a roll of the sealer's");
    table.seal(Bob, SetKind::Coin, FIRST);
    let (last, proposal) = proposed(&mut table, Beside::Unknown);
    sign(&mut table, Ann, last, &[proposal], Body::Correct(Correct::Accept(proposal)));
    s.good("accepted-beside-a-roll-of-the-sealers", "correct 4", "Bob has not opened the other roll", &table);
}

/// Bob's orders are killed, and he seals others when Ann's are opened, in whatever way.
fn orders_anew(s: &mut Scenario<'_>) {
    let (mut table, his) = ordering("orders anew behind a lost opening", true);
    let hers = note(&mut table, Ann);
    let hers = table.send(Ann, hers);
    table.send(Dora, holds(&[hers]));
    let (bob, carol, dora) = (last_of(&table, Bob), last_of(&table, Carol), last_of(&table, Dora));
    let opened = note_opened(&table, Ann, None, hers);
    let opened = sign(&mut table, Dora, dora, &[], opened);
    sign(&mut table, Dora, dora, &[], epoch(1_800_000_000));
    let killed = sign(&mut table, Carol, carol, &[bob, hers, dora], ruling(Rule::Kill(his)));
    let anew = note(&mut table, Bob);
    let anew = sign(&mut table, Bob, bob, &[hers, killed, opened], anew);
    assert!(table.with_ledger(|ledger| ledger.set(&anew).is_some_and(|set| !set.valid)));
    s.ends(
        "orders-anew-behind-a-lost-opening",
        "letters, seal 4",
        "what the office forgot Bob has read all the same: his new orders are none; nobody is blamed behind a lost branch",
        &table,
        "verified",
        &[EXPLAINED, ("rule", None)],
    );

    let (mut table, _) = held_with("orders anew behind an early opening", true, |charter| {
        charter.phases[0].decisions.push(Decision { by: None, how: How::Simultaneous, name: name("orders") });
    });
    let hers = note(&mut table, Ann);
    let hers = table.send(Ann, hers);
    table.send(Dora, holds(&[hers]));
    let opened = note_opened(&table, Ann, None, hers);
    table.send(Dora, opened);
    let his = note(&mut table, Bob);
    let his = table.send(Bob, his);
    s.blames(
        "orders-first-behind-an-early-opening",
        "letters, seal 4",
        "the office opened too early; Bob seals for the first time",
        &table,
        "rule",
        "dora",
    );
    table.send(Carol, ruling(Rule::Kill(his)));
    let anew = note(&mut table, Bob);
    table.send(Bob, anew);
    s.ends(
        "orders-anew-behind-an-early-opening",
        "letters, seal 4",
        "and he does not seal again: the letter that opened hers is in breach, and he has read them",
        &table,
        "refuted",
        &[("rule", Some("dora")), ("rule", Some("bob"))],
    );

    let (mut table, _) = held_with("orders anew behind an opening by ruling", true, |charter| {
        charter.phases[0].decisions.push(Decision { by: None, how: How::Simultaneous, name: name("orders") });
        let key = Hex32(wrap::public(&Secret::new(bytes("deposits with carol").0)).expect("a key"));
        charter.referee.as_mut().expect("a referee").deposit = Some(Deposits { key, notes: true });
    });
    let hers = note(&mut table, Ann);
    let hers = table.send(Ann, hers);
    let his = note(&mut table, Bob);
    let his = table.send(Bob, his);
    let claim = Stall { letter: Some(hers), owes: role("ann"), step: Step::Reveal, text: "well?".into() };
    let claim = table.send(Bob, Body::Claim(Claim::Stall(claim)));
    let request = table.send(Carol, ruling(Rule::Request(claim)));
    let Body::Reveal(opened) = note_opened(&table, Ann, None, hers) else { unreachable!("a reveal") };
    table.send(Carol, ruling(Rule::Open(deposits::opening(request, opened))));
    table.send(Carol, ruling(Rule::Kill(his)));
    let anew = note(&mut table, Bob);
    table.send(Bob, anew);
    s.blames(
        "orders-anew-behind-an-opening-by-ruling",
        "letters, seal 4",
        "a ruling opened Ann's",
        &table,
        "rule",
        "bob",
    );
}

/// More branches than a game can have.
fn branches(s: &mut Scenario<'_>) {
    let (mut table, _) = held("more epochs than a game can have");
    let (ann, bob, dora) = (last_of(&table, Ann), last_of(&table, Bob), last_of(&table, Dora));
    let (one, two) = (some_set(&mut table, Ann, 2), some_set(&mut table, Ann, 2));
    sign(&mut table, Ann, ann, &[dora], one);
    let answer = sign(&mut table, Bob, bob, &[dora], answer_to("ann"));
    sign(&mut table, Ann, ann, &[dora, answer], two);
    for second in 0..257 {
        sign(&mut table, Dora, dora, &[], epoch(1_800_000_000 + second));
    }
    s.ends(
        "too-many-epochs",
        "chain 14",
        "the office ends the replay, and the blame is its own; a restored player has few branches",
        &table,
        "refuted",
        &[EXPLAINED, ("chain", Some("dora"))],
    );
}
