//! Cheats about keys: rubbish for the referee, and a key that somebody has put in on its way.

use sealed_dice::blob::{
    Body,
    body::{Role, Seen},
    deposits::{Deposit, Wrapped},
};

use super::{Bob, Match, Seated, report};
use crate::kit::bytes;

/// What Bob deposits does not open his set: Carol does not confirm it, and Ann is told so before she declares on it.
#[test]
fn rubbish_for_the_referee_is_not_confirmed() {
    let bob = Bob::at("begun", "play-cheats-deposit");
    let seal = bob.signs(|ledger, signer| {
        let kind = sealed_dice::blob::body::SetKind::Coin;
        Body::Seal(signer.seal(ledger.terms, kind, "3/1/ann-first/1", 5, bytes("not deposited"), None).expect("a seal"))
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
    let notes = |seated: &Seated| seated.status()["notes"].to_string();
    let lacks = "bob's keys for";
    bob.arrives();
    assert!(notes(&bob.game.carol).contains(lacks), "{}", notes(&bob.game.carol));
    bob.sends(&deposit);
    bob.arrives();
    assert!(!notes(&bob.game.carol).contains(lacks), "{}", notes(&bob.game.carol));
    let refused = bob.game.carol.run(&["reply", "--yes"], "");
    assert!(super::talk(&refused).contains("cannot be opened"), "{}", super::talk(&refused));
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
