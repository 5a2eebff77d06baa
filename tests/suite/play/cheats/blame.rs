//! Cheats about blame: forks, broken links, letters that are kept back or invented, claims and rulings out of nothing.

use sealed_dice::{
    blob::{
        Body, Head, Hex32, Kind,
        body::{Close, Key, Master, Role, Seen, SetKind, Step},
        disputes::{Claim, Ruled, Ruling, Stall},
        office::{Receipt, Seals},
        resync::Resync,
    },
    game::{
        ledger::Ledger,
        rules::claim,
        steps::Signer,
        terms::{
            Author,
            Player::{First, Second},
        },
    },
};

use super::{ANNS, BOBS, CELLS, Cheat, Missing, NotTakenIn, Pinned, declaration, declared, play};
use crate::kit::{bytes, role};

fn any_seal(ledger: &Ledger<'_>, signer: &Signer, label: &str) -> Body {
    Body::Seal(signer.seal(ledger.terms, SetKind::Coin, "5/1/ann-first/1", 5, bytes(label), None).expect("a seal"))
}

fn last_of_ann(ledger: &Ledger<'_>) -> Hex32 {
    ledger.last_letter(First).expect("a letter").id()
}

/// The letter of Ann's before her last.
fn before_of_ann(ledger: &Ledger<'_>) -> Option<Hex32> {
    ledger.last_letter(First).expect("a letter").message.head().prev
}

fn seen(head: &mut Head, who: &str, letter: Option<Hex32>) {
    head.seen.insert(role(who), letter);
}

fn masters(ledger: &Ledger<'_>, signer: &Signer) -> Vec<Master> {
    let master = |seal: &Hex32| Hex32(*signer.master(ledger, seal).expect("a set").expose());
    ledger.seals(Second).iter().map(|seal| Master { master: master(seal), seal: *seal }).collect()
}

fn stall(letter: Option<Hex32>, step: Step, owes: Role) -> Body {
    Body::Claim(Claim::Stall(Stall { letter, owes, step, text: "slow".into() }))
}

