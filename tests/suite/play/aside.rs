//! Keys that an opponent opens on a branch that fell: a fact everywhere (letters 9), and the player goes on knowing them.

use sealed_dice::{
    blob::{
        Body, Head, Hex32, Verified, armour,
        body::{Key, Reveal, Seen, SetKind},
    },
    game::{steps::Signer, terms::Author},
};

use super::{
    Match, Seated,
    roads::{FORFEIT, Refereed},
};

const SLOT: &str = "1/1/ann-first/1";

/// The number and the id of a player's last letter.
fn last(player: &Seated) -> (u64, Hex32) {
    player.replay(|ledger, me| {
        let last = ledger.last_letter_of(Author::Player(me)).expect("a letter");
        (last.message.head().number, last.id())
    })
}

/// A letter of Bob's that opens the first envelopes of Ann's next list, or what her declaration asks for, behind another
/// letter than his last one.
fn opened_behind(table: &Match, (number, prev): (u64, Hex32)) -> String {
    let keys = table.bob.keys();
    table.bob.replay(|ledger, me| {
        let signer = Signer::resume(ledger, me, keys.signing().clone(), keys.vault().clone());
        let declared = ledger.declarations().next().map(|declared| declared.node.id());
        let reveal = declared.map_or_else(
            || {
                let seal = ledger.sealed(me, SetKind::Coin, SLOT).expect("a set");
                let set = ledger.set(&seal).expect("a set");
                let secret = signer.master(ledger, &seal).expect("its master");
                let first = set.context.deepest_places().next().expect("a place");
                let key = Key(0, Hex32(*set.context.key(&secret, first).expose()));
                Reveal { declaration: None, keys: vec![key], seal, sheets: Vec::new() }
            },
            |declared| signer.reveal(ledger, declared).expect("a reveal"),
        );
        let ann = ledger.terms.role(me.other()).clone();
        let seen = Seen::of(ann, ledger.last_letter_of(Author::Player(me.other())).map(|letter| letter.id()));
        let body = Body::Reveal(reveal);
        let head = Head {
            author: signer.role().clone(),
            game: Some(ledger.game),
            kind: body.kind(),
            number: number + 1,
            prev: Some(prev),
            seen,
            v: 1,
        };
        let (_, frame) = Verified::sign(head, body, keys.signing()).expect("a letter");
        armour::write(&frame)
    })
}

/// Ann goes on from Bob's note; behind the letter before it he opens, too.
fn begun(name: &str) -> (Refereed, (u64, Hex32), String) {
    let game = Refereed::begun(name, FORFEIT);
    let base = last(&game.table.bob);
    let orders = game.table.path("orders.txt");
    game.mail(&game.table.bob, &["note", "1/3/bob-first/1", "march", &orders]);
    let id = last(&game.table.bob).1.to_string();
    (game, base, id)
}

#[test]
fn dice_opened_aside_are_dice() {
    let (game, base, _) = begun("play-aside-dice");
    let ann = &game.table.ann;
    game.mail(ann, &["declare", SLOT, &game.table.path("ATTACKS.csv"), "--no-moves"]);
    ann.reads(&opened_behind(&game.table, base));
    let void = ann.signs(&["correct", "void", SLOT, "--reason", "the bridge was blown"]);
    game.table.bob.reads(&opened_behind(&game.table, base));
    game.table.bob.reads(&void);
    assert!(game.table.bob.status()["commands"].to_string().contains("correct accept"), "{}", game.table.bob.status());
}

#[test]
fn a_set_that_was_opened_aside_is_rolled_for_anew() {
    let (game, base, note) = begun("play-aside-set");
    let ann = &game.table.ann;
    game.mail(&game.table.bob, &["seal", "foul-up"]);
    game.mail(ann, &["dispute", "raise", &note, "--text", "which army is it?"]);
    ann.reads(&opened_behind(&game.table, base));
    let declared = ann.signs(&["declare", SLOT, &game.table.path("ATTACKS.csv"), "--no-moves"]);
    game.table.bob.reads(&opened_behind(&game.table, base));
    game.table.bob.reads(&declared);
    assert!(game.table.bob.status()["commands"].to_string().contains("reply"), "{}", game.table.bob.status());
}
