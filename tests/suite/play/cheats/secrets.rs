//! Cheats about what one player may know before the other.

use sealed_dice::{
    blob::{
        Body, Hex32,
        body::{Contribution, HexBytes, Key, Reveal, SealedContribution, SetKind},
    },
    game::{
        ledger::Ledger,
        opener,
        steps::Signer,
        terms::Player::{First, Second},
    },
};

use super::{ANNS, Bob, Cheat, NotTakenIn, Open, Pinned, SCOUTS, declared, key_of, play, set_of};
use crate::kit::bytes;

const ORDERS: &str = "1/3/ann-orders/1/orders";
const REACTION: &str = "1/3/ann-march/1/reaction";

fn note(bob: &Bob, purpose: &str, text: &str) -> Hex32 {
    bob.signs(|ledger, signer| {
        Body::Seal(
            signer
                .seal(ledger.terms, SetKind::Note, purpose, 1, bytes(&format!("{purpose} {text}")), Some(text))
                .expect("a note"),
        )
    })
}

/// A reveal of one envelope, or note, of his.
fn single(ledger: &Ledger<'_>, signer: &Signer, seal: Hex32, declaration: Option<Hex32>, index: u64) -> Reveal {
    let master = signer.master(ledger, &seal).expect("a set of his");
    opener::single(ledger.set(&seal).expect("a set"), &master, declaration, index)
}

fn share(ledger: &Ledger<'_>) -> SealedContribution {
    let declaration = ledger.declaration(&declared(ledger, SCOUTS)).expect("a declaration");
    declaration.sealed_contribution().expect("a private roll")
}

/// Ann declares in a phase that needs Bob's sealed reaction, and Bob opens the dice alone.
fn marched(bob: &Bob) {
    let attacks = bob.game.table.path("ATTACKS.csv");
    bob.ann(&["declare", "1/3/ann-march/1", &attacks, "--no-moves", "--skip"]);
    bob.signs(|ledger, signer| {
        Body::Reveal(signer.reveal(ledger, declared(ledger, "1/3/ann-march/1")).expect("a reveal"))
    });
}