#[test]
fn forks_and_links() {
    play(
        "links",
        &[
            Cheat(
                "one letter for each reader",
                "asked",
                |bob| {
                    let other = bob.makes(|_, _| (), |ledger, signer| any_seal(ledger, signer, "for carol"));
                    bob.signs(|ledger, signer| {
                        Body::Reveal(signer.reveal(ledger, declared(ledger, ANNS)).expect("a reveal"))
                    });
                    bob.arrives();
                    bob.sends(&other);
                },
                Pinned("chain 8"),
            ),
            Cheat(
                "the index rolls on both branches",
                "opened",
                |bob| {
                    let other = bob.makes(
                        |_, _| (),
                        |ledger, _| {
                            Body::Declare(Box::new(declaration(ledger, BOBS, None, |_, declare| super::raise(declare))))
                        },
                    );
                    bob.declares(BOBS, |_, _| ());
                    bob.ann(&["reply"]);
                    bob.sends(&other);
                },
                Pinned("chain 8"),
            ),
            Cheat(
                "both branches arrive before anybody has gone on from one",
                "opened",
                |bob| {
                    let other = bob.makes(|_, _| (), |ledger, signer| any_seal(ledger, signer, "the other branch"));
                    bob.declares(BOBS, |_, _| ());
                    bob.sends(&other);
                },
                Pinned("chain 8"),
            ),
            Cheat(
                "a lost folder is pretended, to roll again",
                "rolled",
                |bob| {
                    let ask = bob.makes(
                        |_, head| {
                            (head.number, head.prev, head.kind) = (0, None, Kind::Resync);
                            let roles: Vec<Role> = head.seen.iter().map(|(role, _)| role.clone()).collect();
                            head.seen = Seen::default();
                            roles.into_iter().for_each(|role| head.seen.insert(role, None));
                        },
                        |_, _| Body::Resync(Resync::Ask(bytes("where was I"))),
                    );
                    bob.sends(&ask);
                    bob.ann(&["reply"]);
                    bob.signs_as(
                        |ledger, head| {
                            let first = ledger.declaration(&declared(ledger, BOBS)).expect("a declaration").node;
                            (head.number, head.prev) = (first.message.head().number, first.message.head().prev);
                            seen(head, "ann", Some(last_of_ann(ledger)));
                        },
                        |ledger, _| Body::Declare(Box::new(declaration(ledger, BOBS, None, |_, _| ()))),
                    );
                },
                Pinned("chain 8"),
            ),
            Cheat(
                "a letter is named that the referee never wrote",
                "opened",
                |bob| {
                    bob.signs_as(
                        |_, head| seen(head, "ref", Some(bytes("invented"))),
                        |ledger, signer| any_seal(ledger, signer, "invented"),
                    );
                },
                Missing,
            ),
            Cheat(
                "a letter is named that Ann never wrote",
                "opened",
                |bob| {
                    bob.signs_as(
                        |_, head| seen(head, "ann", Some(bytes("invented"))),
                        |ledger, signer| any_seal(ledger, signer, "invented"),
                    );
                },
                Missing,
            ),
            Cheat(
                "a later letter comes, and the one before it does not",
                "opened",
                |bob| {
                    let kept_back = bob.makes(|_, _| (), |ledger, signer| any_seal(ledger, signer, "kept back"));
                    bob.keeps(&kept_back);
                    bob.declares(BOBS, |_, _| ());
                },
                Missing,
            ),
            Cheat(
                "he un-sees all that Ann wrote",
                "opened",
                |bob| {
                    bob.signs_as(
                        |_, head| seen(head, "ann", None),
                        |ledger, signer| any_seal(ledger, signer, "un-seen"),
                    );
                },
                Pinned("chain 3"),
            ),
            Cheat(
                "he has seen a letter of his own as hers",
                "opened",
                |bob| {
                    bob.signs_as(
                        |ledger, head| seen(head, "ann", ledger.last_letter(Second).map(|node| node.id())),
                        |ledger, signer| any_seal(ledger, signer, "own"),
                    );
                },
                Pinned("chain 3"),
            ),
            Cheat(
                "the referee does not stand in his letters any more",
                "opened",
                |bob| {
                    bob.signs_as(
                        |_, head| head.seen = Seen::of(role("ann"), head.seen.get(&role("ann"))),
                        |ledger, signer| any_seal(ledger, signer, "no referee"),
                    );
                },
                Pinned("chain 3"),
            ),
            Cheat(
                "a number is skipped",
                "opened",
                |bob| {
                    bob.signs_as(|_, head| head.number += 1, |ledger, signer| any_seal(ledger, signer, "skipped"));
                },
                Pinned("chain 2"),
            ),
            Cheat(
                "his letter follows one of Ann's",
                "opened",
                |bob| {
                    bob.signs_as(
                        |ledger, head| head.prev = Some(last_of_ann(ledger)),
                        |ledger, signer| any_seal(ledger, signer, "crossed"),
                    );
                },
                Pinned("chain 2"),
            ),
            Cheat(
                "a declaration that names what its links do not cover",
                "opened",
                |bob| {
                    let rolls = bob.game.table.path("ROLLS.csv");
                    bob.ann(&["declare", "1/2/ann-second/1", &rolls, "--no-moves", "--skip"]);
                    bob.signs_as(
                        |ledger, head| seen(head, "ann", before_of_ann(ledger)),
                        |ledger, signer| {
                            Body::Reveal(signer.reveal(ledger, declared(ledger, "1/2/ann-second/1")).expect("a reveal"))
                        },
                    );
                },
                Pinned("chain 6"),
            ),
        ],
    );
}

