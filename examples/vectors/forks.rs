//! Forks: which letter sides with which branch, which witnesses count, and which branch stands (`protocol/chain.md` 8
//! to 15).

use sealed_dice::{
    blob::{
        Body, Head, Kind, Verified,
        body::{CellKey, Close, Correct, Decision, Forfeit, Hex32, How, Key, Reveal, SetKind, Step, Voiding},
        disputes::{Claim, Dispute, Names, Ruled, Scope, Stall, Yield},
        resync::{Answer, Resync},
    },
    game::{
        context::Context,
        deposits,
        node::Past,
        steps::Letter,
        terms::{Author, Player},
    },
};

use crate::{
    deposits::{held as deposited, receipt},
    disputes::{ruling, stall},
    games::Scenario,
    kit::{Ann, Bob, Carol, Dora, Table, Who, bytes, example_attacks, key, name, role},
    office::{ORDERS, epoch, held, holds, note_opened, time},
};

const FIRST: &str = "1/1/ann-first/1";

/// The findings when only Ann has forked.
const BY_ANN: &[(&str, Option<&str>)] = &[("chain", Some("ann"))];

/// Returns a letter of the table.
pub(crate) fn letter(table: &Table, id: Hex32) -> Verified {
    let mut letters = table.letters.iter();
    letters.find(|letter| letter.message.id() == id).expect("a letter").message.clone()
}

/// Returns the last letter from `who`, in the order in which they signed.
pub(crate) fn last_of(table: &Table, who: Who) -> Hex32 {
    table.signer(who).next_head(Kind::Seal).prev.expect("a letter before")
}

/// Signs after any letter from `who`. The new letter has seen what that one has, and `knows`.
pub(crate) fn sign(table: &mut Table, who: Who, prev: Hex32, knows: &[Hex32], body: Body) -> Hex32 {
    let before = letter(table, prev).head().clone();
    let mut head = Head { prev: Some(prev), number: before.number + 1, ..table.signer(who).next_head(body.kind()) };
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
    let label = format!("key of {}", table.signer(who).role());
    table.forge(head, body, &key(&label))
}

/// Seals a set that nobody needs.
pub(crate) fn some_set(table: &mut Table, who: Who, turn: u64) -> Body {
    let phase = if who == Ann { "bob-first" } else { "ann-first" };
    Body::Seal(table.seal_body(who, SetKind::Coin, &format!("{turn}/1/{phase}/1")))
}

pub(crate) fn says(text: &str, about: Hex32) -> Body {
    Body::Claim(Claim::Dispute(Dispute { letters: vec![about], text: text.into() }))
}

/// Returns the reveal of the envelope that the example's attacks select.
pub(crate) fn opens(table: &Table, seal: Hex32, declaration: Hex32) -> Body {
    let keys = vec![Key(2, table.key_of(Bob, seal, 2, 0))];
    Body::Reveal(Reveal { declaration: Some(declaration), keys, seal, sheets: Vec::new() })
}

/// Whether a letter is the last of its author's letters that stand.
pub(crate) fn heads(table: &Table, author: Author, id: Hex32) -> bool {
    table.with_ledger(|ledger| ledger.last_letter_of(author).is_some_and(|last| last.id() == id))
}

pub(crate) fn stands(table: &Table, id: Hex32) -> bool {
    heads(table, Author::Player(Player::First), id)
}

/// A game in which Ann has signed two declarations that follow one letter, on a set of Bob's.
pub(crate) struct Forked {
    pub(crate) table: Table,
    pub(crate) seal: Hex32,
    /// Ann's letter before the fork.
    pub(crate) ann: Hex32,
    /// Bob's last letter.
    pub(crate) bob: Hex32,
    pub(crate) one: Hex32,
    pub(crate) other: Hex32,
}

pub(crate) fn fork(mut table: Table, seal: Hex32) -> Forked {
    let (ann, bob) = (last_of(&table, Ann), last_of(&table, Bob));
    let knows = all_but_ann(&table);
    let mut declared = || Body::Declare(Box::new(table.declaration(Ann, FIRST, example_attacks(), seal, None)));
    let (one, other) = (declared(), declared());
    let one = sign(&mut table, Ann, ann, &knows, one);
    let other = sign(&mut table, Ann, ann, &knows, other);
    Forked { table, seal, ann, bob, one, other }
}

/// Returns the last letter from every party except Ann.
fn all_but_ann(table: &Table) -> Vec<Hex32> {
    let others = [Some(Bob), table.carol.as_ref().map(|_| Carol), table.dora.as_ref().map(|_| Dora)];
    others.into_iter().flatten().map(|who| last_of(table, who)).collect()
}

pub(crate) fn forked(label: &str) -> Forked {
    let mut table = Table::begin(label);
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    fork(table, seal)
}

/// Begins a game with a fork in which an office holds the set.
fn officed(label: &str) -> Forked {
    let (table, seal) = held(label);
    fork(table, seal)
}

