//! Keys that change hands while an office holds the envelopes.

use sealed_dice::{
    blob::{
        Body, Hex32, Kind,
        body::Revealer,
        disputes::{Claim, Dispute, Rule, Ruling},
    },
    game::steps::Letter,
    office::{answers::Taken, client::Client},
    primitive::sign::PrivateKey,
};

use super::{
    service::{FIRST, SLOT, letters, posted, refusal, seal_of},
    world::{Game, Premises, audited, public, reveals, signed_again},
};
use crate::kit::{self, Ann, Bob, Carol, Who};

const NEXT: &str = "2/1/ann-first/1";

/// Leaves letters, with the pass of a key.
fn left(game: &Game, client: &Client, letters: &[Letter], key: &PrivateKey) -> Taken {
    let text: String = letters.iter().map(|letter| letter.armour() + "\n").collect();
    client.post(game.id(), &text, &game.pass_of(key)).expect("taken")
}

/// Leaves what is new in a game, and takes the answer.
fn leaves(game: &mut Game, client: &Client, known: usize) -> Taken {
    let new: Vec<Letter> = game.letters[known..].to_vec();
    let taken = posted(game, client, &new.iter().collect::<Vec<_>>());
    game.take(&taken);
    taken
}

/// How many letters of the box a key's pass shows.
fn reads(game: &Game, client: &Client, key: &PrivateKey) -> Result<usize, String> {
    match client.page(game.id(), 0, &game.pass_of(key)) {
        Ok(page) => Ok(page.letters.len()),
        away => Err(refusal(away)),
    }
}

/// The classes of what was not taken.
fn refused(taken: &Taken) -> Vec<&str> {
    taken.refused.iter().map(|refused| refused.class.as_str()).collect()
}

/// Bob seals once more, and deposits that; whether the office says that it holds it.
fn deposits(game: &mut Game, client: &Client, at: &str, old: &PrivateKey) -> Hex32 {
    let known = game.letters.len();
    let seal = game.sealed(at);
    let deposit = game.letters.last().expect("a deposit");
    assert_eq!(deposit.message.head().kind, Kind::Deposit);
    // The seal is numbered, and comes first: the deposit under the key before is a stranger's.
    let stale = signed_again(deposit, old);
    let before = game.letters[known].clone();
    let taken = posted(game, client, &[&before, &stale]);
    assert_eq!(refused(&taken), ["chain"], "{taken:?}");
    assert!(!holds(&letters(&taken), seal));
    let taken = leaves(game, client, known);
    assert!(taken.refused.is_empty(), "{taken:?}");
    assert!(holds(&letters(&taken), seal), "{taken:?}");
    seal
}

fn holds(letters: &[Letter], seal: Hex32) -> bool {
    letters.iter().any(|letter| match letter.message.body() {
        Body::Receipt(sealed_dice::blob::office::Receipt::Deposit(held)) => held.seals.contains(&seal),
        _ => false,
    })
}

fn is_opened(game: &mut Game, client: &Client, at: &str, seal: Hex32) {
    let declared = game.declared(at, &FIRST, seal);
    assert_eq!(declared.message.key(), public(game.key(Ann)));
    let mut taken = posted(game, client, &[&declared]);
    if taken.next == 0 {
        // With her first letter her key comes into force, and from then on her pass is good.
        assert!(taken.letters.is_empty() && taken.refused.is_empty(), "{taken:?}");
        taken = posted(game, client, &[&declared]);
    }
    let opened: Vec<Option<Hex32>> = reveals(&letters(&taken)).iter().map(|reveal| declaration(reveal)).collect();
    assert_eq!(opened, [Some(declared.message.id())], "{taken:?}");
    game.take(&taken);
}

fn declaration(letter: &Letter) -> Option<Hex32> {
    match letter.message.body() {
        Body::Reveal(reveal) => reveal.declaration,
        _ => None,
    }
}

