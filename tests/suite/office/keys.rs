//! One key a role (keys 1): what is signed with another is nobody's, and its owner reads nothing.

use sealed_dice::{
    blob::{
        Body, Hex32, Kind,
        disputes::{Claim, Dispute},
        office::Receipt,
    },
    game::steps::Letter,
    office::client::Client,
    primitive::sign::PrivateKey,
};

use super::{
    service::{FIRST, OTHER, SLOT, letters, on_both, posted, refusal, seal_of},
    world::{Game, audited, reveals, signed_again},
};
use crate::kit::{self, Bob};

/// Leaves a letter signed with another key, and asks to read with that key: for both the office has nothing.
fn is_nobodys(game: &Game, client: &Client, letter: &Letter, key: &PrivateKey) {
    let before = game.fetched(client);
    let taken = posted(game, client, &[&signed_again(letter, key)]);
    let refused: Vec<&str> = taken.refused.iter().map(|refused| refused.class.as_str()).collect();
    assert_eq!((refused, taken.restored), (vec!["game"], false), "{taken:?}");
    assert!(letters(&taken).iter().all(|letter| before.contains(letter)), "{taken:?}");
    assert_eq!(game.fetched(client), before);
    assert_eq!(refusal(client.page(game.id(), 0, &game.pass_of(key))), "no-such-box");
    assert!(client.boxes(None, &game.pass_of(key)).expect("boxes").games.is_empty());
}

/// The declaration that a reveal is for.
fn declaration(letter: &Letter) -> Option<Hex32> {
    match letter.message.body() {
        Body::Reveal(reveal) => reveal.declaration,
        _ => None,
    }
}

#[test]
fn what_another_key_has_signed_is_nobodys() {
    on_both("another-key", |premises| {
        let office = premises.serve();
        let client = office.client();
        let mut game = Game::begun("another key", premises, &client);
        let stranger = kit::key("a stranger");
        let declared = game.declared(SLOT, &FIRST, seal_of(&game));
        is_nobodys(&game, &client, &declared, &stranger);
        // The office's own letters, too.
        let receipt =
            game.letters.iter().find(|letter| letter.message.head().kind == Kind::Receipt).expect("one").clone();
        is_nobodys(&game, &client, &receipt, &stranger);
        // And neither keeps anything from whoever has the right one.
        let taken = posted(&game, &client, &[&declared]);
        assert_eq!(reveals(&letters(&taken)).len(), 1, "{taken:?}");
        game.letters.push(declared);
        game.take(&taken);

        // A deposit that fits, signed with another key, is held for nobody.
        let known = game.letters.len();
        let seal = game.sealed("2/1/ann-first/1");
        let (sealed, deposit) = (game.letters[known].clone(), game.letters[known + 1].clone());
        posted(&game, &client, &[&sealed]);
        is_nobodys(&game, &client, &deposit, &stranger);
        let taken = posted(&game, &client, &[&deposit]);
        let holds = |letter: &Letter| match letter.message.body() {
            Body::Receipt(Receipt::Deposit(held)) => held.seals == [seal],
            _ => false,
        };
        assert!(letters(&taken).iter().any(holds), "{taken:?}");
        game.take(&taken);
        let report = audited(&game.letters);
        assert_eq!((report["verdict"].as_str(), &report["findings"]), (Some("verified"), &serde_json::json!([])));
    });
}

/// Whoever has a player's key signs with it as they do: two letters behind one. Nothing is opened before the other
/// player's letter has chosen, and then for the branch that stands.
#[test]
fn a_thief_and_the_owner_of_a_key_make_a_fork() {
    on_both("thief", |premises| {
        let office = premises.serve();
        let client = office.client();
        let mut game = Game::begun("a thief", premises, &client);
        let seal = seal_of(&game);
        let (owners, thiefs) = (game.declared(SLOT, &FIRST, seal), game.declared(SLOT, &OTHER, seal));
        let taken = posted(&game, &client, &[&owners, &thiefs]);
        let told: Vec<&str> = taken.waiting.iter().map(|waiting| waiting.code.as_str()).collect();
        assert_eq!((reveals(&letters(&taken)).len(), told), (0, vec!["fork"; 2]), "{taken:?}");

        // Bob goes on from hers.
        game.letters.push(owners.clone());
        let about = Body::Claim(Claim::Dispute(Dispute { letters: vec![owners.message.id()], text: "hers".into() }));
        game.signs(Bob, about);
        let chosen = game.letters.last().expect("it").clone();
        game.letters.push(thiefs.clone());
        let taken = posted(&game, &client, &[&chosen]);
        game.take(&taken);
        let taken = posted(&game, &client, &[&owners, &thiefs]);
        game.take(&taken);
        let all = game.fetched(&client);
        let opened: Vec<_> = reveals(&all).iter().map(|reveal| declaration(reveal)).collect();
        assert_eq!(opened, [Some(owners.message.id())]);
        let report = audited(&all);
        let culprits: Vec<&str> =
            report["findings"].as_array().expect("a list").iter().filter_map(|one| one["culprit"].as_str()).collect();
        assert_eq!((report["verdict"].as_str(), culprits), (Some("refuted"), vec!["ann"]), "{report}");
    });
}