impl Forked {
    fn says(&mut self, who: Who, prev: Hex32, knows: &[Hex32], text: &str) -> Hex32 {
        let about = *knows.first().unwrap_or(&self.seal);
        sign(&mut self.table, who, prev, knows, says(text, about))
    }

    fn seals(&mut self, turn: u64, prev: Hex32, knows: &[Hex32]) -> Hex32 {
        let body = some_set(&mut self.table, Bob, turn);
        sign(&mut self.table, Bob, prev, knows, body)
    }

    fn opens(&mut self, who: Who, prev: Hex32, knows: &[Hex32], declaration: Hex32) -> Hex32 {
        let body = opens(&self.table, self.seal, declaration);
        sign(&mut self.table, who, prev, knows, body)
    }
}

pub(crate) fn all(s: &mut Scenario<'_>) {
    strong(s);
    strong_on_a_fork(s);
    weak(s);
    restores(s);
    ruled_at_a_fork(s);
    excuses(s);
    links(s);
    thirds(s);
    counts(s);
}

/// A letter that opens something or binds its author counts before any other.
fn strong(s: &mut Scenario<'_>) {
    player_opened_office_named(s);
    sealer_forks_behind_a_declaration(s);
}

fn player_opened_office_named(s: &mut Scenario<'_>) {
    let mut table = Table::officed("a player opens, and the office reads", false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let mut f = fork(table, seal);
    let dora = last_of(&f.table, Dora);
    sign(&mut f.table, Dora, dora, &[f.other], time(1_800_000_000));
    f.opens(Bob, f.bob, &[f.one], f.one);
    assert!(stands(&f.table, f.one));
    s.ends(
        "player-opened-office-named",
        "11, 12",
        "the office has read one declaration, and is no witness; Bob has opened the other",
        &f.table,
        "refuted",
        BY_ANN,
    );

    let mut f = {
        let mut table = deposited("the referee opens, and a player reads", false, |_| {});
        let seal = table.seal(Bob, SetKind::Coin, FIRST);
        table.send(Carol, receipt(&[seal]));
        fork(table, seal)
    };
    let carol = last_of(&f.table, Carol);
    f.seals(2, f.bob, &[f.other]);
    let claim = sign(&mut f.table, Ann, f.one, &[], stall(Some(f.one), Step::Reveal));
    let request = sign(&mut f.table, Carol, carol, &[claim], ruling(Ruled::Request(claim)));
    let body = opens(&f.table, f.seal, f.one);
    let Body::Reveal(reveal) = body else { unreachable!("a reveal") };
    sign(&mut f.table, Carol, request, &[], ruling(Ruled::Open(deposits::opening(request, reveal))));
    assert!(stands(&f.table, claim));
    s.ends(
        "referee-opened-player-named",
        "11, 12",
        "Bob has signed a seal after one declaration; the referee has opened the other with what was deposited",
        &f.table,
        "refuted",
        BY_ANN,
    );

    // Orders at once: Ann seals a second note after reading Bob's.
    let mut table = Table::begin_with("orders read, then ordered anew", |charter| {
        charter.phases[0].decisions.push(Decision { by: None, how: How::Simultaneous, name: name("orders") });
    });
    let his = table.seal(Bob, SetKind::Note, ORDERS);
    let (ann, bob) = (last_of(&table, Ann), last_of(&table, Bob));
    let [one, two] = [0; 2].map(|_| Body::Seal(table.seal_body(Ann, SetKind::Note, ORDERS)));
    let first = sign(&mut table, Ann, ann, &[his], one);
    let opened = note_opened(&table, Bob, None, his);
    let opened = sign(&mut table, Bob, bob, &[first], opened);
    let anew = sign(&mut table, Ann, ann, &[opened], two);
    let body = some_set(&mut table, Bob, 2);
    sign(&mut table, Bob, opened, &[anew], body);
    assert!(stands(&table, first));
    s.ends(
        "orders-read-then-ordered-anew",
        "11, 12",
        "Ann reads Bob's orders, and orders anew behind the letter before hers: what he opened against stands",
        &table,
        "refuted",
        BY_ANN,
    );
}

/// Bob seals another set, knowing what Ann rolls for.
fn sealer_forks_behind_a_declaration(s: &mut Scenario<'_>) {
    let mut table = Table::begin("the sealer forks behind a declaration");
    let bob = last_of(&table, Bob);
    let one = Body::Seal(table.seal_body(Bob, SetKind::Coin, FIRST));
    let sealed = table.send(Bob, one);
    let declaration = table.declare(Ann, FIRST, example_attacks(), sealed);
    let other = Body::Seal(table.seal_body(Bob, SetKind::Coin, FIRST));
    let anew = sign(&mut table, Bob, bob, &[declaration], other);
    let body = some_set(&mut table, Ann, 2);
    sign(&mut table, Ann, declaration, &[anew], body);
    assert!(heads(&table, Author::Player(Player::Second), sealed));
    s.blames(
        "sealer-forks-behind-a-declaration",
        "11, 12",
        "Bob seals anew when he knows the declaration: the set that it is on stands, whatever Ann has seen later",
        &table,
        "chain",
        "bob",
    );
}

/// Two letters from one player can be witnesses for two branches only if that player has forked too.
fn strong_on_a_fork(s: &mut Scenario<'_>) {
    let both: &[(&str, Option<&str>)] = &[("chain", Some("ann")), ("chain", Some("bob"))];

    let mut table = Table::begin("a close with masters");
    let stop = table.close(Ann);
    let bob = last_of(&table, Bob);
    let one = sign(&mut table, Ann, stop, &[], says("one", stop));
    let other = sign(&mut table, Ann, stop, &[], says("other", stop));
    sign(&mut table, Bob, bob, &[other], says("which?", other));
    let masters = Close { masters: Some(Vec::new()), result: None };
    let closed = sign(&mut table, Bob, bob, &[one], Body::Close(masters));
    let last = sign(&mut table, Ann, one, &[closed], Body::Claim(Claim::Withdraw(one)));
    assert!(stands(&table, last) && heads(&table, Author::Player(Player::Second), closed));
    s.ends(
        "close-with-masters-is-strong",
        "12",
        "Bob forks too: of his letters after Ann's two the close with masters counts, though it opens nothing",
        &table,
        "refuted",
        both,
    );

    let mut table = Table::begin("named dice");
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
    let (ann, bob) = (last_of(&table, Ann), last_of(&table, Bob));
    let given = Yield { declaration: Some(declaration), forfeit: Forfeit::DeclarerNames, text: "lost".into() };
    let given = sign(&mut table, Bob, bob, &[declaration], Body::Claim(Claim::Yield(given)));
    let body = opens(&table, seal, declaration);
    let opened = sign(&mut table, Bob, bob, &[declaration], body);
    let dice = Names { declaration, dice: vec![6, 6, 6], forfeit: given };
    let named = sign(&mut table, Ann, ann, &[given], Body::Claim(Claim::Names(dice)));
    let body = some_set(&mut table, Ann, 2);
    sign(&mut table, Ann, ann, &[opened], body);
    let body = some_set(&mut table, Bob, 2);
    let last = sign(&mut table, Bob, given, &[named], body);
    assert!(stands(&table, named) && heads(&table, Author::Player(Player::Second), last));
    s.ends(
        "names-is-strong",
        "12",
        "Ann forks too: her `names` counts, and not the seal after Bob's other letter",
        &table,
        "refuted",
        both,
    );
}

/// A party who knows a witness for one branch is not a witness for another.
fn weak(s: &mut Scenario<'_>) {
    time_witness_is_no_witness(s);
    time_witness_with_a_key(s);
    known_seed_opens_again(s);
}

/// A time witness signs when it had a declaration. That does not choose a branch.
fn time_witness_is_no_witness(s: &mut Scenario<'_>) {
    let mut f = {
        let mut table = Table::witnessed("a time witness is no witness", false, |_| {});
        let seal = table.seal(Bob, SetKind::Coin, FIRST);
        fork(table, seal)
    };
    let dora = last_of(&f.table, Dora);
    sign(&mut f.table, Dora, dora, &[f.one], time(1_800_000_000));
    assert!(stands(&f.table, f.ann));
    f.seals(2, f.bob, &[f.other]);
    assert!(stands(&f.table, f.other));
    s.ends(
        "time-witness-is-no-witness",
        "11, office 34",
        "a time witness has told the time behind one declaration; Bob has sealed after the other, which stands",
        &f.table,
        "refuted",
        BY_ANN,
    );
}

/// A time witness chooses no branch even with a key, in a game where a seal in breach names it as the revealer.
fn time_witness_with_a_key(s: &mut Scenario<'_>) {
    let mut f = {
        let mut table = Table::witnessed("a time witness with a key", false, |_| {});
        let mut seal = table.seal_body(Bob, SetKind::Coin, FIRST);
        seal.revealer = role("dora");
        let context = Context::of(table.with_ledger(|ledger| ledger.game), None, &role("bob"), &seal);
        seal.commits =
            context.commitments(&super::deposits::master_of("a time witness with a key", &context, &seal.salt));
        let seal = table.send(Bob, Body::Seal(seal));
        fork(table, seal)
    };
    let dora = last_of(&f.table, Dora);
    f.opens(Dora, dora, &[f.one], f.one);
    f.seals(2, f.bob, &[f.other]);
    assert!(stands(&f.table, f.other));
    s.ends(
        "time-witness-with-a-key",
        "11, office 36",
        "a seal in breach names the time witness, and Bob has given it the key: what it signs makes no opening",
        &f.table,
        "refuted",
        &[("chain", Some("ann")), ("rule", Some("bob")), ("rule", Some("ann")), ("rule", None)],
    );
}

/// A key that everybody knows is an opening too.
fn known_seed_opens_again(s: &mut Scenario<'_>) {
    let mut table = Table::officed("a known seed", false, |_| {});
    let old = table.seal(Bob, SetKind::Coin, "2/1/ann-first/1");
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.send(Dora, holds(&[old, seal]));
    let rolled = table.declare(Ann, "2/1/ann-first/1", example_attacks(), old);
    let body = opens(&table, old, rolled);
    table.send(Dora, body.clone());
    let mut f = {
        let body =
            Body::Claim(Claim::Yield(Yield { declaration: None, forfeit: Forfeit::Game, text: "in the end".into() }));
        let (ann, bob) = (last_of(&table, Ann), last_of(&table, Bob));
        let knows = all_but_ann(&table);
        let one = sign(&mut table, Ann, ann, &knows, body);
        let other = sign(&mut table, Ann, ann, &knows, says("no end", old));
        Forked { table, seal: old, ann, bob, one, other }
    };
    let dora = last_of(&f.table, Dora);
    f.seals(3, f.bob, &[f.other]);
    sign(&mut f.table, Dora, dora, &[f.one], body);
    assert!(stands(&f.table, f.one));
    s.ends(
        "known-seed-opens-again",
        "12, letters 9",
        "the office repeats a key that all know, after one letter: an opening, before Bob's seal after the other",
        &f.table,
        "refuted",
        BY_ANN,
    );

    let mut f = officed("a late witness");
    let dora = last_of(&f.table, Dora);
    let named = f.seals(2, f.bob, &[f.one]);
    f.opens(Dora, dora, &[f.other, named], f.other);
    assert!(stands(&f.table, f.one));
    s.ends(
        "late-witness-knows-the-first",
        "11",
        "Bob has sided with one branch; the office opens for the other when it knows that, and is no witness",
        &f.table,
        "refuted",
        BY_ANN,
    );

    let f = forked("nobody signed behind");
    assert!(stands(&f.table, f.ann));
    s.ends(
        "nobody-signed-behind",
        "12",
        "nobody has gone on after either: both fall, and Ann's chain ends before the fork",
        &f.table,
        "refuted",
        BY_ANN,
    );

    let mut f = officed("a third branch");
    let (dora, ann) = (last_of(&f.table, Dora), f.ann);
    let knows = all_but_ann(&f.table);
    let close = Body::Close(Close { masters: None, result: Some("I give up".into()) });
    let third = sign(&mut f.table, Ann, ann, &knows, close);
    f.seals(2, f.bob, &[third]);
    f.opens(Dora, dora, &[f.other], f.other);
    assert!(stands(&f.table, f.other));
    s.ends(
        "third-branch",
        "8, 12",
        "three letters after one: nobody knew one, Bob has sided with another, and the office has opened for the last",
        &f.table,
        "refuted",
        BY_ANN,
    );

    // A reveal that is signed with a stranger's key.
    let mut f = forked("a stranger's key");
    let body = opens(&f.table, f.seal, f.one);
    let mut head = f.table.signer(Bob).next_head(body.kind());
    head.seen.insert(role("ann"), Some(f.one));
    f.table.forge(head, body, &key("key of eve"));
    f.seals(2, f.bob, &[f.other]);
    assert!(stands(&f.table, f.other));
    s.ends(
        "strangers-key-for-a-lost-branch",
        "12, keys 1",
        "what opens for the one has a stranger's key, and does not exist: the branch that Bob goes on from stands",
        &f.table,
        "refuted",
        &[("chain", Some("ann")), ("game", None)],
    );

    // A fork on a branch of another fork, with the letters in either order.
    let mut f = forked("a fork in a fork");
    let inner = [1, 2].map(|n| f.says(Ann, f.one, &[], &format!("inner {n}")));
    f.seals(2, f.bob, &[inner[1]]);
    assert!(stands(&f.table, inner[1]));
    let letters: Vec<String> = f.table.letters.iter().map(|letter| letter.armour()).collect();
    let backwards: Vec<String> = letters.iter().rev().cloned().collect();
    let both = [backwards, letters].concat().join("\n");
    s.text(
        "fork-in-a-fork-both-orders",
        "8, 12",
        "Bob sides with a branch of the inner fork, and so with one of the outer; each fork is a finding",
        &both,
        "refuted",
        &[("chain", Some("ann")), ("chain", Some("ann"))],
    );
}

/// Letters that a restore lost are signed again.
fn restores(s: &mut Scenario<'_>) {
    let mut f = forked("restored, and signed again");
    f.seals(2, f.bob, &[f.one]);
    assert!(stands(&f.table, f.one));
    s.ends(
        "restored-and-signed-again",
        "8, keys 3",
        "Ann's folder was restored, and she did not ask: Bob holds what she signed before",
        &f.table,
        "refuted",
        BY_ANN,
    );

    // Bob, who was asked, did not know the lost letter; the office did.
    let mut f = officed("asked who did not know");
    let dora = last_of(&f.table, Dora);
    let unnumbered = |f: &mut Forked, who: Who, body: Body, label: &str| {
        let mut head = Head { number: 0, prev: None, ..f.table.signer(who).next_head(body.kind()) };
        let others: Vec<_> = head.seen.iter().map(|(role, _)| role.clone()).collect();
        others.into_iter().for_each(|other| head.seen.insert(other, None));
        f.table.forge(head, body, &key(label))
    };
    f.opens(Dora, dora, &[f.one], f.one);
    let ask = unnumbered(&mut f, Ann, Body::Resync(Resync::Ask(bytes("fresh"))), "key of ann");
    let last = Some(f.ann);
    unnumbered(&mut f, Bob, Body::Resync(Resync::Answer(Answer { ask, last })), "key of bob");
    f.seals(2, f.bob, &[f.other]);
    assert!(stands(&f.table, f.one));
    s.ends(
        "asked-who-did-not-know",
        "8, 12, keys 4",
        "Ann asked Bob, and not the office, which had opened: an answer explains nothing, and the open dice stand",
        &f.table,
        "refuted",
        BY_ANN,
    );
}

/// Ann signs two letters with one number, one of them after Bob's stall. The referee has both, and requests an answer.
fn ruled_at_a_fork(s: &mut Scenario<'_>) {
    let play = |label: &str, chosen: bool| {
        let mut table = Table::refereed(label, |_| {});
        let [ann, bob, carol] = [Ann, Bob, Carol].map(|who| last_of(&table, who));
        let one = sign(&mut table, Ann, ann, &[bob, carol], says("Not yet.", ann));
        let claim = Stall { letter: None, owes: role("ann"), step: Step::Answer, text: "Hello?".into() };
        let claim = sign(&mut table, Bob, bob, &[ann, carol], Body::Claim(Claim::Stall(claim)));
        let other = sign(&mut table, Ann, ann, &[claim, carol], says("Here I am.", claim));
        let settled = sign(&mut table, Carol, carol, &[one], ruling(Ruled::Settle(one)));
        let chooses = says("I heard you.", other);
        if chosen {
            let witness = sign(&mut table, Bob, claim, &[other], chooses);
            sign(&mut table, Carol, settled, &[other, witness], ruling(Ruled::Request(claim)));
        } else {
            sign(&mut table, Carol, settled, &[other, claim], ruling(Ruled::Request(claim)));
            sign(&mut table, Bob, claim, &[other], chooses);
        }
        table
    };
    let table = play("a ruling before a witness", false);
    s.ends(
        "referee-ruled-before-a-witness",
        "14",
        "when Carol asked, no branch stood and Bob had no answer; his later choice is not her fault",
        &table,
        "refuted",
        &[("chain", Some("ann")), ("rule", None)],
    );
    let table = play("a ruling after a witness", true);
    s.ends(
        "referee-ruled-after-a-witness",
        "14",
        "Carol knew which branch Bob had chosen, and that Ann had answered him there",
        &table,
        "refuted",
        &[("chain", Some("ann")), ("rule", Some("carol"))],
    );
}

/// Who is excused after siding with a branch that fell.
fn excuses(s: &mut Scenario<'_>) {
    let mut f = {
        let mut table = Table::refereed("an excuse that ends", |_| {});
        let seal = table.seal(Bob, SetKind::Coin, FIRST);
        fork(table, seal)
    };
    let carol = last_of(&f.table, Carol);
    let opened = f.opens(Bob, f.bob, &[f.one], f.one);
    let settled = |f: &mut Forked, prev: Hex32, knows: &[Hex32]| {
        sign(&mut f.table, Carol, prev, knows, ruling(Ruled::Settle(f.seal)))
    };
    let (seal, other) = (f.seal, f.other);
    let first = settled(&mut f, carol, &[other, seal]);
    let again = settled(&mut f, first, &[]);
    settled(&mut f, again, &[opened]);
    s.ends(
        "excuse-ends-with-the-standing-branch",
        "10, 14",
        "Carol settles one letter three times: once she is excused, and then she sides with the branch that stands",
        &f.table,
        "refuted",
        &[("chain", Some("ann")), ("rule", None), ("rule", Some("carol"))],
    );

    let mut f = officed("a close by the office behind a fork");
    let dora = last_of(&f.table, Dora);
    f.seals(2, f.bob, &[f.one]);
    sign(&mut f.table, Dora, dora, &[f.other], Body::Close(Close { masters: None, result: None }));
    s.ends(
        "closed-behind-a-fork",
        "14, letters 4",
        "an office may not close a game on any branch, so Ann's fork does not excuse it",
        &f.table,
        "refuted",
        &[("chain", Some("ann")), ("rule", Some("dora"))],
    );

    // Bob knows the witness that counts for the other branch, and goes back all the same.
    let mut f = officed("an excuse with open eyes");
    let dora = last_of(&f.table, Dora);
    let opened = f.opens(Dora, dora, &[f.one], f.one);
    let known = f.seals(2, f.bob, &[opened]);
    let next = Body::Correct(Correct::Accept(f.bob));
    sign(&mut f.table, Bob, known, &[f.other], next);
    s.ends(
        "excuse-for-who-did-not-know",
        "14",
        "Bob knew for which branch the office had opened when he signed after the other: nothing excuses that",
        &f.table,
        "refuted",
        &[("chain", Some("ann")), ("rule", Some("bob"))],
    );

    // The inner fork is on a branch that fell.
    let mut f = {
        let mut table = Table::refereed("an excuse by an inner fork", |_| {});
        let seal = table.seal(Bob, SetKind::Coin, FIRST);
        fork(table, seal)
    };
    let carol = last_of(&f.table, Carol);
    let inner = [1, 2].map(|n| f.says(Ann, f.other, &[], &format!("inner {n}")));
    let opened = f.opens(Bob, f.bob, &[f.one], f.one);
    let breach = ruling(Ruled::Dismiss(inner[0]));
    sign(&mut f.table, Carol, carol, &[inner[0], opened], breach);
    s.ends(
        "excuse-by-an-inner-fork",
        "14",
        "Carol knew that Bob had opened for the other branch; a fork on the branch that fell excuses nobody",
        &f.table,
        "refuted",
        &[("chain", Some("ann")), ("chain", Some("ann")), ("rule", Some("carol"))],
    );

    let mut table = Table::begin("a bad master behind a fork");
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    let stop = table.close(Ann);
    let bob = last_of(&table, Bob);
    let one = sign(&mut table, Ann, stop, &[], says("one", stop));
    let other = sign(&mut table, Ann, stop, &[], says("other", stop));
    let named = sign(&mut table, Bob, bob, &[other], Body::Close(Close { masters: None, result: None }));
    let close = table.with_ledger(|ledger| table.signer(Bob).close(ledger, None));
    let Some(mut masters) = close.masters else { unreachable!("masters") };
    assert_eq!(masters.first().map(|master| master.seal), Some(seal));
    masters[0].master = bytes("another master");
    let close = Close { masters: Some(masters), result: None };
    sign(&mut table, Bob, named, &[one], Body::Close(close));
    assert!(stands(&table, other));
    s.ends(
        "bad-master-behind-a-fork",
        "14, close 3",
        "Bob's close sides with the branch that fell: a false seal is good on none, and he is blamed",
        &table,
        "refuted",
        &[("chain", Some("ann")), ("rule", Some("bob"))],
    );

    // Bob accepts a void on one branch, and the office opens on the other.
    let mut table = Table::officed("accepted before the office opened", false, |_| {});
    let seal = table.seal(Bob, SetKind::Coin, FIRST);
    table.send(Dora, holds(&[seal]));
    let before = table.declare(Ann, FIRST, example_attacks(), seal);
    let (ann, dora) = (last_of(&table, Ann), last_of(&table, Dora));
    let body = opens(&table, seal, before);
    let opened = sign(&mut table, Dora, dora, &[before], body);
    let next = table.seal(Bob, SetKind::Coin, "2/1/ann-first/1");
    let bob = last_of(&table, Bob);
    let held = sign(&mut table, Dora, opened, &[next], holds(&[next]));
    let void = Voiding { reason: "the bridge was down".into(), scope: Scope::Declaration(before) };
    let proposed = sign(&mut table, Ann, ann, &[held], Body::Correct(Correct::Void(void)));
    sign(&mut table, Bob, bob, &[proposed, held], Body::Correct(Correct::Accept(proposed)));
    assert!(stands(&table, proposed));
    let declared = table.declaration(Ann, "2/1/ann-first/1", example_attacks(), next, None);
    let declared = sign(&mut table, Ann, ann, &[next, held], Body::Declare(Box::new(declared)));
    let body = opens(&table, next, declared);
    sign(&mut table, Dora, held, &[declared], body);
    assert!(stands(&table, declared));
    s.ends(
        "accepted-before-the-office-opened",
        "12, 14",
        "Bob has accepted a void; then Ann lets the office open for another letter: that stands, and nobody blames Bob",
        &table,
        "refuted",
        &[("chain", Some("ann")), ("rule", None)],
    );
}

/// What `seen` may do at a fork.
fn links(s: &mut Scenario<'_>) {
    let mut f = forked("seen changes branch");
    let behind = f.says(Ann, f.one, &[], "one letter more");
    let named = f.seals(2, f.bob, &[behind]);
    let over = f.seals(3, named, &[f.other]);
    f.seals(4, over, &[f.one]);
    assert!(stands(&f.table, behind));
    s.ends(
        "seen-changes-branch",
        "3",
        "Bob's seen goes from one branch to the other, and back to an earlier letter of the first",
        &f.table,
        "refuted",
        &[("chain", Some("ann"))],
    );

    let mut f = forked("seen goes back");
    let behind = f.says(Ann, f.one, &[], "one letter more");
    let named = f.seals(2, f.bob, &[behind]);
    f.seals(3, named, &[f.ann]);
    s.ends(
        "seen-goes-back",
        "3",
        "Bob's seen goes back to the letter before the fork, which the other follows",
        &f.table,
        "refuted",
        &[("chain", Some("ann")), ("chain", Some("bob"))],
    );
    reveal_of_a_fallen_declaration(s);
}

/// Once a declaration has fallen, its places are no longer checked, but every key must still match.
fn reveal_of_a_fallen_declaration(s: &mut Scenario<'_>) {
    let mut f = forked("a reveal of a fallen declaration");
    let opened = f.opens(Bob, f.bob, &[f.one], f.one);
    let mut body = opens(&f.table, f.seal, f.other);
    if let Body::Reveal(reveal) = &mut body {
        reveal.sheets.push(CellKey(0, 1, bytes("x")));
    }
    sign(&mut f.table, Bob, opened, &[f.other], body);
    s.ends(
        "reveal-of-a-fallen-declaration",
        "8, reveal 5",
        "Bob opens the declaration that fell as well, with a key of a cell, which a coin set does not have",
        &f.table,
        "refuted",
        &[("chain", Some("ann")), ("rule", Some("bob"))],
    );
}

/// Forks by the referee and by the office.
fn thirds(s: &mut Scenario<'_>) {
    office_fork_with_epoch(s);
    office_fork_with_epoch_and_two_more(s);
    office_acts_though_it_goes_back(s);
}

fn office_fork_with_epoch(s: &mut Scenario<'_>) {
    for (file, again) in [("office-fork-with-epoch", epoch(1_800_000_000)), ("office-fork-without-epoch", time(1))] {
        let (mut table, seal) = held(file);
        let declaration = table.declare(Ann, FIRST, example_attacks(), seal);
        let dora = last_of(&table, Dora);
        let body = opens(&table, seal, declaration);
        let opened = sign(&mut table, Dora, dora, &[declaration], body);
        let anew = sign(&mut table, Dora, dora, &[declaration], again);
        let (ann, bob) = (last_of(&table, Ann), last_of(&table, Bob));
        let [hers, his] = [(Ann, 2), (Bob, 2)].map(|(who, turn)| some_set(&mut table, who, turn));
        sign(&mut table, Ann, ann, &[opened], hers);
        sign(&mut table, Bob, bob, &[anew], his);
        let answered = |id| table.with_ledger(|ledger| ledger.declaration(&id).is_some_and(|one| one.is_answered()));
        assert!(answered(declaration));
        match file {
            "office-fork-with-epoch" => s.ends(
                file,
                "8, office 25",
                "the office was restored: what it lost and its epoch both act, and nobody is blamed",
                &table,
                "verified",
                &[("chain", None)],
            ),
            _ => s.blames(
                file,
                "8, office 22",
                "two letters of the office's after one, and none is an epoch: both act, and it is blamed",
                &table,
                "chain",
                "dora",
            ),
        }
    }
}

fn office_fork_with_epoch_and_two_more(s: &mut Scenario<'_>) {
    let (mut table, seal) = held("two letters and an epoch");
    let dora = last_of(&table, Dora);
    for body in [time(1), time(2), epoch(3)] {
        sign(&mut table, Dora, dora, &[seal], body);
    }
    s.blames(
        "office-fork-with-epoch-and-two-more",
        "8, office 25",
        "an epoch explains one letter that was lost, and not two with one prev",
        &table,
        "chain",
        "dora",
    );
}

fn office_acts_though_it_goes_back(s: &mut Scenario<'_>) {
    let (mut table, seal) = held("a receipt that goes back");
    let (ann, dora) = (last_of(&table, Ann), last_of(&table, Dora));
    let next = table.seal(Bob, SetKind::Coin, "2/1/ann-first/1");
    let body = some_set(&mut table, Ann, 2);
    let hers = sign(&mut table, Ann, ann, &[next, dora], body);
    let read = sign(&mut table, Dora, dora, &[hers, next], time(1));
    let back = sign(&mut table, Dora, read, &[ann], holds(&[next]));
    let declared = table.declaration(Ann, "2/1/ann-first/1", example_attacks(), next, None);
    let declared = sign(&mut table, Ann, hers, &[back], Body::Declare(Box::new(declared)));
    let body = opens(&table, next, declared);
    sign(&mut table, Dora, back, &[declared], body);
    assert_ne!(seal, next);
    s.blames(
        "office-acts-though-it-goes-back",
        "3, office 22",
        "the office's seen goes back, and its receipt holds the set all the same: the reveal behind it is good",
        &table,
        "chain",
        "dora",
    );

    for (file, knows_all) in [("fork-settled", true), ("fork-settled-by-half", false)] {
        let mut f = {
            let mut table = Table::refereed(file, |_| {});
            let seal = table.seal(Bob, SetKind::Coin, FIRST);
            fork(table, seal)
        };
        let carol = last_of(&f.table, Carol);
        f.seals(2, f.bob, &[f.one]);
        let read = sign(&mut f.table, Carol, carol, &[f.one], ruling(Ruled::Settle(f.seal)));
        let body = ruling(Ruled::Settle(f.one));
        let (verdict, about) = match knows_all {
            true => ("verified", "the referee settles a fork when she has seen both letters"),
            false => ("refuted", "the referee settles a letter, and does not know that there is another"),
        };
        let settled = match knows_all {
            true => {
                let (other, seal) = (f.other, f.seal);
                let read = sign(&mut f.table, Carol, read, &[other], ruling(Ruled::Settle(other)));
                assert_ne!(seal, other);
                sign(&mut f.table, Carol, read, &[f.one], body)
            }
            false => sign(&mut f.table, Carol, read, &[], body),
        };
        assert!(heads(&f.table, Author::Referee, settled));
        s.ends(file, "8, ruling 5", about, &f.table, verdict, BY_ANN);
    }

    for (file, agree) in [("referee-forks-players-disagree", false), ("referee-forks-players-agree", true)] {
        let mut table = Table::refereed(file, |_| {});
        let seal = table.seal(Bob, SetKind::Coin, FIRST);
        let (ann, bob, carol) = (last_of(&table, Ann), last_of(&table, Bob), last_of(&table, Carol));
        let kill = sign(&mut table, Carol, carol, &[seal], ruling(Ruled::Kill(seal)));
        let settle = sign(&mut table, Carol, carol, &[seal], ruling(Ruled::Settle(seal)));
        let [hers, his] = [(Ann, 2), (Bob, 2)].map(|(who, turn)| some_set(&mut table, who, turn));
        sign(&mut table, Ann, ann, &[seal, kill], hers);
        sign(&mut table, Bob, bob, &[if agree { kill } else { settle }], his);
        let killed = table.with_ledger(|ledger| ledger.is_killed(&seal, Past::ALL));
        assert!(killed == agree && heads(&table, Author::Referee, if agree { kill } else { carol }));
        let about = match agree {
            true => "both players go on behind one of Carol's two rulings: it stands",
            false => "each player goes on behind another of Carol's two rulings: neither takes effect",
        };
        s.blames(file, "11, 12", about, &table, "chain", "carol");
    }
}

/// Several accepts, and more branches than a game can have.
fn counts(s: &mut Scenario<'_>) {
    let mut table = Table::begin("two accepts, and a fork behind one");
    let accept = table.letters[1].message.clone();
    // The report begins with the game that has the lowest id: the second accept must not have it.
    let again = (0..).map(|i| {
        let Body::Accept(mut body) = accept.body().clone() else { unreachable!("an accept") };
        body.nonce = bytes(&format!("another nonce {i}"));
        Verified::sign(accept.head().clone(), Body::Accept(body), &key("key of bob")).expect("an accept")
    });
    let (message, frame) = again.into_iter().find(|(again, _)| again.id() > accept.id()).expect("such an id");
    table.letters.push(Letter { message, frame });
    let close = |result: &str| Body::Close(Close { masters: None, result: Some(result.into()) });
    for result in ["ann wins", "bob wins"] {
        sign(&mut table, Bob, accept.id(), &[], close(result));
    }
    s.ends(
        "two-accepts",
        "8, 9",
        "two accepts of one charter are a fork in both games; a later fork of Bob's is another finding",
        &table,
        "refuted",
        &[("chain", Some("bob")), ("chain", Some("bob"))],
    );

    // Nobody can hide a fork among many others.
    let mut table = Table::begin("more branches than a game can have");
    let (ann, bob) = (last_of(&table, Ann), last_of(&table, Bob));
    for draw in 0..257 {
        sign(&mut table, Ann, ann, &[bob], close(&format!("draw {draw}")));
    }
    let mut head = Head { number: 4, prev: Some(bob), ..table.signer(Bob).next_head(Kind::Close) };
    head.seen.insert(role("ann"), Some(ann));
    table.forge(head.clone(), close("a number left out"), &key("key of bob"));
    head.seen.insert(role("ann"), Some(bytes("no such letter")));
    table.forge(head, close("and not placed"), &key("key of bob"));
    s.ends(
        "too-many-branches",
        "15",
        "nothing is replayed: the fork is a finding, and so is each letter with a bad prev, placed or not",
        &table,
        "refuted",
        &[("chain", Some("ann")), ("chain", Some("bob")), ("chain", Some("bob"))],
    );
}
