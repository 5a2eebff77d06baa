//! Cheats about keys: hands that they never went through, thieves that there are not, answers to nobody, rubbish for the
//! referee.

use sealed_dice::{
    blob::{
        Body, Hex32, Kind,
        body::{Role, Seen},
        deposits::{Deposit, Wrapped},
        new_keys::{Admit, Answer, Hex64, KeyChange, NewKey, Resync, Rotate},
    },
    game::{charter::Player::First, ledger::Ledger},
    primitive::sign::PrivateKey,
};

use super::{BOBS, Bob, Cheat, Match, NotTakenIn, Open, Pinned, Seated, declared, play, report};
use crate::kit::{bytes, key, role};

fn public(key: &PrivateKey) -> Hex32 {
    Hex32(*key.public().as_bytes())
}

fn admit(ledger: &Ledger<'_>, player: &str, after: Hex32, proof: Option<Hex64>) -> Body {
    let new = key("a key that Bob made for Ann");
    let player: Role = role(player);
    let good = NewKey { game: ledger.game, role: &player, after, key: public(&new) }.prove(&new);
    Body::Key(KeyChange::Admit(Admit { after, key: public(&new), proof: proof.unwrap_or(good), player }))
}

fn last_of_ann(ledger: &Ledger<'_>) -> Hex32 {
    ledger.last_letter(First).expect("a letter").id()
}

#[test]
fn keys_that_do_not_change_hands() {
    play(
        "keys",
        &[
            Cheat(
                "a rotation to a key that did not sign",
                "opened",
                |bob| {
                    bob.signs(|_, _| {
                        let key = public(&key("somebody else"));
                        Body::Key(KeyChange::Rotate(Rotate { key, proof: Hex64([0; 64]), stolen: false }))
                    });
                },
                Pinned("key 1"),
            ),
            Cheat(
                "a rotation to a key of small order",
                "opened",
                |bob| {
                    bob.signs(|_, _| {
                        let mut key = [0; 32];
                        key[0] = 1;
                        Body::Key(KeyChange::Rotate(Rotate { key: Hex32(key), proof: Hex64([0; 64]), stolen: false }))
                    });
                },
                Pinned("key 1"),
            ),
            Cheat(
                "he alone puts in a new key for Ann, and signs with it",
                "opened",
                |bob| {
                    bob.signs(|ledger, _| admit(ledger, "ann", last_of_ann(ledger), None));
                },
                Open("key"),
            ),
            Cheat(
                "he admits a key of his own",
                "opened",
                |bob| {
                    bob.signs(|ledger, _| admit(ledger, "bob", last_of_ann(ledger), None));
                },
                Pinned("key 2"),
            ),
            Cheat(
                "he admits a key that did not sign",
                "opened",
                |bob| {
                    bob.signs(|ledger, _| admit(ledger, "ann", last_of_ann(ledger), Some(Hex64([0; 64]))));
                },
                Pinned("key 2"),
            ),
            Cheat(
                "he admits a key after an older letter of Ann's",
                "opened",
                |bob| {
                    bob.signs(|ledger, _| {
                        let before = ledger.last_letter(First).expect("a letter").message.head().prev;
                        admit(ledger, "ann", before.expect("a letter"), None)
                    });
                },
                Pinned("key 2"),
            ),
            Cheat(
                "an answer to nobody",
                "opened",
                |bob| {
                    bob.signs(|_, _| Body::Resync(Resync::Answer(Answer { ask: bytes("an ask"), to: role("nobody") })));
                },
                Pinned("resync 1"),
            ),
            Cheat(
                "he says that it was a thief who declared, once he knows the dice",
                "rolled",
                |bob| {
                    bob.signs_as(
                        |ledger, head| {
                            let first = ledger.declaration(&declared(ledger, BOBS)).expect("a declaration").node;
                            (head.number, head.prev) = (first.message.head().number, first.message.head().prev);
                            head.seen = first.message.head().seen.clone();
                        },
                        |ledger, _| {
                            let first = ledger.declaration(&declared(ledger, BOBS)).expect("a declaration").node;
                            let new = key("bob's next key");
                            let after = first.message.head().prev.expect("a letter");
                            let proof =
                                NewKey { game: ledger.game, role: &role("bob"), after, key: public(&new) }.prove(&new);
                            Body::Key(KeyChange::Rotate(Rotate { key: public(&new), proof, stolen: true }))
                        },
                    );
                },
                Pinned("chain 8"),
            ),
        ],
    );
}

