//! Cheats about dice: chosen seeds, second rolls, favoured places, mistakes that are none.

use sealed_dice::{
    blob::{
        Body, Hex32, Kind,
        body::{
            CellKey, Close, Correct, Decide, Declare, Forfeit, FoulUpClass, Key, Master, Moves, Pair, Proposal, Redo,
            Select, SetKind, Voiding,
        },
        disputes::{Claim, Names, Scope},
        json::Text,
    },
    game::{
        ledger::Ledger,
        node::Past,
        rules::{claim, correct},
        terms::Player::{First, Second},
    },
    resolve::Object,
};
use serde_json::{Value, json};

use super::{ANNS, BOBS, Bob, CELLS, Cheat, LATER, Pinned, SCOUTS, declared, key_of, offered, play, raise, set_of};
use crate::kit::{bytes, name, role, slot};

fn input(declare: &mut Declare, value: Value) {
    declare.input = Text::of(&value).expect("a text");
}

/// One attack at other odds, in its one form.
fn corrected() -> Text {
    let attack = json!({ "hexes": ["F12"], "id": "a1", "odds": "2-1", "order": null });
    Text::of(&json!({ "attacks": [attack] })).expect("a text")
}

fn proposal(declaration: Hex32, class: FoulUpClass) -> Body {
    let proposal =
        Proposal { at_fault: role("bob"), class, declaration, input: Some(corrected()), reason: "I cannot add".into() };
    Body::Correct(Correct::Propose(Box::new(proposal)))
}

fn void(ledger: &Ledger<'_>, at: &str) -> Body {
    let scope = Scope::Declaration(declared(ledger, at));
    Body::Correct(Correct::Void(Voiding { reason: "nightfall".into(), scope }))
}

fn names(ledger: &Ledger<'_>, at: &str, dice: &[u64]) -> Body {
    let forfeit = claim::to_name(ledger, Second).next().map(|(_, forfeit)| forfeit);
    let declaration = declared(ledger, at);
    Body::Claim(Claim::Names(Names { declaration, dice: dice.to_vec(), forfeit: forfeit.unwrap_or(declaration) }))
}

/// Bob says that his own odds were wrong, and Ann agrees; the acceptance.
fn agreed(bob: &Bob) -> Hex32 {
    bob.signs(|ledger, _| proposal(declared(ledger, BOBS), FoulUpClass::IllegalOdds));
    let id = offered(bob, "correct accept");
    bob.ann(&["correct", "accept", &id]);
    bob.sees(|ledger, _| correct::redos_due(ledger, Past::ALL).next().expect("a redo is due").acceptance)
}

