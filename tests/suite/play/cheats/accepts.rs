//! Terms that are signed twice.

use sealed_dice::{
    blob::{Body, Verified},
    game::steps::Letter,
    keep::folder::Folder,
};

use super::{BOBS, Bob};
use crate::{kit::bytes, play::audits};

/// Once the dice hurt, Bob accepts the terms a second time, with an id that comes before the game's: Ann's program stays in the
/// game in which she has signed, and says what is wrong.
#[test]
fn a_second_accept_begins_no_other_game() {
    let bob = Bob::at("opened", "play-cheats-accept");
    let game = bob.sees(|ledger, _| ledger.game);
    let path = bob.game.table.bob.letters();
    let (letters, _) = Folder::open(path.parent().expect("a game")).expect("a game").letters().expect("letters");
    let accept = letters.iter().find(|letter| letter.message.id() == game).expect("the accept").message.clone();
    let keys = bob.game.table.bob.keys();
    let again = (0..200).map(|i| {
        let Body::Accept(mut body) = accept.body().clone() else { panic!("an accept") };
        body.nonce = bytes(&format!("another game {i}"));
        Verified::sign(accept.head().clone(), Body::Accept(body), keys.signing()).expect("a letter")
    });
    let (message, frame) = again.into_iter().find(|(message, _)| message.id() < game).expect("a smaller id");
    bob.sends(&Letter { message, frame });
    bob.arrives();
    let ann = &bob.game.table.ann;
    for honest in bob.game.all().into_iter().filter(|player| player.home != bob.game.table.bob.home) {
        let status = honest.status();
        assert_eq!(status["game"], game.to_string(), "{status}");
    }
    assert!(ann.status()["notes"].to_string().contains("something is wrong: chain 9"), "{}", ann.status());
    bob.game.table.look_at(ann, |_| ());
    bob.declares(BOBS, |_, _| ());
    bob.ann(&["reply"]);
    let [ours, theirs] = audits(&ann.letters());
    assert_eq!(ours, theirs);
    assert_eq!(ours.len(), 2, "{ours:?}");
    assert!(ours.iter().all(|report| report["findings"][0]["culprit"] == "bob"), "{ours:?}");
    let rolled = ours.iter().find(|report| report["game"] == game.to_string()).expect("the game");
    assert_eq!(rolled["rolls"].as_array().map(Vec::len), Some(5), "{rolled}");
}