#[test]
fn private_rolls_and_notes() {
    play(
        "secrets",
        &[
            Cheat(
                "the second contribution instead of the first",
                "rolled",
                |bob| {
                    bob.declares(SCOUTS, |_, declare| {
                        if let Some(Contribution::Sealed(share)) = &mut declare.contribution {
                            share.index += 1;
                        }
                    });
                },
                Pinned("declare 8"),
            ),
            Cheat(
                "an open contribution to a private roll",
                "rolled",
                |bob| {
                    bob.declares(SCOUTS, |_, declare| declare.contribution = Some(Contribution::Open(bytes("open"))));
                },
                Pinned("declare 8"),
            ),
            Cheat(
                "another contribution is shown",
                "scouted",
                |bob| {
                    bob.signs(|ledger, signer| {
                        let share = share(ledger);
                        Body::Reveal(single(
                            ledger,
                            signer,
                            share.seal,
                            Some(declared(ledger, SCOUTS)),
                            share.index + 1,
                        ))
                    });
                },
                Pinned("reveal 4"),
            ),
            Cheat(
                "the contribution is shown before the dice are opened",
                "scouting",
                |bob| {
                    bob.signs(|ledger, signer| {
                        let share = share(ledger);
                        Body::Reveal(single(ledger, signer, share.seal, Some(declared(ledger, SCOUTS)), share.index))
                    });
                },
                Pinned("reveal 6"),
            ),
            Cheat("a private roll is never shown", "scouted", |_| (), Open("private")),
            Cheat(
                "two notes for one choice",
                "begun",
                |bob| {
                    note(bob, REACTION, "stay");
                    note(bob, REACTION, "go");
                },
                Pinned("seal 4"),
            ),
            Cheat(
                "a note is opened that is not due",
                "asked",
                |bob| {
                    let seal = note(bob, REACTION, "stay");
                    bob.signs(|ledger, signer| {
                        Body::Reveal(single(ledger, signer, seal, Some(declared(ledger, ANNS)), 0))
                    });
                },
                Pinned("reveal 2"),
            ),
            Cheat(
                "a choice that is due stays closed",
                "begun",
                |bob| {
                    note(bob, REACTION, "stay");
                    marched(bob);
                    bob.ann(&["dispute", "stall", REACTION]);
                },
                Open("claim"),
            ),
            Cheat(
                "a note that nothing opens",
                "begun",
                |bob| {
                    let seal = bob.signs(|ledger, signer| {
                        let mut seal = signer
                            .seal(ledger.terms, SetKind::Note, REACTION, 1, bytes("rubbish"), Some("stay"))
                            .expect("a note");
                        if let Some([HexBytes(note)]) = seal.notes.as_deref_mut() {
                            note[9] ^= 1;
                        }
                        Body::Seal(seal)
                    });
                    marched(bob);
                    bob.signs(|ledger, signer| {
                        Body::Reveal(single(ledger, signer, seal, Some(declared(ledger, "1/3/ann-march/1")), 0))
                    });
                },
                Pinned("reveal 5"),
            ),
            Cheat(
                "orders are opened before the other has written",
                "begun",
                |bob| {
                    let seal = note(bob, ORDERS, "forward");
                    bob.signs(|ledger, signer| Body::Reveal(single(ledger, signer, seal, None, 0)));
                },
                Pinned("reveal 7"),
            ),
            Cheat(
                "who reads the other's orders keeps his own closed",
                "begun",
                |bob| {
                    note(bob, ORDERS, "forward");
                    let orders = bob.game.table.path("orders.txt");
                    bob.ann(&["note", "1/3/ann-orders/1", "orders", &orders]);
                    bob.ann(&["reply"]);
                    bob.ann(&["dispute", "stall", ORDERS]);
                },
                Open("awaits-note"),
            ),
            Cheat(
                "other orders after reading the other's",
                "begun",
                |bob| {
                    note(bob, ORDERS, "forward");
                    let orders = bob.game.table.path("orders.txt");
                    bob.ann(&["note", "1/3/ann-orders/1", "orders", &orders]);
                    bob.ann(&["reply"]);
                    let seal = note(bob, ORDERS, "back");
                    bob.signs(|ledger, signer| Body::Reveal(single(ledger, signer, seal, None, 0)));
                },
                Pinned("seal 4"),
            ),
            Cheat(
                "the other's commitments are sealed as his own",
                "begun",
                |bob| {
                    bob.signs(|ledger, signer| {
                        let hers = ledger.set(&set_of(ledger, First, SetKind::Coin, "1/3/bob-first/1")).expect("a set");
                        let mut seal = signer
                            .seal(ledger.terms, SetKind::Coin, "3/1/ann-first/1", 5, bytes("copy"), None)
                            .expect("a seal");
                        seal.commits.clone_from(&hers.seal.commits);
                        Body::Seal(seal)
                    });
                },
                Pinned("seal 5"),
            ),
            Cheat(
                "the key of another place",
                "asked",
                |bob| {
                    bob.signs(|ledger, signer| {
                        let mut reveal = signer.reveal(ledger, declared(ledger, ANNS)).expect("a reveal");
                        let Key(index, _) = reveal.keys[0];
                        reveal.keys[0].1 = key_of(ledger, signer, &reveal.seal, (index + 1) % 5, 0);
                        Body::Reveal(reveal)
                    });
                },
                Pinned("reveal 5"),
            ),
            Cheat(
                "the key of another set",
                "asked",
                |bob| {
                    bob.signs(|ledger, signer| {
                        let mut reveal = signer.reveal(ledger, declared(ledger, ANNS)).expect("a reveal");
                        let other = set_of(ledger, Second, SetKind::Coin, "2/1/ann-first/1");
                        reveal.keys[0].1 = key_of(ledger, signer, &other, reveal.keys[0].0, 0);
                        Body::Reveal(reveal)
                    });
                },
                Pinned("reveal 5"),
            ),
            Cheat(
                "a letter of another game",
                "asked",
                |bob| {
                    let letter = bob.makes(
                        |_, head| head.game = Some(bytes("a rematch")),
                        |ledger, signer| Body::Reveal(signer.reveal(ledger, declared(ledger, ANNS)).expect("a reveal")),
                    );
                    bob.sends(&letter);
                },
                NotTakenIn("does not belong to any game"),
            ),
        ],
    );
}