#[test]
fn seeds_and_envelopes() {
    play(
        "dice",
        &[
            Cheat(
                "another key than the sealed one",
                "asked",
                |bob| {
                    bob.signs(|ledger, signer| {
                        let mut reveal = signer.reveal(ledger, declared(ledger, ANNS)).expect("a reveal");
                        reveal.keys[0].1 = bytes("a better one");
                        Body::Reveal(reveal)
                    });
                },
                Pinned("reveal 5"),
            ),
            Cheat(
                "a set that is sealed once the attacks are known",
                "asked",
                |bob| {
                    let seal = bob.signs(|ledger, signer| {
                        Body::Seal(
                            signer
                                .seal(ledger.terms, SetKind::Coin, "9/1/ann-first/1", 5, bytes("suits"), None)
                                .expect("a seal"),
                        )
                    });
                    bob.signs(|ledger, signer| {
                        let mut reveal = signer.reveal(ledger, declared(ledger, ANNS)).expect("a reveal");
                        reveal.keys[0].1 = key_of(ledger, signer, &seal, reveal.keys[0].0, 0);
                        reveal.seal = seal;
                        Body::Reveal(reveal)
                    });
                },
                Pinned("reveal 2"),
            ),
            Cheat(
                "one envelope instead of five",
                "begun",
                |bob| {
                    bob.signs(|ledger, signer| {
                        Body::Seal(
                            signer
                                .seal(ledger.terms, SetKind::Coin, "3/1/ann-first/1", 1, bytes("one"), None)
                                .expect("a seal"),
                        )
                    });
                },
                Pinned("seal 2"),
            ),
            Cheat(
                "two sets for one slot",
                "begun",
                |bob| {
                    bob.signs(|ledger, signer| {
                        Body::Seal(
                            signer.seal(ledger.terms, SetKind::Coin, ANNS, 5, bytes("two"), None).expect("a seal"),
                        )
                    });
                },
                Pinned("seal 4"),
            ),
            Cheat(
                "envelopes that nobody asked for",
                "asked",
                |bob| {
                    bob.signs(|ledger, signer| {
                        let mut reveal = signer.reveal(ledger, declared(ledger, ANNS)).expect("a reveal");
                        reveal.seal = set_of(ledger, Second, SetKind::Coin, "2/1/ann-first/1");
                        reveal.keys = (0..5).map(|i| Key(i, key_of(ledger, signer, &reveal.seal, i, 0))).collect();
                        Body::Reveal(reveal)
                    });
                },
                Pinned("reveal 2"),
            ),
            Cheat(
                "too little is opened",
                "asked",
                |bob| {
                    bob.signs(|ledger, signer| {
                        let mut reveal = signer.reveal(ledger, declared(ledger, ANNS)).expect("a reveal");
                        reveal.keys.clear();
                        Body::Reveal(reveal)
                    });
                },
                Pinned("reveal 4"),
            ),
            Cheat(
                "too much is opened",
                "asked",
                |bob| {
                    bob.signs(|ledger, signer| {
                        let mut reveal = signer.reveal(ledger, declared(ledger, ANNS)).expect("a reveal");
                        let other = (reveal.keys[0].0 + 1) % 5;
                        reveal.keys.push(Key(other, key_of(ledger, signer, &reveal.seal, other, 0)));
                        Body::Reveal(reveal)
                    });
                },
                Pinned("reveal 4"),
            ),
            Cheat(
                "a deeper cell is opened",
                "opened",
                |bob| {
                    let rolls = bob.game.table.path("ROLLS.csv");
                    bob.ann(&["declare", "1/2/ann-second/1", &rolls, "--no-moves", "--skip"]);
                    bob.signs(|ledger, signer| {
                        let mut reveal = signer.reveal(ledger, declared(ledger, "1/2/ann-second/1")).expect("a reveal");
                        let CellKey(column, row, _) = reveal.sheets[0];
                        reveal.sheets[0] =
                            CellKey(column, row + 1, key_of(ledger, signer, &reveal.seal, column, row + 1));
                        Body::Reveal(reveal)
                    });
                },
                Pinned("reveal 4"),
            ),
            Cheat(
                "all is opened by a close in the middle of the game",
                "opened",
                |bob| {
                    bob.signs(|ledger, signer| {
                        let master = |seal: &Hex32| Hex32(*signer.master(ledger, seal).expect("a set").expose());
                        let masters = ledger
                            .seals(Second)
                            .iter()
                            .map(|seal| Master { master: master(seal), seal: *seal })
                            .collect();
                        Body::Close(Close { masters: Some(masters), result: None })
                    });
                },
                Pinned("close 1"),
            ),
            Cheat(
                "a choice is signed again",
                "begun",
                |bob| {
                    for value in ["rain", "sun"] {
                        let slot = slot("1/3/ann-weather/1");
                        let decide = Decide { after: None, name: name("weather"), slot, value: json!(value) };
                        bob.signs(|_, _| Body::Decide(decide));
                    }
                },
                Pinned("decide 2"),
            ),
            Cheat(
                "a choice is slipped in that the terms do not know",
                "begun",
                |bob| {
                    let slot = slot(BOBS);
                    let decide = Decide { after: None, name: name("weather"), slot, value: json!("sun") };
                    bob.signs(|_, _| Body::Decide(decide));
                },
                Pinned("decide 1"),
            ),
        ],
    );
}