#[test]
fn claims_rulings_and_ends() {
    play(
        "ends",
        &[
            Cheat(
                "a stall is claimed for what is opened",
                "rolled",
                |bob| {
                    bob.signs(|ledger, _| stall(Some(declared(ledger, BOBS)), Step::Reveal, role("ann")));
                },
                Pinned("claim 5"),
            ),
            Cheat(
                "a stall is claimed of himself",
                "asked",
                |bob| {
                    bob.signs(|ledger, _| stall(Some(declared(ledger, ANNS)), Step::Reveal, role("bob")));
                },
                Pinned("claim 1"),
            ),
            Cheat(
                "a claim of the other's is taken back",
                "asked",
                |bob| {
                    bob.ann(&["dispute", "stall", ANNS]);
                    bob.signs(|ledger, _| {
                        let claim = claim::standing(ledger).next().expect("a claim").0;
                        Body::Claim(Claim::Withdraw(claim))
                    });
                },
                Pinned("claim 2"),
            ),
            Cheat(
                "he rules",
                "asked",
                |bob| {
                    bob.signs(|ledger, _| {
                        let rule = Ruled::Settle(declared(ledger, ANNS));
                        Body::Ruling(Ruling { rule, text: "so be it".into() })
                    });
                },
                Pinned("letters 4"),
            ),
            Cheat(
                "he confirms deposits",
                "begun",
                |bob| {
                    bob.signs(|ledger, _| {
                        Body::Receipt(Receipt::Deposit(Seals { seals: vec![ledger.seals(First)[0]] }))
                    });
                },
                Pinned("letters 4"),
            ),
            Cheat(
                "a letter in Ann's name",
                "opened",
                |bob| {
                    let letter = bob.makes(
                        |ledger, head| {
                            head.clone_from(
                                ledger.last_letter_of(Author::Player(First)).expect("a letter").message.head(),
                            );
                            head.number += 1;
                            head.prev = Some(last_of_ann(ledger));
                            head.kind = Kind::Close;
                        },
                        |_, _| Body::Close(Close { masters: None, result: Some("I give up".into()) }),
                    );
                    bob.sends(&letter);
                },
                NotTakenIn("it is not signed with "),
            ),
            Cheat(
                "a letter of another kind is named",
                "asked",
                |bob| {
                    bob.signs(|ledger, signer| {
                        let mut reveal = signer.reveal(ledger, declared(ledger, ANNS)).expect("a reveal");
                        reveal.declaration = Some(reveal.seal);
                        Body::Reveal(reveal)
                    });
                },
                Pinned("letters 5"),
            ),
            Cheat(
                "a slot in another spelling",
                "begun",
                |bob| {
                    bob.signs(|ledger, signer| {
                        Body::Seal(
                            signer
                                .seal(ledger.terms, SetKind::Coin, "01/1/ann-first/1", 5, bytes("zero"), None)
                                .expect("a seal"),
                        )
                    });
                },
                Pinned("seal 3"),
            ),
            Cheat(
                "he declares on a set of Ann's in her place",
                "begun",
                |bob| {
                    bob.signs(|ledger, signer| {
                        let mut seal = signer
                            .seal(ledger.terms, SetKind::Coin, "3/1/ann-first/1", 5, bytes("mine"), None)
                            .expect("a seal");
                        seal.declarer = role("bob");
                        Body::Seal(seal)
                    });
                },
                Pinned("seal 1"),
            ),
            Cheat(
                "a breach of the other's is made up, and opened",
                "asked",
                |bob| {
                    bob.signs(|ledger, signer| {
                        let mut reveal = signer.reveal(ledger, declared(ledger, ANNS)).expect("a reveal");
                        reveal.keys =
                            (0..5).map(|i| Key(i, super::key_of(ledger, signer, &reveal.seal, i, 0))).collect();
                        Body::Reveal(reveal)
                    });
                },
                Pinned("reveal 4"),
            ),
            Cheat(
                "the close leaves a set out",
                "stopped",
                |bob| {
                    bob.signs(|ledger, signer| {
                        let mut masters = masters(ledger, signer);
                        masters.pop();
                        Body::Close(Close { masters: Some(masters), result: None })
                    });
                },
                Pinned("close 2"),
            ),
            Cheat(
                "the close gives another secret",
                "stopped",
                |bob| {
                    bob.signs(|ledger, signer| {
                        let mut masters = masters(ledger, signer);
                        masters[1].master = bytes("another");
                        Body::Close(Close { masters: Some(masters), result: None })
                    });
                },
                Pinned("close 3"),
            ),
            Cheat(
                "he plays on after his stop",
                "scouted",
                |bob| {
                    bob.signs(|_, _| Body::Close(Close { masters: None, result: None }));
                    bob.declares(CELLS, |_, _| ());
                },
                Pinned("letters 3"),
            ),
            Cheat(
                "he seals after his stop",
                "scouted",
                |bob| {
                    bob.signs(|_, _| Body::Close(Close { masters: None, result: None }));
                    bob.signs(|ledger, signer| any_seal(ledger, signer, "late"));
                },
                Pinned("letters 3"),
            ),
        ],
    );
}