#[test]
fn a_key_that_is_changed_goes_on_at_once() {
    super::service::on_both("rotated", |premises| {
        let office = premises.serve();
        let client = office.client();
        let mut game = Game::begun("rotated", premises, &client);
        let stranger = kit::key("a stranger");
        for who in [Ann, Bob] {
            let new = {
                let known = game.letters.len();
                let old = game.rotates(who);
                let new = game.key(who).clone();
                // A key that the office has not heard of shows nothing; the letter that hands it over needs no pass.
                assert_eq!(reads(&game, &client, &new), Err("no-such-box".into()));
                let taken = left(&game, &client, &game.letters[known..], &old);
                assert_eq!((taken.letters.len(), refused(&taken).len()), (1, 0), "{taken:?}");
                let all = reads(&game, &client, &new).expect("in force at once");
                assert_eq!(reads(&game, &client, &old), Ok(all), "and the one before stays good to read with");
                assert_eq!(reads(&game, &client, &stranger), Err("no-such-box".into()));
                for key in [&old, &new] {
                    let boxes = client.boxes(None, &game.pass_of(key)).expect("boxes").games;
                    assert!(boxes.iter().any(|own| own.game == game.id().to_string()), "{boxes:?}");
                }
                old
            };
            match who {
                Ann => {
                    let seal = seal_of(&game);
                    let stale = signed_again(&game.declared(SLOT, &FIRST, seal), &new);
                    let taken = posted(&game, &client, &[&stale]);
                    assert_eq!((refused(&taken), taken.letters.len()), (vec!["game"], 0), "{taken:?}");
                    is_opened(&mut game, &client, SLOT, seal);
                }
                _ => {
                    let seal = deposits(&mut game, &client, NEXT, &new);
                    is_opened(&mut game, &client, NEXT, seal);
                }
            }
        }
        let report = audited(&game.fetched(&client));
        assert_eq!((report["verdict"].as_str(), &report["findings"]), (Some("verified"), &serde_json::json!([])));
    });
}

/// Ann and Bob lose their keys, one after the other; the other vouches for each, and the referee admits it.
#[test]
fn a_key_that_is_admitted_goes_on_once_the_referee_has_ruled() {
    let premises = Premises::made("office-admitted", None);
    let office = premises.serve();
    let client = office.client();
    let mut game = Game::refereed("admitted", premises.terms(), |charter| {
        assert!(charter.phases.iter().all(|phase| phase.revealer == Revealer::Office));
    });
    game.open(&client).expect("a box");
    game.accepted();
    game.sealed(SLOT);
    game.leave(&client).expect("taken");
    for (who, at) in [(Ann, SLOT), (Bob, NEXT)] {
        let (old, seal) = admitted(&mut game, &client, who);
        let seal = match who {
            Ann => seal,
            _ => deposits(&mut game, &client, at, &old),
        };
        is_opened(&mut game, &client, at, seal);
        let all = reads(&game, &client, &old).expect("it was in force");
        assert_eq!(reads(&game, &client, game.key(who)), Ok(all));
    }
    let report = audited(&game.fetched(&client));
    let blamed = report["findings"].as_array().expect("a list").iter().find(|finding| !finding["culprit"].is_null());
    assert_eq!((report["verdict"].as_str(), blamed), (Some("verified"), None), "what the thief signed is nobody's");
}

/// A key is admitted, and nothing under it is taken before that is ruled: the old key, and Bob's first set.
fn admitted(game: &mut Game, client: &Client, who: Who) -> (PrivateKey, Hex32) {
    let (known, seal) = (game.letters.len(), seal_of(game));
    // Whoever has the old key could go on where she stopped.
    let thief = (who == Ann).then(|| game.declared(SLOT, &[("F12", "3-1")], seal));
    let (admit, old) = game.loses_his_key(who);
    let reader = if who == Ann { old.clone() } else { game.key(Ann).clone() };
    let taken = left(game, client, &game.letters[known..], &reader);
    assert_eq!((taken.letters.len(), refused(&taken).len()), (1, 0), "{taken:?}");
    let dispute = Dispute { letters: vec![seal], text: "is this it?".into() };
    game.signs(who, Body::Claim(Claim::Dispute(dispute)));
    let early = game.letters.pop().expect("it");
    assert_eq!(early.message.key(), public(game.key(who)));
    let taken = left(game, client, &[early], &reader);
    assert_eq!((refused(&taken), taken.letters.len()), (vec!["game"], 0), "nobody has ruled: {taken:?}");
    let known = game.letters.len();
    game.signs(Carol, Body::Ruling(Ruling { rule: Rule::Admit(admit), text: String::new() }));
    let taken = left(game, client, &game.letters[known..], &reader);
    assert_eq!((taken.letters.len(), refused(&taken).len()), (1, 0), "{taken:?}");
    assert_eq!(
        reads(game, client, game.key(who)),
        Err("no-such-box".into()),
        "it is in force from its first letter on"
    );
    // The office opens for nobody but whoever has the new key (keys 7).
    if let Some(thief) = thief {
        let taken = left(game, client, &[thief], &reader);
        assert!(reveals(&letters(&taken)).is_empty(), "{taken:?}");
        assert_eq!(taken.waiting.first().map(|waiting| waiting.code.as_str()), Some("withheld"), "{taken:?}");
    }
    (old, seal)
}