#[test]
fn second_rolls() {
    play(
        "second-rolls",
        &[
            Cheat(
                "a slot is declared again after its dice",
                "rolled",
                |bob| {
                    bob.declares(BOBS, |_, _| ());
                },
                Pinned("declare 20"),
            ),
            Cheat(
                "the number of the declaration is used again after its dice",
                "rolled",
                |bob| {
                    bob.signs_as(
                        |ledger, head| {
                            let first = ledger.declaration(&declared(ledger, BOBS)).expect("a declaration").node;
                            head.clone_from(first.message.head());
                        },
                        |ledger, _| Body::Declare(Box::new(super::declaration(ledger, BOBS, None, |_, _| ()))),
                    );
                },
                Pinned("chain 8"),
            ),
            Cheat(
                "a set is used again",
                "rolled",
                |bob| {
                    bob.declares("2/3/bob-first/1", |ledger, declare| {
                        declare.seal = Some(set_of(ledger, First, SetKind::Coin, BOBS));
                    });
                },
                Pinned("declare 6"),
            ),
            Cheat(
                "a cell is used again",
                "opened cells",
                |bob| {
                    bob.declares("2/4/bob-second/1", |_, declare| {
                        input(declare, json!({ "rolls": [{ "cell": "A1", "why": "the bridge" }] }));
                        declare.select = Some(Select::Cells(vec![Pair(0, 1)]));
                    });
                },
                Pinned("declare 9"),
            ),
            Cheat(
                "a deep cell is named, so that its key shows those above",
                "scouted",
                |bob| {
                    bob.declares(CELLS, |_, declare| {
                        input(declare, json!({ "rolls": [{ "cell": "B9", "why": "the bridge" }] }));
                        declare.select = Some(Select::Cells(vec![Pair(1, 9)]));
                    });
                },
                Pinned("declare 9"),
            ),
            Cheat(
                "an old contribution",
                "rolled",
                |bob| {
                    bob.declares("2/3/bob-first/1", |ledger, declare| {
                        let first = ledger.declaration(&declared(ledger, BOBS)).expect("a declaration").declare;
                        declare.contribution.clone_from(&first.contribution);
                    });
                },
                Pinned("declare 8"),
            ),
            Cheat(
                "another envelope",
                "opened",
                |bob| {
                    bob.declares(BOBS, |_, declare| {
                        if let Some(Select::Worksheet(sheet)) = &mut declare.select {
                            sheet.index = (sheet.index + 1) % 5;
                        }
                    });
                },
                Pinned("declare 9"),
            ),
            Cheat(
                "another row",
                "opened",
                |bob| {
                    bob.declares(BOBS, |_, declare| {
                        if let Some(Select::Worksheet(sheet)) = &mut declare.select {
                            sheet.rows.swap(0, 1);
                        }
                    });
                },
                Pinned("declare 9"),
            ),
            Cheat(
                "another total",
                "opened",
                |bob| {
                    bob.adds_up_wrongly(BOBS);
                },
                Pinned("declare 9"),
            ),
            Cheat(
                "another order of attacks",
                "opened",
                |bob| {
                    bob.declares(BOBS, |_, declare| {
                        let mut read: Object = declare.input.read().expect("an object");
                        if let Some(Value::Array(attacks)) = read.get_mut("attacks") {
                            attacks.reverse();
                        }
                        declare.input = Text::of(&read).expect("a text");
                    });
                },
                Pinned("declare 4"),
            ),
            Cheat(
                "more attacks than a set has rows",
                "opened",
                |bob| {
                    bob.declares(BOBS, |_, declare| {
                let attack = |i: u64| json!({ "hexes": [format!("A{}", i + 100)], "id": format!("a{i}"), "odds": "1-1", "order": null });
                input(declare, json!({ "attacks": (1..=51).map(attack).collect::<Vec<_>>() }));
            });
                },
                Pinned("declare 4"),
            ),
            Cheat(
                "the foul-up set where there is no foul-up",
                "opened",
                |bob| {
                    bob.declares(BOBS, |ledger, declare| {
                        declare.seal = Some(set_of(ledger, First, SetKind::FoulUp, "foul-up/1"));
                    });
                },
                Pinned("declare 6"),
            ),
            Cheat(
                "a set of his own",
                "opened",
                |bob| {
                    bob.declares(BOBS, |ledger, declare| {
                        declare.seal = Some(set_of(ledger, Second, SetKind::Coin, "2/1/ann-first/1"));
                    });
                },
                Pinned("declare 6"),
            ),
            Cheat(
                "a good declaration is done again as if it were a breach",
                "rolled",
                |bob| {
                    let good = bob.sees(|ledger, _| declared(ledger, BOBS));
                    bob.redoes(BOBS, Redo::Breach(good), |_, _| ());
                },
                Pinned("declare 11"),
            ),
            Cheat(
                "a declaration is done again as if its envelope had been opened",
                "opened",
                |bob| {
                    let opener = bob.sees(|ledger, _| set_of(ledger, First, SetKind::Coin, BOBS));
                    bob.redoes(BOBS, Redo::Opened(opener), |_, _| ());
                },
                Pinned("declare 13"),
            ),
            Cheat(
                "a breach is done again with other attacks",
                "opened",
                |bob| {
                    let breach = bob.adds_up_wrongly(BOBS);
                    bob.redoes(BOBS, Redo::Breach(breach), |_, declare| declare.input = corrected());
                },
                Pinned("declare 11"),
            ),
            Cheat(
                "a breach is done again with other moves",
                "opened",
                |bob| {
                    let breach = bob.adds_up_wrongly(BOBS);
                    bob.redoes(BOBS, Redo::Breach(breach), |_, declare| declare.moves = Moves::Text("back".into()));
                },
                Pinned("declare 11"),
            ),
            Cheat(
                "a breach is left lying",
                "opened",
                |bob| {
                    bob.adds_up_wrongly(BOBS);
                    bob.declares(CELLS, |_, _| ());
                },
                Pinned("declare 2"),
            ),
            Cheat(
                "a breach is declared again plainly",
                "opened",
                |bob| {
                    bob.adds_up_wrongly(BOBS);
                    bob.declares(BOBS, |_, _| ());
                },
                Pinned("declare 2"),
            ),
            Cheat(
                "a breach after a breach, to roll later",
                "opened",
                |bob| {
                    let breach = bob.adds_up_wrongly(BOBS);
                    bob.redoes(BOBS, Redo::Breach(breach), |_, declare| raise(declare));
                    bob.ann(&["reply"]);
                    bob.redoes(BOBS, Redo::Breach(breach), |_, _| ());
                },
                Pinned("declare 11"),
            ),
            Cheat(
                "a phase of the other player's",
                "opened",
                |bob| {
                    bob.declares(BOBS, |_, declare| declare.slot = slot("2/1/ann-first/1"));
                },
                Pinned("declare 1"),
            ),
            Cheat(
                "an impulse that the phase does not have",
                "opened",
                |bob| {
                    bob.declares(BOBS, |_, declare| declare.slot.impulse = 2);
                },
                Pinned("declare 1"),
            ),
            Cheat(
                "the choice of a slot is changed by a second slot of its number",
                "opened",
                |bob| {
                    bob.declares(BOBS, |_, declare| declare.slot.number = 2);
                },
                Pinned("declare 20"),
            ),
        ],
    );
}

