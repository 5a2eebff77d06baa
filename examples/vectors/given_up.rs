//! Games in which keys were given up, and what thieves sign with them (`protocol/keys.md` 2, 6).

use sealed_dice::blob::{
    Body, Head, Kind,
    body::{Close, Hex32, SetKind},
    disputes::{Claim, Dispute, Rule},
    new_keys::{Admit, KeyChange, Rotate},
};

use crate::{
    disputes::{head_of, new_key, note, rotate, ruling, sign_with},
    games::Scenario,
    kit::{Ann, Bob, Carol, Table, Who, key, role},
};

/// A letter by a role at any place, which no seat takes for its own.
fn at(table: &mut Table, who: Who, number: u64, prev: Hex32, body: Body, label: &str) -> Hex32 {
    let head = Head { number, prev: Some(prev), ..head_of(table, who, &body) };
    table.forge(head, body, &key(label))
}

fn rotation(table: &Table, who: &str, after: Hex32, label: &str, stolen: bool) -> Body {
    let (new, proof) = new_key(table, who, after, label);
    Body::Key(KeyChange::Rotate(Rotate { key: new, proof, stolen }))
}

pub(crate) fn all(s: &mut Scenario<'_>) {
    // Ann's letter 3, on which her rotation rests, is lost in the mail.
    let mut table = Table::begin("a rotation behind a gap");
    let before = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let body = note(&mut table, "2/1/bob-first/1");
    let lost = table.post(Ann, body);
    rotate(&mut table, true);
    let thief = note(&mut table, "9/1/bob-first/1");
    at(&mut table, Ann, 5, before, thief, "key of ann");
    table.letters.retain(|letter| letter.message.id() != lost);
    s.ends(
        "given-up-behind-a-gap",
        "2",
        "a rotation that is not placed gives nothing up yet: the thief's detached letter is there until letter 3 is",
        &table,
        "refuted",
        &[("chain", Some("ann"))],
    );

    // The thief rotates too, and signs with his own new key, in and outside the chain.
    let mut table = Table::begin("a thief's own key");
    let beside = table.seal(Bob, SetKind::Coin, "1/1/ann-first/1");
    let before = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let body = rotation(&table, "ann", before, "the thief's key", false);
    let brought = at(&mut table, Ann, 3, before, body, "key of ann");
    let body = note(&mut table, "8/1/bob-first/1");
    at(&mut table, Ann, 4, brought, body, "the thief's key");
    let body = note(&mut table, "9/1/bob-first/1");
    at(&mut table, Ann, 9, beside, body, "the thief's key");
    rotate(&mut table, true);
    s.ends(
        "given-up-with-what-it-brought",
        "2",
        "a rotation under a key that was given up gives up its new key, too: what the thief signs with that blames nobody",
        &table,
        "verified",
        &[("game", None), ("game", None), ("game", None)],
    );

    // Both keys are stolen: the thief's letters know each other, and nobody else knows them.
    let mut table = Table::begin("two stolen keys");
    let by_ann = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let by_bob = table.seal(Bob, SetKind::Coin, "1/1/ann-first/1");
    let body = note(&mut table, "9/1/bob-first/1");
    let thief = at(&mut table, Ann, 3, by_ann, body, "key of ann");
    let body = Body::Close(Close { masters: None, result: None });
    let mut head = Head { number: 3, prev: Some(by_bob), ..head_of(&table, Bob, &body) };
    head.seen.insert(role("ann"), Some(thief));
    table.forge(head, body, &key("key of bob"));
    rotate(&mut table, true);
    let body = rotation(&table, "bob", by_bob, "bob's new key", true);
    let number = head_of(&table, Bob, &body).number;
    at(&mut table, Bob, number, by_bob, body, "key of bob");
    s.ends(
        "given-up-through-given-up",
        "2",
        "what only a letter knows that does not exist does not exist",
        &table,
        "verified",
        &[("game", None), ("game", None)],
    );

    // The one letter of the thief's that Bob knows exists, and so the key that it brought.
    let mut table = Table::begin("a thief's key believed");
    let before = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let body = rotation(&table, "ann", before, "the thief's key", false);
    let brought = at(&mut table, Ann, 3, before, body, "key of ann");
    let thief = table.letters.last().expect("a letter").message.clone();
    table.bob.see(&thief);
    let body = table.seal_body(Bob, SetKind::Coin, "1/1/ann-first/1");
    table.post(Bob, Body::Seal(body));
    let body = note(&mut table, "8/1/bob-first/1");
    at(&mut table, Ann, 4, brought, body, "the thief's key");
    rotate(&mut table, true);
    s.ends(
        "not-given-up-where-known",
        "2, 8",
        "Bob went on from the thief's rotation before he knew of Ann's: it binds, and goes on under its key",
        &table,
        "refuted",
        &[("chain", Some("ann"))],
    );

    // A rotation deep in its branch.
    let mut table = Table::begin("a rotation after another letter");
    let before = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let body = note(&mut table, "9/1/bob-first/1");
    let thief = at(&mut table, Ann, 3, before, body, "key of ann");
    let message = table.letters.last().expect("a letter").message.clone();
    table.bob.see(&message);
    table.post(Bob, Body::Claim(Claim::Dispute(Dispute { letters: vec![thief], text: "turn 9?".into() })));
    let body = note(&mut table, "2/1/bob-first/1");
    table.post(Ann, body);
    rotate(&mut table, true);
    s.ends(
        "stolen-deep-in-a-branch",
        "5, 8",
        "the rotation is the second letter of its branch, and Bob named the other one",
        &table,
        "refuted",
        &[("chain", Some("ann"))],
    );

    // An admission whose place is not at hand.
    let mut table = Table::refereed("a lost key after a lost letter", |_| {});
    let last = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let (new, proof) = new_key(&table, "ann", last, "ann's second key");
    let admit = Admit { after: last, key: new, player: role("ann"), proof };
    let admit = table.send(Bob, Body::Key(KeyChange::Admit(admit)));
    table.send(Carol, ruling(Rule::Admit(admit)));
    let body = note(&mut table, "2/1/bob-first/1");
    sign_with(&mut table, "ann's second key", (2, last), body);
    table.letters.retain(|letter| letter.message.id() != last);
    s.ends(
        "admitted-after-a-missing-letter",
        "6",
        "while the letter that the new key follows is not at hand nothing is admitted",
        &table,
        "undecided",
        &[("game", None)],
    );

    // The referee had seen another branch.
    let mut table = Table::refereed("a referee who saw more", |_| {});
    let body = note(&mut table, "9/1/bob-first/1");
    let prev = table.letters[0].message.id();
    let other = at(&mut table, Ann, 2, prev, body, "key of ann");
    let message = table.letters.last().expect("a letter").message.clone();
    table.carol.as_mut().expect("a referee").see(&message);
    let body = note(&mut table, "1/1/bob-first/1");
    let last = table.post(Ann, body);
    table.arrive(Bob);
    assert_ne!(last, other);
    let (new, proof) = new_key(&table, "ann", last, "ann's second key");
    let admit = Admit { after: last, key: new, player: role("ann"), proof };
    let admit = table.post(Bob, Body::Key(KeyChange::Admit(admit)));
    let mut head = head_of(&table, Carol, &ruling(Rule::Admit(admit)));
    head.seen.insert(role("bob"), Some(admit));
    table.forge(head, ruling(Rule::Admit(admit)), &key("key of carol"));
    let body = note(&mut table, "2/1/bob-first/1");
    sign_with(&mut table, "ann's second key", (2, last), body);
    s.ends(
        "admitted-beside-a-branch",
        "6",
        "the referee knows a letter of Ann's with the same number that the new key would pass by: it is not admitted",
        &table,
        "refuted",
        &[("chain", Some("ann")), ("game", None)],
    );

    // The admit is a letter in breach, or on a branch that fell: the key is admitted all the same, and the ruling in breach.
    let mut table = Table::refereed("an admit in breach", |_| {});
    let last = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let (new, proof) = new_key(&table, "ann", last, "ann's second key");
    let body = Body::Key(KeyChange::Admit(Admit { after: last, key: new, player: role("ann"), proof }));
    let mut head = Head { kind: Kind::Key, ..head_of(&table, Bob, &body) };
    head.seen.insert(role("carol"), None);
    let admit = table.forge(head, body, &key("key of bob"));
    let message = table.letters.last().expect("a letter").message.clone();
    table.carol.as_mut().expect("a referee").see(&message);
    table.post(Carol, ruling(Rule::Admit(admit)));
    let body = note(&mut table, "2/1/bob-first/1");
    sign_with(&mut table, "ann's second key", (2, last), body);
    s.ends(
        "admit-in-breach",
        "6, ruling admit",
        "Bob's admit goes back in what he has seen: the key is admitted, and who rules on such a letter is in breach",
        &table,
        "refuted",
        &[("chain", Some("bob")), ("rule", Some("carol"))],
    );

    let mut table = Table::refereed("an admit on a fallen branch", |_| {});
    let last = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let (new, proof) = new_key(&table, "ann", last, "ann's second key");
    let body = Body::Key(KeyChange::Admit(Admit { after: last, key: new, player: role("ann"), proof }));
    let head = head_of(&table, Bob, &body);
    let admit = table.forge(head, body, &key("key of bob"));
    let message = table.letters.last().expect("a letter").message.clone();
    table.carol.as_mut().expect("a referee").see(&message);
    let body = table.seal_body(Bob, SetKind::Coin, "1/1/ann-first/1");
    table.post(Bob, Body::Seal(body));
    table.arrive(Ann);
    let body = note(&mut table, "2/1/bob-first/1");
    table.post(Ann, body);
    table.post(Carol, ruling(Rule::Admit(admit)));
    s.ends(
        "admit-on-a-fallen-branch",
        "ruling admit, chain 13",
        "Ann named Bob's other letter: the ruling may have been good on the branch that fell",
        &table,
        "refuted",
        &[("chain", Some("bob")), ("rule", None)],
    );

    // Ann rotates after a theft, and again after another one: the second thief signs behind the first rotation.
    let mut table = Table::begin("a second theft");
    let first = rotate(&mut table, true);
    let number = table.letters.last().expect("a letter").message.head().number;
    let body = note(&mut table, "1/1/bob-first/1");
    let own = sign_with(&mut table, "ann's new key", (number, first), body);
    let (new, proof) = new_key(&table, "ann", own, "ann's third key");
    let body = Body::Key(KeyChange::Rotate(Rotate { key: new, proof, stolen: true }));
    sign_with(&mut table, "ann's new key", (number + 1, own), body);
    let body = note(&mut table, "9/1/bob-first/1");
    at(&mut table, Ann, 9, own, body, "ann's new key");
    s.ends(
        "given-up-a-second-time",
        "2",
        "what follows the first rotation under the key of that is not spared by it when it is given up too",
        &table,
        "verified",
        &[("game", None)],
    );

    // The proof of an ask is public: the thief of the old key copies it into a rotation.
    let mut table = Table::refereed("a copied proof", |_| {});
    let last = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let (new, proof) = new_key(&table, "ann", last, "ann's second key");
    let admit = Admit { after: last, key: new, player: role("ann"), proof };
    let admit = table.send(Bob, Body::Key(KeyChange::Admit(admit)));
    table.send(Carol, ruling(Rule::Admit(admit)));
    let copied = Body::Key(KeyChange::Rotate(Rotate { key: new, proof, stolen: false }));
    let body = note(&mut table, "2/1/bob-first/1");
    let first = sign_with(&mut table, "ann's second key", (2, last), body);
    at(&mut table, Ann, 3, last, copied, "key of ann");
    let body = note(&mut table, "3/1/bob-first/1");
    let lost = sign_with(&mut table, "ann's second key", (3, first), body);
    let body = note(&mut table, "4/1/bob-first/1");
    sign_with(&mut table, "ann's second key", (4, lost), body);
    table.letters.retain(|letter| letter.message.id() != lost);
    s.ends(
        "admitted-not-given-up",
        "2",
        "a rotation that the thief makes with the proof of Ann's own ask does not give up the key that was admitted",
        &table,
        "undecided",
        &[("game", None)],
    );

    // Who steals the admitted key before its owner has used it for anything else.
    let mut table = Table::refereed("an admitted key rotated at once", |_| {});
    let last = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let (new, proof) = new_key(&table, "ann", last, "ann's second key");
    let admit = Admit { after: last, key: new, player: role("ann"), proof };
    let admit = table.send(Bob, Body::Key(KeyChange::Admit(admit)));
    table.send(Carol, ruling(Rule::Admit(admit)));
    let (third, proof) = new_key(&table, "ann", last, "ann's third key");
    let body = Body::Key(KeyChange::Rotate(Rotate { key: third, proof, stolen: true }));
    sign_with(&mut table, "ann's second key", (2, last), body);
    let body = note(&mut table, "9/1/bob-first/1");
    let beside = table.letters[2].message.id();
    at(&mut table, Ann, 9, beside, body, "ann's second key");
    s.ends(
        "admitted-and-stolen",
        "2",
        "the first letter under the admitted key gives up that very key: a thief's detached letter blames nobody",
        &table,
        "verified",
        &[("game", None)],
    );

    // A letter under the old key, with the number of the rotation that it follows.
    let mut table = Table::begin("an old key behind its rotation");
    let rotated = rotate(&mut table, false);
    let number = table.letters.last().expect("a letter").message.head().number;
    let body = note(&mut table, "9/1/bob-first/1");
    at(&mut table, Ann, number, rotated, body, "key of ann");
    s.ends(
        "old-key-with-the-rotations-number",
        "2",
        "the key in force after `prev` tells, whatever the number says",
        &table,
        "verified",
        &[("game", None)],
    );

    // The letter behind one that has ceased to exist.
    let mut table = Table::begin("behind what was given up");
    let before = table.seal(Ann, SetKind::Coin, "1/1/bob-first/1");
    let body = rotation(&table, "ann", before, "the thief's key", false);
    let brought = at(&mut table, Ann, 3, before, body, "key of ann");
    let body = note(&mut table, "8/1/bob-first/1");
    at(&mut table, Ann, 4, brought, body, "key of ann");
    rotate(&mut table, true);
    s.ends(
        "behind-what-was-given-up",
        "2",
        "what did not exist before its `prev` ceased to exist does not come back",
        &table,
        "verified",
        &[("game", None), ("game", None)],
    );
}