/// A letter under the key that Bob alone would have for Ann is no letter of the game.
#[test]
fn a_key_that_bob_alone_admits_signs_nothing() {
    let bob = Bob::at("opened", "play-cheats-admit");
    bob.signs(|ledger, _| admit(ledger, "ann", last_of_ann(ledger), None));
    let letter = bob.sees(|ledger, _| {
        let mut head = ledger.last_letter(First).expect("a letter").message.head().clone();
        (head.number, head.prev, head.kind) = (head.number + 1, Some(last_of_ann(ledger)), Kind::Close);
        let body = Body::Close(sealed_dice::blob::body::Close { masters: None, result: None });
        let key = key("a key that Bob made for Ann");
        let (message, frame) = sealed_dice::blob::Verified::sign(head, body, &key).expect("a letter");
        sealed_dice::game::steps::Letter { message, frame }
    });
    bob.sends(&letter);
    bob.is_caught(
        &Cheat("a letter under a key that Bob admits", "opened", |_| (), NotTakenIn("not signed with the key")),
        true,
    );
}

/// What Bob deposits does not open his set: Carol does not confirm it, and Ann is told so before she declares on it.
#[test]
fn rubbish_for_the_referee_is_not_confirmed() {
    let bob = Bob::at("begun", "play-cheats-deposit");
    let seal = bob.signs(|ledger, seat| {
        let kind = sealed_dice::blob::body::SetKind::Coin;
        Body::Seal(seat.seal(ledger.terms, kind, "3/1/ann-first/1", 5, bytes("not deposited"), None).expect("a seal"))
    });
    let deposit = bob.makes(
        |_, head| {
            (head.number, head.prev) = (0, None);
            let roles: Vec<Role> = head.seen.iter().map(|(role, _)| role.clone()).collect();
            head.seen = Seen::default();
            roles.into_iter().for_each(|role| head.seen.insert(role, None));
        },
        |ledger, _| {
            let to = ledger.terms.charter.referee.as_ref().and_then(|referee| referee.deposit.as_ref());
            Body::Deposit(Deposit { key: to.expect("deposits").key, seal, wrapped: Wrapped([7; 80]) })
        },
    );
    bob.sends(&deposit);
    bob.arrives();
    let refused = bob.game.carol.run(&["reply", "--yes"], "");
    assert!(super::talk(&refused).contains("does not open"), "{}", super::talk(&refused));
    let ann = &bob.game.table.ann;
    assert!(ann.status()["notes"].to_string().contains("not confirmed"), "{}", ann.status());
    assert!(report(ann).findings.is_empty() && report(&bob.game.carol).findings.is_empty());
}

/// Whoever carried the first mail may have put in a key of his own: its fingerprint is not the one that Ann reads aloud. And
/// nothing is signed by somebody who was not asked.
#[test]
fn a_swapped_key_is_heard() {
    let table = Match::seated("play-cheats-swapped");
    let thief = Seated::at(table.dir.join("thief"));
    thief.does(&["key", "new", "--no-passphrase"]);
    thief.does(&["key", "backup"]);
    let terms = table.terms(|terms| terms);
    let swapped = thief.signs(&["game", "new", &terms]);
    table.bob.reads(&swapped);
    let voice = table.ann.public()["fingerprint"].as_str().expect("a fingerprint").to_owned();
    let refused = table.bob.is_refused(&["game", "accept", "--fingerprint", &voice, "--yes"]);
    assert!(refused.contains("not the fingerprint of the key in the terms"), "{refused}");
    let nobody = table.bob.run(&["game", "accept"], "");
    assert_eq!(nobody.status.code(), Some(2), "{}", super::talk(&nobody));
    assert_eq!(std::fs::read_dir(table.bob.letters()).expect("letters").count(), 1, "the terms alone");
}