#[test]
fn mistakes_that_are_none() {
    play(
        "mistakes",
        &[
            Cheat(
                "an objection before the dice",
                "asked",
                |bob| {
                    bob.signs(|ledger, _| proposal(declared(ledger, ANNS), FoulUpClass::IllegalOdds));
                },
                Pinned("correct 1"),
            ),
            Cheat(
                "a redo for a mistake for which the terms keep the dice",
                "rolled",
                |bob| {
                    bob.signs(|ledger, _| proposal(declared(ledger, BOBS), FoulUpClass::IllegalMove));
                },
                Pinned("correct 2"),
            ),
            Cheat(
                "a redo after he has played on",
                "scouting",
                |bob| {
                    bob.signs(|ledger, _| proposal(declared(ledger, BOBS), FoulUpClass::IllegalOdds));
                },
                Pinned("correct 6"),
            ),
            Cheat(
                "a second proposal before the answer",
                "rolled",
                |bob| {
                    for _ in 0..2 {
                        bob.signs(|ledger, _| proposal(declared(ledger, BOBS), FoulUpClass::IllegalOdds));
                    }
                },
                Pinned("correct 3"),
            ),
            Cheat(
                "his own proposal is accepted by himself",
                "rolled",
                |bob| {
                    let proposed = bob.signs(|ledger, _| proposal(declared(ledger, BOBS), FoulUpClass::IllegalOdds));
                    bob.signs(|_, _| Body::Correct(Correct::Accept(proposed)));
                },
                Pinned("correct 4"),
            ),
            Cheat(
                "a proposal that has lapsed is accepted",
                "rolled",
                |bob| {
                    let sheet = bob.game.table.file("right.csv", "hexes,odds,order\nF12,2-1,1\n");
                    let propose =
                        ["correct", "propose", BOBS, "--class", "illegal-odds", "--at-fault", "bob", "--reason", "x"];
                    bob.ann(&[&propose[..], &["--sheet", &sheet]].concat());
                    let proposed =
                        bob.sees(|ledger, me| correct::open_proposals(ledger, me).next().expect("a proposal").0);
                    bob.signs(|ledger, signer| {
                        Body::Seal(
                            signer
                                .seal(ledger.terms, SetKind::Coin, "4/1/ann-first/1", 5, bytes("lapse"), None)
                                .expect("a seal"),
                        )
                    });
                    bob.signs(|_, _| Body::Correct(Correct::Accept(proposed)));
                },
                Pinned("correct 4"),
            ),
            Cheat(
                "an agreed redo is put off",
                "rolled",
                |bob| {
                    agreed(bob);
                    bob.declares(CELLS, |_, _| ());
                },
                Pinned("declare 2"),
            ),
            Cheat(
                "an agreed redo is bent",
                "rolled",
                |bob| {
                    let acceptance = agreed(bob);
                    bob.redoes(BOBS, Redo::Agreed(acceptance), |_, declare| declare.moves = Moves::Text("back".into()));
                },
                Pinned("declare 12"),
            ),
            Cheat(
                "an agreed redo is used twice",
                "rolled",
                |bob| {
                    let acceptance = agreed(bob);
                    for _ in 0..2 {
                        bob.redoes(BOBS, Redo::Agreed(acceptance), |ledger, declare| {
                            declare.moves =
                                ledger.declaration(&declared(ledger, BOBS)).expect("one").declare.moves.clone();
                            declare.input = corrected();
                            if let Some(Select::FoulUp(select)) = &mut declare.select {
                                select.lines = 1;
                            }
                        });
                        bob.ann(&["reply"]);
                    }
                },
                Pinned("declare 12"),
            ),
            Cheat(
                "a void before the dice",
                "declared",
                |bob| {
                    bob.signs(|ledger, _| void(ledger, BOBS));
                },
                Pinned("correct 5"),
            ),
            Cheat(
                "a void of what is void",
                "rolled",
                |bob| {
                    bob.signs(|ledger, _| void(ledger, BOBS));
                    let id = offered(bob, "correct accept");
                    bob.ann(&["correct", "accept", &id]);
                    bob.signs(|ledger, _| void(ledger, BOBS));
                },
                Pinned("correct 5"),
            ),
            Cheat(
                "dice are named that nobody forfeited",
                "rolled",
                |bob| {
                    bob.signs(|ledger, _| names(ledger, BOBS, &[6, 6, 6]));
                },
                Pinned("letters 5"),
            ),
            Cheat(
                "a seven is named",
                "not held",
                |bob| {
                    bob.ann(&["dispute", "yield", LATER]);
                    bob.signs(|ledger, _| names(ledger, LATER, &[6, 7, 6]));
                },
                Pinned("claim 4"),
            ),
            Cheat(
                "a die too many is named",
                "not held",
                |bob| {
                    bob.ann(&["dispute", "yield", LATER]);
                    bob.signs(|ledger, _| names(ledger, LATER, &[6, 6, 6, 6]));
                },
                Pinned("claim 4"),
            ),
            Cheat(
                "dice are named twice",
                "not held",
                |bob| {
                    bob.ann(&["dispute", "yield", LATER]);
                    bob.signs(|ledger, _| names(ledger, LATER, &[6, 6, 5]));
                    let forfeit = bob
                        .sees(|ledger, _| ledger.declaration(&declared(ledger, LATER)).expect("one").forfeits[0].id());
                    bob.signs(|ledger, _| {
                        let declaration = declared(ledger, LATER);
                        Body::Claim(Claim::Names(Names { declaration, dice: vec![6, 6, 6], forfeit }))
                    });
                },
                Pinned("claim 4"),
            ),
            Cheat(
                "he gives up what he does not owe",
                "opened",
                |bob| {
                    bob.signs(|ledger, _| {
                        let declaration = Some(declared(ledger, ANNS));
                        let given = sealed_dice::blob::disputes::Yield {
                            declaration,
                            forfeit: Forfeit::DeclarerNames,
                            text: String::new(),
                        };
                        Body::Claim(Claim::Yield(given))
                    });
                },
                Pinned("claim 3"),
            ),
            Cheat(
                "after the referee has opened his roll he declares it again",
                "declared",
                |bob| {
                    bob.game.table.bob.does(&["game", "status"]);
                    bob.signs(|ledger, _| {
                        let stall = sealed_dice::blob::disputes::Stall {
                            letter: Some(declared(ledger, BOBS)),
                            owes: role("ann"),
                            step: sealed_dice::blob::body::Step::Reveal,
                            text: "slow".into(),
                        };
                        Body::Claim(Claim::Stall(stall))
                    });
                    bob.arrives();
                    let request = bob.game.offered("rule request");
                    bob.carol(&["rule", "request", &request]);
                    let open = bob.game.offered("rule open");
                    bob.carol(&["rule", "open", &open]);
                    bob.signs_as(
                        |ledger, head| {
                            let first = ledger.declaration(&declared(ledger, BOBS)).expect("a declaration").node;
                            head.clone_from(first.message.head());
                            assert_eq!(head.kind, Kind::Declare);
                        },
                        |ledger, _| Body::Declare(Box::new(super::declaration(ledger, BOBS, None, |_, _| ()))),
                    );
                },
                Pinned("chain 8"),
            ),
            Cheat(
                "the private roll is rolled again",
                "scouted",
                |bob| {
                    bob.declares(SCOUTS, |_, _| ());
                },
                Pinned("declare 20"),
            ),
        ],
    );
}
